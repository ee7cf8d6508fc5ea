/*
 * tee - standard input to standard output and to files.
 *
 * An output that fails is dropped; the others go on, unless asked otherwise.
 */
#include "cmd/cmd.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>

#include "cmd/lines.h"
#include "cmd/util.h"

enum tee_mode { TEE_SIGPIPE, TEE_WARN, TEE_WARN_NOPIPE, TEE_EXIT, TEE_EXIT_NOPIPE };

struct tee_out {
	int fd;			/* -1: dropped */
	const char *name;
};

struct tee {
	struct tsb_proc *p;
	bool append, ignore_interrupts;
	int mode;
	struct tee_out *out;
	size_t n;
	int status;
};

static int tee_set_mode(struct tsb_proc *p, void *opts, const struct tsb_opt *opt,
			const char *arg)
{
	static const struct util_word words[] = {
		{ "warn", TEE_WARN }, { "warn-nopipe", TEE_WARN_NOPIPE }, { "exit", TEE_EXIT },
		{ "exit-nopipe", TEE_EXIT_NOPIPE }, { NULL, 0 },
	};
	struct tee *o = opts;

	(void)opt;
	o->mode = TEE_WARN_NOPIPE;
	return arg ? util_word(p, "--output-error", arg, words, &o->mode) : 0;
}

static const struct tsb_opt tee_opts[] = {
	TSB_OPT_FLAG(struct tee, append, 'a', "append",
		     "append to the given FILEs, do not overwrite"),
	TSB_OPT_FLAG(struct tee, ignore_interrupts, 'i', "ignore-interrupts",
		     "ignore interrupt signals"),
	TSB_OPT_CALL(tee_set_mode, 0, 'p', NULL, NULL,
		     "operate in a more appropriate MODE with pipes"),
	TSB_OPT_CALL_OPT(tee_set_mode, 0, 0, "output-error", "MODE",
			 "set behavior on write error: warn, warn-nopipe, exit, exit-nopipe"),
	TSB_OPT_END
};

static void tee_fail(struct tee *o, const char *name, int err)
{
	bool pipe = err == -EPIPE && (o->mode == TEE_WARN_NOPIPE || o->mode == TEE_EXIT_NOPIPE);

	if (pipe)
		return;
	tsb_warn_errno(o->p, err, "%s", quote_f(o->p, name));
	o->status = 1;
	if (o->mode == TEE_EXIT || o->mode == TEE_EXIT_NOPIPE)
		tsb_exit(o->p, 1);
}

static void tee_open(struct tee *o, const char *name)
{
	int fd = tsb_open(o->p, name, O_WRONLY | O_CREAT | O_CLOEXEC |
			  (o->append ? O_APPEND : O_TRUNC), 0666);

	/* A closed standard output must not become this file. */
	if (fd >= 0 && fd < 3) {
		int high = tsb_dup(o->p, fd, 3);

		tsb_close(o->p, fd);
		fd = high;
	}
	if (fd < 0) {
		tsb_warn_errno(o->p, fd, "%s", quote_f(o->p, name));
		o->status = 1;
		if (o->mode == TEE_EXIT || o->mode == TEE_EXIT_NOPIPE)
			tsb_exit(o->p, 1);
	}
	o->out[o->n++] = (struct tee_out){ fd, name };
}

/* Returns how many outputs are left. */
static size_t tee_write(struct tee *o, const char *data, size_t n)
{
	size_t left = 0;

	for (size_t i = 0; i < o->n; i++) {
		int err;

		if (o->out[i].fd < 0)
			continue;
		err = tsb_write_all(o->p, o->out[i].fd, data, n);
		if (err) {
			tee_fail(o, o->out[i].name, err);
			o->out[i].fd = -1;
		}
		left += o->out[i].fd >= 0;
	}
	return left;
}

static int tee_run(struct tsb_proc *p, void *opts, int argc, char **argv)
{
	struct lines in = { 0 };
	struct tee *o = opts;
	size_t left = 1;

	o->p = p;
	o->out = tsb_alloc(p, ((size_t)argc + 1) * sizeof(*o->out));
	if (o->ignore_interrupts)
		tsb_signal(p, SIGINT, TSB_SIG_IGNORE);
	if (o->mode != TEE_SIGPIPE)
		tsb_signal(p, SIGPIPE, TSB_SIG_IGNORE);
	o->out[o->n++] = (struct tee_out){ 1, "standard output" };
	for (int i = 0; i < argc; i++)
		tee_open(o, argv[i]);
	lines_open(&in, p, 0);
	while (left && lines_fill(&in)) {
		left = tee_write(o, in.buf + in.at, in.n - in.at);
		in.at = in.n;
	}
	if (in.error) {
		tsb_warn_errno(p, in.error, "read error");
		o->status = 1;
	}
	return o->status;
}

const struct tsb_command cmd_tee = {
	CMD_COREUTILS, .name = "tee",
	.synopsis = "[OPTION]... [FILE]...",
	.summary = "Copy standard input to each FILE, and also to standard output.",
	.opts = tee_opts, .opts_size = sizeof(struct tee), .run = tee_run,
};
