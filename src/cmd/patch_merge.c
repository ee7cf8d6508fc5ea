/*
 * --merge: a hunk that does not fit exactly goes to the place that resembles
 * its old lines most; what both sides changed is marked as a conflict.
 *
 * Three texts meet: the old lines of the hunk, its new lines, and the lines of
 * the file. A map says what became of the old lines in the file: ' ' they are
 * there, '-' they are gone, '+' there are others.
 */
#include "cmd/patch.h"

#include <string.h>

#include "base/heap.h"
#include "text/diff.h"

/* ---- Where ---- */

struct resembling {
	struct patch *t;
	int64_t *reach;			/* by diagonal */
	int64_t n;			/* old lines */
};

static int64_t slide(const struct resembling *r, int64_t x, int64_t at)
{
	while (x < r->n && at + x <= r->t->in.n &&
	       patch_line_matches(r->t, at + x, &r->t->hunk.old.at[x]))
		x++;
	return x;
}

/*
 * The fewest changes (at most `max`) between all old lines and lines of the
 * file from `guess` on, at least `min` of them: the number, and in *last the
 * line behind the most lines for that number. More than max: not found.
 */
static int64_t resembles(const struct resembling *r, int64_t guess, int64_t min, int64_t max,
			 int64_t most, int64_t *last)
{
	int64_t *reach = r->reach + max + 1, lines = r->t->in.n + 1 - guess, best = -1;

	for (int64_t c = 0; c <= max; c++) {
		for (int64_t d = -c; d <= c; d += 2) {
			int64_t x;

			if (!c)
				x = 0;
			else if (d == -c || (d != c && reach[d - 1] < reach[d + 1]))
				x = reach[d + 1];
			else
				x = reach[d - 1] + 1;
			if (x < 0 || x > r->n || x - d > lines || x - d < 0) {
				reach[d] = x > r->n ? r->n : x;
				continue;
			}
			x = slide(r, x, guess - d);
			reach[d] = x;
			if (x == r->n && x - d >= min && x - d > best && (c - d) / 2 <= most)
				best = x - d;
		}
		tsb_tick(r->t->p, (size_t)c + 1);
		if (best >= 0) {
			*last = guess + best;
			return c;
		}
	}
	return max + 1;
}

struct merge_search {
	struct resembling r;
	int64_t min, max, where, matched;
	bool to_end;
};

/* true: a place without changes. */
static bool try_place(struct merge_search *m, int64_t guess)
{
	int64_t last = guess, min = m->to_end ? m->r.t->in.n - guess + 1 : m->min;
	int64_t most = m->to_end ? guess : INT64_MAX;
	int64_t changes = resembles(&m->r, guess, min, m->max, most, &last);

	if (changes > m->max || m->matched >= last - guess)
		return false;
	m->matched = last - guess;
	m->where = guess;
	m->min = last - guess;
	m->max = changes - 1;
	return !changes;
}

/* Hunks of the beginning or the end of a file have less context there. */
static int64_t patch_merge_locate(struct patch *t, int64_t *matched)
{
	const struct patch_hunk *h = &t->hunk;
	int64_t n = (int64_t)h->old.n, guess = h->first + t->in_offset;
	int64_t up = guess - (t->frozen + 1), context = 0, down, far;
	struct merge_search m = { .r = { .t = t, .n = n }, .where = guess };

	for (int64_t i = 0; i < n; i++)
		context += h->old.at[i].ch == ' ';
	m.min = n - context;
	m.max = 2 * context;
	down = t->in.n - m.min + 1 - guess;
	if (guess <= up)
		up = guess - 1;
	if (h->suffix > h->prefix && h->first <= 1)
		down = 0;
	m.to_end = h->suffix < h->prefix;
	far = down > up ? down : up;
	m.r.reach = tsb_alloc(t->p, (size_t)(2 * m.max + 3) * sizeof(*m.r.reach));
	for (int64_t off = 0; n && off <= far && m.max >= 0; off++) {
		if (off <= down && try_place(&m, guess + off))
			break;
		if (off > 0 && off <= up && try_place(&m, guess - off))
			break;
	}
	tsb_free(t->p, m.r.reach);
	*matched = m.matched;
	return m.where < t->frozen + 1 ? t->frozen + 1 : m.where;
}

/* ---- The map ---- */

struct merging {
	struct patch *t;
	struct str map;
	size_t at;			/* in the map */
	size_t old, new;		/* lines of the hunk */
	int64_t in;			/* line of the file */
	int64_t where;			/* what has been put of it: below */
	int hunk;
	const char *said;		/* the first word about it */
};

/* Classes by comparison with every line before: hunks are small. */
static void classify(struct patch *t, int64_t where, int64_t n, int32_t *old, int32_t *in)
{
	const patch_lines *l = &t->hunk.old;

	for (size_t i = 0; i < l->n; i++) {
		size_t k = 0;

		while (k < i && (l->at[k].n != l->at[i].n ||
				 memcmp(l->at[k].s, l->at[i].s, l->at[i].n) != 0))
			k++;
		old[i] = (int32_t)k;
		tsb_tick(t->p, i / 16 + 1);
	}
	for (int64_t i = 0; i < n; i++) {
		size_t k = 0;

		while (k < l->n && !patch_line_matches(t, where + i, &l->at[k]))
			k++;
		in[i] = k < l->n ? old[k] : (int32_t)l->n + 1;
		tsb_tick(t->p, l->n / 16 + 1);
	}
}

static void map_make(struct merging *m, int64_t matched)
{
	struct tsb_heap *heap = tsb_heap_of(m->t->p);
	size_t n = m->t->hunk.old.n, count = (size_t)matched, most = n > count ? n : count;
	int32_t *old = tsb_alloc(m->t->p, (n + count + most + 1) * sizeof(*old));
	int32_t *in = old + n, *order = in + count;
	uint8_t *gone = tsb_alloc(m->t->p, n + count + 2), *come = gone + n + 1;
	struct diff_how how = { 0 };
	struct diff_search s = { { old, in }, { order, order }, { (int32_t)n, (int32_t)count },
				 { gone, come }, &how };
	size_t i = 0, j = 0;

	classify(m->t, m->where, matched, old, in);
	for (size_t k = 0; k < most; k++)
		order[k] = (int32_t)k;
	if (diff_search(heap, &s))
		patch_fatal(m->t, "out of memory");
	while (i < n || j < count) {
		if (i < n && gone[i]) {
			str_addc(&m->map, '-');
			i++;
		} else if (j < count && come[j]) {
			str_addc(&m->map, '+');
			j++;
		} else {
			str_addc(&m->map, ' ');
			i++;
			j++;
		}
	}
}

/* ---- Going along ---- */

static char old_mark(const struct merging *m)
{
	return m->old < m->t->hunk.old.n ? m->t->hunk.old.at[m->old].ch : 0;
}

static char new_mark(const struct merging *m)
{
	return m->new < m->t->hunk.new.n ? m->t->hunk.new.at[m->new].ch : 0;
}

static char map_mark(const struct merging *m)
{
	return m->at < m->map.n ? m->map.p[m->at] : 0;
}

static bool copy_up_to(struct merging *m, int64_t in)
{
	m->where = in;
	return patch_copy_till(m->t, in - 1);
}

static void skip_in(struct merging *m)
{
	while (map_mark(m) == '+') {
		m->in++;
		m->at++;
	}
}

static void say_result(struct merging *m, const char *what, int64_t from, int64_t to)
{
	struct patch *t = m->t;

	if (!m->said)
		patch_say(t, "Hunk #%d %s at ", m->hunk, what);
	else if (!strcmp(m->said, what))
		patch_say(t, ",");
	else
		patch_say(t, ", %s at ", what);
	if (from < to)
		patch_say(t, "%lld-%lld", (long long)from, (long long)to);
	else
		patch_say(t, "%lld", (long long)from);
	if (!m->said)
		m->said = what;
}

static void put_hunk_lines(struct merging *m, const patch_lines *l, size_t from, size_t to)
{
	for (; from < to; from++) {
		patch_put(m->t, l->at[from].s, l->at[from].n);
		tsb_tick(m->t->p, 1);
	}
}

static void put_mark(struct merging *m, const char *mark)
{
	if (!m->t->out_newline)
		str_addc(&m->t->out, '\n');
	patch_put(m->t, mark, strlen(mark));
	patch_put(m->t, "\n", 1);
}

/* ---- Conflicts ---- */

/* Onwards until the three texts are together again. */
static void conflict_end(struct merging *m)
{
	for (;;) {
		if (map_mark(m) == '-') {
			while (new_mark(m) == '+')
				m->new++;
			if (old_mark(m) == ' ')
				m->new++;
			m->old++;
			m->at++;
		} else if (map_mark(m) == '+') {
			skip_in(m);
		} else if (old_mark(m) == '-') {
			while (old_mark(m) == '-' && map_mark(m) == ' ') {
				m->old++;
				m->in++;
				m->at++;
			}
		} else if (new_mark(m) == '+') {
			while (new_mark(m) == '+')
				m->new++;
		} else {
			return;
		}
		tsb_tick(m->t->p, 1);
	}
}

static bool new_is_in(struct merging *m, size_t new, int64_t in)
{
	return patch_line_matches(m->t, in, &m->t->hunk.new.at[new]);
}

struct conflict {
	size_t old, old_end, new, new_end;
	int64_t in, in_end;
};

static bool put_conflict(struct merging *m, const struct conflict *c)
{
	struct patch *t = m->t;
	int64_t marks = t->merge == 2 ? 4 : 3, from = c->in + t->out_offset, lines;

	lines = c->in_end - c->in + (int64_t)(c->new_end - c->new) + marks;
	if (t->merge == 2)
		lines += (int64_t)(c->old_end - c->old);
	say_result(m, "NOT MERGED", from, from + lines - 1);
	t->out_offset += lines - (c->in_end - c->in);
	t->failed = true;
	put_mark(m, "<<<<<<<");
	if (c->in < c->in_end && !copy_up_to(m, c->in_end))
		return false;
	if (t->merge == 2) {
		put_mark(m, "|||||||");
		put_hunk_lines(m, &t->hunk.old, c->old, c->old_end);
	}
	put_mark(m, "=======");
	put_hunk_lines(m, &t->hunk.new, c->new, c->new_end);
	put_mark(m, ">>>>>>>");
	return true;
}

/* What is the same in the new lines and in the file, at both ends. */
static struct conflict trim(struct merging *m, struct conflict c)
{
	for (; c.in < c.in_end && c.new < c.new_end && new_is_in(m, c.new, c.in); c.in++)
		c.new++;
	while (c.in < c.in_end && c.new < c.new_end && new_is_in(m, c.new_end - 1, c.in_end - 1)) {
		c.in_end--;
		c.new_end--;
	}
	return c;
}

/* Is it all the same, it has been applied already. The old lines, if they are
 * shown, stand for all of the others. */
static bool resolve(struct merging *m, struct conflict c)
{
	struct patch *t = m->t;
	struct conflict left;
	bool ok = true;

	conflict_end(m);
	c.old_end = m->old;
	c.new_end = m->new;
	c.in_end = m->in;
	left = trim(m, c);
	if (left.in == left.in_end && left.new == left.new_end) {
		say_result(m, "already applied", c.in + t->out_offset, m->in - 1 + t->out_offset);
	} else {
		if (t->merge != 2 && left.in > c.in)
			ok = copy_up_to(m, left.in);
		ok = ok && put_conflict(m, t->merge == 2 ? &c : &left);
	}
	return ok && (m->in == c.in || copy_up_to(m, m->in));
}

/* ---- Steps ---- */

/* A change of the hunk where the file has the old lines. false: a conflict. */
static bool step_change(struct merging *m, bool clean)
{
	struct patch *t = m->t;
	size_t old = m->old, new = m->new;
	int64_t in = m->in, lines;

	while (old_mark(m) == '-') {
		if (map_mark(m) != ' ')
			return false;
		m->old++;
		m->in++;
		m->at++;
	}
	if (map_mark(m) == '+' || map_mark(m) == '-')
		return false;
	while (new_mark(m) == '+')
		m->new++;
	lines = (int64_t)(m->new - new);
	if (t->verbosity == PATCH_VERBOSE || (t->verbosity != PATCH_SILENT && !clean))
		say_result(m, "merged", in + t->out_offset, in + t->out_offset + lines - 1);
	t->frozen += (int64_t)(m->old - old);
	m->where += (int64_t)(m->old - old);
	t->out_offset += lines;
	put_hunk_lines(m, &t->hunk.new, new, m->new);
	return true;
}

/* Lines the hunk does not change. *ok false: output would be garbled. */
static bool step_same(struct merging *m, bool *ok)
{
	if (map_mark(m) == '-') {
		while (old_mark(m) == ' ' && map_mark(m) == '-') {
			if (new_mark(m) == '+')
				return false;
			m->old++;
			m->new++;
			m->at++;
		}
		return old_mark(m) != '-' && new_mark(m) != '+';
	}
	if (map_mark(m) == '+') {
		skip_in(m);
		if (map_mark(m) == '-' || old_mark(m) == '-' || new_mark(m) == '+')
			return false;
	} else {
		while (old_mark(m) == ' ' && new_mark(m) == ' ' && map_mark(m) == ' ') {
			m->old++;
			m->new++;
			m->in++;
			m->at++;
		}
	}
	*ok = copy_up_to(m, m->in);
	return true;
}

static bool step(struct merging *m, bool clean)
{
	struct conflict c = { .old = m->old, .new = m->new, .in = m->in };
	bool ok = true, merged;

	if (old_mark(m) == '-' || new_mark(m) == '+')
		merged = step_change(m, clean);
	else
		merged = step_same(m, &ok);
	if (!merged)
		ok = resolve(m, c);
	tsb_tick(m->t->p, 1);
	return ok;
}

bool patch_merge_hunk(struct patch *t, int hunk, int64_t where)
{
	struct merging m = { .t = t, .hunk = hunk };
	bool clean = where > 0, ok;
	int64_t matched = (int64_t)t->hunk.old.n;

	patch_normalize(t, &t->hunk.old, &t->hunk.new, true);
	if (!where)
		where = patch_merge_locate(t, &matched);
	m.in = m.where = where;
	str_init(&m.map, tsb_heap_of(t->p), STR_MAX_DEFAULT);
	map_make(&m, matched);
	ok = t->frozen >= where - 1 || patch_copy_till(t, where - 1);
	while (ok && (old_mark(&m) || new_mark(&m) || map_mark(&m)))
		ok = step(&m, clean);
	if (m.said)
		patch_say(t, ".\n");
	str_end(&m.map);
	return ok;
}
