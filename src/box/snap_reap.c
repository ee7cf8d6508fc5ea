/*
 * reap's part of what is kept: snapshots whose maker died, damaged ones, and parts that nobody names.
 */
#include "box/snap.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

struct sweep {
	struct tbx_store *store;
	bool dry;
	bx_found_fn *found;
	void *ctx;
};

static void tell(struct sweep *w, const char *id, const char *why, int status)
{
	char *path = bx_format("%s/snapshots/%s", w->store->path, id);

	if (path)
		w->found(w->ctx, path, why, status);
	free(path);
}

/* Its lock is held: whoever was at it is dead. */
static void judge(struct sweep *w, struct bx_snap *s)
{
	const struct bx_keeping *k;
	int status = TBX_OK;

	if (!strcmp(bx_text(s->record, "state"), "ready"))
		return;
	k = bx_keeping(w->store, bx_text(s->record, "sandbox"));
	if (!w->dry) {
		status = bx_snap_forget(s);
		if (!status && k)
			status = k->drop(w->store, s->record);
	}
	tell(w, s->id, "its making was not finished", status);
}

static int set_aside(struct sweep *w, const char *id)
{
	char name[BX_NAME_MAX + 32], from[BX_NAME_MAX + 16];
	int to = bx_dir_make(w->store->dir, "damaged"), status = TBX_OK;

	snprintf(name, sizeof(name), "%s-%llu", id, (unsigned long long)(bx_now() / BX_SECOND));
	snprintf(from, sizeof(from), "snapshots/%s", id);
	if (to < 0 || renameat(w->store->dir, from, to, name))
		status = bx_fail(w->store, TBX_ERR_STORE, "%s: cannot be set aside: %s", id, strerror(errno));
	if (to >= 0)
		close(to);
	return status;
}

/* Under the store's lock, so nobody is about to write its record. */
static void judge_nameless(struct sweep *w, const char *id, bool damaged)
{
	int lock = bx_store_lock(w->store), dir = -1, own = -1, all, status = TBX_OK;
	char *why = damaged ? strdup(tbx_error(w->store)) : NULL;

	all = lock < 0 ? -1 : bx_dir_make(w->store->dir, "snapshots");
	if (all >= 0)
		dir = openat(all, id, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (dir >= 0)
		own = bx_file_lock(dir, "lock", O_CREAT, LOCK_EX | LOCK_NB);
	if (own >= 0) {
		if (!w->dry)
			status = damaged ? set_aside(w, id) : bx_remove_tree(all, id) ? TBX_ERR_STORE : TBX_OK;
		tell(w, id, why ? why : "it has no record", status);
	}
	if (own >= 0)
		close(own);
	if (dir >= 0)
		close(dir);
	if (all >= 0)
		close(all);
	if (lock >= 0)
		close(lock);
	free(why);
}

static void look_at(struct sweep *w, const char *id)
{
	struct bx_snap s;
	int status = bx_snap_open(w->store, id, BX_LOCK_TRY, &s);

	if (!status) {
		judge(w, &s);
		bx_snap_close(&s);
	} else if (status == TBX_ERR_STORE || status == TBX_ERR_UNKNOWN) {
		judge_nameless(w, id, status == TBX_ERR_STORE);
	}
}

static void stray(void *ctx, const char *path, int status)
{
	struct sweep *w = ctx;

	w->found(w->ctx, path, "no box and no snapshot is made of it", status);
}

/* What a machine has of each kind of parts; the first failure. */
static int strays(struct sweep *w, const json_t *target)
{
	int status = TBX_OK;

	for (size_t i = 0; bx_keepings[i]; i++) {
		const struct bx_keeping *k = bx_keepings[i];
		bool seen = !k->strays;

		for (size_t j = 0; j < i; j++)
			seen = seen || bx_keepings[j]->strays == k->strays;
		if (!seen && !status)
			status = k->strays(w->store, target, w->dry, stray, w);
	}
	return status;
}

static bool is_known(const json_t *list, const json_t *target)
{
	for (size_t i = 0; i < json_array_size(list); i++)
		if (json_equal(json_array_get(list, i), target))
			return true;
	return false;
}

/* On another machine, which may not answer. */
static void look_there(struct sweep *w, const json_t *target, json_t *dead)
{
	int status = strays(w, target);
	char *where = status ? bx_target_text(target) : NULL;

	bx_note_dead(dead, target, status);
	if (where)
		w->found(w->ctx, where, "what was kept there cannot be looked at", status);
	free(where);
}

void bx_snap_targets(struct tbx_store *store, json_t *targets)
{
	struct bx_snap s;
	char **ids;

	if (bx_snap_ids(store, &ids))
		return;
	for (size_t i = 0; ids[i]; i++) {
		json_t *target;

		if (bx_snap_open(store, ids[i], BX_LOCK_NONE, &s))
			continue;
		target = json_object_get(s.record, "target");
		if (bx_is_ssh(target) && !is_known(targets, target))
			json_array_append(targets, target);
		bx_snap_close(&s);
	}
	bx_free_list(ids);
}

void bx_snap_reap(struct tbx_store *store, bool dry, const json_t *targets, json_t *dead,
		  bx_found_fn *found, void *ctx)
{
	struct sweep w = {.store = store, .dry = dry, .found = found, .ctx = ctx};
	json_t *local = json_pack("{s:s}", "host", "local");
	char **ids;

	if (bx_snap_ids(store, &ids))
		return;
	for (size_t i = 0; ids[i]; i++)
		look_at(&w, ids[i]);
	bx_free_list(ids);
	strays(&w, local);
	json_decref(local);
	for (size_t i = 0; i < json_array_size(targets); i++) {
		json_t *target = json_array_get(targets, i);

		if (!bx_is_dead(dead, target))
			look_there(&w, target, dead);
	}
}
