/*
 * The map: entries in a vector in order of insertion, and a table of slots,
 * twice as long as the vector, that says where each key is. A removed key
 * leaves a hole in the vector and a mark in the table; both go when the vector
 * is full, by packing it (many holes) or doubling it. So the table is never
 * more than half full and a probe is short.
 *
 * Keys are hostile: the hash starts from where the program was loaded, which a
 * script cannot know, so that it cannot choose keys that collide. No order
 * depends on it.
 */
#include "base/map.h"

#include <string.h>

#include "base/heap.h"

#define SLOT_DELETED UINT32_MAX
#define MAP_FIRST 8
#define MAP_CAP_MAX ((size_t)1 << 30)

/* ---- Hash: eight bytes a turn, a 64 by 64 multiplication folded ---- */

static inline uint64_t hash_fold(uint64_t a, uint64_t b)
{
	unsigned __int128 r = (unsigned __int128)a * b;

	return (uint64_t)r ^ (uint64_t)(r >> 64);
}

/* The last bytes, 0 to 8, in one word: two reads that may overlap. */
static inline uint64_t hash_tail(const unsigned char *p, size_t len)
{
	uint32_t a, b;

	if (len >= 4) {
		memcpy(&a, p, 4);
		memcpy(&b, p + len - 4, 4);
		return (uint64_t)a << 32 | b;
	}
	if (len == 0)
		return 0;
	return (uint64_t)p[0] << 16 | (uint64_t)p[len / 2] << 8 | p[len - 1];
}

uint32_t map_hash(const void *key, size_t len)
{
	static const char anchor;
	const unsigned char *p = key;
	uint64_t h = ((uint64_t)(uintptr_t)&anchor ^ len) * 0x9E3779B97F4A7C15u, w;

	for (; len > 8; p += 8, len -= 8) {
		memcpy(&w, p, 8);
		h = hash_fold(h ^ w, 0xD6E8FEB86659FD93u);
	}
	h = hash_fold(h ^ hash_tail(p, len), 0xA0761D6478BD642Fu);
	h = hash_fold(h ^ (h >> 32), 0xE7037ED1A0B428DBu);
	return (uint32_t)h ? (uint32_t)h : 1;
}

void map_init(struct map *m, struct tsb_heap *heap)
{
	memset(m, 0, sizeof(*m));
	m->heap = heap;
}

void map_end(struct map *m)
{
	for (size_t i = 0; i < m->n_used; i++)
		heap_free(m->heap, (char *)m->at[i].key);
	heap_free(m->heap, m->at);
	heap_free(m->heap, m->slots);
	map_init(m, m->heap);
}

/* The slot that points to the key, or NULL. */
static uint32_t *map_slot(const struct map *m, const char *key, size_t len, uint32_t hash)
{
	size_t mask = m->n_slots - 1;

	if (m->n == 0)
		return NULL;
	for (size_t i = hash & mask; m->slots[i]; i = (i + 1) & mask) {
		const struct map_entry *e;

		if (m->slots[i] == SLOT_DELETED)
			continue;
		e = &m->at[m->slots[i] - 1];
		if (e->hash == hash && e->len == len && (len == 0 || !memcmp(e->key, key, len)))
			return &m->slots[i];
	}
	return NULL;
}

struct map_entry *map_find_hashed(const struct map *m, const char *key, size_t len, uint32_t hash)
{
	uint32_t *slot = map_slot(m, key, len, hash);

	return slot ? &m->at[*slot - 1] : NULL;
}

struct map_entry *map_find(const struct map *m, const char *key, size_t len)
{
	return m->n ? map_find_hashed(m, key, len, map_hash(key, len)) : NULL;
}

/* Points a free slot to entry number `index`. */
static void map_point(struct map *m, size_t index)
{
	size_t mask = m->n_slots - 1;
	size_t i = m->at[index].hash & mask;

	while (m->slots[i])
		i = (i + 1) & mask;
	m->slots[i] = (uint32_t)(index + 1);
}

static void map_pack(struct map *m)
{
	size_t n = 0;

	for (size_t i = 0; i < m->n_used; i++)
		if (m->at[i].key)
			m->at[n++] = m->at[i];
	m->n_used = n;
	memset(m->slots, 0, m->n_slots * sizeof(*m->slots));
	for (size_t i = 0; i < n; i++)
		map_point(m, i);
}

static bool map_double(struct map *m)
{
	size_t cap = m->cap ? m->cap * 2 : MAP_FIRST;
	struct map_entry *at;
	uint32_t *slots;

	if (cap > MAP_CAP_MAX) {
		heap_oom(m->heap, cap);
		return false;
	}
	slots = heap_array(m->heap, cap * 2, sizeof(*slots));
	if (!slots)
		return false;
	at = heap_resize(m->heap, m->at, cap * sizeof(*at));
	if (!at) {
		heap_free(m->heap, slots);
		return false;
	}
	heap_free(m->heap, m->slots);
	m->at = at;
	m->slots = slots;
	m->cap = cap;
	m->n_slots = cap * 2;
	map_pack(m);
	return true;
}

static bool map_make_room(struct map *m)
{
	if (m->n_used < m->cap)
		return true;
	/* Packing pays when a quarter is holes: then it is rare enough. */
	if (m->n < m->cap - m->cap / 4) {
		map_pack(m);
		return true;
	}
	return map_double(m);
}

struct map_entry *map_put(struct map *m, const char *key, size_t len)
{
	uint32_t hash = map_hash(key, len);
	struct map_entry *e = map_find_hashed(m, key, len, hash);
	char *copy;

	if (e)
		return e;
	copy = heap_dup(m->heap, key, len);
	if (!copy)
		return NULL;
	if (!map_make_room(m)) {
		heap_free(m->heap, copy);
		return NULL;
	}
	e = &m->at[m->n_used++];
	*e = (struct map_entry){ copy, len, hash, NULL };
	m->n++;
	map_point(m, m->n_used - 1);
	return e;
}

bool map_remove(struct map *m, const char *key, size_t len)
{
	uint32_t *slot = m->n ? map_slot(m, key, len, map_hash(key, len)) : NULL;
	struct map_entry *e;

	if (!slot)
		return false;
	e = &m->at[*slot - 1];
	heap_free(m->heap, (char *)e->key);
	e->key = NULL;
	*slot = SLOT_DELETED;
	m->n--;
	return true;
}

struct map_entry *map_next(const struct map *m, struct map_entry *after)
{
	size_t i = after ? (size_t)(after - m->at) + 1 : 0;

	while (i < m->n_used && !m->at[i].key)
		i++;
	return i < m->n_used ? &m->at[i] : NULL;
}
