/* See store.h. Names are looked up below the descriptor of DIR only. */
#include "engine/store.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "engine/virtual.h"

#define NAME "files"
#define BESIDE "files.new"
#define BUFFER 65536u
#define SLACK ((uint64_t)1 << 20)	/* a list this small is not worth writing anew */
#define FACTOR 4u

struct store {
	int dir, fd;
	struct tsb_mark *mark;
	uint64_t size;		/* whole sets */
	uint64_t base;		/* of the first set, when it was written anew */
};

/* What is written goes through a buffer: records are small. */
struct sink {
	int fd, error;
	uint64_t at;
	size_t n;
	char data[BUFFER];
};

static int drain(struct sink *s)
{
	size_t done = 0;

	while (done < s->n) {
		ssize_t w = pwrite(s->fd, s->data + done, s->n - done, (off_t)s->at);

		if (w < 0 && errno == EINTR)
			continue;
		if (w <= 0) {
			s->error = w ? -errno : -EIO;
			return -1;
		}
		done += (size_t)w;
		s->at += (uint64_t)w;
	}
	s->n = 0;
	return 0;
}

static int sink_put(void *ctx, int fd, const void *data, size_t n)
{
	const char *p = data;
	struct sink *s = ctx;

	(void)fd;
	while (n) {
		size_t part = BUFFER - s->n < n ? BUFFER - s->n : n;

		memcpy(s->data + s->n, p, part);
		s->n += part;
		p += part;
		n -= part;
		if (s->n == BUFFER && drain(s))
			return -1;
	}
	return 0;
}

static int say(char *why, int error, const char *what, const char *more)
{
	snprintf(why, VIRTUAL_WHY, "%s: %s", what, more ? more : strerror(-error));
	return error;
}

/* All that is new since *mark, at `at` of fd; *size: where it ends. */
static int write_set(int fd, uint64_t at, struct tsb_mark **mark, struct tsb_sandbox *box,
		     uint64_t *size, char *why)
{
	struct sink *s = malloc(sizeof(*s));
	int rc;

	if (!s)
		return say(why, -ENOMEM, "cannot save the files", NULL);
	s->fd = fd;
	s->error = 0;
	s->at = at;
	s->n = 0;
	rc = tsb_save_changes(box, mark, sink_put, s);
	if (!rc && drain(s))
		rc = TSB_ERR_FILE;
	*size = s->at;
	if (rc)
		rc = say(why, s->error ? s->error : -EIO, "cannot save the files",
			 s->error ? NULL : tsb_error(box));
	free(s);
	return rc;
}

/* The mark has moved although its bytes may not be there: all is to be written again. */
static void forget(struct store *s)
{
	tsb_mark_free(s->mark);
	s->mark = NULL;
}

/* A new list with one set, in the place of the old one. */
static int write_anew(struct store *s, struct tsb_sandbox *box, char *why)
{
	struct tsb_mark *mark = NULL;
	uint64_t size = 0;
	int fd = openat(s->dir, BESIDE, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0600);
	int rc;

	if (fd < 0)
		return say(why, -errno, "cannot make the list of files", NULL);
	rc = write_set(fd, 0, &mark, box, &size, why);
	/* The first of a box has nothing to lose yet: a machine that loses power then has no box. */
	if (!rc && s->fd >= 0 && fdatasync(fd))
		rc = say(why, -errno, "cannot sync the list of files", NULL);
	if (!rc && renameat(s->dir, BESIDE, s->dir, NAME))
		rc = say(why, -errno, "cannot replace the list of files", NULL);
	if (rc) {
		close(fd);
		tsb_mark_free(mark);
		return rc;
	}
	if (s->fd >= 0)
		close(s->fd);
	tsb_mark_free(s->mark);
	s->fd = fd;
	s->mark = mark;
	s->size = s->base = size;
	return 0;
}

static int sink_none(void *ctx, int fd, const void *data, size_t n)
{
	(void)fd;
	(void)data;
	(void)n;
	return *(const bool *)ctx;
}

/* A new box has no list before there is something that no other new box has. */
static bool untouched(struct store *s, struct tsb_sandbox *box)
{
	const bool refuse = true;

	return s->fd < 0 && s->mark &&
	       !tsb_save_changes(box, &s->mark, sink_none, (void *)(uintptr_t)&refuse);
}

int store_commit(struct store *s, struct tsb_sandbox *box, char *why)
{
	uint64_t size = s->size;
	int rc;

	if (untouched(s, box))
		return 0;
	if (s->fd < 0 || !s->mark || s->size > FACTOR * s->base + SLACK)
		return write_anew(s, box, why);
	rc = write_set(s->fd, s->size, &s->mark, box, &size, why);
	if (!rc) {
		s->size = size;
		return 0;
	}
	/* Half a set may stand there: nothing may follow it. */
	forget(s);
	if (ftruncate(s->fd, (off_t)s->size))
		s->base = 0;
	return rc;
}

/* ---- Opening ---- */

/* About what a list of one set would take. */
static uint64_t live(struct tsb_sandbox *box, uint64_t most)
{
	struct tsb_statistics stats = { .size = sizeof(stats) };

	if (tsb_stats(box, &stats) || stats.fs_bytes + stats.fs_entries * 256 > most)
		return most;
	return stats.fs_bytes + stats.fs_entries * 256;
}

static int load(struct store *s, struct tsb_sandbox *box, size_t n, bool *fresh, char *why)
{
	void *data = n ? mmap(NULL, n, PROT_READ, MAP_PRIVATE, s->fd, 0) : NULL;
	size_t used = 0;
	int rc;

	if (n && data == MAP_FAILED)
		return say(why, -errno, "cannot read the list of files", NULL);
	rc = tsb_load_changes(box, data ? data : "", n, &used, &s->mark);
	if (n)
		munmap(data, n);
	if (rc == TSB_ERR_FORMAT || (!rc && !used && n))
		return say(why, -EBADMSG, "the list of files (" NAME " in the box's directory) is damaged",
			   "not started, so that nothing is lost");
	if (rc)
		return say(why, -ENOMEM, "cannot load the files", tsb_error(box));
	*fresh = !used;
	s->size = used;
	s->base = live(box, used);
	if (used < n && ftruncate(s->fd, (off_t)used))
		return say(why, -errno, "cannot cut the list of files", NULL);
	return 0;
}

static int open_list(struct store *s, struct tsb_sandbox *box, bool *fresh, char *why)
{
	struct stat st;

	bool accept = false;

	s->fd = openat(s->dir, NAME, O_RDWR | O_CLOEXEC | O_NOFOLLOW);
	*fresh = s->fd < 0;
	if (s->fd < 0 && errno != ENOENT)
		return say(why, -errno, "cannot open the list of files", NULL);
	if (s->fd < 0)
		return tsb_save_changes(box, &s->mark, sink_none, &accept) ?
		       say(why, -ENOMEM, "cannot open the list of files", NULL) : 0;
	if (fstat(s->fd, &st) || !S_ISREG(st.st_mode))
		return say(why, -EINVAL, "the list of files is no file", NULL);
	return load(s, box, (size_t)st.st_size, fresh, why);
}

int store_open(struct store **out, const char *dir, struct tsb_sandbox *box, bool *fresh,
	       char *why)
{
	struct store *s = calloc(1, sizeof(*s));
	int rc;

	if (!s)
		return say(why, -ENOMEM, "cannot open the store", NULL);
	s->fd = -1;
	s->dir = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	rc = s->dir < 0 ? say(why, -errno, dir, NULL) : open_list(s, box, fresh, why);
	if (rc) {
		store_close(s);
		return rc;
	}
	*out = s;
	return 0;
}

void store_close(struct store *s)
{
	if (!s)
		return;
	if (s->fd >= 0)
		close(s->fd);
	if (s->dir >= 0)
		close(s->dir);
	tsb_mark_free(s->mark);
	free(s);
}

int store_sync(struct store *s)
{
	if (s->fd < 0)
		return 0;
	return fdatasync(s->fd) || fsync(s->dir) ? -errno : 0;
}

uint64_t store_size(const struct store *s)
{
	return s->size;
}
