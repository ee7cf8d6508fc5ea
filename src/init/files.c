/*
 * READ, WRITE, LIST, STAT: files as the box's processes see them. Names are walked from the box's
 * root by descriptors (path.h); what is opened is looked at before it is read, so that a pipe or a
 * device in a file's place is told and not waited for.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#define OPENSSL_SUPPRESS_DEPRECATED
#include <openssl/sha.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include "init/path.h"
#include "init/verbs.h"
#include "init/work.h"

#define LIST_PART (256u << 10)

/* One STAT; a link's target comes from dir and name (name empty: the descriptor itself). */
static void put_stat(struct wire_out *o, int dir, const char *name, const char *shown,
		     const struct stat *st)
{
	size_t mark = wire_nest(o, WIRE_F_STAT);
	char target[4097];
	ssize_t n;

	wire_text(o, WIRE_F_NAME, shown);
	wire_u32(o, WIRE_F_MODE, st->st_mode);
	wire_u64(o, WIRE_F_SIZE, (uint64_t)st->st_size);
	wire_u64(o, WIRE_F_MTIME, (uint64_t)st->st_mtim.tv_sec * 1000000000u +
		 (uint64_t)st->st_mtim.tv_nsec);
	wire_u32(o, WIRE_F_UID, st->st_uid);
	wire_u32(o, WIRE_F_GID, st->st_gid);
	if (S_ISLNK(st->st_mode)) {
		n = readlinkat(dir, name, target, sizeof(target));
		if (n > 0)
			wire_bytes(o, WIRE_F_LINK, target, (size_t)n);
	}
	wire_unnest(o, mark);
}

static const char *kind_of(mode_t mode)
{
	return S_ISDIR(mode) ? "it is a directory" : S_ISFIFO(mode) ? "it is a pipe" :
		S_ISSOCK(mode) ? "it is a socket" : "it is a device";
}

/* A regular file, open to read; -1: the client has been told. */
static int open_regular(struct conn *c, const char *path, struct stat *st)
{
	int fd = path_open(c->s->root, path, O_RDONLY | O_NONBLOCK | O_NOCTTY, 0);

	if (fd < 0 || fstat(fd, st) < 0) {
		work_fail(c, WIRE_ERROR_FILE, errno, "cannot read", path, NULL);
	} else if (!S_ISREG(st->st_mode)) {
		work_fail(c, WIRE_ERROR_FILE, S_ISDIR(st->st_mode) ? EISDIR : EINVAL, "cannot read",
			  path, kind_of(st->st_mode));
		close(fd);
		fd = -1;
	}
	return fd;
}

static void end_hash(struct conn *c, SHA256_CTX *sum)
{
	unsigned char hash[SHA256_DIGEST_LENGTH];

	SHA256_Final(hash, sum);
	wire_begin(&c->out, WIRE_OK);
	wire_bytes(&c->out, WIRE_F_HASH, hash, sizeof(hash));
	wire_end(&c->out);
	work_send(c);
}

/*
 * What was there at the opening: a file that grows meanwhile has an end too. Files of /proc tell
 * no size; they are read to their end.
 */
static void send_file(struct conn *c, int fd, const char *path, uint64_t offset, uint64_t left)
{
	SHA256_CTX sum;

	SHA256_Init(&sum);
	while (left) {
		ssize_t n = pread(fd, c->s->chunk, left < CHUNK ? (size_t)left : CHUNK, (off_t)offset);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0) {
			work_fail(c, WIRE_ERROR_FILE, errno, "cannot read on in", path, NULL);
			return;
		}
		if (!n)
			break;
		SHA256_Update(&sum, c->s->chunk, (size_t)n);
		wire_data(&c->out, WIRE_DATA_OUT, c->s->chunk, (size_t)n);
		if (!work_send(c))
			return;
		offset += (uint64_t)n;
		left -= (uint64_t)n;
	}
	end_hash(c, &sum);
}

void work_read(struct conn *c, const struct wire_frame *f)
{
	bool bad = false;
	uint64_t offset = wire_number(wire_fields(f), WIRE_F_OFFSET, 0, &bad);
	uint64_t size = wire_number(wire_fields(f), WIRE_F_SIZE, 0, &bad), there;
	char *path = work_path(c, f);
	struct stat st;
	int fd;

	if (!path)
		return;
	if (bad || offset > INT64_MAX) {
		work_fail(c, WIRE_ERROR_REQUEST, 0, "the offset is none", NULL, NULL);
	} else if ((fd = open_regular(c, path, &st)) >= 0) {
		there = st.st_size ? (uint64_t)st.st_size : 64u << 20;
		there = offset < there ? there - offset : 0;
		wire_begin(&c->out, WIRE_OK);
		put_stat(&c->out, fd, "", path, &st);
		wire_end(&c->out);
		if (work_send(c))
			send_file(c, fd, path, offset, size && size < there ? size : there);
		close(fd);
	}
	audit_path(c->s, "read", path, 0);
	free(path);
}

struct writing {
	int dir, fd;
	char *path, *name;	/* name points into path */
	char temp[48];
	uint64_t mtime;
	mode_t mode;
	bool exclusive, has_mtime, more;
};

/* A name beside the file's that nobody has guessed. */
static bool open_temp(struct writing *w)
{
	static const char hex[16] = "0123456789abcdef";
	unsigned char random[12];
	size_t n = sizeof(".tinybox-") - 1;

	if (getrandom(random, sizeof(random), 0) != (ssize_t)sizeof(random))
		return false;
	memcpy(w->temp, ".tinybox-", n);
	for (size_t i = 0; i < sizeof(random); i++) {
		w->temp[n++] = hex[random[i] >> 4];
		w->temp[n++] = hex[random[i] & 15];
	}
	w->temp[n] = '\0';
	w->fd = path_open(w->dir, w->temp, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, 0600);
	return w->fd >= 0;
}

/* DATA_IN frames into the file until CLOSE_IN. False: told, or the client is gone. */
static bool receive(struct conn *c, struct writing *w, SHA256_CTX *sum)
{
	struct wire_frame f;

	while (read_frame(c->w.fd, &c->in, &f)) {
		if (f.type == WIRE_CLOSE_IN)
			return true;
		if (f.type == WIRE_ALIVE)
			continue;
		if (f.type != WIRE_DATA_IN) {
			work_fail(c, WIRE_ERROR_PROTOCOL, 0, "this frame does not belong to a file",
				  NULL, NULL);
			return false;
		}
		SHA256_Update(sum, f.body, f.size);
		if (!write_all(w->fd, f.body, f.size)) {
			work_fail(c, WIRE_ERROR_FILE, errno, "cannot write", w->path, NULL);
			return false;
		}
	}
	return false;
}

static bool put_in_place(struct writing *w)
{
	struct timespec times[2] = {{.tv_nsec = UTIME_NOW},
		{.tv_sec = (time_t)(w->mtime / 1000000000u), .tv_nsec = (long)(w->mtime % 1000000000u)}};

	if (fchmod(w->fd, w->mode) < 0 || (w->has_mtime && futimens(w->fd, times) < 0) ||
	    (!w->more && fsync(w->fd) < 0))
		return false;
	if (w->exclusive ? renameat2(w->dir, w->temp, w->dir, w->name, RENAME_NOREPLACE) :
	    renameat(w->dir, w->temp, w->dir, w->name))
		return false;
	*w->temp = '\0';
	return true;
}

/* The directory's own entry, too, is on the disk when the client hears of it. */
static void sync_dir(int dir)
{
	int fd = openat(dir, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	if (fd >= 0) {
		fsync(fd);
		close(fd);
	}
}

static bool begin_write(struct conn *c, const struct wire_frame *f, struct writing *w)
{
	struct wire_iter it = wire_fields(f);
	struct wire_field_in field;
	bool bad = false;
	struct stat st;

	w->mode = (mode_t)wire_number(it, WIRE_F_MODE, 0, &bad) & 07777;
	w->mtime = wire_number(it, WIRE_F_MTIME, 0, &bad);
	w->has_mtime = wire_find(it, WIRE_F_MTIME, &field);
	w->exclusive = wire_number(it, WIRE_F_EXCLUSIVE, 0, &bad);
	w->more = wire_number(it, WIRE_F_MORE, 0, &bad);
	if (bad) {
		work_fail(c, WIRE_ERROR_REQUEST, 0, "WRITE is damaged", NULL, NULL);
		return false;
	}
	w->dir = path_parent(c->s->root, w->path, &w->name);
	if (w->dir < 0) {
		work_fail(c, WIRE_ERROR_FILE, errno, "cannot write", w->path, NULL);
		return false;
	}
	/* without a mode of its own it keeps the file's that it replaces */
	if (!wire_find(it, WIRE_F_MODE, &field))
		w->mode = fstatat(w->dir, w->name, &st, AT_SYMLINK_NOFOLLOW) == 0 &&
			S_ISREG(st.st_mode) ? st.st_mode & 0777 : 0644;
	if (!open_temp(w)) {
		work_fail(c, WIRE_ERROR_FILE, errno, "cannot write", w->path, NULL);
		return false;
	}
	return true;
}

void work_write(struct conn *c, const struct wire_frame *f)
{
	struct writing w = {.dir = -1, .fd = -1, .path = work_path(c, f)};
	SHA256_CTX sum;
	int error = 0;

	if (!w.path)
		return;
	umask(0);
	SHA256_Init(&sum);
	if (begin_write(c, f, &w) && receive(c, &w, &sum)) {
		if (put_in_place(&w)) {
			if (!w.more)
				sync_dir(w.dir);
			end_hash(c, &sum);
		} else {
			error = errno;
			work_fail(c, WIRE_ERROR_FILE, error, "cannot write", w.path, NULL);
		}
	}
	if (*w.temp && w.dir >= 0)
		unlinkat(w.dir, w.temp, 0);
	audit_path(c->s, "write", w.path, error);
	free(w.path);
}

static bool list_part(struct conn *c, bool more)
{
	if (more)
		wire_u8(&c->out, WIRE_F_MORE, 1);
	wire_end(&c->out);
	return work_send(c);
}

static void list_names(struct conn *c, DIR *dir)
{
	struct dirent *d;
	struct stat st;

	wire_begin(&c->out, WIRE_OK);
	while ((d = readdir(dir))) {
		if (!strcmp(d->d_name, ".") || !strcmp(d->d_name, ".."))
			continue;
		/* gone meanwhile: as if it had not been there */
		if (fstatat(dirfd(dir), d->d_name, &st, AT_SYMLINK_NOFOLLOW) < 0)
			continue;
		put_stat(&c->out, dirfd(dir), d->d_name, d->d_name, &st);
		if (c->out.size < LIST_PART)
			continue;
		if (!list_part(c, true))
			return;
		wire_begin(&c->out, WIRE_OK);
	}
	list_part(c, false);
}

void work_list(struct conn *c, const struct wire_frame *f)
{
	char *path = work_path(c, f);
	int fd = path ? path_open(c->s->root, path, O_RDONLY | O_DIRECTORY, 0) : -1;
	DIR *dir = fd < 0 ? NULL : fdopendir(fd);

	if (path && !dir)
		work_fail(c, WIRE_ERROR_FILE, errno, "cannot list", path, NULL);
	if (path)
		audit_path(c->s, "list", path, 0);
	if (dir) {
		list_names(c, dir);
		closedir(dir);
	}
	free(path);
}

void work_stat(struct conn *c, const struct wire_frame *f)
{
	bool bad = false, follow = wire_number(wire_fields(f), WIRE_F_FOLLOW, 0, &bad);
	char *path = work_path(c, f);
	int fd = path ? path_open(c->s->root, path, O_PATH | (follow ? 0 : O_NOFOLLOW), 0) : -1;
	struct stat st;

	if (path && (fd < 0 || fstat(fd, &st) < 0)) {
		work_fail(c, WIRE_ERROR_FILE, errno, "cannot look at", path, NULL);
	} else if (path) {
		wire_begin(&c->out, WIRE_OK);
		put_stat(&c->out, fd, "", path, &st);
		wire_end(&c->out);
		work_send(c);
	}
	free(path);
}
