/*
 * The nurse of an exec: a small process between the server and the command. It is a child
 * subreaper, so that everything the command starts stays below it, whatever that does; it starts
 * the command, reaps, and says what became of it. It kills nothing on its own, except when the
 * server is gone: then everything below it.
 */
#ifndef INIT_NURSE_H
#define INIT_NURSE_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/resource.h>
#include <sys/types.h>

#include "init/cgroup.h"
#include "init/spec.h"
#include "init/wall.h"

enum nurse_stage { NURSE_CWD, NURSE_STDIN, NURSE_SETUP, NURSE_EXEC, NURSE_INTERPRETER };

enum nurse_kind {
	NURSE_STARTED,		/* pid */
	NURSE_FAILED,		/* stage, error: nothing ran */
	NURSE_ENDED,		/* the command itself: status as of wait, left, times */
	NURSE_EMPTY,		/* the last below it has ended too: times */
};

/* What the nurse says: one packet each. */
struct nurse_word {
	uint32_t kind, stage;
	int32_t pid, status, error;
	uint32_t left;		/* whether others of the tree still live */
	uint64_t user, system;	/* ns, of all that were reaped */
	uint64_t peak;		/* bytes, of the largest of them */
};

/* What the server says: send this signal to the command's process group, if it still lives. */
struct nurse_order {
	uint32_t signal;
};

struct nurse_task {
	char **argv, **env;
	char **programs;	/* what to try in turn, NULL-ended */
	const char *cwd, *input;	/* absolute; input NULL: in is open */
	int in, out, err;	/* 3 or larger */
	int master;		/* the terminal's other side; -1: none */
	int control;		/* the nurse's end */
	int root, proc, null, lock;
	struct rlimit files;
	uint32_t uid, gid;	/* passthrough: whose the command is */
	const struct wall *wall;	/* NULL: passthrough */
	const struct cgroup_exec *cgroup;	/* NULL: none */
};

/* The nurse's pid, or -1 with errno. All of the task may be freed and closed then. */
pid_t nurse_start(const struct nurse_task *t);

#endif
