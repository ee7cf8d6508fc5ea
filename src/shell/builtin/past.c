/*
 * The list of past commands. A script keeps none unless it says `set -o
 * history`; then each command of its own text is a line (text.c adds them), as
 * HISTCONTROL, HISTIGNORE and HISTSIZE have it.
 */
#include "shell/builtin/builtin.h"

#include <string.h>

#include "shell/words.h"
#include "text/pattern.h"

/* What HISTSIZE says; SIZE_MAX: no limit. */
static size_t history_limit(struct shell *sh)
{
	struct slice v;
	int64_t n;

	if (!var_get_text(sh, "HISTSIZE", &v) || !v.n || !text_number(arena_dup(&sh->turn, v.p, v.n), &n) ||
	    n < 0)
		return SIZE_MAX;
	return (size_t)n;
}

void history_add(struct shell *sh, const char *text, size_t n)
{
	struct doing *d = doing(sh);
	struct history_line *line;
	size_t limit = history_limit(sh);

	if (!n)
		return;
	line = vec_add(sh->heap, &d->history);
	if (line)
		*line = (struct history_line){ heap_dup(sh->heap, text, n),
					       tsb_clock(sh->p, TSB_CLOCK_REAL).sec };
	while (d->history.n > limit) {
		history_remove(sh, 0);
		d->history_base++;
	}
}

static bool history_matches(struct shell *sh, const char *pattern, size_t n, const char *text)
{
	struct slice one = { pattern, n };

	return pattern_match(pattern_cached(sh, one, PATTERN_EXTGLOB), text, strlen(text));
}

/* Is word one of the list, which colons part? */
static bool history_lists(struct shell *sh, const char *list, const char *word)
{
	struct slice v;
	size_t n = strlen(word);

	if (!var_get_text(sh, list, &v))
		return false;
	for (size_t at = 0, end; at < v.n; at = end + 1) {
		for (end = at; end < v.n && v.p[end] != ':'; end++)
			;
		if (end - at == n && !memcmp(v.p + at, word, n))
			return true;
	}
	return false;
}

/* HISTIGNORE: patterns of whole lines, in which & is the line before. */
static bool history_ignores(struct shell *sh, const char *text, const char *before)
{
	struct slice v;
	bool found = false;

	if (!var_get_text(sh, "HISTIGNORE", &v))
		return false;
	for (size_t at = 0, end; at < v.n && !found; at = end + 1) {
		struct str p;

		str_init(&p, sh->heap, STR_MAX_DEFAULT);
		for (end = at; end < v.n && v.p[end] != ':'; end++) {
			if (v.p[end] == '&' && before)
				str_adds(&p, before);
			else
				str_addc(&p, v.p[end] == '\\' && end + 1 < v.n && v.p[end + 1] == '&' ?
					 v.p[++end] : v.p[end]);
		}
		found = p.n && history_matches(sh, p.p, p.n, text);
		str_end(&p);
	}
	return found;
}

/* As bash asks before it keeps a line; erasedups takes older ones of its kind away. */
bool history_wanted(struct shell *sh, const char *text)
{
	struct doing *d = doing(sh);
	const char *before = d->history.n ? vec_last(&d->history).text : NULL;
	bool both = history_lists(sh, "HISTCONTROL", "ignoreboth");

	if ((both || history_lists(sh, "HISTCONTROL", "ignorespace")) && *text == ' ')
		return false;
	if ((both || history_lists(sh, "HISTCONTROL", "ignoredups")) && before &&
	    !strcmp(before, text))
		return false;
	if (history_ignores(sh, text, before))
		return false;
	if (history_lists(sh, "HISTCONTROL", "erasedups"))
		for (size_t i = d->history.n; i-- > 0;)
			if (!strcmp(d->history.at[i].text, text))
				history_remove(sh, i);
	return true;
}

/* Does a line that ends so go on with a blank, instead of "; "? */
static bool history_opens(const struct str *t)
{
	static const char *const words[] = { "do", "then", "else", "elif", "if", "while", "until", "in" };
	size_t n = t->n, from;

	while (n && (t->p[n - 1] == ' ' || t->p[n - 1] == '\t'))
		n--;
	if (!n || strchr("{(|&;", t->p[n - 1]))
		return true;
	for (from = n; from && t->p[from - 1] >= 'a' && t->p[from - 1] <= 'z'; from--)
		;
	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (n - from == strlen(words[i]) && !memcmp(t->p + from, words[i], n - from))
			return true;
	return false;
}

/* cmdhist: the lines of a command are joined; not within quotes, behind a comment, nor before a here-document's end. */
static void history_join(struct str *out, const char *text, size_t n)
{
	char quote = '\0';
	bool here = memmem(text, n, "<<", 2), comment = false;

	for (size_t i = 0; i < n; i++) {
		char c = text[i];

		comment |= c == '#' && !quote && (!i || strchr(" \t\n;", text[i - 1]));
		if (c == '\n' && !quote && !here && !comment) {
			str_adds(out, history_opens(out) ? " " : "; ");
			while (i + 1 < n && text[i + 1] == '\n')
				i++;
			continue;
		}
		if (comment) {
			comment = c != '\n';
		} else if (c == '\\' && quote != '\'' && i + 1 < n) {
			str_addc(out, c);
			c = text[++i];
		} else if (quote ? c == quote : c == '\'' || c == '"') {
			quote = quote ? '\0' : c;
		}
		str_addc(out, c);
	}
	if (here && memchr(text, '\n', n))	/* its last line keeps its end */
		str_addc(out, '\n');
}

static void history_keep(struct shell *sh, const char *text, size_t n)
{
	struct doing *d = doing(sh);
	struct str line;

	str_init(&line, sh->heap, STR_MAX_DEFAULT);
	if (sh->opts[SHOPT_CMDHIST])
		history_join(&line, text, n);
	else
		str_addn(&line, text, n);
	d->history_saved = line.n && history_wanted(sh, line.p);
	if (d->history_saved) {
		history_add(sh, line.p, line.n);
		d->history_new++;
	}
	str_end(&line);
}

void history_line(struct shell *sh, const char *text, size_t n)
{
	while (n && text[n - 1] == '\n')
		n--;
	/* Empty lines are none; comments in front are lines of their own. */
	while (n && (*text == '\n' || *text == '#')) {
		const char *end = memchr(text, '\n', n);
		size_t len = end ? (size_t)(end - text) : n;

		if (len)
			history_keep(sh, text, len);
		text += end ? len + 1 : len;
		n -= end ? len + 1 : len;
	}
	history_keep(sh, text, n);
}

void history_remove(struct shell *sh, size_t i)
{
	struct doing *d = doing(sh);

	heap_free(sh->heap, d->history.at[i].text);
	memmove(&d->history.at[i], &d->history.at[i + 1],
		(d->history.n - i - 1) * sizeof(d->history.at[0]));
	d->history.n--;
}

void history_unsave(struct shell *sh)
{
	struct doing *d = doing(sh);

	if (d->history_saved && d->history.n)
		history_remove(sh, d->history.n - 1);
	d->history_saved = false;
}

size_t history_past(struct shell *sh)
{
	struct doing *d = doing(sh);

	return d->history.n - (d->history_saved && d->history.n);
}
