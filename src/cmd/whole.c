/*
 * See whole.h. Which reason is given for a number out of range depends, as in
 * GNU's tools, on how large it is.
 */
#include "cmd/whole.h"

#include <errno.h>
#include <limits.h>

#include "base/num.h"
#include "cmd/quote.h"

int whole_parse(struct tsb_proc *p, const char *arg, uint64_t min, uint64_t max,
		const char *suffixes, const char *what, uint64_t *value)
{
	uint64_t v = 0;
	enum num_result r = num_suffixed(arg, suffixes, &v);
	int reason;

	if (r == NUM_OK && v >= min && v <= max) {
		*value = v;
		return 0;
	}
	if (r != NUM_OK && r != NUM_RANGE) {
		tsb_warn(p, "%s: %s", what, quote_text(p, arg));
		return 1;
	}
	reason = r == NUM_RANGE || v > INT_MAX / 2 ? EOVERFLOW : ERANGE;
	tsb_warn_errno(p, reason, "%s: %s", what, quote_text(p, arg));
	return 1;
}
