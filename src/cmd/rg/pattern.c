/*
 * The patterns, compiled. Lines are found by the linear engine where the pattern
 * and the text allow it; where in a line the matches are, PCRE2 says.
 */
#include "cmd/rg/rg.h"

#include "base/heap.h"
#include "base/utf8.h"
#include "cmd/rg/syntax.h"

static void tick(void *p, size_t steps)
{
	tsb_tick(p, steps);
}

/* ---- Errors ---- */

static size_t columns(const char *p, size_t n)
{
	return utf8_count(p, n);
}

static void syntax_error(struct rg *g, const struct str *pattern, const struct rg_syntax *s)
{
	struct str m;
	size_t from = columns(pattern->p, s->from), to = columns(pattern->p, s->to);

	str_init(&m, g->heap, STR_MAX_DEFAULT);
	str_addf(&m, "regex parse error:\n    %s\n    ", pattern->p);
	str_fill(&m, ' ', from);
	str_fill(&m, '^', to > from ? to - from : 1);
	if (s->to2 > s->from2) {
		size_t second = columns(pattern->p, s->from2);

		str_fill(&m, ' ', second > to ? second - to : 0);
		str_fill(&m, '^', s->to2 - s->from2);
	}
	str_addf(&m, "\nerror: %s", s->error);
	if (s->wants_perl)
		str_adds(&m, "\n\nConsider enabling PCRE2 with the --pcre2 flag, which can handle "
			 "backreferences\nand look-around.");
	rg_say(g, "%s", m.p);
	str_end(&m);
}

static void newline_error(struct rg *g)
{
	rg_say(g, "the literal '\"\\n\"' is not allowed in a regex\n\nConsider enabling multiline mode "
	       "with the --multiline flag (or -U for short).\nWhen multiline mode is enabled, new "
	       "line characters can be matched.");
}

/* ---- One text of all patterns ---- */

static void add_escaped(struct str *s, struct slice x)
{
	for (size_t i = 0; i < x.n; i++) {
		if (x.p[i] && strchr("\\.+*?()|[]{}^$#&-~", x.p[i]))
			str_addc(s, '\\');
		str_addc(s, x.p[i]);
	}
}

static void join(struct rg *g, struct str *all, bool perl)
{
	bool many = g->patterns.n > 1;

	str_init(all, g->heap, STR_MAX_DEFAULT);
	for (size_t i = 0; i < g->patterns.n; i++) {
		str_adds(all, i ? "|" : "");
		str_adds(all, perl && many ? "(?:" : "");
		if (g->fixed)
			add_escaped(all, g->patterns.at[i]);
		else
			str_addslice(all, g->patterns.at[i]);
		str_adds(all, perl && many ? ")" : "");
	}
}

static unsigned shape_flags(const struct rg *g, bool icase)
{
	return (icase ? REGEX_ICASE : 0u) | (g->line ? REGEX_LINE : 0u) |
	       (g->word && !g->line ? REGEX_WORD : 0u);
}

static bool compile_perl(struct rg *g, const char *text, size_t n, bool icase,
			 struct rg_syntax *own, const struct str *all)
{
	bool unicode = !g->no_unicode && (own ? !own->bytes : !g->no_pcre_unicode);
	unsigned flags = REGEX_PERL | REGEX_NEWLINE | shape_flags(g, icase) |
			 (unicode ? REGEX_UTF8 | REGEX_UNICODE : 0u) |
			 (g->multiline && g->dotall ? REGEX_DOTALL : 0u) | REGEX_PERL_PLACE;
	const char *error = NULL;

	g->perl = regex_compile(g->heap, text, n, flags, &error);
	if (g->perl) {
		regex_on_tick(g->perl, tick, g->p);
		return true;
	}
	if (!own) {
		rg_say(g, "PCRE2: error compiling pattern %s", error);
	} else if (own->property_to) {
		own->error = "Unicode property not found";
		own->from = own->property_from;
		own->to = own->property_to;
		syntax_error(g, all, own);
	} else {
		rg_say(g, "Compiled regex exceeds size limit of 10485760 bytes.");
	}
	return false;
}

/* Letters that have a case are all small, and there are some. */
static bool smart_insensitive(const struct str *s)
{
	for (size_t i = 0, step; i < s->n; i += step) {
		int32_t c;

		step = utf8_decode(s->p + i, s->n - i, &c);
		if (c == '\\' && i + 1 < s->n)
			step = 2;
		else if (c >= 0 && utf8_lower(c) != c)
			return false;
	}
	return true;
}

static bool compile_own(struct rg *g)
{
	struct str all;

	join(g, &all, true);
	if (!g->multiline)
		for (size_t i = 0; i < all.n; i++)
			if (all.p[i] == '\n') {
				newline_error(g);
				return false;
			}
	return compile_perl(g, all.p, all.n, g->case_mode == RG_INSENSITIVE ||
			    (g->case_mode == RG_SMART && smart_insensitive(&all)), NULL, NULL);
}

/* The engine for whole buffers, where the pattern is one of its. */
static void compile_fast(struct rg *g, const struct rg_syntax *s, bool icase)
{
	const char *error;

	if (!s->has_posix || (icase && s->complement) || g->multiline || g->crlf || g->null_data)
		return;
	g->fast = regex_compile(g->heap, s->posix.p, s->posix.n, REGEX_EXTENDED |
				shape_flags(g, icase), &error);
	g->fast_any = s->any_text && !icase && !g->word && !g->no_unicode;
	if (g->fast)
		regex_on_tick(g->fast, tick, g->p);
}

static bool compile_rust(struct rg *g)
{
	struct rg_syntax s;
	struct str all;
	bool icase;

	join(g, &all, false);
	rg_syntax_parse(&s, g->heap, all.p, all.n, !g->no_unicode);
	if (s.error && s.wants_perl && g->engine == RG_AUTO)
		return compile_own(g);
	if (s.error) {
		syntax_error(g, &all, &s);
		return false;
	}
	if (s.has_newline && !g->multiline && !g->null_data && g->engine == RG_AUTO)
		return compile_own(g);
	if (s.has_newline && !g->multiline && !g->null_data) {
		newline_error(g);
		return false;
	}
	if (g->multiline && !s.has_newline && !s.can_newline && !(g->dotall && s.has_dot))
		g->multiline = false;
	icase = g->case_mode == RG_INSENSITIVE || (g->case_mode == RG_SMART && !s.has_upper);
	if (!compile_perl(g, s.perl.p, s.perl.n, icase, &s, &all))
		return false;
	compile_fast(g, &s, icase);
	return true;
}

bool rg_compile(struct rg *g)
{
	if (!g->patterns.n) {
		g->matches_nothing = true;
		return true;
	}
	return g->engine == RG_PCRE2 ? compile_own(g) : compile_rust(g);
}

/* ---- Where the matches are ---- */

static void add_span(struct rg_file *f, size_t from, size_t to)
{
	if (f->n_spans == f->cap_spans) {
		f->cap_spans = f->cap_spans ? 2 * f->cap_spans : 16;
		f->spans = tsb_realloc(f->g->p, f->spans, f->cap_spans * sizeof(*f->spans));
	}
	f->spans[f->n_spans++] = (struct rg_span){ from, to };
}

void rg_find_spans(struct rg_file *f, size_t from, size_t to)
{
	struct rg *g = f->g;
	bool multi = g->multiline;
	const char *text = multi ? f->buf : f->buf + from;
	size_t shift = multi ? 0 : from, n, at = multi ? from : 0;
	size_t last = SIZE_MAX, stop = to - shift;
	struct regex_span m;

	if (!multi) {
		stop -= stop && text[stop - 1] == g->eol;
		stop -= g->crlf && stop && text[stop - 1] == '\r';
	}
	n = multi ? f->n : stop;
	f->n_spans = 0;
	if (g->matches_nothing)
		return;
	while (at <= stop && regex_match(g->perl, text, n, at, 0, &m, 1) == REGEX_MATCH) {
		if (m.so >= to - shift)
			break;
		if (m.so != m.eo || m.so != last)
			add_span(f, m.so + shift, m.eo + shift);
		last = m.eo;
		at = m.eo;
		if (m.so == m.eo) {
			int32_t c;

			if (at >= n)
				break;
			at += utf8_decode(text + at, n - at, &c);
		}
	}
}
