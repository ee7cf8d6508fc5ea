/*
 * One run: from kernel_begin() to kernel_finish(). The kernel itself is kept
 * between runs with all its warm parts, so beginning one sets a few dozen words
 * and takes one heap; the namespace with /proc is made only if a path is used.
 */
#include "base/limits.h"
#include "kernel/inside.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define POOL_KEPT ((size_t)8 << 20)

struct kernel *kernel_new(void)
{
	struct kernel *k = calloc(1, sizeof(*k));

	if (!k)
		return NULL;
	k->pool = heap_pool_new(POOL_KEPT);
	if (!k->pool) {
		free(k);
		return NULL;
	}
	k->base = k;
	ring_init(&k->peers);
	ring_init(&k->procs);
	ring_init(&k->runq);
	ring_init(&k->sleepers);
	ring_init(&k->fifos);
	ring_init(&k->locks);
	waitq_init(&k->lock_q);
	waitq_init(&k->poll_q);
	waitq_init(&k->io_q);
	return k;
}

void kernel_free(struct kernel *k)
{
	if (!k)
		return;
	proc_spares_end(k);
	desc_spares_end(k);
	pipe_spares_end(k);
	stack_pool_end(&k->stacks);
	heap_pool_free(k->pool);
	vfs_free(k->space);
	free(k->records);
	free(k->pipe_bytes);
	free(k);
}

static void kernel_clear_run(struct kernel *k)
{
	k->vfs = NULL;
	k->shared = NULL;
	k->running = k->init = NULL;
	k->init_ended = k->stopping = k->dropping = k->to_host = k->limit_told = k->deadlock = false;
	k->init_status = k->stop_status = 0;
	k->stop = TSB_STOP_NONE;
	k->limit = k->denied = NULL;
	k->last_pid = k->front = 0;
	k->pids_again = false;
	k->commands = 0;
	k->cpu_ns = 0;
	k->n_records = k->n_pipes = 0;
	k->pipes_made = 0;
	k->input_n = 0;
	k->input_ended = k->terminal.end = false;
	k->host.size = 0;	/* another thread's stack perhaps */
}

int kernel_begin(struct kernel *k, const struct kernel_options *opt)
{
	k->opt = *opt;
	if (opt->limits)
		memcpy(&k->limits, opt->limits, sizeof(k->limits));
	else
		tsb_limits_default(&k->limits);
	limits_bound(&k->limits);
	kernel_clear_run(k);
	k->budget.max = k->limits.memory_bytes < SIZE_MAX ? (size_t)k->limits.memory_bytes :
			SIZE_MAX;
	k->budget.peak = k->budget.used;
	k->budget.refused = false;
	k->budget.share = opt->share && !k->budget.used ? &opt->share->memory : NULL;
	if (opt->io.terminal)
		terminal_begin(k);
	clock_begin(k);
	random_begin(k);
	tick_begin(k);
	return 0;
}

/* ---- The first process ---- */

static int init_fill(struct kernel *k, struct tsb_proc *p, const char *cwd,
		     const char *const *env, struct tsb_heap *heap)
{
	p->pgid = p->sid = p->pid;
	p->umask = 022;
	p->env = env_first(k, env);
	p->cwd = cwd_first(k, cwd ? cwd : "/");
	p->heap_borrowed = heap != NULL;
	p->main_heap = heap ? heap : heap_new(&k->budget, k->pool, kernel_oom, k);
	p->heap = p->main_heap;
	if (!p->main_heap)
		return -ENOMEM;
	return hostio_make(k, &p->fds);
}

struct tsb_proc *kernel_init_proc(struct kernel *k, const char *name, const char *cwd,
				  const char *const *env, struct tsb_heap *heap)
{
	struct tsb_proc *p = proc_make(k, NULL);

	if (!p)
		return NULL;
	if (init_fill(k, p, cwd, env, heap) < 0) {
		proc_end(p, 0);
		return NULL;
	}
	k->init = p;
	proc_borrow_name(p, name ? name : "init");
	return p;
}

const char *kernel_too_small(const struct kernel *k)
{
	if (k->limits.descriptors < 3)
		return "descriptors";
	return k->budget.refused ? "memory_bytes" : NULL;
}

static int status_of(int status)
{
	return status & 0x7f ? 128 + (status & 0x7f) : (status >> 8) & 0xff;
}

int kernel_run(struct kernel *k, proc_main_fn *main, void *arg)
{
	proc_start(k->init, main, arg);
	sched_run(k);
	return kernel_ended(k);
}

int kernel_ended(struct kernel *k)
{
	proc_drop_all(k);
	k->end_ns = clock_real(k);
	return k->stopping ? k->stop_status : status_of(k->init_status);
}

/* ---- After it ---- */

void kernel_report(struct kernel *k, struct kernel_report *out)
{
	int64_t wall = k->end_ns ? k->end_ns : clock_real(k);

	*out = (struct kernel_report){
		.stop = k->stop, .limit = k->limit, .denied = k->denied, .wall_ns = (uint64_t)wall,
		.memory_peak = k->budget.peak, .cpu_ns = machine_cpu_ns(k), .commands = k->commands,
		.records = k->records, .n_records = k->n_records,
		.pipe_bytes = k->pipe_bytes, .n_pipes = k->n_pipes
	};
}

void kernel_finish(struct kernel *k)
{
	/* Without kernel_run() there may still be the first process. */
	if (!ring_empty(&k->procs))
		proc_drop_all(k);
	if (k->vfs)
		vfs_take_off(k->vfs);
	k->vfs = NULL;
	heap_end(k->shared);
	heap_end(k->heap);
	k->shared = k->heap = NULL;
	heap_budget_give(&k->budget, k->budget.share ? k->budget.used : 0);
	k->budget.share = NULL;
	stack_trim(&k->stacks);
}

/* ---- Heaps ---- */

struct tsb_heap *kernel_heap_new(struct kernel *k)
{
	return heap_new(&k->budget, k->pool, kernel_oom, k);
}

void *kernel_alloc(struct kernel *k, size_t bytes)
{
	if (!k->heap)
		k->heap = heap_new(&k->budget, k->pool, NULL, NULL);
	return k->heap ? heap_alloc(k->heap, bytes) : NULL;
}

struct tsb_heap *kernel_heap(struct kernel *k)
{
	if (!k->shared) {
		k->shared = kernel_heap_new(k);
		if (!k->shared)
			kernel_oom(k, 0);
	}
	return k->shared;
}
