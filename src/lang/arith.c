/*
 * Arithmetic -> tree, by precedence climbing, with bash's tokens and messages.
 *
 * The same code serves two texts: one that has been expanded (arith_parse) and
 * the parts of a word before expansion (arith_from_word). In the latter every
 * expansion is a NUL in the text, a hole, and becomes an ARITH_PARAM leaf; where
 * a hole is glued to a name or a number it may be half a token, and there is no
 * tree.
 *
 * Chains of operators of one level are loops and give left-deep trees of any
 * length. Whatever recurses counts its depth.
 */
#include "lang/parser.h"

enum arith_tok {
	T_END, T_NUMBER, T_NAME, T_HOLE, T_OPEN, T_CLOSE, T_QUESTION, T_COLON,
	T_INC, T_DEC,		/* before a name, or right behind one */
	T_NOT, T_BITNOT,
	T_BINARY,		/* op: MUL .. OR, COMMA */
	T_ASSIGN		/* op: what it does before, or ASSIGN */
};

struct arith_parser {
	struct lang_memory *mem;
	const char *s;
	size_t i, n;
	struct part *holes;	/* the next hole, in order */
	enum arith_tok tok, before;	/* the token at hand, and the one before it */
	enum arith_op op;
	int64_t value;
	struct name name;
	struct subscript sub;
	struct part *part;
	size_t pos;		/* of the last token that was not the end */
	unsigned depth;
	bool template, glued, effects;
	bool wrong;		/* arith_parse_wrong(): a failure is a node */
	struct arith_error *err;
};

static struct arith_node *arith_climb(struct arith_parser *ap, unsigned level);
static struct arith_node *arith_whole(struct arith_parser *ap);
static struct arith_node *arith_cond_nested(struct arith_parser *ap, struct arith_node *test);

static void *arith_fail(struct arith_parser *ap, const char *message)
{
	if (!ap->err->message) {
		ap->err->message = message;
		ap->err->pos = ap->pos;
	}
	ap->tok = T_END;
	ap->i = ap->n;
	if (ap->wrong) {
		struct arith_node *n = MEM_NEW(ap->mem, struct arith_node);

		n->op = ARITH_FAIL;
		return n;
	}
	return NULL;
}

/* The same behind a part that is read, and evaluated, by then. */
static void *arith_fail_behind(struct arith_parser *ap, struct arith_node *before,
			       const char *message)
{
	struct arith_node *fail = arith_fail(ap, message), *n;

	if (!fail || !before)
		return fail;
	n = MEM_NEW(ap->mem, struct arith_node);
	n->op = ARITH_COMMA;
	n->a = before;
	n->b = fail;
	return n;
}

/* ---- Numbers ---- */

static int number_digit(char c, int64_t base)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	if (c >= 'a' && c <= 'z')
		return c - 'a' + 10;
	if (c >= 'A' && c <= 'Z')
		return c - 'A' + (base <= 36 ? 10 : 36);
	return c == '@' ? 62 : c == '_' ? 63 : -1;
}

bool arith_number(const char *s, size_t n, int64_t *value, const char **message)
{
	uint64_t v = 0;
	int64_t base = 10;
	bool based = false;
	size_t i = 0;

	if (n > 1 && s[0] == '0') {
		based = true;
		base = s[1] == 'x' || s[1] == 'X' ? 16 : 8;
		i = base == 16 ? 2 : 1;
	}
	for (; i < n; i++) {
		int d = number_digit(s[i], base);

		if (s[i] == '#' && !based) {
			if (v < 2 || v > 64) {
				*message = "invalid arithmetic base";
				return false;
			}
			base = (int64_t)v;
			based = true;
			v = 0;
			if (i + 1 < n && number_digit(s[i + 1], base) >= 0)
				continue;
			*message = "invalid integer constant";
			return false;
		}
		if (d < 0 || d >= base) {
			*message = d < 0 ? "invalid number" : "value too great for base";
			return false;
		}
		v = v * (uint64_t)base + (uint64_t)d;
	}
	*value = (int64_t)v;
	return true;
}

static void token_number(struct arith_parser *ap)
{
	size_t from = ap->i;
	const char *message;

	while (ap->i < ap->n && (lex_is(ap->s[ap->i], C_NAME) || ap->s[ap->i] == '#' ||
				 ap->s[ap->i] == '@'))
		ap->i++;
	ap->tok = T_NUMBER;
	if (!arith_number(ap->s + from, ap->i - from, &ap->value, &message))
		arith_fail(ap, message);
}

/* ---- Names and subscripts ---- */

/* The ] that closes the [ at i, or n; also n if too many are open. */
static size_t subscript_end(const struct arith_parser *ap, size_t i)
{
	unsigned nest = 0;
	char quote = '\0';

	for (; i < ap->n; i++) {
		char c = ap->s[i];

		if (c == '\\' && quote != '\'')
			i++;
		else if (quote)
			quote = c == quote ? '\0' : quote;
		else if (c == '\'' || c == '"')
			quote = c;
		else if (c == '[' && nest++ > ap->depth)
			return ap->n;
		else if (c == ']' && --nest == 0)
			return i;
	}
	return ap->n;
}

static struct part *arith_text_part(struct arith_parser *ap, size_t from, size_t to)
{
	struct part *p = MEM_NEW(ap->mem, struct part);

	p->kind = PART_TEXT;
	p->text = (struct slice){ mem_dup(ap->mem, ap->s + from, to - from), to - from };
	return p;
}

/* Is there anything in the text that expands? */
static bool text_expands(const char *s, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (lex_is(s[i], C_EXPAND))
			return true;
	return false;
}

/* The next hole's part, alone in a list. */
static struct part *arith_take_hole(struct arith_parser *ap)
{
	struct part *p = MEM_NEW(ap->mem, struct part);

	while (ap->holes->kind == PART_TEXT)
		ap->holes = ap->holes->next;
	*p = *ap->holes;
	p->next = NULL;
	ap->holes = ap->holes->next;
	return p;
}

/* The text [from, to) behind *tail; what stands in quotes is a part without them. */
static struct part **arith_text_parts(struct arith_parser *ap, size_t from, size_t to, struct part **tail)
{
	while (from < to) {
		const char *open = memchr(ap->s + from, '\'', to - from), *close;
		size_t at = open ? (size_t)(open - ap->s) : to;

		close = open ? memchr(open + 1, '\'', to - at - 1) : NULL;
		if (!close)
			at = to;
		if (at > from) {
			*tail = arith_text_part(ap, from, at);
			tail = &(*tail)->next;
		}
		if (close) {
			*tail = arith_text_part(ap, at + 1, (size_t)(close - ap->s));
			(*tail)->kind = PART_SINGLE;
			tail = &(*tail)->next;
			at = (size_t)(close - ap->s) + 1;
		}
		from = at;
	}
	return tail;
}

/* The text [from, to) as a word: its holes are parts. */
static struct word *subscript_word(struct arith_parser *ap, size_t from, size_t to)
{
	struct word *w;
	struct part **tail;

	if (!ap->template && text_expands(ap->s + from, to - from))
		return parse_subscript_text(ap->mem, ap->s + from, to - from, ap->depth);
	w = MEM_NEW(ap->mem, struct word);
	tail = &w->parts;
	w->text = (struct slice){ ap->s + from, to - from };
	while (from < to) {
		const char *hole = memchr(ap->s + from, '\0', to - from);
		size_t end = hole ? (size_t)(hole - ap->s) : to;

		tail = arith_text_parts(ap, from, end, tail);
		if (hole) {
			*tail = arith_take_hole(ap);
			tail = &(*tail)->next;
			w->flags |= WORD_EXPANDS;
		}
		from = end + (hole != NULL);
	}
	if (w->parts && !w->parts->next && w->parts->kind == PART_TEXT) {
		w->flags = WORD_LITERAL;
		w->text = w->parts->text;
	}
	return w;
}

/* [..] at i: into ap->sub. The inside is parsed by the same parser, cut short;
 * what is no expression there may still be a key of an associative array. */
static void token_subscript(struct arith_parser *ap)
{
	size_t from = ap->i + 1, to = subscript_end(ap, ap->i);
	struct arith_error err = { NULL, 0 };
	struct arith_parser inner = *ap;
	struct arith *a;

	if (to == ap->n) {
		arith_fail(ap, "bad array subscript");
		return;
	}
	ap->i = to + 1;
	if (to - from == 1 && (ap->s[from] == '@' || ap->s[from] == '*')) {
		ap->sub.kind = ap->s[from] == '@' ? SUBSCRIPT_AT : SUBSCRIPT_STAR;
		return;
	}
	ap->sub.kind = SUBSCRIPT_EXPR;
	ap->sub.word = subscript_word(ap, from, to);
	a = MEM_NEW(ap->mem, struct arith);
	a->text = (struct slice){ ap->s + from, to - from };
	a->word = ap->sub.word;
	ap->sub.arith = a;
	if (!ap->depth || (!ap->template && ap->sub.word->flags & WORD_EXPANDS))
		return;
	inner.i = from;
	inner.n = to;
	inner.depth--;
	inner.wrong = false;
	inner.err = &err;
	a->tree = arith_whole(&inner);
	ap->effects |= inner.effects;
}

/* A name, with its subscript. */
static void token_name(struct arith_parser *ap)
{
	size_t from = ap->i;

	while (ap->i < ap->n && lex_is(ap->s[ap->i], C_NAME))
		ap->i++;
	ap->tok = T_NAME;
	ap->name.s = mem_dup(ap->mem, ap->s + from, ap->i - from);
	ap->name.n = (uint32_t)(ap->i - from);
	ap->name.hash = map_hash(ap->name.s, ap->name.n);
	ap->sub = (struct subscript){ .kind = SUBSCRIPT_NONE };
	if (ap->i < ap->n && ap->s[ap->i] == '[')
		token_subscript(ap);
}

/* ---- Tokens ---- */

static const struct { char text[4]; enum arith_op op; bool assigns; } arith_operators[] = {
	{ "<<=", ARITH_SHL, true }, { ">>=", ARITH_SHR, true },
	{ "**", ARITH_POW, false }, { "&&", ARITH_AND, false }, { "||", ARITH_OR, false },
	{ "<<", ARITH_SHL, false }, { ">>", ARITH_SHR, false },
	{ "==", ARITH_EQ, false }, { "!=", ARITH_NE, false },
	{ "<=", ARITH_LE, false }, { ">=", ARITH_GE, false },
	{ "+=", ARITH_ADD, true }, { "-=", ARITH_SUB, true }, { "*=", ARITH_MUL, true },
	{ "/=", ARITH_DIV, true }, { "%=", ARITH_MOD, true }, { "&=", ARITH_BITAND, true },
	{ "^=", ARITH_BITXOR, true }, { "|=", ARITH_BITOR, true },
	{ "=", ARITH_ASSIGN, true },
	{ "+", ARITH_ADD, false }, { "-", ARITH_SUB, false }, { "*", ARITH_MUL, false },
	{ "/", ARITH_DIV, false }, { "%", ARITH_MOD, false }, { "<", ARITH_LT, false },
	{ ">", ARITH_GT, false }, { "&", ARITH_BITAND, false }, { "^", ARITH_BITXOR, false },
	{ "|", ARITH_BITOR, false }, { ",", ARITH_COMMA, false }
};

static bool token_single(struct arith_parser *ap, char c)
{
	static const char chars[] = "()?:~";
	static const enum arith_tok toks[] = { T_OPEN, T_CLOSE, T_QUESTION, T_COLON, T_BITNOT };
	const char *at = memchr(chars, c, sizeof(chars) - 1);

	if (!at)
		return false;
	ap->tok = toks[at - chars];
	ap->i++;
	return true;
}

/* ++ and --: behind a name, or before one; else two signs. */
static bool token_step(struct arith_parser *ap, char c)
{
	size_t i = ap->i + 2;

	if ((c != '+' && c != '-') || ap->i + 1 >= ap->n || ap->s[ap->i + 1] != c)
		return false;
	ap->glued |= ap->before == T_HOLE;
	if (ap->before != T_NAME) {
		while (i < ap->n && (lex_is(ap->s[i], C_BLANK) || ap->s[i] == '\n'))
			i++;
		ap->glued |= ap->template && i < ap->n && !ap->s[i];
		if (i >= ap->n || !lex_is(ap->s[i], C_NAME) || lex_is(ap->s[i], C_DIGIT))
			return false;
	}
	ap->tok = c == '+' ? T_INC : T_DEC;
	ap->i += 2;
	return true;
}

static void token_operator(struct arith_parser *ap, char c)
{
	enum arith_tok before = ap->before;

	if (token_single(ap, c) || token_step(ap, c))
		return;
	for (size_t k = 0; k < sizeof(arith_operators) / sizeof(*arith_operators); k++) {
		size_t n = strlen(arith_operators[k].text);

		if (ap->n - ap->i < n || memcmp(ap->s + ap->i, arith_operators[k].text, n) != 0)
			continue;
		ap->tok = arith_operators[k].assigns ? T_ASSIGN : T_BINARY;
		ap->op = arith_operators[k].op;
		ap->i += n;
		return;
	}
	if (c == '!') {
		ap->tok = T_NOT;
		ap->i++;
		return;
	}
	arith_fail(ap, before == T_NUMBER || before == T_NAME || before == T_HOLE ?
		   "syntax error: invalid arithmetic operator" :
		   "syntax error: operand expected");
}

/* A hole, that may be half of a token. */
static void token_hole(struct arith_parser *ap)
{
	size_t i = ap->i++;

	ap->tok = T_HOLE;
	ap->part = arith_take_hole(ap);
	if (i && (lex_is(ap->s[i - 1], C_NAME) || strchr("#@]", ap->s[i - 1])))
		ap->glued = true;
	if (i + 1 < ap->n && (lex_is(ap->s[i + 1], C_NAME) || strchr("#@[", ap->s[i + 1])))
		ap->glued = true;
}

static void arith_next(struct arith_parser *ap)
{
	char c;

	ap->before = ap->tok;
	while (ap->i < ap->n && (lex_is(ap->s[ap->i], C_BLANK) || ap->s[ap->i] == '\n'))
		ap->i++;
	ap->tok = T_END;
	if (ap->i >= ap->n || ap->err->message)
		return;
	c = ap->s[ap->i];
	ap->pos = ap->i;
	if (lex_is(c, C_DIGIT))
		token_number(ap);
	else if (lex_is(c, C_NAME))
		token_name(ap);
	else if (c == '\0' && ap->template)
		token_hole(ap);
	else
		token_operator(ap, c);
}

/* ---- Trees ---- */

static struct arith_node *arith_node(struct arith_parser *ap, enum arith_op op)
{
	struct arith_node *n = MEM_NEW(ap->mem, struct arith_node);

	n->op = op;
	n->pos = (uint32_t)ap->pos;
	return n;
}

static bool arith_enter(struct arith_parser *ap)
{
	if (ap->depth) {
		ap->depth--;
		return true;
	}
	arith_fail(ap, "expression recursion level exceeded");
	return false;
}

static struct arith_node *arith_step_node(struct arith_parser *ap, enum arith_op op,
					  struct arith_node *a)
{
	struct arith_node *n = arith_node(ap, op);

	ap->effects = true;
	n->a = a;
	return n;
}

static struct arith_node *arith_name(struct arith_parser *ap)
{
	struct arith_node *n = arith_node(ap, ARITH_VAR);

	n->name = ap->name;
	n->sub = ap->sub;
	arith_next(ap);
	if (ap->tok == T_INC || ap->tok == T_DEC) {
		n = arith_step_node(ap, ap->tok == T_INC ? ARITH_POST_INC : ARITH_POST_DEC, n);
		arith_next(ap);
	}
	return n;
}

static struct arith_node *arith_group(struct arith_parser *ap)
{
	struct arith_node *n;

	arith_next(ap);
	if (!arith_enter(ap))
		return NULL;
	n = arith_climb(ap, 0);
	ap->depth++;
	if (n && ap->tok != T_CLOSE)
		return arith_fail_behind(ap, n, "missing `)'");
	arith_next(ap);
	return n;
}

/* ++x --x */
static struct arith_node *arith_pre_step(struct arith_parser *ap)
{
	bool inc = ap->tok == T_INC;
	struct arith_node *n;

	arith_next(ap);
	if (ap->tok != T_NAME)
		return arith_fail(ap, "identifier expected after pre-increment or pre-decrement");
	n = arith_node(ap, ARITH_VAR);
	n->name = ap->name;
	n->sub = ap->sub;
	n = arith_step_node(ap, inc ? ARITH_PRE_INC : ARITH_PRE_DEC, n);
	arith_next(ap);
	if (ap->tok == T_INC)
		return arith_fail_behind(ap, n, "++: assignment requires lvalue");
	if (ap->tok == T_DEC)
		return arith_fail_behind(ap, n, "--: assignment requires lvalue");
	return n;
}

static struct arith_node *arith_primary(struct arith_parser *ap)
{
	struct arith_node *n;

	switch (ap->tok) {
	case T_NUMBER:
		n = arith_node(ap, ARITH_NUMBER);
		n->value = ap->value;
		break;
	case T_HOLE:
		n = arith_node(ap, ARITH_PARAM);
		n->part = ap->part;
		n->value = ap->pos && strchr("+-", ap->s[ap->pos - 1]);
		break;
	case T_NAME:
		return arith_name(ap);
	case T_OPEN:
		return arith_group(ap);
	case T_INC:
	case T_DEC:
		return arith_pre_step(ap);
	default:
		return arith_fail(ap, "syntax error: operand expected");
	}
	arith_next(ap);
	return n;
}

static struct arith_node *arith_unary(struct arith_parser *ap)
{
	struct arith_node *n;
	enum arith_op op;

	if (ap->tok == T_NOT)
		op = ARITH_NOT;
	else if (ap->tok == T_BITNOT)
		op = ARITH_BITNOT;
	else if (ap->tok == T_BINARY && (ap->op == ARITH_SUB || ap->op == ARITH_ADD))
		op = ap->op == ARITH_SUB ? ARITH_NEG : ARITH_POS;
	else
		return arith_primary(ap);
	n = arith_node(ap, op);
	arith_next(ap);
	if (!arith_enter(ap))
		return NULL;
	n->a = arith_unary(ap);
	ap->depth++;
	return n->a ? n : NULL;
}

/* Levels of arith_climb(): 0 comma, 1 assignment and ?:, 2 || ... 12 **. */
enum { LEVEL_COMMA, LEVEL_ASSIGN, LEVEL_OR, LEVEL_POW = 12 };

static unsigned arith_level(const struct arith_parser *ap)
{
	if (ap->tok == T_ASSIGN || ap->tok == T_QUESTION)
		return LEVEL_ASSIGN;
	if (ap->tok != T_BINARY)
		return UINT32_MAX;
	switch (ap->op) {
	case ARITH_COMMA:
		return LEVEL_COMMA;
	case ARITH_OR:
		return LEVEL_OR;
	case ARITH_AND:
		return 3;
	case ARITH_BITOR:
		return 4;
	case ARITH_BITXOR:
		return 5;
	case ARITH_BITAND:
		return 6;
	case ARITH_EQ:
	case ARITH_NE:
		return 7;
	case ARITH_SHL:
	case ARITH_SHR:
		return 9;
	case ARITH_ADD:
	case ARITH_SUB:
		return 10;
	case ARITH_MUL:
	case ARITH_DIV:
	case ARITH_MOD:
		return 11;
	case ARITH_POW:
		return LEVEL_POW;
	default:
		return 8;	/* < <= > >= */
	}
}

/* a ? at hand. */
static struct arith_node *arith_cond(struct arith_parser *ap, struct arith_node *test)
{
	struct arith_node *n = arith_node(ap, ARITH_COND);

	n->a = test;
	arith_next(ap);
	if (ap->tok == T_END || ap->tok == T_COLON)
		return arith_fail_behind(ap, test, "expression expected");
	n->b = arith_climb(ap, LEVEL_COMMA);
	if (!n->b)
		return NULL;
	n->c = arith_node(ap, ARITH_NUMBER);	/* until there is one */
	if (ap->tok != T_COLON)
		return arith_fail_behind(ap, n, "`:' expected for conditional expression");
	arith_next(ap);
	if (ap->tok == T_END)
		return arith_fail_behind(ap, n, "expression expected");
	n->c = arith_climb(ap, LEVEL_OR);
	while (n->c && ap->tok == T_QUESTION)
		n->c = arith_cond_nested(ap, n->c);
	return n->c ? n : NULL;
}

static struct arith_node *arith_assign(struct arith_parser *ap, struct arith_node *target)
{
	struct arith_node *n = arith_node(ap, ARITH_ASSIGN);

	if (target->op == ARITH_PARAM)
		ap->glued = true;
	if (target->op != ARITH_VAR || ap->before != T_NAME)
		return arith_fail_behind(ap, target, "attempted assignment to non-variable");
	ap->effects = true;
	n->assign_op = ap->op;
	n->a = target;
	arith_next(ap);
	n->pos = (uint32_t)ap->pos;
	n->b = arith_climb(ap, LEVEL_ASSIGN);
	return n->b ? n : NULL;
}

/* A ? inside the last operand of another. */
static struct arith_node *arith_cond_nested(struct arith_parser *ap, struct arith_node *test)
{
	struct arith_node *n;

	if (!arith_enter(ap))
		return NULL;
	n = arith_cond(ap, test);
	ap->depth++;
	return n;
}

static struct arith_node *arith_binary(struct arith_parser *ap, struct arith_node *left,
				       unsigned level)
{
	struct arith_node *n = arith_node(ap, ap->op);

	n->a = left;
	arith_next(ap);
	n->pos = (uint32_t)ap->pos;
	n->b = arith_climb(ap, level == LEVEL_POW ? level : level + 1);
	if (level == LEVEL_POW)
		n->pos = (uint32_t)ap->pos;
	return n->b ? n : NULL;
}

static struct arith_node *arith_climb(struct arith_parser *ap, unsigned level)
{
	struct arith_node *left;

	if (!arith_enter(ap))
		return NULL;
	left = arith_unary(ap);
	while (left) {
		unsigned at = arith_level(ap);

		if (at == UINT32_MAX || at < level)
			break;
		if (ap->tok == T_QUESTION)
			left = arith_cond(ap, left);
		else if (ap->tok == T_ASSIGN)
			left = arith_assign(ap, left);
		else
			left = arith_binary(ap, left, at);
	}
	ap->depth++;
	return left;
}

/* bash has read one token ahead, and the value of a name with it. */
static struct arith_node *arith_ahead(struct arith_parser *ap, struct arith_node *tree)
{
	struct arith_node *n;

	if (!ap->wrong || ap->tok != T_NAME)
		return tree;
	n = arith_node(ap, ARITH_COMMA);
	n->a = tree;
	n->b = arith_node(ap, ARITH_VAR);
	n->b->name = ap->name;
	n->b->sub = ap->sub;
	return n;
}

/* For each name bash reads one token more: what is no token there comes first. */
static bool arith_names_good(struct arith_parser *ap)
{
	struct arith_parser ahead = *ap;

	if (ap->wrong)
		return true;
	while (ahead.tok == T_NAME && !ap->err->message)
		arith_next(&ahead);
	return !ap->err->message;
}

/* The whole text; NULL also if it is empty. */
static struct arith_node *arith_whole(struct arith_parser *ap)
{
	struct arith_node *tree;

	ap->tok = T_END;
	arith_next(ap);
	if (ap->tok == T_END && !ap->err->message)
		return NULL;
	tree = arith_climb(ap, 0);
	if (tree && ap->tok == T_NAME && !arith_names_good(ap))
		return NULL;
	if (tree && ap->tok != T_END)
		tree = arith_fail_behind(ap, arith_ahead(ap, tree), "syntax error in expression");
	else if (tree && ap->wrong)
		tree = arith_fail_behind(ap, tree, "syntax error");
	if (ap->wrong)
		return tree;
	return ap->glued || ap->err->message ? NULL : tree;
}

static struct arith_node *arith_guarded(struct arith_parser *ap)
{
	if (setjmp(ap->mem->out)) {
		ap->err->message = MEM_OUT_OF;
		return NULL;
	}
	return arith_whole(ap);
}

struct arith_node *arith_parse(struct arena *arena, const char *text, size_t n,
			       unsigned depth_max, struct arith_error *err)
{
	struct lang_memory mem = { .arena = arena };
	struct arith_parser ap = { .mem = &mem, .s = text, .n = n, .depth = depth_max,
				   .err = err };

	*err = (struct arith_error){ NULL, 0 };
	return arith_guarded(&ap);
}

struct arith_node *arith_parse_wrong(struct arena *arena, const char *text, size_t n,
				     unsigned depth_max)
{
	struct lang_memory mem = { .arena = arena };
	struct arith_error err = { NULL, 0 };
	struct arith_parser ap = { .mem = &mem, .s = text, .n = n, .depth = depth_max,
				   .wrong = true, .err = &err };

	return arith_guarded(&ap);
}

/* The text of the parts, with a NUL for each one that expands. */
static struct slice arith_template(struct lang_memory *mem, const struct part *parts)
{
	size_t n = 0;
	char *s;

	for (const struct part *p = parts; p; p = p->next)
		n += p->kind == PART_TEXT ? p->text.n : 1;
	s = mem_alloc(mem, n + 1);
	n = 0;
	for (const struct part *p = parts; p; p = p->next) {
		if (p->kind == PART_TEXT)
			memcpy(s + n, p->text.p, p->text.n);
		else
			s[n] = '\0';
		n += p->kind == PART_TEXT ? p->text.n : 1;
	}
	s[n] = '\0';
	return (struct slice){ s, n };
}

void arith_from_word(struct lang_memory *mem, struct arith *a, unsigned depth_max)
{
	struct arith_error err = { NULL, 0 };
	struct arith_parser ap = { .mem = mem, .depth = depth_max, .err = &err };
	struct slice text;

	if (!a->word->parts)
		return;
	for (const struct part *p = a->word->parts; p; p = p->next)
		ap.template |= p->kind != PART_TEXT;
	text = a->word->parts->next || ap.template ? arith_template(mem, a->word->parts) :
	       a->word->parts->text;
	ap.s = text.p;
	ap.n = text.n;
	ap.holes = a->word->parts;
	a->tree = arith_whole(&ap);
	a->effects = ap.effects || (!a->tree && ap.n);
}
