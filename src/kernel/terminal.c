/*
 * The terminal of a run: its settings and its size, and reading from it by them. The line
 * discipline (echo, editing, signals, what a newline becomes) is the host's, which is told of
 * every change of the settings; here is what only a reader knows: VMIN and VTIME.
 */
#include "kernel/inside.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <termios.h>

static const struct tsb_termios terminal_usual = {
	.iflag = ICRNL | IXON | IUTF8, .oflag = OPOST | ONLCR, .cflag = CS8 | CREAD | B38400,
	.lflag = ISIG | ICANON | IEXTEN | ECHO | ECHOE | ECHOK | ECHOCTL | ECHOKE,
	.ispeed = 38400, .ospeed = 38400,
	.cc = { [VINTR] = 3, [VQUIT] = 28, [VERASE] = 127, [VKILL] = 21, [VEOF] = 4, [VMIN] = 1,
		[VSTART] = 17, [VSTOP] = 19, [VSUSP] = 26, [VREPRINT] = 18, [VDISCARD] = 15,
		[VWERASE] = 23, [VLNEXT] = 22 },
};

void terminal_begin(struct kernel *k)
{
	k->terminal.set = k->opt.io.termios ? *k->opt.io.termios : terminal_usual;
	k->terminal.size = k->opt.io.size;
	k->terminal.end = false;
}

void terminal_resize(struct kernel *k, struct tsb_winsize size)
{
	struct tsb_winsize *old = &k->terminal.size;

	if (!k->opt.io.terminal || (old->rows == size.rows && old->columns == size.columns))
		return;
	*old = size;
	signal_from_outside(k, false, SIGWINCH);
}

/* ---- Reading ---- */

/* What there is now: -EAGAIN: nothing. 0: the end. */
static ssize_t terminal_take(struct tsb_proc *p, void *buf, size_t n)
{
	struct kernel *k = p->k;

	if (k->input_n)
		return (ssize_t)hostio_take(k, buf, n);
	if (k->terminal.end || !k->opt.io.input) {
		k->terminal.end = false;
		return 0;
	}
	return hostio_ask(p, buf, n);
}

/* Until when the next byte may come: TIME_NEVER, or before now. */
static int64_t terminal_until(const struct tsb_proc *p, size_t got, int64_t began)
{
	const uint8_t *cc = p->k->terminal.set.cc;

	if (p->k->terminal.set.lflag & ICANON || (cc[VMIN] && (!got || !cc[VTIME])))
		return TIME_NEVER;
	return began + cc[VTIME] * (NSEC_PER_SEC / 10);
}

static bool terminal_enough(const struct tsb_proc *p, size_t got)
{
	const struct tsb_termios *set = &p->k->terminal.set;

	return got && (set->lflag & ICANON || got >= set->cc[VMIN]);
}

/* Of the group in front: other sessions have another terminal, or none. */
static int terminal_session(struct kernel *k)
{
	struct ring *at, *tmp;

	ring_each(at, tmp, &k->procs) {
		const struct tsb_proc *p = ring_item(at, struct tsb_proc, all);

		if (p->pgid == k->front && p->state != PROC_ZOMBIE)
			return p->sid;
	}
	return -1;
}

/* A group that is not in front may not read: it is stopped, if that can be. */
static int terminal_behind(struct tsb_proc *p)
{
	struct kernel *k = p->k;

	while (k->front && p->pgid != k->front && p->sid == terminal_session(k)) {
		if (p->ignored & SIGNAL_BIT(SIGTTIN) || signal_is_orphaned(p))
			return -EIO;
		tsb_kill(p, 0, SIGTTIN);
		if (p->pending & p->caught)
			return -EINTR;
		if (p->canceled)
			return -ECANCELED;
	}
	return 0;
}

ssize_t terminal_read(struct tsb_proc *p, struct desc *d, void *buf, size_t n)
{
	int64_t began = clock_now(p->k);
	size_t got = 0;
	int behind = terminal_behind(p);

	if (behind)
		return behind;
	while (got < n) {
		ssize_t r = terminal_take(p, (char *)buf + got, n - got);
		int64_t until;

		if (r > 0) {
			got += (size_t)r;
			began = clock_now(p->k);
			if (terminal_enough(p, got))
				break;
			continue;
		}
		if (r != -EAGAIN || d->flags & O_NONBLOCK)
			return got ? (ssize_t)got : r;
		until = terminal_until(p, got, began);
		r = until <= clock_now(p->k) ? -ETIMEDOUT : hostio_wait(p, until);
		if (r == -ETIMEDOUT)
			break;
		if (r)
			return got ? (ssize_t)got : r;
	}
	return (ssize_t)got;
}

/* ---- Settings ---- */

static int terminal_of(struct tsb_proc *p, int fd)
{
	struct desc *d = fd_desc(p, fd);

	return !d ? -EBADF : d->ops->terminal ? 0 : -ENOTTY;
}

int tsb_tcgetattr(struct tsb_proc *p, int fd, struct tsb_termios *out)
{
	int r;

	CALL_BEGIN(p, 8);
	r = terminal_of(p, fd);
	if (!r)
		*out = p->k->terminal.set;
	return r;
}

struct terminal_news {
	struct kernel *k;
	bool flush;
};

static void terminal_tell(void *arg)
{
	struct terminal_news *news = arg;
	struct kernel *k = news->k;

	k->opt.io.changed(k->opt.io.changed_ctx, &k->terminal.set, news->flush);
}

static void terminal_put(struct kernel *k, const struct tsb_termios *set, bool flush)
{
	struct terminal_news news = { k, flush };

	if (flush) {
		k->input_n = 0;
		k->terminal.end = false;
	}
	k->terminal.set = *set;
	/* As a pseudo-terminal has it. */
	k->terminal.set.cflag = (set->cflag & ~(uint32_t)(CSIZE | PARENB)) | CS8 | CREAD;
	if (k->opt.io.changed)
		sched_on_host(k, terminal_tell, &news);
}

int tsb_tcsetattr(struct tsb_proc *p, int fd, bool flush, const struct tsb_termios *set)
{
	int r;

	CALL_BEGIN(p, 16);
	r = terminal_of(p, fd);
	if (!r)
		terminal_put(p->k, set, flush);
	return r;
}

struct borrowed {
	struct tsb_proc *p;
	struct tsb_termios set;		/* what is to be again */
	bool out;
};

static void borrowed_back(void *arg)
{
	struct borrowed *b = arg;

	if (b->out)
		terminal_put(b->p->k, &b->set, false);
	b->out = false;
}

/* The process becomes another program, or nothing. */
static void borrowed_end(void *arg)
{
	struct borrowed *b = arg;

	borrowed_back(b);
	b->p->borrowed = NULL;
	if (b->p->heap_borrowed)
		heap_free(b->p->main_heap, b);
}

int tsb_tty_borrow(struct tsb_proc *p, int fd, const struct tsb_termios *set)
{
	int r;

	CALL_BEGIN(p, 16);
	r = terminal_of(p, fd);
	if (r)
		return r;
	if (!p->borrowed) {
		struct borrowed *b = proc_memory(p, sizeof(*b));

		*b = (struct borrowed){ .p = p };
		proc_on_end(p, borrowed_end, b);
		p->borrowed = b;
	}
	if (!p->borrowed->out)
		p->borrowed->set = p->k->terminal.set;
	p->borrowed->out = true;
	terminal_put(p->k, set, false);
	return 0;
}

void tsb_tty_return(struct tsb_proc *p)
{
	proc_tick(p, 8);
	if (p->borrowed)
		borrowed_back(p->borrowed);
}

int tsb_get_winsize(struct tsb_proc *p, int fd, struct tsb_winsize *out)
{
	int r;

	CALL_BEGIN(p, 8);
	r = terminal_of(p, fd);
	if (!r)
		*out = p->k->terminal.size;
	return r;
}

int tsb_set_winsize(struct tsb_proc *p, int fd, const struct tsb_winsize *size)
{
	int r;

	CALL_BEGIN(p, 16);
	r = terminal_of(p, fd);
	if (!r)
		terminal_resize(p->k, *size);
	return p->canceled ? -ECANCELED : r;
}
