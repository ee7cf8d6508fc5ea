/*
 * Hunks that could not be applied, as a context or a unified patch of their own.
 */
#include "cmd/patch.h"

#include <string.h>

static void header_line(struct patch *t, const char *mark, int f)
{
	const char *name = t->name[f], *stamp = t->side[f].stamp;

	str_addf(&t->rejects, "%s %s%s\n", mark, name && *name ? name : "/dev/null",
		 stamp ? stamp : "");
}

static void reject_header(struct patch *t, bool unified, bool reverse)
{
	if (t->name[PATCH_INDEX])
		str_addf(&t->rejects, "Index: %s\n", t->name[PATCH_INDEX]);
	header_line(t, unified ? "---" : "***", reverse);
	header_line(t, unified ? "+++" : "---", !reverse);
}

static void put_line(struct patch *t, const struct patch_line *l)
{
	str_addn(&t->rejects, l->s, l->n);
}

/* ---- Marks ---- */

/* How many lines from `at` have the mark. */
static size_t marked(const patch_lines *l, size_t at, char ch)
{
	size_t n = 0;

	while (at + n < l->n && l->at[at + n].ch == ch)
		n++;
	return n;
}

static void set_marks(patch_lines *l, size_t at, size_t n, char ch)
{
	for (size_t i = 0; i < n; i++)
		l->at[at + i].ch = ch;
}

/* Old and new lines that stand for each other are marked "!" in context
 * patches, "-" and "+" in unified ones. */
void patch_normalize(struct patch *t, patch_lines *old, patch_lines *new, bool unified)
{
	size_t i = 0, j = 0;

	while (i < old->n || j < new->n) {
		char from = unified ? '!' : '-', to = unified ? '!' : '+';
		size_t gone = marked(old, i, from), come = marked(new, j, to);

		if (unified || (gone && come)) {
			set_marks(old, i, gone, unified ? '-' : '!');
			set_marks(new, j, come, unified ? '+' : '!');
		}
		i += gone;
		j += come;
		if (!gone && !come) {
			i++;
			j++;
		}
		tsb_tick(t->p, 1);
	}
}

/* ---- Context ---- */

static void context_range(struct patch *t, const char *mark, int64_t first, size_t n,
			  const char *end)
{
	if (!n)
		str_addf(&t->rejects, "%s 0%s\n", mark, end);
	else if (n == 1)
		str_addf(&t->rejects, "%s %lld%s\n", mark, (long long)first, end);
	else
		str_addf(&t->rejects, "%s %lld,%lld%s\n", mark, (long long)first,
			 (long long)first + (long long)n - 1, end);
}

static void context_half(struct patch *t, const patch_lines *l)
{
	for (size_t i = 0; i < l->n; i++) {
		str_addf(&t->rejects, "%c ", l->at[i].ch);
		put_line(t, &l->at[i]);
		tsb_tick(t->p, 1);
	}
}

static void reject_context(struct patch *t)
{
	struct patch_hunk *h = &t->hunk;
	bool newer = t->type != PATCH_CONTEXT && t->type != PATCH_NORMAL;

	newer = t->type == PATCH_NEW_CONTEXT || t->type == PATCH_UNIFIED;
	if (t->type == PATCH_UNIFIED)
		patch_normalize(t, &h->old, &h->new, false);
	str_addf(&t->rejects, "***************%s\n", h->function ? h->function : "");
	context_range(t, "***", h->first + t->out_offset, h->old.n, newer ? " ****" : "");
	context_half(t, &h->old);
	context_range(t, "---", h->newfirst + t->out_offset, h->new.n, newer ? " ----" : " -----");
	context_half(t, &h->new);
}

/* ---- Unified ---- */

static void unified_range(struct patch *t, char mark, int64_t first, size_t n)
{
	if (!n)
		str_addf(&t->rejects, "%c%lld,0", mark, (long long)first - 1);
	else if (n == 1)
		str_addf(&t->rejects, "%c%lld", mark, (long long)first);
	else
		str_addf(&t->rejects, "%c%lld,%zu", mark, (long long)first, n);
}

static void unified_line(struct patch *t, char mark, const struct patch_line *l)
{
	str_addc(&t->rejects, mark);
	put_line(t, l);
}

static void reject_unified(struct patch *t)
{
	struct patch_hunk *h = &t->hunk;
	size_t i = 0, j = 0;

	patch_normalize(t, &h->old, &h->new, true);
	str_adds(&t->rejects, "@@ ");
	unified_range(t, '-', h->first + t->out_offset, h->old.n);
	str_addc(&t->rejects, ' ');
	unified_range(t, '+', h->newfirst + t->out_offset, h->new.n);
	str_addf(&t->rejects, " @@%s\n", h->function ? h->function : "");
	while (i < h->old.n || j < h->new.n) {
		if (i < h->old.n && h->old.at[i].ch == '-') {
			unified_line(t, '-', &h->old.at[i++]);
		} else if (j < h->new.n && h->new.at[j].ch == '+') {
			unified_line(t, '+', &h->new.at[j++]);
		} else {
			unified_line(t, ' ', &h->old.at[i++]);
			j++;
		}
		tsb_tick(t->p, 1);
	}
}

void patch_reject(struct patch *t, bool header, bool reverse)
{
	bool unified = t->reject_format ? t->reject_format == 'u' : t->type == PATCH_UNIFIED;

	if (header)
		reject_header(t, unified, reverse);
	if (unified)
		reject_unified(t);
	else
		reject_context(t);
}
