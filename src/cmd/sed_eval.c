/*
 * e: text becomes a command of the shell. Its output is read through a pipe, so
 * that it comes out in its place among ours.
 */
#include "cmd/sed.h"

#include <string.h>

/* Runs the command; returns the end of a pipe to read. */
static int eval_start(struct sed *s, const char *command, int *pid)
{
	const char *argv[] = { "sh", "-c", command, NULL };
	struct tsb_fd_map map = { 1, -1 };
	struct tsb_spawn how = { .size = sizeof(how), .file = "/bin/sh", .argv = argv,
				 .fds = &map, .n_fds = 1 };
	int fd[2], r;

	sed_out_flush(s, &s->standard);
	r = tsb_pipe(s->p, fd);
	if (r < 0)
		sed_panic(s, "error in subprocess");
	tsb_set_cloexec(s->p, fd[0], true);
	tsb_set_cloexec(s->p, fd[1], true);
	map.parent = fd[1];
	r = tsb_spawn(s->p, &how, pid);
	tsb_close(s->p, fd[1]);
	if (r < 0)
		sed_panic(s, "error in subprocess");
	return fd[0];
}

static void eval_end(struct sed *s, int fd, int pid)
{
	int status;

	tsb_close(s->p, fd);
	tsb_wait(s->p, pid, &status, 0);
}

void sed_eval_pattern(struct sed *s)
{
	struct sed_space *sp = &s->pattern;
	struct lines in = { 0 };
	int pid, fd;

	sed_space_addc(s, sp, '\0');
	fd = eval_start(s, sp->at, &pid);
	lines_open(&in, s->p, fd);
	sed_space_clear(sp);
	while (lines_fill(&in)) {
		sed_space_add(s, sp, in.buf + in.at, in.n - in.at);
		in.at = in.n;
	}
	tsb_free(s->p, in.buf);
	eval_end(s, fd, pid);
	if (sp->n && sp->at[sp->n - 1] == (char)s->delim)
		sp->n--;
}

enum sed_flow sed_do_eval(struct sed *s, struct sed_cmd *cmd)
{
	struct lines in = { 0 };
	int pid, fd;

	if (!cmd->text.n) {
		sed_eval_pattern(s);
		s->pattern.no_newline = false;
		return SED_NEXT;
	}
	/* The newline behind it is no part of the command. */
	if (cmd->text.p[cmd->text.n - 1] == '\n')
		*(char *)(uintptr_t)&cmd->text.p[cmd->text.n - 1] = '\0';
	fd = eval_start(s, cmd->text.p, &pid);
	lines_open(&in, s->p, fd);
	while (lines_fill(&in)) {
		sed_out_text(s, s->to, in.buf + in.at, in.n - in.at);
		in.at = in.n;
	}
	tsb_free(s->p, in.buf);
	eval_end(s, fd, pid);
	return SED_NEXT;
}
