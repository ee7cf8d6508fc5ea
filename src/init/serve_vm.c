/*
 * `serve` of a micro-VM: its keeper (vm.h) in the place of the wall and the server.
 */
#include <errno.h>
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

int serve_vm(struct start *b)
{
	const char *why = NULL;
	struct vm *vm = vm_open(&b->spec, &b->report, b->dir, b->procs, b->server.listen.fd, &why);
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
	}
	vm_close(vm);
	return status;
}
