/*
 * The same random calls through vfs_*() on the memory filesystem and through the
 * system calls of Linux on a tmpfs; results and errors must be equal. Needs root
 * (it changes its root directory and its user id); else it is skipped.
 *
 *	differential [SEED [CALLS]]
 *
 * With DIFFERENTIAL_TIMES set, it also compares which calls change mtime and ctime.
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <limits.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "vfs/vfs.h"

#include "tap.h"

#define HANDLES 6
#define USER 1000

enum call {
	OPEN, CLOSE, READ, WRITE, FTRUNCATE, FSTAT, FCHMOD, READDIR, STAT, LSTAT, ACCESS, MKDIR,
	MKNOD, SYMLINK, LINK, RENAME, UNLINK, RMDIR, READLINK, CHMOD, CHOWN, UTIMES, TRUNCATE,
	CHDIR, CALLS
};
static const char *const call_names[] = {
	"open", "close", "read", "write", "ftruncate", "fstat", "fchmod", "readdir", "stat",
	"lstat", "access", "mkdir", "mknod", "symlink", "link", "rename", "unlink", "rmdir",
	"readlink", "chmod", "chown", "utimes", "truncate", "chdir",
};

struct op {
	enum call call;
	char a[PATH_MAX], b[PATH_MAX];
	int flags, handle;
	uint32_t mode, uid, gid;
	uint64_t offset;
	size_t n;
	bool follow, as_root, now;
};

struct result {
	long rc;		/* or -errno */
	char text[4096];	/* what was read */
	size_t n;
	int64_t times[4];	/* of the last stat: mtime, ctime */
};

static uint64_t seed;
static int64_t tick;		/* our clock: a second a call */
static uint32_t rnd(uint32_t n)
{
	seed = seed * 6364136223846793005u + 1442695040888963407u;
	return (uint32_t)(seed >> 33) % n;
}

/* ---- Making calls up ---- */

static void make_component(char *to)
{
	static const char *const names[] = { "a", "b", "c", "d", "e", "s", "l", "r" };
	uint32_t k = rnd(100);
	if (k < 3) {
		strcat(to, "..");
	} else if (k < 6) {
		strcat(to, ".");
	} else if (k < 7 && rnd(3) == 0) {
		size_t n = strlen(to), len = 254 + rnd(3);
		memset(to + n, 'x', len);
		to[n + len] = '\0';
	} else {
		strcat(to, names[rnd(8)]);
	}
}

static void make_path(char *to)
{
	uint32_t depth = rnd(2) ? 1 : 1 + rnd(3);
	to[0] = '\0';
	if (rnd(200) == 0)
		return;
	if (rnd(2))
		strcpy(to, rnd(20) ? "/" : "//");
	if (rnd(60) == 0 && to[0])
		return;
	for (uint32_t i = 0; i < depth; i++) {
		make_component(to);
		if (i + 1 < depth || rnd(8) == 0)
			strcat(to, rnd(20) ? "/" : "//");
	}
}

static int make_open_flags(void)
{
	static const int more[] = { O_CREAT, O_EXCL, O_TRUNC, O_APPEND, O_DIRECTORY, O_NOFOLLOW };
	int flags = (int)rnd(3);
	if (rnd(2) == 0)
		flags |= O_CREAT;
	for (unsigned i = 0; i < 6; i++)
		if (rnd(10) == 0)
			flags |= more[i];
	/* Without O_CREAT, O_EXCL is undefined. */
	return flags & O_CREAT ? flags : flags & ~O_EXCL;
}

static void make_op(struct op *op)
{
	static const uint32_t modes[] = { 0, 0644, 0755, 0700, 0777, 0444, 0111, 0333, 01775,
					  02755, 06755, 0600, 0500, 02770, 0777, 0777, 0755,
					  0755, 0644, 0666, 0777, 0755, 0644, 0770 };
	static const uint32_t ids[] = { 0, 1000, 1000, 1001 };
	static const uint32_t types[] = { S_IFREG, S_IFIFO, S_IFIFO, S_IFSOCK, 0, S_IFDIR,
					  S_IFLNK };
	memset(op, 0, sizeof(*op));
	op->call = rnd(3) == 0 ? (enum call)rnd(READDIR + 1) : (enum call)rnd(CALLS);
	if (rnd(10) == 0)
		op->call = rnd(2) ? OPEN : MKDIR;
	op->as_root = rnd(6) == 0;
	if (rnd(30) == 0) {
		/* The top opens up again. */
		make_path(op->a);
		op->call = CHMOD;
		op->as_root = true;
		strcpy(op->a, "/");
		if (rnd(3))
			make_component(op->a);
		op->mode = 0777;
		return;
	}
	make_path(op->a);
	make_path(op->b);
	op->flags = make_open_flags();
	if (op->call == RENAME)
		op->flags = rnd(4) ? 0 : (int)rnd(4);
	if (op->call == ACCESS)
		op->flags = (int)rnd(8);
	op->handle = (int)rnd(HANDLES);
	op->mode = modes[rnd(24)];
	if (op->call == MKNOD)
		op->mode = (op->mode & 0777) | types[rnd(7)];
	op->uid = rnd(2) ? (uint32_t)-1 : ids[rnd(4)];
	op->gid = rnd(2) ? (uint32_t)-1 : ids[rnd(4)];
	/* chown(-1, -1) takes set-id bits away and changes nothing else: we cannot say it. */
	if (op->uid + 1 == 0 && op->gid + 1 == 0)
		op->gid = 1000;
	op->follow = rnd(2);
	op->now = rnd(2);
	op->offset = rnd(3) ? rnd(200) : rnd(3) ? rnd(20000) : (uint64_t)rnd(1u << 30) << rnd(20);
	op->n = rnd(3) ? rnd(100) : rnd(4096);
}

static void describe(const struct op *op)
{
	fprintf(stderr, "# %s(\"%s\", \"%s\") handle %d flags %#o mode %#o uid %d gid %d offset %llu"
		" n %zu follow %d now %d root %d\n", call_names[op->call], op->a, op->b, op->handle,
		(unsigned)op->flags, op->mode, (int)op->uid, (int)op->gid,
		(unsigned long long)op->offset, op->n, op->follow, op->now, op->as_root);
}

static void fill(char *buf, size_t n, uint64_t offset)
{
	for (size_t i = 0; i < n; i++)
		buf[i] = (char)('a' + (offset + i) % 26);
}

static void put_stat(struct result *r, uint32_t mode, uint64_t nlink, uint32_t uid, uint32_t gid,
		     uint64_t size, uint64_t blocks)
{
	/* The size of directories is the filesystem's own matter. */
	r->n = (size_t)snprintf(r->text, sizeof(r->text), "%o %llu %u %u %llu %llu", mode,
				(unsigned long long)nlink, uid, gid,
				S_ISDIR(mode) ? 0 : (unsigned long long)size,
				S_ISDIR(mode) ? 0 : (unsigned long long)blocks);
}

static int compare_names(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

static void put_names(struct result *r, char **names, size_t n)
{
	qsort(names, n, sizeof(*names), compare_names);
	r->n = 0;
	for (size_t i = 0; i < n; i++) {
		r->n += (size_t)snprintf(r->text + r->n, sizeof(r->text) - r->n, "%.20s ", names[i]);
		free(names[i]);
	}
}

/* ---- Linux ---- */

static int fds[HANDLES];

static long sys_check(long rc)
{
	return rc < 0 ? -errno : rc;
}

static void sys_stat(struct result *r, int rc, const struct stat *st)
{
	r->rc = sys_check(rc);
	r->times[0] = st->st_mtim.tv_sec;
	r->times[1] = st->st_mtim.tv_nsec;
	r->times[2] = st->st_ctim.tv_sec;
	r->times[3] = st->st_ctim.tv_nsec;
	if (!r->rc)
		put_stat(r, st->st_mode, st->st_nlink, st->st_uid, st->st_gid,
			 (uint64_t)st->st_size, (uint64_t)st->st_blocks);
}

static void sys_readdir(struct result *r, int fd)
{
	int copy = openat(fd, ".", O_RDONLY | O_DIRECTORY);
	DIR *d;
	struct dirent *e;
	char *names[512];
	size_t n = 0;
	r->rc = 0;
	d = copy < 0 ? NULL : fdopendir(copy);
	if (!d) {
		/* Not readable by path any more, or no directory. */
		r->rc = -1;
		if (copy >= 0)
			close(copy);
		return;
	}
	while ((e = readdir(d)) != NULL)
		if (strcmp(e->d_name, ".") && strcmp(e->d_name, ".."))
			names[n++] = strdup(e->d_name);
	closedir(d);
	put_names(r, names, n);
}

static void sys_open(const struct op *op, struct result *r)
{
	if (fds[op->handle] >= 0)
		close(fds[op->handle]);
	fds[op->handle] = open(op->a, op->flags | O_NONBLOCK, op->mode & 07777);
	r->rc = fds[op->handle] < 0 ? -errno : 0;
}

static void sys_utimes(const struct op *op, struct result *r)
{
	struct timespec ts[2] = { { 5, 0 }, { 6, 0 } };
	if (op->now)
		ts[0].tv_nsec = ts[1].tv_nsec = UTIME_NOW;
	r->rc = sys_check(utimensat(AT_FDCWD, op->a, ts, op->follow ? 0 : AT_SYMLINK_NOFOLLOW));
}

static void sys_call(const struct op *op, struct result *r)
{
	int fd = fds[op->handle];
	struct stat st;
	char buf[4096];
	memset(&st, 0, sizeof(st));
	if (op->as_root)
		(void)!setegid(0), (void)!seteuid(0);
	r->n = 0;
	switch (op->call) {
	case OPEN: sys_open(op, r); break;
	case CLOSE: r->rc = fd < 0 ? -EBADF : sys_check(close(fd)); fds[op->handle] = -1; break;
	case READ:
		r->rc = sys_check(pread(fd, r->text, op->n, (off_t)op->offset));
		r->n = r->rc > 0 ? (size_t)r->rc : 0;
		break;
	case WRITE:
		fill(buf, op->n, op->offset);
		r->rc = sys_check(pwrite(fd, buf, op->n, (off_t)(op->offset % 100000)));
		break;
	case FTRUNCATE: r->rc = sys_check(ftruncate(fd, (off_t)op->offset)); break;
	case FSTAT: sys_stat(r, fstat(fd, &st), &st); break;
	case FCHMOD: r->rc = sys_check(fchmod(fd, op->mode)); break;
	case READDIR: sys_readdir(r, fd); break;
	case STAT: sys_stat(r, stat(op->a, &st), &st); break;
	case LSTAT: sys_stat(r, lstat(op->a, &st), &st); break;
	case ACCESS: r->rc = sys_check(syscall(SYS_faccessat2, AT_FDCWD, op->a, op->flags, AT_EACCESS)); break;
	case MKDIR: r->rc = sys_check(mkdir(op->a, op->mode)); break;
	case MKNOD: r->rc = sys_check(mknod(op->a, op->mode, 0)); break;
	case SYMLINK: r->rc = sys_check(symlink(op->b, op->a)); break;
	case LINK: r->rc = sys_check(linkat(AT_FDCWD, op->a, AT_FDCWD, op->b, op->follow ? AT_SYMLINK_FOLLOW : 0)); break;
	case RENAME: r->rc = sys_check(renameat2(AT_FDCWD, op->a, AT_FDCWD, op->b, (unsigned)op->flags)); break;
	case UNLINK: r->rc = sys_check(unlink(op->a)); break;
	case RMDIR: r->rc = sys_check(rmdir(op->a)); break;
	case READLINK:
		r->rc = sys_check(readlink(op->a, r->text, op->n));
		r->n = r->rc > 0 ? (size_t)r->rc : 0;
		break;
	case CHMOD: r->rc = sys_check(chmod(op->a, op->mode & 07777)); break;
	case CHOWN: r->rc = sys_check(fchownat(AT_FDCWD, op->a, op->uid, op->gid, op->follow ? 0 : AT_SYMLINK_NOFOLLOW)); break;
	case UTIMES: sys_utimes(op, r); break;
	case TRUNCATE: r->rc = sys_check(truncate(op->a, (off_t)op->offset)); break;
	case CHDIR: r->rc = sys_check(chdir(op->a)); break;
	default: break;
	}
	if (op->as_root)
		(void)!setegid(USER), (void)!seteuid(USER);
}

/* ---- Ours ---- */

static struct vfs *vfs;
static struct vfs_file *files[HANDLES];
static char cwd[PATH_MAX] = "/";

static void our_stat(struct result *r, int rc, const struct tsb_stat *st)
{
	r->rc = rc;
	memcpy(r->times, (int64_t[]){ st->mtime.sec, 0, st->ctime.sec, 0 }, sizeof(r->times));
	if (!rc)
		put_stat(r, st->mode, st->nlink, st->uid, st->gid, st->size, st->blocks);
}

static void our_readdir(struct vfs_ctx *c, struct result *r, struct vfs_file *f)
{
	_Alignas(8) char buf[1024];
	struct tsb_stat st;
	struct vfs_file *d;
	int magic[2];
	char *names[512];
	size_t count = 0;
	ssize_t n = 0;
	r->rc = -1;
	if (!f || vfs_fstat(f, &st) || !S_ISDIR(st.mode) || vfs_permitted(c->who, &st, 5))
		return;
	r->rc = 0;
	/* A fresh handle, since ours has no rewind; a directory without a name is empty. */
	if (st.nlink && !vfs_open(c, f->path, O_RDONLY | O_DIRECTORY, 0, &d, magic)) {
		struct tsb_stat again;
		vfs_fstat(d, &again);
		if (again.ino != st.ino)
			r->rc = -2;
		while ((n = vfs_readdir(d, buf, sizeof(buf))) > 0)
			for (char *p = buf; p < buf + n; p += ((struct tsb_dirent *)p)->size)
				names[count++] = strdup(((struct tsb_dirent *)p)->name);
		vfs_close(d);
	} else if (st.nlink) {
		r->rc = -2;	/* it was moved: nothing to compare */
	}
	put_names(r, names, count);
}

static bool fifo_writer;	/* whether a FIFO has a reader is not compared */

static void our_open(struct vfs_ctx *c, const struct op *op, struct result *r)
{
	int magic[2];
	if (files[op->handle])
		vfs_close(files[op->handle]);
	r->rc = vfs_open(c, op->a, op->flags, op->mode & 07777, &files[op->handle], magic);
	/* The kernel, above, would say so for a FIFO without readers. */
	if (!r->rc && S_ISFIFO(files[op->handle]->mode) && (op->flags & O_ACCMODE) == O_WRONLY) {
		vfs_close(files[op->handle]);
		files[op->handle] = NULL;
		r->rc = -ENXIO;
	}
	fifo_writer = r->rc == -ENXIO;
}

static int our_setattr(struct vfs_ctx *c, const struct op *op)
{
	struct tsb_setattr set = { .mode = op->mode & 07777, .uid = op->uid, .gid = op->gid };
	set.atime.sec = op->now ? tick : 5;
	set.mtime.sec = op->now ? tick : 6;
	if (op->call == CHMOD)
		set.mask = TSB_SET_MODE;
	if (op->call == CHOWN)
		set.mask = (op->uid + 1 ? TSB_SET_UID : 0) | (op->gid + 1 ? TSB_SET_GID : 0);
	if (op->call == UTIMES)
		set.mask = TSB_SET_ATIME | TSB_SET_MTIME | (op->now ? TSB_SET_NOW : 0);
	return vfs_setattr(c, op->a, &set, op->call == CHMOD || op->follow);
}

static void our_chdir(struct vfs_ctx *c, const struct op *op, struct result *r)
{
	const char *clean;
	r->rc = vfs_chdir(c, op->a, &clean);
	if (!r->rc)
		strcpy(cwd, clean);
}

static void our_handle_call(struct vfs_ctx *c, const struct op *op, struct result *r)
{
	struct vfs_file *f = files[op->handle];
	struct tsb_setattr set = { .mask = TSB_SET_MODE, .mode = op->mode & 07777 };
	struct tsb_stat st;
	char buf[4096];
	bool fifo = f && !S_ISREG(f->mode) && !S_ISDIR(f->mode);
	if (!f) {
		r->rc = op->call == READDIR ? -1 : -EBADF;
		return;
	}
	switch (op->call) {
	case CLOSE: r->rc = vfs_close(f); files[op->handle] = NULL; break;
	case READ:
		r->rc = fifo ? -ESPIPE : vfs_read(f, r->text, op->n, op->offset);
		r->n = r->rc > 0 ? (size_t)r->rc : 0;
		break;
	case WRITE:
		fill(buf, op->n, op->offset);
		r->rc = fifo ? -ESPIPE : vfs_write(f, c->who, buf, op->n, op->offset % 100000);
		break;
	case FTRUNCATE: r->rc = vfs_ftruncate(f, c->who, op->offset); break;
	case FSTAT: our_stat(r, vfs_fstat(f, &st), &st); break;
	case FCHMOD: r->rc = vfs_fsetattr(f, c->who, &set); break;
	default: our_readdir(c, r, f); break;
	}
}

static void our_call(const struct op *op, struct result *r)
{
	struct tsb_caller who = { op->as_root ? 0 : USER, op->as_root ? 0 : USER, 1,
				  { tick, 0 } };
	struct vfs_ctx c = { vfs, &who, cwd };
	struct tsb_stat st = { 0 };
	r->n = 0;
	switch (op->call) {
	case OPEN: our_open(&c, op, r); break;
	case STAT: our_stat(r, vfs_stat(&c, op->a, &st), &st); break;
	case LSTAT: our_stat(r, vfs_lstat(&c, op->a, &st), &st); break;
	case ACCESS: r->rc = vfs_access(&c, op->a, op->flags); break;
	case MKDIR: r->rc = vfs_mkdir(&c, op->a, op->mode); break;
	case MKNOD: r->rc = vfs_mknod(&c, op->a, op->mode, 0); break;
	case SYMLINK: r->rc = vfs_symlink(&c, op->b, op->a); break;
	case LINK: r->rc = vfs_link(&c, op->a, op->b, op->follow); break;
	case RENAME: r->rc = vfs_rename(&c, op->a, op->b, (unsigned)op->flags); break;
	case UNLINK: r->rc = vfs_unlink(&c, op->a); break;
	case RMDIR: r->rc = vfs_rmdir(&c, op->a); break;
	case READLINK:
		r->rc = vfs_readlink(&c, op->a, r->text, op->n);
		r->n = r->rc > 0 ? (size_t)r->rc : 0;
		break;
	case CHMOD: case CHOWN: case UTIMES: r->rc = our_setattr(&c, op); break;
	case TRUNCATE: r->rc = vfs_truncate(&c, op->a, op->offset); break;
	case CHDIR: our_chdir(&c, op, r); break;
	default: our_handle_call(&c, op, r); break;
	}
}

/* ---- Comparing ---- */

static void moved(void *ctx, const char *from, const char *to)
{
	size_t n = strlen(from);
	char rest[PATH_MAX];
	(void)ctx;
	if (strncmp(cwd, from, n) || (cwd[n] && cwd[n] != '/'))
		return;
	strcpy(rest, cwd + n);
	snprintf(cwd, sizeof(cwd), "%s%s", to, rest);
}

/* Paths below a directory that has no name any more, or that may not be passed
 * from the root, are ours to fail: both go back to the root. */
static void keep_cwd(void)
{
	char real[PATH_MAX];
	struct tsb_caller who = { USER, USER, 1, { 7, 0 } };
	struct vfs_ctx c = { vfs, &who, "/" };
	const char *clean;
	if (!getcwd(real, sizeof(real)) || access(real, F_OK) || strcmp(real, cwd) ||
	    vfs_chdir(&c, cwd, &clean)) {
		(void)!seteuid(0), (void)!chdir("/"), (void)!seteuid(USER);
		strcpy(cwd, "/");
	}
}

static bool same(const struct op *op, const struct result *real, const struct result *ours)
{
	if (op->call == READDIR && ours->rc == -2)
		return true;
	if (op->call == OPEN && fifo_writer && real->rc == 0) {
		close(fds[op->handle]);
		fds[op->handle] = -1;
		return true;
	}
	if (real->rc != ours->rc)
		return false;
	return real->n == ours->n && !memcmp(real->text, ours->text, real->n);
}

static bool compare_times;	/* needs a pause for each call: clocks are coarse */

/* Have the times of file i changed with this call in both, or in neither? */
static bool same_times(size_t i, const struct result *real, const struct result *ours)
{
	static int64_t before[16][2][4];
	bool changed[2][2];
	for (int side = 0; side < 2; side++) {
		const int64_t *t = side ? ours->times : real->times;
		for (int j = 0; j < 2; j++)
			changed[side][j] = memcmp(t + 2 * j, before[i][side] + 2 * j, 16) != 0;
		memcpy(before[i][side], t, sizeof(before[i][side]));
	}
	if (changed[0][0] == changed[1][0] && changed[0][1] == changed[1][1])
		return true;
	fprintf(stderr, "# changed by Linux: mtime %d, ctime %d; by us: %d, %d\n", changed[0][0],
		changed[0][1], changed[1][0], changed[1][1]);
	return false;
}

/* The root and what is in it, so that a difference is seen where it arises. */
static bool same_top(struct result *real, struct result *ours)
{
	static const char *const top[] = { "/", "/a", "/b", "/c", "/d", "/e", "/s", "/l", "/r" };
	struct op op = { .call = LSTAT, .as_root = true };
	for (size_t i = 0; i < sizeof(top) / sizeof(top[0]); i++) {
		strcpy(op.a, top[i]);
		sys_call(&op, real);
		our_call(&op, ours);
		if (!same(&op, real, ours) || (compare_times && real->rc == 0 && !same_times(i, real, ours))) {
			fprintf(stderr, "# then lstat(%s)\n", top[i]);
			return false;
		}
	}
	return true;
}

/* What may explain a difference. */
static void describe_links(void)
{
	static struct result r;
	struct op op = { .call = READLINK, .as_root = true, .n = 200 };
	for (const char *p = "abcdeslr/"; *p; p++) {
		sprintf(op.a, "/%.*s", *p != '/', p);
		op.call = READLINK;
		our_call(&op, &r);
		if (r.rc >= 0)
			fprintf(stderr, "# %s -> %.*s\n", op.a, (int)r.n, r.text);
		op.call = LSTAT;
		our_call(&op, &r);
		if (r.rc >= 0)
			fprintf(stderr, "# %s: %.*s\n", op.a, (int)r.n, r.text);
	}
}

static int run(uint64_t start, long calls)
{
	static struct result real, ours;
	static struct op op;
	static long counts[CALLS][2];
	seed = start;
	for (long i = 0; i < calls; i++) {
		make_op(&op);
		tick = 1000 + i;
		if (compare_times)
			usleep(5000);
		sys_call(&op, &real);
		our_call(&op, &ours);
		counts[op.call][real.rc >= 0]++;
		if (!same(&op, &real, &ours) || !same_top(&real, &ours)) {
			describe(&op);
			fprintf(stderr, "# call %ld, cwd %s\n# Linux: %ld %s <%.*s>\n# ours: %ld %s <%.*s>\n",
				i, cwd, real.rc, real.rc < 0 ? strerror((int)-real.rc) : "",
				(int)real.n, real.text, ours.rc,
				ours.rc < 0 ? strerror((int)-ours.rc) : "", (int)ours.n, ours.text);
			describe_links();
			return 1;
		}
		keep_cwd();
	}
	if (getenv("DIFFERENTIAL_COUNTS"))
		for (int i = 0; i < CALLS; i++)
			fprintf(stderr, "# %s: %ld good, %ld failed\n", call_names[i], counts[i][1],
				counts[i][0]);
	return 0;
}

static int child(const char *dir, uint64_t start, long calls)
{
	struct tsb_mem_options opt = TSB_MEM_OPTIONS_INIT;
	opt.file_bytes_max = opt.bytes_max = (uint64_t)1 << 60;
	opt.root_uid = opt.root_gid = 0;
	opt.root_mode = 0777;
	opt.now.sec = 1;
	compare_times = getenv("DIFFERENTIAL_TIMES") != NULL;
	vfs = vfs_new(tsb_mem_new(&opt));
	vfs_on_move(vfs, moved, NULL);
	for (int i = 0; i < HANDLES; i++)
		fds[i] = -1;
	umask(0);
	if (chroot(dir) || chdir("/") || chmod("/", 0777) || setgroups(0, NULL) ||
	    setegid(USER) || seteuid(USER)) {
		perror("# setup");
		return 1;
	}
	return run(start, calls);
}

static int one(uint64_t start, long calls)
{
	char dir[] = "/dev/shm/tsb-differential-XXXXXX", command[128];
	int status = 0;
	pid_t pid;
	if (!mkdtemp(dir))
		return 77;
	pid = fork();
	if (pid == 0)
		_exit(child(dir, start, calls));
	waitpid(pid, &status, 0);
	snprintf(command, sizeof(command), "rm -rf '%s'", dir);
	if (system(command))
		return 1;
	return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}

int main(int argc, char **argv)
{
	uint64_t start = argc > 1 ? strtoull(argv[1], NULL, 0) : 0;
	long calls = argc > 2 ? atol(argv[2]) : 5000;
	if (geteuid() != 0 || access("/dev/shm", W_OK)) {
		printf("1..0 # SKIP needs root and a tmpfs\n");
		return 0;
	}
	if (argc > 1)
		return one(start, calls);
	for (start = 1; start <= 20; start++) {
		char name[64];
		snprintf(name, sizeof(name), "%ld random calls as on Linux, seed %llu", calls,
			 (unsigned long long)start);
		ok(one(start, calls) == 0, name);
	}
	return done();
}
