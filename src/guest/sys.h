/*
 * h.sys(number, arguments): the calls that the guests' libraries make by number,
 * so that one more costs no new guest. An argument is a number or bytes; bytes
 * have been checked when a function below sees them. They run in host code
 * (guest_pause()), so they may wait and may be dropped inside.
 */
#ifndef GUEST_SYS_H
#define GUEST_SYS_H

#include "guest/guest.h"
#include "text/civil.h"

enum {
	SYS_ARGS = 10,
	/* ns to wait: long enough for guest_charge(), and for guest_idle() */
	SYS_LONG = 20000000, SYS_IDLE = 200000000
};

struct guest_arg {
	int64_t number;
	uint8_t *at;		/* NULL: a number */
	uint32_t n;
};

struct guest_more {
	size_t charged;		/* bytes of the image that count as the guest's (guest_charge()) */
	unsigned polls;
	char *blob;		/* an answer whose length is not known before: sys_take() */
	size_t blob_n;
	struct guest_zlib **zlib;	/* by their numbers; NULL: free */
	size_t n_zlib;
	struct tsb_js_call *call;	/* whose answer is to be freed; NULL: none */
	struct guest_zone *zone;	/* sys_zone.c; NULL: nobody has asked */
};

typedef int64_t guest_sys_fn(struct guest *g, const struct guest_arg *a);
#define SYS(name) guest_sys_fn sys_##name;
#include "guest/sys.def"
#undef SYS

/* Keeps a copy as the blob; its length. */
int64_t sys_give(struct guest *g, const void *at, size_t n);
/* The blob itself, of n bytes, to be filled. */
char *sys_blob(struct guest *g, size_t n);
/* A name as a string, to be freed; NULL: no name (a NUL inside, or a number). */
char *sys_name(struct guest *g, const struct guest_arg *a);
/* NUL-ended strings one behind the other as a NULL-ended array, to be freed. */
char **sys_strings(struct guest *g, const struct guest_arg *a);

/*
 * runtime.c: the image is shared; a process is charged what it has written to of it, and a little at its beginning.
 * That is looked up now and then in a guest that runs, and here by calls that will block for long. In host code.
 */
void guest_charge(struct guest *g);
void guest_charge_read(struct guest *g, int fd);	/* if nothing is there to be read */

/* The guest has waited for long: memory that it has and does not need goes back. Charges, too. In host code. */
void guest_idle(struct guest *g);

/* The texts of a guest's library, from tools/js-bundle; NULL at the end. */
struct guest_text {
	const char *name;
	const char *text;
	uint32_t n;
};
extern const struct guest_text js_library[];

#endif
