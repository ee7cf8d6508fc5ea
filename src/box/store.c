/*
 * The directory of boxes. It holds
 *
 *	lock counter tag		locked for moments; the last number given; who we are
 *	boxes/box-N/record.json		what the box is (written beside it, synced, renamed)
 *	boxes/box-N/state		a link: its state, when the record could not be written (state.c)
 *	boxes/box-N/lock		held (flock) by whoever changes the box: dies with it
 *	boxes/box-N/run/		the state directory of a box on this machine
 *	boxes/.gone-box-N		being removed
 *	names/NAME -> box-N		claimed by symlink(2), which is atomic
 *	damaged/			records that could not be read
 *	cache/root-HASH/		what the roots of namespace boxes begin from (init's wall_shared.c)
 *
 * A directory without a record is a creation that did not get further; it is made and locked
 * under the store's lock, so whoever holds that lock can tell the living from the dead.
 */
#include "box/internal.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#define RECORD_MAX (16u << 20)
#define NUMBER_MAX 1000000000000000u	/* more boxes than anybody makes: a damaged counter */

/* ---- Opening ---- */

static char *state_path(const struct tbx_options *opt)
{
	const char *dir = opt->state_dir ? opt->state_dir : getenv("TINYBOX_STATE_DIR");

	if (dir && *dir)
		return strdup(dir);
	dir = getenv("XDG_STATE_HOME");
	if (dir && *dir == '/')
		return bx_format("%s/tinybox", dir);
	dir = getenv("HOME");
	return dir && *dir == '/' ? bx_format("%s/.local/state/tinybox", dir) : NULL;
}

/* mkdir -p, private. */
static int make_path(struct tbx_store *store)
{
	char *p = store->path;

	for (size_t i = 1; ; i++) {
		char c = p[i];

		if (c && c != '/')
			continue;
		p[i] = '\0';
		if (mkdir(p, 0700) && errno != EEXIST) {
			bx_fail(store, TBX_ERR_STORE, "%s: the state directory cannot be made: %s; "
				"name another with TINYBOX_STATE_DIR", p, strerror(errno));
			p[i] = c;
			return TBX_ERR_STORE;
		}
		p[i] = c;
		if (!c)
			return TBX_OK;
	}
}

int bx_dir_make(int at, const char *name)
{
	if (mkdirat(at, name, 0700) && errno != EEXIST)
		return -1;
	return openat(at, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
}

char *bx_file_read(int dir, const char *name, size_t *size)
{
	/* not waiting for whoever might write to a pipe of that name */
	int fd = openat(dir, name, O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK);
	struct stat st;
	size_t n = 0;
	ssize_t got = 1;
	char *text = NULL;

	if (fd < 0)
		return NULL;
	if (fstat(fd, &st) || !S_ISREG(st.st_mode) || st.st_size > RECORD_MAX) {
		errno = EINVAL;
		goto out;
	}
	text = malloc((size_t)st.st_size + 1);
	while (text && n < (size_t)st.st_size && got > 0) {
		got = read(fd, text + n, (size_t)st.st_size - n);
		n += got > 0 ? (size_t)got : 0;
	}
	if (got < 0) {
		free(text);
		text = NULL;
	}
	if (text)
		text[n] = '\0';
	if (size)
		*size = n;
out:
	n = (size_t)errno;
	close(fd);
	errno = (int)n;
	return text;
}

int bx_file_write(int dir, const char *name, const char *text, size_t n, bool sync)
{
	char temp[80];
	ssize_t put = 1;
	int fd, saved;

	snprintf(temp, sizeof(temp), "%s.tmp", name);
	unlinkat(dir, temp, 0);
	fd = openat(dir, temp, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
	if (fd < 0)
		return -1;
	while (n && put > 0) {
		put = write(fd, text, n);
		text += put > 0 ? put : 0;
		n -= put > 0 ? (size_t)put : 0;
	}
	if (n || (sync && fsync(fd)) || renameat(dir, temp, dir, name)) {
		saved = n && !put ? ENOSPC : errno;
		close(fd);
		unlinkat(dir, temp, 0);
		errno = saved;
		return -1;
	}
	close(fd);
	return sync ? fsync(dir) : 0;
}

static int read_tag(struct tbx_store *store)
{
	char *tag = bx_file_read(store->dir, "tag", NULL);
	uint8_t noise[4];
	char *hex;

	if (tag && strlen(tag) == 8 && tbx_is_name(tag)) {
		memcpy(store->tag, tag, 9);
		free(tag);
		return TBX_OK;
	}
	free(tag);
	if (getrandom(noise, sizeof(noise), 0) != sizeof(noise) || !(hex = bx_hex(noise, 4)))
		return bx_memory(store);
	memcpy(store->tag, hex, 9);
	free(hex);
	if (bx_file_write(store->dir, "tag", store->tag, 8, true))
		return bx_fail(store, TBX_ERR_STORE, "%s: cannot be written: %s", store->path,
			       strerror(errno));
	return TBX_OK;
}

/* Records say what is killed and removed: those that another user can write are not to be believed. */
static int check_owner(struct tbx_store *store)
{
	struct stat st;

	if (store->dir < 0 || fstat(store->dir, &st))
		return TBX_OK;
	if (st.st_uid != geteuid())
		return bx_fail(store, TBX_ERR_STORE, "%s: the state directory belongs to another user "
			       "(id %u): be that user, or name another with TINYBOX_STATE_DIR",
			       store->path, (unsigned)st.st_uid);
	if (st.st_mode & 022)
		return bx_fail(store, TBX_ERR_STORE, "%s: the state directory can be written by "
			       "others: chmod go-w it", store->path);
	return TBX_OK;
}

static int open_places(struct tbx_store *store)
{
	int lock, status;

	store->dir = open(store->path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	status = check_owner(store);
	if (status)
		return status;
	if (store->dir >= 0)
		store->boxes = bx_dir_make(store->dir, "boxes");
	if (store->boxes >= 0)
		store->names = bx_dir_make(store->dir, "names");
	if (store->names < 0)
		return bx_fail(store, TBX_ERR_STORE, "%s: the state directory cannot be used: %s",
			       store->path, strerror(errno));
	lock = bx_store_lock(store);
	if (lock < 0)
		return lock;
	status = read_tag(store);
	close(lock);
	return status;
}

int tbx_open(struct tbx_store **out, const struct tbx_options *opt)
{
	static const struct tbx_options none = TBX_OPTIONS_INIT;
	struct tbx_store *store = calloc(1, sizeof(*store));
	char *path, *full;
	int status;

	*out = store;
	if (!store)
		return TBX_ERR_MEMORY;
	store->dir = store->boxes = store->names = -1;
	store->opt = none;
	status = opt ? bx_take_options(store, &store->opt, sizeof(store->opt), opt, "tbx_options") : TBX_OK;
	if (status)
		return status;
	path = state_path(&store->opt);
	if (!path)
		return bx_fail(store, TBX_ERR_STORE, "there is no place for the state: "
			       "set TINYBOX_STATE_DIR or HOME");
	store->path = path;
	status = make_path(store);
	if (status)
		return status;
	full = realpath(path, NULL);
	if (full) {
		free(path);
		store->path = full;
	}
	return open_places(store);
}

void tbx_close(struct tbx_store *store)
{
	if (!store)
		return;
	if (store->dir >= 0)
		close(store->dir);
	if (store->boxes >= 0)
		close(store->boxes);
	if (store->names >= 0)
		close(store->names);
	while (store->held)
		bx_let_go(store, store->held->id);
	bx_free_list(store->hidden);
	free(store->path);
	free(store->helpers);
	free(store->error);
	free(store);
}

/* ---- Locks and numbers ---- */

int bx_file_lock(int dir, const char *name, int create, int how)
{
	int fd = openat(dir, name, O_RDWR | create | O_NOFOLLOW | O_CLOEXEC, 0600), status;

	/* what only looks can do so where nothing can be written */
	if (fd < 0 && errno == EROFS)
		fd = openat(dir, name, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
	if (fd < 0)
		return -1;
	do
		status = flock(fd, how);
	while (status && errno == EINTR);
	if (!status)
		return fd;
	status = errno;
	close(fd);
	errno = status;
	return -1;
}

int bx_store_lock(struct tbx_store *store)
{
	int fd = bx_file_lock(store->dir, "lock", O_CREAT, LOCK_EX);

	return fd >= 0 ? fd : bx_fail(store, TBX_ERR_STORE, "%s/lock: %s", store->path,
				      strerror(errno));
}

uint64_t bx_number_of(const char *id, const char *prefix)
{
	const char *dash = strrchr(id, '-');
	char *end;
	uint64_t n;

	if (!dash || dash[1] < '1' || dash[1] > '9' ||
	    (prefix && (strlen(prefix) != (size_t)(dash - id) || strncmp(id, prefix, (size_t)(dash - id)))))
		return 0;
	errno = 0;
	n = strtoull(dash + 1, &end, 10);
	return *end || errno || n >= NUMBER_MAX ? 0 : n;
}

/* The last number that was given. A damaged counter: the largest that is still there. */
static uint64_t last_number(struct tbx_store *store)
{
	char *text = bx_file_read(store->dir, "counter", NULL), *end;
	uint64_t n = 0;
	char **ids;

	if (text && *text >= '0' && *text <= '9') {
		n = strtoull(text, &end, 10);
		if (*end != '\n' || n >= NUMBER_MAX)
			n = 0;
	}
	free(text);
	if (n || bx_ids(store, &ids))
		return n;
	for (size_t i = 0; ids[i]; i++)
		n = bx_number_of(ids[i], "box") > n ? bx_number_of(ids[i], "box") : n;
	bx_free_list(ids);
	return n;
}

static int take_number(struct tbx_store *store, bool sync, struct bx *b)
{
	uint64_t n = last_number(store);
	char text[32];
	int size;

	do {
		n++;
		snprintf(b->id, sizeof(b->id), "box-%llu", (unsigned long long)n);
		size = snprintf(text, sizeof(text), "%llu\n", (unsigned long long)n);
		if (bx_file_write(store->dir, "counter", text, (size_t)size, sync))
			return -1;
	} while (mkdirat(store->boxes, b->id, 0700) && errno == EEXIST);
	b->dir = openat(store->boxes, b->id, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (b->dir < 0)
		return -1;
	b->lock = bx_file_lock(b->dir, "lock", O_CREAT, LOCK_EX);
	return b->lock < 0 ? -1 : 0;
}

int bx_new(struct tbx_store *store, bool sync, struct bx *b)
{
	int lock = bx_store_lock(store), status;

	*b = (struct bx){.store = store, .dir = -1, .lock = -1};
	if (lock < 0)
		return lock;
	status = take_number(store, sync, b);
	if (status)
		bx_fail(store, TBX_ERR_STORE, "%s: a new box cannot be made there: %s", store->path,
			strerror(errno));
	close(lock);
	return status ? TBX_ERR_STORE : TBX_OK;
}

/* ---- A box ---- */

static int open_by_name(struct bx *b, const char *name)
{
	char id[BX_NAME_MAX + 2];
	ssize_t n;

	snprintf(b->id, sizeof(b->id), "%s", name);
	b->dir = openat(b->store->boxes, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (b->dir >= 0 || errno != ENOENT)
		return b->dir;
	n = readlinkat(b->store->names, name, id, sizeof(id) - 1);
	if (n <= 0)
		return -1;
	id[n] = '\0';
	if (!tbx_is_name(id))
		return -1;
	memcpy(b->id, id, (size_t)n + 1);
	b->dir = openat(b->store->boxes, id, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	return b->dir;
}

void bx_hold(struct bx *b)
{
	struct bx_held *h = malloc(sizeof(*h));

	if (!h)
		return;		/* then it can be reaped while it is used: better than not at all */
	snprintf(h->id, sizeof(h->id), "%s", b->id);
	h->lock = b->lock;
	h->next = b->store->held;
	b->store->held = h;
	b->lock = -1;
}

void bx_let_go(struct tbx_store *store, const char *id)
{
	for (struct bx_held **at = &store->held, *h; (h = *at); at = &h->next) {
		if (strcmp(h->id, id))
			continue;
		*at = h->next;
		close(h->lock);
		free(h);
		return;
	}
}

/* Not one that is being removed, whose directory was opened before it got its other name. */
static bool is_there(const struct bx *b)
{
	struct stat here, there;

	return !fstat(b->dir, &here) && !fstatat(b->store->boxes, b->id, &there, AT_SYMLINK_NOFOLLOW) &&
	       here.st_ino == there.st_ino && here.st_dev == there.st_dev;
}

static int take_lock(struct bx *b, enum bx_lock lock, int create)
{
	if (lock == BX_LOCK_NONE)
		return TBX_OK;
	for (struct bx_held *h = b->store->held; h; h = h->next)
		if (!strcmp(h->id, b->id))
			return TBX_OK;
	b->lock = bx_file_lock(b->dir, "lock", create, lock == BX_LOCK_TRY ? LOCK_EX | LOCK_NB : LOCK_EX);
	if (b->lock >= 0 && is_there(b))
		return TBX_OK;
	if (b->lock >= 0 || errno == ENOENT)
		return bx_fail(b->store, TBX_ERR_UNKNOWN, "%s is gone", b->id);
	if (errno == EWOULDBLOCK)
		return bx_fail(b->store, TBX_ERR_BUSY, "%s: another process is at work on it; "
			       "try again", b->id);
	return bx_fail(b->store, TBX_ERR_STORE, "%s/boxes/%s/lock: %s", b->store->path, b->id,
		       strerror(errno));
}

bool bx_try_lock(struct bx *b)
{
	return take_lock(b, BX_LOCK_TRY, O_CREAT) == TBX_OK;
}

static int unknown_box(struct tbx_store *store, const char *name)
{
	return bx_fail(store, TBX_ERR_UNKNOWN, "there is no box %s; `tinybox ls` names those there are",
		       name);
}

int bx_open(struct tbx_store *store, const char *name, enum bx_lock lock, struct bx *b)
{
	int status;

	*b = (struct bx){.store = store, .dir = -1, .lock = -1};
	if (!tbx_is_name(name))
		return bx_fail(store, TBX_ERR_ARGUMENT, "not the name of a box: use letters, digits, "
			       "dots, dashes and underscores, 1 to 64, and no dash or dot first");
	if (open_by_name(b, name) < 0)
		return unknown_box(store, name);
	status = take_lock(b, lock, 0);
	if (!status)
		status = bx_read_record(b, false);
	if (status == TBX_ERR_UNKNOWN)
		unknown_box(store, name);
	if (status)
		bx_close(b);
	return status;
}

void bx_close(struct bx *b)
{
	if (b->lock >= 0)
		close(b->lock);
	if (b->dir >= 0)
		close(b->dir);
	json_decref(b->record);
	b->record = NULL;
	b->lock = b->dir = -1;
}

/* ---- Records on disk ---- */

static int damaged(struct bx *b, const char *why, bool aside)
{
	char name[64];

	if (aside) {
		snprintf(name, sizeof(name), "record.json.damaged-%llu",
			 (unsigned long long)bx_now());
		renameat(b->dir, "record.json", b->dir, name);
	}
	return bx_fail(b->store, TBX_ERR_STORE, "%s/boxes/%s/record.json is damaged: %s; "
		       "`tinybox reap` sets it aside", b->store->path, b->id, why);
}

int bx_read_record(struct bx *b, bool aside)
{
	const char *why = NULL;
	json_error_t error;
	size_t n = 0;
	char *text = bx_file_read(b->dir, "record.json", &n);
	json_t *record;

	if (!text && errno == ENOENT)
		return bx_fail(b->store, TBX_ERR_UNKNOWN, "%s has no record", b->id);
	/* that it cannot be read now says nothing of what it is: only these do */
	if (!text && errno != ELOOP && errno != EINVAL && errno != EISDIR && errno != ENXIO)
		return bx_fail(b->store, TBX_ERR_SYSTEM, "%s/boxes/%s/record.json: %s", b->store->path,
			       b->id, strerror(errno));
	if (!text)
		return damaged(b, strerror(errno), aside);
	record = json_loadb(text, n, 0, &error);
	free(text);
	if (!record)
		return damaged(b, error.text, aside);
	if (bx_is_newer(record)) {
		json_decref(record);
		return bx_fail(b->store, TBX_ERR_UNSUPPORTED, "%s was made by a newer tinybox: use that "
			       "one", b->id);
	}
	if (!bx_upgrade(record, &why) || strcmp(bx_text(record, "id"), b->id)) {
		json_decref(record);
		return damaged(b, why ? why : "it is another box's", aside);
	}
	json_decref(b->record);
	b->record = record;
	bx_read_note(b);
	return TBX_OK;
}

int bx_save(struct bx *b)
{
	bool sync = !b->store->later &&
		!json_is_true(json_object_get(json_object_get(b->record, "spec"), "transient"));
	char *text = json_dumps(b->record, JSON_INDENT(1));
	int status = TBX_OK, saved = 0;

	if (!text)
		return bx_memory(b->store);
	if (bx_file_write(b->dir, "record.json", text, strlen(text), sync)) {
		saved = errno;
		status = bx_fail(b->store, TBX_ERR_STORE, "%s/boxes/%s/record.json: %s", b->store->path,
				 b->id, strerror(saved));
	}
	free(text);
	errno = saved;		/* bx_destroy() looks at it */
	return status;
}

int bx_set_state(struct bx *b, const char *state)
{
	json_object_set_new(b->record, "state", json_string(state));
	return bx_save(b);
}

/* A name whose box is gone may be taken over; under the store's lock, as two could try. */
int bx_claim_name(struct bx *b, const char *name)
{
	struct tbx_store *store = b->store;
	int lock = bx_store_lock(store), status = TBX_OK;
	char id[BX_NAME_MAX + 2];
	ssize_t n;

	if (lock < 0)
		return lock;
	n = readlinkat(store->names, name, id, sizeof(id) - 1);
	if (n > 0) {
		id[n] = '\0';
		if (tbx_is_name(id) && !faccessat(store->boxes, id, F_OK, 0))
			status = bx_fail(store, TBX_ERR_EXISTS, "the name %s is taken by %s; choose "
					 "another, or `tinybox rm %s`", name, id, name);
		else
			unlinkat(store->names, name, 0);
	}
	if (!status && symlinkat(b->id, store->names, name))
		status = bx_fail(store, TBX_ERR_STORE, "%s/names/%s: %s", store->path, name,
				 strerror(errno));
	close(lock);
	return status;
}

int bx_forget(struct bx *b)
{
	struct tbx_store *store = b->store;
	char gone[BX_NAME_MAX + 16], id[BX_NAME_MAX + 2];
	const char *name = bx_text(json_object_get(b->record, "spec"), "name");
	ssize_t n;

	snprintf(gone, sizeof(gone), ".gone-%s", b->id);
	flock(b->dir, LOCK_EX);		/* reap sees that somebody is at it */
	if (renameat(store->boxes, b->id, store->boxes, gone) && errno != ENOENT)
		return bx_fail(store, TBX_ERR_STORE, "%s/boxes/%s: cannot be removed: %s", store->path,
			       b->id, strerror(errno));
	if (name && tbx_is_name(name)) {
		n = readlinkat(store->names, name, id, sizeof(id) - 1);
		if (n > 0 && (size_t)n == strlen(b->id) && !memcmp(id, b->id, (size_t)n))
			unlinkat(store->names, name, 0);
	}
	if (bx_remove_tree(store->boxes, gone))
		return bx_fail(store, TBX_ERR_STORE, "%s/boxes/%s: cannot be removed: %s", store->path,
			       gone, strerror(errno));
	return TBX_OK;
}

/* ---- All ---- */

static int by_number(const void *a, const void *b)
{
	const char *x = *(char *const *)a, *y = *(char *const *)b;
	uint64_t m = bx_number_of(x, NULL), n = bx_number_of(y, NULL);

	return m != n ? (m > n) - (m < n) : strcmp(x, y);
}

void bx_free_list(char **list)
{
	for (size_t i = 0; list && list[i]; i++)
		free(list[i]);
	free(list);
}

char **bx_names_in(int dir)
{
	char **list = calloc(1, sizeof(*list)), **more;
	int fd = openat(dir, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *d = fd < 0 ? NULL : fdopendir(fd);
	struct dirent *e;
	size_t n = 0;

	if (!d && fd >= 0)
		close(fd);
	while (d && list && (e = readdir(d))) {
		if (*e->d_name == '.')
			continue;
		more = realloc(list, (n + 2) * sizeof(*list));
		if (!more || !(more[n] = strdup(e->d_name))) {
			bx_free_list(more ? more : list);
			list = NULL;
			break;
		}
		list = more;
		list[++n] = NULL;
	}
	if (d)
		closedir(d);
	if (list && n)
		qsort(list, n, sizeof(*list), by_number);
	return list;
}

int bx_ids(struct tbx_store *store, char ***ids)
{
	*ids = bx_names_in(store->boxes);
	return *ids ? TBX_OK : bx_memory(store);
}
