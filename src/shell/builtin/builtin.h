/*
 * The builtins' functions, one a row of builtins.def, and what a builtin knows
 * of the list.
 */
#ifndef SHELL_BUILTIN_BUILTIN_H
#define SHELL_BUILTIN_BUILTIN_H

#include "shell/doing.h"

#define BUILTIN(name, function, flags, synopsis, summary) extern builtin_fn builtin_##function;
#include "shell/builtin/builtins.def"
#undef BUILTIN

/* Texts of a row for usage and help. */
const char *builtin_synopsis(const struct builtin *b);
const char *builtin_summary(const struct builtin *b);
/* Most builtins tell what they do when "--help" is their first word, or stands among their options: STATUS_USAGE. */
bool builtin_has_help(const struct builtin *b);
int builtin_tell_help(struct shell *sh);

/* Of complete -F: false after a message. */
bool complete_function_name(struct shell *sh, const char *name);

/* Shared by declare, export, readonly, local: the value of an assignment
 * argument "name=value"; splits at = or +=. false: no assignment. */
struct assign_text {
	const char *name;	/* with subscript */
	size_t n;
	const char *value;	/* behind = */
	bool append;
};

/* Shared by read and mapfile: bytes from a descriptor, no more than wanted. */
struct byte_source {
	struct shell *sh;
	int fd;
	bool ahead;		/* may read ahead: what is not used is given back */
	bool timed_out, interrupted;
	int error;
	int64_t deadline_ns;	/* monotonic; < 0: none */
	char *given;		/* what is read instead, or NULL */
	size_t given_n, given_at;
	size_t at, n;
	char buf[1024];
};
void byte_source_init(struct byte_source *s, struct shell *sh, int fd, int64_t timeout_ns);
int byte_next(struct byte_source *s);	/* -1 at the end, on error, timeout */
void byte_source_end(struct byte_source *s);	/* gives back what was read ahead */
/* "1.5" seconds to ns, with a sign. False: no such text. */
bool seconds_text(const char *s, int64_t *ns);

/* Of break, shift ... : the message, and what is given up: the line, of bash -c all. */
enum flow too_many_arguments(struct shell *sh);

/* Names of the line editor's functions, NULL-terminated (bind.c). */
extern const char *const bind_functions[];

/* Shared by set and shopt. */
enum opt_id set_option_by_name(const char *name, size_t n);	/* OPT_COUNT: none */
enum opt_id shopt_by_name(const char *name);
void set_option_print(struct shell *sh, enum opt_id id, bool reusable);
bool is_set_option(enum opt_id id);
const char *option_name(enum opt_id id);

/* Shared by cd, pushd, popd: status. */
int change_directory(struct shell *sh, const char *dir, const char *shown, bool physical);

/* Shared by type and command -v/-V. */
enum { TYPE_ALL = 1, TYPE_NO_FUNCTION = 2, TYPE_WORD = 4, TYPE_PATH = 8, TYPE_FORCE_PATH = 16,
       TYPE_SHORT = 32, TYPE_REUSABLE = 64, TYPE_STANDARD = 128 };
bool describe_command(struct shell *sh, const char *name, unsigned flags);

/* ---- past.c ---- */
void history_add(struct shell *sh, const char *text, size_t n);
void history_remove(struct shell *sh, size_t i);
void history_unsave(struct shell *sh);		/* the running command leaves the list */
size_t history_past(struct shell *sh);		/* how many, without the running one */
bool history_wanted(struct shell *sh, const char *text);	/* as HISTCONTROL and HISTIGNORE have it */

#endif
