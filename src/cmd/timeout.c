/*
 * timeout - run a command with a time limit.
 *
 * The command gets a process group of its own, so that what it has started
 * ends with it. What kills the command kills this process too, where the real
 * one would have been in the same group.
 */
#include "cmd/cmd.h"

#include <errno.h>
#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include "cmd/sig.h"
#include "cmd/util.h"

enum { TIMEOUT_TIMED_OUT = 124, TIMEOUT_FAILED = 125, TIMEOUT_CANNOT_RUN = 126, TIMEOUT_NOT_FOUND = 127 };

struct timeout {
	bool preserve, foreground, verbose;
	int signal;
	double kill_after;

	struct tsb_proc *p;
	const char *command;
	int pid;
	bool timed_out;
};

/* Seconds with s, m, h or d behind; negative after a message. */
static double timeout_duration(struct tsb_proc *p, const char *s)
{
	static const struct { char letter; double factor; } units[] = {
		{ 's', 1 }, { 'm', 60 }, { 'h', 3600 }, { 'd', 86400 }
	};
	char *end;
	double v = strtod(s, &end);

	if (end != s && v >= 0 && !*end)
		return v;
	for (size_t i = 0; i < 4; i++)
		if (end != s && v >= 0 && *end == units[i].letter && !end[1])
			return v * units[i].factor;
	tsb_warn(p, "invalid time interval %s", quote_text(p, s));
	tsb_usage(p, NULL);
	return -1;
}

static int timeout_opt_signal(struct tsb_proc *p, void *opts, const struct tsb_opt *opt,
			      const char *arg)
{
	struct timeout *t = opts;

	(void)opt;
	t->signal = sig_parse(arg);
	if (t->signal >= 0)
		return 0;
	tsb_warn(p, "%s: invalid signal", quote_text(p, arg));
	return tsb_usage(p, NULL);
}

static int timeout_opt_kill(struct tsb_proc *p, void *opts, const struct tsb_opt *opt, const char *arg)
{
	struct timeout *t = opts;

	(void)opt;
	t->kill_after = timeout_duration(p, arg);
	return t->kill_after < 0 ? TIMEOUT_FAILED : 0;
}

static const struct tsb_opt timeout_opts[] = {
	TSB_OPT_FLAG(struct timeout, preserve, 0, "preserve-status",
		     "exit with the same status as COMMAND, even when the command times out"),
	TSB_OPT_FLAG(struct timeout, foreground, 0, "foreground",
		     "when not running timeout directly from a shell prompt, allow COMMAND to read "
		     "from the TTY and get TTY signals; in this mode, children of COMMAND will not be "
		     "timed out"),
	TSB_OPT_CALL(timeout_opt_kill, 0, 'k', "kill-after", "DURATION",
		     "also send a KILL signal if COMMAND is still running this long after the initial "
		     "signal was sent"),
	TSB_OPT_CALL(timeout_opt_signal, 0, 's', "signal", "SIGNAL",
		     "specify the signal to be sent on timeout; SIGNAL may be a name like 'HUP' or a "
		     "number; see 'kill -l' for a list of signals"),
	TSB_OPT_FLAG(struct timeout, verbose, 'v', "verbose",
		     "diagnose to stderr any signal sent upon timeout"),
	TSB_OPT_END
};

/* Dies of the signal, as the shell is to see it. */
static void timeout_die(struct timeout *t, int sig)
{
	tsb_signal(t->p, sig, TSB_SIG_DEFAULT);
	tsb_flush(t->p);
	tsb_kill(t->p, tsb_getpid(t->p), sig);
}

static void timeout_send(struct timeout *t, int sig)
{
	char buf[16];
	const char *name = sig_name(sig, buf);

	if (t->verbose)
		tsb_warn(t->p, "sending signal %s to command %s", name ? name : "0",
			 quote_text(t->p, t->command));
	tsb_kill(t->p, t->pid, sig);
	if (t->foreground)
		return;
	tsb_kill(t->p, -t->pid, sig);
	if (sig == SIGKILL)
		timeout_die(t, sig);
	if (sig != SIGCONT) {
		tsb_kill(t->p, t->pid, SIGCONT);
		tsb_kill(t->p, -t->pid, SIGCONT);
	}
}

/* As tsb_wait_timeout(), 0: for ever. */
static int timeout_wait(struct timeout *t, double seconds, int *status)
{
	return tsb_wait_timeout(t->p, t->pid, status, seconds <= 0 || seconds > 9e9 ? -1 :
				(int64_t)ceil(seconds * 1e9));
}

static double timeout_now(struct timeout *t)
{
	struct tsb_time now = tsb_clock(t->p, TSB_CLOCK_MONOTONIC);

	return (double)now.sec + now.nsec / 1e9;
}

/*
 * Until the command has ended: when the time is over it gets the signal, and what
 * comes for this process goes on to it, too. Once, with --kill-after: then the
 * next signal is KILL.
 */
static void timeout_watch(struct timeout *t, double limit, int *status)
{
	double end = limit > 0 ? timeout_now(t) + limit : 0;

	for (;;) {
		double left = end > 0 ? end - timeout_now(t) : 0;
		int r = end > 0 && left <= 0 ? -ETIMEDOUT : timeout_wait(t, left, status);
		int sig = r == -EINTR ? tsb_take_signal(t->p) : t->signal;

		if (r != -ETIMEDOUT && r != -EINTR)
			return;
		if (r == -EINTR && !sig)
			continue;
		if (r == -ETIMEDOUT) {
			t->timed_out = true;
			end = 0;
		}
		if (t->kill_after > 0) {
			t->signal = SIGKILL;
			end = timeout_now(t) + t->kill_after;
			t->kill_after = 0;
		}
		timeout_send(t, sig);
	}
}

static void timeout_catch(struct timeout *t)
{
	static const int signals[] = { SIGINT, SIGQUIT, SIGHUP, SIGTERM };

	for (size_t i = 0; i < sizeof(signals) / sizeof(*signals); i++)
		tsb_signal(t->p, signals[i], TSB_SIG_CATCH);
	if (t->signal > 0)
		tsb_signal(t->p, t->signal, TSB_SIG_CATCH);
}

static int timeout_status(struct timeout *t, int status)
{
	int sig = WIFSIGNALED(status) ? WTERMSIG(status) : 0;

	if (sig && !t->timed_out)
		timeout_die(t, sig);
	if (t->timed_out && !t->preserve && sig != SIGKILL)
		return TIMEOUT_TIMED_OUT;
	return sig ? sig + 128 : WEXITSTATUS(status);
}

static int timeout_run(struct tsb_proc *p, void *opts, int argc, char **argv)
{
	struct tsb_spawn how = { .size = sizeof(how) };
	struct timeout *t = opts;
	double limit;
	int status = 0, err;

	t->p = p;
	if (argc < 2)
		return tsb_usage(p, NULL);
	limit = timeout_duration(p, argv[0]);
	if (limit < 0)
		return TIMEOUT_FAILED;
	t->command = argv[1];
	how.argv = (const char *const *)argv + 1;
	how.flags = t->foreground ? 0 : TSB_SPAWN_NEW_GROUP;
	err = tsb_spawn(p, &how, &t->pid);
	if (err) {
		tsb_warn_errno(p, err, "failed to run command %s", quote_text(p, t->command));
		return err == -ENOENT ? TIMEOUT_NOT_FOUND : TIMEOUT_CANNOT_RUN;
	}
	timeout_catch(t);
	timeout_watch(t, limit, &status);
	return timeout_status(t, status);
}

static const struct timeout timeout_defaults = { .signal = SIGTERM };

const struct tsb_command cmd_timeout = {
	CMD_COREUTILS, .name = "timeout", .synopsis = "[OPTION] DURATION COMMAND [ARG]...\n[OPTION]",
	.summary = "Start COMMAND, and kill it if still running after DURATION.",
	.opts = timeout_opts, .opts_size = sizeof(struct timeout), .defaults = &timeout_defaults,
	.run = timeout_run, .flags = TSB_OPERAND_ENDS, .usage_status = TIMEOUT_FAILED,
};
