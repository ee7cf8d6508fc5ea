/*
 * The one piece of state that sandboxes share. A lock guards its making and the
 * idle kernels; all else is read-only once made, so threads need none for it.
 * Idle kernels are worth keeping because their stacks and pages are warm.
 */
#include "sandbox/engine.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/map.h"
#include "cmd/cmd.h"
#include "guest/table.h"
#include "kernel/kernel.h"
#include "shell/shell.h"
#include "vfs/bin.h"
#include "vfs/dev.h"
#include "vfs/image.h"
#include "vfs/vfs.h"

#define IDLE_MAX 8

struct engine {
	unsigned refs;
	struct tsb_heap *heap;
	struct map registry;
	const struct tsb_command **sorted;
	size_t n;
	struct vfs *base;
	struct kernel *spare;		/* one thread at a time finds one here without the lock */
	pthread_mutex_t lock;
	struct kernel *idle[IDLE_MAX];
	size_t n_idle;
};

/* The only mutable static of the library: which engine is there, and its count. */
static pthread_mutex_t engine_lock = PTHREAD_MUTEX_INITIALIZER;
static struct engine *engine_now;

static int compare_commands(const void *a, const void *b)
{
	const struct tsb_command *const *x = a, *const *y = b;

	return strcmp((*x)->name, (*y)->name);
}

static size_t count_table(const struct tsb_command *const *table)
{
	size_t n = 0;

	while (table[n])
		n++;
	return n;
}

static int register_commands(struct engine *e)
{
	const struct tsb_command *shells[] = { &shell_command_bash, &shell_command_rbash,
					       &shell_command_sh };
	const size_t n_shells = sizeof(shells) / sizeof(shells[0]);
	size_t own = count_table(cmd_table), guests = count_table(guest_table), i;

	e->n = own + guests + n_shells;
	e->sorted = heap_array(e->heap, e->n, sizeof(*e->sorted));
	if (!e->sorted)
		return -1;
	memcpy(e->sorted, cmd_table, own * sizeof(*e->sorted));
	memcpy(e->sorted + own, guest_table, guests * sizeof(*e->sorted));
	for (i = 0; i < n_shells; i++)
		e->sorted[own + guests + i] = shells[i];
	qsort(e->sorted, e->n, sizeof(*e->sorted), compare_commands);
	for (i = 0; i < e->n; i++) {
		struct map_entry *entry = map_put(&e->registry, e->sorted[i]->name,
						  strlen(e->sorted[i]->name));

		if (!entry)
			return -1;
		entry->value = (void *)(uintptr_t)e->sorted[i];
	}
	return 0;
}

static const char *name_at(const void *ctx, size_t i)
{
	const struct engine *e = ctx;

	return i < e->n ? e->sorted[i]->name : NULL;
}

static size_t count_names(const void *ctx)
{
	return ((const struct engine *)ctx)->n;
}

static int mount_or_free(struct vfs *v, const char *path, struct tsb_fs *fs)
{
	if (!fs)
		return -1;
	if (vfs_mount(v, path, fs, VFS_MOUNT_SHARE)) {
		tsb_fs_free(fs);
		return -1;
	}
	return 0;
}

static int make_base(struct engine *e)
{
	struct tsb_mem_options opt = TSB_MEM_OPTIONS_INIT;
	struct timespec now;
	struct tsb_fs *image;

	clock_gettime(CLOCK_REALTIME_COARSE, &now);
	opt.now.sec = now.tv_sec;
	opt.now.nsec = (int32_t)now.tv_nsec;
	image = vfs_image_new(&opt, "sandbox");
	if (!image)
		return -1;
	e->base = vfs_new(image);
	if (!e->base) {
		tsb_fs_free(image);
		return -1;
	}
	if (mount_or_free(e->base, "/dev", devfs_new(NULL, NULL, opt.now)))
		return -1;
	return mount_or_free(e->base, "/usr/bin", binfs_new(name_at, count_names, e, opt.now));
}

static void engine_free(struct engine *e)
{
	for (size_t i = 0; i < e->n_idle; i++)
		kernel_free(e->idle[i]);
	if (e->spare)
		kernel_free(e->spare);
	vfs_free(e->base);
	if (e->heap)
		heap_end(e->heap);
	pthread_mutex_destroy(&e->lock);
	free(e);
}

static struct engine *engine_new(void)
{
	struct engine *e = calloc(1, sizeof(*e));

	if (!e)
		return NULL;
	pthread_mutex_init(&e->lock, NULL);
	e->refs = 1;
	e->heap = heap_new(NULL, NULL, NULL, NULL);
	if (e->heap) {
		map_init(&e->registry, e->heap);
		if (!register_commands(e) && !make_base(e))
			return e;
	}
	engine_free(e);
	return NULL;
}

struct engine *engine_get(void)
{
	struct engine *e;

	pthread_mutex_lock(&engine_lock);
	if (engine_now)
		engine_now->refs++;
	else
		engine_now = engine_new();
	e = engine_now;
	pthread_mutex_unlock(&engine_lock);
	return e;
}

void engine_put(struct engine *e)
{
	bool last;

	pthread_mutex_lock(&engine_lock);
	last = --e->refs == 0;
	if (last)
		engine_now = NULL;
	pthread_mutex_unlock(&engine_lock);
	if (last)
		engine_free(e);
}

const struct tsb_command *engine_find(const struct engine *e, const char *name, size_t n)
{
	struct map_entry *entry = map_find(&e->registry, name, n);

	return entry ? entry->value : NULL;
}

const struct tsb_command *engine_command(const struct engine *e, size_t i)
{
	return i < e->n ? e->sorted[i] : NULL;
}

size_t engine_count(const struct engine *e)
{
	return e->n;
}

const struct vfs *engine_base(const struct engine *e)
{
	return e->base;
}

struct kernel *engine_take_kernel(struct engine *e)
{
	struct kernel *k = __atomic_exchange_n(&e->spare, NULL, __ATOMIC_ACQ_REL);

	if (k)
		return k;
	pthread_mutex_lock(&e->lock);
	if (e->n_idle)
		k = e->idle[--e->n_idle];
	pthread_mutex_unlock(&e->lock);
	return k ? k : kernel_new();
}

void engine_give_kernel(struct engine *e, struct kernel *k)
{
	struct kernel *none = NULL;

	if (__atomic_compare_exchange_n(&e->spare, &none, k, false, __ATOMIC_ACQ_REL, __ATOMIC_RELAXED))
		return;
	pthread_mutex_lock(&e->lock);
	if (e->n_idle < IDLE_MAX) {
		e->idle[e->n_idle++] = k;
		k = NULL;
	}
	pthread_mutex_unlock(&e->lock);
	if (k)
		kernel_free(k);
}
