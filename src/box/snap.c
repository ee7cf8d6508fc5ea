/*
 * Snapshots as a whole: taking, listing, looking, removing; the boxes that begin from one are in
 * fork.c, files of them in snap_file.c. What they are made of is behind snap.h's table.
 */
#include "box/snap.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "box/sha256.h"

const struct bx_keeping *const bx_keepings[] = { &bx_keep_namespace, &bx_keep_virtual, &bx_keep_docker,
	&bx_keep_microvm, NULL };

const struct bx_keeping *bx_keeping(struct tbx_store *store, const char *sandbox)
{
	for (size_t i = 0; sandbox && bx_keepings[i]; i++)
		if (!strcmp(bx_keepings[i]->sandbox, sandbox))
			return bx_keepings[i];
	bx_fail(store, TBX_ERR_UNSUPPORTED, "a box of the sandbox %s has nothing of its own that could be "
		"kept; use namespace, virtual or docker", sandbox ? sandbox : "(none)");
	return NULL;
}

/* ---- Taking ---- */

/* What is the box's own, for boxes that will begin from it. */
static json_t *spec_of(const struct bx *b, bool memory)
{
	json_t *spec = json_deep_copy(json_object_get(b->record, "spec"));

	json_object_del(spec, "name");
	json_object_del(spec, "transient");
	/* what runs on has its placeholders */
	if (!memory)
		bx_secrets_strip(spec, false);
	return spec;
}

static json_t *left_out(struct bx *b)
{
	const json_t *source = bx_at(b->record, "spec.source");
	const char *kind = bx_text(source, "kind");
	json_t *list = json_array(), *item;

	/* a micro-VM's workspace is a copy, and one of its disks */
	if (!kind || strcmp(kind, "directory") || bx_is_machine(b->record))
		return list;
	item = json_object();
	bx_put(item, "path", json_incref(json_object_get(source, "from")));
	bx_put(item, "why", json_string("a directory of the host, which is the workspace"));
	json_array_append_new(list, item);
	return list;
}

static void fill(struct bx *b, struct bx_snap *s, const struct tbx_snap *opt)
{
	s->record = json_object();
	json_object_set_new(s->record, "version", json_integer(BX_SNAP_VERSION));
	json_object_set_new(s->record, "id", json_string(s->id));
	json_object_set_new(s->record, "state", json_string("creating"));
	if (opt->label)
		bx_put(s->record, "label", bx_json_text(opt->label));
	json_object_set_new(s->record, "box", json_string(b->id));
	bx_put(s->record, "sandbox", json_incref(json_object_get(json_object_get(json_object_get(
		b->record, "placement"), "workspace"), "sandbox")));
	bx_put(s->record, "target", json_deep_copy(json_object_get(b->record, "target")));
	bx_put(s->record, "placement", json_deep_copy(json_object_get(b->record, "placement")));
	bx_put_number(s->record, "created_at", bx_now());
	json_object_set_new(s->record, "memory", json_boolean(opt->memory));
	bx_put(s->record, "spec", spec_of(b, opt->memory));
	bx_put(s->record, "left_out", left_out(b));
	json_object_set_new(s->record, "parts", json_array());
}

/* Of what its parts are, whatever they are called here: two snapshots with one hash are the same. */
void bx_snap_hash(struct bx_snap *s)
{
	const json_t *parts = json_object_get(s->record, "parts");
	uint8_t hash[SHA256_DIGEST_LENGTH];
	SHA256_CTX sum;
	char *hex;

	SHA256_Init(&sum);
	for (size_t i = 0; i < json_array_size(parts); i++) {
		const char *word = bx_text(json_array_get(parts, i), "hash");

		if (!word)
			word = bx_text(json_array_get(parts, i), "name");
		if (word)
			SHA256_Update(&sum, word, strlen(word) + 1);
	}
	SHA256_Final(hash, &sum);
	hex = bx_hex(hash, sizeof(hash));
	bx_put(s->record, "hash", hex ? json_string(hex) : NULL);
	free(hex);
}

/* What a failed one may have left: parts first lose their name, then they go. */
static void undo(struct bx_snap *s, int status)
{
	const struct bx_keeping *k = bx_keeping(s->store, bx_text(s->record, "sandbox"));
	char *error = strdup(tbx_error(s->store));

	if (!bx_snap_forget(s) && k)
		k->drop(s->store, s->record);
	bx_fail(s->store, status, "%s", error ? error : "no memory");
	free(error);
}

int bx_snap_take(struct bx *b, struct bx_snap *s, const struct tbx_snap *opt, unsigned flags)
{
	const struct bx_keeping *k;
	char *said = NULL;
	int status;

	fill(b, s, opt);
	k = bx_keeping(b->store, bx_text(s->record, "sandbox"));
	if (!k)
		said = strdup(tbx_error(b->store));
	status = k ? bx_snap_save(s) : TBX_ERR_UNSUPPORTED;
	if (!status)
		status = k->take(b, s, flags | (opt->memory ? BX_TAKE_MEMORY : 0));
	if (!status) {
		bx_snap_hash(s);
		json_object_set_new(s->record, "state", json_string("ready"));
		status = bx_snap_save(s);
	}
	if (status && said)
		bx_fail(b->store, status, "%s", said);
	free(said);
	if (status)
		undo(s, status);
	return status;
}

static void warn_left_out(struct bx_snap *s)
{
	const json_t *list = json_object_get(s->record, "left_out");

	for (size_t i = 0; i < json_array_size(list); i++) {
		char *path = bx_json_copy(json_object_get(json_array_get(list, i), "path"));

		if (path)
			bx_plain(path);
		bx_warn(s->store, "%s: not in it: %s (%s)", s->id, path ? path : "?",
			bx_text(json_array_get(list, i), "why"));
		free(path);
	}
}

int tbx_snapshot(struct tbx_store *store, const char *box, const struct tbx_snap *given,
		 struct tbx_doc **doc)
{
	struct tbx_snap opt = TBX_SNAP_INIT;
	struct bx_snap s;
	struct bx b;
	int status;

	*doc = NULL;
	status = bx_take_options(store, &opt, sizeof(opt), given, "tbx_snap");
	if (!status)
		status = bx_open(store, box, BX_LOCK_WRITE, &b);
	if (status)
		return status;
	status = bx_snap_new(store, &s);
	if (!status)
		status = bx_snap_take(&b, &s, &opt, 0);
	if (!status) {
		json_t *fields = json_object();

		bx_put(fields, "snapshot", json_string(s.id));
		bx_audit(&b, "snapshot", fields);
		warn_left_out(&s);
		status = bx_doc(store, bx_snap_doc(&s), doc);
	}
	bx_snap_close(&s);
	bx_close(&b);
	return status;
}

/* ---- Looking ---- */

int tbx_snapshot_list(struct tbx_store *store, struct tbx_doc **out)
{
	json_t *doc = json_object(), *list = json_array(), *bad = json_array();
	char **ids;
	struct bx_snap s;
	int status = bx_snap_ids(store, &ids);

	for (size_t i = 0; !status && ids[i]; i++) {
		int found = bx_snap_open(store, ids[i], BX_LOCK_NONE, &s);
		json_t *item;

		if (!found) {
			json_array_append_new(list, bx_snap_doc(&s));
			bx_snap_close(&s);
		} else if (found != TBX_ERR_UNKNOWN) {
			char *path = bx_format("%s/snapshots/%s", store->path, ids[i]);

			item = json_object();
			bx_put(item, "path", bx_json_text(path));
			bx_put(item, "why", json_string(tbx_error(store)));
			json_array_append_new(bad, item);
			free(path);
		}
	}
	bx_put(doc, "snapshots", list);
	bx_put(doc, "damaged", bad);
	if (status) {
		json_decref(doc);
		return status;
	}
	bx_free_list(ids);
	return bx_doc(store, doc, out);
}

/* Of a state in which something can be made of it. */
static int open_ready(struct tbx_store *store, const char *name, struct bx_snap *s,
		      const struct bx_keeping **k)
{
	int status = bx_snap_open(store, name, BX_LOCK_NONE, s);

	if (status)
		return status;
	*k = bx_keeping(store, bx_text(s->record, "sandbox"));
	if (!*k)
		status = TBX_ERR_UNSUPPORTED;
	else if (strcmp(bx_text(s->record, "state"), "ready"))
		status = bx_fail(store, TBX_ERR_STATE, "%s is %s; `tinybox reap` tidies up", s->id,
				 bx_text(s->record, "state"));
	if (status)
		bx_snap_close(s);
	return status;
}

int tbx_snapshot_inspect(struct tbx_store *store, const char *snapshot, bool verify,
			 struct tbx_doc **doc)
{
	const struct bx_keeping *k;
	struct bx_snap s;
	int status = open_ready(store, snapshot, &s, &k);

	*doc = NULL;
	if (status)
		return status;
	status = k->check(&s, verify);
	if (!status)
		status = bx_doc(store, bx_snap_doc(&s), doc);
	bx_snap_close(&s);
	return status;
}

/* ---- Removing ---- */

/* Once its record is gone nobody would look on that machine for what is left of it. */
static int answers(struct bx_snap *s)
{
	const json_t *target = json_object_get(s->record, "target");
	struct bx_conn c;
	int status;

	if (!bx_is_ssh(target))
		return TBX_OK;
	status = bx_host(s->store, target, &c);
	if (!status)
		bx_conn_close(&c);
	return status;
}

int tbx_snapshot_remove(struct tbx_store *store, const char *snapshot)
{
	const struct bx_keeping *k;
	struct bx_snap s;
	json_t *doc;
	int status = bx_snap_open(store, snapshot, BX_LOCK_WRITE, &s), lock;

	if (status)
		return status;
	k = bx_keeping(store, bx_text(s.record, "sandbox"));
	status = answers(&s);
	lock = status ? -1 : bx_store_lock(store);
	if (!status && lock < 0)
		status = lock;
	doc = bx_snap_doc(&s);
	if (!status && json_array_size(json_object_get(doc, "templates")))
		status = bx_fail(store, TBX_ERR_STATE, "the template %s names %s; `tinybox template rm %s` "
				 "first", json_string_value(bx_at(doc, "templates[0]")), s.id,
				 json_string_value(bx_at(doc, "templates[0]")));
	json_decref(doc);
	if (!status)
		status = bx_snap_forget(&s);
	if (lock >= 0)
		close(lock);
	if (!status && k)
		status = k->drop(store, s.record);
	bx_snap_close(&s);
	return status;
}

/* All of them are those of the snapshot that it began from: there is nothing to look for. */
static bool still_has(struct tbx_store *store, const json_t *record)
{
	const char *id = bx_text(record, "begins");
	const json_t *parts = json_object_get(record, "parts"), *theirs;
	struct bx_snap s;
	bool all;

	if (!id || !bx_number_of(id, "snap") || bx_snap_open(store, id, BX_LOCK_NONE, &s))
		return false;
	theirs = json_object_get(s.record, "parts");
	all = !strcmp(bx_text(s.record, "state"), "ready") &&
		json_array_size(theirs) >= json_array_size(parts);
	for (size_t i = 0; all && i < json_array_size(parts); i++) {
		const char *a = bx_text(json_array_get(parts, i), "name");
		const char *b = bx_text(json_array_get(theirs, i), "name");

		all = a && b && !strcmp(a, b);
	}
	bx_snap_close(&s);
	return all;
}

void bx_snap_drop(struct tbx_store *store, const json_t *record)
{
	const char *sandbox = json_string_value(bx_at(record, "placement.workspace.sandbox"));
	const struct bx_keeping *k;

	if (!json_array_size(json_object_get(record, "parts")) || still_has(store, record))
		return;
	k = bx_keeping(store, sandbox);
	if (k)
		k->drop(store, record);	/* what cannot go now, reap takes */
}

/* ---- Differences ---- */

static bool same_text(const json_t *a, const json_t *b, const char *name)
{
	const char *x = bx_text(a, name), *y = bx_text(b, name);

	return x && y ? !strcmp(x, y) : x == y;
}

static void add_change(json_t *list, const char *path, const char *change, const json_t *entry)
{
	json_t *item = json_object();

	bx_put(item, "path", bx_json_text(path));
	bx_put(item, "change", json_string(change));
	bx_put(item, "type", json_incref(json_object_get(entry, "type")));
	bx_put(item, "size", json_incref(json_object_get(entry, "size")));
	json_array_append_new(list, item);
}

static void compare(const char *path, const json_t *old, const json_t *new, json_t *list)
{
	bool was = json_is_object(old), is = json_is_object(new);

	if (was && !is)
		add_change(list, path, "deleted", old);
	else if (!was && is)
		add_change(list, path, "added", new);
	else if (!was)
		return;
	else if (!same_text(old, new, "type") || !same_text(old, new, "hash") ||
		 bx_number(old, "size") != bx_number(new, "size"))
		add_change(list, path, "changed", new);
	else if (!same_text(old, new, "mode") || !same_text(old, new, "uid") || !same_text(old, new, "gid"))
		add_change(list, path, "mode", new);
}

static int by_path(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static json_t *changes(json_t *from, json_t *to)
{
	size_t n = 0, room = json_object_size(from) + json_object_size(to);
	const char **paths = calloc(room + 1, sizeof(*paths)), *key;
	json_t *list = json_array(), *value;

	if (!paths)
		return list;
	json_object_foreach(to, key, value)
		paths[n++] = key;
	json_object_foreach(from, key, value)
		if (!json_object_get(to, key))
			paths[n++] = key;
	qsort(paths, n, sizeof(*paths), by_path);
	for (size_t i = 0; i < n; i++) {
		json_t *old = json_object_get(from, paths[i]), *new = json_object_get(to, paths[i]);

		/* gone from what every box has: nothing of ours was there before */
		if (json_is_null(new) && !old)
			add_change(list, paths[i], "deleted", NULL);
		else
			compare(paths[i], old, new, list);
	}
	free(paths);
	return list;
}

/* What a box of a machine writes anew for itself is no change. */
static void drop_names(const char *sandbox, json_t *tree)
{
	static const char *const own[] = { "/etc/hostname", "/etc/hosts", "/etc/resolv.conf" };

	for (size_t i = 0; !strcmp(sandbox, "microvm") && i < sizeof(own) / sizeof(*own); i++)
		json_object_del(tree, own[i]);
}

static int tree_of(struct tbx_store *store, const char *name, json_t *tree, char **sandbox, json_t **spec)
{
	const struct bx_keeping *k;
	struct bx_snap s;
	int status = open_ready(store, name, &s, &k);

	if (status)
		return status;
	status = k->check(&s, false);
	*sandbox = strdup(k->sandbox);
	*spec = json_incref(json_object_get(s.record, "spec"));
	if (!status)
		status = k->tree ? k->tree(&s, tree) : bx_snap_look(store, s.id, tree);
	drop_names(k->sandbox, tree);
	bx_snap_close(&s);
	return status;
}

int tbx_snapshot_diff(struct tbx_store *store, const char *from, const char *to, struct tbx_doc **out)
{
	json_t *old = json_object(), *new = json_object(), *spec = NULL, *other_spec = NULL, *doc;
	char *kind = NULL, *other = NULL;
	int status;

	*out = NULL;
	status = tree_of(store, to, new, &kind, &spec);
	if (!status && from)
		status = tree_of(store, from, old, &other, &other_spec);
	else if (!status)
		status = bx_snap_look_new(store, kind, spec, old);
	if (!status && !from)
		drop_names(kind, old);
	if (!status && from && kind && other && strcmp(kind, other))
		status = bx_fail(store, TBX_ERR_ARGUMENT, "%s is of a %s box and %s of a %s box: they begin "
				 "from other files", from, other, to, kind);
	if (!status) {
		doc = json_object();
		bx_put(doc, "from", from ? json_string(from) : NULL);
		bx_put(doc, "to", json_string(to));
		bx_put(doc, "changes", changes(old, new));
		status = bx_doc(store, doc, out);
	}
	json_decref(old);
	json_decref(new);
	json_decref(spec);
	json_decref(other_spec);
	free(kind);
	free(other);
	return status;
}
