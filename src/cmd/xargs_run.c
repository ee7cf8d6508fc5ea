/*
 * The commands of xargs: a command line that grows argument by argument, and
 * as many of them at once as -P allows.
 */
#include "cmd/xargs.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/wait.h>

#include "cmd/quote.h"

void xargs_exit(struct xargs *x, int status)
{
	int ignored;

	for (size_t i = 0; i < x->pids.n; i++)
		if (x->pids.at[i])
			tsb_wait(x->p, x->pids.at[i], &ignored, 0);
	tsb_exit(x->p, status);
}

/* The commands that still run are waited for, and a failure of one of them, or of
 * one before, is the status. */
void xargs_die(struct xargs *x, const char *fmt, ...)
{
	va_list ap;

	/* A short command has ended by now: what it says comes first. */
	if (x->running)
		tsb_sleep(x->p, 1000000);
	va_start(ap, fmt);
	tsb_vwarn(x->p, 0, fmt, ap);
	va_end(ap);
	xargs_wait_all(x);
	xargs_exit(x, x->status ? x->status : 1);
}

/* ---- Waiting ---- */

static void run_ended(struct xargs *x, int pid, int status)
{
	const char *name = x->args.at[0];

	for (size_t i = 0; i < x->pids.n; i++)
		if (x->pids.at[i] == pid)
			x->pids.at[i] = 0;
	x->running--;
	if (WIFSIGNALED(status)) {
		tsb_warn(x->p, "%s: terminated by signal %d", name, WTERMSIG(status));
		xargs_exit(x, x->status ? x->status : XARGS_KILLED);
	}
	if (WEXITSTATUS(status) == 255) {
		tsb_warn(x->p, "%s: exited with status 255; aborting", name);
		xargs_exit(x, x->status ? x->status : XARGS_STOPPED);
	}
	if (WEXITSTATUS(status))
		x->status = XARGS_FAILED;
}

static void run_wait(struct xargs *x, bool all)
{
	int status, pid;

	while (x->running) {
		pid = tsb_wait(x->p, -1, &status, 0);
		if (pid <= 0)
			return;
		run_ended(x, pid, status);
		if (!all)
			return;
	}
}

void xargs_wait_all(struct xargs *x)
{
	run_wait(x, true);
}

/* ---- Running ---- */

static void run_show(struct xargs *x, bool ask)
{
	struct str s;

	str_init(&s, tsb_heap_of(x->p), STR_MAX_DEFAULT);
	for (size_t i = 0; i < x->args.n; i++)
		str_addf(&s, "%s%s", i ? " " : "",
			 quote_styled(x->p, QUOTE_SHELL_ESCAPE, x->args.at[i]));
	if (!ask)
		str_addc(&s, '\n');
	tsb_write_all(x->p, 2, s.p, s.n);
	str_end(&s);
}

/* What asks wants a terminal, whatever standard input is. */
static bool run_ask(struct xargs *x)
{
	static const char question[] = "?...";
	struct tsb_reader answers;
	char *line;
	size_t n;
	bool yes;
	int fd;

	run_show(x, true);
	fd = tsb_open(x->p, "/dev/tty", O_RDONLY, 0);
	if (fd < 0) {
		tsb_warn_errno(x->p, fd == -ENOENT ? ENXIO : fd,
			       "failed to open /dev/tty for reading");
		xargs_exit(x, 1);
	}
	tsb_write_all(x->p, 2, question, sizeof(question) - 1);
	tsb_reader_init(&answers, x->p, fd);
	n = tsb_getdelim(&answers, &line, '\n');
	yes = n && (*line == 'y' || *line == 'Y');
	tsb_reader_end(&answers);
	tsb_close(x->p, fd);
	return yes;
}

/* Standard input of a command: nothing, the terminal, or (-1) ours. */
static int run_input(struct xargs *x)
{
	const char *name = x->tty ? "/dev/tty" : "/dev/null";
	int fd;

	if (!x->tty && x->file && strcmp(x->file, "-"))
		return -1;
	fd = tsb_open(x->p, name, O_RDONLY | O_CLOEXEC, 0);
	if (fd < 0 && x->tty) {
		tsb_warn_errno(x->p, fd == -ENOENT ? ENXIO : fd, "%s", quote_text(x->p, name));
		xargs_exit(x, XARGS_KILLED);
	}
	return fd;
}

/* The slot a new command gets; its number is in the environment. */
static size_t run_slot(struct xargs *x)
{
	size_t i = 0;

	while (i < x->pids.n && x->pids.at[i])
		i++;
	if (i == x->pids.n)
		*vec_add(tsb_heap_of(x->p), &x->pids) = 0;
	if (x->slot_var)
		tsb_setenv(x->p, x->slot_var, tsb_format(x->p, "%zu", i));
	return i;
}

static void run_spawn(struct xargs *x)
{
	struct tsb_spawn how = { .size = sizeof(how) };
	struct tsb_fd_map input = { 0, run_input(x) };
	size_t slot = run_slot(x);
	int err, pid;

	*vec_add(tsb_heap_of(x->p), &x->args) = NULL;
	x->args.n--;
	how.argv = (const char *const *)x->args.at;
	if (input.parent >= 0) {
		how.fds = &input;
		how.n_fds = 1;
	}
	err = tsb_spawn(x->p, &how, &pid);
	if (input.parent >= 0)
		tsb_close(x->p, input.parent);
	if (err) {
		tsb_warn_errno(x->p, err, "%s", x->args.at[0]);
		xargs_exit(x, err == -ENOENT ? XARGS_NOT_FOUND : XARGS_CANNOT_RUN);
	}
	x->pids.at[slot] = pid;
	x->running++;
}

void xargs_run_line(struct xargs *x)
{
	x->ran = true;
	while (x->max_procs && x->running >= x->max_procs)
		run_wait(x, false);
	if (!x->ask || run_ask(x)) {
		if (x->verbose && !x->ask)
			run_show(x, false);
		run_spawn(x);
	}
	xargs_clear(x);
}

void xargs_clear(struct xargs *x)
{
	while (x->args.n > x->n_initial)
		tsb_free(x->p, vec_pop(&x->args));
	x->chars = x->chars_initial;
}

void xargs_run_before_error(struct xargs *x)
{
	if (!x->hole && !x->exact && x->args.n > x->n_initial)
		xargs_run_line(x);
}

/* ---- Growing ---- */

static bool run_is_full(const struct xargs *x)
{
	return x->per_args && x->args.n - x->n_initial == x->per_args;
}

/* n: with the NULs that came in the middle, which count. */
void xargs_push(struct xargs *x, const char *arg, size_t n, bool initial)
{
	n++;

	if (x->chars + n > x->line_max) {
		if (initial || x->args.n == x->n_initial)
			xargs_die(x, "cannot fit single argument within argument list size limit");
		if (x->hole || (x->exact && (x->per_lines || x->per_args)))
			xargs_die(x, "argument list too long");
		xargs_run_line(x);
	}
	*vec_add(tsb_heap_of(x->p), &x->args) = tsb_strdup(x->p, arg);
	x->chars += n;
	if (initial) {
		x->n_initial = x->args.n;
		x->chars_initial = x->chars;
	} else if (run_is_full(x)) {
		xargs_run_line(x);
	}
}
