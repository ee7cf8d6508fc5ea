/*
 * iconv: character sets by tables of our own. Nothing of the host's is read.
 */
#ifndef CMD_ICONV_H
#define CMD_ICONV_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum iconv_kind {
	ICONV_ASCII, ICONV_BYTES, ICONV_UTF8,
	ICONV_16,		/* units of 2 bytes, surrogates */
	ICONV_UCS2,		/* without surrogates */
	ICONV_32
};

struct iconv_set {
	const char *name;
	uint16_t high[128];	/* of the bytes from 128; 0: none */
};
extern const struct iconv_set iconv_sets[];	/* ends with a NULL name */

/* What stands for a character that a set lacks; sorted. */
struct iconv_text {
	uint16_t c;
	char text[8];
};
extern const struct iconv_text iconv_texts[];
extern const size_t iconv_texts_n;

struct iconv_code {
	enum iconv_kind kind;
	bool big;		/* the high byte first */
	bool mark;		/* a byte order mark decides, and is written */
	bool translit, ignore;	/* from //TRANSLIT and //IGNORE */
	const struct iconv_set *set;
	uint8_t place[256];	/* by a character's low byte: where in set->high it may be */
};

/* By a name as glibc knows it, with its // parts; "" is the locale's. false: unknown. */
bool iconv_named(const char *name, bool utf8, struct iconv_code *code);
/* One name each, NULL at the end. */
extern const char *const iconv_names[];

/* One character of the n >= 1 bytes at p: its length; 0: more is needed; less: not valid, and
 * so many bytes are to be passed over. */
int iconv_decode(const struct iconv_code *code, const unsigned char *p, size_t n, uint32_t *c);
/* The bytes for c (at most 4); 0: there are none. */
int iconv_encode(const struct iconv_code *code, uint32_t c, unsigned char out[4]);

#endif
