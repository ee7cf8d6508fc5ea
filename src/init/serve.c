/*
 * `tinybox-init serve`: START is read, the box's lock, socket and logs are made, and the server is
 * left behind: a process of its own session, which behind passthrough serves itself and behind
 * namespace keeps the outside of the wall while process 1 inside serves.
 *
 * The lock file says who lives. Byte 0 is a POSIX lock of the keeper alone: F_GETLK names its pid,
 * and the kernel drops it with the process. Byte 1 is locked by the open file description, which
 * the nurses share: it is free when the last of them is gone.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "init/keep.h"
#include "init/path.h"
#include "init/serve_in.h"
#include "init/slim.h"
#include "init/verbs.h"
#include "init/wall_in.h"
#include "wire/hand.h"

bool serve_fail(struct start *b, enum wire_error code, const char *a, const char *what,
		const char *why)
{
	struct wire_out o = {0};

	error_frame(&o, code, errno, a, what, why);
	send_frames(b->answer, &o);
	return false;
}

/* A step of the wall failed: why, the kernel's word, and what can be done about it. */
static void fail_wall(struct start *b, const char *what, const char *why)
{
	int error = errno;
	const char *blame = wall_blame(error);
	struct text t = {0};

	if (why)
		text_add(&t, why);
	if (why && error)
		text_add(&t, ": ");
	if (error)
		text_add(&t, text_errno(error));
	if (blame) {
		text_add(&t, "; ");
		text_add(&t, blame);
	}
	errno = error;
	serve_fail(b, WIRE_ERROR_SYSTEM, what, NULL, text_string(&t));
	text_free(&t);
}

static bool lock_byte(int fd, int command, off_t byte)
{
	struct flock l = {.l_type = F_WRLCK, .l_whence = SEEK_SET, .l_start = byte, .l_len = 1};

	return fcntl(fd, command, &l) == 0;
}

/* A keeper whose server has just said that it stops is about to end; an engine's takes its time. */
static bool lock_box(const struct spec *s, int fd)
{
	struct timespec little = {.tv_nsec = 5000000};
	unsigned tries = s->kind == SPEC_DOCKER || s->kind == SPEC_MICROVM ? 2000 : 200;

	for (unsigned i = 0; i < tries; i++) {
		if (lock_byte(fd, F_SETLK, 0))
			return true;
		nanosleep(&little, NULL);
	}
	return false;
}

/* What an earlier server's nurses have not killed yet, they are about to. */
static bool lock_trees(int fd)
{
	struct timespec little = {.tv_nsec = 5000000};

	for (unsigned i = 0; i < 1000; i++) {
		if (lock_byte(fd, F_OFD_SETLK, 1))
			return true;
		nanosleep(&little, NULL);
	}
	return false;
}

static bool take_lock(struct start *b)
{
	int fd = openat(b->dir, "lock", O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);

	b->server.lock = fd;
	if (fd < 0)
		return serve_fail(b, WIRE_ERROR_SYSTEM, "the box cannot be locked in", b->spec.dir, NULL);
	if (!lock_box(&b->spec, fd)) {
		errno = 0;
		return serve_fail(b, WIRE_ERROR_STATE, "the box runs already in", b->spec.dir, NULL);
	}
	if (!lock_trees(fd))
		return serve_fail(b, WIRE_ERROR_STATE,
			    "processes of the box's earlier server still live in", b->spec.dir,
			    NULL);
	return true;
}

/* By the directory's descriptor: a path may be longer than a socket's address. */
static bool listen_at(struct start *b)
{
	struct sockaddr_un a = {.sun_family = AF_UNIX, .sun_path = "socket"};
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);

	b->server.listen.fd = fd;
	umask(077);
	if (fd < 0 || fchdir(b->dir) < 0)
		return serve_fail(b, WIRE_ERROR_SYSTEM, "the box's socket cannot be made in", b->spec.dir,
			    NULL);
	/* a server that died left its socket, and perhaps its control groups */
	if (unlink("socket") == 0)
		cgroup_sweep(b->spec.box);
	if (bind(fd, (struct sockaddr *)&a, sizeof(a)) < 0 || listen(fd, 128) < 0 ||
	    chdir("/") < 0)
		return serve_fail(b, WIRE_ERROR_SYSTEM, "the box's socket cannot be made in", b->spec.dir,
			    NULL);
	/* what the wall makes, the box's / too, is for all of the box's users */
	umask(022);
	return true;
}

/* Whose directory it is, for whoever has to clean up behind us. */
static bool write_name(struct start *b)
{
	/* killed here, an earlier start's name stays whole */
	int fd = openat(b->dir, "box", O_WRONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
	size_t n = strlen(b->spec.box);
	bool good = fd >= 0 && write_all(fd, b->spec.box, n) && !ftruncate(fd, (off_t)n);

	if (fd >= 0)
		close(fd);
	return good;
}

static bool open_dir(struct start *b)
{
	struct stat st;
	int fd = open(b->spec.dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	b->dir = fd;
	if (fd < 0 || fstat(fd, &st) < 0)
		return serve_fail(b, WIRE_ERROR_FILE, "the state directory cannot be opened", b->spec.dir,
			    NULL);
	errno = 0;
	if (st.st_uid != geteuid() || st.st_mode & 077)
		return serve_fail(b, WIRE_ERROR_POLICY, "the state directory is open to others",
			    b->spec.dir, "it must be ours, mode 0700");
	if (!take_lock(b))
		return false;
	if (!audit_open(&b->server, fd))
		return serve_fail(b, WIRE_ERROR_SYSTEM, "the audit log cannot be opened in", b->spec.dir,
			    NULL);
	b->procs = keep_open(fd);
	if (b->procs < 0 || !write_name(b))
		return serve_fail(b, WIRE_ERROR_SYSTEM, "the records cannot be opened in", b->spec.dir,
			    NULL);
	return listen_at(b);
}

static const char *number(char to[24], uint64_t n)
{
	text_decimal(to, n);
	return to;
}

/* No wall: what was asked for by name is told, and refused below. */
static void report_passthrough(struct start *b)
{
	static const char why[] = "passthrough has no wall", fix[] = "use the namespace sandbox";
	static const char *const always[] = {"filesystem", "processes", "network", "syscalls",
		"privileges", "devices"};
	const struct spec *s = &b->spec;
	char text[24];

	for (size_t i = 0; i < sizeof(always) / sizeof(*always); i++)
		report_open(&b->report, always[i], "", why, fix);
	if (s->network != SPEC_NETWORK_OPEN)
		report_open(&b->report, "network", s->network == SPEC_NETWORK_NONE ? "none" :
			    "egress", why, fix);
	if (s->root || s->readonly)
		report_open(&b->report, "filesystem", s->root ? "a root of its own" :
			    "a workspace that cannot be written", why, fix);
	if (s->disk)
		report_open(&b->report, "disk", number(text, s->disk), why, fix);
	if (s->open_files)
		report_enforced(&b->report, "open-files", number(text, s->open_files), "rlimit");
}

/* Lines that nobody asked for only inform. */
static const struct report_line *refused(const struct start *b)
{
	for (size_t i = 0; i < b->report.count; i++) {
		const struct report_line *l = &b->report.line[i];

		if (!l->by[0] && (l->asked[0] || b->spec.kind != SPEC_PASSTHROUGH) &&
		    !spec_accepts(&b->spec, l->control))
			return l;
	}
	return NULL;
}

bool serve_check_report(struct start *b)
{
	const struct report_line *l = refused(b);
	struct text t = {0};

	if (!l)
		return true;
	errno = 0;
	text_add(&t, l->why);
	if (l->fix[0]) {
		text_add(&t, "; ");
		text_add(&t, l->fix);
	}
	text_add(&t, ", or accept it by name");
	serve_fail(b, WIRE_ERROR_POLICY, "nothing enforces the control", l->control, text_string(&t));
	text_free(&t);
	return false;
}

static void put_published(const struct start *b, struct wire_out *o)
{
	for (size_t i = 0; b->egress && i < b->spec.port_count; i++) {
		const struct spec_port *p = &b->spec.ports[i];
		size_t mark = wire_nest(o, WIRE_F_PUBLISH);

		wire_u32(o, WIRE_F_PORT, p->inside);
		wire_u32(o, WIRE_F_HOST_PORT, egress_port(b->egress, i));
		wire_text(o, WIRE_F_ADDRESS, p->address ? p->address : "127.0.0.1");
		wire_unnest(o, mark);
	}
}

bool serve_answer_ok(struct start *b, pid_t pid)
{
	struct wire_out o = {0};
	bool good;

	wire_begin(&o, WIRE_OK);
	wire_u32(&o, WIRE_F_PID, (uint32_t)pid);
	report_write(&b->report, &o);
	put_published(b, &o);
	wire_end(&o);
	good = send_frames(b->answer, &o);
	good = write(b->ready[1], "", 1) == 1 && good;
	close(b->ready[1]);
	close(b->answer);
	for (int fd = 0, null = open("/dev/null", O_RDWR | O_CLOEXEC); fd < 3; fd++)
		dup2(null, fd);
	return good;
}

static char *words;
static size_t words_size;

void verb_words(int argc, char **argv)
{
	words = argv[0];
	words_size = argc ? (size_t)(argv[argc - 1] + strlen(argv[argc - 1]) + 1 - words) : 0;
}

void verb_forget(void)
{
	static const char name[] = "tinybox-init";

	/* a last byte that is no NUL: the kernel then takes the first string alone */
	if (words_size <= sizeof(name))
		return;
	memset(words, 0, words_size);
	memcpy(words, name, sizeof(name));
	words[words_size - 1] = '.';
}

/* The server's process: of the namespace kind it is process 1 of the box, and the wall stands. */
static int inside(void *ctx)
{
	struct start *b = ctx;
	struct server *s = &b->server;
	int32_t error = 0;
	bool good;

	if (s->wall)
		verb_forget();
	good = s->wall || !s->cgroup || (cgroup_join(s->cgroup) && cgroup_settle(s->cgroup));
	good = good && server_open(s);
	if (!good)
		error = errno ? errno : EIO;
	if (write(b->inside[1], &error, sizeof(error)) != (ssize_t)sizeof(error) || !good)
		return 1;
	close(b->inside[1]);
	return server_run(s);
}

/* What the keeper does not share with the server. */
static _Noreturn void passthrough(struct start *b, const int *keep, size_t count)
{
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	close_others(keep, count);
	for (int fd = 0, null = open("/dev/null", O_RDWR | O_CLOEXEC); fd < 3; fd++)
		dup2(null, fd);
	_exit(inside(b));
}

/* Nobody can reach a box whose directory was removed. */
bool serve_is_removed(const struct start *b)
{
	struct stat st;

	/* who removed all that could be removed meant the rest too */
	return (!fstat(b->dir, &st) && !st.st_nlink) ||
	       (fstatat(b->dir, "lock", &st, AT_SYMLINK_NOFOLLOW) < 0 && errno == ENOENT);
}

/* Until the server has ended: what is outside of the wall is ours. SIGTERM ends the box. */
static int keep_box(struct start *b, pid_t pid)
{
	struct pollfd p[3] = {{.fd = b->signals, .events = POLLIN},
		{.fd = b->channel[0], .events = POLLIN},
		{.fd = b->egress ? egress_fd(b->egress) : -1, .events = POLLIN}};
	struct signalfd_siginfo info;
	const int end = b->spec.kind == SPEC_PASSTHROUGH ? SIGTERM : SIGKILL;
	int status = 1;
	unsigned looks = 0;

	slim_down();
	while (waitpid(pid, &status, WNOHANG) != pid) {
		if (poll(p, 3, looks ? LOOK_SOON : LOOK_EVERY) < 0 && errno != EINTR)
			break;
		looks -= looks > 0;
		if (serve_is_removed(b))
			kill(pid, end);
		if (p[2].revents)
			egress_run(b->egress);
		if (p[0].revents && read(p[0].fd, &info, sizeof(info)) == (ssize_t)sizeof(info)) {
			if (info.ssi_signo == SIGTERM)
				kill(pid, end);
			if (info.ssi_signo == SIGIO)
				looks = LOOKS_SOON;
		}
		if (p[1].revents && !keep_answer(b->channel[0], b->procs))
			p[1].fd = -1;
	}
	return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}

bool serve_take_signals(struct start *b)
{
	sigset_t set;

	b->signals = loop_take_signals(0);
	sigemptyset(&set);
	sigaddset(&set, SIGTERM);
	sigaddset(&set, SIGCHLD);
	sigaddset(&set, SIGIO);
	/* A SIGIO when something in it is removed: all of it, perhaps. No more than a hint. */
	fcntl(b->dir, F_NOTIFY, DN_DELETE | DN_MULTISHOT);
	return b->signals >= 0 && signalfd(b->signals, &set, 0) >= 0;
}

/* The server asks for the records before it says that it is ready. */
bool serve_wait_inside(struct start *b)
{
	struct pollfd p[2] = {{.fd = b->inside[0], .events = POLLIN},
		{.fd = b->channel[0], .events = POLLIN}};
	int32_t error = ECHILD;

	for (;;) {
		if (poll(p, 2, -1) < 0 && errno != EINTR)
			break;
		if (p[1].revents && !keep_answer(b->channel[0], b->procs))
			p[1].fd = -1;
		if (!p[0].revents)
			continue;
		if (read(b->inside[0], &error, sizeof(error)) != (ssize_t)sizeof(error))
			error = ECHILD;
		break;
	}
	close(b->inside[0]);
	if (!error)
		return true;
	errno = error;
	return serve_fail(b, WIRE_ERROR_SYSTEM, "the server inside cannot be set up", NULL, NULL);
}

/* From here on the wall is bubblewrap's, and what was of ours goes. */
static pid_t by_bwrap(struct start *b)
{
	pid_t pid = serve_bwrap(b);

	wall_close(b->wall);
	b->server.wall = b->wall = NULL;
	return pid;
}

/* Starts the server, behind the wall or without one; its pid, or -1 and the answer was given. */
static pid_t enter(struct start *b)
{
	struct server *s = &b->server;
	int keep[] = {s->listen.fd, s->keeper, s->audit.fd, s->audit.head, s->lock, b->inside[1], -1, -1, -1, -1, -1,
		-1, -1, -1};
	size_t count = 6;
	const char *why = NULL;
	pid_t pid;

	if (s->wall) {
		pid = wall_enter(b->wall, inside, b, keep, count, &why);
		if (pid < 0 && serve_needs_bwrap())
			return by_bwrap(b);
	} else {
		count += cgroup_keep(s->cgroup, keep + count);
		pid = (pid_t)wall_clone(0, cgroup_fd(s->cgroup));
		if (!pid)
			passthrough(b, keep, count);
	}
	if (pid < 0)
		fail_wall(b, "the server cannot be started", why);
	close(b->inside[1]);
	close(s->keeper);
	return pid;
}

static void tell_egress(void *ctx, const struct egress_decision *d)
{
	struct start *b = ctx;

	audit_egress(&b->server, d);
}

/* tinybox-egress is there before the box: the command has started it. */
static bool open_secrets(struct start *b)
{
	struct sockaddr_un a = {.sun_family = AF_UNIX, .sun_path = HAND_SOCKET};
	int fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);

	if (fd < 0 || fchdir(b->dir) < 0 || connect(fd, (struct sockaddr *)&a, sizeof(a)) < 0 || chdir("/") < 0 ||
	    !egress_secrets(b->egress, b->spec.secrets, fd))
		return serve_fail(b, WIRE_ERROR_STATE, "what keeps the box's secrets is not there", NULL, NULL);
	unlinkat(b->dir, HAND_SOCKET, 0);
	fcntl(fd, F_SETFL, O_NONBLOCK);
	report_enforced(&b->report, "secrets", "", "tinybox-egress, outside: the box has placeholders");
	return true;
}

/* The proxy and the published ports, when the wall stands. */
bool serve_open_egress(struct start *b)
{
	const struct spec *s = &b->spec;
	const char *why = NULL;
	bool proxy = s->kind != SPEC_PASSTHROUGH && s->network == SPEC_NETWORK_EGRESS;

	if (!proxy && !s->port_count)
		return true;
	if (b->wall) {
		b->listener = wall_listener(b->wall);
		b->ports = wall_channel(b->wall);
	}
	if (s->relay && b->listener >= 0) {
		serve_relay(s->relay, b->listener);
		close(b->listener);
		b->listener = -1;
	}
	if (s->relay && !s->port_count)
		return true;
	b->egress = egress_open(s, b->listener, b->ports, &b->report, tell_egress, b, &why);
	b->listener = b->ports = -1;
	if (!b->egress)
		return serve_fail(b, WIRE_ERROR_REQUEST, "the box's network cannot be had", NULL, why);
	if (s->secrets[0] && !open_secrets(b))
		return false;
	return serve_check_report(b);
}

static int run(struct start *b)
{
	struct server *s = &b->server;
	pid_t pid;

	if (!serve_check_report(b))
		return 1;
	if (!serve_take_signals(b) || pipe2(b->inside, O_CLOEXEC) < 0 ||
	    socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, b->channel) < 0) {
		serve_fail(b, WIRE_ERROR_SYSTEM, "the server was not started", NULL, NULL);
		return 1;
	}
	s->keeper = b->channel[1];
	pid = enter(b);
	if (pid < 0)
		return 1;
	if (serve_wait_inside(b) && serve_open_egress(b) && serve_answer_ok(b, getpid())) {
		int status;

		close(s->listen.fd);
		if (!b->egress)
			chain_close(&s->audit);
		status = keep_box(b, pid);
		egress_close(b->egress);
		return status;
	}
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	return 1;
}

static bool root_can_be_seen(struct start *b)
{
	char *mount = b->spec.root ? wall_mount_below(b->spec.root) : NULL;

	if (!mount)
		return true;
	errno = 0;
	serve_fail(b, WIRE_ERROR_REQUEST, "the root directory has a mount inside of it,", mount, "an overlay cannot show it; unmount it "
		   "(umount -R), or give a copy of the tree (cp -a)");
	free(mount);
	return false;
}

static int run_kind(struct start *b)
{
	const char *why = NULL;
	int status;

	if (b->spec.kind == SPEC_DOCKER)
		return serve_docker(b);
	if (b->spec.kind == SPEC_PASSTHROUGH) {
		report_passthrough(b);
		return run(b);
	}
	if (!root_can_be_seen(b))
		return 1;
	b->wall = wall_open(&b->spec, b->server.cgroup, &b->report, &why);
	if (!b->wall) {
		fail_wall(b, "the wall cannot be had", why);
		return 1;
	}
	b->server.wall = b->wall;
	status = run(b);
	wall_close(b->wall);
	return status;
}

/* Without a wall there is nowhere to make the target: an empty workspace is in the state directory. */
static const char *empty_workspace(struct start *b)
{
	struct text t = {0};

	if (mkdirat(b->dir, "workspace", 0700) < 0 && errno != EEXIST)
		return NULL;
	text_add(&t, b->spec.dir);
	text_add(&t, "/workspace");
	return t.failed ? NULL : text_string(&t);
}

static const char *work_dir(struct start *b)
{
	const struct spec *s = &b->spec;

	if (s->cwd)
		return s->cwd;
	if (s->kind != SPEC_PASSTHROUGH)
		return s->target ? s->target : s->workspace ? "/workspace" : "/";
	if (s->workspace)
		return s->workspace;
	return s->target ? empty_workspace(b) : "/";
}

static int serve_box(struct start *b)
{
	struct server *s = &b->server;
	int status;

	s->spec = &b->spec;
	s->report = &b->report;
	if (!open_dir(b))
		return 1;
	s->cwd = work_dir(b);
	if (!s->cwd) {
		serve_fail(b, WIRE_ERROR_SYSTEM, "the workspace cannot be made in", b->spec.dir, NULL);
		return 1;
	}
	if (b->spec.kind == SPEC_PASSTHROUGH || b->spec.kind == SPEC_NAMESPACE)
		s->cgroup = cgroup_open(&b->spec, &b->report);
	if (b->spec.kind == SPEC_MICROVM)
		status = serve_vm(b);
	else if (s->cgroup || b->spec.kind == SPEC_DOCKER)
		status = run_kind(b);
	else
		status = serve_fail(b, WIRE_ERROR_SYSTEM, "no memory", NULL, NULL);
	if (s->cgroup)
		cgroup_close(s->cgroup);
	unlinkat(b->dir, "socket", 0);
	return status;
}

static _Noreturn void daemon_of(struct start *b)
{
	int keep[] = {b->answer, b->ready[1]};

	setsid();
	close_others(keep, 2);
	_exit(serve_box(b));
}

bool serve_start(struct wire_iter fields, int answer)
{
	struct start *b = calloc(1, sizeof(*b));
	const char *why, *what;
	char byte;
	bool good = false;
	pid_t pid;

	if (!b)
		return false;
	b->answer = answer;
	b->fields = fields;
	b->listener = b->ports = -1;
	b->server.audit = (struct chain)CHAIN_CLOSED;
	b->server.lock = b->dir = b->procs = -1;
	errno = 0;
	if (!spec_read(&b->spec, fields, &why, &what)) {
		serve_fail(b, WIRE_ERROR_REQUEST, why, what, NULL);
	} else if (pipe2(b->ready, O_CLOEXEC) == 0) {
		pid = fork();
		if (!pid)
			daemon_of(b);
		close(b->ready[1]);
		/* the answer is the child's, unless it could not be made */
		if (pid < 0)
			serve_fail(b, WIRE_ERROR_SYSTEM, "the server was not started", NULL, NULL);
		else
			good = read(b->ready[0], &byte, 1) == 1;
		close(b->ready[0]);
		if (pid > 0 && !good)
			waitpid(pid, NULL, 0);
	}
	spec_free(&b->spec);
	free(b);
	return good;
}

int verb_serve(void)
{
	struct wire_in in = {0};
	struct wire_out o = {0};
	struct wire_frame f;
	bool good = false;

	conn_hello(NULL, &o);
	if (!send_frames(1, &o))
		return 1;
	if (read_frame(0, &in, &f) && f.type == WIRE_HELLO && read_frame(0, &in, &f) &&
	    f.type == WIRE_START) {
		good = serve_start(wire_fields(&f), 1);
	} else {
		error_frame(&o, WIRE_ERROR_PROTOCOL, 0, "HELLO and START were expected", NULL,
			    in.error);
		send_frames(1, &o);
	}
	wire_in_free(&in);
	return !good;
}
