/*
 * Tree -> text as `declare -f` prints it, blank for blank.
 *
 * bash's printer is a walk with a little state: the indentation, how many
 * commands stand on a line already begun (skip), whether a list or pipeline is
 * open (connection) so that here-document bodies must wait for the line to end
 * (deferred). The shapes only come out equal if that state is kept in the same
 * way, so it is.
 */
#include "lang/printer.h"

#include "base/heap.h"
#include "base/vec.h"
#include "lang/parse.h"

static void print_indent(struct printer *p)
{
	str_fill(p->out, ' ', p->indent);
}

static void print_newline(struct printer *p, const char *z)
{
	str_addc(p->out, '\n');
	print_indent(p);
	str_adds(p->out, z);
}

/* A ; unless the line has ended already. */
static void print_semicolon(struct printer *p)
{
	const struct str *out = p->out;

	if (out->n && (out->p[out->n - 1] == '&' || out->p[out->n - 1] == '\n'))
		return;
	str_addc(p->out, ';');
}

static void print_words(struct printer *p, const struct word *w, const char *between)
{
	for (; w; w = w->next) {
		print_word(p->out, w);
		if (w->next)
			str_adds(p->out, between);
	}
}

/* ---- Redirections ---- */

static void print_here_bodies(struct printer *p, const struct redir *r)
{
	str_addc(p->out, '\n');
	for (; r; r = r->next) {
		if (r->kind != REDIR_HERE)
			continue;
		str_addslice(p->out, r->word->text);
		str_addslice(p->out, r->end);
		str_addc(p->out, '\n');
	}
	p->was_here = true;
}

/* The text that ends a command, then the bodies that waited for it. */
static void print_deferred(struct printer *p, const char *z)
{
	bool text = *z && (z[0] != ';' || z[1]);

	if (text)
		str_adds(p->out, z);
	if (p->deferred) {
		print_here_bodies(p, p->deferred);
		if (text)
			str_addc(p->out, ' ');
	}
	p->deferred = NULL;
}

static void print_flush(struct printer *p)
{
	if (p->deferred)
		print_deferred(p, "");
}

/* The descriptor, if it is not the operator's own; dup: always. */
static void print_fd(struct printer *p, const struct redir *r, int own, bool always)
{
	if (r->var.n)
		str_addf(p->out, "{%s}", r->var.s);
	else if (r->fd >= 0 ? r->fd != own || always : always)
		str_addf(p->out, "%d", r->fd >= 0 ? r->fd : own);
}

static bool redir_closes(const struct redir *r)
{
	return (r->kind == REDIR_DUP_IN || r->kind == REDIR_DUP_OUT) &&
	       r->word->flags & WORD_LITERAL && slice_is(r->word->text, "-");
}

static bool redir_is_number(const struct word *w)
{
	size_t n = w->text.n;

	if (!(w->flags & WORD_LITERAL))
		return false;
	if (n > 1 && w->text.p[n - 1] == '-')
		n--;
	else if (n == 1 && w->text.p[0] == '-')
		return true;
	for (size_t i = 0; i < n; i++)
		if (w->text.p[i] < '0' || w->text.p[i] > '9')
			return false;
	return n > 0;
}

static void print_redir(struct printer *p, const struct redir *r)
{
	static const char *const ops[] = {
		[REDIR_IN] = "< ", [REDIR_OUT] = "> ", [REDIR_CLOBBER] = ">| ",
		[REDIR_APPEND] = ">> ", [REDIR_RW] = "<> ", [REDIR_DUP_IN] = "<&",
		[REDIR_DUP_OUT] = ">&", [REDIR_BOTH] = "&> ", [REDIR_BOTH_APPEND] = "&>> ",
		[REDIR_HERE] = "<<", [REDIR_STRING] = "<<< "
	};
	bool in = r->kind == REDIR_IN || r->kind == REDIR_RW || r->kind == REDIR_DUP_IN ||
		  r->kind == REDIR_HERE || r->kind == REDIR_STRING;
	bool always = r->kind == REDIR_RW;

	if (r->kind == REDIR_DUP_IN || r->kind == REDIR_DUP_OUT)
		always = redir_is_number(r->word);
	if (r->kind != REDIR_BOTH && r->kind != REDIR_BOTH_APPEND)
		print_fd(p, r, !in, always);
	str_adds(p->out, redir_closes(r) ? ">&" : ops[r->kind]);
	if (r->kind != REDIR_HERE) {
		print_word(p->out, r->word);
		return;
	}
	if (r->strip_tabs)
		str_addc(p->out, '-');
	str_addslice(p->out, r->delimiter);
}

static void print_redir_list(struct printer *p, const struct redir *r, bool pipe_stderr)
{
	const struct redir *here = NULL;

	p->was_here = false;
	for (const struct redir *at = r; at; at = at->next) {
		if (at->kind == REDIR_HERE && !here)
			here = at;
		print_redir(p, at);
		if (at->next || pipe_stderr)
			str_addc(p->out, ' ');
	}
	if (pipe_stderr)
		str_adds(p->out, "2>&1");
	if (here && p->connection)
		p->deferred = here;
	else if (here)
		print_here_bodies(p, here);
}

/* ---- Simple commands ---- */

static void print_decl(struct printer *p, const struct decl_arg *d)
{
	for (; d; d = d->next) {
		if (d->word)
			print_word(p->out, d->word);
		else
			print_assign(p->out, d->assign);
		if (d->next)
			str_addc(p->out, ' ');
	}
}

static void print_simple(struct printer *p, const struct node *n)
{
	for (const struct assign *a = n->simple.assigns; a; a = a->next) {
		print_assign(p->out, a);
		if (a->next || n->simple.words)
			str_addc(p->out, ' ');
	}
	if (n->simple.decl)
		print_decl(p, n->simple.decl);
	else
		print_words(p, n->simple.words, " ");
}

/* ---- Lists and pipelines ---- */

/* Between an item and the next (or nothing): ; & or a newline. */
static void print_separator(struct printer *p, const struct node *item)
{
	bool newline = p->command_sub && item->newline;
	bool here = p->deferred || p->was_here;

	if (item->background) {
		print_deferred(p, " &");
		if (item->next) {
			str_addc(p->out, ' ');
			p->skip++;
		}
		return;
	}
	if (p->deferred)
		print_deferred(p, p->function ? "" : ";");
	else if (!p->was_here)
		str_addc(p->out, newline ? '\n' : ';');
	else
		p->was_here = false;
	if (p->function || (newline && here)) {
		str_addc(p->out, '\n');
		return;
	}
	if (!newline)
		str_addc(p->out, ' ');
	p->skip++;
}

/*
 * bash joins items two by two, those with & more closely than those with ;. A
 * here-document of the first of two waits for the text behind it, one of the
 * second does not.
 */
static void print_list(struct printer *p, const struct node *n)
{
	const struct node *before = NULL, *first = n->list.first;

	p->skip++;
	if (!first->next && !first->background) {
		print_command(p, first);
		return;
	}
	p->connection++;
	for (const struct node *item = first; item; before = item, item = item->next) {
		print_command(p, item);
		if (before && (!item->background || before->background))
			print_flush(p);
		if (item->next || item->background)
			print_separator(p, item);
	}
	print_flush(p);
	p->connection--;
}

/* Left-deep, and as long as it likes: first down, then back up. */
static void print_and_or(struct printer *p, const struct node *n)
{
	VEC(const struct node *) spine = { 0 };
	struct tsb_heap *heap = p->out->heap;

	for (; n->kind == NODE_AND || n->kind == NODE_OR; n = n->binary.a) {
		const struct node **place = vec_add(heap, &spine);

		if (!place) {
			p->out->bad = true;
			break;
		}
		*place = n;
	}
	if (p->out->bad) {
		vec_end(heap, &spine);
		return;
	}
	p->skip++;
	p->connection++;
	print_command(p, n);
	while (spine.n) {
		n = vec_pop(&spine);
		print_deferred(p, n->kind == NODE_AND ? " && " : " || ");
		p->skip++;
		print_command(p, n->binary.b);
		print_flush(p);
	}
	p->connection--;
	vec_end(heap, &spine);
}

static void print_pipeline(struct printer *p, const struct node *n)
{
	const struct node *stage = n->pipeline.first;

	if (n->pipeline.timed)
		str_adds(p->out, n->pipeline.timed_posix ? "time -p " : "time ");
	if (n->pipeline.negate)
		str_adds(p->out, "! ");
	p->skip++;
	if (!stage->next) {
		print_command(p, stage);
		return;
	}
	p->connection++;
	for (; stage; stage = stage->next) {
		print_command(p, stage);
		if (stage != n->pipeline.first)
			print_flush(p);
		if (!stage->next)
			break;
		print_deferred(p, " |");
		str_addc(p->out, ' ');
		p->skip++;
	}
	p->connection--;
}

/* ---- Compound commands ---- */

/* A body one level deeper. */
static void print_body(struct printer *p, const struct node *body)
{
	p->indent += p->amount;
	print_command(p, body);
	print_flush(p);
	p->indent -= p->amount;
}

static void print_loop_body(struct printer *p, const struct node *body)
{
	print_newline(p, "do\n");
	p->indent += p->amount;
	print_command(p, body);
	print_flush(p);
	print_semicolon(p);
	p->indent -= p->amount;
	print_newline(p, "done");
}

static void print_for(struct printer *p, const struct node *n)
{
	str_addf(p->out, "%s %s in ", n->kind == NODE_FOR ? "for" : "select", n->loop.name.s);
	if (n->loop.has_in)
		print_words(p, n->loop.words, " ");
	else
		str_adds(p->out, "\"$@\"");
	str_addc(p->out, ';');
	print_loop_body(p, n->loop.body);
}

static void print_for_part(struct printer *p, const struct arith *a)
{
	if (a)
		print_word(p->out, a->word);
	else
		str_addc(p->out, '1');
}

static void print_for_arith(struct printer *p, const struct node *n)
{
	str_adds(p->out, "for ((");
	print_for_part(p, n->loop_arith.init);
	str_adds(p->out, "; ");
	print_for_part(p, n->loop_arith.test);
	str_adds(p->out, "; ");
	print_for_part(p, n->loop_arith.step);
	str_adds(p->out, "))");
	print_loop_body(p, n->loop_arith.body);
}

static void print_while(struct printer *p, const struct node *n)
{
	str_adds(p->out, n->kind == NODE_WHILE ? "while " : "until ");
	p->skip++;
	print_command(p, n->flow.test);
	print_flush(p);
	print_semicolon(p);
	str_adds(p->out, " do\n");
	print_body(p, n->flow.body);
	print_semicolon(p);
	print_newline(p, "done");
}

/* elif is printed as an if in the else: the closing parts are counted. */
static void print_if(struct printer *p, const struct node *n)
{
	unsigned open = 0;

	for (;;) {
		str_adds(p->out, "if ");
		p->skip++;
		print_command(p, n->flow.test);
		print_semicolon(p);
		str_adds(p->out, " then\n");
		print_body(p, n->flow.body);
		open++;
		n = n->flow.otherwise;
		if (!n)
			break;
		print_semicolon(p);
		print_newline(p, "else\n");
		if (n->kind != NODE_IF || n->redirs || n->background) {
			print_body(p, n);
			break;
		}
		p->indent += p->amount;
		print_indent(p);
	}
	while (open--) {
		print_semicolon(p);
		print_newline(p, "fi");
		if (open)
			p->indent -= p->amount;
	}
}

static void print_case(struct printer *p, const struct node *n)
{
	static const char *const ends[] = { ";;", ";&", ";;&" };

	str_adds(p->out, "case ");
	print_word(p->out, n->match.word);
	str_adds(p->out, " in ");
	p->indent += p->amount;
	for (const struct case_item *item = n->match.items; item; item = item->next) {
		print_newline(p, "");
		print_words(p, item->patterns, " | ");
		str_adds(p->out, ")\n");
		p->indent += p->amount;
		if (item->body)
			print_command(p, item->body);
		p->indent -= p->amount;
		print_flush(p);
		print_newline(p, ends[item->end]);
	}
	p->indent -= p->amount;
	print_newline(p, "esac");
}

static void print_group(struct printer *p, const struct node *n)
{
	str_adds(p->out, "{ ");
	if (p->function) {
		str_addc(p->out, '\n');
		p->indent += p->amount;
	} else {
		p->skip++;
	}
	print_command(p, n->flow.body);
	print_flush(p);
	if (p->function) {
		str_addc(p->out, '\n');
		p->indent -= p->amount;
		print_indent(p);
	} else {
		print_semicolon(p);
		str_addc(p->out, ' ');
	}
	str_addc(p->out, '}');
}

static void print_subshell(struct printer *p, const struct node *n)
{
	str_adds(p->out, "( ");
	p->skip++;
	print_command(p, n->flow.body);
	print_flush(p);
	str_adds(p->out, " )");
}

/* ---- [[ ]] ---- */

static void print_cond(struct str *out, const struct cond *c)
{
	for (unsigned i = 0; i < c->groups; i++)
		str_adds(out, "( ");
	switch (c->kind) {
	case COND_AND:
	case COND_OR:
		print_cond(out, c->left);
		str_adds(out, c->kind == COND_AND ? " && " : " || ");
		print_cond(out, c->right);
		break;
	case COND_NOT:
		str_adds(out, "! ");
		print_cond(out, c->left);
		break;
	case COND_WORD:
	case COND_UNARY:
		str_addf(out, "%s ", c->kind == COND_WORD ? "-n" : c->op);
		print_word(out, c->a);
		break;
	case COND_BINARY:
		print_word(out, c->a);
		str_addf(out, " %s ", c->op);
		print_word(out, c->b);
		break;
	}
	for (unsigned i = 0; i < c->groups; i++)
		str_adds(out, " )");
}

/* ---- Functions ---- */

/* From the { on: the body of a group is the function's own; `by` deeper. */
static void print_function_in(struct printer *p, const struct node *body, unsigned by)
{
	bool group = body->kind == NODE_GROUP;
	const struct redir *redirs = group ? body->redirs : NULL;

	p->function++;
	p->indent += by;
	print_command(p, group ? body->flow.body : body);
	print_flush(p);
	p->indent -= by;
	p->function--;
	print_newline(p, redirs ? "} " : "}");
	if (redirs)
		print_redir_list(p, redirs, false);
}

static void print_function_body(struct printer *p, const struct node *body)
{
	str_adds(p->out, "{ \n");
	print_function_in(p, body, p->amount);
}

static void print_inner_function(struct printer *p, const struct node *n)
{
	str_addf(p->out, "%s%s () \n", p->posix ? "" : "function ", n->named.name.s);
	print_indent(p);
	print_function_body(p, n->named.body);
}

/* ---- All of them ---- */

static void print_by_kind(struct printer *p, const struct node *n)
{
	switch (n->kind) {
	case NODE_SIMPLE:
		print_simple(p, n);
		break;
	case NODE_PIPELINE:
		print_pipeline(p, n);
		break;
	case NODE_AND:
	case NODE_OR:
		print_and_or(p, n);
		break;
	case NODE_LIST:
		print_list(p, n);
		break;
	case NODE_SUBSHELL:
		print_subshell(p, n);
		break;
	case NODE_GROUP:
		print_group(p, n);
		break;
	case NODE_IF:
		print_if(p, n);
		break;
	case NODE_WHILE:
	case NODE_UNTIL:
		print_while(p, n);
		break;
	case NODE_FOR:
	case NODE_SELECT:
		print_for(p, n);
		break;
	case NODE_FOR_ARITH:
		print_for_arith(p, n);
		break;
	case NODE_CASE:
		print_case(p, n);
		break;
	case NODE_FUNCTION:
		print_inner_function(p, n);
		break;
	case NODE_ARITH:
		str_adds(p->out, "((");
		print_word(p->out, n->arith->word);
		str_adds(p->out, "))");
		break;
	case NODE_COND:
		str_adds(p->out, "[[ ");
		print_cond(p->out, n->cond);
		str_adds(p->out, " ]]");
		break;
	case NODE_COPROC:
		str_addf(p->out, "coproc %s ", n->named.name.n ? n->named.name.s : "COPROC");
		p->skip++;
		print_command(p, n->named.body);
		break;
	}
}

void print_command(struct printer *p, const struct node *n)
{
	if (p->skip)
		p->skip--;
	else
		print_indent(p);
	print_by_kind(p, n);
	if (n->redirs || n->pipe_stderr) {
		if (n->kind != NODE_SIMPLE || n->simple.words || n->simple.assigns)
			str_addc(p->out, ' ');
		print_redir_list(p, n->redirs, n->pipe_stderr);
	}
}

void print_node_posix(struct str *out, const struct node *n, bool posix)
{
	struct printer p = { .out = out, .amount = 4, .posix = posix };

	if (!n)
		return;
	print_command(&p, n);
	print_flush(&p);
}

void print_node(struct str *out, const struct node *n)
{
	print_node_posix(out, n, false);
}

void print_substitution(struct str *out, const struct node *n)
{
	struct printer p = { .out = out, .amount = 4, .command_sub = true };
	size_t start = out->n;

	if (!n)
		return;
	print_command(&p, n);
	print_flush(&p);
	if (out->n > start && out->p[start] == '(')
		str_insert(out, start, " ", 1);
}

void print_function(struct str *out, const struct node *function, bool posix)
{
	struct printer p = { .out = out, .amount = 4, .posix = posix };
	struct name name = function->named.name;

	if (parse_is_reserved(name.s, name.n))
		str_adds(out, "function ");
	str_addf(out, "%s () \n", name.s);
	print_function_body(&p, function->named.body);
}

void print_function_value(struct str *out, const struct node *function, bool posix)
{
	struct printer p = { .out = out, .posix = posix };

	str_adds(out, "() { ");
	print_function_in(&p, function->named.body, 1);
}
