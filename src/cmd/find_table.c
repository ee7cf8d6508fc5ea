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
	find_add(f, find_do_quit);
	return true;
}

static const struct find_row find_rows[] = {
#define WORD(word, class, read, value, arg, help) { (word), FIND_##class, (read), (value) },
#include "cmd/find_words.def"
#undef WORD
};

const struct tsb_opt find_words[] = {
	TSB_OPT_WORD("-P", NULL, "links are not followed (the default); before the paths, as -L, -H, -O, -D"),
	TSB_OPT_WORD("-L", NULL, "links are followed"),
	TSB_OPT_WORD("-H", NULL, "only links among the starting points are followed"),
	TSB_OPT_WORD("-O", "LEVEL", "optimisation (the order of tests does not change here)"),
	TSB_OPT_WORD("-D", "OPTIONS", "diagnostics"),
	TSB_OPT_WORD("-newerXY", "REFERENCE",
		     "time X (a, B, c, m) is later than time Y (the same, or t: a date)"),
#define WORD(word, class, read, value, arg, help) TSB_OPT_WORD((word), (arg), (help)),
#include "cmd/find_words.def"
#undef WORD
	TSB_OPT_END
};

const struct find_row *find_row(const char *word)
{
	static const struct find_row newer_xy = { "newerXY", FIND_TEST, find_read_newer_xy, 0 };

	if (!strncmp(word, "-newer", 6) && strlen(word) == 8)
		return &newer_xy;
	word += *word == '-';
	for (size_t i = 0; i < sizeof(find_rows) / sizeof(*find_rows); i++) {
		const char *name = find_rows[i].name;

		if (!strcmp(name + (*name == '-'), word))
			return &find_rows[i];
	}
	return NULL;
}
