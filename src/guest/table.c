/*
 * Which guests this build has. Without them (-Dguests=disabled) their commands
 * are there and say so.
 */
#include "guest/table.h"

#include <string.h>

#ifdef HAVE_GUESTS
#include "guest/guest.h"

extern const struct guest_module guest_module_jq, guest_module_js;

const struct guest_module *const guest_modules[] = { &guest_module_jq, &guest_module_js, NULL };

static int run(struct tsb_proc *p, const struct guest_module *module, int argc, char **argv)
{
	char **all = tsb_alloc(p, ((size_t)argc + 2) * sizeof(*all));

	all[0] = tsb_strdup(p, tsb_name(p));
	memcpy(all + 1, argv, (size_t)argc * sizeof(*all));
	return guest_run(p, module, argc + 1, all);
}

static int jq_run(struct tsb_proc *p, void *opts, int argc, char **argv)
{
	(void)opts;
	return run(p, &guest_module_jq, argc, argv);
}

static int js_run(struct tsb_proc *p, void *opts, int argc, char **argv)
{
	(void)opts;
	return run(p, &guest_module_js, argc, argv);
}
#else
static int none_run(struct tsb_proc *p, void *opts, int argc, char **argv)
{
	(void)opts;
	(void)argc;
	(void)argv;
	tsb_warn(p, "this tinysandbox was built without guests (-Dguests=disabled)");
	return 126;
}

#define jq_run none_run
#define js_run none_run
#endif

static const struct tsb_command cmd_jq = {
	.version = TSB_COMMAND_VERSION, .name = "jq", .synopsis = "[OPTIONS] FILTER [FILE...]",
	.summary = "Command-line JSON processor.", .run = jq_run, .flags = TSB_RAW | TSB_NO_HELP,
};

#define JS_COMMAND(n) { \
	.version = TSB_COMMAND_VERSION, .name = (n), \
	.synopsis = "[OPTIONS] [SCRIPT | -e CODE | -] [ARGUMENT...]", .summary = "Run JavaScript.", \
	.run = js_run, .flags = TSB_RAW | TSB_NO_HELP, \
}
static const struct tsb_command cmd_js = JS_COMMAND("js"), cmd_node = JS_COMMAND("node");

const struct tsb_command *const guest_table[] = { &cmd_jq, &cmd_js, &cmd_node, NULL };
