/*
 * Devices of the host that a box was given by name. The host's root makes nodes of the box's user's own, in the state directory,
 * as the range of ids has no rights to the host's; an ordinary user's box gets the host's, to which its user has its rights.
 * Character devices only: a block device is a disk, with what all its users keep there.
 */
#include "init/wall_in.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#define NODES "nodes"	/* in the state directory */

static const char missing[] = "a device that the box was to be given is none of this machine's character devices";

static bool make_node(const struct wall *w, int nodes, size_t i)
{
	char name[16];
	struct stat st;

	snprintf(name, sizeof(name), "%zu", i);
	if (stat(w->spec->devices[i], &st))
		return false;
	if (!S_ISCHR(st.st_mode)) {
		errno = ENODEV;
		return false;
	}
	unlinkat(nodes, name, 0);
	return !mknodat(nodes, name, S_IFCHR | 0600, st.st_rdev) &&
		!fchownat(nodes, name, w->out_uid, w->out_gid, AT_SYMLINK_NOFOLLOW);
}

int wall_nodes(const struct wall *w, const char **why)
{
	int dir = open(w->spec->dir, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	int nodes = dir < 0 ? -1 : tree_dir(dir, NODES, 0755), tree = -1;
	struct statvfs fs;

	*why = "the nodes of the box's devices cannot be made in the state directory";
	if (nodes >= 0 && !fstatvfs(nodes, &fs) && fs.f_flag & ST_NODEV) {
		*why = "the state directory is on a file system without devices (nodev): choose another (--store)";
		close(nodes);
		nodes = -1;
		errno = EACCES;
	}
	for (size_t i = 0; nodes >= 0 && w->spec->devices[i]; i++) {
		if (make_node(w, nodes, i))
			continue;
		*why = missing;
		close(nodes);
		nodes = -1;
	}
	if (nodes >= 0) {
		tree = tree_open(nodes, "", TREE_DEVICES | TREE_NOEXEC);
		close(nodes);
	}
	if (dir >= 0)
		close(dir);
	return tree;
}

/* A file to mount on, at the device's place below dev; *last is its name in the directory that is returned. */
static int make_place(int dev, const char *path, const char **last)
{
	const char *name = path + strlen("/dev/"), *slash = strrchr(name, '/');
	char above[256];
	int at;

	*last = slash ? slash + 1 : name;
	snprintf(above, sizeof(above), "%.*s", slash ? (int)(slash - name) : 1, slash ? name : ".");
	at = tree_dir(dev, above, 0755);
	if (at >= 0 && mknodat(at, *last, S_IFREG | 0666, 0) && errno != EEXIST) {
		close(at);
		return -1;
	}
	return at;
}

const char *wall_put_nodes(const struct wall *w, int dev, int stage)
{
	const char *const *device = w->spec->devices, *last;
	char own[64];
	struct stat st;
	bool ok = true;

	/* as an ordinary user, who is the same inside */
	for (size_t i = 0; !w->range && device[i]; i++) {
		if (access(device[i], R_OK) && errno == EACCES)
			return "a device that the box was to be given is not for this user: ls -l /dev says whose it is "
				"(sudo usermod -aG GROUP USER, and log in again)";
	}
	if (w->range && (mkdirat(stage, NODES, 0755) || !tree_put_at(w->tree[WALL_NODES], stage, NODES)))
		return "the box's devices cannot be mounted";
	for (size_t i = 0; ok && device[i]; i++) {
		int at = make_place(dev, device[i], &last);

		snprintf(own, sizeof(own), "/proc/self/fd/%d/" NODES "/%zu", stage, i);
		ok = at >= 0 && !fchdir(at) && !mount(w->range ? own : device[i], last, NULL, MS_BIND, NULL) &&
			!fstatat(at, last, &st, AT_SYMLINK_NOFOLLOW) && S_ISCHR(st.st_mode);
		if (at >= 0)
			close(at);
	}
	return ok ? NULL : missing;
}
