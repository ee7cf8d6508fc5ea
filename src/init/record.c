/*
 * The records of execs on disk, outside the box: a STARTED frame with what was run when it starts,
 * an END frame when it ends, one behind the other in a file that takes turns with an older one. A
 * STARTED without its END belongs to a server that died: such a process is lost. Names are never
 * used again, as the latest record is always there.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "init/keep.h"
#include "init/path.h"
#include "init/server.h"

#define RECORDS_MOST	(8u << 20)	/* of one file */
#define ENDED_MOST	1000u		/* that PS lists */

struct reader {
	int fd;
	off_t at;
	struct wire_in in;
};

static bool reader_next(struct reader *r, struct wire_frame *f)
{
	while (!wire_next(&r->in, f)) {
		uint8_t *to = r->in.error || r->fd < 0 ? NULL : wire_room(&r->in, 16384);
		ssize_t n = to ? pread(r->fd, to, 16384, r->at) : 0;

		if (n <= 0)
			return false;
		wire_got(&r->in, (size_t)n);
		r->at += n;
	}
	return true;
}

static uint64_t number_of(const struct wire_frame *f)
{
	struct wire_field_in name;
	char text[KEEP_NAME];

	if (!wire_whole(wire_fields(f)) || !wire_find(wire_fields(f), WIRE_F_PROC, &name) ||
	    name.size >= sizeof(text))
		return 0;
	memcpy(text, name.data, name.size);
	text[name.size] = '\0';
	return proc_number(text);
}

/* Calls with each record there is, the oldest first, until it says false. */
static void each(const struct server *s, bool (*one)(void *ctx, const struct wire_frame *f,
						      uint64_t number), void *ctx)
{
	int fds[2] = {s->old_records, s->records};
	bool more = true;

	for (int i = 0; i < 2 && more; i++) {
		struct reader r = {.fd = fds[i]};
		struct wire_frame f;

		while (more && reader_next(&r, &f)) {
			uint64_t number = number_of(&f);

			if (number && (f.type == WIRE_STARTED || f.type == WIRE_END))
				more = one(ctx, &f, number);
		}
		wire_in_free(&r.in);
	}
}

static bool latest(void *ctx, const struct wire_frame *f, uint64_t number)
{
	uint64_t *most = ctx;

	(void)f;
	if (number > *most)
		*most = number;
	return true;
}

static bool open_records(struct server *s, enum keep_op op)
{
	int fd[2];
	off_t size;

	if (!keep_ask(s->keeper, op, NULL, fd))
		return false;
	if (s->records >= 0)
		close(s->records);
	if (s->old_records >= 0)
		close(s->old_records);
	s->old_records = fd[0];
	s->records = fd[1];
	size = lseek(fd[1], 0, SEEK_END);
	s->records_size = size > 0 ? (uint64_t)size : 0;
	return true;
}

/* Behind what a server that died left half written nothing would be found: the file takes its turn. */
bool record_open(struct server *s)
{
	struct reader r = {0};
	struct wire_frame f;
	uint64_t most = 0;
	bool whole;

	s->records = s->old_records = -1;
	if (!open_records(s, KEEP_RECORDS))
		return false;
	each(s, latest, &most);
	/* those on a disk that was another box's are no longer anybody's */
	if (s->spec->next == 1 && most && open_records(s, KEEP_RECORDS_TURN) &&
	    open_records(s, KEEP_RECORDS_TURN))
		most = 0;
	s->next = most < s->spec->next ? s->spec->next : most + 1;
	r.fd = s->records;
	while (reader_next(&r, &f))
		;
	whole = !r.in.error && r.in.start == r.in.size;
	wire_in_free(&r.in);
	return whole || open_records(s, KEEP_RECORDS_TURN);
}

static void append(struct server *s, const struct wire_out *o)
{
	if (o->failed)
		return;
	if (s->records_size > RECORDS_MOST)
		open_records(s, KEEP_RECORDS_TURN);
	if (write_all(s->records, o->data, o->size))
		s->records_size += o->size;
	else if (ftruncate(s->records, (off_t)s->records_size) < 0)
		s->records_size = UINT64_MAX;	/* not to be appended to any more */
}

void record_start(struct proc *p)
{
	struct wire_out o = {0};

	wire_begin(&o, WIRE_STARTED);
	wire_raw(&o, p->record.data, p->record.size);
	wire_end(&o);
	append(p->s, &o);
	wire_free(&o);
	wire_free(&p->record);
}

void record_end(struct proc *p, struct wire_out *end)
{
	append(p->s, end);
}

static void lost(struct wire_out *o, const char *name)
{
	wire_text(o, WIRE_F_PROC, name);
	wire_u8(o, WIRE_F_REASON, WIRE_BY_LOST);
	wire_u32(o, WIRE_F_STATUS, 128 + 9);
	wire_u32(o, WIRE_F_SIGNAL, 9);
	wire_text(o, WIRE_F_TEXT, "the box's server died while it ran");
}

struct search {
	uint64_t number;
	bool known;
	struct wire_out *end;
};

static bool look(void *ctx, const struct wire_frame *f, uint64_t number)
{
	struct search *s = ctx;

	if (number != s->number)
		return true;
	s->known = true;
	if (f->type != WIRE_END)
		return true;
	wire_begin(s->end, WIRE_END);
	wire_raw(s->end, f->body, f->size);
	wire_end(s->end);
	return false;
}

bool record_read(struct server *s, const char *name, struct wire_out *end)
{
	struct search find = {.number = proc_number(name), .end = end};

	if (find.number)
		each(s, look, &find);
	if (find.known && !end->size) {
		wire_begin(end, WIRE_END);
		lost(end, name);
		wire_end(end);
	}
	return find.known;
}

struct entry {
	uint64_t number;
	uint8_t *start, *end;
	size_t start_size, end_size;
};

struct entries {
	struct entry *data;
	size_t count, cap;
	bool failed;
};

static struct entry *entry_of(struct entries *list, uint64_t number)
{
	/* an END is mostly not far behind its STARTED */
	for (size_t i = list->count; i--;)
		if (list->data[i].number == number)
			return &list->data[i];
	if (list->count == list->cap) {
		size_t cap = list->cap ? 2 * list->cap : 64;
		struct entry *more = realloc(list->data, cap * sizeof(*more));

		if (!more)
			return NULL;
		list->data = more;
		list->cap = cap;
	}
	list->data[list->count] = (struct entry){.number = number};
	return &list->data[list->count++];
}

static bool collect(void *ctx, const struct wire_frame *f, uint64_t number)
{
	struct entries *list = ctx;
	struct entry *e = entry_of(list, number);
	uint8_t *copy = malloc(f->size + 1);

	if (!e || !copy) {
		free(copy);
		list->failed = true;
		return false;
	}
	memcpy(copy, f->body, f->size);
	if (f->type == WIRE_END) {
		free(e->end);
		e->end = copy;
		e->end_size = f->size;
	} else {
		free(e->start);
		e->start = copy;
		e->start_size = f->size;
	}
	/* the oldest of many go: live ones among them are written from memory below */
	if (list->count > 2 * ENDED_MOST) {
		for (size_t i = 0; i < ENDED_MOST; i++) {
			free(list->data[i].start);
			free(list->data[i].end);
		}
		list->count -= ENDED_MOST;
		memmove(list->data, list->data + ENDED_MOST, list->count * sizeof(*list->data));
	}
	return true;
}

static void describe(struct server *s, const struct entry *e, struct wire_out *o)
{
	char name[KEEP_NAME] = "p";
	struct proc *p;
	size_t mark = wire_nest(o, WIRE_F_PROCESS);

	text_decimal(name + 1, e->number);
	p = proc_find(s, name);
	if (e->start)
		wire_raw(o, e->start, e->start_size);
	else
		wire_text(o, WIRE_F_PROC, name);
	wire_u8(o, WIRE_F_STATE, !p || e->end);
	if (e->end)
		wire_raw(o, e->end, e->end_size);
	else if (!p)
		lost(o, name);
	wire_unnest(o, mark);
}

/* Live processes whose records are too old to be in the list: by name only. */
static void describe_old(struct server *s, const struct entries *list, struct wire_out *o)
{
	for (struct proc *p = s->procs; p; p = p->next) {
		struct entry e = {.number = proc_number(p->name)};

		if (p->state == PROC_RUNNING && list->count && e.number < list->data[0].number)
			describe(s, &e, o);
	}
}

static void send_part(struct conn *c, bool more)
{
	if (more)
		wire_u8(&c->out, WIRE_F_MORE, 1);
	wire_end(&c->out);
	if (!c->out.failed)
		write_all(c->w.fd, c->out.data, c->out.size);
	wire_consume(&c->out, c->out.size);
}

/* In a worker: the list of what ran may be long, and it is read from the disk. */
void work_ps(struct conn *c, const struct wire_frame *f)
{
	struct entries list = {0};

	(void)f;
	each(c->s, collect, &list);
	wire_begin(&c->out, WIRE_OK);
	describe_old(c->s, &list, &c->out);
	for (size_t i = 0; i < list.count; i++) {
		describe(c->s, &list.data[i], &c->out);
		if (c->out.size > WIRE_FRAME_MAX / 4) {
			send_part(c, true);
			wire_begin(&c->out, WIRE_OK);
		}
	}
	send_part(c, false);
}
