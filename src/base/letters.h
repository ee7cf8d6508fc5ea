/*
 * Bytes as letters of an alphabet (base64, base32), a group at a time: so many
 * bytes are so many letters, and a last group that is not full is filled with
 * "=". Lines, garbage and where bytes come from are the caller's.
 */
#ifndef BASE_LETTERS_H
#define BASE_LETTERS_H

#include <stdbool.h>
#include <stddef.h>

enum { LETTERS_BYTES_MAX = 5, LETTERS_MAX = 8 };

struct letters_code {
	const char *alphabet;		/* 1 << bits of them */
	unsigned bits;			/* a letter */
	unsigned bytes, letters;	/* of a group */
};
extern const struct letters_code letters_64, letters_32;	/* RFC 4648 */

/* What each byte stands for as a letter; -1: it is none. */
void letters_values(const struct letters_code *c, signed char values[256]);
/* 1 to c->bytes bytes into c->letters letters. */
void letters_encode(const struct letters_code *c, const unsigned char *at, size_t n, char *out);
/* 1 to c->letters letters: *got bytes could be read of them; false: some not. */
bool letters_decode(const struct letters_code *c, const signed char values[256],
		    const unsigned char *at, size_t n, char *out, size_t *got);

#endif
