/*
 * Inside tree: the files as nodes, read whole (tree.c), then shown as lines
 * (tree_text.c), as HTML (tree_html.c) or as JSON or XML (tree_data.c). All walks are loops over parent
 * links, so depth costs no stack.
 */
#ifndef CMD_TREE_H
#define CMD_TREE_H

#include <tinysandbox/command.h>

#include "base/str.h"
#include "text/civil.h"

struct pattern;
struct gitignore_dir;
struct tree_info_dir;

/* What a .info file says of a name. */
struct tree_info {
	const char **lines;
	size_t n;
};

struct tree_node {
	struct tree_node *parent, **kids;
	size_t n_kids, cap_kids;
	size_t place;			/* among its siblings */
	size_t next;			/* of a walk: the kid to visit */
	const char *name;
	const char *target;		/* of a link */
	struct tsb_stat st;		/* lstat */
	struct tsb_stat to;		/* of a link: where it leads */
	bool missing, is_link, leads, is_dir, opened;	/* is_dir: or a link to one */
	bool free;			/* the pattern does not count below it, */
	bool match;			/* because it has matched itself */
	bool no_open;			/* a directory that could not be read */
	const char *note;		/* in brackets behind the name */
	uint64_t size;			/* what is shown: with --du the sum */
	size_t depth;
	const struct gitignore_dir *ignore;	/* what counts in it; NULL: nothing */
	const struct tree_info_dir *infos;	/* the same for --info */
	bool own_info;
	bool pages;			/* -R: its later entries have pages of their own */
	const struct tree_info *info;	/* NULL: none */
};

enum tree_sort { TREE_NAME, TREE_VERSION, TREE_MTIME, TREE_CTIME, TREE_SIZE, TREE_UNSORTED };
enum tree_lines { TREE_ASCII, TREE_UTF8, TREE_ANSI, TREE_CP437, TREE_LATIN1 };

/* Pages of -R within pages. */
enum { TREE_RERUN_MAX = 200 };

struct tree_pattern {
	struct pattern *pattern;
	bool dirs_only;
};

struct tree_patterns {
	struct tree_pattern *at;
	size_t n, cap;
};

struct tree_texts {
	const char **at;
	size_t n, cap;
};

struct tree {
	struct tsb_proc *p;
	bool all, dirs_only, follow, full, one_fs, prune, match_dirs, icase, meta_first, no_report,
		question, raw, quote, perms, user, group, size, human, si, du, date, classify, inode,
		device, reverse, dirs_first, files_first, flat, color, from_file, gitignore,
		info, rerun, no_links, file_links;
	char data;			/* 'J', 'X', 'H' or 0 */
	const char *html_base, *html_intro, *html_outro, *title, *charset, *copyright;
	size_t html_root;		/* bytes of paths that links do without */
	unsigned reruns;
	struct tree_texts info_files;
	uint64_t level, file_limit;
	enum tree_sort sort;
	enum tree_lines lines;
	const char *time_format, *output;
	struct tree_patterns only, except;
	struct zone zone;
	int64_t now;
	struct str out;
	int fd;
	bool utf8;
	uint64_t n_dirs, n_files, total;
	bool failed;
	/* Directories that have been opened, for -l. */
	struct tree_seen { uint64_t dev, ino; } *seen;
	size_t n_seen, cap_seen;
	const char *colors;
	struct tree_texts git_files;
};

struct tree_args {
	struct tree *t;
	char **argv;
	int argc, next;		/* next: where arguments of options come from */
	struct tree_texts only, except;
};

/* Operands are moved to the front of argv: how many. 0, or the status of a mistake. */
int tree_parse(struct tree_args *a, int *n_operands);
/* "tree: ..." with the usage if wanted: 1. */
int tree_complain(struct tree *t, const char *before, const char *what, const char *after, bool usage);

/* "a/b/c": fresh. */
char *tree_path(struct tree *t, const struct tree_node *n);
/* The fields in front of a name, in order: each calls put(). */
void tree_mode_text(const struct tree_node *n, char buf[12]);
void tree_add_user(struct tree *t, struct str *out, const struct tree_node *n);
void tree_add_group(struct tree *t, struct str *out, const struct tree_node *n);
void tree_add_size(struct tree *t, struct str *out, uint64_t size);
void tree_add_date(struct tree *t, struct str *out, const struct tree_node *n);
/* All of them, as "[...]  "; nothing without any. */
void tree_add_meta(struct tree *t, struct str *out, const struct tree_node *n);
void tree_add_indent(struct tree *t, const struct tree_node *n);
void tree_report(struct tree *t);
/* Writes out what has come together. */
void tree_drain(struct tree *t, bool all);

/* Building: a node, whether patterns let it in, its kids' order, what follows
 * from what is in it. */
struct tree_node *tree_add(struct tree *t, struct tree_node *parent, const char *name);
bool tree_wanted(struct tree *t, struct tree_node *n);
void tree_sort_kids(struct tree *t, struct tree_node *n);
void tree_finish(struct tree *t, struct tree_node *n);
void tree_read_file(struct tree *t, struct tree_node *root);

/* Reads the rules of a directory that is entered; whether they hide what is in it. */
void tree_ignore_open(struct tree *t, struct tree_node *n, const char *path);
bool tree_ignored(const struct tree_node *dir, const char *path, bool is_dir);

/* --info: the texts of a directory, and what they say of a name in it. */
void tree_info_open(struct tree *t, struct tree_node *n, const char *path);
const struct tree_info *tree_info_find(struct tree *t, const struct tree_node *dir,
				       const char *path, const char *name, bool is_dir);

/* -R: where the depth ends, a directory gets a page of its own in it. */
void tree_page(struct tree *t, struct tree_node *n);
typedef void tree_line_fn(struct tree *t, const struct tree_node *n);
/* line: of each node below root, in order; end (NULL: none): behind all below a node, root too. */
void tree_below(struct tree *t, struct tree_node *root, tree_line_fn *line, tree_line_fn *end);
/* s with the entities of XML and HTML. */
void tree_xml_text(struct str *out, const char *s);

void tree_show_html(struct tree *t, struct tree_node **roots, size_t n);
void tree_show_text(struct tree *t, struct tree_node **roots, size_t n);
void tree_show_data(struct tree *t, struct tree_node **roots, size_t n);
#endif
