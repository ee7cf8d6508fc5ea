/* The requests about processes and the box; those about files are in files.c. */
#include "engine/engine.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void on_exec(struct conn *c, struct wire_iter it)
{
	struct server *s = c->server;

	if (s->stopping) {
		conn_error(c, WIRE_ERROR_STATE, 0, "the box is being stopped");
	} else if (s->paused) {
		conn_error(c, WIRE_ERROR_STATE, 0, "the box is paused: resume it first");
	} else if (s->n_running >= EXECS_MAX) {
		conn_error(c, WIRE_ERROR_BUSY, 0, "%d commands run in this box: no more at a time",
			   EXECS_MAX);
	} else {
		/* Its first words may come before it is known who asked. */
		c->state = CONN_EXEC;
		c->exec = exec_new(s, c, it);
	}
}

static void on_ps(struct conn *c)
{
	struct exec *first[RECORDS_MAX + EXECS_MAX];
	size_t n = 0;

	for (struct exec *e = c->server->execs; e && n < RECORDS_MAX + EXECS_MAX; e = e->next)
		if (e->state != EXEC_STARTING && !(e->run.failed && e->state == EXEC_ENDED))
			first[n++] = e;
	wire_begin(&c->out, WIRE_OK);
	while (n--)
		exec_process_fields(first[n], &c->out);
	wire_end(&c->out);
	conn_last(c);
}

/* The exec that PROC names; NULL: an ERROR was written. */
static struct exec *named(struct conn *c, struct wire_iter it)
{
	bool bad = false;
	char *proc = wire_string(it, WIRE_F_PROC, &bad);
	struct exec *e = proc ? exec_find(c->server, proc) : NULL;

	if (!proc)
		conn_error(c, WIRE_ERROR_REQUEST, 0, "PROC is missing");
	else if (!e)
		conn_error(c, WIRE_ERROR_NO_PROCESS, 0, "%.64s: no such process in this box", proc);
	free(proc);
	return e;
}

static void on_kill(struct conn *c, struct wire_iter it)
{
	struct exec *e = named(c, it);
	bool bad = false;
	uint64_t sig = wire_number(it, WIRE_F_SIGNAL, SIGTERM, &bad);
	bool tree = wire_number(it, WIRE_F_TREE, 0, &bad);

	if (!e)
		return;
	if (bad || sig < 1 || sig > 64) {
		conn_error(c, WIRE_ERROR_REQUEST, EINVAL, "kill: no such signal");
		return;
	}
	audit_event(c->server, tree ? "kill-tree" : "kill", e);
	wire_begin(&c->out, WIRE_OK);
	if (tree ? !e->posted : e->state == EXEC_ENDED)
		wire_u8(&c->out, WIRE_F_GONE, 1);
	wire_end(&c->out);
	if (tree || sig == SIGKILL) {
		exec_kill(e, WIRE_BY_CANCEL);
	} else {
		e->killed = (int)sig;
		exec_signal(e, (int)sig);
	}
	conn_last(c);
}

void request_wait_ended(struct conn *c)
{
	wire_begin(&c->out, WIRE_END);
	exec_end_fields(c->exec, &c->out);
	wire_end(&c->out);
	c->exec = NULL;
	conn_last(c);
}

static void on_wait(struct conn *c, struct wire_iter it)
{
	struct exec *e = named(c, it);
	bool bad = false;
	uint64_t deadline = wire_number(it, WIRE_F_DEADLINE, 0, &bad);

	if (!e)
		return;
	c->exec = e;
	c->state = CONN_WAIT;
	c->deadline = deadline && deadline < UINT64_MAX / 4 ? now_ns() + deadline : 0;
	if (e->state == EXEC_ENDED)
		request_wait_ended(c);
}

static void on_attach(struct conn *c, struct wire_iter it)
{
	struct exec *e = named(c, it);

	if (!e)
		return;
	audit_event(c->server, "attach", e);
	if (e->state == EXEC_ENDED) {
		c->exec = e;
		request_wait_ended(c);
	} else if (e->client) {
		conn_error(c, WIRE_ERROR_BUSY, 0, "somebody is attached to it");
	} else {
		e->client = c;
		c->exec = e;
		c->state = CONN_EXEC;
		exec_poll(e, now_ns());
	}
}

static void on_logs(struct conn *c, struct wire_iter it)
{
	struct exec *e = named(c, it);
	bool bad = false;

	if (!e)
		return;
	c->log_fd = records_log(c->server, e->number, false);
	if (c->log_fd < 0) {
		conn_error(c, WIRE_ERROR_STATE, 0, "the process has no log");
		return;
	}
	c->exec = e;
	c->follow = wire_number(it, WIRE_F_FOLLOW, 0, &bad);
	c->at = 0;
	c->end = wire_number(it, WIRE_F_OFFSET, 0, &bad);	/* bytes of output to skip */
	c->state = CONN_LOGS;
	logs_more(c);
}

static void on_info(struct conn *c)
{
	struct tsb_statistics stats = { .size = sizeof(stats) };
	struct server *s = c->server;
	char why[VIRTUAL_WHY];

	tsb_stats(virtual_sandbox(s->box), &stats);
	wire_begin(&c->out, WIRE_OK);
	wire_text(&c->out, WIRE_F_BOX, s->spec->box);
	wire_text(&c->out, WIRE_F_KIND, "virtual");
	wire_u32(&c->out, WIRE_F_PID, (uint32_t)getpid());
	wire_u64(&c->out, WIRE_F_STARTED_AT, s->started_at);
	wire_u8(&c->out, WIRE_F_STATE, s->paused);
	wire_u64(&c->out, WIRE_F_DISK, stats.fs_bytes);
	wire_u32(&c->out, WIRE_F_PIDS, (uint32_t)s->n_running);
	report_write(s->spec, s->wall, &c->out, why);
	wire_end(&c->out);
	conn_last(c);
}

/* The box goes on: no run is in the middle of a change while the tree is looked at. */
static void on_seal(struct conn *c)
{
	char why[VIRTUAL_WHY];
	bool any;
	int rc = virtual_seal(c->server->box, &any, why);

	if (rc) {
		conn_error(c, WIRE_ERROR_SYSTEM, -rc, "%s", why);
		return;
	}
	wire_begin(&c->out, WIRE_OK);
	wire_u8(&c->out, WIRE_F_GONE, !any);
	wire_end(&c->out);
	conn_last(c);
}

static void on_pause(struct conn *c, bool on, struct wire_iter it)
{
	bool bad = false;

	if (wire_number(it, WIRE_F_HOLD, 0, &bad) || bad) {
		conn_error(c, WIRE_ERROR_UNSUPPORTED, 0, "this box needs no pause to be sealed");
		return;
	}
	c->server->paused = on;
	server_pause(c->server);
	audit_event(c->server, on ? "pause" : "resume", NULL);
	conn_ok(c);
}

static void on_stop(struct conn *c, struct wire_iter it)
{
	struct server *s = c->server;
	bool bad = false;
	uint64_t grace = wire_number(it, WIRE_F_GRACE, 0, &bad);

	if (s->stopper) {
		conn_error(c, WIRE_ERROR_STATE, 0, "the box is being stopped");
		return;
	}
	c->state = CONN_WAIT;
	s->stopper = c;
	audit_event(s, "stop", NULL);
	server_stop(s, grace);
}

void request(struct conn *c, const struct wire_frame *f)
{
	struct wire_iter it = wire_fields(f);

	if (!wire_whole(it)) {
		conn_error(c, WIRE_ERROR_PROTOCOL, 0, "the request is damaged");
		return;
	}
	switch (f->type) {
	case WIRE_EXEC: on_exec(c, it); break;
	case WIRE_PS: on_ps(c); break;
	case WIRE_KILL: on_kill(c, it); break;
	case WIRE_WAIT: on_wait(c, it); break;
	case WIRE_LOGS: on_logs(c, it); break;
	case WIRE_ATTACH: on_attach(c, it); break;
	case WIRE_INFO: on_info(c); break;
	case WIRE_PAUSE: on_pause(c, true, it); break;
	case WIRE_RESUME: on_pause(c, false, it); break;
	case WIRE_SEAL: on_seal(c); break;
	case WIRE_STOP: on_stop(c, it); break;
	case WIRE_TREE:
		sync_request(c, f);
		break;
	case WIRE_CONNECT:
		conn_error(c, WIRE_ERROR_UNSUPPORTED, 0, "a virtual box has no network: nothing in "
			   "it can listen on a port (create the box with the sandbox `namespace`)");
		break;
	default:
		files_request(c, f);
	}
}
