/* See edit.h: one line, from the prompt to its end. */
#include "shell/edit.h"

#include <string.h>
#include <termios.h>

bool edit_works(struct shell *sh, int in)
{
	const char *term = NULL;
	struct slice v;

	if (var_get_text(sh, "TERM", &v) && v.n)
		term = arena_dup(&sh->turn, v.p, v.n);
	return term && strcmp(term, "dumb") && strcmp(term, "unknown") && tsb_isatty(sh->p, in) &&
	       tsb_isatty(sh->p, 2);
}

/* Bytes as they are typed; signals stay what they are. */
static void edit_raw(struct edit *e)
{
	struct tsb_termios t;

	if (tsb_tcgetattr(e->sh->p, e->in, &t))
		return;
	e->hidden = !(t.lflag & ECHO);
	t.lflag = (t.lflag & ~(uint32_t)(ICANON | ECHO)) | ISIG;
	t.iflag &= ~(uint32_t)(ICRNL | INLCR | IGNCR);
	t.oflag |= OPOST | ONLCR;
	t.cc[VMIN] = 1;
	t.cc[VTIME] = 0;
	tsb_tty_borrow(e->sh->p, e->in, &t);
	str_adds(&e->out, "\033[?2004h");	/* what is pasted is told from what is typed */
}

static void edit_begin(struct edit *e, const char *given)
{
	struct prompting *at = prompting(e->sh);

	str_init(&e->line, e->sh->heap, EDIT_LINE + 4096);
	str_init(&e->out, e->sh->heap, STR_MAX_DEFAULT);
	str_init(&e->mine, e->sh->heap, STR_MAX_DEFAULT);
	str_init(&e->pending, e->sh->heap, STR_MAX_DEFAULT);
	str_init(&e->vi.typed, e->sh->heap, EDIT_LINE);
	if (!at->inputrc_read)
		inputrc_read(e->sh, NULL);
	e->mode = 'e';
	if (e->sh->opts[OPT_VI])
		edit_vi_begin(e);
	edit_window(e);
	edit_raw(e);
	if (given)
		edit_set(e, given, strlen(given));
	if (at->from && edit_history(e, at->from)) {
		e->past = at->from;
		edit_set(e, edit_history(e, e->past), strlen(edit_history(e, e->past)));
	}
	at->from = 0;
	e->stale = e->whole = true;
}

static void edit_done(struct edit *e, struct str *out)
{
	if (e->end == EDIT_LINE_DONE || e->end == EDIT_LATE) {
		if (e->end == EDIT_LINE_DONE)
			edit_leave(e);
		str_addn(out, e->line.p, e->line.n);
	}
	if (e->end == EDIT_AT_END)
		edit_leave(e);
	tsb_write_all(e->sh->p, 2, "\033[?2004l\r", e->end == EDIT_LATE ? 8 : 9);
	tsb_tty_return(e->sh->p);
	for (size_t i = 0; i < e->undo.n; i++)
		heap_free(e->sh->heap, e->undo.at[i].text);
	vec_end(e->sh->heap, &e->undo);
	str_end(&e->line);
	str_end(&e->out);
	str_end(&e->mine);
	str_end(&e->pending);
	str_end(&e->vi.typed);
}

enum edit_end edit_line(struct shell *sh, int in, const char *prompt, const char *given, bool file_names,
			int64_t deadline_ns, struct str *out)
{
	struct edit *e = heap_alloc(sh->heap, sizeof(*e));
	enum edit_end end;

	*e = (struct edit){ .sh = sh, .in = in, .prompt = prompt, .prompt_n = strlen(prompt), .count = 1,
			    .file_names = file_names, .deadline_ns = deadline_ns };
	edit_begin(e, given);
	while (e->end == EDIT_GOES_ON) {
		edit_key(e);
		tsb_tick(sh->p, 16);
	}
	end = e->end;
	edit_done(e, out);
	heap_free(sh->heap, e);
	return end;
}
