/*
 * dc: a calculator of decimal numbers of any size, in reverse Polish notation.
 */
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/opt.h"
#include "cmd/cmd.h"
#include "cmd/dc/dc.h"
#include "cmd/rawopt.h"

struct dc_options {
	struct dc *d;
	bool evaluated;
};

static tsb_opt_fn evaluate, evaluate_file, show_usage, show_version;

static const struct tsb_opt dc_opts[] = {
	TSB_OPT_CALL(evaluate, 1, 'e', "expression", "EXPR", "evaluate expression"),
	TSB_OPT_CALL(evaluate_file, 2, 'f', "file", "FILE", "evaluate contents of file"),
	TSB_OPT_CALL(show_usage, 3, 'h', "help", NULL, "display this help and exit"),
	TSB_OPT_CALL(show_version, 4, 'V', "version", NULL,
		     "output version information and exit"),
	TSB_OPT_END
};

static const char usage_text[] =
	"  -e, --expression=EXPR    evaluate expression\n"
	"  -f, --file=FILE          evaluate contents of file\n"
	"  -h, --help               display this help and exit\n"
	"  -V, --version            output version information and exit\n\n";

static const char report_text[] = "Email bug reports to:  bug-dc@gnu.org .\n";

static int show_usage(struct tsb_proc *p, void *opts, const struct tsb_opt *opt, const char *arg)
{
	(void)opts;
	(void)opt;
	(void)arg;
	tsb_printf(p, "Usage: %s [OPTION] [file ...]\n%s%s", tsb_name(p), usage_text, report_text);
	tsb_exit(p, 0);
}

static int show_version(struct tsb_proc *p, void *opts, const struct tsb_opt *opt, const char *arg)
{
	(void)opts;
	(void)opt;
	(void)arg;
	tsb_puts(p, "dc (GNU bc 1.07.1) 1.4.1\n\n"
		    "Copyright 1994, 1997, 1998, 2000, 2001, 2003-2006, 2008, 2010, 2012-2017 "
		    "Free Software Foundation, Inc.\n"
		    "This is free software; see the source for copying conditions.  There is NO\n"
		    "warranty; not even for MERCHANTABILITY or FITNESS FOR A PARTICULAR PURPOSE,\n"
		    "to the extent permitted by law.\n");
	tsb_exit(p, 0);
}

static int bad(struct tsb_proc *p, const char *text)
{
	char *s;

	tsb_warn(p, "%s", text);
	s = tsb_format(p, "Usage: %s [OPTION] [file ...]\n%s", tsb_name(p), usage_text);
	tsb_write_all(p, 2, s, strlen(s));
	tsb_puts(p, report_text);
	return 1;
}

/* Whatever leaves all strings ends the program, unless it was "Q". */
static int evaluate(struct tsb_proc *p, void *opts, const struct tsb_opt *opt, const char *arg)
{
	struct dc_options *o = opts;

	(void)opt;
	o->evaluated = true;
	if (dc_eval_string(o->d, arg, strlen(arg)) == DC_LEAVE && !o->d->unwind_stays)
		tsb_exit(p, 0);
	return 0;
}

static void run_file(struct dc *d, struct dc_file *f)
{
	if (dc_eval_file(d, f) != DC_GO_ON)
		tsb_exit(d->p, 1);
}

/* Directories, disks and the like are refused. */
static bool is_wanted(struct dc *d, const char *name)
{
	struct tsb_stat st;

	if (tsb_stat(d->p, name, &st) < 0 || S_ISREG(st.mode) || S_ISCHR(st.mode) ||
	    S_ISFIFO(st.mode))
		return true;
	if (S_ISDIR(st.mode))
		dc_say(d, "Will not attempt to process directory %s", name);
	else if (S_ISBLK(st.mode))
		dc_say(d, "Will not attempt to process block-special file %s", name);
	else
		dc_say(d, "Will not attempt to process file of unusual type: %s", name);
	return false;
}

static void try_file(struct dc *d, const char *name)
{
	int fd;

	if (!strcmp(name, "-")) {
		run_file(d, d->input);
		return;
	}
	if (!is_wanted(d, name))
		return;
	fd = tsb_open(d->p, name, O_RDONLY | O_CLOEXEC, 0);
	if (fd < 0) {
		dc_say(d, "Could not open file %s", name);
		return;
	}
	run_file(d, dcs_open(d, fd));
	tsb_close(d->p, fd);
}

static int evaluate_file(struct tsb_proc *p, void *opts, const struct tsb_opt *opt, const char *arg)
{
	struct dc_options *o = opts;

	(void)p;
	(void)opt;
	o->evaluated = true;
	try_file(o->d, arg);
	return 0;
}

/* ~/.dcrc is executed before the arguments are looked at. */
static void run_profile(struct dc *d)
{
	const char *home = tsb_getenv(d->p, "HOME");
	char *name;
	int fd;

	if (!home)
		return;
	name = tsb_format(d->p, "%s/.dcrc", home);
	fd = tsb_open(d->p, name, O_RDONLY | O_CLOEXEC, 0);
	if (fd < 0)
		return;
	run_file(d, dcs_open(d, fd));
	tsb_close(d->p, fd);
}

static size_t line_size(struct tsb_proc *p)
{
	const char *value = tsb_getenv(p, "DC_LINE_LENGTH");
	char *end;
	long n = value ? strtol(value, &end, 10) : 70;

	if (value && (*end || n < 0 || n > INT32_MAX || n == 1))
		n = 70;
	return (size_t)n;
}

static void tick(void *p, size_t steps)
{
	tsb_tick(p, steps);
}

static struct dc *start(struct tsb_proc *p)
{
	struct dc *d = tsb_alloc(p, sizeof(*d));

	d->p = p;
	d->heap = tsb_heap_of(p);
	decimal_start(&d->numbers, d->heap, tick, p);
	d->input = dcs_open(d, 0);
	d->ibase = 10;
	d->obase = 10;
	d->line_size = line_size(p);
	return d;
}

static int run(struct tsb_proc *p, void *opts, int argc, char **argv)
{
	struct dc_options first = { .d = start(p) }, *o;
	struct tsb_command how = cmd_dc;
	struct opt_parsed got;
	int status;

	(void)opts;
	run_profile(first.d);
	how.defaults = &first;
	if (!rawopt_parse_as(p, &how, argc, argv, &got, &status, bad))
		return status;
	o = got.opts;
	for (int i = 0; i < got.argc; i++)
		try_file(o->d, got.argv[i]);
	if (!o->evaluated && !got.argc)
		run_file(o->d, o->d->input);
	return 0;
}

const struct tsb_command cmd_dc = {
	.version = TSB_COMMAND_VERSION,
	.name = "dc",
	.synopsis = "[OPTION] [FILE]...",
	.summary = "calculate in reverse Polish notation with decimal numbers of any size",
	.opts = dc_opts,
	.opts_size = sizeof(struct dc_options),
	.run = run,
	.flags = TSB_RAW | TSB_NO_HELP,
};
