/*
 * Removing files and trees: the engine of rm, and of mv between filesystems.
 */
#ifndef CMD_REMOVE_H
#define CMD_REMOVE_H

#include <tinysandbox/command.h>

#include "cmd/util.h"
#include "cmd/walk.h"

enum remove_ask { REMOVE_ASK_SOMETIMES, REMOVE_ASK_NEVER, REMOVE_ASK_ALWAYS };

struct remove {
	struct tsb_proc *p;
	struct walk *walk;
	enum remove_ask ask;	/* SOMETIMES: about files that are write-protected */
	bool force;		/* what is missing is no error */
	bool recursive, empty_dirs, verbose, one_fs;
	bool stdin_tty;
	bool allow_root, one_device_args;
	struct util_asker asker;
	struct tsb_stat root;
};

/* p and the options are set, the rest is zero. false: something failed. */
bool remove_all(struct remove *o, int n, char *const *paths);

#endif
