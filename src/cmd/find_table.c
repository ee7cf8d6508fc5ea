/*
 * The predicates of find by name, and those readers that only set something.
 */
#include "cmd/find.h"

#include <stdlib.h>
#include <string.h>

#include "base/opt.h"
#include "cmd/cmd.h"
#include "cmd/util.h"

const char *find_arg(struct find *f)
{
	return f->at < f->argc ? f->argv[f->at++] : NULL;
}

/* ---- Options ---- */

static bool read_depth(struct find *f, int deprecated)
{
	if (deprecated && f->warn)
		tsb_warn(f->p, "warning: the -d option is deprecated; please use -depth instead, "
			 "because the latter is a POSIX-compliant feature.");
	f->depth_first = f->depth_given = true;
	return true;
}

static bool read_levels(struct find *f, int is_max)
{
	const char *arg = find_arg(f);
	size_t n = arg ? strspn(arg, "0123456789") : 0;
	uint64_t levels = 0;

	if (!arg)
		return false;
	if (!n || arg[n])
		find_die(f, "Expected a positive decimal integer argument to %s, but got %s",
			 f->predicate, quote_text(f->p, arg));
	for (size_t i = 0; i < n; i++) {
		levels = levels * 10 + (uint64_t)(arg[i] - '0');
		if (levels > INT32_MAX)
			find_die(f, "%s: Numerical result out of range", arg);
	}
	if (is_max)
		f->max_depth = (long)levels;
	else
		f->min_depth = (long)levels;
	return true;
}

static bool read_one_fs(struct find *f, int value)
{
	(void)value;
	f->one_fs = true;
	return true;
}

static bool read_follow(struct find *f, int value)
{
	(void)value;
	f->follow = FIND_ALWAYS;
	return true;
}

static bool read_warn(struct find *f, int on)
{
	f->warn = on;
	return true;
}

/* -noleaf and the readdir race are about optimisations and changes from
 * outside, of which there are none here. */
static bool read_nothing(struct find *f, int value)
{
	(void)f;
	(void)value;
	return true;
}

static bool read_files0(struct find *f, int value)
{
	(void)value;
	f->files0 = find_arg(f);
	return f->files0 != NULL;
}

static bool read_help(struct find *f, int is_version)
{
	struct str text;

	str_init(&text, tsb_heap_of(f->p), STR_MAX_DEFAULT);
	if (is_version)
		opt_version(&text, &cmd_find, tsb_name(f->p));
	else
		opt_help(&text, &cmd_find, tsb_name(f->p));
	tsb_put(f->p, text.p, text.n);
	tsb_exit(f->p, 0);
}

/* ---- Tests without argument ---- */

static bool read_plain(struct find *f, int which)
{
	static find_eval *const tests[] = {
		find_true, find_false, find_is_empty, find_is_nouser, find_is_nogroup,
	};

	find_add(f, tests[which]);
	return true;
}

static bool read_access(struct find *f, int mode)
{
	find_add(f, find_is_access)->u.access = mode;
	return true;
}

static bool read_context(struct find *f, int value)
{
	(void)value;
	if (!find_arg(f))
		return false;
	find_die(f, "invalid predicate -context: SELinux is not enabled.");
}

static bool find_do_prune(struct find *f, struct find_pred *a)
{
	(void)a;
	f->prune = true;
	return true;
}

static bool read_prune(struct find *f, int value)
{
	(void)value;
	f->prunes = true;
	find_add(f, find_do_prune);
	return true;
}

static bool find_do_quit(struct find *f, struct find_pred *a)
{
	(void)a;
	f->quit = true;
	return true;
}

static bool read_quit(struct find *f, int value)
{
	(void)value;
	f->prints = true;
	find_add(f, find_do_quit);
	return true;
}

static const struct find_row find_rows[] = {
	{ "!", FIND_OPERATOR, NULL, '!' }, { "not", FIND_OPERATOR, NULL, '!' },
	{ "(", FIND_OPERATOR, NULL, '(' }, { ")", FIND_OPERATOR, NULL, ')' },
	{ ",", FIND_OPERATOR, NULL, ',' },
	{ "a", FIND_OPERATOR, NULL, 'a' }, { "and", FIND_OPERATOR, NULL, 'a' },
	{ "o", FIND_OPERATOR, NULL, 'o' }, { "or", FIND_OPERATOR, NULL, 'o' },
	{ "amin", FIND_TEST, find_read_minutes, 'a' },
	{ "anewer", FIND_TEST, find_read_newer, 'a' },
	{ "atime", FIND_TEST, find_read_days, 'a' },
	{ "cmin", FIND_TEST, find_read_minutes, 'c' },
	{ "cnewer", FIND_TEST, find_read_newer, 'c' },
	{ "context", FIND_TEST, read_context, 0 },
	{ "ctime", FIND_TEST, find_read_days, 'c' },
	{ "d", FIND_GLOBAL, read_depth, 1 },
	{ "daystart", FIND_POSITIONAL, find_read_daystart, 0 },
	{ "delete", FIND_TEST, find_read_delete, 0 },
	{ "depth", FIND_GLOBAL, read_depth, 0 },
	{ "empty", FIND_TEST, read_plain, 2 },
	{ "exec", FIND_TEST, find_read_exec, 'e' },
	{ "execdir", FIND_TEST, find_read_exec, 'E' },
	{ "executable", FIND_TEST, read_access, TSB_X_OK },
	{ "false", FIND_TEST, read_plain, 1 },
	{ "files0-from", FIND_GLOBAL, read_files0, 0 },
	{ "fls", FIND_TEST, find_read_fls, 0 },
	{ "follow", FIND_POSITIONAL, read_follow, 0 },
	{ "fprint", FIND_TEST, find_read_fprint, '\n' },
	{ "fprint0", FIND_TEST, find_read_fprint, '\0' },
	{ "fprintf", FIND_TEST, find_read_fprintf, 0 },
	{ "fstype", FIND_TEST, find_read_fstype, 0 },
	{ "gid", FIND_TEST, find_read_num, FIND_GID },
	{ "group", FIND_TEST, find_read_group, 0 },
	{ "ignore_readdir_race", FIND_GLOBAL, read_nothing, 0 },
	{ "ilname", FIND_TEST, find_read_lname, 1 },
	{ "iname", FIND_TEST, find_read_name, 1 },
	{ "inum", FIND_TEST, find_read_num, FIND_INUM },
	{ "ipath", FIND_TEST, find_read_path, 1 },
	{ "iregex", FIND_TEST, find_read_regex, 1 },
	{ "iwholename", FIND_TEST, find_read_path, 1 },
	{ "links", FIND_TEST, find_read_num, FIND_LINKS },
	{ "lname", FIND_TEST, find_read_lname, 0 },
	{ "ls", FIND_TEST, find_read_ls, 0 },
	{ "maxdepth", FIND_GLOBAL, read_levels, 1 },
	{ "mindepth", FIND_GLOBAL, read_levels, 0 },
	{ "mmin", FIND_TEST, find_read_minutes, 'm' },
	{ "mount", FIND_GLOBAL, read_one_fs, 0 },
	{ "mtime", FIND_TEST, find_read_days, 'm' },
	{ "name", FIND_TEST, find_read_name, 0 },
	{ "newer", FIND_TEST, find_read_newer, 'm' },
	{ "nogroup", FIND_TEST, read_plain, 4 },
	{ "noignore_readdir_race", FIND_GLOBAL, read_nothing, 0 },
	{ "noleaf", FIND_GLOBAL, read_nothing, 0 },
	{ "nouser", FIND_TEST, read_plain, 3 },
	{ "nowarn", FIND_POSITIONAL, read_warn, 0 },
	{ "ok", FIND_TEST, find_read_exec, 'o' },
	{ "okdir", FIND_TEST, find_read_exec, 'O' },
	{ "path", FIND_TEST, find_read_path, 0 },
	{ "perm", FIND_TEST, find_read_perm, 0 },
	{ "print", FIND_TEST, find_read_print, '\n' },
	{ "print0", FIND_TEST, find_read_print, '\0' },
	{ "printf", FIND_TEST, find_read_printf, 0 },
	{ "prune", FIND_TEST, read_prune, 0 },
	{ "quit", FIND_TEST, read_quit, 0 },
	{ "readable", FIND_TEST, read_access, TSB_R_OK },
	{ "regex", FIND_TEST, find_read_regex, 0 },
	{ "regextype", FIND_POSITIONAL, find_read_regextype, 0 },
	{ "samefile", FIND_TEST, find_read_samefile, 0 },
	{ "size", FIND_TEST, find_read_size, 0 },
	{ "true", FIND_TEST, read_plain, 0 },
	{ "type", FIND_TEST, find_read_type, 0 },
	{ "uid", FIND_TEST, find_read_num, FIND_UID },
	{ "used", FIND_TEST, find_read_used, 0 },
	{ "user", FIND_TEST, find_read_user, 0 },
	{ "warn", FIND_POSITIONAL, read_warn, 1 },
	{ "wholename", FIND_TEST, find_read_path, 0 },
	{ "writable", FIND_TEST, read_access, TSB_W_OK },
	{ "xdev", FIND_GLOBAL, read_one_fs, 0 },
	{ "xtype", FIND_TEST, find_read_type, 1 },
	{ "help", FIND_TEST, read_help, 0 }, { "-help", FIND_TEST, read_help, 0 },
	{ "version", FIND_TEST, read_help, 1 }, { "-version", FIND_TEST, read_help, 1 },
};

const struct find_row *find_row(const char *word)
{
	static const struct find_row newer_xy = { "newerXY", FIND_TEST, find_read_newer_xy, 0 };

	if (!strncmp(word, "-newer", 6) && strlen(word) == 8)
		return &newer_xy;
	word += *word == '-';
	for (size_t i = 0; i < sizeof(find_rows) / sizeof(*find_rows); i++)
		if (!strcmp(find_rows[i].name, word))
			return &find_rows[i];
	return NULL;
}
