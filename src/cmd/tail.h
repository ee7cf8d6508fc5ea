/*
 * What tail's two halves share: the first look at the files (tail.c) and
 * following them (tail_follow.c).
 */
#ifndef CMD_TAIL_H
#define CMD_TAIL_H

#include <tinysandbox/command.h>

#include "cmd/lines.h"

enum tail_follow { TAIL_DESCRIPTOR, TAIL_NAME };

struct tail_file {
	const char *name, *pretty;
	int fd;			/* -1: not open */
	int err;		/* errno of the last try; -1: not a file to follow */
	bool ignore;		/* for ever */
	bool tailable;
	bool only_once;		/* a pipe on standard input */
	uint64_t dev, ino, size;
	uint32_t mode;
	struct tsb_time mtime;
	uint64_t unchanged;	/* rounds */
};

struct tail {
	struct tsb_proc *p;
	bool bytes, from_start, forever, retry, zero, as_pipe;
	bool polls;		/* asked for: there is no other way here */
	int headers;		/* 0: when several, 1: always, -1: never */
	bool print_headers, header_done;
	uint64_t count, max_unchanged;
	int64_t sleep_ns;
	int pid, delim;
	enum tail_follow follow;
	struct lines in;
	struct tail_file *files;
	size_t n_files;
	struct tail_file *last;	/* whose header was printed last */
};

void tail_header(struct tail *o, const char *name);
/* At most max bytes from where the descriptor stands; how many, or -errno. */
int64_t tail_dump(struct tail *o, struct tail_file *f, uint64_t max);

/* After the first look, which gave err and *st: may f be followed? Not 0: no. */
int tail_follow_prepare(struct tail *o, struct tail_file *f, int err, const struct tsb_stat *st);
int tail_follow(struct tail *o);	/* the exit status */

#endif
