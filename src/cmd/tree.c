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

#include "base/num.h"
#include "base/opt.h"
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
		if (e->name[0] == '.' && !t->all)
			continue;
		path = tsb_format(t->p, "%s%s%s", base, base[strlen(base) - 1] == '/' ? "" : "/",
				  e->name);
		kid = tree_add(t, n, e->name);
		if (tree_look(t, kid, path) < 0 || !tree_wanted(t, kid) ||
		    tree_ignored(n, path, S_ISDIR(kid->st.mode)))
			n->n_kids--;
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

/* ---- Options ---- */

static const char tree_usage_text[] =
	"usage: tree [-acdfghilnpqrstuvxACDFJNQSUX] [-L level] [-o filename] [-P pattern]\n"
	"\t[-I pattern] [--matchdirs] [--metafirst] [--ignore-case] [--inodes] [--device]\n"
	"\t[--sort[=]<name>] [--dirsfirst] [--filesfirst] [--filelimit #] [--si] [--du]\n"
	"\t[--prune] [--charset[=]X] [--timefmt[=]format] [--fromfile] [--noreport]\n"
	"\t[--version] [--help] [--] [directory ...]\n";

struct tree_args {
	struct tree *t;
	char **argv;
	int argc, next;		/* next: where arguments of options come from */
	struct tree_texts only, except;
	const char *charset;
};

static int tree_complain(struct tree *t, const char *before, const char *what, const char *after,
			 bool usage)
{
	struct str s;

	str_init(&s, tsb_heap_of(t->p), STR_MAX_DEFAULT);
	str_addf(&s, "tree: %s%s%s\n", before, what, after);
	if (usage)
		str_adds(&s, tree_usage_text);
	tsb_flush(t->p);
	tsb_write_all(t->p, 2, s.p, s.n);
	return 1;
}

static bool *tree_flag(struct tree *t, char c)
{
	switch (c) {
	case 'a': return &t->all;
	case 'd': return &t->dirs_only;
	case 'l': return &t->follow;
	case 'f': return &t->full;
	case 'x': return &t->one_fs;
	case 'q': return &t->question;
	case 'N': return &t->raw;
	case 'Q': return &t->quote;
	case 'p': return &t->perms;
	case 'u': return &t->user;
	case 'g': return &t->group;
	case 's': return &t->size;
	case 'D': return &t->date;
	case 'F': return &t->classify;
	case 'r': return &t->reverse;
	case 'i': return &t->flat;
	case 'C': return &t->color;
	default: return NULL;
	}
}

/* The next whole argument; NULL after the message. */
static const char *tree_argument(struct tree_args *a, char c)
{
	if (a->next < a->argc)
		return a->argv[a->next++];
	tree_complain(a->t, "Missing argument to -", (char[]){ c, '\0' }, " option.", false);
	return NULL;
}

static int tree_level(struct tree_args *a, const char *text)
{
	int64_t n;

	if (!text)
		return 1;
	if (num_i64(text, &n) != NUM_OK || n < 1)
		return tree_complain(a->t, "Invalid level, must be greater than 0.", "", "", false);
	a->t->level = (uint64_t)n;
	return 0;
}

static int tree_add_text(struct tree *t, struct tree_texts *list, const char *text)
{
	if (!text)
		return 1;
	list->at = util_grow(t->p, list->at, list->n, &list->cap, sizeof(*list->at));
	list->at[list->n++] = text;
	return 0;
}

static int tree_short(struct tree_args *a, char c)
{
	struct tree *t = a->t;
	bool *flag = tree_flag(t, c);

	if (flag) {
		*flag = true;
		return 0;
	}
	switch (c) {
	case 'h':
		t->size = t->human = true;
		return 0;
	case 'n':	/* -C is stronger, and nothing else would colour */
		return 0;
	case 't':
		t->sort = TREE_MTIME;
		return 0;
	case 'c':
		t->sort = TREE_CTIME;
		return 0;
	case 'v':
		t->sort = TREE_VERSION;
		return 0;
	case 'U':
		t->sort = TREE_UNSORTED;
		return 0;
	case 'J':
	case 'X':
		t->data = c;
		return 0;
	case 'A':
		t->lines = TREE_ANSI;
		return 0;
	case 'S':
		t->lines = TREE_CP437;
		return 0;
	case 'L':
		return tree_level(a, tree_argument(a, c));
	case 'P':
		return tree_add_text(a->t, &a->only, tree_argument(a, c));
	case 'I':
		return tree_add_text(a->t, &a->except, tree_argument(a, c));
	case 'o':
		t->output = tree_argument(a, c);
		return t->output ? 0 : 1;
	default:
		return tree_complain(t, "Invalid argument -`", (char[]){ c, '\0' }, "'.", true);
	}
}

static int tree_sort_option(struct tree *t, const char *name)
{
	static const char *const names[] = { "name", "version", "mtime", "ctime", "size" };

	for (size_t i = 0; name && i < sizeof(names) / sizeof(*names); i++)
		if (!strcmp(names[i], name)) {
			t->sort = (enum tree_sort)i;
			return 0;
		}
	name = tsb_format(t->p, "tree: Sort type '%s' not valid, should be one of: ", name ? name : "");
	tsb_write_all(t->p, 2, name, strlen(name));
	tsb_puts(t->p, "name,version,size,mtime,ctime\n");
	return 1;
}

static bool tree_long_flag(struct tree *t, const char *name)
{
	const struct { const char *name; bool *flag; } flags[] = {
		{ "dirsfirst", &t->dirs_first }, { "filesfirst", &t->files_first },
		{ "matchdirs", &t->match_dirs }, { "ignore-case", &t->icase },
		{ "metafirst", &t->meta_first }, { "prune", &t->prune },
		{ "noreport", &t->no_report }, { "inodes", &t->inode }, { "device", &t->device },
		{ "fromfile", &t->from_file }, { "gitignore", &t->gitignore },
	};

	for (size_t i = 0; i < sizeof(flags) / sizeof(*flags); i++)
		if (!strcmp(flags[i].name, name)) {
			*flags[i].flag = true;
			return true;
		}
	if (!strcmp(name, "si"))
		t->size = t->human = t->si = true;
	else if (!strcmp(name, "du"))
		t->size = t->du = true;
	else
		return false;
	return true;
}

/* "--name=VALUE" or "--name VALUE"; NULL: it is not that option. */
static const char *tree_long_value(struct tree_args *a, const char *arg, const char *name)
{
	size_t n = strlen(name);

	if (strncmp(arg, name, n))
		return NULL;
	if (arg[n] == '=')
		return arg + n + 1;
	if (arg[n])
		return NULL;
	return a->next < a->argc ? a->argv[a->next++] : "";
}

static int tree_long(struct tree_args *a, const char *arg)
{
	struct tree *t = a->t;
	const char *value;

	if (!strcmp(arg, "help")) {
		tsb_puts(t->p, tree_usage_text);
		tsb_exit(t->p, 0);
	}
	if (!strcmp(arg, "version")) {
		tsb_puts(t->p, "tree v2.1.0 \u00a9 1996 - 2022 by Steve Baker, Thomas Moore, Francesc "
			       "Rocher, Florian Sesser, Kyosuke Tokoro\n");
		tsb_exit(t->p, 0);
	}
	if (tree_long_flag(t, arg))
		return 0;
	if ((value = tree_long_value(a, arg, "sort")))
		return tree_sort_option(t, value);
	if ((value = tree_long_value(a, arg, "gitfile"))) {
		int fd = *value ? tsb_open(t->p, value, O_RDONLY, 0) : 0;

		if (!fd)
			return tree_complain(t, "Missing argument to --", arg, "", false);
		if (fd < 0)
			return tree_complain(t, "Could not load gitignore file", "", "", false);
		tsb_close(t->p, fd);
		t->gitignore = true;
		return tree_add_text(t, &t->git_files, value);
	}
	if ((value = tree_long_value(a, arg, "filelimit"))) {
		t->file_limit = strtoull(value, NULL, 10);
		return 0;
	}
	if ((value = tree_long_value(a, arg, "charset"))) {
		a->charset = value;
		return 0;
	}
	if ((value = tree_long_value(a, arg, "timefmt"))) {
		t->time_format = value;
		t->date = true;
		return 0;
	}
	return tree_complain(t, "Invalid argument `--", arg, "'.", true);
}

/* Operands are moved to the front of argv: how many. */
static int tree_parse(struct tree_args *a, int *n_operands)
{
	bool options = true;
	int n = 0, status;

	while (a->next < a->argc) {
		char *arg = a->argv[a->next++];

		if (!options || arg[0] != '-' || !arg[1]) {
			a->argv[n++] = arg;
			continue;
		}
		if (!strcmp(arg, "--")) {
			options = false;
			continue;
		}
		if (arg[1] == '-') {
			status = tree_long(a, arg + 2);
			if (status)
				return status;
			continue;
		}
		for (const char *c = arg + 1; *c; c++) {
			status = tree_short(a, *c);
			if (status)
				return status;
		}
	}
	*n_operands = n;
	return 0;
}

static int tree_settle(struct tree_args *a)
{
	struct tree *t = a->t;
	const char *colors = tsb_getenv(t->p, "LS_COLORS");

	t->utf8 = locale_utf8(t->p);
	t->now = tsb_clock(t->p, TSB_CLOCK_REAL).sec;
	zone_init(&t->zone, tsb_getenv(t->p, "TZ"));
	if (t->lines == TREE_ASCII && (a->charset ? !strcasecmp(a->charset, "utf-8") : t->utf8))
		t->lines = TREE_UTF8;
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
	if (t->data)
		tree_show_data(t, roots, n ? (size_t)n : 1);
	else
		tree_show_text(t, roots, n ? (size_t)n : 1);
	tree_drain(t, true);
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
