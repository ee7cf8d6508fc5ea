/*
 * /dev, /proc, the little of /sys that programs look at, and the loopback interface. Device nodes
 * are mounts of the host's own, and each is checked to be what its name says; /dev itself is
 * read-only. /proc shows the box's processes; what of it is about the machine and may be written, or
 * tells more than a program needs, is covered.
 */
#include "init/wall_in.h"

#include <errno.h>
#include <fcntl.h>
#include <net/if.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

/* In the working directory, the box's /dev. What it is is looked at where it is mounted. */
static bool put_node(const char *name, unsigned major_nr, unsigned minor_nr)
{
	char path[32];
	struct stat st;

	snprintf(path, sizeof(path), "/dev/%s", name);
	return !mount(path, name, NULL, MS_BIND, NULL) &&
	       !stat(name, &st) && S_ISCHR(st.st_mode) && st.st_rdev == makedev(major_nr, minor_nr);
}

static bool put_new(int at, const char *name, const char *type, const struct tree_option *o,
		    size_t count, int flags)
{
	int tree = tree_new(type, o, count, flags);
	bool ok = tree >= 0 && tree_put_at(tree, at, name);

	if (tree >= 0)
		close(tree);
	return ok;
}

static const struct {
	const char *name;
	unsigned minor_nr, major_nr;
} node[] = {{"null", 3, 1}, {"zero", 5, 1}, {"full", 7, 1}, {"random", 8, 1}, {"urandom", 9, 1},
	{"tty", 0, 5}};

bool wall_dev_files(int dev)
{
	for (size_t i = 0; i < sizeof(node) / sizeof(*node); i++) {
		if (mknodat(dev, node[i].name, S_IFREG | 0666, 0))
			return false;
	}
	return !mkdirat(dev, "pts", 0755) && !mkdirat(dev, "shm", 01777) &&
	       !symlinkat("pts/ptmx", dev, "ptmx") && !symlinkat("/proc/self/fd", dev, "fd") &&
	       !symlinkat("/proc/self/fd/0", dev, "stdin") &&
	       !symlinkat("/proc/self/fd/1", dev, "stdout") &&
	       !symlinkat("/proc/self/fd/2", dev, "stderr");
}

static const char *fill_dev(int dev, int shm)
{
	/* all terminals of a host are counted together: a box gets a share */
	static const struct tree_option pts[] = {{"newinstance", NULL}, {"ptmxmode", "0666"},
		{"mode", "0620"}, {"max", "512"}};

	if (fchdir(dev))
		return "/dev cannot be entered";
	for (size_t i = 0; i < sizeof(node) / sizeof(*node); i++) {
		if (!put_node(node[i].name, node[i].major_nr, node[i].minor_nr))
			return "the nodes of /dev cannot be mounted";
	}
	if (!put_new(dev, "pts", "devpts", pts, 4, TREE_DEVICES | TREE_NOEXEC))
		return "/dev/pts cannot be mounted";
	if (!tree_put_at(shm, dev, "shm"))
		return "/dev/shm cannot be mounted";
	return NULL;
}

/*
 * Both are directories of the stage's tmpfs, or /dev is what boxes share: a file system for each would cost as much
 * as all the rest.
 */
const char *wall_devices(const struct wall *w, int stage, int root)
{
	struct mount_attr readonly = {.attr_set = MOUNT_ATTR_RDONLY};
	int dev, shm;
	const char *why = "the directories of /dev cannot be made";

	if (mkdirat(stage, "shm", 01777) || (!w->shared && mkdirat(stage, "dev", 0755)))
		return why;
	dev = w->shared ? tree_open(w->tree[WALL_SHARED], "dev", TREE_NOEXEC | TREE_READONLY) :
		tree_open(stage, "dev", TREE_NOEXEC);
	shm = tree_open(stage, "shm", 0);
	if (dev >= 0 && (w->shared || wall_dev_files(dev)))
		why = shm >= 0 && tree_put(dev, root, "dev") ? fill_dev(dev, shm) : "/dev cannot be mounted";
	/* (a machine's /dev is its own) */
	if (!why && !w->shared && w->tree[WALL_KVM] >= 0 &&
	    (mknodat(dev, "kvm", S_IFREG | 0666, 0) || !tree_put_at(w->tree[WALL_KVM], dev, "kvm")))
		why = "/dev/kvm cannot be mounted";
	if (!why && !w->shared && mount_setattr(dev, "", AT_EMPTY_PATH, &readonly, sizeof(readonly)))
		why = "/dev cannot be made read-only";
	if (dev >= 0)
		close(dev);
	if (shm >= 0)
		close(shm);
	return why;
}

/* A part of proc over itself, read-only; or nothing over it. */
static bool cover(int proc, const char *name, int nothing)
{
	int tree = nothing < 0 ? tree_open(proc, name, TREE_READONLY | TREE_NOEXEC | TREE_RECURSIVE) :
		tree_open(nothing, "", TREE_READONLY | TREE_NOEXEC | TREE_DEVICES);
	bool ok = tree >= 0 && (tree_put_at(tree, proc, name) || errno == ENOENT);

	if (tree >= 0)
		close(tree);
	return ok;
}

/*
 * The rest of /proc that is about the machine is root's alone, and the box's user is not root outside:
 * there is no cover that its permissions are not.
 */
const char *wall_proc(int root)
{
	int proc = tree_new("proc", NULL, 0, TREE_NOEXEC), null, cpu;
	bool ok;

	if (proc < 0)
		return "/proc cannot be mounted (the /proc around is masked, as in a container: give it "
			"an unmasked one, docker: --security-opt systempaths=unconfined)";
	if (!tree_put(proc, root, "proc"))
		return "/proc cannot be attached";
	null = openat(root, "dev/null", O_PATH | O_NOFOLLOW | O_CLOEXEC);
	ok = null >= 0 && cover(proc, "sys", -1) && cover(proc, "keys", null);
	close(proc);
	if (null >= 0)
		close(null);
	if (!ok)
		return "parts of /proc cannot be covered";
	/* how many processors there are; a machine without it has none to show */
	cpu = tree_open(AT_FDCWD, "/sys/devices/system/cpu",
			TREE_READONLY | TREE_NOEXEC | TREE_RECURSIVE);
	if (cpu < 0)
		return NULL;
	ok = tree_put(cpu, root, "sys/devices/system/cpu");
	close(cpu);
	return ok ? NULL : "/sys cannot be filled";
}

const char *wall_lo(void)
{
	int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	struct ifreq r = {.ifr_name = "lo"};
	bool ok;

	r.ifr_flags = IFF_UP | IFF_RUNNING;
	ok = fd >= 0 && !ioctl(fd, SIOCSIFFLAGS, &r);
	if (fd >= 0)
		close(fd);
	return ok ? NULL : "the loopback interface cannot be brought up (AppArmor's restriction of "
		"user namespaces?)";
}
