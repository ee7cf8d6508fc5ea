/*
 * The programs that run machines: a table of one row each, and what a machine needs of this host.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/kvm.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "init/path.h"
#include "init/text.h"
#include "init/vm_in.h"

/* Words are built in one text, ended by NUL; it may move, so places are remembered. */
struct words {
	struct text *t;
	size_t at[VM_WORDS];
	size_t count;
};

static void word(struct words *w, const char *a, uint64_t number, const char *b)
{
	if (w->count >= VM_WORDS - 1) {
		w->t->failed = true;
		return;
	}
	w->at[w->count++] = w->t->size;
	text_add(w->t, a);
	if (b) {
		text_number(w->t, number);
		text_add(w->t, b);
	}
	text_bytes(w->t, "", 1);
}

static void words(struct words *w, const char *const *list)
{
	for (; *list; list++)
		word(w, *list, 0, NULL);
}

static void socket_words(struct words *w, const char *id, int fd)
{
	struct text t = {0};

	text_add(&t, "socket,id=");
	text_add(&t, id);
	text_add(&t, ",fd=");
	word(w, "-chardev", 0, NULL);
	word(w, text_string(&t), (uint64_t)fd, "");
	text_free(&t);
}

static void disk_words(struct words *w, const char *name, int fd, unsigned set, bool readonly)
{
	struct text t = {0};

	if (fd < 0)
		return;
	word(w, "-add-fd", 0, NULL);
	text_add(&t, "fd=");
	text_number(&t, (uint64_t)fd);
	text_add(&t, ",set=");
	word(w, text_string(&t), set, "");
	text_free(&t);
	text_add(&t, "driver=file,locking=off,node-name=");
	text_add(&t, name);
	text_add(&t, readonly ? ",read-only=on,filename=/dev/fdset/" :
		 ",discard=unmap,filename=/dev/fdset/");
	word(w, "-blockdev", 0, NULL);
	word(w, text_string(&t), set, "");
	text_free(&t);
	text_add(&t, "virtio-blk-device,drive=");
	text_add(&t, name);
	text_add(&t, ",serial=");
	text_add(&t, name);
	word(w, "-device", 0, NULL);
	word(w, text_string(&t), 0, NULL);
	text_free(&t);
}

/*
 * A kernel that asks for little: each of these words saves emulated instructions, or a time-out for
 * a device that a small machine does not have. The machine serves one box: what its kernel would do
 * against attacks between its own processes is the wall's work in there. What nothing else needs of the kernel's
 * types (BTF) is not read: five of the calls are all that would, and with them goes TCP's cubic, of no use to a loopback.
 */
static void kernel_words(struct words *w, bool kvm)
{
	static const char line[] = "console=ttyS0 quiet panic=-1 reboot=t nokaslr mitigations=off "
		"random.trust_cpu=on cryptomgr.notests=1 audit=0 no_timer_check "
		"initcall_blacklist=ima_init,init_evm,load_system_certificate_list,init_kprobe_trace,"
		"trace_events_synth_init,crypto_kdf108_init,snapshot_device_init,slab_sysfs_init,"
		"init_profile_hash,aa_create_aafs,ledtrig_cpu_init,add_pcspkr,"
		"cubictcp_register,bpf_prog_test_run_init,kfunc_init,bpf_tcp_ca_kfunc_init,"
		"bpf_key_sig_kfuncs_init,bpf_rstat_kfunc_init,init_ima,init_blk_tracer,"
		"init_trace_printk_function_export,blake2s_mod_init,ged_driver_init nowatchdog";

	word(w, "-append", 0, NULL);
	if (kvm) {
		word(w, line, 0, NULL);
		return;
	}
	/* there is no timer that the kernel could measure an emulated counter by */
	word(w, "tsc=reliable tsc_early_khz=", vm_tsc_khz(), " ");
	w->t->size--;
	text_add(w->t, line);
	text_bytes(w->t, "", 1);
}

static uint64_t mebibytes(const struct spec *s)
{
	uint64_t n = s->memory ? s->memory + VM_KERNEL_MEMORY : VM_MEMORY;

	return (n + (1u << 20) - 1) >> 20;
}

static void qemu_words(const struct vm_engine *e, const struct spec *s, const struct vm_files *f,
		       bool kvm, struct text *t, char **argv)
{
	static const char *const fixed[] = {"-M", "microvm,acpi=on,rtc=on", "-nodefaults",
		"-no-user-config", "-display", "none", "-no-reboot", "-sandbox",
		"on,obsolete=deny,elevateprivileges=deny,spawn=deny,resourcecontrol=deny", NULL};
	static const char *const devices[] = {"-serial", "chardev:console", "-mon",
		"chardev=monitor,mode=control", "-device", "virtio-serial-device,max_ports=2",
		"-device", "virtserialport,chardev=mux,name=tinybox", "-kernel", "/kernel/vmlinux",
		"-initrd", NULL};
	static const char *const accel[2][5] = {
		{"-accel", "tcg,tb-size=128", "-cpu", "qemu64", NULL},
		{"-accel", "kvm", "-cpu", "host,-arch-capabilities", NULL}};
	struct words w = {.t = t};

	word(&w, e->program, 0, NULL);
	words(&w, fixed);
	words(&w, accel[kvm]);
	word(&w, "-m", 0, NULL);
	word(&w, "", mebibytes(s), "M");
	word(&w, "-smp", 0, NULL);
	word(&w, "", s->cpu ? (s->cpu + 999) / 1000 : 1, "");
	socket_words(&w, "console", f->console);
	socket_words(&w, "monitor", f->monitor);
	socket_words(&w, "mux", f->mux);
	words(&w, devices);
	word(&w, "/proc/self/fd/", (uint64_t)f->initrd, "");
	disk_words(&w, "image", f->image, 1, true);
	disk_words(&w, "state", f->state, 2, false);
	disk_words(&w, "work", f->work, 3, s->readonly);
	kernel_words(&w, kvm);
	if (f->memory >= 0) {
		word(&w, "-incoming", 0, NULL);
		word(&w, "defer", 0, NULL);
	}
	for (size_t i = 0; i < w.count; i++)
		argv[i] = t->data + w.at[i];
	argv[w.count] = NULL;
}

const struct vm_engine vm_engines[] = {
#if defined(__x86_64__)
	{"qemu", "/usr/bin/qemu-system-x86_64", qemu_words},
#endif
	{NULL, NULL, NULL},
};

const struct vm_engine *vm_engine(void)
{
	for (const struct vm_engine *e = vm_engines; e->name; e++)
		if (access(e->program, X_OK) == 0)
			return e;
	return NULL;
}

#if defined(__x86_64__)
static uint64_t ticks(void)
{
	uint32_t lo, hi;

	__asm__ volatile("rdtsc" : "=a"(lo), "=d"(hi));
	return (uint64_t)hi << 32 | lo;
}

/* By the clock: what /proc/cpuinfo says is the processor's pace of the moment, not the counter's. */
uint64_t vm_tsc_khz(void)
{
	struct timespec little = {.tv_nsec = 4000000};
	uint64_t began = now_mono(), from = ticks(), ns;

	nanosleep(&little, NULL);
	ns = now_mono() - began;
	return (ticks() - from) * 1000 / (ns / 1000 ? ns / 1000 : 1);
}
#else
uint64_t vm_tsc_khz(void)
{
	return 1000000;
}
#endif

bool vm_kvm_works(void)
{
	int kvm = open("/dev/kvm", O_RDWR | O_CLOEXEC);
	int machine = kvm < 0 ? -1 : ioctl(kvm, KVM_CREATE_VM, 0);
	int processor = machine < 0 ? -1 : ioctl(machine, KVM_CREATE_VCPU, 0);
	bool works = processor >= 0;

	if (processor >= 0)
		close(processor);
	if (machine >= 0)
		close(machine);
	if (kvm >= 0)
		close(kvm);
	return works;
}

/* The host's start, by its random name: what a kernel could do then is no rule for now. */
static bool boot_id(char id[64])
{
	int fd = open("/proc/sys/kernel/random/boot_id", O_RDONLY | O_CLOEXEC);
	ssize_t n = fd < 0 ? -1 : read(fd, id, 63);

	if (fd >= 0)
		close(fd);
	id[n > 0 ? n : 0] = '\0';
	return n > 0;
}

#define NO_KVM "../../.no-kvm"	/* among the boxes; a name with a dot is none */

bool vm_kvm_remembered(const struct vm *vm)
{
	int fd = openat(vm->dir, NO_KVM, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
	char id[64], said[64];
	ssize_t n = fd < 0 ? -1 : read(fd, said, sizeof(said) - 1);

	if (fd >= 0)
		close(fd);
	said[n > 0 ? n : 0] = '\0';
	return n <= 0 || !boot_id(id) || strcmp(id, said);
}

void vm_kvm_remember(const struct vm *vm)
{
	char id[64];
	int fd = boot_id(id) ? openat(vm->dir, NO_KVM, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC |
				      O_NOFOLLOW, 0600) : -1;

	if (fd >= 0) {
		write_all(fd, id, strlen(id));
		close(fd);
	}
}
