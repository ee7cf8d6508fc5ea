/*
 * The options of ls, dir and vdir, and what they mean together with the
 * environment (COLUMNS, TABSIZE, QUOTING_STYLE, TIME_STYLE, the block sizes).
 */
#include "cmd/ls.h"

#include <errno.h>
#include <string.h>

#include "base/num.h"
#include "cmd/util.h"
#include "text/pattern.h"

enum { LS_WHEN_NEVER, LS_WHEN_ALWAYS, LS_WHEN_TTY };

static const struct util_word ls_when_words[] = {
	{ "always", LS_WHEN_ALWAYS }, { "yes", LS_WHEN_ALWAYS }, { "force", LS_WHEN_ALWAYS },
	{ "never", LS_WHEN_NEVER }, { "no", LS_WHEN_NEVER }, { "none", LS_WHEN_NEVER },
	{ "auto", LS_WHEN_TTY }, { "tty", LS_WHEN_TTY }, { "if-tty", LS_WHEN_TTY },
	{ NULL, 0 },
};

/* The options with WHEN. */
static int ls_set_when(struct tsb_proc *p, void *opts, const struct tsb_opt *opt, const char *arg)
{
	int when = LS_WHEN_ALWAYS, status = 0;
	struct ls *ls = opts;
	bool on;

	if (arg)
		status = util_word(p, opt->value == 'c' ? "--color" : opt->value == 'h' ?
				   "--hyperlink" : "--classify", arg, ls_when_words, &when);
	if (status)
		return status;
	on = when == LS_WHEN_ALWAYS || (when == LS_WHEN_TTY && tsb_isatty(p, 1));
	if (opt->value == 'c')
		ls->color = on;
	else if (opt->value == 'h')
		ls->hyperlink = on;
	else if (on)
		ls->indicator = LS_CLASSIFY;
	return 0;
}

/* The options with a word. */
static int ls_set_word(struct tsb_proc *p, void *opts, const struct tsb_opt *opt, const char *arg)
{
	static const struct util_word sorts[] = {
		{ "none", LS_UNSORTED }, { "time", LS_BY_TIME }, { "size", LS_BY_SIZE },
		{ "extension", LS_BY_EXTENSION }, { "version", LS_BY_VERSION },
		{ "width", LS_BY_WIDTH }, { NULL, 0 },
	};
	static const struct util_word times[] = {
		{ "atime", LS_ATIME }, { "access", LS_ATIME }, { "use", LS_ATIME },
		{ "ctime", LS_CTIME }, { "status", LS_CTIME },
		{ "birth", LS_BTIME }, { "creation", LS_BTIME }, { NULL, 0 },
	};
	static const struct util_word formats[] = {
		{ "verbose", LS_LONG }, { "long", LS_LONG }, { "commas", LS_COMMAS },
		{ "horizontal", LS_ACROSS }, { "across", LS_ACROSS },
		{ "vertical", LS_COLUMNS }, { "single-column", LS_ONE }, { NULL, 0 },
	};
	static const struct util_word indicators[] = {
		{ "none", LS_NO_INDICATOR }, { "slash", LS_SLASH },
		{ "file-type", LS_FILE_TYPE }, { "classify", LS_CLASSIFY }, { NULL, 0 },
	};
	static const struct util_word quotings[] = {
		{ "literal", QUOTE_LITERAL }, { "shell", QUOTE_SHELL },
		{ "shell-always", QUOTE_SHELL_ALWAYS }, { "shell-escape", QUOTE_SHELL_ESCAPE },
		{ "shell-escape-always", QUOTE_SHELL_ESCAPE_ALWAYS }, { "c", QUOTE_C },
		{ "c-maybe", QUOTE_C_MAYBE }, { "escape", QUOTE_ESCAPE },
		{ "locale", QUOTE_LOCALE }, { "clocale", QUOTE_CLOCALE }, { NULL, 0 },
	};
	struct ls *ls = opts;

	switch (opt->value) {
	case 's': return util_word(p, "--sort", arg, sorts, &ls->sort);
	case 't':
		ls->explicit_time = true;
		return util_word(p, "--time", arg, times, &ls->time);
	case 'f': return util_word(p, "--format", arg, formats, &ls->format);
	case 'i': return util_word(p, "--indicator-style", arg, indicators, &ls->indicator);
	default: return util_word(p, "--quoting-style", arg, quotings, &ls->quoting);
	}
}

static int ls_set_block_size(struct tsb_proc *p, void *opts, const struct tsb_opt *opt,
			     const char *arg)
{
	struct ls *ls = opts;
	enum human_result r = HUMAN_OK;

	if (opt->value == 'h')
		ls->block = (struct human){ HUMAN_AUTOSCALE | HUMAN_UNIT | HUMAN_1024, 1 };
	else if (opt->value == 's')
		ls->block = (struct human){ HUMAN_AUTOSCALE | HUMAN_UNIT, 1 };
	else
		r = human_parse(p, arg, &ls->block);
	ls->file_block = ls->block;
	ls->have_human = true;
	if (!r)
		return 0;
	human_complain(p, r, "--block-size", arg);
	return 2;
}

/* As C's strtoumax() with base 0 has it, and nothing behind. NUM_RANGE: too large. */
static enum num_result ls_number(const char *s, int64_t *v)
{
	uint64_t base = 10, n = 0;
	bool large = false;

	s += strspn(s, " \t\n\v\f\r");
	s += *s == '+';
	if (*s == '0' && (s[1] | 32) == 'x') {
		base = 16;
		s += 2;
	} else if (*s == '0') {
		base = 8;
	}
	if (!*s)
		return NUM_INVALID;
	for (; *s; s++) {
		uint64_t d = *s >= '0' && *s <= '9' ? (uint64_t)(*s - '0')
			   : (*s | 32) >= 'a' && (*s | 32) <= 'f' ? (uint64_t)((*s | 32) - 'a' + 10)
			   : 99;

		if (d >= base)
			return NUM_INVALID;
		large |= __builtin_mul_overflow(n, base, &n) || __builtin_add_overflow(n, d, &n);
	}
	if (large || n > INT64_MAX)
		return NUM_RANGE;
	*v = (int64_t)n;
	return NUM_OK;
}

/* A line that is too long to count is one without limit. */
static bool ls_line_width(const char *s, int64_t *v)
{
	enum num_result r = ls_number(s, v);

	if (r == NUM_RANGE)
		*v = 0;
	return r != NUM_INVALID;
}

static int ls_set_number(struct tsb_proc *p, void *opts, const struct tsb_opt *opt,
			 const char *arg)
{
	struct ls *ls = opts;
	enum num_result r;

	if (opt->value == 'w') {
		if (ls_line_width(arg, &ls->width))
			return 0;
		tsb_warn(p, "invalid line width: %s", quote_text(p, arg));
		return 2;
	}
	r = ls_number(arg, &ls->tab);
	if (r == NUM_RANGE)
		tsb_warn_errno(p, EOVERFLOW, "invalid tab size: %s", quote_text(p, arg));
	else if (r)
		tsb_warn(p, "invalid tab size: %s", quote_text(p, arg));
	return r ? 2 : 0;
}

/* Letters that set several things. */
static int ls_set_bundle(struct tsb_proc *p, void *opts, const struct tsb_opt *opt,
			 const char *arg)
{
	struct ls *ls = opts;

	(void)p;
	(void)arg;
	switch (opt->value) {
	case 'A':
		ls->ignore = LS_IGNORE_DOT_DIRS;
		break;
	case 'c':
	case 'u':
		ls->time = opt->value == 'c' ? LS_CTIME : LS_ATIME;
		ls->explicit_time = true;
		break;
	case 'f':
		ls->ignore = LS_IGNORE_NONE;
		ls->sort = LS_UNSORTED;
		if (ls->format == LS_LONG)
			ls->format = -1;
		ls->color = ls->hyperlink = ls->blocks = false;
		break;
	case 'g':
		ls->format = LS_LONG;
		ls->owner = false;
		break;
	case 'G':
		ls->group = false;
		break;
	case 'n':
		ls->format = LS_LONG;
		ls->numeric = true;
		break;
	case 'o':
		ls->format = LS_LONG;
		ls->group = false;
		break;
	case '1':
		if (ls->format != LS_LONG)
			ls->format = LS_ONE;
		break;
	case 'F':
		ls->format = LS_LONG;
		ls->time_style = "full-iso";
		break;
	case 'z':
		ls->eol = '\0';
		ls->hide_control = 0;
		if (ls->format != LS_LONG)
			ls->format = LS_ONE;
		ls->color = false;
		ls->quoting = QUOTE_LITERAL;
		break;
	}
	return 0;
}

#define LS_FLAG(field, s, l, h) TSB_OPT_FLAG(struct ls, field, s, l, h)
#define LS_SET(field, v, s, l, h) TSB_OPT_SET(struct ls, field, v, s, l, h)
#define LS_BUNDLE(v, s, l, h) TSB_OPT_CALL(ls_set_bundle, v, s, l, NULL, h)

const struct tsb_opt ls_opts[] = {
	LS_SET(ignore, LS_IGNORE_NONE, 'a', "all", "do not ignore entries starting with ."),
	LS_SET(quoting, QUOTE_ESCAPE, 'b', "escape",
	       "print C-style escapes for nongraphic characters"),
	LS_FLAG(immediate, 'd', "directory", "list directories themselves, not their contents"),
	LS_FLAG(dired, 'D', "dired", "generate output designed for Emacs' dired mode"),
	LS_BUNDLE('F', 0, "full-time", "like -l --time-style=full-iso"),
	LS_FLAG(dirs_first, 0, "group-directories-first",
		"group directories before files; can be augmented with a --sort option, but any "
		"use of --sort=none (-U) disables grouping"),
	TSB_OPT_CALL(ls_set_block_size, 'h', 'h', "human-readable", NULL,
		     "with -l and -s, print sizes like 1K 234M 2G etc."),
	LS_FLAG(inode, 'i', "inode", "print the index number of each file"),
	LS_FLAG(kibibytes, 'k', "kibibytes",
		"default to 1024-byte blocks for file system usage; used only with -s and per "
		"directory totals"),
	LS_BUNDLE('n', 'n', "numeric-uid-gid", "like -l, but list numeric user and group IDs"),
	LS_BUNDLE('G', 'G', "no-group", "in a long listing, don't print group names"),
	LS_SET(hide_control, 1, 'q', "hide-control-chars", "print ? instead of nongraphic characters"),
	LS_FLAG(reverse, 'r', "reverse", "reverse order while sorting"),
	LS_FLAG(blocks, 's', "size", "print the allocated size of each file, in blocks"),
	TSB_OPT_CALL(ls_set_number, 'w', 'w', "width", "COLS",
		     "set output width to COLS.  0 means no limit"),
	LS_BUNDLE('A', 'A', "almost-all", "do not list implied . and .."),
	LS_FLAG(ignore_backups, 'B', "ignore-backups", "do not list implied entries ending with ~"),
	TSB_OPT_CALL_OPT(ls_set_when, 'F', 0, "classify", "WHEN",
			 "append indicator (one of */=>@|) to entries WHEN"),
	LS_SET(indicator, LS_CLASSIFY, 'F', NULL, "the same, always"),
	LS_SET(indicator, LS_FILE_TYPE, 0, "file-type", "likewise, except do not append '*'"),
	TSB_OPT_CALL(ls_set_block_size, 's', 0, "si", NULL,
		     "like -h, but use powers of 1000 not 1024"),
	LS_SET(deref, LS_DEREF_OPERANDS, 'H', "dereference-command-line",
	       "follow symbolic links listed on the command line"),
	LS_SET(deref, LS_DEREF_OPERAND_DIRS, 0, "dereference-command-line-symlink-to-dir",
	       "follow each command line symbolic link that points to a directory"),
	TSB_OPT_LIST(struct ls, hide_patterns, 0, "hide", "PATTERN",
		     "do not list implied entries matching shell PATTERN (overridden by -a or -A)"),
	TSB_OPT_LIST(struct ls, ignore_patterns, 'I', "ignore", "PATTERN",
		     "do not list implied entries matching shell PATTERN"),
	TSB_OPT_CALL(ls_set_word, 'i', 0, "indicator-style", "WORD",
		     "append indicator with style WORD to entry names: none (default), slash "
		     "(-p), file-type (--file-type), classify (-F)"),
	LS_SET(indicator, LS_SLASH, 'p', NULL, "append / indicator to directories"),
	LS_SET(deref, LS_DEREF_ALWAYS, 'L', "dereference",
	       "when showing file information for a symbolic link, show information for the file "
	       "the link references rather than for the link itself"),
	LS_SET(quoting, QUOTE_LITERAL, 'N', "literal", "print entry names without quoting"),
	LS_SET(quoting, QUOTE_C, 'Q', "quote-name", "enclose entry names in double quotes"),
	TSB_OPT_CALL(ls_set_word, 'q', 0, "quoting-style", "WORD",
		     "use quoting style WORD for entry names: literal, locale, shell, "
		     "shell-always, shell-escape, shell-escape-always, c, escape (overrides "
		     "QUOTING_STYLE environment variable)"),
	LS_FLAG(recursive, 'R', "recursive", "list subdirectories recursively"),
	TSB_OPT_CALL(ls_set_word, 'f', 0, "format", "WORD",
		     "across -x, commas -m, horizontal -x, long -l, single-column -1, verbose -l, "
		     "vertical -C"),
	LS_SET(hide_control, 0, 0, "show-control-chars",
	       "show nongraphic characters as-is (the default, unless program is 'ls' and output "
	       "is a terminal)"),
	TSB_OPT_CALL(ls_set_word, 's', 0, "sort", "WORD",
		     "sort by WORD instead of name: none (-U), size (-S), time (-t), version (-v), "
		     "extension (-X), width"),
	TSB_OPT_CALL(ls_set_number, 'T', 'T', "tabsize", "COLS",
		     "assume tab stops at each COLS instead of 8"),
	TSB_OPT_CALL(ls_set_word, 't', 0, "time", "WORD",
		     "change the default of using modification times; access time (-u): atime, "
		     "access, use; change time (-c): ctime, status; birth time: birth, creation"),
	TSB_OPT_STR(struct ls, time_style, 0, "time-style", "TIME_STYLE",
		    "time/date format with -l: full-iso, long-iso, iso, locale, or +FORMAT"),
	LS_BUNDLE('z', 0, "zero", "end each output line with NUL, not newline"),
	TSB_OPT_CALL_OPT(ls_set_when, 'c', 0, "color", "WHEN",
			 "color the output WHEN: always (default), auto, never"),
	TSB_OPT_CALL_OPT(ls_set_when, 'h', 0, "hyperlink", "WHEN", "hyperlink file names WHEN"),
	TSB_OPT_CALL(ls_set_block_size, 'b', 0, "block-size", "SIZE",
		     "with -l, scale sizes by SIZE when printing them; e.g., '--block-size=M'"),
	LS_FLAG(context, 'Z', "context", "print any security context of each file"),
	LS_FLAG(author, 0, "author", "with -l, print the author of each file"),
	LS_BUNDLE('c', 'c', NULL,
		  "with -lt: sort by, and show, ctime (time of last modification of file status "
		  "information); with -l: show ctime and sort by name; otherwise: sort by ctime, "
		  "newest first"),
	LS_SET(format, LS_COLUMNS, 'C', NULL, "list entries by columns"),
	LS_BUNDLE('f', 'f', NULL, "list all entries in directory order"),
	LS_BUNDLE('g', 'g', NULL, "like -l, but do not list owner"),
	LS_SET(format, LS_LONG, 'l', NULL, "use a long listing format"),
	LS_SET(format, LS_COMMAS, 'm', NULL, "fill width with a comma separated list of entries"),
	LS_BUNDLE('o', 'o', NULL, "like -l, but do not list group information"),
	LS_SET(sort, LS_BY_SIZE, 'S', NULL, "sort by file size, largest first"),
	LS_SET(sort, LS_BY_TIME, 't', NULL, "sort by time, newest first; see --time"),
	LS_BUNDLE('u', 'u', NULL,
		  "with -lt: sort by, and show, access time; with -l: show access time and sort by "
		  "name; otherwise: sort by access time, newest first"),
	LS_SET(sort, LS_UNSORTED, 'U', NULL, "do not sort; list entries in directory order"),
	LS_SET(sort, LS_BY_VERSION, 'v', NULL, "natural sort of (version) numbers within text"),
	LS_SET(format, LS_ACROSS, 'x', NULL, "list entries by lines instead of by columns"),
	LS_SET(sort, LS_BY_EXTENSION, 'X', NULL, "sort alphabetically by entry extension"),
	LS_BUNDLE('1', '1', NULL, "list one file per line"),
	TSB_OPT_END
};

const struct ls ls_defaults = {
	.format = -1, .sort = -1, .quoting = -1, .hide_control = -1,
	.owner = true, .group = true, .width = -1, .tab = -1, .eol = '\n',
};

/* ---- What it means together ---- */

/* -l's sizes are bytes unless a size was asked for; -s counts in blocks. */
static void settle_block_size(struct ls *ls)
{
	const char *env = tsb_getenv(ls->p, "LS_BLOCK_SIZE");

	if (ls->have_human)
		return;
	ls->file_block = (struct human){ 0, 1 };
	human_parse(ls->p, env, &ls->block);
	if (env || tsb_getenv(ls->p, "BLOCK_SIZE"))
		ls->file_block = ls->block;
	if (ls->kibibytes)
		ls->block = (struct human){ 0, 1024 };
}

static void settle_width(struct ls *ls)
{
	struct tsb_winsize size;
	const char *env;

	if (ls->width < 0 && (ls->format >= LS_COLUMNS || ls->color) && !tsb_get_winsize(ls->p, 1, &size) &&
	    size.columns)
		ls->width = size.columns;
	if (ls->width < 0 && (ls->format >= LS_COLUMNS || ls->color)) {
		env = tsb_getenv(ls->p, "COLUMNS");
		if (env && *env && !ls_line_width(env, &ls->width))
			tsb_warn(ls->p, "ignoring invalid width in environment variable COLUMNS: %s",
				 quote_text(ls->p, env));
	}
	if (ls->width < 0)
		ls->width = 80;
	if (ls->tab >= 0 || ls->format < LS_COLUMNS)
		return;
	env = tsb_getenv(ls->p, "TABSIZE");
	if (env && ls_number(env, &ls->tab) != NUM_OK)
		tsb_warn(ls->p, "ignoring invalid tab size in environment variable TABSIZE: %s",
			 quote_text(ls->p, env));
	if (ls->tab < 0)
		ls->tab = 8;
}

static void settle_quoting(struct ls *ls, bool tty)
{
	const char *env = tsb_getenv(ls->p, "QUOTING_STYLE");
	enum quote_style style;
	bool across = ls->format == LS_COLUMNS || ls->format == LS_ACROSS;

	if (ls->hide_control < 0)
		ls->hide_control = ls->mode == LS_LS && tty;
	if (ls->quoting < 0 && env && quote_style_named(env, &style))
		ls->quoting = (int)style;
	else if (ls->quoting < 0 && env)
		tsb_warn(ls->p, "ignoring invalid value of environment variable QUOTING_STYLE: %s",
			 quote_text(ls->p, env));
	if (ls->quoting < 0)
		ls->quoting = ls->mode != LS_LS ? QUOTE_ESCAPE
			    : tty ? QUOTE_SHELL_ESCAPE : QUOTE_LITERAL;
	ls->align_quotes = (ls->format == LS_LONG || (across && ls->width)) &&
			   (ls->quoting == QUOTE_SHELL || ls->quoting == QUOTE_SHELL_ESCAPE ||
			    ls->quoting == QUOTE_C_MAYBE);
	ls->name_extra = tsb_format(ls->p, "%s%s", ls->quoting == QUOTE_ESCAPE ? " " : "",
				    ls->indicator == LS_CLASSIFY ? "=>@|"
				    : ls->indicator == LS_FILE_TYPE ? "*=>@|" : "");
}

static const struct { const char *name, *old, *recent; } settle_styles[] = {
	{ "full-iso", "%Y-%m-%d %H:%M:%S.%N %z", "%Y-%m-%d %H:%M:%S.%N %z" },
	{ "long-iso", "%Y-%m-%d %H:%M", "%Y-%m-%d %H:%M" },
	{ "iso", "%Y-%m-%d ", "%m-%d %H:%M" },
	{ "locale", "%b %e  %Y", "%b %e %H:%M" },
};
enum { SETTLE_STYLES = 4 };

/* Not util_word(), because the list of what is valid has more in it. */
static int settle_bad_style(struct ls *ls, const char *style, bool ambiguous)
{
	static const char valid[] = "Valid arguments are:\n"
		"  - [posix-]full-iso\n  - [posix-]long-iso\n  - [posix-]iso\n"
		"  - [posix-]locale\n"
		"  - +FORMAT (e.g., +%H:%M) for a 'date'-style format\n";

	tsb_warn(ls->p, "%s argument %s for %s", ambiguous ? "ambiguous" : "invalid",
		 quote_text(ls->p, style), quote_text(ls->p, "time style"));
	tsb_write_all(ls->p, 2, valid, sizeof(valid) - 1);
	return tsb_usage(ls->p, NULL);
}

/* +FORMAT, or +OLD newline RECENT. */
static int settle_time_format(struct ls *ls, const char *format)
{
	const char *nl = strchr(format, '\n');

	ls->time_format[0] = ls->time_format[1] = format;
	if (!nl)
		return 0;
	if (strchr(nl + 1, '\n')) {
		tsb_warn(ls->p, "invalid time style format %s", quote_text(ls->p, format));
		return 2;
	}
	ls->time_format[0] = tsb_strndup(ls->p, format, (size_t)(nl - format));
	ls->time_format[1] = nl + 1;
	return 0;
}

static int settle_time_style(struct ls *ls)
{
	const char *style = ls->time_style;
	int found = -1, n_found = 0;

	if (!style)
		style = tsb_getenv(ls->p, "TIME_STYLE");
	if (!style)
		style = "locale";
	while (!strncmp(style, "posix-", 6))
		style += 6;
	if (*style == '+')
		return settle_time_format(ls, style + 1);
	for (int i = 0; i < SETTLE_STYLES; i++)
		if (!strncmp(settle_styles[i].name, style, strlen(style))) {
			found = i;
			n_found++;
		}
	if (n_found != 1)
		return settle_bad_style(ls, style, n_found);
	ls->time_format[0] = settle_styles[found].old;
	ls->time_format[1] = settle_styles[found].recent;
	return 0;
}

static struct pattern **settle_patterns(struct ls *ls, const struct tsb_list *list, bool backups)
{
	struct pattern **all = tsb_alloc(ls->p, (list->n + 3) * sizeof(*all));
	struct tsb_heap *heap = tsb_heap_of(ls->p);
	size_t n = 0;

	for (size_t i = 0; i < list->n; i++)
		all[n++] = pattern_compile(heap, list->at[i], strlen(list->at[i]), PATTERN_PERIOD);
	if (backups) {
		all[n++] = pattern_compile(heap, "*~", 2, PATTERN_PERIOD);
		all[n++] = pattern_compile(heap, ".*~", 3, PATTERN_PERIOD);
	}
	return all;
}

static void settle_needs(struct ls *ls)
{
	if (ls->color)
		ls_color_parse(ls);
	if (ls->color)
		ls->tab = 0;
	if (ls->dirs_first)
		ls->check_links = true;
	else if (ls->color)
		ls->check_links = ls_is_colored(ls, LS_C_ORPHAN) ||
				  (ls_is_colored(ls, LS_C_EXEC) && ls->link_as_referent) ||
				  (ls_is_colored(ls, LS_C_MISSING) && ls->format == LS_LONG);
	if (ls->deref == LS_DEREF_UNSET)
		ls->deref = ls->immediate || ls->indicator == LS_CLASSIFY || ls->format == LS_LONG
			  ? LS_DEREF_NEVER : LS_DEREF_OPERAND_DIRS;
	ls->needs_stat = ls->sort == LS_BY_TIME || ls->sort == LS_BY_SIZE ||
			 ls->format == LS_LONG || ls->context || ls->blocks;
	ls->needs_type = !ls->needs_stat && (ls->recursive || ls->color || ls->dirs_first ||
					     ls->indicator != LS_NO_INDICATOR);
}

int ls_settle(struct ls *ls)
{
	bool tty = tsb_isatty(ls->p, 1);
	int status = 0;

	settle_block_size(ls);
	if (ls->format < 0)
		ls->format = ls->mode == LS_VDIR ? LS_LONG
			   : ls->mode == LS_DIR || tty ? LS_COLUMNS : LS_ONE;
	settle_width(ls);
	settle_quoting(ls, tty);
	ls->dired &= ls->format == LS_LONG && !ls->hyperlink;
	if (ls->dired && !ls->eol) {
		tsb_warn(ls->p, "--dired and --zero are incompatible");
		return 2;
	}
	if (ls->sort < 0)
		ls->sort = ls->format != LS_LONG && ls->explicit_time ? LS_BY_TIME : LS_BY_NAME;
	if (ls->format == LS_LONG)
		status = settle_time_style(ls);
	ls->ignored = settle_patterns(ls, &ls->ignore_patterns, ls->ignore_backups);
	ls->hidden = settle_patterns(ls, &ls->hide_patterns, false);
	zone_init(&ls->zone, tsb_getenv(ls->p, "TZ"));
	settle_needs(ls);
	if (ls->hyperlink)
		ls->host = tsb_hostname(ls->p);
	return status;
}
