/*
 * The process's memory. It never returns NULL: when the budget is spent the
 * process ends inside the call. An embedder's command cannot be ended there; it
 * gets what it asks for beyond the budget, up to twice that, and -ECANCELED from its next call.
 */
#include "kernel/inside.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>

/* The heap said no, and the process is still here. */
static void *memory_beyond(struct tsb_proc *p, struct tsb_heap *h, void *old, size_t n)
{
	struct kernel *k = p->k;
	size_t max = k->budget.max;
	void *q;

	/* Twice that: one that asks without end and looks at no answer is ended all the same. */
	k->budget.max = max < SIZE_MAX / 2 ? 2 * max : SIZE_MAX;
	q = heap_resize(h, old, n);
	k->budget.max = max;
	if (q)
		return q;
	/* There is no more. Not even an embedder's command can go on. */
	p->no_drop = 0;
	while (k->running == p)
		proc_die(p, SIGKILL);
	abort();
}

void *proc_memory(struct tsb_proc *p, size_t n)
{
	void *q = heap_alloc(p->main_heap, n);

	return q ? q : memory_beyond(p, p->main_heap, NULL, n);
}

struct tsb_heap *proc_inline_heap(struct tsb_proc *p)
{
	struct kernel *k = p->k;
	p->heap = heap_new(&k->budget, k->pool, kernel_oom, k);
	if (p->heap)
		return p->heap;
	kernel_oom(k, 0);
	p->heap = p->main_heap;		/* an embedder's command goes on with that */
	return p->heap;
}

void *tsb_realloc(struct tsb_proc *p, void *old, size_t n)
{
	struct tsb_heap *h = proc_heap_now(p);
	void *q = heap_resize(h, old, n);

	return q ? q : memory_beyond(p, h, old, n);
}

void *tsb_alloc(struct tsb_proc *p, size_t n)
{
	void *q = heap_zalloc(proc_heap_now(p), n);

	return q ? q : memset(tsb_realloc(p, NULL, n), 0, n);
}

void tsb_free(struct tsb_proc *p, void *old)
{
	if (old)
		heap_free(p->heap, old);
}

char *tsb_strdup(struct tsb_proc *p, const char *s)
{
	size_t n = s ? strlen(s) + 1 : 0;

	return s ? memcpy(tsb_realloc(p, NULL, n), s, n) : NULL;
}

char *tsb_strndup(struct tsb_proc *p, const char *s, size_t n)
{
	char *q;

	if (!s)
		return NULL;
	n = strnlen(s, n);
	q = memcpy(tsb_realloc(p, NULL, n + 1), s, n);
	q[n] = '\0';
	return q;
}

char *tsb_format(struct tsb_proc *p, const char *fmt, ...)
{
	struct str s;
	va_list ap;

	str_init(&s, proc_heap_now(p), STR_MAX_DEFAULT);
	va_start(ap, fmt);
	str_addvf(&s, fmt, ap);
	va_end(ap);
	/* bad only for an embedder's command beyond its memory: cut, but a string */
	return s.n ? str_take(&s, NULL) : tsb_strdup(p, "");
}

struct tsb_heap *tsb_heap_of(struct tsb_proc *p)
{
	return proc_heap_now(p);
}
