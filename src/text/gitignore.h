/*
 * The patterns of .gitignore files: which paths are ignored.
 *
 * A line is a shell pattern in which * ? and [..] never match "/". Without a "/"
 * (but at its end) it matches names in any directory below; with one, paths that
 * begin in the directory of the file. "**" between slashes (or at an end) stands
 * for any number of directories, "a/" at the end means directories only, "!" in
 * front takes paths back, "#" makes a comment, a backslash takes the meaning of the
 * next character, blanks at the end count only behind a backslash. The last line
 * that matches decides. Bytes are bytes: ? takes one.
 *
 *	struct gitignore *g = gitignore_new(heap, 0);
 *	gitignore_parse(g, text, n);
 *	if (gitignore_match(g, "src/a.o", 7, false) == GITIGNORE_IGNORE) ...
 *
 * Files of several directories make a chain; the innermost that has an opinion
 * decides. Nothing below an ignored directory is looked at: gitignore_excludes()
 * asks for all the directories of a path, a walk that does not enter them need not.
 *
 * Matching compiles patterns when they are first needed: one thread at a time.
 */
#ifndef TEXT_GITIGNORE_H
#define TEXT_GITIGNORE_H

#include <stdbool.h>
#include <stddef.h>

struct tsb_heap;
struct gitignore;

enum {
	GITIGNORE_ICASE = 1,	/* letters of ASCII in either case */
	/* ripgrep's dialect: {a,b} is either, brackets know no classes and no escapes, a bad
	 * pattern is an error (in git it matches nothing), "!" alone takes all back, tabs at
	 * an end go, and a byte order mark is not skipped. */
	GITIGNORE_BRACES = 2,
	/* a bad pattern is an error in git's dialect, too */
	GITIGNORE_STRICT = 4
};

enum gitignore_verdict { GITIGNORE_NONE, GITIGNORE_IGNORE, GITIGNORE_KEEP };

/* Called with what has been done, as regex_on_tick(). May be NULL. */
typedef void gitignore_tick(void *ctx, size_t steps);

struct gitignore *gitignore_new(struct tsb_heap *heap, unsigned flags);
void gitignore_free(struct gitignore *g);
void gitignore_on_tick(struct gitignore *g, gitignore_tick *tick, void *ctx);
/* For the lines that are added from now on. */
void gitignore_set_icase(struct gitignore *g, bool on);
/*
 * Adds a line (without its end). NULL, or with GITIGNORE_BRACES or _STRICT what is wrong with
 * it ("unclosed character class; missing ']'"); the line is left out then.
 */
const char *gitignore_add(struct gitignore *g, const char *line, size_t n);
/* All lines of a file; a byte order mark and CRs at their ends are skipped. bad (may
 * be NULL) is told of lines that are left out: their numbers count from 1. */
void gitignore_parse(struct gitignore *g, const char *text, size_t n,
		     void (*bad)(void *ctx, size_t line, const char *glob, const char *why),
		     void *ctx);
/* Number of patterns, and of those that take back. */
size_t gitignore_count(const struct gitignore *g);
size_t gitignore_count_keep(const struct gitignore *g);

/* path: relative to the file's directory, without "./" and without a slash at an end. */
enum gitignore_verdict gitignore_match(struct gitignore *g, const char *path, size_t n,
				       bool is_dir);

/* The file of one directory, and those above. Yours; rules may be NULL. */
struct gitignore_dir {
	const struct gitignore_dir *up;
	struct gitignore *rules;
	size_t base;		/* bytes of the path before what is relative to it */
};
/* The innermost opinion on this path. */
enum gitignore_verdict gitignore_decide(const struct gitignore_dir *dir, const char *path,
					size_t n, bool is_dir);
/* Is it, or a directory it is in, ignored? */
bool gitignore_excludes(const struct gitignore_dir *dir, const char *path, size_t n,
			bool is_dir);

#endif
