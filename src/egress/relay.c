/*
 * One connection: TLS to the box, TLS to the host, and between them one request after the other. The next
 * request is not looked at before the answer to the one before is whole, so that nothing can be told of
 * an answer to another question.
 */
#include "egress/egress.h"

#include <errno.h>
#include <openssl/err.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#define IN_MOST (HT_HEAD_MAX + 4096u)
#define OUT_HIGH 65536u
#define PATIENCE 60	/* s until the first request is whole */
#define LINGER 2
#define TURNS 200u	/* then others have theirs */

enum phase { SHAKE_NEAR, SHAKE_FAR, TALK, LAST_WORDS, LINGERING, ENDED };
enum asking { ASK_HEAD, ASK_BODY, ASK_DONE, ASK_RAW };
enum telling { TELL_IDLE, TELL_HEAD, TELL_BODY, TELL_RAW };

struct side {
	int fd;
	SSL *ssl;		/* NULL: plain */
	struct ht_buf in, out;
	bool ended, broken;	/* no more comes; not as it should */
	bool wants_write;	/* TLS does, to read */
	uint32_t events;
	struct relay_source source;
};

struct relay {
	struct server *server;
	struct side near, far;
	enum phase phase;
	enum asking ask;
	enum telling tell;
	char host[256];
	struct ht_swap swap[WIRE_SECRETS_MAX];
	struct ht_place place;
	bool tls, guarded;	/* a secret is for this host */
	bool is_head, upgrade;
	bool cut;		/* an answer is not whole: the box is to see that */
	struct ht_body request, response;
	struct ht_scrub scrub;
	struct ht_buf basic;	/* the latest credentials that hold a value */
	size_t words;		/* of the scrub, without them */
	size_t near_looked, far_looked;
	int64_t until;
};

/* ---- Bytes ---- */

static int ssl_result(struct side *s, int n)
{
	int e = SSL_get_error(s->ssl, n);

	ERR_clear_error();
	if (e == SSL_ERROR_WANT_READ || e == SSL_ERROR_WANT_WRITE) {
		s->wants_write |= e == SSL_ERROR_WANT_WRITE;
		return 0;
	}
	s->broken = e != SSL_ERROR_ZERO_RETURN;
	s->ended = true;
	return -1;
}

static ssize_t take(struct side *s, char *buf, size_t n)
{
	ssize_t got;

	if (s->ssl) {
		got = SSL_read(s->ssl, buf, (int)n);
		return got > 0 ? got : ssl_result(s, (int)got);
	}
	got = recv(s->fd, buf, n, 0);
	if (got < 0 && (errno == EAGAIN || errno == EINTR))
		return 0;
	s->ended = got <= 0;
	s->broken = got < 0;
	return got > 0 ? got : -1;
}

/* Whether anything came of it. */
static bool fill(struct side *s)
{
	char buf[16384];
	ssize_t n;

	if (s->ended || s->in.size >= IN_MOST)
		return false;
	n = take(s, buf, sizeof(buf));
	if (n > 0)
		ht_put(&s->in, buf, (size_t)n);
	explicit_bzero(buf, sizeof(buf));
	return n != 0;
}

static bool drain(struct side *s)
{
	ssize_t n;

	if (!s->out.size || s->broken)
		return false;
	if (s->ssl) {
		n = SSL_write(s->ssl, s->out.data, (int)(s->out.size < OUT_HIGH ? s->out.size : OUT_HIGH));
		if (n <= 0)
			return ssl_result(s, (int)n) < 0;
	} else {
		n = send(s->fd, s->out.data, s->out.size, MSG_NOSIGNAL);
		if (n < 0 && (errno == EAGAIN || errno == EINTR))
			return false;
		s->broken = s->ended = n < 0;
	}
	ht_drop(&s->out, n > 0 ? (size_t)n : 0);
	return true;
}

/* ---- Ends ---- */

static bool told(struct relay *r, bool swapped, const char *secret, const char *why)
{
	struct hand_word w = {.swapped = swapped, .port = r->place.port};

	snprintf(w.name, sizeof(w.name), "%s", r->host);
	snprintf(w.secret, sizeof(w.secret), "%s", secret ? secret : "");
	snprintf(w.why, sizeof(w.why), "%s", why);
	return server_tell(r->server, &w);
}

static void finish(struct relay *r)
{
	r->phase = LAST_WORDS;
	r->until = server_now() + PATIENCE;
}

/* An answer of ours, and the end. */
static void refuse(struct relay *r, unsigned status, const char *secret, const char *why)
{
	char text[512];

	told(r, false, secret, why);
	snprintf(text, sizeof(text), "HTTP/1.1 %u %s\r\nContent-Type: text/plain\r\nContent-Length: %zu\r\n"
		 "Connection: close\r\n\r\ntinybox: %s%s%s\n", status,
		 status == 403 ? "Forbidden" : status == 400 ? "Bad Request" : "Bad Gateway",
		 strlen(why) + 10 + (secret ? strlen(secret) + 2 : 0), secret ? secret : "", secret ? ": " : "", why);
	ht_text(&r->near.out, text);
	finish(r);
}

/* ---- One request, one response ---- */

static bool take_head(struct relay *r)
{
	struct ht_request q = {.looked = r->near_looked};
	enum ht_more more = ht_request_read(&q, &r->place, r->near.in.data, r->near.in.size);
	bool good = more == HT_DONE;

	r->near_looked = more == HT_MORE ? q.looked : 0;
	for (size_t k = 0; good && k < r->place.count; k++)
		if (q.swapped >> k & 1)
			good = told(r, true, r->swap[k].name, "swapped");
	if (more == HT_BAD)
		refuse(r, q.secret ? 403 : 400, q.secret, q.why);
	else if (more == HT_DONE && !good)
		finish(r);	/* nobody writes it down: nothing is done */
	if (good) {
		ht_put(&r->far.out, q.out.data, q.out.size);
		ht_drop(&r->near.in, q.used);
		r->request = (struct ht_body){.strict = true, .left = q.length, .kind = q.chunked ? HT_CHUNKED :
			q.has_length && q.length ? HT_LENGTH : HT_NONE};
		r->is_head = q.is_head;
		r->upgrade = q.upgrade;
		r->ask = r->request.kind == HT_NONE ? ASK_DONE : ASK_BODY;
		r->tell = TELL_HEAD;
		r->until = 0;
		if (q.basic.size) {
			ht_drop(&r->basic, r->basic.size);
			ht_put(&r->basic, q.basic.data, q.basic.size);
			r->scrub.count = r->words;
			ht_scrub_word(&r->scrub, r->basic.data, r->basic.size);
		}
	}
	ht_request_end(&q);
	return more != HT_MORE;
}

static bool take_body(struct relay *r)
{
	size_t n = ht_body_take(&r->request, r->near.in.data, r->near.in.size, &r->far.out);

	ht_drop(&r->near.in, n);
	if (r->request.why)
		refuse(r, 400, NULL, r->request.why);
	else if (r->request.done)
		r->ask = r->tell == TELL_IDLE ? ASK_HEAD : ASK_DONE;
	return n || r->request.done || r->request.why;
}

static void answered(struct relay *r)
{
	r->tell = TELL_IDLE;
	if (r->ask == ASK_DONE)
		r->ask = ASK_HEAD;
}

static void begin_response(struct relay *r, const struct ht_response *p)
{
	bool none = r->is_head || p->status == 204 || p->status == 304;

	r->response = (struct ht_body){.left = p->length, .scrub = r->guarded ? &r->scrub : NULL,
		.kind = none ? HT_NONE : p->chunked ? HT_CHUNKED : p->has_length ? HT_LENGTH : HT_CLOSE};
	r->tell = TELL_BODY;
	if (r->response.kind == HT_NONE || (r->response.kind == HT_LENGTH && !p->length))
		answered(r);
}

static bool hear_head(struct relay *r)
{
	struct ht_response p = {.looked = r->far_looked};
	enum ht_more more = ht_response_read(&p, r->far.in.data, r->far.in.size);

	r->far_looked = more == HT_MORE ? p.looked : 0;
	if (more == HT_MORE)
		return false;
	if (more == HT_BAD || (p.status == 101 && !r->upgrade)) {
		refuse(r, 502, NULL, p.why ? p.why : "the host changes what is spoken, unasked");
		return true;
	}
	if (r->guarded) {
		ht_scrub(&r->scrub, r->far.in.data, p.used, &r->near.out);
		ht_scrub_flush(&r->scrub, &r->near.out);
	} else {
		ht_put(&r->near.out, r->far.in.data, p.used);
	}
	ht_drop(&r->far.in, p.used);
	if (p.status == 101) {
		r->ask = ASK_RAW;
		r->tell = TELL_RAW;
	} else if (p.status >= 200) {
		begin_response(r, &p);
	}
	return true;
}

static bool hear_body(struct relay *r)
{
	size_t n = ht_body_take(&r->response, r->far.in.data, r->far.in.size, &r->near.out);

	ht_drop(&r->far.in, n);
	if (r->response.why) {
		r->cut = true;
		finish(r);
	} else if (r->response.done) {
		answered(r);
	}
	return n || r->response.done || r->response.why;
}

static bool carry(struct side *from, struct side *to)
{
	size_t n = from->in.size;

	ht_put(&to->out, from->in.data, n);
	ht_drop(&from->in, n);
	return n;
}

static bool advance_near(struct relay *r)
{
	if (!r->near.in.size || r->far.out.size >= OUT_HIGH)
		return false;
	switch (r->ask) {
	case ASK_HEAD:
		return r->tell == TELL_IDLE && take_head(r);
	case ASK_BODY:
		return take_body(r);
	case ASK_RAW:
		return carry(&r->near, &r->far);
	case ASK_DONE:
	default:
		return false;
	}
}

static bool advance_far(struct relay *r)
{
	if (!r->far.in.size || r->near.out.size >= OUT_HIGH)
		return false;
	switch (r->tell) {
	case TELL_HEAD:
		return hear_head(r);
	case TELL_BODY:
		return hear_body(r);
	case TELL_RAW:
		return carry(&r->far, &r->near);
	case TELL_IDLE:
	default:
		finish(r);	/* an answer that nobody asked for */
		return true;
	}
}

/* Nothing moves: because one side says no more? */
static bool ended(struct relay *r)
{
	/* who ends one direction only does so without TLS; in it nobody waits for the answer any more */
	if (r->near.broken || (r->near.ended && (r->near.ssl || r->ask != ASK_DONE) && !r->far.out.size)) {
		r->phase = ENDED;
		return true;
	}
	if (!r->far.ended || r->near.out.size >= OUT_HIGH)
		return false;
	r->cut = (r->tell == TELL_BODY && r->response.kind != HT_CLOSE) || (r->tell != TELL_IDLE && r->far.broken);
	/* many end without a word of TLS: what came is passed on, and cut off as it was */
	if (r->tell == TELL_BODY && r->response.kind == HT_CLOSE)
		ht_body_close(&r->response, &r->near.out);
	if (r->tell == TELL_HEAD && !r->near.out.size)
		refuse(r, 502, NULL, "the host ended the connection");
	else
		finish(r);
	return true;
}

/* ---- Phases ---- */

static bool shake(struct relay *r, struct side *s)
{
	int n = s->ssl ? SSL_do_handshake(s->ssl) : 1;

	if (n == 1) {
		r->phase = s == &r->near ? SHAKE_FAR : TALK;
		return true;
	}
	if (ssl_result(s, n) >= 0)
		return false;
	if (s == &r->near)
		r->phase = ENDED;	/* it does not trust us, or does not speak TLS */
	else
		refuse(r, 502, NULL, tls_why(s->ssl));
	if (s == &r->near)
		told(r, false, NULL, "the box's side does not speak TLS, or does not trust the box's authority");
	return true;
}

static bool talk(struct relay *r)
{
	bool moved = drain(&r->near);

	moved |= drain(&r->far);
	moved |= fill(&r->near);
	moved |= fill(&r->far);
	moved |= advance_near(r);
	if (r->phase == TALK)
		moved |= advance_far(r);
	if (r->near.out.failed || r->far.out.failed || r->near.in.failed || r->far.in.failed)
		r->phase = ENDED;
	return moved || (r->phase == TALK && ended(r));
}

static bool last_words(struct relay *r)
{
	if (r->near.out.size && !r->near.broken) {
		if (!drain(&r->near))
			return false;
		r->until = server_now() + PATIENCE;
		return true;
	}
	if (r->near.ssl && !r->cut && !r->near.broken)
		SSL_shutdown(r->near.ssl);
	ERR_clear_error();
	shutdown(r->near.fd, SHUT_WR);
	r->phase = LINGERING;
	r->until = server_now() + LINGER;
	return true;
}

/* What it still says is not answered by a reset, which would take our answer away. */
static bool linger(struct relay *r)
{
	char buf[4096];
	ssize_t n = recv(r->near.fd, buf, sizeof(buf), 0);

	if (!n || (n < 0 && errno != EAGAIN && errno != EINTR))
		r->phase = ENDED;
	return n > 0 || r->phase == ENDED;
}

static bool turn(struct relay *r)
{
	switch (r->phase) {
	case SHAKE_NEAR:
		return shake(r, &r->near);
	case SHAKE_FAR:
		return shake(r, &r->far);
	case TALK:
		return talk(r);
	case LAST_WORDS:
		return last_words(r);
	case LINGERING:
		return linger(r);
	case ENDED:
	default:
		return false;
	}
}

static void want(struct relay *r, struct side *s, bool reads)
{
	uint32_t events = (reads ? (uint32_t)EPOLLIN : 0u) | (s->out.size || s->wants_write ? (uint32_t)EPOLLOUT : 0u);
	struct epoll_event ev = {.events = events, .data.ptr = &s->source};

	/* out of the set when there is nothing to wait for: its end would be told for ever */
	if (events != s->events)
		epoll_ctl(r->server->epoll, !events ? EPOLL_CTL_DEL : s->events ? EPOLL_CTL_MOD : EPOLL_CTL_ADD,
			  s->fd, &ev);
	s->events = events;
}

void relay_step(struct relay *r)
{
	unsigned i = 0;

	r->near.wants_write = r->far.wants_write = false;
	while (r->phase != ENDED && i++ < TURNS && turn(r))
		;
	if (r->phase == ENDED)
		return;
	/* a turn that was cut short comes again: what can be written is an event */
	r->near.wants_write |= i > TURNS;
	want(r, &r->near, r->phase == LINGERING || r->phase == SHAKE_NEAR ||
	     (r->phase == TALK && !r->near.ended && r->near.in.size < IN_MOST));
	want(r, &r->far, r->phase == SHAKE_FAR || (r->phase == TALK && !r->far.ended && r->far.in.size < IN_MOST));
}

void relay_tick(struct relay *r, int64_t now)
{
	if (r->until && now > r->until)
		r->phase = ENDED;
}

bool relay_ended(const struct relay *r)
{
	return r->phase == ENDED;
}

/* ---- Beginning and end ---- */

static bool watch(struct relay *r, struct side *s)
{
	struct epoll_event ev = {.events = s->events = EPOLLIN, .data.ptr = &s->source};

	return !epoll_ctl(r->server->epoll, EPOLL_CTL_ADD, s->fd, &ev);
}

static void set_place(struct relay *r, const struct hand *h)
{
	const struct vault *v = &r->server->vault;

	memcpy(r->host, h->name, sizeof(r->host));
	r->tls = h->tls;
	r->guarded = vault_swaps(v, r->host, (uint16_t)h->port, r->tls, r->swap) > 0;
	r->place = (struct ht_place){.host = r->host, .port = (uint16_t)h->port, .usual = r->tls ? 443 : 80,
		.swap = r->swap, .count = v->count, .plain_answers = r->guarded};
	for (size_t k = 0; k < v->count; k++)
		if (r->swap[k].here)
			ht_scrub_word(&r->scrub, r->swap[k].value, r->swap[k].value_size);
	r->words = r->scrub.count;
}

struct relay *relay_new(struct server *s, const struct hand *h, const char *rest, int near, int far)
{
	struct relay *r = calloc(1, sizeof(*r));
	bool good;

	if (!r) {
		close(near);
		close(far);
		return NULL;
	}
	r->server = s;
	r->near.fd = near;
	r->far.fd = far;
	r->near.source = (struct relay_source){r, false};
	r->far.source = (struct relay_source){r, true};
	r->until = server_now() + PATIENCE;
	set_place(r, h);
	good = watch(r, &r->near) && watch(r, &r->far);
	if (r->tls && good) {
		r->near.ssl = tls_near(&s->tls, r->host, near);
		r->far.ssl = tls_far(&s->tls, r->host, far);
		good = r->guarded && r->near.ssl && r->far.ssl && !h->rest;
		if (!good)
			told(r, false, NULL, "it spoke before it was answered, or there is no memory");
	} else {
		r->phase = TALK;
	}
	ht_put(&r->near.in, rest, h->rest);
	if (good && !r->near.in.failed)
		return r;
	relay_free(r);
	return NULL;
}

/* Out of the set by hand: the keeper may not have closed its copy yet, and then close() leaves it there. */
static void free_side(const struct server *server, struct side *s)
{
	SSL_free(s->ssl);
	ERR_clear_error();
	epoll_ctl(server->epoll, EPOLL_CTL_DEL, s->fd, NULL);
	close(s->fd);
	ht_free(&s->in);
	ht_free(&s->out);
}

void relay_free(struct relay *r)
{
	free_side(r->server, &r->near);
	free_side(r->server, &r->far);
	ht_free(&r->basic);
	ht_free(&r->scrub.held);
	free(r);
}
