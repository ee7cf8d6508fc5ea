/*
 * xxd -r: a dump read digit by digit. Each line begins with the offset of its
 * bytes; what is behind the last column, or no digit, is skipped.
 */
#include "cmd/xxd.h"

#include <stdio.h>

static int revert_digit(int c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	c |= 32;
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

struct revert {
	struct xxd *x;
	int64_t have, want, base;	/* offsets in the output */
	long column;
	int digit[3];			/* the last three; -1: no digit */
	bool garbage;			/* nothing of the line has been read */
	size_t steps;
};

static int revert_byte(struct revert *r)
{
	if (!(++r->steps & 4095))
		tsb_tick(r->x->p, 4096);
	return tsb_getbyte(&r->x->in);
}

static int revert_skip_line(struct revert *r, int c)
{
	while (c != '\n' && c != -1)
		c = revert_byte(r);
	return c;
}

/* Moves to where the line says its bytes are. */
static void revert_seek(struct revert *r)
{
	int64_t target = r->base + r->want;

	if (target == r->have)
		return;
	sink_flush(&r->x->out);
	tsb_flush(r->x->p);
	if (tsb_lseek(r->x->p, 1, target - r->have, SEEK_CUR) >= 0)
		r->have = target;
	if (target < r->have)
		xxd_die(r->x, 5, "Sorry, cannot seek backwards.");
	for (; r->have < target; r->have++) {
		sink_putc(&r->x->out, '\0');
		if (!(r->have & 4095))
			tsb_tick(r->x->p, 4096);
	}
}

/* A character behind the offset: what the line goes on with. */
static int revert_data(struct revert *r, int c)
{
	bool plain = r->x->type == XXD_PLAIN;

	revert_seek(r);
	if (r->digit[1] >= 0 && r->digit[0] >= 0) {
		sink_putc(&r->x->out, r->digit[1] << 4 | r->digit[0]);
		r->have++;
		r->want++;
		r->digit[0] = -1;
		if (!plain && ++r->column >= r->x->columns)
			c = revert_skip_line(r, c);
	} else if (r->digit[0] < 0 && r->digit[1] < 0 && r->digit[2] < 0) {
		c = revert_skip_line(r, c);
	}
	if (c == '\n') {
		if (!plain)
			r->want = 0;
		r->column = r->x->columns;
		r->garbage = true;
	}
	return c;
}

int xxd_revert(struct xxd *x)
{
	struct revert r = { .x = x, .base = x->seek_back ? -x->seek : x->seek, .column = x->columns,
			    .digit = { -1, 0, 0 }, .garbage = true };
	bool plain = x->type == XXD_PLAIN;
	int c;

	if (x->type != XXD_NORMAL && !plain)
		xxd_die(x, 255, "Sorry, cannot revert this type of hexdump");
	while ((c = revert_byte(&r)) != -1) {
		if (c == '\r' || (plain && (c == ' ' || c == '\n' || c == '\t')))
			continue;
		r.digit[2] = r.digit[1];
		r.digit[1] = r.digit[0];
		r.digit[0] = revert_digit(c);
		if (r.digit[0] < 0 && r.garbage)
			continue;
		r.garbage = false;
		if (!plain && r.column >= x->columns) {
			if (r.digit[0] < 0)
				r.column = 0;
			else
				r.want = (int64_t)((uint64_t)r.want << 4 | (uint64_t)r.digit[0]);
			continue;
		}
		if (revert_data(&r, c) == -1)
			break;
	}
	sink_flush(&x->out);
	return 0;
}
