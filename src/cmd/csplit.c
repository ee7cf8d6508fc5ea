/*
 * csplit - cut a file where lines match.
 */
#include "cmd/csplit.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <string.h>

#include "cmd/cmd.h"
#include "cmd/util.h"
#include "cmd/whole.h"
#include "text/regex.h"

enum { CSPLIT_BUFFER = 65536 };

static int csplit_opt_digits(struct tsb_proc *p, void *opts, const struct tsb_opt *opt,
			     const char *arg)
{
	struct csplit *c = opts;

	(void)opt;
	/* A minus makes it too small, not wrong. */
	if (arg[0] == '-' && arg[1] && strspn(arg + 1, "0123456789") == strlen(arg + 1)) {
		tsb_warn_errno(p, ERANGE, "invalid number: %s", quote_text(p, arg));
		return 1;
	}
	return whole_parse(p, arg, 0, INT_MAX, "", "invalid number", &c->digits);
}

static const struct tsb_opt csplit_opts[] = {
	TSB_OPT_STR(struct csplit, suffix, 'b', "suffix-format", "FORMAT",
		    "use sprintf FORMAT instead of %02d"),
	TSB_OPT_STR(struct csplit, prefix, 'f', "prefix", "PREFIX", "use PREFIX instead of 'xx'"),
	TSB_OPT_FLAG(struct csplit, keep, 'k', "keep-files", "do not remove output files on errors"),
	TSB_OPT_FLAG(struct csplit, suppress, 0, "suppress-matched", "suppress the lines matching PATTERN"),
	TSB_OPT_CALL(csplit_opt_digits, 0, 'n', "digits", "DIGITS",
		     "use specified number of digits instead of 2"),
	TSB_OPT_FLAG(struct csplit, quiet, 's', "quiet", "do not print counts of output file sizes"),
	TSB_OPT_FLAG(struct csplit, quiet, 'q', "silent", NULL),
	TSB_OPT_FLAG(struct csplit, elide, 'z', "elide-empty-files", "remove empty output files"),
	TSB_OPT_END
};

/* ---- Lines ---- */

static bool csplit_load(struct csplit *c)
{
	struct csplit_line line;
	char *text;

	if (!lines_next(&c->in, '\n', &text, &line.n)) {
		if (c->in.error) {
			tsb_warn_errno(c->p, c->in.error, "read error");
			csplit_fail(c);
		}
		return false;
	}
	line.text = text_alloc(c->p, line.n);
	memcpy(line.text, text, line.n);
	/* What was written makes room. */
	if (c->first && c->first * 2 >= c->held.n) {
		memmove(c->held.at, c->held.at + c->first,
			(c->held.n - c->first) * sizeof(*c->held.at));
		c->held.n -= c->first;
		c->first = 0;
	}
	*vec_add(tsb_heap_of(c->p), &c->held) = line;
	tsb_tick(c->p, 1);
	return true;
}

/* Line n, which stays; NULL: the file is shorter, or it was written. */
static struct csplit_line *csplit_find(struct csplit *c, uint64_t n)
{
	if (n < c->number)
		return NULL;
	while (n - c->number >= c->held.n - c->first)
		if (!csplit_load(c))
			return NULL;
	return &c->held.at[c->first + (size_t)(n - c->number)];
}

/* Takes the first line away: its text is the caller's. */
static bool csplit_take(struct csplit *c, struct csplit_line *line)
{
	if (c->first == c->held.n && !csplit_load(c))
		return false;
	*line = c->held.at[c->first++];
	if (c->current < c->number)
		c->current = c->number;
	c->number++;
	return true;
}

static uint64_t csplit_first(struct csplit *c)
{
	if (c->first == c->held.n && !csplit_load(c)) {
		tsb_warn(c->p, "input disappeared");
		tsb_exit(c->p, 1);
	}
	return c->number;
}

/* ---- Output ---- */

static void csplit_write(struct csplit *c)
{
	int err = tsb_write_all(c->p, c->fd, c->out.p, c->out.n);

	str_reset(&c->out);
	if (!err)
		return;
	tsb_warn(c->p, "write error for %s", quote_af(c->p, c->name));
	tsb_close(c->p, c->fd);
	c->fd = -1;
	csplit_fail(c);
}

static void csplit_close(struct csplit *c)
{
	int err;

	if (c->fd < 0)
		return;
	csplit_write(c);
	tsb_close(c->p, c->fd);
	c->fd = -1;
	if (c->written || !c->elide) {
		if (!c->quiet)
			tsb_printf(c->p, "%llu\n", (unsigned long long)c->written);
		return;
	}
	err = tsb_unlink(c->p, c->name);
	c->files -= !err;
	if (err && err != -ENOENT)
		tsb_warn_errno(c->p, err, "%s", quote_f(c->p, c->name));
}

void csplit_fail(struct csplit *c)
{
	csplit_close(c);
	while (!c->keep && c->files) {
		const char *name = csplit_name(c, --c->files);
		int err = tsb_unlink(c->p, name);

		if (err && err != -ENOENT)
			tsb_warn_errno(c->p, err, "%s", quote_f(c->p, name));
	}
	tsb_exit(c->p, 1);
}

static void csplit_create(struct csplit *c)
{
	c->name = csplit_name(c, c->files);
	c->fd = tsb_open(c->p, c->name, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
	if (c->fd < 0) {
		tsb_warn_errno(c->p, c->fd, "%s", quote_f(c->p, c->name));
		c->fd = -1;
		csplit_fail(c);
	}
	c->files++;
	c->written = 0;
}

/* Takes a line and writes it, or drops it: false at the end. */
static bool csplit_move(struct csplit *c, bool drop)
{
	struct csplit_line line;

	if (!csplit_take(c, &line))
		return false;
	if (!drop) {
		str_addn(&c->out, line.text, line.n);
		c->written += line.n;
		if (c->out.n >= CSPLIT_BUFFER)
			csplit_write(c);
	}
	tsb_free(c->p, line.text);
	tsb_tick(c->p, 1);
	return true;
}

static void csplit_move_rest(struct csplit *c)
{
	while (csplit_move(c, false))
		;
	csplit_close(c);
}

/* ---- Steps ---- */

static void csplit_out_of_range(struct csplit *c, const char *text, uint64_t repetition)
{
	if (repetition)
		tsb_warn(c->p, "%s: line number out of range on repetition %llu",
			 quote_text(c->p, text), (unsigned long long)repetition);
	else
		tsb_warn(c->p, "%s: line number out of range", quote_text(c->p, text));
	csplit_fail(c);
}

static void csplit_to_line(struct csplit *c, const struct csplit_step *s, uint64_t repetition)
{
	const char *text = tsb_format(c->p, "%llu", (unsigned long long)s->line);
	uint64_t last;

	if (__builtin_mul_overflow(s->line, repetition + 1, &last))
		last = UINT64_MAX;
	csplit_create(c);
	if (c->suppress && !csplit_find(c, c->current + 1))
		csplit_out_of_range(c, text, repetition);
	for (uint64_t n = csplit_first(c); n < last; n++)
		if (!csplit_move(c, false))
			csplit_out_of_range(c, text, repetition);
	csplit_close(c);
	if (c->suppress)
		csplit_move(c, true);
	else if (!csplit_find(c, c->current + 1))
		csplit_out_of_range(c, text, repetition);
}

static void csplit_no_match(struct csplit *c, const struct csplit_step *s, uint64_t repetition)
{
	if (s->for_ever) {
		if (!s->skip)
			csplit_move_rest(c);
		tsb_exit(c->p, 0);
	}
	if (repetition)
		tsb_warn(c->p, "%s: match not found on repetition %llu", quote_text(c->p, s->text),
			 (unsigned long long)repetition);
	else
		tsb_warn(c->p, "%s: match not found", quote_text(c->p, s->text));
	if (!s->skip)
		csplit_move_rest(c);
	csplit_fail(c);
}

/* The next line that matches becomes the current one. Lines in front of it are
 * written at once unless the offset may want some of them back. */
static void csplit_search(struct csplit *c, const struct csplit_step *s, uint64_t repetition)
{
	struct csplit_line *line;
	enum regex_status status;

	while (true) {
		line = csplit_find(c, ++c->current);
		if (!line)
			csplit_no_match(c, s, repetition);
		status = regex_match(s->re, line->text,
				     line->n - (line->text[line->n - 1] == '\n'), 0, 0, NULL, 0);
		if (status == REGEX_BUDGET) {
			tsb_warn(c->p, "error in regular expression search");
			csplit_fail(c);
		}
		if (status == REGEX_MATCH)
			return;
		if (s->offset >= 0)
			csplit_move(c, s->skip);
		tsb_tick(c->p, 1);
	}
}

static void csplit_to_match(struct csplit *c, const struct csplit_step *s, uint64_t repetition)
{
	uint64_t first, lines;
	int64_t end;

	if (!s->skip)
		csplit_create(c);
	csplit_search(c, s, repetition);
	if (__builtin_add_overflow((int64_t)c->current, s->offset, &end))
		end = s->offset < 0 ? -1 : INT64_MAX;
	first = csplit_first(c);
	if (end < 0 || first > (uint64_t)end)
		csplit_out_of_range(c, s->text, 0);
	lines = (uint64_t)end - first;
	for (; lines; lines--)
		if (!csplit_move(c, s->skip))
			csplit_out_of_range(c, s->text, 0);
	if (!s->skip)
		csplit_close(c);
	if (s->offset > 0)
		c->current = (uint64_t)end;
	if (c->suppress)
		csplit_move(c, true);
}

/* ---- The command ---- */

static int csplit_run(struct tsb_proc *p, void *opts, int argc, char **argv)
{
	struct csplit *c = opts;
	int fd, status;

	c->p = p;
	c->fd = -1;
	c->number = 1;
	if (argc < 2)
		return argc ? util_missing_operand_after(p, argv[0]) : util_missing_operand(p);
	status = csplit_check_suffix(c);
	if (status)
		return status;
	fd = input_open(p, argv[0]);
	if (fd < 0) {
		tsb_warn_errno(p, fd, "cannot open %s for reading", quote_af(p, argv[0]));
		return 1;
	}
	status = csplit_patterns(c, argc - 1, argv + 1);
	if (status)
		return status;
	lines_open(&c->in, p, fd);
	str_init(&c->out, tsb_heap_of(p), STR_MAX_DEFAULT);
	for (size_t i = 0; i < c->steps.n; i++) {
		const struct csplit_step *s = &c->steps.at[i];

		for (uint64_t k = 0; s->for_ever || k <= s->repeat; k++) {
			if (s->re)
				csplit_to_match(c, s, k);
			else
				csplit_to_line(c, s, k);
			tsb_tick(p, 1);
		}
	}
	csplit_create(c);
	csplit_move_rest(c);
	return 0;
}

static const struct csplit csplit_defaults = { .digits = 2 };

const struct tsb_command cmd_csplit = {
	CMD_COREUTILS, .name = "csplit", .synopsis = "[OPTION]... FILE PATTERN...",
	.summary = "Output pieces of FILE separated by PATTERN(s) to files 'xx00', 'xx01', ...,\n"
		   "and output byte counts of each piece to standard output.",
	.opts = csplit_opts, .opts_size = sizeof(struct csplit), .defaults = &csplit_defaults,
	.run = csplit_run,
};
