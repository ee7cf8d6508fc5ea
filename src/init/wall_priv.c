/*
 * What process 1 gives up when its box stands, for itself and with that for everything it will ever
 * start: Landlock (one domain for the whole box, so that its processes can still signal and trace
 * each other), the capabilities of its user namespace, and the way to new ones. The system call
 * filter and the limits come in wall_child(), as process 1 itself needs neither.
 */
#include "init/wall_in.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <linux/keyctl.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Landlock's words: the headers of older distributions lack it, or its later parts. */
#ifndef SYS_landlock_create_ruleset
#define SYS_landlock_create_ruleset 444
#define SYS_landlock_add_rule 445
#define SYS_landlock_restrict_self 446
#endif
#define ABI_QUERY 1u
#define RULE_PATH_BENEATH 1
#define FS_ABI1 0x1fffull
#define FS_REFER (1ull << 13)		/* 2 */
#define FS_TRUNCATE (1ull << 14)	/* 3 */
#define FS_IOCTL_DEV (1ull << 15)	/* 5 */
#define SCOPE_ABI6 3ull			/* abstract sockets and signals stay inside */

struct ruleset {
	uint64_t fs, net, scoped;
};

struct __attribute__((packed)) beneath {
	uint64_t access;
	int32_t fd;
};

int wall_landlock_abi(void)
{
	long abi = syscall(SYS_landlock_create_ruleset, NULL, 0, ABI_QUERY);

	return abi < 0 ? 0 : (int)abi;
}

static bool allow(int rules, int dir, uint64_t access)
{
	struct beneath b = {.access = access, .fd = dir};

	return !syscall(SYS_landlock_add_rule, rules, RULE_PATH_BENEATH, &b, 0);
}

/*
 * Everything below the new root is allowed, and the box's control groups, to which only process 1 has
 * descriptors: whatever else a leaked descriptor or a hole in the mounts leads to is not.
 */
const char *wall_landlock(const struct wall *w)
{
	struct ruleset r = {.fs = FS_ABI1};
	int fds[CGROUP_KEEP], rules, root;
	size_t n = w->cgroup ? cgroup_keep(w->cgroup, fds) : 0;
	bool ok;

	if (!w->landlock)
		return NULL;
	if (w->landlock >= 2)
		r.fs |= FS_REFER;
	if (w->landlock >= 3)
		r.fs |= FS_TRUNCATE;
	if (w->landlock >= 5)
		r.fs |= FS_IOCTL_DEV;
	if (w->landlock >= 6)
		r.scoped = SCOPE_ABI6;
	rules = (int)syscall(SYS_landlock_create_ruleset, &r,
			     w->landlock >= 6 ? sizeof(r) : sizeof(r.fs), 0);
	root = open("/", O_PATH | O_DIRECTORY | O_CLOEXEC);
	ok = rules >= 0 && root >= 0 && allow(rules, root, r.fs);
	for (size_t i = 0; ok && i < n; i++)
		ok = allow(rules, fds[i], r.fs);
	ok = ok && !syscall(SYS_landlock_restrict_self, rules, 0);
	if (root >= 0)
		close(root);
	if (rules >= 0)
		close(rules);
	return ok ? NULL : "Landlock's rules cannot be set";
}

static bool no_capabilities(void)
{
	struct __user_cap_header_struct head = {.version = _LINUX_CAPABILITY_VERSION_3};
	struct __user_cap_data_struct none[2] = {{0, 0, 0}, {0, 0, 0}};

	prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0);
	return !syscall(SYS_capset, &head, none);
}

/* It is about programs only, of which process 1 starts none before it has nothing. */
const char *wall_unbound(void)
{
	for (int i = 0; i < 64; i++) {
		if (!prctl(PR_CAPBSET_DROP, i, 0, 0, 0))
			continue;
		if (errno != EINVAL)
			return "the capability bounding set cannot be emptied";
		if (i > CAP_LAST_CAP)
			break;
	}
	return NULL;
}

const char *wall_powerless(const struct wall *w)
{
	const struct spec *s = w->spec;
	const char *why;

	/* the host's session keyring stays outside */
	syscall(SYS_keyctl, KEYCTL_JOIN_SESSION_KEYRING, NULL);
	/* by the system calls themselves: this is one thread */
	if (w->range && (syscall(SYS_setresgid, s->gid, s->gid, s->gid) ||
			 syscall(SYS_setresuid, s->uid, s->uid, s->uid)))
		return "the box's user cannot be taken on";
	if (!no_capabilities())
		return "the capabilities cannot be dropped";
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0))
		return "no_new_privs cannot be set";
	if (w->cgroup && !cgroup_settle(w->cgroup))
		return "the box's control groups cannot be entered or limited";
	why = wall_landlock(w);
	if (why)
		return why;
	/* nothing in the box may trace process 1 or look into it */
	if (prctl(PR_SET_DUMPABLE, 0, 0, 0, 0))
		return "process 1 cannot be made undumpable";
	return NULL;
}

static bool limit(int what, uint64_t n)
{
	struct rlimit now, r = {.rlim_cur = n, .rlim_max = n};

	if (getrlimit((__rlimit_resource_t)what, &now))
		return false;
	if (r.rlim_max > now.rlim_max)
		r.rlim_cur = r.rlim_max = now.rlim_max;
	return !setrlimit((__rlimit_resource_t)what, &r);
}

bool wall_child(const struct wall *w)
{
	return limit(RLIMIT_CORE, 0) &&
	       (!w->spec->open_files || limit(RLIMIT_NOFILE, w->spec->open_files)) &&
	       (!w->rlimit_pids || limit(RLIMIT_NPROC, w->rlimit_pids)) &&
	       filter_enter(&w->filter);
}
