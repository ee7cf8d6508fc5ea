/*
 * UTF-8, strict (no surrogates, no overlong forms, at most U+10FFFF), and what
 * a terminal makes of it. Bytes that are no UTF-8 are units of their own.
 */
#ifndef BASE_UTF8_H
#define BASE_UTF8_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Decodes one character of the n >= 1 bytes at p. Returns its length in bytes;
 * an invalid or cut sequence returns 1 and *c = -1. */
size_t utf8_decode(const char *p, size_t n, int32_t *c);
/* Encodes; buf has room for 4; returns the length. c is at most 0x10FFFF
 * (surrogates are encoded as they stand, as bash does for \uD800). */
size_t utf8_encode(char *buf, uint32_t c);
size_t utf8_count(const char *p, size_t n);	/* characters; an invalid byte counts 1 */
/* Columns: 0 combining, 2 wide, 1 else, -1 control (as wcwidth in C.UTF-8). */
int utf8_width(int32_t c);
size_t utf8_columns(const char *p, size_t n);	/* controls count 0 */
bool utf8_valid(const char *p, size_t n);
/* Classes and simple case mapping, as glibc's C.UTF-8. */
bool utf8_is(int32_t c, const char *class_name);	/* "alpha", "digit", ... */
int32_t utf8_upper(int32_t c);
int32_t utf8_lower(int32_t c);
bool utf8_print(int32_t c);

#endif
