/*
 * The prompt on a terminal: lines by libedit, each run in the sandbox's session.
 * A line that is not complete yet ("for ...", an open quote) asks for more: the
 * sandbox's own parser says so.
 */
#include <histedit.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"

static char *prompt_text(EditLine *el)
{
	void *more;

	el_get(el, EL_CLIENTDATA, &more);
	return more ? "> " : "sandbox$ ";
}

static EditLine *make_editor(History *lines)
{
	EditLine *el = el_init("tinysandbox", stdin, stdout, stderr);
	HistEvent event;

	if (!el)
		return NULL;
	el_set(el, EL_PROMPT, prompt_text);
	el_set(el, EL_EDITOR, "emacs");
	if (lines) {
		history(lines, &event, H_SETSIZE, 1000);
		el_set(el, EL_HIST, history, lines);
	}
	return el;
}

int cli_prompt(const struct cli *cli, struct tsb_sandbox *box)
{
	History *lines = history_init();
	EditLine *el = make_editor(lines);
	char *text = NULL;
	size_t n = 0;
	int status = 0, count;
	const char *line;
	HistEvent event;

	if (!el)
		return cli_error("cannot edit lines on this terminal");
	while ((line = el_gets(el, &count)) && count > 0) {
		char *more = realloc(text, n + (size_t)count + 1);

		if (!more)
			break;
		text = more;
		memcpy(text + n, line, (size_t)count + 1);
		n += (size_t)count;
		el_set(el, EL_CLIENTDATA, tsb_is_incomplete(text, n) ? text : NULL);
		if (tsb_is_incomplete(text, n))
			continue;
		history(lines, &event, H_ENTER, text);
		status = cli_run(cli, box, text, n, "bash", NULL);
		n = 0;
	}
	free(text);
	el_end(el);
	history_end(lines);
	return status;
}
