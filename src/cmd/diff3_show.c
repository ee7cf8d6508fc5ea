/*
 * What diff3 prints: the differences, a script for ed, or the merged file.
 */
#include "cmd/diff3.h"

#include <fcntl.h>
#include <string.h>

#include "cmd/lines.h"
#include "cmd/quote.h"

static void put_lines(struct diff3 *d, const struct diff3_range *r)
{
	for (int64_t i = 0; i <= r->high - r->low; i++) {
		tsb_put(d->p, r->line[i].p, r->line[i].n);
		tsb_tick(d->p, 1);
	}
}

static int64_t count(const struct diff3_range *r)
{
	return r->high - r->low + 1;
}

/* The lines of an operand. */
static const struct diff3_range *lines_of(const struct diff3 *d, const struct diff3_block *b,
					  int operand)
{
	return &b->of[d->inside[operand]];
}

/* Which operand differs. */
static enum diff3_kind kind_of(const struct diff3 *d, const struct diff3_block *b)
{
	return b->kind == DIFF3_ALL ? b->kind : (enum diff3_kind)d->outside[b->kind];
}

/* ---- Differences ---- */

static void show_range(struct diff3 *d, const struct diff3_range *r)
{
	if (r->low > r->high)
		tsb_printf(d->p, "%llda\n", (long long)r->low - 1);
	else if (r->low == r->high)
		tsb_printf(d->p, "%lldc\n", (long long)r->low);
	else
		tsb_printf(d->p, "%lld,%lldc\n", (long long)r->low, (long long)r->high);
}

static void show_lines(struct diff3 *d, const struct diff3_range *r)
{
	struct slice last = { NULL, 0 };

	for (int64_t i = 0; i < count(r); i++) {
		last = r->line[i];
		tsb_puts(d->p, d->initial_tab ? "\t" : "  ");
		tsb_put(d->p, last.p, last.n);
		tsb_tick(d->p, 1);
	}
	if (count(r) > 0 && (!last.n || last.p[last.n - 1] != '\n'))
		tsb_puts(d->p, "\n\\ No newline at end of file\n");
}

/* Of files that agree only the last is printed; they stand together. */
static void show_block(struct diff3 *d, const struct diff3_block *b)
{
	static const int orders[2][3] = { { 0, 1, 2 }, { 0, 2, 1 } };
	enum diff3_kind odd = kind_of(d, b);
	const int *order = orders[odd == DIFF3_SECOND];
	int quiet = odd == DIFF3_ALL ? 3 : odd == DIFF3_FIRST ? 1 : 0;

	if (odd == DIFF3_ALL)
		tsb_puts(d->p, "====\n");
	else
		tsb_printf(d->p, "====%d\n", (int)odd + 1);
	for (int k = 0; k < 3; k++) {
		int i = order[k];

		tsb_printf(d->p, "%d:", i + 1);
		show_range(d, lines_of(d, b, i));
		if (i != quiet)
			show_lines(d, lines_of(d, b, i));
	}
}

void diff3_show(struct diff3 *d)
{
	for (size_t i = 0; i < d->blocks.n; i++)
		show_block(d, &d->blocks.at[i]);
}

/* ---- Which blocks are taken over ---- */

/* Is the block left out? If not: is it a conflict? */
static bool left_out(const struct diff3 *d, enum diff3_kind kind, bool *conflict)
{
	switch (kind) {
	case DIFF3_SECOND:
		*conflict = true;
		return !d->show_second;
	case DIFF3_THIRD:
		*conflict = false;
		return d->overlap_only;
	case DIFF3_ALL:
		*conflict = d->flagging;
		return d->simple_only;
	default:
		return true;
	}
}

/* ---- Scripts ---- */

/* Lines for ed's input: a dot before those that begin with one. */
static bool put_dotted(struct diff3 *d, const struct diff3_range *r)
{
	bool dot = false;

	for (int64_t i = 0; i < count(r); i++) {
		if (r->line[i].n && r->line[i].p[0] == '.') {
			tsb_putc(d->p, '.');
			dot = true;
		}
		tsb_put(d->p, r->line[i].p, r->line[i].n);
		tsb_tick(d->p, 1);
	}
	return dot;
}

static void end_input(struct diff3 *d, bool dot, int64_t start, int64_t n)
{
	tsb_puts(d->p, ".\n");
	if (dot && n == 1)
		tsb_printf(d->p, "%llds/^\\.//\n", (long long)start);
	else if (dot)
		tsb_printf(d->p, "%lld,%llds/^\\.//\n", (long long)start, (long long)start + n - 1);
}

static void script_conflict(struct diff3 *d, const struct diff3_block *b, bool all)
{
	const struct diff3_range *mine = lines_of(d, b, 0), *old = lines_of(d, b, 1);
	const struct diff3_range *yours = lines_of(d, b, 2);
	bool dot = false;

	tsb_printf(d->p, "%llda\n", (long long)mine->high);
	if (all) {
		if (d->show_second) {
			tsb_printf(d->p, "||||||| %s\n", d->label[1]);
			dot = put_dotted(d, old);
		}
		tsb_puts(d->p, "=======\n");
		dot |= put_dotted(d, yours);
	}
	tsb_printf(d->p, ">>>>>>> %s\n", d->label[2]);
	end_input(d, dot, mine->high + 2, count(old) + count(yours) + 1);
	tsb_printf(d->p, "%llda\n<<<<<<< %s\n", (long long)mine->low - 1, d->label[all ? 0 : 1]);
	dot = false;
	if (!all) {
		dot = put_dotted(d, old);
		tsb_puts(d->p, "=======\n");
	}
	end_input(d, dot, mine->low + 1, count(old));
}

static void script_change(struct diff3 *d, const struct diff3_block *b)
{
	const struct diff3_range *mine = lines_of(d, b, 0), *yours = lines_of(d, b, 2);
	bool gone = !count(yours);

	if (mine->high < mine->low)
		tsb_printf(d->p, "%lld", (long long)mine->high);
	else if (mine->high == mine->low)
		tsb_printf(d->p, "%lld", (long long)mine->low);
	else
		tsb_printf(d->p, "%lld,%lld", (long long)mine->low, (long long)mine->high);
	if (gone && mine->high < mine->low)
		tsb_printf(d->p, ",%lld", (long long)mine->high);
	tsb_puts(d->p, gone ? "d\n" : mine->high < mine->low ? "a\n" : "c\n");
	if (!gone) {
		bool dot = put_dotted(d, yours);

		end_input(d, dot, mine->low, count(yours));
	}
}

bool diff3_show_script(struct diff3 *d)
{
	bool conflicts = false, conflict;

	for (size_t i = d->blocks.n; i > 0; i--) {
		const struct diff3_block *b = &d->blocks.at[i - 1];
		enum diff3_kind kind = kind_of(d, b);

		if (left_out(d, kind, &conflict))
			continue;
		conflicts |= conflict;
		if (conflict)
			script_conflict(d, b, kind == DIFF3_ALL);
		else
			script_change(d, b);
	}
	if (d->final_write)
		tsb_puts(d->p, "w\nq\n");
	return conflicts;
}

/* ---- Merging ---- */

/* Copies (or skips) n lines of the first file. */
static void pass_lines(struct diff3 *d, struct lines *in, int64_t n, bool copy)
{
	char *line;
	size_t len;

	for (; n > 0 && lines_next(in, '\n', &line, &len); n--) {
		if (copy)
			tsb_put(d->p, line, len);
		tsb_tick(d->p, 1);
	}
}

static void merge_block(struct diff3 *d, const struct diff3_block *b, bool conflict, bool all)
{
	if (conflict) {
		if (all) {
			tsb_printf(d->p, "<<<<<<< %s\n", d->label[0]);
			put_lines(d, lines_of(d, b, 0));
		}
		if (d->show_second) {
			tsb_printf(d->p, "%s %s\n", all ? "|||||||" : "<<<<<<<", d->label[1]);
			put_lines(d, lines_of(d, b, 1));
		}
		tsb_puts(d->p, "=======\n");
	}
	put_lines(d, lines_of(d, b, 2));
	if (conflict)
		tsb_printf(d->p, ">>>>>>> %s\n", d->label[2]);
}

bool diff3_show_merge(struct diff3 *d)
{
	bool conflicts = false, conflict;
	struct lines in = { 0 };
	int64_t at = 1;
	int fd = tsb_open(d->p, d->file[0], O_RDONLY | O_CLOEXEC, 0);	/* "-" too is a name */

	if (fd < 0) {
		tsb_warn_errno(d->p, fd, "failed to reopen %s with mode %s",
			       quote_text(d->p, d->file[0]), quote_text(d->p, "r"));
		tsb_exit(d->p, DIFF_TROUBLE);
	}
	lines_open(&in, d->p, fd);
	for (size_t i = 0; i < d->blocks.n; i++) {
		const struct diff3_block *b = &d->blocks.at[i];
		enum diff3_kind kind = kind_of(d, b);

		if (left_out(d, kind, &conflict))
			continue;
		conflicts |= conflict;
		pass_lines(d, &in, lines_of(d, b, 0)->low - at, true);
		merge_block(d, b, conflict, kind == DIFF3_ALL);
		pass_lines(d, &in, count(lines_of(d, b, 0)), false);
		at = lines_of(d, b, 0)->high + 1;
	}
	pass_lines(d, &in, INT64_MAX, true);
	return conflicts;
}
