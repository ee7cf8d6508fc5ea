/*
 * Program text to tokens. A "/" begins a regular expression unless the token
 * before it can end an operand. Strings are taken with their escapes resolved,
 * regular expressions as they stand but for "\/".
 */
#include "cmd/awk/lex.h"

#include <stdlib.h>

#include "base/utf8.h"

struct lexer {
	struct awk *a;
	token_list *out;
	const char *text, *source;
	size_t at, n;
	int line, depth;
	size_t comment;		/* in this line, plus 1 */
	char *space;		/* the namespace, NULL: awk */
	VEC(bool) heads;	/* open parentheses: is it the head of if, while, for? */
	bool after_head;
};

struct word {
	const char *name;
	int type;
};

static const struct word words[] = {
	{ "BEGIN", T_BEGIN }, { "END", T_END }, { "BEGINFILE", T_BEGINFILE },
	{ "ENDFILE", T_ENDFILE }, { "function", T_FUNCTION }, { "func", T_FUNCTION }, { "if", T_IF },
	{ "else", T_ELSE }, { "while", T_WHILE }, { "for", T_FOR }, { "do", T_DO },
	{ "break", T_BREAK }, { "continue", T_CONTINUE }, { "next", T_NEXT },
	{ "nextfile", T_NEXTFILE }, { "exit", T_EXIT }, { "return", T_RETURN },
	{ "delete", T_DELETE }, { "in", T_IN }, { "getline", T_GETLINE }, { "print", T_PRINT },
	{ "printf", T_PRINTF }, { "switch", T_SWITCH }, { "case", T_CASE }, { "default", T_DEFAULT },
};

static const struct ak_builtin_row builtins[] = {
	{ "and", B_AND, 2, 1000 }, { "asort", B_ASORT, 1, 3 }, { "asorti", B_ASORTI, 1, 3 },
	{ "atan2", B_ATAN2, 2, 2 }, { "bindtextdomain", B_BINDTEXTDOMAIN, 1, 2 },
	{ "close", B_CLOSE, 1, 2 }, { "compl", B_COMPL, 1, 1 }, { "cos", B_COS, 1, 1 },
	{ "dcgettext", B_DCGETTEXT, 1, 3 }, { "dcngettext", B_DCNGETTEXT, 1, 5 },
	{ "exp", B_EXP, 1, 1 }, { "fflush", B_FFLUSH, 0, 1 }, { "gensub", B_GENSUB, 3, 4 },
	{ "gsub", B_GSUB, 2, 3 }, { "index", B_INDEX, 2, 2 }, { "int", B_INT, 1, 1 },
	{ "isarray", B_ISARRAY, 1, 1 }, { "length", B_LENGTH, 0, 1 }, { "log", B_LOG, 1, 1 },
	{ "lshift", B_LSHIFT, 2, 2 }, { "match", B_MATCH, 2, 3 }, { "mkbool", B_MKBOOL, 1, 1 },
	{ "mktime", B_MKTIME, 1, 2 }, { "or", B_OR, 2, 1000 }, { "patsplit", B_PATSPLIT, 2, 4 },
	{ "rand", B_RAND, 0, 0 }, { "rshift", B_RSHIFT, 2, 2 }, { "sin", B_SIN, 1, 1 },
	{ "split", B_SPLIT, 2, 4 }, { "sprintf", B_SPRINTF, 1, 1000000 }, { "sqrt", B_SQRT, 1, 1 },
	{ "srand", B_SRAND, 0, 1 }, { "strftime", B_STRFTIME, 0, 3 },
	{ "strtonum", B_STRTONUM, 1, 1 }, { "sub", B_SUB, 2, 3 }, { "substr", B_SUBSTR, 2, 3 },
	{ "system", B_SYSTEM, 1, 1 }, { "systime", B_SYSTIME, 0, 0 },
	{ "tolower", B_TOLOWER, 1, 1 }, { "toupper", B_TOUPPER, 1, 1 },
	{ "typeof", B_TYPEOF, 1, 2 }, { "xor", B_XOR, 2, 1000 },
};

const struct ak_builtin_row *ak_builtin_row(int id)
{
	for (size_t i = 0; i < sizeof(builtins) / sizeof(*builtins); i++)
		if ((int)builtins[i].id == id)
			return &builtins[i];
	return NULL;
}

void ak_lex_error(struct awk *a, const struct token *t, const char *message)
{
	size_t start = t->at, end = t->at;
	const char *name = tsb_name(a->p);
	struct str where, pad;

	str_init(&where, a->heap, STR_MAX_DEFAULT);
	str_init(&pad, a->heap, STR_MAX_DEFAULT);
	if (t->source)
		str_addf(&where, "%s: %s:%d: ", name, t->source, t->line);
	else
		str_addf(&where, "%s: cmd. line:%d: ", name, t->line);
	while (start && t->text[start - 1] != '\n')
		start--;
	while (t->text[end] && t->text[end] != '\n')
		end++;
	if (t->type == T_EOF && t->at_end)
		message = "source files / command-line arguments must contain complete functions or rules";
	for (size_t i = start; i < t->at; i++)
		str_addc(&pad, t->text[i] == '\t' ? '\t' : ' ');
	if (t->type == T_EOF && t->at_end)
		str_adds(&where, "(END OF FILE)\n");
	else
		str_addf(&where, "%.*s\n", (int)(end - start), t->text + start);
	if (t->source)
		str_addf(&where, "%s: %s:%d: ", name, t->source, t->line);
	else
		str_addf(&where, "%s: cmd. line:%d: ", name, t->line);
	str_addf(&where, "%s^ %s\n", pad.p, message);
	tsb_write_all(a->p, 2, where.p, where.n);
	tsb_exit(a->p, 1);
}

static struct token *lex_add(struct lexer *l, int type, size_t start)
{
	struct token *t = vec_add(l->a->heap, l->out);

	t->type = type;
	t->line = l->line;
	t->source = l->source;
	t->text = l->text;
	t->at = start;
	t->end = l->at;
	return t;
}

static TSB_NORETURN void lex_fail(struct lexer *l, size_t at, const char *message)
{
	struct token t = { .line = l->line, .source = l->source, .text = l->text, .at = at };

	ak_lex_error(l->a, &t, message);
}

/* Does the last token end an operand, so that "/" divides? */
static bool lex_after_operand(const struct lexer *l)
{
	if (!l->out->n)
		return false;
	switch (vec_last(l->out).type) {
	case T_NAME: case T_NUMBER: case T_STRING: case T_REGEX: case T_BUILTIN: case T_INCR:
	case T_DECR: case ']':
		return true;
	case ')':
		return !l->after_head;
	}
	return false;
}

static int hex_of(int c)
{
	return c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 :
	       c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

/* \ddd and \xHH behind the backslash at p; how many bytes they took, or 0. */
static size_t escape_code(const char *p, const char *end, struct str *out)
{
	size_t i = 0;
	unsigned v = 0;

	if (*p >= '0' && *p <= '7') {
		for (; i < 3 && p + i < end && p[i] >= '0' && p[i] <= '7'; i++)
			v = v * 8 + (unsigned)(p[i] - '0');
		str_addc(out, (int)(v & 255));
		return i;
	}
	if (*p != 'x' || p + 1 >= end || hex_of(p[1]) < 0)
		return 0;
	for (i = 1; i < 3 && p + i < end && hex_of(p[i]) >= 0; i++)
		v = v * 16 + (unsigned)hex_of(p[i]);
	str_addc(out, (int)v);
	return i;
}

/* What stands behind a backslash; the bytes it took. */
static size_t lex_escape(struct awk *a, const char *p, const char *end, struct str *out)
{
	static const char from[] = "ntabfrv\\\"", to[] = "\n\t\a\b\f\r\v\\\"";
	const char *known;
	size_t n;

	if (*p == '\n')
		return 1;
	if (*p == '\r' && p + 1 < end && p[1] == '\n')
		return 2;
	known = *p ? strchr(from, *p) : NULL;
	if (known) {
		str_addc(out, to[known - from]);
		return 1;
	}
	n = escape_code(p, end, out);
	if (n)
		return n;
	if (*p & 0x80) {
		str_addc(out, '\\');
	} else {
		awk_warn(a, "escape sequence `\\%c' treated as plain `%c'", *p, *p);
	}
	str_addc(out, *p);
	return 1;
}

static void lex_string(struct lexer *l)
{
	size_t start = l->at++;
	int line = l->line;
	struct token *t;
	struct str s;

	str_init(&s, l->a->heap, STR_MAX_DEFAULT);
	l->a->line = l->line;
	l->a->source = l->source;
	for (;;) {
		int c = l->at < l->n ? l->text[l->at] : '\n';

		if (c == '\n')
			lex_fail(l, start, "unterminated string");
		if (c == '"')
			break;
		l->at++;
		if (c != '\\') {
			str_addc(&s, c);
			continue;
		}
		if (l->at >= l->n)
			lex_fail(l, start, "unterminated string");
		l->line += l->text[l->at] == '\n';
		l->at += lex_escape(l->a, l->text + l->at, l->text + l->n, &s);
	}
	l->at++;
	t = lex_add(l, T_STRING, start);
	t->line = line;
	t->p = str_take(&s, &t->n);
}

static void lex_regex(struct lexer *l, int type)
{
	size_t start = l->at++, bracket = 0;
	struct token *t;
	struct str s;

	str_init(&s, l->a->heap, STR_MAX_DEFAULT);
	for (;; l->at++) {
		int c = l->at < l->n ? l->text[l->at] : '\n';

		if (c == '\n')
			lex_fail(l, start + 1, "unterminated regexp");
		if (c == '\\' && l->at + 1 < l->n) {
			l->at++;
			if (l->text[l->at] == '\r' && l->text[l->at + 1] == '\n')
				l->at++;
			if (l->text[l->at] == '\n') {
				l->line++;
				continue;
			}
			if (l->text[l->at] != '/')
				str_addc(&s, '\\');
			str_addc(&s, l->text[l->at]);
			continue;
		}
		if (c == '/' && !bracket)
			break;
		if (c == '[' && !bracket)
			bracket = l->at + (l->text[l->at + 1] == '^') + 1;
		else if (c == '[' && l->text[l->at + 1] == ':' && strchr(l->text + l->at, ']'))
			while (l->text[l->at + 1] != ']' && l->text[l->at + 1] != '\n')
				str_addc(&s, l->text[l->at++]);
		else if (c == ']' && bracket && l->at != bracket)
			bracket = 0;
		str_addc(&s, l->text[l->at]);
		if (c == '[' && l->text[l->at] != '[' && l->text[l->at + 1] == ']')
			str_addc(&s, l->text[++l->at]);
	}
	l->at++;
	t = lex_add(l, type, start);
	t->p = str_take(&s, &t->n);
}

static bool name_start(int c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

static bool digit(int c)
{
	return c >= '0' && c <= '9';
}

static void lex_include(struct lexer *l);

bool ak_lex_reserved(const char *p, size_t n)
{
	for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++)
		if (strlen(words[i].name) == n && !memcmp(words[i].name, p, n))
			return true;
	for (size_t i = 0; i < sizeof(builtins) / sizeof(*builtins); i++)
		if (strlen(builtins[i].name) == n && !memcmp(builtins[i].name, p, n))
			return true;
	return false;
}

/* --traditional and --posix do not know these: they are names as others are. */
bool ak_lex_is_extension(const char *p, size_t n)
{
	static const char list[] = " BEGINFILE ENDFILE switch case default and asort asorti "
		"bindtextdomain compl dcgettext dcngettext gensub isarray lshift mkbool mktime or "
		"patsplit rshift strftime strtonum systime typeof xor ";
	const char *at = memmem(list, sizeof(list) - 1, p, n);

	while (at && !(at[-1] == ' ' && at[n] == ' '))
		at = memmem(at + 1, (size_t)(list + sizeof(list) - 2 - at), p, n);
	return at != NULL;
}

static int lex_name_type(struct lexer *l, const char *p, size_t n, int *sub)
{
	if ((l->a->posix || l->a->traditional) && n && ak_lex_is_extension(p, n))
		return l->at < l->n && l->text[l->at] == '(' ? T_FUNC_NAME : T_NAME;
	for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++)
		if (strlen(words[i].name) == n && !memcmp(words[i].name, p, n))
			return words[i].type;
	for (size_t i = 0; i < sizeof(builtins) / sizeof(*builtins); i++) {
		if (strlen(builtins[i].name) == n && !memcmp(builtins[i].name, p, n)) {
			*sub = (int)builtins[i].id;
			return T_BUILTIN;
		}
	}
	return l->at < l->n && l->text[l->at] == '(' ? T_FUNC_NAME : T_NAME;
}

/* ---- Names and namespaces ---- */

static bool all_upper(const char *p, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (p[i] < 'A' || p[i] > 'Z')
			return false;
	return true;
}

static void lex_wrong(struct lexer *l, const char *text)
{
	awk_error(l->a, l->source, l->line, text);
}

/* The part of a qualified name that must not be reserved, its place in [p, end). */
static const char *check_qualified(struct lexer *l, const char *p, const char *end)
{
	const char *colons = memmem(p, (size_t)(end - p), "::", 2), *rest;
	int sub, type;

	if (!colons)
		return NULL;
	rest = colons + 2;
	if (rest == end) {
		lex_wrong(l, tsb_format(l->a->p, "qualified identifier `%.*s' is badly formed",
					(int)(end - p), p));
		return NULL;
	}
	if (memmem(rest, (size_t)(end - rest), "::", 2)) {
		lex_wrong(l, tsb_format(l->a->p, "identifier `%.*s': namespace separator can only appear "
					"once in a qualified name", (int)(end - p), p));
		return NULL;
	}
	type = lex_name_type(l, p, (size_t)(colons - p), &sub);
	if (type != T_NAME && type != T_FUNC_NAME)
		lex_wrong(l, tsb_format(l->a->p, "using reserved identifier `%.*s' as a namespace is not "
					"allowed", (int)(colons - p), p));
	type = lex_name_type(l, rest, (size_t)(end - rest), &sub);
	if (type == T_BUILTIN && ak_lex_is_extension(rest, (size_t)(end - rest)))
		return rest;
	if (type != T_NAME && type != T_FUNC_NAME)
		lex_wrong(l, tsb_format(l->a->p, "using reserved identifier `%.*s' as second component "
					"of a qualified name is not allowed", (int)(end - rest), rest));
	return rest;
}

static void lex_name(struct lexer *l)
{
	size_t start = l->at, n;
	const char *rest, *p;
	struct token *t;
	int type, sub = 0;

	while (l->at < l->n) {
		if (l->text[l->at] == ':' && l->text[l->at + 1] == ':')
			l->at++;
		else if (!name_start(l->text[l->at]) && !digit(l->text[l->at]))
			break;
		l->at++;
	}
	p = l->text + start;
	rest = check_qualified(l, p, l->text + l->at);
	if (rest && (rest - p == 5 && !memcmp(p, "awk::", 5)))
		p = rest;
	n = (size_t)(l->text + l->at - p);
	type = lex_name_type(l, rest ? rest : p, (size_t)(l->text + l->at - (rest ? rest : p)), &sub);
	/* gawk's own functions are not reserved in other namespaces. */
	if (type == T_BUILTIN && (rest ? p != rest : l->space != NULL) &&
	    ak_lex_is_extension(rest ? rest : p, (size_t)(l->text + l->at - (rest ? rest : p))))
		type = l->text[l->at] == '(' ? T_FUNC_NAME : T_NAME;
	t = lex_add(l, type, start);
	t->sub = sub;
	if (!rest && l->space && (type == T_NAME || type == T_FUNC_NAME) && !all_upper(p, n)) {
		t->p = tsb_format(l->a->p, "%s::%.*s", l->space, (int)n, p);
		t->n = strlen(t->p);
	} else {
		t->p = heap_dup(l->a->heap, p, n);
		t->n = n;
	}
}

/* A string behind a directive; NULL: none stands there. */
static char *lex_directive_text(struct lexer *l, size_t *start)
{
	size_t from;
	char *text;

	while (l->at < l->n && (l->text[l->at] == ' ' || l->text[l->at] == '\t'))
		l->at++;
	*start = l->at;
	if (l->at >= l->n || l->text[l->at] != '"')
		return NULL;
	from = ++l->at;
	while (l->at < l->n && l->text[l->at] != '"' && l->text[l->at] != '\n')
		l->at++;
	text = heap_dup(l->a->heap, l->text + from, l->at - from);
	l->at += l->at < l->n && l->text[l->at] == '"';
	return text;
}

static void lex_namespace(struct lexer *l)
{
	size_t start, n;
	char *name;
	int sub, type;

	l->at += 10;
	name = lex_directive_text(l, &start);
	if (!name)
		lex_fail(l, start + (start < l->n && l->text[start] != '\n'), "syntax error");
	n = strlen(name);
	for (size_t i = 0; i <= n; i++) {
		if (i == n ? n > 0 : name_start(name[i]) || (i && digit(name[i])))
			continue;
		lex_wrong(l, tsb_format(l->a->p, "namespace name `%s' must meet identifier naming rules",
					name));
		return;
	}
	type = lex_name_type(l, name, n, &sub);
	if (type != T_NAME && type != T_FUNC_NAME)
		lex_wrong(l, tsb_format(l->a->p, "using reserved identifier `%s' as a namespace is not "
					"allowed", name));
	l->space = !strcmp(name, "awk") ? NULL : name;
}

/* @load "ordchr" */
static void lex_load(struct lexer *l)
{
	size_t start;
	char *name;

	l->at += 5;
	name = lex_directive_text(l, &start);
	if (!name)
		lex_fail(l, start, "syntax error");
	l->a->line = l->line + 1;	/* gawk has read the newline, too */
	if (!ak_library_load(l->a, name))
		lex_wrong(l, tsb_format(l->a->p, "cannot open shared library `%s' for reading: "
				"No such file or directory", name));
}

static void lex_number(struct lexer *l)
{
	size_t start = l->at, n;
	const char *p = l->text + start;
	struct token *t;
	double num = 0;

	bool decimal = l->a->posix || l->a->traditional;

	if (!decimal && p[0] == '0' && (p[1] | 32) == 'x' && hex_of(p[2]) >= 0) {
		for (l->at += 2; hex_of(l->text[l->at]) >= 0; l->at++)
			num = num * 16 + hex_of(l->text[l->at]);
	} else {
		n = ak_number_parse(l->a, p, l->n - start, &num);
		l->at += n;
		if (!decimal && p[0] == '0' && n > 1 && strspn(p, "01234567") >= n)
			num = ak_number_strtonum(l->a, p, n);
	}
	t = lex_add(l, T_NUMBER, start);
	t->num = num;
}

struct operator {
	const char *text;
	int type;
};

static const struct operator operators[] = {
	{ "**=", T_POW_EQ }, { "++", T_INCR }, { "--", T_DECR }, { "+=", T_ADD_EQ }, { "-=", T_SUB_EQ },
	{ "*=", T_MUL_EQ }, { "/=", T_DIV_EQ }, { "%=", T_MOD_EQ }, { "^=", T_POW_EQ },
	{ "**", T_POW }, { "^", T_POW }, { "==", T_EQ }, { "<=", T_LE }, { "!=", T_NE }, { ">=", T_GE },
	{ "&&", T_AND }, { "||", T_OR }, { "!~", T_NO_MATCH }, { ">>", T_APPEND },
	{ "|&", T_TWO_WAY },
};

/* Behind the head of a statement an expression may begin. */
static void lex_paren(struct lexer *l, char c)
{
	int type = l->out->n ? vec_last(l->out).type : 0;

	if (c == '(')
		*vec_add(l->a->heap, &l->heads) = type == T_IF || type == T_WHILE || type == T_FOR;
	else
		l->after_head = l->heads.n && l->heads.at[--l->heads.n];
}

static void lex_operator(struct lexer *l)
{
	const char *p = l->text + l->at;
	size_t start = l->at;

	for (size_t i = 0; i < sizeof(operators) / sizeof(*operators); i++) {
		size_t n = strlen(operators[i].text);

		if (l->a->posix && (p[0] == '*' && p[1] == '*'))
			break;		/* POSIX has ^ only */
		if (!strncmp(p, operators[i].text, n)) {
			l->at += n;
			lex_add(l, operators[i].type, start);
			return;
		}
	}
	if (!*p || !strchr("{}()[];,?:~!<>|+-*/%=$@.", *p)) {
		struct str m;

		str_init(&m, l->a->heap, STR_MAX_DEFAULT);
		str_addf(&m, "invalid char '%c' in expression", *p);
		lex_fail(l, start, m.p);
	}
	if (*p == '(' || *p == ')')
		lex_paren(l, *p);
	l->at++;
	lex_add(l, *p, start);
}

/* A directive may end with a semicolon, which is none of a rule's. */
static void lex_directive_end(struct lexer *l)
{
	while (l->at < l->n && (l->text[l->at] == ' ' || l->text[l->at] == '\t'))
		l->at++;
	l->at += l->at < l->n && l->text[l->at] == ';';
}

/* @include "file", @load, @namespace, @/regex/; else the "@" of an indirect call. */
static void lex_at(struct lexer *l)
{
	const char *p = l->text + l->at;

	if (p[1] == '/') {
		l->at++;
		lex_regex(l, T_TYPED_REGEX);
	} else if (!strncmp(p, "@include", 8)) {
		lex_include(l);
		lex_directive_end(l);
	} else if (!strncmp(p, "@namespace", 10)) {
		lex_namespace(l);
		lex_directive_end(l);
	} else if (!strncmp(p, "@load", 5)) {
		lex_load(l);
		lex_directive_end(l);
	} else {
		l->at++;
		lex_add(l, '@', l->at - 1);
	}
}

static void lex_comment(struct lexer *l)
{
	size_t from = l->at, before = from;
	struct awk_comment *c;

	while (l->at < l->n && l->text[l->at] != '\n')
		l->at++;
	l->comment = from + 1;
	if (!l->a->pretty)
		return;
	while (before && (l->text[before - 1] == ' ' || l->text[before - 1] == '\t'))
		before--;
	c = vec_add(l->a->heap, &l->a->comments);
	*c = (struct awk_comment){ l->text, from, l->at - from, l->line,
				   !before || l->text[before - 1] == '\n', false };
}

/* Blanks, comments and continued lines; false at the end. */
static bool lex_skip(struct lexer *l)
{
	while (l->at < l->n) {
		const char *p = l->text + l->at;

		if (*p == ' ' || *p == '\t' || *p == '\r') {
			l->at++;
		} else if (*p == '#') {
			lex_comment(l);
		} else if (*p == '\\' && (p[1] == '\n' || (p[1] == '\r' && p[2] == '\n'))) {
			l->at += p[1] == '\n' ? 2 : 3;
			l->line++;
		} else if (*p == '\\') {
			lex_fail(l, l->at, "backslash not last character on line");
		} else {
			return true;
		}
	}
	return false;
}

/* Where messages see a newline at `at`: at the comment before it. */
static size_t newline_at(struct lexer *l, size_t at)
{
	size_t comment = l->comment;

	l->comment = 0;
	return comment ? comment - 1 : at;
}

static void lex_one(struct lexer *l)
{
	const char *p = l->text + l->at;

	if (*p == '\n') {
		l->at++;
		l->line++;	/* gawk's messages count the line that begins */
		lex_add(l, T_NEWLINE, newline_at(l, l->at - 1));
	} else if (name_start(*p)) {
		lex_name(l);
	} else if (digit(*p) || (*p == '.' && digit(p[1]))) {
		lex_number(l);
	} else if (*p == '"') {
		lex_string(l);
	} else if (*p == '/' && !lex_after_operand(l)) {
		lex_regex(l, T_REGEX);
	} else if (*p == '@') {
		lex_at(l);
	} else {
		lex_operator(l);
	}
}

static void lex_include(struct lexer *l)
{
	struct str text;
	size_t start;
	char *name;
	int err;

	l->at += 8;
	name = lex_directive_text(l, &start);
	if (!name)
		lex_fail(l, start, "syntax error");
	l->a->line = l->line;
	l->a->source = l->source;
	if (!strcmp(name, "inplace")) {
		l->a->inplace = tsb_alloc(l->a->p, sizeof(*l->a->inplace));
		return;
	}
	str_init(&text, l->a->heap, STR_MAX_DEFAULT);
	err = awk_read_source(l->a, name, true, &text);
	if (err)
		awk_error(l->a, l->source, l->line, tsb_format(l->a->p,
			  "cannot open source file `%s' for reading: %s", name, tsb_strerror(err)));
	if (l->depth > 50)
		awk_fatal(l->a, "cannot include `%s': too deep", name);
	ak_lex_program(l->a, l->out, text.p, text.n, name, l->depth + 1);
}

static void check_nul(struct lexer *l)
{
	const char *nul = memchr(l->text, '\0', l->n);

	if (!nul)
		return;
	l->a->line = 1;
	l->a->source = l->source;
	for (const char *p = l->text; p < nul; p++)
		l->a->line += *p == '\n';
	awk_fatal(l->a, "error: invalid character '\\000' in source code");
}

/* The end is told of at the newline or comment before it, in a line that is not the next. */
static void lex_end(struct lexer *l, size_t last)
{
	bool newline = l->n && l->text[l->n - 1] == '\n';
	struct token *t;

	t = lex_add(l, T_EOF, newline && l->text[last] == '\n' && !l->source ? l->n - 1 :
		    newline && l->text[last] == '\n' ? l->n : last);
	t->line -= newline && l->line > 1;
	t->at_end = l->source || t->text[last] == '#';
}

void ak_lex_program(struct awk *a, token_list *out, const char *text, size_t n, const char *source,
		 int depth)
{
	struct lexer l = { .a = a, .out = out, .text = text, .source = source, .n = n, .line = 1,
			   .depth = depth };
	size_t last;

	check_nul(&l);
	while (lex_skip(&l)) {
		awk_tick(a);
		lex_one(&l);
	}
	last = newline_at(&l, n);
	if (last == n && out->n && vec_last(out).type == T_NEWLINE)
		last = vec_last(out).at;
	if (out->n && vec_last(out).type != T_NEWLINE) {
		l.line++;	/* gawk's messages count the line that would begin */
		lex_add(&l, T_NEWLINE, last);
		l.line--;
	}
	if (!depth) {
		l.at = n;
		lex_end(&l, last);
	}
}
