/*
 * A typed vector: VEC(T) is a struct of pointer, count and capacity; zeroed is
 * empty. Memory comes from the heap given to each call (always the same one).
 * vec_add() returns the place of the new item, zeroed, or NULL when memory
 * ends and the heap returns. Pointers into it are good until the next add.
 *
 *	VEC(int) v = { 0 };
 *	*vec_add(heap, &v) = 7;
 *	for (size_t i = 0; i < v.n; i++) use(v.at[i]);
 *	vec_end(heap, &v);
 */
#ifndef BASE_VEC_H
#define BASE_VEC_H

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

struct tsb_heap;

#define VEC(T) struct { T *at; size_t n, cap; }

/* Grows *at so that *cap > n; zeroes the item at n. */
bool vec_grow_(struct tsb_heap *h, void *at, size_t n, size_t *cap, size_t size);

/* Mostly there is room: then it is a few instructions. */
#define vec_add(h, v) \
	(((v)->n < (v)->cap ? (memset(&(v)->at[(v)->n], 0, sizeof(*(v)->at)), true) : \
	  vec_grow_((h), &(v)->at, (v)->n, &(v)->cap, sizeof(*(v)->at))) ? \
	 &(v)->at[(v)->n++] : NULL)
#define vec_pop(v) ((v)->at[--(v)->n])
#define vec_last(v) ((v)->at[(v)->n - 1])
#define vec_end(h, v) (heap_free((h), (v)->at), (v)->at = NULL, (v)->n = (v)->cap = 0)

#endif
