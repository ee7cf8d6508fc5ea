/*
 * The root of a box and what is mounted below it. Every mount is made detached, gets its flags, and
 * only then its place, which is found through a descriptor of the new root without following a link.
 * The last step leaves the old root.
 */
#include "init/wall_in.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/openat2.h>
#include <stdio.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

/* The caller's directory: no part of its path may be a link, which a box could turn elsewhere. */
static int open_source(const char *path)
{
	struct open_how how = {.flags = O_PATH | O_DIRECTORY | O_CLOEXEC,
		.resolve = RESOLVE_NO_SYMLINKS | RESOLVE_NO_MAGICLINKS};

	return (int)syscall(SYS_openat2, AT_FDCWD, path, &how, sizeof(how));
}

static int source_tree(const char *path, int flags)
{
	int dir = open_source(path);
	int tree = dir < 0 ? -1 : tree_open(dir, "", flags);
	int saved = errno;

	if (dir >= 0)
		close(dir);
	errno = saved;
	return tree;
}

static const char *store_name(const struct wall *w)
{
	return w->spec->root ? "overlay" : "root";
}

const char *wall_store(const struct wall *w)
{
	const char *const *name, *const below[] = {"upper", "work", "lower", NULL};
	const struct spec *s = w->spec;
	int dir, store;
	bool ok;

	if (s->disk)
		return NULL;
	dir = open_source(s->dir);
	if (dir < 0)
		return "the state directory cannot be opened (its path may have no symbolic link)";
	store = tree_dir(dir, store_name(w), 0755);
	ok = store >= 0;
	for (name = below; ok && s->root && *name; name++)
		ok = tree_make_dir(store, *name, 0755);
	if (w->range) {
		ok = ok && !fchownat(store, "", WALL_BASE, WALL_BASE, AT_EMPTY_PATH);
		for (name = below; ok && s->root && *name; name++)
			ok = !fchownat(store, *name, WALL_BASE, WALL_BASE, AT_SYMLINK_NOFOLLOW);
	}
	if (store >= 0)
		close(store);
	close(dir);
	return ok ? NULL : "the box's directories cannot be made in the state directory";
}

static int store_tree(const struct wall *w)
{
	int dir = open_source(w->spec->dir);
	int tree = dir < 0 ? -1 : tree_open(dir, store_name(w), 0);

	if (dir >= 0)
		close(dir);
	return tree;
}

const char *wall_trees(const struct wall *w, int userns, int *tree)
{
	const struct spec *s = w->spec;

	if (!s->disk) {
		tree[WALL_STORE] = store_tree(w);
		if (tree[WALL_STORE] < 0)
			return "the box's root in the state directory cannot be mounted";
	}
	if (s->root) {
		tree[WALL_LOWER] = source_tree(s->root, TREE_READONLY);
		if (tree[WALL_LOWER] < 0)
			return "the root directory cannot be mounted (its path may have no symbolic link)";
		if (tree_idmap(tree[WALL_LOWER], userns))
			return "the root directory's file system has no id-mapped mounts";
	}
	if (s->workspace) {
		tree[WALL_WORKSPACE] = source_tree(s->workspace, TREE_RECURSIVE |
						   (s->readonly ? TREE_READONLY : 0));
		if (tree[WALL_WORKSPACE] < 0)
			return "the workspace cannot be mounted (its path may have no symbolic link)";
	}
	return NULL;
}

/* A mount of the new root needs a place in the old one; its own stays covered until it is left. */
static bool stage(int tree)
{
	static const char *const place[] = {"/tmp", "/usr", "/etc", "/"};

	for (size_t i = 0; i < sizeof(place) / sizeof(*place); i++) {
		if (!move_mount(tree, "", AT_FDCWD, place[i], MOVE_MOUNT_F_EMPTY_PATH))
			return true;
	}
	return false;
}

static int sized(uint64_t size)
{
	char text[24];
	struct tree_option o[] = {{"size", text}, {"mode", "755"}};

	snprintf(text, sizeof(text), "%llu", (unsigned long long)size);
	return tree_new("tmpfs", o, 2, 0);
}

static const char *open_store(struct wall *w, int *store)
{
	*store = w->tree[WALL_STORE];
	if (w->spec->disk)
		*store = sized(w->spec->disk);
	else if (*store < 0)
		*store = store_tree(w);
	if (*store < 0)
		return "the box's root cannot be mounted";
	if (!stage(*store))
		return "the box's root cannot be attached";
	return NULL;
}

/* Paths for overlayfs, which takes names: a descriptor's is free of characters it would split at. */
static void fd_path(char *path, size_t size, int fd)
{
	snprintf(path, size, "/proc/self/fd/%d", fd);
}

static const char *make_overlay(struct wall *w, int store, int *root)
{
	char lower[40], upper[40], work[40];
	struct tree_option o[] = {{"lowerdir", lower}, {"upperdir", upper}, {"workdir", work},
		{"userxattr", NULL}};
	int tree = w->tree[WALL_LOWER], l, u, k;

	if (tree < 0)
		tree = source_tree(w->spec->root, TREE_READONLY | TREE_RECURSIVE);
	if (tree < 0)
		return "the root directory cannot be mounted (its path may have no symbolic link)";
	l = tree_dir(store, "lower", 0755);
	u = tree_dir(store, "upper", 0755);
	k = tree_dir(store, "work", 0755);
	if (l < 0 || u < 0 || k < 0 || !tree_put_on(tree, l))
		return "the layers of the box's root cannot be attached";
	fd_path(lower, sizeof(lower), tree);
	fd_path(upper, sizeof(upper), u);
	fd_path(work, sizeof(work), k);
	*root = tree_new("overlay", o, 4, 0);
	if (*root < 0)
		return "an overlay of the root directory cannot be mounted (Linux 5.11 can; layers "
			"on overlayfs or NFS cannot be written)";
	close(l);
	close(u);
	close(k);
	close(tree);
	return stage(*root) ? NULL : "the box's root cannot be attached";
}

/* /bin and its like: links on most systems, directories on others. */
static const char *top_level(int root)
{
	static const char *const name[] = {"bin", "sbin", "lib", "lib32", "lib64", "libx32", "nix",
		"gnu"};

	for (size_t i = 0; i < sizeof(name) / sizeof(*name); i++) {
		char path[16], target[256];
		ssize_t n;
		int tree;

		snprintf(path, sizeof(path), "/%s", name[i]);
		n = readlink(path, target, sizeof(target) - 1);
		if (n < 0 && errno == ENOENT)
			continue;
		if (n >= 0) {
			target[n] = 0;
			if (!tree_link(root, name[i], target))
				return "the links of / cannot be made";
			continue;
		}
		tree = tree_open(AT_FDCWD, path, TREE_READONLY | TREE_RECURSIVE);
		if (tree < 0 || !tree_make_dir(root, name[i], 0755) || !tree_put(tree, root, name[i]))
			return "the host's directories of programs cannot be mounted";
		close(tree);
	}
	return NULL;
}

static const char *host_usr(const struct wall *w, int root)
{
	static const struct {
		const char *name;
		mode_t mode;
	} dir[] = {{"usr", 0755}, {"etc", 0755}, {"var", 0755}, {"var/tmp", 01777},
		{"var/lib", 0755}, {"var/log", 0755}, {"var/cache", 0755}, {"home", 0755},
		{"root", 0700}, {"mnt", 0755}, {"opt", 0755}, {"srv", 0755}};
	const char *why;
	int usr;

	for (size_t i = 0; i < sizeof(dir) / sizeof(*dir); i++) {
		if (!tree_make_dir(root, dir[i].name, dir[i].mode))
			return "the directories of / cannot be made";
	}
	usr = tree_open(AT_FDCWD, "/usr", TREE_READONLY | TREE_RECURSIVE);
	if (usr < 0 || !tree_put(usr, root, "usr"))
		return "the host's /usr cannot be mounted";
	close(usr);
	tree_link(root, "var/run", "/run");
	tree_link(root, "var/lock", "/run/lock");
	why = top_level(root);
	return why ? why : wall_etc(w, root);
}

static const char *workspace(struct wall *w, int root)
{
	const struct spec *s = w->spec;
	int tree = w->tree[WALL_WORKSPACE];

	if (tree < 0)
		tree = source_tree(s->workspace, TREE_RECURSIVE |
				   (s->readonly ? TREE_READONLY : 0));
	if (tree < 0)
		return "the workspace cannot be mounted (its path may have no symbolic link)";
	if (!tree_make_dir(root, w->target, 0755) || !tree_put(tree, root, w->target))
		return "the workspace cannot be attached at its target";
	close(tree);
	return NULL;
}

static const char *leave_old_root(int root)
{
	if (fchdir(root) || syscall(SYS_pivot_root, ".", ".") || umount2(".", MNT_DETACH) ||
	    chdir("/"))
		return "the old root cannot be left";
	return NULL;
}

static const char *fill(struct wall *w, int root)
{
	static const char *const dir[] = {"dev", "proc", "sys", "run", "run/lock"};
	const char *why = w->spec->root ? wall_etc(w, root) : host_usr(w, root);

	for (size_t i = 0; !why && i < sizeof(dir) / sizeof(*dir); i++) {
		if (!tree_make_dir(root, dir[i], 0755))
			why = "the directories of / cannot be made";
	}
	if (!why && !tree_make_dir(root, "tmp", 01777))
		why = "the directories of / cannot be made";
	why = why ? why : wall_devices(w, root);
	why = why ? why : wall_proc(w, root);
	if (!why && w->spec->workspace)
		why = workspace(w, root);
	return why;
}

const char *wall_mounts(struct wall *w)
{
	const char *why;
	int store, root;

	if (mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL))
		return "mounts cannot be changed in a user namespace (AppArmor's restriction? "
			"`tinybox doctor` says what to do)";
	why = open_store(w, &store);
	if (why)
		return why;
	root = store;
	if (w->spec->root)
		why = make_overlay(w, store, &root);
	why = why ? why : fill(w, root);
	return why ? why : leave_old_root(root);
}
