/*
 * What less writes on its screen: rows that are not what stands there, the prompt's row, messages that
 * wait for RETURN, and a line of input at the bottom.
 */
#include "cmd/less.h"

#include <string.h>

#include "base/utf8.h"

void less_bell(struct less *l)
{
	if (!l->o.quiet)
		str_addc(&l->term.out, '\a');
}

void less_begin_screen(struct less *l)
{
	if (l->term.begun)
		return;
	l->term.alternate = !l->o.no_init;
	l->trashed = true;
	vdu_begin(&l->term);
}

/* ---- Rows ---- */

static void less_make_row(struct less *l, int i, struct str *out)
{
	str_reset(out);
	if (l->at[i] != LESS_NONE && less_row(l, l->at[i], out) != LESS_NONE)
		return;
	if (l->o.tildes)
		str_adds(out, "\033[1m~\033[0m");
}

/* The first screen is written below what was there, for it may not be another one; and if the text is
 * shorter, the prompt follows it at once. */
static void less_paint_first(struct less *l)
{
	struct str *out = &l->term.out;
	int n = 0;

	str_adds(out, "\r");
	for (int i = 0; i < l->rows; i++) {
		if (l->squished && (l->at[i] == LESS_NONE || less_row(l, l->at[i], NULL) == LESS_NONE))
			break;
		less_make_row(l, i, &l->shown[i]);
		str_adds(out, "\033[K");	/* before: behind a full row it would take its last column */
		str_addn(out, l->shown[i].p, l->shown[i].n);
		str_adds(out, "\r\n");
		n++;
	}
	l->trashed = l->squished && n < l->rows;
	l->first = false;
}

void less_paint(struct less *l)
{
	struct str row;

	if (l->first) {
		less_paint_first(l);
		return;
	}
	if (l->squished)
		return;
	if (l->trashed) {
		str_adds(&l->term.out, "\033[H\033[2J");
		for (int i = 0; i < l->rows; i++)
			str_reset(&l->shown[i]);
	}
	str_init(&row, tsb_heap_of(l->p), STR_MAX_DEFAULT);
	for (int i = 0; i < l->rows; i++) {
		less_make_row(l, i, &row);
		if (row.n == l->shown[i].n && !memcmp(row.p, l->shown[i].p, row.n))
			continue;
		vdu_go(&l->term, i, 0);
		if (!l->trashed)
			str_adds(&l->term.out, "\033[K");
		str_addn(&l->term.out, row.p, row.n);
		str_reset(&l->shown[i]);
		str_addn(&l->shown[i], row.p, row.n);
	}
	str_end(&row);
	l->trashed = false;
	vdu_go(&l->term, l->rows, 0);
}

void less_bottom(struct less *l)
{
	if (!l->squished)
		vdu_go(&l->term, l->rows, 0);
	str_adds(&l->term.out, "\r\033[K");
}

/* ---- Messages ---- */

void less_tell(struct less *l, const char *fmt, ...)
{
	struct str text;
	va_list ap;
	int c;

	str_init(&text, tsb_heap_of(l->p), STR_MAX_DEFAULT);
	va_start(ap, fmt);
	str_addvf(&text, fmt, ap);
	va_end(ap);
	if (!l->term.begun) {	/* there is no screen yet */
		str_addc(&text, '\n');
		tsb_write_all(l->p, l->term.fd, text.p, text.n);
		str_end(&text);
		l->message.n++;
		return;
	}
	str_adds(&text, "  (press RETURN)");
	less_bottom(l);
	str_addf(&l->term.out, "\033[7m%s\033[27m", text.p);
	if (utf8_columns(text.p, text.n) >= (size_t)l->columns)
		l->trashed = true;
	str_end(&text);
	c = vdu_key(&l->term, -1);
	if (c >= 0 && c != '\n' && c != '\r' && c != ' ')
		vdu_unkey(&l->term, c);
	if (c == VDU_END)
		l->quit = 0;
	if (c == VDU_RESIZED)
		less_size(l);
	less_bottom(l);
}

/* ---- A line of input ---- */

struct ask {
	struct less *l;
	struct str line;
	size_t past;		/* of the history, counted from its end; 0: the new one */
};

static void ask_from_history(struct ask *a, int step)
{
	struct less *l = a->l;

	if ((step < 0 && !a->past) || (step > 0 && a->past >= l->history.n)) {
		less_bell(l);
		return;
	}
	a->past += step > 0 ? 1 : SIZE_MAX;
	str_reset(&a->line);
	if (a->past)
		str_adds(&a->line, l->history.at[l->history.n - a->past]);
}

static void ask_rubout(struct ask *a, bool word)
{
	do {
		while (a->line.n && ((unsigned char)a->line.p[a->line.n - 1] & 0xc0) == 0x80)
			str_cut(&a->line, a->line.n - 1);
		if (a->line.n)
			str_cut(&a->line, a->line.n - 1);
	} while (word && a->line.n && a->line.p[a->line.n - 1] != ' ');
}

static void ask_show(struct ask *a, const char *text)
{
	struct str *out = &a->l->term.out;

	less_bottom(a->l);
	str_adds(out, text);
	for (size_t i = 0; i < a->line.n; i++)
		if ((unsigned char)a->line.p[i] < 32 || a->line.p[i] == 127)
			str_addf(out, "\033[7m^%c\033[27m", a->line.p[i] ^ 64);
		else
			str_addc(out, a->line.p[i]);
}

/* 1: the line is done, -1: given up. */
static int ask_key(struct ask *a, int c)
{
	switch (c) {
	case '\n':
	case '\r':
		return 1;
	case 127:
	case 8:
		if (!a->line.n)
			return -1;
		ask_rubout(a, false);
		return 0;
	case 23:
		ask_rubout(a, true);
		return 0;
	case 21:
		if (!a->line.n)
			return -1;
		str_reset(&a->line);
		return 0;
	case VDU_UP:
	case VDU_DOWN:
		ask_from_history(a, c == VDU_UP ? 1 : -1);
		return 0;
	case VDU_RESIZED:
		less_size(a->l);
		less_paint_again(a->l);
		less_paint(a->l);
		return 0;
	case 22:
		c = vdu_key(&a->l->term, -1);
		break;
	case VDU_END:
		a->l->quit = 0;
		break;
	default:
		break;
	}
	if (c < 0 || c > 255)
		return c < 0 ? -1 : 0;
	str_addc(&a->line, c);
	return 0;
}

char *less_ask(struct less *l, const char *text, const char *begun)
{
	struct ask a = { .l = l };
	int done = 0;

	str_init(&a.line, tsb_heap_of(l->p), 65536);
	if (begun)
		str_adds(&a.line, begun);
	while (!done) {
		ask_show(&a, text);
		done = ask_key(&a, vdu_key(&l->term, -1));
	}
	less_bottom(l);
	if (done < 0)
		return NULL;
	if (a.line.n)
		*vec_add(tsb_heap_of(l->p), &l->history) = tsb_strndup(l->p, a.line.p, a.line.n);
	return tsb_strndup(l->p, a.line.p, a.line.n);
}
