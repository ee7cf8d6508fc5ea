/*
 * A conversation with a server, over a socket or with a child that has one as its stdin and
 * stdout. Everything has a deadline but the wait for a command's own words.
 */
#include "box/internal.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define CHILD_MS 2000		/* for a child to end once its stream has */
#define SAID_MAX 16384		/* of a child's standard error */
#define NOISE_MAX (1u << 20)	/* of a login shell before the server speaks */

extern char **environ;

uint64_t bx_step(const struct tbx_store *store)
{
	return bx_ticks() + (store->opt.step_deadline ? store->opt.step_deadline : 30 * BX_SECOND);
}

/* ---- Children ---- */

/* A file that cannot grow: a child that talks without end fills it and no more. */
static int said_file(void)
{
	int fd = memfd_create("tinybox-said", MFD_CLOEXEC | MFD_ALLOW_SEALING);

	if (fd >= 0 && (ftruncate(fd, SAID_MAX) || fcntl(fd, F_ADD_SEALS, F_SEAL_GROW))) {
		close(fd);
		return -1;
	}
	return fd;
}

static bool is_hidden(const struct tbx_store *store, const char *entry)
{
	size_t n = strcspn(entry, "=");

	for (char **name = store->hidden; name && *name; name++)
		if (strlen(*name) == n && !strncmp(*name, entry, n))
			return true;
	return false;
}

/* The environment without what is hidden: the pointers are copied, not the texts. NULL: no memory. */
static char **child_env(const struct tbx_store *store)
{
	size_t n = 0, k = 0;
	char **env;

	while (environ[n])
		n++;
	env = calloc(n + 1, sizeof(*env));
	for (size_t i = 0; env && i < n; i++)
		if (!is_hidden(store, environ[i]))
			env[k++] = environ[i];
	return env;
}

/*
 * In a process group of its own: a key pressed at our terminal is for the command, which learns
 * of it through the protocol.
 */
int bx_start_child(const char *const *argv, char *const *env, const int fd[3], pid_t *pid)
{
	posix_spawn_file_actions_t actions;
	posix_spawnattr_t attr;
	sigset_t all, none;
	int err;

	/* by its bytes: sigfillset() leaves out two that posix_spawn() would then make ignored */
	memset(&all, 0xff, sizeof(all));
	sigemptyset(&none);
	posix_spawn_file_actions_init(&actions);
	posix_spawnattr_init(&attr);
	if (fd[0] < 0)
		posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
	for (int i = fd[0] < 0; i < 3; i++)
		posix_spawn_file_actions_adddup2(&actions, fd[i], i);
	posix_spawnattr_setsigdefault(&attr, &all);
	posix_spawnattr_setsigmask(&attr, &none);
	posix_spawnattr_setflags(&attr, POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK |
				 POSIX_SPAWN_SETPGROUP);
	err = posix_spawn(pid, argv[0], &actions, &attr, (char *const *)(uintptr_t)argv, env);
	posix_spawn_file_actions_destroy(&actions);
	posix_spawnattr_destroy(&attr);
	return err;
}

int bx_spawn(struct tbx_store *store, const char *const *argv, const char *what,
	     struct bx_conn *c)
{
	int pair[2] = {-1, -1}, err;
	char **env = child_env(store);

	*c = (struct bx_conn){.store = store, .fd = -1, .child_err = -1};
	snprintf(c->what, sizeof(c->what), "%s", what);
	c->child_err = said_file();
	if (!env || c->child_err < 0 || socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair)) {
		err = errno;
	} else {
		err = bx_start_child(argv, env, (const int[]){pair[1], pair[1], c->child_err}, &c->child);
		c->fd = pair[0];
		close(pair[1]);
		fcntl(c->fd, F_SETFL, O_NONBLOCK);
	}
	free(env);
	if (!err)
		return TBX_OK;
	c->child = 0;
	bx_conn_close(c);
	return bx_fail(store, TBX_ERR_SYSTEM, "%s: cannot be started: %s", argv[0], strerror(err));
}

char *bx_child_said(struct bx_conn *c)
{
	char *text = c->child_err < 0 ? NULL : malloc(SAID_MAX + 1);
	ssize_t n = text ? pread(c->child_err, text, SAID_MAX, 0) : -1;
	char *end;

	if (n < 0) {
		free(text);
		return NULL;
	}
	text[n] = '\0';
	for (char *p = text; *p; p++)
		if (*p == '\n' || *p == '\r')
			*p = ' ';
	end = text + strlen(text);
	while (end > text && end[-1] == ' ')
		*--end = '\0';
	bx_plain(text);
	if (end - text > 400)
		memmove(text, end - 400, 401);
	if (*text)
		return text;
	free(text);
	return NULL;
}

/*
 * A child ends by itself when its stream does, and one that leaves a server behind must not be
 * disturbed in it. One that hangs is not waited for.
 */
static void end_child(struct bx_conn *c)
{
	struct pollfd p = {.fd = (int)syscall(SYS_pidfd_open, c->child, 0), .events = POLLIN};
	int status;

	if (p.fd >= 0) {
		poll(&p, 1, CHILD_MS);
		close(p.fd);
	}
	if (waitpid(c->child, &status, WNOHANG) == c->child)
		return;
	kill(c->child, SIGTERM);
	while (waitpid(c->child, &status, 0) < 0 && errno == EINTR)
		;
}

void bx_conn_close(struct bx_conn *c)
{
	if (c->fd >= 0)
		close(c->fd);
	if (c->child > 0)
		end_child(c);
	if (c->child_err >= 0)
		close(c->child_err);
	wire_in_free(&c->in);
	wire_free(&c->out);
	json_decref(c->hello);
	c->hello = NULL;
	c->fd = c->child_err = -1;
	c->child = 0;
}

/* ---- Bytes ---- */

static int timed_out(struct bx_conn *c)
{
	return bx_fail(c->store, TBX_ERR_TIMEOUT, "%s: no answer in time", c->what);
}

/* Waits for the socket. */
static int wait_for(struct bx_conn *c, short events, uint64_t deadline)
{
	struct pollfd p = {.fd = c->fd, .events = events};
	uint64_t now;
	int ms, n;

	for (;;) {
		now = deadline ? bx_ticks() : 0;
		if (deadline && now >= deadline)
			return timed_out(c);
		ms = !deadline ? -1 : deadline - now > 1000 * BX_SECOND ? 1000000 :
		     (int)((deadline - now) / 1000000) + 1;
		n = poll(&p, 1, ms);
		if (n > 0)
			return TBX_OK;
		if (n < 0 && errno != EINTR)
			return bx_fail(c->store, TBX_ERR_SYSTEM, "%s: %s", c->what, strerror(errno));
	}
}

static int lost(struct bx_conn *c)
{
	char *said = bx_child_said(c);

	bx_fail(c->store, TBX_ERR_LOST, "%s: the connection ended%s%s", c->what, said ? ": " : "",
		said ? said : "");
	free(said);
	return TBX_ERR_LOST;
}

int bx_send(struct bx_conn *c, uint64_t deadline)
{
	if (c->out.failed)
		return bx_fail(c->store, TBX_ERR_LIMIT, "%s: the request is too large", c->what);
	while (c->out.size) {
		ssize_t n = send(c->fd, c->out.data, c->out.size, MSG_NOSIGNAL);
		int status;

		if (n >= 0) {
			wire_consume(&c->out, (size_t)n);
			continue;
		}
		if (errno == EINTR)
			continue;
		/* What the other side said before it hung up is worth more: it is read next. */
		if (errno == EPIPE || errno == ECONNRESET) {
			c->out.size = 0;
			return TBX_OK;
		}
		if (errno != EAGAIN)
			return bx_fail(c->store, TBX_ERR_SYSTEM, "%s: %s", c->what, strerror(errno));
		status = wait_for(c, POLLOUT, deadline);
		if (status)
			return status;
	}
	return TBX_OK;
}

static int fill(struct bx_conn *c, uint64_t deadline)
{
	uint8_t *room = wire_room(&c->in, 65536);
	ssize_t n;
	int status;

	if (!room)
		return bx_memory(c->store);
	for (;;) {
		n = recv(c->fd, room, 65536, 0);
		if (n > 0) {
			wire_got(&c->in, (size_t)n);
			return TBX_OK;
		}
		if (!n || errno == ECONNRESET)
			return lost(c);
		if (errno == EINTR)
			continue;
		if (errno != EAGAIN)
			return bx_fail(c->store, TBX_ERR_SYSTEM, "%s: %s", c->what, strerror(errno));
		status = wait_for(c, POLLIN, deadline);
		if (status)
			return status;
	}
}

int bx_receive(struct bx_conn *c, struct wire_frame *f, uint64_t deadline)
{
	int status;

	while (!wire_next(&c->in, f)) {
		if (c->in.error)
			return bx_fail(c->store, TBX_ERR_PROTOCOL, "%s: does not speak the protocol: %s",
				       c->what, c->in.error);
		status = fill(c, deadline);
		if (status)
			return status;
	}
	return TBX_OK;
}

/* Not frames: all of `data` there, then all that comes back. */
int bx_exchange(struct bx_conn *c, const void *data, size_t n, uint64_t deadline, char **out)
{
	const uint8_t *at = data;
	bool more = true;
	int status = TBX_OK;

	while (n && !status) {
		ssize_t put = send(c->fd, at, n, MSG_NOSIGNAL);

		if (put >= 0) {
			at += put;
			n -= (size_t)put;
			deadline = put ? bx_step(c->store) : deadline;	/* as long as it moves */
		} else if (errno == EAGAIN) {
			status = wait_for(c, POLLOUT, deadline);
		} else if (errno != EINTR) {
			break;		/* it ended early: what it said tells why */
		}
	}
	shutdown(c->fd, SHUT_WR);
	while (more && !status) {
		status = fill(c, deadline);
		more = !status;
		if (status == TBX_ERR_LOST)
			status = TBX_OK;
		if (c->in.size > NOISE_MAX)
			status = bx_fail(c->store, TBX_ERR_PROTOCOL, "%s: talks without end", c->what);
	}
	if (status)
		return status;
	*out = strndup(c->in.data ? (const char *)c->in.data : "", c->in.size);
	return *out ? TBX_OK : bx_memory(c->store);
}

/* ---- Words ---- */

static int status_of_code(const char *code)
{
	static const struct {
		const char *word;
		int status;
	} codes[] = {
		{ "protocol", TBX_ERR_PROTOCOL }, { "request", TBX_ERR_ARGUMENT },
		{ "no-command", TBX_ERR_COMMAND }, { "no-process", TBX_ERR_UNKNOWN },
		{ "file", TBX_ERR_FILE }, { "policy", TBX_ERR_POLICY }, { "limit", TBX_ERR_LIMIT },
		{ "timeout", TBX_ERR_TIMEOUT }, { "busy", TBX_ERR_BUSY },
		{ "system", TBX_ERR_SYSTEM }, { "unsupported", TBX_ERR_UNSUPPORTED },
		{ "state", TBX_ERR_STATE },
	};

	for (size_t i = 0; code && i < sizeof(codes) / sizeof(*codes); i++)
		if (!strcmp(codes[i].word, code))
			return codes[i].status;
	return TBX_ERR_SYSTEM;
}

int bx_wire_error(struct bx_conn *c, const struct wire_frame *f)
{
	bool bad = false;
	struct wire_iter it = wire_fields(f);
	char *code = wire_string(it, WIRE_F_CODE, &bad), *text = wire_string(it, WIRE_F_TEXT, &bad);
	int err = (int)wire_number(it, WIRE_F_ERRNO, 0, &bad), status = status_of_code(code);

	if (text)
		bx_plain(text);
	/* its sentence is whole: ERRNO is for programs */
	bx_fail(c->store, status, "%s", text && *text ? text : err ? strerror(err) :
		"the server gave no reason");
	if (status == TBX_ERR_COMMAND)
		c->store->error_status = err == ENOENT || !err ? 127 : 126;
	free(code);
	free(text);
	return status;
}

int bx_answer(struct bx_conn *c, struct wire_frame *f, uint64_t deadline)
{
	int status;

	do {
		status = bx_receive(c, f, deadline);
		if (status)
			return status;
	} while (f->type == WIRE_ALIVE);
	if (f->type == WIRE_ERROR)
		return bx_wire_error(c, f);
	if (f->type == WIRE_OK && wire_whole(wire_fields(f)))
		return TBX_OK;
	return bx_fail(c->store, TBX_ERR_PROTOCOL, "%s: an answer was expected, not frame %d", c->what,
		       (int)f->type);
}

int bx_ask(struct bx_conn *c, struct wire_frame *f)
{
	int status = bx_send(c, bx_step(c->store));

	return status ? status : bx_answer(c, f, bx_step(c->store));
}

/* A login shell's words come before the server's: they end where a HELLO begins. */
static bool skip_noise(struct wire_in *in)
{
	static const uint8_t head[] = { WIRE_HELLO, WIRE_F_MAGIC, 0, 7, 0, 0, 0,
		't', 'i', 'n', 'y', 'b', 'o', 'x' };
	uint8_t *at;

	if (in->size - in->start < 4 + sizeof(head))
		return false;
	at = memmem(in->data + in->start + 4, in->size - in->start - 4, head, sizeof(head));
	if (!at)
		return false;
	in->start = (size_t)(at - in->data) - 4;
	return true;
}

bool bx_drop_noise(struct bx_conn *c)
{
	if (c->noisy && !skip_noise(&c->in)) {
		if (c->in.size - c->in.start > NOISE_MAX)
			c->in.error = "the login shell there talks without end";
		return false;
	}
	c->noisy = false;
	return true;
}

static int greet(struct bx_conn *c, uint64_t deadline)
{
	if (!c->greeted) {
		wire_begin(&c->out, WIRE_HELLO);
		wire_text(&c->out, WIRE_F_MAGIC, WIRE_MAGIC);
		wire_u32(&c->out, WIRE_F_VERSION, WIRE_VERSION);
		wire_end(&c->out);
	}
	c->greeted = true;
	return bx_send(c, deadline);
}

/* Waits for the first byte of HELLO behind the noise. */
int bx_peek_hello(struct bx_conn *c, uint64_t deadline)
{
	int status = greet(c, deadline);

	if (status)
		return status;

	while (c->noisy && !skip_noise(&c->in)) {
		if (c->in.size - c->in.start > NOISE_MAX)
			return bx_fail(c->store, TBX_ERR_PROTOCOL, "%s: the login shell there talks "
				       "without end; make it silent when it is not interactive", c->what);
		status = fill(c, deadline);
		if (status)
			return status;
	}
	c->noisy = false;
	return TBX_OK;
}

static json_t *hello_json(struct wire_iter it)
{
	json_t *hello = json_object(), *list = json_array();
	struct wire_field_in f;

	while (wire_step(&it, &f)) {
		if (f.name == WIRE_F_CAPABILITY)
			json_array_append_new(list, bx_json_bytes((const char *)f.data, f.size));
		if (f.name == WIRE_F_KIND)
			bx_put(hello, "kind", bx_json_bytes((const char *)f.data, f.size));
		if (f.name == WIRE_F_BOX)
			bx_put(hello, "box", bx_json_bytes((const char *)f.data, f.size));
	}
	bx_put(hello, "capabilities", list);
	return hello;
}

int bx_hello(struct bx_conn *c, uint64_t deadline)
{
	struct wire_field_in magic;
	struct wire_frame f;
	bool bad = false;
	int status;

	status = bx_peek_hello(c, deadline);
	if (!status)
		status = bx_receive(c, &f, deadline);
	if (status)
		return status;
	if (f.type == WIRE_ERROR)
		return bx_wire_error(c, &f);
	if (f.type != WIRE_HELLO || !wire_whole(wire_fields(&f)) ||
	    !wire_find(wire_fields(&f), WIRE_F_MAGIC, &magic) || magic.size != strlen(WIRE_MAGIC) ||
	    memcmp(magic.data, WIRE_MAGIC, magic.size))
		return bx_fail(c->store, TBX_ERR_PROTOCOL, "%s: is no server of tinybox", c->what);
	if (wire_number(wire_fields(&f), WIRE_F_VERSION, 0, &bad) != WIRE_VERSION || bad)
		return bx_fail(c->store, TBX_ERR_PROTOCOL, "%s: speaks another version of the protocol; "
			       "remove the box and create it anew", c->what);
	c->hello = hello_json(wire_fields(&f));
	return TBX_OK;
}
