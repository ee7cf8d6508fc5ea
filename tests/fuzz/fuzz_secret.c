/*
 * What a box says to tinybox-egress, and what a host answers: any bytes, in pieces. Nothing may leave the buffers; what
 * goes out must be read again as the same by the same reader; a value goes nowhere without its placeholder; no value
 * comes back.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "egress/http.h"

#define ONE "tbx_secret_0123456789abcdef0123456789abcdef01234567"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

static const struct ht_swap swaps[] = {{"ONE", ONE, "the-value", 9, true}};

/* A copy that ends where the bytes do. */
static enum ht_more part(struct ht_request *r, const struct ht_place *p, const char *data, size_t n)
{
	char *copy = malloc(n ? n : 1);
	enum ht_more m;

	memcpy(copy, data, n);
	m = ht_request_read(r, p, copy, n);
	free(copy);
	return m;
}

static void request(const char *data, size_t n)
{
	static const struct ht_place place = {"api.test", 443, 443, swaps, 1, true};
	static const struct ht_place none = {"api.test", 443, 443, swaps, 0, true};
	struct ht_request r = {0}, again = {0};
	enum ht_more m = HT_MORE;

	for (size_t i = 1; m == HT_MORE && i <= n; i = i < n && i + 1 + i / 8 > n ? n : i + 1 + i / 8)
		m = part(&r, &place, data, i);
	if (m == HT_DONE) {
		if (r.used > n || part(&again, &none, r.out.data, r.out.size) != HT_DONE ||
		    again.used != r.out.size || again.length != r.length || again.chunked != r.chunked)
			abort();
		if (memmem(r.out.data, r.out.size, "the-value", 9) && !memmem(data, n, "the-value", 9) &&
		    !(r.swapped & 1))
			abort();
	}
	ht_request_end(&again);
	ht_request_end(&r);
}

static void body(const char *data, size_t n, unsigned how)
{
	struct ht_scrub s = {0};
	struct ht_body b = {.kind = (enum ht_kind)(how & 3), .left = how, .strict = how & 4, .scrub = how & 8 ? &s : NULL};
	struct ht_buf out = {0}, have = {0};
	size_t step = 1 + (how >> 4);

	ht_scrub_word(&s, "the-value", 9);
	for (size_t i = 0; i < n && !b.done && !b.why; i += step) {
		size_t used;

		ht_put(&have, data + i, step < n - i ? step : n - i);
		used = ht_body_take(&b, have.data, have.size, &out);
		if (used > have.size)
			abort();
		ht_drop(&have, used);
	}
	ht_body_close(&b, &out);
	if (b.scrub && b.kind != HT_CHUNKED && out.size && memmem(out.data, out.size, "the-value", 9))
		abort();
	ht_free(&s.held);
	ht_free(&have);
	ht_free(&out);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	struct ht_response p = {0};

	if (n < 2 || n > 100000)
		return 0;
	request((const char *)data + 1, n - 1);
	ht_response_read(&p, (const char *)data + 1, n - 1);
	body((const char *)data + 1, n - 1, data[0]);
	return 0;
}
