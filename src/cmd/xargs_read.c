/*
 * The input of xargs: arguments between blanks, with quotes and backslashes,
 * or between delimiters, without.
 */
#include "cmd/xargs.h"

#include <string.h>

/* Room that a command line leaves for one argument. */
static void read_byte(struct xargs *x, int c)
{
	size_t room = x->line_max > x->chars_initial ? x->line_max - x->chars_initial - 1 : 0;

	if (x->word.n >= room) {
		xargs_run_before_error(x);
		xargs_die(x, "argument line too long");
	}
	str_addc(&x->word, c);
}

static void read_done(struct xargs *x)
{
	if (!x->hole)
		xargs_push(x, x->word.p, x->word.n, false);
}

static bool read_delimited(struct xargs *x)
{
	int c;

	str_reset(&x->word);
	while ((c = tsb_getbyte(&x->in)) != -1 && c != x->delimiter) {
		read_byte(x, c);
		if (!(x->word.n & 4095))
			tsb_tick(x->p, 1);
	}
	if (c == -1) {
		x->at_end = true;
		if (!x->word.n)
			return false;
	} else {
		x->lines++;
	}
	read_done(x);
	return true;
}

static bool read_is_blank(int c)
{
	return c == ' ' || c == '\t';
}

static bool read_is_eof(const struct xargs *x)
{
	return x->eof && !strcmp(x->word.p, x->eof);
}

static void read_unmatched(struct xargs *x, int quote)
{
	xargs_run_before_error(x);
	xargs_die(x, "unmatched %s quote; by default quotes are special to xargs unless you use the "
		  "-0 option", quote == '"' ? "double" : "single");
}

static void read_warn_nul(struct xargs *x)
{
	if (!x->warned_nul)
		tsb_warn(x->p, "WARNING: a NUL character occurred in the input.  It cannot be passed "
			 "through in the argument list.  Did you mean to use the --null option?");
	x->warned_nul = true;
}

struct read_line {
	enum { READ_SPACE, READ_NORMAL, READ_QUOTE, READ_BACKSLASH } state;
	int quote, before;
	bool first, seen;		/* no argument of the line is done; one has begun */
};

/* An argument is complete: should the reading go on? */
static bool read_end_word(struct xargs *x, struct read_line *l)
{
	if (read_is_eof(x)) {
		x->at_end = true;
		return false;
	}
	read_done(x);
	l->first = false;
	return true;
}

/* A character where no quote is open. 1: it is used up, 0: it is to be kept,
 * -1: the line is over. */
static int read_normal(struct xargs *x, struct read_line *l, int c)
{
	if (c == '\n') {
		x->lines += !read_is_blank(l->before);
		if (!x->word.n && !l->seen) {
			l->state = READ_SPACE;
			return 1;
		}
		return -1;
	}
	l->seen = true;
	if (!x->hole && read_is_blank(c)) {
		if (!read_end_word(x, l))
			return -1;
		str_reset(&x->word);
		l->state = READ_SPACE;
		return 1;
	}
	if (c == '\\') {
		l->state = READ_BACKSLASH;
		return 1;
	}
	if (c == '\'' || c == '"') {
		l->state = READ_QUOTE;
		l->quote = c;
		return 1;
	}
	return 0;
}

static bool read_last(struct xargs *x, struct read_line *l)
{
	x->at_end = true;
	if (!x->word.n)
		return false;
	if (l->state == READ_QUOTE)
		read_unmatched(x, l->quote);
	if (l->first && read_is_eof(x))
		return false;
	read_done(x);
	return true;
}

static bool read_words(struct xargs *x)
{
	struct read_line l = { .state = READ_SPACE, .before = -1, .first = true };
	int c = -1, what;

	str_reset(&x->word);
	while (true) {
		l.before = c;
		c = tsb_getbyte(&x->in);
		if (c == -1)
			return read_last(x, &l);
		if (l.state == READ_SPACE) {
			if (c == ' ' || (c >= '\t' && c <= '\r'))
				continue;
			l.state = READ_NORMAL;
		}
		if (l.state == READ_QUOTE) {
			if (c == '\n')
				read_unmatched(x, l.quote);
			if (c == l.quote) {
				l.state = READ_NORMAL;
				l.seen = true;
				continue;
			}
		} else if (l.state == READ_BACKSLASH) {
			l.state = READ_NORMAL;
		} else {
			what = read_normal(x, &l, c);
			if (what > 0)
				continue;
			if (what < 0)
				break;
		}
		if (!c)
			read_warn_nul(x);
		read_byte(x, c);
		if (!(x->word.n & 4095))
			tsb_tick(x->p, 1);
	}
	/* The line is over, or the end string was met. */
	if (x->at_end)
		return !l.first;
	return read_end_word(x, &l) || !l.first;
}

bool xargs_read(struct xargs *x)
{
	tsb_tick(x->p, 1);
	if (x->at_end)
		return false;
	return x->delimited ? read_delimited(x) : read_words(x);
}
