/*
 * watch on a terminal: a command's output painted again and again, what is new in reverse. A cell is a character,
 * its colours (-c), and whether it differs.
 */
#include "cmd/pager.h"

#include <string.h>
#include <sys/wait.h>

#include "base/str.h"
#include "base/utf8.h"
#include "cmd/vdu.h"
#include "text/datefmt.h"

struct cell {
	char text[8];
	uint8_t n, width;
	uint8_t fg, bg;		/* a colour and one; 0: the usual one */
	uint8_t style;		/* bits of SGR's 1 to 7 */
	bool marked;
};

struct watching {
	struct tsb_proc *p;
	const struct watch *how;
	struct vdu t;
	const char *command;
	char **argv;
	struct cell *now, *before;
	bool any;		/* before has something */
	int row, column;
	struct cell style;
	int status;
};

/* ---- The command ---- */

static int watch_start(struct watching *w, int *pid)
{
	const char *shell[] = { "sh", "-c", w->command, NULL };
	struct tsb_fd_map map[3];
	struct tsb_spawn how = { .size = sizeof(how), .argv = w->how->exec ? (const char *const *)w->argv : shell,
				 .fds = map, .n_fds = 3 };
	int fd[2], rc;

	if (tsb_pipe(w->p, fd) < 0)
		return -1;
	map[0] = (struct tsb_fd_map){ 1, fd[1] };
	map[1] = (struct tsb_fd_map){ 2, fd[1] };
	map[2] = (struct tsb_fd_map){ fd[0], -1 };
	rc = tsb_spawn(w->p, &how, pid);
	tsb_close(w->p, fd[1]);
	if (rc < 0) {
		tsb_close(w->p, fd[0]);
		return -1;
	}
	return fd[0];
}

/* false: an interrupt. */
static bool watch_read(struct watching *w, int fd, struct str *out)
{
	char *buf = tsb_alloc(w->p, 65536);
	ssize_t n;

	while ((n = tsb_read(w->p, fd, buf, 65536)) != 0) {
		if (n > 0 && out->n < (1 << 24))
			str_addn(out, buf, (size_t)n);
		if (n < 0 && vdu_signal(&w->t) == VDU_INTERRUPT)
			return false;
		if (n < 0 && n != -4)
			break;
	}
	tsb_free(w->p, buf);
	return true;
}

/* ---- Cells ---- */

static void watch_color(struct watching *w, const char *p, size_t n)
{
	int number = 0;

	for (size_t i = 0; i <= n; i++) {
		if (i < n && p[i] >= '0' && p[i] <= '9') {
			number = number < 1000 ? number * 10 + p[i] - '0' : number;
			continue;
		}
		if (!number)
			w->style = (struct cell){ 0 };
		else if (number < 8)
			w->style.style |= (uint8_t)(1u << number);
		else if (number >= 22 && number <= 27)
			w->style.style &= (uint8_t)~(1u << (number - 20) | (number == 22 ? 2u : 0));
		else if (number >= 30 && number <= 39)
			w->style.fg = number == 39 ? 0 : (uint8_t)(number - 29);
		else if (number >= 40 && number <= 49)
			w->style.bg = number == 49 ? 0 : (uint8_t)(number - 39);
		number = 0;
	}
}

/* How long a sequence there is; colours count with -c. */
static size_t watch_sequence(struct watching *w, const char *p, size_t n)
{
	size_t i = 2;

	if (n < 2 || p[1] != '[')
		return 1;
	while (i < n && ((p[i] >= '0' && p[i] <= '9') || p[i] == ';'))
		i++;
	if (i < n && p[i] == 'm' && w->how->color)
		watch_color(w, p + 2, i - 2);
	return i < n ? i + 1 : n;
}

static void watch_put(struct watching *w, const char *text, size_t n, int width)
{
	struct cell *c;

	if (w->column + width > w->t.columns) {
		if (w->how->no_wrap)
			return;
		w->row++;
		w->column = 0;
	}
	if (w->row >= w->t.rows || n > sizeof(c->text))
		return;
	c = &w->now[w->row * w->t.columns + w->column];
	*c = w->style;
	memcpy(c->text, text, n);
	c->n = (uint8_t)n;
	c->width = (uint8_t)width;
	w->column += width;
}

static void watch_lay_out(struct watching *w, const struct str *text)
{
	memset(w->now, 0, (size_t)w->t.rows * (size_t)w->t.columns * sizeof(*w->now));
	w->style = (struct cell){ 0 };
	w->row = w->how->no_title ? 0 : 2;
	w->column = 0;
	for (size_t i = 0; i < text->n && w->row < w->t.rows;) {
		int32_t c;
		size_t n = utf8_decode(text->p + i, text->n - i, &c);

		if (c == 27) {
			n = watch_sequence(w, text->p + i, text->n - i);
		} else if (c == '\n') {
			w->row++;
			w->column = 0;
		} else if (c == '\t') {
			do {
				watch_put(w, " ", 1, 1);
			} while (w->column % 8 && w->column < w->t.columns);
		} else if (c >= 32 && utf8_width(c) > 0) {
			watch_put(w, text->p + i, n, utf8_width(c));
		}
		i += n;
	}
}

static bool watch_same(const struct cell *a, const struct cell *b)
{
	bool blank_a = !a->n || (a->n == 1 && *a->text == ' '), blank_b = !b->n || (b->n == 1 && *b->text == ' ');

	return (blank_a && blank_b) || (a->n == b->n && !memcmp(a->text, b->text, a->n));
}

/* Marks what differs; whether anything does. */
static bool watch_compare(struct watching *w)
{
	size_t n = (size_t)w->t.rows * (size_t)w->t.columns;
	bool changed = false;

	for (size_t i = 0; i < n && w->any; i++) {
		bool same = watch_same(&w->now[i], &w->before[i]);

		changed |= !same;
		w->now[i].marked = w->how->differences && (!same || (w->how->permanent && w->before[i].marked));
	}
	memcpy(w->before, w->now, n * sizeof(*w->now));
	w->any = true;
	return changed;
}

/* ---- Painting ---- */

static void watch_title(struct watching *w)
{
	struct tsb_time now = tsb_clock(w->p, TSB_CLOCK_REAL);
	char *left = tsb_format(w->p, "Every %.1fs: ", w->how->seconds), *right;
	size_t width = (size_t)w->t.columns, n, room, command = strlen(w->command);
	struct date_moment m;
	struct zone zone;
	struct str date;

	str_init(&date, tsb_heap_of(w->p), STR_MAX_DEFAULT);
	zone_init(&zone, tsb_getenv(w->p, "TZ"));
	if (date_moment(&m, now.sec, 0, &zone))
		date_format(&date, "%a %b %e %H:%M:%S %Y", 20, &m);
	right = tsb_format(w->p, "%s: %s", tsb_hostname(w->p), date.p);
	n = strlen(right);
	if (width < n)
		return;
	if (width >= n + strlen(left) + 1) {
		vdu_go(&w->t, 0, 0);
		str_adds(&w->t.out, left);
		room = width - n - strlen(left);
		if (command < room)
			str_adds(&w->t.out, w->command);
		else if (room > 4)
			str_addf(&w->t.out, "%.*s...", (int)(room - 5), w->command);
	}
	vdu_go(&w->t, 0, (int)(width - n));
	str_adds(&w->t.out, right);
}

static void watch_style(struct str *out, const struct cell *c)
{
	str_adds(out, "\033[0");
	for (int i = 1; i < 8; i++)
		if (c->style >> i & 1)
			str_addf(out, ";%d", i);
	if (c->fg)
		str_addf(out, ";%d", c->fg + 29);
	if (c->bg)
		str_addf(out, ";%d", c->bg + 39);
	if (c->marked)
		str_adds(out, ";7");
	str_addc(out, 'm');
}

static void watch_paint(struct watching *w)
{
	struct str *out = &w->t.out;
	struct cell plain = { 0 };

	str_adds(out, "\033[H\033[2J");
	if (!w->how->no_title)
		watch_title(w);
	for (int r = 0; r < w->t.rows; r++) {
		const struct cell *last = &plain;
		int at = -1;	/* where the cursor is */

		for (int c = 0; c < w->t.columns; c++) {
			const struct cell *cell = &w->now[r * w->t.columns + c];

			if (!cell->n && !cell->marked)
				continue;
			if (at != c)
				vdu_go(&w->t, r, c);
			if (cell->style != last->style || cell->fg != last->fg || cell->bg != last->bg ||
			    cell->marked != last->marked)
				watch_style(out, cell);
			last = cell;
			str_addn(out, cell->n ? cell->text : " ", cell->n ? cell->n : 1);
			at = c + (cell->width ? cell->width : 1);
		}
		if (last != &plain)
			str_adds(out, "\033[0m");
		tsb_tick(w->p, (size_t)w->t.columns);
	}
	vdu_go(&w->t, w->t.rows - 1, w->t.columns - 1);
	vdu_flush(&w->t);
}

static void watch_size(struct watching *w)
{
	size_t n = (size_t)w->t.rows * (size_t)w->t.columns;

	tsb_free(w->p, w->now);
	tsb_free(w->p, w->before);
	w->now = tsb_alloc(w->p, n * sizeof(*w->now));
	w->before = tsb_alloc(w->p, n * sizeof(*w->before));
	w->any = false;
}

/* ---- Turns ---- */

/* One turn; whether it is the last. */
static bool watch_once(struct watching *w, struct str *text, bool *changed)
{
	int pid, wait = 0, fd;
	bool first = !w->any;

	str_reset(text);
	vdu_flush(&w->t);
	fd = watch_start(w, &pid);
	if (fd < 0)
		return true;
	if (!watch_read(w, fd, text))
		return true;
	tsb_close(w->p, fd);
	tsb_wait(w->p, pid, &wait, 0);
	watch_lay_out(w, text);
	*changed = watch_compare(w);
	watch_paint(w);
	if (wait && w->how->beep)
		str_addc(&w->t.out, '\a');
	if (wait && w->how->error) {
		vdu_go(&w->t, w->t.rows - 1, 0);
		str_addf(&w->t.out, "%.*s", w->t.columns,
			 "command exit with a non-zero status, press a key to exit");
		vdu_key(&w->t, -1);
		w->status = 8;
		return true;
	}
	return w->how->change && *changed && !first;
}

/* Until the next turn: false: an interrupt ends it. */
static bool watch_wait(struct watching *w, int64_t until)
{
	for (;;) {
		struct tsb_time t = tsb_clock(w->p, TSB_CLOCK_MONOTONIC);
		int64_t left = until - (t.sec * 1000000000 + t.nsec);
		int c;

		if (left <= 0)
			return true;
		c = vdu_byte(&w->t, left);
		if (c == VDU_INTERRUPT || c == VDU_END)
			return false;
		if (c == VDU_RESIZED) {
			watch_size(w);
			if (!w->how->no_rerun)
				return true;
		}
	}
}

int watch_screen(struct tsb_proc *p, const struct watch *how, int argc, char **argv)
{
	struct watching w = { .p = p, .how = how, .argv = argv };
	int64_t span = (int64_t)(how->seconds * 1e9), next;
	struct str command, text;
	struct tsb_time t = tsb_clock(p, TSB_CLOCK_MONOTONIC);
	bool changed = false;
	uint64_t quiet = 0, turns = 0;

	str_init(&command, tsb_heap_of(p), STR_MAX_DEFAULT);
	str_init(&text, tsb_heap_of(p), STR_MAX_DEFAULT);
	for (int i = 0; i < argc; i++)
		str_addf(&command, i ? " %s" : "%s", argv[i]);
	w.command = command.p;
	vdu_init(&w.t, p, 1);
	w.t.alternate = true;
	vdu_begin(&w.t);
	watch_size(&w);
	next = t.sec * 1000000000 + t.nsec;
	while (!watch_once(&w, &text, &changed)) {
		quiet = changed || !turns++ ? 0 : quiet + 1;
		if (how->quiet && quiet >= how->quiet)
			break;
		t = tsb_clock(p, TSB_CLOCK_MONOTONIC);
		next = how->precise ? next + span : t.sec * 1000000000 + t.nsec + span;
		if (!watch_wait(&w, next))
			break;
	}
	vdu_end(&w.t);
	return w.status;
}
