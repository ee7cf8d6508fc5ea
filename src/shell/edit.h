/*
 * The line editor: one line (or several, when pasted) typed on a terminal, with bash's default keys
 * of Emacs, history, search and completion. It works on the shell's own descriptors and keeps
 * nothing between lines but what was killed (struct shell's edit_kill).
 */
#ifndef SHELL_EDIT_H
#define SHELL_EDIT_H

#include "shell/doing.h"

#define EDIT_UNDO 200		/* steps that can be taken back */
#define EDIT_LINE ((size_t)1 << 20)

enum edit_end { EDIT_GOES_ON, EDIT_LINE_DONE, EDIT_AT_END, EDIT_BROKEN, EDIT_LATE };

struct edit_step {
	char *text;
	size_t n, at;
};

struct edit;
typedef void edit_fn(struct edit *e, int count);

struct edit {
	struct shell *sh;
	int in;
	int64_t deadline_ns;	/* monotonic; < 0: none */
	bool file_names;	/* read -e: completes names of files only */
	struct str line;
	size_t at, mark;
	enum edit_end end;
	/* on the screen */
	const char *prompt;
	size_t prompt_n;
	struct str out;		/* what is to be written */
	size_t columns, row;	/* of the window; of the cursor, below the prompt's last line */
	bool hidden;		/* the terminal does not echo: neither is the line shown */
	bool plain;		/* all that is not shown yet stands behind what is shown ... */
	size_t shown, column;	/* ... so many bytes, and there is the cursor */
	bool stale, whole;	/* to be painted; with all lines of the prompt */
	/* what the last key did */
	edit_fn *did, *doing;
	size_t yanked;		/* from here to `at`, by the last yank */
	size_t last_arg;	/* how far M-. went back */
	VEC(struct edit_step) undo;
	/* history: the line shown, counted from the newest; 0: the new one, which is kept meanwhile */
	size_t past;
	struct str mine;
	int unread;		/* a byte that is to be read again; < 0: none */
	int listed;		/* Tab was typed that many times */
};

/*
 * Reads a line into *out, without its end: its prompt is written on descriptor 2. given: what
 * stands in it already. LATE: the time was over. BROKEN: Ctrl-C, and nothing is to be done with it.
 */
enum edit_end edit_line(struct shell *sh, int in, const char *prompt, const char *given, bool file_names,
			int64_t deadline_ns, struct str *out);
bool edit_works(struct shell *sh, int in);	/* a terminal that is good enough */

/* ---- edit_keys.c ---- */
void edit_key(struct edit *e);			/* reads one, and does it */
int edit_byte(struct edit *e);			/* < 0: e->end says why */
void edit_search(struct edit *e, bool backward);

/* ---- edit_text.c: changes; each can be undone ---- */
size_t edit_next(const struct edit *e, size_t at);
size_t edit_before(const struct edit *e, size_t at);
void edit_note(struct edit *e);			/* before a change */
void edit_insert(struct edit *e, const char *text, size_t n);
void edit_remove(struct edit *e, size_t from, size_t to);
void edit_replace(struct edit *e, size_t from, size_t to, const char *text, size_t n);
void edit_set(struct edit *e, const char *text, size_t n);	/* all of the line; the cursor behind it */
edit_fn edit_forward_char, edit_backward_char, edit_forward_word, edit_backward_word, edit_line_begin,
	edit_line_end, edit_delete_char, edit_rubout, edit_kill_line, edit_kill_to_begin, edit_kill_word,
	edit_rubout_word, edit_rubout_blank_word, edit_yank, edit_transpose, edit_transpose_words, edit_upcase,
	edit_downcase, edit_capitalize, edit_undo, edit_revert, edit_delete_space, edit_set_mark, edit_swap_mark,
	edit_kill_whole;

/* ---- edit_past.c ---- */
edit_fn edit_older, edit_newer, edit_oldest, edit_newest, edit_last_arg;
const char *edit_history(const struct edit *e, size_t past);	/* NULL: none so old */

/* ---- edit_show.c ---- */
void edit_show(struct edit *e);			/* if it is stale */
void edit_show_as(struct edit *e, const char *prompt, size_t n, const char *line, size_t line_n, size_t at);
void edit_leave(struct edit *e);		/* the cursor below all of it */
void edit_bell(struct edit *e);
void edit_window(struct edit *e);		/* its size may be new */
edit_fn edit_clear;

/* ---- edit_complete.c ---- */
edit_fn edit_complete, edit_possible, edit_insert_all;

#endif
