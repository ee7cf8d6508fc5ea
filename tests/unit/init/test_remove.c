/* One tree, removed by several processes at once: each says that it is gone, and it is. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "init/work.h"
#include "tap.h"

enum { ROUNDS = 100, REMOVERS = 3, WIDE = 4, DEEP = 3 };

static void fill(int dir, int deep)
{
	for (int i = 0; i < WIDE; i++) {
		char name[2] = { (char)('a' + i), '\0' }, inner[2] = { (char)('A' + i), '\0' };
		int fd = openat(dir, name, O_CREAT | O_WRONLY | O_CLOEXEC, 0600);

		if (fd < 0)
			exit(1);
		close(fd);
		if (!deep || mkdirat(dir, inner, 0700))
			continue;
		fd = openat(dir, inner, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
		fill(fd, deep - 1);
		close(fd);
	}
}

/* How many of them failed. */
static int remove_together(int at)
{
	pid_t pid[REMOVERS];
	int failed = 0, status;

	for (int i = 0; i < REMOVERS; i++) {
		pid[i] = fork();
		if (!pid[i])
			_exit(remove_tree(at, "tree") || errno == ENOENT ? 0 : 1);
	}
	for (int i = 0; i < REMOVERS; i++)
		failed += waitpid(pid[i], &status, 0) != pid[i] || status != 0;
	return failed;
}

int main(void)
{
	char place[] = "/tmp/tinybox-test-remove-XXXXXX";
	int at, tree, failed = 0, left = 0;

	if (!mkdtemp(place) || (at = open(place, O_RDONLY | O_DIRECTORY | O_CLOEXEC)) < 0)
		return 1;
	for (int i = 0; i < ROUNDS; i++) {
		if (mkdirat(at, "tree", 0700))
			return 1;
		tree = openat(at, "tree", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
		fill(tree, DEEP);
		close(tree);
		failed += remove_together(at);
		left += !faccessat(at, "tree", F_OK, 0) && remove_tree(at, "tree");
	}
	is_int(failed, 0, "nobody failed");
	is_int(left, 0, "nothing was left");
	close(at);
	rmdir(place);
	return done();
}
