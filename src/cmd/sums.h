/*
 * md5sum and its kin, sum and cksum, between their files: sums.c computes and
 * prints, sums_check.c reads lists and compares, sums_commands.c has the options.
 */
#ifndef CMD_SUMS_H
#define CMD_SUMS_H

#include <tinysandbox/command.h>

#include "cmd/digest.h"

struct sums {
	int kind;		/* enum digest_kind */
	bool is_cksum, kind_given, debug;
	bool check, ignore_missing, quiet, status, warn, strict, tag, zero;
	int binary;		/* -1: neither -b nor -t was given */
	const char *length_text;
	uint64_t length;	/* of BLAKE2b's result, in bits; 0: the usual */

	struct tsb_proc *p;
};

/* What a command does after its options are read. */
int sums_run(struct tsb_proc *p, void *opts, int argc, char **argv);

/* Computes the digest of a file ("-": standard input): false after a message.
 * *missing (may be NULL: then it is an error): there is no such file. */
bool sums_file(struct sums *s, const char *name, enum digest_kind kind, size_t bytes,
	       struct digest *d, unsigned char out[DIGEST_BYTES_MAX], bool *missing);
/* The name, with \ and newlines escaped: was anything? The mark of that, a
 * backslash at the start of the line, is written by the caller. */
bool sums_needs_escape(const char *name);
void sums_put_name(struct tsb_proc *p, const char *name, bool escape);
/* Verifies a list: is all of it right? */
bool sums_check(struct sums *s, const char *list);

#endif
