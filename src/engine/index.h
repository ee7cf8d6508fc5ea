/*
 * The index of a layer of virtual boxes, LAYERS/layer-N/index: all that the sets of this layer and of those
 * below make, as an image of memory (tsb_save_image()) whose content stays in the layers. It is mapped at its own
 * address, the layer at another that it knows, so a box of a gigabyte begins in a moment and shares all
 * pages with its siblings; the first one that begins of a layer writes it.
 *
 * It is a cache, gone or not: made of what was verified, and no part of a layer's manifest or of what is exported.
 * It is believed only as long as neither it nor the layer's list was written since (what stat says), the
 * ones below are the same, and it is of this build.
 */
#ifndef ENGINE_INDEX_H
#define ENGINE_INDEX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>

#include <tinysandbox/sandbox.h>

#define INDEX_NAME "index"
#define INDEX_MOST 1024u	/* layers */

/* Of a chain of layers, from the lowest up. Zeroed is none yet. */
struct index {
	struct tsb_memory *there;	/* what lies where an image of the next one expects it */
	size_t n;
	uint64_t below;			/* names all that is mapped so far, and where */
	bool indexed;			/* one of them has an index */
	bool lost;			/* one of them is not at its place: the next can have none */
};

/*
 * The layer `list` (a descriptor, whose stat is st) of the directory `layer`, by its index: true, and the box has
 * its files. False: it has none that fits.
 */
bool index_map(struct index *x, int layer, int list, const struct stat *st, struct tsb_sandbox *box,
	       struct tsb_mark **mark);
/* The list in memory, for tsb_map_changes(): at a place of its own, so that it can get an index. NULL: errno. */
void *index_place(struct index *x, int list, size_t size);
/*
 * After its sets were read: writes an index (nothing happens where that cannot be) and maps it. data: what
 * index_place() gave, or NULL: a copy of it was read.
 */
void index_made(struct index *x, int layer, const struct stat *st, const void *data, struct tsb_sandbox *box,
		struct tsb_mark **mark);
/* Is a list of that size worth an index? Otherwise it is to be read as a copy. */
bool index_worth(const struct index *x, uint64_t size);
void index_free(struct index *x);

#endif
