/*
 * The sets of tr: what its two operands mean.
 */
#ifndef CMD_TR_SET_H
#define CMD_TR_SET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct tsb_proc;

enum tr_case { TR_CASE_NONE, TR_CASE_LOWER, TR_CASE_UPPER };

/* One construct of a set. */
struct tr_item {
	enum { TR_CHAR, TR_RANGE, TR_CLASS, TR_EQUIV, TR_REPEAT } kind;
	unsigned char first, last;	/* CHAR, EQUIV and REPEAT: first only */
	uint8_t class;			/* index for tr_class_has() */
	uint64_t count;			/* REPEAT; 0: as many as are missing */
};

struct tr_set {
	struct tsb_proc *p;
	struct tr_item *at;
	size_t n, cap;
	uint64_t length;		/* characters, an open repeat not counted */
	size_t open_repeats;
	bool has_class, has_other_class, has_equiv;
};

/* Reads an operand. 0, or the exit status after a message. */
int tr_set_parse(struct tsb_proc *p, const char *text, struct tr_set *set);

/* Walks over the characters of a set; -1 at the end. */
struct tr_walk {
	const struct tr_set *set;
	size_t item;
	uint64_t done;			/* of the item */
	int next_class;
	enum tr_case in_case;		/* of the character that was given last */
	bool new_item;			/* it was the first of its item */
};
int tr_walk_next(struct tr_walk *w);
void tr_walk_skip(struct tr_walk *w);	/* to the end of its item */

#endif
