/*
 * Which lines of two texts differ. The changes found, and how runs of them are
 * placed where several places are right, are those of GNU diff: Myers' search
 * from both ends in linear space, after lines that cannot match were left out,
 * and with its limits on how long it looks for the shortest script.
 *
 *	struct diff d = { .heap = heap, .how = { .robust = true } };
 *	d.file[0].text = a; d.file[0].size = n; ...
 *	if (!diff_compare(&d))
 *		for (size_t i = 0; i < d.changes.n; i++) ...
 *
 * Everything is taken from the heap; diff_end() gives it back. Texts are borrowed.
 */
#ifndef TEXT_DIFF_H
#define TEXT_DIFF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/str.h"
#include "base/vec.h"

/* What of white space makes no difference. */
enum diff_space {
	DIFF_SPACE_EXACT,
	DIFF_SPACE_TABS,	/* a tab equals the blanks it stands for */
	DIFF_SPACE_TRAILING,	/* none at the end of a line */
	DIFF_SPACE_AMOUNT,	/* any run is one blank, none at the end */
	DIFF_SPACE_ALL
};

struct diff_how {
	enum diff_space space;
	bool icase;
	bool minimal;		/* the shortest script, whatever it takes */
	bool large;		/* many small changes: be content with less */
	bool robust;		/* a final newline that is missing is a difference */
	size_t horizon;		/* lines kept of what is equal at both ends */
	size_t tabsize;		/* 0 means 8 */
	/* Called every few thousand steps; may not return. NULL: none. */
	void (*tick)(void *ctx, size_t steps);
	void *ctx;
};

struct diff_file {
	const char *text;
	size_t size;
	bool no_newline;	/* the last line has none */
	size_t n;		/* lines */
	size_t *line;		/* offsets, n + 1 of them */
};

/* A run of n[0] lines of the first text stands for n[1] lines of the second. */
struct diff_change {
	size_t line[2], n[2];
	bool ignored;		/* the caller's */
};

struct diff {
	struct tsb_heap *heap;
	struct diff_how how;
	struct diff_file file[2];
	VEC(struct diff_change) changes;
};

/* 0, or -ENOMEM: no memory, or more than 2^30 lines. */
int diff_compare(struct diff *d);
void diff_end(struct diff *d);

/* Line i with its newline, if it has one. */
static inline struct slice diff_line(const struct diff_file *f, size_t i)
{
	return (struct slice){ f->text + f->line[i], f->line[i + 1] - f->line[i] };
}

/* ---- Inside: lines as numbers ---- */

struct diff_side {
	const int32_t *class;	/* equal lines have equal numbers, 0 .. n_classes - 1 */
	int32_t n;
	uint8_t *changed;	/* n flags, with a zero before and one behind */
};

/* Sets the flags. 0 or -ENOMEM. */
int diff_mark(struct tsb_heap *heap, struct diff_side side[2], size_t n_classes,
	      const struct diff_how *how);
/* The search alone: marks[f][order[f][i]] = 1 for each of the n[f] numbers in
 * class[f] that has no partner. */
struct diff_search {
	const int32_t *class[2];
	const int32_t *order[2];
	int32_t n[2];
	uint8_t *marks[2];
	const struct diff_how *how;
};
int diff_search(struct tsb_heap *heap, const struct diff_search *s);

#endif
