/*
 * The hunks of context patches: the old lines, then the new ones; the half in
 * which nothing is marked may be missing, then the other has its lines.
 */
#include "cmd/patch.h"

#include <string.h>

/* "*** 3,7 ****": numbers behind the mark. "0" is no lines, and so is "0,0" in front of old ones. */
static void read_range(struct patch *t, int64_t *first, int64_t *n, bool new)
{
	const char *s = t->buf.p + strcspn(t->buf.p, "0123456789");

	if (!new && !strncmp(s, "0,0", 3))
		s += 2;
	s = patch_number(t, s, first);
	*n = 1;
	if (*s == ',') {
		s += strcspn(s, "0123456789");
		patch_number(t, s, n);
		if (*first > *n)
			patch_malformed(t);
		*n += 1 - *first;
	} else if (!*first) {
		*n = 0;
		*first = 1;
	}
}

/* Does a line belong to a half? "--- 3,5 ----" does not. */
static bool is_body(const char *s, bool new)
{
	if (*s == ' ' || *s == '\n' || *s == '\t' || *s == '!')
		return true;
	return new ? *s == '+' : *s == '-' && s[1] != '-';
}

/* "--- 3,5 ----" */
static bool is_second_head(const char *s)
{
	return !strncmp(s, "--- ", 4) && s[4] >= '0' && s[4] <= '9';
}

/* A line where one of the half should be. */
static void bad_line(struct patch *t, bool in_old)
{
	unsigned long long line = t->line, begin = t->hunk.line;
	const char *s = t->buf.p;

	if (in_old && is_second_head(s))
		patch_fatal(t, "Premature '---' at line %llu; check line numbers at line %llu", line,
			    begin);
	if (!strncmp(s, "********", 8))
		patch_fatal(t, "unexpected end of hunk at line %llu", line);
	if (*s == '*')
		patch_fatal(t, "unexpected '***' at line %llu: %s", line, s);
	patch_malformed(t);
}

/* More old lines than were promised: where they end is said. */
static void check_overdue(struct patch *t)
{
	bool more = false;

	while (is_body(t->buf.p, false) || *t->buf.p == '+') {
		more = true;
		if (!patch_hunk_line(t))
			patch_fatal(t, "unexpected end of file in patch");
	}
	if (more && is_second_head(t->buf.p))
		patch_fatal(t, "Overdue '---' at line %llu; check line numbers at line %llu",
			    (unsigned long long)t->line, (unsigned long long)t->hunk.line);
}

static void add_body(struct patch *t, patch_lines *to, bool last)
{
	const char *s = t->buf.p;
	size_t n = t->buf.n;
	char ch = *s == '\n' || *s == '\t' ? ' ' : *s;

	if (*s == '\n') {
		/* the blanks got eaten */
	} else if (s[1] == ' ' || s[1] == '\t') {
		if (*s != '\t') {
			s += 2;
			n -= 2;
		}
	} else if (*s != '\t') {
		s++;
		n--;
	}
	n -= n && last && patch_incomplete(t);
	patch_add_line(t, to, ch, s, n);
}

/* Lines of a half, at most n: false if the half is not there at all. *held: the
 * line behind it has been read already. */
static bool read_half(struct patch *t, patch_lines *to, int64_t n, bool new, bool may_miss)
{
	size_t at;
	uint64_t line;

	while ((int64_t)to->n < n) {
		at = t->at;
		line = t->line;
		if (!patch_hunk_line(t)) {
			if (n - (int64_t)to->n > 3)
				patch_fatal(t, "unexpected end of file in patch");
			if (!to->n && may_miss)
				return false;
			patch_add_line(t, to, ' ', "\n", 1);
			continue;
		}
		if (!is_body(t->buf.p, new)) {
			if (to->n || !may_miss)
				bad_line(t, to->n && !new);
			t->at = at;
			t->line = line;
			return false;
		}
		add_body(t, to, (int64_t)to->n + 1 == n);
	}
	return true;
}

/* The lines of a missing half: what the other has in common with it. */
static void fill_half(struct patch *t, patch_lines *to, int64_t n, const patch_lines *from)
{
	for (size_t i = 0; i < from->n; i++)
		if (from->at[i].ch == ' ')
			patch_add_line(t, to, ' ', from->at[i].s, from->at[i].n);
	if ((int64_t)to->n != n)
		patch_fatal(t, "replacement text or line numbers mangled in hunk at line %llu",
			    (unsigned long long)t->hunk.line);
}

static bool has_change(const patch_lines *l)
{
	for (size_t i = 0; i < l->n; i++)
		if (l->at[i].ch == '!')
			return true;
	return false;
}

static int64_t context_of(const patch_lines *l, bool from_end)
{
	size_t n = 0;

	while (n < l->n && l->at[from_end ? l->n - 1 - n : n].ch == ' ')
		n++;
	return (int64_t)n;
}

static int64_t smaller(int64_t a, int64_t b)
{
	return a < b ? a : b;
}

static size_t count_common(const patch_lines *l)
{
	size_t n = 0;

	for (size_t i = 0; i < l->n; i++)
		n += l->at[i].ch == ' ';
	return n;
}

static void set_context(struct patch *t)
{
	struct patch_hunk *h = &t->hunk;

	if (count_common(&h->old) != count_common(&h->new))
		patch_fatal(t, "context mangled in hunk at line %llu", (unsigned long long)h->line);

	h->prefix = smaller(context_of(&h->old, false), context_of(&h->new, false));
	h->suffix = smaller(context_of(&h->old, true), context_of(&h->new, true));
}

static void read_halves(struct patch *t)
{
	struct patch_hunk *h = &t->hunk;
	bool has_old, has_new;
	int64_t old, new;

	if (!patch_hunk_line(t))
		patch_fatal(t, "unexpected end of file in patch");
	if (strncmp(t->buf.p, "*** ", 4) != 0)
		patch_malformed(t);
	h->line = t->line;
	read_range(t, &h->first, &old, false);
	has_old = read_half(t, &h->old, old, false, true);
	if (!patch_hunk_line(t))
		patch_fatal(t, "unexpected end of file in patch");
	check_overdue(t);
	if (strncmp(t->buf.p, "---", 3) != 0)
		patch_malformed(t);
	read_range(t, &h->newfirst, &new, true);
	has_new = read_half(t, &h->new, new, true, has_old && !has_change(&h->old));
	if (!has_old)
		fill_half(t, &h->old, old, &h->new);
	if (!has_new)
		fill_half(t, &h->new, new, &h->old);
	set_context(t);
}

bool patch_read_context(struct patch *t)
{
	struct patch_hunk *h = &t->hunk;
	size_t at = t->at;
	uint64_t line = t->line;
	const char *s;

	if (patch_hunk_line(t) <= 8 || strncmp(t->buf.p, "********", 8) != 0) {
		patch_next_at(t, at, line + (t->buf.n > 0));
		return false;
	}
	s = t->buf.p + strspn(t->buf.p, "*");
	h->function = *s == ' ' ? tsb_strndup(t->p, s, strcspn(s, "\n")) : NULL;
	read_halves(t);
	return true;
}
