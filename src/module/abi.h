/*
 * TinyBus module ABI, version 1, as this module meets it: what a host that has loaded the library
 * finds by its three names, and the two tables that host and module give each other. Offsets are
 * asserted below, for nothing else checks them.
 */
#ifndef MODULE_ABI_H
#define MODULE_ABI_H

#include <stddef.h>
#include <stdint.h>

#define TB_FRAME_MAX (16u << 20)	/* one message of JSON */
#define TB_CONFIG_MAX (1u << 20)

enum tb_code {
	TB_OK = 0,
	TB_BACKPRESSURE = -1,	/* later: wake() is called when there is room */
	TB_CLOSED = -2,
	TB_PANICKED = -3,
	TB_TIMEOUT = -4,
	TB_BAD_ARGUMENT = -5
};

enum tb_level { TB_ERROR = 1, TB_WARN, TB_INFO, TB_DEBUG, TB_TRACE };

struct tb_slice {
	const uint8_t *ptr;
	size_t len;
};

/* "TBUSMOD" and 1, as bytes in memory */
#define TB_MAGIC UINT64_C(0x01444f4d53554254)
#define TB_FLAG_UNWIND 1u	/* a failure does not end the process */
#define TB_FLAG_LITTLE 4u

struct tb_descriptor {
	uint64_t magic;
	uint32_t revision, size, flags, pointer_bits;
	uint32_t major, minor, patch, zero;	/* of the bus */
	uint64_t features;
	char target[64], compiler[48], name[64], version[32];
};

struct tb_host {
	uint32_t size, zero;
	void *ctx;
	int32_t (*send)(void *ctx, const uint8_t *ptr, size_t len);
	void (*wake)(void *ctx);
	void (*log)(void *ctx, uint32_t level, const uint8_t *ptr, size_t len);
	void (*fault)(void *ctx, const uint8_t *ptr, size_t len);
	struct tb_slice config;		/* JSON; borrowed until init returns */
	void (*ready)(void *ctx);
};

struct tb_module {
	uint32_t size, zero;	/* size: in, the host's room; out, what was written */
	void *ctx;
	/* Copies; never blocks. */
	int32_t (*deliver)(void *ctx, const uint8_t *ptr, size_t len);
	int32_t (*shutdown)(void *ctx, uint64_t deadline_ms);
};

#define TB_AT(type, field, at) _Static_assert(offsetof(struct type, field) == (at), #field)

#if UINTPTR_MAX == UINT64_MAX
TB_AT(tb_descriptor, flags, 16);
TB_AT(tb_descriptor, pointer_bits, 20);
TB_AT(tb_descriptor, major, 24);
TB_AT(tb_descriptor, features, 40);
TB_AT(tb_descriptor, target, 48);
TB_AT(tb_descriptor, compiler, 112);
TB_AT(tb_descriptor, name, 160);
TB_AT(tb_descriptor, version, 224);
_Static_assert(sizeof(struct tb_descriptor) == 256, "descriptor");
TB_AT(tb_host, send, 16);
TB_AT(tb_host, wake, 24);
TB_AT(tb_host, log, 32);
TB_AT(tb_host, fault, 40);
TB_AT(tb_host, config, 48);
TB_AT(tb_host, ready, 64);
_Static_assert(sizeof(struct tb_host) == 72, "host table");
TB_AT(tb_module, deliver, 16);
TB_AT(tb_module, shutdown, 24);
_Static_assert(sizeof(struct tb_module) == 32, "module table");
#endif

#endif
