/*
 * s: the replacement as pieces (literal text, then a group), and its making. The
 * new line grows in a second space, which then changes places with the pattern
 * space.
 *
 * Letter case follows GNU: \U and \L last until \E; \u and \l change the first
 * character of the next piece, and wait for the next one if that is an empty
 * group. A \u right before \L or \U is lost.
 */
#include "cmd/sed.h"

#include <string.h>

#include "base/utf8.h"

/* ---- Parsing ---- */

struct replacement {
	struct sed_subst *sub;
	struct str text;	/* literal text of the piece that is being read */
	unsigned how, then;	/* of this piece and of those behind it */
};

static void piece_end(struct sed *s, struct replacement *r, int ref)
{
	struct sed_subst *sub = r->sub;
	struct sed_piece *last = sub->pieces.n ? &vec_last(&sub->pieces) : NULL, *piece;

	sub->plain &= !r->how;
	if (ref > sub->max_ref)
		sub->max_ref = ref;
	if (sub->plain && ref < 0 && !r->text.n)
		return;
	if (sub->plain && last && last->ref < 0) {
		struct str both;

		str_init(&both, tsb_heap_of(s->p), STR_MAX_DEFAULT);
		str_addslice(&both, last->text);
		str_addn(&both, r->text.p, r->text.n);
		last->text = sed_keep(&both);
		last->ref = ref;
		str_reset(&r->text);
		return;
	}
	piece = vec_add(tsb_heap_of(s->p), &sub->pieces);
	*piece = (struct sed_piece){ sed_keep(&r->text), ref, r->how };
	r->how = r->then;
}

static void replacement_case(struct replacement *r, char c)
{
	switch (c) {
	case 'U':
		r->how = r->then = SED_CASE_UPPER;
		break;
	case 'L':
		r->how = r->then = SED_CASE_LOWER;
		break;
	case 'E':
		r->how = r->then = SED_CASE_KEEP;
		break;
	case 'u':
		r->then = r->how;
		r->how |= SED_FIRST_UPPER;
		break;
	default:
		r->then = r->how;
		r->how |= SED_FIRST_LOWER;
		break;
	}
}

/* What is behind a backslash. */
static void replacement_escape(struct sed *s, struct replacement *r, char c)
{
	if (c >= '0' && c <= '9') {
		piece_end(s, r, c - '0');
	} else if (c && strchr("ULEul", c) && s->posix != SED_MINIMAL) {
		piece_end(s, r, -1);
		replacement_case(r, c);
	} else {
		str_addc(&r->text, c == 'n' ? '\n' : c);
		piece_end(s, r, -1);
	}
}

static void parse_replacement(struct sed *s, struct sed_subst *sub, struct str *text)
{
	struct replacement r = { .sub = sub };

	sed_unescape(s, text, SED_TEXT_REPLACEMENT);
	str_init(&r.text, tsb_heap_of(s->p), STR_MAX_DEFAULT);
	sub->max_ref = -1;
	sub->plain = true;
	for (size_t i = 0; i < text->n; i++) {
		char c = text->p[i];

		if (c == '\\' && i + 1 < text->n)
			replacement_escape(s, &r, text->p[++i]);
		else if (c == '&')
			piece_end(s, &r, 0);
		else
			str_addc(&r.text, c);
	}
	if (r.text.n)
		piece_end(s, &r, -1);
}

static void parse_flag_number(struct sed *s, struct sed_subst *sub, int c)
{
	if (sub->number)
		sed_bad(s, "multiple number options to `s' command");
	sub->number = sed_integer(s, c);
	if (!sub->number)
		sed_bad(s, "number option to `s' command may not be zero");
}

/* The letters that GNU added: they add to *flags. */
static bool parse_flag_gnu(struct sed *s, struct sed_subst *sub, int c, unsigned *flags)
{
	if (s->posix == SED_MINIMAL)
		return false;
	if (c == 'i' || c == 'I')
		*flags |= REGEX_ICASE;
	else if (c == 'm' || c == 'M')
		*flags |= REGEX_NEWLINE;
	else if (c != 'e')
		return false;
	if (c == 'e' && s->sandbox)
		sed_bad(s, "e/r/w commands disabled in sandbox mode");
	sub->eval |= c == 'e';
	return true;
}

/* One flag; false: the command ends with it. */
static bool parse_flag(struct sed *s, struct sed_subst *sub, int c, unsigned *flags)
{
	if (c < 0 || c == '\n' || c == ';')
		return false;
	if (c == '}' || c == '#') {
		sed_unchar(s, c);
		return false;
	}
	if (c == 'w') {
		if (s->sandbox)
			sed_bad(s, "e/r/w commands disabled in sandbox mode");
		sub->out = sed_out_open(s, sed_filename(s));
		return false;
	}
	if (c == 'p') {
		if (sub->print)
			sed_bad(s, "multiple `p' options to `s' command");
		sub->print = sub->eval ? 2 : 1;
	} else if (c == 'g') {
		if (sub->global)
			sed_bad(s, "multiple `g' options to `s' command");
		sub->global = true;
	} else if (c >= '0' && c <= '9') {
		parse_flag_number(s, sub, c);
	} else if (c == '\r' && sed_char(s) == '\n') {
		return false;
	} else if (!sed_is_blank(c) && !parse_flag_gnu(s, sub, c, flags)) {
		sed_bad(s, "unknown option to `s'");
	}
	return true;
}

void sed_parse_subst(struct sed *s, struct sed_cmd *cmd)
{
	struct sed_subst *sub = sed_alloc(s, sizeof(*sub));
	struct str pattern, text;
	unsigned flags = 0;
	int delim = sed_char(s);

	if (!sed_delimited(s, delim, true, &pattern) || !sed_delimited(s, delim, false, &text))
		sed_bad(s, "unterminated `s' command");
	parse_replacement(s, sub, &text);
	while (parse_flag(s, sub, sed_char(s), &flags))
		;
	sub->regex = sed_regex_new(s, &pattern, flags, sub->max_ref < 0 ? 0 : sub->max_ref);
	cmd->subst = sub;
}

/* ---- Letter case ---- */

static int32_t case_of(const struct sed *s, unsigned how, int32_t c)
{
	if (!s->utf8 && c >= 128)
		return c;
	if (how & (SED_CASE_UPPER | SED_FIRST_UPPER))
		return utf8_upper(c);
	return utf8_lower(c);
}

/* One character at p, changed; the length it had. */
static size_t case_add(struct sed *s, unsigned how, const char *p, size_t n)
{
	char buf[4];
	size_t len = 1;
	int32_t c = (unsigned char)*p;

	if (s->utf8)
		len = utf8_decode(p, n, &c);
	if (c < 0)
		sed_space_addc(s, &s->scratch, *p);
	else if (s->utf8)
		sed_space_add(s, &s->scratch, buf,
			      utf8_encode(buf, (uint32_t)case_of(s, how, c)));
	else
		sed_space_addc(s, &s->scratch, case_of(s, how, c));
	return len;
}

static void subst_cased(struct sed *s, unsigned how, const char *p, size_t n)
{
	size_t at = 0;

	if (n && how & SED_FIRST)
		at = case_add(s, how & SED_FIRST, p, n);
	if (!(how & SED_CASE_ALL)) {
		sed_space_add(s, &s->scratch, p + at, n - at);
		return;
	}
	while (at < n)
		at += case_add(s, how & SED_CASE_ALL, p + at, n - at);
}

/* ---- Doing ---- */

static void subst_plain(struct sed *s, const struct sed_subst *sub, const struct regex_span *spans)
{
	const char *text = s->pattern.at;

	for (size_t i = 0; i < sub->pieces.n; i++) {
		const struct sed_piece *piece = &sub->pieces.at[i];

		if (piece->text.n)
			sed_space_add(s, &s->scratch, piece->text.p, piece->text.n);
		if (piece->ref >= 0 && spans[piece->ref].so != REGEX_NONE)
			sed_space_add(s, &s->scratch, text + spans[piece->ref].so,
				      spans[piece->ref].eo - spans[piece->ref].so);
	}
}

static void subst_pieces(struct sed *s, const struct sed_subst *sub, const struct regex_span *spans)
{
	unsigned waits = 0;

	for (size_t i = 0; i < sub->pieces.n; i++) {
		const struct sed_piece *piece = &sub->pieces.at[i];
		unsigned how = piece->how & SED_FIRST ? piece->how : piece->how | waits;
		const struct regex_span *span = piece->ref < 0 ? NULL : &spans[piece->ref];

		waits = 0;
		if (piece->text.n) {
			subst_cased(s, how, piece->text.p, piece->text.n);
			how &= ~(unsigned)SED_FIRST;
		}
		if (!span)
			continue;
		if (span->so != span->eo)
			subst_cased(s, how, s->pattern.at + span->so, span->eo - span->so);
		else if (piece->how & SED_FIRST)
			waits = how & SED_FIRST;
	}
}

/* All replacements into the scratch space: was there one? */
static bool subst_all(struct sed *s, const struct sed_subst *sub)
{
	const struct sed_space *sp = &s->pattern;
	struct regex_span spans[SED_REFS];
	size_t n_spans = (size_t)(sub->max_ref < 0 ? 1 : sub->max_ref + 1);
	size_t at = 0, last_end = REGEX_NONE;
	uint64_t count = 0, number = sub->number ? sub->number : 1;
	bool done = false;

	while (at <= sp->n && sed_match(s, sub->regex, sp->at, sp->n, at, spans, n_spans)) {
		size_t so = spans[0].so, eo = spans[0].eo;

		if (s->debug && !at && last_end == REGEX_NONE)
			sed_debug_match(s);
		sed_space_add(s, &s->scratch, sp->at + at, so - at);
		at = eo;
		/* Nothing is found right behind the last match. */
		if (so != eo || so != last_end) {
			if (++count < number) {
				sed_space_add(s, &s->scratch, sp->at + so, eo - so);
			} else {
				done = true;
				if (sub->plain)
					subst_plain(s, sub, spans);
				else
					subst_pieces(s, sub, spans);
				if (!sub->global)
					break;
			}
		}
		last_end = eo;
		if (so != eo)
			continue;
		if (at < sp->n)
			sed_space_addc(s, &s->scratch, sp->at[at]);
		at++;
	}
	if (done && at < sp->n)
		sed_space_add(s, &s->scratch, sp->at + at, sp->n - at);
	return done;
}

enum sed_flow sed_do_subst(struct sed *s, struct sed_cmd *cmd)
{
	const struct sed_subst *sub = cmd->subst;

	sed_space_clear(&s->scratch);
	if (!subst_all(s, sub))
		return SED_NEXT;
	s->scratch.no_newline = s->pattern.no_newline;
	sed_space_swap(&s->pattern, &s->scratch);
	s->replaced = true;
	if (sub->eval) {
		if (sub->print & 1)
			sed_out_space(s, s->to, &s->pattern);
		sed_eval_pattern(s);
	}
	if (sub->eval ? sub->print & 2 : sub->print)
		sed_out_space(s, s->to, &s->pattern);
	if (sub->out)
		sed_out_space(s, sub->out, &s->pattern);
	return SED_NEXT;
}
