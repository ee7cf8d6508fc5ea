/*
 * See rawopt.h. What the starter of programs does for other commands, done by
 * the command itself.
 */
#include "cmd/rawopt.h"

#include <string.h>

static char **rawopt_named(struct tsb_proc *p, int argc, char **argv)
{
	char **all = tsb_alloc(p, ((size_t)argc + 2) * sizeof(*all));

	all[0] = tsb_strdup(p, tsb_name(p));
	memcpy(all + 1, argv, (size_t)argc * sizeof(*all));
	return all;
}

bool rawopt_parse_as(struct tsb_proc *p, const struct tsb_command *cmd, int argc, char **argv,
		     struct opt_parsed *out, int *status,
		     int (*bad)(struct tsb_proc *p, const char *text))
{
	struct tsb_command plain = *cmd;
	struct str text;

	plain.flags &= ~(unsigned)TSB_RAW;
	opt_parse(out, &plain, tsb_heap_of(p), p, argc + 1, rawopt_named(p, argc, argv));
	str_init(&text, tsb_heap_of(p), STR_MAX_DEFAULT);
	*status = 0;
	switch (out->result) {
	case OPT_RUN:
		return true;
	case OPT_HELP:
		opt_help(&text, cmd, tsb_name(p));
		break;
	case OPT_VERSION:
		opt_version(&text, cmd, tsb_name(p));
		break;
	case OPT_BAD:
		*status = bad(p, out->error.p);
		break;
	case OPT_STOP:
		*status = out->status;
		break;
	}
	tsb_put(p, text.p, text.n);
	return false;
}

static int rawopt_bad(struct tsb_proc *p, const char *text)
{
	return tsb_usage(p, "%s", text);
}

bool rawopt_parse(struct tsb_proc *p, const struct tsb_command *cmd, int argc, char **argv,
		  struct opt_parsed *out, int *status)
{
	struct tsb_command posix = *cmd;

	if (tsb_getenv(p, "POSIXLY_CORRECT"))
		posix.flags |= TSB_OPERAND_ENDS;
	return rawopt_parse_as(p, &posix, argc, argv, out, status, rawopt_bad);
}
