/*
 * One run, as the two ways to make it see it: on the thread of its caller (run.c), or taking turns with others on
 * the thread that serves the sandbox (serve.c). In order: run_options(), run_open(), the kernel runs, run_close(),
 * run_outcome().
 */
#ifndef SANDBOX_RUN_H
#define SANDBOX_RUN_H

#include "sandbox/internal.h"

struct run {
	struct tsb_sandbox *box;
	const struct tsb_run_options *opt;
	const char *script;
	size_t script_n;
	bool prompt;		/* instead of it: what is typed */
	struct tsb_result *result;
	struct kernel *kernel;
	struct session *session;	/* the sandbox's, held by this run; or NULL */
	struct tsb_heap *heap;		/* of the session's copy */
	struct shell *shell;		/* set when it has ended by itself */
	const char *kept_cwd;
	size_t input_at;
	uint64_t commands;
	struct str *dump;		/* not a script: the session as text */
	const char *const *argv;	/* not a script: a program */
	int failed;			/* -errno: it could not be started */
	const char *small;		/* ... and this limit is why */
	enum tsb_event_kind why;	/* of that */
};

/* Where the options of a caller with another header's structs become ours; not filled otherwise. */
struct run_room {
	struct tsb_run_options opt;
	struct tsb_limits limits;
};
/* opt may be NULL; room is kept as long as r. TSB_OK, or what sandbox_fail() gave. */
int run_options(struct run *r, const struct tsb_run_options *opt, struct run_room *room);
/* It counts as in progress; may wait for the session. */
int run_begin(struct run *r);
void run_finish(struct run *r);
/* A kernel with its first process: 0 or -errno. run_close() follows in either case. */
int run_open(struct run *r);
/* The first process of a program without a shell. */
proc_main_fn run_init;
/* status: of the kernel, after run_open() was 0 and it has run; otherwise not looked at. */
void run_close(struct run *r, bool ran, int status);
/* What the caller is told, and his result; rc: of run_open(). */
int run_outcome(struct run *r, int rc, struct tsb_result **out);
/* What of a kernel's options is the sandbox's. */
void run_kernel_options(const struct tsb_sandbox *box, struct kernel_options *k);

#endif
