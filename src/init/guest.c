/*
 * Process 1 of a micro-VM's guest: mounts what a server needs, loads the kernel's modules that the
 * keeper sent, and joins the keeper's channels with what they are for. The box's server itself is
 * the same as everywhere, behind the same wall: what the box runs can reach neither us nor the
 * port to the keeper. It ends when the server has ended, and the machine with it.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/mount.h>
#include <sys/reboot.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "init/guest.h"
#include "init/link.h"
#include "init/mirror.h"
#include "init/path.h"
#include "init/text.h"
#include "init/verbs.h"
#include "init/wall_in.h"

struct guest {
	struct loop loop;
	struct link link;
	struct watch signals, relay;
	struct mirror *mirror;
	int told;		/* where the mirror's words come out, until they have a channel */
	struct timer end;
	unsigned patience;	/* how often the end still waits */
	pid_t serve;		/* who starts the server; it has ended when that stands, or cannot */
	bool started, stood, ending;
};

/* What went wrong before there is a port to say it on goes to the console, which the keeper has. */
static _Noreturn void dead(const char *what)
{
	struct text t = {0};

	text_add(&t, "tinybox-init: ");
	text_add(&t, what);
	text_add(&t, ": ");
	text_add(&t, text_errno(errno));
	text_add(&t, "\n");
	write_all(2, t.data, t.size);
	sync();
	reboot(RB_POWER_OFF);
	_exit(1);
}

static void load_module(int dir, const char *name)
{
	int fd = openat(dir, name, O_RDONLY | O_CLOEXEC);

	/* one that is built in, or that is there, is no error */
	if (fd >= 0)
		syscall(SYS_finit_module, fd, "", 0);
	if (fd >= 0)
		close(fd);
}

/* Without a locale, which alphasort would bring. */
static int by_name(const struct dirent **a, const struct dirent **b)
{
	return strcmp((*a)->d_name, (*b)->d_name);
}

/* In the order of their names, which begin with numbers. */
static void load_modules(void)
{
	struct dirent **list;
	int n = scandir("/modules", &list, NULL, by_name);
	int dir = open("/modules", O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	for (int i = 0; i < n; i++)
		if (list[i]->d_name[0] != '.')
			load_module(dir, list[i]->d_name);
	if (dir >= 0)
		close(dir);
}

static void must_mount(const char *what, const char *where, const char *type, unsigned long flags,
		       const char *data)
{
	mkdir(where, 0755);
	if (mount(what, where, type, flags, data) < 0)
		dead(where);
}

/* The kernel's first root cannot be left by pivot_root, which the wall needs: another is moved over it. */
static void new_root(void)
{
	must_mount("root", "/new", "tmpfs", MS_NOSUID | MS_NODEV, "mode=0755");
	if (chdir("/new") < 0 || mount(".", "/", NULL, MS_MOVE, NULL) < 0 || chroot(".") < 0 ||
	    chdir("/") < 0)
		dead("a root cannot be had");
}

static bool has_serial(const char *disk, const char *serial)
{
	char path[64], got[32] = "";
	int fd;
	ssize_t n;

	if ((size_t)snprintf(path, sizeof(path), "/sys/block/%s/serial", disk) >= sizeof(path))
		return false;
	fd = open(path, O_RDONLY | O_CLOEXEC);
	n = fd < 0 ? -1 : read(fd, got, sizeof(got) - 1);
	if (fd >= 0)
		close(fd);
	return n > 0 && !strncmp(got, serial, strlen(serial));
}

/* The disk that the keeper gave that name. */
static bool find_disk(const char *serial, char *path, size_t cap)
{
	DIR *dir = opendir("/sys/block");
	struct dirent *d;
	bool found = false;

	while (dir && !found && (d = readdir(dir))) {
		found = d->d_name[0] != '.' && has_serial(d->d_name, serial);
		if (found)
			snprintf(path, cap, "/dev/%.32s", d->d_name);
	}
	if (dir)
		closedir(dir);
	return found;
}

static void mount_disk(const char *serial, const char *where, unsigned long flags, const char *data,
		       bool needed)
{
	static const char *const types[] = {"ext4", "erofs", "squashfs"};
	char path[64];

	if (!find_disk(serial, path, sizeof(path))) {
		if (needed)
			dead(serial);
		return;
	}
	mkdir(where, 0755);
	for (size_t i = 0; i < sizeof(types) / sizeof(*types); i++)
		if (!mount(path, where, types[i], flags, i ? NULL : data))
			return;
	dead(where);
}

static void mounts(void)
{
	must_mount("dev", "/dev", "devtmpfs", MS_NOSUID, NULL);
	must_mount("proc", "/proc", "proc", MS_NOSUID | MS_NODEV | MS_NOEXEC, NULL);
	must_mount("sys", "/sys", "sysfs", MS_NOSUID | MS_NODEV | MS_NOEXEC, NULL);
	mount("cgroup", "/sys/fs/cgroup", "cgroup2", MS_NOSUID | MS_NODEV | MS_NOEXEC, NULL);
	must_mount("tmp", "/tmp", "tmpfs", MS_NOSUID | MS_NODEV, NULL);
	must_mount("pts", "/dev/pts", "devpts", MS_NOSUID | MS_NOEXEC, "ptmxmode=0666");
	mount_disk("image", GUEST_IMAGE, MS_RDONLY | MS_NODEV | MS_NOSUID, "noload", true);
	/* what a sparse disk has never held is zeros already */
	mount_disk("state", "/state", MS_NODEV | MS_NOSUID | MS_NOATIME, "noinit_itable", true);
	mount_disk("work", GUEST_WORK, MS_NODEV | MS_NOSUID | MS_NOATIME, "noinit_itable", false);
	if (mkdir(GUEST_DIR, 0700) < 0 && errno != EEXIST)
		dead(GUEST_DIR);
}

/* The controllers, for groups below. */
static void cgroups(void)
{
	int fd = open("/sys/fs/cgroup/cgroup.subtree_control", O_WRONLY | O_CLOEXEC);
	static const char *const names[] = {"+memory", "+pids", "+cpu"};

	for (size_t i = 0; fd >= 0 && i < sizeof(names) / sizeof(*names); i++)
		if (write(fd, names[i], strlen(names[i])) < 0)
			continue;
	if (fd >= 0)
		close(fd);
}

static int open_port(void)
{
	struct timespec little = {.tv_nsec = 5000000};
	int fd = -1;

	for (unsigned i = 0; fd < 0 && i < 1000; i++) {
		fd = open("/dev/vport0p1", O_RDWR | O_CLOEXEC | O_NONBLOCK);
		if (fd < 0)
			nanosleep(&little, NULL);
	}
	if (fd < 0)
		dead("/dev/vport0p1");
	return fd;
}

/* ---- What channels lead to ---- */

static int pair_with_child(struct guest *g, void (*work)(int fd), pid_t *pid_out)
{
	int pair[2];
	pid_t pid;

	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) < 0)
		return -1;
	pid = fork();
	if (!pid) {
		close(g->loop.epoll);
		work(pair[1]);
		_exit(0);
	}
	close(pair[1]);
	*pid_out = pid;
	if (pid < 0) {
		close(pair[0]);
		return -1;
	}
	return pair[0];
}

static void serve_work(int fd)
{
	sigset_t none;

	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	dup2(fd, 0);
	dup2(fd, 1);
	close_from(3);
	_exit(verb_serve());
}

/* The server's keeper listens there for the box. */
static int connect_port(uint16_t port)
{
	struct sockaddr_in a = {.sin_family = AF_INET, .sin_port = htons(port),
		.sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

	if (fd >= 0 && connect(fd, (struct sockaddr *)&a, sizeof(a)) < 0) {
		close(fd);
		fd = -1;
	}
	return fd;
}

static void relay_ready(void *owner, uint32_t events)
{
	struct guest *g = owner;
	int fd = accept4(g->relay.fd, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);

	(void)events;
	if (fd >= 0)
		link_join(&g->link, fd, MUX_EGRESS, 0);
	link_flush(&g->link);
}

static void listen_relay(struct guest *g)
{
	struct sockaddr_un a = {.sun_family = AF_UNIX, .sun_path = GUEST_RELAY};
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);

	mkdir("/run", 0700);
	g->relay = (struct watch){.fd = fd, .ready = relay_ready, .owner = g};
	if (wall_lo() || fd < 0 || bind(fd, (struct sockaddr *)&a, sizeof(a)) < 0 ||
	    listen(fd, 64) < 0 || !watch_want(&g->loop, &g->relay, EPOLLIN))
		dead("the loopback cannot be had");
}

static int opened(void *ctx, enum mux_kind kind, uint16_t port)
{
	struct guest *g = ctx;
	pid_t other;

	switch (kind) {
	case MUX_SERVER:
		return socket_connect(GUEST_DIR);
	case MUX_START:
		if (g->told < 0)
			return -1;
		link_join(&g->link, g->told, MUX_RECORDS, 0);
		g->told = -1;
		if (g->started)
			return pair_with_child(g, guest_rename, &other);
		g->started = true;
		return pair_with_child(g, serve_work, &g->serve);
	case MUX_PORT:
		return connect_port(port);
	case MUX_SYNC:
		return pair_with_child(g, guest_sync, &other);
	case MUX_WAKE:
		return pair_with_child(g, guest_wake, &other);
	case MUX_SLEEP:
		return pair_with_child(g, guest_sleep, &other);
	default:
		return -1;
	}
}

/* ---- The end ---- */

static _Noreturn void off(void *ctx)
{
	(void)ctx;
	umount2(GUEST_WORK, MNT_DETACH);
	sync();
	reboot(RB_POWER_OFF);
	for (;;)
		pause();
}

/*
 * The server's last words go first. Then all is written and clean before the keeper hears of the
 * end, who ends the machine at once.
 */
static void end(void *owner)
{
	struct guest *g = owner;
	bool busy = false;

	if (g->mirror && mirror_finish(g->mirror))
		g->mirror = NULL;
	for (struct bridge *b = g->link.bridges; b; b = b->next)
		busy = busy || !b->ended;
	if ((g->mirror || busy) && g->patience) {
		g->patience--;
		timer_set(&g->loop, &g->end, now_mono() + 1000000);
		return;
	}
	sync();
	if (umount("/state") < 0 || (umount(GUEST_WORK) < 0 && errno != EINVAL))
		sync();
	mux_bye(&g->link.mux);
	link_flush(&g->link);
}

/* The keeper of the box in here: when nobody has its lock any more, the box has ended. */
static bool server_lives(void)
{
	struct flock l = {.l_type = F_WRLCK, .l_whence = SEEK_SET, .l_start = 0, .l_len = 1};
	int fd = open(GUEST_DIR "/lock", O_RDWR | O_CLOEXEC);
	bool lives = fd >= 0 && fcntl(fd, F_GETLK, &l) == 0 && l.l_type != F_UNLCK;

	if (fd >= 0)
		close(fd);
	return lives;
}

static void signals_ready(void *owner, uint32_t events)
{
	struct guest *g = owner;
	struct signalfd_siginfo info;
	pid_t pid;

	(void)events;
	if (read(g->signals.fd, &info, sizeof(info)) < 0)
		return;
	while ((pid = waitpid(-1, NULL, WNOHANG)) > 0)
		g->stood = g->stood || (g->started && pid == g->serve);
	if (g->stood && !g->ending && !server_lives()) {
		g->ending = true;
		timer_set(&g->loop, &g->end, now_mono());
	}
}

/* Its channel is opened behind the first word, when the keeper listens. */
static void start_mirror(struct guest *g)
{
	int pair[2];

	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) < 0)
		dead("no sockets");
	if (g->told >= 0)
		close(g->told);
	g->told = pair[1];
	g->mirror = g->mirror ? mirror_again(g->mirror, GUEST_DIR, pair[0]) :
		mirror_open(&g->loop, GUEST_DIR, pair[0]);
	if (!g->mirror)
		dead("the records cannot be followed");
}

/* The first word: the keeper knows that the machine runs. */
static void greet(struct guest *g)
{
	mux_end(mux_open(&g->link.mux, MUX_WAKE, 0, NULL));
	link_flush(&g->link);
}

/* This machine is a copy of one that ran: its keeper is another, who begins as the first did. */
static void again(void *ctx)
{
	struct guest *g = ctx;

	start_mirror(g);
	greet(g);
}

_Noreturn void guest_main(void)
{
	static struct guest g;

	if (mount("dev", "/dev", "devtmpfs", MS_NOSUID, NULL) == 0) {
		for (int fd = 0, console = open("/dev/console", O_RDWR); fd < 3; fd++)
			dup2(console, fd);
		close_from(3);
	}
	load_modules();
	new_root();
	mounts();
	cgroups();
	g.signals = (struct watch){.ready = signals_ready, .owner = &g,
		.fd = loop_take_signals(SFD_NONBLOCK)};
	g.end = (struct timer){.fire = end, .owner = &g};
	g.patience = 1000;
	g.told = -1;
	g.link = (struct link){.opened = opened, .lost = off, .again = again, .ctx = &g};
	if (g.signals.fd < 0 || !loop_open(&g.loop) || !watch_want(&g.loop, &g.signals, EPOLLIN) ||
	    !link_start(&g.link, &g.loop, open_port(), true))
		dead("no loop");
	listen_relay(&g);
	start_mirror(&g);
	greet(&g);
	loop_run(&g.loop);
	dead("the loop ended");
}
