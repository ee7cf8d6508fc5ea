/*
 * The conformance suite: one function for each part of the contract. Every test
 * makes a filesystem of its own, so that one failure does not cause others.
 */
#include "conformance.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "conformance_impl.h"

#define PLENTY ((uint64_t)1 << 40)
#define NAME_255 \
	"nnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnn" \
	"nnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnn" \
	"nnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnn"

static void suite_report_tap(void *ctx, int good, const char *name, const char *detail)
{
	(void)ctx;
	printf("%sok - %s\n", good ? "" : "not ", name);
	if (!good && detail)
		printf("# %s\n", detail);
}

bool suite_check(struct suite *s, bool good, const char *name, const char *detail)
{
	s->checks++;
	s->failures += !good;
	s->report(s->ctx, good, name, good ? NULL : detail);
	return good;
}

bool suite_check_int(struct suite *s, long long got, long long want, const char *name)
{
	char detail[80];
	snprintf(detail, sizeof(detail), "got %lld, not %lld", got, want);
	return suite_check(s, got == want, name, detail);
}

void suite_fresh(struct suite *s, uint64_t bytes, uint64_t entries, uint64_t file_bytes)
{
	struct tsb_mem_options quota = TSB_MEM_OPTIONS_INIT;
	quota.bytes_max = bytes;
	quota.entries_max = entries;
	quota.file_bytes_max = file_bytes;
	quota.now.sec = 1000;
	s->who = (struct tsb_caller){ 1000, 1000, 1, { 2000, 0 } };
	s->fs = s->make(s->ctx, &quota);
	if (!s->fs) {
		suite_check(s, false, "a filesystem is made", "NULL");
		exit(1);
	}
}

void suite_end(struct suite *s)
{
	if (s->fs->ops->free)
		s->fs->ops->free(s->fs);
	s->fs = NULL;
}

struct tsb_file *suite_open(struct suite *s, struct tsb_fs *fs, const char *path, int flags,
			    uint32_t mode, int *rc)
{
	struct tsb_file *f = calloc(1, fs->ops->file_size);
	f->ops = fs->ops;
	f->fs = fs;
	f->flags = flags;
	*rc = fs->ops->open(fs, &s->who, path, flags, mode, f);
	if (!*rc)
		return f;
	free(f);
	return NULL;
}

int suite_close(struct tsb_file *f)
{
	int rc = f->ops->close ? f->ops->close(f) : 0;
	free(f);
	return rc;
}

void suite_usage(struct tsb_fs *fs, uint64_t *bytes, uint64_t *entries)
{
	struct tsb_statfs st = { 0 };
	fs->ops->statfs(fs, &st);
	*bytes = st.bytes_total - st.bytes_free;
	*entries = st.entries_total - st.entries_free;
}

/* ---- Small helpers ---- */

static int open_rc(struct suite *s, const char *path, int flags, uint32_t mode)
{
	int rc;
	struct tsb_file *f = suite_open(s, s->fs, path, flags, mode, &rc);
	if (f)
		suite_close(f);
	return rc;
}

static ssize_t put_in(struct suite *s, struct tsb_fs *fs, const char *path, const char *text)
{
	int rc;
	struct tsb_file *f = suite_open(s, fs, path, O_WRONLY | O_CREAT | O_TRUNC, 0644, &rc);
	ssize_t n;
	if (!f)
		return rc;
	n = fs->ops->write_at(f, &s->who, text, strlen(text), 0);
	rc = suite_close(f);
	return rc ? rc : n;
}

static ssize_t put(struct suite *s, const char *path, const char *text)
{
	return put_in(s, s->fs, path, text);
}

static bool holds_in(struct suite *s, struct tsb_fs *fs, const char *path, const char *text)
{
	char buf[256];
	int rc;
	struct tsb_file *f = suite_open(s, fs, path, O_RDONLY, 0, &rc);
	ssize_t n;
	if (!f)
		return false;
	n = fs->ops->read_at(f, buf, sizeof(buf), 0);
	suite_close(f);
	return n == (ssize_t)strlen(text) && !memcmp(buf, text, (size_t)n);
}

static bool holds(struct suite *s, const char *path, const char *text)
{
	return holds_in(s, s->fs, path, text);
}

static struct tsb_stat stat_of(struct suite *s, const char *path)
{
	struct tsb_stat st = { 0 };
	s->fs->ops->lstat(s->fs, &s->who, path, &st);
	return st;
}

static int stat_rc(struct suite *s, const char *path)
{
	struct tsb_stat st;
	return s->fs->ops->lstat(s->fs, &s->who, path, &st);
}

static int make_dir(struct suite *s, const char *path)
{
	return s->fs->ops->mkdir(s->fs, &s->who, path, 0755);
}

static int move(struct suite *s, const char *from, const char *to, unsigned flags)
{
	return s->fs->ops->rename(s->fs, &s->who, from, to, flags);
}

static int drop(struct suite *s, const char *path)
{
	return s->fs->ops->unlink(s->fs, &s->who, path);
}

static int drop_dir(struct suite *s, const char *path)
{
	return s->fs->ops->rmdir(s->fs, &s->who, path);
}

/* ---- The tests ---- */

static void test_root(struct suite *s)
{
	struct tsb_stat st = stat_of(s, "/");
	EQUAL(s, s->fs->ops->version, TSB_VFS_VERSION, "root: version");
	CHECK(s, s->fs->ops->file_size >= sizeof(struct tsb_file), "root: file_size");
	CHECK(s, S_ISDIR(st.mode), "root: is a directory");
	if (!(s->lacks & TSB_LACKS_OWNERS)) {
		EQUAL(s, st.mode & 07777, 0755, "root: mode");
		EQUAL(s, st.uid, 1000, "root: owner");
	}
	EQUAL(s, drop_dir(s, "/"), -EBUSY, "root: rmdir is busy");
	EQUAL(s, drop(s, "/"), -EISDIR, "root: unlink is a directory");
	EQUAL(s, make_dir(s, "/"), -EEXIST, "root: mkdir exists");
}

static void test_open(struct suite *s)
{
	EQUAL(s, open_rc(s, "/f", O_RDONLY, 0), -ENOENT, "open: missing");
	EQUAL(s, open_rc(s, "/d/f", O_WRONLY | O_CREAT, 0644), -ENOENT, "open: directory missing");
	EQUAL(s, open_rc(s, "/f", O_WRONLY | O_CREAT | O_EXCL, 0640), 0, "open: made");
	EQUAL(s, open_rc(s, "/f", O_WRONLY | O_CREAT | O_EXCL, 0640), -EEXIST, "open: O_EXCL");
	EQUAL(s, open_rc(s, "/f", O_RDWR | O_CREAT, 0777), 0, "open: O_CREAT of what is there");
	if (!(s->lacks & TSB_LACKS_OWNERS)) {
		EQUAL(s, stat_of(s, "/f").mode, S_IFREG | 0640, "open: mode of the new file");
		EQUAL(s, stat_of(s, "/f").uid, 1000, "open: owner of the new file");
	}
	EQUAL(s, put(s, "/f", "abcdef"), 6, "open: written");
	EQUAL(s, open_rc(s, "/f", O_RDWR, 0), 0, "open: O_RDWR keeps the content");
	CHECK(s, holds(s, "/f", "abcdef"), "open: the content");
	EQUAL(s, open_rc(s, "/f", O_WRONLY | O_TRUNC, 0), 0, "open: O_TRUNC");
	EQUAL(s, stat_of(s, "/f").size, 0, "open: O_TRUNC empties");
	EQUAL(s, open_rc(s, "/f/x", O_RDONLY, 0), -ENOTDIR, "open: below a file");
	EQUAL(s, open_rc(s, "/f/x", O_WRONLY | O_CREAT, 0), -ENOTDIR, "open: new below a file");
	EQUAL(s, open_rc(s, "/f", O_RDONLY | O_DIRECTORY, 0), -ENOTDIR, "open: O_DIRECTORY");
	EQUAL(s, make_dir(s, "/d"), 0, "open: a directory");
	EQUAL(s, open_rc(s, "/d", O_RDONLY, 0), 0, "open: of a directory");
	EQUAL(s, open_rc(s, "/d", O_WRONLY, 0), -EISDIR, "open: directory for writing");
	EQUAL(s, open_rc(s, "/d", O_RDONLY | O_CREAT, 0), -EISDIR, "open: O_CREAT of a directory");
	EQUAL(s, open_rc(s, "/d", O_RDWR | O_CREAT | O_EXCL, 0), -EEXIST, "open: O_EXCL first");
	if (s->lacks & TSB_LACKS_SYMLINKS)
		return;
	s->fs->ops->symlink(s->fs, &s->who, "f", "/l");
	EQUAL(s, open_rc(s, "/l", O_RDONLY, 0), -ELOOP, "open: a link");
	EQUAL(s, open_rc(s, "/l", O_WRONLY | O_CREAT | O_EXCL, 0), -EEXIST, "open: O_EXCL of a link");
}

static void test_append(struct suite *s)
{
	const struct tsb_fs_ops *ops = s->fs->ops;
	struct tsb_file *a, *b;
	int rc;
	put(s, "/f", "one\n");
	a = suite_open(s, s->fs, "/f", O_WRONLY | O_APPEND, 0, &rc);
	b = suite_open(s, s->fs, "/f", O_RDWR, 0, &rc);
	EQUAL(s, ops->write_at(a, &s->who, "two\n", 4, 0), 4, "append: ignores the offset");
	EQUAL(s, ops->write_at(b, &s->who, "more\n", 5, 8), 5, "append: another handle grows it");
	EQUAL(s, ops->write_at(a, &s->who, "end\n", 4, 2), 4, "append: at the new end");
	CHECK(s, holds(s, "/f", "one\ntwo\nmore\nend\n"), "append: the content");
	suite_close(a);
	suite_close(b);
}

static bool all_zero(const char *p, size_t n)
{
	while (n && !*p)
		p++, n--;
	return !n;
}

static void test_holes(struct suite *s)
{
	const struct tsb_fs_ops *ops = s->fs->ops;
	char *buf = malloc(300000);
	int rc;
	struct tsb_file *f = suite_open(s, s->fs, "/f", O_RDWR | O_CREAT, 0644, &rc);
	EQUAL(s, ops->read_at(f, buf, 100, 0), 0, "holes: an empty file");
	EQUAL(s, ops->write_at(f, &s->who, "x", 1, 200000), 1, "holes: write far out");
	EQUAL(s, stat_of(s, "/f").size, 200001, "holes: size");
	EQUAL(s, ops->read_at(f, buf, 300000, 0), 200001, "holes: read all, and short");
	CHECK(s, all_zero(buf, 200000) && buf[200000] == 'x', "holes: read as zeroes");
	EQUAL(s, ops->read_at(f, buf, 10, 200001), 0, "holes: the end");
	EQUAL(s, ops->read_at(f, buf, 10, PLENTY), 0, "holes: behind the end");
	EQUAL(s, ops->truncate(f, &s->who, 3), 0, "holes: cut");
	EQUAL(s, ops->write_at(f, &s->who, "abc", 3, 0), 3, "holes: written");
	EQUAL(s, ops->truncate(f, &s->who, 1), 0, "holes: cut to one");
	EQUAL(s, ops->truncate(f, &s->who, 10000), 0, "holes: grown");
	EQUAL(s, ops->read_at(f, buf, 20000, 0), 10000, "holes: size again");
	CHECK(s, buf[0] == 'a' && all_zero(buf + 1, 9999), "holes: what was cut is not back");
	memset(buf, 'z', 20000);
	EQUAL(s, ops->write_at(f, &s->who, buf, 20000, 0), 20000, "holes: filled");
	EQUAL(s, ops->truncate(f, &s->who, 5000), 0, "holes: cut inside a block");
	EQUAL(s, ops->write_at(f, &s->who, "y", 1, 9000), 1, "holes: write behind it");
	EQUAL(s, ops->read_at(f, buf, 20000, 0), 9001, "holes: size at last");
	CHECK(s, buf[4999] == 'z' && all_zero(buf + 5000, 4000), "holes: zeroes between");
	EQUAL(s, ops->write_at(f, &s->who, "", 0, 20000), 0, "holes: nothing written");
	EQUAL(s, stat_of(s, "/f").size, 9001, "holes: and nothing grown");
	suite_close(f);
	free(buf);
}

static void test_bounds(struct suite *s)
{
	const struct tsb_fs_ops *ops = s->fs->ops;
	char c = 'x';
	int rc;
	struct tsb_file *f = suite_open(s, s->fs, "/f", O_RDWR | O_CREAT, 0644, &rc);
	EQUAL(s, ops->read_at(f, &c, 1, INT64_MAX), 0, "bounds: read at the last offset");
	EQUAL(s, ops->write_at(f, &s->who, &c, 1, INT64_MAX), -EFBIG, "bounds: write there");
	EQUAL(s, ops->truncate(f, &s->who, (uint64_t)64 << 40), -EFBIG, "bounds: truncate to 64 T");
	EQUAL(s, ops->truncate(f, &s->who, INT64_MAX), -EFBIG, "bounds: truncate to 2^63 - 1");
	EQUAL(s, stat_of(s, "/f").size, 0, "bounds: nothing has changed");
	suite_close(f);
	EQUAL(s, put(s, "/" NAME_255, "x"), 1, "bounds: a name of 255 bytes");
	EQUAL(s, stat_rc(s, "/" NAME_255), 0, "bounds: is found");
}

static void test_handles(struct suite *s)
{
	const struct tsb_fs_ops *ops = s->fs->ops;
	struct tsb_stat st = { 0 };
	struct tsb_file *f, *g;
	uint64_t ino;
	char buf[8];
	int rc;
	put(s, "/f", "first");
	f = suite_open(s, s->fs, "/f", O_RDWR, 0, &rc);
	ino = stat_of(s, "/f").ino;
	EQUAL(s, move(s, "/f", "/g", 0), 0, "handles: renamed");
	put(s, "/f", "other");
	EQUAL(s, ops->read_at(f, buf, 8, 0), 5, "handles: reads after rename");
	CHECK(s, !memcmp(buf, "first", 5), "handles: what it had");
	EQUAL(s, ops->write_at(f, &s->who, "F", 1, 0), 1, "handles: writes after rename");
	CHECK(s, holds(s, "/g", "First"), "handles: to the renamed file");
	EQUAL(s, move(s, "/f", "/g", 0), 0, "handles: replaced");
	EQUAL(s, ops->fstat(f, &st), 0, "handles: fstat");
	CHECK(s, st.ino == ino && st.size == 5, "handles: is the same inode");
	EQUAL(s, st.nlink, 0, "handles: without a name");
	EQUAL(s, ops->write_at(f, &s->who, "more", 4, 5), 4, "handles: still grows");
	EQUAL(s, ops->read_at(f, buf, 8, 0), 8, "handles: still reads");
	CHECK(s, holds(s, "/g", "other"), "handles: the new file is untouched");
	EQUAL(s, suite_close(f), 0, "handles: closed");
	f = suite_open(s, s->fs, "/g", O_RDWR, 0, &rc);
	g = suite_open(s, s->fs, "/g", O_RDWR, 0, &rc);
	EQUAL(s, drop(s, "/g"), 0, "handles: unlinked");
	EQUAL(s, stat_rc(s, "/g"), -ENOENT, "handles: gone");
	EQUAL(s, ops->write_at(f, &s->who, "G", 1, 0), 1, "handles: two share one file");
	EQUAL(s, ops->read_at(g, buf, 1, 0), 1, "handles: and see each other");
	EQUAL(s, buf[0], 'G', "handles: at once");
	suite_close(f);
	EQUAL(s, ops->read_at(g, buf, 8, 0), 5, "handles: the other lives on");
	suite_close(g);
	EQUAL(s, put(s, "/g", "new"), 3, "handles: the name is free");
}

static void test_rename(struct suite *s)
{
	put(s, "/a", "a");
	put(s, "/b", "b");
	make_dir(s, "/d");
	make_dir(s, "/e");
	make_dir(s, "/d/sub");
	put(s, "/d/sub/f", "f");
	EQUAL(s, move(s, "/x", "/y", 0), -ENOENT, "rename: missing");
	EQUAL(s, move(s, "/a", "/x/y", 0), -ENOENT, "rename: into what is missing");
	EQUAL(s, move(s, "/a", "/b/y", 0), -ENOTDIR, "rename: below a file");
	EQUAL(s, move(s, "/a", "/a", 0), 0, "rename: to itself");
	EQUAL(s, move(s, "/a", "/b", TSB_RENAME_NOREPLACE), -EEXIST, "rename: NOREPLACE");
	EQUAL(s, move(s, "/a", "/b", 0), 0, "rename: over a file");
	CHECK(s, holds(s, "/b", "a") && stat_rc(s, "/a") == -ENOENT, "rename: replaced");
	EQUAL(s, move(s, "/b", "/d", 0), -EISDIR, "rename: file over directory");
	EQUAL(s, move(s, "/d", "/b", 0), -ENOTDIR, "rename: directory over file");
	EQUAL(s, move(s, "/e", "/d", 0), -ENOTEMPTY, "rename: over a full directory");
	EQUAL(s, move(s, "/d", "/d/sub/x", 0), -EINVAL, "rename: into itself");
	EQUAL(s, move(s, "/d/sub", "/d", 0), -ENOTEMPTY, "rename: over its own parent");
	EQUAL(s, move(s, "/d", "/e", 0), 0, "rename: over an empty directory");
	CHECK(s, holds(s, "/e/sub/f", "f"), "rename: the tree moved");
	EQUAL(s, move(s, "/e/sub", "/sub", 0), 0, "rename: up");
	CHECK(s, holds(s, "/sub/f", "f"), "rename: moved up");
	EQUAL(s, stat_of(s, "/e").nlink, 2, "rename: link counts of the old parent");
	EQUAL(s, stat_of(s, "/").nlink, 4, "rename: and of the new");
	EQUAL(s, move(s, "/", "/sub/x", 0), -EBUSY, "rename: the root");
	EQUAL(s, move(s, "/b", "/c", TSB_RENAME_NOREPLACE), 0, "rename: NOREPLACE to a free name");
	if (s->lacks & TSB_LACKS_EXCHANGE)
		return;
	EQUAL(s, move(s, "/c", "/x", TSB_RENAME_EXCHANGE), -ENOENT, "rename: exchange with nothing");
	EQUAL(s, move(s, "/c", "/sub", TSB_RENAME_EXCHANGE), 0, "rename: exchange");
	CHECK(s, holds(s, "/sub", "a") && holds(s, "/c/f", "f"), "rename: exchanged");
	EQUAL(s, move(s, "/c/f", "/sub", TSB_RENAME_EXCHANGE), 0, "rename: exchange between two");
	CHECK(s, holds(s, "/sub", "f") && holds(s, "/c/f", "a"), "rename: exchanged again");
	EQUAL(s, move(s, "/c", "/c/f", TSB_RENAME_EXCHANGE), -EINVAL, "rename: exchange with inside");
	EQUAL(s, move(s, "/c", "/sub", TSB_RENAME_EXCHANGE | TSB_RENAME_NOREPLACE), -EINVAL,
	      "rename: both flags");
}

static void test_links(struct suite *s)
{
	const struct tsb_fs_ops *ops = s->fs->ops;
	put(s, "/f", "text");
	make_dir(s, "/d");
	EQUAL(s, ops->link(s->fs, &s->who, "/f", "/d/g"), 0, "links: made");
	EQUAL(s, stat_of(s, "/f").nlink, 2, "links: counted");
	EQUAL(s, stat_of(s, "/f").ino, stat_of(s, "/d/g").ino, "links: one inode");
	put(s, "/d/g", "changed");
	CHECK(s, holds(s, "/f", "changed"), "links: one content");
	EQUAL(s, ops->link(s->fs, &s->who, "/f", "/d/g"), -EEXIST, "links: name taken");
	EQUAL(s, ops->link(s->fs, &s->who, "/d", "/e"), -EPERM, "links: of a directory");
	EQUAL(s, ops->link(s->fs, &s->who, "/x", "/e"), -ENOENT, "links: of nothing");
	EQUAL(s, move(s, "/f", "/d/g", 0), 0, "links: rename to the same inode does nothing");
	EQUAL(s, stat_rc(s, "/f"), 0, "links: both are still there");
	EQUAL(s, drop(s, "/f"), 0, "links: one unlinked");
	EQUAL(s, stat_of(s, "/d/g").nlink, 1, "links: one left");
	CHECK(s, holds(s, "/d/g", "changed"), "links: with the content");
}

static void test_symlinks(struct suite *s)
{
	const struct tsb_fs_ops *ops = s->fs->ops;
	char target[1000], buf[2000];
	memset(target, 't', sizeof(target) - 1);
	target[sizeof(target) - 1] = '\0';
	EQUAL(s, ops->symlink(s->fs, &s->who, "some/where", "/l"), 0, "symlinks: made");
	EQUAL(s, ops->readlink(s->fs, &s->who, "/l", buf, sizeof(buf)), 10, "symlinks: read");
	CHECK(s, !memcmp(buf, "some/where", 10), "symlinks: the target");
	EQUAL(s, ops->readlink(s->fs, &s->who, "/l", buf, 4), 4, "symlinks: read in part");
	CHECK(s, S_ISLNK(stat_of(s, "/l").mode), "symlinks: type");
	EQUAL(s, stat_of(s, "/l").size, 10, "symlinks: size");
	EQUAL(s, ops->symlink(s->fs, &s->who, "x", "/l"), -EEXIST, "symlinks: name taken");
	EQUAL(s, ops->symlink(s->fs, &s->who, target, "/long"), 0, "symlinks: a long one");
	EQUAL(s, ops->readlink(s->fs, &s->who, "/long", buf, sizeof(buf)), 999, "symlinks: read it");
	CHECK(s, !memcmp(buf, target, 999), "symlinks: all of it");
	put(s, "/f", "");
	EQUAL(s, ops->readlink(s->fs, &s->who, "/f", buf, 10), -EINVAL, "symlinks: not of a file");
	EQUAL(s, ops->readlink(s->fs, &s->who, "/x", buf, 10), -ENOENT, "symlinks: not of nothing");
	EQUAL(s, drop_dir(s, "/l"), -ENOTDIR, "symlinks: rmdir");
	EQUAL(s, drop(s, "/l"), 0, "symlinks: unlink");
}

static void test_lookup(struct suite *s)
{
	const struct tsb_fs_ops *ops = s->fs->ops;
	struct tsb_stat st = { 0 };
	size_t len = 0;
	make_dir(s, "/d");
	put(s, "/d/f", "x");
	EQUAL(s, ops->lookup(s->fs, &s->who, "/d/f", &len, &st), 0, "lookup: found");
	EQUAL(s, st.ino, stat_of(s, "/d/f").ino, "lookup: the same as lstat");
	EQUAL(s, ops->lookup(s->fs, &s->who, "/", &len, &st), 0, "lookup: the root");
	EQUAL(s, ops->lookup(s->fs, &s->who, "/x/y", &len, &st), -ENOENT, "lookup: missing");
	EQUAL(s, ops->lookup(s->fs, &s->who, "/d/f/y", &len, &st), -ENOTDIR, "lookup: below a file");
	if (!(s->lacks & TSB_LACKS_OWNERS)) {
		struct tsb_setattr set = { .mask = TSB_SET_MODE, .mode = 0600 };
		ops->setattr(s->fs, &s->who, "/d", &set);
		EQUAL(s, ops->lookup(s->fs, &s->who, "/d/f", &len, &st), -EACCES,
		      "lookup: not searchable");
		s->who.uid = 0;
		EQUAL(s, ops->lookup(s->fs, &s->who, "/d/f", &len, &st), 0, "lookup: root may");
		s->who.uid = 1000;
	}
	if (s->lacks & TSB_LACKS_SYMLINKS)
		return;
	ops->symlink(s->fs, &s->who, "d", "/link");
	EQUAL(s, ops->lookup(s->fs, &s->who, "/link", &len, &st), 0, "lookup: a final link");
	CHECK(s, S_ISLNK(st.mode), "lookup: is told as it is");
	EQUAL(s, ops->lookup(s->fs, &s->who, "/link/f/g", &len, &st), -ELOOP, "lookup: a link inside");
	EQUAL(s, len, 5, "lookup: and where it ends");
}

static void test_nodes(struct suite *s)
{
	const struct tsb_fs_ops *ops = s->fs->ops;
	EQUAL(s, ops->mknod(s->fs, &s->who, "/p", S_IFIFO | 0600, 0), 0, "nodes: a FIFO");
	CHECK(s, S_ISFIFO(stat_of(s, "/p").mode), "nodes: its type");
	EQUAL(s, ops->mknod(s->fs, &s->who, "/p", S_IFIFO | 0600, 0), -EEXIST, "nodes: name taken");
	EQUAL(s, open_rc(s, "/p", O_RDONLY, 0), 0, "nodes: gives a handle");
	EQUAL(s, drop(s, "/p"), 0, "nodes: unlinked");
}

static void test_dirs(struct suite *s)
{
	EQUAL(s, make_dir(s, "/a/b"), -ENOENT, "dirs: parent missing");
	EQUAL(s, make_dir(s, "/a"), 0, "dirs: made");
	EQUAL(s, make_dir(s, "/a"), -EEXIST, "dirs: exists");
	EQUAL(s, make_dir(s, "/a/b"), 0, "dirs: made inside");
	EQUAL(s, stat_of(s, "/a").nlink, 3, "dirs: link count");
	put(s, "/a/f", "");
	EQUAL(s, make_dir(s, "/a/f"), -EEXIST, "dirs: a file is there");
	EQUAL(s, make_dir(s, "/a/f/x"), -ENOTDIR, "dirs: below a file");
	EQUAL(s, drop(s, "/a/b"), -EISDIR, "dirs: unlink");
	EQUAL(s, drop_dir(s, "/a/f"), -ENOTDIR, "dirs: rmdir of a file");
	EQUAL(s, drop_dir(s, "/a"), -ENOTEMPTY, "dirs: not empty");
	EQUAL(s, drop_dir(s, "/x"), -ENOENT, "dirs: missing");
	EQUAL(s, drop(s, "/x"), -ENOENT, "dirs: unlink of nothing");
	EQUAL(s, drop_dir(s, "/a/b"), 0, "dirs: removed");
	EQUAL(s, stat_of(s, "/a").nlink, 2, "dirs: link count after");
	EQUAL(s, drop(s, "/a/f"), 0, "dirs: emptied");
	EQUAL(s, drop_dir(s, "/a"), 0, "dirs: removed, too");
}

/* Names are bytes: every one of them but NUL and slash. */
static void test_names(struct suite *s)
{
	char path[8] = "/";
	int bad = 0;
	for (int c = 1; c < 256; c++) {
		if (c == '/')
			continue;
		path[1] = (char)c;
		path[2] = (char)(c == '.' ? 'x' : 0);
		path[3] = '\0';
		bad += put(s, path, path + 1) != (ssize_t)strlen(path + 1);
	}
	for (int c = 1; c < 256; c++) {
		if (c == '/')
			continue;
		path[1] = (char)c;
		path[2] = (char)(c == '.' ? 'x' : 0);
		bad += !holds(s, path, path + 1);
	}
	EQUAL(s, bad, 0, "names: every byte");
	EQUAL(s, put(s, "/...", "dots"), 4, "names: three dots");
	EQUAL(s, put(s, "/..x", "dots"), 4, "names: two dots and more");
	EQUAL(s, put(s, "/\303\244", "utf"), 3, "names: UTF-8");
	EQUAL(s, put(s, "/\303", "half"), 4, "names: no UTF-8");
	CHECK(s, holds(s, "/\303\244", "utf") && holds(s, "/\303", "half"), "names: are different");
	EQUAL(s, put(s, "/A", "upper"), 5, "names: upper case");
	CHECK(s, holds(s, "/a", "a") && holds(s, "/A", "upper"), "names: case matters");
}

#define DIR_MANY 1000

/* Reads the rest of a directory of files nNNNN into counts; *odd: other names. */
static int read_some(struct tsb_file *d, size_t cap, int rounds, unsigned char *counts, int *odd)
{
	_Alignas(8) char buf[4096];
	ssize_t n = 0;
	while (rounds-- && (n = d->ops->readdir(d, buf, cap)) > 0) {
		for (char *p = buf; p < buf + n; p += ((struct tsb_dirent *)p)->size) {
			const struct tsb_dirent *e = (struct tsb_dirent *)p;
			int i = e->name[0] == 'n' ? atoi(e->name + 1) : DIR_MANY;
			if (e->size % 8 || strlen(e->name) != e->name_len || i >= DIR_MANY)
				++*odd;
			else
				counts[i]++;
		}
	}
	return (int)n;
}

static void test_readdir(struct suite *s)
{
	static unsigned char counts[DIR_MANY];
	char path[32], tiny[8];
	struct tsb_file *d;
	int rc, odd = 0, wrong = 0;

	make_dir(s, "/d");
	d = suite_open(s, s->fs, "/d", O_RDONLY | O_DIRECTORY, 0, &rc);
	EQUAL(s, d->ops->readdir(d, path, sizeof(path)), 0, "readdir: empty");
	suite_close(d);
	for (int i = 0; i < DIR_MANY; i++) {
		snprintf(path, sizeof(path), "/d/n%04d", i);
		put(s, path, "");
	}
	memset(counts, 0, sizeof(counts));
	d = suite_open(s, s->fs, "/d", O_RDONLY | O_DIRECTORY, 0, &rc);
	EQUAL(s, d->ops->readdir(d, tiny, sizeof(tiny)), -EINVAL, "readdir: not one fits");
	rc = read_some(d, 300, 20, counts, &odd);
	CHECK(s, rc > 0, "readdir: goes on");
	/* Odd numbers go and strangers come while it is read. */
	for (int i = 0; i < DIR_MANY; i++) {
		snprintf(path, sizeof(path), "/d/n%04d", i);
		if (i % 2)
			drop(s, path);
		snprintf(path, sizeof(path), "/d/%c%04d", "amz"[i % 3], i);
		put(s, path, "");
	}
	EQUAL(s, read_some(d, 300, -1, counts, &odd), 0, "readdir: ends");
	EQUAL(s, d->ops->readdir(d, path, sizeof(path)), 0, "readdir: and stays at the end");
	for (int i = 0; i < DIR_MANY; i++)
		wrong += i % 2 ? counts[i] > 1 : counts[i] != 1;
	EQUAL(s, wrong, 0, "readdir: what stayed is given exactly once");
	CHECK(s, odd <= DIR_MANY, "readdir: what came at most once");
	suite_close(d);
}

static void test_attributes(struct suite *s)
{
	struct tsb_setattr set = { .mask = TSB_SET_MODE | TSB_SET_MTIME | TSB_SET_ATIME,
				   .mode = 0751, .atime = { 11, 12 }, .mtime = { -13, 14 } };
	const struct tsb_fs_ops *ops = s->fs->ops;
	struct tsb_stat st;
	struct tsb_file *f;
	int rc;

	s->who.now.sec = 3000;
	put(s, "/f", "x");
	s->who.now.sec = 4000;
	if (!(s->lacks & TSB_LACKS_CLOCK)) {
		EQUAL(s, stat_of(s, "/f").mtime.sec, 3000, "attributes: mtime of a new file");
		EQUAL(s, stat_of(s, "/").mtime.sec, 3000, "attributes: and of its directory");
	}
	EQUAL(s, ops->setattr(s->fs, &s->who, "/f", &set), 0, "attributes: set");
	st = stat_of(s, "/f");
	CHECK(s, st.atime.sec == 11 && st.mtime.sec == -13 && st.mtime.nsec == 14,
	      "attributes: times, also before 1970");
	if (!(s->lacks & TSB_LACKS_CLOCK))
		EQUAL(s, st.ctime.sec, 4000, "attributes: ctime is now");
	if (!(s->lacks & TSB_LACKS_OWNERS))
		EQUAL(s, st.mode, S_IFREG | 0751, "attributes: mode");
	f = suite_open(s, s->fs, "/f", O_RDWR, 0, &rc);
	set = (struct tsb_setattr){ .mask = TSB_SET_MTIME, .mtime = { 77, 0 } };
	EQUAL(s, ops->fsetattr(f, &s->who, &set), 0, "attributes: through a handle");
	EQUAL(s, stat_of(s, "/f").mtime.sec, 77, "attributes: are set");
	EQUAL(s, stat_of(s, "/f").atime.sec, 11, "attributes: the others stay");
	s->who.now.sec = 5000;
	ops->write_at(f, &s->who, "y", 1, 0);
	if (!(s->lacks & TSB_LACKS_CLOCK))
		EQUAL(s, stat_of(s, "/f").mtime.sec, 5000, "attributes: a write sets mtime");
	suite_close(f);
	EQUAL(s, ops->setattr(s->fs, &s->who, "/x", &set), -ENOENT, "attributes: of nothing");
}

static void test_quota_bytes(struct suite *s)
{
	const struct tsb_fs_ops *ops = s->fs->ops;
	char *buf = calloc(1, 20000);
	uint64_t bytes, entries, before;
	struct tsb_file *f;
	int rc;

	suite_usage(s->fs, &before, &entries);
	f = suite_open(s, s->fs, "/f", O_RDWR | O_CREAT, 0644, &rc);
	EQUAL(s, ops->write_at(f, &s->who, buf, 20000, 0), 10000, "quota: writes what fits");
	EQUAL(s, ops->write_at(f, &s->who, buf, 1, 10000), -ENOSPC, "quota: then nothing");
	EQUAL(s, stat_of(s, "/f").size, 10000, "quota: the size");
	EQUAL(s, ops->write_at(f, &s->who, buf, 10000, 0), 10000, "quota: over itself it may");
	suite_usage(s->fs, &bytes, &entries);
	EQUAL(s, bytes - before, 10000, "quota: counted");
	EQUAL(s, drop(s, "/f"), 0, "quota: unlinked");
	suite_usage(s->fs, &bytes, &entries);
	EQUAL(s, bytes - before, 10000, "quota: counts while it is open");
	EQUAL(s, put(s, "/g", "x"), -ENOSPC, "quota: so nothing fits");
	suite_close(f);
	suite_usage(s->fs, &bytes, &entries);
	EQUAL(s, bytes - before, 0, "quota: given back at the last close");
	EQUAL(s, put(s, "/g", "x"), 1, "quota: there is room");
	free(buf);
}

static void test_quota_entries(struct suite *s)
{
	char path[16];
	int made = 0, rc = 0;
	for (int i = 0; i < 20 && !rc; i++) {
		snprintf(path, sizeof(path), "/f%d", i);
		rc = i % 2 ? make_dir(s, path) : open_rc(s, path, O_WRONLY | O_CREAT, 0644);
		made += !rc;
	}
	EQUAL(s, made, 10, "entries: as many as allowed");
	EQUAL(s, rc, -ENOSPC, "entries: then no space");
	EQUAL(s, open_rc(s, "/f0", O_WRONLY | O_CREAT, 0644), 0, "entries: what is there may be opened");
	EQUAL(s, move(s, "/f0", "/x", 0), 0, "entries: a rename takes none");
	EQUAL(s, drop_dir(s, "/f1"), 0, "entries: one is given back");
	EQUAL(s, make_dir(s, "/f1"), 0, "entries: and used again");
	EQUAL(s, make_dir(s, "/y"), -ENOSPC, "entries: full again");
	EQUAL(s, move(s, "/x", "/f2", 0), 0, "entries: replacing frees one");
	EQUAL(s, make_dir(s, "/y"), 0, "entries: which is there");
}

static void test_quota_file(struct suite *s)
{
	const struct tsb_fs_ops *ops = s->fs->ops;
	char *buf = calloc(1, 2000);
	int rc;
	struct tsb_file *f = suite_open(s, s->fs, "/f", O_RDWR | O_CREAT, 0644, &rc);
	EQUAL(s, ops->write_at(f, &s->who, buf, 2000, 0), 1000, "file size: writes up to it");
	EQUAL(s, ops->write_at(f, &s->who, buf, 1, 1000), -EFBIG, "file size: not beyond");
	EQUAL(s, ops->truncate(f, &s->who, 1001), -EFBIG, "file size: nor by truncate");
	EQUAL(s, ops->truncate(f, &s->who, 1000), 0, "file size: up to it");
	suite_close(f);
	free(buf);
}

static void test_branch(struct suite *s)
{
	const struct tsb_fs_ops *ops = s->fs->ops;
	struct tsb_fs *a, *b;
	struct tsb_file *f;
	char buf[8];
	int rc;

	put(s, "/f", "old");
	make_dir(s, "/d");
	put(s, "/d/g", "g");
	EQUAL(s, ops->branch(s->fs, &a), 0, "branch: made");
	put(s, "/f", "new");
	drop(s, "/d/g");
	CHECK(s, holds_in(s, a, "/f", "old") && holds_in(s, a, "/d/g", "g"), "branch: keeps the old");
	EQUAL(s, put_in(s, a, "/f", "theirs"), 6, "branch: may be changed");
	CHECK(s, holds(s, "/f", "new") && stat_rc(s, "/d/g") == -ENOENT, "branch: is not seen here");
	EQUAL(s, a->ops->branch(a, &b), 0, "branch: of a branch");
	f = suite_open(s, s->fs, "/f", O_RDWR, 0, &rc);
	EQUAL(s, ops->restore(s->fs, b), 0, "restore");
	CHECK(s, holds(s, "/f", "theirs") && holds(s, "/d/g", "g"), "restore: the content");
	EQUAL(s, ops->read_at(f, buf, 8, 0), 3, "restore: open files keep their inodes");
	EQUAL(s, ops->write_at(f, &s->who, "NEW", 3, 0), 3, "restore: which may be written");
	CHECK(s, holds(s, "/f", "theirs"), "restore: and are not in the tree");
	put(s, "/f", "again");
	CHECK(s, holds_in(s, b, "/f", "theirs"), "restore: the source is apart");
	suite_close(f);
	a->ops->free(a);
	b->ops->free(b);
	CHECK(s, holds(s, "/f", "again"), "branch: outlives the others");
}

static const struct {
	void (*run)(struct suite *s);
	unsigned needs;
	uint64_t bytes, entries, file_bytes;
} suite_tests[] = {
	{ test_root, 0, PLENTY, PLENTY, PLENTY },
	{ test_open, 0, PLENTY, PLENTY, PLENTY },
	{ test_append, 0, PLENTY, PLENTY, PLENTY },
	{ test_holes, 0, PLENTY, PLENTY, PLENTY },
	{ test_bounds, 0, PLENTY, PLENTY, 1u << 30 },
	{ test_handles, 0, PLENTY, PLENTY, PLENTY },
	{ test_rename, 0, PLENTY, PLENTY, PLENTY },
	{ test_links, TSB_LACKS_LINKS, PLENTY, PLENTY, PLENTY },
	{ test_symlinks, TSB_LACKS_SYMLINKS, PLENTY, PLENTY, PLENTY },
	{ test_nodes, TSB_LACKS_NODES, PLENTY, PLENTY, PLENTY },
	{ test_dirs, 0, PLENTY, PLENTY, PLENTY },
	{ test_names, 0, PLENTY, PLENTY, PLENTY },
	{ test_readdir, 0, PLENTY, PLENTY, PLENTY },
	{ test_attributes, 0, PLENTY, PLENTY, PLENTY },
	{ test_quota_bytes, TSB_LACKS_QUOTA, 10000, PLENTY, PLENTY },
	{ test_quota_entries, TSB_LACKS_QUOTA, PLENTY, 10, PLENTY },
	{ test_quota_file, TSB_LACKS_QUOTA, PLENTY, PLENTY, 1000 },
};

int tsb_conformance(tsb_conformance_make_fn *make, void *ctx, unsigned lacks,
		    tsb_conformance_report_fn *report)
{
	struct suite s = { .make = make, .ctx = ctx, .lacks = lacks,
			   .report = report ? report : suite_report_tap };
	bool lookup, branch;
	for (size_t i = 0; i < sizeof(suite_tests) / sizeof(suite_tests[0]); i++) {
		if (suite_tests[i].needs & lacks)
			continue;
		suite_fresh(&s, suite_tests[i].bytes, suite_tests[i].entries,
			    suite_tests[i].file_bytes);
		suite_tests[i].run(&s);
		suite_end(&s);
	}
	suite_fresh(&s, PLENTY, PLENTY, PLENTY);
	lookup = s.fs->ops->lookup != NULL;
	branch = s.fs->ops->branch && s.fs->ops->restore && !(lacks & TSB_LACKS_BRANCH);
	if (lookup)
		test_lookup(&s);
	suite_end(&s);
	if (branch) {
		suite_fresh(&s, PLENTY, PLENTY, PLENTY);
		test_branch(&s);
		suite_end(&s);
	}
	suite_random(&s);
	if (!report)
		printf("1..%d\n", s.checks);
	return s.failures;
}
