/*
 * Incremental archives (-g, -G): what their files share.
 *
 *	snapshot.c     the snapshot file <-> the list of known directories
 *	incremental.c  the tree is compared with that list; what is to be archived
 *	purge.c        extraction: what is not in a directory's list goes
 *
 * A "dump" is the list of a directory's entries as it stands in archives and in
 * snapshots: a letter (Y: archived, N: not, D: a directory, R and T: renamed from
 * and to, X: in this temporary directory), the name, a NUL; an empty one ends it.
 */
#ifndef CMD_TAR_INCREMENTAL_H
#define CMD_TAR_INCREMENTAL_H

#include "cmd/tar/tar.h"

/* Which entries of a directory are archived. */
enum inc_children { INC_NONE, INC_CHANGED, INC_ALL };

struct inc_dir {
	char *name;		/* as archived; changes when a directory above is renamed */
	char *canonical;
	struct tsb_time mtime;
	uint64_t dev, ino;
	bool nfs;
	char *dump, *old_dump;	/* now, and as it was before this run looked; NULL: none */
	struct inc_dir *orig;	/* the directory it was, before it was renamed */
	const char *tag;	/* the only file that is archived; "": none is */
	enum inc_children children;
	bool seen, found, renamed;
	struct inc_dir *next;
};

struct tar_incremental {
	struct inc_dir *first, **tail;
	struct map by_name, by_inode;	/* the first that came with that key */
	int fd;			/* the snapshot file; -1: none */
};

struct tar_incremental *inc_of(struct tar *t);
/* Absolute, without dots and needless slashes; links are not looked at. */
char *inc_canonical(struct tar *t, const char *name);
struct inc_dir *inc_find(struct tar *t, const char *name);
struct inc_dir *inc_find_inode(struct tar *t, uint64_t dev, uint64_t ino);
struct inc_dir *inc_note(struct tar *t, const char *name, struct tsb_time mtime, uint64_t dev,
			 uint64_t ino, bool nfs, char *dump);
size_t inc_dump_size(const char *dump);	/* with the NUL of its end */
/* The file of -g: directories and the time since which files are new. */
void inc_read(struct tar *t);
void inc_write(struct tar *t);
/* The directory compared with what was known: its dump, or NULL. */
struct inc_dir *inc_scan(struct tar *t, const char *path, const struct tsb_stat *st,
			 bool of_command_line);
void inc_create(struct tar *t);		/* all members, directories first */
/* Does the tree differ from the dump of the archive? */
bool inc_differs(struct tar *t, const char *path);
void inc_purge(struct tar *t, const char *path);
void inc_list(struct tar *t, const struct tar_member *m);	/* for -vvv */

#endif
