/*
 * Messages on standard error as bash words them: "NAME: line N: text". NAME is
 * the file the running function or sourced text comes from, else $0. Each
 * message is one write, so that messages of several processes do not mix.
 */
#include "shell/doing.h"

#include <stdio.h>
#include <string.h>

void message_prefix(struct shell *sh, struct str *out)
{
	const char *name = sh->arg0, *slash;

	if (sh->prompts) {	/* a person knows the line */
		slash = strrchr(name, '/');
		str_addf(out, "%s: ", slash ? slash + 1 : name);
		return;
	}
	if (sh->calls && sh->calls->file && *sh->calls->file)
		name = sh->calls->file;
	str_adds(out, name);
	if (sh->opts[SHOPT_GNU_ERRFMT])
		str_addf(out, ":%u: ", sh->line ? sh->line : 1);
	else
		str_addf(out, ": line %u: ", sh->line ? sh->line : 1);
}

/* bash writes what a builtin prints by lines: whole ones come before its message,
 * the begin of one behind it. */
static void flush_lines(struct shell *sh)
{
	struct str *out = &doing(sh)->out;
	const char *end = out->n ? memrchr(out->p, '\n', out->n) : NULL;
	size_t n = end ? (size_t)(end - out->p) + 1 : 0;

	if (!n)
		return;
	tsb_write_all(sh->p, 1, out->p, n);
	str_erase(out, 0, n);
}

void message_write(struct shell *sh, const struct str *text)
{
	if (!doing(sh)->capture)
		flush_lines(sh);
	tsb_write_all(sh->p, 2, text->p, text->n);
}

static void __attribute__((format(printf, 3, 0)))
message_send(struct shell *sh, const char *builtin, const char *fmt, va_list ap)
{
	struct str *m = &doing(sh)->message;

	str_reset(m);
	message_prefix(sh, m);
	if (builtin)
		str_addf(m, "%s: ", builtin);
	str_addvf(m, fmt, ap);
	str_addc(m, '\n');
	message_write(sh, m);
}

void shell_error(struct shell *sh, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	message_send(sh, NULL, fmt, ap);
	va_end(ap);
}

void builtin_error(struct shell *sh, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	message_send(sh, sh->builtin, fmt, ap);
	va_end(ap);
}

/* One line of a syntax error, with its own line number. */
static void parse_message_line(struct shell *sh, struct str *m, const char *what, uint32_t line,
			       struct slice text)
{
	const char *name = sh->arg0;

	if (sh->calls && sh->calls->file && *sh->calls->file)
		name = sh->calls->file;
	str_addf(m, "%s: ", name);
	if (what)
		str_addf(m, "%s: ", what);
	str_addf(m, "line %u: ", line);
	str_addslice(m, text);
	str_addc(m, '\n');
}

void parse_warned(void *ctx, uint32_t at, const char *message)
{
	struct shell *sh = ctx;
	uint32_t line = sh->line;

	sh->line = at;
	shell_error(sh, "warning: %s", message);
	sh->line = line;
}

void parse_warnings(struct shell *sh, const struct script *s)
{
	for (const struct parse_warning *w = s->warnings; w; w = w->next)
		parse_warned(sh, w->line, w->message);
}

void parse_message(struct shell *sh, const struct parse_error *err, const char *what)
{
	struct str m;

	str_init(&m, sh->heap, STR_MAX_DEFAULT);
	if (sh->prompts && !what) {	/* a person sees the line */
		message_prefix(sh, &m);
		str_addn(&m, err->message.p, err->message.n);
		str_addc(&m, '\n');
	} else {
		parse_message_line(sh, &m, what, err->line, str_slice(&err->message));
	}
	for (size_t at = 0; at < err->detail.n && (!sh->prompts || what);) {
		const char *p = err->detail.p + at, *end = memchr(p, '\n', err->detail.n - at);
		size_t n = end ? (size_t)(end - p) : err->detail.n - at;

		parse_message_line(sh, &m, what, err->detail_line ? err->detail_line : err->line,
				   (struct slice){ p, n });
		at += n + 1;
	}
	message_write(sh, &m);
	str_end(&m);
}
