/*
 * Reads backslash escapes. The modes share all but these: which letters are
 * known, how octal digits are counted, what \x and \u without digits do, and \c.
 * The differences are the tools' own and were read off their output.
 */
#include "text/escape.h"

#include <stdio.h>
#include <string.h>

#include "base/utf8.h"

struct escape {
	enum escape_mode mode;
	bool bytes;
	const char *p;
	size_t n;
	struct str *out;
	enum escape_status *status;
	char *message;
};

static int digit(char c, int base)
{
	int d = c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 :
		c >= 'A' && c <= 'F' ? c - 'A' + 10 : 99;

	return d < base ? d : -1;
}

/* Up to `most` digits from `at` on; *used of them. */
static uint32_t number(const struct escape *e, size_t at, unsigned most, int base, unsigned *used)
{
	uint32_t v = 0;

	for (*used = 0; *used < most && at < e->n && digit(e->p[at], base) >= 0; ++*used)
		v = v * (uint32_t)base + (uint32_t)digit(e->p[at++], base);
	return v;
}

static bool gnu_printf(enum escape_mode mode)
{
	return mode == ESCAPE_FORMAT_GNU || mode == ESCAPE_B_GNU;
}

static bool bash_printf(enum escape_mode mode)
{
	return mode == ESCAPE_FORMAT_BASH || mode == ESCAPE_B_BASH;
}

/* Copied as it stands: the backslash and `len` bytes. */
static size_t copied(const struct escape *e, size_t len)
{
	str_addc(e->out, '\\');
	str_addn(e->out, e->p, len);
	return len;
}

static void complain(const struct escape *e, enum escape_status status, const char *text)
{
	*e->status = status;
	snprintf(e->message, 64, "%s", text);
}

/* No digits behind \x, \u or \U. */
static size_t no_digits(const struct escape *e)
{
	char text[64];

	if (gnu_printf(e->mode)) {
		complain(e, ESCAPE_NO_NUMBER, "missing hexadecimal number in escape");
		return 1;
	}
	if (bash_printf(e->mode)) {
		snprintf(text, sizeof(text), "missing %s digit for \\%c",
			 e->p[0] == 'x' ? "hex" : "unicode", e->p[0]);
		complain(e, e->p[0] == 'x' ? ESCAPE_NO_HEX : ESCAPE_NO_UNICODE, text);
	}
	return copied(e, 1);
}

/* The byte v; in $'...' a NUL ends the string. */
static void add_byte(const struct escape *e, uint32_t v)
{
	if (e->mode == ESCAPE_DOLLAR && !(v & 255))
		*e->status = ESCAPE_STOP;
	else
		str_addc(e->out, (int)(v & 255));
}

static size_t escape_hex(const struct escape *e)
{
	bool braced = e->mode == ESCAPE_DOLLAR && e->n > 1 && e->p[1] == '{';
	unsigned used;
	uint32_t v = number(e, braced ? 2 : 1, braced ? 1000 : 2, 16, &used);

	if (!used)
		return no_digits(e);
	add_byte(e, v);
	if (braced)
		return 2 + used + (2 + used < e->n && e->p[2 + used] == '}');
	return 1 + used;
}

/* bash encodes past U+10FFFF, and nothing past 31 bits. */
static void add_code(const struct escape *e, uint32_t v)
{
	char buf[8];

	if (e->bytes && v > 0x7F && v < 0x80000000u) {
		str_addf(e->out, v < 0x10000 ? "\\u%04X" : "\\U%08X", (unsigned)v);
	} else if (v < 0x200000) {
		str_addn(e->out, buf, utf8_encode(buf, v));
	} else if (v < 0x80000000u) {
		unsigned more = v < 0x4000000 ? 4 : 5;
		str_addc(e->out, (int)((more == 4 ? 0xF8 : 0xFC) | v >> (6 * more)));
		while (more--)
			str_addc(e->out, (int)(0x80 | (v >> (6 * more) & 0x3F)));
	}
}

static size_t escape_unicode(const struct escape *e)
{
	unsigned most = e->p[0] == 'u' ? 4 : 8, used;
	uint32_t v = number(e, 1, most, 16, &used);
	char text[64];

	if (!used || (gnu_printf(e->mode) && used < most))
		return no_digits(e);
	if (gnu_printf(e->mode) && ((v < 0xA0 && v != '$' && v != '@' && v != '`') ||
				    (v >= 0xD800 && v <= 0xDFFF))) {
		snprintf(text, sizeof(text), "invalid universal character name \\%c%0*x", e->p[0],
			 (int)most, (unsigned)v);
		complain(e, ESCAPE_BAD_NAME, text);
		return 1 + used;
	}
	if (gnu_printf(e->mode) && v > 0x10FFFF) {
		snprintf(text, sizeof(text), "\\%c%0*X", v < 0x10000 ? 'u' : 'U',
			 v < 0x10000 ? 4 : 8, (unsigned)v);
		str_adds(e->out, text);
		return 1 + used;
	}
	if (e->mode == ESCAPE_DOLLAR && !v)
		*e->status = ESCAPE_STOP;
	else
		add_code(e, v);
	return 1 + used;
}

static size_t escape_octal(const struct escape *e)
{
	bool zero_more = e->p[0] == '0' && (e->mode == ESCAPE_ECHO_BASH ||
					    e->mode == ESCAPE_ECHO_GNU ||
					    e->mode == ESCAPE_B_BASH || e->mode == ESCAPE_B_GNU);
	unsigned used;
	uint32_t v;

	if (e->p[0] != '0' && e->mode == ESCAPE_ECHO_BASH)
		return copied(e, 1);
	v = number(e, 0, zero_more ? 4 : 3, 8, &used);
	add_byte(e, v);
	return used;
}

static size_t escape_control(const struct escape *e)
{
	unsigned char c;

	if (e->mode == ESCAPE_FORMAT_BASH)
		return copied(e, 1);
	if (e->mode != ESCAPE_DOLLAR) {
		*e->status = ESCAPE_STOP;
		return 1;
	}
	if (e->n < 2)
		return copied(e, 1);
	c = (unsigned char)e->p[1];
	size_t len = c == '\\' && e->n > 2 && e->p[2] == '\\' ? 3 : 2;
	if (c == '?')
		str_addc(e->out, 127);
	else
		add_byte(e, (c >= 'a' && c <= 'z' ? c - 32u : c) & 0x1F);
	return len;
}

/* Is the quote c an escape of the mode? */
static bool knows_quote(enum escape_mode mode, char c)
{
	if (c == '"')
		return mode == ESCAPE_FORMAT_BASH || gnu_printf(mode) || mode == ESCAPE_DOLLAR;
	return mode == ESCAPE_FORMAT_BASH || mode == ESCAPE_DOLLAR;
}

size_t escape_one(enum escape_mode mode, const char *p, size_t n, struct str *out,
		  enum escape_status *status, char *message)
{
	static const char letters[] = "abefnrtv\\", values[] = "\a\b\033\f\n\r\t\v\\";
	struct escape e = { .p = p, .n = n, .out = out, .status = status, .message = message };
	const char *hit;

	e.bytes = mode & ESCAPE_BYTES;
	e.mode = mode &= ~(unsigned)ESCAPE_BYTES;
	*status = ESCAPE_OK;
	if (!n)
		return copied(&e, 0);
	hit = p[0] ? strchr(letters, p[0]) : NULL;
	if (hit) {
		str_addc(out, values[hit - letters]);
		return 1;
	}
	if (p[0] >= '0' && p[0] <= '7')
		return escape_octal(&e);
	switch (p[0]) {
	case 'E':
		if (mode == ESCAPE_ECHO_GNU || gnu_printf(mode))
			return copied(&e, 1);
		str_addc(out, 033);
		return 1;
	case 'c':
		return escape_control(&e);
	case 'x':
		return escape_hex(&e);
	case 'u':
	case 'U':
		return mode == ESCAPE_ECHO_GNU ? copied(&e, 1) : escape_unicode(&e);
	case '"':
	case '\'':
	case '?':
		if (knows_quote(mode, p[0])) {
			str_addc(out, p[0]);
			return 1;
		}
		return copied(&e, 1);
	default:
		return copied(&e, 1);
	}
}

enum escape_status escape_decode(enum escape_mode mode, const char *p, size_t n, struct str *out,
				 char *message, void (*warn)(void *ctx, const char *message),
				 void *ctx)
{
	size_t at = 0;

	while (at < n && !out->bad) {
		const char *slash = memchr(p + at, '\\', n - at);
		enum escape_status status;
		size_t plain = slash ? (size_t)(slash - p) - at : n - at;
		str_addn(out, p + at, plain);
		at += plain;
		if (at >= n)
			break;
		at++;
		at += escape_one(mode, p + at, n - at, out, &status, message);
		if (status == ESCAPE_NO_HEX || status == ESCAPE_NO_UNICODE) {
			if (warn)
				warn(ctx, message);
		} else if (status != ESCAPE_OK) {
			return status;
		}
	}
	return ESCAPE_OK;
}
