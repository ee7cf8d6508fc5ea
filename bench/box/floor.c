/*
 * The least that this kernel can be asked for a wall with the same namespaces, a root of its own and one program in
 * it: nothing is looked up, checked, limited or told, and one processor does all. What a wall costs above this is ours,
 * what this costs above a bare spawn is the kernel's. Times of the parts are told by the child, in memory that both share.
 */
#include "floor.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/sched.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define MAP "0 1879048192 65536"

static struct floor_part part[FLOOR_PARTS] = {{"clone3, user and pid namespace", 1e9}, {"maps of ids", 1e9},
	{"mount namespace", 1e9}, {"ipc, uts, cgroup namespaces", 1e9}, {"network namespace", 1e9},
	{"tmpfs, three directories", 1e9}, {"overlay", 1e9}, {"/usr, one mount of the host's", 1e9},
	{"proc, devpts", 1e9}, {"pivot_root, old root unmounted", 1e9}, {"41 capabilities, a filter of one line", 1e9},
	{"the program", 1e9}};
static double *spent, began;
static char layer[256];

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6;
}

static void done(int which)
{
	double t = now();

	spent[which] = t - began;
	began = now();
}

/* In the child every failure is the end: the parent sees no word. */
static void must(bool good)
{
	if (!good)
		_exit(1);
}

static void namespaces(void)
{
	began = now();
	must(!unshare(CLONE_NEWNS));
	done(2);
	must(!unshare(CLONE_NEWIPC) && !unshare(CLONE_NEWUTS) && !unshare(CLONE_NEWCGROUP));
	done(3);
	must(!unshare(CLONE_NEWNET));
	done(4);
}

static void mounts(void)
{
	char options[128];
	int root, usr, lower = open(layer, O_PATH | O_DIRECTORY | O_CLOEXEC);

	must(lower >= 0 && !mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL));
	must(!mount("tmpfs", "/tmp", "tmpfs", MS_NOSUID | MS_NODEV, "mode=755"));
	must(!chdir("/tmp") && !mkdir("upper", 0755) && !mkdir("work", 0755) && !mkdir("root", 0755));
	done(5);
	snprintf(options, sizeof(options), "lowerdir=/proc/self/fd/%d,upperdir=upper,workdir=work,"
		 "userxattr", lower);
	must(!mount("overlay", "root", "overlay", MS_NOSUID | MS_NODEV, options));
	root = open("root", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	done(6);
	usr = open_tree(AT_FDCWD, "/usr", OPEN_TREE_CLONE | AT_RECURSIVE);
	must(usr >= 0 && !move_mount(usr, "", root, "usr", MOVE_MOUNT_F_EMPTY_PATH) && !close(usr));
	done(7);
	must(!fchdir(root) && !mount("proc", "proc", "proc", 0, NULL) &&
	     !mount("devpts", "dev/pts", "devpts", 0, "newinstance,ptmxmode=0666"));
	done(8);
	must(!syscall(SYS_pivot_root, ".", ".") && !umount2(".", MNT_DETACH) && !chdir("/"));
	done(9);
}

static void powerless(void)
{
	struct sock_filter line = BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
	struct sock_fprog all = {1, &line};

	for (int i = 0; i <= 40; i++)
		prctl(PR_CAPBSET_DROP, i, 0, 0, 0);
	must(!prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) &&
	     !syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &all));
	done(10);
}

static _Noreturn void child(int go, int word)
{
	char *argv[] = {(char *)"/bin/true", NULL}, *env[] = {NULL}, byte;
	int status = 1;
	pid_t pid;

	must(read(go, &byte, 1) == 1 && !syscall(SYS_setresgid, 0, 0, 0) && !syscall(SYS_setresuid, 0, 0, 0));
	namespaces();
	mounts();
	powerless();
	pid = vfork();
	if (!pid) {
		execve(argv[0], argv, env);
		_exit(127);
	}
	waitpid(pid, &status, 0);
	done(11);
	must(write(word, &status, sizeof(status)) == (ssize_t)sizeof(status));
	for (;;)
		pause();
}

static void map(pid_t pid, const char *which)
{
	char path[64];
	int fd;

	snprintf(path, sizeof(path), "/proc/%d/%s", pid, which);
	fd = open(path, O_WRONLY | O_CLOEXEC);
	if (fd < 0 || write(fd, MAP, strlen(MAP)) < 0)
		perror(path);
	if (fd >= 0)
		close(fd);
}

/* What its root begins from; on disk, made once. */
bool floor_begin(const char *dir)
{
	static const char *const below[] = {"", "/usr", "/proc", "/dev", "/dev/pts"};
	char path[300];

	spent = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	snprintf(layer, sizeof(layer), "%s/floor", dir);
	for (size_t i = 0; i < sizeof(below) / sizeof(*below); i++) {
		snprintf(path, sizeof(path), "%s%s", layer, below[i]);
		if (mkdir(path, 0755))
			return false;
	}
	for (size_t i = 0; i < 3; i++) {
		static const char *const link[] = {"bin", "lib", "lib64"};
		char to[32];

		snprintf(path, sizeof(path), "%s/%s", layer, link[i]);
		snprintf(to, sizeof(to), "usr/%s", link[i]);
		if (symlink(to, path))
			return false;
	}
	/* a box's root, who is nobody outside, has to get there */
	return spent != MAP_FAILED && !geteuid() && !chmod(dir, 0711);
}

bool floor_once(void)
{
	struct clone_args a = {.flags = CLONE_NEWUSER | CLONE_NEWPID, .exit_signal = SIGCHLD};
	int go[2], word[2], status = 1;
	double start;
	pid_t pid;

	if (pipe2(go, O_CLOEXEC) || pipe2(word, O_CLOEXEC))
		return false;
	start = now();
	pid = (pid_t)syscall(SYS_clone3, &a, sizeof(a));
	if (!pid)
		child(go[0], word[1]);
	spent[0] = now() - start;
	start = now();
	map(pid, "uid_map");
	map(pid, "gid_map");
	spent[1] = now() - start;
	close(word[1]);
	if (write(go[1], "", 1) != 1 || read(word[0], &status, sizeof(status)) != (ssize_t)sizeof(status))
		status = 1;
	kill(pid, SIGKILL);
	close(go[0]);
	close(go[1]);
	close(word[0]);
	for (int i = 0; i < FLOOR_PARTS && !status; i++) {
		if (spent[i] < part[i].least)
			part[i].least = spent[i];
	}
	return !status;
}

const struct floor_part *floor_parts(void)
{
	return part;
}
