/*
 * Records of execs on the disk: DIR/records, a list of frames as on the wire. One is written when
 * an exec has begun and one when it has ended; so after kill -9 no name is used again, and those
 * that have no end are known to be lost. The last RECORDS_MAX are kept. DIR/log/pN is the output
 * of pN, as DATA frames.
 */
#include "engine/engine.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define NAME "records"
#define BESIDE "records.new"
#define SIZE_MAX_READ ((off_t)256 << 20)

static bool write_all(int fd, const uint8_t *p, size_t n)
{
	while (n) {
		ssize_t w = write(fd, p, n);

		if (w < 0 && errno == EINTR)
			continue;
		if (w <= 0)
			return false;
		p += w;
		n -= (size_t)w;
	}
	return true;
}

static void put(struct wire_out *o, const struct exec *e)
{
	wire_begin(o, e->state == EXEC_ENDED ? WIRE_END : WIRE_STARTED);
	exec_process_fields(e, o);
	wire_end(o);
}

static void append(struct server *s, const struct exec *e)
{
	struct wire_out o = { 0 };

	put(&o, e);
	if (!o.failed)
		write_all(s->records, o.data, o.size);
	wire_free(&o);
}

void records_began(struct server *s, const struct exec *e)
{
	append(s, e);
}

void records_ended(struct server *s, const struct exec *e)
{
	append(s, e);
}

int records_log(struct server *s, uint64_t number, bool make)
{
	char name[24];

	snprintf(name, sizeof(name), "p%llu", (unsigned long long)number);
	return openat(s->logs, name, (make ? O_RDWR | O_CREAT | O_TRUNC | O_APPEND : O_RDONLY) |
		      O_CLOEXEC | O_NOFOLLOW, 0600);
}

/* ---- Reading them at a start ---- */

static char *copy(struct wire_iter it, enum wire_field name)
{
	bool bad = false;

	return wire_string(it, name, &bad);
}

static void read_numbers(struct exec *e, struct wire_iter it)
{
	bool bad = false;
	char *limit = copy(it, WIRE_F_LIMIT);

	e->reason = (enum wire_reason)wire_number(it, WIRE_F_REASON, WIRE_BY_LOST, &bad);
	e->status = (uint32_t)wire_number(it, WIRE_F_STATUS, 137, &bad);
	e->signal = (uint32_t)wire_number(it, WIRE_F_SIGNAL, 0, &bad);
	e->began = 0;
	e->ended = wire_number(it, WIRE_F_WALL, 0, &bad);
	e->user_ns = wire_number(it, WIRE_F_USER, 0, &bad);
	e->peak = wire_number(it, WIRE_F_PEAK, 0, &bad);
	e->run.bytes[0] = wire_number(it, WIRE_F_OUT_BYTES, 0, &bad);
	e->run.bytes[1] = wire_number(it, WIRE_F_ERR_BYTES, 0, &bad);
	e->run.dropped[0] = wire_number(it, WIRE_F_OUT_DROPPED, 0, &bad);
	e->run.dropped[1] = wire_number(it, WIRE_F_ERR_DROPPED, 0, &bad);
	e->began_at = wire_number(it, WIRE_F_STARTED_AT, 0, &bad);
	e->ended_at = wire_number(it, WIRE_F_ENDED_AT, 0, &bad);
	e->left = (uint32_t)wire_number(it, WIRE_F_LEFT, 0, &bad);
	e->run.pid = (int)wire_number(it, WIRE_F_PID, 0, &bad);
	snprintf(e->limit, sizeof(e->limit), "%s", limit ? limit : "");
	free(limit);
}

static void read_argv(struct exec *e, struct wire_iter it)
{
	struct wire_field_in f;
	size_t n = 0;
	bool bad = false;

	for (struct wire_iter count = it; wire_step(&count, &f);)
		n += f.name == WIRE_F_ARG;
	e->argv = calloc(n + 1, sizeof(*e->argv));
	n = 0;
	while (e->argv && wire_step(&it, &f))
		if (f.name == WIRE_F_ARG && (e->argv[n] = wire_copy(&f, &bad)))
			n++;
}

/* The exec of that number, made when there is none. */
static struct exec *record_of(struct server *s, uint64_t number)
{
	struct exec *e;

	for (e = s->execs; e; e = e->next)
		if (e->number == number)
			return e;
	e = calloc(1, sizeof(*e));
	if (!e)
		return NULL;
	e->server = s;
	e->number = number;
	e->log_fd = -1;
	pthread_mutex_init(&e->run.lock, NULL);
	e->next = s->execs;
	s->execs = e;
	return e;
}

static void read_frame(struct server *s, const struct wire_frame *f)
{
	struct wire_field_in process;
	struct wire_iter it;
	struct exec *e;
	uint64_t number;
	char *proc;

	if (!wire_find(wire_fields(f), WIRE_F_PROCESS, &process))
		return;
	it = wire_nested(&process);
	proc = wire_whole(it) ? copy(it, WIRE_F_PROC) : NULL;
	number = proc && *proc == 'p' ? strtoull(proc + 1, NULL, 10) : 0;
	free(proc);
	e = number && number < UINT64_MAX ? record_of(s, number) : NULL;
	if (!e)
		return;
	e->state = EXEC_ENDED;
	e->run.ended = true;
	read_numbers(e, it);
	if (!e->argv)
		read_argv(e, it);
	if (!e->label)
		e->label = copy(it, WIRE_F_LABEL);
	if (number >= s->next_number)
		s->next_number = number + 1;
	if (f->type == WIRE_STARTED)
		snprintf(e->text, sizeof(e->text), "the box's server was killed while it ran");
	else
		*e->text = '\0';
}

static void read_all(struct server *s, int fd)
{
	struct wire_in in = { 0 };
	struct wire_frame f;
	uint8_t *room;
	ssize_t n;

	while ((room = wire_room(&in, 65536)) && (n = read(fd, room, 65536)) > 0) {
		wire_got(&in, (size_t)n);
		while (wire_next(&in, &f))
			read_frame(s, &f);
		if (in.error)
			break;
	}
	wire_in_free(&in);
}

/* Those that are too many go, with their logs: they stand at the end. */
void records_prune(struct server *s)
{
	struct exec **at = &s->execs;
	char name[24];
	size_t n = 0;

	while (*at) {
		struct exec *e = *at;
		bool failed = e->run.failed && e->state == EXEC_ENDED;

		n += e->state == EXEC_ENDED;
		if (e->posted || (!failed && (e->state != EXEC_ENDED || n <= RECORDS_MAX)) ||
		    server_uses(s, e)) {
			at = &e->next;
			continue;
		}
		*at = e->next;
		snprintf(name, sizeof(name), "p%llu", (unsigned long long)e->number);
		if (!failed)
			unlinkat(s->logs, name, 0);
		exec_free(e);
	}
}

/* The list anew, oldest first, so that it does not grow from start to start. */
static bool write_anew(struct server *s)
{
	struct wire_out o = { 0 };
	struct exec *e, *list = NULL, *next;
	bool good;
	int fd;

	for (e = s->execs; e; e = next) {
		next = e->next;
		e->next = list;
		list = e;
	}
	s->execs = NULL;
	for (e = list; e; e = next) {
		put(&o, e);
		next = e->next;
		e->next = s->execs;
		s->execs = e;
	}
	fd = openat(s->dir, BESIDE, O_RDWR | O_CREAT | O_TRUNC | O_APPEND | O_CLOEXEC | O_NOFOLLOW,
		    0600);
	good = fd >= 0 && !o.failed && write_all(fd, o.data, o.size) &&
	       !renameat(s->dir, BESIDE, s->dir, NAME);
	wire_free(&o);
	if (good)
		s->records = fd;
	else if (fd >= 0)
		close(fd);
	return good;
}

bool records_open(struct server *s)
{
	struct stat st;
	int fd;

	s->next_number = 1;
	if (mkdirat(s->dir, "log", 0700) && errno != EEXIST)
		return false;
	s->logs = openat(s->dir, "log", O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
	if (s->logs < 0)
		return false;
	fd = openat(s->dir, NAME, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
	if (fd < 0 && errno != ENOENT)
		return false;
	if (fd >= 0) {
		if (!fstat(fd, &st) && S_ISREG(st.st_mode) && st.st_size <= SIZE_MAX_READ)
			read_all(s, fd);
		close(fd);
	}
	records_prune(s);
	return write_anew(s);
}
