/*
 * Container engines that a store's boxes are or were on: which machines (STORE/engines), and for reap
 * what is there of boxes that the store does not know any more. A box's directory is made before its
 * container, and its id is never given twice: so what is listed first and then has no directory is a stray.
 */
#include "box/snap.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static json_t *read_engines(struct tbx_store *store)
{
	int fd = openat(store->dir, "engines", O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
	json_t *list = fd < 0 ? NULL : json_loadfd(fd, JSON_REJECT_DUPLICATES, NULL);

	if (fd >= 0)
		close(fd);
	if (json_is_array(list))
		return list;
	json_decref(list);
	return json_array();
}

static bool write_engines(struct tbx_store *store, const json_t *list)
{
	int fd = openat(store->dir, "engines.new", O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, 0600);
	bool good = fd >= 0 && !json_dumpfd(list, fd, JSON_COMPACT) && !fdatasync(fd);

	if (fd >= 0)
		close(fd);
	return good && !renameat(store->dir, "engines.new", store->dir, "engines");
}

int bx_note_engine(struct bx *b)
{
	const char *kind = json_string_value(bx_at(b->record, "placement.workspace.sandbox"));
	json_t *target = json_object_get(b->record, "target"), *list;
	bool known = false;
	int lock;

	if (!kind || strcmp(kind, "docker"))
		return TBX_OK;
	lock = bx_store_lock(b->store);
	if (lock < 0)
		return lock;
	list = read_engines(b->store);
	for (size_t i = 0; i < json_array_size(list); i++)
		known = known || json_equal(json_array_get(list, i), target);
	if (!known) {
		json_array_append(list, target);
		known = write_engines(b->store, list);
	}
	json_decref(list);
	close(lock);
	return known ? TBX_OK : bx_fail(b->store, TBX_ERR_STORE, "%s/engines: %s", b->store->path,
					strerror(errno));
}

bool bx_has_engine(struct tbx_store *store, const json_t *target)
{
	json_t *list = read_engines(store);
	bool known = false;

	for (size_t i = 0; i < json_array_size(list); i++)
		known = known || json_equal(json_array_get(list, i), target);
	json_decref(list);
	return known;
}

/* ---- Strays ---- */

static int drop(struct tbx_store *store, const json_t *target, const char *what)
{
	struct wire_frame f;
	struct bx_conn c;
	int status = bx_host(store, target, &c);

	if (status)
		return status;
	wire_begin(&c.out, WIRE_ENGINE_DROP);
	wire_text(&c.out, WIRE_F_NAME, what);
	wire_end(&c.out);
	status = bx_ask(&c, &f);
	bx_conn_close(&c);
	return status;
}

struct look {
	struct tbx_store *store;
	const json_t *target;
	bool dry;
	bx_stray_fn *found;
	void *ctx;
};

/* "box-3-TAG" without the tag; false: no box's. */
static bool box_id(const struct tbx_store *store, const char *name, char id[BX_NAME_MAX + 1])
{
	size_t n = strlen(name), tag = strlen(store->tag);

	if (n < tag + 2 || n - tag - 1 > BX_NAME_MAX || strcmp(name + n - tag, store->tag))
		return false;
	memcpy(id, name, n - tag - 1);
	id[n - tag - 1] = '\0';
	return tbx_is_name(id);
}

static void look_at_one(struct look *l, struct wire_iter it)
{
	bool bad = false;
	char *name = wire_string(it, WIRE_F_BOX, &bad), *what = wire_string(it, WIRE_F_NAME, &bad);
	char id[BX_NAME_MAX + 1], *shown;
	int status = TBX_OK;

	if (!bad && name && what && box_id(l->store, name, id) &&
	    faccessat(l->store->boxes, id, F_OK, AT_SYMLINK_NOFOLLOW) && errno == ENOENT) {
		if (!l->dry)
			status = drop(l->store, l->target, what);
		shown = bx_format("%s %s", strchr(what, ':') ? "image" : "container", what);
		l->found(l->ctx, shown ? shown : what, "no box of this store has it", status);
		free(shown);
	}
	free(name);
	free(what);
}

static void look_at_engine(struct look *l, json_t *dead)
{
	struct wire_field_in box;
	struct wire_frame f;
	struct wire_iter it;
	struct bx_conn c;
	char *where;
	int status = bx_is_dead(dead, l->target) ? bx_fail(l->store, TBX_ERR_HOST, "the machine does not "
							   "answer") : bx_host(l->store, l->target, &c);

	if (!status) {
		wire_begin(&c.out, WIRE_ENGINE_LIST);
		wire_text(&c.out, WIRE_F_LABEL, l->store->tag);
		wire_end(&c.out);
		status = bx_ask(&c, &f);
		it = status ? (struct wire_iter){0} : wire_fields(&f);
		while (!status && wire_step(&it, &box))
			if (box.name == WIRE_F_BOX)
				look_at_one(l, wire_nested(&box));
		bx_conn_close(&c);
	} else {
		bx_note_dead(dead, l->target, status);
	}
	if (!status)
		return;
	where = bx_target_text(l->target);
	l->found(l->ctx, where ? where : "", "its container engine cannot be asked", status);
	free(where);
}

static bool snapshot_on(struct tbx_store *store, const json_t *target)
{
	bool found = false;
	struct bx_snap s;
	char **ids;

	if (bx_snap_ids(store, &ids))
		return true;
	for (size_t i = 0; ids[i] && !found; i++) {
		const char *kind;

		if (bx_snap_open(store, ids[i], BX_LOCK_NONE, &s))
			continue;
		kind = bx_text(s.record, "sandbox");
		found = kind && !strcmp(kind, "docker") && json_equal(json_object_get(s.record, "target"), target);
		bx_snap_close(&s);
	}
	bx_free_list(ids);
	return found;
}

/* Whether a box that the store knows is there, or a snapshot of one. */
static bool in_use(struct tbx_store *store, const json_t *target)
{
	bool used = false;
	char **ids;
	struct bx b;

	if (bx_ids(store, &ids))
		return true;
	for (size_t i = 0; ids[i] && !used; i++) {
		const char *kind;

		if (bx_open(store, ids[i], BX_LOCK_NONE, &b))
			continue;
		kind = json_string_value(bx_at(b.record, "placement.workspace.sandbox"));
		used = kind && !strcmp(kind, "docker") && json_equal(json_object_get(b.record, "target"), target);
		bx_close(&b);
	}
	bx_free_list(ids);
	return used || snapshot_on(store, target);
}

/* Machines on which there was nothing any more are not asked for ever. */
static void forget(struct tbx_store *store, const json_t *gone)
{
	int lock = bx_store_lock(store);
	json_t *list;

	if (lock < 0)
		return;
	list = read_engines(store);
	for (size_t i = json_array_size(list); i--;)
		for (size_t k = 0; k < json_array_size(gone); k++)
			if (json_equal(json_array_get(list, i), json_array_get(gone, k)) &&
			    !in_use(store, json_array_get(list, i))) {
				json_array_remove(list, i);
				break;
			}
	if (json_array_size(list))
		write_engines(store, list);
	else
		unlinkat(store->dir, "engines", 0);
	json_decref(list);
	close(lock);
}

struct counted {
	bx_stray_fn *found;
	void *ctx;
	size_t count;
};

static void count(void *ctx, const char *path, const char *why, int status)
{
	struct counted *c = ctx;

	c->count++;
	c->found(c->ctx, path, why, status);
}

void bx_engine_reap(struct tbx_store *store, bool dry, json_t *dead, bx_stray_fn *found, void *ctx)
{
	json_t *list = read_engines(store), *quiet = json_array();

	for (size_t i = 0; i < json_array_size(list); i++) {
		struct counted c = {.found = found, .ctx = ctx};
		struct look l = {.store = store, .target = json_array_get(list, i), .dry = dry,
			.found = count, .ctx = &c};

		look_at_engine(&l, dead);
		if (!c.count && !dry)
			json_array_append(quiet, (json_t *)(uintptr_t)l.target);
	}
	if (json_array_size(quiet))
		forget(store, quiet);
	json_decref(quiet);
	json_decref(list);
}
