/*
 * What patch says, and the lines of the patch file. It is read whole; places
 * in it are offsets, so reading goes back as it likes.
 */
#include "cmd/patch.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>

#include "cmd/lines.h"
#include "cmd/quote.h"

/* ---- Words ---- */

static TSB_PRINTF(2, 0) void vsay(struct patch *t, const char *fmt, va_list ap)
{
	struct str s;

	str_init(&s, tsb_heap_of(t->p), STR_MAX_DEFAULT);
	str_addvf(&s, fmt, ap);
	tsb_flush(t->p);
	tsb_write_all(t->p, t->say_fd, s.p, s.n);
	str_end(&s);
}

void patch_say(struct patch *t, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vsay(t, fmt, ap);
	va_end(ap);
}

void patch_fatal(struct patch *t, const char *fmt, ...)
{
	struct str s;
	va_list ap;

	str_init(&s, tsb_heap_of(t->p), STR_MAX_DEFAULT);
	str_addf(&s, "%s: **** ", tsb_name(t->p));
	va_start(ap, fmt);
	str_addvf(&s, fmt, ap);
	va_end(ap);
	str_addc(&s, '\n');
	tsb_write_all(t->p, 2, s.p, s.n);
	/* What waits to be written is good all the same. */
	if (!t->dying) {
		t->dying = true;
		patch_flush_queue(t);
	}
	tsb_exit(t->p, DIFF_TROUBLE);
}

void patch_pfatal(struct patch *t, int err, const char *fmt, ...)
{
	struct str s;
	va_list ap;

	str_init(&s, tsb_heap_of(t->p), STR_MAX_DEFAULT);
	va_start(ap, fmt);
	str_addvf(&s, fmt, ap);
	va_end(ap);
	patch_fatal(t, "%s : %s", s.p, tsb_strerror(err));
}

const char *patch_quote(struct patch *t, const char *name)
{
	struct str s;

	str_init(&s, tsb_heap_of(t->p), STR_MAX_DEFAULT);
	quote_gnu(&s, quote_style_here(t->p, t->quoting), name, strlen(name), NULL);
	return s.p;
}

void patch_ask(struct patch *t, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vsay(t, fmt, ap);
	va_end(ap);
	if (t->say_fd == 1)
		tsb_putc(t->p, '\n');	/* not flushed, as the real one's is not */
	else
		tsb_write_all(t->p, t->say_fd, "\n", 1);
}

/* ---- The file ---- */

void patch_read_text(struct patch *t)
{
	const char *name = t->patch_name;
	struct lines in = { 0 };
	int fd = 0;

	if (name && *name && strcmp(name, "-") != 0)
		fd = tsb_open(t->p, name, O_RDONLY | O_CLOEXEC, 0);
	if (fd < 0)
		patch_pfatal(t, fd, "Can't open patch file %s", patch_quote(t, name));
	lines_open(&in, t->p, fd);
	while (lines_fill(&in))
		tsb_tick(t->p, 1);
	if (in.error)
		patch_pfatal(t, in.error, "read error");
	t->text = in.buf + in.at;
	t->size = in.n - in.at;
	str_init(&t->buf, tsb_heap_of(t->p), STR_MAX_DEFAULT);
}

/* Skips indentation and the marks of quoted mail ("- "); false: the end. */
static bool skip_front(struct patch *t, size_t indent, int nesting)
{
	for (size_t i = 0; i < indent && t->at < t->size; t->at++) {
		char c = t->text[t->at];

		if (c == ' ' || c == 'X')
			i++;
		else if (c == '\t')
			i = (i + 8) & ~(size_t)7;
		else
			break;
	}
	for (; nesting > 0 && t->at < t->size && t->text[t->at] == '-'; nesting--) {
		if (t->at + 1 < t->size && t->text[t->at + 1] == ' ')
			t->at++;
		t->at++;
	}
	return t->at < t->size;
}

/* A line that lacks its newline is said, and is the end. */
static size_t read_line(struct patch *t, size_t indent, int nesting, bool strip_cr, bool comments)
{
	do {
		const char *from, *end;

		str_reset(&t->buf);
		if (t->at >= t->size || !skip_front(t, indent, nesting))
			return 0;
		from = t->text + t->at;
		end = memchr(from, '\n', t->size - t->at);
		if (!end) {
			if (t->verbosity != PATCH_SILENT)
				patch_say(t, "patch unexpectedly ends in middle of line\n");
			t->at = t->size;
			return 0;
		}
		t->at = (size_t)(end - t->text) + 1;
		str_addn(&t->buf, from, (size_t)(end - from));
		if (strip_cr && t->buf.n && t->buf.p[t->buf.n - 1] == '\r')
			str_cut(&t->buf, t->buf.n - 1);
		str_addc(&t->buf, '\n');
		t->line++;
		tsb_tick(t->p, 1);
	} while (t->buf.p[0] == '#' && !comments);
	return t->buf.n;
}

size_t patch_raw_line(struct patch *t)
{
	return read_line(t, 0, 0, false, false);
}

size_t patch_hunk_line(struct patch *t)
{
	return read_line(t, t->indent, t->nesting, t->strip_cr, t->type == PATCH_ED);
}

bool patch_incomplete(struct patch *t)
{
	size_t at = t->at;
	const char *end;

	if (at >= t->size || t->text[at] != '\\') {
		if (!skip_front(t, t->indent, t->nesting) || t->text[t->at] != '\\') {
			t->at = at;
			return false;
		}
	}
	end = memchr(t->text + t->at, '\n', t->size - t->at);
	t->at = end ? (size_t)(end - t->text) + 1 : t->size;
	t->line++;
	return true;
}

void patch_next_at(struct patch *t, size_t at, uint64_t line)
{
	t->base = at;
	t->base_line = line;
}

void patch_malformed(struct patch *t)
{
	patch_fatal(t, "malformed patch at line %llu: %s", (unsigned long long)t->line, t->buf.p);
}
