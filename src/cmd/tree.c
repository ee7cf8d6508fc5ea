/*
 * tree - list files as a tree. The whole tree is read first, because what is
 * shown of a directory may depend on what is in it (--prune, --du).
 */
#include "cmd/tree.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "cmd/cmd.h"
#include "cmd/locale.h"
#include "cmd/util.h"
#include "cmd/vercmp.h"
#include "text/pattern.h"

#define TREE_DRAIN 32768

void tree_drain(struct tree *t, bool all)
{
	if (t->out.n < TREE_DRAIN && !all)
		return;
	if (t->fd == 1)
		tsb_put(t->p, t->out.p, t->out.n);
	else
		tsb_write_all(t->p, t->fd, t->out.p, t->out.n);
	str_reset(&t->out);
}

char *tree_path(struct tree *t, const struct tree_node *n)
{
	size_t size = 1;
	char *path, *at;

	for (const struct tree_node *a = n; a; a = a->parent)
		size += strlen(a->name) + 1;
	path = tsb_alloc(t->p, size);
	at = path + size - 1;
	for (const struct tree_node *a = n; a; a = a->parent) {
		size_t len = strlen(a->name);

		at -= len;
		memcpy(at, a->name, len);
		if (a->parent && a->parent->name[strlen(a->parent->name) - 1] != '/')
			*--at = '/';
	}
	memmove(path, at, (size_t)(path + size - at));
	return path;
}

/* ---- Patterns ---- */

static bool tree_matches(const struct tree_patterns *list, const char *name, bool is_dir)
{
	for (size_t i = 0; i < list->n; i++)
		if ((is_dir || !list->at[i].dirs_only) &&
		    pattern_match(list->at[i].pattern, name, strlen(name)))
			return true;
	return false;
}

/* "*.c|*.h": each alternative is a pattern; a slash behind it: directories. */
static void tree_add_patterns(struct tree *t, struct tree_patterns *list, const char *text)
{
	while (text) {
		size_t n = strcspn(text, "|"), len = n;
		bool dirs = n > 1 && text[n - 1] == '/';

		len -= dirs;
		list->at = util_grow(t->p, list->at, list->n, &list->cap, sizeof(*list->at));
		list->at[list->n++] = (struct tree_pattern){
			pattern_compile(tsb_heap_of(t->p), text, len, t->icase ? PATTERN_ICASE : 0), dirs };
		text = text[n] ? text + n + 1 : NULL;
	}
}

/* ---- Order ---- */

/* Parts of a second do not count. */
static int tree_compare_seconds(struct tsb_time a, struct tsb_time b)
{
	return (a.sec > b.sec) - (a.sec < b.sec);
}

/* qsort() has no context, and a global would be shared: an own merge sort. */
static int tree_compare(const struct tree *t, const struct tree_node *a, const struct tree_node *b)
{
	int c = 0;

	if (a->is_dir != b->is_dir && (t->dirs_first || t->files_first))
		return a->is_dir == t->dirs_first ? -1 : 1;
	switch (t->sort) {
	case TREE_VERSION: c = vercmp(a->name, strlen(a->name), b->name, strlen(b->name)); break;
	case TREE_MTIME: c = tree_compare_seconds(a->st.mtime, b->st.mtime); break;
	case TREE_CTIME: c = tree_compare_seconds(a->st.ctime, b->st.ctime); break;
	case TREE_SIZE: c = a->size == b->size ? 0 : a->size < b->size ? 1 : -1; break;
	default: break;
	}
	c = c ? c : strcmp(a->name, b->name);
	return t->reverse ? -c : c;
}

static void tree_merge(const struct tree *t, struct tree_node **from, struct tree_node **to,
		       size_t low, size_t mid, size_t high)
{
	size_t a = low, b = mid;

	for (size_t i = low; i < high; i++)
		to[i] = b >= high || (a < mid && tree_compare(t, from[a], from[b]) <= 0) ?
			from[a++] : from[b++];
}

void tree_sort_kids(struct tree *t, struct tree_node *n)
{
	struct tree_node **from = n->kids, **to;
	size_t count = n->n_kids;

	if (t->sort == TREE_UNSORTED || count < 2)
		return;
	to = tsb_alloc(t->p, count * sizeof(*to));
	for (size_t width = 1; width < count; width *= 2) {
		struct tree_node **swap = from;

		for (size_t i = 0; i < count; i += 2 * width)
			tree_merge(t, from, to, i, i + width < count ? i + width : count,
				   i + 2 * width < count ? i + 2 * width : count);
		tsb_tick(t->p, count);
		from = to;
		to = swap;
	}
	n->kids = from;
	n->cap_kids = count;
	tsb_free(t->p, to);
}

/* ---- Reading ---- */

struct tree_node *tree_add(struct tree *t, struct tree_node *parent, const char *name)
{
	struct tree_node *n = tsb_alloc(t->p, sizeof(*n));

	n->name = tsb_strdup(t->p, name);
	n->parent = parent;
	if (parent) {
		n->depth = parent->depth + 1;
		n->free = parent->free;
		parent->kids = util_grow(t->p, parent->kids, parent->n_kids, &parent->cap_kids,
					 sizeof(*parent->kids));
		parent->kids[parent->n_kids++] = n;
	}
	return n;
}

/* What the file system knows of it. */
static int tree_look(struct tree *t, struct tree_node *n, const char *path)
{
	char link[4096];
	ssize_t len;
	int err = tsb_lstat(t->p, path, &n->st);

	if (err < 0)
		return err;
	n->size = n->st.size;
	n->is_dir = S_ISDIR(n->st.mode);
	n->is_link = S_ISLNK(n->st.mode);
	if (!n->is_link)
		return 0;
	len = tsb_readlink(t->p, path, link, sizeof(link) - 1);
	link[len > 0 ? len : 0] = '\0';
	n->target = tsb_strdup(t->p, link);
	n->leads = !tsb_stat(t->p, path, &n->to);
	n->is_dir = n->leads && S_ISDIR(n->to.mode);
	return 0;
}

bool tree_wanted(struct tree *t, struct tree_node *n)
{
	bool goes_in = S_ISDIR(n->st.mode) || (t->follow && n->is_dir);

	if (t->only.n && !n->free) {
		bool match = tree_matches(&t->only, n->name, n->is_dir);

		if (!goes_in && !match)
			return false;
		n->free = n->match = goes_in && match && t->match_dirs;
	}
	return !tree_matches(&t->except, n->name, n->is_dir) && (!t->dirs_only || n->is_dir);
}

static bool tree_seen(struct tree *t, const struct tsb_stat *st)
{
	for (size_t i = 0; i < t->n_seen; i++)
		if (t->seen[i].ino == st->ino && t->seen[i].dev == st->dev)
			return true;
	return false;
}

static void tree_mark_seen(struct tree *t, const struct tsb_stat *st)
{
	if (!t->follow || tree_seen(t, st))
		return;
	t->seen = util_grow(t->p, t->seen, t->n_seen, &t->cap_seen, sizeof(*t->seen));
	t->seen[t->n_seen++] = (struct tree_seen){ st->dev, st->ino };
}

static void tree_read_kids(struct tree *t, struct tree_node *n, struct tsb_dir *dir)
{
	char *base = tree_path(t, n);
	const struct tsb_dirent *e;

	while ((e = tsb_readdir(dir))) {
		struct tree_node *kid;
		char *path;

		tsb_tick(t->p, 10);
		if ((e->name[0] == '.' && !t->all) ||
		    (t->data == 'H' && !strcmp(e->name, "00Tree.html")))
			continue;
		path = tsb_format(t->p, "%s%s%s", base, base[strlen(base) - 1] == '/' ? "" : "/",
				  e->name);
		kid = tree_add(t, n, e->name);
		if (tree_look(t, kid, path) < 0 || !tree_wanted(t, kid) ||
		    tree_ignored(n, path, S_ISDIR(kid->st.mode)))
			n->n_kids--;
		else if (t->info)
			kid->info = tree_info_find(t, n, path, kid->name, kid->is_dir);
		tsb_free(t->p, path);
	}
	tsb_closedir(dir);
	tsb_free(t->p, base);
}

static void tree_open(struct tree *t, struct tree_node *n)
{
	char *path = tree_path(t, n);
	struct tsb_dir *dir;

	n->opened = true;
	tree_mark_seen(t, n->is_link ? &n->to : &n->st);
	if (tsb_opendir(t->p, path, &dir) < 0) {
		n->note = "error opening dir";
		n->no_open = true;
		t->failed |= n->is_dir;
		return;
	}
	tree_ignore_open(t, n, path);
	tree_info_open(t, n, path);
	tree_read_kids(t, n, dir);
	if (t->file_limit && n->n_kids > t->file_limit) {
		n->note = tsb_format(t->p, "%zu entries exceeds filelimit, not opening dir",
				     n->n_kids);
		n->n_kids = 0;
		return;
	}
	/* By name or time; by size when the sizes are known. */
	if (t->sort != TREE_SIZE || !t->du)
		tree_sort_kids(t, n);
}

static bool tree_enters(struct tree *t, struct tree_node *n)
{
	const struct tsb_stat *st = n->is_link ? &n->to : &n->st;
	const struct tree_node *root = n;

	if (!n->is_dir || (n->is_link && !t->follow) || (t->level && n->depth >= t->level))
		return false;
	while (root->parent)
		root = root->parent;
	if (t->one_fs && st->dev != (root->is_link ? root->to.dev : root->st.dev))
		return false;
	if (n->is_link && tree_seen(t, st)) {
		n->note = "recursive, not followed";
		return false;
	}
	return true;
}

/* All below it has been read: sums, and empty directories go. */
void tree_finish(struct tree *t, struct tree_node *n)
{
	size_t kept = 0;

	for (size_t i = 0; i < n->n_kids; i++) {
		struct tree_node *k = n->kids[i];

		if (t->prune && !t->dirs_only && k->is_dir && !k->n_kids && !k->note &&
		    !k->match)
			continue;
		if (t->du)
			n->size += k->size;
		n->kids[kept++] = k;
	}
	n->n_kids = kept;
	if (t->sort == TREE_SIZE && t->du)
		tree_sort_kids(t, n);
	for (size_t i = 0; i < n->n_kids; i++)
		n->kids[i]->place = i;
}

static void tree_read(struct tree *t, struct tree_node *root)
{
	struct tree_node *n = root;

	if (tree_look(t, root, root->name) < 0) {
		root->missing = true;
		root->note = "error opening dir";
		t->failed = true;
		return;
	}
	if (root->is_link && root->is_dir)
		root->st = root->to, root->is_link = false;
	root->target = NULL;
	tree_open(t, root);
	while (n) {
		if (n->next < n->n_kids) {
			struct tree_node *kid = n->kids[n->next++];

			if (tree_enters(t, kid)) {
				tree_open(t, kid);
				n = kid;
			}
			continue;
		}
		tree_finish(t, n);
		n = n->parent;
	}
}

static void tree_count(struct tree *t, struct tree_node *root)
{
	struct tree_node *n = root;

	if (root->n_kids || (root->note && !root->no_open && !root->missing))
		t->n_dirs++;
	t->n_files += !root->missing && !root->is_dir;
	root->next = 0;
	while (n) {
		if (n->next >= n->n_kids) {
			n = n->parent;
			continue;
		}
		n = n->kids[n->next++];
		n->next = 0;
		t->total += n->size;	/* of directories too: their sums, as the real one */
		if (n->is_dir)
			t->n_dirs++;
		else
			t->n_files++;
	}
}

/* ---- The whole ---- */

/* The lines that a character set has. */
static void tree_settle_lines(struct tree *t)
{
	static const char *const latin1[] = { "ISO-8859-1", "ISO-8859-1:1987", "ISO_8859-1", "latin1",
		"l1", "IBM819", "CP819", "csISOLatin1", "ISO-8859-3", "ISO_8859-3:1988", "ISO_8859-3",
		"latin3", "l3", "csISOLatin3", NULL };

	enum tree_lines by_charset = TREE_ASCII;
	const char *set = t->charset ? t->charset : t->lines == TREE_CP437 ? "IBM437"
			  : t->utf8 ? "UTF-8" : "";

	if (!strcasecmp(set, "utf-8") || !strcasecmp(set, "utf8"))
		by_charset = TREE_UTF8;
	for (size_t i = 0; latin1[i]; i++)
		if (!strcasecmp(latin1[i], set))
			by_charset = TREE_LATIN1;
	t->charset = *set ? set : "iso-8859-1";
	t->copyright = by_charset == TREE_UTF8 ? "\u00a9" : by_charset == TREE_LATIN1 ? "&copy;" : "(c)";
	t->lines = t->lines == TREE_ASCII ? by_charset : t->lines;
}

static int tree_settle(struct tree_args *a)
{
	struct tree *t = a->t;
	const char *colors = tsb_getenv(t->p, "LS_COLORS");

	t->utf8 = locale_utf8(t->p);
	t->now = tsb_clock(t->p, TSB_CLOCK_REAL).sec;
	zone_init(&t->zone, tsb_getenv(t->p, "TZ"));
	tree_settle_lines(t);
	t->colors = colors && *colors ? colors : NULL;
	for (size_t i = 0; i < a->only.n; i++)
		tree_add_patterns(t, &t->only, a->only.at[i]);
	for (size_t i = 0; i < a->except.n; i++)
		tree_add_patterns(t, &t->except, a->except.at[i]);
	str_init(&t->out, tsb_heap_of(t->p), STR_MAX_DEFAULT);
	t->fd = 1;
	if (!t->output)
		return 0;
	t->fd = tsb_open(t->p, t->output, O_WRONLY | O_CREAT | O_TRUNC, 0666);
	return t->fd < 0 ? tree_complain(t, "invalid filename '", t->output, "'", false) : 0;
}

static void tree_show(struct tree *t, struct tree_node **roots, size_t n)
{
	if (t->data == 'H')
		tree_show_html(t, roots, n);
	else if (t->data)
		tree_show_data(t, roots, n);
	else
		tree_show_text(t, roots, n);
	tree_drain(t, true);
}

void tree_xml_text(struct str *out, const char *s)
{
	for (; *s; s++) {
		switch (*s) {
		case '<': str_adds(out, "&lt;"); break;
		case '>': str_adds(out, "&gt;"); break;
		case '&': str_adds(out, "&amp;"); break;
		case '"': str_adds(out, "&quot;"); break;
		default: str_addc(out, *s);
		}
	}
}

void tree_below(struct tree *t, struct tree_node *root, tree_line_fn *line, tree_line_fn *end)
{
	struct tree_node *at = root;

	at->next = 0;
	while (at) {
		tsb_tick(t->p, 4);
		if (at->next < at->n_kids) {
			at = at->kids[at->next++];
			at->next = 0;
			tree_page(t, at);
			line(t, at);
		} else {
			if (end)
				end(t, at);
			at = at->parent;
		}
	}
}

void tree_page(struct tree *t, struct tree_node *n)
{
	struct tree *sub;
	char *path, *file;
	struct tree_node *root;

	if (!t->rerun || !t->level || n->depth != t->level || !n->is_dir ||
	    (n->is_link && !t->follow) || t->reruns >= TREE_RERUN_MAX)
		return;
	n->parent->pages = true;
	path = tree_path(t, n);
	file = tsb_format(t->p, "%s/00Tree.html", path);
	sub = tsb_alloc(t->p, sizeof(*sub));
	*sub = *t;
	sub->n_dirs = sub->n_files = sub->total = 0;
	sub->reruns++;
	sub->seen = NULL;
	sub->n_seen = sub->cap_seen = 0;
	str_init(&sub->out, tsb_heap_of(t->p), STR_MAX_DEFAULT);
	sub->fd = tsb_open(t->p, file, O_WRONLY | O_CREAT | O_TRUNC, 0666);
	if (sub->fd < 0) {
		tree_drain(t, true);
		tree_complain(t, "invalid filename '", file, "'", false);
		tsb_exit(t->p, 1);
	}
	root = tree_add(sub, NULL, path);
	tree_read(sub, root);
	tree_count(sub, root);
	tree_show(sub, &root, 1);
	tsb_close(t->p, sub->fd);
	t->html_root = sub->html_root;	/* the real one has but one of it */
	t->failed |= sub->failed;
	tsb_free(t->p, sub);
}

static int tree_run(struct tsb_proc *p, void *opts, int argc, char **argv)
{
	struct tree *t = tsb_alloc(p, sizeof(*t));
	struct tree_args a = { .t = t, .argv = argv, .argc = argc };
	struct tree_node **roots;
	int n = 0, status;

	(void)opts;
	t->p = p;
	status = tree_parse(&a, &n);
	if (!status)
		status = tree_settle(&a);
	if (status)
		return status;
	roots = tsb_alloc(p, ((size_t)n + 1) * sizeof(struct tree_node *));
	for (int i = 0; i < n || !i; i++) {
		roots[i] = tree_add(t, NULL, n ? *argv[i] ? argv[i] : "." : ".");
		if (t->from_file)
			tree_read_file(t, roots[i]);
		else
			tree_read(t, roots[i]);
		tree_count(t, roots[i]);
	}
	tree_show(t, roots, n ? (size_t)n : 1);
	return t->failed ? 2 : 0;
}

/* Read by hand, since arguments come behind a whole cluster (-LP 1 '*.c'); for
 * the manual. */
static const struct tsb_opt tree_opts[] = {
	TSB_OPT_DOC('a', NULL, NULL, "all files are listed"),
	TSB_OPT_DOC('d', NULL, NULL, "directories only"),
	TSB_OPT_DOC('l', NULL, NULL, "follow links to directories"),
	TSB_OPT_DOC('f', NULL, NULL, "the full path of each file"),
	TSB_OPT_DOC('x', NULL, NULL, "stay on one filesystem"),
	TSB_OPT_DOC('L', NULL, "level", "only so many levels deep"),
	TSB_OPT_DOC('P', NULL, "pattern", "only files that match the pattern"),
	TSB_OPT_DOC('I', NULL, "pattern", "no files that match the pattern"),
	TSB_OPT_DOC(0, "ignore-case", NULL, "patterns match either case"),
	TSB_OPT_DOC(0, "matchdirs", NULL, "-P counts for directories too"),
	TSB_OPT_DOC(0, "metafirst", NULL, "the fields of a file before its indentation"),
	TSB_OPT_DOC(0, "gitignore", NULL, "without what .gitignore files in the directories hide"),
	TSB_OPT_DOC(0, "gitfile", "file", "the same, and without what a file's patterns hide"),
	TSB_OPT_DOC(0, "prune", NULL, "no empty directories"),
	TSB_OPT_DOC(0, "noreport", NULL, "no counts at the end"),
	TSB_OPT_DOC(0, "charset", "X", "characters of the lines: UTF-8, or others for ASCII"),
	TSB_OPT_DOC(0, "filelimit", "N", "do not open directories with more entries"),
	TSB_OPT_DOC('o', NULL, "file", "write to a file"),
	TSB_OPT_DOC('q', NULL, NULL, "non-printable characters are question marks"),
	TSB_OPT_DOC('N', NULL, NULL, "non-printable characters as they are"),
	TSB_OPT_DOC('Q', NULL, NULL, "names in double quotes"),
	TSB_OPT_DOC('p', NULL, NULL, "the protections of each file"),
	TSB_OPT_DOC('u', NULL, NULL, "the owner"),
	TSB_OPT_DOC('g', NULL, NULL, "the group"),
	TSB_OPT_DOC('s', NULL, NULL, "the size in bytes"),
	TSB_OPT_DOC('h', NULL, NULL, "the size in a readable unit"),
	TSB_OPT_DOC(0, "si", NULL, "the same in powers of 1000"),
	TSB_OPT_DOC(0, "du", NULL, "sizes of directories by what is in them"),
	TSB_OPT_DOC('D', NULL, NULL, "the date of the last change"),
	TSB_OPT_DOC(0, "timefmt", "format", "the date in that format"),
	TSB_OPT_DOC('F', NULL, NULL, "append / = * | as ls -F does"),
	TSB_OPT_DOC(0, "inodes", NULL, "the inode number"),
	TSB_OPT_DOC(0, "device", NULL, "the device number"),
	TSB_OPT_DOC('v', NULL, NULL, "sort by versions in the names"),
	TSB_OPT_DOC('t', NULL, NULL, "sort by modification time"),
	TSB_OPT_DOC('c', NULL, NULL, "sort by status change"),
	TSB_OPT_DOC('U', NULL, NULL, "do not sort"),
	TSB_OPT_DOC('r', NULL, NULL, "reverse the order"),
	TSB_OPT_DOC(0, "dirsfirst", NULL, "directories before files"),
	TSB_OPT_DOC(0, "filesfirst", NULL, "files before directories"),
	TSB_OPT_DOC(0, "sort", "X", "sort by name, version, size, mtime or ctime"),
	TSB_OPT_DOC('i', NULL, NULL, "no indentation"),
	TSB_OPT_DOC('A', NULL, NULL, "lines of a VT100"),
	TSB_OPT_DOC('S', NULL, NULL, "lines of code page 437"),
	TSB_OPT_DOC('n', NULL, NULL, "no colours, unless -C"),
	TSB_OPT_DOC('C', NULL, NULL, "colours"),
	TSB_OPT_DOC('X', NULL, NULL, "as XML"),
	TSB_OPT_DOC('J', NULL, NULL, "as JSON"),
	TSB_OPT_DOC('H', NULL, "baseHREF", "as HTML, with links below baseHREF"),
	TSB_OPT_DOC('T', NULL, "string", "the title of the HTML page"),
	TSB_OPT_DOC(0, "nolinks", NULL, "no links in HTML"),
	TSB_OPT_DOC(0, "hintro", "file", "what the HTML begins with"),
	TSB_OPT_DOC(0, "houtro", "file", "what the HTML ends with"),
	TSB_OPT_DOC('R', NULL, NULL, "a 00Tree.html in each directory where the depth of -L ends"),
	TSB_OPT_DOC(0, "info", NULL, "what .info files say of names"),
	TSB_OPT_DOC(0, "infofile", "file", "the same, and what this file says"),
	TSB_OPT_DOC(0, "fflinks", NULL, "--fromfile knows links (a -> b)"),
	TSB_OPT_DOC(0, "fromfile", NULL, "paths come from files (. is standard input)"),
	TSB_OPT_END
};

const struct tsb_command cmd_tree = {
	.version = TSB_COMMAND_VERSION, .package = "tree", .package_version = "2.1.0",
	.name = "tree", .synopsis = "[options] [directory ...]",
	.summary = "List contents of directories in a tree-like format.", .opts = tree_opts,
	.run = tree_run,
	.flags = TSB_RAW,
};
