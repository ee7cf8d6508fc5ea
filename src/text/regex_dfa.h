/*
 * The lazy automaton: shared by regex_dfa.c, which makes states, and
 * regex_scan.c, which runs along them.
 */
#ifndef TEXT_REGEX_DFA_H
#define TEXT_REGEX_DFA_H

#include "text/regex_impl.h"

/* Entries of the table that are no states. */
enum {
	RE_UNKNOWN = -1,		/* not computed yet */
	RE_FOUND = -2,			/* a match ended before this unit */
	RE_MULTI = -3,			/* the byte is part of a unit of several, or no UTF-8 */
	RE_DEAD = -4,			/* nothing can match from here */
	RE_DEAD_FOUND = -5		/* ... and a match ended before this unit */
};

/* Classes of units; the first are no units. */
enum { RE_CLASS_END, RE_CLASS_CUT, RE_CLASS_MULTI, RE_CLASSES };

struct re_dstate {
	uint32_t off, n;		/* in pool: program places, sorted */
	uint32_t hash;
	uint8_t before;			/* context, if any place is an assertion */
};

struct re_dfa {
	enum re_dfa_kind kind;
	int eol;			/* of RE_DFA_LINES */
	uint16_t class_of[256];
	int32_t *next;			/* by state * stride + class: the next state's index
					 * times stride (LONGEST: twice that, + 1 if a match
					 * ended before the unit), or one of the above */
	size_t stride, cap_states;
	VEC(int32_t) reps;		/* by class: a unit of it */
	VEC(struct re_dstate) states;
	VEC(uint32_t) pool;
	uint32_t *slots;		/* state + 1, 0 free */
	size_t n_slots;
	int32_t start[8];		/* by context: RE_UNKNOWN or row */
	/* Units that are no single byte. */
	VEC(int32_t) high_chars;	/* sorted; that the program names */
	VEC(uint32_t) high_sets;
	VEC(uint64_t) signatures;	/* sig_words each, of the classes from first_high on */
	size_t sig_words, first_high;
	struct { int32_t unit; uint32_t class; } cache[256];
	/* Work space. */
	uint32_t *mark;
	uint64_t *bits;
	uint32_t turn;
	uint32_t *stack, *list, *active;	/* room for the whole program each */
	size_t n_stack, n_list, n_active;
};

int32_t re_dfa_start(struct regex *re, struct re_dfa *d, unsigned before);
/* The entry for a class, computed; *row is moved if the cache had to be emptied. */
int32_t re_dfa_next(struct regex *re, struct re_dfa *d, int32_t *row, uint32_t class);
uint32_t re_dfa_class(struct regex *re, struct re_dfa *d, int32_t unit, int32_t *row);

#endif
