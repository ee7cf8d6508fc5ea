/* Namespaces and the walk: mounts, links, rights, realpath. What a path means by
 * itself is proved against Linux in tests/vfs/differential.c. */
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include <tinysandbox/command.h>

#include "vfs/mem.h"
#include "vfs/shim.h"
#include "vfs/vfs.h"

#include "paths.h"
#include "tap.h"

static struct tsb_caller who = { 1000, 1000, 1, { 5, 0 } };
static struct vfs_ctx c = { NULL, &who, "/" };

static struct tsb_fs *mem(uint32_t uid)
{
	struct tsb_mem_options opt = TSB_MEM_OPTIONS_INIT;
	opt.root_uid = opt.root_gid = uid;
	return tsb_mem_new(&opt);
}

static int put(const char *path, const char *text)
{
	struct vfs_file *f;
	int magic[2], rc = vfs_open(&c, path, O_WRONLY | O_CREAT | O_TRUNC, 0644, &f, magic);
	if (rc)
		return rc;
	if (vfs_write(f, &who, text, strlen(text), 0) < 0) {
		vfs_close(f);
		return -EIO;
	}
	return vfs_close(f);
}

static uint64_t dev_of(const char *path)
{
	struct tsb_stat st = { 0 };
	vfs_stat(&c, path, &st);
	return st.dev;
}

/* Nothing moves between filesystems, and paths do. */
static void mounts_apart(void)
{
	const char *clean;
	char buf[16];
	is_int(vfs_rmdir(&c, "/ab"), -EBUSY, "busy: rmdir of a mount");
	is_int(vfs_rename(&c, "/a/deep", "/a/d", 0), -EBUSY, "busy: rename of what holds one");
	is_int(vfs_rename(&c, "/a/f", "/f", 0), -EXDEV, "rename across");
	is_int(vfs_rename(&c, "/ab", "/ac", 0), -EBUSY, "rename of a mount");
	is_int(vfs_link(&c, "/a/f", "/f", false), -EXDEV, "link across");
	is_int(vfs_symlink(&c, "../ab/f", "/a/out"), 0, "a link out of a mount");
	is_str(get(&c, "/a/out"), "other", "leads out");
	is_str(get(&c, "/a/deep/er/../../f"), "inside", "dots lead out of a mount");
	is_str(get(&c, "/a/../ab/./f"), "other", "dots lead over the root of a mount");
	is_int(vfs_mount_of(&c, "/a/deep/er/..", &clean), 0, "mount_of");
	is_str(clean, "/a", "mount_of: where");
	is_int(vfs_chdir(&c, "/a/out", &clean), -ENOTDIR, "chdir to a file");
	is_int(vfs_chdir(&c, "a/deep/er/../.", &clean), 0, "chdir");
	is_str(clean, "/a/deep", "chdir: clean");
	is_int(vfs_readlink(&c, "/a/out", buf, 4), 4, "readlink: cut");
}

static void mounts_end(void)
{
	struct vfs_mount_info info;
	struct tsb_stat st;
	struct vfs *main_vfs = c.vfs, *other = vfs_clone(c.vfs);
	is_int(vfs_remount(c.vfs, "/a", VFS_MOUNT_READ_ONLY), 0, "remount");
	is_int(put("/a/f", ""), -EROFS, "remount: read-only");
	c.vfs = other;
	is_int(put("/a/f", "written"), 0, "remount: not for others");
	vfs_free(c.vfs);
	c.vfs = main_vfs;
	is_str(get(&c, "/a/f"), "written", "remount: the same files");
	is_int(vfs_remount(c.vfs, "/nowhere", 0), -EINVAL, "remount: nothing there");
	is_int(vfs_unmount(c.vfs, "/a"), -EBUSY, "unmount: one is inside");
	is_int(vfs_unmount(c.vfs, "/a/deep/er"), 0, "unmount");
	is_int(vfs_unmount(c.vfs, "/a/deep/er"), -EINVAL, "unmount: nothing there");
	is_int(vfs_unmount(c.vfs, "/a"), 0, "unmount: the other");
	is_str(get(&c, "/a/below"), "hidden", "unmount: what is below comes back");
	is_int(vfs_mount(c.vfs, "/ab", mem(1000), VFS_MOUNT_REPLACE), 0, "replace");
	is_int(vfs_stat(&c, "/ab/f", &st), -ENOENT, "replaced");
	ok(vfs_mount_at(c.vfs, 1, &info) && !strcmp(info.path, "/ab") &&
	   !strcmp(info.type, "tmpfs") && !vfs_mount_at(c.vfs, 2, &info), "mounts are listed");
	vfs_free(c.vfs);
}

static void mounts(void)
{
	struct tsb_stat st;

	c.vfs = vfs_new(mem(1000));
	vfs_mkdir(&c, "/a", 0755);
	put("/a/below", "hidden");
	is_int(vfs_mount(c.vfs, "/a", mem(1000), 0), 0, "mount");
	is_int(vfs_stat(&c, "/a/below", &st), -ENOENT, "mount: hides what is below");
	is_int(put("/a/f", "inside"), 0, "mount: takes files");
	is_str(get(&c, "/a/f"), "inside", "mount: gives them");
	ok(dev_of("/a") != dev_of("/"), "mount: has its own device");
	is_int(vfs_mount(c.vfs, "/a", NULL, 0), -EBUSY, "mount: place taken");
	is_int(vfs_mount(c.vfs, "a", NULL, 0), -EINVAL, "mount: relative path");
	is_int(vfs_mount(c.vfs, "/", NULL, 0), -EINVAL, "mount: the root");
	is_int(vfs_mount(c.vfs, "/x/../y", NULL, 0), -EINVAL, "mount: dots");
	is_int(vfs_mount(c.vfs, "/x//y", NULL, 0), -EINVAL, "mount: empty component");
	is_int(vfs_mount(c.vfs, "/x/", NULL, 0), -EINVAL, "mount: slash at the end");
	vfs_mkdir(&c, "/a/deep", 0755);
	is_int(vfs_mount(c.vfs, "/a/deep/er", mem(1000), VFS_MOUNT_READ_ONLY), 0, "mount: nested");
	is_int(vfs_mount(c.vfs, "/ab", mem(1000), 0), 0, "mount: without a place below");
	is_str(list(&c, "/", 300), "a ab ", "mount: the parent lists it once");
	is_str(list(&c, "/a/deep", 300), "er ", "mount: the nested one as well");
	put("/ab/f", "other");
	is_str(get(&c, "/ab/f"), "other", "mount: a name that only begins like another");

	is_int(put("/a/deep/er/f", ""), -EROFS, "read-only: new file");
	is_int(vfs_mkdir(&c, "/a/deep/er", 0755), -EEXIST, "read-only: exists comes first");
	is_int(vfs_access(&c, "/a/deep/er", 2), -EROFS, "read-only: access");
	is_int(vfs_access(&c, "/a/deep/er", 5), 0, "read-only: access to read");
	is_int(vfs_unlink(&c, "/a/deep/er/x"), -EROFS, "read-only: unlink");

	mounts_apart();
	mounts_end();
}

static void open_files_outlive_mounts(void)
{
	struct vfs_file *f;
	char buf[8];
	int magic[2];
	c.vfs = vfs_new(mem(1000));
	vfs_mount(c.vfs, "/m", mem(1000), 0);
	put("/m/f", "text");
	vfs_open(&c, "/m/f", O_RDONLY, 0, &f, magic);
	is_str(f->path, "/m/f", "an open file knows its path");
	vfs_unmount(c.vfs, "/m");
	vfs_free(c.vfs);
	is_int(vfs_read(f, buf, 8, 0), 4, "an open file outlives its mount");
	is_int(vfs_write(f, &who, buf, 1, 0), -EBADF, "not opened to write");
	vfs_close(f);
}

static void links(void)
{
	char name[16], target[16];
	struct tsb_stat st;
	struct vfs_file *f;
	int magic[2];
	c.vfs = vfs_new(mem(1000));
	put("/l0", "end");
	for (int i = 1; i <= 41; i++) {
		sprintf(name, "/l%d", i);
		sprintf(target, "l%d", i - 1);
		vfs_symlink(&c, target, name);
	}
	is_str(get(&c, "/l40"), "end", "links: 40 are followed");
	is_int(vfs_stat(&c, "/l41", &st), -ELOOP, "links: 41 are not");
	is_int(vfs_lstat(&c, "/l41", &st), 0, "links: lstat follows none");
	is_int(vfs_open(&c, "/l1", O_RDONLY | O_NOFOLLOW, 0, &f, magic), -ELOOP, "links: O_NOFOLLOW");
	vfs_symlink(&c, "new", "/dangling");
	is_int(vfs_stat(&c, "/dangling", &st), -ENOENT, "links: dangling");
	is_int(vfs_open(&c, "/dangling", O_WRONLY | O_CREAT | O_EXCL, 0644, &f, magic), -EEXIST,
	       "links: O_EXCL");
	is_int(put("/dangling", "made"), 0, "links: O_CREAT through one");
	is_str(get(&c, "/new"), "made", "links: makes the target");
	vfs_free(c.vfs);
}

static void long_paths(void)
{
	char *path = malloc(5000);
	const char *clean;
	struct tsb_stat st;
	c.vfs = vfs_new(mem(1000));
	memset(path, '/', 4095);
	path[4095] = '\0';
	is_int(vfs_stat(&c, path, &st), 0, "long: 4095 slashes");
	path[4095] = '/';
	path[4096] = '\0';
	is_int(vfs_stat(&c, path, &st), -ENAMETOOLONG, "long: 4096 are too many");
	for (int i = 0; i < 4094; i += 2)
		memcpy(path + i, "/.", 2);
	path[4094] = '\0';
	is_int(vfs_stat(&c, path, &st), 0, "long: dots");
	memset(path, 'x', 256);
	path[256] = '\0';
	is_int(vfs_stat(&c, path, &st), -ENAMETOOLONG, "long: a component of 256");
	is_int(vfs_mkdir(&c, path + 1, 0755), 0, "long: one of 255");
	memcpy(path + 256, "/y", 3);
	is_int(vfs_stat(&c, path, &st), -ENAMETOOLONG, "long: inside");
	memcpy(path, "no/", 3);
	is_int(vfs_stat(&c, path, &st), -ENOENT, "long: what misses comes first");
	path[0] = '\0';
	for (int i = 0; i < 2047; i++)
		strcat(path, "/d"), vfs_mkdir(&c, path, 0755);
	is_int(vfs_chdir(&c, path, &clean), 0, "long: a path of 4094 bytes");
	c.cwd = path;
	is_int(vfs_mkdir(&c, "e", 0755), -ENAMETOOLONG, "long: its inside is too far");
	is_int(vfs_stat(&c, "..", &st), 0, "long: up");
	c.cwd = "/";
	is_int(vfs_stat(&c, "", &st), -ENOENT, "an empty path");
	vfs_free(c.vfs);
	free(path);
}

static void rights(void)
{
	struct tsb_caller root = { 0, 0, 1, { 5, 0 } };
	struct vfs_ctx r = { NULL, &root, "/" };
	struct tsb_stat st;
	c.vfs = r.vfs = vfs_new(mem(0));
	is_int(put("/f", ""), -EACCES, "rights: not in root's directory");
	is_int(vfs_mkdir(&r, "/closed", 0700), 0, "rights: root's");
	is_int(vfs_mount(c.vfs, "/closed/m", mem(1000), 0), 0, "rights: a mount inside");
	is_int(vfs_stat(&c, "/closed/m", &st), -EACCES, "rights: the way to a mount counts");
	is_int(vfs_stat(&r, "/closed/m", &st), 0, "rights: root may");
	is_int(vfs_mknod(&r, "/dev", S_IFCHR | 0666, 0x103), 0, "rights: root makes devices");
	is_int(vfs_mknod(&c, "/dev2", S_IFCHR | 0666, 0x103), -EACCES, "rights: others do not");
	vfs_free(c.vfs);
}

static void programs(void)
{
	const char *command = "";
	struct tsb_setattr x = { .mask = TSB_SET_MODE, .mode = 0755 };
	struct tsb_stat st;
	c.vfs = vfs_new(mem(1000));
	put("/script", "#!/bin/sh\n");
	is_int(vfs_program(&c, "/script", &st, &command), -EACCES, "program: not executable");
	vfs_setattr(&c, "/script", &x, true);
	vfs_symlink(&c, "script", "/link");
	is_int(vfs_program(&c, "/link", &st, &command), 0, "program: by a link");
	ok(!command && st.size == 10, "program: a file");
	is_int(vfs_program(&c, "/", NULL, &command), -EACCES, "program: a directory");
	is_int(vfs_program(&c, "/none", NULL, &command), -ENOENT, "program: none");
	vfs_free(c.vfs);
}

static void real(const char *path, int missing, int rc, const char *want)
{
	const char *clean = NULL;
	char name[128];
	int got;
	snprintf(name, sizeof(name), "realpath(%s, %d)", path, missing);
	got = vfs_realpath(&c, path, missing, &clean);
	is_int(got, rc, name);
	if (!got && want)
		is_str(clean, want, name);
}

/* Asked of GNU realpath 9.1 -e, (none), -m on the same tree. */
static void realpaths(void)
{
	c.vfs = vfs_new(mem(1000));
	vfs_mkdir(&c, "/d", 0755);
	vfs_mkdir(&c, "/d/e", 0755);
	put("/f", "");
	vfs_symlink(&c, "d/e", "/l");
	vfs_symlink(&c, "nowhere", "/dang");
	vfs_symlink(&c, "no/where", "/dang2");
	vfs_symlink(&c, "loop", "/loop");
	real("/l/..", TSB_REAL_ALL_EXIST, 0, "/d");
	real("/d//e/.", TSB_REAL_ALL_EXIST, 0, "/d/e");
	real("/x", TSB_REAL_ALL_EXIST, -ENOENT, NULL);
	real("/x", TSB_REAL_LAST_MAY_MISS, 0, "/x");
	real("/x/", TSB_REAL_LAST_MAY_MISS, 0, "/x");
	real("/x/y", TSB_REAL_LAST_MAY_MISS, -ENOENT, NULL);
	real("/x/y", TSB_REAL_ANY_MAY_MISS, 0, "/x/y");
	real("/x/../l/z", TSB_REAL_ANY_MAY_MISS, 0, "/d/e/z");
	real("/dang", TSB_REAL_ALL_EXIST, -ENOENT, NULL);
	real("/dang", TSB_REAL_LAST_MAY_MISS, 0, "/nowhere");
	real("/dang2", TSB_REAL_LAST_MAY_MISS, -ENOENT, NULL);
	real("/dang2", TSB_REAL_ANY_MAY_MISS, 0, "/no/where");
	real("/f/", TSB_REAL_ALL_EXIST, -ENOTDIR, NULL);
	real("/f/", TSB_REAL_LAST_MAY_MISS, -ENOTDIR, NULL);
	real("/f/x", TSB_REAL_LAST_MAY_MISS, -ENOTDIR, NULL);
	real("/f/", TSB_REAL_ANY_MAY_MISS, 0, "/f");
	real("/f/x", TSB_REAL_ANY_MAY_MISS, 0, "/f/x");
	real("/loop", TSB_REAL_ALL_EXIST, -ELOOP, NULL);
	real("/loop", TSB_REAL_LAST_MAY_MISS, -ELOOP, NULL);
	real("/loop", TSB_REAL_ANY_MAY_MISS, 0, "/loop");
	real("/loop/x", TSB_REAL_ANY_MAY_MISS, 0, "/loop/x");
	real("", TSB_REAL_ANY_MAY_MISS, -ENOENT, NULL);
	vfs_free(c.vfs);
}

static char moves[256];
static void moved(void *ctx, const char *from, const char *to)
{
	(void)ctx;
	sprintf(moves + strlen(moves), "%s>%s ", from, to);
}

static void moves_are_told(void)
{
	c.vfs = vfs_new(mem(1000));
	vfs_on_move(c.vfs, moved, NULL);
	vfs_mkdir(&c, "/a", 0755);
	vfs_mkdir(&c, "/b", 0755);
	put("/f", "");
	vfs_rename(&c, "f", "a/f", 0);
	vfs_rename(&c, "a", "b/../b/c", 0);
	vfs_rename(&c, "b/c", "b/c", 0);
	is_str(moves, "/a>/b/c ", "moved: directories only, clean paths");
	moves[0] = '\0';
	vfs_mkdir(&c, "/e", 0755);
	vfs_rename(&c, "/e", "/b/c", TSB_RENAME_EXCHANGE);
	is_str(moves, "/e>// /b/c>/e //>/b/c ", "moved: an exchange goes by way of //");
	vfs_free(c.vfs);
}

/* The second filesystem has no room for what comes: the first goes back. */
static void restore_fails_whole(struct vfs *v, struct vfs *b)
{
	struct vfs_mount_info m;
	c.vfs = b;
	put("/f", "other");
	put("/m/f", "more than ten bytes");
	c.vfs = v;
	put("/f", "mine");
	vfs_mount_at(v, 1, &m);
	vfs_mem_limit(m.fs, 10, 10, 10);
	is_int(vfs_restore(v, b), -ENOSPC, "restore: no room in one");
	is_str(get(&c, "/f"), "mine", "restore: nothing has changed");
}

static void branches(void)
{
	struct vfs *v = vfs_new(mem(1000)), *b;
	uint64_t bytes, entries;
	c.vfs = v;
	vfs_mount(v, "/m", mem(1000), 0);
	vfs_mount(v, "/s", mem(1000), VFS_MOUNT_SHARE);
	put("/f", "old");
	put("/m/f", "old");
	put("/s/f", "shared");
	is_int(vfs_branch(v, &b), 0, "branch");
	put("/f", "new");
	put("/m/f", "new");
	put("/s/g", "seen");
	c.vfs = b;
	is_str(get(&c, "/f"), "old", "branch: the root is apart");
	is_str(get(&c, "/m/f"), "old", "branch: the mount, too");
	is_str(get(&c, "/s/g"), "seen", "branch: the shared one is not");
	put("/m/f", "branch");
	c.vfs = v;
	is_int(vfs_usage(v, &bytes, &entries), 0, "usage");
	ok(bytes == 6 && entries == 2, "usage: without the shared");
	is_int(vfs_restore(v, b), 0, "restore");
	is_str(get(&c, "/f"), "old", "restore: the root");
	is_str(get(&c, "/m/f"), "branch", "restore: the mount");
	restore_fails_whole(v, b);
	vfs_unmount(b, "/m");
	is_int(vfs_restore(v, b), -EOPNOTSUPP, "restore: other mounts");
	vfs_free(b);
	vfs_free(v);
}

/* A backend without lookup(), and one whose nth call fails. */
static void shims(void)
{
	struct tsb_stat st, plain;
	struct shim_fault fault = { 0, 0, EIO };
	struct tsb_fs *fs = shim_new(mem(1000), shim_fault, &fault);
	int failed = 0;
	((struct tsb_fs_ops *)fs->ops)->lookup = NULL;
	c.vfs = vfs_new(fs);
	vfs_mkdir(&c, "/d", 0755);
	put("/d/f", "slow");
	vfs_symlink(&c, "d", "/l");
	is_str(get(&c, "/l/../l/f"), "slow", "slow walk: through a link");
	is_int(vfs_stat(&c, "/d/f/x", &st), -ENOTDIR, "slow walk: below a file");
	is_int(vfs_stat(&c, "/l/x/y", &st), -ENOENT, "slow walk: missing");
	vfs_stat(&c, "/d", &plain);
	for (fault.nth = 1; fault.nth < 100; fault.nth++) {
		fault.calls = 0;
		if (put("/l/new", "x") != -EIO)
			break;
		failed++;
		fault.calls = 0;
	}
	fault.nth = 0;
	ok(failed > 3 && failed < 30, "faults: each is passed on");
	is_str(get(&c, "/d/new"), "x", "faults: then it works");
	vfs_free(c.vfs);
	c.vfs = vfs_new(shim_new(mem(1000), shim_read_only, NULL));
	is_int(put("/f", ""), -EROFS, "a read-only shim");
	is_int(vfs_stat(&c, "/", &st), 0, "may be read");
	vfs_free(c.vfs);
}

int main(void)
{
	mounts();
	open_files_outlive_mounts();
	links();
	long_paths();
	rights();
	programs();
	realpaths();
	moves_are_told();
	branches();
	shims();
	return done();
}
