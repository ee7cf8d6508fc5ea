/*
 * The worker's wall by itself: each attack is made twice in a child, first without the wall (it
 * must work, or the test says nothing), then behind it. TAP.
 */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include "engine/engine.h"

static char top[] = "/tmp/tinybox-wall.XXXXXX", state[64], work[64], secret[64];
static pid_t victim;
static int count, failed;

static bool can_open(const char *path, int flags)
{
	int fd = open(path, flags, 0600);

	if (fd >= 0)
		close(fd);
	return fd >= 0;
}

static char *below(const char *dir, const char *name)
{
	static char path[128];

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	return path;
}

/* Attacks: true when they worked. */
static bool read_host(void) { return can_open("/etc/passwd", O_RDONLY); }
static bool read_secret(void) { return can_open(secret, O_RDONLY); }
static bool write_host(void) { return can_open(below(top, "new"), O_WRONLY | O_CREAT); }
static bool list_root(void) { return can_open("/", O_RDONLY | O_DIRECTORY); }
static bool up_by_dots(void) { return can_open(below(state, "../secret"), O_RDONLY); }

static bool by_link(void)
{
	char *link = below(state, "link");

	return (!symlink(secret, link) || errno == EEXIST) && can_open(link, O_RDONLY);
}

static bool by_hard_link(void)
{
	return !linkat(AT_FDCWD, secret, AT_FDCWD, below(state, "hard"), 0) &&
	       can_open(below(state, "hard"), O_RDONLY);
}

static bool read_proc(void)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/%d/environ", (int)victim);
	return can_open(path, O_RDONLY);
}

static bool make_socket(void) { return socket(AF_INET, SOCK_STREAM, 0) >= 0; }
static bool make_unix_socket(void) { return socket(AF_UNIX, SOCK_STREAM, 0) >= 0; }

static bool run_program(void)
{
	execl("/bin/true", "true", (char *)NULL);
	return false;	/* the one that works ends with 0 */
}

static bool make_process(void)
{
	pid_t pid = fork();

	if (!pid)
		_exit(0);
	return pid > 0 && waitpid(pid, NULL, 0) == pid;
}

static bool kill_other(void) { return !kill(victim, 0); }
static bool trace_other(void) { return !ptrace(PTRACE_SEIZE, victim, 0, 0); }

static bool executable_page(void)
{
	return mmap(NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1,
		    0) != MAP_FAILED;
}

static bool make_executable(void)
{
	void *p = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	return p != MAP_FAILED && !mprotect(p, 4096, PROT_READ | PROT_EXEC);
}

static bool open_ring(void)
{
	struct { uint32_t words[30]; } params;

	memset(&params, 0, sizeof(params));
	return syscall(425, 1, &params) >= 0 || errno == EPERM;	/* may be forbidden to all */
}

static bool new_namespace(void) { return !syscall(SYS_unshare, 0x10000000) || errno == EPERM; }
static bool set_limit(void)
{
	struct rlimit r = { 100, 100 };

	return !setrlimit(RLIMIT_NOFILE, &r);
}

static bool make_fifo_outside(void) { return !mkfifo(below(top, "fifo"), 0600); }
static bool rename_out(void)
{
	char mine[128];

	snprintf(mine, sizeof(mine), "%s/mine", state);
	return can_open(mine, O_WRONLY | O_CREAT) && !rename(mine, below(top, "out"));
}

static bool write_work(void) { return can_open(below(work, "file"), O_WRONLY | O_CREAT); }

/* What a worker does: must work behind the wall too. */
static bool write_state(void) { return can_open(below(state, "file"), O_RDWR | O_CREAT); }

static void *nothing(void *arg) { return arg; }

static bool make_thread(void)
{
	pthread_t t;

	return !pthread_create(&t, NULL, nothing, NULL) && !pthread_join(t, NULL);
}

static bool take_memory(void)
{
	char *p = malloc(50 << 20);

	if (!p)
		return false;
	memset(p, 1, 50 << 20);
	free(p);
	return true;
}

static bool read_work(void) { return can_open(work, O_RDONLY | O_DIRECTORY); }

/* In a child: 0 worked, 1 failed, 2 no wall, 128 + n killed. */
static int attempt(bool (*attack)(void), bool walled, bool readonly)
{
	int status;
	pid_t pid;

	fflush(stdout);
	pid = fork();
	if (!pid) {
		int dir = open(state, O_RDONLY | O_DIRECTORY), workspace = open(work, O_PATH);
		struct wall w;

		wall_probe(&w);
		if (walled && !wall_raise(&w, dir, workspace, readonly))
			_exit(2);
		_exit(attack() ? 0 : 1);
	}
	if (pid < 0 || waitpid(pid, &status, 0) != pid)
		return 3;
	return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

static void line(bool good, const char *what, const char *name, int got)
{
	failed += !good;
	printf("%sok %d - %s: %s\n", good ? "" : "not ", ++count, name, what);
	if (!good)
		printf("# got %d\n", got);
}

static void fails(bool (*attack)(void), const char *name)
{
	int got = attempt(attack, false, false);

	line(!got, "works without the wall", name, got);
	got = attempt(attack, true, false);
	line(got == 1 || got == 128 + SIGSYS, "not behind it", name, got);
}

static void works(bool (*attack)(void), const char *name)
{
	int got = attempt(attack, true, false);

	line(!got, "works behind it", name, got);
}

static void clean(void)
{
	char command[100];

	snprintf(command, sizeof(command), "rm -rf %s", top);
	if (system(command))
		perror(top);
}

int main(void)
{
	int got;

	if (!mkdtemp(top))
		return 1;
	snprintf(state, sizeof(state), "%s/state", top);
	snprintf(work, sizeof(work), "%s/work", top);
	snprintf(secret, sizeof(secret), "%s/secret", top);
	if (mkdir(state, 0700) || mkdir(work, 0700) || !can_open(secret, O_WRONLY | O_CREAT))
		return 1;
	victim = fork();
	if (!victim) {
		pause();
		_exit(0);
	}
	fails(read_host, "read a file of the host");
	fails(read_secret, "read a file beside the state");
	fails(write_host, "write there");
	fails(list_root, "list the root");
	fails(up_by_dots, "leave by ..");
	fails(by_link, "leave by a link");
	fails(by_hard_link, "leave by a hard link");
	fails(rename_out, "move a file out");
	fails(make_fifo_outside, "make a FIFO outside");
	fails(read_proc, "read another process");
	fails(kill_other, "signal another process");
	fails(trace_other, "trace another process");
	fails(make_socket, "make a socket");
	fails(make_unix_socket, "make a Unix socket");
	fails(run_program, "run a program");
	fails(make_process, "make a process");
	fails(executable_page, "map an executable page");
	fails(make_executable, "make one executable");
	fails(open_ring, "open an io_uring");
	fails(new_namespace, "make a namespace");
	fails(set_limit, "change a limit");
	works(write_state, "write the state");
	works(write_work, "write the workspace");
	works(read_work, "list the workspace");
	works(make_thread, "make a thread");
	works(take_memory, "take memory");
	got = attempt(write_work, true, true);
	line(got == 1, "fails when it is read-only", "write the workspace", got);
	kill(victim, SIGKILL);
	waitpid(victim, NULL, 0);
	clean();
	printf("1..%d\n", count);
	return failed != 0;
}
