/*
 * Memory of a parse, which never is NULL: when the heap has no more (and has no
 * hook that ends the process), the parse ends at once and says so. That is a
 * jump to the function that began it; only functions of this room are left by
 * it, and what they hold is in the arena or in struct parser.
 */
#ifndef LANG_MEMORY_H
#define LANG_MEMORY_H

#include <setjmp.h>
#include <string.h>

#include "base/arena.h"

struct lang_memory {
	struct arena *arena;
	jmp_buf out;
};

static inline void *mem_check(struct lang_memory *m, void *p)
{
	if (!p)
		longjmp(m->out, 1);
	return p;
}

static inline void *mem_alloc(struct lang_memory *m, size_t n)
{
	return mem_check(m, arena_alloc(m->arena, n));
}

static inline char *mem_dup(struct lang_memory *m, const void *p, size_t n)
{
	return mem_check(m, arena_dup(m->arena, p, n));
}

/* Of a constant size the clearing is a few instructions. */
static inline void *mem_zalloc(struct lang_memory *m, size_t n)
{
	return memset(mem_alloc(m, n), 0, n);
}

#define MEM_NEW(m, type) ((type *)mem_zalloc((m), sizeof(type)))
#define MEM_OUT_OF "out of memory (limit memory_bytes)"

#endif
