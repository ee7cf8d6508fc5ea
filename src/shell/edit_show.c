/*
 * The line on the screen: painted anew from the prompt's last line on, whose row the cursor is
 * known to be below by e->row. A terminal that understands ANSI's sequences is enough.
 */
#include "shell/edit.h"

#include <string.h>

#include "base/utf8.h"

void edit_bell(struct edit *e)
{
	if (strcmp(edit_setting(e->sh, "bell-style"), "none"))
		str_addc(&e->out, '\a');
}

void edit_window(struct edit *e)
{
	struct tsb_winsize size;

	e->columns = 80;
	if (!tsb_get_winsize(e->sh->p, 2, &size) && size.columns > 1)
		e->columns = size.columns;
}

/* ---- Painting ---- */

struct pen {
	struct edit *e;
	size_t row, column;
};

static void pen_put(struct pen *p, const char *text, size_t n, size_t width)
{
	if (p->column + width > p->e->columns) {
		p->row++;
		p->column = 0;
	}
	str_addn(&p->e->out, text, n);
	p->column += width;
}

/* How many bytes of a prompt at p move nothing: a sequence that begins with ESC, a control. */
static size_t prompt_sequence(const char *p, size_t n)
{
	size_t i = 2;

	if (p[0] != '\033')
		return (unsigned char)p[0] < 32;
	if (n > 1 && p[1] == ']') {
		while (i < n && p[i] != '\a' && p[i] != '\\')
			i++;
		return i < n ? i + 1 : n;
	}
	if (n > 1 && p[1] == '[')
		while (i < n && (p[i] < 64 || p[i] > 126))
			i++;
	else
		i = 1;
	return i < n ? i + 1 : n;
}

static void pen_text(struct pen *p, const char *text, size_t n, bool prompt)
{
	for (size_t i = 0; i < n;) {
		char control[2] = { '^', (char)(text[i] ^ 0x40) };
		size_t skip = prompt ? prompt_sequence(text + i, n - i) : 0;
		int32_t c;

		if (skip) {
			str_addn(&p->e->out, text + i, skip);
			i += skip;
			continue;
		}
		skip = utf8_decode(text + i, n - i, &c);
		if (c == '\n') {
			str_adds(&p->e->out, "\033[K\r\n");
			p->row++;
			p->column = 0;
		} else if (c == '\t') {
			do {
				pen_put(p, " ", 1, 1);
			} while (p->column % 8);
		} else if (c >= 0 && (c < 32 || c == 127)) {
			pen_put(p, control, 1, 1);
			pen_put(p, control + 1, 1, 1);
		} else {
			int width = c < 0 ? 1 : utf8_width(c);

			pen_put(p, text + i, skip, width < 0 ? 1 : (size_t)width);
		}
		i += skip;
	}
}

/* A line that is full: the cursor goes to the next one, wherever the terminal thinks it is. */
static void pen_wrap(struct pen *p)
{
	if (p->column < p->e->columns)
		return;
	str_adds(&p->e->out, " \r");
	p->row++;
	p->column = 0;
}

static void edit_to_first_row(struct edit *e)
{
	if (e->row)
		str_addf(&e->out, "\033[%zuA", e->row);
	str_addc(&e->out, '\r');
	e->row = 0;
}

static void edit_flush(struct edit *e)
{
	if (e->out.n)
		tsb_write_all(e->sh->p, 2, e->out.p, e->out.n);
	str_reset(&e->out);
}

/* What a prompt has before its last line is painted only when all of it is to be. */
static size_t last_line(const char *prompt, size_t n)
{
	const char *end = n ? memrchr(prompt, '\n', n) : NULL;

	return end ? (size_t)(end - prompt) + 1 : 0;
}

void edit_show_as(struct edit *e, const char *prompt, size_t n, const char *line, size_t line_n, size_t at)
{
	struct pen p = { .e = e }, cursor;
	size_t from = last_line(prompt, n);

	if (!e->whole) {
		edit_to_first_row(e);
		str_adds(&e->out, "\033[J");
	} else {	/* wherever it is: behind the output of a program, perhaps */
		e->row = 0;
		for (size_t i = 0; i < from; i++)
			str_adds(&e->out, prompt[i] == '\n' ? "\r\n" : (char[2]){ prompt[i], '\0' });
	}
	e->whole = e->plain = false;
	pen_text(&p, prompt + from, n - from, true);
	pen_wrap(&p);
	pen_text(&p, line, at, false);
	cursor = p;
	pen_text(&p, line + at, line_n - at, false);
	pen_wrap(&p);
	if (cursor.column >= e->columns || at == line_n)
		cursor = at == line_n ? p : (struct pen){ e, cursor.row + 1, 0 };
	if (p.row > cursor.row)
		str_addf(&e->out, "\033[%zuA", p.row - cursor.row);
	if (p.row != cursor.row || p.column != cursor.column) {
		str_addc(&e->out, '\r');
		if (cursor.column)
			str_addf(&e->out, "\033[%zuC", cursor.column);
	}
	e->row = cursor.row;
	e->column = cursor.column;
	e->stale = false;
	edit_flush(e);
}

/* What was typed at the end of what is shown goes there, if the row has room. */
static bool edit_show_more(struct edit *e)
{
	size_t n = e->line.n - e->shown, width;

	if (!e->plain || e->whole || e->at != e->line.n)
		return false;
	for (size_t i = e->shown; i < e->line.n; i++)
		if ((unsigned char)e->line.p[i] < 32 || e->line.p[i] == 127)
			return false;
	width = utf8_columns(e->line.p + e->shown, n);
	if (!utf8_valid(e->line.p + e->shown, n) || e->column + width >= e->columns)
		return false;
	str_addn(&e->out, e->line.p + e->shown, n);
	e->column += width;
	e->shown = e->line.n;
	e->stale = false;
	return true;
}

void edit_show(struct edit *e)
{
	if (e->stale && !edit_show_more(e)) {
		edit_show_as(e, e->prompt, e->prompt_n, e->line.p, e->hidden ? 0 : e->line.n, e->hidden ? 0 : e->at);
		e->plain = e->at == e->line.n && !e->hidden;
		e->shown = e->line.n;
	}
	edit_flush(e);
}

void edit_leave(struct edit *e)
{
	size_t at = e->at;

	e->at = e->line.n;
	if (at != e->at || e->stale) {
		e->stale = true;
		edit_show(e);
	}
	str_adds(&e->out, "\r\n");
	e->row = 0;
	edit_flush(e);
}

void edit_clear(struct edit *e, int count)
{
	(void)count;
	str_adds(&e->out, "\033[H\033[2J");
	e->row = 0;
	e->stale = e->whole = true;
}
