/*
 * find - search file trees for what an expression asks.
 *
 * Options of the walk may come late in the expression, so all of it is read
 * before the walk begins. Directories are visited in the order the filesystem
 * lists them.
 */
#include "cmd/find.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/opt.h"
#include "cmd/cmd.h"
#include "cmd/path.h"
#include "cmd/util.h"

void find_die(struct find *f, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	tsb_vwarn(f->p, 0, fmt, ap);
	va_end(ap);
	tsb_exit(f->p, 1);
}

void find_file_error(struct find *f, int err, const char *name)
{
	tsb_warn_errno(f->p, err, "%s", quote_text(f->p, name));
	f->status = 1;
}

bool find_following(const struct find *f)
{
	return f->follow == FIND_ALWAYS || (f->follow == FIND_OPERANDS && !f->e->depth);
}

bool find_stat(struct find *f)
{
	int err = f->e->kind == WALK_DANGLING ? 0 : walk_stat(f->walk, f->e);

	if (err)
		find_file_error(f, err, f->e->path);
	f->stat_failed |= err != 0;
	return !err;
}

int find_stat_named(struct find *f, const char *name, struct tsb_stat *st)
{
	int err = f->follow == FIND_NEVER ? -ENOENT : tsb_stat(f->p, name, st);

	return err == -ENOENT ? tsb_lstat(f->p, name, st) : err;
}

char *find_base(struct find *f, bool keep_slashes)
{
	return keep_slashes ? tsb_strdup(f->p, path_last(f->e->path)) : path_base(f->p, f->e->path);
}

/* ---- The walk ---- */

static void find_visit(struct find *f)
{
	if ((long)f->e->depth < f->min_depth)
		return;
	f->prune = false;
	find_evaluate(f);
	if (f->prune && f->e->kind == WALK_DIR)
		walk_skip(f->walk);
}

/* Names the ancestor that a link leads back to. */
static void find_say_loop(struct find *f)
{
	char *prefix = tsb_strdup(f->p, f->e->path);
	size_t i = strlen(f->start);
	struct tsb_stat st;

	for (; prefix[i]; i++) {
		prefix[i] = '\0';
		if (!tsb_stat(f->p, prefix, &st) && util_same_file(&st, &f->e->st))
			break;
		prefix[i] = f->e->path[i];
		while (prefix[i + 1] && prefix[i + 1] != '/')
			i++;
	}
	tsb_warn(f->p, "File system loop detected; %s is part of the same file system loop as %s.",
		 quote_text(f->p, f->e->path), quote_text(f->p, prefix));
	tsb_free(f->p, prefix);
	f->status = 1;
}

static void find_entry(struct find *f)
{
	struct walk_entry *e = f->e;

	switch (e->kind) {
	case WALK_DIR:
		if (f->max_depth >= 0 && (long)e->depth >= f->max_depth)
			walk_skip(f->walk);
		f->stat_failed = false;
		if (!f->depth_first)
			find_visit(f);
		/* What cannot be examined is said once, and not entered. */
		if (f->stat_failed)
			walk_skip(f->walk);
		break;
	case WALK_DIR_END:
		if (f->depth_first)
			find_visit(f);
		break;
	case WALK_UNREADABLE:
		find_file_error(f, e->error, e->path);
		if (f->depth_first)
			find_visit(f);
		break;
	case WALK_FILE: case WALK_DANGLING:
		find_visit(f);
		break;
	case WALK_CYCLE:
		find_say_loop(f);
		break;
	case WALK_NO_STAT:
		find_file_error(f, e->error, e->path);
		if (e->depth && e->error != -ELOOP)
			find_visit(f);
		break;
	}
}

static void find_walk(struct find *f, char *start)
{
	unsigned flags = WALK_LAZY;
	size_t level = SIZE_MAX;	/* what waits since the last starting point runs first */

	if (f->follow == FIND_ALWAYS)
		flags |= WALK_LOGICAL;
	else if (f->follow == FIND_OPERANDS)
		flags |= WALK_OPERANDS;
	if (f->one_fs)
		flags |= WALK_ONE_FS;
	f->start = start;
	f->walk = walk_open(f->p, 1, &start, flags | WALK_VERBATIM);
	while (!f->quit && (f->e = walk_next(f->walk))) {
		if (f->e->depth != level)
			find_exec_finish(f, true);
		level = f->e->depth;
		find_entry(f);
	}
}

/* ---- Starting points ---- */

static void find_walk_list(struct find *f)
{
	bool from_stdin = !strcmp(f->files0, "-");
	const char *name = from_stdin ? "(standard input)" : f->files0;
	struct tsb_stat names, answers;
	struct tsb_reader in;
	size_t n, number = 0;
	char *start;
	int fd = 0;

	if (!from_stdin)
		fd = tsb_open(f->p, f->files0, 0, 0);
	if (fd < 0) {
		tsb_warn_errno(f->p, fd, "cannot open %s for reading", quote_text(f->p, name));
		tsb_exit(f->p, 1);
	}
	if (!from_stdin && f->asks && !tsb_fstat(f->p, fd, &names) && !tsb_fstat(f->p, 0, &answers) &&
	    util_same_file(&names, &answers))
		find_die(f, "option -files0-from: standard input must not refer to the same file when "
			 "combined with -ok, -okdir: %s\n", quote_text(f->p, name));
	tsb_reader_init(&in, f->p, fd);
	while (!f->quit && (n = tsb_getdelim(&in, &start, '\0'))) {
		number++;
		if (*start) {
			find_walk(f, tsb_strndup(f->p, start, n));
			continue;
		}
		tsb_warn(f->p, "%s:%zu: invalid zero-length file name", quote_text(f->p, name),
			 number);
		f->status = 1;
	}
	if (in.error) {
		tsb_warn_errno(f->p, in.error, "%s: read error", quote_text(f->p, name));
		f->status = 1;
	}
}

static void find_walk_all(struct find *f, int from, int to)
{
	static char dot[] = ".";

	if (f->files0 && to > from) {
		tsb_warn(f->p, "extra operand %s", quote_text(f->p, f->argv[from]));
		find_die(f, "file operands cannot be combined with -files0-from");
	}
	if (f->files0)
		find_walk_list(f);
	else if (from == to)
		find_walk(f, dot);
	for (int i = from; i < to && !f->quit; i++)
		find_walk(f, f->argv[i]);
}

/* ---- Options before the starting points ---- */

static void find_level_option(struct find *f, const char *level)
{
	char *end;

	if (!*level)
		find_die(f, "The -O option must be immediately followed by a decimal integer");
	if (*level < '0' || *level > '9')
		find_die(f, "Please specify a decimal number immediately after -O");
	strtoul(level, &end, 10);
	if (*end)
		find_die(f, "Invalid optimisation level %s", level);
}

static void find_debug_help(struct find *f)
{
	static const char *const rows[][2] = {
		{ "exec", "Show diagnostic information relating to -exec, -execdir, -ok and -okdir" },
		{ "opt", "Show diagnostic information relating to optimisation" },
		{ "rates", "Indicate how often each predicate succeeded" },
		{ "search", "Navigate the directory tree verbosely" },
		{ "stat", "Trace calls to stat(2) and lstat(2)" },
		{ "time", "Show diagnostic information relating to time-of-day and timestamp "
		  "comparisons" },
		{ "tree", "Display the expression tree" },
		{ "all", "Set all of the debug flags (but help)" },
		{ "help", "Explain the various -D options" },
	};

	tsb_puts(f->p, "Valid arguments for -D:\n");
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++)
		tsb_printf(f->p, "%-10s %s\n", rows[i][0], rows[i][1]);
	tsb_exit(f->p, 0);
}

static void find_debug_option(struct find *f, const char *list)
{
	static const char known[] = " exec opt rates search stat time tree all help ";
	char *copy, *first, *word;
	bool help = false;

	if (!list) {
		tsb_usage(f->p, "Missing argument after the -D option.");
		tsb_exit(f->p, 1);
	}
	copy = first = tsb_strdup(f->p, list);
	while ((word = strsep(&copy, ","))) {
		help |= !strcmp(word, "help");
		/* The real one names the first word, whichever it means. */
		if (!*word || !strstr(known, tsb_format(f->p, " %s ", word)))
			tsb_warn(f->p, "Ignoring unrecognised debug flag %s",
				 quote_text(f->p, first));
	}
	if (help)
		find_debug_help(f);
}

static void find_leading_options(struct find *f)
{
	for (; f->at < f->argc; f->at++) {
		const char *arg = f->argv[f->at];

		if (!strcmp(arg, "-H")) {
			f->follow = FIND_OPERANDS;
		} else if (!strcmp(arg, "-L")) {
			f->follow = FIND_ALWAYS;
		} else if (!strcmp(arg, "-P")) {
			f->follow = FIND_NEVER;
		} else if (!strncmp(arg, "-O", 2)) {
			find_level_option(f, arg + 2);
		} else if (!strcmp(arg, "-D")) {
			find_debug_option(f, f->argv[++f->at]);
		} else {
			f->at += !strcmp(arg, "--");
			return;
		}
	}
}

static void find_init(struct find *f, struct tsb_proc *p, int argc, char **argv)
{
	static const int widths[6] = { 9, 6, 3, 8, 8, 8 };

	*f = (struct find){ .p = p, .argc = argc, .argv = argv, .max_depth = -1 };
	memcpy(f->widths, widths, sizeof(widths));
	zone_init(&f->zone, tsb_getenv(p, "TZ"));
	f->now = tsb_clock(p, TSB_CLOCK_REAL);
	f->day = f->now;
	f->day.sec -= 86400;
	f->warn = !tsb_getenv(p, "POSIXLY_CORRECT") && tsb_isatty(p, 0);
	f->regex = FIND_EMACS | FIND_EMACS_DOT;
}

static int find_run(struct tsb_proc *p, void *opts, int argc, char **argv)
{
	struct find *f = tsb_alloc(p, sizeof(*f));
	int from, to;

	(void)opts;
	find_init(f, p, argc, argv);
	find_leading_options(f);
	from = f->at;
	while (f->at < argc && !find_is_expression(argv[f->at], true))
		f->at++;
	to = f->at;
	find_parse(f);
	find_walk_all(f, from, to);
	find_exec_finish(f, false);
	find_out_end(f);
	return f->status;
}

const struct tsb_command cmd_find = {
	.version = TSB_COMMAND_VERSION, CMD_GNU("findutils", "4.9.0"), .name = "find",
	.synopsis = "[-H] [-L] [-P] [-Olevel] [-D debugopts] [path...] [expression]",
	.summary = "Walk file trees and print, or act on, the files an expression selects. The\n"
		   "default path is the current directory, the default expression -print.",
	.opts = find_words, .run = find_run, .flags = TSB_RAW | TSB_NO_HELP,
};
