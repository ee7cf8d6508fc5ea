/* Sizes of a linear memory's range. */
#ifndef GUEST_MEMORY_H
#define GUEST_MEMORY_H

#include <stddef.h>

#define GUEST_PAGE ((size_t)65536)
/* 4 GiB of addresses, the largest constant offset (tools/guest-build checks it), and an access. */
#define GUEST_MAP (((size_t)4 << 30) + ((size_t)16 << 20) + GUEST_PAGE)
/* Bytes of the first `size` that are the range's own: it has been written there. Not known: all. */
size_t guest_map_own(const char *map, size_t size);
struct guest_module;
/* Own pages that are as the image's become the image's again. */
void guest_map_trim(const struct guest_module *module, char *map);
#endif
