/*
 * Inside the static analysis. All memory is one heap whose end-of-memory hook
 * jumps out to tsb_analyze(), so nothing here checks for it.
 */
#ifndef SANDBOX_ANALYZE_ANALYSIS_H
#define SANDBOX_ANALYZE_ANALYSIS_H

#include <setjmp.h>

#include <tinysandbox/analyze.h>

#include "base/arena.h"
#include "base/heap.h"
#include "base/map.h"
#include "base/str.h"
#include "base/vec.h"
#include "lang/arith.h"
#include "lang/ast.h"
#include "lang/parse.h"

/* Functions in functions, and sh -c in sh -c: deeper ones are analysed later, or opaque. */
#define ANALYZE_DEPTH 32u

struct tsb_analysis {
	struct tsb_heap *heap;
	struct heap_budget budget;
	struct arena arena;
	jmp_buf no_memory;
	VEC(struct tsb_analyzed_command) commands;
	VEC(struct tsb_analyzed_file) files;
	VEC(struct tsb_analyzed_name) functions, unset;
	VEC(struct tsb_analyzed_opaque) opaque;
	VEC(struct script *) scripts;	/* their trees are walked until the end */
	struct map bodies;		/* function -> struct node *, NULL once it is walked */
	struct map set;			/* variables that may be set by now */
	struct map told;		/* those in `unset` */
	bool anything_set;		/* opaque code ran: any variable may be set */
	enum tsb_risk risk;
	unsigned depth, texts;		/* of everything; of texts in commands alone */
	size_t current;			/* index of the command at hand */
	uint32_t line;			/* of what is being walked */
	const char *error;
	uint32_t error_line;
};

/* Arguments of a command on their way to be understood. */
struct words {
	const struct tsb_analyzed_word *at;
	size_t n;
	uint32_t line;
	bool nested;
};

/* ---- analyze.c ---- */
/* Parses and walks a text that the script itself holds (sh -c, eval, trap). */
void analyze_text(struct tsb_analysis *a, struct slice text, uint32_t line);
void analyze_opaque(struct tsb_analysis *a, uint32_t line, struct slice text, const char *reason);
void analyze_risk(struct tsb_analysis *a, enum tsb_risk risk);

/* ---- analyze_walk.c ---- */
void analyze_node(struct tsb_analysis *a, const struct node *n);
/* Functions that nobody calls. */
void analyze_rest(struct tsb_analysis *a);
bool analyze_function(struct tsb_analysis *a, struct slice name);	/* is it one? walks it */

/* ---- analyze_words.c ---- */
/* What happens in the expansion of a word, or of all of a list. */
void analyze_word(struct tsb_analysis *a, const struct word *w);
void analyze_list(struct tsb_analysis *a, const struct word *w);
void analyze_arith(struct tsb_analysis *a, const struct arith *x);
struct tsb_analyzed_word analyze_literal(struct tsb_analysis *a, const struct word *w);
void variable_set(struct tsb_analysis *a, const char *s, size_t n);
void variable_unset(struct tsb_analysis *a, const char *s, size_t n);
void variables_begin(struct tsb_analysis *a);

/* ---- analyze_command.c ---- */
void analyze_command(struct tsb_analysis *a, struct words w);

/* ---- analyze_rules.c ---- */
struct verdict {
	enum tsb_command_kind kind;
	enum tsb_risk risk;
	const char *reason;
};
struct verdict rules_judge(struct words w);
/* The words that the command w[0] runs as a command: their index, or 0: it runs none. */
size_t rules_wrapped(struct words w);

#endif
