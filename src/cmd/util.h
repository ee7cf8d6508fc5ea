/*
 * What every command needs: operand counts, word arguments, questions.
 */
#ifndef CMD_UTIL_H
#define CMD_UTIL_H

#include <tinysandbox/command.h>

#include "cmd/quote.h"

/* A list of words an option accepts; ends with a NULL word. Rows with equal
 * values are synonyms. */
struct util_word {
	const char *word;
	int value;
};

/*
 * Finds arg (an unambiguous prefix is enough) among words: 0 and *value, or
 * the exit status after GNU's message, which names `context` ("--sort").
 */
int util_word(struct tsb_proc *p, const char *context, const char *arg,
	      const struct util_word *words, int *value);

/* Usage errors about operands; each returns the exit status. */
int util_missing_operand(struct tsb_proc *p);		/* "missing operand" */
int util_missing_operand_after(struct tsb_proc *p, const char *last);
int util_extra_operand(struct tsb_proc *p, const char *extra);
int util_missing_file(struct tsb_proc *p);		/* "missing file operand" */

/* Answers come from standard input, one line each. Zeroed is ready. */
struct util_asker {
	struct tsb_reader in;
	bool started;
};
/* Writes "NAME: question" to standard error; true when the answer begins with y. */
bool util_ask(struct tsb_proc *p, struct util_asker *a, const char *fmt, ...) TSB_PRINTF(3, 4);

/* Growing arrays: room for one more behind n of *cap items. The new memory is
 * not zeroed. */
void *util_grow(struct tsb_proc *p, void *at, size_t n, size_t *cap, size_t size);

/* For a call that makes files with exact modes: sets the mask, runs, sets back. */
uint32_t util_umask_get(struct tsb_proc *p);

/* The warning of --context=CTX where no security module runs. Row's value 'e':
 * only SELinux would do. */
int util_ignore_context(struct tsb_proc *p, void *opts, const struct tsb_opt *opt, const char *arg);

/* Option functions: nothing happens (the option asks for what is done anyway); the
 * bool at the row's offset becomes the row's value. */
int util_ignore(struct tsb_proc *p, void *opts, const struct tsb_opt *opt, const char *arg);
int util_set_bool(struct tsb_proc *p, void *opts, const struct tsb_opt *opt, const char *arg);

/* --preserve-root and its opposite. */
#define UTIL_ROOT_OPTS(type, field) \
	{ TSB_OPTION_CALL, 0, "no-preserve-root", NULL, \
	  "do not treat '/' specially (the default)", TSB_FIELD_(type, field, bool), 0, \
	  TSB_ARG_NONE, util_set_bool }, \
	{ TSB_OPTION_CALL, 0, "preserve-root", NULL, "fail to operate recursively on '/'", \
	  TSB_FIELD_(type, field, bool), 1, TSB_ARG_NONE, util_set_bool }

/* The count of head and tail (without its sign): 0, or 1 after a message. */
int util_count(struct tsb_proc *p, const char *arg, bool bytes, uint64_t *count);

/* For tools that know why at their end: flushes; true after "write error: Reason". */
bool util_write_failed(struct tsb_proc *p);

/* The warning of --preserve-root about path, which is "/". */
void util_warn_root(struct tsb_proc *p, const char *path);

/* Decoded type of a file, as in "regular empty file". */
const char *util_file_type(const struct tsb_stat *st);
/* "drwxr-xr-x": 10 characters and a NUL. */
void util_mode_string(uint32_t mode, char out[12]);

static inline bool util_same_file(const struct tsb_stat *a, const struct tsb_stat *b)
{
	return a->ino == b->ino && a->dev == b->dev;
}

static inline int util_time_cmp(struct tsb_time a, struct tsb_time b)
{
	if (a.sec != b.sec)
		return a.sec < b.sec ? -1 : 1;
	return (a.nsec > b.nsec) - (a.nsec < b.nsec);
}

#endif
