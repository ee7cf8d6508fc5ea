/*
 * Walks file trees as fts(3) does: every directory before and after what is
 * in it. Iterative, so depth costs memory and no stack; a directory is read
 * whole and closed before its entries are visited, so depth costs no
 * descriptors either, and entries may be removed on the way.
 *
 *	struct walk *w = walk_open(p, argc, argv, WALK_PHYSICAL);
 *	struct walk_entry *e;
 *	while ((e = walk_next(w)))
 *		if (e->kind == WALK_DIR) ...
 */
#ifndef CMD_WALK_H
#define CMD_WALK_H

#include <tinysandbox/command.h>

enum walk_kind {
	WALK_DIR,		/* a directory, before its entries */
	WALK_DIR_END,		/* the same, after them (or after walk_skip()) */
	WALK_UNREADABLE,	/* comes instead of entries and WALK_DIR_END; error is set */
	WALK_FILE,		/* anything else, a link that is not followed too */
	WALK_DANGLING,		/* a link to be followed that leads nowhere */
	WALK_NO_STAT,		/* it could not be looked at; error is set */
	WALK_CYCLE		/* a directory that is its own ancestor (links followed) */
};

enum {
	WALK_PHYSICAL = 0,	/* links are files */
	WALK_LOGICAL = 1,	/* links are followed */
	WALK_OPERANDS = 2,	/* links are followed if operands */
	WALK_LAZY = 4,		/* no stat where readdir tells the type: see walk_stat() */
	WALK_ONE_FS = 8,	/* does not enter a directory on another device */
	WALK_VERBATIM = 16	/* an operand keeps all its trailing slashes */
};

struct walk_entry {
	enum walk_kind kind;
	const char *path;	/* operand/name/name; good until the next call */
	const char *name;	/* the last component, in path */
	size_t depth;		/* 0: an operand */
	int error;		/* -errno */
	bool has_stat;
	struct tsb_stat st;	/* without has_stat only the type in st.mode */
	long number;		/* the user's; kept from WALK_DIR to WALK_DIR_END */
};

struct walk;

struct walk *walk_open(struct tsb_proc *p, int n, char *const *operands, unsigned flags);
/* NULL at the end. The entry may be changed in `number` only. */
struct walk_entry *walk_next(struct walk *w);
/* Behind WALK_DIR: its entries are left out; WALK_DIR_END comes all the same. */
void walk_skip(struct walk *w);
/* Fills st if it is not yet: 0 or -errno. */
int walk_stat(struct walk *w, struct walk_entry *e);
/* Sets `number` of all directories around the current entry. */
void walk_mark_parents(struct walk *w, long number);
/* Device of the current entry's operand. */
uint64_t walk_operand_dev(const struct walk *w);

#endif
