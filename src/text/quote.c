/*
 * bash's ways to write a string so that the shell reads it back. All of them
 * turn to $'...' where the string has characters that do not print (and bytes
 * that are no UTF-8), except those that keep them inside single quotes.
 */
#include "text/escape.h"

#include <string.h>

#include "base/utf8.h"

/* Characters that do not print, or bytes that are no characters. */
static bool needs_ansi(const char *s, size_t n)
{
	for (size_t i = 0; i < n;) {
		int32_t c;
		i += utf8_decode(s + i, n - i, &c);
		if (c < 0 || !utf8_print(c))
			return true;
	}
	return false;
}

/* A tilde that would be expanded, a '#' that would begin a comment. */
static bool special_by_place(const char *s, size_t i)
{
	if (s[i] == '~')
		return i == 0 || s[i - 1] == '=' || s[i - 1] == ':';
	return s[i] == '#' && i == 0;
}

bool quote_has_meta(const char *s, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if ((s[i] && strchr(" \t\n'\"\\|&;()<>!{}*[?]^$`", s[i])) || special_by_place(s, i))
			return true;
	return false;
}

void quote_ansi(struct str *out, const char *s, size_t n)
{
	static const char plain[] = "\a\b\033\f\n\r\t\v\\'", letters[] = "abEfnrtv\\'";

	str_adds(out, "$'");
	for (size_t i = 0; i < n;) {
		int32_t c;
		size_t len = utf8_decode(s + i, n - i, &c);
		const char *hit = c > 0 && c < 128 ? strchr(plain, c) : NULL;
		if (hit) {
			str_addc(out, '\\');
			str_addc(out, letters[hit - plain]);
		} else if (c >= 0 && utf8_print(c)) {
			str_addn(out, s + i, len);
		} else {
			for (size_t k = 0; k < len; k++)
				str_addf(out, "\\%03o", (unsigned)(unsigned char)s[i + k]);
		}
		i += len;
	}
	str_addc(out, '\'');
}

void quote_backslash(struct str *out, const char *s, size_t n)
{
	if (!n) {
		str_adds(out, "''");
		return;
	}
	if (needs_ansi(s, n)) {
		quote_ansi(out, s, n);
		return;
	}
	for (size_t i = 0; i < n; i++) {
		if (strchr(" \t\n'\"\\|&;()<>!{}*[?]^$`,", s[i]) || special_by_place(s, i))
			str_addc(out, '\\');
		str_addc(out, s[i]);
	}
}

void quote_single(struct str *out, const char *s, size_t n)
{
	if (n == 1 && *s == '\'') {
		str_adds(out, "\\'");
		return;
	}
	str_addc(out, '\'');
	for (size_t i = 0; i < n; i++) {
		if (s[i] == '\'')
			str_adds(out, "'\\''");
		else
			str_addc(out, s[i]);
	}
	str_addc(out, '\'');
}

void quote_at(struct str *out, const char *s, size_t n)
{
	if (needs_ansi(s, n))
		quote_ansi(out, s, n);
	else
		quote_single(out, s, n);
}

void quote_double(struct str *out, const char *s, size_t n)
{
	if (needs_ansi(s, n)) {
		quote_ansi(out, s, n);
		return;
	}
	str_addc(out, '"');
	for (size_t i = 0; i < n; i++) {
		if (strchr("\"$`\\", s[i]))
			str_addc(out, '\\');
		str_addc(out, s[i]);
	}
	str_addc(out, '"');
}

void quote_set(struct str *out, const char *s, size_t n)
{
	if (needs_ansi(s, n))
		quote_ansi(out, s, n);
	else if (quote_has_meta(s, n))
		quote_single(out, s, n);
	else
		str_addn(out, s, n);
}
