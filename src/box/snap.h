/*
 * Snapshots in the store, and what each sandbox does to keep a box: the seam behind which layers
 * (namespace, virtual), images (docker) and disks (microvm) are. docs/adr/0009 says why it is so.
 *
 *	snapshots/snap-N/record.json	id, version, state, box, sandbox, target, created_at, how, spec,
 *					parts [{name, size, hash}], and what the sandbox adds
 *	snapshots/snap-N/lock		held (flock) by whoever changes it
 *	templates/NAME -> snap-N
 *	layers/layer-N/			a layer of a box on this machine; on others it is FAR/layers-TAG
 *
 * A part (a layer, an image, a disk) is in use while a record of a box or of a snapshot has it in its
 * list "parts" [{name, size, files, hash}]: that is looked at, never counted. A record names a part
 * before the part is made, and a name is never given twice; so what no record names under the store's
 * lock, nobody will name.
 */
#ifndef BOX_SNAP_H
#define BOX_SNAP_H

#include "box/internal.h"

#define BX_SNAP_VERSION 1

struct bx_snap {
	struct tbx_store *store;
	char id[BX_NAME_MAX + 1];
	int dir, lock;
	json_t *record;
};

enum {
	BX_TAKE_MEMORY = 1,
	BX_TAKE_PLAIN = 2	/* for a fork: gone again soon, nothing is hashed */
};

/* How boxes of a sandbox are kept. All return an enum tbx_status after bx_fail(). */
struct bx_keeping {
	const char *sandbox;
	/*
	 * The box's lock is held; its state is looked at here. Fills in s->record: parts, how, and
	 * what begin() needs. What it makes is named in s->record, which is saved, before it is made.
	 */
	int (*take)(struct bx *b, struct bx_snap *s, unsigned flags);
	/* Whether all of it is there and undamaged; verify: each byte. */
	int (*check)(struct bx_snap *s, bool verify);
	/* A new box's record (not saved yet) gets what its server is to begin from. */
	int (*begin)(struct bx_snap *s, json_t *record);
	/*
	 * Parts of a record that is gone from the store, of which those that nobody names go. Also for
	 * the record of a box that was removed. What cannot go now is a stray.
	 */
	int (*drop)(struct tbx_store *store, const json_t *record);
	/*
	 * {path: {type, mode, size, hash}}: all that is otherwise than in a new box; {path: null}:
	 * gone. NULL: that is found out by looking in a box made for it.
	 */
	int (*tree)(struct bx_snap *s, json_t *tree);
	/* Its parts to a descriptor, and back. NULL: not for this sandbox. */
	int (*export)(struct bx_snap *s, int fd);
	int (*import)(struct bx_snap *s, int fd);
	/* For reap: parts on that machine that no record names; found(ctx, path, status) for each,
	 * which was removed unless `dry`. NULL: none can be. */
	int (*strays)(struct tbx_store *store, const json_t *target, bool dry,
		      void (*found)(void *ctx, const char *path, int status), void *ctx);
};

extern const struct bx_keeping bx_keep_namespace, bx_keep_virtual, bx_keep_docker, bx_keep_microvm;
extern const struct bx_keeping *const bx_keepings[];	/* NULL behind the last */

/* NULL after bx_fail(): that sandbox has no snapshots. */
const struct bx_keeping *bx_keeping(struct tbx_store *store, const char *sandbox);

/* ---- snap_store.c ---- */

int bx_snap_new(struct tbx_store *store, struct bx_snap *s);
/* By id, or by the name of a template. */
int bx_snap_open(struct tbx_store *store, const char *name, enum bx_lock lock, struct bx_snap *s);
void bx_snap_close(struct bx_snap *s);
int bx_snap_save(struct bx_snap *s);
int bx_snap_forget(struct bx_snap *s);
int bx_snap_ids(struct tbx_store *store, char ***ids);
/* "layer-7": a name that was never given before. */
int bx_part_name(struct tbx_store *store, const char *prefix, char name[BX_NAME_MAX + 1]);
/*
 * The names of all parts that records have, as members of an object. *unsure: there is a record that
 * cannot be read, and which may have any. Under the store's lock it is the truth.
 */
json_t *bx_parts_used(struct tbx_store *store, bool *unsure);
/* The document for callers; new reference. */
json_t *bx_snap_doc(const struct bx_snap *s);

/* ---- snap.c ---- */

/* The snapshot's record is new and locked; b's lock is held. */
int bx_snap_take(struct bx *b, struct bx_snap *s, const struct tbx_snap *opt, unsigned flags);
/*
 * For tbx_create: record (from the spec, not saved) begins from the snapshot or template that its
 * source names; the source's target and sandbox become the record's.
 */
int bx_snap_source(struct tbx_store *store, const struct tbx_spec *spec, json_t *record);
/* The first saving of a new box's record: parts that it names are still there then. */
int bx_snap_commit(struct bx *b);
/* The box's parts, when its record is gone. */
void bx_snap_drop(struct tbx_store *store, const json_t *record);
/* A box's server is to be started: what a crash left of a sealing is brought to its end. */
int bx_seal_finish(struct bx *b);
/* LAYERS and LAYER of START. */
void bx_layers_fields(const struct bx *b, struct wire_out *o);
/* Puts the hash of all parts into the record. */
void bx_snap_hash(struct bx_snap *s);
/* What is in it as tree() says it, by way of a box; and what is in a new box, if that is needed. */
/* What is in a box of that spec, made for it. whole: /usr and /bin are looked at, too. */
int bx_snap_look_at(struct tbx_store *store, struct tbx_spec *spec, bool whole, json_t *tree);
int bx_snap_look(struct tbx_store *store, const char *id, json_t *tree);
/* spec: the snapshot's, whose machine and image a new one has, too. */
int bx_snap_look_new(struct tbx_store *store, const char *sandbox, const json_t *spec, json_t *tree);
/*
 * For reap: snapshots that are half made or damaged, and parts that nobody names, on this machine and
 * on `targets`. dead: machines that did not answer.
 */
typedef void bx_found_fn(void *ctx, const char *path, const char *why, int status);
void bx_snap_reap(struct tbx_store *store, bool dry, const json_t *targets, json_t *dead,
		  bx_found_fn *found, void *ctx);
/* Machines that snapshots are on go to the list. */
void bx_snap_targets(struct tbx_store *store, json_t *targets);

#endif
