/* /dev, /proc, the directory of commands and the base image, mounted as a sandbox
 * does it. */
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

#include "vfs/bin.h"
#include "vfs/dev.h"
#include "vfs/image.h"
#include "vfs/proc.h"
#include "vfs/vfs.h"

#include "paths.h"
#include "tap.h"

static struct tsb_caller who = { 1000, 1000, 7, { 5, 0 } };
static struct vfs_ctx c = { NULL, &who, "/home/user" };

/* ---- A kernel of three processes ---- */

static int src_next_pid(void *ctx, int after)
{
	(void)ctx;
	return after < 1 ? 1 : after < 7 ? 7 : after < 12 ? 12 : 0;
}

static int src_process(void *ctx, int pid, struct procfs_process *out)
{
	static const char *const argv[] = { "bash", "-c", "a b", NULL }, *const env[] = { "A=1", NULL };
	(void)ctx;
	if (pid != 1 && pid != 7 && pid != 12)
		return -ENOENT;
	*out = (struct procfs_process){
		.ppid = pid == 1 ? 0 : 1, .pgid = 1, .sid = 1,
		.state = pid == 12 ? 'Z' : pid == 1 ? 'R' : 'S',
		.uid = 1000, .gid = 1000, .umask = 022, .comm = "a-long-program-name",
		.argv = argv, .env = env, .exe = "/usr/bin/bash", .cwd = "/home/user",
		.memory_bytes = 8192, .memory_peak = 16384, .start_ns = 1500000000, .fd_size = 256,
		.sig_ignored = 4,
	};
	return 0;
}

static int src_next_fd(void *ctx, int pid, int after)
{
	(void)ctx, (void)pid;
	return after < 0 ? 0 : after < 1 ? 1 : after < 5 ? 5 : -1;
}

static ssize_t src_fd_link(void *ctx, int pid, int fd, char *buf, size_t cap, int *flags,
			   int *reopen)
{
	const char *text = fd == 0 ? "/etc/hostname" : "pipe:[9]";
	size_t n = strlen(text);
	(void)ctx, (void)pid;
	*flags = fd == 0 ? O_RDONLY : O_WRONLY;
	*reopen = fd == 0;
	memcpy(buf, text, n < cap ? n : cap);
	return (ssize_t)(n < cap ? n : cap);
}

static int src_fd_stat(void *ctx, int pid, int fd, struct tsb_stat *st, uint64_t *offset)
{
	(void)ctx, (void)pid;
	*st = (struct tsb_stat){ .mode = S_IFIFO | 0600, .ino = (uint64_t)fd };
	*offset = 42;
	return 0;
}

static uint64_t src_uptime(void *ctx) { (void)ctx; return 12340000000; }
static struct tsb_time src_now(void *ctx) { (void)ctx; return (struct tsb_time){ 1000, 0 }; }
static uint64_t src_memory(void *ctx) { (void)ctx; return 1 << 20; }
static int src_pid_last(void *ctx) { (void)ctx; return 12; }
static void src_random(void *ctx, void *buf, size_t n) { (void)ctx; memset(buf, 0x5a, n); }

static const char *const names[] = { "[", "cat", "ls", "ls-extra", "sort", NULL };
static const char *bin_name(const void *ctx, size_t i) { (void)ctx; return names[i]; }
static size_t bin_count(const void *ctx) { (void)ctx; return 5; }

static void build(void)
{
	struct tsb_mem_options opt = TSB_MEM_OPTIONS_INIT;
	struct procfs_source src = {
		.next_pid = src_next_pid, .process = src_process, .next_fd = src_next_fd,
		.fd_link = src_fd_link, .fd_stat = src_fd_stat, .uptime_ns = src_uptime,
		.now = src_now, .memory_total = 1 << 30, .cpus = 2, .memory_used = src_memory,
		.random = src_random, .hostname = "sandbox", .osrelease = "6.1.0",
		.version = "#1 SMP", .pid_max = 32768, .pid_last = src_pid_last,
	};
	struct tsb_time now = { 5, 0 };
	c.vfs = vfs_new(vfs_image_new(&opt, "sandbox"));
	src.vfs = c.vfs;
	vfs_mount(c.vfs, "/dev", devfs_new(NULL, NULL, now), VFS_MOUNT_SHARE);
	vfs_mount(c.vfs, "/usr/bin", binfs_new(bin_name, bin_count, NULL, now),
		  VFS_MOUNT_SHARE | VFS_MOUNT_READ_ONLY);
	vfs_mount(c.vfs, "/proc", procfs_new(&src), VFS_MOUNT_SHARE);
}

/* ---- Helpers ---- */

static uint32_t mode(const char *path)
{
	struct tsb_stat st = { 0 };
	vfs_lstat(&c, path, &st);
	return st.mode;
}

static const char *link_of(const char *path)
{
	static char buf[256];
	ssize_t n = vfs_readlink(&c, path, buf, sizeof(buf) - 1);
	if (n < 0)
		snprintf(buf, sizeof(buf), "error %d", (int)n);
	else
		buf[n] = '\0';
	return buf;
}

/* ---- Tests ---- */

static void dev(void)
{
	struct tsb_stat st;
	struct vfs_file *f;
	char buf[64] = "x";
	int magic[2], i;

	is_str(list(&c, "/dev", 4096), "fd full null random stderr stdin stdout tty urandom zero ", "dev: names");
	is_str(list(&c, "/dev", 40), "fd full null random stderr stdin stdout tty urandom zero ",
	       "dev: one at a time");
	is_int(mode("/dev/null"), S_IFCHR | 0666, "dev: null's mode");
	vfs_stat(&c, "/dev/urandom", &st);
	ok(major(st.rdev) == 1 && minor(st.rdev) == 9, "dev: urandom is 1, 9");
	is_str(get(&c, "/dev/null"), "", "null reads empty");
	vfs_open(&c, "/dev/null", O_WRONLY | O_CREAT | O_TRUNC, 0, &f, magic);
	is_int(vfs_write(f, &who, buf, 64, 0), 64, "null takes all");
	vfs_close(f);
	vfs_open(&c, "/dev/zero", O_RDONLY, 0, &f, magic);
	is_int(vfs_read(f, buf, 64, 1u << 30), 64, "zero reads at any offset");
	for (i = 0; i < 64 && !buf[i]; i++)
		;
	is_int(i, 64, "zero gives zeroes");
	vfs_close(f);
	vfs_open(&c, "/dev/full", O_RDWR, 0, &f, magic);
	is_int(vfs_write(f, &who, buf, 1, 0), -ENOSPC, "full is full");
	vfs_close(f);
	vfs_open(&c, "/dev/urandom", O_RDONLY, 0, &f, magic);
	vfs_read(f, buf, 64, 0);
	for (i = 0; i < 64 && !buf[i]; i++)
		;
	ok(i < 64, "urandom gives bytes");
	vfs_close(f);
	is_int(open_rc(&c, "/dev/tty", O_RDWR), -ENXIO, "no terminal: open");
	is_int(vfs_stat(&c, "/dev/tty", &st), 0, "no terminal: stat");
	is_int((long)st.rdev, 0x500, "its number");
	is_int(open_rc(&c, "/dev/new", O_WRONLY | O_CREAT), -EACCES, "dev: nothing new");
	is_int(vfs_unlink(&c, "/dev/null"), -EACCES, "dev: nothing goes");
	is_int(vfs_truncate(&c, "/dev/null", 0), -EINVAL, "dev: no truncate");
	is_str(link_of("/dev/stdin"), "/proc/self/fd/0", "dev: stdin");
	is_str(link_of("/dev/fd"), "/proc/self/fd", "dev: fd");
}

static void descriptors(void)
{
	struct tsb_stat st;
	struct vfs_file *f;
	int magic[2] = { 0, -1 };
	is_str(list(&c, "/dev/fd/", 4096), "0 1 5 ", "fd: the open ones");
	is_str(get(&c, "/dev/stdin"), "sandbox\n", "fd: a file is opened by its path");
	is_int(vfs_open(&c, "/dev/stdout", O_WRONLY, 0, &f, magic), VFS_MAGIC, "fd: a pipe is magic");
	ok(magic[0] == 7 && magic[1] == 1 && !f, "fd: and told");
	is_int(vfs_stat(&c, "/dev/fd/5", &st), 0, "fd: stat of a pipe");
	ok(S_ISFIFO(st.mode) && st.ino == 5, "fd: is the pipe's");
	is_int(vfs_stat(&c, "/dev/fd/3", &st), -ENOENT, "fd: one that is not open");
	is_int(vfs_stat(&c, "/dev/fd/05", &st), -ENOENT, "fd: not a number's name");
	is_int(vfs_stat(&c, "/dev/fd/1/x", &st), -ENOTDIR, "fd: below a pipe");
	is_str(link_of("/dev/fd/1"), "pipe:[9]", "fd: link text");
	is_int(mode("/proc/7/fd/0"), S_IFLNK | 0500, "fd: mode of a read end");
	is_int(mode("/proc/7/fd/1"), S_IFLNK | 0300, "fd: mode of a write end");
	is_str(get(&c, "/proc/7/fdinfo/5"), "pos:\t42\nflags:\t01\nmnt_id:\t1\nino:\t5\n", "fdinfo");
}

static void proc(void)
{
	struct tsb_stat st;
	is_str(list(&c, "/proc", 4096), "cmdline cpuinfo filesystems loadavg meminfo mounts "
	       "partitions self stat swaps sys uptime version vmstat 1 7 12 ", "proc: names");
	is_str(list(&c, "/proc", 64), "cmdline cpuinfo filesystems loadavg meminfo mounts "
	       "partitions self stat swaps sys uptime version vmstat 1 7 12 ", "proc: a few at a time");
	is_str(link_of("/proc/self"), "7", "proc: self is the caller");
	is_str(list(&c, "/proc/self/", 4096), "cgroup cmdline comm cwd environ exe fd fdinfo "
	       "loginuid mountinfo mounts oom_score oom_score_adj root stat statm status wchan ", "proc: a process");
	ok(!memcmp(get(&c, "/proc/7/cmdline"), "bash\0-c\0a b", 12), "proc: cmdline");
	is_str(get(&c, "/proc/self/comm"), "a-long-program-\n", "proc: comm has 15 bytes");
	is_str(link_of("/proc/self/exe"), "/usr/bin/bash", "proc: exe");
	is_str(get(&c, "/proc/self/cwd/../../etc/hostname"), "sandbox\n", "proc: through cwd");
	is_str(get(&c, "/proc/self/root/etc/hostname"), "sandbox\n", "proc: through root");
	ok(strstr(get(&c, "/proc/7/status"), "Name:\ta-long-program-\nUmask:\t0022\nState:\tS (sleeping)\n"
		  "Tgid:\t7\n"), "proc: status");
	ok(strstr(get(&c, "/proc/7/status"), "\nSigIgn:\t0000000000000004\n"), "proc: ignored signals");
	ok(strstr(get(&c, "/proc/12/status"), "State:\tZ (zombie)\n"), "proc: a zombie");
	ok(!strncmp(get(&c, "/proc/7/stat"), "7 (a-long-program-) S 1 1 1 0 -1 ", 33), "proc: stat");
	is_str(get(&c, "/proc/uptime"), "12.34 24.68\n", "proc: uptime");
	ok(!strncmp(get(&c, "/proc/meminfo"), "MemTotal:        1048576 kB\nMemFree:         1047552 kB\n",
		    56), "proc: meminfo");
	is_str(get(&c, "/proc/loadavg"), "0.00 0.00 0.00 1/3 12\n", "proc: loadavg");
	is_str(get(&c, "/proc/mounts"), "tmpfs / tmpfs rw,relatime 0 0\n"
	       "devtmpfs /dev devtmpfs rw,relatime 0 0\nproc /proc proc rw,relatime 0 0\n"
	       "tmpfs /usr/bin tmpfs ro,relatime 0 0\n", "proc: mounts");
	is_str(get(&c, "/proc/sys/kernel/hostname"), "sandbox\n", "proc: hostname");
	is_str(get(&c, "/proc/sys/kernel/random/uuid"), "5a5a5a5a-5a5a-4a5a-9a5a-5a5a5a5a5a5a\n",
	       "proc: uuid");
	is_int(vfs_stat(&c, "/proc/8", &st), -ENOENT, "proc: no such process");
	is_int(vfs_stat(&c, "/proc/07", &st), -ENOENT, "proc: no such name");
	is_int(open_rc(&c, "/proc/version", O_WRONLY), -EACCES, "proc: no writing");
	is_int(open_rc(&c, "/proc/new", O_WRONLY | O_CREAT), -EACCES, "proc: nothing new");
	is_int(vfs_lstat(&c, "/proc/version", &st), 0, "proc: stat");
	ok(st.size == 0 && S_ISREG(st.mode), "proc: files have no size");
	who.pid = 0;
	is_int(vfs_stat(&c, "/proc/self", &st), -ENOENT, "proc: no self without a process");
	who.pid = 7;
}

static void proc_texts(void)
{
	struct vfs_file *f;
	struct tsb_stat st;
	char buf[8];
	int magic[2];
	is_str(get(&c, "/proc/self/environ"), "A=1", "proc: environ");
	ok(strstr(get(&c, "/proc/1/status"), "State:\tR (running)\n"), "proc: a running process");
	ok(strstr(get(&c, "/proc/1/status"), "Cpus_allowed_list:\t0-1\n"), "proc: cpus");
	is_str(get(&c, "/proc/7/statm"), "66 2 0 0 0 2 0\n", "proc: statm");
	ok(strstr(get(&c, "/proc/cpuinfo"), "processor\t: 1\n") && !strstr(get(&c, "/proc/cpuinfo"),
		  "processor\t: 2\n"), "proc: cpuinfo");
	ok(strstr(get(&c, "/proc/filesystems"), "nodev\tproc\n"), "proc: filesystems");
	ok(strstr(get(&c, "/proc/stat"), "btime 988\n"), "proc: stat of the system");
	is_str(get(&c, "/proc/version"), "Linux version 6.1.0 (root@sandbox) (gcc) #1 SMP\n", "proc: version");
	is_str(get(&c, "/proc/sys/kernel/ostype"), "Linux\n", "proc: ostype");
	is_str(get(&c, "/proc/sys/kernel/osrelease"), "6.1.0\n", "proc: osrelease");
	is_str(get(&c, "/proc/sys/kernel/version"), "#1 SMP\n", "proc: kernel version");
	is_str(get(&c, "/proc/sys/kernel/pid_max"), "32768\n", "proc: pid_max");
	is_int(open_rc(&c, "/proc/sys", O_RDWR), -EISDIR, "proc: a directory to write");
	is_int(open_rc(&c, "/proc/version", O_RDONLY | O_DIRECTORY), -ENOTDIR, "proc: O_DIRECTORY");
	is_int(open_rc(&c, "/proc/version/x", O_RDONLY), -ENOTDIR, "proc: below a file");
	is_int(open_rc(&c, "/proc/self", O_RDONLY | O_NOFOLLOW), -ELOOP, "proc: O_NOFOLLOW");
	is_str(link_of("/proc/version"), "error -22", "proc: no link");
	vfs_open(&c, "/proc/version", O_RDONLY, 0, &f, magic);
	is_int(vfs_read(f, buf, 5, 6), 5, "proc: read in the middle");
	is_int(vfs_read(f, buf, 5, 1000), 0, "proc: read at the end");
	is_int(vfs_readdir(f, buf, 8), -ENOTDIR, "proc: no directory");
	is_int(vfs_fstat(f, &st), 0, "proc: fstat");
	is_int(vfs_write(f, &who, "x", 1, 0), -EBADF, "proc: not to write");
	vfs_close(f);
	vfs_mkdir(&c, "/with space", 0755);
	vfs_mount(c.vfs, "/with space", tsb_mem_new(&(struct tsb_mem_options)TSB_MEM_OPTIONS_INIT), 0);
	ok(strstr(get(&c, "/proc/mounts"), "tmpfs /with\\040space tmpfs "), "proc: mounts are escaped");
	vfs_unmount(c.vfs, "/with space");
}

/* What root may not do either. */
static void fixed(void)
{
	static const char *const places[] = { "/dev", "/proc" };
	struct tsb_setattr set = { .mask = TSB_SET_MODE, .mode = 0777 };
	struct vfs_file *f;
	char path[64], to[64];
	int magic[2];
	who.uid = who.gid = 0;
	for (int i = 0; i < 2; i++) {
		const char *file = i ? "version" : "null";
		snprintf(path, sizeof(path), "%s/new", places[i]);
		snprintf(to, sizeof(to), "%s/%s", places[i], file);
		is_int(vfs_mkdir(&c, path, 0755), -EPERM, "fixed: mkdir");
		is_int(vfs_mknod(&c, path, S_IFIFO, 0), -EPERM, "fixed: mknod");
		is_int(open_rc(&c, path, O_WRONLY | O_CREAT), -EPERM, "fixed: open");
		is_int(vfs_symlink(&c, "x", path), -EPERM, "fixed: symlink");
		is_int(vfs_link(&c, to, path, false), -EPERM, "fixed: link");
		is_int(vfs_rename(&c, to, path, 0), -EPERM, "fixed: rename");
		is_int(vfs_unlink(&c, to), -EPERM, "fixed: unlink");
		is_int(vfs_setattr(&c, to, &set, true), -EPERM, "fixed: chmod");
		is_int(open_rc(&c, to, O_WRONLY | O_CREAT | O_EXCL), -EEXIST, "fixed: O_EXCL");
		vfs_open(&c, to, O_RDONLY, 0, &f, magic);
		is_int(vfs_fsetattr(f, &who, &set), -EPERM, "fixed: fchmod");
		vfs_close(f);
	}
	is_int(vfs_rmdir(&c, "/proc/sys"), -EPERM, "fixed: rmdir");
	is_int(open_rc(&c, "/proc/version", O_WRONLY), -EACCES, "proc: root writes nothing");
	who.uid = who.gid = 1000;
}

static void random_bytes(void *ctx, void *buf, size_t n)
{
	memset(buf, *(int *)ctx, n);
}

/* The devices by themselves, as a backend. */
static void dev_backend(void)
{
	int byte = 'r';
	struct tsb_fs *fs = devfs_new(random_bytes, &byte, (struct tsb_time){ 0, 0 });
	struct tsb_file *f = calloc(1, fs->ops->file_size);
	struct tsb_statfs sfs;
	struct tsb_stat st;
	char buf[8];
	f->ops = fs->ops;
	f->fs = fs;
	is_int(fs->ops->open(fs, &who, "/random", O_RDONLY, 0, f), 0, "devfs: open");
	is_int(fs->ops->read_at(f, buf, 3, 0), 3, "devfs: the caller's random bytes");
	ok(!memcmp(buf, "rrr", 3), "devfs: are those");
	is_int(fs->ops->truncate(f, &who, 0), -EINVAL, "devfs: truncate");
	is_int(fs->ops->fstat(f, &st), 0, "devfs: fstat");
	is_int(fs->ops->readdir(f, buf, 8), -ENOTDIR, "devfs: no directory");
	is_int(fs->ops->open(fs, &who, "/", O_RDONLY, 0, f), 0, "devfs: the directory");
	is_int(fs->ops->read_at(f, buf, 3, 0), -EISDIR, "devfs: is not read");
	is_int(fs->ops->readdir(f, buf, 8), -EINVAL, "devfs: no room");
	is_int(fs->ops->open(fs, &who, "/", O_RDWR, 0, f), -EISDIR, "devfs: nor written");
	is_int(fs->ops->open(fs, &who, "/fd", O_RDONLY, 0, f), -ELOOP, "devfs: a link");
	is_int(fs->ops->open(fs, &who, "/fd/0", O_RDONLY, 0, f), -ENOTDIR, "devfs: behind a link");
	is_int(fs->ops->open(fs, &who, "/null", O_RDONLY | O_DIRECTORY, 0, f), -ENOTDIR, "devfs: file");
	is_int(fs->ops->readlink(fs, &who, "/null", buf, 8), -EINVAL, "devfs: no link");
	is_int(fs->ops->readlink(fs, &who, "/fd/x", buf, 8), -ENOTDIR, "devfs: not inside a link");
	is_int(fs->ops->lstat(fs, &who, "/none", &st), -ENOENT, "devfs: nothing");
	is_int(fs->ops->statfs(fs, &sfs), 0, "devfs: statfs");
	free(f);
	fs->ops->free(fs);
}

static void bin_backend(void)
{
	struct tsb_fs *fs = binfs_new(bin_name, bin_count, NULL, (struct tsb_time){ 0, 0 });
	struct tsb_file *f = calloc(1, fs->ops->file_size);
	struct tsb_statfs sfs;
	struct tsb_stat st;
	char buf[8];
	f->ops = fs->ops;
	f->fs = fs;
	is_int(fs->ops->open(fs, &who, "/ls", O_RDONLY, 0, f), 0, "binfs: open");
	is_int(fs->ops->fstat(f, &st), 0, "binfs: fstat");
	is_int(fs->ops->read_at(f, buf, 8, 1000), 0, "binfs: the end");
	is_int(fs->ops->readdir(f, buf, 8), -ENOTDIR, "binfs: no directory");
	is_int(fs->ops->close(f), 0, "binfs: close");
	is_int(fs->ops->open(fs, &who, "/", O_RDONLY, 0, f), 0, "binfs: the directory");
	is_int(fs->ops->read_at(f, buf, 8, 0), -EISDIR, "binfs: is not read");
	is_int(fs->ops->readdir(f, buf, 8), -EINVAL, "binfs: no room");
	fs->ops->close(f);
	is_int(fs->ops->open(fs, &who, "/", O_RDWR, 0, f), -EISDIR, "binfs: nor written");
	is_int(fs->ops->open(fs, &who, "/none", O_WRONLY | O_CREAT, 0, f), -EROFS, "binfs: new");
	is_int(fs->ops->open(fs, &who, "/none", O_RDONLY, 0, f), -ENOENT, "binfs: none");
	is_int(fs->ops->open(fs, &who, "/ls", O_RDONLY | O_DIRECTORY, 0, f), -ENOTDIR, "binfs: file");
	is_int(fs->ops->open(fs, &who, "/ls", O_WRONLY | O_CREAT | O_EXCL, 0, f), -EEXIST, "binfs: there");
	is_int(fs->ops->statfs(fs, &sfs), 0, "binfs: statfs");
	free(f);
	fs->ops->free(fs);
}

static void bin(void)
{
	const char *command;
	struct tsb_stat st;
	is_str(list(&c, "/usr/bin", 4096), "[ cat ls ls-extra sort ", "bin: names");
	is_str(list(&c, "/bin/", 32), "[ cat ls ls-extra sort ", "bin: one at a time");
	is_str(get(&c, "/bin/ls"), "#!/usr/bin/tinysandbox-command ls\n"
	       "# ls is a command of this system; its code is not a script.\n", "bin: the text");
	vfs_stat(&c, "/bin/ls", &st);
	is_int(st.size, (long long)strlen(get(&c, "/bin/ls")), "bin: size");
	is_int(st.mode, S_IFREG | 0755, "bin: mode");
	is_int(vfs_program(&c, "/bin/ls", NULL, &command), 0, "bin: a program");
	is_str(command, "ls", "bin: its command");
	is_int(vfs_program(&c, "/bin/l", NULL, &command), -ENOENT, "bin: not a beginning");
	is_int(vfs_program(&c, "/bin/lsx", NULL, &command), -ENOENT, "bin: not a longer one");
	is_int(vfs_program(&c, "/bin/ls/x", NULL, &command), -ENOTDIR, "bin: nothing below");
	is_int(open_rc(&c, "/bin/ls", O_WRONLY), -EROFS, "bin: no writing");
	is_int(open_rc(&c, "/bin/new", O_WRONLY | O_CREAT), -EROFS, "bin: nothing new");
	is_int(vfs_unlink(&c, "/bin/ls"), -EROFS, "bin: nothing goes");
	vfs_symlink(&c, "/bin/ls", "/tmp/mine");
	is_int(vfs_program(&c, "/tmp/mine", NULL, &command), 0, "bin: by a link");
	is_str(command, "ls", "bin: the same command");
}

static void image(void)
{
	uint64_t bytes, entries;
	struct vfs *b;
	ok(strstr(get(&c, "/etc/passwd"), "user:x:1000:1000:User:/home/user:/bin/bash\n"), "image: passwd");
	is_str(get(&c, "/etc/hostname"), "sandbox\n", "image: hostname");
	ok(strstr(get(&c, "/etc/hosts"), "127.0.1.1\tsandbox\n"), "image: hosts");
	is_int(mode("/tmp"), S_IFDIR | 01777, "image: tmp");
	is_int(vfs_mkdir(&c, "/workspace", 0755), 0, "image: directories in the root");
	is_int(open_rc(&c, "file", O_WRONLY | O_CREAT), 0, "image: files at home");
	is_int(open_rc(&c, "/etc/file", O_WRONLY | O_CREAT), -EACCES, "image: not in etc");
	is_int(open_rc(&c, "/root/file", O_WRONLY | O_CREAT), -EACCES, "image: not root's home");
	is_str(link_of("/bin"), "usr/bin", "image: bin");
	ok(strstr(get(&c, "/etc/mtab"), "tmpfs / tmpfs"), "image: mtab");
	is_int(vfs_branch(c.vfs, &b), 0, "image: a sandbox branches");
	is_int(vfs_usage(b, &bytes, &entries), 0, "image: usage");
	vfs_free(b);
}

int main(void)
{
	build();
	dev();
	descriptors();
	proc();
	proc_texts();
	fixed();
	dev_backend();
	bin();
	bin_backend();
	image();
	vfs_free(c.vfs);
	return done();
}
