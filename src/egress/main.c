/*
 * tinybox-egress: `serve` reads SECRETS on standard input, answers on standard output with the certificate of the
 * box's authority, and leaves behind what serves the keeper, when the one who started it hangs up.
 */
#include "egress/egress.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#define WAIT_MS 30000

static bool say(struct wire_out *o)
{
	return wire_say(1, o);
}

static int fail(const char *code, const char *why, bool with_errno)
{
	int error = errno;
	struct wire_out o = {0};
	char text[300];

	snprintf(text, sizeof(text), "secrets: %s%s%s", why, with_errno ? ": " : "", with_errno ? strerror(error) : "");
	wire_begin(&o, WIRE_ERROR);
	wire_text(&o, WIRE_F_CODE, code);
	wire_text(&o, WIRE_F_TEXT, text);
	wire_end(&o);
	say(&o);
	return 1;
}

/* ---- What SECRETS says ---- */

static bool has_tls(const struct vault *v)
{
	for (size_t i = 0; i < v->count; i++)
		for (size_t k = 0; k < v->secret[i].hosts; k++)
			if (v->secret[i].host[k].tls)
				return true;
	return false;
}

/* The directory is ours alone, as for the box's server. */
static int listen_in(const char *dir)
{
	struct sockaddr_un a = {.sun_family = AF_UNIX, .sun_path = HAND_SOCKET};
	int at = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC), fd;
	struct stat st;

	if (at < 0 || fstat(at, &st) || st.st_uid != geteuid() || st.st_mode & 077 || fchdir(at)) {
		if (at >= 0)
			close(at);
		return -1;
	}
	umask(077);
	unlinkat(at, HAND_SOCKET, 0);
	fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (fd >= 0 && (bind(fd, (struct sockaddr *)&a, sizeof(a)) || listen(fd, 4))) {
		close(fd);
		fd = -1;
	}
	close(at);
	return chdir("/") ? -1 : fd;
}

static int open_all(struct server *s, struct wire_iter fields)
{
	const char *why = NULL;
	bool bad = false, good;
	char *dir = wire_string(fields, WIRE_F_DIR, &bad), *box = wire_string(fields, WIRE_F_BOX, &bad);
	char *more = wire_string(fields, WIRE_F_CA, &bad);
	sigset_t set;

	good = !bad && dir && *dir == '/' && box && vault_read(&s->vault, fields, &why);
	if (!good)
		return fail("request", why ? why : "the request is damaged", false);
	if (!tls_open(&s->tls, box, more, has_tls(&s->vault), &why))
		return fail("unsupported", why, false);
	free(more);
	s->listener = listen_in(dir);
	if (s->listener < 0)
		return fail("file", "the state directory cannot be used", true);
	sigemptyset(&set);
	sigaddset(&set, SIGTERM);
	sigprocmask(SIG_BLOCK, &set, NULL);
	s->signals = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
	s->epoll = epoll_create1(EPOLL_CLOEXEC);
	free(dir);
	free(box);
	return s->signals < 0 || s->epoll < 0 ? fail("system", "epoll", true) : 0;
}

static int say_ready(struct server *s)
{
	struct wire_out o = {0};

	wire_begin(&o, WIRE_OK);
	wire_u32(&o, WIRE_F_PID, (uint32_t)getpid());
	wire_text(&o, WIRE_F_CA, s->tls.pem);
	wire_end(&o);
	return say(&o) ? 0 : 1;
}

/* The frame held the values. */
static void forget(struct wire_in *in)
{
	if (in->data)
		explicit_bzero(in->data, in->cap);
	wire_in_free(in);
}

static int child(struct wire_in *in, const struct wire_frame *f, int done)
{
	static struct server s;		/* one a process, as long as it lives */
	int rc, null = open("/dev/null", O_RDWR | O_CLOEXEC);

	setsid();
	prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
	signal(SIGPIPE, SIG_IGN);
	signal(SIGHUP, SIG_IGN);
	s.live = fcntl(0, F_DUPFD_CLOEXEC, 3);
	s.done = done;
	s.keeper = s.listener = s.signals = s.epoll = -1;
	rc = s.live < 0 || null < 0 ? fail("system", "/dev/null", true) : open_all(&s, wire_fields(f));
	forget(in);
	if (!rc && !wall_raise())
		rc = fail("system", "the wall cannot be raised", true);
	if (!rc)
		rc = say_ready(&s);
	if (!rc) {
		fcntl(s.live, F_SETFL, O_NONBLOCK);
		for (int fd = 0; fd < 3; fd++)
			dup2(null, fd);
		return server_run(&s);
	}
	vault_wipe(&s.vault);
	return rc;
}

static int serve(void)
{
	struct rlimit none = {0, 0};
	struct wire_in in = {0};
	struct wire_out o = {0};
	struct wire_frame f;
	int done[2];
	pid_t pid;
	char c;

	close_range(3, ~0u, 0);		/* whatever the caller has left open */
	setrlimit(RLIMIT_CORE, &none);
	prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
	wire_begin(&o, WIRE_HELLO);
	wire_text(&o, WIRE_F_MAGIC, WIRE_MAGIC);
	wire_u32(&o, WIRE_F_VERSION, WIRE_VERSION);
	wire_text(&o, WIRE_F_KIND, "egress");
	wire_end(&o);
	if (!say(&o))
		return 1;
	if (!wire_wait(&in, &f, 0, WAIT_MS) || !wire_is_hello(&f))
		return fail("protocol", "not the hello of a client of this version", false);
	if (!wire_wait(&in, &f, 0, WAIT_MS) || f.type != WIRE_SECRETS)
		return fail("protocol", "SECRETS is missing", false);
	if (pipe2(done, O_CLOEXEC))
		return fail("system", "a pipe", true);
	pid = fork();
	if (pid < 0)
		return fail("system", "fork", true);
	if (!pid) {
		close(done[0]);
		_exit(child(&in, &f, done[1]));
	}
	forget(&in);
	close(done[1]);
	/* until the one who started us hangs up, and the child lives by itself */
	return read(done[0], &c, 1) < 0;
}

int main(int argc, char **argv)
{
	if (argc == 2 && !strcmp(argv[1], "serve"))
		return serve();
	if (argc == 2 && (!strcmp(argv[1], "version") || !strcmp(argv[1], "--version"))) {
		printf("tinybox-egress %s, protocol %u\n", EGRESS_VERSION, WIRE_VERSION);
		return fflush(stdout) ? 1 : 0;
	}
	fputs("usage: tinybox-egress serve | version\n"
	      "serve: keeps a box's secrets, from a SECRETS message on standard input\n", stderr);
	return 2;
}
