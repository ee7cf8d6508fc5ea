/*
 * One sandbox, as the files of this room see it.
 */
#ifndef SANDBOX_INTERNAL_H
#define SANDBOX_INTERNAL_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <tinysandbox/sandbox.h>

#include "kernel/kernel.h"
#include "sandbox/engine.h"
#include "sandbox/session.h"

struct vfs;
struct vfs_ctx;
struct serving;
struct offers;
struct registry;
struct str;

/* What a call of one thread failed with last; other threads leave it alone. */
struct sandbox_error {
	struct sandbox_error *next;
	pthread_t thread;
	uint64_t when;		/* counts; 0: a copy of another thread's, for one that has none */
	int number;
	char *text;
};

/* What few sandboxes have, so that an idle one stays small. */
struct sandbox_extra {
	struct tsb_limits limits;
	char **env;		/* NULL-terminated; NULL: the default */
	char *cwd, *hostname;	/* NULL: the default */
	bool has_limits;
	bool virtual_time;
	bool together;		/* share is in use */
	struct kernel_share share;
	int64_t start_sec;
	uint64_t seed;
	struct registry *registry;	/* commands of the embedder; NULL: none */
	struct offers *offers;	/* to scripts; NULL: nothing */
	struct serving *serving;	/* of tsb_serve(); NULL: never was one, nor anything posted */
	uint64_t n_errors;
	struct sandbox_error *errors;	/* a thread's last failed call, each */
};

struct tsb_sandbox {
	struct engine *engine;
	struct vfs *vfs;
	struct sandbox_extra *extra;	/* NULL: all defaults */
	struct session *session;	/* NULL: runs are fresh */
	pthread_mutex_t lock;		/* all below, and the extra's error and serving */
	pthread_cond_t idle;		/* a session run has ended */
	unsigned runs;			/* in progress */
	bool session_busy;
	pthread_t session_thread;	/* that runs in it, while it is busy */
	uint64_t n_runs, n_commands;
};

/* The extra, made when it is not there yet; NULL: no memory. */
struct sandbox_extra *sandbox_extra(struct tsb_sandbox *box);
const struct tsb_limits *sandbox_limits(const struct tsb_sandbox *box);
/* Keeps the sentence and gives the status back: return sandbox_fail(box, ...); */
int sandbox_fail(struct tsb_sandbox *box, int status, int error, const char *fmt, ...)
	TSB_PRINTF(4, 5);
/* The same for arguments that are NULL or not valid; box may be NULL. */
int sandbox_refuse(struct tsb_sandbox *box, const char *function);
/*
 * Around what must not happen while a run is in progress: no run begins until the end.
 * TSB_ERR_BUSY: there is one, and there is nothing to end. No sandbox_fail() between.
 */
int sandbox_change_begin(struct tsb_sandbox *box);
void sandbox_change_end(struct tsb_sandbox *box);
/* Is each NAME=VALUE? NULL is. */
bool sandbox_env_valid(const char *const *env);
/* A namespace of one's own for a call on files, and who acts: uid 1000. NULL:
 * no memory (the status is set by sandbox_fail). */
struct vfs *sandbox_view(struct tsb_sandbox *box);
/* The session's variables, functions and options as a script; made inside a
 * process, for some values exist only there. 0 or -errno. */
int sandbox_dump_session(struct tsb_sandbox *box, struct str *out);
/* A copy of a NULL-terminated list; NULL: no memory. */
char **sandbox_copy_list(const char *const *list);
void sandbox_free_list(char **list);

/* ---- Commands of the embedder (registry.c) ---- */
const struct tsb_command *sandbox_find_command(const struct tsb_sandbox *box, const char *name,
					       size_t n);
/* Is it one of the embedder's? */
bool sandbox_is_own(const struct tsb_sandbox *box, const struct tsb_command *cmd);
struct registry *registry_copy(const struct registry *r);
void registry_free(struct registry *r);
/* Puts a /usr/bin that lists the sandbox's own commands in place. */
int registry_mount(struct tsb_sandbox *box);

/* ---- Several runs on one thread (serve.c) ---- */
void serving_free(struct serving *s);	/* nobody serves, nothing is posted; NULL is fine */

/* ---- What is offered to scripts (offers.c) ---- */
struct offers *offers_copy(const struct offers *o);	/* NULL: no memory */
void offers_free(struct offers *o);

#endif
