/*
 * parallel - run a command for many arguments, several at a time (the common
 * options of GNU parallel). Each job is a shell's command line; what it prints
 * goes to an unnamed file and is shown in one piece when it has ended.
 */
#include "cmd/parallel.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include "base/num.h"
#include "cmd/cmd.h"
#include "cmd/util.h"
#include "text/regex.h"

enum { PAR_FAILED_MAX = 101, PAR_USAGE = 255, PAR_CHARS = 131071, PAR_BLOCK = 1 << 20 };

static const struct tsb_opt par_opts[] = {
	TSB_OPT_STR(struct par, jobs_text, 'j', "jobs", "N", "run N jobs in parallel; 0: as many as possible"),
	TSB_OPT_STR(struct par, jobs_text, 0, "max-procs", "N", NULL),
	TSB_OPT_STR(struct par, jobs_text, 'P', NULL, "N", "same as -j"),
	TSB_OPT_FLAG(struct par, keep, 'k', "keep-order", "keep the order of the output"),
	TSB_OPT_STR(struct par, max_args, 'n', "max-args", "N", "use at most N arguments a command"),
	TSB_OPT_STR(struct par, max_replace, 'N', "max-replace-args", "N",
		    "use at most N arguments a command; {1} to {N} are the arguments"),
	TSB_OPT_STR(struct par, lines_text, 'L', "max-lines", "N", "use N lines of input a command"),
	TSB_OPT_FLAG(struct par, context, 'X', "context-replace",
		     "as many arguments as fit; the word around {} is repeated"),
	TSB_OPT_FLAG(struct par, multi, 'm', "xargs", "as many arguments as fit"),
	TSB_OPT_STR(struct par, replace, 'I', "replace", "STR", "use STR instead of {}"),
	TSB_OPT_STR(struct par, colsep, 'C', "colsep", "REGEX", "split the lines into columns: {1} {2}"),
	TSB_OPT_STR(struct par, delimiter, 'd', "delimiter", "D", "input items are ended by D"),
	TSB_OPT_FLAG(struct par, nul, '0', "null", "input items are ended by NUL"),
	TSB_OPT_STR(struct par, eof, 'E', NULL, "STR", "a line that ends the input"),
	TSB_OPT_LIST(struct par, arg_files, 'a', "arg-file", "FILE", "read arguments from FILE"),
	TSB_OPT_FLAG(struct par, link, 0, "link", "link the sources instead of combining them"),
	TSB_OPT_FLAG(struct par, link, 0, "xapply", NULL),
	TSB_OPT_STR(struct par, arg_sep, 0, "arg-sep", "STR", "use STR instead of :::"),
	TSB_OPT_STR(struct par, file_sep, 0, "arg-file-sep", "STR", "use STR instead of ::::"),
	TSB_OPT_STR(struct par, header, 0, "header", "REGEX", "the first values are the sources' names"),
	TSB_OPT_STR(struct par, trim, 0, "trim", "lr", "remove white space at l(eft), r(ight)"),
	TSB_OPT_FLAG(struct par, no_empty, 'r', "no-run-if-empty", "leave out empty arguments"),
	TSB_OPT_FLAG(struct par, shuffle, 0, "shuf", "run the jobs in random order"),
	TSB_OPT_FLAG(struct par, quote, 'q', "quote", "quote the command"),
	TSB_OPT_STR(struct par, chars_text, 's', "max-chars", "N", "use at most N characters a command"),
	TSB_OPT_FLAG(struct par, dry_run, 0, "dry-run", "print the jobs, do not run them"),
	TSB_OPT_FLAG(struct par, dry_run, 0, "dryrun", NULL),
	TSB_OPT_FLAG(struct par, verbose, 'v', "verbose", "print the job before its output"),
	TSB_OPT_FLAG(struct par, trace, 't', NULL, "print the job on standard error"),
	TSB_OPT_SET(struct par, output, PAR_GROUP, 0, "group", "output of a job in one piece (default)"),
	TSB_OPT_SET(struct par, output, PAR_LINES, 0, "line-buffer", "output line by line"),
	TSB_OPT_SET(struct par, output, PAR_LINES, 0, "linebuffer", NULL),
	TSB_OPT_SET(struct par, output, PAR_LINES, 0, "lb", NULL),
	TSB_OPT_SET(struct par, output, PAR_UNGROUP, 'u', "ungroup", "output as it comes"),
	TSB_OPT_FLAG(struct par, tag, 0, "tag", "begin each line with the arguments and a tab"),
	TSB_OPT_STR(struct par, tagstring, 0, "tagstring", "STR", "begin each line with STR and a tab"),
	TSB_OPT_STR(struct par, halt, 0, "halt", "WHEN",
		    "never, now or soon ,fail=N ,success=N ,done=N: when to stop"),
	TSB_OPT_STR(struct par, halt, 0, "halt-on-error", "WHEN", NULL),
	TSB_OPT_STR(struct par, joblog, 0, "joblog", "FILE", "write a line for each job to FILE"),
	TSB_OPT_FLAG(struct par, resume, 0, "resume", "do not run what --joblog's FILE has"),
	TSB_OPT_FLAG(struct par, resume_failed, 0, "resume-failed", "run what failed there again"),
	TSB_OPT_STR(struct par, results, 0, "results", "DIR", "keep the output in files below DIR"),
	TSB_OPT_STR(struct par, results, 0, "res", "DIR", NULL),
	TSB_OPT_STR(struct par, delay_text, 0, "delay", "SECS", "wait before each start"),
	TSB_OPT_STR(struct par, timeout_text, 0, "timeout", "SECS", "kill jobs that run longer"),
	TSB_OPT_STR(struct par, retries_text, 0, "retries", "N", "try a failing job N times"),
	TSB_OPT_STR(struct par, nice_text, 0, "nice", "N", "run the jobs with that niceness"),
	TSB_OPT_STR(struct par, wd, 0, "workdir", "DIR", "run the jobs in DIR"),
	TSB_OPT_STR(struct par, wd, 0, "wd", "DIR", NULL),
	TSB_OPT_STR(struct par, tmpdir, 0, "tmpdir", "DIR", "where temporary files are made"),
	TSB_OPT_FLAG(struct par, pipe, 0, "pipe", "give each job a part of standard input"),
	TSB_OPT_FLAG(struct par, pipe, 0, "spreadstdin", NULL),
	TSB_OPT_STR(struct par, block_text, 0, "block", "SIZE", "with --pipe: about so much a job"),
	TSB_OPT_STR(struct par, block_text, 0, "block-size", "SIZE", NULL),
	TSB_OPT_FLAG(struct par, cores, 0, "number-of-cores", "print the number of processors"),
	TSB_OPT_FLAG(struct par, cores, 0, "number-of-cpus", NULL),
	TSB_OPT_FLAG(struct par, cores, 0, "number-of-threads", NULL),
	TSB_OPT_STR(struct par, sshlogin, 'S', "sshlogin", "HOST", "refused: there is no other machine"),
	TSB_OPT_FLAG(struct par, ignored, 0, "will-cite", "say nothing about citations (nothing is said)"),
	TSB_OPT_FLAG(struct par, ignored, 0, "no-notice", NULL),
	TSB_OPT_FLAG(struct par, ignored, 0, "gnu", "behave like GNU parallel (always)"),
	TSB_OPT_FLAG(struct par, version, 'V', "version", "output version information and exit"),
	TSB_OPT_HELP('h', "help"),
	TSB_OPT_END
};

/* ---- Numbers ---- */

static bool par_bad(struct par *r, const char *option, const char *value)
{
	tsb_warn(r->p, "Error: %s=%s: not a number.", option, value);
	return false;
}

static bool par_count(struct par *r, const char *option, const char *text, size_t *out)
{
	uint64_t v;

	if (!text)
		return true;
	if (num_suffixed(text, "kKMGT", &v) != NUM_OK || v > SIZE_MAX / 4)
		return par_bad(r, option, text);
	*out = (size_t)v;
	return true;
}

/* "10", "1.5", "2m", "1h": nanoseconds. */
static bool par_time(struct par *r, const char *option, const char *text, int64_t *ns)
{
	double scale = 1, v;
	char *end;

	if (!text)
		return true;
	v = strtod(text, &end);
	scale = *end == 'm' ? 60 : *end == 'h' ? 3600 : *end == 'd' ? 86400 : 1;
	end += *end && strchr("smhd", *end);
	if (end == text || *end || !(v >= 0) || v > 1e9)
		return par_bad(r, option, text);
	*ns = (int64_t)(v * scale * 1e9);
	return true;
}

/* "4", "0" (no limit), "100%", "+2": of one processor. */
static bool par_jobs(struct par *r)
{
	const char *text = r->jobs_text;
	char *end;
	double v;

	r->jobs_max = 1;
	if (!text)
		return true;
	v = strtod(text, &end);
	if (end == text || (*end && strcmp(end, "%")))
		return par_bad(r, "--jobs", text);
	if (*end == '%')
		v = v / 100;
	if (*text == '+' || *text == '-')
		v += 1;
	if (v <= 0 && *text != '-')
		r->jobs_max = *end ? 1 : 252;
	else
		r->jobs_max = v < 1 ? 1 : v > 10000 ? 10000 : (size_t)v;
	return true;
}

static bool par_delimiter(struct par *r)
{
	const char *d = r->delimiter;

	r->delim = r->nul ? '\0' : '\n';
	if (!d)
		return true;
	if (d[0] == '\\' && d[1] && !d[2]) {
		const char *at = strchr("n\nt\tr\r0\0\\\\", d[1]);

		r->delim = d[1] == '0' ? '\0' : at ? at[1] : d[1];
		return true;
	}
	if (d[1]) {
		tsb_warn(r->p, "Error: --delimiter must be one character.");
		return false;
	}
	r->delim = (unsigned char)d[0];
	return true;
}

static bool par_settle(struct par *r)
{
	size_t retries = 0, block = PAR_BLOCK, nice = 0;
	const char *error = NULL;

	r->args_max = 0;
	r->chars_max = PAR_CHARS;
	r->positional = r->max_replace != NULL;
	if (!par_jobs(r) || !par_count(r, "--max-args", r->max_args, &r->args_max) ||
	    !par_count(r, "--max-lines", r->lines_text, &r->args_max) ||
	    !par_count(r, "--max-replace-args", r->max_replace, &r->args_max) ||
	    !par_count(r, "--max-chars", r->chars_text, &r->chars_max) ||
	    !par_count(r, "--retries", r->retries_text, &retries) ||
	    !par_count(r, "--block", r->block_text, &block) ||
	    !par_count(r, "--nice", r->nice_text, &nice) ||
	    !par_time(r, "--delay", r->delay_text, &r->delay_ns) ||
	    !par_time(r, "--timeout", r->timeout_text, &r->timeout_ns) || !par_delimiter(r))
		return false;
	r->positional |= r->max_args != NULL;
	r->retries = retries > 1000 ? 1000 : (int)retries;
	r->nice = nice > 19 ? 19 : (int)nice;
	if (r->pipe)
		r->chars_max = block;
	if (r->header)
		r->colsep = r->colsep ? r->colsep : strcmp(r->header, ":") ? r->header : NULL;
	if (!r->colsep)
		return true;
	r->colsep_re = regex_compile(tsb_heap_of(r->p), r->colsep, strlen(r->colsep), REGEX_EXTENDED,
				     &error);
	if (r->colsep_re && !error)
		return true;
	tsb_warn(r->p, "Error: --colsep=%s: %s.", r->colsep, error ? error : "out of memory");
	return false;
}

/* ---- Jobs ---- */

static void par_job_add(struct par *r, const struct par_record *records, size_t n)
{
	struct par_job *job;

	r->jobs = util_grow(r->p, r->jobs, r->n_jobs, &r->cap_jobs, sizeof(*r->jobs));
	job = &r->jobs[r->n_jobs++];
	*job = (struct par_job){ .seq = r->n_jobs, .records = records, .n_records = n, .in = -1,
				 .out = -1, .err = -1 };
}

static size_t par_record_size(const struct par_record *rec)
{
	size_t size = 0;

	for (size_t i = 0; i < rec->n; i++)
		size += strlen(rec->column[i]) + 1;
	return size;
}

/* -X, -m: what fits, and no job has more than its share. */
static void par_pack(struct par *r)
{
	size_t fixed = strlen(r->template) - strlen(r->replace), share = (r->n_records + r->jobs_max - 1) / r->jobs_max;

	for (size_t from = 0; from < r->n_records;) {
		size_t n = 0, size = fixed ? fixed - 1 : 0;

		while (from + n < r->n_records && (!n || n < share) && (!r->args_max || n < r->args_max)) {
			size += par_record_size(&r->records[from + n]);
			if (n && size > r->chars_max)
				break;
			n++;
		}
		par_job_add(r, &r->records[from], n);
		from += n;
	}
}

static void par_make_jobs(struct par *r)
{
	size_t each = r->args_max ? r->args_max : 1;

	if (r->context || r->multi) {
		par_pack(r);
	} else {
		for (size_t i = 0; i < r->n_records; i += each)
			par_job_add(r, &r->records[i],
				    r->n_records - i < each ? r->n_records - i : each);
	}
}

/* ---- Output ---- */

static void par_write(struct par *r, int fd, const char *data, size_t n)
{
	if (fd == 1)
		tsb_put(r->p, data, n);
	else
		tsb_write_all(r->p, fd, data, n);
}

/* Lines of a block, each behind the job's tag. */
static void par_tagged(struct par *r, const struct par_job *job, int fd, const char *data, size_t n)
{
	struct str out;

	str_init(&out, tsb_heap_of(r->p), STR_MAX_DEFAULT);
	while (n) {
		const char *end = memchr(data, '\n', n);
		size_t len = end ? (size_t)(end - data) + 1 : n;

		str_addf(&out, "%s\t", job->tag);
		str_addn(&out, data, len);
		data += len;
		n -= len;
	}
	par_write(r, fd, out.p, out.n);
	str_end(&out);
}

/* What has come since the last time; whole lines only until the job has ended. */
static void par_show_file(struct par *r, struct par_job *job, int file, int fd, uint64_t *at)
{
	struct str text;
	char buf[4096];
	ssize_t n;
	size_t len;

	if (file < 0)
		return;
	str_init(&text, tsb_heap_of(r->p), STR_MAX_DEFAULT);
	while ((n = tsb_pread(r->p, file, buf, sizeof(buf), *at + text.n)) > 0) {
		str_addn(&text, buf, (size_t)n);
		if (!job->tag && job->ended && text.n > 65536) {
			par_write(r, fd, text.p, text.n);
			*at += text.n;
			str_reset(&text);
		}
	}
	len = text.n;
	if (!job->ended) {
		const char *last = memrchr(text.p, '\n', text.n);

		len = last ? (size_t)(last - text.p) + 1 : 0;
	}
	if (job->tag)
		par_tagged(r, job, fd, text.p, len);
	else
		par_write(r, fd, text.p, len);
	*at += len;
	str_end(&text);
}

static void par_show(struct par *r, struct par_job *job)
{
	par_show_file(r, job, job->out, 1, &job->put[0]);
	if (job->err >= 0)
		tsb_flush(r->p);
	par_show_file(r, job, job->err, 2, &job->put[1]);
	if (!job->ended)
		return;
	if (job->out >= 0)
		tsb_close(r->p, job->out);
	if (job->err >= 0)
		tsb_close(r->p, job->err);
	job->out = job->err = -1;
	job->shown = true;
}

/* What may be shown now: with -k only the jobs before which all have ended. */
static void par_show_ready(struct par *r, size_t *next)
{
	for (size_t i = *next; i < r->n_jobs; i++) {
		struct par_job *job = &r->jobs[i];

		if (job->started && !job->shown && (job->ended || r->output == PAR_LINES))
			par_show(r, job);
		if (r->keep && !job->shown)
			return;
		if (i == *next && job->shown)
			++*next;
	}
}

/* ---- --results ---- */

static int par_result_file(struct par *r, const struct par_job *job, const char *name)
{
	char *dir = tsb_strdup(r->p, r->results);
	int fd;

	tsb_mkdir(r->p, dir, 0777);
	for (size_t i = 0; job->n_records && i < job->records[0].n; i++) {
		char *part = tsb_strdup(r->p, job->records[0].column[i]);

		for (char *at = part; *at; at++)
			*at = *at == '/' ? '_' : *at;
		dir = i < r->n_names ? tsb_format(r->p, "%s/%s", dir, r->names[i]) :
		      tsb_format(r->p, "%s/%zu", dir, i + 1);
		tsb_mkdir(r->p, dir, 0777);
		dir = tsb_format(r->p, "%s/%s", dir, part);
		tsb_mkdir(r->p, dir, 0777);
	}
	fd = tsb_open(r->p, tsb_format(r->p, "%s/%s", dir, name), O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC,
		      0666);
	if (fd < 0)
		tsb_warn_errno(r->p, fd, "Error: Cannot write to %s/%s", dir, name);
	return fd;
}

static void par_results(struct par *r, struct par_job *job)
{
	int fd = par_result_file(r, job, "seq");
	char *text = tsb_format(r->p, "%zu", job->seq);

	if (fd >= 0) {
		tsb_write_all(r->p, fd, text, strlen(text));
		tsb_close(r->p, fd);
	}
	job->out = par_result_file(r, job, "stdout");
	job->err = par_result_file(r, job, "stderr");
}

/* ---- Starting ---- */

static void par_say(struct par *r, const struct par_job *job)
{
	const char *line = tsb_format(r->p, "%s\n", job->command);

	if (r->verbose)
		tsb_puts(r->p, line);
	tsb_flush(r->p);
	if (r->trace)
		tsb_write_all(r->p, 2, line, strlen(line));
}

static bool par_start(struct par *r, struct par_job *job, int slot)
{
	const char *argv[] = { r->shell[0], "-c", NULL, NULL };
	struct tsb_fd_map map[3];
	struct tsb_spawn how = { .size = sizeof(how), .argv = argv, .fds = map, .cwd = r->wd,
				 .flags = TSB_SPAWN_NEW_GROUP };
	int null = -1;

	job->slot = slot;
	par_make_line(r, job);
	argv[2] = job->command;
	par_say(r, job);
	if (r->results && job->out < 0)
		par_results(r, job);
	if (r->output != PAR_UNGROUP && job->out < 0) {
		job->out = par_temporary(r);
		job->err = par_temporary(r);
	}
	if (job->in < 0 && (r->stdin_used || job->seq > 1))
		null = tsb_open(r->p, "/dev/null", O_RDONLY | O_CLOEXEC, 0);
	else if (job->in >= 0)
		tsb_lseek(r->p, job->in, 0, SEEK_SET);
	if (job->in >= 0 || null >= 0)
		map[how.n_fds++] = (struct tsb_fd_map){ 0, job->in >= 0 ? job->in : null };
	if (job->out >= 0)
		map[how.n_fds++] = (struct tsb_fd_map){ 1, job->out };
	if (job->err >= 0)
		map[how.n_fds++] = (struct tsb_fd_map){ 2, job->err };
	job->started = true;
	job->ended = false;
	job->tries++;
	job->from = tsb_clock(r->p, TSB_CLOCK_REAL);
	job->status = tsb_spawn(r->p, &how, &job->pid);
	if (null >= 0)
		tsb_close(r->p, null);
	if (job->status >= 0)
		return true;
	tsb_warn_errno(r->p, job->status, "Error: Cannot run %s", argv[0]);
	return false;
}

/* ---- Ending ---- */

struct par_run {
	struct par *r;
	size_t next, show, running, failed, succeeded;
	bool *slots;
	bool stopping;
	int stop_status, log;
	bool soon, on_fail, on_success, percent;
	size_t halt_count;
};

static int64_t par_ns(struct tsb_time a, struct tsb_time b)
{
	return (b.sec - a.sec) * 1000000000 + (b.nsec - a.nsec);
}

static void par_log(struct par_run *run, struct par_job *job)
{
	int sig = WIFSIGNALED(job->status) ? WTERMSIG(job->status) : 0;
	struct tsb_stat st = { .size = 0 };
	char *line;

	if (run->log < 0)
		return;
	if (job->out >= 0)
		tsb_fstat(run->r->p, job->out, &st);
	line = tsb_format(run->r->p, "%zu\t:\t%lld.%03d\t%10.3f\t0\t%llu\t%d\t%d\t%s\n", job->seq,
			  (long long)job->from.sec, job->from.nsec / 1000000,
			  (double)par_ns(job->from, job->to) / 1e9, (unsigned long long)st.size,
			  sig ? 0 : WEXITSTATUS(job->status), sig, job->command);
	tsb_write_all(run->r->p, run->log, line, strlen(line));
}

static bool par_halt_due(const struct par_run *run)
{
	size_t n = (run->on_fail ? run->failed : 0) + (run->on_success ? run->succeeded : 0);

	if (!run->halt_count)
		return false;
	return run->percent ? n * 100 >= run->halt_count * run->r->n_jobs : n >= run->halt_count;
}

static void par_kill_all(struct par *r)
{
	for (size_t i = 0; i < r->n_jobs; i++)
		if (r->jobs[i].started && !r->jobs[i].ended)
			tsb_kill(r->p, -r->jobs[i].pid, SIGTERM);
}

static void par_halt(struct par_run *run, const struct par_job *job, bool fail)
{
	int sig = WIFSIGNALED(job->status) ? WTERMSIG(job->status) : 0;
	const char *text;

	if (run->stopping || !(fail ? run->on_fail : run->on_success) || !par_halt_due(run))
		return;
	run->stopping = true;
	run->stop_status = sig ? 128 + sig : WEXITSTATUS(job->status);
	tsb_flush(run->r->p);
	text = tsb_format(run->r->p, "parallel: This job %s:\n%s\n", fail ? "failed" : "succeeded",
			  job->command);
	if (run->soon && run->running)
		text = tsb_format(run->r->p, "%sparallel: Starting no more jobs. Waiting for %zu jobs to "
				  "finish.\n", text, run->running);
	tsb_write_all(run->r->p, 2, text, strlen(text));
	if (!run->soon)
		par_kill_all(run->r);
}

static void par_ended(struct par_run *run, int pid, int status)
{
	struct par *r = run->r;
	struct par_job *job = NULL;
	bool fail;

	for (size_t i = 0; i < r->n_jobs && !job; i++)
		if (r->jobs[i].started && !r->jobs[i].ended && r->jobs[i].pid == pid)
			job = &r->jobs[i];
	if (!job)
		return;
	run->running--;
	run->slots[job->slot - 1] = false;
	job->ended = true;
	job->status = status;
	job->to = tsb_clock(r->p, TSB_CLOCK_REAL);
	fail = !WIFEXITED(status) || WEXITSTATUS(status);
	if (fail && job->tries < r->retries && !run->stopping) {
		job->started = job->ended = false;
		if (job->out >= 0)
			tsb_ftruncate(r->p, job->out, 0);
		if (job->out >= 0)
			tsb_lseek(r->p, job->out, 0, SEEK_SET);
		return;
	}
	run->failed += fail;
	run->succeeded += !fail;
	par_log(run, job);
	if (job->timed_out) {
		char *text = tsb_format(r->p, "parallel: Warning: This job was killed because it timed out:"
					"\nparallel: Warning: %s\n", job->command);
		tsb_write_all(r->p, 2, text, strlen(text));
	}
	if (r->results)
		job->shown = true;
	par_show_ready(r, &run->show);
	par_halt(run, job, fail);
}

/* ---- The loop ---- */

static struct par_job *par_next_job(struct par_run *run)
{
	struct par *r = run->r;

	while (run->next < r->n_jobs && r->jobs[run->next].started)
		run->next++;
	for (size_t i = 0; i < run->next; i++)
		if (!r->jobs[i].started)
			return &r->jobs[i];	/* to be tried again */
	return run->next < r->n_jobs ? &r->jobs[run->next] : NULL;
}

static int par_free_slot(const struct par_run *run)
{
	int slot = 0;

	while (run->slots[slot])
		slot++;
	return slot + 1;
}

static void par_fill_slots(struct par_run *run)
{
	struct par *r = run->r;
	struct par_job *job;

	while (!run->stopping && run->running < r->jobs_max && (job = par_next_job(run))) {
		int slot = par_free_slot(run);

		if (r->delay_ns && job->seq > 1)
			tsb_sleep(r->p, r->delay_ns);
		if (!par_start(r, job, slot)) {
			job->ended = job->shown = true;
			run->failed++;
			continue;
		}
		run->slots[slot - 1] = true;
		run->running++;
	}
}

static int64_t par_check_timeouts(struct par_run *run)
{
	struct par *r = run->r;
	struct tsb_time now = tsb_clock(r->p, TSB_CLOCK_REAL);
	int64_t wait = r->output == PAR_LINES ? 20000000 : -1;

	for (size_t i = 0; r->timeout_ns && i < r->n_jobs; i++) {
		struct par_job *job = &r->jobs[i];
		int64_t left = r->timeout_ns - par_ns(job->from, now);

		if (!job->started || job->ended || job->timed_out)
			continue;
		if (left <= 0) {
			job->timed_out = true;
			tsb_kill(r->p, -job->pid, SIGTERM);
		} else if (wait < 0 || left < wait) {
			wait = left;
		}
	}
	return wait;
}

static void par_loop(struct par_run *run)
{
	struct par *r = run->r;

	for (;;) {
		int status, pid;
		int64_t wait;

		par_fill_slots(run);
		if (!run->running)
			break;
		wait = par_check_timeouts(run);
		pid = tsb_wait_timeout(r->p, -1, &status, wait);
		if (pid > 0)
			par_ended(run, pid, status);
		else if (r->output == PAR_LINES)
			par_show_ready(r, &run->show);
		tsb_flush(r->p);
	}
	par_show_ready(r, &run->show);
}

/* "now,fail=1", "soon,success=2", "now,fail=30%", and the old 0, 1, 2. */
static bool par_halt_option(struct par *r, struct par_run *run)
{
	const char *text = r->halt;
	char *end;

	if (!text || !strcmp(text, "never") || !strcmp(text, "0"))
		return true;
	if (!strcmp(text, "1") || !strcmp(text, "2")) {
		run->soon = *text == '1';
		run->on_fail = true;
		run->halt_count = 1;
		return true;
	}
	run->soon = !strncmp(text, "soon", 4);
	if (!run->soon && strncmp(text, "now", 3))
		return par_bad(r, "--halt", text);
	text = strchr(text, ',');
	text = text ? text + 1 : "fail=1";
	run->on_fail = strncmp(text, "success=", 8) != 0;
	run->on_success = !strncmp(text, "success=", 8) || !strncmp(text, "done=", 5);
	text = strchr(text, '=');
	run->halt_count = text ? strtoul(text + 1, &end, 10) : 0;
	if (!run->halt_count)
		return par_bad(r, "--halt", r->halt);
	run->percent = *end == '%';
	return true;
}

static int par_run_jobs(struct par *r)
{
	struct par_run run = { .r = r };

	if (!par_halt_option(r, &run) || !par_open_log(r, &run.log))
		return PAR_USAGE;
	run.slots = tsb_alloc(r->p, (r->jobs_max + 1) * sizeof(bool));
	if (r->nice_text)
		tsb_set_nice(r->p, 0, r->nice);
	par_loop(&run);
	if (run.stopping)
		return run.stop_status;
	return run.failed > PAR_FAILED_MAX ? PAR_FAILED_MAX : (int)run.failed;
}

static int par_print_jobs(struct par *r)
{
	for (size_t i = 0; i < r->n_jobs; i++) {
		r->jobs[i].slot = (int)(i % r->jobs_max) + 1;
		par_make_line(r, &r->jobs[i]);
		tsb_printf(r->p, "%s\n", r->jobs[i].command);
	}
	return 0;
}

/* ---- The command ---- */

static bool par_is_source(const struct par *r, const char *word)
{
	const char *arg = r->arg_sep ? r->arg_sep : ":::", *file = r->file_sep ? r->file_sep : "::::";
	size_t n = strlen(word);

	n -= n > 1 && word[n - 1] == '+';
	return (strlen(arg) == n && !strncmp(word, arg, n)) ||
	       (strlen(file) == n && !strncmp(word, file, n));
}

/* The words of the command become a template; *at: where the sources begin. */
static void par_template(struct par *r, int argc, char **argv, int *at)
{
	struct str t;
	struct par_job none = { .seq = 1 };
	char *filled;

	str_init(&t, tsb_heap_of(r->p), STR_MAX_DEFAULT);
	for (*at = 0; *at < argc && !par_is_source(r, argv[*at]); ++*at) {
		if (*at)
			str_addc(&t, ' ');
		if (r->quote)
			par_quote_word(r, &t, argv[*at]);
		else
			str_adds(&t, argv[*at]);
	}
	if (!*at && !r->pipe) {
		r->is_command = true;
		str_adds(&t, r->replace ? r->replace : "{}");
	}
	r->template = t.p;
	filled = par_fill(r, &none, t.p, false);
	if (!r->is_command && !r->pipe && !strcmp(filled, t.p))
		r->template = tsb_format(r->p, "%s %s", t.p, r->replace ? r->replace : "{}");
}

static int par_main(struct tsb_proc *p, void *opts, int argc, char **argv)
{
	const char *shell = tsb_getenv(p, "SHELL");
	struct par *r = opts;
	char *found;
	int at;

	r->p = p;
	if (r->version) {
		tsb_puts(p, "GNU parallel 20221122\n");
		return 0;
	}
	if (r->cores) {
		tsb_puts(p, "1\n");
		return 0;
	}
	if (r->sshlogin) {
		tsb_warn(p, "Error: --sshlogin: not available in this sandbox: it needs another machine; "
			    "use local jobs instead");
		return PAR_USAGE;
	}
	if (!tsb_find_program(p, "bash", &found))
		shell = found;
	shell = shell && *shell ? shell : "/bin/sh";
	r->shell = &shell;
	r->replace = r->replace ? r->replace : "{}";
	if (!par_settle(r))
		return PAR_USAGE;
	/* Names of columns are known when the input has been read. */
	for (at = 0; at < argc && !par_is_source(r, argv[at]); at++)
		;
	if (r->pipe ? !par_read_blocks(r) : !par_read_input(r, argc - at, argv + at))
		return PAR_USAGE;
	par_template(r, argc, argv, &at);
	if (!r->pipe)
		par_make_jobs(r);
	return r->dry_run ? par_print_jobs(r) : par_run_jobs(r);
}

const struct tsb_command cmd_parallel = {
	.version = TSB_COMMAND_VERSION, .package = "GNU parallel", .package_version = "20221122",
	.name = "parallel", .synopsis = "[options] [command [arguments]] < list_of_arguments\n"
	"[options] [command [arguments]] (::: arguments|:::: argfile(s))...",
	.summary = "Run commands for many arguments, several at a time.", .opts = par_opts,
	.opts_size = sizeof(struct par), .run = par_main, .flags = TSB_OPERAND_ENDS | TSB_NO_HELP,
	.usage_status = PAR_USAGE,
};
