/* Shared by the files of wall.h. */
#ifndef INIT_WALL_IN_H
#define INIT_WALL_IN_H

#include <stdatomic.h>
#include <stdint.h>
#include <sys/types.h>

#include "init/filter.h"
#include "init/wall.h"

/*
 * As the host's root a box gets a range of user ids that nobody has: inside 0 .. 65535 are these
 * outside. The place is above what systemd and shadow give out.
 */
#define WALL_BASE 0x70000000u
#define WALL_RANGE 65536u

/* Trees that only the host's root can open come from the keeper, as detached mounts. */
enum wall_tree { WALL_STORE, WALL_LOWER, WALL_WORKSPACE, WALL_LAYERS, WALL_SHARED, WALL_DEV,
	WALL_KVM, WALL_NODES, WALL_TREES };

/* wall_net.c: a thread of the child's that makes its network namespace */
struct wall_net {
	_Alignas(16) char stack[16384];
	_Atomic int thread;		/* 0: it has ended */
	_Atomic bool taken;		/* by it or by process 1, whoever comes first */
	_Atomic int done;		/* 1: the rest is there, and it is about to end */
	bool begun;
	int fd, error;			/* of the namespace; an errno */
	const char *step;		/* what it failed at */
};

/* What of the host's is to be mounted, a bit for each name of top_level() and wall_etc_mounts(). */
struct wall_host {
	uint32_t top, etc;
};
#define WALL_HOST_ALL {~0u, ~0u}

struct wall {
	const struct spec *spec;
	struct cgroup *cgroup;
	bool range;			/* ids are mapped to the range; otherwise one id to ours */
	uint32_t out_uid, out_gid;	/* the box's user, outside */
	uint32_t work_uid, work_gid;	/* the workspace's owner, outside */
	bool idmap;			/* its mount is id-mapped, from that owner to the box's user */
	int landlock;			/* its ABI, 0: none */
	struct filter filter;
	char host[65];
	const char *target;
	bool sharing;			/* what is made is for all boxes */
	bool fresh;			/* in the child: what is made is in memory and new, all in it is ours */
	bool ours;			/* in the child: so is all of the root, in which mounts are made */
	bool base;			/* in the child: its root begins from what boxes share */
	int keeper;			/* in the child: the socket to the keeper */
	int tree[WALL_TREES];		/* in the child; -1: not needed */
	char *shared;			/* wall_shared.c: what its root begins from; NULL: that is made here */
	int shared_lock;		/* as long as it is used; -1 */
	int sysctl;			/* in the child: /proc/sys that can be written, until wall_low_ports(); -1 */
	struct wall_host host_has;
	uint64_t rlimit_pids;		/* 0: none */
	struct wall_net net;
	int disk;			/* the file system of limited size, a detached mount; -1: none */
	int listener;			/* the proxy's, in the box's network; -1 */
	int channel[2];			/* keeper, process 1; -1 */
};

/* A child's failure travels as this: both have the same static strings. */
struct wall_failure {
	const char *why;
	int error;
};

/* wall_blame.c: a number in a file of /proc, or -1; a filter is on us already, a container's; / is not the mount namespace's */
bool wall_has_range(void);	/* wall.c: whether the range of ids can be mapped */
long wall_setting(const char *path);
bool wall_is_filtered(void);
bool wall_is_chroot(void);

void wall_tell(struct wall *w, struct report *r);	/* wall_tell.c */
/* Whether the directory is the other, or above it. */
bool wall_holds(const char *dir, const char *below);

/* wall_ids.c: a clone without a new stack, into a group or -1. */
long wall_clone(uint64_t flags, int cgroup);
/*
 * The keeper's part, with the range: ids, and then, while the child goes on, what boxes share and the trees that only
 * the keeper can open.
 */
const char *wall_help(struct wall *w, pid_t pid, int sock);
/* The child's: its ids; the trees, whoever opens them. */
const char *wall_ids(struct wall *w);
const char *wall_take_trees(struct wall *w);

/*
 * Steps of the child: NULL when it went well, otherwise why not, with errno.
 */
const char *wall_mounts(struct wall *w);	/* wall_mount.c: a new root, entered */
bool wall_link(const struct wall *w, int root, const char *path, const char *target);
const char *wall_etc(const struct wall *w, int root);	/* wall_etc.c: files that are this box's */
bool wall_etc_no_names(const struct wall *w, int root);	/* no servers of names, where wall_etc() names none */
const char *wall_etc_shared(const struct wall *w, int root);	/* and those that are every box's */
/* The files of the host that are copied; their number. */
size_t wall_etc_copied(const char *const **name);
size_t wall_etc_mounted(const char *const **path);	/* and its directories that are mounted */
uint32_t wall_etc_there(int etc);			/* which directories of the host's there are */
uint32_t wall_top_there(void);				/* wall_mount.c: and of programs, in / */
/* wall_mount.c: what is the same in the roots of all boxes of this host's /usr */
const char *wall_common(const struct wall *w, int root);
bool wall_dev_files(int dev, bool nodes);		/* wall_dev.c: its part in /dev; real nodes, if they can be had */
size_t wall_top_names(const char *const **path);	/* those of programs in /, where they are no links */
/*
 * In the keeper: the plain directory in the state directory that is the root where there is no overlay, with real
 * directories wherever something will be mounted.
 */
const char *wall_plain_root(struct wall *w);
/*
 * wall_shared.c: finds or makes that in the cache directory, and keeps it from being removed. When it cannot be
 * had, the box's own is made in memory.
 */
void wall_share(struct wall *w);
void wall_unshare(struct wall *w);
const char *wall_etc_mounts(const struct wall *w, int root);	/* with the host's /usr */
const char *wall_devices(const struct wall *w, int stage, int root);	/* wall_dev.c */
int wall_nodes(const struct wall *w, const char **why);	/* wall_nodes.c: a tree of the devices of the spec, or -1 */
const char *wall_put_nodes(const struct wall *w, int dev, int stage);	/* their places in its /dev */
const char *wall_proc(struct wall *w, int root);
void wall_low_ports(struct wall *w);
bool wall_put(const struct wall *w, int tree, int root, const char *path);	/* tree_put(), or tree_put_at() */
const char *wall_lo(void);
bool wall_net_begin(struct wall_net *n);	/* a network namespace is being made, or will be ... */
const char *wall_net_end(struct wall_net *n);	/* ... and is ours; NULL also when none was begun */
void wall_net_alone(struct wall_net *n);	/* afterwards, before anything else runs: its thread is gone */
/* wall_priv.c: the bounding set; Landlock, capabilities, no new privileges */
const char *wall_unbound(void);
const char *wall_powerless(const struct wall *w);
const char *wall_landlock(const struct wall *w);	/* a part of it: what is below / and the groups, nothing else */
int wall_landlock_abi(void);

/*
 * The caller's trees, detached: in the keeper, as the host's root, with the root directory mapped to the
 * box's ids, or in the child (userns -1).
 */
const char *wall_trees(const struct wall *w, int userns, int *tree);
const char *wall_store(struct wall *w);		/* the directories in the state directory */
int wall_disk(const struct wall *w, int dir);	/* wall_disk.c: a file system of limited size, detached, or -1 */
bool wall_disk_there(int dir);			/* whether an earlier start left one, which is the box's files */

/* Mounts (wall_tree.c): descriptors of mounts that are not attached; -1: errno. */
#define TREE_READONLY 1
#define TREE_RECURSIVE 2
#define TREE_DEVICES 4		/* device nodes work */
#define TREE_NOEXEC 8
#define TREE_AS_IT_IS 16	/* the host's flags */
int tree_open(int dir, const char *path, int flags);
int tree_idmap(int tree, int userns);	/* 0, or -1 */
struct tree_option { const char *name, *value; };
int tree_new(const char *type, const struct tree_option *o, size_t count, int flags);
/*
 * An overlay with the options, whose lower layers are those directories, the highest first. With more than a
 * few it needs Linux 6.7, which takes them one by one.
 */
int tree_overlay(const int *lower, size_t lowers, const struct tree_option *o, size_t count);
/* Attaches it at a directory below root, made where missing; no symbolic link may be part of its path. */
bool tree_put(int tree, int root, const char *path);
/* The same where nothing but we has written yet: a path is taken as it is. */
bool tree_put_at(int tree, int dir, const char *path);
/*
 * Directories and files below root, with no symbolic link on the way; what is in the way and is not
 * a directory (a file) is removed.
 */
int tree_dir(int root, const char *path, mode_t mode);	/* made where missing; opened, or -1 */
bool tree_make_dir(int root, const char *path, mode_t mode);
int tree_make_file(int root, const char *path, mode_t mode);	/* new and empty, open to write */
bool tree_text(int root, const char *path, const char *text);
bool tree_link(int root, const char *path, const char *target);
bool tree_remove(int at, const char *name);		/* with all below; no link followed */

#endif
