/*
 * What the roots of all boxes of this host's /usr begin from: directories, links, files of /etc, the places of
 * /dev. Making it costs more than all mounts of a box, so it is made once, on disk, below the cache directory, and
 * is a layer below what is a box's own. Its name tells what of the host it was made from, so that a change makes
 * another; and the boot, as nothing is synced. Nothing is ever changed in one.
 *
 * Who uses one holds a shared lock on its directory; who makes one holds the cache directory's, and removes those
 * that nobody uses. Locks die with their process.
 */
#include "init/wall_in.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "reach/reach.h"

#define LAYOUT "2"		/* to be changed with what is made */
#define PREFIX "root-"
#define MAKING ".new"
#define NAME_SIZE 32
#define TRIES 3
#define DEPTH 8

/* FNV-1a: nobody but the host's root, who has all boxes, chooses what goes in. */
static uint64_t mix(uint64_t h, const void *data, size_t n)
{
	const uint8_t *p = data;

	for (; n; n--)
		h = (h ^ *p++) * UINT64_C(0x100000001b3);
	return h;
}

static uint64_t mix_file(uint64_t h, int at, const char *name)
{
	struct stat st;
	uint64_t what[8] = {0};

	if (!fstatat(at, name, &st, AT_SYMLINK_NOFOLLOW)) {
		what[0] = st.st_ino;
		what[1] = st.st_dev;
		what[2] = st.st_mode;
		what[3] = (uint64_t)st.st_size;
		what[4] = (uint64_t)st.st_mtim.tv_sec;
		what[5] = (uint64_t)st.st_mtim.tv_nsec;
		what[6] = (uint64_t)st.st_ctim.tv_sec;
		what[7] = (uint64_t)st.st_ctim.tv_nsec;
	}
	return mix(h, what, sizeof(what));
}

static uint64_t mix_boot(uint64_t h)
{
	char id[64];
	int fd = open("/proc/sys/kernel/random/boot_id", O_RDONLY | O_CLOEXEC);
	ssize_t n = fd < 0 ? -1 : read(fd, id, sizeof(id));

	if (fd >= 0)
		close(fd);
	return mix(h, id, n < 0 ? 0 : (size_t)n);
}

static void name_of(struct wall *w, char name[NAME_SIZE])
{
	const uint32_t ids[] = {w->spec->uid, w->spec->gid, w->out_uid, w->out_gid, w->range};
	uint64_t h = mix(UINT64_C(0xcbf29ce484222325), LAYOUT, sizeof(LAYOUT));
	int etc = open("/etc", O_PATH | O_DIRECTORY | O_CLOEXEC);
	const char *const *file;
	size_t n = wall_etc_copied(&file);

	h = mix_boot(mix(h, ids, sizeof(ids)));
	/* what there is, and where links lead */
	h = mix_file(h, AT_FDCWD, "/");
	h = mix_file(h, AT_FDCWD, "/etc");
	h = mix_file(h, AT_FDCWD, "/etc/ssl");
	for (size_t i = 0; i < n; i++)
		h = mix_file(h, etc, file[i]);
	w->host_has = (struct wall_host){wall_top_there(), wall_etc_there(etc)};
	h = mix(h, &w->host_has, sizeof(w->host_has));
	if (etc >= 0)
		close(etc);
	snprintf(name, NAME_SIZE, PREFIX "%016llx", (unsigned long long)h);
}

/* Ours alone, with no link in its path. */
static int open_cache(const char *path)
{
	struct stat st;
	int fd = reach_open(AT_FDCWD, path, O_RDONLY | O_DIRECTORY, 0, REACH_HOST);

	if (fd < 0 && errno == ENOENT && !mkdir(path, 0700))
		fd = reach_open(AT_FDCWD, path, O_RDONLY | O_DIRECTORY, 0, REACH_HOST);
	if (fd >= 0 && (fstat(fd, &st) || st.st_uid != geteuid() || st.st_mode & 022)) {
		close(fd);
		return -1;
	}
	return fd;
}

/* One that is there, locked; -1: there is none (any more). */
static int hold(int cache, const char *name)
{
	int fd = openat(cache, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	struct stat ours, there;

	if (fd < 0)
		return -1;
	if (!flock(fd, LOCK_SH) && !fstat(fd, &ours) && !fstatat(cache, name, &there, AT_SYMLINK_NOFOLLOW) &&
	    ours.st_ino == there.st_ino)
		return fd;
	close(fd);
	return -1;
}

/* All below becomes the box's root's, but devices, which stay the host's; takes the descriptor. */
static bool give(const struct wall *w, int dir, unsigned depth)
{
	DIR *d = dir >= 0 && depth < DEPTH ? fdopendir(dir) : NULL;
	struct dirent *e;
	bool ok = d != NULL;

	if (!d && dir >= 0)
		close(dir);
	while (ok && (e = readdir(d))) {
		if (!strcmp(e->d_name, ".") || !strcmp(e->d_name, "..") || e->d_type == DT_CHR)
			continue;
		ok = !fchownat(dirfd(d), e->d_name, WALL_BASE, WALL_BASE, AT_SYMLINK_NOFOLLOW) &&
			(e->d_type != DT_DIR ||
			 give(w, openat(dirfd(d), e->d_name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC),
			      depth + 1));
	}
	if (d)
		closedir(d);
	return ok;
}

static bool give_all(const struct wall *w, int dir)
{
	if (!w->range)
		return true;
	return !fchown(dir, WALL_BASE, WALL_BASE) &&
	       give(w, openat(dir, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC), 0) &&
	       (!fchownat(dir, "home/user", w->out_uid, w->out_gid, AT_SYMLINK_NOFOLLOW) || errno == ENOENT);
}

static bool make(struct wall *w, int cache, const char *name)
{
	mode_t mask = umask(0);
	int dir = mkdirat(cache, MAKING, 0755) ? -1 :
		openat(cache, MAKING, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC), dev = -1;
	bool ok;

	w->fresh = w->sharing = true;
	ok = dir >= 0 && !wall_common(w, dir);
	w->fresh = w->sharing = false;
	if (ok)
		dev = openat(dir, "dev", O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	ok = dev >= 0 && wall_dev_files(dev, w->range) && give_all(w, dir) && !renameat(cache, MAKING, cache, name);
	umask(mask);
	if (dev >= 0)
		close(dev);
	if (dir >= 0)
		close(dir);
	if (!ok)
		tree_remove(cache, MAKING);
	return ok;
}

/* What nobody uses: of another boot, of another /etc, half made. */
static void clean(int cache)
{
	int copy = openat(cache, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *d = copy < 0 ? NULL : fdopendir(copy);
	struct dirent *e;

	tree_remove(cache, MAKING);
	while (d && (e = readdir(d))) {
		int fd = strncmp(e->d_name, PREFIX, strlen(PREFIX)) ? -1 :
			openat(cache, e->d_name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);

		/* by another name first: whoever waits for the lock looks whether it has its name still */
		if (fd >= 0 && !flock(fd, LOCK_EX | LOCK_NB) && !renameat(cache, e->d_name, cache, MAKING))
			tree_remove(cache, MAKING);
		if (fd >= 0)
			close(fd);
	}
	if (d)
		closedir(d);
	else if (copy >= 0)
		close(copy);
}

static int find_or_make(struct wall *w, int cache, const char *name)
{
	int fd = hold(cache, name);

	for (int i = 0; fd < 0 && i < TRIES; i++) {
		if (flock(cache, LOCK_EX))
			return -1;
		fd = hold(cache, name);
		if (fd < 0) {
			clean(cache);
			if (!make(w, cache, name))
				i = TRIES;
			fd = hold(cache, name);
		}
		flock(cache, LOCK_UN);
	}
	return fd;
}

/* A target that is, or is below, something of the host's would hide it, or get its mode wrong. */
static bool target_is_new(const struct wall *w, int shared)
{
	const struct spec *s = w->spec;

	if (!s->workspace && !s->target)
		return true;
	return w->target[1] && !strchr(w->target + 1, '/') &&
	       faccessat(shared, w->target + 1, F_OK, AT_SYMLINK_NOFOLLOW) && errno == ENOENT;
}

void wall_share(struct wall *w)
{
	const struct spec *s = w->spec;
	char name[NAME_SIZE];
	int cache, fd = -1;

	if (!s->cache || s->root)
		return;
	cache = open_cache(s->cache);
	if (cache < 0)
		return;
	name_of(w, name);
	fd = find_or_make(w, cache, name);
	close(cache);
	if (fd < 0) {
		w->host_has = (struct wall_host)WALL_HOST_ALL;
		return;
	}
	if (target_is_new(w, fd) && asprintf(&w->shared, "%s/%s", s->cache, name) < 0)
		w->shared = NULL;
	if (!w->shared) {
		w->host_has = (struct wall_host)WALL_HOST_ALL;
		close(fd);
		return;
	}
	w->shared_lock = fd;
}

void wall_unshare(struct wall *w)
{
	if (w->shared_lock >= 0)
		close(w->shared_lock);
	w->shared_lock = -1;
	free(w->shared);
	w->shared = NULL;
}
