/*
 * The files of a virtual box on the disk: DIR/NAME, an append-only list of sets of changes
 * (tsb_save_changes()). A set is whole or it is not there: a torn one at the end is cut off at
 * the next start. When the list has grown to several times what it holds, it is written anew
 * beside and renamed.
 */
#ifndef ENGINE_STORE_H
#define ENGINE_STORE_H

#include <stdbool.h>
#include <stdint.h>

#include <tinysandbox/sandbox.h>

struct store;
struct virtual_spec;

/*
 * Fills the sandbox with the layers it begins from and what is in DIR. *fresh: nothing was there. Results are 0 or -errno, and
 * then why[] (VIRTUAL_WHY bytes) holds a sentence; a damaged file is kept, and named there.
 */
int store_open(struct store **out, const struct virtual_spec *spec, struct tsb_sandbox *box,
	       bool *fresh, char *why);
int store_seal(struct store *s, struct tsb_sandbox *box, bool *any, char *why);	/* virtual_seal() */
/* The layers of the spec as one list, LAYERS/TO/files; the sandbox is new. */
int store_merge(const struct virtual_spec *spec, const char *to, struct tsb_sandbox *box, char *why);
void store_close(struct store *s);	/* NULL is fine */
int store_commit(struct store *s, struct tsb_sandbox *box, char *why);
/* Against a crash of the machine: whoever waits for the disk is who asks. 0 or -errno. */
int store_sync(struct store *s);

#endif
