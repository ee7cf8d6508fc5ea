/*
 * The first frame behind HELLO: which operation this connection is.
 */
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

#include "init/keep.h"
#include "init/server.h"
#include "init/tree.h"
#include "init/work.h"

static bool bad_request(struct conn *c, const char *what)
{
	conn_error(c, WIRE_ERROR_REQUEST, 0, what, NULL, NULL);
	return false;
}

/* Anything more from a client whose operation says nothing more. */
static bool no_frame(struct conn *c, const struct wire_frame *f)
{
	if (f->type == WIRE_ALIVE)
		return true;
	conn_error(c, WIRE_ERROR_PROTOCOL, 0, "nothing more was expected", NULL, NULL);
	return false;
}

static bool resize(struct proc *p, struct wire_iter it)
{
	bool bad = false;
	struct winsize size = {
		.ws_row = (unsigned short)wire_number(it, WIRE_F_ROWS, 24, &bad),
		.ws_col = (unsigned short)wire_number(it, WIRE_F_COLUMNS, 80, &bad)};

	if (p->terminal && p->out.w.fd >= 0 && !bad)
		ioctl(p->out.w.fd, TIOCSWINSZ, &size);
	return !bad;
}

static bool good_signal(uint64_t sig)
{
	return sig >= 1 && sig <= 64;
}

/* What the client of an exec says while it runs. */
static bool exec_frame(struct conn *c, const struct wire_frame *f)
{
	struct wire_iter it = wire_fields(f);
	struct proc *p = c->proc;
	uint64_t sig;
	bool bad = false;

	switch (f->type) {
	case WIRE_ALIVE:
		return true;
	case WIRE_DATA_IN:
		if (!input_add(p, f->body, f->size))
			break;
		return true;
	case WIRE_CLOSE_IN:
		input_close(p);
		return true;
	case WIRE_RESIZE:
		if (!wire_whole(it) || !resize(p, it))
			break;
		return true;
	case WIRE_SIGNAL:
		sig = wire_number(it, WIRE_F_SIGNAL, 0, &bad);
		if (bad || !wire_whole(it) || !good_signal(sig))
			break;
		proc_signal(p, (uint32_t)sig);
		return true;
	default:
		break;
	}
	p->client = NULL;
	c->proc = NULL;
	conn_error(c, WIRE_ERROR_PROTOCOL, 0, "this frame does not belong to an exec", NULL, NULL);
	proc_client_gone(p);
	return false;
}

static void alive(void *owner)
{
	struct conn *c = owner;

	if (now_mono() - c->sent_at >= ALIVE_EVERY) {
		wire_begin(&c->out, WIRE_ALIVE);
		wire_end(&c->out);
		conn_flush(c);
	}
	timer_set(&c->s->loop, &c->timer, c->sent_at + ALIVE_EVERY > now_mono() ?
		  c->sent_at + ALIVE_EVERY : now_mono() + ALIVE_EVERY);
}

static void keep_alive(struct conn *c)
{
	c->sent_at = now_mono();
	c->timer = (struct timer){.fire = alive, .owner = c};
	timer_set(&c->s->loop, &c->timer, c->sent_at + ALIVE_EVERY);
}

static bool do_exec(struct conn *c, const struct wire_frame *f)
{
	struct server *s = c->s;
	size_t before = s->conn_count;

	if (s->stopping || s->paused) {
		conn_error(c, WIRE_ERROR_STATE, 0, s->stopping ? "the box is being stopped" :
			   "the box is paused: resume it first", NULL, NULL);
		return false;
	}
	c->frame = exec_frame;
	exec_request(c, f);
	/* refused: the connection is gone or about to go */
	if (s->conn_count != before || c->role != CONN_CLIENT)
		return false;
	keep_alive(c);
	return true;
}

static struct proc *named(struct conn *c, struct wire_iter it, struct wire_out *ended, bool *bad)
{
	char *name = wire_string(it, WIRE_F_PROC, bad);
	struct proc *p = proc_find(c->s, name);

	if (p && p->state == PROC_STARTING)
		p = NULL;
	if ((!p || p->state == PROC_ENDED) && name && !*bad)
		record_read(c->s, name, ended);
	free(name);
	return p;
}

static bool no_process(struct conn *c)
{
	conn_error(c, WIRE_ERROR_NO_PROCESS, 0, "the box has no such process", NULL, NULL);
	return false;
}

static void waited(void *owner)
{
	struct conn *c = owner;

	conn_error(c, WIRE_ERROR_TIMEOUT, 0, "the process still runs", NULL, NULL);
}

static bool do_wait(struct conn *c, struct wire_iter it)
{
	bool bad = false;
	uint64_t deadline = wire_number(it, WIRE_F_DEADLINE, 0, &bad);
	struct wire_out end = {0};
	struct proc *p = named(c, it, &end, &bad);

	if (bad || end.size || !p) {
		if (end.size)
			wire_raw(&c->out, end.data, end.size);
		wire_free(&end);
		if (bad)
			return bad_request(c, "WAIT is damaged");
		if (!c->out.size || !p)
			return c->out.size ? (conn_finish(c), false) : no_process(c);
		conn_finish(c);
		return false;
	}
	c->proc = p;
	c->role = CONN_WAITER;
	c->frame = no_frame;
	c->timer = (struct timer){.fire = waited, .owner = c};
	if (deadline)
		timer_set(&c->s->loop, &c->timer, time_after(deadline));
	return true;
}

static void ok_gone(struct conn *c)
{
	wire_begin(&c->out, WIRE_OK);
	wire_u8(&c->out, WIRE_F_GONE, 1);
	wire_end(&c->out);
	conn_finish(c);
}

static bool do_kill(struct conn *c, struct wire_iter it)
{
	bool bad = false, tree = wire_number(it, WIRE_F_TREE, 0, &bad);
	uint64_t sig = wire_number(it, WIRE_F_SIGNAL, SIGTERM, &bad);
	struct wire_out end = {0};
	struct proc *p = named(c, it, &end, &bad);
	bool known = p || end.size;

	wire_free(&end);
	if (bad || !good_signal(sig))
		return bad_request(c, "KILL has no signal between 1 and 64");
	if (!known)
		return no_process(c);
	audit_event(c->s, tree ? "kill-tree" : "kill", p ? p->name : NULL);
	if (p && tree && p->nurse) {
		c->proc = p;
		c->role = CONN_KILLER;
		c->frame = no_frame;
		proc_kill(p, WIRE_BY_CANCEL, "it was killed with its tree");
		return true;
	}
	if (p && !tree && proc_signal(p, (uint32_t)sig))
		conn_ok(c);
	else
		ok_gone(c);
	return false;
}

static bool do_stop(struct conn *c, struct wire_iter it)
{
	bool bad = false;
	uint64_t grace = wire_number(it, WIRE_F_GRACE, 0, &bad);
	struct server *s = c->s;

	if (bad)
		return bad_request(c, "STOP's grace has a wrong size");
	c->role = CONN_STOPPER;
	c->frame = no_frame;
	audit_event(c->s, "stop", NULL);
	server_stop(s, grace);
	/* it is freed when nothing had to be waited for */
	return !s->loop.ended;
}

/* Without a freezer: stopped one by one, until a round finds nobody new. */
static void signal_trees(struct server *s, int sig)
{
	size_t denied = 0;

	for (unsigned round = 0; round < 3; round++)
		for (struct proc *p = s->procs; p; p = p->next)
			if (p->nurse)
				tree_pass(s->proc, p->nurse, NULL, 0, sig, &denied);
}

void server_pause(struct server *s, bool paused)
{
	bool frozen = s->cgroup && cgroup_freeze(s->cgroup, paused);

	/* what could not be frozen in time is stopped besides */
	if (paused ? !frozen : s->stopped_each)
		signal_trees(s, paused ? SIGSTOP : SIGCONT);
	s->stopped_each = paused && (s->stopped_each || !frozen);
	s->paused = paused;
	audit_event(s, paused ? "pause" : "resume", NULL);
}

/* A client that dies with HOLD must not leave a box that stands still. */
static bool do_pause(struct conn *c, bool paused, struct wire_iter it)
{
	bool bad = false, hold = paused && wire_number(it, WIRE_F_HOLD, 0, &bad), was = c->s->paused;

	if (bad)
		return bad_request(c, "HOLD has a wrong size");
	server_pause(c->s, paused);
	if (!hold) {
		conn_ok(c);
		return false;
	}
	c->role = was ? CONN_PLAIN : CONN_HOLDER;
	c->frame = no_frame;
	wire_begin(&c->out, WIRE_OK);
	wire_end(&c->out);
	conn_flush(c);
	return true;
}

static uint32_t living(struct server *s)
{
	struct tree t;
	size_t n;

	if (!tree_read(&t, s->proc))
		return 0;
	for (struct proc *p = s->procs; p; p = p->next)
		if (p->nurse)
			tree_mark(&t, p->nurse, NULL, 0);
	n = tree_alive(&t);
	tree_free(&t);
	return (uint32_t)n;
}

static bool do_info(struct conn *c)
{
	struct server *s = c->s;
	struct cgroup_use use = {0};

	if (s->cgroup)
		cgroup_use(s->cgroup, &use);
	wire_begin(&c->out, WIRE_OK);
	wire_text(&c->out, WIRE_F_BOX, s->spec->box);
	wire_text(&c->out, WIRE_F_KIND, spec_kind_word(s->spec));
	wire_u32(&c->out, WIRE_F_PID, (uint32_t)getpid());
	wire_u64(&c->out, WIRE_F_STARTED_AT, s->started_at);
	wire_u8(&c->out, WIRE_F_STATE, s->stopping ? 2 : s->paused);
	wire_u32(&c->out, WIRE_F_PIDS, living(s));
	if (use.has_peak)
		wire_u64(&c->out, WIRE_F_PEAK, use.peak);
	if (use.has_cpu) {
		wire_u64(&c->out, WIRE_F_USER, use.user_ns);
		wire_u64(&c->out, WIRE_F_SYSTEM, use.system_ns);
	}
	report_write(s->report, &c->out);
	wire_end(&c->out);
	conn_finish(c);
	return false;
}

static bool do_attach(struct conn *c, struct wire_iter it)
{
	bool bad = false;
	struct wire_out end = {0};
	struct proc *p = named(c, it, &end, &bad);

	if (end.size)
		wire_raw(&c->out, end.data, end.size);
	wire_free(&end);
	if (bad)
		return bad_request(c, "ATTACH is damaged");
	if (!p || p->state == PROC_ENDED) {
		if (!p && !c->out.size)
			return no_process(c);
		conn_finish(c);
		return false;
	}
	if (p->client) {
		conn_error(c, WIRE_ERROR_BUSY, 0, "the process has a client already", NULL, NULL);
		return false;
	}
	audit_event(c->s, "attach", p->name);
	c->proc = p;
	c->role = CONN_CLIENT;
	c->frame = exec_frame;
	p->client = c;
	keep_alive(c);
	wire_begin(&c->out, WIRE_STARTED);
	wire_text(&c->out, WIRE_F_PROC, p->name);
	wire_u32(&c->out, WIRE_F_PID, (uint32_t)p->pid);
	wire_end(&c->out);
	conn_flush(c);
	return true;
}

static bool working(struct conn *c, const struct wire_frame *f,
		    void (*work)(struct conn *c, const struct wire_frame *f))
{
	server_work(c, f, work);
	return false;
}

static bool do_logs(struct conn *c, const struct wire_frame *f)
{
	bool bad = false, follow = wire_number(wire_fields(f), WIRE_F_FOLLOW, 0, &bad);
	struct wire_out end = {0};
	struct proc *p = named(c, wire_fields(f), &end, &bad);
	bool known = p || end.size;
	char *name;

	wire_free(&end);
	if (bad)
		return bad_request(c, "LOGS is damaged");
	if (!known)
		return no_process(c);
	name = wire_string(wire_fields(f), WIRE_F_PROC, &bad);
	/* following begins before reading, so that nothing falls between */
	if (p && p->log.fd >= 0 && follow)
		c->follow = log_follow(&p->log);
	if (!name || !keep_ask(c->s->keeper, KEEP_LOG_READ, name, c->file)) {
		free(name);
		conn_error(c, WIRE_ERROR_STATE, 0, "the process has no log", NULL, NULL);
		return false;
	}
	free(name);
	return working(c, f, work_logs);
}

bool request_frame(struct conn *c, const struct wire_frame *f)
{
	struct wire_iter it = wire_fields(f);

	if (!wire_whole(it))
		return bad_request(c, "the request is damaged");
	switch (f->type) {
	case WIRE_ALIVE: return true;
	case WIRE_EXEC: return do_exec(c, f);
	case WIRE_WAIT: return do_wait(c, it);
	case WIRE_KILL: return do_kill(c, it);
	case WIRE_ATTACH: return do_attach(c, it);
	case WIRE_STOP: return do_stop(c, it);
	case WIRE_PAUSE: return do_pause(c, true, it);
	case WIRE_RESUME: return do_pause(c, false, it);
	case WIRE_INFO: return do_info(c);
	case WIRE_PS: return working(c, f, work_ps);
	case WIRE_LOGS: return do_logs(c, f);
	case WIRE_READ: return working(c, f, work_read);
	case WIRE_WRITE: return working(c, f, work_write);
	case WIRE_LIST: return working(c, f, work_list);
	case WIRE_STAT: return working(c, f, work_stat);
	case WIRE_MKDIR: return working(c, f, work_mkdir);
	case WIRE_SYMLINK: return working(c, f, work_symlink);
	case WIRE_REMOVE: return working(c, f, work_remove);
	case WIRE_TREE: return working(c, f, work_tree);
	case WIRE_CONNECT: return working(c, f, work_connect);
	default:
		conn_error(c, WIRE_ERROR_UNSUPPORTED, 0, "this server has no such operation", NULL,
			   NULL);
		return false;
	}
}
