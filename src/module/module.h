/*
 * The module among its files. An instance (struct mod) is made by each init; nothing is shared
 * between instances and nothing is global.
 *
 *	deliver -> inbox -> the dispatcher (link.c): checks the message, finds the method
 *	                    -> answers at once, or starts a task (a thread) for what may take long
 *	replies -> outbox -> the sender, the only thread that calls the host's send()
 *
 * One lock (mod.lock) guards everything of an instance but what a task owns. It is held for moments,
 * never while a box is spoken to.
 */
#ifndef MODULE_MODULE_H
#define MODULE_MODULE_H

#include <jansson.h>
#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <tinybox/box.h>

#include "module/abi.h"

#define MOD_INTERFACE "ai.tinyhumans.tinybox.Box"
#define MOD_PATH "/ai/tinyhumans/tinybox/Box"
#define MOD_BUS "ai.tinyhumans.tinybus.Bus"
#define MOD_BUS_PATH "/ai/tinyhumans/tinybus/Bus"
#define MOD_ERROR "ai.tinyhumans.tinybox.Error."
#define MOD_BUS_ERROR "ai.tinyhumans.tinybus.Error."

enum {
	MOD_INBOX = 256,	/* frames that wait */
	MOD_TASKS = 128,
	MOD_RESERVED = 4096,
	MOD_RESOURCES = 64,
	MOD_PROCESSES = 64,	/* of a resource */
	MOD_STREAMS = 32,	/* that run */
	MOD_TRANSFERS = 8,	/* of a resource */
	MOD_FORWARDS = 64,	/* of a resource */
	MOD_OUTPUT = 1 << 20,
	MOD_CHUNK = 64 << 10,
	MOD_FILE = 256 << 20,
	MOD_PATH_MAX = 4096,
	MOD_ID = 128
};
#define MOD_RESERVE_NS (60 * UINT64_C(1000000000))

struct mod;

/* ---- A call that was made to us (link.c) ---- */

struct mod_call {
	struct mod *m;
	uint64_t serial;	/* 0: no answer is wanted */
	char *sender;		/* NULL: not said */
	json_t *args;		/* an array */
};

/* Each ends the call. */
void mod_return(struct mod_call *c, json_t *body);	/* takes it; NULL: no value */
void mod_return_text(struct mod_call *c, char *json, size_t n);	/* takes what malloc gave; NULL: no memory */
void mod_error(struct mod_call *c, const char *name, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
/* "tinybox.Error." NAME of what the store said. */
void mod_failed(struct mod_call *c, const char *name, const struct tbx_store *store);
void mod_log(struct mod *m, enum tb_level level, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

typedef void mod_fn(struct mod_call *c);

struct mod_method {
	const char *name;
	mod_fn *run;
	int args;
	bool task;		/* in a thread of its own */
};

extern const struct mod_method mod_methods[];	/* name NULL behind the last */

/* ---- Arguments (words.c): false after mod_error(BadArguments) ---- */

/* An argument as a text of 1 to `most` bytes. */
bool mod_text(struct mod_call *c, json_t *value, const char *what, size_t most, const char **out);
/* An array of bytes, or a text. malloc; null or absent: n 0, *out NULL. */
bool mod_bytes(struct mod_call *c, json_t *value, const char *what, size_t most, uint8_t **out,
	       size_t *n);
bool mod_number(struct mod_call *c, json_t *value, const char *what, uint64_t most, uint64_t *out);
/* A map of names to values as NAME=VALUE, for mod_env_free() also when it is false; null or absent: *out stays. */
bool mod_env(struct mod_call *c, json_t *arg, char ***out);
void mod_env_free(char **env);				/* NULL is fine */
bool mod_bad(struct mod_call *c, const char *what, const char *why);	/* says so: false */
bool mod_is(const char *said, const char *word);	/* without regard to case */

/* A text being made. */
struct mod_out {
	char *p;
	size_t n, cap;
	bool failed;
};
void mod_add(struct mod_out *o, const char *s, size_t n);
void mod_addf(struct mod_out *o, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void mod_add_bytes(struct mod_out *o, const uint8_t *p, size_t n);	/* [1,2,...] */
/* The call's answer; o is empty afterwards. */
void mod_finish(struct mod_call *c, struct mod_out *o);

/* ---- Ids, resources, processes (table.c); all under the lock ---- */

enum mod_kind { MOD_RESOURCE, MOD_PROCESS, MOD_FORWARD, MOD_FILE_READ, MOD_FILE_WRITE, MOD_KINDS };

struct mod_reserved {
	struct mod_reserved *next;
	enum mod_kind kind;
	uint64_t until;
	char id[MOD_ID], of[MOD_ID];	/* of: the resource */
};

enum mod_run { MOD_RUNNING, MOD_EXITED, MOD_CANCELLED, MOD_RUN_FAILED };

struct mod_chunk {
	struct mod_chunk *next;
	uint64_t sequence;
	int fd;
	size_t n;
	uint8_t bytes[];
};

struct mod_process {
	struct mod_process *next;
	struct mod_resource *of;
	char id[MOD_ID];	/* "": of an Exec, which nobody can name */
	bool spawned;		/* runs by itself: proc is its name in the box */
	char proc[65];
	int wake;		/* eventfd; -1: none */
	bool cancel, busy;	/* busy: a thread reads its stream */
	enum mod_run state;
	int code;
	const char *why;	/* of MOD_RUN_FAILED */
	struct mod_chunk *first, **last;
	uint64_t sequence;
	size_t bytes;
};

struct mod_transfer {
	struct mod_transfer *next;
	char id[MOD_ID];
	bool write, busy;
	int fd;
	char *path, *file;	/* inside; here (a write's) */
	uint64_t size, at;	/* at: a write's next offset */
	size_t last;		/* of the chunk before: it may be sent again */
};

struct mod_forward {
	struct mod_forward *next;
	char id[MOD_ID];
	bool cancel;
};

enum mod_life { MOD_CREATING, MOD_READY, MOD_CLOSING, MOD_STUCK };

struct mod_resource {
	struct mod_resource *next;
	char id[MOD_ID], box[65], backend[24];
	enum mod_life life;
	int users;		/* tasks that use it */
	struct mod_process *processes;
	struct mod_transfer *transfers;
	struct mod_forward *forwards;
	struct tbx_store *owner;	/* holds the box; of the task that creates or closes */
};

void mod_new_id(struct mod *m, char id[MOD_ID]);
/* The reservation, taken off the list; NULL after an error. Free it. */
struct mod_reserved *mod_take(struct mod_call *c, enum mod_kind kind, const char *id);
/* One that can be used, and one user more; NULL after an error. */
struct mod_resource *mod_use(struct mod_call *c, const char *id);
void mod_unuse(struct mod *m, struct mod_resource *r);		/* takes the lock itself */
struct mod_process *mod_process_new(struct mod_resource *r, const char *id);
struct mod_process *mod_process_find(struct mod *m, const char *id);
void mod_process_free(struct mod_process *p);	/* off its list */
void mod_cancel(struct mod_process *p);
struct mod_transfer *mod_transfer_find(struct mod *m, const char *id, struct mod_resource **r);
void mod_sweep_files(struct mod *m);
void mod_remove_file(struct mod_transfer *t);	/* file.c: what waits here of a write */
void mod_transfer_free(struct mod_resource *r, struct mod_transfer *t);
/* Under the lock. */
struct mod_forward *mod_forward_find(struct mod *m, const char *id);
void mod_resource_free(struct mod *m, struct mod_resource *r);
void mod_expire(struct mod *m, uint64_t now);

/* ---- The instance ---- */

struct mod_frame {
	struct mod_frame *next;
	size_t n;
	char data[];
};

struct mod_queue {
	struct mod_frame *first, **last;
	size_t count, bytes;
};

struct mod {
	struct tb_host host;
	pthread_mutex_t lock;
	pthread_cond_t inward, outward, changed;	/* monotonic clock */
	struct mod_queue in, out;
	bool starved;		/* deliver() said that it was full */
	bool stopping;		/* no new work */
	bool closed;		/* deliver() takes nothing any more */
	bool ended;		/* threads go */
	bool named;		/* the bus has given us our name */
	int threads, tasks;	/* dispatcher and sender; tasks */
	uint64_t serial, hello, request;	/* of our own calls */
	char instance[33];
	uint64_t counter;
	struct mod_reserved *reserved;
	size_t reserved_count, resource_count;
	struct mod_resource *resources;
	uint64_t retry_at;	/* what could not be destroyed */
	/* configuration */
	char *state_dir, *helper_dir;
};

uint64_t mod_now(void);
/* A store for the calling task; NULL after an error. */
struct tbx_store *mod_store(struct mod_call *c);
int mod_open_store(struct mod *m, struct tbx_store **out);
/* Until something has changed, or the instant has come. Under the lock. */
void mod_wait(struct mod *m, pthread_cond_t *cond, uint64_t until);
/* A thread for fn(c), which owns *c from then on; false: there are too many. */
bool mod_task(struct mod_call *c, mod_fn *fn);
/* close.c: all that can be done without a caller: destroys what is to go. */
void mod_close_all(struct mod *m);
void mod_retry(struct mod *m);

/* link.c */
int32_t mod_deliver(void *ctx, const uint8_t *ptr, size_t len);
void *mod_dispatch(void *m);
void *mod_sender(void *m);
void mod_say_hello(struct mod *m);

/* the methods */
mod_fn mod_describe, mod_capabilities, mod_reserve, mod_create, mod_inspect, mod_close_resource, mod_exec,
	mod_spawn, mod_is_running, mod_cancel_process, mod_forward, mod_close_forward, mod_jail_status,
	mod_analyze_shell, mod_analyze_command, mod_begin_read, mod_read_chunk, mod_finish_read,
	mod_begin_write, mod_write_chunk, mod_finish_write, mod_abort_write, mod_start_exec,
	mod_read_output, mod_release_output, mod_shutdown_call;

#endif
