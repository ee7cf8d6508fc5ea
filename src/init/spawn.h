/*
 * A child that shares our memory until it execs (as vfork), started in its control group.
 */
#ifndef INIT_SPAWN_H
#define INIT_SPAWN_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

/*
 * Runs run(ctx), which must not return but exec or _exit, on the stack; returns when it has done
 * so. group: a cgroup v2 directory for it, or -1; *entered tells whether it was started there (old
 * kernels, missing rights: it was not). -1: errno.
 */
pid_t spawn_vfork(int (*run)(void *ctx), void *ctx, char *stack, size_t size, int group,
		  bool *entered);

#endif
