/*
 * User and group ids of a box, and what the keeper does for the child that only it can: maps of many
 * ids, and mounts of trees that only the host's root may open.
 */
#include "init/wall_in.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/sched.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "wire/pass.h"

static bool enter_group(int cgroup)
{
	int fd = openat(cgroup, "cgroup.procs", O_WRONLY | O_CLOEXEC);
	bool good = fd >= 0 && write(fd, "0", 1) == 1;

	if (fd >= 0)
		close(fd);
	return good;
}

long wall_clone(uint64_t flags, int cgroup)
{
	struct clone_args a = {.flags = flags, .exit_signal = SIGCHLD};
	long pid;

	if (cgroup >= 0) {
		a.flags |= CLONE_INTO_CGROUP;
		a.cgroup = (unsigned)cgroup;
	}
	pid = syscall(SYS_clone3, &a, sizeof(a));
	/* a kernel without time namespaces */
	if (pid < 0 && errno == EINVAL && a.flags & CLONE_NEWTIME) {
		a.flags &= ~(uint64_t)CLONE_NEWTIME;
		pid = syscall(SYS_clone3, &a, sizeof(a));
	}
	if (pid >= 0 || errno != ENOSYS || (cgroup >= 0 && flags))
		return pid;
	/* the filter of a container (and ours) may lack clone3; the old call knows no groups, which the child enters */
	pid = syscall(SYS_clone, (flags & ~(uint64_t)CLONE_NEWTIME) | SIGCHLD, 0, 0, 0, 0);
	if (!pid && cgroup >= 0 && !enter_group(cgroup))
		_exit(1);
	return pid;
}

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
	pid_t keeper = getpid();
	long pid = wall_clone(CLONE_NEWUSER, -1);
	int fd = -1, saved;

	if (!pid) {
		prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
		while (getppid() == keeper)
			pause();
		_exit(1);
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
	/* a machine's kernel is for all to read */
	if (!ok && s->kind == SPEC_MICROVM)
		return NULL;
	return ok ? NULL : "the workspace's file system has no id-mapped mounts (start the box as "
		"the workspace's owner, or move the workspace)";
}

/* What the child gets with its trees. */
struct given {
	bool tree[WALL_TREES];
	struct wall_host host_has;
};

/* A child that is gone has said why, or await() finds that out. */
static void send_trees(const struct wall *w, int sock, const int *tree)
{
	struct given g = {.host_has = w->host_has};
	int fds[WALL_TREES];
	size_t n = 0;

	for (int i = 0; i < WALL_TREES; i++) {
		g.tree[i] = tree[i] >= 0;
		if (g.tree[i])
			fds[n++] = tree[i];
	}
	pass_send(sock, &g, sizeof(g), fds, n, 0);
}

const char *wall_help(struct wall *w, pid_t pid, int sock)
{
	const bool maps = w->spec->root || w->idmap;
	int tree[WALL_TREES], userns = -1;
	const char *why = NULL;

	memset(tree, -1, sizeof(tree));
	if (!map_ids(pid, 0, WALL_BASE, 0, WALL_BASE, WALL_RANGE))
		return "the ids of the user namespace cannot be mapped";
	pass_send(sock, "m", 1, NULL, 0, 0);
	wall_share(w);
	/* a look into /proc for what only mapped mounts need */
	if (maps)
		userns = open_userns(pid);
	if (maps && userns < 0)
		return "the box's user namespace cannot be opened";
	why = wall_trees(w, userns, tree);
	if (!why && w->idmap && tree[WALL_WORKSPACE] >= 0)
		why = map_workspace(w, tree[WALL_WORKSPACE], userns);
	if (!why)
		send_trees(w, sock, tree);
	if (userns >= 0)
		close(userns);
	for (int i = 0; i < WALL_TREES; i++) {
		if (tree[i] >= 0)
			close(tree[i]);
	}
	return why;
}

const char *wall_take_trees(struct wall *w)
{
	struct given g;
	int fds[PASS_MAX];
	size_t count = 0, at = 0;

	_Static_assert(WALL_TREES <= PASS_MAX, "all trees fit into a message");
	if (!w->range) {
		w->base = w->shared;
		return wall_trees(w, -1, w->tree);
	}
	if (pass_take(w->keeper, &g, sizeof(g), fds, &count, 0) != sizeof(g))
		_exit(1);	/* the keeper has given up */
	for (int i = 0; i < WALL_TREES; i++) {
		if (g.tree[i] && at < count)
			w->tree[i] = fds[at++];
	}
	w->host_has = g.host_has;
	w->base = g.tree[WALL_SHARED];
	return NULL;
}

const char *wall_ids(struct wall *w)
{
	const struct spec *s = w->spec;
	int fds[PASS_MAX];
	size_t none;
	char byte;

	if (!w->range) {
		if (!write_map(0, "setgroups", "deny") ||
		    !map_ids(0, s->uid, w->out_uid, s->gid, w->out_gid, 1))
			return "the ids of the user namespace cannot be mapped";
		return NULL;
	}
	if (pass_take(w->keeper, &byte, 1, fds, &none, 0) != 1)
		_exit(1);	/* the keeper has given up */
	if (syscall(SYS_setgroups, 0, NULL) || syscall(SYS_setresgid, 0, 0, 0) ||
	    syscall(SYS_setresuid, 0, 0, 0))
		return "the ids of the user namespace cannot be taken on";
	return NULL;
}
