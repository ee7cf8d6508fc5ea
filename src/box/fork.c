/*
 * Boxes that begin from what was kept: forks, and boxes of a snapshot or a template. Their records name
 * the parts before anything is made, so that these stay.
 */
#include "box/snap.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define FORKS_MOST 10000u
#define HOUR (3600 * BX_SECOND)

static int not_ready(const struct bx_snap *s)
{
	return bx_fail(s->store, TBX_ERR_STATE, "%s is %s; `tinybox reap` tidies up", s->id,
		       bx_text(s->record, "state"));
}

/* ---- A box of a snapshot ---- */

static bool env_has(const json_t *env, const char *entry)
{
	size_t n = strcspn(entry, "=") + 1;

	for (size_t i = 0; i < json_array_size(env); i++) {
		const char *other = json_string_value(json_array_get(env, i));

		if (other && !strncmp(other, entry, n))
			return true;
	}
	return false;
}

static void merge_list(json_t *spec, const json_t *from, const char *name,
		       bool (*has)(const json_t *list, const char *entry))
{
	json_t *list = json_object_get(spec, name);
	const json_t *old = json_object_get(from, name);

	for (size_t i = 0; list && i < json_array_size(old); i++) {
		const char *entry = json_string_value(json_array_get(old, i));

		if (!entry || !has(list, entry))
			json_array_append(list, json_array_get(old, i));
	}
}

static bool list_has(const json_t *list, const char *entry)
{
	for (size_t i = 0; i < json_array_size(list); i++) {
		const char *other = json_string_value(json_array_get(list, i));

		if (other && !strcmp(other, entry))
			return true;
	}
	return false;
}

/* Where the spec says nothing. */
static void merge(const struct tbx_spec *given, json_t *spec, const json_t *from)
{
	static const char *const words[] = { "cwd", "hostname" };
	json_t *limits = json_object_get(spec, "resources"), *value;
	const char *name;

	json_object_foreach(json_object_get(from, "resources"), name, value)
		if (!json_object_get(limits, name))
			json_object_set(limits, name, value);
	for (size_t i = 0; i < 2; i++)
		if (!json_object_get(spec, words[i]) && json_object_get(from, words[i]))
			json_object_set(spec, words[i], json_object_get(from, words[i]));
	if (!given->workspace)
		json_object_set(spec, "workspace", json_object_get(from, "workspace"));
	merge_list(spec, from, "env", env_has);
	merge_list(spec, from, "accept", list_has);
	bx_secrets_adopt(spec, from);
}

/* The machine is the snapshot's: nobody else has its layers. */
static int put_place(struct bx_snap *s, const struct tbx_spec *spec, json_t *record)
{
	const json_t *theirs = json_object_get(s->record, "target");
	json_t *ours = json_object_get(record, "target");
	const char *sandbox = bx_text(s->record, "sandbox");
	json_t *placement = json_object_get(record, "placement");
	char *where = bx_target_text(theirs), *a, *b;
	bool same;

	a = bx_format("%s:%llu", where, (unsigned long long)bx_number(theirs, "port"));
	free(where);
	where = bx_target_text(ours);
	b = bx_format("%s:%llu", where, (unsigned long long)bx_number(ours, "port"));
	same = a && b && !strcmp(a, b);
	free(where);
	free(a);
	free(b);
	if (spec->target.host && !same)
		return bx_fail(s->store, TBX_ERR_ARGUMENT, "%s is on another machine than --host says; "
			       "`tinybox snapshot export` and `import` bring it there", s->id);
	if (spec->sandbox && strcmp(spec->sandbox, sandbox))
		return bx_fail(s->store, TBX_ERR_ARGUMENT, "%s was taken of a %s box: a %s box cannot begin "
			       "from it", s->id, sandbox, spec->sandbox);
	if (!same)
		json_object_set_new(record, "target", json_deep_copy(theirs));
	where = bx_target_text(theirs);
	json_object_set_new(json_object_get(placement, "workspace"), "sandbox", json_string(sandbox));
	json_object_set_new(json_object_get(placement, "workspace"), "host", json_string(where));
	if (!spec->runner_sandbox)
		json_object_set_new(json_object_get(placement, "runner"), "sandbox", json_string(sandbox));
	if (!spec->runner_host)
		json_object_set_new(json_object_get(placement, "runner"), "host", json_string(where));
	free(where);
	return TBX_OK;
}

int bx_snap_source(struct tbx_store *store, const struct tbx_spec *spec, json_t *record)
{
	json_t *out = json_object_get(record, "spec"), *source = json_object_get(out, "source");
	const struct bx_keeping *k;
	struct bx_snap s;
	bool template = spec->source == TBX_SOURCE_TEMPLATE, id = bx_number_of(spec->from, "snap");
	int status;

	if (template == id)
		return bx_fail(store, TBX_ERR_ARGUMENT, template ? "--template '%s' is a snapshot: use "
			       "--snapshot" : "--snapshot '%s' is no snapshot's id; a template's name "
			       "belongs to --template", spec->from);
	status = bx_snap_open(store, spec->from, BX_LOCK_NONE, &s);
	if (status)
		return status;
	k = bx_keeping(store, bx_text(s.record, "sandbox"));
	if (!k)
		status = TBX_ERR_UNSUPPORTED;
	else if (strcmp(bx_text(s.record, "state"), "ready"))
		status = not_ready(&s);
	if (!status)
		status = put_place(&s, spec, record);
	if (!status)
		status = k->check(&s, false);
	if (!status) {
		bx_put(source, "from", json_string(spec->from));
		bx_put(source, "snapshot", json_string(s.id));
		merge(spec, out, json_object_get(s.record, "spec"));
		status = k->begin(&s, record);
		bx_put(record, "begins", json_string(s.id));
	}
	bx_snap_close(&s);
	return status;
}

/* A snapshot that went meanwhile may have taken its parts along. */
int bx_snap_commit(struct bx *b)
{
	const char *id = bx_text(b->record, "begins");
	struct tbx_store *store = b->store;
	char path[BX_NAME_MAX + 40];
	int lock, status;

	if (!id || !tbx_is_name(id))
		return bx_save(b);
	lock = bx_store_lock(store);
	if (lock < 0)
		return lock;
	snprintf(path, sizeof(path), "snapshots/%s/record.json", id);
	status = faccessat(store->dir, path, F_OK, AT_SYMLINK_NOFOLLOW) ?
		bx_fail(store, TBX_ERR_UNKNOWN, "%s was removed meanwhile", id) : bx_save(b);
	close(lock);
	return status;
}

/* ---- Forks ---- */

static void put_life(json_t *record, json_t *spec, const struct tbx_fork *opt)
{
	const json_t *old = json_object_get(spec, "lifecycle");
	const char *kind = bx_text(old, "kind");
	uint64_t ttl = opt->ttl ? opt->ttl : bx_number(old, "ttl"), now = bx_now();
	bool persistent = opt->persistent || (!opt->ttl && kind && !strcmp(kind, "persistent"));
	json_t *life = json_object();

	ttl = ttl ? ttl : HOUR;
	bx_put_number(record, "created_at", now);
	json_object_set_new(life, "kind", json_string(persistent ? "persistent" : "ephemeral"));
	if (!persistent) {
		bx_put_number(life, "ttl", ttl);
		bx_put_number(record, "expires_at", now + ttl);
	}
	json_object_set_new(spec, "lifecycle", life);
}

/* Two cannot listen at one port: each gets one that is free. */
static void free_ports(json_t *spec)
{
	json_t *ports = json_object_get(spec, "ports");

	for (size_t i = 0; i < json_array_size(ports); i++)
		json_object_set_new(json_array_get(ports, i), "host", json_integer(0));
}

static json_t *record_of(const struct bx_snap *s, const struct tbx_fork *opt, uint32_t i)
{
	json_t *record = json_object(), *spec = json_deep_copy(json_object_get(s->record, "spec"));
	char *name = !opt->name ? NULL : opt->count > 1 ? bx_format("%s-%u", opt->name, i + 1) :
		strdup(opt->name);

	json_object_set_new(record, "version", json_integer(BX_RECORD_VERSION));
	bx_put(record, "target", json_deep_copy(json_object_get(s->record, "target")));
	bx_put(record, "placement", json_deep_copy(json_object_get(s->record, "placement")));
	bx_put(record, "spec", spec);
	bx_put(record, "begins", json_string(s->id));
	json_object_del(spec, "name");
	bx_put(spec, "name", name ? json_string(name) : NULL);
	free(name);
	free_ports(spec);
	put_life(record, spec, opt);
	return record;
}

static void warn_shared(const struct bx_snap *s)
{
	const json_t *source = bx_at(s->record, "spec.source");
	const char *kind = bx_text(source, "kind");
	char *path;

	if (!kind || strcmp(kind, "directory") || !strcmp(bx_text(s->record, "sandbox"), "microvm"))
		return;
	path = bx_json_copy(json_object_get(source, "from"));
	if (path)
		bx_plain(path);
	bx_warn(s->store, "the workspace is a directory of the host, which all of them share: %s",
		path ? path : "?");
	free(path);
}

/*
 * One wait for the disk, however many. A machine that loses power before it may know nothing of the
 * forks; a process that dies loses nothing.
 */
static int sync_all(struct tbx_store *store)
{
	store->later = false;
	return syncfs(store->dir) ? bx_fail(store, TBX_ERR_STORE, "%s: cannot be synced: %s", store->path,
					    strerror(errno)) : TBX_OK;
}

/* All, or none. */
static int make_all(struct bx_snap *s, const struct bx_keeping *k, const struct tbx_fork *opt,
		    json_t *boxes)
{
	int status = TBX_OK;

	s->store->later = opt->count > 1;
	for (uint32_t i = 0; !status && i < opt->count; i++) {
		json_t *record = record_of(s, opt, i);
		struct tbx_doc *box = NULL;

		status = k->begin(s, record);
		if (status)
			json_decref(record);
		else
			status = bx_create_of(s->store, record, &box);
		if (!status)
			json_array_append(boxes, box->root);
		tbx_doc_free(box);
	}
	if (!status && s->store->later)
		status = sync_all(s->store);
	s->store->later = false;
	if (status) {
		char *error = strdup(tbx_error(s->store));

		for (size_t i = 0; i < json_array_size(boxes); i++)
			tbx_remove(s->store, bx_text(json_array_get(boxes, i), "id"), 0);
		bx_fail(s->store, status, "%s", error ? error : "no memory");
		free(error);
	}
	return status;
}

static int fork_of(struct bx_snap *s, const struct tbx_fork *opt, const char *from, struct tbx_doc **out)
{
	const struct bx_keeping *k = bx_keeping(s->store, bx_text(s->record, "sandbox"));
	json_t *boxes = json_array(), *doc;
	int status = k ? TBX_OK : TBX_ERR_UNSUPPORTED;

	if (!status && strcmp(bx_text(s->record, "state"), "ready"))
		status = not_ready(s);
	if (!status)
		status = k->check(s, false);
	if (!status)
		warn_shared(s);
	if (!status)
		status = make_all(s, k, opt, boxes);
	if (status) {
		json_decref(boxes);
		return status;
	}
	doc = json_object();
	bx_put(doc, "from", json_string(from));
	bx_put(doc, "boxes", boxes);
	return bx_doc(s->store, doc, out);
}

/* What a box has now, kept for as long as it takes. */
static int fork_box(struct bx *b, const struct tbx_fork *opt, const char *from, struct tbx_doc **out)
{
	struct tbx_snap how = TBX_SNAP_INIT;
	const struct bx_keeping *k;
	struct bx_snap s;
	int status = bx_snap_new(b->store, &s);
	char *error;

	how.memory = opt->memory;
	if (!status)
		status = bx_snap_take(b, &s, &how, BX_TAKE_PLAIN);
	if (!status) {
		k = bx_keeping(b->store, bx_text(s.record, "sandbox"));
		status = fork_of(&s, opt, from, out);
		error = strdup(tbx_error(b->store));
		if (!bx_snap_forget(&s) && k)
			k->drop(b->store, s.record);
		if (status)
			bx_fail(b->store, status, "%s", error ? error : "no memory");
		free(error);
	}
	bx_snap_close(&s);
	return status;
}

static int check_options(struct tbx_store *store, struct tbx_fork *opt)
{
	opt->count = opt->count ? opt->count : 1;
	if (opt->count > FORKS_MOST)
		return bx_fail(store, TBX_ERR_ARGUMENT, "at most %u forks at once", FORKS_MOST);
	if (opt->persistent && opt->ttl)
		return bx_fail(store, TBX_ERR_ARGUMENT, "--persistent and --ttl: a box that is persistent "
			       "has no end");
	if (opt->ttl > (uint64_t)INT64_MAX - bx_now())
		return bx_fail(store, TBX_ERR_ARGUMENT, "--ttl is too long; use --persistent");
	if (opt->name && (!tbx_is_name(opt->name) || strlen(opt->name) > 56 ||
			  (!strncmp(opt->name, "box-", 4) && isdigit((unsigned char)opt->name[4]))))
		return bx_fail(store, TBX_ERR_ARGUMENT, "--name: use letters, digits, dots, dashes and "
			       "underscores, 1 to 56, no dash or dot first, and not a box's own id");
	return TBX_OK;
}

int tbx_fork(struct tbx_store *store, const char *from, const struct tbx_fork *given,
	     struct tbx_doc **out)
{
	struct tbx_fork opt = TBX_FORK_INIT;
	struct bx_snap s;
	struct bx b;
	int status;

	*out = NULL;
	status = bx_take_options(store, &opt, sizeof(opt), given, "tbx_fork");
	if (!status)
		status = check_options(store, &opt);
	if (status)
		return status;
	if (!tbx_is_name(from))
		return bx_fail(store, TBX_ERR_ARGUMENT, "not the name of a box or a snapshot");
	status = bx_number_of(from, "snap") ? TBX_ERR_UNKNOWN : bx_open(store, from, BX_LOCK_WRITE, &b);
	if (!status) {
		status = fork_box(&b, &opt, from, out);
		bx_close(&b);
		return status;
	}
	if (status != TBX_ERR_UNKNOWN)
		return status;
	if (bx_snap_open(store, from, BX_LOCK_NONE, &s))
		return bx_fail(store, TBX_ERR_UNKNOWN, "there is no box, snapshot or template %s", from);
	status = fork_of(&s, &opt, from, out);
	bx_snap_close(&s);
	return status;
}
