/*
 * What a journal says, one rename after the other. Each can be done again: what is to be put is in
 * the stage or has been put; what is to go has its place taken in the stage by itself or by a mark.
 *
 *	record   u8 what | u16 mode | u32 number | u16 length of the path | path
 *	R        goes into the stage as tN
 *	P, D     fN of the stage, a directory with all that is in it, comes here
 *	M        gets the mode; the last of them first, so that a directory can still be entered
 */
#include "tree/tree.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#define HEAD 9u

#ifndef SYS_fchmodat2
#define SYS_fchmodat2 452
#endif

struct apply {
	const struct ft_stage *s;
	/* the directory of the last path, as most are beside one another */
	char *last;
	int dir;
	const uint8_t **modes;
	size_t mode_count;
	unsigned cleared;
	bool busy;		/* a mount was to go, and is empty instead */
};

/* The directory of the path, kept open; *name its last part. */
static int reach(struct apply *a, const char *path, const char **name)
{
	const char *slash = strrchr(path, '/');
	size_t n = slash ? (size_t)(slash - path) : 0;

	if (a->last && strlen(a->last) == n && !memcmp(a->last, path, n)) {
		*name = slash ? slash + 1 : path;
		return a->dir;
	}
	free(a->last);
	a->last = NULL;
	if (a->dir >= 0)
		close(a->dir);
	a->dir = ft_parent(a->s->root, path, name);
	if (a->dir >= 0)
		a->last = strndup(path, n);
	return a->dir;
}

static void forget(struct apply *a)
{
	free(a->last);
	a->last = NULL;
}

/* Renames, also where the directory cannot be written but is ours. */
static int move(struct apply *a, int from, const char *name, int to, const char *as)
{
	int at = to == a->s->dir ? from : to, fd, error;
	struct stat st;

	if (!renameat(from, name, to, as))
		return 0;
	if (errno != EACCES)
		return -errno;
	fd = openat(at, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0 || fstat(fd, &st) || fchmod(fd, (st.st_mode & 07777) | 0300)) {
		if (fd >= 0)
			close(fd);
		return -EACCES;
	}
	error = renameat(from, name, to, as) ? errno : 0;
	fchmod(fd, st.st_mode & 07777);
	close(fd);
	return -error;
}

static int mark(struct apply *a, const char *name)
{
	int fd = openat(a->s->dir, name, O_WRONLY | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600);

	if (fd >= 0)
		close(fd);
	return fd < 0 ? -errno : 0;
}

static int do_remove(struct apply *a, uint32_t number, const char *path)
{
	char away[16];
	const char *name;
	struct stat st;
	int dir, status;

	snprintf(away, sizeof(away), "t%u", (unsigned)number);
	if (!fstatat(a->s->dir, away, &st, AT_SYMLINK_NOFOLLOW))
		return 0;
	dir = reach(a, path, &name);
	if (dir < 0 && errno != ENOENT && errno != ENOTDIR && errno != ELOOP)
		return -errno;
	status = dir < 0 ? -ENOENT : move(a, dir, name, a->s->dir, away);
	/* a mount, or a directory of an overlay's lower layer: it cannot be moved */
	if (status == -EXDEV || status == -EBUSY)
		status = a->s->remove(dir, name) ? -ENOENT : -errno;
	if (status == -EBUSY) {
		a->busy = true;
		status = -ENOENT;
	}
	return status == -ENOENT ? mark(a, away) : status;
}

static int copy_bytes(int from, int to)
{
	char buf[4096];
	ssize_t n, put;

	while ((n = read(from, buf, sizeof(buf)))) {
		if (n < 0 && errno == EINTR)
			continue;
		for (ssize_t at = 0; n > 0 && at < n; at += put > 0 ? put : 0) {
			put = write(to, buf + at, (size_t)(n - at));
			if (put < 0 && errno != EINTR)
				return -errno;
		}
		if (n < 0)
			return -errno;
	}
	return 0;
}

static int copy_file(int from, const char *name, const struct stat *st, int to, const char *as)
{
	struct timespec times[2] = {{.tv_nsec = UTIME_NOW}, st->st_mtim};
	int in = openat(from, name, O_RDONLY | O_NOFOLLOW | O_CLOEXEC), status;
	int out = in < 0 ? -1 : openat(to, as, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);

	status = out < 0 ? -errno : copy_bytes(in, out);
	if (!status && (fchmod(out, st->st_mode & 0777) || futimens(out, times)))
		status = -errno;
	if (out >= 0 && close(out) && !status)
		status = -errno;
	if (in >= 0)
		close(in);
	return status;
}

/* A file or link into another mount, where a rename does not reach: beside its place first. */
static int carry(struct apply *a, int from, const char *staged, const struct stat *st, int dir,
		 const char *name)
{
	static const char beside[] = ".tinybox-carried";
	char *target;
	int status;

	a->s->remove(dir, beside);
	if (S_ISLNK(st->st_mode)) {
		target = ft_readlink(from, staged);
		status = !target || symlinkat(target, dir, beside) ? -errno : 0;
		free(target);
	} else {
		status = copy_file(from, staged, st, dir, beside);
	}
	if (!status && renameat(dir, beside, dir, name))
		status = -errno;
	if (status)
		a->s->remove(dir, beside);
	else
		unlinkat(from, staged, 0);
	return status;
}

/* What came into the place of something new: away with it, by a name that nothing has. */
static int clear_place(struct apply *a, int dir, const char *name)
{
	char away[16];
	struct stat st;
	int status;

	do {
		snprintf(away, sizeof(away), "c%u", a->cleared++);
	} while (!fstatat(a->s->dir, away, &st, AT_SYMLINK_NOFOLLOW));
	status = move(a, dir, name, a->s->dir, away);
	return status == -EXDEV ? (a->s->remove(dir, name) ? 0 : -errno) : status;
}

static int settle(struct apply *a, int from, const char *staged, int dir, const char *name,
		  unsigned depth);

/*
 * Entry by entry, into a directory that is there already. One that is killed meanwhile leaves the
 * rest in the stage, which is as good as the whole.
 */
static int settle_all(struct apply *a, DIR *d, int to, unsigned depth)
{
	struct dirent *e;
	int status = 0;

	while (!status && (e = readdir(d)))
		if (strcmp(e->d_name, ".") && strcmp(e->d_name, ".."))
			status = settle(a, dirfd(d), e->d_name, to, e->d_name, depth + 1);
	return status;
}

static int settle_below(struct apply *a, int from, const char *staged, int dir, const char *name,
			unsigned depth)
{
	int in = openat(from, staged, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC), status;
	int to = openat(dir, name, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	DIR *d = in < 0 || to < 0 ? NULL : fdopendir(in);

	status = d ? settle_all(a, d, to, depth) : -errno;
	if (d)
		closedir(d);
	else if (in >= 0)
		close(in);
	if (to >= 0)
		close(to);
	return status || !unlinkat(from, staged, AT_REMOVEDIR) ? status : -errno;
}

static bool is_dir(int dir, const char *name)
{
	struct stat st;

	return !fstatat(dir, name, &st, AT_SYMLINK_NOFOLLOW) && S_ISDIR(st.st_mode);
}

/* Where a rename did not reach, or found something. */
static int settle_slowly(struct apply *a, int status, int from, const char *staged, int dir,
			 const char *name, unsigned depth)
{
	struct stat st;

	if (fstatat(from, staged, &st, AT_SYMLINK_NOFOLLOW))
		return -errno;
	if (S_ISDIR(st.st_mode) != is_dir(dir, name)) {
		int cleared = clear_place(a, dir, name);

		if (cleared && cleared != -ENOENT)
			return cleared;
		if (status != -EXDEV)
			return move(a, from, staged, dir, name);
	}
	if (!S_ISDIR(st.st_mode))
		return status == -EXDEV ? carry(a, from, staged, &st, dir, name) : status;
	if (status == -EXDEV && mkdirat(dir, name, 0700) && errno != EEXIST)
		return -errno;
	return depth < FT_DEPTH ? settle_below(a, from, staged, dir, name, depth) : -ELOOP;
}

/* By one rename, if it can be. */
static int settle(struct apply *a, int from, const char *staged, int dir, const char *name,
		  unsigned depth)
{
	int status = move(a, from, staged, dir, name);

	if (status == -EXDEV || status == -EISDIR || status == -ENOTDIR || status == -ENOTEMPTY ||
	    status == -EEXIST || status == -EBUSY)
		status = settle_slowly(a, status, from, staged, dir, name, depth);
	/* a mount in its place: all others come */
	if (status == -EBUSY && a->s->remove(from, staged)) {
		a->busy = true;
		status = 0;
	}
	return status;
}

static int do_put(struct apply *a, uint32_t number, const char *path)
{
	char staged[16];
	const char *name;
	struct stat st;
	int dir;

	snprintf(staged, sizeof(staged), "f%u", (unsigned)number);
	if (fstatat(a->s->dir, staged, &st, AT_SYMLINK_NOFOLLOW))
		return errno == ENOENT ? 0 : -errno;
	dir = reach(a, path, &name);
	return dir < 0 ? -errno : settle(a, a->s->dir, staged, dir, name, 0);
}

/* What is not there any more, or is a link now, needs no mode. */
static int do_mode(struct apply *a, uint32_t mode, const char *path)
{
	const char *name;
	struct stat st;
	int dir = reach(a, path, &name), fd, status;

	if (dir < 0 || fstatat(dir, name, &st, AT_SYMLINK_NOFOLLOW))
		return errno == ENOENT || errno == ENOTDIR || errno == ELOOP ? 0 : -errno;
	if ((st.st_mode & 07777) == mode || (!S_ISDIR(st.st_mode) && !S_ISREG(st.st_mode)))
		return 0;
	if (!syscall(SYS_fchmodat2, dir, name, mode, AT_SYMLINK_NOFOLLOW))
		return 0;
	/* an older kernel: of what can be opened */
	fd = openat(dir, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	status = fchmod(fd, mode) ? -errno : 0;
	close(fd);
	return status;
}

static size_t number_at(const uint8_t *at, unsigned n)
{
	size_t v = 0;

	for (unsigned i = 0; i < n; i++)
		v |= (size_t)at[i] << 8 * i;
	return v;
}

static int do_record(struct apply *a, const uint8_t *at, bool modes)
{
	char path[FT_PATH + 1];
	size_t n = number_at(at + 7, 2);
	uint32_t number = (uint32_t)number_at(at + 3, 4);

	memcpy(path, at + HEAD, n);
	path[n] = '\0';
	if (!*path || strlen(path) != n || !ft_is_path(path))
		return -EINVAL;
	if (modes)
		return do_mode(a, (uint32_t)number_at(at + 1, 2), path);
	if (at[0] == 'R') {
		int status = do_remove(a, number, path);

		forget(a);	/* it may have been the directory itself */
		return status;
	}
	return do_put(a, number, path);
}

static int do_all(struct apply *a, const uint8_t *at, size_t n)
{
	int status = 0;

	while (n && !status) {
		size_t size = n < HEAD ? SIZE_MAX : number_at(at + 7, 2);

		if (size > FT_PATH || n - HEAD < size)
			return -EINVAL;
		if (at[0] == 'M')
			a->modes[a->mode_count++] = at;
		else
			status = do_record(a, at, false);
		at += HEAD + size;
		n -= HEAD + size;
	}
	while (!status && a->mode_count)
		status = do_record(a, a->modes[--a->mode_count], true);
	return !status && a->busy ? -EBUSY : status;
}

int ft_apply(const struct ft_stage *s, const uint8_t *journal, size_t n)
{
	struct apply a = {.s = s, .dir = -1};
	int status = -ENOMEM;

	a.modes = malloc((n / HEAD + 1) * sizeof(*a.modes));
	if (a.modes)
		status = do_all(&a, journal, n);
	if (a.dir >= 0)
		close(a.dir);
	free(a.last);
	free(a.modes);
	return status;
}
