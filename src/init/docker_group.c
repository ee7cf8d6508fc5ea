/*
 * See docker_group.h. v2: a group `tinybox-run` for all execs, which `pause` freezes. Where v2 has controllers,
 * processes may be only in its leaves: process 1 is moved to `tinybox-init` beside it. v1: the groups of execs
 * that have limits are made below the container's, which becomes process 1's user's for that.
 *
 * v1's freezer is not used: what it holds cannot be killed, and the engine's removal would wait for ever.
 */
#include "init/docker_group.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "init/cgroup_in.h"
#include "init/text.h"

#ifndef OPEN_TREE_CLONE
#define OPEN_TREE_CLONE 1u
#endif
#ifndef OPEN_TREE_CLOEXEC
#define OPEN_TREE_CLOEXEC ((unsigned)O_CLOEXEC)
#endif

/* The directory as a mount that is nowhere: nothing above it can be reached. */
static int alone(int dir)
{
	int fd = dir < 0 ? -1 : (int)syscall(SYS_open_tree, dir, "", AT_EMPTY_PATH | OPEN_TREE_CLONE |
					     OPEN_TREE_CLOEXEC);

	if (dir >= 0)
		close(dir);
	return fd;
}

static bool give(int dir, const char *name, const struct ucred *u)
{
	return (!u->uid && !u->gid) ||
		!fchownat(dir, name, u->uid, u->gid, *name ? AT_SYMLINK_NOFOLLOW : AT_EMPTY_PATH);
}

/* Limits for single execs, where v2 has controllers and nobody else is in the container's group. */
static void give_controllers(int all, int run, pid_t pid)
{
	bool any = false;
	int init;

	for (int i = 0; i < CGROUP_FREEZER; i++)
		any = any || cg_has_word(all, "cgroup.controllers", cg_v1_name[i]);
	init = any ? cg_make_dir(all, "tinybox-init") : -1;
	if (init < 0)
		return;
	if (cg_write_number(init, "cgroup.procs", (uint64_t)pid))
		for (int i = 0; i < CGROUP_FREEZER; i++) {
			char plus[32];

			snprintf(plus, sizeof(plus), "+%s", cg_v1_name[i]);
			if (cg_write(all, "cgroup.subtree_control", plus))
				cg_write(run, "cgroup.subtree_control", plus);
		}
	close(init);
}

static void open_v2(const struct ucred *u, const char *id, int fd[DOOR_FDS])
{
	int all = cg_open_of(u->pid, NULL, id), run;

	if (all < 0)
		return;
	run = cg_make_dir(all, "tinybox-run");
	/* who moves a process needs both groups, and the one that is above both */
	if (run >= 0 && give(all, "cgroup.procs", u) && give(run, "cgroup.procs", u) &&
	    give(run, "cgroup.freeze", u) && give(run, "", u)) {
		give_controllers(all, run, u->pid);
		fd[DOOR_GROUP] = alone(run);
		fd[DOOR_GROUP_ALL] = alone(all);
		return;
	}
	if (run >= 0)
		close(run);
	close(all);
}

static void open_v1(const struct ucred *u, const char *id, int fd[DOOR_FDS])
{
	for (int i = 0; i < CGROUP_FREEZER; i++) {
		int dir = cg_open_of(u->pid, cg_v1_name[i], id);

		if (dir >= 0 && !give(dir, "", u)) {
			close(dir);
			dir = -1;
		}
		fd[DOOR_GROUP_V1 + i] = alone(dir);
	}
}

static void tell(const int fd[DOOR_FDS], struct report *r)
{
	struct text t = {0};

	for (int i = 0; i < CGROUP_FREEZER; i++) {
		if (fd[DOOR_GROUP_V1 + i] < 0 && (fd[DOOR_GROUP] < 0 ||
		    !cg_has_word(fd[DOOR_GROUP], "cgroup.subtree_control", cg_v1_name[i])))
			continue;
		text_add(&t, t.size ? ", " : "control groups below the container's: ");
		text_add(&t, cg_v1_name[i]);
	}
	report_enforced(r, "exec-limits", "", t.size ? text_string(&t) : geteuid() ?
			"refusal: only root can make control groups below a container's" :
			"refusal: no control groups can be made below the container's");
	text_free(&t);
	report_enforced(r, "tree-kill", "", fd[DOOR_GROUP] >= 0 &&
			!faccessat(fd[DOOR_GROUP], "cgroup.kill", W_OK, AT_EACCESS) ? "cgroup.kill" :
			"a subreaper for each exec");
}

void docker_group_open(int sock, const char *id, int fd[DOOR_FDS], struct report *r)
{
	struct ucred u;
	socklen_t n = sizeof(u);

	for (int i = DOOR_GROUP; i <= DOOR_GROUP_LAST; i++)
		fd[i] = -1;
	if (!geteuid() && strlen(id) == 64 && !getsockopt(sock, SOL_SOCKET, SO_PEERCRED, &u, &n) && u.pid > 0) {
		open_v2(&u, id, fd);
		open_v1(&u, id, fd);
	}
	tell(fd, r);
}

void docker_group_close(int fd[DOOR_FDS])
{
	for (int i = DOOR_GROUP; i <= DOOR_GROUP_LAST; i++)
		if (fd[i] >= 0)
			close(fd[i]);
}
