/*
 * Where a hunk goes, and putting it there. Lines are counted from 1. What has
 * been copied to the output is frozen: no later hunk may change it.
 */
#include "cmd/patch.h"

#include <string.h>

/* ---- Where ---- */

static bool is_blank(char c)
{
	return c == ' ' || c == '\t';
}

/* Equal but for the amount of white space (-l)? b: the line of the patch. */
static bool similar(const char *a, size_t an, const char *b, size_t bn)
{
	an -= an && a[an - 1] == '\n';
	bn -= bn && b[bn - 1] == '\n';
	for (;;) {
		if (!bn || is_blank(*b)) {
			for (; bn && is_blank(*b); b++)
				bn--;
			if (an && !is_blank(*a))
				return false;
			for (; an && is_blank(*a); a++)
				an--;
			if (!an || !bn)
				return an == bn;
		} else if (!an || *a++ != *b++) {
			return false;
		} else {
			an--;
			bn--;
		}
	}
}

static struct slice input_line(const struct patch_input *in, int64_t at)
{
	return (struct slice){ in->text + in->line[at - 1], in->line[at] - in->line[at - 1] };
}

bool patch_line_matches(struct patch *t, int64_t at, const struct patch_line *l)
{
	struct slice line;

	if (at < 1 || at > t->in.n)
		return false;
	line = input_line(&t->in, at);
	if (t->white)
		return similar(line.p, line.n, l->s, l->n);
	return line.n == l->n && !memcmp(line.p, l->s, l->n);
}

static bool hunk_matches(struct patch *t, int64_t where, int64_t skip_head, int64_t skip_tail)
{
	const patch_lines *old = &t->hunk.old;

	tsb_tick(t->p, 1);
	for (int64_t i = skip_head; i < (int64_t)old->n - skip_tail; i++)
		if (!patch_line_matches(t, where + i, &old->at[i]))
			return false;
	return true;
}

struct places {
	int64_t guess, up, down;	/* how far it may go from the guess */
	int64_t skip_head, skip_tail;
};

/* The nearest place first. */
static int64_t locate_anywhere(struct patch *t, const struct places *p)
{
	int64_t far = p->down > p->up ? p->down : p->up;
	int64_t from = p->down < 0 ? -p->down : 0;

	for (int64_t off = from; off <= far; off++) {
		if (off <= p->down && hunk_matches(t, p->guess + off, p->skip_head, p->skip_tail)) {
			t->in_offset += off;
			return p->guess + off;
		}
		if (off > 0 && off <= p->up &&
		    hunk_matches(t, p->guess - off, p->skip_head, p->skip_tail)) {
			t->in_offset -= off;
			return p->guess - off;
		}
	}
	return 0;
}

/* Less context before than behind: it was the beginning of the file. */
static int64_t locate_start(struct patch *t, const struct places *p)
{
	const struct patch_hunk *h = &t->hunk;
	int64_t off = 1 - p->guess;

	if (p->skip_tail < 0 && ((int64_t)h->old.n != t->in.n || h->prefix < t->frozen))
		return 0;
	if (t->frozen > h->prefix || off > p->down ||
	    !hunk_matches(t, 1, 0, p->skip_tail < 0 ? 0 : p->skip_tail))
		return 0;
	t->in_offset += off;
	return 1;
}

static int64_t locate_end(struct patch *t, const struct places *p)
{
	int64_t off = p->guess - (t->in.n - (int64_t)t->hunk.old.n + 1);

	if (off > p->up || !hunk_matches(t, p->guess - off, p->skip_head, 0))
		return 0;
	t->in_offset -= off;
	return p->guess - off;
}

int64_t patch_locate(struct patch *t, int64_t fuzz)
{
	const struct patch_hunk *h = &t->hunk;
	int64_t n = (int64_t)h->old.n, context = h->prefix > h->suffix ? h->prefix : h->suffix;
	struct places p = { .guess = h->first + t->in_offset, .skip_head = fuzz + h->prefix - context,
			    .skip_tail = fuzz + h->suffix - context };

	if (!n)
		return p.guess;
	p.down = t->in.n - (n - p.skip_tail) + 1 - p.guess;
	p.up = p.guess - (t->frozen + 1);
	if (p.guess <= p.up)
		p.up = p.guess - 1;
	/* Further down it is only one that somebody has cut short. */
	if (p.skip_head < 0 && h->first <= 1)
		return locate_start(t, &p);
	p.skip_head = p.skip_head < 0 ? 0 : p.skip_head;
	if (p.skip_tail < 0)
		return locate_end(t, &p);
	return locate_anywhere(t, &p);
}

/* ---- Output ---- */

void patch_put(struct patch *t, const char *s, size_t n)
{
	str_addn(&t->out, s, n);
	t->out_empty = false;
	t->out_newline = n && s[n - 1] == '\n';
}

static void end_line(struct patch *t)
{
	if (!t->out_newline)
		str_addc(&t->out, '\n');
}

bool patch_copy_till(struct patch *t, int64_t last)
{
	if (t->frozen > last) {
		patch_say(t, "misordered hunks! output would be garbled\n");
		return false;
	}
	if (last > t->in.n)
		last = t->in.n;
	if (t->frozen < last) {
		size_t from = t->in.line[t->frozen];

		end_line(t);
		patch_put(t, t->in.text + from, t->in.line[last] - from);
		t->frozen = last;
		tsb_tick(t->p, (t->in.line[last] - from) / 64);
	}
	return true;
}

/* ---- #ifdef ---- */

enum define { OUTSIDE, IN_IFNDEF, IN_IFDEF, IN_ELSE };

/* What comes behind a line without newline gets one before it, once more behind
 * these: so does the real one. */
static void define_line(struct patch *t, const char *fmt)
{
	end_line(t);
	str_addf(&t->out, "#%s", fmt);
	if (strchr(fmt, ' '))
		str_adds(&t->out, t->define);
	str_addc(&t->out, '\n');
}

/* Before an old (or a new) line: from one state to the one it wants. */
static void define_enter(struct patch *t, enum define *state, bool old)
{
	if (!t->define)
		return;
	if (*state == OUTSIDE) {
		define_line(t, old ? "ifndef " : "ifdef ");
		*state = old ? IN_IFNDEF : IN_IFDEF;
	} else if (*state == (old ? IN_IFDEF : IN_IFNDEF)) {
		define_line(t, "else");
		*state = IN_ELSE;
	}
}

static void define_leave(struct patch *t, enum define *state)
{
	if (t->define && *state != OUTSIDE) {
		define_line(t, "endif");
		t->out_newline = true;
	}
	*state = OUTSIDE;
}

/* ---- Applying ---- */

/* A line before it without newline gets one only behind the hunk's old lines. */
static void put_line(struct patch *t, const struct patch_line *l)
{
	patch_put(t, l->s, l->n);
}

/* Leaves out an old line; with -D it is put, for those who have not NAME. */
static void drop_old(struct patch *t, const struct patch_line *l)
{
	if (t->define)
		put_line(t, l);
	t->frozen++;
}

struct applying {
	size_t old, new;
	enum define state;
	int64_t where;
};

/* A run of old and new lines that stand for each other (context patches). */
static void apply_change(struct patch *t, struct applying *a)
{
	const patch_lines *old = &t->hunk.old, *new = &t->hunk.new;

	define_enter(t, &a->state, true);
	for (; a->old < old->n && old->at[a->old].ch == '!'; a->old++)
		drop_old(t, &old->at[a->old]);
	define_enter(t, &a->state, false);
	for (; a->new < new->n && new->at[a->new].ch == '!'; a->new++)
		put_line(t, &new->at[a->new]);
}

static bool apply_step(struct patch *t, struct applying *a)
{
	const patch_lines *old = &t->hunk.old, *new = &t->hunk.new;
	char o = a->old < old->n ? old->at[a->old].ch : 0;
	char n = a->new < new->n ? new->at[a->new].ch : 0;

	if (o != '-' && n != '+' && o != n)
		patch_fatal(t, "Out-of-sync patch, lines %llu,%llu--mangled text or line numbers, "
			    "maybe?", (unsigned long long)(t->hunk.line + a->old),
			    (unsigned long long)(t->hunk.line + old->n + a->new + 1));
	if (o == '-' || n == '+' || n == '!')
		if (!patch_copy_till(t, a->where + (int64_t)a->old - 1))
			return false;
	if (o == '-') {
		define_enter(t, &a->state, true);
		drop_old(t, &old->at[a->old++]);
	} else if (n == '+') {
		define_enter(t, &a->state, false);
		if (!o)
			end_line(t);
		put_line(t, &new->at[a->new++]);
	} else if (n == '!') {
		apply_change(t, a);
	} else {
		a->old++;
		a->new++;
		define_leave(t, &a->state);
	}
	tsb_tick(t->p, 1);
	return true;
}

bool patch_apply(struct patch *t, int64_t where)
{
	struct applying a = { .where = where };

	while (a.old < t->hunk.old.n || a.new < t->hunk.new.n)
		if (!apply_step(t, &a))
			return false;
	define_leave(t, &a.state);
	t->out_offset += (int64_t)t->hunk.new.n - (int64_t)t->hunk.old.n;
	return true;
}
