/*
 * bzip2, bunzip2, bzcat: what their files share.
 */
#ifndef CMD_PACK_BZIP2_H
#define CMD_PACK_BZIP2_H

#include "cmd/pack/pack.h"

enum bzip2_mode { BZIP2_COMPRESS, BZIP2_DECOMPRESS, BZIP2_TEST };

struct bzip2 {
	struct tsb_proc *p;
	const char *self;		/* the name it was called by */
	int mode;			/* enum bzip2_mode */
	bool to_stdout, from_stdin, force, keep, quiet, small;
	int verbose, level;
	bool only_files;
	int status;
	bool test_failed;
	size_t width, n_files, n_done;	/* of names in -v */
	struct pack_in in;
	struct pack_out out;
	const char *name, *out_name;
	bool made_output;
	struct tsb_stat st;
};

enum bzip2_result { BZIP2_OK, BZIP2_NOT, BZIP2_EOF, BZIP2_CORRUPT, BZIP2_READ, BZIP2_WRITE };

/* ---- bzip2_data.c ---- */
enum bzip2_result bzip2_compress(struct bzip2 *b);
/* *garbage: what follows is none. */
enum bzip2_result bzip2_decompress(struct bzip2 *b, bool *garbage);
void bzip2_say(struct bzip2 *b, const char *fmt, ...) TSB_PRINTF(2, 3);	/* unless -q */

#endif
