/*
 * Formats of hexdump: a list of units, each applied so many times to so many
 * bytes. A format that covers less than a block repeats its last unit.
 */
#include "cmd/hexdump.h"

#include <stdlib.h>
#include <string.h>

#include "base/str.h"

static const char *format_skip_space(const char *s)
{
	return s + strspn(s, " \t\n\v\f\r");
}

static bool format_is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static bool format_is_space(char c)
{
	return c == ' ' || (c >= '\t' && c <= '\r');
}

/* ---- Reading ---- */

static void format_unescape(char *s)
{
	static const char from[] = "abfnrtv", to[] = "\a\b\f\n\r\t\v";
	char *out = s;

	for (; *s; s++) {
		const char *at;

		if (*s == '\\' && s[1]) {
			s++;
			at = strchr(from, *s);
			*out++ = at ? to[at - from] : *s;
		} else {
			*out++ = *s;
		}
	}
	*out = '\0';
}

/* A number at *s, behind which one of `behind` or a blank must be. */
static bool format_number(const char **s, size_t *value, char behind)
{
	size_t v = 0;

	while (format_is_digit(**s)) {
		v = v < 1000000 ? v * 10 + (size_t)(**s - '0') : v;
		++*s;
	}
	*value = v;
	if (!format_is_space(**s) && (!behind || **s != behind))
		return false;
	if (format_is_space(**s))
		*s = format_skip_space(*s);
	return true;
}

static bool format_unit(struct tsb_proc *p, struct hexdump_unit *u, const char **s)
{
	const char *end;

	u->reps = 1;
	if (format_is_digit(**s)) {
		u->reps_given = true;
		if (!format_number(s, &u->reps, '/'))
			return false;
	}
	if (**s == '/')
		*s = format_skip_space(*s + 1);
	if (format_is_digit(**s) && !format_number(s, &u->bytes, '\0'))
		return false;
	if (**s != '"')
		return false;
	end = strchr(*s + 1, '"');
	if (!end)
		return false;
	u->format = tsb_strndup(p, *s + 1, (size_t)(end - *s - 1));
	format_unescape(u->format);
	*s = end + 1;
	return true;
}

int hexdump_add(struct tsb_proc *p, struct hexdump *h, const char *text)
{
	struct hexdump_format *f = vec_add(tsb_heap_of(p), &h->formats);
	const char *s = text;

	while (*(s = format_skip_space(s))) {
		if (!format_unit(p, vec_add(tsb_heap_of(p), &f->units), &s)) {
			tsb_warn(p, "bad format {%s}", text);
			return 1;
		}
	}
	return 0;
}

int hexdump_add_file(struct tsb_proc *p, struct hexdump *h, const char *name)
{
	int fd = tsb_open(p, name, 0, 0), status = 0;
	struct tsb_reader in;
	const char *start;
	char *line;
	size_t n;

	if (fd < 0) {
		tsb_warn_errno(p, fd, "can't read %s", name);
		return 1;
	}
	tsb_reader_init(&in, p, fd);
	while (!status && (n = tsb_getdelim(&in, &line, '\n'))) {
		if (line[n - 1] == '\n')
			line[n - 1] = '\0';
		start = format_skip_space(line);
		if (*start && *start != '#')
			status = hexdump_add(p, h, tsb_strdup(p, start));
	}
	tsb_reader_end(&in);
	tsb_close(p, fd);
	return status;
}

/* ---- Compiling ---- */

struct format_reader {
	struct hexdump *h;
	struct hexdump_unit *unit;
	size_t conversions;
};

static struct hexdump_part *format_part(struct format_reader *r, enum hexdump_kind kind)
{
	struct hexdump_part *part = vec_add(tsb_heap_of(r->h->p), &r->unit->parts);

	part->kind = kind;
	part->spec.precision = -1;
	return part;
}

static int format_bad(struct format_reader *r, const char *what, const char *at, size_t n)
{
	tsb_warn(r->h->p, "%s %%%.*s", what, (int)n, at);
	return 1;
}

static int format_bad_count(struct format_reader *r, const char *at, size_t n)
{
	tsb_warn(r->h->p, "bad byte count for conversion character %.*s", (int)n, at);
	return 1;
}

/* Flags, width and precision: what is behind. */
static const char *format_flags(const char *s, struct format_spec *spec)
{
	for (; *s && strchr("-+ #0", *s); s++) {
		spec->minus |= *s == '-';
		spec->plus |= *s == '+';
		spec->space |= *s == ' ';
		spec->alt |= *s == '#';
		spec->zero |= *s == '0';
	}
	for (; format_is_digit(*s); s++)
		spec->width = spec->width < 100000 ? spec->width * 10 + (*s - '0') : spec->width;
	if (*s != '.')
		return s;
	spec->precision = 0;
	for (s++; format_is_digit(*s); s++)
		spec->precision = spec->precision < 100000 ? spec->precision * 10 + (*s - '0')
							    : spec->precision;
	return s;
}

/* The bytes of a conversion: those of its unit if they are in `sizes`, else usual. */
static bool format_bytes(struct format_reader *r, struct hexdump_part *part, const char *sizes,
			 size_t usual)
{
	size_t n = r->unit->bytes;

	part->bytes = n ? n : usual;
	return !n || (n < 9 && strchr(sizes, (char)('0' + n)));
}

static int format_string(struct format_reader *r, struct hexdump_part *part)
{
	if (!r->unit->bytes && part->spec.precision < 0) {
		tsb_warn(r->h->p, "%%s requires a precision or a byte count");
		return 1;
	}
	part->kind = HEXDUMP_STRING;
	part->bytes = r->unit->bytes ? r->unit->bytes : (size_t)part->spec.precision;
	return 0;
}

/* s is behind "%_": *s is moved behind the conversion. */
static int format_special(struct format_reader *r, struct hexdump_part *part, const char **s)
{
	const char *at = *s;

	switch (*at) {
	case 'A': case 'a':
		if (!at[1] || !strchr("dox", at[1]))
			return format_bad(r, "bad conversion character", at - 1, at[1] ? 3 : 2);
		part->kind = HEXDUMP_ADDRESS;
		part->spec.conv = at[1] == 'd' ? 'u' : at[1];
		r->unit->at_end |= *at == 'A';
		*s = at + 2;
		return 0;
	case 'c': part->kind = HEXDUMP_ESCAPED; break;
	case 'p': part->kind = HEXDUMP_SHOWN; break;
	case 'u': part->kind = HEXDUMP_NAMED; break;
	default:
		return format_bad(r, "bad conversion character", at - 1, *at ? 2 : 1);
	}
	*s = at + 1;
	part->spec.conv = 'c';
	if (!format_bytes(r, part, "1", 1))
		return format_bad_count(r, at - 1, 2);
	return 0;
}

/* s is behind "%". */
static int format_conversion(struct format_reader *r, const char **s)
{
	struct hexdump_part *part = format_part(r, HEXDUMP_INT);
	const char *at = format_flags(*s, &part->spec);
	const char *sizes = NULL;
	size_t usual = 0;

	part->spec.conv = *at;
	*s = at + (*at != '\0');
	if (*at == '_') {
		int status = format_special(r, part, s);

		if (status || part->kind == HEXDUMP_ADDRESS)
			return status;
	} else if (*at == 's') {
		int status = format_string(r, part);

		if (status)
			return status;
	} else if (*at == 'c') {
		part->kind = HEXDUMP_CHAR;
		sizes = "1";
		usual = 1;
	} else if (*at && strchr("diouxX", *at)) {
		sizes = "1248";
		usual = 4;
	} else if (*at && strchr("efgEG", *at)) {
		part->kind = HEXDUMP_FLOAT;
		sizes = "48";
		usual = 8;
	} else {
		return format_bad(r, "bad conversion character", at, 1);
	}
	if (sizes && !format_bytes(r, part, sizes, usual))
		return format_bad_count(r, at, 1);
	if (r->unit->bytes && r->conversions++) {
		tsb_warn(r->h->p, "byte count with multiple conversion characters");
		return 1;
	}
	return 0;
}

static int format_compile_unit(struct hexdump *h, struct hexdump_unit *u)
{
	struct format_reader r = { .h = h, .unit = u };
	const char *s = u->format;
	size_t n, bytes = 0;
	int status;

	while (*s) {
		n = strcspn(s, "%");
		if (n) {
			struct hexdump_part *part = format_part(&r, HEXDUMP_TEXT);

			part->text = s;
			part->n = n;
			s += n;
			continue;
		}
		s++;
		status = format_conversion(&r, &s);
		if (!status && !strncmp(s, "_L", 2)) {
			s += 2;
			status = hexdump_read_colors(h->p, h, &vec_last(&u->parts), &s);
		}
		if (status)
			return status;
	}
	for (size_t i = 0; i < u->parts.n; i++)
		bytes += u->parts.at[i].bytes;
	if (!u->bytes)
		u->bytes = bytes;
	return 0;
}

/* The last unit fills the block; a repeated unit ends without its blank. */
static void format_fill(struct hexdump *h, struct hexdump_format *f)
{
	for (size_t i = 0; i < f->units.n; i++) {
		struct hexdump_unit *u = &f->units.at[i];
		struct hexdump_part *last;

		if (i + 1 == f->units.n && f->bytes < h->block && !u->reps_given && u->bytes)
			u->reps += (h->block - f->bytes) / u->bytes;
		if (u->at_end)
			h->end = u;
		if (u->reps < 2 || !u->parts.n)
			continue;
		last = &vec_last(&u->parts);
		if (last->kind == HEXDUMP_TEXT)
			last->blank_end = format_is_space(last->text[last->n - 1]);
	}
}

int hexdump_compile(struct hexdump *h)
{
	int status;

	for (size_t i = 0; i < h->formats.n; i++) {
		struct hexdump_format *f = &h->formats.at[i];

		for (size_t k = 0; k < f->units.n; k++) {
			struct hexdump_unit *u = &f->units.at[k];

			status = format_compile_unit(h, u);
			if (status)
				return status;
			f->bytes += u->bytes * u->reps;
		}
		h->block = f->bytes > h->block ? f->bytes : h->block;
	}
	for (size_t i = 0; i < h->formats.n; i++)
		format_fill(h, &h->formats.at[i]);
	return 0;
}
