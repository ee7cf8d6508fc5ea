/*
 * Pattern text -> tree. Nothing is an error: an unclosed bracket or group, or a
 * group nested too deep, is literal text. Runs of literal bytes become one node
 * so that the matcher compares them with memcmp. Brackets are parsed by the
 * same function that pattern_is_magic() asks, with no set to fill.
 */
#include "text/pattern_impl.h"

#include <string.h>

#include "base/heap.h"
#include "base/utf8.h"

size_t pattern_unit(unsigned flags, const char *s, size_t n, int32_t *c)
{
	unsigned char b = (unsigned char)*s;
	size_t len = 1;

	if (b < 0x80) {
		*c = b;
		return 1;
	}
	*c = -1;
	if (!(flags & PATTERN_BYTES))
		len = utf8_decode(s, n, c);
	if (*c < 0)
		*c = PAT_RAW + b;
	return len;
}

/* The unit that ends at s + n. */
size_t pattern_unit_back(unsigned flags, const char *s, size_t n, int32_t *c)
{
	for (size_t len = 2; len <= 4 && len <= n && !(flags & PATTERN_BYTES); len++) {
		if ((unsigned char)s[n - 1] < 0x80)
			break;
		if (utf8_decode(s + n - len, len, c) == len)
			return len;
	}
	return pattern_unit(flags, s + n - 1, 1, c);
}

int32_t pattern_fold(int32_t c)
{
	if (c < 0x80)
		return c >= 'A' && c <= 'Z' ? c + 32 : c;
	return c < PAT_RAW ? utf8_lower(c) : c;
}

static bool set_listed(const struct pat_set *set, int32_t c)
{
	int32_t f = set->icase ? pattern_fold(c) : c;

	for (size_t i = 0; i < set->ranges.n; i++)
		if (set->ranges.at[i].lo <= f && f <= set->ranges.at[i].hi)
			return true;
	for (size_t i = 0; i < set->classes.n && c < PAT_RAW; i++)
		if (utf8_is(c, set->classes.at[i]))
			return true;
	return false;
}

bool pattern_set_has(const struct pat_set *set, int32_t c)
{
	if (c < 128)
		return set->ascii[c >> 6] >> (c & 63) & 1;
	return c != PAT_DOT && set_listed(set, c) != set->negate;
}

static void set_finish(struct pat_set *set)
{
	for (int c = 0; c < 128; c++)
		if (set_listed(set, c) != set->negate)
			set->ascii[c >> 6] |= (uint64_t)1 << (c & 63);
}

/* The names of [.x.] in the portable character set. */
static int32_t collating_symbol(const char *p, size_t n)
{
	static const char *const names[] = {
		"NUL", "SOH", "STX", "ETX", "EOT", "ENQ", "ACK", "alert", "backspace", "tab",
		"newline", "vertical-tab", "form-feed", "carriage-return", "SO", "SI", "DLE",
		"DC1", "DC2", "DC3", "DC4", "NAK", "SYN", "ETB", "CAN", "EM", "SUB", "ESC",
		"IS4", "IS3", "IS2", "IS1", "space", "exclamation-mark", "quotation-mark",
		"number-sign", "dollar-sign", "percent-sign", "ampersand", "apostrophe",
		"left-parenthesis", "right-parenthesis", "asterisk", "plus-sign", "comma",
		"hyphen", "period", "slash", "zero", "one", "two", "three", "four", "five",
		"six", "seven", "eight", "nine", "colon", "semicolon", "less-than-sign",
		"equals-sign", "greater-than-sign", "question-mark", "commercial-at"
	};
	static const struct { const char *name; int32_t c; } more[] = {
		{ "left-square-bracket", '[' }, { "backslash", '\\' },
		{ "right-square-bracket", ']' }, { "circumflex", '^' }, { "underscore", '_' },
		{ "grave-accent", '`' }, { "left-brace", '{' }, { "vertical-line", '|' },
		{ "right-brace", '}' }, { "tilde", '~' }, { "DEL", 127 },
		{ "hyphen-minus", '-' }, { "full-stop", '.' }, { "solidus", '/' },
		{ "reverse-solidus", '\\' }, { "low-line", '_' }, { "circumflex-accent", '^' }
	};
	int32_t c;

	if (n && pattern_unit(0, p, n, &c) == n)
		return c;
	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (strlen(names[i]) == n && !memcmp(names[i], p, n))
			return (int32_t)i;
	for (size_t i = 0; i < sizeof(more) / sizeof(*more); i++)
		if (strlen(more[i].name) == n && !memcmp(more[i].name, p, n))
			return more[i].c;
	return -1;
}

static const char *class_name(const char *p, size_t n)
{
	static const char *const names[] = { "alnum", "alpha", "blank", "cntrl", "digit", "graph",
					     "lower", "print", "punct", "space", "upper",
					     "xdigit", "word", "ascii" };

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (strlen(names[i]) == n && !memcmp(names[i], p, n))
			return names[i];
	return NULL;
}

struct bracket {
	const char *p;
	size_t n, at;
	unsigned flags;
	struct tsb_heap *heap;
	struct pat_set *set;		/* NULL: only measure */
	bool no_end[3];			/* no ":]", ".]", "=]" follows, as was found out */
};

static void bracket_range(struct bracket *b, int32_t lo, int32_t hi)
{
	if (!b->set || lo > hi)
		return;
	if (b->flags & PATTERN_ICASE) {
		lo = pattern_fold(lo);
		hi = pattern_fold(hi);
	}
	struct pat_range *r = vec_add(b->heap, &b->set->ranges);
	if (r)
		*r = (struct pat_range){ lo, hi };
}

static void bracket_class(struct bracket *b, const char *name)
{
	if (!b->set)
		return;
	if (!strcmp(name, "ascii")) {
		bracket_range(b, 0, 127);
		return;
	}
	if (!strcmp(name, "word")) {
		bracket_range(b, '_', '_');
		name = "alnum";
	}
	const char **slot = vec_add(b->heap, &b->set->classes);
	if (slot)
		*slot = name;
}

/* The place of "X]" behind "[X", or 0. */
static size_t bracket_special_end(struct bracket *b, char kind)
{
	bool *none = &b->no_end[kind == ':' ? 0 : kind == '.' ? 1 : 2];

	for (size_t i = b->at + 2; !*none && i + 1 < b->n; i++)
		if (b->p[i] == kind && b->p[i + 1] == ']')
			return i;
	*none = true;
	return 0;
}

/* One member at b->at: its unit in *c, or -1 for a class; false: text ends. */
static bool bracket_member(struct bracket *b, int32_t *c)
{
	const char *p = b->p;

	if (b->at >= b->n)
		return false;
	if (p[b->at] == '\\' && !(b->flags & PATTERN_NOESCAPE)) {
		if (++b->at >= b->n)
			return false;
	} else if (p[b->at] == '[' && b->at + 1 < b->n && strchr(":.=", p[b->at + 1]) &&
		   p[b->at + 1]) {
		char kind = p[b->at + 1];
		size_t end = bracket_special_end(b, kind);
		if (end) {
			const char *name = p + b->at + 2;
			size_t len = end - b->at - 2;
			b->at = end + 2;
			*c = -1;
			if (kind == ':') {
				const char *known = class_name(name, len);
				if (known)
					bracket_class(b, known);
				return true;
			}
			*c = collating_symbol(name, len);
			return true;
		}
		if (kind == ':') {	/* bash drops this '[' */
			b->at++;
			*c = -1;
			return true;
		}
	}
	b->at += pattern_unit(b->flags, p + b->at, b->n - b->at, c);
	return true;
}

/*
 * p is behind the '['. The length up to and with the ']', or 0 when it is never
 * closed. Fills set when there is one.
 */
size_t pattern_bracket(const char *p, size_t n, unsigned flags, struct tsb_heap *heap,
		       struct pat_set *set)
{
	struct bracket b = { .p = p, .n = n, .flags = flags, .heap = heap, .set = set };

	if (n && (*p == '!' || *p == '^')) {
		b.at = 1;
		if (set)
			set->negate = true;
	}
	if (set)
		set->icase = flags & PATTERN_ICASE;
	for (bool first = true; b.at < n; first = false) {
		int32_t lo, hi;
		if (p[b.at] == ']' && !first) {
			if (set)
				set_finish(set);
			return b.at + 1;
		}
		if ((flags & PATTERN_PATHNAME) && p[b.at] == '/')
			return 0;
		if (!bracket_member(&b, &lo))
			return 0;
		if (lo >= 0 && b.at + 1 < n && p[b.at] == '-' && p[b.at + 1] != ']') {
			b.at++;
			if (!bracket_member(&b, &hi))
				return 0;
			bracket_range(&b, lo, hi);
		} else if (lo >= 0) {
			bracket_range(&b, lo, lo);
		}
	}
	return 0;
}

/* p is behind "+(". The place of the ')' that closes it, or n (also where a
 * bracket inside is never closed). */
size_t pattern_group_end(const char *p, size_t n)
{
	size_t nest = 0;

	for (size_t i = 0; i < n; i++) {
		if (p[i] == '\\') {
			i++;
		} else if (p[i] == '[') {
			size_t len = pattern_bracket(p + i + 1, n - i - 1, 0, NULL, NULL);
			if (!len)
				return n;
			i += len;
		} else if (p[i] == '(') {
			nest++;
		} else if (p[i] == ')' && nest-- == 0) {
			return i;
		}
	}
	return n;
}

struct parse {
	struct pattern *pat;
	const char *p;
	size_t n;
};

static struct pat_node *node_new(struct parse *ps, enum pat_kind kind)
{
	struct pat_node *node = heap_zalloc(ps->pat->heap, sizeof(*node));

	if (node)
		node->kind = kind;
	return node;
}

/* Appends literal bytes to the last node, or a new one. */
static struct pat_node **add_literal(struct parse *ps, struct pat_node **tail,
				     struct pat_node **last, const char *s, size_t n)
{
	struct pat_node *node = *last;

	if (!node || node->kind != PAT_LIT) {
		node = node_new(ps, PAT_LIT);
		if (!node)
			return tail;
		*tail = *last = node;
		tail = &node->next;
	}
	if (node->n + n > node->cap) {
		size_t cap = (node->n + n) * 2;
		char *p = heap_resize(ps->pat->heap, node->lit, cap);
		if (!p)
			return tail;
		node->lit = p;
		node->cap = cap;
	}
	memcpy(node->lit + node->n, s, n);
	node->n += n;
	return tail;
}

static struct pat_node *parse_sequence(struct parse *ps, size_t from, size_t end, unsigned depth);

/* The group at `at` (its operator); *end_out is behind its ')'. */
static struct pat_node *parse_group(struct parse *ps, size_t at, size_t close, unsigned depth)
{
	struct pat_node *node = node_new(ps, PAT_GROUP);
	size_t start = at + 2, nest = 0;
	struct pat_alt **tail;

	if (!node)
		return NULL;
	node->op = ps->p[at];
	ps->pat->grouped = true;
	tail = &node->alts;
	for (size_t i = start; i <= close; i++) {
		if (i < close && ps->p[i] == '\\') {
			i++;
		} else if (i < close && ps->p[i] == '[') {
			i += pattern_bracket(ps->p + i + 1, close - i - 1, 0, NULL, NULL);
		} else if (i < close && ps->p[i] == '(') {
			nest++;
		} else if (i < close && ps->p[i] == ')') {
			nest--;
		} else if (i == close || (ps->p[i] == '|' && !nest)) {
			struct pat_alt *alt = heap_zalloc(ps->pat->heap, sizeof(*alt));
			if (!alt)
				break;
			alt->first = parse_sequence(ps, start, i, depth + 1);
			*tail = alt;
			tail = &alt->next;
			start = i + 1;
		}
	}
	return node;
}

/* A special node at *at, which moves behind it; NULL: the byte is literal. */
static struct pat_node *parse_special(struct parse *ps, size_t *at, size_t end, unsigned depth)
{
	const char *p = ps->p + *at;
	size_t left = end - *at;
	struct pat_node *node;

	if ((ps->pat->flags & PATTERN_EXTGLOB) && left > 2 && strchr("?*+@!", *p) && *p &&
	    p[1] == '(' && depth < PAT_DEPTH_MAX && ps->pat->scanned < PAT_SCAN_MAX) {
		size_t len = pattern_group_end(p + 2, left - 2);
		ps->pat->scanned += len;
		if (len < left - 2) {
			node = parse_group(ps, *at, *at + 2 + len, depth);
			*at += len + 3;
			return node;
		}
	}
	if (*p == '?' || *p == '*') {
		++*at;
		return node_new(ps, *p == '?' ? PAT_ANY : PAT_STAR);
	}
	if (*p != '[' || ps->pat->scanned > PAT_SCAN_MAX)
		return NULL;
	size_t len = pattern_bracket(p + 1, left - 1, ps->pat->flags, NULL, NULL);
	ps->pat->scanned += len ? len : left;
	if (!len)
		return NULL;
	node = node_new(ps, PAT_SET);
	struct pat_set *set = node ? heap_zalloc(ps->pat->heap, sizeof(*set)) : NULL;
	if (!set)
		return NULL;
	pattern_bracket(p + 1, left - 1, ps->pat->flags, ps->pat->heap, set);
	node->set = set;
	*at += len + 1;
	return node;
}

static struct pat_node *parse_sequence(struct parse *ps, size_t from, size_t end, unsigned depth)
{
	struct pat_node *first = NULL, *last = NULL, **tail = &first;

	while (from < end) {
		struct pat_node *node = parse_special(ps, &from, end, depth);
		if (node && node->kind == PAT_STAR && last && last->kind == PAT_STAR) {
			heap_free(ps->pat->heap, node);
			continue;
		}
		if (node) {
			*tail = last = node;
			tail = &node->next;
			continue;
		}
		if (ps->p[from] == '\\' && !(ps->pat->flags & PATTERN_NOESCAPE) && from + 1 < end)
			from++;
		tail = add_literal(ps, tail, &last, ps->p + from, 1);
		from++;
	}
	return first;
}

bool pattern_parse(struct pattern *pat, const char *p, size_t n)
{
	struct parse ps = { pat, p, n };

	pat->first = parse_sequence(&ps, 0, n, 0);
	return pat->first || !n;
}

void pattern_tree_free(struct tsb_heap *heap, struct pat_node *node)
{
	while (node) {
		struct pat_node *next = node->next;
		struct pat_alt *alt = node->alts;
		while (alt) {
			struct pat_alt *after = alt->next;
			pattern_tree_free(heap, alt->first);
			heap_free(heap, alt);
			alt = after;
		}
		if (node->set) {
			vec_end(heap, &node->set->ranges);
			vec_end(heap, &node->set->classes);
			heap_free(heap, node->set);
		}
		heap_free(heap, node->lit);
		heap_free(heap, node);
		node = next;
	}
}
