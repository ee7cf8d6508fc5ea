/*
 * The probes of control groups (by making one) and of what else this host has for boxes: programs are
 * run, with a deadline and devices are opened (docker_probe.c has the container engine).
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "init/cgroup_in.h"
#include "init/probe_in.h"
#include "init/vm.h"

#define RUN_MS 4000
#define KVM_GET_API_VERSION 0xae00

/* A group with all three limits, as a box would have it. */
void probe_cgroups(struct list *l)
{
	static const char *const control[] = {"memory", "pids", "cpu"};
	static const char user_fix[] = "systemd-run --user --scope -p Delegate=yes tinybox ..., or: sudo "
		"systemctl edit user@.service, [Service] Delegate=memory pids cpu";
	char box[32], text[160] = "";
	struct spec s = {.box = box, .memory = 64 << 20, .pids = 64, .cpu = 500};
	struct report r = {.count = 0};
	struct cgroup *c;
	size_t good = 0;

	snprintf(box, sizeof(box), "probe-%d", getpid());
	c = cgroup_open(&s, &r);
	if (!c)
		return;
	for (size_t i = 0; i < 3; i++) {
		bool v2 = c->with[i], have = v2 || c->v1[i] >= 0;
		size_t n = strlen(text);

		good += have;
		snprintf(text + n, sizeof(text) - n, "%s: %s, ", control[i],
			 v2 ? "v2" : have ? "v1" : "none");
	}
	probe_add(l, "cgroups", good == 3 ? PROBE_OK : good || c->box >= 0 ? PROBE_LIMITED :
		  PROBE_MISSING, good == 3 ? NULL : geteuid() ? user_fix :
		  "mount -t cgroup2 none /sys/fs/cgroup, with memory, pids and cpu in cgroup.subtree_control",
		  "%skill and freeze: %s", text, c->box >= 0 ? "v2" :
		  c->v1[CGROUP_FREEZER] >= 0 ? "v1" : "none");
	cgroup_close(c);
}

static _Noreturn void run_child(char **argv, int out)
{
	static char *env[] = {"PATH=/usr/sbin:/usr/bin:/sbin:/bin", "LC_ALL=C", NULL};
	int null = open("/dev/null", O_RDWR);

	setsid();
	dup2(null, 0);
	dup2(out, 1);
	dup2(out, 2);
	syscall(SYS_close_range, 3, ~0u, 0);
	execve(argv[0], argv, env);
	_exit(127);
}

/* Its first line of output; status, or -1: it is not there, was killed, or took too long. */
static int run(char **argv, char *line, size_t size)
{
	int io[2], status = -1;
	struct pollfd p;
	ssize_t n = 0;
	pid_t pid;

	*line = 0;
	if (access(argv[0], X_OK) || pipe2(io, O_CLOEXEC))
		return -1;
	pid = fork();
	if (!pid)
		run_child(argv, io[1]);
	close(io[1]);
	p = (struct pollfd){.fd = io[0], .events = POLLIN};
	if (pid > 0 && poll(&p, 1, RUN_MS) > 0)
		n = read(io[0], line, size - 1);
	line[n > 0 ? n : 0] = 0;
	line[strcspn(line, "\n")] = 0;
	/* the rest of it, or the deadline */
	p = (struct pollfd){.fd = pid > 0 ? (int)syscall(SYS_pidfd_open, pid, 0) : -1, .events = POLLIN};
	if (pid > 0 && (p.fd < 0 || poll(&p, 1, RUN_MS) <= 0))
		kill(-pid, SIGKILL);
	if (p.fd >= 0)
		close(p.fd);
	while (pid > 0 && waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	close(io[0]);
	return pid > 0 && WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static void probe_program(struct list *l, const char *name, char **argv, const char *fix)
{
	char line[160];
	int status = run(argv, line, sizeof(line));

	if (!status)
		probe_add(l, name, PROBE_OK, NULL, "%s", *line ? line : argv[0]);
	else if (access(argv[0], X_OK))
		probe_add(l, name, PROBE_MISSING, fix, "no %s", argv[0]);
	else
		probe_add(l, name, PROBE_MISSING, fix, "%s fails: %s", argv[0], line);
}

static void probe_kvm(struct list *l)
{
	int fd = open("/dev/kvm", O_RDWR | O_CLOEXEC);
	int version = fd < 0 ? -1 : ioctl(fd, KVM_GET_API_VERSION, 0);

	if (version >= 0)
		probe_add(l, "kvm", PROBE_OK, NULL, "API version %d; whether a kernel runs in it the "
			  "first micro-VM shows", version);
	else if (errno == EACCES || errno == EPERM)
		probe_add(l, "kvm", PROBE_MISSING, "sudo usermod -aG kvm $USER, and log in again",
			  "/dev/kvm is not for this user");
	else
		probe_add(l, "kvm", PROBE_MISSING, "turn virtualisation on in the firmware, or nested "
			  "virtualisation on the host of this machine; sudo modprobe kvm",
			  "/dev/kvm: %s: micro-VMs are emulated, slowly", strerror(errno));
	if (fd >= 0)
		close(fd);
}

/* What a micro-VM needs besides the program that runs it: a kernel and the maker of its disks. */
static void probe_kernel(struct list *l)
{
	const char *dir = vm_kernel();

	if (access("/sbin/mke2fs", X_OK) && access("/usr/sbin/mke2fs", X_OK))
		probe_add(l, "microvm-kernel", PROBE_MISSING, "sudo apt-get install e2fsprogs",
			  "no mke2fs, which makes the disks of micro-VMs");
	else if (!dir)
		probe_add(l, "microvm-kernel", PROBE_MISSING, "sudo microvm-kernel /var/lib/tinybox/kernel "
			  "(beside tinybox-init, or in tools/), or create --kernel DIR",
			  "no kernel for micro-VMs in /var/lib/tinybox/kernel");
	else
		probe_add(l, "microvm-kernel", PROBE_OK, NULL, "%s", dir);
}

void probe_programs(struct list *l)
{
	char *bwrap[] = {"/usr/bin/bwrap", "--unshare-all", "--ro-bind", "/", "/", "--proc", "/proc",
		"--dev", "/dev", "/bin/echo", "a box of bubblewrap was made: namespace boxes are, where user-namespaces is missing", NULL};
#ifdef __aarch64__
	char *qemu[] = {"/usr/bin/qemu-system-aarch64", "--version", NULL};
#else
	char *qemu[] = {"/usr/bin/qemu-system-x86_64", "--version", NULL};
#endif
	char *ssh[] = {"/usr/bin/ssh", "-V", NULL};

	probe_program(l, "bubblewrap", bwrap, "sudo apt-get install bubblewrap (only where "
		      "user-namespaces is missing)");
	probe_kvm(l);
	probe_program(l, "qemu", qemu, "sudo apt-get install qemu-system-x86");
	probe_kernel(l);
	probe_program(l, "ssh", ssh, "sudo apt-get install openssh-client");
}
