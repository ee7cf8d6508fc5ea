/*
 * What a micro-VM enforces, by the outside: what its guest says about itself is not asked.
 */
#include <string.h>
#include <unistd.h>

#include "init/egress.h"
#include "init/text.h"
#include "init/vm_in.h"

const char *const vm_controls[] = {
	"filesystem", "processes", "network", "memory", "cpu", "pids", "disk", "open-files",
	"syscalls", "privileges", "devices", "tree-kill", "ports", NULL,
};

static const char *number(char to[24], uint64_t n)
{
	text_decimal(to, n);
	return to;
}

static const struct report_line *machine_line(const struct vm *vm, const char *control)
{
	for (size_t i = 0; i < vm->machine_report.count; i++)
		if (!strcmp(vm->machine_report.line[i].control, control))
			return &vm->machine_report.line[i];
	return NULL;
}

static void tell_cpu(struct vm *vm)
{
	const struct report_line *l = machine_line(vm, "cpu");
	char text[24];

	if (!vm->spec->cpu)
		return;
	if (l && l->by[0])
		report_enforced(vm->report, "cpu", number(text, vm->spec->cpu), l->by);
	else
		report_open(vm->report, "cpu", number(text, vm->spec->cpu),
			    l ? l->why : "there is no control group for the machine", l ? l->fix : "");
}

static void tell_network(struct vm *vm)
{
	const struct spec *s = vm->spec;

	if (s->network == SPEC_NETWORK_NONE)
		report_enforced(vm->report, "network", "none", "the machine has no network device");
	else if (s->network == SPEC_NETWORK_EGRESS)
		egress_report(s, vm->report, "the machine has no network device, proxy of the keeper");
	else
		report_open(vm->report, "network", "open", "a micro-VM has no network device",
			    "use egress, or the namespace sandbox");
}

void vm_tell(struct vm *vm)
{
	static const char kvm[] = "a machine of its own (KVM), behind the namespace wall";
	static const char tcg[] = "a machine of its own (software emulation, no KVM), behind the "
		"namespace wall";
	const struct spec *s = vm->spec;
	struct report *r = vm->report;
	char text[24];

	r->count = 0;
	report_enforced(r, "filesystem", "", "the machine has disks of its own");
	report_enforced(r, "processes", "", vm->kvm ? kvm : tcg);
	tell_network(vm);
	report_enforced(r, "syscalls", "", "a kernel of its own; seccomp filter around the machine");
	report_enforced(r, "privileges", "", "the machine runs as nobody, without capabilities");
	report_enforced(r, "devices", "", "the machine's own, all virtual");
	if (s->memory)
		report_enforced(r, "memory", number(text, s->memory),
				"cgroup v2 in the guest, the machine's memory");
	if (s->pids)
		report_enforced(r, "pids", number(text, s->pids), "cgroup v2 in the guest");
	tell_cpu(vm);
	if (s->disk)
		report_enforced(r, "disk", number(text, s->disk), "a disk of that size");
	if (s->open_files)
		report_enforced(r, "open-files", number(text, s->open_files),
				"RLIMIT_NOFILE of each process");
	report_enforced(r, "tree-kill", "", "cgroup.kill in the guest; the machine ends as a whole");
}
