/*
 * Two differences to a common file, read from the output of diff, and joined:
 * changes that touch each other in the common file are one block.
 */
#include "cmd/diff3.h"

#include <string.h>
#include <sys/wait.h>

#include "base/heap.h"
#include "cmd/lines.h"

static TSB_NORETURN void diff3_fatal(struct diff3 *d, const char *text)
{
	tsb_warn(d->p, "%s", text);
	tsb_exit(d->p, DIFF_TROUBLE);
}

/* ---- Running diff ---- */

static int start_diff(struct diff3 *d, const char *a, const char *b, int *fd)
{
	const char *argv[8], *horizon = tsb_format(d->p, "--horizon-lines=%lld",
						    (long long)d->horizon);
	struct tsb_spawn how = { .size = sizeof(how), .file = d->program, .argv = argv };
	struct tsb_fd_map map[2];
	int ends[2], pid, n = 0;

	argv[n++] = d->program;
	if (d->text)
		argv[n++] = "-a";
	if (d->strip_cr)
		argv[n++] = "--strip-trailing-cr";
	argv[n++] = horizon;
	argv[n++] = "--";
	argv[n++] = a;
	argv[n++] = b;
	argv[n] = NULL;
	if (tsb_pipe(d->p, ends))
		diff3_fatal(d, "cannot create a pipe");
	map[0] = (struct tsb_fd_map){ 1, ends[1] };
	map[1] = (struct tsb_fd_map){ ends[0], -1 };
	how.fds = map;
	how.n_fds = 2;
	if (tsb_spawn(d->p, &how, &pid))
		pid = -1;
	tsb_close(d->p, ends[1]);
	*fd = ends[0];
	return pid;
}

static void end_diff(struct diff3 *d, int pid)
{
	int status = 127 << 8;

	if (pid >= 0)
		tsb_wait(d->p, pid, &status, 0);
	status = WIFEXITED(status) ? WEXITSTATUS(status) : DIFF_TROUBLE;
	if (status < DIFF_TROUBLE)
		return;
	if (status == 126)
		tsb_warn(d->p, "subsidiary program '%s' could not be invoked", d->program);
	else if (status == 127)
		tsb_warn(d->p, "subsidiary program '%s' not found", d->program);
	else
		tsb_warn(d->p, "subsidiary program '%s' failed (exit status %d)", d->program,
			 status);
	tsb_exit(d->p, DIFF_TROUBLE);
}

static struct slice run_diff(struct diff3 *d, const char *a, const char *b)
{
	struct lines in = { 0 };
	int fd, pid;

	tsb_flush(d->p);
	pid = start_diff(d, a, b, &fd);
	lines_open(&in, d->p, fd);
	while (lines_fill(&in))
		tsb_tick(d->p, 1);
	tsb_close(d->p, fd);
	end_diff(d, pid);
	if (in.n > in.at && in.buf[in.n - 1] != '\n')
		diff3_fatal(d, "invalid diff format; incomplete last line");
	return (struct slice){ in.buf + in.at, in.n - in.at };
}

/* ---- Reading its output ---- */

struct parsing {
	struct diff3 *d;
	const char *at, *end;
};

static bool parse_number(struct parsing *k, int64_t *v)
{
	const char *start = k->at;

	for (*v = 0; k->at < k->end && *k->at >= '0' && *k->at <= '9'; k->at++) {
		*v = *v * 10 + (*k->at - '0');
		if (*v > INT64_MAX / 16)
			return false;
	}
	return k->at > start;
}

static bool parse_range(struct parsing *k, struct diff3_range *r)
{
	if (!parse_number(k, &r->low))
		return false;
	r->high = r->low;
	if (*k->at != ',')
		return true;
	k->at++;
	return parse_number(k, &r->high) && r->low <= r->high;
}

/* "3,5c7": the letter. */
static char parse_command(struct parsing *k, struct diff3_pair *pair)
{
	const char *start = k->at;
	char letter = 0;

	if (*start < '0' || *start > '9') {
		tsb_warn(k->d->p, "diff failed: %.*s",
			 (int)((const char *)memchr(start, '\n', (size_t)(k->end - start)) - start), start);
		tsb_exit(k->d->p, DIFF_TROUBLE);
	}
	if (parse_range(k, &pair->of[0])) {
		letter = *k->at++;
		if (!strchr("acd", letter) || !letter || !parse_range(k, &pair->of[1]) ||
		    *k->at != '\n')
			letter = 0;
	}
	if (!letter)
		diff3_fatal(k->d, "invalid diff format; invalid change separator");
	k->at++;
	if (letter == 'a')
		pair->of[0].low++;
	if (letter == 'd')
		pair->of[1].low++;
	return letter;
}

/* A line that has no newline is followed by a word about it; for a script of
 * ed's it gets one, and the word is passed on. */
static void parse_line(struct parsing *k, char mark, struct slice *line)
{
	const char *start = k->at + 2, *newline;

	if (k->end - k->at < 3 || k->at[0] != mark || k->at[1] != ' ')
		diff3_fatal(k->d, "invalid diff format; incorrect leading line chars");
	newline = memchr(start, '\n', (size_t)(k->end - start));
	*line = (struct slice){ start, (size_t)(newline - start) + 1 };
	k->at = newline + 1;
	if (k->at == k->end || *k->at != '\\')
		return;
	newline = memchr(k->at, '\n', (size_t)(k->end - k->at));
	if (k->d->script)
		tsb_warn(k->d->p, "%.*s", (int)(newline - k->at - 2), k->at + 2);
	else
		line->n--;
	k->at = newline + 1;
}

static void parse_lines(struct parsing *k, char mark, struct diff3_range *r)
{
	size_t left = (size_t)(k->end - k->at), n = (size_t)(r->high - r->low + 1);

	if (n > left / 3)
		diff3_fatal(k->d, "invalid diff format; incorrect leading line chars");
	r->line = tsb_alloc(k->d->p, (n + 1) * sizeof(*r->line));
	for (size_t i = 0; i < n; i++) {
		parse_line(k, mark, &r->line[i]);
		tsb_tick(k->d->p, 1);
	}
}

void diff3_read(struct diff3 *d, const char *a, const char *b, diff3_pairs *out)
{
	struct slice text = run_diff(d, a, b);
	struct parsing k = { d, text.p, text.p + text.n };

	while (k.at < k.end) {
		struct diff3_pair *pair = vec_add(tsb_heap_of(d->p), out);
		char letter = parse_command(&k, pair);

		if (letter != 'a')
			parse_lines(&k, '<', &pair->of[0]);
		if (letter == 'c') {
			if (k.end - k.at < 4 || strncmp(k.at, "---\n", 4) != 0)
				diff3_fatal(d, "invalid diff format; invalid change separator");
			k.at += 4;
		}
		if (letter != 'd')
			parse_lines(&k, '>', &pair->of[1]);
	}
}

/* ---- Joining ---- */

/* Changes [from, to) of both threads that make one block. */
struct joining {
	struct diff3 *d;
	const diff3_pairs *thread;	/* two */
	size_t from[2], to[2];
	int low, high;			/* the threads that begin and end the block */
	struct diff3_block last;
};

static const struct diff3_pair *pair_at(const struct joining *j, int t, size_t i)
{
	return &j->thread[t].at[i];
}

static bool has_more(const struct joining *j, int t)
{
	return j->to[t] < j->thread[t].n;
}

/* As long as the other thread's next change touches what there is, it belongs. */
static void gather(struct joining *j)
{
	int64_t mark;

	j->from[0] = j->to[0];
	j->from[1] = j->to[1];
	if (!has_more(j, 0))
		j->low = 1;
	else if (!has_more(j, 1))
		j->low = 0;
	else
		j->low = pair_at(j, 0, j->to[0])->of[1].low > pair_at(j, 1, j->to[1])->of[1].low;
	j->high = j->low;
	mark = pair_at(j, j->low, j->to[j->low]++)->of[1].high;
	while (has_more(j, !j->high) && pair_at(j, !j->high, j->to[!j->high])->of[1].low <= mark + 1) {
		int other = !j->high;
		int64_t high = pair_at(j, other, j->to[other]++)->of[1].high;

		if (mark < high) {
			j->high = other;
			mark = high;
		}
		tsb_tick(j->d->p, 1);
	}
}

static void copy_lines(struct diff3_range *to, int64_t at, const struct diff3_range *from)
{
	if (from->high >= from->low)
		memcpy(to->line + (at - to->low), from->line,
		       (size_t)(from->high - from->low + 1) * sizeof(*from->line));
}

/* Lines [at, end) of one file of the block are those of the common file from
 * line `common` on. */
static void copy_common(struct diff3_block *b, int f, int64_t at, int64_t end, int64_t common)
{
	for (; at < end; at++, common++)
		if (common <= b->of[2].high)
			b->of[f].line[at - b->of[f].low] = b->of[2].line[common - b->of[2].low];
}

static void fill_file(struct joining *j, struct diff3_block *b, int f)
{
	int64_t at = b->of[f].low, common = b->of[2].low;

	for (size_t i = j->from[f]; i < j->to[f]; i++) {
		const struct diff3_pair *p = pair_at(j, f, i);

		copy_common(b, f, at, p->of[0].low, common);
		copy_lines(&b->of[f], p->of[0].low, &p->of[0]);
		at = p->of[0].high + 1;
		common = p->of[1].high + 1;
	}
	copy_common(b, f, at, b->of[f].high + 1, common);
}

static void find_ranges(struct joining *j, struct diff3_block *b)
{
	struct diff3_range *c = &b->of[2];

	c->low = pair_at(j, j->low, j->from[j->low])->of[1].low;
	c->high = pair_at(j, j->high, j->to[j->high] - 1)->of[1].high;
	for (int f = 0; f < 2; f++) {
		const struct diff3_pair *first, *last;

		if (j->from[f] == j->to[f]) {
			int64_t shift = j->last.of[f].high - j->last.of[2].high;

			b->of[f].low = c->low + shift;
			b->of[f].high = c->high + shift;
			continue;
		}
		first = pair_at(j, f, j->from[f]);
		last = pair_at(j, f, j->to[f] - 1);
		b->of[f].low = c->low - first->of[1].low + first->of[0].low;
		b->of[f].high = c->high - last->of[1].high + last->of[0].high;
	}
}

static bool same_lines(const struct diff3_range *a, const struct diff3_range *b)
{
	if (a->high - a->low != b->high - b->low)
		return false;
	for (int64_t i = 0; i <= a->high - a->low; i++)
		if (!slice_eq(a->line[i], b->line[i]))
			return false;
	return true;
}

static void make_block(struct joining *j, struct diff3_block *b)
{
	find_ranges(j, b);
	for (int f = 0; f < 3; f++) {
		int64_t n = b->of[f].high - b->of[f].low + 1;

		if (n < 0)
			diff3_fatal(j->d, "internal error: screwup in format of diff blocks");
		b->of[f].line = tsb_alloc(j->d->p, (size_t)(n + 1) * sizeof(*b->of[f].line));
	}
	for (int f = 0; f < 2; f++)
		for (size_t i = j->from[f]; i < j->to[f]; i++)
			copy_lines(&b->of[2], pair_at(j, f, i)->of[1].low, &pair_at(j, f, i)->of[1]);
	fill_file(j, b, 0);
	fill_file(j, b, 1);
	if (j->from[0] == j->to[0])
		b->kind = DIFF3_SECOND;
	else if (j->from[1] == j->to[1])
		b->kind = DIFF3_FIRST;
	else
		b->kind = same_lines(&b->of[0], &b->of[1]) ? DIFF3_THIRD : DIFF3_ALL;
}

void diff3_join(struct diff3 *d, const diff3_pairs threads[2])
{
	struct joining j = { .d = d, .thread = threads };

	while (has_more(&j, 0) || has_more(&j, 1)) {
		struct diff3_block *b = vec_add(tsb_heap_of(d->p), &d->blocks);

		gather(&j);
		make_block(&j, b);
		j.last = *b;
	}
}
