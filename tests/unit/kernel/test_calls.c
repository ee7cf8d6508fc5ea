/* The calls with paths, the small calls, and what /proc tells of processes. */
#include "kit_fs.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "kernel/inside.h"

static struct kit kit;
static const struct tsb_command *const none[] = { NULL };

static int paths(struct tsb_proc *p, void *arg)
{
	struct tsb_setattr set = { .mask = TSB_SET_MODE, .mode = 0600 };
	struct tsb_statfs fs;
	struct tsb_stat st;
	char buf[10];

	(void)arg;
	is_int(kit_put(p, "/tmp/a", "text", 0666), 0, "a file");
	is_int(tsb_symlink(p, "a", "/tmp/link"), 0, "symlink");
	is_int(tsb_symlink(p, NULL, "/tmp/l"), -EFAULT, "symlink to NULL");
	is_int(tsb_lstat(p, "/tmp/link", &st), 0, "lstat");
	ok(S_ISLNK(st.mode), "is a link");
	is_int(tsb_stat(p, "/tmp/link", &st), 0, "stat");
	is_int(st.size, 4, "follows it");
	is_int(tsb_stat(p, "/tmp/link", NULL), -EFAULT, "stat to nowhere");
	is_int(tsb_lstat(p, NULL, &st), -EFAULT, "lstat of NULL");
	is_int(tsb_readlink(p, "/tmp/link", buf, sizeof(buf)), 1, "readlink");
	is_int(tsb_readlink(p, "/tmp/link", NULL, 3), -EFAULT, "readlink to nowhere");
	is_int(tsb_readlink(p, "/tmp/link", buf, 0), -EINVAL, "readlink of nothing");
	is_int(tsb_link(p, "/tmp/a", "/tmp/hard", false), 0, "link");
	is_int(tsb_rename(p, "/tmp/hard", "/tmp/b", 0), 0, "rename");
	is_int(tsb_rename(p, "/tmp/b", NULL, 0), -EFAULT, "rename to NULL");
	is_int(tsb_rename(p, "/tmp/b", "/tmp/c", 77), -EINVAL, "rename with bad flags");
	is_int(tsb_rename(p, "/tmp/b", "/tmp/a", TSB_RENAME_NOREPLACE), -EEXIST, "no replacing");
	is_int(tsb_setattr(p, "/tmp/b", &set, true), 0, "setattr");
	is_int(tsb_setattr(p, "/tmp/b", NULL, true), -EFAULT, "setattr of nothing");
	is_int(tsb_truncate(p, "/tmp/b", 2), 0, "truncate");
	is_int(tsb_stat(p, "/tmp/a", &st), 0, "by its other name");
	ok(st.size == 2 && (st.mode & 07777) == 0600 && st.nlink == 2, "all is seen");
	is_int(tsb_access(p, "/tmp/a", TSB_R_OK | TSB_W_OK), 0, "access");
	is_int(tsb_access(p, "/tmp/a", TSB_X_OK), -EACCES, "not executable");
	is_int(tsb_unlink(p, "/tmp/b"), 0, "unlink");
	is_int(tsb_mkdir(p, "/tmp/d", 0777), 0, "mkdir");
	is_int(tsb_stat(p, "/tmp/d", &st), 0, "is there");
	is_int(st.mode, S_IFDIR | 0755, "umask");
	is_int(tsb_rmdir(p, "/tmp/d"), 0, "rmdir");
	is_int(tsb_rmdir(p, "/tmp/d"), -ENOENT, "only once");
	is_int(tsb_statfs(p, "/tmp", &fs), 0, "statfs");
	is_int(tsb_statfs(p, "/tmp", NULL), -EFAULT, "statfs to nowhere");
	ok(fs.name_max == 255, "names of 255 bytes");
	is_str(tsb_mount_of(p, "/dev/null"), "/dev", "mount of /dev/null");
	ok(!tsb_mount_of(p, "/nowhere/at/all"), "mount of nothing");
	is_int(tsb_mknod(p, NULL, 0, 0), -EFAULT, "mknod of NULL");
	is_int(tsb_opendir(p, "/tmp", NULL), -EFAULT, "opendir to nowhere");
	is_int(tsb_listdir(p, "/tmp", NULL, NULL), -EFAULT, "listdir to nowhere");
	is_int(tsb_realpath(p, "/tmp", 0, NULL), -EFAULT, "realpath to nowhere");
	is_int(tsb_open(p, "/tmp/a/b", O_RDONLY, 0), -ENOTDIR, "through a file");
	tsb_closedir(NULL);
	return 0;
}

static int open_files(struct tsb_proc *p, void *arg)
{
	struct tsb_setattr set = { .mask = TSB_SET_MODE, .mode = 0640 };
	int fd = tsb_open(p, "/tmp/x", O_RDWR | O_CREAT | O_CLOEXEC, 0666), pipe_fd[2], null;
	struct tsb_stat st;
	char byte;

	(void)arg;
	is_int(tsb_fsetattr(p, fd, &set), 0, "fsetattr");
	is_int(tsb_fsetattr(p, fd, NULL), -EFAULT, "fsetattr of nothing");
	is_int(tsb_fsetattr(p, 99, &set), -EBADF, "fsetattr of no file");
	tsb_fstat(p, fd, &st);
	is_int(st.mode, S_IFREG | 0640, "is set");
	is_int(tsb_ftruncate(p, fd, UINT64_MAX), -EINVAL, "ftruncate to the sky");
	is_int(tsb_ftruncate(p, 99, 0), -EBADF, "ftruncate of no file");
	is_int(tsb_pwrite(p, fd, "abc", 3, 10), 3, "pwrite");
	is_int(tsb_pwrite(p, fd, NULL, 3, 10), -EFAULT, "pwrite of nothing");
	is_int(tsb_pwrite(p, fd, "a", 1, UINT64_MAX), -EINVAL, "pwrite to the sky");
	is_int(tsb_pwrite(p, 99, "a", 1, 0), -EBADF, "pwrite to no file");
	is_int(tsb_pread(p, fd, NULL, 3, 10), -EFAULT, "pread to nowhere");
	is_int(tsb_lseek(p, fd, 3, SEEK_DATA), 3, "seek data");
	is_int(tsb_lseek(p, fd, 3, SEEK_HOLE), 13, "seek hole: the end");
	is_int(tsb_lseek(p, fd, 13, SEEK_DATA), -ENXIO, "no data behind the end");
	is_int(tsb_lseek(p, 99, 0, SEEK_SET), -EBADF, "seek of no file");
	is_int(tsb_fsync(p, 99), -EBADF, "fsync of no file");
	is_int(tsb_close(p, 99), -EBADF, "close of no file");
	is_int(tsb_fcntl_flags(p, 99), -EBADF, "flags of no file");
	is_int(tsb_set_cloexec(p, 99, true), -EBADF, "close-on-exec of no file");
	is_int(tsb_poll_in(p, 99, 0), -EBADF, "poll of no file");
	is_int(tsb_poll_in(p, fd, 0), 1, "a file is always ready");
	null = tsb_open(p, "/dev/null", O_RDWR, 0);
	is_int(tsb_lseek(p, null, 5, SEEK_SET), 0, "a device has no place");
	is_int(tsb_read(p, null, &byte, 1), 0, "and nothing to read");
	tsb_pipe(p, pipe_fd);
	is_int(tsb_fstat(p, pipe_fd[0], &st), 0, "fstat of a pipe");
	ok(S_ISFIFO(st.mode) && st.nlink == 1, "a pipe");
	is_int(tsb_fsetattr(p, pipe_fd[0], &set), 0, "fchmod of a pipe");
	is_int(tsb_ftruncate(p, pipe_fd[1], 0), -EINVAL, "ftruncate of a pipe");
	is_int(tsb_pread(p, pipe_fd[0], &byte, 1, 0), -ESPIPE, "pread of a pipe");
	is_int(tsb_fstat(p, 0, &st), 0, "fstat of standard input");
	ok(S_ISFIFO(st.mode), "a pipe");
	is_int(proc_save_fd(p, fd, 10), 10, "saved");
	ok(!proc_fd_open(p, fd) && proc_fd_open(p, 10), "and moved");
	is_int(proc_save_fd(p, 99, 10), -EBADF, "save of no file");
	return 0;
}

static int sleeper(struct tsb_proc *p, void *arg)
{
	(void)arg;
	tsb_sleep(p, INT64_MAX);
	return 0;
}

static int nothing(struct tsb_proc *p, void *arg)
{
	(void)p;
	(void)arg;
	return 0;
}

static int proc_files(struct tsb_proc *p, void *arg)
{
	char **names, path[64], text[200];
	int a, z, fd[2];
	ssize_t len;
	size_t n;

	(void)arg;
	proc_borrow_name(p, "/usr/bin/a-name-that-is-rather-long");
	is_str(tsb_name(p), "/usr/bin/a-name-that-is-rather-long", "name");
	is_str(kit_get(p, "/proc/self/comm"), "a-name-that-is-\n", "comm has 15 bytes");
	a = kit_child(p, -1, -1, sleeper, NULL);
	z = kit_child(p, -1, -1, nothing, NULL);
	tsb_sleep(p, 0);
	snprintf(path, sizeof(path), "/proc/%d/stat", a);
	ok(strstr(kit_get(p, path), ") S 1 1 "), "a sleeper");
	tsb_kill(p, a, SIGSTOP);
	ok(strstr(kit_get(p, path), ") T 1 1 "), "stopped");
	snprintf(path, sizeof(path), "/proc/%d/stat", z);
	ok(strstr(kit_get(p, path), ") Z 1 1 "), "a zombie");
	ok(strstr(kit_get(p, "/proc/self/stat"), ") R 0 1 "), "running");
	is_int(tsb_listdir(p, "/proc/self/fd", &names, &n), 0, "descriptors");
	is_int(n, 3, "three");
	tsb_pipe(p, fd);
	is_int(tsb_stat(p, "/dev/fd/3", &(struct tsb_stat){ 0 }), 0, "stat of a pipe");
	is_int(tsb_stat(p, "/dev/fd/0", &(struct tsb_stat){ 0 }), 0, "stat of standard input");
	len = tsb_readlink(p, "/proc/self/fd/3", text, sizeof(text));
	ok(len > 7 && !strncmp(text, "pipe:[", 6), "link of a pipe");
	len = tsb_readlink(p, "/proc/self/fd/0", text, sizeof(text));
	ok(len > 7 && !strncmp(text, "pipe:[", 6), "link of standard input");
	is_int(tsb_listdir(p, "/proc/7777/fd", &names, &n), -ENOENT, "of nobody");
	is_int(tsb_listdir(p, "/proc", &names, &n), 0, "all processes");
	ok(!strcmp(names[0], "1") && !strcmp(names[1], "2") && !strcmp(names[2], "3"), "three");
	ok(strstr(kit_get(p, "/proc/meminfo"), "MemTotal:"), "meminfo");
	ok(strlen(kit_get(p, "/proc/uptime")) > 3, "uptime");
	ok(!strncmp(kit_get(p, "/proc/self/cmdline"), "/usr/bin/a-name", 15), "cmdline");
	return 0;
}

static int reads_all(struct tsb_proc *p, void *arg)
{
	struct str s;
	int fd[2];

	(void)arg;
	tsb_pipe(p, fd);
	tsb_write(p, fd[1], "a\0b\0\0c", 6);
	for (int i = 0; i < 50000; i++)
		tsb_write(p, fd[1], "z", 1);
	tsb_close(p, fd[1]);
	str_init(&s, tsb_heap_of(p), STR_MAX_DEFAULT);
	is_int(proc_read_all(p, fd[0], &s), 3, "NULs are counted");
	is_int(s.n, 50003, "and left out");
	ok(!strncmp(s.p, "abcz", 4), "the rest is there");
	str_init(&s, tsb_heap_of(p), 100000);
	fd[0] = tsb_open(p, "/tmp/long", O_RDWR | O_CREAT, 0666);
	for (int i = 0; i < 30000; i++)
		tsb_write(p, fd[0], "12345", 5);
	tsb_lseek(p, fd[0], 0, SEEK_SET);
	is_int(proc_read_all(p, fd[0], &s), -ENOMEM, "a text too long");
	str_reset(&s);
	is_int(proc_read_all(p, 99, &s), -EBADF, "of no file");
	return 0;
}

static int prints(struct tsb_proc *p, void *arg)
{
	char *big = tsb_alloc(p, 10001);

	(void)arg;
	memset(big, 'x', 10000);
	tsb_printf(p, "%s", big);
	tsb_putc(p, 'y');
	tsb_put(p, NULL, 5);
	tsb_puts(p, NULL);
	tsb_printf(p, "%s", "");
	for (int i = 0; i < 5000; i++)
		tsb_putc(p, 'z');
	is_int(tsb_flush(p), 0, "flush");
	is_int(tsb_out_error(p), 0, "no error");
	is_str(tsb_format(p, "%d-%s", 5, "x"), "5-x", "format");
	is_str(tsb_format(p, "%s", ""), "", "format of nothing");
	ok(!tsb_strdup(p, NULL) && !tsb_strndup(p, NULL, 3), "copies of NULL");
	is_str(tsb_strndup(p, "abcdef", 3), "abc", "strndup");
	tsb_free(p, NULL);
	tsb_close(p, 1);
	tsb_puts(p, "lost");
	is_int(tsb_flush(p), -EBADF, "an error is given");
	is_int(tsb_out_error(p), -EBADF, "and kept");
	tsb_out_forget(p);
	is_int(tsb_flush(p), 0, "until it is forgotten");
	is_int(tsb_getuid(p), 1000, "uid");
	is_int(tsb_getgid(p), 1000, "gid");
	is_str(tsb_hostname(p), "sandbox", "hostname");
	ok(!tsb_user(p) && proc_kernel(p) == kit.k, "the rest");
	return 0;
}

int main(void)
{
	kit_begin(&kit);
	kit.commands = none;
	kit_mount(&kit);
	is_int(kit_run(&kit, paths, NULL), 0, "paths");
	is_int(kit_run(&kit, open_files, NULL), 0, "open files");
	is_int(kit_run(&kit, proc_files, NULL), 0, "/proc");
	is_int(kit_run(&kit, reads_all, NULL), 0, "read all");
	is_int(kit_run(&kit, prints, NULL), 0, "print");
	is_int(kit.n[0], 15001, "all was printed");
	kit_unmount(&kit);
	return done();
}
