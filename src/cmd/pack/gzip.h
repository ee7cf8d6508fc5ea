/*
 * gzip, gunzip, zcat: what their files share.
 */
#ifndef CMD_PACK_GZIP_H
#define CMD_PACK_GZIP_H

#include "cmd/pack/pack.h"

enum { GZIP_ERROR = 1, GZIP_WARNING = 2 };

struct gzip {
	struct tsb_proc *p;
	/* options */
	bool to_stdout, decompress, force, keep, list, quiet, recursive, test;
	int no_name, no_time;	/* -1: not said */
	int level, verbose;
	bool synchronous, rsyncable;
	const char *suffix;

	int status;
	struct pack_in in;
	struct pack_out out;
	/* the current file */
	const char *name, *out_name;	/* "stdin", "stdout" */
	struct tsb_stat st;
	struct tsb_time stamp;		/* nsec < 0: unknown */
	bool save_name;
	char *stored_name;		/* from the header */
	int part;			/* members seen */
	uint64_t header_bytes, bytes_in, bytes_out;
	uint32_t crc;
	enum { GZIP_NO_METHOD = -1, GZIP_STORED, GZIP_COMPRESSED, GZIP_PACKED, GZIP_LZHED,
	       GZIP_DEFLATED = 8 } method;
	bool last_member, listed;
	/* of a zip file's entry: from its header, unless they stand behind the data */
	bool zip, zip_behind;
	uint32_t zip_crc, zip_len, zip_packed;
	size_t n_listed;
	bool aborted, ascii;
	unsigned char *window;		/* of --rsyncable */
	size_t window_at;
	uint32_t window_sum;
	uint64_t total_in, total_out;
};

/* ---- gzip_data.c: returns false after a message ---- */
bool gzip_compress(struct gzip *g);
/* Header of the next member: its method; -1 with the message given, -2: trailing
 * garbage (warned), -3: nothing more. */
int gzip_read_header(struct gzip *g);
/* Body and trailer of the member. */
bool gzip_decompress(struct gzip *g);
bool gzip_out_failed(struct gzip *g);
void gzip_error(struct gzip *g, const char *text);	/* "\ngzip: NAME: text" */
void gzip_warn(struct gzip *g, const char *fmt, ...) TSB_PRINTF(2, 3);	/* not with -q */
/* ---- gzip_lzw.c ---- */
bool gzip_unlzw(struct gzip *g);
/* ---- gzip_file.c ---- */
void gzip_file(struct gzip *g, const char *name);
void gzip_stdin(struct gzip *g);
void gzip_ratio(struct tsb_proc *p, int64_t num, int64_t den, bool to_stdout);
void gzip_list_totals(struct gzip *g);

#endif
