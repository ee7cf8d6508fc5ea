/*
 * The hunks of unified and normal patches as lists of lines, old and new.
 * Numbers in a patch are a stranger's: nothing is allocated by them.
 */
#include "cmd/patch.h"

#include <string.h>

#include "base/heap.h"

#define LINE_NUMBER_MAX (INT64_MAX / 32)

void patch_add_line(struct patch *t, patch_lines *to, char ch, const char *s, size_t n)
{
	struct tsb_heap *heap = tsb_heap_of(t->p);
	struct patch_line *l = vec_add(heap, to);

	*l = (struct patch_line){ ch, heap_dup(heap, s, n), n };
}

const char *patch_number(struct patch *t, const char *s, int64_t *v)
{
	const char *start = s;

	for (*v = 0; *s >= '0' && *s <= '9'; s++) {
		*v = *v * 10 + (*s - '0');
		if (*v > LINE_NUMBER_MAX)
			patch_fatal(t, "line number %.*s is too large at line %llu: %s",
				    (int)strspn(start, "0123456789"), start,
				    (unsigned long long)t->line, t->buf.p);
	}
	if (s == start)
		patch_fatal(t, "missing line number at line %llu: %s", (unsigned long long)t->line,
			    t->buf.p);
	return s;
}

void patch_swap(struct patch *t)
{
	struct patch_hunk *h = &t->hunk;
	patch_lines lines = h->old;
	int64_t first = h->first;

	h->old = h->new;
	h->new = lines;
	h->first = h->newfirst;
	h->newfirst = first;
	for (size_t i = 0; i < h->old.n; i++)
		if (h->old.at[i].ch == '+')
			h->old.at[i].ch = '-';
	for (size_t i = 0; i < h->new.n; i++)
		if (h->new.at[i].ch == '-')
			h->new.at[i].ch = '+';
}

/* ---- Unified ---- */

/* "3,5" or "3": how many lines, in *n. */
static const char *read_range(struct patch *t, const char *s, int64_t *first, int64_t *n)
{
	*n = 1;
	s = patch_number(t, s, first);
	if (*s == ',')
		s = patch_number(t, s + 1, n);
	if (*s == ' ')
		s++;
	return s;
}

static void unified_head(struct patch *t, int64_t *old, int64_t *new)
{
	struct patch_hunk *h = &t->hunk;
	const char *s = read_range(t, t->buf.p + 4, &h->first, old);

	if (*s != '+')
		patch_malformed(t);
	s = read_range(t, s + 1, &h->newfirst, new);
	if (*s++ != '@')
		patch_malformed(t);
	h->function = NULL;
	if (*s++ == '@' && *s == ' ')
		h->function = tsb_strndup(t->p, s, strcspn(s, "\n"));
	if (!*old)
		h->first++;
	if (!*new)
		h->newfirst++;
}

/* The current line as a line of the hunk: its mark. Blank lines may have lost
 * their blanks; at the very end they may be gone altogether. */
static char unified_mark(struct patch *t, int64_t new_left, const char **s, size_t *n)
{
	if (!patch_hunk_line(t)) {
		if (new_left > 3)
			patch_fatal(t, "unexpected end of file in patch");
		str_reset(&t->buf);
		str_adds(&t->buf, " \n");
	}
	*s = t->buf.p;
	*n = t->buf.n;
	if (**s == '\t' || **s == '\n')
		return ' ';
	*s += 1;
	*n -= 1;
	return (*s)[-1] == '=' ? ' ' : (*s)[-1];
}

static void unified_lines(struct patch *t, int64_t old, int64_t new)
{
	struct patch_hunk *h = &t->hunk;
	int64_t context = 0;

	h->prefix = -1;
	h->line = t->line + 1;
	while ((int64_t)h->old.n < old || (int64_t)h->new.n < new) {
		const char *s;
		size_t n;
		char ch = unified_mark(t, new - (int64_t)h->new.n, &s, &n);

		if ((ch != '+' && ch != '-' && ch != ' ') ||
		    (ch != '+' && (int64_t)h->old.n == old) ||
		    (ch != '-' && (int64_t)h->new.n == new))
			patch_malformed(t);
		/* Only the last line of a file can be incomplete. */
		if ((ch != '+' && (int64_t)h->old.n + 1 == old) ||
		    (ch != '-' && (int64_t)h->new.n + 1 == new))
			n -= n && patch_incomplete(t);
		if (ch != '+')
			patch_add_line(t, &h->old, ch, s, n);
		if (ch != '-')
			patch_add_line(t, &h->new, ch, s, n);
		context++;
		if (ch != ' ') {
			if (h->prefix < 0)
				h->prefix = context - 1;
			context = 0;
		}
	}
	if (h->prefix < 0)
		patch_malformed(t);
	h->suffix = context;
}

static bool read_unified(struct patch *t)
{
	size_t at = t->at;
	uint64_t line = t->line;
	int64_t old, new;

	if (patch_hunk_line(t) <= 4 || strncmp(t->buf.p, "@@ -", 4) != 0) {
		patch_next_at(t, at, line + (t->buf.n > 0));
		return false;
	}
	unified_head(t, &old, &new);
	unified_lines(t, old, new);
	return true;
}

/* ---- Normal ---- */

static void normal_lines(struct patch *t, patch_lines *to, int64_t n, char mark, char ch)
{
	for (int64_t i = 0; i < n; i++) {
		size_t len = patch_hunk_line(t);

		if (!len)
			patch_fatal(t, "unexpected end of file in patch at line %llu",
				    (unsigned long long)t->line);
		if (t->buf.p[0] != mark || (t->buf.p[1] != ' ' && t->buf.p[1] != '\t'))
			patch_fatal(t, "'%c' followed by space or tab expected at line %llu of patch",
				    mark, (unsigned long long)t->line);
		len -= 2;
		len -= len && i == n - 1 && patch_incomplete(t);
		patch_add_line(t, to, ch, t->buf.p + 2, len);
	}
}

/* "2,5c3": its letter. */
static char normal_head(struct patch *t, int64_t *old, int64_t *new)
{
	struct patch_hunk *h = &t->hunk;
	const char *s = patch_number(t, t->buf.p, &h->first);
	int64_t min, max;
	char letter;

	*old = *s != 'a';
	if (*s == ',') {
		s = patch_number(t, s + 1, old);
		*old += 1 - h->first;
		if (*old < 0)
			patch_malformed(t);
	}
	letter = *s;
	h->first += letter == 'a';
	if (!letter)
		patch_malformed(t);
	s = patch_number(t, s + 1, &min);
	max = min;
	if (*s == ',')
		patch_number(t, s + 1, &max);
	if (min > max)
		patch_malformed(t);
	min += letter == 'd';
	h->newfirst = min;
	*new = max - min + 1;
	return letter;
}

static bool read_normal(struct patch *t)
{
	struct patch_hunk *h = &t->hunk;
	size_t at = t->at;
	uint64_t line = t->line;
	int64_t old, new;
	char letter;

	h->prefix = h->suffix = 0;
	h->function = NULL;
	if (!patch_hunk_line(t) || t->buf.p[0] < '0' || t->buf.p[0] > '9') {
		patch_next_at(t, at, line + (t->buf.n > 0));
		return false;
	}
	h->line = t->line + 1;
	letter = normal_head(t, &old, &new);
	normal_lines(t, &h->old, old, '<', '-');
	if (letter == 'c') {
		if (!patch_hunk_line(t))
			patch_fatal(t, "unexpected end of file in patch at line %llu",
				    (unsigned long long)t->line);
		if (t->buf.p[0] != '-')
			patch_fatal(t, "'---' expected at line %llu of patch",
				    (unsigned long long)t->line);
	}
	normal_lines(t, &h->new, new, '>', '+');
	return true;
}

/* ---- All ---- */

static void lines_free(struct patch *t, patch_lines *l)
{
	struct tsb_heap *heap = tsb_heap_of(t->p);

	for (size_t i = 0; i < l->n; i++)
		heap_free(heap, (char *)l->at[i].s);
	l->n = 0;
}

bool patch_read_hunk(struct patch *t, bool reverse)
{
	bool got;

	lines_free(t, &t->hunk.old);
	lines_free(t, &t->hunk.new);
	if (t->type == PATCH_UNIFIED)
		got = read_unified(t);
	else if (t->type == PATCH_NORMAL)
		got = read_normal(t);
	else
		got = patch_read_context(t);
	if (got && reverse)
		patch_swap(t);
	return got;
}
