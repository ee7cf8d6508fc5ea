/*
 * What docker_group.c makes where cgroup v2 has the controllers, which the machines that run the tests do not have: this is
 * the only program of a guest (docker-v2.sh), plays engine, keeper and process 1 of a container, and says on the console, as
 * TAP, what the kernel made of it. Argument-less; it ends the machine.
 */
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/reboot.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "init/cgroup_in.h"
#include "init/contain.h"
#include "init/docker_group.h"
#include "init/door_in.h"
#include "wire/pass.h"

#define ID "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"
#define ROOT "/sys/fs/cgroup"
#define BOX ROOT "/docker/" ID

static unsigned *shared;	/* [0] tests, [1] bad ones, [2] a counter */

static void ok(bool good, const char *name)
{
	shared[0]++;
	shared[1] += !good;
	printf("%sok %u - %s\n", good ? "" : "not ", shared[0], name);
	fflush(stdout);
}

static bool put(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY | O_CLOEXEC);
	bool good = fd >= 0 && write(fd, text, strlen(text)) == (ssize_t)strlen(text);

	if (fd >= 0)
		close(fd);
	return good;
}

static void eat(size_t mib)
{
	char *p = malloc(mib << 20);

	memset(p, 1, mib << 20);
	_exit(p[mib << 19] != 1);
}

/* What an exec does in its child, by the way that is there when clone3 is not allowed, as it is not in docker. */
static pid_t enter(const struct cgroup_exec *e)
{
	pid_t pid = fork();

	if (!pid && (!cgroup_enter(e) || !cgroup_enter_v2(e)))
		_exit(100 + errno);
	return pid;
}

static int end_of(pid_t pid)
{
	int status = -1;

	waitpid(pid, &status, 0);
	return status;
}

static void test_memory(struct cgroup *c, const char *who)
{
	struct cgroup_exec e;
	struct cgroup_use use;
	char name[80];
	pid_t pid;
	int status;

	ok(cgroup_exec_open(c, "p1", 32 << 20, 0, 0, &e), "a group with a limit of memory");
	pid = enter(&e);
	if (!pid)
		eat(8);
	status = end_of(pid);
	snprintf(name, sizeof(name), "%s: 8 MiB below 32 live (%d)", who, status);
	ok(!status, name);
	pid = enter(&e);
	if (!pid)
		eat(64);
	status = end_of(pid);
	cgroup_exec_use(c, &e, &use);
	snprintf(name, sizeof(name), "%s: 64 MiB die, and it is known why (%d)", who, status);
	ok(WIFSIGNALED(status) && use.has_oom && use.oom_kills == 1, name);
	cgroup_exec_close(c, "p1", &e);
	pid = fork();
	if (!pid)
		eat(64);
	ok(!end_of(pid), "... and of no other's");
}

static void test_others(struct cgroup *c, const char *who)
{
	struct cgroup_exec e;
	char text[64] = "", name[80];
	pid_t pid;

	ok(cgroup_exec_open(c, "p2", 0, 5, 200, &e), "a group with limits of processes and of processors");
	ok(cg_read(e.v2, "cpu.max", text, sizeof(text)) > 0 && !strcmp(text, "20000 100000\n"), "a fifth of a processor");
	pid = enter(&e);
	if (!pid) {
		unsigned n = 0;

		while (n < 20 && (pid = fork()) > 0)
			n++;
		if (!pid)
			pause();
		_exit(n == 4 && errno == EAGAIN ? 0 : 1);
	}
	snprintf(name, sizeof(name), "%s: five processes and no more", who);
	ok(!end_of(pid), name);
	ok(cgroup_exec_kill(&e), "all of it is killed");
	cgroup_exec_close(c, "p2", &e);
}

static void test_freeze(struct cgroup *c, const char *who)
{
	struct timespec moment = {.tv_nsec = 100000000};
	struct cgroup_exec e;
	unsigned then;
	char name[80];
	pid_t pid;

	ok(cgroup_exec_open(c, "p3", 0, 0, 0, &e), "a group without a limit");
	pid = enter(&e);
	while (!pid)
		__atomic_add_fetch(&shared[2], 1, __ATOMIC_RELAXED);
	nanosleep(&moment, NULL);
	snprintf(name, sizeof(name), "%s: frozen, and we are not", who);
	ok(cgroup_freeze(c, true), name);
	then = __atomic_load_n(&shared[2], __ATOMIC_RELAXED);
	nanosleep(&moment, NULL);
	ok(then && then == __atomic_load_n(&shared[2], __ATOMIC_RELAXED), "it stands still");
	ok(cgroup_freeze(c, false), "and again");
	nanosleep(&moment, NULL);
	ok(then != __atomic_load_n(&shared[2], __ATOMIC_RELAXED), "it goes on");
	ok(cgroup_freeze(c, true) && cgroup_exec_kill(&e), "what is frozen is killed");
	ok(WIFSIGNALED(end_of(pid)), "... and dies");
	cgroup_freeze(c, false);
	cgroup_exec_close(c, "p3", &e);
}

static int process_1(void *ctx)
{
	const uint32_t uid = *(uint32_t *)ctx;
	const char *who = uid ? "a user's" : "root's";
	struct sockaddr_un a = {.sun_family = AF_UNIX, .sun_path = "/door"};
	int sock, fds[PASS_MAX], fd[DOOR_FDS], above;
	struct contain_groups g;
	struct cgroup *c;
	uint32_t mask = 0;
	size_t n = 0, at = 0;

	put(BOX "/cgroup.procs", "0");
	unshare(CLONE_NEWCGROUP);
	if (uid && (setgid(uid) || setuid(uid)))
		_exit(1);
	sock = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
	if (connect(sock, (struct sockaddr *)&a, sizeof(a)))
		_exit(2);
	pass_take(sock, &mask, sizeof(mask), fds, &n, 0);
	memset(fd, -1, sizeof(fd));
	for (size_t k = 0; k < DOOR_FDS; k++)
		if (mask & 1u << k && at < n)
			fd[k] = fds[at++];
	ok(fd[DOOR_GROUP] >= 0 && fd[DOOR_GROUP_ALL] >= 0, "groups were given");
	above = openat(fd[DOOR_GROUP_ALL], "../../cgroup.procs", O_RDONLY);
	ok(above < 0 || openat(fd[DOOR_GROUP_ALL], "../" ID, O_PATH) < 0, "... from which no way leads up");
	g = (struct contain_groups){.all = fd[DOOR_GROUP_ALL], .run = fd[DOOR_GROUP], .v1 = {-1, -1, -1, -1}};
	c = contain_cgroup(&g);
	ok(c && c->with[CGROUP_MEMORY] && c->with[CGROUP_PIDS] && c->with[CGROUP_CPU], "with all controllers");
	test_memory(c, who);
	test_others(c, who);
	test_freeze(c, who);
	fflush(stdout);
	_exit(0);
}

static void tell_report(const struct report *r)
{
	for (size_t i = 0; i < r->count; i++) {
		printf("# %s: %s\n", r->line[i].control, r->line[i].by);
		if (!strcmp(r->line[i].control, "exec-limits"))
			ok(!strcmp(r->line[i].by, "control groups below the container's: memory, pids, cpu"),
			   "what is told of them");
		else
			ok(!strcmp(r->line[i].by, "cgroup.kill"), "what is told of killing");
	}
}

static void container(uint32_t uid)
{
	struct sockaddr_un a = {.sun_family = AF_UNIX, .sun_path = "/door"};
	int door = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0), sock, fd[DOOR_FDS];
	struct report r = {.count = 0};
	pid_t pid;

	ok(!mkdir(BOX, 0755) && put(BOX "/memory.max", "268435456"), "the container's own group");
	unlink("/door");
	if (bind(door, (struct sockaddr *)&a, sizeof(a)) || chmod("/door", 0666) || listen(door, 1))
		return;
	pid = fork();
	if (!pid)
		process_1(&uid);
	sock = accept(door, NULL, NULL);
	memset(fd, -1, sizeof(fd));
	docker_group_open(sock, ID, fd, &r);
	tell_report(&r);
	door_give(sock, fd);
	docker_group_close(fd);
	ok(!end_of(pid), "process 1 came to its end");
	close(sock);
	close(door);
	/* as the engine's run-time does */
	ok(cg_remove(open(ROOT "/docker", O_RDONLY | O_DIRECTORY), ID) && access(BOX, F_OK), "the group goes with all below it");
}

int main(void)
{
	shared = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	mkdir("/proc", 0755);
	mkdir("/sys", 0755);
	mkdir("/tmp", 01777);
	mount("proc", "/proc", "proc", 0, NULL);
	mount("sysfs", "/sys", "sysfs", 0, NULL);
	if (mount("cgroup2", ROOT, "cgroup2", 0, NULL) || !put(ROOT "/cgroup.subtree_control", "+memory +pids +cpu") ||
	    mkdir(ROOT "/docker", 0755) || !put(ROOT "/docker/cgroup.subtree_control", "+memory +pids +cpu")) {
		printf("Bail out! %s\n", strerror(errno));
	} else {
		container(0);
		container(1234);
		printf("1..%u\n", shared[0]);
	}
	fflush(stdout);
	sync();
	reboot(RB_AUTOBOOT);
	return 0;
}
