/*
 * A draw takes as many bytes as it needs, and keeps for the next what its
 * result leaves of their randomness.
 */
#include "cmd/randint.h"

#include "base/map.h"
#include "cmd/quote.h"

int randint_open(struct randint *r, struct tsb_proc *p, const char *file)
{
	int fd;

	*r = (struct randint){ .p = p, .file = file, .at = sizeof(r->ready) };
	if (!file)
		return 0;
	fd = tsb_open(p, file, 0, 0);
	if (fd < 0) {
		r->file = NULL;	/* so that choices are possible until the caller stops */
		return fd;
	}
	tsb_reader_init(&r->in, p, fd);
	return 0;
}

static uint64_t randint_byte(struct randint *r)
{
	int got;

	if (!r->file) {
		if (r->at == sizeof(r->ready)) {
			tsb_random(r->p, r->ready, sizeof(r->ready));
			r->at = 0;
		}
		return r->ready[r->at++];
	}
	got = tsb_getbyte(&r->in);
	if (got >= 0)
		return (uint64_t)got;
	if (r->in.error)
		tsb_warn_errno(r->p, r->in.error, "%s: read error", quote_text(r->p, r->file));
	else
		tsb_warn(r->p, "%s: end of file", quote_text(r->p, r->file));
	tsb_exit(r->p, 1);
}

uint64_t randint_choose(struct randint *r, uint64_t choices)
{
	uint64_t most = choices - 1, n = r->left, n_max = r->left_max;

	while (true) {
		uint64_t excess, unusable, last;

		while (n_max < most) {
			n = (n << 8) + randint_byte(r);
			n_max = (n_max << 8) + 255;
		}
		if (n_max == most) {
			r->left = r->left_max = 0;
			return n;
		}
		excess = n_max - most;
		unusable = excess % choices;
		last = n_max - unusable;
		if (n <= last) {
			r->left = n / choices;
			r->left_max = excess / choices;
			return n % choices;
		}
		n -= last + 1;
		n_max = unusable - 1;
	}
}

/* ---- Orders ---- */

enum { RANDINT_SPARSE = 128 << 10, RANDINT_BATCH = 16 };

/* Of a long list of which little is wanted, only what has been moved is kept. */
static uint64_t randint_moved(const struct map *moved, uint64_t i)
{
	const struct map_entry *e = map_find(moved, (const char *)&i, sizeof(i));

	return e ? (uint64_t)(uintptr_t)e->value : i;
}

static void randint_sparse(struct randint *r, uint64_t *out, size_t wanted, size_t n)
{
	struct map moved;

	map_init(&moved, tsb_heap_of(r->p));
	for (uint64_t i = 0; i < wanted; i++) {
		uint64_t j = i + randint_choose(r, n - i);

		out[i] = randint_moved(&moved, j);
		map_put(&moved, (const char *)&j, sizeof(j))->value =
			(void *)(uintptr_t)randint_moved(&moved, i);
	}
	map_end(&moved);
}

/* out[i] becomes one of those from i on, for a few i at once: what is drawn does not hang on
 * what has been moved, and the memory can be asked for early. */
static void randint_swap(struct randint *r, uint64_t *out, size_t from, size_t to, size_t n)
{
	size_t place[RANDINT_BATCH];

	for (size_t i = from; i < to; i++) {
		place[i - from] = i + (size_t)randint_choose(r, n - i);
		__builtin_prefetch(&out[place[i - from]], 1);
	}
	for (size_t i = from; i < to; i++) {
		uint64_t moved = out[i];

		out[i] = out[place[i - from]];
		out[place[i - from]] = moved;
	}
}

uint64_t *randint_order(struct randint *r, size_t wanted, size_t n)
{
	bool sparse = wanted > 1 && n >= RANDINT_SPARSE && n / wanted >= 32;
	size_t room = sparse || wanted < 2 ? wanted : n, bytes;
	uint64_t *out;

	if (__builtin_mul_overflow(room, sizeof(*out), &bytes))
		bytes = SIZE_MAX;	/* ends the process */
	out = tsb_alloc(r->p, bytes ? bytes : 1);
	if (sparse) {
		randint_sparse(r, out, wanted, n);
		return out;
	}
	if (wanted < 2) {
		if (wanted)
			out[0] = randint_choose(r, n);
		return out;
	}
	for (size_t i = 0; i < n; i++)
		out[i] = i;
	for (size_t i = 0; i < wanted; i += RANDINT_BATCH) {
		randint_swap(r, out, i, wanted - i < RANDINT_BATCH ? wanted : i + RANDINT_BATCH, n);
		if (!(i & 1023))
			tsb_tick(r->p, 1024);
	}
	return out;
}
