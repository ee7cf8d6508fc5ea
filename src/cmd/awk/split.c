/*
 * Cutting text into fields: by blanks, one character, a regular expression,
 * every character; by what fields look like (FPAT); by widths.
 */
#include "cmd/awk/awk.h"

#include "base/utf8.h"

static void add_piece(struct awk *a, piece_list *to, const char *p, size_t n)
{
	struct piece *x;

	if (!to)
		return;
	x = vec_add(a->heap, to);
	x->p = p;
	x->n = n;
}

static bool blank(int c)
{
	return c == ' ' || c == '\t' || c == '\n';
}

static void split_blanks(struct awk *a, const char *p, size_t n, piece_list *out, piece_list *seps)
{
	const char *end = p + n, *from = p;

	while (p < end && blank(*p))
		p++;
	add_piece(a, seps, p > from ? from : NULL, (size_t)(p - from));
	while (p < end) {
		from = p;
		while (p < end && !blank(*p))
			p++;
		add_piece(a, out, from, (size_t)(p - from));
		from = p;
		while (p < end && blank(*p))
			p++;
		add_piece(a, seps, p > from ? from : NULL, (size_t)(p - from));
	}
}

static void split_byte(struct awk *a, const char *p, size_t n, int sep, bool lines, piece_list *out,
		       piece_list *seps)
{
	const char *end = p + n, *at;

	add_piece(a, seps, NULL, 0);
	for (;;) {
		if (lines) {
			for (at = p; at < end && *at != sep && *at != '\n'; at++)
				;
		} else {
			at = memchr(p, sep, (size_t)(end - p));
			if (!at)
				at = end;
		}
		add_piece(a, out, p, (size_t)(at - p));
		if (at == end)
			break;
		add_piece(a, seps, at, 1);
		p = at + 1;
	}
	add_piece(a, seps, NULL, 0);
}

static void split_each(struct awk *a, const char *p, size_t n, piece_list *out, piece_list *seps)
{
	add_piece(a, seps, NULL, 0);
	while (n) {
		int32_t c;
		size_t step = a->utf8 ? utf8_decode(p, n, &c) : 1;

		add_piece(a, out, p, step);
		add_piece(a, seps, step < n ? p + step : NULL, 0);
		p += step;
		n -= step;
	}
}

static void split_regex(struct awk *a, const char *p, size_t n, struct regex *re, piece_list *out,
			piece_list *seps)
{
	size_t at = 0, from = 0;
	struct regex_span span;

	add_piece(a, seps, NULL, 0);
	while (at <= n && ak_regex_run(a, re, p, n, at, &span, 1)) {
		if (span.eo == span.so) {
			at = span.eo + 1;
			continue;
		}
		add_piece(a, out, p + from, span.so - from);
		add_piece(a, seps, p + span.so, span.eo - span.so);
		at = from = span.eo;
	}
	add_piece(a, out, p + from, n - from);
	add_piece(a, seps, NULL, 0);
}

void ak_split_fs(struct awk *a, const char *p, size_t n, const struct awk_val *fs,
		 struct awk_regex *re,
	      bool record, piece_list *out, piece_list *seps)
{
	struct awk_str *s = ak_val_to_str(a, fs);
	bool lines = false;

	if (record) {
		struct awk_str *rs = ak_var_str(a, VAR_RS);

		lines = !rs->n;
		str_drop(a, rs);
	}
	if (!n)
		;
	else if (fs->type != V_REGEX && s->n == 1 && *s->p == ' ')
		split_blanks(a, p, n, out, seps);
	else if (fs->type != V_REGEX && s->n == 1)
		split_byte(a, p, n, *s->p, lines, out, seps);
	else if (!s->n)
		split_each(a, p, n, out, seps);
	else
		split_regex(a, p, n, ak_regex_of(a, re, s), out, seps);
	str_drop(a, s);
}

void ak_split_fpat(struct awk *a, const char *p, size_t n, struct regex *re, piece_list *out,
		piece_list *seps)
{
	size_t at = 0, from = 0;
	bool after = false;
	struct regex_span span;

	while (at <= n && ak_regex_run(a, re, p, n, at, &span, 1)) {
		if (span.so == span.eo && after && span.so == from) {
			at = span.eo + 1;
			after = false;
			continue;
		}
		add_piece(a, seps, p + from, span.so - from);
		add_piece(a, out, p + span.so, span.eo - span.so);
		from = span.eo;
		after = true;
		at = span.eo > span.so ? span.eo : span.eo + 1;
	}
	add_piece(a, seps, p + from, n - from);
}

/* The bytes of `count` characters. */
static size_t chars_bytes(struct awk *a, const char *p, size_t n, size_t count)
{
	size_t at = 0;

	while (count-- && at < n) {
		int32_t c;

		at += a->utf8 ? utf8_decode(p + at, n - at, &c) : 1;
	}
	return at;
}

static size_t width_number(const char **w)
{
	size_t v = 0;

	while (**w >= '0' && **w <= '9') {
		v = v < 100000000 ? v * 10 + (size_t)(**w - '0') : v;
		(*w)++;
	}
	return v;
}

/* Is FIELDWIDTHS well formed? Fatal if not, naming the field. */
void ak_split_widths_check(struct awk *a)
{
	struct awk_str *widths = ak_var_str(a, VAR_FIELDWIDTHS);
	const char *w = widths->p, *bad;

	for (size_t field = 1;; field++) {
		while (blank(*w))
			w++;
		bad = w;
		if (!*w)
			break;
		if (*w != '*') {
			size_t count = width_number(&w), skip = *w == ':' && w > bad;

			if (skip) {
				bad = ++w;
				count = *w == '*' ? 1 : width_number(&w);
			}
			if (*w == '*' && skip)
				;
			else if (!count || count >= 100000000 || w == bad || (*w && !blank(*w)))
				awk_fatal(a, "invalid FIELDWIDTHS value, for field %zu, near `%s'", field,
					  bad);
			if (*w != '*')
				continue;
		}
		for (w++; blank(*w); w++)
			;
		if (*w)
			awk_fatal(a, "`*' must be the last designator in FIELDWIDTHS");
	}
	str_drop(a, widths);
}

/* "3 2:4 *": widths, each perhaps behind what is skipped; "*" is the rest. */
void ak_split_widths(struct awk *a, const char *p, size_t n, piece_list *out)
{
	struct awk_str *widths = ak_var_str(a, VAR_FIELDWIDTHS);
	const char *w = widths->p;

	while (n) {
		size_t count, take;

		while (blank(*w))
			w++;
		if (!*w)
			break;
		if (*w == '*') {
			add_piece(a, out, p, n);
			break;
		}
		count = width_number(&w);
		if (*w == ':') {
			w++;
			take = chars_bytes(a, p, n, count);
			p += take;
			n -= take;
			if (*w == '*')
				continue;
			count = width_number(&w);
		}
		if (!n)
			break;
		take = chars_bytes(a, p, n, count);
		add_piece(a, out, p, take);
		p += take;
		n -= take;
	}
	str_drop(a, widths);
}
