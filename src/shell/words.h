/*
 * What the files of the words half share among themselves; the doing half has
 * no need of it. Values and scopes (var*.c, array.c, assoc.c), the field builder
 * (build.c), parameters (param*.c) and the caches of one shell.
 */
#ifndef SHELL_WORDS_H
#define SHELL_WORDS_H

#include "shell/shell.h"
#include "text/escape.h"

struct regex;
struct pattern;

/* ---- Scopes and variables (var.c, var_scope.c) ---- */

/* What a variable with VAR_SPECIAL does. Up to SP_LAST_READ its value is made
 * when it is read; the others act when they are set or go. */
enum special {
	SP_NONE,
	SP_RANDOM, SP_SRANDOM, SP_SECONDS, SP_EPOCHSECONDS, SP_EPOCHREALTIME, SP_LINENO,
	SP_BASHPID, SP_BASH_SUBSHELL, SP_BASH_COMMAND, SP_BASH_ARGV0, SP_SHELLOPTS,
	SP_BASHOPTS, SP_HISTCMD, SP_UNDERSCORE, SP_EXECUTION_STRING,
	SP_FUNCNAME, SP_BASH_SOURCE, SP_BASH_LINENO, SP_PIPESTATUS, SP_GROUPS, SP_DIRSTACK,
	SP_BASH_ARGC, SP_BASH_ARGV,
	SP_BASH_ALIASES, SP_BASH_CMDS,
	SP_LAST_READ = SP_BASH_CMDS,
	SP_IFS, SP_PATH, SP_OPTIND, SP_POSIXLY_CORRECT, SP_IGNOREEOF, SP_GLOBIGNORE,
	SP_LOCALE
};

/* A temporary variable that was exported or made readonly: outlives its command. */
#define VAR_PROPAGATE 65536u
#define VAR_PLACE_SHIFT 17	/* above: its place in the environment it came with, from 1 */
#define VAR_PLACE_MAX 32767u

struct scope {
	bool temporary;		/* of a command, not of a function */
	bool merged;		/* a temporary one that a function took over */
	bool keeps;		/* assignments by the builtin stay in it (eval, source, unset) */
	size_t first;		/* its variables: scope_vars from here */
	bool own_args;
};

/* A compiled regex or pattern, kept for the next time the same text comes. */
struct cached {
	char *text;
	size_t n;
	unsigned flags;
	struct regex *regex;
	struct pattern *pattern;
};
#define CACHE_SIZE 16

/* bash expands tildes everywhere the parser marked one, but not behind the = of a
 * plain word of an array literal, nor in an associative array's literal. */
enum tilde_mode { TILDE_ALL, TILDE_FIRST, TILDE_NONE };

struct words {
	VEC(struct scope) scopes;
	VEC(struct str *) spare;	/* scratch buffers to reuse */
	unsigned depth;			/* of expansion within expansion */
	bool declaring;			/* an array's literal is the argument of declare */
	enum tilde_mode tilde;
	unsigned arith_depth;
	uint32_t random_last;
	int random_pid;			/* the process that seeded the generator */
	bool listing;			/* many variables: as they were last read */
	uint64_t lazy_gone;		/* rows of special.c's table unset by the script */
	const char *const *env;		/* what the process was started with: */
	uint64_t env_waits;		/* these entries of it are not variables yet, */
	bool env_begun;			/* nor are SHLVL, PWD and OLDPWD set; env holds only so long */
	struct str foreign;		/* then: its entries for programs only, a NUL behind each */
	struct cached *patterns, *regexes;	/* CACHE_SIZE; NULL: none yet */
	VEC(struct pattern *) glob_ignore;
	bool glob_ignore_set;
	const char **environ_list;	/* what sh->environ points to */
	char *environ_text;
	size_t max_bytes, max_words, max_depth;		/* limits */
};

static inline struct words *words_of(struct shell *sh)
{
	return sh->words_private;
}

/* The limit's message once, status 1. Always FLOW_ABORT. */
enum flow words_limit(struct shell *sh, const char *name) __attribute__((cold));
size_t words_max_bytes(struct shell *sh);

/* A subscript as it comes: from the tree, or as text ("a[i]" in read, unset,
 * ${!x}, a nameref). */
struct sub {
	enum subscript_kind kind;
	const struct subscript *tree;	/* or NULL: */
	struct slice text;
};

/* What a name stands for once namerefs are followed. */
struct target {
	struct var *v;		/* or NULL: not there yet */
	struct name name;
	struct sub sub;
	bool bad;		/* a nameref that names nothing usable; message given */
	bool circle;		/* a function's nameref that names itself: the global one */
};

struct name name_of(const char *s, size_t n);
bool name_valid(const char *s, size_t n);
/* Splits "a[i]": false if it is no valid name with at most one whole subscript. */
bool name_split(const char *s, size_t n, struct slice *name, struct sub *sub);
/* Follows namerefs. A circle: warning, and the name without value. */
struct target var_target(struct shell *sh, const struct name *name);

/* The end of what runs now because of an error that bash lets through to the top
 * level: with -c that is the whole text, else the line. Status 1; sets failed. */
enum flow words_give_up(struct shell *sh) __attribute__((cold));
int var_fail(struct shell *sh, enum flow flow) __attribute__((cold));	/* sets failed; 1 */
/* After the message of an error that ends a shell with set -e, wherever it is
 * (bash's report_error): FLOW_EXIT then, else the flow given. Sets failed. */
enum flow words_report(struct shell *sh, enum flow flow) __attribute__((cold));
struct var *var_in_scope(struct shell *sh, const struct name *name, uint32_t scope);
/* Makes it in that scope (0 global), declared but unset. */
struct var *var_make(struct shell *sh, const struct name *name, uint32_t scope);
void var_remove(struct shell *sh, struct var *v);
void var_clear_value(struct shell *sh, struct var *v);
uint32_t var_local_scope(struct shell *sh);	/* the innermost function's; 0 outside */

/* Text of a scalar, computed or rendered; false if unset. */
bool var_text(struct shell *sh, struct var *v, struct slice *value);
/* The same of element 0 for arrays. */
bool var_scalar(struct shell *sh, struct var *v, struct slice *value);
/* Brings the array of a special one up to date. Before any use of v->array. */
void var_refresh(struct shell *sh, struct var *v);
/* Sets the text as it is: no attributes looked at. */
void var_store(struct shell *sh, struct var *v, const char *p, size_t n);
void var_store_number(struct shell *sh, struct var *v, int64_t n);
/* As `v=value`, attributes applied, specials acted on. 0 or 1. */
int var_put(struct shell *sh, struct var *v, const char *p, size_t n, bool append);
int var_put_element(struct shell *sh, struct var *v, const struct sub *sub, const char *p,
		    size_t n, bool append);
int var_set_sub(struct shell *sh, const struct name *name, const struct sub *to, const char *value,
		size_t n, bool append);
int var_set_target(struct shell *sh, struct target *t, const char *p, size_t n, bool append);
/* The new value of an element: appended to or added to the old one, converted. */
bool element_value(struct shell *sh, const struct var *v, bool has_old, struct slice old,
		   bool append, struct slice *value);
/* Assigns (or appends to) one element of an associative array: 0, or 1 after a message. */
int assoc_put(struct shell *sh, struct var *v, struct slice key, struct slice value, bool append);
/* After a message; 1. */
int var_readonly_error(struct shell *sh, const char *name);
/* A scalar becomes an array with its value as element 0. */
void var_to_indexed(struct shell *sh, struct var *v);
void var_to_assoc(struct shell *sh, struct var *v);
/* Value with -u -l -c -i applied, in sh->turn; false after a message. */
bool var_convert(struct shell *sh, uint32_t flags, const char *p, size_t n, struct slice *out);
/* The index a subscript means for that array: negative ones from the end. false
 * after a message (which names the subscript when `writing`). */
/* Makes an index below 0 count from the end. false: there is no such element. Writing: the
 * element 0 of a variable that is no array yet counts. */
bool sub_from_end(const struct var *v, bool writing, int64_t *i);
bool sub_index(struct shell *sh, const struct var *v, struct slice name, const struct sub *sub,
	       bool writing, int64_t *index);
/* The key a subscript means for an associative array; in sh->turn. */
bool sub_key(struct shell *sh, const struct sub *sub, struct slice *key);
struct sub sub_of(const struct subscript *tree);
struct slice sub_source(const struct sub *sub);

/* Specials (special.c). */
enum special special_of(const char *s, size_t n);
/* A variable that every shell has, made when it is first asked for; or NULL. */
struct var *special_lazy(struct shell *sh, const char *s, size_t n);
/* A variable of the environment, made now that its name is wanted; NULL: none. A
 * shell starts in a microsecond, and most scripts want few of them. */
struct var *environ_lazy(struct shell *sh, const char *s, size_t n);
/* Is an entry NAME=VALUE of a variable (at `value` then)? */
bool environ_is_variable(const char *entry, const char **value);
/* unset a[..], the key as it stands. false: a is no associative array. */
bool var_unset_key(struct shell *sh, const char *text, size_t n);
/* NAME=VALUE whose name no variable can have: it is for the programs. */
bool environ_is_foreign(const char *entry);
/* What waits can go to a child as it stands, with SHLVL=1 and PWD behind. */
bool environ_is_plain(struct shell *sh);
bool special_is_lazy(const char *s, size_t n);	/* ... and not taken from the environment */
void special_make_all(struct shell *sh);	/* before a listing */
void special_gone(struct shell *sh, const struct var *v);	/* unset: not made again */
bool special_read(struct shell *sh, struct var *v);	/* computes; false: unset now */
int special_assign(struct shell *sh, struct var *v, const char *p, size_t n);
void special_changed(struct shell *sh, enum special which);
/* Of $LC_ALL, $LC_CTYPE and $LANG (NULL: unset) the first that is not empty. */
void locale_set(struct shell *sh, const char *const values[3]);
/* A character of the locale: utf8_decode(), or a byte. */
size_t shell_char(const struct shell *sh, const char *p, size_t n, int32_t *c);
size_t shell_chars(const struct shell *sh, const char *p, size_t n);	/* how many */
int special_assign_element(struct shell *sh, struct var *v, struct slice key, struct slice value);
#define IFS_DEFAULT " \t\n"
void ifs_cache(struct shell *sh, struct slice ifs);
/* Values of sh->ifs_table. MAYBE: the byte is part of a longer character. */
enum { IFS_NOT = 0, IFS_OTHER = 1, IFS_WHITE = 2, IFS_MAYBE = 4 };
/* The kind of the character at p, its length into *len. */
int ifs_kind(const struct shell *sh, const char *p, size_t n, size_t *len);

/* ---- Arrays ---- */
struct array *array_new(struct tsb_heap *heap);
void array_free(struct array *a);
void array_clear(struct array *a);
void array_set(struct array *a, int64_t i, const char *p, size_t n);
void array_unset(struct array *a, int64_t i);
void array_copy(struct array *to, const struct array *from);
struct assoc *assoc_new(struct tsb_heap *heap);
void assoc_free(struct assoc *a);
void assoc_clear(struct assoc *a);
void assoc_set(struct assoc *a, struct slice key, const char *p, size_t n);
bool assoc_unset(struct assoc *a, const char *key, size_t n);
uint32_t assoc_hash(const char *key, size_t n);	/* bash's, which orders its tables */
/* Of an empty one: how many chains it begins with. */
void assoc_chains(struct assoc *a, size_t chains);
enum {
	CHAINS_SCOPE = 4, CHAINS_ALIASES = 64, CHAINS_FOREIGN = 64, CHAINS_HASHED = 256,
	CHAINS_COMPLETIONS = 512, CHAINS_FUNCTIONS = 512, CHAINS_VARIABLES = 1024
};
/* The map's entries in the order of bash's table of that many chains; in sh->turn. */
struct map_entry **map_in_chains(struct shell *sh, const struct map *m, size_t chains);
void assoc_copy(struct assoc *to, const struct assoc *from);

/* ---- The field builder (build.c) ---- */

enum build_mode {
	BUILD_FIELDS,		/* split, glob */
	BUILD_STRING,		/* one string; "$@" joined by spaces */
	BUILD_PATTERN,		/* one string, quoted characters escaped */
	BUILD_TRACE,		/* the same, of every quoted one: as set -x shows it */
	BUILD_REGEX,
	BUILD_REPLACEMENT	/* of ${x/p/r}: quoted & and backslash escaped */
};

/* How emitted text is to be read. */
enum emit { EMIT_LITERAL, EMIT_EXPANDED, EMIT_QUOTED };

#define BUILD_TOGGLES 8

struct build {
	struct shell *sh;
	enum build_mode mode;
	struct fields *out;
	struct str *text;	/* of the field being built */
	size_t *toggles;	/* offsets where quoted begins and ends */
	size_t n_toggles, cap_toggles;
	size_t first_toggles[BUILD_TOGGLES];
	size_t emitted;		/* counts what came: did that part give anything? */
	bool quoted;		/* at the end of text */
	bool have;		/* there is a field, be it empty */
	bool magic;		/* an unquoted character that may be a pattern's */
	bool pending;		/* white space ended a field: one other delimiter belongs to it */
	bool zero_at;		/* "$@" without arguments was seen */
	bool here;		/* in a here-document */
	bool operand;		/* in an operand of an unquoted ${x-..} */
	bool beside_at;		/* these double quotes hold "$@" or "${a[@]}" */
	enum flow flow;
};

void build_begin(struct build *b, struct shell *sh, enum build_mode mode, struct fields *out);
void build_emit(struct build *b, const char *p, size_t n, enum emit how);
void build_null(struct build *b);		/* a quoted null: the field is there */
void build_break(struct build *b);		/* field boundary between "$@" items */
enum flow build_end(struct build *b);		/* FIELDS: last field out */
enum flow build_take(struct build *b, struct slice *out);	/* other modes */
void fields_add(struct shell *sh, struct fields *f, const char *p, size_t n);	/* copies */
void fields_push(struct shell *sh, struct fields *f, char *p, size_t n);	/* p in turn */
struct str *scratch_take(struct shell *sh);
void scratch_give(struct shell *sh, struct str *s);

/* ---- Parts and parameters ---- */

struct value;

/* quoted: inside double quotes. text: how TEXT parts count (LITERAL, or EXPANDED
 * in an operand of an unquoted ${}). */
struct context {
	bool quoted;
	enum emit text;
};
void expand_parts(struct build *b, const struct part *parts, struct context c);
/* Operand of ${x op word}: to a string, a pattern, or a replacement. */
enum flow expand_operand(struct shell *sh, const struct word *w, bool quoted,
			 enum build_mode mode, struct slice *out);
void expand_param(struct build *b, const struct param *p, struct context c);
/* "$@" and its kin, by where it stands. */
void expand_list(struct build *b, const struct value *v, bool quoted);

/* How an operator made the items: bash joins them by IFS in a string, some of
 * them only inside double quotes. */
enum made { MADE_NOT, MADE_JOINED, MADE_JOINED_QUOTED };

/* What a parameter gives. */
struct value {
	bool set;
	bool list;		/* $@ $* a[@] a[*]: items */
	bool star;
	bool positional;
	bool through_nameref;	/* an element, by a nameref to it */
	enum made made;
	bool keys_star;		/* ${!a[*]}, ${!p*} */
	bool here_ifs;		/* changed by ^ , ~ or /: IFS joins it in a here-document, too */
	struct slice text;
	struct slice *items;	/* in turn */
	int64_t *keys;		/* indices of an indexed array's items, or NULL */
	size_t n;
	struct var *v;
	struct name name;
	struct sub sub;
};
enum flow param_value(struct shell *sh, const struct param *p, struct value *out);
enum flow param_by_text(struct shell *sh, const char *s, size_t n, struct value *out);
/* The operators that make new text of a value (param_op.c, param_replace.c,
 * param_transform.c); value in and out. */
enum flow param_operate(struct shell *sh, const struct param *p, struct value *v, bool quoted);
enum flow param_replace(struct shell *sh, const struct param *p, struct value *v, bool quoted);
enum flow param_transform(struct shell *sh, const struct param *p, struct value *v, bool quoted);
enum flow param_slice(struct shell *sh, const struct param *p, struct value *v);
/* Maps f over the text or the items of v. */
typedef void map_fn(void *ctx, struct slice in, struct str *out);
enum flow param_map(struct shell *sh, struct value *v, map_fn *f, void *ctx);
/* Message, and how far it goes up. */
enum flow param_unbound(struct shell *sh, const char *s, size_t n);
/* ---- Quoting for output, see text/escape.h ---- */
void var_quote_key(struct str *out, const char *p, size_t n);	/* a key of declare -p */
/* Names that xtrace.c uses. */
static inline bool quote_has_metas(const char *p, size_t n)
{
	return quote_has_meta(p, n);
}
bool quote_needs_ansi(const char *p, size_t n);		/* has something unprintable */

/* ---- Others ---- */
enum flow brace_expand(struct shell *sh, const struct word *w, struct fields *out);
enum flow expand_one(struct shell *sh, const struct word *w, struct fields *out);
bool tilde_expand(struct shell *sh, struct slice name, struct slice *out);
/* A pattern of text kept compiled. */
const struct pattern *pattern_cached(struct shell *sh, struct slice text, unsigned flags);
bool arith_subscript(struct shell *sh, const struct sub *sub, int64_t *value);
enum flow arith_value(struct shell *sh, const struct arith *a, int64_t *value);
/* For an expansion: sets failed and gives the flow. */
/* -f and the like, for [[ and test: does it hold? */
bool test_unary(struct shell *sh, char op, const char *arg);
bool test_files(struct shell *sh, const char *op, const char *a, const char *b);	/* -nt -ot -ef */
/* A word that is a plain or quoted text, nothing of a pattern in it. */
bool word_is_text(const struct word *w);
#endif
