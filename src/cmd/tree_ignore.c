/*
 * tree --gitignore, --gitfile: the patterns of .gitignore files, from the directories that are
 * listed downwards, of a file that was named, and of $GIT_DIR/info/exclude. Files above are not
 * looked for.
 */
#include "cmd/tree.h"

#include <fcntl.h>
#include <string.h>

#include "cmd/lines.h"
#include "text/gitignore.h"

static void ignore_tick(void *ctx, size_t steps)
{
	tsb_tick(ctx, steps);
}

/* NULL: it cannot be opened. */
static struct gitignore *ignore_load(struct tree *t, const char *path)
{
	int fd = tsb_open(t->p, path, O_RDONLY, 0);
	struct lines in = { 0 };
	struct gitignore *g;
	char *line;
	size_t n;

	if (fd < 0)
		return NULL;
	g = gitignore_new(tsb_heap_of(t->p), t->icase ? GITIGNORE_ICASE : 0);
	gitignore_on_tick(g, ignore_tick, t->p);
	lines_open(&in, t->p, fd);
	while (lines_next(&in, '\n', &line, &n)) {
		n -= line[n - 1] == '\n';
		gitignore_add(g, line, n);
	}
	tsb_close(t->p, fd);
	return g;
}

static const struct gitignore_dir *ignore_push(struct tree *t, const struct gitignore_dir *up,
					       struct gitignore *rules, const char *dir)
{
	struct gitignore_dir *d = tsb_alloc(t->p, sizeof(*d));
	size_t n = strlen(dir);

	d->up = up;
	d->rules = rules;
	d->base = n + (n && dir[n - 1] != '/');
	return d;
}

/* The rules of a root: named files; those of the directory itself come with ignore_open(). */
static const struct gitignore_dir *ignore_root(struct tree *t, const char *dir)
{
	const struct gitignore_dir *at = NULL;
	const char *git = tsb_getenv(t->p, "GIT_DIR");
	struct gitignore *g;

	for (size_t i = 0; i < t->git_files.n; i++) {
		g = ignore_load(t, t->git_files.at[i]);
		if (g)
			at = ignore_push(t, at, g, dir);
	}
	if (git) {
		g = ignore_load(t, tsb_format(t->p, "%s/info/exclude", git));
		if (g)
			at = ignore_push(t, at, g, dir);
	}
	return at;
}

void tree_ignore_open(struct tree *t, struct tree_node *n, const char *path)
{
	struct gitignore *g;

	if (!t->gitignore)
		return;
	n->ignore = n->parent ? n->parent->ignore : ignore_root(t, path);
	g = ignore_load(t, tsb_format(t->p, "%s/.gitignore", path));
	if (g)
		n->ignore = ignore_push(t, n->ignore, g, path);
}

bool tree_ignored(const struct tree_node *dir, const char *path, bool is_dir)
{
	return dir->ignore &&
	       gitignore_decide(dir->ignore, path, strlen(path), is_dir) == GITIGNORE_IGNORE;
}
