/*
 * What happened: the store's own log (what was done to boxes as a whole; it outlives them) and
 * the audit log that each server writes outside of its box. Lines of JSON, each with "time" in
 * seconds.
 */
#include "box/internal.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "wire/chain.h"

#define LINE_MAX_BYTES (1u << 20)

struct line {
	char *text;
	char box[BX_NAME_MAX + 1];
	double time;
	size_t order;
};

struct source {
	char box[BX_NAME_MAX + 1];	/* "": the store's own, whose lines name theirs */
	char *path;
	json_t *target;			/* NULL: here */
	size_t at;
};

struct events {
	struct tbx_store *store;
	const char *only;		/* the id; NULL: all */
	struct source *sources;
	size_t source_count;
	struct line *lines;
	size_t line_count, order;
};

void bx_audit(struct bx *b, const char *event, json_t *fields)
{
	json_t *line = fields ? fields : json_object();
	uint64_t now = bx_now();
	struct chain log = CHAIN_CLOSED;
	char *text, *rest;

	bx_put(line, "event", json_string(event));
	bx_put(line, "box", json_string(b->id));
	rest = json_dumps(line, JSON_COMPACT | JSON_PRESERVE_ORDER);
	json_decref(line);
	text = rest ? bx_format("{\"time\":%llu.%06llu,%s", (unsigned long long)(now / BX_SECOND),
				(unsigned long long)(now % BX_SECOND / 1000), rest + 1) : NULL;
	if (text && (!chain_open(&log, b->store->dir, "events") || !chain_append(&log, text, strlen(text))))
		bx_warn(b->store, "%s/events: %s", b->store->path, strerror(errno));
	chain_close(&log);
	free(rest);
	free(text);
}

/* ---- Reading ---- */

static int by_time(const void *a, const void *b)
{
	const struct line *x = a, *y = b;

	if (x->time < y->time || x->time > y->time)
		return x->time < y->time ? -1 : 1;
	return (x->order > y->order) - (x->order < y->order);
}

static void add_line(struct events *ev, const struct source *src, const char *p, size_t n)
{
	json_t *value = json_loadb(p, n, 0, NULL);
	const char *box = src->box[0] ? src->box : bx_text(value, "box");
	struct line *more;

	/* A line that is no JSON was cut by a crash: there is nothing to be told. */
	if (value && box && n < LINE_MAX_BYTES && (!ev->only || !strcmp(ev->only, box)) &&
	    (more = realloc(ev->lines, (ev->line_count + 1) * sizeof(*more)))) {
		ev->lines = more;
		more += ev->line_count;
		*more = (struct line){.order = ev->order++,
			/* lines of a box's own log do not say whose they are */
			.text = src->box[0] ? bx_format("{\"box\":\"%s\",%.*s", box, (int)n - 1, p + 1) :
				strndup(p, n),
			.time = json_number_value(json_object_get(value, "time"))};
		snprintf(more->box, sizeof(more->box), "%s", box);
		ev->line_count += more->text != NULL;
	}
	json_decref(value);
}

/* Whole lines behind what was read before. */
static void take_lines(struct events *ev, struct source *src, const char *text, size_t n)
{
	const char *p = text + src->at, *end;

	while (src->at < n && (end = memchr(p, '\n', n - src->at))) {
		add_line(ev, src, p, (size_t)(end - p));
		src->at += (size_t)(end - p) + 1;
		p = end + 1;
	}
}

static void read_source(struct events *ev, struct source *src)
{
	char *text = NULL;
	size_t n = 0;

	if (src->target) {
		if (!bx_ssh_read(ev->store, src->target, src->path, &text))
			n = strlen(text);
	} else if (!access(src->path, R_OK) && bx_read_all(ev->store, src->path, &text, &n)) {
		text = NULL;
	}
	if (text)
		take_lines(ev, src, text, n);
	free(text);
}

static bool add_source(struct events *ev, const char *box, char *path, const json_t *target)
{
	struct source *more;

	for (size_t i = 0; i < ev->source_count; i++)
		if (path && !strcmp(ev->sources[i].path, path)) {
			free(path);
			return true;
		}
	more = path ? realloc(ev->sources, (ev->source_count + 1) * sizeof(*more)) : NULL;
	if (!more) {
		free(path);
		return false;
	}
	ev->sources = more;
	more += ev->source_count++;
	*more = (struct source){.path = path, .target = json_incref((json_t *)(uintptr_t)target)};
	snprintf(more->box, sizeof(more->box), "%s", box);
	return true;
}

static void add_box(struct events *ev, const char *id)
{
	const json_t *target;
	struct bx b;
	char *dir;

	if (bx_open(ev->store, id, BX_LOCK_NONE, &b))
		return;
	target = json_object_get(b.record, "target");
	dir = bx_json_copy(json_object_get(b.record, "dir"));
	if (dir)
		add_source(ev, b.id, bx_format("%s/audit", dir), bx_is_ssh(target) ? target : NULL);
	free(dir);
	bx_close(&b);
}

/* Boxes may come and go meanwhile. */
static int find_sources(struct events *ev)
{
	char **ids;
	int status;

	if (!add_source(ev, "", bx_format("%s/events", ev->store->path), NULL))
		return bx_memory(ev->store);
	if (ev->only) {
		add_box(ev, ev->only);
		return TBX_OK;
	}
	status = bx_ids(ev->store, &ids);
	for (size_t i = 0; !status && ids[i]; i++)
		add_box(ev, ids[i]);
	if (!status)
		bx_free_list(ids);
	return status;
}

static int tell(struct events *ev, tbx_event_fn *fn, void *ctx)
{
	int stop = 0;

	if (ev->line_count)
		qsort(ev->lines, ev->line_count, sizeof(*ev->lines), by_time);
	for (size_t i = 0; i < ev->line_count; i++) {
		if (!stop)
			stop = fn(ctx, ev->lines[i].box, ev->lines[i].text);
		free(ev->lines[i].text);
	}
	ev->line_count = 0;
	return stop;
}

int tbx_events(struct tbx_store *store, const char *box, bool follow, tbx_event_fn *fn, void *ctx)
{
	struct events ev = {.store = store};
	struct bx b = {.store = store, .dir = -1, .lock = -1};
	int status = box ? bx_open(store, box, BX_LOCK_NONE, &b) : TBX_OK;

	/* A box that is gone is still in the store's log, by its id. */
	if (status == TBX_ERR_UNKNOWN)
		status = TBX_OK;
	ev.only = box ? (b.record ? b.id : box) : NULL;
	while (!status) {
		status = find_sources(&ev);
		for (size_t i = 0; !status && i < ev.source_count; i++)
			read_source(&ev, &ev.sources[i]);
		if (status || tell(&ev, fn, ctx) || !follow)
			break;
		poll(NULL, 0, 200);
	}
	for (size_t i = 0; i < ev.source_count; i++) {
		free(ev.sources[i].path);
		json_decref(ev.sources[i].target);
	}
	free(ev.sources);
	free(ev.lines);
	bx_close(&b);
	return status;
}
