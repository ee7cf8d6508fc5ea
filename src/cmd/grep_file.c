/*
 * Searching one file.
 *
 * The buffer holds whole lines and, at its end, a part of one. The engine looks
 * through all whole lines at once and says which is the first that matches. What
 * may still be wanted as leading context stays in the buffer when it is filled
 * again; all places are offsets into it and move along.
 */
#include "cmd/grep.h"

#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cmd/tailpos.h"

#define GREP_BLOCK ((size_t)96 << 10)	/* where a NUL is looked for at first */

struct scan {
	size_t at, end;		/* whole lines not searched yet, in in.buf */
	int64_t selected;
	int64_t before_null;	/* lines selected before the first NUL; -1: none seen */
	bool stop;
};

void grep_warn(struct grep *g, int err, const char *what)
{
	sink_flush(&g->sink);
	grep_say(g->p, g, err, "%s", what);
}

static TSB_NORETURN void grep_die(struct grep *g, const char *what)
{
	grep_warn(g, 0, what);
	tsb_exit(g->p, GREP_TROUBLE);
}

/* ---- The buffer ---- */

/* The start of the line that is `lines` above `at`, at most up to `least`. */
static size_t lines_up(const struct grep *g, size_t at, size_t least, int64_t lines)
{
	for (; lines > 0 && at > least; lines--) {
		char *nl = at - 1 > least ? memrchr(g->in.buf + least, g->eol, at - 1 - least)
					  : NULL;

		at = nl ? (size_t)(nl - g->in.buf) + 1 : least;
	}
	return at;
}

static size_t moved(size_t at, size_t by)
{
	return at > by ? at - by : 0;
}

/* More data; what is before `keep` goes. */
static bool fill(struct grep *g, struct scan *s, size_t keep)
{
	size_t was = g->in.n, shift;
	bool more;

	if (g->line_number && g->counted_to < keep) {
		g->lines_before += tailpos_count(g->in.buf + g->counted_to, keep - g->counted_to,
						 g->eol);
		g->counted_to = keep;
	}
	g->in.at = keep;
	more = lines_fill(&g->in);
	shift = keep - g->in.at;
	g->base += shift;
	g->start = g->in.at;
	s->at -= shift;
	s->end -= shift;
	g->counted_to = moved(g->counted_to, shift);
	if (g->has_last_out && g->last_out < shift)
		g->has_last_out = false;
	g->last_out = moved(g->last_out, shift);
	g->in.at = was - shift;		/* the new bytes, for the search for NULs */
	return more;
}

/* Is there a NUL among the new bytes? From then on NULs end lines, and nothing
 * is printed. false: such a file is not searched. */
static bool look_for_nulls(struct grep *g, struct scan *s)
{
	char *at = g->in.buf + g->in.at, *end = g->in.buf + g->in.n;

	if (!g->eol || g->binary == GREP_TEXT || g->match_nothing)
		return true;
	if (s->before_null < 0) {
		if (at == end || !memchr(at, '\0', (size_t)(end - at)))
			return true;
		if (g->binary == GREP_WITHOUT_MATCH)
			return false;
		if (!g->count)
			g->silent = g->done_early = true;
		s->before_null = s->selected;
		at = g->in.buf + s->at;
	}
	while (at < end && (at = memchr(at, '\0', (size_t)(end - at))))
		*at++ = g->eol;
	return true;
}

/* ---- Printing what was found ---- */

static void print_pending(struct grep *g, size_t limit)
{
	if (!g->has_last_out)
		g->last_out = g->start;
	g->has_last_out = true;
	for (; g->pending > 0 && g->last_out < limit; g->pending--) {
		char *nl = memchr(g->in.buf + g->last_out, g->eol, limit - g->last_out);

		grep_print_line(g, g->last_out, (size_t)(nl - g->in.buf) + 1, '-');
	}
}

static void print_before(struct grep *g, size_t from)
{
	size_t least = g->has_last_out ? g->last_out : g->start;
	size_t at = lines_up(g, from, least, g->before);

	if ((g->before >= 0 || g->after >= 0) && g->used &&
	    !(g->has_last_out && at == g->last_out))
		grep_print_separator(g);
	while (at < from) {
		char *nl = memchr(g->in.buf + at, g->eol, from - at);
		size_t next = (size_t)(nl - g->in.buf) + 1;

		grep_print_line(g, at, next, '-');
		at = next;
	}
}

/* Selected lines [from, *to); how many were taken, *to behind them. */
static int64_t print_run(struct grep *g, size_t from, size_t *to)
{
	int64_t n = 0;

	if (g->out_left == INT64_MAX && (g->silent || grep_print_plain(g, from, *to)))
		return (int64_t)tailpos_count(g->in.buf + from, *to - from, g->eol);
	for (; from < *to && n < g->out_left; n++) {
		char *nl = memchr(g->in.buf + from, g->eol, *to - from);
		size_t next = (size_t)(nl - g->in.buf) + 1;

		if (!g->silent)
			grep_print_line(g, from, next, ':');
		from = next;
	}
	*to = from;
	return n;
}

static void print_selected(struct grep *g, struct scan *s, size_t from, size_t to)
{
	int64_t n;

	if (!g->silent) {
		if (g->pending > 0)
			print_pending(g, from);
		print_before(g, from);
	}
	n = print_run(g, from, &to);
	g->after_last = (int64_t)(g->base + to);
	g->pending = g->silent || g->after < 0 ? 0 : g->after;
	g->used = true;
	if (g->out_left != INT64_MAX)
		g->out_left -= n;
	s->selected += n;
	if (!g->out_left || (g->done_early && n))
		s->stop = true;
}

/* ---- Searching ---- */

static bool next_match(struct grep *g, size_t from, size_t end, size_t *line, size_t *line_end)
{
	enum regex_status r;

	if (g->match_nothing || from >= end)
		return false;
	/* With context each line is shown by itself. */
	r = (g->done_early || g->before >= 0 || g->after >= 0 ? regex_search_lines :
							       regex_search_runs)
		(g->re, g->in.buf + from, end - from, g->eol, line, line_end);
	if (r == REGEX_BUDGET && g->matcher == GREP_PERL)
		grep_die(g, tsb_format(g->p, "%s: exceeded PCRE's backtracking limit", g->name));
	if (r == REGEX_BUDGET)
		grep_die(g, "the pattern's back-references take too long");
	*line += from;
	*line_end += from + 1;
	if (++g->steps % 256 == 0)
		tsb_tick(g->p, 64);
	return r == REGEX_MATCH && *line < end;
}

static void search_lines(struct grep *g, struct scan *s)
{
	while (s->at < s->end && !s->stop) {
		size_t line, line_end;
		bool found = next_match(g, s->at, s->end, &line, &line_end);

		if (!found)
			line = line_end = s->end;
		if (!g->invert && !found)
			break;
		if (!g->invert)
			print_selected(g, s, line, line_end);
		else if (s->at < line)
			print_selected(g, s, s->at, line);
		s->at = line_end;
	}
	if (g->pending > 0)
		print_pending(g, s->end);
	if (!s->stop)
		s->at = s->end;
	else if (!g->out_left && g->pending > 0 && !g->done_early)
		s->at = s->end;	/* trailing context may go on in the next block */
}

/* Whole lines of what is there; at the end of the file a part is one too. */
static void find_whole_lines(struct grep *g, struct scan *s, bool more)
{
	char *nl;

	if (!more && g->in.n > s->at && g->in.buf[g->in.n - 1] != g->eol)
		g->in.buf[g->in.n++] = g->eol;
	nl = g->in.n > s->at ? memrchr(g->in.buf + s->at, g->eol, g->in.n - s->at) : NULL;
	s->end = nl ? (size_t)(nl - g->in.buf) + 1 : s->at;
}

static bool scan_done(const struct grep *g, const struct scan *s)
{
	return s->stop && (g->done_early || g->pending <= 0);
}

static int64_t scan_file(struct grep *g, struct scan *s)
{
	bool more = true;

	while (more && !scan_done(g, s) && !tsb_out_error(g->p)) {
		size_t keep = lines_up(g, s->at, g->has_last_out ? g->last_out : g->start,
				       g->silent ? 0 : g->before);

		more = fill(g, s, keep);
		if (!look_for_nulls(g, s))
			return 0;
		find_whole_lines(g, s, more);
		if (s->stop)
			print_pending(g, s->end);
		else
			search_lines(g, s);
	}
	return s->selected;
}

static int number_width(const struct grep *g, const struct tsb_stat *st)
{
	uint64_t n = S_ISREG(st->mode) ? st->size : INT64_MAX;
	int width = 0;

	if (!g->tabs)
		return 0;
	n += g->line_number;
	do
		width++;
	while ((n /= 10));
	return width;
}

/* Standard input is left behind the last line used, or at its end. */
static void leave_input(struct grep *g, int fd, int64_t start)
{
	if (fd != 0 || start < 0)
		return;
	if (g->out_left)
		tsb_lseek(g->p, fd, 0, SEEK_END);
	else if (g->after_last >= 0)
		tsb_lseek(g->p, fd, start + g->after_last, SEEK_SET);
}

int64_t grep_search(struct grep *g, int fd, const struct tsb_stat *st)
{
	struct scan s = { .before_null = -1 };
	int64_t start = tsb_lseek(g->p, fd, 0, SEEK_CUR), n;
	bool was_silent = g->silent, was_early = g->done_early;

	lines_open(&g->in, g->p, fd);
	if (g->in.cap == LINES_BLOCK)
		g->in.cap = GREP_BLOCK;
	g->base = g->lines_before = 0;
	g->start = g->last_out = g->counted_to = 0;
	g->has_last_out = g->bad_encoding = false;
	g->pending = 0;
	g->out_left = g->max_count;
	g->after_last = -1;
	g->width = number_width(g, st);
	n = g->max_count ? scan_file(g, &s) : 0;
	leave_input(g, fd, start);
	g->silent = was_silent;
	g->done_early = was_early;
	if (g->in.error) {
		if (!g->quiet_errors)
			grep_warn(g, g->in.error, g->name);
		g->trouble = true;
	} else if (g->binary == GREP_BINARY && !g->silent &&
		   (g->bad_encoding || (s.before_null >= 0 && s.before_null < n))) {
		grep_warn(g, 0, tsb_format(g->p, "%s: binary file matches", g->name));
	}
	return n;
}
