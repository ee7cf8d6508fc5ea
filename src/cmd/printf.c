/*
 * printf - the program /usr/bin/printf; the engine is text/format.h.
 */
#include "cmd/cmd.h"

#include <string.h>

#include "base/opt.h"
#include "cmd/locale.h"
#include "text/format.h"

struct printf_job {
	struct tsb_proc *p;
	struct str out;
};

/* What came before a message is printed before it, as GNU's order has it. */
static void printf_complain(void *ctx, const char *text)
{
	struct printf_job *job = ctx;

	tsb_put(job->p, job->out.p, job->out.n);
	str_reset(&job->out);
	tsb_warn(job->p, "%s", text);
}

static void printf_tick(void *ctx, size_t steps)
{
	struct printf_job *job = ctx;

	tsb_tick(job->p, steps);
}

static bool printf_asked(struct tsb_proc *p, const char *arg)
{
	struct str text;

	str_init(&text, tsb_heap_of(p), STR_MAX_DEFAULT);
	if (!strcmp(arg, "--help"))
		opt_help(&text, &cmd_printf, tsb_name(p));
	else if (!strcmp(arg, "--version"))
		opt_version(&text, &cmd_printf, tsb_name(p));
	else
		return false;
	tsb_put(p, text.p, text.n);
	return true;
}

static int printf_run(struct tsb_proc *p, void *opts, int argc, char **argv)
{
	struct printf_job job = { .p = p };
	struct format_job run = { .dialect = FORMAT_GNU, .ctx = &job, .complain = printf_complain, .tick = printf_tick,
				  .bytes = !locale_utf8(p) };
	int status;

	(void)opts;
	if (argc == 1 && printf_asked(p, argv[0]))
		return 0;
	if (argc && !strcmp(argv[0], "--")) {
		argc--;
		argv++;
	}
	if (!argc)
		return tsb_usage(p, "missing operand");
	str_init(&job.out, tsb_heap_of(p), STR_MAX_DEFAULT);
	run.args = (const char *const *)argv + 1;
	run.n_args = (size_t)argc - 1;
	run.out = &job.out;
	status = format_run(&run, argv[0], strlen(argv[0]));
	tsb_put(p, job.out.p, job.out.n);
	return status;
}

const struct tsb_command cmd_printf = {
	CMD_COREUTILS, .name = "printf", .synopsis = "FORMAT [ARGUMENT]...\nOPTION",
	.summary = "Print ARGUMENT(s) according to FORMAT.", .run = printf_run, .flags = TSB_RAW,
};
