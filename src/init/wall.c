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

#include <errno.h>
#include <fcntl.h>
#include <linux/sched.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <unistd.h>

static long clone_into(uint64_t flags, int cgroup)
{
	struct clone_args a = {.flags = flags, .exit_signal = SIGCHLD};

	if (cgroup >= 0) {
		a.flags |= CLONE_INTO_CGROUP;
		a.cgroup = (unsigned)cgroup;
	}
	return syscall(SYS_clone3, &a, sizeof(a));
}

/* Whether this user namespace has all of the range. */
static bool range_is_ours(const char *map)
{
	FILE *f = fopen(map, "re");
	unsigned inside, outside, count;
	bool found = false;

	while (f && !found && fscanf(f, "%u %u %u", &inside, &outside, &count) == 3)
		found = inside <= WALL_BASE && count >= WALL_RANGE &&
			WALL_BASE - inside <= count - WALL_RANGE;
	if (f)
		fclose(f);
	return found;
}

static bool kernel_at_least(unsigned major_nr, unsigned minor_nr)
{
	struct utsname u;
	unsigned a = 0, b = 0;

	return !uname(&u) && sscanf(u.release, "%u.%u", &a, &b) == 2 &&
	       (a > major_nr || (a == major_nr && b >= minor_nr));
}

static void tell_disk(const struct spec *s, struct report *r)
{
	char asked[24];

	if (!s->disk)
		return;
	snprintf(asked, sizeof(asked), "%llu", (unsigned long long)s->disk);
	if (s->workspace && !s->readonly)
		report_open(r, "disk", asked, "the workspace is the host's directory and has no quota",
			    "mount the workspace read-only, or put it on a file system of that size");
	else
		report_enforced(r, "disk", asked, "a tmpfs of that size");
}

static void tell_limits(struct wall *w, struct report *r)
{
	const struct spec *s = w->spec;
	const struct report_line *l = NULL;
	struct rlimit now;
	char asked[24];

	for (size_t i = 0; i < r->count; i++) {
		if (!strcmp(r->line[i].control, "pids"))
			l = &r->line[i];
	}
	snprintf(asked, sizeof(asked), "%u", s->pids);
	if (s->pids && (!l || !l->by[0]) && kernel_at_least(5, 14)) {
		w->rlimit_pids = s->pids;
		report_enforced(r, "pids", asked, "RLIMIT_NPROC of the box's user namespace");
	}
	snprintf(asked, sizeof(asked), "%u", s->open_files);
	if (!s->open_files)
		return;
	if (getrlimit(RLIMIT_NOFILE, &now) || now.rlim_max >= s->open_files)
		report_enforced(r, "open-files", asked, "RLIMIT_NOFILE of each process");
	else
		report_enforced(r, "open-files", asked, "RLIMIT_NOFILE, the lower limit of this host");
}

static void tell(struct wall *w, struct report *r)
{
	const struct spec *s = w->spec;
	bool ll = w->landlock > 0;

	report_enforced(r, "filesystem", "", ll ? "mount namespace, Landlock" : "mount namespace");
	report_enforced(r, "processes", "", w->landlock >= 6 ? "pid namespace, Landlock" :
			"pid namespace");
	if (s->network == SPEC_NETWORK_NONE)
		report_enforced(r, "network", "none", "network namespace with a loopback only");
	else if (s->network == SPEC_NETWORK_EGRESS)
		report_enforced(r, "network", "egress", "network namespace, proxy of the keeper");
	else if (w->landlock >= 6)
		report_enforced(r, "network", "open", "the host's, as asked; abstract sockets: Landlock");
	else
		report_enforced(r, "network", "open", "the host's, as asked, abstract sockets too");
	report_enforced(r, "syscalls", "", "seccomp filter");
	report_enforced(r, "privileges", "", "user namespace, no_new_privs, no capabilities");
	report_enforced(r, "devices", "", "a /dev of its own");
	tell_disk(s, r);
	tell_limits(w, r);
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

	if (!w->spec->workspace)
		return NULL;
	if (!plain_target(w->target))
		return "the workspace's target is not an absolute path without . and ..";
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

	w->range = !geteuid() && range_is_ours("/proc/self/uid_map") &&
		   range_is_ours("/proc/self/gid_map");
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
	tell(w, r);
	return w;
}

/* ---- the keeper's side of the conversation ---- */

static bool write_map(pid_t pid, const char *file, const char *text)
{
	char path[48];
	int fd;
	bool ok;

	if (pid)
		snprintf(path, sizeof(path), "/proc/%d/%s", pid, file);
	else
		snprintf(path, sizeof(path), "/proc/self/%s", file);
	fd = open(path, O_WRONLY | O_CLOEXEC);
	ok = fd >= 0 && write(fd, text, strlen(text)) == (ssize_t)strlen(text);
	if (fd >= 0)
		close(fd);
	return ok;
}

static bool map_ids(pid_t pid, uint32_t uid_in, uint32_t uid_out, uint32_t gid_in, uint32_t gid_out,
		    uint32_t count)
{
	char text[48];

	snprintf(text, sizeof(text), "%u %u %u", uid_in, uid_out, count);
	if (!write_map(pid, "uid_map", text))
		return false;
	snprintf(text, sizeof(text), "%u %u %u", gid_in, gid_out, count);
	return write_map(pid, "gid_map", text);
}

static int open_userns(pid_t pid)
{
	char path[48];

	snprintf(path, sizeof(path), "/proc/%d/ns/user", pid);
	return open(path, O_RDONLY | O_CLOEXEC);
}

/* A user namespace that only says who the workspace's owner is: its maker waits to be killed. */
static int work_userns(const struct wall *w)
{
	long pid = clone_into(CLONE_NEWUSER, -1);
	int fd = -1, saved;

	if (!pid) {
		prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
		for (;;)
			pause();
	}
	if (pid < 0)
		return -1;
	if (map_ids((pid_t)pid, w->work_uid, w->out_uid, w->work_gid, w->out_gid, 1))
		fd = open_userns((pid_t)pid);
	saved = errno;
	kill((pid_t)pid, SIGKILL);
	while (waitpid((pid_t)pid, NULL, 0) < 0 && errno == EINTR)
		;
	errno = saved;
	return fd;
}

static const char *map_workspace(const struct wall *w, int tree, int userns)
{
	const struct spec *s = w->spec;
	int own = userns;
	bool ok;

	if (w->work_uid != s->uid || w->work_gid != s->gid)
		own = work_userns(w);
	ok = own >= 0 && !tree_idmap(tree, own);
	if (own >= 0 && own != userns)
		close(own);
	return ok ? NULL : "the workspace's file system has no id-mapped mounts (start the box as "
		"the workspace's owner, or move the workspace)";
}

static bool send_go(int sock, const int *tree)
{
	char byte = 'g', control[CMSG_SPACE(sizeof(int) * WALL_TREES)];
	int fds[WALL_TREES], n = 0;
	struct iovec v = {&byte, 1};
	struct msghdr m = {.msg_iov = &v, .msg_iovlen = 1};

	memset(control, 0, sizeof(control));
	for (int i = 0; i < WALL_TREES; i++) {
		if (tree[i] >= 0)
			fds[n++] = tree[i];
	}
	if (n) {
		struct cmsghdr *c;

		m.msg_control = control;
		m.msg_controllen = CMSG_SPACE(sizeof(int) * (size_t)n);
		c = CMSG_FIRSTHDR(&m);
		c->cmsg_level = SOL_SOCKET;
		c->cmsg_type = SCM_RIGHTS;
		c->cmsg_len = CMSG_LEN(sizeof(int) * (size_t)n);
		memcpy(CMSG_DATA(c), fds, sizeof(int) * (size_t)n);
	}
	return sendmsg(sock, &m, MSG_NOSIGNAL) == 1;
}

/* With the range: ids, and the trees that only we can open. */
static const char *help(const struct wall *w, pid_t pid, int sock)
{
	int tree[WALL_TREES], userns;
	const char *why = NULL;

	memset(tree, -1, sizeof(tree));
	if (!map_ids(pid, 0, WALL_BASE, 0, WALL_BASE, WALL_RANGE))
		return "the ids of the user namespace cannot be mapped";
	userns = open_userns(pid);
	if (userns < 0)
		return "the box's user namespace cannot be opened";
	why = wall_trees(w, userns, tree);
	if (!why && w->idmap && tree[WALL_WORKSPACE] >= 0)
		why = map_workspace(w, tree[WALL_WORKSPACE], userns);
	if (!why && !send_go(sock, tree))
		why = "the box's first process is gone";
	close(userns);
	for (int i = 0; i < WALL_TREES; i++) {
		if (tree[i] >= 0)
			close(tree[i]);
	}
	return why;
}

/* ---- the child ---- */

static void receive_go(struct wall *w, int sock)
{
	const struct spec *s = w->spec;
	const bool need[WALL_TREES] = {!s->disk, s->root != NULL, s->workspace != NULL};
	char byte, control[CMSG_SPACE(sizeof(int) * WALL_TREES)];
	struct iovec v = {&byte, 1};
	struct msghdr m = {.msg_iov = &v, .msg_iovlen = 1, .msg_control = control,
		.msg_controllen = sizeof(control)};
	struct cmsghdr *c;
	ssize_t n;
	int fds[WALL_TREES], at = 0;

	do {
		n = recvmsg(sock, &m, MSG_CMSG_CLOEXEC);
	} while (n < 0 && errno == EINTR);
	if (n != 1)
		_exit(1);	/* the keeper has given up */
	c = CMSG_FIRSTHDR(&m);
	if (!c)
		return;
	memcpy(fds, CMSG_DATA(c), c->cmsg_len - CMSG_LEN(0));
	for (int i = 0; i < WALL_TREES; i++) {
		if (need[i])
			w->tree[i] = fds[at++];
	}
}

static const char *take_ids(struct wall *w, int sock)
{
	const struct spec *s = w->spec;

	if (!w->range) {
		if (!write_map(0, "setgroups", "deny") ||
		    !map_ids(0, s->uid, w->out_uid, s->gid, w->out_gid, 1))
			return "the ids of the user namespace cannot be mapped (AppArmor's restriction? "
				"`tinybox doctor` says what to do)";
		return NULL;
	}
	receive_go(w, sock);
	if (syscall(SYS_setgroups, 0, NULL) || syscall(SYS_setresgid, 0, 0, 0) ||
	    syscall(SYS_setresuid, 0, 0, 0))
		return "the ids of the user namespace cannot be taken on";
	return NULL;
}

/* Only what was asked for stays open, and 0, 1, 2 lead somewhere. */
static const char *close_others(const struct wall *w, int sock, const int *keep, size_t count)
{
	int fds[CGROUP_KEEP], null = open("/dev/null", O_RDWR | O_CLOEXEC);
	size_t n = w->cgroup ? cgroup_keep(w->cgroup, fds) : 0;
	unsigned from = 0;

	if (null < 0)
		return "the box's /dev/null cannot be opened";
	for (;;) {
		unsigned next = (unsigned)sock < from ? ~0u : (unsigned)sock;

		for (size_t i = 0; i < count + n; i++) {
			unsigned fd = (unsigned)(i < count ? keep[i] : fds[i - count]);

			if (fd >= from && fd < next)
				next = fd;
		}
		if ((unsigned)null >= from && (unsigned)null < next)
			next = (unsigned)null;
		if (next > from)
			syscall(SYS_close_range, from, next == ~0u ? next : next - 1, 0);
		if (next == ~0u)
			break;
		from = next + 1;
	}
	for (int fd = 0; fd < 3; fd++) {
		if (fcntl(fd, F_GETFD) < 0)
			dup2(null, fd);
	}
	if (null > 2)
		close(null);
	return NULL;
}

static const char *build(struct wall *w, int sock, const int *keep, size_t count)
{
	const char *why = take_ids(w, sock);

	if (why)
		return why;
	if (unshare(CLONE_NEWCGROUP))
		return "a cgroup namespace cannot be made";
	if (sethostname(w->host, strlen(w->host)))
		return "the host name cannot be set";
	umask(0);
	why = w->spec->network != SPEC_NETWORK_OPEN ? wall_lo() : NULL;
	why = why ? why : wall_mounts(w);
	why = why ? why : wall_powerless(w);
	why = why ? why : close_others(w, sock, keep, count);
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
	if (send(sock, &f, sizeof(f), MSG_NOSIGNAL) != sizeof(f) || f.why)
		_exit(1);
	close(sock);
	_exit(inside(ctx));
}

static const char *clone_why(int error)
{
	switch (error) {
	case EPERM:
	case EACCES:
		return "user namespaces are forbidden here (kernel.unprivileged_userns_clone, or a "
			"container's filter; `tinybox doctor` says what to do)";
	case ENOSPC:
	case EUSERS:
		return "no more namespaces are allowed (user.max_user_namespaces and its like)";
	case EINVAL:
		return "this kernel lacks a kind of namespace";
	default:
		return "the box's first process cannot be made";
	}
}

static const char *await(int sock)
{
	struct wall_failure f = {NULL, 0};
	ssize_t n;

	do {
		n = recv(sock, &f, sizeof(f), 0);
	} while (n < 0 && errno == EINTR);
	if (n != sizeof(f)) {
		errno = ECHILD;
		return "the box's first process died while the wall was built";
	}
	errno = f.error;
	return f.why;
}

pid_t wall_enter(struct wall *w, int (*inside)(void *ctx), void *ctx, const int *keep, size_t count,
		 const char **why)
{
	uint64_t flags = CLONE_NEWUSER | CLONE_NEWNS | CLONE_NEWPID | CLONE_NEWIPC | CLONE_NEWUTS;
	int sock[2], saved;
	long pid;

	*why = "a socket cannot be made";
	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, sock))
		return -1;
	if (w->spec->network != SPEC_NETWORK_OPEN)
		flags |= CLONE_NEWNET;
	pid = clone_into(flags, w->cgroup ? cgroup_fd(w->cgroup) : -1);
	if (!pid) {
		close(sock[0]);
		child(w, sock[1], inside, ctx, keep, count);
	}
	saved = errno;
	close(sock[1]);
	errno = saved;
	*why = pid < 0 ? clone_why(errno) : NULL;
	if (!*why && w->range)
		*why = help(w, (pid_t)pid, sock[0]);
	if (!*why)
		*why = await(sock[0]);
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
	free(w);
}

bool wall_sweep(const char *dir)
{
	int fd = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW), saved;
	bool ok = fd >= 0 && tree_remove(fd, "root") && tree_remove(fd, "overlay");

	saved = errno;
	if (fd >= 0)
		close(fd);
	errno = saved;
	return ok;
}
