/*
 * Inside ed: the buffer is an array of pointers to lines, so that moving, undoing (the array
 * of before) and marking (a pointer) are cheap. ed.c is the program and its files, ed_lines.c
 * the buffer, ed_address.c addresses, patterns and substitution, ed_commands.c the commands.
 */
#ifndef CMD_ED_H
#define CMD_ED_H

#include <tinysandbox/command.h>

#include "base/str.h"
#include "text/regex.h"

struct ed_line {
	char *text;		/* without its newline, NUL-terminated */
	size_t n;
	size_t at;		/* where it was last seen in the buffer */
	bool active;		/* g has marked it */
};

struct ed_buffer {
	struct ed_line **at;
	size_t n, cap;
};

enum { ED_PRINT = 1, ED_LIST = 2, ED_NUMBER = 4 };
enum ed_result { ED_OK, ED_ERROR, ED_QUIT };

struct ed {
	struct tsb_proc *p;
	struct tsb_reader in;
	size_t line_no;
	struct ed_buffer lines, undo;
	size_t current, undo_current;
	bool can_undo, modified, undo_modified, warned;
	struct ed_line **yanked;
	size_t n_yanked;
	struct ed_line *marks[26];
	char *name;		/* of the file; NULL: none */
	const char *error;	/* of the last failure; NULL: none yet */
	bool verbose, script, quiet, loose, restricted, traditional, extended, strip_cr, utf8, regular;
	bool prompting, binary;
	bool cut;		/* a binary file without a newline at its end */
	const char *prompt;
	int status;

	/* The command being read: the rest of it; g's list of commands. */
	const char *c;
	const char *list;	/* what g has left behind this line; NULL: no g */
	bool global;
	size_t first, second;
	int n_addresses;

	/* What was last: pattern, replacement, flags of s, shell command, window of z. */
	struct regex *regex;
	struct slice source, replacement;	/* source: the pattern's text */
	bool has_replacement, sub_global, sub_done;
	unsigned sub_print;
	uint64_t sub_count;
	char *shell, *again;
	size_t window;
};

/* false, with the reason for h. */
bool ed_fail(struct ed *e, const char *why);

/* ---- ed.c ---- */
/* The next line of input with its newline, NUL-terminated; false at the end. */
bool ed_read(struct ed *e, char **line, size_t *n);
/* After the command letter: a file name or "!command"; NULL after an error. "" : none given. */
char *ed_file_name(struct ed *e);
/* Reads behind line `after`: the bytes, -1 after an error. */
int64_t ed_read_file(struct ed *e, const char *name, size_t after);
int64_t ed_write_file(struct ed *e, const char *name, bool append, size_t first, size_t last);
bool ed_shell(struct ed *e);

/* ---- ed_lines.c ---- */
struct ed_line *ed_new_line(struct ed *e, const char *text, size_t n);
void ed_insert(struct ed *e, size_t after, struct ed_line *const *lines, size_t n);
void ed_delete(struct ed *e, size_t first, size_t last);
void ed_move(struct ed *e, size_t first, size_t last, size_t after);
void ed_join(struct ed *e, size_t first, size_t last);
void ed_snapshot(struct ed *e);
bool ed_undo(struct ed *e);
/* Its number, from 1; 0: it is not there. */
size_t ed_find(struct ed *e, struct ed_line *line);
void ed_show(struct ed *e, size_t first, size_t last, unsigned how);

/* ---- ed_address.c ---- */
bool ed_addresses(struct ed *e);
/* One address: 1; 0: there is none; -1 after an error. */
int ed_address(struct ed *e, size_t *at);
bool ed_range(struct ed *e, size_t first, size_t second);
/* e->c is on the delimiter; *re is the pattern, or the last one. e->c is then on the delimiter
 * behind it, in an address past it, and past the I that may follow there. */
bool ed_pattern(struct ed *e, bool address, struct regex **re);
enum regex_status ed_match(struct ed *e, struct regex *re, const struct ed_line *l, size_t from,
			   struct regex_span *spans, size_t n);
void ed_blanks(struct ed *e);
/* p, l and n behind a command, up to the end of the line. */
bool ed_suffix(struct ed *e, unsigned *how);
bool ed_substitute(struct ed *e, unsigned *how);

/* ---- ed_commands.c ---- */
enum ed_result ed_command(struct ed *e);
#endif
