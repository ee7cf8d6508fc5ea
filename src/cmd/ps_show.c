/*
 * Shows what ps has found: sorted, perhaps as a tree, in columns. A value that
 * is longer than its column takes the room of the next one's padding.
 */
#include "cmd/ps.h"

#include <stdlib.h>
#include <string.h>

#include "cmd/util.h"

#define PS_TREE_DEPTH 500

struct ps_row {
	struct ps *ps;
	const struct procs_item *it;
	size_t place;			/* before sorting */
	bool shown, has_parent;
	const char *prefix;
};

/* ---- Order ---- */

static int ps_compare_text(struct ps *ps, const struct ps_column *c, const struct procs_item *a,
			   const struct procs_item *b)
{
	struct str x, y;
	int order;

	str_init(&x, tsb_heap_of(ps->p), STR_MAX_DEFAULT);
	str_init(&y, tsb_heap_of(ps->p), STR_MAX_DEFAULT);
	c->value(ps, &x, a);
	c->value(ps, &y, b);
	order = strcmp(x.p, y.p);
	str_end(&x);
	str_end(&y);
	return order;
}

static int ps_compare(const void *a, const void *b)
{
	const struct ps_row *x = a, *y = b;
	struct ps *ps = x->ps;

	for (size_t i = 0; i < ps->n_keys; i++) {
		const struct ps_column *c = ps->keys[i].column;
		int order = c->order ? c->order(x->it, y->it) :
			    ps_compare_text(ps, c, x->it, y->it);

		if (order)
			return ps->keys[i].reverse ? -order : order;
	}
	return (x->place > y->place) - (x->place < y->place);
}

/* ---- Lines ---- */

struct ps_line {
	struct str text;
	size_t at;		/* characters, of which spaces at the end are not written yet */
	size_t due;		/* where the next column begins */
};

static size_t ps_pad(struct ps_line *l, size_t to)
{
	size_t n = to > l->at ? to - l->at : 0;

	str_fill(&l->text, ' ', n);
	l->at += n;
	return n;
}

static int ps_width_left(const struct ps *ps, const struct ps_line *l)
{
	size_t columns = (size_t)ps->columns;

	if (!ps->columns)
		return INT32_MAX;
	/* A line goes on to the next multiple of the screen's width. */
	return (int)(columns * (l->at / columns + 1) - l->at);
}

static void ps_put_column(struct ps *ps, struct ps_line *l, size_t i, const char *value,
			  bool header)
{
	const struct ps_format *f = &ps->formats[i];
	enum ps_align align = f->column->align;
	size_t n = strlen(value), width = (size_t)f->width, start = l->due;
	bool last = i + 1 == ps->n_formats;

	if (i)
		start++;
	if (!i)
		start = l->at;
	if (start < l->at + (i != 0))
		start = l->at + (i != 0);
	if (align == PS_USER && !header)
		align = ps->numeric ? PS_RIGHT : PS_LEFT;
	if (f->column->align == PS_USER && header && ps->numeric)
		align = PS_RIGHT;
	if (align == PS_RIGHT || align == PS_PID) {
		size_t end = l->due + (i != 0) + width;

		ps_pad(l, n < end && end - n > start ? end - n : start);
	} else {
		ps_pad(l, start);
	}
	if (f->column->align == PS_USER && !header && n > width) {
		str_addn(&l->text, value, width - 1);
		str_addc(&l->text, '+');
		n = width;
	} else {
		if (align == PS_REST && !header) {
			size_t room = last ? (size_t)ps_width_left(ps, l) : width;

			n = n > room ? room : n;
		}
		str_addn(&l->text, value, n);
	}
	l->at += n;
	l->due = l->due + (i != 0) + width;
}

static void ps_add_value(struct ps *ps, struct str *out, const struct ps_column *c,
			 const struct procs_item *it, enum ps_part part)
{
	if (ps_column_in(c, part))
		c->value(ps, out, it);
	else
		str_addc(out, '-');
}

static void ps_put_line(struct ps *ps, const struct procs_item *it, enum ps_part part)
{
	struct ps_line l = { .at = 0 };
	struct str value;

	str_init(&l.text, tsb_heap_of(ps->p), STR_MAX_DEFAULT);
	str_init(&value, tsb_heap_of(ps->p), STR_MAX_DEFAULT);
	if (ps->lead) {
		str_adds(&l.text, ps->lead);
		l.at = l.due = strlen(ps->lead);
	}
	for (size_t i = 0; i < ps->n_formats; i++) {
		str_reset(&value);
		if (it)
			ps_add_value(ps, &value, ps->formats[i].column, it, part);
		ps_put_column(ps, &l, i, it ? value.p : ps->formats[i].header, !it);
	}
	str_addc(&l.text, '\n');
	tsb_put(ps->p, l.text.p, l.text.n);
	str_end(&l.text);
	str_end(&value);
}

static bool ps_has_header(const struct ps *ps)
{
	for (size_t i = 0; i < ps->n_formats && !ps->no_header; i++)
		if (*ps->formats[i].header)
			return true;
	return false;
}

/* ---- The tree ---- */

struct ps_tree {
	struct ps_row *rows;
	size_t n;
	size_t shown;
};

static void ps_show_row(struct ps *ps, struct ps_row *row, const char *prefix)
{
	bool two = ps->threads & (PS_THREADS_M | PS_THREADS_UNIX_M);

	ps->prefix = prefix;
	ps_put_line(ps, row->it, two ? PS_SHARED : PS_WHOLE);
	ps->prefix = NULL;
	if (two)
		ps_put_line(ps, row->it, PS_THREAD);
	row->shown = true;
}

static size_t ps_next_child(const struct ps_tree *t, int ppid, size_t from)
{
	while (from < t->n && (t->rows[from].it->ppid != ppid || !t->rows[from].has_parent ||
			       t->rows[from].shown))
		from++;
	return from;
}

/* Without recursion: each level remembers where it is. */
static void ps_show_tree(struct ps *ps, struct ps_tree *t, size_t root)
{
	size_t stack[PS_TREE_DEPTH], depth = 1;
	struct str prefix;

	str_init(&prefix, tsb_heap_of(ps->p), STR_MAX_DEFAULT);
	stack[0] = root;
	ps_show_row(ps, &t->rows[root], "");
	t->shown++;
	while (depth) {
		size_t child = ps_next_child(t, t->rows[stack[depth - 1]].it->pid, 0);

		tsb_tick(ps->p, t->n + 1);
		if (child == t->n || depth == PS_TREE_DEPTH) {
			depth--;
			continue;
		}
		str_reset(&prefix);
		for (size_t i = 1; i < depth; i++) {
			bool more = ps_next_child(t, t->rows[stack[i - 1]].it->pid, 0) < t->n;

			str_adds(&prefix, ps->hierarchy ? "  " : more ? " |  " : "    ");
		}
		str_adds(&prefix, ps->hierarchy ? "  " : " \\_ ");
		stack[depth++] = child;
		ps_show_row(ps, &t->rows[child], prefix.p);
		t->shown++;
	}
	str_end(&prefix);
}

static void ps_find_parents(struct ps_tree *t)
{
	for (size_t i = 0; i < t->n; i++)
		for (size_t k = 0; k < t->n; k++)
			if (t->rows[k].it->pid == t->rows[i].it->ppid && k != i)
				t->rows[i].has_parent = true;
}

/* The roots from the last to the first, as procps does. */
static void ps_show_forest(struct ps *ps, struct ps_tree *t)
{
	ps_find_parents(t);
	for (size_t i = t->n; i--;)
		if (!t->rows[i].has_parent)
			ps_show_tree(ps, t, i);
	for (size_t i = 0; i < t->n; i++)	/* parents in a circle: never lost */
		if (!t->rows[i].shown)
			ps_show_row(ps, &t->rows[i], "");
}

/* ---- All ---- */

static bool ps_find_me(struct ps *ps, const struct procs *all, struct procs_item *me)
{
	for (size_t i = 0; i < all->n; i++)
		if (all->at[i].pid == tsb_getpid(ps->p)) {
			*me = all->at[i];
			return true;
		}
	*me = (struct procs_item){ .uid = { tsb_getuid(ps->p), tsb_getuid(ps->p) } };
	return false;
}

/* -q: in the order of the list. */
static void ps_collect_quick(struct ps *ps, const struct procs *all, struct ps_tree *t)
{
	for (size_t i = 0; i < ps->n_wants; i++)
		for (size_t k = 0; k < all->n; k++)
			if (all->at[k].pid == ps->wants[i].number && t->n < all->n)
				t->rows[t->n++] = (struct ps_row){ .ps = ps, .it = &all->at[k] };
}

static void ps_collect(struct ps *ps, const struct procs *all, struct ps_tree *t)
{
	struct procs_item me;

	ps_find_me(ps, all, &me);
	if (ps->quick) {
		ps_collect_quick(ps, all, t);
		return;
	}
	for (size_t i = 0; i < all->n; i++)
		if (ps_selected(ps, &all->at[i], &me))
			t->rows[t->n++] = (struct ps_row){ .ps = ps, .it = &all->at[i] };
}

size_t ps_show(struct ps *ps)
{
	struct ps_tree t = { NULL, 0, 0 };
	struct procs all;
	bool header = ps_has_header(ps);

	procs_read(ps->p, &all);
	t.rows = tsb_alloc(ps->p, (all.n + 1) * sizeof(*t.rows));
	ps_collect(ps, &all, &t);
	for (size_t i = 0; i < t.n; i++)
		t.rows[i].place = i;
	if (ps->n_keys)
		qsort(t.rows, t.n, sizeof(*t.rows), ps_compare);
	if (header)
		ps_put_line(ps, NULL, PS_WHOLE);
	if (ps->forest || ps->hierarchy) {
		ps_show_forest(ps, &t);
		return t.n;
	}
	for (size_t i = 0; i < t.n; i++) {
		if (header && ps->repeat_header && ps->rows > 1 && i && i % (size_t)(ps->rows - 1) == 0)
			ps_put_line(ps, NULL, PS_WHOLE);
		ps_show_row(ps, &t.rows[i], NULL);
	}
	return t.n;
}
