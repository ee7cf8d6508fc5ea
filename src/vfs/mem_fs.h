/*
 * Inside the memory filesystem: the filesystem itself, its inodes in use, and
 * content. See mem_obj.h for what they are made of.
 *
 * Every function here is called with the filesystem's lock held.
 */
#ifndef VFS_MEM_FS_H
#define VFS_MEM_FS_H

#include <pthread.h>
#include <sys/stat.h>

#include <tinysandbox/vfs.h>

#include "vfs/mem_obj.h"

#define MEM_ROOT_INO 1
#define MEM_FEW 8u
#define MEM_NEAR 38u

/* An inode that has open handles. When its last name goes it leaves the table of
 * inodes and lives on here, so that no branch ever sees it. */
struct vnode {
	struct vnode *next;
	uint64_t ino;
	uint64_t handles;
	struct inode *orphan;
};

struct memfs {
	struct tsb_fs fs;
	pthread_mutex_t lock;
	struct radix inodes;
	uint64_t ino_next;
	/* Usage counts orphans too, which are counted apart for branches. */
	uint64_t bytes, bytes_max, bytes_orphan;
	uint64_t entries, entries_max, entries_orphan;
	uint64_t file_max;
	/* An image that was there before the limits were set is not held against them. */
	uint64_t bytes_free_of_charge, entries_free_of_charge;
	struct vnode **open;		/* hash by ino: few[], or allocated */
	uint32_t open_n, open_size;
	struct vnode *few[MEM_FEW];
	/* The directory that the last walk ended in: its path with the slash behind, for the next one. */
	uint64_t near_ino;
	uint32_t near_uid, near_gid;	/* who may search all that is above it */
	bool near_may;			/* they are known */
	uint8_t near_n;			/* 0: none */
	char near[MEM_NEAR];
};

struct mem_file {
	struct tsb_file f;
	struct vnode *v;
	char *cursor;		/* readdir: the last name given; NULL: none yet */
};

extern const struct tsb_fs_ops mem_ops;

static inline struct memfs *mem_of(struct tsb_fs *fs)
{
	return (struct memfs *)fs;
}

/* a + b, at most what 64 bits hold. */
static inline uint64_t mem_sum(uint64_t a, uint64_t b)
{
	return a + b < a ? UINT64_MAX : a + b;
}

/* ---- mem_node.c ---- */

static inline struct inode *mem_inode(const struct memfs *fs, uint64_t ino)
{
	return radix_get(&fs->inodes, ino);
}
/* A new inode, not yet in the table; NULL: no memory. */
struct inode *mem_inode_new(struct memfs *fs, uint32_t mode, const struct tsb_caller *who);
/* The inode for change; NULL: no memory. */
struct inode *mem_own(struct memfs *fs, uint64_t ino);
void mem_touch(struct inode *i, int what, struct tsb_time now);
void mem_stat(const struct inode *i, struct tsb_stat *st);
void mem_setattr(struct inode *i, const struct tsb_caller *who, const struct tsb_setattr *set);
/* A write by others than root takes set-id bits away. */
void mem_drop_setid(struct inode *i, const struct tsb_caller *who);

/* NULL: no memory. */
struct vnode *mem_vnode_get(struct memfs *fs, uint64_t ino);
void mem_vnode_put(struct memfs *fs, struct vnode *v);
const struct inode *mem_vnode_inode(const struct memfs *fs, const struct vnode *v);
struct inode *mem_vnode_own(struct memfs *fs, struct vnode *v);
/* A name of the (owned) inode went; the last one takes the inode with it. */
void mem_drop_link(struct memfs *fs, struct inode *i, const struct tsb_caller *who);
/* All open inodes leave the tree and keep what they have. */
void mem_orphan_all(struct memfs *fs);

/* ---- mem_data.c ---- */

/* What an inode's content counts against bytes_max: the bytes up to its size that
 * lie in pages which exist. Holes are free. */
uint64_t mem_charge(const struct inode *i);
uint64_t mem_bytes_left(const struct memfs *fs);
size_t mem_read(const struct inode *i, char *buf, size_t n, uint64_t offset);
/* i is owned. Writes what fits; -EFBIG, -ENOSPC, -ENOMEM: nothing. */
ssize_t mem_write(struct memfs *fs, struct inode *i, const char *buf, size_t n, uint64_t offset);
int mem_resize(struct memfs *fs, struct inode *i, uint64_t size);

/* ---- mem_path.c ---- */

struct mem_spot {
	struct inode *dir;	/* the directory of the last component */
	struct dirkey key;	/* the last component */
	struct name *name;	/* NULL: not there */
	struct inode *inode;
};
/* Where path's last component is or would be. "/" has no directory: dir NULL.
 * -ENOENT or -ENOTDIR for what is before it. */
int mem_spot(struct memfs *fs, const char *path, struct mem_spot *s);
/* As ops->lookup; who NULL: no permission is asked for. */
int mem_walk(struct memfs *fs, const struct tsb_caller *who, const char *path, size_t *len,
	     struct inode **out);
/* Makes an inode with a name in s->dir. target: of a link. -ENOSPC, -ENOMEM. */
int mem_create(struct memfs *fs, const struct tsb_caller *who, const struct mem_spot *s,
	       uint32_t mode, const char *target, uint64_t rdev, uint64_t *ino);
int mem_rename(struct tsb_fs *tfs, const struct tsb_caller *who, const char *from,
	       const char *to, unsigned flags);

/* ---- mem_file.c ---- */

int mem_open(struct tsb_fs *tfs, const struct tsb_caller *who, const char *path, int flags,
	     uint32_t mode, struct tsb_file *file);
ssize_t mem_read_at(struct tsb_file *file, void *buf, size_t n, uint64_t offset);
ssize_t mem_write_at(struct tsb_file *file, const struct tsb_caller *who, const void *buf,
		     size_t n, uint64_t offset);
int mem_truncate(struct tsb_file *file, const struct tsb_caller *who, uint64_t size);
int mem_fstat(struct tsb_file *file, struct tsb_stat *st);
int mem_fsetattr(struct tsb_file *file, const struct tsb_caller *who,
		 const struct tsb_setattr *set);
int mem_sync(struct tsb_file *file);
ssize_t mem_readdir(struct tsb_file *file, void *buf, size_t cap);
int mem_close(struct tsb_file *file);

#endif
