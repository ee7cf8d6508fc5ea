/* Programs that were built with an older or a newer sandbox.h. */
#include "box.h"

#include <stddef.h>

/* More than the struct: what a newer header would have behind it. */
struct newer {
	union {
		struct tsb_options options;
		struct tsb_run_options run;
		struct tsb_limits limits;
		struct tsb_statistics stats;
		struct tsb_mem_options mem;
		struct tsb_spawn spawn;
	} u;
	uint64_t more[4];
};

static uint64_t *tail(struct newer *n, size_t size)
{
	return (uint64_t *)(void *)((char *)&n->u + size);
}

static void test_options(void)
{
	const char *const env[] = { "A=1", NULL };
	struct newer n = { .u.options = TSB_OPTIONS_INIT };
	struct tsb_sandbox *box;

	n.u.options.env = env;
	n.u.options.hostname = (const char *)1;	/* not there in the older one */
	n.u.options.size = offsetof(struct tsb_options, cwd);
	box = new_box(&n.u.options);
	says(box, "echo $A $(hostname) $PWD", "1 sandbox /home/user\n");
	tsb_sandbox_close(box);
	n.u.options.hostname = NULL;
	n.u.options.size = sizeof(n.u.options) + 16;
	memset(tail(&n, sizeof(n.u.options)), 0, 16);
	box = new_box(&n.u.options);
	says(box, "echo $A", "1\n");
	tsb_sandbox_close(box);
	tail(&n, sizeof(n.u.options))[1] = 1;
	is_int(tsb_sandbox_open(&box, &n.u.options), TSB_ERR_ARGUMENT, "something that is not known here");
}

static void test_limits(struct tsb_sandbox *box)
{
	struct tsb_run_options run = TSB_RUN_OPTIONS_INIT;
	struct tsb_result *res = NULL;
	struct newer n;

	memset(&n, 0x55, sizeof(n));
	tsb_limits_default_of(&n.u.limits, offsetof(struct tsb_limits, stdout_bytes));
	is_int(n.u.limits.wall_ms, 30000, "the field that an older caller has");
	is_int(n.u.limits.stdout_bytes, 0x5555555555555555, "nothing behind its struct");
	run.limits = &n.u.limits;
	is_int(tsb_run(box, "seq 1000 | wc -l", &run, &res), TSB_OK, "it runs, with what the sandbox has for the rest");
	is_str(tsb_result_out(res, NULL), "1000\n", "all of it");
	tsb_result_free(res);
	tsb_limits_default_of(&n.u.limits, sizeof(n.u.limits) + 8);
	is_int(tsb_run(box, "echo", &run, &res), TSB_OK, "a newer one");
	tsb_result_free(res);
	tail(&n, sizeof(n.u.limits))[0] = 1;
	is_int(tsb_run(box, "echo", &run, &res), TSB_ERR_ARGUMENT, "with a limit that is not known here");
}

static void test_small(struct tsb_sandbox *box)
{
	struct tsb_run_options run = TSB_RUN_OPTIONS_INIT;
	struct tsb_result *res = NULL;
	struct tsb_limits limits;

	tsb_limits_default(&limits);
	run.limits = &limits;
	limits.memory_bytes = 0;
	is_int(tsb_run(box, "echo", &run, &res), TSB_ERR_ARGUMENT, "no memory at all");
	is_str(tsb_error(box), "cannot start a run: the limit memory_bytes (0) is less than a shell begins with", "its name");
	limits.memory_bytes = 1 << 20;
	limits.descriptors = 1;
	is_int(tsb_run(box, "echo", &run, &res), TSB_ERR_ARGUMENT, "one descriptor");
	is_str(tsb_error(box), "cannot start a run: the limit descriptors (1) is less than a shell begins with", "its name");
	says(box, "echo", "\n");
}

static void test_run(struct tsb_sandbox *box)
{
	struct newer n = { .u.run = TSB_RUN_OPTIONS_INIT };
	struct tsb_result *res = NULL;

	n.u.run.name = "me";
	n.u.run.cwd = (const char *)1;
	n.u.run.size = offsetof(struct tsb_run_options, args);
	is_int(tsb_run(box, "echo $0", &n.u.run, &res), TSB_OK, "older options of a run");
	is_str(tsb_result_out(res, NULL), "me\n", "what it has is heard");
	tsb_result_free(res);
	n.u.run = (struct tsb_run_options)TSB_RUN_OPTIONS_INIT;
	n.u.run.size += 8;
	tail(&n, sizeof(n.u.run))[0] = 1;
	is_int(tsb_run(box, "echo", &n.u.run, &res), TSB_ERR_ARGUMENT, "an option that is not known");
	n.u.run.size = 3;
	is_int(tsb_run(box, "echo", &n.u.run, &res), TSB_ERR_ARGUMENT, "no size");
}

static void test_stats(struct tsb_sandbox *box)
{
	struct newer n;

	memset(&n, 0x55, sizeof(n));
	n.u.stats.size = offsetof(struct tsb_statistics, commands);
	is_int(tsb_stats(box, &n.u.stats), TSB_OK, "older statistics");
	ok(n.u.stats.runs > 0 && n.u.stats.runs < 100, "are filled");
	is_int(n.u.stats.commands, 0x5555555555555555, "and nothing behind them");
	n.u.stats.size = sizeof(n.u.stats) + 8;
	is_int(tsb_stats(box, &n.u.stats), TSB_OK, "newer ones");
	is_int(tail(&n, sizeof(n.u.stats))[0], 0, "what is not known is zero");
}

static void test_mem(void)
{
	struct newer n = { .u.mem = TSB_MEM_OPTIONS_INIT };
	struct tsb_fs *fs;

	n.u.mem.root_mode = 0;
	n.u.mem.size = offsetof(struct tsb_mem_options, root_mode);
	fs = tsb_mem_new(&n.u.mem);
	ok(fs, "older options of a filesystem");
	tsb_fs_free(fs);
	n.u.mem.size = sizeof(n.u.mem) + 8;
	tail(&n, sizeof(n.u.mem))[0] = 1;
	ok(!tsb_mem_new(&n.u.mem), "an option that is not known");
}

static int start(struct tsb_proc *p, void *opts, int argc, char **argv)
{
	static const char *const words[] = { "echo", "started", NULL };
	struct newer n = { .u.spawn = { .argv = words, .cwd = (const char *)1, .fds = (const void *)1, .n_fds = 9 } };
	int pid, status = 0;

	(void)opts;
	(void)argc;
	(void)argv;
	n.u.spawn.size = offsetof(struct tsb_spawn, cwd);
	if (tsb_spawn(p, &n.u.spawn, &pid) || tsb_wait(p, pid, &status, 0) != pid || status)
		return 1;
	n.u.spawn = (struct tsb_spawn){ .size = sizeof(struct tsb_spawn) + 8, .argv = words };
	tail(&n, sizeof(n.u.spawn))[0] = 1;
	return tsb_spawn(p, &n.u.spawn, &pid) == -EFAULT ? 0 : 2;
}

static const struct tsb_command start_command = {
	.version = TSB_COMMAND_VERSION, .name = "start", .summary = "starts", .run = start,
};

int main(void)
{
	struct tsb_sandbox *box;

	test_options();
	box = new_box(NULL);
	test_limits(box);
	test_small(box);
	test_run(box);
	test_stats(box);
	is_int(tsb_add_command(box, &start_command), TSB_OK, "a command");
	says(box, "start; echo $?", "started\n0\n");
	tsb_sandbox_close(box);
	test_mem();
	return done();
}
