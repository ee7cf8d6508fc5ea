/*
 * factor: whole numbers of any size as rows of 64-bit limbs, and what finding
 * their factors needs.
 */
#ifndef CMD_FACTOR_H
#define CMD_FACTOR_H

#include <tinysandbox/command.h>

struct limbs {
	uint64_t *at;		/* the lowest first; at[n - 1] is not 0 */
	size_t n;		/* 0: the number is 0 */
};

struct limbs limbs_parse(struct tsb_proc *p, const char *digits, size_t len);
char *limbs_print(struct tsb_proc *p, struct limbs a);
int limbs_cmp(struct limbs a, struct limbs b);
/* a / d in place; returns the remainder. */
uint64_t limbs_divide(struct limbs *a, uint64_t d);
uint64_t limbs_remainder(struct limbs a, uint64_t d);
/* a / b without its remainder; b is not 0. */
struct limbs limbs_quotient(struct tsb_proc *p, struct limbs a, struct limbs b);

/* For odd m of more than one: is it prime? (Wrong with a chance below 4^-20.) */
bool factor_is_prime(struct tsb_proc *p, struct limbs m);
/* A factor of the odd composite m that is neither 1 nor m. */
struct limbs factor_find(struct tsb_proc *p, struct limbs m);

#endif
