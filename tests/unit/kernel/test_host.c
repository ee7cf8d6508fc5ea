/* The host's side: a terminal, failing output, callbacks on the caller's stack, no files. */
#include "kit.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>

static struct kit kit;
static char *stack_here;
static long stack_distance;
static int writes;

static int near_output(void *ctx, int fd, const void *data, size_t n)
{
	char *at = __builtin_frame_address(0);

	stack_distance = at > stack_here ? at - stack_here : stack_here - at;
	writes++;
	return kit_output(ctx, fd, data, n);
}

static int failing_output(void *ctx, int fd, const void *data, size_t n)
{
	(void)ctx;
	(void)fd;
	(void)data;
	(void)n;
	return ++writes == 3;
}

static ssize_t one_line(void *ctx, void *buf, size_t n)
{
	char *at = __builtin_frame_address(0);

	stack_distance = at > stack_here ? at - stack_here : stack_here - at;
	if (!n || (*(int *)ctx)++)
		return 0;
	memcpy(buf, "x", 1);
	return 1;
}

static int terminal(struct tsb_proc *p, void *arg)
{
	struct tsb_stat st;
	char c;

	(void)arg;
	ok(tsb_isatty(p, 0) && tsb_isatty(p, 1) && tsb_isatty(p, 2), "a terminal");
	ok(!tsb_isatty(p, 3) && !tsb_isatty(p, -1), "nothing else");
	tsb_fstat(p, 1, &st);
	ok(S_ISCHR(st.mode), "a device");
	tsb_puts(p, "a");
	is_int(writes, 0, "no line yet");
	tsb_puts(p, "b\n");
	is_int(writes, 1, "a line is written");
	tsb_putc(p, 'c');
	tsb_putc(p, '\n');
	is_int(writes, 2, "another");
	is_int(tsb_read(p, 1, &c, 1), 1, "a terminal goes both ways");
	is_int(tsb_write(p, 0, "d", 1), 1, "also for writing");
	ok(stack_distance < 100000, "on the caller's stack");
	return 0;
}

static int no_terminal(struct tsb_proc *p, void *arg)
{
	char c;

	(void)arg;
	ok(!tsb_isatty(p, 1), "no terminal");
	is_int(tsb_read(p, 1, &c, 1), -EBADF, "output is not read");
	is_int(tsb_write(p, 0, "x", 1), -EBADF, "input is not written");
	is_int(tsb_read(p, 0, &c, 1), 1, "a byte");
	is_int(tsb_read(p, 0, &c, 1), 0, "the end");
	ok(stack_distance < 100000, "on the caller's stack");
	is_int(tsb_open(p, "/x", O_RDONLY, 0), -ENOMEM, "without a filesystem");
	return 0;
}

/* Every call with a path says so when there is no filesystem. */
static int no_files(struct tsb_proc *p, void *arg)
{
	struct tsb_setattr set = { 0 };
	struct tsb_statfs fs;
	struct tsb_stat st;
	struct tsb_dir *dir;
	char buf[9], *real;

	(void)arg;
	is_int(tsb_stat(p, "/", &st), -ENOMEM, "stat");
	is_int(tsb_lstat(p, "/", &st), -ENOMEM, "lstat");
	is_int(tsb_access(p, "/", 0), -ENOMEM, "access");
	is_int(tsb_mkdir(p, "/x", 0), -ENOMEM, "mkdir");
	is_int(tsb_mknod(p, "/x", 0, 0), -ENOMEM, "mknod");
	is_int(tsb_symlink(p, "x", "/x"), -ENOMEM, "symlink");
	is_int(tsb_link(p, "/x", "/y", false), -ENOMEM, "link");
	is_int(tsb_rename(p, "/x", "/y", 0), -ENOMEM, "rename");
	is_int(tsb_unlink(p, "/x"), -ENOMEM, "unlink");
	is_int(tsb_rmdir(p, "/x"), -ENOMEM, "rmdir");
	is_int(tsb_readlink(p, "/x", buf, 9), -ENOMEM, "readlink");
	is_int(tsb_setattr(p, "/x", &set, true), -ENOMEM, "setattr");
	is_int(tsb_truncate(p, "/x", 0), -ENOMEM, "truncate");
	is_int(tsb_statfs(p, "/x", &fs), -ENOMEM, "statfs");
	is_int(tsb_chdir(p, "/x"), -ENOMEM, "chdir");
	is_int(tsb_realpath(p, "/x", 0, &real), -ENOMEM, "realpath");
	is_int(tsb_opendir(p, "/x", &dir), -ENOMEM, "opendir");
	is_int(tsb_find_program(p, "/x", &real), -ENOMEM, "find program");
	ok(!tsb_mount_of(p, "/x"), "mount of");
	return 0;
}

static int clocks(struct tsb_proc *p, void *arg)
{
	struct tsb_time a, b, u;

	a = tsb_clock(p, TSB_CLOCK_MONOTONIC);
	for (int i = 0; i < 10000000; i++)
		tsb_tick(p, 1);
	b = tsb_clock(p, TSB_CLOCK_MONOTONIC);
	u = tsb_clock(p, TSB_CLOCK_PROCESS);
	ok(b.sec > a.sec || (b.sec == a.sec && b.nsec > a.nsec), "it goes on");
	ok(u.sec > 0 || u.nsec > 0, "so does the process's");
	a = tsb_clock(p, TSB_CLOCK_REAL);
	ok(a.nsec >= 0 && a.nsec < 1000000000, "nanoseconds are positive");
	ok(arg ? a.sec < 0 : a.sec > 1500000000, "the date");
	return 0;
}

static int writer(struct tsb_proc *p, void *arg)
{
	(void)arg;
	for (;;)
		tsb_write(p, 1, "x", 1);
	return 0;
}

static int parent_of_writer(struct tsb_proc *p, void *arg)
{
	int st;

	kit_child(p, -1, -1, writer, arg);
	tsb_wait(p, -1, &st, 0);
	return 0;
}

int main(void)
{
	int turns = 0;

	stack_here = __builtin_frame_address(0);
	kit_begin(&kit);
	kit.opt.io.output = near_output;
	kit.opt.io.input = one_line;
	kit.opt.io.input_ctx = &turns;
	is_int(kit_run(&kit, no_terminal, NULL), 0, "no terminal");
	is_int(kit_run(&kit, no_files, NULL), 0, "no filesystem");
	is_int(kit_run(&kit, clocks, NULL), 0, "clocks");
	kit.opt.virtual_time = true;
	kit.opt.start_sec = -100;
	is_int(kit_run(&kit, clocks, &turns), 0, "before 1970");
	kit.opt.virtual_time = false;
	kit.opt.io.terminal = true;
	turns = 0;
	is_int(kit_run(&kit, terminal, NULL), 0, "terminal");
	is_str(kit.text[0], "ab\nc\nd", "output");
	kit.opt.io.output = failing_output;
	writes = 0;
	is_int(kit_run(&kit, writer, NULL), 130, "failing output stops the run");
	is_int(kit.report.stop, TSB_STOP_CANCEL, "as a cancel");
	is_int(writes, 3, "at once");
	writes = 0;
	is_int(kit_run(&kit, parent_of_writer, NULL), 130, "also of a child");
	kit.limits.descriptors = 2;
	ok(kernel_begin(kit.k, &kit.opt) == 0 &&
	   !kernel_init_proc(kit.k, "x", "/", NULL, NULL), "no room for 0, 1, 2");
	kernel_finish(kit.k);
	kit.limits.memory_bytes = 100;
	ok(kernel_begin(kit.k, &kit.opt) == 0 &&
	   !kernel_init_proc(kit.k, "x", "/", NULL, NULL), "no memory for a run");
	kernel_finish(kit.k);
	kernel_free(NULL);
	kit_end(&kit);
	return done();
}
