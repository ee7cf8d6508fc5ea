/*
 * tinysandbox/command.h - write a command that runs inside a sandbox.
 *
 * A command is a struct tsb_command: its name, its options as a table, and a
 * function. The built-in commands use nothing but this header, so what they
 * can do, yours can do; nobody inside can tell them apart.
 *
 *	struct head { const char *lines; bool quiet; };
 *	static const struct tsb_opt head_opts[] = {
 *		TSB_OPT_STR(struct head, lines, 'n', "lines", "NUM", "print the first NUM lines"),
 *		TSB_OPT_FLAG(struct head, quiet, 'q', "quiet", "never print headers"),
 *		TSB_OPT_END
 *	};
 *	static int head_run(struct tsb_proc *p, void *opts, int argc, char **argv);
 *	const struct tsb_command cmd_head = { .version = TSB_COMMAND_VERSION, .name = "head",
 *		.synopsis = "[OPTION]... [FILE]...", .summary = "print the first part of files",
 *		.opts = head_opts, .opts_size = sizeof(struct head), .run = head_run };
 *
 * struct tsb_proc is the running process, and the command's whole world: every
 * call takes it. Calls are made only from the function that got it, on its
 * thread. A process has memory of its own; everything it allocates goes when it
 * ends, so commands need no cleanup, and tsb_alloc() never returns NULL: out of
 * memory ends the process. *A built-in command's call may not return*: if the
 * process is killed (signal, broken pipe, deadline, limit) it is dropped inside
 * the call. Commands registered by an embedding program are never dropped:
 * their calls return -ECANCELED from then on until they return, and memory is
 * given beyond the limit; one that takes twice the limit is dropped too.
 *
 * Results are 0 or a count, or -errno. Paths are relative to the process's
 * working directory. The behaviour of each call is that of the system call of
 * the same name in Linux's section 2 manual unless it says otherwise.
 */
#ifndef TINYSANDBOX_COMMAND_H
#define TINYSANDBOX_COMMAND_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include <tinysandbox/vfs.h>

#ifdef __cplusplus
extern "C" {
#endif
#ifdef __GNUC__
#pragma GCC visibility push(default)
#endif

struct tsb_proc;
struct tsb_heap;

#if defined(__GNUC__)
#define TSB_PRINTF(a, b) __attribute__((format(printf, a, b)))
#define TSB_NORETURN __attribute__((noreturn))
#else
#define TSB_PRINTF(a, b)
#define TSB_NORETURN
#endif

/* ---- Options: one declaration gives parsing, --help and the manual page ---- */

enum tsb_opt_kind {
	TSB_OPTION_END,
	TSB_OPTION_FLAG,	/* bool field = true */
	TSB_OPTION_SET,		/* int field = value: of several, the last wins */
	TSB_OPTION_STR,		/* const char * field = argument */
	TSB_OPTION_LIST,	/* struct tsb_list field: every argument in order */
	TSB_OPTION_CALL,	/* call(p, opts, option, argument or NULL) */
	TSB_OPTION_HELP,	/* another name of --help ... */
	TSB_OPTION_VERSION	/* ... and of --version */
};

struct tsb_opt;
/* 0, or the exit status with which the command ends (message already given). */
typedef int tsb_opt_fn(struct tsb_proc *p, void *opts, const struct tsb_opt *opt, const char *arg);

struct tsb_list {
	const char **at;
	size_t n;
};

enum {
	TSB_ARG_OPTIONAL = 1,	/* --color[=WHEN], -i[SUFFIX]: only glued arguments */
	TSB_ARG_NONE = 2,	/* a CALL without argument */
	TSB_OPT_HIDDEN = 4,	/* parsed, not in --help (an obsolete alias) */
	TSB_OPT_DIGITS = 8,	/* the option is -NUM: its argument is the digits */
	TSB_OPT_LITERAL = 16	/* see TSB_OPT_WORD */
};

struct tsb_opt {
	enum tsb_opt_kind kind;
	int short_name;		/* a character, or 0 */
	const char *long_name;	/* without dashes, or NULL */
	const char *arg;	/* name of the argument in --help, or NULL */
	const char *help;	/* one line; NULL: an alias of the row above */
	size_t offset;
	int value;
	unsigned flags;
	tsb_opt_fn *call;
};

#define TSB_FIELD_(type, field, want) \
	(offsetof(type, field) + 0 * sizeof(((type *)0)->field == (want)0))
#define TSB_OPT_FLAG(type, field, s, l, h) \
	{ TSB_OPTION_FLAG, (s), (l), NULL, (h), TSB_FIELD_(type, field, bool), 1, 0, NULL }
#define TSB_OPT_SET(type, field, val, s, l, h) \
	{ TSB_OPTION_SET, (s), (l), NULL, (h), TSB_FIELD_(type, field, int), (val), 0, NULL }
#define TSB_OPT_STR(type, field, s, l, a, h) \
	{ TSB_OPTION_STR, (s), (l), (a), (h), TSB_FIELD_(type, field, const char *), 0, 0, NULL }
#define TSB_OPT_LIST(type, field, s, l, a, h) \
	{ TSB_OPTION_LIST, (s), (l), (a), (h), offsetof(type, field), 0, 0, NULL }
#define TSB_OPT_CALL(fn, val, s, l, a, h) \
	{ TSB_OPTION_CALL, (s), (l), (a), (h), 0, (val), (const char *)(a) ? 0 : TSB_ARG_NONE, (fn) }
/* The argument is optional: NULL when not given (glued forms only). */
#define TSB_OPT_CALL_OPT(fn, val, s, l, a, h) \
	{ TSB_OPTION_CALL, (s), (l), (a), (h), 0, (val), TSB_ARG_OPTIONAL, (fn) }
/* -5, -20: fn gets the digits. */
#define TSB_OPT_DIGITS_CALL(fn, h) \
	{ TSB_OPTION_CALL, 0, NULL, "NUM", (h), 0, 0, TSB_OPT_DIGITS, (fn) }
#define TSB_OPT_HELP(s, l) \
	{ TSB_OPTION_HELP, (s), (l), NULL, "display this help and exit", 0, 0, 0, NULL }
#define TSB_OPT_VERSION(s, l) \
	{ TSB_OPTION_VERSION, (s), (l), NULL, "output version information and exit", 0, 0, 0, NULL }
/* A word, dashes and all ("-name", "+"), of a command that parses its arguments
 * itself (TSB_RAW): only for --help and the manual page. h NULL: an alias. */
#define TSB_OPT_WORD(word, a, h) \
	{ TSB_OPTION_FLAG, 0, (word), (a), (h), 0, 0, TSB_OPT_LITERAL, NULL }
/* The same for an option by its letter and its long name. */
#define TSB_OPT_DOC(s, l, a, h) \
	{ TSB_OPTION_CALL, (s), (l), (a), (h), 0, 0, 0, NULL }
#define TSB_OPT_END { TSB_OPTION_END, 0, NULL, NULL, NULL, 0, 0, 0, NULL }

/* ---- A command ---- */

#define TSB_COMMAND_VERSION 1

/* opts: a struct of opts_size bytes, filled from the table; argv: the operands
 * only (argv[argc] is NULL), or with TSB_RAW all arguments behind the name.
 * Returns the exit status (its low 8 bits). */
typedef int tsb_run_fn(struct tsb_proc *p, void *opts, int argc, char **argv);

enum {
	TSB_RAW = 1,		/* no option parsing at all */
	TSB_OPERAND_ENDS = 2,	/* the first operand ends the options (env, timeout) */
	TSB_NO_HELP = 8		/* --help and --version are not options of it */
};

struct tsb_command {
	unsigned version;	/* TSB_COMMAND_VERSION */
	const char *name;
	const char *synopsis;	/* behind the name in the usage line; "\n" separates forms */
	const char *summary;	/* one line for --help and the manual page */
	const char *package;	/* "GNU coreutils", "9.1": what --version names; may be NULL */
	const char *package_version;
	const struct tsb_opt *opts;	/* NULL: none */
	size_t opts_size;
	const void *defaults;	/* initial opts; NULL: zeroes */
	tsb_run_fn *run;
	unsigned flags;
	int usage_status;	/* exit status of a usage error; 0 means 1 */
	void *user;		/* the embedder's, see tsb_user() */
};

/* ---- Who am I ---- */

const char *tsb_name(struct tsb_proc *p);	/* the name it was called by: argv[0] */
void *tsb_user(struct tsb_proc *p);
int tsb_getpid(struct tsb_proc *p);
int tsb_getppid(struct tsb_proc *p);
int tsb_getpgid(struct tsb_proc *p, int pid);	/* 0: own */
uint32_t tsb_getuid(struct tsb_proc *p);
uint32_t tsb_getgid(struct tsb_proc *p);
const char *tsb_hostname(struct tsb_proc *p);

/* ---- Memory: the process's, all gone when it ends; never NULL ---- */

void *tsb_alloc(struct tsb_proc *p, size_t n);		/* zeroed */
void *tsb_realloc(struct tsb_proc *p, void *old, size_t n);
void tsb_free(struct tsb_proc *p, void *old);
char *tsb_strdup(struct tsb_proc *p, const char *s);
char *tsb_strndup(struct tsb_proc *p, const char *s, size_t n);
char *tsb_format(struct tsb_proc *p, const char *fmt, ...) TSB_PRINTF(2, 3);
struct tsb_heap *tsb_heap_of(struct tsb_proc *p);	/* opaque to embedders */

/* ---- Messages and the end ---- */

/* "NAME: message\n" on descriptor 2. */
void tsb_warn(struct tsb_proc *p, const char *fmt, ...) TSB_PRINTF(2, 3);
/* "NAME: message: Strerror\n"; err positive or negative errno. */
void tsb_warn_errno(struct tsb_proc *p, int err, const char *fmt, ...) TSB_PRINTF(3, 4);
void tsb_vwarn(struct tsb_proc *p, int err, const char *fmt, va_list ap) TSB_PRINTF(3, 0);
/* tsb_warn() and "Try 'NAME --help' for more information."; the usage status. */
int tsb_usage(struct tsb_proc *p, const char *fmt, ...) TSB_PRINTF(2, 3);	/* fmt may be NULL */
const char *tsb_strerror(int err);			/* Linux's texts, locale-free */
/* Ends the process: flushes, closes. */
void tsb_exit(struct tsb_proc *p, int status) TSB_NORETURN;

/* ---- Budget: every loop that may be long calls it (built-ins: per line, per
 * 64 KiB, per 1000 turns). n: steps done since the last tick. ---- */
void tsb_tick(struct tsb_proc *p, size_t n);

/* ---- Buffered standard output ----
 * As C's stdout on a pipe: 4096 bytes, written when full, by tsb_flush(), at the
 * end, and before a spawn. A failed write is kept: the process's end then warns
 * "NAME: write error: ..." and turns status 0 into 1, as GNU's tools do. */
void tsb_put(struct tsb_proc *p, const void *data, size_t n);
void tsb_puts(struct tsb_proc *p, const char *s);
void tsb_putc(struct tsb_proc *p, int c);
void tsb_printf(struct tsb_proc *p, const char *fmt, ...) TSB_PRINTF(2, 3);
int tsb_flush(struct tsb_proc *p);			/* 0, or the kept -errno */
/* For a command with a buffer of its own before this one: until its function returns, put()
 * is called before each message of tsb_warn() and its kin, so that both keep their order. */
void tsb_before_messages(struct tsb_proc *p, void (*put)(void *arg), void *arg);
int tsb_out_error(struct tsb_proc *p);			/* the kept -errno, or 0 */
/* For a command that tells of the failure itself: what is kept and buffered goes. */
void tsb_out_forget(struct tsb_proc *p);

/* ---- Buffered input ---- */
struct tsb_reader {
	struct tsb_proc *p;
	int fd;
	int error;		/* -errno of a failed read, or 0 */
	bool eof;
	char *buf;
	size_t at, n, cap;
	int held;		/* the byte a record's NUL stands on; -1: none */
};
/* Takes a 64 KiB buffer at the first read. fd is not closed by it. */
void tsb_reader_init(struct tsb_reader *r, struct tsb_proc *p, int fd);
/* Next record up to and with `delim` (the last may lack it): its length, 0 at
 * the end or on error. *line is borrowed until the next call, and NUL-terminated. */
size_t tsb_getdelim(struct tsb_reader *r, char **line, int delim);
/* More raw bytes: what is buffered, or one read. As tsb_getdelim() else. */
size_t tsb_getblock(struct tsb_reader *r, char **data);
int tsb_getbyte(struct tsb_reader *r);			/* -1 at the end or on error */
/* Moves the descriptor's offset back over what is buffered and not consumed,
 * where it is seekable (as GNU head and sed -n q do). */
void tsb_reader_unread(struct tsb_reader *r);
void tsb_reader_end(struct tsb_reader *r);	/* gives the buffer back; the error stays */

/* ---- Descriptors ---- */
/* flags: Linux's O_*; O_CLOEXEC keeps it from spawned processes. Never 0, 1 or 2: a command whose
 * standard input is closed must not take a file for it (GNU's tools take the same care). */
int tsb_open(struct tsb_proc *p, const char *path, int flags, uint32_t mode);
int tsb_close(struct tsb_proc *p, int fd);
ssize_t tsb_read(struct tsb_proc *p, int fd, void *buf, size_t n);
ssize_t tsb_write(struct tsb_proc *p, int fd, const void *buf, size_t n);
/* Until all is written: 0 or -errno. */
int tsb_write_all(struct tsb_proc *p, int fd, const void *buf, size_t n);
ssize_t tsb_pread(struct tsb_proc *p, int fd, void *buf, size_t n, uint64_t offset);
ssize_t tsb_pwrite(struct tsb_proc *p, int fd, const void *buf, size_t n, uint64_t offset);
int64_t tsb_lseek(struct tsb_proc *p, int fd, int64_t offset, int whence);
int tsb_ftruncate(struct tsb_proc *p, int fd, uint64_t size);
int tsb_fsync(struct tsb_proc *p, int fd);
int tsb_fstat(struct tsb_proc *p, int fd, struct tsb_stat *st);
int tsb_fsetattr(struct tsb_proc *p, int fd, const struct tsb_setattr *set);
int tsb_dup(struct tsb_proc *p, int fd, int at_least);	/* fcntl F_DUPFD */
int tsb_dup2(struct tsb_proc *p, int from, int to);
int tsb_pipe(struct tsb_proc *p, int fd[2]);
int tsb_fcntl_flags(struct tsb_proc *p, int fd);	/* O_RDONLY..., O_APPEND */
int tsb_set_cloexec(struct tsb_proc *p, int fd, bool on);
bool tsb_isatty(struct tsb_proc *p, int fd);
/*
 * A terminal's settings, Linux's bits and characters (<termios.h>; cc by VINTR ...). All descriptors
 * of a run that are a terminal are the same one. -ENOTTY. The host is told of a change: whether
 * typed bytes are echoed, edited and made signals is up to it (TSB_EVENT_TERMINAL in sandbox.h).
 */
struct tsb_termios {
	uint32_t iflag, oflag, cflag, lflag;
	uint32_t ispeed, ospeed;	/* bits a second */
	uint8_t line, cc[32];
};
struct tsb_winsize {
	uint16_t rows, columns;		/* 0: not known */
};
int tsb_tcgetattr(struct tsb_proc *p, int fd, struct tsb_termios *out);
/* flush: what was typed and is not read is dropped (TCSAFLUSH). */
int tsb_tcsetattr(struct tsb_proc *p, int fd, bool flush, const struct tsb_termios *set);
/* The same, until tsb_tty_return() or the end of the process, however it comes: then the settings are
 * again what they were before the first of these. */
int tsb_tty_borrow(struct tsb_proc *p, int fd, const struct tsb_termios *set);
void tsb_tty_return(struct tsb_proc *p);
int tsb_get_winsize(struct tsb_proc *p, int fd, struct tsb_winsize *out);
/* The processes in front get SIGWINCH if it changes. */
int tsb_set_winsize(struct tsb_proc *p, int fd, const struct tsb_winsize *size);
/* flock(2): LOCK_SH, LOCK_EX, LOCK_UN of <sys/file.h>, with LOCK_NB or until
 * timeout_ns are over (< 0: for ever): -EWOULDBLOCK. */
int tsb_flock(struct tsb_proc *p, int fd, int operation, int64_t timeout_ns);
/* Waits until fd has input or its end: 1; 0 after timeout_ns (< 0: for ever).
 * The writing end of a pipe that nobody reads: -EPIPE. */
int tsb_poll_in(struct tsb_proc *p, int fd, int64_t timeout_ns);

/* ---- Files ---- */
int tsb_stat(struct tsb_proc *p, const char *path, struct tsb_stat *st);
int tsb_lstat(struct tsb_proc *p, const char *path, struct tsb_stat *st);
enum { TSB_X_OK = 1, TSB_W_OK = 2, TSB_R_OK = 4, TSB_F_OK = 0 };
int tsb_access(struct tsb_proc *p, const char *path, int mode);
int tsb_mkdir(struct tsb_proc *p, const char *path, uint32_t mode);	/* umask applies */
int tsb_mknod(struct tsb_proc *p, const char *path, uint32_t mode, uint64_t rdev);
int tsb_symlink(struct tsb_proc *p, const char *target, const char *path);
int tsb_link(struct tsb_proc *p, const char *from, const char *to, bool follow);
int tsb_rename(struct tsb_proc *p, const char *from, const char *to, unsigned flags);
int tsb_unlink(struct tsb_proc *p, const char *path);
int tsb_rmdir(struct tsb_proc *p, const char *path);
ssize_t tsb_readlink(struct tsb_proc *p, const char *path, char *buf, size_t cap);
int tsb_setattr(struct tsb_proc *p, const char *path, const struct tsb_setattr *set, bool follow);
int tsb_truncate(struct tsb_proc *p, const char *path, uint64_t size);
int tsb_statfs(struct tsb_proc *p, const char *path, struct tsb_statfs *out);
/* Where path's filesystem is mounted: borrowed until the next call. */
const char *tsb_mount_of(struct tsb_proc *p, const char *path);
/* Directories: *dir is the process's; entries without "." and ".."; the entry
 * is borrowed until the next call; NULL at the end, or where reading failed
 * (tsb_dir_error(): -errno, else 0). tsb_closedir() is optional. */
struct tsb_dir;
int tsb_opendir(struct tsb_proc *p, const char *path, struct tsb_dir **dir);
const struct tsb_dirent *tsb_readdir(struct tsb_dir *dir);
int tsb_dir_error(const struct tsb_dir *dir);
void tsb_closedir(struct tsb_dir *dir);
/* All names of a directory, sorted bytewise, NULL-terminated. */
int tsb_listdir(struct tsb_proc *p, const char *path, char ***names, size_t *n);
/* Working directory: absolute, no links; borrowed until tsb_chdir(). */
const char *tsb_getcwd(struct tsb_proc *p);
int tsb_chdir(struct tsb_proc *p, const char *path);
uint32_t tsb_umask(struct tsb_proc *p, uint32_t mask);	/* sets; the old one */
/* Absolute, links resolved; *out from tsb_alloc(). TSB_REAL_*: what may be missing. */
enum { TSB_REAL_ALL_EXIST = 0, TSB_REAL_LAST_MAY_MISS = 1, TSB_REAL_ANY_MAY_MISS = 2 };
int tsb_realpath(struct tsb_proc *p, const char *path, int missing, char **out);

/* ---- Environment: NAME=VALUE strings, the process's own copy. What tsb_getenv()
 * gives is borrowed until the environment is changed, by whatever name. ---- */
const char *tsb_getenv(struct tsb_proc *p, const char *name);
int tsb_setenv(struct tsb_proc *p, const char *name, const char *value);	/* NULL: unset */
int tsb_clearenv(struct tsb_proc *p);
const char *const *tsb_environ(struct tsb_proc *p);	/* NULL-terminated; until changed */

/* ---- Other processes ---- */
struct tsb_fd_map {
	int child, parent;	/* parent -1: closed in the child */
};
enum {
	TSB_SPAWN_NEW_GROUP = 1,
	TSB_SPAWN_CLEAN_FDS = 2,	/* only what fds names, not 0, 1, 2 */
	TSB_SPAWN_NEW_SESSION = 4	/* setsid(2); -EPERM for tsb_exec() of a group's leader */
};
struct tsb_spawn {
	size_t size;		/* sizeof(struct tsb_spawn) */
	const char *file;	/* NULL: argv[0]. Without a slash: searched in PATH */
	const char *const *argv;
	const char *const *env;	/* NULL: the caller's */
	const char *cwd;	/* NULL: the caller's */
	const struct tsb_fd_map *fds;	/* applied in order, on top of 0, 1, 2 */
	size_t n_fds;
	unsigned flags;
};
/* Starts a program: a command, or a script by its #! line, or a text for sh.
 * *pid is a child to wait for. -ENOENT, -EACCES, -EAGAIN (process limit) ... */
int tsb_spawn(struct tsb_proc *p, const struct tsb_spawn *how, int *pid);
/* As posix_spawnp's search: the path that tsb_spawn() would run. */
int tsb_find_program(struct tsb_proc *p, const char *name, char **path);
/* This process becomes the program; returns only on failure. */
int tsb_exec(struct tsb_proc *p, const struct tsb_spawn *how);
/* waitpid(2): pid > 0 or -1; *status as <sys/wait.h> reads it. flags: WNOHANG. */
int tsb_wait(struct tsb_proc *p, int pid, int *status, int flags);
/* As tsb_wait(), at most timeout_ns: -ETIMEDOUT. */
int tsb_wait_timeout(struct tsb_proc *p, int pid, int *status, int64_t timeout_ns);
/* What the children waited for have used, as getrusage(RUSAGE_CHILDREN). */
struct tsb_usage {
	uint64_t user_ns, system_ns;
	uint64_t memory_peak;	/* bytes, of the largest of them */
};
void tsb_usage_children(struct tsb_proc *p, struct tsb_usage *out);
int tsb_kill(struct tsb_proc *p, int pid, int sig);	/* 0, -pgid, -1 as kill(2) */
enum { TSB_SIG_DEFAULT, TSB_SIG_IGNORE, TSB_SIG_CATCH };
int tsb_signal(struct tsb_proc *p, int sig, int disposition);	/* the old one */
/* The next caught signal that has come, taken; 0: none. While one is there, calls
 * that would wait return -EINTR. */
int tsb_take_signal(struct tsb_proc *p);
/* getpriority(2), setpriority(2) of one process (0: own): -20 to 19. Only kept and
 * shown: all processes get the same turns. -EACCES: less than it is, without root. */
int tsb_get_nice(struct tsb_proc *p, int pid, int *nice);
int tsb_set_nice(struct tsb_proc *p, int pid, int nice);

/* ---- Time and chance ---- */
/* TSB_CLOCK_FILES is real time as new files get it: the machine's last tick, later than what another process got. */
enum { TSB_CLOCK_REAL, TSB_CLOCK_MONOTONIC, TSB_CLOCK_PROCESS, TSB_CLOCK_FILES };
struct tsb_time tsb_clock(struct tsb_proc *p, int clock);
int tsb_sleep(struct tsb_proc *p, int64_t ns);
void tsb_random(struct tsb_proc *p, void *buf, size_t n);

#ifdef __GNUC__
#pragma GCC visibility pop
#endif
#ifdef __cplusplus
}
#endif

#endif
