/*
 * colcrt - nroff's output for screens: underlining goes on lines of its own
 * (util-linux). Of a line 132 columns are kept. A column that nothing was put
 * into ends the line, as the NUL it is in the real one.
 */
#include <errno.h>
#include <fcntl.h>
#include <string.h>

#include "base/utf8.h"
#include "cmd/cmd.h"
#include "cmd/linuxopt.h"
#include "cmd/wide.h"

enum { COLCRT_COLUMNS = 132 };

struct colcrt {
	bool no_underlining, half_lines;
	struct tsb_proc *p;
	struct wide in;
	int32_t line[COLCRT_COLUMNS + 1], under[COLCRT_COLUMNS + 1];
	bool newline, underlined;
};

static void colcrt_put(struct colcrt *c, int32_t *line)
{
	size_t n = 0;

	while (line[n])
		n++;
	while (n && (line[n - 1] == ' ' || utf8_is(line[n - 1], "space")))
		n--;
	for (size_t i = 0; i < n; i++)
		wide_put(c->p, line[i]);
}

static void colcrt_write(struct colcrt *c, int columns)
{
	colcrt_put(c, c->line);
	if (c->newline)
		tsb_putc(c->p, '\n');
	if (!c->half_lines && !c->no_underlining)
		c->newline = false;
	memset(c->line, 0, sizeof(c->line));
	if (c->underlined) {
		c->underlined = false;
		c->under[columns] = 0;
		colcrt_put(c, c->under);
		tsb_putc(c->p, '\n');
		for (int i = 0; i < COLCRT_COLUMNS; i++)
			c->under[i] = ' ';
	} else if (c->half_lines && columns > 0) {
		tsb_putc(c->p, '\n');
	}
}

static int colcrt_rub(struct colcrt *c, int column, int n)
{
	for (; n > 0 && column > 0; n--, column--) {
		c->line[column] = 0;
		c->under[column] = ' ';
	}
	return column;
}

/* A character for a column; the column after which the next one stands. */
static int colcrt_one(struct colcrt *c, int32_t ch, int column)
{
	switch (ch) {
	case '\033':
		ch = wide_get(&c->in);
		return ch == '8' || ch == '7' ? colcrt_rub(c, column, ch == '8' ? 1 : 2) : column;
	case '\t':
		for (; column % 8 && column < COLCRT_COLUMNS; column++)
			c->line[column] = ' ';
		return column - 1;
	case '_':
		c->line[column] = ' ';
		if (!c->no_underlining) {
			c->underlined = true;
			c->under[column] = '-';
		}
		return column;
	}
	if (!wide_print(ch))
		return column - 1;
	c->newline = true;
	c->line[column] = ch;
	return column;
}

static void colcrt_file(struct colcrt *c)
{
	int32_t ch = 0;

	c->newline = true;
	c->underlined = false;
	if (c->half_lines)
		tsb_putc(c->p, '\n');
	while (ch >= 0) {
		int column;

		for (column = 0; column < COLCRT_COLUMNS; column++) {
			tsb_tick(c->p, 1);
			ch = wide_get(&c->in);
			if (ch < 0 || ch == '\n')
				break;
			column = colcrt_one(c, ch, column);
		}
		if (ch < 0)
			c->newline = false;
		colcrt_write(c, column);
		while (column == COLCRT_COLUMNS && ch >= 0 && ch != '\n') {
			tsb_tick(c->p, 1);
			ch = wide_get(&c->in);
		}
	}
}

static int colcrt_run(struct tsb_proc *p, void *opts, int argc, char **argv)
{
	struct colcrt *c = opts;
	int n = 0;

	c->p = p;
	for (int i = 0; i < argc; i++)
		if (!strcmp(argv[i], "-"))
			c->no_underlining = true;
		else
			argv[n++] = argv[i];
	for (int i = 0; i < COLCRT_COLUMNS; i++)
		c->under[i] = ' ';
	if (!n) {
		wide_open(&c->in, p, 0);
		colcrt_file(c);
	}
	for (int i = 0; i < n; i++) {
		int fd = tsb_open(p, argv[i], O_RDONLY, 0);

		if (fd < 0) {
			tsb_warn_errno(p, fd, "cannot open %s", argv[i]);
			return 1;
		}
		wide_open(&c->in, p, fd);
		colcrt_file(c);
		tsb_close(p, fd);
	}
	return 0;
}

static int colcrt_opt_show(struct tsb_proc *p, void *opts, const struct tsb_opt *opt, const char *arg)
{
	(void)opts, (void)arg;
	linuxopt_show(p, &cmd_colcrt, opt->value);
}

static const struct tsb_opt colcrt_opts[] = {
	TSB_OPT_FLAG(struct colcrt, no_underlining, 0, "no-underlining", "suppress all underlining (also: -)"),
	TSB_OPT_FLAG(struct colcrt, half_lines, '2', "half-lines", "print all half-lines"),
	LINUXOPT_HELP(colcrt_opt_show),
	TSB_OPT_END
};

const struct tsb_command cmd_colcrt = {
	.version = TSB_COMMAND_VERSION, .package = "util-linux", .package_version = "2.38.1",
	.name = "colcrt", .synopsis = "[options] [<file>...]", .summary = "Filter nroff output for CRT previewing.",
	.opts = colcrt_opts, .opts_size = sizeof(struct colcrt), .run = colcrt_run,
};
