/*
 * tree --info: what .info files say of names. Lines of patterns, then lines
 * behind a tab that are the text for them; # begins a comment.
 */
#include "cmd/tree.h"

#include <fcntl.h>
#include <string.h>

#include "cmd/lines.h"
#include "cmd/util.h"
#include "text/pattern.h"

struct info_pattern {
	struct pattern *whole, *name;	/* of paths, of names */
	bool dirs_only;
};

struct info_entry {
	struct info_pattern *patterns;
	size_t n, cap, text_cap;
	struct tree_info text;
	struct info_entry *next;
};

struct tree_info_dir {
	const struct tree_info_dir *up;
	struct info_entry *entries;
	bool own;		/* of the directory itself: names match too */
};

/* Alternatives stand between |, a slash behind one is for directories only. */
static void info_add_pattern(struct tree *t, struct info_entry *e, const char *text)
{
	while (text) {
		size_t n = strcspn(text, "|"), len = n;
		bool dirs = n > 1 && text[n - 1] == '/', root = *text == '/';
		char *one = tsb_strndup(t->p, text, len -= dirs);
		unsigned flags = (t->icase ? PATTERN_ICASE : 0) |
				 (strstr(one, "**") ? 0 : PATTERN_PATHNAME);

		e->patterns = util_grow(t->p, e->patterns, e->n, &e->cap, sizeof(*e->patterns));
		e->patterns[e->n++] = (struct info_pattern){
			pattern_compile(tsb_heap_of(t->p), one, len, flags),
			pattern_compile(tsb_heap_of(t->p), one + root, len - root, flags), dirs };
		text = text[n] ? text + n + 1 : NULL;
	}
}

static void info_add_text(struct tree *t, struct info_entry *e, const char *line)
{
	e->text.lines = util_grow(t->p, e->text.lines, e->text.n, &e->text_cap,
				  sizeof(*e->text.lines));
	e->text.lines[e->text.n++] = tsb_strdup(t->p, line);
}

static struct info_entry *info_load(struct tree *t, const char *path)
{
	int fd = tsb_open(t->p, path, O_RDONLY | O_CLOEXEC, 0);
	struct info_entry *first = NULL, **tail = &first, *e = NULL;
	struct lines in = { 0 };
	char *line;
	size_t n;

	if (fd < 0)
		return NULL;
	lines_open(&in, t->p, fd);
	while (lines_next(&in, '\n', &line, &n)) {
		tsb_tick(t->p, 1);
		n -= line[n - 1] == '\n';
		line[n] = '\0';
		if (*line == '#' || !*line || (*line == '\t' && !e))
			continue;
		if (*line == '\t') {
			info_add_text(t, e, line + 1);
			continue;
		}
		if (!e || e->text.n) {
			e = tsb_alloc(t->p, sizeof(*e));
			*tail = e;
			tail = &e->next;
		}
		info_add_pattern(t, e, line);
	}
	tsb_close(t->p, fd);
	return first;
}

static const struct tree_info_dir *info_push(struct tree *t, const struct tree_info_dir *up,
					     struct info_entry *entries, bool own)
{
	struct tree_info_dir *d;

	if (!entries)
		return up;
	d = tsb_alloc(t->p, sizeof(*d));
	d->up = up;
	d->entries = entries;
	d->own = own;
	return d;
}

void tree_info_open(struct tree *t, struct tree_node *n, const char *path)
{
	if (!t->info)
		return;
	n->infos = n->parent ? n->parent->infos : NULL;
	for (size_t i = 0; !n->parent && i < t->info_files.n; i++)
		n->infos = info_push(t, n->infos, info_load(t, t->info_files.at[i]), false);
	n->infos = info_push(t, n->infos, info_load(t, tsb_format(t->p, "%s/.info", path)), true);
	n->own_info = n->infos != (n->parent ? n->parent->infos : NULL);
}

static bool info_matches(const struct info_pattern *p, const char *path, const char *name,
			 bool top, bool is_dir)
{
	if (p->dirs_only && !is_dir)
		return false;
	return pattern_match(p->whole, path, strlen(path)) ||
	       (top && pattern_match(p->name, name, strlen(name)));
}

const struct tree_info *tree_info_find(struct tree *t, const struct tree_node *dir,
				       const char *path, const char *name, bool is_dir)
{
	bool top = dir->own_info;

	for (const struct tree_info_dir *d = dir->infos; d; d = d->up, top = false)
		for (const struct info_entry *e = d->entries; e; e = e->next) {
			tsb_tick(t->p, 1);
			for (size_t i = 0; e->text.n && i < e->n; i++)
				if (info_matches(&e->patterns[i], path, name, top && d->own, is_dir))
					return &e->text;
		}
	return NULL;
}
