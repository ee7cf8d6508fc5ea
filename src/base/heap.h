/*
 * A heap: all the memory of one owner (a process, a run, a session), counted
 * against a budget and given back in one call.
 *
 * Killing a process means dropping it, so nothing ever walks its data to free
 * it: heap_end() returns every block at once, whatever the state it is in.
 *
 * Out of memory: the heap calls its oom hook. A process's hook never returns
 * (the process is dropped), so code that allocates from a process's heap needs
 * no checks. Without a hook, or if it returns, the call returns NULL.
 *
 * Not thread-safe: a heap, its budget and its pool belong to one run, and a run
 * belongs to one thread. Blocks are aligned to 16 bytes. A size of 0 is valid
 * and gives a unique pointer. Fresh memory is uninitialised except from
 * heap_zalloc().
 */
#ifndef BASE_HEAP_H
#define BASE_HEAP_H

#include <stdbool.h>
#include <stddef.h>

struct tsb_heap;

/* What several budgets, on several threads, may use together. */
struct heap_share {
	size_t used;		/* atomic */
	size_t max;
};

/* Bytes taken from the machine by all heaps that share it. */
struct heap_budget {
	size_t used;
	size_t max;
	size_t peak;
	struct heap_share *share;	/* or NULL */
	bool refused;		/* something was, since this was set back */
};

bool heap_budget_take(struct heap_budget *b, size_t bytes);	/* false: nothing was taken */
void heap_budget_give(struct heap_budget *b, size_t bytes);

/* Warm pages, kept between processes and runs: page faults cost more than
 * everything else a small command does. One a thread; not charged. */
struct heap_pool;

typedef void heap_oom_fn(void *ctx, size_t wanted);

/* NULL when the machine has no memory. */
struct heap_pool *heap_pool_new(size_t bytes_kept_max);
void heap_pool_free(struct heap_pool *pool);
/* Bytes that wait in it. */
size_t heap_pool_kept(const struct heap_pool *pool);

/* budget and pool are borrowed and must outlive the heap. budget may be NULL
 * (uncounted), pool may be NULL (straight from malloc). NULL on no memory. */
struct tsb_heap *heap_new(struct heap_budget *budget, struct heap_pool *pool,
			  heap_oom_fn *oom, void *ctx);
void heap_end(struct tsb_heap *h);
/* Lets go of budget, pool and hook: for a heap that outlives its run. From then
 * on uncounted, straight from malloc, NULL when memory ends. */
void heap_detach(struct tsb_heap *h);

void *heap_alloc(struct tsb_heap *h, size_t n) __attribute__((malloc));
void *heap_zalloc(struct tsb_heap *h, size_t n) __attribute__((malloc));
/* count * size, checked: an overflow is out of memory. Not zeroed. */
void *heap_array(struct tsb_heap *h, size_t count, size_t size);
/* p may be NULL. On failure (no hook) returns NULL and p stays valid. */
void *heap_resize(struct tsb_heap *h, void *p, size_t n);
void heap_free(struct tsb_heap *h, void *p);	/* p may be NULL */
/* n bytes of p, and a NUL behind them that is not counted. */
char *heap_dup(struct tsb_heap *h, const void *p, size_t n);
char *heap_strdup(struct tsb_heap *h, const char *s);

/* n bytes that the owner has elsewhere (a guest's linear memory) count as the heap's own, until it
 * ends or they are let go. False, after the hook: the budget is spent. */
bool heap_hold(struct tsb_heap *h, size_t n);

/* Bytes this heap holds of the budget. */
size_t heap_used(const struct tsb_heap *h);
/* The hook, called by code that finds a size absurd before it allocates. */
void heap_oom(struct tsb_heap *h, size_t wanted) __attribute__((cold));
/* For tests: the n-th allocation from now (a resize counts) fails; 0: none. */
void heap_fail_at(struct tsb_heap *h, size_t n);

#endif
