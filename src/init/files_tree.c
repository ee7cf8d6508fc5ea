/*
 * MKDIR, SYMLINK, REMOVE.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "init/path.h"
#include "init/work.h"

#define CANNOT "cannot "

/* what: CANNOT and the event of the audit log */
static void finish(struct conn *c, const char *what, const char *path, bool good)
{
	int error = good ? 0 : errno;

	if (good)
		work_ok(c);
	else
		work_fail(c, WIRE_ERROR_FILE, error, what, path, NULL);
	audit_path(c->s, what + sizeof(CANNOT) - 1, path, error);
}

static bool make_one(int root, char *path, mode_t mode)
{
	char *name;
	int dir = path_parent(root, path, &name);
	bool good = dir >= 0 && mkdirat(dir, name, mode) == 0;
	int error = errno;

	if (dir >= 0)
		close(dir);
	errno = error;
	return good;
}

static bool is_dir(int root, const char *path)
{
	int fd = path_open(root, path, O_PATH | O_DIRECTORY, 0);

	if (fd >= 0)
		close(fd);
	return fd >= 0;
}

/* Each directory on the way that is not there; one that is counts as made. */
bool make_all_dirs(int root, char *path, mode_t mode)
{
	for (char *at = path + 1;; at++) {
		char kept = *at;
		bool good;

		if (kept && kept != '/')
			continue;
		*at = '\0';
		good = is_dir(root, path) || make_one(root, path, mode) ||
			(errno == EEXIST && is_dir(root, path));
		*at = kept;
		if (!good)
			return false;
		if (!kept)
			return true;
	}
}

void work_mkdir(struct conn *c, const struct wire_frame *f)
{
	bool bad = false, parents = wire_number(wire_fields(f), WIRE_F_PARENTS, 0, &bad);
	mode_t mode = (mode_t)wire_number(wire_fields(f), WIRE_F_MODE, 0755, &bad) & 07777;
	char *path = work_path(c, f);

	if (!path)
		return;
	umask(0);
	finish(c, CANNOT "mkdir", path, parents ? make_all_dirs(c->s->root, path, mode) :
	       make_one(c->s->root, path, mode));
	free(path);
}

void work_symlink(struct conn *c, const struct wire_frame *f)
{
	bool bad = false;
	char *target = wire_string(wire_fields(f), WIRE_F_LINK, &bad);
	char *path = work_path(c, f), *name;
	int dir;

	if (path && (!target || !*target)) {
		work_fail(c, WIRE_ERROR_REQUEST, 0, "the link has no target", NULL, NULL);
	} else if (path) {
		dir = path_parent(c->s->root, path, &name);
		finish(c, CANNOT "symlink", path, dir >= 0 && symlinkat(target, dir, name) == 0);
	}
	free(path);
	free(target);
}

static bool remove_one(int dir, const char *name)
{
	return unlinkat(dir, name, 0) == 0 ||
		((errno == EISDIR || errno == EPERM) && unlinkat(dir, name, AT_REMOVEDIR) == 0);
}

void work_remove(struct conn *c, const struct wire_frame *f)
{
	bool bad = false, all = wire_number(wire_fields(f), WIRE_F_PARENTS, 0, &bad);
	char *path = work_path(c, f), *name;
	int dir;

	if (!path)
		return;
	dir = path_parent(c->s->root, path, &name);
	finish(c, CANNOT "remove", path, dir >= 0 &&
	       (all ? remove_tree(dir, name) : remove_one(dir, name)));
	free(path);
}
