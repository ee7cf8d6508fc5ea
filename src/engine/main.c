/*
 * tinybox-engine: the server of a virtual box. `serve` reads START on standard input, answers on
 * standard output, and leaves the server behind; `version` says what it is.
 */
#include "engine/engine.h"
#include "engine/store.h"

#include <errno.h>
#include <fcntl.h>
#include <malloc.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#define START_WAIT_MS 30000
#define FILES_WANTED 8192u

struct start {
	struct wire_in in;
	struct spec spec;
	struct wall wall;
	struct server server;
	char why[VIRTUAL_WHY];
};

/* ---- Words on standard output ---- */

static int answer = 1;	/* in the server's process, a copy of it until the answer is given */

static bool say(struct wire_out *o)
{
	return wire_say(answer, o);
}

static int say_error(const char *code, const char *text, int error)
{
	struct wire_out o = { 0 };

	wire_begin(&o, WIRE_ERROR);
	wire_text(&o, WIRE_F_CODE, code);
	wire_text(&o, WIRE_F_TEXT, text);
	if (error)
		wire_u32(&o, WIRE_F_ERRNO, (uint32_t)error);
	wire_end(&o);
	say(&o);
	return 1;
}

static int say_failed(const char *what)
{
	char text[300];
	int error = errno;

	snprintf(text, sizeof(text), "start: %s: %s", what, strerror(error));
	return say_error("system", text, error);
}

static bool say_hello(const struct wall *w)
{
	struct wire_out o = { 0 };
	char level[40];

	snprintf(level, sizeof(level), "isolation=%s", wall_level(w));
	wire_begin(&o, WIRE_HELLO);
	wire_text(&o, WIRE_F_MAGIC, WIRE_MAGIC);
	wire_u32(&o, WIRE_F_VERSION, WIRE_VERSION);
	wire_text(&o, WIRE_F_KIND, "virtual");
	wire_text(&o, WIRE_F_CAPABILITY, level);
	wire_end(&o);
	return say(&o);
}

/* ---- START ---- */

/* 0, or the exit status after an ERROR. */
static int read_start(struct start *st)
{
	struct wire_frame f;

	if (!wire_wait(&st->in, &f, 0, START_WAIT_MS))
		return say_error("protocol", "start: no hello", 0);
	if (!wire_is_hello(&f))
		return say_error("protocol", "start: not the hello of a client of this version", 0);
	if (!wire_wait(&st->in, &f, 0, START_WAIT_MS) || f.type != WIRE_START)
		return say_error("protocol", "start: START is missing", 0);
	if (!spec_read(&st->spec, wire_fields(&f), st->why))
		return say_error("request", st->why, 0);
	if (report_write(&st->spec, &st->wall, NULL, st->why))
		return say_error("policy", st->why, 0);
	return 0;
}

/* ---- The server's process ---- */

/* As tinybox-init locks: byte 0 by POSIX, so that F_GETLK names us to whoever has to end us. */
static int take_lock(struct start *st)
{
	struct flock whole = {.l_type = F_WRLCK, .l_whence = SEEK_SET, .l_start = 0, .l_len = 1};
	struct server *s = &st->server;

	s->dir = open(st->spec.v.dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (s->dir < 0)
		return say_failed(st->spec.v.dir);
	s->lock = openat(s->dir, "lock", O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
	if (s->lock < 0)
		return say_failed("the lock");
	if (fcntl(s->lock, F_SETLK, &whole))
		return errno == EAGAIN || errno == EACCES ?
		       say_error("state", "start: the box is running", 0) : say_failed("the lock");
	return 0;
}

/* By way of the descriptor, for a socket's name is short. */
static int listen_there(struct server *s)
{
	struct sockaddr_un a = { .sun_family = AF_UNIX };
	mode_t old;
	int rc;

	snprintf(a.sun_path, sizeof(a.sun_path), "/proc/self/fd/%d/socket", s->dir);
	s->listener = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	unlinkat(s->dir, "socket", 0);
	old = umask(0177);
	rc = s->listener < 0 || bind(s->listener, (struct sockaddr *)&a, sizeof(a)) ||
	     listen(s->listener, 512);
	umask(old);
	return rc ? say_failed("the socket") : 0;
}

static int make_events(struct server *s)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGTERM);
	sigaddset(&set, SIGINT);
	sigaddset(&set, SIGIO);
	sigprocmask(SIG_BLOCK, &set, NULL);
	signal(SIGPIPE, SIG_IGN);
	signal(SIGHUP, SIG_IGN);
	s->signals = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
	s->notify = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	s->epoll = epoll_create1(EPOLL_CLOEXEC);
	/* A SIGIO when something in it is removed: all of it, perhaps. No more than a hint. */
	fcntl(s->dir, F_NOTIFY, DN_DELETE | DN_MULTISHOT);
	return s->signals < 0 || s->notify < 0 || s->epoll < 0 ? say_failed("epoll") : 0;
}

static void set_files(void)
{
	struct rlimit r;

	if (getrlimit(RLIMIT_NOFILE, &r))
		return;
	r.rlim_cur = r.rlim_max = r.rlim_max < FILES_WANTED ? r.rlim_max : FILES_WANTED;
	setrlimit(RLIMIT_NOFILE, &r);
}

/* Root without its rights cannot write what belongs to others: then it keeps those. */
static void find_owner(struct start *st, int workspace)
{
	struct stat dir, work;

	if (geteuid() != 0 || fstat(st->server.dir, &dir))
		return;
	work = dir;
	if (workspace >= 0 && fstat(workspace, &work))
		return;
	if (dir.st_uid || work.st_uid)
		st->wall.owner = "no_new_privs, no capabilities but to use files of others "
				 "(the workspace is not root's)";
}

static int say_ready(struct start *st)
{
	struct wire_out o = { 0 };

	wire_begin(&o, WIRE_OK);
	wire_u32(&o, WIRE_F_PID, (uint32_t)getpid());
	report_write(&st->spec, &st->wall, &o, st->why);
	wire_end(&o);
	return say(&o) ? 0 : 1;
}

static int raise_wall(struct start *st)
{
	const struct virtual_spec *v = &st->spec.v;
	int workspace = -1, rc;

	if (v->workspace)
		workspace = open(v->workspace, O_PATH | O_DIRECTORY | O_CLOEXEC);
	find_owner(st, workspace);
	rc = wall_raise(&st->wall, st->server.dir, workspace, v->readonly) ? 0 : 1;
	if (rc)
		say_failed("the wall");
	if (workspace >= 0)
		close(workspace);
	return rc;
}

static int prepare(struct start *st)
{
	struct server *s = &st->server;
	int rc = take_lock(st);

	if (rc)
		return rc;
	set_files();
	s->spec = &st->spec;
	s->wall = &st->wall;
	s->started_at = wall_ns();
	if (virtual_open(&s->box, &st->spec.v, st->why))
		return say_error("file", st->why, 0);
	if (!records_open(s))
		return say_failed("the records");
	if (!chain_open(&s->audit, s->dir, "audit"))
		return say_failed("the audit log");
	rc = make_events(s);
	if (!rc)
		rc = listen_there(s);
	return rc ? rc : raise_wall(st);
}

/* Only the descriptors of the answer and `done` are left of what was inherited. */
static int child(struct start *st, int done)
{
	int rc, null = open("/dev/null", O_RDWR);

	setsid();
	umask(0);
	mallopt(M_ARENA_MAX, 2);
	null = null < 0 ? -1 : fcntl(null, F_DUPFD, 5);	/* 3 and 4 get their own use */
	if (null < 0 || dup2(done, 3) < 0 || dup2(1, answer = 4) < 0)
		return say_failed("/dev/null");
	for (int fd = 0; fd < 3; fd++)
		dup2(null, fd);
	close_range(5, ~0u, 0);
	rc = chdir("/") ? say_failed("/") : prepare(st);
	if (!rc)
		rc = say_ready(st);
	if (rc)
		return rc;
	close(answer);
	if (write(3, "", 1) < 0)
		return 1;
	close(3);
	return server_main(&st->server);
}

static int serve(void)
{
	static struct start st;		/* one a process; lives as long as it */
	int done[2], rc;
	pid_t pid;
	char c;

	wall_probe(&st.wall);
	signal(SIGPIPE, SIG_IGN);
	if (!say_hello(&st.wall))
		return 1;
	rc = read_start(&st);
	if (rc)
		return rc;
	wire_in_free(&st.in);
	if (pipe2(done, O_CLOEXEC))
		return say_failed("a pipe");
	pid = fork();
	if (pid < 0)
		return say_failed("fork");
	if (!pid) {
		close(done[0]);
		_exit(child(&st, done[1]));
	}
	close(done[1]);
	return read(done[0], &c, 1) == 1 ? 0 : 1;
}

/* ---- Layers ---- */

static char **layers_of(struct wire_iter it, bool *bad)
{
	struct wire_field_in f;
	size_t n = 0;
	char **list;

	for (struct wire_iter count = it; wire_step(&count, &f);)
		n += f.name == WIRE_F_FROM;
	list = calloc(n + 1, sizeof(*list));
	*bad |= !list || !n;
	for (n = 0; !*bad && wire_step(&it, &f);)
		if (f.name == WIRE_F_FROM && (list[n] = wire_copy(&f, bad)))
			*bad |= strchr(list[n], '/') || *list[n++] == '.';
	return list;
}

static int merge_layers(struct wire_iter it, char why[VIRTUAL_WHY])
{
	struct virtual_spec none = { 0 }, spec = { 0 };
	bool bad = !wire_whole(it);
	char *layers = wire_string(it, WIRE_F_LAYERS, &bad), *to = wire_string(it, WIRE_F_LAYER, &bad);
	char **from = layers_of(it, &bad);
	struct virtual_box *box = NULL;
	int rc = -EINVAL;

	snprintf(why, VIRTUAL_WHY, "merge: the request is damaged");
	if (!bad && layers && *layers == '/' && to && *to && *to != '.' && !strchr(to, '/')) {
		spec.layers = layers;
		spec.layer = (const char *const *)from;
		rc = virtual_open(&box, &none, why);
	}
	if (!rc)
		rc = store_merge(&spec, to, virtual_sandbox(box), why);
	virtual_close(box);
	for (size_t i = 0; from && from[i]; i++)
		free(from[i]);
	free(from);
	free(layers);
	free(to);
	return rc;
}

/* Many lists become one (WIRE_LAYER_MERGE). */
static int merge(void)
{
	static struct start st;
	struct wire_out o = { 0 };
	struct wire_frame f;

	wall_probe(&st.wall);
	if (!say_hello(&st.wall) || !wire_wait(&st.in, &f, 0, START_WAIT_MS))
		return 1;
	if (f.type != WIRE_HELLO || !wire_wait(&st.in, &f, 0, START_WAIT_MS) || f.type != WIRE_LAYER_MERGE)
		return say_error("protocol", "merge: HELLO and LAYER_MERGE were expected", 0);
	if (merge_layers(wire_fields(&f), st.why))
		return say_error("file", st.why, 0);
	wire_begin(&o, WIRE_OK);
	wire_end(&o);
	return say(&o) ? 0 : 1;
}

int main(int argc, char **argv)
{
	if (argc == 2 && !strcmp(argv[1], "serve"))
		return serve();
	if (argc == 2 && !strcmp(argv[1], "merge"))
		return merge();
	if (argc == 2 && (!strcmp(argv[1], "version") || !strcmp(argv[1], "--version"))) {
		printf("tinybox-engine %s, protocol %u\n", ENGINE_VERSION, WIRE_VERSION);
		return fflush(stdout) ? 1 : 0;
	}
	fputs("usage: tinybox-engine serve | merge | version\n"
	      "serve: starts the server of a virtual box from a START message on standard input\n",
	      stderr);
	return 2;
}
