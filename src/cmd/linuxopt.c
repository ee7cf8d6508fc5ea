/*
 * See linuxopt.h.
 */
#include "cmd/linuxopt.h"

#include "base/opt.h"
#include "base/str.h"

void linuxopt_show(struct tsb_proc *p, const struct tsb_command *cmd, int which)
{
	struct str text;

	str_init(&text, tsb_heap_of(p), STR_MAX_DEFAULT);
	if (which == 'h')
		opt_help(&text, cmd, tsb_name(p));
	else
		opt_version(&text, cmd, tsb_name(p));
	tsb_put(p, text.p, text.n);
	tsb_exit(p, 0);
}
