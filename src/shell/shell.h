/*
 * One shell: the state a bash process has, and the functions by which the files
 * of this room work together. Two halves:
 *
 *   words    var*.c expand*.c brace.c glob.c split.c arith.c cond.c param*.c
 *            values, scopes, and everything that turns words into fields
 *   doing    eval*.c redir.c pipeline.c job.c trap.c message.c builtin/ main.c
 *            everything that runs something
 *
 * A shell lives in one process's heap (sh->heap) and is used by that process
 * only. A subshell is shell_clone() into the child's heap. Control flow goes up
 * as enum flow, never by longjmp; what killed the process (limits) does not come
 * up at all: the kernel drops it.
 */
#ifndef SHELL_SHELL_H
#define SHELL_SHELL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <tinysandbox/command.h>

#include "base/arena.h"
#include "base/heap.h"
#include "base/map.h"
#include "base/str.h"
#include "base/vec.h"
#include "lang/arith.h"
#include "lang/ast.h"

struct shell;

/* ---- Control flow ---- */
enum flow {
	FLOW_NEXT,
	FLOW_BREAK,	/* sh->flow_count levels still to leave */
	FLOW_CONTINUE,
	FLOW_RETURN,	/* from a function or sourced file; status in sh->status */
	FLOW_EXIT,	/* the shell ends with sh->status (EXIT trap runs) */
	FLOW_ABORT	/* back to the top level: this command line is given up, the script goes on
			   with the next top-level command (expansion errors in some contexts) */
};

/* ---- Variables (var.c) ---- */
enum {
	VAR_EXPORT = 1, VAR_READONLY = 2, VAR_INTEGER = 4, VAR_UPPER = 8, VAR_LOWER = 16,
	VAR_CAPITAL = 32, VAR_NAMEREF = 64, VAR_TRACE = 128,
	VAR_INDEXED = 256, VAR_ASSOC = 512,	/* neither: a scalar */
	VAR_SET = 1024,		/* has a value (declare x makes one without) */
	VAR_LOCAL = 2048,
	VAR_SPECIAL = 4096,	/* value made when read or acted on when set: RANDOM SECONDS ... */
	VAR_NUMBER = 8192,	/* `number` is the value and `text` is stale (an integer result kept
				   as it is until someone wants its text) */
	VAR_RENDERED = 16384,	/* with NUMBER: text is not stale */
	VAR_TEMPORARY = 32768	/* lives in the temporary environment of a command */
};

enum { ENVIRON_GIVEN = 2 };	/* in environ_stale: none changed, the process has what it needs */

struct array;	/* sparse, int64_t index -> string; var_array.c */
struct assoc;	/* string -> string; iterates in bash's order; var_array.c */

struct var {
	const char *name;
	uint32_t name_len;
	uint32_t flags;
	struct str text;	/* scalar value, if SET and not NUMBER */
	int64_t number;
	struct array *array;
	struct assoc *assoc;
	struct var *shadowed;	/* the outer variable of that name (local) */
	uint32_t scope;		/* depth of the function scope that owns it; 0 global */
	uint32_t special;	/* SPECIAL: which (words.h) */
};

/* The variable visible under that name (namerefs not followed), or NULL. */
struct var *var_find(struct shell *sh, const struct name *name);
struct var *var_find_text(struct shell *sh, const char *name, size_t n);
/* The text of a scalar (element 0 of an array): false if unset. Borrowed until the
 * variable changes. Special variables are computed. */
bool var_get(struct shell *sh, const struct name *name, struct slice *value);
bool var_get_text(struct shell *sh, const char *name, struct slice *value);
/*
 * Assigns to a scalar as `name=value` does (readonly check, integer, case
 * attributes, export, specials' side effects). 0, or 1 after a message
 * ("x: readonly variable").
 */
int var_set(struct shell *sh, const struct name *name, const char *value, size_t n);
int var_set_text(struct shell *sh, const char *name, const char *value, size_t n);
int var_set_number(struct shell *sh, const struct name *name, int64_t value);
/* The variable of for and select: a nameref is itself given the name. */
int var_set_loop(struct shell *sh, const struct name *name, const char *value, size_t n);
int var_append(struct shell *sh, const struct name *name, const char *value, size_t n);
/* name[subscript]=value; the subscript's text is evaluated as its kind wants. */
int var_set_element(struct shell *sh, const struct name *name, const struct subscript *sub,
		    const char *value, size_t n, bool append);
/* name[index]=value */
int var_set_index(struct shell *sh, const char *name, int64_t index, const char *value, size_t n);
/*
 * A whole assignment from the tree: scalar, element or array literal; `set_flags`
 * are attributes turned on first (declare -i x=1+1), `local`: in the innermost
 * scope (local, declare, A=1 cmd after var_push_temporary()), else where the
 * name is found, else global. 0, or 1 after a message: then sh->failed says how far it
 * goes up (never FLOW_NEXT).
 */
int var_assign(struct shell *sh, const struct assign *a, uint32_t set_flags, bool local);
/* The same for declare and its kin, which expand the value before the variable
 * is made: attributes on and off, and the scope, as var_declare(). */
int var_assign_declare(struct shell *sh, const struct assign *a, uint32_t on, uint32_t off,
		       bool local, bool global);
int var_unset(struct shell *sh, const char *name, size_t n, bool nameref);	/* also "a[i]" */
/* declare: finds or makes in the given scope, turns attributes on and off (with
 * the conversions declare does); NULL after a message. */
struct var *var_declare(struct shell *sh, const char *name, size_t n, uint32_t on, uint32_t off,
			bool local, bool global);
void var_push_scope(struct shell *sh);		/* a function is called */
void var_pop_scope(struct shell *sh);		/* its locals go */
/* Temporary environment of one command (A=1 cmd): as a scope for builtins and functions. */
void var_push_temporary(struct shell *sh);
void var_pop_temporary(struct shell *sh);
/* A command's redirections do not see what stands in front of it; the top scope is that. */
void var_hide_temporary(struct shell *sh, bool hide);
/* All visible variables, sorted by name; array in the heap, NULL-terminated. */
struct var **var_sorted(struct shell *sh, uint32_t with_flags);
/* NAME=VALUE list of exported variables (and functions) for a child; cached
 * until one changes. */
const char *const *var_environ(struct shell *sh);
/* What still waits in the process's environment comes in. */
void environ_make_all(struct shell *sh);
/* Text as declare -p prints it: `declare -x a="b"`. */
void var_print(struct shell *sh, const struct var *v, struct str *out);
/* The letters of its attributes, in declare's order. */
void var_attributes(struct str *out, const struct var *v);
/* `a=b` as `set` prints it, of one and of all that are set (a line each). */
void var_print_plain(struct shell *sh, const struct var *v, struct str *out);
void var_print_all(struct shell *sh, struct str *out);
void var_clone_all(struct shell *to, const struct shell *from);
bool var_import_environ(struct shell *sh, const char *const *env);	/* may it hold functions? */

int64_t array_count(const struct array *a);
bool array_get(const struct array *a, int64_t i, struct slice *value);
int64_t array_last(const struct array *a);	/* highest index, -1 */
bool array_next(const struct array *a, int64_t *i, struct slice *value);	/* start with *i = -1 */
size_t assoc_count(const struct assoc *a);
bool assoc_get(const struct assoc *a, const char *key, size_t n, struct slice *value);
/* for (void *at = NULL; assoc_next(a, &at, &key, &value);) in bash's order */
bool assoc_next(const struct assoc *a, void **at, struct slice *key, struct slice *value);
/* The same for a reference given as text, "x" or "a[i]" (read, printf -v,
 * getopts, declare "$x"): implemented in reference.c (doing). 0, or 1 after a message. */
int var_set_reference(struct shell *sh, const char *ref, size_t ref_n, const char *value, size_t n,
		      bool append);
/* For read -a, mapfile, BASH_REMATCH, PIPESTATUS: replaces the variable by an indexed array. */
int var_set_list(struct shell *sh, const char *name, const struct slice *items, size_t n);

/* ---- Expansion (expand.c ...). All results live in sh->turn (an arena that
 * the evaluation of one simple command marks and resets). ---- */
struct fields {
	char **at;		/* NUL-terminated strings, and a NULL behind the last */
	size_t n, cap;
	size_t *lens;		/* lengths (same as strlen: arguments hold no NUL) */
};
/*
 * Everything bash does to the words of a command: brace, tilde, parameter,
 * command and arithmetic expansion, splitting, globbing, quote removal. Fields
 * are appended. FLOW_NEXT, or why not (message given, sh->status set).
 */
enum flow expand_words(struct shell *sh, const struct word *words, struct fields *out);
/* head ("x=") and the value behind it, an argument of declare: a field for each word
 * its braces make; none if there are no braces in it. */
enum flow brace_expand_assignment(struct shell *sh, const char *head, const struct word *value,
				  struct fields *out);
/* One word to one string, no splitting, no globbing (assignments, case words,
 * here-strings, [[ ]]): tilde in assignments if `assignment`. */
enum flow expand_string(struct shell *sh, const struct word *w, bool assignment, struct slice *out);
/* The same, quoted characters escaped by backslash: a pattern for text/pattern.h. */
enum flow expand_pattern(struct shell *sh, const struct word *w, struct slice *out);
/* Right side of =~: quoted parts made literal for regex. */
enum flow expand_regex(struct shell *sh, const struct word *w, struct slice *out);
/* A here-document's body. */
enum flow expand_here(struct shell *sh, const struct word *w, struct slice *out);
/* A redirection's target: exactly one field, else "ambiguous redirect" and no text
 * (out->p is NULL). */
enum flow expand_target(struct shell *sh, const struct word *w, struct slice *out);
/* Text (not from the tree) expanded as in double quotes: PS4, ${x@P}, arithmetic. */
enum flow expand_text(struct shell *sh, const char *text, size_t n, struct slice *out);
/* A prompt (PS4, ${x@P}): backslash escapes, then as expand_text(). */
enum flow expand_prompt(struct shell *sh, const char *text, size_t n, struct slice *out);
/* Pathnames that match a pattern (escaped as by expand_pattern), sorted; honours
 * dotglob, nullglob, globstar ... by sh->opts. Appends; the count. */
size_t glob_paths(struct shell *sh, const char *pattern, size_t n, struct fields *out);
/* IFS splitting as read does: up to max fields, the last takes the rest. */
void split_read(struct shell *sh, const char *text, size_t n, const bool *escaped, size_t max,
		struct fields *out);

/* ---- Arithmetic and conditions ---- */
/* false after a message; then the command fails with status 1, unless
 * sh->failed is not FLOW_NEXT (unbound variable, exit in $( )): then that. */
bool arith_eval(struct shell *sh, const struct arith *a, int64_t *value);
bool arith_eval_text(struct shell *sh, const char *text, size_t n, int64_t *value);
/* Status 0, 1, or 2 after a message; sh->failed as for arith_eval(). */
int cond_eval(struct shell *sh, const struct cond *c);
/* test and [ (argv without the name and without "]"): status 0, 1, 2. */
int test_eval(struct shell *sh, const char *name, int argc, char **argv);

/* ---- Doing ---- */
enum flow eval_node(struct shell *sh, const struct node *n);
enum flow eval_script(struct shell *sh, const struct script *s);
/* Parses and runs text (eval, trap actions, source): messages as bash's for that
 * origin. Counts against call_depth. */
enum flow eval_text(struct shell *sh, const char *text, size_t n, const char *name, uint32_t line);
/*
 * $( ): runs the node in a subshell and gives its output (in sh->turn), NULs
 * and trailing newlines removed; the status goes to sh->status.
 */
enum flow eval_substitution(struct shell *sh, const struct node *n, struct slice *out);
/* The text of a $( ) is wrong: message and status. In a here-document bash reads
 * $( ) itself and then gives up the redirection. */
enum flow eval_late(struct shell *sh, const struct part *part);
/* <( ) and >( ): starts the process; the path /dev/fd/N. */
enum flow eval_process_substitution(struct shell *sh, const struct node *n, bool in,
				    struct slice *path);
int call_function(struct shell *sh, const struct node *function, int argc, char **argv,
		  enum flow *flow);

/*
 * Message on standard error with bash's prefix: "bash: line 3: " (or
 * "NAME: line 3: "), then the text and a newline. shell_error(sh, "%s: not found", x).
 */
void shell_error(struct shell *sh, const char *fmt, ...) TSB_PRINTF(2, 3) __attribute__((cold));
/* With the builtin's name: "bash: line 3: cd: ". */
void builtin_error(struct shell *sh, const char *fmt, ...) TSB_PRINTF(2, 3) __attribute__((cold));

/* Options of set and shopt: one table in options.def. */
enum opt_id {
#define SET_OPTION(id, name, letter, def) OPT_##id,
#define SHOPT_OPTION(id, name, def) SHOPT_##id,
#include "shell/options.def"
#undef SET_OPTION
#undef SHOPT_OPTION
	OPT_COUNT,
	SET_OPTIONS = OPT_XTRACE + 1	/* those of set come first */
};

struct function {
	const struct node *node;	/* NODE_FUNCTION */
	struct script *script;		/* keeps it alive */
	uint32_t flags;			/* VAR_EXPORT, VAR_READONLY, VAR_TRACE */
};

struct call {			/* a frame: function or sourced file; for FUNCNAME, caller */
	struct call *up;
	const char *function;	/* NULL: source */
	const char *file;
	uint32_t line;		/* where it was called */
	char **args;		/* positional parameters while it runs: sh->args */
	char **argv;		/* of BASH_ARGV, n_argv of them: with extdebug, else NULL */
	size_t n_argv;
};

struct trap {
	char *action;		/* NULL: default; "": ignored */
	bool inherited;		/* shown by `trap`, but the parent's */
	bool running;
};

struct job;

struct shell {
	struct tsb_proc *p;
	struct tsb_heap *heap;
	struct arena turn;

	/* words */
	struct map vars;		/* name -> struct var * (innermost) */
	uint32_t scope;			/* function nesting */
	VEC(struct var *) scope_vars;	/* locals, in order of making */
	uint8_t environ_stale;		/* an exported variable changed since environ was made */
	const char *const *environ;
	char **args;			/* $1 ..., NULL-terminated, in heap */
	size_t n_args;
	const char *arg0;
	int status;			/* $? */
	int last_background;		/* $! */
	int pid;			/* $$: of the outermost shell */
	enum flow failed;		/* set by arith_eval, cond_eval, var_assign when they fail */
	bool given_up;			/* a subscript was wrong: the command, not only the builtin */
	int substitution_status;	/* status of the last $( ) of this command, or -1 */
	struct str last_arg;		/* $_ */
	bool last_arg_given;		/* by the environment: exported until a command has run */
	uint64_t random_state;
	int64_t seconds_from, seconds_base;	/* $SECONDS counts from here (monotonic, ns), on from this */
	uint32_t line;			/* $LINENO */
	bool opts[OPT_COUNT];
	struct slice ifs;		/* cached value of IFS: */
	char *ifs_own;			/* in this, or NULL: a constant */
	bool ifs_default;		/* it is space, tab, newline (or unset) */
	uint8_t ifs_table[256];		/* 1: in IFS, 2: white space of it */
	void *words_private;		/* for the words half: getopts-independent extras */

	/* doing */
	struct map functions;		/* name -> struct function * */
	struct map aliases;		/* name -> char * */
	struct map hashed;		/* command name -> path */
	struct call *calls;
	unsigned call_depth, loop_depth, source_depth, function_depth;
	unsigned flow_count;
	unsigned errexit_off;		/* > 0: in a condition */
	struct trap *traps;		/* 0 EXIT, 1..64 signals, then DEBUG ERR RETURN; trap.c changes them */
	bool prompts;			/* interactive, and on a terminal */
	bool interactive, is_subshell, posix_sh, command_string, stdin_script;
	bool bytes;			/* the locale is C: characters are bytes */
	unsigned subshell_level;	/* BASH_SUBSHELL */
	const char *script_name;	/* prefix of messages */
	const char *builtin;		/* name of the running builtin, or NULL */
	struct job *jobs;
	const struct script *script;	/* running */
	const struct node *current;	/* simple command, for BASH_COMMAND */
	VEC(int) pipe_status;		/* PIPESTATUS; n == 0: see the next */
	int pipe_one;			/* its one value plus one; 0: no command has ended yet */
	VEC(char *) dirs;		/* DIRSTACK behind the working directory, top first */
	struct slice execution_string;	/* BASH_EXECUTION_STRING (bash -c); p may be NULL */
	int getopts_pos;		/* inside a cluster */
	bool optind_went;		/* a scope with an OPTIND of its own ended */
	void *doing_private;
};

#define NSEC INT64_C(1000000000)
/* A clock of command.h in nanoseconds. */
int64_t shell_clock_ns(struct shell *sh, int clock);
/* The script's arguments for BASH_ARGV; false while they are not known: bash takes what
 * $@ is when they are first asked for outside of functions, or extdebug is set (now). */
bool shell_main_argv(struct shell *sh, bool now, char ***argv, size_t *n);
/* BASH_COMMAND; may be in sh->turn. */
const char *shell_command_text(struct shell *sh);
/* A fresh shell in the process p: variables from its environment. */
struct shell *shell_new(struct tsb_proc *p, const char *arg0);
/* Before its process ends: takes over what only the process knows, for shell_attach(). */
void shell_keep(struct shell *sh);
/* Binds a kept session's shell to the process of a new run. */
void shell_attach(struct shell *sh, struct tsb_proc *p);
/* A copy of a session into another heap without a process (branch). */
struct shell *shell_copy(const struct shell *sh, struct tsb_heap *heap);
/* Runs a whole script as `bash -c` (name $0) or as a file; EXIT trap included: the status. */
int shell_run(struct shell *sh, const char *text, size_t n, const char *file_name);
/* The same for what a person types on descriptor 0: with prompts, if that is a terminal. */
int shell_prompt(struct shell *sh);
/* A script that sets variables, functions, options and cwd again (tsb_save). */
void shell_dump(const struct shell *sh, struct str *out);
/* The command `bash` (and `sh`): -c, FILE, -s, -e -u -x ... */
extern const struct tsb_command shell_command_bash, shell_command_rbash, shell_command_sh;

/* ---- Builtins (builtin/NAME.c; builtins.def is the list) ---- */
/* argv[0] is the name. Returns the status; control flow through *flow. */
typedef int builtin_fn(struct shell *sh, int argc, char **argv, enum flow *flow);
enum { BUILTIN_SPECIAL = 1, BUILTIN_DECL = 2 };	/* POSIX special; assignment arguments */
struct builtin {
	const char *name;
	builtin_fn *run;
	unsigned flags;
};
const struct builtin *builtin_find(const char *name, size_t n);
const struct builtin *builtin_at(size_t i);	/* sorted; NULL at the end */

#endif
