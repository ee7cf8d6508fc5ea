/*
 * unzip and zipinfo: what their files share.
 */
#ifndef CMD_ZIP_UNZIP_H
#define CMD_ZIP_UNZIP_H

#include "cmd/zip/zip.h"

/* Exit statuses, the larger one wins. */
enum { UNZIP_WARN = 1, UNZIP_ERR = 2, UNZIP_BAD_ZIP = 3, UNZIP_NO_TERMINAL = 5, UNZIP_NO_ZIP = 9, UNZIP_PARAM = 10,
       UNZIP_NO_MATCH = 11, UNZIP_BAD_METHOD = 81, UNZIP_BAD_PASSWORD = 82 };

struct unzip {
	struct tsb_proc *p;
	struct zip_file z;
	const char *archive;	/* as shown */
	/* options */
	bool list, test, to_stdout, pipe, comment_only, freshen, update, junk, never, always;
	bool lower, icase, backup, dotdot, keep_bits, owners, no_slash, stamp, zipinfo, dir_times;
	bool no_times;
	int quiet, verbose, text;
	const char *exdir, *password;
	/* zipinfo */
	int format;		/* '1', '2', 's', 'm', 'l', 'v' */
	bool header, trailer, decimal, show_comment;
	const char **names, **excluded;
	size_t n_names, n_excluded;
	bool *matched;
	/* the run */
	bool wild;		/* several archives: what is none is not looked for under other names */
	int status, last;	/* of all archives, of the last one */
	struct unzip_later *links, *dirs;
	struct tsb_reader answers;
	bool asking, tested_any;
	struct pack_in in;
	struct pack_out out;
	size_t n_done, n_skipped;
	int data_status;	/* of the tests */
	uint64_t data_at, data_left;	/* of the entry at hand */
	bool encrypted;
	struct zip_keys keys;
	size_t n_locked;	/* for which the password was wrong */
	uint32_t umask;
};

void unzip_status(struct unzip *u, int status);
void unzip_err(struct unzip *u, const char *fmt, ...) TSB_PRINTF(2, 3);
bool unzip_wants(struct unzip *u, struct zip_entry *e);
void unzip_warn_front(struct unzip *u);		/* of bytes before the archive */
void unzip_list(struct unzip *u);		/* -l, -v */
void unzip_info(struct unzip *u);		/* -Z */
void unzip_extract(struct unzip *u);
void unzip_date(struct unzip *u, const struct zip_entry *e, struct civil *c);

#endif
