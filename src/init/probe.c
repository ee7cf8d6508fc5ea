/*
 * The probes of the kernel's layers. Those that need namespaces run in one child that has them all;
 * what it found comes back as one byte (errno) each.
 */
#include "init/probe.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/sched.h>
#include <sched.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "init/probe_in.h"
#include "init/wall_in.h"

/* What the child in new namespaces tries. */
enum inside { IN_MAP, IN_MOUNTS, IN_PROC, IN_OVERLAY, IN_LOOPBACK, IN_COUNT };

struct list {
	struct probe *p;
	size_t count;
};

struct probe *probe_add(struct list *l, const char *name, enum probe_state state, const char *fix,
			const char *format, ...)
{
	struct probe *p = &l->p[l->count < PROBE_MAX - 1 ? l->count++ : l->count];
	va_list args;

	p->name = name;
	p->state = state;
	va_start(args, format);
	vsnprintf(p->text, sizeof(p->text), format, args);
	va_end(args);
	snprintf(p->fix, sizeof(p->fix), "%s", fix ? fix : "");
	return p;
}

static void why_no_userns(struct list *l, int error, bool mapped)
{
	static const char name[] = "user-namespaces";

	if (wall_is_chroot())
		probe_add(l, name, PROBE_MISSING, "begin outside of the chroot, or enter it by pivot_root, as containers do",
			  "this is a chroot, where the kernel allows none");
	else if (geteuid() && wall_setting("/proc/sys/kernel/unprivileged_userns_clone") == 0)
		probe_add(l, name, PROBE_MISSING, "sudo sysctl -w kernel.unprivileged_userns_clone=1",
			  "kernel.unprivileged_userns_clone is 0");
	else if (wall_setting("/proc/sys/user/max_user_namespaces") == 0)
		probe_add(l, name, PROBE_MISSING, "sudo sysctl -w user.max_user_namespaces=10000",
			  "user.max_user_namespaces is 0");
	else if (geteuid() && wall_setting("/proc/sys/kernel/apparmor_restrict_unprivileged_userns") > 0)
		probe_add(l, name, PROBE_MISSING,
			  "printf 'abi <abi/4.0>,\\ninclude <tunables/global>\\nprofile tinybox /**/tinybox-init "
			  "flags=(unconfined) {\\n userns,\\n}\\n' | sudo tee /etc/apparmor.d/tinybox && "
			  "sudo apparmor_parser -r /etc/apparmor.d/tinybox",
			  "AppArmor forbids them to ordinary users (%s)", strerror(error));
	else if (wall_is_filtered())
		probe_add(l, name, PROBE_MISSING,
			  "docker run --security-opt seccomp=unconfined --security-opt apparmor=unconfined ...",
			  "the system call filter of this container forbids them (%s)", strerror(error));
	else
		probe_add(l, name, PROBE_MISSING, "build the kernel with CONFIG_USER_NS=y", "%s: %s",
			  mapped ? "they have no privileges" : "they cannot be made", strerror(error));
}

static int try_overlay(int base)
{
	static const char *const dir[] = {"l", "u", "w"};
	char path[3][40];
	struct tree_option o[] = {{"lowerdir", path[0]}, {"upperdir", path[1]}, {"workdir", path[2]},
		{"userxattr", NULL}};
	int fd;

	for (int i = 0; i < 3; i++) {
		fd = tree_dir(base, dir[i], 0755);
		if (fd < 0)
			return errno;
		snprintf(path[i], sizeof(path[i]), "/proc/self/fd/%d", fd);
	}
	fd = tree_new("overlay", o, 4, 0);
	return fd < 0 ? errno : 0;
}

static void try_mounts(uint8_t *got)
{
	static const struct tree_option o[] = {{"size", "64k"}};
	int fd;

	if (mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL)) {
		got[IN_MOUNTS] = (uint8_t)errno;
		return;
	}
	fd = tree_new("tmpfs", o, 1, 0);
	if (fd < 0 || move_mount(fd, "", AT_FDCWD, "/tmp", MOVE_MOUNT_F_EMPTY_PATH)) {
		got[IN_MOUNTS] = (uint8_t)errno;
		return;
	}
	got[IN_MOUNTS] = tree_open(AT_FDCWD, "/usr", TREE_READONLY | TREE_RECURSIVE) < 0 ?
		(uint8_t)errno : 0;
	got[IN_OVERLAY] = (uint8_t)try_overlay(fd);
	got[IN_PROC] = tree_new("proc", NULL, 0, 0) < 0 ? (uint8_t)errno : 0;
}

static bool put_text(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY | O_CLOEXEC);
	bool ok = fd >= 0 && write(fd, text, strlen(text)) == (ssize_t)strlen(text);

	if (fd >= 0)
		close(fd);
	return ok;
}

static _Noreturn void look_inside(int out, uint32_t uid, uint32_t gid)
{
	uint8_t got[IN_COUNT];
	char text[48];

	memset(got, EPERM, sizeof(got));
	put_text("/proc/self/setgroups", "deny");
	snprintf(text, sizeof(text), "0 %u 1", uid);
	got[IN_MAP] = put_text("/proc/self/uid_map", text) ? 0 : (uint8_t)errno;
	snprintf(text, sizeof(text), "0 %u 1", gid);
	if (!got[IN_MAP])
		got[IN_MAP] = put_text("/proc/self/gid_map", text) ? 0 : (uint8_t)errno;
	if (!got[IN_MAP]) {
		got[IN_LOOPBACK] = wall_lo() ? (uint8_t)errno : 0;
		try_mounts(got);
	}
	_exit(write(out, got, sizeof(got)) != sizeof(got));
}

/* errno of the clone, or 0 with what was found in got. */
static int namespaces(uint8_t *got)
{
	struct clone_args a = {.exit_signal = SIGCHLD, .flags = CLONE_NEWUSER | CLONE_NEWNS |
		CLONE_NEWPID | CLONE_NEWNET | CLONE_NEWIPC | CLONE_NEWUTS | CLONE_NEWCGROUP};
	uint32_t uid = geteuid(), gid = getegid();
	int io[2], error = 0;
	long pid;

	if (pipe2(io, O_CLOEXEC))
		return errno;
	pid = syscall(SYS_clone3, &a, sizeof(a));
	if (!pid)
		look_inside(io[1], uid, gid);
	if (pid < 0)
		error = errno;
	close(io[1]);
	if (pid > 0 && read(io[0], got, IN_COUNT) != IN_COUNT)
		error = ECHILD;
	close(io[0]);
	while (pid > 0 && waitpid((pid_t)pid, NULL, 0) < 0 && errno == EINTR)
		;
	return error;
}

static void probe_one(struct list *l, const char *name, uint8_t error, const char *good,
		      const char *bad, const char *fix)
{
	if (!error)
		probe_add(l, name, PROBE_OK, NULL, "%s", good);
	else
		probe_add(l, name, PROBE_MISSING, fix, "%s: %s", bad, strerror(error));
}

static void probe_namespaces(struct list *l)
{
	uint8_t got[IN_COUNT];
	int error;

	memset(got, EPERM, sizeof(got));
	error = namespaces(got);
	if (error || got[IN_MAP] || got[IN_MOUNTS] == EPERM || got[IN_MOUNTS] == EACCES) {
		why_no_userns(l, error ? error : got[IN_MAP] ? got[IN_MAP] : got[IN_MOUNTS], !error);
		if (error || got[IN_MAP])
			return;
	} else {
		probe_add(l, "user-namespaces", PROBE_OK, NULL, "made, with pid, mount, net, ipc, uts and "
			  "cgroup namespaces; %ld may be", wall_setting("/proc/sys/user/max_user_namespaces"));
	}
	probe_one(l, "mounts", got[IN_MOUNTS], "by descriptors (fsopen, open_tree, mount_setattr)",
		  "mounts by descriptors do not work", "Linux 5.12 or later");
	probe_one(l, "proc", got[IN_PROC], "a /proc of its own can be mounted",
		  "a new /proc is refused, as the one here is masked",
		  "docker run --security-opt systempaths=unconfined ...");
	probe_one(l, "overlay", got[IN_OVERLAY], "overlayfs with user xattrs",
		  "overlayfs cannot be mounted in a user namespace",
		  "Linux 5.11 or later; sudo modprobe overlay");
	probe_one(l, "loopback", got[IN_LOOPBACK], "comes up in a network namespace",
		  "cannot be brought up in a network namespace",
		  "the fix of user-namespaces");
}

static void probe_landlock(struct list *l)
{
	int abi = wall_landlock_abi();

	if (abi >= 6)
		probe_add(l, "landlock", PROBE_OK, NULL, "ABI %d: files, abstract sockets, signals", abi);
	else if (abi)
		probe_add(l, "landlock", PROBE_LIMITED, "Linux 6.12 or later",
			  "ABI %d: files; not abstract sockets and signals", abi);
	else
		probe_add(l, "landlock", PROBE_MISSING, "boot with lsm=landlock,... (Linux 5.13 or later)",
			  "not in this kernel: the mount namespace stands alone");
}

/* Status of a child that runs f; -1: it could not be. */
static int in_child(int (*f)(void))
{
	pid_t pid = fork();
	int status = -1;

	if (!pid)
		_exit(f());
	while (pid > 0 && waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	return pid < 0 || !WIFEXITED(status) ? -1 : WEXITSTATUS(status);
}

static int try_filter(void)
{
	struct filter f;

	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) || !filter_make(&f, true) || !filter_enter(&f))
		return 1;
	/* io_uring must be gone, and a harmless call must not */
	return !(syscall(425, 0, NULL) < 0 && errno == ENOSYS && getppid() > 0);
}

static int try_pidfd(void)
{
	long fd = syscall(SYS_pidfd_open, getpid(), 0);

	return fd < 0 || syscall(SYS_pidfd_send_signal, fd, 0, NULL, 0);
}

static void probe_calls(struct list *l)
{
	if (!in_child(try_filter))
		probe_add(l, "seccomp", PROBE_OK, NULL, "the filter loads and works");
	else
		probe_add(l, "seccomp", PROBE_MISSING, "a kernel with CONFIG_SECCOMP_FILTER=y",
			  "the system call filter cannot be loaded");
	if (!in_child(try_pidfd))
		probe_add(l, "pidfd", PROBE_OK, NULL, "processes are signalled by descriptors");
	else
		probe_add(l, "pidfd", PROBE_MISSING, "Linux 5.3 or later",
			  "processes have no descriptors");
}

static int nothing(void *ctx)
{
	(void)ctx;
	return 0;
}

/* The wall itself, from beginning to end. */
static void probe_wall(struct list *l)
{
	static const char name[] = "namespace";
	char dir[] = "/tmp/tinybox-probe-XXXXXX", box[32];
	struct spec s = {.kind = SPEC_NAMESPACE, .dir = dir, .box = box};
	struct report r = {.count = 0};
	struct cgroup *c;
	struct wall *w;
	const char *why;
	pid_t pid;

	if (!mkdtemp(dir)) {
		probe_add(l, name, PROBE_MISSING, "make /tmp writable", "/tmp: %s", strerror(errno));
		return;
	}
	snprintf(box, sizeof(box), "probe-%d", getpid());
	c = cgroup_open(&s, &r);
	w = wall_open(&s, c, &r, &why);
	pid = w ? wall_enter(w, nothing, NULL, NULL, 0, &why) : -1;
	if (pid < 0)
		probe_add(l, name, PROBE_MISSING, "see the lines below", "%s: %s", why, strerror(errno));
	else
		probe_add(l, name, PROBE_OK, NULL, "a box with the host's /usr was made and removed");
	while (pid > 0 && waitpid(pid, NULL, 0) < 0 && errno == EINTR)
		;
	wall_close(w);
	cgroup_close(c);
	wall_sweep(dir);
	rmdir(dir);
}

size_t probe_all(struct probe *p)
{
	struct list l = {.p = p};

	memset(p, 0, PROBE_MAX * sizeof(*p));
	probe_wall(&l);
	probe_namespaces(&l);
	probe_cgroups(&l);
	probe_landlock(&l);
	probe_calls(&l);
	probe_programs(&l);
	return l.count;
}

void probe_write(const struct probe *p, size_t count, struct wire_out *o)
{
	static const char *const word[] = {"ok", "limited", "missing"};

	for (size_t i = 0; i < count; i++) {
		size_t mark = wire_nest(o, WIRE_F_PROBE);

		wire_text(o, WIRE_F_NAME, p[i].name);
		wire_text(o, WIRE_F_STATE, word[p[i].state]);
		wire_text(o, WIRE_F_TEXT, p[i].text);
		wire_text(o, WIRE_F_FIX, p[i].fix);
		wire_unnest(o, mark);
	}
}
