/*
 * zstd, unzstd, zstdcat: what their files share.
 */
#ifndef CMD_PACK_ZSTD_H
#define CMD_PACK_ZSTD_H

#include "cmd/pack/pack.h"

enum zstd_mode { ZSTD_MODE_PACK, ZSTD_MODE_UNPACK, ZSTD_MODE_TEST, ZSTD_MODE_LIST };

struct zstd {
	struct tsb_proc *p;
	const char *self;
	int mode, force, remove, to_stdout, ultra, check, content_size, dict_id, pass_through;
	int recursive, exclude, nothing;
	int level, display;	/* 0: nothing, 1: errors, 2: results, 3: more */
	int literals, rows;	/* 0: libzstd decides, 1: yes, 2: no */
	uint64_t window_log, stream_size, size_hint, block_size, memory, ignored;
	const char *out_name, *dict, *file_list, *dir_flat, *dir_mirror, *patch;
	size_t n_files, n_done, skipped;
	uint64_t total_in, total_out;
	int status;
	struct pack_in in;
	struct pack_out out;
	const char *name;
	struct tsb_stat st;
	char *dict_data;
	size_t dict_size;
};

/* To standard error when the display level is at least that. */
void zstd_say(struct zstd *z, int level, const char *fmt, ...) TSB_PRINTF(3, 4);
int zstd_files(struct zstd *z, size_t n, const char *const *names);
int zstd_list(struct zstd *z, size_t n, const char *const *names);

#endif
