/*
 * Values as the shell prints them, so that they read back: declare -p uses
 * double quotes, set and ${x@Q} single ones, and what has unprintable characters
 * is $'...' everywhere.
 */
#include <string.h>

#include "base/utf8.h"
#include "shell/words.h"

void quote_single(struct str *out, const char *p, size_t n)
{
	if (n == 1 && *p == '\'') {
		str_adds(out, "\\'");
		return;
	}
	str_addc(out, '\'');
	for (size_t i = 0; i < n; i++) {
		if (p[i] == '\'')
			str_adds(out, "'\\''");
		else
			str_addc(out, p[i]);
	}
	str_addc(out, '\'');
}

void quote_double(struct str *out, const char *p, size_t n)
{
	str_addc(out, '"');
	for (size_t i = 0; i < n; i++) {
		if (p[i] == '"' || p[i] == '$' || p[i] == '`' || p[i] == '\\')
			str_addc(out, '\\');
		str_addc(out, p[i]);
	}
	str_addc(out, '"');
}

bool quote_needs_ansi(const char *p, size_t n)
{
	for (size_t i = 0; i < n;) {
		int32_t c;
		size_t len;

		if (p[i] >= ' ' && p[i] < 0x7f) {
			i++;
			continue;
		}
		len = utf8_decode(p + i, n - i, &c);
		if (c < 0 || !utf8_print(c))
			return true;
		i += len;
	}
	return false;
}

static void quote_ansi_byte(struct str *out, char c)
{
	static const char from[] = "\033\a\b\v\f\n\r\t\\'", to[] = "Eabvfnrt\\'";
	const char *at = c ? strchr(from, c) : NULL;

	if (at)
		str_addf(out, "\\%c", to[at - from]);
	else if (c >= ' ' && c < 0x7f)
		str_addc(out, c);
	else
		str_addf(out, "\\%03o", (unsigned)(unsigned char)c);
}

void quote_ansi(struct str *out, const char *p, size_t n)
{
	str_adds(out, "$'");
	for (size_t i = 0; i < n;) {
		int32_t c;
		size_t len = utf8_decode(p + i, n - i, &c);

		if (len > 1 && utf8_print(c)) {
			str_addn(out, p + i, len);
		} else {
			for (size_t k = 0; k < len; k++)
				quote_ansi_byte(out, p[i + k]);
		}
		i += len;
	}
	str_addc(out, '\'');
}

bool quote_has_metas(const char *p, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		char c = p[i];

		if (c && strchr(" \t\n'\"\\|&;()<>!{}*[?]^$`", c))
			return true;
		if (c == '~' && (i == 0 || p[i - 1] == '=' || p[i - 1] == ':'))
			return true;
		if (c == '#' && i == 0)
			return true;
	}
	return false;
}

void quote_value(struct str *out, const char *p, size_t n)
{
	if (quote_needs_ansi(p, n))
		quote_ansi(out, p, n);
	else
		quote_single(out, p, n);
}

void quote_declare(struct str *out, const char *p, size_t n)
{
	if (quote_needs_ansi(p, n))
		quote_ansi(out, p, n);
	else
		quote_double(out, p, n);
}

void quote_plain(struct str *out, const char *p, size_t n)
{
	if (quote_needs_ansi(p, n))
		quote_ansi(out, p, n);
	else if (quote_has_metas(p, n))
		quote_single(out, p, n);
	else
		str_addn(out, p, n);
}

void quote_key(struct str *out, const char *p, size_t n)
{
	if (quote_has_metas(p, n) || (n == 1 && (*p == '@' || *p == '*')))
		quote_double(out, p, n);
	else if (quote_needs_ansi(p, n))
		quote_ansi(out, p, n);
	else
		str_addn(out, p, n);
}
