/*
 * TREE: what is there is told by digests, what is to be is staged and becomes the tree at once
 * (tree.h). A worker does it for a box, `host` for its machine; both read and write as a plain program
 * does.
 */
#include "init/sync.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "init/path.h"
#include "init/sync_in.h"
#include "init/work.h"

#define ALIVE 5000000000u	/* by a clock that nobody sets */

/* ---- Words ---- */

static bool sync_send(struct sync *y)
{
	bool good = !y->out.failed && write_all(y->t->to, y->out.data, y->out.size);

	wire_consume(&y->out, y->out.size);
	y->sent = now_mono();
	return good;
}

bool sync_fail(struct sync *y, enum wire_error code, int error, const char *what, const char *path,
	       const char *why)
{
	error_frame(&y->out, code, error, what, path, why);
	sync_send(y);
	y->error = error ? error : EIO;
	return false;
}

static bool say_ok(struct sync *y)
{
	wire_begin(&y->out, WIRE_OK);
	wire_end(&y->out);
	return sync_send(y);
}

/* A tree may take long to read. */
static void tick(void *ctx)
{
	struct sync *y = ctx;

	if (now_mono() - y->sent < ALIVE)
		return;
	wire_begin(&y->out, WIRE_ALIVE);
	wire_end(&y->out);
	sync_send(y);
}

static bool sync_next(struct sync *y, struct wire_frame *f)
{
	struct wire_in *in = y->t->in;

	while (!wire_next(in, f)) {
		uint8_t *to = in->error ? NULL : wire_room(in, WIRE_DATA_MAX);
		ssize_t n = to ? read(y->t->from, to, WIRE_DATA_MAX) : 0;

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return false;
		wire_got(in, (size_t)n);
	}
	return true;
}

/* ---- What is there ---- */

static bool emit(void *ctx, const struct ft_node *dir, const char *path)
{
	struct sync *y = ctx;
	const struct ft_node *known = y->base ? NULL : ft_at(&y->known, path);
	struct ft_path full = {NULL, 0, 0};
	bool good = true;

	if (known && !dir->opaque && !memcmp(known->hash, dir->hash, FT_HASH))
		return true;
	if (y->base && *y->base)
		good = ft_push(&full, y->base);
	if (good && *path)
		good = ft_push(&full, path);
	if (good)
		ft_list(&y->out, dir, ft_path(&full));
	free(full.s);
	return good && (y->out.size < (256u << 10) || sync_send(y)) && !y->out.failed;
}

/* base: the path of the directory, of which everything is read; NULL: the tree, what is `known` of it */
static bool read_dir(struct sync *y, int fd, const char *base, struct ft_node *here)
{
	struct ft_scan s = {.tick = tick, .ctx = y, .known = base ? NULL : &y->known};
	bool good;

	if (base && *base && !ft_push(&s.path, base))
		return sync_fail(y, WIRE_ERROR_SYSTEM, ENOMEM, "no memory", NULL, NULL);
	good = ft_read(fd, here, &s);
	if (!good)
		sync_fail(y, WIRE_ERROR_FILE, s.error, "cannot read", ft_path(&s.path),
			  s.error == ELOOP ? "directories are nested too deep" : NULL);
	ft_scan_end(&s);
	return good;
}

/* base: of which everything is told; NULL: the tree, against `known` */
static bool list_dir(struct sync *y, int fd, const char *base, uint8_t hash[FT_HASH])
{
	struct ft_node here = {.kind = FT_DIR};
	bool good = true;

	if (base || !ft_take_ahead(&y->ahead, &here))
		good = read_dir(y, fd, base, &here);
	y->base = base;
	good = good && ft_each_dir(&here, emit, y);
	memcpy(hash, here.hash, FT_HASH);
	ft_free(&here);
	return good;
}

/* The client reads its own meanwhile; then it names its directories again. */
static bool read_ahead(struct sync *y)
{
	bool good;

	ft_free(&y->ahead.node);
	ft_sort_all(&y->known);
	good = y->dir < 0 || read_dir(y, y->dir, NULL, &y->ahead.node);
	ft_free(&y->known);
	y->ahead.there = y->dir >= 0;
	return good;
}

static bool list_paths(struct sync *y, const struct wire_frame *f)
{
	struct wire_iter it = wire_fields(f);
	struct wire_field_in field;
	uint8_t hash[FT_HASH];
	bool bad = false;

	while (wire_step(&it, &field)) {
		char *path = field.name == WIRE_F_PATH ? wire_copy(&field, &bad) : NULL;
		int fd = path && ft_is_path(path) && y->dir >= 0 ?
			 ft_open(y->dir, path, O_RDONLY | O_DIRECTORY) : -1;
		bool good = !path || fd < 0 || list_dir(y, fd, path, hash);

		if (fd >= 0)
			close(fd);
		free(path);
		if (bad)
			return sync_fail(y, WIRE_ERROR_REQUEST, 0, "TREE_LIST is damaged", NULL, NULL);
		if (!good)
			return false;
	}
	return say_ok(y);
}

static bool do_list(struct sync *y, const struct wire_frame *f)
{
	uint8_t hash[FT_HASH] = {0};
	struct wire_field_in field;

	if (wire_find(wire_fields(f), WIRE_F_PATH, &field))
		return list_paths(y, f);
	if (wire_find(wire_fields(f), WIRE_F_MORE, &field))
		return read_ahead(y);
	ft_sort_all(&y->known);
	if (y->dir >= 0 && !list_dir(y, y->dir, NULL, hash))
		return false;
	wire_begin(&y->out, WIRE_OK);
	wire_bytes(&y->out, WIRE_F_HASH, hash, sizeof(hash));
	if (y->dir < 0 || y->made)
		wire_u8(&y->out, WIRE_F_GONE, 1);
	wire_end(&y->out);
	return sync_send(y);
}

/* ---- What is fetched ---- */

static bool send_content(struct sync *y, int fd, const char *path)
{
	uint8_t hash[FT_HASH];
	struct sum sum;
	ssize_t n;

	sum_begin(&sum);
	while ((n = read(fd, y->buf, WIRE_DATA_MAX))) {
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return sync_fail(y, WIRE_ERROR_FILE, errno, "cannot read on in", path, NULL);
		sum_add(&sum, y->buf, (size_t)n);
		wire_data(&y->out, WIRE_DATA_OUT, y->buf, (size_t)n);
		if (y->out.size > (128u << 10) && !sync_send(y))
			return false;
	}
	sum_end(&sum, hash);
	wire_begin(&y->out, WIRE_TREE_END);
	wire_bytes(&y->out, WIRE_F_HASH, hash, sizeof(hash));
	wire_end(&y->out);
	return true;
}

static bool send_one(struct sync *y, const char *path)
{
	const char *name;
	int dir = ft_parent(y->dir, path, &name), fd = -1;
	char *link = NULL;
	struct stat st;
	bool good = dir >= 0 && !fstatat(dir, name, &st, AT_SYMLINK_NOFOLLOW);

	if (good && S_ISLNK(st.st_mode))
		good = (link = ft_readlink(dir, name));
	else if (good)
		good = S_ISREG(st.st_mode) &&
			(fd = openat(dir, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY |
				     O_CLOEXEC)) >= 0 && !fstat(fd, &st) && S_ISREG(st.st_mode);
	if (good) {
		wire_begin(&y->out, WIRE_TREE_PUT);
		wire_text(&y->out, WIRE_F_PATH, path);
		wire_u32(&y->out, WIRE_F_MODE, st.st_mode);
		wire_u64(&y->out, WIRE_F_MTIME, (uint64_t)st.st_mtim.tv_sec * 1000000000u +
			 (uint64_t)st.st_mtim.tv_nsec);
		wire_text(&y->out, WIRE_F_LINK, link);
		wire_end(&y->out);
		good = link || send_content(y, fd, path);
	} else {
		sync_fail(y, WIRE_ERROR_FILE, errno, "cannot read", path,
			  "it is not what it was");
	}
	free(link);
	if (fd >= 0)
		close(fd);
	if (dir >= 0)
		close(dir);
	return good;
}

static bool do_get(struct sync *y, const struct wire_frame *f)
{
	uint8_t *copy = malloc(f->size ? f->size : 1);
	struct wire_frame own = *f;
	struct wire_iter it;
	struct wire_field_in field;
	bool bad = !copy, good = true;

	if (copy)
		memcpy(copy, f->body, f->size);
	own.body = copy;
	it = wire_fields(&own);
	while (copy && good && !bad && wire_step(&it, &field)) {
		char *path = field.name == WIRE_F_PATH ? wire_copy(&field, &bad) : NULL;

		if (path && (!*path || !ft_is_path(path) || y->dir < 0))
			bad = true;
		else if (path)
			good = send_one(y, path);
		free(path);
	}
	free(copy);
	if (bad)
		return sync_fail(y, WIRE_ERROR_REQUEST, 0, "TREE_GET is damaged", NULL, NULL);
	return good && say_ok(y);
}

/* ---- The conversation ---- */

static bool do_known(struct sync *y, const struct wire_frame *f)
{
	struct wire_field_in field;

	if (wire_find(wire_fields(f), WIRE_F_ENTRIES, &field) &&
	    ft_take_known(field.data, field.size, &y->known))
		return true;
	return sync_fail(y, WIRE_ERROR_REQUEST, 0, "TREE_KNOWN is damaged", NULL, NULL);
}

static bool do_commit(struct sync *y)
{
	int status;

	if (!sync_make(y))
		return false;
	status = y->staging ? ft_stage_commit(&y->stage) : 0;
	if (status)
		return sync_fail(y, WIRE_ERROR_FILE, -status, "the next sync goes on with what could not be "
				 "changed in", y->path, NULL);
	y->done = true;
	/* whoever hears the OK may begin the next one at once */
	if (y->staging)
		ft_stage_end(&y->stage);
	y->staging = false;
	say_ok(y);
	return false;
}

static bool frame(struct sync *y, const struct wire_frame *f)
{
	if (f->type != WIRE_DATA_IN && !wire_whole(wire_fields(f)))
		return sync_fail(y, WIRE_ERROR_PROTOCOL, 0, "a frame is damaged", NULL, NULL);
	switch (f->type) {
	case WIRE_ALIVE: return true;
	case WIRE_TREE_KNOWN: return do_known(y, f);
	case WIRE_TREE_LIST: return do_list(y, f);
	case WIRE_TREE_GET: return do_get(y, f);
	case WIRE_CLOSE_IN: return do_commit(y);
	default: return sync_change(y, f);
	}
}

static bool lock(struct sync *y)
{
	int status;

	y->stage.remove = remove_tree;
	y->stage.tick = tick;
	y->stage.ctx = y;
	status = ft_stage_lock(&y->stage, y->dir);
	y->staging = !status;
	if (status == -EWOULDBLOCK)
		return sync_fail(y, WIRE_ERROR_BUSY, 0, "another sync is at work in", y->path, NULL);
	if (status)
		return sync_fail(y, WIRE_ERROR_FILE, -status, "cannot finish an earlier sync of", y->path,
				 NULL);
	return true;
}

/* The last one is ours alone: what the client was told is that it is not there. */
static bool make_root(struct sync *y)
{
	char *name, *slash;
	int dir = path_parent(y->t->root, y->path, &name), error = 0;

	if (dir < 0 && errno == ENOENT) {
		slash = strrchr(y->path, '/');
		*slash = '\0';
		error = make_all_dirs(y->t->root, y->path, 0755) ? 0 : errno;
		*slash = '/';
		dir = error ? -1 : path_parent(y->t->root, y->path, &name);
	}
	/* its name is . or .. */
	if (dir < 0 && !error && errno == EINVAL)
		return make_all_dirs(y->t->root, y->path, 0755);
	if (!error)
		error = dir < 0 || mkdirat(dir, name, 0755) ? errno : 0;
	if (dir >= 0)
		close(dir);
	y->made = !error;
	errno = error;
	return !error;
}

bool sync_make(struct sync *y)
{
	if (!y->missing)
		return true;
	if (!make_root(y)) {
		int error = errno;

		y->dir = error == EEXIST ? path_open(y->t->root, y->path, O_PATH | O_DIRECTORY, 0) : -1;
		return y->dir >= 0 ? sync_fail(y, WIRE_ERROR_BUSY, 0, "somebody has just made", y->path,
					       "try again") :
		       sync_fail(y, WIRE_ERROR_FILE, error, "cannot make", y->path, NULL);
	}
	y->missing = false;
	y->dir = path_open(y->t->root, y->path, O_RDONLY | O_DIRECTORY, 0);
	if (y->dir < 0)
		return sync_fail(y, WIRE_ERROR_FILE, errno, "cannot open", y->path, NULL);
	return lock(y);
}

/* Nothing is left of one that came to nothing, but for the directories above. */
static void unmake(struct sync *y)
{
	char *name;
	int dir = y->made && !y->done && y->state == WIRE_TREE_SYNC ?
		  path_parent(y->t->root, y->path, &name) : -1;

	if (dir < 0)
		return;
	unlinkat(dir, name, AT_REMOVEDIR);
	close(dir);
}

static bool say_missing(struct sync *y, bool asked)
{
	y->missing = y->state == WIRE_TREE_SYNC;
	if (!asked)
		return true;
	wire_begin(&y->out, WIRE_TREE_LIST);
	wire_u8(&y->out, WIRE_F_GONE, 1);
	wire_end(&y->out);
	return sync_send(y);
}

/* asked: whether the client wants to know at once that there is none */
static bool open_tree(struct sync *y, bool asked)
{
	struct stat st;

	y->dir = path_open(y->t->root, y->path, O_RDONLY | O_DIRECTORY, 0);
	if (y->dir < 0 && errno == ENOENT && y->state == WIRE_TREE_PLAIN) {
		if (!make_all_dirs(y->t->root, y->path, 0755))
			return sync_fail(y, WIRE_ERROR_FILE, errno, "cannot make", y->path, NULL);
		y->made = true;
		y->dir = path_open(y->t->root, y->path, O_RDONLY | O_DIRECTORY, 0);
	}
	if (y->dir < 0)
		return errno == ENOENT ? say_missing(y, asked) :
		       sync_fail(y, WIRE_ERROR_FILE, errno, "cannot open", y->path, NULL);
	/* one that only looks finishes what was begun, if there is such a thing */
	if (y->state == WIRE_TREE_PLAIN || (y->state == WIRE_TREE_LOOK &&
	    (!y->keyed || fstatat(y->dir, FT_STAGE, &st, AT_SYMLINK_NOFOLLOW))))
		return true;
	return lock(y);
}

static bool begin(struct sync *y, const struct wire_frame *f)
{
	struct wire_iter it = wire_fields(f);
	struct wire_field_in key;
	bool bad = false, asked = wire_number(it, WIRE_F_GONE, 0, &bad) != 0;
	char *name = wire_string(it, WIRE_F_PATH, &bad);

	y->state = (enum wire_tree)wire_number(it, WIRE_F_STATE, WIRE_TREE_LOOK, &bad);
	y->keyed = wire_find(it, WIRE_F_HASH, &key) && key.size == FT_HASH;
	if (y->keyed)
		memcpy(y->stage.key, key.data, FT_HASH);
	y->path = name && *name ? path_absolute(y->t->cwd, name) : NULL;
	free(name);
	if (bad || !y->path || y->state > WIRE_TREE_PLAIN)
		return sync_fail(y, WIRE_ERROR_REQUEST, 0, "the request has no path", NULL, NULL);
	y->buf = malloc(WIRE_DATA_MAX);
	if (!y->buf)
		return sync_fail(y, WIRE_ERROR_SYSTEM, ENOMEM, "no memory", NULL, NULL);
	return open_tree(y, asked);
}

bool sync_talk(struct sync_talk *t, const struct wire_frame *first)
{
	struct sync y = {.t = t, .dir = -1, .fd = -1, .sent = now_mono(), .stage = {.dir = -1},
		.known = {.kind = FT_DIR}, .ahead = {.node = {.kind = FT_DIR}}};
	struct wire_frame f;
	bool good;

	umask(0);
	good = begin(&y, first);
	while (good && sync_next(&y, &f))
		good = frame(&y, &f);
	sync_file_end(&y);
	if (y.staging)
		ft_stage_end(&y.stage);
	unmake(&y);
	if (t->audit && y.path && y.state != WIRE_TREE_LOOK)
		t->audit(t->ctx, "sync", y.path, y.done ? 0 : y.error ? y.error : ECANCELED);
	if (y.dir >= 0)
		close(y.dir);
	ft_free(&y.known);
	ft_free(&y.ahead.node);
	free(y.path);
	free(y.buf);
	wire_free(&y.out);
	return false;
}
