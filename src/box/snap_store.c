/*
 * Snapshots and templates in the store's directory: see snap.h for what is where. They are kept as
 * boxes are: a number that is used once, a lock that dies with its owner, a record that is renamed
 * into place.
 */
#include "box/snap.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

static int place(struct tbx_store *store, const char *name)
{
	int fd = bx_dir_make(store->dir, name);

	if (fd < 0)
		bx_fail(store, TBX_ERR_STORE, "%s/%s: %s", store->path, name, strerror(errno));
	return fd;
}

/* ---- Numbers ---- */

/* Where the counter is damaged, a number that no counter has come to. */
static uint64_t last_number(struct tbx_store *store, const char *file)
{
	char *text = bx_file_read(store->dir, file, NULL), *end;
	uint64_t n = 0;

	if (!text)
		return errno == ENOENT ? 0 : bx_now() / 1000000;
	n = *text >= '0' && *text <= '9' ? strtoull(text, &end, 10) : 0;
	if (!n || *end != '\n' || n > UINT64_C(1) << 50)
		n = bx_now() / 1000000;
	free(text);
	return n;
}

/* A number that was never given before; 0 after bx_fail(). Under the store's lock. */
static uint64_t bx_take_number(struct tbx_store *store, const char *prefix)
{
	char file[80], text[32];
	uint64_t n;
	int size;

	snprintf(file, sizeof(file), "counter-%s", prefix);
	n = last_number(store, file) + 1;
	size = snprintf(text, sizeof(text), "%llu\n", (unsigned long long)n);
	if (!bx_file_write(store->dir, file, text, (size_t)size, true))
		return n;
	bx_fail(store, TBX_ERR_STORE, "%s/%s: %s", store->path, file, strerror(errno));
	return 0;
}

int bx_part_name(struct tbx_store *store, const char *prefix, char name[BX_NAME_MAX + 1])
{
	int lock = bx_store_lock(store);
	uint64_t n;

	if (lock < 0)
		return lock;
	n = bx_take_number(store, prefix);
	close(lock);
	snprintf(name, BX_NAME_MAX + 1, "%s-%llu", prefix, (unsigned long long)n);
	return n ? TBX_OK : TBX_ERR_STORE;
}

/* ---- A snapshot ---- */

static int make_dir(struct bx_snap *s, int all)
{
	uint64_t n;

	do {
		n = bx_take_number(s->store, "snap");
		if (!n)
			return TBX_ERR_STORE;
		snprintf(s->id, sizeof(s->id), "snap-%llu", (unsigned long long)n);
	} while (mkdirat(all, s->id, 0700) && errno == EEXIST);
	s->dir = openat(all, s->id, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (s->dir >= 0)
		s->lock = bx_file_lock(s->dir, "lock", O_CREAT, LOCK_EX);
	return s->lock >= 0 ? TBX_OK : bx_fail(s->store, TBX_ERR_STORE, "%s/snapshots: %s",
					       s->store->path, strerror(errno));
}

int bx_snap_new(struct tbx_store *store, struct bx_snap *s)
{
	int lock = bx_store_lock(store), all, status;

	*s = (struct bx_snap){.store = store, .dir = -1, .lock = -1};
	if (lock < 0)
		return lock;
	all = place(store, "snapshots");
	status = all < 0 ? TBX_ERR_STORE : make_dir(s, all);
	if (all >= 0)
		close(all);
	close(lock);
	return status;
}

static int damaged(struct bx_snap *s, const char *why)
{
	return bx_fail(s->store, TBX_ERR_STORE, "%s/snapshots/%s/record.json is damaged: %s; `tinybox "
		       "reap` sets it aside", s->store->path, s->id, why);
}

static const char *wrong(const json_t *record, const char *id)
{
	const char *own = bx_text(record, "id");

	if (!json_is_object(record))
		return "it is no JSON object";
	if (!own || strcmp(own, id))
		return "it is another snapshot's";
	if (!bx_text(record, "state") || !bx_text(record, "sandbox"))
		return "its state or its sandbox is missing";
	if (!json_is_object(json_object_get(record, "target")) ||
	    !json_is_object(json_object_get(record, "spec")) ||
	    !json_is_array(json_object_get(record, "parts")))
		return "what it is made of is missing";
	return NULL;
}

static int read_record(struct bx_snap *s)
{
	size_t n = 0;
	char *text = bx_file_read(s->dir, "record.json", &n);
	json_t *record;

	if (!text && errno == ENOENT)
		return bx_fail(s->store, TBX_ERR_UNKNOWN, "%s has no record", s->id);
	if (!text && errno != ELOOP && errno != EINVAL && errno != EISDIR && errno != ENXIO)
		return bx_fail(s->store, TBX_ERR_SYSTEM, "%s/snapshots/%s/record.json: %s",
			       s->store->path, s->id, strerror(errno));
	record = text ? json_loadb(text, n, 0, NULL) : NULL;
	free(text);
	if (!record)
		return damaged(s, "it is no JSON");
	if (json_integer_value(json_object_get(record, "version")) > BX_SNAP_VERSION) {
		json_decref(record);
		return bx_fail(s->store, TBX_ERR_UNSUPPORTED, "%s was made by a newer tinybox: use that "
			       "one", s->id);
	}
	if (wrong(record, s->id)) {
		const char *why = wrong(record, s->id);

		json_decref(record);
		return damaged(s, why);
	}
	s->record = record;
	return TBX_OK;
}

static int unknown(struct tbx_store *store, const char *name)
{
	return bx_fail(store, TBX_ERR_UNKNOWN, "there is no snapshot or template %s; `tinybox snapshot "
		       "ls` and `tinybox template ls` name those there are", name);
}

/* The id that a name stands for: its own, or a template's. */
static bool resolve(struct tbx_store *store, const char *name, char id[BX_NAME_MAX + 2])
{
	int names;
	ssize_t n;

	if (bx_number_of(name, "snap")) {
		snprintf(id, BX_NAME_MAX + 2, "%s", name);
		return true;
	}
	names = bx_dir_make(store->dir, "templates");
	n = names < 0 ? -1 : readlinkat(names, name, id, BX_NAME_MAX + 1);
	if (names >= 0)
		close(names);
	if (n > 0)
		id[n] = '\0';
	return n > 0 && tbx_is_name(id);
}

/* Not one that was removed since its directory was opened. */
static bool is_there(const struct bx_snap *s, int all)
{
	struct stat here, there;

	return !fstat(s->dir, &here) && !fstatat(all, s->id, &there, AT_SYMLINK_NOFOLLOW) &&
		here.st_ino == there.st_ino;
}

static int take_lock(struct bx_snap *s, int all, enum bx_lock lock)
{
	if (lock == BX_LOCK_NONE)
		return TBX_OK;
	s->lock = bx_file_lock(s->dir, "lock", O_CREAT, lock == BX_LOCK_TRY ? LOCK_EX | LOCK_NB : LOCK_EX);
	if (s->lock >= 0 && is_there(s, all))
		return TBX_OK;
	if (s->lock >= 0 || errno == ENOENT)
		return bx_fail(s->store, TBX_ERR_UNKNOWN, "%s is gone", s->id);
	if (errno == EWOULDBLOCK)
		return bx_fail(s->store, TBX_ERR_BUSY, "%s: another process is at work on it; try again",
			       s->id);
	return bx_fail(s->store, TBX_ERR_STORE, "%s/snapshots/%s/lock: %s", s->store->path, s->id,
		       strerror(errno));
}

int bx_snap_open(struct tbx_store *store, const char *name, enum bx_lock lock, struct bx_snap *s)
{
	char id[BX_NAME_MAX + 2];
	int all, status;

	*s = (struct bx_snap){.store = store, .dir = -1, .lock = -1};
	if (!tbx_is_name(name))
		return bx_fail(store, TBX_ERR_ARGUMENT, "not the name of a snapshot: use letters, digits, "
			       "dots, dashes and underscores, 1 to 64, and no dash or dot first");
	if (!resolve(store, name, id))
		return unknown(store, name);
	memcpy(s->id, id, strlen(id) + 1);
	all = place(store, "snapshots");
	if (all < 0)
		return TBX_ERR_STORE;
	s->dir = openat(all, id, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	status = s->dir < 0 ? unknown(store, name) : take_lock(s, all, lock);
	close(all);
	if (!status)
		status = read_record(s);
	if (status == TBX_ERR_UNKNOWN)
		unknown(store, name);
	if (status) {
		json_decref(s->record);
		s->record = NULL;
		bx_snap_close(s);
	}
	return status;
}

void bx_snap_close(struct bx_snap *s)
{
	if (s->lock >= 0)
		close(s->lock);
	if (s->dir >= 0)
		close(s->dir);
	json_decref(s->record);
	s->record = NULL;
	s->lock = s->dir = -1;
}

int bx_snap_save(struct bx_snap *s)
{
	char *text = json_dumps(s->record, JSON_INDENT(1));
	int status = TBX_OK;

	if (!text)
		return bx_memory(s->store);
	if (bx_file_write(s->dir, "record.json", text, strlen(text), true))
		status = bx_fail(s->store, TBX_ERR_STORE, "%s/snapshots/%s/record.json: %s",
				 s->store->path, s->id, strerror(errno));
	free(text);
	return status;
}

/* The directory is small: what is left by a crash has no record, and reap takes it. */
int bx_snap_forget(struct bx_snap *s)
{
	int all = place(s->store, "snapshots"), status = TBX_OK;

	if (all < 0)
		return TBX_ERR_STORE;
	if (unlinkat(s->dir, "record.json", 0) && errno != ENOENT)
		status = bx_fail(s->store, TBX_ERR_STORE, "%s/snapshots/%s: %s", s->store->path, s->id,
				 strerror(errno));
	else if (bx_remove_tree(all, s->id))
		status = bx_fail(s->store, TBX_ERR_STORE, "%s/snapshots/%s: %s", s->store->path, s->id,
				 strerror(errno));
	close(all);
	return status;
}

int bx_snap_ids(struct tbx_store *store, char ***ids)
{
	int all = place(store, "snapshots");

	*ids = NULL;
	if (all < 0)
		return TBX_ERR_STORE;
	*ids = bx_names_in(all);
	close(all);
	return *ids ? TBX_OK : bx_memory(store);
}

/* ---- What is in use ---- */

static void put_names(json_t *used, const json_t *record)
{
	const json_t *parts = json_object_get(record, "parts");

	for (size_t i = 0; i < json_array_size(parts); i++) {
		const char *name = bx_text(json_array_get(parts, i), "name");

		if (name)
			json_object_set_new(used, name, json_true());
	}
}

json_t *bx_parts_used(struct tbx_store *store, bool *unsure)
{
	json_t *used = json_object();
	char **ids = NULL;
	struct bx_snap s;
	struct bx b;
	int status = used ? bx_ids(store, &ids) : TBX_ERR_MEMORY;

	*unsure = status;
	for (size_t i = 0; !status && ids[i]; i++) {
		int found = bx_open(store, ids[i], BX_LOCK_NONE, &b);

		*unsure = *unsure || (found && found != TBX_ERR_UNKNOWN);
		if (!found)
			put_names(used, b.record);
		bx_close(&b);
	}
	bx_free_list(ids);
	ids = NULL;
	status = bx_snap_ids(store, &ids);
	*unsure = *unsure || status;
	for (size_t i = 0; !status && ids[i]; i++) {
		int found = bx_snap_open(store, ids[i], BX_LOCK_NONE, &s);

		*unsure = *unsure || (found && found != TBX_ERR_UNKNOWN);
		if (!found)
			put_names(used, s.record);
		bx_snap_close(&s);
	}
	bx_free_list(ids);
	return used;
}

/* ---- Documents ---- */

/* Names of templates of it; of any if id is NULL, as {name: id}. */
static json_t *templates_of(struct tbx_store *store, const char *id)
{
	int names = bx_dir_make(store->dir, "templates");
	char **list = names < 0 ? NULL : bx_names_in(names), to[BX_NAME_MAX + 2];
	json_t *out = id ? json_array() : json_object();

	for (size_t i = 0; list && list[i]; i++) {
		ssize_t n = readlinkat(names, list[i], to, sizeof(to) - 1);

		if (n <= 0 || !tbx_is_name(list[i]))
			continue;
		to[n] = '\0';
		if (!id && tbx_is_name(to))
			json_object_set_new(out, list[i], json_string(to));
		else if (id && !strcmp(id, to))
			json_array_append_new(out, json_string(list[i]));
	}
	bx_free_list(list);
	if (names >= 0)
		close(names);
	return out;
}

json_t *bx_snap_doc(const struct bx_snap *s)
{
	static const char *const shown[] = {
		"id", "label", "state", "box", "sandbox", "target", "created_at", "how", "memory", "spec",
		"parts", "left_out", "hash", NULL,
	};
	const json_t *parts = json_object_get(s->record, "parts");
	json_t *doc = json_object();
	uint64_t size = 0, files = 0;

	for (size_t i = 0; shown[i]; i++)
		bx_put(doc, shown[i], json_incref(json_object_get(s->record, shown[i])));
	for (size_t i = 0; i < json_array_size(parts); i++) {
		size += bx_number(json_array_get(parts, i), "size");
		files += bx_number(json_array_get(parts, i), "files");
	}
	bx_put_number(doc, "size", size);
	bx_put_number(doc, "files", files);
	bx_put(doc, "templates", templates_of(s->store, s->id));
	return doc;
}

/* ---- Templates ---- */

static int set_template(struct tbx_store *store, const char *name, const char *id)
{
	char beside[BX_NAME_MAX + 8];
	int names = place(store, "templates"), status = TBX_OK;

	if (names < 0)
		return TBX_ERR_STORE;
	snprintf(beside, sizeof(beside), ".%s", name);
	unlinkat(names, beside, 0);
	if (symlinkat(id, names, beside) || renameat(names, beside, names, name) || fsync(names))
		status = bx_fail(store, TBX_ERR_STORE, "%s/templates/%s: %s", store->path, name,
				 strerror(errno));
	close(names);
	return status;
}

static json_t *template_json(const char *name, const struct bx_snap *s)
{
	json_t *t = json_object();

	bx_put(t, "name", json_string(name));
	bx_put(t, "snapshot", json_string(s->id));
	bx_put(t, "sandbox", json_incref(json_object_get(s->record, "sandbox")));
	bx_put(t, "created_at", json_incref(json_object_get(s->record, "created_at")));
	return t;
}

static bool is_snapshot(const char *name)
{
	return bx_number_of(name, "snap") != 0;
}

int tbx_template_save(struct tbx_store *store, const char *name, const char *from,
		      struct tbx_doc **out)
{
	struct tbx_snap opt = TBX_SNAP_INIT;
	struct tbx_doc *taken = NULL;
	struct bx_snap s;
	int status, lock;

	*out = NULL;
	if (!tbx_is_name(name) || is_snapshot(name))
		return bx_fail(store, TBX_ERR_ARGUMENT, "a template's name has letters, digits, dots, dashes "
			       "and underscores, 1 to 64, no dash or dot first, and is no snapshot's");
	if (!is_snapshot(from))
		status = tbx_snapshot(store, from, &opt, &taken);
	else
		status = TBX_OK;
	lock = status ? -1 : bx_store_lock(store);
	if (!status && lock < 0)
		status = lock;
	if (!status)
		status = bx_snap_open(store, taken ? tbx_doc_text(taken, "id") : from, BX_LOCK_NONE, &s);
	tbx_doc_free(taken);
	if (!status) {
		status = set_template(store, name, s.id);
		if (!status)
			status = bx_doc(store, template_json(name, &s), out);
		bx_snap_close(&s);
	}
	if (lock >= 0)
		close(lock);
	return status;
}

int tbx_template_list(struct tbx_store *store, struct tbx_doc **out)
{
	json_t *all = templates_of(store, NULL), *list = json_array(), *doc = json_object(), *id;
	const char *name;
	struct bx_snap s;

	json_object_foreach(all, name, id) {
		json_t *t;

		if (!bx_snap_open(store, json_string_value(id), BX_LOCK_NONE, &s)) {
			t = template_json(name, &s);
			bx_snap_close(&s);
		} else {
			t = json_object();
			bx_put(t, "name", json_string(name));
			bx_put(t, "snapshot", json_incref(id));
			bx_put(t, "damaged", json_string(tbx_error(store)));
		}
		json_array_append_new(list, t);
	}
	json_decref(all);
	bx_put(doc, "templates", list);
	return bx_doc(store, doc, out);
}

int tbx_template_remove(struct tbx_store *store, const char *name)
{
	int names = place(store, "templates"), status = TBX_OK;

	if (names < 0)
		return TBX_ERR_STORE;
	if (!tbx_is_name(name) || (unlinkat(names, name, 0) && errno == ENOENT))
		status = bx_fail(store, TBX_ERR_UNKNOWN, "there is no template %s; `tinybox template ls` "
				 "names those there are", name);
	close(names);
	return status;
}
