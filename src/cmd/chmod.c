/*
 * chmod - change file modes.
 *
 * A mode may look like an option ("chmod -w f"); such arguments are gathered
 * as one more mode, and where the umask made the result more than the letters
 * say, that is an error.
 */
#include "cmd/cmd.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>

#include "cmd/mode.h"
#include "cmd/path.h"
#include "cmd/util.h"
#include "cmd/walk.h"

enum chmod_say { CHMOD_SAY_NOTHING, CHMOD_SAY_CHANGES, CHMOD_SAY_ALL };

struct chmod {
	struct tsb_proc *p;
	int say;		/* enum chmod_say */
	bool silent, recursive, guard_root;
	const char *reference;
	const char *mode;	/* out of options */
	struct mode_change *change;
	uint32_t umask;
	struct tsb_stat root;
};

enum chmod_result { CHMOD_NO_STAT, CHMOD_FAILED, CHMOD_NOT_APPLIED, CHMOD_SAME, CHMOD_CHANGED };

static int chmod_add_mode(struct tsb_proc *p, void *opts, const struct tsb_opt *opt,
			  const char *arg)
{
	struct chmod *o = opts;

	o->mode = tsb_format(p, "%s%s-%c%s", o->mode ? o->mode : "", o->mode ? "," : "",
			     opt->short_name, arg ? arg : "");
	return 0;
}

#define CHMOD_MODE(c) { TSB_OPTION_CALL, (c), NULL, NULL, "", 0, 0, \
			TSB_ARG_OPTIONAL | TSB_OPT_HIDDEN, chmod_add_mode }

static const struct tsb_opt chmod_opts[] = {
	TSB_OPT_SET(struct chmod, say, CHMOD_SAY_CHANGES, 'c', "changes",
		    "like verbose but report only when a change is made"),
	TSB_OPT_FLAG(struct chmod, silent, 'f', "silent", "suppress most error messages"),
	TSB_OPT_FLAG(struct chmod, silent, 0, "quiet", NULL),
	TSB_OPT_SET(struct chmod, say, CHMOD_SAY_ALL, 'v', "verbose",
		    "output a diagnostic for every file processed"),
	UTIL_ROOT_OPTS(struct chmod, guard_root),
	TSB_OPT_FLAG(struct chmod, recursive, 'R', "recursive",
		     "change files and directories recursively"),
	TSB_OPT_STR(struct chmod, reference, 0, "reference", "RFILE",
		    "use RFILE's mode instead of MODE values"),
	CHMOD_MODE('r'), CHMOD_MODE('w'), CHMOD_MODE('x'), CHMOD_MODE('X'), CHMOD_MODE('s'),
	CHMOD_MODE('t'), CHMOD_MODE('u'), CHMOD_MODE('g'), CHMOD_MODE('o'), CHMOD_MODE('a'),
	CHMOD_MODE(','), CHMOD_MODE('+'), CHMOD_MODE('='),
	CHMOD_MODE('0'), CHMOD_MODE('1'), CHMOD_MODE('2'), CHMOD_MODE('3'),
	CHMOD_MODE('4'), CHMOD_MODE('5'), CHMOD_MODE('6'), CHMOD_MODE('7'),
	TSB_OPT_END
};

/* The kernel may have dropped set-id bits without a word. */
static bool chmod_changed(struct chmod *o, const struct walk_entry *e, uint32_t now)
{
	struct tsb_stat st;
	int err;

	if (now & 07000) {
		err = tsb_stat(o->p, e->path, &st);
		if (!err)
			now = st.mode;
		else if (!o->silent)
			tsb_warn_errno(o->p, err, "getting new attributes of %s",
				       quote_af(o->p, e->path));
		if (err)
			return false;
	}
	return (e->st.mode ^ now) & MODE_BITS;
}

static void chmod_describe(struct chmod *o, const struct walk_entry *e, enum chmod_result r,
			   uint32_t now)
{
	const char *name = quote_af(o->p, e->path);
	uint32_t old = e->st.mode;
	char from[12], to[12];

	util_mode_string(old, from);
	util_mode_string((now & MODE_BITS) | (old & S_IFMT), to);
	switch (r) {
	case CHMOD_NO_STAT:
		tsb_printf(o->p, "%s could not be accessed\n", name);
		break;
	case CHMOD_NOT_APPLIED:
		tsb_printf(o->p, "neither symbolic link %s nor referent has been changed\n", name);
		break;
	case CHMOD_SAME:
		tsb_printf(o->p, "mode of %s retained as %04o (%s)\n", name, now & MODE_BITS,
			   to + 1);
		break;
	default:
		tsb_printf(o->p, "%s%s %s %04o (%s) to %04o (%s)\n",
			   r == CHMOD_FAILED ? "failed to change mode of " : "mode of ", name,
			   r == CHMOD_FAILED ? "from" : "changed from", old & MODE_BITS, from + 1,
			   now & MODE_BITS, to + 1);
	}
}

/* "-w" under a umask may take less away than it says. */
static bool chmod_surprises(struct chmod *o, const struct walk_entry *e, uint32_t now)
{
	uint32_t naive = mode_apply(o->change, e->st.mode, S_ISDIR(e->st.mode), 0, NULL);
	char is[12], expected[12];

	if (!(now & ~naive))
		return false;
	util_mode_string(now, is);
	util_mode_string(naive, expected);
	tsb_warn(o->p, "%s: new permissions are %s, not %s", quote_f(o->p, e->path), is + 1,
		 expected + 1);
	return true;
}

/* Messages about what cannot be changed at all. */
static enum chmod_result chmod_look(struct chmod *o, const struct walk_entry *e)
{
	const char *name = quote_af(o->p, e->path);

	switch (e->kind) {
	case WALK_NO_STAT:
		if (!o->silent)
			tsb_warn_errno(o->p, e->error, "cannot access %s", name);
		return CHMOD_NO_STAT;
	case WALK_UNREADABLE:
		if (!o->silent)
			tsb_warn_errno(o->p, e->error, "cannot read directory %s", name);
		return CHMOD_NO_STAT;
	case WALK_DANGLING:
		if (!o->silent)
			tsb_warn(o->p, "cannot operate on dangling symlink %s", name);
		return CHMOD_NO_STAT;
	default:
		return CHMOD_NOT_APPLIED;
	}
}

static bool chmod_is_guarded(struct chmod *o, const struct walk_entry *e)
{
	if (!o->recursive || !o->guard_root || !util_same_file(&e->st, &o->root))
		return false;
	util_warn_root(o->p, e->path);
	return true;
}

static enum chmod_result chmod_apply(struct chmod *o, const struct walk_entry *e, uint32_t *now)
{
	struct tsb_setattr set = { .mask = TSB_SET_MODE };
	int err;

	set.mode = *now = mode_apply(o->change, e->st.mode, S_ISDIR(e->st.mode), o->umask, NULL);
	err = tsb_setattr(o->p, e->path, &set, true);
	if (!err)
		return CHMOD_CHANGED;
	if (!o->silent)
		tsb_warn_errno(o->p, err, "changing permissions of %s", quote_af(o->p, e->path));
	return CHMOD_FAILED;
}

static bool chmod_entry(struct chmod *o, struct walk *w, struct walk_entry *e)
{
	enum chmod_result r;
	uint32_t now = 0;

	if (e->kind == WALK_DIR_END)
		return true;
	r = chmod_look(o, e);
	if (r == CHMOD_NOT_APPLIED && chmod_is_guarded(o, e)) {
		walk_skip(w);
		return false;
	}
	if (r == CHMOD_NOT_APPLIED && !S_ISLNK(e->st.mode))
		r = chmod_apply(o, e, &now);
	if (o->say && r == CHMOD_CHANGED && !chmod_changed(o, e, now))
		r = CHMOD_SAME;
	if (o->say == CHMOD_SAY_ALL || (o->say && r == CHMOD_CHANGED))
		chmod_describe(o, e, r, now);
	if (r >= CHMOD_SAME && o->mode && chmod_surprises(o, e, now))
		r = CHMOD_FAILED;
	if (!o->recursive && e->kind == WALK_DIR)
		walk_skip(w);
	return r >= CHMOD_NOT_APPLIED;
}

/* The mode out of the options, the first operand or --reference. *used: how
 * many operands that took. 0 or the exit status. */
static int chmod_settle(struct chmod *o, int argc, char **argv, int *used)
{
	struct tsb_proc *p = o->p;
	const char *text = o->mode;
	struct tsb_stat st;
	int err;

	*used = 0;
	if (o->reference && text)
		return tsb_usage(p, "cannot combine mode and --reference options");
	if (!o->reference && !text && argc) {
		text = argv[0];
		*used = 1;
	}
	if (argc == *used)
		return *used ? util_missing_operand_after(p, text) : util_missing_operand(p);
	if (o->reference) {
		err = tsb_stat(p, o->reference, &st);
		if (err) {
			tsb_warn_errno(p, err, "failed to get attributes of %s",
				       quote_af(p, o->reference));
			return 1;
		}
		o->change = mode_from_reference(p, st.mode);
		return 0;
	}
	o->change = mode_compile(p, text);
	return o->change ? 0 : tsb_usage(p, "invalid mode: %s", quote_text(p, text));
}

static int chmod_run(struct tsb_proc *p, void *opts, int argc, char **argv)
{
	struct chmod *o = opts;
	struct walk_entry *e;
	struct walk *w;
	int used, status;

	o->p = p;
	o->umask = util_umask_get(p);
	status = chmod_settle(o, argc, argv, &used);
	if (status)
		return status;
	if (tsb_lstat(p, "/", &o->root))
		o->guard_root = false;
	w = walk_open(p, argc - used, argv + used, WALK_OPERANDS);
	while ((e = walk_next(w)))
		status |= !chmod_entry(o, w, e);
	return status;
}

const struct tsb_command cmd_chmod = {
	CMD_COREUTILS, .name = "chmod",
	.synopsis = "[OPTION]... MODE[,MODE]... FILE...\n[OPTION]... OCTAL-MODE FILE...\n"
		    "[OPTION]... --reference=RFILE FILE...",
	.summary = "Change the mode of each FILE to MODE.\n"
		   "With --reference, change the mode of each FILE to that of RFILE.",
	.opts = chmod_opts, .opts_size = sizeof(struct chmod), .run = chmod_run,
};
