/*
 * Words -> text: the source again, except for what bash itself changes when it
 * reads: $'..' is decoded and single-quoted, $".." loses its $, what is in $( )
 * is printed anew, line continuations are gone.
 */
#include "lang/printer.h"

static void print_parts(struct str *out, const struct part *p);

static void print_single_quoted(struct str *out, struct slice t)
{
	str_addc(out, '\'');
	for (size_t i = 0; i < t.n; i++) {
		if (t.p[i] == '\'')
			str_adds(out, "'\\''");
		else
			str_addc(out, t.p[i]);
	}
	str_addc(out, '\'');
}

static void print_subscript(struct str *out, const struct subscript *sub)
{
	switch (sub->kind) {
	case SUBSCRIPT_NONE:
		return;
	case SUBSCRIPT_AT:
		str_adds(out, "[@]");
		return;
	case SUBSCRIPT_STAR:
		str_adds(out, "[*]");
		return;
	case SUBSCRIPT_EXPR:
		break;
	}
	str_addc(out, '[');
	print_parts(out, sub->word->parts);
	str_addc(out, ']');
}

static const char *param_operator(enum param_op op)
{
	static const char *const texts[] = {
		[PARAM_DEFAULT] = "-", [PARAM_ASSIGN] = "=", [PARAM_ERROR] = "?",
		[PARAM_ALTERNATE] = "+", [PARAM_PREFIX] = "#", [PARAM_PREFIX_LONG] = "##",
		[PARAM_SUFFIX] = "%", [PARAM_SUFFIX_LONG] = "%%", [PARAM_REPLACE] = "/",
		[PARAM_REPLACE_ALL] = "//", [PARAM_REPLACE_START] = "/#",
		[PARAM_REPLACE_END] = "/%", [PARAM_SLICE] = ":", [PARAM_UPPER] = "^",
		[PARAM_UPPER_ALL] = "^^", [PARAM_LOWER] = ",", [PARAM_LOWER_ALL] = ",,",
		[PARAM_TOGGLE] = "~", [PARAM_TOGGLE_ALL] = "~~", [PARAM_TRANSFORM] = "@",
		[PARAM_BAD] = NULL
	};

	return texts[op] ? texts[op] : "";
}

static void print_param(struct str *out, const struct param *p)
{
	if (p->op == PARAM_BAD) {
		str_adds(out, p->raw);
		return;
	}
	str_adds(out, p->braces ? "${" : "$");
	if (p->indirect)
		str_addc(out, '!');
	if (p->op == PARAM_LENGTH)
		str_addc(out, '#');
	str_addn(out, p->name.s, p->name.n);
	print_subscript(out, &p->sub);
	if (p->colon)
		str_addc(out, ':');
	str_adds(out, param_operator(p->op));
	if (p->op == PARAM_TRANSFORM)
		str_addslice(out, p->letters);
	else if (p->letter)
		str_addc(out, p->letter);
	if (p->word)
		print_parts(out, p->word->parts);
	if (p->has_word2)
		str_addc(out, '/');
	if (p->word2)
		print_parts(out, p->word2->parts);
	if (p->offset)
		print_parts(out, p->offset->word->parts);
	if (p->length) {
		str_addc(out, ':');
		print_parts(out, p->length->word->parts);
	}
	if (p->braces)
		str_addc(out, '}');
}

static void print_command_part(struct str *out, const struct part *p)
{
	if (p->backquoted) {
		str_addc(out, '`');
		str_addslice(out, p->raw);
		str_addc(out, '`');
		return;
	}
	str_adds(out, p->kind == PART_COMMAND ? "$(" : p->kind == PART_PROCESS_IN ? "<(" : ">(");
	if (p->verbatim || p->late)
		str_addslice(out, p->raw);
	else
		print_substitution(out, p->command);
	str_addc(out, ')');
}

static void print_glob(struct str *out, const struct part *p)
{
	str_addc(out, p->op);
	str_addc(out, '(');
	for (const struct word *w = p->alternatives; w; w = w->next) {
		print_parts(out, w->parts);
		if (w->next)
			str_addc(out, '|');
	}
	str_addc(out, ')');
}

static void print_part(struct str *out, const struct part *p)
{
	switch (p->kind) {
	case PART_TEXT:
		str_addslice(out, p->raw.n ? p->raw : p->text);
		break;
	case PART_ESCAPED:
		str_addc(out, '\\');
		str_addslice(out, p->text);
		break;
	case PART_SINGLE:
	case PART_ANSI:
		print_single_quoted(out, p->text);
		break;
	case PART_DOUBLE:
	case PART_LOCALE:
		str_addc(out, '"');
		print_parts(out, p->parts);
		str_addc(out, '"');
		break;
	case PART_PARAM:
		print_param(out, p->param);
		break;
	case PART_COMMAND:
	case PART_PROCESS_IN:
	case PART_PROCESS_OUT:
		print_command_part(out, p);
		break;
	case PART_ARITH:
		str_adds(out, p->backquoted ? "$[" : "$((");
		print_parts(out, p->arith->word->parts);
		str_adds(out, p->backquoted ? "]" : "))");
		break;
	case PART_TILDE:
		str_addc(out, '~');
		str_addslice(out, p->text);
		break;
	case PART_GLOB:
		print_glob(out, p);
		break;
	}
}

static void print_parts(struct str *out, const struct part *p)
{
	for (; p; p = p->next)
		print_part(out, p);
}

void print_word(struct str *out, const struct word *w)
{
	print_parts(out, w->parts);
}

static void print_items(struct str *out, const struct array_item *item)
{
	str_addc(out, '(');
	for (; item; item = item->next) {
		print_subscript(out, &item->sub);
		if (item->sub.kind != SUBSCRIPT_NONE)
			str_adds(out, item->append ? "+=" : "=");
		if (item->value)
			print_parts(out, item->value->parts);
		if (item->next)
			str_addc(out, ' ');
	}
	str_addc(out, ')');
}

void print_assign(struct str *out, const struct assign *a)
{
	str_addn(out, a->name.s, a->name.n);
	print_subscript(out, &a->sub);
	str_adds(out, a->append ? "+=" : "=");
	if (a->is_array)
		print_items(out, a->items);
	else if (a->value)
		print_parts(out, a->value->parts);
}
