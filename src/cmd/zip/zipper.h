/*
 * zip: what its files share.
 */
#ifndef CMD_ZIP_ZIPPER_H
#define CMD_ZIP_ZIPPER_H

#include "base/map.h"
#include "cmd/zip/zip.h"

enum { ZIP_E_TEST = 8, ZIP_E_NONE = 12, ZIP_E_PARMS = 16, ZIP_E_OPEN = 18, ZIP_E_FORM = 3,
       ZIP_E_CREATE = 15 };
enum zip_action { ZIP_ADD, ZIP_UPDATE, ZIP_FRESHEN, ZIP_DELETE, ZIP_SYNC };

/* A member of the archive to be: from a file, or kept as it was. */
struct zip_member {
	const char *path;	/* NULL: kept from `old` */
	char *name;
	struct zip_entry *old;
	struct tsb_stat st;
	bool is_link, is_dir, drop;
	struct zip_entry e;	/* as written */
	size_t n_extra_local;
	unsigned char extra_local[52], extra[32];
};

struct zipper {
	struct tsb_proc *p;
	/* options */
	int action, level, crlf;	/* crlf: 1: -l, 2: -ll */
	bool recurse, recurse_names, junk, move, links, no_dirs, no_extra, test, stamp, quiet, as_filter;
	int io_error;		/* that ends it */
	bool verbose, comment, from_stdin, show;
	const char *password;	/* -P */
	bool comments;		/* -c */
	int fix;		/* 1: -F, 2: -FF */
	struct tsb_reader answers;	/* for comments */
	bool answering;
	const char *no_suffixes, *after, *before, *out_name;
	const char **included, **excluded, **names;
	size_t n_included, n_excluded, n_names;
	/* the run */
	const char *archive;
	struct zip_file z;
	bool existed;
	struct zip_member *members;
	size_t n, cap;
	struct map by_name;
	struct zone zone;
	struct pack_in in;
	struct pack_out out;
	int status;
	size_t n_changed;
	uint64_t plain, packed;
	uint32_t after_dos, before_dos;
};

void zip_say(struct zipper *z, const char *fmt, ...) TSB_PRINTF(2, 3);	/* unless -q */
void zip_warn(struct zipper *z, const char *fmt, ...) TSB_PRINTF(2, 3);
void zip_fail(struct zipper *z, int status, const char *fmt, ...) TSB_PRINTF(3, 4) TSB_NORETURN;
struct zip_member *zip_new_member(struct zipper *z, char *name);
/* -F and -FF: what is left of the archive, into another. */
void zip_fix(struct zipper *z);
/* Writes all members, their directory, and puts the file in place. */
void zip_write(struct zipper *z);

#endif
