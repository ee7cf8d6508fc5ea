/*
 * Paths without openat2: the kernel's own call is the judge, over random trees; and what is moved out meanwhile leads
 * nowhere outside.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "init/path.h"
#include "tap.h"

static const char *const part[] = {"a", "b", "c", "d", "link", "up", "abs", "file", "loop", "..", ".", "missing", "", "a/b", "ghost"};
static unsigned seed = 7;

static unsigned roll(unsigned n)
{
	seed = seed * 1103515245u + 12345u;
	return seed / 65536u % n;
}

static void random_path(char *path, unsigned most)
{
	unsigned names = 1 + roll(most);

	*path = 0;
	if (!roll(3))
		strcat(path, "/");
	for (unsigned i = 0; i < names; i++) {
		strcat(path, part[roll(sizeof(part) / sizeof(*part))]);
		if (i + 1 < names || !roll(4))
			strcat(path, "/");
	}
}

static void grow(int at, unsigned depth)
{
	static const char *const links[] = {"link", "up", "abs", "ghost"};
	char target[256];

	for (unsigned i = 0; i < 4; i++) {
		if (depth && roll(3) && !mkdirat(at, part[i], 0755)) {
			int fd = openat(at, part[i], O_RDONLY | O_DIRECTORY);

			grow(fd, depth - 1);
			close(fd);
		}
	}
	for (unsigned i = 0; i < 4; i++) {
		random_path(target, 4);
		symlinkat(*target ? target : ".", at, links[i]);
	}
	symlinkat("loop", at, "loop");
	mknodat(at, "file", S_IFREG | 0644, 0);
}

static int kernel(int root, const char *path, int flags)
{
	struct open_how how = {.flags = (unsigned)flags, .resolve = RESOLVE_IN_ROOT | RESOLVE_NO_MAGICLINKS};
	int fd;

	/* EAGAIN: somebody on this machine renamed or mounted something during a ".." */
	do
		fd = (int)syscall(SYS_openat2, root, path, &how, sizeof(how));
	while (fd < 0 && errno == EAGAIN);
	return fd;
}

static bool equal(int root, const char *path, int flags)
{
	int want = kernel(root, path, flags), want_error = errno, got = path_walk(root, path, flags, 0), got_error = errno;
	struct stat a, b;
	bool same = (want < 0) == (got < 0) && (want < 0 ? want_error == got_error :
		!fstat(want, &a) && !fstat(got, &b) && a.st_ino == b.st_ino && a.st_dev == b.st_dev);

	if (!same)
		printf("# %s (%o): kernel %s, ours %s\n", path, flags, want < 0 ? strerror(want_error) : "opened",
		       got < 0 ? strerror(got_error) : "opened");
	if (want >= 0)
		close(want);
	if (got >= 0)
		close(got);
	return same;
}

static void test_random(const char *dir)
{
	static const int flags[] = {O_RDONLY | O_CLOEXEC, O_PATH | O_CLOEXEC, O_PATH | O_NOFOLLOW | O_CLOEXEC,
		O_RDONLY | O_DIRECTORY | O_CLOEXEC, O_RDONLY | O_NOFOLLOW | O_CLOEXEC};
	int root = open(dir, O_PATH | O_DIRECTORY), bad = 0, opened = 0, fd;
	char path[512];

	for (unsigned i = 0; i < 30000 && bad < 5; i++) {
		int how = flags[roll(5)];

		random_path(path, 7);
		bad += !equal(root, path, how);
		fd = path_walk(root, path, how, 0);
		opened += fd >= 0;
		if (fd >= 0)
			close(fd);
	}
	is_int(bad, 0, "30,000 random paths lead where the kernel's lead, or fail as they do");
	ok(opened > 3000 && opened < 27000, "... some to something, some not");
	close(root);
	root = open("/", O_PATH | O_DIRECTORY);
	ok(equal(root, "proc/self/exe", O_RDONLY | O_CLOEXEC), "a magic link of /proc is refused");
	ok(equal(root, "proc/self/root/etc", O_PATH | O_CLOEXEC), "... and one in the middle");
	ok(equal(root, "proc/self/status", O_PATH | O_CLOEXEC), "... and a link of names is not");
	ok(path_walk(root, "proc/self/fd/0", O_RDONLY, 0) < 0 && errno == ELOOP, "... and descriptors are");
	close(root);
}

static void test_making(const char *dir)
{
	int root = open(dir, O_PATH | O_DIRECTORY), fd;
	struct stat st;

	mkdirat(root, "new", 0755);
	symlinkat("/new/made", root, "new/link");
	fd = path_walk(root, "/../new/link", O_WRONLY | O_CREAT | O_CLOEXEC, 0640);
	ok(fd >= 0 && !fstatat(root, "new/made", &st, 0) && (st.st_mode & 07777) == 0640, "a file is made where a link leads");
	close(fd);
	ok(path_walk(root, "new/link", O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0640) < 0 && errno == EEXIST, "... but not a new one");
	close(root);
}

struct race {
	int base;
	atomic_bool stop;
};

/* root/a/b is moved out of root and back. */
static void *mover(void *ctx)
{
	struct race *r = ctx;

	while (!r->stop) {
		renameat(r->base, "root/a/b", r->base, "outside/b");
		renameat(r->base, "outside/b", r->base, "root/a/b");
	}
	return NULL;
}

/* Whether ".." from a directory below led to what is outside, in so many tries: by ours, or by the kernel's own. */
static bool escapes(int root, bool ours, unsigned tries)
{
	bool found = false;

	for (unsigned i = 0; i < tries && !found; i++) {
		int c = ours ? -1 : openat(root, "a/b/c", O_PATH | O_DIRECTORY);
		int fd = ours ? path_walk(root, "a/b/c/../../secret", O_PATH, 0) : openat(c, "../../secret", O_PATH);

		found = fd >= 0;
		if (fd >= 0)
			close(fd);
		if (c >= 0)
			close(c);
	}
	return found;
}

static void test_race(const char *dir)
{
	struct race r = {.base = open(dir, O_PATH | O_DIRECTORY)};
	pthread_t t;
	int root;

	mkdirat(r.base, "root", 0755);
	mkdirat(r.base, "root/a", 0755);
	mkdirat(r.base, "root/a/b", 0755);
	mkdirat(r.base, "root/a/b/c", 0755);
	mkdirat(r.base, "outside", 0755);
	mknodat(r.base, "outside/secret", S_IFREG | 0644, 0);
	root = openat(r.base, "root", O_PATH | O_DIRECTORY);
	pthread_create(&t, NULL, mover, &r);
	ok(!escapes(root, true, 20000), "a directory that is moved out meanwhile leads nowhere");
	ok(escapes(root, false, 10000000), "... where the kernel's own \"..\" does (control)");
	r.stop = true;
	pthread_join(t, NULL);
	close(root);
	close(r.base);
}

int main(void)
{
	char dir[] = "/tmp/tinybox-walk-XXXXXX", command[64];
	int at;

	if (!mkdtemp(dir))
		return 1;
	at = open(dir, O_RDONLY | O_DIRECTORY);
	grow(at, 4);
	close(at);
	test_random(dir);
	test_making(dir);
	test_race(dir);
	snprintf(command, sizeof(command), "rm -rf %s", dir);
	return system(command) | done();
}
