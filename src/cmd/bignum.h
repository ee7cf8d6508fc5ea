/*
 * Whole numbers of any size, for expr, factor and the like: sign and magnitude,
 * in memory of the process.
 */
#ifndef CMD_BIGNUM_H
#define CMD_BIGNUM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct tsb_proc;

struct bignum {
	uint32_t *at;		/* digits to the base of 10^9, the lowest first */
	size_t n;		/* 0: the number is 0 */
	bool negative;
};

/* Is s an optional minus and digits? */
bool bignum_is(const char *s);
struct bignum bignum_parse(struct tsb_proc *p, const char *s);	/* bignum_is(s) */
char *bignum_print(struct tsb_proc *p, struct bignum a);
int bignum_cmp(struct bignum a, struct bignum b);
struct bignum bignum_add(struct tsb_proc *p, struct bignum a, struct bignum b);
struct bignum bignum_sub(struct tsb_proc *p, struct bignum a, struct bignum b);
struct bignum bignum_mul(struct tsb_proc *p, struct bignum a, struct bignum b);
/* Towards zero; the remainder has a's sign. b is not 0. */
struct bignum bignum_div(struct tsb_proc *p, struct bignum a, struct bignum b,
			 struct bignum *remainder);

#endif
