/*
 * Which changes are shown together, and whether a group of them counts: not if
 * all its lines are blank (-B) or match (-I).
 */
#include "cmd/diff.h"

#include <string.h>

static bool is_space(char c)
{
	return c == ' ' || (c >= '\t' && c <= '\r');
}

bool diff_matches(struct diff_patterns *re, struct slice line)
{
	if (line.n && line.p[line.n - 1] == '\n')
		line.n--;
	return re->re && regex_match(re->re, line.p, line.n, 0, 0, NULL, 0) == REGEX_MATCH;
}

/* Is it blank, as far as white space counts? */
static bool line_blank(const struct diff_cmd *d, struct slice line)
{
	size_t i = 0;

	if (line.n && line.p[line.n - 1] == '\n')
		line.n--;
	if (d->space >= DIFF_SPACE_TRAILING)
		while (i < line.n && is_space(line.p[i]))
			i++;
	return i == line.n;
}

static bool lines_ignored(struct diff_cmd *d, int f, size_t from, size_t n)
{
	for (; n; n--, from++) {
		struct slice line = diff_line_of(d, f, from);

		if (!(d->ignore_blank && line_blank(d, line)) && !diff_matches(&d->ignore, line))
			return false;
		tsb_tick(d->p, 1);
	}
	return true;
}

static bool change_ignored(struct diff_cmd *d, const struct diff_change *c)
{
	if (!d->ignore_blank && !d->ignore.re)
		return false;
	return lines_ignored(d, 0, c->line[0], c->n[0]) && lines_ignored(d, 1, c->line[1], c->n[1]);
}

void diff_mark_ignored(struct diff_cmd *d)
{
	if (!d->ignore_blank && !d->ignore.re)
		return;
	for (size_t i = 0; i < d->d.changes.n; i++)
		d->d.changes.at[i].ignored = change_ignored(d, &d->d.changes.at[i]);
}

enum diff_kind diff_kind_of(struct diff_cmd *d, struct diff_hunk *h)
{
	const struct diff_change *at = d->d.changes.at, *last = &at[h->to - 1];
	bool ignored = true, deletes = false, inserts = false;

	for (size_t i = h->from; i < h->to; i++) {
		ignored &= at[i].ignored;
		deletes |= at[i].n[0] > 0;
		inserts |= at[i].n[1] > 0;
	}
	for (int f = 0; f < 2; f++) {
		h->first[f] = at[h->from].line[f];
		h->end[f] = last->line[f] + last->n[f];
	}
	return ignored ? DIFF_SAME :
		(enum diff_kind)((deletes ? DIFF_OLD : 0) | (inserts ? DIFF_NEW : 0));
}

/* May the next change join? Twice the context may lie between two of them, but
 * less than once if it is ignored. */
static bool change_near(const struct diff_cmd *d, const struct diff_change *c)
{
	const struct diff_change *next = c + 1;
	uint64_t context = (uint64_t)d->context, gap = next->line[0] - (c->line[0] + c->n[0]);

	return gap < (next->ignored ? context : 2 * context + 1);
}

bool diff_next_hunk(struct diff_cmd *d, struct diff_hunk *h)
{
	bool together = d->style == DIFF_CONTEXT || d->style == DIFF_UNIFIED;
	size_t n = d->d.changes.n;

	h->from = h->to;
	if (h->from == n)
		return false;
	h->to++;
	while (together && h->to < n && change_near(d, &d->d.changes.at[h->to - 1]))
		h->to++;
	h->kind = diff_kind_of(d, h);
	tsb_tick(d->p, h->to - h->from);
	return true;
}
