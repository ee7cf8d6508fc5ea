/*
 * See files0.h.
 */
#include "cmd/files0.h"

#include "cmd/lines.h"
#include "cmd/util.h"

int files0_read(struct tsb_proc *p, const char *from, const char *cannot_open, struct files0 *out)
{
	struct lines in = { 0 };
	size_t cap = 0, n;
	char *name;
	int fd = input_open(p, from);

	*out = (struct files0){ .from = from, .failed_open = fd < 0 };
	if (fd < 0) {
		tsb_warn_errno(p, fd, "%s %s%s", cannot_open, quote_af(p, from),
			       cannot_open[0] == 'c' ? " for reading" : "");
		return fd;
	}
	lines_open(&in, p, fd);
	while (lines_next(&in, '\0', &name, &n)) {
		out->at = util_grow(p, out->at, out->n, &cap, sizeof(*out->at));
		out->at[out->n++] = tsb_strndup(p, name, name[n - 1] ? n : n - 1);
	}
	input_close(p, fd);
	return in.error;
}
