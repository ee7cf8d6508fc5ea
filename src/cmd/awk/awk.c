/*
 * awk, gawk - find and process patterns. Here: the command line, as gawk takes
 * it (short and long options, -f and -e together, -v, --).
 */
#include "cmd/awk/awk.h"

#include <errno.h>

#include "cmd/cmd.h"
#include "cmd/util.h"

struct part {
	const char *text;	/* of -e, or NULL */
	const char *file;
	bool library;
};

struct command_line {
	struct awk *a;
	char **argv;
	int argc, at;
	VEC(struct part) parts;
	VEC(const char *) assigned;
	const char *fs;
	bool stop;
	bool unknown;		/* stopped at an option it does not know, the first operand */
};

struct long_option {
	const char *name;
	int letter;
	bool value, optional;
};

static const struct long_option long_options[] = {
	{ "assign", 'v', true, false }, { "bignum", 'M', false, false },
	{ "characters-as-bytes", 'b', false, false }, { "copyright", 'C', false, false },
	{ "debug", 'D', false, true }, { "dump-variables", 'd', false, true },
	{ "exec", 'E', true, false }, { "field-separator", 'F', true, false },
	{ "file", 'f', true, false }, { "gen-pot", 'g', false, false }, { "help", 'h', false, false },
	{ "include", 'i', true, false }, { "lint", 'L', false, true },
	{ "lint-old", 't', false, false }, { "load", 'l', true, false },
	{ "no-optimize", 's', false, false }, { "non-decimal-data", 'n', false, false },
	{ "optimize", 'O', false, false }, { "posix", 'P', false, false },
	{ "pretty-print", 'o', false, true }, { "profile", 'p', false, true },
	{ "re-interval", 'r', false, false }, { "sandbox", 'S', false, false },
	{ "source", 'e', true, false }, { "traditional", 'c', false, false },
	{ "use-lc-numeric", 'N', false, false }, { "version", 'V', false, false },
};

static const char usage_head[] =
	"Usage: %s [POSIX or GNU style options] -f progfile [--] file ...\n"
	"Usage: %s [POSIX or GNU style options] [--] 'program' file ...\n";
static const char usage_body[] =
	"POSIX options:\t\tGNU long options: (standard)\n"
	"\t-f progfile\t\t--file=progfile\n\t-F fs\t\t\t--field-separator=fs\n"
	"\t-v var=val\t\t--assign=var=val\n"
	"Short options:\t\tGNU long options: (extensions)\n"
	"\t-b\t\t\t--characters-as-bytes\n\t-c\t\t\t--traditional\n\t-C\t\t\t--copyright\n"
	"\t-e 'program-text'\t--source='program-text'\n\t-E file\t\t\t--exec=file\n"
	"\t-h\t\t\t--help\n\t-i includefile\t\t--include=includefile\n"
	"\t-n\t\t\t--non-decimal-data\n\t-O\t\t\t--optimize\n\t-P\t\t\t--posix\n"
	"\t-r\t\t\t--re-interval\n\t-s\t\t\t--no-optimize\n\t-S\t\t\t--sandbox\n"
	"\t-V\t\t\t--version\n";

static void usage(struct awk *a, int status)
{
	const char *name = tsb_name(a->p);
	char *head = tsb_format(a->p, usage_head, name, name);

	if (!status) {
		tsb_puts(a->p, head);
		tsb_puts(a->p, usage_body);
	} else {
		tsb_write_all(a->p, 2, head, strlen(head));
		tsb_write_all(a->p, 2, usage_body, sizeof(usage_body) - 1);
	}
	tsb_exit(a->p, status);
}

static void add_part(struct command_line *c, const char *text, const char *file)
{
	struct part *part = vec_add(c->a->heap, &c->parts);

	part->text = text;
	part->file = file;
}

static void unsupported(struct awk *a, int letter)
{
	tsb_warn(a->p, "option -%c is not supported", letter);
	tsb_exit(a->p, 2);
}

/* A library that is not there is told before what the other options say. */
static void check_library(struct awk *a, const char *name)
{
	struct str text;
	int err;

	if (!strcmp(name, "inplace"))
		return;
	if (!*name)
		awk_fatal(a, "cannot open source file `' for reading: reason unknown");
	str_init(&text, a->heap, STR_MAX_DEFAULT);
	err = awk_read_source(a, name, true, &text);
	str_end(&text);
	if (err && err != -EISDIR)
		awk_fatal(a, "cannot open source file `%s' for reading: %s", name,
			  tsb_strerror(err));
}

/* A program file that is not there is told before anything is wrong in others. */
static void check_file(struct awk *a, const char *name)
{
	struct tsb_stat st;
	int err = !strcmp(name, "-") ? 0 : tsb_stat(a->p, name, &st);

	if (err && !tsb_getenv(a->p, "AWKPATH"))
		awk_fatal(a, "cannot open source file `%s' for reading: %s", name, tsb_strerror(err));
}

static void option_set(struct command_line *c, int letter, const char *value)
{
	struct awk *a = c->a;

	switch (letter) {
	case 'v': *vec_add(a->heap, &c->assigned) = value; break;
	case 'F': c->fs = value; break;
	case 'f':
		add_part(c, NULL, value);
		check_file(a, value);
		break;
	case 'E':
		add_part(c, NULL, value);
		c->stop = a->no_assignments = true;
		break;
	case 'i':
		add_part(c, NULL, value);
		vec_last(&c->parts).library = true;
		check_library(a, value);
		break;
	case 'e':
		if (*value)
			add_part(c, value, NULL);
		else
			tsb_warn(a->p, "warning: empty argument to `-e/--source' ignored");
		break;
	case 'b': a->utf8 = false; break;
	case 'o': a->pretty = value && *value ? value : "awkprof.out"; break;
	case 'd':
		a->dump = value && *value ? value : "awkvars.out";
		a->uses[VAR_RT] = a->uses[VAR_ENVIRON] = a->uses[VAR_PROCINFO] = true;
		a->uses[VAR_FUNCTAB] = true;
		break;
	case 'L': ak_lint_mode(a, value ? value : ""); break;
	case 'n': a->non_decimal = true; break;
	case 'P': a->posix = true; break;
	case 'c': a->traditional = true; break;
	case 'S': a->sandbox = true; break;
	case 'h': usage(a, 0); break;
	case 'V': case 'C':
		tsb_puts(a->p, "GNU Awk 5.2.1, API 3.2, PMA Avon 8-g1, (GNU MPFR 4.2.0, GNU MP 6.2.1)\n"
			 "Copyright (C) 1989, 1991-2022 Free Software Foundation.\n");
		tsb_exit(a->p, 0);
	case 't': a->lint_old = true; break;
	case 'r': case 'O': case 's': case 'N':
		break;		/* nothing to change here */
	case 'l':
		if (!ak_library_load(a, value))
			awk_fatal(a, "cannot open shared library `%s' for reading: %s", value,
				  *value ? "No such file or directory" : "reason unknown");
		break;
	default:
		unsupported(a, letter);
	}
}

static void value_missing(struct command_line *c, int letter)
{
	tsb_warn(c->a->p, "option requires an argument -- %c", letter);
	usage(c->a, 1);
}

static const char *next_value(struct command_line *c, const char *option)
{
	if (c->at < c->argc)
		return c->argv[c->at++];
	value_missing(c, *option);
	return NULL;
}

/* What is unknown stops the options: the program may want to see it. */
static void unknown_option(struct command_line *c)
{
	if (c->a->posix)	/* there it is passed over */
		return;
	c->at--;
	c->stop = c->unknown = true;
}

static const struct long_option *long_find(const char *arg, size_t n)
{
	const struct long_option *found = NULL;

	for (size_t i = 0; i < sizeof(long_options) / sizeof(*long_options); i++) {
		const struct long_option *o = &long_options[i];

		if (strncmp(o->name, arg, n))
			continue;
		if (!o->name[n])
			return o;
		if (found)
			return NULL;	/* it may mean either */
		found = o;
	}
	return found;
}

static void option_long(struct command_line *c, const char *arg)
{
	const char *eq = strchr(arg, '=');
	const struct long_option *o = long_find(arg, eq ? (size_t)(eq - arg) : strlen(arg));
	char letter[2] = { 0 };

	if (!o) {
		unknown_option(c);
		return;
	}
	letter[0] = (char)o->letter;
	if (eq && !o->value && !o->optional)
		value_missing(c, o->letter);
	else if (o->value)
		option_set(c, o->letter, eq ? eq + 1 : next_value(c, letter));
	else
		option_set(c, o->letter, eq ? eq + 1 : NULL);
}

static void option_short(struct command_line *c, const char *p)
{
	char letter[2] = { 0 };

	for (; *p; p++) {
		letter[0] = *p;
		if (strchr("vFfeEilW", *p)) {
			const char *value = p[1] ? p + 1 : next_value(c, letter);

			if (*p == 'W')
				option_long(c, value);
			else
				option_set(c, *p, value);
			return;
		}
		if (!strchr("bcChnNOPrsStVLdDgIMop", *p)) {
			unknown_option(c);
			return;
		}
		if (strchr("dDLop", *p)) {
			option_set(c, *p, p[1] ? p + 1 : NULL);
			return;
		}
		option_set(c, *p, NULL);
	}
}

static void read_options(struct command_line *c)
{
	while (c->at < c->argc && !c->stop) {
		const char *arg = c->argv[c->at];

		if (*arg != '-' || !arg[1])
			return;
		c->at++;
		if (!strcmp(arg, "--"))
			return;
		if (arg[1] == '-')
			option_long(c, arg + 2);
		else
			option_short(c, arg + 1);
	}
}

static void load_part(struct awk *a, struct part *part)
{
	struct str text;
	int err;

	if (part->text) {
		ak_parse_program(a, part->text, strlen(part->text), NULL);
		return;
	}
	str_init(&text, a->heap, STR_MAX_DEFAULT);
	if (part->library && !strcmp(part->file, "inplace")) {
		a->inplace = tsb_alloc(a->p, sizeof(*a->inplace));
		return;
	}
	err = awk_read_source(a, part->file, part->library, &text);
	if (err == -EISDIR) {
		awk_error(a, part->file, 1, tsb_format(a->p, "cannot read source file `%s': %s",
						       part->file, tsb_strerror(err)));
		tsb_exit(a->p, 1);
	}
	if (err)
		awk_fatal(a, "cannot open source file `%s' for reading: %s", part->file,
			  tsb_strerror(err));
	ak_parse_program(a, text.p, text.n, part->file);
}

static bool wants_utf8(struct tsb_proc *p)
{
	const char *v = tsb_getenv(p, "LC_ALL");

	if (!v || !*v)
		v = tsb_getenv(p, "LC_CTYPE");
	if (!v || !*v)
		v = tsb_getenv(p, "LANG");
	return v && (strstr(v, "UTF-8") || strstr(v, "utf8") || strstr(v, "UTF8") || strstr(v, "utf-8"));
}

static void set_separator(struct awk *a, const char *fs)
{
	bool tab = a->traditional && !a->posix && !strcmp(fs, "t");
	char *assign = tsb_format(a->p, "FS=%s", tab ? "\t" : !strcmp(fs, "\\") ? "\\\\" : fs);

	ak_var_command_line(a, assign, true);
}

/* Before the program is read: its functions must not have these names. */
static void assign_options(struct awk *a, struct command_line *c)
{
	if (c->fs)
		set_separator(a, c->fs);
	for (size_t i = 0; i < c->assigned.n; i++) {
		if (!ak_var_command_line(a, c->assigned.at[i], true)) {
			tsb_warn(a->p, "`%s' argument to `-v' not in `var=value' form\n",
				 c->assigned.at[i]);
			usage(a, 1);
		}
	}
	a->assigned_end = a->globals_made.n;
}

static int awk_finish(struct awk *a)
{
	bool failed;
	int err;

	a->line = 0;
	failed = ak_streams_end(a) != 0;
	err = tsb_flush(a->p);
	if (err) {
		tsb_out_forget(a->p);
		awk_warn(a, "error writing standard output: %s", tsb_strerror(err));
		a->status += !a->status;
	}
	if (a->dump)
		ak_dump_variables(a, a->dump);
	if (util_write_failed(a->p))
		return 2;
	return failed && !a->status ? 2 : a->status;
}

/* What --posix and --traditional take from other options, and say so. */
static void settle_modes(struct awk *a)
{
	bool bytes = !a->utf8 && wants_utf8(a->p);

	if (a->sandbox && a->loaded)
		awk_fatal(a, "extensions are not allowed in sandbox mode");
	a->posix |= tsb_getenv(a->p, "POSIXLY_CORRECT") != NULL;
	if (a->posix && a->traditional)
		tsb_warn(a->p, "warning: `--posix' overrides `--traditional'");
	if ((a->posix || a->traditional) && a->non_decimal) {
		tsb_warn(a->p, "warning: `--posix'/`--traditional' overrides `--non-decimal-data'");
		a->non_decimal = false;
	}
	if (a->posix && bytes) {
		tsb_warn(a->p, "warning: `--posix' overrides `--characters-as-bytes'");
		a->utf8 = true;
	}
}

static int awk_run(struct tsb_proc *p, void *opts, int argc, char **argv)
{
	struct awk *a = tsb_alloc(p, sizeof(*a));
	struct command_line c = { .a = a, .argv = argv, .argc = argc };

	(void)opts;
	a->p = p;
	a->heap = tsb_heap_of(p);
	a->stack_base = (uintptr_t)__builtin_frame_address(0);
	a->utf8 = wants_utf8(p);
	ak_vars_init(a);
	a->seed = 1;
	read_options(&c);
	settle_modes(a);
	assign_options(a, &c);
	bool files = false;

	for (size_t i = 0; i < c.parts.n; i++)
		files |= !c.parts.at[i].library;
	if (!files) {
		if (c.at >= argc || c.unknown)
			usage(a, 1);
		add_part(&c, argv[c.at++], NULL);
	}
	for (size_t i = 0; i < c.parts.n; i++)
		load_part(a, &c.parts.at[i]);
	ak_parse_finish(a);
	ak_lint_program(a, a->last_line);
	if (a->pretty) {
		ak_pretty_program(a, a->pretty);
		return util_write_failed(p) ? 2 : 0;
	}
	a->operands = argv + c.at;
	a->n_operands = argc - c.at;
	a->arguments = argv;
	a->n_arguments = argc;
	ak_vars_fill(a, a->n_operands, a->operands);
	ak_run_program(a);
	return awk_finish(a);
}

#define AWK_COMMAND(called) { \
	.version = TSB_COMMAND_VERSION, CMD_GNU("awk", "5.2.1"), .name = (called), \
	.synopsis = "[POSIX or GNU style options] -f progfile [--] file ...\n" \
		    "[POSIX or GNU style options] [--] 'program' file ...", \
	.summary = "Find patterns in files and process them.", .opts = ak_options, .run = awk_run, \
	.flags = TSB_RAW | TSB_NO_HELP, .usage_status = 2, \
}

const struct tsb_command cmd_awk = AWK_COMMAND("awk"), cmd_gawk = AWK_COMMAND("gawk");
