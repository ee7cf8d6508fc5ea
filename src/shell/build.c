/*
 * The field builder: expansion emits text piece by piece, and here it becomes
 * fields. One buffer holds the field's bytes; a short list of offsets tells
 * where quoting begins and ends (most fields need none or one), so splitting
 * and pathname expansion know what they may touch, and quote removal costs
 * nothing. Splitting by IFS happens while text comes in: one state (is there a
 * field, did white space just end one) carries over from piece to piece, which
 * is POSIX's rule for `a$x"b"$y`.
 */
#include <string.h>

#include "kernel/kernel.h"
#include "shell/words.h"
#include "text/pattern.h"

/* ---- Fields ---- */

static void fields_grow(struct shell *sh, struct fields *f)
{
	size_t cap = f->cap ? f->cap * 2 : 16;
	char **at = arena_array(&sh->turn, cap, sizeof(char *) + sizeof(size_t));
	size_t *lens = (size_t *)(void *)(at + cap);

	if (f->n) {
		memcpy(at, f->at, f->n * sizeof(char *));
		memcpy(lens, f->lens, f->n * sizeof(*lens));
	}
	f->at = at;
	f->lens = lens;
	f->cap = cap;
}

void fields_push(struct shell *sh, struct fields *f, char *p, size_t n)
{
	if (f->n + 1 >= f->cap)
		fields_grow(sh, f);
	f->at[f->n] = p;
	f->lens[f->n++] = n;
	f->at[f->n] = NULL;
}

void fields_add(struct shell *sh, struct fields *f, const char *p, size_t n)
{
	fields_push(sh, f, arena_dup(&sh->turn, p, n), n);
}

/* ---- Begin, end ---- */

void build_begin(struct build *b, struct shell *sh, enum build_mode mode, struct fields *out)
{
	b->sh = sh;
	b->mode = mode;
	b->out = out;
	b->text = scratch_take(sh);
	b->text->max = words_max_bytes(sh);
	b->toggles = b->first_toggles;
	b->n_toggles = 0;
	b->cap_toggles = BUILD_TOGGLES;
	b->emitted = 0;
	b->quoted = b->have = b->magic = b->pending = b->zero_at = false;
	b->here = b->operand = b->beside_at = false;
	b->flow = FLOW_NEXT;
}

static void build_reset(struct build *b)
{
	str_cut(b->text, 0);
	b->n_toggles = 0;
	b->quoted = b->have = b->magic = false;
}

static void build_quote(struct build *b, bool on)
{
	if (b->quoted == on)
		return;
	if (b->n_toggles == b->cap_toggles) {
		size_t *more = arena_array(&b->sh->turn, b->cap_toggles * 2, sizeof(*more));

		memcpy(more, b->toggles, b->n_toggles * sizeof(*more));
		b->toggles = more;
		b->cap_toggles *= 2;
	}
	b->toggles[b->n_toggles++] = b->text->n;
	b->quoted = on;
}

/* ---- From the built text to a pattern or a regular expression ---- */

/*
 * In a regular expression a quoted character keeps its backslash only where it
 * would be an operator; inside [ ] there are none. This follows the bracket.
 */
struct bracket {
	size_t at;		/* characters since '['; 0: outside */
};

static bool bracket_step(struct bracket *k, const char *p, bool quoted)
{
	bool inside = k->at > 0;

	if (!inside) {
		if (*p == '[' && !quoted)
			k->at = 1;
		return false;
	}
	if (*p == ']' && k->at > 1)
		k->at = 0;
	else if (*p != '^' || k->at > 1)
		k->at++;
	return true;
}

static bool escape_wanted(enum build_mode mode, char c)
{
	if (mode == BUILD_REPLACEMENT)
		return c == '&' || c == '\\';
	if (mode == BUILD_TRACE)
		return ((unsigned char)c & 0xc0) != 0x80;	/* once a character */
	if (mode == BUILD_REGEX)
		return strchr(".[\\()*+?{|^$]}", c) != NULL;
	return strchr("*?[]\\!^-+@(|)", c) != NULL;
}

static void build_escape(const struct build *b, enum build_mode mode, struct str *out)
{
	const struct str *t = b->text;
	struct bracket bracket = { 0 };
	size_t toggle = 0;
	bool quoted = false, literal;

	for (size_t i = 0; i < t->n; i++) {
		while (toggle < b->n_toggles && b->toggles[toggle] == i) {
			quoted = !quoted;
			toggle++;
		}
		literal = mode == BUILD_REGEX && bracket_step(&bracket, t->p + i, quoted);
		if (quoted && !literal && t->p[i] && escape_wanted(mode, t->p[i]))
			str_addc(out, '\\');
		str_addc(out, t->p[i]);
	}
}

/* ---- Fields out ---- */

static bool build_extglob(const struct build *b)
{
	return b->sh->opts[SHOPT_EXTGLOB];
}

/* Puts the pathnames out, or the text when there are none. */
static void build_glob(struct build *b)
{
	struct shell *sh = b->sh;
	struct str *pattern = scratch_take(sh);
	unsigned flags = build_extglob(b) ? PATTERN_EXTGLOB : 0;
	size_t n;

	build_escape(b, BUILD_PATTERN, pattern);
	if (!pattern_is_magic(pattern->p, pattern->n, flags)) {
		fields_add(sh, b->out, b->text->p, b->text->n);
		scratch_give(sh, pattern);
		return;
	}
	n = glob_paths(sh, pattern->p, pattern->n, b->out);
	scratch_give(sh, pattern);
	if (n)
		return;
	if (sh->opts[SHOPT_FAILGLOB]) {
		shell_error(sh, "no match: %s", b->text->p);
		sh->status = 1;
		b->flow = words_report(sh, FLOW_ABORT);
	} else if (!sh->opts[SHOPT_NULLGLOB]) {
		fields_add(sh, b->out, b->text->p, b->text->n);
	}
}

static void build_finish(struct build *b)
{
	if (b->flow != FLOW_NEXT)
		return;
	if (b->text->bad) {
		b->flow = words_limit(b->sh, "word_bytes");
		return;
	}
	if (b->out->n >= words_of(b->sh)->max_words) {
		b->flow = words_limit(b->sh, "words");
		return;
	}
	if (b->magic && !b->sh->opts[OPT_NOGLOB])
		build_glob(b);
	else
		fields_add(b->sh, b->out, b->text->p, b->text->n);
	proc_tick(b->sh->p, 1);
	build_reset(b);
}

/* ---- Emitting ---- */

static void build_look(struct build *b, const char *p, size_t n)
{
	for (size_t i = 0; i < n && !b->magic; i++) {
		switch (p[i]) {
		case '*':
		case '?':
		case '[':
		case '(':
			b->magic = true;
		}
	}
}

static void build_plain(struct build *b, const char *p, size_t n)
{
	build_quote(b, false);
	if (b->mode == BUILD_FIELDS)
		build_look(b, p, n);
	str_addn(b->text, p, n);
	b->have = true;
	b->pending = false;
}

static void build_delimiter(struct build *b, bool white)
{
	if (b->have) {
		build_finish(b);
		b->pending = white;
	} else if (!white && b->pending) {
		b->pending = false;
	} else if (!white) {
		b->have = true;		/* an empty field between two delimiters */
		build_finish(b);
	}
}

static void build_split(struct build *b, const char *p, size_t n)
{
	const struct shell *sh = b->sh;
	size_t i = 0, from, len;
	int kind;

	while (i < n && b->flow == FLOW_NEXT) {
		kind = IFS_NOT;
		for (from = i; i < n; i += len) {
			len = 1;
			if (!sh->ifs_table[(unsigned char)p[i]])
				continue;
			kind = ifs_kind(sh, p + i, n - i, &len);
			if (kind)
				break;
		}
		if (i > from)
			build_plain(b, p + from, i - from);
		if (kind) {
			build_delimiter(b, kind == IFS_WHITE);
			i += len;
		}
	}
}

void build_emit(struct build *b, const char *p, size_t n, enum emit how)
{
	if (n == 0 || b->flow != FLOW_NEXT)
		return;
	b->emitted++;
	if (how == EMIT_QUOTED) {
		build_quote(b, true);
		str_addn(b->text, p, n);
		b->have = true;
		b->pending = false;
	} else if (how == EMIT_EXPANDED && b->mode == BUILD_FIELDS) {
		build_split(b, p, n);
	} else {
		build_plain(b, p, n);
	}
	if (b->text->bad)
		b->flow = words_limit(b->sh, "word_bytes");
	if (n > 1024)
		proc_tick(b->sh->p, (int32_t)(n >> 10 > 1 << 20 ? 1 << 20 : n >> 10));
}

void build_null(struct build *b)
{
	b->emitted++;
	b->have = true;
	b->pending = false;
}

void build_break(struct build *b)
{
	b->emitted++;
	if (b->have && b->mode == BUILD_FIELDS)
		build_finish(b);
	b->pending = false;
}

enum flow build_end(struct build *b)
{
	if (b->have)
		build_finish(b);
	scratch_give(b->sh, b->text);
	return b->flow;
}

enum flow build_take(struct build *b, struct slice *out)
{
	struct shell *sh = b->sh;

	if (b->text->bad)
		b->flow = words_limit(sh, "word_bytes");
	*out = (struct slice){ "", 0 };
	if (b->flow == FLOW_NEXT && b->mode > BUILD_STRING) {
		struct str *escaped = scratch_take(sh);

		build_escape(b, b->mode, escaped);
		out->n = escaped->n;
		out->p = arena_dup(&sh->turn, escaped->p, escaped->n);
		scratch_give(sh, escaped);
	} else if (b->flow == FLOW_NEXT) {
		out->n = b->text->n;
		out->p = arena_dup(&sh->turn, b->text->p, b->text->n);
	}
	scratch_give(sh, b->text);
	return b->flow;
}
