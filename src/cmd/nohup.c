/*
 * nohup - run a command that ignores hangups, with its output kept from the
 * terminal.
 */
#include "cmd/cmd.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>

#include "cmd/util.h"

enum { NOHUP_FAILED = 125, NOHUP_CANNOT_RUN = 126, NOHUP_NOT_FOUND = 127 };

/* nohup.out here, or else at home: its descriptor, or negative after messages. */
static int nohup_output(struct tsb_proc *p, bool ignoring)
{
	const char *home = tsb_getenv(p, "HOME"), *name = "nohup.out";
	const char *away = home ? tsb_format(p, "%s/nohup.out", home) : NULL;
	int flags = O_CREAT | O_WRONLY | O_APPEND, fd = tsb_open(p, name, flags, 0600), err = fd;

	if (fd < 0 && away)
		fd = tsb_open(p, away, flags, 0600);
	if (fd < 0) {
		tsb_warn_errno(p, err, "failed to open %s", quote_af(p, name));
		if (away)
			tsb_warn_errno(p, fd, "failed to open %s", quote_af(p, away));
		return fd;
	}
	if (err < 0)
		name = away;
	tsb_warn(p, ignoring ? "ignoring input and appending output to %s"
			     : "appending output to %s", quote_af(p, name));
	return fd;
}

static int nohup_redirect(struct tsb_proc *p)
{
	bool in = tsb_isatty(p, 0), out = tsb_isatty(p, 1), errors = tsb_isatty(p, 2);
	int fd;

	if (in) {
		fd = tsb_open(p, "/dev/null", O_WRONLY, 0);
		if (fd < 0 || tsb_dup2(p, fd, 0) < 0)
			return NOHUP_FAILED;
		if (!out && !errors)
			tsb_warn(p, "ignoring input");
	}
	if (out || (errors && tsb_fcntl_flags(p, 1) < 0)) {
		fd = nohup_output(p, in);
		if (fd < 0)
			return NOHUP_FAILED;
		tsb_dup2(p, fd, 1);
	}
	if (errors) {
		if (!out)
			tsb_warn(p, in ? "ignoring input and redirecting stderr to stdout"
				       : "redirecting stderr to stdout");
		tsb_dup2(p, 1, 2);
	}
	return 0;
}

static int nohup_run(struct tsb_proc *p, void *opts, int argc, char **argv)
{
	struct tsb_spawn how = { .size = sizeof(how), .argv = (const char *const *)argv };
	int status, err, messages = -1;

	(void)opts;
	if (!argc)
		return util_missing_operand(p);
	if (tsb_isatty(p, 2)) {
		messages = tsb_dup(p, 2, 3);
		if (messages >= 0)
			tsb_set_cloexec(p, messages, true);
	}
	status = nohup_redirect(p);
	if (status)
		return status;
	tsb_signal(p, SIGHUP, TSB_SIG_IGNORE);
	err = tsb_exec(p, &how);
	if (messages >= 0)
		tsb_dup2(p, messages, 2);
	tsb_warn_errno(p, err, "failed to run command %s", quote_af(p, argv[0]));
	return err == -ENOENT ? NOHUP_NOT_FOUND : NOHUP_CANNOT_RUN;
}

const struct tsb_command cmd_nohup = {
	CMD_COREUTILS, .name = "nohup", .synopsis = "COMMAND [ARG]...\nOPTION",
	.summary = "Run COMMAND, ignoring hangup signals.",
	.run = nohup_run, .flags = TSB_OPERAND_ENDS, .usage_status = NOHUP_FAILED,
};
