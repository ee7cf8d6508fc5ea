/*
 * See index.h. Places are random, so that they seldom collide and nobody knows them; one that is taken (the layer is
 * mapped already, in a process with several boxes) means that the list is read.
 */
#include "engine/index.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <time.h>
#include <unistd.h>

#define MAGIC UINT64_C(0x0178646e69627874)
#define HEAD 4096u
#define SMALL ((uint64_t)256 << 10)	/* such a list is read sooner than mapped */
#define BUFFER 65536u

/* Memory that nothing else takes by itself: 16 TiB from 2^45 on. ThreadSanitizer has it. */
#if UINTPTR_MAX > UINT32_MAX && !defined(__SANITIZE_THREAD__)
#define PLACES_FROM UINT64_C(0x200000000000)
#define PLACES_MASK (((UINT64_C(1) << 44) - 1) & ~UINT64_C(0xffff))
#else
#define PLACES_FROM 0
#define PLACES_MASK 0
#endif

struct seen {
	uint64_t dev, ino, size, mtime, ctime;
};

struct head {
	uint64_t magic, at, size, list_at, id, below;
	uint64_t mtime;		/* of the index itself: whole seconds, which a later write does not leave */
	struct seen list;
};

struct writer {
	int fd;
	uint64_t at;
	size_t n;
	char data[BUFFER];
};

static uint64_t nanoseconds(const struct timespec *t)
{
	return (uint64_t)t->tv_sec * 1000000000u + (uint64_t)t->tv_nsec;
}

static struct seen see(const struct stat *st)
{
	return (struct seen){ (uint64_t)st->st_dev, (uint64_t)st->st_ino, (uint64_t)st->st_size,
			      nanoseconds(&st->st_mtim), nanoseconds(&st->st_ctim) };
}

static uint64_t mix(uint64_t h, uint64_t value)
{
	h = (h ^ value) * UINT64_C(0x9fb21c651e98df25);
	return h ^ h >> 32;
}

/* What a layer without an index makes of `below`. */
static uint64_t next_below(uint64_t below, const struct stat *st)
{
	const struct seen s = see(st);

	return mix(mix(mix(mix(mix(below + 1, s.dev), s.ino), s.size), s.mtime), s.ctime);
}

static uint64_t random_place(void)
{
	uint64_t r;

	if (!PLACES_FROM || getrandom(&r, sizeof(r), 0) != sizeof(r))
		return 0;
	return PLACES_FROM + (r & PLACES_MASK);
}

/* At that place or nowhere: NULL. */
static void *map_at(uint64_t at, size_t n, int prot, int flags, int fd)
{
	void *p = at && n ? mmap((void *)(uintptr_t)at, n, prot, flags | MAP_FIXED_NOREPLACE, fd, 0) :
		  MAP_FAILED;

	if (p == MAP_FAILED)
		return NULL;
	if ((uint64_t)(uintptr_t)p == at)
		return p;
	munmap(p, n);		/* a kernel that does not know the flag */
	return NULL;
}

static bool add(struct index *x, const void *at, size_t size)
{
	struct tsb_memory *there = reallocarray(x->there, x->n + 1, sizeof(*there));

	if (!there)
		return false;
	x->there = there;
	there[x->n++] = (struct tsb_memory){ at, size };
	return true;
}

bool index_worth(const struct index *x, uint64_t size)
{
	return x->indexed || size >= SMALL;
}

/* ---- Mapping ---- */

/* Ours, whole, of this list above those below; of which build, the image says. */
static bool fits(const struct index *x, const struct head *h, const struct stat *own, const struct stat *list)
{
	const struct seen s = see(list);

	return S_ISREG(own->st_mode) && own->st_uid == geteuid() && !(own->st_mode & 022) &&
	       h->magic == MAGIC && h->size == (uint64_t)own->st_size && h->size > HEAD &&
	       h->mtime == nanoseconds(&own->st_mtim) && !memcmp(&h->list, &s, sizeof(s)) &&
	       h->below == x->below && h->at % HEAD == 0 && h->list_at % HEAD == 0 && h->list_at != h->at;
}

/* Image and list at their places; both or none. */
static void *map_both(const struct head *h, int fd, int list)
{
	char *image = map_at(h->at, (size_t)h->size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_NORESERVE, fd);

	if (image && list >= 0 && !map_at(h->list_at, (size_t)h->list.size, PROT_READ, MAP_SHARED, list)) {
		munmap(image, (size_t)h->size);
		return NULL;
	}
	return image;
}

static bool use(struct index *x, const struct head *h, char *image, struct tsb_sandbox *box,
		struct tsb_mark **mark)
{
	if (tsb_map_image(box, image + HEAD, (size_t)h->size - HEAD, mark))
		return false;
	x->lost |= !add(x, image, (size_t)h->size);
	x->below = h->id;
	x->indexed = true;
	return true;
}

bool index_map(struct index *x, int layer, int list, const struct stat *st, struct tsb_sandbox *box,
	       struct tsb_mark **mark)
{
	int fd = x->lost ? -1 : openat(layer, INDEX_NAME, O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK);
	struct stat own;
	struct head h;
	char *image = NULL;
	bool good;

	if (fd < 0)
		return false;
	good = !fstat(fd, &own) && pread(fd, &h, sizeof(h), 0) == sizeof(h) && fits(x, &h, &own, st);
	if (good) {
		image = map_both(&h, fd, list);
		x->lost |= !image;	/* it is good, but we cannot have it */
	}
	close(fd);
	if (!image)
		return false;
	good = use(x, &h, image, box, mark);
	if (good) {
		x->lost |= !add(x, (void *)(uintptr_t)h.list_at, (size_t)h.list.size);
		return true;
	}
	munmap(image, (size_t)h.size);
	munmap((void *)(uintptr_t)h.list_at, (size_t)h.list.size);
	return false;
}

void *index_place(struct index *x, int list, size_t size)
{
	void *data = x->lost ? NULL : map_at(random_place(), size, PROT_READ, MAP_SHARED, list);

	if (data && add(x, data, size))
		return data;
	x->lost = true;
	if (data)
		return data;
	data = mmap(NULL, size, PROT_READ, MAP_SHARED, list, 0);
	return data == MAP_FAILED ? NULL : data;
}

/* ---- Writing ---- */

static int drain(struct writer *w)
{
	for (size_t from = 0; from < w->n;) {
		ssize_t n = pwrite(w->fd, w->data + from, w->n - from, (off_t)w->at);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return -1;
		from += (size_t)n;
		w->at += (uint64_t)n;
	}
	w->n = 0;
	return 0;
}

static int put(void *ctx, int stream, const void *data, size_t n)
{
	struct writer *w = ctx;

	(void)stream;
	for (const char *p = data; n;) {
		size_t part = BUFFER - w->n < n ? BUFFER - w->n : n;

		memcpy(w->data + w->n, p, part);
		w->n += part;
		p += part;
		n -= part;
		if (w->n == BUFFER && drain(w))
			return -1;
	}
	return 0;
}

/* The time that says that nobody wrote since: a second ago, whole. */
static bool seal(int fd, struct head *h)
{
	struct timespec t[2];

	if (clock_gettime(CLOCK_REALTIME, &t[0]))
		return false;
	t[0] = t[1] = (struct timespec){ t[0].tv_sec - 1, 0 };
	h->mtime = nanoseconds(&t[1]);
	return pwrite(fd, h, sizeof(*h), 0) == sizeof(*h) && !futimens(fd, t);
}

static bool write_image(struct index *x, int fd, struct head *h, const struct tsb_mark *mark)
{
	struct writer *w = malloc(sizeof(*w));
	bool good;

	if (!w)
		return false;
	w->fd = fd;
	w->at = HEAD;
	w->n = 0;
	good = !tsb_save_image(mark, h->at + HEAD, x->there, x->n, put, w) && !drain(w);
	h->size = w->at;
	free(w);
	return good && seal(fd, h);
}

/* A file without a name until it is whole: who is killed leaves nothing behind. */
static bool give_name(int layer, int fd)
{
	char path[40];

	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	unlinkat(layer, INDEX_NAME, 0);
	return !linkat(AT_FDCWD, path, layer, INDEX_NAME, AT_SYMLINK_FOLLOW);
}

static bool make(struct index *x, int layer, const struct stat *st, const void *data, struct head *h,
		 struct tsb_sandbox *box, struct tsb_mark **mark)
{
	int fd = openat(layer, ".", O_RDWR | O_TMPFILE | O_CLOEXEC, 0600);
	char *image = NULL;
	bool good;

	if (fd < 0)
		return false;
	*h = (struct head){ .magic = MAGIC, .at = random_place(), .list_at = (uint64_t)(uintptr_t)data,
			    .below = x->below, .list = see(st) };
	good = h->at && getrandom(&h->id, sizeof(h->id), 0) == sizeof(h->id) &&
	       write_image(x, fd, h, *mark) && give_name(layer, fd) && (image = map_both(h, fd, -1));
	close(fd);
	if (!good)
		return false;
	good = use(x, h, image, box, mark);
	if (!good)
		munmap(image, (size_t)h->size);
	return good;
}

void index_made(struct index *x, int layer, const struct stat *st, const void *data, struct tsb_sandbox *box,
		struct tsb_mark **mark)
{
	struct head h;

	if (!data)
		x->below = next_below(x->below, st);
	else if (!x->lost)
		x->lost = !make(x, layer, st, data, &h, box, mark);
}

void index_free(struct index *x)
{
	free(x->there);
	*x = (struct index){ 0 };
}
