/*
 * ptx's keywords: words within sentences (or lines), each with its context.
 */
#include "cmd/ptx.h"

#include <string.h>

#include "base/merge.h"
#include "cmd/quote.h"
#include "text/regex.h"

static void ptx_failed(struct ptx *x)
{
	tsb_warn(x->p, "error in regular expression matcher");
	tsb_exit(x->p, 1);
}

const char *ptx_skip(struct ptx *x, const char *at, const char *end)
{
	struct regex_span span;

	if (at >= end)
		return at + 1;
	if (x->word_re) {
		if (regex_match(x->word_re, at, (size_t)(end - at), 0, 0, &span, 1) == REGEX_MATCH &&
		    !span.so)
			return at + span.eo;
		return at + 1;
	}
	if (!x->in_word[(unsigned char)*at])
		return at + 1;
	while (at < end && x->in_word[(unsigned char)*at])
		at++;
	return at;
}

static const char *ptx_sentence_end(struct ptx *x, const char *at, const char *end)
{
	struct regex_span span;
	enum regex_status status;

	if (!x->sentence_re)
		return end;
	status = regex_match(x->sentence_re, at, (size_t)(end - at), 0, 0, &span, 1);
	if (status == REGEX_BUDGET)
		ptx_failed(x);
	if (status == REGEX_NOMATCH)
		return end;
	/* GNU's takes a match at the start for an empty one. */
	if (!span.so) {
		tsb_warn(x->p, "error: regular expression has a match of length zero: %s",
			 quote_text(x->p, x->sentence));
		tsb_exit(x->p, 1);
	}
	return at + span.eo;
}

/* The next word at or behind *at: false when there is none. It may be empty. */
static bool ptx_next_word(struct ptx *x, const char **at, const char *end, size_t *n)
{
	struct regex_span span;
	enum regex_status status;
	const char *s = *at;

	if (x->word_re) {
		status = regex_match(x->word_re, s, (size_t)(end - s), 0, 0, &span, 1);
		if (status == REGEX_BUDGET)
			ptx_failed(x);
		*at = s + span.so;
		*n = span.eo - span.so;
		return status == REGEX_MATCH;
	}
	while (s < end && !x->in_word[(unsigned char)*s])
		s++;
	if (s == end)
		return false;
	*at = s;
	while (s < end && x->in_word[(unsigned char)*s])
		s++;
	*n = (size_t)(s - *at);
	return true;
}

static int ptx_compare(const struct ptx *x, const char *a, size_t n, const char *b, size_t m)
{
	for (size_t i = 0; i < n && i < m; i++) {
		int c = (unsigned char)a[i], d = (unsigned char)b[i];

		if (x->fold) {
			c -= c >= 'a' && c <= 'z' ? 32 : 0;
			d -= d >= 'a' && d <= 'z' ? 32 : 0;
		}
		if (c != d)
			return c < d ? -1 : 1;
	}
	return (n > m) - (n < m);
}

static bool ptx_listed(const struct ptx *x, const struct tsb_list *list, const char *word, size_t n)
{
	size_t low = 0, high = list->n;

	while (low < high) {
		size_t middle = (low + high) / 2;
		int order = ptx_compare(x, word, n, list->at[middle], strlen(list->at[middle]));

		if (!order)
			return true;
		if (order < 0)
			high = middle;
		else
			low = middle + 1;
	}
	return false;
}

/* Where the line is that a word stands in. */
struct ptx_line {
	const char *start, *scan;
	int64_t reference;	/* length of its first word */
};

static void ptx_follow(struct ptx *x, struct ptx_line *l, const char *to, const char *end)
{
	while (l->scan < to) {
		if (*l->scan++ != '\n')
			continue;
		x->lines++;
		l->start = l->scan;
		l->scan = ptx_skip_text(l->scan, end);
		l->reference = l->scan - l->start;
	}
}

static bool ptx_wanted(struct ptx *x, const char *word, size_t n)
{
	if (x->ignore_file && ptx_listed(x, &x->ignore, word, n))
		return false;
	return !x->only_file || ptx_listed(x, &x->only, word, n);
}

static void ptx_words(struct ptx *x, size_t text, const char *start, const char *stop,
		      struct ptx_line *l)
{
	const char *end = x->texts.at[text].end, *at = start;
	size_t n = 0;

	for (; ptx_next_word(x, &at, stop, &n); at += n ? n : 1) {
		struct ptx_occurrence *o;

		tsb_tick(x->p, 1);
		if (!n)
			continue;
		x->longest_word = (int64_t)n > x->longest_word ? (int64_t)n : x->longest_word;
		if (x->input_reference) {
			ptx_follow(x, l, at, end);
			if (l->scan > at)
				continue;
		}
		if (!ptx_wanted(x, at, n))
			continue;
		if (x->auto_reference)
			ptx_follow(x, l, at, end);
		o = vec_add(tsb_heap_of(x->p), &x->found);
		if (x->auto_reference) {
			o->reference = x->lines;
		} else if (x->input_reference) {
			o->reference = l->start - at;
			if (l->reference > x->longest_reference)
				x->longest_reference = l->reference;
		}
		if (x->input_reference && l->start == start)
			start = ptx_skip_space(ptx_skip_text(start, stop), stop);
		o->key = at;
		o->size = n;
		o->left = start - at;
		o->right = stop - at;
		o->text = text;
	}
}

void ptx_find(struct ptx *x, size_t text)
{
	const char *at = x->texts.at[text].at, *end = x->texts.at[text].end, *next;
	struct ptx_line l = { at, at, 0 };

	if (x->input_reference) {
		l.scan = ptx_skip_text(l.scan, end);
		l.reference = l.scan - l.start;
		l.scan = ptx_skip_space(l.scan, end);
	}
	for (; at < end; at = next) {
		next = ptx_sentence_end(x, at, end);
		ptx_words(x, text, at, ptx_back_space(next, at), &l);
		tsb_tick(x->p, 1);
	}
	while (l.scan < end)
		x->lines += *l.scan++ == '\n';
}

static int ptx_order(const struct ptx *x, const struct ptx_occurrence *a,
		     const struct ptx_occurrence *b)
{
	int order = ptx_compare(x, a->key, a->size, b->key, b->size);

	if (order)
		return order;
	if (a->text != b->text)
		return a->text < b->text ? -1 : 1;
	return (a->key > b->key) - (a->key < b->key);
}

static bool ptx_before(void *ctx, const void *a, const void *b)
{
	struct ptx *x = ctx;

	tsb_tick(x->p, 1);
	return ptx_order(x, a, b) < 0;
}

static void ptx_sort(struct ptx *x)
{
	size_t size = sizeof(*x->found.at);
	void *spare = tsb_alloc(x->p, x->found.n * size + 1);

	merge_sort(x->found.at, spare, x->found.n, size, ptx_before, x);
	tsb_free(x->p, spare);
}

void ptx_measure(struct ptx *x)
{
	int64_t before = 0;

	ptx_sort(x);
	if (x->auto_reference) {
		x->longest_reference = 0;
		for (size_t i = 0; i < x->texts.n; i++) {
			char *text = tsb_format(x->p, "%s%lld", x->texts.at[i].name,
						(long long)(x->texts.at[i].lines + 1 - before));

			before = x->texts.at[i].lines;
			if ((int64_t)strlen(text) > x->longest_reference)
				x->longest_reference = (int64_t)strlen(text);
		}
		x->longest_reference++;
	}
	if ((x->auto_reference || x->input_reference) && !x->right_reference)
		x->width -= x->longest_reference + x->gap;
	x->width = x->width < 0 ? 0 : x->width;
	x->half = x->width / 2;
	x->before_width = x->half - x->gap;
	x->after_width = x->half;
	x->mark_length = (int64_t)strlen(x->mark);
	if (x->traditional) {
		x->after_width -= 2 * x->mark_length + 1;
		return;
	}
	x->before_width -= 2 * x->mark_length;
	x->before_width = x->before_width < 0 ? 0 : x->before_width;
	x->after_width -= 2 * x->mark_length;
}
