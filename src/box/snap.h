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
 * A part is in use while a record that can be read, of a box ("layers", "image" ...) or of a snapshot,
 * names it: that is looked at, never counted. A record names a part before the part is made, and a
 * name is never given twice; so what no record names under the store's lock, nobody will name.
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
	/* What is its own and in nobody's use any more goes; called when the record is "removing". */
	int (*drop)(struct bx_snap *s);
	/* {path: {type, mode, size, hash, link}}: all files that are otherwise than in a new box;
	 * {path: null}: gone. NULL: cannot be said. */
	int (*tree)(struct bx_snap *s, json_t **tree);
	/* Its parts to a descriptor, and back. NULL: not for this sandbox. */
	int (*export)(struct bx_snap *s, int fd);
	int (*import)(struct bx_snap *s, int fd);
	/* For reap: parts on that machine that no record names; found(ctx, path, status) for each,
	 * which was removed unless `dry`. NULL: none can be. */
	int (*strays)(struct tbx_store *store, const json_t *target, bool dry,
		      void (*found)(void *ctx, const char *path, int status), void *ctx);
};

extern const struct bx_keeping bx_keep_namespace, bx_keep_virtual;

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
 * Whether any record has the name in a list of that member ("layers"), or as its value. Under the
 * store's lock. A record that cannot be read may have it: true.
 */
bool bx_part_used(struct tbx_store *store, const char *member, const char *name);
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
/* Under the store's lock, when the new box's record is saved: the snapshot is still there. */
int bx_snap_commit(struct bx *b);
void bx_snap_reap(struct tbx_store *store, bool dry, const json_t *targets,
		  void (*found)(void *ctx, const char *path, const char *why, int status), void *ctx);

#endif
