/*
 * Regular expressions as sed uses them: an empty one means the one that was used
 * last, whichever command that was.
 */
#include "cmd/sed.h"

#include <string.h>

void sed_regex_tick(void *ctx, size_t steps)
{
	tsb_tick(ctx, steps / 64 + 1);
}

static struct regex *regex_of(struct sed *s, const struct sed_regex *rx)
{
	const char *error = NULL;
	struct regex *re = regex_compile(tsb_heap_of(s->p), rx->text.p, rx->text.n, rx->compiled,
					 &error);

	if (!re && !strncmp(error, "character class syntax", 22))
		sed_panic(s, "%s", error);
	if (!re)
		sed_bad(s, "%s", error);
	regex_on_tick(re, sed_regex_tick, s->p);
	return re;
}

struct sed_regex *sed_regex_new(struct sed *s, struct str *pattern, unsigned flags, int needed)
{
	struct sed_regex *rx = sed_alloc(s, sizeof(*rx));

	if (!pattern->n) {
		if (flags)
			sed_bad(s, "cannot specify modifiers on empty regexp");
		return rx;
	}
	sed_unescape(s, pattern, SED_TEXT_REGEX);
	rx->flags = flags;
	rx->address = needed < 0;
	rx->text = sed_keep(pattern);
	rx->compiled = flags | (s->utf8 ? REGEX_UTF8 : 0) | (s->extended ? REGEX_EXTENDED : 0) |
		       (s->posix == SED_MINIMAL ? REGEX_NO_GNU : 0) |
		       (s->posix != SED_GNU ? REGEX_PAREN_ORD : 0) |
		       (s->zero ? REGEX_NUL_LINES : 0);
	rx->re = regex_of(s, rx);
	rx->groups = regex_groups(rx->re);
	if (rx->text.n == 1 && !flags && (*rx->text.p == '^' || *rx->text.p == '$'))
		rx->anchor = *rx->text.p;
	if (needed > 0 && (size_t)needed > rx->groups && s->posix == SED_GNU)
		sed_bad(s, "invalid reference \\%d on `s' command's RHS", needed);
	return rx;
}

/* ^ and $ alone, which are asked often and need no engine. */
static bool match_anchor(const struct sed_regex *rx, size_t n, size_t from,
			 struct regex_span *spans, size_t n_spans)
{
	size_t at = rx->anchor == '^' ? 0 : n;

	for (size_t i = 0; i < n_spans; i++)
		spans[i] = (struct regex_span){ REGEX_NONE, REGEX_NONE };
	if (n_spans)
		spans[0] = (struct regex_span){ at, at };
	return at >= from;
}

bool sed_match(struct sed *s, struct sed_regex *rx, const char *text, size_t n, size_t from,
	       struct regex_span *spans, size_t n_spans)
{
	enum regex_status status;

	if (!rx->re) {
		rx = s->last_regex;
		if (!rx)
			sed_bad(s, "no previous regular expression");
		/* Groups that are not there are empty, if it was the regex of an s. */
		if (n_spans > rx->groups + 1 && rx->address && s->posix == SED_GNU)
			sed_bad(s, "invalid reference \\%zu on `s' command's RHS", n_spans - 1);
		if (n_spans)
			rx->address = false;
	}
	s->last_regex = rx;
	if (!text)
		text = "";	/* a space that was never filled */
	if (rx->anchor)
		return match_anchor(rx, n, from, spans, n_spans);
	status = regex_match(rx->re, text, n, from, 0, spans, n_spans);
	if (status == REGEX_BUDGET)
		sed_panic(s, "regular expression is too expensive");
	return status == REGEX_MATCH;
}
