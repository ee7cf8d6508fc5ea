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

/* vi: what ".", ";", "n" do again. */
struct edit_vi {
	int key, motion, target, count;	/* the change: d2w is d, w, 0, 2 */
	struct str typed;	/* what was put in by it */
	size_t begun;		/* where that began; the insertion is noted as one change */
	bool inserting, replacing, again, once;	/* again: "." does it; once: there was a command */
	int find, find_target;	/* f F t T */
	bool sought_back;
	size_t marks[26];
};

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
	struct str pending;	/* bytes that are read before those of the terminal: keys again, macros */
	size_t macros;		/* expanded since a byte was typed */
	int mode;		/* 'e' Emacs, 'i' and 'c' vi: inserting, commands */
	bool overwrite, given;	/* given: a count was typed ... */
	int count;		/* ... this one */
	int key;		/* the last one of what is done ... */
	size_t keys_n;		/* ... and how many it is */
	struct edit_vi vi;
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
void edit_unread(struct edit *e, const char *text, size_t n);	/* to be read next */
void edit_type(struct edit *e, int lead, int count);	/* a character, however many bytes it has */
int edit_character(struct edit *e, char text[4], size_t *n, int lead);	/* the rest of it; its first byte */
void edit_recorded(struct edit *e, size_t drop);	/* the macro that is recorded ends, without its last keys */
edit_fn edit_self, edit_quoted, edit_paste, edit_accept, edit_accept_next, edit_delete_or_end, edit_comment, edit_abort,
	edit_find_forward, edit_find_backward, edit_search_backward, edit_search_forward, edit_digits, edit_macro_begin,
	edit_macro_end, edit_macro_call, edit_reread, edit_emacs_mode, edit_vi_mode, edit_refuse;
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
	edit_kill_whole, edit_yank_pop, edit_kill_region, edit_copy_region, edit_overwrite, edit_tab, edit_forward_blank,
	edit_backward_blank, edit_kill_blank, edit_rubout_shell_word, edit_transpose_blanks, edit_magic_space,
	edit_expand_line, edit_expand_history, edit_tilde, edit_universal;
void edit_kill(struct edit *e, size_t from, size_t to);
void edit_copy(struct edit *e, size_t from, size_t to);	/* into the ring, as a new one */
void edit_go(struct edit *e, size_t to);
size_t edit_word_end(const struct edit *e, size_t at);
size_t edit_word_begin(const struct edit *e, size_t at);
const struct str *edit_killed(struct edit *e);	/* what a yank gives; NULL: nothing */

/* ---- edit_past.c ---- */
edit_fn edit_older, edit_newer, edit_oldest, edit_newest, edit_last_arg, edit_nth_arg, edit_search_prefix_back,
	edit_search_prefix, edit_ask_back, edit_ask_forward;
void edit_show_past(struct edit *e, size_t past);
/* A pattern is asked for behind the prompt's last line and a sign; false: given up. */
bool edit_ask(struct edit *e, int sign, bool backward);
void edit_sought_again(struct edit *e, bool backward);

/* ---- edit_map.c: which key does what, and the functions' names ---- */
struct edit_binding {
	char kind;		/* 'f' a function, 'm' a macro's keys, 'x' a command; NUL: nothing */
	edit_fn *fn;
	const char *text;
};
/* *more: with further keys it may be another. */
struct edit_binding edit_bound(struct shell *sh, int mode, const char *keys, size_t n, bool *more);
edit_fn *edit_function(const char *name, size_t n);	/* NULL: it does nothing here */
bool edit_fixed(const char *name, int mode, size_t *at, struct slice *keys);	/* its usual keys, one by one */

/* A line as of ~/.inputrc: "KEYS": FUNCTION, set NAME VALUE. NULL, or what is wrong. kind: 'f', or 'x' for commands. */
const char *edit_bind_line(struct shell *sh, const char *line, int mode, char kind);
/* Keys as they are written, within quotes: \C-x, \e ... */
void edit_decode_keys(struct str *out, const char *text, size_t n);
void edit_encode_keys(struct str *out, const char *keys, size_t n);
void inputrc_read(struct shell *sh, const char *path);	/* NULL: INPUTRC, or ~/.inputrc */
const char *edit_setting(struct shell *sh, const char *name);	/* of `set`, its default else; NULL: unknown */
bool edit_is_on(struct shell *sh, const char *name);
bool edit_setting_at(size_t i, const char **name, bool *on_off);

/* ---- edit_vi.c ---- */
edit_fn edit_vi_command, edit_vi_movement, edit_vi_eof;
void edit_vi_begin(struct edit *e);
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
