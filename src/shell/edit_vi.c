/*
 * vi's commands: a count, an operator, a motion. What was done last is kept in e->vi, for "." to do again; what
 * is typed between a command that inserts and ESC is one change.
 */
#include "shell/edit.h"

#include <string.h>

#include "base/utf8.h"

void edit_vi_begin(struct edit *e)
{
	e->mode = 'i';
	for (int i = 0; i < 26; i++)
		e->vi.marks[i] = SIZE_MAX;
}

static bool vi_blank(const struct edit *e, size_t at)
{
	return strchr(" \t\n", e->line.p[at]) != NULL;
}

/* 0 blank, 1 of a name, 2 else; big: all that is not blank is one kind. */
static int vi_kind(const struct edit *e, size_t at, bool big)
{
	int32_t c;

	if (vi_blank(e, at))
		return 0;
	utf8_decode(e->line.p + at, e->line.n - at, &c);
	return !big && (c < 0 || !(utf8_is(c, "alnum") || c == '_')) ? 2 : 1;
}

/* ---- Motions ---- */

static size_t vi_next_word(const struct edit *e, size_t at, bool big, bool change)
{
	int kind = at < e->line.n ? vi_kind(e, at, big) : 0;

	while (at < e->line.n && kind && vi_kind(e, at, big) == kind)
		at = edit_next(e, at);
	if (change && kind)
		return at;
	while (at < e->line.n && vi_blank(e, at))
		at++;
	return at;
}

static size_t vi_word_before(const struct edit *e, size_t at, bool big)
{
	int kind;

	while (at && vi_blank(e, edit_before(e, at)))
		at = edit_before(e, at);
	if (!at)
		return 0;
	kind = vi_kind(e, edit_before(e, at), big);
	while (at && vi_kind(e, edit_before(e, at), big) == kind)
		at = edit_before(e, at);
	return at;
}

static size_t vi_word_end(const struct edit *e, size_t at, bool big)
{
	int kind;

	if (at >= e->line.n)
		return at;
	at = edit_next(e, at);
	while (at < e->line.n && vi_blank(e, at))
		at++;
	if (at >= e->line.n)
		return e->line.n ? edit_before(e, e->line.n) : 0;
	kind = vi_kind(e, at, big);
	while (edit_next(e, at) < e->line.n && vi_kind(e, edit_next(e, at), big) == kind)
		at = edit_next(e, at);
	return at;
}

/* SIZE_MAX: there is none. */
static size_t vi_find(const struct edit *e, int how, int target, int count)
{
	bool forward = how == 'f' || how == 't';
	size_t at = e->at;

	for (; count > 0; count--)
		do {
			if (forward ? edit_next(e, at) >= e->line.n : at == 0)
				return SIZE_MAX;
			at = forward ? edit_next(e, at) : edit_before(e, at);
		} while ((unsigned char)e->line.p[at] != target);
	return how == 't' ? edit_before(e, at) : how == 'T' ? edit_next(e, at) : at;
}

static size_t vi_match(const struct edit *e)
{
	static const char pairs[] = "()[]{}";
	size_t at = e->at;
	const char *which;
	int depth = 0, step;

	while (at < e->line.n && !(e->line.p[at] && strchr(pairs, e->line.p[at])))
		at++;
	if (at >= e->line.n)
		return SIZE_MAX;
	which = strchr(pairs, e->line.p[at]);
	step = (which - pairs) % 2 ? -1 : 1;
	for (;; at += (size_t)(ssize_t)step) {
		depth += e->line.p[at] == *which ? 1 : e->line.p[at] == which[step] ? -1 : 0;
		if (!depth)
			return at;
		if (step > 0 ? at + 1 >= e->line.n : !at)
			return SIZE_MAX;
	}
}

static size_t vi_other_find(struct edit *e, int key, int count)
{
	static const char keys[] = "fFtT", back[] = "FfTt";
	int how = e->vi.find;

	if (!how)
		return SIZE_MAX;
	if (key == ',')
		how = back[strchr(keys, how) - keys];
	return vi_find(e, how, e->vi.find_target, count);
}

static size_t vi_repeat(struct edit *e, int key, int count, bool change)
{
	size_t at = e->at;

	for (; count > 0; count--)
		switch (key) {
		case 'h': case 8: case 127: at = edit_before(e, at); break;
		case 'l': case ' ': at = edit_next(e, at); break;
		case 'w': at = vi_next_word(e, at, false, change && count == 1); break;
		case 'W': at = vi_next_word(e, at, true, change && count == 1); break;
		case 'b': at = vi_word_before(e, at, false); break;
		case 'B': at = vi_word_before(e, at, true); break;
		case 'e': at = vi_word_end(e, at, false); break;
		default: at = vi_word_end(e, at, true); break;
		}
	return at;
}

static size_t vi_column(const struct edit *e, int count)
{
	size_t at = 0;

	for (; count > 1 && at < e->line.n; count--)
		at = edit_next(e, at);
	return at;
}

/* Where a motion goes; *through: the character there is part of it. SIZE_MAX: nowhere, or it is no motion. */
static size_t vi_motion(struct edit *e, int key, int target, int count, bool change, bool *through)
{
	size_t at = 0;

	*through = false;
	if (strchr("hlwWbBeE \b\177", key)) {
		*through = key == 'e' || key == 'E';
		return vi_repeat(e, key, count, change);
	}
	switch (key) {
	case '0':
		return 0;
	case '^':
		while (at < e->line.n && vi_blank(e, at))
			at++;
		return at;
	case '$':
		return e->line.n;
	case '|':
		return vi_column(e, count);
	case '%':
		*through = true;
		return vi_match(e);
	case 'f': case 'F': case 't': case 'T':
		e->vi.find = key;
		e->vi.find_target = target;
		*through = key == 'f' || key == 't';
		return vi_find(e, key, target, count);
	case ';': case ',':
		at = vi_other_find(e, key, count);
		*through = at != SIZE_MAX && at > e->at;
		return at;
	case '`':
		return target >= 'a' && target <= 'z' && e->vi.marks[target - 'a'] <= e->line.n ?
		       e->vi.marks[target - 'a'] : SIZE_MAX;
	default:
		return SIZE_MAX;
	}
}

/* In commands the cursor stands on a character. */
static void vi_clamp(struct edit *e)
{
	if (e->mode == 'c' && e->at && e->at >= e->line.n)
		edit_go(e, edit_before(e, e->line.n));
}

/* ---- Inserting ---- */

static void vi_insert_mode(struct edit *e)
{
	e->mode = 'i';
	if (e->vi.again) {	/* "." types what was typed */
		edit_insert(e, e->vi.typed.p, e->vi.typed.n);
		e->mode = 'c';
		if (e->at && !strchr("cCsS", e->vi.key))
			edit_go(e, edit_before(e, e->at));
		return;
	}
	e->vi.inserting = true;
	e->vi.begun = e->at;
}

static void vi_done_inserting(struct edit *e)
{
	struct edit_vi *v = &e->vi;

	if (v->inserting) {
		str_reset(&v->typed);
		if (e->at > v->begun && v->begun <= e->line.n)
			str_addn(&v->typed, e->line.p + v->begun, e->at - v->begun);
	}
	v->inserting = v->replacing = false;
}

void edit_vi_movement(struct edit *e, int count)
{
	(void)count;
	vi_done_inserting(e);
	if (!e->vi.once)	/* what was typed before the first command stays */
		while (e->undo.n)
			heap_free(e->sh->heap, e->undo.at[--e->undo.n].text);
	e->vi.once = true;
	e->mode = 'c';
	if (e->at)
		edit_go(e, edit_before(e, e->at));
	vi_clamp(e);
}

void edit_vi_eof(struct edit *e, int count)
{
	if (!e->line.n)
		edit_delete_or_end(e, count);
	else
		e->end = EDIT_LINE_DONE;
}

/* ---- Operators ---- */

static int vi_number(struct edit *e, int c, int *count)
{
	int n = 0;

	if (c < '1' || c > '9')
		return c;
	for (; c >= '0' && c <= '9'; c = edit_byte(e))
		n = n < 10000 ? n * 10 + c - '0' : n;
	*count *= n;
	*count = *count > 100000 ? 100000 : *count;
	return c;
}

static void vi_operate(struct edit *e, int key, size_t from, size_t to)
{
	if (from > to) {
		size_t swap = from;

		from = to;
		to = swap;
	}
	to = to > e->line.n ? e->line.n : to;
	if (key == 'y') {
		if (from < to)
			edit_copy(e, from, to);
		return;
	}
	edit_go(e, from);
	if (from < to)
		edit_kill(e, from, to);
	else if (key == 'c')
		edit_note(e);
	if (key == 'c')
		vi_insert_mode(e);
}

static void vi_operator(struct edit *e, int key, int count)
{
	struct edit_vi *v = &e->vi;
	bool through;
	size_t to;
	int motion = v->motion;

	if (!v->again) {
		motion = vi_number(e, edit_byte(e), &count);
		v->motion = motion;
		v->target = motion > 0 && strchr("fFtT`", motion) ? edit_byte(e) : 0;
		v->count = count;
	}
	if (motion <= 0)
		return;
	if (motion == key) {
		vi_operate(e, key, 0, e->line.n);
		return;
	}
	to = vi_motion(e, motion, v->target, count, key == 'c', &through);
	if (to == SIZE_MAX || (to == e->at && !through)) {
		edit_bell(e);
		return;
	}
	vi_operate(e, key, e->at, through && to >= e->at ? edit_next(e, to) : to);
}

/* ---- Changes ---- */

static void vi_put(struct edit *e, bool after, int count)
{
	const struct str *kill = edit_killed(e);

	if (!kill || !kill->n) {
		edit_bell(e);
		return;
	}
	edit_note(e);
	if (after && e->line.n)
		edit_go(e, edit_next(e, e->at));
	for (; count > 0; count--)
		edit_insert(e, kill->p, kill->n);
	if (e->at)
		edit_go(e, edit_before(e, e->at));
}

static void vi_replace_char(struct edit *e, int count)
{
	char text[4];
	size_t n, to = e->at;
	int lead = e->vi.again ? e->vi.target : edit_byte(e);

	e->vi.target = lead;
	if (lead < 32 || edit_character(e, text, &n, lead) < 0)
		return;
	for (int i = 0; i < count; i++) {
		if (to >= e->line.n) {
			edit_bell(e);
			return;
		}
		to = edit_next(e, to);
	}
	edit_note(e);
	edit_remove(e, e->at, to);
	for (; count > 0; count--)
		edit_insert(e, text, n);
	edit_go(e, edit_before(e, e->at));
}

static void vi_change_case(struct edit *e, int count)
{
	edit_note(e);
	for (; count > 0 && e->at < e->line.n; count--) {
		size_t next = edit_next(e, e->at), from = e->at;
		char text[4];
		int32_t c, d;

		utf8_decode(e->line.p + from, next - from, &c);
		d = c < 0 ? c : utf8_upper(c) != c ? utf8_upper(c) : utf8_lower(c);
		if (d >= 0 && d != c) {
			edit_remove(e, from, next);
			e->at = from;
			edit_insert(e, text, utf8_encode(text, (uint32_t)d));
		} else {
			edit_go(e, next);
		}
	}
}

static void vi_insert_key(struct edit *e, int key, int count)
{
	size_t to = e->at;
	bool through;

	if (key == 'I')
		edit_go(e, vi_motion(e, '^', 0, 1, false, &through));
	if (key == 'A')
		edit_go(e, e->line.n);
	if (key == 'a')
		edit_go(e, edit_next(e, e->at));
	if (key == 's' || key == 'S' || key == 'C') {
		if (key == 'S')
			edit_go(e, 0);
		to = key == 's' ? e->at : e->line.n;
		for (; key == 's' && count > 0; count--)
			to = edit_next(e, to);
		vi_operate(e, 'c', e->at, to);
		return;
	}
	edit_note(e);
	e->vi.replacing = key == 'R';
	if (key == 'R' && e->vi.again) {
		size_t n = e->at + e->vi.typed.n;

		edit_remove(e, e->at, n > e->line.n ? e->line.n : n);
	}
	vi_insert_mode(e);
}

static void vi_delete_key(struct edit *e, int key, int count)
{
	size_t at = e->at;

	for (; count > 0 && key != 'D'; count--)
		at = key == 'x' ? edit_next(e, at) : edit_before(e, at);
	if (key == 'D')
		at = e->line.n;
	if (at == e->at)
		edit_bell(e);
	else
		edit_kill(e, e->at, at);
}

/* A change that "." does again. */
static void vi_change(struct edit *e, int key, int count)
{
	struct edit_vi *v = &e->vi;

	v->key = key;
	v->count = count;
	if (strchr("cd", key))
		vi_operator(e, key, count);
	else if (strchr("iaIAsSCR", key))
		vi_insert_key(e, key, count);
	else if (strchr("xXD", key))
		vi_delete_key(e, key, count);
	else if (key == 'r')
		vi_replace_char(e, count);
	else if (key == '~')
		vi_change_case(e, count);
	else
		vi_put(e, key == 'p', count);
}

static void vi_redo(struct edit *e, int count)
{
	if (!e->vi.key) {
		edit_bell(e);
		return;
	}
	e->vi.again = true;
	vi_change(e, e->vi.key, e->given ? count : e->vi.count);
	e->vi.again = false;
}

/* ---- The rest ---- */

static void vi_yank_arg(struct edit *e, int count)
{
	size_t n;

	edit_note(e);
	edit_go(e, e->line.n);
	edit_insert(e, " ", 1);
	n = e->line.n;
	e->did = NULL;
	if (e->given)
		edit_nth_arg(e, count - 1);
	else
		edit_last_arg(e, 1);
	if (e->line.n == n)
		edit_undo(e, 1);
	else
		e->mode = 'i';
}

static void vi_history(struct edit *e, int key, int count)
{
	size_t n = doing(e->sh)->history.n;

	if (key == 'G' && !e->given)
		edit_oldest(e, 1);
	else if (key == 'G' && (size_t)count <= n && count > 0)
		edit_show_past(e, n + 1 - (size_t)count);
	else if (key == 'G')
		edit_bell(e);
	else if (key == 'k' || key == '-')
		edit_older(e, count);
	else
		edit_newer(e, count);
	edit_go(e, 0);
}

static void vi_complete_key(struct edit *e, int key)
{
	while (e->at < e->line.n && !vi_blank(e, e->at))
		e->at = edit_next(e, e->at);
	if (key == '=')
		edit_possible(e, 1);
	else if (key == '*')
		edit_insert_all(e, 1);
	else
		edit_complete(e, 1);
	if (key != '=')
		e->mode = 'i';
}

/* The cursor then stands behind what came back, or where something was taken away. */
static void vi_undo(struct edit *e)
{
	size_t old = e->line.n, from = 0, behind = 0, most;
	char *text = heap_dup(e->sh->heap, e->line.p, old);

	edit_undo(e, 1);
	most = old < e->line.n ? old : e->line.n;
	while (from < most && text[from] == e->line.p[from])
		from++;
	while (behind < most - from && text[old - behind - 1] == e->line.p[e->line.n - behind - 1])
		behind++;
	edit_go(e, e->line.n - behind);
	heap_free(e->sh->heap, text);
}

static void vi_other(struct edit *e, int key, int count)
{
	int c;

	switch (key) {
	case 'y': vi_operator(e, 'y', count); break;
	case 'Y': vi_operate(e, 'y', e->at, e->line.n); break;
	case 'u':
		for (; count > 0; count--)
			vi_undo(e);
		break;
	case 'U':
		edit_revert(e, 1);
		edit_go(e, 0);
		break;
	case '.': vi_redo(e, count); break;
	case 'j': case 'k': case '+': case '-': case 'G': vi_history(e, key, count); break;
	case '/': case '?':
		e->vi.sought_back = key == '/';
		if (edit_ask(e, key, e->vi.sought_back))
			edit_go(e, 0);
		break;
	case 'n': case 'N':
		edit_sought_again(e, (key == 'n') == e->vi.sought_back);
		edit_go(e, 0);
		break;
	case 'm':
		c = edit_byte(e);
		if (c >= 'a' && c <= 'z')
			e->vi.marks[c - 'a'] = e->at;
		break;
	case '_': vi_yank_arg(e, count); break;
	case '&': edit_tilde(e, 1); break;
	case '=': case '\\': case '*': vi_complete_key(e, key); break;
	default: edit_bell(e); break;
	}
}

void edit_vi_command(struct edit *e, int count)
{
	int key = e->key, target = 0;
	bool through;
	size_t to;

	if (key >= '1' && key <= '9') {
		edit_digits(e, count);
		return;
	}
	if (strchr("fFtT`", key))
		target = edit_byte(e);
	if (strchr("hlwWbBeE0^$|%fFtT;,` ", key)) {
		to = vi_motion(e, key, target, count, false, &through);
		if (to == SIZE_MAX)
			edit_bell(e);
		else
			edit_go(e, to);
	} else if (strchr("cdiaIAsSCRxXDr~pP", key)) {
		vi_change(e, key, count);
	} else {
		vi_other(e, key, count);
	}
	e->doing = edit_vi_command;
	vi_clamp(e);
}
