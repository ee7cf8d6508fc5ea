/*
 * The engine of cp, mv and install: copies or moves one operand to one name,
 * trees included. Iterative: a directory being copied is a frame on a list.
 */
#ifndef CMD_COPY_H
#define CMD_COPY_H

#include <tinysandbox/command.h>

#include "base/map.h"
#include "cmd/backup.h"
#include "cmd/util.h"

enum copy_deref { COPY_DEREF_UNSET, COPY_DEREF_NEVER, COPY_DEREF_OPERANDS, COPY_DEREF_ALWAYS };
enum copy_ask { COPY_ASK_UNSET, COPY_ASK_NEVER, COPY_NO_CLOBBER, COPY_ASK };
enum copy_sparse { COPY_SPARSE_AUTO, COPY_SPARSE_NEVER, COPY_SPARSE_ALWAYS };
enum copy_reflink { COPY_REFLINK_AUTO, COPY_REFLINK_NEVER, COPY_REFLINK_ALWAYS };

/* What to do; filled by the command. */
struct copy_options {
	struct backup backup;
	int deref, ask, sparse, reflink;	/* the enums above */
	bool move;		/* try rename first; remove nothing afterwards */
	bool install;		/* install's messages */
	bool recursive;
	bool as_regular;	/* special files are read, not made anew */
	bool make_symlinks, make_hardlinks;
	bool one_fs, update, verbose;
	bool unlink_before;	/* --remove-destination */
	bool unlink_after;	/* -f: when it cannot be opened */
	bool keep_links, keep_owner, keep_mode, keep_times;
	bool keep_required;	/* failing to keep is an error */
	bool no_mode;		/* --no-preserve=mode */
	bool keep_context;	/* --preserve=context, which cannot be had */
	bool attributes_only;
	bool through_dangling;	/* write through a dangling link */
	bool set_mode;		/* install: the mode is `mode` */
	uint32_t mode;
	bool stdin_tty;
};

/* A run of a command: what it remembers from operand to operand. */
struct copy {
	struct tsb_proc *p;
	struct copy_options *o;
	uint32_t umask;
	struct util_asker asker;
	struct map copied;	/* "dev:ino" -> where it was copied to */
	bool watch_sources, watch_made;
	struct map sources;	/* "dev:ino:name" of the operands so far */
	struct map made;	/* "dev:ino:name" of what was made for operands */
	bool last;		/* mv: no operand comes behind this one */
	int rename_error;	/* mv: 1, or what renaming the only operand gave */
	/* About the operand being copied: */
	const char *top_source, *top_dest;
	bool into_self;		/* out: it would have been copied into itself */
	bool renamed;		/* out: nothing is left to remove */
	bool source_gone;
};

void copy_init(struct copy *c, struct tsb_proc *p, struct copy_options *o);
/* Several operands follow: clashes between them are to be noticed. */
void copy_watch(struct copy *c, bool sources);
enum copy_known { COPY_MAY_EXIST, COPY_IS_NEW, COPY_SEEMS_NEW };
/* true: done. */
bool copy_operand(struct copy *c, const char *source, const char *dest, enum copy_known known);

/* The messages of cp -v. */
void copy_say(struct copy *c, const char *source, const char *dest, const char *backup);

/* Reads the directory operand: 0 or -errno (-ENOTDIR if it is none). */
int copy_target_error(struct tsb_proc *p, const char *dir);
/* The handler of -t: it may be given only once. Row's offset: const char *. */
tsb_opt_fn copy_set_target;

#endif
