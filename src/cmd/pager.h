/* more and watch: what they are told (pager.c), and their screens. */
#ifndef CMD_PAGER_H
#define CMD_PAGER_H

#include <tinysandbox/command.h>

struct more {
	bool silent, logical, no_pause, count, clean, squeeze, plain, exit_on_eof;
	const char *lines;
	const char *plus;	/* +NUMBER, +/PATTERN: where to begin */
};

struct watch {
	bool beep, color, differences, permanent, error, change, precise, no_rerun, no_title, no_wrap, exec;
	const char *interval, *cycles;
	uint64_t quiet;		/* so many turns without a change end it; 0: none do */
	double seconds;
};

int more_screen(struct tsb_proc *p, const struct more *how, int files, char **names);
int watch_screen(struct tsb_proc *p, const struct watch *how, int argc, char **argv);

#endif
