/*
 * What a shell knows of its terminal: LINES and COLUMNS are its size, looked at after each program
 * that was waited for (checkwinsize), as bash does by descriptor 2.
 */
#include "shell/doing.h"

#include <signal.h>
#include <string.h>
#include <sys/wait.h>

#include "base/num.h"

struct prompting *prompting(struct shell *sh)
{
	struct doing *d = doing(sh);

	if (!d->prompting) {
		d->prompting = heap_zalloc(sh->heap, sizeof(*d->prompting));
		for (int i = 0; i < 10; i++)
			str_init(&d->prompting->kills[i], sh->heap, STR_MAX_DEFAULT);
		str_init(&d->prompting->macro, sh->heap, 65536);
		str_init(&d->prompting->sought, sh->heap, STR_MAX_DEFAULT);
	}
	return d->prompting;
}

static void terminal_set(struct shell *sh, const char *name, uint16_t value)
{
	char text[24];
	size_t n = num_format_u64(text, value);

	var_set_text(sh, name, text, n);
}

void terminal_size(struct shell *sh)
{
	struct tsb_winsize size;

	if (!sh->opts[SHOPT_CHECKWINSIZE] || sh->is_subshell || sh->subshell_level ||
	    tsb_get_winsize(sh->p, redir_outer_error(sh), &size) || !size.rows || !size.columns)
		return;
	terminal_set(sh, "LINES", size.rows);
	terminal_set(sh, "COLUMNS", size.columns);
}

void terminal_lend(struct shell *sh, int group)
{
	struct prompting *at;

	if (!sh->prompts || sh->is_subshell || group <= 0)
		return;
	at = prompting(sh);
	at->terminal_lent = !tsb_tcgetattr(sh->p, 2, &at->terminal);
	proc_set_front(sh->p, group);
}

void terminal_back(struct shell *sh, int wait_status)
{
	struct prompting *at;

	if (!sh->prompts || sh->is_subshell)
		return;
	at = prompting(sh);
	proc_set_front(sh->p, tsb_getpgid(sh->p, 0));
	if (at->terminal_lent && (WIFSTOPPED(wait_status) || WIFSIGNALED(wait_status)))
		tsb_tcsetattr(sh->p, 2, false, &at->terminal);
	at->terminal_lent = false;
	/* The shell was not in front: it does as if, so that a list or a loop ends. */
	if (WIFSIGNALED(wait_status) && WTERMSIG(wait_status) == SIGINT)
		doing(sh)->pending |= (uint64_t)1 << SIGINT;
}
