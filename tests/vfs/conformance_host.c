/* The suite on a directory of the host, one that is new for each filesystem. */
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "conformance.h"

static int drop(const char *path, const struct stat *st, int flag, struct FTW *ftw)
{
	(void)st;
	(void)flag;
	(void)ftw;
	return remove(path);
}

struct tree {
	char path[64];
	unsigned made;
};

static struct tsb_fs *make(void *ctx, const struct tsb_mem_options *quota)
{
	struct tree *t = ctx;
	char path[96];
	int fd;

	snprintf(path, sizeof(path), "%s/%u", t->path, t->made++);
	if (mkdir(path, quota->root_mode & 0777))
		return NULL;
	chmod(path, quota->root_mode & 0777);
	fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	return fd < 0 ? NULL : tsb_host_new(fd);
}

int main(void)
{
	struct tree t = { "/tmp/tinysandbox-host.XXXXXX", 0 };
	int failed;

	umask(0);
	if (!mkdtemp(t.path))
		return 1;
	failed = tsb_conformance(make, &t, TSB_LACKS_HOLES | TSB_LACKS_QUOTA | TSB_LACKS_OWNERS |
				 TSB_LACKS_BRANCH | TSB_LACKS_CLOCK, NULL);
	nftw(t.path, drop, 16, FTW_DEPTH | FTW_PHYS);
	return failed != 0;
}
