/*
 * ul - underlining by backspaces made to what a terminal understands (util-linux).
 * A line is a row of columns, each with a character and how it looks; the
 * terminals are those of Debian's ncurses-base.
 */
#include <errno.h>
#include <fcntl.h>
#include <string.h>

#include "cmd/cmd.h"
#include "cmd/linuxopt.h"
#include "cmd/util.h"
#include "cmd/wide.h"

enum { UL_ALTERNATE = 1, UL_SUPER = 2, UL_SUB = 4, UL_UNDER = 8, UL_BOLD = 16 };

struct ul_terminal {
	const char *names;	/* a blank before and behind each */
	const char *under, *under_end, *bold, *dim, *reverse, *standout, *end, *up, *right;
};

#define UL_CURSOR "\033[A", "\033[C"
static const struct ul_terminal ul_terminals[] = {
	{ " xterm-256color xterm xterm-debian xterm-vt220 screen.xterm-256color ", "\033[4m", "\033[24m",
	  "\033[1m", "\033[2m", "\033[7m", "\033[7m", "\033(B\033[m", UL_CURSOR },
	{ " dumb ", "", "", "", "", "", "", "", "", "" },
	{ " linux ", "\033[4m", "\033[24m", "\033[1m", "\033[2m", "\033[7m", "\033[7m", "\033[m\017",
	  UL_CURSOR },
	{ " screen screen-256color screen-256color-bce screen-bce screen-s screen-w ", "\033[4m",
	  "\033[24m", "\033[1m", "\033[2m", "\033[7m", "\033[3m", "\033[m\017", "\033M", "\033[C" },
	{ " tmux tmux-256color ", "\033[4m", "\033[24m", "\033[1m", "\033[2m", "\033[7m", "\033[7m",
	  "\033[m\017", "\033M", "\033[C" },
	{ " vt100 vt102 ", "\033[4m", "\033[m", "\033[1m", "", "\033[7m", "\033[7m", "\033[m\017",
	  UL_CURSOR },
	{ " vt220 wsvt25 wsvt25m rxvt-unicode rxvt-unicode-256color ", "\033[4m", "\033[24m", "\033[1m",
	  "", "\033[7m", "\033[7m", "\033[m\033(B", UL_CURSOR },
	{ " ansi pcansi ", "\033[4m", "\033[m", "\033[1m", "", "\033[7m", "\033[7m", "\033[0;10m",
	  UL_CURSOR },
	{ " cygwin ", "\033[4m", "\033[24m", "\033[1m", "", "\033[7m", "\033[7m", "\033[0;10m",
	  UL_CURSOR },
	{ " rxvt rxvt-m Eterm Eterm-color xterm-xfree86 ", "\033[4m", "\033[24m", "\033[1m", "",
	  "\033[7m", "\033[7m", "\033[m\017", UL_CURSOR },
	{ " rxvt-basic ", "\033[4m", "\033[24m", "\033[1m", "", "\033[7m", "\033[7m", "\033[0m\017",
	  UL_CURSOR },
	{ " xterm-color xterm-mono xterm-r5 xterm-r6 ", "\033[4m", "\033[m", "\033[1m", "", "\033[7m",
	  "\033[7m", "\033[m", UL_CURSOR },
	{ " hurd mach-color mach-gnu-color mach-gnu ", "\033[4m", "\033[24m", "\033[1m", "\033[2m",
	  "\033[7m", "\033[7m", "\033[0m", UL_CURSOR },
	{ " mach ", "\033[4m", "\033[24m", "\033[1m", "", "\033[7m", "\033[7m", "\033[0m", UL_CURSOR },
	{ " mach-bold ", "\033[1m", "\033[0m", "\033[1m", "", "\033[7m", "\033[7m", "\033[0m", UL_CURSOR },
	{ " cons25 cons25-debian ", "", "", "\033[1m", "\033[30;1m", "\033[7m", "\033[7m", "\033[m",
	  UL_CURSOR },
	{ " sun ", "", "", "", "", "\033[7m", "\033[7m", "\033[m", UL_CURSOR },
	{ " vt52 ", "", "", "", "", "", "", "", "\033A", "\033C" },
};

struct ul_cell {
	int32_t c;		/* 0: nothing */
	int8_t width;		/* -1: the cell before goes on */
	uint8_t mode;
};

struct ul {
	const char *terminal;
	bool indicated;
	struct tsb_proc *p;
	struct wide in;
	struct ul_terminal t;
	struct ul_cell *at;
	size_t cap, column, max;
	uint8_t mode, shown;	/* of what is read; of the terminal */
	int half;		/* of a line, downwards */
	int up;			/* lines that are written over ones above */
};

static const char *ul_or(const char *a, const char *b)
{
	return *a ? a : b;
}

static void ul_settle(struct ul *u)
{
	const char *name = u->terminal ? u->terminal : tsb_getenv(u->p, "TERM");
	const char *key;
	size_t i;

	if (!name || !*name)
		name = "dumb";
	key = tsb_format(u->p, " %s ", name);
	for (i = 0; i < sizeof(ul_terminals) / sizeof(*ul_terminals); i++)
		if (!strchr(name, ' ') && strstr(ul_terminals[i].names, key))
			break;
	if (i == sizeof(ul_terminals) / sizeof(*ul_terminals)) {
		tsb_warn(u->p, "terminal `%s' is not known, defaulting to `dumb'", name);
		i = 1;
	}
	u->t = ul_terminals[i];
	u->t.reverse = ul_or(u->t.reverse, u->t.standout);
	u->t.bold = ul_or(u->t.bold, u->t.reverse);
	if (!*u->t.under) {
		u->t.under = u->t.standout;
		u->t.under_end = u->t.end;
	}
	u->t.dim = ul_or(u->t.dim, u->t.standout);
}

static void ul_room(struct ul *u, size_t column)
{
	while (column >= u->cap) {
		size_t old = u->cap;

		u->at = util_grow(u->p, u->at, u->cap, &u->cap, sizeof(*u->at));
		memset(u->at + old, 0, (u->cap - old) * sizeof(*u->at));
	}
}

static void ul_column(struct ul *u, size_t column)
{
	u->column = column;
	ul_room(u, column);
	if (column > u->max)
		u->max = column;
}

/* ---- Output ---- */

static void ul_show(struct ul *u, uint8_t mode)
{
	if (!u->indicated) {
		if (u->shown && mode)
			ul_show(u, 0);
		switch (mode) {
		case 0:
			if (u->shown)
				tsb_puts(u->p, u->shown == UL_UNDER ? u->t.under_end : u->t.end);
			break;
		case UL_ALTERNATE:
			tsb_puts(u->p, u->t.reverse);
			break;
		case UL_SUPER:
			tsb_puts(u->p, u->t.under);
			tsb_puts(u->p, u->t.dim);
			break;
		case UL_SUB:
			tsb_puts(u->p, u->t.dim);
			break;
		case UL_UNDER:
			tsb_puts(u->p, u->t.under);
			break;
		case UL_BOLD:
			tsb_puts(u->p, u->t.bold);
			break;
		default:
			tsb_puts(u->p, u->t.standout);
		}
	}
	u->shown = mode;
}

/* The line of marks below, which -i asks for. */
static void ul_indicate(struct ul *u)
{
	size_t blanks = 0;

	for (size_t i = 0; i < u->max; i++) {
		uint8_t m = u->at[i].mode;
		int mark = m == UL_ALTERNATE ? 'g' : m == UL_SUPER ? '^' : m == UL_SUB ? 'v' :
			   m == UL_UNDER ? '_' : m == UL_BOLD ? '!' : m ? 'X' : ' ';

		blanks++;
		if (mark == ' ')
			continue;
		for (; blanks > 1; blanks--)
			tsb_putc(u->p, ' ');
		tsb_putc(u->p, mark);
		blanks = 0;
	}
	tsb_putc(u->p, '\n');
}

static void ul_line(struct ul *u)
{
	bool had_mode = false;
	uint8_t mode = 0;

	tsb_tick(u->p, u->max / 16 + 1);
	for (size_t i = 0; i < u->max; i++) {
		const struct ul_cell *c = &u->at[i];

		if (c->mode != mode) {
			had_mode = true;
			ul_show(u, c->mode);
			mode = c->mode;
		}
		if (!c->c) {
			tsb_puts(u->p, u->up ? u->t.right : " ");
			continue;
		}
		wide_put(u->p, c->c);
		if (c->width > 1)
			i += (size_t)c->width - 1;
	}
	if (mode)
		ul_show(u, 0);
	tsb_putc(u->p, '\n');
	if (u->indicated && had_mode)
		ul_indicate(u);
	u->up -= u->up > 0;
	memset(u->at, 0, u->max * sizeof(*u->at));
	u->max = 0;
}

static void ul_end_line(struct ul *u)
{
	ul_line(u);
	u->column = 0;
	u->mode &= UL_ALTERNATE;
}

/* ---- Input ---- */

/* The line as it stands; the column stays. */
static void ul_forward(struct ul *u)
{
	size_t max = u->max;

	ul_line(u);
	u->mode &= UL_ALTERNATE;
	u->max = max;
}

static void ul_up(struct ul *u)
{
	u->up++;
	ul_forward(u);
	tsb_puts(u->p, u->t.up);
	tsb_puts(u->p, u->t.up);
	u->up++;
}

/* Half a line up (-1) or down; a second one is a whole line. */
static void ul_half(struct ul *u, int way)
{
	int on = way < 0 ? UL_SUPER : UL_SUB, off = way < 0 ? UL_SUB : UL_SUPER;

	if (u->half == way) {
		u->half = 0;
		if (way < 0)
			ul_up(u);
		else
			ul_forward(u);
		return;
	}
	u->mode = (uint8_t)(u->half ? u->mode & ~off : u->mode | on);
	u->half += way;
}

/* false: no sequence that is known. */
static bool ul_escape(struct ul *u)
{
	int32_t c = wide_get(&u->in);

	switch (c) {
	case '8': case '9':
		ul_half(u, c == '8' ? -1 : 1);
		return true;
	case '7':
		ul_up(u);
		return true;
	}
	tsb_warn(u->p, "unknown escape sequence in input: %o, %o", 033, (unsigned)c);
	return false;
}

static void ul_mark(struct ul *u, int width, uint8_t keep, uint8_t more)
{
	for (int i = 0; i < width; i++) {
		struct ul_cell *c = &u->at[u->column + (size_t)i];

		c->mode = (uint8_t)((c->mode & keep) | more | u->mode);
	}
}

static void ul_underscore(struct ul *u)
{
	struct ul_cell *c;

	ul_room(u, u->column);
	c = &u->at[u->column];
	if (c->c || c->width < 0) {
		while (u->column > 0 && u->at[u->column].width < 0)
			u->column--;
		c = &u->at[u->column];
		ul_mark(u, c->width, 0xff, UL_UNDER);
		ul_column(u, u->column + (size_t)c->width);
		return;
	}
	c->c = '_';
	c->width = 1;
	ul_column(u, u->column + 1);
}

static void ul_character(struct ul *u, int32_t ch)
{
	int width = wide_width(ch);
	struct ul_cell *c;

	if (!wide_print(ch))
		return;
	width = width > 0 ? width : 0;
	ul_room(u, u->column + (size_t)width);
	u->max = u->column + (size_t)width;	/* what is behind is lost, as in the real one */
	c = &u->at[u->column];
	if (!c->c || c->c == '_') {
		ul_mark(u, width, c->c ? 0xff : 0, c->c ? UL_UNDER : 0);
		c->c = ch;
		c->width = (int8_t)width;
		for (int i = 1; i < width; i++)
			c[i].width = -1;
	} else if (c->c == ch) {
		ul_mark(u, width, 0xff, UL_BOLD);
	} else {
		width = c->width > 0 ? c->width : 0;
		ul_mark(u, width, 0, 0);
	}
	ul_column(u, u->column + (size_t)width);
}

/* false: the file holds what ends the program. */
static bool ul_one(struct ul *u, int32_t c)
{
	switch (c) {
	case '\b':
		ul_column(u, u->column ? u->column - 1 : 0);
		break;
	case '\t':
		ul_column(u, (u->column + 8) & ~(size_t)7);
		break;
	case '\r':
		ul_column(u, 0);
		break;
	case '\016':
		u->mode |= UL_ALTERNATE;
		break;
	case '\017':
		u->mode &= (uint8_t)~UL_ALTERNATE;
		break;
	case '\033':
		return ul_escape(u);
	case '_':
		ul_underscore(u);
		break;
	case ' ':
		ul_column(u, u->column + 1);
		break;
	case '\n': case '\f':
		ul_end_line(u);
		if (c == '\f')
			tsb_putc(u->p, '\f');
		break;
	default:
		ul_character(u, c);
	}
	return true;
}

static bool ul_file(struct ul *u, int fd)
{
	int32_t c;

	wide_open(&u->in, u->p, fd);
	while ((c = wide_get(&u->in)) >= 0) {
		tsb_tick(u->p, 1);
		if (!ul_one(u, c))
			return false;
	}
	if (u->max)
		ul_end_line(u);
	tsb_reader_end(&u->in.in);
	return true;
}

static int ul_run(struct tsb_proc *p, void *opts, int argc, char **argv)
{
	struct ul *u = opts;

	u->p = p;
	ul_settle(u);
	ul_room(u, 0);
	if (!argc)
		return ul_file(u, 0) ? 0 : 1;
	for (int i = 0; i < argc; i++) {
		int fd = tsb_open(p, argv[i], O_RDONLY, 0);

		if (fd < 0) {
			tsb_warn_errno(p, fd, "cannot open %s", argv[i]);
			return 1;
		}
		if (!ul_file(u, fd))
			return 1;
		tsb_close(p, fd);
	}
	return 0;
}

static int ul_opt_show(struct tsb_proc *p, void *opts, const struct tsb_opt *opt, const char *arg)
{
	(void)opts, (void)arg;
	linuxopt_show(p, &cmd_ul, opt->value);
}

static const struct tsb_opt ul_opts[] = {
	TSB_OPT_STR(struct ul, terminal, 't', "terminal", "TERMINAL", "override the TERM environment variable"),
	TSB_OPT_STR(struct ul, terminal, 'T', NULL, "TERMINAL", NULL),
	TSB_OPT_FLAG(struct ul, indicated, 'i', "indicated", "underlining is indicated via a separate line"),
	LINUXOPT_HELP(ul_opt_show),
	TSB_OPT_END
};

const struct tsb_command cmd_ul = {
	.version = TSB_COMMAND_VERSION, .package = "util-linux", .package_version = "2.38.1",
	.name = "ul", .synopsis = "[options] [<file> ...]", .summary = "Do underlining.",
	.opts = ul_opts, .opts_size = sizeof(struct ul), .run = ul_run,
};
