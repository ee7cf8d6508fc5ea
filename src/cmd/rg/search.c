/*
 * Searching one file: blocks of whole lines, the context that may still be wanted
 * kept in front; with -U, and where the text must be decoded, the file at once.
 */
#include "cmd/rg/rg.h"

#include <errno.h>
#include <fcntl.h>

#include "base/utf8.h"
#include "cmd/tailpos.h"

enum { BLOCK = 64 << 10, LINE_TICK = 256 };

/* ---- Input ---- */

static bool fill(struct rg_file *f)
{
	struct rg *g = f->g;
	ssize_t r;

	if (f->cap - f->n < BLOCK) {
		f->cap = f->cap ? 2 * f->cap : 2 * BLOCK;
		f->buf = tsb_realloc(g->p, f->buf, f->cap + 1);
	}
	r = tsb_read(g->p, f->fd, f->buf + f->n, BLOCK);
	if (r <= 0) {
		f->eof = true;
		f->error = r < 0 ? (int)r : 0;
		return false;
	}
	f->n += (size_t)r;
	return true;
}

static void fill_all(struct rg_file *f)
{
	while (fill(f))
		tsb_tick(f->g->p, BLOCK / LINE_TICK);
}

/* ---- Other encodings ---- */

static void add_utf16(struct str *s, const struct rg_file *f, bool big)
{
	const unsigned char *at = (const unsigned char *)f->buf;
	size_t i = f->n >= 2 && ((at[0] == 0xff && at[1] == 0xfe) ||
				 (at[0] == 0xfe && at[1] == 0xff)) ? 2 : 0;
	char buf[4];

	for (; i + 1 < f->n; i += 2) {
		uint32_t c = big ? (uint32_t)at[i] << 8 | at[i + 1] :
			     (uint32_t)at[i + 1] << 8 | at[i], low = 0;

		if (c >= 0xd800 && c < 0xdc00 && i + 3 < f->n)
			low = big ? (uint32_t)at[i + 2] << 8 | at[i + 3] :
			      (uint32_t)at[i + 3] << 8 | at[i + 2];
		if (low >= 0xdc00 && low < 0xe000) {
			c = 0x10000 + ((c - 0xd800) << 10) + (low - 0xdc00);
			i += 2;
		} else if (c >= 0xd800 && c < 0xe000) {
			c = 0xfffd;
		}
		str_addn(s, buf, utf8_encode(buf, c));
	}
	if (i < f->n)
		str_adds(s, "\xef\xbf\xbd");
}

/* Bytes as the web's latin1, which is Windows' code page 1252. */
static void add_latin1(struct str *s, const struct rg_file *f)
{
	static const uint16_t high[32] = {
		0x20ac, 0x81, 0x201a, 0x192, 0x201e, 0x2026, 0x2020, 0x2021, 0x2c6, 0x2030, 0x160,
		0x2039, 0x152, 0x8d, 0x17d, 0x8f, 0x90, 0x2018, 0x2019, 0x201c, 0x201d, 0x2022,
		0x2013, 0x2014, 0x2dc, 0x2122, 0x161, 0x203a, 0x153, 0x9d, 0x17e, 0x178
	};
	char buf[4];

	for (size_t i = 0; i < f->n; i++) {
		unsigned char c = (unsigned char)f->buf[i];

		if (c < 0x80)
			str_addc(s, c);
		else
			str_addn(s, buf, utf8_encode(buf, c < 0xa0 ? high[c - 0x80] : c));
	}
}

static void decode(struct rg_file *f)
{
	int e = f->g->encoding;
	const unsigned char *at = (const unsigned char *)f->buf;
	struct str s;

	if (f->n >= 2 && at[0] == 0xff && at[1] == 0xfe && e != RG_ENC_NONE)
		e = RG_ENC_UTF16LE;
	else if (f->n >= 2 && at[0] == 0xfe && at[1] == 0xff && e != RG_ENC_NONE)
		e = RG_ENC_UTF16BE;
	if (e != RG_ENC_NONE && f->n >= 3 && !memcmp(at, "\xef\xbb\xbf", 3)) {
		f->n -= 3;
		memmove(f->buf, f->buf + 3, f->n);
	}
	if (e != RG_ENC_UTF16LE && e != RG_ENC_UTF16BE && e != RG_ENC_LATIN1)
		return;
	fill_all(f);
	str_init(&s, f->g->heap, STR_MAX_DEFAULT);
	if (e == RG_ENC_LATIN1)
		add_latin1(&s, f);
	else
		add_utf16(&s, f, e == RG_ENC_UTF16BE);
	tsb_free(f->g->p, f->buf);
	f->cap = s.n;
	f->buf = str_take(&s, &f->n);
	f->whole = true;
}

/* ---- Lines ---- */

uint64_t rg_line_number(struct rg_file *f, size_t at)
{
	if (at > f->counted) {
		f->line += tailpos_count(f->buf + f->counted, at - f->counted, f->g->eol);
		f->counted = at;
	}
	return f->line + 1;
}

/* The start of the line that is `lines` above at, not above least. */
static size_t lines_up(const struct rg_file *f, size_t at, size_t least, uint64_t lines)
{
	for (; lines && at > least; lines--) {
		const char *nl = at - 1 > least ? memrchr(f->buf + least, f->g->eol, at - 1 - least)
						: NULL;

		at = nl ? (size_t)(nl - f->buf) + 1 : least;
	}
	return at;
}

static size_t line_end(const struct rg_file *f, size_t at)
{
	const char *nl = memchr(f->buf + at, f->g->eol, f->end - at);

	return nl ? (size_t)(nl - f->buf) + 1 : f->end;
}

static bool line_matches(struct rg_file *f, size_t from, size_t to)
{
	struct rg *g = f->g;

	to -= to > from && f->buf[to - 1] == g->eol;
	to -= g->crlf && to > from && f->buf[to - 1] == '\r';
	return !g->matches_nothing &&
	       regex_match(g->perl, f->buf + from, to - from, 0, 0, NULL, 0) == REGEX_MATCH;
}

/* The first matching line of [at, end): false: none. */
static bool find_line(struct rg_file *f, size_t at, size_t *from, size_t *to)
{
	struct rg *g = f->g;
	bool fast = g->fast && (g->fast_any || f->ascii);
	size_t end;

	if (g->matches_nothing || at >= f->end)
		return false;
	if (g->crlf) {
		for (; at < f->end; at = end) {
			end = line_end(f, at);
			tsb_tick(g->p, 1);
			if (line_matches(f, at, end)) {
				*from = at;
				*to = end;
				return true;
			}
		}
		return false;
	}
	if (regex_search_lines(fast ? g->fast : g->perl, f->buf + at, f->end - at,
			       (unsigned char)g->eol, from, to) != REGEX_MATCH)
		return false;
	*from += at;
	*to += at;
	*to += *to < f->end;
	return *from < f->end;
}

/* ---- What is done with lines ---- */

static bool silent(const struct rg_file *f)
{
	return f->g->list != RG_LINES || f->g->quiet;
}

static bool enough(const struct rg_file *f)
{
	return f->g->has_max_count && f->matched_lines >= f->g->max_count;
}

/* false: no context is shown of a binary file, and it is not searched on. */
static bool context_line(struct rg_file *f, size_t from, size_t to)
{
	struct rg *g = f->g;

	if (g->binary != RG_TEXT && g->eol && !g->json) {
		const char *nul = f->binary_at < 0 ? memchr(f->buf + from, '\0', to - from) : NULL;

		if (nul)
			f->binary_at = (int64_t)(f->base + (uint64_t)(nul - f->buf));
		if (f->binary_at >= 0)
			return false;
	}
	if (g->json)
		rg_json_lines(f, from, to, false);
	else
		rg_print_context(f, from, to);
	f->done = to;
	f->any_printed = true;
	return true;
}

/* Context behind the last match, up to `to`; with --passthru all lines. */
static bool context_after(struct rg_file *f, size_t to)
{
	size_t at = f->done;

	while (at < to && ((f->g->passthru && !enough(f)) || f->after_left) && !silent(f)) {
		size_t end = line_end(f, at);

		if (!context_line(f, at, end))
			return false;
		f->after_left -= f->after_left > 0;
		at = end;
		tsb_tick(f->g->p, 1);
	}
	return true;
}

static bool context_before(struct rg_file *f, size_t at)
{
	size_t from = lines_up(f, at, f->done, f->g->before);
	bool wants_gap = f->g->before || f->g->after;

	if (wants_gap && !f->g->json && f->any_printed && from > f->done)
		rg_print_gap(f);
	while (from < at) {
		size_t end = line_end(f, from);

		if (!context_line(f, from, end))
			return false;
		from = end;
	}
	return true;
}

/* NULs in a file that was named: from the first match on it is only told of. */
static bool binary_stops(struct rg_file *f, size_t from, size_t to)
{
	const char *nul;

	if (f->g->binary == RG_TEXT || f->g->eol == '\0' || f->g->json)
		return false;
	nul = f->binary_at < 0 ? memchr(f->buf + from, '\0', to - from) : NULL;
	if (nul)
		f->binary_at = (int64_t)(f->base + (uint64_t)(nul - f->buf));
	return f->binary_at >= 0 && !silent(f);
}

/* Lines [from, to) match. false: nothing more is wanted. */
static bool on_match(struct rg_file *f, size_t from, size_t to)
{
	struct rg *g = f->g;

	if (!silent(f) && (!context_after(f, from) || !context_before(f, from)))
		return false;
	f->matched_lines++;
	f->stat_lines += g->multiline ? tailpos_count(f->buf + from, to - from, g->eol) +
			 (f->buf[to - 1] != g->eol) : 1;
	g->matched |= g->list != RG_WITHOUT_MATCH || g->quiet;
	f->n_spans = 0;
	if (g->need_spans && (!g->invert || g->list != RG_LINES))
		rg_find_spans(f, from, to);
	if (g->invert)
		f->n_spans = 0;
	f->matches += f->n_spans;
	if (binary_stops(f, from, to))
		return false;
	if (g->quiet && !g->stats) {
		g->stop = true;
		return false;
	}
	if (g->list == RG_WITH_MATCH || g->list == RG_WITHOUT_MATCH)
		return g->stats;
	if (!silent(f)) {
		if (g->json)
			rg_json_lines(f, from, to, true);
		else
			rg_print_match(f, from, to);
		f->done = to;
		f->any_printed = true;
	}
	f->after_left = g->after;
	if (g->line_buffered) {
		sink_flush(&g->sink);
		tsb_flush(g->p);
	}
	return true;
}

/* All whole lines. false: the file is done. */
static bool search_lines(struct rg_file *f)
{
	struct rg *g = f->g;

	while (f->at < f->end && !enough(f)) {
		size_t from, to;
		bool found = find_line(f, f->at, &from, &to);

		if (!found)
			from = to = f->end;
		while (g->invert && f->at < from && !enough(f)) {
			size_t end = line_end(f, f->at);

			if (!on_match(f, f->at, end))
				return false;
			f->at = end;
			tsb_tick(g->p, 1);
		}
		if (enough(f))
			break;
		f->at = to;
		if (found && !g->invert && !on_match(f, from, to))
			return false;
	}
	f->bytes = f->base + f->at;
	if (enough(f))
		f->at = f->end;
	return context_after(f, f->end) && (!enough(f) || f->after_left);
}

/* ---- Over lines ---- */

static bool search_multi(struct rg_file *f)
{
	struct rg *g = f->g;
	struct regex_span m;
	size_t from = 0, to = 0, at = 0;
	bool pending = false, more = true;

	while (more && !enough(f)) {
		size_t a, b;

		more = at <= f->n && !g->matches_nothing &&
		       regex_match(g->perl, f->buf, f->n, at, 0, &m, 1) == REGEX_MATCH &&
		       !(m.so == f->n && f->n && f->buf[f->n - 1] == g->eol);
		if (!more)
			break;
		a = lines_up(f, m.so + 1 <= f->n ? m.so + 1 : f->n, 0, 1);
		b = line_end(f, m.eo > m.so ? m.eo - 1 : m.eo);
		if (pending && a > to) {
			if (!on_match(f, from, to))
				return false;
			pending = false;
		}
		from = pending ? from : a;
		to = pending && b < to ? to : b;
		pending = true;
		at = m.eo > m.so ? m.eo : m.eo + 1;
		if (at < to && m.eo == m.so)
			at = m.eo + 1;
	}
	if (pending && !enough(f) && !on_match(f, from, to))
		return false;
	context_after(f, f->n);
	return true;
}

static bool search_multi_inverted(struct rg_file *f)
{
	struct regex_span m;
	size_t at = 0;

	while (at < f->n && !enough(f)) {
		size_t from = f->n, to = f->n;

		if (!f->g->matches_nothing &&
		    regex_match(f->g->perl, f->buf, f->n, at, 0, &m, 1) == REGEX_MATCH) {
			from = lines_up(f, m.so + 1 <= f->n ? m.so + 1 : f->n, 0, 1);
			to = line_end(f, m.eo > m.so ? m.eo - 1 : m.eo);
		}
		while (at < from && !enough(f)) {
			size_t end = line_end(f, at);

			if (!on_match(f, at, end))
				return false;
			at = end;
		}
		at = to > at ? to : at + 1;
	}
	context_after(f, f->n);
	return true;
}

/* ---- The file ---- */

static bool is_ascii(const char *p, size_t n)
{
	size_t i = 0;
	uint64_t w, all = 0;

	for (; i + 8 <= n; i += 8) {
		memcpy(&w, p + i, 8);
		all |= w;
	}
	for (; i < n; i++)
		all |= (unsigned char)p[i] & 0x80u;
	return !(all & 0x8080808080808080ull);
}

/* Looks for NULs in what is new. false: this file is not searched on. */
static bool look_for_nuls(struct rg_file *f, size_t from)
{
	const char *nul;
	struct rg *g = f->g;

	if (g->binary == RG_TEXT || f->binary_at >= 0 || !g->eol)
		return true;
	/* Of a file that was named only the beginning is looked at, and what matches. */
	if (f->explicit && f->fd && f->base + from >= BLOCK)
		return true;
	nul = memchr(f->buf + from, '\0', f->explicit && f->fd && f->n - from > BLOCK ? BLOCK :
		     f->n - from);
	if (!nul)
		return true;
	f->binary_at = (int64_t)(f->base + (uint64_t)(nul - f->buf));
	f->stopped = g->binary == RG_QUIT && !f->explicit;
	return !f->stopped;
}

/* NULs end lines in a binary file that is searched all the same. */
static void replace_nuls(struct rg_file *f, size_t from)
{
	if (f->binary_at < 0 || f->g->binary == RG_TEXT || !f->g->eol || f->explicit)
		return;
	for (char *s = f->buf + from; (s = memchr(s, '\0', f->n - (size_t)(s - f->buf))); )
		*s = f->g->eol;
}

/* What lies before the context that may be wanted goes. */
static void compact(struct rg_file *f)
{
	size_t keep = f->at > f->done ? lines_up(f, f->at, f->done, f->g->before) : f->at;

	if (f->g->passthru || f->after_left)
		keep = f->done < keep ? f->done : keep;
	if (keep < BLOCK / 2 && keep < f->n)
		return;
	if (f->g->show_numbers || f->g->json)
		rg_line_number(f, keep);
	memmove(f->buf, f->buf + keep, f->n - keep);
	f->base += keep;
	f->n -= keep;
	f->at -= keep;
	f->counted = f->counted > keep ? f->counted - keep : 0;
	f->end -= keep;
	/* Done lines that are gone leave a gap, if there is one. */
	f->done = f->done > keep ? f->done - keep : 0;
	f->gap = f->gap || keep > 0;
}

static void search_blocks(struct rg_file *f)
{
	bool more = true;

	for (;;) {
		size_t was = f->n;
		const char *nl;

		if (!f->whole && !f->eof)
			fill(f);
		if (was == 0 && f->base == 0)
			decode(f);
		f->eof |= f->whole;
		if (!look_for_nuls(f, was))
			return;
		replace_nuls(f, was);
		nl = f->n ? memrchr(f->buf + was, f->g->eol, f->n - was) : NULL;
		f->end = f->eof ? f->n : nl ? (size_t)(nl - f->buf) + 1 : f->end;
		f->ascii = f->g->fast && !f->g->fast_any &&
			   is_ascii(f->buf + f->at, f->end - f->at) &&
			   !memchr(f->buf + f->at, '\0', f->end - f->at);
		more = search_lines(f);
		if (!enough(f))
			f->bytes = f->base + f->n;
		if (!more || f->eof || f->g->stop)
			return;
		compact(f);
	}
}

static void search_whole(struct rg_file *f)
{
	if (!f->whole) {
		fill(f);
		decode(f);
	}
	if (!f->whole)
		fill_all(f);
	if (!look_for_nuls(f, 0))
		return;
	replace_nuls(f, 0);
	f->end = f->bytes = f->n;
	f->eof = true;
	if (f->g->invert)
		search_multi_inverted(f);
	else
		search_multi(f);
}

/* ---- Where the text comes from ---- */

static bool spawn_reader(struct rg_file *f, const char *const *argv)
{
	struct rg *g = f->g;
	struct tsb_spawn how = { .size = sizeof(how), .argv = argv };
	struct tsb_fd_map fds[3];
	int pipe[2], pid, null = tsb_open(g->p, f->path, O_RDONLY | O_CLOEXEC, 0);

	if (null < 0 || tsb_pipe(g->p, pipe) < 0)
		return false;
	fds[0] = (struct tsb_fd_map){ 0, null };
	fds[1] = (struct tsb_fd_map){ 1, pipe[1] };
	fds[2] = (struct tsb_fd_map){ pipe[0], -1 };
	how.fds = fds;
	how.n_fds = 3;
	if (tsb_spawn(g->p, &how, &pid) < 0)
		return false;
	tsb_close(g->p, pipe[1]);
	tsb_close(g->p, null);
	f->fd = pipe[0];
	return true;
}

static const char *unpacker(const char *path)
{
	static const struct { const char *end, *program; } rows[] = {
		{ ".gz", "gzip" }, { ".tgz", "gzip" }, { ".bz2", "bzip2" }, { ".tbz2", "bzip2" },
		{ ".xz", "xz" }, { ".txz", "xz" }, { ".lzma", "xz" }, { ".zst", "zstd" },
		{ ".zstd", "zstd" }, { ".lz4", "lz4" }, { ".br", "brotli" }, { ".Z", "uncompress" }
	};
	size_t n = strlen(path);

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		size_t k = strlen(rows[i].end);

		if (n >= k && !strcmp(path + n - k, rows[i].end))
			return rows[i].program;
	}
	return NULL;
}

static int open_text(struct rg_file *f, const char *path)
{
	struct rg *g = f->g;
	const char *program = g->search_zip ? unpacker(path) : NULL;
	const char *pre[] = { g->pre, path, NULL };
	const char *zip[] = { program, "-d", "-c", NULL };

	if (input_is_stdin(path))
		return 0;
	if (g->pre && (!g->pre_rules ||
		       gitignore_match(g->pre_rules, path, strlen(path), false) != GITIGNORE_NONE)) {
		if (spawn_reader(f, pre))
			return f->fd;
		return -ENOENT;
	}
	if (program && spawn_reader(f, zip))
		return f->fd;
	return tsb_open(g->p, path, O_RDONLY | O_CLOEXEC, 0);
}

static void finish(struct rg_file *f)
{
	struct rg *g = f->g;

	if (f->error) {
		g->trouble = true;
		if (!g->no_messages)
			rg_say(g, "%s: %s", f->path, rg_os_error(g, f->error));
	}
	if (f->stopped && !f->any_printed)
		f->matched_lines = f->matches = 0;
	if (f->binary_at >= 0 && f->explicit && f->matched_lines)
		f->bytes = (uint64_t)f->binary_at;
	if (g->json && !f->matched_lines) {
		rg_json_end(f);
		return;
	}
	g->total.searched++;
	g->total.bytes += f->bytes;
	g->total.lines += f->stat_lines;
	g->total.matches += f->matches;
	g->total.with_match += f->matched_lines > 0;
	if (g->json)
		rg_json_end(f);
	else
		rg_print_end(f);
}

void rg_search(struct rg *g, const char *path, bool explicit)
{
	struct rg_file f = { .g = g, .explicit = explicit, .binary_at = -1 };

	g->searched_any = true;
	f.path = input_is_stdin(path) ? "<stdin>" : path;
	f.printed_before = g->out_bytes;
	f.fd = open_text(&f, path);
	if (f.fd < 0) {
		g->trouble = true;
		if (!g->no_messages)
			rg_say(g, "%s: %s", path, rg_os_error(g, f.fd));
		return;
	}
	if (g->json)
		rg_json_begin(&f);
	if (g->has_max_count && !g->max_count)
		f.eof = true;
	else if (g->multiline)
		search_whole(&f);
	else
		search_blocks(&f);
	finish(&f);
	if (f.fd)
		tsb_close(g->p, f.fd);
	tsb_free(g->p, f.buf);
	tsb_free(g->p, f.spans);
}
