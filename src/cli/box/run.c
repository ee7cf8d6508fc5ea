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
#include <sys/stat.h>
#include <termios.h>
#include <unistd.h>

#include "base/utf8.h"

#define CAPTURE_MOST (64u << 20)
#define STALLED_MS 2000		/* from a signal to the end, if nobody reads what we have */
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
	int own[2];		/* for standard output and error, see out_of() */
	int ended_by;		/* the last signal that ends, passed on */
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

static int take_signal(struct follow *f)
{
	struct signalfd_siginfo info;
	uint32_t rows, columns;

	if (read(f->signals, &info, sizeof(info)) != sizeof(info))
		return TBX_OK;
	if (info.ssi_signo != SIGWINCH) {
		if (info.ssi_signo != SIGUSR1 && info.ssi_signo != SIGUSR2)
			f->ended_by = (int)info.ssi_signo;
		return tbx_stream_signal(f->s, (int)info.ssi_signo);
	}
	if (f->terminal && terminal_size(&rows, &columns))
		return tbx_stream_resize(f->s, rows, columns);
	return TBX_OK;
}

/*
 * Our standard output or error for writes that do not wait: a signal must be heard while a reader is slow. An
 * opening of our own, as the flag would be everybody's; where there can be none (a file, a socket) its own.
 */
static int out_of(struct follow *f, int fd)
{
	int *own = &f->own[fd - 1];
	char path[32];
	struct stat st;

	if (*own < 0) {
		snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
		if (!fstat(fd, &st) && (S_ISFIFO(st.st_mode) || isatty(fd)))
			*own = open(path, O_WRONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
		if (*own < 0)
			*own = fd;
	}
	return *own;
}

/* Until there is room again. False: a signal that ends has come, was passed on, and still nobody reads. */
static bool await_room(struct follow *f, int fd)
{
	struct pollfd p[2] = {{.fd = fd, .events = POLLOUT}, {.fd = f->signals, .events = POLLIN}};
	int n = poll(p, 2, f->ended_by ? STALLED_MS : -1);

	if (n > 0 && p[1].revents)
		take_signal(f);
	return n || !f->ended_by;
}

static bool put_all(struct follow *f, int fd, const char *data, size_t n)
{
	int to = out_of(f, fd);

	while (n) {
		ssize_t put = write(to, data, n);

		if (put < 0 && errno == EAGAIN && !await_room(f, to))
			return false;
		if (put < 0 && errno != EINTR && errno != EAGAIN)
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
	return put_all(f, fd, data, n);
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

/* As box.h says of texts; a NUL is none. */
static void hex_or_text(FILE *to, const char *name, const struct capture *k)
{
	bool plain = !k->n || (utf8_valid(k->data, k->n) && !memchr(k->data, 0, k->n));

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

/* A log has no end of its own. */
static int finish_log(const struct follow *f)
{
	if (!f->c->json)
		return 0;
	printf("{\"box\":\"%s\",\"proc\":\"%s\"", f->box, f->c->process);
	hex_or_text(stdout, "out", &f->out);
	hex_or_text(stdout, "err", &f->err);
	puts("}");
	return boxc_flush(f->c, 0);
}

static int finish(struct follow *f)
{
	const struct tbx_doc *end = tbx_stream_end(f->s);
	int status;

	if (!end)
		return finish_log(f);
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

/* What the command wrote could not be passed on: the status. */
static int not_taken(const struct follow *f, int error)
{
	if (f->c->json)
		return boxc_error(f->c, BOXC_OWN, "the output is too large for JSON; use --output-limit");
	if (error == EAGAIN && f->ended_by)
		return 128 + f->ended_by;
	if (error == EPIPE)
		return 128 + SIGPIPE;
	return boxc_error(f->c, BOXC_OWN, "the output cannot be written: %s", strerror(error));
}

int boxc_follow(struct boxc *c, const char *box, struct tbx_stream *s, bool input, bool terminal)
{
	struct follow f = {.c = c, .s = s, .box = box, .input = input, .own = {-1, -1}};
	int status, error;

	f.terminal = terminal && isatty(0);
	listen_signals(&f);
	enter_raw(&f);
	status = pump(&f);
	error = errno;
	leave_raw(&f);
	if (status == 1)
		status = not_taken(&f, error);
	else
		status = status ? boxc_failed(c, status) : finish(&f);
	for (int fd = 1; fd < 3; fd++)
		if (f.own[fd - 1] > 2)
			close(f.own[fd - 1]);
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
