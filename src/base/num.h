/*
 * Checked numbers: sizes that may not wrap, and texts that must be numbers.
 */
#ifndef BASE_NUM_H
#define BASE_NUM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* false and *out untouched when the result does not fit. */
static inline bool num_add(size_t a, size_t b, size_t *out)
{
	return !__builtin_add_overflow(a, b, out);
}
static inline bool num_mul(size_t a, size_t b, size_t *out)
{
	return !__builtin_mul_overflow(a, b, out);
}

enum num_result { NUM_OK, NUM_INVALID, NUM_RANGE, NUM_SUFFIX };

/* Decimal with optional sign, whole string. On NUM_RANGE *out is clamped. */
enum num_result num_i64(const char *s, int64_t *out);
enum num_result num_u64(const char *s, uint64_t *out);
/*
 * As GNU's xstrtoumax: decimal, then at most one suffix out of `suffixes`
 * (of "bBcEGkKMPTwYZ0"), multipliers with iB = 1024 and B = 1000 where '0' is
 * among them. NUM_RANGE clamps to UINT64_MAX; NUM_SUFFIX: bad suffix.
 */
enum num_result num_suffixed(const char *s, const char *suffixes, uint64_t *out);
enum num_result num_isuffixed(const char *s, const char *suffixes, int64_t *out);
/* Decimal digits of v into buf (at least 21 bytes), NUL behind; the length. */
size_t num_format_i64(char *buf, int64_t v);
size_t num_format_u64(char *buf, uint64_t v);

#endif
