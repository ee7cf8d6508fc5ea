/*
 * Directories being read. They are not descriptors, but hang on the process and
 * count against the same limit; what the process forgot to close, or had no time
 * to, is closed with it.
 */
#include "kernel/inside.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>

#include "base/vec.h"

#define DIR_BUFFER 4000

struct tsb_dir {
	struct tsb_proc *p;
	struct tsb_heap *heap;		/* it lives in */
	struct ring link;		/* p->dirs */
	struct vfs_file *file;
	size_t at, n;
	int error;			/* -errno of a read that failed */
	_Alignas(8) char buf[DIR_BUFFER];
};

int tsb_opendir(struct tsb_proc *p, const char *path, struct tsb_dir **dir)
{
	int r, magic[2] = { 0, -1 };
	struct call_ctx ctx;
	struct tsb_dir *d;

	r = call_reads(p, &ctx, path);
	if (r < 0)
		return r;
	if (!dir)
		return -EFAULT;
	if (p->n_dirs >= p->k->limits.descriptors)
		return -EMFILE;
	d = tsb_realloc(p, NULL, sizeof(*d));	/* before the file: it may not return */
	d->p = p;
	d->heap = p->heap;
	d->at = d->n = 0;
	d->error = 0;
	r = vfs_open(&ctx.c, path, O_RDONLY | O_DIRECTORY, 0, &d->file, magic);
	if (r != 0) {
		tsb_free(p, d);
		return r == VFS_MAGIC ? -ENOTDIR : r;
	}
	ring_add(&p->dirs, &d->link);
	p->n_dirs++;
	*dir = d;
	return 0;
}

const struct tsb_dirent *tsb_readdir(struct tsb_dir *dir)
{
	const struct tsb_dirent *e;

	proc_tick(dir->p, 4);
	if (dir->at >= dir->n) {
		ssize_t r = vfs_readdir(dir->file, dir->buf, sizeof(dir->buf));

		dir->at = 0;
		dir->n = r > 0 ? (size_t)r : 0;
		dir->error = r < 0 ? (int)r : 0;
		if (r <= 0)
			return NULL;
	}
	e = (const struct tsb_dirent *)(const void *)(dir->buf + dir->at);
	dir->at += e->size;
	return e;
}

int tsb_dir_error(const struct tsb_dir *dir)
{
	return dir->error;
}

void tsb_closedir(struct tsb_dir *dir)
{
	struct tsb_proc *p;

	if (!dir)
		return;
	p = dir->p;
	ring_del(&dir->link);
	p->n_dirs--;
	vfs_close(dir->file);
	heap_free(dir->heap, dir);
}

void dir_close_after(struct tsb_proc *p, struct ring *last)
{
	while (last->next != &p->dirs)
		tsb_closedir(ring_item(last->next, struct tsb_dir, link));
}

static int dir_compare(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

int tsb_listdir(struct tsb_proc *p, const char *path, char ***names, size_t *n)
{
	const struct tsb_dirent *e;
	VEC(char *) list = { 0 };
	struct tsb_dir *dir;
	char **end;
	int r = tsb_opendir(p, path, &dir);

	if (r < 0)
		return r;
	if (!names) {
		tsb_closedir(dir);
		return -EFAULT;
	}
	while ((e = tsb_readdir(dir)) != NULL) {
		char **slot = vec_add(proc_heap_now(p), &list);

		if (!slot)
			break;
		*slot = tsb_strndup(p, e->name, e->name_len);
	}
	r = dir->error;
	tsb_closedir(dir);
	if (r)
		return r;
	/* The NULL behind the last: taken as one more item. */
	end = e ? NULL : vec_add(proc_heap_now(p), &list);
	if (!end)
		return -ENOMEM;
	list.n--;
	qsort(list.at, list.n, sizeof(*list.at), dir_compare);
	proc_tick(p, list.n < 1000000 ? (int32_t)list.n : 1000000);
	*names = list.at;
	if (n)
		*n = list.n;
	return 0;
}
