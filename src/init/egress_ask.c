/*
 * What clients of the proxy say: HTTP's CONNECT, plain requests for http:// URLs, SOCKS5. Names are taken by
 * their length; whether they are names at all is judged elsewhere. A plain request is sent on with
 * the URL's host as its Host and with `Connection: close`, so that nothing that follows on the same
 * connection is for another host.
 */
#include "init/egress_in.h"

#include <arpa/inet.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "init/text.h"

static bool take_name(struct eg_ask *a, const char *name, size_t size)
{
	if (!size || size >= sizeof(a->name))
		return false;
	memcpy(a->name, name, size);
	a->name[size] = 0;
	a->name_size = size;
	return true;
}

/* HOST, HOST:PORT or [V6]:PORT; port 0 where there is none. */
static bool authority(struct eg_ask *a, const char *s, size_t size, uint16_t otherwise)
{
	const char *end = s + size, *colon = NULL;
	unsigned port = 0;

	if (size && *s == '[') {
		const char *close = memchr(s, ']', size);

		if (!close || !take_name(a, s + 1, (size_t)(close - s - 1)))
			return false;
		colon = close + 1 < end ? close + 1 : NULL;
		if (colon && *colon != ':')
			return false;
	} else {
		colon = memchr(s, ':', size);
		if (!take_name(a, s, colon ? (size_t)(colon - s) : size))
			return false;
	}
	a->port = otherwise;
	if (!colon)
		return otherwise != 0;
	for (const char *d = colon + 1; d < end; d++) {
		if (*d < '0' || *d > '9' || (port = port * 10 + (unsigned)(*d - '0')) > 65535)
			return false;
	}
	a->port = (uint16_t)port;
	return port != 0;
}

static bool header_is(const char *line, size_t size, const char *name)
{
	size_t n = strlen(name);

	return size > n && line[n] == ':' && text_same(line, name, n);
}

/* The request as its server is to see it. */
static bool rewrite(struct eg_ask *a, const char *data, size_t size, const char *method,
		    size_t method_size, const char *path, size_t path_size, const char *host,
		    size_t host_size)
{
	static const char *const dropped[] = {"Host", "Connection", "Proxy-Connection", "Keep-Alive",
		"Proxy-Authorization", "Upgrade", "TE"};
	const char *line = memchr(data, '\n', size), *end = data + size;
	char *out = malloc(size + host_size + 128);
	size_t n;

	if (!out)
		return false;
	n = (size_t)snprintf(out, size + host_size + 128,
			     "%.*s %s%.*s HTTP/1.1\r\nHost: %.*s\r\nConnection: close\r\n",
			     (int)method_size, method, path_size && *path == '/' ? "" : "/",
			     (int)path_size, path, (int)host_size, host);
	for (line++; line < end;) {
		const char *next = memchr(line, '\n', (size_t)(end - line));
		size_t len = (size_t)(next - line) + 1;
		bool drop = false;

		if (*line == '\r' || *line == '\n')
			break;
		for (size_t i = 0; i < sizeof(dropped) / sizeof(*dropped); i++)
			drop |= header_is(line, len, dropped[i]);
		/* folded lines go with what they continue: they are not of HTTP/1.1 any more */
		if (!drop) {
			memcpy(out + n, line, len);
			n += len;
		}
		line = next + 1;
	}
	memcpy(out + n, "\r\n", 2);
	a->head = out;
	a->head_size = n + 2;
	return true;
}

static enum eg_more plain(struct eg_ask *a, const char *data, size_t size, const char *url,
			  size_t url_size)
{
	const char *host = url + 7, *end = url + url_size, *slash;
	size_t host_size, method = (size_t)(url - 1 - data);

	if (url_size < 8 || !text_same(url, "http://", 7))
		return EG_BAD;
	for (slash = host; slash < end && *slash != '/' && *slash != '?'; slash++) {
		if (*slash == '@')
			return EG_BAD;	/* a user in a URL: who would need it */
	}
	host_size = (size_t)(slash - host);
	a->protocol = EG_HTTP;
	if (!authority(a, host, host_size, 80) ||
	    !rewrite(a, data, size, data, method, slash, (size_t)(end - slash), host, host_size))
		return EG_BAD;
	return EG_DONE;
}

/* CR and LF only together, and no NUL: what is a line here is a line for every server. */
static bool plain_lines(const char *data, size_t size)
{
	for (size_t i = 0; i < size; i++) {
		if (!data[i] || (data[i] == '\n' && (!i || data[i - 1] != '\r')) ||
		    (data[i] == '\r' && (i + 1 == size || data[i + 1] != '\n')))
			return false;
	}
	return true;
}

static enum eg_more http(struct eg_ask *a, const char *data, size_t size)
{
	const char *end = memmem(data, size, "\r\n\r\n", 4), *line, *space, *url, *last;

	if (!end)
		return size >= EG_REQUEST_MAX ? EG_BAD : EG_MORE;
	a->used = (size_t)(end - data) + 4;
	if (!plain_lines(data, a->used))
		return EG_BAD;
	line = memchr(data, '\r', a->used);
	space = memchr(data, ' ', (size_t)(line - data));
	if (!space || space == data)
		return EG_BAD;
	url = space + 1;
	last = memchr(url, ' ', (size_t)(line - url));
	if (!last || line - last < 6 || strncmp(last + 1, "HTTP/", 5))
		return EG_BAD;
	if ((size_t)(space - data) == 7 && !memcmp(data, "CONNECT", 7)) {
		a->protocol = EG_CONNECT;
		return authority(a, url, (size_t)(last - url), 0) ? EG_DONE : EG_BAD;
	}
	return plain(a, data, a->used, url, (size_t)(last - url));
}

static enum eg_more socks_request(struct eg_ask *a, const uint8_t *d, size_t size)
{
	size_t n, at = 4;

	if (size < 5)
		return EG_MORE;
	if (d[0] != 5 || d[1] != 1)
		return EG_BAD;
	if (d[3] == 3) {
		n = d[4];
		at = 5;
	} else {
		n = d[3] == 1 ? 4 : d[3] == 4 ? 16 : 0;
	}
	if (!n)
		return EG_BAD;
	if (size < at + n + 2)
		return EG_MORE;
	if (d[3] == 3) {
		if (!take_name(a, (const char *)d + at, n))
			return EG_BAD;
	} else {
		inet_ntop(d[3] == 1 ? AF_INET : AF_INET6, d + at, a->name, sizeof(a->name));
		a->name_size = strlen(a->name);
	}
	a->port = (uint16_t)(d[at + n] << 8 | d[at + n + 1]);
	a->used += at + n + 2;
	return a->port ? EG_DONE : EG_BAD;
}

static enum eg_more socks(struct eg_ask *a, const char *data, size_t size)
{
	const uint8_t *d = (const uint8_t *)data;

	a->protocol = EG_SOCKS;
	if (a->greeted) {
		size_t before = a->used;
		enum eg_more m = socks_request(a, d + before, size - before);

		return m;
	}
	if (size < 2 || size < 2u + d[1])
		return EG_MORE;
	a->used = 2u + d[1];
	/* without a password: the box's loopback is the box's alone */
	if (!memchr(d + 2, 0, d[1])) {
		a->reply = "\5\377";
		a->reply_size = 2;
		return EG_BAD;
	}
	a->greeted = true;
	a->reply = "\5\0";
	a->reply_size = 2;
	return socks_request(a, d + a->used, size - a->used);
}

enum eg_more eg_ask_read(struct eg_ask *a, const char *data, size_t size)
{
	a->reply_size = 0;
	if (!size)
		return EG_MORE;
	if (a->protocol == EG_SOCKS || data[0] == 5)
		return socks(a, data, size);
	return http(a, data, size);
}

size_t eg_ask_answer(const struct eg_ask *a, const char *why, char *buf, size_t size)
{
	static const char yes[] = "\5\0\0\1\0\0\0\0\0\0", no[] = "\5\2\0\1\0\0\0\0\0\0";
	int n;

	if (a->protocol == EG_SOCKS) {
		memcpy(buf, why ? no : yes, 10);
		return 10;
	}
	if (!why && a->protocol == EG_HTTP)
		return 0;
	if (!why)
		n = snprintf(buf, size, "HTTP/1.1 200 Connection established\r\n\r\n");
	else
		n = snprintf(buf, size, "HTTP/1.1 403 Forbidden\r\nContent-Type: text/plain\r\n"
			     "Content-Length: %zu\r\nConnection: close\r\n\r\ntinybox: %s\n",
			     strlen(why) + 10, why);
	return n < 0 ? 0 : (size_t)n < size ? (size_t)n : size;
}
