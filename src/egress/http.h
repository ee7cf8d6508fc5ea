/*
 * HTTP/1.1 as the box speaks it to a host of a secret: heads that are read strictly and written anew, bodies
 * that are counted, placeholders that become values. Pure: no descriptors, no TLS. All bytes are hostile,
 * those of a request more than those of a response.
 *
 * A request is refused, not repaired: a line that ends in a bare LF, a folded line, a blank before a colon, two
 * lengths, a length beside chunks, an extension or a trailer of a chunk, a Host that is not the host. What
 * goes out was written by us from what was understood, so that no two programs can read it in two ways.
 */
#ifndef EGRESS_HTTP_H
#define EGRESS_HTTP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "wire/wire.h"

#define HT_HEAD_MAX 65536u
#define HT_LINES_MAX 200u
#define HT_NAME_MAX 64u

/* ---- buf.c: bytes that may hold a value: what is dropped is wiped ---- */

struct ht_buf {
	char *data;
	size_t size, cap;
	bool failed;
};

void ht_put(struct ht_buf *b, const void *data, size_t n);
void ht_text(struct ht_buf *b, const char *s);
void ht_drop(struct ht_buf *b, size_t n);	/* the first n */
void ht_free(struct ht_buf *b);

/* Appends; false: not base64 (padding may be missing). */
bool ht_base64_read(struct ht_buf *b, const char *s, size_t n);
void ht_base64_put(struct ht_buf *b, const char *s, size_t n);

/* ---- request.c ---- */

struct ht_swap {
	const char *name, *placeholder, *value;
	size_t value_size;
	bool here;		/* may be given to this host */
};

/* Who is spoken to. */
struct ht_place {
	const char *host;	/* lower case; an IPv6 address without brackets */
	uint16_t port, usual;	/* usual: need not be in Host */
	const struct ht_swap *swap;
	size_t count;
	bool plain_answers;	/* ask for a body that is not compressed */
};

enum ht_more { HT_MORE, HT_DONE, HT_BAD };

struct ht_request {
	size_t looked;		/* of the input there is no need to look at again; to be kept after HT_MORE */
	size_t used;		/* of the input */
	struct ht_buf out;	/* the head as it goes out */
	struct ht_buf basic;	/* Basic credentials with a value in them, as they went out */
	bool is_head, upgrade, chunked, has_length;
	uint64_t length;
	uint32_t swapped;	/* a bit for each of place->swap */
	const char *why;	/* HT_BAD: static */
	const char *secret;	/* HT_BAD because of this one's placeholder; NULL */
};

/* Of nothing (all 0), with all that came so far; ht_request_end() drops and clears it. */
enum ht_more ht_request_read(struct ht_request *r, const struct ht_place *p, const char *data, size_t n);
void ht_request_end(struct ht_request *r);

/* ---- response.c ---- */

struct ht_response {
	size_t looked, used;	/* as a request's */
	unsigned status;
	bool chunked, has_length;
	uint64_t length;
	const char *why;
};

enum ht_more ht_response_read(struct ht_response *r, const char *data, size_t n);

/* ---- scrub.c: values that come back become as many stars ---- */

#define HT_WORDS (2 * WIRE_SECRETS_MAX)

struct ht_scrub {
	const char *word[HT_WORDS];
	size_t size[HT_WORDS], count;
	struct ht_buf held;	/* could be the beginning of one */
};

void ht_scrub_word(struct ht_scrub *s, const char *word, size_t n);
void ht_scrub(struct ht_scrub *s, const char *data, size_t n, struct ht_buf *out);
void ht_scrub_flush(struct ht_scrub *s, struct ht_buf *out);

/* ---- body.c ---- */

enum ht_kind { HT_NONE, HT_LENGTH, HT_CHUNKED, HT_CLOSE };
enum ht_chunk { HT_SIZE, HT_DATA, HT_DATA_END, HT_TRAILER };

struct ht_body {
	enum ht_kind kind;
	enum ht_chunk chunk;
	uint64_t left;
	bool strict;		/* a request's: no extensions, no trailers */
	bool done;
	const char *why;	/* it is broken */
	struct ht_scrub *scrub;	/* NULL: as it is */
};

/* How many bytes of the input it took; what they become is in out. */
size_t ht_body_take(struct ht_body *b, const char *data, size_t n, struct ht_buf *out);
void ht_body_close(struct ht_body *b, struct ht_buf *out);	/* HT_CLOSE: it has ended */

/* ---- lines, for both heads (head.c) ---- */

struct ht_line {
	const char *name, *value;
	size_t name_size, value_size;
};

/* Where the head ends, behind its empty line; 0: not yet. *why: never. *looked: how far it has been looked at. */
size_t ht_head_size(const char *data, size_t n, size_t *looked, const char **why);
/* The next field; false: it was the last, or *why. */
bool ht_line_next(const char **at, const char *end, struct ht_line *l, const char **why);
bool ht_is(const struct ht_line *l, const char *name);
bool ht_is_value(const struct ht_line *l, const char *value);
bool ht_number(const char *s, size_t n, uint64_t *value);	/* digits alone, below 2^63 */
bool ht_is_token(const char *s, size_t n);

#endif
