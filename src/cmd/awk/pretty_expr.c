/*
 * Expressions for -o: parentheses are those of the source, and where gawk adds
 * some: around the parts of a concatenation, signs, and what "~" joins.
 */
#include "cmd/awk/pretty.h"

#include "cmd/awk/lex.h"

void ak_pretty_string(struct str *out, const char *s, size_t n)
{
	static const char from[] = "\a\b\f\n\r\t\v\\\"", to[] = "abfnrtv\\\"";

	for (size_t i = 0; i < n; i++) {
		unsigned char c = (unsigned char)s[i];
		const char *at = c ? strchr(from, c) : NULL;

		if (at)
			str_addf(out, "\\%c", to[at - from]);
		else if (c < 32 || c > 126)
			str_addf(out, "\\%03o", c);
		else
			str_addc(out, c);
	}
}

static void pretty_regex(struct str *out, const struct awk_str *s)
{
	bool bracket = false;

	str_addc(out, '/');
	for (size_t i = 0; i < s->n; i++) {
		if (s->p[i] == '\\' && i + 1 < s->n)
			str_addc(out, s->p[i++]);
		else if (s->p[i] == '/' && !bracket)
			str_addc(out, '\\');
		else if (s->p[i] == '[' || s->p[i] == ']')
			bracket = s->p[i] == '[';
		str_addc(out, s->p[i]);
	}
	str_addc(out, '/');
}

static void pretty_number(struct pretty *p, const struct node *n)
{
	const char *s = p->text + (n->at ? n->at - 1 : 0);
	struct awk_str *value;

	if (n->at) {
		size_t len = 0;

		while ((s[len] >= '0' && s[len] <= '9') || s[len] == '.' ||
		       (s[len] >= 'a' && s[len] <= 'z') || (s[len] >= 'A' && s[len] <= 'Z') ||
		       (len && strchr("+-", s[len]) && s[len] && strchr("eE", s[len - 1])))
			len++;
		str_addf(&p->out, "%s%.*s", n->v.num < 0 ? "-" : "", (int)len, s);
		return;
	}
	value = ak_val_to_str(p->a, &n->v);
	str_addn(&p->out, value->p, value->n);
	str_drop(p->a, value);
}

static void pretty_constant(struct pretty *p, const struct node *n)
{
	if (n->v.type == V_NUM) {
		pretty_number(p, n);
		return;
	}
	if (n->op == N_REGEX || n->v.type == V_REGEX) {
		if (n->op != N_REGEX)
			str_addc(&p->out, '@');
		pretty_regex(&p->out, n->v.str);
		return;
	}
	str_addc(&p->out, '"');
	ak_pretty_string(&p->out, n->v.str->p, n->v.str->n);
	str_addc(&p->out, '"');
}

static const char *pretty_operator(int type)
{
	switch (type) {
	case T_LE: return "<=";
	case T_EQ: return "==";
	case T_NE: return "!=";
	case T_GE: return ">=";
	case '<': return "<";
	case '>': return ">";
	case '+': return "+";
	case '-': return "-";
	case '*': return "*";
	case '/': return "/";
	case '%': return "%";
	case '^': return "^";
	}
	return "?";
}

/* More than one word, so that another operator might take a part of it. */
static bool is_joined(const struct node *n)
{
	switch (n->op) {
	case N_BINARY: case N_COMPARE: case N_MATCH: case N_IN: case N_COND: case N_AND: case N_OR:
	case N_ASSIGN: case N_CHANGE: case N_GETLINE:
		return !n->paren;
	default:
		return false;
	}
}

static void pretty_in(struct pretty *p, const struct node *n, bool parens)
{
	if (parens)
		str_addc(&p->out, '(');
	ak_pretty_expr(p, n);
	if (parens)
		str_addc(&p->out, ')');
}

void ak_pretty_closed(struct pretty *p, const struct node *n)
{
	pretty_in(p, n, !n->paren && (is_joined(n) || n->op == N_CONCAT));
}

void ak_pretty_list(struct pretty *p, const struct node *n)
{
	for (; n; n = n->next) {
		ak_pretty_expr(p, n);
		if (n->next)
			str_adds(&p->out, ", ");
	}
}

static void pretty_concat(struct pretty *p, const struct node *n)
{
	for (n = n->b; n; n = n->next) {
		pretty_in(p, n, is_joined(n));
		if (n->next)
			str_addc(&p->out, ' ');
	}
}

static bool is_sign(const struct node *n)
{
	return !n->paren && (n->op == N_NEG || n->op == N_PLUS || n->op == N_NOT);
}

static bool wraps_left(const struct node *n, const struct node *x)
{
	if (x->paren)
		return false;
	if (n->op == N_MATCH)
		return x->op == N_COMPARE || x->op == N_MATCH || x->op == N_IN;
	return x->op == N_GETLINE && n->op == N_COMPARE && x->sub;
}

static bool wraps_right(const struct node *n, const struct node *x)
{
	if (x->paren)
		return false;
	if (n->op == N_BINARY && n->sub == '^')
		return is_sign(x);
	if (n->op == N_MATCH)
		return x->op == N_CONCAT || x->op == N_COMPARE;
	return (n->op == N_AND || n->op == N_OR) && (x->op == N_ASSIGN || x->op == N_CHANGE);
}

static void pretty_two(struct pretty *p, const struct node *n, const char *op)
{
	pretty_in(p, n->a, wraps_left(n, n->a));
	str_addf(&p->out, " %s ", op);
	pretty_in(p, n->b, wraps_right(n, n->b));
}

static void pretty_sign(struct pretty *p, const struct node *n)
{
	str_adds(&p->out, n->op == N_NOT ? "! " : n->op == N_NEG ? "-" : "+");
	pretty_in(p, n->a, (n->a->op == N_BINARY || (n->op == N_NEG && n->a->op == N_NEG)) &&
		  !n->a->paren);
}

static void pretty_builtin(struct pretty *p, const struct node *n)
{
	static const struct { int id, count; const char *more; } defaults[] = {
		{ B_LENGTH, 0, "$0" }, { B_SUB, 2, ", $0" }, { B_GSUB, 2, ", $0" },
		{ B_GENSUB, 3, ", $0" }, { B_SPLIT, 2, ", FS" }, { B_PATSPLIT, 2, ", FPAT" },
	};
	int count = 0;

	for (const struct node *x = n->b; x; x = x->next)
		count++;
	str_addf(&p->out, "%s(", ak_builtin_row(n->sub)->name);
	ak_pretty_list(p, n->b);
	for (size_t i = 0; i < sizeof(defaults) / sizeof(*defaults); i++)
		if (defaults[i].id == n->sub && defaults[i].count == count)
			str_adds(&p->out, defaults[i].more);
	str_addc(&p->out, ')');
}

static void pretty_getline(struct pretty *p, const struct node *n)
{
	if (n->sub == '|' || n->sub == T_TWO_WAY) {
		ak_pretty_closed(p, n->b);
		str_adds(&p->out, n->sub == '|' ? " | " : " |& ");
	}
	str_adds(&p->out, "getline");
	if (n->a) {
		str_addc(&p->out, ' ');
		ak_pretty_expr(p, n->a);
	}
	if (n->sub == '<') {
		str_adds(&p->out, " < ");
		ak_pretty_closed(p, n->b);
	}
}

static void pretty_call(struct pretty *p, const struct node *n)
{
	if (n->op == N_INDIRECT) {
		str_addc(&p->out, '@');
		ak_pretty_expr(p, n->a);
	} else {
		str_adds(&p->out, n->func->name);
	}
	str_addc(&p->out, '(');
	ak_pretty_list(p, n->b);
	str_addc(&p->out, ')');
}

static void pretty_membership(struct pretty *p, const struct node *n)
{
	if (n->b->next)
		str_addc(&p->out, '(');
	ak_pretty_list(p, n->b);
	str_adds(&p->out, n->b->next ? ") in " : " in ");
	ak_pretty_expr(p, n->a);
}

static void pretty_bare(struct pretty *p, const struct node *n)
{
	struct awk *a = p->a;

	switch (n->op) {
	case N_CONST: case N_REGEX: pretty_constant(p, n); break;
	case N_GLOBAL: case N_SPECIAL: str_adds(&p->out, a->global_list.at[n->slot]); break;
	case N_LOCAL: str_adds(&p->out, p->func->params.at[n->slot]); break;
	case N_INDEX:
		ak_pretty_expr(p, n->a);
		str_addc(&p->out, '[');
		ak_pretty_list(p, n->b);
		str_addc(&p->out, ']');
		break;
	case N_FIELD:
		str_addc(&p->out, '$');
		ak_pretty_expr(p, n->a);
		break;
	case N_ASSIGN: pretty_two(p, n, "="); break;
	case N_CHANGE: pretty_two(p, n, tsb_format(a->p, "%c=", n->sub)); break;
	case N_BEFORE: case N_AFTER:
		if (n->op == N_BEFORE)
			str_addf(&p->out, "%c%c", n->sub, n->sub);
		ak_pretty_expr(p, n->a);
		if (n->op == N_AFTER)
			str_addf(&p->out, "%c%c", n->sub, n->sub);
		break;
	case N_COND:
		ak_pretty_expr(p, n->a);
		str_adds(&p->out, " ? ");
		ak_pretty_expr(p, n->b);
		str_adds(&p->out, " : ");
		ak_pretty_expr(p, n->c);
		break;
	case N_AND: pretty_two(p, n, "&&"); break;
	case N_OR: pretty_two(p, n, "||"); break;
	case N_NOT: case N_NEG: case N_PLUS: pretty_sign(p, n); break;
	case N_BINARY: case N_COMPARE: pretty_two(p, n, pretty_operator(n->sub)); break;
	case N_CONCAT: pretty_concat(p, n); break;
	case N_MATCH: pretty_two(p, n, n->sub ? "!~" : "~"); break;
	case N_IN: pretty_membership(p, n); break;
	case N_GROUP:
		str_addc(&p->out, '(');
		ak_pretty_list(p, n->b);
		str_addc(&p->out, ')');
		break;
	case N_CALL: case N_INDIRECT: pretty_call(p, n); break;
	case N_BUILTIN: pretty_builtin(p, n); break;
	case N_GETLINE: pretty_getline(p, n); break;
	default: break;
	}
}

void ak_pretty_expr(struct pretty *p, const struct node *n)
{
	awk_deep(p->a);
	awk_tick(p->a);
	str_fill(&p->out, '(', n->paren);
	pretty_bare(p, n);
	str_fill(&p->out, ')', n->paren);
}
