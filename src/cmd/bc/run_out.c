/*
 * bc's output: lines are broken behind 69 characters (or BC_LINE_LENGTH).
 */
#include "cmd/bc/bc.h"

static void put(struct bc *b, int ch)
{
	tsb_putc(b->p, ch);
	if (ch == '\n')
		tsb_flush(b->p);
}

void bcr_put_char(struct bc *b, int ch)
{
	if (ch == '\n') {
		b->column = 0;
	} else if (++b->column == b->line_size - 1 && b->line_size) {
		bc_put(b, "\\\n", 2);
		b->column = 1;
	}
	put(b, ch);
}

void bcr_put_number(struct bc *b, const struct decimal *a)
{
	str_reset(&b->out);
	decimal_print(&b->numbers, a, b->obase, &b->out);
	if (!b->line_size || b->column + b->out.n < b->line_size - 1) {
		tsb_put(b->p, b->out.p, b->out.n);
		b->column += b->out.n;
		return;
	}
	for (size_t i = 0; i < b->out.n; i++) {
		bcr_put_char(b, b->out.p[i]);
		if (i % 65536 == 0)
			tsb_tick(b->p, 64);
	}
}

static void put_string_char(struct bc *b, int ch)
{
	if (b->o->standard)
		put(b, ch);
	else
		bcr_put_char(b, ch);
}

static void put_escape(struct bc *b, unsigned ch)
{
	switch (ch) {
	case 'a':
		put_string_char(b, 7);
		break;
	case 'b':
		put_string_char(b, '\b');
		break;
	case 'f':
		put_string_char(b, '\f');
		break;
	case 'n':
		put_string_char(b, '\n');
		break;
	case 'q':
		put_string_char(b, '"');
		break;
	case 'r':
		put_string_char(b, '\r');
		break;
	case 't':
		put_string_char(b, '\t');
		break;
	case '\\':
		put_string_char(b, '\\');
		break;
	default:
		break;
	}
}

void bcr_put_string(struct bc *b, bool escapes)
{
	unsigned ch;

	while ((ch = bcr_byte(b)) != '"' && ch) {
		if (!escapes || ch != '\\') {
			put_string_char(b, (int)ch);
			continue;
		}
		ch = bcr_byte(b);
		if (ch == '"' || !ch)
			break;
		put_escape(b, ch);
	}
	tsb_flush(b->p);
}
