/*
 * Compound commands: what begins with a reserved word or a parenthesis.
 *
 * A reserved word is a word without quotes in command position; nothing else
 * distinguishes it from any other.
 */
#include "lang/parser.h"

/* Takes the reserved word r; else an error. */
static bool parse_expect(struct parser *ps, enum reserved r)
{
	lex_peek(ps, LEX_COMMAND | LEX_ASSIGN);
	if (ps->tok.reserved != r) {
		parse_unexpected(ps);
		return false;
	}
	lex_take(ps);
	return true;
}

/* A list that may not be empty. */
static struct node *parse_body(struct parser *ps)
{
	struct node *n = parse_list(ps);

	return n ? n : parse_unexpected(ps);
}

/* { list } or do list done. */
static struct node *parse_loop_body(struct parser *ps)
{
	struct node *n;

	lex_peek(ps, LEX_COMMAND | LEX_ASSIGN);
	if (ps->tok.reserved == R_GROUP) {
		lex_take(ps);
		n = parse_body(ps);
		return n && parse_expect(ps, R_GROUP_END) ? n : NULL;
	}
	if (!parse_expect(ps, R_DO))
		return NULL;
	n = parse_body(ps);
	return n && parse_expect(ps, R_DONE) ? n : NULL;
}

/* ---- if, while ---- */

/* if and every elif: each is an IF node in the `otherwise` of the one before. */
static struct node *parse_if(struct parser *ps, struct node *first)
{
	struct node *n = first;

	for (;;) {
		n->flow.test = parse_body(ps);
		if (!n->flow.test || !parse_expect(ps, R_THEN))
			return NULL;
		n->flow.body = parse_body(ps);
		if (!n->flow.body)
			return NULL;
		lex_peek(ps, LEX_COMMAND | LEX_ASSIGN);
		if (ps->tok.reserved != R_ELIF)
			break;
		n->flow.otherwise = parse_node(ps, NODE_IF);
		n = n->flow.otherwise;
		lex_take(ps);
	}
	if (ps->tok.reserved == R_ELSE) {
		lex_take(ps);
		n->flow.otherwise = parse_body(ps);
		if (!n->flow.otherwise)
			return NULL;
	}
	if (!parse_expect(ps, R_FI))
		return NULL;
	for (n = first->flow.otherwise; n && n->kind == NODE_IF && !n->end; n = n->flow.otherwise)
		parse_end(ps, n);
	return first;
}

static struct node *parse_while(struct parser *ps, struct node *n)
{
	n->flow.test = parse_body(ps);
	if (!n->flow.test || !parse_expect(ps, R_DO))
		return NULL;
	n->flow.body = parse_body(ps);
	return n->flow.body && parse_expect(ps, R_DONE) ? n : NULL;
}

/* ---- for, select ---- */

/* ; or newlines between the head of a loop and its body. */
static void parse_terminator(struct parser *ps)
{
	if (lex_peek(ps, LEX_COMMAND | LEX_ASSIGN) == TOK_SEMI)
		lex_take(ps);
	lex_newlines(ps);
}

static bool parse_for_words(struct parser *ps, struct node *n)
{
	struct word **tail = &n->loop.words;

	n->loop.has_in = true;
	while (lex_peek(ps, 0) == TOK_WORD) {
		*tail = ps->tok.word;
		tail = &(*tail)->next;
		lex_take(ps);
	}
	if (ps->tok.kind != TOK_SEMI && ps->tok.kind != TOK_NEWLINE) {
		parse_unexpected(ps);
		return false;
	}
	parse_terminator(ps);
	return true;
}

/* for name .. and select name ..; the name is at hand. */
static struct node *parse_for(struct parser *ps, struct node *n)
{
	if (lex_peek(ps, 0) != TOK_WORD)
		return parse_unexpected(ps);
	n->loop.name = parse_name(ps, ps->tok.word->text.p, ps->tok.word->text.n);
	lex_take(ps);
	if (lex_peek(ps, LEX_COMMAND) == TOK_SEMI) {
		parse_terminator(ps);
	} else if (ps->tok.reserved == R_GROUP) {
		return parse_unexpected(ps);
	} else {
		lex_newlines(ps);
		if (ps->tok.reserved == R_IN) {
			lex_take(ps);
			if (!parse_for_words(ps, n))
				return NULL;
		}
	}
	ps->redir_line = n->line;
	n->loop.body = parse_loop_body(ps);
	return n->loop.body ? n : NULL;
}

/* ---- for (( ; ; )) ---- */

/* bash's words for too few parts, and for one too many. */
static void *parse_for_fail(struct parser *ps, size_t open, size_t close, bool extra)
{
	parse_fail(ps, lex_line(ps, close), open, "%s", extra ? "syntax error: `;' unexpected" :
		   "syntax error: arithmetic expression required");
	str_reset(&ps->text);
	str_addf(&ps->text, "syntax error: `(%.*s)'", (int)(close + 1 - open), ps->in.s + open);
	ps->failure.detail = text_dup(ps);
	return NULL;
}

/* One part up to ; or ), without blanks before it; NULL if it is empty. */
static struct arith *parse_for_part(struct parser *ps)
{
	struct lex_frame *in = &ps->in;
	struct arith *a;

	while (lex_is(in->s[in->pos], C_BLANK))
		in->pos++;
	a = word_arith(ps, QUOTED_FOR);
	return a && a->text.n ? a : NULL;
}

/* The three parts; pos is at the second parenthesis. */
static struct node *parse_for_arith(struct parser *ps, struct node *n)
{
	struct lex_frame *in = &ps->in;
	size_t open = in->pos++, close;
	struct arith *parts[3] = { NULL, NULL, NULL };
	unsigned count = 0;

	for (;;) {
		struct arith *a = parse_for_part(ps);

		if (count < 3)
			parts[count] = a;
		count++;
		if (ps->failed || in->s[in->pos] != ';')
			break;
		in->pos++;
	}
	close = in->pos;
	if (ps->failed)
		return NULL;
	if (in->s[close] != ')')
		return parse_unmatched(ps, ')', open);
	if (in->s[close + 1] != ')') {
		ps->tok = (struct token){ .kind = TOK_LPAREN, .pos = open - 1, .end = open };
		return parse_unexpected(ps);
	}
	in->pos = close + 2;
	n->kind = NODE_FOR_ARITH;
	n->loop_arith.init = parts[0];
	n->loop_arith.test = parts[1];
	n->loop_arith.step = parts[2];
	parse_terminator(ps);
	n->loop_arith.body = parse_loop_body(ps);
	if (count != 3 && !ps->failed)
		return parse_for_fail(ps, open, close, count > 3);
	return n->loop_arith.body ? n : NULL;
}

static struct node *parse_for_any(struct parser *ps, struct node *n)
{
	if (lex_peek(ps, 0) != TOK_LPAREN)
		return parse_for(ps, n);
	lex_take(ps);
	if (ps->in.s[ps->in.pos] != '(')
		return parse_unexpected(ps);
	return parse_for_arith(ps, n);
}

/* ---- case ---- */

static bool parse_case_patterns(struct parser *ps, struct case_item *item)
{
	struct word **tail = &item->patterns;

	for (;;) {
		if (lex_peek(ps, 0) != TOK_WORD)
			break;
		*tail = ps->tok.word;
		tail = &(*tail)->next;
		lex_take(ps);
		if (lex_peek(ps, 0) != TOK_PIPE)
			break;
		lex_take(ps);
	}
	if (ps->tok.kind != TOK_RPAREN || !item->patterns) {
		parse_unexpected(ps);
		return false;
	}
	lex_take(ps);
	return true;
}

/* Items up to esac. */
static bool parse_case_items(struct parser *ps, struct case_item **tail)
{
	for (;;) {
		struct case_item *item;

		while (lex_peek(ps, 0) == TOK_NEWLINE)
			lex_take(ps);
		if (ps->tok.reserved == R_ESAC) {
			lex_take(ps);
			return true;
		}
		item = MEM_NEW(ps->mem, struct case_item);
		if (ps->tok.kind == TOK_LPAREN)
			lex_take(ps);
		if (!parse_case_patterns(ps, item))
			return false;
		item->body = parse_list(ps);
		*tail = item;
		tail = &item->next;
		switch (lex_peek(ps, LEX_COMMAND | LEX_ASSIGN)) {
		case TOK_FALL:
			item->end = CASE_FALL;
			break;
		case TOK_CONTINUE:
			item->end = CASE_CONTINUE;
			break;
		case TOK_BREAK:
			break;
		default:
			return parse_expect(ps, R_ESAC);
		}
		lex_take(ps);
	}
}

static struct node *parse_case(struct parser *ps, struct node *n)
{
	if (lex_peek(ps, 0) != TOK_WORD)
		return parse_unexpected(ps);
	n->match.word = ps->tok.word;
	n->line = ps->tok.line_end;
	lex_take(ps);
	while (lex_peek(ps, 0) == TOK_NEWLINE)
		lex_take(ps);
	if (ps->tok.reserved != R_IN)
		return parse_unexpected(ps);
	lex_take(ps);
	ps->redir_line = n->line;
	return parse_case_items(ps, &n->match.items) ? n : NULL;
}

/* ---- Groups, functions, coprocesses ---- */

static struct node *parse_group(struct parser *ps, struct node *n)
{
	n->flow.body = parse_body(ps);
	return n->flow.body && parse_expect(ps, R_GROUP_END) ? n : NULL;
}

static struct node *parse_subshell(struct parser *ps, struct node *n)
{
	n->flow.body = parse_body(ps);
	if (!n->flow.body)
		return NULL;
	if (lex_peek(ps, LEX_COMMAND | LEX_ASSIGN) != TOK_RPAREN)
		return parse_unexpected(ps);
	lex_take(ps);
	return n;
}

/* ( at hand: arithmetic if it is (( .. )), else a subshell. */
static struct node *parse_paren(struct parser *ps, struct node *n)
{
	struct lex_frame *in = &ps->in;
	struct arith *a;

	lex_take(ps);
	if (in->s[in->pos] == '(') {
		size_t open = in->pos++;

		a = word_double_paren(ps, false);
		if (a) {
			n->kind = NODE_ARITH;
			n->arith = a;
			ps->last_end = lex_pos(ps, in->pos);
			n->line = ps->last_line = lex_line(ps, in->pos);
			return n;
		}
		if (ps->failed)
			return NULL;
		in->pos = open;
	}
	return parse_subshell(ps, n);
}

/* Behind the () of a function; n has its position. */
struct node *parse_function_body(struct parser *ps, struct node *n, const struct word *name)
{
	uint32_t outer = ps->redir_line;

	n->kind = NODE_FUNCTION;
	memset(&n->named, 0, sizeof(n->named));
	n->named.name = parse_name(ps, name->text.p, name->text.n);
	lex_newlines(ps);
	ps->redir_line = ps->tok.line;
	if (ps->tok.reserved == R_GROUP)
		ps->body_line = ps->tok.line;
	n->named.body = parse_compound(ps);
	ps->redir_line = outer;
	if (!n->named.body)
		return parse_unexpected(ps);
	if (n->named.body->kind == NODE_GROUP)
		n->named.body->line = ps->body_line;
	return parse_end(ps, n);
}

static struct node *parse_function(struct parser *ps, struct node *n)
{
	const struct word *name;

	if (lex_peek(ps, 0) != TOK_WORD)
		return parse_unexpected(ps);
	name = ps->tok.word;
	lex_take(ps);
	if (lex_peek(ps, LEX_COMMAND) == TOK_LPAREN) {
		size_t i = ps->in.pos;

		while (lex_is(ps->in.s[i], C_BLANK))
			i++;
		if (ps->in.s[i] == ')') {
			lex_take(ps);
			lex_peek(ps, 0);
			lex_take(ps);
		}
	}
	return parse_function_body(ps, n, name);
}

/* coproc [NAME] compound, or coproc simple command. */
static struct node *parse_coproc(struct parser *ps, struct node *n)
{
	enum tok_kind kind = lex_peek(ps, LEX_COMMAND | LEX_ASSIGN);

	if (parse_at_compound(ps))
		n->named.body = parse_compound(ps);
	else if (kind == TOK_WORD && ps->tok.reserved == R_NONE)
		n->named.body = parse_coproc_word(ps, n);
	else if (kind == TOK_ASSIGN || kind == TOK_REDIR)
		n->named.body = parse_simple(ps);
	return n->named.body ? n : parse_unexpected(ps);
}

/* ---- All of them ---- */

static struct node *compound_by_word(struct parser *ps, struct node *n, enum reserved r)
{
	lex_take(ps);
	switch (r) {
	case R_IF:
		return parse_if(ps, n);
	case R_WHILE:
		return parse_while(ps, n);
	case R_UNTIL:
		n->kind = NODE_UNTIL;
		return parse_while(ps, n);
	case R_FOR:
		return parse_for_any(ps, n);
	case R_SELECT:
		n->kind = NODE_SELECT;
		return parse_for(ps, n);
	case R_CASE:
		return parse_case(ps, n);
	case R_COND:
		return parse_cond_command(ps, n);
	default:
		return parse_group(ps, n);
	}
}

static const enum node_kind kind_of_reserved[] = {
	[R_IF] = NODE_IF, [R_WHILE] = NODE_WHILE, [R_UNTIL] = NODE_UNTIL, [R_FOR] = NODE_FOR,
	[R_SELECT] = NODE_SELECT, [R_CASE] = NODE_CASE, [R_GROUP] = NODE_GROUP,
	[R_COND] = NODE_COND
};

static bool reserved_is_compound(enum reserved r)
{
	return r >= R_IF && r <= R_COND;
}

bool parse_at_compound(struct parser *ps)
{
	return ps->tok.kind == TOK_LPAREN || reserved_is_compound(ps->tok.reserved);
}

static bool compound_redirs(struct parser *ps, struct redir **tail)
{
	bool good, outer = ps->compound_redirs;

	ps->compound_redirs = true;
	good = parse_redirs(ps, tail);
	ps->compound_redirs = outer;
	return good;
}

/* A compound command with its redirections; NULL without failure if none is at
 * hand. */
struct node *parse_compound(struct parser *ps)
{
	enum tok_kind kind = lex_peek(ps, LEX_COMMAND | LEX_ASSIGN);
	enum reserved r = ps->tok.reserved;
	bool word = reserved_is_compound(r);
	uint32_t redir_line = ps->redir_line;
	struct unnumbered *mark;
	struct node *n;

	if (kind != TOK_LPAREN && !word)
		return NULL;
	if (!parse_enter(ps))
		return NULL;
	n = parse_node(ps, word ? kind_of_reserved[r] : NODE_SUBSHELL);
	n = word ? compound_by_word(ps, n, r) : parse_paren(ps, n);
	parse_leave(ps);
	ps->redir_line = redir_line;
	mark = ps->unnumbered;
	if (!n || ps->failed || !compound_redirs(ps, &n->redirs))
		return NULL;
	if (ps->unnumbered != mark)
		number_redirs(ps, mark);
	return parse_end(ps, n);
}

static struct node *command_begin(struct parser *ps)
{
	enum tok_kind kind = lex_peek(ps, LEX_COMMAND | LEX_ASSIGN);
	enum reserved r;
	struct node *n;

	switch (kind) {
	case TOK_LPAREN:
		return parse_compound(ps);
	case TOK_ASSIGN:
	case TOK_REDIR:
		return parse_simple(ps);
	case TOK_WORD:
		break;
	default:
		return NULL;
	}
	r = ps->tok.reserved;
	if (r == R_NONE || r == R_TIME)
		return parse_simple(ps);
	if (reserved_is_compound(r))
		return parse_compound(ps);
	if (r != R_FUNCTION && r != R_COPROC)
		return NULL;
	if (!parse_enter(ps))
		return NULL;
	n = parse_node(ps, ps->tok.reserved == R_COPROC ? NODE_COPROC : NODE_FUNCTION);
	lex_take(ps);
	n = n->kind == NODE_COPROC ? parse_coproc(ps, n) : parse_function(ps, n);
	parse_leave(ps);
	return n && !ps->failed ? parse_end(ps, n) : NULL;
}

/* Any command; NULL without failure if none begins here. */
struct node *parse_command(struct parser *ps)
{
	struct unnumbered *mark;
	struct node *n;

	lex_peek(ps, LEX_COMMAND | LEX_ASSIGN);
	mark = ps->tok.mark;
	n = command_begin(ps);
	if (ps->unnumbered != mark && n)
		number_settle(ps, mark, n->line);
	return n;
}
