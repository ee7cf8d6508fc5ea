/*
 * Files into a box. Read here by descriptors, written there whole or not at all, and compared by
 * the digest of what arrived.
 */
#include "box/copy.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define BATCH (256u << 10)	/* sent in one go */

static int file_error(struct copy *cp, const char *path)
{
	return bx_fail(cp->b.store, TBX_ERR_FILE, "%s: %s", path, strerror(errno));
}

static void stat_fields(struct wire_out *o, const void *ctx)
{
	const struct stat *st = ctx;

	wire_u32(o, WIRE_F_MODE, st->st_mode & 07777);
	wire_u64(o, WIRE_F_MTIME, (uint64_t)st->st_mtim.tv_sec * BX_SECOND +
		 (uint64_t)st->st_mtim.tv_nsec);
}

static int flush(struct copy *cp, size_t most);

/* The content, and its digest as it went. */
static int send_content(struct copy *cp, int fd, const char *from, struct bx_conn *c,
			uint8_t hash[32])
{
	char *buf = malloc(WIRE_DATA_MAX);
	SHA256_CTX ctx;
	ssize_t n = 1;
	int status = buf ? TBX_OK : bx_memory(cp->b.store);

	SHA256_Init(&ctx);
	while (!status && n > 0) {
		n = read(fd, buf, WIRE_DATA_MAX);
		if (n < 0) {
			status = file_error(cp, from);
			break;
		}
		SHA256_Update(&ctx, buf, (size_t)n);
		cp->bytes += (uint64_t)n;
		wire_data(&c->out, WIRE_DATA_IN, buf, (size_t)n);
		status = c == &cp->tree ? flush(cp, BATCH) : bx_send(c, bx_step(cp->b.store));
	}
	SHA256_Final(hash, &ctx);
	free(buf);
	return status;
}

/* Of a tree: by one conversation, which is only read when it has something to say. */
static int flush(struct copy *cp, size_t most)
{
	struct pollfd p = {.fd = cp->tree.fd, .events = POLLIN};
	struct wire_frame f;
	int status;

	if (cp->tree.out.size < most && !cp->tree.out.failed)
		return TBX_OK;
	status = bx_send(&cp->tree, bx_step(cp->b.store));
	if (status || poll(&p, 1, 0) <= 0)
		return status;
	status = bx_answer(&cp->tree, &f, bx_step(cp->b.store));
	return status ? status : bx_fail(cp->b.store, TBX_ERR_PROTOCOL, "%s: speaks out of turn",
					 cp->tree.what);
}

static void put_frame(struct copy *cp, const struct stat *st, const char *to, const char *link)
{
	struct wire_out *o = &cp->tree.out;

	wire_begin(o, WIRE_TREE_PUT);
	wire_text(o, WIRE_F_PATH, to + cp->base);
	wire_u32(o, WIRE_F_MODE, st->st_mode);
	wire_u64(o, WIRE_F_MTIME, (uint64_t)st->st_mtim.tv_sec * BX_SECOND +
		 (uint64_t)st->st_mtim.tv_nsec);
	wire_text(o, WIRE_F_LINK, link);
	wire_end(o);
}

static void end_frame(struct wire_out *o, const uint8_t hash[32])
{
	wire_begin(o, WIRE_TREE_END);
	wire_bytes(o, WIRE_F_HASH, hash, 32);
	wire_end(o);
}

static int tree_file(struct copy *cp, int fd, const struct stat *st, const char *from, const char *to)
{
	uint8_t hash[32];
	int status;

	put_frame(cp, st, to, NULL);
	status = send_content(cp, fd, from, &cp->tree, hash);
	if (status)
		return status;
	end_frame(&cp->tree.out, hash);
	cp->files++;
	return flush(cp, BATCH);
}

static int send_file(struct copy *cp, int fd, const struct stat *st, const char *from,
		     const char *to)
{
	struct wire_field_in theirs;
	struct wire_frame f;
	struct bx_conn c;
	uint8_t hash[32];
	int status = copy_ask(cp, WIRE_WRITE, to, stat_fields, st, &c, NULL);

	if (status)
		return status;
	status = send_content(cp, fd, from, &c, hash);
	if (!status) {
		wire_begin(&c.out, WIRE_CLOSE_IN);
		wire_end(&c.out);
		status = bx_send(&c, bx_step(cp->b.store));
	}
	if (!status)
		status = bx_answer(&c, &f, bx_step(cp->b.store));
	if (!status && (!wire_find(wire_fields(&f), WIRE_F_HASH, &theirs) || theirs.size != 32 ||
			memcmp(theirs.data, hash, 32)))
		status = bx_fail(cp->b.store, TBX_ERR_FILE, "%s: what arrived in the box is not what was "
				 "sent; try again", to);
	bx_conn_close(&c);
	cp->files += !status;
	return status;
}

static void link_field(struct wire_out *o, const void *ctx)
{
	wire_text(o, WIRE_F_LINK, ctx);
}

/* For a link: what stands there is replaced, as a file is by a file; not a directory. */
static int make_room(struct copy *cp, const char *to)
{
	struct copy_stat old;
	struct wire_frame f;
	struct bx_conn c;
	bool found, dir;
	int status = copy_stat(cp, to, false, &old, &found);

	if (status || !found)
		return status;
	dir = S_ISDIR(old.mode);
	copy_stat_free(&old);
	if (dir)
		return TBX_OK;
	status = copy_ask(cp, WIRE_REMOVE, to, NULL, NULL, &c, &f);
	if (!status)
		bx_conn_close(&c);
	return status;
}

static int send_link(struct copy *cp, int dir, const char *name, const char *from, const char *to,
		     bool tree)
{
	char target[4097];
	ssize_t n = readlinkat(dir, name, target, sizeof(target) - 1);
	struct stat st = {.st_mode = S_IFLNK | 0777};
	struct wire_frame f;
	struct bx_conn c;
	int status;

	if (n < 0)
		return file_error(cp, from);
	target[n] = '\0';
	if (tree) {
		put_frame(cp, &st, to, target);
		cp->links++;
		return flush(cp, BATCH);
	}
	status = make_room(cp, to);
	if (!status)
		status = copy_ask(cp, WIRE_SYMLINK, to, link_field, target, &c, &f);
	if (status)
		return status;
	bx_conn_close(&c);
	cp->links++;
	return TBX_OK;
}

static void mkdir_fields(struct wire_out *o, const void *ctx)
{
	const struct stat *st = ctx;

	wire_u32(o, WIRE_F_MODE, st->st_mode & 07777);
	wire_u8(o, WIRE_F_PARENTS, 1);
}

static int make_dir(struct copy *cp, const struct stat *st, const char *to)
{
	struct wire_frame f;
	struct bx_conn c;
	int status = copy_ask(cp, WIRE_MKDIR, to, mkdir_fields, st, &c, &f);

	if (status)
		return status;
	bx_conn_close(&c);
	cp->dirs++;
	return TBX_OK;
}

/* The names in a directory, whose descriptor is not held while what is below goes. */
struct entries {
	struct entry {
		char *name;
		bool dir;
	} *at;
	size_t n, cap;
};

static void entries_free(struct entries *e)
{
	for (size_t i = 0; i < e->n; i++)
		free(e->at[i].name);
	free(e->at);
}

static bool add_entry(struct entries *e, const char *name)
{
	if (e->n == e->cap) {
		size_t cap = e->cap ? e->cap * 2 : 16;
		struct entry *at = realloc(e->at, cap * sizeof(*at));

		if (!at)
			return false;
		e->at = at;
		e->cap = cap;
	}
	e->at[e->n] = (struct entry){strdup(name), false};
	return e->at[e->n].name && ++e->n;
}

/* errno, or 0 */
static int read_entries(int fd, struct entries *e)
{
	int copy = openat(fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC), error = 0;
	DIR *d = copy < 0 ? NULL : fdopendir(copy);
	struct dirent *at;

	if (!d) {
		error = errno;
		if (copy >= 0)
			close(copy);
		return error;
	}
	for (errno = 0; !error && (at = readdir(d)); errno = 0)
		if (strcmp(at->d_name, ".") && strcmp(at->d_name, "..") && !add_entry(e, at->d_name))
			error = ENOMEM;
	if (!error && errno)
		error = errno;
	closedir(d);
	return error;
}

static int send_any(struct copy *cp, int dir, const char *name, const char *from, const char *to);
static int tree_dir(struct copy *cp, const char *from, const char *to);

/* fd: the directory that it is in; -1: a directory, found by its path. */
static int send_entry(struct copy *cp, int fd, const char *name, const char *from, const char *to)
{
	char *f = copy_join(from, name), *t = copy_join(to, name);
	int status = TBX_OK;

	if (!f || !t)
		status = bx_memory(cp->b.store);
	else if (strlen(t + cp->base) > COPY_PATH)
		copy_skip(cp, f, "its path is too long");
	else
		status = fd < 0 ? tree_dir(cp, f, t) : send_any(cp, fd, name, f, t);
	free(f);
	free(t);
	return status;
}

/* As deep as paths are: COPY_PATH. Takes the descriptor. */
static int send_children(struct copy *cp, int fd, const char *from, const char *to)
{
	struct entries e = {NULL, 0, 0};
	int status = TBX_OK;
	struct stat st;

	errno = read_entries(fd, &e);
	if (errno)
		status = file_error(cp, from);
	for (size_t i = 0; !status && i < e.n; i++) {
		e.at[i].dir = !fstatat(fd, e.at[i].name, &st, AT_SYMLINK_NOFOLLOW) && S_ISDIR(st.st_mode);
		if (!e.at[i].dir)
			status = send_entry(cp, fd, e.at[i].name, from, to);
	}
	close(fd);
	for (size_t i = 0; !status && i < e.n; i++)
		if (e.at[i].dir)
			status = send_entry(cp, -1, e.at[i].name, from, to);
	entries_free(&e);
	return status;
}

/* A directory below the one that was named. */
static int tree_dir(struct copy *cp, const char *from, const char *to)
{
	struct wire_out *o = &cp->tree.out;
	int fd = copy_open(cp->top, to + cp->base, O_RDONLY | O_DIRECTORY, 0), status;
	struct stat st;

	if (fd < 0 || fstat(fd, &st)) {
		status = file_error(cp, from);
		if (fd >= 0)
			close(fd);
		return status;
	}
	bx_progress(cp->b.store, "%s", from);
	put_frame(cp, &st, to, NULL);
	cp->dirs++;
	status = send_children(cp, fd, from, to);
	/* it was made so that it can be written */
	if (status || (st.st_mode & 0700) == 0700)
		return status;
	wire_begin(o, WIRE_TREE_MODE);
	wire_text(o, WIRE_F_PATH, to + cp->base);
	wire_u32(o, WIRE_F_MODE, st.st_mode & 07777);
	wire_end(o);
	return flush(cp, BATCH);
}

static int top_dir(struct copy *cp, int fd, const struct stat *st, const char *from, const char *to)
{
	int status = make_dir(cp, st, to), copy;
	struct wire_frame f;

	bx_progress(cp->b.store, "%s", from);
	cp->top = fd;
	if (!status)
		status = copy_tree(cp, to, WIRE_TREE_PLAIN);
	if (status)
		return status;
	copy = fcntl(fd, F_DUPFD_CLOEXEC, 0);
	status = copy < 0 ? file_error(cp, from) : send_children(cp, copy, from, to);
	if (!status) {
		wire_begin(&cp->tree.out, WIRE_CLOSE_IN);
		wire_end(&cp->tree.out);
		status = bx_send(&cp->tree, bx_step(cp->b.store));
	}
	if (!status)
		status = bx_answer(&cp->tree, &f, bx_step(cp->b.store));
	bx_conn_close(&cp->tree);
	return status;
}

/* Below the top a directory is here only when it came into the place of something else just now. */
static int send_open(struct copy *cp, int fd, const struct stat *st, const char *from, const char *to, bool top)
{
	if (S_ISREG(st->st_mode))
		return top ? send_file(cp, fd, st, from, to) : tree_file(cp, fd, st, from, to);
	if (S_ISDIR(st->st_mode))
		return top ? top_dir(cp, fd, st, from, to) : tree_dir(cp, from, to);
	copy_skip(cp, from, "a socket, a pipe or a device");
	return TBX_OK;
}

/* It is not opened, which a device would take for a beginning. */
static bool is_special(int dir, const char *name, bool top)
{
	struct stat st;

	return !fstatat(dir, name, &st, top ? 0 : AT_SYMLINK_NOFOLLOW) && !S_ISREG(st.st_mode) &&
	       !S_ISDIR(st.st_mode) && !S_ISLNK(st.st_mode);
}

static int send_either(struct copy *cp, int dir, const char *name, const char *from, const char *to, bool top)
{
	struct stat st;
	int fd, status;

	if (is_special(dir, name, top)) {
		copy_skip(cp, from, "a socket, a pipe or a device");
		return TBX_OK;
	}
	fd = top ? openat(dir, name, O_RDONLY | O_NONBLOCK | O_CLOEXEC) : copy_open(dir, name, O_RDONLY | O_NONBLOCK, 0);
	if (fd < 0 && errno == ELOOP)
		return send_link(cp, dir, name, from, to, !top);
	if (fd < 0 && errno == ENXIO) {
		copy_skip(cp, from, "a socket or a device");
		return TBX_OK;
	}
	status = fd < 0 || fstat(fd, &st) ? file_error(cp, from) : send_open(cp, fd, &st, from, to, top);
	if (fd >= 0)
		close(fd);
	return status;
}

static int send_any(struct copy *cp, int dir, const char *name, const char *from, const char *to)
{
	return send_either(cp, dir, name, from, to, false);
}

/* Into a directory that is there, under its own name; else as what was named. */
static int destination(struct copy *cp, const char *from, const char *to, char **path)
{
	struct copy_stat st;
	bool found, dir;
	char *name;
	int status = copy_stat(cp, to, true, &st, &found);

	if (status)
		return status;
	dir = found && S_ISDIR(st.mode);
	if (found)
		copy_stat_free(&st);
	name = copy_name(from);
	*path = dir && name && *name ? copy_join(to, name) : strdup(to);
	free(name);
	return *path ? TBX_OK : bx_memory(cp->b.store);
}

static int copy_in(struct copy *cp, const char *from, const char *to)
{
	struct stat st;
	char *path = NULL;
	int status;

	if (lstat(from, &st))
		status = file_error(cp, from);
	else
		status = destination(cp, from, to, &path);
	if (!status && S_ISLNK(st.st_mode))
		status = send_link(cp, AT_FDCWD, from, from, path, false);
	else if (!status)
		status = send_either(cp, AT_FDCWD, from, from, path, true);
	free(path);
	return status;
}

int tbx_copy_in(struct tbx_store *store, const char *box, const char *from, const char *to,
		struct tbx_doc **doc)
{
	struct copy cp = {.skipped = json_array()};
	int status;

	*doc = NULL;
	if (!*to || !*from) {
		json_decref(cp.skipped);
		return bx_fail(store, TBX_ERR_ARGUMENT, "a path is empty");
	}
	status = bx_open(store, box, BX_LOCK_NONE, &cp.b);
	if (status) {
		json_decref(cp.skipped);
		return status;
	}
	return copy_done(&cp, copy_in(&cp, from, to), doc);
}

int bx_copy_in(struct bx *b, const char *from, const char *to)
{
	struct copy cp = {.skipped = json_array(), .b = {.store = b->store, .lock = -1}};
	struct tbx_doc *doc;
	int status;

	memcpy(cp.b.id, b->id, sizeof(b->id));
	cp.b.dir = dup(b->dir);
	cp.b.record = json_deep_copy(b->record);
	json_object_set_new(cp.b.record, "state", json_string("ready"));
	status = copy_done(&cp, copy_in(&cp, from, to), &doc);
	if (!status && tbx_doc_count(doc, "skipped"))
		status = bx_fail(b->store, TBX_ERR_FILE, "%s: %s", tbx_doc_text(doc, "skipped[0].path"),
				 tbx_doc_text(doc, "skipped[0].why"));
	tbx_doc_free(doc);
	return status;
}
