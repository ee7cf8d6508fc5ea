/*
 * Patterns of less: what is looked for, forward and backward, through files too; what of a line is
 * highlighted; and which lines & leaves.
 */
#include "cmd/less.h"

#include <string.h>

#include "base/utf8.h"

static bool less_has_capitals(const char *text)
{
	for (; *text; text++)
		if (*text >= 'A' && *text <= 'Z')
			return true;
	return false;
}

bool less_compile(struct less *l, struct less_pattern *to, const char *text, bool plain)
{
	bool caseless = l->o.caseless == LESS_CAPITAL || (l->o.caseless && !less_has_capitals(text));
	const char *error = NULL;
	struct regex *re = regex_compile(tsb_heap_of(l->p), text, strlen(text),
					 REGEX_EXTENDED | REGEX_UTF8 | (caseless ? REGEX_ICASE : 0) |
					 (plain ? REGEX_LITERAL : 0), &error);

	if (!re) {
		less_tell(l, "%s", error ? error : "Invalid pattern");
		return false;
	}
	if (to->re)
		regex_free(to->re);
	to->re = re;
	to->caseless = caseless;
	to->text = tsb_strdup(l->p, text);
	return true;
}

void less_sought_changed(struct less *l)
{
	l->spans_of = LESS_NONE;
	l->n_spans = 0;
}

static bool less_matches(struct less *l, struct less_pattern *pattern, int64_t line)
{
	struct str text;
	enum regex_status got;

	str_init(&text, tsb_heap_of(l->p), STR_MAX_DEFAULT);
	less_line(l, line, &text, NULL);
	got = regex_match(pattern->re, text.p, text.n, 0, 0, NULL, 0);
	str_end(&text);
	tsb_tick(l->p, 4);
	return (got == REGEX_MATCH) != pattern->inverse;
}

bool less_filtered(struct less *l, int64_t at)
{
	return l->filter.re && !l->file->help && !less_matches(l, &l->filter, at);
}

/* ---- Highlighting ---- */

static int64_t less_place(const struct str *places, size_t i, int64_t behind)
{
	int64_t at;

	if ((i + 1) * sizeof(at) > places->n)
		return behind;
	memcpy(&at, places->p + i * sizeof(at), sizeof(at));
	return at;
}

static void less_add_span(struct less *l, int64_t from, int64_t to)
{
	if (l->n_spans == l->cap_spans) {
		l->cap_spans = l->cap_spans ? 2 * l->cap_spans : 16;
		l->spans = tsb_realloc(l->p, l->spans, l->cap_spans * sizeof(*l->spans));
	}
	l->spans[l->n_spans++] = (struct less_span){ from, to };
}

static bool less_hilites(const struct less *l, int64_t line)
{
	return l->sought.re && !l->hilite_off && l->o.hilite != LESS_OFF &&
	       (l->o.hilite == LESS_CAPITAL || line == l->last_found);
}

void less_find_spans(struct less *l, int64_t line)
{
	struct str text, places;
	struct regex_span span;
	size_t at = 0;

	if (l->spans_of == line)
		return;
	l->spans_of = line;
	l->n_spans = 0;
	if (!less_hilites(l, line))
		return;
	str_init(&text, tsb_heap_of(l->p), STR_MAX_DEFAULT);
	str_init(&places, tsb_heap_of(l->p), STR_MAX_DEFAULT);
	less_line(l, line, &text, &places);
	while (at <= text.n && l->n_spans < 10000 &&
	       regex_match(l->sought.re, text.p, text.n, at, 0, &span, 1) == REGEX_MATCH) {
		if (span.eo > span.so)
			less_add_span(l, less_place(&places, span.so, 0),
				      less_place(&places, span.eo - 1, 0) + 1);
		at = span.eo > span.so ? span.eo : span.eo + 1;
	}
	str_end(&text);
	str_end(&places);
}

/* ---- Searching ---- */

/* Where it begins: `again` means not where the last one was found. */
static int64_t less_search_from(struct less *l, bool forward, bool again)
{
	int how = again && l->o.skip != LESS_SMALL ? LESS_CAPITAL : l->o.skip;
	int row = how == LESS_SMALL ? (forward ? l->rows : 0) : how == LESS_CAPITAL ? less_target(l) :
		  forward ? 0 : l->rows;
	int64_t at;

	at = l->at[row];
	if (at != LESS_NONE && forward && how == LESS_CAPITAL)
		at = less_line_next(l, less_line_begin(l, at));
	else if (at != LESS_NONE && forward && at > 0 && less_byte(l, at - 1) != '\n')
		at = less_line_next(l, at);
	for (; at == LESS_NONE && how != LESS_CAPITAL && (forward ? row < l->rows : row > 0);)
		at = l->at[forward ? ++row : --row];
	if (at == LESS_NONE && !forward)
		at = less_length_all(l);
	return at;
}

/* The count-th line that has it; LESS_NONE: there is none. */
static int64_t less_find(struct less *l, int64_t at, bool forward, int64_t *count)
{
	for (;;) {
		if (!forward)
			at = less_line_before(l, at);
		if (at == LESS_NONE || (forward && less_byte(l, at) < 0))
			return LESS_NONE;
		if (l->asked_end || vdu_signal(&l->term) == VDU_INTERRUPT)
			return LESS_NONE;
		if (!less_filtered(l, at) && less_matches(l, &l->sought, at) && --*count <= 0)
			return at;
		if (forward)
			at = less_line_next(l, at);
	}
}

void less_search(struct less *l, bool forward, bool again, int64_t count)
{
	int64_t from, found;

	if (!l->sought.re) {
		less_tell(l, "No previous regular expression");
		return;
	}
	l->hilite_off = false;
	if (l->squished)
		less_paint_again(l);
	less_sought_changed(l);
	from = l->at[0] == LESS_NONE && less_length(l) != 0 && !l->moved ? 0 : less_search_from(l, forward, again);
	count = count < 1 ? 1 : count;
	found = from == LESS_NONE ? LESS_NONE : less_find(l, from, forward, &count);
	if (found == LESS_NONE) {
		less_paint(l);
		less_tell(l, "Pattern not found");
		return;
	}
	l->last_found = found;
	less_sought_changed(l);
	less_jump(l, found, less_target(l));
}
