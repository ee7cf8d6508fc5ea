/*
 * What all sandboxes of a process share: the base image, /dev, /usr/bin, the
 * command registry, and kernels that are warm but idle. Made with the first
 * sandbox, gone with the last (docs/adr/0003). Immutable but for the list of
 * idle kernels, which has a lock.
 */
#ifndef SANDBOX_ENGINE_H
#define SANDBOX_ENGINE_H

#include <stddef.h>

#include <tinysandbox/command.h>

struct engine;
struct kernel;
struct vfs;

/* The engine, counted; NULL: no memory. */
struct engine *engine_get(void);
void engine_put(struct engine *e);

const struct tsb_command *engine_find(const struct engine *e, const char *name, size_t n);
/* Commands sorted by name; NULL behind the last. */
const struct tsb_command *engine_command(const struct engine *e, size_t i);
size_t engine_count(const struct engine *e);

/* The namespace to branch new sandboxes from. Borrowed. */
const struct vfs *engine_base(const struct engine *e);

/* A warm kernel, and back. NULL: no memory. */
struct kernel *engine_take_kernel(struct engine *e);
void engine_give_kernel(struct engine *e, struct kernel *k);

#endif
