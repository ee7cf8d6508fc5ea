/*
 * grep, egrep, fgrep - print lines that match patterns: operands and the walk
 * through directories. See grep.h for the other parts.
 */
#include "cmd/cmd.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/opt.h"
#include "base/str.h"
#include "cmd/grep.h"
#include "cmd/locale.h"
#include "cmd/util.h"
#include "cmd/walk.h"

/* ---- Patterns ---- */

static unsigned grep_regex_flags(const struct grep *g)
{
	unsigned utf8 = g->utf8 ? REGEX_UTF8 : 0, flags = REGEX_GREP | utf8;

	if (g->matcher == GREP_EXTENDED || g->matcher > GREP_PERL)
		flags |= REGEX_EXTENDED;
	if (g->matcher == GREP_PERL)
		flags = REGEX_PERL | utf8;
	if (g->matcher == GREP_FIXED)
		flags |= REGEX_LITERAL;
	if (g->icase)
		flags |= REGEX_ICASE;
	if (g->word && !g->line)
		flags |= REGEX_WORD;
	if (g->line)
		flags |= REGEX_LINE;
	if (g->zero)
		flags |= REGEX_NUL_LINES;
	return flags;
}

static void grep_tick(void *ctx, size_t steps)
{
	tsb_tick(ctx, steps / 64 + 1);
}

/* All patterns, a line each, as one expression. */
static int grep_compile(struct grep *g)
{
	struct str *s = g->patterns;
	size_t count = 0, cap = 0, cap_lens = 0;
	const char **at = NULL, *error = NULL, *warning;
	size_t *lens = NULL;

	if (!s->n) {
		/* No pattern at all matches nothing. */
		g->match_nothing = true;
		return 0;
	}
	for (size_t i = 0; i < s->n; ) {
		char *nl = memchr(s->p + i, '\n', s->n - i);

		at = util_grow(g->p, at, count, &cap, sizeof(*at));
		lens = util_grow(g->p, lens, count, &cap_lens, sizeof(*lens));
		at[count] = s->p + i;
		lens[count++] = (size_t)(nl - s->p) - i;
		i = (size_t)(nl - s->p) + 1;
	}
	if (g->matcher == GREP_PERL && count > 1) {
		grep_say(g->p, g, 0, "the -P option only supports a single pattern");
		return GREP_TROUBLE;
	}
	g->re = regex_compile_many(tsb_heap_of(g->p), at, lens, count, grep_regex_flags(g),
				   &error);
	if (!g->re) {
		grep_say(g->p, g, 0, "%s", error);
		return GREP_TROUBLE;
	}
	for (size_t i = 0; (warning = regex_warning(g->re, i)); i++)
		grep_say(g->p, g, 0, "warning: %s", warning);
	regex_on_tick(g->re, grep_tick, g->p);
	return 0;
}

/* ---- Files ---- */

static void grep_file_error(struct grep *g, int err)
{
	if (!g->quiet_errors)
		grep_warn(g, err, g->name);
	g->trouble = true;
}

/* Would reading it never end, because each line found makes it longer? */
static bool grep_is_output(struct grep *g, int fd, const struct tsb_stat *st)
{
	if (g->silent || g->list || g->max_count <= 1 || !g->out_known || !S_ISREG(st->mode) ||
	    !util_same_file(st, &g->out))
		return false;
	/* At its end there is nothing to read. */
	return !(fd == 0 && tsb_lseek(g->p, 0, 0, SEEK_CUR) == (int64_t)st->size);
}

static bool grep_device_skipped(const struct grep *g, uint32_t mode, bool command_line)
{
	if (g->devices == GREP_DEV_READ || (g->devices == GREP_DEV_COMMAND_LINE && command_line))
		return false;
	return S_ISCHR(mode) || S_ISBLK(mode) || S_ISSOCK(mode) || S_ISFIFO(mode);
}

/* 0: a line was selected. */
static int grep_open_file(struct grep *g, int fd, const struct tsb_stat *st)
{
	int64_t n;
	int status;

	if (grep_is_output(g, fd, st)) {
		if (!g->quiet_errors)
			grep_warn(g, 0, tsb_format(g->p, "%s: input file is also the output",
						   g->name));
		g->trouble = true;
		return 1;
	}
	n = grep_search(g, fd, st);
	if (g->count)
		grep_print_count(g, n);
	status = !n;
	if (g->list == (status ? 'L' : 'l')) {
		grep_print_name(g);
		sink_putc(&g->sink, g->null_name ? '\0' : '\n');
		if (g->line_buffered) {
			sink_flush(&g->sink);
			tsb_flush(g->p);
		}
	}
	if (g->quiet && n) {
		sink_flush(&g->sink);
		tsb_exit(g->p, 0);
	}
	return status;
}

/* A file by name: found in a directory, or given. */
/* Without operands the "./" before each name is ours. */
static const char *grep_shown(const struct grep *g, const char *path)
{
	return g->omit_dot && !strncmp(path, "./", 2) ? path + 2 : path;
}

static int grep_path(struct grep *g, const char *path, bool command_line)
{
	struct tsb_stat st;
	int fd, err, status = 1;

	g->name = grep_shown(g, path);
	fd = tsb_open(g->p, path, O_RDONLY | O_CLOEXEC |
		      (g->devices == GREP_DEV_SKIP || !command_line ? O_NONBLOCK : 0), 0);
	if (fd < 0) {
		grep_file_error(g, fd);
		return 1;
	}
	err = tsb_fstat(g->p, fd, &st);
	if (err)
		grep_file_error(g, err);
	else if (!grep_device_skipped(g, st.mode, command_line) &&
		 !(S_ISDIR(st.mode) && g->dirs == GREP_DIR_SKIP))
		status = grep_open_file(g, fd, &st);
	tsb_close(g->p, fd);
	return status;
}

static int grep_stdin(struct grep *g)
{
	struct tsb_stat st;
	int err = tsb_fstat(g->p, 0, &st);

	g->name = g->label ? g->label : "(standard input)";
	if (err) {
		grep_file_error(g, err);
		return 1;
	}
	return grep_open_file(g, 0, &st);	/* -D does not mean standard input */
}

/* ---- Directories ---- */

static int grep_entry(struct grep *g, struct walk *w, struct walk_entry *e)
{
	bool command_line = e->depth == 0, dir = e->kind == WALK_DIR || e->kind == WALK_CYCLE ||
						 e->kind == WALK_UNREADABLE;

	/* What is left out is not complained about, either. */
	if (e->kind != WALK_DIR && e->kind != WALK_DIR_END &&
	    grep_skips(g, command_line ? e->path : e->name, command_line, dir))
		return 1;
	switch (e->kind) {
	case WALK_DIR:
		if (grep_skips(g, command_line ? e->path : e->name, command_line, true)) {
			walk_skip(w);
			e->number = 1;
		}
		return 1;
	case WALK_DIR_END:
		return 1;
	case WALK_CYCLE:
		if (!g->quiet_errors)
			grep_warn(g, 0, tsb_format(g->p, "%s: warning: recursive directory loop",
						   grep_shown(g, e->path)));
		return 1;
	case WALK_UNREADABLE:
	case WALK_NO_STAT:
		g->name = grep_shown(g, e->path);
		grep_file_error(g, e->error);
		return 1;
	case WALK_DANGLING:
	case WALK_FILE:
		break;
	}
	if (S_ISLNK(e->st.mode) && !command_line && !g->follow)
		return 1;
	if (!command_line && grep_device_skipped(g, e->st.mode, false))
		return 1;
	return grep_path(g, e->path, command_line);
}

static int grep_tree(struct grep *g, char *name)
{
	char *operand[] = { name, NULL };
	struct walk *w = walk_open(g->p, 1, operand, WALK_LAZY |
				   (g->follow ? WALK_LOGICAL : WALK_OPERANDS));
	struct walk_entry *e;
	int status = 1;

	while ((e = walk_next(w)) && !tsb_out_error(g->p))
		status &= grep_entry(g, w, e);
	return status;
}

static int grep_operand(struct grep *g, char *name, bool several)
{
	struct tsb_stat st;
	bool dir, looks, missing;

	g->show_name = g->with_name > 0 || (!g->with_name && several);
	if (input_is_stdin(name))
		return grep_stdin(g);
	looks = g->dirs != GREP_DIR_READ || g->globs[1].n || g->dir_globs[1].n;
	missing = looks && tsb_stat(g->p, name, &st);
	dir = looks && !missing && S_ISDIR(st.mode);
	if (dir && g->dirs == GREP_DIR_RECURSE) {
		g->show_name = g->with_name >= 0;
		return grep_tree(g, name);
	}
	/* What is not there is said before it can be left out. */
	if (!missing && grep_skips(g, name, true, dir))
		return 1;
	return grep_path(g, name, true);
}

/* ---- The whole ---- */

/* Is the output /dev/null? Then the first match of a file is enough, and what is binary is no matter. */
static bool grep_unheard(struct grep *g)
{
	struct tsb_stat st;

	return S_ISCHR(g->out.mode) && !tsb_stat(g->p, "/dev/null", &st) && st.dev == g->out.dev &&
	       st.ino == g->out.ino;
}

static void grep_settle(struct grep *g)
{
	if (g->context >= 0) {
		g->after = g->after < 0 ? g->context : g->after;
		g->before = g->before < 0 ? g->context : g->before;
	}
	g->eol = g->zero ? '\0' : '\n';
	if (g->quiet)
		g->count = false, g->list = 0;
	if (g->list)
		g->count = false;
	g->silent = g->count || g->quiet || g->list;
	g->done_early = g->quiet || g->list;
	if (g->match_nothing)
		g->word = g->line = false;
	g->out_known = !tsb_fstat(g->p, 1, &g->out);
	if (g->out_known && grep_unheard(g))
		g->silent = g->done_early = true;
	sink_init(&g->sink, g->p);
	grep_colors_init(g);
}

static int grep_all(struct grep *g, int argc, char **argv)
{
	static char dash[] = "-", dot[] = ".";
	int status = 1;

	if (!argc) {
		bool tree = g->dirs == GREP_DIR_RECURSE;

		g->omit_dot = tree;
		status = grep_operand(g, tree ? dot : dash, false);
	}
	for (int i = 0; i < argc && !tsb_out_error(g->p); i++)
		status &= grep_operand(g, argv[i], argc > 1);
	sink_flush(&g->sink);
	if (util_write_failed(g->p))
		return GREP_TROUBLE;
	return g->trouble ? GREP_TROUBLE : status;
}

static int grep_start(struct tsb_proc *p, struct grep *g, int argc, char **argv)
{
	bool empty;
	int status;

	g->p = p;
	g->utf8 = locale_utf8(p);
	if (!g->any_pattern) {
		if (!argc)
			return grep_usage(p, g);
		g->patterns = tsb_alloc(p, sizeof(*g->patterns));
		str_init(g->patterns, tsb_heap_of(p), STR_MAX_DEFAULT);
		str_adds(g->patterns, *argv++);
		str_addc(g->patterns, '\n');
		argc--;
	}
	/* The empty pattern is in every line, so that -v selects none. */
	empty = g->patterns->n == 1 && !g->line && !g->word;
	if ((!g->max_count || (g->invert ? empty : !g->patterns->n)) && g->list != 'L')
		return 1;	/* nothing can be selected: no file is opened */
	status = grep_compile(g);
	if (status)
		return status;
	grep_settle(g);
	return grep_all(g, argc, argv);
}

static int grep_run_as(struct tsb_proc *p, const struct tsb_command *cmd, int matcher, int argc,
		       char **argv)
{
	struct tsb_command plain = *cmd;
	struct grep defaults = grep_defaults;
	struct opt_parsed o;
	struct str text;
	char **all = tsb_alloc(p, ((size_t)argc + 2) * sizeof(*all));

	/* As if the script had called grep -E. */
	if (matcher != GREP_BASIC) {
		defaults.matcher = matcher;
		defaults.matcher_set = true;
		defaults.prog = "grep";
	}
	plain.defaults = &defaults;
	plain.flags &= ~(unsigned)TSB_RAW;
	if (tsb_getenv(p, "POSIXLY_CORRECT"))
		plain.flags |= TSB_OPERAND_ENDS;
	all[0] = tsb_strdup(p, tsb_name(p));
	memcpy(all + 1, argv, (size_t)argc * sizeof(*all));
	opt_parse(&o, &plain, tsb_heap_of(p), p, argc + 1, all);
	str_init(&text, tsb_heap_of(p), STR_MAX_DEFAULT);
	switch (o.result) {
	case OPT_RUN:
		if (!((struct grep *)o.opts)->show_help)
			return grep_start(p, o.opts, o.argc, o.argv);
		opt_help(&text, cmd, "grep");
		break;
	case OPT_BAD:
		grep_say(p, o.opts, 0, "%s", o.error.p);
		return grep_usage(p, o.opts);
	case OPT_STOP:
		return o.status;
	case OPT_HELP:
		opt_help(&text, cmd, "grep");
		break;
	case OPT_VERSION:
		opt_version(&text, cmd, "grep");
		break;
	}
	tsb_put(p, text.p, text.n);
	return 0;
}

static int grep_run(struct tsb_proc *p, void *opts, int argc, char **argv)
{
	(void)opts;
	return grep_run_as(p, &cmd_grep, GREP_BASIC, argc, argv);
}

static int egrep_run(struct tsb_proc *p, void *opts, int argc, char **argv)
{
	(void)opts;
	return grep_run_as(p, &cmd_egrep, GREP_EXTENDED, argc, argv);
}

static int fgrep_run(struct tsb_proc *p, void *opts, int argc, char **argv)
{
	(void)opts;
	return grep_run_as(p, &cmd_fgrep, GREP_FIXED, argc, argv);
}

/* A script of Debian's: grep itself speaks. */
static int rgrep_run(struct tsb_proc *p, void *opts, int argc, char **argv)
{
	const char **words = tsb_alloc(p, ((size_t)argc + 3) * sizeof(*words));
	struct tsb_spawn how = { .size = sizeof(how), .argv = words };

	(void)opts;
	words[0] = "grep";
	words[1] = "-r";
	for (int i = 0; i < argc; i++)
		words[i + 2] = argv[i];
	tsb_warn_errno(p, tsb_exec(p, &how), "grep");
	return 126;
}

#define GREP_COMMAND .version = TSB_COMMAND_VERSION, CMD_GNU("grep", "3.8"), \
	.synopsis = "[OPTION]... PATTERNS [FILE]...", .opts = grep_opts, \
	.opts_size = sizeof(struct grep), .flags = TSB_RAW, .usage_status = GREP_TROUBLE

const struct tsb_command cmd_grep = {
	GREP_COMMAND, .name = "grep", .run = grep_run,
	.summary = "Search for PATTERNS in each FILE.",
};

const struct tsb_command cmd_egrep = {
	GREP_COMMAND, .name = "egrep", .run = egrep_run,
	.summary = "Search for PATTERNS, extended regular expressions, in each FILE.",
};

const struct tsb_command cmd_fgrep = {
	GREP_COMMAND, .name = "fgrep", .run = fgrep_run,
	.summary = "Search for PATTERNS, plain strings, in each FILE.",
};

const struct tsb_command cmd_rgrep = {
	GREP_COMMAND, .name = "rgrep", .run = rgrep_run,
	.summary = "Search for PATTERNS in each FILE, in directories recursively.",
};
