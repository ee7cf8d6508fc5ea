/*
 * The characters of a script, one by one, as GNU sed reads them: where it stands
 * when it finds a mistake is part of its messages, so what is looked at and put
 * back matters.
 */
#include "cmd/sed.h"

#include "base/utf8.h"

int sed_char(struct sed *s)
{
	struct sed_script *t = &s->script;
	int c;

	if (t->at == t->end)
		return -1;
	c = (unsigned char)*t->at++;
	if (c == '\n')
		t->line++;
	return c;
}

void sed_unchar(struct sed *s, int c)
{
	if (c < 0)
		return;
	s->script.at--;
	if (c == '\n')
		s->script.line--;
}

bool sed_is_blank(int c)
{
	return c == ' ' || c == '\t';
}

bool sed_is_space(int c)
{
	return c == ' ' || (c >= '\t' && c <= '\r');
}

int sed_nonblank(struct sed *s)
{
	int c;

	do
		c = sed_char(s);
	while (sed_is_blank(c));
	return c;
}

/* Too many digits wrap around, as they do in the real one. */
uint64_t sed_integer(struct sed *s, int c)
{
	uint64_t n = 0;

	for (; c >= '0' && c <= '9'; c = sed_char(s))
		n = n * 10 + (uint64_t)(c - '0');
	sed_unchar(s, c);
	return n;
}

void sed_end_of_command(struct sed *s)
{
	int c = sed_nonblank(s);

	if (c == '}' || c == '#')
		sed_unchar(s, c);
	else if (c >= 0 && c != '\n' && c != ';')
		sed_bad(s, "extra characters after command");
}

struct slice sed_keep(struct str *text)
{
	struct slice kept;

	kept.p = str_take(text, &kept.n);
	return kept;
}

static struct slice sed_until(struct sed *s, bool (*stop)(int c))
{
	struct str text;
	int c = sed_nonblank(s);

	str_init(&text, tsb_heap_of(s->p), STR_MAX_DEFAULT);
	for (; c >= 0 && !stop(c); c = sed_char(s))
		str_addc(&text, c);
	sed_unchar(s, c);
	return sed_keep(&text);
}

static bool ends_label(int c)
{
	return sed_is_space(c) || c == ';' || c == '}' || c == '#';
}

static bool ends_line(int c)
{
	return c == '\n';
}

struct slice sed_label(struct sed *s)
{
	return sed_until(s, ends_label);
}

struct slice sed_filename(struct sed *s)
{
	struct slice name = sed_until(s, ends_line);

	sed_char(s);
	if (!name.n)
		sed_bad(s, "missing filename in r/R/w/W commands");
	return name;
}

/*
 * A bracket expression behind its [: the delimiter does not count in it. Stops
 * at the ] that closes it, at the end of the line (-1 or '\n'), which is not
 * added, and returns it.
 */
static int sed_bracket(struct sed *s, struct str *out)
{
	int c = sed_char(s), kind = 0;
	enum { OUTSIDE, OPENED, INSIDE, CLOSING } state = OUTSIDE;

	if (c == '^') {
		str_addc(out, c);
		c = sed_char(s);
	}
	if (c == ']') {
		str_addc(out, c);
		c = sed_char(s);
	}
	for (; c >= 0 && c != '\n'; str_addc(out, c), c = sed_char(s)) {
		if (c == ']' && (state == OUTSIDE || state == OPENED))
			return c;
		if ((c == '.' || c == ':' || c == '=') && state == OPENED) {
			kind = c;
			state = INSIDE;
		} else if (c == kind && state == INSIDE) {
			state = CLOSING;
		} else if (c == '[' && state == OUTSIDE) {
			state = OPENED;
		} else if (c == ']' && state == CLOSING) {
			state = OUTSIDE;
		} else if (c != '[' || state != OPENED) {
			state = state == OPENED ? OUTSIDE : state == CLOSING ? INSIDE : state;
		}
	}
	return c;
}

/* Behind a backslash: false at the end of the script. */
static bool sed_backslash(struct sed *s, int delim, bool regex, struct str *out)
{
	int c = sed_char(s);

	if (c < 0)
		return false;
	if (c == 'n' && regex && delim != 'n')
		c = '\n';
	else if (c != '\n' && (c != delim || (!regex && c == '&')))
		str_addc(out, '\\');
	str_addc(out, c);
	return true;
}

static void check_delim(struct sed *s, int delim)
{
	const char *p = s->script.at - 1;
	int32_t c;

	if (s->utf8 && delim >= 0x80 && utf8_decode(p, (size_t)(s->script.end - p), &c) > 1)
		sed_bad(s, "delimiter character is not a single-byte character");
}

bool sed_delimited(struct sed *s, int delim, bool regex, struct str *out)
{
	int c;

	check_delim(s, delim);
	str_init(out, tsb_heap_of(s->p), STR_MAX_DEFAULT);
	while ((c = sed_char(s)) >= 0 && c != '\n' && c != delim) {
		if (c == '\\') {
			if (!sed_backslash(s, delim, regex, out))
				return false;
			continue;
		}
		str_addc(out, c);
		if (c == '[' && regex) {
			c = sed_bracket(s, out);
			if (c != ']')
				break;
			str_addc(out, c);
		}
	}
	if (c == '\n')
		sed_unchar(s, c);
	return c >= 0 && c == delim && c != '\n';
}
