/*
 * Programs: what a path names, and how a command runs. A command's options are
 * parsed in its own process, its buffered output is flushed at its end, and a
 * write that failed is told then, as GNU's close_stdout() does. The shell runs
 * some commands inside its own process: the same, with a heap of their own that
 * is given back when they return.
 */
#include "kernel/inside.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>

#include "base/opt.h"

#define HEAD_SIZE 256		/* of a script: Linux looks no further */
#define STUB_INTERPRETER "/usr/bin/tinysandbox-command"

const char *program_base(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash && slash[1] ? slash + 1 : path;
}

/* ---- What a path names ---- */

/* `#!/bin/sh -x`: words of the first line into the process's heap. False: there
 * is no interpreter in it, or it is cut. */
static bool program_parse_line(struct tsb_proc *p, const char *head, size_t n, struct program *out)
{
	const char *end = memchr(head, '\n', n), *at = head + 2, *word;

	if (!end && n == HEAD_SIZE)
		return false;
	if (!end)
		end = head + n;
	while (at < end && (*at == ' ' || *at == '\t'))
		at++;
	word = at;
	while (at < end && *at != ' ' && *at != '\t' && *at)
		at++;
	if (at == word)
		return false;
	out->interpreter = heap_dup(proc_heap_now(p), word, (size_t)(at - word));
	while (at < end && (*at == ' ' || *at == '\t'))
		at++;
	while (end > at && (end[-1] == ' ' || end[-1] == '\t'))
		end--;
	out->argument = end > at ? heap_dup(proc_heap_now(p), at, (size_t)(end - at)) : NULL;
	return out->interpreter && (end <= at || out->argument);
}

static const struct tsb_command *program_registered(struct kernel *k, const char *name)
{
	return k->opt.programs.find ?
	       k->opt.programs.find(k->opt.programs.ctx, name, strlen(name)) : NULL;
}

/* Binary, as bash looks: a NUL before the first newline. */
static bool program_binary(const char *head, size_t n)
{
	const char *line = memchr(head, '\n', n);

	return memchr(head, '\0', line ? (size_t)(line - head) : n) != NULL;
}

static int program_classify(struct tsb_proc *p, const char *head, size_t n, struct program *out)
{
	if (n >= 2 && head[0] == '#' && head[1] == '!' && program_parse_line(p, head, n, out)) {
		out->kind = PROGRAM_SCRIPT;
		if (strcmp(out->interpreter, STUB_INTERPRETER) || !out->argument)
			return 0;
		/* A copy of an entry of /bin. */
		out->command = program_registered(p->k, out->argument);
		out->kind = PROGRAM_COMMAND;
		return out->command ? 0 : -ENOENT;
	}
	out->kind = PROGRAM_TEXT;
	return program_binary(head, n) ? -ENOEXEC : 0;
}

static int program_read_head(struct tsb_proc *p, struct call_ctx *ctx, const char *path,
			     char *head)
{
	struct vfs_file *file = NULL;
	int magic[2] = { 0, -1 };
	ssize_t n;
	int r;

	(void)p;
	/* As execve(2): a script that may be run need not be readable for this. */
	ctx->who.uid = 0;
	r = vfs_open(&ctx->c, path, O_RDONLY, 0, &file, magic);
	if (r != 0)
		return r == VFS_MAGIC ? -EACCES : r;
	n = vfs_read(file, head, HEAD_SIZE, 0);
	vfs_close(file);
	return (int)n;
}

int proc_executable(struct tsb_proc *p, const char *path, const struct tsb_command **command)
{
	const char *name = NULL;
	struct call_ctx ctx;
	int r = call_reads(p, &ctx, path);

	if (r == 0)
		r = vfs_program(&ctx.c, path, NULL, &name);
	*command = r == 0 && name ? program_registered(p->k, name) : NULL;
	return r;
}

int proc_find_program(struct tsb_proc *p, const char *path, struct program *out)
{
	const char *command = NULL;
	char head[HEAD_SIZE];
	struct call_ctx ctx;
	int r = call_reads(p, &ctx, path);

	if (r < 0)
		return r;
	*out = (struct program){ .path = path };
	r = vfs_program(&ctx.c, path, NULL, &command);
	if (r < 0)
		return r;
	if (command) {
		out->kind = PROGRAM_COMMAND;
		out->command = program_registered(p->k, command);
		return out->command ? 0 : -ENOENT;
	}
	r = program_read_head(p, &ctx, path, head);
	return r < 0 ? r : program_classify(p, head, (size_t)r, out);
}

/* ---- Running a command's function ---- */

static bool program_foreign(struct kernel *k, const struct tsb_command *cmd)
{
	return k->opt.programs.foreign && k->opt.programs.foreign(k->opt.programs.ctx, cmd);
}

static int program_call(struct tsb_proc *p, const struct tsb_command *cmd, void *opts, int argc,
			char **argv)
{
	bool foreign = program_foreign(p->k, cmd);
	void *user = p->user;
	int status;

	p->user = cmd->user;
	p->no_drop += foreign;
	p->out.held = NULL;
	status = cmd->run(p, opts, argc, argv);
	p->out.held = NULL;
	p->no_drop -= foreign;
	p->user = user;
	if (unlikely(p->canceled))
		proc_die(p, p->status);
	return status & 0xff;
}

static int program_say(struct tsb_proc *p, const struct tsb_command *cmd, bool version)
{
	const char *name = tsb_name(p);
	struct str s;

	str_init(&s, proc_heap_now(p), STR_MAX_DEFAULT);
	if (version)
		opt_version(&s, cmd, name);
	else
		opt_help(&s, cmd, name);
	tsb_put(p, s.p, s.n);
	str_end(&s);
	return 0;
}

/* Options parsed, then the function; argv with the name. */
static int program_run(struct tsb_proc *p, const struct tsb_command *cmd, int argc,
		       char *const *argv)
{
	struct tsb_command strict = *cmd;
	struct opt_parsed o;

	if (cmd->flags & TSB_RAW)
		return program_call(p, cmd, NULL, argc - 1, (char **)(uintptr_t)(argv + 1));
	/* As in POSIX's getopt(), and GNU's where it is asked to be like that. */
	if (tsb_getenv(p, "POSIXLY_CORRECT"))
		strict.flags |= TSB_OPERAND_ENDS;
	opt_parse(&o, &strict, proc_heap_now(p), p, argc, argv);
	switch (o.result) {
	case OPT_RUN:
		return program_call(p, cmd, o.opts, o.argc, o.argv);
	case OPT_HELP:
		return program_say(p, cmd, false);
	case OPT_VERSION:
		return program_say(p, cmd, true);
	case OPT_BAD:
		return tsb_usage(p, "%s", o.error.p);
	default:
		return o.status & 0xff;
	}
}

/* util-linux does not mind an output that was closed before. */
static bool program_ignores(const struct tsb_command *cmd, int error)
{
	return error == -EBADF && cmd && cmd->package && !strcmp(cmd->package, "util-linux");
}

/* Does it end with gnulib's close_stdout(), which looks at standard error, too? */
static bool program_minds(const struct tsb_command *cmd)
{
	static const char *const packages[] = { "coreutils", "grep", "findutils", "diffutils" };

	for (size_t i = 0; cmd && cmd->package && i < sizeof(packages) / sizeof(*packages); i++)
		if (!strncmp(cmd->package, "GNU ", 4) && !strcmp(cmd->package + 4, packages[i]))
			return true;
	return false;
}

/* What a program's end does: flushes, tells a failed write; the final status. */
static int program_close(struct tsb_proc *p, int status, int error_status)
{
	bool pending = p->out.n > 0;
	int error = out_flush(p);

	p->out.error = 0;
	if (program_ignores(p->cmd, error))
		return status & 0xff;
	if (!error && !(p->out.complaint_lost && program_minds(p->cmd)))
		return status & 0xff;
	p->out.complaint_lost = false;
	if (!error)
		return error_status;
	/* C's fclose() knows the reason only if it had something to write, or could not close. */
	if (pending || error == -EBADF)
		tsb_warn_errno(p, error, "write error");
	else
		tsb_warn(p, "write error");
	return error_status;
}

/* The status GNU's tools end with when their output could not be written. */
static int program_failure(const struct tsb_command *cmd)
{
	return cmd && cmd->usage_status ? cmd->usage_status : 1;
}

/* The main function of a process that runs a command. */
int program_main(struct tsb_proc *p, void *arg)
{
	const struct tsb_command *cmd = arg;

	return program_close(p, program_run(p, cmd, p->argc, p->argv), program_failure(cmd));
}

void tsb_exit(struct tsb_proc *p, int status)
{
	status = program_close(p, status, program_failure(p->cmd));
	p->no_drop = 0;		/* it asked for it */
	for (;;)
		proc_die(p, status << 8);
}
