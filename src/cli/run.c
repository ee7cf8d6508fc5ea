/*
 * Running one script for the command line: its output goes to ours as it comes,
 * its input is ours; with --json all is captured and printed as one object.
 * Ctrl-C cancels the run.
 */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/cli.h"
#include "cli/json.h"

/* What the signal handler may touch; set while a run is on. */
static struct tsb_cancel *volatile running;

static void on_interrupt(int sig)
{
	(void)sig;
	if (running)
		tsb_cancel_now(running);
}

static int write_out(void *ctx, int fd, const void *data, size_t n)
{
	const char *p = data;

	(void)ctx;
	while (n) {
		ssize_t done = write(fd, p, n);

		if (done < 0 && errno == EINTR)
			continue;
		if (done < 0)
			return -1;	/* our reader is gone: so is the need to go on */
		p += done;
		n -= (size_t)done;
	}
	return 0;
}

static ssize_t read_in(void *ctx, void *buf, size_t n)
{
	ssize_t got = read(0, buf, n);

	(void)ctx;
	return got < 0 ? -errno : got;
}

char *cli_read_all(int fd, const char *name, size_t *n)
{
	size_t cap = 65536;
	char *p = malloc(cap);
	ssize_t got = 0;

	*n = 0;
	while (p && (got = read(fd, p + *n, cap - *n)) > 0) {
		char *more = p;

		*n += (size_t)got;
		if (*n == cap && !(more = realloc(p, cap *= 2)))
			free(p);
		p = more;
	}
	if (!p || got < 0) {
		cli_error("cannot read %s: %s", name, p ? strerror(errno) : "no memory");
		free(p);
		return NULL;
	}
	return p;
}

static int print_json(const struct tsb_result *r)
{
	json_t *object = json_result(r);
	int rc = json_dumpf(object, stdout, JSON_COMPACT | JSON_REAL_PRECISION(12));

	json_decref(object);
	fputc('\n', stdout);
	return rc || fflush(stdout) ? 1 : 0;
}

int cli_run(const struct cli *cli, struct tsb_sandbox *box, const char *script, size_t n,
	    enum tsb_script kind, const char *name, const char *const *args)
{
	struct tsb_run_options opt = TSB_RUN_OPTIONS_INIT;
	struct sigaction act = { .sa_handler = on_interrupt }, old;
	struct tsb_result *r;
	int rc, status;

	opt.name = name;
	opt.script = kind;
	opt.args = args;
	opt.input_fn = read_in;
	opt.output_fn = cli->json ? NULL : write_out;
	opt.cancel = tsb_cancel_new();
	opt.terminal = !cli->json && isatty(0) && isatty(1);
	running = opt.cancel;
	sigaction(SIGINT, &act, &old);
	rc = tsb_run_bytes(box, script, n, &opt, &r);
	sigaction(SIGINT, &old, NULL);
	running = NULL;
	tsb_cancel_free(opt.cancel);
	if (rc)
		return cli_error("%s", tsb_error(box));
	status = tsb_result_status(r);
	if (cli->json && print_json(r))
		status = cli_error("cannot write the result: %s", strerror(errno));
	tsb_result_free(r);
	return status;
}
