/*
 * Paths in the memory filesystem: walking, making, renaming.
 *
 * Changes fail whole: first everything that may need memory is done (nodes are
 * owned, objects made), in an order in which each step is invisible or undone by
 * the next line; then come steps that cannot fail.
 */
#include "vfs/mem_fs.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static bool mem_may_search(const struct inode *dir, const struct tsb_caller *who)
{
	unsigned shift = who->uid == dir->uid ? 6 : who->gid == dir->gid ? 3 : 0;
	return who->uid == 0 || (dir->mode >> shift & 1);
}

/* The component at p: its length. */
static size_t mem_component(const char *p)
{
	size_t n = 0;
	while (p[n] && p[n] != '/')
		n++;
	return n;
}

static struct inode *mem_child(const struct memfs *fs, const struct inode *dir, const char *p,
			       size_t n)
{
	struct dirkey k = dir_key(p, n);
	const struct name *nm = dir_get(dir->u.dir, &k);
	return nm ? mem_inode(fs, nm->ino) : NULL;
}

/* The last component of path begins at p, in dir, which `who` has walked to. */
static void mem_near_keep(struct memfs *fs, const struct tsb_caller *who, const char *path,
			  const char *p, const struct inode *dir)
{
	size_t n = (size_t)(p - path);
	if (n > MEM_NEAR)
		return;
	memcpy(fs->near, path, n);
	fs->near_n = (uint8_t)n;
	fs->near_ino = dir->ino;
	fs->near_may = who != NULL;
	fs->near_uid = who ? who->uid : 0;
	fs->near_gid = who ? who->gid : 0;
}

/* Does path begin in the near directory? */
static bool mem_near_has(const struct memfs *fs, const char *path)
{
	return fs->near_n && !strncmp(path, fs->near, fs->near_n);
}

/* And who asks may go there? */
static bool mem_near_may(const struct memfs *fs, const struct tsb_caller *who, const char *path)
{
	if (who && !(fs->near_may && fs->near_uid == who->uid && fs->near_gid == who->gid))
		return false;
	return mem_near_has(fs, path);
}

int mem_walk(struct memfs *fs, const struct tsb_caller *who, const char *path, size_t *len,
	     struct inode **out)
{
	bool near = mem_near_may(fs, who, path);
	struct inode *i = mem_inode(fs, near ? fs->near_ino : MEM_ROOT_INO);
	const char *p = path + (near ? fs->near_n : 1);
	while (*p) {
		size_t n = mem_component(p);
		if (S_ISLNK(i->mode)) {
			*len = (size_t)(p - 1 - path);
			return -ELOOP;
		}
		if (!S_ISDIR(i->mode))
			return -ENOTDIR;
		if (who && !mem_may_search(i, who))
			return -EACCES;
		if (n > TSB_NAME_MAX)
			return -ENAMETOOLONG;
		if (!p[n] && !(near && i->ino == fs->near_ino))
			mem_near_keep(fs, who, path, p, i);
		i = mem_child(fs, i, p, n);
		if (!i)
			return -ENOENT;
		p += n;
		p += *p == '/';
	}
	*out = i;
	return 0;
}

int mem_spot(struct memfs *fs, const char *path, struct mem_spot *s)
{
	bool near = mem_near_has(fs, path);
	struct inode *i = mem_inode(fs, near ? fs->near_ino : MEM_ROOT_INO);
	const char *p = path + (near ? fs->near_n : 1);
	*s = (struct mem_spot){ .inode = i };
	while (*p) {
		size_t n = mem_component(p);
		if (!i)
			return -ENOENT;
		if (!S_ISDIR(i->mode))
			return -ENOTDIR;
		if (n > TSB_NAME_MAX)
			return -ENAMETOOLONG;
		s->dir = i;
		s->key = dir_key(p, n);
		s->name = dir_get(i->u.dir, &s->key);
		i = s->name ? mem_inode(fs, s->name->ino) : NULL;
		p += n;
		p += *p == '/';
	}
	s->inode = i;
	return 0;
}

/* A directory got or lost entries. */
static void mem_dir_changed(struct inode *dir, const struct tsb_caller *who, int by)
{
	dir->size += (uint64_t)(int64_t)by;
	mem_touch(dir, TIME_M, who->now);
	mem_touch(dir, TIME_C, who->now);
}

/* ---- Making ---- */

/* The target of a link: in the inode, or in a page of its own. */
static int mem_set_target(struct memfs *fs, struct inode *i, const char *target)
{
	size_t n = strlen(target);
	ssize_t rc;
	if (n <= INLINE_MAX) {
		memcpy(i->u.text, target, n);
		i->size = n;
		return 0;
	}
	if (n > mem_bytes_left(fs))
		return -ENOSPC;
	i->o.level = FORM_PAGES;
	i->u.pages = (struct radix){ NULL, 0 };
	rc = mem_write(fs, i, target, n, 0);
	return rc < 0 ? (int)rc : 0;
}

static struct inode *mem_make_inode(struct memfs *fs, const struct tsb_caller *who,
				    const struct inode *dir, uint32_t mode)
{
	struct inode *i;
	if (dir->mode & S_ISGID && S_ISDIR(mode))
		mode |= S_ISGID;
	else if (dir->mode & S_ISGID && (mode & (S_ISGID | S_IXGRP)) == (S_ISGID | S_IXGRP) &&
		 who->gid != dir->gid && who->uid != 0)
		mode &= ~(uint32_t)S_ISGID;
	i = mem_inode_new(fs, mode, who);
	if (i && dir->mode & S_ISGID)
		i->gid = dir->gid;
	return i;
}

/* Puts a finished inode into the table and under its name. */
static int mem_enter(struct memfs *fs, struct inode *i, const struct mem_spot *s)
{
	struct name *nm = name_new(s->key.p, s->key.n, i->ino, i->mode & S_IFMT);
	int rc = nm ? radix_add(&fs->inodes, i->ino, i) : -ENOMEM;
	if (!rc) {
		struct inode *dir = mem_own(fs, s->dir->ino);
		rc = dir ? dir_add(&dir->u.dir, nm) : -ENOMEM;
		if (rc)
			radix_take(&fs->inodes, i->ino);
	}
	if (rc)
		obj_unref(nm);
	return rc;
}

int mem_create(struct memfs *fs, const struct tsb_caller *who, const struct mem_spot *s,
	       uint32_t mode, const char *target, uint64_t rdev, uint64_t *ino)
{
	uint64_t bytes = fs->bytes, dir_ino = s->dir->ino;
	struct inode *i, *dir;
	int rc;
	if (fs->entries >= mem_sum(fs->entries_max, fs->entries_free_of_charge))
		return -ENOSPC;
	i = mem_make_inode(fs, who, s->dir, mode);
	if (!i)
		return -ENOMEM;
	if (i->o.level == FORM_NODE)
		i->u.rdev = rdev;
	rc = target ? mem_set_target(fs, i, target) : 0;
	if (!rc)
		rc = mem_enter(fs, i, s);
	if (rc) {
		obj_unref(i);
		fs->bytes = bytes;
		return rc;
	}
	dir = mem_own(fs, dir_ino);	/* owned already */
	dir->nlink += S_ISDIR(mode) ? 1 : 0;
	mem_dir_changed(dir, who, 1);
	fs->entries++;
	*ino = i->ino;
	return 0;
}

/* ---- Renaming ---- */

/* Is `path` inside of `dir`? */
static bool mem_below(const char *path, const char *dir)
{
	size_t n = strlen(dir);
	return !strncmp(path, dir, n) && path[n] == '/';
}

static int mem_rename_types(const struct inode *from, const struct inode *to)
{
	if (S_ISDIR(from->mode) && !S_ISDIR(to->mode))
		return -ENOTDIR;
	if (!S_ISDIR(from->mode) && S_ISDIR(to->mode))
		return -EISDIR;
	if (S_ISDIR(to->mode) && to->size)
		return -ENOTEMPTY;
	return 0;
}

/* What renameat2(2) refuses; 1: there is nothing to do. */
static int mem_rename_check(const struct mem_spot *f, const struct mem_spot *t, const char *from,
			    const char *to, unsigned flags)
{
	if (!f->inode)
		return -ENOENT;
	if (!f->dir || !t->dir)
		return -EBUSY;
	if (t->inode && flags & TSB_RENAME_NOREPLACE)
		return -EEXIST;
	if (!t->inode && flags & TSB_RENAME_EXCHANGE)
		return -ENOENT;
	if (mem_below(to, from))
		return -EINVAL;
	if (mem_below(from, to))
		return flags & TSB_RENAME_EXCHANGE ? -EINVAL : -ENOTEMPTY;
	if (t->inode == f->inode)
		return 1;
	return t->inode && !(flags & TSB_RENAME_EXCHANGE) ?
		mem_rename_types(f->inode, t->inode) : 0;
}

/* What a rename works on, all of it owned. */
struct mem_move {
	struct inode *from_dir, *to_dir, *moved, *other;
	struct name *new_name, *back_name;	/* to's new one; an exchange's other */
};

/* Everything that may fail. Inodes are looked up again by number, since owning
 * one may replace it. */
static int mem_move_begin(struct memfs *fs, const struct mem_spot *f, const struct mem_spot *t,
			  unsigned flags, struct mem_move *m)
{
	uint64_t from_dir = f->dir->ino, to_dir = t->dir->ino, moved = f->inode->ino;
	uint64_t other = t->inode ? t->inode->ino : 0;
	uint32_t type = f->inode->mode & S_IFMT, other_type = other ? t->inode->mode & S_IFMT : 0;
	struct name *nm = name_new(t->key.p, t->key.n, moved, type);
	struct name *back = flags & TSB_RENAME_EXCHANGE ?
		name_new(f->key.p, f->key.n, other, other_type) : NULL;

	*m = (struct mem_move){ mem_own(fs, from_dir), mem_own(fs, to_dir), mem_own(fs, moved),
				other ? mem_own(fs, other) : NULL, nm, back };
	if (nm && (back || !(flags & TSB_RENAME_EXCHANGE)) && m->from_dir && m->to_dir &&
	    m->moved && (m->other || !other) && dir_own(&m->from_dir->u.dir, &f->key) &&
	    (other ? dir_own(&m->to_dir->u.dir, &t->key) != NULL :
	     !dir_add(&m->to_dir->u.dir, nm)))
		return 0;
	obj_unref(nm);
	obj_unref(back);
	return -ENOMEM;
}

/* The name at k becomes `nm`. */
static void mem_set_name(struct inode *dir, const struct dirkey *k, struct name *nm)
{
	struct name **at = dir_place(dir->u.dir, k);
	obj_unref(*at);
	*at = nm;
}

/* A directory's ".." moved. */
static void mem_move_parent(struct mem_move *m, const struct inode *dir, int by)
{
	if (!dir || !S_ISDIR(dir->mode) || m->from_dir == m->to_dir)
		return;
	m->from_dir->nlink -= (uint32_t)by;
	m->to_dir->nlink += (uint32_t)by;
}

static void mem_move_plain(struct memfs *fs, const struct tsb_caller *who,
			   const struct mem_spot *f, const struct mem_spot *t, struct mem_move *m)
{
	if (m->other)
		mem_set_name(m->to_dir, &t->key, m->new_name);
	dir_remove(&m->from_dir->u.dir, &f->key);
	mem_move_parent(m, m->moved, 1);
	mem_dir_changed(m->from_dir, who, -1);
	mem_dir_changed(m->to_dir, who, m->other ? 0 : 1);
	mem_touch(m->moved, TIME_C, who->now);
	if (!m->other)
		return;
	if (S_ISDIR(m->other->mode))
		m->to_dir->nlink--;
	mem_drop_link(fs, m->other, who);
}

static void mem_move_exchange(const struct tsb_caller *who, const struct mem_spot *f,
			      const struct mem_spot *t, struct mem_move *m)
{
	mem_set_name(m->to_dir, &t->key, m->new_name);
	mem_set_name(m->from_dir, &f->key, m->back_name);
	mem_move_parent(m, m->moved, 1);
	mem_move_parent(m, m->other, -1);
	mem_dir_changed(m->from_dir, who, 0);
	mem_dir_changed(m->to_dir, who, 0);
	mem_touch(m->moved, TIME_C, who->now);
	mem_touch(m->other, TIME_C, who->now);
}

static int mem_rename_locked(struct memfs *fs, const struct tsb_caller *who, const char *from,
			     const char *to, unsigned flags)
{
	struct mem_spot f, t;
	struct mem_move m;
	int rc = mem_spot(fs, from, &f);
	if (!rc)
		rc = mem_spot(fs, to, &t);
	if (!rc)
		rc = mem_rename_check(&f, &t, from, to, flags);
	if (rc)
		return rc < 0 ? rc : 0;
	rc = mem_move_begin(fs, &f, &t, flags, &m);
	if (rc)
		return rc;
	if (flags & TSB_RENAME_EXCHANGE)
		mem_move_exchange(who, &f, &t, &m);
	else
		mem_move_plain(fs, who, &f, &t, &m);
	return 0;
}

int mem_rename(struct tsb_fs *tfs, const struct tsb_caller *who, const char *from,
	       const char *to, unsigned flags)
{
	struct memfs *fs = mem_of(tfs);
	int rc;
	if (flags & ~(unsigned)(TSB_RENAME_NOREPLACE | TSB_RENAME_EXCHANGE) ||
	    flags == (TSB_RENAME_NOREPLACE | TSB_RENAME_EXCHANGE))
		return -EINVAL;
	pthread_mutex_lock(&fs->lock);
	fs->near_n = 0;
	rc = mem_rename_locked(fs, who, from, to, flags);
	pthread_mutex_unlock(&fs->lock);
	return rc;
}
