/*
 * Building text without stdio. See text.h. Numbers and JSON strings are all the formatting that
 * the server needs.
 */
#include "init/text.h"

#include <stdlib.h>
#include <string.h>

static bool grow(struct text *t, size_t more)
{
	size_t cap = t->cap ? t->cap : 128;
	char *data;

	if (t->failed || more > SIZE_MAX / 4 - t->size)
		goto failed;
	while (cap < t->size + more + 1)
		cap *= 2;
	if (cap == t->cap)
		return true;
	data = realloc(t->data, cap);
	if (!data)
		goto failed;
	t->data = data;
	t->cap = cap;
	return true;
failed:
	t->failed = true;
	return false;
}

void text_bytes(struct text *t, const void *data, size_t size)
{
	if (!grow(t, size))
		return;
	if (size)
		memcpy(t->data + t->size, data, size);
	t->size += size;
	t->data[t->size] = '\0';
}

void text_add(struct text *t, const char *s)
{
	text_bytes(t, s, strlen(s));
}

size_t text_decimal(char *to, uint64_t n)
{
	char digits[20];
	size_t count = 0;

	do
		digits[count++] = (char)('0' + n % 10);
	while (n /= 10);
	for (size_t i = 0; i < count; i++)
		to[i] = digits[count - 1 - i];
	to[count] = '\0';
	return count;
}

void text_number(struct text *t, uint64_t n)
{
	char digits[24];

	text_bytes(t, digits, text_decimal(digits, n));
}

/* The length of the UTF-8 sequence at s, 0 when it is none (overlong, surrogate, cut). */
static size_t sequence(const unsigned char *s, size_t left)
{
	size_t n = s[0] < 0x80 ? 1 : s[0] < 0xc2 ? 0 : s[0] < 0xe0 ? 2 : s[0] < 0xf0 ? 3 :
		s[0] < 0xf5 ? 4 : 0;

	if (!n || n > left)
		return 0;
	for (size_t i = 1; i < n; i++)
		if ((s[i] & 0xc0) != 0x80)
			return 0;
	if ((s[0] == 0xe0 && s[1] < 0xa0) || (s[0] == 0xed && s[1] > 0x9f) ||
	    (s[0] == 0xf0 && s[1] < 0x90) || (s[0] == 0xf4 && s[1] > 0x8f))
		return 0;
	return n;
}

static void hex_byte(struct text *t, unsigned char byte)
{
	static const char hex[16] = "0123456789abcdef";
	char pair[2] = {hex[byte >> 4], hex[byte & 15]};

	text_bytes(t, pair, 2);
}

static bool is_utf8(const unsigned char *at, size_t size)
{
	for (size_t i = 0, n; i < size; i += n) {
		n = sequence(at + i, size - i);
		if (!n)
			return false;
	}
	return true;
}

void text_json(struct text *t, const char *s, size_t size)
{
	const unsigned char *at = (const unsigned char *)s;
	bool plain = is_utf8(at, size);

	text_add(t, plain ? "\"" : "{\"hex\":\"");
	for (size_t i = 0; i < size; i++) {
		if (!plain) {
			hex_byte(t, at[i]);
		} else if (at[i] < 0x20 || at[i] == 0x7f) {
			text_add(t, "\\u00");
			hex_byte(t, at[i]);
		} else {
			if (at[i] == '"' || at[i] == '\\')
				text_add(t, "\\");
			text_bytes(t, at + i, 1);
		}
	}
	text_add(t, plain ? "\"" : "\"}");
}

const char *text_string(const struct text *t)
{
	return t->data && !t->failed ? t->data : "";
}

void text_free(struct text *t)
{
	free(t->data);
	*t = (struct text){0};
}

const char *text_errno(int error)
{
	const char *s = strerrordesc_np(error);

	return s ? s : "Unknown error";
}

static char lower(char c)
{
	return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

bool text_same(const char *a, const char *b, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (lower(a[i]) != lower(b[i]))
			return false;
	return true;
}

bool text_has(const char *s, const char *part)
{
	size_t size = strlen(s), n = strlen(part);

	for (size_t i = 0; i + n <= size; i++)
		if (text_same(s + i, part, n))
			return true;
	return false;
}
