/*
 * Linear memories. Addresses are 32 bits and the generated code adds constant
 * offsets to them, so a range of 4 GiB and some more that cannot be touched
 * makes every access either one of the guest's own pages or a fault. A few
 * ranges are kept, without pages, because making one is dear for the machine.
 */
#include "guest/guest.h"
#include "guest/memory.h"

#include <fcntl.h>
#include <pthread.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { KEPT_MAX = 4 };

static pthread_mutex_t kept_lock = PTHREAD_MUTEX_INITIALIZER;
static char *kept[KEPT_MAX];
static int n_kept;

char *guest_map_take(void)
{
	char *map = NULL;

	pthread_mutex_lock(&kept_lock);
	if (n_kept)
		map = kept[--n_kept];
	pthread_mutex_unlock(&kept_lock);
	if (map)
		return map;
	map = mmap(NULL, GUEST_MAP, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	return map == MAP_FAILED ? NULL : map;
}

void guest_map_give(char *map, size_t touched)
{
	if (!touched || mmap(map, touched, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE |
			     MAP_FIXED, -1, 0) != MAP_FAILED) {
		pthread_mutex_lock(&kept_lock);
		if (n_kept < KEPT_MAX) {
			kept[n_kept++] = map;
			map = NULL;
		}
		pthread_mutex_unlock(&kept_lock);
	}
	if (map)
		munmap(map, GUEST_MAP);
}

/* ---- Images ---- */

enum { IMAGES_MAX = 16 };

struct image {
	const struct guest_module *module;
	int fd;			/* a sealed file without a name */
	uint32_t pages;
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
			images[n_images++] = (struct image){ module, fd, m->pages };
			stays = true;
		}
		pthread_mutex_unlock(&images_lock);
	}
	if (!stays)
		close(fd);
}

bool guest_image_map(const struct guest_module *module, char *map)
{
	struct image image = image_of(module);

	return mmap(map, image.pages * GUEST_PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_FIXED |
		    MAP_NORESERVE, image.fd, 0) != MAP_FAILED;
}
