/*
 * The prompt: the sandbox's own interactive shell on our terminal, which has the settings that the
 * shell and its programs give theirs, and its own again at the end. Ctrl-C and its kin are signals
 * for what runs inside. A thread waits for what is typed, so that the sandbox can do other things.
 */
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

#include "cli/cli.h"

struct prompt {
	struct tsb_cancel *cancel;
	int hungry;		/* eventfd: the sandbox has found nothing to read */
	int over;		/* eventfd: the watcher is to end */
	pthread_t watcher;
	struct termios before;
};

/* What the signal handler may touch. */
static struct tsb_cancel *volatile prompting;

static void on_signal(int sig)
{
	struct winsize w;
	int saved = errno;

	if (prompting && sig != SIGWINCH)
		tsb_cancel_signal(prompting, sig, false);
	else if (prompting && !ioctl(0, TIOCGWINSZ, &w))
		tsb_cancel_resize(prompting, w.ws_row, w.ws_col);
	errno = saved;
}

/* Until fd can be read; false: it is over. */
static bool watch_for(const struct prompt *p, int fd)
{
	struct pollfd at[2] = { { .fd = fd, .events = POLLIN }, { .fd = p->over, .events = POLLIN } };

	while (poll(at, 2, -1) < 0 && errno == EINTR)
		;
	return !at[1].revents;
}

/* Each time the sandbox is hungry: until there is something. */
static void *watch(void *arg)
{
	struct prompt *p = arg;
	uint64_t times;

	while (watch_for(p, p->hungry) && read(p->hungry, &times, sizeof(times)) == sizeof(times)) {
		if (!watch_for(p, 0))
			break;
		tsb_cancel_wake(p->cancel);
	}
	return NULL;
}

static ssize_t take_typed(void *ctx, void *buf, size_t n)
{
	struct prompt *p = ctx;
	struct pollfd in = { .fd = 0, .events = POLLIN };
	uint64_t one = 1;
	ssize_t got;

	if (poll(&in, 1, 0) <= 0) {
		if (write(p->hungry, &one, sizeof(one)) != sizeof(one))
			return -EIO;
		return -EAGAIN;
	}
	got = read(0, buf, n);
	return got < 0 ? -errno : got;
}

static int show(void *ctx, int fd, const void *data, size_t n)
{
	const char *at = data;

	(void)ctx;
	while (n) {
		ssize_t done = write(fd, at, n);

		if (done < 0 && errno != EINTR)
			return -1;
		at += done > 0 ? done : 0;
		n -= done > 0 ? (size_t)done : 0;
	}
	return 0;
}

/* ---- Settings: Linux's are the same bits inside and outside ---- */

static void settings_in(struct tsb_termios *to, const struct termios *from)
{
	memset(to, 0, sizeof(*to));
	to->iflag = from->c_iflag;
	to->oflag = from->c_oflag;
	to->cflag = from->c_cflag;
	to->lflag = from->c_lflag;
	to->ispeed = to->ospeed = 38400;
	memcpy(to->cc, from->c_cc, sizeof(to->cc) < sizeof(from->c_cc) ? sizeof(to->cc) : sizeof(from->c_cc));
}

/* What the line of the terminal is like stays the host's. */
static void settings_out(void *ctx, const struct tsb_event *e)
{
	struct termios t;

	(void)ctx;
	if (e->kind != TSB_EVENT_TERMINAL || tcgetattr(0, &t))
		return;
	t.c_iflag = e->termios->iflag;
	t.c_oflag = e->termios->oflag;
	t.c_lflag = e->termios->lflag;
	memcpy(t.c_cc, e->termios->cc, sizeof(t.c_cc) < sizeof(e->termios->cc) ? sizeof(t.c_cc) :
	       sizeof(e->termios->cc));
	tcsetattr(0, e->flush ? TCSAFLUSH : TCSADRAIN, &t);
}

/* ---- One prompt ---- */

static const int passed[] = { SIGINT, SIGQUIT, SIGTSTP, SIGWINCH };
enum { PASSED = sizeof(passed) / sizeof(*passed) };

static void catch_signals(struct sigaction old[PASSED])
{
	struct sigaction act = { .sa_handler = on_signal, .sa_flags = SA_RESTART };

	for (int i = 0; i < PASSED; i++)
		sigaction(passed[i], &act, &old[i]);
}

static int prompt_run(const struct cli *cli, struct tsb_sandbox *box, struct prompt *p)
{
	struct tsb_run_options opt = TSB_RUN_OPTIONS_INIT;
	struct sigaction old[PASSED];
	struct tsb_termios settings;
	struct tsb_limits limits;
	struct tsb_result *r;
	struct winsize w;
	int rc;

	cli_prompt_limits(cli, &limits);
	settings_in(&settings, &p->before);
	opt.limits = &limits;
	opt.input_fn = take_typed;
	opt.output_fn = show;
	opt.event_fn = settings_out;
	opt.input_ctx = opt.output_ctx = opt.event_ctx = p;
	opt.cancel = p->cancel;
	opt.terminal = opt.wakes = true;
	opt.termios = &settings;
	if (!ioctl(0, TIOCGWINSZ, &w)) {
		opt.rows = w.ws_row;
		opt.columns = w.ws_col;
	}
	prompting = p->cancel;
	catch_signals(old);
	rc = tsb_prompt(box, &opt, &r);
	for (int i = 0; i < PASSED; i++)
		sigaction(passed[i], &old[i], NULL);
	prompting = NULL;
	tcsetattr(0, TCSADRAIN, &p->before);
	if (rc)
		return cli_error("%s", tsb_error(box));
	rc = tsb_result_status(r);
	tsb_result_free(r);
	return rc;
}

static void prompt_end(struct prompt *p)
{
	tsb_cancel_free(p->cancel);
	if (p->hungry >= 0)
		close(p->hungry);
	if (p->over >= 0)
		close(p->over);
}

int cli_prompt(const struct cli *cli, struct tsb_sandbox *box)
{
	struct prompt p = { .cancel = tsb_cancel_new(), .hungry = eventfd(0, EFD_CLOEXEC),
			    .over = eventfd(0, EFD_CLOEXEC) };
	uint64_t one = 1;
	int status, err;

	if (!p.cancel || p.hungry < 0 || p.over < 0 || tcgetattr(0, &p.before) ||
	    pthread_create(&p.watcher, NULL, watch, &p)) {
		err = errno;
		prompt_end(&p);
		return cli_error("a prompt needs a terminal: %s", strerror(err));
	}
	status = prompt_run(cli, box, &p);
	if (write(p.over, &one, sizeof(one)) != sizeof(one))
		return status;		/* cannot be; then the thread keeps what is its */
	pthread_join(p.watcher, NULL);
	prompt_end(&p);
	return status;
}
