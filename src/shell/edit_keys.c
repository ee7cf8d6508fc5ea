/* Keys: bytes are read until they are one of the table, which is bash's for Emacs. */
#include "shell/edit.h"

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <termios.h>

#include "base/utf8.h"

/* ---- Bytes ---- */

/* A signal came: 0 to go on. */
static int edit_signal(struct edit *e)
{
	enum flow f;

	trap_take(e->sh);
	if (doing(e->sh)->pending >> SIGINT & 1 && !trap_has(e->sh, SIGINT))
		tsb_write_all(e->sh->p, 2, "^C", 2);
	f = trap_pending(e->sh);
	if (f != FLOW_NEXT) {
		e->end = EDIT_BROKEN;
		return -1;
	}
	edit_window(e);
	e->plain = false;
	e->stale = true;
	edit_show(e);
	return 0;
}

static bool edit_late(struct edit *e)
{
	struct tsb_time t = tsb_clock(e->sh->p, TSB_CLOCK_MONOTONIC);
	int64_t left = e->deadline_ns - (t.sec * 1000000000 + t.nsec);

	return e->deadline_ns >= 0 && !tsb_poll_in(e->sh->p, e->in, left < 0 ? 0 : left);
}

int edit_byte(struct edit *e)
{
	unsigned char c;
	ssize_t n;

	if (e->unread >= 0) {
		int again = e->unread;

		e->unread = -1;
		return again;
	}
	/* Only what a person could look at is painted. */
	if ((e->stale || e->out.n) && tsb_poll_in(e->sh->p, e->in, 0) <= 0)
		edit_show(e);
	for (;;) {
		if (edit_late(e)) {
			e->end = EDIT_LATE;
			return -1;
		}
		n = tsb_read(e->sh->p, e->in, &c, 1);
		if (n == 1)
			return c;
		if (n == -EINTR && !edit_signal(e))
			continue;
		if (n != -EINTR)
			e->end = EDIT_AT_END;
		return -1;
	}
}

/* ---- Typing ---- */

static void edit_self(struct edit *e, int count)
{
	(void)e, (void)count;
}

/* A character whole, however many bytes it has. */
static void edit_type(struct edit *e, int lead, int count)
{
	int want = lead < 0xc2 || lead > 0xf4 ? 1 : lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4;
	char text[4] = { (char)lead };
	size_t n = 1;

	while ((int)n < want) {
		int c = edit_byte(e);

		if (c < 0)
			return;
		if ((c & 0xc0) != 0x80) {
			e->unread = c;
			break;
		}
		text[n++] = (char)c;
	}
	if (e->did != edit_self || !e->undo.n || e->at - e->undo.at[e->undo.n - 1].at >= 20)
		edit_note(e);
	for (; count > 0; count--)
		edit_insert(e, text, n);
	e->doing = edit_self;
}

static void edit_quoted(struct edit *e, int count)
{
	struct tsb_termios old, t;
	int c;

	if (tsb_tcgetattr(e->sh->p, e->in, &old))
		return;
	t = old;
	t.lflag &= ~(uint32_t)ISIG;
	tsb_tty_borrow(e->sh->p, e->in, &t);
	c = edit_byte(e);
	tsb_tty_borrow(e->sh->p, e->in, &old);
	if (c >= 0)
		edit_type(e, c, count);
}

static void edit_paste(struct edit *e, int count)
{
	static const char over[] = "\033[201~";
	struct str text;
	int c;

	(void)count;
	str_init(&text, e->sh->heap, EDIT_LINE);
	while ((c = edit_byte(e)) >= 0) {
		str_addc(&text, c == '\r' ? '\n' : c);
		if (text.n >= 6 && !memcmp(text.p + text.n - 6, over, 6))
			break;
	}
	if (c >= 0) {
		edit_note(e);
		edit_insert(e, text.p, text.n - 6);
	}
	str_end(&text);
}

/* ---- Ends ---- */

static void edit_accept(struct edit *e, int count)
{
	(void)count;
	e->end = EDIT_LINE_DONE;
}

static void edit_accept_next(struct edit *e, int count)
{
	prompting(e->sh)->from = e->past;
	edit_accept(e, count);
}

static void edit_delete_or_end(struct edit *e, int count)
{
	if (!e->line.n)
		e->end = EDIT_AT_END;
	else
		edit_delete_char(e, count);
}

static void edit_comment(struct edit *e, int count)
{
	e->at = 0;
	edit_note(e);
	edit_insert(e, "#", 1);
	e->at = e->line.n;
	edit_accept(e, count);
}

static void edit_abort(struct edit *e, int count)
{
	(void)count;
	edit_bell(e);
}

static void edit_find(struct edit *e, int step)
{
	int c = edit_byte(e);
	size_t at = e->at;

	while (c > 0 && (step > 0 ? at + 1 < e->line.n : at > 0)) {
		at = step > 0 ? at + 1 : at - 1;
		if ((unsigned char)e->line.p[at] != c)
			continue;
		e->at = at;
		e->plain = false;
		e->stale = true;
		return;
	}
	edit_bell(e);
}

static void edit_find_forward(struct edit *e, int count)
{
	(void)count;
	edit_find(e, 1);
}

static void edit_find_backward(struct edit *e, int count)
{
	(void)count;
	edit_find(e, -1);
}

static void edit_search_backward(struct edit *e, int count)
{
	(void)count;
	edit_search(e, true);
}

static void edit_search_forward(struct edit *e, int count)
{
	(void)count;
	edit_search(e, false);
}

/* ---- The table ---- */

static const struct edit_binding {
	const char *keys;
	size_t n;
	edit_fn *fn;
} bindings[] = {
#define KEYS(text, fn) { text, sizeof(text) - 1, fn }
	KEYS("\0", edit_set_mark), KEYS("\001", edit_line_begin), KEYS("\002", edit_backward_char),
	KEYS("\004", edit_delete_or_end), KEYS("\005", edit_line_end), KEYS("\006", edit_forward_char),
	KEYS("\007", edit_abort), KEYS("\b", edit_rubout), KEYS("\t", edit_complete), KEYS("\n", edit_accept),
	KEYS("\013", edit_kill_line), KEYS("\014", edit_clear), KEYS("\r", edit_accept),
	KEYS("\016", edit_newer), KEYS("\017", edit_accept_next), KEYS("\020", edit_older),
	KEYS("\021", edit_quoted), KEYS("\022", edit_search_backward), KEYS("\023", edit_search_forward),
	KEYS("\024", edit_transpose), KEYS("\025", edit_kill_to_begin), KEYS("\026", edit_quoted),
	KEYS("\027", edit_rubout_blank_word), KEYS("\031", edit_yank), KEYS("\035", edit_find_forward),
	KEYS("\037", edit_undo), KEYS("\177", edit_rubout),
	KEYS("\030\025", edit_undo), KEYS("\030\030", edit_swap_mark), KEYS("\030\177", edit_kill_to_begin),
	KEYS("\033#", edit_comment), KEYS("\033*", edit_insert_all), KEYS("\033.", edit_last_arg),
	KEYS("\033_", edit_last_arg), KEYS("\033<", edit_oldest), KEYS("\033>", edit_newest),
	KEYS("\033=", edit_possible), KEYS("\033?", edit_possible), KEYS("\033\\", edit_delete_space),
	KEYS("\033 ", edit_set_mark), KEYS("\033b", edit_backward_word), KEYS("\033c", edit_capitalize),
	KEYS("\033d", edit_kill_word), KEYS("\033f", edit_forward_word), KEYS("\033l", edit_downcase),
	KEYS("\033r", edit_revert), KEYS("\033t", edit_transpose_words), KEYS("\033u", edit_upcase),
	KEYS("\033\b", edit_rubout_word), KEYS("\033\177", edit_rubout_word), KEYS("\033\007", edit_abort),
	KEYS("\033\014", edit_clear), KEYS("\033\035", edit_find_backward),
	KEYS("\033[A", edit_older), KEYS("\033[B", edit_newer), KEYS("\033[C", edit_forward_char),
	KEYS("\033[D", edit_backward_char), KEYS("\033[H", edit_line_begin), KEYS("\033[F", edit_line_end),
	KEYS("\033OA", edit_older), KEYS("\033OB", edit_newer), KEYS("\033OC", edit_forward_char),
	KEYS("\033OD", edit_backward_char), KEYS("\033OH", edit_line_begin), KEYS("\033OF", edit_line_end),
	KEYS("\033[1~", edit_line_begin), KEYS("\033[4~", edit_line_end), KEYS("\033[7~", edit_line_begin),
	KEYS("\033[8~", edit_line_end), KEYS("\033[3~", edit_delete_char),
	KEYS("\033[3;5~", edit_kill_word), KEYS("\033[1;5C", edit_forward_word),
	KEYS("\033[1;5D", edit_backward_word), KEYS("\033[1;3C", edit_forward_word),
	KEYS("\033[1;3D", edit_backward_word), KEYS("\033[200~", edit_paste),
#undef KEYS
};

/* NULL: none; *more: they may yet become one. */
static edit_fn *binding_of(const char *keys, size_t n, bool *more)
{
	edit_fn *fn = NULL;

	*more = false;
	for (size_t i = 0; i < sizeof(bindings) / sizeof(*bindings); i++) {
		const struct edit_binding *b = &bindings[i];

		if (b->n < n || memcmp(b->keys, keys, n))
			continue;
		if (b->n == n)
			fn = b->fn;
		else
			*more = true;
	}
	return fn;
}

/* ESC and a digit: a number for the next key. */
static int edit_count(struct edit *e, int c)
{
	int count = 0;

	for (; c >= '0' && c <= '9'; c = edit_byte(e))
		count = count < 10000 ? count * 10 + c - '0' : count;
	e->unread = c;
	return count;
}

/* A sequence that nothing is bound to is read to its end. */
static void edit_unknown(struct edit *e, const char *keys, size_t n)
{
	int c = keys[n - 1];

	if (n >= 2 && keys[0] == '\033' && keys[1] == '[')
		while (c >= 0 && (n == 2 || c < 64 || c > 126)) {
			c = edit_byte(e);
			n++;
		}
	edit_bell(e);
}

void edit_key(struct edit *e)
{
	int c = edit_byte(e), count = 1;
	char keys[8];
	size_t n = 0;
	edit_fn *fn;
	bool more;

	e->doing = NULL;
	if (c >= 32 && c != 127) {
		edit_type(e, c, count);
		e->did = e->doing;
		return;
	}
	for (; c >= 0; c = edit_byte(e)) {
		if (n == 1 && keys[0] == '\033' && c >= '0' && c <= '9') {
			count = edit_count(e, c);
			n = 0;
			continue;
		}
		if (n == 2 && keys[0] == '\033' && keys[1] == '\033')
			keys[--n] = (char)c;
		keys[n++] = (char)c;
		if (n == 1 && (unsigned char)c >= 32 && c != 127) {
			edit_type(e, c, count);
			break;
		}
		if (n == 2 && keys[0] == '\033' && c >= 'A' && c <= 'Z' && c != 'O')
			keys[1] = (char)(c | 32);
		fn = binding_of(keys, n, &more);
		if (fn) {
			e->doing = fn;
			fn(e, count);
			break;
		}
		if (!more || n == sizeof(keys)) {
			edit_unknown(e, keys, n);
			break;
		}
	}
	e->did = e->doing;
}

/* ---- Incremental search ---- */

struct search {
	struct edit *e;
	bool backward, failing;
	struct str text, prompt;
	size_t past, at;	/* the line and the place of what was found */
};

static const char *search_line(const struct search *s, size_t past)
{
	return past ? edit_history(s->e, past) : s->e->mine.p;
}

/* From the place found on, which counts too unless `next`. */
static void search_on(struct search *s, bool next)
{
	size_t past = s->past, at = s->at;
	const char *line;

	s->failing = true;
	for (; (line = search_line(s, past)); past += s->backward ? 1 : SIZE_MAX) {
		size_t n = strlen(line), i = at == SIZE_MAX ? n : at < n ? at : n;

		if (next && at != SIZE_MAX)
			i += s->backward ? SIZE_MAX : 1;
		next = false;
		for (; i <= n; i += s->backward ? SIZE_MAX : 1)
			if (s->text.n <= n - i && !memcmp(line + i, s->text.p, s->text.n)) {
				s->past = past;
				s->at = i;
				s->failing = false;
				return;
			}
		at = s->backward ? SIZE_MAX : 0;
		tsb_tick(s->e->sh->p, 1 + n / 64);
		if (!s->backward && !past)
			return;
	}
}

static void search_show(struct search *s)
{
	const char *line = search_line(s, s->past);
	size_t n = line ? strlen(line) : 0;

	str_reset(&s->prompt);
	str_addf(&s->prompt, "(%s%si-search)`", s->failing ? "failed " : "", s->backward ? "reverse-" : "");
	str_addn(&s->prompt, s->text.p, s->text.n);
	str_adds(&s->prompt, "': ");
	edit_show_as(s->e, s->prompt.p, s->prompt.n, line ? line : "", n, s->at < n ? s->at : n);
}

/* A key within the search; false: it ends it, and is to be read again if it is > 0. */
static bool search_key(struct search *s, int c)
{
	if (c == 18 || c == 19) {
		s->backward = c == 18;
		if (!s->text.n && prompting(s->e->sh)->sought.n)
			str_addn(&s->text, prompting(s->e->sh)->sought.p, prompting(s->e->sh)->sought.n);
		search_on(s, s->text.n > 0);
	} else if (c == 127 || c == 8) {
		while (s->text.n && ((unsigned char)s->text.p[s->text.n - 1] & 0xc0) == 0x80)
			str_cut(&s->text, s->text.n - 1);
		str_cut(&s->text, s->text.n - (s->text.n > 0));
		s->past = 0;
		s->at = SIZE_MAX;
		search_on(s, false);
	} else if (c >= 32) {
		str_addc(&s->text, c);
		search_on(s, false);
	} else {
		return false;
	}
	if (s->failing)
		edit_bell(s->e);
	return true;
}

static void search_end(struct search *s, int c)
{
	struct edit *e = s->e;
	const char *line = search_line(s, s->past);
	struct str *sought = &prompting(e->sh)->sought;

	str_reset(sought);
	str_addn(sought, s->text.p, s->text.n);
	if (c == 7) {
		edit_set(e, e->mine.p, e->mine.n);
		e->past = 0;
		edit_bell(e);
	} else if (line) {
		edit_set(e, line, strlen(line));
		e->past = s->past;
		e->at = s->at < e->line.n ? s->at : e->line.n;
		e->unread = c == 27 && tsb_poll_in(e->sh->p, e->in, 0) <= 0 ? -1 : c;
	}
	e->stale = true;
}

void edit_search(struct edit *e, bool backward)
{
	struct search s = { .e = e, .backward = backward, .past = e->past, .at = SIZE_MAX };
	int c;

	if (!e->past) {
		str_reset(&e->mine);
		str_addn(&e->mine, e->line.p, e->line.n);
	}
	str_init(&s.text, e->sh->heap, EDIT_LINE);
	str_init(&s.prompt, e->sh->heap, STR_MAX_DEFAULT);
	do {
		search_show(&s);
		c = edit_byte(e);
	} while (c >= 0 && search_key(&s, c));
	if (c >= 0)
		search_end(&s, c);
	str_end(&s.text);
	str_end(&s.prompt);
}
