/*
 * Keys of sort: reading -k, finding a key in a line, comparing by keys.
 */
#include "cmd/sort.h"

#include <string.h>

#include "cmd/util.h"
#include "cmd/vercmp.h"

/* ---- Declaration ---- */

struct sort_key *sort_key_new(struct sort *s)
{
	struct sort_key *k = tsb_alloc(s->p, sizeof(*k));

	k->eword = SORT_NO_WORD;
	if (s->last_key)
		s->last_key->next = k;
	else
		s->keys = k;
	s->last_key = k;
	return k;
}

bool sort_key_default(const struct sort_key *k)
{
	return !(k->ignore || k->fold || k->skip_start || k->skip_end || k->numeric ||
		 k->general || k->human || k->month || k->version || k->random);
}

void sort_key_opts(const struct sort_key *k, char out[16])
{
	const struct { bool on; char c; } row[] = {
		{ k->skip_start || k->skip_end, 'b' },
		{ k->ignore == SORT_IGNORE_NONDICTIONARY, 'd' }, { k->fold, 'f' },
		{ k->general, 'g' }, { k->human, 'h' },
		{ k->ignore == SORT_IGNORE_NONPRINTING, 'i' }, { k->month, 'M' },
		{ k->numeric, 'n' }, { k->random, 'R' }, { k->reverse, 'r' }, { k->version, 'V' },
	};
	size_t n = 0;

	for (size_t i = 0; i < sizeof(row) / sizeof(*row); i++)
		if (row[i].on)
			out[n++] = row[i].c;
	out[n] = '\0';
}

const char *sort_key_letters(struct sort_key *k, const char *at, int which)
{
	for (; *at; at++) {
		switch (*at) {
		case 'b':
			k->skip_start |= which & 1;
			k->skip_end |= (which & 2) != 0;
			break;
		case 'd': k->ignore = SORT_IGNORE_NONDICTIONARY; break;
		case 'i':
			if (!k->ignore)
				k->ignore = SORT_IGNORE_NONPRINTING;
			break;
		case 'f': k->fold = true; break;
		case 'g': k->general = true; break;
		case 'h': k->human = true; break;
		case 'M': k->month = true; break;
		case 'n': k->numeric = true; break;
		case 'R': k->random = true; break;
		case 'r': k->reverse = true; break;
		case 'V': k->version = true; break;
		default: return at;
		}
	}
	return at;
}

static int key_bad(struct sort *s, const char *what, const char *spec)
{
	tsb_warn(s->p, "%s: invalid field specification %s", what, quote_text(s->p, spec));
	return SORT_FAILURE;
}

/* A count at *at: past it, NULL after the message. Too large is endless. */
static const char *key_count(struct sort *s, const char *at, size_t *n, const char *what)
{
	const char *start = at;

	*n = 0;
	for (; *at >= '0' && *at <= '9'; at++)
		if (__builtin_mul_overflow(*n, 10u, n) ||
		    __builtin_add_overflow(*n, (size_t)(*at - '0'), n))
			*n = SIZE_MAX / 16;
	if (at != start)
		return at;
	tsb_warn(s->p, "%s: invalid count at start of %s", what, quote_text(s->p, start));
	return NULL;
}

/* The end position behind the comma. */
static const char *key_parse_end(struct sort *s, struct sort_key *k, const char *at,
				 const char *arg, int *status)
{
	at = key_count(s, at, &k->eword, "invalid number after ','");
	if (!at)
		return NULL;
	if (!k->eword--) {
		*status = key_bad(s, "field number is zero", arg);
		return NULL;
	}
	if (*at == '.')
		at = key_count(s, at + 1, &k->echar, "invalid number after '.'");
	return at ? sort_key_letters(k, at, 2) : NULL;
}

int sort_key_parse(struct sort *s, const char *arg)
{
	struct sort_key *k = sort_key_new(s);
	int status = SORT_FAILURE;
	const char *at = key_count(s, arg, &k->sword, "invalid number at field start");

	if (!at)
		return SORT_FAILURE;
	if (!k->sword--)
		return key_bad(s, "field number is zero", arg);
	if (*at == '.') {
		at = key_count(s, at + 1, &k->schar, "invalid number after '.'");
		if (!at)
			return SORT_FAILURE;
		if (!k->schar--)
			return key_bad(s, "character offset is zero", arg);
	}
	if (!k->sword && !k->schar)
		k->sword = SORT_NO_WORD;
	at = sort_key_letters(k, at, 1);
	if (*at == ',') {
		at = key_parse_end(s, k, at + 1, arg, &status);
		if (!at)
			return status;
	}
	return *at ? key_bad(s, "stray character in field spec", arg) : 0;
}

/* ---- Where a key is ---- */

void sort_tables(struct sort *s)
{
	for (int c = 0; c < 256; c++) {
		bool alpha = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
		bool digit = c >= '0' && c <= '9';

		s->fold_table[c] = (uint8_t)(c >= 'a' && c <= 'z' ? c - 32 : c);
		s->blank[c] = c == ' ' || c == '\t' || c == '\n';
		s->ignored[SORT_IGNORE_NONDICTIONARY][c] =
			!(alpha || digit || s->blank[c]);
		s->ignored[SORT_IGNORE_NONPRINTING][c] = c < 32 || c > 126;
	}
}

static const char *skip_blanks(const struct sort *s, const char *at, const char *end)
{
	while (at < end && s->blank[(unsigned char)*at])
		at++;
	return at;
}

/* Over one field with the blanks before it, or up to the separator. */
static const char *skip_field(const struct sort *s, const char *at, const char *end)
{
	const char *sep;

	if (s->tab >= 0) {
		sep = memchr(at, s->tab, (size_t)(end - at));
		return sep ? sep : end;
	}
	at = skip_blanks(s, at, end);
	while (at < end && !s->blank[(unsigned char)*at])
		at++;
	return at;
}

static const char *advance(const char *at, const char *end, size_t n)
{
	return (size_t)(end - at) < n ? end : at + n;
}

static const char *key_begin(const struct sort *s, const struct sort_key *k, const char *at,
			     const char *end)
{
	if (k->sword != SORT_NO_WORD)
		for (size_t w = k->sword; at < end && w; w--) {
			at = skip_field(s, at, end);
			if (s->tab >= 0 && at < end)
				at++;
		}
	if (k->skip_start)
		at = skip_blanks(s, at, end);
	return advance(at, end, k->schar);
}

static const char *key_limit(const struct sort *s, const struct sort_key *k, const char *at,
			     const char *end)
{
	size_t words = k->eword;

	if (!k->echar)
		words++;
	while (at < end && words) {
		words--;
		at = skip_field(s, at, end);
		if (s->tab >= 0 && at < end && (words || k->echar))
			at++;
	}
	if (!k->echar)
		return at;
	if (k->skip_end)
		at = skip_blanks(s, at, end);
	return advance(at, end, k->echar);
}

struct sort_line sort_key_text(const struct sort *s, const struct sort_key *k,
			       const struct sort_line *line)
{
	const char *end = line->at + line->n;
	const char *from = key_begin(s, k, line->at, end);
	const char *to = k->eword == SORT_NO_WORD ? end : key_limit(s, k, line->at, end);

	return (struct sort_line){ from, to > from ? (size_t)(to - from) : 0 };
}

/* ---- Comparing ---- */

int sort_compare_bytes(const struct sort_line *a, const struct sort_line *b)
{
	size_t n = a->n < b->n ? a->n : b->n;
	int d = n ? memcmp(a->at, b->at, n) : 0;

	return d ? d : (a->n > b->n) - (a->n < b->n);
}

/* With bytes left out or folded. */
static int compare_changed(const struct sort *s, const struct sort_key *k,
			   const struct sort_line *a, const struct sort_line *b)
{
	const uint8_t *skip = k->ignore ? s->ignored[k->ignore] : NULL;
	size_t i = 0, j = 0;

	for (;; i++, j++) {
		int x, y;

		while (skip && i < a->n && skip[(unsigned char)a->at[i]])
			i++;
		while (skip && j < b->n && skip[(unsigned char)b->at[j]])
			j++;
		if (i >= a->n || j >= b->n)
			return (i < a->n) - (j < b->n);
		x = (unsigned char)a->at[i];
		y = (unsigned char)b->at[j];
		if (k->fold) {
			x = s->fold_table[x];
			y = s->fold_table[y];
		}
		if (x != y)
			return x - y;
	}
}

/* A key as it is seen through -d, -i and -f. */
static struct sort_line key_changed(struct sort *s, const struct sort_key *k, struct sort_line t)
{
	char *copy;
	size_t n = 0;

	if (!k->ignore && !k->fold)
		return t;
	copy = text_alloc(s->p, t.n + 1);
	for (size_t i = 0; i < t.n; i++) {
		unsigned char c = (unsigned char)t.at[i];

		if (k->ignore && s->ignored[k->ignore][c])
			continue;
		copy[n++] = (char)(k->fold ? s->fold_table[c] : c);
	}
	return (struct sort_line){ copy, n };
}

static int compare_odd(struct sort *s, const struct sort_key *k, struct sort_line ta,
		       struct sort_line tb)
{
	struct sort_line a = key_changed(s, k, ta), b = key_changed(s, k, tb);
	int d = k->random ? sort_compare_random(s, &a, &b) : vercmp(a.at, a.n, b.at, b.n);

	if (a.at != ta.at)
		tsb_free(s->p, (char *)(uintptr_t)a.at);
	if (b.at != tb.at)
		tsb_free(s->p, (char *)(uintptr_t)b.at);
	return d;
}

static int compare_texts(struct sort *s, const struct sort_key *k, const struct sort_line *a,
			 const struct sort_line *b)
{
	if (k->numeric)
		return sort_compare_numeric(a, b);
	if (k->general)
		return sort_compare_general(s, a, b);
	if (k->human)
		return sort_compare_human(a, b);
	if (k->month)
		return sort_month(a) - sort_month(b);
	if (k->random || k->version)
		return compare_odd(s, k, *a, *b);
	if (k->ignore || k->fold)
		return compare_changed(s, k, a, b);
	return sort_compare_bytes(a, b);
}

int sort_compare_texts(struct sort *s, const struct sort_key *k, const struct sort_line *a,
		       const struct sort_line *b)
{
	int d = compare_texts(s, k, a, b);

	return d ? (d > 0) == k->reverse ? -1 : 1 : 0;
}

int sort_compare_keys(struct sort *s, const struct sort_key *k, const struct sort_line *a,
		      const struct sort_line *b)
{
	for (; k; k = k->next) {
		struct sort_line x = sort_key_text(s, k, a), y = sort_key_text(s, k, b);
		int d = sort_compare_texts(s, k, &x, &y);

		if (d)
			return d;
	}
	return 0;
}

int sort_compare(struct sort *s, const struct sort_line *a, const struct sort_line *b)
{
	int d = sort_compare_keys(s, s->keys, a, b);

	if (d || (s->keys && !sort_has_last_resort(s)))
		return d;
	d = sort_compare_bytes(a, b);
	return s->global.reverse ? (d < 0) - (d > 0) : d;
}
