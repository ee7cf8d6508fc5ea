/*
 * `serve` of a micro-VM: its keeper (vm.h) in the place of the wall and the server.
 */
#include <errno.h>
#include <sys/socket.h>
#include <unistd.h>

#include "init/serve_in.h"
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
		else if (serve_answer_ok(b, getpid()))
			status = vm_keep(vm);
		count = vm_stoppers(vm, stoppers);
	}
	vm_close(vm);
	if (count)
		tell_stopped(b, stoppers, count);
	return status;
}
