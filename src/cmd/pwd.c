/*
 * pwd - print the working directory. The program /bin/pwd, whose default is -P,
 * not the shell's builtin.
 */
#include "cmd/cmd.h"

#include <string.h>

#include "cmd/quote.h"
#include "cmd/util.h"

struct pwd {
	int logical;
};

static const struct tsb_opt pwd_opts[] = {
	TSB_OPT_SET(struct pwd, logical, 1, 'L', "logical",
		    "use PWD from environment, even if it contains symlinks"),
	TSB_OPT_SET(struct pwd, logical, 0, 'P', "physical", "avoid all symlinks"),
	TSB_OPT_END
};

/* $PWD counts only if it is absolute, has no dot component, and is here. */
static const char *pwd_logical(struct tsb_proc *p)
{
	const char *pwd = tsb_getenv(p, "PWD");
	struct tsb_stat a, b;

	if (!pwd || *pwd != '/')
		return NULL;
	for (const char *s = pwd; (s = strstr(s, "/.")); s++)
		if (!s[2] || s[2] == '/' || (s[2] == '.' && (!s[3] || s[3] == '/')))
			return NULL;
	if (tsb_stat(p, pwd, &a) || tsb_stat(p, ".", &b) || !util_same_file(&a, &b))
		return NULL;
	return pwd;
}

static int pwd_run(struct tsb_proc *p, void *opts, int argc, char **argv)
{
	struct pwd *o = opts;
	const char *dir = NULL;
	struct tsb_stat here;

	(void)argv;
	if (argc)
		tsb_warn(p, "ignoring non-option arguments");
	if (o->logical < 0)
		o->logical = tsb_getenv(p, "POSIXLY_CORRECT") != NULL;
	if (o->logical)
		dir = pwd_logical(p);
	if (!dir && tsb_stat(p, ".", &here)) {
		tsb_warn(p, "couldn't find directory entry in %s with matching i-node",
			 quote_text(p, ".."));
		return 1;
	}
	tsb_puts(p, dir ? dir : tsb_getcwd(p));
	tsb_putc(p, '\n');
	return 0;
}

static const struct pwd pwd_defaults = { -1 };

const struct tsb_command cmd_pwd = {
	CMD_COREUTILS, .name = "pwd",
	.synopsis = "[OPTION]...",
	.summary = "Print the full filename of the current working directory.",
	.opts = pwd_opts, .opts_size = sizeof(struct pwd), .defaults = &pwd_defaults,
	.run = pwd_run,
};
