/*
 * Trees of files by their digests. The digest of a file is its content's, of a link its target's,
 * of a directory that of its entries in the order of their bytes: kind, permissions, name,
 * digest. So one digest stands for all below it, and what differs is found from the top.
 *
 * The fingerprint of a tree is its root's digest: the root's own permissions are not in it, nor
 * are times, owners, or special files.
 */
#ifndef TREE_TREE_H
#define TREE_TREE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "wire/wire.h"

#define FT_HASH 32u
#define FT_DEPTH 200u		/* directories in one another; each costs a descriptor */
#define FT_PATH 4095u
#define FT_STAGE ".tinybox-sync"	/* in a tree's root; never part of it */

enum ft_kind { FT_FILE = 'f', FT_DIR = 'd', FT_LINK = 'l', FT_OTHER = 'o' };

struct ft_node {
	char *name;		/* malloc; the root's is NULL */
	enum ft_kind kind;
	bool opaque;		/* a directory of which not all is known: its digest is none */
	bool listed;		/* its entries were told by the other side */
	bool partial;		/* something in it, at any depth, was left out */
	bool unread;		/* a file that was looked at, but not read: it has no digest yet */
	void *note;		/* whoever reads it may keep something here, in enter() */
	uint32_t mode;		/* permissions, 0777 */
	uint64_t size, mtime;
	uint8_t hash[FT_HASH];
	struct ft_node *child;
	size_t count, cap;
};

/* ---- node.c ---- */

/* NULL: no memory. The name is copied. Valid until the next one is added to the directory. */
struct ft_node *ft_add(struct ft_node *dir, const char *name, size_t n);
void ft_free(struct ft_node *node);		/* what it holds, not itself */
/* A tree that is read before it is asked for. */
struct ft_ahead {
	struct ft_node node;
	bool there;
};
/* Moves it to *here, which the caller frees. False: there is none, and *here stays as it is. */
bool ft_take_ahead(struct ft_ahead *a, struct ft_node *here);
/* Sorts the entries and makes the digest. False: two have one name. */
bool ft_seal(struct ft_node *dir);
/* ft_seal() of it and of all below. */
bool ft_seal_all(struct ft_node *dir);
/* Of a sealed directory; NULL: none. */
struct ft_node *ft_find(const struct ft_node *dir, const char *name, size_t n);
/* By a path below; "" is root itself. */
struct ft_node *ft_at(const struct ft_node *root, const char *path);
/* Names with single slashes between them; "" is one. */
bool ft_is_path(const char *s);

/* Adds them. False: damaged. */
bool ft_unpack(const uint8_t *data, size_t n, struct ft_node *dir);
/* TREE_LIST frames of one directory. */
void ft_list(struct wire_out *o, const struct ft_node *dir, const char *path);
/* TREE_KNOWN frames: every directory below root, and root. */
void ft_known(struct wire_out *o, const struct ft_node *root);
/* Adds a TREE_KNOWN frame's directories; to be sealed by ft_sort_all() when all are there. */
bool ft_take_known(const uint8_t *data, size_t n, struct ft_node *root);
void ft_sort_all(struct ft_node *root);
bool ft_sort(struct ft_node *dir);		/* false: two have one name */
/* Calls fn for dir and each directory below it that is not opaque, with its path. */
bool ft_each_dir(const struct ft_node *dir,
		   bool (*fn)(void *ctx, const struct ft_node *dir, const char *path), void *ctx);

/* A path that grows and shrinks by a name. */
struct ft_path {
	char *s;		/* NUL-terminated; NULL: "" was never more */
	size_t n, cap;
};
bool ft_push(struct ft_path *p, const char *name);
void ft_pop(struct ft_path *p, size_t n);		/* back to its length before */
const char *ft_path(const struct ft_path *p);

/* ---- scan.c ---- */

struct ft_scan {
	/* Left out: neither read nor part of it. NULL: nothing is. */
	bool (*skip)(void *ctx, const char *path, size_t n, bool is_dir);
	/* Before a directory's entries and after them (always both); false stops, error set. */
	bool (*enter)(void *ctx, int fd, const char *path, struct ft_node *dir);
	void (*leave)(void *ctx);
	/* A file that cannot be part of a tree. NULL: it becomes an entry of kind OTHER. */
	void (*special)(void *ctx, const char *path, const char *why);
	/* Called often. */
	void (*tick)(void *ctx);
	void *ctx;
	/* Directories that are not there are not looked into; NULL: all are. */
	const struct ft_node *known;
	/* Files are not read: no digest means anything before ft_read_files(). */
	bool names;
	/* Set by tick(): the rest need not be read. */
	bool enough;
	/* afterwards, when it failed */
	int error;
	struct ft_path path;		/* where */
	uint8_t *buf;
};

/* The entries of the directory `fd`, which stays open. False: s->error at s->path. */
bool ft_read(int fd, struct ft_node *dir, struct ft_scan *s);
/* Reads the files that were not read (what is gone goes), and seals it all, unless it is enough. */
bool ft_read_files(int fd, struct ft_node *dir, struct ft_scan *s);
void ft_scan_end(struct ft_scan *s);
/* One path below a directory, following nothing; -1: errno. */
int ft_open(int root, const char *path, int flags);
/* The directory that a path below root is in, and its last name; -1: errno. */
int ft_parent(int root, const char *path, const char **name);
/* malloc; NULL: errno */
char *ft_readlink(int dir, const char *name);

/*
 * Who has the key has written the data; its last FT_HASH bytes are that. (sign.c)
 */
void ft_sign(const uint8_t key[FT_HASH], const uint8_t *data, size_t n, uint8_t hash[FT_HASH]);
bool ft_is_signed(const uint8_t key[FT_HASH], const uint8_t *data, size_t n);

/* ---- stage.c, apply.c: a directory of this machine becomes another tree ---- */

/*
 * Everything new is first written into FT_STAGE; a journal of what is to be done follows, and
 * from then on it will be done, by us or, if we are killed, by whoever comes next. Before it
 * nothing has happened.
 */
struct ft_stage {
	/* Everything below, whatever its depth and rights, following no link: set by the caller. */
	bool (*remove)(int dir, const char *name);
	/* Called every few seconds while it is waited; may be NULL. */
	void (*tick)(void *ctx);
	void *ctx;
	/*
	 * Only a journal with this key is believed: a tree may hold one that somebody made up.
	 */
	uint8_t key[FT_HASH];
	int root, dir;		/* the tree; its FT_STAGE, -1: not there yet */
	uint32_t count;
	struct wire_out removes, puts, modes;	/* of the journal */
	/*
	 * The new directory that was staged last, where what is in it is staged too: all of it is
	 * one rename. And the directory in it that something was put in last. Paths; open if they are not NULL.
	 */
	char *tree, *within;
	int tree_fd, within_fd;
};

/*
 * Locks the tree (until root is closed, or ft_stage_end()) and finishes or clears what another one
 * left. -errno; -EWOULDBLOCK: another one is at work, and was for two seconds.
 */
int ft_stage_lock(struct ft_stage *s, int root);
/*
 * A new file, directory, or link to be; best a new directory and then all that is in it. The
 * descriptor of the file; 0; -errno
 */
int ft_stage_file(struct ft_stage *s, const char *path, uint32_t mode);
int ft_stage_file_done(struct ft_stage *s, int fd, uint32_t mode, uint64_t mtime);	/* closes it */
int ft_stage_dir(struct ft_stage *s, const char *path, uint32_t mode);
int ft_stage_link(struct ft_stage *s, const char *path, const char *target);
int ft_stage_mode(struct ft_stage *s, const char *path, uint32_t mode);
int ft_stage_remove(struct ft_stage *s, const char *path);
/* All of it happens, in a process of its own, so that nobody's end is in the way. 0, -errno */
int ft_stage_commit(struct ft_stage *s);
/* Nothing of it happened. Also after a commit; the lock is given back. */
void ft_stage_end(struct ft_stage *s);
/*
 * Does what a journal says, as often as it is asked to; 0, -errno; -EBUSY: all that can be done, a mount
 * being in the way. (apply.c)
 */
int ft_apply(const struct ft_stage *s, const uint8_t *journal, size_t n);

#endif
