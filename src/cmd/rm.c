/*
 * rm - remove files and trees. The options; remove.c does the work.
 */
#include "cmd/cmd.h"

#include <string.h>

#include "cmd/rawopt.h"
#include "cmd/remove.h"
#include "cmd/util.h"

struct rm {
	struct remove r;
	bool once;
};

static int rm_set_ask(struct tsb_proc *p, void *opts, const struct tsb_opt *opt, const char *arg)
{
	struct rm *o = opts;

	(void)p;
	(void)arg;
	o->r.force = opt->value == 'f';
	o->once = opt->value == 'I';
	o->r.ask = opt->value == 'f' ? REMOVE_ASK_NEVER
	       : opt->value == 'I' ? REMOVE_ASK_SOMETIMES : REMOVE_ASK_ALWAYS;
	return 0;
}

static int rm_set_interactive(struct tsb_proc *p, void *opts, const struct tsb_opt *opt,
			      const char *arg)
{
	static const struct util_word words[] = {
		{ "never", 'n' }, { "no", 'n' }, { "none", 'n' }, { "once", 'I' },
		{ "always", 'i' }, { "yes", 'i' }, { NULL, 0 },
	};
	struct rm *o = opts;
	int v = 'i', status;

	(void)opt;
	if (arg) {
		status = util_word(p, "--interactive", arg, words, &v);
		if (status)
			return status;
	}
	o->once = v == 'I';
	o->r.ask = v == 'n' ? REMOVE_ASK_NEVER : v == 'I' ? REMOVE_ASK_SOMETIMES : REMOVE_ASK_ALWAYS;
	if (v != 'n')
		o->r.force = false;
	return 0;
}

static int rm_set_preserve_root(struct tsb_proc *p, void *opts, const struct tsb_opt *opt,
				const char *arg)
{
	struct rm *o = opts;

	(void)opt;
	if (arg && strcmp(arg, "all")) {
		tsb_warn(p, "unrecognized --preserve-root argument: %s", quote_af(p, arg));
		return 1;
	}
	o->r.allow_root = false;
	if (arg)
		o->r.one_device_args = true;
	return 0;
}

static int rm_set_no_preserve_root(struct tsb_proc *p, void *opts, const struct tsb_opt *opt,
				   const char *arg)
{
	(void)arg;
	((struct rm *)opts)->r.allow_root = true;
	if (!strcmp(opt->long_name, "no-preserve-root"))
		return 0;
	tsb_warn(p, "you may not abbreviate the --no-preserve-root option");
	return 1;
}

static const struct tsb_opt rm_opts[] = {
	TSB_OPT_CALL(rm_set_ask, 'f', 'f', "force", NULL,
		     "ignore nonexistent files and arguments, never prompt"),
	TSB_OPT_CALL(rm_set_ask, 'i', 'i', NULL, NULL, "prompt before every removal"),
	TSB_OPT_CALL(rm_set_ask, 'I', 'I', NULL, NULL,
		     "prompt once before removing more than three files, or when removing "
		     "recursively"),
	TSB_OPT_CALL_OPT(rm_set_interactive, 0, 0, "interactive", "WHEN",
			 "prompt according to WHEN: never, once (-I), or always (-i); "
			 "without WHEN, prompt always"),
	TSB_OPT_FLAG(struct rm, r.one_fs, 0, "one-file-system",
		     "when removing a hierarchy recursively, skip any directory that is on a "
		     "file system different from that of the corresponding argument"),
	/* Its prefixes find the first row: they are refused. */
	{ TSB_OPTION_CALL, 0, "no-preserve-roo", NULL, "", 0, 1, TSB_ARG_NONE | TSB_OPT_HIDDEN,
	  rm_set_no_preserve_root },
	TSB_OPT_CALL(rm_set_no_preserve_root, 1, 0, "no-preserve-root", NULL,
		     "do not treat '/' specially"),
	TSB_OPT_CALL_OPT(rm_set_preserve_root, 0, 0, "preserve-root", "all",
			 "do not remove '/' (default); with 'all', reject any argument on a "
			 "separate device from its parent"),
	TSB_OPT_FLAG(struct rm, r.recursive, 'r', "recursive",
		     "remove directories and their contents recursively"),
	TSB_OPT_FLAG(struct rm, r.recursive, 'R', NULL, NULL),
	TSB_OPT_FLAG(struct rm, r.empty_dirs, 'd', "dir", "remove empty directories"),
	TSB_OPT_FLAG(struct rm, r.verbose, 'v', "verbose", "explain what is being done"),
	{ TSB_OPTION_FLAG, 0, "-presume-input-tty", NULL, "", offsetof(struct rm, r.stdin_tty), 1,
	  TSB_OPT_HIDDEN, NULL },
	TSB_OPT_END
};

static const struct tsb_command rm_posix;

/* -I, --interactive=once: one question for all. */
static bool rm_ask_once(struct rm *o, int n)
{
	if (!o->once || (!o->r.recursive && n <= 3))
		return true;
	return util_ask(o->r.p, &o->r.asker, "remove %d argument%s%s? ", n, n == 1 ? "" : "s",
			o->r.recursive ? " recursively" : "");
}

enum { RM_BAD_OPTION = 1 };

static int rm_bad_option(struct tsb_proc *p, const char *text)
{
	tsb_warn(p, "%s", text);
	return RM_BAD_OPTION;
}

/* A file's name that begins with a dash was taken for options? */
static void rm_explain_dash(struct tsb_proc *p, int argc, char **argv)
{
	struct tsb_stat st;

	for (int i = 0; i < argc; i++) {
		const char *text;

		if (argv[i][0] != '-' || !argv[i][1] || tsb_lstat(p, argv[i], &st))
			continue;
		text = tsb_format(p, "Try '%s ./%s' to remove the file %s.\n", tsb_name(p),
				  quote_f(p, argv[i]), quote_af(p, argv[i]));
		tsb_write_all(p, 2, text, strlen(text));
		return;
	}
}

static int rm_run(struct tsb_proc *p, void *opts, int argc, char **argv)
{
	struct opt_parsed parsed;
	struct rm *o;
	int status;

	(void)opts;
	if (!rawopt_parse_as(p, tsb_getenv(p, "POSIXLY_CORRECT") ? &rm_posix : &cmd_rm, argc, argv,
			     &parsed, &status, rm_bad_option)) {
		if (parsed.result == OPT_BAD)
			rm_explain_dash(p, argc, argv);
		return parsed.result == OPT_BAD ? tsb_usage(p, NULL) : status;
	}
	o = parsed.opts;
	argc = parsed.argc;
	argv = parsed.argv;
	o->r.p = p;
	if (!argc)
		return o->r.force ? 0 : util_missing_operand(p);
	if (!o->r.stdin_tty)
		o->r.stdin_tty = tsb_isatty(p, 0);
	if (!rm_ask_once(o, argc))
		return 0;
	return !remove_all(&o->r, argc, argv);
}

#define RM_COMMAND(more) { \
	CMD_COREUTILS, .name = "rm", .synopsis = "[OPTION]... [FILE]...", \
	.summary = "Remove (unlink) the FILE(s).", .opts = rm_opts, \
	.opts_size = sizeof(struct rm), .run = rm_run, .flags = TSB_RAW | (more), \
}

const struct tsb_command cmd_rm = RM_COMMAND(0);
static const struct tsb_command rm_posix = RM_COMMAND(TSB_OPERAND_ENDS);
