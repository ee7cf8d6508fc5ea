/*
 * ptx: options, occurrences of keywords, and the fields of a line of output.
 */
#ifndef CMD_PTX_H
#define CMD_PTX_H

#include <tinysandbox/command.h>

#include "base/str.h"
#include "base/vec.h"
#include "cmd/lines.h"

struct regex;

struct ptx_text {
	const char *name;	/* "" for standard input */
	const char *at, *end;
	int64_t lines;		/* in it and in all in front of it */
};

struct ptx_occurrence {
	const char *key;
	size_t size;
	int64_t left, right;	/* of the context, from key */
	int64_t reference;	/* a line, or the start of one from key */
	size_t text;
};

struct ptx_field {
	const char *at, *end;
	bool cut;		/* it is marked as truncated */
};

enum ptx_format { PTX_UNSET, PTX_DUMB, PTX_ROFF, PTX_TEX };

struct ptx {
	bool auto_reference, traditional, right_reference, fold, input_reference;
	int format;
	const char *mark, *macro, *sentence, *word, *break_file, *ignore_file, *only_file;
	int64_t gap, width;

	struct tsb_proc *p;
	struct sink out;
	struct regex *sentence_re, *word_re;
	bool in_word[256];
	struct tsb_list ignore, only;		/* sorted */
	VEC(struct ptx_text) texts;
	VEC(struct ptx_occurrence) found;
	int64_t longest_word, longest_reference, lines;
	int64_t half, before_width, after_width, mark_length;
	struct ptx_field tail, before, key, head, reference;
};

/* The keywords of a text. */
void ptx_find(struct ptx *x, size_t text);
/* How wide the fields are; and every occurrence as a line. */
void ptx_measure(struct ptx *x);
void ptx_print(struct ptx *x);
/* Past a word, or one character that is in none. */
const char *ptx_skip(struct ptx *x, const char *at, const char *end);

static inline bool ptx_is_space(char c)
{
	return c == ' ' || (c >= '\t' && c <= '\r');
}

static inline const char *ptx_skip_space(const char *at, const char *end)
{
	while (at < end && ptx_is_space(*at))
		at++;
	return at;
}

static inline const char *ptx_skip_text(const char *at, const char *end)
{
	while (at < end && !ptx_is_space(*at))
		at++;
	return at;
}

static inline const char *ptx_back_space(const char *at, const char *start)
{
	while (at > start && ptx_is_space(at[-1]))
		at--;
	return at;
}

#endif
