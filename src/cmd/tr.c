/*
 * tr - translate, squeeze and delete bytes.
 *
 * Whatever the operands say becomes three tables of 256: what a byte turns
 * into, whether it is deleted, whether it is squeezed. The rest is one loop.
 */
#include "cmd/cmd.h"

#include <string.h>

#include "cmd/lines.h"
#include "cmd/tr_set.h"
#include "cmd/util.h"

struct tr {
	struct tsb_proc *p;
	bool complement, delete, squeeze, truncate;
	struct tr_set s1, s2;
	unsigned char map[256];
	bool gone[256], once[256];
	bool shifts;		/* the map is shift_first..+shift_count by shift */
	unsigned char shift_first, shift_count, shift;
};

static const struct tsb_opt tr_opts[] = {
	TSB_OPT_FLAG(struct tr, complement, 'c', "complement", "use the complement of SET1"),
	TSB_OPT_FLAG(struct tr, complement, 'C', NULL, NULL),
	TSB_OPT_FLAG(struct tr, delete, 'd', "delete",
		     "delete characters in SET1, do not translate"),
	TSB_OPT_FLAG(struct tr, squeeze, 's', "squeeze-repeats",
		     "replace each sequence of a repeated character that is listed in the last "
		     "specified SET, with a single occurrence of that character"),
	TSB_OPT_FLAG(struct tr, truncate, 't', "truncate-set1",
		     "first truncate SET1 to length of SET2"),
	TSB_OPT_END
};

/* ---- The rules for two sets ---- */

static void tr_members(const struct tr_set *set, bool complement, bool in[256])
{
	struct tr_walk w = { .set = set };
	int c;

	memset(in, complement, 256);
	while ((c = tr_walk_next(&w)) >= 0)
		in[c] = !complement;
}

/* Classes of case in both sets must stand opposite each other; each pair then
 * counts as one character. */
static int tr_pair_cases(struct tr *o)
{
	struct tr_walk a = { .set = &o->s1 }, b = { .set = &o->s2 };
	int c1 = 0, c2 = 0;
	uint64_t n1 = o->s1.length, n2 = o->s2.length;

	if (o->complement || !o->s2.has_class)
		return 0;
	while (c1 >= 0 && c2 >= 0) {
		c1 = tr_walk_next(&a);
		c2 = tr_walk_next(&b);
		if (b.new_item && b.in_case && !(a.new_item && a.in_case)) {
			tsb_warn(o->p, "misaligned [:upper:] and/or [:lower:] construct");
			return 1;
		}
		if (!b.in_case)
			continue;
		tr_walk_skip(&a);
		tr_walk_skip(&b);
		n1 -= 25;
		n2 -= 25;
	}
	o->s1.length = n1;
	o->s2.length = n2;
	return 0;
}

/* The last character of the second set stands for all that are missing. */
static int tr_extend(struct tr *o)
{
	const struct tr_item *last = &o->s2.at[o->s2.n - 1];
	struct tr_item more = { TR_REPEAT, 0, 0, 0, o->s1.length - o->s2.length };

	if (last->kind == TR_CLASS) {
		tsb_warn(o->p, "when translating with string1 longer than string2,\nthe latter "
			 "string must not end with a character class");
		return 1;
	}
	more.first = last->kind == TR_RANGE ? last->last : last->first;
	o->s2.at = util_grow(o->p, o->s2.at, o->s2.n, &o->s2.cap, sizeof(*o->s2.at));
	o->s2.at[o->s2.n++] = more;
	o->s2.length = o->s1.length;
	return 0;
}

static bool tr_all_to_one(const struct tr_set *set)
{
	struct tr_walk w = { .set = set };
	int first = tr_walk_next(&w), c = first;

	while (c == first && c >= 0)
		c = tr_walk_next(&w);
	return first >= 0 && c < 0;
}

static int tr_refuse(struct tr *o, const char *what)
{
	tsb_warn(o->p, "%s", what);
	return 1;
}

static int tr_check_translation(struct tr *o)
{
	int status;

	if (o->s2.has_equiv)
		return tr_refuse(o, "[=c=] expressions may not appear in string2 when translating");
	if (o->s2.has_other_class)
		return tr_refuse(o, "when translating, the only character classes that may appear "
				    "in\nstring2 are 'upper' and 'lower'");
	status = tr_pair_cases(o);
	if (!status && o->s1.length > o->s2.length && !o->truncate) {
		if (!o->s2.length)
			return tr_refuse(o, "when not truncating set1, string2 must be non-empty");
		status = tr_extend(o);
	}
	if (!status && o->complement && o->s1.has_class &&
	    !(o->s2.length == o->s1.length && tr_all_to_one(&o->s2)))
		return tr_refuse(o, "when translating with complemented character classes,\n"
				    "string2 must map all characters in the domain to one");
	return status;
}

static int tr_check_sets(struct tr *o, bool two, bool translating)
{
	bool in[256];

	if (o->s1.open_repeats)
		return tr_refuse(o, "the [c*] repeat construct may not appear in string1");
	if (o->complement) {
		o->s1.length = 0;
		tr_members(&o->s1, true, in);
		for (int c = 0; c < 256; c++)
			o->s1.length += in[c];
	}
	if (!two)
		return 0;
	if (o->s2.open_repeats > 1)
		return tr_refuse(o, "only one [c*] repeat construct may appear in string2");
	for (size_t i = 0; i < o->s2.n && o->s2.open_repeats; i++) {
		struct tr_item *item = &o->s2.at[i];

		if (item->kind != TR_REPEAT || item->count || o->s1.length <= o->s2.length)
			continue;
		item->count = o->s1.length - o->s2.length;
		o->s2.length = o->s1.length;
		break;
	}
	if (translating)
		return tr_check_translation(o);
	if (o->s2.open_repeats)
		return tr_refuse(o, "the [c*] construct may appear in string2 only when "
				    "translating");
	return 0;
}

/* ---- The tables ---- */

static void tr_map_complement(struct tr *o)
{
	struct tr_walk w = { .set = &o->s2 };
	bool in[256];

	tr_members(&o->s1, true, in);
	for (int i = 0; i < 256; i++) {
		int c;

		if (!in[i])
			continue;
		c = tr_walk_next(&w);
		if (c < 0)
			break;
		o->map[i] = (unsigned char)c;
	}
}

static void tr_map(struct tr *o)
{
	struct tr_walk a = { .set = &o->s1 }, b = { .set = &o->s2 };

	for (;;) {
		int c1 = tr_walk_next(&a), c2 = tr_walk_next(&b);

		if (a.in_case && b.in_case && a.in_case != b.in_case) {
			bool up = b.in_case == TR_CASE_UPPER;

			for (int c = 0; c < 26; c++)
				o->map[(up ? 'a' : 'A') + c] =
					(unsigned char)((up ? 'A' : 'a') + c);
		} else {
			if (c1 < 0 || c2 < 0)
				return;
			o->map[c1] = (unsigned char)c2;
		}
		if (b.in_case) {
			tr_walk_skip(&a);
			tr_walk_skip(&b);
		}
	}
}

static void tr_tables(struct tr *o, bool two, bool translating)
{
	for (int c = 0; c < 256; c++)
		o->map[c] = (unsigned char)c;
	if (translating && o->complement)
		tr_map_complement(o);
	else if (translating)
		tr_map(o);
	if (o->delete)
		tr_members(&o->s1, o->complement, o->gone);
	if (o->squeeze && two)
		tr_members(&o->s2, false, o->once);
	else if (o->squeeze)
		tr_members(&o->s1, o->complement, o->once);
}

/* ---- The loop ---- */

typedef unsigned char tr_vec __attribute__((vector_size(16)));

/* Is only one run of bytes changed, each by the same distance (a-z to A-Z)? */
static bool tr_find_shift(struct tr *o)
{
	int first = 0, last = 255;

	while (first < 256 && o->map[first] == first)
		first++;
	while (last > first && o->map[last] == last)
		last--;
	if (first == 256)
		return false;
	o->shift_first = (unsigned char)first;
	o->shift_count = (unsigned char)(last - first);
	o->shift = (unsigned char)(o->map[first] - first);
	for (int c = first; c <= last; c++)
		if (o->map[c] != (unsigned char)(c + o->shift))
			return false;
	return true;
}

/* The same without the table, 16 bytes at a time; how many were done. */
static size_t tr_shift(const struct tr *o, unsigned char *at, size_t n)
{
	const tr_vec first = (tr_vec){ 0 } + o->shift_first, by = (tr_vec){ 0 } + o->shift;
	const tr_vec count = (tr_vec){ 0 } + o->shift_count;
	size_t i = 0;

	for (; i + 16 <= n; i += 16) {
		tr_vec v;

		memcpy(&v, at + i, 16);
		v += (tr_vec)(v - first <= count) & by;
		memcpy(at + i, &v, 16);
	}
	return i;
}

/* In place; what is left. last: the byte before, -1 for none. */
static size_t tr_block(const struct tr *o, unsigned char *at, size_t n, int *last)
{
	size_t to = 0;

	if (!o->delete && !o->squeeze) {
		for (size_t i = o->shifts ? tr_shift(o, at, n) : 0; i < n; i++)
			at[i] = o->map[at[i]];
		return n;
	}
	for (size_t i = 0; i < n; i++) {
		unsigned char c = at[i];

		if (o->gone[c])
			continue;
		c = o->map[c];
		if (o->once[c] && c == *last)
			continue;
		*last = c;
		at[to++] = c;
	}
	return to;
}

static int tr_stream(struct tr *o)
{
	struct lines in = { 0 };
	int last = -1;

	lines_open(&in, o->p, 0);
	while (!tsb_out_error(o->p) && lines_fill(&in)) {
		unsigned char *at = (unsigned char *)in.buf + in.at;

		tsb_put(o->p, at, tr_block(o, at, in.n - in.at, &last));
		in.at = in.n;
	}
	if (!in.error)
		return 0;
	tsb_warn_errno(o->p, in.error, "read error");
	return 1;
}

/* ---- Arguments ---- */

static int tr_count(struct tr *o, int argc, char **argv)
{
	int least = 1 + (o->delete == o->squeeze), most = 1 + (!o->delete || o->squeeze);
	const char *more = NULL;
	char *text;

	if (argc >= least && argc <= most)
		return 0;
	if (argc < least) {
		if (!argc)
			return util_missing_operand(o->p);
		tsb_warn(o->p, "missing operand after %s", quote_text(o->p, argv[argc - 1]));
		more = o->squeeze ? "Two strings must be given when both deleting and squeezing "
				    "repeats.\n"
				  : "Two strings must be given when translating.\n";
	} else {
		tsb_warn(o->p, "extra operand %s", quote_text(o->p, argv[most]));
		if (argc == 2)
			more = "Only one string may be given when deleting without squeezing "
			       "repeats.\n";
	}
	text = tsb_strdup(o->p, more ? more : "");
	tsb_write_all(o->p, 2, text, strlen(text));
	return tsb_usage(o->p, NULL);
}

static int tr_run(struct tsb_proc *p, void *opts, int argc, char **argv)
{
	struct tr *o = opts;
	bool two, translating;
	int status;

	o->p = p;
	status = tr_count(o, argc, argv);
	if (status)
		return status;
	two = argc == 2;
	translating = two && !o->delete;
	if (tr_set_parse(p, argv[0], &o->s1) || (two && tr_set_parse(p, argv[1], &o->s2)))
		return 1;
	if (tr_check_sets(o, two, translating))
		return 1;
	tr_tables(o, two, translating);
	o->shifts = tr_find_shift(o);
	return tr_stream(o);
}

const struct tsb_command cmd_tr = {
	CMD_COREUTILS, .name = "tr",
	.synopsis = "[OPTION]... SET1 [SET2]",
	.summary = "Translate, squeeze, and/or delete characters from standard input, writing to "
		   "standard output.",
	.opts = tr_opts, .opts_size = sizeof(struct tr), .run = tr_run, .flags = TSB_OPERAND_ENDS,
};
