/*
 * TREE: what changes. SYNC stages everything; PLAIN writes each file beside its place and renames
 * it, as WRITE does, without a connection for each.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "init/path.h"
#include "init/sync_in.h"
#include "init/text.h"
#include "init/work.h"

void sync_file_end(struct sync *y)
{
	if (y->fd >= 0)
		close(y->fd);
	if (y->into > 0) {
		if (*y->temp)
			unlinkat(y->into, y->temp, 0);
		close(y->into);
	}
	free(y->file);
	y->file = NULL;
	y->fd = -1;
	y->into = 0;
	*y->temp = '\0';
}

static bool cannot(struct sync *y, int error, const char *path)
{
	sync_fail(y, WIRE_ERROR_FILE, error, "cannot write", path, NULL);
	sync_file_end(y);
	return false;
}

/* Beside its place, under a name that nobody else uses: the worker's own number and a count. */
static int open_plain(struct sync *y, const char *path)
{
	const char *name;

	y->into = ft_parent(y->dir, path, &name);
	if (y->into < 0) {
		y->into = 0;
		return -errno;
	}
	for (unsigned tries = 0; tries < 1000; tries++) {
		size_t n = sizeof(".tinybox-") - 1;

		memcpy(y->temp, ".tinybox-", n + 1);
		text_decimal(y->temp + n, (uint64_t)getpid());
		n = strlen(y->temp);
		y->temp[n] = '-';
		text_decimal(y->temp + n + 1, y->count++);
		y->fd = openat(y->into, y->temp, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC,
			       0600);
		if (y->fd >= 0 || errno != EEXIST)
			break;
	}
	if (y->fd < 0)
		*y->temp = '\0';
	return y->fd < 0 ? -errno : y->fd;
}

static bool begin_file(struct sync *y, const char *path)
{
	int fd = y->staging ? ft_stage_file(&y->stage, path, y->mode) : open_plain(y, path);

	if (fd < 0)
		return cannot(y, -fd, path);
	y->fd = fd;
	y->file = strdup(path);
	sum_begin(&y->sum);
	return y->file || cannot(y, ENOMEM, path);
}

static int plain_dir(struct sync *y, const char *path, uint32_t mode)
{
	const char *name;
	int dir = ft_parent(y->dir, path, &name), status = 0;
	struct stat st;

	if (dir < 0)
		return -errno;
	/* its own mode comes when all is in it, by TREE_MODE */
	if (mkdirat(dir, name, (mode & 0777) | 0700) &&
	    (errno != EEXIST || fstatat(dir, name, &st, AT_SYMLINK_NOFOLLOW) || !S_ISDIR(st.st_mode)))
		status = errno == EEXIST ? -ENOTDIR : -errno;
	close(dir);
	return status;
}

static int plain_link(struct sync *y, const char *path, const char *target)
{
	const char *name;
	int dir = ft_parent(y->dir, path, &name), status;

	if (dir < 0)
		return -errno;
	status = symlinkat(target, dir, name) ? -errno : 0;
	/* what stands there is replaced, as a file is by a file; not a directory */
	if (status == -EEXIST && !unlinkat(dir, name, 0))
		status = symlinkat(target, dir, name) ? -errno : 0;
	close(dir);
	return status;
}

static bool put(struct sync *y, const char *path, struct wire_iter it)
{
	bool bad = false;
	char *link = wire_string(it, WIRE_F_LINK, &bad);
	int status = 0;

	y->mode = (uint32_t)wire_number(it, WIRE_F_MODE, 0, &bad);
	y->mtime = wire_number(it, WIRE_F_MTIME, 0, &bad);
	if (bad || (S_ISLNK(y->mode) && (!link || !*link)))
		status = -EINVAL;
	else if (S_ISREG(y->mode))
		status = 1;
	else if (S_ISLNK(y->mode))
		status = y->staging ? ft_stage_link(&y->stage, path, link) : plain_link(y, path, link);
	else if (S_ISDIR(y->mode))
		status = y->staging ? ft_stage_dir(&y->stage, path, y->mode & 0777) :
			 plain_dir(y, path, y->mode);
	else
		status = -EINVAL;
	free(link);
	if (status < 0)
		return cannot(y, -status, path);
	return !status || begin_file(y, path);
}

static int place_plain(struct sync *y)
{
	struct timespec times[2] = {{.tv_nsec = UTIME_NOW},
		{.tv_sec = (time_t)(y->mtime / 1000000000u), .tv_nsec = (long)(y->mtime % 1000000000u)}};
	const char *slash = strrchr(y->file, '/');

	if (fchmod(y->fd, y->mode & 07777) || (y->mtime && futimens(y->fd, times)) ||
	    renameat(y->into, y->temp, y->into, slash ? slash + 1 : y->file))
		return -errno;
	*y->temp = '\0';
	return 0;
}

static bool end_file(struct sync *y, struct wire_iter it)
{
	struct wire_field_in theirs;
	uint8_t hash[FT_HASH];
	int status, fd = y->fd;

	sum_end(&y->sum, hash);
	if (!wire_find(it, WIRE_F_HASH, &theirs) || theirs.size != FT_HASH ||
	    memcmp(theirs.data, hash, FT_HASH))
		return sync_fail(y, WIRE_ERROR_FILE, EIO, "what arrived is not what was sent:", y->file,
				 "try again");
	if (y->staging) {
		y->fd = -1;
		status = ft_stage_file_done(&y->stage, fd, y->mode, y->mtime);
	} else {
		status = place_plain(y);
	}
	if (status)
		return cannot(y, -status, y->file);
	sync_file_end(y);
	return true;
}

static int plain_mode(struct sync *y, const char *path, uint32_t mode)
{
	int fd = ft_open(y->dir, path, O_RDONLY | O_NONBLOCK | O_NOCTTY), status;

	if (fd < 0)
		return -errno;
	status = fchmod(fd, mode & 07777) ? -errno : 0;
	close(fd);
	return status;
}

static int plain_remove(struct sync *y, const char *path)
{
	const char *name;
	int dir = ft_parent(y->dir, path, &name), status;

	if (dir < 0)
		return -errno;
	status = remove_tree(dir, name) ? 0 : -errno;
	close(dir);
	return status;
}

static bool change(struct sync *y, enum wire_type type, const char *path, struct wire_iter it)
{
	bool bad = false;
	uint32_t mode = (uint32_t)wire_number(it, WIRE_F_MODE, 0, &bad);
	int status = -EINVAL;

	if (type == WIRE_TREE_PUT)
		return put(y, path, it);
	if (type == WIRE_TREE_MODE && !bad)
		status = y->staging ? ft_stage_mode(&y->stage, path, mode) : plain_mode(y, path, mode);
	else if (type == WIRE_TREE_REMOVE)
		status = y->staging ? ft_stage_remove(&y->stage, path) : plain_remove(y, path);
	return !status || cannot(y, -status, path);
}

bool sync_change(struct sync *y, const struct wire_frame *f)
{
	struct wire_iter it = wire_fields(f);
	bool bad = false, good, known = f->type == WIRE_TREE_PUT || f->type == WIRE_TREE_MODE ||
		f->type == WIRE_TREE_REMOVE;
	char *path;

	if (f->type == WIRE_DATA_IN && y->fd >= 0) {
		sum_add(&y->sum, f->body, f->size);
		return write_all(y->fd, f->body, f->size) || cannot(y, errno, y->file);
	}
	if (f->type == WIRE_TREE_END && y->fd >= 0)
		return end_file(y, it);
	path = known ? wire_string(it, WIRE_F_PATH, &bad) : NULL;
	if (!path || !*path || !ft_is_path(path) || y->fd >= 0 || y->state == WIRE_TREE_LOOK) {
		free(path);
		return sync_fail(y, WIRE_ERROR_PROTOCOL, 0, "this frame does not belong there", NULL, NULL);
	}
	good = sync_make(y) && change(y, f->type, path, it);
	free(path);
	return good;
}
