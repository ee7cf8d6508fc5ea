/*
 * Inside of ls, dir and vdir: the options, the listing, and which file of the
 * implementation does what.
 */
#ifndef CMD_LS_H
#define CMD_LS_H

#include <tinysandbox/command.h>

#include "base/map.h"
#include "base/str.h"
#include "cmd/human.h"
#include "text/civil.h"
#include "text/escape.h"

enum ls_mode { LS_LS, LS_DIR, LS_VDIR };
enum ls_format { LS_LONG, LS_ONE, LS_COLUMNS, LS_ACROSS, LS_COMMAS };
enum ls_time { LS_MTIME, LS_CTIME, LS_ATIME, LS_BTIME };
enum ls_sort { LS_BY_NAME, LS_BY_EXTENSION, LS_BY_WIDTH, LS_BY_SIZE, LS_BY_VERSION, LS_BY_TIME,
	       LS_UNSORTED };
enum ls_indicator { LS_NO_INDICATOR, LS_SLASH, LS_FILE_TYPE, LS_CLASSIFY };
enum ls_deref { LS_DEREF_UNSET, LS_DEREF_NEVER, LS_DEREF_OPERANDS, LS_DEREF_OPERAND_DIRS,
		LS_DEREF_ALWAYS };
enum ls_ignore { LS_IGNORE_DOTS, LS_IGNORE_DOT_DIRS, LS_IGNORE_NONE };
enum ls_type { LS_UNKNOWN, LS_FIFO, LS_CHAR, LS_DIRECTORY, LS_BLOCK, LS_REGULAR, LS_LINK,
	       LS_SOCKET, LS_OPERAND_DIR };

struct pattern;

struct ls_file {
	char *name;
	struct tsb_stat st;
	bool stat_ok;
	int type;		/* enum ls_type */
	uint32_t link_mode;	/* of what a link leads to; 0: not looked at */
	bool link_ok;
	char *target;		/* of a link */
	char *absolute;		/* for --hyperlink */
	/* How it is shown; filled by ls_show(). */
	char *shown;
	size_t shown_len, width;
	bool quoted, has_shown;
};

/* A directory to be listed, on a stack; without a name: its end marker. */
struct ls_pending {
	struct ls_pending *next;
	char *name;
	bool operand;
	uint64_t dev, ino;
};

/* The colours of LS_COLORS: bytes with their length. set: differs from none. */
struct ls_seq {
	const char *p;
	size_t n;
};

enum ls_color {
	LS_C_LEFT, LS_C_RIGHT, LS_C_END, LS_C_RESET, LS_C_NORM, LS_C_FILE, LS_C_DIR, LS_C_LINK,
	LS_C_FIFO, LS_C_SOCK, LS_C_BLK, LS_C_CHR, LS_C_MISSING, LS_C_ORPHAN, LS_C_EXEC, LS_C_DOOR,
	LS_C_SETUID, LS_C_SETGID, LS_C_STICKY, LS_C_OTHER_WRITABLE, LS_C_STICKY_OTHER, LS_C_CAP,
	LS_C_MULTI, LS_C_CLEAR, LS_C_COUNT
};

struct ls_extension {
	struct ls_seq suffix, color;
};

/* Offsets for --dired. */
struct ls_offsets {
	uint64_t *at;
	size_t n, cap;
};

struct ls {
	struct tsb_proc *p;
	int mode;		/* enum ls_mode */
	int status;

	/* As given; -1 or zero: not given. */
	int format, sort, time, indicator, deref, ignore, quoting, hide_control;
	bool explicit_time, reverse, recursive, immediate, dirs_first;
	bool inode, blocks, owner, group, author, numeric, context;
	bool color, hyperlink, dired, zero, kibibytes;
	bool have_human;
	const char *time_style, *width_text, *tab_text;
	int64_t width, tab;
	struct human block, file_block;	/* totals and -s; sizes */
	struct tsb_list ignore_patterns, hide_patterns;
	bool ignore_backups;

	/* Settled. */
	int eol;
	const char *time_format[2];	/* old, recent */
	struct pattern **ignored, **hidden;	/* end with NULL */
	const char *name_extra;		/* quoted besides in names */
	bool align_quotes, needs_stat, needs_type, check_links, link_as_referent;
	struct zone zone;
	struct tsb_time now;
	bool have_now;
	const char *host;
	struct ls_seq seq[LS_C_COUNT];
	struct ls_extension *extensions;
	size_t n_extensions, extensions_cap;
	bool used_color;

	/* The listing in work. */
	struct ls_file *files;
	size_t n_files, files_cap;
	struct ls_file **order;
	bool some_quoted, print_heading, first_heading_done;
	struct ls_pending *pending;
	struct map active;	/* "dev:ino" of the directories around, for -R */
	uint64_t total_blocks;
	int w_inode, w_blocks, w_nlink, w_owner, w_group, w_author, w_context, w_size, w_major,
	    w_minor;
	struct map users, groups;	/* number -> name */
	uint64_t pos;			/* bytes written, for --dired */
	struct ls_offsets names, headings;
};

/* ls_opts.c */
extern const struct tsb_opt ls_opts[];
extern const struct ls ls_defaults;
int ls_settle(struct ls *ls);		/* 0 or the exit status */
/* ls_read.c */
void ls_fail(struct ls *ls, bool serious, int err, const char *what, const char *file);
void ls_clear(struct ls *ls);
uint64_t ls_add(struct ls *ls, const char *name, int type, bool operand, const char *dir);
bool ls_is_ignored(struct ls *ls, const char *name);
int ls_type_of(uint32_t mode);
bool ls_is_directory(const struct ls_file *f);
/* ls_sort.c: fills ls->order. */
void ls_sort_files(struct ls *ls);
/* ls_print.c */
void ls_print_files(struct ls *ls);
/* ls_long.c */
void ls_print_long(struct ls *ls, struct ls_file *f);
const char *ls_user_name(struct ls *ls, uint32_t id);	/* NULL: by number */
const char *ls_group_name(struct ls *ls, uint32_t id);
int ls_id_width(const char *name, uint32_t id);
/* ls_name.c */
void ls_put(struct ls *ls, const char *s, size_t n);
void ls_puts(struct ls *ls, const char *s);
void ls_putf(struct ls *ls, const char *fmt, ...) TSB_PRINTF(2, 3);
void ls_show(struct ls *ls, struct ls_file *f);		/* fills shown, width, quoted */
size_t ls_width(struct ls *ls, struct ls_file *f);	/* columns with the pad for quotes */
size_t ls_put_name(struct ls *ls, struct ls_file *f, bool target, struct ls_offsets *offsets,
		   size_t column);
void ls_put_heading(struct ls *ls, const char *name, const char *absolute);
int ls_indicator(const struct ls *ls, bool stat_ok, uint32_t mode, int type);
void ls_dump_offsets(struct ls *ls);
/* ls_color.c */
void ls_color_parse(struct ls *ls);
bool ls_is_colored(const struct ls *ls, enum ls_color c);
const struct ls_seq *ls_color_of(struct ls *ls, const struct ls_file *f, bool target);
void ls_color_start(struct ls *ls, const struct ls_seq *seq);
void ls_color_stop(struct ls *ls);
void ls_color_normal(struct ls *ls);
void ls_color_clear_line(struct ls *ls);
void ls_color_finish(struct ls *ls);

#endif
