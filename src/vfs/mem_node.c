/*
 * Inodes of the memory filesystem: their attributes, those that are open, and
 * what happens when the last name goes.
 *
 * An open file is found by number, not by pointer: a change may replace the inode
 * by a copy at any time (copy on write). An inode whose last name goes while it
 * is open moves from the table to its vnode, is charged until the last close, and
 * is seen by no branch.
 */
#include "vfs/mem_fs.h"

#include <stdlib.h>
#include <string.h>

#define MEM_DIR_SIZE 4096u	/* what directories show, as on ext4 */

struct inode *mem_inode_new(struct memfs *fs, uint32_t mode, const struct tsb_caller *who)
{
	struct inode *i = obj_new(OBJ_INODE, sizeof(*i));
	if (!i)
		return NULL;
	memset((char *)i + sizeof(i->o), 0, sizeof(*i) - sizeof(i->o));
	i->o.level = S_ISDIR(mode) ? FORM_DIR : S_ISREG(mode) || S_ISLNK(mode) ?
		FORM_INLINE : FORM_NODE;
	i->ino = fs->ino_next++;
	i->mode = mode;
	i->nlink = S_ISDIR(mode) ? 2 : 1;
	i->uid = who->uid;
	i->gid = who->gid;
	for (int t = TIME_A; t <= TIME_B; t++)
		mem_touch(i, t, who->now);
	return i;
}

/* The inode in *slot for change. */
static struct inode *mem_own_slot(struct inode **slot)
{
	struct inode *old = *slot, *i;
	if (!obj_shared(&old->o))
		return old;
	i = obj_new(OBJ_INODE, sizeof(*i));
	if (!i)
		return NULL;
	/* All but the head: others count its references meanwhile. */
	memcpy((char *)i + sizeof(i->o), (const char *)old + sizeof(old->o),
	       sizeof(*i) - sizeof(i->o));
	i->o.level = old->o.level;
	i->o.n = old->o.n;
	if (i->o.level == FORM_PAGES)
		obj_ref(i->u.pages.root);
	else if (i->o.level == FORM_DIR)
		obj_ref(i->u.dir);
	*slot = i;
	obj_unref(old);
	return i;
}

struct inode *mem_own(struct memfs *fs, uint64_t ino)
{
	struct obj **slot = radix_own(&fs->inodes, ino);
	return slot ? mem_own_slot((struct inode **)slot) : NULL;
}

void mem_touch(struct inode *i, int what, struct tsb_time now)
{
	i->sec[what] = now.sec;
	i->nsec[what] = now.nsec;
}

static struct tsb_time mem_time(const struct inode *i, int what)
{
	return (struct tsb_time){ i->sec[what], i->nsec[what] };
}

static uint64_t mem_blocks(const struct inode *i)
{
	if (i->o.level == FORM_DIR)
		return MEM_DIR_SIZE / 512;
	if (i->o.level == FORM_PAGES)
		return radix_count(&i->u.pages) * (PAGE_BYTES / 512);
	return S_ISREG(i->mode) && i->o.n ? PAGE_BYTES / 512 : 0;
}

void mem_stat(const struct inode *i, struct tsb_stat *st)
{
	st->dev = 0;
	st->ino = i->ino;
	st->mode = i->mode;
	st->nlink = i->nlink;
	st->uid = i->uid;
	st->gid = i->gid;
	st->rdev = i->o.level == FORM_NODE ? i->u.rdev : 0;
	st->size = i->o.level == FORM_DIR ? MEM_DIR_SIZE : i->size;
	st->blocks = mem_blocks(i);
	st->blksize = PAGE_BYTES;
	st->atime = mem_time(i, TIME_A);
	st->mtime = mem_time(i, TIME_M);
	st->ctime = mem_time(i, TIME_C);
	st->btime = mem_time(i, TIME_B);
}

void mem_setattr(struct inode *i, const struct tsb_caller *who, const struct tsb_setattr *set)
{
	if (set->mask & TSB_SET_MODE)
		i->mode = (i->mode & S_IFMT) | (set->mode & 07777);
	if (set->mask & TSB_SET_UID)
		i->uid = set->uid;
	if (set->mask & TSB_SET_GID)
		i->gid = set->gid;
	if (set->mask & TSB_SET_ATIME)
		mem_touch(i, TIME_A, set->atime);
	if (set->mask & TSB_SET_MTIME)
		mem_touch(i, TIME_M, set->mtime);
	if (set->mask)
		mem_touch(i, TIME_C, who->now);
}

void mem_drop_setid(struct inode *i, const struct tsb_caller *who)
{
	if (!(i->mode & (S_ISUID | S_ISGID)) || who->uid == 0 || !S_ISREG(i->mode))
		return;
	i->mode &= ~(uint32_t)S_ISUID;
	if (i->mode & S_IXGRP)
		i->mode &= ~(uint32_t)S_ISGID;
}

/* ---- Open inodes ---- */

static struct vnode **mem_bucket(const struct memfs *fs, uint64_t ino)
{
	return &fs->open[ino & (fs->open_size - 1)];
}

/* Orphans are not found: after a restore, another inode may have their number. */
static struct vnode *mem_vnode_find(const struct memfs *fs, uint64_t ino)
{
	struct vnode *v = *mem_bucket(fs, ino);
	while (v && (v->ino != ino || v->orphan))
		v = v->next;
	return v;
}

/* Makes the hash larger; without memory the chains get longer: no harm. */
static void mem_open_grow(struct memfs *fs)
{
	uint32_t old_size = fs->open_size;
	struct vnode **old = fs->open;
	struct vnode **buckets = calloc((size_t)old_size * 4, sizeof(*buckets));
	if (!buckets)
		return;
	fs->open = buckets;
	fs->open_size = old_size * 4;
	for (uint32_t b = 0; b < old_size; b++) {
		while (old[b]) {
			struct vnode *v = old[b], **to = mem_bucket(fs, v->ino);
			old[b] = v->next;
			v->next = *to;
			*to = v;
		}
	}
	if (old != fs->few)
		free(old);
}

struct vnode *mem_vnode_get(struct memfs *fs, uint64_t ino)
{
	struct vnode *v = mem_vnode_find(fs, ino), **bucket;
	if (v) {
		v->handles++;
		return v;
	}
	if (fs->open_n >= fs->open_size * 2 && fs->open_size < (1u << 28))
		mem_open_grow(fs);
	v = malloc(sizeof(*v));
	if (!v)
		return NULL;
	bucket = mem_bucket(fs, ino);
	*v = (struct vnode){ *bucket, ino, 1, NULL };
	*bucket = v;
	fs->open_n++;
	return v;
}

static void mem_drop_orphan(struct memfs *fs, struct inode *i)
{
	uint64_t bytes = mem_charge(i);
	fs->bytes -= bytes;
	fs->bytes_orphan -= bytes;
	fs->entries--;
	fs->entries_orphan--;
	obj_unref(i);
}

void mem_vnode_put(struct memfs *fs, struct vnode *v)
{
	struct vnode **at = mem_bucket(fs, v->ino);
	if (--v->handles)
		return;
	while (*at != v)
		at = &(*at)->next;
	*at = v->next;
	fs->open_n--;
	if (v->orphan)
		mem_drop_orphan(fs, v->orphan);
	free(v);
}

const struct inode *mem_vnode_inode(const struct memfs *fs, const struct vnode *v)
{
	return v->orphan ? v->orphan : mem_inode(fs, v->ino);
}

struct inode *mem_vnode_own(struct memfs *fs, struct vnode *v)
{
	return v->orphan ? mem_own_slot(&v->orphan) : mem_own(fs, v->ino);
}

/* The vnode gets the inode (with its reference); it is charged already. */
static void mem_make_orphan(struct memfs *fs, struct vnode *v, struct inode *i)
{
	v->orphan = i;
	fs->bytes_orphan += mem_charge(i);
	fs->entries_orphan++;
}

void mem_drop_link(struct memfs *fs, struct inode *i, const struct tsb_caller *who)
{
	struct vnode *v;
	mem_touch(i, TIME_C, who->now);
	i->nlink = S_ISDIR(i->mode) ? 0 : i->nlink - 1;
	if (i->nlink) {
		fs->entries--;
		return;
	}
	v = mem_vnode_find(fs, i->ino);
	radix_take(&fs->inodes, i->ino);
	if (v) {
		mem_make_orphan(fs, v, i);
		return;
	}
	fs->bytes -= mem_charge(i);
	fs->entries--;
	obj_unref(i);
}

void mem_orphan_all(struct memfs *fs)
{
	for (uint32_t b = 0; b < fs->open_size; b++)
		for (struct vnode *v = fs->open[b]; v; v = v->next)
			if (!v->orphan)
				mem_make_orphan(fs, v, obj_ref(mem_inode(fs, v->ino)));
}
