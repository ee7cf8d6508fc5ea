/*
 * What grep prints: lines with what stands before them, and the colours.
 */
#include "cmd/grep.h"

#include <string.h>

#include "base/num.h"
#include "base/utf8.h"
#include "cmd/tailpos.h"

/* ---- Colours ---- */

static void sgr_on(struct grep *g, const char *color)
{
	if (!g->color || !*color)
		return;
	sink_puts(&g->sink, "\33[");
	sink_puts(&g->sink, color);
	sink_puts(&g->sink, g->colors.no_erase ? "m" : "m\33[K");
}

static void sgr_off(struct grep *g, const char *color)
{
	if (g->color && *color)
		sink_puts(&g->sink, g->colors.no_erase ? "\33[m" : "\33[m\33[K");
}

/* One item of GREP_COLORS. false: the rest is not read. */
static bool color_item(struct grep *g, const char *name, size_t n, const char *value)
{
	const struct { const char *name; const char **to, **also; } strings[] = {
		{ "mt", &g->colors.selected_match, &g->colors.context_match },
		{ "ms", &g->colors.selected_match, NULL },
		{ "mc", &g->colors.context_match, NULL },
		{ "sl", &g->colors.selected_line, NULL },
		{ "cx", &g->colors.context_line, NULL },
		{ "fn", &g->colors.file, NULL },
		{ "ln", &g->colors.line, NULL },
		{ "bn", &g->colors.byte, NULL },
		{ "se", &g->colors.separator, NULL },
	};

	if (n != 2)
		return true;
	if (!value) {
		g->colors.reverse |= !memcmp(name, "rv", 2);
		g->colors.no_erase |= !memcmp(name, "ne", 2);
		return true;
	}
	for (size_t i = 0; i < sizeof(strings) / sizeof(*strings); i++) {
		if (memcmp(strings[i].name, name, 2))
			continue;
		*strings[i].to = value;
		if (strings[i].also)
			*strings[i].also = value;
	}
	return true;
}

static void colors_parse(struct grep *g, const char *s)
{
	while (*s) {
		size_t n = strcspn(s, ":=");
		const char *name = s, *value = NULL;

		s += n;
		if (*s == '=') {
			size_t v = strspn(++s, "0123456789;");

			if (s[v] && s[v] != ':')
				return;
			value = tsb_strndup(g->p, s, v);
			s += v;
		}
		if (!color_item(g, name, n, value))
			return;
		s += *s == ':';
	}
}

void grep_colors_init(struct grep *g)
{
	const char *old = tsb_getenv(g->p, "GREP_COLOR"), *new = tsb_getenv(g->p, "GREP_COLORS");
	const char *line;

	g->colors = (struct grep_colors){ "01;31", "01;31", "", "", "35", "32", "32", "36",
					  false, false };
	if (!g->color)
		return;
	if (old && *old) {
		g->colors.selected_match = g->colors.context_match = old;
		grep_say(g->p, g, 0, "warning: GREP_COLOR='%s' is deprecated; use "
			 "GREP_COLORS='mt=%s'", old, old);
	}
	if (new && *new)
		colors_parse(g, new);
	if (g->invert && g->colors.reverse) {
		line = g->colors.selected_line;
		g->colors.selected_line = g->colors.context_line;
		g->colors.context_line = line;
	}
}

/* ---- Before a line ---- */

static void print_sep(struct grep *g, int sep)
{
	sgr_on(g, g->colors.separator);
	sink_putc(&g->sink, sep);
	sgr_off(g, g->colors.separator);
}

void grep_print_name(struct grep *g)
{
	sgr_on(g, g->colors.file);
	sink_puts(&g->sink, g->name);
	sgr_off(g, g->colors.file);
}

static void print_number(struct grep *g, uint64_t v, const char *color, int sep)
{
	char digits[24];
	size_t n = num_format_u64(digits, v);

	sgr_on(g, color);
	for (size_t i = n; i < (size_t)g->width; i++)
		sink_putc(&g->sink, ' ');
	sink_put(&g->sink, digits, n);
	sgr_off(g, color);
	print_sep(g, sep);
}

static bool bad_encoding(const char *at, size_t n)
{
	const uint64_t high = 0x8080808080808080;
	size_t i = 0;

	for (uint64_t w; i + 8 <= n; i += 8) {
		memcpy(&w, at + i, 8);
		if (w & high)
			return !utf8_valid(at + i, n - i);
	}
	for (; i < n; i++)
		if ((unsigned char)at[i] >= 128)
			return !utf8_valid(at + i, n - i);
	return false;
}

/* false: the line is no text and is not printed. */
static bool print_head(struct grep *g, size_t from, size_t n, int sep)
{
	if (g->binary != GREP_TEXT && g->utf8 && bad_encoding(g->in.buf + from, n)) {
		g->bad_encoding = true;
		return false;
	}
	if (g->show_name) {
		grep_print_name(g);
		if (g->null_name)
			sink_putc(&g->sink, '\0');
		else
			print_sep(g, sep);
	}
	if (g->line_number) {
		if (from > g->counted_to) {
			g->lines_before += tailpos_count(g->in.buf + g->counted_to,
							 from - g->counted_to, g->eol);
			g->counted_to = from;
		}
		print_number(g, g->lines_before + 1, g->colors.line, sep);
	}
	if (g->byte_offset)
		print_number(g, g->base + from, g->colors.byte, sep);
	if (g->tabs && n && (g->show_name || g->line_number || g->byte_offset))
		sink_putc(&g->sink, '\t');
	return true;
}

/* ---- A line ---- */

/* The matches of a selected line, coloured, or alone with -o. Where the rest of
 * the line begins; SIZE_MAX: it is no text. */
static size_t print_matches(struct grep *g, size_t from, size_t to, const char *line_color,
			    const char *match_color)
{
	const char *text = g->in.buf + from;
	size_t n = to - from - 1, at = 0, shown = 0;
	struct regex_span m;

	while (at <= n && !g->match_nothing &&
	       regex_match(g->re, text, n, at, 0, &m, 1) == REGEX_MATCH) {
		if (m.so == m.eo) {
			/* The next character: an empty match is never shown. */
			int32_t c;

			if (m.so >= n)
				break;
			at = m.so + (g->utf8 ? utf8_decode(text + m.so, n - m.so, &c) : 1);
			continue;
		}
		if (g->only_matching) {
			if (!print_head(g, from + m.so, m.eo - m.so, g->invert ? '-' : ':'))
				return SIZE_MAX;
		} else {
			sgr_on(g, line_color);
			sink_put(&g->sink, text + shown, m.so - shown);
		}
		sgr_on(g, match_color);
		sink_put(&g->sink, text + m.so, m.eo - m.so);
		sgr_off(g, match_color);
		if (g->only_matching)
			sink_putc(&g->sink, g->eol);
		at = shown = m.eo;
	}
	return g->only_matching ? to : from + shown;
}

/* The rest of the line in its colour, without the line's end. */
static size_t print_tail(struct grep *g, size_t from, size_t to, const char *line_color)
{
	size_t end = to - (to > from && g->in.buf[to - 1] == g->eol);

	end -= end > from && g->in.buf[end - 1] == '\r';
	if (end == from)
		return from;
	sgr_on(g, line_color);
	sink_put(&g->sink, g->in.buf + from, end - from);
	sgr_off(g, line_color);
	return end;
}

static void print_flush_line(struct grep *g)
{
	if (!g->line_buffered)
		return;
	sink_flush(&g->sink);
	tsb_flush(g->p);
}

void grep_print_line(struct grep *g, size_t from, size_t to, int sep)
{
	bool matching = (sep == ':') != g->invert;
	const char *line_color = sep == ':' ? g->colors.selected_line : g->colors.context_line;
	const char *match_color = sep == ':' ? g->colors.selected_match : g->colors.context_match;

	size_t end = to;

	if (!g->only_matching && !print_head(g, from, to - from - 1, sep))
		return;
	if ((g->only_matching && matching) || (g->color && (*line_color || *match_color))) {
		if (matching && (g->only_matching || *match_color)) {
			from = print_matches(g, from, to, line_color, match_color);
			if (from == SIZE_MAX)
				return;
		}
		if (!g->only_matching && *line_color)
			from = print_tail(g, from, to, line_color);
	}
	if (!g->only_matching && to > from)
		sink_put(&g->sink, g->in.buf + from, to - from);
	g->last_out = end;	/* not of a line that is no text */
	g->has_last_out = true;
	print_flush_line(g);
}

bool grep_print_plain(struct grep *g, size_t from, size_t to)
{
	if (g->show_name || g->line_number || g->byte_offset || g->color || g->only_matching ||
	    g->line_buffered || (g->binary != GREP_TEXT &&
				 bad_encoding(g->in.buf + from, to - from)))
		return false;
	sink_put(&g->sink, g->in.buf + from, to - from);
	g->last_out = to;
	g->has_last_out = true;
	return true;
}

void grep_print_separator(struct grep *g)
{
	if (g->no_separator)
		return;
	sgr_on(g, g->colors.separator);
	sink_puts(&g->sink, g->separator);
	sgr_off(g, g->colors.separator);
	sink_putc(&g->sink, '\n');
}

void grep_print_count(struct grep *g, int64_t n)
{
	char digits[24];

	if (g->show_name) {
		grep_print_name(g);
		if (g->null_name)
			sink_putc(&g->sink, '\0');
		else
			print_sep(g, ':');
	}
	sink_put(&g->sink, digits, num_format_i64(digits, n));
	sink_putc(&g->sink, '\n');
	print_flush_line(g);
}
