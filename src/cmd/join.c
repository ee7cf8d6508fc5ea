/*
 * join - join lines of two sorted files on a common field.
 *
 * Of both files the lines with the current key are kept, and joined each with
 * each. Old forms of options take operands for arguments ("-o 1.1 2.2",
 * "-j1 3"), so where operands stand is noted before the options are read.
 */
#include "cmd/cmd.h"

#include <errno.h>
#include <string.h>
#include <strings.h>

#include "base/num.h"
#include "base/vec.h"
#include "cmd/lines.h"
#include "cmd/quote.h"
#include "cmd/rawopt.h"
#include "cmd/util.h"

enum { JOIN_UNSET = -1 };
enum join_operand { JOIN_FILE, JOIN_J1, JOIN_J2, JOIN_FORMAT };

struct join_field {
	const char *at;
	size_t n;
};

struct join_line {
	char *text;
	size_t n;
	VEC(struct join_field) fields;
};

/* Lines of one file with one key, and where the file is read. */
struct join_seq {
	int which;
	const char *name;
	struct lines in;
	VEC(struct join_line *) at;
	size_t n;
	uint64_t line;
	struct join_line *before;	/* the line read last: order is checked */
	bool complained;
};

struct join_out {
	int file;			/* 0: the key */
	size_t field;
};

struct join {
	bool ignore_case, header, zero, automatic, no_pairs, alone[2];
	int order;			/* 1: check, 0: do not, -1: after an unpairable line */
	int tab;
	const char *filler;
	size_t key[2];			/* SIZE_MAX: not given */
	VEC(struct join_out) format;

	struct tsb_proc *p;
	struct sink out;
	size_t count[2];		/* fields of the first lines, for -o auto */
	bool unpairable;
	struct join_line blank;
};

/* ---- Options ---- */

static int join_field_number(struct tsb_proc *p, const char *arg, size_t *field)
{
	uint64_t v = 0;
	enum num_result r = num_suffixed(arg, NULL, &v);

	if ((r != NUM_OK && r != NUM_RANGE) || (r == NUM_OK && !v)) {
		tsb_warn(p, "invalid field number: %s", quote_text(p, arg));
		return 1;
	}
	*field = r == NUM_RANGE ? SIZE_MAX - 1 : (size_t)v - 1;
	return 0;
}

static int join_set_key(struct tsb_proc *p, size_t *key, size_t field)
{
	if (*key != SIZE_MAX && *key != field) {
		tsb_warn(p, "incompatible join fields %zu, %zu", *key + 1, field + 1);
		return 1;
	}
	*key = field;
	return 0;
}

static int join_opt_key(struct tsb_proc *p, void *opts, const struct tsb_opt *opt, const char *arg)
{
	struct join *j = opts;
	size_t field;
	int status = join_field_number(p, arg, &field);

	for (int i = 0; i < 2 && !status; i++)
		if (opt->value & (1 << i))
			status = join_set_key(p, &j->key[i], field);
	return status;
}

static int join_opt_alone(struct tsb_proc *p, void *opts, const struct tsb_opt *opt, const char *arg)
{
	struct join *j = opts;

	if (strcmp(arg, "1") && strcmp(arg, "2")) {
		tsb_warn(p, "invalid field number: %s", quote_text(p, arg));
		return 1;
	}
	j->no_pairs |= opt->value == 'v';
	j->alone[*arg - '1'] = true;
	return 0;
}

static int join_opt_filler(struct tsb_proc *p, void *opts, const struct tsb_opt *opt, const char *arg)
{
	struct join *j = opts;

	(void)opt;
	if (j->filler && strcmp(j->filler, arg)) {
		tsb_warn(p, "conflicting empty-field replacement strings");
		return 1;
	}
	j->filler = arg;
	return 0;
}

static int join_opt_tab(struct tsb_proc *p, void *opts, const struct tsb_opt *opt, const char *arg)
{
	struct join *j = opts;
	int tab = *arg ? (unsigned char)*arg : '\n';

	(void)opt;
	if (*arg && arg[1]) {
		if (strcmp(arg, "\\0")) {
			tsb_warn(p, "multi-character tab %s", quote_text(p, arg));
			return 1;
		}
		tab = '\0';
	}
	if (j->tab >= 0 && j->tab != tab) {
		tsb_warn(p, "incompatible tabs");
		return 1;
	}
	j->tab = tab;
	return 0;
}

static int join_format_word(struct tsb_proc *p, struct join *j, const char *word)
{
	struct join_out out = { 0 };
	int status = 0;

	if (*word != '0' && *word != '1' && *word != '2') {
		tsb_warn(p, "invalid file number in field spec: %s", quote_text(p, word));
		return 1;
	}
	if (word[1] != (*word == '0' ? '\0' : '.')) {
		tsb_warn(p, "invalid field specifier: %s", quote_text(p, word));
		return 1;
	}
	out.file = *word - '0';
	if (out.file)
		status = join_field_number(p, word + 2, &out.field);
	*vec_add(tsb_heap_of(p), &j->format) = out;
	return status;
}

static int join_opt_format(struct tsb_proc *p, void *opts, const struct tsb_opt *opt, const char *arg)
{
	struct join *j = opts;
	char *list, *word;
	int status = 0;

	(void)opt;
	if (!strcmp(arg, "auto")) {
		j->automatic = true;
		return 0;
	}
	list = tsb_strdup(p, arg);
	while (!status && (word = strsep(&list, ", \t")))
		status = join_format_word(p, j, word);
	return status;
}

static const struct tsb_opt join_opts[] = {
	TSB_OPT_CALL(join_opt_alone, 'a', 'a', NULL, "FILENUM",
		     "also print unpairable lines from file FILENUM, where FILENUM is 1 or 2, "
		     "corresponding to FILE1 or FILE2"),
	TSB_OPT_CALL(join_opt_filler, 0, 'e', NULL, "STRING",
		     "replace missing (empty) input fields with STRING"),
	TSB_OPT_FLAG(struct join, ignore_case, 'i', "ignore-case",
		     "ignore differences in case when comparing fields"),
	TSB_OPT_CALL(join_opt_key, 3, 'j', NULL, "FIELD", "equivalent to '-1 FIELD -2 FIELD'"),
	TSB_OPT_CALL(join_opt_format, 0, 'o', NULL, "FORMAT",
		     "obey FORMAT while constructing output line"),
	TSB_OPT_CALL(join_opt_tab, 0, 't', NULL, "CHAR",
		     "use CHAR as input and output field separator"),
	TSB_OPT_CALL(join_opt_alone, 'v', 'v', NULL, "FILENUM",
		     "like -a FILENUM, but suppress joined output lines"),
	TSB_OPT_CALL(join_opt_key, 1, '1', NULL, "FIELD", "join on this FIELD of file 1"),
	TSB_OPT_CALL(join_opt_key, 2, '2', NULL, "FIELD", "join on this FIELD of file 2"),
	TSB_OPT_SET(struct join, order, 1, 0, "check-order",
		    "check that the input is correctly sorted, even if all input lines are pairable"),
	TSB_OPT_SET(struct join, order, 0, 0, "nocheck-order",
		    "do not check that the input is correctly sorted"),
	TSB_OPT_FLAG(struct join, header, 0, "header",
		     "treat the first line in each file as field headers, print them without trying "
		     "to pair them"),
	TSB_OPT_FLAG(struct join, zero, 'z', "zero-terminated", "line delimiter is NUL, not newline"),
	TSB_OPT_END
};

/* ---- Lines ---- */

static bool join_is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\n';
}

static void join_add_field(struct join *j, struct join_line *l, const char *at, size_t n)
{
	*vec_add(tsb_heap_of(j->p), &l->fields) = (struct join_field){ at, n };
}

/* The fields between blanks; what ends with blanks has an empty one at its end. */
static void join_split_blanks(struct join *j, struct join_line *l)
{
	const char *s = l->text, *end = s + l->n, *stop;

	while (s < end && join_is_blank(*s))
		s++;
	while (s < end) {
		for (stop = s + 1; stop < end && !join_is_blank(*stop); stop++)
			;
		join_add_field(j, l, s, (size_t)(stop - s));
		if (stop == end)
			return;
		for (s = stop + 1; s < end && join_is_blank(*s); s++)
			;
		if (s == end)
			join_add_field(j, l, s, 0);
	}
}

static void join_split(struct join *j, struct join_line *l)
{
	const char *s = l->text, *end = s + l->n, *stop;

	l->fields.n = 0;
	if (!l->n)
		return;
	if (j->tab < 0) {
		join_split_blanks(j, l);
		return;
	}
	while (j->tab != '\n' && (stop = memchr(s, j->tab, (size_t)(end - s)))) {
		join_add_field(j, l, s, (size_t)(stop - s));
		s = stop + 1;
	}
	join_add_field(j, l, s, (size_t)(end - s));
}

static int join_fold_compare(const char *a, const char *b, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		int x = (unsigned char)a[i], y = (unsigned char)b[i];

		x -= x >= 'a' && x <= 'z' ? 32 : 0;
		y -= y >= 'a' && y <= 'z' ? 32 : 0;
		if (x != y)
			return x - y;
	}
	return 0;
}

static int join_compare(const struct join *j, const struct join_line *a, const struct join_line *b,
			size_t key_a, size_t key_b)
{
	struct join_field none = { "", 0 };
	struct join_field x = key_a < a->fields.n ? a->fields.at[key_a] : none;
	struct join_field y = key_b < b->fields.n ? b->fields.at[key_b] : none;
	size_t n = x.n < y.n ? x.n : y.n;
	int order = !n ? 0 : j->ignore_case ? join_fold_compare(x.at, y.at, n) : memcmp(x.at, y.at, n);

	return order ? order : (x.n > y.n) - (x.n < y.n);
}

static void join_check_order(struct join *j, struct join_seq *s, const struct join_line *l)
{
	size_t key = j->key[s->which];

	if (!s->before || s->complained || (j->order != 1 && (j->order == 0 || !j->unpairable)) ||
	    join_compare(j, s->before, l, key, key) <= 0)
		return;
	if (j->order == 1)
		sink_flush(&j->out);
	tsb_warn(j->p, "%s:%llu: is not sorted: %.*s", s->name, (unsigned long long)s->line,
		 l->n < INT32_MAX ? (int)l->n : INT32_MAX, l->text);
	if (j->order == 1)
		tsb_exit(j->p, 1);
	s->complained = true;
}

/* Reads a line into l: false at the end. */
static bool join_read(struct join *j, struct join_seq *s, struct join_line *l)
{
	char end = j->zero ? '\0' : '\n', *text;
	size_t n;

	if (!lines_next(&s->in, end, &text, &n)) {
		if (!s->in.error)
			return false;
		tsb_warn_errno(j->p, s->in.error, "read error");
		tsb_exit(j->p, 1);
	}
	n -= text[n - 1] == end;
	l->text = tsb_realloc(j->p, l->text, n + 1);
	memcpy(l->text, text, n);
	l->text[n] = '\0';
	l->n = n;
	s->line++;
	join_split(j, l);
	join_check_order(j, s, l);
	s->before = l;
	tsb_tick(j->p, 1);
	return true;
}

/* One line more behind the kept ones. */
static bool join_more(struct join *j, struct join_seq *s)
{
	struct join_line *l;

	/* The line read last is compared with the next one: it must not be reused. */
	if (s->n == s->at.n)
		*vec_add(tsb_heap_of(j->p), &s->at) = tsb_alloc(j->p, sizeof(*l));
	if (s->at.at[s->n] == s->before)
		s->at.at[s->n] = tsb_alloc(j->p, sizeof(*l));
	if (!join_read(j, s, s->at.at[s->n]))
		return false;
	s->n++;
	return true;
}

static bool join_next(struct join *j, struct join_seq *s)
{
	s->n = 0;
	return join_more(j, s);
}

/* ---- Output ---- */

static void join_put_field(struct join *j, const struct join_line *l, size_t i)
{
	if (i < l->fields.n && l->fields.at[i].n)
		sink_put(&j->out, l->fields.at[i].at, l->fields.at[i].n);
	else if (j->filler)
		sink_puts(&j->out, j->filler);
}

static void join_put_others(struct join *j, const struct join_line *l, int which, int separator)
{
	size_t n = j->automatic ? j->count[which] : l->fields.n;

	for (size_t i = 0; i < n; i++) {
		if (i == j->key[which])
			continue;
		sink_putc(&j->out, separator);
		join_put_field(j, l, i);
	}
}

static void join_put_key(struct join *j, const struct join_line *a, const struct join_line *b)
{
	if (a == &j->blank)
		join_put_field(j, b, j->key[1]);
	else
		join_put_field(j, a, j->key[0]);
}

static void join_put(struct join *j, const struct join_line *a, const struct join_line *b)
{
	int separator = j->tab < 0 ? ' ' : j->tab;

	for (size_t i = 0; i < j->format.n; i++) {
		const struct join_out *o = &j->format.at[i];

		if (i)
			sink_putc(&j->out, separator);
		if (o->file)
			join_put_field(j, o->file == 1 ? a : b, o->field);
		else
			join_put_key(j, a, b);
	}
	if (!j->format.n) {
		join_put_key(j, a, b);
		join_put_others(j, a, 0, separator);
		join_put_others(j, b, 1, separator);
	}
	sink_putc(&j->out, j->zero ? '\0' : '\n');
}

static void join_put_alone(struct join *j, int which, const struct join_line *l)
{
	if (j->alone[which])
		join_put(j, which ? &j->blank : l, which ? l : &j->blank);
}

/* ---- Work ---- */

static void join_header(struct join *j, struct join_seq *s)
{
	if (!j->header || !(s[0].n || s[1].n))
		return;
	join_put(j, s[0].n ? s[0].at.at[0] : &j->blank, s[1].n ? s[1].at.at[0] : &j->blank);
	for (int i = 0; i < 2; i++) {
		s[i].before = NULL;
		if (s[i].n)
			join_next(j, &s[i]);
	}
}

/* Reads all lines with the current key, and one more: is there one? */
static bool join_collect(struct join *j, struct join_seq *s, const struct join_line *other)
{
	size_t key = j->key[s->which], other_key = j->key[!s->which];

	do {
		if (!join_more(j, s))
			return false;
	} while (!join_compare(j, s->at.at[s->n - 1], other, key, other_key));
	return true;
}

/* The line behind those of the last key is the first of the next. */
static void join_advance(struct join_seq *s, bool more)
{
	struct join_line *last;

	if (!more) {
		s->n = 0;
		return;
	}
	last = s->at.at[s->n - 1];
	s->at.at[s->n - 1] = s->at.at[0];
	s->at.at[0] = last;
	s->n = 1;
}

static void join_match(struct join *j, struct join_seq *s)
{
	bool more_a = join_collect(j, &s[0], s[1].at.at[0]), more_b;
	size_t n_a = s[0].n - more_a, n_b;

	more_b = join_collect(j, &s[1], s[0].at.at[0]);
	n_b = s[1].n - more_b;
	for (size_t a = 0; a < n_a && !j->no_pairs; a++) {
		for (size_t b = 0; b < n_b; b++)
			join_put(j, s[0].at.at[a], s[1].at.at[b]);
		tsb_tick(j->p, n_b);
	}
	join_advance(&s[0], more_a);
	join_advance(&s[1], more_b);
}

/* What is left of a file when the other has ended: printed, or only checked. */
static void join_tail(struct join *j, struct join_seq *s, bool other_left, bool check)
{
	if ((!j->alone[s->which] && !check) || !s->n)
		return;
	join_put_alone(j, s->which, s->at.at[0]);
	if (other_left)
		j->unpairable = true;
	while (join_next(j, s)) {
		join_put_alone(j, s->which, s->at.at[0]);
		if (s->complained && !j->alone[s->which])
			break;
	}
}

static int join_files(struct join *j, struct join_seq *s)
{
	bool check, left;
	int order;

	for (int i = 0; i < 2; i++) {
		join_next(j, &s[i]);
		j->count[i] = s[i].n ? s[i].at.at[0]->fields.n : 0;
	}
	join_header(j, s);
	while (s[0].n && s[1].n) {
		order = join_compare(j, s[0].at.at[0], s[1].at.at[0], j->key[0], j->key[1]);
		if (!order) {
			join_match(j, s);
			continue;
		}
		join_put_alone(j, order > 0, s[order > 0].at.at[0]);
		join_next(j, &s[order > 0]);
		j->unpairable = true;
	}
	check = j->order && !(s[0].complained && s[1].complained);
	left = s[1].n > 0;
	join_tail(j, &s[0], left, check);
	join_tail(j, &s[1], s[0].n > 0, check);
	sink_flush(&j->out);
	if (!s[0].complained && !s[1].complained)
		return 0;
	tsb_flush(j->p);
	tsb_warn(j->p, "input is not in sorted order");
	return 1;
}

static bool join_open(struct join *j, struct join_seq *s, int which, const char *name)
{
	int fd = input_open(j->p, name);

	*s = (struct join_seq){ .which = which, .name = name };
	if (fd < 0)
		tsb_warn_errno(j->p, fd, "%s", quote_f(j->p, name));
	else
		lines_open(&s->in, j->p, fd);
	return fd >= 0;
}

/* ---- Operands that are arguments ---- */

struct join_words {
	char **rest;			/* words without the old -j1 and -j2 */
	enum join_operand *kinds;	/* of the operands among them, in order */
	int n, n_operands;
	int old_j[2];
};

/* What an option word makes of the operand behind it; *skip: it has an argument. */
static enum join_operand join_option_word(const char *word, bool *skip)
{
	const char *at = word[1] == '-' ? NULL : strpbrk(word + 1, "aej12otv");

	*skip = at && !at[1];
	if (!at)
		return JOIN_FILE;
	if (*at == 'j' && at == word + 1 && (at[1] == '1' || at[1] == '2') && !at[2])
		return at[1] == '1' ? JOIN_J1 : JOIN_J2;
	return *at == 'o' ? JOIN_FORMAT : JOIN_FILE;
}

static void join_sort_words(struct tsb_proc *p, int argc, char **argv, struct join_words *w)
{
	enum join_operand next = JOIN_FILE;
	bool options = true, skip;

	w->rest = tsb_alloc(p, ((size_t)argc + 1) * sizeof(*w->rest));
	w->kinds = tsb_alloc(p, ((size_t)argc + 1) * sizeof(*w->kinds));
	for (int i = 0; i < argc; i++) {
		if (!options || argv[i][0] != '-' || !argv[i][1]) {
			w->kinds[w->n_operands++] = next;
			next = next == JOIN_FORMAT ? JOIN_FORMAT : JOIN_FILE;
			w->rest[w->n++] = argv[i];
			continue;
		}
		options = strcmp(argv[i], "--") != 0;
		next = join_option_word(argv[i], &skip);
		if (next == JOIN_J1 || next == JOIN_J2) {
			w->old_j[next == JOIN_J2]++;
			continue;
		}
		w->rest[w->n++] = argv[i];
		if (skip && i + 1 < argc)
			w->rest[w->n++] = argv[++i];
		/* No list is to be continued behind -o auto. */
		if (next == JOIN_FORMAT && !strcmp(skip ? argv[i] : strchr(argv[i], 'o') + 1, "auto"))
			next = JOIN_FILE;
	}
}

struct join_names {
	char *at[2];
	enum join_operand kind[2];
	int n;
};

/* One more operand: a third turns an earlier one into an argument. */
static int join_add_name(struct join *j, struct join_words *w, struct join_names *names, char *name,
			 enum join_operand kind)
{
	size_t field;
	int status = 0;

	if (names->n == 2) {
		int which = names->kind[0] == JOIN_FORMAT ? 0 : names->kind[0] == JOIN_FILE;
		const char *arg = names->at[which];

		switch (names->kind[which]) {
		case JOIN_FILE:
			return tsb_usage(j->p, "extra operand %s", quote_af(j->p, name));
		case JOIN_FORMAT:
			status = join_opt_format(j->p, j, NULL, arg);
			break;
		case JOIN_J1: case JOIN_J2:
			w->old_j[names->kind[which] == JOIN_J2]--;
			status = join_field_number(j->p, arg, &field);
			if (!status)
				status = join_set_key(j->p, &j->key[names->kind[which] == JOIN_J2],
						      field);
			break;
		}
		if (status)
			return status;
		if (!which) {
			names->at[0] = names->at[1];
			names->kind[0] = names->kind[1];
		}
		names->n = 1;
	}
	names->at[names->n] = name;
	names->kind[names->n++] = kind;
	return 0;
}

/* GNU names the last word, be it an option; a list of -o it has cut by then. */
static const char *join_last_word(struct tsb_proc *p, int argc, char **argv)
{
	const char *last = argv[argc - 1];

	if (!strncmp(last, "-o", 2) || (argc > 1 && !strcmp(argv[argc - 2], "-o")))
		return tsb_strndup(p, last, strcspn(last, ", \t"));
	return last;
}

static int join_run(struct tsb_proc *p, void *opts, int argc, char **argv)
{
	struct join_words words = { 0 };
	struct join_names names = { 0 };
	struct opt_parsed parsed;
	struct join_seq seq[2];
	bool numbers = false;
	struct join *j;
	int status;

	(void)opts;
	join_sort_words(p, argc, argv, &words);
	if (!rawopt_parse(p, &cmd_join, words.n, words.rest, &parsed, &status))
		return status;
	j = parsed.opts;
	j->p = p;
	for (int i = 0; i < parsed.argc; i++)
		if ((status = join_add_name(j, &words, &names, parsed.argv[i], words.kinds[i])))
			return status;
	if (names.n < 2)
		return names.n ? util_missing_operand_after(p, join_last_word(p, argc, argv))
			       : util_missing_operand(p);
	for (size_t i = 0; i < 2; i++)
		if (words.old_j[i] && (join_set_key(p, &j->key[0], i) || join_set_key(p, &j->key[1], i)))
			return 1;
	for (int i = 0; i < 2; i++)
		j->key[i] = j->key[i] == SIZE_MAX ? 0 : j->key[i];
	sink_init(&j->out, p);
	if (!join_open(j, &seq[0], 0, names.at[0]) || !join_open(j, &seq[1], 1, names.at[1]))
		return 1;
	if (input_is_stdin(names.at[0]) && input_is_stdin(names.at[1])) {
		/* GNU adds what is in errno: a number that was read has cleared it. */
		for (int i = 0; i < argc; i++)
			numbers |= argv[i][0] == '-' && argv[i][1] && strchr("12avo", argv[i][1]);
		if (numbers)
			tsb_warn(p, "both files cannot be standard input");
		else
			tsb_warn_errno(p, ENOENT, "both files cannot be standard input");
		return 1;
	}
	return join_files(j, seq);
}

static const struct join join_defaults = {
	.order = JOIN_UNSET, .tab = JOIN_UNSET, .key = { SIZE_MAX, SIZE_MAX },
};

const struct tsb_command cmd_join = {
	CMD_COREUTILS, .name = "join", .synopsis = "[OPTION]... FILE1 FILE2",
	.summary = "For each pair of input lines with identical join fields, write a line to\n"
		   "standard output.  The default join field is the first, delimited by blanks.",
	.opts = join_opts, .opts_size = sizeof(struct join), .defaults = &join_defaults,
	.run = join_run, .flags = TSB_RAW,
};
