/*
 * Arithmetic: walking the tree. Expressions are parsed once, with the script;
 * an expansion in one ($x, ${a[i]}) is a leaf. As long as every leaf gives a
 * plain integer the tree is what bash would get from the expanded text; when
 * one does not, the text is made and parsed afresh. Leaves are taken before
 * anything is evaluated, because bash expands the whole expression first.
 * Variables keep integers as integers, so a loop's counter never becomes text.
 */
#include "shell/arith_eval.h"

#include <string.h>

#include "base/num.h"
#include "kernel/kernel.h"
#include "shell/words.h"

#define LEAVES_MAX 16
#define DEPTH_MAX 100

struct leaf {
	const struct arith_node *node;
	int64_t value;
};

struct walk {
	struct shell *sh;
	struct slice text;	/* of the expression, for messages */
	const struct word *word;	/* or NULL: what expands to the text, with expansions */
	bool wrong;		/* ARITH_FAIL was met */
	struct leaf leaves[LEAVES_MAX];
	size_t n_leaves;
};

static bool walk_node(struct walk *w, const struct arith_node *n, int64_t *value);

/* ---- Messages ---- */

/* Numbers are read as tokens: bash's message shows nothing behind them. */
static size_t message_end(struct slice text, const char *message, size_t pos)
{
	if (strncmp(message, "value too", 9) && strncmp(message, "invalid arithmetic base", 23) &&
	    strncmp(message, "invalid number", 14) && strncmp(message, "invalid integer", 15))
		return text.n;
	while (pos < text.n) {
		char c = text.p[pos];

		if (!((c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
		      c == '_' || c == '@' || c == '#'))
			break;
		pos++;
	}
	return pos;
}

/* "EXPRESSION: message (error token is "TOKEN")", with the builtin's name in
 * front if one runs. */
static void arith_message(struct shell *sh, struct slice text, const char *message, size_t pos)
{
	size_t end, skip = 0;

	if (pos > text.n)
		pos = text.n;
	end = message_end(text, message, pos);
	while (skip < end && (text.p[skip] == ' ' || text.p[skip] == '\t'))
		skip++;
	if (skip > pos)
		skip = pos;
	if (sh->builtin)
		builtin_error(sh, "%.*s: %s (error token is \"%.*s\")", (int)(end - skip),
			      text.p + skip, message, (int)(end - pos), text.p + pos);
	else
		shell_error(sh, "%.*s: %s (error token is \"%.*s\")", (int)(end - skip),
			    text.p + skip, message, (int)(end - pos), text.p + pos);
}

/* The operand behind an assignment operator. */
static size_t operand_at(struct slice text, size_t pos)
{
	while (pos < text.n && text.p[pos] && strchr("/%=", text.p[pos]))
		pos++;
	while (pos < text.n && (text.p[pos] == ' ' || text.p[pos] == '\t'))
		pos++;
	return pos;
}

/* The text of an expression with its expansions done, as bash shows it; pos counts
 * each of them as one byte before, and is a place in the text behind. They are
 * pure: that was seen to before. */
static struct slice walk_text(struct walk *w, size_t *pos)
{
	struct str *out = scratch_take(w->sh);
	size_t at = 0, found = 0;
	struct slice text;

	for (const struct part *p = w->word->parts; p; p = p->next) {
		size_t n = p->kind == PART_TEXT ? p->text.n : 1;
		struct build b;

		if (*pos >= at)
			found = out->n + (p->kind == PART_TEXT && *pos < at + n ? *pos - at : 0);
		at += n;
		if (p->kind == PART_TEXT) {
			text = p->text;
		} else {
			build_begin(&b, w->sh, BUILD_STRING, NULL);
			expand_param(&b, p->param, (struct context){ true, EMIT_LITERAL });
			if (build_take(&b, &text) != FLOW_NEXT)
				break;
		}
		str_addslice(out, text);
	}
	*pos = *pos >= at ? out->n : found;
	text = (struct slice){ arena_dup(&w->sh->turn, out->p, out->n), out->n };
	scratch_give(w->sh, out);
	return text;
}

static bool walk_error(struct walk *w, const char *message, size_t pos)
{
	struct slice text = w->word ? walk_text(w, &pos) : w->text;

	arith_message(w->sh, text, message, pos);
	return false;
}

/* ---- Operators ---- */

static int64_t power(int64_t base, int64_t exponent)
{
	uint64_t result = 1, b = (uint64_t)base;

	for (; exponent > 0; exponent >>= 1) {
		if (exponent & 1)
			result *= b;
		b *= b;
	}
	return (int64_t)result;
}

static bool divide(struct walk *w, enum arith_op op, int64_t a, int64_t b, size_t pos,
		   int64_t *value)
{
	if (b == 0)
		return walk_error(w, "division by 0", pos);
	if (b == -1)		/* the smallest number has no opposite */
		*value = op == ARITH_DIV ? (int64_t)(0 - (uint64_t)a) : 0;
	else
		*value = op == ARITH_DIV ? a / b : a % b;
	return true;
}

/* Everything wraps at 64 bits; shifts count modulo 64, as on the machine. The
 * parser has put pos where bash's message points. */
static bool binary(struct walk *w, enum arith_op op, int64_t a, int64_t b, size_t pos,
		   int64_t *value)
{
	uint64_t x = (uint64_t)a, y = (uint64_t)b;

	switch (op) {
	case ARITH_ADD:
		*value = (int64_t)(x + y);
		return true;
	case ARITH_SUB:
		*value = (int64_t)(x - y);
		return true;
	case ARITH_MUL:
		*value = (int64_t)(x * y);
		return true;
	case ARITH_DIV:
	case ARITH_MOD:
		return divide(w, op, a, b, pos, value);
	case ARITH_POW:
		if (b < 0)
			return walk_error(w, "exponent less than 0", pos);
		*value = power(a, b);
		return true;
	case ARITH_SHL:
		*value = (int64_t)(x << (y & 63));
		return true;
	case ARITH_SHR:
		*value = a >> (y & 63);
		return true;
	case ARITH_LT:
		*value = a < b;
		return true;
	case ARITH_LE:
		*value = a <= b;
		return true;
	case ARITH_GT:
		*value = a > b;
		return true;
	case ARITH_GE:
		*value = a >= b;
		return true;
	case ARITH_EQ:
		*value = a == b;
		return true;
	case ARITH_NE:
		*value = a != b;
		return true;
	case ARITH_BITAND:
		*value = a & b;
		return true;
	case ARITH_BITXOR:
		*value = a ^ b;
		return true;
	default:
		*value = a | b;
		return true;
	}
}

/* ---- Variables ---- */

/* A decimal integer and nothing else. */
static bool arith_plain(const char *p, size_t n, int64_t *value)
{
	bool minus = n > 1 && *p == '-';
	int64_t v = 0;

	if (minus)
		p++, n--;
	if (n == 0 || n > 18 || (*p == '0' && n > 1))
		return false;
	for (size_t i = 0; i < n; i++) {
		if (p[i] < '0' || p[i] > '9')
			return false;
		v = v * 10 + (p[i] - '0');
	}
	*value = minus ? -v : v;
	return true;
}

/* The text of a variable is itself an expression. */
static bool text_value(struct shell *sh, struct slice text, int64_t *value)
{
	struct words *w = words_of(sh);
	char *copy;
	bool good;

	if (text.n == 0) {
		*value = 0;
		return true;
	}
	if (arith_plain(text.p, text.n, value))
		return true;
	if (w->arith_depth >= DEPTH_MAX) {
		arith_message(sh, text, "expression recursion level exceeded", 0);
		return false;
	}
	/* Evaluating may change the variable that holds the text. */
	copy = arena_dup(&sh->turn, text.p, text.n);
	w->arith_depth++;
	good = arith_eval_text(sh, copy, text.n, value);
	w->arith_depth--;
	return good;
}

static bool unset_value(struct shell *sh, const struct arith_node *n, int64_t *value)
{
	*value = 0;
	if (!sh->opts[OPT_NOUNSET])
		return true;
	sh->failed = param_unbound(sh, n->name.s, n->name.n);
	return false;
}

/* Where an operator reads and writes: the variable, and for elements the place. */
struct place {
	struct target t;
	int64_t index;
	bool none;		/* counted from the end, and not there */
	bool bad;		/* a[], or a[@] of no associative array: reads as 0 */
	struct slice key;
};

/* Evaluates the subscript, once. */
static bool place_find(struct walk *w, const struct arith_node *n, struct place *p)
{
	struct shell *sh = w->sh;

	p->none = p->bad = false;
	p->key = SLICE("");
	p->t = var_target(sh, &n->name);
	if (n->sub.kind != SUBSCRIPT_NONE)
		p->t.sub = sub_of(&n->sub);
	if (p->t.bad) {
		sh->failed = FLOW_NEXT;
		return false;
	}
	if (p->t.sub.kind == SUBSCRIPT_NONE)
		return true;
	if (p->t.v)
		var_refresh(sh, p->t.v);
	p->bad = sub_source(&p->t.sub).n == 0;
	if (p->bad)
		return true;
	if (p->t.v && (p->t.v->flags & VAR_ASSOC)) {
		if (!sub_key(sh, &p->t.sub, &p->key))
			return false;
		p->bad = !p->key.n;
		return true;
	}
	p->bad = p->t.sub.kind != SUBSCRIPT_EXPR;
	if (p->bad)
		return true;
	if (!arith_subscript(sh, &p->t.sub, &p->index))
		return false;
	if (p->index < 0) {
		int64_t index = p->index;

		p->none = !sub_from_end(p->t.v, false, &index);
		if (!p->none)
			p->index = index;
	}
	return true;
}

/* What bash says of it, each time it stumbles: of a[] twice in reading. */
static void place_complain(struct shell *sh, const struct place *p, bool writing)
{
	struct slice sub = p->t.v && p->t.v->flags & VAR_ASSOC ? p->key : sub_source(&p->t.sub);

	if (writing && !sub.n && sh->builtin) {
		builtin_error(sh, "`%.*s[]': not a valid identifier", (int)p->t.name.n, p->t.name.s);
		return;
	}
	for (int i = 0; i < (sub.n || writing ? 1 : 2); i++)
		shell_error(sh, writing && !sub.n ? "`%.*s[%.*s]': not a valid identifier" :
			    "%.*s[%.*s]: bad array subscript", (int)p->t.name.n, p->t.name.s,
			    (int)sub.n, sub.p);
}

static bool place_get(struct walk *w, const struct arith_node *n, struct place *p, int64_t *value)
{
	struct shell *sh = w->sh;
	struct var *v = p->t.v;
	struct slice text;
	bool set;

	if (p->bad) {
		place_complain(sh, p, false);
		*value = 0;
		return true;
	}
	if (p->none) {
		shell_error(sh, "%s: bad array subscript", p->t.name.s);
		*value = 0;
		return true;
	}
	if (!v)
		return unset_value(sh, n, value);
	if (p->t.sub.kind == SUBSCRIPT_NONE) {
		if ((v->flags & (VAR_NUMBER | VAR_SPECIAL)) == VAR_NUMBER) {
			*value = v->number;
			return true;
		}
		set = var_scalar(sh, v, &text);
	} else if (v->flags & VAR_ASSOC) {
		set = assoc_get(v->assoc, p->key.p, p->key.n, &text);
	} else if (v->flags & VAR_INDEXED) {
		set = array_get(v->array, p->index, &text);
	} else {
		set = p->index == 0 && var_text(sh, v, &text);
	}
	return set ? text_value(sh, text, value) : unset_value(sh, n, value);
}

static bool place_set(struct walk *w, struct place *p, int64_t value)
{
	struct shell *sh = w->sh;
	char digits[24], index[24];
	size_t n;
	struct var *v = p->t.v;

	if (p->bad) {
		place_complain(sh, p, true);
		return true;
	}
	if (v && p->t.sub.kind == SUBSCRIPT_NONE &&
	    !(v->flags & (VAR_READONLY | VAR_UPPER | VAR_LOWER | VAR_CAPITAL | VAR_NAMEREF |
			  VAR_INDEXED | VAR_ASSOC | VAR_SPECIAL | VAR_EXPORT | VAR_TEMPORARY)) &&
	    !sh->opts[OPT_ALLEXPORT]) {
		v->number = value;
		v->flags = (v->flags & ~(uint32_t)VAR_RENDERED) | VAR_NUMBER | VAR_SET;
		return true;
	}
	n = num_format_i64(digits, value);
	if (p->t.sub.kind != SUBSCRIPT_NONE) {
		if (v && (v->flags & VAR_ASSOC)) {
			if (v->flags & VAR_READONLY)
				return var_readonly_error(sh, v->name) == 0;
			if (p->key.n) {
				assoc_set(v->assoc, p->key, digits, n);
				v->flags |= VAR_SET;
				return true;
			}
		} else {
			p->t.sub = (struct sub){ SUBSCRIPT_EXPR, NULL,
				{ index, num_format_i64(index, p->index) } };
		}
	}
	sh->failed = FLOW_NEXT;
	if (var_set_target(sh, &p->t, digits, n, false) == 0)
		return true;
	if (p->none)	/* said, but the expression goes on */
		sh->failed = FLOW_NEXT;
	return p->none;
}

/* A variable read: nearly always a plain integer. */
static bool walk_var(struct walk *w, const struct arith_node *n, int64_t *value)
{
	struct place p;

	if (n->sub.kind == SUBSCRIPT_NONE) {
		struct var *v = var_find(w->sh, &n->name);

		if (v && (v->flags & (VAR_NUMBER | VAR_SPECIAL | VAR_NAMEREF)) == VAR_NUMBER) {
			*value = v->number;
			return true;
		}
		if (v && (v->flags & (VAR_SET | VAR_SPECIAL | VAR_NAMEREF | VAR_INDEXED | VAR_ASSOC |
				      VAR_NUMBER)) == VAR_SET)
			return text_value(w->sh, str_slice(&v->text), value);
	}
	if (w->sh->opts[OPT_NOUNSET] && !var_find(w->sh, &n->name))
		return unset_value(w->sh, n, value);	/* before the subscript is looked at */
	return place_find(w, n, &p) && place_get(w, n, &p, value);
}

static bool walk_step(struct walk *w, const struct arith_node *n, int64_t *value)
{
	bool up = n->op == ARITH_PRE_INC || n->op == ARITH_POST_INC;
	bool before = n->op == ARITH_PRE_INC || n->op == ARITH_PRE_DEC;
	struct place p;
	int64_t old, new;

	if (!place_find(w, n->a, &p) || !place_get(w, n->a, &p, &old))
		return false;
	new = (int64_t)((uint64_t)old + (up ? 1 : UINT64_MAX));
	*value = before ? new : old;
	return place_set(w, &p, new);
}

static bool walk_assign(struct walk *w, const struct arith_node *n, int64_t *value)
{
	struct place p;
	int64_t old, right;

	if (n->assign_op == ARITH_ASSIGN) {
		if (!walk_node(w, n->b, value) || !place_find(w, n->a, &p))
			return false;
		return place_set(w, &p, *value);
	}
	if (!place_find(w, n->a, &p) || !place_get(w, n->a, &p, &old) ||
	    !walk_node(w, n->b, &right) ||
	    !binary(w, n->assign_op, old, right, w->word ? n->pos : operand_at(w->text, n->pos), value))
		return false;
	/* The right side may have made or changed the variable. */
	if (!p.t.v)
		p.t.v = var_find(w->sh, &p.t.name);
	return place_set(w, &p, *value);
}

/* ---- The walk ---- */

static int64_t leaf_value(const struct walk *w, const struct arith_node *n)
{
	for (size_t i = 0; i < w->n_leaves; i++)
		if (w->leaves[i].node == n)
			return w->leaves[i].value;
	return 0;
}

static bool walk_unary(struct walk *w, const struct arith_node *n, int64_t *value)
{
	if (!walk_node(w, n->a, value))
		return false;
	switch (n->op) {
	case ARITH_NEG:
		*value = (int64_t)(0 - (uint64_t)*value);
		break;
	case ARITH_NOT:
		*value = !*value;
		break;
	case ARITH_BITNOT:
		*value = ~*value;
		break;
	default:
		break;
	}
	return true;
}

static bool walk_logic(struct walk *w, const struct arith_node *n, int64_t *value)
{
	if (!walk_node(w, n->a, value))
		return false;
	if (n->op == ARITH_COND)
		return walk_node(w, *value ? n->b : n->c, value);
	if (n->op == ARITH_COMMA)
		return walk_node(w, n->b, value);
	if (n->op == ARITH_AND ? !*value : !!*value) {
		*value = !!*value;
		return true;
	}
	if (!walk_node(w, n->b, value))
		return false;
	*value = !!*value;
	return true;
}

static bool walk_node(struct walk *w, const struct arith_node *n, int64_t *value)
{
	int64_t a, b;

	switch (n->op) {
	case ARITH_NUMBER:
		*value = n->value;
		return true;
	case ARITH_VAR:
		return walk_var(w, n, value);
	case ARITH_PARAM:
		*value = leaf_value(w, n);
		return true;
	case ARITH_NEG:
	case ARITH_POS:
	case ARITH_NOT:
	case ARITH_BITNOT:
		return walk_unary(w, n, value);
	case ARITH_PRE_INC:
	case ARITH_PRE_DEC:
	case ARITH_POST_INC:
	case ARITH_POST_DEC:
		return walk_step(w, n, value);
	case ARITH_AND:
	case ARITH_OR:
	case ARITH_COND:
	case ARITH_COMMA:
		return walk_logic(w, n, value);
	case ARITH_ASSIGN:
		return walk_assign(w, n, value);
	case ARITH_FAIL:
		w->wrong = true;
		return false;
	default:
		return walk_node(w, n->a, &a) && walk_node(w, n->b, &b) &&
			binary(w, n->op, a, b, n->pos, value);
	}
}

/* ---- Leaves ---- */

enum leaf_result { LEAF_GOOD, LEAF_SLOW, LEAF_FAILED };

/* May it be expanded twice without anyone seeing? */
static bool leaf_pure(const struct param *p)
{
	if (p->op == PARAM_ASSIGN || p->op == PARAM_ERROR || p->op == PARAM_BAD)
		return false;
	if (p->sub.arith && p->sub.arith->effects)
		return false;
	return !(p->word && (p->word->flags & WORD_EFFECTS)) &&
		!(p->word2 && (p->word2->flags & WORD_EFFECTS)) &&
		!(p->offset && p->offset->effects) && !(p->length && p->length->effects);
}

static enum leaf_result leaf_take(struct walk *w, const struct arith_node *n)
{
	struct shell *sh = w->sh;
	const struct part *part = n->part;
	struct slice text;
	struct build b;
	struct var *v;
	int64_t value;

	if (part->kind != PART_PARAM || w->n_leaves == LEAVES_MAX || !leaf_pure(part->param))
		return LEAF_SLOW;
	v = part->param->op == PARAM_PLAIN && part->param->sub.kind == SUBSCRIPT_NONE &&
		!part->param->indirect ? var_find(sh, &part->param->name) : NULL;
	if (v && (v->flags & (VAR_NUMBER | VAR_SPECIAL)) == VAR_NUMBER) {
		value = v->number;
	} else {
		build_begin(&b, sh, BUILD_STRING, NULL);
		expand_param(&b, part->param, (struct context){ true, EMIT_LITERAL });
		if (build_take(&b, &text) != FLOW_NEXT) {
			sh->failed = b.flow;
			return LEAF_FAILED;
		}
		if (!arith_plain(text.p, text.n, &value))
			return LEAF_SLOW;
	}
	/* "-5" behind a minus sign would be another token. */
	if (value < 0 && n->value)
		return LEAF_SLOW;
	w->leaves[w->n_leaves++] = (struct leaf){ n, value };
	return LEAF_GOOD;
}

static enum leaf_result leaves_collect(struct walk *w, const struct arith_node *n)
{
	const struct arith_node *const below[] = { n->a, n->b, n->c };

	if (n->op == ARITH_PARAM)
		return leaf_take(w, n);
	for (size_t i = 0; i < 3; i++) {
		enum leaf_result r = below[i] ? leaves_collect(w, below[i]) : LEAF_GOOD;

		if (r != LEAF_GOOD)
			return r;
	}
	return LEAF_GOOD;
}

/* ---- The ways in ---- */

/* A syntax error: what stands before it comes first. */
static void arith_wrong(struct walk *w, const struct arith_error *err)
{
	struct shell *sh = w->sh;
	const struct arith_node *tree = arith_parse_wrong(&sh->turn, w->text.p, w->text.n,
							  (unsigned)words_of(sh)->max_depth);
	int64_t value;

	if (!tree || walk_node(w, tree, &value) || w->wrong)
		arith_message(sh, w->text, err->message, err->pos);
}

bool arith_eval_text(struct shell *sh, const char *text, size_t n, int64_t *value)
{
	struct walk w = { .sh = sh, .text = { text, n } };
	struct arena_mark mark;
	struct arith_error err = { NULL, 0 };
	struct arith_node *tree;
	bool good = true;

	if (arith_plain(text, n, value))
		return true;
	sh->failed = FLOW_NEXT;
	mark = arena_mark(&sh->turn);
	tree = arith_parse(&sh->turn, text, n, (unsigned)words_of(sh)->max_depth, &err);
	if (!tree && err.message) {
		arith_wrong(&w, &err);
		good = false;
	} else if (!tree) {
		*value = 0;
	} else {
		good = walk_node(&w, tree, value);
	}
	arena_reset(&sh->turn, mark);
	return good;
}

/* bash's own way: expand the text, then parse it. */
static bool arith_slow(struct shell *sh, const struct arith *a, int64_t *value)
{
	struct slice text = a->text;
	const char *builtin = sh->builtin;
	enum flow flow = FLOW_NEXT;

	sh->builtin = NULL;
	if (a->word)
		flow = expand_operand(sh, a->word, true, BUILD_STRING, &text);
	sh->builtin = builtin;
	if (flow != FLOW_NEXT) {
		sh->failed = flow;
		return false;
	}
	return arith_eval_text(sh, text.p, text.n, value);
}

bool arith_eval(struct shell *sh, const struct arith *a, int64_t *value)
{
	struct walk w;
	enum leaf_result r = LEAF_GOOD;
	struct arena_mark mark = arena_mark(&sh->turn);
	bool good;

	proc_tick(sh->p, 1);
	sh->failed = FLOW_NEXT;
	w.sh = sh;
	w.text = a->text;
	w.n_leaves = 0;
	w.wrong = false;
	w.word = NULL;
	if (!a->tree)
		r = LEAF_SLOW;
	else if (a->word && (a->word->flags & (WORD_EXPANDS | WORD_QUOTED)))
		r = leaves_collect(&w, a->tree);
	if (w.n_leaves)
		w.word = a->word;
	if (r == LEAF_GOOD)
		good = walk_node(&w, a->tree, value);
	else
		good = r == LEAF_SLOW && arith_slow(sh, a, value);
	arena_reset(&sh->turn, mark);
	return good;
}
