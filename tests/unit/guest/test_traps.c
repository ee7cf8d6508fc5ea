/* What can go wrong in a guest ends that guest: the process gets a status, the next guest runs. */
#include "unit/kernel/kit.h"

#include <pthread.h>
#include <sys/mman.h>

#include "base/heap.h"
#include "guest/memory.h"
#include "tiny.h"

static struct kit kit;

static void store_at(struct tiny *t, uint64_t where)
{
	*(volatile uint8_t *)(t->memory.data + where) = 1;
}

static void store_beyond(struct tiny *t) { store_at(t, TINY_PAGES * GUEST_PAGE); }
static void store_far(struct tiny *t) { store_at(t, UINT32_MAX); }
static void store_offset(struct tiny *t) { store_at(t, (uint64_t)UINT32_MAX + (16 << 20)); }
static void store_last(struct tiny *t) { store_at(t, TINY_PAGES * GUEST_PAGE - 1); }
static void trap_oob(struct tiny *t) { (void)t; wasm_rt_trap(WASM_RT_TRAP_OOB); }
static void trap_divide(struct tiny *t) { (void)t; wasm_rt_trap(WASM_RT_TRAP_DIV_BY_ZERO); }
static void trap_convert(struct tiny *t) { (void)t; wasm_rt_trap(WASM_RT_TRAP_INVALID_CONVERSION); }
static void trap_call(struct tiny *t) { (void)t; wasm_rt_trap(WASM_RT_TRAP_CALL_INDIRECT); }
static void trap_unreachable(struct tiny *t) { (void)t; wasm_rt_trap(WASM_RT_TRAP_UNREACHABLE); }
static void trap_exhaustion(struct tiny *t) { (void)t; wasm_rt_trap(WASM_RT_TRAP_EXHAUSTION); }
static void exits(struct tiny *t) { Z_hZ_exit(t->g, 0x1ff07); }
static void returns(struct tiny *t) { (void)t; }

static volatile int depth_end = -1;

static int deeper(int n)
{
	volatile char room[1000];

	room[0] = (char)n;
	return n == depth_end ? 0 : deeper(n + 1) + room[0];
}

static void recurse(struct tiny *t) { (void)t; deeper(0); }

/* The host is entered everywhere on the way down, and needs stack of its own there. */
static int deeper_calls(struct tiny *t, int n)
{
	volatile char room[40];

	room[0] = (char)n;
	Z_hZ_stat(t->g, (uint32_t)-1, 0, 1, 8);
	return n == depth_end ? 0 : deeper_calls(t, n + 1) + room[0];
}

static int deeper_polls(struct tiny *t, int n)
{
	volatile char room[40];

	room[0] = (char)n;
	guest_poll(t->g);
	return n == depth_end ? 0 : deeper_polls(t, n + 1) + room[0];
}

static void recurse_calls(struct tiny *t) { deeper_calls(t, 0); }
static void recurse_polls(struct tiny *t) { deeper_polls(t, 0); }

static void loop(struct tiny *t)
{
	for (long fuel = 0;; fuel = GUEST_FUEL) {
		while (--fuel >= 0)
			;
		guest_poll(t->g);
	}
}

static void grow_for_ever(struct tiny *t)
{
	while (wasm_rt_grow_memory(&t->memory, 1) != UINT32_MAX)
		store_at(t, t->memory.size - 1);
	Z_hZ_exit(t->g, t->memory.pages == TINY_PAGES_MAX ? 3 : 4);
}

static void grow_too_much(struct tiny *t)
{
	bool refused = wasm_rt_grow_memory(&t->memory, TINY_PAGES_MAX) == UINT32_MAX &&
		       wasm_rt_grow_memory(&t->memory, UINT32_MAX) == UINT32_MAX &&
		       wasm_rt_grow_memory(&t->memory, UINT32_MAX - TINY_PAGES + 1) == UINT32_MAX &&
		       wasm_rt_grow_memory(&t->memory, 0) == TINY_PAGES;

	Z_hZ_exit(t->g, refused && t->memory.pages == TINY_PAGES ? 0 : 1);
}

/* What one guest writes, the next does not see. */
static void leaves_marks(struct tiny *t)
{
	wasm_rt_grow_memory(&t->memory, 8);
	memset(t->memory.data, 0xaa, t->memory.size);
}

/* A process pays for what its guest has written to of the image, and for a little at its beginning. */
static void pays(struct tiny *t)
{
	size_t before = heap_used(tsb_heap_of(t->g->p)), first = t->g->more->charged;
	bool little = first < t->memory.size;

	memset(t->memory.data, 0xbb, t->memory.size);
	guest_pause();
	guest_charge(t->g);
	little = little && heap_used(tsb_heap_of(t->g->p)) == before + t->memory.size - first;
	guest_resume(t->g);
	Z_hZ_exit(t->g, little ? 0 : 1);
}

static void looks(struct tiny *t)
{
	uint32_t n = 0;

	wasm_rt_grow_memory(&t->memory, 8);
	for (uint32_t i = 0; i < t->memory.size; i++)
		n += t->memory.data[i] != 0;
	Z_hZ_exit(t->g, n != 0);
}

static int runs(tiny_main_fn *fn, const char *err)
{
	int status;

	tiny_now = fn;
	status = kit_run(&kit, tiny_process, NULL);
	if (err && strcmp(err, kit.text[1]) != 0)
		printf("# standard error <%s>\n", kit.text[1]);
	return err && strcmp(err, kit.text[1]) != 0 ? -1 : status;
}

static void test_traps(void)
{
	static const char wild[] = "bash: memory access out of bounds\n", divided[] = "bash: invalid arithmetic\n";

	is_int(runs(returns, ""), 0, "returns");
	is_int(runs(exits, ""), 7, "exits");
	is_int(runs(store_beyond, wild), 134, "a store behind its memory");
	is_int(runs(store_far, wild), 134, "a store at the last address");
	is_int(runs(store_offset, wild), 134, "with the largest offset");
	is_int(runs(store_last, ""), 0, "its last byte is its own");
	is_int(runs(trap_oob, wild), 134, "a checked access");
	is_int(runs(trap_divide, divided), 134, "a division");
	is_int(runs(trap_convert, divided), 134, "a conversion");
	is_int(runs(trap_call, "bash: invalid indirect call\n"), 134, "a call");
	is_int(runs(trap_unreachable, "bash: aborted\n"), 134, "unreachable");
	is_int(runs(trap_exhaustion, "bash: stack exhausted\n"), 134, "exhaustion");
#if !defined(__SANITIZE_ADDRESS__)
	is_int(runs(recurse, "bash: stack exhausted\n"), 134, "the guard of the stack");
	is_int(runs(recurse_calls, "bash: stack exhausted\n"), 134, "the host, called with little stack left");
	is_int(runs(recurse_polls, "bash: stack exhausted\n"), 134, "a tick with little stack left");
#else
	(void)recurse_calls;
	(void)recurse_polls;
	(void)recurse;		/* ASan's own frames and handlers get in the way */
#endif
	is_int(runs(returns, ""), 0, "and all is well");
}

static void test_limits(void)
{
	kit.limits.wall_ms = 50;
	is_int(runs(loop, NULL), 124, "a loop is stopped");
	kit.limits.wall_ms = 30000;
	is_int(runs(grow_too_much, ""), 0, "growth beyond its limit is refused");
	is_int(runs(grow_for_ever, ""), 3, "growth to its limit");
	is_int(runs(pays, ""), 0, "what is written to is charged");
	kit.limits.memory_bytes = 8 << 20;
	is_int(runs(grow_for_ever, NULL), 137, "growth beyond the run's memory");
	kit.limits.memory_bytes = 256 << 20;
	for (int i = 0; i < 4; i++) {
		runs(leaves_marks, "");
		is_int(runs(looks, ""), 0, "a memory is as new");
	}
}

/* A fault of the host itself is not a guest's: it goes to the handler that was there. */
static sigjmp_buf landed;

static void on_segv(int sig)
{
	(void)sig;
	siglongjmp(landed, 1);
}

static void test_chain(void)
{
	char *at = mmap(NULL, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (!sigsetjmp(landed, 1)) {
		*(volatile char *)at = 1;
		ok(false, "a fault");
	} else {
		ok(true, "a fault of the host goes to the host's handler");
	}
	munmap(at, 4096);
	is_int(runs(store_far, NULL), 134, "and a guest's to the guest");
}

/* Another thread gets a stack for its signals, and gives it back. */
static void *in_thread(void *arg)
{
	*(int *)arg = runs(store_far, NULL);
	return NULL;
}

static void test_thread(void)
{
	pthread_t thread;
	int status = 0;

	is_int(pthread_create(&thread, NULL, in_thread, &status), 0, "a thread");
	pthread_join(thread, NULL);
	is_int(status, 134, "its guest's fault is the guest's");
	is_int(runs(store_far, NULL), 134, "and ours is still ours");
}

int main(void)
{
	signal(SIGSEGV, on_segv);
	kit_begin(&kit);
	test_traps();
	test_limits();
	test_chain();
	test_thread();
	kit_end(&kit);
	return done();
}
