/*
 * The first `max` bytes go into one buffer. When more come, its first half stays
 * (the head) and the rest becomes a ring that holds the latest bytes (the tail);
 * capture_take() puts head, marker and tail together. So memory is bounded by
 * the maximum whatever is written.
 */
#include "sandbox/capture.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FIRST_SIZE 512

void capture_init(struct capture *c, uint64_t max, const char *limit)
{
	memset(c, 0, sizeof(*c));
	c->max = max > SIZE_MAX / 4 ? SIZE_MAX / 4 : (size_t)max;
	c->limit = limit;
}

static int grow(struct capture *c, size_t want)
{
	size_t cap = c->cap ? c->cap : FIRST_SIZE;
	char *p;

	if (want > c->max)
		want = c->max;
	while (cap < want)
		cap *= 2;
	if (cap > c->max)
		cap = c->max;
	if (cap <= c->cap)
		return 0;
	p = realloc(c->p, cap);
	if (!p)
		return -ENOMEM;
	c->p = p;
	c->cap = cap;
	return 0;
}

/* Where the byte number `at` of the stream goes, once the ring is in use. */
static size_t ring_place(const struct capture *c, uint64_t at)
{
	size_t head = c->max / 2;

	return at < c->max ? (size_t)at : head + (size_t)((at - head) % (c->max - head));
}

int capture_add(struct capture *c, const void *data, size_t n)
{
	const char *from = data;

	if (c->max == 0) {
		c->total += n;
		return 0;
	}
	if (c->n < c->max && grow(c, c->n + n < c->n ? c->max : c->n + n))
		return -ENOMEM;
	while (n) {
		size_t place = ring_place(c, c->total);
		size_t room = c->max - place;
		size_t now = n < room ? n : room;

		memcpy(c->p + place, from, now);
		if (place + now > c->n)
			c->n = place + now;
		c->total += now;
		from += now;
		n -= now;
	}
	return 0;
}

static void copy_tail(const struct capture *c, char *to, size_t n)
{
	uint64_t at = c->total - n;

	while (n) {
		size_t place = ring_place(c, at);
		size_t now = c->max - place < n ? c->max - place : n;

		memcpy(to, c->p + place, now);
		to += now;
		at += now;
		n -= now;
	}
}

static char *take_cut(const struct capture *c, size_t *n)
{
	char marker[160];
	size_t head = c->max / 2, mark, tail;
	char *out = malloc(c->max + 1);

	if (!out)
		return NULL;
	mark = (size_t)snprintf(marker, sizeof(marker),
				"\n[tinysandbox: output cut by %s, %" PRIu64 " bytes came]\n",
				c->limit, c->total);
	if (mark > c->max - head)
		mark = c->max - head;
	tail = c->max - head - mark;
	if (head)
		memcpy(out, c->p, head);
	memcpy(out + head, marker, mark);
	copy_tail(c, out + head + mark, tail);
	*n = head + mark + tail;
	out[*n] = '\0';
	return out;
}

/* Most runs write nothing to one of the two: that costs no memory. */
static const char no_text[] = "";

char *capture_take(struct capture *c, size_t *n, bool *truncated)
{
	char *out = c->p;

	*n = c->n;
	*truncated = c->total > c->max;
	if (*truncated)
		return take_cut(c, n);
	if (!c->n)
		return (char *)(uintptr_t)no_text;
	/* The buffer itself, if not much of it would lie idle. */
	if (c->n == c->cap || c->cap > 4 * FIRST_SIZE) {
		out = realloc(out, c->n + 1);
		if (!out)
			return NULL;
	}
	out[c->n] = '\0';
	c->p = NULL;
	return out;
}

void capture_free(char *text)
{
	if (text != no_text)
		free(text);
}

void capture_end(struct capture *c)
{
	free(c->p);
	c->p = NULL;
	c->n = c->cap = 0;
}
