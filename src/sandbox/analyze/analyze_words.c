/*
 * Words: what of them is certain, which variables their expansion reads and
 * sets, and the commands in them.
 *
 * "Read before it is set" follows the text: what any line above may have set,
 * in whichever branch, counts as set. So a name that is told was certainly not
 * set by the script itself.
 */
#include "sandbox/analyze/analysis.h"

#include <string.h>

/* ---- Variables ---- */

/* What a shell has by itself, besides BASH*. */
static const char own_variables[] =
	" HOME USER LOGNAME SHELL TERM LANG PATH HOSTNAME PWD OLDPWD SHLVL IFS PS1 PS2 PS4 OPTIND OPTARG"
	" OPTERR HOSTTYPE OSTYPE MACHTYPE UID EUID PPID RANDOM SRANDOM SECONDS LINENO EPOCHSECONDS"
	" EPOCHREALTIME FUNCNAME PIPESTATUS GROUPS DIRSTACK COLUMNS LINES _ ";

void variables_begin(struct tsb_analysis *a)
{
	for (const char *s = own_variables + 1; *s;) {
		size_t n = strcspn(s, " ");

		map_put(&a->set, s, n);
		s += n + 1;
	}
}

void variable_set(struct tsb_analysis *a, const char *s, size_t n)
{
	if (parse_is_name(s, n))
		map_put(&a->set, s, n);
}

void variable_unset(struct tsb_analysis *a, const char *s, size_t n)
{
	map_remove(&a->set, s, n);
}

static void variable_read(struct tsb_analysis *a, const char *s, size_t n, uint32_t line)
{
	if (a->anything_set || !parse_is_name(s, n) || map_find(&a->set, s, n) ||
	    map_find(&a->told, s, n) || (n >= 4 && !memcmp(s, "BASH", 4)))
		return;
	map_put(&a->told, s, n);
	*vec_add(a->heap, &a->unset) = (struct tsb_analyzed_name){ line, arena_dup(&a->arena, s, n) };
}

/* ---- Literal words ---- */

/* The text of parts that are all certain; false: they are not. */
static bool literal_parts(const struct part *p, struct str *out)
{
	for (; p; p = p->next) {
		switch (p->kind) {
		case PART_TEXT:
		case PART_ESCAPED:
		case PART_SINGLE:
		case PART_ANSI:
			str_addslice(out, p->text);
			break;
		case PART_DOUBLE:
		case PART_LOCALE:
			if (!literal_parts(p->parts, out))
				return false;
			break;
		default:
			return false;
		}
	}
	return true;
}

struct tsb_analyzed_word analyze_literal(struct tsb_analysis *a, const struct word *w)
{
	struct slice text = w->text;
	bool literal = (w->flags & WORD_LITERAL) != 0;
	struct str joined;

	if (!literal && !(w->flags & (WORD_MAGIC | WORD_BRACE | WORD_EXPANDS | WORD_TILDE))) {
		str_init(&joined, a->heap, STR_MAX_DEFAULT);
		literal = literal_parts(w->parts, &joined);
		if (literal)
			text = str_slice(&joined);
	}
	return (struct tsb_analyzed_word){ arena_dup(&a->arena, text.p ? text.p : "", text.n), text.n, literal };
}

/* ---- Arithmetic ---- */

static void arith_part(struct tsb_analysis *a, const struct arith_node *n);

static bool arith_sets(enum arith_op op)
{
	return op == ARITH_PRE_INC || op == ARITH_PRE_DEC || op == ARITH_POST_INC ||
	       op == ARITH_POST_DEC || op == ARITH_ASSIGN;
}

static void subscript(struct tsb_analysis *a, const struct subscript *sub)
{
	if (sub->kind != SUBSCRIPT_EXPR)
		return;
	if (sub->arith)
		analyze_arith(a, sub->arith);
	else if (sub->word)
		analyze_word(a, sub->word);
}

/* What n does once its left side is done. */
static void arith_node(struct tsb_analysis *a, const struct arith_node *n)
{
	const struct arith_node *to = arith_sets(n->op) ? n->a : NULL;

	if (n->op == ARITH_VAR) {
		subscript(a, &n->sub);
		variable_read(a, n->name.s, n->name.n, a->line);
	}
	if (n->part)
		analyze_word(a, &(struct word){ .parts = n->part });
	if (n->b)
		arith_part(a, n->b);
	if (n->c)
		arith_part(a, n->c);
	if (to && to->op == ARITH_VAR)
		variable_set(a, to->name.s, to->name.n);
}

/* The left sides are as deep as the text is long: a loop. */
static void arith_part(struct tsb_analysis *a, const struct arith_node *n)
{
	VEC(const struct arith_node *) chain = { 0 };

	for (; n; n = n->a) {
		*vec_add(a->heap, &chain) = n;
		/* x = 1 does not read x. */
		if (n->op == ARITH_ASSIGN && n->assign_op == ARITH_ASSIGN && n->a && n->a->op == ARITH_VAR) {
			subscript(a, &n->a->sub);
			break;
		}
	}
	while (chain.n)
		arith_node(a, vec_pop(&chain));
	vec_end(a->heap, &chain);
}

void analyze_arith(struct tsb_analysis *a, const struct arith *x)
{
	if (!x)
		return;
	if (x->tree)
		arith_part(a, x->tree);
	else if (x->word)
		analyze_word(a, x->word);
}

/* ---- Parameters ---- */

/* Does the operator allow for an unset variable? */
static bool param_minds(enum param_op op)
{
	return op != PARAM_DEFAULT && op != PARAM_ASSIGN && op != PARAM_ERROR && op != PARAM_ALTERNATE &&
	       op != PARAM_NAMES && op != PARAM_BAD;
}

static void analyze_param(struct tsb_analysis *a, const struct param *p)
{
	subscript(a, &p->sub);
	if (param_minds(p->op) || p->indirect)
		variable_read(a, p->name.s, p->name.n, a->line);
	if (p->word)
		analyze_word(a, p->word);
	if (p->word2)
		analyze_word(a, p->word2);
	analyze_arith(a, p->offset);
	analyze_arith(a, p->length);
	if (p->op == PARAM_ASSIGN)
		variable_set(a, p->name.s, p->name.n);
	if (p->op == PARAM_TRANSFORM && p->letter == 'P')
		analyze_opaque(a, a->line, (struct slice){ p->raw, strlen(p->raw) },
			       "@P runs the commands that are in the value");
}

static void analyze_part(struct tsb_analysis *a, const struct part *p)
{
	switch (p->kind) {
	case PART_DOUBLE:
	case PART_LOCALE:
		for (const struct part *q = p->parts; q; q = q->next)
			analyze_part(a, q);
		break;
	case PART_PARAM:
		analyze_param(a, p->param);
		break;
	case PART_COMMAND:
	case PART_PROCESS_IN:
	case PART_PROCESS_OUT:
		analyze_node(a, p->command);
		break;
	case PART_ARITH:
		analyze_arith(a, p->arith);
		break;
	case PART_GLOB:
		analyze_list(a, p->alternatives);
		break;
	default:
		break;
	}
}

void analyze_word(struct tsb_analysis *a, const struct word *w)
{
	if (w->line)
		a->line = w->line;
	for (const struct part *p = w->parts; p; p = p->next)
		analyze_part(a, p);
}

void analyze_list(struct tsb_analysis *a, const struct word *w)
{
	for (; w; w = w->next)
		analyze_word(a, w);
}
