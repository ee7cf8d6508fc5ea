/*
 * A response's head: only what tells where its body ends, and what would let the box and us see two
 * ends. It goes on as it came.
 */
#include "egress/http.h"

#include <string.h>

static enum ht_more bad(struct ht_response *r, const char *why)
{
	r->why = why;
	return HT_BAD;
}

static bool status_of(struct ht_response *r, const char *s, size_t n)
{
	if (n < 12 || memcmp(s, "HTTP/1.", 7) || (s[7] != '0' && s[7] != '1') || s[8] != ' ' ||
	    (n > 12 && s[12] != ' '))
		return false;
	for (size_t i = 9; i < 12; i++) {
		if (s[i] < '0' || s[i] > '9')
			return false;
		r->status = r->status * 10 + (unsigned)(s[i] - '0');
	}
	return r->status >= 100 && r->status < 600;
}

/* The same number twice says the same. */
static bool length(struct ht_response *r, const struct ht_line *l)
{
	uint64_t before = r->length;

	if (!ht_number(l->value, l->value_size, &r->length) || (r->has_length && r->length != before))
		return false;
	r->has_length = true;
	return true;
}

enum ht_more ht_response_read(struct ht_response *r, const char *data, size_t n)
{
	size_t size = ht_head_size(data, n, &r->looked, &r->why), lines = 0;
	const char *at, *end = data + size;
	struct ht_line l;

	if (r->why)
		return HT_BAD;
	if (!size)
		return HT_MORE;
	r->used = size;
	at = memmem(data, size, "\r\n", 2);
	if (!status_of(r, data, (size_t)(at - data)))
		return bad(r, "the answer is not one of HTTP/1.1");
	for (at += 2; ht_line_next(&at, end, &l, &r->why);) {
		if (++lines > HT_LINES_MAX)
			return bad(r, "the answer has too many lines");
		if (ht_is(&l, "Content-Length") && !length(r, &l))
			return bad(r, "the answer's Content-Length is not one number");
		if (ht_is(&l, "Transfer-Encoding") && (r->chunked || !ht_is_value(&l, "chunked")))
			return bad(r, "the answer's Transfer-Encoding is not chunked");
		r->chunked |= ht_is(&l, "Transfer-Encoding");
	}
	if (r->why)
		return HT_BAD;
	return r->chunked && r->has_length ? bad(r, "the answer has two lengths") : HT_DONE;
}
