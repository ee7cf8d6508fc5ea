/*
 * Attacks on a wall, one a name: `escape NAME [ARG...]`. Status 0: the attack worked; 1: it failed, and
 * why is on standard output; 2: this machine or this user cannot even try (no control is possible).
 * tests/box/wall.sh runs each outside, where it must work, and then inside, where it must fail.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <linux/keyctl.h>
#include <sched.h>
#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/ptrace.h>
#include <sys/shm.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <arpa/inet.h>
#include <netinet/in.h>
#include <unistd.h>

enum { WORKED, FAILED, CANNOT };

static int verdict(int bad)
{
	if (!bad)
		return WORKED;
	printf("%s\n", strerror(errno));
	return FAILED;
}

/* Reads something of the file. */
static int read_some(int fd)
{
	char byte;
	int bad = fd < 0 || read(fd, &byte, 1) != 1;

	return verdict(bad);
}

/* ---- host processes ---- */

/* A process whose command line has the word. */
static int see(char **a)
{
	DIR *d = opendir("/proc");
	struct dirent *e;

	while (d && (e = readdir(d))) {
		char path[300], line[4096];
		int fd;
		ssize_t n;

		snprintf(path, sizeof(path), "/proc/%s/cmdline", e->d_name);
		if (e->d_name[0] < '0' || e->d_name[0] > '9' || atoi(e->d_name) == getpid())
			continue;
		fd = open(path, O_RDONLY);
		n = fd < 0 ? 0 : read(fd, line, sizeof(line));
		if (fd >= 0)
			close(fd);
		if (n > 0 && memmem(line, (size_t)n, a[0], strlen(a[0])) &&
		    !memmem(line, (size_t)n, "escape", 6))
			return WORKED;
	}
	printf("not seen\n");
	return FAILED;
}

static int trace(char **a)
{
	pid_t pid = atoi(a[0]);

	if (ptrace(PTRACE_ATTACH, pid, 0, 0))
		return verdict(1);
	waitpid(pid, NULL, __WALL);
	ptrace(PTRACE_DETACH, pid, 0, 0);
	return WORKED;
}

/* A descriptor of another process, by its pidfd. */
static int steal(char **a)
{
	int pidfd = (int)syscall(434 /* pidfd_open */, atoi(a[0]), 0);

	return verdict(pidfd < 0 || syscall(438 /* pidfd_getfd */, pidfd, 0, 0) < 0);
}

static int proc_file(char **a)
{
	char path[300];
	struct stat st;
	int fd;

	snprintf(path, sizeof(path), "/proc/%s/%s", a[0], a[1]);
	if (!strcmp(a[1], "root") || !strcmp(a[1], "cwd"))
		return verdict(open(path, O_RDONLY | O_DIRECTORY) < 0);
	if (!strcmp(a[1], "ns/user"))
		return verdict(stat(path, &st));
	fd = open(path, O_RDONLY);
	return verdict(fd < 0);
}

/* The program of a process, opened to be written as soon as nobody runs it: that it runs is no defence. */
static int exe_write(char **a)
{
	char path[64];
	int fd;

	snprintf(path, sizeof(path), "/proc/%s/exe", a[0]);
	fd = open(path, O_PATH);
	if (fd < 0)
		return verdict(1);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	if (open(path, O_WRONLY) >= 0 || errno == ETXTBSY)
		return WORKED;
	return verdict(1);
}

static int peek(char **a)
{
	char byte;
	/* the address of any program: its own stack is not known, so only the errno counts */
	struct iovec here = {&byte, 1}, there = {(void *)0x400000, 1};

	if (process_vm_readv(atoi(a[0]), &here, 1, &there, 1, 0) == 1 || errno == EFAULT)
		return WORKED;
	return verdict(1);
}

/* ---- files ---- */

static int read_file(char **a)
{
	return read_some(open(a[0], O_RDONLY));
}

static int write_file(char **a)
{
	return verdict(open(a[0], O_WRONLY) < 0);
}

static int make_file(char **a)
{
	int fd = open(a[0], O_WRONLY | O_CREAT | O_EXCL, 0600);

	if (fd >= 0)
		unlink(a[0]);
	return verdict(fd < 0);
}

/* Below a descriptor that was left open. */
static int leaked(char **a)
{
	return read_some(openat(atoi(a[0]), a[1], O_RDONLY));
}

static int environment(char **a)
{
	if (getenv(a[0]))
		return WORKED;
	printf("not set\n");
	return FAILED;
}

static int set_uid(char **a)
{
	char path[300];
	struct stat st;
	int fd, bad;

	snprintf(path, sizeof(path), "%s/setid", a[0]);
	unlink(path);
	/* three ways */
	fd = open(path, O_WRONLY | O_CREAT | O_EXCL, 04755);
	if (fd >= 0 && !fstat(fd, &st) && st.st_mode & 06000)
		return WORKED;
	if (fd < 0)
		fd = open(path, O_WRONLY | O_CREAT | O_EXCL, 0755);
	bad = fchmod(fd, 04755) && chmod(path, 02755) && fchmodat(AT_FDCWD, path, 06755, 0) &&
		syscall(SYS_chmod, path, 0xffff00000000ul | 04755);
	return verdict(bad);
}

static int device(char **a)
{
	char path[300];
	int bad;

	snprintf(path, sizeof(path), "%s/device", a[0]);
	bad = mknod(path, S_IFCHR | 0600, 1 << 8 | 3);
	unlink(path);
	return verdict(bad);
}

static int fill_disk(char **a)
{
	static char block[1 << 16];
	char path[300];
	int fd;

	snprintf(path, sizeof(path), "%s/filler", a[0]);
	fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
	for (int i = 0; fd >= 0 && i < 128; i++) {
		if (write(fd, block, sizeof(block)) != sizeof(block)) {
			unlink(path);
			return verdict(1);
		}
	}
	unlink(path);
	return verdict(fd < 0);
}

/* ---- sockets ---- */

static int tcp(char **a)
{
	struct sockaddr_in s = {.sin_family = AF_INET, .sin_port = htons((uint16_t)atoi(a[0])),
		.sin_addr.s_addr = htonl(INADDR_LOOPBACK)};

	return verdict(connect(socket(AF_INET, SOCK_STREAM, 0), (struct sockaddr *)&s, sizeof(s)));
}

/* @name is an abstract one */
static int unix_socket(char **a)
{
	struct sockaddr_un s = {.sun_family = AF_UNIX};
	socklen_t size = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + strlen(a[0]));

	strncpy(s.sun_path, a[0], sizeof(s.sun_path) - 1);
	if (a[0][0] == '@')
		s.sun_path[0] = 0;
	else
		size = sizeof(s);
	return verdict(connect(socket(AF_UNIX, SOCK_STREAM, 0), (struct sockaddr *)&s, size));
}

/* A directory that comes over a socket from outside, and a file in it. */
static int rights(char **a)
{
	struct sockaddr_un s = {.sun_family = AF_UNIX};
	char byte, control[CMSG_SPACE(sizeof(int))];
	struct iovec part = {&byte, 1};
	struct msghdr m = {.msg_iov = &part, .msg_iovlen = 1, .msg_control = control,
		.msg_controllen = sizeof(control)};
	int sock = socket(AF_UNIX, SOCK_STREAM, 0), fd;

	strncpy(s.sun_path, a[0], sizeof(s.sun_path) - 1);
	if (connect(sock, (struct sockaddr *)&s, sizeof(s)) || recvmsg(sock, &m, 0) <= 0 || !CMSG_FIRSTHDR(&m))
		return verdict(1);
	memcpy(&fd, CMSG_DATA(CMSG_FIRSTHDR(&m)), sizeof(fd));
	return read_some(openat(fd, a[1], O_RDONLY));
}

static int family(char **a)
{
	int f = atoi(a[0]), protocol = atoi(a[1]);
	int type = f == AF_ALG ? SOCK_SEQPACKET : f == AF_VSOCK ? SOCK_STREAM : SOCK_RAW;

	if (syscall(SYS_socket, f, type, protocol) >= 0)
		return WORKED;
	return verdict(syscall(SYS_socket, (1ul << 32) | (unsigned)f, type, protocol) < 0);
}

/* ---- terminals ---- */

/* A terminal of our own, which is what a session has. */
static int own_terminal(void)
{
	int master = posix_openpt(O_RDWR | O_NOCTTY), slave;
	char *name;

	setsid();
	if (master < 0 || grantpt(master) || unlockpt(master) || !(name = ptsname(master)))
		return -1;
	slave = open(name, O_RDWR);
	ioctl(slave, TIOCSCTTY, 0);
	return slave;
}

static int sti(char **a)
{
	pid_t pid = fork();
	int status;

	(void)a;
	if (!pid) {
		int fd = own_terminal();

		if (fd < 0)
			_exit(CANNOT);
		if (!ioctl(fd, TIOCSTI, "x") || !syscall(SYS_ioctl, fd, (1ul << 32) | TIOCSTI, "x"))
			_exit(WORKED);
		_exit(FAILED);
	}
	waitpid(pid, &status, 0);
	return WEXITSTATUS(status);
}

static int tioclinux(char **a)
{
	pid_t pid = fork();
	int status;

	(void)a;
	if (!pid) {
		char what = 3;
		int fd = own_terminal();

		if (fd < 0)
			_exit(CANNOT);
		/* on a pseudo terminal the kernel says ENOTTY: then it was reached */
		_exit(ioctl(fd, TIOCLINUX, &what) && errno == EPERM ? FAILED : WORKED);
	}
	waitpid(pid, &status, 0);
	return WEXITSTATUS(status);
}

/* ---- kernel ---- */

static int keyring(char **a)
{
	long key = syscall(SYS_add_key, "user", "tinybox-test", "x", 1, KEY_SPEC_PROCESS_KEYRING);

	(void)a;
	return verdict(key < 0);
}

static int in_child(int (*f)(void))
{
	pid_t pid = fork();
	int status = 0;

	if (!pid)
		_exit(f());
	waitpid(pid, &status, 0);
	return WIFEXITED(status) ? WEXITSTATUS(status) : FAILED;
}

static int try_unshare(void)
{
	return unshare(CLONE_NEWUSER) ? FAILED : WORKED;
}

static int try_clone(void)
{
	long pid = syscall(SYS_clone, CLONE_NEWUSER | SIGCHLD, 0, 0, 0, 0);

	if (!pid)
		_exit(0);
	return pid < 0 ? FAILED : WORKED;
}

static int try_clone3(void)
{
	uint64_t args[8] = {CLONE_NEWUSER, [4] = SIGCHLD};
	long pid = syscall(435, args, sizeof(args));

	if (!pid)
		_exit(0);
	return pid < 0 ? FAILED : WORKED;
}

static int userns(char **a)
{
	(void)a;
	if (in_child(try_unshare) == WORKED || in_child(try_clone) == WORKED ||
	    in_child(try_clone3) == WORKED)
		return WORKED;
	return FAILED;
}

static int try_mount(void)
{
	int fd;

	if (unshare(CLONE_NEWNS) && unshare(CLONE_NEWUSER | CLONE_NEWNS))
		errno = 0;
	if (!mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) && !mount("x", "/tmp", "tmpfs", 0, NULL))
		return WORKED;
	if (!mount("/usr", "/tmp", NULL, MS_BIND, NULL) || !umount2("/proc", MNT_DETACH))
		return WORKED;
	fd = fsopen("tmpfs", 0);
	return fd >= 0 || open_tree(AT_FDCWD, "/", OPEN_TREE_CLONE) >= 0 ? WORKED : FAILED;
}

static int mounts(char **a)
{
	(void)a;
	return in_child(try_mount);
}

static int try_chroot(void)
{
	return chroot("/tmp") ? FAILED : WORKED;
}

static int change_root(char **a)
{
	(void)a;
	return in_child(try_chroot);
}

static int join_namespace(char **a)
{
	int fd = open("/proc/self/ns/uts", O_RDONLY);

	(void)a;
	return verdict(setns(fd, CLONE_NEWUTS));
}

static int groups(char **a)
{
	gid_t g[1] = {4};

	(void)a;
	return verdict(setgroups(1, g));
}

/* Any capability, in any set: works outside for everybody by the bounding set. */
static int capabilities(char **a)
{
	FILE *f = fopen("/proc/self/status", "r");
	char line[256];
	unsigned long long n, all = 0;

	(void)a;
	while (f && fgets(line, sizeof(line), f)) {
		if (sscanf(line, "Cap%*3s: %llx", &n) == 1)
			all |= n;
	}
	printf("%llx\n", all);
	return all ? WORKED : FAILED;
}

static int new_privileges(char **a)
{
	(void)a;
	/* 1 where there can be none */
	return syscall(SYS_prctl, 39 /* PR_GET_NO_NEW_PRIVS */, 0, 0, 0, 0) ? FAILED : WORKED;
}

static int calls32(char **a)
{
	(void)a;
#if defined(__x86_64__)
	{
		long r;

		__asm__ volatile("int $0x80" : "=a"(r) : "0"(20L /* getpid */) : "r8", "r9", "r10",
				 "r11", "memory");
		return r > 0 ? WORKED : FAILED;
	}
#else
	return CANNOT;
#endif
}

static int x32(char **a)
{
	(void)a;
	if (syscall(0x40000000 | 39) > 0)
		return WORKED;
	return errno == ENOSYS ? FAILED : WORKED;
}

/* A call by number: reached the kernel's own code (any error but those of a filter), or not. */
static int call(char **a)
{
	long r = syscall(atol(a[0]), 0, 0, 0, 0, 0, 0);

	if (r >= 0 || (errno != ENOSYS && errno != EPERM))
		return WORKED;
	return verdict(1);
}

static int fork_bomb(char **a)
{
	int n = atoi(a[0]), made = 0;
	pid_t pid;

	while (made < n && (pid = fork()) >= 0) {
		if (!pid) {
			pause();
			_exit(0);
		}
		made++;
	}
	signal(SIGTERM, SIG_IGN);
	printf("%d processes\n", made);
	kill(0, SIGTERM);
	return made == n ? WORKED : FAILED;
}

static int eat(char **a)
{
	size_t size = strtoull(a[0], NULL, 10);
	char *p = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (p == MAP_FAILED)
		return verdict(1);
	for (size_t i = 0; i < size; i += 4096)
		p[i] = 1;
	return WORKED;
}

/* A segment of System V that was made outside. */
static int sysv(char **a)
{
	return verdict(shmget((key_t)strtol(a[0], NULL, 0), 0, 0) < 0);
}

static int terminals(char **a)
{
	int n = atoi(a[0]);

	while (n && posix_openpt(O_RDWR | O_NOCTTY) >= 0)
		n--;
	return verdict(n);
}

static int kill_all(char **a)
{
	(void)a;
	kill(-1, SIGTERM);
	return FAILED;	/* the victim outside says whether */
}

static const struct {
	const char *name;
	int (*f)(char **a);
	int args;
} attack[] = {{"see", see, 1}, {"trace", trace, 1}, {"steal", steal, 1}, {"proc-file", proc_file, 2}, {"peek", peek, 1}, {"exe-write", exe_write, 1}, {"rights", rights, 2},
	{"read-file", read_file, 1}, {"write-file", write_file, 1}, {"make-file", make_file, 1},
	{"leaked", leaked, 2}, {"environment", environment, 1}, {"set-uid", set_uid, 1},
	{"device", device, 1}, {"fill-disk", fill_disk, 1}, {"tcp", tcp, 1}, {"unix", unix_socket, 1},
	{"family", family, 2}, {"sti", sti, 0}, {"tioclinux", tioclinux, 0}, {"keyring", keyring, 0},
	{"userns", userns, 0}, {"mounts", mounts, 0}, {"chroot", change_root, 0},
	{"setns", join_namespace, 0}, {"setgroups", groups, 0}, {"capabilities", capabilities, 0},
	{"new-privileges", new_privileges, 0}, {"calls32", calls32, 0}, {"x32", x32, 0},
	{"call", call, 1}, {"fork-bomb", fork_bomb, 1}, {"eat", eat, 1}, {"sysv", sysv, 1}, {"terminals", terminals, 1}, {"kill-all", kill_all, 0}};

int main(int argc, char **argv)
{
	if (argc < 2)
		return CANNOT;
	for (size_t i = 0; i < sizeof(attack) / sizeof(*attack); i++) {
		if (!strcmp(attack[i].name, argv[1]) && argc - 2 >= attack[i].args)
			return attack[i].f(argv + 2);
	}
	return CANNOT;
}
