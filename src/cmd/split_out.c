/*
 * The files of split: their names, and writing them or feeding a filter.
 *
 * A suffix counts up in its alphabet. Where its length is not given it begins
 * with two letters and widens before its first letter is the last one, so that
 * the names stay sorted: yz, zaaa.
 */
#include "cmd/split.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/wait.h>

#include "cmd/path.h"
#include "cmd/sig.h"
#include "cmd/util.h"

enum { SPLIT_SUFFIX = 2 };

/* ---- Names ---- */

static size_t split_base(const struct split *s)
{
	return strlen(s->alphabet);
}

/* How many letters the names of n files need. */
static size_t split_letters(const struct split *s, uint64_t n)
{
	uint64_t last = n - 1, start = 0;
	size_t letters = 0;
	bool small = s->suffix_start != NULL;

	for (const char *c = s->suffix_start; small && *c; c++)
		small = *c >= '0' && *c <= '9' && !__builtin_mul_overflow(start, 10, &start) &&
			!__builtin_add_overflow(start, (uint64_t)(*c - '0'), &start);
	if (small && start < n && __builtin_add_overflow(last, start, &last))
		last = UINT64_MAX;
	do {
		letters++;
		last /= split_base(s);
	} while (last);
	return letters;
}

int split_set_suffix(struct split *s)
{
	size_t needed = 0;

	s->widens = !s->suffix_start && !s->suffix_length;
	if (s->way >= SPLIT_CHUNK_BYTES) {
		needed = split_letters(s, s->n);
		s->widens = false;
	}
	if (s->suffix_length) {
		if (s->suffix_length >= needed)
			return 0;
		tsb_warn(s->p, "the suffix length needs to be at least %zu", needed);
		return 1;
	}
	s->suffix_length = needed > SPLIT_SUFFIX ? needed : SPLIT_SUFFIX;
	return 0;
}

/* The name with all letters at their first, or as the suffix is to start. */
static void split_first_name(struct split *s, const char *base, size_t base_length)
{
	size_t more = s->additional ? strlen(s->additional) : 0, given;

	s->length = (size_t)s->suffix_length;
	if (s->length > TSB_PATH_MAX)
		s->length = TSB_PATH_MAX;	/* too long for a name in any case */
	s->name = tsb_alloc(s->p, base_length + s->length + more + 1);
	memcpy(s->name, base, base_length);
	s->middle = s->name + base_length;
	memset(s->middle, s->alphabet[0], s->length);
	if (more)
		memcpy(s->middle + s->length, s->additional, more);
	s->digits = tsb_alloc(s->p, s->length * sizeof(*s->digits));
	given = s->suffix_start ? strlen(s->suffix_start) : 0;
	for (size_t i = 0; i < given && i < s->length; i++) {
		size_t at = s->length - 1 - i;
		char c = s->suffix_start[given - 1 - i];
		const char *place = strchr(s->alphabet, c);

		s->middle[at] = c;
		s->digits[at] = place ? (size_t)(place - s->alphabet) : 0;
	}
}

static void split_advance_name(struct split *s)
{
	char *old = s->name;
	size_t i = s->length, base;

	if (!s->name) {
		split_first_name(s, s->base, strlen(s->base));
		return;
	}
	while (i--) {
		s->digits[i]++;
		if (s->widens && !i && !s->alphabet[s->digits[0] + 1]) {
			base = (size_t)(s->middle - s->name) + 1;
			s->middle[0] = s->alphabet[s->digits[0]];
			s->suffix_length++;
			split_first_name(s, old, base);
			return;
		}
		if (s->alphabet[s->digits[i]]) {
			s->middle[i] = s->alphabet[s->digits[i]];
			return;
		}
		s->digits[i] = 0;
		s->middle[i] = s->alphabet[0];
	}
	tsb_warn(s->p, "output file suffixes exhausted");
	tsb_exit(s->p, 1);
}

void split_next_name(struct split *s, struct split_file *f)
{
	split_advance_name(s);
	*f = (struct split_file){ .name = tsb_strdup(s->p, s->name), .fd = -1 };
}

/* ---- Files and filters ---- */

static void split_fail(struct split *s, int err, const char *name)
{
	tsb_warn_errno(s->p, err, "%s", quote_f(s->p, name));
	tsb_exit(s->p, 1);
}

static void split_start_filter(struct split *s, struct split_file *f)
{
	const char *shell = tsb_getenv(s->p, "SHELL");
	const char *argv[] = { NULL, "-c", s->filter, NULL };
	struct tsb_fd_map input = { 0, 0 };
	struct tsb_spawn how = { .size = sizeof(how), .argv = argv, .fds = &input, .n_fds = 1 };
	int ends[2], err;

	how.file = tsb_strdup(s->p, shell ? shell : "/bin/sh");	/* setenv may move it */
	argv[0] = path_last(how.file);
	tsb_setenv(s->p, "FILE", f->name);
	if (s->verbose)
		tsb_printf(s->p, "executing with FILE=%s\n", quote_f(s->p, f->name));
	err = tsb_pipe(s->p, ends);
	if (err)
		split_fail(s, err, "failed to create pipe");
	input.parent = ends[0];
	tsb_set_cloexec(s->p, ends[0], true);
	tsb_set_cloexec(s->p, ends[1], true);
	tsb_flush(s->p);
	err = tsb_spawn(s->p, &how, &f->pid);
	tsb_close(s->p, ends[0]);
	if (err) {
		tsb_warn_errno(s->p, err, "failed to run command: \"%s -c %s\"", how.file, s->filter);
		tsb_warn(s->p, "with FILE=%s, exit 1 from command: %s", quote_f(s->p, f->name),
			 s->filter);
		tsb_exit(s->p, 1);
	}
	f->fd = ends[1];
}

void split_open(struct split *s, struct split_file *f)
{
	int flags = O_WRONLY | O_CREAT | O_CLOEXEC | (f->appends ? O_APPEND : 0);
	struct tsb_stat st;

	if (s->filter) {
		split_start_filter(s, f);
		return;
	}
	if (s->verbose && !f->appends)
		tsb_printf(s->p, "creating file %s\n", quote_af(s->p, f->name));
	f->fd = tsb_open(s->p, f->name, flags, 0666);
	if (f->fd < 0)
		split_fail(s, f->fd, f->name);
	if (!tsb_fstat(s->p, f->fd, &st) && util_same_file(&st, &s->input_stat)) {
		tsb_warn(s->p, "%s would overwrite input; aborting", quote_af(s->p, f->name));
		tsb_exit(s->p, 1);
	}
	if (!f->appends)
		tsb_ftruncate(s->p, f->fd, 0);
	f->appends = true;
}

static void split_wait_filter(struct split *s, struct split_file *f)
{
	char buf[16];
	int status = 0;

	tsb_wait(s->p, f->pid, &status, 0);
	f->pid = 0;
	if (WIFSIGNALED(status) && WTERMSIG(status) != SIGPIPE) {
		const char *name = sig_name(WTERMSIG(status), buf);

		tsb_warn(s->p, "with FILE=%s, signal %s from command: %s", quote_f(s->p, f->name),
			 name ? name : "?", s->filter);
		tsb_exit(s->p, 128 + WTERMSIG(status));
	}
	if (WIFEXITED(status) && WEXITSTATUS(status)) {
		tsb_warn(s->p, "with FILE=%s, exit %d from command: %s", quote_f(s->p, f->name),
			 WEXITSTATUS(status), s->filter);
		tsb_exit(s->p, WEXITSTATUS(status));
	}
}

void split_close(struct split *s, struct split_file *f)
{
	if (f->fd >= 0)
		tsb_close(s->p, f->fd);
	f->fd = -1;
	if (f->pid)
		split_wait_filter(s, f);
}

void split_new(struct split *s)
{
	split_close(s, &s->out);
	tsb_free(s->p, s->out.name);
	split_next_name(s, &s->out);
	split_open(s, &s->out);
}

void split_new_empty(struct split *s)
{
	if (!s->elide_empty)
		split_new(s);
}

/* A filter may end before it has read all: the rest goes nowhere. */
void split_write(struct split *s, struct split_file *f, const char *data, size_t n)
{
	int err = tsb_write_all(s->p, f->fd, data, n);

	if (err && !(s->filter && err == -EPIPE))
		split_fail(s, err, f->name);
}
