/*
 * tree --fromfile: the paths are lines of a file, not what is on a disk.
 */
#include "cmd/tree.h"

#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>

#include "cmd/lines.h"
#include "cmd/util.h"

static struct tree_node *tree_kid(struct tree *t, struct tree_node *n, const char *name, size_t len)
{
	char *copy = tsb_strndup(t->p, name, len);

	for (size_t i = 0; i < n->n_kids; i++)
		if (!strcmp(n->kids[i]->name, copy))
			return n->kids[i];
	n = tree_add(t, n, copy);
	n->st.mode = S_IFREG;
	return n;
}

static void tree_file_line(struct tree *t, struct tree_node *root, char *line)
{
	struct tree_node *n = root;
	char *arrow = t->file_links ? strstr(line, " -> ") : NULL;

	if (arrow)
		*arrow = '\0';
	while (*line) {
		size_t len = strcspn(line, "/");

		if (len && !(len == 1 && *line == '.')) {
			n->st.mode = S_IFDIR;
			n->is_dir = true;
			n = tree_kid(t, n, line, len);
		}
		line += len;
		if (*line == '/') {
			n->st.mode = S_IFDIR;
			n->is_dir = true;
			line++;
		}
	}
	if (!arrow || n == root)
		return;
	n->target = tsb_strdup(t->p, arrow + 4);
	n->st.mode = S_IFLNK;
	n->is_link = true;
}

/* Filters and orders what the lines have made. */
static void tree_file_settle(struct tree *t, struct tree_node *root)
{
	struct tree_node *n = root;

	n->next = 0;
	while (n) {
		if (!n->opened) {
			size_t kept = 0;

			n->opened = true;
			for (size_t i = 0; i < n->n_kids; i++)
				if ((n->kids[i]->name[0] != '.' || t->all) && tree_wanted(t, n->kids[i]))
					n->kids[kept++] = n->kids[i];
			n->n_kids = t->level && n->depth >= t->level ? 0 : kept;
			tree_sort_kids(t, n);
			n->next = 0;
		}
		if (n->next < n->n_kids) {
			n = n->kids[n->next++];
			continue;
		}
		tree_finish(t, n);
		n = n->parent;
	}
}

void tree_read_file(struct tree *t, struct tree_node *root)
{
	struct lines in = { .p = t->p };
	int fd = strcmp(root->name, ".") ? tsb_open(t->p, root->name, O_RDONLY, 0) : 0;
	char *line;
	size_t n;

	if (fd < 0) {
		tsb_warn(t->p, "Error opening %s for reading.", root->name);
		t->failed = root->missing = true;
		root->note = "error opening dir";
		return;
	}
	root->st.mode = S_IFDIR;
	root->is_dir = true;
	lines_open(&in, t->p, fd);
	while (lines_next(&in, '\n', &line, &n)) {
		n -= line[n - 1] == '\n';
		line[n] = '\0';
		tree_file_line(t, root, line);
	}
	tsb_lstat(t->p, root->name, &root->st);	/* it is shown as what it is */
	tree_file_settle(t, root);
}
