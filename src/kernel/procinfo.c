/*
 * What /proc shows: the kernel's answers to the procfs of the vfs. They are
 * asked for in the middle of vfs calls, so none of them calls the vfs.
 */
#include "kernel/inside.h"

#include <errno.h>
#include <fcntl.h>

#include "vfs/proc.h"

static int procinfo_next_pid(void *ctx, int after)
{
	struct kernel *k = ctx;
	struct ring *at, *tmp;
	int best = 0;

	each_peer(q, k) {
		ring_each(at, tmp, &q->procs) {
			struct tsb_proc *p = ring_item(at, struct tsb_proc, all);

			if (p->pid > after && (!best || p->pid < best) && p->state != PROC_NEW)
				best = p->pid;
		}
	}
	return best;
}

static char procinfo_state(const struct tsb_proc *p)
{
	if (p->state == PROC_ZOMBIE)
		return 'Z';
	if (p->stopped)
		return 'T';
	return p->state == PROC_BLOCKED ? 'S' : 'R';
}

static int procinfo_process(void *ctx, int pid, struct procfs_process *out)
{
	struct kernel *k = ctx;
	struct tsb_proc *p = proc_find(k, pid);

	if (!p)
		return -ENOENT;
	*out = (struct procfs_process){
		.ppid = tsb_getppid(p), .pgid = p->pgid, .sid = p->sid, .nice = p->nice,
		.state = procinfo_state(p), .uid = k->opt.uid, .gid = k->opt.gid,
		.umask = p->umask, .comm = p->comm,
		.argv = (const char *const *)p->argv, .env = p->env ? p->env->at : NULL,
		.exe = p->exe, .cwd = p->cwd ? p->cwd->path : NULL,
		.memory_bytes = p->main_heap ? heap_used(p->main_heap) : 0,
		.start_ns = (uint64_t)(p->start_ns + p->k->begin_mono - k->base->begin_mono), .cpu_ns = p->user_ns,
		.children_ns = p->children_ns, .exit_status = p->state == PROC_ZOMBIE ? p->status : 0,
		.sig_pending = p->pending, .sig_ignored = p->ignored, .sig_caught = p->caught,
		.fd_size = p->fds.cap
	};
	proc_note_memory(p);
	out->memory_peak = p->memory_peak;
	if (!out->argv && p->state != PROC_ZOMBIE) {
		k->plain_argv[0] = p->name ? p->name : p->comm;
		out->argv = k->plain_argv;
	}
	return 0;
}

static int procinfo_next_fd(void *ctx, int pid, int after)
{
	struct tsb_proc *p = proc_find(ctx, pid);
	unsigned fd = after < 0 ? 0 : (unsigned)after + 1;

	for (; p && fd < p->fds.n; fd++)
		if (p->fds.at[fd].d)
			return (int)fd;
	return -1;
}

static ssize_t procinfo_fd_link(void *ctx, int pid, int fd, char *buf, size_t cap, int *flags,
				int *reopen)
{
	struct tsb_proc *p = proc_find(ctx, pid);
	struct desc *d = p ? fd_desc(p, fd) : NULL;
	bool path = false;
	ssize_t n;

	if (!d)
		return -ENOENT;
	n = d->ops->link(d, buf, cap, &path);
	*flags = d->flags;
	*reopen = path;
	return n < (ssize_t)cap ? n : (ssize_t)cap;
}

static int procinfo_fd_stat(void *ctx, int pid, int fd, struct tsb_stat *st, uint64_t *offset)
{
	struct tsb_proc *p = proc_find(ctx, pid);
	struct desc *d = p ? fd_desc(p, fd) : NULL;

	if (!d)
		return -ENOENT;
	*st = (struct tsb_stat){ 0 };
	*offset = d->offset;
	if (d->file)
		return d->file->base->ops->fstat ? d->file->base->ops->fstat(d->file->base, st) :
		       -ENOSYS;
	return d->ops->stat(d, st);
}

static uint64_t procinfo_uptime(void *ctx)
{
	struct kernel *k = ctx;

	return (uint64_t)(clock_now(k) + k->begin_mono - k->base->begin_mono);
}

static struct tsb_time procinfo_now(void *ctx)
{
	return clock_stamp(ctx);
}

static uint64_t procinfo_memory_used(void *ctx)
{
	struct kernel *k = ctx;

	return k->budget.share ? __atomic_load_n(&k->budget.share->used, __ATOMIC_RELAXED) : k->budget.used;
}

static int procinfo_pid_last(void *ctx)
{
	return ((struct kernel *)ctx)->last_pid;
}

static void procinfo_random(void *ctx, void *buf, size_t n)
{
	random_fill(ctx, buf, n);
}

struct tsb_fs *procinfo_new(struct kernel *k)
{
	struct procfs_source src = {
		.ctx = k, .next_pid = procinfo_next_pid, .process = procinfo_process,
		.next_fd = procinfo_next_fd, .fd_link = procinfo_fd_link,
		.fd_stat = procinfo_fd_stat, .uptime_ns = procinfo_uptime, .now = procinfo_now,
		.cpus = 1,
		.memory_used = procinfo_memory_used, .pid_last = procinfo_pid_last,
		.random = procinfo_random, .hostname = "sandbox",
		.osrelease = "6.1.0", .version = "#1 SMP PREEMPT_DYNAMIC", .pid_max = PIDS_MAX
	};

	return procfs_new(&src);
}
