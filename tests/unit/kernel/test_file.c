/* Files through descriptors: shared offsets, append, seek, FIFOs, /dev and /proc. */
#include "kit_fs.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

static struct kit kit;
static const struct tsb_command *const none[] = { NULL };

static int writes_b(struct tsb_proc *p, void *arg)
{
	(void)arg;
	tsb_write(p, 1, "bb", 2);
	return 0;
}

static int offsets(struct tsb_proc *p, void *arg)
{
	int fd = tsb_open(p, "/tmp/f", O_RDWR | O_CREAT, 0666), two, other, st;
	struct tsb_stat s;
	char buf[10];

	(void)arg;
	is_int(fd, 3, "open gives the lowest number");
	two = tsb_dup(p, fd, 10);
	is_int(two, 10, "dup at least 10");
	tsb_write(p, fd, "aa", 2);
	kit_child(p, -1, two, writes_b, NULL);
	tsb_wait(p, -1, &st, 0);
	tsb_write(p, two, "cc", 2);
	is_str(kit_get(p, "/tmp/f"), "aabbcc", "one offset for dup and fork");
	other = tsb_open(p, "/tmp/f", O_WRONLY, 0);
	tsb_write(p, other, "X", 1);
	is_str(kit_get(p, "/tmp/f"), "Xabbcc", "another open has its own");
	is_int(tsb_lseek(p, fd, 0, SEEK_CUR), 6, "where we are");
	is_int(tsb_lseek(p, fd, -2, SEEK_END), 4, "from the end");
	is_int(tsb_lseek(p, fd, -5, SEEK_SET), -EINVAL, "before the beginning");
	is_int(tsb_lseek(p, fd, INT64_MAX, SEEK_CUR), -EOVERFLOW, "too far");
	is_int(tsb_lseek(p, fd, 0, 77), -EINVAL, "bad whence");
	is_int(tsb_read(p, two, buf, 10), 2, "read what is left");
	is_int(tsb_pread(p, fd, buf, 3, 1), 3, "pread");
	is_int(tsb_pread(p, fd, buf, 3, UINT64_MAX), -EINVAL, "pread of nowhere");
	is_int(tsb_pread(p, other, buf, 3, 0), -EBADF, "pread of write-only");
	is_int(tsb_pwrite(p, fd, "Y", 1, 5), 1, "pwrite");
	is_int(tsb_ftruncate(p, fd, 3), 0, "ftruncate");
	is_int(tsb_fstat(p, fd, &s), 0, "fstat");
	is_int(s.size, 3, "the new size");
	is_int(tsb_fstat(p, fd, NULL), -EFAULT, "no place");
	is_int(tsb_fstat(p, 99, &s), -EBADF, "not open");
	is_int(tsb_read(p, fd, NULL, 1), -EFAULT, "no buffer");
	is_int(tsb_fsync(p, fd), 0, "fsync");
	is_int(s.mode & 07777, 0644, "umask");
	return 0;
}

static int appends(struct tsb_proc *p, void *arg)
{
	int a = tsb_open(p, "/tmp/log", O_WRONLY | O_CREAT | O_APPEND, 0666);
	int b = tsb_open(p, "/tmp/log", O_WRONLY | O_APPEND, 0666);

	(void)arg;
	tsb_write(p, a, "1", 1);
	tsb_write(p, b, "2", 1);
	tsb_write(p, a, "3", 1);
	is_str(kit_get(p, "/tmp/log"), "123", "appending goes to the end");
	is_int(tsb_lseek(p, a, 0, SEEK_CUR), 3, "and moves the offset there");
	is_int(tsb_fcntl_flags(p, a), O_WRONLY | O_APPEND, "flags");
	return 0;
}

static int fifo_reader(struct tsb_proc *p, void *arg)
{
	char *text = kit_get(p, "/tmp/fifo");

	(void)arg;
	tsb_printf(p, "got %s\n", text);
	return tsb_flush(p);
}

static int fifos(struct tsb_proc *p, void *arg)
{
	int fd, st;

	(void)arg;
	is_int(tsb_mknod(p, "/tmp/fifo", S_IFIFO | 0666, 0), 0, "mkfifo");
	is_int(tsb_open(p, "/tmp/fifo", O_WRONLY | O_NONBLOCK, 0), -ENXIO, "no reader");
	kit_child(p, -1, -1, fifo_reader, NULL);
	fd = tsb_open(p, "/tmp/fifo", O_WRONLY, 0);
	is_int(fd, 3, "open waits for the reader");
	is_int(tsb_write(p, fd, "through", 7), 7, "write");
	tsb_close(p, fd);
	tsb_wait(p, -1, &st, 0);
	fd = tsb_open(p, "/tmp/fifo", O_RDWR, 0);
	is_int(tsb_write(p, fd, "self", 4), 4, "O_RDWR does not wait");
	kit_child(p, -1, -1, fifo_reader, NULL);
	tsb_sleep(p, 1000000);
	tsb_close(p, fd);
	tsb_wait(p, -1, &st, 0);
	kit_child(p, -1, -1, fifo_reader, NULL);	/* waits in open when all is dropped */
	tsb_sleep(p, 1000000);
	return 0;
}

static int echo_stdin(struct tsb_proc *p, void *arg)
{
	tsb_puts(p, kit_get(p, arg));
	return tsb_flush(p);
}

static int devices(struct tsb_proc *p, void *arg)
{
	static char in[] = "/dev/stdin", fd0[] = "/proc/self/fd/0";
	int fd[2], st, out, fresh;
	char buf[100];
	ssize_t n;

	(void)arg;
	tsb_pipe(p, fd);
	tsb_write(p, fd[1], "piped\n", 6);
	kit_child(p, fd[0], -1, echo_stdin, in);
	tsb_close(p, fd[1]);
	tsb_wait(p, -1, &st, 0);
	tsb_close(p, fd[0]);
	kit_put(p, "/tmp/in", "file\n", 0644);
	out = tsb_open(p, "/tmp/in", O_RDONLY, 0);
	tsb_read(p, out, buf, 2);
	kit_child(p, out, -1, echo_stdin, fd0);
	tsb_wait(p, -1, &st, 0);
	is_int(tsb_lseek(p, out, 0, SEEK_CUR), 2, "a reopened file has its own offset");
	tsb_unlink(p, "/tmp/in");
	snprintf(buf, sizeof(buf), "/dev/fd/%d", out);
	is_str(kit_get(p, buf), "file\n", "also a deleted one");
	is_int(tsb_open(p, buf, O_WRONLY, 0), -EACCES, "not for writing");
	snprintf(buf, sizeof(buf), "/proc/self/fd/%d", out);
	n = tsb_readlink(p, buf, buf, sizeof(buf) - 1);
	buf[n > 0 ? n : 0] = '\0';
	is_str(buf, "/tmp/in (deleted)", "its link");
	fresh = tsb_open(p, "/dev/stdout", O_WRONLY, 0);
	tsb_write(p, fresh, "out\n", 4);
	is_int(tsb_open(p, "/dev/fd/77", O_RDONLY, 0), -ENOENT, "no such descriptor");
	is_int(tsb_write(p, tsb_open(p, "/dev/full", O_WRONLY, 0), "x", 1), -ENOSPC, "full");
	is_int(tsb_write(p, tsb_open(p, "/dev/null", O_WRONLY, 0), "x", 1), 1, "null");
	tsb_set_cloexec(p, out, true);
	return 0;
}

static int directories(struct tsb_proc *p, void *arg)
{
	const struct tsb_dirent *e;
	struct tsb_dir *dir, *left;
	char **names, *real;
	size_t n;
	int fd, count = 0;

	(void)arg;
	tsb_mkdir(p, "/d", 0777);
	kit_put(p, "/d/b", "", 0644);
	kit_put(p, "/d/a", "", 0644);
	is_int(tsb_listdir(p, "/d", &names, &n), 0, "listdir");
	is_int(n, 2, "two names");
	ok(!strcmp(names[0], "a") && !strcmp(names[1], "b") && !names[2], "sorted");
	is_int(tsb_listdir(p, "/d/a", &names, &n), -ENOTDIR, "not a directory");
	is_int(tsb_opendir(p, NULL, &dir), -EFAULT, "no path");
	is_int(tsb_opendir(p, "/d", &dir), 0, "opendir");
	while ((e = tsb_readdir(dir)) != NULL)
		count += e->name_len == 1;
	is_int(count, 2, "entries");
	is_int(tsb_opendir(p, "/d", &left), 0, "left open");
	tsb_closedir(dir);
	is_int(tsb_chdir(p, "/d"), 0, "chdir");
	is_str(tsb_getcwd(p), "/d", "getcwd");
	is_int(tsb_rename(p, "/d", "/e", 0), 0, "the directory is renamed");
	is_str(tsb_getcwd(p), "/e", "getcwd follows");
	is_int(tsb_stat(p, "a", &(struct tsb_stat){ 0 }), 0, "relative path");
	is_int(tsb_realpath(p, "../e/a", TSB_REAL_ALL_EXIST, &real), 0, "realpath");
	is_str(real, "/e/a", "clean");
	is_int(tsb_chdir(p, "nowhere"), -ENOENT, "chdir to nowhere");
	fd = tsb_open(p, ".", O_RDONLY, 0);
	is_int(tsb_read(p, fd, names, 1), -EISDIR, "reading a directory");
	is_int(tsb_open(p, NULL, O_RDONLY, 0), -EFAULT, "open of NULL");
	is_int(tsb_unlink(p, NULL), -EFAULT, "unlink of NULL");
	is_int(tsb_link(p, "a", NULL, false), -EFAULT, "link to NULL");
	is_int(tsb_access(p, "a", 99), -EINVAL, "access with a bad mode");
	is_int(tsb_truncate(p, "a", UINT64_MAX), -EINVAL, "truncate to the sky");
	return 0;
}

static int proc_files(struct tsb_proc *p, void *arg)
{
	char *text;

	(void)arg;
	is_int(tsb_umask(p, 027), 022, "umask");
	text = kit_get(p, "/proc/self/status");
	ok(strstr(text, "Name:\tbash\n") && strstr(text, "Pid:\t1\n"), "status");
	ok(strstr(text, "Umask:\t0027\n") != NULL, "umask in it");
	is_int(tsb_open(p, "/proc/999/status", O_RDONLY, 0), -ENOENT, "no such process");
	return 0;
}

static int nothing(struct tsb_proc *p, void *arg)
{
	(void)p;
	(void)arg;
	return 0;
}

/* Standard input in pieces with pauses. */
static ssize_t slow_input(void *ctx, void *buf, size_t n)
{
	int *turn = ctx;

	(void)n;
	if (++*turn % 3)
		return -EAGAIN;
	if (*turn > 9)
		return 0;
	memcpy(buf, "line\n", 5);
	return 5;
}

static int reads_input(struct tsb_proc *p, void *arg)
{
	char buf[3];

	(void)arg;
	is_int(tsb_poll_in(p, 0, 0), 0, "no input yet");
	is_int(tsb_poll_in(p, 0, -1), 1, "input comes");
	is_int(tsb_read(p, 0, buf, 3), 3, "it was kept");
	is_str(kit_get(p, "/dev/stdin"), "e\nline\nline\n", "the rest through /dev/stdin");
	is_int(tsb_poll_in(p, 0, 0), 1, "its end is input");
	is_int(tsb_read(p, 0, buf, 3), 0, "the end stays");
	return 0;
}

static int session(struct tsb_proc *p, void *arg)
{
	proc_on_end(p, (void (*)(void *))(uintptr_t)arg, NULL);
	tsb_puts(p, "x");
	return tsb_flush(p);
}

static void no_hook(void *arg)
{
	(void)arg;
}

/* A session's heap outlives its runs, and they leave nothing in it. */
static void test_session(void)
{
	static const char *const env[] = { NULL };
	struct tsb_heap *heap = NULL;
	size_t used = 0;

	for (int i = 0; i < 100; i++) {
		kernel_begin(kit.k, &kit.opt);
		if (!heap)
			heap = kernel_heap_new(kit.k);
		kernel_init_proc(kit.k, "bash", "/", env, heap);
		kernel_run(kit.k, session, (void *)(uintptr_t)no_hook);
		kernel_finish(kit.k);
		if (i == 0)
			used = heap_used(heap);
	}
	is_int(heap_used(heap), used, "runs leave nothing in a borrowed heap");
	heap_end(heap);
}

int main(void)
{
	uint64_t peak;
	int turn = 0;

	kit_begin(&kit);
	kit.commands = none;
	kit_mount(&kit);
	kit_run(&kit, nothing, NULL);
	peak = kit.report.memory_peak;
	is_int(kit_run(&kit, offsets, NULL), 0, "offsets");
	is_int(kit_run(&kit, appends, NULL), 0, "append");
	is_int(kit_run(&kit, fifos, NULL), 0, "FIFOs");
	is_str(kit.text[0], "got through\ngot self\n", "through the FIFO");
	is_int(kit_run(&kit, devices, NULL), 0, "devices");
	is_str(kit.text[0], "piped\nfile\nout\n", "through /dev and /proc");
	is_int(kit_run(&kit, directories, NULL), 0, "directories");
	is_int(kit_run(&kit, proc_files, NULL), 0, "/proc");
	kit.opt.io.input = slow_input;
	kit.opt.io.input_ctx = &turn;
	is_int(kit_run(&kit, reads_input, NULL), 0, "input");
	test_session();
	kit_run(&kit, nothing, NULL);
	is_int(kit.report.memory_peak, peak, "nothing is still charged");
	kit_unmount(&kit);
	return done();
}
