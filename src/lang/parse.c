/*
 * The grammar from the top: script, lists, && and ||, pipelines; and the
 * public functions.
 *
 * Recursive descent with one token of look-ahead. Chains (lists, && ||, |, !)
 * are loops; only what nests recurses, through parse_command(), and counts.
 */
#include "lang/parser.h"

/* ---- Nodes ---- */

/* A node that begins with the token at hand. */
struct node *parse_node(struct parser *ps, enum node_kind kind)
{
	struct node *n = MEM_NEW(ps->mem, struct node);

	n->kind = kind;
	n->line = ps->tok.line;
	n->pos = lex_pos(ps, ps->tok.pos);
	return n;
}

/* n ends with the last token taken. */
struct node *parse_end(struct parser *ps, struct node *n)
{
	n->end = ps->last_end;
	n->line_end = ps->last_line;
	return n;
}

/* ---- Pipelines ---- */

static bool parse_word_is(const struct parser *ps, const char *z)
{
	return ps->tok.kind == TOK_WORD && ps->tok.word->flags & WORD_LITERAL &&
	       slice_is(ps->tok.word->text, z);
}

/* `time` counts as a word where -p or a command may follow. */
static bool parse_time_options(struct parser *ps)
{
	bool posix = false;

	lex_peek(ps, LEX_COMMAND | LEX_ASSIGN);
	if (parse_word_is(ps, "-p")) {
		lex_take(ps);
		posix = true;
		lex_peek(ps, LEX_COMMAND | LEX_ASSIGN);
	}
	if (parse_word_is(ps, "--")) {
		lex_take(ps);
		posix = true;
	}
	return posix;
}

/* ! and time, in any number. NULL: there are none. */
static struct node *parse_prefix(struct parser *ps)
{
	struct node *n = NULL;

	for (;;) {
		bool bang, timed;

		lex_peek(ps, LEX_COMMAND | LEX_ASSIGN);
		bang = ps->tok.reserved == R_BANG;
		timed = !bang && ps->tok.reserved == R_TIME;
		if (!bang && !timed)
			return n;
		if (!n)
			n = parse_node(ps, NODE_PIPELINE);
		lex_take(ps);
		if (bang) {
			n->pipeline.negate = !n->pipeline.negate;
		} else {
			n->pipeline.timed = true;
			n->pipeline.timed_posix |= parse_time_options(ps);
		}
	}
}

static bool parse_at_terminator(struct parser *ps)
{
	enum tok_kind kind = lex_peek(ps, LEX_COMMAND | LEX_ASSIGN);

	return kind == TOK_NEWLINE || kind == TOK_SEMI || kind == TOK_EOF;
}

/* The stages behind the first one. */
static bool parse_stages(struct parser *ps, struct node *pipeline, struct node *first)
{
	struct node *last = first;

	pipeline->pipeline.first = first;
	pipeline->pipeline.n = 1;
	for (;;) {
		enum tok_kind kind = lex_peek(ps, LEX_COMMAND | LEX_ASSIGN);

		if (kind != TOK_PIPE && kind != TOK_PIPE_AMP)
			return true;
		last->pipe_stderr = kind == TOK_PIPE_AMP;
		lex_take(ps);
		lex_newlines(ps);
		last->next = parse_command(ps);
		if (!last->next) {
			parse_unexpected(ps);
			return false;
		}
		last = last->next;
		pipeline->pipeline.n++;
	}
}

/*
 * Right behind $( bash takes `time` for a plain word while it parses (and for
 * the reserved word when it runs the text): no compound command may follow it.
 */
static struct node *parse_first_stage(struct parser *ps, bool plain)
{
	if (!plain)
		return parse_command(ps);
	if (lex_peek(ps, LEX_COMMAND | LEX_ASSIGN) == TOK_LPAREN) {
		lex_take(ps);
		lex_peek(ps, LEX_COMMAND);
		return parse_unexpected(ps);
	}
	return ps->tok.reserved == R_COND ? parse_command(ps) : parse_simple(ps);
}

static struct node *parse_pipeline(struct parser *ps)
{
	bool first_of_all = ps->time_first;
	struct node *pipeline, *first;
	enum tok_kind kind;

	ps->time_first = false;
	lex_peek(ps, LEX_COMMAND | LEX_ASSIGN);
	first_of_all &= ps->tok.reserved == R_TIME;
	pipeline = parse_prefix(ps);

	if (pipeline && parse_at_terminator(ps)) {
		first = parse_end(ps, parse_node(ps, NODE_SIMPLE));
		pipeline->pipeline.first = first;
		pipeline->pipeline.n = 1;
		return parse_end(ps, pipeline);
	}
	first = parse_first_stage(ps, first_of_all);
	if (!first)
		return pipeline ? parse_unexpected(ps) : NULL;
	kind = lex_peek(ps, LEX_COMMAND | LEX_ASSIGN);
	if (pipeline && !pipeline->pipeline.negate && !pipeline->pipeline.timed)
		pipeline = NULL;
	if (!pipeline && kind != TOK_PIPE && kind != TOK_PIPE_AMP)
		return first;
	if (!pipeline) {
		pipeline = MEM_NEW(ps->mem, struct node);
		pipeline->kind = NODE_PIPELINE;
		pipeline->line = first->line;
		pipeline->pos = first->pos;
	}
	if (!parse_stages(ps, pipeline, first))
		return NULL;
	return parse_end(ps, pipeline);
}

/* ---- Lists ---- */

static struct node *parse_and_or(struct parser *ps)
{
	struct node *left = parse_pipeline(ps);

	while (left) {
		enum tok_kind kind = lex_peek(ps, LEX_COMMAND | LEX_ASSIGN);
		struct node *n;

		if (kind != TOK_AND && kind != TOK_OR)
			break;
		lex_take(ps);
		lex_newlines(ps);
		n = MEM_NEW(ps->mem, struct node);
		n->kind = kind == TOK_AND ? NODE_AND : NODE_OR;
		n->line = left->line;
		n->pos = left->pos;
		n->binary.a = left;
		n->binary.b = parse_pipeline(ps);
		if (!n->binary.b)
			return parse_unexpected(ps);
		left = parse_end(ps, n);
	}
	return left;
}

/* Behind an item of a list: may another one follow? */
static bool parse_separator(struct parser *ps, struct node *item)
{
	switch (lex_peek(ps, LEX_COMMAND | LEX_ASSIGN)) {
	case TOK_AMP:
		item->background = true;
		break;
	case TOK_NEWLINE:
		item->newline = true;
		break;
	case TOK_SEMI:
		break;
	default:
		return false;
	}
	lex_take(ps);
	lex_newlines(ps);
	return true;
}

/* first: the items. */
static struct node *parse_list_node(struct parser *ps, struct node *first)
{
	struct node *list = MEM_NEW(ps->mem, struct node);

	list->kind = NODE_LIST;
	list->line = first->line;
	list->pos = first->pos;
	list->list.first = first;
	return parse_end(ps, list);
}

/* A list of commands up to what cannot begin one; NULL if there are none. A
 * single command stands for itself. */
struct node *parse_list(struct parser *ps)
{
	struct node *first, **tail = &first;

	lex_newlines(ps);
	first = parse_and_or(ps);
	if (!first)
		return NULL;
	if (!parse_separator(ps, first) || ps->failed)
		return ps->failed ? NULL : first;
	do {
		tail = &(*tail)->next;
		*tail = parse_and_or(ps);
	} while (*tail && parse_separator(ps, *tail));
	if (ps->failed)
		return NULL;
	if (!first->next && !first->background)
		return first;
	return parse_list_node(ps, first);
}

/* ---- Scripts ---- */

/* A token that cannot follow a command: bash has read the here-documents of the
 * line before it complains, and names the line it is at then. */
static void parse_unexpected_last(struct parser *ps)
{
	struct lex_frame *in = &ps->in;
	struct failure failure;
	const char *newline;

	if (ps->failed)
		return;
	newline = memchr(in->s + in->pos, '\n', in->end - in->pos);
	parse_unexpected(ps);
	if (!ps->here || !newline || ps->failure.limit)
		return;
	failure = ps->failure;
	ps->failed = false;
	in->pos = (size_t)(newline - in->s) + 1;
	lex_here_bodies(ps);
	failure.line = failure.detail_line = lex_line(ps, in->pos - 1);
	ps->failure = failure;
	ps->failed = true;
}

static void parse_script_body(struct parser *ps)
{
	struct node *body = parse_list(ps), *list;

	if (lex_peek(ps, LEX_COMMAND | LEX_ASSIGN) != TOK_EOF)
		parse_unexpected_last(ps);
	if (!ps->failed && ps->here)
		lex_here_bodies(ps);
	if (ps->deferred && body && !ps->failed)
		number_end(ps, body);
	if (ps->failed || !body || body->kind == NODE_LIST) {
		ps->script->body = body;
		return;
	}
	list = MEM_NEW(ps->mem, struct node);
	*list = *body;
	list->kind = NODE_LIST;
	list->redirs = NULL;
	list->list.first = body;
	ps->script->body = list;
}

/* Is what was just read of the text behind an alias, which lex_grow() joined to it? */
static bool line_was_grown(const struct parser *ps)
{
	return ps->in.below && !ps->in.below->below && ps->in.pos > ps->in.alias_end;
}

/* The end of a line: of the text itself, not of an alias with several. */
static bool parse_line_ends(struct parser *ps)
{
	while (lex_peek(ps, LEX_COMMAND | LEX_ASSIGN) == TOK_NEWLINE) {
		lex_take(ps);
		if (!ps->in.below || line_was_grown(ps))
			return true;
	}
	return ps->tok.kind == TOK_EOF || ps->failed;
}

/* Behind an item: true if another one follows on this line. */
static bool parse_line_goes_on(struct parser *ps, struct node *item)
{
	enum tok_kind kind = lex_peek(ps, LEX_COMMAND | LEX_ASSIGN);

	item->background = kind == TOK_AMP;
	item->newline = kind == TOK_NEWLINE;
	if (kind == TOK_AMP || kind == TOK_SEMI)
		lex_take(ps);
	else if (kind != TOK_NEWLINE)
		return false;
	return !parse_line_ends(ps);
}

/* The last of them ends where the parser is: behind the here-documents. */
static void parse_line_number(struct parser *ps, struct node *last)
{
	while (last->next)
		last = last->next;
	if (ps->here_line > last->line_end)
		last->line_end = ps->here_line;
	if (ps->deferred)
		number_end(ps, last);
}

/* The commands of a line. */
static struct node *parse_line(struct parser *ps)
{
	struct node *first, **tail = &first;

	ps->here_line = 0;
	lex_newlines(ps);
	first = parse_and_or(ps);
	while (*tail && parse_line_goes_on(ps, *tail)) {
		tail = &(*tail)->next;
		*tail = parse_and_or(ps);
	}
	if (ps->have && lex_peek(ps, LEX_COMMAND | LEX_ASSIGN) != TOK_EOF)
		parse_unexpected_last(ps);
	if (!ps->failed && ps->here)
		lex_here_bodies(ps);
	if (!first || ps->failed)
		return NULL;
	if (ps->here_line || ps->deferred)
		parse_line_number(ps, first);
	return first;
}

static void parse_line_body(struct parser *ps)
{
	struct node *first = parse_line(ps);
	const struct lex_frame *in = &ps->in;
	size_t rest = line_was_grown(ps) ? in->end - in->pos : 0;	/* joined, and not read */

	while (in->below)	/* the line ended in an alias: with all of the text */
		in = in->below;
	ps->script->end = rest <= in->pos ? in->pos - rest : in->pos;
	ps->script->body = first ? parse_list_node(ps, first) : NULL;
}

struct node *parse_late_list(struct parser *ps)
{
	struct node *first, **tail = &first;

	while ((*tail = parse_line(ps)))
		while (*tail)
			tail = &(*tail)->next;
	return first && (first->next || first->background) ? parse_list_node(ps, first) : first;
}

struct script *parse_script(struct tsb_heap *heap, const char *text, size_t n,
			    const struct parse_options *opt, struct parse_error *err)
{
	return parse_run(heap, (struct parse_text){ text, n, NULL }, opt, err, parse_script_body);
}

static void parse_nothing(struct parser *ps)
{
	(void)ps;
}

bool parse_lines_begin(struct parse_lines *l, struct tsb_heap *heap, const char *text, size_t n,
		       const struct parse_options *opt, struct parse_error *err)
{
	*l = (struct parse_lines){ .line = opt->line ? opt->line : 1 };
	if (n <= opt->source_max)
		l->source = parse_text_script(heap, text, n, opt->name);
	if (!l->source)		/* too long, or no memory: this says so */
		l->source = parse_run(heap, (struct parse_text){ text, n, NULL }, opt, err, parse_nothing);
	return l->source != NULL;
}

bool parse_lines_done(const struct parse_lines *l)
{
	const struct script *s = l->source;
	size_t i = l->pos;

	while (i < s->n && (lex_is(s->text[i], C_BLANK) || s->text[i] == '\n'))
		i++;
	return i == s->n;
}

struct script *parse_lines_next(struct parse_lines *l, const struct parse_options *opt,
				struct parse_error *err)
{
	struct script *s;

	if (l->pos == l->source->n)
		return NULL;
	s = parse_run(l->source->heap, (struct parse_text){ .lines = l }, opt, err,
		      parse_line_body);
	if (s && !s->body) {
		script_drop(s);
		return NULL;
	}
	return s;
}
