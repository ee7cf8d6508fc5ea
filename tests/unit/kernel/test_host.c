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
	is_int(kernel_begin(kit.k, &kit.opt), -ENOMEM, "no memory for a run");
	kernel_finish(kit.k);
	kernel_free(NULL);
	kit_end(&kit);
	return done();
}
