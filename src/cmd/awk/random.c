/*
 * rand() with the numbers gawk gives: the additive feedback generator of BSD's
 * random(), degree 63, separation 1, its numbers shuffled through a table.
 */
#include "cmd/awk/awk.h"

enum { DEGREE = 63, SEPARATION = 1 };

static uint32_t random_step(struct awk *a)
{
	int front = (a->random_at + SEPARATION) % DEGREE;
	uint32_t v = a->random_state[front] += a->random_state[a->random_at];

	a->random_at = (a->random_at + 1) % DEGREE;
	return v >> 1;
}

static uint32_t random_shuffled(struct awk *a)
{
	uint32_t *place = &a->random_table[a->random_last % RANDOM_TABLE];

	a->random_last = *place;
	*place = random_step(a);
	return a->random_last;
}

static int32_t good_next(int32_t x)
{
	int32_t hi, lo;

	if (!x)
		x = 123459876;
	hi = x / 127773;
	lo = x % 127773;
	x = 16807 * lo - 2836 * hi;
	return x < 0 ? x + 0x7fffffff : x;
}

void ak_random_seed(struct awk *a, uint32_t seed)
{
	a->random_seeded = true;
	a->random_state[0] = seed;
	for (int i = 1; i < DEGREE; i++)
		a->random_state[i] = (uint32_t)good_next((int32_t)a->random_state[i - 1]);
	a->random_at = 0;
	for (int i = 0; i < RANDOM_TABLE; i++)
		a->random_table[i] = random_step(a);
	a->random_last = random_step(a);
	for (int i = 0; i < 10 * DEGREE; i++)
		random_shuffled(a);
}

double ak_random_next(struct awk *a)
{
	double v;

	if (!a->random_seeded)	/* most programs never ask for a number */
		ak_random_seed(a, 1);
	do {
		double first = random_shuffled(a), second = random_shuffled(a);

		v = 0.5 + (first / 2147483648.0 + second) / 2147483648.0;
		v -= 0.5;
	} while (v == 1.0);
	return v;
}
