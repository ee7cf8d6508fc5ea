/*
 * The records of execs on disk, outside the box: DIR/procs/pN holds a STARTED frame with what was
 * run, and behind it the END frame. A record without its end belongs to a server that died: such a
 * process is lost. Names are never used again; the oldest records go when there are RECORDS_MOST.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "init/path.h"
#include "init/server.h"

#define RECORDS_MOST	4096u
#define RECORD_SIZE	(8u << 20)

/* pN exactly; 0: it is not one */
static uint64_t number_of(const char *name)
{
	uint64_t n = 0;
	const char *at = name + 1;

	if (name[0] != 'p' || at[0] < '1' || at[0] > '9')
		return 0;
	for (; *at >= '0' && *at <= '9' && at - name < 19; at++)
		n = n * 10 + (uint64_t)(*at - '0');
	return *at ? 0 : n;
}

struct numbers {
	uint64_t *data;
	size_t count, cap;
};

static bool push(struct numbers *list, uint64_t n)
{
	if (list->count == list->cap) {
		size_t cap = list->cap ? 2 * list->cap : 64;
		uint64_t *more = realloc(list->data, cap * sizeof(*more));

		if (!more)
			return false;
		list->data = more;
		list->cap = cap;
	}
	list->data[list->count++] = n;
	return true;
}

static int by_number(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

/* All records there are, in order. */
static bool list_records(int procs, struct numbers *list)
{
	int fd = openat(procs, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *dir = fd < 0 ? NULL : fdopendir(fd);
	struct dirent *d;
	bool good = dir;

	if (!dir && fd >= 0)
		close(fd);
	while (good && (d = readdir(dir)))
		if (number_of(d->d_name))
			good = push(list, number_of(d->d_name));
	if (dir)
		closedir(dir);
	if (good && list->count)
		qsort(list->data, list->count, sizeof(*list->data), by_number);
	return good;
}

static void name_of(char name[32], uint64_t n, const char *end)
{
	size_t size;

	name[0] = 'p';
	size = text_decimal(name + 1, n) + 1;
	memcpy(name + size, end, strlen(end) + 1);
}

static void prune(struct server *s, const struct numbers *list)
{
	static const char *const ends[] = {"", ".log", ".log.1"};
	char name[32];

	for (size_t i = 0; i + RECORDS_MOST < list->count; i++) {
		name_of(name, list->data[i], "");
		if (proc_find(s, name))
			continue;
		for (size_t k = 0; k < sizeof(ends) / sizeof(*ends); k++) {
			name_of(name, list->data[i], ends[k]);
			unlinkat(s->procs_dir, name, 0);
		}
	}
}

bool record_open(struct server *s)
{
	struct numbers list = {0};
	bool good;

	if (mkdirat(s->dir, "procs", 0700) < 0 && errno != EEXIST)
		return false;
	s->procs_dir = openat(s->dir, "procs", O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
	if (s->procs_dir < 0)
		return false;
	good = list_records(s->procs_dir, &list);
	s->next = list.count ? list.data[list.count - 1] + 1 : 1;
	if (good)
		prune(s, &list);
	free(list.data);
	return good;
}

static void append(struct proc *p, const struct wire_out *o)
{
	int fd = openat(p->s->procs_dir, p->name,
			O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NOFOLLOW, 0600);

	if (fd < 0)
		return;
	if (!o->failed)
		write_all(fd, o->data, o->size);
	close(fd);
}

void record_start(struct proc *p)
{
	struct wire_out o = {0};
	struct numbers list = {0};

	wire_begin(&o, WIRE_STARTED);
	wire_raw(&o, p->record.data, p->record.size);
	wire_end(&o);
	append(p, &o);
	wire_free(&o);
	wire_free(&p->record);
	if (p->s->next % RECORDS_MOST)
		return;
	if (list_records(p->s->procs_dir, &list))
		prune(p->s, &list);
	free(list.data);
}

void record_end(struct proc *p, struct wire_out *end)
{
	append(p, end);
}

struct saved {
	char *data;
	struct wire_frame start, end;
	bool has_start, has_end;
};

/* The frames of a record; what is cut off counts as not there. */
static bool load(struct server *s, const char *name, struct saved *r)
{
	int fd = number_of(name) ? openat(s->procs_dir, name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW) : -1;
	struct wire_in in = {0};
	struct wire_frame f;
	size_t size = 0;

	*r = (struct saved){0};
	if (fd < 0)
		return false;
	r->data = read_whole(fd, RECORD_SIZE, &size);
	close(fd);
	if (!r->data)
		return false;
	in = (struct wire_in){.data = (uint8_t *)r->data, .size = size};
	while (wire_next(&in, &f)) {
		if (f.type == WIRE_STARTED && !r->has_start && wire_whole(wire_fields(&f))) {
			r->start = f;
			r->has_start = true;
		} else if (f.type == WIRE_END && wire_whole(wire_fields(&f))) {
			r->end = f;
			r->has_end = true;
		}
	}
	return true;
}

static void lost(struct wire_out *o, const char *name)
{
	wire_text(o, WIRE_F_PROC, name);
	wire_u8(o, WIRE_F_REASON, WIRE_BY_LOST);
	wire_u32(o, WIRE_F_STATUS, 128 + 9);
	wire_u32(o, WIRE_F_SIGNAL, 9);
	wire_text(o, WIRE_F_TEXT, "the box's server died while it ran");
}

bool record_read(struct server *s, const char *name, struct wire_out *end)
{
	struct saved r;

	if (!load(s, name, &r))
		return false;
	wire_begin(end, WIRE_END);
	if (r.has_end)
		wire_raw(end, r.end.body, r.end.size);
	else
		lost(end, name);
	wire_end(end);
	free(r.data);
	return true;
}

static void describe(struct server *s, uint64_t n, struct wire_out *o)
{
	char name[32];
	struct saved r;
	struct proc *p;
	size_t mark;

	name_of(name, n, "");
	if (!load(s, name, &r))
		return;
	p = proc_find(s, name);
	mark = wire_nest(o, WIRE_F_PROCESS);
	if (r.has_start)
		wire_raw(o, r.start.body, r.start.size);
	else
		wire_text(o, WIRE_F_PROC, name);
	wire_u8(o, WIRE_F_STATE, !p || r.has_end);
	if (r.has_end)
		wire_raw(o, r.end.body, r.end.size);
	else if (!p)
		lost(o, name);
	wire_unnest(o, mark);
	free(r.data);
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
	struct numbers list = {0};

	(void)f;
	if (!list_records(c->s->procs_dir, &list)) {
		error_frame(&c->out, WIRE_ERROR_SYSTEM, errno, "the records cannot be read", NULL,
			    NULL);
		write_all(c->w.fd, c->out.data, c->out.size);
		return;
	}
	wire_begin(&c->out, WIRE_OK);
	for (size_t i = 0; i < list.count; i++) {
		describe(c->s, list.data[i], &c->out);
		if (c->out.size > WIRE_FRAME_MAX / 4) {
			send_part(c, true);
			wire_begin(&c->out, WIRE_OK);
		}
	}
	send_part(c, false);
	free(list.data);
}
