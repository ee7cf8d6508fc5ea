/* Programs: PATH, options, scripts and their interpreters, exec, spawn, inline, stdio. */
#include "kit_fs.h"

#include <errno.h>
#include <fcntl.h>

static struct kit kit;

/* ---- Commands ---- */

static int args_run(struct tsb_proc *p, void *opts, int argc, char **argv)
{
	(void)opts;
	tsb_printf(p, "%s:", tsb_name(p));
	for (int i = 0; i < argc; i++)
		tsb_printf(p, " <%s>", argv[i]);
	tsb_puts(p, "\n");
	return 0;
}

static int bash_run(struct tsb_proc *p, void *opts, int argc, char **argv)
{
	(void)opts;
	tsb_printf(p, "%s runs", tsb_name(p));
	for (int i = 0; i < argc; i++)
		tsb_printf(p, " %s", argv[i]);
	tsb_printf(p, " X=%s\n", tsb_getenv(p, "X") ? tsb_getenv(p, "X") : "");
	return 7;
}

static int stop_option(struct tsb_proc *p, void *opts, const struct tsb_opt *opt, const char *arg);

struct opt_test { bool quiet; };
static const struct tsb_opt opt_rows[] = {
	TSB_OPT_FLAG(struct opt_test, quiet, 'q', "quiet", "say less"),
	TSB_OPT_CALL(stop_option, 0, 's', "stop", NULL, "stop"),
	TSB_OPT_END
};

static int opt_run(struct tsb_proc *p, void *opts, int argc, char **argv)
{
	const struct opt_test *o = opts;

	tsb_printf(p, "%d %d %s\n", o->quiet, argc, argc ? argv[0] : "-");
	return 0;
}

/* Fills its standard output. */
static int fill_run(struct tsb_proc *p, void *opts, int argc, char **argv)
{
	(void)opts;
	(void)argc;
	(void)argv;
	for (int i = 0; i < 2000; i++)
		tsb_puts(p, "12345");
	return 0;
}

static int execer_run(struct tsb_proc *p, void *opts, int argc, char **argv)
{
	const char *av[] = { "args", "from", "exec", NULL };
	struct tsb_spawn how = { .size = sizeof(how), .argv = av };

	(void)opts;
	(void)argc;
	(void)argv;
	tsb_puts(p, "before ");
	is_int(tsb_exec(p, &(struct tsb_spawn){ 0 }), -EFAULT, "exec of nothing");
	return -tsb_exec(p, &how);
}

/* Becomes itself again and again. */
static int again_run(struct tsb_proc *p, void *opts, int argc, char **argv)
{
	char count[20];
	const char *av[] = { "again", count, NULL };
	struct tsb_spawn how = { .size = sizeof(how), .argv = av };
	int n = argc ? atoi(argv[0]) : 0;

	(void)opts;
	if (n >= 3000)
		return 3;
	snprintf(count, sizeof(count), "%d", n + 1);
	tsb_exec(p, &how);
	return 1;
}

static int exits_run(struct tsb_proc *p, void *opts, int argc, char **argv)
{
	(void)opts;
	(void)argc;
	(void)argv;
	tsb_puts(p, "flushed\n");
	tsb_exit(p, 300 + tsb_getpgid(p, 0) - tsb_getpid(p));
}

/* exec with its own descriptors, group and directory. */
static int moves_run(struct tsb_proc *p, void *opts, int argc, char **argv)
{
	const char *av[] = { "args", NULL };
	int fd = tsb_open(p, "/tmp/moved", O_CREAT | O_WRONLY, 0644);
	struct tsb_fd_map map[] = { { 1, fd }, { 2, fd } };
	struct tsb_spawn how = { .size = sizeof(how), .argv = av, .fds = map, .n_fds = 2,
				 .cwd = "/tmp" };

	(void)opts;
	(void)argc;
	(void)argv;
	how.flags = TSB_SPAWN_NEW_GROUP | TSB_SPAWN_CLEAN_FDS;
	return -tsb_exec(p, &how);
}

static int stop_option(struct tsb_proc *p, void *opts, const struct tsb_opt *opt, const char *arg)
{
	(void)p;
	(void)opts;
	(void)opt;
	(void)arg;
	return 44;
}

#define RAW(fn) .version = 1, .run = fn, .flags = TSB_RAW
static const struct tsb_command c_again = { .name = "again", RAW(again_run) };
static const struct tsb_command c_args = { .name = "args", RAW(args_run) };
static const struct tsb_command c_bash = { .name = "bash", RAW(bash_run) };
static const struct tsb_command c_execer = { .name = "execer", RAW(execer_run) };
static const struct tsb_command c_exits = { .name = "exits", RAW(exits_run) };
static const struct tsb_command c_moves = { .name = "moves", RAW(moves_run) };
static const struct tsb_command c_fill = { .version = 1, .name = "fill", .run = fill_run,
					   .usage_status = 2 };
static const struct tsb_command c_opt = { .version = 1, .name = "opt",
	.synopsis = "[OPTION]... [FILE]", .summary = "test options",
	.opts = opt_rows, .opts_size = sizeof(struct opt_test),
	.run = opt_run, .usage_status = 2 };
static const struct tsb_command *const commands[] = { &c_again, &c_args, &c_bash, &c_execer,
						      &c_exits, &c_fill, &c_moves, &c_opt, NULL };

/* ---- Spawning ---- */

/* Spawns and waits: the status as a shell sees it, or -errno. */
static int spawn(struct tsb_proc *p, const struct tsb_spawn *how)
{
	int pid, st, r = tsb_spawn(p, how, &pid);

	if (r < 0)
		return r;
	tsb_wait(p, pid, &st, 0);
	return WIFSIGNALED(st) ? 128 + WTERMSIG(st) : WEXITSTATUS(st);
}

static int spawn_args(struct tsb_proc *p, const char *file, const char *a, const char *b)
{
	const char *argv[] = { file, a, a ? b : NULL, NULL };
	struct tsb_spawn how = { .size = sizeof(how), .argv = argv };

	return spawn(p, &how);
}

static int simple(struct tsb_proc *p, void *arg)
{
	char *path;

	(void)arg;
	is_int(spawn_args(p, "args", "a", "b"), 0, "through PATH");
	is_int(spawn_args(p, "/bin/args", NULL, NULL), 0, "by path");
	is_int(spawn_args(p, "nothing", NULL, NULL), -ENOENT, "not found");
	is_int(spawn_args(p, "/tmp", NULL, NULL), -EACCES, "a directory");
	is_int(spawn_args(p, "", NULL, NULL), -ENOENT, "an empty name");
	is_int(tsb_find_program(p, "args", &path), 0, "find");
	is_str(path, "/bin/args", "its path");
	is_int(tsb_find_program(p, NULL, &path), -EFAULT, "find of NULL");
	is_int(tsb_spawn(p, NULL, NULL), -EFAULT, "spawn of NULL");
	tsb_setenv(p, "PATH", "/tmp:");
	is_int(tsb_find_program(p, "args", &path), -ENOENT, "another PATH");
	kit_put(p, "/tmp/x", "#!/bin/args\n", 0644);
	is_int(tsb_find_program(p, "x", &path), -EACCES, "not executable");
	tsb_chdir(p, "/bin");
	is_int(tsb_find_program(p, "args", &path), 0, "an empty part of PATH");
	is_str(path, "args", "is the working directory");
	return 0;
}

static int options(struct tsb_proc *p, void *arg)
{
	(void)arg;
	is_int(spawn_args(p, "opt", "file", "-q"), 0, "options");
	is_int(spawn_args(p, "opt", "-z", NULL), 2, "a bad option");
	is_int(spawn_args(p, "/bin/opt", "--quiet=1", NULL), 2, "an argument too many");
	is_int(spawn_args(p, "opt", "--help", NULL), 0, "--help");
	is_int(spawn_args(p, "opt", "--version", NULL), 0, "--version");
	is_int(spawn_args(p, "opt", "--stop", NULL), 44, "an option that ends it");
	return 0;
}

static int scripts(struct tsb_proc *p, void *arg)
{
	const char *argv[] = { "s", "1", NULL }, *env[] = { "X=env", NULL };
	struct tsb_spawn how = { .size = sizeof(how), .file = "/tmp/s", .argv = argv, .env = env };
	char elf[] = "\177ELF\1\1";
	struct program program;
	int fd;

	(void)arg;
	kit_put(p, "/tmp/s", "#! /bin/args  -a b \necho\n", 0755);
	is_int(spawn(p, &how), 0, "an interpreter with an argument");
	kit_put(p, "/tmp/s", "#!/bin/bash\necho\n", 0755);
	is_int(spawn(p, &how), 7, "bash");
	kit_put(p, "/tmp/s", "#!/bin/sh\n", 0755);
	is_int(spawn(p, &how), 7, "sh, which is not there by itself");
	kit_put(p, "/tmp/s", "echo text\n", 0755);
	is_int(spawn(p, &how), 7, "a text");
	kit_put(p, "/tmp/s", "", 0755);
	is_int(spawn(p, &how), 7, "an empty text");
	kit_put(p, "/tmp/s", "#!\n", 0755);
	is_int(spawn(p, &how), 7, "an empty #! line is a text");
	kit_put(p, "/tmp/s", "#!/no/such\n", 0755);
	is_int(spawn(p, &how), -ENOENT, "no interpreter");
	is_int(proc_find_program(p, "/tmp/s", &program), 0, "the program itself is found");
	is_str(program.interpreter, "/no/such", "with its interpreter");
	kit_put(p, "/tmp/s", "#!/tmp/s\n", 0755);
	is_int(spawn(p, &how), -ELOOP, "its own interpreter");
	kit_put(p, "/tmp/t", "#!/bin/args inner\n", 0755);
	kit_put(p, "/tmp/s", "#!/tmp/t outer\n", 0755);
	is_int(spawn(p, &how), 0, "an interpreter that is a script");
	fd = tsb_open(p, "/tmp/bin", O_CREAT | O_WRONLY, 0755);
	tsb_write(p, fd, elf, sizeof(elf));
	tsb_close(p, fd);
	is_int(spawn_args(p, "/tmp/bin", NULL, NULL), -ENOEXEC, "a binary");
	kit_put(p, "/tmp/ls", kit_get(p, "/bin/args"), 0755);
	is_int(spawn_args(p, "/tmp/ls", "copied", NULL), 0, "a copy of a command");
	return 0;
}

static int becomes(struct tsb_proc *p, void *arg)
{
	(void)arg;
	is_int(spawn_args(p, "execer", NULL, NULL), 0, "exec");
	is_int(spawn_args(p, "again", NULL, NULL), 3, "exec 3000 times");
	is_int(spawn_args(p, "exits", NULL, NULL), 297 & 255, "exit; the 4th process in group 1");
	is_int(spawn_args(p, "moves", NULL, NULL), 0, "exec with descriptors");
	is_str(kit_get(p, "/tmp/moved"), "args:\n", "went there");
	tsb_setenv(p, "PATH", NULL);
	is_int(spawn_args(p, "args", NULL, NULL), 0, "PATH unset: the default");
	return 0;
}

static int init_execs(struct tsb_proc *p, void *arg)
{
	const char *argv[] = { "bash", "-x", NULL };
	struct tsb_spawn how = { .size = sizeof(how), .argv = argv };

	proc_on_end(p, (void (*)(void *))(uintptr_t)arg, NULL);
	tsb_exec(p, &how);
	return 0;
}

static int hook_runs;
static void hook(void *arg)
{
	(void)arg;
	hook_runs++;
}

static int descriptors(struct tsb_proc *p, void *arg)
{
	const char *argv[] = { "args", NULL };
	int fd = tsb_open(p, "/tmp/out", O_CREAT | O_WRONLY, 0644);
	struct tsb_fd_map to_file[] = { { 1, fd } }, closed[] = { { 1, -1 } };
	struct tsb_fd_map bad[] = { { 1, 99 } };
	struct tsb_spawn how = { .size = sizeof(how), .argv = argv, .fds = to_file, .n_fds = 1,
				 .cwd = "/tmp" };

	(void)arg;
	is_int(spawn(p, &how), 0, "output into a file");
	is_str(kit_get(p, "/tmp/out"), "args:\n", "is there");
	how.fds = closed;
	is_int(spawn(p, &how), 1, "a closed output");
	how.fds = to_file;
	how.flags = TSB_SPAWN_CLEAN_FDS | TSB_SPAWN_NEW_GROUP;
	is_int(spawn(p, &how), 0, "only that output");
	how.flags = 0;
	how.fds = bad;
	is_int(spawn(p, &how), -EBADF, "a bad descriptor");
	how.n_fds = 0;
	how.cwd = "/nowhere";
	is_int(spawn(p, &how), -ENOENT, "a bad directory");
	is_int(tsb_wait(p, -1, NULL, 0), -ECHILD, "failed spawns leave no child");
	return 0;
}

static int full(struct tsb_proc *p, void *arg)
{
	(void)arg;
	tsb_dup2(p, tsb_open(p, "/dev/full", O_WRONLY, 0), 1);
	is_int(spawn_args(p, "fill", NULL, NULL), 2, "a full disk is told");
	is_int(spawn_args(p, "args", NULL, NULL), 1, "with the usage status, or 1");
	return 0;
}

static int too_long(struct tsb_proc *p, void *arg)
{
	char *big = tsb_alloc(p, 200000);
	const char *argv[600] = { "args" };
	struct tsb_spawn how = { .size = sizeof(how), .argv = argv };

	(void)arg;
	memset(big, 'x', 131072);
	is_int(spawn_args(p, "args", big, NULL), -E2BIG, "one argument too long");
	big[10000] = '\0';
	for (int i = 1; i < 599; i++)
		argv[i] = big;
	is_int(spawn(p, &how), -E2BIG, "all too long");
	return 0;
}

static int environment(struct tsb_proc *p, void *arg)
{
	(void)arg;
	is_int(tsb_setenv(p, "", "x"), -EINVAL, "empty name");
	is_int(tsb_setenv(p, "a=b", "x"), -EINVAL, "= in the name");
	is_int(tsb_setenv(p, NULL, "x"), -EINVAL, "no name");
	is_int(tsb_setenv(p, "NEW", "1"), 0, "set");
	is_int(tsb_setenv(p, "X", "changed"), 0, "change");
	is_int(tsb_setenv(p, "HOME", NULL), 0, "unset");
	is_str(tsb_environ(p)[0], "PATH=/bin:/usr/bin", "the first stays");
	is_str(tsb_environ(p)[1], "X=changed", "changed in place");
	is_str(tsb_environ(p)[2], "NEW=1", "new at the end");
	ok(!tsb_environ(p)[3] && !tsb_getenv(p, "HOME"), "that is all");
	is_int(spawn_args(p, "bash", NULL, NULL), 7, "a child has it");
	is_int(tsb_clearenv(p), 0, "clear");
	ok(!tsb_environ(p)[0] && !tsb_getenv(p, "X"), "empty");
	is_str(tsb_strerror(-ENOENT), "No such file or directory", "strerror");
	is_str(tsb_strerror(ENOTEMPTY), "Directory not empty", "strerror");
	is_str(tsb_strerror(99999), "Unknown error", "strerror of nothing");
	return 0;
}

/* ---- Buffered output and input ---- */

static int buffered(struct tsb_proc *p, void *arg)
{
	struct tsb_reader r;
	char *line;
	int fd;

	(void)arg;
	tsb_puts(p, "first ");
	tsb_write(p, 1, "[written] ", 10);
	tsb_warn(p, "w%d", 1);		/* flushes */
	tsb_write(p, 1, "[after]\n", 8);
	kit_put(p, "/tmp/lines", "one\ntwo\n\nlast", 0644);
	fd = tsb_open(p, "/tmp/lines", O_RDONLY, 0);
	tsb_reader_init(&r, p, fd);
	is_int(tsb_getdelim(&r, &line, '\n'), 4, "a line");
	is_str(line, "one\n", "its text");
	is_int(tsb_getbyte(&r), 't', "a byte");
	tsb_reader_unread(&r);
	is_int(tsb_lseek(p, fd, 0, SEEK_CUR), 5, "unread moves the offset back");
	is_int(tsb_getdelim(&r, &line, '\n'), 3, "the rest");
	is_str(line, "wo\n", "of the line");
	is_int(tsb_getdelim(&r, &line, '\n'), 1, "an empty line");
	is_int(tsb_getdelim(&r, &line, '\n'), 4, "the last");
	is_str(line, "last", "without newline");
	is_int(tsb_getdelim(&r, &line, '\n'), 0, "the end");
	is_int(tsb_getbyte(&r), -1, "the end of bytes");
	tsb_reader_end(&r);
	tsb_reader_init(&r, p, 77);
	is_int(tsb_getdelim(&r, &line, '\n'), 0, "a bad descriptor");
	is_int(r.error, -EBADF, "is an error");
	return 0;
}

static int long_lines(struct tsb_proc *p, void *arg)
{
	char *big = tsb_alloc(p, 300001), *line;
	struct tsb_reader r;
	size_t n;

	(void)arg;
	memset(big, 'x', 300000);
	big[150000] = '\n';
	kit_put(p, "/tmp/long", big, 0644);
	tsb_reader_init(&r, p, tsb_open(p, "/tmp/long", O_RDONLY, 0));
	is_int(tsb_getdelim(&r, &line, '\n'), 150001, "a long line");
	n = tsb_getblock(&r, &line);
	is_int(n + tsb_getdelim(&r, &line, '\n'), 149999, "a block and the rest");
	return 0;
}

int main(void)
{
	kit_begin(&kit);
	kit.commands = commands;
	kit_mount(&kit);
	is_int(kit_run(&kit, simple, NULL), 0, "simple");
	is_str(kit.text[0], "args: <a> <b>\n/bin/args:\n", "output");
	is_int(kit.report.n_records, 2, "two records");
	is_str(kit.report.records[0].name, "args", "name");
	is_int(kit.report.records[0].pid, 2, "pid");
	is_int(kit_run(&kit, options, NULL), 0, "options");
	ok(!strncmp(kit.text[0], "1 1 file\nUsage: opt [OPTION]... [FILE]\n", 38), "output");
	is_str(kit.text[1], "opt: invalid option -- 'z'\nTry 'opt --help' for more information.\n"
	       "/bin/opt: option '--quiet' doesn't allow an argument\n"
	       "Try '/bin/opt --help' for more information.\n", "messages");
	is_int(kit_run(&kit, scripts, NULL), 0, "scripts");
	is_str(kit.text[0],
	       "/bin/args: <-a b> </tmp/s> <1>\n/bin/bash runs /tmp/s 1 X=env\n"
	       "/bin/sh runs /tmp/s 1 X=env\nbash runs /tmp/s 1 X=env\nbash runs /tmp/s 1 X=env\n"
	       "bash runs /tmp/s 1 X=env\n/bin/args: <inner> </tmp/t> <outer> </tmp/s> <1>\n"
	       "/tmp/ls: <copied>\n", "what they got");
	is_int(kit_run(&kit, becomes, NULL), 0, "exec");
	is_str(kit.text[0], "before args: <from> <exec>\nflushed\nargs:\n",
	       "output of both");
	is_int(kit_run(&kit, init_execs, (void *)(uintptr_t)hook), 7, "the first process execs");
	is_str(kit.text[0], "bash runs -x X=1\n", "output");
	is_int(hook_runs, 1, "its hook ran");
	is_int(kit_run(&kit, descriptors, NULL), 0, "descriptors");
	ok(strstr(kit.text[1], "args: write error: Bad file descriptor\n"), "message");
	is_int(kit_run(&kit, full, NULL), 0, "full");
	is_str(kit.text[1], "fill: write error: No space left on device\n"
	       "args: write error: No space left on device\n", "messages");
	is_int(kit_run(&kit, too_long, NULL), 0, "E2BIG");
	is_int(kit_run(&kit, environment, NULL), 0, "environment");
	is_str(kit.text[0], "bash runs X=changed\n", "the child's");
	is_int(kit_run(&kit, buffered, NULL), 0, "buffered");
	is_str(kit.text[0], "[written] first [after]\n", "order of output");
	is_int(kit_run(&kit, long_lines, NULL), 0, "long lines");
	kit_unmount(&kit);
	return done();
}
