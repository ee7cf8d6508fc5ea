/*
 * Inside parallel: arguments become records (parallel_input.c), records become
 * command lines (parallel_line.c), and those run side by side (parallel.c).
 */
#ifndef CMD_PARALLEL_H
#define CMD_PARALLEL_H

#include <tinysandbox/command.h>

#include "base/str.h"

struct regex;

struct par_record {		/* one line of input, or one of a combination */
	const char **column;
	size_t n;
};

struct par_job {
	size_t seq;
	const struct par_record *records;	/* n_records of them */
	size_t n_records;
	const char *command;
	const char *tag;
	int pid, status, slot, tries;
	int out, err, in;		/* temporary files; -1: none */
	uint64_t put[2];		/* how much of them has been shown */
	bool started, ended, shown, timed_out;
	struct tsb_time from, to;
};

enum par_output { PAR_GROUP, PAR_LINES, PAR_UNGROUP };

struct par {
	/* Options. */
	bool keep, dry_run, verbose, trace, quote, no_empty, nul, tag, context, multi, link, pipe,
		plus, shuffle, ignored, version, cores,
		resume, resume_failed;
	int output;
	const char *jobs_text, *max_args, *max_replace, *lines_text, *replace, *colsep, *delimiter,
		*halt, *joblog, *results, *tagstring, *trim, *header, *chars_text, *delay_text,
		*timeout_text, *retries_text, *nice_text, *wd, *arg_sep, *file_sep, *block_text,
		*tmpdir, *eof, *sshlogin;
	struct tsb_list arg_files;

	struct tsb_proc *p;
	size_t jobs_max, args_max, chars_max;
	bool positional;		/* -N: {1} is the first of several arguments */
	int64_t delay_ns, timeout_ns;
	int retries, nice;
	bool has_nice, stdin_used;
	int delim;
	struct regex *colsep_re;
	const char **names;		/* --header */
	size_t n_names;
	const char *template;
	bool is_command;		/* no command was given: arguments are commands */
	struct par_record *records;
	size_t n_records, cap_records;
	struct par_job *jobs;
	size_t n_jobs, cap_jobs;
	const char **shell;
};

/* Reads all sources: false after a message. `from`: the first of ":::" and the rest. */
bool par_read_input(struct par *r, int argc, char **argv);
/* --pipe: the chunks of standard input become the jobs' own. */
bool par_read_blocks(struct par *r);
/* The command line of a job, and its tag. */
void par_make_line(struct par *r, struct par_job *job);
char *par_fill(struct par *r, const struct par_job *job, const char *template, bool quote);
/* A word of the command under -q: all but its places is quoted. */
void par_quote_word(struct par *r, struct str *out, const char *word);
/* --joblog: its descriptor, or -1; jobs that are not to be run again have ended. false: after a
 * message. */
bool par_open_log(struct par *r, int *log);
/* An unnamed file for what a job prints or reads, or -errno. */
int par_temporary(struct par *r);

#endif
