/*
 * The walk over the tree, in the order in which the shell would meet things; a
 * function's body is walked where it is first called.
 */
#include "sandbox/analyze/analysis.h"

#include <string.h>

/* ---- Assignments ---- */

static void items(struct tsb_analysis *a, const struct array_item *i)
{
	for (; i; i = i->next) {
		if (i->sub.kind == SUBSCRIPT_EXPR && i->sub.word)
			analyze_word(a, i->sub.word);
		if (i->value)
			analyze_word(a, i->value);
	}
}

static void assignment(struct tsb_analysis *a, const struct assign *s)
{
	if (s->line)
		a->line = s->line;
	if (s->sub.kind == SUBSCRIPT_EXPR && s->sub.word)
		analyze_word(a, s->sub.word);
	if (s->value)
		analyze_word(a, s->value);
	items(a, s->items);
	variable_set(a, s->name.s, s->name.n);
}

/* ---- Redirections ---- */

static bool is_stream(struct slice path)
{
	static const char *const streams[] = { "/dev/null", "/dev/stdout", "/dev/stderr", "/dev/tty",
					       "/dev/stdin" };

	for (size_t i = 0; i < sizeof(streams) / sizeof(*streams); i++)
		if (slice_is(path, streams[i]))
			return true;
	return path.n > 8 && !memcmp(path.p, "/dev/fd/", 8);
}

static bool is_network(struct slice path)
{
	return path.n > 9 && (!memcmp(path.p, "/dev/tcp/", 9) || !memcmp(path.p, "/dev/udp/", 9));
}

static enum tsb_file_use use_of(enum redir_kind kind)
{
	switch (kind) {
	case REDIR_IN:
		return TSB_FILE_READ;
	case REDIR_APPEND:
	case REDIR_BOTH_APPEND:
		return TSB_FILE_APPEND;
	case REDIR_RW:
		return TSB_FILE_BOTH;
	default:
		return TSB_FILE_WRITE;
	}
}

/* >& 2, <& $fd, >& -: no file. */
static bool is_descriptor(const struct redir *r, const struct tsb_analyzed_word *w)
{
	if (r->kind != REDIR_DUP_IN && r->kind != REDIR_DUP_OUT)
		return false;
	if (r->kind == REDIR_DUP_IN || !w->literal || r->fd >= 0)
		return true;
	return strspn(w->text, "0123456789") + (w->size && w->text[w->size - 1] == '-') == w->size;
}

static void redirection(struct tsb_analysis *a, const struct redir *r)
{
	struct tsb_analyzed_word w;
	struct tsb_analyzed_file *f;
	struct slice path;

	a->line = r->line ? r->line : a->line;
	variable_set(a, r->var.s, r->var.n);
	if (!r->word)
		return;
	analyze_word(a, r->word);
	if (r->kind == REDIR_HERE || r->kind == REDIR_STRING)
		return;
	w = analyze_literal(a, r->word);
	if (is_descriptor(r, &w))
		return;
	f = vec_add(a->heap, &a->files);
	*f = (struct tsb_analyzed_file){ r->line, use_of(r->kind), w };
	path = (struct slice){ w.text, w.size };
	if (w.literal && is_network(path))
		analyze_risk(a, TSB_RISK_NETWORK);
	else if (f->use != TSB_FILE_READ && !(w.literal && is_stream(path)))
		analyze_risk(a, TSB_RISK_WRITE);
}

static void redirections(struct tsb_analysis *a, const struct redir *r)
{
	for (; r; r = r->next)
		redirection(a, r);
}

/* ---- Simple commands ---- */

typedef VEC(struct tsb_analyzed_word) word_list;

/* declare x="$y": a word of the command, and an assignment. */
static struct tsb_analyzed_word declared(struct tsb_analysis *a, const struct assign *s)
{
	struct tsb_analyzed_word value = { "", 0, true };
	struct str text;

	assignment(a, s);
	if (s->value)
		value = analyze_literal(a, s->value);
	str_init(&text, a->heap, STR_MAX_DEFAULT);
	str_addn(&text, s->name.s, s->name.n);
	if (s->sub.kind != SUBSCRIPT_NONE && s->sub.word)
		str_addf(&text, "[%.*s]", (int)s->sub.word->text.n, s->sub.word->text.p);
	str_adds(&text, s->append ? "+=" : "=");
	str_addn(&text, value.text, value.size);
	if (s->is_array)
		str_adds(&text, "(...)");
	value.literal = value.literal && !s->is_array && s->sub.kind == SUBSCRIPT_NONE;
	value.size = text.n;
	value.text = str_take(&text, NULL);
	return value;
}

static void add_word(struct tsb_analysis *a, word_list *to, const struct word *w)
{
	struct tsb_analyzed_word literal = analyze_literal(a, w);

	analyze_word(a, w);
	*vec_add(a->heap, to) = literal;
}

static void words_of(struct tsb_analysis *a, const struct node *n, word_list *to)
{
	if (!n->simple.decl) {
		for (const struct word *w = n->simple.words; w; w = w->next)
			add_word(a, to, w);
		return;
	}
	for (const struct decl_arg *d = n->simple.decl; d; d = d->next) {
		if (d->word) {
			add_word(a, to, d->word);
		} else {
			struct tsb_analyzed_word w = declared(a, d->assign);

			*vec_add(a->heap, to) = w;
		}
	}
}

static void simple(struct tsb_analysis *a, const struct node *n)
{
	word_list words = { 0 };

	for (const struct assign *s = n->simple.assigns; s; s = s->next)
		assignment(a, s);
	words_of(a, n, &words);
	redirections(a, n->redirs);
	a->line = n->line;
	if (words.n)
		analyze_command(a, (struct words){ words.at, words.n, n->line, false });
}

/* ---- Compound commands ---- */

/* As many && as the script likes, so not by recursion. */
static void condition(struct tsb_analysis *a, const struct cond *c)
{
	VEC(const struct cond *) todo = { 0 };

	*vec_add(a->heap, &todo) = c;
	while (todo.n) {
		c = vec_pop(&todo);
		if (!c)
			continue;
		if (c->a)
			analyze_word(a, c->a);
		if (c->b)
			analyze_word(a, c->b);
		*vec_add(a->heap, &todo) = c->right;
		*vec_add(a->heap, &todo) = c->left;
	}
	vec_end(a->heap, &todo);
}

static void loop(struct tsb_analysis *a, const struct node *n)
{
	analyze_list(a, n->loop.words);
	variable_set(a, n->loop.name.s, n->loop.name.n);
	if (n->kind == NODE_SELECT)
		variable_set(a, "REPLY", 5);
	analyze_node(a, n->loop.body);
}

static void cases(struct tsb_analysis *a, const struct node *n)
{
	analyze_word(a, n->match.word);
	for (const struct case_item *i = n->match.items; i; i = i->next) {
		analyze_list(a, i->patterns);
		analyze_node(a, i->body);
	}
}

/* As many as the script likes, so not by recursion. */
static void alternatives(struct tsb_analysis *a, const struct node *n)
{
	for (; n && n->kind == NODE_IF; n = n->flow.otherwise) {
		redirections(a, n->redirs);
		analyze_node(a, n->flow.test);
		analyze_node(a, n->flow.body);
	}
	analyze_node(a, n);
}

static void conjunction(struct tsb_analysis *a, const struct node *n)
{
	VEC(const struct node *) chain = { 0 };

	for (; n && (n->kind == NODE_AND || n->kind == NODE_OR); n = n->binary.a)
		*vec_add(a->heap, &chain) = n;
	analyze_node(a, n);
	while (chain.n)
		analyze_node(a, vec_pop(&chain)->binary.b);
	vec_end(a->heap, &chain);
}

static void loop_arith(struct tsb_analysis *a, const struct node *n)
{
	analyze_arith(a, n->loop_arith.init);
	analyze_arith(a, n->loop_arith.test);
	analyze_node(a, n->loop_arith.body);
	analyze_arith(a, n->loop_arith.step);
}

static void function(struct tsb_analysis *a, const struct node *n)
{
	*vec_add(a->heap, &a->functions) = (struct tsb_analyzed_name){
		n->line, arena_dup(&a->arena, n->named.name.s, n->named.name.n) };
	map_put(&a->bodies, n->named.name.s, n->named.name.n)->value = n->named.body;
}

static void coprocess(struct tsb_analysis *a, const struct node *n)
{
	variable_set(a, n->named.name.n ? n->named.name.s : "COPROC", n->named.name.n ? n->named.name.n : 6);
	analyze_node(a, n->named.body);
}

static void every(struct tsb_analysis *a, const struct node *n)
{
	for (; n; n = n->next)
		analyze_node(a, n);
}

static void body(struct tsb_analysis *a, const struct node *n)
{
	switch (n->kind) {
	case NODE_PIPELINE:
		every(a, n->pipeline.first);
		break;
	case NODE_LIST:
		every(a, n->list.first);
		break;
	case NODE_WHILE:
	case NODE_UNTIL:
		analyze_node(a, n->flow.test);
		analyze_node(a, n->flow.body);
		break;
	case NODE_FOR:
	case NODE_SELECT:
		loop(a, n);
		break;
	case NODE_FOR_ARITH:
		loop_arith(a, n);
		break;
	case NODE_CASE:
		cases(a, n);
		break;
	case NODE_ARITH:
		analyze_arith(a, n->arith);
		break;
	case NODE_COND:
		condition(a, n->cond);
		break;
	case NODE_COPROC:
		coprocess(a, n);
		break;
	default:
		analyze_node(a, n->flow.body);
	}
}

void analyze_node(struct tsb_analysis *a, const struct node *n)
{
	if (!n)
		return;
	a->line = n->line;
	switch (n->kind) {
	case NODE_SIMPLE:
		simple(a, n);
		return;
	case NODE_AND:
	case NODE_OR:
		conjunction(a, n);
		return;
	case NODE_IF:
		alternatives(a, n);
		return;
	case NODE_FUNCTION:
		function(a, n);
		return;
	default:
		/* A loop's file is opened before its body runs. */
		redirections(a, n->redirs);
		body(a, n);
	}
}

/* ---- Functions ---- */

bool analyze_function(struct tsb_analysis *a, struct slice name)
{
	struct map_entry *e = map_find(&a->bodies, name.p, name.n);
	const struct node *todo = e ? e->value : NULL;

	if (!todo || a->depth >= ANALYZE_DEPTH)
		return e != NULL;
	e->value = NULL;
	a->depth++;
	analyze_node(a, todo);
	a->depth--;
	return true;
}

void analyze_rest(struct tsb_analysis *a)
{
	bool more = true;

	/* A body may define functions, and leave deep ones to the next round. */
	while (more) {
		more = false;
		for (size_t i = 0; i < a->bodies.n_used; i++) {
			struct map_entry e = a->bodies.at[i];

			if (!e.key || !e.value)
				continue;
			more = true;
			analyze_function(a, (struct slice){ e.key, e.len });
		}
	}
}
