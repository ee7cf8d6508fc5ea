/*
 * The memory filesystem: the table of functions, and what concerns the whole:
 * making it, limits, branch and restore. A branch is one reference to the root
 * of the table of inodes, whatever stands in it.
 */
#include "vfs/mem.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>

#include "base/grown.h"
#include "vfs/mem_fs.h"

static int mem_lookup(struct tsb_fs *tfs, const struct tsb_caller *who, const char *path,
		      size_t *len, struct tsb_stat *st)
{
	struct memfs *fs = mem_of(tfs);
	struct inode *i;
	int rc;
	pthread_mutex_lock(&fs->lock);
	rc = mem_walk(fs, who, path, len, &i);
	if (!rc)
		mem_stat(i, st);
	pthread_mutex_unlock(&fs->lock);
	return rc;
}

/* Without the question of rights; a link before the end is no directory. */
static int mem_find(struct memfs *fs, const char *path, struct inode **i)
{
	size_t len;
	int rc = mem_walk(fs, NULL, path, &len, i);
	return rc == -ELOOP ? -ENOTDIR : rc;
}

static int mem_lstat(struct tsb_fs *tfs, const struct tsb_caller *who, const char *path,
		     struct tsb_stat *st)
{
	struct memfs *fs = mem_of(tfs);
	struct inode *i;
	int rc;
	(void)who;
	pthread_mutex_lock(&fs->lock);
	rc = mem_find(fs, path, &i);
	if (!rc)
		mem_stat(i, st);
	pthread_mutex_unlock(&fs->lock);
	return rc;
}

static ssize_t mem_readlink(struct tsb_fs *tfs, const struct tsb_caller *who, const char *path,
			    char *buf, size_t cap)
{
	struct memfs *fs = mem_of(tfs);
	struct inode *i;
	ssize_t rc;
	(void)who;
	pthread_mutex_lock(&fs->lock);
	rc = mem_find(fs, path, &i);
	if (!rc && !S_ISLNK(i->mode))
		rc = -EINVAL;
	if (!rc)
		rc = (ssize_t)mem_read(i, buf, cap > TSB_PATH_MAX ? TSB_PATH_MAX : cap, 0);
	pthread_mutex_unlock(&fs->lock);
	return rc;
}

static int mem_make(struct tsb_fs *tfs, const struct tsb_caller *who, const char *path,
		    uint32_t mode, const char *target, uint64_t rdev)
{
	struct memfs *fs = mem_of(tfs);
	struct mem_spot s;
	uint64_t ino;
	int rc;
	pthread_mutex_lock(&fs->lock);
	rc = mem_spot(fs, path, &s);
	if (!rc)
		rc = s.inode ? -EEXIST : mem_create(fs, who, &s, mode, target, rdev, &ino);
	pthread_mutex_unlock(&fs->lock);
	return rc;
}

static int mem_mkdir(struct tsb_fs *tfs, const struct tsb_caller *who, const char *path,
		     uint32_t mode)
{
	return mem_make(tfs, who, path, S_IFDIR | (mode & 07777), NULL, 0);
}

static int mem_mknod(struct tsb_fs *tfs, const struct tsb_caller *who, const char *path,
		     uint32_t mode, uint64_t rdev)
{
	uint32_t type = mode & S_IFMT;
	if (!type)
		type = S_IFREG;
	if (type == S_IFDIR || type == S_IFLNK)
		return type == S_IFDIR ? -EPERM : -EINVAL;
	if (type != S_IFCHR && type != S_IFBLK)
		rdev = 0;
	return mem_make(tfs, who, path, type | (mode & 07777), NULL, rdev);
}

static int mem_symlink(struct tsb_fs *tfs, const struct tsb_caller *who, const char *target,
		       const char *path)
{
	size_t n = strlen(target);
	if (!n)
		return -ENOENT;
	if (n > TSB_PATH_MAX)
		return -ENAMETOOLONG;
	return mem_make(tfs, who, path, S_IFLNK | 0777, target, 0);
}

static int mem_link_locked(struct memfs *fs, const struct tsb_caller *who, const char *from,
			   const char *to)
{
	struct mem_spot s;
	struct inode *i, *dir;
	struct name *nm;
	int rc = mem_find(fs, from, &i);
	if (!rc)
		rc = mem_spot(fs, to, &s);
	if (rc)
		return rc;
	if (s.inode)
		return -EEXIST;
	if (S_ISDIR(i->mode))
		return -EPERM;
	if (i->nlink == UINT32_MAX)
		return -EMLINK;
	if (fs->entries >= mem_sum(fs->entries_max, fs->entries_free_of_charge))
		return -ENOSPC;
	nm = name_new(s.key.p, s.key.n, i->ino, i->mode & S_IFMT);
	i = mem_own(fs, i->ino);
	dir = mem_own(fs, s.dir->ino);
	if (!nm || !i || !dir || dir_add(&dir->u.dir, nm)) {
		obj_unref(nm);
		return -ENOMEM;
	}
	i->nlink++;
	mem_touch(i, TIME_C, who->now);
	dir->size++;
	mem_touch(dir, TIME_M, who->now);
	mem_touch(dir, TIME_C, who->now);
	fs->entries++;
	return 0;
}

static int mem_link(struct tsb_fs *tfs, const struct tsb_caller *who, const char *from,
		    const char *to)
{
	struct memfs *fs = mem_of(tfs);
	int rc;
	pthread_mutex_lock(&fs->lock);
	rc = mem_link_locked(fs, who, from, to);
	pthread_mutex_unlock(&fs->lock);
	return rc;
}

static int mem_remove_check(const struct mem_spot *s, bool want_dir)
{
	if (!s->inode)
		return -ENOENT;
	if (!S_ISDIR(s->inode->mode))
		return want_dir ? -ENOTDIR : 0;
	if (!want_dir)
		return -EISDIR;
	if (!s->dir)
		return -EBUSY;
	return s->inode->size ? -ENOTEMPTY : 0;
}

static int mem_remove(struct tsb_fs *tfs, const struct tsb_caller *who, const char *path,
		      bool want_dir)
{
	struct memfs *fs = mem_of(tfs);
	struct inode *dir, *i;
	struct mem_spot s;
	int rc;
	pthread_mutex_lock(&fs->lock);
	rc = mem_spot(fs, path, &s);
	if (!rc)
		rc = mem_remove_check(&s, want_dir);
	if (!rc) {
		uint64_t ino = s.inode->ino;
		dir = mem_own(fs, s.dir->ino);
		i = mem_own(fs, ino);
		if (dir && i && dir_own(&dir->u.dir, &s.key)) {
			if (want_dir)
				fs->near_n = 0;
			dir_remove(&dir->u.dir, &s.key);
			dir->size--;
			dir->nlink -= want_dir;
			mem_touch(dir, TIME_M, who->now);
			mem_touch(dir, TIME_C, who->now);
			mem_drop_link(fs, i, who);
		} else {
			rc = -ENOMEM;
		}
	}
	pthread_mutex_unlock(&fs->lock);
	return rc;
}

static int mem_unlink(struct tsb_fs *tfs, const struct tsb_caller *who, const char *path)
{
	return mem_remove(tfs, who, path, false);
}

static int mem_rmdir(struct tsb_fs *tfs, const struct tsb_caller *who, const char *path)
{
	return mem_remove(tfs, who, path, true);
}

static int mem_setattr_path(struct tsb_fs *tfs, const struct tsb_caller *who, const char *path,
			    const struct tsb_setattr *set)
{
	struct memfs *fs = mem_of(tfs);
	struct inode *i;
	int rc;
	pthread_mutex_lock(&fs->lock);
	rc = mem_find(fs, path, &i);
	if (!rc) {
		i = mem_own(fs, i->ino);
		if (i)
			mem_setattr(i, who, set);
		else
			rc = -ENOMEM;
		fs->near_may = false;
	}
	pthread_mutex_unlock(&fs->lock);
	return rc;
}

static int mem_statfs(struct tsb_fs *tfs, struct tsb_statfs *out)
{
	struct memfs *fs = mem_of(tfs);
	pthread_mutex_lock(&fs->lock);
	out->bytes_total = mem_sum(fs->bytes_max, fs->bytes_free_of_charge);
	out->bytes_free = mem_bytes_left(fs);
	out->entries_total = mem_sum(fs->entries_max, fs->entries_free_of_charge);
	out->entries_free = out->entries_total > fs->entries ?
		out->entries_total - fs->entries : 0;
	out->block_size = PAGE_BYTES;
	out->name_max = TSB_NAME_MAX;
	out->type = "tmpfs";
	pthread_mutex_unlock(&fs->lock);
	return 0;
}

/* ---- The whole ---- */

static struct memfs *mem_alloc(void)
{
	struct memfs *fs = calloc(1, sizeof(*fs));
	if (!fs)
		return NULL;
	fs->fs.ops = &mem_ops;
	pthread_mutex_init(&fs->lock, NULL);
	fs->open = fs->few;
	fs->open_size = MEM_FEW;
	return fs;
}

static void mem_free(struct tsb_fs *tfs)
{
	struct memfs *fs = mem_of(tfs);
	obj_unref(fs->inodes.root);
	if (fs->open != fs->few)
		free(fs->open);
	pthread_mutex_destroy(&fs->lock);
	free(fs);
}

static int mem_branch(struct tsb_fs *tfs, struct tsb_fs **out)
{
	struct memfs *fs = mem_of(tfs), *b = mem_alloc();
	if (!b)
		return -ENOMEM;
	pthread_mutex_lock(&fs->lock);
	b->inodes = fs->inodes;
	obj_ref(b->inodes.root);
	b->ino_next = fs->ino_next;
	b->bytes = fs->bytes - fs->bytes_orphan;
	b->entries = fs->entries - fs->entries_orphan;
	b->bytes_max = fs->bytes_max;
	b->entries_max = fs->entries_max;
	b->file_max = fs->file_max;
	b->bytes_free_of_charge = fs->bytes_free_of_charge;
	b->entries_free_of_charge = fs->entries_free_of_charge;
	pthread_mutex_unlock(&fs->lock);
	*out = &b->fs;
	return 0;
}

/* Open files keep their inodes, so those count on top of what comes. */
static int mem_restore_fits(const struct memfs *fs, const struct memfs *from)
{
	uint64_t bytes = from->bytes + fs->bytes_orphan;
	uint64_t entries = from->entries + fs->entries_orphan;
	for (uint32_t b = 0; b < fs->open_size; b++) {
		for (const struct vnode *v = fs->open[b]; v; v = v->next) {
			if (v->orphan)
				continue;
			bytes += mem_charge(mem_inode(fs, v->ino));
			entries++;
		}
	}
	return bytes <= mem_sum(fs->bytes_max, from->bytes_free_of_charge) &&
	       entries <= mem_sum(fs->entries_max, from->entries_free_of_charge) ? 0 : -ENOSPC;
}

static int mem_restore(struct tsb_fs *tfs, struct tsb_fs *tfrom)
{
	struct memfs *fs = mem_of(tfs), *from;
	struct tsb_fs *copy;
	struct radix old;
	int rc;
	if (tfrom->ops != tfs->ops)
		return -EINVAL;
	if (tfrom == tfs)
		return 0;
	/* By way of a branch, so that only one lock is held at a time. */
	rc = mem_branch(tfrom, &copy);
	if (rc)
		return rc;
	from = mem_of(copy);
	pthread_mutex_lock(&fs->lock);
	rc = mem_restore_fits(fs, from);
	if (!rc) {
		mem_orphan_all(fs);
		fs->near_n = 0;
		old = fs->inodes;
		fs->inodes = from->inodes;
		from->inodes = old;
		fs->bytes = from->bytes + fs->bytes_orphan;
		fs->entries = from->entries + fs->entries_orphan;
		fs->bytes_free_of_charge = from->bytes_free_of_charge;
		fs->entries_free_of_charge = from->entries_free_of_charge;
		if (fs->ino_next < from->ino_next)
			fs->ino_next = from->ino_next;
	}
	pthread_mutex_unlock(&fs->lock);
	mem_free(copy);
	return rc;
}

const struct tsb_fs_ops mem_ops = {
	.version = TSB_VFS_VERSION,
	.file_size = sizeof(struct mem_file),
	.lookup = mem_lookup,
	.lstat = mem_lstat,
	.readlink = mem_readlink,
	.open = mem_open,
	.mkdir = mem_mkdir,
	.mknod = mem_mknod,
	.symlink = mem_symlink,
	.link = mem_link,
	.rename = mem_rename,
	.unlink = mem_unlink,
	.rmdir = mem_rmdir,
	.setattr = mem_setattr_path,
	.statfs = mem_statfs,
	.read_at = mem_read_at,
	.write_at = mem_write_at,
	.truncate = mem_truncate,
	.fstat = mem_fstat,
	.fsetattr = mem_fsetattr,
	.sync = mem_sync,
	.readdir = mem_readdir,
	.close = mem_close,
	.branch = mem_branch,
	.restore = mem_restore,
	.free = mem_free,
};

static void mem_set_limits(struct memfs *fs, uint64_t bytes, uint64_t entries, uint64_t file)
{
	fs->bytes_max = bytes;
	fs->entries_max = entries;
	fs->file_max = file < INT64_MAX ? file : INT64_MAX;
}

static struct tsb_fs *mem_new(const struct tsb_mem_options *opt)
{
	struct tsb_caller who = { opt->root_uid, opt->root_gid, 0, opt->now };
	struct memfs *fs = mem_alloc();
	struct inode *root;
	if (!fs)
		return NULL;
	mem_set_limits(fs, opt->bytes_max, opt->entries_max, opt->file_bytes_max);
	fs->ino_next = MEM_ROOT_INO;
	root = mem_inode_new(fs, S_IFDIR | (opt->root_mode & 07777), &who);
	if (!root || radix_add(&fs->inodes, MEM_ROOT_INO, root)) {
		obj_unref(root);
		mem_free(&fs->fs);
		return NULL;
	}
	return &fs->fs;
}

struct tsb_fs *tsb_mem_new(const struct tsb_mem_options *opt)
{
	struct tsb_mem_options whole = TSB_MEM_OPTIONS_INIT;

	return grown_take(&whole, sizeof(whole), opt) ? mem_new(&whole) : NULL;
}

void tsb_fs_free(struct tsb_fs *fs)
{
	if (fs && fs->ops->free)
		fs->ops->free(fs);
}

int vfs_mem_limit(struct tsb_fs *tfs, uint64_t bytes_max, uint64_t entries_max,
		  uint64_t file_bytes_max)
{
	struct memfs *fs = mem_of(tfs);
	if (tfs->ops != &mem_ops)
		return -EINVAL;
	pthread_mutex_lock(&fs->lock);
	mem_set_limits(fs, bytes_max, entries_max, file_bytes_max);
	pthread_mutex_unlock(&fs->lock);
	return 0;
}

int vfs_mem_free_of_charge(struct tsb_fs *tfs)
{
	struct memfs *fs = mem_of(tfs);
	if (tfs->ops != &mem_ops)
		return -EINVAL;
	pthread_mutex_lock(&fs->lock);
	fs->bytes_free_of_charge = fs->bytes;
	fs->entries_free_of_charge = fs->entries;
	pthread_mutex_unlock(&fs->lock);
	return 0;
}
