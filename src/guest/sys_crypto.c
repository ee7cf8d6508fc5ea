/*
 * Calls for node:crypto, of h.sys(): see sys.h and digest.h. Only what a script
 * could not do as fast itself; keys and states stay in the guest's memory.
 */
#include "guest/digest.h"

#include <errno.h>
#include <string.h>

#include <openssl/aes.h>

#include "guest/sys.h"

enum { STEP = 1 << 16 };	/* bytes between two ticks */

/* ---- Digests ---- */

static bool digest_of(const struct guest_arg *a, struct js_digest *d)
{
	if (!a->at || a->n != JS_DIGEST_STATE)
		return false;
	memcpy(d, a->at, sizeof(*d));
	return js_digest_sane(d);
}

/* digest_init(kind, state) */
int64_t sys_digest_init(struct guest *g, const struct guest_arg *a)
{
	struct js_digest d;

	(void)g;
	if (a[0].number < 0 || a[0].number >= JS_DIGESTS || !a[1].at || a[1].n != JS_DIGEST_STATE)
		return -EINVAL;
	js_digest_init(&d, (enum js_digest_kind)a[0].number);
	memset(a[1].at, 0, a[1].n);
	memcpy(a[1].at, &d, sizeof(d));
	return 0;
}

/* digest_add(state, bytes) */
int64_t sys_digest_add(struct guest *g, const struct guest_arg *a)
{
	struct js_digest d;

	if (!digest_of(&a[0], &d))
		return -EINVAL;
	for (size_t at = 0; at < a[1].n; at += STEP) {
		size_t n = a[1].n - at < STEP ? a[1].n - at : STEP;

		js_digest_add(&d, a[1].at + at, n);
		tsb_tick(g->p, n / 64);
	}
	memcpy(a[0].at, &d, sizeof(d));
	return 0;
}

/* digest_end(state, out): the state is spent. */
int64_t sys_digest_end(struct guest *g, const struct guest_arg *a)
{
	struct js_digest d;

	if (!digest_of(&a[0], &d) || !a[1].at)
		return -EINVAL;
	js_digest_end(&d, a[1].at, a[1].n);
	tsb_tick(g->p, a[1].n / 64);
	return 0;
}

/* ---- HMAC and what is made of it ---- */

struct hmac {
	struct js_digest inner, outer;
	size_t bytes;
};

static void hmac_key(struct hmac *h, enum js_digest_kind kind, const uint8_t *key, size_t n)
{
	uint8_t pad[168] = { 0 };
	size_t block = js_digest_block(kind);

	h->bytes = js_digest_bytes(kind);
	if (n > block) {
		js_digest_init(&h->inner, kind);
		js_digest_add(&h->inner, key, n);
		js_digest_end(&h->inner, pad, h->bytes);
	} else if (n) {
		memcpy(pad, key, n);
	}
	for (size_t i = 0; i < block; i++)
		pad[i] ^= 0x36;
	js_digest_init(&h->inner, kind);
	js_digest_add(&h->inner, pad, block);
	for (size_t i = 0; i < block; i++)
		pad[i] ^= 0x36 ^ 0x5c;
	js_digest_init(&h->outer, kind);
	js_digest_add(&h->outer, pad, block);
}

/* Of one message after another with the same key; two parts a message. */
static void hmac_of(const struct hmac *h, const uint8_t *a, size_t a_n, const uint8_t *b, size_t b_n,
		    uint8_t out[JS_DIGEST_MAX])
{
	struct js_digest d = h->inner;

	if (a_n)
		js_digest_add(&d, a, a_n);
	if (b_n)
		js_digest_add(&d, b, b_n);
	js_digest_end(&d, out, h->bytes);
	d = h->outer;
	js_digest_add(&d, out, h->bytes);
	js_digest_end(&d, out, h->bytes);
}

/* One block of PBKDF2 (RFC 8018). */
static void pbkdf2_block(struct tsb_proc *p, const struct hmac *h, const struct guest_arg *salt,
			 uint32_t index, int64_t rounds, uint8_t out[JS_DIGEST_MAX])
{
	uint8_t number[4] = { (uint8_t)(index >> 24), (uint8_t)(index >> 16), (uint8_t)(index >> 8),
			      (uint8_t)index };
	uint8_t u[JS_DIGEST_MAX];

	hmac_of(h, salt->at, salt->n, number, sizeof(number), u);
	memcpy(out, u, h->bytes);
	for (int64_t i = 1; i < rounds; i++) {
		hmac_of(h, u, h->bytes, NULL, 0, u);
		for (size_t j = 0; j < h->bytes; j++)
			out[j] ^= u[j];
		tsb_tick(p, 8);
	}
}

static void pbkdf2(struct tsb_proc *p, const struct hmac *h, const struct guest_arg *salt,
		   int64_t rounds, uint8_t *to, size_t n)
{
	uint8_t block[JS_DIGEST_MAX];
	uint32_t index = 1;

	while (n) {
		size_t part = n < h->bytes ? n : h->bytes;

		pbkdf2_block(p, h, salt, index++, rounds, block);
		memcpy(to, block, part);
		to += part;
		n -= part;
	}
}

/* pbkdf2(kind, password, salt, rounds, out) */
int64_t sys_pbkdf2(struct guest *g, const struct guest_arg *a)
{
	struct hmac h;

	if (a[0].number < 0 || a[0].number >= JS_SHAKE128 || a[3].number < 1 || (a[4].n && !a[4].at))
		return -EINVAL;
	hmac_key(&h, (enum js_digest_kind)a[0].number, a[1].at, a[1].n);
	pbkdf2(g->p, &h, &a[2], a[3].number, a[4].at, a[4].n);
	return 0;
}

/* ---- scrypt (RFC 7914) ---- */

static uint32_t turned(uint32_t v, int n)
{
	return v << n | v >> (32 - n);
}

static void quarter(uint32_t x[16], int a, int b, int c, int d)
{
	x[b] ^= turned(x[a] + x[d], 7);
	x[c] ^= turned(x[b] + x[a], 9);
	x[d] ^= turned(x[c] + x[b], 13);
	x[a] ^= turned(x[d] + x[c], 18);
}

static void salsa8(uint32_t block[16])
{
	uint32_t x[16];

	memcpy(x, block, sizeof(x));
	for (int i = 0; i < 4; i++) {
		quarter(x, 0, 4, 8, 12);
		quarter(x, 5, 9, 13, 1);
		quarter(x, 10, 14, 2, 6);
		quarter(x, 15, 3, 7, 11);
		quarter(x, 0, 1, 2, 3);
		quarter(x, 5, 6, 7, 4);
		quarter(x, 10, 11, 8, 9);
		quarter(x, 15, 12, 13, 14);
	}
	for (int i = 0; i < 16; i++)
		block[i] += x[i];
}

/* scryptBlockMix: b of 32 r words through y of as many. */
static void block_mix(uint32_t *b, uint32_t *y, size_t r)
{
	uint32_t x[16];

	memcpy(x, b + 32 * r - 16, sizeof(x));
	for (size_t i = 0; i < 2 * r; i++) {
		for (size_t j = 0; j < 16; j++)
			x[j] ^= b[16 * i + j];
		salsa8(x);
		memcpy(y + 16 * (i / 2 + (i & 1 ? r : 0)), x, sizeof(x));
	}
	memcpy(b, y, 128 * r);
}

struct scrypt {
	size_t n, r;
	uint32_t *v, *y;	/* n blocks, and one */
};

static void rom_mix(struct tsb_proc *p, const struct scrypt *s, uint32_t *b)
{
	size_t words = 32 * s->r;

	for (size_t i = 0; i < s->n; i++) {
		memcpy(s->v + i * words, b, 4 * words);
		block_mix(b, s->y, s->r);
		tsb_tick(p, words / 16);
	}
	for (size_t i = 0; i < s->n; i++) {
		const uint32_t *v = s->v + (b[words - 16] & (s->n - 1)) * words;

		for (size_t j = 0; j < words; j++)
			b[j] ^= v[j];
		block_mix(b, s->y, s->r);
		tsb_tick(p, words / 16);
	}
}

/* Words are little-endian in RFC 7914. */
static void swap_words(uint32_t *b, size_t n)
{
	(void)b;
	(void)n;
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
	for (size_t i = 0; i < n; i++)
		b[i] = __builtin_bswap32(b[i]);
#endif
}

enum { SCRYPT_MEMORY = 1 << 30 };	/* the process's budget says less */

/* scrypt(password, salt, N, r, p, out) */
int64_t sys_scrypt(struct guest *g, const struct guest_arg *a)
{
	int64_t n = a[2].number, r = a[3].number, p = a[4].number;
	struct scrypt s;
	struct guest_arg salt = { 0 };
	struct hmac h;
	uint32_t *b;

	if (n < 2 || (n & (n - 1)) || r < 1 || p < 1 || n > SCRYPT_MEMORY || r > SCRYPT_MEMORY / 128 / n ||
	    p > SCRYPT_MEMORY / 128 / r || (a[5].n && !a[5].at))
		return -EINVAL;
	s = (struct scrypt){ .n = (size_t)n, .r = (size_t)r };
	s.v = tsb_alloc(g->p, 128 * s.r * s.n);
	s.y = tsb_alloc(g->p, 128 * s.r);
	salt.n = (uint32_t)(128 * r * p);
	b = tsb_alloc(g->p, salt.n);
	salt.at = (uint8_t *)b;
	hmac_key(&h, JS_SHA256, a[0].at, a[0].n);
	pbkdf2(g->p, &h, &a[1], 1, salt.at, salt.n);
	swap_words(b, salt.n / 4);
	for (int64_t i = 0; i < p; i++)
		rom_mix(g->p, &s, b + 32 * r * i);
	swap_words(b, salt.n / 4);
	pbkdf2(g->p, &h, &salt, 1, a[5].at, a[5].n);
	tsb_free(g->p, b);
	tsb_free(g->p, s.y);
	tsb_free(g->p, s.v);
	return 0;
}

/* ---- AES ---- */

enum aes_mode { AES_MODE_ECB, AES_MODE_CBC, AES_MODE_CTR };

/* The counter: the last `bytes` of 16. */
static void count_up(uint8_t iv[16], int bytes)
{
	for (int i = 15; i >= 16 - bytes && !++iv[i]; i--)
		;
}

/* Whole blocks, in place. */
static void aes_blocks(const AES_KEY *key, enum aes_mode mode, bool encrypt, uint8_t *iv, uint8_t *at,
		       size_t n)
{
	if (mode == AES_MODE_CBC) {
		AES_cbc_encrypt(at, at, n, key, iv, encrypt);
		return;
	}
	for (; n >= 16; n -= 16, at += 16) {
		if (encrypt)
			AES_encrypt(at, at, key);
		else
			AES_decrypt(at, at, key);
	}
}

/* A stream of bytes: state[16] is the counter, [16..31] the key stream, [32] how much of it is used. */
static void aes_stream(const AES_KEY *key, uint8_t *state, int counter, uint8_t *at, size_t n)
{
	for (; n; n--) {
		if (state[32] >= 16) {
			AES_encrypt(state, state + 16, key);
			count_up(state, counter);
			state[32] = 0;
		}
		*at++ ^= state[16 + state[32]++];
	}
}

enum { AES_STATE = 33 };

/* aes(mode, encrypt, key, state, bytes in place, bytes of the counter) */
int64_t sys_aes(struct guest *g, const struct guest_arg *a)
{
	bool encrypt = a[1].number, stream = a[0].number == AES_MODE_CTR;
	int64_t counter = a[5].number;
	AES_KEY key;

	if (a[0].number < 0 || a[0].number > AES_MODE_CTR || !a[2].at || (a[2].n != 16 && a[2].n != 24 &&
	    a[2].n != 32) || !a[3].at || a[3].n != AES_STATE || (!stream && a[4].n % 16) || counter < 0 ||
	    counter > 16)
		return -EINVAL;
	if (encrypt || stream)
		AES_set_encrypt_key(a[2].at, (int)a[2].n * 8, &key);
	else
		AES_set_decrypt_key(a[2].at, (int)a[2].n * 8, &key);
	for (size_t at = 0; at < a[4].n; at += STEP) {
		size_t n = a[4].n - at < STEP ? a[4].n - at : STEP;

		if (stream)
			aes_stream(&key, a[3].at, (int)counter, a[4].at + at, n);
		else
			aes_blocks(&key, (enum aes_mode)a[0].number, encrypt, a[3].at, a[4].at + at, n);
		tsb_tick(g->p, n / 64);
	}
	memset(&key, 0, sizeof(key));
	return 0;
}

struct field {
	uint64_t high, low;
};

static struct field field_of(const uint8_t *at)
{
	struct field f = { 0 };

	for (int i = 0; i < 8; i++) {
		f.high = f.high << 8 | at[i];
		f.low = f.low << 8 | at[8 + i];
	}
	return f;
}

/* The product in GCM's field: bits are mirrored there (NIST SP 800-38D, 6.3). */
static struct field product(struct field x, struct field y)
{
	struct field z = { 0 };

	for (int i = 0; i < 128; i++) {
		uint64_t bit = i < 64 ? x.high >> (63 - i) & 1 : x.low >> (127 - i) & 1;
		uint64_t carry = y.low & 1;

		z.high ^= y.high & (0 - bit);
		z.low ^= y.low & (0 - bit);
		y.low = y.low >> 1 | y.high << 63;
		y.high = y.high >> 1 ^ (0xe100000000000000u & (0 - carry));
	}
	return z;
}

/* ghash(sum of 16, H, bytes): whole blocks, zeros behind the last. */
int64_t sys_ghash(struct guest *g, const struct guest_arg *a)
{
	struct field h, sum;

	if (!a[0].at || a[0].n != 16 || !a[1].at || a[1].n != 16)
		return -EINVAL;
	h = field_of(a[1].at);
	sum = field_of(a[0].at);
	for (size_t at = 0; at < a[2].n; at += 16) {
		uint8_t block[16] = { 0 };
		struct field f;

		memcpy(block, a[2].at + at, a[2].n - at < 16 ? a[2].n - at : 16);
		f = field_of(block);
		sum = product((struct field){ sum.high ^ f.high, sum.low ^ f.low }, h);
		if (at % 4096 == 0)
			tsb_tick(g->p, 256);
	}
	for (int i = 0; i < 8; i++) {
		a[0].at[i] = (uint8_t)(sum.high >> (56 - 8 * i));
		a[0].at[8 + i] = (uint8_t)(sum.low >> (56 - 8 * i));
	}
	return 0;
}
