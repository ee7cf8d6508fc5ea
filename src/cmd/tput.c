/*
 * tput, clear, reset - what a terminal understands. One description serves the
 * terminals of the xterm kind; a dumb one can nearly nothing.
 */
#include "cmd/cmd.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/num.h"
#include "base/opt.h"
#include "base/str.h"
#include "cmd/lines.h"
#include "cmd/rawopt.h"
#include "cmd/util.h"

enum { TPUT_FALSE = 1, TPUT_USAGE = 2, TPUT_NO_TERMINAL = 3, TPUT_UNKNOWN = 4 };
enum { TPUT_STACK = 32, TPUT_PARAMS = 9, TPUT_WIDTH_MAX = 200 };

struct tput_cap {
	const char *name, *text;
	int number;
	char kind;		/* 'b', 'n', 's' */
};

static const struct tput_cap tput_caps[] = {
#define FLAG(name) { name, NULL, 1, 'b' },
#define NUMBER(name, value) { name, NULL, value, 'n' },
#define STRING(name, value) { name, value, 0, 's' },
#include "cmd/tput.def"
#undef FLAG
#undef NUMBER
#undef STRING
};

#define TPUT_CAPS (sizeof(tput_caps) / sizeof(*tput_caps))

enum tput_terminal { TPUT_XTERM, TPUT_DUMB, TPUT_NONE };

static enum tput_terminal tput_terminal(const char *name)
{
	static const char *const like_xterm[] = {
		"xterm", "screen", "tmux", "rxvt", "linux", "vt100", "vt220", "ansi", "konsole", "gnome",
		"putty", "alacritty", "foot", "kitty",
	};

	if (!strcmp(name, "dumb") || !strcmp(name, "unknown"))
		return TPUT_DUMB;
	for (size_t i = 0; i < sizeof(like_xterm) / sizeof(*like_xterm); i++)
		if (!strncmp(name, like_xterm[i], strlen(like_xterm[i])))
			return TPUT_XTERM;
	return TPUT_NONE;
}

static const struct tput_cap *tput_find(enum tput_terminal terminal, const char *name)
{
	static const char *const dumb[] = { "am", "bel", "cr", "cud1", "ind", "cols" };
	bool has = terminal == TPUT_XTERM;

	for (size_t i = 0; i < sizeof(dumb) / sizeof(*dumb); i++)
		has |= !strcmp(dumb[i], name);
	for (size_t i = 0; i < TPUT_CAPS; i++)
		if (!strcmp(tput_caps[i].name, name))
			return has ? &tput_caps[i] : NULL;
	return NULL;
}

/* A capability of other terminals: it is known, and not there. */
static int tput_is_name(const char *name)
{
	static const char *const others[] = {
		"xon", "hs", "eo", "gn", "hc", "in", "da", "db", "os", "ul", "xt", "chts", "nrrmc", "cmdch",
		"tsl", "fsl", "dsl", "smxon", "pad", "is1", "is3", "rs3", "iprog", "ff", "scp", "lh", "lw",
		"nlab", "vt", "wsl", "lm", "xmc", "bitwin", "setb", "setf", "smgl", "smgr", "rmp", "rep",
	};

	for (size_t i = 0; i < sizeof(others) / sizeof(*others); i++)
		if (!strcmp(others[i], name))
			return true;
	for (size_t i = 0; i < TPUT_CAPS; i++)
		if (!strcmp(tput_caps[i].name, name))
			return true;
	return false;
}

static bool tput_is_number(const char *name)
{
	for (size_t i = 0; i < TPUT_CAPS; i++)
		if (!strcmp(tput_caps[i].name, name))
			return tput_caps[i].kind == 'n';
	return false;
}

/* ---- Parameters: what tput.def uses of the little stack language of terminfo(5) ---- */

struct tput_run {
	struct str *out;
	long param[TPUT_PARAMS];
	long stack[TPUT_STACK];
	int depth;
};

static void tput_push(struct tput_run *r, long v)
{
	if (r->depth < TPUT_STACK)
		r->stack[r->depth++] = v;
}

static long tput_pop(struct tput_run *r)
{
	return r->depth ? r->stack[--r->depth] : 0;
}

static void tput_binary(struct tput_run *r, int op)
{
	unsigned long b = (unsigned long)tput_pop(r), a = (unsigned long)tput_pop(r);
	long x = (long)a, y = (long)b;

	switch (op) {
	case '-': tput_push(r, (long)(a - b)); break;
	case '*': tput_push(r, (long)(a * b)); break;
	case '/': tput_push(r, y && y != -1 ? x / y : 0); break;
	case '|': tput_push(r, (long)(a | b)); break;
	default: tput_push(r, x < y); break;
	}
}

/* Behind a %t that is false, or a %e that is not wanted: to the matching place. */
static const char *tput_skip(const char *at, bool to_else)
{
	int level = 0;

	for (; *at; at++) {
		if (*at != '%' || !at[1])
			continue;
		at++;
		if (*at == '?')
			level++;
		else if (*at == ';' && !level--)
			return at + 1;
		else if (*at == 'e' && !level && to_else)
			return at + 1;
	}
	return at;
}

/* "%2.2X" and the like. */
static const char *tput_number(struct tput_run *r, const char *at)
{
	int width = 0, precision = -1;

	at += *at == ':';
	for (; *at >= '0' && *at <= '9'; at++)
		width = width < TPUT_WIDTH_MAX ? width * 10 + (*at - '0') : width;
	if (*at == '.')
		for (precision = 0, at++; *at >= '0' && *at <= '9'; at++)
			precision = precision < TPUT_WIDTH_MAX ? precision * 10 + (*at - '0') : precision;
	if (*at == 'X')
		str_addf(r->out, "%*.*lX", width, precision, (unsigned long)tput_pop(r));
	else
		str_addf(r->out, "%*.*ld", width, precision, tput_pop(r));
	return *at ? at + 1 : at;
}

/* One operation; at is behind the %. */
static const char *tput_step(struct tput_run *r, const char *at)
{
	long v;

	switch (*at) {
	case 'i': r->param[0]++, r->param[1]++; return at + 1;
	case 'c': str_addc(r->out, (int)tput_pop(r)); return at + 1;
	case 'p':
		tput_push(r, at[1] >= '1' && at[1] <= '9' ? r->param[at[1] - '1'] : 0);
		return at[1] ? at + 2 : at + 1;
	case '{':
		for (v = 0, at++; *at >= '0' && *at <= '9'; at++)
			v = v < 100000000 ? v * 10 + (*at - '0') : v;
		tput_push(r, v);
		return *at ? at + 1 : at;
	case '?':
	case ';': return at + 1;
	case 't': return tput_pop(r) ? at + 1 : tput_skip(at + 1, true);
	case 'e': return tput_skip(at + 1, false);
	default:
		if (strchr("-*/|<", *at)) {
			tput_binary(r, *at);
			return at + 1;
		}
		return tput_number(r, at);
	}
}

static void tput_expand(struct str *out, const char *text, const long *params)
{
	struct tput_run r = { .out = out };

	memcpy(r.param, params, sizeof(r.param));
	while (*text) {
		const char *end;

		if (*text == '%') {
			text = tput_step(&r, text + 1);
		} else if (text[0] == '$' && text[1] == '<' && (end = strchr(text, '>'))) {
			text = end + 1;		/* a delay: not needed */
		} else {
			str_addc(out, *text++);
		}
	}
}

/* ---- tput ---- */

struct tput {
	bool script, version, keep_scrollback;
	const char *terminal;
	struct tsb_proc *p;
	enum tput_terminal kind;
	struct str out;
};

static const struct tsb_opt tput_opts[] = {
	TSB_OPT_FLAG(struct tput, script, 'S', NULL, "read commands from standard input"),
	TSB_OPT_STR(struct tput, terminal, 'T', NULL, "TERM", "use this instead of $TERM"),
	TSB_OPT_FLAG(struct tput, version, 'V', NULL, "print curses-version"),
	TSB_OPT_FLAG(struct tput, keep_scrollback, 'x', NULL, "do not try to clear scrollback"),
	TSB_OPT_END
};

/* The window's: of the first descriptor that is a terminal. */
static int tput_window(struct tput *t, bool columns)
{
	static const int order[] = { 2, 1, 0 };
	struct tsb_winsize size;

	for (size_t i = 0; i < sizeof(order) / sizeof(*order); i++)
		if (!tsb_get_winsize(t->p, order[i], &size))
			return columns ? size.columns : size.rows;
	return 0;
}

static int tput_size(struct tput *t, const char *variable, int otherwise)
{
	const char *text = tsb_getenv(t->p, variable);
	int64_t n;
	int window;

	if (text && num_i64(text, &n) == NUM_OK && n > 0 && n < 1 << 20)
		return (int)n;
	window = tput_window(t, *variable == 'C');
	return window ? window : otherwise;
}

static void tput_clear(struct tput *t)
{
	if (t->kind != TPUT_XTERM)
		return;
	str_adds(&t->out, t->keep_scrollback ? "\033[H\033[2J" : "\033[H\033[2J\033[3J");
}

static void tput_init_strings(struct tput *t, bool reset)
{
	if (t->kind == TPUT_XTERM && reset)
		str_adds(&t->out, "\033c\033]104\007");
	if (t->kind == TPUT_XTERM)
		str_adds(&t->out, "\033[!p\033[?3;4l\033[4l\033>");
}

/* As far as anybody counts lines or colours. */
static long tput_parameter(const char *text)
{
	long v = strtol(text, NULL, 10);

	return v > INT32_MAX / 2 ? INT32_MAX / 2 : v < -INT32_MAX / 2 ? -INT32_MAX / 2 : v;
}

/* Takes as many of the arguments as the capability has parameters. */
static void tput_string(struct tput *t, const struct tput_cap *cap, int argc, char **argv, int *used)
{
	long params[TPUT_PARAMS] = { 0 };
	int wanted = 0;

	for (const char *at = cap->text; (at = strstr(at, "%p")); at += 2)
		if (at[2] - '0' > wanted && at[2] <= '9')
			wanted = at[2] - '0';
	if (!argc && wanted) {
		str_adds(&t->out, cap->text);	/* without arguments: as it is written */
		return;
	}
	for (*used = 0; *used < argc && *used < wanted; ++*used)
		params[*used] = tput_parameter(argv[*used]);
	tput_expand(&t->out, cap->text, params);
}

/* One command; *used: how many arguments behind it were its own. */
static int tput_one(struct tput *t, int argc, char **argv, int *used)
{
	const char *name = argv[0];
	const struct tput_cap *cap;

	if (!strcmp(name, "clear") && t->kind == TPUT_XTERM) {
		tput_clear(t);
		return 0;
	}
	if (!strcmp(name, "init") || !strcmp(name, "reset")) {
		tput_init_strings(t, name[0] == 'r');
		return 0;
	}
	if (!strcmp(name, "longname")) {
		str_adds(&t->out, t->kind == TPUT_XTERM ? "xterm with 256 colors" : "80-column dumb tty");
		return 0;
	}
	cap = tput_find(t->kind, name);
	if (!cap && tput_is_number(name)) {
		str_adds(&t->out, "-1\n");
		return 0;
	}
	if (!cap && !tput_is_name(name)) {
		tsb_warn(t->p, "unknown terminfo capability '%s'", name);
		return TPUT_UNKNOWN;
	}
	if (!cap)
		return TPUT_FALSE;
	if (cap->kind == 'b')
		return 0;
	if (cap->kind == 'n') {
		int n = cap->number;

		n = !strcmp(name, "cols") ? tput_size(t, "COLUMNS", n) :
		    !strcmp(name, "lines") ? tput_size(t, "LINES", n) : n;
		str_addf(&t->out, "%d\n", n);
		return 0;
	}
	tput_string(t, cap, argc - 1, argv + 1, used);
	return 0;
}

static int tput_do(struct tput *t, int argc, char **argv)
{
	int status = 0;

	for (int used = 0, i = 0; i < argc && status != TPUT_UNKNOWN; i += 1 + used) {
		used = 0;
		status = tput_one(t, argc - i, argv + i, &used);
	}
	return status;
}

/* -S: a command a line. */
static int tput_script(struct tput *t)
{
	struct lines in = { .p = t->p };
	int status = 0;
	char *line;
	size_t n;

	lines_open(&in, t->p, 0);
	while (lines_next(&in, '\n', &line, &n)) {
		char *words[TPUT_PARAMS + 2], *at;
		int count = 0;

		n -= line[n - 1] == '\n';
		at = line = tsb_strndup(t->p, line, n);
		while (count <= TPUT_PARAMS && *(at += strspn(at, " \t"))) {
			size_t len = strcspn(at, " \t");

			words[count++] = at;
			at += len + (at[len] != '\0');
			at[-1] = at[-1] == ' ' || at[-1] == '\t' ? '\0' : at[-1];
		}
		words[count] = NULL;
		if (count && tput_do(t, count, words))
			status = TPUT_UNKNOWN;
	}
	return status;
}

static void tput_finish(struct tput *t)
{
	tsb_put(t->p, t->out.p, t->out.n);
}

/* Which terminal: 0, or the status after the message. */
static int tput_begin(struct tput *t, struct tsb_proc *p)
{
	const char *name = t->terminal ? t->terminal : tsb_getenv(p, "TERM");

	t->p = p;
	str_init(&t->out, tsb_heap_of(p), STR_MAX_DEFAULT);
	if (!name || !*name) {
		tsb_warn(p, "No value for $TERM and no -T specified");
		return TPUT_USAGE;
	}
	t->kind = tput_terminal(name);
	if (t->kind != TPUT_NONE)
		return 0;
	tsb_warn(p, "unknown terminal \"%s\"", name);
	return TPUT_NO_TERMINAL;
}

static int tput_run(struct tsb_proc *p, void *opts, int argc, char **argv)
{
	static const char usage[] =
		"Usage: tput [options] [command]\n\nOptions:\n"
		"  -S <<       read commands from standard input\n"
		"  -T TERM     use this instead of $TERM\n"
		"  -V          print curses-version\n"
		"  -x          do not try to clear scrollback\n\nCommands:\n"
		"  clear       clear the screen\n  init        initialize the terminal\n"
		"  reset       reinitialize the terminal\n"
		"  capname     unlike clear/init/reset, print value for capability \"capname\"\n";
	struct tput *t = opts;
	int status;

	if (t->version) {
		tsb_puts(p, "ncurses 6.4.20221231\n");
		return 0;
	}
	status = tput_begin(t, p);
	if (status)
		return status;
	if (!argc && !t->script) {
		tsb_write_all(p, 2, usage, sizeof(usage) - 1);
		return TPUT_USAGE;
	}
	status = t->script ? tput_script(t) : tput_do(t, argc, argv);
	tput_finish(t);
	return status;
}

const struct tsb_command cmd_tput = {
	.version = TSB_COMMAND_VERSION, .package = "ncurses", .package_version = "6.4.20221231",
	.name = "tput", .synopsis = "[options] [command]",
	.summary = "Query the terminal description.", .opts = tput_opts,
	.opts_size = sizeof(struct tput), .run = tput_run, .flags = TSB_NO_HELP,
	.usage_status = TPUT_USAGE,
};

/* ---- clear, reset ---- */

static const struct tsb_opt clear_opts[] = {
	TSB_OPT_STR(struct tput, terminal, 'T', NULL, "TERM", "use this instead of $TERM"),
	TSB_OPT_FLAG(struct tput, version, 'V', NULL, "print curses-version"),
	TSB_OPT_FLAG(struct tput, keep_scrollback, 'x', NULL, "do not try to clear scrollback"),
	TSB_OPT_END
};

static int clear_run(struct tsb_proc *p, void *opts, int argc, char **argv)
{
	static const char usage[] =
		"Usage: clear [options]\n\nOptions:\n"
		"  -T TERM     use this instead of $TERM\n"
		"  -V          print curses-version\n"
		"  -x          do not try to clear scrollback\n";
	struct tput *t = opts;
	const char *name = t->terminal ? t->terminal : tsb_getenv(p, "TERM"), *text;

	(void)argv;
	if (t->version) {
		tsb_puts(p, "ncurses 6.4.20221231\n");
		return 0;
	}
	if (argc) {
		tsb_write_all(p, 2, usage, sizeof(usage) - 1);
		return 1;
	}
	t->p = p;
	str_init(&t->out, tsb_heap_of(p), STR_MAX_DEFAULT);
	t->kind = name && *name ? tput_terminal(name) : TPUT_NONE;
	if (t->kind == TPUT_NONE) {
		text = !name ? "TERM environment variable not set.\n" :
		       tsb_format(p, "'%s': unknown terminal type.\n", name);
		tsb_write_all(p, 2, text, strlen(text));
		return 1;
	}
	tput_clear(t);
	tput_finish(t);
	return t->kind == TPUT_XTERM ? 0 : 1;
}

const struct tsb_command cmd_clear = {
	.version = TSB_COMMAND_VERSION, .package = "ncurses", .package_version = "6.4.20221231",
	.name = "clear", .synopsis = "[options]", .summary = "Clear the terminal screen.",
	.opts = clear_opts, .opts_size = sizeof(struct tput), .run = clear_run,
	.flags = TSB_NO_HELP,
};

static const struct tsb_opt reset_opts[] = {
	TSB_OPT_DOC('c', NULL, NULL, "set control characters"),
	TSB_OPT_DOC('e', NULL, "ch", "erase character"),
	TSB_OPT_DOC('I', NULL, NULL, "no initialization strings"),
	TSB_OPT_DOC('i', NULL, "ch", "interrupt character"),
	TSB_OPT_DOC('k', NULL, "ch", "kill character"),
	TSB_OPT_DOC('m', NULL, "mapping", "map identifier to type"),
	TSB_OPT_DOC('Q', NULL, NULL, "do not output control key settings"),
	TSB_OPT_DOC('q', NULL, NULL, "display term only, do no changes"),
	TSB_OPT_DOC('r', NULL, NULL, "display term on stderr"),
	TSB_OPT_DOC('s', NULL, NULL, "output TERM set command"),
	TSB_OPT_DOC('V', NULL, NULL, "print curses-version"),
	TSB_OPT_DOC('w', NULL, NULL, "set window-size"),
	TSB_OPT_END
};

static int reset_usage(struct tsb_proc *p, const char *why)
{
	struct str text;

	str_init(&text, tsb_heap_of(p), STR_MAX_DEFAULT);
	str_addf(&text, "%sUsage: reset [options] [terminal]\n\nOptions:\n", why);
	for (const struct tsb_opt *o = reset_opts; o->kind != TSB_OPTION_END; o++)
		str_addf(&text, "  -%c %-8s %s\n", o->short_name, o->arg ? o->arg : "", o->help);
	str_adds(&text, "\nIf neither -c/-w are given, both are assumed.\n");
	tsb_write_all(p, 2, text.p, text.n);
	return 1;
}

/* -1: the options are good; the characters of -e, -i and -k may be missing. *i: the first operand. */
static int reset_options(struct tsb_proc *p, int argc, char **argv, int *i)
{
	for (*i = 0; *i < argc && argv[*i][0] == '-' && argv[*i][1]; ++*i) {
		if (!strcmp(argv[*i], "--")) {
			++*i;
			break;
		}
		for (const char *c = argv[*i] + 1; *c; c++) {
			if (*c == 'V') {
				tsb_puts(p, "ncurses 6.4.20221231\n");
				return 0;
			}
			if (strchr("eikm", *c)) {
				if (!c[1] && *i + 1 < argc && (*c == 'm' || argv[*i + 1][0] != '-'))
					++*i;
				else if (!c[1] && *c == 'm')
					return reset_usage(p, "reset: option requires an argument -- 'm'\n");
				break;
			}
			if (!strchr("cIQqrsw", *c))
				return reset_usage(p, tsb_format(p, "reset: invalid option -- '%c'\n", *c));
		}
	}
	return argc - *i > 1 ? reset_usage(p, "") : -1;
}

static int reset_run(struct tsb_proc *p, void *opts, int argc, char **argv)
{
	const char *text = "reset: terminal attributes: No such device or address\n\n";
	int first, status = reset_options(p, argc, argv, &first);

	(void)opts;
	if (status >= 0)
		return status;
	if (!tsb_isatty(p, 2) && !tsb_isatty(p, 1) && !tsb_isatty(p, 0)) {
		tsb_write_all(p, 2, text, strlen(text));
		return 10;
	}
	text = "\033c\033]104\007\033[!p\033[?3;4l\033[4l\033>\r";
	tsb_write_all(p, 2, text, strlen(text));
	return 0;
}

const struct tsb_command cmd_reset = {
	.version = TSB_COMMAND_VERSION, .package = "ncurses", .package_version = "6.4.20221231",
	.name = "reset", .synopsis = "[options] [terminal]", .summary = "Initialize the terminal.",
	.opts = reset_opts, .run = reset_run, .flags = TSB_RAW | TSB_NO_HELP,
};
