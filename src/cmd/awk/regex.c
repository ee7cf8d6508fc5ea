/*
 * Regular expressions of the program: each place keeps the last one it used,
 * and all of them are in one table, which begins anew when it has grown large.
 */
#include "cmd/awk/awk.h"

enum { REGEXES_MAX = 500 };

static void regex_tick(void *ctx, size_t steps)
{
	struct awk *a = ctx;

	tsb_tick(a->p, steps / 64 + 1);
}

static void regexes_forget(struct awk *a)
{
	for (struct map_entry *e = NULL; (e = map_next(&a->regexes, e));)
		regex_free(e->value);
	map_end(&a->regexes);
	map_init(&a->regexes, a->heap);
	a->regex_generation++;
}

/* gawk names, once each, the escapes that mean nothing in a regular expression. */
void ak_regex_check(struct awk *a, const struct awk_str *source)
{
	/* Operators of GNU's that the stricter dialects do not have; one of them has no intervals. */
	const char *gnu = a->posix ? "wWsSyB<>`'" : a->traditional ? "wWsSyB<>`'{}" : "";
	static const char unknown[] = " !\"#%&,:;=@ACDEFGHIJKLMNOPQRTUVXYZ_cdeghijklmopquz~";

	for (size_t i = 0; i + 1 < source->n; i++) {
		int c = source->p[i + 1];

		if (source->p[i] != '\\')
			continue;
		i++;
		if (c <= 0 || a->escape_warned[c])
			continue;
		if (strchr(unknown, c) || strchr(gnu, c)) {
			a->escape_warned[c] = true;
			awk_warn(a, "regexp escape sequence `\\%c' is not a known regexp operator", c);
		} else if (c == '8' || c == '9') {
			a->escape_warned[c] = true;
			awk_warn(a, "regexp escape sequence `\\%c' treated as plain `%c'", c, c);
		}
	}
}

static unsigned regex_flags(const struct awk *a)
{
	return REGEX_EXTENDED | REGEX_AWK | (a->utf8 ? REGEX_UTF8 : 0u) |
	       (a->icase ? REGEX_ICASE : 0u) | (a->posix || a->traditional ? REGEX_NO_GNU : 0u);
}

static int hex_digit(int c)
{
	return c >= '0' && c <= '9' ? c - '0' : (c | 32) >= 'a' && (c | 32) <= 'f' ? (c | 32) - 'a' + 10 : 16;
}

/* "\ddd" or "\xHH" at p: its bytes and its value; 0: neither. */
static size_t code_escape(const char *p, const char *end, int *value)
{
	int base = p + 1 < end && p[1] == 'x' ? 16 : 8;
	const char *at = p + 1 + (base == 16), *from = at;

	for (*value = 0; at < end && at - from < (base == 16 ? 2 : 3) && hex_digit(*at) < base; at++)
		*value = *value * base + hex_digit(*at);
	*value &= 255;
	return at == from ? 0 : (size_t)(at - p);
}

/* Does a "[" stand open at the end of the text? */
static bool in_list(const char *p, size_t n)
{
	bool open = false;

	for (size_t i = 0; i < n; i++) {
		if (p[i] == '\\')
			i++;
		else if (!open && p[i] == '[')
			open = true;
		else if (open && p[i] == ']' && p[i - 1] != '[')
			open = false;
	}
	return open;
}

/* POSIX: a character by its number is the operator that it is; with --traditional it is none. */
struct regex *ak_regex_compile(struct awk *a, const char *p, size_t n, const char **error)
{
	const char *end = p + n;
	struct regex *re;
	struct str s;

	if (!memchr(p, '\\', n) && !memmem(p, n, "---", 3))
		return regex_compile(a->heap, p, n, regex_flags(a), error);
	str_init(&s, a->heap, STR_MAX_DEFAULT);
	while (p < end) {
		/* Three in a list are one: gawk reads no range there. */
		if (end - p > 3 && !memcmp(p, "---", 3) && in_list(s.p, s.n)) {
			str_addn(&s, "\\-", 2);
			p += 3;
			continue;
		}

		int value = 0;
		size_t len = *p == '\\' ? code_escape(p, end, &value) : 0;

		if (len && value && !(a->traditional && strchr("()|*+?.^$\\[]", value))) {
			str_addc(&s, value);
			p += len;
			continue;
		}
		if (*p == '\\' && p + 1 < end)
			str_addc(&s, *p++);
		str_addc(&s, *p++);
	}
	re = regex_compile(a->heap, s.p, s.n, regex_flags(a), error);
	str_end(&s);
	return re;
}

static struct regex *regex_make(struct awk *a, struct awk_str *source)
{
	const char *error = NULL;
	struct regex *re;

	ak_regex_check(a, source);
	re = ak_regex_compile(a, source->p, source->n, &error);

	if (!re)
		awk_fatal(a, "invalid regexp: %s: /%s/", error, source->p);
	regex_on_tick(re, regex_tick, a);
	return re;
}

struct regex *ak_regex_of(struct awk *a, struct awk_regex *cache, struct awk_str *source)
{
	struct map_entry *e;
	struct str key;

	if (cache->re && cache->generation == a->regex_generation && cache->icase == a->icase &&
	    (cache->source == source || (cache->source->n == source->n &&
					 !memcmp(cache->source->p, source->p, source->n))))
		return cache->re;
	if (a->regexes.n >= REGEXES_MAX)
		regexes_forget(a);
	str_init(&key, a->heap, STR_MAX_DEFAULT);
	str_addc(&key, a->icase ? 'i' : 'c');
	str_addn(&key, source->p, source->n);
	e = map_put(&a->regexes, key.p, key.n);
	str_end(&key);
	if (!e->value)
		e->value = regex_make(a, source);
	if (cache->source)
		str_drop(a, cache->source);
	cache->source = str_hold(source);
	cache->icase = a->icase;
	cache->generation = a->regex_generation;
	cache->re = e->value;
	return cache->re;
}

bool ak_regex_run(struct awk *a, struct regex *re, const char *p, size_t n, size_t from,
	       struct regex_span *spans, size_t n_spans)
{
	return ak_regex_run_in(a, re, p, n, from, 0, spans, n_spans);
}

bool ak_regex_run_in(struct awk *a, struct regex *re, const char *p, size_t n, size_t from,
		     unsigned flags, struct regex_span *spans, size_t n_spans)
{
	enum regex_status st = regex_match(re, p, n, from, flags, spans, n_spans);

	if (st == REGEX_BUDGET)
		awk_fatal(a, "regular expression is too complex");
	return st == REGEX_MATCH;
}
