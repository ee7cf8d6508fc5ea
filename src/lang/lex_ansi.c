/*
 * $'...': what the escapes stand for, by bash's rules.
 *
 * \a \b \e \E \f \n \r \t \v \\ \' \" \?, \nnn octal, \xHH and \x{H..} (the last
 * byte of the number), \uHHHH and \UHHHHHHHH in UTF-8, \cX a control character.
 * An unknown escape stays as it is, backslash too. A NUL ends the text.
 */
#include "lang/parser.h"

#include <string.h>

struct ansi {
	const char *s;
	size_t i, n;
};

static int ansi_digit(char c, unsigned base)
{
	int v = c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 :
		c >= 'A' && c <= 'F' ? c - 'A' + 10 : 99;

	return v < (int)base ? v : -1;
}

/* At most max digits. *digits: how many there were. */
static uint32_t ansi_number(struct ansi *in, unsigned base, unsigned max, unsigned *digits)
{
	uint32_t value = 0;
	int d;

	*digits = 0;
	while (*digits < max && in->i < in->n && (d = ansi_digit(in->s[in->i], base)) >= 0) {
		value = value * base + (uint32_t)d;
		in->i++;
		++*digits;
	}
	return value;
}

static size_t ansi_byte(char *out, uint32_t value)
{
	*out = (char)(unsigned char)value;
	return 1;
}

/* \x: pos is behind the x. */
static size_t ansi_hex(struct ansi *in, char *out)
{
	bool brace = in->i < in->n && in->s[in->i] == '{';
	unsigned digits;
	uint32_t value;

	in->i += brace;
	value = ansi_number(in, 16, brace ? UINT32_MAX : 2, &digits);
	if (brace && digits && in->i < in->n && in->s[in->i] == '}')
		in->i++;
	if (digits || brace)
		return ansi_byte(out, value);
	memcpy(out, "\\x", 2);
	return 2;
}

/* \u \U: value in UTF-8, as bash writes it (beyond Unicode too). */
static size_t ansi_utf8(char *out, uint32_t c)
{
	if (c < 0x110000)
		return utf8_encode(out, c);
	if (c < 0x200000) {
		out[0] = (char)(0xf0 | c >> 18);
		out[1] = (char)(0x80 | (c >> 12 & 0x3f));
		out[2] = (char)(0x80 | (c >> 6 & 0x3f));
		out[3] = (char)(0x80 | (c & 0x3f));
		return 4;
	}
	if (c < 0x4000000) {
		out[0] = (char)(0xf8 | c >> 24);
		out[1] = (char)(0x80 | (c >> 18 & 0x3f));
		out[2] = (char)(0x80 | (c >> 12 & 0x3f));
		out[3] = (char)(0x80 | (c >> 6 & 0x3f));
		out[4] = (char)(0x80 | (c & 0x3f));
		return 5;
	}
	out[0] = (char)(0xfc | c >> 30);
	out[1] = (char)(0x80 | (c >> 24 & 0x3f));
	out[2] = (char)(0x80 | (c >> 18 & 0x3f));
	out[3] = (char)(0x80 | (c >> 12 & 0x3f));
	out[4] = (char)(0x80 | (c >> 6 & 0x3f));
	out[5] = (char)(0x80 | (c & 0x3f));
	return 6;
}

static size_t ansi_unicode(struct ansi *in, char *out, char letter)
{
	unsigned digits;
	uint32_t value = ansi_number(in, 16, letter == 'u' ? 4 : 8, &digits);

	if (digits)
		return ansi_utf8(out, value);
	out[0] = '\\';
	out[1] = letter;
	return 2;
}

static size_t ansi_control(struct ansi *in, char *out)
{
	char c;

	if (in->i >= in->n) {
		memcpy(out, "\\c", 2);
		return 2;
	}
	c = in->s[in->i++];
	if (c == '\\' && in->i < in->n && in->s[in->i] == '\\')
		in->i++;
	if (c == '?')
		return ansi_byte(out, 0x7f);
	return ansi_byte(out, (uint32_t)(c >= 'a' && c <= 'z' ? c - 32 : c) & 0x1f);
}

/* The escape whose letter is at in->i; at most 6 bytes. */
static size_t ansi_escape(struct ansi *in, char *out)
{
	static const char from[] = "abeEfnrtv\\'\"?", to[] = "\a\b\033\033\f\n\r\t\v\\'\"?";
	char c = in->s[in->i++];
	const char *at = memchr(from, c, sizeof(from) - 1);
	unsigned digits;

	if (at)
		return ansi_byte(out, (unsigned char)to[at - from]);
	if (c >= '0' && c <= '7') {
		in->i--;
		return ansi_byte(out, ansi_number(in, 8, 3, &digits));
	}
	if (c == 'x')
		return ansi_hex(in, out);
	if (c == 'u' || c == 'U')
		return ansi_unicode(in, out, c);
	if (c == 'c')
		return ansi_control(in, out);
	out[0] = '\\';
	out[1] = c;
	return 2;
}

struct slice lex_ansi(struct lang_memory *mem, struct slice raw)
{
	struct ansi in = { raw.p, 0, raw.n };
	char *out = mem_alloc(mem, raw.n * 3 / 2 + 8);
	size_t n = 0;

	while (in.i < in.n) {
		char c = in.s[in.i++];

		if (c != '\\' || in.i == in.n) {
			out[n++] = c;
			continue;
		}
		size_t len = ansi_escape(&in, out + n);

		if (len == 1 && out[n] == '\0')
			break;
		n += len;
	}
	out[n] = '\0';
	return (struct slice){ out, n };
}
