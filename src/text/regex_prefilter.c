/*
 * What any match must contain, computed once from the tree and the program: the
 * best literal (a run of characters that is in every match), and the bytes a
 * match can begin with (its first three). The one that is expected to occur less
 * often becomes the filter; none, if both are everywhere. Both are necessary
 * conditions only, unless the literal is the whole regex.
 */
#include "text/regex_impl.h"

#include <string.h>

#include "base/heap.h"
#include "base/str.h"
#include "base/utf8.h"

enum {
	LITERAL_MAX = 1 << 16,
	LITERAL_ICASE_MAX = 64,		/* longer ones could be searched slowly */
	OFFSET_MAX = 32,		/* bytes gone through again for each place of it */
	WORTH_LITERAL = 30000, WORTH_START = 200000	/* per million bytes */
};

/* About how many of 1000 bytes of text are b: English, code and numbers. */
static unsigned re_byte_rank(unsigned char b)
{
	static const uint8_t letters[26] = { 60, 12, 25, 30, 90, 16, 14, 35, 52, 2, 6, 35, 20,
					     52, 55, 16, 1, 45, 48, 65, 22, 8, 12, 3, 12, 1 };

	if (b >= 'a' && b <= 'z')
		return letters[b - 'a'];
	if (b >= 'A' && b <= 'Z')
		return 3;
	if (b >= '0' && b <= '9')
		return 8;
	if (b == ' ')
		return 150;
	if (b == '\n')
		return 20;
	if (b && strchr(".,-_/=:\"", b))
		return 7;
	return b < 32 || b >= 128 ? 2 : 4;
}

/* ---- Literal ---- */

struct runs {
	struct regex *re;
	struct str now, best;
	/* Bytes of a match before what is visited next, and before those two; SIZE_MAX: no
	 * fixed number. */
	size_t offset, now_offset, best_offset;
	unsigned long best_cost;
	bool only;			/* nothing but characters so far */
};

static unsigned byte_cost(const struct runs *r, char c)
{
	unsigned rank = re_byte_rank((unsigned char)c);

	return r->re->icase && c >= 'a' && c <= 'z' ? rank + 3 : rank;
}

/* How often its two rarest bytes are expected to meet, per million. */
static unsigned long run_cost(const struct runs *r, const struct str *s)
{
	unsigned long low = 1000, second = 1000;

	for (size_t i = 0; i < s->n; i++) {
		unsigned long rank = byte_cost(r, s->p[i]);
		if (rank < low) {
			second = low;
			low = rank;
		} else if (rank < second) {
			second = rank;
		}
	}
	return low * second;
}

static void run_ends(struct runs *r)
{
	unsigned long cost;

	r->only = false;
	if (!r->now.n)
		return;
	cost = run_cost(r, &r->now);
	if (cost < r->best_cost || (cost == r->best_cost && r->now.n > r->best.n)) {
		str_reset(&r->best);
		str_addn(&r->best, r->now.p, r->now.n);
		r->best_offset = r->now_offset;
		r->best_cost = cost;
	}
	str_reset(&r->now);
}

/* The lower case letter that is all the set holds, in both cases; 0. */
static int letter_of(const struct re_set *set)
{
	int32_t c;

	if (!set->icase || set->negate || set->classes.n || set->ranges.n != 1 ||
	    set->ranges.at[0].lo != set->ranges.at[0].hi)
		return 0;
	c = set->ranges.at[0].lo;
	if (c < 'A' || c > 'Z' || (set->utf8 && (c == 'I' || c == 'S')))
		return 0;
	return (int)c + 32;
}

static void add_unit(struct runs *r, int32_t c)
{
	char buf[4];

	size_t before;

	if (r->now.n >= (r->re->icase ? LITERAL_ICASE_MAX : LITERAL_MAX))
		run_ends(r);
	before = r->now.n;
	if (!before)
		r->now_offset = r->offset;
	if (c >= RE_RAW) {
		str_addc(&r->now, c - RE_RAW);
		r->only = false;
	} else if (r->re->utf8) {
		str_addn(&r->now, buf, utf8_encode(buf, (uint32_t)c));
	} else {
		str_addc(&r->now, c);
	}
	if (r->offset != SIZE_MAX)
		r->offset += r->now.n - before;
}

/* What is no literal stands here. */
static void gap(struct runs *r, bool one_byte)
{
	run_ends(r);
	if (!one_byte)
		r->offset = SIZE_MAX;
	else if (r->offset != SIZE_MAX)
		r->offset++;
}

static void visit(struct runs *r, const struct re_node *node)
{
	switch (node->kind) {
	case RE_CHAR:
		add_unit(r, node->c);
		break;
	case RE_SET:
		if (letter_of(r->re->sets.at[node->set]))
			add_unit(r, letter_of(r->re->sets.at[node->set]));
		else
			gap(r, !r->re->utf8);
		break;
	case RE_CAT:
	case RE_GROUP:
		for (const struct re_node *c = node->first; c; c = c->next)
			visit(r, c);
		break;
	case RE_REPEAT:
		if (node->min)
			visit(r, node->first);
		gap(r, false);
		break;
	case RE_ASSERT:
	case RE_EMPTY:
		r->only = false;
		break;
	case RE_ALT:
	case RE_BACKREF:
		gap(r, false);
		break;
	}
}

/* The two rarest places of the literal. */
static void rarest(const struct runs *r, struct re_filter *f)
{
	unsigned best = 0, other = 0;

	for (unsigned i = 1; i < f->n; i++)
		if (byte_cost(r, f->lit[i]) < byte_cost(r, f->lit[best]))
			best = i;
	other = best ? 0 : f->n > 1 ? 1 : 0;
	for (unsigned i = 0; i < f->n; i++)
		if (i != best && byte_cost(r, f->lit[i]) < byte_cost(r, f->lit[other]))
			other = i;
	f->at[0] = best;
	f->at[1] = other;
}

static unsigned long literal_make(struct regex *re, const struct re_node *tree,
				  struct re_filter *f)
{
	struct runs r = { .re = re, .best_cost = (unsigned long)-1, .only = true };
	bool whole;

	str_init(&r.now, re->heap, LITERAL_MAX * 2);
	str_init(&r.best, re->heap, LITERAL_MAX * 2);
	visit(&r, tree);
	whole = r.only && r.now.n && !(re->flags & (REGEX_WORD | REGEX_LINE));
	run_ends(&r);
	f->n = r.best.n;
	f->icase = re->icase;
	f->whole = whole;
	f->fixed = r.best_offset <= OFFSET_MAX && !re->uses;
	f->offset = r.best_offset;
	if (f->n) {
		f->lit = arena_dup(&re->arena, r.best.p, r.best.n);
		if (f->lit)
			rarest(&r, f);
	}
	str_end(&r.now);
	str_end(&r.best);
	if (!f->n || !f->lit)
		return (unsigned long)-1;
	return r.best_cost;
}

/* ---- First bytes ---- */

struct bytes {
	uint8_t in[256];
};

struct firsts {
	struct regex *re;
	uint32_t *mark;
	uint32_t turn;
	VEC(uint32_t) stack, now, next;
	bool ends;			/* a match or something unknown may be here */
	bool high;			/* units of several bytes: what follows is not aligned */
};

static void push(struct firsts *f, uint32_t pc)
{
	if (f->mark[pc] == f->turn)
		return;
	f->mark[pc] = f->turn;
	uint32_t *slot = vec_add(f->re->heap, &f->stack);
	if (slot)
		*slot = pc;
	else
		f->ends = true;		/* nothing is known then */
}

static void follow(struct firsts *f)
{
	while (f->stack.n) {
		uint32_t pc = vec_pop(&f->stack), *slot;
		const struct re_inst *in = &f->re->code.at[pc];
		if (in->op == RI_JMP || in->op == RI_SPLIT) {
			push(f, in->x);
			if (in->op == RI_SPLIT)
				push(f, in->y);
		} else if (in->op == RI_SAVE || in->op == RI_ASSERT) {
			push(f, pc + 1);
		} else if (in->op == RI_MATCH || in->op == RI_BACKREF) {
			f->ends = true;
		} else if ((slot = vec_add(f->re->heap, &f->next))) {
			*slot = pc;
		} else {
			f->ends = true;
		}
	}
}

static void add_high(struct firsts *f, struct bytes *b)
{
	f->high = true;
	memset(b->in + 128, 1, 128);
}

static void add_bytes(struct firsts *f, const struct re_inst *in, struct bytes *b)
{
	int32_t c = (int32_t)in->x;
	char buf[4];

	if (in->op == RI_SET) {
		const struct re_set *set = f->re->sets.at[in->x];
		for (int i = 0; i < (set->utf8 ? 128 : 256); i++)
			b->in[i] |= re_set_has(set, i);
		if (set->utf8 && re_set_high(set))
			add_high(f, b);
	} else if (c >= RE_RAW) {
		add_high(f, b);
	} else if (c < 128 || !f->re->utf8) {
		b->in[c] = 1;
	} else {
		utf8_encode(buf, (uint32_t)c);
		b->in[(unsigned char)buf[0]] = 1;
		f->high = true;
	}
}

/* Letters that occur in both cases become lower case ones, tested with a mask. */
static bool fold_letters(struct bytes *b)
{
	bool some = false;

	for (int c = 'a'; c <= 'z'; c++) {
		if (b->in[c] != b->in[c - 32])
			return false;
		some |= b->in[c];
	}
	for (int c = 'A'; some && c <= 'Z'; c++)
		b->in[c] = 0;
	return some;
}

struct span {
	int lo, hi;
};

/* Joins the two neighbours whose gap costs least. */
static unsigned join(struct span *s, unsigned n)
{
	unsigned at = 0, best = UINT32_MAX;

	for (unsigned i = 0; i + 1 < n; i++) {
		unsigned cost = 0;
		for (int b = s[i].hi + 1; b < s[i + 1].lo; b++)
			cost += re_byte_rank((unsigned char)b);
		if (cost < best) {
			best = cost;
			at = i;
		}
	}
	s[at].hi = s[at + 1].hi;
	memmove(s + at + 1, s + at + 2, (n - at - 2) * sizeof(*s));
	return n - 1;
}

/* The probe, and how many of 1000 bytes of text pass it. */
static unsigned probe_make(struct re_probe *probe, struct bytes *b)
{
	struct span s[129];
	unsigned n = 0, pass = 0;
	bool folded = fold_letters(b);

	for (int c = 0; c < 256; c++) {
		if (!b->in[c])
			continue;
		if (n && s[n - 1].hi == c - 1)
			s[n - 1].hi = c;
		else
			s[n++] = (struct span){ c, c };
	}
	while (n > RE_TESTS)
		n = join(s, n);
	probe->n = n;
	for (unsigned i = 0; i < n; i++) {
		bool letters = folded && s[i].lo >= 'a' && s[i].hi <= 'z';
		probe->test[i] = (struct re_test){ letters ? 0x20 : 0, (uint8_t)s[i].lo,
						   (uint8_t)(s[i].hi - s[i].lo) };
		for (int c = s[i].lo; c <= s[i].hi; c++)
			pass += re_byte_rank((unsigned char)c) + (letters ? 3 : 0);
		/* A range that a join made wider than letters holds both cases itself. */
		if (folded && !letters && s[i].hi >= 'a' && s[i].lo <= 'z') {
			probe->test[i] = (struct re_test){ 0, 0, 255 };
			pass = 1000;
		}
	}
	return pass > 1000 ? 1000 : pass;
}

static unsigned long starts_make(struct regex *re, struct re_filter *out)
{
	struct firsts f = { .re = re, .turn = 1 };
	unsigned long cost = 1000000;

	f.mark = heap_zalloc(re->heap, re->code.n * sizeof(*f.mark));
	re->nullable = true;
	if (!f.mark)
		return cost;
	push(&f, 0);
	follow(&f);
	re->nullable = f.ends;
	for (unsigned k = 0; k < RE_PROBES && !f.ends && !f.high; k++) {
		struct bytes b = { { 0 } };
		f.now.n = 0;
		for (size_t i = 0; i < f.next.n; i++) {
			uint32_t *slot = vec_add(re->heap, &f.now);
			if (slot)
				*slot = f.next.at[i];
			f.ends |= !slot;
		}
		if (f.ends) {
			re->nullable |= k == 0;
			break;
		}
		f.next.n = 0;
		f.turn++;
		for (size_t i = 0; i < f.now.n; i++) {
			add_bytes(&f, &re->code.at[f.now.at[i]], &b);
			push(&f, f.now.at[i] + 1);
		}
		follow(&f);
		for (int c = 0; k == 0 && c < 256; c++)
			re->starts[c >> 3] |= (uint8_t)(b.in[c] << (c & 7));
		cost = cost * probe_make(&out->probe[k], &b) / 1000;
		if (!out->probe[k].n)
			break;
		out->n_probes = k + 1;
	}
	vec_end(re->heap, &f.stack);
	vec_end(re->heap, &f.now);
	vec_end(re->heap, &f.next);
	heap_free(re->heap, f.mark);
	return cost;
}

/* Nothing but a literal: one byte begins it, and no automaton tells more. */
static void starts_of_literal(struct regex *re, const struct re_filter *f)
{
	unsigned char c = (unsigned char)f->lit[0];

	re->nullable = false;
	re->starts[c >> 3] = (uint8_t)(1u << (c & 7));
}

void re_filter_make(struct regex *re, const struct re_node *tree)
{
	struct re_filter *f = &re->filter;
	/* No tree: a list of strings, which have nothing in common. */
	unsigned long literal = tree ? literal_make(re, tree, f) : (unsigned long)-1;
	bool literal_only = f->whole && f->lit && !f->icase && !re->raw;
	unsigned long start = 0;

	if (literal_only)
		starts_of_literal(re, f);
	else
		start = starts_make(re, f);
	if (re->raw) {
		f->whole = false;
		return;
	}
	re_filter_ready(f);
	f->literal_ok = literal <= WORTH_LITERAL;
	f->start_ok = start <= WORTH_START && f->n_probes;
	if (f->whole || (f->literal_ok && literal <= start))
		f->kind = RE_FILTER_LITERAL;
	else if (f->start_ok)
		f->kind = RE_FILTER_START;
	else if (f->literal_ok)
		f->kind = RE_FILTER_LITERAL;
}
