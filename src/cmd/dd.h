/*
 * dd: what its operands say, the state of a copy, and the conversions.
 */
#ifndef CMD_DD_H
#define CMD_DD_H

#include <tinysandbox/command.h>

enum {
	DD_ASCII = 1, DD_EBCDIC = 2, DD_IBM = 4, DD_BLOCK = 8, DD_UNBLOCK = 16, DD_LCASE = 32,
	DD_UCASE = 64, DD_SWAB = 128, DD_SYNC = 256, DD_NOERROR = 512, DD_NOTRUNC = 1024,
	DD_EXCL = 2048, DD_NOCREAT = 4096, DD_FDATASYNC = 8192, DD_FSYNC = 16384,
	DD_SPARSE = 32768,
	DD_TWO_BUFFERS = 65536	/* blocks of output are made full */
};

/* Flags besides Linux's O_*, which are below. */
enum {
	DD_FULLBLOCK = 1, DD_NOCACHE = 2, DD_COUNT_BYTES = 4, DD_SKIP_BYTES = 8, DD_SEEK_BYTES = 16
};

enum dd_status { DD_STATUS_DEFAULT, DD_STATUS_NONE, DD_STATUS_NOXFER, DD_STATUS_PROGRESS };

struct dd {
	struct tsb_proc *p;
	const char *input, *output;	/* names for messages */
	bool input_given, output_given;
	uint64_t bs, ibs, obs, cbs;
	uint64_t skip, seek, count;	/* in blocks, with so many bytes behind them: */
	uint64_t skip_bytes, seek_bytes, count_bytes;
	int conv, in_flags, out_flags;	/* DD_* */
	int in_bytes;			/* numbers that ended with B: DD_*_BYTES */
	int in_open, out_open;		/* O_* */
	enum dd_status status;

	int in, out;
	char *ibuf, *obuf;
	size_t n_out, out_cap;		/* of obuf */
	uint64_t in_full, in_part, out_full, out_part, truncated, written;
	uint64_t column, spaces;	/* of block and unblock */
	int saved;			/* a byte that waits for its partner (swab); -1: none */
	unsigned char table[256];
	int newline, space;
	bool translate, seeked_last, warn_partial;
	size_t before;			/* bytes the last read gave */
	int result;
	struct tsb_time start;
	uint64_t told;			/* seconds at the last progress line */
	size_t progress_width;
};

/* 0, or the exit status after a message. */
int dd_arguments(struct dd *d, int argc, char **argv);
/* Sets up the table of what a byte becomes. */
void dd_prepare(struct dd *d);
/* Bytes of the input through the conversions, to dd_put(). */
void dd_convert(struct dd *d, const char *at, size_t n);
/* What the conversions still hold. */
void dd_convert_end(struct dd *d);
/* Bytes of the output; full blocks are written. Ends the process on failure. */
void dd_put(struct dd *d, const char *at, size_t n);

#endif
