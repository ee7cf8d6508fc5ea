/*
 * .gitignore's patterns against git itself; then chains, ripgrep's dialect, and
 * patterns made to be slow.
 */
#include "text/gitignore.h"

#include <stdlib.h>

#include "base/heap.h"
#include "unit/tap.h"

static struct tsb_heap *h;

static const char *const paths[] = {
#include "cases_gitpaths.h"
};

static void test_git(void)
{
	static const struct {
		const char *lines, *want;
	} rows[] = {
#include "cases_gitignore.h"
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct gitignore *g = gitignore_new(h, 0);
		struct gitignore_dir top = { NULL, g, 0 };
		char got[sizeof(paths) / sizeof(*paths) + 1] = "";

		gitignore_parse(g, rows[i].lines, strlen(rows[i].lines), NULL, NULL);
		for (size_t k = 0; k < sizeof(paths) / sizeof(*paths); k++) {
			size_t n = strlen(paths[k]);
			bool dir = paths[k][n - 1] == '/';

			got[k] = gitignore_excludes(&top, paths[k], n - dir, dir) ? 'x' : '.';
		}
		ok(!strcmp(got, rows[i].want), rows[i].lines);
		if (strcmp(got, rows[i].want))
			printf("# want %s\n# got  %s\n", rows[i].want, got);
		gitignore_free(g);
	}
}

static enum gitignore_verdict verdict(const char *line, const char *path, unsigned flags)
{
	struct gitignore *g = gitignore_new(h, flags);
	enum gitignore_verdict v;

	gitignore_add(g, line, strlen(line));
	v = gitignore_match(g, path, strlen(path), false);
	gitignore_free(g);
	return v;
}

static void test_flags(void)
{
	ok(verdict("*.O", "a/b.o", GITIGNORE_ICASE) == GITIGNORE_IGNORE, "suffix without case");
	ok(verdict("FOO", "foo", GITIGNORE_ICASE) == GITIGNORE_IGNORE, "name without case");
	ok(verdict("F?O", "foo", GITIGNORE_ICASE) == GITIGNORE_IGNORE, "pattern without case");
	ok(verdict("FOO", "foo", 0) == GITIGNORE_NONE, "case counts");
	ok(verdict("*.{c,h}", "x/a.h", GITIGNORE_BRACES) == GITIGNORE_IGNORE, "either");
	ok(verdict("*.{c,h}", "x/a.h", 0) == GITIGNORE_NONE, "git knows no braces");
	ok(verdict("!*.c", "a.c", 0) == GITIGNORE_KEEP, "taken back");
	ok(verdict("a\xc3\xa9?", "a\xc3\xa9z", 0) == GITIGNORE_IGNORE, "bytes");
	ok(verdict("[\xc3]\xa9", "\xc3\xa9", 0) == GITIGNORE_IGNORE, "a byte in brackets");
}

static void is_error(const char *glob, const char *want)
{
	struct gitignore *g = gitignore_new(h, GITIGNORE_BRACES);
	const char *why = gitignore_add(g, glob, strlen(glob));

	ok(why && !strcmp(why, want), glob);
	ok(gitignore_count(g) == 0, "left out");
	gitignore_free(g);
}

static void test_errors(void)
{
	is_error("a[", "unclosed character class; missing ']'");
	is_error("[z-a]", "invalid range; 'z' > 'a'");
	is_error("{a", "unclosed alternate group; missing '}' (maybe escape '{' with '[{]'?)");
	is_error("a}", "unopened alternate group; missing '{' (maybe escape '}' with '[}]'?)");
	is_error("{a,{b}}", "nested alternate groups are not allowed");
	is_error("a\\", "dangling '\\'");
}

static void test_chain(void)
{
	struct gitignore *outer = gitignore_new(h, 0), *inner = gitignore_new(h, 0);
	struct gitignore_dir top = { NULL, outer, 0 }, sub = { &top, inner, 4 };

	gitignore_add(outer, "*.o", 3);
	gitignore_add(inner, "!keep.o", 7);
	gitignore_add(inner, "/only", 5);
	ok(gitignore_decide(&sub, "sub/a.o", 7, false) == GITIGNORE_IGNORE, "from above");
	ok(gitignore_decide(&sub, "sub/keep.o", 10, false) == GITIGNORE_KEEP, "taken back below");
	ok(gitignore_decide(&sub, "sub/only", 8, false) == GITIGNORE_IGNORE, "anchored below");
	ok(gitignore_decide(&top, "only", 4, false) == GITIGNORE_NONE, "not above");
	ok(gitignore_count(inner) == 2 && gitignore_count_keep(inner) == 1, "counted");
	gitignore_free(outer);
	gitignore_free(inner);
}

static void test_hostile(void)
{
	char pattern[512] = "", path[4096];

	for (int i = 0; i < 100; i++)
		strcat(pattern, "a*");
	strcat(pattern, "b");
	memset(path, 'a', sizeof(path) - 1);
	path[sizeof(path) - 1] = '\0';
	ok(verdict(pattern, path, 0) == GITIGNORE_NONE, "many stars");
	memset(pattern, 0, sizeof(pattern));
	for (int i = 0; i < 100; i++)
		strcat(pattern, "**/");
	strcat(pattern, "x");
	for (size_t i = 1; i < sizeof(path) - 1; i += 2)
		path[i] = '/';
	ok(verdict(pattern, path, 0) == GITIGNORE_NONE, "many directories");
}

int main(void)
{
	h = heap_new(NULL, NULL, NULL, NULL);
	test_git();
	test_flags();
	test_errors();
	test_chain();
	test_hostile();
	heap_end(h);
	return done();
}
