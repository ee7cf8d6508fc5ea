/*
 * Inside of the room: the state of one parse, shared by lex*.c and parse*.c.
 *
 * One struct parser reads characters, makes tokens and builds the tree. Tokens
 * are made on demand, in a mode the grammar gives (whether an assignment may
 * stand here, whether this is the right side of =~, ...), with one token of
 * look-ahead; so words are parsed into parts exactly once, where they stand.
 *
 * Texts inside texts (a backquoted command, the body of a here-document, an
 * alias) are frames: the parser leaves one text for another and comes back.
 *
 * Failure is sticky: after parse_fail() every token is TOK_ERROR, so loops end
 * by themselves and callers look at ps->failed once.
 */
#ifndef LANG_PARSER_H
#define LANG_PARSER_H

#include <string.h>
#include <sys/types.h>

#include "base/heap.h"
#include "base/map.h"
#include "base/utf8.h"
#include "base/vec.h"
#include "lang/arith.h"
#include "lang/memory.h"
#include "lang/parse.h"

/* ---- Character classes ---- */

enum {
	C_BREAK = 1,	/* ends a word: blank, newline, ; & | ( ) < > and the end */
	C_EXPAND = 2,	/* quotes and $: always looked at */
	C_SPECIAL = 4,	/* means something to words only: * ? [ { ~ + @ ! */
	C_CLOSE = 8,	/* } / | ) ( : may end the operand of ${} or an alternative */
	C_NAME = 16,	/* letter, digit, _ */
	C_DIGIT = 32,
	C_BLANK = 64,	/* space, tab */
	C_DQUOTE = 128	/* looked at inside double quotes: " $ ` \ and the end */
};
extern const unsigned char lex_class[256];

static inline bool lex_is(char c, unsigned classes)
{
	return (lex_class[(unsigned char)c] & classes) != 0;
}

/* ---- Texts ---- */

struct lex_frame {
	char *s;		/* the text; s[end] is NUL */
	size_t pos, end;
	size_t line_at;		/* `line` is the number of the line of s[line_at] */
	size_t line_to;		/* up to here it is the same; less: not known */
	uint32_t line;
	uint32_t anchor;	/* foreign: the position all its nodes get */
	bool foreign;		/* not script->text itself */
	uint32_t here;		/* a here-document's body: the line of its operator */
	size_t shown_from;	/* messages show the line's text from here on */
	bool ended;		/* its missing last newline was made up */
	unsigned level;		/* number of aliases it stands in */
	bool blank;		/* alias: its text ends with a blank */
	struct lex_frame *below;	/* alias: reading goes on there */
	struct slice alias;	/* alias: its name, and the length of its own text: more may */
	size_t alias_end;	/* have been joined behind that */
};

/* ---- Tokens ---- */

enum tok_kind {
	TOK_ERROR, TOK_EOF, TOK_NEWLINE, TOK_WORD, TOK_ASSIGN, TOK_REDIR,
	TOK_SEMI, TOK_AMP, TOK_AND, TOK_OR, TOK_PIPE, TOK_PIPE_AMP,
	TOK_BREAK, TOK_FALL, TOK_CONTINUE,	/* ;; ;& ;;& */
	TOK_LPAREN, TOK_RPAREN
};

/* Reserved words. A word is one only where the grammar expects one. */
enum reserved {
	R_NONE,
	R_IF, R_WHILE, R_UNTIL, R_FOR, R_SELECT, R_CASE, R_GROUP, R_COND,	/* compounds */
	R_FUNCTION, R_COPROC, R_TIME,
	R_THEN, R_ELSE, R_ELIF, R_FI, R_DO, R_DONE, R_ESAC, R_IN,	/* these begin nothing */
	R_GROUP_END, R_COND_END, R_BANG
};

struct token {
	enum tok_kind kind;
	enum reserved reserved;	/* a WORD without quotes that is one; else NONE */
	enum redir_kind redir;
	bool strip;		/* <<- */
	int fd;			/* REDIR: -1 if none was written */
	struct name var;
	struct word *word;	/* NULL for [sub]= in name=( .. ) */
	struct assign *assign;
	struct array_item *item;	/* a WORD in name=( .. ) */
	size_t pos, end;
	size_t word_end;	/* REDIR with a descriptor: its end */
	unsigned mode;		/* it was read in */
	struct unnumbered *mark;	/* the last one before it */
	uint32_t pos_end, line_end;	/* for the node that ends with it */
	uint32_t line;
};

enum {
	LEX_ASSIGN = 1,		/* name=value is a TOK_ASSIGN */
	LEX_COMMAND = 2,	/* command position: aliases */
	LEX_DECL = 4,		/* as ASSIGN; argument of declare and the like */
	LEX_PARENS = 8,		/* name=(..) is one plain word (eval, let) */
	LEX_REGEX = 16,		/* right side of =~ */
	LEX_PATTERN = 32,	/* right side of == in [[ ]]: extglob is on */
	LEX_COND = 64,		/* in [[ ]]: no descriptors */
	LEX_ITEM = 128,		/* in name=( .. ) */
	LEX_PLAIN = 256,	/* no patterns, braces, tildes: a subscript */
	LEX_VALUE = 512,	/* value of an assignment: tildes behind : too */
	LEX_DUP = 2048,		/* behind >&: no descriptors, and - is a word */
	LEX_NO_ARRAY = 4096,	/* name=( is no array: behind a redirection */
	LEX_MIDDLE = 1024	/* behind the first token of a simple command */
};

struct here {
	struct here *next;
	struct redir *redir;
	struct slice end;	/* the delimiter without its quotes */
	bool quoted;
	bool compound;		/* of a compound command */
	uint32_t line, redir_line;
};

/* alias and unalias commands of the line being read. */
struct alias_command {
	struct alias_command *next;
	const struct word *words;
	bool define;
};

/* A substitution whose lines are known when its command's is: see number.c. */
struct unnumbered {
	struct unnumbered *next;
	struct part *part;
	uint32_t line;		/* it was counted from */
	bool raw;		/* bash keeps the text as it is */
};

/* An open bracket or quote, and a pair of them: see lex_skip.c. */
struct lex_open {
	size_t pos;
	char closer;
	bool counted;		/* bash counts it; no text of its own */
};
struct lex_pair {
	const char *open;
	size_t close;
};

struct failure {
	const char *message;	/* NULL: none */
	struct slice detail;
	uint32_t line, detail_line;
	size_t pos;
	bool incomplete, limit, too_long, as_end, in_token;
	enum parse_scope scope;
	size_t backquote;	/* one is not closed: its place plus 1 */
	bool plain;
};

struct parser {
	struct lex_frame in;
	struct token tok;
	bool have;		/* tok is a token not yet taken */
	bool failed;
	bool extglob, extglob_next;	/* now; from the next line on */
	bool posix;
	bool time_first;	/* right behind $( */
	bool alias_next;	/* an alias ended with a blank: the next word too */
	size_t no_break;	/* before this, blanks and operators end no word */
	size_t free_slash;	/* this / ends no pattern of ${x//...} */
	uint32_t last_end, last_line;	/* end of the last token taken; its line */
	unsigned mark_level;	/* frames up to this level are not left */
	unsigned depth, depth_max;
	unsigned in_command;	/* open $( */
	unsigned in_first;	/* open substitutions that will be parsed again, if need be */
	struct unnumbered *unnumbered;	/* the last first */
	struct unnumbered *deferred;	/* those of redirections of compound commands */
	uint32_t redir_line;	/* the line of these; 0: where the whole command ends */
	uint32_t body_line;	/* of the last { of a function: bash keeps but one, and gives
				   it to the function around, too */
	bool compound_redirs;	/* those of a compound command are being read */
	bool bad_param;		/* there was a PARAM_BAD in the text */
	unsigned steps;		/* tokens since the last tick */
	size_t string_end;	/* of the last $"..." that opt->string was told of */
	struct here *here, **here_tail;
	uint32_t here_line;	/* where the last one ended */
	unsigned here_depth;	/* here-documents inside here-documents */
	uint32_t here_flags;	/* word flags of the last here-document */
	struct failure failure;
	enum parse_scope scope;	/* of a failure now */
	size_t fail_lines;	/* bytes of source lines in messages so far */
	struct lang_memory *mem;
	struct tsb_heap *heap;
	struct script *script;
	const struct parse_lines *lines;	/* where this one begins; NULL: a whole text */
	const struct parse_options *opt;
	struct str text;	/* scratch: text with escapes removed */
	struct str message;	/* scratch of fail.c */
	VEC(struct lex_open) closers;	/* scratch of lex_skip() */
	struct lex_pair *pairs;	/* memo of lex_remember(): a hash table in the arena */
	size_t n_pairs, pairs_cap;
	struct parse_warning *warnings, **warnings_tail;
	bool expand_aliases, expand_aliases_next;	/* now; from the next line on */
	struct map aliases;	/* defined by the text itself: char * values */
	struct alias_command *alias_commands, **alias_commands_tail;
};

/* ---- lex.c ---- */

/* To read a stretch of text again: what reading it has left behind. */
struct lex_mark {
	size_t pos;
	unsigned level;
	struct here *here, **here_tail;
	struct parse_warning **warnings_tail;
	struct unnumbered *unnumbered;
};
void lex_mark(struct parser *ps, struct lex_mark *m);
void lex_unmark(struct parser *ps, const struct lex_mark *m);
void lex_rewind(struct parser *ps, const struct lex_mark *m);	/* and unmark */
/* What lex_cut() hides: the text behind a sub-text. */
struct lex_cut {
	struct lex_frame whole;
	size_t to;
	char c;
};
void lex_cut(struct parser *ps, struct lex_cut *cut, size_t to);
void lex_uncut(struct parser *ps, const struct lex_cut *cut);
/* A word goes on behind a substitution in the frame where it began: that one is not
 * left meanwhile, and aliases in the substitution are when it ends. */
struct lex_stay {
	unsigned level, mark_level;
};
void lex_stay(struct parser *ps, struct lex_stay *stay);
void lex_back(struct parser *ps, const struct lex_stay *stay);
void lex_enter(struct parser *ps, struct lex_frame *saved, char *s, size_t n, uint32_t line);
void lex_leave(struct parser *ps, const struct lex_frame *saved);
/* At the NUL: is there more text (of the text an alias stands in)? */
bool lex_refill(struct parser *ps);
bool lex_grow(struct parser *ps);	/* the same, wherever pos is */
/* The character at pos, line continuations skipped; NUL at the end. */
char lex_char(struct parser *ps);
uint32_t lex_line(struct parser *ps, size_t pos);
uint32_t lex_pos(const struct parser *ps, size_t pos);
/* The operator at pos, behind a descriptor's word. */
void lex_redirection(struct parser *ps);
enum tok_kind lex_next(struct parser *ps, unsigned mode);
/* The grammar looks at most tokens several times: inline. */
static inline enum tok_kind lex_peek(struct parser *ps, unsigned mode)
{
	return ps->have && !ps->failed ? ps->tok.kind : lex_next(ps, mode);
}
static inline void lex_take(struct parser *ps)
{
	ps->last_end = ps->tok.pos_end;
	ps->last_line = ps->tok.line_end;
	ps->have = false;
}
/* Newline tokens, as many as there are. */
void lex_newlines(struct parser *ps);
/* lex_reserved.c */
enum reserved lex_reserved(const struct word *w);

/* ---- lex_alias.c ---- */

/* Is the word at hand an alias? Then its text is read next: ask for a token
 * again. */
bool lex_alias(struct parser *ps);
/* An alias (define) or unalias command of this line, that takes effect below. */
void lex_alias_command(struct parser *ps, const struct word *arguments, bool define);
void lex_alias_line(struct parser *ps);	/* the line has ended */

/* ---- lex_skip.c ---- */

/*
 * The closing partner of the bracket at `open` ( ( [ { ), as bash finds it
 * without parsing what is inside: quotes are skipped, brackets counted.
 * (size_t)-1 and a failure when there is none.
 */
size_t lex_skip(struct parser *ps, size_t open);
/*
 * What turned out about the bracket at `open`: where the text ends that it
 * begins. For brackets whose meaning shows only at their end: it is found out
 * once, however often the text around is read again. 0: not known.
 */
void lex_remember(struct parser *ps, size_t open, size_t close);
size_t lex_recall(const struct parser *ps, size_t open);

/* ---- lex_here.c ---- */

/* The word at hand is the delimiter of r: its body comes after the line. */
void lex_here_delimiter(struct parser *ps, struct redir *r);
/* All that are waited for, from pos on. */
void lex_here_bodies(struct parser *ps);

/* ---- lex_ansi.c ---- */

/* What the inside of $'..' stands for. */
struct slice lex_ansi(struct lang_memory *mem, struct slice raw);

/* ---- fail.c ---- */

void *parse_fail(struct parser *ps, uint32_t line, size_t pos, const char *fmt, ...)
	__attribute__((format(printf, 4, 5))) __attribute__((cold));
void *parse_unexpected(struct parser *ps) __attribute__((cold));	/* the token at hand */
/* "unexpected EOF while looking for matching `)'", opened at `open`. */
void *parse_unmatched(struct parser *ps, char closer, size_t open) __attribute__((cold));
/* Another line of bash's behind the message of a failure. */
void *parse_fail_more(struct parser *ps, uint32_t number, const char *line);
void *parse_unmatched_at_end(struct parser *ps, char closer);
uint32_t lex_last_line(struct parser *ps);
void parse_warn(struct parser *ps, uint32_t line, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
void parse_too_deep(struct parser *ps);
bool parse_enter(struct parser *ps);	/* false: too deep */
static inline void parse_leave(struct parser *ps)
{
	ps->depth--;
}

/* ---- parse*.c ---- */

struct node *parse_list(struct parser *ps);
/* The whole of a late text; when it fails, the lines above the failure. */
struct node *parse_late_list(struct parser *ps);
struct node *parse_command(struct parser *ps);
struct node *parse_simple(struct parser *ps);
struct node *parse_compound(struct parser *ps);	/* NULL without failure: no compound here */
bool parse_at_compound(struct parser *ps);	/* would it find one at the token at hand? */
bool parse_redirs(struct parser *ps, struct redir **tail);
struct node *parse_cond_command(struct parser *ps, struct node *n);
struct node *parse_function_body(struct parser *ps, struct node *n, const struct word *name);
/* The name of a coprocess, or the first word of its command, is at hand. */
struct node *parse_coproc_word(struct parser *ps, struct node *coproc);
struct node *parse_node(struct parser *ps, enum node_kind kind);
struct node *parse_end(struct parser *ps, struct node *n);
/* The state of the grammar around a nested script: what there is of a token
 * while its word is being read. */
struct nested {
	struct here *here, **here_tail;
	struct token tok;
	size_t no_break;
	uint32_t last_end, last_line;
	unsigned in_command, mark_level;
	bool have, alias_next;
	enum parse_scope scope;
};
void nested_begin(struct parser *ps, struct nested *save);
void nested_end(struct parser *ps, const struct nested *save);
/* The whole of the text as a script that bash parses only at run time: an error
 * is no failure but part->late. */
void parse_late(struct parser *ps, struct part *part);
void parse_late_catch(struct parser *ps, struct part *part, unsigned depth);

/* ---- number.c ---- */

/* part was counted from this line on, which may not be its command's. */
void number_note(struct parser *ps, struct part *part, uint32_t line);
/* Those noted since `mark` was the last one belong to a command of this line. */
void number_settle(struct parser *ps, struct unnumbered *mark, uint32_t line);
/* Those noted since are in the redirections of a compound command. */
void number_redirs(struct parser *ps, struct unnumbered *mark);
/* These commands are the whole of a line. */
void number_end(struct parser *ps, const struct node *last);

/* ---- parse_word*.c ---- */

struct parts {
	struct part *first, **tail;
	uint32_t flags;
};

enum word_stop {
	STOP_TOKEN,	/* a word of a command */
	STOP_REGEX,	/* the right side of =~ */
	STOP_END,	/* the whole text */
	STOP_BRACE,	/* operand of ${x-..}: up to } */
	STOP_SLASH,	/* pattern of ${x/..}: up to / or } */
	STOP_BRACKET,	/* subscript of ${a[..]}: up to ] or } */
	STOP_SUBSCRIPT,	/* subscript of a[..]=: up to ] */
	STOP_ALTERNATIVE	/* in ?(..|..): up to | or ) */
};

/* Flags of a list of parts beside those of words. */
enum { WORD_BRACKET = 1 << 16 };	/* a [ that may turn out plain */

enum quoted_kind {
	QUOTED_NOT,	/* no string: for functions that serve both */
	QUOTED_STRING,	/* up to " */
	QUOTED_INNER,	/* the same in a QUOTED_BRACE: each backslash is an escape */
	QUOTED_HERE,	/* here-document: the whole text, " is a plain character */
	QUOTED_PROMPT,	/* the whole text, \" is an escape */
	QUOTED_BRACE,	/* operand of "${x-..}": up to } */
	QUOTED_SLICE,	/* offset of ${x:..}: up to : or } */
	QUOTED_LENGTH,	/* its length: up to } */
	QUOTED_ARITH,	/* $((..)): up to ) */
	QUOTED_FOR,	/* for ((..: up to ) or ; */
	QUOTED_OLD_ARITH	/* $[..]: up to ] */
};

/* parse_word.c */
void parts_init(struct parts *out);
struct part *parts_add(struct parser *ps, struct parts *out, enum part_kind kind);
struct slice parts_dup(struct parser *ps, size_t from, size_t to);
void parts_text(struct parser *ps, struct parts *out, size_t from, size_t to);
void word_unquoted(struct parser *ps, struct parts *out, enum word_stop stop, unsigned mode);
void word_quoted(struct parser *ps, struct parts *out, enum quoted_kind kind);
struct word *word_from_parts(struct parser *ps, struct parts *parts, size_t from);
/* Tells the PARAM_BADs among the parts the text they stand in. */
void word_note_bad(struct parser *ps, struct part *parts, struct slice text, bool quotes);

/* parse_dollar.c: the parts that expand. kind says where they stand. */
bool word_is_dollar(struct parser *ps, bool quoted);	/* not a plain $ */
void word_dollar(struct parser *ps, struct parts *out, enum quoted_kind kind);
/* The text in a part's backquotes without the backslashes that they need. */
char *word_backquote_text(struct parser *ps, const struct part *part, size_t *n);
void word_backquote(struct parser *ps, struct parts *out, enum quoted_kind kind);
void word_process(struct parser *ps, struct parts *out);
/* An arithmetic expression at pos, up to what ends its kind. */
struct arith *word_arith(struct parser *ps, enum quoted_kind kind);
/* .. )) at pos? Then pos is behind it. NULL without failure: a command that
 * begins with a subshell; pos is then at the ) that closes the outer of the two
 * parentheses before pos. */
struct arith *word_double_paren(struct parser *ps, bool substitution);
struct arith *arith_from_parts(struct parser *ps, struct parts *parts, size_t from);
bool parse_is_volatile(struct name name);
struct name parse_read_name(struct parser *ps);
struct name parse_name(struct parser *ps, const char *s, size_t n);

/* parse_param.c: ${..}; at is the $, pos the {. */
void word_param(struct parser *ps, struct parts *out, size_t at, enum quoted_kind kind);
/* A subscript at pos, behind its [, up to the end `stop` says; passes the ]. */
void word_subscript(struct parser *ps, struct subscript *sub, enum word_stop stop);

/* parse_assign.c: a word, or an assignment, at pos into tok. */
void word_token(struct parser *ps, unsigned mode);

/* parse_text.c */
/* What is in the scratch ps->text, to keep. */
struct slice text_dup(struct parser *ps);
struct parse_text {
	const char *p;
	size_t n;
	struct parse_lines *lines;	/* or, if not NULL: its next line */
};
/* Makes a script of the text and lets `body` read it; NULL and *err if it fails. */
/* A script of a text alone, nothing parsed; NULL: no memory. */
struct script *parse_text_script(struct tsb_heap *heap, const char *text, size_t n,
				 const char *name);
struct script *parse_run(struct tsb_heap *heap, struct parse_text text,
			 const struct parse_options *opt, struct parse_error *err,
			 void (*body)(struct parser *ps));
/* A subscript met when an expanded text is parsed. */
struct word *parse_subscript_text(struct lang_memory *mem, const char *s, size_t n,
				  unsigned depth_max);

/* ---- arith.c ---- */

/* Builds a->tree from a->word, which may expand. */
void arith_from_word(struct lang_memory *mem, struct arith *a, unsigned depth_max);

#endif
