/*
 * The text of a, i, c and the command of e. In the classic form it begins on the
 * line behind the backslash, in GNU's on the same line; either way it goes on
 * where a line ends with a backslash, and even in the next -e.
 *
 * Kept with its last newline; a \c at the very end eats it, as in the real one.
 */
#include "cmd/sed.h"

/* Backslashes go; \n is a newline. */
static void text_strip(struct sed *s, struct str *text)
{
	struct str out;

	str_init(&out, tsb_heap_of(s->p), STR_MAX_DEFAULT);
	for (size_t i = 0; i < text->n; i++) {
		char c = text->p[i];

		if (c == '\\' && i + 1 < text->n) {
			c = text->p[++i];
			if (c == 'n')
				c = '\n';
		}
		str_addc(&out, c);
	}
	str_end(text);
	*text = out;
}

static void text_finish(struct sed *s)
{
	str_addc(&s->pending, '\n');
	sed_unescape(s, &s->pending, SED_TEXT_PLAIN);
	text_strip(s, &s->pending);
	s->cmds.at[s->pending_cmd].text = sed_keep(&s->pending);
	s->has_pending = false;
}

/* A piece of the script that ends in a backslash leaves the text open. */
void sed_text_goes_on(struct sed *s)
{
	int c;

	s->has_pending = true;
	if (s->pending_raw)
		str_addc(&s->pending, '\n');
	s->pending_raw = false;
	while ((c = sed_char(s)) >= 0 && c != '\n') {
		if (c == '\\') {
			c = sed_char(s);
			if (c < 0) {
				s->pending_raw = true;
				return;
			}
			str_addc(&s->pending, '\\');
		}
		str_addc(&s->pending, c);
	}
	text_finish(s);
}

/* Nothing follows a backslash at the end of the script: the text stays as it is. */
void sed_text_end(struct sed *s)
{
	if (s->pending_raw)
		str_addc(&s->pending, '\n');
	s->cmds.at[s->pending_cmd].text = sed_keep(&s->pending);
	s->has_pending = false;
}

void sed_parse_text(struct sed *s, size_t cmd)
{
	bool eval = s->cmds.at[cmd].name == 'e';
	int c = sed_nonblank(s);

	if (c < 0 && !eval)
		sed_bad(s, "expected \\ after `a', `c' or `i'");
	if (eval && (c < 0 || c == '\n'))
		return;
	s->pending_cmd = cmd;
	s->pending_raw = false;
	str_init(&s->pending, tsb_heap_of(s->p), STR_MAX_DEFAULT);
	if (c == '\\') {
		c = sed_char(s);
		if (c < 0) {
			if (s->posix == SED_MINIMAL)
				sed_bad(s, "incomplete command");
			s->has_pending = true;
			return;
		}
		if (c != '\n')
			sed_unchar(s, c);
	} else {
		if (s->posix == SED_MINIMAL)
			sed_bad(s, "expected \\ after `a', `c' or `i'");
		sed_unchar(s, c);
	}
	sed_text_goes_on(s);
}
