/*
 * The namespace wall: user, pid, mount, net, ipc, uts, cgroup and time namespaces, a root of its own, a
 * system call filter, Landlock, no privileges. Works without any privilege outside.
 *
 * Order: wall_open() outside (what can be had? fills the report), then wall_enter(), whose child is
 * process 1 of the box, then wall_child() in every process that will exec a program of the box.
 *
 * Process 1 has no capabilities, is the box's user (spec's uid and gid), cannot be traced by the box's
 * programs and dies with its keeper; its Landlock domain is the whole box's.
 *
 * The root is kept in the state directory, so what a program writes there is there after a stop and a
 * start: DIR/overlay/upper is exactly that (an overlay's upper layer, with user.overlay.* attributes; of
 * the ids WALL_BASE + n when the host's root made it). With a limit of the disk it is a file system of its own:
 * an ext4 in DIR/disk when the host's root made it, otherwise, and for one exec, a tmpfs that is gone at a stop.
 * Paths of the state directory, the workspace and the root may have no symbolic links: give real paths.
 */
#ifndef INIT_WALL_H
#define INIT_WALL_H

#include <sys/types.h>

#include "init/cgroup.h"
#include "init/report.h"
#include "init/spec.h"

struct wall;

/*
 * NULL: *why in a sentence (static), errno. The cgroup may be NULL; otherwise it becomes the box's
 * user's, and process 1 goes there. The spec must outlive the wall.
 */
struct wall *wall_open(const struct spec *spec, struct cgroup *c, struct report *r,
		       const char **why);
/*
 * Process 1 of the box, which calls inside(ctx) when the wall stands and ends with what it
 * returns. It keeps only the descriptors in `keep` (count of them) and its cgroup's open; 0, 1 and 2
 * are /dev/null when they are not kept. Returns its pid in the caller's namespace after the wall
 * stands, or -1 with *why (static) and errno: then nothing is left. The caller is single-threaded
 * and small (this is a fork). The files of the root that were made stay until wall_sweep().
 */
pid_t wall_enter(struct wall *w, int (*inside)(void *ctx), void *ctx, const int *keep, size_t count,
		 const char **why);
/* What a report says of devices, and those of the host that were asked for. */
void wall_tell_devices(const struct spec *s, struct report *r, const char *by);
/* A mount inside of the directory that its box would not see, or could not be made with (malloc); NULL: none. */
char *wall_mount_below(const char *dir);
/* What to do about that errno, where it has a cause in this machine (static); NULL. */
const char *wall_blame(int error);
/*
 * For egress.h, after wall_enter(): the box's listening socket (egress only), the keeper's end of the
 * channel to process 1 (published ports only), -1 where there is none; the caller's from then on. And
 * process 1's end of that channel, in process 1.
 */
int wall_listener(struct wall *w);
int wall_channel(struct wall *w);
int wall_channel_inside(const struct wall *w);
/*
 * In a child of process 1, last thing before execve: rlimits and the system call filter. Takes no
 * memory. False: the child must _exit. (After it clone3 does not exist and namespaces cannot be made.)
 */
bool wall_child(const struct wall *w);
/* Outside, after process 1 has ended, or in process 1: frees memory. */
void wall_close(struct wall *w);
/*
 * Removes what boxes wrote into a state directory (overlay): for rm and reap, when nothing runs
 * there. Follows no link. False: errno.
 */
bool wall_sweep(const char *dir);

#endif
