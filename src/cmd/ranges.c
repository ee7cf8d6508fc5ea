/*
 * See ranges.h.
 */
#include "cmd/ranges.h"

#include <stdlib.h>
#include <string.h>

#include "cmd/util.h"

struct ranges_state {
	struct tsb_proc *p;
	bool dash;		/* a "-" alone is all */
	struct ranges *out;
	size_t cap;
	bool positions;
	int status;
};

static void ranges_add(struct ranges_state *st, uint64_t lo, uint64_t hi)
{
	struct ranges *r = st->out;

	r->at = util_grow(st->p, r->at, r->n, &st->cap, sizeof(*r->at));
	r->at[r->n++] = (struct range){ lo, hi };
}

static bool ranges_fail(struct ranges_state *st, const char *positions, const char *fields)
{
	st->status = tsb_usage(st->p, "%s", st->positions ? positions : fields);
	return false;
}

static bool ranges_from_one(struct ranges_state *st)
{
	return ranges_fail(st, "byte/character positions are numbered from 1",
			   "fields are numbered from 1");
}

/* Digits at *at. */
static bool ranges_number(struct ranges_state *st, const char **at, uint64_t *v)
{
	const char *start = *at;
	char *bad;

	for (*v = 0; **at >= '0' && **at <= '9'; ++*at) {
		if (!__builtin_mul_overflow(*v, 10u, v) &&
		    !__builtin_add_overflow(*v, (uint64_t)(**at - '0'), v) && *v != UINT64_MAX)
			continue;
		bad = tsb_strndup(st->p, start, strspn(start, "0123456789"));
		st->status = tsb_usage(st->p, st->positions
					? "byte/character offset %s is too large"
					: "field number %s is too large", quote_text(st->p, bad));
		return false;
	}
	return true;
}

static bool is_end(char c)
{
	return c == ',' || c == ' ' || c == '\t' || c == '\0';
}

static bool ranges_bad_char(struct ranges_state *st, const char *at)
{
	st->status = tsb_usage(st->p, st->positions ? "invalid byte/character position %s"
						    : "invalid field value %s",
			       quote_text(st->p, at));
	return false;
}

/* One item: N, N-, -M, N-M. */
static bool ranges_item(struct ranges_state *st, const char **at)
{
	uint64_t lo = 0, hi = 0;
	bool has_lo = **at >= '0' && **at <= '9', has_hi;

	if (!ranges_number(st, at, &lo))
		return false;
	if (**at != '-') {
		if (!is_end(**at))
			return ranges_bad_char(st, *at);
		if (!lo)
			return ranges_from_one(st);
		ranges_add(st, lo, lo);
		return true;
	}
	++*at;
	if (has_lo && !lo)
		return ranges_from_one(st);
	has_hi = **at >= '0' && **at <= '9';
	if (!ranges_number(st, at, &hi))
		return false;
	if (**at == '-')
		return ranges_fail(st, "invalid byte or character range", "invalid field range");
	if (!is_end(**at))
		return ranges_bad_char(st, *at);
	if (!has_lo && !has_hi && !st->dash)
		return ranges_fail(st, "invalid range with no endpoint: -",
				   "invalid range with no endpoint: -");
	lo = has_lo ? lo : 1;
	if (has_hi && hi < lo)
		return ranges_fail(st, "invalid decreasing range", "invalid decreasing range");
	ranges_add(st, lo, has_hi ? hi : UINT64_MAX);
	return true;
}

static int ranges_compare(const void *a, const void *b)
{
	const struct range *x = a, *y = b;

	return (x->lo > y->lo) - (x->lo < y->lo);
}

/* Overlapping ones become one; neighbours stay apart. */
static void ranges_merge(struct ranges *r)
{
	size_t n = 0;

	qsort(r->at, r->n, sizeof(*r->at), ranges_compare);
	for (size_t i = 1; i < r->n; i++) {
		if (r->at[i].lo > r->at[n].hi)
			r->at[++n] = r->at[i];
		else if (r->at[i].hi > r->at[n].hi)
			r->at[n].hi = r->at[i].hi;
	}
	r->n = n + 1;
}

static void ranges_complement(struct ranges_state *st)
{
	struct ranges old = *st->out;
	uint64_t next = 1;

	*st->out = (struct ranges){ NULL, 0 };
	st->cap = 0;
	for (size_t i = 0; i < old.n; i++) {
		if (old.at[i].lo > next)
			ranges_add(st, next, old.at[i].lo - 1);
		next = old.at[i].hi;
		if (next++ == UINT64_MAX)
			return;
	}
	ranges_add(st, next, UINT64_MAX);
}

static int ranges_read(struct ranges_state *st, const char *list, bool complement)
{
	bool more = true;

	*st->out = (struct ranges){ NULL, 0 };
	while (more) {
		if (!ranges_item(st, &list))
			return st->status;
		more = *list != '\0';
		list += more;
	}
	ranges_merge(st->out);
	if (complement)
		ranges_complement(st);
	ranges_add(st, UINT64_MAX, UINT64_MAX);
	st->out->n--;
	return 0;
}

int ranges_parse(struct tsb_proc *p, const char *list, bool positions, bool complement,
		 struct ranges *out)
{
	struct ranges_state st = { .p = p, .out = out, .positions = positions };

	return ranges_read(&st, list, complement);
}

int ranges_parse_dash(struct tsb_proc *p, const char *list, struct ranges *out)
{
	struct ranges_state st = { .p = p, .out = out, .dash = true };

	return ranges_read(&st, list, false);
}
