/*
 * Inside of stat: what a directive is put out from.
 */
#ifndef CMD_STAT_IMPL_H
#define CMD_STAT_IMPL_H

#include <tinysandbox/command.h>

#include "base/str.h"
#include "cmd/spec.h"
#include "text/civil.h"


struct stat_subject {
	struct tsb_proc *p;
	const char *path;
	struct str *out;
	struct zone zone;
	struct tsb_stat st;
	struct tsb_statfs fs;
	int *style;		/* enum quote_style of %N */
};

/* mod: 'H' or 'L' in front of the letter, or 0. false: something failed (said). */
bool stat_file_field(struct stat_subject *s, const struct spec *spec, int mod, int letter);
bool stat_fs_field(struct stat_subject *s, const struct spec *spec, int mod, int letter);

#endif
