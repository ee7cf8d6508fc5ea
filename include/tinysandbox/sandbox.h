/*
 * tinysandbox/sandbox.h - a whole Linux-like user space inside your process.
 *
 *	struct tsb_sandbox *box;
 *	struct tsb_result *res;
 *	if (tsb_sandbox_open(&box, NULL) != TSB_OK) return 1;
 *	tsb_run(box, "printf 'b\\na\\n' | sort > out; cat out", NULL, &res);
 *	fwrite(tsb_result_out(res, NULL), 1, ..., stdout);
 *	tsb_result_free(res);
 *	tsb_sandbox_close(box);
 *
 * (tests/api/ compiles and runs every example of this header.)
 *
 * Ownership: a returned pointer is borrowed, an out parameter is yours. Option
 * structs begin with their size and grow at the end only; start from _INIT. A smaller
 * one (a program built with an older header) gets the defaults for the rest; a larger
 * one is taken if what is not known here is zero, else it is TSB_ERR_ARGUMENT.
 * Errors: an enum tsb_status; the sentence to show is tsb_error(box).
 * Threads: one sandbox may be used from several threads at once, also to run
 * several scripts at once; a result belongs to one thread at a time. A run
 * happens on the calling thread. No call touches global state of the process:
 * no signals, no environment, no working directory, no locale.
 */
#ifndef TINYSANDBOX_SANDBOX_H
#define TINYSANDBOX_SANDBOX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <tinysandbox/command.h>
#include <tinysandbox/vfs.h>

#ifdef __cplusplus
extern "C" {
#endif
#ifdef __GNUC__
#pragma GCC visibility push(default)
#endif

enum tsb_status {
	TSB_OK = 0,
	TSB_ERR_MEMORY = -1,	/* the host has no memory */
	TSB_ERR_ARGUMENT = -2,	/* a bad value in options or arguments */
	TSB_ERR_BUSY = -3,	/* the sandbox has runs in progress */
	TSB_ERR_FILE = -4,	/* a file operation failed; tsb_errno() says how */
	TSB_ERR_FORMAT = -5,	/* not a snapshot, or a damaged one */
	TSB_ERR_SUPPORT = -6,	/* this filesystem cannot do that */
	TSB_ERR_INTERNAL = -7,	/* our mistake */
	TSB_ERR_COMMAND = -8	/* tsb_exec_argv(): no such program; tsb_errno() */
};

/* ---- Limits. All are hard, none is unlimited; 0 allows nothing. The table of
 * names, defaults and texts is src/base/limits.def; --limit NAME=VALUE and
 * tsb_limit_set() use the field's name. ---- */
struct tsb_limits {
	size_t size;			/* sizeof(struct tsb_limits) */
	uint64_t wall_ms;		/* wall-clock time of a run: status 124 */
	uint64_t stdout_bytes;		/* kept of standard output: head and tail */
	uint64_t stderr_bytes;
	uint64_t memory_bytes;		/* all heaps of a run: the process dies, 137 */
	uint64_t commands;		/* commands started in a run: status 125 */
	uint64_t processes;		/* alive at once: fork fails with EAGAIN */
	uint64_t descriptors;		/* open in one process: EMFILE */
	uint64_t source_bytes;		/* one script text */
	uint64_t word_bytes;		/* one expanded word or value */
	uint64_t words;			/* fields of one command line */
	uint64_t parse_depth;		/* nesting of syntax; more than 2000 is 2000 */
	uint64_t call_depth;		/* functions, source, eval, traps */
	uint64_t fs_bytes;		/* content of all files: ENOSPC */
	uint64_t fs_entries;		/* files and directories: ENOSPC */
	uint64_t file_bytes;		/* one file: EFBIG */
	uint64_t pipe_bytes;		/* capacity of a pipe */
	uint64_t js_memory_bytes;	/* one script of js: RangeError, or status 134 */
	uint64_t js_call_bytes;		/* see js.h; arguments and answer each */
};
void tsb_limits_default(struct tsb_limits *limits);
/* The same; size: of the struct as the caller knows it. */
void tsb_limits_default_of(struct tsb_limits *limits, size_t size);
#define tsb_limits_default(limits) tsb_limits_default_of((limits), sizeof(struct tsb_limits))
/* Sets one limit by name; value is a number with optional K, M, G or ms, s, m.
 * TSB_ERR_ARGUMENT for an unknown name or bad value. */
int tsb_limit_set(struct tsb_limits *limits, const char *name, const char *value);
/* Rows for help texts: name, unit and help of row i, NULL behind the last. */
const char *tsb_limit_name(size_t i, const char **unit, const char **help, uint64_t *value_default);

/* ---- Open ---- */
struct tsb_sandbox;

struct tsb_options {
	size_t size;			/* sizeof(struct tsb_options) */
	const struct tsb_limits *limits;	/* NULL: the defaults */
	const char *const *env;		/* NAME=VALUE, replaces the default; NULL: default */
	const char *cwd;		/* absolute, and there when a run begins; NULL: /home/user */
	const char *hostname;		/* at most 64 bytes, no space, '/'; NULL: sandbox */
	bool session;			/* runs share one session: cwd, variables, functions */
	bool virtual_time;		/* sleep is instant, runs are reproducible */
	int64_t start_sec;		/* virtual time: the instant it begins at */
	uint64_t seed;			/* virtual time: randomness */
	/* One machine: memory_bytes and processes are what all runs have together, and
	 * no two runs at the same time have the same pids. See tsb_serve() for more. */
	bool together;
};
#define TSB_OPTIONS_INIT { sizeof(struct tsb_options), NULL, NULL, NULL, NULL, false, false, \
			   1700000000, 1, false }

/* The environment of a sandbox that is given none: NAME=VALUE, NULL-terminated, static. */
const char *const *tsb_default_env(void);
/* opt may be NULL. TSB_ERR_ARGUMENT: of the sizes, cwd, hostname, env one is not valid. Runs of a
 * sandbox whose memory_bytes or descriptors are less than a shell begins with are that, too. */
int tsb_sandbox_open(struct tsb_sandbox **out, const struct tsb_options *opt);
/* Waits for nothing: TSB_ERR_BUSY while a run is in progress. NULL is fine. */
int tsb_sandbox_close(struct tsb_sandbox *box);
/* The sentence for this thread's last failed call on this sandbox; in a thread in which none
 * failed, for the last of any thread; "" if none. Borrowed until this thread's next call. */
const char *tsb_error(struct tsb_sandbox *box);
int tsb_errno(struct tsb_sandbox *box);

/* ---- Run ---- */
/* Next bytes of the script's standard input into buf: count, 0 at the end, -errno. */
typedef ssize_t tsb_input_fn(void *ctx, void *buf, size_t n);
/* Bytes of fd 1 or 2 as they come; nonzero stops the run as a cancel does. */
typedef int tsb_output_fn(void *ctx, int fd, const void *data, size_t n);

struct tsb_cancel;
struct tsb_cancel *tsb_cancel_new(void);
void tsb_cancel_free(struct tsb_cancel *c);
/* From any thread and from a signal handler; stops every run that has it. */
void tsb_cancel_now(struct tsb_cancel *c);
/* The following are for one run at a time; from any thread too. */
/* A signal to the process group in front (that of the program, or the script's own, which needs
 * `terminal`), or to all processes of the run. */
int tsb_cancel_signal(struct tsb_cancel *c, int sig, bool all);
/* All processes of the run are frozen until it is taken back; time goes on. */
void tsb_cancel_pause(struct tsb_cancel *c, bool on);
/* The terminal of the run has this size now; the processes in front get SIGWINCH if it is new. */
void tsb_cancel_resize(struct tsb_cancel *c, uint16_t rows, uint16_t columns);
/* The functions that have said -EAGAIN are to be asked again (see `wakes`). */
void tsb_cancel_wake(struct tsb_cancel *c);

enum tsb_event_kind {
	TSB_EVENT_STARTED,	/* value: the program's pid */
	TSB_EVENT_FAILED,	/* value: -errno; nothing ran */
	TSB_EVENT_NO_CWD,	/* the same, of the directory */
	TSB_EVENT_NO_INPUT,	/* the same, of input_path */
	TSB_EVENT_ENDED,	/* value: as waitpid(2) gives it */
	TSB_EVENT_TERMINAL	/* tsb_run() too: the settings of the terminal were changed */
};
struct tsb_event {
	enum tsb_event_kind kind;
	int value;
	size_t left;		/* ENDED: processes that still run */
	uint64_t memory_peak;	/* ENDED */
	const char *limit;	/* ENDED: the limit that fired or made a call fail; or NULL */
	uint64_t cpu_ns;	/* ENDED, of tsb_exec_post(): processor time of the run so far */
	const struct tsb_termios *termios;	/* TERMINAL: during the call */
	bool flush;		/* TERMINAL: what was typed and is not read is to be dropped */
};
typedef void tsb_event_fn(void *ctx, const struct tsb_event *e);

/* How bash got a script, which shows in its messages, BASH_SOURCE, FUNCNAME and $-. */
enum tsb_script {
	TSB_SCRIPT_COMMAND,		/* bash -c script */
	TSB_SCRIPT_FILE,		/* bash name, a file that has this text */
	TSB_SCRIPT_STDIN		/* bash -s, and all of it was read */
};

struct tsb_run_options {
	size_t size;
	const char *name;		/* $0; NULL: bash */
	const char *const *args;	/* $1 ...; NULL-terminated, or NULL */
	const char *cwd;		/* TSB_ERR_FILE if it is not there; NULL: the session's */
	const char *const *env;		/* the whole environment; NULL: the session's */
	const void *input;		/* standard input bytes ... */
	size_t input_size;
	tsb_input_fn *input_fn;		/* ... or a function; neither: empty */
	void *input_ctx;
	tsb_output_fn *output_fn;	/* NULL: captured in the result */
	void *output_ctx;
	const struct tsb_limits *limits;	/* NULL: the sandbox's */
	struct tsb_cancel *cancel;
	bool fresh;			/* with a session: do not use nor change it; needed in
					 * a callback of a run in the session (TSB_ERR_BUSY) */
	/*
	 * fds 0, 1, 2 are a terminal's. input_fn gives what a read would, from a line discipline
	 * that is the host's: lines while ICANON is set, 0 for an end (Ctrl-D) after which more may
	 * come, else bytes. event_fn is told of new settings.
	 */
	bool terminal;
	/* output_fn may say -EAGAIN too (nothing was taken: the writer waits), and both
	 * functions are asked again after tsb_cancel_wake(cancel) only. A run in which
	 * all wait is not stopped: its input or a signal may come. */
	bool wakes;
	/* tsb_exec_argv() only. */
	const char *input_path;		/* standard input is this file; absolute, or in cwd */
	bool stay;			/* what the program leaves running goes on; the
					 * call returns when nothing is left */
	tsb_event_fn *event_fn;		/* on the thread of the call; may not call back */
	void *event_ctx;
	/* Of a terminal, when the run begins. */
	const struct tsb_termios *termios;	/* NULL: as Linux makes one */
	uint16_t rows, columns;		/* 0: not known */
	enum tsb_script script;		/* tsb_run(), tsb_run_bytes() */
};
#define TSB_RUN_OPTIONS_INIT { sizeof(struct tsb_run_options), NULL, NULL, NULL, NULL, NULL, 0, \
			       NULL, NULL, NULL, NULL, NULL, NULL, false, false, false, NULL, \
			       false, NULL, NULL, NULL, 0, 0, TSB_SCRIPT_COMMAND }

struct tsb_result;

/* Could more text mend this script (an open quote, "for ..." without "done")? A
 * prompt then asks for more. */
bool tsb_is_incomplete(const char *script, size_t size);

/* Runs a bash script. Returns TSB_OK whatever the script's status; *out is then
 * yours. script need not be terminated (tsb_run_bytes) and may hold any byte. */
int tsb_run(struct tsb_sandbox *box, const char *script, const struct tsb_run_options *opt,
	    struct tsb_result **out);
int tsb_run_bytes(struct tsb_sandbox *box, const void *script, size_t size,
		  const struct tsb_run_options *opt, struct tsb_result **out);

/* The same for what a person types: bash reads standard input, on a terminal (opt->terminal) with prompts,
 * line editing, history and jobs, until its end or exit. The session is used and kept as with tsb_run(). */
int tsb_prompt(struct tsb_sandbox *box, const struct tsb_run_options *opt, struct tsb_result **out);

/*
 * Runs a program without a shell: argv[0] as execvp(3) finds it (in the PATH of
 * env), with these arguments exactly; NULL-terminated. It is a child of an init
 * that is process 1, leads a session, and gets signals as on Linux. The session
 * of the sandbox is neither used nor changed; name and args are not looked at.
 * TSB_ERR_COMMAND, TSB_ERR_FILE (cwd, input_path): nothing ran. The status is 128 + n after a signal.
 */
int tsb_exec_argv(struct tsb_sandbox *box, const char *const *argv,
		  const struct tsb_run_options *opt, struct tsb_result **out);

/*
 * Several programs as on one machine. A thread of yours stays in tsb_serve(), and tsb_exec_post() gives it programs
 * to run, whatever runs there already. They see each other's processes (ps, /proc, kill, pgrep), share FIFOs and
 * flock(1)'s locks, and take turns of about a millisecond, each run with all its processes getting the same share.
 * Each has limits, deadline, cancel, streams, terminal, events and end of its own: what ends one run ends
 * all its processes, and nothing of the others. Process 1, as every run sees it, is its own init. What has no path
 * (a pipe, a stream) is not reached through another run's /proc/PID/fd: EACCES.
 *
 * For sandboxes opened with `together` and without virtual time; otherwise TSB_ERR_SUPPORT. tsb_run() and
 * tsb_exec_argv() remain what they are, also meanwhile: runs apart, on the threads of their callers.
 */
/* status: what tsb_exec_argv() would return; r is yours, NULL unless status is TSB_OK. */
typedef void tsb_done_fn(void *ctx, int status, struct tsb_result *r);
/*
 * As tsb_exec_argv(), from any thread, the serving one's callbacks too, and it returns at once. If nobody serves, it
 * waits until somebody does. *opt is copied; argv and what both point to must stay as they are until done is called,
 * which is the last that happens to the run, also after a failure (but not after an error of this call itself).
 * All functions of opt, and done, are called on the serving thread: while one of them does not return, nothing runs.
 * A run in which all wait is not stopped, as with `wakes`. opt->cancel: an object that was given to one
 * sandbox here cannot be given to another (TSB_ERR_ARGUMENT); free it after done, as any.
 */
int tsb_exec_post(struct tsb_sandbox *box, const char *const *argv, const struct tsb_run_options *opt,
		  tsb_done_fn *done, void *ctx);
/*
 * Runs what is posted, until tsb_cancel_now(stop): then all runs end as by a cancel, done is called for each, and
 * it returns. TSB_ERR_BUSY: another thread serves. The sandbox counts as one with a run in progress.
 */
int tsb_serve(struct tsb_sandbox *box, struct tsb_cancel *stop);

enum tsb_stop {
	TSB_STOP_NONE,		/* the script ended by itself */
	/* TIME is also given, with status 124, as soon as no process can ever run again, whatever
	 * time is left: all wait for one another, or are stopped (`kill -STOP $$`). */
	TSB_STOP_TIME, TSB_STOP_COMMANDS, TSB_STOP_MEMORY, TSB_STOP_CANCEL
};

int tsb_result_status(const struct tsb_result *r);	/* 0 .. 255 */
enum tsb_stop tsb_result_stop(const struct tsb_result *r);
const char *tsb_result_limit(const struct tsb_result *r);	/* name of the limit that fired, or NULL */
/* NUL-terminated; the length into *n (may be NULL). Borrowed from r. */
const char *tsb_result_out(const struct tsb_result *r, size_t *n);
const char *tsb_result_err(const struct tsb_result *r, size_t *n);
bool tsb_result_out_truncated(const struct tsb_result *r);
bool tsb_result_err_truncated(const struct tsb_result *r);
uint64_t tsb_result_wall_ns(const struct tsb_result *r);
uint64_t tsb_result_memory_peak(const struct tsb_result *r);
uint64_t tsb_result_cpu_ns(const struct tsb_result *r);	/* of tsb_exec_post(); otherwise 0 */
struct tsb_command_record {
	const char *name;
	uint64_t start_ns, wall_ns;	/* since the run began */
	int status;
	int pid;
};
/* Commands that ran as processes, at most the first 1000. */
size_t tsb_result_commands(const struct tsb_result *r, const struct tsb_command_record **at);
/* Bytes that went through each pipe, in order of creation, at most 1000. */
size_t tsb_result_pipes(const struct tsb_result *r, const uint64_t **bytes);
void tsb_result_free(struct tsb_result *r);

/* ---- Files, from outside. Paths are absolute. ---- */
/* Parents are made. mode 0: 0644. */
int tsb_write_file(struct tsb_sandbox *box, const char *path, const void *data, size_t n,
		   uint32_t mode);
/* *data (malloc, NUL behind) is yours: free(). */
int tsb_read_file(struct tsb_sandbox *box, const char *path, void **data, size_t *n);
int tsb_make_dir(struct tsb_sandbox *box, const char *path, uint32_t mode);	/* and parents */
int tsb_make_link(struct tsb_sandbox *box, const char *target, const char *path);
int tsb_set_times(struct tsb_sandbox *box, const char *path, struct tsb_time mtime);
int tsb_stat_file(struct tsb_sandbox *box, const char *path, struct tsb_stat *st);	/* lstat */
/* The link's target: *n bytes of it in buf (cut to cap). */
int tsb_read_link(struct tsb_sandbox *box, const char *path, char *buf, size_t cap, size_t *n);
int tsb_remove(struct tsb_sandbox *box, const char *path);	/* with all below */
int tsb_remove_dir(struct tsb_sandbox *box, const char *path);	/* an empty one */
typedef int tsb_list_fn(void *ctx, const char *name, const struct tsb_stat *st);
int tsb_list(struct tsb_sandbox *box, const char *path, tsb_list_fn *fn, void *ctx);
int tsb_rename_file(struct tsb_sandbox *box, const char *from, const char *to);	/* replaces */
int tsb_set_mode(struct tsb_sandbox *box, const char *path, uint32_t mode);
int tsb_stat_target(struct tsb_sandbox *box, const char *path, struct tsb_stat *st);	/* stat */

/* An open file of the sandbox, also while runs are in progress; close it before the
 * sandbox. Results are counts or -errno. Regular files only. */
struct tsb_stream;
/* write: made with this mode, must not be there yet, and is the user's. */
int tsb_stream_open(struct tsb_sandbox *box, const char *path, bool write, uint32_t mode,
		    struct tsb_stream **out);
ssize_t tsb_stream_read(struct tsb_stream *s, void *buf, size_t n, uint64_t offset);
/* All of it, or -errno. */
int tsb_stream_write(struct tsb_stream *s, const void *data, size_t n, uint64_t offset);
int tsb_stream_stat(struct tsb_stream *s, struct tsb_stat *st);
int tsb_stream_close(struct tsb_stream *s);	/* NULL is fine */
/* Copies a file or tree of the host in, within the quotas; links are kept as
 * links, special files are refused. */
int tsb_copy_in(struct tsb_sandbox *box, const char *host_path, const char *path);

/* ---- Mounts and commands; not while a run is in progress ---- */
enum { TSB_MOUNT_READ_ONLY = 1 };
/* fs is the sandbox's from then on (freed with it). The mount point is made. */
int tsb_mount(struct tsb_sandbox *box, const char *path, struct tsb_fs *fs, unsigned flags);
int tsb_remount(struct tsb_sandbox *box, const char *path, unsigned flags);
int tsb_unmount(struct tsb_sandbox *box, const char *path);
/* cmd is borrowed and must outlive the sandbox. Replaces one of that name. */
int tsb_add_command(struct tsb_sandbox *box, const struct tsb_command *cmd);
/* All commands, sorted; NULL behind the last. */
const struct tsb_command *tsb_command_at(struct tsb_sandbox *box, size_t i);

/* ---- Snapshot and branch: files and session; O(1) ---- */
/* An independent sandbox with the same files, session, limits, commands. */
int tsb_branch(struct tsb_sandbox *box, struct tsb_sandbox **out);
/* box gets the files and the session of `from` (also a branch). */
int tsb_restore(struct tsb_sandbox *box, struct tsb_sandbox *from);
/* The same as bytes, to keep: a versioned archive with a checksum. Foreign or
 * damaged bytes are TSB_ERR_FORMAT, and nothing has changed. Variables and
 * functions of the session are kept as a script that sets them. */
int tsb_save(struct tsb_sandbox *box, tsb_output_fn *fn, void *ctx);
int tsb_load(struct tsb_sandbox *box, tsb_input_fn *fn, void *ctx);

/*
 * The sandbox's own files (not what is mounted) for a host that keeps them as they change: each
 * call writes a set of what is new since *mark, or all that is there if that is NULL, and nothing
 * if nothing is new; *mark is then what was saved. It costs what has changed, may be called while
 * runs are in progress, and sees all files at one moment. A set says by itself whether it is
 * whole. On failure *mark stays what it was.
 */
struct tsb_mark;
int tsb_save_changes(struct tsb_sandbox *box, struct tsb_mark **mark, tsb_output_fn *fn, void *ctx);
/*
 * The sandbox gets the files that the sets in data, in order, make; *used: the bytes of them, up to
 * one that is torn. None: nothing changes. *mark NULL: they begin from nothing, and no mark may
 * belong to it before; otherwise from what was loaded into that mark last. TSB_ERR_FORMAT: whole,
 * but not ours.
 */
int tsb_load_changes(struct tsb_sandbox *box, const void *data, size_t n, size_t *used,
		     struct tsb_mark **mark);
/*
 * The same without a copy of the content: data is to stay as it is until the process ends (a file that
 * nobody writes any more, mapped), and any number of sandboxes and processes share its pages. trusted:
 * it was verified before, and its checksums are not looked at again.
 */
int tsb_map_changes(struct tsb_sandbox *box, const void *data, size_t n, bool trusted, size_t *used,
		    struct tsb_mark **mark);
/*
 * A mark as an image of memory, which a process maps (privately, writable) at `at` instead of reading sets: a
 * sandbox of it begins in a moment, whatever is in it. there[n]: memory that will be mapped where it is now,
 * data of tsb_map_changes() and earlier images, which is not written again; all such data must be in it
 * (TSB_ERR_SUPPORT). at: a multiple of 16.
 */
int tsb_save_image(const struct tsb_mark *mark, uint64_t at, const struct tsb_memory *there, size_t n,
		   tsb_output_fn *fn, void *ctx);
/*
 * The sandbox gets the files of the image mapped at data, which stays there until the process ends. *mark: as
 * tsb_map_changes() makes it. TSB_ERR_FORMAT: another build's, or of another address. An image is
 * believed: one that a stranger could write must not be mapped.
 */
int tsb_map_image(struct tsb_sandbox *box, void *data, size_t n, struct tsb_mark **mark);
/* One more of the same moment; NULL: no memory. */
struct tsb_mark *tsb_mark_copy(const struct tsb_mark *mark);
void tsb_mark_free(struct tsb_mark *mark);

struct tsb_statistics {
	size_t size;
	uint64_t runs, commands;
	uint64_t fs_bytes, fs_entries;
};
int tsb_stats(struct tsb_sandbox *box, struct tsb_statistics *out);

#ifdef __GNUC__
#pragma GCC visibility pop
#endif
#ifdef __cplusplus
}
#endif

#endif
