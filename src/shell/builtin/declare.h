/*
 * Inside of declare and its kin: what one call of them was told, and what they show.
 */
#ifndef SHELL_BUILTIN_DECLARE_H
#define SHELL_BUILTIN_DECLARE_H

#include "shell/builtin/builtin.h"
#include "shell/words.h"

struct declare {
	struct shell *sh;
	uint32_t on, off;
	bool local, global, inherit;
	bool print, functions, names_only, remove;	/* -p -f -F, export -n */
	bool traced;		/* export, readonly: set -x shows the assignment, too */
	bool no_empty_arrays;	/* readonly -a x makes none */
	bool only_local;	/* the builtin local: shows nothing else */
	enum flow *flow;
};

/* ---- declare_print.c ---- */
void declare_print_matching(struct declare *d, uint32_t flags);
void declare_print_functions(struct declare *d, uint32_t flags);
void declare_print_plain(struct declare *d);
int declare_print_function_named(struct declare *d, const char *name);
int declare_print_named(struct declare *d, const char *name);

#endif
