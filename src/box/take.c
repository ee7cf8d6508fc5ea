/*
 * Bytes that the other side sends as frames, and the digest that tells whether they are what was sent.
 */
#include <string.h>

#include "box/internal.h"
#include "box/sha256.h"

int bx_take_data(struct bx_conn *c, uint64_t wait, bx_take_fn *put, void *ctx, struct wire_frame *f,
		 uint8_t hash[32])
{
	SHA256_CTX sum;
	int status = TBX_OK;

	SHA256_Init(&sum);
	for (;;) {
		if (!status)
			status = bx_receive(c, f, wait ? bx_ticks() + wait : bx_step(c->store));
		if (status)
			return status;
		if (f->type == WIRE_ALIVE || (f->type == WIRE_DATA_OUT && !f->size))
			continue;
		if (f->type != WIRE_DATA_OUT)
			break;
		SHA256_Update(&sum, f->body, f->size);
		status = put(ctx, f->body, f->size);
	}
	SHA256_Final(hash, &sum);
	return f->type == WIRE_ERROR ? bx_wire_error(c, f) : TBX_OK;
}

bool bx_is_hash(const struct wire_frame *f, const uint8_t hash[32])
{
	struct wire_field_in theirs;

	return wire_find(wire_fields(f), WIRE_F_HASH, &theirs) && theirs.size == 32 &&
		!memcmp(theirs.data, hash, 32);
}
