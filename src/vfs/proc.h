/*
 * /proc of one run. What it shows comes from the kernel through a table of
 * functions; every text is made when its file is opened.
 *
 * The functions are called inside vfs calls, so they must not call any vfs_*()
 * function, nor wait. They are called on the run's thread only.
 */
#ifndef VFS_PROC_H
#define VFS_PROC_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include <tinysandbox/vfs.h>

struct vfs;

/* One process. Texts are borrowed until the next call of the source. */
struct procfs_process {
	int ppid, pgid, sid, nice;
	char state;		/* 'R', 'S', 'T', 'Z' */
	uint32_t uid, gid, umask;
	const char *comm;	/* base name of the program; shown cut to 15 bytes */
	const char *const *argv;	/* NULL-terminated; NULL: none */
	const char *const *env;	/* the same; NULL: none */
	const char *exe;	/* absolute path */
	const char *cwd;
	uint64_t memory_bytes, memory_peak;
	uint64_t start_ns;	/* after boot */
	uint64_t cpu_ns, children_ns;	/* its own; of the children it has waited for */
	int exit_status;	/* of a zombie */
	uint64_t sig_pending, sig_blocked, sig_ignored, sig_caught;	/* bit n-1: signal n */
	size_t fd_size;
};

struct procfs_source {
	void *ctx;
	struct vfs *vfs;	/* whose mounts /proc/mounts lists; not owned */
	/* The smallest pid > after; 0: no more. */
	int (*next_pid)(void *ctx, int after);
	/* 0 or -ENOENT. */
	int (*process)(void *ctx, int pid, struct procfs_process *out);
	/* The smallest descriptor > after of pid; -1: no more. */
	int (*next_fd)(void *ctx, int pid, int after);
	/* The link text of a descriptor ("/tmp/x", "pipe:[7]", "/tmp/x (deleted)") as
	 * readlink(2); *flags: its open flags; *reopen: the text is a path that opens
	 * the same file. -ENOENT. */
	ssize_t (*fd_link)(void *ctx, int pid, int fd, char *buf, size_t cap, int *flags,
			   int *reopen);
	/* fstat of a descriptor, and its offset for fdinfo. */
	int (*fd_stat)(void *ctx, int pid, int fd, struct tsb_stat *st, uint64_t *offset);
	uint64_t (*uptime_ns)(void *ctx);
	struct tsb_time (*now)(void *ctx);
	uint64_t memory_total, cpus;
	uint64_t (*memory_used)(void *ctx);
	/* The last number given to a process: about how many there were. */
	int (*pid_last)(void *ctx);
	/* Random bytes, for sys/kernel/random/uuid. */
	void (*random)(void *ctx, void *buf, size_t n);
	const char *hostname;	/* these texts are borrowed while the fs lives */
	const char *osrelease;	/* as uname -r */
	const char *version;	/* as uname -v */
	int pid_max;
};

/* The source is copied. NULL: no memory. */
struct tsb_fs *procfs_new(const struct procfs_source *src);
/* The same kernel's next run: nothing is left of the one before. */
void procfs_begin(struct tsb_fs *fs, uint64_t memory_total, const char *hostname);
/* Whose mounts /proc/mounts lists, if it was not known yet. */
void procfs_set_vfs(struct tsb_fs *fs, struct vfs *v);
/* For the walk: is inner (a link) a descriptor without a path? Then 1 with pid
 * and fd; 0: an ordinary link, or fs is no procfs. */
int procfs_magic(struct tsb_fs *fs, const struct tsb_caller *who, const char *inner, int *pid,
		 int *fd);
/* fstat of a magic descriptor. */
int procfs_magic_stat(struct tsb_fs *fs, int pid, int fd, struct tsb_stat *st);

#endif
