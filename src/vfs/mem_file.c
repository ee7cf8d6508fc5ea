/*
 * Open files of the memory filesystem. A handle knows its inode by way of the
 * vnode, so it works after unlink, rename and restore. A directory is read in
 * order of names, from behind the last name given: so an entry that stays is
 * given exactly once, and nothing is held in memory for it.
 */
#include "vfs/mem_fs.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>

#include "vfs/pack.h"

static struct mem_file *mem_file_of(struct tsb_file *f)
{
	return (struct mem_file *)f;
}

static struct memfs *mem_file_lock(struct tsb_file *f)
{
	struct memfs *fs = mem_of(f->fs);
	pthread_mutex_lock(&fs->lock);
	return fs;
}

/* ---- Opening ---- */

static int mem_open_check(const struct mem_spot *s, int flags)
{
	bool writes = (flags & O_ACCMODE) != O_RDONLY || flags & O_TRUNC;
	if ((flags & (O_CREAT | O_EXCL)) == (O_CREAT | O_EXCL))
		return -EEXIST;
	if (S_ISLNK(s->inode->mode))
		return -ELOOP;
	if (S_ISDIR(s->inode->mode))
		return writes || flags & O_CREAT ? -EISDIR : 0;
	if (flags & O_DIRECTORY)
		return -ENOTDIR;
	return S_ISSOCK(s->inode->mode) ? -ENXIO : 0;
}

static int mem_open_truncate(struct memfs *fs, const struct tsb_caller *who, uint64_t ino)
{
	struct inode *i = mem_own(fs, ino);
	if (!i)
		return -ENOMEM;
	mem_resize(fs, i, 0);
	mem_drop_setid(i, who);
	mem_touch(i, TIME_M, who->now);
	mem_touch(i, TIME_C, who->now);
	return 0;
}

static int mem_open_locked(struct memfs *fs, const struct tsb_caller *who, const char *path,
			   int flags, uint32_t mode, struct mem_file *f)
{
	struct mem_spot s;
	uint64_t ino;
	int rc = mem_spot(fs, path, &s);
	if (rc)
		return rc;
	if (!s.inode) {
		if (!(flags & O_CREAT))
			return -ENOENT;
		/* The number of the next inode is known: so the handle comes first. */
		f->v = mem_vnode_get(fs, fs->ino_next);
		if (!f->v)
			return -ENOMEM;
		rc = mem_create(fs, who, &s, S_IFREG | (mode & 07777), NULL, 0, &ino);
		if (rc)
			mem_vnode_put(fs, f->v);
		return rc;
	}
	rc = mem_open_check(&s, flags);
	if (rc)
		return rc;
	ino = s.inode->ino;
	f->v = mem_vnode_get(fs, ino);
	if (!f->v)
		return -ENOMEM;
	if (flags & O_TRUNC && S_ISREG(s.inode->mode))
		rc = mem_open_truncate(fs, who, ino);
	if (rc)
		mem_vnode_put(fs, f->v);
	return rc;
}

int mem_open(struct tsb_fs *tfs, const struct tsb_caller *who, const char *path, int flags,
	     uint32_t mode, struct tsb_file *file)
{
	struct memfs *fs = mem_of(tfs);
	int rc;
	pthread_mutex_lock(&fs->lock);
	rc = mem_open_locked(fs, who, path, flags, mode, mem_file_of(file));
	pthread_mutex_unlock(&fs->lock);
	return rc;
}

int mem_close(struct tsb_file *file)
{
	struct memfs *fs = mem_file_lock(file);
	mem_vnode_put(fs, mem_file_of(file)->v);
	pthread_mutex_unlock(&fs->lock);
	free(mem_file_of(file)->cursor);
	return 0;
}

/* ---- Content ---- */

static int mem_content_check(const struct inode *i)
{
	if (S_ISDIR(i->mode))
		return -EISDIR;
	return S_ISREG(i->mode) ? 0 : -EINVAL;
}

ssize_t mem_read_at(struct tsb_file *file, void *buf, size_t n, uint64_t offset)
{
	struct memfs *fs = mem_file_lock(file);
	const struct inode *i = mem_vnode_inode(fs, mem_file_of(file)->v);
	ssize_t rc = mem_content_check(i);
	if (!rc)
		rc = (ssize_t)mem_read(i, buf, n > INT64_MAX ? INT64_MAX : n, offset);
	pthread_mutex_unlock(&fs->lock);
	return rc;
}

/* bytes: in use by the filesystem before. */
static void mem_written(struct memfs *fs, const struct vnode *v, struct inode *i, uint64_t bytes,
			const struct tsb_caller *who)
{
	if (v->orphan)
		fs->bytes_orphan += fs->bytes - bytes;
	mem_drop_setid(i, who);
	mem_touch(i, TIME_M, who->now);
	mem_touch(i, TIME_C, who->now);
}

ssize_t mem_write_at(struct tsb_file *file, const struct tsb_caller *who, const void *buf,
		     size_t n, uint64_t offset)
{
	struct memfs *fs = mem_file_lock(file);
	struct vnode *v = mem_file_of(file)->v;
	struct inode *i = mem_vnode_own(fs, v);
	uint64_t bytes = fs->bytes;
	ssize_t rc = i ? mem_content_check(i) : -ENOMEM;
	if (!rc)
		rc = mem_write(fs, i, buf, n, file->flags & O_APPEND ? i->size : offset);
	if (rc > 0)
		mem_written(fs, v, i, bytes, who);
	pthread_mutex_unlock(&fs->lock);
	return rc;
}

int mem_truncate(struct tsb_file *file, const struct tsb_caller *who, uint64_t size)
{
	struct memfs *fs = mem_file_lock(file);
	struct vnode *v = mem_file_of(file)->v;
	struct inode *i = mem_vnode_own(fs, v);
	uint64_t bytes = fs->bytes;
	int rc = i ? mem_content_check(i) : -ENOMEM;
	if (!rc)
		rc = mem_resize(fs, i, size);
	if (!rc)
		mem_written(fs, v, i, bytes, who);
	pthread_mutex_unlock(&fs->lock);
	return rc;
}

/* ---- Attributes ---- */

int mem_fstat(struct tsb_file *file, struct tsb_stat *st)
{
	struct memfs *fs = mem_file_lock(file);
	const struct vnode *v = mem_file_of(file)->v;
	mem_stat(mem_vnode_inode(fs, v), st);
	if (v->orphan)
		st->nlink = 0;
	pthread_mutex_unlock(&fs->lock);
	return 0;
}

int mem_fsetattr(struct tsb_file *file, const struct tsb_caller *who,
		 const struct tsb_setattr *set)
{
	struct memfs *fs = mem_file_lock(file);
	struct inode *i = mem_vnode_own(fs, mem_file_of(file)->v);
	if (i)
		mem_setattr(i, who, set);
	fs->near_may = false;
	pthread_mutex_unlock(&fs->lock);
	return i ? 0 : -ENOMEM;
}

int mem_sync(struct tsb_file *file)
{
	(void)file;
	return 0;
}

/* ---- Directories ---- */

/* Packs one entry; 0 if it does not fit. */
static size_t mem_pack(const struct name *nm, char *buf, size_t cap)
{
	return vfs_pack(buf, cap, nm->ino, nm->type, nm->text, nm->o.n);
}

/* The cursor holds a length byte and the name. */
static ssize_t mem_readdir_from(struct mem_file *f, const struct dirnode *root, char *buf,
				size_t cap)
{
	unsigned char *cursor = (unsigned char *)f->cursor;
	const struct name *nm, *last = NULL;
	struct dirkey k = dir_key(f->cursor + 1, cursor[0]);
	size_t used = 0, size;

	nm = dir_after(root, cursor[0] ? &k : NULL);
	while (nm) {
		size = mem_pack(nm, buf + used, cap - used);
		if (!size)
			break;
		used += size;
		last = nm;
		k = dir_key(nm->text, nm->o.n);
		nm = dir_after(root, &k);
	}
	if (last) {
		cursor[0] = (unsigned char)last->o.n;
		memcpy(f->cursor + 1, last->text, last->o.n);
	}
	return !used && nm ? -EINVAL : (ssize_t)used;
}

ssize_t mem_readdir(struct tsb_file *file, void *buf, size_t cap)
{
	struct mem_file *f = mem_file_of(file);
	struct memfs *fs;
	const struct inode *i;
	ssize_t rc;
	if (!f->cursor)
		f->cursor = calloc(1, TSB_NAME_MAX + 1);
	if (!f->cursor)
		return -ENOMEM;
	fs = mem_file_lock(file);
	i = mem_vnode_inode(fs, f->v);
	rc = S_ISDIR(i->mode) ? mem_readdir_from(f, i->u.dir, buf, cap) : -ENOTDIR;
	pthread_mutex_unlock(&fs->lock);
	return rc;
}
