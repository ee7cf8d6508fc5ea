/*
 * The keeper of a micro-VM: it starts the machine behind the wall, has its console and monitor, asks
 * the guest's process 1 for a server, and then waits for clients until the machine ends. All that
 * comes from the machine is hostile: the program that runs it may have been taken over from inside.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/random.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "init/guest.h"
#include "init/path.h"
#include "init/server.h"
#include "init/slim.h"
#include "init/verbs.h"
#include "init/vm_in.h"
#include "wire/pass.h"

#define SECOND 1000000000u
#define BOOT_KVM (6ull * SECOND)	/* a kernel that says nothing by then will say nothing */
#define BOOT (240ull * SECOND)
#define LOOK (5ull * SECOND)		/* whether the state directory is still there */
#define CONSOLE_MOST (256u << 10)
#define OVERHEAD (384u << 20)		/* of the program that runs the machine */

void vm_fail(struct vm *vm, const char *why)
{
	if (!vm->why)
		vm->why = why;
	vm->failed = true;
	vm->loop.ended = true;
}

/* ---- The console: what the kernel says, kept for people ---- */

static void console_ready(void *owner, uint32_t events)
{
	struct vm *vm = owner;
	char some[4096];
	ssize_t n = read(vm->console.fd, some, sizeof(some));

	(void)events;
	if (n <= 0) {
		if (n == 0 || (errno != EAGAIN && errno != EINTR))
			watch_close(&vm->loop, &vm->console);
		return;
	}
	if (vm->console_size + (uint64_t)n > CONSOLE_MOST)
		return;
	if (write_all(vm->console_file, some, (size_t)n))
		vm->console_size += (uint64_t)n;
}

/* Its last line, or what our own process 1 said, made plain, for a machine that did not come up. */
static void last_words(struct vm *vm)
{
	static const char ours[] = "tinybox-init: ";
	char some[2048];
	off_t from = vm->console_size > sizeof(some) ? (off_t)(vm->console_size - sizeof(some)) : 0;
	ssize_t n = pread(vm->console_file, some, sizeof(some), from);
	char *said = n > 0 ? memmem(some, (size_t)n, ours, sizeof(ours) - 1) : NULL;
	ssize_t end, at;

	if (said)
		n = said - some + (ssize_t)strcspn(said, "\r\n");
	for (end = n; end > 0 && (unsigned char)some[end - 1] <= ' '; end--)
		;
	for (at = end; at > 0 && some[at - 1] != '\n'; at--)
		if ((unsigned char)some[at - 1] < ' ' || some[at - 1] == 127)
			some[at - 1] = ' ';
	free(vm->why_text);
	vm->why_text = end > at ? strndup(some + at, (size_t)(end - at)) : NULL;
}

/* ---- The monitor: pause and resume ---- */

static const char *const orders[] = {
	"{\"execute\":\"qmp_capabilities\"}\n", "{\"execute\":\"stop\"}\n", "{\"execute\":\"cont\"}\n",
};

static void wake(struct vm *vm);

static bool say_order(struct vm *vm, const char *words, int fd)
{
	return vm->monitor.fd >= 0 && vm->order_count < VM_ORDERS &&
		pass_send(vm->monitor.fd, words, strlen(words), &fd, fd >= 0, MSG_DONTWAIT);
}

bool vm_order(struct vm *vm, enum vm_order order, struct vm_client *c)
{
	if (!say_order(vm, orders[order], -1))
		return false;
	vm->memory_order[vm->order_count] = false;
	vm->orders[vm->order_count++] = c;
	if (order == VM_RESUME && vm->asleep) {
		vm->asleep = false;
		link_speak(&vm->link);
		wake(vm);
	}
	return true;
}

bool vm_order_memory(struct vm *vm, const char *words, int fd)
{
	if (!say_order(vm, words, fd))
		return false;
	vm->memory_order[vm->order_count] = true;
	vm->orders[vm->order_count++] = NULL;
	return true;
}

void vm_order_forget(struct vm *vm, const struct vm_client *c)
{
	for (size_t i = 0; i < vm->order_count; i++)
		if (vm->orders[i] == c)
			vm->orders[i] = NULL;
}

/* Answers come in the order of the orders. */
static void monitor_line(struct vm *vm, const char *line)
{
	static const char done[] = "{\"return\"", no[] = "{\"error\"";
	bool good = !strncmp(line, done, sizeof(done) - 1);
	struct vm_client *c;
	bool memory;

	if (!good && strncmp(line, no, sizeof(no) - 1)) {
		vm_memory_event(vm, line);
		return;
	}
	if (!vm->order_count)
		return;
	c = vm->orders[0];
	memory = vm->memory_order[0];
	vm->order_count--;
	memmove(vm->orders, vm->orders + 1, vm->order_count * sizeof(*vm->orders));
	memmove(vm->memory_order, vm->memory_order + 1, vm->order_count * sizeof(*vm->memory_order));
	if (memory)
		vm_memory_answer(vm, good);
	if (c)
		vm_client_ordered(c, good);
}

static void monitor_ready(void *owner, uint32_t events)
{
	struct vm *vm = owner;
	size_t left = sizeof(vm->line) - 1 - vm->line_size;
	ssize_t n = read(vm->monitor.fd, vm->line + vm->line_size, left);
	char *end;

	(void)events;
	if (n <= 0) {
		if (n == 0 || (errno != EAGAIN && errno != EINTR))
			watch_close(&vm->loop, &vm->monitor);
		return;
	}
	vm->line_size += (size_t)n;
	vm->line[vm->line_size] = '\0';
	while ((end = strchr(vm->line, '\n'))) {
		*end = '\0';
		monitor_line(vm, vm->line);
		vm->line_size -= (size_t)(end + 1 - vm->line);
		memmove(vm->line, end + 1, vm->line_size + 1);
	}
	/* no answer to us is so long */
	if (vm->line_size == sizeof(vm->line) - 1)
		vm->line_size = 0;
}

/* ---- The guest ---- */

/* A new randomness, and what time it is: nobody knows that a machine was copied or slept. */
static int wake_up(struct vm *vm)
{
	uint8_t say[40];
	uint64_t now;
	int pair[2];

	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, pair) < 0)
		return -1;
	now = now_real();
	for (unsigned i = 0; i < 8; i++)
		say[i] = (uint8_t)(now >> 8 * i);
	if (getrandom(say + 8, 32, 0) == 32 && write_all(pair[0], say, sizeof(say)))
		link_join(&vm->link, pair[1], MUX_WAKE, 0);
	else
		close(pair[1]);
	explicit_bzero(say, sizeof(say));
	link_flush(&vm->link);
	return pair[0];
}

static void wake(struct vm *vm)
{
	int fd = wake_up(vm);

	if (fd >= 0)
		close(fd);
}

/* A restored guest has done so, and its box goes on. */
static void woken(void *owner, uint32_t events)
{
	struct vm *vm = owner;
	uint8_t byte;

	(void)events;
	if (recv(vm->woken.fd, &byte, 1, MSG_DONTWAIT) == 1)
		vm->stands = vm->loop.ended = true;
	else
		vm_fail(vm, "the restored machine does not wake");
	watch_close(&vm->loop, &vm->woken);
}

/* Its name is new; now it gets the rest of what makes it another one. */
static void wake_restored(struct vm *vm)
{
	vm->woken = (struct watch){.fd = wake_up(vm), .ready = woken, .owner = vm};
	if (vm->woken.fd < 0 || !watch_want(&vm->loop, &vm->woken, EPOLLIN))
		vm_fail(vm, "no memory");
}

/* In there a port is published on the guest's own loopback, where process 1 is. */
static void put_ports(const struct spec *s, struct wire_out *o)
{
	for (size_t i = 0; i < s->port_count; i++) {
		bool again = false;
		size_t mark;

		for (size_t j = 0; j < i; j++)
			again = again || s->ports[j].inside == s->ports[i].inside;
		if (again)
			continue;
		mark = wire_nest(o, WIRE_F_PUBLISH);
		wire_u32(o, WIRE_F_PORT, s->ports[i].inside);
		wire_u32(o, WIRE_F_HOST_PORT, s->ports[i].inside);
		wire_unnest(o, mark);
	}
}

/* What the box is, in there: the same words, with the places of the guest. */
static void put_start(const struct vm *vm, struct wire_out *o)
{
	const struct spec *s = vm->spec;

	wire_begin(o, WIRE_START);
	wire_text(o, WIRE_F_BOX, s->box);
	wire_text(o, WIRE_F_KIND, "namespace");
	wire_text(o, WIRE_F_DIR, GUEST_DIR);
	for (char *const *e = s->env; *e; e++)
		wire_text(o, WIRE_F_ENV, *e);
	wire_text(o, WIRE_F_CWD, s->cwd);
	wire_text(o, WIRE_F_HOSTNAME, s->hostname);
	wire_u32(o, WIRE_F_UID, s->uid);
	wire_u32(o, WIRE_F_GID, s->gid);
	wire_text(o, WIRE_F_ROOT, GUEST_IMAGE);
	wire_text(o, WIRE_F_WORKSPACE, vm->files.work >= 0 ? GUEST_WORK : NULL);
	wire_text(o, WIRE_F_TARGET, s->target);
	wire_u8(o, WIRE_F_READONLY, s->readonly);
	wire_u64(o, WIRE_F_MEMORY, s->memory);
	wire_u32(o, WIRE_F_PIDS, s->pids);
	wire_u32(o, WIRE_F_OPEN_FILES, s->open_files);
	wire_u64(o, WIRE_F_NEXT, vm_records_next(vm));
	if (s->network == SPEC_NETWORK_EGRESS)
		wire_text(o, WIRE_F_RELAY, GUEST_RELAY);
	/* the machine's own has no device and nobody else in it: a namespace more would take its time */
	wire_text(o, WIRE_F_NETWORK, s->network == SPEC_NETWORK_EGRESS ? "egress" :
		  s->port_count ? "none" : "open");
	put_ports(s, o);
	/* whatever the guest's kernel lacks, the machine is the wall, and says what it enforces */
	for (size_t i = 0; vm_controls[i]; i++)
		wire_text(o, WIRE_F_ACCEPT, vm_controls[i]);
	wire_end(o);
}

static void refused(struct vm *vm, const struct wire_frame *f)
{
	bool bad = false;

	free(vm->why_text);
	vm->why_text = wire_string(wire_fields(f), WIRE_F_TEXT, &bad);
	for (char *at = vm->why_text; at && *at; at++)
		if ((unsigned char)*at < ' ' || *at == 127)
			*at = ' ';
	vm_fail(vm, "the server in the machine was refused");
}

static void start_ready(void *owner, uint32_t events)
{
	struct vm *vm = owner;
	uint8_t *to = wire_room(&vm->start_in, 4096);
	ssize_t n = to ? recv(vm->start.fd, to, 4096, MSG_DONTWAIT) : 0;
	struct wire_frame f;

	(void)events;
	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return;
	if (n > 0)
		wire_got(&vm->start_in, (size_t)n);
	while (!vm->stands && !vm->failed && wire_next(&vm->start_in, &f)) {
		if (f.type == WIRE_ERROR && wire_whole(wire_fields(&f)))
			refused(vm, &f);
		else if (f.type == WIRE_OK && vm->restored)
			wake_restored(vm);
		else if (f.type == WIRE_OK)
			vm->stands = vm->loop.ended = true;
		else if (f.type != WIRE_HELLO)
			vm_fail(vm, "the machine's server does not speak as it should");
	}
	if (n <= 0 || vm->start_in.error) {
		if (!vm->stands && vm->woken.fd < 0)
			vm_fail(vm, "the server in the machine could not be started");
		watch_close(&vm->loop, &vm->start);
	}
}

static bool begin(struct vm *vm)
{
	struct wire_out o = {0};
	int pair[2];
	bool good;

	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) < 0)
		return false;
	vm->start = (struct watch){.fd = pair[0], .ready = start_ready, .owner = vm};
	if (!link_join(&vm->link, pair[1], MUX_START, 0))
		return false;
	conn_hello(NULL, &o);
	put_start(vm, &o);
	good = bridge_first(vm->link.bridges, o.data, o.size) && !o.failed &&
		watch_want(&vm->loop, &vm->start, EPOLLIN);
	wire_free(&o);
	return good;
}

static int guest_opened(void *ctx, enum mux_kind kind, uint16_t port)
{
	struct vm *vm = ctx;

	(void)port;
	/* its first word: it runs. The channel itself says nothing. */
	if (kind == MUX_WAKE && !vm->spoke) {
		vm->spoke = true;
		timer_set(&vm->loop, &vm->boot, now_mono() + BOOT);
		if (!vm->restored)
			wake(vm);
		if (!begin(vm))
			vm_fail(vm, "no memory");
	}
	if (kind == MUX_EGRESS)
		return vm_net_connect(vm);
	if (kind == MUX_RECORDS && vm->spoke)
		return vm_records_open(vm);
	return -1;
}

static void guest_bye(void *ctx)
{
	struct vm *vm = ctx;

	vm->bye = true;
	if (!vm->stands && !vm->why)
		vm_fail(vm, "the server in the machine could not be started");
	if (vm->pid > 0)
		kill(vm->pid, SIGKILL);
}

static void guest_lost(void *ctx)
{
	struct vm *vm = ctx;

	/* a machine that breaks the rules of the multiplexer has been taken over */
	watch_close(&vm->loop, &vm->link.w);
	if (vm->link.mux.error && !vm->why)
		vm->why = vm->link.mux.error;
	if (vm->pid > 0)
		kill(vm->pid, SIGKILL);
}

/* ---- The machine ---- */

static void signals_ready(void *owner, uint32_t events)
{
	struct vm *vm = owner;
	struct signalfd_siginfo info;
	int status;

	(void)events;
	if (read(vm->signals.fd, &info, sizeof(info)) != (ssize_t)sizeof(info))
		return;
	if (info.ssi_signo == SIGTERM && vm->pid > 0)
		kill(vm->pid, SIGKILL);
	if (vm->pid <= 0 || waitpid(vm->pid, &status, WNOHANG) != vm->pid)
		return;
	vm->pid = 0;
	if (vm->console.fd >= 0)
		console_ready(vm, 0);
	if (!vm->stands && !vm->failed)
		vm_fail(vm, "the machine ended before its server ran");
	vm->loop.ended = true;
}

static void boot_late(void *owner)
{
	struct vm *vm = owner;

	if (vm->pid > 0)
		kill(vm->pid, SIGKILL);
	vm_fail(vm, "the machine did not come up in time");
}

/* To where a box's programs are, and their limits: for the host, the machine is one of them. */
static bool enter_limits(struct cgroup *c)
{
	struct cgroup_exec e;

	if (!c || !cgroup_exec_open(c, "machine", 0, 0, 0, &e))
		return true;
	return cgroup_enter(&e) && (e.v2 < 0 || cgroup_enter_v2(&e));
}

/* In the wall: process 1 becomes the machine. */
static int inside(void *ctx)
{
	struct vm *vm = ctx;
	const struct vm_files *f = &vm->files;
	const int pass[] = {f->initrd, f->image, f->state, f->work, f->mux, f->monitor, f->console};
	char *argv[VM_WORDS], *const env[] = {"PATH=/usr/bin:/bin", NULL};
	struct text t = {0};
	sigset_t none;

	vm->engine->words(vm->engine, vm->spec, f, vm->kvm, &t, argv);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	for (size_t i = 0; i < sizeof(pass) / sizeof(*pass); i++)
		if (pass[i] >= 0)
			fcntl(pass[i], F_SETFD, 0);
	dup2(f->console, 1);
	dup2(f->console, 2);
	if (!t.failed && enter_limits(vm->cgroup) && wall_child(vm->wall))
		execve(vm->engine->program, argv, env);
	return 127;
}

static bool pair(int *ours, int *theirs, int flags)
{
	int fd[2];

	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, fd) < 0)
		return false;
	fcntl(fd[0], F_SETFL, flags);
	*ours = fd[0];
	*theirs = fd[1];
	return true;
}

static bool launch(struct vm *vm)
{
	struct vm_files *f = &vm->files;
	int mux, keep[7];
	const char *why = NULL;

	if (!pair(&mux, &f->mux, O_NONBLOCK) || !pair(&vm->monitor.fd, &f->monitor, O_NONBLOCK) ||
	    !pair(&vm->console.fd, &f->console, O_NONBLOCK)) {
		vm->why = "no sockets for the machine";
		return false;
	}
	memcpy(keep, (const int[]){f->initrd, f->image, f->state, f->work, f->mux, f->monitor,
		f->console}, sizeof(keep));
	vm->pid = wall_enter(vm->wall, inside, vm, keep, 7, &why);
	if (vm->pid < 0) {
		vm->why = why;
		return false;
	}
	vm->link = (struct link){.opened = guest_opened, .bye = guest_bye, .lost = guest_lost, .ctx = vm};
	timer_set(&vm->loop, &vm->boot, now_mono() + (vm->kvm ? BOOT_KVM : BOOT));
	return link_start(&vm->link, &vm->loop, mux, false) && vm_order(vm, VM_HELLO, NULL) &&
		(f->memory < 0 || vm_memory_restore(vm)) &&
		watch_want(&vm->loop, &vm->monitor, EPOLLIN) &&
		watch_want(&vm->loop, &vm->console, EPOLLIN);
}

static void undo(struct vm *vm)
{
	timer_stop(&vm->loop, &vm->boot);
	if (vm->pid > 0) {
		kill(vm->pid, SIGKILL);
		waitpid(vm->pid, NULL, 0);
	}
	vm->pid = 0;
	vm_clients_end(vm);
	vm_records_close(vm);
	if (vm->link.loop)
		link_stop(&vm->link);
	vm->link.loop = NULL;
	watch_close(&vm->loop, &vm->monitor);
	watch_close(&vm->loop, &vm->console);
	watch_close(&vm->loop, &vm->start);
	watch_close(&vm->loop, &vm->woken);
	wire_in_free(&vm->start_in);
	vm->start_in = (struct wire_in){0};
	vm->order_count = 0;
	vm->line_size = 0;
}

static bool once(struct vm *vm)
{
	vm->loop.ended = false;
	vm->failed = vm->spoke = false;
	if (!launch(vm))
		return false;
	vm_machine_ends(vm);
	loop_run(&vm->loop);
	timer_stop(&vm->loop, &vm->boot);
	if (!vm->stands)
		last_words(vm);
	return vm->stands;
}

static void machine_spec(struct vm *vm)
{
	struct spec *m = &vm->machine;

	*m = (struct spec){.box = vm->spec->box, .dir = vm->spec->dir, .kind = SPEC_MICROVM,
		.env = vm->spec->env, .workspace = vm->kernel, .target = "/kernel", .readonly = true,
		.disk = 1 << 20, .cpu = vm->spec->cpu, .hostname = "machine",
		.memory = OVERHEAD + (vm->spec->memory ? vm->spec->memory + VM_KERNEL_MEMORY :
				      VM_MEMORY)};
}

/* The wall, and the control groups around the machine. NULL: good. */
static const char *open_wall(struct vm *vm)
{
	const char *why = NULL;

	machine_spec(vm);
	vm->machine_report.count = 0;
	vm->cgroup = cgroup_open(&vm->machine, &vm->machine_report);
	vm->wall = wall_open(&vm->machine, vm->cgroup, &vm->machine_report, &why);
	return why;
}

static void close_wall(struct vm *vm)
{
	wall_close(vm->wall);
	cgroup_close(vm->cgroup);
	vm->wall = NULL;
	vm->cgroup = NULL;
}

bool vm_start(struct vm *vm)
{
	vm->console_file = -1;
	if (!vm_stage(vm))
		return false;
	vm->console_file = openat(vm->here, "console", O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC |
				  O_NOFOLLOW, 0600);
	vm->signals = (struct watch){.ready = signals_ready, .owner = vm,
		.fd = loop_take_signals(SFD_NONBLOCK)};
	if (vm->console_file < 0 || !loop_open(&vm->loop) ||
	    !watch_want(&vm->loop, &vm->signals, EPOLLIN)) {
		vm->why = "the machine's console cannot be made";
		return false;
	}
	if (!once(vm)) {
		if (!vm->kvm || vm->spoke || vm->spec->accel == SPEC_ACCEL_KVM)
			return false;
		/* the processor is offered, but no kernel runs in it: some machines are so */
		undo(vm);
		close_wall(vm);
		vm->kvm = false;
		vm_kvm_remember(vm);
		vm->why = open_wall(vm);
		if (vm->why)
			return false;
		if (!once(vm))
			return false;
	}
	vm_unstage(vm);
	vm_tell(vm);
	return true;
}

/* Nobody can reach a box whose directory was removed. */
static void look(void *owner)
{
	struct vm *vm = owner;
	struct stat st;

	if (!fstat(vm->dir, &st) && !st.st_nlink && vm->pid > 0)
		kill(vm->pid, SIGKILL);
	timer_set(&vm->loop, &vm->removed, now_mono() + LOOK);
}

int vm_keep(struct vm *vm)
{
	slim_down();
	vm->removed = (struct timer){.fire = look, .owner = vm};
	timer_set(&vm->loop, &vm->removed, now_mono() + LOOK);
	vm->started_at = now_real();
	vm->loop.ended = vm->pid == 0;
	vm->why = NULL;
	if (watch_want(&vm->loop, &vm->listen, EPOLLIN))
		loop_run(&vm->loop);
	return !vm->bye;
}

/* ---- Opening and closing ---- */

const char *vm_why(const struct vm *vm, const char **words)
{
	*words = vm->why_text;
	return vm->why ? vm->why : "the machine cannot be started";
}

struct vm *vm_open(const struct spec *spec, struct report *r, int dir, int procs, int listen,
		   struct chain *audit, const char **why)
{
	struct vm *vm = calloc(1, sizeof(*vm));

	*why = "no memory";
	if (!vm)
		return NULL;
	*vm = (struct vm){.spec = spec, .report = r, .dir = dir, .procs = procs, .here = -1, .audit = audit,
		.engine = vm_engine(), .kernel = spec->kernel ? spec->kernel : vm_kernel(), .console_file = -1,
		.files = {-1, -1, -1, -1, -1, -1, -1, -1}, .woken = {.fd = -1},
		.listen = {.fd = listen, .ready = vm_accept, .owner = vm},
		.signals = {.fd = -1}, .monitor = {.fd = -1, .ready = monitor_ready, .owner = vm},
		.console = {.fd = -1, .ready = console_ready, .owner = vm}, .start = {.fd = -1},
		.ports = {.fd = -1}, .egress = {.fd = -1},
		.boot = {.fire = boot_late, .owner = vm}};
	errno = 0;
	*why = !vm->engine ? "no program that runs machines is installed (package qemu-system-x86)" :
		!vm->kernel ? "there is no kernel for it (tools/microvm-kernel makes a directory for "
		"--kernel, or /var/lib/tinybox/kernel)" : NULL;
	if (!*why) {
		vm->kvm = spec->accel != SPEC_ACCEL_TCG && vm_kvm_works() &&
			(spec->accel == SPEC_ACCEL_KVM || vm_kvm_remembered(vm));
		*why = spec->accel == SPEC_ACCEL_KVM && !vm->kvm ? "KVM does not work here" :
			open_wall(vm);
	}
	if (vm->wall) {
		vm_tell(vm);
		return vm;
	}
	vm_close(vm);
	return NULL;
}

void vm_close(struct vm *vm)
{
	int saved = errno;

	if (vm->loop.epoll > 0) {
		undo(vm);
		vm_net_close(vm);
	}
	vm_unstage(vm);
	close_wall(vm);
	if (vm->console_file >= 0)
		close(vm->console_file);
	if (vm->here >= 0)
		close(vm->here);
	free(vm->why_text);
	text_free(&vm->node);
	text_free(&vm->line_text);
	free(vm);
	errno = saved;
}
