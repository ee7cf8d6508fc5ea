/*
 * A layer as a stream of bytes, and back. The stream is frames of the protocol: an OK with MORE for
 * each entry (NAME, MODE, UID, GID, MTIME, ATTRIBUTE, and SIZE, LINK, FROM, GONE or TREE as its kind needs), the
 * bytes of a file as DATA_OUT behind it, and an OK without MORE at the end. It travels in DATA frames.
 *
 * What comes in is a stranger's: names are taken apart and every directory on the way is entered by
 * descriptor, without following a link.
 */
#define OPENSSL_SUPPRESS_DEPRECATED
#include <errno.h>
#include <fcntl.h>
#include <openssl/sha.h>
#include <stdlib.h>
#include <string.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "init/layer.h"
#include "init/path.h"
#include "init/verbs.h"

#define HIGH (256u << 10)
#define ATTRIBUTE_NAME 256u	/* with its NUL; a value is at most WIRE_DATA_MAX */
#define ATTRIBUTES_MOST (512u << 10)	/* of one entry, which is one frame */

struct packing {
	struct wire_out inner;
	SHA256_CTX sum;
	uint32_t base;
	struct links links;
	uint8_t *buffer;
	size_t attributes;	/* bytes, of the entry */
};

static uint32_t base_of(int layer)
{
	struct stat st;

	if (!fstatat(layer, "upper", &st, AT_SYMLINK_NOFOLLOW) && st.st_uid >= LAYER_BASE)
		return LAYER_BASE;
	return geteuid();
}

/* What is in `inner` goes out. */
static bool drain(struct packing *p)
{
	struct wire_out o = {0};
	bool good = !p->inner.failed;

	if (good && p->inner.size) {
		SHA256_Update(&p->sum, p->inner.data, p->inner.size);
		wire_data(&o, WIRE_DATA_OUT, p->inner.data, p->inner.size);
		wire_consume(&p->inner, p->inner.size);
		good = send_frames(1, &o);
	}
	return good;
}

static bool pack_content(struct packing *p, int dir, const char *name, const struct stat *st)
{
	int fd = walk_open(dir, name, st), saved;
	uint64_t left = (uint64_t)st->st_size;
	bool good = fd >= 0;

	while (good && left) {
		size_t want = left < WIRE_DATA_MAX / 2 ? (size_t)left : WIRE_DATA_MAX / 2;
		ssize_t n = read(fd, p->buffer, want);

		if (n < 0 && errno == EINTR)
			continue;
		good = n > 0;
		if (!n)
			errno = EIO;
		if (!good)
			break;
		wire_data(&p->inner, WIRE_DATA_OUT, p->buffer, (size_t)n);
		left -= (uint64_t)n;
		good = p->inner.size < HIGH || drain(p);
	}
	saved = errno;
	if (fd >= 0)
		close(fd);
	errno = saved;
	return good;
}

/* Only what is not zeros, each block behind the word of where it is; and how long all of it is. */
static bool pack_disk(struct packing *p, int dir, const char *name, const struct stat *st)
{
	int fd = walk_open(dir, name, st), saved;
	ssize_t n = fd >= 0;

	for (off_t at = 0, end = 0; n > 0 && end < st->st_size; at += LAYER_BLOCK) {
		n = layer_next_block(fd, p->buffer, &at);
		wire_begin(&p->inner, WIRE_OK);
		wire_u64(&p->inner, WIRE_F_OFFSET, (uint64_t)(n > 0 ? at : st->st_size));
		wire_end(&p->inner);
		if (n > 0)
			wire_data(&p->inner, WIRE_DATA_OUT, p->buffer, (size_t)n);
		end = at + (n > 0 ? n : 0);
		if (p->inner.size >= HIGH && !drain(p))
			n = -1;
	}
	saved = errno;
	if (fd >= 0)
		close(fd);
	errno = saved;
	return n >= 0;
}

static void put_kind(struct packing *p, int dir, const char *name, const struct stat *st,
		     const char *first)
{
	char target[4097];
	ssize_t n;
	int fd;

	if (S_ISLNK(st->st_mode)) {
		n = readlinkat(dir, name, target, sizeof(target));
		wire_bytes(&p->inner, WIRE_F_LINK, target, n < 0 ? 0 : (size_t)n);
	} else if (S_ISDIR(st->st_mode)) {
		fd = walk_open(dir, name, st);
		if (fd >= 0 && walk_is_opaque(fd))
			wire_u8(&p->inner, WIRE_F_TREE, 1);
		if (fd >= 0)
			close(fd);
	} else if (first) {
		wire_text(&p->inner, WIRE_F_FROM, first);
	} else if (S_ISREG(st->st_mode)) {
		wire_u64(&p->inner, WIRE_F_SIZE, (uint64_t)st->st_size);
	} else if (walk_is_whiteout(st)) {
		wire_u8(&p->inner, WIRE_F_GONE, 1);
	}
}

static bool put_attribute(void *ctx, const char *name, const uint8_t *value, size_t n)
{
	struct packing *p = ctx;
	size_t size = strlen(name) + 1;

	p->attributes += size + n;
	if (p->attributes > ATTRIBUTES_MOST || size > ATTRIBUTE_NAME || n > WIRE_DATA_MAX) {
		errno = E2BIG;
		return false;
	}
	memcpy(p->buffer, name, size);
	memcpy(p->buffer + size, value, n);
	wire_bytes(&p->inner, WIRE_F_ATTRIBUTE, p->buffer, size + n);
	return true;
}

static bool pack(struct walk *w, int from, int to, const char *name, const struct stat *st,
		 int *below)
{
	struct packing *p = w->ctx;
	const char *path = text_string(&w->path), *first = NULL;
	bool failed = false;

	(void)to;
	(void)below;
	if (S_ISREG(st->st_mode) && st->st_nlink > 1)
		first = links_first(&p->links, st->st_ino, path, &failed);
	wire_begin(&p->inner, WIRE_OK);
	wire_u8(&p->inner, WIRE_F_MORE, 1);
	wire_text(&p->inner, WIRE_F_NAME, path);
	wire_u32(&p->inner, WIRE_F_MODE, st->st_mode);
	wire_u32(&p->inner, WIRE_F_UID, (uint32_t)(st->st_uid - p->base));
	wire_u32(&p->inner, WIRE_F_GID, (uint32_t)(st->st_gid - p->base));
	wire_u64(&p->inner, WIRE_F_MTIME, (uint64_t)st->st_mtim.tv_sec * 1000000000u +
		 (uint64_t)st->st_mtim.tv_nsec);
	put_kind(p, from, name, st, first);
	p->attributes = 0;
	failed |= !first && !attr_each(from, name, st, put_attribute, p);
	wire_end(&p->inner);
	if (failed || p->inner.failed)
		return false;
	if (S_ISREG(st->st_mode) && !first && layer_is_disk(path) && st->st_size)
		return pack_disk(p, from, name, st);
	if (S_ISREG(st->st_mode) && !first)
		return pack_content(p, from, name, st);
	return p->inner.size < HIGH || drain(p);
}

bool layer_export(int layer, uint8_t hash[32], struct text *why)
{
	struct packing p = {.base = base_of(layer), .buffer = malloc(WIRE_DATA_MAX + ATTRIBUTE_NAME)};
	struct walk w = {.visit = pack, .skip = layer_is_own, .ctx = &p};
	bool good;

	SHA256_Init(&p.sum);
	errno = 0;
	good = p.buffer && walk_tree(&w, layer, -1);
	if (!good) {
		text_add(why, text_string(&w.path));
		text_add(why, ": ");
		text_add(why, text_errno(errno ? errno : ENOMEM));
	}
	wire_begin(&p.inner, WIRE_OK);
	wire_end(&p.inner);
	good = good && drain(&p);
	SHA256_Final(hash, &p.sum);
	walk_free(&w);
	links_free(&p.links);
	wire_free(&p.inner);
	free(p.buffer);
	return good;
}

/* ---- In ---- */

struct dir_late {
	char *path;
	struct stat st;
};

struct unpacking {
	int layer;
	uint32_t base;
	struct text *why;
	struct wire_in inner;
	int fd;			/* the file that is being written */
	uint64_t left, size;
	bool disk;		/* it has holes */
	struct stat st;
	struct dir_late *dirs;
	size_t dir_count, dir_room;
	bool done;
};

static bool refuse(struct unpacking *u, const char *path, const char *what)
{
	if (!u->why->size) {
		text_add(u->why, path);
		text_add(u->why, *path ? ": " : "");
		text_add(u->why, what);
	}
	return false;
}

static bool failed(struct unpacking *u, const char *path)
{
	return refuse(u, path, text_errno(errno));
}

/* The directory that the last name is to be in; *last points into path. -1: not such a path. */
static int parent(int layer, char *path, char **last)
{
	int at = openat(layer, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC), next;
	unsigned depth = 0;
	char *slash;

	for (*last = path; at >= 0; *last = slash + 1) {
		slash = strchr(*last, '/');
		if (slash)
			*slash = '\0';
		if (!**last || !strcmp(*last, ".") || !strcmp(*last, "..") || ++depth > LAYER_DEPTH) {
			close(at);
			errno = EINVAL;
			return -1;
		}
		if (!slash)
			return at;
		next = openat(at, *last, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
		close(at);
		*slash = '/';
		at = next;
	}
	return -1;
}

static bool set_stat(int fd, const struct stat *st)
{
	const struct timespec times[] = {st->st_mtim, st->st_mtim};

	return (geteuid() || !fchown(fd, st->st_uid, st->st_gid)) && !fchmod(fd, st->st_mode & 07777) &&
		!futimens(fd, times);
}

/* A directory's own mode and time come when all is in it. */
static bool late(struct unpacking *u, const char *path)
{
	if (u->dir_count == u->dir_room) {
		size_t room = u->dir_room ? 2 * u->dir_room : 64;
		struct dir_late *more = realloc(u->dirs, room * sizeof(*more));

		if (!more)
			return false;
		u->dirs = more;
		u->dir_room = room;
	}
	u->dirs[u->dir_count] = (struct dir_late){strdup(path), u->st};
	return u->dirs[u->dir_count].path && ++u->dir_count;
}

/* Of the new file or directory. */
static bool set_attributes(int fd, struct wire_iter it)
{
	struct wire_field_in f;

	while (wire_step(&it, &f)) {
		size_t n = f.name == WIRE_F_ATTRIBUTE ? strnlen((const char *)f.data, f.size) : 0;

		if (f.name != WIRE_F_ATTRIBUTE)
			continue;
		errno = EINVAL;
		if (n == f.size || !attr_is_users((const char *)f.data) ||
		    fsetxattr(fd, (const char *)f.data, f.data + n + 1, f.size - n - 1, 0))
			return false;
	}
	return true;
}

static bool make_dir(struct unpacking *u, int at, const char *name, const char *path, bool opaque, struct wire_iter it)
{
	int fd = mkdirat(at, name, 0700) ? -1 :
		openat(at, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	bool good = fd >= 0 && (!opaque || !fsetxattr(fd, "user.overlay.opaque", "y", 1, 0)) &&
		set_attributes(fd, it) && late(u, path);

	if (fd >= 0)
		close(fd);
	return good;
}

static bool make_link(struct unpacking *u, int at, const char *name, const char *target)
{
	const struct timespec times[] = {u->st.st_mtim, u->st.st_mtim};

	return !symlinkat(target, at, name) &&
		(geteuid() || !fchownat(at, name, u->st.st_uid, u->st.st_gid, AT_SYMLINK_NOFOLLOW)) &&
		!utimensat(at, name, times, AT_SYMLINK_NOFOLLOW);
}

static bool make_hard(struct unpacking *u, int at, const char *name, char *first)
{
	char *last;
	int from = parent(u->layer, first, &last), saved;
	struct stat st;
	bool good = from >= 0 && !fstatat(from, last, &st, AT_SYMLINK_NOFOLLOW) &&
		S_ISREG(st.st_mode) && !linkat(from, last, at, name, 0);

	saved = errno;
	if (from >= 0)
		close(from);
	errno = saved;
	return good;
}

static bool make_file(struct unpacking *u, int at, const char *name, uint64_t size, struct wire_iter it)
{
	u->fd = openat(at, name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
	u->left = u->size = size;
	if (u->fd < 0 || !set_attributes(u->fd, it))
		return false;
	if (size)
		return true;
	if (!set_stat(u->fd, &u->st))
		return false;
	close(u->fd);
	u->fd = -1;
	return true;
}

/* All of it is there. */
static bool end_file(struct unpacking *u)
{
	if (!set_stat(u->fd, &u->st))
		return failed(u, "");
	close(u->fd);
	u->fd = -1;
	return true;
}

static bool make_node(struct unpacking *u, int at, const char *name, bool whiteout)
{
	mode_t mode = whiteout ? S_IFCHR : u->st.st_mode;
	const struct timespec times[] = {u->st.st_mtim, u->st.st_mtim};

	return !mknodat(at, name, mode, 0) &&
		(geteuid() || !fchownat(at, name, u->st.st_uid, u->st.st_gid, AT_SYMLINK_NOFOLLOW)) &&
		(whiteout || (!fchmodat(at, name, mode & 07777, 0) &&
			      !utimensat(at, name, times, AT_SYMLINK_NOFOLLOW)));
}

static bool make(struct unpacking *u, struct wire_iter it, int at, const char *name,
		 const char *path)
{
	bool bad = false, good;
	char *target = wire_string(it, WIRE_F_LINK, &bad), *first = wire_string(it, WIRE_F_FROM, &bad);
	bool whiteout = wire_number(it, WIRE_F_GONE, 0, &bad);
	bool opaque = wire_number(it, WIRE_F_TREE, 0, &bad);
	uint64_t size = wire_number(it, WIRE_F_SIZE, 0, &bad);
	mode_t mode = u->st.st_mode;

	errno = EINVAL;
	if (bad || size > INT64_MAX)
		good = false;
	else if (whiteout || S_ISFIFO(mode) || S_ISSOCK(mode))
		good = make_node(u, at, name, whiteout);
	else if (S_ISDIR(mode))
		good = make_dir(u, at, name, path, opaque, it);
	else if (S_ISLNK(mode))
		good = target && make_link(u, at, name, target);
	else if (S_ISREG(mode))
		good = first ? make_hard(u, at, name, first) : make_file(u, at, name, size, it);
	else
		good = false;
	free(target);
	free(first);
	return good;
}

static bool read_stat(struct unpacking *u, struct wire_iter it, const char *path)
{
	bool bad = false;
	uint64_t uid = wire_number(it, WIRE_F_UID, 0, &bad), gid = wire_number(it, WIRE_F_GID, 0, &bad);
	uint64_t time = wire_number(it, WIRE_F_MTIME, 0, &bad);

	/* the list of a virtual box and a machine's disks are not the box's, but its host's */
	uint32_t base = strcmp(path, "files") && strcmp(path, "saved") && !layer_is_disk(path) ? u->base : geteuid();

	u->st = (struct stat){.st_mode = (mode_t)wire_number(it, WIRE_F_MODE, 0, &bad),
		.st_uid = (uid_t)(base + uid), .st_gid = (gid_t)(base + gid),
		.st_mtim = {(time_t)(time / 1000000000u), (long)(time % 1000000000u)}};
	if (bad)
		return refuse(u, path, "is damaged");
	if (uid > 65535 || gid > 65535)
		return refuse(u, path, "has an owner that no box has");
	if (geteuid() && (uid || gid))
		return refuse(u, path, "belongs to another user of the box than its root, which only "
			      "the host's root can make");
	return true;
}

/* upper/..., the one file of a virtual box, or disks, or an engine's archive. */
static bool good_top(const char *path, mode_t mode)
{
	size_t n = strcspn(path, "/");

	if (n == 5 && !memcmp(path, "upper", 5))
		return path[n] || S_ISDIR(mode);
	return (!strcmp(path, "files") || !strcmp(path, "saved") || layer_is_disk(path)) && S_ISREG(mode);
}

/* A disk goes on elsewhere, at its end perhaps: what is between is a hole. */
static bool skip(struct unpacking *u, const struct wire_frame *f)
{
	struct wire_iter it = wire_fields(f);
	bool bad = !wire_whole(it);
	uint64_t at = bad ? 0 : wire_number(it, WIRE_F_OFFSET, 0, &bad);

	if (bad || at < u->size - u->left || at > u->size || !u->disk)
		return refuse(u, "", "the archive is damaged");
	u->left = u->size - at;
	if (lseek(u->fd, (off_t)at, SEEK_SET) < 0 || (!u->left && ftruncate(u->fd, (off_t)u->size) < 0))
		return failed(u, "");
	return u->left || end_file(u);
}

static bool entry(struct unpacking *u, const struct wire_frame *f)
{
	struct wire_iter it = wire_fields(f);
	bool bad = !wire_whole(it), good;
	char *path = bad ? NULL : wire_string(it, WIRE_F_NAME, &bad), *name, *copy;
	int at;

	if (!bad && !wire_number(it, WIRE_F_MORE, 0, &bad)) {
		free(path);
		u->done = !bad;
		return u->done || refuse(u, "", "the archive is damaged");
	}
	copy = path ? strdup(path) : NULL;
	if (u->fd >= 0 || bad || !copy) {
		free(path);
		free(copy);
		return refuse(u, "", "the archive is damaged");
	}
	good = read_stat(u, it, path) && (good_top(path, u->st.st_mode) ||
					  refuse(u, path, "is no part of a layer"));
	at = good ? parent(u->layer, copy, &name) : -1;
	u->disk = layer_is_disk(path);
	if (good)
		good = (at >= 0 && make(u, it, at, name, path)) || failed(u, path);
	if (at >= 0)
		close(at);
	free(path);
	free(copy);
	return good;
}

static bool bytes(struct unpacking *u, const struct wire_frame *f)
{
	if (u->fd < 0 || f->size > u->left)
		return refuse(u, "", "the archive is damaged");
	if (!write_all(u->fd, f->body, f->size))
		return failed(u, "");
	u->left -= f->size;
	return u->left || end_file(u);
}

static bool inner(struct unpacking *u, const struct wire_frame *outer)
{
	uint8_t *room = wire_room(&u->inner, outer->size);
	struct wire_frame f;

	if (!room)
		return refuse(u, "", "no memory");
	memcpy(room, outer->body, outer->size);
	wire_got(&u->inner, outer->size);
	while (wire_next(&u->inner, &f)) {
		if (u->done)
			return refuse(u, "", "the archive goes on behind its end");
		if (f.type == WIRE_OK ? (u->fd < 0 ? !entry(u, &f) : !skip(u, &f)) : f.type == WIRE_DATA_OUT ? !bytes(u, &f) :
		    !refuse(u, "", "the archive is damaged"))
			return false;
	}
	return !u->inner.error || refuse(u, "", "the archive is damaged");
}

static bool finish_dirs(struct unpacking *u)
{
	bool good = true;

	while (u->dir_count--) {
		struct dir_late *d = &u->dirs[u->dir_count];
		char *copy = strdup(d->path), *name;
		int at = copy && good ? parent(u->layer, copy, &name) : -1;
		int fd = at < 0 ? -1 : openat(at, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);

		good = good && fd >= 0 && (set_stat(fd, &d->st) || failed(u, d->path));
		if (fd >= 0)
			close(fd);
		if (at >= 0)
			close(at);
		free(copy);
		free(d->path);
	}
	free(u->dirs);
	return good;
}

bool layer_import(int layer, struct wire_in *in, struct text *why)
{
	struct unpacking u = {.layer = layer, .fd = -1, .why = why,
		.base = geteuid() ? geteuid() : LAYER_BASE};
	bool good = true, ended = false;
	struct wire_frame f;

	umask(0);
	while (!ended && read_frame(0, in, &f)) {
		ended = f.type == WIRE_CLOSE_IN;
		if (f.type == WIRE_DATA_IN && good)
			good = inner(&u, &f);
	}
	if (good && (!ended || !u.done || u.fd >= 0))
		good = refuse(&u, "", "the archive ends too early");
	if (u.fd >= 0)
		close(u.fd);
	good = finish_dirs(&u) && good;
	wire_in_free(&u.inner);
	return good;
}
