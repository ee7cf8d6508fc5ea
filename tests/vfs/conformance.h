/*
 * Proof for a filesystem: one suite over the contract of <tinysandbox/vfs.h>.
 *
 * Give a function that makes an empty filesystem, compile conformance.c and
 * conformance_model.c together with your backend, and call tsb_conformance():
 *
 *	static struct tsb_fs *make(void *ctx, const struct tsb_mem_options *quota)
 *	{
 *		return my_fs_new(ctx, quota->bytes_max, quota->entries_max,
 *				 quota->file_bytes_max);
 *	}
 *	int main(void)
 *	{
 *		return tsb_conformance(make, NULL, 0, NULL) != 0;
 *	}
 *
 * Each check is told to `report` (NULL: TAP lines on standard output); the result
 * is the number of those that failed. Every filesystem made is given back with
 * tsb_fs_free() (or its ops->free).
 *
 * What the suite expects beyond the contract's words:
 * - the root is an empty directory of the options' mode and owner;
 * - who's rights are not asked for, except by lookup();
 * - statfs() counts exactly: entries are names (an unlinked file that is open
 *   counts one), without the root; bytes are those bytes of files, up to their
 *   size, that lie in blocks (of statfs's block_size) that were ever written;
 *   content of an unlinked file counts until the last close.
 */
#ifndef TESTS_VFS_CONFORMANCE_H
#define TESTS_VFS_CONFORMANCE_H

#include <tinysandbox/vfs.h>

#ifdef __cplusplus
extern "C" {
#endif

/* What a backend does not have; those checks are left out. */
enum {
	TSB_LACKS_LINKS = 1,		/* hard links */
	TSB_LACKS_SYMLINKS = 2,
	TSB_LACKS_NODES = 4,		/* FIFOs */
	TSB_LACKS_HOLES = 8,		/* holes are charged */
	TSB_LACKS_QUOTA = 16,		/* limits and exact statfs() */
	TSB_LACKS_EXCHANGE = 32,	/* TSB_RENAME_EXCHANGE */
	TSB_LACKS_OWNERS = 64,		/* uid, gid and all mode bits */
	TSB_LACKS_CLOCK = 256,		/* times are the machine's, not those of the caller */
	TSB_LACKS_BRANCH = 128		/* said by ops->branch being NULL, too */
};

/* NULL: the machine has no memory (a failure of the suite). */
typedef struct tsb_fs *tsb_conformance_make_fn(void *ctx, const struct tsb_mem_options *quota);
/* detail: what was found, where it says more than the name; may be NULL. */
typedef void tsb_conformance_report_fn(void *ctx, int good, const char *name,
				       const char *detail);

int tsb_conformance(tsb_conformance_make_fn *make, void *ctx, unsigned lacks,
		    tsb_conformance_report_fn *report);

#ifdef __cplusplus
}
#endif

#endif
