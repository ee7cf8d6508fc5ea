/* Lines of the past: up and down, and the last word of each. */
#include "shell/edit.h"

#include <string.h>

const char *edit_history(const struct edit *e, size_t past)
{
	const struct doing *d = doing(e->sh);

	return past && past <= d->history.n ? d->history.at[d->history.n - past].text : NULL;
}

static void edit_show_past(struct edit *e, size_t past)
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
	(void)count;
	edit_show_past(e, e->past + 1);
}

void edit_newer(struct edit *e, int count)
{
	(void)count;
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

	(void)count;
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
