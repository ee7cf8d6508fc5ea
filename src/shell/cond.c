/*
 * [[ ... ]]. Operands are expanded without splitting; the right side of == and
 * =~ is a pattern in which quoted parts are literal. Chains of && and || are
 * left-deep trees as long as the script likes: they are walked by a loop.
 */
#include <string.h>

#include "kernel/kernel.h"
#include "shell/doing.h"
#include "shell/words.h"
#include "text/pattern.h"
#include "text/regex.h"

enum { COND_TRUE, COND_FALSE, COND_ERROR };

/* ---- == and =~ ---- */

static int cond_equal_text(struct shell *sh, struct slice left, const struct word *right)
{
	struct slice text;
	enum flow flow = expand_string(sh, right, false, &text);

	if (flow != FLOW_NEXT)
		return var_fail(sh, flow);
	return slice_eq(left, text) ? COND_TRUE : COND_FALSE;
}

static int cond_match(struct shell *sh, struct slice left, const struct word *right)
{
	unsigned flags = PATTERN_EXTGLOB | (sh->opts[SHOPT_NOCASEMATCH] ? PATTERN_ICASE : 0);
	struct slice text;
	enum flow flow;

	if (!(flags & PATTERN_ICASE) && word_is_text(right))
		return cond_equal_text(sh, left, right);
	flow = expand_pattern(sh, right, &text);
	if (flow != FLOW_NEXT)
		return var_fail(sh, flow);
	return pattern_match(pattern_cached(sh, text, flags), left.p, left.n) ? COND_TRUE :
		COND_FALSE;
}

static void cond_tick(void *ctx, size_t steps)
{
	tsb_tick(ctx, steps);
}

/* Compiled, from the cache where it is there; NULL: it is none. */
static struct regex *cond_regex(struct shell *sh, struct slice text, unsigned flags)
{
	struct words *w = words_of(sh);
	struct cached *c;
	const char *error = NULL;
	struct regex *re;
	uint32_t hash = (uint32_t)text.n;

	for (size_t i = 0; i < text.n && i < 32; i++)
		hash = hash * 33u + (unsigned char)text.p[i];
	if (!w->regexes)
		w->regexes = heap_zalloc(sh->heap, CACHE_SIZE * sizeof(*w->regexes));
	c = &w->regexes[hash % CACHE_SIZE];
	if (c->regex && c->flags == flags && c->n == text.n && !memcmp(c->text, text.p, text.n))
		return c->regex;
	re = regex_compile(sh->heap, text.p, text.n, flags, &error);
	if (!re)
		return NULL;
	regex_on_tick(re, cond_tick, sh->p);
	heap_free(sh->heap, c->text);
	if (c->regex)
		regex_free(c->regex);
	*c = (struct cached){ heap_dup(sh->heap, text.p, text.n), text.n, flags, re, NULL };
	return re;
}

static int cond_remember(struct shell *sh, struct slice left, const struct regex_span *spans,
			 size_t n)
{
	struct slice *items = arena_array(&sh->turn, n, sizeof(*items));

	for (size_t i = 0; i < n; i++)
		items[i] = spans[i].so == REGEX_NONE ? SLICE("") :
			(struct slice){ left.p + spans[i].so, spans[i].eo - spans[i].so };
	return var_set_list(sh, "BASH_REMATCH", items, n);
}

static int cond_regex_match(struct shell *sh, struct slice left, const struct word *right)
{
	unsigned flags = REGEX_BASH | REGEX_EXTENDED | (sh->bytes ? 0 : REGEX_UTF8) |
		(sh->opts[SHOPT_NOCASEMATCH] ? REGEX_ICASE : 0);
	struct regex_span *spans;
	enum regex_status status;
	struct regex *re;
	struct slice text;
	size_t n;
	enum flow flow;

	flow = expand_regex(sh, right, &text);
	if (flow != FLOW_NEXT)
		return var_fail(sh, flow);
	re = cond_regex(sh, text, flags);
	if (!re)
		return COND_ERROR;
	n = regex_groups(re) + 1;
	spans = arena_array(&sh->turn, n, sizeof(*spans));
	status = regex_match(re, left.p, left.n, 0, 0, spans, n);
	if (status == REGEX_BUDGET) {
		shell_error(sh, "%.*s: regular expression needs too many steps", (int)text.n, text.p);
		return COND_ERROR;
	}
	cond_remember(sh, left, spans, status == REGEX_MATCH ? n : 0);
	return status == REGEX_MATCH ? COND_TRUE : COND_FALSE;
}

/* ---- Numbers ---- */

static bool cond_number(struct shell *sh, struct slice text, int64_t *value)
{
	const char *builtin = sh->builtin;
	bool good;

	sh->builtin = "[[";
	good = arith_eval_text(sh, text.p, text.n, value);
	sh->builtin = builtin;
	return good;
}

/* a[$i] as it is written, with its subscript expanded once and for all, as in (( )). */
static struct slice cond_operand(const struct word *w, struct slice expanded)
{
	const char *open = memchr(w->text.p, '[', w->text.n);

	if (!open || !(w->flags & WORD_EXPANDS) || w->text.p[w->text.n - 1] != ']' ||
	    !parse_is_name(w->text.p, (size_t)(open - w->text.p)))
		return expanded;
	return w->text;
}

static int cond_compare(struct shell *sh, const struct cond *c, struct slice left, struct slice right)
{
	const char *op = c->op;
	int64_t a, b;
	bool holds;

	if (!cond_number(sh, cond_operand(c->a, left), &a) ||
	    !cond_number(sh, cond_operand(c->b, right), &b))
		return COND_FALSE;
	switch (op[1] << 8 | op[2]) {
	case 'e' << 8 | 'q':
		holds = a == b;
		break;
	case 'n' << 8 | 'e':
		holds = a != b;
		break;
	case 'l' << 8 | 't':
		holds = a < b;
		break;
	case 'l' << 8 | 'e':
		holds = a <= b;
		break;
	case 'g' << 8 | 't':
		holds = a > b;
		break;
	default:
		holds = a >= b;
	}
	return holds ? COND_TRUE : COND_FALSE;
}

/* ---- One test ---- */

static int cond_not(int status)
{
	return status == COND_TRUE ? COND_FALSE : COND_TRUE;
}

/* set -x shows each test as it is made, with its operands expanded. */
static void cond_trace(struct shell *sh, const struct cond *c, bool negate, struct slice left)
{
	struct slice right = { "", 0 };
	struct str text;

	if (!sh->opts[OPT_XTRACE])
		return;
	str_init(&text, sh->heap, STR_MAX_DEFAULT);
	str_adds(&text, negate ? "[[ ! " : "[[ ");
	if (c->kind == COND_BINARY) {
		bool pattern = strchr("=!", c->op[0]) && c->op[1] != '~';
		enum flow flow = expand_operand(sh, c->b, false, pattern ? BUILD_TRACE :
						BUILD_STRING, &right);

		str_adds(&text, left.n ? "" : "''");
		str_addslice(&text, left);
		str_addf(&text, " %s ", c->op);
		str_adds(&text, flow != FLOW_NEXT || right.n ? "" : "''");
		str_addslice(&text, right);
	} else {
		str_addf(&text, "%s ", c->kind == COND_WORD ? "-n" : c->op);
		str_adds(&text, left.n ? "" : "''");
		str_addslice(&text, left);
	}
	str_adds(&text, " ]]");
	trace_text(sh, text.p, text.n);
	str_end(&text);
}

static int cond_binary(struct shell *sh, const struct cond *c, bool negate)
{
	struct slice left, right;
	enum flow flow = expand_string(sh, c->a, false, &left);
	int status;

	if (flow != FLOW_NEXT)
		return var_fail(sh, flow);
	cond_trace(sh, c, negate, left);
	/* The right side may change the variable that the left text is in. */
	if (!(c->b->flags & WORD_LITERAL))
		left.p = arena_dup(&sh->turn, left.p, left.n);
	if (!strcmp(c->op, "=") || !strcmp(c->op, "=="))
		return cond_match(sh, left, c->b);
	if (!strcmp(c->op, "!=")) {
		status = cond_match(sh, left, c->b);
		return sh->failed != FLOW_NEXT ? status : cond_not(status);
	}
	if (!strcmp(c->op, "=~"))
		return cond_regex_match(sh, left, c->b);
	flow = expand_string(sh, c->b, false, &right);
	if (flow != FLOW_NEXT)
		return var_fail(sh, flow);
	if (c->op[0] == '<' || c->op[0] == '>') {
		int order = slice_cmp(left, right);

		return (c->op[0] == '<' ? order < 0 : order > 0) ? COND_TRUE : COND_FALSE;
	}
	if (!strcmp(c->op, "-nt") || !strcmp(c->op, "-ot") || !strcmp(c->op, "-ef"))
		return test_files(sh, c->op, arena_dup(&sh->turn, left.p, left.n),
				  arena_dup(&sh->turn, right.p, right.n)) ? COND_TRUE : COND_FALSE;
	return cond_compare(sh, c, left, right);
}

/* -v a[$k]: the key has been expanded, and is not once more. false: no element of an associative array. */
static bool cond_has_key(struct shell *sh, struct slice text, bool *found)
{
	const char *open = memchr(text.p, '[', text.n);
	size_t n = open ? (size_t)(open - text.p) : 0;
	struct var *v = n && text.p[text.n - 1] == ']' ? var_find_text(sh, text.p, n) : NULL;
	struct slice value;

	if (!v || !(v->flags & VAR_ASSOC) || text.n < n + 3)
		return false;
	var_refresh(sh, v);
	*found = assoc_get(v->assoc, open + 1, text.n - n - 2, &value);
	return true;
}

static int cond_leaf(struct shell *sh, const struct cond *c, bool negate)
{
	bool found;
	struct slice text;
	enum flow flow;

	if (c->kind == COND_BINARY)
		return cond_binary(sh, c, negate);
	flow = expand_string(sh, c->a, false, &text);
	if (flow != FLOW_NEXT)
		return var_fail(sh, flow);
	cond_trace(sh, c, negate, text);
	if (c->kind == COND_WORD || c->op[1] == 'n')
		return text.n ? COND_TRUE : COND_FALSE;
	if (c->op[1] == 'z')
		return text.n ? COND_FALSE : COND_TRUE;
	if (c->op[1] == 'v' && c->a->flags & WORD_EXPANDS && cond_has_key(sh, text, &found))
		return found ? COND_TRUE : COND_FALSE;
	return test_unary(sh, c->op[1], arena_dup(&sh->turn, text.p, text.n)) ? COND_TRUE :
		COND_FALSE;
}

/* ---- ! && || ---- */

static int cond_tree(struct shell *sh, const struct cond *c);

/* The chain's tests from left to right; the joins are on the way up. */
static int cond_chain(struct shell *sh, const struct cond *top)
{
	const struct cond **joins, *c;
	size_t n = 0;
	int status;

	for (c = top; c->kind == COND_AND || c->kind == COND_OR; c = c->left)
		n++;
	joins = arena_array(&sh->turn, n, sizeof(*joins));
	for (c = top; c->kind == COND_AND || c->kind == COND_OR; c = c->left)
		joins[--n] = c;
	status = cond_tree(sh, c);
	for (c = top; c->kind == COND_AND || c->kind == COND_OR; c = c->left)
		n++;
	for (size_t i = 0; i < n && sh->failed == FLOW_NEXT; i++)
		if ((joins[i]->kind == COND_AND) == (status == COND_TRUE))
			status = cond_tree(sh, joins[i]->right);
	return status;
}

/* Only parentheses nest, and the parser bounds those. */
static int cond_tree(struct shell *sh, const struct cond *c)
{
	bool negate = false;
	int status;

	for (; c->kind == COND_NOT; c = c->left)
		negate = !negate;
	if (c->kind == COND_AND || c->kind == COND_OR)
		status = cond_chain(sh, c);
	else
		status = cond_leaf(sh, c, negate);
	return negate && sh->failed == FLOW_NEXT ? cond_not(status) : status;
}

int cond_eval(struct shell *sh, const struct cond *c)
{
	struct arena_mark mark = arena_mark(&sh->turn);
	int status;

	proc_tick(sh->p, 1);
	sh->failed = FLOW_NEXT;
	status = cond_tree(sh, c);
	arena_reset(&sh->turn, mark);
	return sh->failed == FLOW_EXIT ? sh->status : status;
}
