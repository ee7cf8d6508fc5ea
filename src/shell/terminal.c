/*
 * What a shell knows of its terminal: LINES and COLUMNS are its size, looked at after each program
 * that was waited for (checkwinsize), as bash does by descriptor 2.
 */
#include "shell/doing.h"

#include <string.h>

#include "base/num.h"

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
