/*
 * See tabs.h.
 */
#include "cmd/tabs.h"

#include <string.h>

#include "cmd/util.h"

struct tabs_value {
	uint64_t v;
	bool any;
	char kind;		/* '/', '+' or NUL */
};

static int tabs_add(struct tsb_proc *p, struct tabs *t, const struct tabs_value *v)
{
	uint64_t *once = v->kind == '/' ? &t->extend : &t->increment;

	if (!v->kind) {
		t->at = util_grow(p, t->at, t->n, &t->cap, sizeof(*t->at));
		t->at[t->n++] = v->v;
		return 0;
	}
	if (*once) {
		tsb_warn(p, "'%c' specifier only allowed with the last value", v->kind);
		return 1;
	}
	*once = v->v;
	return 0;
}

/* Digits at *s. */
static int tabs_digits(struct tsb_proc *p, struct tabs_value *v, const char **s)
{
	size_t n = strspn(*s, "0123456789");
	int bad = 0;

	v->v = 0;
	v->any = true;
	for (size_t i = 0; i < n && !bad; i++)
		bad = __builtin_mul_overflow(v->v, 10, &v->v) ||
		      __builtin_add_overflow(v->v, (uint64_t)((*s)[i] - '0'), &v->v);
	if (bad)
		tsb_warn(p, "tab stop is too large %s", quote_text(p, tsb_strndup(p, *s, n)));
	*s += n - 1;
	return bad;
}

int tabs_parse(struct tsb_proc *p, struct tabs *t, const char *s)
{
	struct tabs_value v = { 0 };
	int bad = 0;

	for (; *s; s++) {
		if (*s == ',' || *s == ' ' || *s == '\t') {
			if (v.any && tabs_add(p, t, &v))
				return 1;
			v.any = false;
		} else if (*s == '/' || *s == '+') {
			if (v.any) {
				tsb_warn(p, "'%c' specifier not at start of number: %s", *s,
					 quote_text(p, s));
				bad = 1;
			}
			v.kind = *s;
		} else if (*s >= '0' && *s <= '9') {
			bad |= tabs_digits(p, &v, &s);
		} else {
			tsb_warn(p, "tab size contains invalid character(s): %s", quote_text(p, s));
			return 1;
		}
	}
	if (!bad && v.any)
		bad = tabs_add(p, t, &v);
	return bad;
}

int tabs_finish(struct tsb_proc *p, struct tabs *t)
{
	uint64_t before = 0;

	for (size_t i = 0; i < t->n; i++) {
		if (!t->at[i]) {
			tsb_warn(p, "tab size cannot be 0");
			return 1;
		}
		if (t->at[i] <= before) {
			tsb_warn(p, "tab sizes must be ascending");
			return 1;
		}
		before = t->at[i];
	}
	if (t->extend && t->increment) {
		tsb_warn(p, "'/' specifier is mutually exclusive with '+'");
		return 1;
	}
	if (!t->n)
		t->size = t->extend ? t->extend : t->increment ? t->increment : 8;
	else if (t->n == 1 && !t->extend && !t->increment)
		t->size = t->at[0];
	return 0;
}

bool tabs_next(const struct tabs *t, uint64_t column, size_t *i, uint64_t *next)
{
	if (t->size) {
		*next = column + (t->size - column % t->size);
		return true;
	}
	for (; *i < t->n; ++*i) {
		if (column < t->at[*i]) {
			*next = t->at[*i];
			return true;
		}
	}
	if (t->extend)
		*next = column + (t->extend - column % t->extend);
	else if (t->increment)
		*next = column + (t->increment - (column - t->at[t->n - 1]) % t->increment);
	return t->extend || t->increment;
}
