/*
 * One row of less's screen: a line of the text, or as much of it as fits. Tabs and overstrikes are what they
 * are on paper, controls and bytes that are no characters stand in reverse, numbers and marks before it.
 */
#include "cmd/less.h"

#include <string.h>

#include "base/utf8.h"

enum { ROW_BOLD = 1, ROW_UNDER = 2, ROW_STANDOUT = 4 };

struct row {
	struct less *l;
	struct str *out;	/* NULL: only measured */
	int64_t column;		/* in the line: shift included */
	int64_t skip, end;	/* columns that are not shown; behind the last one */
	int style, styled;	/* of the next character; of what was put last */
	char colors[128];	/* sequences of the text that still count (-R) */
	size_t n_colors;
	bool colored;		/* they are on, or others */
};

/* ---- Putting ---- */

static void row_style(struct row *r, int style)
{
	static const struct { int bit; const char *on; } codes[] = {
		{ ROW_BOLD, "\033[1m" }, { ROW_UNDER, "\033[4m" }, { ROW_STANDOUT, "\033[7m" },
	};

	if (style == r->styled && !r->colored)
		return;
	if (r->styled || r->colored)
		str_adds(r->out, "\033[0m");
	str_addn(r->out, r->colors, r->n_colors);
	for (size_t i = 0; i < 3; i++)
		if (style & codes[i].bit)
			str_adds(r->out, codes[i].on);
	r->styled = style;
	r->colored = false;
}

/* false: it does not fit. */
static bool row_put(struct row *r, const char *text, size_t n, int width, int style)
{
	if (r->column + width > r->end)
		return false;
	if (r->out && r->column >= r->skip) {
		row_style(r, style);
		str_addn(r->out, text, n);
	} else if (r->out && r->column + width > r->skip) {	/* half of a wide one is cut off */
		row_style(r, style);
		str_adds(r->out, " ");
	}
	r->column += width;
	return true;
}

/* Several columns that stay together. */
static bool row_puts(struct row *r, const char *text, int style)
{
	if (r->column + (int64_t)strlen(text) > r->end)
		return false;
	for (; *text; text++)
		row_put(r, text, 1, 1, style);
	return true;
}

static int64_t row_tab(const struct row *r)
{
	const struct less_options *o = &r->l->o;
	int64_t last = 0, step = 8;

	for (size_t i = 0; i < o->tabs.n; i++) {
		step = o->tabs.at[i] - last;
		last = o->tabs.at[i];
		if (last > r->column)
			return last - r->column;
	}
	step = step < 1 ? 1 : step;
	return step - (r->column - last) % step;
}

static bool row_put_tab(struct row *r)
{
	int64_t n = row_tab(r);

	if (r->column >= r->end)
		return false;
	while (n-- > 0)
		if (!row_put(r, " ", 1, 1, r->style & ~(ROW_BOLD | ROW_UNDER)))
			break;
	return true;
}

/* ---- Characters ---- */

/* The bytes of a character there: how many; 1 for what is none. */
static size_t row_char(struct less *l, int64_t at, char text[4], int32_t *c)
{
	int lead = less_byte(l, at);
	size_t want = lead < 0xc2 || lead > 0xf4 ? 1 : lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4, n = 1;

	text[0] = (char)lead;
	for (int b; n < want && (b = less_byte(l, at + (int64_t)n)) >= 0x80 && b < 0xc0; n++)
		text[n] = (char)b;
	return utf8_decode(text, n, c);
}

static bool row_put_char(struct row *r, const char *text, size_t n, int32_t c, int style)
{
	int width = c < 0 ? -1 : utf8_width(c);
	char shown[12] = { 0 };

	if (c == '\t' && r->l->o.underline != LESS_CAPITAL)
		return row_put_tab(r);
	if (c == 27 && r->l->o.raw != LESS_SMALL)
		return row_puts(r, "ESC", style | ROW_STANDOUT);
	if ((c < 32 && c >= 0) || c == 127) {
		if (r->l->o.raw == LESS_SMALL || (c == '\b' && r->l->o.underline == LESS_SMALL))
			return row_put(r, text, n, c == '\b' && r->column ? -1 : 0, style);
		shown[0] = '^';
		shown[1] = (char)(c ^ 64);
		return row_puts(r, shown, style | ROW_STANDOUT);
	}
	if (c < 0) {
		static const char hex[] = "0123456789ABCDEF";

		memcpy(shown, "<xx>", 4);
		shown[1] = hex[(unsigned char)*text >> 4];
		shown[2] = hex[(unsigned char)*text & 15];
		return row_puts(r, shown, style | ROW_STANDOUT);
	}
	if (width < 0 || (!utf8_print(c) && width)) {
		struct str s;
		bool good;

		str_init(&s, tsb_heap_of(r->l->p), 32);
		str_addf(&s, "<U+%04X>", (unsigned)c);
		good = row_puts(r, s.p, style | ROW_STANDOUT);
		str_end(&s);
		return good;
	}
	return row_put(r, text, n, width, style);
}

/* What is struck over another: bold, underlined, or it alone is seen. */
static int64_t row_overstrikes(struct row *r, int64_t at, char text[4], size_t *n, int32_t *c, int *style)
{
	char next[4];
	int32_t d;
	size_t m;

	while (r->l->o.underline == LESS_OFF && less_byte(r->l, at) == '\b') {
		int lead = less_byte(r->l, at + 1);

		if (lead < 0 || lead == '\n' || lead == '\b')
			break;
		m = row_char(r->l, at + 1, next, &d);
		if (d == '_' && *c == '_')
			*style |= *style & ROW_UNDER ? ROW_BOLD : *style & ROW_BOLD ? 0 : ROW_BOLD;
		else if (d == '_')
			*style |= ROW_UNDER;
		else if (*c == '_')
			*style |= ROW_UNDER;
		else if (d == *c)
			*style |= ROW_BOLD;
		if (d != '_') {
			memcpy(text, next, 4);
			*n = m;
			*c = d;
		}
		at += 1 + (int64_t)m;
	}
	return at;
}

static void row_color(struct row *r, const char *text, size_t n)
{
	if (n <= 3 || (n == 4 && text[2] == '0') || r->n_colors + n > sizeof(r->colors))
		r->n_colors = 0;
	if (n > 3 && !(n == 4 && text[2] == '0') && n <= sizeof(r->colors)) {
		memcpy(r->colors + r->n_colors, text, n);
		r->n_colors += n;
	}
	r->colored = true;
}

/* A sequence of colors there: how long; 0: none. */
static size_t row_sgr(struct row *r, int64_t at)
{
	char text[64];
	size_t n = 0;

	if (!r->l->o.raw || less_byte(r->l, at) != 27)
		return 0;
	for (int c; n < sizeof(text) && (c = less_byte(r->l, at + (int64_t)n)) >= 0 && c != '\n';) {
		text[n++] = (char)c;
		if (c == 'm')
			break;
	}
	n = less_sgr(text, n);
	if (n)
		row_color(r, text, n);
	return n;
}

static bool row_highlit(const struct less *l, int64_t at)
{
	for (size_t i = 0; i < l->n_spans; i++)
		if (at >= l->spans[i].from && at < l->spans[i].to)
			return true;
	return false;
}

/* ---- What stands before ---- */

static int64_t row_width(int64_t n, int64_t most)
{
	return n < 1 ? 1 : n > most ? most : n;
}

static int64_t row_margin(const struct less *l)
{
	return (l->o.numbers == LESS_CAPITAL ? row_width(l->o.number_width, 16) + 1 : 0) +
	       (l->o.status ? row_width(l->o.status_width, 4) : 0);
}

static int row_status(struct less *l, int64_t line)
{
	for (int i = 0; i < 128; i++)
		if (l->marks[i].file == l->file && l->marks[i].at == line)
			return i;
	return l->n_spans ? '*' : ' ';
}

/* -w: what is new begins here. */
static bool row_unread(const struct less *l, int64_t line)
{
	return l->unread == line && l->o.unread;
}

static void row_put_margin(struct row *r, int64_t line)
{
	struct less *l = r->l;

	if (l->o.status) {
		int c = row_status(l, line);

		row_style(r, c == ' ' && !row_unread(l, line) ? 0 : ROW_STANDOUT);
		str_addc(r->out, c);
		row_style(r, 0);
		str_fill(r->out, ' ', (size_t)row_width(l->o.status_width, 4) - 1);
	}
	if (l->o.numbers == LESS_CAPITAL)
		str_addf(r->out, "%*lld ", (int)row_width(l->o.number_width, 16), (long long)less_number(l, line));
}

/* The line goes on beyond the last column: its last place says so. */
static void row_chopped(struct row *r, const struct row *before, size_t n)
{
	const char *mark = r->l->o.rscroll;

	if (!r->out || !mark || !*mark)
		return;
	if (r->column >= r->end) {
		str_cut(r->out, n);
		r->column = before->column;
		r->styled = before->styled;
		r->colored = true;
	}
	while (r->column < r->end - 1 && r->column >= r->skip)
		row_put(r, " ", 1, 1, 0);
	row_style(r, mark[1] == 'n' || mark[1] == 'd' || mark[1] == 'u' || mark[1] == 'k' ? 0 : ROW_STANDOUT);
	str_addc(r->out, *mark);
}

/* ---- A row ---- */

/* A place from which rows are made: the next line that is shown. LESS_NONE: the end. */
static int64_t row_start(struct less *l, int64_t at)
{
	bool begins = at == 0 || less_byte(l, at - 1) == '\n';

	if (!begins)
		return less_byte(l, at) < 0 ? LESS_NONE : at;
	while (at != LESS_NONE && less_byte(l, at) >= 0) {
		if (!less_filtered(l, at))
			return at;
		at = less_line_next(l, at);
	}
	return LESS_NONE;
}

int64_t less_shown_from(struct less *l, int64_t at)
{
	int64_t from = row_start(l, at);

	return from == LESS_NONE ? at : from;
}

/* -s: this blank line has one before it. */
static bool row_squeezed(struct less *l, int64_t line)
{
	return l->o.squeeze && line > 0 && less_byte(l, line) == '\n' && less_byte(l, line - 1) == '\n' &&
	       (line == 1 || less_byte(l, line - 2) == '\n');
}

static int64_t row_line_end(struct less *l, int64_t at)
{
	int c;

	while ((c = less_byte(l, at)) >= 0 && c != '\n')
		at++;
	at += c >= 0;
	while (row_squeezed(l, at))
		at++;
	return at;
}

/* Characters up to the end of the line or of the row. */
static int64_t row_fill(struct row *r, int64_t at, bool chop)
{
	struct less *l = r->l;
	struct row before = *r;
	size_t last = 0;
	int64_t begun = at;

	for (int c; (c = less_byte(l, at)) >= 0 && c != '\n';) {
		size_t skip = row_sgr(r, at), n;
		int64_t next;
		char text[4];
		int32_t d;
		int style = r->style;

		if (skip) {
			at += (int64_t)skip;
			continue;
		}
		if (c == '\r' && less_byte(l, at + 1) == '\n' && l->o.underline == LESS_OFF)
			break;
		n = row_char(l, at, text, &d);
		next = row_overstrikes(r, at + (int64_t)n, text, &n, &d, &style);
		if (row_highlit(l, at))
			style |= ROW_STANDOUT;
		if (r->column < r->end) {
			last = r->out ? r->out->n : 0;
			before = *r;
		}
		if (!row_put_char(r, text, n, d, style)) {
			if (!chop)
				return at == begun ? next : at;
			row_chopped(r, &before, last);
			break;
		}
		at = next;
	}
	return row_line_end(l, at);
}

int64_t less_row(struct less *l, int64_t at, struct str *out)
{
	struct row r = { .l = l, .out = out, .skip = l->shift, .end = l->columns - row_margin(l) };
	bool chop = l->o.chop || l->shift > 0;
	int64_t next, line;

	at = row_start(l, at);
	if (at == LESS_NONE)
		return LESS_NONE;
	r.end = (r.end < 2 ? 2 : r.end) + l->shift;
	if (out || l->o.raw) {
		line = less_line_begin(l, at);
		if (out) {
			less_find_spans(l, line);
			row_put_margin(&r, line);
		}
		for (int64_t i = line; l->o.raw && i < at; i++)
			row_sgr(&r, i);
		if (row_unread(l, line) && !l->o.status)
			r.style = ROW_STANDOUT;
	}
	next = row_fill(&r, at, chop);
	if (l->filter.re && row_start(l, next) == LESS_NONE)	/* nothing of the rest is shown */
		next = less_length_all(l);
	if (out && (r.styled || r.colored || r.n_colors))
		str_adds(out, "\033[0m");
	return next;
}

/* Rows of the line that ends before this place, up to it. */
int64_t less_row_before(struct less *l, int64_t at)
{
	int64_t line = at, row, next, behind;

	do {
		line = less_line_before(l, line);
		if (line == LESS_NONE)
			return LESS_NONE;
	} while (less_filtered(l, line) || row_squeezed(l, line));
	behind = less_line_next(l, line);
	behind = behind == LESS_NONE || behind > at ? at : behind;
	for (row = line; (next = less_row(l, row, NULL)) != LESS_NONE && next < behind; row = next)
		;
	return row;
}
