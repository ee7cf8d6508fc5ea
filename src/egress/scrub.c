/*
 * Values that a server sends back: each becomes as many stars, so that no length changes. What could be the
 * beginning of one waits for what follows.
 */
#include "egress/http.h"

#include <string.h>

void ht_scrub_word(struct ht_scrub *s, const char *word, size_t n)
{
	if (s->count == HT_WORDS || n < WIRE_SECRET_MIN)
		return;
	s->word[s->count] = word;
	s->size[s->count++] = n;
}

/* Stars in `out`, which has the same bytes; where the last of them ends. */
static size_t stars(const struct ht_scrub *s, const char *data, size_t n, char *out)
{
	size_t last = 0;

	for (size_t k = 0; k < s->count; k++) {
		const char *at = data, *hit;

		while ((hit = memmem(at, n - (size_t)(at - data), s->word[k], s->size[k]))) {
			size_t from = (size_t)(hit - data);

			memset(out + from, '*', s->size[k]);
			if (from + s->size[k] > last)
				last = from + s->size[k];
			at = hit + 1;
		}
	}
	return last;
}

/* How many bytes at the end could begin a word. */
static size_t begun(const struct ht_scrub *s, const char *data, size_t n)
{
	size_t most = 0;

	for (size_t k = 0; k < s->count; k++) {
		size_t i = s->size[k] - 1 < n ? s->size[k] - 1 : n;

		for (; i > most; i--)
			if (!memcmp(data + n - i, s->word[k], i))
				most = i;
	}
	return most;
}

static void scrub(struct ht_scrub *s, const char *data, size_t n, struct ht_buf *out, bool whole)
{
	size_t before = out->size, last, keep;

	ht_put(out, data, n);
	if (!n || out->failed)
		return;
	last = stars(s, data, n, out->data + before);
	keep = whole ? 0 : begun(s, data, n);
	keep = keep > n - last ? n - last : keep;
	out->size -= keep;
	ht_put(&s->held, data + n - keep, keep);
	out->failed |= s->held.failed;
}

void ht_scrub(struct ht_scrub *s, const char *data, size_t n, struct ht_buf *out)
{
	struct ht_buf whole = s->held;

	if (!whole.size) {
		scrub(s, data, n, out, false);
		return;
	}
	s->held = (struct ht_buf){0};
	ht_put(&whole, data, n);
	out->failed |= whole.failed;
	scrub(s, whole.data, whole.size, out, false);
	ht_free(&whole);
}

void ht_scrub_flush(struct ht_scrub *s, struct ht_buf *out)
{
	ht_put(out, s->held.data, s->held.size);
	ht_free(&s->held);
}
