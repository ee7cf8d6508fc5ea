/*
 * ifne, pee, chronic, mispipe, combine - small tools for pipelines (moreutils).
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/wait.h>

#include "base/map.h"
#include "base/str.h"
#include "cmd/cmd.h"
#include "cmd/lines.h"
#include "cmd/util.h"

#define MOREUTILS .version = TSB_COMMAND_VERSION, .package = "moreutils", .package_version = "0.67"

static void more_say(struct tsb_proc *p, const char *text)
{
	tsb_flush(p);
	tsb_write_all(p, 2, text, strlen(text));
}

static int more_wait(struct tsb_proc *p, int pid)
{
	int status = 0;

	tsb_wait(p, pid, &status, 0);
	return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

/* ---- ifne ---- */

static void ifne_copy(struct tsb_proc *p, const char *data, size_t n, int to)
{
	struct tsb_reader in;
	char *more;

	tsb_reader_init(&in, p, 0);
	while (n && tsb_write_all(p, to, data, n) >= 0) {
		n = tsb_getblock(&in, &more);
		data = more;
	}
}

static int ifne_start(struct tsb_proc *p, char **argv, int fd[2], int *pid)
{
	struct tsb_fd_map map[2];
	struct tsb_spawn how = { .size = sizeof(how), .argv = (const char *const *)argv, .fds = map,
				 .n_fds = fd ? 2 : 0 };
	int err;

	if (fd) {
		err = tsb_pipe(p, fd);
		if (err < 0)
			return err;
		map[0] = (struct tsb_fd_map){ 0, fd[0] };
		map[1] = (struct tsb_fd_map){ fd[1], -1 };
	}
	err = tsb_spawn(p, &how, pid);
	if (err < 0)
		more_say(p, tsb_format(p, "%s: %s\n", argv[0], tsb_strerror(err)));
	if (fd)
		tsb_close(p, fd[0]);
	return err;
}

static int ifne_run(struct tsb_proc *p, void *opts, int argc, char **argv)
{
	bool empty = argc > 0 && !strcmp(argv[0], "-n");
	char first[4096];
	int fd[2], pid;
	ssize_t n;

	(void)opts;
	argv += empty;
	if (argc <= empty) {
		more_say(p, "Usage: ifne [-n] command [args]\n");
		return 1;
	}
	n = tsb_read(p, 0, first, sizeof(first));
	if (n < 0) {
		more_say(p, tsb_format(p, "read: %s\n", tsb_strerror((int)n)));
		return 1;
	}
	if (empty != !n) {
		if (n)
			ifne_copy(p, first, (size_t)n, 1);
		return 0;
	}
	if (ifne_start(p, argv, n ? fd : NULL, &pid) < 0)
		return 1;
	if (n) {
		ifne_copy(p, first, (size_t)n, fd[1]);
		tsb_close(p, fd[1]);
	}
	return more_wait(p, pid);
}

const struct tsb_command cmd_ifne = {
	MOREUTILS, .name = "ifne", .synopsis = "[-n] command [args]",
	.summary = "Run command if the standard input is not empty.", .run = ifne_run, .flags = TSB_RAW,
};

/* ---- pee ---- */

struct pee_end {
	int fd, pid;
};

static int pee_start(struct tsb_proc *p, const char *command, struct pee_end *e)
{
	const char *argv[] = { "sh", "-c", command, NULL };
	struct tsb_fd_map map[2];
	struct tsb_spawn how = { .size = sizeof(how), .file = "/bin/sh", .argv = argv, .fds = map,
				 .n_fds = 2 };
	int fd[2], err = tsb_pipe(p, fd);

	if (err < 0)
		return err;
	map[0] = (struct tsb_fd_map){ 0, fd[0] };
	map[1] = (struct tsb_fd_map){ fd[1], -1 };
	err = tsb_spawn(p, &how, &e->pid);
	tsb_close(p, fd[0]);
	tsb_set_cloexec(p, fd[1], true);
	e->fd = fd[1];
	return err;
}

static int pee_close(struct tsb_proc *p, const struct pee_end *ends, int n)
{
	int status = 0, one;

	for (int i = 0; i < n; i++) {
		if (ends[i].fd >= 0)
			tsb_close(p, ends[i].fd);
		one = 0;
		tsb_wait(p, ends[i].pid, &one, 0);
		status |= WIFEXITED(one) ? WEXITSTATUS(one) : 1;
	}
	return status;
}

/* Its options stand in front, and are whole words. */
static int pee_options(char **argv, bool *stay, bool *tell)
{
	int i = 0;

	*stay = true;
	*tell = false;
	for (; argv[i]; i++) {
		bool off = !strncmp(argv[i], "--no-", 5);
		const char *name = off ? argv[i] + 5 : argv[i] + 2;

		if (argv[i][0] != '-' || argv[i][1] != '-')
			break;
		if (!strcmp(name, "ignore-sigpipe"))
			*stay = !off;
		else if (!strcmp(name, "ignore-write-errors"))
			*tell = off;
		else
			break;
	}
	return i;
}

static int pee_run(struct tsb_proc *p, void *opts, int argc, char **argv)
{
	struct pee_end *ends = tsb_alloc(p, ((size_t)argc + 1) * sizeof(*ends));
	struct tsb_reader in;
	bool stay, tell;
	int left, used;
	char *data;
	size_t n;

	(void)opts;
	used = pee_options(argv, &stay, &tell);
	argv += used;
	left = argc -= used;
	for (int i = 0; i < argc; i++) {
		int err = pee_start(p, argv[i], &ends[i]);

		if (err < 0) {
			more_say(p, tsb_format(p, "Can not open pipe to '%s': %s\n", argv[i],
					       tsb_strerror(err)));
			return 1;
		}
	}
	if (stay)
		tsb_signal(p, SIGPIPE, TSB_SIG_IGNORE);
	tsb_reader_init(&in, p, 0);
	while ((n = tsb_getblock(&in, &data)))
		for (int i = 0; i < argc; i++) {
			if (ends[i].fd < 0 || tsb_write_all(p, ends[i].fd, data, n) >= 0)
				continue;
			tsb_close(p, ends[i].fd);
			ends[i].fd = -1;
			if (tell)
				more_say(p, tsb_format(p, "Write error to `%s'\n", argv[i]));
			if (tell || !--left) {	/* nobody is left to hear it */
				pee_close(p, ends, argc);
				return 1;
			}
		}
	return pee_close(p, ends, argc);
}

const struct tsb_command cmd_pee = {
	MOREUTILS, .name = "pee", .synopsis = "COMMAND...",
	.summary = "Give standard input to several commands.", .run = pee_run, .flags = TSB_RAW,
};

/* ---- chronic ---- */

struct chronic {
	bool errors, verbose;
};

static const struct tsb_opt chronic_opts[] = {
	TSB_OPT_FLAG(struct chronic, errors, 'e', NULL, "output on standard error counts as a failure"),
	TSB_OPT_FLAG(struct chronic, verbose, 'v', NULL, "say what is standard output, what standard error"),
	TSB_OPT_END
};

/* Output that nobody may want to see goes into files without a name. */
static int chronic_file(struct tsb_proc *p)
{
	unsigned char r[8];
	char *name;
	int fd;

	tsb_random(p, r, sizeof(r));
	name = tsb_format(p, "/tmp/chronic%02x%02x%02x%02x%02x%02x%02x%02x", r[0], r[1], r[2], r[3], r[4],
			  r[5], r[6], r[7]);
	fd = tsb_open(p, name, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	if (fd >= 0)
		tsb_unlink(p, name);
	return fd;
}

static void chronic_show(struct tsb_proc *p, int fd, int to)
{
	char *buf = tsb_alloc(p, 65536);
	ssize_t n;

	tsb_flush(p);
	tsb_lseek(p, fd, 0, 0);
	while ((n = tsb_read(p, fd, buf, 65536)) > 0 && tsb_write_all(p, to, buf, (size_t)n) >= 0)
		;
	tsb_free(p, buf);
}

static void chronic_tell(struct tsb_proc *p, const struct chronic *o, const int fd[2], int status)
{
	if (o->verbose)
		tsb_puts(p, "STDOUT:\n");
	chronic_show(p, fd[0], 1);
	if (o->verbose)
		tsb_puts(p, "\nSTDERR:\n");
	chronic_show(p, fd[1], 2);
	if (o->verbose)
		tsb_printf(p, "\nRETVAL: %d\n", status);
}

static int chronic_run(struct tsb_proc *p, void *opts, int argc, char **argv)
{
	const struct chronic *o = opts;
	int fd[2], pid, status = 0;
	bool told;
	struct tsb_fd_map map[2];
	struct tsb_spawn how = { .size = sizeof(how), .argv = (const char *const *)argv, .fds = map,
				 .n_fds = 2 };

	if (!argc) {
		more_say(p, "usage: chronic COMMAND...\n");
		return 255;
	}
	fd[0] = chronic_file(p);
	fd[1] = chronic_file(p);
	if (fd[0] < 0 || fd[1] < 0) {
		tsb_warn_errno(p, fd[0] < 0 ? fd[0] : fd[1], "cannot keep the output");
		return 1;
	}
	map[0] = (struct tsb_fd_map){ 1, fd[0] };
	map[1] = (struct tsb_fd_map){ 2, fd[1] };
	if (tsb_spawn(p, &how, &pid) < 0) {
		const char *path = tsb_getenv(p, "PATH");
		struct str s;

		str_init(&s, tsb_heap_of(p), STR_MAX_DEFAULT);
		for (; path && *path; path++)
			str_adds(&s, *path == ':' ? ", " : (char[]){ *path, '\0' });
		more_say(p, tsb_format(p, "Command '%s' not found in %s at /usr/bin/chronic line 69.\n",
				       argv[0], s.p));
		return 2;
	}
	tsb_wait(p, pid, &status, 0);
	told = o->errors && tsb_lseek(p, fd[1], 0, 2) > 0;
	if (status || told)
		chronic_tell(p, o, fd, WIFEXITED(status) ? WEXITSTATUS(status) : 0);
	return WIFSIGNALED(status) ? 1 : status ? WEXITSTATUS(status) : told ? 2 : 0;
}

const struct tsb_command cmd_chronic = {
	MOREUTILS, .name = "chronic", .synopsis = "[-ev] COMMAND...",
	.summary = "Run a command quietly unless it fails.", .opts = chronic_opts,
	.opts_size = sizeof(struct chronic), .run = chronic_run, .flags = TSB_OPERAND_ENDS,
};

/* ---- mispipe ---- */

static int mispipe_run(struct tsb_proc *p, void *opts, int argc, char **argv)
{
	const char *first[] = { "sh", "-c", argc ? argv[0] : "", NULL };
	const char *second[] = { "sh", "-c", argc > 1 ? argv[1] : "", NULL };
	int fd[2], pid[2], status;
	struct tsb_fd_map map[2];
	struct tsb_spawn how = { .size = sizeof(how), .file = "/bin/sh", .argv = first, .fds = map,
				 .n_fds = 2 };

	(void)opts;
	if (argc != 2) {
		more_say(p, "mispipe: Wrong number of args, aborting\n");
		return 1;
	}
	if (tsb_pipe(p, fd) < 0)
		return 1;
	map[0] = (struct tsb_fd_map){ 1, fd[1] };
	map[1] = (struct tsb_fd_map){ fd[0], -1 };
	if (tsb_spawn(p, &how, &pid[0]) < 0)
		return 1;
	how.argv = second;
	map[0] = (struct tsb_fd_map){ 0, fd[0] };
	map[1] = (struct tsb_fd_map){ fd[1], -1 };
	if (tsb_spawn(p, &how, &pid[1]) < 0)
		return 1;
	tsb_close(p, fd[0]);
	tsb_close(p, fd[1]);
	status = more_wait(p, pid[0]);
	more_wait(p, pid[1]);
	return status;
}

const struct tsb_command cmd_mispipe = {
	MOREUTILS, .name = "mispipe", .synopsis = "COMMAND1 COMMAND2",
	.summary = "Pipe two commands, with the exit status of the first.", .run = mispipe_run,
	.flags = TSB_RAW,
};

/* ---- combine ---- */

struct combine {
	struct tsb_proc *p;
	struct map seen[2];	/* the lines of each file */
};

/* The lines of a file that are in the other one, or not; without a set: all. */
static int combine_file(struct combine *c, const char *name, struct map *keep, const struct map *only,
			bool in)
{
	int fd = !strcmp(name, "-") ? 0 : tsb_open(c->p, name, O_RDONLY | O_CLOEXEC, 0);
	struct tsb_reader r;
	char *line;
	size_t n;

	if (fd < 0) {
		more_say(c->p, tsb_format(c->p, "%s: %s\n", name, tsb_strerror(fd)));
		return -fd;	/* as Perl dies */
	}
	tsb_reader_init(&r, c->p, fd);
	while ((n = tsb_getdelim(&r, &line, '\n'))) {
		size_t len = n - (line[n - 1] == '\n');

		tsb_tick(c->p, 1);
		if (keep) {
			map_put(keep, line, len)->value = c;
			continue;
		}
		if (only && (map_find(only, line, len) != NULL) != in)
			continue;
		tsb_put(c->p, line, len);
		tsb_putc(c->p, '\n');
	}
	if (fd)
		tsb_close(c->p, fd);
	return 0;
}

static int combine_do(struct combine *c, char op, const char *a, const char *b)
{
	int status;

	if (op == 'o') {
		status = combine_file(c, a, NULL, NULL, true);
		return status ? status : combine_file(c, b, NULL, NULL, true);
	}
	status = combine_file(c, b, &c->seen[1], NULL, true);
	if (!status)
		status = combine_file(c, a, NULL, &c->seen[1], op == 'a');
	if (!status && op == 'x')
		status = combine_file(c, a, &c->seen[0], NULL, true);
	if (!status && op == 'x')
		status = combine_file(c, b, NULL, &c->seen[0], false);
	return status;
}

static int combine_run(struct tsb_proc *p, void *opts, int argc, char **argv)
{
	static const char *const names[] = { "and", "not", "or", "xor" };
	struct combine c = { .p = p };

	(void)opts;
	if (argc != 3) {
		more_say(p, "Usage: combine file1 OP file2\n");
		return 255;
	}
	map_init(&c.seen[0], tsb_heap_of(p));
	map_init(&c.seen[1], tsb_heap_of(p));
	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (!strcasecmp(argv[1], names[i]))
			return combine_do(&c, *names[i], argv[0], argv[2]);
	more_say(p, tsb_format(p, "unknown operation, %s\n", argv[1]));
	return 255;
}

const struct tsb_command cmd_combine = {
	MOREUTILS, .name = "combine", .synopsis = "file1 and|not|or|xor file2",
	.summary = "Combine the lines of two files with a boolean operation.", .run = combine_run,
	.flags = TSB_RAW,
};
