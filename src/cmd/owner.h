/*
 * Changing owners: the engine of chown and chgrp.
 */
#ifndef CMD_OWNER_H
#define CMD_OWNER_H

#include <tinysandbox/command.h>

#include "cmd/util.h"

enum { OWNER_KEEP = UINT32_MAX };	/* an id that is not to change, or not asked for */
enum owner_say { OWNER_SAY_NOTHING, OWNER_SAY_CHANGES, OWNER_SAY_ALL };
enum owner_walk { OWNER_PHYSICAL, OWNER_OPERANDS, OWNER_LOGICAL };

struct owner {
	struct tsb_proc *p;
	int say, walk;		/* enum owner_say, enum owner_walk */
	int deref;		/* 1, 0, -1: not given */
	bool silent, recursive, guard_root;
	const char *reference;
	uint32_t uid, gid;
	uint32_t from_uid, from_gid;	/* only files of these */
	const char *user, *group;	/* as shown; NULL: not asked for */
	struct tsb_stat root;
};

#define OWNER_INIT .deref = -1, .uid = OWNER_KEEP, .gid = OWNER_KEEP, \
	.from_uid = OWNER_KEEP, .from_gid = OWNER_KEEP

/* The options both have, but --from. */
#define OWNER_OPTS(type_, f) \
	TSB_OPT_FLAG(type_, f.recursive, 'R', "recursive", \
		     "operate on files and directories recursively"), \
	TSB_OPT_SET(type_, f.say, OWNER_SAY_CHANGES, 'c', "changes", \
		    "like verbose but report only when a change is made"), \
	TSB_OPT_FLAG(type_, f.silent, 'f', "silent", "suppress most error messages"), \
	TSB_OPT_FLAG(type_, f.silent, 0, "quiet", NULL), \
	TSB_OPT_SET(type_, f.say, OWNER_SAY_ALL, 'v', "verbose", \
		    "output a diagnostic for every file processed"), \
	TSB_OPT_SET(type_, f.deref, 1, 0, "dereference", \
		    "affect the referent of each symbolic link (this is the default), rather " \
		    "than the symbolic link itself"), \
	TSB_OPT_SET(type_, f.deref, 0, 'h', "no-dereference", \
		    "affect symbolic links instead of any referenced file"), \
	UTIL_ROOT_OPTS(type_, f.guard_root), \
	TSB_OPT_STR(type_, f.reference, 0, "reference", "RFILE", \
		    "use RFILE's owner and group rather than specifying values"), \
	TSB_OPT_SET(type_, f.walk, OWNER_OPERANDS, 'H', NULL, \
		    "if a command line argument is a symbolic link to a directory, traverse it"), \
	TSB_OPT_SET(type_, f.walk, OWNER_LOGICAL, 'L', NULL, \
		    "traverse every symbolic link to a directory encountered"), \
	TSB_OPT_SET(type_, f.walk, OWNER_PHYSICAL, 'P', NULL, \
		    "do not traverse any symbolic links (default)")

/* Settles -R, -h and the operands' count (least: with the ids). 0 or status. */
int owner_settle(struct owner *o, int argc, char **argv);
/* Reads "USER", "USER:GROUP", ":GROUP", "USER:". NULL, or what is wrong with it;
 * *warning: it was right, but this is to be said. */
const char *owner_parse(struct tsb_proc *p, const char *spec, uint32_t *uid, uint32_t *gid,
			const char **user, const char **group, bool *warning);
/* A number that may be an id; "+" in front skips no look-up here. */
bool owner_number(const char *s, uint32_t *id);
/* The exit status. */
int owner_change(struct owner *o, int n, char **files);
const char *owner_user_text(struct tsb_proc *p, uint32_t uid);	/* name or number */
const char *owner_group_text(struct tsb_proc *p, uint32_t gid);

#endif
