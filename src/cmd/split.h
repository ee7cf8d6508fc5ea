/*
 * split, between its files: split.c has the options, split_out.c the names and
 * the writing, split_ways.c the ways to cut.
 */
#ifndef CMD_SPLIT_H
#define CMD_SPLIT_H

#include <tinysandbox/command.h>

#include "base/vec.h"
#include "cmd/lines.h"

enum split_way {
	SPLIT_UNSET, SPLIT_LINES, SPLIT_BYTES, SPLIT_LINE_BYTES, SPLIT_CHUNK_BYTES,
	SPLIT_CHUNK_LINES, SPLIT_ROUND_ROBIN
};

/* A file that is written, or a filter that is fed. */
struct split_file {
	char *name;
	int fd;			/* -1: not open (yet) */
	int pid;		/* of the filter */
	bool appends;		/* was opened before */
};

struct split {
	/* Options. */
	enum split_way way;
	uint64_t n, k;		/* how much; k: only that chunk, to standard output */
	bool from_digits;
	uint64_t suffix_length;
	const char *alphabet, *suffix_start, *additional, *filter;
	bool elide_empty, unbuffered, verbose;
	int end;		/* of lines; -1: newline by default */

	struct tsb_proc *p;
	const char *input, *base;
	struct tsb_stat input_stat;
	struct lines in;
	uint64_t size;		/* of the input, where the way needs it */

	/* Names. */
	bool widens;
	char *name, *middle;
	size_t *digits, length;
	struct split_file out;	/* the current one */
};

/* ---- split_out.c ---- */
/* After the options: how long suffixes are. 0, or the exit status. */
int split_set_suffix(struct split *s);
/* Starts the next file. */
void split_new(struct split *s);
/* An empty file, unless they are not wanted. */
void split_new_empty(struct split *s);
void split_write(struct split *s, struct split_file *f, const char *data, size_t n);
void split_close(struct split *s, struct split_file *f);
/* Takes the next name for a file that is opened later. */
void split_next_name(struct split *s, struct split_file *f);
void split_open(struct split *s, struct split_file *f);

/* ---- split_ways.c ---- */
void split_by(struct split *s);

#endif
