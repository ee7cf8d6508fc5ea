/*
 * The making and the removal of a box: intent, action, done. At each point where a process can
 * die, what is on disk tells `reap` what to do: a directory without a record, a record that says
 * "creating" or "removing" without a living owner of its lock.
 */
#include "box/snap.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- Plan ---- */

static void step(json_t *steps, const char *what, const char *where, json_t *argv)
{
	json_t *s = json_object();

	bx_put(s, "what", json_string(what));
	bx_put(s, "where", json_string(where));
	bx_put(s, "argv", argv);
	json_array_append_new(steps, s);
}

static json_t *plan_steps(const struct tbx_store *store, const json_t *record)
{
	const json_t *target = json_object_get(record, "target");
	const char *kind = json_string_value(bx_at(record, "placement.workspace.sandbox"));
	bool engine = kind && !strcmp(kind, "virtual");
	char *where = bx_target_text(target);
	json_t *steps = json_array(), *words;

	step(steps, "take a number and write the record, state creating", store->path, NULL);
	if (bx_is_ssh(target))
		step(steps, "connect, and send the helper if it is not there by its hash", where,
		     bx_ssh_words(store, target));
	if (json_object_get(json_object_get(record, "spec"), "secrets")) {
		words = json_array();
		json_array_append_new(words, json_string("tinybox-egress"));
		json_array_append_new(words, json_string("serve"));
		step(steps, "read the secrets' values and give them to their keeper, which is outside of the box", where,
		     words);
	}
	words = json_array();
	json_array_append_new(words, json_string(engine ? "tinybox-engine" : "tinybox-init"));
	json_array_append_new(words, json_string("serve"));
	step(steps, "start the box's server; it refuses what it cannot enforce", where, words);
	if (kind && !strcmp(kind, "docker"))
		step(steps, "the keeper there has the engine make and start a container, whose process 1 becomes "
		     "the server", where, NULL);
	step(steps, "write the record, state ready", store->path, NULL);
	free(where);
	return steps;
}

int tbx_plan(struct tbx_store *store, const struct tbx_spec *spec, struct tbx_doc **plan)
{
	struct bx b = {.store = store, .dir = -1, .lock = -1};
	int status = bx_record_of(store, spec, &b.record);
	json_t *doc;

	if (status)
		return status;
	doc = json_object();
	bx_put(doc, "steps", plan_steps(store, b.record));
	bx_put(doc, "box", bx_box_doc(&b));
	json_decref(b.record);
	return bx_doc(store, doc, plan);
}

/* ---- Create ---- */

static void warn_unsafe(struct bx *b)
{
	const char *kind = json_string_value(bx_at(b->record, "placement.workspace.sandbox"));

	if (kind && !strcmp(kind, "passthrough"))
		bx_warn(b->store, "UNSAFE: passthrough is no wall; what runs in this box can do all "
			"that you can do");
}

/* Everything a failed creation may have left; what cannot be taken back now, reap takes later. */
static void undo(struct bx *b, int status)
{
	char *error = strdup(tbx_error(b->store));
	int code = b->store->error_status;

	if (bx_host_remove(b, false))
		bx_set_state(b, "failed");
	else
		bx_forget(b);
	bx_fail(b->store, status, "%s", error ? error : "no memory");
	b->store->error_status = code;
	free(error);
}

/* Whether what is in it lived before. */
static bool restored(const struct bx *b)
{
	return json_object_get(b->record, "begins");
}

/* The place is known before it is used, so that it can be found again. */
static int make(struct bx *b)
{
	bool ssh = bx_is_ssh(json_object_get(b->record, "target"));
	const char *name = bx_text(json_object_get(b->record, "spec"), "name");
	int status = name ? bx_claim_name(b, name) : TBX_OK;

	if (!status && ssh)
		status = bx_snap_commit(b);
	if (!status)
		status = bx_note_engine(b);
	if (!status)
		status = bx_place(b);
	if (!status)
		status = ssh ? bx_save(b) : bx_snap_commit(b);
	if (!status)
		bx_note_trusted(b);
	if (!status)
		status = bx_start_server(b);
	/* From now on the key of the machine is known: no other is new any more. */
	if (!status && ssh)
		json_object_set_new(json_object_get(b->record, "target"), "accept_new_key", json_false());
	if (!status && bx_is_git(b->record))
		status = bx_git_fill(b);
	if (!status)
		status = bx_run_hooks(b, restored(b) ? "restore" : "create");
	return status ? status : bx_set_state(b, "ready");
}

int bx_create_of(struct tbx_store *store, json_t *record, struct tbx_doc **box)
{
	bool transient = json_is_true(bx_at(record, "spec.transient"));
	struct bx b;
	int status = bx_new(store, !transient && !store->later, &b);

	b.record = record;
	if (status) {
		bx_close(&b);
		return status;
	}
	json_object_set_new(record, "id", json_string(b.id));
	json_object_set_new(record, "state", json_string("creating"));
	warn_unsafe(&b);
	bx_warn_work_tree(&b);
	status = make(&b);
	if (status) {
		undo(&b, status);
	} else {
		bx_audit(&b, "create", NULL);
		status = bx_doc(store, bx_box_doc(&b), box);
		if (transient)
			bx_hold(&b);
	}
	bx_close(&b);
	return status;
}

int tbx_create(struct tbx_store *store, const struct tbx_spec *spec, struct tbx_doc **box)
{
	json_t *record;
	int status = bx_record_of(store, spec, &record);

	return status ? status : bx_create_of(store, record, box);
}

/* ---- Look ---- */

/* One that stands still here is not to hold up the list of all. */
static uint64_t patience(const struct bx *b)
{
	uint64_t step = bx_step(b->store), few = bx_ticks() + 5 * BX_SECOND;

	return few < step && !bx_is_ssh(json_object_get(b->record, "target")) ? few : step;
}

/*
 * The box is asked when it should run. False: it cannot be asked. dead: machines that did not
 * answer, each of which is waited for once.
 */
static bool ask(struct bx *b, json_t *doc, json_t *dead)
{
	const json_t *target = json_object_get(b->record, "target");
	const char *life = json_string_value(bx_at(b->record, "spec.lifecycle.kind"));
	bool persistent = life && !strcmp(life, "persistent");
	struct bx_conn c;
	int status = bx_is_dead(dead, target) ? bx_fail(b->store, TBX_ERR_HOST, "the machine does not "
							"answer") : bx_connect_by(b, &c, patience(b));

	if (!status) {
		bx_conn_close(&c);
		return true;
	}
	bx_note_dead(dead, target, status);
	if (status == TBX_ERR_STATE || (status == TBX_ERR_LOST && !bx_is_ssh(target)))
		json_object_set_new(doc, "state", json_string(persistent ? "stopped" : "lost"));
	else
		bx_put(doc, "unreachable", json_string(tbx_error(b->store)));
	return false;
}

static bool should_run(const struct bx *b)
{
	const char *state = bx_text(b->record, "state");

	return !strcmp(state, "ready") || !strcmp(state, "paused");
}

static void list_damaged(struct tbx_store *store, const char *id, json_t *list)
{
	json_t *item = json_object();
	char *path = bx_format("%s/boxes/%s", store->path, id), *why = NULL;

	if (!tbx_is_name(id))
		why = bx_format("%s: it has no name of a box; remove it if it is yours", path);
	bx_put(item, "path", bx_json_text(path));
	bx_put(item, "why", bx_json_text(why ? why : tbx_error(store)));
	free(why);
	json_array_append_new(list, item);
	free(path);
}

static bool has_label(const json_t *labels, const char *want)
{
	size_t n = strcspn(want, "=");
	const char *value;
	char name[BX_NAME_MAX + 1];

	if (n > BX_NAME_MAX)
		return false;
	memcpy(name, want, n);
	name[n] = '\0';
	value = bx_text(labels, name);
	return value && (!want[n] || !strcmp(value, want + n + 1));
}

static bool has_labels(const struct bx *b, const char *const *want)
{
	const json_t *labels = bx_at(b->record, "spec.labels");

	for (; want && *want; want++)
		if (!has_label(labels, *want))
			return false;
	return true;
}

int tbx_list(struct tbx_store *store, bool check, struct tbx_doc **list)
{
	return tbx_list_labelled(store, check, NULL, list);
}

int tbx_list_labelled(struct tbx_store *store, bool check, const char *const *labels,
		      struct tbx_doc **list)
{
	json_t *doc = json_object(), *boxes = json_array(), *damaged = json_array(), *box;
	json_t *dead = json_array();
	char **ids;
	int status = bx_ids(store, &ids);
	struct bx b;

	bx_put(doc, "boxes", boxes);
	bx_put(doc, "damaged", damaged);
	for (size_t i = 0; !status && ids[i]; i++) {
		int found = bx_open(store, ids[i], BX_LOCK_NONE, &b);

		/* without a record: it is being made */
		if (found && found != TBX_ERR_UNKNOWN)
			list_damaged(store, ids[i], damaged);
		if (found)
			continue;
		box = has_labels(&b, labels) ? bx_box_doc(&b) : NULL;
		if (box && check && should_run(&b))
			ask(&b, box, dead);
		if (box)
			json_array_append_new(boxes, box);
		bx_close(&b);
	}
	json_decref(dead);
	if (status) {
		json_decref(doc);
		return status;
	}
	bx_free_list(ids);
	return bx_doc(store, doc, list);
}

/* What the keeper alone enforces (ports) was told at the start, and process 1 does not know of it. */
static void keep_lines(json_t *doc, const json_t *before)
{
	json_t *now = json_object_get(doc, "report");

	for (size_t i = 0; i < json_array_size(before); i++) {
		json_t *line = json_array_get(before, i);
		const char *control = bx_text(line, "control");
		size_t k = 0, n = json_array_size(now);

		while (control && k < n) {
			const char *other = bx_text(json_array_get(now, k), "control");

			if (other && !strcmp(other, control))
				break;
			k++;
		}
		if (control && k == n)
			json_array_append(now, line);
	}
}

/* INFO's use of resources, and the report as it is now. */
static void put_info(struct bx *b, json_t *doc)
{
	struct bx_conn c;
	struct wire_frame f;
	bool bad = false;
	uint64_t n;

	if (bx_connect(b, &c))
		return;
	wire_begin(&c.out, WIRE_INFO);
	wire_end(&c.out);
	if (!bx_send(&c, bx_step(b->store)) && !bx_answer(&c, &f, bx_step(b->store))) {
		struct wire_iter it = wire_fields(&f);
		struct wire_field_in report;

		if (wire_find(it, WIRE_F_REPORT, &report)) {
			json_t *before = json_incref(json_object_get(doc, "report"));

			bx_reports(it, doc);
			keep_lines(doc, before);
			json_decref(before);
		}
		if ((n = wire_number(it, WIRE_F_PEAK, 0, &bad)))
			bx_put_number(doc, "peak", n);
		if ((n = wire_number(it, WIRE_F_USER, 0, &bad)))
			bx_put_number(doc, "user", n);
		if ((n = wire_number(it, WIRE_F_SYSTEM, 0, &bad)))
			bx_put_number(doc, "system", n);
	}
	bx_conn_close(&c);
}

int tbx_inspect(struct tbx_store *store, const char *box, struct tbx_doc **out)
{
	struct bx b;
	int status = bx_open(store, box, BX_LOCK_NONE, &b);
	json_t *doc;

	if (status)
		return status;
	doc = bx_box_doc(&b);
	if (should_run(&b) && ask(&b, doc, NULL))
		put_info(&b, doc);
	bx_close(&b);
	return bx_doc(store, doc, out);
}

/* ---- Remove ---- */

int bx_destroy(struct bx *b, bool force)
{
	int status = TBX_OK;
	bool transient = json_is_true(bx_at(b->record, "spec.transient"));

	if (!transient)
		status = bx_set_state(b, "removing");
	/* where nothing fits any more, removing is what makes room */
	if (status && (errno == ENOSPC || errno == EDQUOT))
		status = TBX_OK;
	if (!status)
		status = bx_host_remove(b, force);
	if (!status)
		bx_tell_trusted(b);
	if (!status)
		status = bx_forget(b);
	if (!status)
		bx_snap_drop(b->store, b->record);
	return status;
}

int tbx_remove(struct tbx_store *store, const char *box, unsigned flags)
{
	struct bx b;
	int status = bx_open(store, box, BX_LOCK_WRITE, &b);

	if (status)
		return status;
	status = bx_destroy(&b, flags & TBX_FORCE);
	if (!status)
		bx_let_go(store, b.id);
	bx_close(&b);
	return status;
}
