/*
 * tinysandbox/analyze.h - what a script would do, told without running it.
 *
 * For hosts that ask for permission: the commands a script names, with the
 * arguments that are certain; the files its redirections open; its functions;
 * the variables it reads before it sets them; what cannot be known from its
 * text; and a risk for each command. Nothing is run, no file is looked at.
 *
 *	struct tsb_analysis *a;
 *	if (tsb_analyze(script, size, &a) == TSB_OK) {
 *		if (tsb_analysis_risk(a) >= TSB_RISK_NETWORK || tsb_analysis_opaque(a, 0))
 *			ask();
 *		tsb_analysis_free(a);
 *	}
 *
 * It is a reading of the text, not a wall: a host that must be sure relies on
 * what the sandbox enforces. What the analysis does not know counts as opaque,
 * never as harmless. Everything returned is borrowed from the analysis. Any
 * thread may analyse; one analysis belongs to one thread at a time.
 */
#ifndef TINYSANDBOX_ANALYZE_H
#define TINYSANDBOX_ANALYZE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif
#ifdef __GNUC__
#pragma GCC visibility push(default)
#endif

/* In order: each is worse than the one before. */
enum tsb_risk {
	TSB_RISK_READ,		/* looks at things, prints, computes */
	TSB_RISK_WRITE,		/* makes or changes files or settings; a program nobody knows */
	TSB_RISK_NETWORK,	/* talks to other machines */
	TSB_RISK_INSTALL,	/* brings in software, or runs with more rights */
	TSB_RISK_DESTRUCTIVE	/* what it does cannot be undone */
};

enum tsb_command_kind {
	TSB_COMMAND_PROGRAM,	/* a program this library knows, here or on Linux in general */
	TSB_COMMAND_BUILTIN,
	TSB_COMMAND_FUNCTION,	/* defined in this script */
	TSB_COMMAND_UNKNOWN,	/* a name the analysis does not know */
	TSB_COMMAND_COMPUTED	/* the name itself is computed ($cmd): opaque too */
};

/* A word of a command. literal: text is exactly the argument; else text is the source
 * ("$dir/x", *.log) and what comes of it is known only when it runs. */
struct tsb_analyzed_word {
	const char *text;	/* size bytes and a NUL */
	size_t size;
	bool literal;
};

struct tsb_analyzed_command {
	uint32_t line;			/* from 1 */
	enum tsb_command_kind kind;
	enum tsb_risk risk;
	const char *reason;		/* of the risk: half a sentence */
	const struct tsb_analyzed_word *words;	/* the name is the first */
	size_t n_words;
	bool nested;			/* run by the command before it: sudo rm, find -exec, sh -c */
};

enum tsb_file_use { TSB_FILE_READ, TSB_FILE_WRITE, TSB_FILE_APPEND, TSB_FILE_BOTH };

/* A file that a redirection opens. */
struct tsb_analyzed_file {
	uint32_t line;
	enum tsb_file_use use;
	struct tsb_analyzed_word path;
};

/* A place: of a function's definition, of the first reading of a variable. */
struct tsb_analyzed_name {
	uint32_t line;
	const char *name;
};

/* What cannot be known without running. */
struct tsb_analyzed_opaque {
	uint32_t line;
	const char *text;	/* the source: eval "$x" */
	const char *reason;
};

struct tsb_analysis;

/*
 * TSB_OK also for a script with a syntax error (see tsb_analysis_error(): what
 * stands in the lines before it has been analysed, for bash would run it);
 * TSB_ERR_ARGUMENT: script or out is NULL; TSB_ERR_MEMORY. The default limits of
 * source_bytes, parse_depth and memory_bytes hold.
 */
int tsb_analyze(const void *script, size_t size, struct tsb_analysis **out);
void tsb_analysis_free(struct tsb_analysis *a);		/* NULL is fine */

/* The worst of the commands and redirections. */
enum tsb_risk tsb_analysis_risk(const struct tsb_analysis *a);
const char *tsb_risk_name(enum tsb_risk risk);		/* "read", "write" ... */
const char *tsb_command_kind_name(enum tsb_command_kind kind);
const char *tsb_file_use_name(enum tsb_file_use use);	/* "read", "write", "append", "readwrite" */

/* The i-th, in the order of the text (functions where they are first called); NULL: no more. */
const struct tsb_analyzed_command *tsb_analysis_command(const struct tsb_analysis *a, size_t i);
const struct tsb_analyzed_file *tsb_analysis_file(const struct tsb_analysis *a, size_t i);
const struct tsb_analyzed_name *tsb_analysis_function(const struct tsb_analysis *a, size_t i);
/* Variables read where no line before can have set them, and that a shell does not have by itself. */
const struct tsb_analyzed_name *tsb_analysis_unset(const struct tsb_analysis *a, size_t i);
const struct tsb_analyzed_opaque *tsb_analysis_opaque(const struct tsb_analysis *a, size_t i);
/* bash's message and its line; NULL: the syntax is right. */
const char *tsb_analysis_error(const struct tsb_analysis *a, uint32_t *line);

#ifdef __GNUC__
#pragma GCC visibility pop
#endif
#ifdef __cplusplus
}
#endif
#endif
