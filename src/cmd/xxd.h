/*
 * xxd, between its files: xxd.c has the options and the dumps, xxd_revert.c
 * turns dumps back into bytes.
 */
#ifndef CMD_XXD_H
#define CMD_XXD_H

#include <tinysandbox/command.h>

#include "cmd/lines.h"

enum xxd_type { XXD_NORMAL, XXD_PLAIN, XXD_C, XXD_BITS, XXD_LITTLE };

struct xxd {
	struct tsb_proc *p;
	enum xxd_type type;
	bool skip_zeroes, upper, capitals, decimal, revert, ebcdic, columns_given;
	bool seek_from_here, seek_back;
	long columns, group, length;	/* group, length negative: not given */
	long seek;
	uint64_t shown_offset;
	const char *variable;

	struct tsb_reader in;
	struct sink out;
	bool is_stdin;
};

/* Prints "xxd: text" and ends with this status. */
void xxd_die(struct xxd *x, int status, const char *text) TSB_NORETURN;
int xxd_revert(struct xxd *x);

#endif
