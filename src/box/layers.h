/* What the files about layers share: layers.c keeps boxes, layers_io.c reads what was kept. */
#ifndef BOX_LAYERS_H
#define BOX_LAYERS_H

#include "box/snap.h"

#define LAYERS_LONG (1800 * BX_SECOND)	/* for reading or writing all of a box */

/* A conversation with a host about the layers there. To be closed whether it was opened or not. */
struct talk {
	struct bx_conn c;
	char *layers;		/* the directory of all */
};

int talk_open(struct tbx_store *store, const json_t *target, const json_t *record, struct talk *t);
int talk_of(struct tbx_store *store, const json_t *record, struct talk *t);
void talk_close(struct talk *t);
/* A request, to which fields may be added; then its answer. */
void talk_ask(struct talk *t, enum wire_type type, const char *layer);
int talk_answer(struct talk *t, struct wire_frame *f);

json_t *layers_parts(json_t *record);		/* the list, made where it is missing */
json_t *layers_part(const char *name);		/* a new one */
/* fn for each part of the snapshot, in order, until one fails; no conversation if there is none. */
typedef int layers_fn(struct bx_snap *s, struct talk *t, json_t *part, void *ctx);
int layers_each(struct bx_snap *s, layers_fn *fn, void *ctx);

int layers_hash(struct bx_snap *s);		/* of all parts that have none */
int layers_check(struct bx_snap *s, bool verify);
int layers_from_hex(const char *hex, uint8_t out[32]);	/* NULL, or no hash: -1 */
/* engines_file.c, and what an image of the store is called in an engine; malloc */
int engines_export(struct bx_snap *s, int fd);
int engines_import(struct bx_snap *s, int fd);
char *engines_image_name(const struct tbx_store *store, const char *part);
int layers_tree(struct bx_snap *s, json_t *tree);
int layers_export(struct bx_snap *s, int fd);
int layers_import(struct bx_snap *s, int fd);
int layers_strays(struct tbx_store *store, const json_t *target, bool dry,
		  void (*found)(void *ctx, const char *path, int status), void *ctx);

#endif
