/* See vdu.h. */
#include "cmd/vdu.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <termios.h>

#include "base/num.h"

void vdu_init(struct vdu *t, struct tsb_proc *p, int fd)
{
	*t = (struct vdu){ .p = p, .in = -1, .fd = fd };
	str_init(&t->out, tsb_heap_of(p), STR_MAX_DEFAULT);
	vdu_size(t);
}

bool vdu_good(struct vdu *t)
{
	const char *term = tsb_getenv(t->p, "TERM");

	return tsb_isatty(t->p, t->fd) && term && *term && strcmp(term, "dumb") && strcmp(term, "unknown");
}

/* As programs that paint know it: LINES and COLUMNS, if they are set, come first. */
void vdu_size(struct vdu *t)
{
	static const char *const names[] = { "LINES", "COLUMNS" };
	int *const to[] = { &t->rows, &t->columns };
	struct tsb_winsize size = { 0 };
	int64_t n;

	tsb_get_winsize(t->p, t->fd, &size);
	t->rows = size.rows ? size.rows : 24;
	t->columns = size.columns ? size.columns : 80;
	for (int i = 0; i < 2; i++) {
		const char *text = tsb_getenv(t->p, names[i]);
		bool told = i ? size.columns > 0 : size.rows > 0;

		if (!told && text && num_i64(text, &n) == NUM_OK && n > 0 && n <= 1000)
			*to[i] = (int)n;
	}
	t->rows = t->rows < 2 ? 2 : t->rows > 1000 ? 1000 : t->rows;
	t->columns = t->columns < 2 ? 2 : t->columns > 4000 ? 4000 : t->columns;
}

void vdu_alternate(struct vdu *t)
{
	t->alternate = true;
	str_adds(&t->out, "\033[?1049h\033[22;0;0t\033[?1h\033=");
}

static void vdu_raw(struct vdu *t)
{
	struct tsb_termios how;

	if (tsb_tcgetattr(t->p, t->in, &how) < 0)
		return;
	how.lflag = (how.lflag & ~(uint32_t)(ICANON | ECHO | ECHOE | ECHOK | ECHONL)) | ISIG;
	how.oflag |= OPOST | ONLCR;
	how.cc[VMIN] = 1;
	how.cc[VTIME] = 0;
	how.cc[VLNEXT] = how.cc[VDISCARD] = how.cc[VSTART] = how.cc[VSTOP] = 0;
	tsb_tty_borrow(t->p, t->in, &how);
	if (t->alternate)
		vdu_alternate(t);
}

void vdu_begin(struct vdu *t)
{
	if (t->begun)
		return;
	if (t->in < 0) {
		t->in = tsb_open(t->p, "/dev/tty", O_RDONLY | O_CLOEXEC, 0);
		if (t->in < 0 || !tsb_isatty(t->p, t->in))
			t->in = 2;
	}
	tsb_signal(t->p, SIGINT, TSB_SIG_CATCH);
	tsb_signal(t->p, SIGWINCH, TSB_SIG_CATCH);
	tsb_signal(t->p, SIGTSTP, TSB_SIG_CATCH);
	t->begun = true;
	vdu_raw(t);
}

void vdu_end(struct vdu *t)
{
	if (!t->begun)
		return;
	if (t->alternate)
		str_adds(&t->out, "\033[?1l\033>\033[?1049l\033[23;0;0t");
	vdu_flush(t);
	tsb_tty_return(t->p);
	tsb_signal(t->p, SIGINT, TSB_SIG_DEFAULT);
	tsb_signal(t->p, SIGTSTP, TSB_SIG_DEFAULT);
	t->begun = false;
}

/* Stops this process as Ctrl-Z does; when it goes on, the terminal is again as it has to be. */
static void vdu_stop(struct vdu *t)
{
	bool alternate = t->alternate;

	vdu_end(t);
	tsb_kill(t->p, tsb_getpid(t->p), SIGTSTP);
	t->alternate = alternate;
	vdu_begin(t);
}

void vdu_flush(struct vdu *t)
{
	if (t->out.n)
		tsb_write_all(t->p, t->fd, t->out.p, t->out.n);
	str_reset(&t->out);
}

void vdu_go(struct vdu *t, int row, int column)
{
	str_addf(&t->out, "\033[%d;%dH", row + 1, column + 1);
}

int vdu_signal(struct vdu *t)
{
	int found = 0, sig;

	while ((sig = tsb_take_signal(t->p))) {
		if (sig == SIGINT)
			found = VDU_INTERRUPT;
		if (sig == SIGTSTP)
			vdu_stop(t);
		if (sig == SIGWINCH || sig == SIGTSTP) {
			vdu_size(t);
			found = found ? found : VDU_RESIZED;
		}
	}
	return found;
}

int vdu_byte(struct vdu *t, int64_t timeout_ns)
{
	unsigned char c;
	ssize_t n;
	int sig;

	vdu_flush(t);
	for (;;) {
		n = tsb_poll_in(t->p, t->in, timeout_ns);
		if (n == 0)
			return VDU_LATE;
		if (n > 0)
			n = tsb_read(t->p, t->in, &c, 1);
		if (n == 1)
			return c;
		if (n != -EINTR)
			return VDU_END;
		sig = vdu_signal(t);
		if (sig)
			return sig;
	}
}

void vdu_unkey(struct vdu *t, int key)
{
	if (t->n_again < sizeof(t->again) / sizeof(*t->again))
		t->again[t->n_again++] = key;
}

/* What ends ESC [ NUMBERS. */
static int vdu_sequence(int number, int last)
{
	static const struct { char last; int number, key; } keys[] = {
		{ 'A', -1, VDU_UP }, { 'B', -1, VDU_DOWN }, { 'C', -1, VDU_RIGHT }, { 'D', -1, VDU_LEFT },
		{ 'H', -1, VDU_HOME }, { 'F', -1, VDU_KEY_END }, { '~', 1, VDU_HOME }, { '~', 2, VDU_INSERT },
		{ '~', 3, VDU_DELETE }, { '~', 4, VDU_KEY_END }, { '~', 5, VDU_PAGE_UP },
		{ '~', 6, VDU_PAGE_DOWN }, { '~', 11, VDU_F1 }, { 'P', -1, VDU_F1 },
	};

	for (size_t i = 0; i < sizeof(keys) / sizeof(*keys); i++)
		if (keys[i].last == last && (keys[i].number < 0 || keys[i].number == number))
			return keys[i].key;
	return VDU_OTHER;
}

int vdu_key(struct vdu *t, int64_t timeout_ns)
{
	int c, number = 0;

	if (t->n_again)
		return t->again[--t->n_again];
	c = vdu_byte(t, timeout_ns);
	if (c != 27)
		return c;
	c = vdu_byte(t, 50000000);	/* what a terminal sends comes at once */
	if (c != '[' && c != 'O') {
		if (c >= 0)
			vdu_unkey(t, c);
		return 27;
	}
	c = vdu_byte(t, 50000000);
	if (c < 0) {
		vdu_unkey(t, '[');
		return 27;
	}
	for (; (c >= '0' && c <= '9') || c == ';'; c = vdu_byte(t, -1))
		number = c == ';' || number > 1000 ? number : number * 10 + c - '0';
	return c < 0 ? c : vdu_sequence(number, c);
}
