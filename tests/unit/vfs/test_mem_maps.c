/* The two persistent maps against arrays: thousands of keys, several versions. */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "vfs/mem_obj.h"

#include "tap.h"

#define KEYS 3000
#define VERSIONS 6

static uint64_t seed = 1;
static uint32_t roll(uint32_t n)
{
	seed = seed * 6364136223846793005u + 1442695040888963407u;
	return (uint32_t)(seed >> 33) % n;
}

/* Names with equal first 8 bytes, short ones, prefixes of one another. */
static void key_text(unsigned i, char *to)
{
	static const char *const heads[] = { "", "file", "longprefix-of-many-", "x", "12345678" };
	sprintf(to, "%s%u", heads[i % 5], i / 5);
}

struct dirs {
	struct dirnode *root;
	bool has[KEYS];
};

static struct name *dir_find(struct dirs *d, unsigned i)
{
	char text[64];
	struct dirkey k;
	key_text(i, text);
	k = dir_key(text, strlen(text));
	return dir_get(d->root, &k);
}

static bool dir_right(struct dirs *d)
{
	struct name *nm = dir_after(d->root, NULL), *last = NULL;
	unsigned count = 0, want = 0;
	for (unsigned i = 0; i < KEYS; i++) {
		struct name *found = dir_find(d, i);
		want += d->has[i];
		if ((found != NULL) != d->has[i] || (found && found->ino != i))
			return false;
	}
	while (nm) {
		struct dirkey k = dir_key(nm->text, nm->o.n);
		if (last && strcmp(last->text, nm->text) >= 0)
			return false;
		count++;
		last = nm;
		nm = dir_after(d->root, &k);
	}
	return count == want;
}

static bool dir_flip(struct dirs *d, unsigned i)
{
	char text[64];
	struct dirkey k;
	key_text(i, text);
	k = dir_key(text, strlen(text));
	if (!d->has[i]) {
		if (dir_add(&d->root, name_new(text, strlen(text), i, 0)))
			return false;
	} else {
		struct name **at = dir_own(&d->root, &k);
		if (!at || (*at)->ino != i || dir_place(d->root, &k) != at)
			return false;
		dir_remove(&d->root, &k);
	}
	d->has[i] = !d->has[i];
	return true;
}

static void dirs_keep_versions(void)
{
	static struct dirs at[VERSIONS];
	bool good = true, right = true;
	for (int round = 0; round < 400; round++) {
		struct dirs *d = &at[roll(VERSIONS)];
		/* Grow, shrink, or change at random. */
		unsigned from = roll(KEYS), n = roll(200);
		unsigned mode = roll(3);
		for (unsigned j = 0; j < n && good; j++) {
			unsigned i = roll(2) ? (from + j) % KEYS : roll(KEYS);
			if (mode == 2 || d->has[i] == (mode == 1))
				good = dir_flip(d, i);
		}
		if (roll(4) == 0) {
			struct dirs *to = &at[roll(VERSIONS)];
			if (to != d) {
				obj_unref(to->root);
				*to = *d;
				obj_ref(to->root);
			}
		}
		if (round % 20 == 0)
			for (int v = 0; v < VERSIONS; v++)
				right = right && dir_right(&at[v]);
	}
	ok(good, "dir: additions and removals succeed");
	ok(right, "dir: every version holds what it should, in order");
	for (unsigned i = 0; i < KEYS; i++)
		if (at[0].has[i])
			dir_flip(&at[0], i);
	ok(!at[0].root, "dir: an emptied directory takes no node");
	for (int v = 0; v < VERSIONS; v++)
		obj_unref(at[v].root);
}

static void dir_extreme_bytes(void)
{
	static const char *const names[] = { "\377\377\377\377\377\377\377\377", "\377",
					     "\377\377\377\377\377\377\377\377\377", "\1", "\200",
					     "a", "ab", "abc", "abcd", "abcde", "abcdef", "abcdefg",
					     "abcdefgh", "abcdefghi" };
	struct dirnode *root = NULL;
	bool found = true;
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		dir_add(&root, name_new(names[i], strlen(names[i]), i, 0));
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		struct dirkey k = dir_key(names[i], strlen(names[i]));
		struct name *nm = dir_get(root, &k);
		found = found && nm && nm->ino == i;
	}
	ok(found, "dir: names of high bytes and all short lengths");
	obj_unref(root);
}

/* Keys of all magnitudes. */
static uint64_t radix_key(unsigned i)
{
	return i < 1000 ? i : i + ((uint64_t)1 << (12 + i % 52));
}

static void radix_keeps_versions(void)
{
	static struct { struct radix r; bool has[KEYS]; } at[VERSIONS];
	static struct page *pages[KEYS];
	bool good = true;
	for (unsigned i = 0; i < KEYS; i++)
		pages[i] = obj_new(OBJ_PAGE, sizeof(struct page));
	for (int round = 0; round < 60000 && good; round++) {
		unsigned v = roll(VERSIONS), i = roll(KEYS), w = roll(VERSIONS);
		if (at[v].has[i]) {
			struct obj **slot = radix_own(&at[v].r, radix_key(i));
			good = slot && *slot == &pages[i]->o;
			obj_unref(radix_take(&at[v].r, radix_key(i)));
		} else {
			good = !radix_add(&at[v].r, radix_key(i), obj_ref(pages[i]));
		}
		at[v].has[i] = !at[v].has[i];
		if (round % 500 == 0 && v != w) {
			obj_unref(at[w].r.root);
			at[w] = at[v];
			obj_ref(at[w].r.root);
		}
		if (round % 3000 == 0) {
			uint64_t cut = radix_key(roll(KEYS));
			good = good && !radix_cut(&at[w].r, cut);
			for (unsigned j = 0; j < KEYS; j++)
				at[w].has[j] = at[w].has[j] && radix_key(j) < cut;
		}
		if (round % 1000)
			continue;
		for (v = 0; v < VERSIONS; v++) {
			uint64_t count = 0;
			for (i = 0; i < KEYS; i++) {
				void *p = radix_get(&at[v].r, radix_key(i));
				good = good && (p == pages[i]) == at[v].has[i] && (p || !at[v].has[i]);
				count += at[v].has[i];
			}
			good = good && radix_count(&at[v].r) == count;
		}
	}
	ok(good, "radix: every version holds what it should, and counts it");
	for (int v = 0; v < VERSIONS; v++)
		obj_unref(at[v].r.root);
	for (unsigned i = 0; i < KEYS; i++) {
		good = good && !obj_shared(&pages[i]->o);
		obj_unref(pages[i]);
	}
	ok(good, "radix: all references are given back");
}

int main(void)
{
	dirs_keep_versions();
	dir_extreme_bytes();
	radix_keeps_versions();
	return done();
}
