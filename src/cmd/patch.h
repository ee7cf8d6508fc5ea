/*
 * patch's parts: options and the loop over the patches of a file (patch.c,
 * patch_options), the text of the patch file (patch_text), its headers
 * (patch_intuit, patch_name), hunks (patch_hunk, patch_context), where they go
 * (patch_locate, patch_apply, patch_merge), what did not go anywhere
 * (patch_reject), ed scripts (patch_ed), files (patch_file, patch_output).
 */
#ifndef CMD_PATCH_H
#define CMD_PATCH_H

#include "base/str.h"
#include "base/vec.h"
#include "cmd/backup.h"
#include "cmd/diffutils.h"
#include "text/civil.h"
#include "text/escape.h"

enum patch_type {
	PATCH_NONE, PATCH_CONTEXT, PATCH_NEW_CONTEXT, PATCH_NORMAL, PATCH_ED, PATCH_UNIFIED,
	PATCH_GIT_BINARY
};
enum patch_verbosity { PATCH_DEFAULT, PATCH_SILENT, PATCH_VERBOSE };
enum patch_read_only { PATCH_RO_WARN, PATCH_RO_IGNORE, PATCH_RO_FAIL };
enum { PATCH_OLD, PATCH_NEW, PATCH_INDEX, PATCH_NAMES };

/* A line of a hunk, with its newline if it has one. ch: ' ', '-', '+', '!'. */
struct patch_line {
	char ch;
	const char *s;
	size_t n;
};
typedef VEC(struct patch_line) patch_lines;

struct patch_hunk {
	int64_t first, newfirst;
	patch_lines old, new;
	int64_t prefix, suffix;		/* lines of context */
	const char *function;		/* " text", or NULL */
	uint64_t line;			/* of its first line in the patch file */
};

/* The file to be patched, as lines. */
struct patch_input {
	char *text;
	size_t size;
	size_t *line;			/* n + 1 offsets */
	int64_t n;
};

/* What is known of one file of a patch's header. */
struct patch_side {
	char *stamp;			/* as it stood in the header */
	struct tsb_time time;
	bool has_time;
	uint32_t mode;			/* 0: not given */
	bool copy, rename;
	int nonexistent;		/* 1: seems so, 2: surely */
	char *sha1;
};

/* A file to be written or removed, kept back in git's patches. */
struct patch_output {
	const char *name;
	bool remove;
	char *text;
	size_t n;
	uint32_t mode;
	bool has_time, backup;
	struct tsb_time time;
	struct tsb_stat from;		/* the file it comes from */
	bool has_from;
};

struct patch {
	struct tsb_proc *p;
	/* options */
	int strip;
	int64_t fuzz_max;
	enum patch_type type;
	int verbosity, read_only, reject_format, merge;	/* merge: 1, or 2 for diff3 */
	bool white, forward, reverse, batch, force, remove_empty, set_time, set_utc, dry_run;
	bool posix, binary, backup, backup_mismatch, follow;
	const char *patch_name, *out_name, *reject_name, *define;
	const char *prefix, *base_prefix, *suffix, *control;
	enum quote_style quoting;
	struct backup versions;
	struct zone zone;

	/* the patch file */
	char *text;
	size_t size, at, base, start;
	uint64_t line, base_line, start_line;
	struct str buf;			/* the current line, NUL behind it */
	size_t indent;
	int nesting;
	bool strip_cr;

	/* the patch in work */
	const char *in_name;
	bool explicit_name, reverse_given;
	int in_error;			/* -errno of its stat; 1: not looked at */
	struct tsb_stat in_st;
	uint32_t file_type;
	char *name[PATCH_NAMES];
	struct patch_side side[2];
	const char *prereq;
	const char *invalid[2];
	bool git, had_git, skip_rest, failed;
	bool unsafe;			/* its name leads away: nothing is said of hunks */
	struct patch_hunk hunk;
	bool swapped;
	struct patch_input in;
	struct str out;
	bool out_newline;		/* the output ends with a newline (or is empty) */
	bool out_empty;
	int64_t in_offset, out_offset, frozen;

	struct str rejects, all_out;
	VEC(struct patch_output) queue;
	VEC(const char *) written;	/* names that have been written */
	VEC(const char *) removed;
	bool rejects_made;
	VEC(const char *) rejected;	/* files of rejects that have been written */
	bool dying;
	int say_fd;
};

/* patch_options.c */
extern const struct tsb_opt patch_opts[];

/* patch_text.c */
void patch_say(struct patch *t, const char *fmt, ...) TSB_PRINTF(2, 3);
void patch_fatal(struct patch *t, const char *fmt, ...) TSB_PRINTF(2, 3) TSB_NORETURN;
void patch_pfatal(struct patch *t, int err, const char *fmt, ...) TSB_PRINTF(3, 4) TSB_NORETURN;
const char *patch_quote(struct patch *t, const char *name);
/* Asks; nobody answers, which is an empty line. */
void patch_ask(struct patch *t, const char *fmt, ...) TSB_PRINTF(2, 3);
void patch_read_text(struct patch *t);
/* The next line into buf; its length, 0 at the end. */
size_t patch_raw_line(struct patch *t);
size_t patch_hunk_line(struct patch *t);	/* without indentation and the like */
bool patch_incomplete(struct patch *t);		/* is "\ No newline" next? then behind it */
void patch_next_at(struct patch *t, size_t at, uint64_t line);
void patch_malformed(struct patch *t) TSB_NORETURN;

/* patch_name.c */
void patch_fetch_name(struct patch *t, const char *s, char **name, struct patch_side *side);
char *patch_parse_name(struct patch *t, const char *s, const char **end);
bool patch_name_valid(struct patch *t, const char *name);
int patch_best_name(struct patch *t, const int *ignore);
size_t patch_components(struct patch *t, const char *name, bool existing);
char patch_ed_letter(const char *s);

/* patch_intuit.c */
bool patch_another(struct patch *t, bool need_header);
bool patch_ok_to_reverse(struct patch *t, const char *fmt, ...) TSB_PRINTF(2, 3);

/* patch_hunk.c, patch_context.c */
bool patch_read_hunk(struct patch *t, bool reverse);
bool patch_read_context(struct patch *t);
void patch_swap(struct patch *t);
const char *patch_number(struct patch *t, const char *s, int64_t *v);
void patch_add_line(struct patch *t, patch_lines *to, char ch, const char *s, size_t n);

/* patch_apply.c */
int64_t patch_locate(struct patch *t, int64_t fuzz);
bool patch_apply(struct patch *t, int64_t where);
bool patch_copy_till(struct patch *t, int64_t last);
void patch_put(struct patch *t, const char *s, size_t n);
bool patch_line_matches(struct patch *t, int64_t at, const struct patch_line *l);
bool patch_merge_hunk(struct patch *t, int hunk, int64_t where);

/* patch_reject.c */
void patch_reject(struct patch *t, bool header, bool reverse);
void patch_normalize(struct patch *t, patch_lines *old, patch_lines *new, bool unified);

/* patch_ed.c */
void patch_ed(struct patch *t);

/* patch_file.c */
int patch_stat(struct patch *t, const char *name, struct tsb_stat *st);
int patch_safe(struct patch *t, const char *name);
bool patch_get_input(struct patch *t, const char *name, const char *out_name);
void patch_scan(struct patch *t);

/* patch_output.c */
void patch_write(struct patch *t, struct patch_output *o);
/* A copy of the file as its backup, the file staying. */
void patch_keep(struct patch *t, const char *name);
void patch_queue(struct patch *t, const struct patch_output *o);
void patch_flush_queue(struct patch *t);
void patch_remove_queued(struct patch *t);
bool patch_is_queued(struct patch *t, const char *name);

#endif
