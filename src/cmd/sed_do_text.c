/*
 * Commands that print, and what waits until the end of the cycle (a, r, R).
 */
#include "cmd/sed.h"

#include <fcntl.h>
#include <string.h>

#include "base/num.h"

/* ---- Printing ---- */

enum sed_flow sed_do_print(struct sed *s, struct sed_cmd *cmd)
{
	(void)cmd;
	sed_out_space(s, s->to, &s->pattern);
	return SED_NEXT;
}

/* The first line; if it is the only one, it may lack its newline. */
static void print_first(struct sed *s, struct sed_out *o)
{
	const struct sed_space *sp = &s->pattern;
	const char *end = sp->n ? memchr(sp->at, s->delim, sp->n) : NULL;

	if (end)
		sed_out_line(s, o, sp->at, (size_t)(end - sp->at));
	else
		sed_out_space(s, o, sp);
}

enum sed_flow sed_do_print_first(struct sed *s, struct sed_cmd *cmd)
{
	(void)cmd;
	print_first(s, s->to);
	return SED_NEXT;
}

enum sed_flow sed_do_write(struct sed *s, struct sed_cmd *cmd)
{
	sed_out_space(s, cmd->out, &s->pattern);
	return SED_NEXT;
}

enum sed_flow sed_do_write_first(struct sed *s, struct sed_cmd *cmd)
{
	print_first(s, cmd->out);
	return SED_NEXT;
}

enum sed_flow sed_do_line_number(struct sed *s, struct sed_cmd *cmd)
{
	char digits[24];

	(void)cmd;
	sed_out_line(s, s->to, digits, num_format_u64(digits, s->in.line));
	return SED_NEXT;
}

enum sed_flow sed_do_file_name(struct sed *s, struct sed_cmd *cmd)
{
	(void)cmd;
	sed_out_line(s, s->to, s->in.name, strlen(s->in.name));
	return SED_NEXT;
}

/* One byte as l shows it: the length. */
static size_t list_byte(char *buf, unsigned char c)
{
	static const char names[] = "abfnrtv\\", bytes[] = "\a\b\f\n\r\t\v\\";
	const char *simple = c ? strchr(bytes, c) : NULL;

	if (!simple && c >= 32 && c < 127) {
		buf[0] = (char)c;
		return 1;
	}
	buf[0] = '\\';
	if (simple) {
		buf[1] = names[simple - bytes];
		return 2;
	}
	buf[1] = (char)('0' + (c >> 6));
	buf[2] = (char)('0' + (c >> 3 & 7));
	buf[3] = (char)('0' + (c & 7));
	return 4;
}

enum sed_flow sed_do_list(struct sed *s, struct sed_cmd *cmd)
{
	int64_t wrap = cmd->number == SED_NOT_GIVEN ? s->wrap : cmd->number, column = 0;
	const struct sed_space *sp = &s->pattern;
	struct str out;

	str_init(&out, tsb_heap_of(s->p), STR_MAX_DEFAULT);
	for (size_t i = 0; i < sp->n; i++) {
		char buf[4];
		size_t n = list_byte(buf, (unsigned char)sp->at[i]);

		if (wrap > 0 && column + (int64_t)n > wrap - 1) {
			str_addc(&out, '\\');
			str_addc(&out, s->delim);
			column = 0;
		}
		str_addn(&out, buf, n);
		column += (int64_t)n;
		if (i % 4096 == 4095)
			tsb_tick(s->p, 64);
	}
	str_addc(&out, '$');
	sed_out_line(s, s->to, out.p, out.n);
	str_end(&out);
	return SED_NEXT;
}

/* ---- Text ---- */

/* The newline at its end is the end of a line: NUL with -z. What a appends is
 * written as it stands. */
static void put_text(struct sed *s, struct slice text)
{
	if (text.n)
		sed_out_line(s, s->to, text.p, text.n - 1);
}

enum sed_flow sed_do_insert(struct sed *s, struct sed_cmd *cmd)
{
	put_text(s, cmd->text);
	return SED_NEXT;
}

enum sed_flow sed_do_append(struct sed *s, struct sed_cmd *cmd)
{
	struct sed_append *a = vec_add(tsb_heap_of(s->p), &s->appends);

	*a = (struct sed_append){ SED_APPEND_TEXT, cmd->text };
	return SED_NEXT;
}

/* A range is changed once, at its end. */
enum sed_flow sed_do_change(struct sed *s, struct sed_cmd *cmd)
{
	if (cmd->range != SED_RANGE_ACTIVE || cmd->negate)
		put_text(s, cmd->text);
	return SED_DELETE;
}

/* ---- Files ---- */

/* All that is left of a descriptor. */
static void put_file(struct sed *s, struct lines *l)
{
	do {
		sed_out_text(s, s->to, l->buf + l->at, l->n - l->at);
		l->at = l->n;
	} while (lines_fill(l));
}

static void put_named(struct sed *s, const char *name)
{
	struct lines l = { 0 };
	int fd;

	fd = tsb_open(s->p, name, O_RDONLY | O_CLOEXEC, 0);
	if (fd < 0)
		return;
	lines_open(&l, s->p, fd);
	put_file(s, &l);
	tsb_free(s->p, l.buf);
	tsb_close(s->p, fd);
}

enum sed_flow sed_do_read(struct sed *s, struct sed_cmd *cmd)
{
	struct sed_append *a;

	if (cmd->zero && !cmd->a2.kind) {
		put_named(s, cmd->text.p);
		return SED_NEXT;
	}
	a = vec_add(tsb_heap_of(s->p), &s->appends);
	*a = (struct sed_append){ SED_APPEND_FILE, cmd->text };
	return SED_NEXT;
}

static bool source_open(struct sed *s, struct sed_source *r)
{
	int fd;

	if (r->started)
		return !r->failed;
	r->started = true;
	if (!strcmp(r->name, "/dev/stdin")) {
		r->lines = sed_standard_input(s);
		return true;
	}
	fd = tsb_open(s->p, r->name, O_RDONLY | O_CLOEXEC, 0);
	r->failed = fd < 0;
	if (r->failed)
		return false;
	lines_open(&r->own, s->p, fd);
	r->lines = &r->own;
	return true;
}

enum sed_flow sed_do_read_line(struct sed *s, struct sed_cmd *cmd)
{
	struct sed_source *r = cmd->source;
	struct sed_append *a;
	size_t n;
	char *line, *own;

	if (!source_open(s, r))
		return SED_NEXT;
	if (r->lines != &r->own)
		sed_space_own(s, &s->pattern);
	if (!lines_next(r->lines, s->delim, &line, &n))
		return SED_NEXT;
	a = vec_add(tsb_heap_of(s->p), &s->appends);
	own = tsb_alloc(s->p, n + 1);
	memcpy(own, line, n);	/* NULs and all */
	*a = (struct sed_append){ SED_APPEND_LINE, { own, n } };
	return SED_NEXT;
}

void sed_appends_dump(struct sed *s)
{
	size_t n = s->appends.n;

	s->appends.n = 0;
	for (size_t i = 0; i < n; i++) {
		struct sed_append *a = &s->appends.at[i];

		sed_out_newline(s, s->to);	/* even if nothing follows */
		if (a->kind == SED_APPEND_FILE)
			put_named(s, a->text.p);
		else
			sed_out_text(s, s->to, a->text.p, a->text.n);
		if (a->kind == SED_APPEND_LINE)
			tsb_free(s->p, (void *)(uintptr_t)a->text.p);
	}
}
