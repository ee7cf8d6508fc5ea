/*
 * `serve` of a micro-VM: its keeper (vm.h) in the place of the wall and the server.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "init/egress.h"
#include "init/path.h"
#include "init/serve_in.h"
#include "init/verbs.h"
#include "init/vm.h"

/* What the machine said is in the sentence's place for a reason. */
static int failed(struct start *b, const struct vm *vm)
{
	const char *said, *why = vm_why(vm, &said);

	if (said)
		errno = 0;
	serve_fail(b, WIRE_ERROR_SYSTEM, why, NULL, said);
	return 1;
}

/* The box can be started again now: the next keeper finds nothing of this one. */
static void tell_stopped(struct start *b, const int *fds, size_t count)
{
	struct wire_out o = {0};

	unlinkat(b->dir, "socket", 0);
	close(b->server.lock);
	b->server.lock = -1;
	wire_begin(&o, WIRE_OK);
	wire_end(&o);
	for (size_t i = 0; i < count; i++)
		send(fds[i], o.data, o.size, MSG_NOSIGNAL | MSG_DONTWAIT);
	wire_free(&o);
}

static void egress_ready(void *ctx)
{
	struct start *b = ctx;

	egress_run(b->egress);
}

/* The proxy and the ports are the keeper's, as behind the other walls; only the way in is another. */
static bool open_network(struct start *b, struct vm *vm)
{
	if (b->spec.network == SPEC_NETWORK_EGRESS)
		b->listener = vm_listener(vm);
	if (b->spec.port_count)
		b->ports = vm_ports(vm);
	if (!serve_open_egress(b))
		return false;
	return !b->egress || vm_watch(vm, egress_fd(b->egress), egress_ready, b);
}

int serve_vm(struct start *b)
{
	int stoppers[VM_STOPPERS];
	size_t count = 0;
	const char *why = NULL;
	struct vm *vm = vm_open(&b->spec, &b->report, b->dir, b->procs, b->server.listen.fd,
				&b->server.audit, &why);
	int status = 1;

	if (!vm) {
		serve_fail(b, WIRE_ERROR_SYSTEM, "a micro-VM cannot be had", NULL, why);
		return 1;
	}
	if (serve_check_report(b)) {
		if (!vm_start(vm))
			status = failed(b, vm);
		else if (open_network(b, vm) && serve_answer_ok(b, getpid()))
			status = vm_keep(vm);
		count = vm_stoppers(vm, stoppers);
	}
	vm_close(vm);
	egress_close(b->egress);
	b->egress = NULL;
	if (count)
		tell_stopped(b, stoppers, count);
	return status;
}

/* ---- In the guest: the proxy is outside ---- */

static _Noreturn void carry(const char *path, int conn)
{
	struct sockaddr_un a = {.sun_family = AF_UNIX};
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

	if ((size_t)snprintf(a.sun_path, sizeof(a.sun_path), "%s", path) >= sizeof(a.sun_path) || fd < 0 ||
	    connect(fd, (struct sockaddr *)&a, sizeof(a)) < 0)
		_exit(1);
	_exit(relay(conn, conn, fd));
}

void serve_relay(const char *path, int listener)
{
	pid_t pid = fork();

	if (pid)
		return;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	signal(SIGCHLD, SIG_IGN);
	close_others(&listener, 1);
	fcntl(listener, F_SETFL, 0);
	for (;;) {
		int conn = accept4(listener, NULL, NULL, SOCK_CLOEXEC);

		if (conn < 0)
			continue;
		pid = fork();
		if (!pid) {
			close(listener);
			carry(path, conn);
		}
		close(conn);
	}
}
