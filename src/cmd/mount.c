/*
 * mount, mountpoint - what is mounted. Nothing can be mounted from inside: what
 * a sandbox sees is the caller's choice.
 */
#include "cmd/cmd.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>

#include "cmd/mounts.h"
#include "cmd/util.h"

enum { MOUNT_USAGE = 1, MOUNT_FAIL = 32 };

struct mount {
	bool all, bind, list, read_only, read_write, verbose, ignored;
	const char *types, *options, *target, *unused;
};

/* Those that ask for a change: it is refused with the rest. */
static int mount_opt_change(struct tsb_proc *p, void *opts, const struct tsb_opt *opt,
			    const char *arg)
{
	(void)p, (void)opt, (void)arg;
	((struct mount *)opts)->bind = true;
	return 0;
}

static int mount_opt_target(struct tsb_proc *p, void *opts, const struct tsb_opt *opt,
			    const char *arg)
{
	((struct mount *)opts)->target = arg;
	return mount_opt_change(p, opts, opt, arg);
}

static const struct tsb_opt mount_opts[] = {
	TSB_OPT_FLAG(struct mount, all, 'a', "all", "mount all filesystems mentioned in fstab"),
	TSB_OPT_FLAG(struct mount, bind, 'B', "bind", "mount a subtree somewhere else"),
	TSB_OPT_FLAG(struct mount, bind, 'M', "move", "move a subtree to some other place"),
	TSB_OPT_FLAG(struct mount, bind, 'R', "rbind",
		     "mount a subtree and all submounts somewhere else"),
	TSB_OPT_FLAG(struct mount, ignored, 'f', "fake", "dry run; skip the mount(2) syscall"),
	TSB_OPT_FLAG(struct mount, ignored, 'i', "internal-only", "don't call the mount.<type> helpers"),
	TSB_OPT_FLAG(struct mount, list, 'l', "show-labels", "show also filesystem labels"),
	TSB_OPT_FLAG(struct mount, ignored, 'n', "no-mtab", "don't write to /etc/mtab"),
	TSB_OPT_STR(struct mount, options, 'o', "options", "list",
		    "comma-separated list of mount options"),
	TSB_OPT_FLAG(struct mount, read_only, 'r', "read-only",
		     "mount the filesystem read-only (same as -o ro)"),
	TSB_OPT_STR(struct mount, types, 't', "types", "list", "limit the set of filesystem types"),
	TSB_OPT_FLAG(struct mount, verbose, 'v', "verbose", "say what is being done"),
	TSB_OPT_FLAG(struct mount, read_write, 'w', "rw",
		     "mount the filesystem read-write (default)"),
	TSB_OPT_HELP('h', NULL),
	TSB_OPT_VERSION('V', NULL),
	TSB_OPT_FLAG(struct mount, ignored, 'c', "no-canonicalize", "don't canonicalize paths"),
	TSB_OPT_FLAG(struct mount, ignored, 'F', "fork", "fork off for each device (use with -a)"),
	TSB_OPT_STR(struct mount, unused, 'T', "fstab", "path", "alternative file to /etc/fstab"),
	TSB_OPT_CALL_OPT(mount_opt_change, 0, 'm', "mkdir", "mode", "make the mount point"),
	TSB_OPT_STR(struct mount, unused, 0, "options-mode", "mode",
		    "what to do with options loaded from fstab"),
	TSB_OPT_STR(struct mount, unused, 0, "options-source", "source", "mount options source"),
	TSB_OPT_FLAG(struct mount, ignored, 0, "options-source-force",
		     "force use of options from fstab/mtab"),
	TSB_OPT_STR(struct mount, unused, 'O', "test-opts", "list",
		    "limit the set of filesystems (use with -a)"),
	TSB_OPT_CALL(mount_opt_change, 0, 0, "source", "src", "explicitly specifies source"),
	TSB_OPT_CALL(mount_opt_target, 0, 0, "target", "target", "explicitly specifies mountpoint"),
	TSB_OPT_STR(struct mount, unused, 0, "target-prefix", "path",
		    "specifies path used for all mountpoints"),
	TSB_OPT_FLAG(struct mount, read_write, 0, "read-write", "same as --rw"),
	TSB_OPT_STR(struct mount, unused, 'N', "namespace", "ns", "perform mount in another namespace"),
	TSB_OPT_CALL(mount_opt_change, 0, 'L', "label", "label", "synonym for LABEL=<label>"),
	TSB_OPT_CALL(mount_opt_change, 0, 'U', "uuid", "uuid", "synonym for UUID=<uuid>"),
	TSB_OPT_FLAG(struct mount, bind, 0, "make-shared", "mark a subtree as shared"),
	TSB_OPT_FLAG(struct mount, bind, 0, "make-slave", "mark a subtree as slave"),
	TSB_OPT_FLAG(struct mount, bind, 0, "make-private", "mark a subtree as private"),
	TSB_OPT_FLAG(struct mount, bind, 0, "make-unbindable", "mark a subtree as unbindable"),
	TSB_OPT_FLAG(struct mount, bind, 0, "make-rshared",
		     "recursively mark a whole subtree as shared"),
	TSB_OPT_FLAG(struct mount, bind, 0, "make-rslave", "recursively mark a whole subtree as slave"),
	TSB_OPT_FLAG(struct mount, bind, 0, "make-rprivate",
		     "recursively mark a whole subtree as private"),
	TSB_OPT_FLAG(struct mount, bind, 0, "make-runbindable",
		     "recursively mark a whole subtree as unbindable"),
	TSB_OPT_END
};

/* "tmpfs,proc" or "notmpfs,proc". */
static bool mount_type_in(const char *types, const char *type)
{
	bool not = types && !strncmp(types, "no", 2);
	const char *at = not ? types + 2 : types;

	if (!types)
		return true;
	while (at) {
		size_t n = strcspn(at, ",");

		if (strlen(type) == n && !strncmp(at, type, n))
			return !not;
		at = at[n] ? at + n + 1 : NULL;
	}
	return not;
}

static int mount_list(struct tsb_proc *p, const struct mount *o)
{
	struct mounts all;

	mounts_read(p, &all);
	for (size_t i = 0; i < all.n; i++)
		if (mount_type_in(o->types, all.at[i].type))
			tsb_printf(p, "%s on %s type %s (%s)\n", all.at[i].source, all.at[i].target,
				   all.at[i].type, all.at[i].options);
	return 0;
}

static int mount_run(struct tsb_proc *p, void *opts, int argc, char **argv)
{
	const struct mount *o = opts;
	const char *where = argc ? argv[argc - 1] : o->target ? o->target : "/";
	struct tsb_stat st;

	if (!argc && !o->all && !o->bind && !o->options)
		return mount_list(p, o);
	if (argc > 2)
		return tsb_usage(p, "bad usage");
	if (!o->all && argc == 2 && tsb_stat(p, where, &st)) {
		tsb_warn(p, "%s: mount point does not exist.", where);
		return MOUNT_FAIL;
	}
	tsb_warn(p, "%s: must be superuser to use mount.", where);
	where = "mount: not available in this sandbox: it needs a kernel of its own; use the files that "
		"the caller has put here instead\n";
	tsb_write_all(p, 2, where, strlen(where));
	return MOUNT_FAIL;
}

const struct tsb_command cmd_mount = {
	.version = TSB_COMMAND_VERSION, .package = "util-linux", .package_version = "2.38.1",
	.name = "mount", .synopsis = "[-lhV]\n-a [options]\n[options] <source> <directory>",
	.summary = "Mount a filesystem; without arguments, list what is mounted.",
	.opts = mount_opts, .opts_size = sizeof(struct mount), .run = mount_run,
	.usage_status = MOUNT_USAGE,
};

/* ---- mountpoint ---- */

struct mountpoint {
	bool quiet, no_follow, fs_device, device;
};

static const struct tsb_opt mountpoint_opts[] = {
	TSB_OPT_FLAG(struct mountpoint, quiet, 'q', "quiet", "quiet mode - don't print anything"),
	TSB_OPT_FLAG(struct mountpoint, no_follow, 0, "nofollow", "do not follow symlink"),
	TSB_OPT_FLAG(struct mountpoint, fs_device, 'd', "fs-devno",
		     "print maj:min device number of the filesystem"),
	TSB_OPT_FLAG(struct mountpoint, device, 'x', "devno",
		     "print maj:min device number of the block device"),
	TSB_OPT_HELP('h', NULL),
	TSB_OPT_VERSION('V', NULL),
	TSB_OPT_END
};

static int mountpoint_run(struct tsb_proc *p, void *opts, int argc, char **argv)
{
	const struct mountpoint *o = opts;
	struct tsb_stat st;
	struct mounts all;
	char *path;
	int err;

	if (argc != 1)
		return tsb_usage(p, "bad usage");
	if (o->no_follow && o->device) {
		tsb_warn(p, "--devno and --nofollow are mutually exclusive");
		return 1;
	}
	err = o->no_follow ? tsb_lstat(p, argv[0], &st) : tsb_stat(p, argv[0], &st);
	if (err < 0) {
		if (!o->quiet)
			tsb_warn_errno(p, err, "%s", argv[0]);
		return 1;
	}
	if (o->device) {
		if (!o->quiet)
			tsb_warn(p, "%s: not a block device", argv[0]);
		return 32;
	}
	mounts_read(p, &all);
	if (tsb_realpath(p, argv[0], TSB_REAL_ALL_EXIST, &path) || !mounts_find(&all, path) ||
	    (o->no_follow && S_ISLNK(st.mode))) {
		if (!o->quiet)
			tsb_printf(p, "%s is not a mountpoint\n", argv[0]);
		return 32;
	}
	if (o->fs_device)
		tsb_printf(p, "%llu:%llu\n", (unsigned long long)st.dev >> 8 & 0xfff,
			   (unsigned long long)st.dev & 0xff);
	else if (!o->quiet)
		tsb_printf(p, "%s is a mountpoint\n", argv[0]);
	return 0;
}

const struct tsb_command cmd_mountpoint = {
	.version = TSB_COMMAND_VERSION, .package = "util-linux", .package_version = "2.38.1",
	.name = "mountpoint", .synopsis = "[-qd] </path/to/directory>\n-x </dev/device>",
	.summary = "Check whether a directory or file is a mountpoint.", .opts = mountpoint_opts,
	.opts_size = sizeof(struct mountpoint), .run = mountpoint_run,
};
