/*
 * The server of a box: what it holds, its connections and the processes of its execs. One thread,
 * one loop. A connection is one operation; what may block (files, logs, ports) is done by a worker
 * process that inherits the connection.
 */
#ifndef INIT_SERVER_H
#define INIT_SERVER_H

#include <signal.h>
#include <sys/resource.h>

#include "init/cgroup.h"
#include "init/egress.h"
#include "init/log.h"
#include "init/loop.h"
#include "init/nurse.h"
#include "init/report.h"
#include "init/spec.h"
#include "init/text.h"
#include "init/wall.h"
#include "wire/chain.h"
#include "wire/wire.h"

#define CONN_MOST	512u		/* at a time */
#define CHUNK		WIRE_DATA_MAX
#define OUT_HIGH	(256u << 10)	/* a client that has so much to read is waited for */
#define IN_HIGH		(1u << 20)	/* stdin that the command has not taken */
#define ALIVE_EVERY	10000000000u	/* ns */

struct server {
	struct loop loop;
	const struct spec *spec;
	const struct report *report;
	struct cgroup *cgroup;	/* NULL: none */
	const struct wall *wall;	/* NULL: passthrough */
	const char *cwd;	/* the box's, absolute */
	bool contained;		/* in a container that the keeper is not the parent of */
	char **image_env;	/* NULL: none; below what the box says */
	struct watch parent;	/* contained: the keeper's end */
	int keeper, lock;	/* outside the box: a channel, a lock */
	struct chain audit;	/* and a log */
	int records, old_records;	/* -1: none */
	uint64_t records_size;
	int null, root, proc, ptmx;	/* inside */
	struct rlimit files;
	struct watch listen, signals;
	struct watch ports;	/* the keeper asks for connections to published ports */
	uint64_t next, started_at;
	struct proc *procs;
	struct conn *conns;
	struct worker *workers;
	size_t conn_count, worker_count;
	uint8_t *chunk;		/* CHUNK bytes for what is being read */
	struct timer orphans, stop, idle, rest;
	unsigned orphan_rounds;
	bool paused, stopping;
	bool stopped_each;	/* paused by a signal to each process */
};

enum conn_role {
	CONN_PLAIN,
	CONN_CLIENT,	/* has an exec's streams */
	CONN_WAITER,	/* waits for its end */
	CONN_KILLER,	/* waits until its tree is gone */
	CONN_STOPPER,	/* waits until all is gone */
	CONN_HOLDER,	/* the box is paused as long as it is there */
};

struct conn {
	struct server *s;
	struct watch w;
	struct wire_in in;
	struct wire_out out;
	bool greeted, closing, gone;
	enum conn_role role;
	struct proc *proc;
	/* what the next frame means; false: the connection was consumed */
	bool (*frame)(struct conn *c, const struct wire_frame *f);
	struct timer timer;	/* ALIVE, or a waiter's deadline */
	uint64_t sent_at;
	int file[2], follow;	/* for a worker: a log's files; -1: none */
	struct conn *next;
};

struct stream {
	struct proc *proc;
	struct watch w;
	enum wire_type type;
	uint64_t limit, bytes, passed;	/* limit 0: none */
	size_t drain;		/* what is still to be read once the command has ended */
	bool draining;
};

enum proc_state { PROC_STARTING, PROC_RUNNING, PROC_DRAINING, PROC_ENDED };

struct proc {
	struct server *s;
	struct proc *next;
	char name[24];
	enum proc_state state;
	pid_t nurse, pid;
	struct watch control;
	struct stream out, err;
	struct watch in;
	uint8_t *in_data;
	size_t in_at, in_size, in_cap;
	bool in_end;		/* no more will come */
	bool terminal;		/* out.w.fd is its master, in.fd the same description */
	struct conn *client;
	bool keep, detach, stream_in;
	struct log log;		/* fd -1: none */
	/* why it is being killed, before it is dead */
	bool killing, empty, lost;
	enum wire_reason killed_by;
	const char *limit, *text;
	struct timer deadline, sweep, drained;
	unsigned rounds;
	uint64_t quiet;		/* since when nothing of it was found alive; 0: something was */
	uint64_t grace;
	struct nurse_word end;
	bool ended;
	uint32_t left;
	uint64_t left_user, left_system;
	uint64_t started_at, began, finished;	/* real; monotonic */
	bool has_cgroup;
	struct cgroup_exec cgroup;
	struct wire_out record;	/* the fields that describe it, as they stand on disk */
};

/* server.c */
bool server_open(struct server *s);
/* until it is stopped; the exit status */
int server_run(struct server *s);
/* A child of ours for one blocking operation; consumes c. */
void server_work(struct conn *c, const struct wire_frame *f,
		 void (*work)(struct conn *c, const struct wire_frame *f));
/* Kills what a dead nurse left to us, until nothing is left. */
void server_orphans(struct server *s);
/* All trees get SIGTERM, and after the grace SIGKILL; then the loop ends. */
void server_stop(struct server *s, uint64_t grace);
void server_stopped(struct server *s);	/* looks whether that is so now */
void server_wake_workers(void *server);
void server_idle(struct server *s);	/* something has ended: it may be the last for long */

/* conn.c */
void conn_accept(void *server, uint32_t events);
/* What is in `out` goes to the client as far as it takes it. Never frees. */
void conn_flush(struct conn *c);
/* The last word is in `out`: sent, then closed. Consumes c. */
void conn_finish(struct conn *c);
/* ERROR with a sentence of up to three parts (NULL: none), then the end. Consumes c. */
void conn_error(struct conn *c, enum wire_error code, int error, const char *a, const char *b,
		const char *why);
void conn_ok(struct conn *c);		/* a bare OK; consumes c */
void conn_free(struct conn *c);		/* closes without a word */
void conn_want(struct conn *c);		/* looks again at what is to be waited for */
void conn_hello(struct server *s, struct wire_out *o);
/* Writes the fields of an ERROR. */
void error_frame(struct wire_out *o, enum wire_error code, int error, const char *a,
		 const char *b, const char *why);

/* request.c */
bool request_frame(struct conn *c, const struct wire_frame *f);
void server_pause(struct server *s, bool paused);

/* exec.c */
void exec_request(struct conn *c, const struct wire_frame *f);

/* proc.c */
void proc_timers(struct proc *p);	/* a new one's timers get their owner */
void proc_control(void *proc, uint32_t events);
void proc_check(struct proc *p);
void proc_kill(struct proc *p, enum wire_reason by, const char *text);
void proc_nurse_gone(struct proc *p, int status);
void proc_client_gone(struct proc *p);
void proc_free(struct proc *p);
struct proc *proc_find(struct server *s, const char *name);
bool proc_signal(struct proc *p, uint32_t sig);

/* stream.c */
void stream_ready(void *stream, uint32_t events);
void stream_resume(struct proc *p);
void stream_drain(struct proc *p);
bool stream_done(const struct proc *p);
void input_ready(void *proc, uint32_t events);
bool input_add(struct proc *p, const uint8_t *data, size_t size);
void input_close(struct proc *p);

/* record.c */
bool record_open(struct server *s);
void record_start(struct proc *p);
void record_end(struct proc *p, struct wire_out *end);
/* The END frame (or what stands for it) of a process that is not in memory any more. */
bool record_read(struct server *s, const char *name, struct wire_out *end);
void work_ps(struct conn *c, const struct wire_frame *f);

/* audit.c */
bool audit_open(struct server *s, int dir);
void audit_take(struct server *s, int log, int head);	/* opened by another */
void audit_exec(struct server *s, const struct proc *p, char *const *argv, const char *cwd);
void audit_end(struct server *s, const struct proc *p, enum wire_reason reason, unsigned status);
void audit_event(struct server *s, const char *what, const char *proc);
void audit_path(struct server *s, const char *what, const char *path, int error);
void audit_refused(struct server *s, const char *what, const char *why);
/* by the keeper */
void audit_egress(struct server *s, const struct egress_decision *d);

#endif
