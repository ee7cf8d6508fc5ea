/*
 * What the generated code calls (wasm2c's run-time interface), and how a guest
 * is entered and left.
 */
#include "guest/guest.h"

#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <ucontext.h>

#include "base/heap.h"
#include "guest/memory.h"
#include "guest/offer.h"
#include "guest/sys.h"
#include "kernel/kernel.h"

enum {
	CHARGED_FIRST = 128 << 10,	/* of an image; what a small script writes to */
	CHARGE_POLLS = 64,
	IDLE_STACK = 1024,		/* kept below the frame of guest_idle(): its own, and that of the call it makes */
	TICK_STEPS = 2000,		/* what GUEST_FUEL turns are worth */
	SIGNAL_STACK = 65536,
	HOST_STACK = 64 << 10,		/* what a call of the host may need */
	TYPES_MAX = 512, TYPE_WORDS = 20,
	STATUS_TRAP = 134		/* as a program that aborts */
};

/* The guest whose code this thread is in: the only way for a signal handler, and for calls that
 * get no context, to know. */
static _Thread_local struct guest *now;

/* A fault in host code is the host's own: so it does not begin where a deep guest has left it no stack. */
void guest_pause(void)
{
	if (now && (const char *)__builtin_frame_address(0) < now->stack_low + HOST_STACK)
		guest_leave(now, GUEST_STACK);
	now = NULL;
}

void guest_resume(struct guest *g)
{
	now = g;
}

void guest_leave(struct guest *g, enum guest_trap how)
{
	now = NULL;
	siglongjmp(g->out, (int)how);
}

/* ---- Ticks ---- */

void guest_charge(struct guest *g)
{
	size_t own;

	if (!g->warm)		/* prepared the image: all of it is its own */
		return;
	own = guest_map_own(g->map, guest_image_pages(g->module) * GUEST_PAGE);
	if (own <= g->more->charged)
		return;
	if (!heap_hold(tsb_heap_of(g->p), own - g->more->charged))
		guest_leave(g, GUEST_UNREACHABLE);
	g->more->charged = own;
}

__attribute__((noinline)) void guest_idle(struct guest *g)
{
	const uintptr_t page = 4096;
	uintptr_t low = ((uintptr_t)g->stack_low + page - 1) & ~(page - 1),
		  here = ((uintptr_t)__builtin_frame_address(0) - IDLE_STACK) & ~(page - 1);
	size_t shadow = g->warm && g->module->stack ? g->module->stack(g->instance) & ~(page - 1) : 0;

	if (g->warm) {
		if (shadow && shadow <= g->touched)
			madvise(g->map, shadow, MADV_DONTNEED);
		guest_map_trim(g->module, g->map);
	}
	guest_charge(g);
#if !defined(__SANITIZE_ADDRESS__)
	if (here > low)		/* below the frames that are in use, and what the next call needs; last, as those above need more */
		madvise((char *)low, here - low, MADV_DONTNEED);
#endif
}

void guest_charge_read(struct guest *g, int fd)
{
	struct proc_poll one = { fd, PROC_POLL_IN, 0 };

	if (!proc_poll(g->p, &one, 1, 0))
		guest_charge(g);
}

void guest_poll(struct guest *g)
{
	if (g->preparing)	/* once in a program, and nobody else is to begin it meanwhile */
		return;
	guest_pause();
	if (++g->more->polls % CHARGE_POLLS == 0 || !(g->more->polls & (g->more->polls - 1)))
		guest_charge(g);
	tsb_tick(g->p, TICK_STEPS);
	guest_resume(g);
}

/* ---- Faults ---- */

static struct sigaction old_segv, old_bus;

static void hand_on(int sig, siginfo_t *info, void *context)
{
	const struct sigaction *old = sig == SIGSEGV ? &old_segv : &old_bus;

	if (old->sa_flags & SA_SIGINFO) {
		old->sa_sigaction(sig, info, context);
	} else if (old->sa_handler != SIG_DFL && old->sa_handler != SIG_IGN) {
		old->sa_handler(sig);
	} else {
		signal(sig, SIG_DFL);	/* the instruction runs again and ends the program */
	}
}

static void fault(int sig, siginfo_t *info, void *context)
{
	struct guest *g = now;
	const char *at = info->si_addr;

	if (g && at >= g->map && at < g->map + GUEST_MAP)
		guest_leave(g, GUEST_WILD);
	if (g && at < g->stack_low && at >= g->stack_low - ((size_t)1 << 20))
		guest_leave(g, GUEST_STACK);
	hand_on(sig, info, context);
}

static pthread_key_t signal_stack_key;

static void signal_stack_end(void *stack)
{
	stack_t off = { .ss_flags = SS_DISABLE };

	sigaltstack(&off, NULL);
	munmap(stack, SIGNAL_STACK);
}

/* A stack for the handler, because a guest may have used up its own. */
static bool signal_stack(void)
{
	stack_t s;
	void *at;

	if (pthread_getspecific(signal_stack_key) ||
	    (!sigaltstack(NULL, &s) && !(s.ss_flags & SS_DISABLE)))
		return true;
	at = mmap(NULL, SIGNAL_STACK, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (at == MAP_FAILED)
		return false;
	s = (stack_t){ .ss_sp = at, .ss_size = SIGNAL_STACK };
	pthread_setspecific(signal_stack_key, at);
	return !sigaltstack(&s, NULL);
}

static void start_once(void)
{
	struct sigaction sa = { .sa_sigaction = fault, .sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER };

	pthread_key_create(&signal_stack_key, signal_stack_end);
	sigemptyset(&sa.sa_mask);
	sigaction(SIGSEGV, &sa, &old_segv);
	sigaction(SIGBUS, &sa, &old_bus);
	for (size_t i = 0; guest_modules[i]; i++)
		guest_modules[i]->init_module();
}

/* Once in a program. */
static void guest_start(void)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;

	pthread_once(&once, start_once);
}

/* ---- Running ---- */

static void guest_memory_init(struct guest *g, wasm_rt_memory_t *m, uint32_t max_pages)
{
	*m = (wasm_rt_memory_t){ .data = (uint8_t *)g->map };
	m->max_pages = max_pages < g->module->pages_max ? max_pages : g->module->pages_max;
}

static void guest_memory_size(struct guest *g, wasm_rt_memory_t *m, uint32_t pages)
{
	m->pages = pages;
	m->size = (uint32_t)(pages * GUEST_PAGE);
	g->touched = m->size;
}

static void guest_end(void *arg)
{
	struct guest *g = arg;

	if (g->more->call)
		offer_call_end(g->more->call);
	if (!g->map)
		return;
	guest_map_give(g->module, g->map, g->touched);
	g->map = NULL;
}

static const char *trap_text(enum guest_trap how)
{
	switch (how) {
	case GUEST_WILD: return "memory access out of bounds";
	case GUEST_ARITHMETIC: return "invalid arithmetic";
	case GUEST_UNREACHABLE: return "aborted";
	case GUEST_CALL: return "invalid indirect call";
	case GUEST_STACK: return "stack exhausted";
	case GUEST_OK: case GUEST_EXIT: break;
	}
	return "";
}

/* The guest as it is before its main(), in its code. */
static void guest_begin(struct guest *g)
{
	const struct guest_module *module = g->module;
	uint32_t pages = guest_image_pages(module);

	if (g->warm) {
		g->memory = module->memory(g->instance);
		guest_memory_init(g, g->memory, module->pages_max);
		guest_memory_size(g, g->memory, pages);
		g->more->charged = CHARGED_FIRST;
		if (!heap_hold(tsb_heap_of(g->p), g->more->charged))
			guest_leave(g, GUEST_UNREACHABLE);
		guest_resume(g);
		module->restore(g->instance, g);
		return;
	}
	g->preparing = true;
	guest_resume(g);
	module->instantiate(g->instance, g);
	module->initialize(g->instance);
	module->prepare(g->instance);
	guest_pause();
	guest_image_keep(module, g->memory);
	g->preparing = false;
	guest_resume(g);
}

int guest_run(struct tsb_proc *p, const struct guest_module *module, int argc, char **argv)
{
	struct guest *g = tsb_alloc(p, sizeof(*g));
	enum guest_trap how;

	guest_start();
	g->more = tsb_alloc(p, sizeof(*g->more));
	g->p = p;
	g->module = module;
	g->argc = argc;
	g->argv = argv;
	g->stack_low = proc_stack_low(p);
	g->instance = tsb_alloc(p, module->instance_size);
	g->map = guest_map_take(module, &g->warm);
	if (!g->map || !signal_stack()) {
		tsb_warn(p, "no room for a guest's memory");
		return STATUS_TRAP;
	}
	proc_on_end(p, guest_end, g);
	proc_stack_deep(p);
	how = (enum guest_trap)sigsetjmp(g->out, 0);
	if (how == GUEST_OK) {
		guest_begin(g);
		module->main(g->instance);
		guest_leave(g, GUEST_EXIT);
	}
	if (how == GUEST_EXIT)
		return g->status;
	tsb_warn(p, "%s", trap_text(how));
	return STATUS_TRAP;
}

/* ---- wasm2c's interface ---- */

bool wasm_rt_is_initialized(void)
{
	return true;
}

void wasm_rt_trap(wasm_rt_trap_t code)
{
	switch (code) {
	case WASM_RT_TRAP_OOB:
		guest_leave(now, GUEST_WILD);
	case WASM_RT_TRAP_INT_OVERFLOW: case WASM_RT_TRAP_DIV_BY_ZERO:
	case WASM_RT_TRAP_INVALID_CONVERSION:
		guest_leave(now, GUEST_ARITHMETIC);
	case WASM_RT_TRAP_CALL_INDIRECT:
		guest_leave(now, GUEST_CALL);
	case WASM_RT_TRAP_EXHAUSTION:
		guest_leave(now, GUEST_STACK);
	case WASM_RT_TRAP_NONE: case WASM_RT_TRAP_UNREACHABLE: case WASM_RT_TRAP_UNCAUGHT_EXCEPTION:
		break;
	}
	guest_leave(now, GUEST_UNREACHABLE);
}

/* Types of functions, numbered: equal types have equal numbers in all modules. Filled once, in
 * start_once(), and only read from then on. */
struct func_type {
	unsigned n;
	unsigned char word[TYPE_WORDS];
};

uint32_t wasm_rt_register_func_type(uint32_t params, uint32_t results, ...)
{
	static struct func_type types[TYPES_MAX];
	static uint32_t n_types;
	struct func_type t = { .n = params + results + 1 };
	va_list ap;

	if (t.n > TYPE_WORDS)
		abort();	/* a matter of the build: no guest runs yet */
	va_start(ap, results);
	t.word[0] = (unsigned char)params;
	for (unsigned i = 1; i < t.n; i++)
		t.word[i] = (unsigned char)va_arg(ap, wasm_rt_type_t);
	va_end(ap);
	for (uint32_t i = 0; i < n_types; i++)
		if (types[i].n == t.n && !memcmp(types[i].word, t.word, t.n))
			return i + 1;
	if (n_types == TYPES_MAX)
		abort();
	types[n_types] = t;
	return ++n_types;
}

/* More pages of the range can be used; charged to the process. */
static bool memory_add(struct guest *g, wasm_rt_memory_t *m, uint32_t delta)
{
	size_t bytes = delta * GUEST_PAGE, old = m->pages * GUEST_PAGE;
	bool fits;

	guest_pause();
	fits = heap_hold(tsb_heap_of(g->p), bytes);
	if (fits && mprotect(g->map + old, bytes, PROT_READ | PROT_WRITE)) {
		heap_oom(tsb_heap_of(g->p), bytes);
		fits = false;
	}
	guest_resume(g);
	if (!fits)
		return false;
	guest_memory_size(g, m, m->pages + delta);
	return true;
}

void wasm_rt_allocate_memory(wasm_rt_memory_t *m, uint32_t pages, uint32_t max_pages)
{
	struct guest *g = now;

	guest_memory_init(g, m, max_pages);
	g->memory = m;
	if (!memory_add(g, m, pages))
		guest_leave(g, GUEST_UNREACHABLE);
}

uint32_t wasm_rt_grow_memory(wasm_rt_memory_t *m, uint32_t delta)
{
	uint32_t old = m->pages;

	if (delta > m->max_pages - m->pages || (delta && !memory_add(now, m, delta)))
		return UINT32_MAX;
	return old;
}

void wasm_rt_free_memory(wasm_rt_memory_t *m)
{
	(void)m;		/* guest_end() */
}

void wasm_rt_free_funcref_table(wasm_rt_funcref_table_t *t)
{
	(void)t;		/* there are none: tools/guest-build */
}
