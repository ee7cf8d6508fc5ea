/*
 * uniq - report or leave out repeated lines.
 *
 * One line is kept, the one that the next is compared with; what is printed is
 * decided when it is known whether the next is equal to it.
 */
#include "cmd/cmd.h"

#include <fcntl.h>
#include <string.h>

#include "base/num.h"
#include "cmd/lines.h"
#include "cmd/rawopt.h"
#include "cmd/util.h"

enum uniq_all { UNIQ_ALL_NONE, UNIQ_ALL_PREPEND, UNIQ_ALL_SEPARATE };
enum uniq_group {
	UNIQ_GROUP_NONE, UNIQ_GROUP_SEPARATE, UNIQ_GROUP_PREPEND, UNIQ_GROUP_APPEND, UNIQ_GROUP_BOTH
};

struct uniq_line {
	const char *at, *field;
	size_t n, n_field;
};

struct uniq {
	struct tsb_proc *p;
	bool count, fold, zero;
	bool no_unique, no_first, later, chosen;
	int all, group;
	uint64_t skip_fields, skip_chars, check_chars;
	bool fields_given;	/* -f: then digits are not the old -N */
	struct sink out;
	struct uniq_line last;
	char *kept;
	size_t cap;
	int delim;
};

static int uniq_set_number(struct tsb_proc *p, void *opts, const struct tsb_opt *opt,
			   const char *arg)
{
	struct uniq *o = opts;
	uint64_t *to = opt->value == 'f' ? &o->skip_fields
		     : opt->value == 's' ? &o->skip_chars : &o->check_chars;
	enum num_result r = *arg == '-' ? NUM_INVALID : num_suffixed(arg, "", to);

	if (r == NUM_OK || r == NUM_RANGE) {
		o->fields_given |= opt->value == 'f';
		return 0;
	}
	tsb_warn(p, "%s: invalid number of %s", arg, opt->value == 'f' ? "fields to skip"
		 : opt->value == 's' ? "bytes to skip" : "bytes to compare");
	return 1;
}

static int uniq_set_kind(struct tsb_proc *p, void *opts, const struct tsb_opt *opt,
			 const char *arg)
{
	static const struct util_word words[] = {
		{ "none", UNIQ_ALL_NONE }, { "prepend", UNIQ_ALL_PREPEND },
		{ "separate", UNIQ_ALL_SEPARATE }, { NULL, 0 },
	};
	struct uniq *o = opts;

	o->chosen = true;
	if (opt->value == 'u')
		o->no_first = true;
	else
		o->no_unique = true;
	if (opt->value != 'D')
		return 0;
	o->later = true;
	o->all = UNIQ_ALL_NONE;
	return arg ? util_word(p, "--all-repeated", arg, words, &o->all) : 0;
}

static int uniq_set_group(struct tsb_proc *p, void *opts, const struct tsb_opt *opt,
			  const char *arg)
{
	static const struct util_word words[] = {
		{ "prepend", UNIQ_GROUP_PREPEND }, { "append", UNIQ_GROUP_APPEND },
		{ "separate", UNIQ_GROUP_SEPARATE }, { "both", UNIQ_GROUP_BOTH }, { NULL, 0 },
	};
	struct uniq *o = opts;

	(void)opt;
	o->group = UNIQ_GROUP_SEPARATE;
	return arg ? util_word(p, "--group", arg, words, &o->group) : 0;
}

/* -N: as -f N. Digits of several options make one number. */
static int uniq_digits(struct tsb_proc *p, void *opts, const struct tsb_opt *opt, const char *arg)
{
	struct uniq *o = opts;

	(void)p;
	(void)opt;
	if (o->fields_given)
		o->skip_fields = 0;
	o->fields_given = false;
	for (; *arg >= '0' && *arg <= '9'; arg++)
		if (__builtin_mul_overflow(o->skip_fields, 10u, &o->skip_fields) ||
		    __builtin_add_overflow(o->skip_fields, (uint64_t)(*arg - '0'), &o->skip_fields))
			o->skip_fields = UINT64_MAX;
	return 0;
}

static const struct tsb_opt uniq_opts[] = {
	TSB_OPT_FLAG(struct uniq, count, 'c', "count",
		     "prefix lines by the number of occurrences"),
	TSB_OPT_CALL(uniq_set_kind, 'd', 'd', "repeated", NULL,
		     "only print duplicate lines, one for each group"),
	TSB_OPT_CALL(uniq_set_kind, 'D', 'D', NULL, NULL, "print all duplicate lines"),
	TSB_OPT_CALL_OPT(uniq_set_kind, 'D', 0, "all-repeated", "METHOD",
			 "like -D, but allow separating groups with an empty line; METHOD is none "
			 "(default), prepend, separate"),
	TSB_OPT_CALL_OPT(uniq_set_group, 0, 0, "group", "METHOD",
			 "show all items, separating groups with an empty line; METHOD is separate "
			 "(default), prepend, append, both"),
	TSB_OPT_FLAG(struct uniq, fold, 'i', "ignore-case",
		     "ignore differences in case when comparing"),
	TSB_OPT_CALL(uniq_set_kind, 'u', 'u', "unique", NULL, "only print unique lines"),
	TSB_OPT_CALL(uniq_set_number, 'f', 'f', "skip-fields", "N",
		     "avoid comparing the first N fields"),
	TSB_OPT_CALL(uniq_set_number, 's', 's', "skip-chars", "N",
		     "avoid comparing the first N characters"),
	TSB_OPT_CALL(uniq_set_number, 'w', 'w', "check-chars", "N",
		     "compare no more than N characters in lines"),
	TSB_OPT_FLAG(struct uniq, zero, 'z', "zero-terminated",
		     "line delimiter is NUL, not newline"),
	{ TSB_OPTION_CALL, 0, NULL, "NUM", "", 0, 0, TSB_OPT_DIGITS | TSB_OPT_HIDDEN, uniq_digits },
	TSB_OPT_END
};

/* ---- Lines ---- */

static bool uniq_is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\n';
}

/* What of the line is compared. */
static void uniq_find_field(const struct uniq *o, struct uniq_line *l)
{
	size_t i = 0;

	for (uint64_t f = o->skip_fields; f && i < l->n; f--) {
		while (i < l->n && uniq_is_blank(l->at[i]))
			i++;
		while (i < l->n && !uniq_is_blank(l->at[i]))
			i++;
	}
	i = l->n - i < o->skip_chars ? l->n : i + (size_t)o->skip_chars;
	l->field = l->at + i;
	l->n_field = l->n - i < o->check_chars ? l->n - i : (size_t)o->check_chars;
}

static int uniq_fold(char c)
{
	return c >= 'A' && c <= 'Z' ? c + 32 : c;
}

static bool uniq_same(const struct uniq *o, const struct uniq_line *a, const struct uniq_line *b)
{
	if (a->n_field != b->n_field)
		return false;
	if (!o->fold)
		return !memcmp(a->field, b->field, a->n_field);
	for (size_t i = 0; i < a->n_field; i++)
		if (uniq_fold(a->field[i]) != uniq_fold(b->field[i]))
			return false;
	return true;
}

static void uniq_keep(struct uniq *o, const struct uniq_line *l)
{
	if (l->n >= o->cap) {
		o->cap = l->n * 2 + 256;
		tsb_free(o->p, o->kept);
		o->kept = text_alloc(o->p, o->cap);
	}
	memcpy(o->kept, l->at, l->n);
	o->last = *l;
	o->last.at = o->kept;
	o->last.field = o->kept + (l->field - l->at);
}

static bool uniq_read(struct uniq *o, struct lines *in, struct uniq_line *l)
{
	char *at;
	size_t n;

	if (!lines_next(in, o->delim, &at, &n))
		return false;
	l->at = at;
	l->n = n - (at[n - 1] == (char)o->delim);
	uniq_find_field(o, l);
	return true;
}

static void uniq_print(struct uniq *o, const struct uniq_line *l)
{
	sink_put(&o->out, l->at, l->n);
	sink_putc(&o->out, o->delim);
}

/* The kept line: `again` equal lines came before it, `match` one follows it. */
static void uniq_write(struct uniq *o, bool match, uint64_t again)
{
	char digits[24];
	size_t n;

	if (again == 0 && !match ? o->no_unique : !match ? o->no_first : !o->later)
		return;
	if (o->count) {
		n = num_format_u64(digits, again + 1);
		if (n < 7)
			sink_put(&o->out, "       ", 7 - n);
		sink_put(&o->out, digits, n);
		sink_putc(&o->out, ' ');
	}
	uniq_print(o, &o->last);
}

/* ---- The two ways ---- */

/* All lines or the first of each group, as they come. */
static void uniq_stream(struct uniq *o, struct lines *in)
{
	struct uniq_line now;
	bool any = false;
	size_t turns = 0;

	while (uniq_read(o, in, &now) && !tsb_out_error(o->p)) {
		bool new = !any || !uniq_same(o, &o->last, &now);

		if (++turns % 1024 == 0)
			tsb_tick(o->p, 128);
		if (!new && !o->group)
			continue;
		if (new && o->group && (o->group == UNIQ_GROUP_PREPEND ||
					o->group == UNIQ_GROUP_BOTH || any))
			sink_putc(&o->out, o->delim);
		uniq_print(o, &now);
		uniq_keep(o, &now);
		any = true;
	}
	if (any && (o->group == UNIQ_GROUP_BOTH || o->group == UNIQ_GROUP_APPEND))
		sink_putc(&o->out, o->delim);
}

static void uniq_counted(struct uniq *o, struct lines *in)
{
	struct uniq_line now;
	bool first_group = true;
	uint64_t again = 0;
	size_t turns = 0;

	if (!uniq_read(o, in, &now))
		return;
	uniq_keep(o, &now);
	while (uniq_read(o, in, &now) && !tsb_out_error(o->p)) {
		bool match = uniq_same(o, &o->last, &now);

		if (++turns % 1024 == 0)
			tsb_tick(o->p, 128);
		again += match;
		if (!match && again)
			first_group = false;
		if (match && again == 1 && (o->all == UNIQ_ALL_PREPEND ||
					    (o->all == UNIQ_ALL_SEPARATE && !first_group)))
			sink_putc(&o->out, o->delim);
		if (match && !o->later)
			continue;
		uniq_write(o, match, again);
		uniq_keep(o, &now);
		if (!match)
			again = 0;
	}
	if (!in->error)
		uniq_write(o, false, again);
}

/* ---- Arguments ---- */

/* -1 stays an option; +N becomes -s N. */
static char **uniq_modern(struct tsb_proc *p, int *argc, char **argv)
{
	char **out = tsb_alloc(p, ((size_t)*argc + 1) * sizeof(*out));

	for (int i = 0; i < *argc; i++) {
		const char *a = argv[i];

		if (!strcmp(a, "--")) {
			memcpy(out + i, argv + i, (size_t)(*argc - i) * sizeof(*out));
			break;
		}
		out[i] = argv[i];
		if (a[0] == '+' && a[1] && !a[1 + strspn(a + 1, "0123456789")])
			out[i] = tsb_format(p, "-s%s", a + 1);
		else if (a[0] == '-' && a[1] && a[1] != '-' && strchr("fsw", a[strlen(a) - 1]) &&
			 strcspn(a, "fsw") == strlen(a) - 1 && i + 1 < *argc) {
			i++;
			out[i] = argv[i];
		}
	}
	return out;
}

static int uniq_files(struct uniq *o, int argc, char **argv)
{
	const char *name = argc ? argv[0] : "-";
	struct lines in = { 0 };
	int fd = input_open(o->p, name), to;

	if (fd < 0) {
		tsb_warn_errno(o->p, fd, "%s", quote_f(o->p, name));
		return 1;
	}
	if (argc > 1 && !input_is_stdin(argv[1])) {
		to = tsb_open(o->p, argv[1], O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
		if (to < 0) {
			tsb_warn_errno(o->p, to, "%s", quote_f(o->p, argv[1]));
			return 1;
		}
		tsb_dup2(o->p, to, 1);
		tsb_close(o->p, to);
	}
	lines_open(&in, o->p, fd);
	if (!o->no_unique && !o->no_first && !o->count)
		uniq_stream(o, &in);
	else
		uniq_counted(o, &in);
	sink_flush(&o->out);
	if (!in.error)
		return 0;
	tsb_warn(o->p, "error reading %s", quote_af(o->p, name));
	return 1;
}

static int uniq_run(struct tsb_proc *p, void *raw, int argc, char **argv)
{
	struct opt_parsed parsed;
	struct uniq *o;
	int status;

	(void)raw;
	argv = uniq_modern(p, &argc, argv);
	if (!rawopt_parse(p, &cmd_uniq, argc, argv, &parsed, &status))
		return status;
	o = parsed.opts;
	o->p = p;
	o->delim = o->zero ? '\0' : '\n';
	if (parsed.argc > 2)
		return util_extra_operand(p, parsed.argv[2]);
	if (o->group && (o->chosen || o->count))
		return tsb_usage(p, "--group is mutually exclusive with -c/-d/-D/-u");
	if (o->count && o->later)
		return tsb_usage(p, "printing all duplicated lines and repeat counts is "
				    "meaningless");
	sink_init(&o->out, p);
	return uniq_files(o, parsed.argc, parsed.argv);
}

static const struct uniq uniq_defaults = { .check_chars = UINT64_MAX };

const struct tsb_command cmd_uniq = {
	CMD_COREUTILS, .name = "uniq",
	.synopsis = "[OPTION]... [INPUT [OUTPUT]]",
	.summary = "Filter adjacent matching lines from INPUT (or standard input), writing to "
		   "OUTPUT (or standard output).",
	.opts = uniq_opts, .opts_size = sizeof(struct uniq), .defaults = &uniq_defaults,
	.run = uniq_run, .flags = TSB_RAW,
};
