/*
 * What a program gives up for good before it reads what strangers wrote. All of this is about the
 * calling process; it must have one thread still. Nothing is allocated.
 *
 *	struct confine_filter f;
 *
 *	confine_filter_begin(&f);
 *	confine_filter_calls(&f, allowed, n_allowed, SECCOMP_RET_ALLOW);
 *	if (!confine_filter_enter(&f, SECCOMP_RET_ERRNO | EPERM)) fail();
 */
#ifndef CONFINE_CONFINE_H
#define CONFINE_CONFINE_H

#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* ---- System calls. An action is one of SECCOMP_RET_*; the first line about a call counts. ---- */

#define CONFINE_FILTER_MAX 256u		/* instructions */

struct confine_filter {
	struct sock_filter code[CONFINE_FILTER_MAX];
	unsigned n;
	bool full;		/* more was to be put into it */
};

/* Is there a filter for this architecture, and does this kernel have filters? */
bool confine_filter_possible(void);
/* A call in the way of another architecture ends the process. */
void confine_filter_begin(struct confine_filter *f);
void confine_filter_call(struct confine_filter *f, int call, uint32_t action);
void confine_filter_calls(struct confine_filter *f, const int *calls, size_t n, uint32_t action);
/*
 * The call passes if the low 32 bits of its argument number `which` (from 0) are `want` where `mask`
 * has ones, and gets the action `otherwise` if not.
 */
void confine_filter_argument(struct confine_filter *f, int call, unsigned which, uint32_t mask,
			     uint32_t want, uint32_t otherwise);
/* All other calls get `rest`. From here on it holds; needs no_new_privs. False: errno (E2BIG: full,
 * ENOSYS: an architecture that is not known here). */
bool confine_filter_enter(struct confine_filter *f, uint32_t rest);

/* ---- Privileges ---- */

/* keep: those that stay, by 1 << CAP_*, all below 32. False: errno. */
bool confine_capabilities(uint32_t keep);
/* Nobody without privileges reads this process's memory: no core file, no ptrace. */
void confine_memory(void);

#endif
