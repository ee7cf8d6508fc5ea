/*
 * Execs, as the server sees them: what its run has to tell goes to the client and the log, and
 * what is done to it from outside goes to the run.
 */
#include "engine/engine.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- To the run ---- */

/* Room for n more bytes at the end of the queue. */
static uint8_t *queue_room(struct run *r, size_t n)
{
	size_t cap = r->in_cap ? r->in_cap : 4096;
	uint8_t *in;

	if (r->in_at && r->in_n)
		memmove(r->in, r->in + r->in_at, r->in_n);
	r->in_at = 0;
	while (cap < r->in_n + n)
		cap *= 2;
	if (cap != r->in_cap) {
		in = realloc(r->in, cap);
		if (!in)
			return NULL;
		r->in = in;
		r->in_cap = cap;
	}
	return r->in + r->in_n;
}

uint64_t exec_type(struct run *r)
{
	uint64_t signals = 0;

	while (r->in_n && term_takes(&r->term)) {
		int sig = term_type(&r->term, r->in[r->in_at++], &r->out);

		r->in_n--;
		if (sig)
			signals |= UINT64_C(1) << sig;
	}
	return signals;
}

void exec_typed_signals(struct run *r, uint64_t signals)
{
	for (int sig = 1; signals >> sig; sig++)
		if (signals >> sig & 1)
			tsb_cancel_signal(r->cancel, sig, false);
}

void exec_input(struct exec *e, const void *data, size_t n)
{
	struct run *r = &e->run;
	uint64_t signals = 0;
	uint8_t *to;

	pthread_mutex_lock(&r->lock);
	if (!r->in_closed && (to = queue_room(r, n))) {
		memcpy(to, data, n);
		r->in_n += n;
		signals = r->terminal ? exec_type(r) : 0;
	}
	pthread_mutex_unlock(&r->lock);
	if (e->posted)
		exec_typed_signals(r, signals);
	tsb_cancel_wake(r->cancel);
}

void exec_close_input(struct exec *e)
{
	pthread_mutex_lock(&e->run.lock);
	e->run.in_closed = true;
	pthread_mutex_unlock(&e->run.lock);
	tsb_cancel_wake(e->run.cancel);
}

size_t exec_input_waits(struct exec *e)
{
	size_t n;

	pthread_mutex_lock(&e->run.lock);
	n = e->run.in_n;
	pthread_mutex_unlock(&e->run.lock);
	return n;
}

void exec_signal(struct exec *e, int sig)
{
	if (e->posted)
		tsb_cancel_signal(e->run.cancel, sig, false);
}

void exec_resize(struct exec *e, uint32_t rows, uint32_t columns)
{
	if (e->run.terminal && e->posted)
		tsb_cancel_resize(e->run.cancel, (uint16_t)rows, (uint16_t)columns);
}

void exec_kill(struct exec *e, enum wire_reason why)
{
	if (e->state != EXEC_ENDED && !e->forced) {
		e->forced = true;
		e->reason = why;
	}
	if (e->posted)
		tsb_cancel_now(e->run.cancel);
}

void exec_client_gone(struct exec *e)
{
	e->client = NULL;
	if (!e->keep && e->state != EXEC_ENDED)
		exec_kill(e, WIRE_BY_CANCEL);
	exec_poll(e, now_ns());
}

/* ---- The end ---- */

static const char *limit_word(const char *name)
{
	static const struct { const char *name, *word; } words[] = {
		{ "memory_bytes", "memory" }, { "processes", "pids" }, { "fs_bytes", "disk" },
		{ "fs_entries", "disk" }, { "file_bytes", "disk" }, { "descriptors", "open-files" },
	};

	for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++)
		if (!strcmp(words[i].name, name))
			return words[i].word;
	return name;
}

static void set_limit(struct exec *e, const char *word)
{
	snprintf(e->limit, sizeof(e->limit), "%s", word);
}

/* Which limit made the command fail, if one did. */
static void blame_limit(struct exec *e)
{
	if (!e->status)
		return;
	if (!strcmp(e->limit, "memory") && e->status == 128 + SIGKILL)
		e->reason = WIRE_BY_OOM;
	else if (!strcmp(e->limit, "pids"))
		e->reason = WIRE_BY_PIDS;
	else if (!strcmp(e->limit, "disk"))
		e->reason = WIRE_BY_QUOTA;
}

static void judge(struct exec *e)
{
	struct run *r = &e->run;
	int status = r->ended ? r->value : SIGKILL;

	e->signal = (uint32_t)status & 0x7f;
	e->status = e->signal ? 128 + e->signal : (uint32_t)status >> 8 & 0xff;
	e->left = (uint32_t)r->left;
	e->user_ns = r->user_ns;
	e->peak = r->peak;
	if (r->limit)
		set_limit(e, limit_word(r->limit));
	if (e->forced) {
		if (e->reason == WIRE_BY_TIMEOUT)
			set_limit(e, "deadline");
		return;
	}
	e->reason = e->signal && e->signal == (uint32_t)e->killed ? WIRE_BY_CANCEL :
		    e->signal ? WIRE_BY_SIGNAL : WIRE_BY_EXIT;
	if (!r->ended && r->stop == TSB_STOP_MEMORY)
		e->reason = WIRE_BY_OOM;
	if (!*e->limit && (r->dropped[0] || r->dropped[1]))
		set_limit(e, "output");
	blame_limit(e);
}

static void finish(struct exec *e)
{
	struct server *s = e->server;

	judge(e);
	e->state = EXEC_ENDED;
	e->ended = now_ns();
	e->ended_at = wall_ns();
	e->kill_at = e->deadline = 0;
	s->n_ended++;
	server_commit(s);
	records_ended(s, e);
	audit_end(s, e);
	if (e->log_fd >= 0 && !e->run.left) {
		close(e->log_fd);
		e->log_fd = -1;
	}
	if (e->client) {
		struct conn *c = e->client;

		e->client = NULL;
		wire_begin(&c->out, WIRE_END);
		exec_end_fields(e, &c->out);
		wire_end(&c->out);
		conn_last(c);
	}
	for (struct conn *c = s->conns, *next; c; c = next) {
		next = c->next;
		if (c->exec == e && c->state == CONN_WAIT)
			request_wait_ended(c);
		else if (c->exec == e && c->state == CONN_LOGS)
			logs_more(c);
	}
}

void exec_end_fields(const struct exec *e, struct wire_out *o)
{
	char proc[24];

	snprintf(proc, sizeof(proc), "p%llu", (unsigned long long)e->number);
	wire_text(o, WIRE_F_PROC, proc);
	wire_u8(o, WIRE_F_REASON, e->reason);
	wire_u32(o, WIRE_F_STATUS, e->status);
	wire_u32(o, WIRE_F_SIGNAL, e->signal);
	wire_u8(o, WIRE_F_CORE, 0);
	wire_u64(o, WIRE_F_WALL, e->ended - e->began);
	wire_u64(o, WIRE_F_USER, e->user_ns);
	wire_u64(o, WIRE_F_SYSTEM, e->system_ns);
	wire_u64(o, WIRE_F_PEAK, e->peak);
	wire_text(o, WIRE_F_PEAK_BY, "tinysandbox");
	wire_u64(o, WIRE_F_OUT_BYTES, e->run.bytes[0]);
	wire_u64(o, WIRE_F_ERR_BYTES, e->run.bytes[1]);
	wire_u64(o, WIRE_F_OUT_DROPPED, e->run.dropped[0]);
	wire_u64(o, WIRE_F_ERR_DROPPED, e->run.dropped[1]);
	if (*e->limit)
		wire_text(o, WIRE_F_LIMIT, e->limit);
	wire_u64(o, WIRE_F_STARTED_AT, e->began_at);
	wire_u64(o, WIRE_F_ENDED_AT, e->ended_at);
	if (*e->text)
		wire_text(o, WIRE_F_TEXT, e->text);
	wire_u32(o, WIRE_F_LEFT, e->left);
}

void exec_process_fields(const struct exec *e, struct wire_out *o)
{
	size_t mark = wire_nest(o, WIRE_F_PROCESS);
	char proc[24];

	if (e->state == EXEC_ENDED) {
		exec_end_fields(e, o);
	} else {
		snprintf(proc, sizeof(proc), "p%llu", (unsigned long long)e->number);
		wire_text(o, WIRE_F_PROC, proc);
		wire_u64(o, WIRE_F_STARTED_AT, e->began_at);
	}
	wire_u32(o, WIRE_F_PID, (uint32_t)e->run.pid);
	for (size_t i = 0; e->argv && e->argv[i]; i++)
		wire_text(o, WIRE_F_ARG, e->argv[i]);
	wire_u8(o, WIRE_F_STATE, e->state == EXEC_ENDED);
	wire_text(o, WIRE_F_LABEL, e->label);
	wire_unnest(o, mark);
}

/* ---- What the run tells ---- */

static void say_started(struct exec *e)
{
	char proc[24];

	e->state = EXEC_RUNNING;
	if (e->log)
		e->log_fd = records_log(e->server, e->number, true);
	records_began(e->server, e);
	audit_exec(e->server, e);
	if (!e->client)
		return;
	snprintf(proc, sizeof(proc), "p%llu", (unsigned long long)e->number);
	wire_begin(&e->client->out, WIRE_STARTED);
	wire_text(&e->client->out, WIRE_F_PROC, proc);
	wire_u32(&e->client->out, WIRE_F_PID, (uint32_t)e->run.pid);
	wire_end(&e->client->out);
	if (e->detach) {
		struct conn *c = e->client;

		e->client = NULL;
		c->exec = NULL;
		conn_last(c);
	}
}

static void say_failed(struct exec *e)
{
	struct conn *c = e->client;
	int error = -e->run.value;

	e->state = EXEC_ENDED;
	audit_refused(e->server, e->argv[0], tsb_strerror(error));
	if (!c)
		return;
	e->client = NULL;
	if (e->run.how == TSB_EVENT_NO_CWD)
		conn_error(c, WIRE_ERROR_FILE, error, "the working directory %s: %s", e->cwd,
			   tsb_strerror(error));
	else if (e->run.how == TSB_EVENT_NO_INPUT)
		conn_error(c, WIRE_ERROR_FILE, error, "standard input %s: %s", e->input_path,
			   tsb_strerror(error));
	else if (error == EAGAIN || error == ENOMEM)
		conn_error(c, WIRE_ERROR_LIMIT, error, "%s: %s: the box's limits leave no room for it",
			   e->argv[0], tsb_strerror(error));
	else
		conn_error(c, WIRE_ERROR_NO_COMMAND, error, "%s: %s", e->argv[0],
			   error == ENOENT ? "command not found" : tsb_strerror(error));
}

static void log_some(struct exec *e, const uint8_t *data, size_t n)
{
	if (e->log_fd < 0 || e->log_size >= LOG_MAX)
		return;
	while (n) {
		ssize_t w = write(e->log_fd, data, n);

		if (w < 0 && errno == EINTR)
			continue;
		if (w <= 0)
			return;
		e->log_size += (uint64_t)w;
		data += w;
		n -= (size_t)w;
	}
}

/* Moves what has been written to where it goes, if that has room; whether all is moved. */
static bool move_output(struct exec *e)
{
	struct run *r = &e->run;
	struct wire_out got = { 0 };
	bool wake = false, moved = true;

	if (e->client && e->client->out.size >= FLOW_HIGH)
		moved = false;
	pthread_mutex_lock(&r->lock);
	if (moved) {
		got = r->out;
		r->out = (struct wire_out){ 0 };
		wake = r->full;
		r->full = false;
	} else {
		moved = !r->out.size;
	}
	pthread_mutex_unlock(&r->lock);
	if (got.size && e->client)
		wire_raw(&e->client->out, got.data, got.size);
	if (got.size)
		log_some(e, got.data, got.size);
	wire_free(&got);
	if (wake)
		tsb_cancel_wake(r->cancel);
	return moved;
}

static void run_gone(struct exec *e)
{
	struct run *r = &e->run;

	e->posted = false;
	e->server->n_running--;
	server_commit(e->server);	/* what was left running has written, perhaps */
	if (e->log_fd >= 0)
		close(e->log_fd);
	e->log_fd = -1;
	tsb_cancel_free(r->cancel);
	r->cancel = NULL;
	wire_free(&r->out);
	free(r->in);
	r->in = NULL;
	r->in_at = r->in_n = r->in_cap = 0;
	free(e->env);
	e->env = NULL;
}

static void timers(struct exec *e, uint64_t now)
{
	if (e->deadline && now >= e->deadline) {
		e->deadline = 0;
		if (e->grace) {
			e->forced = true;
			e->reason = WIRE_BY_TIMEOUT;
			e->kill_at = now + e->grace;
			tsb_cancel_signal(e->run.cancel, SIGTERM, true);
		} else {
			exec_kill(e, WIRE_BY_TIMEOUT);
		}
	}
	if (e->kill_at && now >= e->kill_at) {
		e->kill_at = 0;
		exec_kill(e, WIRE_BY_TIMEOUT);
	}
}

uint64_t exec_next_timer(const struct exec *e)
{
	return e->state == EXEC_ENDED ? 0 : e->kill_at ? e->kill_at : e->deadline;
}

void exec_poll(struct exec *e, uint64_t now)
{
	struct run *r = &e->run;
	bool started, failed, over, gone;

	if (!e->posted)
		return;
	if (e->state != EXEC_ENDED)
		timers(e, now);
	pthread_mutex_lock(&r->lock);
	started = r->started;
	failed = r->failed;
	gone = r->gone;
	over = r->ended || gone;
	pthread_mutex_unlock(&r->lock);
	if (failed && e->state == EXEC_STARTING)
		say_failed(e);
	if (started && e->state == EXEC_STARTING)
		say_started(e);
	if (move_output(e) && over && e->state != EXEC_ENDED)
		finish(e);
	else if (e->client)
		conn_flush(e->client);
	/* Telling a client may have found it gone, and come here before. */
	if (gone && e->posted && e->state == EXEC_ENDED)
		run_gone(e);
	for (struct conn *c = e->server->conns; c && e->log; c = c->next)
		if (c->exec == e && c->state == CONN_LOGS && c->follow)
			logs_more(c);
}

struct exec *exec_find(struct server *s, const char *proc)
{
	char name[24];

	for (struct exec *e = s->execs; e; e = e->next) {
		snprintf(name, sizeof(name), "p%llu", (unsigned long long)e->number);
		if (!strcmp(name, proc) && !(e->run.failed && e->state == EXEC_ENDED))
			return e;
	}
	return NULL;
}

void exec_free(struct exec *e)
{
	if (!e)
		return;
	if (e->log_fd >= 0)
		close(e->log_fd);
	tsb_cancel_free(e->run.cancel);
	wire_free(&e->run.out);
	free(e->run.in);
	pthread_mutex_destroy(&e->run.lock);
	wire_list_free(e->argv);
	free(e->env);
	free(e->cwd);
	free(e->input_path);
	free(e->label);
	free(e);
}
