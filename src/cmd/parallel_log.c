/*
 * parallel --joblog, and --resume: jobs that the log of an earlier run has are
 * not run again (with --resume-failed those that succeeded).
 */
#include "cmd/parallel.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>

/* A line "SEQ HOST START RUNTIME SEND RECEIVE EXIT SIGNAL COMMAND", tabs between. */
static void log_line(struct par *r, char *line)
{
	char *field[8], *end;
	size_t n = 0, seq;
	bool good;

	for (char *at = line; at && n < 8; at = end ? end + 1 : NULL) {
		end = strchr(at, '\t');
		if (end)
			*end = '\0';
		field[n++] = at;
	}
	seq = n == 8 ? strtoul(field[0], NULL, 10) : 0;
	if (!seq || seq > r->n_jobs)
		return;
	good = !strcmp(field[6], "0") && !strcmp(field[7], "0");
	r->jobs[seq - 1].started = r->jobs[seq - 1].ended = r->jobs[seq - 1].shown =
		r->resume || good;
}

static bool log_read(struct par *r)
{
	int fd = tsb_open(r->p, r->joblog, O_RDONLY | O_CLOEXEC, 0);
	struct tsb_reader in;
	bool any = false;
	char *line;

	if (fd < 0)
		return false;
	tsb_reader_init(&in, r->p, fd);
	while (tsb_getdelim(&in, &line, '\n')) {
		tsb_tick(r->p, 1);
		any = true;
		log_line(r, line);
	}
	tsb_reader_end(&in);
	tsb_close(r->p, fd);
	return any;
}

bool par_open_log(struct par *r, int *log)
{
	static const char head[] = "Seq\tHost\tStarttime\tJobRuntime\tSend\tReceive\tExitval\tSignal\tCommand\n";
	bool resumed = r->resume || r->resume_failed, there;

	*log = -1;
	if (resumed && !r->joblog) {
		tsb_warn(r->p, "Error: --resume and --resume-failed require --joblog or --results.");
		return false;
	}
	if (!r->joblog)
		return true;
	there = resumed && log_read(r);
	*log = tsb_open(r->p, r->joblog, O_WRONLY | O_CREAT | O_CLOEXEC | (there ? O_APPEND : O_TRUNC),
			0666);
	if (*log < 0) {
		tsb_warn(r->p, "Error: Cannot write to --joblog %s.", r->joblog);
		return false;
	}
	if (!there)
		tsb_write_all(r->p, *log, head, sizeof(head) - 1);
	return true;
}
