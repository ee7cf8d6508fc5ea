/*
 * The texts of a sed script: what stands between delimiters, the lines of a, i
 * and c, and the escapes in them.
 */
#include "cmd/sed.h"

#include <string.h>

#include "cmd/util.h"

/* ---- Escapes ---- */

static int digit_of(int c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	if (c >= 'a' && c <= 'f')
		return c - 'a' + 10;
	return c >= 'A' && c <= 'F' ? c - 'A' + 10 : 99;
}

/* Digits of a base at s[*i], at most `most`: false without one. */
static bool escape_number(const char *s, size_t n, size_t *i, int base, int most, int *c)
{
	size_t start = *i;

	*c = 0;
	while (*i < n && *i - start < (size_t)most && digit_of(s[*i]) < base)
		*c = *c * base + digit_of(s[(*i)++]);
	return *i > start;
}

/* \cX */
static int escape_control(struct sed_parser *q, const char *s, size_t n, size_t *i)
{
	int c;

	if (*i >= n)
		return -1;
	c = (unsigned char)s[(*i)++];
	if (c == '\\') {
		if (*i < n && s[*i] == '\\')
			++*i;
		else
			sed_bad(q, "recursive escaping after \\c not allowed");
	}
	if (c >= 'a' && c <= 'z')
		c -= 32;
	return c ^ 0x40;
}

/* The character behind a backslash at s[*i]: its value, or -1 for no escape. */
static int escape_value(struct sed_parser *q, const char *s, size_t n, size_t *i)
{
	static const char names[] = "afnrtv", values[] = "\a\f\n\r\t\v";
	char letter = s[(*i)++];
	const char *at = letter ? strchr(names, letter) : NULL;
	int c;

	if (at)
		return values[at - names];
	if (letter == 'c')
		return escape_control(q, s, n, i);
	if ((letter == 'd' && escape_number(s, n, i, 10, 3, &c)) ||
	    (letter == 'o' && escape_number(s, n, i, 8, 3, &c)) ||
	    (letter == 'x' && escape_number(s, n, i, 16, 2, &c)))
		return c & 255;
	return -1;
}

void sed_unescape(struct sed_parser *q, struct str *text, enum sed_text_kind kind)
{
	size_t to = 0, n = text->n;
	char *s = text->p;

	for (size_t i = 0; i < n; ) {
		size_t start = i, next = i + 1;
		int c;

		if (s[i] != '\\' || next >= n) {
			s[to++] = s[i++];
			continue;
		}
		/* "\n" stays for the engine, and for the replacement. */
		c = s[next] == 'n' && kind != SED_TEXT_PLAIN ? -1 : escape_value(q, s, n, &next);
		if (c < 0) {
			i = start + 2;
			if (kind != SED_TEXT_PLAIN)
				s[to++] = '\\';
			s[to++] = s[start + 1];
			continue;
		}
		i = next;
		/* What came out of a number means only itself there. */
		if (next > start + 2 && (c == '\\' || (c == '&' && kind == SED_TEXT_REPLACEMENT) ||
					 (c == '\n' && kind == SED_TEXT_REPLACEMENT))) {
			if (kind != SED_TEXT_PLAIN)
				s[to++] = '\\';
		}
		s[to++] = (char)c;
	}
	str_cut(text, to);
}

/* ---- Between delimiters ---- */

/* The rest of a bracket expression, in which the delimiter is as any other
 * character. Where it is not closed it is the script that ends too early. */
static bool get_bracket(struct sed_parser *q, struct str *out)
{
	int c = sed_get(q), kind = 0;
	bool first = true;

	for (; c >= 0 && c != '\n'; c = sed_get(q)) {
		if (first && c == '^' && out->p[out->n - 1] == '[') {
			str_addc(out, c);
			continue;
		}
		if (kind && c == ']' && out->p[out->n - 1] == (char)kind) {
			kind = 0;
		} else if (!kind && c == ']' && !first) {
			str_addc(out, c);
			return true;
		} else if (!kind && !first && out->p[out->n - 1] == '[' &&
			   (c == ':' || c == '.' || c == '=')) {
			kind = c;
			/* "[:]" is no class. */
			str_addc(out, c);
			c = sed_get(q);
			if (c < 0 || c == '\n')
				break;
		} else if (!kind && c == '\\') {
			c = sed_get(q);
			if (c == 'n')
				c = '\n';
			else
				str_addc(out, '\\');
			if (c < 0)
				return false;
			if (c == ']') {
				str_addc(out, c);
				return true;
			}
		}
		str_addc(out, c);
		first = false;
	}
	if (c == '\n')
		sed_unget(q, c);
	return false;
}

bool sed_get_delimited(struct sed_parser *q, int delimiter, bool regex, struct str *out)
{
	int c;

	str_init(out, tsb_heap_of(q->s->p), STR_MAX_DEFAULT);
	while ((c = sed_get(q)) >= 0 && c != '\n') {
		if (c == delimiter)
			return true;
		if (c == '\\') {
			c = sed_get(q);
			if (c < 0)
				return false;
			if (c == 'n' && regex)
				c = '\n';
			else if (c != '\n' && (c != delimiter || (!regex && c == '&')))
				str_addc(out, '\\');
			else if (c == '\n' && !regex)
				str_addc(out, '\\');
		} else if (c == '[' && regex) {
			str_addc(out, c);
			if (!get_bracket(q, out))
				return false;
			continue;
		}
		str_addc(out, c);
	}
	if (c == '\n')
		sed_unget(q, c);
	return false;
}

/* ---- a, i, c ---- */

static void text_finish(struct sed_parser *q, bool raw)
{
	struct sed_cmd *cmd = &q->s->cmds[q->pending_cmd - 1];
	size_t n;

	if (!raw)
		sed_unescape(q, &q->pending, SED_TEXT_PLAIN);
	cmd->text.p = str_take(&q->pending, &n);
	cmd->text.n = n;
	q->pending_cmd = 0;
}

/* Up to a newline that is not escaped; false: it goes on in the next script. */
static bool text_read(struct sed_parser *q)
{
	int c;

	while ((c = sed_get(q)) >= 0 && c != '\n') {
		if (c == '\\') {
			c = sed_get(q);
			if (c < 0) {
				str_addc(&q->pending, '\n');
				return false;
			}
			str_addc(&q->pending, '\\');
		}
		str_addc(&q->pending, c);
	}
	str_addc(&q->pending, '\n');
	return true;
}

void sed_read_text(struct sed_parser *q, struct sed_cmd *cmd)
{
	int c = sed_get_nonblank(q);

	if (c < 0)
		sed_bad(q, "expected \\ after `a', `c' or `i'");
	str_init(&q->pending, tsb_heap_of(q->s->p), STR_MAX_DEFAULT);
	q->pending_cmd = (size_t)(cmd - q->s->cmds) + 1;
	if (c == '\\') {
		c = sed_get(q);
		if (c < 0)
			return;		/* the text is in the next script, or empty */
		if (c != '\n')
			sed_unget(q, c);
	} else {
		if (q->s->strict)
			sed_bad(q, "expected \\ after `a', `c' or `i'");
		sed_unget(q, c);
	}
	if (text_read(q))
		text_finish(q, false);
}

bool sed_continue_text(struct sed_parser *q)
{
	if (!q->pending_cmd)
		return true;
	if (!text_read(q))
		return false;
	text_finish(q, false);
	return true;
}

void sed_end_text(struct sed_parser *q)
{
	if (q->pending_cmd)
		text_finish(q, true);
}
