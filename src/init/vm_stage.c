/*
 * A micro-VM's disks, in the state directory: the image (of a directory, by mke2fs; or the kernel
 * directory's own), the box's state, the workspace's copy; and the first root, in memory, which is
 * the kernel directory's modules and this very program as its /init.
 */
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/wait.h>
#include <unistd.h>

#include "init/layer.h"
#include "init/path.h"
#include "init/text.h"
#include "init/vm_in.h"
#include "init/wall_in.h"

#define IMAGE_SIZE (64ull << 30)	/* sparse: what is not used is not there */
#define CPIO_HEAD 110

static bool fail(struct vm *vm, const char *why)
{
	vm->why = why;
	return false;
}

/* ---- The first root ---- */

static void hex(char *to, uint32_t n)
{
	for (int i = 7; i >= 0; i--, n >>= 4)
		to[i] = "0123456789abcdef"[n & 15];
}

/* One file of a cpio archive ("newc"): its head, name and the zeros behind that. */
static bool cpio_head(int fd, const char *name, uint32_t mode, uint32_t size)
{
	char head[CPIO_HEAD + 64] = "070701";
	size_t n = strlen(name) + 1;
	const uint32_t field[13] = {1, mode, 0, 0, 1, 0, size, 0, 0, 0, 0, (uint32_t)n, 0};

	for (unsigned i = 0; i < 13; i++)
		hex(head + 6 + 8 * i, field[i]);
	memcpy(head + CPIO_HEAD, name, n);
	return write_all(fd, head, (CPIO_HEAD + n + 3) & ~(size_t)3);
}

static bool copy(int to, int from, uint64_t size)
{
	while (size) {
		ssize_t n = sendfile(to, from, NULL, size < 1u << 30 ? size : 1u << 30);

		if (n <= 0) {
			errno = n ? errno : EIO;
			return false;
		}
		size -= (uint64_t)n;
	}
	return true;
}

/* Zeros up to a multiple: 4 inside an archive, 512 behind one. */
static bool pad(int fd, int to)
{
	static const char zeros[512];
	off_t at = lseek(fd, 0, SEEK_CUR);

	return at >= 0 && write_all(fd, zeros, (size_t)(-at & (to - 1)));
}

static bool add_modules(struct vm *vm, int fd, int kernel)
{
	int from = openat(kernel, "modules.cpio", O_RDONLY | O_CLOEXEC);
	struct stat st;
	bool good;

	(void)vm;
	if (from < 0)
		return errno == ENOENT;
	good = fstat(from, &st) == 0 && st.st_size >= 0 && copy(fd, from, (uint64_t)st.st_size) &&
		pad(fd, 512);
	close(from);
	return good;
}

static bool add_ourselves(int fd)
{
	int from = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
	struct stat st;
	bool good = from >= 0 && fstat(from, &st) == 0 && st.st_size < INT32_MAX &&
		cpio_head(fd, "new", S_IFDIR | 0755, 0) && cpio_head(fd, "dev", S_IFDIR | 0755, 0) &&
		cpio_head(fd, "init", S_IFREG | 0755, (uint32_t)st.st_size) &&
		copy(fd, from, (uint64_t)st.st_size) && pad(fd, 4) &&
		cpio_head(fd, "TRAILER!!!", 0, 0) && pad(fd, 512);

	if (from >= 0)
		close(from);
	return good;
}

static bool make_initrd(struct vm *vm, int kernel)
{
	int fd = memfd_create("initrd", MFD_CLOEXEC);

	vm->files.initrd = fd;
	if (fd < 0 || !add_modules(vm, fd, kernel) || !add_ourselves(fd) || fchmod(fd, 0444) < 0)
		return fail(vm, "the machine's first root cannot be made");
	return true;
}

/* ---- Disks ---- */

/* It gets its name when it is whole. */
static int new_disk(struct vm *vm, const char *name, uint64_t size, const char *from)
{
	static const char half[] = "new";
	int fd = openat(vm->here, half, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0600);

	if (fd >= 0 && ftruncate(fd, (off_t)size) == 0 && vm_make_fs(vm, half, from) &&
	    renameat(vm->here, half, vm->here, name) == 0)
		return fd;
	if (!vm->why)
		vm->why = "a disk cannot be made in the state directory";
	if (fd >= 0) {
		close(fd);
		unlinkat(vm->here, half, 0);
	}
	return -1;
}

/* ---- Snapshots ---- */

/* the state is last: who has it has all */
static const char *const disk_names[] = {"image", "work", "state"};

/* It gets its name last; one that is not there is no error. */
static bool copy_disk(int from, int to, const char *name)
{
	int in = openat(from, name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW), out;
	struct stat st;
	bool good;

	if (in < 0)
		return errno == ENOENT;
	out = openat(to, "new", O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0600);
	good = out >= 0 && fstat(in, &st) == 0 && S_ISREG(st.st_mode) &&
		layer_copy_data(in, out, (uint64_t)st.st_size) && ftruncate(out, st.st_size) == 0 &&
		renameat(to, "new", to, name) == 0;
	close(in);
	if (out >= 0)
		close(out);
	return good;
}

/* VM_DIR/memory and what it fits: nobody else needs them. */
static bool move(int from, int to, const char *name)
{
	if (renameat(from, name, to, name) == 0)
		return true;
	return errno == EXDEV && copy_disk(from, to, name) && unlinkat(from, name, 0) == 0;
}

bool vm_disks_copy(int box, int to, bool memory)
{
	int from = openat(box, VM_DIR, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
	bool good = from >= 0 && faccessat(from, "state", F_OK, AT_SYMLINK_NOFOLLOW) == 0;

	if (good && memory)
		good = move(from, to, "memory") && move(from, to, "machine");
	for (size_t i = 0; good && i < sizeof(disk_names) / sizeof(*disk_names); i++)
		good = copy_disk(from, to, disk_names[i]);
	if (from >= 0)
		close(from);
	return good;
}

/* A box that begins from a snapshot has its disks before it has any of its own. */
static bool seed(struct vm *vm)
{
	const struct spec *s = vm->spec;
	int layers, part, have = openat(vm->here, "state", O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
	bool good;

	if (have >= 0)
		close(have);
	if (have >= 0 || !spec_has_layers(s))
		return true;
	layers = open(s->layers, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
	part = layers < 0 ? -1 : openat(layers, s->layer[0], O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
	good = part >= 0;
	for (size_t i = 0; good && i < sizeof(disk_names) / sizeof(*disk_names); i++)
		good = copy_disk(part, vm->here, disk_names[i]);
	if (good && !vm_memory_open(vm, part)) {
		close(part);
		close(layers);
		return false;
	}
	if (part >= 0)
		close(part);
	if (layers >= 0)
		close(layers);
	return good || fail(vm, "the snapshot's disks cannot be copied");
}

/* The one of before, after a stop. */
static int disk(struct vm *vm, const char *name, uint64_t size, const char *from, int flags)
{
	int fd = openat(vm->here, name, flags | O_CLOEXEC | O_NOFOLLOW);

	if (fd >= 0 || errno != ENOENT)
		return fd;
	fd = new_disk(vm, name, size, from);
	if (fd < 0 || flags != O_RDONLY)
		return fd;
	close(fd);
	return openat(vm->here, name, flags | O_CLOEXEC | O_NOFOLLOW);
}

static bool is_disk(const char *path)
{
	struct stat st;

	return stat(path, &st) == 0 && S_ISREG(st.st_mode);
}

static bool make_disks(struct vm *vm, int kernel)
{
	const struct spec *s = vm->spec;
	struct vm_files *f = &vm->files;
	struct stat st;

	/* of a snapshot, whatever became of the directory since */
	f->image = openat(vm->here, "image", O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
	if (f->image < 0)
		f->image = s->root && !is_disk(s->root) ? disk(vm, "image", IMAGE_SIZE, s->root, O_RDONLY) :
		s->root ? open(s->root, O_RDONLY | O_CLOEXEC) :
		openat(kernel, "root.img", O_RDONLY | O_CLOEXEC);
	if (f->image < 0)
		return vm->why ? false : fail(vm, s->root ? "the image's disk cannot be opened" :
			"the kernel directory has no root.img: give the box an image (--image)");
	f->state = disk(vm, "state", s->disk ? s->disk : VM_DISK, NULL, O_RDWR);
	if (f->state < 0)
		return vm->why ? false : fail(vm, "the box's disk cannot be opened");
	if (s->disk && fstat(f->state, &st) == 0 && (uint64_t)st.st_size > s->disk)
		return fail(vm, "the snapshot's disk is larger than the limit");
	f->work = openat(vm->here, "work", O_RDWR | O_CLOEXEC | O_NOFOLLOW);
	if (f->work >= 0 || !s->workspace)
		return true;
	f->work = disk(vm, "work", VM_DISK, s->workspace, O_RDWR);
	return f->work >= 0 || vm->why ? f->work >= 0 : fail(vm, "the workspace's disk cannot be opened");
}

/* The machine's user is nobody, who may not open the host's: as root it gets one of its own. */
static void make_node(struct vm *vm)
{
	if (!vm->kvm)
		return;
	text_free(&vm->node);
	if (geteuid()) {
		text_add(&vm->node, "/dev/kvm");
	} else {
		unlinkat(vm->here, "kvm", 0);
		if (mknodat(vm->here, "kvm", S_IFCHR | 0600, makedev(10, 232)) < 0 ||
		    fchownat(vm->here, "kvm", WALL_BASE, WALL_BASE, AT_SYMLINK_NOFOLLOW) < 0)
			return;
		text_add(&vm->node, vm->spec->dir);
		text_add(&vm->node, "/" VM_DIR "/kvm");
	}
	if (!vm->node.failed)
		vm->machine.kvm = text_string(&vm->node);
}

bool vm_stage(struct vm *vm)
{
	int kernel = open(vm->kernel, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	bool good;

	if (kernel < 0)
		return fail(vm, "the kernel directory cannot be opened");
	if (mkdirat(vm->dir, VM_DIR, 0700) < 0 && errno != EEXIST)
		good = fail(vm, "the machine's directory cannot be made");
	else
		good = true;
	vm->here = good ? openat(vm->dir, VM_DIR, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW) : -1;
	if (good && vm->here < 0)
		good = fail(vm, "the machine's directory cannot be opened");
	good = good && seed(vm);
	if (good)
		make_node(vm);
	good = good && make_disks(vm, kernel) && make_initrd(vm, kernel) && vm_memory_fits(vm);
	close(kernel);
	return good;
}

static void shut(int *fd)
{
	if (*fd >= 0)
		close(*fd);
	*fd = -1;
}

void vm_machine_ends(struct vm *vm)
{
	shut(&vm->files.mux);
	shut(&vm->files.monitor);
	shut(&vm->files.console);
}

void vm_unstage(struct vm *vm)
{
	vm_machine_ends(vm);
	shut(&vm->files.initrd);
	shut(&vm->files.image);
	shut(&vm->files.state);
	shut(&vm->files.work);
	shut(&vm->files.memory);
}
