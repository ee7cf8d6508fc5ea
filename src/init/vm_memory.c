/*
 * The memory of a machine: written to a file while it is paused, and read from one in the place of a boot
 * (docs/adr/0012). QEMU does both, as a migration to and from a descriptor that it is given by the monitor. What it
 * says is believed as far as "done" goes: a machine that lies about its own memory has a memory that does
 * not work.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "init/path.h"
#include "init/vm_in.h"

#define HALF "memory.new"
#define SLACK ((off_t)256 << 20)	/* of devices, above the machine's memory */

static const char tell_events[] = "{\"execute\":\"migrate-set-capabilities\",\"arguments\":{\"capabilities\":"
	"[{\"capability\":\"events\",\"state\":true}]}}\n";
static const char be_quick[] = "{\"execute\":\"migrate-set-parameters\",\"arguments\":"
	"{\"max-bandwidth\":1099511627776}}\n";
static const char take_fd[] = "{\"execute\":\"getfd\",\"arguments\":{\"fdname\":\"memory\"}}\n";
static const char write_it[] = "{\"execute\":\"migrate\",\"arguments\":{\"uri\":\"fd:memory\"}}\n";
static const char read_it[] = "{\"execute\":\"migrate-incoming\",\"arguments\":{\"uri\":\"fd:memory\"}}\n";
static const char leave_it[] = "{\"execute\":\"migrate_cancel\"}\n";

/* ---- What machine it is of ---- */

/* All that the other side of a migration must have, too. */
static void line_of(const struct vm *vm, struct text *t)
{
	const struct spec *s = vm->spec;

	text_add(t, vm->engine->name);
	text_add(t, vm->kvm ? " kvm" : " tcg");
	text_add(t, " memory=");
	text_number(t, s->memory ? s->memory + VM_KERNEL_MEMORY : VM_MEMORY);
	text_add(t, " cpus=");
	text_number(t, s->cpu ? (s->cpu + 999) / 1000 : 1);
	text_add(t, vm->files.work >= 0 ? s->readonly ? " work=readonly" : " work" : "");
	text_add(t, "\n");
}

static bool put_machine(struct vm *vm)
{
	int fd = openat(vm->here, "machine", O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0600);
	bool good = fd >= 0 && write_all(fd, text_string(&vm->line_text), vm->line_text.size);

	if (fd >= 0)
		close(fd);
	return good;
}

static bool read_machine(int part, char line[256])
{
	int fd = openat(part, "machine", O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
	ssize_t n = fd < 0 ? -1 : read(fd, line, 255);

	if (fd >= 0)
		close(fd);
	line[n > 0 ? n : 0] = '\0';
	return n > 0;
}

/* ---- Writing ---- */

static void end_save(struct vm *vm, bool good)
{
	struct vm_client *c = vm->saver;
	struct stat st;

	vm->saver = NULL;
	good = good && fstatat(vm->here, HALF, &st, AT_SYMLINK_NOFOLLOW) == 0 && st.st_size > 0 &&
		st.st_size < (off_t)(vm->spec->memory + VM_MEMORY) + SLACK && put_machine(vm) &&
		renameat(vm->here, HALF, vm->here, "memory") == 0;
	if (!good)
		unlinkat(vm->here, HALF, 0);
	vm_client_saved(c, good);
}

bool vm_memory_save(struct vm *vm, struct vm_client *c)
{
	int fd;
	bool good;

	unlinkat(vm->here, "memory", 0);
	unlinkat(vm->here, HALF, 0);
	fd = openat(vm->here, HALF, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
	good = fd >= 0 && vm_order_memory(vm, tell_events, -1) && vm_order_memory(vm, be_quick, -1) &&
		vm_order_memory(vm, take_fd, fd) && vm_order_memory(vm, write_it, -1);
	if (fd >= 0)
		close(fd);
	if (good)
		vm->saver = c;
	return good;
}

void vm_memory_forget(struct vm *vm, const struct vm_client *c)
{
	if (vm->saver != c)
		return;
	vm->saver = NULL;
	vm_order_memory(vm, leave_it, -1);
	unlinkat(vm->here, HALF, 0);
}

void vm_memory_cancel(struct vm *vm)
{
	if (!vm->saver)
		return;
	vm_order_memory(vm, leave_it, -1);
	end_save(vm, false);
}

/* ---- Reading ---- */

bool vm_memory_open(struct vm *vm, int part)
{
	vm->files.memory = openat(part, "memory", O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
	if (vm->files.memory < 0 && errno == ENOENT)
		return true;
	if (vm->files.memory < 0 || !read_machine(part, vm->saved_line)) {
		vm->why = "the snapshot's memory cannot be opened";
		return false;
	}
	if (strstr(vm->saved_line, " kvm ") && !vm->kvm) {
		errno = 0;
		vm->why = "the snapshot's memory is of a machine with KVM, which does not work here";
		return false;
	}
	vm->kvm = strstr(vm->saved_line, " kvm ") != NULL;
	vm->restored = true;
	return true;
}

bool vm_memory_fits(struct vm *vm)
{
	line_of(vm, &vm->line_text);
	if (vm->line_text.failed)
		return false;
	if (!vm->restored || !strcmp(vm->saved_line, text_string(&vm->line_text)))
		return true;
	errno = 0;
	vm->why = "the snapshot's memory is of another machine: its memory, cpus and workspace must be asked for as they were";
	return false;
}

bool vm_memory_restore(struct vm *vm)
{
	return vm_order_memory(vm, tell_events, -1) && vm_order_memory(vm, take_fd, vm->files.memory) &&
		vm_order_memory(vm, read_it, -1);
}

/* It stands where it was stopped. Its own process 1 hears first that all is another's now. */
static void end_restore(struct vm *vm, bool good)
{
	if (!good || !vm_order(vm, VM_RESUME, NULL) || !link_again(&vm->link))
		vm_fail(vm, "the snapshot's memory cannot be restored");
}

/* ---- What the monitor says ---- */

void vm_memory_answer(struct vm *vm, bool good)
{
	if (good)
		return;
	if (vm->saver)
		end_save(vm, false);
	else if (!vm->spoke && vm->restored)
		end_restore(vm, false);
}

void vm_memory_event(struct vm *vm, const char *line)
{
	bool done, failed;

	if (!strstr(line, "\"MIGRATION\""))
		return;
	done = strstr(line, "\"completed\"");
	failed = strstr(line, "\"failed\"");
	if (!done && !failed)
		return;
	if (vm->saver)
		end_save(vm, done);
	else if (vm->restored && !vm->spoke)
		end_restore(vm, done);
}
