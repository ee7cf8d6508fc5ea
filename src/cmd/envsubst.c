/*
 * envsubst - variables of the environment put into text (GNU gettext).
 */
#include "cmd/cmd.h"

#include <string.h>

#include "base/map.h"
#include "base/str.h"
#include "cmd/lines.h"
#include "cmd/linuxopt.h"

struct envsubst {
	bool names_only;

	struct tsb_proc *p;
	bool some;		/* only those in `wanted` */
	struct map wanted;
	struct sink out;
	struct tsb_reader in;
	int back;		/* a byte read too far, or -1 */
};

static int envsubst_opt_help(struct tsb_proc *p, void *opts, const struct tsb_opt *opt,
			     const char *arg)
{
	(void)opts;
	(void)arg;
	linuxopt_show(p, &cmd_envsubst, opt->value);
}

static const struct tsb_opt envsubst_opts[] = {
	TSB_OPT_FLAG(struct envsubst, names_only, 'v', "variables",
		     "output the variables occurring in SHELL-FORMAT"),
	LINUXOPT_HELP(envsubst_opt_help),
	TSB_OPT_END
};

static bool envsubst_starts(int c)
{
	return c == '_' || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z');
}

static bool envsubst_continues(int c)
{
	return envsubst_starts(c) || (c >= '0' && c <= '9');
}

/* The names in a format: printed, or put into `wanted`. */
static void envsubst_names(struct envsubst *e, const char *s)
{
	const char *start;
	bool brace;

	while ((s = strchr(s, '$'))) {
		s++;
		brace = *s == '{';
		s += brace;
		if (!envsubst_starts((unsigned char)*s))
			continue;
		for (start = s; envsubst_continues((unsigned char)*s); s++)
			;
		if (brace && *s != '}')
			continue;
		if (e->names_only) {
			tsb_put(e->p, start, (size_t)(s - start));
			tsb_putc(e->p, '\n');
		} else {
			map_put(&e->wanted, start, (size_t)(s - start));
		}
		s += brace;
	}
}

static int envsubst_byte(struct envsubst *e)
{
	int c = e->back;

	e->back = -1;
	return c >= 0 ? c : tsb_getbyte(&e->in);
}

/* Behind a $. */
static void envsubst_reference(struct envsubst *e, struct str *name)
{
	int c = envsubst_byte(e);
	bool brace = c == '{', closed = false, valid = true;
	const char *value;

	if (brace)
		c = envsubst_byte(e);
	str_reset(name);
	if (!envsubst_starts(c)) {
		e->back = c;
		sink_puts(&e->out, brace ? "${" : "$");
		return;
	}
	for (; envsubst_continues(c); c = envsubst_byte(e))
		str_addc(name, c);
	closed = brace && c == '}';
	if (!closed)
		e->back = c;
	valid = brace == closed;
	if (valid && e->some)
		valid = map_find(&e->wanted, name->p, name->n) != NULL;
	if (valid) {
		value = tsb_getenv(e->p, name->p);
		sink_puts(&e->out, value ? value : "");
		return;
	}
	sink_puts(&e->out, brace ? "${" : "$");
	sink_put(&e->out, name->p, name->n);
	if (closed)
		sink_putc(&e->out, '}');
}

static int envsubst_text(struct envsubst *e)
{
	struct str name;
	size_t n = 0;
	int c;

	str_init(&name, tsb_heap_of(e->p), STR_MAX_DEFAULT);
	sink_init(&e->out, e->p);
	tsb_reader_init(&e->in, e->p, 0);
	e->back = -1;
	while ((c = envsubst_byte(e)) >= 0) {
		if (c == '$')
			envsubst_reference(e, &name);
		else
			sink_putc(&e->out, c);
		if (!(++n & 4095))
			tsb_tick(e->p, 64);
	}
	sink_flush(&e->out);
	if (!e->in.error)
		return 0;
	tsb_warn_errno(e->p, e->in.error, "error while reading \"standard input\"");
	return 1;
}

static int envsubst_run(struct tsb_proc *p, void *opts, int argc, char **argv)
{
	struct envsubst *e = opts;

	e->p = p;
	if (argc > 1 || (e->names_only && !argc)) {
		tsb_warn(p, argc > 1 ? "too many arguments" : "missing arguments");
		return 1;
	}
	map_init(&e->wanted, tsb_heap_of(p));
	e->some = argc == 1;
	if (argc)
		envsubst_names(e, argv[0]);
	return e->names_only ? 0 : envsubst_text(e);
}

const struct tsb_command cmd_envsubst = {
	.version = TSB_COMMAND_VERSION, .package = "GNU gettext-runtime", .package_version = "0.21",
	.name = "envsubst", .synopsis = "[OPTION] [SHELL-FORMAT]",
	.summary = "Substitutes the values of environment variables.",
	.opts = envsubst_opts, .opts_size = sizeof(struct envsubst), .run = envsubst_run,
};
