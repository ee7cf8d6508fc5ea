/*
 * Sorting lines in memory.
 *
 * A line is 16 bytes: where it is, how long, and a 64-bit image of the piece of
 * it that is being looked at: seven bytes of a key and how many there are, or
 * a number. Sorting is by that image alone, as plain integers; lines that are
 * equal in it get the image of their next piece (the next seven bytes, the next
 * key, at last the whole line) and are sorted among themselves. So a line is
 * read once for each piece that matters, and not once for each comparison.
 *
 * Every step is stable, which is what -s and -u need.
 */
#include "cmd/sort.h"

#include <string.h>

#define FEW 12			/* lines that are sorted by plain comparing */
#define LEVELS 24		/* pieces, before the rest is left to comparing */
#define RADIX_LEAST 512

struct record {
	uint64_t image;
	uint32_t at, n;		/* in the text */
};

struct memory {
	struct sort *s;
	const char *text;
	struct record *spare;
	uint32_t (*counts)[256];
};

/* What is looked at: a key, or with key NULL the whole line. */
struct piece {
	const struct sort_key *key;
	size_t depth;		/* bytes of it done */
	unsigned level;
};

static struct sort_line line_of(const struct memory *m, const struct record *r)
{
	return (struct sort_line){ m->text + r->at, r->n };
}

/* ---- Images ---- */

static bool is_text(const struct sort_key *k)
{
	return !k || !(k->numeric || k->general || k->human || k->month || k->random ||
		       k->version);
}

/* Seven bytes and their count; a count of 8 says that there are more. */
static uint64_t image_bytes(const char *at, size_t n)
{
	unsigned char b[8] = { 0 };
	uint64_t v = 0;

	if (n >= 8) {
		memcpy(&v, at, 8);
		v = __builtin_bswap64(v);
		return (v & ~(uint64_t)0xff) | 8;
	}
	memcpy(b, at, n);
	for (int i = 0; i < 7; i++)
		v = v << 8 | b[i];
	return v << 8 | n;
}

/* The same for a key that -d, -i or -f change. */
static uint64_t image_changed(const struct sort *s, const struct sort_key *k,
			      const struct sort_line *t, size_t depth)
{
	const uint8_t *skip = k->ignore ? s->ignored[k->ignore] : NULL;
	char b[8];
	size_t n = 0;

	for (size_t i = 0; i < t->n && n < 8; i++) {
		unsigned char c = (unsigned char)t->at[i];

		if (skip && skip[c])
			continue;
		if (depth) {
			depth--;
			continue;
		}
		b[n++] = (char)(k->fold ? s->fold_table[c] : c);
	}
	return image_bytes(b, n);
}

static uint64_t image_of(struct memory *m, const struct piece *piece, const struct record *r,
			 bool *exact)
{
	const struct sort_key *k = piece->key;
	struct sort_line t = line_of(m, r);

	*exact = true;
	if (k)
		t = sort_key_text(m->s, k, &t);
	if (k && k->numeric)
		return sort_prefix_numeric(&t, exact);
	if (k && k->human)
		return sort_prefix_human(&t, exact);
	*exact = is_text(k) || k->month;
	if (k && k->general)
		return sort_prefix_general(m->s, &t);
	if (k && k->month)
		return (uint64_t)sort_month(&t);
	if (!is_text(k))
		return 0;
	if (k && (k->ignore || k->fold))
		return image_changed(m->s, k, &t, piece->depth);
	if (piece->depth >= t.n)
		return 0;
	return image_bytes(t.at + piece->depth, t.n - piece->depth);
}

static bool is_reversed(const struct memory *m, const struct piece *piece)
{
	return piece->key ? piece->key->reverse : m->s->global.reverse;
}

static void load_images(struct memory *m, const struct piece *piece, struct record *r, size_t n)
{
	uint64_t flip = is_reversed(m, piece) ? UINT64_MAX : 0;
	bool exact;

	for (size_t i = 0; i < n; i++)
		r[i].image = image_of(m, piece, &r[i], &exact) ^ flip;
	tsb_tick(m->s->p, n / 64);
}

/* ---- Sorting by image ---- */

static void insert_by_image(struct record *r, size_t n)
{
	for (size_t i = 1; i < n; i++) {
		struct record x = r[i];
		size_t j = i;

		for (; j && r[j - 1].image > x.image; j--)
			r[j] = r[j - 1];
		r[j] = x;
	}
}

static void merge_by_image(const struct record *a, const struct record *a_end,
			   const struct record *b, const struct record *b_end, struct record *to)
{
	while (a < a_end && b < b_end) {
		bool second = b->image < a->image;

		*to++ = second ? *b : *a;
		b += second;
		a += !second;
	}
	memcpy(to, a, (size_t)(a_end - a) * sizeof(*a));
	memcpy(to + (a_end - a), b, (size_t)(b_end - b) * sizeof(*b));
}

static void merge_sort_images(struct memory *m, struct record *r, size_t n)
{
	struct record *from = r, *to = m->spare;

	for (size_t i = 0; i < n; i += FEW)
		insert_by_image(r + i, n - i < FEW ? n - i : FEW);
	for (size_t w = FEW; w < n; w *= 2) {
		struct record *swap = from;

		for (size_t i = 0; i < n; i += 2 * w) {
			size_t mid = n - i < w ? n : i + w, end = n - i < 2 * w ? n : i + 2 * w;

			merge_by_image(from + i, from + mid, from + mid, from + end, to + i);
		}
		from = to;
		to = swap;
	}
	if (from != r)
		memcpy(r, from, n * sizeof(*r));
}

static void radix_pass(struct memory *m, const struct record *from, struct record *to, size_t n,
		       int byte)
{
	uint32_t *count = m->counts[byte], sum = 0;

	for (int c = 0; c < 256; c++) {
		uint32_t here = count[c];

		count[c] = sum;
		sum += here;
	}
	for (size_t i = 0; i < n; i++)
		to[count[from[i].image >> 8 * byte & 0xff]++] = from[i];
}

static void radix_sort(struct memory *m, struct record *r, size_t n)
{
	struct record *from = r, *to = m->spare;

	memset(m->counts, 0, 8 * sizeof(*m->counts));
	for (size_t i = 0; i < n; i++)
		for (int b = 0; b < 8; b++)
			m->counts[b][r[i].image >> 8 * b & 0xff]++;
	for (int b = 0; b < 8; b++) {
		struct record *swap = from;

		if (m->counts[b][from[0].image >> 8 * b & 0xff] == n)
			continue;	/* all are equal here */
		radix_pass(m, from, to, n, b);
		tsb_tick(m->s->p, n / 256);
		from = to;
		to = swap;
	}
	if (from != r)
		memcpy(r, from, n * sizeof(*r));
}

static void sort_by_image(struct memory *m, struct record *r, size_t n)
{
	if (n >= RADIX_LEAST)
		radix_sort(m, r, n);
	else
		merge_sort_images(m, r, n);
}

/* ---- Sorting by comparing ---- */

/* The image is no more needed: it says where in the line the key's text is. */
static void load_places(struct memory *m, const struct sort_key *k, struct record *r, size_t n)
{
	for (size_t i = 0; k && i < n; i++) {
		struct sort_line line = line_of(m, &r[i]), t = sort_key_text(m->s, k, &line);

		r[i].image = (uint64_t)(t.at - line.at) << 32 | t.n;
	}
}

static struct sort_line text_at(const struct memory *m, const struct record *r)
{
	return (struct sort_line){ m->text + r->at + (r->image >> 32), (uint32_t)r->image };
}

static int compare_from(struct memory *m, const struct sort_key *k, const struct record *x,
			const struct record *y)
{
	struct sort_line a, b;
	int d = 0;

	if (k) {
		a = text_at(m, x);
		b = text_at(m, y);
		d = sort_compare_texts(m->s, k, &a, &b);
	}
	if (d)
		return d;
	a = line_of(m, x);
	b = line_of(m, y);
	d = sort_compare_keys(m->s, k ? k->next : NULL, &a, &b);
	if (d || (m->s->keys && !sort_has_last_resort(m->s)))
		return d;
	d = sort_compare_bytes(&a, &b);
	return m->s->global.reverse ? -d : d;
}

static void insert_by_comparing(struct memory *m, const struct sort_key *k, struct record *r,
				size_t n)
{
	for (size_t i = 1; i < n; i++) {
		struct record x = r[i];
		size_t j = i;

		for (; j && compare_from(m, k, &r[j - 1], &x) > 0; j--)
			r[j] = r[j - 1];
		r[j] = x;
	}
}

static void merge_by_comparing(struct memory *m, const struct sort_key *k, const struct record *a,
			       const struct record *a_end, const struct record *b,
			       const struct record *b_end, struct record *to)
{
	size_t done = 0;

	while (a < a_end && b < b_end) {
		*to++ = compare_from(m, k, a, b) > 0 ? *b++ : *a++;
		if (++done % 1024 == 0)
			tsb_tick(m->s->p, 256);
	}
	memcpy(to, a, (size_t)(a_end - a) * sizeof(*a));
	memcpy(to + (a_end - a), b, (size_t)(b_end - b) * sizeof(*b));
}

static void sort_by_comparing(struct memory *m, const struct sort_key *k, struct record *r,
			      size_t n)
{
	struct record *from = r, *to = m->spare;

	load_places(m, k, r, n);
	for (size_t i = 0; i < n; i += FEW)
		insert_by_comparing(m, k, r + i, n - i < FEW ? n - i : FEW);
	for (size_t w = FEW; w < n; w *= 2) {
		struct record *swap = from;

		for (size_t i = 0; i < n; i += 2 * w) {
			size_t mid = n - i < w ? n : i + w, end = n - i < 2 * w ? n : i + 2 * w;

			merge_by_comparing(m, k, from + i, from + mid, from + mid, from + end,
					   to + i);
		}
		from = to;
		to = swap;
	}
	if (from != r)
		memcpy(r, from, n * sizeof(*r));
}

/* ---- Piece by piece ---- */

static bool all_exact(struct memory *m, const struct piece *piece, const struct record *r,
		      size_t n)
{
	bool exact = true;

	for (size_t i = 0; i < n && exact; i++)
		image_of(m, piece, &r[i], &exact);
	return exact;
}

/* The piece behind this one for lines that are equal in it. false: none, or
 * the lines have been sorted by comparing. */
static bool next_piece(struct memory *m, struct piece *piece, struct record *r, size_t n)
{
	uint64_t image = is_reversed(m, piece) ? ~r[0].image : r[0].image;

	piece->level++;
	if (is_text(piece->key) && (image & 0xff) == 8) {
		piece->depth += 7;
		return true;
	}
	if (!piece->key)
		return false;
	if (!is_text(piece->key) && !all_exact(m, piece, r, n)) {
		sort_by_comparing(m, piece->key, r, n);
		return false;
	}
	piece->key = piece->key->next;
	piece->depth = 0;
	return piece->key || sort_has_last_resort(m->s);
}

static void sort_piece(struct memory *m, struct piece piece, struct record *r, size_t n)
{
	while (n > 1) {
		size_t end;
		bool again = false;

		if (n <= FEW || piece.level >= LEVELS) {
			sort_by_comparing(m, piece.key, r, n);
			return;
		}
		load_images(m, &piece, r, n);
		sort_by_image(m, r, n);
		for (size_t i = 0; i < n; i = end) {
			struct piece inner = piece;

			for (end = i + 1; end < n && r[end].image == r[i].image; )
				end++;
			if (end - i < 2 || !next_piece(m, &inner, r + i, end - i))
				continue;
			again = end - i == n;
			if (again)
				piece = inner;
			else
				sort_piece(m, inner, r + i, end - i);
		}
		if (!again)
			return;
	}
}

/* ---- The whole ---- */

static size_t find_lines(struct sort *s, const char *text, size_t n, struct record **out)
{
	size_t count = 0, at = 0, cap = n / 32 + 16;
	struct record *r = text_alloc(s->p, cap * sizeof(*r));

	while (at < n) {
		const char *end = memchr(text + at, s->delim, n - at);
		size_t len = end ? (size_t)(end - text) - at : n - at;

		if (count == cap) {
			cap += cap / 2;
			r = tsb_realloc(s->p, r, cap * sizeof(*r));
		}
		r[count++] = (struct record){ 0, (uint32_t)at, (uint32_t)len };
		at += len + 1;
		if (count % 4096 == 0)
			tsb_tick(s->p, 1024);
	}
	*out = r;
	return count;
}

void sort_memory(struct sort *s, const char *text, size_t n)
{
	struct memory m = { s, text, NULL, NULL };
	struct sort_line last = { NULL, 0 };
	struct record *r;
	size_t count = find_lines(s, text, n, &r);

	m.spare = text_alloc(s->p, count * sizeof(*r) + 1);
	m.counts = text_alloc(s->p, 8 * sizeof(*m.counts));
	sort_piece(&m, (struct piece){ s->keys, 0, 0 }, r, count);
	tsb_free(s->p, m.spare);
	for (size_t i = 0; i < count && !tsb_out_error(s->p); i++) {
		struct sort_line line = line_of(&m, &r[i]);

		if (s->unique && last.at && (s->keys ? sort_compare_keys(s, s->keys, &last, &line)
						     : sort_compare_bytes(&last, &line)) == 0)
			continue;
		last = line;
		sort_write(s, &line);
	}
}
