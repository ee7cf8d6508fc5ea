/*
 * Linear memories. Addresses are 32 bits and the generated code adds constant
 * offsets to them, so a range of 4 GiB and some more that cannot be touched
 * makes every access either one of the guest's own pages or a fault.
 *
 * Page faults are what starting a guest costs. So a few ranges are kept with the
 * image mapped and with the pages that a guest has written to, which are set
 * back from the image (the kernel's pagemap tells which they are): the next
 * guest of the kind finds its pages there.
 */
#include "guest/guest.h"
#include "guest/memory.h"

#include <fcntl.h>
#include <pthread.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* ---- Images ---- */

enum { IMAGES_MAX = 16 };

struct image {
	const struct guest_module *module;
	int fd;			/* a sealed file without a name */
	uint32_t pages;
	const char *clean;	/* the file mapped to be read; NULL: could not be */
};

static pthread_mutex_t images_lock = PTHREAD_MUTEX_INITIALIZER;
static struct image images[IMAGES_MAX];
static int n_images;

static struct image image_of(const struct guest_module *module)
{
	struct image found = { .fd = -1 };

	pthread_mutex_lock(&images_lock);
	for (int i = 0; i < n_images; i++)
		if (images[i].module == module)
			found = images[i];
	pthread_mutex_unlock(&images_lock);
	return found;
}

uint32_t guest_image_pages(const struct guest_module *module)
{
	return image_of(module).pages;
}

static bool write_all(int fd, const uint8_t *p, size_t n)
{
	while (n) {
		ssize_t r = write(fd, p, n);

		if (r <= 0)
			return false;
		p += r;
		n -= (size_t)r;
	}
	return true;
}

/* Pages of zeros stay holes. */
static bool write_pages(int fd, const uint8_t *p, size_t n)
{
	static const uint8_t zeros[4096];

	if (ftruncate(fd, (off_t)n))
		return false;
	for (size_t at = 0; at < n; at += sizeof(zeros)) {
		if (!memcmp(p + at, zeros, sizeof(zeros)))
			continue;
		if (lseek(fd, (off_t)at, SEEK_SET) < 0 || !write_all(fd, p + at, sizeof(zeros)))
			return false;
	}
	return true;
}

static const char *image_clean(int fd, size_t n)
{
	char *at = mmap(NULL, n, PROT_READ, MAP_SHARED, fd, 0);

	return at == MAP_FAILED ? NULL : at;
}

void guest_image_keep(const struct guest_module *module, const wasm_rt_memory_t *m)
{
	int fd = memfd_create("guest", MFD_CLOEXEC | MFD_ALLOW_SEALING);
	bool stays = false;

	if (fd < 0)
		return;
	if (write_pages(fd, m->data, m->size) && !image_of(module).module) {
		fcntl(fd, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE | F_SEAL_SEAL);
		pthread_mutex_lock(&images_lock);
		if (n_images < IMAGES_MAX) {
			images[n_images++] = (struct image){ module, fd, m->pages,
				image_clean(fd, m->pages * GUEST_PAGE) };
			stays = true;
		}
		pthread_mutex_unlock(&images_lock);
	}
	if (!stays)
		close(fd);
}

static bool image_map(const struct image *image, char *map)
{
	return mmap(map, image->pages * GUEST_PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_FIXED |
		    MAP_NORESERVE, image->fd, 0) != MAP_FAILED;
}

/* ---- Ranges, kept ---- */

enum {
	KEPT_MAX = 8,
	SMALL_PAGE = 4096,
	WARM_MAX = 768,		/* small pages of its own that a kept range may have */
	LOOK_AT_ONCE = 512
};

struct kept {
	char *map;
	const struct guest_module *module;	/* whose image is there, clean; NULL: nothing is */
};

static pthread_mutex_t kept_lock = PTHREAD_MUTEX_INITIALIZER;
static struct kept kept[KEPT_MAX];
static int n_kept;

/* One with the module's image if there is such, else an empty one. */
static struct kept kept_take(const struct guest_module *module)
{
	struct kept found = { 0 };
	int best = -1;

	pthread_mutex_lock(&kept_lock);
	for (int i = 0; i < n_kept; i++)
		if (kept[i].module == module || (best < 0 && !kept[i].module))
			best = i;
	if (best >= 0) {
		found = kept[best];
		kept[best] = kept[--n_kept];
	}
	pthread_mutex_unlock(&kept_lock);
	return found;
}

static bool kept_give(struct kept one)
{
	bool stays;

	pthread_mutex_lock(&kept_lock);
	stays = n_kept < KEPT_MAX;
	if (stays)
		kept[n_kept++] = one;
	pthread_mutex_unlock(&kept_lock);
	return stays;
}

/* What the kernel's pagemap says of a page: it is the range's own, not the file's. */
static bool page_is_own(uint64_t look)
{
	const uint64_t present = UINT64_C(1) << 63, swapped = UINT64_C(1) << 62,
		       of_file = UINT64_C(1) << 61;

	return look & (present | swapped) && !(look & of_file);
}

/* Of n pages of the range; false: nobody can tell. */
static bool pages_look(int pagemap, const char *map, size_t first, uint64_t *look, size_t n)
{
	off_t where = (off_t)(((uintptr_t)map / SMALL_PAGE + first) * sizeof(*look));

	return pread(pagemap, look, n * sizeof(*look), where) == (ssize_t)(n * sizeof(*look));
}

size_t guest_map_own(const char *map, size_t size)
{
	uint64_t look[LOOK_AT_ONCE];
	size_t pages = size / SMALL_PAGE, own = 0, n;
	int fd = open("/proc/self/pagemap", O_RDONLY | O_CLOEXEC);
	bool good = fd >= 0;

	for (size_t at = 0; good && at < pages; at += n) {
		n = pages - at < LOOK_AT_ONCE ? pages - at : LOOK_AT_ONCE;
		good = pages_look(fd, map, at, look, n);
		for (size_t i = 0; good && i < n; i++)
			own += page_is_own(look[i]);
	}
	if (fd >= 0)
		close(fd);
	return good ? own * SMALL_PAGE : size;
}

void guest_map_trim(const struct guest_module *module, char *map)
{
	struct image image = image_of(module);
	size_t pages = image.clean ? image.pages * (GUEST_PAGE / SMALL_PAGE) : 0, n;
	int fd = open("/proc/self/pagemap", O_RDONLY | O_CLOEXEC);
	uint64_t look[LOOK_AT_ONCE];

	for (size_t at = 0; fd >= 0 && at < pages; at += n) {
		n = pages - at < LOOK_AT_ONCE ? pages - at : LOOK_AT_ONCE;
		if (!pages_look(fd, map, at, look, n))
			break;
		for (size_t i = 0; i < n; i++) {
			size_t where = (at + i) * SMALL_PAGE;

			if (page_is_own(look[i]) && !memcmp(map + where, image.clean + where, SMALL_PAGE))
				madvise(map + where, SMALL_PAGE, MADV_DONTNEED);
		}
	}
	if (fd >= 0)
		close(fd);
}

/* Of the pages that have been looked at, each that is the range's own: as it was. */
static bool warm_pages(char *map, size_t first, const uint64_t *look, size_t n,
		       const struct image *image, size_t *own)
{
	size_t image_pages = image->pages * (GUEST_PAGE / SMALL_PAGE);

	for (size_t i = 0; i < n; i++) {
		char *at = map + (first + i) * SMALL_PAGE;

		if (!page_is_own(look[i]))
			continue;
		if (++*own > WARM_MAX)
			return false;
		if (first + i < image_pages)
			memcpy(at, image->clean + (first + i) * SMALL_PAGE, SMALL_PAGE);
		else
			memset(at, 0, SMALL_PAGE);
	}
	return true;
}

/* The range as it was when the image was mapped; false: it has to be mapped anew. */
static bool warm_again(char *map, size_t touched, const struct image *image)
{
	uint64_t look[LOOK_AT_ONCE];
	size_t pages = touched / SMALL_PAGE, own = 0, size = image->pages * GUEST_PAGE;
	int fd = image->clean ? open("/proc/self/pagemap", O_RDONLY | O_CLOEXEC) : -1;
	bool good = fd >= 0;

	for (size_t at = 0; good && at < pages; at += LOOK_AT_ONCE) {
		size_t n = pages - at < LOOK_AT_ONCE ? pages - at : LOOK_AT_ONCE;

		good = pages_look(fd, map, at, look, n) && warm_pages(map, at, look, n, image, &own);
	}
	if (fd >= 0)
		close(fd);
	return good && (touched <= size || !mprotect(map + size, touched - size, PROT_NONE));
}

/*
 * A new range. It begins where a page of the kernel's tables does, so that what every run writes to, which lies close together,
 * needs one of them.
 */
static char *range_reserve(void)
{
	const size_t table = (size_t)2 << 20;
	char *all = mmap(NULL, GUEST_MAP + table, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0), *map;
	size_t before;

	if (all == MAP_FAILED)
		return all;
	before = (size_t)(-(uintptr_t)all & (table - 1));
	map = all + before;
	if (before)
		munmap(all, before);
	if (before < table)
		munmap(map + GUEST_MAP, table - before);
	return map;
}

char *guest_map_take(const struct guest_module *module, bool *warm)
{
	struct kept one = kept_take(module);
	struct image image = image_of(module);

	if (!one.map)
		one.map = range_reserve();
	if (one.map == MAP_FAILED)
		return NULL;
	*warm = image.module && (one.module == module || image_map(&image, one.map));
	if (image.module && !*warm) {
		munmap(one.map, GUEST_MAP);
		return NULL;
	}
	return one.map;
}

void guest_map_give(const struct guest_module *module, char *map, size_t touched)
{
	struct image image = image_of(module);
	struct kept one = { map, module };

	if (!image.module || touched < image.pages * GUEST_PAGE || !warm_again(map, touched, &image)) {
		one.module = NULL;
		if (touched && mmap(map, touched, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS |
				    MAP_NORESERVE | MAP_FIXED, -1, 0) == MAP_FAILED) {
			munmap(map, GUEST_MAP);
			return;
		}
	}
	if (!kept_give(one))
		munmap(map, GUEST_MAP);
}
