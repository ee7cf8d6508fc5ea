/*
 * A directory of commands: a flat read-only filesystem whose names come from
 * the caller (the command registry). `cat` of one shows a script-like stub:
 *
 *	#!/usr/bin/tinysandbox-command ls
 *	# ls is a command of this system; its code is not a script.
 */
#ifndef VFS_BIN_H
#define VFS_BIN_H

#include <stddef.h>
#include <stdint.h>

#include <tinysandbox/vfs.h>

/* Name i of the commands in bytewise order, NULL behind the last. Borrowed. The
 * list may change only while no run uses it. */
typedef const char *binfs_name_fn(const void *ctx, size_t i);

/* count: number of names (asked at each use). NULL: no memory. */
struct tsb_fs *binfs_new(binfs_name_fn *name, size_t (*count)(const void *ctx), const void *ctx,
			 struct tsb_time now);
/* The command that is inode `ino` of fs; NULL: fs is no binfs, or it is none. */
const char *binfs_command(const struct tsb_fs *fs, uint64_t ino);

#endif
