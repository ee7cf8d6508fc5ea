/*
 * Layers: what boxes wrote, sealed. A layer is a directory LAYERS/layer-N with `upper` (an overlay's
 * upper directory) or `files` (the list of a virtual box), and once it was read
 *
 *	manifest	a line for each entry, sorted: what it is and the SHA-256 of its content
 *	stamp		SHA-256 of what stat says of all: as long as it holds, nothing was touched
 *
 * Layers are read by the host alone and by overlayfs; but what is in them a box made, or a stranger's
 * archive, so all is reached by descriptors, no link is followed, and depth has an end.
 */
#ifndef INIT_LAYER_H
#define INIT_LAYER_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/stat.h>

#include "init/text.h"
#include "wire/wire.h"

#define LAYER_DEPTH 400u
#define LAYER_BASE 0x70000000u	/* WALL_BASE: ids of boxes that the host's root started */

/* host.c has a request of WIRE_LAYER_*: answers on 1. False: the stream is over. */
bool layer_request(const struct wire_frame *f, struct wire_in *in);

/* ---- layer_walk.c ---- */

/*
 * Every entry below `from`, sorted by name, a directory before what is in it. visit: `to` is what
 * the visit of the directory put in *below (-1); closed when left(), if there is one, was called.
 */
struct walk {
	bool (*visit)(struct walk *w, int from, int to, const char *name, const struct stat *st,
		      int *below);
	bool (*left)(struct walk *w, int to, const struct stat *st);
	bool (*skip)(const char *name);	/* at the top; NULL: nothing */
	void *ctx;
	struct text path;		/* of the entry, and of the failure */
	const char *why;		/* when errno does not tell */
};

/* False: errno or w->why, and w->path tells where. */
bool walk_tree(struct walk *w, int from, int to);
void walk_free(struct walk *w);
/* A file or directory of a box for reading, whatever its mode. -1: errno. */
int walk_open(int dir, const char *name, const struct stat *st);
bool walk_is_opaque(int dir);
static inline bool walk_is_whiteout(const struct stat *st)
{
	return S_ISCHR(st->st_mode) && !st->st_rdev;
}

/* Files with several names: the path that was seen first, or NULL and this one is remembered. */
struct links {
	struct link_seen { ino_t ino; char *path; } *at;
	size_t n, room;
};
const char *links_first(struct links *l, ino_t ino, const char *path, bool *failed);
void links_free(struct links *l);

/* ---- layer_attr.c ---- */

typedef bool attr_fn(void *ctx, const char *name, const uint8_t *value, size_t n);
/* The attributes of a file or directory that are its user's, by name. False: errno, or fn said so. */
bool attr_each(int dir, const char *name, const struct stat *st, attr_fn *fn, void *ctx);
bool attr_is_users(const char *name);

/* ---- layer_hash.c ---- */

/* Reads all of it, writes manifest and stamp. */
bool layer_hash(int layer, uint8_t hash[32], uint64_t *size, uint64_t *count, struct text *why);
/* every: read all bytes. False: *why says what is damaged. */
bool layer_check(int layer, const uint8_t hash[32], bool every, struct text *why);
/* Entries of the layer itself, which are no content. */
bool layer_is_own(const char *name);
/* A machine's disk: at the top, and sparse: its holes are not read, hashed or sent. */
bool layer_is_disk(const char *path);
#define LAYER_BLOCK 65536u
/*
 * The next LAYER_BLOCK at or behind *at (a multiple of it) of a disk that is not all zeros: into data, *at is its place;
 * how much of it there is, 0: none, -1: errno.
 */
ssize_t layer_next_block(int fd, uint8_t *data, off_t *at);

/* ---- layer_copy.c ---- */

/*
 * What is in `from` on top of what is in `to`, as an overlay would show it, whiteouts kept. link: files
 * are not copied but get a second name.
 */
bool layer_put(int from, int to, bool link, bool (*skip)(const char *name), struct text *why);
bool layer_copy_data(int from, int to, uint64_t size);

/* ---- layer_pack.c ---- */

/* The layer as DATA_OUT frames on 1. */
bool layer_export(int layer, uint8_t hash[32], struct text *why);
/* From DATA_IN frames on 0 until CLOSE_IN. */
bool layer_import(int layer, struct wire_in *in, struct text *why);

#endif
