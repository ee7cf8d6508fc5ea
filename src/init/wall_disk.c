/*
 * A limit of the disk, for a box that is kept: a file of that size in the state directory, an ext4 in it, on a loop
 * device that ends with its mount. What the box wrote is there after a stop, and is not in memory. Only the host's
 * root can have it; otherwise, and for a box of one exec, it is a tmpfs of that size (wall_tell() says which).
 * Nobody but the kernel and mke2fs writes to the file: the box gets directories of the file system, never its root.
 */
#include "init/wall_in.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/loop.h>
#include <stdio.h>
#include <sys/file.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define FILE_NAME "disk"
#define MAKING "disk.new"
#define TRIES 16
#define LOCK_TRIES 1000		/* of 10 ms */
#define SECONDS 60
#define LOOP_MAJOR_NR 7

static _Noreturn void mke2fs(const char *path)
{
	char *const env[] = {(char *)(uintptr_t)"PATH=/usr/sbin:/sbin:/usr/bin:/bin",
		(char *)(uintptr_t)"MKE2FS_CONFIG=/dev/null", NULL};
	const char *const argv[] = {"mke2fs", "-q", "-F", "-t", "ext4", "-b", "4096", "-m", "0", "-I", "256", "-O",
		"has_journal,extent,dir_index,filetype,sparse_super,large_file,huge_file,uninit_bg,dir_nlink,extra_isize",
		"-E", "lazy_itable_init=1,lazy_journal_init=1,nodiscard", path, NULL};
	int null = open("/dev/null", O_RDWR);

	for (int fd = 0; fd < 3; fd++)
		dup2(null, fd);
	alarm(SECONDS);
	for (size_t i = 0; i < 2; i++)
		execve(i ? "/usr/sbin/mke2fs" : "/sbin/mke2fs", (char *const *)(uintptr_t)argv, env);
	_exit(127);
}

/* The descriptor is the child's too. */
static bool make_ext4(int fd)
{
	char path[40];
	int status = 1;
	pid_t pid;

	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	pid = fork();
	if (!pid) {
		fcntl(fd, F_SETFD, 0);
		mke2fs(path);
	}
	while (pid > 0 && waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	return pid > 0 && status == 0;
}

/*
 * The lock is the device's too, which has this very open file until it ends: the kernel may still be at unmounting
 * what a box had that was killed, and two mounts of a file would ruin it.
 */
static bool lock_file(int fd)
{
	const struct timespec little = {.tv_nsec = 10000000};

	for (int i = 0; flock(fd, LOCK_EX | LOCK_NB); i++) {
		if (errno != EWOULDBLOCK || i == LOCK_TRIES)
			return false;
		nanosleep(&little, NULL);
	}
	return true;
}

/* One that is there is what the box left; one half made is made anew. */
static int open_file(int dir, uint64_t size)
{
	int fd = openat(dir, FILE_NAME, O_RDWR | O_CLOEXEC | O_NOFOLLOW);

	if (fd >= 0 || errno != ENOENT)
		return fd;
	unlinkat(dir, MAKING, 0);
	fd = openat(dir, MAKING, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
	if (fd >= 0 && !ftruncate(fd, (off_t)size) && make_ext4(fd) && !renameat(dir, MAKING, dir, FILE_NAME))
		return fd;
	if (fd >= 0)
		close(fd);
	unlinkat(dir, MAKING, 0);
	return -1;
}

static bool is_loop(int fd)
{
	struct stat st;

	return !fstat(fd, &st) && S_ISBLK(st.st_mode) && major(st.st_rdev) == LOOP_MAJOR_NR;
}

/* A device that is free may be another's a moment later. The device, open, and its path; or -1. */
static int attach(int file, char path[32])
{
	struct loop_config c = {.fd = (unsigned)file, .info = {.lo_flags = LO_FLAGS_AUTOCLEAR}};
	int control = open("/dev/loop-control", O_RDWR | O_CLOEXEC), loop = -1;

	for (int i = 0; control >= 0 && loop < 0 && i < TRIES; i++) {
		int nr = ioctl(control, LOOP_CTL_GET_FREE);

		if (nr < 0)
			break;
		snprintf(path, 32, "/dev/loop%d", nr);
		loop = open(path, O_RDWR | O_CLOEXEC);
		if (loop >= 0 && is_loop(loop) && !ioctl(loop, LOOP_CONFIGURE, &c))
			break;
		if (loop < 0 || errno != EBUSY)
			i = TRIES;
		if (loop >= 0)
			close(loop);
		loop = -1;
	}
	if (control >= 0)
		close(control);
	return loop;
}

bool wall_disk_there(int dir)
{
	return !faccessat(dir, FILE_NAME, F_OK, AT_SYMLINK_NOFOLLOW);
}

int wall_disk(const struct wall *w, int dir)
{
	char device[32];
	const struct tree_option o[] = {{"source", device}, {"errors", "remount-ro"}};
	bool kept = wall_disk_there(dir);
	int file, loop, tree = -1;

	/* (around a machine nothing is kept) */
	if (!w->range || !w->spec->disk || w->spec->transient || w->spec->kind != SPEC_NAMESPACE)
		return -1;
	file = open_file(dir, w->spec->disk);
	loop = file < 0 || !lock_file(file) ? -1 : attach(file, device);
	if (loop >= 0)
		tree = tree_new("ext4", o, 2, 0);
	if (loop >= 0)
		close(loop);
	if (file >= 0)
		close(file);
	/* of no use without a device: then it is a tmpfs, now and at each start */
	if (tree < 0 && !kept)
		unlinkat(dir, FILE_NAME, 0);
	return tree;
}
