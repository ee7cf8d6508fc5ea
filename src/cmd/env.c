/*
 * env - run a program in a changed environment, or print the environment.
 *
 * Everything is set up in this process, which then becomes the program.
 */
#include "cmd/cmd.h"

#include <errno.h>
#include <string.h>

#include "base/opt.h"
#include "base/str.h"
#include "cmd/env.h"
#include "cmd/locale.h"
#include "cmd/util.h"

struct env {
	bool ignore, null, debug;
	bool utf8;		/* as the environment was */
	const char *chdir, *split;	/* split: only for --help, see env_split() */
	struct tsb_list unset;
	struct env_signals signals;
};

#define ENV_SIGNAL_OPT(what, name, help) \
	{ TSB_OPTION_CALL, 0, (name), "SIG", (help), offsetof(struct env, signals), (what), \
	  TSB_ARG_OPTIONAL, env_signal_option }

static const struct tsb_opt env_opts[] = {
	TSB_OPT_FLAG(struct env, ignore, 'i', "ignore-environment", "start with an empty environment"),
	TSB_OPT_FLAG(struct env, null, '0', "null", "end each output line with NUL, not newline"),
	TSB_OPT_LIST(struct env, unset, 'u', "unset", "NAME", "remove variable from the environment"),
	TSB_OPT_STR(struct env, chdir, 'C', "chdir", "DIR", "change working directory to DIR"),
	TSB_OPT_STR(struct env, split, 'S', "split-string", "S",
		     "process and split S into separate arguments; used to pass multiple "
		     "arguments on shebang lines"),
	ENV_SIGNAL_OPT(ENV_SIG_BLOCK, "block-signal", "block delivery of SIG signal(s) to COMMAND"),
	ENV_SIGNAL_OPT(ENV_SIG_DEFAULT, "default-signal",
		       "reset handling of SIG signal(s) to the default"),
	ENV_SIGNAL_OPT(ENV_SIG_IGNORE, "ignore-signal",
		       "set handling of SIG signal(s) to do nothing"),
	TSB_OPT_FLAG(struct env, signals.list, 0, "list-signal-handling",
		     "list non default signal handling to stderr"),
	TSB_OPT_FLAG(struct env, debug, 'v', "debug", "print verbose information for each processing step"),
	TSB_OPT_END
};

int env_print(struct tsb_proc *p, bool null)
{
	for (const char *const *e = tsb_environ(p); *e; e++) {
		tsb_puts(p, *e);
		tsb_putc(p, null ? '\0' : '\n');
	}
	return 0;
}

static void env_say(struct tsb_proc *p, const struct env *o, const char *what, const char *name)
{
	char *line;

	if (!o->debug)
		return;
	line = tsb_format(p, "%-10s%s\n", what, name);
	tsb_write_all(p, 2, line, strlen(line));
}

static void env_say_command(struct tsb_proc *p, const struct env *o, char **argv)
{
	char *line;

	if (!o->debug)
		return;
	line = tsb_format(p, "executing: %s\n", argv[0]);
	tsb_write_all(p, 2, line, strlen(line));
	for (int i = 0; argv[i]; i++) {
		line = tsb_format(p, "   arg[%d]= %s\n", i,
				  quote_text_as(p, o->utf8, argv[i]));
		tsb_write_all(p, 2, line, strlen(line));
	}
}

static int env_clear(struct tsb_proc *p, const struct env *o)
{
	if (o->ignore) {
		env_say(p, o, "cleaning environ", "");
		return tsb_clearenv(p);
	}
	for (size_t i = 0; i < o->unset.n; i++) {
		const char *name = o->unset.at[i];

		env_say(p, o, "unset:", name);
		if (!*name || strchr(name, '=')) {
			tsb_warn_errno(p, EINVAL, "cannot unset %s", quote_text(p, name));
			return 125;
		}
		tsb_setenv(p, name, NULL);
	}
	return 0;
}

static int env_become(struct tsb_proc *p, const struct env *o, char **argv)
{
	struct tsb_spawn how = { .size = sizeof(how), .argv = (const char *const *)argv };
	int err = tsb_exec(p, &how);

	tsb_warn_errno(p, err, "%s", quote_text_as(p, o->utf8, argv[0]));
	if (err == -ENOENT && strpbrk(argv[0], " \t"))
		tsb_warn(p, "use -[v]S to pass options in shebang lines");
	return err == -ENOENT ? 127 : 126;
}

static int env_run(struct tsb_proc *p, void *opts, int argc, char **argv)
{
	struct env *o = opts;
	int i = 0, err;

	o->utf8 = locale_utf8(p);
	if (argc && !strcmp(argv[0], "-")) {
		o->ignore = true;
		i++;
	}
	err = env_clear(p, o);
	if (err)
		return err < 0 ? 125 : err;
	for (; i < argc && strchr(argv[i], '='); i++) {
		char *value = strchr(argv[i], '=');

		env_say(p, o, "setenv:", argv[i]);
		*value = '\0';
		tsb_setenv(p, argv[i], value + 1);
		*value = '=';
	}
	if (i == argc) {
		if (o->chdir)
			return tsb_usage(p, "must specify command with --chdir (-C)");
		return env_print(p, o->null);
	}
	if (o->null)
		return tsb_usage(p, "cannot specify --null (-0) with command");
	err = env_signals_apply(p, &o->signals, o->debug);
	if (err)
		return err;
	if (o->chdir)
		env_say(p, o, "chdir:", quote_af(p, o->chdir));
	if (o->chdir && (err = tsb_chdir(p, o->chdir))) {
		tsb_warn_errno(p, err, "cannot change directory to %s", quote_af(p, o->chdir));
		return 125;
	}
	env_say_command(p, o, argv + i);
	return env_become(p, o, argv + i);
}

static const struct tsb_command env_parsed = {
	CMD_COREUTILS, .name = "env", .synopsis = "[OPTION]... [-] [NAME=VALUE]... [COMMAND [ARG]...]",
	.summary = "Set each NAME to VALUE in the environment and run COMMAND.",
	.opts = env_opts, .opts_size = sizeof(struct env), .run = env_run,
	.flags = TSB_OPERAND_ENDS, .usage_status = 125,
};

/* Options are read by hand of opt_parse(), after -S has been split. */
static int env_main(struct tsb_proc *p, void *opts, int argc, char **argv)
{
	struct tsb_heap *heap = tsb_heap_of(p);
	struct opt_parsed parsed;
	struct str text;
	char **full;
	int status = argc ? env_split(p, &argc, &argv) : 0;

	(void)opts;
	if (status)
		return status;
	full = tsb_alloc(p, ((size_t)argc + 2) * sizeof(*full));
	full[0] = tsb_strdup(p, tsb_name(p));
	for (int i = 0; i < argc; i++)
		full[i + 1] = argv[i];
	opt_parse(&parsed, &env_parsed, heap, p, argc + 1, full);
	str_init(&text, heap, STR_MAX_DEFAULT);
	switch (parsed.result) {
	case OPT_RUN:
		return env_run(p, parsed.opts, parsed.argc, parsed.argv);
	case OPT_BAD:
		tsb_usage(p, "%s", parsed.error.p);
		return 125;
	case OPT_STOP:
		return parsed.status;
	case OPT_HELP:
		opt_help(&text, &env_parsed, tsb_name(p));
		break;
	case OPT_VERSION:
		opt_version(&text, &env_parsed, tsb_name(p));
		break;
	}
	tsb_put(p, text.p, text.n);
	return 0;
}

const struct tsb_command cmd_env = {
	CMD_COREUTILS, .name = "env", .synopsis = "[OPTION]... [-] [NAME=VALUE]... [COMMAND [ARG]...]",
	.summary = "Set each NAME to VALUE in the environment and run COMMAND.",
	.opts = env_opts, .opts_size = sizeof(struct env), .run = env_main,
	.flags = TSB_RAW, .usage_status = 125,
};
