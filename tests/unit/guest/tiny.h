/*
 * A guest without WebAssembly: what wasm2c would make of a tiny module, written by
 * hand. Its main() is a C function of the test, in the guest's place: it has a linear
 * memory, the host calls, ticks, traps, and no bounds checks, so it can do
 * what a damaged or hostile module could do to the host.
 */
#ifndef GUEST_TINY_H
#define GUEST_TINY_H

#include <stdlib.h>

#include "guest/guest.h"
#include "guest/sys.h"

enum { TINY_PAGES = 4, TINY_PAGES_MAX = 1024 };

struct tiny {
	struct guest *g;
	wasm_rt_memory_t memory;
};

typedef void tiny_main_fn(struct tiny *t);
static _Thread_local tiny_main_fn *tiny_now;	/* of the next guest of this thread */

/* The host calls, as generated code sees them. */
uint32_t Z_hZ_read(struct guest *g, uint32_t fd, uint32_t p, uint32_t n);
uint32_t Z_hZ_write(struct guest *g, uint32_t fd, uint32_t p, uint32_t n);
uint32_t Z_hZ_open(struct guest *g, uint32_t path, uint32_t n, uint32_t flags, uint32_t mode);
uint32_t Z_hZ_close(struct guest *g, uint32_t fd);
uint64_t Z_hZ_seek(struct guest *g, uint32_t fd, uint64_t offset, uint32_t whence);
uint32_t Z_hZ_stat(struct guest *g, uint32_t fd, uint32_t path, uint32_t n, uint32_t out);
uint64_t Z_hZ_now(struct guest *g, uint32_t clock);
void Z_hZ_random(struct guest *g, uint32_t p, uint32_t n);
uint32_t Z_hZ_text(struct guest *g, uint32_t what, uint32_t index, uint32_t p, uint32_t cap);
uint32_t Z_hZ_realpath(struct guest *g, uint32_t path, uint32_t n, uint32_t out, uint32_t cap);
uint32_t Z_hZ_isatty(struct guest *g, uint32_t fd);
void Z_hZ_exit(struct guest *g, uint32_t status);
uint64_t Z_hZ_sys(struct guest *g, uint32_t what, uint32_t args, uint32_t n);
uint32_t Z_hZ_library(struct guest *g, uint32_t index, uint32_t what, uint32_t p, uint32_t cap);
uint32_t Z_hZ_stack_left(struct guest *g);

static void tiny_init(void)
{
}

static void tiny_instantiate(void *instance, struct guest *g)
{
	struct tiny *t = instance;

	t->g = g;
	wasm_rt_allocate_memory(&t->memory, TINY_PAGES, TINY_PAGES_MAX);
}

static void tiny_nothing(void *instance)
{
	(void)instance;
}

static void tiny_restore(void *instance, struct guest *g)
{
	((struct tiny *)instance)->g = g;
}

static wasm_rt_memory_t *tiny_memory(void *instance)
{
	return &((struct tiny *)instance)->memory;
}

static void tiny_main(void *instance)
{
	tiny_now(instance);
}

static const struct guest_module tiny_module = {
	.name = "tiny", .instance_size = sizeof(struct tiny), .init_module = tiny_init,
	.instantiate = tiny_instantiate, .initialize = tiny_nothing, .prepare = tiny_nothing,
	.restore = tiny_restore, .memory = tiny_memory, .main = tiny_main, .pages_max = TINY_PAGES_MAX,
};

/* For kit_run() and kernel_run(): the first process is the guest. */
static int tiny_process(struct tsb_proc *p, void *arg)
{
	static char name[] = "tiny", one[] = "one";
	char *argv[] = { name, one, NULL };

	(void)arg;
	return guest_run(p, &tiny_module, 2, argv);
}

#endif
