/*
 * Every allocation in turn fails: calls fail whole, nothing is lost or leaked. The
 * allocator is replaced for the whole program, which sanitizers do not allow;
 * there the test is skipped.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "vfs/bin.h"
#include "vfs/dev.h"
#include "vfs/image.h"
#include "vfs/proc.h"
#include "vfs/vfs.h"

#include "unit/failing_heap.h"
#include "unit/tap.h"

#ifndef FAILING_HEAP_SKIPS

static struct tsb_caller who = { 1000, 1000, 1, { 5, 0 } };
static char text[10000];

/* All that can be seen of a tree, as a checksum. */
static uint64_t look(const struct vfs_ctx *c, const char *path)
{
	_Alignas(8) char buf[512], below[128];
	struct tsb_stat st;
	struct vfs_file *f;
	int magic[2];
	ssize_t n;
	uint64_t sum = 1;
	if (vfs_lstat(c, path, &st))
		return 0;
	sum = sum * 31 + st.mode + st.size * 7 + st.nlink * 1001;
	if (S_ISLNK(st.mode) || vfs_open(c, path, O_RDONLY, 0, &f, magic))
		return sum;
	if (S_ISDIR(st.mode)) {
		while ((n = vfs_readdir(f, buf, sizeof(buf))) > 0) {
			for (char *p = buf; p < buf + n; p += ((struct tsb_dirent *)p)->size) {
				const char *name = ((struct tsb_dirent *)p)->name;
				snprintf(below, sizeof(below), "%s/%s", path[1] ? path : "", name);
				for (const char *q = name; *q; q++)
					sum = sum * 31 + (unsigned char)*q;
				sum = sum * 31 + look(c, below);
			}
		}
	} else {
		for (uint64_t at = 0; (n = vfs_read(f, buf, sizeof(buf), at)) > 0; at += (uint64_t)n)
			for (ssize_t i = 0; i < n; i++)
				sum = sum * 31 + (unsigned char)buf[i];
	}
	vfs_close(f);
	return sum;
}

static int call_open(const struct vfs_ctx *c)
{
	struct vfs_file *f;
	int magic[2];
	int rc = vfs_open(c, "/d/new", O_WRONLY | O_CREAT, 0644, &f, magic);
	return rc ? rc : vfs_close(f);
}

static int call_trunc(const struct vfs_ctx *c)
{
	struct vfs_file *f;
	int magic[2];
	int rc = vfs_open(c, "/d/big", O_WRONLY | O_TRUNC, 0644, &f, magic);
	return rc ? rc : vfs_close(f);
}

/* Short writes are allowed; what was not told must not be there. */
static int call_write(const struct vfs_ctx *c)
{
	struct vfs_file *f;
	int magic[2];
	ssize_t n;
	int rc = vfs_open(c, "/d/big", O_WRONLY, 0, &f, magic);
	if (rc)
		return rc;
	n = vfs_write(f, &who, text, 9000, 60000);
	vfs_close(f);
	return n < 0 ? (int)n : n == 9000 ? 0 : 1;
}

static int call_mkdir(const struct vfs_ctx *c) { return vfs_mkdir(c, "/d/sub", 0755); }
static int call_symlink(const struct vfs_ctx *c) { return vfs_symlink(c, text, "/d/sym"); }
static int call_link(const struct vfs_ctx *c) { return vfs_link(c, "/d/big", "/hard", false); }
static int call_unlink(const struct vfs_ctx *c) { return vfs_unlink(c, "/d/f7"); }
static int call_rmdir(const struct vfs_ctx *c) { return vfs_rmdir(c, "/d/empty"); }
static int call_rename(const struct vfs_ctx *c) { return vfs_rename(c, "/d/f9", "/top", 0); }
static int call_over(const struct vfs_ctx *c) { return vfs_rename(c, "/d/f9", "/d/f30", 0); }
static int call_same(const struct vfs_ctx *c) { return vfs_rename(c, "/d/f9", "/d/zzz", 0); }
static int call_truncate(const struct vfs_ctx *c) { return vfs_truncate(c, "/d/big", 4999); }
static int call_grow(const struct vfs_ctx *c) { return vfs_truncate(c, "/d/f3", 100000); }

static int call_exchange(const struct vfs_ctx *c)
{
	return vfs_rename(c, "/d/f1", "/d/f50", TSB_RENAME_EXCHANGE);
}

static int call_chmod(const struct vfs_ctx *c)
{
	struct tsb_setattr set = { .mask = TSB_SET_MODE, .mode = 0600 };
	return vfs_setattr(c, "/d/f2", &set, true);
}

static const struct {
	const char *name;
	int (*run)(const struct vfs_ctx *c);
} calls[] = {
	{ "open", call_open }, { "open to truncate", call_trunc }, { "write", call_write },
	{ "mkdir", call_mkdir }, { "symlink", call_symlink }, { "link", call_link },
	{ "unlink", call_unlink }, { "rmdir", call_rmdir }, { "rename", call_rename },
	{ "rename over", call_over }, { "rename in place", call_same },
	{ "exchange", call_exchange }, { "truncate", call_truncate }, { "grow", call_grow },
	{ "chmod", call_chmod },
};

static void fill(const struct vfs_ctx *c)
{
	char path[32];
	struct vfs_file *f;
	int magic[2];
	vfs_mkdir(c, "/d", 0755);
	vfs_mkdir(c, "/d/empty", 0755);
	for (int i = 0; i < 60; i++) {
		sprintf(path, "/d/f%d", i);
		vfs_open(c, path, O_WRONLY | O_CREAT, 0644, &f, magic);
		vfs_write(f, &who, text, (size_t)i, 0);
		vfs_close(f);
	}
	vfs_open(c, "/d/big", O_WRONLY | O_CREAT, 0644, &f, magic);
	for (uint64_t at = 0; at < 100000; at += sizeof(text))
		vfs_write(f, &who, text, sizeof(text), at);
	vfs_close(f);
}

/* The call on a fresh branch, so that all of its nodes are shared and must be copied. */
static void try_call(struct vfs *base, int (*run)(const struct vfs_ctx *c), const char *name)
{
	bool good = true, same = true;
	char label[64];
	int rc = -1;
	long n;
	for (n = 0; n < 1000 && rc != 0; n++) {
		struct vfs *v;
		struct vfs_ctx c = { NULL, &who, "/" };
		uint64_t before;
		long before_live = live;
		vfs_branch(base, &v);
		c.vfs = v;
		before = look(&c, "/");
		countdown = n;
		armed = true;
		rc = run(&c);
		armed = false;
		good = good && (rc == -ENOMEM || rc >= 0);
		if (rc < 0)
			same = same && look(&c, "/") == before;
		/* It must still be whole enough for everything else. */
		if (rc && run(&c) != 0)
			good = false;
		look(&c, "/");
		vfs_free(v);
		good = good && live == before_live;
	}
	snprintf(label, sizeof(label), "%s: fails with ENOMEM, and works again (%ld points)", name, n);
	ok(good && rc == 0, label);
	snprintf(label, sizeof(label), "%s: fails whole", name);
	ok(same, label);
}

static const char *no_name(const void *ctx, size_t i) { (void)ctx, (void)i; return NULL; }
static size_t no_count(const void *ctx) { (void)ctx; return 0; }

/* Mounts fs, or gives it back. */
static int put_up(struct vfs *v, const char *path, struct tsb_fs *fs)
{
	int rc = fs ? vfs_mount(v, path, fs, VFS_MOUNT_SHARE) : -ENOMEM;
	if (rc)
		tsb_fs_free(fs);
	return rc;
}

/* A sandbox with more mounts than a namespace has room for at first. */
static int assemble(void)
{
	static const char *const more[] = { "/a", "/b", "/c", "/d", "/e" };
	struct tsb_mem_options opt = TSB_MEM_OPTIONS_INIT;
	struct tsb_time now = { 0, 0 };
	struct procfs_source none = { .ctx = NULL };
	struct tsb_fs *root = vfs_image_new(&opt, "host");
	struct vfs *v = root ? vfs_new(root) : NULL, *b = NULL, *copy;
	int rc = v ? 0 : -ENOMEM;
	if (!v) {
		tsb_fs_free(root);
		return rc;
	}
	for (size_t i = 0; !rc && i < 5; i++)
		rc = put_up(v, more[i], tsb_mem_new(&opt));
	if (!rc)
		rc = put_up(v, "/dev", devfs_new(NULL, NULL, now));
	if (!rc)
		rc = put_up(v, "/bin", binfs_new(no_name, no_count, NULL, now));
	if (!rc)
		rc = put_up(v, "/proc", procfs_new(&none));
	if (!rc)
		rc = vfs_remount(v, "/dev", VFS_MOUNT_READ_ONLY);
	if (!rc)
		rc = vfs_branch(v, &b);
	if (!rc)
		rc = vfs_restore(v, b);
	copy = rc ? NULL : vfs_clone(v);
	if (!rc && !copy)
		rc = -ENOMEM;
	vfs_free(copy);
	vfs_free(b);
	vfs_free(v);
	return rc;
}

static void assembling(void)
{
	long n, before = live;
	int rc = -1;
	bool good = true;
	for (n = 0; n < 5000 && rc; n++) {
		countdown = n;
		armed = true;
		rc = assemble();
		armed = false;
		good = good && (!rc || rc == -ENOMEM) && live == before;
	}
	ok(good && n > 100 && !rc, "assembling a sandbox: fails with ENOMEM, leaks nothing");
}

int main(void)
{
	struct tsb_mem_options opt = TSB_MEM_OPTIONS_INIT;
	struct vfs_ctx c = { NULL, &who, "/" };
	uint64_t before;
	memset(text, 't', 200);
	c.vfs = vfs_new(tsb_mem_new(&opt));
	fill(&c);
	before = look(&c, "/");
	for (size_t i = 0; i < sizeof(calls) / sizeof(calls[0]); i++)
		try_call(c.vfs, calls[i].run, calls[i].name);
	ok(look(&c, "/") == before, "the base is untouched");
	vfs_free(c.vfs);
	assembling();
	return done();
}
#endif
