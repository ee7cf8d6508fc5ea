/*
 * One command in a box with our own streams: bytes as they come, signals passed on, a terminal in
 * raw mode whose size follows ours.
 */
#include "cli/box/box.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/signalfd.h>
#include <termios.h>
#include <unistd.h>

#define CAPTURE_MOST (64u << 20)
#define LISTEN_MS 10000		/* then the stream looks whether its server lives */

struct capture {
	char *data;
	size_t n;
};

struct follow {
	struct boxc *c;
	struct tbx_stream *s;
	const char *box;
	int signals;
	bool input, terminal, raw;
	struct termios before;
	struct capture out, err;
	sigset_t mask;
};

/* ---- The terminal ---- */

static void enter_raw(struct follow *f)
{
	struct termios raw;

	if (!f->terminal || tcgetattr(0, &f->before))
		return;
	raw = f->before;
	cfmakeraw(&raw);
	f->raw = !tcsetattr(0, TCSADRAIN, &raw);
}

static void leave_raw(struct follow *f)
{
	if (f->raw)
		tcsetattr(0, TCSADRAIN, &f->before);
	f->raw = false;
}

static bool terminal_size(uint32_t *rows, uint32_t *columns)
{
	struct winsize w;

	if (ioctl(0, TIOCGWINSZ, &w) && ioctl(1, TIOCGWINSZ, &w))
		return false;
	*rows = w.ws_row;
	*columns = w.ws_col;
	return w.ws_row && w.ws_col;
}

/* ---- Bytes ---- */

static bool put_all(int fd, const char *data, size_t n)
{
	while (n) {
		ssize_t put = write(fd, data, n);
		struct pollfd p = {.fd = fd, .events = POLLOUT};

		if (put < 0 && errno == EAGAIN)
			poll(&p, 1, -1);
		else if (put < 0 && errno != EINTR)
			return false;
		data += put > 0 ? put : 0;
		n -= put > 0 ? (size_t)put : 0;
	}
	return true;
}

static bool keep(struct capture *k, const void *data, size_t n)
{
	char *more = k->n + n > CAPTURE_MOST ? NULL : realloc(k->data, k->n + n + 1);

	if (!more)
		return false;
	memcpy(more + k->n, data, n);
	k->data = more;
	k->n += n;
	return true;
}

/* False: nobody takes it any more. */
static bool give(struct follow *f, int fd, const void *data, size_t n)
{
	if (f->c->json)
		return keep(fd == 1 ? &f->out : &f->err, data, n);
	return put_all(fd, data, n);
}

/* A character device or a file is always ready; a blocking pipe is read only after poll(). */
static int take_input(struct follow *f)
{
	char buf[32768];
	ssize_t n = read(0, buf, sizeof(buf));

	if (n > 0)
		return tbx_stream_write(f->s, buf, (size_t)n);
	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return TBX_OK;
	f->input = false;
	return tbx_stream_close_input(f->s);
}

static int take_signal(struct follow *f)
{
	struct signalfd_siginfo info;
	uint32_t rows, columns;

	if (read(f->signals, &info, sizeof(info)) != sizeof(info))
		return TBX_OK;
	if (info.ssi_signo != SIGWINCH)
		return tbx_stream_signal(f->s, (int)info.ssi_signo);
	if (f->terminal && terminal_size(&rows, &columns))
		return tbx_stream_resize(f->s, rows, columns);
	return TBX_OK;
}

static int wait_turn(struct follow *f)
{
	struct pollfd p[3] = {
		{ .fd = tbx_stream_fd(f->s), .events = tbx_stream_poll(f->s) },
		{ .fd = f->signals, .events = POLLIN },
		{ .fd = f->input && tbx_stream_room(f->s) ? 0 : -1, .events = POLLIN },
	};
	int status = TBX_OK;

	if (poll(p, 3, LISTEN_MS) < 0)
		return TBX_OK;
	if (p[1].revents)
		status = take_signal(f);
	if (!status && p[2].revents)
		status = take_input(f);
	return status;
}

/* Until the end. 1: our reader is gone. */
static int pump(struct follow *f)
{
	enum tbx_event event;
	const void *data;
	size_t n;
	int status;

	for (;;) {
		status = tbx_stream_next(f->s, &event, &data, &n);
		if (status || event == TBX_EVENT_END)
			return status;
		if (event == TBX_EVENT_OUT && !give(f, 1, data, n))
			return 1;
		if (event == TBX_EVENT_ERR && !give(f, 2, data, n))
			return 1;
		if (event == TBX_EVENT_NONE)
			status = wait_turn(f);
		if (status)
			return status;
	}
}

/* ---- The end ---- */

static void hex_or_text(FILE *to, const char *name, const struct capture *k)
{
	bool plain = true;

	for (size_t i = 0; i < k->n; i++)
		plain = plain && k->data[i] && (unsigned char)k->data[i] < 128;
	fprintf(to, ",\"%s\":%s", name, plain ? "\"" : "{\"hex\":\"");
	for (size_t i = 0; i < k->n; i++) {
		unsigned char b = (unsigned char)k->data[i];

		if (!plain)
			fprintf(to, "%02x", b);
		else if (b < ' ' || b == 127)
			fprintf(to, "\\u%04x", b);
		else
			fprintf(to, b == '"' || b == '\\' ? "\\%c" : "%c", b);
	}
	fputs(plain ? "\"" : "\"}", to);
}

/* The record, with what was captured as two more members. */
static void print_record(FILE *to, const struct follow *f, const struct tbx_doc *end, bool streams)
{
	char *text = tbx_doc_json(end, false);

	if (!text)
		return;
	if (streams && *text) {
		text[strlen(text) - 1] = '\0';
		fputs(text, to);
		hex_or_text(to, "out", &f->out);
		hex_or_text(to, "err", &f->err);
		fputs("}\n", to);
	} else {
		fprintf(to, "%s\n", text);
	}
	free(text);
}

static int save_record(const struct follow *f, const struct tbx_doc *end)
{
	FILE *to;

	if (!f->c->record)
		return 0;
	to = fopen(f->c->record, "we");
	if (!to)
		return boxc_error(f->c, BOXC_OWN, "%s: %s", f->c->record, strerror(errno));
	print_record(to, f, end, false);
	return fclose(to) ? boxc_error(f->c, BOXC_OWN, "%s: cannot be written", f->c->record) : 0;
}

/* What a status cannot say. */
static void say_reason(const struct follow *f, const struct tbx_doc *end)
{
	const char *reason = tbx_doc_text(end, "reason"), *text = tbx_doc_text(end, "text");
	int64_t out = tbx_doc_number(end, "out_dropped", 0), err = tbx_doc_number(end, "err_dropped", 0);
	const char *limit = tbx_doc_text(end, "limit"), *said = text ? text : limit;

	if (reason && strcmp(reason, "exit") && strcmp(reason, "signal"))
		boxc_error(f->c, 0, "the command was ended: %s%s%s%s", reason, said ? " (" : "",
			   said ? said : "", said ? ")" : "");
	if (out > 0 || err > 0)
		boxc_error(f->c, 0, "output over the limit was dropped: %lld bytes of standard output, "
			   "%lld of standard error", (long long)out, (long long)err);
}

static int finish(struct follow *f)
{
	const struct tbx_doc *end = tbx_stream_end(f->s);
	int status;

	if (!end)
		return 0;		/* a log */
	status = save_record(f, end);
	if (status)
		return status;
	if (f->c->json)
		print_record(stdout, f, end, true);
	else
		say_reason(f, end);
	status = boxc_flush(f->c, 0);
	return status ? status : (int)tbx_doc_number(end, "status", BOXC_OWN) & 255;
}

static void listen_signals(struct follow *f)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGINT);
	sigaddset(&set, SIGTERM);
	sigaddset(&set, SIGHUP);
	sigaddset(&set, SIGQUIT);
	sigaddset(&set, SIGUSR1);
	sigaddset(&set, SIGUSR2);
	sigaddset(&set, SIGWINCH);
	sigprocmask(SIG_BLOCK, &set, &f->mask);
	signal(SIGPIPE, SIG_IGN);
	f->signals = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
}

int boxc_follow(struct boxc *c, const char *box, struct tbx_stream *s, bool input, bool terminal)
{
	struct follow f = {.c = c, .s = s, .box = box, .input = input};
	int status;

	f.terminal = terminal && isatty(0);
	listen_signals(&f);
	enter_raw(&f);
	status = pump(&f);
	leave_raw(&f);
	if (status == 1)
		status = c->json ? boxc_error(c, BOXC_OWN, "the output is too large for JSON; use "
					      "--output-limit") : 128 + SIGPIPE;
	else
		status = status ? boxc_failed(c, status) : finish(&f);
	if (f.signals >= 0)
		close(f.signals);
	sigprocmask(SIG_SETMASK, &f.mask, NULL);
	free(f.out.data);
	free(f.err.data);
	return status;
}

int boxc_stream(struct boxc *c, const char *box, struct tbx_exec *e)
{
	struct tbx_stream *s;
	int status;

	if (e->terminal) {
		e->term = getenv("TERM");
		if (!terminal_size(&e->rows, &e->columns)) {
			e->rows = 24;
			e->columns = 80;
		}
	}
	status = tbx_stream_open(c->tbx, box, e, &s);
	if (status)
		return boxc_failed(c, status);
	status = boxc_follow(c, box, s, e->input == TBX_STDIN_STREAM, e->terminal);
	tbx_stream_close(s);
	return status;
}
