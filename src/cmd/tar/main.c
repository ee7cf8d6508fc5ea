/*
 * tar - archives of files: the table of options and the start of each action.
 */
#include <fcntl.h>
#include <string.h>

#include "base/num.h"
#include "cmd/cmd.h"
#include "cmd/tar/options.h"
#include "cmd/util.h"

#define ACTION(v, s, l, h) TSB_OPT_CALL(tar_opt_action, v, s, l, NULL, h)
#define SWITCH(v, s, l, h) TSB_OPT_CALL(tar_opt_switch, v, s, l, NULL, h)
#define FLAG(field, s, l, h) TSB_OPT_FLAG(struct tar, field, s, l, h)
#define TEXT(fn, v, s, l, a, h) TSB_OPT_CALL(fn, v, s, l, a, h)

static const struct tsb_opt tar_opts[] = {
	ACTION(TAR_LIST, 't', "list", "list the contents of an archive"),
	ACTION(TAR_EXTRACT, 'x', "extract", "extract files from an archive"),
	ACTION(TAR_EXTRACT, 0, "get", NULL),
	ACTION(TAR_CREATE, 'c', "create", "create a new archive"),
	ACTION(TAR_DIFF, 'd', "diff", "find differences between archive and file system"),
	ACTION(TAR_DIFF, 0, "compare", NULL),
	ACTION(TAR_APPEND, 'r', "append", "append files to the end of an archive"),
	ACTION(TAR_UPDATE, 'u', "update", "only append files newer than copy in archive"),
	ACTION(TAR_CAT, 'A', "catenate", "append tar files to an archive"),
	ACTION(TAR_CAT, 0, "concatenate", NULL),
	ACTION(TAR_DELETE, 0, "delete", "delete from the archive (not on mag tapes!)"),
	ACTION(TAR_TEST_LABEL, 0, "test-label", "test the archive volume label and exit"),
	FLAG(sparse, 'S', "sparse", "handle sparse files efficiently"),
	TEXT(tar_opt_word, 'h', 0, "hole-detection", "TYPE", "technique to detect holes"),
	TEXT(tar_opt_text, 's', 0, "sparse-version", "MAJOR[.MINOR]",
	     "set version of the sparse format to use (implies --sparse)"),
	FLAG(ignore_failed_read, 0, "ignore-failed-read",
	     "do not exit with nonzero on unreadable files"),
	TSB_OPT_CALL_OPT(tar_opt_number, 'o', 0, "occurrence", "NUMBER",
			 "process only the NUMBERth occurrence of each file in the archive"),
	FLAG(seekable, 'n', "seek", "archive is seekable"),
	FLAG(no_seek, 0, "no-seek", "archive is not seekable"),
	SWITCH(0x100, 0, "no-check-device", "do not check device numbers when creating incremental "
	       "archives"),
	SWITCH(0x101, 0, "check-device", "check device numbers when creating incremental archives "
	       "(default)"),
	TEXT(tar_opt_text, 'g', 'g', "listed-incremental", "FILE",
	     "handle new GNU-format incremental backup"),
	FLAG(incremental, 'G', "incremental", "handle old GNU-format incremental backup"),
	SWITCH('W', 'W', "verify", "attempt to verify the archive after writing it"),
	FLAG(remove_files, 0, "remove-files", "remove files after adding them to the archive"),
	TSB_OPT_CALL(tar_opt_old_files, TAR_OLD_KEEP, 'k', "keep-old-files", NULL,
		     "don't replace existing files when extracting, treat them as errors"),
	TSB_OPT_CALL(tar_opt_old_files, TAR_OLD_SKIP, 0, "skip-old-files", NULL,
		     "don't replace existing files when extracting, silently skip over them"),
	TSB_OPT_CALL(tar_opt_old_files, TAR_OLD_KEEP_NEWER, 0, "keep-newer-files", NULL,
		     "don't replace existing files that are newer than their archive copies"),
	TSB_OPT_CALL(tar_opt_old_files, TAR_OLD_OVERWRITE, 0, "overwrite", NULL,
		     "overwrite existing files when extracting"),
	TSB_OPT_CALL(tar_opt_old_files, TAR_OLD_UNLINK, 'U', "unlink-first", NULL,
		     "remove each file prior to extracting over it"),
	FLAG(recursive_unlink, 0, "recursive-unlink",
	     "empty hierarchies prior to extracting directory"),
	TSB_OPT_CALL(tar_opt_old_files, TAR_OLD_NO_OVERWRITE_DIR, 0, "no-overwrite-dir", NULL,
		     "preserve metadata of existing directories"),
	TSB_OPT_CALL(tar_opt_old_files, TAR_OLD_DEFAULT, 0, "overwrite-dir", NULL,
		     "overwrite metadata of existing directories when extracting (default)"),
	FLAG(keep_dirlink, 0, "keep-directory-symlink",
	     "preserve existing symlinks to directories when extracting"),
	TSB_OPT_CALL_OPT(tar_opt_text, '1', 0, "one-top-level", "DIR",
			 "create a subdirectory to avoid having loose files extracted"),
	FLAG(to_stdout, 'O', "to-stdout", "extract files to standard output"),
	TSB_OPT_STR(struct tar, to_command, 0, "to-command", "COMMAND",
		    "pipe extracted files to another program"),
	FLAG(ignore_command_error, 0, "ignore-command-error", "ignore exit codes of children"),
	SWITCH(0x102, 0, "no-ignore-command-error",
	       "treat non-zero exit codes of children as error"),
	TEXT(tar_opt_owner, 'o', 0, "owner", "NAME", "force NAME as owner for added files"),
	TEXT(tar_opt_owner, 'g', 0, "group", "NAME", "force NAME as group for added files"),
	TEXT(tar_opt_owner, 'O', 0, "owner-map", "FILE",
	     "use FILE to map file owner UIDs and names"),
	TEXT(tar_opt_owner, 'G', 0, "group-map", "FILE",
	     "use FILE to map file owner GIDs and names"),
	TEXT(tar_opt_date, 'm', 0, "mtime", "DATE-OR-FILE",
	     "set mtime for added files from DATE-OR-FILE"),
	FLAG(clamp_mtime, 0, "clamp-mtime", "only set time when the file is more recent than what "
	     "was given with --mtime"),
	TEXT(tar_opt_text, 'M', 0, "mode", "CHANGES", "force (symbolic) mode CHANGES for added files"),
	TSB_OPT_CALL_OPT(tar_opt_word, 'a', 0, "atime-preserve", "METHOD",
			 "preserve access times on dumped files"),
	FLAG(touch, 'm', "touch", "don't extract file modified time"),
	SWITCH(0x103, 0, "same-owner", "try extracting files with the same ownership as exists in "
	       "the archive (default for superuser)"),
	SWITCH(0x104, 0, "no-same-owner", "extract files as yourself (default for ordinary users)"),
	FLAG(numeric_owner, 0, "numeric-owner", "always use numbers for user/group names"),
	SWITCH(0x105, 'p', "preserve-permissions", "extract information about file permissions "
	       "(default for superuser)"),
	SWITCH(0x105, 0, "same-permissions", NULL),
	SWITCH(0x106, 0, "no-same-permissions", "apply the user's umask when extracting permissions "
	       "from the archive (default for ordinary users)"),
	SWITCH(0x140, 0, "show-snapshot-field-ranges",
	       "show valid ranges for snapshot-file fields"),
	TEXT(tar_opt_text, 'l', 0, "level", "NUMBER",
	     "dump level for created listed-incremental archive "),
	FLAG(same_order, 's', "preserve-order", "member arguments are listed in the same order as "
	     "the files in the archive"),
	FLAG(same_order, 0, "same-order", NULL),
	FLAG(delay_dirs, 0, "delay-directory-restore", "delay setting modification times and "
	     "permissions of extracted directories until the end of extraction"),
	SWITCH(0x107, 0, "no-delay-directory-restore",
	       "cancel the effect of --delay-directory-restore option"),
	TEXT(tar_opt_word, 's', 0, "sort", "ORDER",
	     "directory sorting order: none (default), name or inode"),
	SWITCH(0x110, 0, "xattrs", "Enable extended attributes support"),
	SWITCH(0x111, 0, "no-xattrs", "Disable extended attributes support"),
	TEXT(tar_opt_text, 'i', 0, "xattrs-include", "MASK",
	     "specify the include pattern for xattr keys"),
	TEXT(tar_opt_text, 'e', 0, "xattrs-exclude", "MASK",
	     "specify the exclude pattern for xattr keys"),
	SWITCH(0x112, 0, "selinux", "Enable the SELinux context support"),
	SWITCH(0x111, 0, "no-selinux", "Disable the SELinux context support"),
	SWITCH(0x110, 0, "acls", "Enable the POSIX ACLs support"),
	SWITCH(0x111, 0, "no-acls", "Disable the POSIX ACLs support"),
	TEXT(tar_opt_text, 'f', 'f', "file", "ARCHIVE", "use archive file or device ARCHIVE"),
	TSB_OPT_STR(struct tar, volno_file, 0, "volno-file", "FILE",
		    "use/update the volume number in FILE"),
	/* Archives on other machines cannot be reached: nothing asks for these. */
	TSB_OPT_CALL(util_ignore, 0, 0, "rmt-command", "COMMAND",
		     "use given rmt COMMAND instead of rmt"),
	TSB_OPT_CALL(util_ignore, 0, 0, "rsh-command", "COMMAND",
		     "use remote COMMAND instead of rsh"),
	FLAG(force_local, 0, "force-local", "archive file is local even if it has a colon"),
	TEXT(tar_opt_number, 'b', 'b', "blocking-factor", "BLOCKS", "BLOCKS x 512 bytes per record"),
	TEXT(tar_opt_number, 'R', 0, "record-size", "NUMBER",
	     "NUMBER of bytes per record, multiple of 512"),
	FLAG(ignore_zeros, 'i', "ignore-zeros", "ignore zeroed blocks in archive (means EOF)"),
	FLAG(read_full, 'B', "read-full-records", "reblock as we read (for 4.2BSD pipes)"),
	TEXT(tar_opt_format, 0, 'H', "format", "FORMAT",
	     "create archive of the given format: gnu, oldgnu, pax, posix, ustar, v7"),
	SWITCH(0x120, 0, "old-archive", "same as --format=v7"),
	SWITCH(0x120, 0, "portability", NULL),
	SWITCH(0x121, 0, "posix", "same as --format=posix"),
	TEXT(tar_opt_text, 'x', 0, "pax-option", "keyword[[:]=value][,keyword[[:]=value]]...",
	     "control pax keywords"),
	TSB_OPT_STR(struct tar, label, 'V', "label", "TEXT", "create archive with volume name TEXT"),
	FLAG(auto_compress, 'a', "auto-compress",
	     "use archive suffix to determine the compression program"),
	SWITCH(0x122, 0, "no-auto-compress",
	       "do not use archive suffix to determine the compression program"),
	TEXT(tar_opt_text, 'I', 'I', "use-compress-program", "PROG",
	     "filter through PROG (must accept -d)"),
	TSB_OPT_CALL(tar_opt_compress, 'j', 'j', "bzip2", NULL, "filter the archive through bzip2"),
	TSB_OPT_CALL(tar_opt_compress, 'z', 'z', "gzip", NULL, "filter the archive through gzip"),
	TSB_OPT_CALL(tar_opt_compress, 'z', 0, "gunzip", NULL, NULL),
	TSB_OPT_CALL(tar_opt_compress, 'z', 0, "ungzip", NULL, NULL),
	TSB_OPT_CALL(tar_opt_compress, 'Z', 'Z', "compress", NULL,
		     "filter the archive through compress"),
	TSB_OPT_CALL(tar_opt_compress, 'Z', 0, "uncompress", NULL, NULL),
	TSB_OPT_CALL(tar_opt_compress, 'l', 0, "lzip", NULL, "filter the archive through lzip"),
	TSB_OPT_CALL(tar_opt_compress, 'L', 0, "lzma", NULL, "filter the archive through xz"),
	TSB_OPT_CALL(tar_opt_compress, 'o', 0, "lzop", NULL, "filter the archive through lzop"),
	TSB_OPT_CALL(tar_opt_compress, 'J', 'J', "xz", NULL, "filter the archive through xz"),
	TSB_OPT_CALL(tar_opt_compress, 's', 0, "zstd", NULL, "filter the archive through zstd"),
	FLAG(one_fs, 0, "one-file-system", "stay in local file system when creating archive"),
	FLAG(absolute, 'P', "absolute-names", "don't strip leading '/'s from file names"),
	FLAG(dereference, 'h', "dereference",
	     "follow symlinks; archive and dump the files they point to"),
	FLAG(hard_dereference, 0, "hard-dereference",
	     "follow hard links; archive and dump the files they refer to"),
	TEXT(tar_opt_text, 'K', 'K', "starting-file", "MEMBER-NAME",
	     "begin at member MEMBER-NAME when reading the archive"),
	TEXT(tar_opt_date, 'N', 'N', "newer", "DATE-OR-FILE",
	     "only store files newer than DATE-OR-FILE"),
	TEXT(tar_opt_date, 'N', 0, "after-date", "DATE-OR-FILE", NULL),
	TEXT(tar_opt_date, 'n', 0, "newer-mtime", "DATE",
	     "compare date and time when data changed only"),
	TSB_OPT_CALL_OPT(tar_opt_word, 'b', 0, "backup", "CONTROL",
			 "backup before removal, choose version CONTROL"),
	TEXT(tar_opt_text, '~', 0, "suffix", "STRING",
	     "backup before removal, override usual suffix ('~' unless overridden by environment "
	     "variable SIMPLE_BACKUP_SUFFIX)"),
	TEXT(tar_opt_number, 's', 0, "strip-components", "NUMBER",
	     "strip NUMBER leading components from file names on extraction"),
	TEXT(tar_opt_text, 't', 0, "transform", "EXPRESSION",
	     "use sed replace EXPRESSION to transform file names"),
	TEXT(tar_opt_text, 't', 0, "xform", "EXPRESSION", NULL),
	SWITCH('v', 'v', "verbose", "verbosely list files processed"),
	TSB_OPT_CALL_OPT(tar_opt_checkpoint, 'n', 0, "checkpoint", "NUMBER",
			 "display progress messages every NUMBERth record (default 10)"),
	TEXT(tar_opt_checkpoint, 'a', 0, "checkpoint-action", "ACTION",
	     "execute ACTION on each checkpoint"),
	FLAG(check_links, 'l', "check-links", "print a message if not all links are dumped"),
	TSB_OPT_CALL_OPT(tar_opt_word, 'T', 0, "totals", "SIGNAL",
			 "print total bytes after processing the archive"),
	FLAG(utc, 0, "utc", "print file modification times in UTC"),
	FLAG(full_time, 0, "full-time", "print file time to its full resolution"),
	TSB_OPT_STR(struct tar, index_file, 0, "index-file", "FILE", "send verbose output to FILE"),
	FLAG(block_numbers, 'R', "block-number",
	     "show block number within archive with each message"),
	FLAG(interactive, 'w', "interactive", "ask for confirmation for every action"),
	FLAG(interactive, 0, "confirmation", NULL),
	TSB_OPT_HELP('?', "usage"),
	SWITCH(0x123, 0, "show-defaults", "show tar defaults"),
	FLAG(show_omitted, 0, "show-omitted-dirs", "when listing or extracting, list each directory "
	     "that does not match search criteria"),
	FLAG(show_transformed, 0, "show-transformed-names",
	     "show file or archive names after transformation"),
	FLAG(show_transformed, 0, "show-stored-names", NULL),
	TEXT(tar_opt_word, 'q', 0, "quoting-style", "STYLE", "set name quoting style"),
	TEXT(tar_opt_text, '+', 0, "quote-chars", "STRING",
	     "additionally quote characters from STRING"),
	TEXT(tar_opt_text, '-', 0, "no-quote-chars", "STRING",
	     "disable quoting for characters from STRING"),
	TEXT(tar_opt_word, 'w', 0, "warning", "KEYWORD", "warning control"),
	SWITCH('o', 'o', NULL, "when creating, same as --old-archive; when extracting, same as "
	       "--no-same-owner"),
	FLAG(restrict_use, 0, "restrict", "disable use of some potentially harmful options"),
	TEXT(tar_opt_name, 'a', 0, "add-file", "FILE", "add given FILE to the archive (useful if its "
	     "name starts with a dash)"),
	TEXT(tar_opt_name, 'C', 'C', "directory", "DIR", "change to directory DIR"),
	TEXT(tar_opt_name, 'T', 'T', "files-from", "FILE",
	     "get names to extract or create from FILE"),
	SWITCH(0x130, 0, "null", "-T reads null-terminated names; implies --verbatim-files-from"),
	SWITCH(0x131, 0, "no-null", "disable the effect of the previous --null option"),
	SWITCH(0x132, 0, "unquote", "unquote input file or member names (default)"),
	SWITCH(0x133, 0, "no-unquote", "do not unquote input file or member names"),
	SWITCH(0x134, 0, "verbatim-files-from", "-T reads file names verbatim (no escape or option "
	       "handling)"),
	SWITCH(0x135, 0, "no-verbatim-files-from",
	       "-T treats file names starting with dash as options (default)"),
	TEXT(tar_opt_exclude, 'e', 0, "exclude", "PATTERN", "exclude files, given as a PATTERN"),
	TEXT(tar_opt_exclude, 'X', 'X', "exclude-from", "FILE", "exclude patterns listed in FILE"),
	TSB_OPT_CALL(tar_opt_exclude, 'c', 0, "exclude-caches", NULL, "exclude contents of "
		     "directories containing CACHEDIR.TAG, except for the tag file itself"),
	TSB_OPT_CALL(tar_opt_exclude, 'u', 0, "exclude-caches-under", NULL,
		     "exclude everything under directories containing CACHEDIR.TAG"),
	TSB_OPT_CALL(tar_opt_exclude, 'A', 0, "exclude-caches-all", NULL,
		     "exclude directories containing CACHEDIR.TAG"),
	TEXT(tar_opt_exclude, 't', 0, "exclude-tag", "FILE",
	     "exclude contents of directories containing FILE, except for FILE itself"),
	TEXT(tar_opt_exclude, 'i', 0, "exclude-ignore", "FILE",
	     "read exclude patterns for each directory from FILE, if it exists"),
	TEXT(tar_opt_exclude, 'I', 0, "exclude-ignore-recursive", "FILE", "read exclude patterns "
	     "for each directory and its subdirectories from FILE, if it exists"),
	TEXT(tar_opt_exclude, 'U', 0, "exclude-tag-under", "FILE",
	     "exclude everything under directories containing FILE"),
	TEXT(tar_opt_exclude, 'T', 0, "exclude-tag-all", "FILE",
	     "exclude directories containing FILE"),
	TSB_OPT_CALL(tar_opt_exclude, 'v', 0, "exclude-vcs", NULL,
		     "exclude version control system directories"),
	TSB_OPT_CALL(tar_opt_exclude, 'V', 0, "exclude-vcs-ignores", NULL,
		     "read exclude patterns from the VCS ignore files"),
	TSB_OPT_CALL(tar_opt_exclude, 'b', 0, "exclude-backups", NULL,
		     "exclude backup and lock files"),
	SWITCH(0x136, 0, "recursion", "recurse into directories (default)"),
	SWITCH(0x137, 0, "no-recursion", "avoid descending automatically in directories"),
	TSB_OPT_CALL(tar_opt_match, 'a', 0, "anchored", NULL, "patterns match file name start"),
	TSB_OPT_CALL(tar_opt_match, 'i', 0, "ignore-case", NULL, "ignore case"),
	TSB_OPT_CALL(tar_opt_match, 'A', 0, "no-anchored", NULL,
		     "patterns match after any '/' (default for exclusion)"),
	TSB_OPT_CALL(tar_opt_match, 'I', 0, "no-ignore-case", NULL,
		     "case sensitive matching (default)"),
	TSB_OPT_CALL(tar_opt_match, 'W', 0, "no-wildcards", NULL, "verbatim string matching"),
	TSB_OPT_CALL(tar_opt_match, 'S', 0, "no-wildcards-match-slash", NULL,
		     "wildcards do not match '/'"),
	TSB_OPT_CALL(tar_opt_match, 'w', 0, "wildcards", NULL,
		     "use wildcards (default for exclusion)"),
	TSB_OPT_CALL(tar_opt_match, 's', 0, "wildcards-match-slash", NULL,
		     "wildcards match '/' (default for exclusion)"),
	TSB_OPT_END
};

static void tar_start(struct tar *t)
{
	zone_init(&t->zone, t->utc ? NULL : tsb_getenv(t->p, "TZ"));
	t->umask = util_umask_get(t->p);
	t->uid = tsb_getuid(t->p);
	t->is_root = !t->uid;
	t->root = tsb_strdup(t->p, tsb_getcwd(t->p));
	t->owner_width = 19;
	t->date_width = 16;
	map_init(&t->links, tsb_heap_of(t->p));
	map_init(&t->known_dirs, tsb_heap_of(t->p));
	t->start = tsb_clock(t->p, TSB_CLOCK_FILES);
	t->list_fd = t->to_stdout ||
		     (!t->archive && (t->action == TAR_CREATE || t->action == TAR_APPEND)) ||
		     (t->archive && !strcmp(t->archive, "-") && t->action != TAR_EXTRACT &&
		      t->action != TAR_LIST && t->action != TAR_DIFF) ? 2 : 1;
	if (!t->index_file)
		return;
	t->list_fd = tsb_open(t->p, t->index_file, O_WRONLY | O_CREAT | O_TRUNC, 0666);
	if (t->list_fd < 0)
		tar_fatal(t, "%s: Cannot open: %s", tar_quote_colon(t, t->index_file),
			  tsb_strerror(t->list_fd));
}

/* --volno-file: the volume's number before the work, and behind it. */
static void tar_volume_begin(struct tar *t)
{
	struct tsb_reader in;
	char *line;
	size_t n;
	int fd = t->volno_file ? tsb_open(t->p, t->volno_file, O_RDONLY, 0) : -1;
	int64_t volume = 0;

	t->volume = 1;
	if (fd < 0)
		return;
	tsb_reader_init(&in, t->p, fd);
	n = tsb_getdelim(&in, &line, '\n');
	if (n && line[n - 1] == '\n')
		line[n - 1] = '\0';
	if (!n || num_i64(line, &volume) != NUM_OK || volume <= 0)
		tar_fatal(t, "%s: contains invalid volume number",
			  tar_quote_colon(t, t->volno_file));
	t->volume = (uint64_t)volume;
	tsb_reader_end(&in);
	tsb_close(t->p, fd);
}

static void tar_volume_end(struct tar *t)
{
	const char *text = tsb_format(t->p, "%llu\n", (unsigned long long)t->volume);
	int fd;

	if (!t->volno_file)
		return;
	fd = tsb_open(t->p, t->volno_file, O_WRONLY | O_CREAT | O_TRUNC, 0666);
	if (fd < 0) {
		tar_error(t, "%s: Cannot open: %s", tar_quote_colon(t, t->volno_file),
			  tsb_strerror(fd));
		return;
	}
	tsb_write_all(t->p, fd, text, strlen(text));
	tsb_close(t->p, fd);
}

static void tar_act(struct tar *t)
{
	switch ((enum tar_action)t->action) {
	case TAR_CREATE:
		tar_create(t);
		break;
	case TAR_LIST:
		tar_read_all(t, tar_list_member);
		break;
	case TAR_EXTRACT:
		tar_read_all(t, tar_extract_member);
		tar_extract_finish(t);
		break;
	case TAR_DIFF:
		tar_read_all(t, tar_compare_member);
		break;
	case TAR_APPEND: case TAR_UPDATE: case TAR_CAT:
		if (t->action == TAR_UPDATE)
			tar_report_positional(t);
		tar_update(t);
		break;
	case TAR_DELETE:
		tar_delete(t);
		break;
	case TAR_TEST_LABEL:
		tar_test_label(t);
		break;
	case TAR_NO_ACTION:
		break;
	}
}

static int tar_run(struct tsb_proc *p, void *opts, int argc, char **argv)
{
	struct tar *t = tsb_alloc(p, sizeof(*t));

	(void)opts;
	t->p = p;
	t->record_size = (size_t)20 * TAR_BLOCK;
	t->warnings = TAR_W_ALL & ~(unsigned)TAR_W_VERBOSE;
	t->unquote = 1;
	t->wildcards = -1;
	t->same_owner = t->same_mode = -1;
	t->quoting = QUOTE_ESCAPE;
	t->list_fd = 1;
	t->check_device = true;
	t->name_at = SIZE_MAX;
	tar_parse(t, argc, argv);
	tar_settle(t);
	tar_start(t);
	tar_volume_begin(t);
	tar_act(t);
	tar_report_missing(t);
	tar_volume_end(t);
	if (t->totals && t->action != TAR_TEST_LABEL)
		tar_totals(t);
	if (tsb_flush(p)) {
		tsb_out_forget(p);
		tar_say(t, "stdout: write error");
		return 2;
	}
	if (t->status == 2)
		tar_say(t, "Exiting with failure status due to previous errors");
	return t->status;
}

const struct tsb_command cmd_tar = {
	.version = TSB_COMMAND_VERSION, CMD_GNU("tar", "1.34"), .name = "tar",
	.synopsis = "[OPTION...] [FILE]...",
	.summary = "GNU 'tar' saves many files together into a single tape or disk archive, and can\n"
		   "restore individual files from the archive.",
	.opts = tar_opts, .opts_size = sizeof(struct tar), .run = tar_run, .flags = TSB_RAW,
	.usage_status = 64,
};
