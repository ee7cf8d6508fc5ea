/*
 * A request's head: understood, then written anew with the values in the places of placeholders. They are
 * looked for in the target (there the value is percent-encoded), in values of fields, and inside Basic credentials.
 */
#include "egress/http.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

struct reading {
	struct ht_request *r;
	const struct ht_place *p;
	bool host, one_zero, te;
};

static bool fail(struct ht_request *r, const char *why)
{
	if (!r->why)
		r->why = why;
	return false;
}

/* ---- Placeholders ---- */

/* Which one begins here; count: none. */
static size_t match(const struct ht_place *p, const char *s, size_t n)
{
	size_t k;

	for (k = 0; k < p->count; k++) {
		size_t size = strlen(p->swap[k].placeholder);

		if (size <= n && *s == *p->swap[k].placeholder &&
		    !memcmp(s, p->swap[k].placeholder, size))
			break;
	}
	return k;
}

static bool has_any(const struct ht_place *p, const char *s, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (match(p, s + i, n - i) < p->count)
			return true;
	return false;
}

static void put_percent(struct ht_buf *out, const char *s, size_t n)
{
	static const char hex[] = "0123456789ABCDEF";

	for (size_t i = 0; i < n; i++) {
		unsigned char c = (unsigned char)s[i];
		char code[3] = {'%', hex[c >> 4], hex[c & 15]};
		bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
			(c && strchr("-._~", c));

		if (plain)
			ht_put(out, s + i, 1);
		else
			ht_put(out, code, 3);
	}
}

static bool put_swapped(struct ht_request *r, const struct ht_place *p, struct ht_buf *out, const char *s,
			size_t n, bool percent)
{
	for (size_t i = 0; i < n;) {
		size_t k = match(p, s + i, n - i);
		const struct ht_swap *w = &p->swap[k];

		if (k == p->count) {
			ht_put(out, s + i++, 1);
			continue;
		}
		if (!w->here) {
			r->secret = w->name;
			return fail(r, "the secret is not for this host");
		}
		r->swapped |= 1u << k;
		if (percent)
			put_percent(out, w->value, w->value_size);
		else
			ht_put(out, w->value, w->value_size);
		i += strlen(w->placeholder);
	}
	return true;
}

/* Basic credentials that hold one; false: they do not, or r->why. */
static bool put_basic(struct ht_request *r, const struct ht_place *p, const struct ht_line *l)
{
	struct ht_buf plain = {0}, new = {0};
	bool good = l->value_size > 6 && !strncasecmp(l->value, "basic ", 6);
	size_t skip = 6, before;

	while (good && skip < l->value_size && l->value[skip] == ' ')
		skip++;
	good = good && ht_base64_read(&plain, l->value + skip, l->value_size - skip) &&
		has_any(p, plain.data, plain.size) && put_swapped(r, p, &new, plain.data, plain.size, false);
	if (good) {
		ht_put(&r->out, l->value, 6);
		before = r->out.size;
		ht_base64_put(&r->out, new.data, new.size);
		r->out.failed |= new.failed;
		if (!r->out.failed) {
			ht_drop(&r->basic, r->basic.size);
			ht_put(&r->basic, r->out.data + before, r->out.size - before);
		}
	}
	ht_free(&plain);
	ht_free(&new);
	return good;
}

/* ---- The first line ---- */

static bool is_target(const char *s, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if ((unsigned char)s[i] <= ' ' || (unsigned char)s[i] >= 127 || s[i] == '#')
			return false;
	return n && (*s == '/' || (n == 1 && *s == '*'));
}

static bool first_line(struct reading *in, const char *s, size_t n)
{
	const char *one = memchr(s, ' ', n), *two = one ? memchr(one + 1, ' ', n - (size_t)(one + 1 - s)) : NULL;
	size_t method = one ? (size_t)(one - s) : 0;
	struct ht_request *r = in->r;

	if (!two || !ht_is_token(s, method) || n - (size_t)(two + 1 - s) != 8 || memcmp(two + 1, "HTTP/1.", 7) ||
	    (two[8] != '0' && two[8] != '1'))
		return fail(r, "the first line is not one of HTTP/1.1");
	if (!is_target(one + 1, (size_t)(two - one - 1)))
		return fail(r, "the target is not a path");
	if (method == 7 && !memcmp(s, "CONNECT", 7))
		return fail(r, "CONNECT inside of a connection");
	in->one_zero = two[8] == '0';
	r->is_head = method == 4 && !memcmp(s, "HEAD", 4);
	ht_put(&r->out, s, method + 1);
	if (!put_swapped(r, in->p, &r->out, one + 1, (size_t)(two - one - 1), true))
		return false;
	ht_put(&r->out, two, 9);
	ht_text(&r->out, "\r\n");
	return true;
}

/* ---- Fields ---- */

/* HOST or HOST:PORT, the very one: another would be another site behind the same certificate. */
static bool is_host(const struct ht_place *p, const char *s, size_t n)
{
	char want[300];
	int bare = snprintf(want, sizeof(want), strchr(p->host, ':') ? "[%s]" : "%s", p->host), whole;

	if (bare < 0 || (size_t)bare >= sizeof(want) - 8)
		return false;
	whole = bare + snprintf(want + bare, 8, ":%u", p->port);
	return ((size_t)whole == n && !strncasecmp(s, want, n)) ||
		(p->port == p->usual && (size_t)bare == n && !strncasecmp(s, want, n));
}

/* What may be asked of the connection: nothing that makes a server forget another field. */
static bool connection(struct reading *in, const struct ht_line *l)
{
	static const char *const words[] = {"close", "keep-alive", "upgrade", "te"};
	const char *s = l->value, *end = s + l->value_size;

	while (s < end) {
		const char *comma = memchr(s, ',', (size_t)(end - s)), *stop = comma ? comma : end, *next = stop + 1;
		size_t i, n;

		while (s < stop && (*s == ' ' || *s == '\t'))
			s++;
		while (stop > s && (stop[-1] == ' ' || stop[-1] == '\t'))
			stop--;
		n = (size_t)(stop - s);
		for (i = 0; i < 4 && (strlen(words[i]) != n || strncasecmp(s, words[i], n)); i++)
			;
		if (i == 4)
			return fail(in->r, "Connection names another field");
		in->r->upgrade |= i == 2;
		if (i < 2) {
			ht_text(&in->r->out, "Connection: ");
			ht_text(&in->r->out, words[i]);
			ht_text(&in->r->out, "\r\n");
		}
		s = next;
	}
	return true;
}

static bool length(struct reading *in, const struct ht_line *l)
{
	struct ht_request *r = in->r;

	if (r->has_length || !ht_number(l->value, l->value_size, &r->length))
		return fail(r, "Content-Length is not one number");
	r->has_length = true;
	return true;
}

static bool encoding(struct reading *in, const struct ht_line *l)
{
	struct ht_request *r = in->r;

	if (in->te || in->one_zero || !ht_is_value(l, "chunked"))
		return fail(r, "Transfer-Encoding is not chunked");
	in->te = r->chunked = true;
	return true;
}

static bool one_host(struct reading *in, const struct ht_line *l)
{
	if (in->host || !is_host(in->p, l->value, l->value_size))
		return fail(in->r, "Host is not the host");
	in->host = true;
	return true;
}

/* Fields that are not passed on as they are. */
static bool special(struct reading *in, const struct ht_line *l, bool *good)
{
	static const char *const dropped[] = {"Proxy-Connection", "Proxy-Authorization", "Keep-Alive", "TE", "Trailer"};

	*good = true;
	if (ht_is(l, "Content-Length"))
		*good = length(in, l);
	else if (ht_is(l, "Transfer-Encoding"))
		*good = encoding(in, l);
	else if (ht_is(l, "Connection")) {
		*good = connection(in, l);
		return true;
	} else if (ht_is(l, "Host"))
		*good = one_host(in, l);
	else if (ht_is(l, "Expect") && !ht_is_value(l, "100-continue"))
		*good = fail(in->r, "Expect is not 100-continue");
	else if (ht_is(l, "Accept-Encoding"))
		return in->p->plain_answers;
	for (size_t i = 0; i < sizeof(dropped) / sizeof(*dropped); i++)
		if (ht_is(l, dropped[i]))
			return true;
	return false;
}

static bool field(struct reading *in, const struct ht_line *l)
{
	struct ht_request *r = in->r;
	bool good;

	if (special(in, l, &good) || !good)
		return good;
	ht_put(&r->out, l->name, l->name_size);
	ht_text(&r->out, ": ");
	if (!put_basic(r, in->p, l) &&
	    (r->why || !put_swapped(r, in->p, &r->out, l->value, l->value_size, false)))
		return false;
	ht_text(&r->out, "\r\n");
	return true;
}

static bool fields(struct reading *in, const char *at, const char *end)
{
	struct ht_request *r = in->r;
	struct ht_line l;
	size_t n = 0;

	while (ht_line_next(&at, end, &l, &r->why)) {
		if (++n > HT_LINES_MAX)
			return fail(r, "too many lines");
		if (!field(in, &l))
			return false;
	}
	if (r->why)
		return false;
	if (!in->host)
		return fail(r, "Host is missing");
	if (r->has_length && r->chunked)
		return fail(r, "Content-Length beside Transfer-Encoding");
	if (r->upgrade)
		ht_text(&r->out, "Connection: Upgrade\r\n");
	if (in->p->plain_answers)
		ht_text(&r->out, "Accept-Encoding: identity\r\n");
	ht_text(&r->out, "\r\n");
	return !r->out.failed || fail(r, "no memory");
}

enum ht_more ht_request_read(struct ht_request *r, const struct ht_place *p, const char *data, size_t n)
{
	struct reading in = {.r = r, .p = p};
	size_t size = ht_head_size(data, n, &r->looked, &r->why);
	const char *line;

	if (r->why)
		return HT_BAD;
	if (!size)
		return HT_MORE;
	r->used = size;
	line = memmem(data, size, "\r\n", 2);
	if (!first_line(&in, data, (size_t)(line - data)) || !fields(&in, line + 2, data + size))
		return HT_BAD;
	return HT_DONE;
}

void ht_request_end(struct ht_request *r)
{
	ht_free(&r->out);
	ht_free(&r->basic);
	*r = (struct ht_request){0};
}
