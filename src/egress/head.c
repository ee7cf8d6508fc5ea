/*
 * The lines of a head, strictly: CR and LF only together, no folded lines, a name that is a token with its colon right
 * behind it.
 */
#include "egress/http.h"

#include <string.h>
#include <strings.h>

static bool is_token_byte(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
		(c && strchr("!#$%&'*+-.^_`|~", c));
}

bool ht_is_token(const char *s, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (!is_token_byte(s[i]))
			return false;
	return n;
}

size_t ht_head_size(const char *data, size_t n, size_t *looked, const char **why)
{
	size_t from = *looked > 4 && *looked <= n ? *looked - 4 : 0;
	const char *end = memmem(data + from, n - from, "\r\n\r\n", 4);
	size_t size = end ? (size_t)(end - data) + 4 : n;

	*looked = size;
	for (size_t i = from; i < size; i++) {
		if (!data[i] || (data[i] == '\n' && (!i || data[i - 1] != '\r')) ||
		    (data[i] == '\r' && i + 1 < size && data[i + 1] != '\n')) {
			*why = "a line does not end in CR LF, or has a NUL in it";
			return 0;
		}
	}
	if (size > HT_HEAD_MAX || (!end && size >= HT_HEAD_MAX))
		*why = "the head is too long";
	return end && !*why ? size : 0;
}

/* A value has no control bytes but tabs. */
static bool is_value(const char *s, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (((unsigned char)s[i] < ' ' && s[i] != '\t') || s[i] == 127)
			return false;
	return true;
}

bool ht_line_next(const char **at, const char *end, struct ht_line *l, const char **why)
{
	const char *line = *at, *stop = memmem(line, (size_t)(end - line), "\r\n", 2), *colon;

	if (!stop || stop == line)
		return false;
	*at = stop + 2;
	colon = memchr(line, ':', (size_t)(stop - line));
	l->name = line;
	l->name_size = colon ? (size_t)(colon - line) : 0;
	if (!colon || !ht_is_token(line, l->name_size)) {
		*why = *line == ' ' || *line == '\t' ? "a folded line" : "a line is not NAME: VALUE";
		return false;
	}
	l->value = colon + 1;
	while (l->value < stop && (*l->value == ' ' || *l->value == '\t'))
		l->value++;
	while (stop > l->value && (stop[-1] == ' ' || stop[-1] == '\t'))
		stop--;
	l->value_size = (size_t)(stop - l->value);
	if (is_value(l->value, l->value_size))
		return true;
	*why = "a value has control bytes in it";
	return false;
}

bool ht_is(const struct ht_line *l, const char *name)
{
	return strlen(name) == l->name_size && !strncasecmp(l->name, name, l->name_size);
}

bool ht_is_value(const struct ht_line *l, const char *value)
{
	return strlen(value) == l->value_size && !strncasecmp(l->value, value, l->value_size);
}

bool ht_number(const char *s, size_t n, uint64_t *value)
{
	*value = 0;
	if (!n || n > 18)
		return false;
	for (size_t i = 0; i < n; i++) {
		if (s[i] < '0' || s[i] > '9')
			return false;
		*value = *value * 10 + (uint64_t)(s[i] - '0');
	}
	return true;
}
