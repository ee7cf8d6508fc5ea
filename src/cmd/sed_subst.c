/*
 * sed's s and y: reading and doing them.
 *
 * A replacement is kept as pieces: text, a group, and what happens to their
 * case. The result is built in a scratch buffer that then changes places with
 * the pattern space, so that a line is copied once however often it matches.
 */
#include "cmd/sed.h"

#include <string.h>

#include "base/utf8.h"
#include "cmd/util.h"

/* ---- Regular expressions ---- */

static void sed_regex_tick(void *ctx, size_t steps)
{
	tsb_tick(ctx, steps / 64 + 1);
}

struct sed_regex *sed_regex_new(struct sed_parser *q, struct str *text, unsigned flags)
{
	struct sed *s = q->s;
	struct sed_regex *re = tsb_alloc(s->p, sizeof(*re));
	const char *error;

	if (!text->n) {
		if (flags)
			sed_bad(q, "cannot specify modifiers on empty regexp");
		return re;
	}
	re->text = tsb_strndup(s->p, text->p, text->n);
	sed_unescape(q, text, SED_TEXT_REGEX);
	re->flags = flags | REGEX_UTF8 | (s->extended ? REGEX_EXTENDED : 0) |
		    (s->strict ? REGEX_NO_GNU : 0) | (s->zero ? REGEX_NUL_LINES : 0);
	re->re = regex_compile(tsb_heap_of(s->p), text->p, text->n, re->flags, &error);
	if (!re->re)
		sed_bad(q, "%s", error);
	re->groups = regex_groups(re->re);
	regex_on_tick(re->re, sed_regex_tick, s->p);
	return re;
}

struct sed_regex *sed_regex_use(struct sed *s, struct sed_regex *re)
{
	unsigned n = 0;

	if (re->re) {
		s->last_regex = re;
		return re;
	}
	if (s->last_regex)
		return s->last_regex;
	for (size_t i = 0; i < s->n_scripts; i++)
		n += !s->scripts[i].file;
	sed_panic(s, SED_BAD_USAGE, "-e expression #%u, char 0: no previous regular expression", n);
}

bool sed_match(struct sed *s, struct sed_regex *re, size_t from, size_t n_spans)
{
	enum regex_status r = regex_match(re->re, s->space.at, s->space.n, from, 0, s->spans,
					  n_spans);

	if (r == REGEX_BUDGET)
		sed_panic(s, SED_PANIC, "a regular expression with back-references takes too long");
	return r == REGEX_MATCH;
}

/* ---- Reading s ---- */

struct pieces {
	struct sed_parser *q;
	struct sed_subst *sub;
	struct sed_piece now;
	size_t cap, start;	/* start: of the text that is not in a piece yet */
	struct str *text;
	struct str plain;	/* the text without backslashes */
};

static void piece_end(struct pieces *b, int group)
{
	struct sed_subst *sub = b->sub;

	b->now.text = (struct slice){ tsb_strndup(b->q->s->p, b->plain.p, b->plain.n), b->plain.n };
	b->now.group = group;
	str_reset(&b->plain);
	sub->pieces = util_grow(b->q->s->p, sub->pieces, sub->n_pieces, &b->cap,
				sizeof(*sub->pieces));
	sub->pieces[sub->n_pieces++] = b->now;
	b->now = (struct sed_piece){ .group = -1 };
	if (group > sub->max_group)
		sub->max_group = group;
}

static void piece_case(struct pieces *b, char c)
{
	if (b->plain.n)
		piece_end(b, -1);
	b->sub->has_case = true;
	switch (c) {
	case 'U': case 'L': case 'E':
		b->now.case_set = true;
		b->now.next = SED_CASE_NONE;
		b->now.lasting = c == 'U' ? SED_CASE_UPPER
			       : c == 'L' ? SED_CASE_LOWER : SED_CASE_NONE;
		break;
	default:
		b->now.next = c == 'u' ? SED_CASE_UPPER : SED_CASE_LOWER;
	}
}

static void parse_replacement(struct sed_parser *q, struct sed_subst *sub, struct str *text)
{
	struct pieces b = { .q = q, .sub = sub, .now = { .group = -1 }, .text = text };

	str_init(&b.plain, tsb_heap_of(q->s->p), STR_MAX_DEFAULT);
	for (size_t i = 0; i < text->n; i++) {
		char c = text->p[i];

		if (c == '&') {
			piece_end(&b, 0);
		} else if (c != '\\' || i + 1 >= text->n) {
			str_addc(&b.plain, c);
		} else {
			c = text->p[++i];
			if (c >= '0' && c <= '9')
				piece_end(&b, c - '0');
			else if (!q->s->strict && c && strchr("ULEul", c))
				piece_case(&b, c);
			else
				str_addc(&b.plain, c == 'n' ? '\n' : c);
		}
	}
	piece_end(&b, -1);
}

/* One flag: false when they end. */
static bool parse_flag(struct sed_parser *q, struct sed_subst *sub, unsigned *flags, int c)
{
	if (q->s->strict && c > 0 && strchr("iImMe", c))
		sed_bad(q, "unknown option to `s'");
	switch (c) {
	case 'i': case 'I':
		*flags |= REGEX_ICASE;
		return true;
	case 'm': case 'M':
		*flags |= REGEX_NEWLINE;
		return true;
	case 'e':
		if (q->s->sandbox)
			sed_bad(q, "e/r/w commands disabled in sandbox mode");
		sub->eval = true;
		return true;
	case 'p':
		if (sub->print)
			sed_bad(q, "multiple `p' options to `s' command");
		sub->print = 1 + sub->eval;
		return true;
	case 'g':
		if (sub->global)
			sed_bad(q, "multiple `g' options to `s' command");
		sub->global = true;
		return true;
	case 'w':
		sub->out = sed_get_out(q);
		return false;
	case '}': case '#':
		sed_unget(q, c);
		return false;
	case ' ': case '\t':
		return true;
	case '\n': case ';': case -1: case '\r':
		return false;
	default:
		break;
	}
	if (c < '0' || c > '9')
		sed_bad(q, "unknown option to `s'");
	if (sub->number)
		sed_bad(q, "multiple number options to `s' command");
	sub->number = sed_get_number(q, c);
	if (!sub->number)
		sed_bad(q, "number option to `s' command may not be zero");
	return true;
}

void sed_parse_subst(struct sed_parser *q, struct sed_cmd *cmd)
{
	struct sed_subst *sub = tsb_alloc(q->s->p, sizeof(*sub));
	struct str regex, text;
	unsigned flags = 0;
	int delimiter = sed_get(q);

	cmd->subst = sub;
	if (delimiter < 0 || !sed_get_delimited(q, delimiter, true, &regex) ||
	    !sed_get_delimited(q, delimiter, false, &text))
		sed_bad(q, "unterminated `s' command");
	sed_unescape(q, &text, SED_TEXT_REPLACEMENT);
	parse_replacement(q, sub, &text);
	sub->source = (struct slice){ tsb_strndup(q->s->p, text.p, text.n), text.n };
	while (parse_flag(q, sub, &flags, sed_get(q)))
		;
	sub->re = sed_regex_new(q, &regex, flags);
	if (sub->re->re && (size_t)sub->max_group > sub->re->groups)
		sed_bad(q, "invalid reference \\%d on `s' command's RHS", sub->max_group);
}

/* ---- Doing s ---- */

struct casing {
	enum sed_case lasting, next;
};

static void add_cased(struct sed *s, struct casing *c, const char *at, size_t n)
{
	char buf[4];

	while (n && (c->lasting || c->next)) {
		int32_t ch;
		size_t len = utf8_decode(at, n, &ch);
		enum sed_case now = c->next ? c->next : c->lasting;

		c->next = SED_CASE_NONE;
		if (ch < 0)
			space_add(s, &s->scratch, at, len);
		else
			space_add(s, &s->scratch, buf, utf8_encode(buf, (uint32_t)
				  (now == SED_CASE_UPPER ? utf8_upper(ch) : utf8_lower(ch))));
		at += len;
		n -= len;
	}
	space_add(s, &s->scratch, at, n);
}

static void add_replacement(struct sed *s, const struct sed_subst *sub)
{
	struct casing c = { SED_CASE_NONE, SED_CASE_NONE };

	for (size_t i = 0; i < sub->n_pieces; i++) {
		const struct sed_piece *piece = &sub->pieces[i];
		struct regex_span m = { 0, 0 };

		if (piece->group >= 0 && s->spans[piece->group].so != REGEX_NONE)
			m = s->spans[piece->group];
		if (!sub->has_case) {
			space_add(s, &s->scratch, piece->text.p, piece->text.n);
			space_add(s, &s->scratch, s->space.at + m.so, m.eo - m.so);
			continue;
		}
		if (piece->case_set) {
			c.lasting = piece->lasting;
			c.next = SED_CASE_NONE;
		}
		if (piece->next)
			c.next = piece->next;
		add_cased(s, &c, piece->text.p, piece->text.n);
		add_cased(s, &c, s->space.at + m.so, m.eo - m.so);
	}
}

/* Replaces in the pattern space: how often. */
static size_t replace_all(struct sed *s, struct sed_subst *sub, struct sed_regex *re)
{
	size_t from = 0, copied = 0, spans = (size_t)sub->max_group + 1, done = 0;
	size_t last_end = SIZE_MAX;
	uint64_t count = 0;

	s->scratch.n = 0;
	if (s->debug)
		spans = re->groups < 9 ? re->groups + 1 : 10;
	while (from <= s->space.n && sed_match(s, re, from, spans)) {
		struct regex_span m = s->spans[0];

		/* An empty match right behind the last one does not count. */
		if (!(m.so == m.eo && m.so == last_end) && ++count >= sub->number) {
			space_add(s, &s->scratch, s->space.at + copied, m.so - copied);
			add_replacement(s, sub);
			copied = m.eo;
			done++;
			if (!sub->global)
				break;
		}
		last_end = m.eo;
		from = m.eo;
		/* A byte on, as GNU's does in the middle of a character too. */
		if (m.so == m.eo && m.eo < s->space.n)
			from++;
		else if (m.so == m.eo)
			break;
		if (++s->steps % 64 == 0)
			tsb_tick(s->p, 16);
	}
	if (done)
		space_add(s, &s->scratch, s->space.at + copied, s->space.n - copied);
	return done;
}

static void swap_scratch(struct sed *s)
{
	struct sed_space old = s->space;

	s->scratch.newline = old.newline;
	s->space = s->scratch;
	s->scratch = old;
}

void sed_do_subst(struct sed *s, struct sed_subst *sub)
{
	struct sed_regex *re = sed_regex_use(s, sub->re);

	if ((size_t)sub->max_group > re->groups)
		sed_panic(s, SED_BAD_USAGE, "-e expression #1, char 0: invalid reference \\%d on "
			  "`s' command's RHS", sub->max_group);
	if (!replace_all(s, sub, re))
		return;
	if (s->debug)
		sed_debug_spans(s, re);
	swap_scratch(s);
	s->replaced = true;
	if (sub->print == 1 && sub->eval)
		sed_put(s, &s->out, s->space.at, s->space.n, s->space.newline);
	if (sub->eval) {
		struct slice r = sed_shell(s, (struct slice){ s->space.at, s->space.n });

		if (r.n && r.p[r.n - 1] == s->end)
			r.n--;
		space_set(s, &s->space, r.p, r.n);
	}
	if (sub->print && !(sub->print == 1 && sub->eval))
		sed_put(s, &s->out, s->space.at, s->space.n, s->space.newline);
	if (sub->out)
		sed_put(s, sub->out, s->space.at, s->space.n, s->space.newline);
}

/* ---- y ---- */

/* The characters of one side. */
static size_t map_side(struct sed_parser *q, struct str *text, struct slice **out)
{
	size_t n = 0, cap = 0, to = 0;
	struct slice *at = NULL;
	char *s;

	/* Backslashes first: each makes the next one plain. */
	sed_unescape(q, text, SED_TEXT_REGEX);
	s = text->p;
	for (size_t i = 0; i < text->n; ) {
		size_t start = to, len = 1;
		int32_t c;

		if (s[i] == '\\' && i + 1 < text->n) {
			i++;
			s[to++] = s[i] == 'n' ? '\n' : s[i];
		} else {
			len = utf8_decode(s + i, text->n - i, &c);
			memmove(s + to, s + i, len);
			to += len;
		}
		i += len;
		at = util_grow(q->s->p, at, n, &cap, sizeof(*at));
		at[n++] = (struct slice){ s + start, to - start };
	}
	*out = at;
	return n;
}

void sed_parse_map(struct sed_parser *q, struct sed_cmd *cmd)
{
	struct sed_map *map = tsb_alloc(q->s->p, sizeof(*map));
	int delimiter = sed_get(q);
	struct str from, to;

	cmd->map = map;
	if (delimiter < 0 || !sed_get_delimited(q, delimiter, false, &from) ||
	    !sed_get_delimited(q, delimiter, false, &to))
		sed_bad(q, "unterminated `y' command");
	map->n = map_side(q, &from, &map->from);
	if (map_side(q, &to, &map->to) != map->n)
		sed_bad(q, "strings for `y' command are different lengths");
	for (int c = 0; c < 256; c++)
		map->bytes[c] = (unsigned char)c;
	for (size_t i = map->n; i--; ) {
		map->wide |= map->from[i].n > 1 || map->to[i].n > 1;
		map->bytes[(unsigned char)map->from[i].p[0]] = (unsigned char)map->to[i].p[0];
	}
}

static void map_wide(struct sed *s, const struct sed_map *map)
{
	s->scratch.n = 0;
	for (size_t i = 0; i < s->space.n; ) {
		int32_t c;
		size_t len = utf8_decode(s->space.at + i, s->space.n - i, &c), k = 0;
		struct slice ch = { s->space.at + i, len };

		while (k < map->n && !slice_eq(map->from[k], ch))
			k++;
		if (k < map->n)
			ch = map->to[k];
		space_add(s, &s->scratch, ch.p, ch.n);
		i += len;
	}
	swap_scratch(s);
}

void sed_do_map(struct sed *s, const struct sed_map *map)
{
	if (map->wide) {
		map_wide(s, map);
		return;
	}
	for (size_t i = 0; i < s->space.n; i++)
		s->space.at[i] = (char)map->bytes[(unsigned char)s->space.at[i]];
}
