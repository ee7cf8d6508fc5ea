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

#include "engine/index.h"
#include "engine/virtual.h"

#define NAME_MOST 240		/* room for what is beside it */
#define LAYER "files"		/* in a layer, whatever the list is called */
#define SEALED "sealed"
#define BUFFER 65536u
#define SLACK ((uint64_t)1 << 20)	/* a list this small is not worth writing anew */
#define FACTOR 4u
#define HEAD 4096u		/* a page is written as a whole, whoever is killed meanwhile */

struct store {
	int dir, fd;
	char name[NAME_MOST + 1], beside[NAME_MOST + 5];
	struct tsb_mark *mark;
	struct tsb_mark *below;	/* the layers; NULL: none, or what a list of one set begins from */
	uint64_t size;		/* whole sets */
	uint64_t base;		/* of the first set, when it was written anew */
};

/* What is written goes through a buffer: records are small. */
struct sink {
	const struct store *first;	/* whose list is to be made when something is written; NULL: fd is it */
	int fd, error;
	bool over;			/* all is in data */
	bool beside;			/* the list was made beside its place */
	uint64_t at;
	size_t n;
	char data[BUFFER];
};

/*
 * A box's first list has nothing to lose. When it is small it is made where it will be, its head last: a list
 * without a head is a new box's (headless()). Otherwise it is made beside, so that there is never a part of it.
 */
static bool make_list(struct sink *s)
{
	const struct store *t = s->first;
	int flags = O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW;

	s->beside = !s->over || s->at;
	s->fd = openat(t->dir, s->beside ? t->beside : t->name,
		       flags | (s->beside ? O_TRUNC : O_EXCL), 0600);
	return s->fd >= 0;
}

static int write_part(struct sink *s, size_t from, size_t to, uint64_t at)
{
	while (from < to) {
		ssize_t w = pwrite(s->fd, s->data + from, to - from, (off_t)at);

		if (w < 0 && errno == EINTR)
			continue;
		if (w <= 0) {
			s->error = w ? -errno : -EIO;
			return -1;
		}
		from += (size_t)w;
		at += (uint64_t)w;
	}
	return 0;
}

static int drain(struct sink *s)
{
	size_t head = 0;

	if (s->fd < 0 && !make_list(s)) {
		s->error = -errno;
		return -1;
	}
	if (s->first && !s->beside)
		head = s->n < HEAD ? s->n : HEAD;
	if (write_part(s, head, s->n, s->at + head) || write_part(s, 0, head, s->at))
		return -1;
	s->at += s->n;
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

/* All that is new since *mark, at `at` of the sink's file; *size: where it ends. */
static int write_set(struct sink *s, uint64_t at, struct tsb_mark **mark, struct tsb_sandbox *box,
		     uint64_t *size, char *why)
{
	int rc;

	s->error = 0;
	s->at = at;
	s->n = 0;
	s->over = false;
	rc = tsb_save_changes(box, mark, sink_put, s);
	s->over = true;
	if (!rc && drain(s))
		rc = TSB_ERR_FILE;
	*size = s->at;
	if (rc)
		rc = say(why, s->error ? s->error : -EIO, "cannot save the files",
			 s->error ? NULL : tsb_error(box));
	return rc;
}

/* The mark has moved although its bytes may not be there: all is to be written again. */
static void forget(struct store *s)
{
	tsb_mark_free(s->mark);
	s->mark = NULL;
}

/* What is in the sink's new file takes the place of the old list, or is the first. */
static int put_in_place(struct store *s, const struct sink *k, char *why)
{
	/* The first of a box: a machine that loses power then has no box. */
	if (s->fd >= 0 && fdatasync(k->fd))
		return say(why, -errno, "cannot sync the list of files", NULL);
	if (k->beside && renameat(s->dir, s->beside, s->dir, s->name))
		return say(why, -errno, "cannot replace the list of files", NULL);
	return 0;
}

/* A new list with one set, in the place of the old one. */
static int write_anew(struct store *s, struct tsb_sandbox *box, char *why)
{
	struct sink *k = malloc(sizeof(*k));
	struct tsb_mark *mark = tsb_mark_copy(s->below);
	uint64_t size = 0;
	int rc;

	if (!k || (s->below && !mark)) {
		free(k);
		tsb_mark_free(mark);
		return say(why, -ENOMEM, "cannot save the files", NULL);
	}
	k->first = s;
	/* one that is there is replaced */
	k->beside = s->fd >= 0;
	k->fd = !k->beside ? -1 :
		openat(s->dir, s->beside, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0600);
	if (k->beside && k->fd < 0)
		rc = say(why, -errno, "cannot make the list of files", NULL);
	else
		rc = write_set(k, 0, &mark, box, &size, why);
	if (!rc)
		rc = put_in_place(s, k, why);
	if (rc) {
		if (k->fd >= 0)
			close(k->fd);
		if (k->fd >= 0 && s->fd < 0)
			unlinkat(s->dir, k->beside ? s->beside : s->name, 0);
		tsb_mark_free(mark);
		free(k);
		return rc;
	}
	if (s->fd >= 0)
		close(s->fd);
	tsb_mark_free(s->mark);
	s->fd = k->fd;
	s->mark = mark;
	s->size = s->base = size;
	free(k);
	return 0;
}

/* What is new, behind what is there. */
static int append(struct store *s, struct tsb_sandbox *box, uint64_t *size, char *why)
{
	struct sink *k = malloc(sizeof(*k));
	int rc;

	if (!k)
		return say(why, -ENOMEM, "cannot save the files", NULL);
	k->first = NULL;
	k->fd = s->fd;
	rc = write_set(k, s->size, &s->mark, box, size, why);
	free(k);
	return rc;
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
	rc = append(s, box, &size, why);
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

int store_seal(struct store *s, struct tsb_sandbox *box, bool *any, char *why)
{
	int rc = store_commit(s, box, why);
	struct tsb_mark *mark;

	*any = s->fd >= 0;
	if (rc || s->fd < 0)
		return rc;
	if (!faccessat(s->dir, SEALED, F_OK, AT_SYMLINK_NOFOLLOW))
		return say(why, -EEXIST, "an earlier layer was not taken away", NULL);
	mark = tsb_mark_copy(s->mark);
	if (!mark)
		return say(why, -ENOMEM, "cannot seal the list of files", NULL);
	if (renameat(s->dir, s->name, s->dir, SEALED)) {
		tsb_mark_free(mark);
		return say(why, -errno, "cannot seal the list of files", NULL);
	}
	close(s->fd);
	s->fd = -1;
	s->size = s->base = 0;
	tsb_mark_free(s->below);
	s->below = mark;
	return 0;
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

/* What is left of a first list whose writer was killed: it held nothing that was promised. */
static bool headless(const char *data, size_t n)
{
	size_t i = 0;

	while (i < n && i < HEAD && !data[i])
		i++;
	return n <= BUFFER && (i == n || i == HEAD);
}

static int load(struct store *s, struct tsb_sandbox *box, size_t n, bool *fresh, char *why)
{
	void *data = n ? mmap(NULL, n, PROT_READ, MAP_PRIVATE, s->fd, 0) : NULL;
	size_t used = 0, whole = n;
	int rc;

	if (n && data == MAP_FAILED)
		return say(why, -errno, "cannot read the list of files", NULL);
	if (headless(data, n))
		n = 0;
	rc = tsb_load_changes(box, n ? data : "", n, &used, &s->mark);
	if (whole)
		munmap(data, whole);
	if (rc == TSB_ERR_FORMAT || (!rc && !used && n))
		return say(why, -EBADMSG, "the list of files (in the box's directory) is damaged",
			   "not started, so that nothing is lost");
	if (rc)
		return say(why, -ENOMEM, "cannot load the files", tsb_error(box));
	*fresh = *fresh && !used;
	s->size = used;
	s->base = live(box, used);
	return 0;
}

static int size_of(struct store *s, size_t *n, char *why)
{
	struct stat st;

	if (fstat(s->fd, &st) || !S_ISREG(st.st_mode))
		return say(why, -EINVAL, "the list of files is no file", NULL);
	*n = (size_t)st.st_size;
	return 0;
}

/* Its sets, read: mapped at a place that an index can name, or as a copy when it is small. */
static int read_layer(struct store *s, struct index *x, int layer, const struct stat *st,
		      struct tsb_sandbox *box, char *why)
{
	bool trusted = !faccessat(layer, "manifest", F_OK, AT_SYMLINK_NOFOLLOW);
	bool place = index_worth(x, (uint64_t)st->st_size);
	size_t n = (size_t)st->st_size, used = 0;
	void *data = place ? index_place(x, s->fd, n) : mmap(NULL, n, PROT_READ, MAP_SHARED, s->fd, 0);
	int rc;

	if (!data || data == MAP_FAILED)
		return say(why, -errno, "cannot read a layer", NULL);
	if (headless(data, n))
		return 0;	/* it may stay where it is */
	rc = place ? tsb_map_changes(box, data, n, trusted, &used, &s->mark) :
		     tsb_load_changes(box, data, n, &used, &s->mark);
	if (rc || !used)
		return say(why, rc == TSB_ERR_MEMORY ? -ENOMEM : -EBADMSG,
			   "a layer that the box begins from is damaged", "not started");
	if (!place)
		munmap(data, n);
	index_made(x, layer, st, place ? data : NULL, box, &s->mark);
	return 0;
}

/*
 * A layer, which nobody writes any more: its content stays in the file, which all boxes of it share, and
 * is mapped as long as we live. One with a manifest was verified when the box began from it.
 */
static int map_layer(struct store *s, struct index *x, int dir, const char *name, struct tsb_sandbox *box,
		     bool *fresh, char *why)
{
	int layer = openat(dir, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW), rc = 0;
	struct stat st = { 0 };

	s->fd = layer < 0 ? -1 : openat(layer, LAYER, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
	if (s->fd < 0)
		rc = say(why, -errno, "a layer that the box begins from is not there", NULL);
	else if (fstat(s->fd, &st) || !S_ISREG(st.st_mode))
		rc = say(why, -EINVAL, "the list of files is no file", NULL);
	else if (st.st_size && !index_map(x, layer, s->fd, &st, box, &s->mark))
		rc = read_layer(s, x, layer, &st, box, why);
	if (s->fd >= 0)
		close(s->fd);
	if (layer >= 0)
		close(layer);
	s->fd = -1;
	*fresh = *fresh && !s->mark;
	return rc;
}

/* A list that is only read; what is torn at its end was never there. */
static int load_sealed(struct store *s, int dir, const char *name, struct tsb_sandbox *box, bool *fresh,
		       char *why)
{
	size_t n = 0;
	int rc;

	s->fd = openat(dir, name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
	if (s->fd < 0)
		return say(why, -errno, "a layer that the box begins from is not there", NULL);
	rc = size_of(s, &n, why);
	if (!rc)
		rc = load(s, box, n, fresh, why);
	close(s->fd);
	s->fd = -1;
	s->size = s->base = 0;
	return rc;
}

static int load_layers(struct store *s, const struct virtual_spec *spec, struct tsb_sandbox *box,
		       bool *fresh, char *why)
{
	struct index x = { 0 };
	int rc = 0, dir = -1;
	char name[80];

	if (spec->layer && *spec->layer) {
		dir = open(spec->layers, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
		if (dir < 0)
			return say(why, -errno, spec->layers, NULL);
	}
	for (size_t i = 0; dir >= 0 && !rc && spec->layer[i]; i++) {
		snprintf(name, sizeof(name), "%.64s", spec->layer[i]);
		rc = map_layer(s, &x, dir, name, box, fresh, why);
	}
	index_free(&x);
	if (dir >= 0)
		close(dir);
	if (!rc && !faccessat(s->dir, SEALED, F_OK, AT_SYMLINK_NOFOLLOW))
		rc = load_sealed(s, s->dir, SEALED, box, fresh, why);
	if (rc || !s->mark)
		return rc;
	s->below = tsb_mark_copy(s->mark);
	return s->below ? 0 : say(why, -ENOMEM, "cannot load the layers", NULL);
}

/* From nothing: what is in the sandbox, whatever it was made of. */
static int write_whole(struct store *s, struct tsb_sandbox *box, char *why)
{
	struct sink *k = malloc(sizeof(*k));
	struct tsb_mark *mark = NULL;
	uint64_t size = 0;
	int rc = 0;

	if (!k)
		return say(why, -ENOMEM, "cannot merge the layers", NULL);
	k->first = NULL;
	k->fd = openat(s->dir, LAYER ".new", O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0600);
	if (k->fd < 0)
		rc = say(why, -errno, "cannot make the layer", NULL);
	if (!rc)
		rc = write_set(k, 0, &mark, box, &size, why);
	if (!rc && (fdatasync(k->fd) || renameat(s->dir, LAYER ".new", s->dir, LAYER) || fsync(s->dir)))
		rc = say(why, -errno, "cannot write the layer", NULL);
	if (k->fd >= 0)
		close(k->fd);
	tsb_mark_free(mark);
	free(k);
	return rc;
}

int store_merge(const struct virtual_spec *spec, const char *to, struct tsb_sandbox *box, char *why)
{
	struct store *s = calloc(1, sizeof(*s));
	int layers = open(spec->layers, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW), rc;
	bool fresh = true;

	if (!s || layers < 0 || (mkdirat(layers, to, 0700) && errno != EEXIST)) {
		rc = say(why, s ? -errno : -ENOMEM, spec->layers, NULL);
		if (layers >= 0)
			close(layers);
		free(s);
		return rc;
	}
	s->fd = -1;
	s->dir = openat(layers, to, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
	close(layers);
	if (s->dir < 0)
		rc = say(why, -errno, "cannot make the layer", NULL);
	else if (!faccessat(s->dir, LAYER, F_OK, AT_SYMLINK_NOFOLLOW))
		rc = 0;			/* it was done before */
	else
		rc = load_layers(s, spec, box, &fresh, why);
	if (!rc && faccessat(s->dir, LAYER, F_OK, AT_SYMLINK_NOFOLLOW))
		rc = write_whole(s, box, why);
	store_close(s);
	return rc;
}

static int open_list(struct store *s, struct tsb_sandbox *box, bool *fresh, char *why)
{
	bool accept = false;
	size_t n = 0;
	int rc;

	s->fd = openat(s->dir, s->name, O_RDWR | O_CLOEXEC | O_NOFOLLOW);
	if (s->fd < 0 && errno != ENOENT)
		return say(why, -errno, "cannot open the list of files", NULL);
	if (s->fd < 0 && s->mark)
		return 0;
	if (s->fd < 0)
		return tsb_save_changes(box, &s->mark, sink_none, &accept) ?
		       say(why, -ENOMEM, "cannot open the list of files", NULL) : 0;
	rc = size_of(s, &n, why);
	if (!rc)
		rc = load(s, box, n, fresh, why);
	if (!rc && s->size < n && ftruncate(s->fd, (off_t)s->size))
		rc = say(why, -errno, "cannot cut the list of files", NULL);
	return rc;
}

int store_open(struct store **out, const struct virtual_spec *spec, struct tsb_sandbox *box,
	       bool *fresh, char *why)
{
	const char *name = spec->name ? spec->name : "files";
	struct store *s = calloc(1, sizeof(*s));
	int rc;

	if (!s)
		return say(why, -ENOMEM, "cannot open the store", NULL);
	if (!*name || strlen(name) > NAME_MOST || strchr(name, '/') || *name == '.') {
		free(s);
		return say(why, -EINVAL, "the name of the list of files is none", NULL);
	}
	s->fd = -1;
	snprintf(s->name, sizeof(s->name), "%s", name);
	snprintf(s->beside, sizeof(s->beside), "%s.new", name);
	*fresh = true;
	s->dir = open(spec->dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	rc = s->dir < 0 ? say(why, -errno, spec->dir, NULL) : load_layers(s, spec, box, fresh, why);
	if (!rc)
		rc = open_list(s, box, fresh, why);
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
	tsb_mark_free(s->below);
	free(s);
}

int store_sync(struct store *s)
{
	if (s->fd < 0)
		return 0;
	return fdatasync(s->fd) || fsync(s->dir) ? -errno : 0;
}
