/*
 * GNU's quoting styles. A first look at every character tells what it asks for:
 * nothing, quotes in the shell styles, or an escape; and whether it could stand
 * between double quotes as well, which is how a name with an apostrophe and
 * nothing else odd is written ("it's"). Then the name is written once.
 *
 * In shell-escape style what does not print goes between $' and ', so that
 * 'a'$'\n''b' is read back as one word.
 */
#include "text/escape.h"

#include <string.h>

#include "base/utf8.h"

enum need { NEED_NOTHING, NEED_QUOTES, NEED_LETTER, NEED_OCTAL };

struct unit {
	enum need need;
	char letter;			/* NEED_LETTER: \n is 'n' */
	bool doublable;			/* may stand between double quotes as it is */
	size_t len;
};

struct quoting {
	struct str *out;
	const char *s;
	size_t n;
	const char *extra;
	bool escapes, bytes;		/* what does not print is escaped; only ASCII prints */
	const char *close;		/* what ends the quoted text and must be escaped in it */
};

bool quote_style_named(const char *name, enum quote_style *style)
{
	static const char *const names[] = { "literal", "shell", "shell-always", "shell-escape",
					     "shell-escape-always", "c", "c-maybe", "escape",
					     "locale", "clocale" };

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		if (!strcmp(name, names[i])) {
			*style = (enum quote_style)i;
			return true;
		}
	}
	return false;
}

/* What an ASCII character asks for. */
static struct unit look_ascii(const struct quoting *q, size_t i)
{
	static const char controls[] = "\a\b\f\n\r\t\v", letters[] = "abfnrtv";
	char c = q->s[i];
	const char *hit = c ? strchr(controls, c) : NULL;
	struct unit u = { NEED_NOTHING, 0, false, 1 };

	if (hit) {
		u.need = NEED_LETTER;
		u.letter = letters[hit - controls];
	} else if (c < 32 || c == 127) {
		u.need = NEED_OCTAL;
	} else if (c == '\\') {
		u.need = NEED_LETTER;
		u.letter = c;
	} else if (strchr("{}", c) ? q->n == 1 : strchr("#~", c) ? i == 0 : c == ' ') {
		u.need = NEED_QUOTES;
		u.doublable = true;
	} else if (strchr("!\"$&()*;<=>[^`|?", c)) {
		u.need = NEED_QUOTES;
	} else {
		u.doublable = c == '\'' || !strchr("{}#~", c);
		u.need = c == '\'' ? NEED_QUOTES : NEED_NOTHING;
	}
	return u;
}

static struct unit look(const struct quoting *q, size_t i)
{
	struct unit u = { NEED_NOTHING, 0, true, 1 };
	int32_t c;

	if ((unsigned char)q->s[i] < 128)
		return look_ascii(q, i);
	u.len = q->bytes ? 1 : utf8_decode(q->s + i, q->n - i, &c);
	if (q->bytes || c < 0 || !utf8_print(c)) {
		u.need = NEED_OCTAL;
		u.doublable = false;
	}
	return u;
}

static bool is_extra(const struct quoting *q, size_t i)
{
	return q->extra && q->s[i] && strchr(q->extra, q->s[i]);
}

/* Needs the shell style quotes at all? */
static bool shell_needs(const struct quoting *q)
{
	if (!q->n)
		return true;
	for (size_t i = 0; i < q->n;) {
		struct unit u = look(q, i);
		/* Without escapes a byte that does not print is no reason. */
		if (u.need == NEED_QUOTES || (u.need == NEED_OCTAL && q->escapes) ||
		    is_extra(q, i))
			return true;
		if (u.need == NEED_LETTER && (q->escapes || strchr("\\nrt", u.letter)))
			return true;
		i += u.len;
	}
	return false;
}

static void add_octal(const struct quoting *q, size_t i, const struct unit *u)
{
	for (size_t k = 0; k < u->len; k++)
		str_addf(q->out, "\\%03o", (unsigned)(unsigned char)q->s[i + k]);
}

/* Between single quotes; opened: as if $' had been left open. The state behind. */
static bool write_shell(const struct quoting *q, bool opened)
{
	str_addc(q->out, '\'');
	for (size_t i = 0; i < q->n;) {
		struct unit u = look(q, i);
		bool escape = q->escapes && (u.need == NEED_OCTAL ||
					     (u.need == NEED_LETTER && u.letter != '\\'));
		if (escape && !opened)
			str_adds(q->out, "'$'");
		else if (!escape && opened && q->s[i] != '\'')
			str_adds(q->out, "''");
		opened = escape;
		if (q->s[i] == '\'')
			str_adds(q->out, "'\\''");
		else if (!escape)
			str_addn(q->out, q->s + i, u.len);
		else if (u.need == NEED_OCTAL)
			add_octal(q, i, &u);
		else
			str_addf(q->out, "\\%c", u.letter);
		i += u.len;
	}
	str_addc(q->out, '\'');
	return opened;
}

static void quote_shell(struct quoting *q, bool always)
{
	bool apostrophe = memchr(q->s, '\'', q->n), doublable = true, last = false;

	if (!always && !shell_needs(q)) {
		str_addn(q->out, q->s, q->n);
		return;
	}
	for (size_t i = 0; i < q->n;) {
		struct unit u = look(q, i);
		doublable &= u.doublable;
		last = q->escapes && (u.need == NEED_OCTAL ||
				      (u.need == NEED_LETTER && u.letter != '\\'));
		i += u.len;
	}
	if (apostrophe && doublable) {
		str_addc(q->out, '"');
		str_addn(q->out, q->s, q->n);
		str_addc(q->out, '"');
		return;
	}
	/* GNU scans a name with an apostrophe twice and remembers the state at
	 * its end: a last character that is escaped shows as '' in front. */
	write_shell(q, apostrophe && last);
}

/* The styles with backslashes; the quotes around are the caller's. */
static void write_escaped(const struct quoting *q)
{
	size_t close = q->close ? strlen(q->close) : 0;

	for (size_t i = 0; i < q->n;) {
		struct unit u = look(q, i);
		if (u.need == NEED_OCTAL) {
			/* NUL is \0, unless a digit follows. */
			if (!q->s[i] && !(i + 1 < q->n && q->s[i + 1] >= '0' && q->s[i + 1] <= '9'))
				str_adds(q->out, "\\0");
			else
				add_octal(q, i, &u);
		} else if (u.need == NEED_LETTER) {
			str_addf(q->out, "\\%c", u.letter);
		} else {
			if ((close && q->n - i >= close && !memcmp(q->s + i, q->close, close)) ||
			    is_extra(q, i))
				str_addc(q->out, '\\');
			str_addn(q->out, q->s + i, u.len);
		}
		i += u.len;
	}
}

/* Does anything in it need the C style's quotes? A lone backslash does not. */
static bool c_needs(const struct quoting *q)
{
	for (size_t i = 0; i < q->n;) {
		struct unit u = look(q, i);
		if (q->s[i] == '"' || u.need == NEED_OCTAL || is_extra(q, i) ||
		    (u.need == NEED_LETTER && u.letter != '\\'))
			return true;
		i += u.len;
	}
	return false;
}

/* The locale's own quotes: the C locale has 'this', and "that" for clocale. */
static void quote_locale(struct quoting *q, enum quote_style style)
{
	const char *open = "\xe2\x80\x98";

	q->close = "\xe2\x80\x99";
	if (q->bytes)
		open = q->close = style == QUOTE_CLOCALE ? "\"" : "'";
	str_adds(q->out, open);
	write_escaped(q);
	str_adds(q->out, q->close);
}

void quote_gnu(struct str *out, enum quote_style style, const char *s, size_t n, const char *extra)
{
	struct quoting q = { .out = out, .s = s, .n = n, .extra = extra };

	q.bytes = style & QUOTE_BYTES;
	style &= ~(unsigned)QUOTE_BYTES;
	switch (style) {
	case QUOTE_LITERAL:
		str_addn(out, s, n);
		break;
	case QUOTE_SHELL:
	case QUOTE_SHELL_ALWAYS:
	case QUOTE_SHELL_ESCAPE:
	case QUOTE_SHELL_ESCAPE_ALWAYS:
		q.escapes = style == QUOTE_SHELL_ESCAPE || style == QUOTE_SHELL_ESCAPE_ALWAYS;
		quote_shell(&q, style == QUOTE_SHELL_ALWAYS || style == QUOTE_SHELL_ESCAPE_ALWAYS);
		break;
	case QUOTE_C_MAYBE:
		if (!c_needs(&q)) {
			str_addn(out, s, n);
			break;
		}
		/* fall through */
	case QUOTE_C:
		q.close = "\"";
		q.extra = style == QUOTE_C ? extra : NULL;
		str_addc(out, '"');
		write_escaped(&q);
		str_addc(out, '"');
		break;
	case QUOTE_ESCAPE:
		write_escaped(&q);
		break;
	case QUOTE_LOCALE:
	case QUOTE_CLOCALE:
		quote_locale(&q, style);
		break;
	case QUOTE_BYTES:
		break;
	}
}
