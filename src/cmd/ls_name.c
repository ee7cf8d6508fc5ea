/*
 * Names on their way out: quoting, question marks for what cannot be printed,
 * colour, hyperlinks, the indicator behind, and the offsets --dired reports.
 */
#include "cmd/ls.h"

#include <string.h>
#include <sys/stat.h>

#include "base/utf8.h"
#include "cmd/locale.h"
#include "cmd/quote.h"
#include "cmd/util.h"

void ls_put(struct ls *ls, const char *s, size_t n)
{
	tsb_put(ls->p, s, n);
	ls->pos += n;
}

void ls_puts(struct ls *ls, const char *s)
{
	ls_put(ls, s, strlen(s));
}

void ls_putf(struct ls *ls, const char *fmt, ...)
{
	struct str s;
	va_list ap;

	str_init(&s, tsb_heap_of(ls->p), STR_MAX_DEFAULT);
	va_start(ap, fmt);
	str_addvf(&s, fmt, ap);
	va_end(ap);
	ls_put(ls, s.p, s.n);
	str_end(&s);
}

static void name_note_offset(struct ls *ls, struct ls_offsets *o)
{
	if (!ls->dired || !o)
		return;
	o->at = util_grow(ls->p, o->at, o->n, &o->cap, sizeof(*o->at));
	o->at[o->n++] = ls->pos;
}

/* A character, or a byte where the locale is C: its length; *c is negative where
 * it is none. */
static size_t name_decode(const char *s, size_t n, bool utf8, int32_t *c)
{
	if (utf8)
		return utf8_decode(s, n, c);
	*c = (unsigned char)*s;
	if (*c > 127)
		*c = 128;	/* a control character */
	return 1;
}

/* Columns; what has no width and is no control character takes one. */
static size_t name_columns(const char *s, size_t n, bool utf8)
{
	size_t width = 0;
	int32_t c;

	for (size_t i = 0; i < n;) {
		size_t k = name_decode(s + i, n - i, utf8, &c);
		int w = c < 0 ? 1 : utf8_width(c);

		if (w < 0)
			w = c < 32 || (c >= 127 && c < 160) ? 0 : 1;
		width += (size_t)w;
		i += k;
	}
	return width;
}

/* -q: a question mark for each character that does not print. */
static void name_hide_control(struct str *s, bool utf8)
{
	size_t out = 0;
	int32_t c;

	for (size_t i = 0; i < s->n;) {
		size_t k = name_decode(s->p + i, s->n - i, utf8, &c);

		if (c >= 0 && utf8_width(c) >= 0) {
			memmove(s->p + out, s->p + i, k);
			out += k;
		} else {
			s->p[out++] = '?';
		}
		i += k;
	}
	str_cut(s, out);
}

/* The text of a name: quoted, and hidden as -q has it. *quoted: is it changed? */
static void name_text(struct ls *ls, struct str *s, const char *name, const char *extra,
		      bool *quoted)
{
	enum quote_style style = (enum quote_style)ls->quoting;
	size_t n = strlen(name);

	str_init(s, tsb_heap_of(ls->p), STR_MAX_DEFAULT);
	quote_gnu(s, quote_style_here(ls->p, style), name, n, *extra ? extra : NULL);
	*quoted = s->n != n || (n && *name != *s->p);
	if (ls->hide_control)
		name_hide_control(s, locale_utf8(ls->p));
}

void ls_show(struct ls *ls, struct ls_file *f)
{
	struct str s;

	if (f->has_shown)
		return;
	f->has_shown = true;
	name_text(ls, &s, f->name, ls->name_extra, &f->quoted);
	f->width = name_columns(s.p, s.n, locale_utf8(ls->p));
	f->shown = str_take(&s, &f->shown_len);
}

/* Names without quotes stand one to the right of the quotes of others. */
static bool name_is_padded(const struct ls *ls, bool quoted)
{
	return ls->align_quotes && ls->some_quoted && !quoted;
}

size_t ls_width(struct ls *ls, struct ls_file *f)
{
	ls_show(ls, f);
	return f->width + name_is_padded(ls, f->quoted);
}

/* Bytes that are not unreserved in RFC 3986 become %xx. */
static void name_put_uri(struct ls *ls, const char *s, bool is_path)
{
	for (; *s; s++) {
		char c = *s;
		bool plain = (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') ||
			     (c >= 'A' && c <= 'Z') || strchr("~-._", c) || (is_path && c == '/');

		if (plain)
			tsb_putc(ls->p, c);
		else
			tsb_printf(ls->p, "%%%02x", (unsigned)(unsigned char)c);
	}
}

static void name_open_link(struct ls *ls, const char *absolute)
{
	tsb_puts(ls->p, "\033]8;;file://");
	name_put_uri(ls, ls->host, false);
	if (*absolute != '/')
		tsb_putc(ls->p, '/');
	name_put_uri(ls, absolute, true);
	tsb_putc(ls->p, '\a');
}

struct name_out {
	const char *text;
	size_t n;
	bool quoted, may_pad;
	const struct ls_seq *color;
	const char *absolute;
};

/* Bytes put out, with the pad: what --color's line clearing counts in. */
static size_t name_put(struct ls *ls, const struct name_out *o, struct ls_offsets *offsets)
{
	bool pad = name_is_padded(ls, o->quoted);
	/* The quotes stay outside of the link where they are in line with others. */
	bool outside = o->absolute && ls->align_quotes && ls->some_quoted && !pad;

	if (pad && o->may_pad)
		ls_put(ls, " ", 1);
	if (o->color)
		ls_color_start(ls, o->color);
	if (outside)
		tsb_putc(ls->p, *o->text);
	if (o->absolute)
		name_open_link(ls, o->absolute);
	name_note_offset(ls, offsets);
	ls_put(ls, o->text + outside, o->n - outside * 2u);
	name_note_offset(ls, offsets);
	if (o->absolute)
		tsb_puts(ls->p, "\033]8;;\a");
	if (outside)
		tsb_putc(ls->p, o->text[o->n - 1]);
	return o->n + pad;
}

size_t ls_put_name(struct ls *ls, struct ls_file *f, bool target, struct ls_offsets *offsets,
		   size_t column)
{
	struct name_out o = { .may_pad = !target, .absolute = f->absolute };
	size_t n, width = (size_t)ls->width;
	bool colored;
	struct str s;

	if (ls->color)
		o.color = ls_color_of(ls, f, target);
	colored = ls->color && (o.color || ls_is_colored(ls, LS_C_NORM));
	if (target) {
		name_text(ls, &s, f->target, ls->name_extra, &o.quoted);
		o.text = str_take(&s, &o.n);
	} else {
		ls_show(ls, f);
		o.text = f->shown;
		o.n = f->shown_len;
		o.quoted = f->quoted;
	}
	n = name_put(ls, &o, offsets);
	if (colored) {
		ls_color_stop(ls);
		/* Wrapped lines keep no background colour in their rest. */
		if (width && n && column / width != (column + n - 1) / width)
			ls_color_clear_line(ls);
	}
	return n;
}

void ls_put_heading(struct ls *ls, const char *name, const char *absolute)
{
	struct name_out o = { .may_pad = true, .absolute = absolute };
	struct str s;

	name_text(ls, &s, name, ":", &o.quoted);
	o.text = s.p;
	o.n = s.n;
	name_put(ls, &o, &ls->headings);
	str_end(&s);
}

int ls_indicator(const struct ls *ls, bool stat_ok, uint32_t mode, int type)
{
	if (stat_ok)
		type = ls_type_of(mode);
	if (type == LS_REGULAR)
		return stat_ok && ls->indicator == LS_CLASSIFY && (mode & 0111) ? '*' : 0;
	if (type == LS_DIRECTORY || type == LS_OPERAND_DIR)
		return '/';
	if (ls->indicator == LS_SLASH)
		return 0;
	return type == LS_LINK ? '@' : type == LS_FIFO ? '|' : type == LS_SOCKET ? '=' : 0;
}

static void name_dump(struct ls *ls, const char *title, const struct ls_offsets *o)
{
	if (!o->n)
		return;
	tsb_puts(ls->p, title);
	for (size_t i = 0; i < o->n; i++)
		tsb_printf(ls->p, " %llu", (unsigned long long)o->at[i]);
	tsb_putc(ls->p, '\n');
}

void ls_dump_offsets(struct ls *ls)
{
	static const char *const styles[] = {
		[QUOTE_LITERAL] = "literal", [QUOTE_SHELL] = "shell",
		[QUOTE_SHELL_ALWAYS] = "shell-always", [QUOTE_SHELL_ESCAPE] = "shell-escape",
		[QUOTE_SHELL_ESCAPE_ALWAYS] = "shell-escape-always", [QUOTE_C] = "c",
		[QUOTE_C_MAYBE] = "c-maybe", [QUOTE_ESCAPE] = "escape",
		[QUOTE_LOCALE] = "locale", [QUOTE_CLOCALE] = "clocale",
	};

	name_dump(ls, "//DIRED//", &ls->names);
	name_dump(ls, "//SUBDIRED//", &ls->headings);
	tsb_printf(ls->p, "//DIRED-OPTIONS// --quoting-style=%s\n", styles[ls->quoting]);
}
