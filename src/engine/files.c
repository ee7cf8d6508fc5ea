/*
 * Files of the box for its clients, through the sandbox's own walk: a name can only ever be a
 * name in there. What is written is written beside, whole, and renamed.
 */
#include "engine/engine.h"

#include <errno.h>
#define OPENSSL_SUPPRESS_DEPRECATED	/* as cmd/digest.c: a plain struct, nothing allocated */
#include <openssl/sha.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define PART 65536u
#define LIST_FRAME ((size_t)1 << 20)

/* One of the library's calls with a path has failed. */
static void failed(struct conn *c)
{
	struct tsb_sandbox *box = virtual_sandbox(c->server->box);

	conn_error(c, WIRE_ERROR_FILE, tsb_errno(box), "%s", tsb_error(box));
}

static void put_stat(struct wire_out *o, const char *name, const struct tsb_stat *st,
		     const char *link)
{
	size_t mark = wire_nest(o, WIRE_F_STAT);

	wire_text(o, WIRE_F_NAME, name);
	wire_u32(o, WIRE_F_MODE, st->mode);
	wire_u64(o, WIRE_F_SIZE, st->size);
	wire_u64(o, WIRE_F_MTIME, (uint64_t)st->mtime.sec * NS + (uint64_t)st->mtime.nsec);
	wire_u32(o, WIRE_F_UID, st->uid);
	wire_u32(o, WIRE_F_GID, st->gid);
	wire_text(o, WIRE_F_LINK, link);
	wire_unnest(o, mark);
}

static void put_stat_of(struct conn *c, const char *path, const char *name,
			const struct tsb_stat *st)
{
	char link[TSB_PATH_MAX + 1];
	size_t n;

	if (S_ISLNK(st->mode) && !tsb_read_link(virtual_sandbox(c->server->box), path, link,
						sizeof(link) - 1, &n))
		link[n] = '\0';
	else
		*link = '\0';
	put_stat(&c->out, name, st, S_ISLNK(st->mode) ? link : NULL);
}

static const char *base(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash && slash[1] ? slash + 1 : path;
}

/* ---- READ ---- */

static bool hash_begin(struct conn *c)
{
	c->hash = malloc(sizeof(SHA256_CTX));
	return c->hash && SHA256_Init((SHA256_CTX *)c->hash);
}

static void hash_end(struct conn *c, struct wire_out *o)
{
	unsigned char sum[32];

	SHA256_Final(sum, (SHA256_CTX *)c->hash);
	wire_bytes(o, WIRE_F_HASH, sum, sizeof(sum));
}

void files_more(struct conn *c)
{
	uint8_t buf[16384];

	while (c->out.size < FLOW_HIGH) {
		size_t want = c->end - c->at < sizeof(buf) ? (size_t)(c->end - c->at) : sizeof(buf);
		ssize_t n = want ? tsb_stream_read(c->stream, buf, want, c->at) : 0;

		if (n < 0) {
			conn_error(c, WIRE_ERROR_FILE, (int)-n, "read: %s", tsb_strerror((int)-n));
			return;
		}
		if (!n) {
			wire_begin(&c->out, WIRE_OK);
			hash_end(c, &c->out);
			wire_end(&c->out);
			files_end(c);
			conn_last(c);
			return;
		}
		SHA256_Update((SHA256_CTX *)c->hash, buf, (size_t)n);
		wire_data(&c->out, WIRE_DATA_OUT, buf, (size_t)n);
		c->at += (uint64_t)n;
	}
	conn_flush(c);
}

static void on_read(struct conn *c, struct wire_iter it)
{
	struct tsb_sandbox *box = virtual_sandbox(c->server->box);
	bool bad = false;
	uint64_t size = wire_number(it, WIRE_F_SIZE, 0, &bad);
	struct tsb_stat st;

	c->at = wire_number(it, WIRE_F_OFFSET, 0, &bad);
	c->end = size && size < UINT64_MAX - c->at ? c->at + size : UINT64_MAX;
	if (tsb_stream_open(box, c->path, false, 0, &c->stream)) {
		failed(c);
		return;
	}
	if (tsb_stream_stat(c->stream, &st) || !hash_begin(c)) {
		conn_error(c, WIRE_ERROR_SYSTEM, ENOMEM, "read: no memory");
		return;
	}
	wire_begin(&c->out, WIRE_OK);
	put_stat(&c->out, base(c->path), &st, NULL);
	wire_end(&c->out);
	c->state = CONN_READ;
	files_more(c);
}

/* ---- WRITE ---- */

static char *beside(struct conn *c)
{
	int dir = (int)(base(c->path) - c->path);
	char *name;

	if (asprintf(&name, "%.*s.tinybox-%llx-%llx", dir, c->path,
		     (unsigned long long)c->server->started_at, (unsigned long long)now_ns()) < 0)
		return NULL;
	return name;
}

static void on_write(struct conn *c, struct wire_iter it)
{
	struct tsb_sandbox *box = virtual_sandbox(c->server->box);
	bool bad = false, exclusive = wire_number(it, WIRE_F_EXCLUSIVE, 0, &bad);
	uint32_t mode = (uint32_t)wire_number(it, WIRE_F_MODE, 0644, &bad);
	uint64_t mtime = wire_number(it, WIRE_F_MTIME, 0, &bad);
	struct tsb_stat st;
	bool there = !tsb_stat_file(box, c->path, &st);

	c->has_mtime = mtime != 0;
	c->mtime = (struct tsb_time){ (int64_t)(mtime / NS), (int32_t)(mtime % NS) };
	c->beside = beside(c);
	if (there && (exclusive || S_ISDIR(st.mode))) {
		conn_error(c, WIRE_ERROR_FILE, exclusive ? EEXIST : EISDIR, "%s: %s", c->path,
			   tsb_strerror(exclusive ? EEXIST : EISDIR));
	} else if (!c->beside || !hash_begin(c)) {
		conn_error(c, WIRE_ERROR_SYSTEM, ENOMEM, "write: no memory");
	} else if (tsb_stream_open(box, c->beside, true, mode & 07777, &c->stream)) {
		failed(c);
	} else {
		c->at = 0;
		c->state = CONN_WRITE;
	}
}

static void finish_write(struct conn *c)
{
	struct tsb_sandbox *box = virtual_sandbox(c->server->box);
	int rc = tsb_stream_close(c->stream);

	c->stream = NULL;
	if (!rc && c->has_mtime)
		rc = tsb_set_times(box, c->beside, c->mtime);
	if (rc || tsb_rename_file(box, c->beside, c->path)) {
		failed(c);
		return;
	}
	free(c->beside);
	c->beside = NULL;
	server_commit(c->server);
	wire_begin(&c->out, WIRE_OK);
	hash_end(c, &c->out);
	wire_end(&c->out);
	files_end(c);
	conn_last(c);
}

void files_written(struct conn *c, const struct wire_frame *f)
{
	int rc;

	if (f->type == WIRE_CLOSE_IN) {
		finish_write(c);
	} else if (f->type == WIRE_DATA_IN) {
		rc = tsb_stream_write(c->stream, f->body, f->size, c->at);
		if (rc) {
			files_end(c);
			conn_error(c, WIRE_ERROR_FILE, -rc, "write: %s", tsb_strerror(-rc));
			return;
		}
		SHA256_Update((SHA256_CTX *)c->hash, f->body, f->size);
		c->at += f->size;
	} else if (f->type != WIRE_ALIVE) {
		files_end(c);
		conn_error(c, WIRE_ERROR_PROTOCOL, 0, "frame %d has no place in a write", (int)f->type);
	}
}

void files_end(struct conn *c)
{
	tsb_stream_close(c->stream);
	c->stream = NULL;
	if (c->beside)
		tsb_remove(virtual_sandbox(c->server->box), c->beside);
	free(c->beside);
	c->beside = NULL;
	free(c->hash);
	c->hash = NULL;
}

/* ---- One answer ---- */

static void on_stat(struct conn *c, struct wire_iter it)
{
	struct tsb_sandbox *box = virtual_sandbox(c->server->box);
	bool bad = false, follow = wire_number(it, WIRE_F_FOLLOW, 0, &bad);
	struct tsb_stat st;

	if (follow ? tsb_stat_target(box, c->path, &st) : tsb_stat_file(box, c->path, &st)) {
		failed(c);
		return;
	}
	wire_begin(&c->out, WIRE_OK);
	put_stat_of(c, c->path, base(c->path), &st);
	wire_end(&c->out);
	conn_last(c);
}

struct listing {
	struct conn *c;
	size_t begin;
};

/* The frame that is open becomes one of several. */
static int list_one(void *ctx, const char *name, const struct tsb_stat *st)
{
	struct listing *l = ctx;
	struct conn *c = l->c;
	size_t n = strlen(c->path);
	char *path;

	if (c->out.failed ||
	    asprintf(&path, "%s%s%s", c->path, n && c->path[n - 1] == '/' ? "" : "/", name) < 0)
		return 1;
	put_stat_of(c, path, name, st);
	free(path);
	if (c->out.size - l->begin > LIST_FRAME) {
		wire_u8(&c->out, WIRE_F_MORE, 1);
		wire_end(&c->out);
		wire_begin(&c->out, WIRE_OK);
		l->begin = c->out.size;
	}
	return 0;
}

static void on_list(struct conn *c)
{
	struct listing l = { c, 0 };
	struct wire_out kept = c->out;

	c->out = (struct wire_out){ 0 };
	wire_begin(&c->out, WIRE_OK);
	if (tsb_list(virtual_sandbox(c->server->box), c->path, list_one, &l)) {
		wire_free(&c->out);
		c->out = kept;
		failed(c);
		return;
	}
	wire_end(&c->out);
	wire_raw(&kept, c->out.data, c->out.size);
	kept.failed |= c->out.failed;
	wire_free(&c->out);
	c->out = kept;
	conn_last(c);
}

static bool parent_there(struct conn *c)
{
	struct tsb_sandbox *box = virtual_sandbox(c->server->box);
	size_t n = strlen(c->path);
	struct tsb_stat st;
	char *dir = strdup(c->path);
	int rc;

	if (!dir)
		return false;
	while (n > 1 && dir[n - 1] == '/')
		dir[--n] = '\0';
	while (n > 1 && dir[n - 1] != '/')
		dir[--n] = '\0';
	rc = tsb_stat_target(box, dir, &st);
	free(dir);
	return !rc;
}

static void on_mkdir(struct conn *c, struct wire_iter it)
{
	struct tsb_sandbox *box = virtual_sandbox(c->server->box);
	bool bad = false, parents = wire_number(it, WIRE_F_PARENTS, 0, &bad);
	uint32_t mode = (uint32_t)wire_number(it, WIRE_F_MODE, 0755, &bad);
	struct tsb_stat st;

	if (!parents && !tsb_stat_file(box, c->path, &st)) {
		conn_error(c, WIRE_ERROR_FILE, EEXIST, "%s: File exists", c->path);
		return;
	}
	if ((!parents && !parent_there(c)) || tsb_make_dir(box, c->path, mode)) {
		failed(c);
		return;
	}
	server_commit(c->server);
	conn_ok(c);
}

static void on_symlink(struct conn *c, struct wire_iter it)
{
	bool bad = false;
	char *target = wire_string(it, WIRE_F_LINK, &bad);

	if (!target || !*target)
		conn_error(c, WIRE_ERROR_REQUEST, 0, "LINK is missing");
	else if (!parent_there(c) ||
		 tsb_make_link(virtual_sandbox(c->server->box), target, c->path)) {
		failed(c);
	} else {
		server_commit(c->server);
		conn_ok(c);
	}
	free(target);
}

static void on_remove(struct conn *c, struct wire_iter it)
{
	struct tsb_sandbox *box = virtual_sandbox(c->server->box);
	bool bad = false, below = wire_number(it, WIRE_F_PARENTS, 0, &bad);
	struct tsb_stat st;

	if (tsb_stat_file(box, c->path, &st) ||
	    (below || !S_ISDIR(st.mode) ? tsb_remove(box, c->path) : tsb_remove_dir(box, c->path))) {
		failed(c);
		return;
	}
	server_commit(c->server);
	conn_ok(c);
}

/* Relative paths begin at the box's working directory. */
static bool take_path(struct conn *c, struct wire_iter it)
{
	bool bad = false;
	char *path = wire_string(it, WIRE_F_PATH, &bad);

	if (path && *path && strlen(path) <= TSB_PATH_MAX)
		c->path = virtual_path(c->server->box, path);
	free(path);
	return c->path;
}

static void note(struct conn *c, enum wire_type type)
{
	static const struct { enum wire_type type; const char *event; } events[] = {
		{ WIRE_READ, "read" }, { WIRE_WRITE, "write" }, { WIRE_LIST, "list" },
		{ WIRE_MKDIR, "mkdir" }, { WIRE_SYMLINK, "symlink" }, { WIRE_REMOVE, "remove" },
	};

	for (size_t i = 0; i < sizeof(events) / sizeof(*events); i++)
		if (events[i].type == type)
			audit_path(c->server, events[i].event, c->path);
}

void files_request(struct conn *c, const struct wire_frame *f)
{
	struct wire_iter it = wire_fields(f);

	if (f->type < WIRE_READ || f->type > WIRE_REMOVE) {
		conn_error(c, WIRE_ERROR_PROTOCOL, 0, "no request has the number %d", (int)f->type);
		return;
	}
	if (!take_path(c, it)) {
		conn_error(c, WIRE_ERROR_REQUEST, 0, "PATH is missing or too long");
		return;
	}
	note(c, f->type);
	switch (f->type) {
	case WIRE_READ: on_read(c, it); break;
	case WIRE_WRITE: on_write(c, it); break;
	case WIRE_LIST: on_list(c); break;
	case WIRE_STAT: on_stat(c, it); break;
	case WIRE_MKDIR: on_mkdir(c, it); break;
	case WIRE_SYMLINK: on_symlink(c, it); break;
	default: on_remove(c, it); break;
	}
}
