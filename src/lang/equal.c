/*
 * Structural equality of trees, for the tests: positions do not count, nor does
 * what the printer normalises on purpose as bash does ($'..' becomes '..', |&
 * becomes 2>&1 |, for without in becomes in "$@", a function's body becomes a
 * group).
 */
#include "lang/arith.h"
#include "lang/print.h"

#include <string.h>

static bool parts_equal(const struct part *a, const struct part *b);
static bool words_equal(const struct word *a, const struct word *b);

/* ---- Words ---- */

static bool name_equal(struct name a, struct name b)
{
	return a.n == b.n && (!a.n || (a.hash == b.hash && memcmp(a.s, b.s, a.n) == 0));
}

/* A place in a word: a byte of literal text, an expansion, or the end. Strings
 * are looked into, so that 'a'"b" and "ab" are the same. */
struct flat {
	const struct part *outer, *inner;	/* inner: in a string */
	size_t i;
};

struct atom {
	const struct part *part;	/* NULL: a byte; or the end: c is -1 */
	int c;
	bool quoted;
};

static bool part_is_string(const struct part *p)
{
	return p->kind == PART_DOUBLE || p->kind == PART_LOCALE;
}

static bool part_is_bytes(const struct part *p)
{
	return p->kind == PART_TEXT || p->kind == PART_ESCAPED || p->kind == PART_SINGLE ||
	       p->kind == PART_ANSI;
}

static struct atom flat_next(struct flat *f)
{
	while (f->outer) {
		bool string = part_is_string(f->outer);
		const struct part *p = string ? f->inner : f->outer;

		if (p && part_is_bytes(p) && f->i < p->text.n)
			return (struct atom){ NULL, (unsigned char)p->text.p[f->i++],
					      string || p->kind != PART_TEXT };
		f->i = 0;
		if (string && p) {
			f->inner = p->next;
		} else {
			f->outer = f->outer->next;
			f->inner = f->outer && part_is_string(f->outer) ? f->outer->parts : NULL;
		}
		if (p && !part_is_bytes(p))
			return (struct atom){ p, 0, string };
	}
	return (struct atom){ NULL, -1, false };
}

static bool word_equal(const struct word *a, const struct word *b)
{
	if (!a || !b)
		return a == b;
	return parts_equal(a->parts, b->parts) &&
	       (a->flags & WORD_QUOTED) == (b->flags & WORD_QUOTED);
}

static bool words_equal(const struct word *a, const struct word *b)
{
	for (; a && b; a = a->next, b = b->next)
		if (!word_equal(a, b))
			return false;
	return a == b;
}

static bool slice_same(struct slice a, struct slice b)
{
	return a.n == b.n && (!a.n || memcmp(a.p, b.p, a.n) == 0);
}

static bool arith_same(const struct arith *a, const struct arith *b)
{
	if (!a || !b)
		return a == b;
	return word_equal(a->word, b->word) && !a->tree == !b->tree;
}

static bool subscript_equal(const struct subscript *a, const struct subscript *b)
{
	return a->kind == b->kind && word_equal(a->word, b->word);
}

static bool param_equal(const struct param *a, const struct param *b)
{
	if (a->op == PARAM_BAD || b->op == PARAM_BAD)
		return a->op == b->op && strcmp(a->raw, b->raw) == 0;
	return name_equal(a->name, b->name) && subscript_equal(&a->sub, &b->sub) &&
	       a->op == b->op && a->indirect == b->indirect && a->colon == b->colon &&
	       a->braces == b->braces && a->letter == b->letter &&
	       slice_same(a->letters, b->letters) && word_equal(a->word, b->word) &&
	       word_equal(a->word2, b->word2) && a->has_word2 == b->has_word2 &&
	       arith_same(a->offset, b->offset) && arith_same(a->length, b->length);
}

static bool part_equal(const struct part *a, const struct part *b)
{
	if (a->kind != b->kind || a->backquoted != b->backquoted)
		return false;
	switch (a->kind) {
	case PART_PARAM:
		return param_equal(a->param, b->param);
	case PART_COMMAND:
	case PART_PROCESS_IN:
	case PART_PROCESS_OUT:
		if (a->late || b->late)
			return a->late && b->late;
		return ast_equal(a->command, b->command);
	case PART_ARITH:
		return arith_same(a->arith, b->arith);
	case PART_TILDE:
		return slice_same(a->text, b->text);
	case PART_GLOB:
		return a->op == b->op && words_equal(a->alternatives, b->alternatives);
	default:
		return false;	/* flat_next() gives no others */
	}
}

static bool parts_equal(const struct part *a, const struct part *b)
{
	struct flat fa = { a, a && part_is_string(a) ? a->parts : NULL, 0 };
	struct flat fb = { b, b && part_is_string(b) ? b->parts : NULL, 0 };

	for (;;) {
		struct atom x = flat_next(&fa), y = flat_next(&fb);

		if (!x.part != !y.part || x.c != y.c || x.quoted != y.quoted)
			return false;
		if (x.part && !part_equal(x.part, y.part))
			return false;
		if (x.c < 0)
			return true;
	}
}

/* ---- Assignments, redirections ---- */

static bool items_equal(const struct array_item *a, const struct array_item *b)
{
	for (; a && b; a = a->next, b = b->next)
		if (!subscript_equal(&a->sub, &b->sub) || a->append != b->append ||
		    !word_equal(a->value, b->value))
			return false;
	return a == b;
}

static bool assign_equal(const struct assign *a, const struct assign *b)
{
	return name_equal(a->name, b->name) && subscript_equal(&a->sub, &b->sub) &&
	       a->append == b->append && a->is_array == b->is_array &&
	       word_equal(a->value, b->value) && items_equal(a->items, b->items);
}

static bool assigns_equal(const struct assign *a, const struct assign *b)
{
	for (; a && b; a = a->next, b = b->next)
		if (!assign_equal(a, b))
			return false;
	return a == b;
}

static bool decls_equal(const struct decl_arg *a, const struct decl_arg *b)
{
	for (; a && b; a = a->next, b = b->next) {
		if (!a->assign != !b->assign)
			return false;
		if (a->assign ? !assign_equal(a->assign, b->assign) :
		    !word_equal(a->word, b->word))
			return false;
	}
	return a == b;
}

/* The descriptor in effect. */
static int redir_fd(const struct redir *r)
{
	bool in = r->kind == REDIR_IN || r->kind == REDIR_RW || r->kind == REDIR_DUP_IN ||
		  r->kind == REDIR_HERE || r->kind == REDIR_STRING;

	if (r->var.n)
		return -1;
	return r->fd >= 0 ? r->fd : in ? 0 : 1;
}

/* <&- is printed as 0>&-. */
static bool redir_closes(const struct redir *r)
{
	return (r->kind == REDIR_DUP_IN || r->kind == REDIR_DUP_OUT) &&
	       slice_is(r->word->text, "-");
}

static bool redir_equal(const struct redir *a, const struct redir *b)
{
	if (redir_closes(a) && redir_closes(b))
		return redir_fd(a) == redir_fd(b) && name_equal(a->var, b->var);
	if (a->kind != b->kind || redir_fd(a) != redir_fd(b) || !name_equal(a->var, b->var))
		return false;
	if (a->kind == REDIR_HERE)
		return slice_same(a->end, b->end) && slice_same(a->word->text, b->word->text) &&
		       a->word->parts->kind == b->word->parts->kind;
	return word_equal(a->word, b->word);
}

/* Is it the 2>&1 that |& stands for? */
static bool redir_is_stderr(const struct redir *r)
{
	return r && !r->next && r->kind == REDIR_DUP_OUT && r->fd == 2 &&
	       slice_is(r->word->text, "1");
}

static bool redirs_equal(const struct node *x, const struct node *y)
{
	const struct redir *a = x->redirs, *b = y->redirs;

	for (; a && b; a = a->next, b = b->next)
		if (!redir_equal(a, b))
			return false;
	if (x->pipe_stderr == y->pipe_stderr)
		return a == b;
	return x->pipe_stderr ? !a && redir_is_stderr(b) : !b && redir_is_stderr(a);
}

/* ---- Commands ---- */

static bool cond_equal(const struct cond *a, const struct cond *b)
{
	if (!a || !b)
		return a == b;
	/* [[ a ]] is printed as [[ -n a ]]. */
	bool word_a = a->kind == COND_WORD || (a->kind == COND_UNARY && !strcmp(a->op, "-n"));
	bool word_b = b->kind == COND_WORD || (b->kind == COND_UNARY && !strcmp(b->op, "-n"));

	if (word_a || word_b)
		return word_a && word_b && word_equal(a->a, b->a);
	return a->kind == b->kind && strcmp(a->op, b->op) == 0 && word_equal(a->a, b->a) &&
	       word_equal(a->b, b->b) && cond_equal(a->left, b->left) &&
	       cond_equal(a->right, b->right);
}

static bool nodes_equal(const struct node *a, const struct node *b)
{
	for (; a && b; a = a->next, b = b->next)
		if (a->background != b->background || !ast_equal(a, b))
			return false;
	return a == b;
}

static bool case_equal(const struct case_item *a, const struct case_item *b)
{
	for (; a && b; a = a->next, b = b->next)
		if (a->end != b->end || !words_equal(a->patterns, b->patterns) ||
		    !ast_equal(a->body, b->body))
			return false;
	return a == b;
}

static bool word_is_all_args(const struct word *w)
{
	const struct part *p;

	if (!w || w->next || w->parts->kind != PART_DOUBLE || w->parts->next)
		return false;
	p = w->parts->parts;
	return p && !p->next && p->kind == PART_PARAM && !p->param->braces &&
	       p->param->name.s[0] == '@';
}

static bool loop_equal(const struct node *a, const struct node *b)
{
	if (!name_equal(a->loop.name, b->loop.name) || !ast_equal(a->loop.body, b->loop.body))
		return false;
	if (a->loop.has_in == b->loop.has_in)
		return words_equal(a->loop.words, b->loop.words);
	return word_is_all_args(a->loop.has_in ? a->loop.words : b->loop.words);
}

/* An empty part is printed as 1. */
static bool for_part_equal(const struct arith *a, const struct arith *b)
{
	if (a && b)
		return arith_same(a, b);
	if (!a && !b)
		return true;
	return slice_is((a ? a : b)->text, "1") || slice_is((a ? a : b)->text, " 1");
}

/* A body is the same as a group of it, with the redirections outside. */
static bool function_equal(const struct node *a, const struct node *b)
{
	if (!name_equal(a->named.name, b->named.name))
		return false;
	a = a->named.body;
	b = b->named.body;
	if (ast_equal(a, b))
		return true;
	if (a->kind == NODE_GROUP && b->kind != NODE_GROUP && !a->redirs)
		return ast_equal(a->flow.body, b);
	if (b->kind == NODE_GROUP && a->kind != NODE_GROUP && !b->redirs)
		return ast_equal(a, b->flow.body);
	return false;
}

static bool coproc_equal(const struct node *a, const struct node *b)
{
	struct name x = a->named.name, y = b->named.name;

	if (!ast_equal(a->named.body, b->named.body))
		return false;
	if (x.n && y.n)
		return name_equal(x, y);
	return (!x.n || strcmp(x.s, "COPROC") == 0) && (!y.n || strcmp(y.s, "COPROC") == 0);
}

static bool binary_equal(const struct node *a, const struct node *b)
{
	for (; a->kind == b->kind && (a->kind == NODE_AND || a->kind == NODE_OR);
	     a = a->binary.a, b = b->binary.a)
		if (!ast_equal(a->binary.b, b->binary.b))
			return false;
	return ast_equal(a, b);
}

static bool flow_equal(const struct node *a, const struct node *b)
{
	for (;;) {
		if (!ast_equal(a->flow.test, b->flow.test) ||
		    !ast_equal(a->flow.body, b->flow.body))
			return false;
		a = a->flow.otherwise;
		b = b->flow.otherwise;
		if (!a || !b)
			return a == b;
		if (a->kind != NODE_IF || b->kind != NODE_IF || !redirs_equal(a, b))
			return ast_equal(a, b);
	}
}

bool ast_equal(const struct node *a, const struct node *b)
{
	if (!a || !b)
		return a == b;
	if (a->kind != b->kind || !redirs_equal(a, b))
		return false;
	switch (a->kind) {
	case NODE_SIMPLE:
		return assigns_equal(a->simple.assigns, b->simple.assigns) &&
		       words_equal(a->simple.words, b->simple.words) &&
		       decls_equal(a->simple.decl, b->simple.decl);
	case NODE_PIPELINE:
		return a->pipeline.n == b->pipeline.n &&
		       a->pipeline.negate == b->pipeline.negate &&
		       a->pipeline.timed == b->pipeline.timed &&
		       a->pipeline.timed_posix == b->pipeline.timed_posix &&
		       nodes_equal(a->pipeline.first, b->pipeline.first);
	case NODE_AND:
	case NODE_OR:
		return binary_equal(a, b);
	case NODE_LIST:
		return nodes_equal(a->list.first, b->list.first);
	case NODE_SUBSHELL:
	case NODE_GROUP:
	case NODE_IF:
	case NODE_WHILE:
	case NODE_UNTIL:
		return flow_equal(a, b);
	case NODE_FOR:
	case NODE_SELECT:
		return loop_equal(a, b);
	case NODE_FOR_ARITH:
		return for_part_equal(a->loop_arith.init, b->loop_arith.init) &&
		       for_part_equal(a->loop_arith.test, b->loop_arith.test) &&
		       for_part_equal(a->loop_arith.step, b->loop_arith.step) &&
		       ast_equal(a->loop_arith.body, b->loop_arith.body);
	case NODE_CASE:
		return word_equal(a->match.word, b->match.word) &&
		       case_equal(a->match.items, b->match.items);
	case NODE_FUNCTION:
		return function_equal(a, b);
	case NODE_ARITH:
		return arith_same(a->arith, b->arith);
	case NODE_COND:
		return cond_equal(a->cond, b->cond);
	case NODE_COPROC:
		return coproc_equal(a, b);
	}
	return false;
}
