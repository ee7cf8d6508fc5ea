/*
 * Text that is built piece by piece: sentences, JSON lines, paths. Memory grows; `failed` sticks
 * when it could not. No stdio: the program is small and takes no locale.
 */
#ifndef INIT_TEXT_H
#define INIT_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct text {
	char *data;		/* NUL-ended once anything was added */
	size_t size, cap;
	bool failed;
};

void text_bytes(struct text *t, const void *data, size_t size);
void text_add(struct text *t, const char *s);
void text_number(struct text *t, uint64_t n);
/* a JSON string with its quotes; bytes that are not UTF-8 become \udcXX, which tells them apart */
void text_json(struct text *t, const char *s, size_t size);
/* what is there; "" when nothing is or memory failed */
const char *text_string(const struct text *t);
void text_free(struct text *t);

/* Letters of ASCII in either case are equal, in n bytes of both; and whether s has the part so. */
bool text_same(const char *a, const char *b, size_t n);
bool text_has(const char *s, const char *part);

/* A number in decimal: writes at most 21 bytes with the NUL, returns the length. */
size_t text_decimal(char *to, uint64_t n);
/* The kernel's word for an errno, never NULL. */
const char *text_errno(int error);

#endif
