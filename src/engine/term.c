/* See term.h. Where Linux's code and POSIX differ, what Linux does is done here. */
#include "engine/term.h"

#include <signal.h>
#include <string.h>
#include <termios.h>

enum term_kind { KIND_BYTE, KIND_LAST, KIND_END };	/* of a line: its last; VEOF, not to be read */

void term_init(struct term *t)
{
	static const struct tsb_termios usual = {
		.iflag = ICRNL | IXON | IUTF8, .oflag = OPOST | ONLCR,
		.cflag = CS8 | CREAD | B38400, .ispeed = 38400, .ospeed = 38400,
		.lflag = ISIG | ICANON | IEXTEN | ECHO | ECHOE | ECHOK | ECHOCTL | ECHOKE,
		.cc = { [VINTR] = 3, [VQUIT] = 28, [VERASE] = 127, [VKILL] = 21, [VEOF] = 4,
			[VMIN] = 1, [VSTART] = 17, [VSTOP] = 19, [VSUSP] = 26, [VREPRINT] = 18,
			[VDISCARD] = 15, [VWERASE] = 23, [VLNEXT] = 22 },
	};

	t->set = usual;
}

static bool local(const struct term *t, uint32_t flags)
{
	return (t->set.lflag & flags) == flags;
}

static bool is(const struct term *t, uint8_t byte, int which)
{
	return byte && byte == t->set.cc[which];
}

static bool control(uint8_t c)
{
	return c < 32 || c == 127;
}

static bool goes_on(const struct term *t, uint8_t c)
{
	return t->set.iflag & IUTF8 && (c & 0xc0) == 0x80;
}

/* ---- Output ---- */

static void put(struct wire_out *o, const char *text)
{
	wire_data(o, WIRE_DATA_OUT, text, strlen(text));
}

/* Where the cursor is behind a byte that goes out as it is. */
static void moved(struct term *t, uint8_t c)
{
	if (c == '\r')
		t->column = 0;
	else if (c == '\b')
		t->column -= t->column > 0;
	else if (c == '\t')
		t->column = (t->column | 7) + 1;
	else if (!control(c) && !goes_on(t, c))
		t->column++;
}

static void put_tab(struct term *t, struct wire_out *o)
{
	size_t n = 8 - (t->column & 7);

	wire_data(o, WIRE_DATA_OUT, "        ", n);
	t->column += n;
}

/* A byte that is not put out as it is: whether it is done. */
static bool put_special(struct term *t, struct wire_out *o, uint8_t c)
{
	uint32_t f = t->set.oflag;
	char upper = (char)(c - 32);

	if (c == '\n' && f & (ONLCR | ONLRET)) {
		put(o, f & ONLCR ? "\r\n" : "\n");
		t->column = 0;
	} else if (c == '\r' && f & ONOCR && !t->column) {
		return true;
	} else if (c == '\r' && f & OCRNL) {
		put(o, "\n");
		t->column = f & ONLRET ? 0 : t->column;
	} else if (c == '\t' && (f & TABDLY) == TAB3) {
		put_tab(t, o);
	} else if (f & OLCUC && c >= 'a' && c <= 'z') {
		wire_data(o, WIRE_DATA_OUT, &upper, 1);
		t->column++;
	} else {
		return false;
	}
	return true;
}

void term_print(struct term *t, struct wire_out *o, const char *data, size_t n)
{
	size_t done = 0;

	for (size_t i = 0; i < n && t->set.oflag & OPOST; i++) {
		uint8_t c = (uint8_t)data[i];

		if (c == '\n' || c == '\r' || c == '\t' || t->set.oflag & OLCUC) {
			wire_data(o, WIRE_DATA_OUT, data + done, i - done);
			done = i;
			done += put_special(t, o, c);
			if (done == i + 1)
				continue;
		}
		moved(t, c);
	}
	if (done < n)
		wire_data(o, WIRE_DATA_OUT, data + done, n - done);
}

/* ---- Echo ---- */

static void echo_byte(struct term *t, struct wire_out *o, uint8_t c)
{
	char text[3] = { '^', (char)(c ^ 0x40), '\0' };

	if (control(c) && c != '\t' && c != '\n' && local(t, ECHOCTL)) {
		put(o, text);
		t->column += 2;
	} else {
		term_print(t, o, (const char *)&c, 1);
	}
}

static void erased(struct term *t, struct wire_out *o)
{
	if (t->erasing)
		term_print(t, o, "/", 1);
	t->erasing = false;
}

static void echo(struct term *t, struct wire_out *o, uint8_t c)
{
	if (!local(t, ECHO))
		return;
	erased(t, o);
	if (t->n == t->whole)
		t->from = t->column;
	echo_byte(t, o, c);
}

/* ---- Erasing ---- */

static void back(struct term *t, struct wire_out *o)
{
	put(o, "\b \b");
	t->column -= t->column > 0;
}

/* Back over a tab: to where the line without it ends. */
static void back_tab(struct term *t, struct wire_out *o)
{
	size_t column = t->from;

	for (size_t i = t->whole; i < t->n; i++) {
		uint8_t c = t->in[i];

		if (c == '\t')
			column = (column | 7) + 1;
		else if (control(c))
			column += local(t, ECHOCTL) ? 2 : 0;
		else
			column += !goes_on(t, c);
	}
	for (; t->column > column; t->column--)
		put(o, "\b");
}

/* The character that began at in[n] was taken off; how many bytes it had. */
static void echo_erased(struct term *t, struct wire_out *o, size_t bytes, bool one)
{
	uint8_t c = t->in[t->n];

	if (local(t, ECHOPRT)) {
		if (!t->erasing)
			term_print(t, o, "\\", 1);
		t->erasing = true;
		echo_byte(t, o, c);
		for (size_t i = 1; i < bytes; i++)
			term_print(t, o, (const char *)t->in + t->n + i, 1);
	} else if (one && !local(t, ECHOE)) {
		echo_byte(t, o, t->set.cc[VERASE]);
	} else if (c == '\t') {
		back_tab(t, o);
	} else {
		if (control(c) && local(t, ECHOCTL))
			back(t, o);
		if (!control(c) || local(t, ECHOCTL))
			back(t, o);
	}
}

/* One character. False: there is none, or in the midst of one. */
static bool erase(struct term *t, struct wire_out *o, bool one)
{
	size_t at = t->n, bytes;

	while (at > t->whole && goes_on(t, t->in[at - 1]))
		at--;
	if (at == t->whole)
		return false;
	at--;
	bytes = t->n - at;
	t->n = at;
	if (local(t, ECHO))
		echo_erased(t, o, bytes, one);
	return true;
}

static bool of_word(uint8_t c)
{
	return (c >= '0' && c <= '9') || ((c | 32) >= 'a' && (c | 32) <= 'z') || c == '_';
}

/* Linux's words: what is no letter, digit or _ before it goes too. */
static void erase_word(struct term *t, struct wire_out *o)
{
	bool seen = false;

	while (t->n > t->whole) {
		bool word = of_word(t->in[t->n - 1]);

		if (!word && seen)
			return;
		seen |= word;
		if (!erase(t, o, false))
			return;
	}
}

static void erase_line(struct term *t, struct wire_out *o)
{
	if (t->n == t->whole)
		return;
	if (local(t, ECHO | ECHOK | ECHOKE | ECHOE)) {
		while (erase(t, o, false))
			;
		return;
	}
	t->n = t->whole;
	if (!local(t, ECHO))
		return;
	erased(t, o);
	echo_byte(t, o, t->set.cc[VKILL]);
	if (local(t, ECHOK))
		echo_byte(t, o, '\n');
}

static void show_again(struct term *t, struct wire_out *o)
{
	erased(t, o);
	echo_byte(t, o, t->set.cc[VREPRINT]);
	echo_byte(t, o, '\n');
	t->from = t->column;
	for (size_t i = t->whole; i < t->n; i++)
		echo_byte(t, o, t->in[i]);
}

/* ---- What is typed ---- */

static void keep(struct term *t, uint8_t byte, enum term_kind kind)
{
	t->in[t->n] = byte;
	t->kind[t->n++] = (uint8_t)kind;
	if (kind != KIND_BYTE)
		t->whole = t->n;
}

static void plain(struct term *t, uint8_t byte, struct wire_out *o)
{
	bool lines = local(t, ICANON);

	if (t->n + lines >= TERM_ROOM) {	/* a place is kept for what ends the line */
		if (t->set.iflag & IMAXBEL)
			put(o, "\a");
		return;
	}
	echo(t, o, byte);
	keep(t, byte, KIND_BYTE);
}

static int signal_of(const struct term *t, uint8_t byte)
{
	if (!local(t, ISIG))
		return 0;
	return is(t, byte, VINTR) ? SIGINT : is(t, byte, VQUIT) ? SIGQUIT :
	       is(t, byte, VSUSP) ? SIGTSTP : 0;
}

/* VSTOP and VSTART: whether it was one. */
static bool flow(struct term *t, uint8_t byte)
{
	if (!(t->set.iflag & IXON))
		return false;
	if (is(t, byte, VSTART) || is(t, byte, VSTOP)) {
		t->held = !is(t, byte, VSTART);
		return true;
	}
	if (t->set.iflag & IXANY)
		t->held = false;
	return false;
}

static void literal_next(struct term *t, struct wire_out *o)
{
	t->literal = true;
	if (!local(t, ECHO))
		return;
	erased(t, o);
	if (local(t, ECHOCTL))
		put(o, "^\b");
}

/* What edits a line: whether it was that. */
static bool edit(struct term *t, uint8_t byte, struct wire_out *o)
{
	bool more = local(t, IEXTEN);

	if (is(t, byte, VERASE))
		erase(t, o, true);
	else if (is(t, byte, VKILL))
		erase_line(t, o);
	else if (is(t, byte, VWERASE) && more)
		erase_word(t, o);
	else if (is(t, byte, VLNEXT) && more)
		literal_next(t, o);
	else if (is(t, byte, VREPRINT) && more && local(t, ECHO))
		show_again(t, o);
	else
		return false;
	if (t->n == t->whole)
		erased(t, o);
	return true;
}

static void typed_line(struct term *t, uint8_t byte, struct wire_out *o)
{
	if (byte == '\n') {
		if (local(t, ECHO) || local(t, ECHONL))
			echo_byte(t, o, byte);
		keep(t, byte, KIND_LAST);
	} else if (is(t, byte, VEOF)) {
		keep(t, 0, KIND_END);
	} else if (is(t, byte, VEOL) || (is(t, byte, VEOL2) && local(t, IEXTEN))) {
		echo(t, o, byte);
		keep(t, byte, KIND_LAST);
	} else {
		plain(t, byte, o);
	}
}

int term_type(struct term *t, uint8_t byte, struct wire_out *o)
{
	int sig;

	byte = t->set.iflag & ISTRIP ? byte & 0x7f : byte;
	if (t->literal) {
		t->literal = false;
		plain(t, byte, o);
		return 0;
	}
	if (flow(t, byte))
		return 0;
	sig = signal_of(t, byte);
	if (sig) {
		t->held = false;
		if (!local(t, NOFLSH))
			t->n = t->whole = 0;
		echo(t, o, byte);
		return sig;
	}
	if (byte == '\r' && t->set.iflag & IGNCR)
		return 0;
	if (byte == '\r' && t->set.iflag & ICRNL)
		byte = '\n';
	else if (byte == '\n' && t->set.iflag & INLCR)
		byte = '\r';
	if (!local(t, ICANON))
		plain(t, byte, o);
	else if (!edit(t, byte, o))
		typed_line(t, byte, o);
	return 0;
}

/* ---- Between ---- */

bool term_takes(const struct term *t)
{
	return t->n < TERM_ROOM - 1 || (local(t, ICANON) && !t->whole);
}

void term_set(struct term *t, const struct tsb_termios *set, bool flush)
{
	bool turned = (t->set.lflag ^ set->lflag) & ICANON;

	t->set = *set;
	if (!(set->iflag & IXON))
		t->held = false;
	if (flush)
		t->n = t->whole = 0;
	if (!turned)
		return;
	/* What was typed before is one line then, or bytes, the marks of ends among them. */
	t->literal = false;
	memset(t->kind, KIND_BYTE, sizeof(t->kind));
	t->whole = local(t, ICANON) ? t->n : 0;
	if (t->whole)
		t->kind[t->n - 1] = KIND_LAST;
}

static void drop(struct term *t, size_t n)
{
	memmove(t->in, t->in + n, t->n - n);
	memmove(t->kind, t->kind + n, t->n - n);
	t->n -= n;
	t->whole -= n < t->whole ? n : t->whole;
}

static ssize_t read_line(struct term *t, uint8_t *buf, size_t n)
{
	size_t got = 0, at = 0;
	bool ended = false;

	if (!t->whole)
		return -1;
	while (at < t->whole && got < n && !ended) {
		ended = t->kind[at] != KIND_BYTE;
		if (t->kind[at] != KIND_END)
			buf[got++] = t->in[at];
		at++;
	}
	/* A line of just n bytes takes the VEOF behind it along, which were an end else. */
	if (!ended && at < t->whole && t->kind[at] == KIND_END)
		at++;
	drop(t, at);
	return (ssize_t)got;
}

ssize_t term_read(struct term *t, void *buf, size_t n)
{
	if (local(t, ICANON))
		return read_line(t, buf, n);
	if (!t->n)
		return -1;
	n = n < t->n ? n : t->n;
	memcpy(buf, t->in, n);
	drop(t, n);
	return (ssize_t)n;
}
