/*
 * Bytes that grow, and that are wiped wherever they were; base64.
 */
#include "egress/http.h"

#include <stdlib.h>
#include <string.h>

#define BUF_MOST ((size_t)1 << 24)

static bool grow(struct ht_buf *b, size_t n)
{
	size_t cap = b->cap ? b->cap : 512;
	char *data;

	if (n > BUF_MOST || b->size > BUF_MOST - n)
		return false;
	while (cap < b->size + n)
		cap *= 2;
	if (cap == b->cap)
		return true;
	data = malloc(cap);	/* realloc() would leave a copy */
	if (!data)
		return false;
	if (b->data) {
		memcpy(data, b->data, b->size);
		explicit_bzero(b->data, b->cap);
		free(b->data);
	}
	b->data = data;
	b->cap = cap;
	return true;
}

void ht_put(struct ht_buf *b, const void *data, size_t n)
{
	if (b->failed || !n)
		return;
	if (!grow(b, n)) {
		b->failed = true;
		return;
	}
	memcpy(b->data + b->size, data, n);
	b->size += n;
}

void ht_text(struct ht_buf *b, const char *s)
{
	ht_put(b, s, strlen(s));
}

void ht_drop(struct ht_buf *b, size_t n)
{
	n = n < b->size ? n : b->size;
	if (!n)
		return;
	memmove(b->data, b->data + n, b->size - n);
	explicit_bzero(b->data + b->size - n, n);
	b->size -= n;
}

void ht_free(struct ht_buf *b)
{
	if (b->data)
		explicit_bzero(b->data, b->cap);
	free(b->data);
	*b = (struct ht_buf){0};
}

static int digit_of(char c)
{
	if (c >= 'A' && c <= 'Z')
		return c - 'A';
	if (c >= 'a' && c <= 'z')
		return c - 'a' + 26;
	if (c >= '0' && c <= '9')
		return c - '0' + 52;
	return c == '+' ? 62 : c == '/' ? 63 : -1;
}

bool ht_base64_read(struct ht_buf *b, const char *s, size_t n)
{
	uint32_t bits = 0;
	unsigned count = 0;

	for (unsigned pad = 0; n && s[n - 1] == '=' && pad < 2; pad++)
		n--;
	if (n % 4 == 1)
		return false;
	for (size_t i = 0; i < n; i++) {
		int d = digit_of(s[i]);
		char byte;

		if (d < 0)
			return false;
		bits = (bits << 6 | (uint32_t)d) & 0xffffff;
		count += 6;
		if (count < 8)
			continue;
		count -= 8;
		byte = (char)(bits >> count & 0xff);
		ht_put(b, &byte, 1);
	}
	return !b->failed;
}

void ht_base64_put(struct ht_buf *b, const char *s, size_t n)
{
	static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

	for (size_t i = 0; i < n; i += 3) {
		size_t k = n - i < 3 ? n - i : 3;
		uint32_t v = (uint32_t)(uint8_t)s[i] << 16;
		char four[4];

		if (k > 1)
			v |= (uint32_t)(uint8_t)s[i + 1] << 8;
		if (k > 2)
			v |= (uint8_t)s[i + 2];
		for (size_t j = 0; j < 4; j++)
			four[j] = j <= k ? digits[v >> (18 - 6 * j) & 63] : '=';
		ht_put(b, four, 4);
	}
}
