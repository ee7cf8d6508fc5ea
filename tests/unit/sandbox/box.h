/* What these tests share: scripts run in a box, their output compared. */
#ifndef UNIT_SANDBOX_BOX_H
#define UNIT_SANDBOX_BOX_H

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <tinysandbox/sandbox.h>

#include "unit/tap.h"

/* Runs it; its output, or its errors if there are any, are `want`; the status. */
__attribute__((unused)) static int says(struct tsb_sandbox *box, const char *script,
					const char *want)
{
	struct tsb_result *res = NULL;
	const char *text;
	char name[80];
	size_t n;
	int status;

	/* A name is one line. */
	snprintf(name, sizeof(name), "%.*s", (int)strcspn(script, "\n"), script);

	is_int(tsb_run(box, script, NULL, &res), TSB_OK, "runs");
	if (!res)
		return -1;
	text = tsb_result_err(res, &n);
	if (!n)
		text = tsb_result_out(res, NULL);
	is_str(text, want, name);
	status = tsb_result_status(res);
	tsb_result_free(res);
	return status;
}

__attribute__((unused)) static struct tsb_sandbox *new_box(const struct tsb_options *opt)
{
	struct tsb_sandbox *box = NULL;

	ok(tsb_sandbox_open(&box, opt) == TSB_OK && box, "opens");
	return box;
}

#endif
