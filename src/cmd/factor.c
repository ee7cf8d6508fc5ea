/*
 * factor - the prime factors of whole numbers: small primes by trial, the rest
 * by factor_find().
 *
 * As GNU's tool does it, lines are written when they make 512 bytes, but those of
 * numbers of more than 127 bits at once: so these may come out of their turn.
 */
#include "cmd/factor.h"

#include <string.h>

#include "base/num.h"
#include "base/str.h"
#include "base/vec.h"
#include "cmd/cmd.h"
#include "cmd/quote.h"

enum { FACTOR_TRIAL = 5003, FACTOR_WRITE = 512 };

struct factor_divisor {
	uint64_t prime, inverse, most;
};

struct factor {
	struct tsb_proc *p;
	VEC(struct factor_divisor) table;
	VEC(struct limbs) left, primes;
	struct str line, held;
	bool failed;
};

static const struct tsb_opt factor_opts[] = { TSB_OPT_END };

static void factor_add_prime(struct factor *f, struct limbs prime)
{
	size_t i = f->primes.n;

	*vec_add(tsb_heap_of(f->p), &f->primes) = prime;
	for (; i && limbs_cmp(f->primes.at[i - 1], prime) > 0; i--)
		f->primes.at[i] = f->primes.at[i - 1];
	f->primes.at[i] = prime;
}

static struct limbs factor_small(struct factor *f, uint64_t v)
{
	struct limbs a = { tsb_alloc(f->p, sizeof(uint64_t)), 1 };

	a.at[0] = v;
	return a;
}

static void factor_trial(struct factor *f, struct limbs *m)
{
	for (uint64_t d = 2; d < FACTOR_TRIAL; d += 1 + (d & 1)) {
		if (m->n == 1 && d * d > m->at[0])
			break;
		while (!limbs_remainder(*m, d)) {
			limbs_divide(m, d);
			factor_add_prime(f, factor_small(f, d));
			tsb_tick(f->p, m->n / 64 + 1);
		}
		tsb_tick(f->p, m->n / 64);
	}
	tsb_tick(f->p, 40);
}

static void factor_all(struct factor *f, struct limbs m)
{
	f->primes.n = 0;
	if (!m.n)
		return;
	factor_trial(f, &m);
	if (m.n > 1 || m.at[0] > 1)
		*vec_add(tsb_heap_of(f->p), &f->left) = m;
	while (f->left.n) {
		m = vec_pop(&f->left);
		if ((m.n == 1 && m.at[0] < (uint64_t)FACTOR_TRIAL * FACTOR_TRIAL) ||
		    factor_is_prime(f->p, m)) {
			factor_add_prime(f, m);
		} else {
			struct limbs d = factor_find(f->p, m);

			*vec_add(tsb_heap_of(f->p), &f->left) = limbs_quotient(f->p, m, d);
			*vec_add(tsb_heap_of(f->p), &f->left) = d;
		}
	}
}

/* An odd divisor below the limit divides v exactly if v times its inverse modulo 2^64 is no
 * more than 2^64 / divisor. */
static void factor_make_table(struct factor *f)
{
	bool *composite = tsb_alloc(f->p, FACTOR_TRIAL);

	memset(composite, 0, FACTOR_TRIAL);
	for (uint64_t d = 3; d < FACTOR_TRIAL; d += 2) {
		struct factor_divisor *row;
		uint64_t inverse = d;

		if (composite[d])
			continue;
		for (uint64_t k = d * d; k < FACTOR_TRIAL; k += 2 * d)
			composite[k] = true;
		for (int i = 0; i < 5; i++)	/* right bits double: 3, 6, ... 96 */
			inverse *= 2 - d * inverse;
		row = vec_add(tsb_heap_of(f->p), &f->table);
		*row = (struct factor_divisor){ d, inverse, UINT64_MAX / d };
	}
	tsb_free(f->p, composite);
}

static void factor_add_number(struct factor *f, uint64_t v)
{
	char digits[24];

	str_addc(&f->line, ' ');
	str_addn(&f->line, digits, num_format_u64(digits, v));
}

/* The line of v > 0 by trial alone. false: what is left takes more. */
static bool factor_quick(struct factor *f, uint64_t v)
{
	size_t begin = f->line.n;

	if (!f->table.n)
		factor_make_table(f);
	for (; !(v & 1); v >>= 1)
		factor_add_number(f, 2);
	for (size_t i = 0; i < f->table.n; i++) {
		const struct factor_divisor *d = &f->table.at[i];

		if (d->prime * d->prime > v)
			break;
		for (; v * d->inverse <= d->most; v *= d->inverse)
			factor_add_number(f, d->prime);
	}
	tsb_tick(f->p, 8);
	if (v >= (uint64_t)FACTOR_TRIAL * FACTOR_TRIAL) {
		str_cut(&f->line, begin);
		return false;
	}
	if (v > 1)
		factor_add_number(f, v);
	return true;
}

static void factor_slow(struct factor *f, struct limbs m)
{
	factor_all(f, m);
	for (size_t i = 0; i < f->primes.n; i++) {
		str_addc(&f->line, ' ');
		str_adds(&f->line, limbs_print(f->p, f->primes.at[i]));
	}
}

static void factor_put(struct factor *f, bool at_once)
{
	size_t n = FACTOR_WRITE;

	if (at_once) {
		tsb_put(f->p, f->line.p, f->line.n);
		tsb_flush(f->p);
		return;
	}
	str_addn(&f->held, f->line.p, f->line.n);
	if (f->held.n < FACTOR_WRITE)
		return;
	while (n && f->held.p[n - 1] != '\n')
		n--;
	n = n ? n : f->held.n;
	tsb_put(f->p, f->held.p, n);
	tsb_flush(f->p);
	str_erase(&f->held, 0, n);
}

static void factor_word(struct factor *f, const char *word)
{
	const char *s = word + strspn(word, " ");
	struct limbs m;
	bool is_big;
	size_t n;

	s += *s == '+';
	n = strspn(s, "0123456789");
	if (!n || s[n]) {
		f->failed = true;
		tsb_warn(f->p, "%s is not a valid positive integer", quote_text(f->p, word));
		return;
	}
	m = limbs_parse(f->p, s, n);
	is_big = m.n > 2 || (m.n == 2 && m.at[1] >> 63);
	str_reset(&f->line);
	s += strspn(s, "0");
	str_adds(&f->line, *s ? s : "0");
	str_addc(&f->line, ':');
	if (m.n == 1 && factor_quick(f, m.at[0]))
		tsb_free(f->p, m.at);
	else
		factor_slow(f, m);
	str_addc(&f->line, '\n');
	factor_put(f, is_big);
}

/* Words between blanks; a NUL in one ends the number. */
static void factor_input(struct factor *f)
{
	struct tsb_reader in;
	struct str word;
	int c;

	str_init(&word, tsb_heap_of(f->p), STR_MAX_DEFAULT);
	tsb_reader_init(&in, f->p, 0);
	do {
		c = tsb_getbyte(&in);
		if (c >= 0 && c != '\n' && c != '\t' && c != ' ') {
			str_addc(&word, c);
			if (!(word.n & 4095))
				tsb_tick(f->p, 64);
			continue;
		}
		if (word.n) {
			factor_word(f, word.p);
			str_reset(&word);
		}
	} while (c >= 0);
	if (in.error) {
		tsb_warn_errno(f->p, in.error, "error reading input");
		f->failed = true;
	}
}

static int factor_run(struct tsb_proc *p, void *opts, int argc, char **argv)
{
	struct factor f = { .p = p };

	(void)opts;
	str_init(&f.line, tsb_heap_of(p), STR_MAX_DEFAULT);
	str_init(&f.held, tsb_heap_of(p), STR_MAX_DEFAULT);
	for (int i = 0; i < argc; i++)
		factor_word(&f, argv[i]);
	if (!argc)
		factor_input(&f);
	tsb_put(p, f.held.p, f.held.n);
	return f.failed;
}

const struct tsb_command cmd_factor = {
	CMD_COREUTILS, .name = "factor", .synopsis = "[NUMBER]...",
	.summary = "Print the prime factors of each specified integer NUMBER.  If none\n"
		   "are specified on the command line, read them from standard input.",
	.opts = factor_opts, .run = factor_run,
};
