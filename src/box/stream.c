/*
 * An exec as a stream of events, and a process's log or its return as the same.
 */
#include "box/internal.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#define ROOM (256u << 10)	/* of standard input that waits to be sent */
#define LISTEN_MS 10000
#define SILENCE (90 * BX_SECOND)	/* a server that lives says so each ten */

struct tbx_stream {
	struct bx b;
	struct bx_conn c;
	struct tbx_doc end;
	char *proc;
	char *command, *cwd, *file;	/* what was asked for, for messages */
	bool over, detached;
	uint64_t heard;			/* when the server last said something; 0: it need not */
};

/* ---- Requests ---- */

static int check_exec(struct tbx_store *store, const struct tbx_exec *e)
{
	if (!e->argv || !e->argv[0])
		return bx_fail(store, TBX_ERR_ARGUMENT, "there is no command to run");
	for (size_t i = 0; e->env && e->env[i]; i++)
		if (*e->env[i] == '=' || !strchr(e->env[i], '='))
			return bx_fail(store, TBX_ERR_ARGUMENT, "--env '%s': must be NAME=VALUE",
				       e->env[i]);
	if (e->input == TBX_STDIN_FILE && (!e->input_file || !*e->input_file))
		return bx_fail(store, TBX_ERR_ARGUMENT, "the file for standard input is not named");
	if (e->input > TBX_STDIN_FILE)
		return bx_fail(store, TBX_ERR_ARGUMENT, "standard input is none, stream or file");
	if (e->label && !tbx_is_name(e->label))
		return bx_fail(store, TBX_ERR_ARGUMENT, "--label: must be letters, digits, dots, "
			       "dashes and underscores");
	return TBX_OK;
}

static void list(struct wire_out *o, enum wire_field name, const char *const *at)
{
	for (size_t i = 0; at && at[i]; i++)
		wire_text(o, name, at[i]);
}

static void number(struct wire_out *o, enum wire_field name, uint64_t n)
{
	if (n)
		wire_u64(o, name, n);
}

static void write_exec(struct wire_out *o, const struct tbx_exec *e, bool detach)
{
	wire_begin(o, WIRE_EXEC);
	list(o, WIRE_F_ARG, e->argv);
	list(o, WIRE_F_ENV, e->env);
	wire_text(o, WIRE_F_CWD, e->cwd);
	wire_u8(o, WIRE_F_STDIN, e->input);
	if (e->input == TBX_STDIN_FILE)
		wire_text(o, WIRE_F_PATH, e->input_file);
	if (e->terminal) {
		wire_u8(o, WIRE_F_TERMINAL, 1);
		wire_u32(o, WIRE_F_ROWS, e->rows);
		wire_u32(o, WIRE_F_COLUMNS, e->columns);
		wire_text(o, WIRE_F_TERM, e->term);
	}
	number(o, WIRE_F_DEADLINE, e->deadline);
	number(o, WIRE_F_GRACE, e->grace);
	number(o, WIRE_F_OUT_LIMIT, e->out_limit);
	number(o, WIRE_F_ERR_LIMIT, e->err_limit);
	if (e->keep)
		wire_u8(o, WIRE_F_KEEP, 1);
	if (detach)
		wire_u8(o, WIRE_F_DETACH, 1);
	if (e->log)
		wire_u8(o, WIRE_F_LOG, 1);
	wire_text(o, WIRE_F_LABEL, e->label);
	number(o, WIRE_F_MEMORY, e->memory);
	if (e->pids)
		wire_u32(o, WIRE_F_PIDS, e->pids);
	if (e->cpu)
		wire_u32(o, WIRE_F_CPU, e->cpu);
	wire_end(o);
}

static int begin(struct tbx_store *store, const char *box, struct tbx_stream **out)
{
	struct tbx_stream *s = calloc(1, sizeof(*s));
	int status;

	*out = s;
	if (!s)
		return bx_memory(store);
	s->c.fd = s->c.child_err = -1;
	status = bx_open(store, box, BX_LOCK_NONE, &s->b);
	if (!status)
		status = bx_connect(&s->b, &s->c);
	if (!status)
		return TBX_OK;
	tbx_stream_close(s);
	*out = NULL;
	return status;
}

static int sent(struct tbx_stream **s)
{
	int status = bx_send(&(*s)->c, bx_step((*s)->b.store));

	if (status) {
		tbx_stream_close(*s);
		*s = NULL;
	}
	return status;
}

static int open_exec(struct tbx_store *store, const char *box, const struct tbx_exec *exec,
		     bool detach, struct tbx_stream **out)
{
	struct tbx_exec whole = TBX_EXEC_INIT;
	int status = bx_take_options(store, &whole, sizeof(whole), exec, "tbx_exec");

	*out = NULL;
	if (!status)
		status = check_exec(store, &whole);
	if (!status)
		status = begin(store, box, out);
	if (status)
		return status;
	write_exec(&(*out)->c.out, &whole, detach);
	(*out)->command = strdup(whole.argv[0]);
	(*out)->cwd = whole.cwd ? strdup(whole.cwd) : NULL;
	(*out)->file = whole.input_file ? strdup(whole.input_file) : NULL;
	(*out)->detached = detach;
	(*out)->heard = bx_ticks();
	return sent(out);
}

int tbx_stream_open(struct tbx_store *store, const char *box, const struct tbx_exec *exec,
		    struct tbx_stream **out)
{
	return open_exec(store, box, exec, false, out);
}

static int check_proc(struct tbx_store *store, const char *proc)
{
	return tbx_is_name(proc) ? TBX_OK :
	       bx_fail(store, TBX_ERR_ARGUMENT, "not the name of a process; `tinybox ps BOX` has them");
}

int tbx_stream_attach(struct tbx_store *store, const char *box, const char *proc,
		      struct tbx_stream **out)
{
	int status = check_proc(store, proc);

	*out = NULL;
	if (!status)
		status = begin(store, box, out);
	if (status)
		return status;
	wire_begin(&(*out)->c.out, WIRE_ATTACH);
	wire_text(&(*out)->c.out, WIRE_F_PROC, proc);
	wire_end(&(*out)->c.out);
	return sent(out);
}

int tbx_stream_logs(struct tbx_store *store, const char *box, const char *proc, bool follow,
		    uint64_t offset, struct tbx_stream **out)
{
	int status = check_proc(store, proc);

	*out = NULL;
	if (!status)
		status = begin(store, box, out);
	if (status)
		return status;
	wire_begin(&(*out)->c.out, WIRE_LOGS);
	wire_text(&(*out)->c.out, WIRE_F_PROC, proc);
	wire_u8(&(*out)->c.out, WIRE_F_FOLLOW, follow);
	wire_u64(&(*out)->c.out, WIRE_F_OFFSET, offset);
	wire_end(&(*out)->c.out);
	return sent(out);
}

void tbx_stream_close(struct tbx_stream *s)
{
	if (!s)
		return;
	bx_conn_close(&s->c);
	bx_close(&s->b);
	json_decref(s->end.root);
	free(s->proc);
	free(s->command);
	free(s->cwd);
	free(s->file);
	free(s);
}

/* ---- Events ---- */

int tbx_stream_fd(const struct tbx_stream *s)
{
	return s->c.fd;
}

short tbx_stream_poll(const struct tbx_stream *s)
{
	return s->c.out.size ? POLLIN | POLLOUT : POLLIN;
}

static int flush(struct tbx_stream *s)
{
	while (s->c.out.size) {
		ssize_t n = send(s->c.fd, s->c.out.data, s->c.out.size, MSG_NOSIGNAL | MSG_DONTWAIT);

		if (n >= 0)
			wire_consume(&s->c.out, (size_t)n);
		else if (errno == EPIPE || errno == ECONNRESET)
			s->c.out.size = 0;
		else if (errno == EAGAIN)
			return TBX_OK;
		else if (errno != EINTR)
			return bx_fail(s->b.store, TBX_ERR_SYSTEM, "%s: %s", s->c.what, strerror(errno));
	}
	return s->c.out.failed ? bx_memory(s->b.store) : TBX_OK;
}

static void started(struct tbx_stream *s, struct wire_iter it)
{
	bool bad = false;
	char *proc = wire_string(it, WIRE_F_PROC, &bad);

	if (proc && tbx_is_name(proc)) {
		free(s->proc);
		s->proc = proc;
		return;
	}
	free(proc);
}

static int finish(struct tbx_stream *s, const struct wire_frame *f)
{
	s->over = true;
	if (f->type == WIRE_END) {
		s->end.root = bx_end_json(wire_fields(f));
		if (!s->end.root)
			return bx_fail(s->b.store, TBX_ERR_PROTOCOL, "%s: a damaged end record", s->c.what);
		bx_put(s->end.root, "box", json_string(s->b.id));
	}
	return TBX_OK;
}

/* The server's sentence, with the name that it is about in front. */
static int refused(struct tbx_stream *s, const struct wire_frame *f)
{
	struct tbx_store *store = s->b.store;
	int status = bx_wire_error(&s->c, f), code = store->error_status;
	char *said = strdup(tbx_error(store));
	const char *name = status == TBX_ERR_COMMAND ? s->command :
			   status != TBX_ERR_FILE ? NULL :
			   s->cwd && said && strstr(said, "working directory") ? s->cwd : s->file;

	if (said && name && !strstr(said, name)) {
		bx_fail(store, status, "%.200s: %s", name, said);
		store->error_status = code;
	}
	free(said);
	return status;
}

/* One frame to an event; NONE: it was not for the caller. */
static int event_of(struct tbx_stream *s, const struct wire_frame *f, enum tbx_event *event,
		    const void **data, size_t *n)
{
	if (f->type == WIRE_DATA_OUT || f->type == WIRE_DATA_ERR) {
		*event = f->type == WIRE_DATA_OUT ? TBX_EVENT_OUT : TBX_EVENT_ERR;
		*data = f->body;
		*n = f->size;
		return TBX_OK;
	}
	if (!wire_whole(wire_fields(f)))
		return bx_fail(s->b.store, TBX_ERR_PROTOCOL, "%s: a damaged answer", s->c.what);
	switch (f->type) {
	case WIRE_STARTED:
		started(s, wire_fields(f));
		*event = TBX_EVENT_STARTED;
		s->over = s->detached;
		return TBX_OK;
	case WIRE_END:
	case WIRE_OK:
		*event = TBX_EVENT_END;
		return finish(s, f);
	case WIRE_ERROR:
		s->over = true;
		return refused(s, f);
	default:
		return TBX_OK;
	}
}

static int silent(struct tbx_stream *s)
{
	if (!s->heard || bx_ticks() - s->heard < SILENCE)
		return TBX_OK;
	return bx_fail(s->b.store, TBX_ERR_LOST, "%s: its server has given no sign of life for a while; "
		       "`tinybox inspect %s` asks it, `tinybox rm %s` ends it", s->b.id, s->b.id, s->b.id);
}

int tbx_stream_next(struct tbx_stream *s, enum tbx_event *event, const void **data, size_t *n)
{
	struct wire_frame f;
	uint8_t *room;
	ssize_t got;
	int status = flush(s);

	*event = TBX_EVENT_NONE;
	while (!status && *event == TBX_EVENT_NONE) {
		while (*event == TBX_EVENT_NONE && !status && wire_next(&s->c.in, &f))
			status = event_of(s, &f, event, data, n);
		if (status || *event != TBX_EVENT_NONE)
			break;
		if (s->c.in.error)
			return bx_fail(s->b.store, TBX_ERR_PROTOCOL, "%s: does not speak the protocol: %s",
				       s->c.what, s->c.in.error);
		room = wire_room(&s->c.in, 65536);
		if (!room)
			return bx_memory(s->b.store);
		got = recv(s->c.fd, room, 65536, MSG_DONTWAIT);
		if (got > 0) {
			wire_got(&s->c.in, (size_t)got);
			s->heard = s->heard ? bx_ticks() : 0;
		} else if (got < 0 && errno == EAGAIN) {
			return silent(s);
		}
		if (!got || (got < 0 && errno != EINTR))
			status = bx_fail(s->b.store, TBX_ERR_LOST, "%s: the box is gone: its server "
					 "ended before the command did", s->b.id);
	}
	return status;
}

bool tbx_stream_room(const struct tbx_stream *s)
{
	return !s->over && s->c.out.size < ROOM;
}

int tbx_stream_write(struct tbx_stream *s, const void *data, size_t n)
{
	wire_data(&s->c.out, WIRE_DATA_IN, data, n);
	return flush(s);
}

int tbx_stream_close_input(struct tbx_stream *s)
{
	wire_begin(&s->c.out, WIRE_CLOSE_IN);
	wire_end(&s->c.out);
	return flush(s);
}

int tbx_stream_resize(struct tbx_stream *s, uint32_t rows, uint32_t columns)
{
	wire_begin(&s->c.out, WIRE_RESIZE);
	wire_u32(&s->c.out, WIRE_F_ROWS, rows);
	wire_u32(&s->c.out, WIRE_F_COLUMNS, columns);
	wire_end(&s->c.out);
	return flush(s);
}

int tbx_stream_signal(struct tbx_stream *s, int signal)
{
	wire_begin(&s->c.out, WIRE_SIGNAL);
	wire_u32(&s->c.out, WIRE_F_SIGNAL, (uint32_t)signal);
	wire_end(&s->c.out);
	return flush(s);
}

const char *tbx_stream_proc(const struct tbx_stream *s)
{
	return s->proc;
}

const struct tbx_doc *tbx_stream_end(const struct tbx_stream *s)
{
	return s->end.root ? &s->end : NULL;
}

/* ---- The whole of an exec ---- */

/* Until something can be done. False: the caller wants no more. */
static int turn(struct tbx_stream *s, const struct tbx_exec *e, bool *input)
{
	struct pollfd p = {.fd = s->c.fd, .events = tbx_stream_poll(s)};
	char buf[16384];
	long n;

	if (*input && tbx_stream_room(s)) {
		n = e->read ? e->read(e->ctx, buf, sizeof(buf)) : 0;
		*input = n > 0;
		if (n > 0)
			return tbx_stream_write(s, buf, (size_t)n);
		return tbx_stream_close_input(s);
	}
	if (poll(&p, 1, LISTEN_MS) < 0 && errno != EINTR)
		return bx_fail(s->b.store, TBX_ERR_SYSTEM, "poll: %s", strerror(errno));
	return TBX_OK;
}

static int pump(struct tbx_stream *s, const struct tbx_exec *e)
{
	bool input = e->input == TBX_STDIN_STREAM;
	enum tbx_event event;
	const void *data;
	size_t n;
	int status;

	for (;;) {
		status = tbx_stream_next(s, &event, &data, &n);
		if (status || event == TBX_EVENT_END)
			return status;
		if ((event == TBX_EVENT_OUT || event == TBX_EVENT_ERR) && e->output &&
		    e->output(e->ctx, event == TBX_EVENT_OUT ? 1 : 2, data, n))
			return bx_fail(s->b.store, TBX_ERR_LOST, "the caller took no more output");
		if (event == TBX_EVENT_NONE)
			status = turn(s, e, &input);
		if (status)
			return status;
	}
}

int tbx_exec(struct tbx_store *store, const char *box, const struct tbx_exec *exec,
	     struct tbx_doc **end)
{
	struct tbx_exec whole = TBX_EXEC_INIT;
	struct tbx_stream *s;
	int status = tbx_stream_open(store, box, exec, &s);

	*end = NULL;
	if (status)
		return status;
	status = bx_take_options(store, &whole, sizeof(whole), exec, "tbx_exec");
	if (!status)
		status = pump(s, &whole);
	if (!status)
		status = s->end.root ? bx_doc(store, json_incref(s->end.root), end) :
			 bx_fail(store, TBX_ERR_PROTOCOL, "%s: the end record is missing", box);
	tbx_stream_close(s);
	return status;
}

int tbx_spawn(struct tbx_store *store, const char *box, const struct tbx_exec *exec,
	      struct tbx_doc **process)
{
	struct wire_frame f;
	struct tbx_stream *s;
	json_t *doc;
	int status = open_exec(store, box, exec, true, &s);

	*process = NULL;
	if (status)
		return status;
	status = bx_receive(&s->c, &f, bx_step(store));
	if (!status && f.type == WIRE_ERROR)
		status = refused(s, &f);
	else if (!status && (f.type != WIRE_STARTED || !wire_whole(wire_fields(&f))))
		status = bx_fail(store, TBX_ERR_PROTOCOL, "%s: the command did not start", box);
	if (!status) {
		doc = bx_process_json(wire_fields(&f));
		json_object_set_new(doc, "argv", bx_json_list(exec->argv));
		bx_put_number(doc, "started_at", bx_now());
		bx_put(doc, "box", json_string(s->b.id));
		status = bx_doc(store, doc, process);
	}
	tbx_stream_close(s);
	return status;
}
