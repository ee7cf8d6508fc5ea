/*
 * The way to a box's socket: connecting by the directory's descriptor (a path may be longer than
 * a socket's address can say), and moving bytes both ways.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "init/path.h"
#include "init/text.h"
#include "init/verbs.h"

#define BUFFER (64u << 10)

int socket_connect(const char *dir)
{
	struct sockaddr_un a = {.sun_family = AF_UNIX, .sun_path = "socket"};
	int there = open(dir, O_PATH | O_DIRECTORY | O_CLOEXEC), here, fd = -1, error;

	if (there < 0)
		return -1;
	here = open(".", O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (fchdir(there) == 0) {
		fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
		if (fd >= 0 && connect(fd, (struct sockaddr *)&a, sizeof(a)) < 0) {
			error = errno;
			close(fd);
			fd = -1;
			errno = error;
		}
		error = errno;
		if (here >= 0 && fchdir(here) < 0)
			error = errno;
		errno = error;
	}
	error = errno;
	close(there);
	if (here >= 0)
		close(here);
	errno = error;
	return fd;
}

struct way {
	int from, to;
	char *data;
	size_t at, size;
	bool ended, closed;
};

/* Poll events of a way: it reads when it is empty, it writes when it is not. */
static void way_want(const struct way *w, struct pollfd *in, struct pollfd *out)
{
	*in = (struct pollfd){.fd = !w->ended && !w->size ? w->from : -1, .events = POLLIN};
	*out = (struct pollfd){.fd = w->size ? w->to : -1, .events = POLLOUT};
}

static bool move(struct way *w, const struct pollfd *in, const struct pollfd *out)
{
	ssize_t n;

	if (in->fd >= 0 && in->revents) {
		n = read(w->from, w->data, BUFFER);
		if (n > 0) {
			w->at = 0;
			w->size = (size_t)n;
		} else if (n == 0 || (errno != EINTR && errno != EAGAIN)) {
			w->ended = true;
		}
	}
	if (out->fd >= 0 && out->revents) {
		n = write(w->to, w->data + w->at, w->size);
		if (n < 0 && errno != EINTR && errno != EAGAIN)
			return false;
		if (n > 0) {
			w->at += (size_t)n;
			w->size -= (size_t)n;
		}
	}
	return true;
}

int relay(int in, int out, int fd)
{
	struct way up = {.from = in, .to = fd, .data = malloc(BUFFER)};
	struct way down = {.from = fd, .to = out, .data = malloc(BUFFER)};
	struct pollfd p[4];
	int status = 1;

	signal(SIGPIPE, SIG_IGN);	/* a server that has ended still has words for us */
	while (up.data && down.data) {
		if (down.ended && !down.size) {
			status = 0;
			break;
		}
		/* the end of the client's words is the end of the client */
		if (up.ended && !up.size && !up.closed) {
			up.closed = true;
			shutdown(fd, SHUT_WR);
		}
		way_want(&up, &p[0], &p[1]);
		way_want(&down, &p[2], &p[3]);
		if (poll(p, 4, -1) < 0 && errno != EINTR)
			break;
		if (!move(&down, &p[2], &p[3]))
			break;
		if (!move(&up, &p[0], &p[1]))
			up.ended = true, up.size = 0;
	}
	free(up.data);
	free(down.data);
	return status;
}

bool read_frame(int fd, struct wire_in *in, struct wire_frame *f)
{
	while (!wire_next(in, f)) {
		uint8_t *to = in->error ? NULL : wire_room(in, 4096);
		ssize_t n = to ? read(fd, to, 4096) : 0;

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return false;
		wire_got(in, (size_t)n);
	}
	return true;
}

bool send_frames(int fd, struct wire_out *o)
{
	bool good = !o->failed && write_all(fd, o->data, o->size);

	wire_free(o);
	return good;
}

int verb_connect(const char *dir)
{
	int fd = socket_connect(dir);
	struct text t = {0};

	if (fd < 0) {
		text_add(&t, "tinybox-init: ");
		text_add(&t, dir);
		text_add(&t, ": the box's server is not there: ");
		text_add(&t, text_errno(errno));
		text_add(&t, "\n");
		write_all(2, t.data, t.size);
		text_free(&t);
		return 1;
	}
	return relay(0, 1, fd);
}
