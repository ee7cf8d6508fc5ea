/* Keys: bytes are read, from the terminal or of a macro, until something is bound to them. */
#include "shell/edit.h"

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <termios.h>

#include "base/num.h"

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

void edit_unread(struct edit *e, const char *text, size_t n)
{
	str_insert(&e->pending, 0, text, n);
}

int edit_byte(struct edit *e)
{
	unsigned char c;
	ssize_t n;

	if (e->pending.n) {
		c = (unsigned char)e->pending.p[0];
		str_erase(&e->pending, 0, 1);
		return c;
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
		if (n == 1) {
			e->macros = 0;
			if (prompting(e->sh)->recording)
				str_addc(&prompting(e->sh)->macro, c);
			return c;
		}
		if (n == -EINTR && !edit_signal(e))
			continue;
		if (n != -EINTR)
			e->end = EDIT_AT_END;
		return -1;
	}
}

/* ---- Typing ---- */

void edit_self(struct edit *e, int count)
{
	edit_type(e, e->key, count);
}

/* A character whole: how many bytes, and they. */
int edit_character(struct edit *e, char text[4], size_t *n, int lead)
{
	int want = lead < 0xc2 || lead > 0xf4 ? 1 : lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4;

	text[0] = (char)lead;
	for (*n = 1; (int)*n < want;) {
		int c = edit_byte(e);

		if (c < 0)
			return c;
		if ((c & 0xc0) != 0x80) {
			edit_unread(e, (char[1]){ (char)c }, 1);
			break;
		}
		text[(*n)++] = (char)c;
	}
	return lead;
}

void edit_type(struct edit *e, int lead, int count)
{
	char text[4];
	size_t n;

	if (edit_character(e, text, &n, lead) < 0)
		return;
	if (!e->vi.inserting && (e->did != edit_self || !e->undo.n || e->at - e->undo.at[e->undo.n - 1].at >= 20))
		edit_note(e);
	for (; count > 0; count--) {
		if ((e->overwrite || e->vi.replacing) && e->at < e->line.n)
			edit_remove(e, e->at, edit_next(e, e->at));
		edit_insert(e, text, n);
	}
	e->doing = edit_self;
}

void edit_quoted(struct edit *e, int count)
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

void edit_paste(struct edit *e, int count)
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

void edit_accept(struct edit *e, int count)
{
	(void)count;
	e->end = EDIT_LINE_DONE;
}

void edit_accept_next(struct edit *e, int count)
{
	prompting(e->sh)->from = e->past;
	edit_accept(e, count);
}

void edit_delete_or_end(struct edit *e, int count)
{
	if (!e->line.n)
		e->end = EDIT_AT_END;
	else
		edit_delete_char(e, count);
}

void edit_comment(struct edit *e, int count)
{
	const char *sign = edit_setting(e->sh, "comment-begin");

	e->at = 0;
	edit_note(e);
	edit_insert(e, sign, strlen(sign));
	e->at = e->line.n;
	edit_accept(e, count);
}

void edit_abort(struct edit *e, int count)
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

void edit_find_forward(struct edit *e, int count)
{
	(void)count;
	edit_find(e, 1);
}

void edit_find_backward(struct edit *e, int count)
{
	(void)count;
	edit_find(e, -1);
}

void edit_search_backward(struct edit *e, int count)
{
	(void)count;
	edit_search(e, true);
}

void edit_search_forward(struct edit *e, int count)
{
	(void)count;
	edit_search(e, false);
}

void edit_refuse(struct edit *e, int count)
{
	(void)count;
	edit_bell(e);
}

/* ---- Numbers, macros ---- */

static void edit_show_count(struct edit *e, int count, bool minus, bool digits)
{
	struct str prompt;

	str_init(&prompt, e->sh->heap, 64);
	str_addf(&prompt, "(arg: %s%.0d", minus ? "-" : "", 0);
	if (digits || !minus)
		str_addf(&prompt, "%d", count);
	else
		str_addc(&prompt, '1');
	str_adds(&prompt, ") ");
	if (!e->pending.n && tsb_poll_in(e->sh->p, e->in, 0) <= 0)
		edit_show_as(e, prompt.p, prompt.n, e->line.p, e->line.n, e->at);
	e->plain = false;
	e->stale = true;
	str_end(&prompt);
}

/* ESC may stand before each digit. */
static int edit_digit(struct edit *e)
{
	int c = edit_byte(e), next;

	if (c != 27)
		return c;
	next = edit_byte(e);
	if (next >= '0' && next <= '9')
		return next;
	if (next >= 0)
		edit_unread(e, (char[1]){ (char)next }, 1);
	return c;
}

/* A number for the next key. */
void edit_digits(struct edit *e, int count)
{
	bool minus = e->key == '-', digits = false;
	int n = 0, c = minus ? edit_byte(e) : e->key;

	(void)count;
	if (minus)
		edit_show_count(e, 1, true, false);
	for (; c >= '0' && c <= '9'; c = edit_digit(e)) {
		n = n < 10000 ? n * 10 + c - '0' : n;
		digits = true;
		edit_show_count(e, n, minus, true);
	}
	if (c >= 0)
		edit_unread(e, (char[1]){ (char)c }, 1);
	e->count = digits ? minus ? -n : n : -1;
	e->given = true;
	e->doing = edit_digits;
}

void edit_universal(struct edit *e, int count)
{
	int c = edit_byte(e);

	e->given = true;
	e->doing = edit_digits;
	if (c == '-' || (c >= '0' && c <= '9')) {
		e->key = c;
		edit_digits(e, count);
		return;
	}
	e->count = count * 4;
	if (c >= 0)
		edit_unread(e, (char[1]){ (char)c }, 1);
}

void edit_macro_begin(struct edit *e, int count)
{
	struct prompting *at = prompting(e->sh);

	(void)count;
	if (at->recording) {
		edit_abort(e, count);
		return;
	}
	str_reset(&at->macro);
	at->recording = true;
}

void edit_recorded(struct edit *e, size_t drop)
{
	struct prompting *at = prompting(e->sh);

	at->recording = false;
	str_cut(&at->macro, at->macro.n > drop ? at->macro.n - drop : 0);
}

void edit_macro_end(struct edit *e, int count)
{
	if (!prompting(e->sh)->recording) {
		edit_abort(e, count);
		return;
	}
	edit_recorded(e, e->keys_n);
}

static void edit_expand_macro(struct edit *e, const char *text, size_t n)
{
	if (++e->macros > 1000 || e->pending.n + n > 65536) {	/* it calls itself */
		str_reset(&e->pending);
		edit_bell(e);
		return;
	}
	edit_unread(e, text, n);
}

void edit_macro_call(struct edit *e, int count)
{
	struct prompting *at = prompting(e->sh);

	if (at->recording || !at->macro.n) {
		edit_abort(e, count);
		return;
	}
	for (; count > 0; count--)
		edit_expand_macro(e, at->macro.p, at->macro.n);
}

void edit_reread(struct edit *e, int count)
{
	(void)count;
	inputrc_read(e->sh, NULL);
}

void edit_emacs_mode(struct edit *e, int count)
{
	(void)count;
	e->mode = 'e';
	e->sh->opts[OPT_EMACS] = true;
	e->sh->opts[OPT_VI] = false;
}

void edit_vi_mode(struct edit *e, int count)
{
	(void)count;
	e->sh->opts[OPT_EMACS] = false;
	e->sh->opts[OPT_VI] = true;
	edit_vi_begin(e);
}

/* bind -x: the command sees the line, and may change it. */
static void edit_command(struct edit *e, const char *text)
{
	struct shell *sh = e->sh;
	char number[24];
	struct slice v;
	int status = sh->status;
	int64_t at;

	str_adds(&e->out, "\r\033[K");
	tsb_write_all(sh->p, 2, e->out.p, e->out.n);
	str_reset(&e->out);
	var_set_text(sh, "READLINE_LINE", e->line.p, e->line.n);
	var_set_text(sh, "READLINE_POINT", number, num_format_u64(number, e->at));
	var_set_text(sh, "READLINE_MARK", number, num_format_u64(number, e->mark));
	eval_text(sh, text, strlen(text), "bind", 1);
	put_flush(sh);
	sh->status = status;
	if (var_get_text(sh, "READLINE_LINE", &v) && (v.n != e->line.n || memcmp(v.p, e->line.p, v.n)))
		edit_replace(e, 0, e->line.n, v.p, v.n < EDIT_LINE ? v.n : 0);
	if (var_get_text(sh, "READLINE_POINT", &v) && num_i64(arena_dup(&sh->turn, v.p, v.n), &at) == NUM_OK)
		e->at = at < 0 ? 0 : (size_t)at > e->line.n ? e->line.n : (size_t)at;
	var_unset(sh, "READLINE_LINE", 13, false);
	var_unset(sh, "READLINE_POINT", 14, false);
	var_unset(sh, "READLINE_MARK", 13, false);
	e->stale = e->whole = true;
}

/* ---- One key ---- */

/* A sequence that nothing is bound to is read to its end. */
static void edit_unknown(struct edit *e, const char *keys, size_t n)
{
	int c = (unsigned char)keys[n - 1];

	if (e->mode == 'c' && n >= 2 && keys[0] == '\033' && keys[1] != '[' && keys[1] != 'O') {
		edit_unread(e, keys + 1, n - 1);	/* ESC is nothing to vi's commands */
		return;
	}
	if (n >= 2 && keys[0] == '\033' && keys[1] == '[')
		while (c >= 0 && (n == 2 || c < 64 || c > 126)) {
			c = edit_byte(e);
			n++;
		}
	edit_bell(e);
}

static void edit_do(struct edit *e, const struct edit_binding *b, int count)
{
	if (b->kind == 'm') {
		edit_expand_macro(e, b->text, strlen(b->text));
		e->doing = e->did;
	} else if (b->kind == 'x') {
		edit_command(e, b->text);
	} else {
		e->doing = b->fn;
		b->fn(e, count);
	}
}

/* What could go on waits half a second for it, as when ESC is a key of its own. */
static bool edit_waits(struct edit *e)
{
	if (e->pending.n)
		return true;
	edit_show(e);
	return tsb_poll_in(e->sh->p, e->in, 500000000) > 0;
}

static void edit_one_key(struct edit *e, int count)
{
	struct edit_binding found = { 0 };
	size_t n = 0, found_n = 0;
	char keys[32];
	bool more = true;
	int c;

	while (more && n < sizeof(keys) && (!found.kind || found_n < n || edit_waits(e))) {
		struct edit_binding b;

		c = edit_byte(e);
		if (c < 0)
			return;
		if (n == 2 && keys[0] == '\033' && keys[1] == '\033' && c != '[' && c != 'O' && e->mode == 'e')
			n--;	/* ESC twice is ESC */
		keys[n++] = (char)c;
		b = edit_bound(e->sh, e->mode, keys, n, &more);
		if (b.kind) {
			found = b;
			found_n = n;
		}
	}
	if (found_n < n && found.kind)
		edit_unread(e, keys + found_n, n - found_n);
	e->key = (unsigned char)keys[found.kind ? found_n - 1 : n - 1];
	e->keys_n = found_n;
	if (found.kind)
		edit_do(e, &found, count);
	else
		edit_unknown(e, keys, n);
}

void edit_key(struct edit *e)
{
	int count = e->given ? e->count : 1;

	e->doing = NULL;
	edit_one_key(e, count);
	if (e->doing == edit_digits)
		return;
	e->given = false;
	e->count = 1;
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
		if (c != 27 || tsb_poll_in(e->sh->p, e->in, 0) > 0)
			edit_unread(e, (char[1]){ (char)c }, 1);
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
