/*
 * See tr_set.h. First escapes are undone, remembering which characters were
 * escaped, then constructs are found among those that were not.
 */
#include "cmd/tr_set.h"

#include <string.h>

#include "base/num.h"
#include "base/str.h"
#include "cmd/util.h"

struct tr_text {
	struct tsb_proc *p;
	unsigned char *s;
	bool *escaped;
	size_t n;
};

/* ---- Escapes ---- */

static int tr_escape(int c)
{
	static const char names[] = "abfnrtv", values[] = "\a\b\f\n\r\t\v";
	const char *at = c ? strchr(names, c) : NULL;

	return at ? values[at - names] : c;
}

static bool is_octal(char c)
{
	return c >= '0' && c <= '7';
}

/* Up to three octal digits at *at, as far as they make a byte. */
static int tr_octal(struct tr_text *t, const char **at)
{
	const char *s = *at;
	int c = *s++ - '0';

	if (is_octal(*s)) {
		c = c * 8 + *s++ - '0';
		if (is_octal(*s)) {
			if (c * 8 + *s - '0' < 256)
				c = c * 8 + *s++ - '0';
			else
				tsb_warn(t->p, "warning: the ambiguous octal escape \\%c%c%c is "
					 "being\n\tinterpreted as the 2-byte sequence \\0%c%c, %c",
					 s[-2], s[-1], s[0], s[-2], s[-1], s[0]);
		}
	}
	*at = s;
	return c;
}

static void tr_unescape(struct tr_text *t, const char *text)
{
	size_t n = strlen(text);

	t->s = tsb_alloc(t->p, n + 1);
	t->escaped = tsb_alloc(t->p, n + 1);
	while (*text) {
		int c = (unsigned char)*text++;

		if (c == '\\' && !*text) {
			tsb_warn(t->p, "warning: an unescaped backslash at end of string is not "
				 "portable");
		} else if (c == '\\') {
			t->escaped[t->n] = true;
			if (is_octal(*text))
				c = tr_octal(t, &text);
			else
				c = tr_escape((unsigned char)*text++);
		}
		t->s[t->n++] = (unsigned char)c;
	}
}

static bool tr_is(const struct tr_text *t, size_t i, int c)
{
	return i < t->n && t->s[i] == c && !t->escaped[i];
}

/* ---- Constructs ---- */

static const char *const tr_class_names[] = {
	"alnum", "alpha", "blank", "cntrl", "digit", "graph", "lower", "print", "punct", "space",
	"upper", "xdigit", NULL
};
enum { TR_CLASS_LOWER = 6, TR_CLASS_UPPER = 10 };

static bool tr_class_has(unsigned class, int c)
{
	bool lower = c >= 'a' && c <= 'z', upper = c >= 'A' && c <= 'Z';
	bool digit = c >= '0' && c <= '9', graph = c > 32 && c < 127;

	switch (class) {
	case 0: return lower || upper || digit;
	case 1: return lower || upper;
	case 2: return c == ' ' || c == '\t';
	case 3: return c < 32 || c == 127;
	case 4: return digit;
	case 5: return graph;
	case 6: return lower;
	case 7: return graph || c == ' ';
	case 8: return graph && !lower && !upper && !digit;
	case 9: return c == ' ' || (c >= 9 && c <= 13);
	case 10: return upper;
	default: return digit || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
	}
}

static enum tr_case tr_item_case(const struct tr_item *item)
{
	if (item->kind != TR_CLASS)
		return TR_CASE_NONE;
	return item->class == TR_CLASS_LOWER ? TR_CASE_LOWER
	     : item->class == TR_CLASS_UPPER ? TR_CASE_UPPER : TR_CASE_NONE;
}

static void tr_add(struct tr_text *t, struct tr_set *set, struct tr_item item)
{
	set->at = util_grow(t->p, set->at, set->n, &set->cap, sizeof(*set->at));
	set->at[set->n++] = item;
}

/* As it is shown in a message. */
static void tr_show(struct str *out, const unsigned char *s, size_t n, bool names)
{
	static const char special[] = "\a\b\f\n\r\t\v\\", letters[] = "abfnrtv\\";

	for (size_t i = 0; i < n; i++) {
		const char *at = names && s[i] ? strchr(special, s[i]) : NULL;

		if (at)
			str_addf(out, "\\%c", letters[at - special]);
		else if (s[i] >= 32 && s[i] < 127)
			str_addc(out, s[i]);
		else
			str_addf(out, "\\%03o", s[i]);
	}
}

static const char *tr_shown(struct tr_text *t, const unsigned char *s, size_t n, bool names)
{
	struct str out;

	str_init(&out, tsb_heap_of(t->p), STR_MAX_DEFAULT);
	tr_show(&out, s, n, names);
	return str_take(&out, NULL);
}

static bool tr_add_class(struct tr_text *t, struct tr_set *set, size_t at, size_t n)
{
	for (uint8_t i = 0; tr_class_names[i]; i++)
		if (strlen(tr_class_names[i]) == n && !memcmp(tr_class_names[i], t->s + at, n)) {
			tr_add(t, set, (struct tr_item){ TR_CLASS, 0, 0, i, 0 });
			return true;
		}
	return false;
}

/* Is it *DIGITS] from i on? Then "[:*3]" is a repeat of ":". */
static bool tr_is_repeat_rest(const struct tr_text *t, size_t i)
{
	if (!tr_is(t, i, '*'))
		return false;
	for (i++; i < t->n && t->s[i] >= '0' && t->s[i] <= '9'; i++)
		;
	return tr_is(t, i, ']');
}

/* [:name:] or [=c=] at i. 1: added, *next behind it; 0: it is none; -1: wrong. */
static int tr_bracket(struct tr_text *t, struct tr_set *set, size_t i, size_t *next)
{
	unsigned char mark = t->s[i + 1];
	size_t end = i + 2, n;

	while (end + 1 < t->n && !(t->s[end] == mark && t->s[end + 1] == ']' &&
				   !t->escaped[end] && !t->escaped[end + 1]))
		end++;
	if (end + 1 >= t->n)
		return 0;
	n = end - (i + 2);
	if (!n) {
		tsb_warn(t->p, mark == ':' ? "missing character class name '[::]'"
					   : "missing equivalence class character '[==]'");
		return -1;
	}
	if (mark == ':' ? tr_add_class(t, set, i + 2, n) : n == 1) {
		if (mark == '=')
			tr_add(t, set, (struct tr_item){ TR_EQUIV, t->s[i + 2], 0, 0, 0 });
		*next = end + 2;
		return 1;
	}
	if (tr_is_repeat_rest(t, i + 2))
		return 0;
	if (mark == ':')
		tsb_warn(t->p, "invalid character class %s",
			 quote_text(t->p, tr_shown(t, t->s + i + 2, n, true)));
	else
		tsb_warn(t->p, "%s: equivalence class operand must be a single character",
			 tr_shown(t, t->s + i + 2, n, true));
	return -1;
}

static bool tr_repeat_count(const unsigned char *s, size_t n, uint64_t *count)
{
	unsigned base = s[0] == '0' ? 8 : 10;

	*count = 0;
	for (size_t i = 0; i < n; i++)
		if (s[i] < '0' || s[i] - '0' >= (int)base ||
		    __builtin_mul_overflow(*count, (uint64_t)base, count) ||
		    __builtin_add_overflow(*count, (uint64_t)(s[i] - '0'), count))
			return false;
	return *count < UINT64_MAX / 2;
}

/* [c*N] at i; as tr_bracket(). */
static int tr_repeat(struct tr_text *t, struct tr_set *set, size_t i, size_t *next)
{
	uint64_t count = 0;
	size_t end, from = i + 3;

	if (!tr_is(t, i + 2, '*'))
		return 0;
	for (end = from; end < t->n && !t->escaped[end] && t->s[end] != ']'; end++)
		;
	if (end >= t->n || t->escaped[end])
		return 0;
	if (end > from && !tr_repeat_count(t->s + from, end - from, &count)) {
		tsb_warn(t->p, "invalid repeat count %s in [c*n] construct",
			 quote_text(t->p, tr_shown(t, t->s + from, end - from, true)));
		return -1;
	}
	tr_add(t, set, (struct tr_item){ TR_REPEAT, t->s[i + 1], 0, 0, count });
	*next = end + 1;
	return 1;
}

static bool tr_add_range(struct tr_text *t, struct tr_set *set, const unsigned char *s)
{
	if (s[0] > s[2]) {
		tsb_warn(t->p, "range-endpoints of '%s-%s' are in reverse collating sequence order",
			 tr_shown(t, s, 1, false), tr_shown(t, s + 2, 1, false));
		return false;
	}
	tr_add(t, set, (struct tr_item){ TR_RANGE, s[0], s[2], 0, 0 });
	return true;
}

static bool tr_parse_items(struct tr_text *t, struct tr_set *set)
{
	size_t i = 0;

	while (i + 2 < t->n) {
		int found = 0;

		if (tr_is(t, i, '[')) {
			if (tr_is(t, i + 1, ':') || tr_is(t, i + 1, '='))
				found = tr_bracket(t, set, i, &i);
			if (!found)
				found = tr_repeat(t, set, i, &i);
		}
		if (found < 0)
			return false;
		if (found)
			continue;
		if (tr_is(t, i + 1, '-')) {
			if (!tr_add_range(t, set, t->s + i))
				return false;
			i += 3;
		} else {
			tr_add(t, set, (struct tr_item){ TR_CHAR, t->s[i++], 0, 0, 0 });
		}
	}
	for (; i < t->n; i++)
		tr_add(t, set, (struct tr_item){ TR_CHAR, t->s[i], 0, 0, 0 });
	return true;
}

static uint64_t tr_item_length(const struct tr_item *item)
{
	uint64_t n = 0;

	switch (item->kind) {
	case TR_RANGE:
		return (uint64_t)(item->last - item->first) + 1;
	case TR_REPEAT:
		return item->count;
	case TR_CLASS:
		for (int c = 0; c < 256; c++)
			n += tr_class_has(item->class, c);
		return n;
	default:
		return 1;
	}
}

int tr_set_parse(struct tsb_proc *p, const char *text, struct tr_set *set)
{
	struct tr_text t = { .p = p };

	*set = (struct tr_set){ .p = p };
	tr_unescape(&t, text);
	if (!tr_parse_items(&t, set))
		return 1;
	for (size_t i = 0; i < set->n; i++) {
		const struct tr_item *item = &set->at[i];

		if (__builtin_add_overflow(set->length, tr_item_length(item), &set->length) ||
		    set->length > UINT64_MAX / 2) {
			tsb_warn(p, "too many characters in set");
			return 1;
		}
		set->open_repeats += item->kind == TR_REPEAT && !item->count;
		set->has_equiv |= item->kind == TR_EQUIV;
		set->has_class |= item->kind == TR_CLASS;
		set->has_other_class |= item->kind == TR_CLASS &&
					tr_item_case(item) == TR_CASE_NONE;
	}
	return 0;
}

/* ---- Walking ---- */

static int walk_class(struct tr_walk *w, const struct tr_item *item)
{
	while (w->next_class < 256 && !tr_class_has(item->class, w->next_class))
		w->next_class++;
	return w->next_class < 256 ? w->next_class++ : -1;
}

int tr_walk_next(struct tr_walk *w)
{
	for (; w->item < w->set->n; tr_walk_skip(w)) {
		const struct tr_item *item = &w->set->at[w->item];
		int c = item->first;

		w->in_case = tr_item_case(item);
		w->new_item = w->done == 0;
		if (item->kind == TR_CLASS) {
			c = walk_class(w, item);
			if (c < 0)
				continue;
		} else if (item->kind == TR_RANGE) {
			if (w->done > (uint64_t)(item->last - item->first))
				continue;
			c += (int)w->done;
		} else if (w->done >= (item->kind == TR_REPEAT ? item->count : 1)) {
			continue;
		}
		if (!(++w->done & 0xfff))	/* [a*99999999999] */
			tsb_tick(w->set->p, 0x1000);
		return c;
	}
	w->in_case = TR_CASE_NONE;
	w->new_item = false;
	return -1;
}

void tr_walk_skip(struct tr_walk *w)
{
	w->item++;
	w->done = 0;
	w->next_class = 0;
}
