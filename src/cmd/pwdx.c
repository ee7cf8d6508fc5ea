/*
 * pwdx - the working directories of processes (procps).
 */
#include <errno.h>
#include <string.h>

#include "base/num.h"
#include "base/opt.h"
#include "cmd/cmd.h"
#include "cmd/path.h"
#include "cmd/procs.h"
#include "cmd/rawopt.h"

static const char pwdx_usage[] =
	"\nUsage:\n pwdx [options] pid...\n\nOptions:\n -h, --help     display this help and exit\n"
	" -V, --version  output version information and exit\n\nFor more details see pwdx(1).\n";

static int pwdx_opt_help(struct tsb_proc *p, void *opts, const struct tsb_opt *opt, const char *arg)
{
	(void)opts, (void)opt, (void)arg;
	tsb_puts(p, pwdx_usage);
	tsb_exit(p, 0);
}

static const struct tsb_opt pwdx_opts[] = {
	TSB_OPT_CALL(pwdx_opt_help, 0, 'h', "help", NULL, "display this help and exit"),
	TSB_OPT_CALL(procps_version, 0, 'V', "version", NULL, "output version information and exit"),
	TSB_OPT_END
};

static int pwdx_bad(struct tsb_proc *p, const char *text)
{
	if (text)
		tsb_warn(p, "%s", text);
	tsb_write_all(p, 2, pwdx_usage, sizeof(pwdx_usage) - 1);
	return 1;
}

static bool pwdx_one(struct tsb_proc *p, const char *arg)
{
	const char *digits = strncmp(arg, "/proc/", 6) ? arg : arg + 6;
	uint64_t pid;
	char *target;
	int err;

	if (num_u64(digits, &pid) != NUM_OK || !pid || pid > INT32_MAX) {
		tsb_flush(p);
		tsb_warn(p, "invalid process id: %s", arg);
		tsb_exit(p, 1);
	}
	target = path_readlink(p, tsb_format(p, "/proc/%llu/cwd", (unsigned long long)pid), &err);
	if (!target) {
		const char *say = tsb_format(p, "%s: %s\n", arg,
					     err == -ENOENT ? "No such process" : tsb_strerror(err));

		tsb_write_all(p, 2, say, strlen(say));
		return false;
	}
	tsb_printf(p, "%s: %s\n", arg, target);
	return true;
}

static int pwdx_run(struct tsb_proc *p, void *opts, int argc, char **argv)
{
	struct opt_parsed got;
	bool all = true;
	int status;

	(void)opts;
	if (!rawopt_parse_as(p, &cmd_pwdx, argc, argv, &got, &status, pwdx_bad))
		return status;
	if (!got.argc)
		return pwdx_bad(p, NULL);
	for (int i = 0; i < got.argc; i++)
		all &= pwdx_one(p, got.argv[i]);
	return all ? 0 : 1;
}

const struct tsb_command cmd_pwdx = {
	.version = TSB_COMMAND_VERSION, .package = "procps-ng", .package_version = "4.0.2", .name = "pwdx",
	.synopsis = "[options] pid...", .summary = "Show the working directories of processes.",
	.opts = pwdx_opts, .run = pwdx_run, .flags = TSB_RAW | TSB_NO_HELP,
};
