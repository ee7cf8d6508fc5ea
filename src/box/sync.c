/*
 * What both directions of a sync share: reading the directory here, learning what differs there, and
 * the document. One connection; what is told in it is in wire.h.
 */
#include "box/sync.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include "box/sha256.h"

#define NAMES_MAX (48u << 10)	/* of directories, that are said before they are asked for */

int sync_file_error(struct sync_job *j, const char *path, int error)
{
	int status;
	char *shown = bx_format("%s%s%s", j->dir, *path ? "/" : "", path);

	if (shown)
		bx_plain(shown);
	status = bx_fail(j->store, TBX_ERR_FILE, "%s: %s", shown ? shown : j->dir, error == ELOOP ?
			 "directories are nested too deep" : strerror(error));
	free(shown);
	return status;
}

/* ---- Here ---- */

static void put_skipped(json_t *list, const char *path, const char *why)
{
	json_t *item = json_object();

	bx_put(item, "path", bx_json_text(path));
	bx_put(item, "why", json_string(why));
	json_array_append_new(list, item);
}

static void skipped(void *ctx, const char *path, const char *why)
{
	struct sync_rules *r = ctx;
	struct sync_job *j = (struct sync_job *)(uintptr_t)((char *)r - offsetof(struct sync_job, rules));

	put_skipped(j->skipped, path, why);
}

static int scan(struct sync_job *j, struct ft_node *root, bool names)
{
	struct ft_scan s = {.special = skipped, .names = names};
	int status = TBX_OK;

	json_array_clear(j->skipped);
	if (!sync_rules_begin(&j->rules, &s))
		return bx_memory(j->store);
	if (!ft_read(j->root, root, &s))
		status = j->rules.error ? bx_fail(j->store, TBX_ERR_ARGUMENT, "%s", j->rules.error) :
			 sync_file_error(j, ft_path(&s.path), s.error);
	ft_scan_end(&s);
	return status;
}

int sync_scan(struct sync_job *j, struct ft_node *root)
{
	return scan(j, root, false);
}

int sync_names(struct sync_job *j)
{
	return scan(j, &j->here, true);
}

/* ---- The store's own secret for a tree: an unfinished journal with another one is not ours ---- */

static int secret(struct tbx_store *store, char hex[65])
{
	static const char name[] = "sync-key";
	uint8_t random[32];
	char *fresh;
	ssize_t n = readlinkat(store->dir, name, hex, 64);

	if (n != 64 && getrandom(random, sizeof(random), 0) == (ssize_t)sizeof(random) &&
	    (fresh = bx_hex(random, sizeof(random)))) {
		if (symlinkat(fresh, store->dir, name) && errno != EEXIST)
			bx_progress(store, "%s", strerror(errno));
		free(fresh);
		n = readlinkat(store->dir, name, hex, 64);
	}
	if (n != 64)
		return bx_fail(store, TBX_ERR_STORE, "%s/%s cannot be made", store->path, name);
	hex[64] = '\0';
	return TBX_OK;
}

static int keys(struct sync_job *j)
{
	const char *destination = j->opt->target.destination;
	char hex[65], *there = NULL, *here = NULL;
	size_t n = strlen(j->opt->path);
	struct stat st;
	int status = secret(j->store, hex);

	while (n > 1 && j->opt->path[n - 1] == '/')
		n--;
	if (!status && !fstat(j->root, &st)) {
		there = bx_format("%s\n%s\n%.*s", hex, j->has_box ? j->b.id : destination ? destination : "",
				  (int)n, j->opt->path);
		here = bx_format("%s\nhere\n%llx %llx", hex, (unsigned long long)st.st_dev,
				 (unsigned long long)st.st_ino);
	}
	if (there && here) {
		bx_sha256(there, strlen(there), j->key);
		bx_sha256(here, strlen(here), j->own);
	} else if (!status) {
		status = bx_memory(j->store);
	}
	free(there);
	free(here);
	return status;
}

static bool remove_here(int dir, const char *name)
{
	return !bx_remove_tree(dir, name);
}

void sync_stage(struct sync_job *j, struct ft_stage *stage)
{
	*stage = (struct ft_stage){.remove = remove_here, .dir = -1};
	memcpy(stage->key, j->own, sizeof(stage->key));
}

int sync_changed(struct sync_job *j, const char *path, const char *what)
{
	char *shown = strdup(path);
	int status;

	if (shown)
		bx_plain(shown);
	status = bx_fail(j->store, TBX_ERR_FILE, "%s: %s, try again", shown ? shown : "a file", what);
	free(shown);
	return status;
}

int sync_stage_error(struct sync_job *j, const char *path, int error)
{
	if (error == -EWOULDBLOCK)
		return bx_fail(j->store, TBX_ERR_BUSY, "%s: another sync is at work there", j->dir);
	return sync_file_error(j, path, -error);
}

/* A sync to here that was killed is finished, or what it left taken away. */
static int recover(struct sync_job *j)
{
	struct ft_stage stage;
	struct stat st;
	int error;

	if (fstatat(j->root, FT_STAGE, &st, AT_SYMLINK_NOFOLLOW))
		return TBX_OK;
	sync_stage(j, &stage);
	error = ft_stage_lock(&stage, j->root);
	return error ? sync_stage_error(j, "", error) : TBX_OK;
}

/* ---- The conversation ---- */

/* What is not sent yet beyond `most` bytes; stops when the other side has something to say. */
int sync_flush(struct sync_job *j, size_t most)
{
	struct pollfd p = {.fd = j->c.fd, .events = POLLIN};
	struct wire_frame f;
	int status;

	if (j->c.out.size < most && !j->c.out.failed)
		return TBX_OK;
	status = bx_send(&j->c, bx_step(j->store));
	if (status || !most || poll(&p, 1, 0) <= 0)
		return status;
	status = bx_receive(&j->c, &f, bx_step(j->store));
	if (status || f.type == WIRE_ALIVE)
		return status;
	if (f.type == WIRE_ERROR)
		return bx_wire_error(&j->c, &f);
	return bx_fail(j->store, TBX_ERR_PROTOCOL, "%s: speaks out of turn", j->c.what);
}

int sync_ok(struct sync_job *j, struct wire_frame *f)
{
	int status = sync_flush(j, 0);

	j->trips++;
	return status ? status : bx_answer(&j->c, f, bx_step(j->store));
}

void sync_show(struct sync_job *j, bool last)
{
	uint64_t now = bx_ticks();

	if (!j->opt->progress || (!last && now - j->shown < BX_SECOND / 10))
		return;
	j->shown = now;
	j->opt->progress(j->opt->ctx, j->files, j->all_files, j->bytes, j->all_bytes);
}

static int bad_list(struct sync_job *j)
{
	return bx_fail(j->store, TBX_ERR_PROTOCOL, "%s: tells of files what cannot be", j->c.what);
}

static unsigned depth_of(const char *path)
{
	unsigned n = *path != '\0';

	for (; *path; path++)
		n += *path == '/';
	return n;
}

static int take_list(struct sync_job *j, const struct wire_frame *f)
{
	struct wire_iter it = wire_fields(f);
	struct wire_field_in entries;
	bool bad = false;
	char *path = wire_string(it, WIRE_F_PATH, &bad);
	struct ft_node *dir = path && ft_is_path(path) && depth_of(path) <= FT_DEPTH ?
			      ft_at(&j->there, path) : NULL;
	size_t before = dir ? dir->count : 0;

	free(path);
	if (!dir || j->missing || dir->kind != FT_DIR || !wire_find(it, WIRE_F_ENTRIES, &entries) ||
	    !ft_unpack(entries.data, entries.size, dir) || !ft_sort(dir) ||
	    ft_find(&j->there, FT_STAGE, strlen(FT_STAGE)))
		return bad_list(j);
	dir->listed = true;
	j->told += dir->count - before;
	if (j->told > SYNC_ENTRIES)
		return bx_fail(j->store, TBX_ERR_LIMIT, "%s: has more than %u files", j->c.what,
			       SYNC_ENTRIES);
	return TBX_OK;
}

/* That there is no such directory was told before anything else. */
static bool take_missing(struct sync_job *j, const struct wire_frame *f)
{
	bool bad = false;

	if (!wire_number(wire_fields(f), WIRE_F_GONE, 0, &bad) || bad)
		return false;
	j->missing = true;
	return true;
}

/* TREE_LIST frames until the OK. */
static int take_lists(struct sync_job *j, struct wire_frame *f)
{
	int status = sync_flush(j, 0);

	j->trips++;
	while (!status) {
		status = bx_receive(&j->c, f, bx_step(j->store));
		if (status || f->type == WIRE_ALIVE)
			continue;
		if (f->type == WIRE_ERROR)
			return bx_wire_error(&j->c, f);
		if (f->type == WIRE_OK && wire_whole(wire_fields(f)))
			return TBX_OK;
		if (f->type != WIRE_TREE_LIST || !wire_whole(wire_fields(f)))
			return bad_list(j);
		if (!take_missing(j, f))
			status = take_list(j, f);
	}
	return status;
}

static void ask_paths(struct sync_job *j)
{
	struct wire_out *o = &j->c.out;

	wire_begin(o, WIRE_TREE_LIST);
	for (size_t i = 0; i < j->plan.ask_count; i++)
		wire_text(o, WIRE_F_PATH, j->plan.ask[i]);
	wire_end(o);
}

/* What only the other side has is looked into only when it counts. */
static int plan(struct sync_job *j, bool back)
{
	struct wire_frame f;
	int status = TBX_OK;

	j->plan.rules = &j->rules;
	j->plan.back = back;
	for (unsigned round = 0; !status && round < 2; round++) {
		if (!sync_plan_make(&j->plan, &j->here, &j->there))
			return bx_memory(j->store);
		if (!j->plan.ask_count)
			return TBX_OK;
		ask_paths(j);
		status = round ? bad_list(j) : take_lists(j, &f);
	}
	return status;
}

int sync_connect(struct sync_job *j)
{
	json_t *target = NULL;
	int status;

	if (j->has_box)
		return TBX_OK;
	status = bx_target_of(j->store, &j->opt->target, &target);
	if (!status)
		status = bx_host_begin(j->store, target, &j->c);
	j->connected = !status;
	json_decref(target);
	return status;
}

static int connect_there(struct sync_job *j)
{
	int status = j->has_box ? bx_connect(&j->b, &j->c) : j->connected ? TBX_OK : sync_connect(j);

	if (status)
		return status;
	j->connected = true;
	return j->has_box ? TBX_OK : bx_hello(&j->c, bx_step(j->store));
}

static void begin_tree(struct sync_job *j, enum wire_tree state)
{
	struct wire_out *o = &j->c.out;

	wire_begin(o, WIRE_TREE);
	wire_text(o, WIRE_F_PATH, j->opt->path);
	wire_u8(o, WIRE_F_STATE, state);
	wire_bytes(o, WIRE_F_HASH, j->key, sizeof(j->key));
	if (state == WIRE_TREE_SYNC)
		wire_u8(o, WIRE_F_GONE, 1);
	wire_end(o);
}

/* The other side reads its files while ours are read, if the names are so few that they fit into any buffer on the way. */
static void read_there(struct sync_job *j)
{
	struct wire_out *o = &j->c.out;
	size_t before = o->size;

	ft_known(o, &j->here);
	if (o->size - before > NAMES_MAX) {
		o->size = before;
		return;
	}
	wire_begin(o, WIRE_TREE_LIST);
	wire_u8(o, WIRE_F_MORE, 1);
	wire_end(o);
}

struct reading {
	struct sync_job *j;
	struct ft_scan scan;
	unsigned count;
	int status;
};

/* While the files here are read: what is not there needs no digests before it is sent. */
static void look_up(void *ctx)
{
	struct reading *r = ctx;
	struct sync_job *j = r->j;
	struct pollfd p = {.fd = j->c.fd, .events = POLLIN};
	struct wire_frame f;

	if (r->count++ % 16 || poll(&p, 1, 0) <= 0)
		return;
	r->status = bx_receive(&j->c, &f, bx_step(j->store));
	if (!r->status && f.type == WIRE_ERROR)
		r->status = bx_wire_error(&j->c, &f);
	else if (!r->status && f.type != WIRE_ALIVE && (f.type != WIRE_TREE_LIST ||
		 !wire_whole(wire_fields(&f)) || !take_missing(j, &f)))
		r->status = bad_list(j);
	r->scan.enough = r->status || j->missing;
}

static int read_files(struct sync_job *j)
{
	struct reading r = {.j = j, .scan = {.tick = look_up}};
	bool good;

	r.scan.ctx = &r;
	good = ft_read_files(j->root, &j->here, &r.scan);
	if (!good && !r.status)
		r.status = sync_file_error(j, ft_path(&r.scan.path), r.scan.error);
	ft_scan_end(&r.scan);
	return r.status;
}

static int ask_all(struct sync_job *j)
{
	struct wire_out *o = &j->c.out;
	struct wire_frame f;
	bool bad = false;
	int status;

	ft_known(o, &j->here);
	wire_begin(o, WIRE_TREE_LIST);
	wire_end(o);
	status = take_lists(j, &f);
	if (!status && wire_number(wire_fields(&f), WIRE_F_GONE, 0, &bad))
		j->missing = true;
	return status;
}

int sync_look(struct sync_job *j, enum wire_tree state, bool back)
{
	int status = connect_there(j);

	if (status)
		return status;
	j->there.kind = FT_DIR;
	begin_tree(j, state);
	if (!back)
		read_there(j);
	status = sync_flush(j, 0);
	if (!status)
		status = read_files(j);
	if (!status && j->missing)
		j->trips++;
	else if (!status)
		status = ask_all(j);
	if (status)
		return status;
	j->there.listed |= j->missing;
	if (j->missing && back)
		return bx_fail(j->store, TBX_ERR_FILE, "%s: there is no such directory", j->opt->path);
	return plan(j, back);
}

/* ---- Begin and end ---- */

/* The real name of what is there of a path; malloc */
static char *real_part(const char *path)
{
	char *copy = strdup(path), *real = NULL, *slash;

	while (copy && *copy && !(real = realpath(copy, NULL))) {
		slash = strrchr(copy, '/');
		if (slash == copy && copy[1])
			slash++;
		if (!slash || !*slash) {
			real = realpath(slash ? "/" : ".", NULL);
			break;
		}
		*slash = '\0';
	}
	free(copy);
	return real;
}

static bool is_below(const char *path, const char *dir)
{
	size_t n = strlen(dir);

	return !strncmp(path, dir, n) && (!path[n] || path[n] == '/' || dir[n - 1] == '/');
}

/*
 * What nobody means: a machine's root or home becomes a copy of a directory; on this machine also one
 * directory in the other.
 */
static int check_place(struct sync_job *j)
{
	const char *host = j->opt->target.host, *path = j->opt->path, *home = getenv("HOME");
	bool here = !host || strcmp(host, "ssh");
	char *there, *dir;
	int status = TBX_OK;

	if (!path[strspn(path, "/.")] && (*path == '/' || (!here && !j->has_box)))
		return bx_fail(j->store, TBX_ERR_ARGUMENT, "'%s': a whole machine, or a home, is not made equal "
			       "to a directory; name a directory of its own", path);
	if (j->has_box || !here)
		return TBX_OK;
	there = real_part(path);
	dir = realpath(j->dir, NULL);
	if (there && home && !strcmp(there, home) && !access(path, F_OK))
		status = bx_fail(j->store, TBX_ERR_ARGUMENT, "'%s': a home is not made equal to a directory; "
				 "name a directory of its own", path);
	else if (there && dir && (is_below(there, dir) || (!access(path, F_OK) && is_below(dir, there))))
		status = bx_fail(j->store, TBX_ERR_ARGUMENT, "'%s' and '%s': one is in the other", j->dir, path);
	free(there);
	free(dir);
	return status;
}

int sync_begin(struct tbx_store *store, const struct tbx_sync *opt, struct sync_job *j)
{
	struct stat st;
	int status;

	*j = (struct sync_job){.store = store, .whole = TBX_SYNC_INIT, .opt = &j->whole, .dir = ".", .root = -1,
		.c = {.fd = -1, .child_err = -1}, .skipped = json_array()};
	j->c.store = store;
	status = bx_take_options(store, &j->whole, sizeof(j->whole), opt, "tbx_sync");
	if (status)
		return status;
	opt = j->opt;
	j->dir = opt->dir ? opt->dir : ".";
	j->rules.git = opt->git;
	j->rules.all = opt->all;
	if (!opt->path || !*opt->path || !*j->dir)
		return bx_fail(store, TBX_ERR_ARGUMENT, "a path is empty");
	if (opt->box) {
		status = bx_open(store, opt->box, BX_LOCK_NONE, &j->b);
		if (status)
			return status;
		j->has_box = true;
	}
	status = check_place(j);
	if (status)
		return status;
	j->root = open(j->dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (j->root < 0)
		return sync_file_error(j, "", errno);
	/* the working directory, perhaps: what is equal to it would be nothing at all */
	if (!fstat(j->root, &st) && !st.st_nlink)
		return sync_file_error(j, "", ENOENT);
	status = keys(j);
	return status ? status : recover(j);
}

void sync_count(struct sync_job *j)
{
	for (size_t i = 0; i < j->plan.count; i++) {
		const struct sync_change *c = &j->plan.at[i];

		if (c->op != SYNC_ADD && c->op != SYNC_CHANGE)
			continue;
		j->all_files++;
		if (c->node->kind == FT_FILE)
			j->all_bytes += c->node->size;
	}
}

static json_t *change_json(const struct sync_job *j, const struct sync_change *c)
{
	static const char *const words[] = { "added", "changed", "deleted", "mode" };
	const char *type = c->node->kind == FT_DIR ? "directory" : c->node->kind == FT_LINK ? "link" :
			   c->node->kind == FT_FILE ? "file" : "other", *runs;
	json_t *item = json_object();

	bx_put(item, "path", bx_json_text(c->path));
	bx_put(item, "change", json_string(words[c->op]));
	bx_put(item, "type", json_string(type));
	if (c->op != SYNC_REMOVE && c->node->kind != FT_LINK)
		bx_put_number(item, "mode", c->node->mode);
	if (c->node->kind == FT_FILE && c->op != SYNC_MODE)
		bx_put_number(item, "size", c->node->size);
	if (c->link)
		bx_put(item, "link", bx_json_text(c->link));
	runs = j->plan.back ? sync_runs(c, c->link) : NULL;
	bx_put(item, "runs", runs ? json_string(runs) : NULL);
	return item;
}

json_t *sync_changes(const struct sync_job *j)
{
	json_t *list = json_array();

	for (size_t i = 0; i < j->plan.count; i++)
		json_array_append_new(list, change_json(j, &j->plan.at[i]));
	return list;
}

/* What is here and is no part of a tree, and (back) what is there and does not come. */
json_t *sync_skipped(const struct sync_job *j)
{
	json_t *list = json_copy(j->skipped);

	for (size_t i = 0; i < j->plan.skip_count; i++)
		put_skipped(list, j->plan.skip[i], "a pipe, a socket or a device");
	return list;
}

static json_t *document(struct sync_job *j, const char *word)
{
	const struct ft_node *now = j->plan.back ? &j->there : &j->here;
	char *hex = bx_hex(now->hash, FT_HASH);
	json_t *root = json_object();

	bx_put(root, "status", json_string(word));
	bx_put(root, "fingerprint", bx_json_text(hex));
	free(hex);
	bx_put_number(root, "files", j->files);
	bx_put_number(root, "directories", j->dirs);
	bx_put_number(root, "links", j->link_count);
	bx_put_number(root, "deleted", j->deleted);
	bx_put_number(root, "bytes", j->bytes);
	bx_put_number(root, "trips", j->trips);
	bx_put(root, "changes", j->changes ? json_incref(j->changes) : sync_changes(j));
	bx_put(root, "skipped", sync_skipped(j));
	bx_put(root, "git", json_boolean(j->rules.left_git));
	return root;
}

int sync_end(struct sync_job *j, int status, const char *word, struct tbx_doc **doc)
{
	*doc = NULL;
	if (!status)
		status = bx_doc(j->store, document(j, word), doc);
	if (j->connected)
		bx_conn_close(&j->c);
	if (j->has_box)
		bx_close(&j->b);
	if (j->root >= 0)
		close(j->root);
	sync_plan_free(&j->plan);
	sync_rules_end(&j->rules);
	ft_free(&j->here);
	ft_free(&j->there);
	json_decref(j->skipped);
	json_decref(j->changes);
	return status;
}
