/* What keys do in less: a number perhaps, then a command of one or two keys. */
#include "cmd/less.h"

#include <string.h>
#include <sys/wait.h>

/* ---- Files ---- */

static void less_leave_file(struct less *l)
{
	if (!l->file)
		return;
	l->file->top = LESS_NONE;
	for (int i = l->rows - 1; i >= 0; i--)
		if (l->at[i] != LESS_NONE) {
			l->file->top = l->at[i];
			l->file->top_row = i;
		}
}

void less_edit(struct less *l, size_t n)
{
	if (n < l->files.n && l->files.at[n] != l->file) {
		struct less_file *old = l->file, *next = l->files.at[n];

		less_leave_file(l);
		if (less_take(l, next)) {
			l->current = n;
			return;
		}
		l->file = old;
	}
}

static void less_edit_step(struct less *l, int64_t n)
{
	int64_t to = (int64_t)l->current + n;

	if (to < 0 || to >= (int64_t)l->files.n) {
		less_tell(l, n > 0 ? "No %snext file" : "No %sprevious file", n > 1 || n < -1 ? "(N-th) " : "");
		return;
	}
	less_edit(l, (size_t)to);
}

static void less_examine(struct less *l)
{
	char *name = less_ask(l, "Examine: ", NULL);
	struct less_file *f;
	size_t at = l->current + 1;

	if (!name || !*name)
		return;
	for (size_t i = 0; i < l->files.n; i++)
		if (!strcmp(l->files.at[i]->name, name)) {
			less_edit(l, i);
			return;
		}
	f = tsb_alloc(l->p, sizeof(*f));
	f->name = name;
	*vec_add(tsb_heap_of(l->p), &l->files) = f;
	memmove(l->files.at + at + 1, l->files.at + at, (l->files.n - 1 - at) * sizeof(*l->files.at));
	l->files.at[at] = f;
	less_edit(l, at);
	if (l->file == f)
		return;
	memmove(l->files.at + at, l->files.at + at + 1, (l->files.n - 1 - at) * sizeof(*l->files.at));
	l->files.n--;
}

static void less_remove(struct less *l)
{
	size_t from = l->current, to = from + 1 < l->files.n ? from + 1 : from - 1;

	if (l->files.n < 2) {
		less_bell(l);
		return;
	}
	less_edit(l, to);
	if (l->current == from)
		return;
	memmove(l->files.at + from, l->files.at + from + 1, (l->files.n - 1 - from) * sizeof(*l->files.at));
	l->files.n--;
	l->current -= l->current > from;
}

static void less_colon(struct less *l, int64_t count)
{
	int c;

	less_bottom(l);
	str_adds(&l->term.out, " :");
	c = vdu_key(&l->term, -1);
	count = count > 0 ? count : 1;
	switch (c) {
	case 'e': case 24: less_examine(l); break;
	case 'n': less_edit_step(l, count); break;
	case 'p': less_edit_step(l, -count); break;
	case 'x': less_edit(l, (size_t)count - 1); break;
	case 'd': less_remove(l); break;
	case 'f': less_tell(l, "%s", less_prompt(l, 3)); break;
	case 'q': case 'Q': l->quit = 0; break;
	default: less_bell(l); break;
	}
	l->moved = true;
}

/* ---- Waiting at the end ---- */

static bool less_followed_line(struct less *l)
{
	int64_t at = l->at[l->rows];

	if (at == LESS_NONE) {
		less_grown(l);
		less_jump_end(l);
		return l->at[l->rows] != LESS_NONE;
	}
	return less_row(l, at, NULL) != LESS_NONE;
}

static void less_follow(struct less *l)
{
	int c = 0;

	if (l->file->help)
		return;
	less_grown(l);
	l->follow = true;
	less_jump_end(l);
	while (c != VDU_INTERRUPT && c != VDU_END && !l->asked_end) {
		less_grown(l);
		while (less_followed_line(l))
			less_forward(l, 1, true);
		less_paint(l);
		less_bottom(l);
		str_adds(&l->term.out, "\033[7mWaiting for data... (interrupt to abort)\033[27m");
		vdu_flush(&l->term);
		if (l->file->ended) {	/* nobody is left who could write more */
			l->file->size = LESS_NONE;
			break;
		}
		if (l->file->seekable)
			c = vdu_byte(&l->term, 250000000);
		else
			c = tsb_poll_in(l->p, l->file->fd, -1) > 0 ? 0 : vdu_signal(&l->term);
		if (c == VDU_RESIZED) {
			less_size(l);
			less_jump_end(l);
		}
	}
	l->follow = false;
	l->asked_end = false;
}

/* ---- Marks ---- */

static void less_set_mark(struct less *l, bool bottom)
{
	int c, row = bottom ? l->rows - 1 : 0;

	less_bottom(l);
	str_adds(&l->term.out, "set mark: ");
	c = vdu_key(&l->term, -1);
	if (c < 'A' || c > 'z' || (c > 'Z' && c < 'a')) {
		less_bell(l);
		return;
	}
	while (row < l->rows && l->at[row] == LESS_NONE)
		row++;
	l->marks[c] = (struct less_mark){ l->file, l->at[row], row };
}

static void less_go_mark(struct less *l)
{
	struct less_mark m = { l->file, LESS_NONE, 0 };
	int c;

	less_bottom(l);
	str_adds(&l->term.out, "goto mark: ");
	c = vdu_key(&l->term, -1);
	if (c == '^')
		m.at = 0;
	else if (c == '$')
		less_jump_end(l);
	else if (c == '\'' || c == 24)
		m = l->last_mark;
	else if (c > 0 && c < 128)
		m = l->marks[c];
	else
		return;
	if (c == '$')
		return;
	if (!m.file || m.at == LESS_NONE) {
		less_tell(l, "%s", (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') ? "Mark not set" :
			  c == '\'' ? "Mark not set" : "Choose a letter between 'a' and 'z'");
		return;
	}
	for (size_t i = 0; m.file != l->file && i < l->files.n; i++)
		if (l->files.at[i] == m.file)
			less_edit(l, i);
	if (m.file == l->file)
		less_jump(l, m.at, m.row);
}

/* ---- Patterns ---- */

struct modes {
	bool inverse, plain, stay, from_first, further;
};

/* "!", "*" and the like before the pattern; what they are called. */
static bool less_mode(struct modes *m, int c)
{
	switch (c) {
	case '!': case 14: m->inverse = !m->inverse; return true;
	case '*': case 5: m->further = !m->further; return true;
	case '@': case 6: m->from_first = !m->from_first; return true;
	case 11: m->stay = !m->stay; return true;
	case 18: m->plain = !m->plain; return true;
	default: return false;
	}
}

static char *less_ask_pattern(struct less *l, const char *sign, struct modes *m)
{
	const char *text = sign;
	int c;

	for (;;) {
		text = tsb_format(l->p, "%s%s%s%s%s%s", m->inverse ? "Non-match " : "", m->from_first ? "First-file " : "",
				  m->further ? "EOF-ignore " : "", m->stay ? "Keep-pos " : "",
				  m->plain ? "Regex-off " : "", sign);
		less_bottom(l);
		str_adds(&l->term.out, text);
		c = vdu_key(&l->term, -1);
		if (less_mode(m, c))
			continue;
		if (c != VDU_RESIZED)
			vdu_unkey(&l->term, c);
		return less_ask(l, text, NULL);
	}
}

static void less_search_key(struct less *l, bool forward, int64_t count)
{
	struct modes m = { 0 };
	char *text = less_ask_pattern(l, forward ? "/" : "?", &m);

	if (!text)
		return;
	if (*text) {
		if (!less_compile(l, &l->sought, text, m.plain))
			return;
		l->sought.inverse = m.inverse;
	}
	if (m.from_first && l->current)
		less_edit(l, 0);
	if (l->at[0] == LESS_NONE && l->at[l->rows] == LESS_NONE)
		less_jump(l, 0, 0);
	if (m.stay) {
		less_sought_changed(l);
		return;
	}
	l->upward = !forward;
	less_search(l, forward, !*text, count);
}

static void less_filter_key(struct less *l)
{
	struct modes m = { 0 };
	char *text = less_ask_pattern(l, "&/", &m);
	int64_t top = l->at[0];

	if (!text)
		return;
	if (!*text)
		l->filter.re = NULL;
	else if (!less_compile(l, &l->filter, text, m.plain))
		return;
	l->filter.inverse = m.inverse;
	less_clear(l);
	less_jump(l, top == LESS_NONE ? 0 : top, 0);
}

/* ---- Others ---- */

static void less_shell(struct less *l)
{
	char *text = less_ask(l, "!", NULL);
	const char *shell = tsb_getenv(l->p, "SHELL");
	const char *argv[] = { shell && *shell ? shell : "sh", "-c", text, NULL };
	struct tsb_spawn how = { .size = sizeof(how), .argv = argv };
	int pid, status;

	if (!text)
		return;
	if (!*text)
		argv[1] = NULL;
	less_bottom(l);
	str_addf(&l->term.out, "!%s\n", text);
	vdu_end(&l->term);
	l->term.alternate = false;
	if (!tsb_spawn(l->p, &how, &pid))
		while (tsb_wait(l->p, pid, &status, 0) < 0 && vdu_signal(&l->term))
			;
	vdu_begin(&l->term);
	str_adds(&l->term.out, "!done  (press RETURN)");
	vdu_key(&l->term, -1);
	str_adds(&l->term.out, "\r\n");
	if (!l->o.no_init)
		vdu_alternate(&l->term);
	l->trashed = l->new_file = true;
}

static void less_shift(struct less *l, int64_t count, bool right)
{
	int64_t top = l->at[0], by = count > 0 ? count : l->o.shift > 0 ? l->o.shift : l->columns / 2;

	if (count > 0)
		l->o.shift = count;
	if (!right && !l->shift) {
		less_bell(l);
		return;
	}
	l->shift = right ? l->shift + by : l->shift > by ? l->shift - by : 0;
	l->shift = l->shift > LESS_LINE_MAX ? LESS_LINE_MAX : l->shift;
	l->squished = false;
	less_clear(l);
	less_jump(l, top == LESS_NONE ? 0 : less_line_begin(l, top), 0);
}

static void less_go_line(struct less *l, int64_t count)
{
	int64_t at = less_line_at(l, count > 0 ? count : 1);

	if (at == LESS_NONE)
		less_tell(l, "Cannot seek to line number %lld", (long long)count);
	else
		less_jump(l, at, less_target(l));
}

static void less_go_byte(struct less *l, int64_t at)
{
	int64_t size = less_length_all(l);

	if (at >= size && size > 0)
		at = size - 1;
	less_jump(l, less_line_begin(l, at < 0 ? 0 : at), less_target(l));
}

static void less_go_percent(struct less *l, int64_t percent)
{
	int64_t size = less_length_all(l);

	percent = percent < 0 ? 0 : percent > 100 ? 100 : percent;
	if (percent == 100)
		less_jump_end(l);
	else
		less_go_byte(l, size / 100 * percent + size % 100 * percent / 100);
}

static int64_t less_window(const struct less *l)
{
	int64_t n = l->o.window;

	return n > 0 ? n : l->rows + 1 + n > 0 && n < -1 ? l->rows + 1 + n : l->rows;
}

static int64_t less_half(struct less *l, int64_t count)
{
	if (count > 0)
		l->half = count;
	return l->half ? l->half : l->term.rows / 2;
}

/* -w: the first line that was not on the screen before. */
static void less_down_key(struct less *l, int64_t n, bool force, bool screen)
{
	int64_t below = l->at[l->rows];

	less_forward(l, n, force);
	l->unread = (l->o.unread == LESS_SMALL && screen) || l->o.unread == LESS_CAPITAL ? below : LESS_NONE;
}

static void less_escape(struct less *l, int64_t count)
{
	int c;

	less_bottom(l);
	str_adds(&l->term.out, " ESC");
	c = vdu_key(&l->term, -1);
	switch (c) {
	case ' ': less_down_key(l, count > 0 ? count : less_window(l), true, true); break;
	case 'v': less_backward(l, count > 0 ? count : less_window(l), false); break;
	case '<': less_go_line(l, count); break;
	case '>': less_jump_end(l); break;
	case '(': less_shift(l, count, false); break;
	case ')': less_shift(l, count, true); break;
	case '{': l->shift = l->columns; less_shift(l, l->columns, false); break;
	case 'n': less_search(l, !l->upward, true, count); break;
	case 'N': less_search(l, l->upward, true, count); break;
	case 'u':
		l->hilite_off = !l->hilite_off;
		less_sought_changed(l);
		break;
	case 'm': l->marks[vdu_key(&l->term, -1) & 127].file = NULL; break;
	case VDU_RESIZED: vdu_unkey(&l->term, c); break;
	default: less_bell(l); break;
	}
}

static void less_quit(struct less *l)
{
	if (!l->file->help) {
		l->quit = 0;
		return;
	}
	l->file = NULL;
	less_take(l, l->before_help);
}

/* Moving by lines. false: another key. */
static bool less_move_key(struct less *l, int c, int64_t count)
{
	int64_t lines = count > 0 ? count : 1, window = count > 0 ? count : less_window(l);

	switch (c) {
	case '\n': case '\r': case 'j': case 'e': case 5: case 14: case VDU_DOWN:
		less_down_key(l, lines, false, false);
		return true;
	case 'J':
		less_down_key(l, lines, true, false);
		return true;
	case 'k': case 'y': case 25: case 11: case 16: case VDU_UP:
		less_backward(l, lines, false);
		return true;
	case 'K': case 'Y':
		less_backward(l, lines, true);
		return true;
	case 'z':
		l->o.window = count > 0 ? count : l->o.window;
		/* fall through */
	case ' ': case 'f': case 6: case 22: case VDU_PAGE_DOWN:
		less_down_key(l, window, false, true);
		return true;
	case 'w':
		l->o.window = count > 0 ? count : l->o.window;
		/* fall through */
	case 'b': case 2: case VDU_PAGE_UP:
		less_backward(l, window, false);
		return true;
	case 'd': case 4:
		less_down_key(l, less_half(l, count), false, true);
		return true;
	case 'u': case 21:
		less_backward(l, less_half(l, count), false);
		return true;
	default:
		return false;
	}
}

static bool less_jump_key(struct less *l, int c, int64_t count)
{
	switch (c) {
	case 'g': case '<': case VDU_HOME: less_go_line(l, count); return true;
	case 'G': case '>': case VDU_KEY_END:
		if (count > 0)
			less_go_line(l, count);
		else
			less_jump_end(l);
		return true;
	case 'p': case '%': less_go_percent(l, count); return true;
	case 'P': less_go_byte(l, count); return true;
	case VDU_RIGHT: less_shift(l, count, true); return true;
	case VDU_LEFT: less_shift(l, count, false); return true;
	case 'm': less_set_mark(l, false); return true;
	case 'M': less_set_mark(l, true); return true;
	case '\'': less_go_mark(l); return true;
	case 24:
		c = vdu_key(&l->term, -1);
		vdu_unkey(&l->term, '\'');
		if (c == 24)
			less_go_mark(l);
		else if (c == 22)
			less_examine(l);
		return true;
	case '{': case '}': case '(': case ')': case '[': case ']':
		less_bracket(l, c);
		return true;
	default:
		return false;
	}
}

static void less_other_key(struct less *l, int c, int64_t count)
{
	switch (c) {
	case 'q': case 'Q': less_quit(l); break;
	case '/': less_search_key(l, true, count); break;
	case '?': less_search_key(l, false, count); break;
	case 'n': less_search(l, !l->upward, true, count); break;
	case 'N': less_search(l, l->upward, true, count); break;
	case '&': less_filter_key(l); break;
	case ':': less_colon(l, count); break;
	case 'E': less_examine(l); break;
	case '=': case 7: less_tell(l, "%s", less_prompt(l, 3)); break;
	case '-': less_option_key(l, false); break;
	case '_': less_option_key(l, true); break;
	case 'F': less_follow(l); break;
	case 'R': less_grown(l); l->spans_of = LESS_NONE; /* fall through */
	case 'r': case 12: case 18:
		less_paint_again(l);
		l->trashed = true;
		break;
	case 'h': case 'H': case VDU_F1: less_help(l); break;
	case 'V': less_tell(l, "less 590"); break;
	case '!': less_shell(l); break;
	case 'v': case '|': case 's': case 't': case 'T': case '#':
		less_tell(l, "Command not available");
		break;
	case 27: less_escape(l, count); break;
	case 'Z':
		less_bottom(l);
		str_adds(&l->term.out, " Z");
		if (vdu_key(&l->term, -1) == 'Z')
			less_quit(l);
		break;
	default: less_bell(l); break;
	}
}

/* ---- The prompt ---- */

static void less_display(struct less *l)
{
	bool empty = true;

	for (int i = 0; i <= l->rows && empty; i++)
		empty = l->at[i] == LESS_NONE;
	if (empty) {
		if (l->file->top != LESS_NONE)
			less_jump(l, l->file->top, l->file->top_row);
		else
			less_jump(l, 0, 0);
		l->squished = l->first && !l->plus.n && !l->every && l->at[l->rows] == LESS_NONE;
	} else if (l->trashed && !l->squished && !l->first) {
		int64_t top = l->at[0];

		for (int i = 1; i <= l->rows; i++)
			if (l->at[i] != LESS_NONE)
				top = LESS_NONE;
		if (top != LESS_NONE)	/* only the first place outlived a new size */
			less_paint_again(l);
	}
	less_paint(l);
}

static bool less_show_prompt(struct less *l)
{
	const char *text;

	less_display(l);
	if (!l->file->help && l->current + 1 >= l->files.n &&
	    ((l->o.eof == LESS_CAPITAL && less_at_end(l)) || (l->o.one_screen && less_whole(l)))) {
		l->quit = 0;
		return false;
	}
	l->o.one_screen = 0;
	less_bottom(l);
	text = less_prompt(l, -1);
	if (l->filter.re && !l->file->help)
		str_adds(&l->term.out, "& ");
	if (*text)
		str_addf(&l->term.out, "\033[7m%s\033[27m", text);
	else
		str_addc(&l->term.out, ':');
	return true;
}

/* A number before the command: it shows behind a colon. The key that ends it. */
static int less_count(struct less *l, int c, int64_t *count)
{
	char digits[20];
	size_t n = 0;

	*count = 0;
	if (c < '0' || c > '9')
		return c;
	for (;; c = vdu_key(&l->term, -1)) {
		if (c >= '0' && c <= '9' && n < 15)
			digits[n++] = (char)c;
		else if ((c == 127 || c == 8) && n)
			n--;
		else if (c < '0' || c > '9')
			break;
		less_bottom(l);
		str_addf(&l->term.out, ":%.*s", (int)n, digits);
		if (!n)
			return VDU_LATE;
	}
	for (size_t i = 0; i < n; i++)
		*count = *count * 10 + digits[i] - '0';
	if (c == '.') {		/* parts of a per cent do not matter here */
		do {
			c = vdu_key(&l->term, -1);
		} while (c >= '0' && c <= '9');
	}
	return c;
}

static void less_resized(struct less *l)
{
	less_size(l);
}

void less_commands(struct less *l)
{
	int64_t count;
	int c;

	while (l->quit < 0) {
		if (!l->term.n_again && !less_show_prompt(l))
			break;
		l->asked_end = false;
		c = less_count(l, vdu_key(&l->term, -1), &count);
		if (c == VDU_END)
			l->quit = 0;
		else if (c == VDU_INTERRUPT && l->o.quit_on_intr)
			l->quit = 2;
		else if (c == VDU_RESIZED)
			less_resized(l);
		else if (c >= 0 && !less_move_key(l, c, count) && !less_jump_key(l, c, count))
			less_other_key(l, c, count);
	}
	less_bottom(l);
}
