/*
 * --debug: the program in one form, and what each step does to it. All of it is
 * as the real one prints it, its slips included: bytes beyond ASCII are shown
 * with their sign, and the depth of blocks is not put back when a cycle ends
 * inside one.
 */
#include "cmd/sed.h"

#include <string.h>

static void debug_adds(struct sed *s, const char *text)
{
	sed_out_raw(s, &s->standard, text, strlen(text));
}

static void debug_put(struct sed *s, struct str *text)
{
	sed_out_raw(s, &s->standard, text->p, text->n);
	str_end(text);
}

/* also: characters that get a backslash besides. */
static void debug_escape(struct str *out, const char *p, size_t n, const char *also)
{
	static const char names[] = "afnrtv\\", bytes[] = "\a\f\n\r\t\v\\";

	for (size_t i = 0; i < n; i++) {
		const char *simple = p[i] ? strchr(bytes, p[i]) : NULL;

		if (simple)
			str_addf(out, "\\%c", names[simple - bytes]);
		else if (p[i] && strchr(also, p[i]))
			str_addf(out, "\\%c", p[i]);
		else if (p[i] >= 32 && p[i] < 127)
			str_addc(out, p[i]);
		else
			str_addf(out, "\\o%03o", (unsigned)(int)(signed char)p[i]);
	}
}

/* ---- The program ---- */

static void debug_addr(struct str *out, const struct sed_addr *a)
{
	switch (a->kind) {
	case SED_ADDR_NONE:
		break;
	case SED_ADDR_LINE:
		str_addf(out, "%llu", (unsigned long long)a->n);
		break;
	case SED_ADDR_STEP:
		str_addf(out, "%llu~%llu", (unsigned long long)a->n, (unsigned long long)a->step);
		break;
	case SED_ADDR_LAST:
		str_addc(out, '$');
		break;
	case SED_ADDR_REGEX:
		str_addc(out, '/');
		debug_escape(out, a->regex->text.p, a->regex->text.n, "/");
		str_addc(out, '/');
		if (a->regex->flags & REGEX_ICASE)
			str_addc(out, 'I');
		if (a->regex->flags & REGEX_NEWLINE)
			str_addc(out, 'M');
		break;
	case SED_ADDR_PLUS:
	case SED_ADDR_MULTIPLE:
		if (a->n)
			str_addf(out, "%c%llu", a->kind == SED_ADDR_PLUS ? '+' : '~',
				 (unsigned long long)a->n);
		else
			str_adds(out, "[ADDR-NULL]");
		break;
	}
}

static void debug_piece(struct str *out, const struct sed_piece *piece, unsigned last)
{
	unsigned how = piece->how;

	if (how != last)
		str_adds(out, how & SED_FIRST_UPPER ? "\\u" : how & SED_FIRST_LOWER ? "\\l"
			 : how & SED_CASE_UPPER ? "\\U" : how & SED_CASE_LOWER ? "\\L" : "\\E");
	str_addslice(out, piece->text);
	if (piece->ref > 0)
		str_addf(out, "\\%d", piece->ref);
	else if (!piece->ref)
		str_addc(out, '&');
}

static void debug_subst(struct str *out, const struct sed_subst *sub)
{
	unsigned last = 0;

	str_adds(out, "s/");
	debug_escape(out, sub->regex->text.p, sub->regex->text.n, "/");
	str_addc(out, '/');
	for (size_t i = 0; i < sub->pieces.n; i++) {
		debug_piece(out, &sub->pieces.at[i], last);
		last = sub->pieces.at[i].how;
	}
	str_addc(out, '/');
	if (sub->regex->flags & REGEX_ICASE)
		str_addc(out, 'i');
	if (sub->regex->flags & REGEX_NEWLINE)
		str_addc(out, 'm');
	if (sub->global)
		str_addc(out, 'g');
	if (sub->eval)
		str_addc(out, 'e');
	if (sub->print)
		str_addc(out, 'p');
	if (sub->number)
		str_addf(out, "%llu", (unsigned long long)sub->number);
	if (sub->out)
		str_addf(out, "w%s", sub->out->name);
}

static void debug_trans(struct str *out, const struct sed_trans *t)
{
	for (int side = 0; side < 2; side++) {
		str_adds(out, side ? "/" : "y/");
		for (size_t i = 0; i < t->pairs.n; i++) {
			struct slice c = side ? t->pairs.at[i].to : t->pairs.at[i].from;

			str_addslice(out, c);
		}
	}
	str_addc(out, '/');
}

/* Name and arguments. */
static void debug_arguments(struct str *out, const struct sed_cmd *cmd)
{
	switch (cmd->name) {
	case 's':
		debug_subst(out, cmd->subst);
		return;
	case 'y':
		debug_trans(out, cmd->trans);
		return;
	case 'w': case 'W':
		str_addf(out, "%c%s", cmd->name, cmd->out->name);
		return;
	default:
		str_addc(out, cmd->name);
		break;
	}
	if (strchr("aic", cmd->name))
		str_addc(out, '\\');
	else if (cmd->name == 'e' || (cmd->text.n && cmd->name != ':'))
		str_addc(out, ' ');
	str_addslice(out, cmd->text);
	if (strchr("lLqQ", cmd->name) && cmd->number != SED_NOT_GIVEN)
		str_addf(out, " %lld", (long long)cmd->number);
}

static void debug_command(struct sed *s, const struct sed_cmd *cmd, struct str *out)
{
	if (cmd->name == '}' && s->debug_depth)
		s->debug_depth--;
	for (size_t i = 0; i < s->debug_depth; i++)
		str_adds(out, "  ");
	debug_addr(out, &cmd->a1);
	if (cmd->a2.kind)
		str_addc(out, ',');
	debug_addr(out, &cmd->a2);
	if (cmd->negate)
		str_addc(out, '!');
	if (cmd->a1.kind)
		str_addc(out, ' ');
	debug_arguments(out, cmd);
	str_addc(out, '\n');
	if (cmd->name == '{')
		s->debug_depth++;
}

void sed_debug_program(struct sed *s)
{
	struct str out;

	debug_adds(s, "SED PROGRAM:\n");
	for (size_t i = 0; i < s->cmds.n; i++) {
		str_init(&out, tsb_heap_of(s->p), STR_MAX_DEFAULT);
		str_adds(&out, "  ");
		debug_command(s, &s->cmds.at[i], &out);
		debug_put(s, &out);
	}
	s->debug_depth = 0;
}

/* ---- The steps ---- */

static void debug_space(struct sed *s, const char *title, const struct sed_space *sp)
{
	struct str out;

	str_init(&out, tsb_heap_of(s->p), STR_MAX_DEFAULT);
	str_adds(&out, title);
	debug_escape(&out, sp->at, sp->n, "");
	str_addc(&out, '\n');
	debug_put(s, &out);
}

void sed_debug_input(struct sed *s, bool read)
{
	struct str out;

	if (read) {
		str_init(&out, tsb_heap_of(s->p), STR_MAX_DEFAULT);
		str_addf(&out, "INPUT:   '%s' line %llu\n",
			 input_is_stdin(s->in.name) ? "STDIN" : s->in.name,
			 (unsigned long long)s->in.line);
		debug_put(s, &out);
	}
	debug_space(s, "PATTERN: ", &s->pattern);
}

void sed_debug_command(struct sed *s, const struct sed_cmd *cmd)
{
	struct str out;

	str_init(&out, tsb_heap_of(s->p), STR_MAX_DEFAULT);
	s->debug_last = cmd->name;
	str_adds(&out, "COMMAND: ");
	debug_command(s, cmd, &out);
	debug_put(s, &out);
}

void sed_debug_after(struct sed *s, const struct sed_cmd *cmd)
{
	if (strchr("GNnsxyz", cmd->name))
		debug_space(s, "PATTERN: ", &s->pattern);
	if (strchr("ghHx", cmd->name))
		debug_space(s, "HOLD:    ", &s->hold);
}

void sed_debug_end(struct sed *s, enum sed_flow flow)
{
	if (flow == SED_END || (flow == SED_DELETE && s->debug_last != 'D'))
		debug_adds(s, "END-OF-CYCLE:\n");
}

/* The groups of the first match, up to one that took no part. */
void sed_debug_match(struct sed *s)
{
	size_t n = s->last_regex->groups < SED_REFS ? s->last_regex->groups + 1 : SED_REFS;
	struct regex_span spans[SED_REFS];
	struct str out;

	sed_match(s, s->last_regex, s->pattern.at, s->pattern.n, 0, spans, n);
	str_init(&out, tsb_heap_of(s->p), STR_MAX_DEFAULT);
	str_adds(&out, "MATCHED REGEX REGISTERS\n");
	for (size_t i = 0; i < n && spans[i].so != REGEX_NONE; i++) {
		str_addf(&out, "  regex[%zu] = %d-%d '", i, (int)spans[i].so, (int)spans[i].eo);
		str_addn(&out, s->pattern.at + spans[i].so, spans[i].eo - spans[i].so);
		str_adds(&out, "'\n");
	}
	debug_put(s, &out);
}
