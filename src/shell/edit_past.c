/* Lines of the past: up and down, and the last word of each. */
#include "shell/edit.h"

#include <limits.h>
#include <string.h>

const char *edit_history(const struct edit *e, size_t past)
{
	const struct doing *d = doing(e->sh);

	return past && past <= d->history.n ? d->history.at[d->history.n - past].text : NULL;
}

void edit_show_past(struct edit *e, size_t past)
{
	const char *text = edit_history(e, past);

	if (past && !text) {
		edit_bell(e);
		return;
	}
	if (!e->past) {
		str_reset(&e->mine);
		str_addn(&e->mine, e->line.p, e->line.n);
	}
	e->past = past;
	if (text)
		edit_set(e, text, strlen(text));
	else
		edit_set(e, e->mine.p, e->mine.n);
	for (size_t i = 0; i < e->undo.n; i++)
		heap_free(e->sh->heap, e->undo.at[i].text);
	e->undo.n = 0;
}

void edit_older(struct edit *e, int count)
{
	for (; count > 0; count--)
		edit_show_past(e, e->past + 1);
}

void edit_newer(struct edit *e, int count)
{
	for (; count > 0; count--)
		if (e->past)
			edit_show_past(e, e->past - 1);
		else
			edit_bell(e);
}

void edit_oldest(struct edit *e, int count)
{
	(void)count;
	if (doing(e->sh)->history.n)
		edit_show_past(e, doing(e->sh)->history.n);
}

void edit_newest(struct edit *e, int count)
{
	(void)count;
	if (e->past)
		edit_show_past(e, 0);
}

/* The last word of a line, quotes and all. */
static struct slice last_word(const char *text)
{
	size_t n = strlen(text), begin = 0, end = 0;
	char quote = '\0';
	bool inside = false;

	for (size_t i = 0; i < n; i++) {
		char c = text[i];

		if (!quote && (c == ' ' || c == '\t' || c == '\n')) {
			inside = false;
			continue;
		}
		if (!inside)
			begin = i;
		inside = true;
		if (c == '\\' && quote != '\'' && i + 1 < n)
			i++;
		else if (c == quote)
			quote = '\0';
		else if (!quote && (c == '\'' || c == '"'))
			quote = c;
		end = i + 1;
	}
	return (struct slice){ text + begin, end - begin };
}

void edit_last_arg(struct edit *e, int count)
{
	bool again = e->did == edit_last_arg;
	const char *text;
	struct slice word;

	if (e->given) {
		edit_nth_arg(e, count);
		return;
	}
	e->last_arg = again ? e->last_arg + 1 : e->past + 1;
	text = edit_history(e, e->last_arg);
	if (!text) {
		edit_bell(e);
		e->last_arg -= again;
		return;
	}
	word = last_word(text);
	if (!again)
		e->yanked = e->at;
	edit_replace(e, e->yanked, e->at, word.p, word.n);
}

/* The want-th word, from 0; how many there are up to it. */
static size_t nth_word(const char *text, int want, struct slice *word)
{
	size_t n = text ? strlen(text) : 0, words = 0;

	for (size_t i = 0; i < n && words <= (size_t)want;) {
		size_t begin = i += strspn(text + i, " \t\n");

		i += strcspn(text + i, " \t\n");
		if (i == begin)
			break;
		*word = (struct slice){ text + begin, i - begin };
		words++;
	}
	return words;
}

/* The n-th word of the line before (M-C-y), the first argument without a number. */
void edit_nth_arg(struct edit *e, int count)
{
	const char *text = edit_history(e, e->past + 1);
	int want = e->given ? count : 1;
	struct slice word = { 0 };

	if (want < 0)	/* from the end */
		want += (int)nth_word(text, INT_MAX, &word) - 1;
	if (want < 0 || nth_word(text, want, &word) <= (size_t)want) {
		edit_bell(e);
		return;
	}
	e->yanked = e->at;
	edit_replace(e, e->at, e->at, word.p, word.n);
}

/* ---- Searching by the line's begin ---- */

static void edit_prefix(struct edit *e, bool backward)
{
	const char *text;

	for (size_t past = e->past;;) {
		past += backward ? 1 : SIZE_MAX;
		text = past ? edit_history(e, past) : NULL;
		if (!text)
			break;
		if (strncmp(text, e->line.p, e->at) || (strlen(text) == e->line.n && !strcmp(text, e->line.p)))
			continue;
		size_t at = e->at;

		edit_show_past(e, past);
		if (at)
			e->at = at < e->line.n ? at : e->line.n;
		return;
	}
	edit_bell(e);
}

void edit_search_prefix_back(struct edit *e, int count)
{
	(void)count;
	edit_prefix(e, true);
}

void edit_search_prefix(struct edit *e, int count)
{
	(void)count;
	edit_prefix(e, false);
}

/* ---- Searching for a text that is asked for ---- */

void edit_sought_again(struct edit *e, bool backward)
{
	const struct str *sought = &prompting(e->sh)->sought;
	const char *text;
	size_t past = e->past;

	for (; sought->n; tsb_tick(e->sh->p, 1)) {
		past += backward ? 1 : SIZE_MAX;
		text = past && past != SIZE_MAX ? edit_history(e, past) : NULL;
		if (!text)
			break;
		if (*sought->p == '^' && sought->n > 1 ? strncmp(text, sought->p + 1, sought->n - 1) != 0 :
		    !strstr(text, sought->p))
			continue;
		edit_show_past(e, past);
		if (*sought->p != '^' && e->mode == 'e')
			e->at = (size_t)(strstr(e->line.p, sought->p) - e->line.p);
		return;
	}
	edit_bell(e);
	e->stale = true;
}

bool edit_ask(struct edit *e, int sign, bool backward)
{
	const char *last = e->prompt_n ? memrchr(e->prompt, '\n', e->prompt_n) : NULL;
	struct str prompt, text;
	int c;

	str_init(&prompt, e->sh->heap, STR_MAX_DEFAULT);
	str_init(&text, e->sh->heap, EDIT_LINE);
	str_adds(&prompt, last ? last + 1 : e->prompt);
	str_addc(&prompt, sign);
	for (;;) {
		if (!e->pending.n && tsb_poll_in(e->sh->p, e->in, 0) <= 0)
			edit_show_as(e, prompt.p, prompt.n, text.p, text.n, text.n);
		c = edit_byte(e);
		if (c == 127 || c == 8) {
			if (!text.n)
				break;
			while (text.n && ((unsigned char)text.p[text.n - 1] & 0xc0) == 0x80)
				str_cut(&text, text.n - 1);
			str_cut(&text, text.n - (text.n > 0));
		} else if (c < 32) {
			break;
		} else {
			str_addc(&text, c);
		}
	}
	e->stale = true;
	e->plain = false;
	if (c == '\r' || c == '\n') {
		if (text.n) {
			str_reset(&prompting(e->sh)->sought);
			str_addn(&prompting(e->sh)->sought, text.p, text.n);
		}
		edit_sought_again(e, backward);
	}
	str_end(&prompt);
	str_end(&text);
	return c == '\r' || c == '\n';
}

void edit_ask_back(struct edit *e, int count)
{
	(void)count;
	edit_ask(e, ':', true);
}

void edit_ask_forward(struct edit *e, int count)
{
	(void)count;
	edit_ask(e, ':', false);
}

/* ---- Expansions in place ---- */

void edit_expand_history(struct edit *e, int count)
{
	struct str out;

	(void)count;
	str_init(&out, e->sh->heap, EDIT_LINE);
	if (history_expand(e->sh, e->line.p, e->line.n, '\0', &out) > 0)
		edit_replace(e, 0, e->line.n, out.p, out.n);
	str_end(&out);
	e->stale = true;
}

void edit_magic_space(struct edit *e, int count)
{
	edit_expand_history(e, count);
	e->at = e->line.n;
	edit_note(e);
	edit_insert(e, " ", 1);
}

void edit_expand_line(struct edit *e, int count)
{
	struct slice out;
	struct str text;

	edit_expand_history(e, count);
	str_init(&text, e->sh->heap, EDIT_LINE);
	str_addn(&text, e->line.p, e->line.n);
	if (expand_text(e->sh, text.p, text.n, &out) == FLOW_NEXT && out.n < EDIT_LINE)
		edit_replace(e, 0, e->line.n, out.p, out.n);
	str_end(&text);
}

void edit_tilde(struct edit *e, int count)
{
	size_t from = e->at, to = e->at;
	struct slice home;

	(void)count;
	while (from && !strchr(" \t\n", e->line.p[from - 1]))
		from--;
	while (to < e->line.n && !strchr(" \t\n", e->line.p[to]))
		to++;
	if (from < to && e->line.p[from] == '~' && (to == from + 1 || e->line.p[from + 1] == '/') &&
	    var_get_text(e->sh, "HOME", &home))
		edit_replace(e, from, from + 1, home.p, home.n);
	e->at = e->line.n < to ? e->line.n : e->at;
}
