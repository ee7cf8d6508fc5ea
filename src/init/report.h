/*
 * What became of each control that was asked for. Whoever sets one up says so here; nothing else
 * decides it. At the end a control that nothing enforces and that was not accepted by name makes
 * the start fail (report_refused).
 *
 * Controls: "filesystem" (host files are out of reach), "processes" (host processes are),
 * "network", "memory", "cpu", "pids", "disk", "open-files", "syscalls" (a filter), "privileges"
 * (no new ones, capabilities dropped), "devices", "tree-kill" (the whole tree dies at a deadline,
 * whatever it does), "ports", "exec-limits" (memory, cpu and pids of single execs; of docker only).
 */
#ifndef INIT_REPORT_H
#define INIT_REPORT_H

#include <stdbool.h>
#include <stddef.h>

#include "wire/wire.h"

struct report_line {
	const char *control;
	char asked[64];
	char by[96];		/* what enforces it; empty: nothing */
	char why[160], fix[160];	/* when nothing does */
};

struct report {
	struct report_line line[16];
	size_t count;
};

void report_enforced(struct report *r, const char *control, const char *asked, const char *by);
void report_open(struct report *r, const char *control, const char *asked, const char *why,
		 const char *fix);
/*
 * The first line that nothing enforces and that the list (NULL-ended) does not accept; NULL:
 * none.
 */
const struct report_line *report_refused(const struct report *r, const char *const *accept);
void report_write(const struct report *r, struct wire_out *o);	/* REPORT fields */

#endif
