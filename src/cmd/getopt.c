/*
 * getopt - a script's arguments taken apart and quoted (util-linux).
 */
#include "cmd/getopt.h"

#include <string.h>

#include "base/opt.h"
#include "base/str.h"
#include "cmd/cmd.h"
#include "cmd/linuxopt.h"
#include "cmd/rawopt.h"

enum { GETOPT_BAD_WORDS = 1, GETOPT_BAD_USE = 2, GETOPT_TEST = 4 };

struct getopt {
	bool one_dash, quiet, no_output, unquoted, csh;
	const char *name, *options;
	struct getopt_scan scan;
	struct str out;
};

static int getopt_usage(struct tsb_proc *p, const char *text)
{
	tsb_warn(p, "%s", text);
	tsb_usage(p, NULL);
	return GETOPT_BAD_USE;
}

/* "a,b:,c::" */
static int getopt_opt_long(struct tsb_proc *p, void *opts, const struct tsb_opt *opt, const char *arg)
{
	struct getopt *o = opts;
	char *list = tsb_strdup(p, arg), *name;

	(void)opt;
	while ((name = strsep(&list, ", \t\n"))) {
		struct getopt_long_name *row;
		size_t n = strlen(name);
		int colons = 0;

		if (!n)
			continue;
		while (colons < 2 && n && name[n - 1] == ':') {
			name[--n] = '\0';
			colons++;
		}
		if (!n)
			return getopt_usage(p, "empty long option after -l or --long argument");
		row = vec_add(tsb_heap_of(p), &o->scan.longs);
		row->name = name;
		row->arg = colons;
	}
	return 0;
}

static int getopt_opt_shell(struct tsb_proc *p, void *opts, const struct tsb_opt *opt,
			    const char *arg)
{
	struct getopt *o = opts;

	(void)opt;
	o->csh = !strcmp(arg, "csh") || !strcmp(arg, "tcsh");
	if (o->csh || !strcmp(arg, "sh") || !strcmp(arg, "bash"))
		return 0;
	return getopt_usage(p, "unknown shell after -s or --shell argument");
}

static int getopt_opt_help(struct tsb_proc *p, void *opts, const struct tsb_opt *opt, const char *arg)
{
	(void)opts;
	(void)arg;
	linuxopt_show(p, &cmd_getopt, opt->value);
}

/* It ends at once, whatever comes behind. */
static int getopt_opt_test(struct tsb_proc *p, void *opts, const struct tsb_opt *opt, const char *arg)
{
	(void)opts, (void)opt, (void)arg;
	tsb_exit(p, GETOPT_TEST);
}

static const struct tsb_opt getopt_opts[] = {
	TSB_OPT_FLAG(struct getopt, one_dash, 'a', "alternative",
		     "allow long options starting with single -"),
	TSB_OPT_CALL(getopt_opt_long, 0, 'l', "longoptions", "longopts",
		     "the long options to be recognized"),
	TSB_OPT_STR(struct getopt, name, 'n', "name", "progname",
		    "the name under which errors are reported"),
	TSB_OPT_STR(struct getopt, options, 'o', "options", "optstring",
		    "the short options to be recognized"),
	TSB_OPT_FLAG(struct getopt, quiet, 'q', "quiet", "disable error reporting by getopt(3)"),
	TSB_OPT_FLAG(struct getopt, no_output, 'Q', "quiet-output", "no normal output"),
	TSB_OPT_CALL(getopt_opt_shell, 0, 's', "shell", "shell",
		     "set quoting conventions to those of <shell>"),
	TSB_OPT_CALL(getopt_opt_test, 0, 'T', "test", NULL, "test for getopt(1) version"),
	TSB_OPT_FLAG(struct getopt, unquoted, 'u', "unquoted", "do not quote the output"),
	LINUXOPT_HELP(getopt_opt_help),
	TSB_OPT_END
};

/* ---- Output ---- */

static void getopt_quote_csh(struct str *out, char c)
{
	if (c == '\\')
		str_adds(out, "\\\\");
	else if (c == '!')
		str_adds(out, "'\\!'");
	else if (c == '\n')
		str_adds(out, "\\n");
	else if (c == ' ' || (c >= '\t' && c <= '\r'))
		str_addf(out, "'\\%c'", c);
	else
		str_addc(out, c);
}

static void getopt_word(struct getopt *o, const char *s)
{
	str_addc(&o->out, ' ');
	if (o->unquoted) {
		str_adds(&o->out, s);
		return;
	}
	str_addc(&o->out, '\'');
	for (; *s; s++) {
		if (*s == '\'')
			str_adds(&o->out, "'\\''");
		else if (o->csh)
			getopt_quote_csh(&o->out, *s);
		else
			str_addc(&o->out, *s);
	}
	str_addc(&o->out, '\'');
}

static int getopt_words(struct getopt *o)
{
	struct getopt_scan *g = &o->scan;
	enum getopt_kind kind;
	int status = 0;

	while ((kind = getopt_next(g)) != GETOPT_END) {
		if (kind == GETOPT_ERROR)
			status = GETOPT_BAD_WORDS;
		else if (kind == GETOPT_LONG)
			str_addf(&o->out, " --%s", g->found->name);
		else if (kind == GETOPT_SHORT)
			str_addf(&o->out, " -%c", g->letter);
		else
			getopt_word(o, g->arg);
		if ((kind == GETOPT_LONG && g->found->arg) || (kind == GETOPT_SHORT && g->wants))
			getopt_word(o, g->arg ? g->arg : "");
	}
	str_adds(&o->out, " --");
	for (size_t i = 0; i < g->operands.n; i++)
		getopt_word(o, g->operands.at[i]);
	str_addc(&o->out, '\n');
	if (!o->no_output)
		tsb_put(g->p, o->out.p, o->out.n);
	return status;
}

/* A + or - in front of the options says what becomes of operands. */
static void getopt_set_options(struct getopt *o, const char *options)
{
	struct getopt_scan *g = &o->scan;

	if (*options == '+' || (*options != '-' && tsb_getenv(g->p, "POSIXLY_CORRECT")))
		g->order = GETOPT_STOP;
	else if (*options == '-')
		g->order = GETOPT_IN_ORDER;
	options += *options == '+' || *options == '-';
	/* A colon makes a missing argument silent. */
	if (*options == ':') {
		g->quiet = true;
		options++;
	}
	g->shorts = options;
}

static int getopt_run(struct tsb_proc *p, void *opts, int argc, char **argv)
{
	bool compatible = tsb_getenv(p, "GETOPT_COMPATIBLE") != NULL;
	struct opt_parsed parsed;
	struct getopt *o;
	int status;

	(void)opts;
	if (!argc) {
		if (!compatible)
			return getopt_usage(p, "missing optstring argument");
		tsb_puts(p, " --\n");
		return 0;
	}
	if (argv[0][0] != '-' || compatible) {
		o = tsb_alloc(p, sizeof(*o));
		o->unquoted = true;
		o->options = argv[0] + strspn(argv[0], "-+");
		argc--;
		argv++;
	} else {
		if (!rawopt_parse(p, &cmd_getopt, argc, argv, &parsed, &status))
			return status;
		o = parsed.opts;
		argc = parsed.argc;
		argv = parsed.argv;
		if (!o->options && !argc)
			return getopt_usage(p, "missing optstring argument");
		if (!o->options) {
			o->options = *argv++;
			argc--;
		}
	}
	o->scan.p = p;
	o->scan.name = o->name ? o->name : tsb_name(p);
	o->scan.quiet = o->quiet;
	o->scan.one_dash = o->one_dash;
	o->scan.argc = argc;
	o->scan.argv = argv;
	str_init(&o->out, tsb_heap_of(p), STR_MAX_DEFAULT);
	getopt_set_options(o, o->options);
	return getopt_words(o);
}

const struct tsb_command cmd_getopt = {
	.version = TSB_COMMAND_VERSION, .package = "util-linux", .package_version = "2.38.1",
	.name = "getopt",
	.synopsis = "<optstring> <parameters>\n[options] [--] <optstring> <parameters>\n"
		    "[options] -o|--options <optstring> [options] [--] <parameters>",
	.summary = "Parse command options.",
	.opts = getopt_opts, .opts_size = sizeof(struct getopt), .run = getopt_run,
	.flags = TSB_RAW | TSB_OPERAND_ENDS, .usage_status = GETOPT_BAD_USE,
};
