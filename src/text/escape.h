/*
 * Backslash escapes read, and quoting written.
 *
 * Every decoder of the system is this one: echo -e, printf's format, %b and
 * $'...' differ in a few letters only, named by the mode. Every quoting style
 * is here too: bash's (printf %q, ${x@Q}, declare -p, set, set -x) and GNU's
 * (ls --quoting-style, file names and words in messages).
 */
#ifndef TEXT_ESCAPE_H
#define TEXT_ESCAPE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/str.h"

/* ---- Decoding ---- */

enum escape_mode {
	ESCAPE_ECHO_BASH,	/* bash's echo -e: \0nnn but not \nnn; \u \U */
	ESCAPE_ECHO_GNU,	/* /bin/echo -e: \0nnn and \nnn; no \u, no \E */
	ESCAPE_FORMAT_BASH,	/* the format of bash's printf */
	ESCAPE_FORMAT_GNU,	/* the format of /usr/bin/printf */
	ESCAPE_B_BASH,		/* %b of bash's printf */
	ESCAPE_B_GNU,		/* %b of /usr/bin/printf */
	ESCAPE_DOLLAR,		/* $'...': \cx, \x{...}; a NUL ends the string */
	ESCAPE_BYTES = 16	/* with one of them: the locale is C, which has no \u above \u7f */
};

enum escape_status {
	ESCAPE_OK,
	ESCAPE_STOP,		/* \c: the output ends here, all of it (DOLLAR: the string) */
	ESCAPE_NO_HEX,		/* bash's printf: a warning; the escape was copied */
	ESCAPE_NO_UNICODE,	/* likewise */
	ESCAPE_NO_NUMBER,	/* GNU printf: "missing hexadecimal number in escape", fatal */
	ESCAPE_BAD_NAME		/* GNU printf: "invalid universal character name \uXXXX", fatal */
};

/*
 * One escape. p is behind the backslash; n may be 0 (the backslash is copied).
 * Appends what it stands for and returns how many bytes of p it took. message
 * (at least 64 bytes) gets the text that the tool prints if status is one of
 * the last four: "missing hex digit for \x", "missing unicode digit for \u", ...
 */
size_t escape_one(enum escape_mode mode, const char *p, size_t n, struct str *out,
		  enum escape_status *status, char *message);
/*
 * A whole text. Returns ESCAPE_OK, ESCAPE_STOP or a fatal status (with its
 * message). Warnings go to warn(ctx, message), which may be NULL.
 */
enum escape_status escape_decode(enum escape_mode mode, const char *p, size_t n, struct str *out,
				 char *message, void (*warn)(void *ctx, const char *message),
				 void *ctx);

/* ---- bash's quoting ---- */

void quote_backslash(struct str *out, const char *s, size_t n);	/* a\ b, $'\n', '' (%q) */
void quote_at(struct str *out, const char *s, size_t n);	/* 'a b', $'\n' (${x@Q}, %Q) */
void quote_single(struct str *out, const char *s, size_t n);	/* 'it'\''s' (alias, trap -p) */
void quote_double(struct str *out, const char *s, size_t n);	/* "a\$b", $'\n' (declare -p) */
void quote_ansi(struct str *out, const char *s, size_t n);	/* $'a\nb' always */
void quote_set(struct str *out, const char *s, size_t n);	/* as `set` lists values */
bool quote_has_meta(const char *s, size_t n);		/* would the shell read it otherwise? */

/* ---- GNU's quoting ---- */

enum quote_style {
	QUOTE_LITERAL, QUOTE_SHELL, QUOTE_SHELL_ALWAYS, QUOTE_SHELL_ESCAPE,
	QUOTE_SHELL_ESCAPE_ALWAYS, QUOTE_C, QUOTE_C_MAYBE, QUOTE_ESCAPE, QUOTE_LOCALE,
	QUOTE_CLOCALE,
	QUOTE_BYTES = 16	/* with one of them: the locale is C, only ASCII prints */
};

/* The name as --quoting-style and QUOTING_STYLE spell it; false: unknown. */
bool quote_style_named(const char *name, enum quote_style *style);
/* extra: characters to be quoted besides (NULL: none), as ls does with " " in
 * escape style, "*=>@|" with -F, and ":" in directory headings. */
void quote_gnu(struct str *out, enum quote_style style, const char *s, size_t n,
	       const char *extra);

#endif
