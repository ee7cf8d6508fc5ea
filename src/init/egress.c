/*
 * The keeper's part of a box's network: one epoll, connections as small state machines. A connection
 * is asked (HTTP, SOCKS), its name resolved, an address dialled, and then bytes are carried both ways;
 * one of a published port is begun by process 1 and carried the same way. What takes too long before
 * it carries is closed; how many there are is limited.
 */
#include "init/egress_in.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

#include "init/wall_in.h"
#include "wire/hand.h"
#include "wire/pass.h"

#define CONNECTIONS 256u
#define PATIENCE 30	/* seconds until it carries */
#define RULES 256u
#define RESOLVERS 16u	/* processes at a time */

enum state { ASKING, QUEUED, RESOLVING, DIALLING, INSIDE, CARRYING, DEAD };
enum role { LISTENER, PUBLISHED, CHANNEL, TICK, NEAR, FAR, RESOLVER, HAND };

/* What an event of epoll is about. */
struct source {
	enum role role;
	struct conn *conn;
	struct port *port;
};

struct pipe_buffer {
	char data[EG_BUFFER];
	size_t from, to;
	bool ended, shut;	/* no more will come; the other side was told */
};

struct conn {
	struct conn *next;
	enum state state;
	int near, far;		/* the one who came, the one who is reached */
	struct source near_source, far_source, resolver_source;
	uint32_t near_events, far_events;
	struct eg_ask ask;
	struct eg_resolver resolver;
	char name[EG_NAME_MAX + 1];
	bool would_refuse;	/* the list does not have it, and is only written down */
	struct in6_addr ip[EG_ADDRESSES];
	size_t ips, tried;
	uint32_t id;		/* INSIDE: of the question on the channel */
	struct pipe_buffer out, in;	/* near to far, far to near */
	char request[EG_REQUEST_MAX];
	size_t request_size;
	time_t until;
};

struct port {
	uint16_t inside, outside;
	int fd;
	struct source source;
};

struct egress {
	int epoll, listener, channel, timer, hand;
	struct source listener_source, channel_source, timer_source, hand_source;
	struct eg_rule *secrets;	/* hosts of secrets, over TLS */
	size_t secret_count;
	bool guarded;			/* there are secrets */
	struct eg_rule *rules;
	size_t rule_count;
	struct port *ports;
	size_t port_count;
	struct conn *conns;
	size_t count, resolving;
	uint32_t next_id;
	bool ticking, direct;	/* direct: ports are reached without process 1 */
	bool report_only;
	egress_tell *tell;
	void *ctx;
};

const char *const egress_env[] = {"HTTP_PROXY=http://127.0.0.1:3128",
	"HTTPS_PROXY=http://127.0.0.1:3128", "ALL_PROXY=socks5h://127.0.0.1:3128",
	"http_proxy=http://127.0.0.1:3128", "https_proxy=http://127.0.0.1:3128",
	"all_proxy=socks5h://127.0.0.1:3128", "NO_PROXY=localhost,127.0.0.1,::1",
	"no_proxy=localhost,127.0.0.1,::1", NULL};

static time_t now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec;
}

static bool watch(struct egress *e, int fd, uint32_t events, struct source *s)
{
	struct epoll_event ev = {.events = events, .data.ptr = s};

	return !epoll_ctl(e->epoll, EPOLL_CTL_ADD, fd, &ev);
}

static void want(struct egress *e, int fd, uint32_t *have, uint32_t events, struct source *s)
{
	struct epoll_event ev = {.events = events, .data.ptr = s};

	if (fd < 0 || *have == events)
		return;
	epoll_ctl(e->epoll, EPOLL_CTL_MOD, fd, &ev);
	*have = events;
}

/* A second's tick while somebody is waited for. */
static void tick(struct egress *e, bool on)
{
	struct itimerspec t = {{on, 0}, {on, 0}};

	if (on != e->ticking)
		timerfd_settime(e->timer, 0, &t, NULL);
	e->ticking = on;
}

static void shut(int *fd)
{
	if (*fd >= 0)
		close(*fd);
	*fd = -1;
}

/*
 * Out of the set, then closed: closing is not enough, as a child that is about to exec may have a copy.
 */
static void drop(struct egress *e, int *fd)
{
	if (*fd >= 0)
		epoll_ctl(e->epoll, EPOLL_CTL_DEL, *fd, NULL);
	shut(fd);
}

static void end_resolver(struct egress *e, struct conn *c)
{
	if (c->resolver.out >= 0)
		epoll_ctl(e->epoll, EPOLL_CTL_DEL, c->resolver.out, NULL);
	eg_resolve_end(&c->resolver);
}

/* Events of it may still be in the batch: it is freed when the batch is done. */
static void end(struct egress *e, struct conn *c)
{
	e->resolving -= c->state == RESOLVING;
	end_resolver(e, c);
	drop(e, &c->near);
	drop(e, &c->far);
	free(c->ask.head);
	c->ask.head = NULL;
	c->state = DEAD;
}

static void tell(struct egress *e, const struct conn *c, const char *why, const char *address)
{
	static const char *const what[] = {"connect", "connect", "http", "socks"};
	char name[256 * 4 + 1], *to = name;

	for (size_t i = 0; i < c->ask.name_size; i++) {
		unsigned char b = (unsigned char)c->ask.name[i];

		to += snprintf(to, 5, b > 32 && b < 127 && b != '\\' ? "%c" : "\\x%02x", b);
	}
	*to = 0;
	if (e->tell)
		e->tell(e->ctx, &(struct egress_decision){.what = what[c->ask.protocol], .name = name,
			.port = c->ask.port, .address = address, .allowed = !why,
			.why = why ? why : c->would_refuse ? "would be refused: not in the list of what may be reached" : "allowed"});
}

static void refuse(struct egress *e, struct conn *c, const char *why)
{
	char text[512];
	size_t n = eg_ask_answer(&c->ask, why, text, sizeof(text));

	tell(e, c, why, NULL);
	if (send(c->near, text, n, MSG_NOSIGNAL | MSG_DONTWAIT) > 0)
		shutdown(c->near, SHUT_WR);
	end(e, c);
}

/* ---- carrying ---- */

static bool fill(struct pipe_buffer *b, int from)
{
	ssize_t n;

	if (b->from == b->to)
		b->from = b->to = 0;
	if (b->ended || b->to == sizeof(b->data))
		return true;
	n = read(from, b->data + b->to, sizeof(b->data) - b->to);
	if (n > 0)
		b->to += (size_t)n;
	b->ended = n == 0;
	return n >= 0 || errno == EAGAIN || errno == EINTR || errno == ENOTCONN;
}

static bool drain(struct pipe_buffer *b, int to)
{
	while (b->from < b->to) {
		ssize_t n = send(to, b->data + b->from, b->to - b->from, MSG_NOSIGNAL);

		if (n < 0)
			return errno == EAGAIN || errno == EINTR || errno == ENOTCONN;
		b->from += (size_t)n;
	}
	if (b->ended && !b->shut) {
		shutdown(to, SHUT_WR);
		b->shut = true;
	}
	return true;
}

static uint32_t events_for(const struct pipe_buffer *read_into, const struct pipe_buffer *write_from)
{
	bool room = !read_into->ended && (read_into->to < sizeof(read_into->data) ||
					  read_into->from == read_into->to);

	return (room ? EPOLLIN : 0u) | (write_from->from < write_from->to ? EPOLLOUT : 0u);
}

static void carry(struct egress *e, struct conn *c)
{
	if (!fill(&c->out, c->near) || !drain(&c->out, c->far) || !fill(&c->in, c->far) ||
	    !drain(&c->in, c->near) || (c->out.shut && c->in.shut)) {
		end(e, c);
		return;
	}
	/* closed both ways it would be reported for ever */
	if (c->out.ended && c->in.shut)
		epoll_ctl(e->epoll, EPOLL_CTL_DEL, c->near, NULL);
	else
		want(e, c->near, &c->near_events, events_for(&c->out, &c->in), &c->near_source);
	want(e, c->far, &c->far_events, events_for(&c->in, &c->out), &c->far_source);
}

static void put(struct pipe_buffer *b, const char *data, size_t size)
{
	if (size > sizeof(b->data) - b->to)
		size = sizeof(b->data) - b->to;
	memcpy(b->data + b->to, data, size);
	b->to += size;
}

/* ---- dialling ---- */

static void dial(struct egress *e, struct conn *c);

/* Whether a secret could be for it. A host's name is compared as it is, without addresses: it was dialled by that. */
static bool is_guarded(const struct egress *e, const struct conn *c)
{
	return e->guarded && (c->ask.protocol == EG_HTTP || (e->secret_count &&
		!eg_name_refused(e->secrets, e->secret_count, c->name, c->ask.port)));
}

/* The answer was given; both descriptors go, and what came already. */
static bool hand_over(struct egress *e, const struct conn *c)
{
	struct {
		struct hand h;
		char rest[HAND_REST];
	} *p = calloc(1, sizeof(*p));
	size_t head = c->ask.head ? c->ask.head_size : 0, rest = c->request_size - c->ask.used;
	int fds[2] = {c->near, c->far};
	bool good = p && head + rest <= sizeof(p->rest);

	if (good) {
		p->h = (struct hand){c->ask.protocol != EG_HTTP, c->ask.port, (uint32_t)(head + rest), ""};
		memcpy(p->h.name, c->name, strlen(c->name) + 1);
		if (head)
			memcpy(p->rest, c->ask.head, head);
		memcpy(p->rest + head, c->request + c->ask.used, rest);
		good = pass_send(e->hand, p, sizeof(p->h) + head + rest, fds, 2, 0);
	}
	free(p);
	return good;
}

static void connected(struct egress *e, struct conn *c)
{
	char text[256];
	size_t n = eg_ask_answer(&c->ask, NULL, text, sizeof(text));
	size_t rest = c->request_size - c->ask.used;

	if (is_guarded(e, c)) {
		if (send(c->near, text, n, MSG_NOSIGNAL | MSG_DONTWAIT) == (ssize_t)n)
			hand_over(e, c);
		end(e, c);
		return;
	}
	c->state = CARRYING;
	put(&c->in, text, n);
	if (c->ask.head)
		put(&c->out, c->ask.head, c->ask.head_size);
	/* what came behind the request; with the head it fits as the request did */
	put(&c->out, c->request + c->ask.used, rest);
	free(c->ask.head);
	c->ask.head = NULL;
	c->near_events = ~0u;
	carry(e, c);
}

static void dial_result(struct egress *e, struct conn *c)
{
	char address[INET6_ADDRSTRLEN];
	socklen_t size = sizeof(int);
	int error = 0;

	if (getsockopt(c->far, SOL_SOCKET, SO_ERROR, &error, &size) || error) {
		drop(e, &c->far);
		dial(e, c);
		return;
	}
	inet_ntop(AF_INET6, &c->ip[c->tried - 1], address, sizeof(address));
	tell(e, c, NULL, strncmp(address, "::ffff:", 7) ? address : address + 7);
	connected(e, c);
}

/* The next address that may be reached: the very one that was checked. */
static void dial(struct egress *e, struct conn *c)
{
	const char *why = "its name has no address", *refused = NULL;

	while (c->tried < c->ips) {
		const struct in6_addr *ip = &c->ip[c->tried++];

		refused = eg_address_refused(e->rules, e->rule_count, c->name, ip, c->ask.port);
		if (refused)
			continue;
		why = "no connection";
		c->far = eg_dial(ip, c->ask.port);
		if (c->far < 0)
			continue;
		c->state = DIALLING;
		c->far_events = EPOLLOUT;
		if (watch(e, c->far, EPOLLOUT, &c->far_source))
			return;
		shut(&c->far);
	}
	if (refused)
		why = refused;
	else if (c->ips)
		why = "no connection";
	refuse(e, c, why);
}

/* Now, or when another is done. */
static void resolve(struct egress *e, struct conn *c)
{
	if (e->resolving >= RESOLVERS)
		return;
	c->state = RESOLVING;
	e->resolving++;
	if (!eg_resolve(&c->resolver, c->name) ||
	    !watch(e, c->resolver.out, EPOLLIN, &c->resolver_source))
		refuse(e, c, "the name cannot be resolved");
}

static void asked(struct egress *e, struct conn *c)
{
	const char *why = NULL;

	want(e, c->near, &c->near_events, 0, &c->near_source);
	if (!eg_name_clean(c->name, c->ask.name, c->ask.name_size)) {
		why = "not a name of a host";
	} else {
		why = eg_name_refused(e->rules, e->rule_count, c->name, c->ask.port);
		c->would_refuse = why && e->report_only;
		why = c->would_refuse ? NULL : why;
	}
	if (!why && e->hand < 0 && is_guarded(e, c))
		why = "what keeps the box's secrets has ended";
	if (why) {
		refuse(e, c, why);
		return;
	}
	if (eg_address_read(&c->ip[0], c->name)) {
		c->ips = 1;
		dial(e, c);
		return;
	}
	c->state = QUEUED;
	resolve(e, c);
}

static void ask(struct egress *e, struct conn *c)
{
	ssize_t n = read(c->near, c->request + c->request_size,
			 sizeof(c->request) - c->request_size);
	enum eg_more more;

	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return;
	if (n <= 0) {
		end(e, c);
		return;
	}
	c->request_size += (size_t)n;
	more = eg_ask_read(&c->ask, c->request, c->request_size);
	if (c->ask.reply_size)
		send(c->near, c->ask.reply, c->ask.reply_size, MSG_NOSIGNAL | MSG_DONTWAIT);
	if (more == EG_DONE)
		asked(e, c);
	else if (more == EG_BAD || c->request_size == sizeof(c->request))
		refuse(e, c, "not a request of a proxy");
}

/* ---- arrivals ---- */

static struct conn *new_conn(struct egress *e, int near, enum state state)
{
	struct conn *c = e->count < CONNECTIONS ? calloc(1, sizeof(*c)) : NULL;

	if (!c) {
		close(near);
		return NULL;
	}
	c->near = near;
	c->far = c->resolver.pidfd = c->resolver.out = -1;
	c->state = state;
	c->until = now() + PATIENCE;
	c->near_source = (struct source){NEAR, c, NULL};
	c->far_source = (struct source){FAR, c, NULL};
	c->resolver_source = (struct source){RESOLVER, c, NULL};
	c->near_events = state == ASKING ? EPOLLIN : 0;
	c->next = e->conns;
	e->conns = c;
	e->count++;
	tick(e, true);
	if (!watch(e, near, c->near_events, &c->near_source))
		end(e, c);
	return c;
}

static void arrive(struct egress *e)
{
	int fd = accept4(e->listener, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);

	if (fd >= 0)
		new_conn(e, fd, ASKING);
}

static void begin(struct egress *e, struct conn *c, int far)
{
	c->far = far;
	c->state = CARRYING;
	c->far_events = EPOLLIN;
	c->near_events = ~0u;
	if (far < 0 || !watch(e, far, EPOLLIN, &c->far_source))
		end(e, c);
	else
		carry(e, c);
}

static void arrive_published(struct egress *e, const struct port *p)
{
	int fd = accept4(p->fd, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
	struct conn *c = fd < 0 ? NULL : new_conn(e, fd, INSIDE);
	uint32_t question[2];

	if (!c || c->state == DEAD)
		return;
	if (e->direct) {
		begin(e, c, eg_inside(p->inside));
		return;
	}
	c->id = question[0] = ++e->next_id;
	question[1] = p->inside;
	if (send(e->channel, question, sizeof(question), MSG_NOSIGNAL | MSG_DONTWAIT) !=
	    sizeof(question))
		end(e, c);
}

static void answered(struct egress *e)
{
	int fds[PASS_MAX], fd = -1;
	size_t count = 0;
	uint32_t id = 0;
	struct conn *c;

	if (pass_take(e->channel, &id, sizeof(id), fds, &count, 0) != sizeof(id)) {
		drop(e, &e->channel);
		return;
	}
	if (count)
		fd = fds[0];
	for (size_t i = 1; i < count; i++)
		close(fds[i]);
	for (c = e->conns; c && (c->state != INSIDE || c->id != id); c = c->next)
		;
	if (c && fd >= 0)
		fcntl(fd, F_SETFL, O_NONBLOCK);
	if (c)
		begin(e, c, fd);
	else if (fd >= 0)
		close(fd);
}

/* What was done with a secret, for the audit log. */
static void hear_hand(struct egress *e)
{
	struct hand_word w;
	ssize_t n = recv(e->hand, &w, sizeof(w), MSG_DONTWAIT);

	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return;
	if (n != (ssize_t)sizeof(w)) {
		drop(e, &e->hand);
		return;
	}
	w.name[sizeof(w.name) - 1] = w.secret[sizeof(w.secret) - 1] = w.why[sizeof(w.why) - 1] = 0;
	if (e->tell)
		e->tell(e->ctx, &(struct egress_decision){.what = "secret", .name = w.name, .secret = w.secret,
			.port = (uint16_t)w.port, .allowed = w.swapped, .why = w.why});
}

bool egress_secrets(struct egress *e, const char *const *hosts, int hand)
{
	size_t n = 0;
	bool good = true;

	while (hosts[n])
		n++;
	e->hand = hand;
	e->guarded = n;
	e->secrets = calloc(n + 1, sizeof(*e->secrets));
	for (size_t i = 0; e->secrets && i < n; i++) {
		if (strncmp(hosts[i], "http://", 7))
			good = good && eg_rule_read(&e->secrets[e->secret_count++], hosts[i]);
	}
	e->hand_source.role = HAND;
	return good && e->secrets && watch(e, hand, EPOLLIN, &e->hand_source);
}

/* ---- the loop ---- */

static void conn_event(struct egress *e, struct conn *c, enum role role, uint32_t events)
{
	switch (c->state) {
	case ASKING:
		ask(e, c);
		break;
	case RESOLVING:
		if (role == RESOLVER && eg_resolve_read(&c->resolver)) {
			c->ips = eg_resolve_addresses(&c->resolver, c->ip, EG_ADDRESSES);
			end_resolver(e, c);
			e->resolving--;
			c->state = QUEUED;
			dial(e, c);
		} else if (role == NEAR && events & (EPOLLERR | EPOLLHUP)) {
			end(e, c);
		}
		break;
	case DIALLING:
		if (role == FAR)
			dial_result(e, c);
		else if (events & (EPOLLERR | EPOLLHUP))
			end(e, c);
		break;
	case CARRYING:
		if (events & EPOLLERR)
			end(e, c);
		else
			carry(e, c);
		break;
	case QUEUED:
	case INSIDE:
		if (events & (EPOLLERR | EPOLLHUP))
			end(e, c);
		break;
	case DEAD:
	default:
		break;
	}
}

static void tidy(struct egress *e)
{
	bool waiting = false;

	for (struct conn **at = &e->conns; *at;) {
		struct conn *c = *at;

		if (c->state != CARRYING && c->state != DEAD) {
			waiting = true;
			if (now() > c->until && (c->state == ASKING || c->state == INSIDE))
				end(e, c);
			else if (now() > c->until)
				refuse(e, c, "it took too long");
		}
		if (c->state == QUEUED)
			resolve(e, c);
		if (c->state == DEAD) {
			*at = c->next;
			free(c);
			e->count--;
		} else {
			at = &c->next;
		}
	}
	tick(e, waiting);
}

void egress_run(struct egress *e)
{
	struct epoll_event ev[32];
	int n = epoll_wait(e->epoll, ev, 32, 0);
	uint64_t ticks;

	for (int i = 0; i < n; i++) {
		struct source *s = ev[i].data.ptr;

		if (s->role == LISTENER)
			arrive(e);
		else if (s->role == PUBLISHED)
			arrive_published(e, s->port);
		else if (s->role == CHANNEL)
			answered(e);
		else if (s->role == HAND)
			hear_hand(e);
		else if (s->role != TICK)
			conn_event(e, s->conn, s->role, ev[i].events);
		else if (read(e->timer, &ticks, sizeof(ticks)) < 0)
			continue;
	}
	tidy(e);
}

int egress_fd(const struct egress *e)
{
	return e->epoll;
}

uint16_t egress_port(const struct egress *e, size_t i)
{
	return i < e->port_count ? e->ports[i].outside : 0;
}

/* ---- beginning and end ---- */

static bool listen_on(struct port *p, const struct spec_port *s)
{
	const char *address = s->address ? s->address : "127.0.0.1";
	struct sockaddr_in6 a6 = {.sin6_family = AF_INET6, .sin6_port = htons(s->outside)};
	struct sockaddr_in a4 = {.sin_family = AF_INET, .sin_port = htons(s->outside)};
	bool v4 = inet_pton(AF_INET, address, &a4.sin_addr) == 1;
	socklen_t size = sizeof(a6);
	int one = 1;

	if (!v4 && inet_pton(AF_INET6, address, &a6.sin6_addr) != 1) {
		errno = EINVAL;
		return false;
	}
	p->inside = s->inside;
	p->fd = socket(v4 ? AF_INET : AF_INET6, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (p->fd < 0 || setsockopt(p->fd, SOL_SOCKET, SO_REUSEADDR, &one, sizeof(one)) ||
	    bind(p->fd, v4 ? (struct sockaddr *)&a4 : (struct sockaddr *)&a6,
		 v4 ? sizeof(a4) : sizeof(a6)) || listen(p->fd, 64) ||
	    getsockname(p->fd, (struct sockaddr *)&a6, &size))
		return false;
	/* the port is at the same place in both */
	p->outside = ntohs(a6.sin6_port);
	return true;
}

static void open_ports(struct egress *e, const struct spec *s, struct report *r)
{
	char asked[64] = "", why[128];
	bool ok = true;

	e->ports = calloc(s->port_count ? s->port_count : 1, sizeof(*e->ports));
	for (size_t i = 0; e->ports && ok && i < s->port_count; i++) {
		struct port *p = &e->ports[e->port_count++];
		size_t n = strlen(asked);

		snprintf(asked + n, sizeof(asked) - n, "%s%u", n ? "," : "", s->ports[i].inside);
		ok = listen_on(p, &s->ports[i]);
		p->source = (struct source){PUBLISHED, NULL, p};
		ok = ok && watch(e, p->fd, EPOLLIN, &p->source);
	}
	if (!s->port_count)
		return;
	snprintf(why, sizeof(why), "%s", strerror(errno));
	if (!ok) {
		const struct spec_port *bad = &s->ports[e->port_count - 1];

		snprintf(why, sizeof(why), "cannot listen at %.64s, port %u: %s", bad->address ? bad->address :
			 "127.0.0.1", bad->outside, strerror(errno));
	}
	if (ok && e->ports && (e->channel >= 0 || e->direct))
		report_enforced(r, "ports", asked, "the keeper listens, process 1 connects");
	else
		report_open(r, "ports", asked, why, "choose another port of the host, or none");
}

static bool read_rules(struct egress *e, const struct spec *s)
{
	size_t n = 0;

	while (s->allow && s->allow[n])
		n++;
	e->rules = calloc(n ? n : 1, sizeof(*e->rules));
	for (size_t i = 0; e->rules && i < n && n <= RULES; i++) {
		if (!eg_rule_read(&e->rules[i], s->allow[i]))
			return false;
	}
	e->rule_count = n;
	return e->rules && n <= RULES;
}

static bool watch_ours(struct egress *e)
{
	e->listener_source.role = LISTENER;
	e->channel_source.role = CHANNEL;
	e->timer_source.role = TICK;
	return e->epoll >= 0 && e->timer >= 0 && watch(e, e->timer, EPOLLIN, &e->timer_source) &&
	       (e->listener < 0 || watch(e, e->listener, EPOLLIN, &e->listener_source)) &&
	       (e->channel < 0 || watch(e, e->channel, EPOLLIN, &e->channel_source));
}

struct egress *egress_open(const struct spec *spec, int listener, int channel, struct report *r,
			   egress_tell *tell_it, void *ctx, const char **why)
{
	struct egress *e = calloc(1, sizeof(*e));

	*why = NULL;
	if (!e) {
		*why = "no memory";
		shut(&listener);
		shut(&channel);
		return NULL;
	}
	e->listener = listener;
	e->channel = channel;
	e->hand = -1;
	e->tell = tell_it;
	e->ctx = ctx;
	e->report_only = spec->report_only;
	e->direct = channel < 0 &&
		(spec->kind == SPEC_PASSTHROUGH || spec->network == SPEC_NETWORK_OPEN);
	e->epoll = epoll_create1(EPOLL_CLOEXEC);
	e->timer = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK);
	if (!watch_ours(e))
		*why = "the proxy cannot be started";
	else if (!read_rules(e, spec))
		*why = "what may be reached is a list of NAME:PORT, *.DOMAIN:PORT or ADDRESS:PORT";
	if (*why) {
		egress_close(e);
		return NULL;
	}
	open_ports(e, spec, r);
	return e;
}

void egress_close(struct egress *e)
{
	if (!e)
		return;
	while (e->conns) {
		struct conn *c = e->conns;

		e->conns = c->next;
		if (c->state != DEAD)
			end(e, c);
		free(c);
	}
	for (size_t i = 0; i < e->port_count; i++)
		shut(&e->ports[i].fd);
	free(e->ports);
	free(e->rules);
	free(e->secrets);
	shut(&e->hand);
	shut(&e->listener);
	shut(&e->channel);
	shut(&e->timer);
	shut(&e->epoll);
	free(e);
}
