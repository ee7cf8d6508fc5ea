/*
 * Names in messages: thin covers of text/escape.h that give fresh strings.
 */
#include "cmd/quote.h"

#include <string.h>

#include <tinysandbox/command.h>

#include "base/str.h"
#include "cmd/locale.h"

typedef void quote_fn(struct str *out, const char *s);

static const char *quote_by(struct tsb_proc *p, quote_fn *fn, const char *s)
{
	struct str out;

	str_init(&out, tsb_heap_of(p), STR_MAX_DEFAULT);
	fn(&out, s);
	return str_take(&out, NULL);
}

const char *quote_af(struct tsb_proc *p, const char *s)
{
	return quote_by(p, quote_file_always, s);
}

const char *quote_f(struct tsb_proc *p, const char *s)
{
	return quote_by(p, quote_file, s);
}

void quote_ascii(struct str *out, const char *s, size_t n)
{
	static const char from[] = "\a\b\f\n\r\t\v\\'", to[] = "abfnrtv\\'";

	str_addc(out, '\'');
	for (size_t i = 0; i < n; i++) {
		int c = (unsigned char)s[i];
		const char *at = c ? strchr(from, c) : NULL;

		if (at)
			str_addf(out, "\\%c", to[at - from]);
		else if (c >= ' ' && c <= '~')
			str_addc(out, c);
		else
			str_addf(out, "\\%03o", (unsigned)c);
	}
	str_addc(out, '\'');
}

static void quote_ascii_word(struct str *out, const char *s)
{
	quote_ascii(out, s, strlen(s));
}

const char *quote_text(struct tsb_proc *p, const char *s)
{
	return quote_text_as(p, locale_utf8(p), s);
}

const char *quote_text_as(struct tsb_proc *p, bool utf8, const char *s)
{
	return quote_by(p, utf8 ? quote_word : quote_ascii_word, s);
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
	struct str out;

	str_init(&out, tsb_heap_of(p), STR_MAX_DEFAULT);
	quote_gnu(&out, style, s, strlen(s), NULL);
	return str_take(&out, NULL);
}
