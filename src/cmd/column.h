/*
 * column, between its files: column.c has the options and fills columns,
 * column_table.c makes
 * tables, column_tree.c trees of their rows.
 */
#ifndef CMD_COLUMN_H
#define CMD_COLUMN_H

#include <tinysandbox/command.h>

#include "base/vec.h"
#include "cmd/lines.h"

struct column_head {
	const char *name;
	bool hidden, right, trunc, wrap;
	size_t width;
};

struct column_row {
	VEC(char *) cells;
	/* --tree: indices of rows, or -1; what is drawn before it and before its children. */
	int64_t parent, first, last, next;
	const char *art, *stem;
	size_t depth;
};

struct column {
	bool repeat_header;	/* on each page of a terminal: there is none */
	/* Options. */
	bool table, rows_first, json, no_headings, keep_empty;
	const char *input_separator, *output_separator, *name;
	const char *names, *right, *hide, *order, *trunc, *wrap, *no_extreme;
	const char *tree, *tree_id, *tree_parent;
	uint64_t limit, width;
	bool width_given;

	struct tsb_proc *p;
	struct sink out;
	VEC(char *) entries;
	size_t longest, line;

	VEC(struct column_head) heads;
	VEC(struct column_row) rows;
	bool hide_unnamed;
};

/* Columns that a text takes; what is no UTF-8 counts as it is shown. */
size_t column_width(const char *s);

/* ---- column_table.c ---- */
void column_table_names(struct column *c);
void column_table_line(struct column *c, char *line);
const char *column_cell(const struct column_row *row, size_t i);	/* "": it has none */
/* 0, or the exit status after a message. */
int column_table_print(struct column *c);

/* ---- column_tree.c ---- */
/* Puts the rows in the order of the tree, with its lines drawn in that column. */
void column_tree(struct column *c, size_t column, size_t id, size_t parent);

#endif
