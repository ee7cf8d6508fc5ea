/*
 * dos2unix and its kin: options, a file, and -i.
 */
#ifndef CMD_DOS2UNIX_H
#define CMD_DOS2UNIX_H

#include <tinysandbox/command.h>

#include "base/str.h"

struct iconv_set;

enum dos_mark { DOS_REMOVE, DOS_KEEP, DOS_ADD };

enum {
	DOS_INFO_DOS = 1, DOS_INFO_UNIX = 2, DOS_INFO_MAC = 4, DOS_INFO_BOM = 8, DOS_INFO_TEXT = 16,
	DOS_INFO_ALL = 31, DOS_INFO_NAMES = 32, DOS_INFO_HEADER = 64, DOS_INFO_BASE = 128,
	DOS_INFO_NUL = 256
};

struct dos {
	struct tsb_proc *p;
	bool to_unix, mac;
	enum dos_mark bom;
	bool force, keep_date, newline, new_file, quiet, verbose, keep_16, said_page, asked_page, header_shown;
	char assume;		/* 'l' or 'b': UTF-16 */
	char links, chars;	/* F R S; a 7 i */
	const char *page;
	const struct iconv_set *set;
	int info;
	int status;
};

struct dos_file {
	struct str text, out;
	size_t at;		/* behind the byte order mark */
	const char *mark;
	char wide;		/* 'l' or 'b': units of two bytes */
	int32_t half;
	size_t converted, lines;
};

bool dos_read(struct dos *d, int fd, struct dos_file *f);
int dos_open(struct dos *d, const char *name, struct tsb_stat *st);	/* < 0: it is said why */
void dos_look(struct dos *d, struct dos_file *f);
/* The next unit; -1 at the end. */
int32_t dos_unit(const struct dos_file *f, size_t *at);
bool dos_is_binary(int32_t c);

/* ---- dos2unix_info.c ---- */
bool dos_info_flags(struct dos *d, const char *flags);
void dos_info(struct dos *d, const char *name);	/* NULL: standard input */

#endif
