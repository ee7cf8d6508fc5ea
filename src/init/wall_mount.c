/*
 * The root of a box and what is mounted below it: an overlay of what the box writes (on disk), a small
 * skeleton (in memory) and a root directory, if one was given; otherwise the host's /usr is mounted in
 * it. Files are not made on disk, as that can take a hundred times longer. Every mount is made detached, gets its flags, and
 * only then its place, which is found through a descriptor of the new root without following a link.
 * The last step leaves the old root.
 */
#include "init/wall_in.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "reach/reach.h"

#define STORE "overlay"	/* in the state directory */

/* The caller's directory: no part of its path may be a link, which a box could turn elsewhere. */
static int open_source(const char *path)
{
	return reach_open(AT_FDCWD, path, O_PATH | O_DIRECTORY, 0, REACH_HOST);
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

/*
 * The mark of an overlay that was there before refuses the next; nobody but overlayfs writes below
 * `work`, and it gives that no rights at all.
 */
static void drop_mark(int store)
{
	if (!unlinkat(store, "work/work/incompat/volatile/dirty", 0)) {
		unlinkat(store, "work/work/incompat/volatile", AT_REMOVEDIR);
		unlinkat(store, "work/work/incompat", AT_REMOVEDIR);
	} else if (errno == EACCES) {
		tree_remove(store, "work");
	}
}

/* Whether what it writes to its root is kept in memory: as a limit of the disk, or as nobody needs it. */
static bool wall_in_memory(const struct wall *w)
{
	const struct spec *s = w->spec;

	if (s->disk)
		return w->disk < 0;
	/* what counts as its memory may not grow by what it writes */
	return s->transient && !s->memory;
}

/* Where the box's layer is; takes the descriptor. */
static bool fill_store(const struct wall *w, int store)
{
	static const char *const below[] = {"upper", "work"};
	bool ok;

	if (store >= 0)
		drop_mark(store);
	/* where the box has left no room, the overlay gets what its last one had, once the journal is written */
	if (store >= 0 && w->disk >= 0 && tree_remove(store, "work"))
		syncfs(store);
	ok = store >= 0 && (!w->range || !fchownat(store, "", WALL_BASE, WALL_BASE, AT_EMPTY_PATH));
	for (size_t i = 0; ok && i < 2; i++)
		ok = tree_make_dir(store, below[i], 0755) && (!w->range ||
		     !fchownat(store, below[i], WALL_BASE, WALL_BASE, AT_SYMLINK_NOFOLLOW));
	if (store >= 0)
		close(store);
	return ok;
}

const char *wall_store(struct wall *w)
{
	int dir;
	bool ok = true;

	if (!w->spec->disk && wall_in_memory(w))
		return NULL;
	dir = open_source(w->spec->dir);
	if (dir < 0)
		return "the state directory cannot be opened (its path may have no symbolic link)";
	w->disk = wall_disk(w, dir);
	if (w->disk >= 0)
		ok = fill_store(w, openat(w->disk, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
	else if (!w->spec->disk)
		ok = fill_store(w, tree_dir(dir, STORE, 0755));
	else if (!w->spec->transient && w->spec->kind == SPEC_NAMESPACE && wall_disk_there(dir))
		ok = false;
	close(dir);
	if (ok)
		return NULL;
	return w->spec->disk ? "the file system in the box's file (disk, in the state directory) cannot be mounted" :
		"the box's directories cannot be made in the state directory";
}

static int store_tree(const struct wall *w)
{
	int dir = open_source(w->spec->dir);
	int tree = dir < 0 ? -1 : tree_open(dir, STORE, 0);

	if (dir >= 0)
		close(dir);
	return tree;
}

/* Devices work in its /dev alone. */
static bool shared_trees(const struct wall *w, int *tree)
{
	int dir = open_source(w->shared);

	if (dir < 0)
		return false;
	tree[WALL_SHARED] = tree_open(dir, "", TREE_READONLY);
	tree[WALL_DEV] = tree_open(dir, "dev", TREE_READONLY | TREE_NOEXEC | TREE_DEVICES);
	close(dir);
	return tree[WALL_SHARED] >= 0 && tree[WALL_DEV] >= 0;
}

const char *wall_trees(const struct wall *w, int userns, int *tree)
{
	const struct spec *s = w->spec;

	if (!wall_in_memory(w)) {
		tree[WALL_STORE] = w->disk >= 0 ? fcntl(w->disk, F_DUPFD_CLOEXEC, 3) : store_tree(w);
		if (tree[WALL_STORE] < 0)
			return "the box's root in the state directory cannot be mounted";
	}
	if (s->root) {
		tree[WALL_LOWER] = source_tree(s->root, TREE_READONLY |
					       (userns < 0 ? TREE_RECURSIVE : 0));
		if (tree[WALL_LOWER] < 0)
			return "the root directory cannot be mounted (its path may have no symbolic link)";
		if (userns >= 0 && tree_idmap(tree[WALL_LOWER], userns))
			return "the root directory's file system has no id-mapped mounts";
	}
	if (spec_has_layers(s)) {
		tree[WALL_LAYERS] = source_tree(s->layers, TREE_READONLY);
		if (tree[WALL_LAYERS] < 0)
			return "the directory of layers cannot be mounted (its path may have no symbolic "
				"link)";
	}
	if (w->shared && !shared_trees(w, tree))
		return "what boxes share cannot be mounted";
	if (s->kvm) {
		tree[WALL_KVM] = tree_open(AT_FDCWD, s->kvm, TREE_DEVICES | TREE_NOEXEC);
		if (tree[WALL_KVM] < 0)
			return "the machine's /dev/kvm cannot be mounted";
	}
	if (s->devices && s->devices[0] && w->range) {
		const char *why;

		tree[WALL_NODES] = wall_nodes(w, &why);
		if (tree[WALL_NODES] < 0)
			return why;
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
static const char *const place[] = {"/tmp", "/usr", "/etc", "/"};

static bool stage(int tree)
{
	for (size_t i = 0; i < sizeof(place) / sizeof(*place); i++) {
		if (!move_mount(tree, "", AT_FDCWD, place[i], MOVE_MOUNT_F_EMPTY_PATH))
			return true;
	}
	return false;
}

/* The same for a file system whose layers are named in the working directory; its root, or -1. */
static int stage_new(const char *type, const char *options)
{
	for (size_t i = 0; i < sizeof(place) / sizeof(*place); i++) {
		if (!mount(type, place[i], type, MS_NOSUID | MS_NODEV, options))
			return open(place[i], O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	}
	return -1;
}

static int sized(uint64_t size)
{
	char text[24], inodes[24];
	const struct tree_option o[] = {{"mode", "755"}, {"size", text}, {"nr_inodes", inodes}};

	/* empty files have no size, and yet they take memory */
	snprintf(text, sizeof(text), "%llu", (unsigned long long)size);
	snprintf(inodes, sizeof(inodes), "%llu", (unsigned long long)size / 4096 + 4096);
	return tree_new("tmpfs", o, 3, 0);
}

static const char *const top_name[] = {"/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32", "/nix",
	"/gnu"};
#define TOP_NAMES (sizeof(top_name) / sizeof(*top_name))

uint32_t wall_top_there(void)
{
	uint32_t there = 0;
	struct stat st;

	for (size_t i = 0; i < TOP_NAMES; i++)
		there |= (uint32_t)(!lstat(top_name[i], &st) && !S_ISLNK(st.st_mode)) << i;
	return there;
}

size_t wall_top_names(const char *const **path)
{
	*path = top_name;
	return TOP_NAMES;
}

bool wall_put(const struct wall *w, int tree, int root, const char *path)
{
	return w->ours ? tree_put_at(tree, root, path) : tree_put(tree, root, path);
}

/* /bin and its like: links on most systems, directories, to be mounted, on others. */
static const char *top_level(const struct wall *w, int root, bool mounts)
{
	for (size_t i = 0; i < TOP_NAMES; i++) {
		const char *path = top_name[i], *name = path + 1;
		char target[256];
		ssize_t n;
		int tree;

		if (mounts && !(w->host_has.top >> i & 1))
			continue;
		n = readlink(path, target, sizeof(target) - 1);
		if (n < 0 && errno == ENOENT)
			continue;
		if (n >= 0) {
			target[n] = 0;
			if (!mounts && !wall_link(w, root, name, target))
				return "the links of / cannot be made";
			continue;
		}
		if (!mounts)
			continue;
		tree = tree_open(AT_FDCWD, path, TREE_READONLY | TREE_RECURSIVE);
		if (tree < 0 || !tree_put(tree, root, name))
			return "the host's directories of programs cannot be mounted";
		close(tree);
	}
	return NULL;
}

/* What a root has before anything is mounted in it, or written by the box. */
static bool make_dir(const struct wall *w, int root, const char *path, mode_t mode)
{
	/* in a new tmpfs there are no links to follow */
	if (w->fresh && !mkdirat(root, path, mode))
		return true;
	return tree_make_dir(root, path, mode);
}

bool wall_link(const struct wall *w, int root, const char *path, const char *target)
{
	if (w->fresh && !symlinkat(target, root, path))
		return true;
	return tree_link(root, path, target);
}

static bool make_dirs(const struct wall *w, int root)
{
	static const struct {
		const char *name;
		mode_t mode;
		bool always;
	} dir[] = {{"dev", 0755, true}, {"proc", 0755, true}, {"sys", 0755, true},
		{"run", 0755, true}, {"run/lock", 0755, true}, {"tmp", 01777, true},
		{"etc", 0755, true}, {"usr", 0755, false}, {"var", 0755, false},
		{"var/tmp", 01777, false}, {"var/lib", 0755, false}, {"var/log", 0755, false},
		{"var/cache", 0755, false}, {"home", 0755, false}, {"root", 0700, false},
		{"mnt", 0755, false}, {"opt", 0755, false}, {"srv", 0755, false},
		{"sys/devices", 0755, true}, {"sys/devices/system", 0755, true},
		{"sys/devices/system/cpu", 0755, true}};

	for (size_t i = 0; i < sizeof(dir) / sizeof(*dir); i++) {
		if ((dir[i].always || !w->spec->root) &&
		    !make_dir(w, root, dir[i].name, dir[i].mode))
			return false;
	}
	return true;
}

const char *wall_common(const struct wall *w, int root)
{
	const char *why;

	if (!make_dirs(w, root))
		return "the directories of / cannot be made";
	if (!wall_etc_no_names(w, root))
		return "the box's /etc cannot be filled";
	if (w->spec->root)
		return NULL;
	if (!wall_link(w, root, "var/run", "/run") || !wall_link(w, root, "var/lock", "/run/lock"))
		return "the links of / cannot be made";
	why = top_level(w, root, false);
	return why ? why : wall_etc_shared(w, root);
}

/* What a root has before anything is mounted in it, or written by the box. */
static const char *skeleton(const struct wall *w, int root)
{
	const char *why = w->base ? NULL : wall_common(w, root);

	if (why)
		return why;
	if ((w->spec->workspace || w->spec->target) && !make_dir(w, root, w->target + 1, 0755))
		return "the workspace's target cannot be made";
	return wall_etc(w, root);
}

/* The skeleton's are real directories already: where a stopped box left a link, a mount would follow it. */
static bool top_places(int root)
{
	struct stat st;
	bool ok = true;

	for (size_t i = 0; ok && i < TOP_NAMES; i++)
		ok = lstat(top_name[i], &st) || S_ISLNK(st.st_mode) || tree_make_dir(root, top_name[i] + 1, 0755);
	return ok;
}

const char *wall_plain_root(struct wall *w)
{
	int dir = open(w->spec->dir, O_PATH | O_DIRECTORY | O_CLOEXEC);
	int root = dir < 0 ? -1 : tree_dir(dir, STORE "/upper", 0755);
	const char *why = root < 0 ? "the box's directory cannot be made in the state directory" : NULL;

	why = why ? why : skeleton(w, root);
	if (!why && !top_places(root))
		why = "the directories of / cannot be made";
	if (root >= 0)
		close(root);
	if (dir >= 0)
		close(dir);
	return why;
}

static const char *host_usr(const struct wall *w, int root)
{
	int usr = tree_open(AT_FDCWD, "/usr", TREE_READONLY | TREE_RECURSIVE);
	const char *why;

	if (usr < 0 || !wall_put(w, usr, root, "usr"))
		return "the host's /usr cannot be mounted";
	close(usr);
	why = top_level(w, root, true);
	return why ? why : wall_etc_mounts(w, root);
}

static const char *workspace(const struct wall *w, int root)
{
	int tree = w->tree[WALL_WORKSPACE];

	if (!tree_put(tree, root, w->target))
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

/* What is mounted in the new root. */
static const char *fill(struct wall *w, int at, int root)
{
	const char *why = w->spec->root ? NULL : host_usr(w, root);

	why = why ? why : wall_devices(w, at, root);
	why = why ? why : wall_proc(w, root);
	if (!why && w->spec->workspace)
		why = workspace(w, root);
	return why;
}

/*
 * Paths for overlayfs, which takes names: a descriptor's is free of characters it would split at.
 * Volatile: without it the end of a box waits until the whole file system below is written to disk.
 */
static int overlay(const struct wall *w, const int *lower, size_t count, int store)
{
	char upper[40], work[40];
	/* in memory nothing is synced */
	struct tree_option o[] = {{"upperdir", upper}, {"workdir", work}, {"userxattr", NULL},
		{"volatile", NULL}};
	size_t options = wall_in_memory(w) ? 3 : 4;
	int u = tree_dir(store, "upper", 0755), k = tree_dir(store, "work", 0755), tree = -1;

	snprintf(upper, sizeof(upper), "/proc/self/fd/%d", u);
	snprintf(work, sizeof(work), "/proc/self/fd/%d", k);
	if (u >= 0 && k >= 0)
		tree = tree_overlay(lower, count, o, options);
	if (u >= 0)
		close(u);
	if (k >= 0)
		close(k);
	return tree;
}

/* Attaches a tree at a new directory of the stage. */
static bool put_in_stage(int tree, int at, const char *name)
{
	return tree >= 0 && !mkdirat(at, name, 0755) && tree_put_at(tree, at, name);
}

/* Where the box's layer is: a file system of that size, a directory of the stage, or the state directory's. */
static int open_store(struct wall *w, int at)
{
	int store = w->tree[WALL_STORE];

	if (wall_in_memory(w) && !w->spec->disk)
		return tree_dir(at, "store", 0755);
	if (wall_in_memory(w))
		store = sized(w->spec->disk);
	return put_in_stage(store, at, "store") ? store : -1;
}

/* The sealed layers, the highest first; their number, or -1. */
static int open_sealed(const struct wall *w, int *lower)
{
	const char **layer = w->spec->layer;
	int n = 0, count = 0;
	char path[80];

	while (layer && layer[count])
		count++;
	for (; n < count; n++) {
		snprintf(path, sizeof(path), "%s/upper", layer[count - 1 - n]);
		lower[n] = openat(w->tree[WALL_LAYERS], path, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
		if (lower[n] < 0)
			return -1;
	}
	return n;
}

/* From the highest: what was sealed, our skeleton, the root directory if there is one. */
static const char *stack(struct wall *w, int at, int store, int *root)
{
	int lower[SPEC_LAYERS_MOST + 2], n = 0, skel;
	const char *why;

	if (spec_has_layers(w->spec) && !put_in_stage(w->tree[WALL_LAYERS], at, "layers"))
		return "the layers cannot be mounted";
	n = open_sealed(w, lower);
	if (n < 0)
		return "a layer that the box begins from is not there";
	skel = tree_dir(at, "skel", 0755);
	why = skel < 0 ? "the directories of / cannot be made" : skeleton(w, skel);
	lower[n++] = skel;
	if (w->base || w->spec->root)
		lower[n++] = w->tree[w->base ? WALL_SHARED : WALL_LOWER];
	*root = why ? -1 : overlay(w, lower, (size_t)n, store);
	for (int i = 0, saved = errno; i < n; i++, errno = saved)
		close(lower[i]);
	return why;
}

static void without_base(struct wall *w)
{
	w->base = false;
	w->host_has = (struct wall_host)WALL_HOST_ALL;
}

/*
 * What the box writes, in the store, above all that. Without a root and sealed layers a store that
 * overlayfs cannot write to (overlayfs itself, network file systems) is the root.
 */
static const char *make_overlay(struct wall *w, int at, int *root)
{
	int store = open_store(w, at);
	const char *why;

	if (store < 0)
		return "the box's store cannot be mounted";
	if (w->spec->root && !put_in_stage(w->tree[WALL_LOWER], at, "lower"))
		return "the root directory cannot be mounted";
	if (w->base && !put_in_stage(w->tree[WALL_SHARED], at, "shared"))
		return "what boxes share cannot be mounted";
	why = stack(w, at, store, root);
	if (why)
		return why;
	if (*root >= 0)
		return stage(*root) ? NULL : "the box's root cannot be attached";
	if (w->spec->root || spec_has_layers(w->spec))
		return "an overlay of the layers cannot be mounted (Linux 5.11 can; a state "
			"directory on overlayfs or NFS cannot be written to)";
	*root = tree_open(store, "upper", 0);
	if (*root < 0 || !stage(*root))
		return "the box's root cannot be attached";
	w->fresh = false;
	without_base(w);
	return skeleton(w, *root);
}

/* An overlay's layer can be in memory where tmpfs has such attributes (Linux 6.6). */
static bool takes_attributes(int at)
{
	char path[40];

	if (!fsetxattr(at, "user.tinybox", "", 0, 0))
		return true;
	/* of a mount that was made detached there is only a path */
	snprintf(path, sizeof(path), "/proc/self/fd/%d", at);
	return errno == EBADF && !setxattr(path, "user.tinybox", "", 0, 0);
}

/*
 * The root of a box that keeps nothing: an overlay with one layer below, and above it what is only this box's, as nobody
 * seals it; or, without that layer, a directory. The names are ours, in the working directory.
 */
static const char *light_root(struct wall *w, int at, int *root)
{
	static const char layers[] = "lowerdir=shared,upperdir=upper,workdir=work,userxattr";
	int upper = mkdirat(at, "upper", 0755) || mkdirat(at, "work", 0755) ? -1 :
		openat(at, "upper", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	const char *why = upper < 0 ? "a directory for the box's root cannot be made" : wall_etc(w, upper);

	why = why ? why : w->range ? wall_take_trees(w) : NULL;
	if (w->base && !takes_attributes(at))
		without_base(w);
	if (!why && w->base && !put_in_stage(w->tree[WALL_SHARED], at, "shared"))
		why = "what boxes share cannot be mounted";
	if (!why && !w->base)
		why = wall_common(w, upper);
	if (!why && (w->spec->workspace || w->spec->target) && !make_dir(w, upper, w->target + 1, 0755))
		why = "the workspace's target cannot be made";
	if (upper >= 0)
		close(upper);
	if (why)
		return why;
	w->ours = true;
	*root = !w->base ? tree_open(at, "upper", 0) : fchdir(at) ? -1 : stage_new("overlay", layers);
	return *root >= 0 && (w->base || stage(*root)) ? NULL : "the box's root cannot be attached";
}

/* Any other: in the state directory, of a limited size, above layers or a root directory. */
static const char *kept_root(struct wall *w, int at, int *root)
{
	const struct spec *s = w->spec;
	const char *why = w->range ? wall_take_trees(w) : NULL;

	if (why)
		return why;
	if (w->base && wall_in_memory(w) && !takes_attributes(at))
		without_base(w);
	if (!wall_in_memory(w) || s->root || w->base || spec_has_layers(s))
		return make_overlay(w, at, root);
	*root = sized(s->disk);
	return *root >= 0 && stage(*root) ? skeleton(w, *root) : "a tmpfs for the box's root cannot be mounted";
}

const char *wall_mounts(struct wall *w)
{
	const struct spec *s = w->spec;
	const char *why;
	bool free = wall_in_memory(w) && !s->disk;
	int at, root;

	/*
	 * Nothing goes out in any case: what a new user namespace gets of another's mounts are copies that only follow them. So who
	 * refuses this (AppArmor, a container's filter) is not asked again before something that is needed.
	 */
	mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL);
	/* before a stage covers some of the host's paths */
	why = w->range ? NULL : wall_take_trees(w);
	if (why)
		return why;
	/* the overlay's layers meet in it, and it has /dev, and /dev/shm, which is what the size is for */
	at = free ? stage_new("tmpfs", "mode=755") : sized((s->memory ? s->memory : 256u << 20) + (16u << 20));
	if (at < 0 || (!free && !stage(at)))
		return "a tmpfs for the box's root cannot be mounted";
	w->fresh = true;
	why = free && !s->root && !spec_has_layers(s) ? light_root(w, at, &root) : kept_root(w, at, &root);
	why = why ? why : fill(w, at, root);
	return why ? why : leave_old_root(root);
}
