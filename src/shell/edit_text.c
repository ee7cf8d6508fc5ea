/* The line and what keys do to it: moving, deleting, killing, yanking, cases, undoing. */
#include "shell/edit.h"

#include <string.h>

#include "base/utf8.h"

/* ---- Where ---- */

size_t edit_next(const struct edit *e, size_t at)
{
	int32_t c;

	if (at >= e->line.n)
		return e->line.n;
	at += utf8_decode(e->line.p + at, e->line.n - at, &c);
	while (at < e->line.n) {	/* what stands on it goes with it */
		size_t n = utf8_decode(e->line.p + at, e->line.n - at, &c);

		if (c < 0 || utf8_width(c) != 0)
			break;
		at += n;
	}
	return at;
}

size_t edit_before(const struct edit *e, size_t at)
{
	const char *p = e->line.p;
	int32_t c = -1;

	while (at) {
		size_t from = at - 1;

		while (from && at - from < 4 && ((unsigned char)p[from] & 0xc0) == 0x80)
			from--;
		if (utf8_decode(p + from, at - from, &c) != at - from) {
			from = at - 1;
			c = -1;
		}
		at = from;
		if (c < 0 || utf8_width(c) != 0)
			break;
	}
	return at;
}

static bool edit_of_word(const struct edit *e, size_t at)
{
	int32_t c;

	utf8_decode(e->line.p + at, e->line.n - at, &c);
	return c >= 0 && utf8_is(c, "alnum");
}

size_t edit_word_end(const struct edit *e, size_t at)
{
	while (at < e->line.n && !edit_of_word(e, at))
		at = edit_next(e, at);
	while (at < e->line.n && edit_of_word(e, at))
		at = edit_next(e, at);
	return at;
}

size_t edit_word_begin(const struct edit *e, size_t at)
{
	while (at && !edit_of_word(e, edit_before(e, at)))
		at = edit_before(e, at);
	while (at && edit_of_word(e, edit_before(e, at)))
		at = edit_before(e, at);
	return at;
}

static size_t blank_begin(const struct edit *e, size_t at)
{
	while (at && strchr(" \t\n", e->line.p[at - 1]))
		at--;
	while (at && !strchr(" \t\n", e->line.p[at - 1]))
		at--;
	return at;
}

/* ---- Changes ---- */

void edit_note(struct edit *e)
{
	struct edit_step *s;

	while (e->undo.n && (e->undo.n >= EDIT_UNDO || e->undo.n * e->line.n > EDIT_LINE)) {
		heap_free(e->sh->heap, e->undo.at[0].text);
		memmove(e->undo.at, e->undo.at + 1, (e->undo.n - 1) * sizeof(*e->undo.at));
		e->undo.n--;
	}
	s = vec_add(e->sh->heap, &e->undo);
	if (s)
		*s = (struct edit_step){ heap_dup(e->sh->heap, e->line.p, e->line.n), e->line.n, e->at };
}

void edit_insert(struct edit *e, const char *text, size_t n)
{
	if (e->line.n + n > EDIT_LINE) {
		edit_bell(e);
		return;
	}
	e->plain &= e->at == e->line.n;
	str_insert(&e->line, e->at, text, n);
	e->at += n;
	e->stale = true;
}

void edit_remove(struct edit *e, size_t from, size_t to)
{
	if (from >= to)
		return;
	e->plain = false;
	str_erase(&e->line, from, to - from);
	e->at = e->at > to ? e->at - (to - from) : e->at > from ? from : e->at;
	e->stale = true;
}

void edit_replace(struct edit *e, size_t from, size_t to, const char *text, size_t n)
{
	edit_note(e);
	edit_remove(e, from, to);
	e->at = from;
	edit_insert(e, text, n);
}

void edit_set(struct edit *e, const char *text, size_t n)
{
	str_reset(&e->line);
	str_addn(&e->line, text, n);
	e->at = e->line.n;
	e->plain = false;
	e->stale = true;
}

/* ---- Moving ---- */

void edit_go(struct edit *e, size_t to)
{
	e->at = to;
	e->plain = false;
	e->stale = true;
}

void edit_forward_char(struct edit *e, int count)
{
	for (; count > 0 && e->at < e->line.n; count--)
		edit_go(e, edit_next(e, e->at));
	for (; count < 0 && e->at; count++)
		edit_go(e, edit_before(e, e->at));
	if (count)
		edit_bell(e);
}

void edit_backward_char(struct edit *e, int count)
{
	edit_forward_char(e, -count);
}

void edit_forward_word(struct edit *e, int count)
{
	for (; count > 0; count--)
		edit_go(e, edit_word_end(e, e->at));
	for (; count < 0; count++)
		edit_go(e, edit_word_begin(e, e->at));
}

void edit_backward_word(struct edit *e, int count)
{
	edit_forward_word(e, -count);
}

void edit_line_begin(struct edit *e, int count)
{
	(void)count;
	edit_go(e, 0);
}

void edit_line_end(struct edit *e, int count)
{
	(void)count;
	edit_go(e, e->line.n);
}

void edit_set_mark(struct edit *e, int count)
{
	(void)count;
	e->mark = e->at;
}

void edit_swap_mark(struct edit *e, int count)
{
	size_t at = e->at;

	(void)count;
	edit_go(e, e->mark < e->line.n ? e->mark : e->line.n);
	e->mark = at;
}

/* ---- Deleting and killing ---- */

static bool edit_was_kill(const struct edit *e)
{
	static edit_fn *const kills[] = {
		edit_kill_line, edit_kill_to_begin, edit_kill_word, edit_rubout_word, edit_rubout_blank_word,
		edit_kill_whole, edit_kill_region, edit_kill_blank, edit_rubout_shell_word,
	};

	for (size_t i = 0; e->mode == 'e' && i < sizeof(kills) / sizeof(*kills); i++)
		if (e->did == kills[i])
			return true;
	return false;
}

/* Room for one more in the ring: the oldest goes. */
static struct str *edit_new_kill(struct edit *e)
{
	struct prompting *at = prompting(e->sh);
	size_t most = sizeof(at->kills) / sizeof(*at->kills);

	if (at->n_kills == most) {
		struct str oldest = at->kills[0];

		memmove(at->kills, at->kills + 1, (most - 1) * sizeof(*at->kills));
		at->kills[--at->n_kills] = oldest;
	}
	str_reset(&at->kills[at->n_kills]);
	at->kill_at = at->n_kills++;
	return &at->kills[at->kill_at];
}

const struct str *edit_killed(struct edit *e)
{
	struct prompting *at = prompting(e->sh);

	return at->n_kills ? &at->kills[at->kill_at] : NULL;
}

void edit_copy(struct edit *e, size_t from, size_t to)
{
	str_addn(edit_new_kill(e), e->line.p + from, to - from);
}

/* Kills that follow one another are one text. */
void edit_kill(struct edit *e, size_t from, size_t to)
{
	struct prompting *at = prompting(e->sh);
	struct str *kill;

	if (from > to) {
		size_t swap = from;

		from = to;
		to = swap;
	}
	if (from == to)
		return;
	if (edit_was_kill(e) && at->n_kills) {
		at->kill_at = at->n_kills - 1;
		kill = &at->kills[at->kill_at];
	} else {
		kill = edit_new_kill(e);
	}
	edit_note(e);
	if (from < e->at)
		str_insert(kill, 0, e->line.p + from, to - from);
	else
		str_addn(kill, e->line.p + from, to - from);
	edit_remove(e, from, to);
}

void edit_delete_char(struct edit *e, int count)
{
	size_t to = e->at;

	for (; count > 0 && to < e->line.n; count--)
		to = edit_next(e, to);
	if (to == e->at) {
		edit_bell(e);
		return;
	}
	edit_note(e);
	edit_remove(e, e->at, to);
}

void edit_rubout(struct edit *e, int count)
{
	size_t from = e->at;

	for (; count > 0 && from; count--)
		from = edit_before(e, from);
	if (from == e->at) {
		edit_bell(e);
		return;
	}
	edit_note(e);
	edit_remove(e, from, e->at);
}

void edit_kill_line(struct edit *e, int count)
{
	(void)count;
	edit_kill(e, e->at, e->line.n);
}

void edit_kill_to_begin(struct edit *e, int count)
{
	(void)count;
	edit_kill(e, 0, e->at);
}

void edit_kill_whole(struct edit *e, int count)
{
	(void)count;
	edit_go(e, e->line.n);
	edit_kill(e, 0, e->line.n);
}

void edit_kill_word(struct edit *e, int count)
{
	size_t to = e->at;

	for (; count > 0; count--)
		to = edit_word_end(e, to);
	edit_kill(e, e->at, to);
}

void edit_rubout_word(struct edit *e, int count)
{
	size_t from = e->at;

	for (; count > 0; count--)
		from = edit_word_begin(e, from);
	edit_kill(e, from, e->at);
}

void edit_rubout_blank_word(struct edit *e, int count)
{
	size_t from = e->at;

	for (; count > 0; count--)
		from = blank_begin(e, from);
	if (from == e->at)
		edit_bell(e);
	edit_kill(e, from, e->at);
}

void edit_yank(struct edit *e, int count)
{
	const struct str *kill = edit_killed(e);

	(void)count;
	if (!kill || !kill->n) {
		edit_bell(e);
		return;
	}
	edit_note(e);
	e->mark = e->yanked = e->at;
	edit_insert(e, kill->p, kill->n);
}

void edit_yank_pop(struct edit *e, int count)
{
	struct prompting *at = prompting(e->sh);

	(void)count;
	if ((e->did != edit_yank && e->did != edit_yank_pop) || !at->n_kills) {
		edit_bell(e);
		return;
	}
	at->kill_at = at->kill_at ? at->kill_at - 1 : at->n_kills - 1;
	edit_replace(e, e->yanked, e->at, at->kills[at->kill_at].p, at->kills[at->kill_at].n);
	e->mark = e->yanked;
}

void edit_kill_region(struct edit *e, int count)
{
	(void)count;
	edit_kill(e, e->mark < e->line.n ? e->mark : e->line.n, e->at);
}

void edit_copy_region(struct edit *e, int count)
{
	size_t mark = e->mark < e->line.n ? e->mark : e->line.n;

	(void)count;
	edit_copy(e, mark < e->at ? mark : e->at, mark < e->at ? e->at : mark);
}

void edit_overwrite(struct edit *e, int count)
{
	(void)count;
	e->overwrite = !e->overwrite;
}

void edit_tab(struct edit *e, int count)
{
	edit_note(e);
	for (; count > 0; count--)
		edit_insert(e, "\t", 1);
}

/* ---- Words of the shell: between blanks, quotes and all ---- */

static bool edit_breaks(char c)
{
	return c && strchr(" \t\n;&()|<>", c);
}

static size_t shell_word_end(const struct edit *e, size_t at)
{
	char quote = '\0';

	while (at < e->line.n && edit_breaks(e->line.p[at]))
		at++;
	for (; at < e->line.n && (quote || !edit_breaks(e->line.p[at])); at++) {
		char c = e->line.p[at];

		if (c == '\\' && quote != '\'' && at + 1 < e->line.n)
			at++;
		else if (quote ? c == quote : c == '"' || c == '\'')
			quote = quote ? '\0' : c;
	}
	return at;
}

static size_t shell_word_begin(const struct edit *e, size_t at)
{
	size_t begin = 0;

	for (size_t end = 0; end < at;) {
		size_t from = end;

		while (from < e->line.n && edit_breaks(e->line.p[from]))
			from++;
		if (from >= at)
			break;
		begin = from;
		end = shell_word_end(e, end);
	}
	return begin;
}

void edit_forward_blank(struct edit *e, int count)
{
	for (; count > 0; count--)
		edit_go(e, shell_word_end(e, e->at));
}

void edit_backward_blank(struct edit *e, int count)
{
	for (; count > 0; count--)
		edit_go(e, shell_word_begin(e, e->at));
}

void edit_kill_blank(struct edit *e, int count)
{
	size_t to = e->at;

	for (; count > 0; count--)
		to = shell_word_end(e, to);
	edit_kill(e, e->at, to);
}

void edit_rubout_shell_word(struct edit *e, int count)
{
	size_t from = e->at;

	for (; count > 0; count--)
		from = shell_word_begin(e, from);
	edit_kill(e, from, e->at);
}

void edit_delete_space(struct edit *e, int count)
{
	size_t from = e->at, to = e->at;

	(void)count;
	while (from && (e->line.p[from - 1] == ' ' || e->line.p[from - 1] == '\t'))
		from--;
	while (to < e->line.n && (e->line.p[to] == ' ' || e->line.p[to] == '\t'))
		to++;
	if (from == to)
		return;
	edit_note(e);
	edit_remove(e, from, to);
}

/* ---- Exchanging, cases ---- */

/* [a, b) and [c, d) change places; the cursor is then behind them. */
static void edit_exchange(struct edit *e, size_t a, size_t b, size_t c, size_t d)
{
	struct str t;

	str_init(&t, e->sh->heap, STR_MAX_DEFAULT);
	str_addn(&t, e->line.p + c, d - c);
	str_addn(&t, e->line.p + b, c - b);
	str_addn(&t, e->line.p + a, b - a);
	edit_replace(e, a, d, t.p, t.n);
	str_end(&t);
}

void edit_transpose(struct edit *e, int count)
{
	size_t at = e->at, before;

	(void)count;
	if (at == e->line.n)
		at = edit_before(e, at);
	if (!at || e->line.n < 2) {
		edit_bell(e);
		return;
	}
	before = edit_before(e, at);
	edit_exchange(e, before, at, at, edit_next(e, at));
}

void edit_transpose_words(struct edit *e, int count)
{
	size_t d = edit_word_end(e, e->at), c = edit_word_begin(e, d), a = edit_word_begin(e, c), b = edit_word_end(e, a);

	(void)count;
	if (a == c || b > c) {
		edit_bell(e);
		return;
	}
	edit_exchange(e, a, b, c, d);
}

void edit_transpose_blanks(struct edit *e, int count)
{
	size_t d = shell_word_end(e, e->at), c = shell_word_begin(e, d), a = shell_word_begin(e, c),
	       b = shell_word_end(e, a);

	(void)count;
	if (a == c || b > c) {
		edit_bell(e);
		return;
	}
	edit_exchange(e, a, b, c, d);
}

/* Letters from the cursor to the end of the word; first: the first one is a capital. */
static void edit_case(struct edit *e, int count, int32_t (*change)(int32_t c), bool first)
{
	size_t to = e->at, from = e->at;
	struct str t;

	for (; count > 0; count--)
		to = edit_word_end(e, to);
	str_init(&t, e->sh->heap, STR_MAX_DEFAULT);
	for (size_t at = e->at; at < to;) {
		char text[4];
		int32_t c;
		size_t n = utf8_decode(e->line.p + at, to - at, &c);

		if (c < 0) {
			str_addn(&t, e->line.p + at, n);
		} else {
			bool begins = first && (at == from || !edit_of_word(e, edit_before(e, at)));

			c = begins ? utf8_upper(c) : change(c);
			str_addn(&t, text, utf8_encode(text, (uint32_t)c));
		}
		at += n;
	}
	edit_replace(e, from, to, t.p, t.n);
	str_end(&t);
}

void edit_upcase(struct edit *e, int count)
{
	edit_case(e, count, utf8_upper, false);
}

void edit_downcase(struct edit *e, int count)
{
	edit_case(e, count, utf8_lower, false);
}

void edit_capitalize(struct edit *e, int count)
{
	edit_case(e, count, utf8_lower, true);
}

/* ---- Undoing ---- */

void edit_undo(struct edit *e, int count)
{
	(void)count;
	if (!e->undo.n) {
		edit_bell(e);
		return;
	}
	e->undo.n--;
	edit_set(e, e->undo.at[e->undo.n].text, e->undo.at[e->undo.n].n);
	e->at = e->undo.at[e->undo.n].at;
	heap_free(e->sh->heap, e->undo.at[e->undo.n].text);
}

void edit_revert(struct edit *e, int count)
{
	while (e->undo.n)
		edit_undo(e, count);
}
