/*
 * rg's options. Long names must be whole, the last of contradicting options wins,
 * and what is wrong is said as the real tool's parser says it.
 */
#include "cmd/rg/rg.h"

#include "base/heap.h"
#include "base/num.h"
#include "cmd/util.h"

const struct rg rg_defaults = {
	.with_name = -1, .heading = -1, .numbers = -1, .color = -1, .require_git = true,
	.context_sep = "--", .field_context_sep = "-", .field_match_sep = ":",
	.styles = {
		[RG_PATH] = { 5, -1, false, false, false }, [RG_LINE] = { 2, -1, false, false, false },
		[RG_COLUMN] = { -1, -1, false, false, false },
		[RG_MATCH] = { 1, -1, true, false, false }
	},
};

void rg_say(struct rg *g, const char *fmt, ...)
{
	struct str s;
	va_list ap;

	str_init(&s, g->heap, STR_MAX_DEFAULT);
	va_start(ap, fmt);
	str_addvf(&s, fmt, ap);
	va_end(ap);
	str_addc(&s, '\n');
	if (g->sink.buf)
		sink_flush(&g->sink);
	tsb_flush(g->p);
	tsb_write_all(g->p, 2, s.p, s.n);
	str_end(&s);
}

const char *rg_os_error(struct rg *g, int err)
{
	return tsb_format(g->p, "%s (os error %d)", tsb_strerror(err), err < 0 ? -err : err);
}

int rg_usage(struct tsb_proc *p, const char *text)
{
	static const char usage[] =
		"\nUSAGE:\n    \n"
		"    rg [OPTIONS] PATTERN [PATH ...]\n"
		"    rg [OPTIONS] -e PATTERN ... [PATH ...]\n"
		"    rg [OPTIONS] -f PATTERNFILE ... [PATH ...]\n"
		"    rg [OPTIONS] --files [PATH ...]\n"
		"    rg [OPTIONS] --type-list\n"
		"    command | rg [OPTIONS] PATTERN\n"
		"    rg [OPTIONS] --help\n"
		"    rg [OPTIONS] --version\n"
		"\nFor more information try --help\n\n";
	const char *s = tsb_format(p, "error: %s\n%s", text, usage);

	tsb_flush(p);
	tsb_write_all(p, 2, s, strlen(s));
	return RG_TROUBLE;
}

/* ---- Values ---- */

static int bad_text(struct tsb_proc *p, const char *text)
{
	const char *s = tsb_format(p, "%s\n", text);

	tsb_write_all(p, 2, s, strlen(s));
	return RG_TROUBLE;
}

static const char *digits_error(const char *s)
{
	if (!*s)
		return "cannot parse integer from empty string";
	for (s += *s == '+'; *s; s++)
		if (*s < '0' || *s > '9')
			return "invalid digit found in string";
	return "number too large to fit in target type";
}

static bool number_of(const char *arg, uint64_t *v)
{
	*v = 0;
	if (*arg == '+')
		arg++;
	if (!*arg)
		return false;
	for (; *arg; arg++)
		if (*arg < '0' || *arg > '9' || __builtin_mul_overflow(*v, 10, v) ||
		    __builtin_add_overflow(*v, (uint64_t)(*arg - '0'), v))
			return false;
	return true;
}

static int take_number(struct tsb_proc *p, const struct tsb_opt *opt, const char *arg, uint64_t *v)
{
	const char *text;

	if (number_of(arg, v))
		return 0;
	if (opt->value == 'j')
		return bad_text(p, digits_error(arg));
	text = tsb_format(p, "error: Invalid value for '--%s <NUM>': %s\n", opt->long_name,
			  digits_error(arg));
	return bad_text(p, text);
}

static int set_number(struct tsb_proc *p, void *opts, const struct tsb_opt *opt, const char *arg)
{
	struct rg *g = opts;
	uint64_t v;
	int r = take_number(p, opt, arg, &v);

	if (r)
		return r;
	switch (opt->value) {
	case 'A': g->after = v; break;
	case 'B': g->before = v; break;
	case 'C': g->before = g->after = v; break;
	case 'm': g->max_count = v; g->has_max_count = true; break;
	case 'M': g->max_columns = v; break;
	case 'd': g->max_depth = v; g->has_max_depth = true; break;
	case 'j': g->threads = v; break;
	default: break;
	}
	if (opt->value == 'A' || opt->value == 'B' || opt->value == 'C')
		g->passthru = false;
	return 0;
}

static int set_size(struct tsb_proc *p, void *opts, const struct tsb_opt *opt, const char *arg)
{
	static const char units[] = "KMG";
	struct rg *g = opts;
	size_t n = strlen(arg);
	const char *unit = n && strchr(units, arg[n - 1]) ? strchr(units, arg[n - 1]) : NULL;
	const char *digits = tsb_strndup(p, arg, unit ? n - 1 : n);
	uint64_t v;

	if (!number_of(digits, &v) || *digits == '+')
		return bad_text(p, tsb_format(p, "invalid format for size '%s', which should be a "
					      "sequence of digits followed by an optional 'K', 'M' "
					      "or 'G' suffix", arg));
	if (unit)
		v <<= 10 * (unit - units + 1);
	if (opt->value == 'f') {
		g->max_filesize = v;
		g->has_max_filesize = true;
	}
	return 0;
}

static int set_word(struct tsb_proc *p, const struct tsb_opt *opt, const char *arg,
		    const char *const *words, const char *shown, int *to)
{
	for (int i = 0; words[i]; i++)
		if (!strcmp(words[i], arg)) {
			*to = i;
			return 0;
		}
	return rg_usage(p, tsb_format(p, "'%s' isn't a valid value for '--%s <%s>'\n\t[possible "
				      "values: %s]\n", arg, opt->long_name, opt->arg, shown));
}

static int set_choice(struct tsb_proc *p, void *opts, const struct tsb_opt *opt, const char *arg)
{
	static const char *const colors[] = { "never", "auto", "always", "ansi", NULL };
	static const char *const sorts[] = { "none", "path", "modified", "accessed", "created",
					     NULL };
	static const char *const engines[] = { "default", "pcre2", "auto", NULL };
	struct rg *g = opts;
	int r;

	if (opt->value == 'c') {
		r = set_word(p, opt, arg, colors, "always, ansi, auto, never", &g->color);
		g->color = g->color == 1 ? -1 : g->color == 3 ? 1 : g->color;
		return r;
	}
	if (opt->value == 'E')
		return set_word(p, opt, arg, engines, "auto, default, pcre2", &g->engine);
	g->reverse = opt->value == 'S';
	return set_word(p, opt, arg, sorts, "accessed, created, modified, none, path", &g->sort);
}

static int set_encoding(struct tsb_proc *p, void *opts, const struct tsb_opt *opt, const char *arg)
{
	static const struct util_word words[] = {
		{ "auto", RG_ENC_AUTO }, { "none", RG_ENC_NONE }, { "utf-8", RG_ENC_UTF8 },
		{ "utf8", RG_ENC_UTF8 }, { "unicode-1-1-utf-8", RG_ENC_UTF8 },
		{ "utf-16", RG_ENC_UTF16LE }, { "utf-16le", RG_ENC_UTF16LE },
		{ "utf-16be", RG_ENC_UTF16BE }, { "latin1", RG_ENC_LATIN1 },
		{ "iso-8859-1", RG_ENC_LATIN1 }, { "iso8859-1", RG_ENC_LATIN1 },
		{ "l1", RG_ENC_LATIN1 }, { "ascii", RG_ENC_LATIN1 }, { "us-ascii", RG_ENC_LATIN1 },
		{ "windows-1252", RG_ENC_LATIN1 }, { "cp1252", RG_ENC_LATIN1 }, { NULL, 0 }
	};

	(void)opt;
	for (const struct util_word *w = words; w->word; w++)
		if (!strcasecmp(w->word, arg)) {
			((struct rg *)opts)->encoding = w->value;
			return 0;
		}
	return bad_text(p, tsb_format(p, "grep config error: unknown encoding: %s", arg));
}

/* Escapes in separators: \t, \n, \\, \xHH. */
static char *unescaped(struct tsb_proc *p, const char *s)
{
	char *out = tsb_alloc(p, strlen(s) + 1), *to = out;

	for (; *s; s++) {
		unsigned v = 0;
		int used = 0;

		if (*s == '\\' && s[1] && strchr("nrt\\0", s[1])) {
			*to++ = "\n\r\t\\\0"[strchr("nrt\\0", s[1]) - strchr("nrt\\0", 'n')];
			s++;
		} else if (*s == '\\' && s[1] == 'x') {
			for (; used < 2 && s[2 + used]; used++) {
				char c = s[2 + used];
				int d = c >= '0' && c <= '9' ? c - '0' : (c | 32) >= 'a' &&
					(c | 32) <= 'f' ? (c | 32) - 'a' + 10 : -1;

				if (d < 0)
					break;
				v = v * 16 + (unsigned)d;
			}
			*to++ = used == 2 ? (char)v : *s;
			s += used == 2 ? 3 : 0;
		} else {
			*to++ = *s;
		}
	}
	return out;
}

static int set_text(struct tsb_proc *p, void *opts, const struct tsb_opt *opt, const char *arg)
{
	struct rg *g = opts;
	const char *error = NULL;

	g->heap = tsb_heap_of(p);
	switch (opt->value) {
	case 'e': *vec_add(g->heap, &g->patterns) = (struct slice){ arg, strlen(arg) }; break;
	case 'r': g->replacement = arg; break;
	case 's': g->context_sep = unescaped(p, arg); g->no_context_sep = false; break;
	case 'm': g->field_match_sep = unescaped(p, arg); break;
	case 'x': g->field_context_sep = unescaped(p, arg); break;
	case 'P':
		if (strlen(arg) > 1)
			return bad_text(p, tsb_format(p, "A path separator must be exactly one byte, "
				"but the given separator is %zu bytes: %s\nIn some shells on Windows "
				"'/' is automatically expanded. Use '//' instead.", strlen(arg), arg));
		g->path_sep = arg;
		break;
	case 'i': *vec_add(g->heap, &g->ignore_files) = arg; break;
	case 'C': error = rg_color_spec(g, arg); break;
	case 'a': *vec_add(g->heap, &g->type_adds) = arg; break;
	case 'c': *vec_add(g->heap, &g->type_clears) = arg; break;
	case 'p': g->pre = *arg ? arg : NULL; break;
	case 'G': *vec_add(g->heap, &g->pre_globs) = arg; break;
	default: break;
	}
	return error ? bad_text(p, error) : 0;
}

static int set_glob(struct tsb_proc *p, void *opts, const struct tsb_opt *opt, const char *arg)
{
	struct rg *g = opts;

	g->heap = tsb_heap_of(p);
	if (opt->value == 'g' || opt->value == 'G') {
		vec_add(g->heap, &g->globs);
		vec_last(&g->globs).glob = arg;
		vec_last(&g->globs).icase = opt->value == 'G';
	} else {
		vec_add(g->heap, &g->selections);
		vec_last(&g->selections).name = arg;
		vec_last(&g->selections).negated = opt->value == 'T';
	}
	return 0;
}

static int set_pattern_file(struct tsb_proc *p, void *opts, const struct tsb_opt *opt,
			    const char *arg)
{
	struct rg *g = opts;
	struct tsb_reader in;
	int fd = input_open(p, arg);
	char *line;
	size_t n;

	(void)opt;
	g->heap = tsb_heap_of(p);
	g->p = p;
	if (fd < 0)
		return bad_text(p, tsb_format(p, "%s: %s", arg, rg_os_error(g, fd)));
	tsb_reader_init(&in, p, fd);
	while ((n = tsb_getdelim(&in, &line, '\n'))) {
		n -= line[n - 1] == '\n';
		n -= n && line[n - 1] == '\r';
		*vec_add(g->heap, &g->patterns) = (struct slice){ heap_dup(g->heap, line, n), n };
	}
	tsb_reader_end(&in);
	input_close(p, fd);
	g->any_pattern_file = true;
	return 0;
}

/* ---- Switches ---- */

enum {
	S_CASE_S, S_CASE_I, S_CASE_SMART, S_NUMBERS, S_NO_NUMBERS, S_NAME, S_NO_NAME, S_HEADING,
	S_NO_HEADING, S_TEXT, S_BINARY, S_QUIT, S_UNRESTRICTED, S_PRETTY, S_VIMGREP, S_PCRE2,
	S_NO_PCRE2, S_PASSTHRU, S_NO_CONTEXT_SEP, S_ALL_IGNORE, S_IGNORE, S_FILES_WITH,
	S_FILES_WITHOUT, S_COUNT, S_COUNT_MATCHES, S_COLUMN, S_NO_COLUMN, S_SORT_FILES,
	S_ENCODING_OFF, S_AUTO_HYBRID, S_NO_AUTO_HYBRID, S_NO_PRE
};

static void unrestricted(struct rg *g)
{
	g->unrestricted++;
	if (g->unrestricted >= 1)
		g->no_ignore = true;
	if (g->unrestricted >= 2)
		g->hidden = true;
	if (g->unrestricted >= 3)
		g->binary = RG_BINARY;
}

static int set_switch(struct tsb_proc *p, void *opts, const struct tsb_opt *opt, const char *arg)
{
	struct rg *g = opts;

	(void)p;
	(void)arg;
	switch (opt->value) {
	case S_CASE_S: case S_CASE_I: case S_CASE_SMART: g->case_mode = opt->value - S_CASE_S; break;
	case S_NUMBERS: case S_NO_NUMBERS: g->numbers = opt->value == S_NUMBERS; break;
	case S_NAME: case S_NO_NAME: g->with_name = opt->value == S_NAME; break;
	case S_HEADING: case S_NO_HEADING: g->heading = opt->value == S_HEADING; break;
	case S_TEXT: g->binary = RG_TEXT; break;
	case S_BINARY: g->binary = RG_BINARY; break;
	case S_QUIT: g->binary = RG_QUIT; break;
	case S_UNRESTRICTED: unrestricted(g); break;
	case S_PRETTY: g->pretty = true; break;
	case S_VIMGREP: g->vimgrep = true; break;
	case S_PCRE2: g->engine = RG_PCRE2; break;
	case S_NO_PCRE2: g->engine = RG_RUST; break;
	case S_PASSTHRU: g->passthru = true; g->before = g->after = 0; break;
	case S_NO_CONTEXT_SEP: g->no_context_sep = true; break;
	case S_COLUMN: case S_NO_COLUMN:
		g->column = opt->value == S_COLUMN;
		g->no_column = !g->column;
		break;
	case S_FILES_WITH: case S_FILES_WITHOUT:
		g->files_with = opt->value == S_FILES_WITH;
		g->files_without = !g->files_with;
		break;
	case S_SORT_FILES: g->sort = RG_SORT_PATH; break;
	case S_ENCODING_OFF: g->encoding = RG_ENC_AUTO; break;
	case S_AUTO_HYBRID: g->engine = RG_AUTO; break;
	case S_NO_AUTO_HYBRID: g->engine = RG_RUST; break;
	case S_NO_PRE: g->pre = NULL; break;
	default: break;
	}
	return 0;
}

#define ON(field, s, l, h) TSB_OPT_FLAG(struct rg, field, s, l, h)
#define BOOL(field, v, l) \
	{ TSB_OPTION_CALL, 0, (l), NULL, "", TSB_FIELD_(struct rg, field, bool), (v), \
	  TSB_ARG_NONE | TSB_OPT_HIDDEN, util_set_bool }
#define SW(v, s, l, h) TSB_OPT_CALL(set_switch, v, s, l, NULL, h)
#define HIDDEN_SW(v, l) \
	{ TSB_OPTION_CALL, 0, (l), NULL, "", 0, (v), TSB_ARG_NONE | TSB_OPT_HIDDEN, set_switch }
#define NUM(v, s, l, h) TSB_OPT_CALL(set_number, v, s, l, "NUM", h)
#define NOTHING(l, h) TSB_OPT_CALL(util_ignore, 0, 0, l, NULL, h)
#define HIDDEN_NOTHING(l) \
	{ TSB_OPTION_CALL, 0, (l), NULL, "", 0, 0, TSB_ARG_NONE | TSB_OPT_HIDDEN, util_ignore }

const struct tsb_opt rg_opts[] = {
	NUM('A', 'A', "after-context", "show NUM lines after each match"),
	SW(S_AUTO_HYBRID, 0, "auto-hybrid-regex", "use PCRE2 if the pattern needs it"),
	HIDDEN_SW(S_NO_AUTO_HYBRID, "no-auto-hybrid-regex"),
	NUM('B', 'B', "before-context", "show NUM lines before each match"),
	SW(S_BINARY, 0, "binary", "search binary files"),
	HIDDEN_SW(S_QUIT, "no-binary"),
	NOTHING("block-buffered", "write in blocks"),
	HIDDEN_NOTHING("no-block-buffered"),
	ON(byte_offset, 'b', "byte-offset", "print the 0-based byte offset of each line"),
	SW(S_CASE_S, 's', "case-sensitive", "search case sensitively (default)"),
	TSB_OPT_CALL(set_choice, 'c', 0, "color", "WHEN", "never, auto, always or ansi"),
	TSB_OPT_CALL(set_text, 'C', 0, "colors", "COLOR_SPEC", "set colors and styles, as "
		     "path:fg:blue"),
	SW(S_COLUMN, 0, "column", "show column numbers"),
	HIDDEN_SW(S_NO_COLUMN, "no-column"),
	NUM('C', 'C', "context", "show NUM lines before and after each match"),
	TSB_OPT_CALL(set_text, 's', 0, "context-separator", "SEPARATOR",
		     "set the string between contexts"),
	SW(S_NO_CONTEXT_SEP, 0, "no-context-separator", "print nothing between contexts"),
	ON(count, 'c', "count", "show the number of matching lines of each file"),
	ON(count_matches, 0, "count-matches", "show the number of matches of each file"),
	ON(crlf, 0, "crlf", "lines may end with CRLF"),
	BOOL(crlf, 0, "no-crlf"),
	NOTHING("debug", "no messages for debugging are shown"),
	TSB_OPT_CALL(set_size, 'x', 0, "dfa-size-limit", "NUM+SUFFIX?", "no limit of ours"),
	TSB_OPT_CALL(set_encoding, 0, 'E', "encoding", "ENCODING",
		     "auto, none, utf-8, utf-16, utf-16le, utf-16be or latin1"),
	HIDDEN_SW(S_ENCODING_OFF, "no-encoding"),
	TSB_OPT_CALL(set_choice, 'E', 0, "engine", "ENGINE", "default, pcre2 or auto"),
	TSB_OPT_CALL(set_text, 'x', 0, "field-context-separator", "SEPARATOR",
		     "set the string between the fields of a line of context"),
	TSB_OPT_CALL(set_text, 'm', 0, "field-match-separator", "SEPARATOR",
		     "set the string between the fields of a matching line"),
	TSB_OPT_CALL(set_pattern_file, 0, 'f', "file", "PATTERNFILE", "search for the patterns of "
		     "a file"),
	ON(files, 0, "files", "print the files that would be searched"),
	SW(S_FILES_WITH, 'l', "files-with-matches", "print the names of files with a match"),
	SW(S_FILES_WITHOUT, 0, "files-without-match", "print the names of files without a match"),
	ON(fixed, 'F', "fixed-strings", "patterns are literal strings"),
	BOOL(fixed, 0, "no-fixed-strings"),
	ON(follow, 'L', "follow", "follow symbolic links"),
	BOOL(follow, 0, "no-follow"),
	TSB_OPT_CALL(set_glob, 'g', 'g', "glob", "GLOB", "search only files that match GLOB; with "
		     "! those that do not"),
	ON(glob_icase, 0, "glob-case-insensitive", "-g without case"),
	BOOL(glob_icase, 0, "no-glob-case-insensitive"),
	SW(S_HEADING, 0, "heading", "print the file's name above its matches"),
	SW(S_NO_HEADING, 0, "no-heading", "print the file's name before each match"),
	ON(hidden, '.', "hidden", "search hidden files and directories"),
	BOOL(hidden, 0, "no-hidden"),
	TSB_OPT_CALL(set_glob, 'G', 0, "iglob", "GLOB", "as -g, without case"),
	SW(S_CASE_I, 'i', "ignore-case", "search without case"),
	TSB_OPT_CALL(set_text, 'i', 0, "ignore-file", "PATH", "more patterns of files to ignore"),
	ON(ignore_icase, 0, "ignore-file-case-insensitive", "match ignore files without case"),
	BOOL(ignore_icase, 0, "no-ignore-file-case-insensitive"),
	ON(include_zero, 0, "include-zero", "print counts of 0 too"),
	ON(invert, 'v', "invert-match", "show lines that do not match"),
	ON(json, 0, "json", "print the matches as JSON"),
	BOOL(json, 0, "no-json"),
	ON(line_buffered, 0, "line-buffered", "write each line at once"),
	BOOL(line_buffered, 0, "no-line-buffered"),
	SW(S_NUMBERS, 'n', "line-number", "show line numbers"),
	SW(S_NO_NUMBERS, 'N', "no-line-number", "show no line numbers"),
	ON(line, 'x', "line-regexp", "match whole lines only"),
	NUM('M', 'M', "max-columns", "do not print lines longer than NUM bytes"),
	ON(preview, 0, "max-columns-preview", "show the beginning of lines that are too long"),
	BOOL(preview, 0, "no-max-columns-preview"),
	NUM('m', 'm', "max-count", "at most NUM matching lines of a file"),
	NUM('d', 0, "max-depth", "descend at most NUM directories"),
	{ TSB_OPTION_CALL, 0, "maxdepth", "NUM", "", 0, 'd', TSB_OPT_HIDDEN, set_number },
	TSB_OPT_CALL(set_size, 'f', 0, "max-filesize", "NUM+SUFFIX?", "ignore larger files"),
	NOTHING("mmap", "how files are read"),
	NOTHING("no-mmap", "how files are read"),
	ON(multiline, 'U', "multiline", "matches may go over lines"),
	BOOL(multiline, 0, "no-multiline"),
	ON(dotall, 0, "multiline-dotall", ". matches newlines too"),
	BOOL(dotall, 0, "no-multiline-dotall"),
	NOTHING("no-config", "read no file of options"),
	SW(S_NO_NAME, 'I', "no-filename", "print no names of files"),
	ON(no_ignore, 0, "no-ignore", "respect no ignore files"),
	BOOL(no_ignore, 0, "ignore"),
	ON(no_dot, 0, "no-ignore-dot", "respect no .ignore files"),
	BOOL(no_dot, 0, "ignore-dot"),
	ON(no_exclude, 0, "no-ignore-exclude", "respect no .git/info/exclude"),
	BOOL(no_exclude, 0, "ignore-exclude"),
	ON(no_ignore_files, 0, "no-ignore-files", "respect no --ignore-file"),
	BOOL(no_ignore_files, 0, "ignore-files"),
	ON(no_global, 0, "no-ignore-global", "respect no global ignore file"),
	BOOL(no_global, 0, "ignore-global"),
	ON(no_ignore_messages, 0, "no-ignore-messages", "no messages about ignore files"),
	BOOL(no_ignore_messages, 0, "ignore-messages"),
	ON(no_parent, 0, "no-ignore-parent", "respect no ignore files of parent directories"),
	BOOL(no_parent, 0, "ignore-parent"),
	ON(no_vcs, 0, "no-ignore-vcs", "respect no .gitignore files"),
	BOOL(no_vcs, 0, "ignore-vcs"),
	ON(no_messages, 0, "no-messages", "no messages about files that cannot be read"),
	BOOL(no_messages, 0, "messages"),
	ON(no_pcre_unicode, 0, "no-pcre2-unicode", "PCRE2 without Unicode"),
	BOOL(no_pcre_unicode, 0, "pcre2-unicode"),
	BOOL(require_git, 0, "no-require-git"),
	BOOL(require_git, 1, "require-git"),
	ON(no_unicode, 0, "no-unicode", "without Unicode"),
	BOOL(no_unicode, 0, "unicode"),
	ON(null, '0', "null", "a NUL behind names of files"),
	ON(null_data, 0, "null-data", "lines end with NUL"),
	ON(one_fs, 0, "one-file-system", "stay on one file system"),
	BOOL(one_fs, 0, "no-one-file-system"),
	ON(only_matching, 'o', "only-matching", "print only what matches"),
	SW(S_PASSTHRU, 0, "passthru", "print all lines"),
	HIDDEN_SW(S_PASSTHRU, "passthrough"),
	TSB_OPT_CALL(set_text, 'P', 0, "path-separator", "SEPARATOR", "set the separator of paths"),
	SW(S_PCRE2, 'P', "pcre2", "patterns are Perl's"),
	HIDDEN_SW(S_NO_PCRE2, "no-pcre2"),
	ON(show_pcre2, 0, "pcre2-version", "print the version of PCRE2"),
	TSB_OPT_CALL(set_text, 'p', 0, "pre", "COMMAND", "search the output of COMMAND PATH"),
	HIDDEN_SW(S_NO_PRE, "no-pre"),
	TSB_OPT_CALL(set_text, 'G', 0, "pre-glob", "GLOB", "files that --pre is for"),
	SW(S_PRETTY, 'p', "pretty", "--color always --heading --line-number"),
	ON(quiet, 'q', "quiet", "print nothing"),
	TSB_OPT_CALL(set_size, 'x', 0, "regex-size-limit", "NUM+SUFFIX?", "no limit of ours"),
	TSB_OPT_CALL(set_text, 'e', 'e', "regexp", "PATTERN", "a pattern; may be repeated"),
	TSB_OPT_CALL(set_text, 'r', 'r', "replace", "REPLACEMENT_TEXT", "print this for each match"),
	ON(search_zip, 'z', "search-zip", "search in compressed files"),
	BOOL(search_zip, 0, "no-search-zip"),
	SW(S_CASE_SMART, 'S', "smart-case", "without case if no pattern has a capital letter"),
	TSB_OPT_CALL(set_choice, 's', 0, "sort", "SORTBY", "none, path, modified, accessed, created"),
	TSB_OPT_CALL(set_choice, 'S', 0, "sortr", "SORTBY", "the same, reversed"),
	HIDDEN_SW(S_SORT_FILES, "sort-files"),
	ON(stats, 0, "stats", "print statistics"),
	BOOL(stats, 0, "no-stats"),
	SW(S_TEXT, 'a', "text", "search binary files as if they were text"),
	HIDDEN_SW(S_QUIT, "no-text"),
	TSB_OPT_CALL(set_number, 'j', 'j', "threads", "NUM", "there is one"),
	NOTHING("trace", "no messages for debugging are shown"),
	ON(trim, 0, "trim", "without the blanks at the beginning of lines"),
	BOOL(trim, 0, "no-trim"),
	TSB_OPT_CALL(set_glob, 't', 't', "type", "TYPE", "only files of this type"),
	TSB_OPT_CALL(set_text, 'a', 0, "type-add", "TYPE_SPEC", "a type:glob of one's own"),
	TSB_OPT_CALL(set_text, 'c', 0, "type-clear", "TYPE", "forget the globs of a type"),
	ON(type_list, 0, "type-list", "print the types and their globs"),
	TSB_OPT_CALL(set_glob, 'T', 'T', "type-not", "TYPE", "no files of this type"),
	SW(S_UNRESTRICTED, 'u', "unrestricted", "-u: --no-ignore, -uu: and --hidden, -uuu: and "
	   "--binary"),
	SW(S_VIMGREP, 0, "vimgrep", "a line for each match, with line and column"),
	SW(S_NAME, 'H', "with-filename", "print the file's name with each match"),
	ON(word, 'w', "word-regexp", "match whole words only"),
	TSB_OPT_HELP('h', "help"), TSB_OPT_VERSION('V', "version"),
	TSB_OPT_END
};

/* ---- The parser ---- */

static const struct tsb_opt *find_row(int letter, const char *name, size_t n)
{
	for (const struct tsb_opt *o = rg_opts; o->kind != TSB_OPTION_END; o++)
		if (name ? o->long_name && strlen(o->long_name) == n &&
		    !memcmp(o->long_name, name, n) : o->short_name == letter)
			return o;
	return NULL;
}

static bool takes_argument(const struct tsb_opt *o)
{
	return o->kind == TSB_OPTION_CALL && !(o->flags & TSB_ARG_NONE);
}

static int act(struct rg *g, const struct tsb_opt *o, const char *arg)
{
	if (o->kind == TSB_OPTION_FLAG) {
		*(bool *)((char *)g + o->offset) = true;
		return 0;
	}
	return o->call(g->p, g, o, arg);
}

static int no_value(struct rg *g, const struct tsb_opt *o)
{
	const char *many;

	if (!g->n_operands && !g->patterns.n && !g->any_pattern_file && !g->files &&
	    o->short_name != 'e' && o->short_name != 'f')
		return rg_usage(g->p, RG_NO_PATTERN);
	many = strchr("efgtT", o->short_name ? o->short_name : ' ') ? "..." : "";

	return rg_usage(g->p, tsb_format(g->p, "The argument '--%s <%s>%s' requires a value but none "
					 "was supplied", o->long_name, o->arg, many));
}

/* How alike two names are, 0 to 1: what is proposed for an unknown one. */
static double likeness(const char *a, const char *b)
{
	size_t n = strlen(a), m = strlen(b), range = (n > m ? n : m) / 2, match = 0, swaps = 0, k = 0;
	bool in_a[64] = { false }, in_b[64] = { false };
	size_t same = 0;
	double j;

	if (!n || !m || n > 63 || m > 63)
		return 0;
	range = range ? range - 1 : 0;
	for (size_t i = 0; i < n; i++)
		for (size_t t = i > range ? i - range : 0; t < m && t <= i + range; t++)
			if (!in_b[t] && a[i] == b[t]) {
				in_a[i] = in_b[t] = true;
				match++;
				break;
			}
	if (!match)
		return 0;
	for (size_t i = 0; i < n; i++) {
		if (!in_a[i])
			continue;
		while (!in_b[k])
			k++;
		swaps += a[i] != b[k++];
	}
	j = ((double)match / (double)n + (double)match / (double)m +
	     ((double)match - (double)(swaps / 2)) / (double)match) / 3;
	while (same < n && same < m && a[same] == b[same])
		same++;
	j += 0.1 * (double)same * (1 - j);
	return j < 1 ? j : 1;
}

static int unknown(struct rg *g, const char *arg, const char *name)
{
	const struct tsb_opt *best = NULL;
	double high = 0.8;
	const char *text = tsb_format(g->p, "Found argument '%s' which wasn't expected, or isn't "
				      "valid in this context", arg);

	for (const struct tsb_opt *o = rg_opts; name && o->kind != TSB_OPTION_END; o++) {
		double like = o->long_name ? likeness(name, o->long_name) : 0;

		if (like > high) {
			high = like;
			best = o;
		}
	}
	if (best)
		text = tsb_format(g->p, "%s\n\tDid you mean --%s?", text, best->long_name);
	return rg_usage(g->p, text);
}

/* A number that begins with a dash is taken for an option. */
static bool is_option_instead(struct rg *g, const struct tsb_opt *o, const char *arg, int *status)
{
	if (*arg != '-' || !arg[1] || (o->call != set_number && o->call != set_size))
		return false;
	if (arg[1] == '-' ? find_row(0, arg + 2, strcspn(arg + 2, "=")) != NULL :
	    find_row(arg[1], NULL, 0) != NULL)
		*status = no_value(g, o);
	else
		*status = unknown(g, arg[1] == '-' ? arg : tsb_strndup(g->p, arg, 2),
				  arg[1] == '-' ? arg + 2 : NULL);
	return true;
}

/* "--name", "--name=value": how many arguments were taken; 0: *status. */
static int long_option(struct rg *g, int left, char **argv, int *status)
{
	const char *name = argv[0] + 2, *equals = strchr(name, '=');
	size_t n = equals ? (size_t)(equals - name) : strlen(name);
	const struct tsb_opt *o = find_row(0, name, n);
	const char *shown = tsb_strndup(g->p, argv[0], n + 2);

	if (!o) {
		*status = unknown(g, shown, shown + 2);
		return 0;
	}
	if (!takes_argument(o)) {
		*status = act(g, o, NULL);	/* a value is passed over */
		return *status ? 0 : 1;
	}
	if (!equals && left < 2) {
		*status = no_value(g, o);
		return 0;
	}
	if (!equals && is_option_instead(g, o, argv[1], status))
		return 0;
	*status = act(g, o, equals ? equals + 1 : argv[1]);
	return *status ? 0 : equals ? 1 : 2;
}

/* A cluster of letters, the last perhaps with its argument. */
static int short_options(struct rg *g, int left, char **argv, int *status)
{
	for (const char *s = argv[0] + 1; *s; s++) {
		const struct tsb_opt *o = find_row(*s, NULL, 0);

		if (!o) {
			*status = unknown(g, tsb_format(g->p, "-%c", *s), NULL);
			return 0;
		}
		if (!takes_argument(o)) {
			*status = act(g, o, NULL);
			if (*status)
				return 0;
			continue;
		}
		if (!s[1] && left < 2) {
			*status = no_value(g, o);
			return 0;
		}
		if (!s[1] && is_option_instead(g, o, argv[1], status))
			return 0;
		*status = act(g, o, !s[1] ? argv[1] : s[1] == '=' ? s + 2 : s + 1);
		return *status ? 0 : s[1] ? 1 : 2;
	}
	return 1;
}

bool rg_parse(struct rg *g, int *argc, char **argv, int *status)
{
	int n = 0;
	bool only_operands = false;

	for (int i = 0; i < *argc; ) {
		int took = 1;

		if (only_operands || argv[i][0] != '-' || !argv[i][1])
			argv[n++] = argv[i];
		else if (!strcmp(argv[i], "--"))
			only_operands = true;
		else if (argv[i][1] == '-')
			took = long_option(g, *argc - i, argv + i, status);
		else
			took = short_options(g, *argc - i, argv + i, status);
		g->n_operands = n;
		if (!took)
			return false;
		i += took;
	}
	*argc = n;
	argv[n] = NULL;
	return true;
}
