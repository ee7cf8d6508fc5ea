/*
 * ed's buffer: lines put in, taken out, moved, joined, shown; what was before them.
 */
#include "cmd/ed.h"

#include <string.h>

#include "cmd/util.h"

enum { ED_COLUMNS = 72 };

struct ed_line *ed_new_line(struct ed *e, const char *text, size_t n)
{
	struct ed_line *l = tsb_alloc(e->p, sizeof(*l));

	l->text = tsb_strndup(e->p, "", 0);
	if (n) {
		tsb_free(e->p, l->text);
		l->text = tsb_alloc(e->p, n + 1);
		memcpy(l->text, text, n);
	}
	l->n = n;
	return l;
}

static void ed_room(struct ed *e, struct ed_buffer *b, size_t more)
{
	size_t cap = b->cap ? b->cap : 64;

	while (cap < b->n + more)
		cap *= 2;
	if (cap == b->cap)
		return;
	b->at = tsb_realloc(e->p, b->at, cap * sizeof(*b->at));
	b->cap = cap;
}

void ed_insert(struct ed *e, size_t after, struct ed_line *const *lines, size_t n)
{
	struct ed_buffer *b = &e->lines;

	if (!n)
		return;
	ed_room(e, b, n);
	memmove(b->at + after + n, b->at + after, (b->n - after) * sizeof(*b->at));
	memcpy(b->at + after, lines, n * sizeof(*lines));
	b->n += n;
	e->current = after + n;
	e->modified = true;
	tsb_tick(e->p, (b->n - after) / 64 + n);
}

void ed_delete(struct ed *e, size_t first, size_t last)
{
	struct ed_buffer *b = &e->lines;

	for (size_t i = first; i <= last; i++)
		b->at[i - 1]->active = false;
	memmove(b->at + first - 1, b->at + last, (b->n - last) * sizeof(*b->at));
	b->n -= last - first + 1;
	e->current = first - 1;
	e->modified = true;
	tsb_tick(e->p, (b->n - first + 1) / 64 + 1);
}

static void ed_reverse(struct ed_line **at, size_t n)
{
	for (size_t i = 0; i < n / 2; i++) {
		struct ed_line *l = at[i];

		at[i] = at[n - 1 - i];
		at[n - 1 - i] = l;
	}
}

/* A rotation, by three reversals. */
void ed_move(struct ed *e, size_t first, size_t last, size_t after)
{
	size_t n = last - first + 1, low = after < first ? after : first - 1;
	size_t high = after < first ? last : after, split = after < first ? first - 1 : last;

	ed_reverse(e->lines.at + low, split - low);
	ed_reverse(e->lines.at + split, high - split);
	ed_reverse(e->lines.at + low, high - low);
	e->current = after < first ? after + n : after;
	e->modified = true;
	tsb_tick(e->p, (high - low) / 16 + 1);
}

void ed_join(struct ed *e, size_t first, size_t last)
{
	struct ed_line *l;
	struct str s;

	str_init(&s, tsb_heap_of(e->p), STR_MAX_DEFAULT);
	for (size_t i = first; i <= last; i++)
		str_addn(&s, e->lines.at[i - 1]->text, e->lines.at[i - 1]->n);
	l = ed_new_line(e, s.p, s.n);
	str_end(&s);
	ed_delete(e, first, last);
	ed_insert(e, first - 1, &l, 1);
}

void ed_snapshot(struct ed *e)
{
	e->undo.n = 0;
	ed_room(e, &e->undo, e->lines.n);
	if (e->lines.n)
		memcpy(e->undo.at, e->lines.at, e->lines.n * sizeof(*e->lines.at));
	e->undo.n = e->lines.n;
	e->undo_current = e->current;
	e->undo_modified = e->modified;
	e->can_undo = true;
	tsb_tick(e->p, e->lines.n / 64 + 1);
}

bool ed_undo(struct ed *e)
{
	struct ed_buffer b = e->lines;
	size_t current = e->current;
	bool modified = e->modified;

	if (!e->can_undo)
		return ed_fail(e, "Nothing to undo");
	e->lines = e->undo;
	e->undo = b;
	e->current = e->undo_current;
	e->undo_current = current;
	e->modified = e->undo_modified;
	e->undo_modified = modified;
	return true;
}

size_t ed_find(struct ed *e, struct ed_line *line)
{
	struct ed_line **at = e->lines.at;

	if (!line)
		return 0;
	if (line->at < e->lines.n && at[line->at] == line)
		return line->at + 1;
	for (size_t i = 0; i < e->lines.n; i++)
		if (at[i] == line) {
			line->at = i;
			tsb_tick(e->p, i / 64 + 1);
			return i + 1;
		}
	return 0;
}

/* ---- Showing ---- */

static void ed_list(struct ed *e, const struct ed_line *l, size_t column)
{
	static const char from[] = "\a\b\f\n\r\t\v\\$", to[] = "abfnrtv\\$";

	for (size_t i = 0; i < l->n; i++) {
		unsigned char c = (unsigned char)l->text[i];
		const char *at = c ? strchr(from, c) : NULL;
		size_t wide = at ? 2 : c < ' ' || c > '~' ? 4 : 1;

		column += wide;
		if (column > ED_COLUMNS) {
			tsb_puts(e->p, "\\\n");
			column = wide;
		}
		if (at)
			tsb_printf(e->p, "\\%c", to[at - from]);
		else if (wide == 4)
			tsb_printf(e->p, "\\%03o", c);
		else
			tsb_putc(e->p, c);
	}
	tsb_puts(e->p, "$\n");
}

void ed_show(struct ed *e, size_t first, size_t last, unsigned how)
{
	for (size_t i = first; i && i <= last; i++) {
		const struct ed_line *l = e->lines.at[i - 1];

		tsb_tick(e->p, 1);
		e->current = i;
		if (how & ED_NUMBER)
			tsb_printf(e->p, "%zu\t", i);
		if (how & ED_LIST) {
			ed_list(e, l, how & ED_NUMBER ? 8 : 0);
			continue;
		}
		tsb_put(e->p, l->text, l->n);
		tsb_putc(e->p, '\n');
	}
}
