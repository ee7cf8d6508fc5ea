/* How stty shows the settings: in lines as wide as the terminal, or to be read again. */
#include <string.h>
#include <termios.h>

#include "base/num.h"
#include "base/str.h"
#include "cmd/cmd.h"
#include "cmd/stty.h"

struct stty_line {
	struct tsb_proc *p;
	size_t column, width;
};

/* One piece, in a new line if this one has no room for it. */
static void stty_piece(struct stty_line *l, const char *text)
{
	size_t n = strlen(text);

	if (l->column && (l->column >= l->width || l->width - l->column < n)) {
		tsb_putc(l->p, '\n');
		l->column = 0;
	}
	if (l->column) {
		tsb_putc(l->p, ' ');
		l->column++;
	}
	tsb_puts(l->p, text);
	l->column += n;
}

static void stty_end_line(struct stty_line *l)
{
	tsb_putc(l->p, '\n');
	l->column = 0;
}

static const char *stty_visible(struct tsb_proc *p, uint8_t c)
{
	const char *meta = c >= 128 ? "M-" : "";
	uint8_t low = c & 127;

	if (!c)
		return "<undef>";
	if (low < 32)
		return tsb_format(p, "%s^%c", meta, low + 64);
	return low == 127 ? tsb_format(p, "%s^?", meta) : tsb_format(p, "%s%c", meta, low);
}

static bool stty_print_chars(struct stty_line *l, const struct tsb_termios *t, bool all)
{
	bool any = false;

	for (const struct stty_char *c = stty_chars; strcmp(c->name, "min"); c++) {
		if (c->alias || (!all && t->cc[c->at] == c->sane))
			continue;
		any = true;
		stty_piece(l, tsb_format(l->p, "%s = %s;", c->name, stty_visible(l->p, t->cc[c->at])));
	}
	if (all || !(t->lflag & ICANON)) {
		stty_piece(l, tsb_format(l->p, "min = %u; time = %u;", t->cc[VMIN], t->cc[VTIME]));
		any = true;
	}
	return any;
}

/* As it is to be shown, or NULL. */
static const char *stty_mode_text(struct stty_line *l, struct tsb_termios *t, const struct stty_mode *m,
				  bool all)
{
	bool on = (*stty_word(t, m->part) & (m->mask ? m->mask : m->bits)) == m->bits;

	if (m->flags & STTY_OMIT)
		return NULL;
	if (on)
		return all || m->flags & STTY_SANE_UNSET ? m->name : NULL;
	if (m->flags & STTY_REV && (all || m->flags & STTY_SANE_SET))
		return tsb_format(l->p, "-%s", m->name);
	return NULL;
}

static void stty_print_modes(struct stty_line *l, struct tsb_termios *t, bool all)
{
	enum stty_part part = STTY_CONTROL;

	for (const struct stty_mode *m = stty_modes; m->name; m++) {
		const char *text = stty_mode_text(l, t, m, all);

		if (m->part != part && l->column)
			stty_end_line(l);
		part = m->part;
		if (text)
			stty_piece(l, text);
	}
	if (l->column)
		stty_end_line(l);
}

static void stty_print_saved(struct tsb_proc *p, const struct tsb_termios *t)
{
	tsb_printf(p, "%x:%x:%x:%x", t->iflag, t->oflag, t->cflag, t->lflag);
	for (size_t i = 0; i < sizeof(t->cc); i++)
		tsb_printf(p, ":%x", t->cc[i]);
	tsb_putc(p, '\n');
}

static size_t stty_width(struct tsb_proc *p, const struct tsb_winsize *size)
{
	const char *columns = tsb_getenv(p, "COLUMNS");
	uint64_t n;

	if (size->columns)
		return size->columns;
	return columns && num_u64(columns, &n) == NUM_OK && n && n < 65536 ? (size_t)n : 80;
}

void stty_print(struct tsb_proc *p, const struct tsb_termios *t, const struct tsb_winsize *size,
		enum stty_style style)
{
	struct stty_line l = { .p = p, .width = stty_width(p, size) };
	struct tsb_termios copy = *t;
	bool all = style == STTY_ALL;

	if (style == STTY_SAVED) {
		stty_print_saved(p, t);
		return;
	}
	stty_piece(&l, tsb_format(p, "speed %u baud;", t->ospeed));
	if (all)
		stty_piece(&l, tsb_format(p, "rows %u; columns %u;", size->rows, size->columns));
	stty_piece(&l, tsb_format(p, "line = %u;", t->line));
	stty_end_line(&l);
	if (stty_print_chars(&l, t, all))
		stty_end_line(&l);
	stty_print_modes(&l, &copy, all);
}

/* One number in hexadecimal and what must stand behind it. */
static bool stty_field(const char **s, char end, uint32_t max, uint32_t *out)
{
	uint64_t value = 0;
	const char *at = *s;

	for (; at < *s + 8 && strchr("0123456789abcdefABCDEF", *at) && *at; at++)
		value = value * 16 + (uint64_t)(*at <= '9' ? *at - '0' : (*at | 32) - 'a' + 10);
	if (at == *s || *at != end || value > max)
		return false;
	*out = (uint32_t)value;
	*s = at + (end != '\0');
	return true;
}

bool stty_restore(struct tsb_termios *t, const char *s)
{
	uint32_t *const words[] = { &t->iflag, &t->oflag, &t->cflag, &t->lflag };
	struct tsb_termios old = *t;
	uint32_t value;
	bool good = true;

	for (int i = 0; i < 4 && good; i++)
		good = stty_field(&s, ':', UINT32_MAX, words[i]);
	for (size_t i = 0; i < sizeof(t->cc) && good; i++) {
		good = stty_field(&s, i + 1 < sizeof(t->cc) ? ':' : '\0', 255, &value);
		t->cc[i] = good ? (uint8_t)value : 0;
	}
	if (good)
		stty_speed_of_flags(t);
	else
		*t = old;
	return good;
}
