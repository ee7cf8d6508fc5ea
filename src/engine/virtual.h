/*
 * A virtual box: a sandbox of libtinysandbox whose files live in a state directory. This is
 * all that the server (server.h) and a caller in its own process (level "process") share.
 *
 * Durable: what virtual_commit() has written is there after the death of any process, kill -9
 * included; what came after it is lost as a whole, never in part. It writes only what has changed
 * since, and waits for no disk: when the machine itself crashes, the last sets may be lost, each
 * as a whole (the kernel writes them within half a minute or so), unless virtual_sync() followed.
 *
 * What all boxes of a process share (commands, base image) is made with the first and goes with the
 * last: who makes many keeps one open, which costs a kilobyte.
 *
 * One virtual_box belongs to one thread at a time, but for the sandbox itself, which many may
 * use. Results are 0 or -errno, with a sentence in why[].
 */
#ifndef ENGINE_VIRTUAL_H
#define ENGINE_VIRTUAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <tinysandbox/sandbox.h>

#define VIRTUAL_WHY 256

struct virtual_spec {
	const char *dir;	/* state directory, which exists; NULL: nothing is kept */
	/*
	 * The file in it that has the box's files, NULL: "files". All of a box without a server: many may be in
	 * one directory, and unlink() ends one.
	 */
	const char *name;
	const char *hostname;	/* NULL: sandbox */
	const char *const *env;	/* NULL-ended, on top of the box's own; NULL: none */
	const char *cwd;	/* NULL: the workspace's target, or /home/user */
	/*
	 * NULL-ended names of layers in the directory `layers`, lowest first: sealed lists that the
	 * box begins from (docs/adr/0009); or NULL
	 */
	const char *const *layer;
	const char *layers;
	const char *root;	/* a directory of the host, copied over / of a new box; or NULL */
	const char *workspace;	/* a directory of the host, mounted; or NULL */
	const char *target;	/* where; also made without a workspace. NULL: /workspace if there is one */
	bool readonly;		/* the workspace */
	/* 0: the default of limits.def */
	uint64_t memory, disk;
	uint32_t pids, open_files;
};

struct virtual_box;

/* Nothing is left of it after a failure. */
int virtual_open(struct virtual_box **out, const struct virtual_spec *spec, char why[VIRTUAL_WHY]);
/* Does not commit. -EBUSY: runs are in progress. NULL is fine. */
int virtual_close(struct virtual_box *b);
int virtual_commit(struct virtual_box *b, char why[VIRTUAL_WHY]);
int virtual_sync(struct virtual_box *b);	/* what was committed is on the disk; 0 or -errno */
/*
 * Commits, and sets all that is there aside as DIR/sealed, for a layer; what comes goes to another
 * list. *any: there was something. Not while an earlier one still lies there.
 */
int virtual_seal(struct virtual_box *b, bool *any, char why[VIRTUAL_WHY]);

struct tsb_sandbox *virtual_sandbox(const struct virtual_box *b);
const char *virtual_cwd(const struct virtual_box *b);
/* path, which begins at the box's cwd if it is relative; malloc, NULL: no memory. */
char *virtual_path(const struct virtual_box *b, const char *path);
/* What a run may use, everything that the box does not limit being without end. */
const struct tsb_limits *virtual_limits(const struct virtual_box *b);
/*
 * A new NULL-ended list of the box's environment with `extra` (NULL-ended, or NULL) on top, where
 * the last of a name counts. free() gives all of it back. NULL: no memory.
 */
char **virtual_env(const struct virtual_box *b, const char *const *extra);

/* A program, its output captured, then a commit. As tsb_exec_argv() else; env: on top. */
int virtual_exec(struct virtual_box *b, const char *const *argv, const char *const *env,
		 struct tsb_result **out);

#endif
