/*
 * Tables: every line is a row, its words are cells. A column is as wide as its
 * widest cell; the last one has nothing behind it.
 */
#include "cmd/column.h"

#include <string.h>

#include "base/num.h"
#include "base/str.h"
#include "base/utf8.h"

static struct column_head *table_new_head(struct column *c, const char *name)
{
	struct column_head *h = vec_add(tsb_heap_of(c->p), &c->heads);

	h->name = name;
	h->hidden = !name && c->hide_unnamed;
	return h;
}

void column_table_names(struct column *c)
{
	char *list, *name;

	list = c->hide ? tsb_strdup(c->p, c->hide) : NULL;
	while (list && (name = strsep(&list, ",")))
		c->hide_unnamed |= !strcmp(name, "-");
	list = c->names ? tsb_strdup(c->p, c->names) : NULL;
	while (list && (name = strsep(&list, ",")))
		table_new_head(c, name);
}

/* ---- Rows ---- */

/* The next cell of *s, which is moved on; NULL: there is none. */
static char *table_cell(struct column *c, char **s)
{
	const char *separators = c->input_separator ? c->input_separator : "\t ";
	char *start = *s, *end;

	if (!start)
		return NULL;
	if (!c->input_separator) {
		start += strspn(start, separators);
		if (!*start)
			return NULL;
	}
	end = strpbrk(start, separators);
	*s = end ? end + 1 : NULL;
	if (end)
		*end = '\0';
	return start;
}

void column_table_line(struct column *c, char *line)
{
	struct column_row *row = vec_add(tsb_heap_of(c->p), &c->rows);
	char *cell, *rest = line;

	while (true) {
		/* What is behind the last column belongs to it. */
		if (c->limit && row->cells.n + 1 == c->limit) {
			cell = rest;
			rest = NULL;
		} else {
			cell = table_cell(c, &rest);
		}
		if (!cell || (c->limit && row->cells.n == c->limit))
			return;
		if (row->cells.n == c->heads.n) {
			if (c->json && !c->hide_unnamed) {
				sink_flush(&c->out);
				tsb_warn(c->p, "line %zu: for JSON the name of the column %zu is required",
					 c->line + 1, c->heads.n + 1);
				tsb_exit(c->p, 1);
			}
			table_new_head(c, NULL);
		}
		*vec_add(tsb_heap_of(c->p), &row->cells) = tsb_strdup(c->p, cell);
	}
}

const char *column_cell(const struct column_row *row, size_t i)
{
	return i < row->cells.n ? row->cells.at[i] : "";
}

/* ---- Lists of columns ---- */

/* Index of a column by number or name; heads.n: out of range. -1 after a message. */
static int64_t table_find(struct column *c, const char *name)
{
	uint64_t number = 0;

	if (num_u64(name, &number) == NUM_OK)
		return number && number <= c->heads.n ? (int64_t)number - 1 : (int64_t)c->heads.n;
	for (size_t i = 0; i < c->heads.n; i++)
		if (c->heads.at[i].name && !strcmp(c->heads.at[i].name, name))
			return (int64_t)i;
	tsb_warn(c->p, "undefined column name '%s'", name);
	return -1;
}

enum table_flag { TABLE_RIGHT, TABLE_HIDDEN, TABLE_TRUNC, TABLE_WRAP, TABLE_NO_EXTREME };

static void table_set(struct column_head *h, enum table_flag flag)
{
	h->right |= flag == TABLE_RIGHT;
	h->hidden |= flag == TABLE_HIDDEN;
	h->trunc |= flag == TABLE_TRUNC;
	h->wrap |= flag == TABLE_WRAP;
}

static bool table_apply(struct column *c, const char *text, enum table_flag flag)
{
	char *list = text ? tsb_strdup(c->p, text) : NULL, *name;
	int64_t i;

	while (list && (name = strsep(&list, ","))) {
		if (flag == TABLE_HIDDEN && !strcmp(name, "-"))
			continue;
		if (!strcmp(name, "0")) {
			for (size_t all = 0; all < c->heads.n; all++)
				table_set(&c->heads.at[all], flag);
			continue;
		}
		i = table_find(c, name);
		if (i < 0)
			return false;
		if ((size_t)i < c->heads.n)
			table_set(&c->heads.at[i], flag);
	}
	return true;
}

/* The columns as they are shown: those named come first, the hidden not at all. */
static size_t *table_order(struct column *c, size_t *n)
{
	char *list = c->order ? tsb_strdup(c->p, c->order) : NULL, *name;
	size_t *order = tsb_alloc(c->p, (c->heads.n + 1) * sizeof(*order));
	bool *used = tsb_alloc(c->p, c->heads.n + 1);
	int64_t i;

	*n = 0;
	while (list && (name = strsep(&list, ","))) {
		i = table_find(c, name);
		if (i < 0)
			return NULL;
		if ((size_t)i == c->heads.n || used[i])
			continue;
		used[i] = true;
		if (!c->heads.at[i].hidden)
			order[(*n)++] = (size_t)i;
	}
	for (size_t k = 0; k < c->heads.n; k++)
		if (!used[k] && !c->heads.at[k].hidden)
			order[(*n)++] = k;
	return order;
}

/* ---- Widths ---- */

static void table_measure(struct column *c)
{
	for (size_t i = 0; i < c->heads.n; i++) {
		struct column_head *h = &c->heads.at[i];

		h->width = h->name && !c->no_headings ? column_width(h->name) : 0;
		for (size_t k = 0; k < c->rows.n; k++) {
			size_t width = column_width(column_cell(&c->rows.at[k], i));

			h->width = width > h->width ? width : h->width;
		}
		tsb_tick(c->p, c->rows.n);
	}
}

/* Takes width from columns that may be cut or wrapped until the table fits. */
static void table_squeeze(struct column *c, const size_t *order, size_t n, size_t separator)
{
	size_t total = n ? (n - 1) * separator : 0;
	struct column_head *widest;

	for (size_t i = 0; i < n; i++)
		total += c->heads.at[order[i]].width;
	while (total > c->width) {
		widest = NULL;
		for (size_t i = 0; i < n; i++) {
			struct column_head *h = &c->heads.at[order[i]];

			if ((h->trunc || h->wrap) && h->width > 1 &&
			    (!widest || h->width > widest->width))
				widest = h;
		}
		if (!widest)
			return;
		widest->width--;
		total--;
		tsb_tick(c->p, n);
	}
}

/* ---- Output ---- */

static void table_blanks(struct column *c, size_t n)
{
	while (n--)
		sink_putc(&c->out, ' ');
}

/* Bytes of s that fit into width. */
static size_t table_part(const char *s, size_t width)
{
	size_t n = 0, all = strlen(s), columns = 0, used;
	int32_t point;

	while (n < all) {
		used = utf8_decode(s + n, all - n, &point);
		columns += utf8_columns(s + n, used);
		if (columns > width && n)
			break;
		n += used;
	}
	return n;
}

/* One line of a cell; what is left of a cell to be wrapped. */
static const char *table_put_cell(struct column *c, const struct column_head *h, const char *s,
				  bool last)
{
	bool cut = (h->trunc || h->wrap) && column_width(s) > h->width;
	size_t n = cut ? table_part(s, h->width) : strlen(s);
	size_t width = utf8_columns(s, n), pad = h->width > width ? h->width - width : 0;

	if (h->right && !(last && !*s))
		table_blanks(c, pad);
	sink_put(&c->out, s, n);
	if (!last && !h->right)
		table_blanks(c, pad);
	return cut && h->wrap && !h->trunc ? s + n : "";
}

struct table_printer {
	struct column *c;
	const size_t *order;
	size_t n;
	const char **cells;	/* of the row, in order */
	const char *separator;
};

/* A row, and lines below it while a cell has more. */
static void table_put_row(struct table_printer *t)
{
	bool more;

	do {
		more = false;
		for (size_t i = 0; i < t->n; i++) {
			const struct column_head *h = &t->c->heads.at[t->order[i]];

			t->cells[i] = table_put_cell(t->c, h, t->cells[i], i + 1 == t->n);
			more |= *t->cells[i] != '\0';
			if (i + 1 < t->n)
				sink_puts(&t->c->out, t->separator);
		}
		sink_putc(&t->c->out, '\n');
		tsb_tick(t->c->p, t->n);
	} while (more);
}

static void table_print_text(struct column *c, const size_t *order, size_t n)
{
	struct table_printer t = { .c = c, .order = order, .n = n };

	t.separator = c->output_separator ? c->output_separator : "  ";
	t.cells = tsb_alloc(c->p, (n + 1) * sizeof(*t.cells));
	table_measure(c);
	table_squeeze(c, order, n, column_width(t.separator));
	if (c->names && !c->no_headings && c->rows.n) {
		for (size_t i = 0; i < n; i++)
			t.cells[i] = c->heads.at[order[i]].name ? c->heads.at[order[i]].name : "";
		table_put_row(&t);
	}
	for (size_t k = 0; k < c->rows.n; k++) {
		for (size_t i = 0; i < n; i++)
			t.cells[i] = column_cell(&c->rows.at[k], order[i]);
		table_put_row(&t);
	}
}

static void table_json_text(struct column *c, const char *s, bool lower)
{
	static const char from[] = "\b\f\n\r\t", to[] = "bfnrt";

	sink_putc(&c->out, '"');
	for (; *s; s++) {
		unsigned char b = (unsigned char)*s;
		const char *at = strchr(from, b);

		if (b == '"' || b == '\\') {
			sink_putc(&c->out, '\\');
			sink_putc(&c->out, b);
		} else if (b < 32) {
			struct str code;

			str_init(&code, tsb_heap_of(c->p), STR_MAX_DEFAULT);
			if (at)
				str_addf(&code, "\\%c", to[at - from]);
			else
				str_addf(&code, "\\u%04x", (unsigned)b);
			sink_put(&c->out, code.p, code.n);
			str_end(&code);
		} else {
			sink_putc(&c->out, lower && b >= 'A' && b <= 'Z' ? b + 32 : b);
		}
	}
	sink_putc(&c->out, '"');
}

static void table_json_row(struct column *c, const struct column_row *row, const size_t *order,
			   size_t n)
{
	size_t indent = 9 + row->depth * 6;

	for (size_t i = 0; i < n; i++) {
		const struct column_head *h = &c->heads.at[order[i]];
		const char *cell = column_cell(row, order[i]);

		table_blanks(c, indent);
		table_json_text(c, h->name ? h->name : "", true);
		sink_puts(&c->out, ": ");
		if (*cell)
			table_json_text(c, cell, false);
		else
			sink_puts(&c->out, "null");
		sink_puts(&c->out, i + 1 < n ? ",\n" : "");
	}
}

/* From one row to the next: down into children, beside, or up and beside. */
static void table_json_step(struct column *c, size_t from, size_t to, bool more)
{
	if (more && to > from) {
		sink_puts(&c->out, ",\n");
		table_blanks(c, 9 + from * 6);
		sink_puts(&c->out, "\"children\": [\n");
		table_blanks(c, 6 + to * 6);
		sink_puts(&c->out, "{\n");
		return;
	}
	while (true) {
		sink_putc(&c->out, '\n');
		table_blanks(c, 6 + from * 6);
		sink_putc(&c->out, '}');
		if (from == to)
			break;
		sink_putc(&c->out, '\n');
		table_blanks(c, 9 + --from * 6);
		sink_putc(&c->out, ']');
		tsb_tick(c->p, 1);
	}
	sink_puts(&c->out, more ? ",{\n" : "\n   ]\n}\n");
}

static void table_print_json(struct column *c, const size_t *order, size_t n)
{
	sink_puts(&c->out, "{\n   ");
	table_json_text(c, c->name ? c->name : "table", false);
	sink_puts(&c->out, ": [\n      {\n");
	for (size_t k = 0; k < c->rows.n; k++) {
		bool more = k + 1 < c->rows.n;

		table_json_row(c, &c->rows.at[k], order, n);
		table_json_step(c, c->rows.at[k].depth, more ? c->rows.at[k + 1].depth : 0, more);
		tsb_tick(c->p, n);
	}
}

/* False after a message. */
static bool table_make_tree(struct column *c)
{
	int64_t tree = table_find(c, c->tree), id = tree < 0 ? -1 : table_find(c, c->tree_id);
	int64_t parent = id < 0 ? -1 : table_find(c, c->tree_parent), n = (int64_t)c->heads.n;

	if (parent < 0)
		return false;
	if (tree < n && id < n && parent < n)
		column_tree(c, (size_t)tree, (size_t)id, (size_t)parent);
	return true;
}

int column_table_print(struct column *c)
{
	size_t *order, n = 0;

	if (!c->rows.n)
		return 0;
	if (!table_apply(c, c->right, TABLE_RIGHT) || !table_apply(c, c->hide, TABLE_HIDDEN) ||
	    !table_apply(c, c->trunc, TABLE_TRUNC) || !table_apply(c, c->wrap, TABLE_WRAP) ||
	    !table_apply(c, c->no_extreme, TABLE_NO_EXTREME))
		return 1;
	order = table_order(c, &n);
	if (!order || (c->tree && !table_make_tree(c)))
		return 1;
	if (c->json)
		table_print_json(c, order, n);
	else
		table_print_text(c, order, n);
	return 0;
}
