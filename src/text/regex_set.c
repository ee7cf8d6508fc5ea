/*
 * Sets of units, and what the engines ask about units: decoding, case, word
 * characters, the context of a place. Without regard to case everything is
 * compared in upper case, as glibc does: so "s" finds U+017F but "k" does not
 * find the Kelvin sign.
 */
#include "text/regex_impl.h"

#include <string.h>

#include "base/heap.h"
#include "base/utf8.h"

int32_t re_upper(const struct regex *re, int32_t unit)
{
	if (unit < 128)
		return unit >= 'a' && unit <= 'z' ? unit - 32 : unit;
	return re->utf8 && unit < RE_RAW ? utf8_upper(unit) : unit;
}

static int32_t set_upper(const struct re_set *set, int32_t unit)
{
	if (unit < 128)
		return unit >= 'a' && unit <= 'z' ? unit - 32 : unit;
	return set->utf8 ? utf8_upper(unit) : unit;
}

static bool set_listed(const struct re_set *set, int32_t unit)
{
	if (set->icase)
		unit = set_upper(set, unit);
	for (size_t i = 0; i < set->ranges.n; i++)
		if (set->ranges.at[i].lo <= unit && unit <= set->ranges.at[i].hi)
			return true;
	if (unit >= 128 && !set->utf8)
		return false;
	for (size_t i = 0; i < set->classes.n; i++)
		if (utf8_is(unit, set->classes.at[i]))
			return true;
	return false;
}

bool re_set_has(const struct re_set *set, int32_t unit)
{
	if (unit < 128 || !set->utf8)
		return set->low[unit >> 6] >> (unit & 63) & 1;
	return unit < RE_RAW && set_listed(set, unit) != set->negate;
}

bool re_set_high(const struct re_set *set)
{
	if (!set->utf8)
		return set->low[2] || set->low[3];
	if (set->negate || set->classes.n)
		return true;
	for (size_t i = 0; i < set->ranges.n; i++)
		if (set->ranges.at[i].hi >= 128)
			return true;
	/* U+0131 and U+017F have ASCII letters as their upper case. */
	return set->icase && (set_listed(set, 'I') || set_listed(set, 'S'));
}

struct re_set *re_set_new(struct regex *re, bool negate)
{
	struct re_set *set = ARENA_NEW(&re->arena, struct re_set);

	if (!set) {
		re->nomem = true;
		return NULL;
	}
	set->negate = negate;
	set->icase = re->icase;
	set->utf8 = re->utf8;
	return set;
}

void re_set_range(struct regex *re, struct re_set *set, int32_t lo, int32_t hi)
{
	struct re_range *r = vec_add(re->heap, &set->ranges);

	if (r)
		*r = (struct re_range){ lo, hi };
	else
		re->nomem = true;
}

void re_set_no_newline(struct regex *re, struct re_set *set)
{
	if (re->line_byte >= 0)
		re_set_range(re, set, '\n', '\n');
	if (re->line_byte == 0)
		re_set_range(re, set, 0, 0);
}

void re_set_class(struct regex *re, struct re_set *set, const char *name)
{
	const char **slot;

	if (set->icase && (!strcmp(name, "upper") || !strcmp(name, "lower")))
		name = "alpha";
	slot = vec_add(re->heap, &set->classes);
	if (slot)
		*slot = name;
	else
		re->nomem = true;
}

const char *re_class_known(const char *name, size_t n)
{
	static const char *const names[] = { "alnum", "alpha", "blank", "cntrl", "digit", "graph",
					     "lower", "print", "punct", "space", "upper",
					     "xdigit" };

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (strlen(names[i]) == n && !memcmp(names[i], name, n))
			return names[i];
	return NULL;
}

static bool set_equal(const struct re_set *a, const struct re_set *b)
{
	return !memcmp(a->low, b->low, sizeof(a->low)) && a->negate == b->negate &&
	       a->icase == b->icase && a->ranges.n == b->ranges.n &&
	       a->classes.n == b->classes.n &&
	       (!a->ranges.n ||
		!memcmp(a->ranges.at, b->ranges.at, a->ranges.n * sizeof(*a->ranges.at))) &&
	       (!a->classes.n ||
		!memcmp(a->classes.at, b->classes.at, a->classes.n * sizeof(*a->classes.at)));
}

uint32_t re_set_finish(struct regex *re, struct re_set *set)
{
	int32_t end = set->utf8 ? 128 : 256;

	for (int32_t c = 0; c < end; c++)
		if (set_listed(set, c) != set->negate)
			set->low[c >> 6] |= (uint64_t)1 << (c & 63);
	/* Only the newest few are looked at: enough for x{1,100}, never slow. */
	for (size_t i = re->sets.n; i-- > 0 && re->sets.n - i < 32;) {
		if (set_equal(re->sets.at[i], set)) {
			vec_end(re->heap, &set->ranges);
			vec_end(re->heap, &set->classes);
			return (uint32_t)i;
		}
	}
	struct re_set **slot = vec_add(re->heap, &re->sets);
	if (!slot) {
		re->nomem = true;
		return 0;
	}
	*slot = set;
	return (uint32_t)re->sets.n - 1;
}

uint32_t re_set_of(struct regex *re, int32_t upper)
{
	struct re_set *set;
	uint32_t index;

	if (upper < 128 && re->unit_sets[upper])
		return re->unit_sets[upper] - 1;
	set = re_set_new(re, false);
	if (!set)
		return 0;
	re_set_range(re, set, upper, upper);
	index = re_set_finish(re, set);
	if (upper < 128)
		re->unit_sets[upper] = index + 1;
	return index;
}

bool re_word(const struct regex *re, int32_t unit)
{
	if (unit < 128)
		return unit == '_' || (unit >= '0' && unit <= '9') || (unit >= 'a' && unit <= 'z') ||
		       (unit >= 'A' && unit <= 'Z');
	return re->utf8 && unit < RE_RAW && utf8_is(unit, "alnum");
}

size_t re_unit(const struct regex *re, const char *p, size_t n, int32_t *unit)
{
	unsigned char b = (unsigned char)*p;

	*unit = b;
	if (b < 128 || !re->utf8)
		return 1;
	size_t len = utf8_decode(p, n, unit);
	if (*unit < 0)
		*unit = RE_RAW + b;
	return len;
}

/* The unit that ends at p + n; n >= 1. */
static size_t re_unit_before(const struct regex *re, const char *p, size_t n, int32_t *unit)
{
	unsigned char b = (unsigned char)p[n - 1];

	*unit = b;
	if (b < 128 || !re->utf8)
		return 1;
	for (size_t len = 2; len <= 4 && len <= n; len++)
		if (utf8_decode(p + n - len, len, unit) == len)
			return len;
	*unit = RE_RAW + b;
	return 1;
}

unsigned re_context_before(const struct regex *re, const struct re_text *t, size_t at)
{
	int32_t unit;

	if (at == 0)
		return RC_TEXT | (t->flags & REGEX_NOTBOL ? 0 : RC_LINE);
	if (!re->uses)
		return 0;
	re_unit_before(re, t->p, at, &unit);
	return (unit == re->line_byte ? RC_LINE : 0) | (re_word(re, unit) ? RC_WORD : 0);
}

unsigned re_context_after(const struct regex *re, const struct re_text *t, size_t at)
{
	int32_t unit;

	if (at >= t->n)
		return RC_TEXT | (t->flags & REGEX_NOTEOL ? 0 : RC_LINE);
	if (!re->uses)
		return 0;
	re_unit(re, t->p + at, t->n - at, &unit);
	return (unit == re->line_byte ? RC_LINE : 0) | (re_word(re, unit) ? RC_WORD : 0);
}

bool re_holds(enum re_assert a, unsigned before, unsigned after)
{
	bool word_before = before & RC_WORD, word_after = after & RC_WORD;

	switch (a) {
	case RE_LINE_BEGIN:
		return before & RC_LINE;
	case RE_LINE_END:
		return after & RC_LINE;
	case RE_TEXT_BEGIN:
		return before & RC_TEXT;
	case RE_TEXT_END:
		return after & RC_TEXT;
	case RE_WORD_EDGE:
		return word_before != word_after;
	case RE_NOT_WORD_EDGE:
		return word_before == word_after;
	case RE_WORD_BEGIN:
		return !word_before && word_after;
	case RE_WORD_END:
		return word_before && !word_after;
	case RE_NO_WORD_BEFORE:
		return !word_before;
	case RE_NO_WORD_AFTER:
		return !word_after;
	}
	return false;
}
