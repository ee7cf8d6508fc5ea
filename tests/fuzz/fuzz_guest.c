/*
 * A guest that makes host calls as the bytes say: any call, any numbers, pointers
 * that are good, off by a little, or wild. Whatever comes of it must be the end of
 * the guest at most. The guest is tests/unit/guest/tiny.h's: C in the place of
 * generated code, so that all of the time goes into the calls.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "guest/offer.h"
#include "kernel/kernel.h"
#include "sandbox/engine.h"
#include "vfs/image.h"
#include "vfs/vfs.h"

#include "../unit/guest/tiny.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

struct wire {
	int64_t number;
	uint32_t at, n;
};

enum { TEXTS = 4096, TEXT_ROOM = 64, ARGS = 512, OPS_MAX = 200 };

#define TEXT(s) { (s), sizeof(s) - 1 }
static const struct {
	const char *at;
	uint32_t n;
} texts[] = {
	TEXT("/tmp"), TEXT("a"), TEXT("/tmp/b"), TEXT(".."), TEXT("/dev/null"),
	TEXT("/proc/self/fd/0"), TEXT("/proc/self/maps"), TEXT("cat"), TEXT("/usr/bin/true"),
	TEXT("sh"), TEXT("x\0y\0"), TEXT("cat\0a\0"), TEXT("A=1\0B=\0"), TEXT("[1,2]"),
	TEXT("GET"), TEXT("http://h/"), TEXT("n\0v\0n2\0v2\0"), TEXT("/tmp/c/d/e"), TEXT(""),
	TEXT("/"), TEXT("sh\0-c\0kill $$; :\0"), TEXT("/tmp/link"), TEXT("yes"),
	TEXT("head\0-1\0"), TEXT("\0"), TEXT("/dev/full"), TEXT("/dev/zero"),
};
enum { N_TEXTS = sizeof(texts) / sizeof(*texts) };

static const uint8_t *input;
static size_t left;

static unsigned next(void)
{
	if (!left)
		return 0;
	left--;
	return *input++;
}

static uint32_t next_word(void)
{
	uint32_t w = next();

	w |= (uint32_t)next() << 8;
	w |= (uint32_t)next() << 16;
	return w | (uint32_t)next() << 24;
}

static int64_t next_number(void)
{
	static const int64_t odd[] = {
		INT64_MIN, INT64_MAX, -1, INT32_MIN, INT32_MAX, UINT32_MAX, 65536, 1000000000, 1 << 20, (int64_t)1 << 53,
	};
	unsigned kind = next();

	if (kind < 160)
		return kind & 15;
	if (kind < 180)
		return odd[kind % (sizeof(odd) / sizeof(*odd))];
	if (kind < 220)
		return (int32_t)next_word();
	return (int64_t)((uint64_t)next_word() << 32 | next_word());
}

/* [*at, *at + *n): mostly in the memory. */
static void next_range(struct tiny *t, uint32_t *at, uint32_t *n)
{
	unsigned kind = next();

	if (kind < 140) {
		*at = TEXTS + TEXT_ROOM * (kind % N_TEXTS);
		*n = texts[kind % N_TEXTS].n;
	} else if (kind < 200) {
		static const uint32_t sizes[] = { 144, 12, 32, 8, 56, 0, 1, 24, 4096, 100 };

		*at = 65536 + 64 * next();
		*n = sizes[kind % 10];
	} else if (kind < 240) {
		*at = next_word() % t->memory.size;
		*n = next_word() % (t->memory.size - *at + 1);
	} else {
		*at = kind < 248 ? t->memory.size - next() : next_word();
		*n = kind & 1 ? next() : next_word();
	}
}

static void call_sys(struct tiny *t)
{
	struct wire w[SYS_ARGS];
	uint32_t what = next(), n = next() % (SYS_ARGS + 2), at = ARGS;

	memset(w, 0, sizeof(w));
	for (uint32_t i = 0; i < n && i < SYS_ARGS; i++) {
		if (next() & 1)
			w[i].number = next_number();
		else
			next_range(t, &w[i].at, &w[i].n);
	}
	memcpy(t->memory.data + ARGS, w, sizeof(w));
	if (next() == 255)
		at = next_word();
	Z_hZ_sys(t->g, what, at, n);
}

static void call_plain(struct tiny *t)
{
	uint32_t fd = next() % 20, a, b, c, d;

	next_range(t, &a, &b);
	next_range(t, &c, &d);
	switch (next() % 12) {
	case 0: Z_hZ_read(t->g, fd, a, b); break;
	case 1: Z_hZ_write(t->g, fd, a, b); break;
	case 2: Z_hZ_open(t->g, a, b, next_word(), next_word()); break;
	case 3: Z_hZ_close(t->g, fd); break;
	case 4: Z_hZ_seek(t->g, fd, (uint64_t)next_number(), next() % 4); break;
	case 5: Z_hZ_stat(t->g, fd - 2, a, b, c); break;
	case 6: Z_hZ_now(t->g, next()); break;
	case 7: Z_hZ_random(t->g, a, b); break;
	case 8: Z_hZ_text(t->g, next() % 3, next() % 9, a, b); break;
	case 9: Z_hZ_realpath(t->g, a, b, c, d); break;
	case 10: Z_hZ_isatty(t->g, fd); break;
	default: Z_hZ_library(t->g, next_word() % 300, next() & 1, a, b); break;
	}
}

static void guest_main(struct tiny *t)
{
	for (unsigned i = 0; i < N_TEXTS; i++)
		memcpy(t->memory.data + TEXTS + TEXT_ROOM * i, texts[i].at, texts[i].n);
	for (int ops = 0; left && ops < OPS_MAX; ops++) {
		unsigned kind = next();

		if (kind < 180)
			call_sys(t);
		else if (kind < 240)
			call_plain(t);
		else if (kind < 248)
			wasm_rt_grow_memory(&t->memory, next_word() % (2 * TINY_PAGES_MAX));
		else
			guest_poll(t->g);
	}
}

/* ---- The run around it ---- */

static int drop_output(void *ctx, int fd, const void *data, size_t n)
{
	volatile char sum = 0;

	(void)ctx;
	(void)fd;
	for (size_t i = 0; i < n; i++)
		sum = (char)(sum + ((const char *)data)[i]);
	return 0;
}

static const struct tsb_command *find(void *ctx, const char *name, size_t n)
{
	return engine_find(ctx, name, n);
}

static void host_function(void *ctx, struct tsb_js_call *call)
{
	size_t n;
	const char *json = tsb_js_arguments(call, &n);

	(void)ctx;
	if (n & 1)
		tsb_js_throw(call, "E", json);
	else
		tsb_js_return(call, json, n);
}

static void host_fetch(void *ctx, const struct tsb_js_request *q, struct tsb_js_call *call)
{
	(void)ctx;
	tsb_js_status(call, 200 + (int)(q->n_headers % 400), q->method);
	for (size_t i = 0; i < q->n_headers; i++)
		tsb_js_header(call, q->headers[i].name, q->headers[i].value);
	tsb_js_body(call, q->body, q->body_size);
}

static void run(struct engine *e, struct kernel *k)
{
	static struct offer_function functions[] = {
		{ (char *)(uintptr_t)"f", host_function, NULL }, { (char *)(uintptr_t)"g", host_function, NULL },
	};
	static char prelude[] = "1";
	static const struct offers offers = { functions, 2, prelude, 1, host_fetch, NULL };
	static const char *const env[] = { "PATH=/usr/bin", "A=1", NULL };
	struct kernel_options opt = {
		.io = { .output = drop_output }, .hostname = "h", .uid = 1000, .gid = 1000, .virtual_time = true,
		.programs = { .find = find, .shell = "bash", .ctx = e }, .offers = &offers,
	};
	struct tsb_limits limits;

	tsb_limits_default(&limits);
	limits.wall_ms = 50;
	limits.commands = 30;
	limits.memory_bytes = 64 << 20;
	limits.fs_bytes = limits.file_bytes = 1 << 20;
	limits.js_call_bytes = 5000;
	opt.limits = &limits;
	if (vfs_branch(engine_base(e), &opt.vfs))
		abort();
	if (kernel_begin(k, &opt) || !kernel_init_proc(k, "bash", "/tmp", env, NULL))
		abort();
	kernel_run(k, tiny_process, NULL);
	kernel_finish(k);
	vfs_free(opt.vfs);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	static struct engine *e;
	static struct kernel *k;

	if (!e) {
		e = engine_get();
		k = kernel_new();
	}
	tiny_now = guest_main;
	input = data;
	left = n;
	run(e, k);
	return 0;
}
