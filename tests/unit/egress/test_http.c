/* HTTP of secrets: what is swapped, what is refused, bodies, what comes back. */
#include "tap.h"

#include <stdlib.h>
#include <string.h>

#include "egress/http.h"

#define ONE "tbx_secret_0123456789abcdef0123456789abcdef01234567"
#define TWO "tbx_secret_76543210fedcba9876543210fedcba9876543210"
#define HEAD "GET / HTTP/1.1\r\nHost: api.test\r\n"

static const struct ht_swap swaps[] = {{"ONE", ONE, "va/lue 1+", 9, true}, {"TWO", TWO, "secret-2", 8, false}};
static const struct ht_place place = {"api.test", 443, 443, swaps, 2, true};

/* What goes out, in one piece and byte by byte alike; "why" when it is refused. */
static const char *request(const char *text, struct ht_request *keep)
{
	static char out[70000];
	struct ht_request r = {0};
	enum ht_more m = HT_MORE;
	size_t n = strlen(text);

	for (size_t i = 1; i <= n && m == HT_MORE; i++)
		m = ht_request_read(&r, &place, text, i);
	if (m == HT_DONE)
		snprintf(out, sizeof(out), "%.*s", (int)r.out.size, r.out.data);
	else
		snprintf(out, sizeof(out), "%s%s%s", m == HT_MORE ? "more" : r.why, r.secret ? " " : "",
			 r.secret ? r.secret : "");
	if (keep)
		*keep = r;
	ht_request_end(&r);
	return out;
}

static void swapped(void)
{
	struct ht_request r;

	is_str(request(HEAD "\r\n", NULL), HEAD "Accept-Encoding: identity\r\n\r\n", "nothing to swap");
	is_str(request(HEAD "Authorization: Bearer " ONE "\r\n\r\n", &r),
	       HEAD "Authorization: Bearer va/lue 1+\r\nAccept-Encoding: identity\r\n\r\n", "a field");
	is_int(r.swapped, 1, "... is told");
	is_str(request("GET /a/" ONE "?k=" ONE " HTTP/1.1\r\nHost: API.test:443\r\n\r\n", NULL),
	       "GET /a/va%2Flue%201%2B?k=va%2Flue%201%2B HTTP/1.1\r\nHost: API.test:443\r\nAccept-Encoding: identity\r\n\r\n",
	       "the target, percent-encoded");
	is_str(request(HEAD "Authorization: Basic "
		       "bWU6dGJ4X3NlY3JldF8wMTIzNDU2Nzg5YWJjZGVmMDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3\r\n\r\n", NULL),
	       HEAD "Authorization: Basic bWU6dmEvbHVlIDEr\r\nAccept-Encoding: identity\r\n\r\n", "inside Basic");
	is_str(request(HEAD "Authorization: Basic bWU6eW91\r\nAccept-Encoding: gzip\r\n\r\n", NULL),
	       HEAD "Authorization: Basic bWU6eW91\r\nAccept-Encoding: identity\r\n\r\n", "Basic without one stays");
	is_str(request(HEAD "X: " TWO "\r\n\r\n", NULL), "the secret is not for this host TWO", "another host's");
	is_str(request("GET /?" TWO " HTTP/1.1\r\nHost: api.test\r\n\r\n", NULL), "the secret is not for this host TWO",
	       "... in the target");
	is_str(request(HEAD "Authorization: Basic "
		       "bWU6dGJ4X3NlY3JldF83NjU0MzIxMGZlZGNiYTk4NzY1NDMyMTBmZWRjYmE5ODc2NTQzMjEw\r\n\r\n", NULL),
	       "the secret is not for this host TWO", "... inside Basic");
	is_str(request(HEAD "Connection: close, Upgrade\r\nUpgrade: websocket\r\n\r\n", NULL),
	       HEAD "Connection: close\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nAccept-Encoding: identity\r\n\r\n",
	       "an upgrade");
	is_str(request(HEAD "Proxy-Authorization: x\r\nTE: trailers\r\nKeep-Alive: 5\r\n\r\n", NULL),
	       HEAD "Accept-Encoding: identity\r\n\r\n", "fields of a hop go");
}

static void refused(void)
{
	static const char *const bad[] = {
		"GET / HTTP/1.1\nHost: api.test\r\n\r\n", "GET / HTTP/1.1\r\nHost: api.test\r\nA: b\rc: d\r\n\r\n",
		"\r\nGET / HTTP/1.1\r\nHost: api.test\r\n\r\n", "GET  / HTTP/1.1\r\nHost: api.test\r\n\r\n",
		"GET / HTTP/1.1 \r\nHost: api.test\r\n\r\n", "GET / HTTP/2.0\r\nHost: api.test\r\n\r\n",
		"GET / HTTP/1.10\r\nHost: api.test\r\n\r\n", "GET /\r\nHost: api.test\r\n\r\n",
		"GET http://api.test/ HTTP/1.1\r\nHost: api.test\r\n\r\n",
		"CONNECT /x HTTP/1.1\r\nHost: api.test\r\n\r\n", "G(T / HTTP/1.1\r\nHost: api.test\r\n\r\n",
		"GET /\x80 HTTP/1.1\r\nHost: api.test\r\n\r\n", "GET / HTTP/1.1\r\n\r\n",
		"GET / HTTP/1.1\r\nHost: evil.test\r\n\r\n", "GET / HTTP/1.1\r\nHost: api.test.evil\r\n\r\n",
		"GET / HTTP/1.1\r\nHost: api.test:80\r\n\r\n", HEAD "Host: api.test\r\n\r\n",
		"GET / HTTP/1.1\r\nHost : api.test\r\n\r\n", HEAD " folded\r\n\r\n", HEAD "\tfolded\r\n\r\n",
		HEAD "no colon\r\n\r\n", HEAD ": x\r\n\r\n", HEAD "A b: c\r\n\r\n", HEAD "A: b\x01\r\n\r\n",
		HEAD "Content-Length: 1\r\nContent-Length: 1\r\n\r\n", HEAD "Content-Length: 1, 1\r\n\r\n",
		HEAD "Content-Length: +1\r\n\r\n", HEAD "Content-Length: -1\r\n\r\n", HEAD "Content-Length: 0x1\r\n\r\n",
		HEAD "Content-Length:\r\n\r\n", HEAD "Content-Length: 99999999999999999999\r\n\r\n",
		HEAD "Content-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n",
		HEAD "Transfer-Encoding: chunked\r\ncontent-length: 1\r\n\r\n",
		HEAD "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n",
		HEAD "Transfer-Encoding: identity\r\n\r\n", HEAD "Transfer-Encoding: gzip, chunked\r\n\r\n",
		HEAD "Transfer-Encoding: xchunked\r\n\r\n", HEAD "Transfer-Encoding:\r\n\r\n",
		"GET / HTTP/1.0\r\nHost: api.test\r\nTransfer-Encoding: chunked\r\n\r\n",
		HEAD "Connection: Authorization\r\n\r\n", HEAD "Connection: close, Host\r\n\r\n",
		HEAD "Expect: 200-ok\r\n\r\n", HEAD "Transfer-Encoding : chunked\r\n\r\n"};
	char *big = malloc(90000);

	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
		const char *got = request(bad[i], NULL);

		if (!ok(strncmp(got, "GET", 3) && strcmp(got, "more"), bad[i][0] == 'G' ? "refused" : "refused, its beginning"))
			printf("# %zu: %s\n", i, got);
	}
	memset(big, 'a', 90000);
	memcpy(big, HEAD "A: ", strlen(HEAD "A: "));
	big[70000] = 0;
	is_str(request(big, NULL), "the head is too long", "a head without an end");
	strcpy(big, HEAD);
	for (int i = 0; i < 250; i++)
		strcat(big, "A: b\r\n");
	strcat(big, "\r\n");
	is_str(request(big, NULL), "too many lines", "a head of many lines");
	free(big);
}

/* In pieces of `step`. */
static const char *body(struct ht_body b, const char *in, size_t step, struct ht_scrub *s)
{
	static char text[1000];
	struct ht_buf have = {0}, out = {0};
	size_t n = strlen(in);

	b.scrub = s;
	for (size_t i = 0; i < n && !b.done && !b.why; i += step) {
		ht_put(&have, in + i, step < n - i ? step : n - i);
		ht_drop(&have, ht_body_take(&b, have.data, have.size, &out));
	}
	if (b.kind == HT_CLOSE)
		ht_body_close(&b, &out);
	snprintf(text, sizeof(text), "%.*s|%s|%.*s", (int)out.size, out.data ? out.data : "",
		 b.why ? b.why : b.done ? "done" : "more", (int)have.size, have.data ? have.data : "");
	ht_free(&have);
	ht_free(&out);
	return text;
}

static void bodies(void)
{
	const struct ht_body length = {.kind = HT_LENGTH, .left = 5}, chunks = {.kind = HT_CHUNKED, .strict = true};
	const struct ht_body loose = {.kind = HT_CHUNKED}, close = {.kind = HT_CLOSE};
	static const char *const bad[] = {"5 \r\nhello\r\n0\r\n\r\n", "5;x=1\r\nhello\r\n0\r\n\r\n", "0x5\r\nhello\r\n",
		"5\nhello\r\n", "5\r\nhelloX", "+5\r\nhello\r\n", "\r\nhello", "ffffffffffffffff1\r\n", "0\r\nA: b\r\n\r\n",
		"5\rX\nhello", "g\r\n"};
	struct ht_scrub s = {0};

	is_str(body(length, "hellomore", 9, NULL), "hello|done|more", "a length");
	is_str(body(length, "hel", 1, NULL), "hel|more|", "... that is not whole");
	is_str(body(chunks, "5\r\nhello\r\nA\r\n0123456789\r\n0\r\n\r\nX", 99, NULL),
	       "5\r\nhello\r\na\r\n0123456789\r\n0\r\n\r\n|done|X", "chunks");
	is_str(body(chunks, "2\r\nab\r\n0\r\n\r\n", 1, NULL), "1\r\na\r\n1\r\nb\r\n0\r\n\r\n|done|", "... byte by byte");
	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++)
		if (!ok(!strstr(body(chunks, bad[i], 99, NULL), "|done|") && !strstr(body(chunks, bad[i], 99, NULL), "|more|"),
			"chunks that are none"))
			printf("# %zu: %s\n", i, body(chunks, bad[i], 99, NULL));
	is_str(body(loose, "5;x=1\r\nhello\r\n0\r\nA: b\r\n\r\n", 99, NULL), "5\r\nhello\r\n0\r\n\r\n|done|",
	       "a response's extension and trailer are dropped");
	ht_scrub_word(&s, "value-xyz", 9);
	for (size_t step = 1; step < 30; step += 4)
		is_str(body(close, "a value-xyz, vvalue-xyzvalue-xy", step, &s), "a *********, v*********value-xy|done|",
		       "a value that comes back, in pieces");
	is_str(body((struct ht_body){.kind = HT_LENGTH, .left = 14}, "<value-xyz>val", 3, &s), "<*********>val|done|",
	       "... the length stays, the end comes");
	is_str(body(loose, "6\r\n1value\r\n6\r\n-xyz23\r\n0\r\n\r\n", 99, &s),
	       "1\r\n1\r\nb\r\n*********23\r\n0\r\n\r\n|done|", "... over two chunks");
}

static int response(const char *text)
{
	struct ht_response r = {0};
	enum ht_more m = ht_response_read(&r, text, strlen(text));

	return m == HT_DONE ? (int)r.status : m == HT_MORE ? 0 : -1;
}

static void responses(void)
{
	is_int(response("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n"), 200, "a response");
	is_int(response("HTTP/1.1 204\r\n\r\n"), 204, "without a reason");
	is_int(response("HTTP/1.1 200 OK\r\nContent-Length: 5\r\nContent-Length: 5\r\n\r\n"), 200, "the same length twice");
	is_int(response("HTTP/1.1 200 OK\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\n"), -1, "two lengths");
	is_int(response("HTTP/1.1 200 OK\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n"), -1, "a length and chunks");
	is_int(response("HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip\r\n\r\n"), -1, "another coding");
	is_int(response("HTTP/2 200\r\n\r\n"), -1, "another version");
	is_int(response("HTTP/1.1 99 OK\r\n\r\n"), -1, "no status");
	is_int(response("HTTP/1.1 200 OK\nA: b\r\n\r\n"), -1, "a bare LF");
	is_int(response("HTTP/1.1 200 OK\r\n"), 0, "not whole");
}

int main(void)
{
	struct ht_buf b = {0};

	ok(ht_base64_read(&b, "aGVsbG8=", 8) && b.size == 5 && !memcmp(b.data, "hello", 5), "base64");
	ok(!ht_base64_read(&b, "a", 1) && !ht_base64_read(&b, "a*==", 4), "not base64");
	ht_free(&b);
	swapped();
	refused();
	bodies();
	responses();
	return done();
}
