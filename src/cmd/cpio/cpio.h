/*
 * cpio: what its files share. main.c reads the options; header.c turns members into
 * headers of the formats and back; in.c extracts and lists, out.c makes archives,
 * pass.c copies trees. file.c makes files, for in.c and pass.c.
 */
#ifndef CMD_CPIO_CPIO_H
#define CMD_CPIO_CPIO_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <tinysandbox/command.h>

#include "base/map.h"
#include "base/str.h"
#include "cmd/pack/pack.h"
#include "text/civil.h"

enum cpio_mode { CPIO_NONE, CPIO_IN, CPIO_OUT, CPIO_PASS };
enum cpio_format { CPIO_UNKNOWN, CPIO_BIN, CPIO_ODC, CPIO_NEWC, CPIO_CRC, CPIO_TAR, CPIO_USTAR,
		   CPIO_HPBIN, CPIO_HPODC };
enum { CPIO_SWAP_BYTES = 1, CPIO_SWAP_HALVES = 2, CPIO_NAME_MAX = 1 << 20 };

struct cpio_head {
	uint32_t ino, mode, uid, gid, nlink, dev_major, dev_minor, rdev_major, rdev_minor, sum;
	int64_t mtime;
	uint64_t size;
	char *name;
	char *link;		/* the target, of tar's links */
	bool swapped;		/* a binary header of the other byte order */
};

struct pattern;

/* Links whose data comes with the last of them. */
struct cpio_wait {
	struct cpio_head head;
	const char *path;	/* where the data is, for -o */
	struct cpio_wait *next;
};

struct cpio {
	struct tsb_proc *p;
	/* ---- options ---- */
	int mode, format;	/* enum cpio_mode, enum cpio_format */
	const char *archive, *in_name, *out_name, *dir, *pattern_file, *message, *rsh;
	bool list, null, reset_time, link, make_dirs, keep_time, no_chown, sparse, unconditional;
	bool rename, append, deref, nonmatching, numeric, to_stdout, only_crc, quiet, verbose, dot;
	bool relative, renumber, no_devno, force_local;
	int relative_set;
	unsigned swap;
	bool warn_truncate;
	uint64_t block;		/* bytes of a block */
	bool owner_set, group_set;
	uint32_t owner, group;
	/* ---- the run ---- */
	struct pack_in in;
	struct pack_out out;
	struct zone zone;
	bool is_root, prefix_said, parent_said, hold_links;
	int status;
	struct map inodes;	/* "dev:ino" -> the first name, or a new number */
	uint32_t next_ino;
	uint64_t data;		/* bytes of files, for copy-pass */
	uint64_t looked;	/* how far the search for a header had to look */
	struct cpio_wait *waiting;
	struct cpio_dir *dirs;
	struct cpio_symlink *symlinks;
	struct pattern **patterns;
	size_t n_patterns, cap_patterns;
};

/* ---- main.c ---- */
void cpio_say(struct cpio *c, int err, const char *fmt, ...) TSB_PRINTF(3, 4);	/* "cpio: text[: error]" */
void cpio_error(struct cpio *c, int err, const char *fmt, ...) TSB_PRINTF(3, 4);	/* and status 2 */
void cpio_fatal(struct cpio *c, int err, const char *fmt, ...) TSB_PRINTF(3, 4) TSB_NORETURN;
void cpio_blocks(struct cpio *c, uint64_t bytes);	/* "3 blocks" */
void cpio_told(struct cpio *c, const char *name, int fd);	/* -v, -V: one is done */
/* A name without what leads out, with --no-absolute-filenames. */
char *cpio_safe_name(struct cpio *c, char *name, bool is_link);
/* The key of an inode in c->inodes. */
const char *cpio_inode(struct cpio *c, uint32_t major, uint32_t minor, uint64_t ino);
void cpio_head_of(struct cpio *c, const struct tsb_stat *st, const char *name, struct cpio_head *h);
/* The next name of standard input; NULL: the end. */
char *cpio_next_name(struct cpio *c, struct tsb_reader *in);
/* As an archive has it: without "./" in front. */
char *cpio_member_name(struct cpio *c, const char *name);

/* ---- header.c ---- */
void cpio_read(struct cpio *c, void *to, size_t n);
void cpio_skip(struct cpio *c, uint64_t n);
/* false: the archive's end. */
bool cpio_read_head(struct cpio *c, struct cpio_head *h);
void cpio_write_head(struct cpio *c, const struct cpio_head *h);
unsigned cpio_pad(const struct cpio *c, uint64_t n);	/* bytes that follow data */
static inline bool cpio_is_tar(const struct cpio *c)
{
	return c->format == CPIO_TAR || c->format == CPIO_USTAR;
}
static inline bool cpio_is_newc(const struct cpio *c)
{
	return c->format == CPIO_NEWC || c->format == CPIO_CRC;
}

/* ---- file.c ---- */
/* Out of the way of a new file; false: it is not to be made. */
bool cpio_make_way(struct cpio *c, const struct cpio_head *h);
int cpio_create(struct cpio *c, const char *name);	/* a descriptor or -errno */
int cpio_link(struct cpio *c, const char *from, const char *to);
/* A further name of an inode that was made already? Then it is linked to that. */
bool cpio_link_inode(struct cpio *c, const struct cpio_head *h);
void cpio_make_special(struct cpio *c, const struct cpio_head *h);	/* all but regular files */
void cpio_make_symlink(struct cpio *c, const struct cpio_head *h, const char *target);
void cpio_write_data(struct cpio *c, int fd, const char *name, const void *data, size_t n);
void cpio_end_file(struct cpio *c, int fd, const struct cpio_head *h);
void cpio_finish_files(struct cpio *c);

/* ---- the modes ---- */
void cpio_copy_in(struct cpio *c, int argc, char **argv);
void cpio_copy_out(struct cpio *c);
void cpio_copy_pass(struct cpio *c, const char *dir);

#endif
