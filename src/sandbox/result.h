/*
 * The result of a run: captured output and the kernel's report, copied.
 */
#ifndef SANDBOX_RESULT_H
#define SANDBOX_RESULT_H

#include <stdbool.h>

#include <tinysandbox/sandbox.h>

#include "sandbox/capture.h"

struct kernel_report;

struct tsb_result {
	struct capture out, err;	/* while it runs */
	char *out_text, *err_text;
	size_t out_n, err_n;
	bool out_cut, err_cut;
	int status;
	enum tsb_stop stop;
	const char *limit;		/* a name of the limits table: static */
	uint64_t wall_ns, memory_peak, cpu_ns;
	struct tsb_command_record *records;
	char *names;			/* of the records, one after the other */
	size_t n_records;
	uint64_t *pipes;
	size_t n_pipes;
};

struct tsb_result *result_new(const struct tsb_limits *limits);
/* Copies what the report borrows. On no memory the lists stay empty. */
void result_fill(struct tsb_result *r, int status, const struct kernel_report *report);
/* Ends the capture: false when there is no memory. */
bool result_seal(struct tsb_result *r);

#endif
