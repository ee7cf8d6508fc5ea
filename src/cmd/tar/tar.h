/*
 * tar: what its files share. The flow of a run:
 *
 *	options.c  arguments -> struct tar, name.c the names in their order
 *	buffer.c   records of the archive, in and out, through a compressor's pipe
 *	header.c, pax.c  blocks <-> struct tar_member
 *	read.c     every member of an archive -> list.c, extract*.c, compare.c
 *	create.c   the file tree -> members; update.c, delete.c change archives
 */
#ifndef CMD_TAR_TAR_H
#define CMD_TAR_TAR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <tinysandbox/command.h>

#include "base/map.h"
#include "base/str.h"
#include "cmd/backup.h"
#include "text/civil.h"
#include "text/escape.h"

enum { TAR_BLOCK = 512, TAR_NAME = 100, TAR_DEPTH_MAX = 2000 };

enum tar_format { TAR_DEFAULT, TAR_V7, TAR_OLDGNU, TAR_USTAR, TAR_PAX, TAR_GNU, TAR_STAR };
enum tar_action { TAR_NO_ACTION, TAR_APPEND, TAR_CAT, TAR_CREATE, TAR_DELETE, TAR_DIFF,
		  TAR_EXTRACT, TAR_LIST, TAR_UPDATE, TAR_TEST_LABEL };
enum tar_old { TAR_OLD_DEFAULT, TAR_OLD_NO_OVERWRITE_DIR, TAR_OLD_OVERWRITE, TAR_OLD_UNLINK,
	       TAR_OLD_KEEP, TAR_OLD_SKIP, TAR_OLD_KEEP_NEWER };

/* Bits of how names match. */
enum { TAR_MATCH_ANCHORED = 1, TAR_MATCH_WILDCARDS = 2, TAR_MATCH_ICASE = 4,
       TAR_MATCH_NO_SLASH = 8, TAR_MATCH_RECURSE = 16,
       TAR_MATCH_DIRECT = 32 /* only entries of the directory itself */ };

/* Classes of warnings, for --warning. */
enum {
	TAR_W_ALONE_ZERO_BLOCK = 1, TAR_W_BAD_DUMPDIR = 2, TAR_W_CACHEDIR = 4,
	TAR_W_CONTIGUOUS_CAST = 8, TAR_W_FILE_CHANGED = 16, TAR_W_FILE_IGNORED = 32,
	TAR_W_FILE_REMOVED = 64, TAR_W_FILE_SHRANK = 128, TAR_W_FILE_UNCHANGED = 256,
	TAR_W_FILENAME_WITH_NULS = 512, TAR_W_IGNORE_ARCHIVE = 1024, TAR_W_IGNORE_NEWER = 2048,
	TAR_W_NEW_DIRECTORY = 4096, TAR_W_RENAME_DIRECTORY = 8192,
	TAR_W_SYMLINK_CAST = 16384, TAR_W_TIMESTAMP = 32768, TAR_W_UNKNOWN_CAST = 65536,
	TAR_W_UNKNOWN_KEYWORD = 1 << 17, TAR_W_XDEV = 1 << 18,
	TAR_W_DECOMPRESS_PROGRAM = 1 << 19, TAR_W_EXISTING_FILE = 1 << 20,
	TAR_W_XATTR_WRITE = 1 << 21, TAR_W_RECORD_SIZE = 1 << 22,
	TAR_W_FAILED_READ = 1 << 23, TAR_W_MISSING_ZERO_BLOCKS = 1 << 24,
	TAR_W_ALL = (1 << 25) - 1,
	TAR_W_VERBOSE = TAR_W_RENAME_DIRECTORY | TAR_W_NEW_DIRECTORY |
			TAR_W_DECOMPRESS_PROGRAM | TAR_W_EXISTING_FILE | TAR_W_RECORD_SIZE
};

struct tar_hole_map {
	uint64_t offset, bytes;
};

/* A member: what its header tells, or will. */
struct tar_member {
	const char *orig_name;	/* as stored */
	char *name;		/* without trailing slashes, transformed */
	bool trailing_slash;
	const char *link_name;	/* NULL: none */
	const char *uname, *gname;	/* "": none */
	struct tsb_stat st;	/* mode with the type bits, uid, gid, size, times, rdev */
	bool has_atime, has_ctime;
	char type;		/* the header's type flag */
	enum tar_format format;
	uint64_t stored;	/* bytes of data in the archive */
	bool sparse;
	unsigned sparse_major, sparse_minor;
	bool sparse_bad;	/* its map cannot be read */
	struct tar_hole_map *map;	/* the data of a sparse file */
	size_t n_map;
	uint64_t real_size;	/* of a sparse file */
	uint64_t at_block;	/* of its first header */
	uint64_t shown_block;	/* the same, those of pax not counted */
	const char *dump;	/* of a directory of an incremental archive: see incremental.h */
	size_t n_dump;
};

/* A name of the command line or of -T, in order. */
struct tar_name {
	enum { TAR_NAME_FILE, TAR_NAME_DIR } kind;
	const char *text;
	unsigned match;		/* TAR_MATCH_* at its place */
	bool is_wildcard;
	size_t dir;		/* index of the -C it is under; 0: none */
	size_t found;
	const char *change_dir;
	void *pattern;
};

struct tar_exclude {
	const char *text;
	unsigned match;
	void *pattern;
	const char *under;	/* only below this directory; NULL: everywhere */
	size_t from;		/* when creating: for names from this one on */
};

/* An option that holds for the names behind it: -C if option is NULL. */
struct tar_positional {
	const char *option, *arg;
};

/* --exclude-tag and kin. */
enum tar_tag_kind { TAR_TAG_CONTENTS, TAR_TAG_ALL, TAR_TAG_UNDER };
struct tar_tag {
	const char *name;
	enum tar_tag_kind kind;
	bool is_cachedir;
	size_t from;		/* as an exclusion's */
};

struct tar_ignore {		/* --exclude-ignore, --exclude-vcs-ignores */
	const char *file;
	unsigned match;
	bool recursive;
	size_t from;
};

struct tar_xform;		/* transform.c */
struct tar_map;			/* owner.c: --owner-map */
struct tar_buffer;		/* buffer.c */
struct tar_pax_options;		/* pax.c */
struct tar_delayed;		/* extract_delay.c */
struct tar_removal;		/* create.c */
struct tar_checkpoint;		/* list.c */
struct tar_incremental;		/* incremental.h */
struct util_asker;
struct mode_change;

/* A growing array of any of these: see util_grow(). */
#define TAR_LIST(type) struct { type *at; size_t n, cap; }

struct tar {
	struct tsb_proc *p;
	/* ---- options ---- */
	int action;		/* enum tar_action */
	const char *archive;	/* -f; NULL: standard streams */
	size_t n_archives;
	const char *pax_only;	/* --xattrs and its like */
	uint64_t volume;	/* its number, for --volno-file */
	const char *compress;	/* the program; NULL: none */
	bool auto_compress;
	int format;		/* enum tar_format */
	const char *blocking_text;
	size_t record_size;
	bool absolute, dereference, hard_dereference, ignore_zeros, interactive, keep_dirlink;
	bool ignore_failed_read, check_links, one_fs, numeric_owner, remove_files, touch;
	bool to_stdout, utc, full_time, verify, block_numbers, show_omitted, show_transformed;
	bool totals, sparse, seekable, no_seek, recursive_unlink, delay_dirs, no_delay_dirs;
	bool old_files_set;
	int totals_signal;		/* of --totals=SIGNAL; 0: none */
	bool level_given, level_zero;	/* --level, which needs -g */
	bool incremental, check_device;
	const char *snapshot;		/* -g */
	bool clamp_mtime, restrict_use, starting_seen, same_order, atime_preserve;
	bool verbatim_files, null_files, files_option, o_option, ignore_command_error;
	bool contiguous_said, exclude_cached_done, label_checked, read_full, hole_seek, hole_raw, multi_volume;
	bool force_local, one_top_level_given, exclude_backups_done, pax_given, no_auto;
	int same_owner, same_mode;	/* -1: by who runs it */
	int verbose;
	unsigned warnings;
	int old_files;		/* enum tar_old */
	int sort;		/* 0, 'n', 'i' */
	int unquote;		/* names of -T, and patterns of members */
	unsigned match;		/* --anchored and kin so far */
	int wildcards;		/* 1, 0, -1: not said */
	bool include_unanchored, no_recursion;
	unsigned sparse_major, sparse_minor;
	bool sparse_version_set;
	uint64_t occurrence, strip;
	const char *to_command, *index_file, *volno_file, *label, *starting_file, *one_top_level;
	const char *newer_text;	/* -N, --newer-mtime */
	bool newer_set, newer_ctime;
	struct tsb_time newer;
	const char *owner_name, *group_name;	/* --owner; NULL: not given */
	uint32_t owner_id, group_id;
	bool owner_id_set, group_id_set, mtime_set;
	struct tsb_time mtime;
	const char *mode_text;
	struct mode_change *mode;
	struct backup backup;
	enum quote_style quoting;
	const char *quote_more, *quote_less;
	uint64_t checkpoint;
	struct tar_checkpoint *checkpoint_actions;
	struct tar_xform *xforms;
	struct tar_pax_options *pax;
	struct tar_map *owner_map, *group_map;
	TAR_LIST(struct tar_name) names;
	TAR_LIST(struct tar_exclude) excludes;
	struct map plain_excludes;	/* see name.c */
	size_t plain_longest;
	TAR_LIST(struct tar_tag) tags;
	TAR_LIST(struct tar_ignore) ignores;
	TAR_LIST(struct tar_positional) trailing;	/* options behind the last name */
	size_t name_at;		/* that is being stored; SIZE_MAX: all options hold */
	size_t files_from_depth;
	const char **date_notes;	/* how dates were understood, for -v */
	size_t n_date_notes, cap_date_notes;
	/* ---- the run ---- */
	int status;		/* of the exit: 0, 1 (differs), 2 */
	struct tar_buffer *b;
	struct zone zone;
	struct tsb_time start;
	uint32_t umask, uid;
	bool is_root;
	struct tar_member m;	/* the current one */
	int list_fd;		/* where -v goes */
	size_t owner_width, date_width;
	size_t dir;		/* the -C that holds now */
	const char *root;	/* the working directory at the start */
	const char **prefixes;	/* of names that were removed, and said so */
	size_t n_prefixes, cap_prefixes;
	bool eof_wanted;
	struct tar_delayed *delayed;
	struct map links;	/* dev:ino -> the first name */
	struct map known_dirs;
	struct tar_incremental *incremental_state;
	bool volume_label_read;
	const char *volume_label;	/* of a global header, until it is told of */
	const char *dump;	/* of the directory to be written */
	struct util_asker *asker;
	size_t n_found;
	struct tar_removal *removals, *last_removal;	/* --remove-files */
};

/* ---- message.c ---- */
void tar_say(struct tar *t, const char *fmt, ...) TSB_PRINTF(2, 3);	/* "tar: text" */
void tar_error(struct tar *t, const char *fmt, ...) TSB_PRINTF(2, 3);	/* and status 2 */
/* "tar: NAME: Cannot VERB: reason", status 2; warn_: "Warning: Cannot", status as it is. */
void tar_cannot(struct tar *t, const char *verb, const char *name, int err);
void tar_warn_cannot(struct tar *t, const char *verb, const char *name, int err);
void tar_warn(struct tar *t, unsigned class, const char *fmt, ...) TSB_PRINTF(3, 4);
void tar_fatal(struct tar *t, const char *fmt, ...) TSB_PRINTF(2, 3) TSB_NORETURN;
void tar_fatal_exit(struct tar *t) TSB_NORETURN;	/* "Error is not recoverable" */
void tar_usage(struct tar *t, const char *fmt, ...) TSB_PRINTF(2, 3) TSB_NORETURN;
void tar_out(struct tar *t, const char *data, size_t n);	/* what -v and -t print */
const char *tar_quote(struct tar *t, const char *name);		/* as listed */
const char *tar_quote_colon(struct tar *t, const char *name);	/* before a colon */
const char *tar_quote_word(struct tar *t, const char *name);	/* ‘name’ */
bool tar_confirm(struct tar *t, const char *what, const char *name);

/* ---- options.c ---- */
void tar_files_from(struct tar *t, const char *file);
void tar_parse(struct tar *t, int argc, char **argv);	/* ends the process on errors */
void tar_settle(struct tar *t);
void tar_exclude_from(struct tar *t, const char *file);

/* ---- name.c ---- */
void tar_add_name(struct tar *t, const char *text, bool is_dir);
void tar_add_exclude(struct tar *t, const char *text, unsigned match, const char *under);
unsigned tar_exclude_match(const struct tar *t);
/* An option that only names behind it can feel. */
void tar_positional(struct tar *t, const char *option, const char *arg);
/* That options stand behind all names, in vain. */
void tar_report_positional(struct tar *t);
/* Is this member wanted? Counts what was found. */
bool tar_wanted(struct tar *t, const char *name);
bool tar_excluded(struct tar *t, const char *name);
void tar_report_missing(struct tar *t);
/* All names were found --occurrence times: nothing more can come. */
bool tar_all_found(struct tar *t);
void tar_enter_dir(struct tar *t, size_t dir);	/* the -C of an index */
/* Without "/" or ".." in front; says so once. */
const char *tar_safe_name(struct tar *t, const char *name, bool is_link);
bool tar_has_dotdot(const char *name);
char *tar_unquote(struct tar *t, const char *text);

/* ---- transform.c ---- */
enum { TAR_XFORM_FILE = 1, TAR_XFORM_LINK = 2, TAR_XFORM_SYMLINK = 4 };
void tar_add_xform(struct tar *t, const char *expression);
/* The name after --transform and --strip-components; NULL: nothing is left. */
char *tar_transform(struct tar *t, const char *name, unsigned what);
char *tar_strip(struct tar *t, const char *name);

/* ---- buffer.c ---- */
enum tar_mode { TAR_READ, TAR_WRITE, TAR_MODIFY };
void tar_open(struct tar *t, enum tar_mode mode);
/* The next block, not consumed: NULL at the end of a read archive. */
unsigned char *tar_block(struct tar *t);
void tar_consume(struct tar *t, size_t blocks);
size_t tar_blocks_ready(struct tar *t);	/* blocks that follow tar_block() at once */
uint64_t tar_block_number(const struct tar *t);	/* of tar_block() */
void tar_skip(struct tar *t, uint64_t bytes);
void tar_close(struct tar *t);
void tar_end_of_archive(struct tar *t);	/* two zero blocks, the record padded */
void tar_flush_record(struct tar *t);
void tar_totals(struct tar *t);
/* From reading a TAR_MODIFY archive to writing over block number n on. */
void tar_write_from(struct tar *t, uint64_t block);
bool tar_is_archive(const struct tar *t, const struct tsb_stat *st);
void tar_count_deleted(struct tar *t, uint64_t blocks);
/* ---- compress.c ---- */
const char *tar_compressor_of(const char *name);	/* by suffix, or NULL */
const char *tar_compressor_magic(const unsigned char *block, size_t n);
const char *tar_compressor_option(const unsigned char *block, size_t n);	/* "-z" */
int tar_start_compressor(struct tar *t, const char *program, int archive_fd, bool decompress,
			 int *pid);

/* ---- header.c ---- */
enum tar_header { TAR_H_OK, TAR_H_ZERO, TAR_H_END, TAR_H_BAD, TAR_H_UNREAD };
/* Reads headers up to a member's own into t->m. */
enum tar_header tar_read_header(struct tar *t);
/* Writes the member's header (and what goes before it); false after a message. */
bool tar_write_header(struct tar *t, struct tar_member *m);
bool tar_checksum_ok(const unsigned char *b);
void tar_put_octal(unsigned char *to, size_t n, uint64_t v);
void tar_checksum(unsigned char *b);
unsigned char *tar_new_block(struct tar *t);	/* zeroed, to be consumed when filled */
void tar_write_text(struct tar *t, const char *text, size_t n);	/* padded data blocks */

/* ---- pax.c ---- */
bool tar_pax_has_global(const struct tar *t);	/* keyword=value */
void tar_pax_option(struct tar *t, const char *text);
void tar_pax_read(struct tar *t, const char *text, size_t n, bool global);
void tar_pax_apply(struct tar *t, struct tar_member *m);
void tar_pax_forget(struct tar *t);
void tar_pax_write(struct tar *t, struct tar_member *m, const char *records, size_t n);
void tar_pax_write_global(struct tar *t);
void tar_pax_record(struct str *out, const char *key, const char *value, size_t n);
void tar_pax_records(struct tar *t, struct tar_member *m, struct str *out);
bool tar_pax_has_overrides(struct tar *t);
const char *tar_time_text(struct tar *t, struct tsb_time time);
char *tar_date_text(struct tar *t, struct tsb_time time, bool full);

/* ---- sparse.c ---- */
void tar_sparse_scan(struct tar *t, struct tar_member *m, int fd);
/* The map, from the old GNU header or the data's first blocks. */
bool tar_sparse_read_old(struct tar *t, struct tar_member *m, const unsigned char *header);
bool tar_sparse_read_map(struct tar *t, struct tar_member *m);
/* "NAME: malformed ...": false. */
bool tar_sparse_bad(struct tar *t, struct tar_member *m);
bool tar_sparse_pax(struct tar *t, struct tar_member *m, const char *key, const char *value);
void tar_sparse_put_header(struct tar *t, struct tar_member *m);
void tar_sparse_dump(struct tar *t, struct tar_member *m, int fd);

/* ---- read.c, list.c ---- */
void tar_read_all(struct tar *t, void (*each)(struct tar *t));
/* Of the first header read: does the volume have the label of -V? */
void tar_check_label(struct tar *t);
/* Of a pax archive: its label, as a member of its own before the first; checked, or told of. */
void tar_global_label(struct tar *t, bool print);
void tar_test_label(struct tar *t);
void tar_list_member(struct tar *t);
void tar_print_header(struct tar *t, struct tar_member *m);
void tar_skip_member(struct tar *t);
void tar_checkpoint_add(struct tar *t, const char *action);
void tar_checkpoint(struct tar *t, uint64_t number, bool writing);

/* ---- extract.c, extract_delay.c ---- */
void tar_extract_member(struct tar *t);
void tar_extract_finish(struct tar *t);
bool tar_make_parents(struct tar *t, const char *name);	/* false: none was missing */
/* Attributes of a directory, set when nothing more will be put into it. */
void tar_delay_dir(struct tar *t, const char *name, const struct tar_member *m, uint32_t now,
		   bool made);
void tar_delay_release(struct tar *t, const char *name);
void tar_delay_renamed(struct tar *t, const char *from, const char *to);
/* A link that points out, as an empty file until the end. */
bool tar_delay_link(struct tar *t, const char *name, const struct tar_member *m);
bool tar_delay_link_also(struct tar *t, const char *target, const char *name);
void tar_delay_end(struct tar *t);
void tar_set_attributes(struct tar *t, const char *name, const struct tar_member *m, int fd,
			uint32_t now, bool is_link);
uint32_t tar_mode_of(const struct tar *t, const struct tar_member *m);
int tar_command_start(struct tar *t, int *pid);	/* --to-command: its input */
void tar_command_end(struct tar *t, int fd, int pid);

/* ---- create.c ---- */
void tar_create(struct tar *t);
void tar_dump_names(struct tar *t);
/* ---- create_file.c ---- */
enum tar_tag_kind_found { TAR_TAGS_NONE = -1 };
/* One file of the tree: true if it is a directory to be entered. */
bool tar_add_one(struct tar *t, const char *path, size_t depth, struct tsb_stat *st);
void tar_add_ignores(struct tar *t, const char *path);
/* A tag in the directory: its kind and name, or TAR_TAGS_NONE. */
int tar_find_tag(struct tar *t, const char *path, const char **name);
void tar_remove_later(struct tar *t, const char *path, bool is_dir);
void tar_remove_added(struct tar *t);
void tar_failed_read(struct tar *t, const char *verb, const char *name, int err);
/* ---- compare.c, update.c, delete.c ---- */
void tar_compare_member(struct tar *t);
void tar_verify(struct tar *t);
void tar_update(struct tar *t);
void tar_delete(struct tar *t);

/* ---- owner.c ---- */
void tar_owner_option(struct tar *t, const char *text, bool group);
struct tar_map *tar_map_read(struct tar *t, const char *file, bool group);
void tar_map_owner(struct tar *t, struct tar_member *m);
uint32_t tar_find_uid(struct tar *t, const struct tar_member *m);
uint32_t tar_find_gid(struct tar *t, const struct tar_member *m);

#endif
