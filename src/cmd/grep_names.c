/*
 * --include, --exclude, --exclude-dir, --exclude-from. A name found in a
 * directory must be matched whole; one from the command line may be matched
 * by what is behind any of its slashes. The last pattern that matches decides.
 */
#include "cmd/grep.h"

#include <string.h>

#include "cmd/util.h"

void grep_glob_add(struct grep *g, struct grep_globs lists[2], const char *pattern, bool include)
{
	for (int i = 0; i < 2; i++) {
		struct grep_globs *l = &lists[i];

		l->at = util_grow(g->p, l->at, l->n, &l->cap, sizeof(*l->at));
		l->at[l->n++] = (struct grep_glob){
			pattern_compile(tsb_heap_of(g->p), pattern, strlen(pattern), 0), include
		};
	}
}

int grep_globs_read(struct grep *g, const char *file)
{
	struct lines in = { 0 };
	int fd = input_open(g->p, file);
	char *line;
	size_t n;

	if (fd < 0) {
		grep_say(g->p, g, fd, "%s", file);
		return GREP_TROUBLE;
	}
	lines_open(&in, g->p, fd);
	while (lines_next(&in, '\n', &line, &n)) {
		n -= line[n - 1] == '\n';
		while (n && (line[n - 1] == ' ' || (line[n - 1] >= '\t' && line[n - 1] <= '\r')))
			n--;
		if (n)
			grep_glob_add(g, g->globs, tsb_strndup(g->p, line, n), false);
	}
	input_close(g->p, fd);
	if (!in.error)
		return 0;
	grep_say(g->p, g, in.error, "%s", file);
	return GREP_TROUBLE;
}

static bool glob_matches(const struct grep_glob *glob, const char *name, bool anywhere)
{
	if (pattern_match(glob->pattern, name, strlen(name)))
		return true;
	for (const char *s = name; anywhere && *s; s++)
		if (s[0] == '/' && s[1] && s[1] != '/' &&
		    pattern_match(glob->pattern, s + 1, strlen(s + 1)))
			return true;
	return false;
}

bool grep_skips(const struct grep *g, const char *name, bool command_line, bool is_dir)
{
	const struct grep_globs *l = is_dir ? &g->dir_globs[command_line] : &g->globs[command_line];

	if (is_dir && g->dirs == GREP_DIR_SKIP)
		return true;
	if (!l->n || (is_dir && command_line && g->omit_dot))
		return false;
	for (size_t i = l->n; i--; )
		if (glob_matches(&l->at[i], name, command_line))
			return !l->at[i].include;
	return l->at[0].include;
}
