/*
 * dc's input: the string that is being executed, or the file below. A file is read in blocks,
 * as much as there is, so that what "?" and "!" leave for others is what the real one leaves.
 */
#include <string.h>

#include "cmd/dc/dc.h"

struct dc_file *dcs_open(struct dc *d, int fd)
{
	struct dc_file *f = tsb_alloc(d->p, sizeof(*f));

	f->fd = fd;
	return f;
}

int dcs_peek_file(struct dc *d, struct dc_file *f)
{
	ssize_t got;

	if (f->again)
		return f->again - 1;
	if (f->at < f->n)
		return (unsigned char)f->block[f->at];
	if (f->ended)
		return -1;
	got = tsb_read(d->p, f->fd, f->block, sizeof(f->block));
	if (got <= 0) {
		f->ended = true;
		f->error = got < 0 ? (int)got : 0;
		return -1;
	}
	f->at = 0;
	f->n = (size_t)got;
	return (unsigned char)f->block[0];
}

int dcs_peek(struct dc *d)
{
	struct dc_frame *top;

	if (!d->frames.n)
		return d->file ? dcs_peek_file(d, d->file) : -1;
	top = &vec_last(&d->frames);
	return top->at < top->string->n ? (unsigned char)top->string->at[top->at] : -1;
}

static void take(struct dc_file *f)
{
	if (f->again)
		f->again = 0;
	else
		f->at++;
}

int dcs_next(struct dc *d)
{
	int ch = dcs_peek(d);

	if (ch < 0)
		return ch;
	if (d->frames.n)
		vec_last(&d->frames).at++;
	else
		take(d->file);
	if (++d->steps % 256 == 0)
		tsb_tick(d->p, 256);
	return ch;
}

void dcs_line(struct dc *d, struct dc_file *f, struct str *out)
{
	int ch;

	for (;;) {
		ch = f ? dcs_peek_file(d, f) : dcs_next(d);
		if (f && ch >= 0)
			take(f);
		if (ch < 0 || ch == '\n')
			return;
		str_addc(out, ch);
	}
}

void dcs_string(struct dc *d, struct str *out)
{
	size_t depth = 1;
	int ch;

	while ((ch = dcs_next(d)) >= 0) {
		depth += ch == '[';
		depth -= ch == ']';
		if (!depth)
			return;
		str_addc(out, ch);
	}
}

static bool is_space(int ch)
{
	return ch == ' ' || (ch >= '\t' && ch <= '\r');
}

/* The value of the digit that comes, or -1. All sixteen count in every base. */
static int digit(struct dc *d)
{
	int ch = dcs_peek(d);

	if (ch >= '0' && ch <= '9')
		return ch - '0';
	return ch >= 'A' && ch <= 'F' ? ch - 'A' + 10 : -1;
}

static void digits(struct dc *d, struct str *out)
{
	for (int v; (v = digit(d)) >= 0; dcs_next(d))
		str_addc(out, v);
}

/* first is taken already. */
struct decimal *dcs_number(struct dc *d, int first)
{
	struct decimal *a;
	struct str s;
	size_t whole;
	bool point = first == '.';

	str_init(&s, d->heap, STR_MAX_DEFAULT);
	if (first == '_') {
		while (is_space(dcs_peek(d)))
			dcs_next(d);
	} else if (!point) {
		str_addc(&s, first <= '9' ? first - '0' : first - 'A' + 10);
	}
	if (!point)
		digits(d, &s);
	whole = s.n;
	if (!point && dcs_peek(d) == '.') {
		dcs_next(d);
		point = true;
	}
	if (point)
		digits(d, &s);
	a = decimal_build(&d->numbers, (const unsigned char *)s.p, s.n, whole,
			  (unsigned)d->ibase);
	str_end(&s);
	if (first == '_')
		decimal_set(&d->numbers, &a, decimal_sub(&d->numbers, d->numbers.zero, a, 0));
	return a;
}
