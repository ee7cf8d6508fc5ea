/*
 * Inside of the kernel: its structures, and the functions by which the files of
 * this room work together. Nothing outside includes it.
 *
 * Memory of three kinds: a process's own (p->heap; dropped with it), the run's
 * (k->heap; no hook, NULL when the budget is spent), and small objects that are
 * kept warm between runs (processes, descriptions, pipes), which are malloc's
 * and charged to the budget while in use.
 *
 * Never take memory from a process's heap while a structure of the kernel is
 * half-changed: the process may be dropped there.
 */
#ifndef KERNEL_INSIDE_H
#define KERNEL_INSIDE_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "kernel/fiber.h"
#include "kernel/kernel.h"
#include "kernel/ring.h"
#include "vfs/vfs.h"

#define unlikely(x) __builtin_expect(!!(x), 0)
#define NSEC_PER_SEC INT64_C(1000000000)
#define NSEC_PER_MSEC INT64_C(1000000)
#define TIME_NEVER INT64_MAX

#define N_SIGNALS 64
#define SIGNAL_BIT(sig) (UINT64_C(1) << ((sig) - 1))

#define RECORDS_MAX 1000
#define PID_BUCKETS 256
#define PIDS_MAX 32768	/* Linux on a machine of so few processors */
#define ARGUMENTS_MAX ((size_t)2 << 20)	/* Linux with the usual 8 MiB of stack */
#define ARGUMENT_MAX ((size_t)128 << 10)	/* one string, with its NUL */
#define OUT_SIZE 4096
#define NO_RECORD SIZE_MAX
#define COUNT_MAX ((size_t)0x7ffff000)	/* of one read or write, as on Linux */
#define STEP_BYTES 256			/* that count as one step */

/* ---- Shared, counted ---- */

struct env {
	unsigned refs;
	size_t n;
	const char *const *at;	/* n strings and a NULL: they and their bytes follow, or are the caller's */
};

struct cwd {
	unsigned refs;
	const char *path;	/* behind it, or the caller's */
};

/* ---- Descriptors ---- */

struct desc;
struct waitq;
struct pipe;

struct desc_ops {
	/* May wait; then the process may be dropped inside. NULL: -EBADF. */
	ssize_t (*read)(struct tsb_proc *p, struct desc *d, void *buf, size_t n);
	ssize_t (*write)(struct tsb_proc *p, struct desc *d, const void *buf, size_t n);
	/* 1: a read would not wait; 0: it would, until *q or *until is due. */
	int (*poll_in)(struct tsb_proc *p, struct desc *d, struct waitq **q, int64_t *until);
	int (*stat)(struct desc *d, struct tsb_stat *st);
	/* Text of /proc/self/fd/N; its whole length; *path: it may be opened. */
	ssize_t (*link)(struct desc *d, char *buf, size_t cap, bool *path);
	/* open(2) of that link when it is no path. -errno or 0. */
	int (*reopen)(struct tsb_proc *p, struct desc *d, int flags, struct desc **out);
	void (*close)(struct desc *d);
	bool host;		/* goes straight to the host: may be flushed when all is dropped */
	bool terminal;
};

/* An open file description: what dup() shares. */
struct desc {
	const struct desc_ops *ops;
	unsigned refs;
	int flags;		/* O_ACCMODE, O_APPEND, O_NONBLOCK */
	struct kernel *k;
	uint64_t offset;
	struct pipe *pipe;
	struct vfs_file *file;	/* of a file, a directory, a named FIFO */
	struct desc *origin;	/* whose file it is, reopened without a path; counted */
	int host_fd;
	struct desc *next;	/* spare */
	int lock;		/* flock(2): 0, LOCK_SH or LOCK_EX */
	struct ring locked;	/* k->locks, while it has one */
};

struct fd_slot {
	struct desc *d;		/* NULL: free */
	bool cloexec;
};

#define FDS_INLINE 16
struct fdtab {
	struct fd_slot *at;	/* first, or from malloc */
	unsigned n;		/* all slots from here on are free */
	unsigned cap;
	struct fd_slot first[FDS_INLINE];
};

/* ---- Waiting ---- */

struct waitq {
	struct ring head;
};

/* ---- A process ---- */

enum proc_state { PROC_NEW, PROC_READY, PROC_RUNNING, PROC_BLOCKED, PROC_ZOMBIE };

struct end_hook {
	struct end_hook *next;
	void (*fn)(void *arg);
	void *arg;
};

struct out {
	char *buf;		/* OUT_SIZE bytes of main_heap, at the first put */
	size_t n;
	int error;		/* kept -errno */
	bool complaint_lost;	/* a message could not be written */
	bool lines;		/* a terminal: written at each newline */
	void (*held)(void *arg);	/* puts what the command itself still holds, or NULL */
	void *held_arg;
};

struct tsb_proc {
	struct proc_tick tick;		/* first: see kernel.h */
	enum proc_state state;
	struct kernel *k;
	struct tsb_heap *heap;		/* what tsb_alloc() takes from; NULL in inline commands
					   that have not allocated yet */
	struct tsb_heap *next_heap;	/* being filled by exec */
	struct tsb_heap *main_heap;	/* the same but in inline commands */
	struct fiber fiber;
	struct stack *stack;

	bool heap_borrowed;
	bool shared_count;		/* counted in the sandbox's share */
	bool stopped;
	bool canceled;			/* to be dropped as soon as no_drop is 0 */
	bool interruptible;		/* blocked, and caught signals end that */
	bool patient;			/* caught signals do not end its waiting */
	bool oom;			/* is being ended for lack of memory */
	unsigned no_drop;		/* runs an embedder's function */
	int wake_result;		/* of sched_block() */
	int status;			/* zombie, or canceled: as wait() gives it */
	int report;			/* stopped or continued, for wait(); 0: nothing new */

	int pid, pgid, sid;
	int nice;
	uint32_t umask;
	uint64_t rlimits[PROC_RLIMITS];	/* plus one; 0: none of its own */
	struct ring all;		/* k->procs */
	struct ring queue;		/* run queue or a wait queue */
	struct ring sleep;		/* k->sleepers */
	int64_t wake_at;
	struct tsb_proc *pid_next;	/* hash chain; spare list */
	struct tsb_proc *parent;	/* NULL: reaped by the kernel */
	struct ring children, sibling;
	struct waitq child_q;

	struct fdtab fds;
	struct desc *opening;		/* of a FIFO that waits for its other end */
	struct cwd *cwd;
	struct env *env;
	uint64_t ignored, caught, pending;
	struct ring dirs;		/* struct tsb_dir */
	size_t n_dirs;
	struct end_hook *hooks;
	struct borrowed *borrowed;	/* see tsb_tty_borrow(); NULL: never */
	struct out out;

	proc_main_fn *main;
	void *arg;
	const struct tsb_command *cmd;
	int argc;
	char **argv;			/* main_heap; with argv[0] */
	const char *exe;
	const char *name;		/* main_heap, or static */
	void *user;
	char comm[16];

	int64_t start_ns;
	uint64_t user_ns, children_ns;
	uint64_t memory_peak, children_memory_peak;	/* seen at the end of programs */
	size_t record;
};

/* ---- The kernel ---- */

/* The one that a run has, if it has one. Its line discipline is the host's. */
struct terminal {
	struct tsb_termios set;
	struct tsb_winsize size;
	bool end;		/* a poll has met it: the next read says so */
};

struct kernel {
	/*
	 * Runs that share a machine (machine.c) stand in one ring with its base, which is a kernel without
	 * processes that holds what is of all of them: FIFOs, locks, who polls. Alone a kernel is its own base.
	 * Each has its processes, budget, clock, limits and cancel for itself, and only one at a time
	 * has the thread.
	 */
	struct ring peers;
	struct kernel *base;

	/* Warm, from kernel_new() to kernel_free(). */
	struct heap_pool *pool;
	struct heap_budget budget;
	struct stack_pool stacks;
	struct tsb_proc *spare_procs;
	struct desc *spare_descs;
	struct pipe *spare_pipes;
	char *spare_buffers;		/* of spare_buffer_size; the first word links */
	size_t spare_buffer_size, n_spare_buffers;
	size_t n_spare_procs, n_spare_descs, n_spare_pipes;
	struct tsb_command_record *records;
	uint64_t *pipe_bytes;
	size_t records_cap, pipe_bytes_cap;
	struct tsb_proc *pids[PID_BUCKETS];
	struct ring procs, runq, sleepers, fifos, locks;
	struct waitq lock_q, poll_q;	/* poll_q: proc_poll() */
	struct waitq io_q;		/* for the host's input and output, with io.wakes */
	struct fiber host;
	fiber_fn *host_fn;		/* see sched_on_host() */
	void *host_arg;
	const char *plain_argv[2];	/* for /proc: of a process without arguments */
	struct vfs *space;		/* the run's namespace: /proc over the sandbox's; made at first use */
	struct tsb_fs *procfs;		/* space's */

	/* One run. */
	struct kernel_options opt;
	struct tsb_limits limits;
	struct vfs *vfs;		/* space, once it lies over the sandbox's; else NULL */
	struct tsb_heap *heap;		/* of the kernel itself; NULL: not yet needed */
	struct env first_env;		/* the first process's: the caller's strings */
	struct cwd first_cwd;
	struct tsb_heap *shared;	/* kernel_heap() */
	struct tsb_proc *running, *init;
	bool init_ended;
	int init_status;
	bool stopping, dropping;
	bool to_host;			/* the next switch is: stopping, ended, or its turn is over */
	enum tsb_stop stop;
	int stop_status;
	const char *limit, *denied;
	bool limit_told, deadlock;
	int last_pid;
	int front;			/* process group that signals from outside go to */
	bool pids_again;		/* all have been used once */
	size_t n_procs;
	uint64_t commands;
	size_t n_records, n_pipes;
	uint64_t pipes_made, inode_next;

	/* Standard input that a poll has read and no one has taken. */
	size_t input_at, input_n;
	bool input_ended;
	char input[512];
	struct terminal terminal;

	/* Time: nanoseconds since kernel_begin(). */
	int64_t begin_mono;		/* the machine's clock then */
	int64_t virtual_ns;
	int64_t deadline;		/* in real time */
	int64_t stamp_ns;		/* the last time a file got, since 1970 */
	int stamp_pid;			/* the process that did it */
	int64_t last_ns;		/* real, at the last slow tick or idling */
	int64_t end_ns;			/* real, when kernel_run() returned; 0: runs */
	int64_t turn_end;		/* real: then the machine's other runs are to have theirs */
	uint64_t cpu_ns, turn_cpu;	/* the thread's time in its turns; what it was at this turn's begin, else 0 */
	int32_t tick_left;		/* of the running slice, while the host runs */
	int32_t tick_step;		/* steps between clock readings */
	int32_t slice_left;		/* steps until the next yield, without the current ones */
	uint64_t random[2];
};

/* The kernels of the machine, k first. */
#define each_peer(q, k) for (struct kernel *q = (k); q; q = kernel_next_peer(q, (k)))
static inline struct kernel *kernel_next_peer(struct kernel *q, struct kernel *first)
{
	q = ring_item(q->peers.next, struct kernel, peers);
	return q == first ? NULL : q;
}

/* ---- machine.c ---- */
static inline bool machine_has(const struct kernel *k)
{
	return k->base != k;
}
/* The running process has had its turn; the others of the machine wait. */
bool machine_turn_over(const struct kernel *k, int64_t real);
uint64_t machine_turn_ns(const struct kernel *k);	/* what machine_cpu_ns() is within a turn */
static inline uint64_t machine_cpu_ns(const struct kernel *k)
{
	return unlikely(k->turn_cpu) ? machine_turn_ns(k) : k->cpu_ns;
}

/* ---- sched.c ---- */
void waitq_init(struct waitq *q);
void sched_ready(struct tsb_proc *p);		/* new, or woken: into the run queue */
/*
 * Waits on q (may be NULL) until woken, or until kernel time `until`. 0,
 * -ETIMEDOUT, -EINTR (a caught signal, if interruptible), -ECANCELED. May not
 * return.
 */
int sched_block(struct tsb_proc *p, struct waitq *q, int64_t until, bool interruptible);
void sched_wake(struct tsb_proc *p, int result);	/* a blocked one; else nothing */
void waitq_wake(struct waitq *q);		/* all of them */
void sched_yield_now(struct tsb_proc *p);
void sched_hold(struct tsb_proc *p);		/* stopped: leaves until continued */
void sched_forget(struct tsb_proc *p);		/* out of all queues */
/* The running process is gone or will not run again. */
void sched_leave(struct kernel *k) __attribute__((noreturn));
void sched_wake_sleepers(struct kernel *k, int64_t now);
/* The host's loop: until the first process has ended or all must stop. */
void sched_run(struct kernel *k);
void sched_dispatch(struct kernel *k);		/* one process, from the host's stack */
/* Calls fn(arg) on the stack of kernel_run()'s caller. It must not end the process. */
void sched_on_host(struct kernel *k, fiber_fn *fn, void *arg);

/* ---- budget.c, clock.c ---- */
/* Of the kernel's own heap; NULL: no memory. */
void *kernel_alloc(struct kernel *k, size_t bytes);
bool kernel_charge(struct kernel *k, size_t bytes);
void kernel_refund(struct kernel *k, size_t bytes);
/* The whole run must end: the first reason stays. limit: its name, or NULL. */
void kernel_stop(struct kernel *k, enum tsb_stop stop, int status, const char *limit) __attribute__((cold));
/* Tells why, when all has been flushed. */
void kernel_stop_tell(struct kernel *k) __attribute__((cold));
/* Leaves for good when the run is stopping (or returns, for embedders). */
void proc_stop_point(struct tsb_proc *p) __attribute__((cold));
bool kernel_check_stop(struct kernel *k, int64_t real_now);
void kernel_oom(void *kernel, size_t wanted) __attribute__((cold));	/* a heap's hook */
bool cancel_asked(const struct tsb_cancel *c);
/* Something else than the end was asked for: signals, waking, a pause. */
bool cancel_pending(const struct tsb_cancel *c);
/* One of the signals asked for, taken; 0: none. *all: to all processes. */
int cancel_take_signal(struct tsb_cancel *c, bool *all);
bool cancel_take_wake(struct tsb_cancel *c);
bool cancel_paused(const struct tsb_cancel *c);	/* and the end is not asked for */
bool cancel_take_size(struct tsb_cancel *c, struct tsb_winsize *size);
/* While a pause is asked for, and the end is not. */
void cancel_pause_wait(struct tsb_cancel *c);
/* Sleeps on the host until c is asked for anything or ns have passed. c may be NULL. */
void cancel_wait(struct tsb_cancel *c, int64_t ns);
unsigned bell_count(const struct bell *b);
/* Sleeps until it has been rung more often than that, or ns have passed. */
void bell_wait(struct bell *b, unsigned count, int64_t ns);
/* Does what was asked for from outside. May not return, if a process runs. */
void kernel_attend(struct kernel *k);
void clock_begin(struct kernel *k);
int64_t clock_real(struct kernel *k);		/* real ns since the run began */
int64_t clock_now(struct kernel *k);		/* kernel time: real or virtual */
/* For the times of files: as on Linux the time of the last tick of the machine's clock, which costs less. Commands
 * take microseconds here, so a process gets a later time than the one before it even within a tick: "newer" holds. */
struct tsb_time clock_stamp(struct kernel *k);
void random_begin(struct kernel *k);
void random_fill(struct kernel *k, void *buf, size_t n);
void tick_begin(struct kernel *k);

/* ---- proc.c ---- */
struct tsb_proc *proc_find(struct kernel *k, int pid);	/* k's own, or of its machine */
void proc_note_memory(struct tsb_proc *p);
void proc_borrow_name(struct tsb_proc *p, const char *name);	/* not copied */
struct tsb_proc *proc_make(struct kernel *k, struct tsb_proc *parent);
/* Ends p, whoever runs; returns also if p runs: then sched_leave(). */
void proc_end(struct tsb_proc *p, int status);
/* Ends the running process; returns only for embedders' (-ECANCELED then). */
int proc_die(struct tsb_proc *p, int status);
void proc_free(struct tsb_proc *zombie);	/* reaps */
void proc_drop_all(struct kernel *k);
int kernel_ended(struct kernel *k);		/* the end of kernel_run() */
void proc_spares_end(struct kernel *k);
void *proc_memory(struct tsb_proc *p, size_t n);	/* of main_heap, not zeroed; never NULL */
struct tsb_heap *proc_inline_heap(struct tsb_proc *p);
static inline struct tsb_heap *proc_heap_now(struct tsb_proc *p)
{
	return p->heap ? p->heap : proc_inline_heap(p);
}

/* ---- signal.c ---- */
/* To a process group, or all but init; the running process comes last. May not return. */
void signal_from_outside(struct kernel *k, bool all, int sig);
/* Delivers to p, maybe ending it. Returns if p is the running one and is to be
 * dropped only for embedders'. */
void signal_send(struct tsb_proc *p, int sig);
/* What is pending and not caught; false: p has ended, and may be gone. */
bool signal_deliver(struct tsb_proc *p);
bool signal_is_orphaned(const struct tsb_proc *of);	/* nobody could continue its group */
int signal_broken_pipe(struct tsb_proc *p);	/* -EPIPE, or does not return */
void signal_reset_caught(struct tsb_proc *p);	/* fork, exec */
void signal_continue(struct tsb_proc *p);

/* ---- fdtab.c, desc.c ---- */
void fdtab_init(struct fdtab *t);
int fdtab_copy(struct fdtab *to, const struct fdtab *from);	/* -ENOMEM: nothing copied */
void fdtab_end(struct fdtab *t);
void fdtab_close_exec(struct fdtab *t);
/* The lowest free number >= at_least; takes d's reference, also on failure. */
int fdtab_add(struct tsb_proc *p, struct desc *d, int at_least, bool cloexec);
int fdtab_close(struct fdtab *t, int fd);
bool fdtab_room(const struct tsb_proc *p);	/* for one more descriptor */
/* The end of a call that moved r bytes (or failed): charges them. May not return. */
static inline ssize_t call_moved(struct tsb_proc *p, ssize_t r)
{
	if (r > 0)
		proc_tick(p, (int32_t)(r / STEP_BYTES));
	return r;
}

static inline struct fd_slot *fdtab_slot(const struct fdtab *t, int fd)
{
	return (unsigned)fd < t->n && t->at[fd].d ? &t->at[fd] : NULL;
}
static inline struct desc *fd_desc(const struct tsb_proc *p, int fd)
{
	return (unsigned)fd < p->fds.n ? p->fds.at[fd].d : NULL;
}
struct desc *desc_new(struct kernel *k, const struct desc_ops *ops, int flags);	/* NULL */
void desc_put(struct desc *d);
static inline struct desc *desc_get(struct desc *d)
{
	d->refs++;
	return d;
}
void desc_spares_end(struct kernel *k);
ssize_t desc_write(struct tsb_proc *p, struct desc *d, const void *buf, size_t n);

/* ---- pipe.c, fifo.c, file.c, hostio.c ---- */
int pipe_make(struct kernel *k, struct desc **reader, struct desc **writer);
void pipe_spares_end(struct kernel *k);
/* Opens the FIFO that file is a handle of; waits for the other end. Takes file. */
int fifo_open(struct tsb_proc *p, struct vfs_file *file, int flags, struct desc **out);
int file_open(struct tsb_proc *p, const char *path, int flags, uint32_t mode, struct desc **out);
bool file_is(const struct desc *d);
int hostio_make(struct kernel *k, struct fdtab *t);	/* 0, 1, 2 */
/* Asks the host for input, once; it may say -EAGAIN. */
ssize_t hostio_ask(struct tsb_proc *p, void *buf, size_t n);
/* What a poll has read already. */
size_t hostio_take(struct kernel *k, void *buf, size_t n);
/* Until it makes sense to ask the host again. -ETIMEDOUT, -EINTR, -ECANCELED. */
int hostio_wait(struct tsb_proc *p, int64_t until);

/* ---- terminal.c ---- */
void terminal_begin(struct kernel *k);
ssize_t terminal_read(struct tsb_proc *p, struct desc *d, void *buf, size_t n);
void terminal_resize(struct kernel *k, struct tsb_winsize size);
int terminal_open(struct tsb_proc *p, int flags, struct desc **out);	/* /dev/tty: -ENXIO */
/* Straight to the host's standard error. */
void hostio_tell(struct kernel *k, const char *text, size_t n);

/* ---- lock.c ---- */
void lock_drop(struct desc *d);

/* ---- env.c ---- */
struct env *env_make(struct kernel *k, const char *const *list);	/* NULL: no memory */
/* The first process's, of the caller's own strings: they stay as long as the run. */
struct env *env_first(struct kernel *k, const char *const *list);
struct cwd *cwd_first(struct kernel *k, const char *path);
void env_put(struct kernel *k, struct env *e);
struct cwd *cwd_make(struct kernel *k, const char *path);
struct cwd *cwd_join(struct kernel *k, const char *path, const char *rest);
void cwd_put(struct kernel *k, struct cwd *c);

/* ---- The files: on whose behalf and when (file.c, calls_path.c, dir.c) ---- */
struct call_ctx {
	struct tsb_caller who;
	struct vfs_ctx c;
};
/* Of a call that only reads: no time is taken. -EFAULT for no path, -ENOMEM. */
int call_reads(struct tsb_proc *p, struct call_ctx *ctx, const char *path);
int call_writes(struct tsb_proc *p, struct call_ctx *ctx, const char *path);
/* Closes the directories opened after `last`. */
void dir_close_after(struct tsb_proc *p, struct ring *last);

/* ---- procinfo.c ---- */
struct tsb_fs *procinfo_new(struct kernel *k);	/* NULL: no memory */

/* ---- stdio.c, program.c ---- */
int out_flush(struct tsb_proc *p);
void out_flush_now(struct tsb_proc *p);		/* when dropped: where no waiting is needed */
void record_end(struct tsb_proc *p);
int program_main(struct tsb_proc *p, void *cmd);	/* of a process that runs a command */
const char *program_base(const char *path);

/* Entry of a call that costs `n` steps. */
#define CALL_BEGIN(p, n)				\
	do {						\
		proc_tick((p), (n));			\
		if (unlikely((p)->canceled))		\
			return -ECANCELED;		\
	} while (0)

#endif
