/*
 * The loop: the command that brought the secrets, then the keeper, then connections. It goes on while one
 * of the first two is there.
 */
#include "egress/egress.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "wire/pass.h"


int64_t server_now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec;
}

bool server_tell(struct server *s, const struct hand_word *w)
{
	return s->keeper >= 0 && send(s->keeper, w, sizeof(*w), MSG_NOSIGNAL) == (ssize_t)sizeof(*w);
}

static void shut(int *fd)
{
	if (*fd >= 0)
		close(*fd);
	*fd = -1;
}

static bool watch(struct server *s, int *fd)
{
	struct epoll_event ev = {.events = EPOLLIN, .data.ptr = fd};

	return !epoll_ctl(s->epoll, EPOLL_CTL_ADD, *fd, &ev);
}

/* One, and of our own user: nobody else can reach the socket. */
static void hear_keeper_come(struct server *s)
{
	struct ucred peer;
	socklen_t size = sizeof(peer);
	int fd = accept4(s->listener, NULL, NULL, SOCK_CLOEXEC);

	if (fd < 0)
		return;
	if (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &size) || peer.uid != geteuid()) {
		close(fd);
		return;
	}
	s->keeper = fd;
	shut(&s->listener);
	if (!watch(s, &s->keeper))
		shut(&s->keeper);
}

/* The command has said all; what it sends besides means nothing. Its end is what counts. */
static void hear_command(struct server *s)
{
	char buf[256];
	ssize_t n = read(s->live, buf, sizeof(buf));

	if (n > 0 || (n < 0 && (errno == EAGAIN || errno == EINTR)))
		return;
	shut(&s->live);
	shut(&s->done);
	/* the keeper came before the command went, whatever we hear of first */
	if (s->listener >= 0)
		hear_keeper_come(s);
}

static void begin(struct server *s, const struct hand *h, const char *rest, const int fds[2])
{
	struct relay *r = s->count < RELAYS_MOST ? relay_new(s, h, rest, fds[0], fds[1]) : NULL;

	if (s->count == RELAYS_MOST) {
		close(fds[0]);
		close(fds[1]);
	}
	if (!r)
		return;
	s->relays[s->count++] = r;
	relay_step(r);
}

static void hear_keeper(struct server *s)
{
	static struct {
		struct hand h;
		char rest[HAND_REST];
	} packet;
	int fds[PASS_MAX];
	size_t count;
	ssize_t n = pass_take(s->keeper, &packet, sizeof(packet), fds, &count, MSG_DONTWAIT);

	if (n < 0 && errno == EAGAIN)
		return;
	if (n <= 0) {
		shut(&s->keeper);
		return;
	}
	if (count == 2 && n >= (ssize_t)sizeof(packet.h) && packet.h.rest == (size_t)n - sizeof(packet.h) &&
	    packet.h.port <= 65535 && memchr(packet.h.name, 0, sizeof(packet.h.name))) {
		begin(s, &packet.h, packet.rest, fds);
		return;
	}
	while (count)
		close(fds[--count]);
}

static void tidy(struct server *s)
{
	int64_t now = server_now();

	for (size_t i = s->count; i--;) {
		relay_tick(s->relays[i], now);
		if (!relay_ended(s->relays[i]))
			continue;
		relay_free(s->relays[i]);
		s->relays[i] = s->relays[--s->count];
	}
}

/* False: the end. */
static bool hear(struct server *s, void *what)
{
	if (what == &s->signals)
		return false;
	if (what == &s->live)
		hear_command(s);
	else if (what == &s->listener)
		hear_keeper_come(s);
	else if (what == &s->keeper)
		hear_keeper(s);
	else
		relay_step(((struct relay_source *)what)->relay);
	return s->live >= 0 || s->keeper >= 0;
}

int server_run(struct server *s)
{
	struct epoll_event ev[32];
	bool good = watch(s, &s->live) && watch(s, &s->listener) && watch(s, &s->signals);

	while (good) {
		int n = epoll_wait(s->epoll, ev, 32, s->count ? 1000 : -1);

		for (int i = 0; good && i < n; i++)
			good = hear(s, ev[i].data.ptr);
		/* only now: an event of the batch may be of one that has ended */
		tidy(s);
	}
	while (s->count)
		relay_free(s->relays[--s->count]);
	tls_close(&s->tls);
	vault_wipe(&s->vault);
	return 0;
}
