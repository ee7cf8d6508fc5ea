/*
 * fmt - fill paragraphs.
 *
 * A paragraph is broken where the sum of the costs of its lines is least: how
 * far each is from the goal, how unlike its neighbour, and where it breaks
 * (behind a sentence is good, within one bad). Costs are found backwards, the
 * cheapest way from each word to the end. What is too long for the buffers is
 * broken in parts, as GNU's tool does it.
 */
#include "cmd/cmd.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/lines.h"
#include "cmd/quote.h"
#include "cmd/rawopt.h"
#include "cmd/util.h"
#include "cmd/whole.h"

enum {
	FMT_WORDS = 1000, FMT_BYTES = 5000, FMT_WIDTH = 75, FMT_TAB = 8,
	FMT_LEEWAY = 7,		/* per cent of the width that the goal is below it */
	FMT_INDENT = 3		/* of a tagged paragraph that must have one */
};

/* A line, a widow of so many letters, ... The squares are of distances. */
#define FMT_SQUARE(n) ((int64_t)(n) * (n))
#define FMT_SHORT(n) FMT_SQUARE((int64_t)(n) * 10)
#define FMT_RAGGED(n) (FMT_SHORT(n) / 2)
#define FMT_LINE FMT_SQUARE(70)
#define FMT_WIDOW(n) (FMT_SQUARE(200) / ((n) + 2))
#define FMT_ORPHAN(n) (FMT_SQUARE(150) / ((n) + 2))
#define FMT_SENTENCE FMT_SQUARE(50)
#define FMT_NO_BREAK FMT_SQUARE(600)
#define FMT_PAREN FMT_SQUARE(40)
#define FMT_PUNCT FMT_SQUARE(40)
#define FMT_CREDIT FMT_SQUARE(3)

struct fmt_word {
	const char *text;
	int length, space;	/* blanks behind it */
	bool paren, period, punct, final;	/* final: it ends a sentence */
	int line_length;	/* of the best line that begins with it */
	int64_t cost;		/* of the best way from it to the end */
	struct fmt_word *next;	/* where that line ends */
};

struct fmt {
	bool crown, tagged, split, uniform;
	const char *prefix_text, *width_text, *goal_text;

	struct tsb_proc *p;
	struct sink out;
	struct tsb_reader in;
	const char *prefix;
	int prefix_length, prefix_full, prefix_lead;
	int width, goal;
	bool tabs;		/* there are some in the input, so in the output */
	int prefix_indent, first_indent, other_indent;
	int in_column, out_column, next_indent, next_byte, last_length;
	struct fmt_word *word, *limit;	/* words, and behind the last */
	char *text, *at;
};

/* ---- Options ---- */

static int fmt_opt_digits(struct tsb_proc *p, void *opts, const struct tsb_opt *opt, const char *arg)
{
	(void)opts;
	(void)opt;
	tsb_warn(p, "invalid option -- %c; -WIDTH is recognized only when it is the first\n"
		 "option; use -w N instead", *arg);
	tsb_usage(p, NULL);
	return 1;
}

static const struct tsb_opt fmt_opts[] = {
	TSB_OPT_FLAG(struct fmt, crown, 'c', "crown-margin", "preserve indentation of first two lines"),
	TSB_OPT_STR(struct fmt, prefix_text, 'p', "prefix", "STRING",
		    "reformat only lines beginning with STRING, reattaching the prefix to "
		    "reformatted lines"),
	TSB_OPT_FLAG(struct fmt, split, 's', "split-only", "split long lines, but do not refill"),
	TSB_OPT_FLAG(struct fmt, tagged, 't', "tagged-paragraph",
		     "indentation of first line different from second"),
	TSB_OPT_FLAG(struct fmt, uniform, 'u', "uniform-spacing",
		     "one space between words, two after sentences"),
	TSB_OPT_STR(struct fmt, width_text, 'w', "width", "WIDTH",
		    "maximum line width (default of 75 columns)"),
	TSB_OPT_STR(struct fmt, goal_text, 'g', "goal", "WIDTH",
		    "goal width (default of 93% of width)"),
	{ TSB_OPTION_CALL, 0, NULL, "NUM", NULL, 0, 0, TSB_OPT_DIGITS | TSB_OPT_HIDDEN,
	  fmt_opt_digits },
	TSB_OPT_END
};

/* ---- Output ---- */

static void fmt_put_space(struct fmt *f, int n)
{
	int target = f->out_column + n, tab = target / FMT_TAB * FMT_TAB;

	if (f->tabs && f->out_column + 1 < tab) {
		while (f->out_column < tab) {
			sink_putc(&f->out, '\t');
			f->out_column = (f->out_column / FMT_TAB + 1) * FMT_TAB;
		}
	}
	for (; f->out_column < target; f->out_column++)
		sink_putc(&f->out, ' ');
}

static void fmt_put_word(struct fmt *f, const struct fmt_word *w)
{
	sink_put(&f->out, w->text, (size_t)w->length);
	f->out_column += w->length;
}

static void fmt_put_line(struct fmt *f, const struct fmt_word *w, int indent)
{
	const struct fmt_word *last = w->next - 1;

	f->out_column = 0;
	fmt_put_space(f, f->prefix_indent);
	sink_puts(&f->out, f->prefix);
	f->out_column += f->prefix_length;
	fmt_put_space(f, indent - f->out_column);
	for (; w != last; w++) {
		fmt_put_word(f, w);
		fmt_put_space(f, w->space);
	}
	fmt_put_word(f, w);
	f->last_length = f->out_column;
	sink_putc(&f->out, '\n');
}

static void fmt_put_paragraph(struct fmt *f, const struct fmt_word *end)
{
	const struct fmt_word *w = f->word;

	fmt_put_line(f, w, f->first_indent);
	for (w = w->next; w != end; w = w->next)
		fmt_put_line(f, w, f->other_indent);
}

/* ---- Where to break ---- */

/* What a line costs that begins with w, whatever its length. */
static int64_t fmt_base_cost(const struct fmt *f, const struct fmt_word *w)
{
	int64_t cost = FMT_LINE;

	if (w > f->word) {
		if (w[-1].period)
			cost += w[-1].final ? -FMT_SENTENCE : FMT_NO_BREAK;
		else if (w[-1].punct)
			cost -= FMT_PUNCT;
		else if (w > f->word + 1 && w[-2].final)
			cost += FMT_WIDOW(w[-1].length);
	}
	if (w->paren)
		cost -= FMT_PAREN;
	else if (w->final)
		cost += FMT_ORPHAN(w->length);
	return cost;
}

/* What a line costs that is so long and ends before `next`. */
static int64_t fmt_line_cost(const struct fmt *f, const struct fmt_word *next, int length)
{
	int64_t cost;

	if (next == f->limit)
		return 0;
	cost = FMT_SHORT(f->goal - length);
	if (next->next != f->limit)
		cost += FMT_RAGGED(length - next->line_length);
	return cost;
}

static void fmt_best_line(struct fmt *f, struct fmt_word *start)
{
	int length = (start == f->word ? f->first_indent : f->other_indent) + start->length;
	struct fmt_word *w = start + 1;
	int64_t best = INT64_MAX, cost;

	while (true) {
		cost = fmt_line_cost(f, w, length) + w->cost;
		if (start == f->word && f->last_length > 0)
			cost += FMT_RAGGED(length - f->last_length);
		if (cost < best) {
			best = cost;
			start->next = w;
			start->line_length = length;
		}
		if (w == f->limit)
			break;
		length += w[-1].space + w->length;
		if (length >= f->width)
			break;
		w++;
	}
	start->cost = best + fmt_base_cost(f, start);
}

static void fmt_break(struct fmt *f)
{
	int length = f->limit->length;

	f->limit->cost = 0;
	f->limit->length = f->width;
	for (struct fmt_word *w = f->limit; w-- > f->word;)
		fmt_best_line(f, w);
	f->limit->length = length;
	tsb_tick(f->p, (size_t)(f->limit - f->word) + 1);
}

/* The buffers are full: writes what breaks well and keeps the rest. */
static void fmt_flush(struct fmt *f)
{
	struct fmt_word *cut = f->limit;
	int64_t best = INT64_MAX, cost;
	size_t shift;

	if (f->limit == f->word) {
		sink_put(&f->out, f->text, (size_t)(f->at - f->text));
		f->at = f->text;
		return;
	}
	fmt_break(f);
	for (struct fmt_word *w = f->word->next; w != f->limit; w = w->next) {
		cost = w->cost - w->next->cost;
		if (cost < best) {
			cut = w;
			best = cost;
		}
		if (best <= INT64_MAX - FMT_CREDIT)
			best += FMT_CREDIT;
	}
	fmt_put_paragraph(f, cut);
	shift = (size_t)(cut->text - f->text);
	memmove(f->text, cut->text, (size_t)(f->at - cut->text));
	f->at -= shift;
	for (struct fmt_word *w = cut; w <= f->limit; w++)
		w->text -= shift;
	memmove(f->word, cut, (size_t)(f->limit - cut + 1) * sizeof(*cut));
	f->limit -= cut - f->word;
}

/* ---- Input ---- */

static int fmt_space(struct fmt *f, int c)
{
	/* A line of blanks without end stays within what an int holds. */
	for (; c == ' ' || c == '\t'; c = tsb_getbyte(&f->in)) {
		f->tabs |= c == '\t';
		if (f->in_column > INT32_MAX / 4)
			continue;
		f->in_column = c == ' ' ? f->in_column + 1 : (f->in_column / FMT_TAB + 1) * FMT_TAB;
		if (!(f->in_column & 4095))
			tsb_tick(f->p, 64);
	}
	return c;
}

/* Blanks and prefix of a line: what is behind them. */
static int fmt_line_start(struct fmt *f)
{
	int c;

	f->in_column = 0;
	c = fmt_space(f, tsb_getbyte(&f->in));
	if (!f->prefix_length) {
		f->next_indent = f->prefix_lead < f->in_column ? f->prefix_lead : f->in_column;
		return c;
	}
	f->next_indent = f->in_column;
	for (const char *s = f->prefix; *s; s++) {
		if (c != (unsigned char)*s)
			return c;
		f->in_column++;
		c = tsb_getbyte(&f->in);
	}
	return fmt_space(f, c);
}

static bool fmt_is_line(int c)
{
	return c != '\n' && c >= 0;
}

/* A line that is no text stays as it is. */
static int fmt_copy_line(struct fmt *f, int c)
{
	const char *s = f->prefix;

	f->out_column = 0;
	if (f->in_column > f->next_indent || fmt_is_line(c)) {
		fmt_put_space(f, f->next_indent);
		for (; f->out_column != f->in_column && *s; f->out_column++)
			sink_putc(&f->out, *s++);
		if (fmt_is_line(c))
			fmt_put_space(f, f->in_column - f->out_column);
		if (c < 0 && f->in_column >= f->next_indent + f->prefix_length)
			sink_putc(&f->out, '\n');
	}
	for (size_t n = 1; fmt_is_line(c); n++) {
		sink_putc(&f->out, c);
		c = tsb_getbyte(&f->in);
		if (!(n & 4095))
			tsb_tick(f->p, 64);
	}
	return c;
}

static bool fmt_same_paragraph(const struct fmt *f, int c)
{
	return f->next_indent == f->prefix_indent &&
	       f->in_column >= f->next_indent + f->prefix_full && fmt_is_line(c);
}

static void fmt_set_indent(struct fmt *f, bool same)
{
	if (f->split) {
		f->other_indent = f->first_indent;
	} else if (f->crown) {
		f->other_indent = same ? f->in_column : f->first_indent;
	} else if (f->tagged) {
		if (same && f->in_column != f->first_indent)
			f->other_indent = f->in_column;
		else if (f->other_indent == f->first_indent)
			f->other_indent = f->first_indent ? 0 : FMT_INDENT;
	} else {
		f->other_indent = f->first_indent;
	}
}

/* The NUL belongs to each of these classes, as it does for strchr(). */
static bool fmt_is(const char *class_name, char c)
{
	return strchr(class_name, c) != NULL;
}

static bool fmt_is_punct(char c)
{
	return c > ' ' && c <= '~' && !(c >= '0' && c <= '9') && !((c | 32) >= 'a' && (c | 32) <= 'z');
}

static bool fmt_is_space(int c)
{
	return c == ' ' || (c >= '\t' && c <= '\r');
}

static void fmt_classify(struct fmt_word *w)
{
	const char *end = w->text + w->length - 1;

	w->paren = fmt_is("(['`\"", *w->text);
	w->punct = fmt_is_punct(*end);
	while (end > w->text && fmt_is(")]'\"", *end))
		end--;
	w->period = fmt_is(".?!", *end);
}

/* The words of a line, of which c is the first byte: what follows the next start. */
static int fmt_read_line(struct fmt *f, int c)
{
	struct fmt_word *w;
	int start;

	do {
		f->limit->text = f->at;
		do {
			if (f->at == f->text + FMT_BYTES) {
				fmt_set_indent(f, true);
				fmt_flush(f);
			}
			*f->at++ = (char)c;
			c = tsb_getbyte(&f->in);
		} while (c >= 0 && !fmt_is_space(c));
		w = f->limit;
		w->length = (int)(f->at - w->text);
		f->in_column += w->length;
		if (f->in_column > INT32_MAX / 4)
			f->in_column = INT32_MAX / 4;
		fmt_classify(w);
		start = f->in_column;
		c = fmt_space(f, c);
		w->space = f->in_column - start;
		w->final = c < 0 || (w->period && (c == '\n' || w->space > 1));
		if (!fmt_is_line(c) || f->uniform)
			w->space = w->final ? 2 : 1;
		if (w == f->word + FMT_WORDS - 2) {
			fmt_set_indent(f, true);
			fmt_flush(f);
		}
		f->limit++;
	} while (fmt_is_line(c));
	tsb_tick(f->p, 1);
	return fmt_line_start(f);
}

static bool fmt_paragraph(struct fmt *f)
{
	int c = f->next_byte;
	bool more;

	f->last_length = 0;
	while (!fmt_is_line(c) || f->next_indent < f->prefix_lead ||
	       f->in_column < f->next_indent + f->prefix_full) {
		c = fmt_copy_line(f, c);
		tsb_tick(f->p, 1);
		if (c < 0)
			return false;
		sink_putc(&f->out, '\n');
		c = fmt_line_start(f);
	}
	f->prefix_indent = f->next_indent;
	f->first_indent = f->in_column;
	f->at = f->text;
	f->limit = f->word;
	c = fmt_read_line(f, c);
	fmt_set_indent(f, fmt_same_paragraph(f, c));
	more = !f->split && fmt_same_paragraph(f, c);
	/* The second line of a crown may be anywhere, that of a tagged one elsewhere. */
	if (f->crown)
		more = more && true;
	else if (f->tagged)
		more = more && f->in_column != f->first_indent;
	else
		more = more && f->in_column == f->other_indent;
	while (more) {
		c = fmt_read_line(f, c);
		more = fmt_same_paragraph(f, c) && f->in_column == f->other_indent;
	}
	f->limit[-1].period = f->limit[-1].final = true;
	f->next_byte = c;
	return true;
}

/* ---- The command ---- */

static bool fmt_file(struct fmt *f, const char *name)
{
	int fd = input_open(f->p, name);
	bool ok;

	if (fd < 0) {
		tsb_warn_errno(f->p, fd, "cannot open %s for reading", quote_af(f->p, name));
		return false;
	}
	tsb_reader_init(&f->in, f->p, fd);
	f->tabs = false;
	f->other_indent = 0;
	f->next_byte = fmt_line_start(f);
	while (fmt_paragraph(f)) {
		fmt_break(f);
		fmt_put_paragraph(f, f->limit);
	}
	ok = !f->in.error;
	if (!ok)
		tsb_warn(f->p, "read error");
	tsb_reader_end(&f->in);
	input_close(f->p, fd);
	return ok;
}

static void fmt_set_prefix(struct fmt *f)
{
	const char *s = f->prefix_text ? f->prefix_text : "";
	size_t n;

	f->prefix_lead = (int)strspn(s, " ");
	s += f->prefix_lead;
	n = strlen(s);
	f->prefix_full = (int)n;
	while (n && s[n - 1] == ' ')
		n--;
	f->prefix = tsb_strndup(f->p, s, n);
	f->prefix_length = (int)n;
}

static int fmt_set_widths(struct fmt *f)
{
	uint64_t v = FMT_WIDTH;

	if (f->width_text && whole_parse(f->p, f->width_text, 0, FMT_BYTES / 2, "", "invalid width", &v))
		return 1;
	f->width = (int)v;
	f->goal = f->width * (2 * (100 - FMT_LEEWAY) + 1) / 200;
	if (!f->goal_text)
		return 0;
	if (whole_parse(f->p, f->goal_text, 0, (uint64_t)f->width, "", "invalid width", &v))
		return 1;
	f->goal = (int)v;
	if (!f->width_text)
		f->width = f->goal + 10;
	return 0;
}

static int fmt_run(struct tsb_proc *p, void *opts, int argc, char **argv)
{
	static char dash[] = "-", *standard[] = { dash, NULL };
	const char *first = NULL;
	struct opt_parsed parsed;
	struct fmt *f;
	bool ok = true;
	int status;

	(void)opts;
	if (argc && argv[0][0] == '-' && argv[0][1] >= '0' && argv[0][1] <= '9') {
		first = argv[0] + 1;
		argv++;
		argc--;
	}
	if (!rawopt_parse(p, &cmd_fmt, argc, argv, &parsed, &status))
		return status;
	f = parsed.opts;
	f->p = p;
	if (!f->width_text)
		f->width_text = first;
	fmt_set_prefix(f);
	status = fmt_set_widths(f);
	if (status)
		return status;
	sink_init(&f->out, p);
	f->word = tsb_alloc(p, FMT_WORDS * sizeof(*f->word));
	f->text = tsb_alloc(p, FMT_BYTES + 1);
	argv = parsed.argc ? parsed.argv : standard;
	for (int i = 0; argv[i]; i++)
		ok &= fmt_file(f, argv[i]);
	sink_flush(&f->out);
	return !ok;
}

const struct tsb_command cmd_fmt = {
	CMD_COREUTILS, .name = "fmt", .synopsis = "[-WIDTH] [OPTION]... [FILE]...",
	.summary = "Reformat each paragraph in the FILE(s), writing to standard output.\n"
		   "The option -WIDTH is an abbreviated form of --width=DIGITS.",
	.opts = fmt_opts, .opts_size = sizeof(struct fmt), .run = fmt_run, .flags = TSB_RAW,
};
