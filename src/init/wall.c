/*
 * The namespace wall from outside: what can be had, the clone into new namespaces, the ids, and the
 * conversation with the child until the wall stands.
 *
 * Ids. The host's root never runs anything as root: a box gets a range of ids that nobody has
 * (WALL_BASE), its own files belong to that, a workspace is mounted with its owner mapped to the
 * box's user, and the host's files are nobody's. An ordinary user can map one id, its own. Neither
 * needs a set-user-id program. docs/adr/0008 has the reasons.
 */
#include "init/wall_in.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "init/egress.h"
#include "wire/pass.h"

#define FIRST_USERNS 0xeffffffdu	/* nsfs.h of Linux 6.18 names it */

/* Whether this user namespace has all of the range. */
static bool range_is_ours(const char *map)
{
	int fd = open(map, O_RDONLY | O_CLOEXEC);
	char text[4096], *at;		/* the kernel wants a map to be less than a page */
	ssize_t n = fd < 0 ? 0 : read(fd, text, sizeof(text) - 1);
	bool found = false;

	if (fd >= 0)
		close(fd);
	text[n < 0 ? 0 : n] = 0;
	for (char *line = text; !found && line && *line; line = strchr(at, '\n')) {
		unsigned long inside, count;

		line += *line == '\n';
		inside = strtoul(line, &at, 10);
		strtoul(at, &at, 10);
		count = strtoul(at, &at, 10);
		found = inside <= WALL_BASE && count >= WALL_RANGE &&
			WALL_BASE - inside <= count - WALL_RANGE;
	}
	return found;
}

/* The host's first user namespace, which has all ids: its number is the same on every kernel. */
static bool first_userns(void)
{
	struct stat st;

	return !stat("/proc/self/ns/user", &st) && st.st_ino == FIRST_USERNS;
}

bool wall_has_range(void)
{
	return !geteuid() && (first_userns() || (range_is_ours("/proc/self/uid_map") &&
						 range_is_ours("/proc/self/gid_map")));
}

static void shut(int *fd)
{
	if (*fd >= 0)
		close(*fd);
	*fd = -1;
}

static bool plain_target(const char *t)
{
	if (*t != '/' || !t[1])
		return false;
	for (const char *s = t; *s; s += strcspn(s, "/")) {
		s += strspn(s, "/");
		if (s[0] == '.' && (!s[1] || s[1] == '/' || (s[1] == '.' && (!s[2] || s[2] == '/'))))
			return false;
	}
	return true;
}

/* Whose the workspace is, and whether its mount has to be mapped. */
static const char *look_at_workspace(struct wall *w)
{
	struct stat st;

	if (!plain_target(w->target))
		return "the workspace's target is not an absolute path without . and ..";
	if (!w->spec->workspace)
		return NULL;
	if (*w->spec->workspace != '/' || stat(w->spec->workspace, &st))
		return "the workspace cannot be found (it is an absolute path)";
	if (!S_ISDIR(st.st_mode)) {
		errno = ENOTDIR;
		return "the workspace is not a directory";
	}
	w->work_uid = st.st_uid;
	w->work_gid = st.st_gid;
	w->idmap = w->range && st.st_uid != w->out_uid;
	return NULL;
}

static const char *prepare(struct wall *w)
{
	const struct spec *s = w->spec;
	const char *why;

	w->range = wall_has_range();
	if (w->range && (s->uid >= WALL_RANGE || s->gid >= WALL_RANGE)) {
		errno = EINVAL;
		return "the user id inside is above 65535";
	}
	w->out_uid = w->range ? WALL_BASE + s->uid : geteuid();
	w->out_gid = w->range ? WALL_BASE + s->gid : getegid();
	why = look_at_workspace(w);
	if (why)
		return why;
	/* the box's files are a real user's: its own without a range, the workspace with one */
	if (!filter_make(&w->filter, !w->range || (s->workspace && !s->readonly)))
		return "no memory";
	/* with the range it is looked for while the child begins */
	if (!w->range)
		wall_share(w);
	return wall_store(w);
}

struct wall *wall_open(const struct spec *spec, struct cgroup *c, struct report *r,
		       const char **why)
{
	struct wall *w = calloc(1, sizeof(*w));

	*why = w ? NULL : "no memory";
	if (!w)
		return NULL;
	w->spec = spec;
	w->cgroup = c;
	memset(w->tree, -1, sizeof(w->tree));
	w->host_has = (struct wall_host)WALL_HOST_ALL;
	w->listener = w->channel[0] = w->channel[1] = w->shared_lock = w->disk = w->sysctl = -1;
	w->target = spec->target ? spec->target : "/workspace";
	snprintf(w->host, sizeof(w->host), "%s", spec->hostname ? spec->hostname : spec->box);
	w->landlock = wall_landlock_abi();
	*why = prepare(w);
	if (!*why && c && !cgroup_give(c, w->out_uid, w->out_gid))
		*why = "the box's control groups cannot be given to its user";
	if (*why) {
		int saved = errno;

		wall_close(w);
		errno = saved;
		return NULL;
	}
	wall_tell(w, r);
	return w;
}

/* The lowest of the kept ones that is not below; ~0u: none. */
static unsigned next_kept(const int *fds, size_t count, unsigned from, unsigned best)
{
	for (size_t i = 0; i < count; i++) {
		if (fds[i] >= 0 && (unsigned)fds[i] >= from && (unsigned)fds[i] < best)
			best = (unsigned)fds[i];
	}
	return best;
}

/* Only what was asked for stays open, and 0, 1, 2 lead somewhere. */
static const char *close_others(const struct wall *w, int sock, const int *keep, size_t count)
{
	int null = open("/dev/null", O_RDWR | O_CLOEXEC);
	int own[CGROUP_KEEP + 4] = {sock, null, w->listener, w->channel[1]};
	size_t n = 4 + (w->cgroup ? cgroup_keep(w->cgroup, own + 4) : 0);
	unsigned from = 0, next;

	if (null < 0)
		return "the box's /dev/null cannot be opened";
	do {
		next = next_kept(own, n, from, next_kept(keep, count, from, ~0u));
		if (next > from)
			syscall(SYS_close_range, from, next == ~0u ? next : next - 1, 0);
		from = next + 1;
	} while (next != ~0u);
	for (int fd = 0; fd < 3; fd++) {
		if (fcntl(fd, F_GETFD) < 0)
			dup2(null, fd);
	}
	if (null > 2)
		close(null);
	return NULL;
}

/* Where the proxy will accept, from outside: the socket stays in this network namespace. */
static const char *listen_inside(struct wall *w)
{
	struct sockaddr_in a = {.sin_family = AF_INET, .sin_port = htons(EGRESS_PORT),
		.sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);

	if (fd < 0 || bind(fd, (struct sockaddr *)&a, sizeof(a)) || listen(fd, 128))
		return "the proxy's socket cannot be made";
	w->listener = fd;
	return NULL;
}

static const char *clone_why(int error)
{
	switch (error) {
	case EPERM:
	case EACCES:
		return "user namespaces are forbidden here";
	case ENOSPC:
	case EUSERS:
		return "no more namespaces are allowed (user.max_user_namespaces and its like)";
	case EINVAL:
		return "this kernel lacks a kind of namespace";
	case ENOSYS:
		return "clone3 is missing, with which a process begins in its control groups";
	default:
		return "the box's first process cannot be made";
	}
}

/* The network's takes longest, and so comes first, beside all others; that of groups from inside its group. */
static const char *namespaces(struct wall *w)
{
	const char *why = wall_ids(w);
	int more = 0;

	if (why)
		return why;
	if (w->spec->network != SPEC_NETWORK_OPEN && !wall_net_begin(&w->net))
		return "a thread cannot be started";
	why = wall_unbound();
	if (why)
		return why;
	if (w->cgroup && !cgroup_join(w->cgroup))
		return "the box's control groups cannot be entered";
	if (!w->cgroup || cgroup_namespace(w->cgroup))
		more = CLONE_NEWCGROUP;
	if (unshare(CLONE_NEWNS | CLONE_NEWIPC | CLONE_NEWUTS | more))
		return clone_why(errno);
	return sethostname(w->host, strlen(w->host)) ? "the host name cannot be set" : NULL;
}

static const char *build(struct wall *w, int sock, const int *keep, size_t count)
{
	const char *why;

	w->keeper = sock;
	why = namespaces(w);
	if (why)
		return why;
	/* no terminal of the host's is ours, whoever started the keeper */
	setsid();
	umask(0);
	why = wall_mounts(w);
	why = why ? why : wall_net_end(&w->net);
	wall_low_ports(w);
	if (!why && w->spec->network == SPEC_NETWORK_EGRESS)
		why = listen_inside(w);
	why = why ? why : wall_powerless(w);
	why = why ? why : close_others(w, sock, keep, count);
	wall_net_alone(&w->net);
	umask(022);
	/* last, as a change of ids takes it away */
	if (!why && prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0))
		why = "the box cannot be tied to its keeper";
	return why;
}

static _Noreturn void child(struct wall *w, int sock, int (*inside)(void *), void *ctx,
			    const int *keep, size_t count)
{
	struct wall_failure f = {.why = build(w, sock, keep, count)};
	struct pollfd p = {.fd = sock};

	f.error = f.why ? errno : 0;
	/* a keeper that died before we were tied to it; it closes its end after our word only */
	if (poll(&p, 1, 0) > 0 && (p.revents & POLLHUP))
		_exit(1);
	if (!pass_send(sock, &f, sizeof(f), &w->listener, w->listener >= 0, 0) || f.why)
		_exit(1);
	if (w->listener >= 0)
		close(w->listener);
	close(sock);
	_exit(inside(ctx));
}

static const char *await(struct wall *w, int sock)
{
	struct wall_failure f = {NULL, 0};
	int fds[PASS_MAX];
	size_t count = 0;

	if (pass_take(sock, &f, sizeof(f), fds, &count, 0) != sizeof(f)) {
		errno = ECHILD;
		return "the box's first process died while the wall was built";
	}
	if (count)
		w->listener = fds[0];
	errno = f.error;
	return f.why;
}

pid_t wall_enter(struct wall *w, int (*inside)(void *ctx), void *ctx, const int *keep, size_t count,
		 const char **why)
{
	int sock[2], saved;
	long pid;

	*why = "a socket cannot be made";
	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, sock))
		return -1;
	if (w->spec->port_count && w->spec->network != SPEC_NETWORK_OPEN &&
	    socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, w->channel)) {
		close(sock[0]);
		close(sock[1]);
		return -1;
	}
	pid = wall_clone(CLONE_NEWUSER | CLONE_NEWPID | CLONE_NEWTIME, w->cgroup ? cgroup_fd(w->cgroup) : -1);
	if (!pid) {
		close(sock[0]);
		shut(&w->channel[0]);
		child(w, sock[1], inside, ctx, keep, count);
	}
	saved = errno;
	close(sock[1]);
	shut(&w->channel[1]);
	errno = saved;
	*why = pid < 0 ? clone_why(errno) : NULL;
	if (!*why && w->range)
		*why = wall_help(w, (pid_t)pid, sock[0]);
	/* it ends with the box */
	shut(&w->disk);
	if (!*why)
		*why = await(w, sock[0]);
	saved = errno;
	close(sock[0]);
	if (*why && pid > 0) {
		kill((pid_t)pid, SIGKILL);
		while (waitpid((pid_t)pid, NULL, 0) < 0 && errno == EINTR)
			;
	}
	errno = saved;
	return *why ? -1 : (pid_t)pid;
}

void wall_close(struct wall *w)
{
	if (!w)
		return;
	filter_free(&w->filter);
	wall_unshare(w);
	shut(&w->disk);
	shut(&w->listener);
	shut(&w->channel[0]);
	shut(&w->channel[1]);
	free(w);
}

static int hand_over(int *fd)
{
	int given = *fd;

	*fd = -1;
	return given;
}

int wall_listener(struct wall *w)
{
	return hand_over(&w->listener);
}

int wall_channel(struct wall *w)
{
	return hand_over(&w->channel[0]);
}

int wall_channel_inside(const struct wall *w)
{
	return w->channel[1];
}

bool wall_sweep(const char *dir)
{
	static const char *const name[] = {"overlay", "disk", "disk.new", "nodes"};
	int fd = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW), saved;
	bool ok = fd >= 0;

	for (size_t i = 0; ok && i < sizeof(name) / sizeof(*name); i++)
		ok = tree_remove(fd, name[i]);

	saved = errno;
	if (fd >= 0)
		close(fd);
	errno = saved;
	return ok;
}
