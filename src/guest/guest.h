/*
 * Guests: programs of other people, compiled to WebAssembly and from there to C
 * (tools/guest-build), that run inside a process of the kernel.
 *
 * A guest has a linear memory of its own, a range of 4 GiB with a guard behind
 * it, and can do nothing but compute in it and call the functions of calls.c,
 * which check every pointer. It runs on its process's stack. A call that blocks
 * lets other processes run, guests among them. Its loops count down and
 * then tick like any command, so deadlines, kills and fairness hold in guests
 * that never call. What goes wrong in a guest (a wild pointer, a division by
 * zero, too deep a recursion) ends the guest alone.
 *
 * The one thing of the whole program that guests need is a handler of SIGSEGV;
 * it is installed when the first guest starts, looks only at addresses of the
 * guest that is running, and hands all else to the handler that was there.
 */
#ifndef GUEST_GUEST_H
#define GUEST_GUEST_H

#include <setjmp.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <tinysandbox/command.h>

#include <wasm-rt.h>

/* wasm2c's name for "what the imports of module h belong to" is our guest. */
#define guest Z_h_instance_t
struct guest;

struct guest_module {
	const char *name;
	size_t instance_size;
	void (*init_module)(void);
	void (*instantiate)(void *instance, struct guest *g);
	void (*initialize)(void *instance);	/* before anything else */
	void (*prepare)(void *instance);	/* what is the same in all runs */
	void (*restore)(void *instance, struct guest *g);	/* all but the memory */
	wasm_rt_memory_t *(*memory)(void *instance);
	void (*main)(void *instance);
	uint32_t (*stack)(void *instance);	/* below it the linear memory's stack is free; NULL: not known */
	uint32_t pages_max;			/* of 64 KiB */
};

enum guest_trap {
	GUEST_OK, GUEST_EXIT, GUEST_WILD, GUEST_ARITHMETIC, GUEST_UNREACHABLE, GUEST_CALL, GUEST_STACK
};

struct guest {
	struct tsb_proc *p;
	const struct guest_module *module;
	void *instance;
	wasm_rt_memory_t *memory;
	char *map;		/* GUEST_MAP bytes */
	size_t touched;		/* bytes of it that may not be zero */
	const char *stack_low;
	sigjmp_buf out;		/* where exit and traps land */
	bool warm;		/* the image is in the map */
	bool preparing;		/* sees no arguments and no environment */
	int status;
	int argc;
	char **argv;		/* with the name */
	struct guest_more *more;	/* sys.h */
};

/*
 * Runs a module as a command; the exit status. What a module does before its
 * main() is done once in a program: from then on its memory is mapped as it was
 * after that, copied page by page where it is written to.
 */
int guest_run(struct tsb_proc *p, const struct guest_module *module, int argc, char **argv);

/* All there are; NULL at the end. */
extern const struct guest_module *const guest_modules[];

/* ---- Inside ---- */

/* memory.c: reserved ranges, a few kept; NULL: no room. *warm: the module's image is in it. */
char *guest_map_take(const struct guest_module *module, bool *warm);
void guest_map_give(const struct guest_module *module, char *map, size_t touched);
/* The image of a prepared module: its pages, 0 if there is none yet. */
uint32_t guest_image_pages(const struct guest_module *module);
/* Keeps what the guest's memory is now (the first image stays). */
void guest_image_keep(const struct guest_module *module, const wasm_rt_memory_t *m);

/* The generated code's loops come here after that many turns. */
#define GUEST_FUEL 20000
void guest_poll(struct guest *g);
/* runtime.c */
TSB_NORETURN void guest_leave(struct guest *g, enum guest_trap how);
/* Around everything that may let other processes run or may not return. */
void guest_pause(void);
void guest_resume(struct guest *g);

#endif
