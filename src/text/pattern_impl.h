/*
 * Shell patterns inside: the tree, the program made of it, and the set engine.
 * pattern_parse.c makes the tree, pattern_compile.c the program, pattern_sets.c
 * runs it, pattern.c is the front with the fast paths.
 */
#ifndef TEXT_PATTERN_IMPL_H
#define TEXT_PATTERN_IMPL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/vec.h"
#include "text/pattern.h"

/* A unit of text: a code point, or PAT_RAW + byte for a byte that is no UTF-8. */
#define PAT_RAW 0x110000
/* A '.' that wildcards may not take (PATTERN_PERIOD). */
#define PAT_DOT 0x110200

enum {
	PAT_DEPTH_MAX = 64,		/* groups in groups; deeper is literal */
	PAT_STATES_MAX = 4000,		/* engine cache */
	PAT_CACHE_MAX = 1 << 20,	/* bytes of it */
	PAT_PROGRAM_MAX = 1 << 20,	/* instructions */
	PAT_SCAN_MAX = 1 << 24		/* bytes looked at for closing brackets */
};

struct pat_range {
	int32_t lo, hi;
};

struct pat_set {
	uint64_t ascii[2];		/* answer for c < 128, negation applied */
	VEC(struct pat_range) ranges;
	VEC(const char *) classes;	/* names utf8_is() knows */
	bool negate;
	bool icase;
};

enum pat_kind { PAT_LIT, PAT_ANY, PAT_STAR, PAT_SET, PAT_GROUP };

struct pat_node {
	enum pat_kind kind;
	int op;				/* PAT_GROUP: ? * + @ ! */
	char *lit;			/* PAT_LIT: n bytes */
	size_t n, cap;
	struct pat_set *set;
	struct pat_alt *alts;
	struct pat_node *next;
};

struct pat_alt {
	struct pat_node *first;
	struct pat_alt *next;
};

enum pat_op { PI_CHAR, PI_ANY, PI_SET, PI_LOOP, PI_SPLIT, PI_JMP, PI_NOT, PI_MATCH };

struct pat_inst {
	uint32_t op;
	uint32_t x, y;			/* CHAR: x unit; SET: x index; SPLIT, JMP: targets;
					 * NOT: x inside, y behind */
};

struct pat_prog {
	VEC(struct pat_inst) code;
	VEC(const struct pat_set *) sets;
	bool bad;			/* too big: matches nothing */
};

struct pat_engine;

struct pattern {
	struct tsb_heap *heap;
	unsigned flags;
	struct pat_node *first;
	bool grouped;			/* has extended groups */
	bool star_first;		/* the text begins with '*' */
	size_t scanned;			/* work done by the parser on brackets */
	struct pat_engine *engines[3];	/* by enum pat_direction; made when first needed */
};

/* pattern_parse.c */
bool pattern_parse(struct pattern *pat, const char *p, size_t n);
void pattern_tree_free(struct tsb_heap *heap, struct pat_node *node);
bool pattern_set_has(const struct pat_set *set, int32_t c);
size_t pattern_bracket(const char *p, size_t n, unsigned flags, struct tsb_heap *heap,
		       struct pat_set *set);
size_t pattern_group_end(const char *p, size_t n);
/* Decodes a unit forward or backward. */
size_t pattern_unit(unsigned flags, const char *s, size_t n, int32_t *c);
size_t pattern_unit_back(unsigned flags, const char *s, size_t n, int32_t *c);
int32_t pattern_fold(int32_t c);

/* pattern_compile.c */
void pattern_program(struct pattern *pat, struct pat_prog *prog, bool reverse);

/* pattern_sets.c: sets of threads by number; 0 is the empty set. A number is good
 * until the next pat_step(). PAT_ANYWHERE starts again at every unit. */
enum pat_direction { PAT_FORWARD, PAT_BACKWARD, PAT_ANYWHERE };
struct pat_engine *pat_engine_new(struct pattern *pat, enum pat_direction dir);
void pat_engine_free(struct tsb_heap *heap, struct pat_engine *e);
uint32_t pat_start(struct pat_engine *e);
uint32_t pat_step(struct pat_engine *e, uint32_t state, int32_t c);
bool pat_accepts(const struct pat_engine *e, uint32_t state);
/* Could a match begin with this byte? */
bool pat_may_start(struct pat_engine *e, unsigned char byte);

#endif
