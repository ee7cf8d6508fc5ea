/*
 * The server of a virtual box, as the files of this room see it: one thread that talks (here all
 * but exec_run.c happens), and one that runs all execs as one machine (tsb_serve()), which only touches their struct run.
 */
#ifndef ENGINE_ENGINE_H
#define ENGINE_ENGINE_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <tinysandbox/sandbox.h>

#include "engine/term.h"
#include "engine/virtual.h"
#include "wire/chain.h"
#include "wire/wire.h"

#define NS UINT64_C(1000000000)
#define FLOW_HIGH ((size_t)256 << 10)	/* bytes in flight, a direction; above: the writer waits */
#define EXECS_MAX 256			/* running at once */
#define RECORDS_MAX 1000		/* ended ones that are remembered */
#define CONNS_MAX 1000
#define LOG_MAX ((uint64_t)64 << 20)	/* of one exec */

enum { CONTROLS_MAX = 16 };

struct server;
struct conn;

/* ---- START (spec.c) ---- */

struct spec {
	struct virtual_spec v;
	char *box;
	char **env, **accept, **layer;	/* NULL-ended */
	char *network;
	uint32_t cpu;
	size_t ports, allow;
	char *text[8];		/* what v points to */
};

/* False: why[] holds a sentence. */
bool spec_read(struct spec *s, struct wire_iter fields, char why[VIRTUAL_WHY]);
void spec_free(struct spec *s);
bool spec_accepts(const struct spec *s, const char *control);

/* ---- What became of what was asked for (report.c) ---- */

struct wall {
	bool seccomp, landlock, no_new_privs;
	int landlock_abi;
	const char *owner;	/* of the workspace is another: NULL, or what is kept because of it */
};

const char *wall_level(const struct wall *w);	/* "kernel" or "process" */
/* Writes REPORT fields. The name of a control that nothing enforces and nobody accepted, or NULL;
 * then why[] says more. o NULL: only asks. */
const char *report_write(const struct spec *s, const struct wall *w, struct wire_out *o,
			 char why[VIRTUAL_WHY]);

/* ---- The wall (wall.c) ---- */

void wall_probe(struct wall *w);
/*
 * For good: only these directories (workspace -1: none), no new privileges, no capabilities, only
 * the system calls of a worker. False: errno.
 */
bool wall_raise(struct wall *w, int dir, int workspace, bool readonly);

/* ---- An exec (exec.c, exec_run.c) ---- */

/* Shared with the machine's thread. */
struct run {
	pthread_mutex_t lock;
	pthread_cond_t told;	/* for nobody but tests */
	struct tsb_sandbox *box;
	struct tsb_cancel *cancel;
	int notify;		/* eventfd: something of this is new */
	const char *const *argv, *const *env;
	const char *cwd, *input_path;
	struct tsb_limits limits;
	bool terminal;
	uint16_t rows, columns;	/* of the terminal, when it begins */
	/* under the lock */
	struct wire_out out;	/* DATA frames */
	struct term term;
	uint8_t *in;		/* a queue; of what is typed: what term has no room for yet */
	size_t in_at, in_n, in_cap;
	bool in_closed;
	uint64_t bytes[2], dropped[2], max[2];
	bool full;		/* the writer was told to wait */
	bool started, failed, ended, gone;
	enum tsb_event_kind how;
	int value, pid;		/* of how; of the program */
	size_t left;
	uint64_t peak, user_ns, system_ns;
	const char *limit;
	enum tsb_stop stop;
};

enum exec_state { EXEC_STARTING, EXEC_RUNNING, EXEC_ENDED };

struct exec {
	struct exec *next;
	struct server *server;
	uint64_t number;
	enum exec_state state;
	bool posted;		/* its run is not over: processes may be left */
	struct run run;
	struct conn *client;	/* who gets the output; or NULL */
	bool keep, detach, log, streams;
	int log_fd;		/* -1: none */
	uint64_t log_size;
	char **argv, **env;
	char *cwd, *input_path, *label;
	uint64_t deadline, kill_at, grace;	/* instants; 0: none */
	uint64_t began, ended;	/* monotonic */
	uint64_t began_at, ended_at;	/* since 1970 */
	enum wire_reason reason;
	bool forced;		/* by us: reason says why */
	int killed;		/* the signal that KILL sent last; 0: none */
	/* the end record */
	uint32_t status, signal, left;
	uint64_t user_ns, system_ns, peak;
	char limit[24], text[128];
};

/* NULL: an ERROR was written to c. */
struct exec *exec_new(struct server *s, struct conn *c, struct wire_iter fields);
void exec_input(struct exec *e, const void *data, size_t n);
/* What is typed goes to r->term while it has room, under the lock; the signals it was, by 1 << number,
 * are then sent when the lock is not held. */
uint64_t exec_type(struct run *r);
void exec_typed_signals(struct run *r, uint64_t signals);
void exec_close_input(struct exec *e);
size_t exec_input_waits(struct exec *e);
void exec_signal(struct exec *e, int sig);
void exec_resize(struct exec *e, uint32_t rows, uint32_t columns);
/* The whole tree, now. */
void exec_kill(struct exec *e, enum wire_reason why);
void exec_client_gone(struct exec *e);
/* What its run has to tell, and timers. */
void exec_poll(struct exec *e, uint64_t now);
uint64_t exec_next_timer(const struct exec *e);	/* 0: none */
void exec_end_fields(const struct exec *e, struct wire_out *o);
void exec_process_fields(const struct exec *e, struct wire_out *o);	/* PROCESS */
void exec_free(struct exec *e);
struct exec *exec_find(struct server *s, const char *proc);
/* Begins the run. False: no memory. */
bool exec_post(struct run *r);

/* ---- Records of ended ones (records.c) ---- */

bool records_open(struct server *s);	/* false: errno */
void records_prune(struct server *s);
void records_began(struct server *s, const struct exec *e);
void records_ended(struct server *s, const struct exec *e);
int records_log(struct server *s, uint64_t number, bool make);	/* a descriptor, or -1 */

/* ---- The audit log (audit.c) ---- */

void audit_exec(struct server *s, const struct exec *e);
void audit_end(struct server *s, const struct exec *e);
void audit_event(struct server *s, const char *event, const struct exec *e);	/* e NULL: the box's */
void audit_path(struct server *s, const char *event, const char *path);
void audit_refused(struct server *s, const char *what, const char *why);

/* ---- A connection (conn.c), what is asked on it (request.c, files.c, logs.c) ---- */

enum conn_state { CONN_HELLO, CONN_REQUEST, CONN_EXEC, CONN_WRITE, CONN_READ, CONN_LOGS, CONN_WAIT, CONN_TREE,
		  CONN_LAST };

struct conn {
	struct conn *next;
	struct server *server;
	int fd;
	enum conn_state state;
	struct wire_in in;
	struct wire_out out;
	uint32_t events;	/* that epoll watches */
	bool dead;
	uint64_t since;		/* last word either way */
	uint64_t deadline;	/* of the handshake, of WAIT; 0: none */
	struct exec *exec;	/* EXEC, LOGS, WAIT */
	/* READ, WRITE, LOGS */
	struct tsb_stream *stream;
	char *path, *beside;
	uint64_t at, end;
	int log_fd;
	bool follow;
	bool has_mtime;
	struct tsb_time mtime;
	void *hash;		/* SHA256_CTX */
	struct sync *sync;	/* TREE */
};

void conn_accept(struct server *s);
void conn_ready(struct conn *c, uint32_t events);
/* After anything was written to c->out, or its state changed. */
void conn_flush(struct conn *c);
void conn_error(struct conn *c, enum wire_error code, int error, const char *fmt, ...)
	__attribute__((format(printf, 4, 5)));
void conn_ok(struct conn *c);		/* an OK without fields, then the end */
void conn_last(struct conn *c);		/* the end, when all is sent */
void conn_drop(struct conn *c);		/* now */
void conn_free(struct conn *c);

void request(struct conn *c, const struct wire_frame *f);
void request_wait_ended(struct conn *c);

void files_request(struct conn *c, const struct wire_frame *f);
void files_written(struct conn *c, const struct wire_frame *f);	/* DATA_IN, CLOSE_IN */
void files_more(struct conn *c);	/* READ: there is room again */
void files_end(struct conn *c);

void sync_request(struct conn *c, const struct wire_frame *f);	/* TREE */
void sync_frame(struct conn *c, const struct wire_frame *f);
void sync_more(struct conn *c);		/* there is room again */
void sync_free(struct conn *c);		/* what was not committed is gone */

void logs_more(struct conn *c);

/* ---- The server (server.c) ---- */

struct server {
	struct virtual_box *box;
	struct spec *spec;
	struct wall *wall;
	int dir, lock, epoll, listener, notify, signals, records, logs;
	struct conn *conns;
	size_t n_conns;
	struct exec *execs;	/* newest first, ended ones too */
	size_t n_running, n_ended;
	uint64_t next_number, started_at;
	bool paused, stopping, unsaved;
	bool served;		/* the machine's thread runs, until `stop` */
	pthread_t machine;
	struct tsb_cancel *stop;
	uint64_t stop_at, commit_at;
	uint64_t look_at;	/* whether the directory is still there */
	unsigned looks;		/* that come soon after one another */
	struct chain audit;
	struct conn *stopper;
	/* the CPU quota */
	uint64_t cpu_period, cpu_used;
	bool throttled;
};

uint64_t now_ns(void);		/* monotonic */
uint64_t wall_ns(void);		/* since 1970 */
void server_commit(struct server *s);
bool server_uses(const struct server *s, const struct exec *e);	/* a connection does */
void server_stop(struct server *s, uint64_t grace);
bool server_serve(struct server *s);	/* the machine's thread, with the first exec; false: errno */
void server_pause(struct server *s);	/* tells all runs whether they are frozen */
/* Never returns before the box has stopped: the exit status. */
int server_main(struct server *s);

#endif
