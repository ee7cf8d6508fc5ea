/*
 * The life of an exec: what the nurse says, deadlines, the killing of the tree, the end record.
 *
 * A tree is killed by rounds: each kills all that can be found below the nurse (by the cgroup at
 * once, where there is one), until the nurse says that nothing is left. The nurse itself is inside
 * the box and may be stopped or killed by it: a stopped one is woken, what a killed one leaves
 * becomes ours and is killed as an orphan.
 */
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "init/server.h"
#include "init/tree.h"

#define ROUND_NS	2000000u
#define ROUNDS_LOOK	10u
#define ROUNDS_DENIED	5u
#define NURSE_WAKE_NS	100000000u
#define NURSE_KILL_NS	10000000000u

struct proc *proc_find(struct server *s, const char *name)
{
	struct proc *p = name ? s->procs : NULL;

	while (p && strcmp(p->name, name))
		p = p->next;
	return p;
}

void proc_free(struct proc *p)
{
	struct server *s = p->s;
	struct proc **at = &s->procs;

	while (*at && *at != p)
		at = &(*at)->next;
	if (*at)
		*at = p->next;
	timer_stop(&s->loop, &p->deadline);
	timer_stop(&s->loop, &p->sweep);
	timer_stop(&s->loop, &p->drained);
	watch_close(&s->loop, &p->control);
	watch_close(&s->loop, &p->out.w);
	watch_close(&s->loop, &p->err.w);
	watch_close(&s->loop, &p->in);
	if (p->has_cgroup)
		cgroup_exec_close(s->cgroup, p->name, &p->cgroup);
	log_close(&p->log);
	wire_free(&p->record);
	free(p->in_data);
	for (struct conn *c = s->conns, *next; c; c = next) {
		next = c->next;
		if (c->proc == p && c->role == CONN_KILLER) {
			conn_ok(c);
			next = s->conns;
		}
	}
	free(p);
	server_idle(s);
	server_stopped(s);
}

static enum wire_reason reason_of(const struct proc *p, const struct cgroup_use *use)
{
	int sig = WIFSIGNALED(p->end.status) ? WTERMSIG(p->end.status) : 0;

	if (p->killing)
		return p->killed_by;
	if (p->lost)
		return WIRE_BY_LOST;
	if (use->has_oom && use->oom_kills && sig == SIGKILL)
		return WIRE_BY_OOM;
	if (use->has_pids && use->pids_denied && p->end.status)
		return WIRE_BY_PIDS;
	if (sig == SIGSYS)
		return WIRE_BY_POLICY;
	if (sig == SIGXFSZ || sig == SIGXCPU)
		return WIRE_BY_QUOTA;
	return sig ? WIRE_BY_SIGNAL : WIRE_BY_EXIT;
}

static const char *limit_of(const struct proc *p, enum wire_reason reason)
{
	if (reason == WIRE_BY_OOM)
		return "memory";
	if (reason == WIRE_BY_PIDS)
		return "pids";
	if (p->limit)
		return p->limit;
	return p->out.bytes > p->out.passed || p->err.bytes > p->err.passed ? "output" : NULL;
}

static unsigned status_of(const struct proc *p)
{
	int status = p->end.status;

	return WIFSIGNALED(status) ? 128u + (unsigned)WTERMSIG(status) :
		(unsigned)WEXITSTATUS(status);
}

static void write_use(const struct proc *p, const struct cgroup_use *use, struct wire_out *o)
{
	bool cpu = use->has_cpu;

	wire_u64(o, WIRE_F_WALL, p->finished - p->began);
	wire_u64(o, WIRE_F_USER, cpu ? use->user_ns : p->end.user + p->left_user);
	wire_u64(o, WIRE_F_SYSTEM, cpu ? use->system_ns : p->end.system + p->left_system);
	wire_u64(o, WIRE_F_PEAK, use->has_peak ? use->peak : p->end.peak);
	wire_text(o, WIRE_F_PEAK_BY, use->has_peak ? "cgroup" : "rusage");
	wire_u64(o, WIRE_F_OUT_BYTES, p->out.bytes);
	wire_u64(o, WIRE_F_ERR_BYTES, p->err.bytes);
	wire_u64(o, WIRE_F_OUT_DROPPED, p->out.bytes - p->out.passed);
	wire_u64(o, WIRE_F_ERR_DROPPED, p->err.bytes - p->err.passed);
}

/* END as it goes to the client and to disk. */
static void end_frame(struct proc *p, struct wire_out *o)
{
	struct cgroup_use use = {0};
	enum wire_reason reason;
	int status = p->end.status;

	if (p->has_cgroup)
		cgroup_exec_use(p->s->cgroup, &p->cgroup, &use);
	reason = reason_of(p, &use);
	wire_begin(o, WIRE_END);
	wire_text(o, WIRE_F_PROC, p->name);
	wire_u8(o, WIRE_F_REASON, reason);
	wire_u32(o, WIRE_F_STATUS, status_of(p));
	wire_u32(o, WIRE_F_SIGNAL, WIFSIGNALED(status) ? (uint32_t)WTERMSIG(status) : 0);
	wire_u8(o, WIRE_F_CORE, WIFSIGNALED(status) && WCOREDUMP(status));
	write_use(p, &use, o);
	wire_text(o, WIRE_F_LIMIT, limit_of(p, reason));
	wire_u64(o, WIRE_F_STARTED_AT, p->started_at);
	wire_u64(o, WIRE_F_ENDED_AT, now_real());
	wire_text(o, WIRE_F_TEXT, p->text);
	wire_u32(o, WIRE_F_LEFT, p->left);
	wire_end(o);
	audit_end(p->s, p, reason, status_of(p));
}

/* To the client, and to all who wait for it. */
static void tell(struct proc *p, const struct wire_out *end)
{
	struct conn *c = p->s->conns;

	while (c) {
		bool mine = c->proc == p && (c->role == CONN_CLIENT || c->role == CONN_WAITER);

		if (!mine) {
			c = c->next;
			continue;
		}
		wire_raw(&c->out, end->data, end->size);
		conn_finish(c);
		c = p->s->conns;
	}
}

static void finish(struct proc *p)
{
	struct wire_out end = {0};
	struct loop *l = &p->s->loop;

	p->state = PROC_ENDED;
	p->finished = now_mono();
	timer_stop(l, &p->deadline);
	timer_stop(l, &p->drained);
	end_frame(p, &end);
	record_end(p, &end);
	tell(p, &end);
	wire_free(&end);
	log_close(&p->log);
	watch_close(l, &p->in);
	if (!p->nurse) {
		proc_free(p);
	} else if (p->empty) {
		watch_close(l, &p->out.w);
		watch_close(l, &p->err.w);
	} else {
		/* what was left may go on writing: nobody reads it, but it does not die of it */
		stream_resume(p);
	}
}

void proc_check(struct proc *p)
{
	if (p->state == PROC_STARTING || p->state == PROC_ENDED)
		return;
	if ((!p->ended && !p->lost) || ((p->killing || p->lost) && !p->empty))
		return;
	if (p->state == PROC_RUNNING) {
		p->state = PROC_DRAINING;
		stream_drain(p);
	}
	if (stream_done(p))
		finish(p);
}

/* Who waited for the end of a tree that cannot be ended. */
static void refuse_killers(struct proc *p)
{
	struct conn *c = p->s->conns;

	while (c) {
		if (c->proc != p || c->role != CONN_KILLER) {
			c = c->next;
			continue;
		}
		conn_error(c, WIRE_ERROR_SYSTEM, EPERM, p->text, NULL, NULL);
		c = p->s->conns;
	}
}

/* Nobody could be told, for long enough: what is left stays, and the truth is said. */
static void give_up(struct proc *p)
{
	p->text = "some of its processes belong to another user and could not be killed";
	if (!p->ended)
		p->end.status = SIGKILL;
	p->ended = p->empty = p->killing = true;
	refuse_killers(p);
	proc_check(p);
	server_stopped(p->s);
}

/* All are dead, but the nurse has not said so: it may be stopped, or just have no processor. */
static void urge_nurse(struct proc *p)
{
	uint64_t now = now_mono();

	if (!p->quiet)
		p->quiet = now;
	else if (now - p->quiet > NURSE_KILL_NS)
		kill(p->nurse, SIGKILL);
	else if (now - p->quiet > NURSE_WAKE_NS)
		kill(p->nurse, SIGCONT);
}

/*
 * A round. The cgroup kills all at once, and knows how many they are; its tree is all there, and only dies
 * slower when it is disturbed. Without one all is looked for in /proc, again and again.
 */
static void sweep(void *owner)
{
	struct proc *p = owner;
	size_t denied = 0, alive = 0;
	bool all = false, look;

	if (!p->nurse || p->empty)
		return;
	look = !p->rounds || p->rounds % ROUNDS_LOOK == 0;
	if (!p->rounds) {
		if (!p->has_cgroup || !cgroup_exec_count(&p->cgroup, &alive))
			alive = tree_pass(p->s->proc, p->nurse, NULL, 0, 0, &denied);
		if (alive && p->state != PROC_ENDED)
			p->left = (uint32_t)(alive - !p->ended);
	}
	if (p->has_cgroup)
		all = cgroup_exec_kill(&p->cgroup);
	look |= all;
	if (!all || (look && p->rounds)) {
		alive = tree_pass(p->s->proc, p->nurse, NULL, 0, SIGKILL, &denied);
		look = true;
	}
	p->rounds++;
	if (alive && alive == denied && p->rounds > ROUNDS_DENIED) {
		give_up(p);
		return;
	}
	if (alive)
		p->quiet = 0;
	else if (look)
		urge_nurse(p);
	timer_set(&p->s->loop, &p->sweep,
		  now_mono() + (all ? 25u : p->rounds < ROUNDS_LOOK ? 1u : 5u) * ROUND_NS);
}

void proc_kill(struct proc *p, enum wire_reason by, const char *text)
{
	if (!p->killing && p->state != PROC_ENDED) {
		p->killed_by = by;
		p->text = text;
	}
	p->killing = true;
	sweep(p);
}

static void deadline(void *owner)
{
	struct proc *p = owner;
	size_t denied = 0;

	if (p->ended)
		return;
	p->limit = "deadline";
	if (!p->grace || p->killing) {
		proc_kill(p, WIRE_BY_TIMEOUT, NULL);
		return;
	}
	p->killing = true;
	p->killed_by = WIRE_BY_TIMEOUT;
	tree_pass(p->s->proc, p->nurse, NULL, 0, SIGTERM, &denied);
	tree_pass(p->s->proc, p->nurse, NULL, 0, SIGCONT, &denied);
	timer_set(&p->s->loop, &p->sweep, time_after(p->grace));
}

/* A terminal has been silent for long enough, unless it was us who did not listen. */
static void drained(void *owner)
{
	struct proc *p = owner;

	if (p->client && p->client->out.size >= OUT_HIGH)
		timer_set(&p->s->loop, &p->drained, now_mono() + ROUND_NS);
	else
		proc_check(p);
}

void proc_timers(struct proc *p)
{
	p->deadline = (struct timer){.fire = deadline, .owner = p};
	p->sweep = (struct timer){.fire = sweep, .owner = p};
	p->drained = (struct timer){.fire = drained, .owner = p};
}

static void started(struct proc *p, const struct nurse_word *w)
{
	struct loop *l = &p->s->loop;

	p->state = PROC_RUNNING;
	p->pid = w->pid;
	wire_u32(&p->record, WIRE_F_PID, (uint32_t)w->pid);
	record_start(p);
	if (p->client) {
		struct conn *c = p->client;

		wire_begin(&c->out, WIRE_STARTED);
		wire_text(&c->out, WIRE_F_PROC, p->name);
		wire_u32(&c->out, WIRE_F_PID, (uint32_t)w->pid);
		wire_end(&c->out);
		if (p->detach)
			conn_finish(c);
		else
			conn_flush(c);
	}
	watch_want(l, &p->out.w, EPOLLIN);
	watch_want(l, &p->err.w, EPOLLIN);
}

static void failed(struct proc *p, const struct nurse_word *w)
{
	static const char *const what[] = {
		[NURSE_CWD] = "the working directory cannot be entered",
		[NURSE_STDIN] = "the file for stdin cannot be opened",
		[NURSE_SETUP] = "the command's process could not be set up",
		[NURSE_EXEC] = "the command cannot be run",
		[NURSE_INTERPRETER] = "the command's interpreter is not there",
	};
	enum wire_error code = w->stage == NURSE_CWD || w->stage == NURSE_STDIN ? WIRE_ERROR_FILE :
		w->stage == NURSE_SETUP ? WIRE_ERROR_SYSTEM : WIRE_ERROR_NO_COMMAND;
	const char *why = w->stage != NURSE_EXEC ? NULL :
		w->error == ENOEXEC ? "it is not a program (no #! line, no known format)" :
		w->error == EISDIR ? "it is a directory" :
		w->error == ENOENT ? "no such command" : NULL;

	p->state = PROC_ENDED;
	audit_refused(p->s, "exec", what[w->stage]);
	if (p->client)
		conn_error(p->client, code, w->error, what[w->stage], NULL, why);
}

/* What the tree's living have used, which nobody has waited for yet. */
static void count_left(struct proc *p)
{
	uint64_t tick = 1000000000u / (uint64_t)sysconf(_SC_CLK_TCK);
	struct tree t;

	if (!tree_read(&t, p->s->proc))
		return;
	tree_mark(&t, p->nurse, NULL, 0);
	p->left = (uint32_t)tree_alive(&t);
	for (size_t i = 0; i < t.count; i++) {
		if (!t.entry[i].below)
			continue;
		p->left_user += t.entry[i].ticks_user * tick;
		p->left_system += t.entry[i].ticks_system * tick;
	}
	tree_free(&t);
}

static void heard(struct proc *p, const struct nurse_word *w)
{
	switch ((enum nurse_kind)w->kind) {
	case NURSE_STARTED:
		started(p, w);
		break;
	case NURSE_FAILED:
		failed(p, w);
		break;
	case NURSE_ENDED:
		p->end = *w;
		p->ended = true;
		p->empty = !w->left;
		if (w->left && !p->killing)
			count_left(p);
		proc_check(p);
		break;
	case NURSE_EMPTY:
		p->empty = true;
		if (p->state != PROC_ENDED) {
			p->end.user = w->user;
			p->end.system = w->system;
			p->end.peak = w->peak;
			p->left_user = p->left_system = 0;
		}
		proc_check(p);
		break;
	}
}

/* One word of the nurse; false: there is none, or it is gone. */
static bool listen_once(struct proc *p)
{
	struct nurse_word w;
	ssize_t n = p->control.fd < 0 ? 0 : recv(p->control.fd, &w, sizeof(w), MSG_DONTWAIT);

	if (n == (ssize_t)sizeof(w)) {
		heard(p, &w);
		return true;
	}
	if (n == 0 || (errno != EAGAIN && errno != EINTR))
		watch_close(&p->s->loop, &p->control);
	return false;
}

void proc_control(void *owner, uint32_t events)
{
	(void)events;
	listen_once(owner);
}

void proc_nurse_gone(struct proc *p, int status)
{
	while (listen_once(p))
		;
	p->nurse = 0;
	if (p->state == PROC_ENDED && (p->empty || !WIFSIGNALED(status))) {
		proc_free(p);
		return;
	}
	if (p->empty && p->ended) {
		proc_check(p);
		return;
	}
	p->empty = false;
	p->lost = true;
	if (!p->ended)
		p->end.status = SIGKILL;
	if (!p->killing)
		p->text = "its nurse was killed, and all that was left of it with it";
	if (p->state == PROC_STARTING) {
		p->state = PROC_RUNNING;
		record_start(p);
	}
	server_orphans(p->s);
}

void proc_client_gone(struct proc *p)
{
	if (p->state == PROC_ENDED || p->ended)
		return;
	if (!p->keep) {
		proc_kill(p, WIRE_BY_CANCEL, "its caller is gone");
		return;
	}
	log_open(&p->log);
	stream_resume(p);
}

bool proc_signal(struct proc *p, uint32_t sig)
{
	struct nurse_order order = {.signal = sig};

	if (p->ended || p->state == PROC_ENDED || p->control.fd < 0)
		return false;
	return send(p->control.fd, &order, sizeof(order), MSG_DONTWAIT | MSG_NOSIGNAL) >= 0;
}
