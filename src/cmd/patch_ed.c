/*
 * ed's scripts: the few commands that diff -e writes, on the lines of the
 * input. An address that does not exist ends it as ed would.
 */
#include "cmd/patch.h"

#include <string.h>

#include "base/heap.h"

typedef VEC(struct slice) ed_lines;

struct ed {
	struct patch *t;
	ed_lines lines;
	size_t current;		/* the line worked on last, from 1 */
};

static void ed_load(struct ed *e)
{
	struct patch *t = e->t;
	struct tsb_heap *heap = tsb_heap_of(t->p);

	for (int64_t i = 0; i < t->in.n; i++) {
		size_t from = t->in.line[i], to = t->in.line[i + 1];

		if (to > from && t->in.text[to - 1] == '\n')
			to--;
		*vec_add(heap, &e->lines) = (struct slice){ t->in.text + from, to - from };
	}
	e->current = e->lines.n;
}

/* Lines [from, from + gone) make place for `come`. */
static void ed_splice(struct ed *e, size_t from, size_t gone, const ed_lines *come)
{
	struct tsb_heap *heap = tsb_heap_of(e->t->p);
	size_t tail = e->lines.n - from - gone;

	for (size_t i = 0; i < come->n; i++)
		vec_add(heap, &e->lines);
	if (tail)
		memmove(&e->lines.at[from + come->n], &e->lines.at[from + gone],
			tail * sizeof(*e->lines.at));
	if (come->n)
		memcpy(&e->lines.at[from], come->at, come->n * sizeof(*come->at));
	e->lines.n = from + come->n + tail;
	e->current = from + come->n;
	tsb_tick(e->t->p, tail / 64 + 1);
}

/* The text of a, c, i: up to a line that is a dot. */
static void ed_text(struct ed *e, ed_lines *to)
{
	struct tsb_heap *heap = tsb_heap_of(e->t->p);

	while (patch_hunk_line(e->t)) {
		const struct str *b = &e->t->buf;

		if (!strcmp(b->p, ".\n"))
			return;
		*vec_add(heap, to) = (struct slice){ heap_dup(heap, b->p, b->n - 1), b->n - 1 };
	}
}

/* s/.//: the first character goes. */
static bool ed_strip(struct ed *e, size_t line)
{
	if (!line || line > e->lines.n || !e->lines.at[line - 1].n)
		return false;
	e->lines.at[line - 1].p++;
	e->lines.at[line - 1].n--;
	e->current = line;
	return true;
}

static bool ed_command(struct ed *e, char letter)
{
	int64_t first = (int64_t)e->current, last;
	const char *s = e->t->buf.p;
	bool blanks = strspn(strchr(s, letter) + 1, " \t\r") > 0;
	ed_lines text = { 0 };
	size_t n;

	if (*s != letter)
		s = patch_number(e->t, s, &first);
	last = first;
	if (*s == ',')
		patch_number(e->t, s + 1, &last);
	if (letter == 's')
		return ed_strip(e, (size_t)last);
	if (letter != 'd')
		ed_text(e, &text);
	if (blanks)
		return false;
	if (last > (int64_t)e->lines.n || first > last || (!first && letter != 'a' && letter != 'i'))
		return false;
	n = letter == 'a' || letter == 'i' ? 0 : (size_t)(last - first + 1);
	ed_splice(e, letter == 'a' ? (size_t)last : first ? (size_t)first - 1 : 0, n, &text);
	if (!text.n && e->current < e->lines.n && n)
		e->current++;
	return true;
}

static void ed_store(struct ed *e)
{
	for (size_t i = 0; i < e->lines.n; i++) {
		str_addn(&e->t->out, e->lines.at[i].p, e->lines.at[i].n);
		str_addc(&e->t->out, '\n');
	}
	e->t->out_empty = !e->lines.n;
}

void patch_ed(struct patch *t)
{
	struct ed e = { .t = t };
	bool bad = false;

	tsb_flush(t->p);
	if (t->in.size && t->in.text[t->in.size - 1] != '\n' && !t->dry_run)
		tsb_write_all(t->p, 1, "Newline appended\n", 17);
	ed_load(&e);
	for (;;) {
		size_t at = t->at;
		uint64_t line = t->line;
		char letter;

		if (!patch_hunk_line(t)) {
			patch_next_at(t, at, t->line);
			break;
		}
		letter = patch_ed_letter(t->buf.p);
		if (!letter) {
			patch_next_at(t, at, line + 1);
			break;
		}
		if (!bad)
			bad = !ed_command(&e, letter);
		else if (letter != 'd' && letter != 's')
			ed_text(&e, &(ed_lines){ 0 });
	}
	if (bad && !t->skip_rest && !t->dry_run) {
		tsb_write_all(t->p, 1, "?\n", 2);
		patch_fatal(t, "ed FAILED");
	}
	ed_store(&e);
}
