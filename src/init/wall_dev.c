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
#include <sys/statvfs.h>
#include <sys/sysmacros.h>
#include <unistd.h>

static const struct {
	const char *name;
	unsigned minor_nr, major_nr;
} node[] = {{"null", 3, 1}, {"zero", 5, 1}, {"full", 7, 1}, {"random", 8, 1}, {"urandom", 9, 1},
	{"tty", 0, 5}};

/* Whether it is what its name says. */
static bool is_node(size_t i)
{
	struct stat st;

	return !fstatat(AT_FDCWD, node[i].name, &st, AT_SYMLINK_NOFOLLOW) && S_ISCHR(st.st_mode) &&
	       st.st_rdev == makedev(node[i].major_nr, node[i].minor_nr);
}

static bool has_devices(int dev)
{
	struct statvfs fs;

	return !fstatvfs(dev, &fs) && !(fs.f_flag & ST_NODEV);
}

bool wall_dev_files(int dev, bool nodes)
{
	for (size_t i = 0; i < sizeof(node) / sizeof(*node); i++) {
		if (nodes && !mknodat(dev, node[i].name, S_IFCHR | 0666,
				      makedev(node[i].major_nr, node[i].minor_nr)))
			continue;
		if (mknodat(dev, node[i].name, S_IFREG | 0666, 0))
			return false;
	}
	return !mkdirat(dev, "pts", 0755) && !mkdirat(dev, "shm", 01777) &&
	       !symlinkat("pts/ptmx", dev, "ptmx") && !symlinkat("/proc/self/fd", dev, "fd") &&
	       !symlinkat("/proc/self/fd/0", dev, "stdin") &&
	       !symlinkat("/proc/self/fd/1", dev, "stdout") &&
	       !symlinkat("/proc/self/fd/2", dev, "stderr");
}

/* In the working directory, the box's /dev. What it is is looked at where it is mounted. */
static bool put_node(size_t i)
{
	char path[32];

	snprintf(path, sizeof(path), "/dev/%s", node[i].name);
	return !mount(path, node[i].name, NULL, MS_BIND, NULL) && is_node(i);
}

static const char *fill_dev(int dev, int stage, bool shared)
{
	char path[48];

	if (fchdir(dev))
		return "/dev cannot be entered";
	shared = shared && has_devices(dev);
	for (size_t i = 0; i < sizeof(node) / sizeof(*node); i++) {
		if (!(shared && is_node(i)) && !put_node(i))
			return "the nodes of /dev cannot be mounted";
	}
	/* all terminals of a host are counted together: a box gets a share */
	if (mount("devpts", "pts", "devpts", MS_NOSUID | MS_NOEXEC, "newinstance,ptmxmode=0666,mode=0620,max=512"))
		return "/dev/pts cannot be mounted";
	snprintf(path, sizeof(path), "/proc/self/fd/%d/shm", stage);
	if (mount(path, "shm", NULL, MS_BIND, NULL))
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
	bool more = w->spec->devices && w->spec->devices[0], shared = w->base && !more;
	int dev;
	const char *why = "the directories of /dev cannot be made";

	if (mkdirat(stage, "shm", 01777) || (!shared && mkdirat(stage, "dev", 0755)))
		return why;
	dev = shared ? w->tree[WALL_DEV] : tree_open(stage, "dev", TREE_NOEXEC);
	if (dev >= 0 && (shared || wall_dev_files(dev, false)))
		why = wall_put(w, dev, root, "dev") ? fill_dev(dev, stage, shared) : "/dev cannot be mounted";
	/* (a machine's /dev is its own) */
	if (!why && !shared && w->tree[WALL_KVM] >= 0 &&
	    (mknodat(dev, "kvm", S_IFREG | 0666, 0) || !tree_put_at(w->tree[WALL_KVM], dev, "kvm")))
		why = "/dev/kvm cannot be mounted";
	if (!why && more)
		why = wall_put_nodes(w, dev, stage);
	if (!why && !shared && mount_setattr(dev, "", AT_EMPTY_PATH, &readonly, sizeof(readonly)))
		why = "/dev cannot be made read-only";
	if (dev >= 0)
		close(dev);
	return why;
}

static bool put_proc(const struct wall *w, int root)
{
	int proc;
	bool ok;

	if (w->ours)
		return !fchdir(root) && !mount("proc", "proc", "proc", MS_NOSUID | MS_NODEV | MS_NOEXEC, NULL);
	proc = tree_new("proc", NULL, 0, TREE_NOEXEC);
	ok = proc >= 0 && tree_put(proc, root, "proc");
	if (proc >= 0)
		close(proc);
	return ok;
}

/* A part of proc over itself, read-only, and nothing, with the flags of /dev, over another: both are mounts of ours. */
static bool cover(int root)
{
	const unsigned long flags = MS_RDONLY | MS_NOSUID | MS_NODEV | MS_NOEXEC;

	return !fchdir(root) && !mount("proc/sys", "proc/sys", NULL, MS_BIND, NULL) &&
	       !mount(NULL, "proc/sys", NULL, MS_REMOUNT | MS_BIND | flags, NULL) &&
	       (!mount("dev/null", "proc/keys", NULL, MS_BIND, NULL) || errno == ENOENT);
}

/*
 * The rest of /proc that is about the machine is root's alone, and the box's user is not root outside:
 * there is no cover that its permissions are not.
 */
const char *wall_proc(struct wall *w, int root)
{
	int cpu;
	bool ok;

	if (!put_proc(w, root))
		return "/proc cannot be mounted (the /proc around is masked, as in a container: give it "
			"an unmasked one, docker: --security-opt systempaths=unconfined)";
	/* later, in the box's network namespace: see wall_low_ports() */
	if (w->spec->port_count && w->spec->network != SPEC_NETWORK_OPEN)
		w->sysctl = openat(root, "proc/sys", O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (!cover(root))
		return "parts of /proc cannot be covered";
	/* how many processors there are; a machine without it has none to show */
	cpu = tree_open(AT_FDCWD, "/sys/devices/system/cpu",
			TREE_READONLY | TREE_NOEXEC | TREE_RECURSIVE);
	if (cpu < 0)
		return NULL;
	ok = wall_put(w, cpu, root, "sys/devices/system/cpu");
	close(cpu);
	return ok ? NULL : "/sys cannot be filled";
}

/* Who publishes a port of the box listens there, and programs that do may want one below 1024: nobody in it has a
 * capability, so all may. A kernel that has no such file says no as before. */
void wall_low_ports(struct wall *w)
{
	int fd = w->sysctl < 0 ? -1 : openat(w->sysctl, "net/ipv4/ip_unprivileged_port_start",
					     O_WRONLY | O_CLOEXEC);

	if (fd >= 0 && write(fd, "0", 1) < 0)
		errno = 0;
	if (fd >= 0)
		close(fd);
	if (w->sysctl >= 0)
		close(w->sysctl);
	w->sysctl = -1;
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
	return ok ? NULL : "the loopback interface cannot be brought up";
}
