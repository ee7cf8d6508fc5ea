/*
 * ptx - a permuted index: every keyword in its context.
 */
#include "cmd/ptx.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>

#include "base/num.h"
#include "cmd/cmd.h"
#include "cmd/util.h"
#include "text/regex.h"

#define PTX_WIDTH_MAX ((int64_t)1 << 40)

static const struct util_word ptx_formats[] = { { "roff", PTX_ROFF }, { "tex", PTX_TEX }, { NULL, 0 } };

/* ---- Options ---- */

/* As strtol with any base reads it. */
static enum num_result ptx_number(const char *s, int64_t *v)
{
	char *end;

	errno = 0;
	*v = strtoll(s, &end, 0);
	return end == s || *end ? NUM_INVALID : errno ? NUM_RANGE : NUM_OK;
}

static int ptx_opt_number(struct tsb_proc *p, void *opts, const struct tsb_opt *opt, const char *arg)
{
	struct ptx *x = opts;
	int64_t v = 0;

	if (ptx_number(arg, &v) != NUM_OK || v <= 0) {
		tsb_warn(p, "invalid %s width: %s", opt->value == 'g' ? "gap" : "line",
			 quote_text(p, arg));
		return 1;
	}
	/* No line is so long; sums of these fit. */
	*(opt->value == 'g' ? &x->gap : &x->width) = v < PTX_WIDTH_MAX ? v : PTX_WIDTH_MAX;
	return 0;
}

static int ptx_opt_format(struct tsb_proc *p, void *opts, const struct tsb_opt *opt, const char *arg)
{
	struct ptx *x = opts;

	if (opt->value)
		x->format = opt->value;
	return opt->value ? 0 : util_word(p, "--format", arg, ptx_formats, &x->format);
}

/* C's escapes in a text. */
static const char *ptx_unescape(struct tsb_proc *p, const char *s)
{
	static const char from[] = "abfnrtv", to[] = "\a\b\f\n\r\t\v";
	char *out = tsb_strdup(p, s), *at = out;

	for (; *s; s++) {
		const char *letter = *s == '\\' && s[1] ? strchr(from, s[1]) : NULL;

		if (letter) {
			*at++ = to[letter - from];
			s++;
		} else {
			if (*s == '\\' && !s[1])
				break;		/* a backslash of nothing */
			*at++ = *s;
			if (*s == '\\')
				*at++ = *++s;
		}
	}
	*at = '\0';
	return out;
}

static int ptx_opt_text(struct tsb_proc *p, void *opts, const struct tsb_opt *opt, const char *arg)
{
	struct ptx *x = opts;

	arg = ptx_unescape(p, arg);
	switch (opt->value) {
	case 'F': x->mark = arg; break;
	case 'S': x->sentence = arg; break;
	default: x->word = *arg ? arg : NULL; break;
	}
	return 0;
}

static int ptx_opt_nothing(struct tsb_proc *p, void *opts, const struct tsb_opt *opt, const char *arg)
{
	(void)p;
	(void)opts;
	(void)opt;
	(void)arg;
	return 0;
}

static const struct tsb_opt ptx_opts[] = {
	TSB_OPT_FLAG(struct ptx, auto_reference, 'A', "auto-reference",
		     "output automatically generated references"),
	TSB_OPT_FLAG(struct ptx, traditional, 'G', "traditional", "behave more like System V 'ptx'"),
	TSB_OPT_CALL(ptx_opt_text, 'F', 'F', "flag-truncation", "STRING",
		     "use STRING for flagging line truncations.  The default is '/'"),
	TSB_OPT_STR(struct ptx, macro, 'M', "macro-name", "STRING", "macro name to use instead of 'xx'"),
	TSB_OPT_CALL(ptx_opt_format, PTX_ROFF, 'O', NULL, NULL, "generate output as roff directives"),
	TSB_OPT_CALL(ptx_opt_format, 0, 0, "format", "roff|tex", "generate output as these directives"),
	TSB_OPT_FLAG(struct ptx, right_reference, 'R', "right-side-refs",
		     "put references at right, not counted in -w"),
	TSB_OPT_CALL(ptx_opt_text, 'S', 'S', "sentence-regexp", "REGEXP",
		     "for end of lines or end of sentences"),
	TSB_OPT_CALL(ptx_opt_format, PTX_TEX, 'T', NULL, NULL, "generate output as TeX directives"),
	TSB_OPT_CALL(ptx_opt_text, 'W', 'W', "word-regexp", "REGEXP", "use REGEXP to match each keyword"),
	TSB_OPT_STR(struct ptx, break_file, 'b', "break-file", "FILE",
		    "word break characters in this FILE"),
	TSB_OPT_FLAG(struct ptx, fold, 'f', "ignore-case", "fold lower case to upper case for sorting"),
	TSB_OPT_CALL(ptx_opt_number, 'g', 'g', "gap-size", "NUMBER",
		     "gap size in columns between output fields"),
	TSB_OPT_STR(struct ptx, ignore_file, 'i', "ignore-file", "FILE", "read ignore word list from FILE"),
	TSB_OPT_STR(struct ptx, only_file, 'o', "only-file", "FILE", "read only word list from this FILE"),
	TSB_OPT_FLAG(struct ptx, input_reference, 'r', "references",
		     "first field of each line is a reference"),
	TSB_OPT_CALL(ptx_opt_nothing, 0, 't', "typeset-mode", NULL, "not implemented, by GNU's neither"),
	TSB_OPT_CALL(ptx_opt_number, 'w', 'w', "width", "NUMBER",
		     "output width in columns, reference excluded"),
	TSB_OPT_END
};

/* ---- Patterns and lists ---- */

static void ptx_tick(void *ctx, size_t steps)
{
	tsb_tick(ctx, steps / 16 + 1);
}

/* Emacs's syntax as that of ERE: its groups and bars have backslashes. */
static const char *ptx_extended(struct tsb_proc *p, const char *s)
{
	struct str out;

	str_init(&out, tsb_heap_of(p), STR_MAX_DEFAULT);
	for (; *s; s++) {
		if (*s == '[') {
			const char *end = s + 1 + (s[1] == '^');

			end = *end ? strchr(end + 1, ']') : NULL;
			if (end) {
				str_addn(&out, s, (size_t)(end - s) + 1);
				s = end;
				continue;
			}
		}
		if (*s == '\\' && s[1]) {
			s++;
			if (!strchr("()|", *s))
				str_addc(&out, '\\');
		} else if (strchr("()|{}", *s)) {
			str_addc(&out, '\\');
		}
		str_addc(&out, *s);
	}
	return str_take(&out, NULL);
}

static struct regex *ptx_compile(struct ptx *x, const char *pattern)
{
	const char *error = NULL, *extended = ptx_extended(x->p, pattern);
	struct regex *re = regex_compile(tsb_heap_of(x->p), extended, strlen(extended),
					 REGEX_EXTENDED | REGEX_NEWLINE |
					 (x->fold ? REGEX_ICASE : 0), &error);

	if (!re) {
		tsb_warn(x->p, "%s (for regexp %s)", error, quote_text(x->p, pattern));
		tsb_exit(x->p, 1);
	}
	regex_on_tick(re, ptx_tick, x->p);
	return re;
}

/* The whole of a file; NULL: standard input. */
static char *ptx_read(struct ptx *x, const char *name, size_t *n)
{
	int fd = name && *name && strcmp(name, "-") ? tsb_open(x->p, name, O_RDONLY, 0) : 0;
	struct tsb_reader in;
	struct str all;
	char *data;
	size_t got;

	str_init(&all, tsb_heap_of(x->p), STR_MAX_DEFAULT);
	if (fd >= 0) {
		tsb_reader_init(&in, x->p, fd);
		while ((got = tsb_getblock(&in, &data))) {
			str_addn(&all, data, got);
			tsb_tick(x->p, got / 64 + 1);
		}
		fd = in.error;
		tsb_reader_end(&in);
	}
	if (fd < 0) {
		tsb_warn_errno(x->p, fd, "%s", quote_f(x->p, name ? name : "-"));
		tsb_exit(x->p, 1);
	}
	return str_take(&all, n);
}

static void ptx_read_breaks(struct ptx *x)
{
	size_t n;
	const char *text = ptx_read(x, x->break_file, &n);

	memset(x->in_word, true, sizeof(x->in_word));
	for (size_t i = 0; i < n; i++)
		x->in_word[(unsigned char)text[i]] = false;
	if (x->traditional)
		x->in_word[' '] = x->in_word['\t'] = x->in_word['\n'] = false;
}

static int ptx_word_order(const struct ptx *x, const char *a, const char *b)
{
	for (; *a || *b; a++, b++) {
		int c = (unsigned char)*a, d = (unsigned char)*b;

		if (x->fold) {
			c -= c >= 'a' && c <= 'z' ? 32 : 0;
			d -= d >= 'a' && d <= 'z' ? 32 : 0;
		}
		if (c != d)
			return c < d ? -1 : 1;
	}
	return 0;
}

/* A word a line, sorted. */
static void ptx_read_words(struct ptx *x, const char *name, struct tsb_list *list)
{
	char *text, *line;
	size_t n, cap = 0;

	text = ptx_read(x, name, &n);
	while ((line = strsep(&text, "\n"))) {
		size_t low = 0, high = list->n;

		if (!*line)
			continue;
		while (low < high) {
			size_t middle = (low + high) / 2;

			if (ptx_word_order(x, line, list->at[middle]) < 0)
				high = middle;
			else
				low = middle + 1;
		}
		list->at = util_grow(x->p, list->at, list->n, &cap, sizeof(*list->at));
		memmove(list->at + low + 1, list->at + low, (list->n - low) * sizeof(*list->at));
		list->at[low] = line;
		list->n++;
		tsb_tick(x->p, (list->n - low) / 64 + 1);
	}
}

static void ptx_prepare(struct ptx *x)
{
	const char *sentence = x->sentence;

	if (!sentence)
		sentence = !x->traditional && !x->input_reference ?
			"[.?!][]\"')}]*\\($\\|\t\\|  \\)[ \t\n]*" : "\n";
	x->sentence = sentence;
	if (*sentence)
		x->sentence_re = ptx_compile(x, sentence);
	if (x->word)
		x->word_re = ptx_compile(x, x->word);
	for (int c = 0; c < 256 && !x->word; c++)
		x->in_word[c] = x->traditional ? c != ' ' && c != '\t' && c != '\n' :
						 (c | 32) >= 'a' && (c | 32) <= 'z' && c < 128;
	if (x->break_file && !x->word)
		ptx_read_breaks(x);
	if (x->ignore_file)
		ptx_read_words(x, x->ignore_file, &x->ignore);
	if (x->only_file)
		ptx_read_words(x, x->only_file, &x->only);
	if (!x->ignore.n)
		x->ignore_file = NULL;
	if (!x->only.n)
		x->only_file = NULL;
}

/* ---- The command ---- */

static void ptx_add_text(struct ptx *x, const char *name)
{
	struct ptx_text *t = vec_add(tsb_heap_of(x->p), &x->texts);
	size_t n;

	t->name = name && strcmp(name, "-") ? name : "";
	t->at = ptx_read(x, name, &n);
	t->end = t->at + n;
	ptx_find(x, x->texts.n - 1);
	x->texts.at[x->texts.n - 1].lines = x->lines;
}

static int ptx_run(struct tsb_proc *p, void *opts, int argc, char **argv)
{
	struct ptx *x = opts;
	int fd;

	x->p = p;
	if (x->format == PTX_UNSET)
		x->format = x->traditional ? PTX_ROFF : PTX_DUMB;
	if (x->traditional && argc > 2)
		return util_extra_operand(p, argv[2]);
	ptx_prepare(x);
	if (x->traditional && argc == 2) {
		fd = tsb_open(p, argv[1], O_WRONLY | O_CREAT | O_TRUNC, 0666);
		if (fd < 0) {
			tsb_warn_errno(p, fd, "%s", quote_f(p, argv[1]));
			return 1;
		}
		tsb_dup2(p, fd, 1);
		tsb_close(p, fd);
		argc = 1;
	}
	sink_init(&x->out, p);
	if (!argc)
		ptx_add_text(x, NULL);
	for (int i = 0; i < argc; i++)
		ptx_add_text(x, argv[i]);
	ptx_measure(x);
	ptx_print(x);
	sink_flush(&x->out);
	return 0;
}

static const struct ptx ptx_defaults = { .mark = "/", .macro = "xx", .gap = 3, .width = 72 };

const struct tsb_command cmd_ptx = {
	CMD_COREUTILS, .name = "ptx", .synopsis = "[OPTION]... [INPUT]...\n-G [OPTION]... [INPUT [OUTPUT]]",
	.summary = "Output a permuted index, including context, of the words in the input files.",
	.opts = ptx_opts, .opts_size = sizeof(struct ptx), .defaults = &ptx_defaults, .run = ptx_run,
};
