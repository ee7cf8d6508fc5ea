/*
 * The processes below one process, found in /proc, and signals to them that cannot hit a stranger:
 * each goes through a pidfd that was opened before its process was looked at once more.
 */
#ifndef INIT_TREE_H
#define INIT_TREE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct tree_entry {
	pid_t pid, parent;
	uint64_t started;	/* clock ticks since boot: tells a reused pid apart */
	uint64_t ticks_user, ticks_system;
	bool zombie, below;
};

struct tree {
	struct tree_entry *entry;	/* by pid */
	size_t count, cap;
};

/* All processes that can be seen. False: /proc cannot be read or no memory; the tree is empty. */
bool tree_read(struct tree *t, int proc);
/* Marks what is below root (root itself not), except `without` (count of them) and all below. */
void tree_mark(struct tree *t, pid_t root, const pid_t *without, size_t count);
/* One process with its own below; false: it is not there or it is a zombie. */
/* how many are marked and alive */
size_t tree_alive(const struct tree *t);
/*
 * A signal to all that are marked and alive. Returns how many could be told; *denied counts those
 * whom the kernel protects from us (another user's).
 */
size_t tree_signal(const struct tree *t, int proc, int sig, size_t *denied);
void tree_free(struct tree *t);

/* read + mark + signal + free. The number that is still alive before the signal. */
size_t tree_pass(int proc, pid_t root, const pid_t *without, size_t count, int sig,
		 size_t *denied);

#endif
