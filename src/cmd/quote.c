/*
 * Names in messages: thin covers of text/escape.h that give fresh strings.
 */
#include "cmd/quote.h"

#include <string.h>

#include <tinysandbox/command.h>

#include "base/str.h"
#include "cmd/locale.h"

enum quote_style quote_style_here(struct tsb_proc *p, enum quote_style style)
{
	return (enum quote_style)(style | (locale_utf8(p) ? 0 : QUOTE_BYTES));
}

static const char *quote_by(struct tsb_proc *p, enum quote_style style, const char *s,
			    const char *extra)
{
	struct str out;

	str_init(&out, tsb_heap_of(p), STR_MAX_DEFAULT);
	quote_gnu(&out, style, s, strlen(s), extra);
	return str_take(&out, NULL);
}

const char *quote_af(struct tsb_proc *p, const char *s)
{
	return quote_styled(p, QUOTE_SHELL_ESCAPE_ALWAYS, s);
}

const char *quote_f(struct tsb_proc *p, const char *s)
{
	return quote_by(p, quote_style_here(p, QUOTE_SHELL_ESCAPE), s, ":");
}

const char *quote_text(struct tsb_proc *p, const char *s)
{
	return quote_text_as(p, locale_utf8(p), s);
}

const char *quote_text_as(struct tsb_proc *p, bool utf8, const char *s)
{
	return quote_by(p, (enum quote_style)(QUOTE_LOCALE | (utf8 ? 0 : QUOTE_BYTES)), s, NULL);
}

enum quote_style quote_env_style(struct tsb_proc *p)
{
	const char *name = tsb_getenv(p, "QUOTING_STYLE");
	enum quote_style style;

	if (name && quote_style_named(name, &style))
		return style;
	if (name)
		tsb_warn(p, "ignoring invalid value of environment variable QUOTING_STYLE: %s",
			 quote_text(p, name));
	return QUOTE_SHELL_ESCAPE_ALWAYS;
}

const char *quote_styled(struct tsb_proc *p, enum quote_style style, const char *s)
{
	return quote_by(p, quote_style_here(p, style), s, NULL);
}
