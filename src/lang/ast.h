/*
 * The tree of a bash script. Made by parse.c, walked by the shell, printed by
 * print.c; immutable once parsed, so processes and sessions share it.
 *
 * Every node, word and string lives in the arena of its struct script, which is
 * reference-counted (script_ref/script_drop): a function keeps the script that
 * defined it alive. All texts are NUL-terminated and have a length; they may
 * hold any byte but NUL.
 *
 * Words keep their quoting: expansion works on parts, and the printer gives the
 * text back (declare -f). Line numbers are those of $LINENO, offsets are bytes
 * into script->text.
 */
#ifndef LANG_AST_H
#define LANG_AST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/str.h"

struct node;
struct word;
struct arith;
struct cond;

/* A name with its map_hash() ready. */
struct name {
	const char *s;
	uint32_t n;
	uint32_t hash;
};

/* ---- Words ---- */

enum part_kind {
	PART_TEXT,	/* unquoted literal text; text */
	PART_ESCAPED,	/* \x: text is the quoted character(s) */
	PART_SINGLE,	/* '...': text */
	PART_ANSI,	/* $'...': text decoded, raw the source between the quotes */
	PART_DOUBLE,	/* "...": parts (TEXT inside is quoted; escapes removed) */
	PART_LOCALE,	/* $"...": as DOUBLE */
	PART_PARAM,	/* $x ${...}: param */
	PART_COMMAND,	/* $(...) or `...`: command (may be NULL: empty), backquoted */
	PART_ARITH,	/* $((...)) or $[...]: arith */
	PART_PROCESS_IN,	/* <(...): command */
	PART_PROCESS_OUT,	/* >(...) */
	PART_TILDE,	/* ~ ~user ~+ ~-: text is what stands behind ~; only where bash expands it
			   (word start; after = and : of assignments) */
	PART_GLOB	/* ?(..) *(..) +(..) @(..) !(..): op, and alternatives (words) */
};

/* ${...} operators */
enum param_op {
	PARAM_PLAIN,		/* $x ${x} */
	PARAM_LENGTH,		/* ${#x} */
	PARAM_DEFAULT,		/* - */
	PARAM_ASSIGN,		/* = */
	PARAM_ERROR,		/* ? */
	PARAM_ALTERNATE,	/* + */
	PARAM_PREFIX, PARAM_PREFIX_LONG,	/* # ## */
	PARAM_SUFFIX, PARAM_SUFFIX_LONG,	/* % %% */
	PARAM_REPLACE, PARAM_REPLACE_ALL,	/* / // */
	PARAM_REPLACE_START, PARAM_REPLACE_END,	/* /# /% */
	PARAM_SLICE,		/* :offset:length */
	PARAM_UPPER, PARAM_UPPER_ALL,	/* ^ ^^ */
	PARAM_LOWER, PARAM_LOWER_ALL,	/* , ,, */
	PARAM_TOGGLE, PARAM_TOGGLE_ALL,	/* ~ ~~ */
	PARAM_TRANSFORM,	/* @Q @U ...: letter */
	PARAM_NAMES,		/* ${!p*} ${!p@}: at says which */
	PARAM_KEYS,		/* ${!a[@]} ${!a[*]} */
	PARAM_BAD		/* ${...} that bash calls a bad substitution at run time */
};

enum subscript_kind { SUBSCRIPT_NONE, SUBSCRIPT_AT, SUBSCRIPT_STAR, SUBSCRIPT_EXPR };

/* a[i]: evaluated as arithmetic (indexed) or as a word (associative). */
struct subscript {
	enum subscript_kind kind;
	struct word *word;	/* the text between [ ], for associative arrays */
	struct arith *arith;	/* the same parsed as arithmetic, or NULL: see arith.h */
};

struct param {
	struct name name;	/* "x", "1", "@", "*", "#", "?", "-", "$", "!", "_" ... */
	struct subscript sub;
	enum param_op op;
	bool indirect;		/* ${!x...} */
	bool colon;		/* := :- :? :+ */
	bool braces;
	char letter;		/* TRANSFORM: 0 if what follows @ is no single letter (a bad
				   substitution, but only if x is set); NAMES: '*' or '@' */
	struct slice letters;	/* TRANSFORM: all that follows @; BAD: the word, or the text in
				   quotes, it stands in: what the message shows */
	struct slice where;	/* TRANSFORM by no known letter: the same */
	struct word *word;	/* operand: default, pattern, message; may be NULL */
	struct word *word2;	/* replacement; NULL: none given, or empty */
	bool has_word2;		/* there is a second / */
	bool unclosed;		/* BAD in quotes: for want of a ], so that bash sees no } either */
	struct arith *offset, *length;	/* SLICE; length may be NULL */
	const char *raw;	/* source text of the whole ${...}, for error messages: whole for
				   PARAM_BAD, else the first 256 bytes */
};

/*
 * bash parses some texts only when it expands them: what is in backquotes, in
 * a here-document, in $((..)) that turns out to be a command. If such a text is
 * wrong, the script still runs: the part says so and fails when expanded.
 */
struct syntax_error {
	const char *message;	/* as parse_error.message */
	struct slice detail;	/* as parse_error.detail, may be empty */
	uint32_t line;
	bool plain;			/* a bad substitution: the message alone, line of the command */
};

struct part {
	enum part_kind kind;
	struct part *next;
	bool backquoted;	/* COMMAND by `...`; ARITH by $[...] */
	bool in_string;		/* backquoted, where \" is an escape */
	bool verbatim;		/* COMMAND: print raw, as bash does for $((cmd) cmd) */
	char op;		/* GLOB: ? * + @ ! */
	struct slice text;
	struct slice raw;	/* ANSI, and text of a COMMAND between its delimiters; TEXT inside
				   DOUBLE: the source, if it has escapes. No NUL behind */
	const struct syntax_error *late;	/* COMMAND: its text is wrong; command is what
						   stands in the lines above the error */
	union {
		struct part *parts;		/* DOUBLE, LOCALE */
		struct param *param;
		struct node *command;
		struct arith *arith;
		struct word *alternatives;	/* GLOB: linked by next */
	};
};

enum {
	WORD_LITERAL = 1,	/* one TEXT part without anything to expand: use `text` as it is */
	WORD_QUOTED = 2,	/* some part is quoted */
	WORD_BRACE = 4,		/* has an unquoted '{' that brace expansion must look at */
	WORD_MAGIC = 8,		/* has an unquoted * ? [ or a GLOB part */
	WORD_EXPANDS = 16,	/* has PARAM, COMMAND, ARITH or PROCESS parts */
	WORD_TILDE = 64,	/* has a TILDE part */
	WORD_EFFECTS = 32	/* its expansion may change the shell: := ++ = in arithmetic,
				   ${!x}, command substitution, $RANDOM ... (else a pipeline stage may
				   be expanded in the parent) */
};

struct word {
	struct part *parts;	/* NULL: the empty word (only from internal use) */
	struct word *next;	/* in a list of words */
	struct slice text;	/* WORD_LITERAL: its text; else the source (no NUL behind) */
	uint32_t flags;
	uint32_t line, pos;
};

/* ---- Assignments ---- */

struct assign {
	struct assign *next;
	struct name name;
	struct subscript sub;
	bool append;		/* += */
	bool is_array;		/* =( ... ) */
	struct word *value;	/* NULL: empty (x=) */
	struct array_item *items;	/* is_array */
	uint32_t line;
};

struct array_item {
	struct array_item *next;
	struct subscript sub;	/* NONE: next index */
	bool append;		/* [i]+= */
	struct word *value;	/* NULL: empty */
};

/* ---- Redirections ---- */

enum redir_kind {
	REDIR_IN,		/* <  */
	REDIR_OUT,		/* >  */
	REDIR_CLOBBER,		/* >| */
	REDIR_APPEND,		/* >> */
	REDIR_RW,		/* <> */
	REDIR_DUP_IN,		/* <& word: a number, number-, or - */
	REDIR_DUP_OUT,		/* >& word; a file name: both streams */
	REDIR_BOTH,		/* &>  */
	REDIR_BOTH_APPEND,	/* &>> */
	REDIR_HERE,		/* << and <<-: word is the body, ready to expand */
	REDIR_STRING		/* <<< */
};

struct redir {
	struct redir *next;
	enum redir_kind kind;
	int fd;			/* -1: the operator's own (0 or 1) */
	struct name var;	/* {var}> : var.n > 0 */
	struct word *word;	/* target; HERE: body as one DOUBLE-like word (parts as inside
				   double quotes) or one SINGLE part if the delimiter was quoted */
	struct slice delimiter;	/* HERE: as written, for the printer */
	struct slice end;	/* HERE: the same without its quotes */
	bool strip_tabs;	/* HERE: <<- */
	uint32_t line, pos;
};

/* ---- Commands ---- */

enum node_kind {
	NODE_SIMPLE,	/* assigns, words; both may be NULL if there are redirs */
	NODE_PIPELINE,	/* first..: stages by next; negate, timed */
	NODE_AND, NODE_OR,	/* binary: a, b. Left-deep and as long as the script likes it: walk
				   down the a side with a loop, not by recursion */
	NODE_LIST,	/* first..: items by next, each with `background` */
	NODE_SUBSHELL,	/* ( body ) */
	NODE_GROUP,	/* { body; } */
	NODE_IF,	/* if: test, body, otherwise (an IF node for elif, or NULL; any number
				   of elif: loop) */
	NODE_WHILE, NODE_UNTIL,	/* test, body */
	NODE_FOR,	/* name in words do body; has_in false: "$@" */
	NODE_SELECT,
	NODE_FOR_ARITH,	/* (( init; test; step )) body */
	NODE_CASE,
	NODE_FUNCTION,	/* name, body (any compound command, with its redirs) */
	NODE_ARITH,	/* (( )) */
	NODE_COND,	/* [[ ]] */
	NODE_COPROC	/* name, body */
};

enum case_end { CASE_BREAK, CASE_FALL, CASE_CONTINUE };	/* ;; ;& ;;& */

struct case_item {
	struct case_item *next;
	struct word *patterns;	/* by next */
	struct node *body;	/* may be NULL */
	enum case_end end;
};

struct node {
	enum node_kind kind;
	struct node *next;	/* next stage or list item */
	struct redir *redirs;	/* of any command */
	uint32_t line, pos, end;	/* text[pos..end) is its source */
	uint32_t line_end;
	bool background;	/* list item ended by & */
	bool newline;		/* list item ended by a newline (for the printer) */
	bool pipe_stderr;	/* stage followed by |& */
	union {
		struct {
			struct assign *assigns;
			struct word *words;
			uint32_t n_words;
			/* Words whose command is declare, typeset, local, export, readonly: an
			 * argument that looks like an assignment is a word with `assign` set: */
			struct decl_arg *decl;	/* NULL if the command is no such builtin */
		} simple;
		struct {
			struct node *first;
			uint32_t n;
			bool negate;
			bool timed, timed_posix;	/* time, time -p */
		} pipeline;
		struct {
			struct node *a, *b;
		} binary;
		struct {
			struct node *first;
		} list;
		struct {
			struct node *test, *body, *otherwise;	/* IF, WHILE, UNTIL, SUBSHELL, GROUP */
		} flow;
		struct {
			struct name name;
			struct word *words;
			bool has_in;
			struct node *body;
		} loop;		/* FOR, SELECT */
		struct {
			struct arith *init, *test, *step;	/* NULL: empty */
			struct node *body;
		} loop_arith;
		struct {
			struct word *word;
			struct case_item *items;
		} match;	/* CASE */
		struct {
			struct name name;
			struct node *body;
		} named;	/* FUNCTION, COPROC (name.n 0: COPROC) */
		struct arith *arith;
		struct cond *cond;
	};
};

/* For declaration builtins: in order of the words, which of them are
 * assignments (bash parses a=(..) there and does not split the value). */
struct decl_arg {
	struct decl_arg *next;
	struct word *word;	/* an ordinary word, or NULL: */
	struct assign *assign;
};

/* ---- [[ ]] ---- */

enum cond_kind {
	COND_WORD,	/* [[ word ]]: not empty */
	COND_UNARY,	/* op: "-f" ...; a */
	COND_BINARY,	/* op: "==" "=" "!=" "=~" "<" ">" "-eq" ... "-nt" "-ot" "-ef"; a, b */
	COND_NOT,	/* left */
	COND_AND, COND_OR	/* left, right */
};

struct cond {
	enum cond_kind kind;
	char op[4];
	struct word *a, *b;
	struct cond *left, *right;
	uint32_t groups;	/* ( ) around it (for the printer) */
	uint32_t line;
};

/* ---- The whole ---- */

/* What bash says while parsing, before anything runs: "here-document at line 1
 * delimited by end-of-file (wanted `X')". Printed as "bash: line N: warning: ...". */
struct parse_warning {
	struct parse_warning *next;
	const char *message;
	uint32_t line;
};

struct script {
	struct tsb_heap *heap;
	struct arena arena;
	unsigned refs;
	const char *name;	/* for messages and BASH_SOURCE */
	const char *text;	/* the source, n bytes (a copy, NUL behind) */
	size_t n;
	struct script *source;	/* whose text it is, held; NULL: its own */
	size_t pos, end;	/* of a text read line by line: this script's part */
	struct node *body;	/* a LIST, or NULL: empty script */
	struct word *word;	/* of parse_word_text() */
	struct parse_warning *warnings;
};

struct script *script_ref(struct script *s);
void script_drop(struct script *s);

#endif
