/*
 * flock, setsid - run a command under a lock; run a command in a session of its
 * own (util-linux).
 */
#include "cmd/cmd.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "base/num.h"
#include "cmd/util.h"

enum { FLOCK_USAGE = 64, FLOCK_DATA = 65, FLOCK_NO_INPUT = 66, FLOCK_UNAVAILABLE = 69,
       FLOCK_CANNOT_CREATE = 73 };

struct flock_opts {
	int kind;
	bool nonblock, close, no_fork, verbose;
	const char *wait, *conflict, *command;
	struct tsb_proc *p;
	int64_t wait_ns;
	int conflict_status;
};

#define CMD_UTIL_LINUX .version = TSB_COMMAND_VERSION, .package = "util-linux", \
		       .package_version = "2.38.1"

static const struct tsb_opt flock_opts[] = {
	TSB_OPT_SET(struct flock_opts, kind, LOCK_SH, 's', "shared", "get a shared lock"),
	TSB_OPT_SET(struct flock_opts, kind, LOCK_EX, 'x', "exclusive",
		    "get an exclusive lock (default)"),
	TSB_OPT_SET(struct flock_opts, kind, LOCK_EX, 'e', NULL, NULL),
	TSB_OPT_SET(struct flock_opts, kind, LOCK_UN, 'u', "unlock", "remove a lock"),
	TSB_OPT_FLAG(struct flock_opts, nonblock, 'n', "nonblock", "fail rather than wait"),
	TSB_OPT_FLAG(struct flock_opts, nonblock, 0, "nb", NULL),
	TSB_OPT_STR(struct flock_opts, wait, 'w', "timeout", "secs", "wait for a limited amount of time"),
	TSB_OPT_STR(struct flock_opts, wait, 0, "wait", "secs", NULL),
	TSB_OPT_STR(struct flock_opts, conflict, 'E', "conflict-exit-code", "number",
		    "exit code after conflict or timeout"),
	TSB_OPT_FLAG(struct flock_opts, close, 'o', "close",
		     "close file descriptor before running command"),
	TSB_OPT_STR(struct flock_opts, command, 'c', "command", "command",
		    "run a single command string through the shell"),
	TSB_OPT_FLAG(struct flock_opts, no_fork, 'F', "no-fork", "execute command without forking"),
	TSB_OPT_FLAG(struct flock_opts, verbose, 0, "verbose", "increase verbosity"),
	TSB_OPT_HELP('h', NULL),
	TSB_OPT_VERSION('V', NULL),
	TSB_OPT_END
};

/* Seconds with a fraction. */
static bool flock_seconds(const char *s, int64_t *ns)
{
	char *end;
	double v = strtod(s, &end);

	if (end == s || *end || !(v >= 0) || v > 1e9)
		return false;
	*ns = (int64_t)(v * 1e9);
	return true;
}

static int flock_numbers(struct flock_opts *o)
{
	int64_t n;

	o->wait_ns = -1;
	o->conflict_status = 1;
	if (o->wait && !flock_seconds(o->wait, &o->wait_ns)) {
		tsb_warn(o->p, "invalid timeout value: '%s'", o->wait);
		return FLOCK_USAGE;
	}
	if (o->conflict) {
		if (num_i64(o->conflict, &n) != NUM_OK) {
			tsb_warn(o->p, "invalid exit code: '%s'", o->conflict);
			return FLOCK_USAGE;
		}
		if (n < 0 || n > 255) {
			tsb_warn(o->p, "exit code out of range (expected 0 to 255)");
			return FLOCK_USAGE;
		}
		o->conflict_status = (int)n;
	}
	return 0;
}

/* The lock file: made if it is not there; a directory will do. */
static int flock_open(struct flock_opts *o, const char *name, int *fd)
{
	struct tsb_stat st;
	bool is_dir = !tsb_stat(o->p, name, &st) && S_ISDIR(st.mode);

	*fd = tsb_open(o->p, name, is_dir ? O_RDONLY : O_RDONLY | O_CREAT | O_NOCTTY, 0666);
	if (*fd >= 0)
		return 0;
	tsb_warn_errno(o->p, *fd, "cannot open lock file %s", name);
	return *fd == -ENOENT || *fd == -ENOTDIR ? FLOCK_NO_INPUT :
	       *fd == -EROFS || *fd == -ENOSPC ? FLOCK_CANNOT_CREATE :
	       *fd == -ENOMEM ? 71 : FLOCK_NO_INPUT;
}

static int flock_take(struct flock_opts *o, int fd, const char *name)
{
	struct tsb_time from = tsb_clock(o->p, TSB_CLOCK_MONOTONIC), to;
	int err = tsb_flock(o->p, fd, o->kind | (o->nonblock ? LOCK_NB : 0), o->wait_ns);

	if (err == -EWOULDBLOCK) {
		if (o->verbose)
			tsb_warn(o->p, o->nonblock ? "failed to get lock" :
				 "timeout while waiting to get lock");
		return o->conflict_status + 1;
	}
	if (err < 0) {
		tsb_warn_errno(o->p, err, "%s", name);
		return FLOCK_DATA + 1;
	}
	to = tsb_clock(o->p, TSB_CLOCK_MONOTONIC);
	if (o->verbose)
		tsb_printf(o->p, "%s: getting lock took %.6f seconds\n", tsb_name(o->p),
			   (double)(to.sec - from.sec) + (double)(to.nsec - from.nsec) / 1e9);
	return 0;
}

static int flock_execute(struct flock_opts *o, int fd, const char *const *argv)
{
	struct tsb_fd_map close = { fd, -1 };
	struct tsb_spawn how = { .size = sizeof(how), .argv = argv, .fds = &close,
				 .n_fds = o->close };
	int pid, status = 0, err;

	if (o->verbose)
		tsb_printf(o->p, "%s: executing %s\n", tsb_name(o->p), argv[0]);
	tsb_flush(o->p);
	err = o->no_fork ? tsb_exec(o->p, &how) : tsb_spawn(o->p, &how, &pid);
	if (err < 0) {
		tsb_warn_errno(o->p, err, "failed to execute %s", argv[0]);
		return err == -ENOMEM ? 71 : FLOCK_UNAVAILABLE;
	}
	while (tsb_wait(o->p, pid, &status, 0) == -EINTR)
		;
	return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

static int flock_run(struct tsb_proc *p, void *opts, int argc, char **argv)
{
	const char *shell = tsb_getenv(p, "SHELL"), *words[4];
	struct flock_opts *o = opts;
	int status, fd;
	int64_t number;

	o->p = p;
	status = flock_numbers(o);
	if (status)
		return status;
	if (!argc)
		return tsb_usage(p, o->command ? "requires file name" : "not enough arguments");
	if (o->no_fork && o->close)
		return tsb_usage(p, "the --no-fork and --close options are incompatible");
	/* FILE -c TEXT: behind the file, -c is the shell's. */
	if (!o->command && argc > 1 && (!strcmp(argv[1], "-c") || !strcmp(argv[1], "--command"))) {
		if (argc != 3) {
			tsb_warn(p, "%s requires exactly one command argument", argv[1]);
			return FLOCK_USAGE;
		}
		o->command = argv[2];
	}
	if (argc == 1 && !o->command) {
		if (num_i64(argv[0], &number) != NUM_OK || number < 0 || number > INT32_MAX) {
			tsb_warn(p, "bad file descriptor: '%s'", argv[0]);
			return FLOCK_USAGE;
		}
		status = flock_take(o, (int)number, argv[0]);
		return status ? status - 1 : 0;
	}
	status = flock_open(o, argv[0], &fd);
	if (status)
		return status;
	status = flock_take(o, fd, argv[0]);
	if (status)
		return status - 1;
	if (!o->command)
		return flock_execute(o, fd, (const char *const *)argv + 1);
	words[0] = shell && *shell ? shell : "/bin/sh";
	words[1] = "-c";
	words[2] = o->command;
	words[3] = NULL;
	return flock_execute(o, fd, words);
}

static const struct flock_opts flock_defaults = { .kind = LOCK_EX };

const struct tsb_command cmd_flock = {
	CMD_UTIL_LINUX, .name = "flock",
	.synopsis = "[options] <file>|<directory> <command> [<argument>...]\n"
		    "[options] <file>|<directory> -c <command>\n"
		    "[options] <file descriptor number>",
	.summary = "Manage file locks from shell scripts.", .opts = flock_opts,
	.opts_size = sizeof(struct flock_opts), .defaults = &flock_defaults, .run = flock_run,
	.flags = TSB_OPERAND_ENDS, .usage_status = FLOCK_USAGE,
};

/* ---- setsid ---- */

struct setsid_opts {
	bool tty, fork, wait;
};

static const struct tsb_opt setsid_opts[] = {
	TSB_OPT_FLAG(struct setsid_opts, tty, 'c', "ctty",
		     "set the controlling terminal to the current one"),
	TSB_OPT_FLAG(struct setsid_opts, fork, 'f', "fork", "always fork"),
	TSB_OPT_FLAG(struct setsid_opts, wait, 'w', "wait",
		     "wait program to exit, and use the same return"),
	TSB_OPT_HELP('h', NULL),
	TSB_OPT_VERSION('V', NULL),
	TSB_OPT_END
};

static int setsid_run(struct tsb_proc *p, void *opts, int argc, char **argv)
{
	struct tsb_spawn how = { .size = sizeof(how), .argv = (const char *const *)argv,
				 .flags = TSB_SPAWN_NEW_SESSION };
	const struct setsid_opts *o = opts;
	int pid, status = 0, err;

	if (!argc)
		return tsb_usage(p, "no command specified");
	if (o->tty) {
		tsb_warn_errno(p, ENOTTY, "failed to set the controlling terminal");
		return 1;
	}
	/* A group's leader cannot: its child can. */
	if (!o->fork && tsb_getpgid(p, 0) != tsb_getpid(p)) {
		err = tsb_exec(p, &how);
	} else {
		err = tsb_spawn(p, &how, &pid);
		if (err >= 0 && !o->wait)
			return 0;
	}
	if (err < 0) {
		tsb_warn_errno(p, err, "failed to execute %s", argv[0]);
		return err == -ENOENT ? 127 : 126;
	}
	while (tsb_wait(p, pid, &status, 0) == -EINTR)
		;
	return WIFSIGNALED(status) ? status : WEXITSTATUS(status);
}

const struct tsb_command cmd_setsid = {
	CMD_UTIL_LINUX, .name = "setsid", .synopsis = "[options] <program> [arguments ...]",
	.summary = "Run a program in a new session.", .opts = setsid_opts,
	.opts_size = sizeof(struct setsid_opts), .run = setsid_run, .flags = TSB_OPERAND_ENDS,
};
