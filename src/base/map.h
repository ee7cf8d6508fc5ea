/*
 * A map from byte strings to pointers: open addressing, seeded hash, keys
 * copied into the heap. Iteration is in order of insertion (a deleted key
 * leaves its place). Zeroed + map_init() is empty and takes no memory.
 */
#ifndef BASE_MAP_H
#define BASE_MAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct tsb_heap;

struct map_entry {
	const char *key;	/* NUL-terminated; NULL: deleted */
	size_t len;
	uint32_t hash;
	void *value;
};

struct map {
	struct tsb_heap *heap;
	struct map_entry *at;	/* entries in order of insertion, n_used of them */
	uint32_t *slots;	/* index + 1 into at; 0 free, UINT32_MAX deleted */
	size_t n;		/* live entries */
	size_t n_used, cap, n_slots;
};

/* Seeded with where the program was loaded: good for this run of it only. Never
 * 0. What map_find_hashed() expects. */
uint32_t map_hash(const void *key, size_t len);

void map_init(struct map *m, struct tsb_heap *heap);
void map_end(struct map *m);
/* NULL when absent. The entry is good until the next insert. */
struct map_entry *map_find(const struct map *m, const char *key, size_t len);
struct map_entry *map_find_hashed(const struct map *m, const char *key, size_t len, uint32_t hash);
/* Finds or inserts (value NULL then). NULL when memory ends. */
struct map_entry *map_put(struct map *m, const char *key, size_t len);
bool map_remove(struct map *m, const char *key, size_t len);
/* for (struct map_entry *e = NULL; (e = map_next(m, e));) */
struct map_entry *map_next(const struct map *m, struct map_entry *after);

#endif
