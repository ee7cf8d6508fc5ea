/*
 * The keeper of a box behind docker: the container is made (or started again), process 1 in it comes
 * to the door, what it finds is compared with what was asked for, and it gets the box's socket. Then
 * the keeper waits: for the container's end, for SIGTERM, and for the work of proxy and records.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "init/docker.h"
#include "init/docker_group.h"
#include "init/door.h"
#include "init/keep.h"
#include "init/serve_in.h"
#include "init/slim.h"
#include "init/verbs.h"
#include "init/egress.h"
#include "init/wall_in.h"

#define DOOR_SECONDS 30u
#define UNWANTED_SECONDS 4u
#define END_TRIES 100u		/* of 100 ms, for a container that is about to end */

struct kept {
	struct start *b;
	struct docker docker;
	char user[24];
	bool made;		/* by this start: it goes when the start fails */
	int door, sock;
	unsigned unwanted;	/* seconds since somebody has wanted us to end, or the caller has gone */
};

/*
 * Nothing of a pull's length may look like silence; nobody may wait for it who is gone. A command that
 * makes something is not cut off at once: what it has asked the engine for would come all the same.
 */
static bool still_wanted(void *ctx)
{
	struct kept *k = ctx;
	struct start *b = k->b;
	struct pollfd p = {.fd = b->signals, .events = POLLIN};
	struct signalfd_siginfo info;
	struct wire_out o = {0};

	while (poll(&p, 1, 0) > 0 && read(p.fd, &info, sizeof(info)) == (ssize_t)sizeof(info))
		k->unwanted += info.ssi_signo == SIGTERM;
	if (k->unwanted)
		return ++k->unwanted < UNWANTED_SECONDS;

	wire_begin(&o, WIRE_ALIVE);
	wire_end(&o);
	k->unwanted = !send_frames(b->answer, &o);
	return true;
}

static bool engine_failed(struct kept *k)
{
	errno = 0;
	return serve_fail(k->b, k->docker.remote ? WIRE_ERROR_UNSUPPORTED : WIRE_ERROR_SYSTEM,
			  text_string(&k->docker.why), NULL, NULL);
}

/* ---- What was asked for, and what is there ---- */

/* The engine's socket in a workspace would be all of this machine. */
static bool holds_engine(const struct kept *k)
{
	const struct spec *s = &k->b->spec;
	const char *host = k->docker.host;
	char *path = s->workspace && !strncmp(host, "unix://", 7) ? realpath(host + 7, NULL) : NULL;
	char *slash = path ? strrchr(path, '/') : NULL;
	bool holds = false;

	if (slash) {
		slash[slash == path] = '\0';
		holds = wall_holds(s->workspace, path);
	}
	free(path);
	return holds;
}

/* Before anything is made: false: it is refused. */
static bool tell_files(struct kept *k)
{
	const struct spec *s = &k->b->spec;
	struct report *r = &k->b->report;

	if (s->workspace && wall_holds(s->workspace, s->dir))
		report_open(r, "filesystem", "", "the workspace holds the state directory: the box could "
			    "reach its own server, and other boxes'",
			    "choose another workspace, or a state directory outside of it (--store)");
	else if (holds_engine(k))
		report_open(r, "filesystem", "", "the workspace holds the engine's socket: the box could "
			    "command the engine, and with it this machine", "choose another workspace");
	else
		report_enforced(r, "filesystem", "", s->readonly_root ?
				"the container's mount namespace; its root cannot be written" :
				"the container's mount namespace");
	return serve_check_report(k->b);
}

/* Commands are to be the workspace's owner, whom an engine that maps user ids does not let in. */
static void tell_owner(struct kept *k)
{
	const struct spec *s = &k->b->spec;
	struct stat st;
	struct ucred u;
	socklen_t n = sizeof(u);

	if (s->workspace && !s->readonly && !s->given_user && !stat(s->workspace, &st) &&
	    !getsockopt(k->sock, SOL_SOCKET, SO_PEERCRED, &u, &n) && u.uid && u.uid != st.st_uid)
		report_open(&k->b->report, "filesystem", "", "the engine maps user ids: in the container nobody is the workspace's "
			    "owner, and it cannot be written", "an engine without userns-remap can, or a workspace of the box's own");
}

static void tell_network(struct kept *k, const struct door_facts *f)
{
	const struct spec *s = &k->b->spec;
	struct report *r = &k->b->report;

	if (s->network == SPEC_NETWORK_OPEN)
		report_enforced(r, "network", "open", f->links ? "the engine's default network, as asked" :
				"the engine's default network, as asked, which is none here");
	else if (f->links)
		report_open(r, "network", s->network == SPEC_NETWORK_NONE ? "none" : "egress",
			    "the container has more than a loopback", NULL);
	else if (s->network == SPEC_NETWORK_NONE)
		report_enforced(r, "network", "none", "network namespace with a loopback only");
	else
		egress_report(s, r, "network namespace, proxy of the keeper");
}

static void tell_powers(struct kept *k, const struct door_facts *f)
{
	struct report *r = &k->b->report;

	if (f->pid == 1)
		report_enforced(r, "processes", "", "the container's pid namespace");
	else
		report_open(r, "processes", "", "the container's init is not process 1", NULL);
	report_enforced(r, "syscalls", "", f->seccomp == 2 ? "the engine's seccomp filter, and ours" :
			"our seccomp filter; the engine has none");
	if (f->caps & ~docker_cap_mask())
		report_open(r, "privileges", "", "the engine gives more capabilities than were asked for",
			    "do not run it with --privileged as a default");
	else
		report_enforced(r, "privileges", "", f->uid ? "no_new_privs, no capabilities" :
				"no_new_privs; root has chown, fowner, fsetid, dac_override, kill, setuid, "
				"setgid");
	wall_tell_devices(&k->b->spec, r, "the container's /dev and device control group");
}

static void tell_limit(struct report *r, const char *control, uint64_t asked, uint64_t found,
		       const char *by, const char *why)
{
	char text[24];

	if (!asked)
		return;
	text_decimal(text, asked);
	if (found <= asked)
		report_enforced(r, control, text, by);
	else
		report_open(r, control, text, why, "give the engine's control groups that controller");
}

static void tell_limits(struct kept *k, const struct door_facts *f)
{
	static const char none[] = "the container's control group has no such limit";
	const struct spec *s = &k->b->spec;
	struct report *r = &k->b->report;
	char text[24];

	tell_limit(r, "memory", s->memory, f->memory, f->swap <= s->memory ?
		   "the container's control group, without swap" :
		   "the container's control group; swap is not counted here", none);
	tell_limit(r, "pids", s->pids, f->pids, "the container's control group", none);
	tell_limit(r, "cpu", s->cpu, f->cpu, "the container's control group", none);
	text_decimal(text, s->open_files);
	if (s->open_files)
		report_enforced(r, "open-files", text, "RLIMIT_NOFILE of each process");
}

/* ---- The container ---- */

static bool cannot_note(struct start *b)
{
	return serve_fail(b, WIRE_ERROR_SYSTEM, "the engine cannot be noted in", b->spec.dir, NULL);
}

static bool new_container(struct kept *k)
{
	struct start *b = k->b;

	if (!docker_find(&k->docker) ||
	    (b->spec.root && !b->spec.image && !docker_name_image(&k->docker, &b->spec)))
		return engine_failed(k);
	if (!tell_files(k))
		return false;
	docker_user(&k->docker, &b->spec, k->user);
	k->made = true;
	if (!docker_save(&k->docker, b->dir))
		return cannot_note(b);
	if (!docker_create(&k->docker, &b->spec, k->user, &b->report)) {
		/* a limit of the disk is refused as any other control is */
		return serve_check_report(b) && engine_failed(k);
	}
	return docker_save(&k->docker, b->dir) || cannot_note(b);
}

/* Does nobody have to wait any more? podman's container is stopping and stopped for a while before it has exited. */
static bool is_settled(const char *state)
{
	static const char *const words[] = {"", "exited", "created", "paused"};

	for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++)
		if (!strcmp(state, words[i]))
			return true;
	return false;
}

/* The one of an earlier start, when its process 1 has ended. */
static bool old_container(struct kept *k)
{
	struct timespec little = {.tv_nsec = 100000000};
	const char *why = NULL;
	char state[24];

	for (unsigned i = 0; i < END_TRIES; i++) {
		if (is_settled(docker_state(&k->docker, state)))
			break;
		nanosleep(&little, NULL);
	}
	if (!*state)
		why = "its container is not there any more, or the engine is not";
	else if (strcmp(state, "exited") && strcmp(state, "created"))
		why = !strcmp(state, "paused") ? "somebody has paused its container: `docker unpause`" :
			"its container does not end";
	if (!why && k->b->spec.disk)
		report_enforced(&k->b->report, "disk", "", "as when it was made");
	errno = 0;
	return !why || serve_fail(k->b, WIRE_ERROR_STATE, "the box cannot be started again", NULL, why);
}

static bool make_container(struct kept *k)
{
	struct start *b = k->b;

	if (docker_load(&k->docker, b->dir))
		return tell_files(k) && old_container(k);
	if (errno != ENOENT)
		return serve_fail(b, WIRE_ERROR_SYSTEM, "the note of the engine cannot be read in",
				  b->spec.dir, NULL);
	return new_container(k);
}

/* Process 1 has come; or the container has ended before, and then the engine may know why. */
static bool await_door(struct kept *k, struct door_facts *f)
{
	struct pollfd p = {.fd = k->door, .events = POLLIN};
	char state[24];

	for (unsigned i = 0; i < DOOR_SECONDS; i += 2) {
		if (poll(&p, 1, 2000) > 0)
			k->sock = door_answer(k->door, f);
		if (k->sock >= 0)
			return true;
		still_wanted(k);
		if (k->unwanted || strcmp(docker_state(&k->docker, state), "running"))
			break;
	}
	errno = 0;
	return serve_fail(k->b, WIRE_ERROR_UNSUPPORTED, "the container's process 1 did not reach its "
			  "keeper", NULL, "the engine may be in a virtual machine, the state directory on a "
			  "file system without exec, or the image for another processor");
}

/* ---- Its life ---- */

static bool open_ways(struct start *b)
{
	if (serve_take_signals(b) && pipe2(b->inside, O_CLOEXEC) == 0 &&
	    socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, b->channel) == 0) {
		b->server.keeper = b->channel[1];
		return true;
	}
	return serve_fail(b, WIRE_ERROR_SYSTEM, "the server was not started", NULL, NULL);
}

static bool start_box(struct kept *k)
{
	struct start *b = k->b;
	struct door_facts facts;
	int fd[DOOR_FDS];
	bool good;

	k->door = door_open(b->dir);
	if (k->door < 0)
		return serve_fail(b, WIRE_ERROR_SYSTEM, "the container's door cannot be made in",
				  b->spec.dir, NULL);
	if (!open_ways(b) || !make_container(k) || !serve_check_report(b))
		return false;
	if (k->unwanted || !docker_start(&k->docker, b->spec.box))
		return engine_failed(k);
	if (!await_door(k, &facts))
		return false;
	door_close(b->dir, k->door);
	k->door = -1;
	tell_owner(k);
	tell_network(k, &facts);
	tell_powers(k, &facts);
	tell_limits(k, &facts);
	memset(fd, -1, sizeof(fd));
	docker_group_open(k->sock, k->docker.id, fd, &b->report);
	good = serve_check_report(b) && serve_give(b, &k->sock, fd);
	docker_group_close(fd);
	return good && serve_wait_inside(b) && serve_open_egress(b) && serve_answer_ok(b, getpid());
}

/*
 * Until process 1 has ended, which closes its end of the channel. SIGTERM: we end, and so does it. True:
 * the state directory was removed, so that nobody but us knows of the container.
 */
static bool keep(struct start *b)
{
	struct pollfd p[3] = {{.fd = b->signals, .events = POLLIN},
		{.fd = b->channel[0], .events = POLLIN},
		{.fd = b->egress ? egress_fd(b->egress) : -1, .events = POLLIN}};
	struct signalfd_siginfo info;
	unsigned looks = 0;

	slim_down();
	for (;;) {
		if (poll(p, 3, looks ? LOOK_SOON : LOOK_EVERY) < 0 && errno != EINTR)
			return false;
		looks -= looks > 0;
		if (serve_is_removed(b))
			return true;
		if (p[2].revents)
			egress_run(b->egress);
		if (p[0].revents && read(p[0].fd, &info, sizeof(info)) == (ssize_t)sizeof(info)) {
			if (info.ssi_signo == SIGTERM)
				return false;
			if (info.ssi_signo == SIGIO)
				looks = LOOKS_SOON;
		}
		if (p[1].revents && !keep_answer(b->channel[0], b->procs))
			return serve_is_removed(b);
	}
}

int serve_docker(struct start *b)
{
	struct kept k = {.b = b, .door = -1, .sock = -1};
	bool good;

	k.docker.tick = still_wanted;
	k.docker.ctx = &k;
	b->channel[0] = b->channel[1] = b->inside[0] = b->inside[1] = -1;
	good = start_box(&k);
	if (good) {
		close(b->server.listen.fd);
		if (!b->egress)
			chain_close(&b->server.audit);
		k.docker.tick = NULL;
		if (keep(b))
			docker_remove(&k.docker);
		egress_close(b->egress);
		docker_free(&k.docker);
		return 0;
	}
	door_close(b->dir, k.door);
	if (k.sock >= 0)
		close(k.sock);
	/* process 1, if it is there, ends with the channel */
	if (b->channel[0] >= 0)
		close(b->channel[0]);
	k.docker.tick = NULL;
	if (k.made && docker_remove(&k.docker))
		unlinkat(b->dir, "engine", 0);
	docker_free(&k.docker);
	return 1;
}
