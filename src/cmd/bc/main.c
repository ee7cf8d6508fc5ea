/*
 * bc: a calculator of decimal numbers of any size, with a language of its own.
 */
#include <stdlib.h>
#include <string.h>

#include "base/opt.h"
#include "cmd/bc/bc.h"
#include "cmd/cmd.h"
#include "cmd/rawopt.h"

static int show_version(struct tsb_proc *p, void *opts, const struct tsb_opt *opt, const char *arg);
static int show_usage(struct tsb_proc *p, void *opts, const struct tsb_opt *opt, const char *arg);

static const struct tsb_opt bc_opts[] = {
	TSB_OPT_FLAG(struct bc_options, code_only, 'c', "compile",
		     "print the code instead of running it"),
	TSB_OPT_CALL(show_usage, 0, 'h', "help", NULL, "print this usage and exit"),
	TSB_OPT_FLAG(struct bc_options, interactive, 'i', "interactive", "force interactive mode"),
	TSB_OPT_FLAG(struct bc_options, mathlib, 'l', "mathlib",
		     "use the predefined math routines"),
	TSB_OPT_FLAG(struct bc_options, quiet, 'q', "quiet", "don't print initial banner"),
	TSB_OPT_FLAG(struct bc_options, standard, 's', "standard",
		     "non-standard bc constructs are errors"),
	TSB_OPT_FLAG(struct bc_options, warn, 'w', "warn",
		     "warn about non-standard bc constructs"),
	TSB_OPT_CALL(show_version, 0, 'v', "version", NULL,
		     "print version information and exit"),
	TSB_OPT_END
};

static void usage(struct tsb_proc *p, const char *name)
{
	tsb_printf(p, "usage: %s [options] [file ...]\n", name);
	tsb_puts(p, "  -h  --help         print this usage and exit\n"
		    "  -i  --interactive  force interactive mode\n"
		    "  -l  --mathlib      use the predefined math routines\n"
		    "  -q  --quiet        don't print initial banner\n"
		    "  -s  --standard     non-standard bc constructs are errors\n"
		    "  -w  --warn         warn about non-standard bc constructs\n"
		    "  -v  --version      print version information and exit\n");
}

static int show_usage(struct tsb_proc *p, void *opts, const struct tsb_opt *opt, const char *arg)
{
	(void)opt;
	(void)arg;
	usage(p, ((struct bc_options *)opts)->name);
	tsb_exit(p, 0);
}

static int show_version(struct tsb_proc *p, void *opts, const struct tsb_opt *opt, const char *arg)
{
	(void)opts;
	(void)opt;
	(void)arg;
	bc_banner(p);
	tsb_exit(p, 0);
}

static int bad(struct tsb_proc *p, const char *text)
{
	tsb_warn(p, "%s", text);
	usage(p, tsb_name(p));
	return 1;
}

/* The arguments of the environment are under another name. */
static int bad_in_environment(struct tsb_proc *p, const char *text)
{
	char *message = tsb_format(p, "BC_ENV_ARGS: %s\n", text);

	tsb_write_all(p, 2, message, strlen(message));
	usage(p, "BC_ENV_ARGS");
	return 1;
}

/* BC_ENV_ARGS in front of the arguments, each parsed for itself. */
struct args {
	VEC(char *) files;
	struct bc_options o;
};

static bool parse(struct tsb_proc *p, struct args *a, bool environment, int argc, char **argv,
		  int *status)
{
	struct bc_options first = { .name = environment ? "BC_ENV_ARGS" : tsb_name(p) }, *o;
	struct tsb_command how = cmd_bc;
	struct opt_parsed got;

	how.defaults = &first;
	if (!rawopt_parse_as(p, &how, argc, argv, &got, status,
			     environment ? bad_in_environment : bad))
		return false;
	o = got.opts;
	a->o.code_only |= o->code_only;
	a->o.interactive |= o->interactive;
	a->o.mathlib |= o->mathlib;
	a->o.quiet |= o->quiet;
	a->o.standard |= o->standard;
	a->o.warn |= o->warn;
	for (int i = 0; i < got.argc; i++)
		*vec_add(tsb_heap_of(p), &a->files) = got.argv[i];
	return true;
}

static bool parse_environment(struct tsb_proc *p, struct args *a, int *status)
{
	const char *value = tsb_getenv(p, "BC_ENV_ARGS");
	VEC(char *) words = { 0 };

	while (value && *value) {
		size_t n = strcspn(value, " ");

		if (n)
			*vec_add(tsb_heap_of(p), &words) = tsb_strndup(p, value, n);
		value += n + (value[n] == ' ');
	}
	if (!words.n)
		return true;
	*vec_add(tsb_heap_of(p), &words) = NULL;
	return parse(p, a, true, (int)words.n - 1, words.at, status);
}

static size_t line_size(struct tsb_proc *p)
{
	const char *value = tsb_getenv(p, "BC_LINE_LENGTH");
	long n = value ? strtol(value, NULL, 10) : 70;

	if (n > INT32_MAX || n < 0 || (n < 3 && n))
		n = 70;
	return (size_t)n;
}

static void tick(void *p, size_t steps)
{
	tsb_tick(p, steps);
}

void bc_start(struct bc *b, struct tsb_proc *p, struct bc_options *o, char **files)
{
	b->p = p;
	b->heap = tsb_heap_of(p);
	b->o = o;
	decimal_start(&b->numbers, b->heap, tick, p);
	b->files = files;
	b->fd = -1;
	str_init(&b->text, b->heap, STR_MAX_DEFAULT);
	str_init(&b->out, b->heap, STR_MAX_DEFAULT);
	for (size_t i = 0; i < 3; i++)
		map_init(&b->name_of[i], b->heap);
	for (int i = 0; i < BC_NAMED; i++)
		vec_add(b->heap, &b->simple);
	b->n_simple = BC_NAMED;
	vec_add(b->heap, &b->arrays)->name = "";
	vec_add(b->heap, &b->functions)->name = "(main)";
	b->current_function = -1;
	b->ibase = b->constant_base = 10;
	b->obase = 10;
	b->history = -1;
	b->line_size = line_size(p);
}

/* The library is compiled when it is shown (-c), else when a function is named. */
static void use_library(struct bc *b)
{
	if (b->o->code_only)
		b->library = bc_library;
	else
		b->library_waits = true;
	b->scale = 20;
}

static int run(struct tsb_proc *p, void *opts, int argc, char **argv)
{
	struct bc *b = tsb_alloc(p, sizeof(*b));
	struct args a = { 0 };
	int status = 0;

	(void)opts;
	a.o.standard = tsb_getenv(p, "POSIXLY_CORRECT") != NULL;
	if (!parse_environment(p, &a, &status) || !parse(p, &a, false, argc, argv, &status))
		return status;
	if (tsb_isatty(p, 0) && tsb_isatty(p, 1))
		a.o.interactive = true;
	*vec_add(tsb_heap_of(p), &a.files) = NULL;
	bc_start(b, p, &a.o, a.files.at);
	if (a.o.mathlib)
		use_library(b);
	bcl_next_file(b);
	bc_start_code(b);
	bcp_parse(b);
	if (b->o->code_only)
		tsb_putc(p, '\n');
	return 0;
}

const struct tsb_command cmd_bc = {
	.version = TSB_COMMAND_VERSION,
	.name = "bc",
	.synopsis = "[OPTION]... [FILE]...",
	.summary = "calculate with decimal numbers of any size",
	.opts = bc_opts,
	.opts_size = sizeof(struct bc_options),
	.run = run,
	.flags = TSB_RAW | TSB_NO_HELP,
};
