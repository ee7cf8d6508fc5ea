/*
 * What is printed for people: lines with their fields, counts and names.
 */
#include "cmd/rg/rg.h"

#include "base/num.h"
#include "base/utf8.h"

enum { LOOK_AHEAD = 128 };

void rg_put(struct rg *g, const void *text, size_t n)
{
	sink_put(&g->sink, text, n);
	g->out_bytes += n;
}

void rg_puts(struct rg *g, const char *s)
{
	rg_put(g, s, strlen(s));
}

/* The end of what is no line of the file, or a line without one. */
static void put_end(struct rg *g)
{
	if (g->crlf)
		rg_put(g, "\r", 1);
	rg_put(g, &g->eol, 1);
}

/* ---- Fields ---- */

static void put_number(struct rg *g, enum rg_what what, uint64_t v)
{
	char digits[24];

	rg_styled(g, what, digits, num_format_u64(digits, v));
}

static void put_path_text(struct rg *g, const char *path)
{
	if (!g->path_sep) {
		rg_puts(g, path);
		return;
	}
	for (; *path; path++)
		rg_put(g, *path == '/' ? g->path_sep : path, 1);
}

void rg_print_path(struct rg *g, const char *path)
{
	rg_style_begin(g, RG_PATH);
	put_path_text(g, path);
	rg_style_end(g, RG_PATH);
}

/* The name above the first lines of a file, and what parts it from the file before. */
static void file_head(struct rg_file *f)
{
	struct rg *g = f->g;

	if (f->head_done)
		return;
	f->head_done = true;
	if (g->printed_any && g->show_heading)
		rg_puts(g, "\n");
	else if (g->printed_any && (g->before || g->after))
		rg_print_gap(f);
	g->printed_any = true;
	if (g->show_heading && g->show_name) {
		rg_print_path(g, f->path);
		if (g->null)
			rg_put(g, "", 1);
		else
			put_end(g);
	}
}

/* Path, line, column and offset of a line that begins at `at`. */
static void fields(struct rg_file *f, size_t at, size_t column, size_t offset, bool match)
{
	struct rg *g = f->g;
	const char *sep = match ? g->field_match_sep : g->field_context_sep;

	if (g->show_name && !g->show_heading) {
		rg_print_path(g, f->path);
		if (g->null)
			rg_put(g, "", 1);
		else
			rg_puts(g, sep);
	}
	if (g->show_numbers) {
		put_number(g, RG_LINE, rg_line_number(f, at));
		rg_puts(g, sep);
	}
	if (g->column && column) {
		put_number(g, RG_COLUMN, column);
		rg_puts(g, sep);
	}
	if (g->byte_offset) {
		put_number(g, RG_COLUMN, f->base + offset);
		rg_puts(g, sep);
	}
}

/* ---- Lines ---- */

static size_t text_end(const struct rg_file *f, size_t from, size_t to)
{
	return to - (to > from && f->buf[to - 1] == f->g->eol);
}

static size_t trimmed(const struct rg_file *f, size_t from, size_t to)
{
	while (f->g->trim && from < to && (f->buf[from] == ' ' || (f->buf[from] >= '\t' &&
									f->buf[from] <= '\r')))
		from++;
	return from;
}


/* [from, to) of the buffer with the matches in it coloured. */
static void put_coloured(struct rg_file *f, size_t from, size_t to)
{
	struct rg *g = f->g;

	for (size_t i = 0; i < f->n_spans && g->use_color && from < to; i++) {
		size_t a = f->spans[i].from, b = f->spans[i].to;

		if (b <= from || a == b)
			continue;
		if (a >= to)
			break;
		a = a > from ? a : from;
		while (i + 1 < f->n_spans && f->spans[i + 1].from == b)
			b = f->spans[++i].to;
		b = b < to ? b : to;
		rg_put(g, f->buf + from, a - from);
		rg_styled(g, RG_MATCH, f->buf + a, b - a);
		from = b;
	}
	rg_put(g, f->buf + from, to - from);
}

static size_t spans_from(const struct rg_file *f, size_t at, size_t to)
{
	size_t n = 0;

	for (size_t i = 0; i < f->n_spans; i++)
		n += f->spans[i].from >= at && f->spans[i].from < to;
	return n;
}

/* A line that -M does not allow. */
static void put_long(struct rg_file *f, size_t from, size_t to, bool match)
{
	struct rg *g = f->g;
	size_t at = from;

	if (!g->preview) {
		if (!f->n_spans || g->only_matching)
			rg_puts(g, match ? "[Omitted long matching line]" :
				"[Omitted long context line]");
		else
			rg_puts(g, tsb_format(g->p, "[Omitted long line with %zu matches]",
					      f->n_spans));
		put_end(g);
		return;
	}
	for (uint64_t k = 0; k < g->max_columns && at < to; k++) {
		int32_t c;

		at += utf8_decode(f->buf + at, to - at, &c);
		while (at < to && utf8_decode(f->buf + at, to - at, &c) && c >= 0 &&
		       utf8_width(c) == 0)
			at += utf8_decode(f->buf + at, to - at, &c);
	}
	put_coloured(f, from, at);
	if (!f->n_spans) {
		rg_puts(g, " [... omitted end of long line]");
	} else {
		size_t n = spans_from(f, at, to);

		rg_puts(g, tsb_format(g->p, " [... %zu more %s]", n, n == 1 ? "match" : "matches"));
	}
	put_end(g);
}

static bool too_long(const struct rg *g, size_t n)
{
	return g->max_columns && n > g->max_columns;
}

/* One line of text, matching or context, its end added where it lacks one. */
static void put_line(struct rg_file *f, size_t from, size_t to, bool match)
{
	struct rg *g = f->g;
	size_t end = text_end(f, from, to);

	from = trimmed(f, from, end);
	if (too_long(g, to - from)) {
		put_long(f, from, end, match);
		return;
	}
	put_coloured(f, from, end);
	if (end < to && !(f->n_spans && (g->use_color || g->replacement)))
		rg_put(g, f->buf + end, 1);
	else
		put_end(g);
}

/* ---- Replacements ---- */

static bool word_byte(char c)
{
	return c == '_' || (c >= '0' && c <= '9') || ((c | 32) >= 'a' && (c | 32) <= 'z');
}

static size_t group_number(struct rg *g, const char *name, size_t n)
{
	size_t v = 0;

	for (size_t i = 0; i < n; i++) {
		if (name[i] < '0' || name[i] > '9')
			return regex_group_named(g->perl, name, n);
		v = v < 100000 ? v * 10 + (size_t)(name[i] - '0') : v;
	}
	return v;
}

static void rg_expand(struct rg_file *f, struct str *out, const struct rg_span *m, size_t to)
{
	struct rg *g = f->g;
	size_t groups = regex_groups(g->perl) + 1;
	struct regex_span *s = tsb_alloc(g->p, groups * sizeof(*s));
	size_t shift = g->multiline ? 0 : f->line_from, n = g->multiline ? f->n : to - shift;

	n -= g->crlf && n && f->buf[shift + n - 1] == '\r';
	regex_match(g->perl, f->buf + shift, n, m->from - shift, 0, s, groups);
	for (const char *r = g->replacement; *r; ) {
		size_t len = 0, group;
		bool braces = r[0] == '$' && r[1] == '{';
		const char *name = r + 1 + braces;

		if (r[0] == '$' && r[1] == '$') {
			str_addc(out, '$');
			r += 2;
			continue;
		}
		while (word_byte(name[len]) || (braces && name[len] && name[len] != '}'))
			len++;
		if (r[0] != '$' || !len || (braces && name[len] != '}')) {
			str_addc(out, *r++);
			continue;
		}
		group = group_number(g, name, len);
		if (group < groups && s[group].so != REGEX_NONE)
			str_addn(out, f->buf + shift + s[group].so, s[group].eo - s[group].so);
		r = name + len + braces;
	}
	tsb_free(g->p, s);
}

/* A line again, its matches replaced: a buffer and spans of its own. */
static void replaced(struct rg_file *f, struct rg_file *out, size_t from, size_t to)
{
	struct str s;
	size_t at = from;

	*out = *f;
	str_init(&s, f->g->heap, STR_MAX_DEFAULT);
	out->spans = tsb_alloc(f->g->p, (f->n_spans + 1) * sizeof(*out->spans));
	for (size_t i = 0; i < f->n_spans; i++) {
		str_addn(&s, f->buf + at, f->spans[i].from - at);
		out->spans[i].from = s.n;
		rg_expand(f, &s, &f->spans[i], text_end(f, from, to));
		out->spans[i].to = s.n;
		at = f->spans[i].to;
	}
	/* Over lines, the real tool shows what it has looked at behind the match too. */
	if (f->g->multiline)
		to = f->n - to < LOOK_AHEAD ? f->n : to + LOOK_AHEAD;
	str_addn(&s, f->buf + at, to > at ? to - at : 0);
	out->n = s.n;
	out->buf = str_take(&s, NULL);
	out->end = out->n;
}

/* ---- A match ---- */

static size_t next_line(const struct rg_file *f, size_t at, size_t to)
{
	const char *nl = memchr(f->buf + at, f->g->eol, to - at);

	return nl ? (size_t)(nl - f->buf) + 1 : to;
}

/* What a match of -o is, or its part on one line. */
static void put_part(struct rg_file *r, size_t from, size_t end)
{
	struct rg *g = r->g;
	size_t stop = text_end(r, from, end);

	if (too_long(g, stop - from)) {
		put_long(r, from, stop, true);
		return;
	}
	if (g->use_color)
		rg_styled(g, RG_MATCH, r->buf + from, stop - from);
	else
		rg_put(g, r->buf + from, stop - from);
	put_end(g);
}

/* -o: each match on lines of its own; places are those in what is shown. */
static void put_only(struct rg_file *f, struct rg_file *r, size_t from, size_t to)
{
	for (size_t i = 0; i < f->n_spans; i++) {
		size_t at = r->spans[i].from, stop = r->spans[i].to, line = from;
		size_t rline = r == f ? from : 0, end;

		while (f->g->multiline && (end = next_line(f, line, to)) <= f->spans[i].from &&
		       end < to) {
			line = end;
			rline = r == f ? end : next_line(r, rline, r->n);
		}
		do {
			end = next_line(r, at, stop);
			fields(f, line, at - rline + 1, r == f ? at : from + at, true);
			put_part(r, at, end);
			at = rline = end;
			line = r == f ? end : line;
		} while (at < stop);
	}
}

/* --vimgrep: the line again for each match in it. */
static void put_each(struct rg_file *f, struct rg_file *r, size_t from, size_t to, size_t rto)
{
	size_t rfrom = r == f ? from : 0;

	for (size_t i = 0; i < f->n_spans; i++) {
		size_t line = from, rline = rfrom, end;

		while (f->g->multiline && (end = next_line(f, line, to)) <= f->spans[i].from &&
		       end < to) {
			line = end;
			rline = next_line(r, rline, rto);
		}
		fields(f, line, r->spans[i].from - rline + 1, f->spans[i].from, true);
		put_line(r, rline, next_line(r, rline, rto), true);
	}
}

void rg_print_match(struct rg_file *f, size_t from, size_t to)
{
	struct rg *g = f->g;
	struct rg_file copy, *r = f;
	size_t first, rfrom = from, rto = to, line = from, number = 0;

	file_head(f);
	f->line_from = from;
	if (g->replacement && f->n_spans) {
		replaced(f, &copy, from, to);
		r = &copy;
		rfrom = 0;
		rto = copy.n;
	}
	first = r->n_spans ? r->spans[0].from - rfrom + 1 : 0;
	if (g->only_matching && f->n_spans) {
		put_only(f, r, from, to);
	} else if (g->per_match && f->n_spans) {
		put_each(f, r, from, to, rto);
	} else {
		do {
			size_t end = next_line(r, rfrom, rto);

			fields(f, line, number++ && r->n_spans ? 1 : first, line, true);
			put_line(r, rfrom, end, true);
			rfrom = end;
			line = line < to ? next_line(f, line, to) : line;
		} while (rfrom < rto);
	}
	if (r != f) {
		tsb_free(g->p, copy.buf);
		tsb_free(g->p, copy.spans);
	}
}

void rg_print_context(struct rg_file *f, size_t from, size_t to)
{
	size_t n = f->n_spans;

	file_head(f);
	f->n_spans = 0;		/* those of the match that comes */
	fields(f, from, 0, from, false);
	put_line(f, from, to, false);
	f->n_spans = n;
}

void rg_print_gap(struct rg_file *f)
{
	if (f->g->no_context_sep)
		return;
	rg_puts(f->g, f->g->context_sep);
	put_end(f->g);
}

/* ---- The end of a file ---- */

static void put_count(struct rg_file *f, uint64_t n)
{
	struct rg *g = f->g;
	char digits[24];

	if (!n && !g->include_zero)
		return;
	if (g->show_name) {
		rg_print_path(g, f->path);
		if (g->null)
			rg_put(g, "", 1);
		else
			rg_puts(g, g->field_match_sep);
	}
	rg_put(g, digits, num_format_u64(digits, n));
	put_end(g);
}

static void put_name(struct rg_file *f)
{
	rg_print_path(f->g, f->path);
	if (f->g->null)
		rg_put(f->g, "", 1);
	else
		put_end(f->g);
}

static void print_summary(struct rg_file *f)
{
	struct rg *g = f->g;

	switch (g->list) {
	case RG_COUNT:
		put_count(f, g->multiline && !g->invert ? f->matches : f->matched_lines);
		break;
	case RG_COUNT_MATCHES:
		put_count(f, g->invert ? f->matched_lines : f->matches);
		break;
	case RG_WITH_MATCH:
		if (f->matched_lines)
			put_name(f);
		break;
	case RG_WITHOUT_MATCH:
		g->matched |= !f->matched_lines;
		if (!f->matched_lines && !f->stopped)
			put_name(f);
		break;
	default:
		break;
	}
}

void rg_print_end(struct rg_file *f)
{
	struct rg *g = f->g;
	uint64_t printed = g->out_bytes;

	if (g->quiet)
		return;
	print_summary(f);
	g->out_bytes = printed;		/* not counted */
	if (g->list != RG_LINES)
		return;
	if (f->binary_at < 0 || !f->matched_lines || g->binary == RG_TEXT)
		return;
	if (g->show_name) {
		rg_print_path(g, f->path);
		rg_puts(g, ": ");
	}
	rg_puts(g, tsb_format(g->p, f->stopped ? "WARNING: stopped searching binary file after match "
			      "(found \"\\0\" byte around offset %lld)\n" : "binary file matches (found "
			      "\"\\0\" byte around offset %lld)\n", (long long)f->binary_at));
}

void rg_print_stats(struct rg *g)
{
	const struct rg_stats *t = &g->total;
	struct tsb_time now = tsb_clock(g->p, TSB_CLOCK_MONOTONIC);
	double s = (double)(now.sec - g->started.sec) + (now.nsec - g->started.nsec) / 1e9;

	rg_puts(g, tsb_format(g->p, "\n%llu matches\n%llu matched lines\n%llu files contained matches\n"
			      "%llu files searched\n%llu bytes printed\n%llu bytes searched\n"
			      "%.6f seconds spent searching\n%.6f seconds\n",
			      (unsigned long long)t->matches, (unsigned long long)t->lines,
			      (unsigned long long)t->with_match, (unsigned long long)t->searched,
			      (unsigned long long)g->out_bytes, (unsigned long long)t->bytes, s, s));
}
