/*
 * The rules of the calls, one by one: which error, and for whom. (The random test
 * in tests/vfs/differential.c proves that Linux says the same.)
 */
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "vfs/vfs.h"

#include "paths.h"
#include "tap.h"

static struct tsb_caller who = { 1000, 1000, 1, { 5, 0 } };
static struct vfs_ctx c = { NULL, &who, "/" };

static int chmod_rc(const char *path, uint32_t mode)
{
	struct tsb_setattr set = { .mask = TSB_SET_MODE, .mode = mode };
	return vfs_setattr(&c, path, &set, true);
}

static int chown_rc(const char *path, long uid, long gid)
{
	struct tsb_setattr set = { .uid = (uint32_t)uid, .gid = (uint32_t)gid };
	set.mask = (uid >= 0 ? TSB_SET_UID : 0) | (gid >= 0 ? TSB_SET_GID : 0);
	return vfs_setattr(&c, path, &set, false);
}

static int times_rc(const char *path, bool now)
{
	struct tsb_setattr set = { .mask = TSB_SET_MTIME | TSB_SET_ATIME | (now ? TSB_SET_NOW : 0) };
	return vfs_setattr(&c, path, &set, true);
}

static uint32_t mode_of(const char *path)
{
	struct tsb_stat st = { 0 };
	vfs_lstat(&c, path, &st);
	return st.mode & 07777;
}

static void as(uint32_t id)
{
	who.uid = who.gid = id;
}

/* /f /d /d/g /d/l -> g: the user's. /r (0755) /r/f (0644) /r/w (0666): root's.
 * /s: root's, sticky, for all, with /s/mine and /s/other. /p: a FIFO. */
static void build(void)
{
	struct tsb_mem_options opt = TSB_MEM_OPTIONS_INIT;
	c.vfs = vfs_new(tsb_mem_new(&opt));
	open_rc(&c, "/f", O_WRONLY | O_CREAT);
	vfs_mkdir(&c, "/d", 0755);
	open_rc(&c, "/d/g", O_WRONLY | O_CREAT);
	vfs_symlink(&c, "g", "/d/l");
	vfs_mknod(&c, "/p", S_IFIFO | 0644, 0);
	as(0);
	vfs_mkdir(&c, "/r", 0755);
	open_rc(&c, "/r/f", O_WRONLY | O_CREAT);
	open_rc(&c, "/r/w", O_WRONLY | O_CREAT);
	chmod_rc("/r/w", 0666);
	vfs_mkdir(&c, "/s", 0777);
	chmod_rc("/s", 01777);
	open_rc(&c, "/s/other", O_WRONLY | O_CREAT);
	as(1000);
	open_rc(&c, "/s/mine", O_WRONLY | O_CREAT);
}

static void opening(void)
{
	is_int(open_rc(&c, "/f/", O_RDONLY), -ENOTDIR, "open: a file with a slash");
	is_int(open_rc(&c, "/new/", O_WRONLY | O_CREAT), -EISDIR, "open: O_CREAT with a slash");
	is_int(open_rc(&c, "/f/", O_WRONLY | O_CREAT), -EISDIR, "open: O_CREAT of a file with a slash");
	is_int(open_rc(&c, "/d", O_RDONLY | O_CREAT), -EISDIR, "open: O_CREAT of a directory");
	is_int(open_rc(&c, "/d/.", O_RDONLY | O_CREAT), -EISDIR, "open: O_CREAT of a dot");
	is_int(open_rc(&c, "/d", O_RDWR), -EISDIR, "open: a directory to write");
	is_int(open_rc(&c, "/f", O_RDONLY | O_DIRECTORY), -ENOTDIR, "open: O_DIRECTORY");
	is_int(open_rc(&c, "/x", O_RDONLY | O_DIRECTORY | O_CREAT), -EINVAL, "open: O_DIRECTORY, O_CREAT");
	is_int(open_rc(&c, "/r/f", O_WRONLY), -EACCES, "open: no right to write");
	is_int(open_rc(&c, "/r/f", O_RDONLY | O_TRUNC), -EACCES, "open: nor to truncate");
	is_int(open_rc(&c, "/r/w", O_WRONLY | O_CREAT), 0, "open: there, with the right");
	is_int(open_rc(&c, "/r/new", O_WRONLY | O_CREAT), -EACCES, "open: no new file");
	vfs_mknod(&c, "/sock", S_IFSOCK | 0644, 0);
	is_int(open_rc(&c, "/sock", O_RDONLY), -ENXIO, "open: a socket");
	is_int(open_rc(&c, "/p", O_RDONLY), 0, "open: a FIFO gives a handle");
	is_int(vfs_access(&c, "/f", 8), -EINVAL, "access: no such question");
	is_int(vfs_access(&c, "/f", 1), -EACCES, "access: not executable");
	as(0);
	is_int(vfs_access(&c, "/f", 1), -EACCES, "access: nor for root");
	is_int(vfs_access(&c, "/f", 6), 0, "access: root reads and writes all");
	as(1000);
}

static void making(void)
{
	char *target = calloc(1, 5000);
	memset(target, 't', 4096);
	is_int(vfs_mkdir(&c, "/d/", 0755), -EEXIST, "mkdir: there, with a slash");
	is_int(vfs_mkdir(&c, ".", 0755), -EEXIST, "mkdir: a dot");
	is_int(vfs_mkdir(&c, "/d/n/", 0755), 0, "mkdir: new, with a slash");
	is_int(vfs_mkdir(&c, "/d/l/", 0755), -EEXIST, "mkdir: a link with a slash");
	is_int(vfs_mkdir(&c, "/r/n", 0755), -EACCES, "mkdir: no right");
	is_int(vfs_mkdir(&c, "/d/suid", 06755), 0, "mkdir: set-id bits");
	is_int(mode_of("/d/suid"), 0755, "mkdir: are dropped");
	is_int(vfs_mknod(&c, "/m", S_IFDIR, 0), -EPERM, "mknod: a directory");
	is_int(vfs_mknod(&c, "/m", S_IFLNK, 0), -EINVAL, "mknod: a link");
	is_int(vfs_mknod(&c, "/m", S_IFBLK, 1), -EPERM, "mknod: a device");
	is_int(vfs_mknod(&c, "/m", 0600, 0), 0, "mknod: a file");
	is_int(vfs_mknod(&c, "/m", 0600, 0), -EEXIST, "mknod: there");
	is_int(vfs_mknod(&c, "/m2/", S_IFIFO, 0), -ENOENT, "mknod: with a slash");
	is_int(vfs_symlink(&c, "", "/y"), -ENOENT, "symlink: to nothing");
	is_int(vfs_symlink(&c, target, "/y"), -ENAMETOOLONG, "symlink: 4096 bytes");
	target[4095] = '\0';
	is_int(vfs_symlink(&c, target, "/y"), 0, "symlink: 4095 bytes");
	is_int(vfs_symlink(&c, "x", "/d/g"), -EEXIST, "symlink: there");
	is_int(vfs_symlink(&c, "x", "/z/"), -ENOENT, "symlink: with a slash");
	is_int(vfs_link(&c, "/d", "/d2", false), -EPERM, "link: a directory");
	is_int(vfs_link(&c, "/f", "/d/g", false), -EEXIST, "link: there");
	is_int(vfs_link(&c, "/r/f", "/l", false), -EPERM, "link: what one may not write");
	is_int(vfs_link(&c, "/r/w", "/l", false), 0, "link: what one may");
	is_int(vfs_link(&c, "/d/l", "/l2", true), 0, "link: followed");
	is_int(vfs_link(&c, "/d/l", "/l3", false), 0, "link: a link itself");
	free(target);
}

static void removing(void)
{
	is_int(vfs_unlink(&c, "/d"), -EISDIR, "unlink: a directory");
	is_int(vfs_unlink(&c, "/d/"), -EISDIR, "unlink: with a slash");
	is_int(vfs_unlink(&c, "/f/"), -ENOTDIR, "unlink: a file with a slash");
	is_int(vfs_unlink(&c, "/none"), -ENOENT, "unlink: nothing");
	is_int(vfs_unlink(&c, "/d/.."), -EISDIR, "unlink: dots");
	is_int(vfs_unlink(&c, "/r/w"), -EACCES, "unlink: from root's directory");
	is_int(vfs_unlink(&c, "/s/other"), -EPERM, "unlink: another's, sticky");
	is_int(vfs_rmdir(&c, "/f"), -ENOTDIR, "rmdir: a file");
	is_int(vfs_rmdir(&c, "/d"), -ENOTEMPTY, "rmdir: full");
	is_int(vfs_rmdir(&c, "/d/."), -EINVAL, "rmdir: a dot");
	is_int(vfs_rmdir(&c, "/d/n/.."), -ENOTEMPTY, "rmdir: two dots");
	is_int(vfs_rmdir(&c, "/"), -EBUSY, "rmdir: the root");
	is_int(vfs_rmdir(&c, "/none"), -ENOENT, "rmdir: nothing");
	is_int(vfs_rmdir(&c, "/r"), -ENOTEMPTY, "rmdir: root's, which is full");
	is_int(vfs_rmdir(&c, "/d/l/"), -ENOTDIR, "rmdir: a link with a slash");
}

static int ren(const char *from, const char *to)
{
	return vfs_rename(&c, from, to, 0);
}

static void renaming(void)
{
	const unsigned keep = TSB_RENAME_NOREPLACE, swap = TSB_RENAME_EXCHANGE;
	vfs_mkdir(&c, "/d/n", 0755);
	is_int(ren("/none", "/x"), -ENOENT, "rename: nothing");
	is_int(ren("/f", "/f"), 0, "rename: itself");
	is_int(ren("/f", "/f/"), -ENOTDIR, "rename: to a slash");
	is_int(ren("/f/", "/x"), -ENOTDIR, "rename: from a slash");
	is_int(ren("/d/.", "/x"), -EBUSY, "rename: a dot");
	is_int(ren("/f", "/d/.."), -EBUSY, "rename: to dots");
	is_int(vfs_rename(&c, "/f", "/d/..", keep), -EEXIST, "rename: to dots, NOREPLACE");
	is_int(vfs_rename(&c, "/f", "/d/g", keep), -EEXIST, "rename: NOREPLACE");
	is_int(vfs_rename(&c, "/f", "/x", swap), -ENOENT, "rename: exchange with nothing");
	is_int(vfs_rename(&c, "/d", "/f/", swap), -ENOTDIR, "rename: exchange with a slash");
	is_int(vfs_rename(&c, "/f", "/d", keep | swap), -EINVAL, "rename: both flags");
	is_int(vfs_rename(&c, "/d", "/d/n", swap), -EINVAL, "rename: exchange with inside");
	is_int(ren("/d", "/d/n/x"), -EINVAL, "rename: into itself");
	is_int(ren("/d/n", "/d"), -ENOTEMPTY, "rename: over its parent");
	is_int(ren("/f", "/d"), -EISDIR, "rename: over a directory");
	is_int(ren("/d", "/f"), -ENOTDIR, "rename: over a file");
	is_int(ren("/f", "/r/f"), -EACCES, "rename: into root's directory");
	is_int(ren("/r/w", "/x"), -EACCES, "rename: out of root's directory");
	is_int(ren("/s/other", "/x"), -EPERM, "rename: another's, sticky");
	is_int(ren("/f", "/s/other"), -EPERM, "rename: over another's, sticky");
	is_int(ren("/f", "/s/mine"), 0, "rename: over one's own");
	is_int(ren("/s/mine", "/f"), 0, "rename: and back");
	as(0);
	vfs_mkdir(&c, "/s/dir", 0755);
	chown_rc("/s", 1000, 1000);
	as(1000);
	is_int(ren("/s/dir", "/d/dir"), -EACCES, "rename: another's directory has a .. to change");
	is_int(vfs_rename(&c, "/d/n", "/s/dir", swap), -EACCES, "rename: in an exchange as well");
	is_int(ren("/s/dir", "/s/dir2"), 0, "rename: in place it has not");
}

static void attributes(void)
{
	open_rc(&c, "/f", O_WRONLY | O_CREAT);
	is_int(chmod_rc("/r/f", 0777), -EPERM, "chmod: another's");
	is_int(chmod_rc("/f", 06755), 0, "chmod: one's own, set-id");
	is_int(mode_of("/f"), 06755, "chmod: is set");
	is_int(chown_rc("/f", 0, -1), -EPERM, "chown: give away");
	is_int(chown_rc("/f", -1, 0), -EPERM, "chown: to a group one is not in");
	is_int(chown_rc("/f", 1000, 1000), 0, "chown: as it is");
	is_int(mode_of("/f"), 0755, "chown: takes the set-id bits");
	is_int(chown_rc("/r/f", -1, 1000), -EPERM, "chown: another's");
	is_int(times_rc("/r/f", true), -EACCES, "utimes: another's, now");
	is_int(times_rc("/r/w", true), 0, "utimes: what one may write, now");
	is_int(times_rc("/r/w", false), -EPERM, "utimes: but not any time");
	is_int(times_rc("/f", false), 0, "utimes: one's own");
	as(0);
	chown_rc("/f", 1000, 0);
	as(1000);
	is_int(chmod_rc("/f", 02755), 0, "chmod: a foreign group");
	is_int(mode_of("/f"), 0755, "chmod: gives no set-gid");
	as(0);
	chmod_rc("/f", 06777);
	as(2000);
	is_int(open_rc(&c, "/f", O_WRONLY | O_TRUNC), 0, "another writes");
	is_int(mode_of("/f"), 0777, "and takes the set-id bits");
	as(1000);
	is_int(vfs_setattr(&c, "/d/l", &(struct tsb_setattr){ .mask = TSB_SET_MODE }, false),
	       -EOPNOTSUPP, "chmod: a link");
	is_int(vfs_truncate(&c, "/d", 0), -EISDIR, "truncate: a directory");
	is_int(vfs_truncate(&c, "/p", 0), -EINVAL, "truncate: a FIFO");
	is_int(vfs_truncate(&c, "/r/f", 0), -EACCES, "truncate: no right");
	is_int(vfs_truncate(&c, "/f", (uint64_t)1 << 63), -EINVAL, "truncate: negative");
	is_int(vfs_truncate(&c, "/f", 100), 0, "truncate");
	is_int(vfs_truncate(&c, "/none", 0), -ENOENT, "truncate: nothing");
}

static void groups(void)
{
	struct tsb_stat st;
	as(0);
	vfs_mkdir(&c, "/g", 0777);
	chown_rc("/g", 0, 100);
	chmod_rc("/g", 02777);
	as(1000);
	vfs_mkdir(&c, "/g/d", 0755);
	vfs_stat(&c, "/g/d", &st);
	ok(st.gid == 100 && (st.mode & 07777) == 02755, "set-gid directory: passed on to directories");
	vfs_mknod(&c, "/g/f", 02775, 0);
	vfs_stat(&c, "/g/f", &st);
	ok(st.gid == 100 && (st.mode & 07777) == 0775, "set-gid directory: files get the group");
}

static void handles(void)
{
	struct tsb_setattr set = { .mask = TSB_SET_MODE, .mode = 0600 };
	struct tsb_statfs fs;
	struct tsb_stat st;
	struct vfs_file *f, *many[100];
	char buf[8];
	int magic[2], bad = 0;

	vfs_open(&c, "/d", O_RDONLY, 0, &f, magic);
	is_int(vfs_read(f, buf, 8, 0), -EISDIR, "handle: read of a directory");
	is_int(vfs_write(f, &who, buf, 8, 0), -EBADF, "handle: write of one");
	is_int(vfs_ftruncate(f, &who, 0), -EINVAL, "handle: truncate of one");
	is_int(vfs_readdir(f, buf, 8), -EINVAL, "handle: nothing fits");
	vfs_close(f);
	vfs_open(&c, "/f", O_WRONLY, 0, &f, magic);
	is_int(vfs_read(f, buf, 8, 0), -EBADF, "handle: not to read");
	is_int(vfs_write(f, &who, buf, 8, (uint64_t)1 << 63), -EINVAL, "handle: negative offset");
	is_int(vfs_ftruncate(f, &who, 3), 0, "handle: truncate");
	is_int(vfs_fsetattr(f, &who, &set), 0, "handle: chmod");
	is_int(vfs_fstat(f, &st), 0, "handle: stat");
	ok(st.size == 3 && (st.mode & 07777) == 0600 && st.dev == f->dev && st.ino == f->ino,
	   "handle: what it says");
	is_int(vfs_fsync(f), 0, "handle: sync");
	is_int(vfs_statfs(&c, "/f", &fs), 0, "statfs");
	is_str(fs.type, "tmpfs", "statfs: type");
	is_int(vfs_readdir(f, buf, 8), -ENOTDIR, "handle: no directory");
	set.mask = 0;
	is_int(vfs_fsetattr(f, &who, &set), 0, "handle: nothing to set");
	as(2000);
	set.mask = TSB_SET_MODE;
	is_int(vfs_fsetattr(f, &who, &set), -EPERM, "handle: another's");
	as(1000);
	vfs_close(f);
	vfs_open(&c, "/f", O_RDONLY, 0, &f, magic);
	is_int(vfs_ftruncate(f, &who, 0), -EINVAL, "handle: truncate what is not to write");
	is_int(vfs_read(f, buf, 8, (uint64_t)1 << 63), -EINVAL, "handle: negative offset to read");
	is_int(vfs_read(f, buf, 8, INT64_MAX - 1), 0, "handle: the last offset");
	vfs_close(f);
	for (int i = 0; i < 100; i++) {
		char path[16];
		sprintf(path, "/d/%d", i);
		bad += vfs_open(&c, path, O_RDWR | O_CREAT, 0644, &many[i], magic) != 0;
		vfs_write(many[i], &who, path, strlen(path), 0);
	}
	for (int i = 99; i >= 0; i--) {
		bad += vfs_unlink(&c, many[i]->path) != 0;
		bad += vfs_read(many[i], buf, 8, 3) != (i < 10 ? 1 : 2);
		vfs_close(many[i]);
	}
	is_int(bad, 0, "handle: a hundred at once");
}

static void readlinks(void)
{
	char buf[8];
	is_int(vfs_readlink(&c, "/d/l", buf, 0), -EINVAL, "readlink: no room");
	is_int(vfs_readlink(&c, "/f", buf, 8), -EINVAL, "readlink: a file");
	is_int(vfs_readlink(&c, "/none", buf, 8), -ENOENT, "readlink: nothing");
	is_int(vfs_readlink(&c, "/d/l", buf, 8), 1, "readlink");
}

/* More mounts than stand in the namespace itself. */
static void many_mounts(void)
{
	struct tsb_mem_options opt = TSB_MEM_OPTIONS_INIT;
	struct vfs *copy;
	char path[16];
	int bad = 0;
	for (int i = 0; i < 20; i++) {
		sprintf(path, "/m%02d", i * 7 % 20);
		bad += vfs_mount(c.vfs, path, tsb_mem_new(&opt), 0) != 0;
	}
	copy = vfs_clone(c.vfs);
	vfs_free(c.vfs);
	c.vfs = copy;
	for (int i = 0; i < 20; i++) {
		sprintf(path, "/m%02d/f", i);
		bad += open_rc(&c, path, O_WRONLY | O_CREAT) != 0;
	}
	for (int i = 0; i < 20; i++) {
		sprintf(path, "/m%02d", i);
		bad += vfs_unmount(c.vfs, path) != 0;
	}
	is_int(bad, 0, "mounts: twenty");
}

int main(void)
{
	build();
	opening();
	making();
	removing();
	renaming();
	attributes();
	groups();
	handles();
	readlinks();
	many_mounts();
	vfs_free(c.vfs);
	return done();
}
