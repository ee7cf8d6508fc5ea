/*
 * A small filesystem for kit runs: memory at the root, /dev, and the kit's
 * commands in /bin.
 */
#ifndef KERNEL_KIT_FS_H
#define KERNEL_KIT_FS_H

#include "kit.h"
#include "vfs/bin.h"
#include "vfs/dev.h"
#include "vfs/vfs.h"

/* The list must be sorted by name. */
static const char *kit_bin_name(const void *ctx, size_t i)
{
	const struct kit *t = ctx;

	return t->commands[i] ? t->commands[i]->name : NULL;
}

static size_t kit_bin_count(const void *ctx)
{
	const struct kit *t = ctx;
	size_t n = 0;

	while (t->commands[n])
		n++;
	return n;
}

static void kit_mount(struct kit *t)
{
	struct tsb_mem_options mem = TSB_MEM_OPTIONS_INIT;
	struct tsb_caller who = { 1000, 1000, 1, { 0, 0 } };
	struct vfs_ctx c = { NULL, &who, "/" };

	c.vfs = t->opt.vfs = vfs_new(tsb_mem_new(&mem));
	if (vfs_mkdir(&c, "/bin", 0755) || vfs_mkdir(&c, "/dev", 0755) ||
	    vfs_mkdir(&c, "/tmp", 0777) || vfs_mkdir(&c, "/proc", 0555) ||
	    vfs_mount(c.vfs, "/bin", binfs_new(kit_bin_name, kit_bin_count, t, who.now), 0) ||
	    vfs_mount(c.vfs, "/dev", devfs_new(NULL, NULL, who.now), 0))
		abort();
}

static void kit_unmount(struct kit *t)
{
	vfs_free(t->opt.vfs);
	kit_end(t);
}

/* A file with that content and mode. */
__attribute__((unused)) static int kit_put(struct tsb_proc *p, const char *path, const char *text,
					    uint32_t mode)
{
	int fd = tsb_open(p, path, 01101, mode);	/* O_WRONLY | O_CREAT | O_TRUNC */

	if (fd < 0)
		return fd;
	tsb_write_all(p, fd, text, strlen(text));
	return tsb_close(p, fd);
}

/* Its content, in the process's heap. */
__attribute__((unused)) static char *kit_get(struct tsb_proc *p, const char *path)
{
	int fd = tsb_open(p, path, 0, 0);
	struct str s;

	str_init(&s, tsb_heap_of(p), STR_MAX_DEFAULT);
	if (fd >= 0) {
		proc_read_all(p, fd, &s);
		tsb_close(p, fd);
	}
	return str_take(&s, NULL);
}

#endif
