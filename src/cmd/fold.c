/*
 * fold - break lines that are too long.
 */
#include "cmd/cmd.h"

#include <string.h>

#include "base/str.h"
#include "cmd/lines.h"
#include "cmd/quote.h"
#include "cmd/whole.h"

struct fold {
	bool bytes, spaces;
	uint64_t width;

	struct tsb_proc *p;
	struct sink out;
	struct lines in;
	struct str line;	/* what of the current line is not yet written */
	size_t column;
};

static int fold_width(struct tsb_proc *p, void *opts, const struct tsb_opt *opt, const char *arg)
{
	struct fold *f = opts;

	(void)opt;
	return whole_parse(p, arg, 1, SIZE_MAX - 9, NULL, "invalid number of columns", &f->width);
}

static const struct tsb_opt fold_opts[] = {
	TSB_OPT_FLAG(struct fold, bytes, 'b', "bytes", "count bytes rather than columns"),
	TSB_OPT_FLAG(struct fold, spaces, 's', "spaces", "break at spaces"),
	TSB_OPT_CALL(fold_width, 0, 'w', "width", "WIDTH", "use WIDTH columns instead of 80"),
	{ TSB_OPTION_CALL, 0, NULL, "NUM", NULL, 0, 0, TSB_OPT_DIGITS | TSB_OPT_HIDDEN, fold_width },
	TSB_OPT_END
};

static size_t fold_advance(const struct fold *f, size_t column, char c)
{
	if (f->bytes)
		return column + 1;
	switch (c) {
	case '\b': return column ? column - 1 : 0;
	case '\r': return 0;
	case '\t': return column + 8 - column % 8;
	default: return column + 1;
	}
}

/* Writes the line up to n, and a newline; the rest stays. */
static void fold_break(struct fold *f, size_t n)
{
	sink_put(&f->out, f->line.p, n);
	sink_putc(&f->out, '\n');
	str_erase(&f->line, 0, n);
	f->column = 0;
	for (size_t i = 0; i < f->line.n; i++)
		f->column = fold_advance(f, f->column, f->line.p[i]);
}

/* Where the line is to be broken: behind its last blank, or at its end. */
static size_t fold_place(const struct fold *f)
{
	size_t n = f->line.n;

	if (!f->spaces)
		return n;
	while (n && f->line.p[n - 1] != ' ' && f->line.p[n - 1] != '\t')
		n--;
	return n ? n : f->line.n;
}

static void fold_char(struct fold *f, char c)
{
	size_t column;

	while ((column = fold_advance(f, f->column, c)) > f->width && f->line.n)
		fold_break(f, fold_place(f));
	f->column = column;
	str_addc(&f->line, c);
}

static void fold_flush(struct fold *f)
{
	sink_put(&f->out, f->line.p, f->line.n);
	str_reset(&f->line);
	f->column = 0;
}

static bool fold_file(struct fold *f, const char *name)
{
	int fd = input_open(f->p, name);
	char *line;
	size_t n;

	if (fd < 0) {
		tsb_warn_errno(f->p, fd, "%s", quote_f(f->p, name));
		return false;
	}
	lines_open(&f->in, f->p, fd);
	while (lines_next(&f->in, '\n', &line, &n)) {
		bool whole = line[n - 1] == '\n';

		for (size_t i = 0; i < n - whole; i++)
			fold_char(f, line[i]);
		fold_flush(f);
		if (whole)
			sink_putc(&f->out, '\n');
		tsb_tick(f->p, n / 64 + 1);
	}
	if (f->in.error)
		tsb_warn_errno(f->p, f->in.error, "%s", quote_f(f->p, name));
	input_close(f->p, fd);
	return !f->in.error;
}

static int fold_run(struct tsb_proc *p, void *opts, int argc, char **argv)
{
	struct fold *f = opts;
	bool ok = true;

	f->p = p;
	sink_init(&f->out, p);
	str_init(&f->line, tsb_heap_of(p), STR_MAX_DEFAULT);
	if (!argc)
		ok = fold_file(f, "-");
	for (int i = 0; i < argc; i++)
		ok &= fold_file(f, argv[i]);
	sink_flush(&f->out);
	return !ok;
}

static const struct fold fold_defaults = { .width = 80 };

const struct tsb_command cmd_fold = {
	CMD_COREUTILS, .name = "fold", .synopsis = "[OPTION]... [FILE]...",
	.summary = "Wrap input lines in each FILE, writing to standard output.",
	.opts = fold_opts, .opts_size = sizeof(struct fold), .defaults = &fold_defaults,
	.run = fold_run,
};
