/*
 * Rings: lists whose links are inside the items, so that joining and leaving
 * take no memory and cannot fail. A ring is a head that points to itself when
 * it is empty; an item outside of every ring points to itself as well.
 */
#ifndef KERNEL_RING_H
#define KERNEL_RING_H

#include <stdbool.h>
#include <stddef.h>

struct ring {
	struct ring *next, *prev;
};

static inline void ring_init(struct ring *r)
{
	r->next = r->prev = r;
}

static inline bool ring_empty(const struct ring *r)
{
	return r->next == r;
}

static inline void ring_del(struct ring *item)
{
	item->prev->next = item->next;
	item->next->prev = item->prev;
	ring_init(item);
}

/* At the end of the ring, or before an item of it. */
static inline void ring_add(struct ring *head, struct ring *item)
{
	item->next = head;
	item->prev = head->prev;
	head->prev->next = item;
	head->prev = item;
}

#define ring_item(r, type, member) ((type *)(void *)((char *)(r) - offsetof(type, member)))
/* The item at r may be removed in the body. */
#define ring_each(at, tmp, head) \
	for ((at) = (head)->next, (tmp) = (at)->next; (at) != (head); \
	     (at) = (tmp), (tmp) = (at)->next)

#endif
