/*
 * set -x: what is printed before a command runs, behind PS4, and the quoting
 * bash uses there (and in lists of aliases, traps and variables).
 */
#include "shell/doing.h"

#include <string.h>

#include "base/utf8.h"
#include "lang/print.h"
#include "shell/words.h"

/* ---- Quoting ---- */

void quote_trace(struct str *out, const char *s, size_t n)
{
	if (!n)
		str_adds(out, "''");
	else if (quote_has_metas(s, n))
		quote_single(out, s, n);
	else if (quote_needs_ansi(s, n))
		quote_ansi(out, s, n);
	else
		str_addn(out, s, n);
}

const char *printable_name(struct shell *sh, const char *name)
{
	size_t n = strlen(name);
	struct str text;

	if (!quote_needs_ansi(name, n))
		return name;
	str_init(&text, sh->heap, STR_MAX_DEFAULT);
	quote_ansi(&text, name, n);
	name = arena_dup(&sh->turn, text.p, text.n);
	str_end(&text);
	return name;
}

/* ---- Lines ---- */

/* PS4 expanded, its first character repeated by the depth. */
static void trace_prefix(struct shell *sh, struct str *out)
{
	struct doing *d = doing(sh);
	struct slice ps4, text;
	int status = sh->status;
	size_t first;
	int32_t c;

	if (!var_get_text(sh, "PS4", &ps4) || !ps4.n)
		return;
	sh->opts[OPT_XTRACE] = false;
	if (expand_prompt(sh, ps4.p, ps4.n, &text) != FLOW_NEXT)
		text = (struct slice){ "+ ", 2 };
	sh->opts[OPT_XTRACE] = true;
	sh->status = status;
	if (!text.n)
		return;
	first = utf8_decode(text.p, text.n, &c);
	for (unsigned i = 0; i < d->trace_level && i < 99; i++)
		str_addn(out, text.p, first);
	str_addn(out, text.p + first, text.n - first);
}

/* BASH_XTRACEFD, else standard error. */
static int trace_fd(struct shell *sh)
{
	struct slice v;
	int fd = doing(sh)->trace_fd;

	return fd && var_get_text(sh, "BASH_XTRACEFD", &v) && proc_fd_open(sh->p, fd) ? fd : 2;
}

static void trace_send(struct shell *sh, struct str *line)
{
	str_addc(line, '\n');
	tsb_write_all(sh->p, trace_fd(sh), line->p, line->n);
	str_end(line);
}

static void trace_begin(struct shell *sh, struct str *line)
{
	str_init(line, sh->heap, STR_MAX_DEFAULT);
	trace_prefix(sh, line);
}

void trace_text(struct shell *sh, const char *text, size_t n)
{
	struct str line;

	/* text may lie in the message buffer, which expansion of PS4 could use */
	text = arena_dup(&sh->turn, text, n);
	trace_begin(sh, &line);
	str_addn(&line, text, n);
	trace_send(sh, &line);
}

void trace_words(struct shell *sh, const struct fields *f)
{
	struct str line;

	trace_begin(sh, &line);
	for (size_t i = 0; i < f->n; i++) {
		if (i)
			str_addc(&line, ' ');
		quote_trace(&line, f->at[i], f->lens[i]);
	}
	trace_send(sh, &line);
}

void trace_assign(struct shell *sh, const struct assign *a, const struct slice *value)
{
	struct str line;

	trace_begin(sh, &line);
	str_addn(&line, a->name.s, a->name.n);
	if (a->sub.kind != SUBSCRIPT_NONE && a->sub.word) {
		str_addc(&line, '[');
		str_addslice(&line, a->sub.word->text);
		str_addc(&line, ']');
	}
	str_adds(&line, a->append ? "+=" : "=");
	if (value->n)
		quote_trace(&line, value->p, value->n);
	trace_send(sh, &line);
}

/* declare a=(1 "x y") shows every literal item quoted: a=('1' 'x y'). */
static void quoted_item(struct str *out, const struct word *w)
{
	const struct part *p = w ? w->parts : NULL;

	if (!w || (w->flags & WORD_LITERAL))
		quote_single(out, w ? w->text.p : "", w ? w->text.n : 0);
	else if (p && !p->next && (p->kind == PART_SINGLE || p->kind == PART_ANSI))
		quote_single(out, p->text.p, p->text.n);
	else if (p && !p->next && p->kind == PART_DOUBLE && p->parts && !p->parts->next &&
		 p->parts->kind == PART_TEXT)
		quote_single(out, p->parts->text.p, p->parts->text.n);
	else
		print_word(out, w);
}

void trace_array_quoted(struct shell *sh, const struct assign *a)
{
	struct str line;

	trace_begin(sh, &line);
	str_addn(&line, a->name.s, a->name.n);
	str_adds(&line, a->append ? "+=(" : "=(");
	for (const struct array_item *i = a->items; i; i = i->next) {
		if (i->sub.kind == SUBSCRIPT_EXPR && i->sub.word) {
			str_addc(&line, '[');
			quoted_item(&line, i->sub.word);
			str_adds(&line, i->append ? "]+=" : "]=");
		}
		quoted_item(&line, i->value);
		if (i->next)
			str_addc(&line, ' ');
	}
	str_addc(&line, ')');
	trace_send(sh, &line);
}

void trace_array(struct shell *sh, const struct assign *a)
{
	struct str line;

	trace_begin(sh, &line);
	print_assign(&line, a);
	trace_send(sh, &line);
}
