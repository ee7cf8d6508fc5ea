/*
 * The kernel of one run: processes, descriptors, pipes, signals, time, budget.
 *
 * One OS thread runs one kernel, or several that take turns (a machine, below). A process (struct tsb_proc) is a fiber, a heap
 * and a descriptor table. Fibers switch when a pipe is full or empty, when
 * waiting, on sleep and at budget ticks, round robin; nothing else runs in
 * between, so there are no locks and the same run gives the same order.
 *
 * Killing is dropping: a killed process is never resumed; its heap, descriptors
 * and stack are given back by the kernel. Drop points are the entry and the
 * exit of the calls in <tinysandbox/command.h> (which this room implements) and
 * of those below that say "may not return". Kernel structures are only changed
 * between drop points.
 *
 * Results are 0 or a count, or -errno.
 */
#ifndef KERNEL_KERNEL_H
#define KERNEL_KERNEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <tinysandbox/command.h>
#include <tinysandbox/sandbox.h>

#include "base/heap.h"
#include "base/map.h"
#include "base/str.h"

struct kernel;
struct vfs;

/* ---- A run ---- */

/* Where programs come from: the registry, given by the sandbox. */
struct kernel_programs {
	/* The command of that name, or NULL. */
	const struct tsb_command *(*find)(void *ctx, const char *name, size_t n);
	/* Is it one of the embedding program's? Those are never dropped: their calls
	 * return -ECANCELED until they return. NULL: none is. */
	bool (*foreign)(void *ctx, const struct tsb_command *cmd);
	/* Which runs scripts without #! and `#!/bin/sh`, `#!/bin/bash` ones: "bash". */
	const char *shell;
	void *ctx;
};

/*
 * Host side of descriptors 0, 1, 2. input may return -EAGAIN when there is
 * nothing yet: other processes run, timers and the deadline are kept, and it is
 * asked again after a few milliseconds. An input that blocks blocks them all.
 * With `wakes` output may say so too (it has taken nothing), and both are asked
 * again when tsb_cancel_wake() has said so, not before.
 * Both are called on the stack of kernel_run()'s caller, not on a fiber's.
 */
struct kernel_io {
	tsb_input_fn *input;	/* NULL: empty */
	void *input_ctx;
	tsb_output_fn *output;	/* required; fd 1 or 2 */
	void *output_ctx;
	bool terminal;
	bool wakes;
	/* Of a terminal: its settings (NULL: Linux's) and size; fn (or NULL) is told of new settings,
	 * on that stack too. */
	const struct tsb_termios *termios;
	struct tsb_winsize size;
	void (*changed)(void *ctx, const struct tsb_termios *now, bool flush);
	void *changed_ctx;
};

/* What all runs of one sandbox may have together; counts are atomic. */
struct kernel_share {
	struct heap_share memory;
	size_t processes, processes_max;
	uint32_t last_pid;	/* of programs that were run: no two have the same soon */
};

struct kernel_options {
	const struct tsb_limits *limits;	/* borrowed for the run */
	struct vfs *vfs;		/* the sandbox's; /proc is laid over it: nobody mounts meanwhile */
	struct kernel_programs programs;
	struct kernel_io io;
	const char *hostname;
	struct tsb_cancel *cancel;	/* or NULL */
	const void *offers;		/* for guests (guest/offer.h): only carried */
	bool virtual_time;
	int64_t start_sec;
	uint64_t seed;
	uint32_t uid, gid;		/* 1000, 1000 */
	struct kernel_share *share;	/* or NULL */
	/* The first process is an init: it gets the orphans, and no signal from the others. */
	bool init_reaps;
};

/* Kernels are pooled by the caller: kernel_new() makes the warm parts (pools of
 * pages and stacks), kernel_begin() ... kernel_finish() is one run. */
struct kernel *kernel_new(void);
void kernel_free(struct kernel *k);
/* 0 or -ENOMEM */
int kernel_begin(struct kernel *k, const struct kernel_options *opt);

/* The function of a process; its return value is the exit status. */
typedef int proc_main_fn(struct tsb_proc *p, void *arg);

/* The first process, pid 1 of the run. name, cwd and env (NAME=VALUE list) are borrowed for the
 * run. heap: NULL, or a heap that outlives the process (a session's; then it is not ended with it). */
struct tsb_proc *kernel_init_proc(struct kernel *k, const char *name, const char *cwd,
				  const char *const *env, struct tsb_heap *heap);
/* After that failed: the limit that is less than a first process needs, or used up; or NULL. */
const char *kernel_too_small(const struct kernel *k);
/*
 * Runs until the first process has ended, then drops all others (a script's
 * background jobs die with the run), or until a limit or cancel stops
 * everything. Returns the first process's exit status as a shell sees it.
 */
int kernel_run(struct kernel *k, proc_main_fn *main, void *arg);

struct kernel_report {
	enum tsb_stop stop;
	const char *limit;		/* its name in limits.def, or NULL */
	const char *denied;		/* the last limit that made a call fail, or NULL */
	uint64_t wall_ns;
	uint64_t memory_peak;
	uint64_t cpu_ns;		/* in a machine: the thread's time so far; else 0 */
	uint64_t commands;
	const struct tsb_command_record *records;	/* until kernel_finish() */
	size_t n_records;
	const uint64_t *pipe_bytes;
	size_t n_pipes;
};
void kernel_report(struct kernel *k, struct kernel_report *out);
void kernel_finish(struct kernel *k);

/*
 * ---- A machine: several runs on one thread, which see and signal each other's processes, and share FIFOs and
 * locks. Each keeps its own init (process 1, as it sees it), limits, deadline, cancel, output and end; they take
 * turns of about a millisecond. In real time only, and opt->share is needed: it gives the pids. ----
 */
struct machine;
/* What a machine sleeps on. Counted: whoever may ring it holds it. */
struct bell;
struct bell *bell_new(void);		/* NULL: no memory */
void bell_put(struct bell *b);		/* NULL is fine */
void bell_ring(struct bell *b);		/* from any thread, from a signal handler */
/* c rings the bell from now on, whenever anything is asked for. False: it has another bell, for good. NULL is fine. */
bool cancel_ring(struct tsb_cancel *c, struct bell *bell);

/* Of opt limits, share, uid and cancel count; that one ends all runs and rings, as those of all runs do.
 * NULL: no memory. */
struct machine *machine_new(const struct kernel_options *opt, struct bell *bell);
void machine_free(struct machine *m);	/* an empty one; NULL is fine */
/* Instead of kernel_run(). */
void machine_add(struct machine *m, struct kernel *k, proc_main_fn *main, void *arg);
/* Gives all runs their turns, until one is over (for machine_end()), or the bell was rung: NULL. */
struct kernel *machine_run(struct machine *m);
bool machine_empty(const struct machine *m);
bool machine_stopping(const struct machine *m);	/* its cancel was asked for */
/* Takes k, which is over, out: what kernel_run() returns. kernel_report() and kernel_finish() follow. */
int machine_end(struct machine *m, struct kernel *k);

/* A heap of the run: for what several processes share (parsed scripts). Charged
 * to the run; out of memory kills the running process. Ended by kernel_finish(). */
struct tsb_heap *kernel_heap(struct kernel *k);
/* A heap charged to the run's budget whose owner ends it (a session's). It
 * belongs to this kernel: use it in its runs only, end it before kernel_free().
 * On these two, while no process runs, out of memory is NULL. */
struct tsb_heap *kernel_heap_new(struct kernel *k);
const struct tsb_limits *kernel_limits(struct kernel *k);
struct kernel *proc_kernel(struct tsb_proc *p);

/*
 * A limit that ends the run fired (or a warning-only one): keeps its name for
 * the report and writes "tinysandbox: NAME limit reached ..." on the process's
 * standard error, once. Does not stop anything by itself.
 */
void proc_limit(struct tsb_proc *p, const char *name) __attribute__((cold));
/* Charges one command to the budget; ends the run with 125 when it is spent.
 * The shell calls it for the programs it runs, in its own process or another, not for builtins and
 * functions; tsb_spawn() and tsb_exec() do for the rest. May not return. */
void proc_charge_command(struct tsb_proc *p, const char *name);
/* Evaluation steps: as tsb_tick(), inline-cheap. May not return. */
void proc_tick_slow(struct tsb_proc *p) __attribute__((cold));
struct proc_tick {
	int32_t left;		/* steps until the next slow tick */
};
/* The counter is the first member of struct tsb_proc, so a tick is one decrement. */
static inline void proc_tick(struct tsb_proc *p, int32_t n)
{
	struct proc_tick *t = (struct proc_tick *)(void *)p;

	if ((t->left -= n) < 0)
		proc_tick_slow(p);
}

/* For an init: the process group that signals from outside (tsb_cancel_signal()) go to. */
void proc_set_front(struct tsb_proc *p, int pgid);
/* Processes alive, this one too. */
size_t proc_count(struct tsb_proc *p);

/* What kernel_options.offers was. */
const void *proc_offers(struct tsb_proc *p);
/* Calls fn(arg) on the stack of kernel_run()'s caller. The time it takes is looked at when it has
 * returned; so this may not return. */
void proc_on_host(struct tsb_proc *p, void (*fn)(void *arg), void *arg);

/* ---- Waiting for many things ---- */

enum { PROC_POLL_IN = 1, PROC_POLL_OUT = 4, PROC_POLL_HUP = 16, PROC_POLL_BAD = 32 };
struct proc_poll {
	int32_t fd, events, revents;
};
/* As poll(2): how many have something (0: none). It also ends, with 0, when a caught signal comes
 * or while a child that has ended is not waited for. timeout_ns < 0: for ever. May not return. */
int proc_poll(struct tsb_proc *p, struct proc_poll *fds, size_t n, int64_t timeout_ns);
/* O_NONBLOCK of the open file, which other descriptors may share. */
int proc_nonblock(struct tsb_proc *p, int fd, bool on);

/* ---- Processes ---- */

/*
 * A child that does not run yet: a copy of the parent's descriptors (all, also
 * close-on-exec: it is a fork), cwd, umask, environment (shared until
 * changed), signal dispositions (caught ones become default), process group.
 * -EAGAIN at the process limit. Fill its heap, change its descriptors, start it
 * or drop it.
 */
int proc_fork(struct tsb_proc *parent, struct tsb_proc **child);
void proc_start(struct tsb_proc *child, proc_main_fn *main, void *arg);
void proc_abandon(struct tsb_proc *child);	/* instead of proc_start() */
struct tsb_heap *proc_heap(struct tsb_proc *p);
int proc_pid(const struct tsb_proc *p);
void proc_set_user(struct tsb_proc *p, void *user);
/* 0 for pgid: its own pid. */
int proc_set_group(struct tsb_proc *p, int pgid);
int proc_set_session(struct tsb_proc *p);	/* setsid(2): -EPERM */

/*
 * What a path names: a command of the registry, a script (#! line read), or a
 * text file without #!. 0, or -ENOENT, -EACCES (no x bit or a directory),
 * -ENOEXEC (a binary). Strings come from the process's heap.
 */
enum program_kind { PROGRAM_COMMAND, PROGRAM_SCRIPT, PROGRAM_TEXT };
struct program {
	enum program_kind kind;
	const struct tsb_command *command;	/* COMMAND */
	const char *path;			/* as given */
	const char *interpreter, *argument;	/* SCRIPT; argument may be NULL */
};
int proc_find_program(struct tsb_proc *p, const char *path, struct program *out);
/* One walk: 0 if path is a file that the process may execute (*command: the one that it stands
 * for, or NULL); -EACCES if it is not. */
int proc_executable(struct tsb_proc *p, const char *path, const struct tsb_command **command);
/*
 * Sets a forked child up to run that program (argv, env copied; env NULL: keeps)
 * and starts it; close-on-exec descriptors are closed. A SCRIPT runs as
 * `interpreter argument path args`, a TEXT as `shell path args`. On failure the
 * child is still the caller's (proc_abandon()): -ENOENT, -EACCES for a SCRIPT
 * whose interpreter is not there, -ELOOP for interpreters that are scripts too
 * deep, -E2BIG for arguments and environment beyond 2 MiB or one beyond 128 KiB.
 */
int proc_start_program(struct tsb_proc *child, const struct program *program,
		       const char *const *argv, const char *const *env);

/* This process becomes the program. Returns only on failure. */
int proc_exec(struct tsb_proc *p, const struct program *program, const char *const *argv,
	      const char *const *env);

/* Waits for a child: pid, or -1 any. Like tsb_wait(), but returns -EINTR when a
 * caught signal is pending. */
int proc_wait(struct tsb_proc *p, int pid, int *status, int flags);
/* Has that child ended, and nobody waited for it? */
bool proc_child_ended(struct tsb_proc *p, int pid);
/* Calls hook(arg) when the process ends or is dropped, last added first. */
void proc_on_end(struct tsb_proc *p, void (*hook)(void *arg), void *arg);

/* ---- Signals ---- */
enum { PROC_SIG_DEFAULT = TSB_SIG_DEFAULT, PROC_SIG_IGNORE = TSB_SIG_IGNORE, PROC_SIG_CATCH = TSB_SIG_CATCH };
int proc_signal(struct tsb_proc *p, int sig, int disposition);	/* the old one */
bool proc_ignores(const struct tsb_proc *p, int sig);
/* The next pending caught signal, taken; 0 if none. Blocking calls return
 * -EINTR while one is pending. Cheap. */
int proc_take_signal(struct tsb_proc *p);

/* getrlimit(2), the soft one of a process and the children it has from now on:
 * descriptors, bytes of a file. UINT64_MAX: none but the sandbox's. */
enum proc_rlimit { PROC_RLIMIT_FILES, PROC_RLIMIT_FILE_BYTES, PROC_RLIMITS };
void proc_set_rlimit(struct tsb_proc *p, enum proc_rlimit which, uint64_t value);
uint64_t proc_rlimit(const struct tsb_proc *p, enum proc_rlimit which);

/* ---- Environment and such, for the shell ---- */
/* Replaces the whole environment by a list (copied; shared with children until
 * changed). */
void proc_set_environ(struct tsb_proc *p, const char *const *env);
/* Moves fd to a free number >= at_least with close-on-exec (saved descriptors of
 * redirected builtins): the new number. */
int proc_save_fd(struct tsb_proc *p, int fd, int at_least);
/* dup2(from, to) and close(from), which is closed even if that fails. from is not to. */
int proc_move_fd(struct tsb_proc *p, int from, int to);
/* Is that descriptor open? */
bool proc_fd_open(struct tsb_proc *p, int fd);
/* Copies a descriptor of `from` into `to`'s table at number `fd` (for a child
 * not yet started). */
int proc_give_fd(struct tsb_proc *from, int from_fd, struct tsb_proc *to, int fd);
int proc_drop_fd(struct tsb_proc *child, int fd);

/* Captured output of a command substitution run in a child: reads to the end
 * into out, NULs dropped are counted. The pipe's reading end is fd. */
int proc_read_all(struct tsb_proc *p, int fd, struct str *out);

/* Where its stack ends: below is a guard that no frame may reach. */
const char *proc_stack_low(const struct tsb_proc *p);
/* Said by who uses more stack than is usual: its pages are given back after the run. */
void proc_stack_deep(struct tsb_proc *p);

/* Time used: the fiber's share of CPU (user), for time and times. */
struct proc_times {
	uint64_t real_ns, user_ns, children_ns;
};
void proc_times(struct tsb_proc *p, struct proc_times *out);
/* When it was started, in nanoseconds of TSB_CLOCK_MONOTONIC. */
int64_t proc_started_ns(const struct tsb_proc *p);

#endif
