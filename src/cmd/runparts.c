/*
 * run-parts - run the scripts and programs in a directory, in order of names
 * (debianutils).
 */
#include "cmd/cmd.h"
#include "cmd/rawopt.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "base/num.h"
#include "cmd/util.h"
#include "text/regex.h"

struct runparts {
	bool test, list, verbose, debug, report, reverse, exit_on_error, use_stdin, lsb, new_session;
	const char *pattern, *umask;
	struct tsb_list args;
	struct tsb_proc *p;
	const char *dir;
	struct regex *re;
	int status;
};

static const struct tsb_opt runparts_opts[] = {
	TSB_OPT_FLAG(struct runparts, test, 0, "test",
		     "print script names which would run, but don't run them."),
	TSB_OPT_FLAG(struct runparts, list, 0, "list",
		     "print names of all valid files (can not be used with --test)"),
	TSB_OPT_FLAG(struct runparts, verbose, 'v', "verbose",
		     "print script names before running them."),
	TSB_OPT_FLAG(struct runparts, debug, 'd', "debug", "print script names while checking them."),
	TSB_OPT_FLAG(struct runparts, report, 0, "report",
		     "print script names if they produce output."),
	TSB_OPT_FLAG(struct runparts, reverse, 0, "reverse", "reverse execution order of scripts."),
	TSB_OPT_FLAG(struct runparts, exit_on_error, 0, "exit-on-error",
		     "exit as soon as a script returns with a non-zero exit code."),
	TSB_OPT_FLAG(struct runparts, use_stdin, 0, "stdin",
		     "multiplex stdin to scripts being run, using temporary file"),
	TSB_OPT_FLAG(struct runparts, lsb, 0, "lsbsysinit",
		     "validate filenames based on LSB sysinit specs."),
	TSB_OPT_FLAG(struct runparts, new_session, 0, "new-session",
		     "run each script in a separate process session"),
	TSB_OPT_STR(struct runparts, pattern, 0, "regex", "PATTERN",
		    "validate filenames based on POSIX ERE pattern PATTERN."),
	TSB_OPT_STR(struct runparts, umask, 'u', "umask", "UMASK",
		    "sets umask to UMASK (octal), default is 022."),
	TSB_OPT_LIST(struct runparts, args, 'a', "arg", "ARGUMENT",
		     "pass ARGUMENT to scripts, use once for each argument."),
	TSB_OPT_HELP('h', NULL),
	TSB_OPT_VERSION('V', NULL),
	TSB_OPT_END
};

static bool runparts_valid(const struct runparts *o, const char *name)
{
	static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-";

	if (o->re)
		return regex_match(o->re, name, strlen(name), 0, 0, NULL, 0) == REGEX_MATCH;
	return *name && !name[strspn(name, letters)];
}

/* What it prints goes through here, so that its name can come first. */
static void runparts_report(struct runparts *o, const char *path, int fd)
{
	bool first = true;
	char buf[1024];
	ssize_t n;

	while ((n = tsb_read(o->p, fd, buf, sizeof(buf))) > 0) {
		if (first && !o->verbose)
			tsb_printf(o->p, "%s:\n", path);
		first = false;
		tsb_put(o->p, buf, (size_t)n);
	}
	tsb_flush(o->p);
	tsb_close(o->p, fd);
}

/* The shell's kindness to files without "#!" is not the kernel's. */
static bool runparts_is_program(struct runparts *o, const char *path)
{
	int fd = tsb_open(o->p, path, O_RDONLY | O_CLOEXEC, 0);
	char head[4];
	ssize_t n = fd < 0 ? 0 : tsb_read(o->p, fd, head, sizeof(head));

	if (fd < 0)
		return true;
	tsb_close(o->p, fd);
	return n >= 2 && (!memcmp(head, "#!", 2) || (n == 4 && !memcmp(head, "\177ELF", 4)));
}

static int runparts_spawn(struct runparts *o, const char *path, int out)
{
	struct tsb_fd_map map = { 1, out };
	struct tsb_spawn how = { .size = sizeof(how), .file = path,
				 .fds = &map, .n_fds = out >= 0,
				 .flags = o->new_session ? TSB_SPAWN_NEW_SESSION : 0 };
	const char **argv = tsb_alloc(o->p, (o->args.n + 2) * sizeof(*argv));
	int pid, err;

	argv[0] = path;
	for (size_t i = 0; i < o->args.n; i++)
		argv[i + 1] = o->args.at[i];
	how.argv = argv;
	err = tsb_spawn(o->p, &how, &pid);
	return err < 0 ? err : pid;
}

static void runparts_one(struct runparts *o, const char *path)
{
	int pipe[2] = { -1, -1 }, pid, status = 0;

	if (o->verbose)
		tsb_warn(o->p, "executing %s", path);
	if (!runparts_is_program(o, path)) {
		tsb_warn_errno(o->p, ENOEXEC, "failed to exec %s", path);
		tsb_warn(o->p, "%s exited with return code 1", path);
		o->status = 1;
		return;
	}
	if (o->report && tsb_pipe(o->p, pipe) < 0)
		return;
	if (o->report)
		tsb_set_cloexec(o->p, pipe[0], true);
	pid = runparts_spawn(o, path, pipe[1]);
	if (o->report) {
		tsb_close(o->p, pipe[1]);
		runparts_report(o, path, pipe[0]);
	}
	if (pid < 0) {
		tsb_warn_errno(o->p, pid, "failed to exec %s", path);
		o->status = 1;
		return;
	}
	while (tsb_wait(o->p, pid, &status, 0) == -EINTR)
		;
	if (WIFEXITED(status) && !WEXITSTATUS(status))
		return;
	o->status = 1;
	if (WIFSIGNALED(status))
		tsb_warn(o->p, "%s exited because of uncaught signal %d", path, WTERMSIG(status));
	else
		tsb_warn(o->p, "%s exited with return code %d", path, WEXITSTATUS(status));
}

static void runparts_visit(struct runparts *o, const char *name)
{
	char *path = tsb_format(o->p, "%s/%s", o->dir, name);
	struct tsb_stat st;
	int err;

	if (!runparts_valid(o, name))
		return;
	if (o->debug) {
		const char *text = tsb_format(o->p, "Considering file %s\n", path);

		tsb_write_all(o->p, 2, text, strlen(text));
	}
	err = tsb_stat(o->p, path, &st);
	if (err) {
		tsb_warn_errno(o->p, err, "failed to stat component %s", path);
		return;
	}
	if (!S_ISREG(st.mode))
		return;
	if (o->list) {
		tsb_printf(o->p, "%s\n", path);
	} else if (!tsb_access(o->p, path, TSB_X_OK)) {
		if (o->test)
			tsb_printf(o->p, "%s\n", path);
		else
			runparts_one(o, path);
	}
}

static int runparts_usage(struct tsb_proc *p, const char *message)
{
	static const char text[] = "Try `run-parts --help' for more information.\n";

	tsb_warn(p, "%s", message);
	tsb_flush(p);
	tsb_write_all(p, 2, text, sizeof(text) - 1);
	return 1;
}

static bool runparts_umask(struct runparts *o)
{
	uint32_t mask = 0;

	for (const char *at = o->umask ? o->umask : "022"; *at; at++) {
		if (*at < '0' || *at > '7' || mask > 0777) {
			tsb_warn(o->p, "bad umask value");
			return false;
		}
		mask = mask * 8 + (uint32_t)(*at - '0');
	}
	tsb_umask(o->p, mask & 0777);
	return true;
}

static int runparts_run(struct tsb_proc *p, void *opts, int argc, char **argv)
{
	struct opt_parsed got;
	struct runparts *o;
	const char *error = NULL;
	char **names;
	size_t n;
	int err;

	(void)opts;
	if (!rawopt_parse_as(p, &cmd_run_parts, argc, argv, &got, &err, runparts_usage))
		return err;
	o = got.opts;
	argc = got.argc;
	argv = got.argv;
	o->p = p;
	if (!runparts_umask(o))
		return 1;
	if (argc != 1)
		return runparts_usage(p, "missing operand");
	if (o->list && o->test)
		return runparts_usage(p, "--list and --test can not be used together");
	if (o->pattern) {
		o->re = regex_compile(tsb_heap_of(p), o->pattern, strlen(o->pattern), REGEX_EXTENDED,
				      &error);
		if (!o->re || error) {
			tsb_warn(p, "failed to compile regular expression: %s", error ? error : "");
			return 1;
		}
	}
	o->dir = argv[0];
	err = tsb_listdir(p, o->dir, &names, &n);
	if (err < 0) {
		tsb_warn_errno(p, err, "failed to open directory %s", o->dir);
		return 1;
	}
	for (size_t i = 0; i < n; i++) {
		runparts_visit(o, names[o->reverse ? n - 1 - i : i]);
		tsb_flush(p);
		if (o->status && o->exit_on_error)
			break;
	}
	return o->status;
}

const struct tsb_command cmd_run_parts = {
	.version = TSB_COMMAND_VERSION, .package = "debianutils", .package_version = "5.7",
	.name = "run-parts", .synopsis = "[OPTION]... DIRECTORY",
	.summary = "Run scripts or programs in a directory.", .opts = runparts_opts,
	.opts_size = sizeof(struct runparts), .run = runparts_run, .flags = TSB_RAW,
};
