/*
 * sync - write files through. What is in a sandbox's memory has no further
 * place to go, but a mounted directory of the host has.
 */
#include "cmd/cmd.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>

#include "cmd/util.h"

struct sync {
	bool data, filesystem;
};

static const struct tsb_opt sync_opts[] = {
	TSB_OPT_FLAG(struct sync, data, 'd', "data", "sync only file data, no unneeded metadata"),
	TSB_OPT_FLAG(struct sync, filesystem, 'f', "file-system",
		     "sync the file systems that contain the files"),
	TSB_OPT_END
};

static bool sync_file(struct tsb_proc *p, const char *name)
{
	int fd = tsb_open(p, name, O_RDONLY | O_NONBLOCK, 0), err = fd;
	struct tsb_stat st;
	bool pipe;

	if (fd < 0)
		fd = tsb_open(p, name, O_WRONLY | O_NONBLOCK, 0);
	if (fd < 0) {
		tsb_warn_errno(p, err, "error opening %s", quote_af(p, name));
		return false;
	}
	err = tsb_fsync(p, fd);
	pipe = !tsb_fstat(p, fd, &st) && S_ISFIFO(st.mode);
	err = pipe ? -EINVAL : err;
	tsb_close(p, fd);
	/* As fsync(2): nothing to write through is a failure of a pipe, and of no file. */
	if (pipe || (err && err != -EINVAL && err != -ENOSYS && err != -EROFS)) {
		tsb_warn_errno(p, err, "error syncing %s", quote_af(p, name));
		return false;
	}
	return true;
}

static int sync_run(struct tsb_proc *p, void *opts, int argc, char **argv)
{
	const struct sync *s = opts;
	bool ok = true;

	if (s->data && s->filesystem) {
		tsb_warn(p, "cannot specify both --data and --file-system");
		return 1;
	}
	if (s->data && !argc) {
		tsb_warn(p, "--data needs at least one argument");
		return 1;
	}
	for (int i = 0; i < argc; i++)
		ok &= sync_file(p, argv[i]);
	return !ok;
}

const struct tsb_command cmd_sync = {
	CMD_COREUTILS, .name = "sync", .synopsis = "[OPTION] [FILE]...",
	.summary = "Synchronize cached writes to persistent storage",
	.opts = sync_opts, .opts_size = sizeof(struct sync), .run = sync_run,
};
