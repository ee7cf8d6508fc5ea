/* Callers that are hostile, hasty or wrong: they are told, and nothing breaks. */
#include "box.h"

#include <pthread.h>

#include <tinysandbox/js.h>

static struct tsb_sandbox *box_in_use;

static void limits(void)
{
	static const char deep[] = "echo $(echo $(echo $((((((1))))))))";
	struct tsb_options opt = TSB_OPTIONS_INIT;
	struct tsb_result *res = NULL;
	struct tsb_limits l;
	struct tsb_sandbox *box;

	is_int(tsb_limit_set(NULL, "wall_ms", "1"), TSB_ERR_ARGUMENT, "no limits");
	tsb_limits_default(&l);
	is_int(tsb_limit_set(&l, NULL, "1"), TSB_ERR_ARGUMENT, "no name");
	is_int(tsb_limit_set(&l, "wall_ms", NULL), TSB_ERR_ARGUMENT, "no value");
	for (size_t i = 0; tsb_limit_name(i, NULL, NULL, NULL); i++) {
		const char *name = tsb_limit_name(i, NULL, NULL, NULL);

		if (strcmp(name, "pipe_bytes") && strcmp(name, "wall_ms"))
			tsb_limit_set(&l, name, "18446744073709551615");
	}
	opt.limits = &l;
	box = new_box(&opt);
	is_int(says(box, "x=$(printf %1000000s); echo ${#x}", "1000000\n"), 0, "as much as there is");
	says(box, deep, "1\n");
	is_int(says(box, "js -e 'console.log(7)'", "7\n"), 0, "js too");
	says(box, "x=$(printf '{ %.0s' {1..9000}); eval \"$x\" 2>/dev/null; echo $?", "2\n");
	tsb_sandbox_close(box);
	box = new_box(NULL);
	is_int(tsb_run_bytes(box, "x", SIZE_MAX, NULL, &res), TSB_OK, "a script without end");
	is_str(tsb_result_limit(res), "source_bytes", "the limit is named");
	tsb_result_free(res);
	tsb_sandbox_close(box);
}

static void options(void)
{
	const char *const no_value[] = { "A=1", "B", NULL }, *const no_name[] = { "=x", NULL };
	struct tsb_options opt = TSB_OPTIONS_INIT;
	struct tsb_run_options run = TSB_RUN_OPTIONS_INIT;
	struct tsb_sandbox *box = NULL;
	struct tsb_result *res = NULL;

	opt.env = no_value;
	is_int(tsb_sandbox_open(&box, &opt), TSB_ERR_ARGUMENT, "env without =");
	opt.env = no_name;
	is_int(tsb_sandbox_open(&box, &opt), TSB_ERR_ARGUMENT, "env without a name");
	opt.env = NULL;
	opt.hostname = "two words";
	is_int(tsb_sandbox_open(&box, &opt), TSB_ERR_ARGUMENT, "a name of no host");
	opt.hostname = NULL;
	opt.cwd = "/work";
	opt.session = true;
	box = new_box(&opt);
	is_int(tsb_run(box, "pwd", NULL, &res), TSB_ERR_FILE, "its directory is not there");
	is_str(tsb_error(box), "cannot open /work: No such file or directory", "the sentence");
	is_int(tsb_make_dir(box, "/work", 0), TSB_OK, "made");
	says(box, "pwd; mkdir a; cd a", "/work\n");
	says(box, "pwd; rmdir /work/a", "/work/a\n");
	says(box, "echo on", "on\n");
	run.cwd = "/nowhere";
	is_int(tsb_run(box, "pwd", &run, &res), TSB_ERR_FILE, "nor the run's");
	run.cwd = NULL;
	run.env = no_value;
	is_int(tsb_run(box, "env", &run, &res), TSB_ERR_ARGUMENT, "nor its environment");
	run.env = NULL;
	run.name = "me";
	is_int(tsb_run(box, "echo $0; nosuch", &run, &res), TSB_OK, "a name in a session");
	is_str(tsb_result_out(res, NULL), "me\n", "$0");
	is_str(tsb_result_err(res, NULL), "me: line 1: nosuch: command not found\n", "and in messages");
	tsb_result_free(res);
	tsb_sandbox_close(box);
}

static void removal(void)
{
	struct tsb_sandbox *box = new_box(NULL);

	is_int(tsb_remove(box, "//"), TSB_ERR_FILE, "the root by another name");
	is_int(tsb_remove(box, "/tmp/.."), TSB_ERR_FILE, "and another");
	is_int(tsb_remove(box, "/"), TSB_ERR_ARGUMENT, "the root");
	is_str(tsb_error(box), "tsb_remove: an argument is NULL or not valid", "it is said");
	says(box, "ls /home", "user\n");
	tsb_sandbox_close(box);
}

/* ---- From inside ---- */

static int again_run(struct tsb_proc *p, void *opts, int argc, char **argv)
{
	struct tsb_run_options fresh = TSB_RUN_OPTIONS_INIT;
	struct tsb_result *res = NULL;

	(void)opts;
	(void)argc;
	(void)argv;
	tsb_printf(p, "%d", tsb_run(box_in_use, "echo in", NULL, &res));
	fresh.fresh = true;
	tsb_printf(p, " %d", tsb_run(box_in_use, "echo in", &fresh, &res));
	tsb_printf(p, " %s", tsb_result_out(res, NULL));
	tsb_result_free(res);
	return 0;
}

static int greedy_run(struct tsb_proc *p, void *opts, int argc, char **argv)
{
	(void)opts;
	(void)argc;
	(void)argv;
	for (size_t i = 1; i; i++)
		memset(tsb_alloc(p, 1 << 20), 1, 1 << 20);
	return 1;
}

static const struct tsb_command again = { .version = TSB_COMMAND_VERSION, .name = "again", .run = again_run };
static const struct tsb_command greedy = { .version = TSB_COMMAND_VERSION, .name = "greedy", .run = greedy_run };

static void inside(void)
{
	struct tsb_options opt = TSB_OPTIONS_INIT;
	struct tsb_limits l;

	tsb_limits_default(&l);
	l.memory_bytes = 16 << 20;
	opt.limits = &l;
	opt.session = true;
	box_in_use = new_box(&opt);
	is_int(tsb_add_command(box_in_use, &again), TSB_OK, "a command");
	is_int(tsb_add_command(box_in_use, &greedy), TSB_OK, "another");
	says(box_in_use, "again; echo out", "-3 0 in\nout\n");
	says(box_in_use, "greedy 2>/dev/null; echo $? >&2",
	     "bash: line 1:     2 Killed                  greedy 2> /dev/null\n137\n");
	tsb_sandbox_close(box_in_use);
}

/* ---- Two threads ---- */

static void *other(void *arg)
{
	bool mine = true;

	for (int i = 0; i < 100; i++) {
		struct tsb_result *res = NULL;
		struct tsb_sandbox *copy = NULL;

		tsb_js_prelude(box_in_use, "1", 1);
		tsb_run(box_in_use, "v=$((v + 1)); f() { :; }; cd /tmp", NULL, &res);
		tsb_result_free(res);
		if (!tsb_branch(box_in_use, &copy))
			tsb_sandbox_close(copy);
		tsb_stat_file(box_in_use, arg, &(struct tsb_stat){ 0 });
		mine = mine && strstr(tsb_error(box_in_use), arg);
	}
	return mine ? arg : NULL;
}

static void threads(void)
{
	struct tsb_options opt = TSB_OPTIONS_INIT;
	pthread_t one, two;
	void *a, *b;

	opt.session = true;
	box_in_use = new_box(&opt);
	pthread_create(&one, NULL, other, (char[]){ "/one" });
	pthread_create(&two, NULL, other, (char[]){ "/two" });
	pthread_join(one, &a);
	pthread_join(two, &b);
	ok(a && b, "each thread has its own sentence");
	says(box_in_use, "echo $v", "200\n");
	tsb_sandbox_close(box_in_use);
}

int main(void)
{
	limits();
	options();
	removal();
	inside();
	threads();
	return done();
}
