/*
 * Inside the memory filesystem: counted objects and the two persistent maps made
 * of them.
 *
 * Everything the tree consists of is a struct obj with a count of references. An
 * object that is referenced once may be changed in place by its owner; one that
 * is shared (by a branch) is copied first, which is called to `own` it here. So a
 * branch costs one reference, and a write after it copies only the path to what
 * is written. Counts are atomic because branches live on different threads; all
 * else of an object is guarded by the lock of the only filesystem that has it.
 *
 * Nothing here recurses: freeing keeps a list of dead objects, threaded through
 * the objects themselves.
 */
#ifndef VFS_MEM_OBJ_H
#define VFS_MEM_OBJ_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

enum obj_kind { OBJ_TABLE, OBJ_PAGE, OBJ_INODE, OBJ_DIRNODE, OBJ_NAME };

struct obj {
	uint32_t refs;
	uint8_t kind;
	uint8_t level;		/* tables and directory nodes: 0 at the bottom */
	uint16_t n;		/* slots, items or bytes in use */
};

/* Memory that may be asked for at once; NULL when there is none. *obj is set up
 * with one reference, all else is not zeroed. */
void *obj_new(enum obj_kind kind, size_t size);
/* Both take NULL. */
void *obj_ref(void *obj);
void obj_unref(void *obj);
static inline bool obj_shared(const struct obj *o)
{
	return __atomic_load_n(&o->refs, __ATOMIC_ACQUIRE) != 1;
}

/* ---- Pages: content. What lies behind cap is zeroes. ---- */

#define PAGE_BYTES 4096u
#define PAGE_LEAST 128u

struct page {
	struct obj o;		/* n: capacity / PAGE_LEAST; level: PAGE_FAR or 0 */
	char data[];
};
/*
 * The bytes are elsewhere, at the address in data[]: nobody writes them, and they are there as long as
 * the process (a list of changes that is mapped). Such a page is copied before it is written.
 */
#define PAGE_FAR 1
static inline const char *page_bytes(const struct page *p)
{
	const char *far;

	if (p->o.level != PAGE_FAR)
		return p->data;
	memcpy(&far, p->data, sizeof(far));
	return far;
}
static inline size_t page_cap(const struct page *p)
{
	return (size_t)p->o.n * PAGE_LEAST;
}

/* ---- Radix: 64-bit numbers to objects ---- */

#define RADIX_BITS 5
#define RADIX_FAN (1u << RADIX_BITS)
#define RADIX_HEIGHT_MAX 13

struct table {
	struct obj o;		/* n: slots in use; level 0: slots hold values */
	uint64_t count;		/* values below; the next dead one when freed */
	struct obj *slot[RADIX_FAN];
};

/* Zeroed is empty. Height 0: root is the value of key 0. */
struct radix {
	struct obj *root;
	unsigned height;
};

void *radix_get(const struct radix *r, uint64_t key);
uint64_t radix_count(const struct radix *r);
/* key, which is not there, gets value (its reference is taken over). -ENOMEM. */
int radix_add(struct radix *r, uint64_t key, void *value);
/* Owns the path to key, which is there: the slot, whose object may be exchanged.
 * NULL: no memory. */
struct obj **radix_own(struct radix *r, uint64_t key);
/* Takes key out and gives its value (the reference is the caller's). The path
 * must have been owned since it was last shared. */
void *radix_take(struct radix *r, uint64_t key);
/* Removes all keys >= key. -ENOMEM: nothing has changed. */
int radix_cut(struct radix *r, uint64_t key);

/* ---- Directories: names to inode numbers, a B+-tree in order of bytes ---- */

struct name {
	struct obj o;		/* n: length */
	uint32_t type;		/* S_IFMT bits */
	uint64_t ino;
	char text[];		/* NUL-terminated */
};

#define DIR_FAN 32u
struct dirnode {
	struct obj o;		/* n: items */
	uint32_t cap;		/* of item[]: DIR_FAN, or less in a small bottom node */
	struct dirnode *dead;
	struct {
		uint64_t head;	/* first 8 bytes of the name, big endian */
		struct name *name;	/* inner nodes: the least name of the child; 0: NULL */
	} item[];
	/* inner nodes: struct dirnode *child[DIR_FAN] behind item[DIR_FAN] */
};

struct dirkey {
	const char *p;
	size_t n;
	uint64_t head;
};

struct dirkey dir_key(const char *p, size_t n);
struct name *name_new(const char *p, size_t n, uint64_t ino, uint32_t type);
struct name *dir_get(const struct dirnode *root, const struct dirkey *k);
/* The first name behind k (k NULL: the first of all), or NULL. */
struct name *dir_after(const struct dirnode *root, const struct dirkey *k);
/* Adds a name that is not there (its reference is taken over). -ENOMEM. */
int dir_add(struct dirnode **root, struct name *name);
/* Owns the path to a name that is there: its place. NULL: no memory. */
struct name **dir_own(struct dirnode **root, const struct dirkey *k);
/* The place of a name whose path has been owned; the name in it may be exchanged
 * for an equal one. */
struct name **dir_place(struct dirnode *root, const struct dirkey *k);
/* Removes a name; its path has been owned. */
void dir_remove(struct dirnode **root, const struct dirkey *k);

/* ---- Inodes ---- */

#define INLINE_MAX 64u

enum inode_form {
	FORM_INLINE,		/* files and links: in text[] */
	FORM_PAGES,		/* files and long links */
	FORM_DIR, FORM_NODE
};

struct inode {
	struct obj o;		/* level: enum inode_form; n: inline: is any of it written */
	uint64_t ino;		/* the next dead one when freed */
	uint32_t mode, nlink, uid, gid;
	int64_t sec[4];		/* of the times, by TIME_* */
	int32_t nsec[4];
	uint64_t size;		/* directories: number of entries */
	union {
		char text[INLINE_MAX];	/* zeroes behind size */
		struct radix pages;
		struct dirnode *dir;
		uint64_t rdev;
	} u;
};
enum { TIME_A, TIME_M, TIME_C, TIME_B };

#endif
