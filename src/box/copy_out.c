/*
 * Files out of a box. Their names, kinds and contents are what the box says, so on this side each
 * name is one component that is opened below a descriptor and follows nothing; a file is written
 * beside its place and renamed when its digest is right.
 */
#include "box/copy.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define ASK ((size_t)256 << 10)		/* of names in one TREE_GET */
#define MANY 4				/* files of a directory that are worth one */

static int file_error(struct copy *cp, const char *path)
{
	return bx_fail(cp->b.store, TBX_ERR_FILE, "%s: %s", path, strerror(errno));
}

static int broken(struct copy *cp, const char *path)
{
	return bx_fail(cp->b.store, TBX_ERR_FILE, "%s: what arrived is not what the box sent; try again",
		       path);
}

struct taking {
	struct copy *cp;
	int fd;
	const char *from;
};

static int put_content(void *ctx, const void *data, size_t n)
{
	struct taking *t = ctx;

	t->cp->bytes += n;
	return bx_write_bytes(t->fd, data, n) ? TBX_OK : file_error(t->cp, t->from);
}

/* The frames of a READ behind its first OK, into the file. */
static int take_content(struct copy *cp, struct bx_conn *c, int fd, const char *from)
{
	struct taking t = { cp, fd, from };
	struct wire_frame f;
	uint8_t hash[32];
	int status = bx_take_data(c, 0, put_content, &t, &f, hash);

	if (status)
		return status;
	return f.type == (c == &cp->tree ? WIRE_TREE_END : WIRE_OK) && bx_is_hash(&f, hash) ? TBX_OK :
	       broken(cp, from);
}

static void set_times(int fd, uint64_t mtime)
{
	struct timespec times[2];

	times[0].tv_sec = times[1].tv_sec = (time_t)(mtime / BX_SECOND);
	times[0].tv_nsec = times[1].tv_nsec = (long)(mtime % BX_SECOND);
	futimens(fd, times);
}

/* Its content is what `c` says next. setuid and its like mean nothing good on this side. */
static int take_as(struct copy *cp, const struct copy_stat *st, int dir, const char *name,
		   struct bx_conn *c, const char *from)
{
	char temp[64];
	int fd, status;

	snprintf(temp, sizeof(temp), ".tinybox-%llx-%d", (unsigned long long)bx_ticks(), (int)getpid());
	fd = copy_open(dir, temp, O_WRONLY | O_CREAT | O_EXCL, 0600);
	if (fd < 0)
		return file_error(cp, name);
	status = take_content(cp, c, fd, from);
	if (!status) {
		set_times(fd, st->mtime);
		if (fchmod(fd, st->mode & 0777) || renameat(dir, temp, dir, name))
			status = file_error(cp, name);
	}
	close(fd);
	if (status)
		unlinkat(dir, temp, 0);
	cp->files += !status;
	return status;
}

static int take_file(struct copy *cp, const struct copy_stat *st, int dir, const char *name,
		     const char *from)
{
	struct wire_frame f;
	struct bx_conn c;
	int status = copy_ask(cp, WIRE_READ, from, NULL, NULL, &c, &f);

	if (status)
		return status;
	status = take_as(cp, st, dir, name, &c, from);
	bx_conn_close(&c);
	return status;
}

static int take_link(struct copy *cp, const struct copy_stat *st, int dir, const char *name)
{
	struct stat old;

	if (!st->link || !*st->link)
		return bx_fail(cp->b.store, TBX_ERR_PROTOCOL, "%s: a link without a target", name);
	if (!fstatat(dir, name, &old, AT_SYMLINK_NOFOLLOW) && !S_ISDIR(old.st_mode))
		unlinkat(dir, name, 0);
	if (symlinkat(st->link, dir, name))
		return file_error(cp, name);
	cp->links++;
	return TBX_OK;
}

/* ---- Directories ---- */

static bool is_component(const char *s)
{
	return s && *s && strcmp(s, ".") && strcmp(s, "..") && !strchr(s, '/');
}

struct names {
	struct copy_stat *at;
	size_t n;
};

static void names_free(struct names *names)
{
	for (size_t i = 0; i < names->n; i++)
		copy_stat_free(&names->at[i]);
	free(names->at);
}

static int add_names(struct copy *cp, struct wire_iter it, struct names *names)
{
	struct wire_field_in field;

	while (wire_step(&it, &field)) {
		struct copy_stat *more;

		if (field.name != WIRE_F_STAT)
			continue;
		more = realloc(names->at, (names->n + 1) * sizeof(*more));
		if (!more)
			return bx_memory(cp->b.store);
		names->at = more;
		if (!copy_stat_read(wire_nested(&field), &more[names->n]) ||
		    !is_component(more[names->n++].name))
			return bx_fail(cp->b.store, TBX_ERR_PROTOCOL, "%s: the box lists a name that is "
				       "none", cp->b.id);
	}
	return TBX_OK;
}

static int list(struct copy *cp, const char *from, struct names *names)
{
	struct wire_frame f;
	struct bx_conn c;
	bool bad = false, more = true;
	int status = copy_ask(cp, WIRE_LIST, from, NULL, NULL, &c, &f);

	if (status)
		return status;
	while (!status && more) {
		more = wire_number(wire_fields(&f), WIRE_F_MORE, 0, &bad) != 0;
		status = add_names(cp, wire_fields(&f), names);
		if (!status && more)
			status = bx_answer(&c, &f, bx_step(cp->b.store));
	}
	bx_conn_close(&c);
	return status;
}

static int take_any(struct copy *cp, const struct copy_stat *st, int dir, const char *name,
		    const char *from);
static int take_dir_below(struct copy *cp, const struct copy_stat *st, const char *from);

/* The beginning of the file that was asked for; *st as it is now. */
static int next_head(struct copy *cp, struct copy_stat *st, const char *from)
{
	struct wire_frame f;
	bool bad = false;
	char *path;
	int status;

	do {
		status = bx_receive(&cp->tree, &f, bx_step(cp->b.store));
		if (status)
			return status;
	} while (f.type == WIRE_ALIVE);
	if (f.type == WIRE_ERROR)
		return bx_wire_error(&cp->tree, &f);
	path = f.type == WIRE_TREE_PUT && wire_whole(wire_fields(&f)) ?
	       wire_string(wire_fields(&f), WIRE_F_PATH, &bad) : NULL;
	st->mode = (uint32_t)wire_number(wire_fields(&f), WIRE_F_MODE, 0, &bad);
	st->mtime = wire_number(wire_fields(&f), WIRE_F_MTIME, 0, &bad);
	bad |= !path || strcmp(path, from + cp->base) || !S_ISREG(st->mode);
	free(path);
	return bad ? broken(cp, from) : TBX_OK;
}

/* Names for one TREE_GET, from entry i on; where it ends. */
static size_t ask_files(struct copy *cp, const struct names *names, size_t i, const char *from)
{
	struct wire_out *o = &cp->tree.out;
	char *path;

	wire_begin(o, WIRE_TREE_GET);
	for (; i < names->n && o->size < ASK; i++) {
		if (!S_ISREG(names->at[i].mode))
			continue;
		path = copy_join(from, names->at[i].name);
		if (path)
			wire_text(o, WIRE_F_PATH, path + cp->base);
		else
			o->failed = true;
		free(path);
	}
	wire_end(o);
	return i;
}

static int take_one(struct copy *cp, struct copy_stat *st, int fd, const char *from)
{
	char *path = copy_join(from, st->name);
	int status = path ? next_head(cp, st, path) : bx_memory(cp->b.store);

	if (!status)
		status = take_as(cp, st, fd, st->name, &cp->tree, path);
	free(path);
	return status;
}

/* All files of a directory; the conversation begins with the first that has many. */
static int take_files(struct copy *cp, struct names *names, int fd, const char *from)
{
	struct wire_frame f;
	char *top = strndup(from, cp->base);
	int status = !top ? bx_memory(cp->b.store) : cp->tree.fd >= 0 ? TBX_OK :
		     copy_tree(cp, top, WIRE_TREE_LOOK);

	free(top);
	for (size_t i = 0, end; !status && i < names->n; ) {
		end = ask_files(cp, names, i, from);
		status = bx_send(&cp->tree, bx_step(cp->b.store));
		for (; !status && i < end; i++)
			if (S_ISREG(names->at[i].mode))
				status = take_one(cp, &names->at[i], fd, from);
		if (!status)
			status = bx_answer(&cp->tree, &f, bx_step(cp->b.store));
	}
	return status;
}

static bool are_many(const struct names *names)
{
	size_t n = 0;

	for (size_t i = 0; i < names->n; i++)
		n += S_ISREG(names->at[i].mode);
	return n >= MANY;
}

static int take_entry(struct copy *cp, const struct copy_stat *st, int fd, const char *from)
{
	char *path = copy_join(from, st->name);
	int status = TBX_OK;

	if (!path)
		status = bx_memory(cp->b.store);
	else if (strlen(path) > COPY_PATH)
		copy_skip(cp, path, "its path is too long");
	else if (S_ISDIR(st->mode))
		status = take_dir_below(cp, st, path);
	else
		status = take_any(cp, st, fd, st->name, path);
	free(path);
	return status;
}

/* As deep as paths are: COPY_PATH. Takes the descriptor, which is not held while what is below comes. */
static int take_children(struct copy *cp, int fd, const char *from)
{
	struct names names = {NULL, 0};
	int status = list(cp, from, &names);
	/* below the directory that the conversation is about, there being one */
	bool many = !status && are_many(&names);

	if (many)
		status = take_files(cp, &names, fd, from);
	for (size_t i = 0; !status && i < names.n; i++)
		if (!S_ISDIR(names.at[i].mode) && !(many && S_ISREG(names.at[i].mode)))
			status = take_entry(cp, &names.at[i], fd, from);
	close(fd);
	for (size_t i = 0; !status && i < names.n; i++)
		if (S_ISDIR(names.at[i].mode))
			status = take_entry(cp, &names.at[i], -1, from);
	names_free(&names);
	return status;
}

/* Its own mode and time, when all is in it. */
static int end_dir(struct copy *cp, int fd, const struct copy_stat *st, const char *from)
{
	int status = fd < 0 || fchmod(fd, st->mode & 0777) ? file_error(cp, from) : TBX_OK;

	if (fd >= 0)
		set_times(fd, st->mtime);
	return status;
}

/* Made in the directory `at`; -1 and it was told. */
static int make_dir(struct copy *cp, int at, const char *name, const char *from)
{
	int fd = mkdirat(at, name, 0700) && errno != EEXIST ? -1 : copy_open(at, name, O_RDONLY | O_DIRECTORY, 0);

	if (fd < 0)
		file_error(cp, from);
	else
		cp->dirs++;
	bx_progress(cp->b.store, "%s", from);
	return fd;
}

static int take_dir_below(struct copy *cp, const struct copy_stat *st, const char *from)
{
	const char *path = from + cp->base, *slash = strrchr(path, '/');
	char *above = strndup(path, slash ? (size_t)(slash - path) : 0);
	int at = !above ? -1 : *above ? copy_open(cp->top, above, O_PATH | O_DIRECTORY, 0) :
		 fcntl(cp->top, F_DUPFD_CLOEXEC, 0), fd, status;

	free(above);
	if (at < 0)
		return file_error(cp, from);
	fd = make_dir(cp, at, slash ? slash + 1 : path, from);
	close(at);
	if (fd < 0)
		return TBX_ERR_FILE;
	status = take_children(cp, fd, from);
	if (status)
		return status;
	fd = copy_open(cp->top, path, O_RDONLY | O_DIRECTORY, 0);
	status = end_dir(cp, fd, st, from);
	if (fd >= 0)
		close(fd);
	return status;
}

static int take_top(struct copy *cp, const struct copy_stat *st, int dir, const char *name, const char *from)
{
	int copy, status;

	if (!S_ISDIR(st->mode))
		return take_any(cp, st, dir, name, from);
	cp->top = *name ? make_dir(cp, dir, name, from) : fcntl(dir, F_DUPFD_CLOEXEC, 0);
	if (cp->top < 0)
		return TBX_ERR_FILE;
	copy = fcntl(cp->top, F_DUPFD_CLOEXEC, 0);
	status = copy < 0 ? file_error(cp, from) : take_children(cp, copy, from);
	if (!status && *name)
		status = end_dir(cp, cp->top, st, from);
	close(cp->top);
	return status;
}

static int take_any(struct copy *cp, const struct copy_stat *st, int dir, const char *name,
		    const char *from)
{
	if (S_ISREG(st->mode))
		return take_file(cp, st, dir, name, from);
	if (S_ISLNK(st->mode))
		return take_link(cp, st, dir, name);
	copy_skip(cp, from, "a socket, a pipe or a device");
	return TBX_OK;
}

/* The directory the copy is made in, and its name there. */
static int destination(struct copy *cp, const char *from, const char *to, int *dir, char **name)
{
	char *parent, *slash;

	*dir = open(to, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (*dir >= 0) {
		*name = copy_name(from);
		return *name ? TBX_OK : bx_memory(cp->b.store);
	}
	if (errno != ENOENT && errno != ENOTDIR)
		return file_error(cp, to);
	parent = strdup(to);
	*name = copy_name(to);
	if (!parent || !*name)
		return bx_memory(cp->b.store);
	for (size_t n = strlen(parent); n > 1 && parent[n - 1] == '/'; n--)
		parent[n - 1] = '\0';
	slash = strrchr(parent, '/');
	if (slash)
		slash[slash == parent] = '\0';
	*dir = open(slash ? parent : ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	free(parent);
	if (*dir < 0 || !is_component(*name))
		return file_error(cp, to);
	return TBX_OK;
}

int tbx_copy_out(struct tbx_store *store, const char *box, const char *from, const char *to,
		 struct tbx_doc **doc)
{
	struct copy cp = {.skipped = json_array(), .tree = {.fd = -1, .child_err = -1}};
	struct copy_stat st = {0};
	bool found = false;
	char *name = NULL;
	int dir = -1, status;

	*doc = NULL;
	status = !*to || !*from ? bx_fail(store, TBX_ERR_ARGUMENT, "a path is empty") :
		 bx_open(store, box, BX_LOCK_NONE, &cp.b);
	if (status) {
		json_decref(cp.skipped);
		return status;
	}
	status = copy_stat(&cp, from, false, &st, &found);
	if (!status && !found)
		status = TBX_ERR_FILE;
	if (!status)
		status = destination(&cp, from, to, &dir, &name);
	if (!status && S_ISDIR(st.mode))
		cp.base = strlen(from) + (from[strlen(from) - 1] != '/');
	if (!status)
		status = take_top(&cp, &st, dir, name, from);
	if (cp.tree.fd >= 0)
		bx_conn_close(&cp.tree);
	if (dir >= 0)
		close(dir);
	free(name);
	copy_stat_free(&st);
	return copy_done(&cp, status, doc);
}
