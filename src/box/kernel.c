/*
 * Boxes of which only the kernel still knows: a control group that bears this store's tag, and no
 * directory in the store. Found by name below the groups' mounts; what is in them is then killed
 * and removed by tinybox-init, for which such a box gets a directory again.
 */
#include "box/internal.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define GROUPS "/sys/fs/cgroup"
#define DEPTH 8

struct search {
	struct tbx_store *store;
	void (*found)(void *ctx, const char *id, int dir, const char *group);
	void *ctx;
};

/* "tinybox-box-N-TAG": the id; false: another's. */
bool bx_group_id(const struct tbx_store *store, const char *name, char id[BX_NAME_MAX + 1])
{
	size_t n = strlen(name), tag = strlen(store->tag);

	if (strncmp(name, "tinybox-", 8) || n < 8 + tag + 2 || name[n - tag - 1] != '-' ||
	    strcmp(name + n - tag, store->tag) || n - 8 - tag - 1 > BX_NAME_MAX)
		return false;
	memcpy(id, name + 8, n - 8 - tag - 1);
	id[n - 8 - tag - 1] = '\0';
	return tbx_is_name(id);
}

static void search(struct search *s, int at, const char *path, unsigned depth)
{
	int fd = openat(at, path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC), copy;
	char id[BX_NAME_MAX + 1];
	struct dirent *e;
	DIR *d;

	copy = fd < 0 ? -1 : dup(fd);
	d = copy < 0 ? NULL : fdopendir(copy);
	while (d && (e = readdir(d))) {
		if (e->d_type != DT_DIR || *e->d_name == '.')
			continue;
		if (bx_group_id(s->store, e->d_name, id))
			s->found(s->ctx, id, fd, e->d_name);
		else if (depth < DEPTH)
			search(s, fd, e->d_name, depth + 1);
	}
	if (d)
		closedir(d);
	if (fd >= 0)
		close(fd);
}

void bx_groups(struct tbx_store *store,
	       void (*found)(void *ctx, const char *id, int dir, const char *group), void *ctx)
{
	struct search s = {.store = store, .found = found, .ctx = ctx};

	search(&s, AT_FDCWD, GROUPS, 0);
}

/* A state directory that says whose it is, as a server would have left it. */
static int make_place(struct bx *b)
{
	char *name = bx_format("%s-%s", b->id, b->store->tag);
	int run, fd = -1;
	bool good;

	mkdirat(b->dir, "run", 0700);
	run = openat(b->dir, "run", O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (run >= 0)
		fd = openat(run, "box", O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, 0600);
	good = fd >= 0 && name && write(fd, name, strlen(name)) == (ssize_t)strlen(name);
	free(name);
	if (fd >= 0)
		close(fd);
	if (run >= 0)
		close(run);
	return good ? TBX_OK : bx_fail(b->store, TBX_ERR_STORE, "%s/boxes/%s/run: %s", b->store->path,
				       b->id, strerror(errno));
}

/* Under the store's lock, so that no creation has the directory in hand. */
int bx_sweep_group(struct tbx_store *store, const char *id)
{
	struct bx b = {.store = store, .dir = -1, .lock = -1};
	int status = TBX_OK;

	if (mkdirat(store->boxes, id, 0700))
		return errno == EEXIST ? TBX_OK :
		       bx_fail(store, TBX_ERR_STORE, "%s/boxes/%s: %s", store->path, id, strerror(errno));
	memcpy(b.id, id, strlen(id) + 1);
	b.dir = openat(store->boxes, id, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (b.dir < 0 || !bx_try_lock(&b))
		status = bx_fail(store, TBX_ERR_BUSY, "%s is in use", id);
	if (!status)
		status = make_place(&b);
	if (!status)
		status = bx_remove_place(&b);
	if (!status)
		status = bx_forget(&b);
	bx_close(&b);
	return status;
}
