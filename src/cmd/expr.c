/*
 * expr - the value of an expression. Read by recursive descent, one function a
 * level of precedence, and evaluated as it is read; what | and & do not need is
 * read without being evaluated. Numbers may be of any size.
 */
#include "cmd/cmd.h"

#include <string.h>

#include "base/num.h"
#include "base/opt.h"
#include "base/utf8.h"
#include "cmd/bignum.h"
#include "cmd/locale.h"
#include "cmd/util.h"
#include "text/regex.h"

enum { EXPR_INVALID = 2, EXPR_FAILURE = 3, EXPR_DEPTH = 200 };

struct expr {
	struct tsb_proc *p;
	char **arg;		/* the next one; NULL behind the last */
	const char *last;	/* the one before it */
	bool utf8, run;		/* run: values count */
	int depth;
};

/* A value is a text; numbers are the ones that look like it. */
typedef const char *expr_level_fn(struct expr *e);

static void expr_bad(struct expr *e, int status, const char *fmt, ...)
	TSB_PRINTF(3, 4) TSB_NORETURN;
static void expr_bad(struct expr *e, int status, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	tsb_vwarn(e->p, 0, fmt, ap);
	va_end(ap);
	tsb_exit(e->p, status);
}

static const char *expr_take(struct expr *e)
{
	if (!*e->arg)
		expr_bad(e, EXPR_INVALID, "syntax error: missing argument after %s",
			 quote_text(e->p, e->last));
	e->last = *e->arg;
	return *e->arg++;
}

/* Is the next argument that word? Then it is taken. */
static bool expr_next(struct expr *e, const char *word)
{
	if (!*e->arg || strcmp(*e->arg, word))
		return false;
	e->last = *e->arg++;
	return true;
}

/* Empty, or nothing but zeros behind a minus. */
static bool expr_is_null(const char *v)
{
	if (!*v)
		return true;
	v += *v == '-';
	return *v && !v[strspn(v, "0")];
}

static struct bignum expr_number(struct expr *e, const char *v)
{
	if (!bignum_is(v))
		expr_bad(e, EXPR_INVALID, "non-integer argument");
	return bignum_parse(e->p, v);
}

/* ---- Texts ---- */

static size_t expr_width(const struct expr *e, const char *s, size_t n)
{
	int32_t c;

	return e->utf8 ? utf8_decode(s, n, &c) : 1;
}

static size_t expr_count(const struct expr *e, const char *s, size_t n)
{
	return e->utf8 ? utf8_count(s, n) : n;
}

static const char *expr_size(struct expr *e, size_t n)
{
	return tsb_format(e->p, "%zu", n);
}

/* A count out of a value; what is negative is 0, what is huge SIZE_MAX. */
static size_t expr_position(const char *v)
{
	uint64_t n = 0;

	if (*v == '-')
		return 0;
	return num_u64(v, &n) == NUM_OK ? n : SIZE_MAX;
}

static const char *expr_substr(struct expr *e, const char *s, const char *from, const char *many)
{
	size_t at = 0, n = strlen(s), start, first, count;

	if (!bignum_is(from) || !bignum_is(many))
		return "";
	first = expr_position(from);
	count = expr_position(many);
	if (!first)
		return "";
	for (first--; first && at < n; first--)
		at += expr_width(e, s + at, n - at);
	for (start = at; count && at < n; count--)
		at += expr_width(e, s + at, n - at);
	return tsb_strndup(e->p, s + start, at - start);
}

static bool expr_has(const struct expr *e, const char *set, const char *c, size_t len)
{
	for (size_t at = 0, n = strlen(set), w; at < n; at += w) {
		w = expr_width(e, set + at, n - at);
		if (w == len && !memcmp(set + at, c, len))
			return true;
	}
	return false;
}

static const char *expr_index(struct expr *e, const char *s, const char *set)
{
	size_t position = 1;

	for (size_t at = 0, n = strlen(s), w; at < n; at += w, position++) {
		w = expr_width(e, s + at, n - at);
		if (expr_has(e, set, s + at, w))
			return expr_size(e, position);
		if (position % 1024 == 0)
			tsb_tick(e->p, 16 + strlen(set));
	}
	return "0";
}

static void expr_tick(void *p, size_t steps)
{
	tsb_tick(p, steps / 64 + 1);
}

/* The match at the start: group 1 if there is one, else its length. */
static const char *expr_match(struct expr *e, const char *s, const char *pattern)
{
	const char *error = NULL;
	struct regex_span span[2];
	enum regex_status status;
	struct regex *re;
	size_t n = strlen(s);

	re = regex_compile(tsb_heap_of(e->p), pattern, strlen(pattern),
			   REGEX_GREP | (e->utf8 ? REGEX_UTF8 : 0), &error);
	if (!re)
		expr_bad(e, EXPR_INVALID, "%s", error);
	regex_on_tick(re, expr_tick, e->p);
	status = regex_match(re, s, n, 0, 0, span, 2);
	if (status == REGEX_BUDGET)
		expr_bad(e, EXPR_FAILURE, "error in regular expression matcher");
	/* The leftmost match is here or nowhere. */
	if (status == REGEX_MATCH && span[0].so)
		status = REGEX_NOMATCH;
	if (!regex_groups(re))
		return status == REGEX_MATCH ? expr_size(e, expr_count(e, s, span[0].eo)) : "0";
	if (status != REGEX_MATCH || span[1].so == REGEX_NONE)
		return "";
	return tsb_strndup(e->p, s + span[1].so, span[1].eo - span[1].so);
}

/* ---- The levels, tightest first ---- */

static expr_level_fn expr_or;

static const char *expr_primary(struct expr *e)
{
	const char *v;

	if (expr_next(e, "(")) {
		if (++e->depth > EXPR_DEPTH)
			expr_bad(e, EXPR_FAILURE, "too many parentheses");
		v = expr_or(e);
		e->depth--;
		if (!*e->arg)
			expr_bad(e, EXPR_INVALID, "syntax error: expecting ')' after %s",
				 quote_text(e->p, e->last));
		if (!expr_next(e, ")"))
			expr_bad(e, EXPR_INVALID, "syntax error: expecting ')' instead of %s",
				 quote_text(e->p, *e->arg));
		return v;
	}
	if (expr_next(e, ")"))
		expr_bad(e, EXPR_INVALID, "syntax error: unexpected ')'");
	return expr_take(e);
}

static const char *expr_keyword(struct expr *e)
{
	const char *a, *b, *c;

	if (++e->depth > EXPR_DEPTH)
		expr_bad(e, EXPR_FAILURE, "too many keywords");
	if (expr_next(e, "+")) {
		a = expr_take(e);
	} else if (expr_next(e, "length")) {
		a = expr_keyword(e);
		a = expr_size(e, expr_count(e, a, strlen(a)));
	} else if (expr_next(e, "match")) {
		a = expr_keyword(e);
		b = expr_keyword(e);
		a = e->run ? expr_match(e, a, b) : a;
	} else if (expr_next(e, "index")) {
		a = expr_keyword(e);
		b = expr_keyword(e);
		a = expr_index(e, a, b);
	} else if (expr_next(e, "substr")) {
		a = expr_keyword(e);
		b = expr_keyword(e);
		c = expr_keyword(e);
		a = expr_substr(e, a, b, c);
	} else {
		a = expr_primary(e);
	}
	e->depth--;
	return a;
}

static const char *expr_colon(struct expr *e)
{
	const char *v = expr_keyword(e);

	while (expr_next(e, ":")) {
		const char *pattern = expr_keyword(e);

		if (e->run)
			v = expr_match(e, v, pattern);
	}
	return v;
}

static const char *expr_compute(struct expr *e, const char *left, char op, const char *right)
{
	struct bignum a, b, rest;

	if (!e->run)
		return left;
	a = expr_number(e, left);
	b = expr_number(e, right);
	switch (op) {
	case '+':
		return bignum_print(e->p, bignum_add(e->p, a, b));
	case '-':
		return bignum_print(e->p, bignum_sub(e->p, a, b));
	case '*':
		return bignum_print(e->p, bignum_mul(e->p, a, b));
	default:
		break;
	}
	if (!b.n)
		expr_bad(e, EXPR_INVALID, "division by zero");
	a = bignum_div(e->p, a, b, &rest);
	return bignum_print(e->p, op == '/' ? a : rest);
}

static const char *expr_product(struct expr *e)
{
	const char *v = expr_colon(e);

	for (;;) {
		char op = expr_next(e, "*") ? '*' : expr_next(e, "/") ? '/'
			: expr_next(e, "%") ? '%' : '\0';

		if (!op)
			return v;
		v = expr_compute(e, v, op, expr_colon(e));
	}
}

static const char *expr_sum(struct expr *e)
{
	const char *v = expr_product(e);

	for (;;) {
		char op = expr_next(e, "+") ? '+' : expr_next(e, "-") ? '-' : '\0';

		if (!op)
			return v;
		v = expr_compute(e, v, op, expr_product(e));
	}
}

/* -1, 0, 1 */
static int expr_order(struct expr *e, const char *a, const char *b)
{
	int c;

	if (bignum_is(a) && bignum_is(b))
		return bignum_cmp(bignum_parse(e->p, a), bignum_parse(e->p, b));
	c = strcmp(a, b);
	return (c > 0) - (c < 0);
}

static const char *expr_comparison(struct expr *e)
{
	/* Which of less, equal and greater make it true: bits 1, 2, 4. */
	static const struct { const char *word; int want; } ops[] = {
		{ "<", 1 }, { "<=", 3 }, { "=", 2 }, { "==", 2 }, { "!=", 5 }, { ">=", 6 },
		{ ">", 4 },
	};
	const char *v = expr_sum(e);

	for (;;) {
		size_t i = 0, n = sizeof(ops) / sizeof(*ops);
		const char *right;

		while (i < n && !expr_next(e, ops[i].word))
			i++;
		if (i == n)
			return v;
		right = expr_sum(e);
		if (e->run)
			v = ops[i].want >> (expr_order(e, v, right) + 1) & 1 ? "1" : "0";
	}
}

static const char *expr_and(struct expr *e)
{
	const char *v = expr_comparison(e), *right;
	bool run = e->run;

	while (expr_next(e, "&")) {
		e->run = run && !expr_is_null(v);
		right = expr_comparison(e);
		e->run = run;
		if (expr_is_null(v) || expr_is_null(right))
			v = "0";
	}
	return v;
}

static const char *expr_or(struct expr *e)
{
	const char *v = expr_and(e);
	bool run = e->run;

	while (expr_next(e, "|")) {
		const char *right;

		e->run = run && expr_is_null(v);
		right = expr_and(e);
		e->run = run;
		if (expr_is_null(v))
			v = expr_is_null(right) ? "0" : right;
	}
	return v;
}

/* ---- The command ---- */

static int expr_asked(struct tsb_proc *p, bool help)
{
	struct str text;

	str_init(&text, tsb_heap_of(p), STR_MAX_DEFAULT);
	if (help)
		opt_help(&text, &cmd_expr, tsb_name(p));
	else
		opt_version(&text, &cmd_expr, tsb_name(p));
	tsb_put(p, text.p, text.n);
	return 0;
}

static int expr_run(struct tsb_proc *p, void *opts, int argc, char **argv)
{
	struct expr e = { .p = p, .arg = argv, .run = true, .utf8 = locale_utf8(p) };
	const char *v;

	(void)opts;
	/* Alone, these may be shortened. */
	if (argc == 1 && !strncmp(argv[0], "--", 2) && argv[0][2] &&
	    (!strncmp("--help", argv[0], strlen(argv[0])) || !strncmp("--version", argv[0], strlen(argv[0]))))
		return expr_asked(p, argv[0][2] == 'h');
	if (argc && !strcmp(argv[0], "--"))
		e.arg++;
	if (!*e.arg)
		return util_missing_operand(p);
	v = expr_or(&e);
	if (*e.arg)
		expr_bad(&e, EXPR_INVALID, "syntax error: unexpected argument %s",
			 quote_text(p, *e.arg));
	tsb_puts(p, v);
	tsb_putc(p, '\n');
	if (util_write_failed(p))
		return EXPR_FAILURE;
	return expr_is_null(v);
}

/* The operators, as the parser reads them. */
static const struct tsb_opt expr_words[] = {
	TSB_OPT_WORD("ARG1 | ARG2", NULL, "ARG1 if it is neither null nor 0, otherwise ARG2"),
	TSB_OPT_WORD("ARG1 & ARG2", NULL, "ARG1 if neither argument is null or 0, otherwise 0"),
	TSB_OPT_WORD("ARG1 < ARG2", NULL, "1 if that holds, of numbers or else of strings; 0 if not"),
	TSB_OPT_WORD("ARG1 <= ARG2", NULL, NULL),
	TSB_OPT_WORD("ARG1 = ARG2", NULL, NULL),
	TSB_OPT_WORD("ARG1 == ARG2", NULL, NULL),
	TSB_OPT_WORD("ARG1 != ARG2", NULL, NULL),
	TSB_OPT_WORD("ARG1 >= ARG2", NULL, NULL),
	TSB_OPT_WORD("ARG1 > ARG2", NULL, NULL),
	TSB_OPT_WORD("ARG1 + ARG2", NULL, "arithmetic, of any size"),
	TSB_OPT_WORD("ARG1 - ARG2", NULL, NULL),
	TSB_OPT_WORD("ARG1 * ARG2", NULL, NULL),
	TSB_OPT_WORD("ARG1 / ARG2", NULL, NULL),
	TSB_OPT_WORD("ARG1 % ARG2", NULL, NULL),
	TSB_OPT_WORD("STRING : REGEXP", NULL, "what \\( \\) matches at the start, or how many characters"),
	TSB_OPT_WORD("match STRING REGEXP", NULL, NULL),
	TSB_OPT_WORD("substr STRING POS LENGTH", NULL, "part of STRING; POS counts from 1"),
	TSB_OPT_WORD("index STRING CHARS", NULL, "where any of CHARS stands in STRING, or 0"),
	TSB_OPT_WORD("length STRING", NULL, "the length of STRING"),
	TSB_OPT_WORD("+ TOKEN", NULL, "TOKEN as a string, even if it is a keyword or an operator"),
	TSB_OPT_WORD("( EXPRESSION )", NULL, "the value of EXPRESSION"),
	TSB_OPT_END
};

const struct tsb_command cmd_expr = {
	CMD_COREUTILS, .name = "expr", .synopsis = "EXPRESSION\nOPTION",
	.summary = "Print the value of EXPRESSION to standard output.",
	.opts = expr_words, .run = expr_run, .flags = TSB_RAW, .usage_status = EXPR_INVALID,
};
