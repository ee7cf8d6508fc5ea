/*
 * Words to fields and strings. The order is bash's: braces first (they make
 * words of a word), then from left to right tilde, parameters, commands and
 * arithmetic, each emitted into the field builder (build.c), which splits, and
 * finds pathnames when a field is complete. Most words are literal, or one
 * quoted parameter: those go around the builder.
 */
#include <string.h>

#include "base/num.h"
#include "base/utf8.h"
#include "kernel/kernel.h"
#include "lang/parse.h"
#include "shell/words.h"

/* ---- Depth: operands within operands within arithmetic ---- */

static bool expand_enter(struct shell *sh)
{
	struct words *w = words_of(sh);

	if (w->depth >= 2 * w->max_depth) {
		words_limit(sh, "parse_depth");
		return false;
	}
	w->depth++;
	return true;
}

static void expand_leave(struct shell *sh)
{
	words_of(sh)->depth--;
}

/* ---- Parts ---- */

/* Joined by a separator into one quoted or plain text. */
static void expand_joined(struct build *b, const struct slice *items, size_t n,
			  struct slice separator, enum emit how)
{
	for (size_t i = 0; i < n; i++) {
		if (i)
			build_emit(b, separator.p, separator.n, how);
		build_emit(b, items[i].p, items[i].n, how);
	}
}

static struct slice ifs_first(struct shell *sh)
{
	struct slice ifs = sh->ifs;
	int32_t c;

	if (ifs.n > 1)
		ifs.n = utf8_decode(ifs.p, ifs.n, &c);
	return ifs;
}

/* What stands between the items when they become one text. */
static struct slice list_separator(struct build *b, const struct value *v, bool quoted)
{
	struct slice ifs = ifs_first(b->sh);

	/* bash joins most lists by spaces there, whatever IFS is */
	if (b->here && !(v->star && (v->here_ifs || (!v->made && !v->positional))))
		return SLICE(" ");
	if (v->star)
		return !quoted && !ifs.n && b->operand && v->positional ? SLICE(" ") : ifs;
	if (v->made == MADE_JOINED || (v->made == MADE_JOINED_QUOTED && quoted))
		return ifs.n ? ifs : SLICE(" ");
	return SLICE(" ");
}

/* bash splits the text that holds "$@" at IFS, also where "${a[*]#x}" beside it
 * has put IFS between its items; white space takes empty ones with it. */
static void list_quoted(struct build *b, const struct value *v)
{
	bool white = v->star && b->sh->ifs.n &&
		b->sh->ifs_table[(unsigned char)b->sh->ifs.p[0]] == IFS_WHITE;

	if (v->n == 0 && !v->star)
		b->zero_at = true;
	for (size_t i = 0; i < v->n && b->flow == FLOW_NEXT; i++) {
		if (white && !v->items[i].n)
			continue;
		if (i)
			build_break(b);
		if (v->items[i].n == 0)
			build_null(b);
		build_emit(b, v->items[i].p, v->items[i].n, EMIT_QUOTED);
	}
}

/* Split by IFS and joined by spaces. */
static void list_blanked(struct build *b, const struct value *v)
{
	bool white = b->sh->ifs_table[(unsigned char)b->sh->ifs.p[0]] == IFS_WHITE;

	for (size_t i = 0; i < v->n && b->flow == FLOW_NEXT; i++) {
		char *copy = arena_dup(&b->sh->turn, v->items[i].p, v->items[i].n);

		if (white && !v->items[i].n)
			continue;
		for (size_t k = 0; k < v->items[i].n; k++)
			if (b->sh->ifs_table[(unsigned char)copy[k]] & (IFS_OTHER | IFS_WHITE))
				copy[k] = ' ';
		if (i)
			build_emit(b, " ", 1, EMIT_LITERAL);
		build_emit(b, copy, v->items[i].n, EMIT_LITERAL);
	}
}

/* Unquoted they are joined by IFS and split again, which keeps the empty ones
 * between delimiters that are not white. */
static void list_split(struct build *b, const struct value *v)
{
	struct slice separator = ifs_first(b->sh);
	enum emit how = EMIT_EXPANDED;

	if (v->keys_star && !separator.n) {
		expand_joined(b, v->items, v->n, v->v ? SLICE(" ") : SLICE(""), EMIT_LITERAL);
		return;
	}
	/* ${x-$@}: bash joins by spaces what it has protected before. */
	if (b->operand && !v->star && separator.n && separator.p[0] != ' ') {
		if (v->made && !memchr(b->sh->ifs.p, ' ', b->sh->ifs.n)) {
			list_blanked(b, v);
			return;
		}
		separator = v->made ? separator : SLICE(" ");
		how = v->made ? EMIT_EXPANDED : EMIT_QUOTED;
	}
	for (size_t i = 0; i < v->n && b->flow == FLOW_NEXT; i++) {
		if (i && separator.n)
			build_emit(b, separator.p, separator.n, EMIT_EXPANDED);
		else if (i)
			build_break(b);
		if (how == EMIT_QUOTED && !v->items[i].n)
			build_null(b);
		build_emit(b, v->items[i].p, v->items[i].n, how);
	}
}

void expand_list(struct build *b, const struct value *v, bool quoted)
{
	enum emit how = quoted ? EMIT_QUOTED : EMIT_EXPANDED;

	bool joined = v->star && !(v->made && b->beside_at && b->sh->ifs.n);

	if (b->mode != BUILD_FIELDS || (quoted && joined))
		expand_joined(b, v->items, v->n, list_separator(b, v, quoted), how);
	else if (quoted)
		list_quoted(b, v);
	else
		list_split(b, v);
}

static bool double_has_at(const struct part *parts)
{
	for (const struct part *p = parts; p; p = p->next)
		if (p->kind == PART_PARAM && p->param->op != PARAM_LENGTH && (p->param->sub.kind == SUBSCRIPT_AT ||
		    (p->param->name.n == 1 && p->param->name.s[0] == '@') ||
		    (p->param->op == PARAM_NAMES && p->param->letter == '@')))
			return true;
	return false;
}

/* Quotes that gave nothing are an empty field, unless "$@" had nothing to give. */
static void expand_double(struct build *b, const struct part *parts, struct context c)
{
	size_t before = b->emitted;
	bool zero_at = b->zero_at, beside_at = b->beside_at;

	c.quoted = true;
	b->zero_at = false;
	b->beside_at = double_has_at(parts);
	expand_parts(b, parts, c);
	b->beside_at = beside_at;
	if (b->emitted == before && !b->zero_at)
		build_null(b);
	b->zero_at = b->zero_at || zero_at;
}

static void expand_command(struct build *b, const struct part *part, enum emit how)
{
	struct slice text = { "", 0 };

	if (part->command)
		b->flow = eval_substitution(b->sh, part->command, &text);
	else
		b->sh->substitution_status = 0;
	if (part->late && b->flow == FLOW_NEXT)
		b->flow = eval_late(b->sh, part);
	build_emit(b, text.p, text.n, how);
}

enum flow arith_value(struct shell *sh, const struct arith *a, int64_t *value)
{
	const char *builtin = sh->builtin;
	bool good;

	sh->failed = FLOW_NEXT;
	sh->builtin = NULL;	/* an expansion's message names no command */
	good = arith_eval(sh, a, value);
	sh->builtin = builtin;
	if (good)
		return FLOW_NEXT;
	if (sh->failed == FLOW_EXIT)
		return FLOW_EXIT;	/* with its own status */
	sh->status = 1;
	if (!sh->opts[OPT_POSIX] || sh->interactive)
		return FLOW_ABORT;
	sh->status = sh->command_string && !sh->is_subshell ? 127 : 1;
	return FLOW_EXIT;
}

static void expand_arith(struct build *b, const struct part *part, enum emit how)
{
	char digits[24];
	int64_t value;

	b->flow = arith_value(b->sh, part->arith, &value);
	if (b->flow == FLOW_NEXT)
		build_emit(b, digits, num_format_i64(digits, value), how);
}

static void expand_process(struct build *b, const struct part *part)
{
	struct slice path = { "", 0 };

	b->flow = eval_process_substitution(b->sh, part->command, part->kind == PART_PROCESS_IN,
					    &path);
	build_emit(b, path.p, path.n, EMIT_QUOTED);
}

static void expand_group(struct build *b, const struct part *part, struct context c)
{
	char open[2] = { part->op, '(' };

	build_emit(b, open, 2, EMIT_LITERAL);
	for (const struct word *w = part->alternatives; w; w = w->next) {
		c.text = EMIT_LITERAL;
		expand_parts(b, w->parts, c);
		build_emit(b, w->next ? "|" : ")", 1, EMIT_LITERAL);
	}
	if (!part->alternatives)
		build_emit(b, ")", 1, EMIT_LITERAL);
}

/* A colon ends the name too: ~:x. */
static void expand_tilde(struct build *b, const struct part *part)
{
	enum tilde_mode mode = words_of(b->sh)->tilde;
	const char *colon = part->text.n ? memchr(part->text.p, ':', part->text.n) : NULL;
	struct slice home, name = part->text, rest = { NULL, 0 };

	if (colon) {
		name.n = (size_t)(colon - name.p);
		rest = (struct slice){ colon, part->text.n - name.n };
	}
	if (mode != TILDE_NONE && !(mode == TILDE_FIRST && (b->have || b->text->n)) &&
	    tilde_expand(b->sh, name, &home)) {
		if (home.n == 0)
			build_null(b);
		build_emit(b, home.p, home.n, EMIT_QUOTED);
	} else {
		build_emit(b, "~", 1, EMIT_LITERAL);
		build_emit(b, name.p, name.n, EMIT_LITERAL);
	}
	build_emit(b, rest.p, rest.n, EMIT_LITERAL);
}

static void expand_quoted_text(struct build *b, struct slice text)
{
	if (text.n == 0)
		build_null(b);
	else
		build_emit(b, text.p, text.n, EMIT_QUOTED);
}

static void expand_part(struct build *b, const struct part *part, struct context c)
{
	enum emit how = c.quoted ? EMIT_QUOTED : EMIT_EXPANDED;

	switch (part->kind) {
	case PART_TEXT:
		build_emit(b, part->text.p, part->text.n, c.quoted ? EMIT_QUOTED : c.text);
		break;
	case PART_ESCAPED:
	case PART_SINGLE:
	case PART_ANSI:
		expand_quoted_text(b, part->text);
		break;
	case PART_DOUBLE:
	case PART_LOCALE:
		expand_double(b, part->parts, c);
		break;
	case PART_PARAM:
		expand_param(b, part->param, c);
		break;
	case PART_COMMAND:
		expand_command(b, part, how);
		break;
	case PART_ARITH:
		expand_arith(b, part, how);
		break;
	case PART_PROCESS_IN:
	case PART_PROCESS_OUT:
		expand_process(b, part);
		break;
	case PART_TILDE:
		expand_tilde(b, part);
		break;
	case PART_GLOB:
		expand_group(b, part, c);
		break;
	}
}

void expand_parts(struct build *b, const struct part *parts, struct context c)
{
	if (!expand_enter(b->sh)) {
		b->flow = FLOW_ABORT;
		return;
	}
	for (; parts && b->flow == FLOW_NEXT; parts = parts->next)
		expand_part(b, parts, c);
	expand_leave(b->sh);
}

/* ---- Words ---- */

/* The text of a word that is one piece of quoted text; false: it is not. */
static bool word_fixed(const struct word *w, struct slice *text)
{
	const struct part *part = w->parts;

	if (!part || part->next)
		return false;
	if (part->kind == PART_DOUBLE) {
		part = part->parts;
		if (part && (part->next || part->kind != PART_TEXT))
			return false;
		*text = part ? part->text : SLICE("");
		return true;
	}
	*text = part->text;
	return part->kind == PART_SINGLE || part->kind == PART_ANSI || part->kind == PART_ESCAPED;
}

/* "$x" alone, a plain scalar that is set: its text, borrowed. */
static bool word_scalar(struct shell *sh, const struct word *w, bool in_quotes,
			struct slice *text)
{
	const struct part *part = w->parts;
	const struct param *p;
	struct var *v;

	if (!part || part->next)
		return false;
	if (part->kind == PART_DOUBLE) {
		part = part->parts;
		if (!part || part->next)
			return false;
	} else if (in_quotes) {
		return false;
	}
	if (part->kind != PART_PARAM)
		return false;
	p = part->param;
	if (p->op != PARAM_PLAIN || p->indirect || p->sub.kind != SUBSCRIPT_NONE)
		return false;
	v = var_find(sh, &p->name);
	return v && !(v->flags & (VAR_NAMEREF | VAR_INDEXED | VAR_ASSOC)) && var_text(sh, v, text);
}

bool word_is_text(const struct word *w)
{
	if (w->flags & (WORD_MAGIC | WORD_TILDE))
		return false;
	for (const struct part *p = w->parts; p; p = p->next)
		if (p->kind != PART_TEXT && p->kind != PART_SINGLE && p->kind != PART_DOUBLE &&
		    p->kind != PART_ESCAPED && p->kind != PART_ANSI)
			return false;
	return true;
}

enum flow expand_one(struct shell *sh, const struct word *w, struct fields *out)
{
	struct build b;
	struct slice text;

	if (word_fixed(w, &text)) {
		fields_add(sh, out, text.p, text.n);
		return FLOW_NEXT;
	}
	if (word_scalar(sh, w, true, &text)) {
		fields_add(sh, out, text.p, text.n);
		return FLOW_NEXT;
	}
	build_begin(&b, sh, BUILD_FIELDS, out);
	expand_parts(&b, w->parts, (struct context){ false, EMIT_LITERAL });
	return build_end(&b);
}

/* Also in what stands behind a tilde: ~{a,b}. */
static bool word_has_brace(const struct word *w)
{
	if (w->flags & WORD_BRACE)
		return true;
	return w->parts && w->parts->kind == PART_TILDE && w->parts->text.n &&
		memchr(w->parts->text.p, '{', w->parts->text.n);
}

enum flow expand_words(struct shell *sh, const struct word *words, struct fields *out)
{
	enum flow flow = FLOW_NEXT;

	for (const struct word *w = words; w && flow == FLOW_NEXT; w = w->next) {
		if (w->flags & WORD_LITERAL)
			fields_push(sh, out, (char *)(uintptr_t)w->text.p, w->text.n);
		else if (word_has_brace(w) && sh->opts[OPT_BRACEEXPAND])
			flow = brace_expand(sh, w, out);
		else
			flow = expand_one(sh, w, out);
		if (out->n > words_of(sh)->max_words)
			flow = words_limit(sh, "words");
	}
	if (!out->at && flow == FLOW_NEXT) {
		out->at = arena_array(&sh->turn, 1, sizeof(char *));
		out->lens = arena_array(&sh->turn, 1, sizeof(size_t));
		out->at[0] = NULL;
	}
	return flow;
}

static enum flow expand_to(struct shell *sh, const struct word *w, enum build_mode mode,
			   struct context c, struct slice *out)
{
	struct build b;

	*out = SLICE("");
	if (!w)
		return FLOW_NEXT;
	build_begin(&b, sh, mode, NULL);
	expand_parts(&b, w->parts, c);
	return build_take(&b, out);
}

enum flow expand_string(struct shell *sh, const struct word *w, bool assignment, struct slice *out)
{
	(void)assignment;	/* the parser has marked the tildes */
	if ((w->flags & WORD_LITERAL) || !w->parts) {
		*out = w->flags & WORD_LITERAL ? w->text : SLICE("");
		return FLOW_NEXT;
	}
	if (word_fixed(w, out) || word_scalar(sh, w, false, out))
		return FLOW_NEXT;
	return expand_to(sh, w, BUILD_STRING, (struct context){ false, EMIT_LITERAL }, out);
}

enum flow expand_pattern(struct shell *sh, const struct word *w, struct slice *out)
{
	if (w->flags & WORD_LITERAL) {
		*out = w->text;
		return FLOW_NEXT;
	}
	return expand_to(sh, w, BUILD_PATTERN, (struct context){ false, EMIT_LITERAL }, out);
}

enum flow expand_regex(struct shell *sh, const struct word *w, struct slice *out)
{
	return expand_to(sh, w, BUILD_REGEX, (struct context){ false, EMIT_LITERAL }, out);
}

enum flow expand_here(struct shell *sh, const struct word *w, struct slice *out)
{
	struct build b;

	build_begin(&b, sh, BUILD_STRING, NULL);
	b.here = true;
	expand_parts(&b, w->parts, (struct context){ true, EMIT_LITERAL });
	return build_take(&b, out);
}

enum flow expand_operand(struct shell *sh, const struct word *w, bool quoted,
			 enum build_mode mode, struct slice *out)
{
	return expand_to(sh, w, mode, (struct context){ quoted, EMIT_LITERAL }, out);
}

enum flow expand_target(struct shell *sh, const struct word *w, struct slice *out)
{
	bool noglob = sh->opts[OPT_NOGLOB];
	struct word single;
	struct fields f = { 0 };
	enum flow flow;

	if (w->flags & WORD_LITERAL) {
		*out = w->text;
		return FLOW_NEXT;
	}
	single = *w;
	single.next = NULL;
	sh->opts[OPT_NOGLOB] |= sh->opts[OPT_POSIX] && !sh->prompts;
	flow = expand_words(sh, &single, &f);
	sh->opts[OPT_NOGLOB] = noglob;
	if (flow != FLOW_NEXT)
		return flow;
	if (f.n == 1) {
		*out = (struct slice){ f.at[0], f.lens[0] };
		return FLOW_NEXT;
	}
	shell_error(sh, "%.*s: ambiguous redirect", (int)w->text.n, w->text.p);
	*out = (struct slice){ NULL, 0 };
	return FLOW_NEXT;
}

enum flow expand_text(struct shell *sh, const char *text, size_t n, struct slice *out)
{
	struct parse_options opt = { .name = "bash", .line = sh->line,
		.extglob = sh->opts[SHOPT_EXTGLOB], .posix = sh->opts[OPT_POSIX],
		.depth_max = (unsigned)words_of(sh)->max_depth, .source_max = n + 1 };
	struct parse_error err = { .line = 0 };
	struct script *owner = NULL;
	struct word *w;
	enum flow flow;

	str_init(&err.message, sh->heap, STR_MAX_DEFAULT);
	str_init(&err.detail, sh->heap, STR_MAX_DEFAULT);
	w = parse_word_text(sh->heap, text, n, true, &opt, &owner, &err);
	if (!w) {
		if (err.message.n)
			shell_error(sh, "%s", err.message.p);
		*out = (struct slice){ text, n };
		flow = err.message.n ? FLOW_ABORT : FLOW_NEXT;
		if (flow != FLOW_NEXT)
			sh->status = 1;
	} else {
		flow = expand_to(sh, w, BUILD_STRING, (struct context){ true, EMIT_LITERAL }, out);
	}
	if (owner)
		script_drop(owner);
	str_end(&err.message);
	str_end(&err.detail);
	return flow;
}
