/*
 * Reading a descriptor to its end, for command substitution: what a child
 * prints, without NULs (which shell values cannot hold).
 */
#include "kernel/inside.h"

#include <errno.h>
#include <string.h>

#define READ_ALL_STEP ((size_t)4096)

/* Takes the NULs out of the n new bytes behind old_n; how many there were. */
static size_t read_all_squeeze(struct str *out, size_t old_n)
{
	char *to = memchr(out->p + old_n, '\0', out->n - old_n);
	size_t dropped;

	if (!to)
		return 0;
	for (char *from = to; from < out->p + out->n; from++)
		if (*from)
			*to++ = *from;
	dropped = (size_t)(out->p + out->n - to);
	str_cut(out, (size_t)(to - out->p));
	return dropped;
}

int proc_read_all(struct tsb_proc *p, int fd, struct str *out)
{
	size_t nuls = 0, step = READ_ALL_STEP;

	for (;;) {
		size_t old_n = out->n;
		ssize_t r;

		if (!str_reserve(out, step))
			return -ENOMEM;
		p->patient = true;	/* traps run after the substitution */
		r = tsb_read(p, fd, out->p + out->n, step);
		p->patient = false;
		if (r <= 0)
			return r < 0 ? (int)r : nuls < INT32_MAX ? (int)nuls : INT32_MAX;
		out->n += (size_t)r;
		out->p[out->n] = '\0';
		nuls += read_all_squeeze(out, old_n);
		if ((size_t)r == step && step < ((size_t)64 << 10))
			step *= 2;
	}
}
