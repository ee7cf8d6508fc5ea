/*
 * The parts of a word that expand: $x, $( ), ` `, $(( )), $[ ], <( ). ${ } is
 * in parse_param.c.
 *
 * A command substitution is parsed where it stands, by the grammar: only that
 * finds its end for sure. Backquotes are copied without their escapes and
 * parsed as a text of their own. $(( is arithmetic if its inner parenthesis
 * closes right before the outer one, else a command that begins with a
 * subshell: it is read as arithmetic first, and what came out is remembered
 * (lex_remember), so that nested ones are not tried again and again.
 */
#include "lang/parser.h"

#include <string.h>

struct name parse_name(struct parser *ps, const char *s, size_t n)
{
	return (struct name){ mem_dup(ps->mem, s, n), (uint32_t)n, map_hash(s, n) };
}

/* ---- Nested scripts ---- */

void nested_begin(struct parser *ps, struct nested *save)
{
	*save = (struct nested){ ps->here, ps->here_tail, ps->tok, ps->no_break, ps->last_end,
				 ps->last_line, ps->in_command, ps->mark_level, ps->have,
				 ps->alias_next, ps->scope };
	ps->here = NULL;
	ps->here_tail = &ps->here;
	ps->have = false;
	ps->alias_next = false;
	ps->no_break = 0;
}

/* Here-documents still without a body get theirs after the outer line. */
void nested_end(struct parser *ps, const struct nested *save)
{
	struct here *open = ps->here;

	if (save->here) {
		*save->here_tail = open;
		ps->here = save->here;
	}
	if (!open) {
		ps->here = save->here;
		ps->here_tail = save->here ? save->here_tail : &ps->here;
	}
	/* A token read ahead of a here-document's body is there still. */
	ps->tok = save->have ? save->tok :
		  (struct token){ .item = save->tok.item, .pos = save->tok.pos,
				  .line = save->tok.line, .mode = save->tok.mode, .fd = -1,
				  .mark = save->tok.mark };
	ps->in_command = save->in_command;
	ps->mark_level = save->mark_level;
	ps->last_end = save->last_end;
	ps->last_line = save->last_line;
	ps->no_break = save->no_break;
	ps->have = save->have;
	ps->scope = save->scope;
	ps->alias_next = save->alias_next;
}

static void nested_warn_here(struct parser *ps)
{
	unsigned n = 0;

	for (struct here *h = ps->here; h; h = h->next)
		n++;
	if (n)
		parse_warn(ps, lex_line(ps, ps->in.pos),
			   "command substitution: %u unterminated here-document%s",
			   n, n == 1 ? "" : "s");
}

/* Body of $( ), <( ): reads up to and over the ). */
static struct node *parse_nested(struct parser *ps)
{
	struct nested save;
	struct node *body;

	/* Between two $( there are twice as many functions as between two (. */
	if (!parse_enter(ps))
		return NULL;
	nested_begin(ps, &save);
	ps->in_command++;
	ps->scope = PARSE_SUBSTITUTION;
	ps->time_first = true;
	body = parse_list(ps);
	if (lex_peek(ps, LEX_COMMAND | LEX_ASSIGN) != TOK_RPAREN)
		parse_unexpected(ps);
	if (!ps->failed)
		nested_warn_here(ps);
	nested_end(ps, &save);
	parse_leave(ps);
	return body;
}

/* Turns a failure since `depth` into one of the part alone. */
void parse_late_catch(struct parser *ps, struct part *part, unsigned depth)
{
	struct syntax_error *late;

	if (!ps->failed || ps->failure.limit)
		return;
	late = MEM_NEW(ps->mem, struct syntax_error);
	*late = (struct syntax_error){ ps->failure.message, ps->failure.detail, ps->failure.line,
					 ps->failure.plain };
	part->late = late;
	ps->failed = false;
	ps->failure = (struct failure){ .message = NULL };
	ps->depth = depth;
}

void parse_late(struct parser *ps, struct part *part)
{
	struct unnumbered *mark = ps->unnumbered;
	unsigned depth = ps->depth;
	struct nested save;

	nested_begin(ps, &save);
	ps->in_command = 0;
	ps->scope = PARSE_COMMAND;
	part->command = parse_late_list(ps);
	parse_late_catch(ps, part, depth);
	nested_end(ps, &save);
	ps->unnumbered = mark;
}

/* ---- $( ) and its kin ---- */

/* Not )): where the outer parenthesis closes, by counting on. */
static void double_paren_outer(struct parser *ps, size_t open)
{
	struct parts parts;

	ps->in.pos++;
	parts_init(&parts);
	word_quoted(ps, &parts, QUOTED_ARITH);
	if (!ps->failed && ps->in.s[ps->in.pos] != ')')
		parse_unmatched(ps, ')', open - 1);
}

/* pos is behind the opening parenthesis. */
static void word_command(struct parser *ps, struct parts *out, enum part_kind kind)
{
	struct part *part = parts_add(ps, out, kind);
	size_t from = ps->in.pos;
	struct unnumbered *mark = ps->unnumbered;
	uint32_t line = lex_line(ps, from);
	struct lex_stay stay;

	out->flags |= WORD_EXPANDS | WORD_EFFECTS;
	if (!parse_enter(ps))
		return;
	if (ps->in.here && !ps->in_command)
		ps->in.shown_from = from;
	lex_stay(ps, &stay);
	ps->in_first++;
	part->command = parse_nested(ps);
	ps->in_first--;
	ps->unnumbered = mark;
	lex_back(ps, &stay);
	parse_leave(ps);
	if (ps->failed)
		return;
	part->raw = (struct slice){ ps->in.s + from, ps->in.pos - 1 - from };
	number_note(ps, part, line);
}

/* Text in parentheses that begins with another one, up to close: bash parses it
 * when it expands it. */
static void word_late_command(struct parser *ps, struct parts *out, enum part_kind kind,
			      size_t open, size_t close)
{
	uint32_t line = lex_line(ps, open);
	struct part *part;
	struct lex_cut cut;

	if (!parse_enter(ps))
		return;
	part = parts_add(ps, out, kind);
	out->flags |= WORD_EXPANDS | WORD_EFFECTS;
	part->verbatim = true;
	lex_cut(ps, &cut, close);
	ps->in.pos = ps->in.shown_from = open + 1;
	ps->in_first++;
	parse_late(ps, part);
	ps->in_first--;
	ps->in.shown_from = 0;
	lex_uncut(ps, &cut);
	part->raw = (struct slice){ ps->in.s + open + 1, close - open - 1 };
	number_note(ps, part, line);
	ps->in.pos = close + 1;
	parse_leave(ps);
}

static void word_add_arith(struct parts *out, struct part *part, struct arith *a)
{
	part->arith = a;
	out->flags |= WORD_EXPANDS;
	if (a && a->effects)
		out->flags |= WORD_EFFECTS;
}

/* pos is at the ( of $(. */
static void word_paren(struct parser *ps, struct parts *out)
{
	struct lex_frame *in = &ps->in;
	size_t open = in->pos++;
	struct arith *a;

	if (lex_char(ps) != '(') {
		word_command(ps, out, PART_COMMAND);
		return;
	}
	in->pos++;
	a = word_double_paren(ps, true);
	if (a)
		word_add_arith(out, parts_add(ps, out, PART_ARITH), a);
	else if (!ps->failed)
		word_late_command(ps, out, PART_COMMAND, open, in->pos);
}

/* <( >(: pos is at the angle. */
void word_process(struct parser *ps, struct parts *out)
{
	struct lex_frame *in = &ps->in;
	enum part_kind kind = in->s[in->pos] == '<' ? PART_PROCESS_IN : PART_PROCESS_OUT;
	size_t open = ++in->pos, known;

	if (in->s[++in->pos] != '(') {
		word_command(ps, out, kind);
		return;
	}
	known = lex_recall(ps, open);
	in->pos = open;
	if (!known) {
		struct lex_mark mark;

		lex_mark(ps, &mark);
		double_paren_outer(ps, open + 1);
		if (ps->failed)
			return;
		known = in->pos;
		lex_rewind(ps, &mark);
		lex_remember(ps, open, known);
	}
	word_late_command(ps, out, kind, open, known);
}

/* pos is at the [ of $[. */
static void word_old_arith(struct parser *ps, struct parts *out)
{
	size_t open = ps->in.pos++;
	struct part *part = parts_add(ps, out, PART_ARITH);

	part->backquoted = true;
	word_add_arith(out, part, word_arith(ps, QUOTED_OLD_ARITH));
	if (ps->failed)
		return;
	if (ps->in.s[ps->in.pos] == ']')
		ps->in.pos++;
	else
		parse_unmatched(ps, ']', open);
}

/* ---- Backquotes ---- */

char *word_backquote_text(struct parser *ps, const struct part *part, size_t *n)
{
	struct slice raw = part->raw;
	char *text = mem_alloc(ps->mem, raw.n + 1);
	size_t used = 0;

	for (size_t i = 0; i < raw.n; i++) {
		if (raw.p[i] == '\\' && i + 1 < raw.n) {
			char c = raw.p[i + 1];

			if (c == '\n') {	/* goes even where single quotes stand around it */
				i++;
				continue;
			}
			if (c == '$' || c == '`' || c == '\\' || (c == '"' && part->in_string))
				i++;
		}
		text[used++] = raw.p[i];
	}
	text[used] = '\0';
	*n = used;
	return text;
}

void word_backquote(struct parser *ps, struct parts *out, enum quoted_kind kind)
{
	struct lex_frame *in = &ps->in;
	struct lex_frame saved;
	size_t open = in->pos++, n;
	struct part *part;
	char *text;

	for (; in->s[in->pos] != '`'; in->pos++) {
		if (in->s[in->pos] == '\\' && in->s[in->pos + 1])
			in->pos++;
		if (in->s[in->pos] == '\0' && !lex_refill(ps)) {
			parse_unmatched(ps, '`', open);
			ps->failure.backquote = open + 1;
			return;
		}
	}
	if (!parse_enter(ps))
		return;
	part = parts_add(ps, out, PART_COMMAND);
	part->backquoted = true;
	part->raw = (struct slice){ in->s + open + 1, in->pos - open - 1 };
	out->flags |= WORD_EXPANDS | WORD_EFFECTS;
	in->pos++;
	part->in_string = kind == QUOTED_STRING || kind == QUOTED_INNER || kind == QUOTED_BRACE;
	text = word_backquote_text(ps, part, &n);
	number_note(ps, part, in->here ? in->here : lex_line(ps, open));
	lex_enter(ps, &saved, text, n, ps->unnumbered->line);
	ps->in_first++;
	parse_late(ps, part);
	ps->in_first--;
	lex_leave(ps, &saved);
	parse_leave(ps);
}

/* ---- Arithmetic ---- */

struct arith *arith_from_parts(struct parser *ps, struct parts *parts, size_t from)
{
	struct arith *a = MEM_NEW(ps->mem, struct arith);

	a->word = word_from_parts(ps, parts, from);
	a->text = (struct slice){ ps->in.s + from, ps->in.pos - from };
	arith_from_word(ps->mem, a, ps->depth_max > ps->depth ? ps->depth_max - ps->depth : 0);
	a->effects |= (parts->flags & WORD_EFFECTS) != 0;
	return a;
}

struct arith *word_arith(struct parser *ps, enum quoted_kind kind)
{
	size_t from = ps->in.pos;
	struct arith *a = NULL;
	struct parts parts;

	if (!parse_enter(ps))
		return NULL;
	parts_init(&parts);
	word_quoted(ps, &parts, kind);
	if (!ps->failed)
		a = arith_from_parts(ps, &parts, from);
	parse_leave(ps);
	return a;
}

struct arith *word_double_paren(struct parser *ps, bool substitution)
{
	struct lex_frame *in = &ps->in;
	size_t open = in->pos - 1, known = lex_recall(ps, open);
	struct lex_mark mark;
	struct arith *a;

	if (known) {
		in->pos = known;
		return NULL;
	}
	lex_mark(ps, &mark);
	a = word_arith(ps, QUOTED_ARITH);
	if (a && in->s[in->pos] == ')' && in->s[in->pos + 1] == ')') {
		lex_unmark(ps, &mark);
		in->pos += 2;
		return a;
	}
	if (a && in->s[in->pos] != ')')
		parse_unmatched(ps, ')', substitution ? open - 1 : open);
	else if (a && substitution)
		double_paren_outer(ps, open);
	if (ps->failed)
		return NULL;
	known = in->pos;
	lex_rewind(ps, &mark);
	lex_remember(ps, open, known);
	in->pos = known;
	return NULL;
}

/* ---- $x ---- */

static char dollar_next(struct parser *ps)
{
	const char *s = ps->in.s + ps->in.pos + 1;

	while (s[0] == '\\' && s[1] == '\n')
		s += 2;
	return *s;
}

/* Is the $ at pos more than a plain character? */
bool word_is_dollar(struct parser *ps, bool quoted)
{
	char c = dollar_next(ps);

	if (!c && lex_grow(ps))
		c = dollar_next(ps);
	if (lex_is(c, C_NAME))
		return true;
	switch (c) {
	case '{':
	case '(':
	case '[':
	case '@':
	case '*':
	case '#':
	case '?':
	case '-':
	case '$':
	case '!':
		return true;
	case '\'':
	case '"':
		return !quoted;
	default:
		return false;
	}
}

/* Variables whose value differs each time or in each process. */
bool parse_is_volatile(struct name name)
{
	static const char *const names[] = { "RANDOM", "SRANDOM", "BASHPID", "BASH_SUBSHELL",
					     "COMP_WORDBREAKS" };

	if (name.n < 6 || (name.s[0] != 'R' && name.s[0] != 'S' && name.s[0] != 'B'))
		return false;
	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (strcmp(name.s, names[i]) == 0)
			return true;
	return false;
}

/* A name at pos; line continuations in it vanish. */
struct name parse_read_name(struct parser *ps)
{
	struct lex_frame *in = &ps->in;
	size_t from = in->pos;

	while (lex_is(in->s[in->pos], C_NAME))
		in->pos++;
	if (in->s[in->pos] && in->s[in->pos] != '\\')
		return parse_name(ps, in->s + from, in->pos - from);
	str_reset(&ps->text);
	str_addn(&ps->text, in->s + from, in->pos - from);
	while (lex_is(lex_char(ps), C_NAME))
		str_addc(&ps->text, in->s[in->pos++]);
	return parse_name(ps, ps->text.p, ps->text.n);
}

static void word_simple_param(struct parser *ps, struct parts *out)
{
	struct lex_frame *in = &ps->in;
	struct part *part = parts_add(ps, out, PART_PARAM);
	struct param *param = MEM_NEW(ps->mem, struct param);
	char c = in->s[in->pos];

	part->param = param;
	out->flags |= WORD_EXPANDS;
	if (lex_is(c, C_NAME) && !lex_is(c, C_DIGIT)) {
		param->name = parse_read_name(ps);
	} else {
		param->name = parse_name(ps, in->s + in->pos, 1);
		in->pos++;
	}
	char *raw = mem_alloc(ps->mem, (size_t)param->name.n + 2);

	raw[0] = '$';
	memcpy(raw + 1, param->name.s, (size_t)param->name.n + 1);
	param->raw = raw;
	if (parse_is_volatile(param->name))
		out->flags |= WORD_EFFECTS;
}

/* The $ at pos, of which word_is_dollar() said that it is one. */
void word_dollar(struct parser *ps, struct parts *out, enum quoted_kind kind)
{
	size_t at = ps->in.pos++;

	switch (lex_char(ps)) {
	case '{':
		word_param(ps, out, at, kind);
		break;
	case '(':
		word_paren(ps, out);
		break;
	case '[':
		word_old_arith(ps, out);
		break;
	default:
		word_simple_param(ps, out);
		break;
	}
}
