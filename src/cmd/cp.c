/*
 * cp - copy files and trees. The options and the shapes of the command line;
 * the work is copy.c's, --parents is cp_parents.c's.
 */
#include "cmd/cmd.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>

#include "cmd/copy.h"
#include "cmd/cp_parents.h"
#include "cmd/path.h"
#include "cmd/util.h"

struct cp {
	struct copy_options copy;
	bool parents, copy_contents, strip_slashes, no_target_dir;
	const char *target_dir;
};

enum { CP_MODE, CP_TIMES, CP_OWNER, CP_LINKS, CP_CONTEXT, CP_XATTR, CP_ALL };

static void cp_keep(struct copy_options *o, int what, bool on)
{
	bool all = what == CP_ALL;

	if (all || what == CP_MODE) {
		o->keep_mode = on;
		o->no_mode = !on;
	}
	if (all || what == CP_TIMES)
		o->keep_times = on;
	if (all || what == CP_OWNER)
		o->keep_owner = on;
	if (all || what == CP_LINKS)
		o->keep_links = on;
}

/* The list of --preserve= and --no-preserve=. There are no extended attributes
 * here to keep; a security context that cannot be kept is refused. */
static int cp_keep_list(struct tsb_proc *p, struct copy_options *o, const char *list, bool on)
{
	static const struct util_word words[] = {
		{ "mode", CP_MODE }, { "timestamps", CP_TIMES }, { "ownership", CP_OWNER },
		{ "links", CP_LINKS }, { "context", CP_CONTEXT }, { "xattr", CP_XATTR },
		{ "all", CP_ALL }, { NULL, 0 },
	};
	int what, status;

	for (;;) {
		size_t n = strcspn(list, ",");

		status = util_word(p, on ? "--preserve" : "--no-preserve",
				   tsb_strndup(p, list, n), words, &what);
		if (status)
			return status;
		cp_keep(o, what, on);
		if (what == CP_CONTEXT)
			o->keep_context = on;
		if (!list[n])
			return 0;
		list += n + 1;
	}
}

static int cp_set_preserve(struct tsb_proc *p, void *opts, const struct tsb_opt *opt,
			   const char *arg)
{
	struct copy_options *o = &((struct cp *)opts)->copy;
	int status = 0;

	if (arg)
		status = cp_keep_list(p, o, arg, opt->value);
	else
		o->keep_owner = o->keep_mode = o->keep_times = true;
	if (opt->value)
		o->keep_required = true;
	return status;
}

static int cp_set_word(struct tsb_proc *p, void *opts, const struct tsb_opt *opt, const char *arg)
{
	static const struct util_word sparse[] = {
		{ "never", COPY_SPARSE_NEVER }, { "auto", COPY_SPARSE_AUTO },
		{ "always", COPY_SPARSE_ALWAYS }, { NULL, 0 },
	};
	static const struct util_word reflink[] = {
		{ "auto", COPY_REFLINK_AUTO }, { "always", COPY_REFLINK_ALWAYS },
		{ "never", COPY_REFLINK_NEVER }, { NULL, 0 },
	};
	struct copy_options *o = &((struct cp *)opts)->copy;

	if (opt->value == 's')
		return util_word(p, "--sparse", arg, sparse, &o->sparse);
	o->reflink = COPY_REFLINK_ALWAYS;
	return arg ? util_word(p, "--reflink", arg, reflink, &o->reflink) : 0;
}

/* -a and -d stand for several options. */
static int cp_set_bundle(struct tsb_proc *p, void *opts, const struct tsb_opt *opt,
			 const char *arg)
{
	struct copy_options *o = &((struct cp *)opts)->copy;

	(void)p;
	(void)arg;
	o->deref = COPY_DEREF_NEVER;
	o->keep_links = true;
	if (opt->value == 'a') {
		o->keep_owner = o->keep_mode = o->keep_times = true;
		o->keep_required = o->recursive = true;
	}
	return 0;
}

#define CP_FLAG(field, s, l, h) TSB_OPT_FLAG(struct cp, copy.field, s, l, h)

static const struct tsb_opt cp_opts[] = {
	TSB_OPT_CALL(cp_set_bundle, 'a', 'a', "archive", NULL, "same as -dR --preserve=all"),
	CP_FLAG(attributes_only, 0, "attributes-only",
		"don't copy the file data, just the attributes"),
	BACKUP_OPTS(struct cp, copy.backup),
	TSB_OPT_FLAG(struct cp, copy_contents, 0, "copy-contents",
		     "copy contents of special files when recursive"),
	TSB_OPT_CALL(cp_set_bundle, 'd', 'd', NULL, NULL,
		     "same as --no-dereference --preserve=links"),
	CP_FLAG(unlink_after, 'f', "force",
		"if an existing destination file cannot be opened, remove it and try again "
		"(this option is ignored when the -n option is also used)"),
	TSB_OPT_SET(struct cp, copy.ask, COPY_ASK, 'i', "interactive",
		    "prompt before overwrite (overrides a previous -n option)"),
	TSB_OPT_SET(struct cp, copy.deref, COPY_DEREF_OPERANDS, 'H', NULL,
		    "follow command-line symbolic links in SOURCE"),
	CP_FLAG(make_hardlinks, 'l', "link", "hard link files instead of copying"),
	TSB_OPT_SET(struct cp, copy.deref, COPY_DEREF_ALWAYS, 'L', "dereference",
		    "always follow symbolic links in SOURCE"),
	TSB_OPT_SET(struct cp, copy.ask, COPY_NO_CLOBBER, 'n', "no-clobber",
		    "do not overwrite an existing file (overrides a previous -i option)"),
	TSB_OPT_SET(struct cp, copy.deref, COPY_DEREF_NEVER, 'P', "no-dereference",
		    "never follow symbolic links in SOURCE"),
	{ TSB_OPTION_CALL, 'p', NULL, NULL, "same as --preserve=mode,ownership,timestamps",
	  0, 1, TSB_ARG_NONE, cp_set_preserve },
	TSB_OPT_CALL_OPT(cp_set_preserve, 1, 0, "preserve", "ATTR_LIST",
			 "preserve the specified attributes (default: mode,ownership,timestamps), "
			 "if possible additional attributes: context, links, xattr, all"),
	TSB_OPT_CALL(cp_set_preserve, 0, 0, "no-preserve", "ATTR_LIST",
		     "don't preserve the specified attributes"),
	TSB_OPT_FLAG(struct cp, parents, 0, "parents", "use full source file name under DIRECTORY"),
	{ TSB_OPTION_FLAG, 0, "path", NULL, NULL, offsetof(struct cp, parents), 1,
	  TSB_OPT_HIDDEN, NULL },
	CP_FLAG(recursive, 'r', "recursive", "copy directories recursively"),
	CP_FLAG(recursive, 'R', NULL, NULL),
	CP_FLAG(unlink_before, 0, "remove-destination",
		"remove each existing destination file before attempting to open it (contrast "
		"with --force)"),
	TSB_OPT_CALL(cp_set_word, 's', 0, "sparse", "WHEN",
		     "control creation of sparse files: always, auto (default), never"),
	TSB_OPT_CALL_OPT(cp_set_word, 'r', 0, "reflink", "WHEN",
			 "control clone/CoW copies: always, auto (default), never"),
	TSB_OPT_FLAG(struct cp, strip_slashes, 0, "strip-trailing-slashes",
		     "remove any trailing slashes from each SOURCE argument"),
	BACKUP_SUFFIX_OPT(struct cp, copy.backup),
	CP_FLAG(make_symlinks, 's', "symbolic-link", "make symbolic links instead of copying"),
	{ TSB_OPTION_CALL, 't', "target-directory", "DIRECTORY",
	  "copy all SOURCE arguments into DIRECTORY", offsetof(struct cp, target_dir), 0, 0,
	  copy_set_target },
	TSB_OPT_FLAG(struct cp, no_target_dir, 'T', "no-target-directory",
		     "treat DEST as a normal file"),
	CP_FLAG(update, 'u', "update",
		"copy only when the SOURCE file is newer than the destination file or when the "
		"destination file is missing"),
	CP_FLAG(verbose, 'v', "verbose", "explain what is being done"),
	CP_FLAG(one_fs, 'x', "one-file-system", "stay on this file system"),
	TSB_OPT_CALL(util_ignore_context, 0, 'Z', NULL, NULL,
		     "set SELinux security context of destination file to default type"),
	TSB_OPT_CALL_OPT(util_ignore_context, 'e', 0, "context", "CTX",
			 "like -Z, or if CTX is specified then set the SELinux or SMACK security "
			 "context to CTX"),
	TSB_OPT_END
};

/* What the options mean together: 0 or the exit status. */
static int cp_settle(struct tsb_proc *p, struct cp *cp)
{
	struct copy_options *o = &cp->copy;
	int status;

	if (o->make_hardlinks && o->make_symlinks)
		return tsb_usage(p, "cannot make both hard and symbolic links");
	if (o->ask == COPY_NO_CLOBBER)
		o->update = false;
	if (o->backup.wanted && o->ask == COPY_NO_CLOBBER)
		return tsb_usage(p, "options --backup and --no-clobber are mutually exclusive");
	if (o->reflink == COPY_REFLINK_ALWAYS && o->sparse != COPY_SPARSE_AUTO)
		return tsb_usage(p, "--reflink can be used only with --sparse=auto");
	status = backup_prepare(p, &o->backup);
	if (status)
		return status;
	if (o->deref == COPY_DEREF_UNSET)
		o->deref = o->recursive && !o->make_hardlinks ? COPY_DEREF_NEVER
							      : COPY_DEREF_ALWAYS;
	o->as_regular = !o->recursive || cp->copy_contents;
	if (o->keep_context) {
		tsb_warn(p, "cannot preserve security context without an SELinux-enabled kernel");
		return 1;
	}
	o->through_dangling = tsb_getenv(p, "POSIXLY_CORRECT");
	return 0;
}

static bool cp_one_into(struct copy *c, const struct cp *cp, const char *dir, char *source,
			bool dir_is_new)
{
	const char *base;
	char *dest;

	if (cp->strip_slashes)
		path_strip_slashes(source);
	if (cp->parents)
		return cp_with_parents(c, source, dir);
	base = path_base(c->p, source);
	/* "cp -R a/.. d" fills d, not d/.. */
	if (!strcmp(base, ".."))
		base++;
	dest = path_join(c->p, dir, base);
	return copy_operand(c, source, dest, dir_is_new ? COPY_IS_NEW : COPY_MAY_EXIST);
}

static int cp_into(struct copy *c, const struct cp *cp, const char *dir, int n, char **files)
{
	bool ok = true;

	if (n > 1)
		copy_watch(c, true);
	for (int i = 0; i < n; i++)
		ok &= cp_one_into(c, cp, dir, files[i], false);
	return !ok;
}

/* "cp -f --backup f f" makes a backup of f. */
static const char *cp_self_backup(struct copy *c, const char *source, const char *dest)
{
	struct copy_options *o = c->o;
	struct tsb_stat st;

	if (!o->unlink_after || o->backup.type == BACKUP_NONE || strcmp(source, dest) ||
	    tsb_stat(c->p, dest, &st) || !S_ISREG(st.mode))
		return dest;
	dest = backup_name(c->p, &o->backup, dest);
	o->backup.type = BACKUP_NONE;
	return dest;
}

static int cp_to_name(struct copy *c, const struct cp *cp, char **files, bool is_new)
{
	const char *dest;

	if (cp->parents)
		return tsb_usage(c->p, "with --parents, the destination must be a directory");
	dest = cp_self_backup(c, files[0], files[1]);
	return !copy_operand(c, files[0], dest, is_new ? COPY_SEEMS_NEW : COPY_MAY_EXIST);
}

static int cp_count(struct tsb_proc *p, const struct cp *cp, int argc, char **argv)
{
	if (!argc)
		return util_missing_file(p);
	if (argc == 1 && !cp->target_dir)
		return tsb_usage(p, "missing destination file operand after %s",
				 quote_af(p, argv[0]));
	if (!cp->no_target_dir)
		return 0;
	if (cp->target_dir) {
		tsb_warn(p, "cannot combine --target-directory (-t) and --no-target-directory (-T)");
		return 1;
	}
	return argc > 2 ? tsb_usage(p, "extra operand %s", quote_af(p, argv[2])) : 0;
}

static int cp_run(struct tsb_proc *p, void *opts, int argc, char **argv)
{
	struct cp *cp = opts;
	struct copy c;
	int status = cp_settle(p, cp), err;
	const char *last;

	if (!status)
		status = cp_count(p, cp, argc, argv);
	if (status)
		return status;
	copy_init(&c, p, &cp->copy);
	if (cp->no_target_dir)
		return cp_to_name(&c, cp, argv, false);
	last = cp->target_dir ? cp->target_dir : argv[argc - 1];
	err = copy_target_error(p, last);
	if (!err)
		return cp_into(&c, cp, last, cp->target_dir ? argc : argc - 1, argv);
	if (!cp->target_dir && argc == 2)
		return cp_to_name(&c, cp, argv, err == -ENOENT);
	tsb_warn_errno(p, err, "target%s %s", cp->target_dir ? " directory" : "",
		       quote_af(p, last));
	return 1;
}

const struct tsb_command cmd_cp = {
	CMD_COREUTILS, .name = "cp",
	.synopsis = "[OPTION]... [-T] SOURCE DEST\n[OPTION]... SOURCE... DIRECTORY\n"
		    "[OPTION]... -t DIRECTORY SOURCE...",
	.summary = "Copy SOURCE to DEST, or multiple SOURCE(s) to DIRECTORY.",
	.opts = cp_opts, .opts_size = sizeof(struct cp), .run = cp_run,
};
