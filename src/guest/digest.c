/* See digest.h. */
#include "guest/digest.h"

#include <string.h>

static const struct { uint16_t bytes, block; } sizes[JS_DIGESTS] = {
	[JS_MD5] = { 16, 64 }, [JS_SHA1] = { 20, 64 }, [JS_SHA224] = { 28, 64 }, [JS_SHA256] = { 32, 64 },
	[JS_SHA384] = { 48, 128 }, [JS_SHA512] = { 64, 128 }, [JS_SHA512_224] = { 28, 128 },
	[JS_SHA512_256] = { 32, 128 }, [JS_RIPEMD160] = { 20, 64 }, [JS_BLAKE2B512] = { 64, 128 },
	[JS_BLAKE2S256] = { 32, 64 }, [JS_SHA3_224] = { 28, 144 }, [JS_SHA3_256] = { 32, 136 },
	[JS_SHA3_384] = { 48, 104 }, [JS_SHA3_512] = { 64, 72 }, [JS_SHAKE128] = { 16, 168 },
	[JS_SHAKE256] = { 32, 136 },
};

size_t js_digest_bytes(enum js_digest_kind kind)
{
	return sizes[kind].bytes;
}

size_t js_digest_block(enum js_digest_kind kind)
{
	return sizes[kind].block;
}

/* SHA-512/t begins with what SHA-512, begun otherwise, makes of its own name (FIPS 180-4, 5.3.6). */
static void init_truncated(SHA512_CTX *c, const char *name, unsigned bytes)
{
	uint8_t made[64];
	SHA512_CTX own;

	SHA512_Init(&own);
	for (int i = 0; i < 8; i++)
		own.h[i] ^= 0xa5a5a5a5a5a5a5a5u;
	SHA512_Update(&own, name, strlen(name));
	SHA512_Final(made, &own);
	SHA512_Init(c);
	for (int i = 0; i < 8; i++) {
		c->h[i] = 0;
		for (int j = 0; j < 8; j++)
			c->h[i] = c->h[i] << 8 | made[8 * i + j];
	}
	c->md_len = bytes;
}

void js_digest_init(struct js_digest *d, enum js_digest_kind kind)
{
	memset(d, 0, sizeof(*d));
	d->kind = kind;
	switch (kind) {
	case JS_MD5: MD5_Init(&d->u.md5); break;
	case JS_SHA1: SHA1_Init(&d->u.sha1); break;
	case JS_SHA224: SHA224_Init(&d->u.sha256); break;
	case JS_SHA256: SHA256_Init(&d->u.sha256); break;
	case JS_SHA384: SHA384_Init(&d->u.sha512); break;
	case JS_SHA512: SHA512_Init(&d->u.sha512); break;
	case JS_SHA512_224: init_truncated(&d->u.sha512, "SHA-512/224", 28); break;
	case JS_SHA512_256: init_truncated(&d->u.sha512, "SHA-512/256", 32); break;
	case JS_RIPEMD160: RIPEMD160_Init(&d->u.ripemd160); break;
	case JS_BLAKE2B512: blake2b_init(&d->u.blake2b, 64); break;
	case JS_BLAKE2S256: blake2s_init(&d->u.blake2s, 32); break;
	case JS_SHA3_224: case JS_SHA3_256: case JS_SHA3_384: case JS_SHA3_512:
		keccak_init(&d->u.keccak, sizes[kind].block, 0x06);
		break;
	case JS_SHAKE128: case JS_SHAKE256:
		keccak_init(&d->u.keccak, sizes[kind].block, 0x1f);
		break;
	case JS_DIGESTS: break;
	}
}

void js_digest_add(struct js_digest *d, const void *data, size_t n)
{
	switch ((enum js_digest_kind)d->kind) {
	case JS_MD5: MD5_Update(&d->u.md5, data, n); break;
	case JS_SHA1: SHA1_Update(&d->u.sha1, data, n); break;
	case JS_SHA224: SHA224_Update(&d->u.sha256, data, n); break;
	case JS_SHA256: SHA256_Update(&d->u.sha256, data, n); break;
	case JS_SHA384: SHA384_Update(&d->u.sha512, data, n); break;
	case JS_SHA512: case JS_SHA512_224: case JS_SHA512_256:
		SHA512_Update(&d->u.sha512, data, n);
		break;
	case JS_RIPEMD160: RIPEMD160_Update(&d->u.ripemd160, data, n); break;
	case JS_BLAKE2B512: blake2b_update(&d->u.blake2b, data, n); break;
	case JS_BLAKE2S256: blake2s_update(&d->u.blake2s, data, n); break;
	default: keccak_add(&d->u.keccak, data, n); break;
	}
}

static void end_fixed(struct js_digest *d, uint8_t *out)
{
	switch ((enum js_digest_kind)d->kind) {
	case JS_MD5: MD5_Final(out, &d->u.md5); break;
	case JS_SHA1: SHA1_Final(out, &d->u.sha1); break;
	case JS_SHA224: SHA224_Final(out, &d->u.sha256); break;
	case JS_SHA256: SHA256_Final(out, &d->u.sha256); break;
	case JS_SHA384: SHA384_Final(out, &d->u.sha512); break;
	case JS_SHA512: case JS_SHA512_224: case JS_SHA512_256:
		SHA512_Final(out, &d->u.sha512);
		break;
	case JS_RIPEMD160: RIPEMD160_Final(out, &d->u.ripemd160); break;
	case JS_BLAKE2B512: blake2b_final(&d->u.blake2b, out, 64); break;
	case JS_BLAKE2S256: blake2s_final(&d->u.blake2s, out, 32); break;
	default: break;
	}
}

void js_digest_end(struct js_digest *d, uint8_t *out, size_t n)
{
	uint8_t made[JS_DIGEST_MAX] = { 0 };

	if (d->kind >= JS_SHA3_224) {
		keccak_end(&d->u.keccak, out, n);
		return;
	}
	end_fixed(d, made);
	memcpy(out, made, n < sizeof(made) ? n : sizeof(made));
}

static bool keccak_sane(const struct js_digest *d)
{
	return d->u.keccak.rate == sizes[d->kind].block && d->u.keccak.at < d->u.keccak.rate;
}

bool js_digest_sane(const struct js_digest *d)
{
	if (d->kind >= JS_DIGESTS)
		return false;
	switch ((enum js_digest_kind)d->kind) {
	case JS_MD5: return d->u.md5.num < MD5_CBLOCK;
	case JS_SHA1: return d->u.sha1.num < SHA_CBLOCK;
	case JS_SHA224: case JS_SHA256:
		return d->u.sha256.num < SHA256_CBLOCK && d->u.sha256.md_len == sizes[d->kind].bytes;
	case JS_SHA384: case JS_SHA512: case JS_SHA512_224: case JS_SHA512_256:
		return d->u.sha512.num < SHA512_CBLOCK && d->u.sha512.md_len == sizes[d->kind].bytes;
	case JS_RIPEMD160: return d->u.ripemd160.num < RIPEMD160_CBLOCK;
	case JS_BLAKE2B512: return d->u.blake2b.buflen <= sizeof(d->u.blake2b.buf);
	case JS_BLAKE2S256: return d->u.blake2s.buflen <= sizeof(d->u.blake2s.buf);
	default: return keccak_sane(d);
	}
}
