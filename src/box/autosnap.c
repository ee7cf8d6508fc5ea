/*
 * Snapshots at an interval, of the boxes that ask for them: taken by whoever runs the loop
 * (`tinybox reap --watch`). The snapshot's record says that it was made so; of these the oldest go,
 * and none that a person took or a template names.
 */
#include "box/snap.h"

#include <stdlib.h>
#include <string.h>

#define KEEP_DEFAULT 3u
#define KEEP_MOST 1000u

int bx_put_autosnapshot(struct tbx_store *store, const struct tbx_spec *spec, json_t *out)
{
	json_t *life = json_object_get(out, "lifecycle");
	const char *sandbox = spec->sandbox ? spec->sandbox : "virtual";

	if (!spec->autosnapshot)
		return spec->autosnapshot_keep ? bx_fail(store, TBX_ERR_ARGUMENT, "--autosnapshot-keep needs "
							 "--autosnapshot") : TBX_OK;
	if (spec->autosnapshot < BX_SECOND || spec->autosnapshot > INT64_MAX)
		return bx_fail(store, TBX_ERR_ARGUMENT, "--autosnapshot: an interval of a second at least");
	if (spec->autosnapshot_keep > KEEP_MOST)
		return bx_fail(store, TBX_ERR_ARGUMENT, "--autosnapshot-keep: at most %u", KEEP_MOST);
	if (!bx_keeping(store, sandbox))
		return TBX_ERR_UNSUPPORTED;
	bx_put_number(life, "autosnapshot", spec->autosnapshot);
	bx_put_number(life, "autosnapshot_keep", spec->autosnapshot_keep ? spec->autosnapshot_keep :
		      KEEP_DEFAULT);
	return TBX_OK;
}

static void note(json_t *list, const char *box, const char *snapshot, const char *why, bool done,
		 const char *error)
{
	json_t *item = json_object();

	bx_put(item, "box", json_string(box));
	if (snapshot)
		bx_put(item, "snapshot", json_string(snapshot));
	bx_put(item, "why", json_string(why));
	json_object_set_new(item, "done", json_boolean(done));
	if (error)
		bx_put(item, "error", json_string(error));
	json_array_append_new(list, item);
}

/* Its interval has passed since the last one, or since it was made. */
static bool is_due(const struct bx *b, uint64_t now)
{
	uint64_t every = bx_number(bx_at(b->record, "spec.lifecycle"), "autosnapshot");
	uint64_t last = bx_number(b->record, "autosnapshot_at");
	const char *state = bx_text(b->record, "state");

	last = last ? last : bx_number(b->record, "created_at");
	/* a clock that was set back must not stop them */
	return every && (now >= last + every || now + every < last) &&
	       (!strcmp(state, "ready") || !strcmp(state, "paused") || !strcmp(state, "stopped"));
}

/* What is said of a box and of a snapshot once it is there. */
static int mark(struct tbx_store *store, const char *box, const char *snapshot, uint64_t now)
{
	struct bx_snap s;
	struct bx b;
	int status = bx_snap_open(store, snapshot, BX_LOCK_WRITE, &s);

	if (status)
		return status;
	json_object_set_new(s.record, "auto", json_true());
	status = bx_snap_save(&s);
	bx_snap_close(&s);
	if (!status)
		status = bx_open(store, box, BX_LOCK_WRITE, &b);
	if (status)
		return status;
	bx_put_number(b.record, "autosnapshot_at", now);
	status = bx_save(&b);
	bx_close(&b);
	return status;
}

static bool is_of(const struct bx_snap *s, const char *box)
{
	const char *of = bx_text(s->record, "box"), *state = bx_text(s->record, "state");

	return of && !strcmp(of, box) && state && !strcmp(state, "ready") &&
	       json_is_true(json_object_get(s->record, "auto"));
}

/* The oldest of a box's own, until only `keep` are left; ids are in the order of their numbers. */
static void prune(struct tbx_store *store, const char *box, size_t keep, json_t *list)
{
	size_t n = 0, count = 0;
	struct bx_snap s;
	char **ids;

	if (bx_snap_ids(store, &ids))
		return;
	while (ids[count])
		count++;
	for (size_t i = count; i--;) {
		bool mine = false;

		if (!bx_snap_open(store, ids[i], BX_LOCK_NONE, &s)) {
			mine = is_of(&s, box);
			bx_snap_close(&s);
		}
		if (!mine || ++n <= keep)
			continue;
		/* one that a template names stays */
		if (!tbx_snapshot_remove(store, ids[i]))
			note(list, box, ids[i], "there are newer ones", true, NULL);
	}
	bx_free_list(ids);
}

static void one(struct tbx_store *store, const char *id, bool dry, json_t *list)
{
	struct tbx_snap opt = TBX_SNAP_INIT;
	uint64_t now = bx_now(), keep;
	struct tbx_doc *doc = NULL;
	struct bx b;
	bool due;
	int status;

	if (bx_open(store, id, BX_LOCK_NONE, &b))
		return;
	due = is_due(&b, now);
	keep = bx_number(bx_at(b.record, "spec.lifecycle"), "autosnapshot_keep");
	bx_close(&b);
	if (!due)
		return;
	if (dry) {
		note(list, id, NULL, "its interval is over", false, NULL);
		return;
	}
	opt.label = "auto";
	status = tbx_snapshot(store, id, &opt, &doc);
	if (!status)
		status = mark(store, id, tbx_doc_text(doc, "id"), now);
	note(list, id, status ? NULL : tbx_doc_text(doc, "id"), "its interval is over", !status,
	     status ? tbx_error(store) : NULL);
	if (!status)
		prune(store, id, keep ? keep : KEEP_DEFAULT, list);
	tbx_doc_free(doc);
}

int tbx_autosnapshot(struct tbx_store *store, bool dry, struct tbx_doc **doc)
{
	json_t *root, *list;
	char **ids;
	int status = bx_ids(store, &ids);

	*doc = NULL;
	if (status)
		return status;
	list = json_array();
	for (size_t i = 0; ids[i]; i++)
		one(store, ids[i], dry, list);
	bx_free_list(ids);
	root = json_object();
	bx_put(root, "snapshots", list);
	return bx_doc(store, root, doc);
}
