/*
 * Myers' search for a shortest edit script, from both ends at once, in linear
 * space: find a point on a shortest path, then do the same in the two boxes it
 * leaves. Two limits keep it from being quadratic where texts have little in
 * common; where they cut is part of what GNU diff prints, so they are its own:
 * the price of one search, and with --speed-large-files a path that is good
 * enough. The boxes to come wait on a stack of our own.
 */
#include <errno.h>

#include "base/heap.h"
#include "text/diff.h"

#define DIFF_PRICE_MIN 4096	/* turns of one search, at least */
#define DIFF_LONG_RUN 20	/* equal lines in a row that make a path good */
#define DIFF_GOOD_AFTER 200	/* turns before good paths count */

struct box {
	int32_t x0, x1, y0, y1;
	bool minimal;
};

/* Where a box is split, and whether its halves deserve a full search. */
struct cut {
	int32_t x, y;
	bool low_minimal, high_minimal;
};

/* One of the two searches: reach[d] is how far it is on diagonal d = x - y. */
struct front {
	int32_t *reach;
	int32_t mid, min, max;
};

struct search {
	const int32_t *a, *b;
	struct front fwd, bwd;
	int32_t turns_max;
	bool long_run;		/* seen in this turn */
	bool large;
	const struct diff_how *how;
	VEC(struct box) todo;
};

/* One more step outwards, within [dmin, dmax]; what is not reached is `far`. */
static inline void front_widen(struct front *f, int32_t dmin, int32_t dmax, int32_t far)
{
	if (f->min > dmin) {
		f->min--;
		f->reach[f->min - 1] = far;
	} else {
		f->min++;
	}
	if (f->max < dmax) {
		f->max++;
		f->reach[f->max + 1] = far;
	} else {
		f->max--;
	}
}

/* A turn of the search from the start; true when it met the other one. */
static bool search_forward(struct search *s, const struct box *box, bool meet, struct cut *cut)
{
	struct front *f = &s->fwd;
	const struct front *o = &s->bwd;

	front_widen(f, box->x0 - box->y1, box->x1 - box->y0, -1);
	for (int32_t d = f->max; d >= f->min; d -= 2) {
		int32_t below = f->reach[d - 1], above = f->reach[d + 1];
		int32_t from = below < above ? above : below + 1, x = from;

		while (x < box->x1 && x - d < box->y1 && s->a[x] == s->b[x - d])
			x++;
		s->long_run |= x - from > DIFF_LONG_RUN;
		f->reach[d] = x;
		if (meet && o->min <= d && d <= o->max && o->reach[d] <= x) {
			*cut = (struct cut){ x, x - d, true, true };
			return true;
		}
	}
	return false;
}

static bool search_backward(struct search *s, const struct box *box, bool meet, struct cut *cut)
{
	struct front *f = &s->bwd;
	const struct front *o = &s->fwd;

	front_widen(f, box->x0 - box->y1, box->x1 - box->y0, INT32_MAX);
	for (int32_t d = f->max; d >= f->min; d -= 2) {
		int32_t below = f->reach[d - 1], above = f->reach[d + 1];
		int32_t from = below < above ? below : above - 1, x = from;

		while (x > box->x0 && x - d > box->y0 && s->a[x - 1] == s->b[x - d - 1])
			x--;
		s->long_run |= from - x > DIFF_LONG_RUN;
		f->reach[d] = x;
		if (meet && o->min <= d && d <= o->max && x <= o->reach[d]) {
			*cut = (struct cut){ x, x - d, true, true };
			return true;
		}
	}
	return false;
}

/* How much a diagonal won: what it went, less what it strayed, if that is far
 * more than the turns it took; else 0. */
static int64_t path_worth(int64_t went, int64_t strayed, int32_t turns)
{
	int64_t worth = went * 2 - strayed;

	if (strayed < 0)
		strayed = -strayed;
	return worth > 12 * (turns + strayed) ? worth : 0;
}

static bool run_before(const struct search *s, int32_t x, int32_t y)
{
	for (int32_t k = 1; k <= DIFF_LONG_RUN; k++)
		if (s->a[x - k] != s->b[y - k])
			return false;
	return true;
}

static bool run_behind(const struct search *s, int32_t x, int32_t y)
{
	for (int32_t k = 0; k < DIFF_LONG_RUN; k++)
		if (s->a[x + k] != s->b[y + k])
			return false;
	return true;
}

static bool good_forward(const struct search *s, const struct box *box, int32_t turns,
			 struct cut *cut)
{
	const struct front *f = &s->fwd;
	int64_t best = 0;

	for (int32_t d = f->max; d >= f->min; d -= 2) {
		int32_t x = f->reach[d], y = x - d;
		int64_t worth = path_worth((int64_t)x - box->x0, (int64_t)d - f->mid, turns);

		if (worth > best && x >= box->x0 + DIFF_LONG_RUN && x < box->x1 &&
		    y >= box->y0 + DIFF_LONG_RUN && y < box->y1 && run_before(s, x, y)) {
			best = worth;
			*cut = (struct cut){ x, y, true, false };
		}
	}
	return best > 0;
}

static bool good_backward(const struct search *s, const struct box *box, int32_t turns,
			  struct cut *cut)
{
	const struct front *f = &s->bwd;
	int64_t best = 0;

	for (int32_t d = f->max; d >= f->min; d -= 2) {
		int32_t x = f->reach[d], y = x - d;
		int64_t worth = path_worth((int64_t)box->x1 - x, (int64_t)f->mid - d, turns);

		if (worth > best && x > box->x0 && x <= box->x1 - DIFF_LONG_RUN && y > box->y0 &&
		    y <= box->y1 - DIFF_LONG_RUN && run_behind(s, x, y)) {
			best = worth;
			*cut = (struct cut){ x, y, false, true };
		}
	}
	return best > 0;
}

/* The price is spent: the point that one of the searches brought furthest. */
static void cut_anyway(const struct search *s, const struct box *box, struct cut *cut)
{
	int64_t best_f = -1, best_b = INT64_MAX, sum;
	int32_t fx = box->x0, bx = box->x1;

	for (int32_t d = s->fwd.max; d >= s->fwd.min; d -= 2) {
		int32_t x = s->fwd.reach[d] < box->x1 ? s->fwd.reach[d] : box->x1;

		if (x - d > box->y1)
			x = box->y1 + d;
		sum = (int64_t)x + (x - d);
		if (sum > best_f) {
			best_f = sum;
			fx = x;
		}
	}
	for (int32_t d = s->bwd.max; d >= s->bwd.min; d -= 2) {
		int32_t x = s->bwd.reach[d] > box->x0 ? s->bwd.reach[d] : box->x0;

		if (x - d < box->y0)
			x = box->y0 + d;
		sum = (int64_t)x + (x - d);
		if (sum < best_b) {
			best_b = sum;
			bx = x;
		}
	}
	if ((int64_t)box->x1 + box->y1 - best_b < best_f - ((int64_t)box->x0 + box->y0))
		*cut = (struct cut){ fx, (int32_t)(best_f - fx), true, false };
	else
		*cut = (struct cut){ bx, (int32_t)(best_b - bx), false, true };
}

static void search_cut(struct search *s, const struct box *box, struct cut *cut)
{
	int32_t f = box->x0 - box->y0, b = box->x1 - box->y1;
	bool odd = (f - b) & 1;

	s->fwd.mid = s->fwd.min = s->fwd.max = f;
	s->bwd.mid = s->bwd.min = s->bwd.max = b;
	s->fwd.reach[f] = box->x0;
	s->bwd.reach[b] = box->x1;
	for (int32_t turns = 1;; turns++) {
		s->long_run = false;
		if (search_forward(s, box, odd, cut) || search_backward(s, box, !odd, cut))
			return;
		if (s->how->tick)
			s->how->tick(s->how->ctx, (size_t)turns);
		if (box->minimal)
			continue;
		if (s->large && s->long_run && turns > DIFF_GOOD_AFTER &&
		    (good_forward(s, box, turns, cut) || good_backward(s, box, turns, cut)))
			return;
		if (turns >= s->turns_max) {
			cut_anyway(s, box, cut);
			return;
		}
	}
}

/* Takes what is equal at the ends off the box. */
static void box_trim(const struct search *s, struct box *box)
{
	while (box->x0 < box->x1 && box->y0 < box->y1 && s->a[box->x0] == s->b[box->y0]) {
		box->x0++;
		box->y0++;
	}
	while (box->x0 < box->x1 && box->y0 < box->y1 && s->a[box->x1 - 1] == s->b[box->y1 - 1]) {
		box->x1--;
		box->y1--;
	}
}

static bool search_push(struct tsb_heap *heap, struct search *s, struct box box)
{
	struct box *to = vec_add(heap, &s->todo);

	if (to)
		*to = box;
	return to;
}

static bool search_box(struct tsb_heap *heap, struct search *s, const struct diff_search *in,
		       struct box box)
{
	struct cut cut;

	box_trim(s, &box);
	if (box.x0 == box.x1) {
		for (; box.y0 < box.y1; box.y0++)
			in->marks[1][in->order[1][box.y0]] = 1;
		return true;
	}
	if (box.y0 == box.y1) {
		for (; box.x0 < box.x1; box.x0++)
			in->marks[0][in->order[0][box.x0]] = 1;
		return true;
	}
	search_cut(s, &box, &cut);
	return search_push(heap, s, (struct box){ cut.x, box.x1, cut.y, box.y1, cut.high_minimal }) &&
	       search_push(heap, s, (struct box){ box.x0, cut.x, box.y0, cut.y, cut.low_minimal });
}

/* About the square root of the number of diagonals. */
static int32_t search_price(size_t diagonals)
{
	int32_t price = 1;

	for (; diagonals; diagonals >>= 2)
		price *= 2;
	return price > DIFF_PRICE_MIN ? price : DIFF_PRICE_MIN;
}

int diff_search(struct tsb_heap *heap, const struct diff_search *in)
{
	size_t diagonals = (size_t)in->n[0] + (size_t)in->n[1] + 3;
	int32_t *room = heap_array(heap, diagonals * 2, sizeof(*room));
	struct search s = { .a = in->class[0], .b = in->class[1], .how = in->how };
	bool ok;

	if (!room)
		return -ENOMEM;
	s.fwd.reach = room + in->n[1] + 1;
	s.bwd.reach = room + diagonals + in->n[1] + 1;
	s.turns_max = search_price(diagonals);
	s.large = in->how->large;
	ok = search_push(heap, &s, (struct box){ 0, in->n[0], 0, in->n[1], in->how->minimal });
	while (ok && s.todo.n)
		ok = search_box(heap, &s, in, vec_pop(&s.todo));
	vec_end(heap, &s.todo);
	heap_free(heap, room);
	return ok ? 0 : -ENOMEM;
}
