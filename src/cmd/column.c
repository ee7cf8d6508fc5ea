/*
 * column - lay out lines in columns, or their words in a table.
 */
#include "cmd/column.h"

#include <errno.h>
#include <string.h>

#include "base/num.h"
#include "base/str.h"
#include "base/utf8.h"
#include "cmd/cmd.h"
#include "cmd/locale.h"
#include "cmd/quote.h"

enum { COLUMN_TAB = 8, COLUMN_TERMINAL = 80 };

/* ---- Options ---- */

static int column_number(struct tsb_proc *p, const char *arg, const char *what, uint64_t *value)
{
	int64_t v = 0;
	enum num_result r = num_i64(arg, &v);

	if (r == NUM_OK && v >= 0 && v <= UINT32_MAX) {
		*value = (uint64_t)v;
		return 0;
	}
	if (r == NUM_OK || r == NUM_RANGE)
		tsb_warn_errno(p, ERANGE, "%s: '%s'", what, arg);
	else
		tsb_warn(p, "%s: '%s'", what, arg);
	return 1;
}

static int column_opt_width(struct tsb_proc *p, void *opts, const struct tsb_opt *opt,
			    const char *arg)
{
	struct column *c = opts;

	(void)opt;
	c->width_given = true;
	return column_number(p, arg, "invalid columns argument", &c->width);
}

static int column_opt_limit(struct tsb_proc *p, void *opts, const struct tsb_opt *opt,
			    const char *arg)
{
	struct column *c = opts;
	int status = column_number(p, arg, "invalid columns limit argument", &c->limit);

	(void)opt;
	if (status || c->limit)
		return status;
	tsb_warn(p, "columns limit must be greater than zero");
	return 1;
}

static int column_opt_json(struct tsb_proc *p, void *opts, const struct tsb_opt *opt, const char *arg)
{
	struct column *c = opts;

	(void)p;
	(void)opt;
	(void)arg;
	c->json = c->table = true;
	return 0;
}

static const struct tsb_opt column_opts[] = {
	TSB_OPT_FLAG(struct column, table, 't', "table", "create a table"),
	TSB_OPT_STR(struct column, name, 'n', "table-name", "NAME", "table name for JSON output"),
	TSB_OPT_STR(struct column, order, 'O', "table-order", "COLUMNS", "specify order of output columns"),
	TSB_OPT_STR(struct column, names, 'N', "table-columns", "NAMES", "comma separated columns names"),
	TSB_OPT_CALL(column_opt_limit, 0, 'l', "table-columns-limit", "NUM",
		     "maximal number of input columns"),
	TSB_OPT_STR(struct column, no_extreme, 'E', "table-noextreme", "COLUMNS",
		    "don't count long text from the columns to column width"),
	TSB_OPT_FLAG(struct column, no_headings, 'd', "table-noheadings", "don't print header"),
	TSB_OPT_STR(struct column, hide, 'H', "table-hide", "COLUMNS", "don't print the columns"),
	TSB_OPT_STR(struct column, right, 'R', "table-right", "COLUMNS",
		    "right align text in these columns"),
	TSB_OPT_STR(struct column, trunc, 'T', "table-truncate", "COLUMNS",
		    "truncate text in the columns when necessary"),
	TSB_OPT_STR(struct column, wrap, 'W', "table-wrap", "COLUMNS",
		    "wrap text in the columns when necessary"),
	TSB_OPT_FLAG(struct column, keep_empty, 'L', "keep-empty-lines", "don't ignore empty lines"),
	TSB_OPT_CALL(column_opt_json, 0, 'J', "json", NULL, "use JSON output format for table"),
	TSB_OPT_STR(struct column, tree, 'r', "tree", "COLUMN",
		    "column to use tree-like output for the table"),
	TSB_OPT_STR(struct column, tree_id, 'i', "tree-id", "COLUMN",
		    "line ID to specify child-parent relation"),
	TSB_OPT_STR(struct column, tree_parent, 'p', "tree-parent", "COLUMN",
		    "parent to specify child-parent relation"),
	TSB_OPT_CALL(column_opt_width, 0, 'c', "output-width", "WIDTH",
		     "width of output in number of characters"),
	TSB_OPT_STR(struct column, output_separator, 'o', "output-separator", "STRING",
		    "columns separator for table output (default is two spaces)"),
	TSB_OPT_STR(struct column, input_separator, 's', "separator", "STRING",
		    "possible table delimiters"),
	TSB_OPT_FLAG(struct column, keep_empty, 0, "table-empty-lines", "the same as --keep-empty-lines"),
	TSB_OPT_FLAG(struct column, repeat_header, 'e', "table-header-repeat",
		     "repeat the header on each page of a terminal (output has no pages here)"),
	TSB_OPT_FLAG(struct column, rows_first, 'x', "fillrows", "fill rows before columns"),
	TSB_OPT_HELP('h', NULL),
	TSB_OPT_VERSION('V', NULL),
	TSB_OPT_END
};

/* ---- Input ---- */

size_t column_width(const char *s)
{
	return utf8_columns(s, strlen(s));
}

static void column_line(struct column *c, char *line)
{
	size_t width;

	c->line++;
	if (!line[strspn(line, " \t\v\f\r")] && !c->keep_empty)
		return;
	if (c->table) {
		column_table_line(c, line);
		return;
	}
	*vec_add(tsb_heap_of(c->p), &c->entries) = tsb_strdup(c->p, line);
	width = column_width(line);
	c->longest = width > c->longest ? width : c->longest;
}

/* What is no character of the locale is shown as \xff. */
static char *column_clean(struct column *c, const char *line, size_t n)
{
	int32_t point;
	struct str s;
	size_t used;
	bool utf8 = locale_utf8(c->p);

	str_init(&s, tsb_heap_of(c->p), STR_MAX_DEFAULT);
	for (; n; line += used, n -= used) {
		used = utf8_decode(line, utf8 ? n : 1, &point);
		if (point < 0) {
			str_addf(&s, "\\x%02x", (unsigned)(unsigned char)*line);
		} else {
			str_addn(&s, line, used);
		}
	}
	return str_take(&s, NULL);
}

static bool column_file(struct column *c, const char *name)
{
	int fd = name ? tsb_open(c->p, name, 0, 0) : 0;
	struct lines in = { 0 };
	char *line, *clean;
	size_t n;

	if (fd < 0) {
		tsb_warn_errno(c->p, fd, "%s", name);
		return false;
	}
	lines_open(&in, c->p, fd);
	while (lines_next(&in, '\n', &line, &n)) {
		n -= line[n - 1] == '\n';
		clean = column_clean(c, line, n);
		column_line(c, clean);
		tsb_free(c->p, clean);
		tsb_tick(c->p, 1);
	}
	if (fd)
		tsb_close(c->p, fd);
	if (in.error) {
		tsb_warn_errno(c->p, in.error, "read failed");
		tsb_exit(c->p, 1);
	}
	return true;
}

/* ---- Columns ---- */

static void column_entry(struct column *c, size_t i, size_t *at)
{
	sink_puts(&c->out, c->entries.at[i]);
	*at += column_width(c->entries.at[i]);
}

static void column_tabs(struct column *c, size_t *at, size_t stop)
{
	size_t next;

	while ((next = (*at + COLUMN_TAB) / COLUMN_TAB * COLUMN_TAB) <= stop) {
		sink_putc(&c->out, '\t');
		*at = next;
	}
}

static void column_fill(struct column *c)
{
	size_t width = (c->longest + COLUMN_TAB) / COLUMN_TAB * COLUMN_TAB, n = c->entries.n;
	size_t columns = c->width / width ? (size_t)(c->width / width) : 1;
	size_t rows = n / columns + (n % columns != 0);

	for (size_t row = 0; row < rows; row++) {
		size_t at = 0, i = c->rows_first ? row * columns : row;

		for (size_t column = 0; column < columns; column++) {
			column_entry(c, i, &at);
			i += c->rows_first ? 1 : rows;
			if (i >= n || column + 1 == columns) {
				if (!c->rows_first && i < n)
					column_tabs(c, &at, (column + 1) * width);
				break;
			}
			column_tabs(c, &at, (column + 1) * width);
		}
		sink_putc(&c->out, '\n');
		tsb_tick(c->p, columns);
	}
}

static void column_print(struct column *c)
{
	if (c->entries.n && c->longest < c->width) {
		column_fill(c);
		return;
	}
	for (size_t i = 0; i < c->entries.n; i++) {
		sink_puts(&c->out, c->entries.at[i]);
		sink_putc(&c->out, '\n');
	}
}

static uint64_t column_terminal(struct tsb_proc *p)
{
	const char *columns = tsb_getenv(p, "COLUMNS");
	uint64_t v = 0;

	return columns && num_u64(columns, &v) == NUM_OK && v ? v : COLUMN_TERMINAL;
}

static int column_run(struct tsb_proc *p, void *opts, int argc, char **argv)
{
	struct column *c = opts;
	bool ok = true, tables;
	int status = 0;

	c->p = p;
	if (c->rows_first && (c->json || c->table)) {
		tsb_warn(p, "mutually exclusive arguments: %s", c->json ? "--json --fillrows" :
			 "--table --fillrows");
		return 1;
	}
	c->table |= c->tree != NULL;
	tables = c->names || c->name || c->right || c->hide || c->order || c->trunc || c->wrap ||
		 c->no_extreme;
	if (tables && !c->table) {
		tsb_warn(p, "option --table required for all --table-*");
		return 1;
	}
	if (c->tree && (!c->tree_id || !c->tree_parent)) {
		tsb_warn(p, "options --tree-id and --tree-parent are required for tree formatting");
		return 1;
	}
	if (c->json && !c->names) {
		tsb_warn(p, "option --table-columns required for --json");
		return 1;
	}
	if (!c->width_given)
		c->width = column_terminal(p);
	sink_init_apart(&c->out, p);
	column_table_names(c);
	if (!argc)
		ok = column_file(c, NULL);
	for (int i = 0; i < argc; i++)
		ok &= column_file(c, argv[i]);
	if (c->table)
		status = column_table_print(c);
	else
		column_print(c);
	sink_flush(&c->out);
	return status ? status : !ok;
}

const struct tsb_command cmd_column = {
	.version = TSB_COMMAND_VERSION, .package = "util-linux", .package_version = "2.38.1",
	.name = "column", .synopsis = "[options] [<file>...]", .summary = "Columnate lists.",
	.opts = column_opts, .opts_size = sizeof(struct column), .run = column_run,
};
