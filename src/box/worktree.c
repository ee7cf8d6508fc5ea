/*
 * A workspace that is a git work tree with its repository elsewhere (a linked work tree, a submodule): nothing of that
 * is in the box, where git would say "not a git repository". Said when the box is made, with what to give it instead.
 */
#include "box/internal.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char prefix[] = "gitdir: ";

/* The first line of a small file of dir, as a path from there, real; malloc. NULL: there is none. */
static char *path_in(const char *dir, const char *name, size_t skip)
{
	int fd = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	char *text = fd < 0 ? NULL : bx_file_read(fd, name, NULL), *joined = NULL, *real = NULL;

	if (fd >= 0)
		close(fd);
	if (text && strlen(text) > skip && !strncmp(text, prefix, skip)) {
		text[strcspn(text, "\n")] = '\0';
		joined = text[skip] == '/' ? strdup(text + skip) : bx_format("%s/%s", dir, text + skip);
	}
	if (joined)
		real = realpath(joined, NULL);
	/* the tree's words may be anybody's, and are shown */
	if (real)
		bx_plain(real);
	free(text);
	free(joined);
	return real;
}

static bool holds(const char *dir, const char *path)
{
	size_t n = strlen(dir);

	return !strncmp(dir, path, n) && (!path[n] || path[n] == '/');
}

/* The directory that has both; "" is /. */
static char *above_both(const char *a, const char *b)
{
	char *dir = strdup(a);

	while (dir && *dir && !holds(dir, b))
		*strrchr(dir, '/') = '\0';
	return dir;
}

static void warn(struct bx *b, const char *tree, const char *repository)
{
	char *both = above_both(tree, repository);

	if (both && *both)
		bx_warn(b->store, "%s is a git work tree whose repository is not in it but in %s: git will not work in the box. Give "
			"both, where they are: --dir %s --workspace %s --cwd %s", tree, repository, both, both, tree);
	else if (both)
		bx_warn(b->store, "%s is a git work tree whose repository is not in it but in %s: git will not work in the box. Give "
			"a clone, or a directory that has both", tree, repository);
	free(both);
}

void bx_warn_work_tree(struct bx *b)
{
	const json_t *source = bx_at(b->record, "spec.source");
	const char *kind = bx_text(source, "kind"), *tree = bx_text(source, "from");
	const char *sandbox = json_string_value(bx_at(b->record, "placement.workspace.sandbox"));
	char *private, *common;

	/* without a wall it is there; in a virtual box there is no git */
	if (!kind || !tree || strcmp(kind, "directory") || bx_is_ssh(json_object_get(b->record, "target")) ||
	    !sandbox || !strcmp(sandbox, "passthrough") || !strcmp(sandbox, "virtual"))
		return;
	private = path_in(tree, ".git", strlen(prefix));
	/* of a linked work tree it is below the repository's own */
	common = private ? path_in(private, "commondir", 0) : NULL;
	if (private && !(holds(tree, common ? common : private)))
		warn(b, tree, common ? common : private);
	free(common);
	free(private);
}
