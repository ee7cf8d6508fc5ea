/*
 * The truth from the store, the state directories and the kernel. A box whose lock can be had has
 * no living owner; what it then says it is in the middle of will never be finished.
 */
#include "box/snap.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

struct reap {
	struct tbx_store *store;
	bool dry;
	json_t *boxes, *strays, *targets, *dead;
	uint64_t now;
};

static void note(json_t *list, const char *key, const char *what, const char *why, bool done,
		 const char *error)
{
	json_t *item = json_object();

	bx_put(item, key, bx_json_text(what));
	bx_put(item, "why", json_string(why));
	json_object_set_new(item, "done", json_boolean(done));
	if (error)
		bx_put(item, "error", json_string(error));
	json_array_append_new(list, item);
}

/* Why a box whose lock we hold must go; NULL: it stays. */
static const char *verdict(const struct reap *r, const struct bx *b)
{
	const char *state = bx_text(b->record, "state");

	if (!strcmp(state, "creating"))
		return "its creation was not finished";
	if (!strcmp(state, "removing"))
		return "its removal was not finished";
	if (!strcmp(state, "failed"))
		return "its creation failed";
	if (json_is_true(bx_at(b->record, "spec.transient")))
		return "it was for one run, whose caller is gone";
	return bx_expired(b->record, r->now) ? "its time is over" : NULL;
}

/* The target once more, for strays on other machines. */
static void remember_target(struct reap *r, const json_t *target)
{
	for (size_t i = 0; i < json_array_size(r->targets); i++)
		if (json_equal(json_array_get(r->targets, i), target))
			return;
	json_array_append(r->targets, (json_t *)(uintptr_t)target);
}

static void judge(struct reap *r, struct bx *b)
{
	const char *why = verdict(r, b);
	int status;

	if (bx_is_ssh(json_object_get(b->record, "target")))
		remember_target(r, json_object_get(b->record, "target"));
	if (!why)
		return;
	if (bx_is_dead(r->dead, json_object_get(b->record, "target")))
		status = bx_fail(r->store, TBX_ERR_HOST, "the machine does not answer");
	else
		status = r->dry ? TBX_OK : bx_destroy(b, false);
	bx_note_dead(r->dead, json_object_get(b->record, "target"), status);
	note(r->boxes, "id", b->id, why, !r->dry && !status, status ? tbx_error(r->store) : NULL);
}

/* ---- Without a record that can be read ---- */

/* What may be on this machine of a box of which only the number is known. */
int bx_remove_place(struct bx *b)
{
	struct stat st;
	char *path;

	if (fstatat(b->dir, "run", &st, AT_SYMLINK_NOFOLLOW))
		return TBX_OK;
	path = bx_format("%s/boxes/%s/run", b->store->path, b->id);
	json_decref(b->record);
	b->record = json_object();
	bx_put(b->record, "dir", bx_json_text(path));
	bx_put(b->record, "target", json_pack("{s:s}", "host", "local"));
	free(path);
	return bx_host_remove(b, false);
}

/* The directory, for someone to look at. */
static int set_aside(struct bx *b)
{
	char name[BX_NAME_MAX + 32];
	int dir;

	mkdirat(b->store->dir, "damaged", 0700);
	dir = openat(b->store->dir, "damaged", O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	snprintf(name, sizeof(name), "%s-%llu", b->id, (unsigned long long)(bx_now() / BX_SECOND));
	if (dir < 0 || renameat(b->store->boxes, b->id, dir, name)) {
		if (dir >= 0)
			close(dir);
		return bx_fail(b->store, TBX_ERR_STORE, "%s: cannot be set aside: %s", b->id,
			       strerror(errno));
	}
	close(dir);
	return TBX_OK;
}

/* Under the store's lock: a directory without a record and without an owner is a dead creation. */
static void judge_nameless(struct reap *r, const char *id, bool damaged)
{
	struct bx b = {.store = r->store, .dir = -1, .lock = -1};
	char *path = bx_format("%s/boxes/%s", r->store->path, id);
	char *why = damaged ? strdup(tbx_error(r->store)) : strdup("it has no record");
	int status = TBX_OK;

	snprintf(b.id, sizeof(b.id), "%s", id);
	b.dir = openat(r->store->boxes, id, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (b.dir >= 0 && bx_try_lock(&b)) {
		if (!r->dry) {
			status = bx_remove_place(&b);
			if (!status)
				status = damaged ? set_aside(&b) : bx_forget(&b);
		}
		note(r->strays, "path", path, why ? why : "", !r->dry && !status,
		     status ? tbx_error(r->store) : NULL);
	}
	bx_close(&b);
	free(path);
	free(why);
}

static void look_at(struct reap *r, const char *id)
{
	struct bx b;
	int status = bx_open(r->store, id, BX_LOCK_TRY, &b), lock;

	if (!status) {
		judge(r, &b);
		bx_close(&b);
		return;
	}
	if (status != TBX_ERR_UNKNOWN && status != TBX_ERR_STORE)
		return;		/* busy: it has an owner */
	if (status == TBX_ERR_STORE) {
		judge_nameless(r, id, true);
		return;
	}
	lock = bx_store_lock(r->store);
	if (lock < 0)
		return;
	judge_nameless(r, id, false);
	close(lock);
}

/* ---- Leftovers ---- */

/* Whether whoever was removing it has died. */
static bool is_abandoned(struct reap *r, const char *name)
{
	int fd = openat(r->store->boxes, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	bool dead = fd >= 0 && !flock(fd, LOCK_EX | LOCK_NB) && !faccessat(r->store->boxes, name, F_OK, 0);

	if (fd >= 0)
		close(fd);
	return dead;
}

static void look_at_gone(struct reap *r)
{
	int fd = openat(r->store->boxes, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *d = fd < 0 ? NULL : fdopendir(fd);
	struct dirent *e;

	while (d && (e = readdir(d))) {
		char *path;
		int status = 0;

		if (strncmp(e->d_name, ".gone-", 6) || !is_abandoned(r, e->d_name))
			continue;
		if (!r->dry)
			status = bx_remove_tree(r->store->boxes, e->d_name);
		path = bx_format("%s/boxes/%s", r->store->path, e->d_name);
		note(r->strays, "path", path, "its removal was not finished", !r->dry && !status,
		     status ? strerror(errno) : NULL);
		free(path);
	}
	if (d)
		closedir(d);
}

/* A name whose box is gone. Under the store's lock, as names are claimed under it. */
static void look_at_names(struct reap *r)
{
	int lock = bx_store_lock(r->store), fd;
	char id[BX_NAME_MAX + 2];
	struct dirent *e;
	ssize_t n;
	DIR *d;

	if (lock < 0)
		return;
	fd = openat(r->store->names, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	d = fd < 0 ? NULL : fdopendir(fd);
	while (d && (e = readdir(d))) {
		n = readlinkat(r->store->names, e->d_name, id, sizeof(id) - 1);
		if (n <= 0)
			continue;
		id[n] = '\0';
		if (faccessat(r->store->boxes, id, F_OK, 0) && !r->dry)
			unlinkat(r->store->names, e->d_name, 0);
	}
	if (d)
		closedir(d);
	close(lock);
}

/* A control group of a box that is not in the store. */
static void look_at_group(void *ctx, const char *id, int dir, const char *group)
{
	struct reap *r = ctx;
	int lock, status = TBX_OK;

	if (!faccessat(r->store->boxes, id, F_OK, 0) || (lock = bx_store_lock(r->store)) < 0)
		return;
	if (faccessat(dir, group, F_OK, 0)) {
		close(lock);		/* it went with its box meanwhile */
		return;
	}
	if (!r->dry)
		status = bx_sweep_group(r->store, id);
	note(r->strays, "path", group, "a control group without a box", !r->dry && !status,
	     status ? tbx_error(r->store) : NULL);
	close(lock);
}

/* ---- Other machines ---- */

/* "box-N-TAG" is ours; not in the store any more: a stray. */
static bool is_stray(const struct reap *r, const char *name)
{
	size_t n = strlen(name), tag = strlen(r->store->tag);
	char id[BX_NAME_MAX + 1];

	if (n <= tag + 1 || n - tag - 1 >= sizeof(id) || name[n - tag - 1] != '-' ||
	    strcmp(name + n - tag, r->store->tag))
		return false;
	memcpy(id, name, n - tag - 1);
	id[n - tag - 1] = '\0';
	if (!bx_number_of(id, "box"))
		return false;		/* layers: snap_reap.c */
	return tbx_is_name(id) && faccessat(r->store->boxes, id, F_OK, 0);
}

static void remove_stray(struct reap *r, const json_t *target, const char *place,
			 const char *name)
{
	char *path = bx_format("%s/%s", place, name);
	struct wire_frame f;
	struct bx_conn c;
	int status = r->dry ? TBX_OK : bx_host(r->store, target, &c);

	if (!status && !r->dry) {
		wire_begin(&c.out, WIRE_HOST_REMOVE);
		wire_text(&c.out, WIRE_F_DIR, path);
		wire_text(&c.out, WIRE_F_BOX, name);
		wire_end(&c.out);
		status = bx_ask(&c, &f);
		bx_conn_close(&c);
	}
	note(r->strays, "path", path, "no box of this store is there", !r->dry && !status,
	     status ? tbx_error(r->store) : NULL);
	free(path);
}

static void look_at_host(struct reap *r, const json_t *target)
{
	struct wire_field_in box, id;
	struct wire_frame f;
	struct wire_iter it;
	struct bx_conn c;
	char *place = NULL, *name;
	bool bad = false;
	int status = bx_is_dead(r->dead, target) ? bx_fail(r->store, TBX_ERR_HOST, "the machine does not "
			"answer") : bx_ssh_place(r->store, target, NULL, &place);

	if (!status)
		status = bx_host(r->store, target, &c);
	if (status) {
		place = status && place ? place : bx_target_text(target);
		note(r->strays, "path", place, "the machine cannot be asked", false, tbx_error(r->store));
		free(place);
		return;
	}
	wire_begin(&c.out, WIRE_HOST_BOXES);
	wire_text(&c.out, WIRE_F_DIR, place);
	wire_end(&c.out);
	status = bx_ask(&c, &f);
	it = status ? (struct wire_iter){0} : wire_fields(&f);
	while (!status && wire_step(&it, &box)) {
		if (box.name != WIRE_F_BOX || !wire_find(wire_nested(&box), WIRE_F_BOX, &id))
			continue;
		name = wire_copy(&id, &bad);
		if (name && tbx_is_name(name) && is_stray(r, name))
			remove_stray(r, target, place, name);
		free(name);
	}
	bx_conn_close(&c);
	free(place);
}

static void stray_found(void *ctx, const char *path, const char *why, int status)
{
	struct reap *r = ctx;

	note(r->strays, "path", path, why, !r->dry && !status, status ? tbx_error(r->store) : NULL);
}

int tbx_reap(struct tbx_store *store, bool dry, struct tbx_doc **doc)
{
	struct reap r = {.store = store, .dry = dry, .boxes = json_array(), .strays = json_array(),
		.dead = json_array(), .targets = json_array(), .now = bx_now()};
	json_t *root = json_object();
	char **ids;
	int status = bx_ids(store, &ids);

	for (size_t i = 0; !status && ids[i]; i++)
		look_at(&r, ids[i]);
	if (!status) {
		look_at_gone(&r);
		look_at_names(&r);
		bx_groups(store, look_at_group, &r);
		for (size_t i = 0; i < json_array_size(r.targets); i++)
			look_at_host(&r, json_array_get(r.targets, i));
		bx_engine_reap(store, dry, r.dead, stray_found, &r);
		bx_snap_targets(store, r.targets);
		bx_snap_reap(store, dry, r.targets, r.dead, stray_found, &r);
		bx_free_list(ids);
	}
	json_decref(r.targets);
	json_decref(r.dead);
	bx_put(root, "boxes", r.boxes);
	bx_put(root, "strays", r.strays);
	if (!status)
		return bx_doc(store, root, doc);
	json_decref(root);
	return status;
}
