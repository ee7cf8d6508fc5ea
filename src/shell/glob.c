/*
 * Pathname expansion. A pattern is taken component by component: a list of
 * paths that match so far is turned into the list that matches one component
 * more, reading a directory only where the component is a pattern. So nothing
 * recurses, and ** is a walk over a list too. The matches are sorted at the end.
 */
#include <string.h>
#include <sys/stat.h>

#include "base/merge.h"
#include "kernel/kernel.h"
#include "shell/words.h"
#include "text/pattern.h"

struct paths {
	struct slice *at;
	size_t n, cap;
};

struct glob {
	struct shell *sh;
	unsigned flags;		/* of patterns */
	bool any_magic;		/* a component before was a pattern */
	struct paths now, next;
	enum flow flow;
};

static void paths_add(struct glob *g, struct paths *list, struct slice path)
{
	if (list->n >= words_of(g->sh)->max_words) {
		if (g->flow == FLOW_NEXT)
			g->flow = words_limit(g->sh, "words");
		return;
	}
	if (list->n == list->cap) {
		size_t cap = list->cap ? list->cap * 2 : 16;
		struct slice *at = arena_array(&g->sh->turn, cap, sizeof(*at));

		if (list->n)
			memcpy(at, list->at, list->n * sizeof(*at));
		list->at = at;
		list->cap = cap;
	}
	list->at[list->n++] = path;
}

static struct slice glob_join(struct glob *g, struct slice a, const char *p, size_t n)
{
	char *s = arena_alloc(&g->sh->turn, a.n + n + 1);

	memcpy(s, a.p, a.n);
	memcpy(s + a.n, p, n);
	s[a.n + n] = '\0';
	return (struct slice){ s, a.n + n };
}

/* ---- One component ---- */

static bool begins_group(const char *p, size_t n)
{
	return n > 1 && p[1] == '(' && strchr("?*+@!", p[0]);
}

/* Of a group in front that must match something, does an alternative begin with a dot (or with
 * another group, which the matcher judges)? What comes behind the group is not asked. */
static bool group_shows_dots(const char *p, size_t n)
{
	size_t depth = 1;

	for (size_t i = 2; i < n; i++) {
		bool first = i == 2 || (depth == 1 && p[i - 1] == '|');

		if (first && (p[i] == '.' || begins_group(p + i, n - i) ||
			      (p[i] == '\\' && i + 1 < n && p[i + 1] == '.')))
			return true;
		if (p[i] == '\\')
			i++;
		else if (p[i] == '(')
			depth++;
		else if (p[i] == ')' && !--depth)
			return false;
	}
	return false;
}

static bool entry_hidden(const struct glob *g, const struct slice *component, const char *name)
{
	if (name[0] != '.' || g->sh->opts[SHOPT_DOTGLOB])
		return false;
	return component->n == 0 || (component->p[0] != '.' &&
		!(component->p[0] == '\\' && component->n > 1 && component->p[1] == '.') &&
		!(g->flags & PATTERN_EXTGLOB)) ||
	       (begins_group(component->p, component->n) && !strchr("?*", component->p[0]) &&
		!group_shows_dots(component->p, component->n));
}

static bool entry_is_dir(struct glob *g, struct slice path, const struct tsb_dirent *e, bool follow)
{
	struct tsb_stat st;

	if (S_ISDIR(e->mode))
		return true;
	if (e->mode && !(follow && S_ISLNK(e->mode)))
		return false;
	if (follow ? tsb_stat(g->sh->p, path.p, &st) : tsb_lstat(g->sh->p, path.p, &st))
		return false;
	return S_ISDIR(st.mode);
}

/* "." and "..", which readdir() does not give: only if the pattern asks for them
 * and globskipdots is off. */
static void match_dots(struct glob *g, struct slice base, struct slice component)
{
	bool group = g->flags & PATTERN_EXTGLOB && begins_group(component.p, component.n);
	const struct pattern *pattern;

	if (g->sh->opts[SHOPT_GLOBSKIPDOTS] || words_of(g->sh)->glob_ignore_set)
		return;
	if (component.p[0] != '.' && !group)
		return;
	pattern = pattern_cached(g->sh, component, g->flags | PATTERN_PERIOD);
	if (pattern_match(pattern, ".", 1))
		paths_add(g, &g->next, glob_join(g, base, ".", 1));
	if (pattern_match(pattern, "..", 2))
		paths_add(g, &g->next, glob_join(g, base, "..", 2));
}

static void match_directory(struct glob *g, struct slice base, const struct pattern *pattern,
			    struct slice component, bool last)
{
	struct tsb_dir *dir;
	const struct tsb_dirent *e;

	if (tsb_opendir(g->sh->p, base.n ? base.p : ".", &dir))
		return;
	match_dots(g, base, component);
	while (g->flow == FLOW_NEXT && (e = tsb_readdir(dir))) {
		size_t n = strlen(e->name);

		proc_tick(g->sh->p, 1);
		if (entry_hidden(g, &component, e->name) || !pattern_match(pattern, e->name, n))
			continue;
		if (!last && e->mode && !S_ISDIR(e->mode) && !S_ISLNK(e->mode))
			continue;
		paths_add(g, &g->next, glob_join(g, base, e->name, n));
	}
	tsb_closedir(dir);
}

static void component_magic(struct glob *g, struct slice component, bool last)
{
	unsigned flags = g->flags | (g->sh->opts[SHOPT_DOTGLOB] ? 0 : PATTERN_PERIOD);
	const struct pattern *pattern = pattern_cached(g->sh, component, flags);

	for (size_t i = 0; i < g->now.n; i++)
		match_directory(g, g->now.at[i], pattern, component, last);
	g->any_magic = true;
}

/* Quotes removed. */
static struct slice component_text(struct glob *g, struct slice component)
{
	char *s = arena_alloc(&g->sh->turn, component.n + 1);
	size_t n = 0;

	for (size_t i = 0; i < component.n; i++) {
		if (component.p[i] == '\\' && i + 1 < component.n)
			i++;
		s[n++] = component.p[i];
	}
	s[n] = '\0';
	return (struct slice){ s, n };
}

static void component_literal(struct glob *g, struct slice component)
{
	struct slice text = component_text(g, component);
	struct tsb_stat st;

	for (size_t i = 0; i < g->now.n; i++) {
		struct slice path = glob_join(g, g->now.at[i], text.p, text.n);

		proc_tick(g->sh->p, 1);
		if (!g->any_magic || tsb_lstat(g->sh->p, path.p, &st) == 0)
			paths_add(g, &g->next, path);
	}
}

/* ** : every directory below, and as the last component every file too. */
static void component_star_star(struct glob *g, bool last, bool only_dirs)
{
	bool dots = g->sh->opts[SHOPT_DOTGLOB];

	for (size_t k = 0; k < g->now.n; k++) {
		struct paths todo = { 0 };

		struct slice start = g->now.at[k];

		paths_add(g, &todo, start);
		/* Nothing at all matches too: the directory itself. */
		if (last && !only_dirs && g->any_magic && start.n)
			start.n--, start.p = arena_dup(&g->sh->turn, start.p, start.n);
		if (!last || only_dirs || start.n)
			paths_add(g, &g->next, start);
		for (size_t i = 0; i < todo.n && g->flow == FLOW_NEXT; i++) {
			struct slice base = todo.at[i];
			const struct tsb_dirent *e;
			struct tsb_dir *dir;

			if (tsb_opendir(g->sh->p, base.n ? base.p : ".", &dir))
				continue;
			while (g->flow == FLOW_NEXT && (e = tsb_readdir(dir))) {
				struct slice path;
				bool is_dir;

				proc_tick(g->sh->p, 1);
				if (e->name[0] == '.' && !dots)
					continue;
				path = glob_join(g, base, e->name, strlen(e->name));
				is_dir = entry_is_dir(g, path, e, false);
				if (!is_dir && last && only_dirs && S_ISLNK(e->mode) &&
				    entry_is_dir(g, path, e, true))
					paths_add(g, &g->next, glob_join(g, path, "/", 1));
				if (is_dir) {
					struct slice below = glob_join(g, path, "/", 1);

					paths_add(g, &todo, below);
					if (!last || only_dirs) {
						paths_add(g, &g->next, below);
						continue;
					}
				}
				if (last && !only_dirs)
					paths_add(g, &g->next, path);
			}
			tsb_closedir(dir);
		}
	}
	g->any_magic = true;
}

/* ---- The whole pattern ---- */

/* Each path so far gets the slashes (behind a pattern just one); what is no
 * directory is dropped. */
static void add_slashes(struct glob *g, size_t n, bool last)
{
	static const char slashes[] = "////////////////";
	struct tsb_stat st;

	if (g->any_magic)
		n = 1;
	if (n > 16)
		n = 16;
	for (size_t i = 0; i < g->now.n; i++) {
		struct slice path = g->now.at[i];
		bool here = path.n == 0 && g->any_magic;	/* ** matched nothing */

		if (!here && (path.n == 0 || path.p[path.n - 1] != '/'))
			path = glob_join(g, path, slashes, n);
		proc_tick(g->sh->p, 1);
		if (!last || (tsb_stat(g->sh->p, path.p, &st) == 0 && S_ISDIR(st.mode)))
			paths_add(g, &g->next, path);
	}
}

static void glob_swap(struct glob *g)
{
	g->now = g->next;
	g->next = (struct paths){ 0 };
}

/* The end of the component at p: the slash outside brackets and groups. */
static size_t component_end(const char *p, size_t n, bool extended)
{
	int depth = 0;

	for (size_t i = 0; i < n; i++) {
		if (p[i] == '\\' && i + 1 < n) {
			if (p[i + 1] == '/')
				return i;
			i++;
		} else if (extended && i && p[i] == '(' && strchr("?*+@!", p[i - 1])) {
			depth++;
		} else if (depth && p[i] == ')') {
			depth--;
		} else if (p[i] == '/') {
			return i;
		}
	}
	return n;
}

static size_t count_slashes(const char *p, size_t n, size_t *bytes)
{
	size_t i = 0, count = 0;

	while (i < n && (p[i] == '/' || (p[i] == '\\' && i + 1 < n && p[i + 1] == '/'))) {
		i += p[i] == '/' ? 1 : 2;
		count++;
	}
	*bytes = i;
	return count;
}

/* How much of p is ** components that another one follows at once: they say the same. */
static size_t repeated_stars(const char *p, size_t n)
{
	size_t at = 0, bytes;

	for (;;) {
		if (n - at < 2 || memcmp(p + at, "**", 2) != 0)
			return 0;
		count_slashes(p + at + 2, n - at - 2, &bytes);
		if (!bytes || n - at - 2 - bytes < 2 || memcmp(p + at + 2 + bytes, "**", 2) != 0 ||
		    (n - at - 2 - bytes > 2 && p[at + 4 + bytes] != '/'))
			return at;
		at += 2 + bytes;
	}
}

static void glob_walk(struct glob *g, const char *p, size_t n)
{
	paths_add(g, &g->now, SLICE(""));
	while (n && g->flow == FLOW_NEXT) {
		size_t end, bytes, slashes = count_slashes(p, n, &bytes);
		struct slice component;
		bool last;

		if (slashes) {
			add_slashes(g, slashes, bytes == n);
			glob_swap(g);
			p += bytes;
			n -= bytes;
			continue;
		}
		if (g->sh->opts[SHOPT_GLOBSTAR]) {
			size_t same = repeated_stars(p, n);

			p += same;
			n -= same;
			g->any_magic |= same > 0;
		}
		end = component_end(p, n, g->flags & PATTERN_EXTGLOB);
		component = (struct slice){ p, end };
		last = end == n;
		if (g->sh->opts[SHOPT_GLOBSTAR] && slice_is(component, "**")) {
			count_slashes(p + end, n - end, &bytes);
			component_star_star(g, last || end + bytes == n, !last);
		} else if (pattern_is_magic(component.p, component.n, g->flags)) {
			component_magic(g, component, last);
		} else {
			component_literal(g, component);
		}
		glob_swap(g);
		p += end;
		n -= end;
	}
}

/* ---- GLOBIGNORE ---- */

static bool ignored_by(struct glob *g, struct slice ignore, struct slice path)
{
	size_t from = 0;

	for (size_t i = 0; i <= ignore.n; i++) {
		struct slice one;

		if (i < ignore.n && ignore.p[i] == '\\' && i + 1 < ignore.n) {
			i++;
			continue;
		}
		if (i < ignore.n && (ignore.p[i] != ':' || (i && ignore.p[i - 1] == '[')))
			continue;
		one = (struct slice){ ignore.p + from, i - from };
		proc_tick(g->sh->p, 1);
		if (one.n && pattern_match(pattern_cached(g->sh, one, g->flags | PATTERN_PATHNAME), path.p, path.n))
			return true;
		from = i + 1;
	}
	return false;
}

static void glob_ignore(struct glob *g)
{
	struct slice ignore;
	size_t n = 0;

	if (!words_of(g->sh)->glob_ignore_set || !var_get_text(g->sh, "GLOBIGNORE", &ignore))
		return;
	for (size_t i = 0; i < g->now.n; i++) {
		struct slice path = g->now.at[i];
		const char *base = memrchr(path.p, '/', path.n);

		base = base ? base + 1 : path.p;
		if (!strcmp(base, ".") || !strcmp(base, "..") || ignored_by(g, ignore, path))
			continue;
		g->now.at[n++] = path;
	}
	g->now.n = n;
}

/* ---- Sorting ---- */

static bool path_before(void *ctx, const void *a, const void *b)
{
	(void)ctx;
	return slice_cmp(*(const struct slice *)a, *(const struct slice *)b) < 0;
}

size_t glob_paths(struct shell *sh, const char *pattern, size_t n, struct fields *out)
{
	struct glob g = { .sh = sh, .flow = FLOW_NEXT };
	size_t count = 0;

	if (n > 65536)
		return 0;		/* no path is as long */
	g.flags = (sh->opts[SHOPT_EXTGLOB] ? PATTERN_EXTGLOB : 0) |
		(sh->opts[SHOPT_NOCASEGLOB] ? PATTERN_ICASE : 0);
	glob_walk(&g, pattern, n);
	glob_ignore(&g);
	if (g.now.n > 1)
		merge_sort(g.now.at, arena_array(&sh->turn, g.now.n, sizeof(struct slice)), g.now.n,
			   sizeof(struct slice), path_before, NULL);
	for (size_t i = 0; i < g.now.n && g.flow == FLOW_NEXT; i++) {
		struct slice path = g.now.at[i];

		if (path.n == 0)
			continue;
		fields_push(sh, out, (char *)(uintptr_t)path.p, path.n);
		count++;
	}
	return count;
}
