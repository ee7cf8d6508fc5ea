/*
 * Escapes that stand for one byte: \a \f \r \t \v, \cX, \dNNN, \oNNN, \xHH. They
 * are replaced once a part of a command has been cut out of the script, so that
 * what they make is never a delimiter; in a regular expression it is read on as
 * if it stood there, elsewhere it is the character itself.
 */
#include "cmd/sed.h"

#include <string.h>

static int digit_of(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	c |= 0x20;
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : 99;
}

/* Digits at p: how many (0: none) and the byte. */
static size_t escape_number(const char *p, const char *end, int base, int most, int *byte)
{
	size_t n = 0;
	int v = 0;

	for (; p + n < end && n < (size_t)most && digit_of(p[n]) < base; n++)
		v = v * base + digit_of(p[n]);
	*byte = v & 0xff;
	return n;
}

/* \c and what follows, at p: the length, 0 if the text ends. */
static size_t escape_control(struct sed *s, const char *p, const char *end, int *byte)
{
	char c;

	if (p == end)
		return 0;
	c = *p;
	if (c == '\\' && (p + 1 == end || p[1] != '\\'))
		sed_bad(s, "recursive escaping after \\c not allowed");
	if (c >= 'a' && c <= 'z')
		c = (char)(c - 32);
	*byte = (unsigned char)c ^ 0x40;
	return c == '\\' ? 2 : 1;
}

/* What is behind a backslash, at p: the length, 0: it stands for itself. */
static size_t escape_read(struct sed *s, const char *p, const char *end, int *byte)
{
	static const char names[] = "afrtv", bytes[] = "\a\f\r\t\v";
	const char *simple = strchr(names, *p);
	size_t n;

	if (*p && simple) {
		*byte = bytes[simple - names];
		return 1;
	}
	switch (*p) {
	case 'c':
		n = escape_control(s, p + 1, end, byte);
		if (!n)
			*byte = '\\';
		return n + 1;
	case 'd':
		n = escape_number(p + 1, end, 10, 3, byte);
		break;
	case 'o':
		n = escape_number(p + 1, end, 8, 3, byte);
		break;
	case 'x':
		n = escape_number(p + 1, end, 16, 2, byte);
		break;
	default:
		return 0;
	}
	if (!n)
		*byte = *p;	/* \xg is xg */
	return n + 1;
}

/* Does the byte need a backslash, so that nobody takes it for something else? */
static bool escape_protect(int byte, enum sed_text kind, bool number)
{
	if (!number)
		return false;
	return kind != SED_TEXT_REGEX && (byte == '\\' ||
					  (byte == '&' && kind == SED_TEXT_REPLACEMENT));
}

/* In a bracket expression: where it is, by the last bytes. */
struct bracket {
	bool in;
	int at;			/* bytes since the [ or its ^ */
	char class;		/* of [: [. [= */
};

static void bracket_step(struct bracket *b, const char *p, const char *end)
{
	if (!b->in) {
		b->in = *p == '[';
		b->at = 0;
		b->class = '\0';
		return;
	}
	if (*p == '^' && !b->at)
		return;
	if (b->class) {
		if (*p == b->class && p + 1 < end && p[1] == ']')
			b->class = '\1';	/* the ] that comes belongs to it */
		else if (b->class == '\1')
			b->class = '\0';
	} else if (*p == '[' && p + 1 < end && strchr(".:=", p[1])) {
		b->class = p[1];
	} else if (*p == ']' && b->at) {
		b->in = false;
	}
	b->at++;
}

void sed_unescape(struct sed *s, struct str *text, enum sed_text kind)
{
	const char *p = text->p, *end = p + text->n;
	struct bracket b = { 0 };
	struct str out;

	if (!memchr(text->p, '\\', text->n))
		return;
	str_init(&out, tsb_heap_of(s->p), STR_MAX_DEFAULT);
	while (p < end) {
		bool plain = *p != '\\' || p + 1 == end;
		int byte = 0;
		size_t n = 0;

		if (kind == SED_TEXT_REGEX && plain)
			bracket_step(&b, p, end);
		if (plain || (b.in && s->posix == SED_MINIMAL)) {
			b.at += !plain;
			str_addc(&out, *p++);
			continue;
		}
		p++;
		b.at++;
		n = escape_read(s, p, end, &byte);
		if (b.in && *p == 'n') {
			n = 1;
			byte = '\n';
		}
		if (!n) {
			/* In brackets a backslash is a character, and ] may end them. */
			str_addc(&out, '\\');
			if (!b.in)
				str_addc(&out, *p++);
			else if (*p == '\\')
				str_addc(&out, *p++);
			continue;
		}
		if (escape_protect(byte, kind, n > 1 && strchr("dox", *p)))
			str_addc(&out, '\\');
		str_addc(&out, byte);
		p += n;
	}
	str_end(text);
	*text = out;
}
