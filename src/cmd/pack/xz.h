/*
 * xz, unxz, xzcat, lzma, unlzma, lzcat: what their files share.
 */
#ifndef CMD_PACK_XZ_H
#define CMD_PACK_XZ_H

#include <lzma.h>

#include "cmd/pack/pack.h"

enum xz_mode { XZ_COMPRESS, XZ_DECOMPRESS, XZ_TEST, XZ_LIST };
enum xz_format { XZ_AUTO, XZ_XZ, XZ_LZMA, XZ_LZIP, XZ_RAW };

struct xz {
	struct tsb_proc *p;
	const char *self;
	/* options */
	int mode, format;
	bool to_stdout, force, keep, single, no_sparse, no_warn, robot, extreme, ignore_check;
	bool no_adjust;
	int quiet, verbose;
	unsigned level;
	int check;		/* lzma_check; -1: the default */
	uint64_t limit_pack, limit_unpack;	/* 0: none */
	uint64_t block_size;
	uint64_t *blocks;	/* of --block-list; 0, the last: all that is left */
	size_t n_blocks;
	const char *suffix, *files;
	int files_delim;
	struct str *chain;	/* of --x86, --lzma2=...: for lzma_str_to_filters() */
	/* the run */
	int status;
	lzma_allocator allocator;
	lzma_filter filters[LZMA_FILTERS_MAX + 1];
	lzma_options_lzma preset;
	int decodes;		/* the format of this file */
	uint64_t usage;		/* of the decoder, in memory */
	uint32_t dict;		/* what the headers say; the coder's may be smaller */
	bool dict_said;
	struct pack_in in;
	struct pack_out out;
	const char *name;
	struct tsb_stat st;
	size_t n_files, at_file, n_chain;
	struct xz_totals *totals;
	int list_fd;		/* of the file that is listed */
};

/* "NAME: text": -qq silences errors, -q warnings. */
void xz_error(struct xz *x, const char *fmt, ...) TSB_PRINTF(2, 3);
void xz_warning(struct xz *x, const char *fmt, ...) TSB_PRINTF(2, 3);
char *xz_nice(struct xz *x, uint64_t v, bool always_bytes);	/* "21.7 KiB (22256 B)" */
const char *xz_ret_text(lzma_ret r);

/* ---- xz_data.c ---- */
/* Filters, checks and memory as the options want them; ends the process. */
void xz_prepare(struct xz *x);
bool xz_code(struct xz *x);
/* Is the input what is to be decompressed? If not, it is said. */
bool xz_recognized(struct xz *x);
/* ---- xz_filter.c: both end the process after a message ---- */
/* "--lzma2=OPTS": what OPTS may be. */
void xz_check_filter(struct xz *x, const char *name, const char *options);
/* Do the filters that were asked for go together? */
void xz_check_chain(struct xz *x);
/* "1KiB": ends the process. */
uint64_t xz_number(struct xz *x, const char *text, uint64_t max);
void xz_fatal(struct xz *x, const char *fmt, ...) TSB_PRINTF(2, 3) TSB_NORETURN;
/* ---- xz_block.c ---- */
enum { XZ_OLDEST = 50000002 };		/* the first version of xz that reads .xz files */
struct xz_block {
	char flags[3], check[2 * LZMA_CHECK_SIZE_MAX + 1];
	uint32_t header, version;
	uint64_t packed, memory;
	const char *filters;
	bool sizes;		/* both are in the header */
};
lzma_ret xz_block_read(struct xz *x, const lzma_index_iter *it, struct xz_block *out);
/* ---- xz_list.c ---- */
void xz_list(struct xz *x, const char *name);
void xz_list_totals(struct xz *x);

#endif
