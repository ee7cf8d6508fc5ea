/*
 * Which files are searched: a walk over directories that leaves out what ignore
 * files, -g, types and the rule of hidden names say. Iterative; a level is a
 * directory that is being read, and what its ignore files hold.
 */
#include "cmd/rg/rg.h"

#include <fcntl.h>
#include <sys/stat.h>

#include "base/heap.h"

enum { DEPTH_MAX = 4096 };

struct entry {
	const char *name;
	uint32_t mode;
	struct tsb_time time;
};

struct level {
	struct level *up;
	struct gitignore *git, *dot, *rg, *exclude;
	bool has_git;
	size_t base;		/* of the absolute path, behind its slash */
	/* Of a directory that is walked. */
	struct entry *at;
	size_t n, i, depth;
	size_t path_n, abs_n;
	bool walked;
	uint64_t dev, ino;
};

struct walk {
	struct rg *g;
	struct level *top;
	struct str path, abs;
	/* What directories above the root are asked for: the real tool takes the shown
	 * path for relative to the root, though the root's name is in it. */
	struct str doubled;
	size_t doubled_n;
	size_t strip;		/* of the shown path: "./" of the default */
	size_t root_n;
	uint64_t dev;
	void (*found)(struct rg *g, const char *path, bool explicit);
};

static void tick(void *p, size_t steps)
{
	tsb_tick(p, steps);
}

/* ---- Ignore files ---- */

struct bad_line {
	struct rg *g;
	const char *path;
	bool any;
};

static void say_bad_line(void *ctx, size_t line, const char *glob, const char *why)
{
	struct bad_line *b = ctx;

	b->any = true;
	if (!b->g->no_messages && !b->g->no_ignore_messages)
		rg_say(b->g, "%s: line %zu: error parsing glob '%s': %s", b->path, line, glob, why);
}

static struct gitignore *read_rules(struct rg *g, const char *path, int *err)
{
	struct bad_line bad = { g, path, false };
	struct gitignore *rules = NULL;
	int fd = tsb_open(g->p, path, O_RDONLY, 0);
	struct tsb_reader in;
	struct str text;
	char *data;
	size_t n;

	*err = fd < 0 ? fd : 0;
	if (fd < 0)
		return NULL;
	str_init(&text, g->heap, STR_MAX_DEFAULT);
	tsb_reader_init(&in, g->p, fd);
	while ((n = tsb_getblock(&in, &data)))
		str_addn(&text, data, n);
	*err = in.error;
	tsb_reader_end(&in);
	tsb_close(g->p, fd);
	if (!*err) {
		rules = gitignore_new(g->heap, GITIGNORE_BRACES |
				      (g->ignore_icase ? GITIGNORE_ICASE : 0u));
		gitignore_on_tick(rules, tick, g->p);
		gitignore_parse(rules, text.p, text.n, say_bad_line, &bad);
		g->bad_rules |= bad.any;
	}
	str_end(&text);
	return rules;
}

/* dir ends with a slash. */
static struct gitignore *rules_of(struct rg *g, const char *dir, const char *name)
{
	int err;

	return read_rules(g, tsb_format(g->p, "%s%s", dir, name), &err);
}

static void read_level(struct rg *g, struct level *l, const char *dir)
{
	struct tsb_stat st;

	if (g->no_ignore)
		return;
	l->has_git = tsb_stat(g->p, tsb_format(g->p, "%s.git", dir), &st) == 0;
	l->rg = rules_of(g, dir, ".rgignore");
	if (!g->no_dot)
		l->dot = rules_of(g, dir, ".ignore");
	if (!g->no_vcs) {
		l->git = rules_of(g, dir, ".gitignore");
		if (l->has_git && !g->no_exclude)
			l->exclude = rules_of(g, dir, ".git/info/exclude");
	}
}

/* ---- Decisions ---- */

static enum gitignore_verdict ask(struct gitignore *rules, const struct walk *w,
				  const struct level *l, bool dir)
{
	if (!l->walked && w->doubled.n) {
		if (!rules || w->g->no_parent || l->base >= w->doubled.n)
			return GITIGNORE_NONE;
		return gitignore_match(rules, w->doubled.p + l->base, w->doubled.n - l->base, dir);
	}
	if (!rules || l->base >= w->abs.n || (!l->walked && w->g->no_parent))
		return GITIGNORE_NONE;
	return gitignore_match(rules, w->abs.p + l->base, w->abs.n - l->base, dir);
}

static enum gitignore_verdict ignore_verdict(struct walk *w, bool dir)
{
	enum gitignore_verdict rg = 0, dot = 0, git = 0, exclude = 0, v = 0;
	bool in_git = !w->g->require_git, over = false;

	for (struct level *l = w->top; l; l = l->up)
		in_git |= l->has_git;
	for (struct level *l = w->top; l; l = l->up) {
		rg = rg ? rg : ask(l->rg, w, l, dir);
		dot = dot ? dot : ask(l->dot, w, l, dir);
		if (in_git && !over) {
			git = git ? git : ask(l->git, w, l, dir);
			exclude = exclude ? exclude : ask(l->exclude, w, l, dir);
		}
		over |= l->has_git;
	}
	v = rg ? rg : dot ? dot : git ? git : exclude;
	return v;
}

/* Where the part of the path below the working directory begins. */
static size_t below_cwd(const struct walk *w)
{
	const char *cwd = tsb_getcwd(w->g->p);
	size_t n = strlen(cwd);

	n += cwd[n - 1] != '/';
	return w->abs.n <= n || memcmp(w->abs.p, cwd, n - 1) || w->abs.p[n - 1] != '/' ? 0 : n;
}

static enum gitignore_verdict explicit_verdict(struct walk *w, bool dir)
{
	size_t n = below_cwd(w);

	return w->g->overrides ? gitignore_match(w->g->overrides, w->abs.p + n, w->abs.n - n, dir) :
	       GITIGNORE_NONE;
}

/* What --ignore-file says: the last file that has an opinion. */
static enum gitignore_verdict named_verdict(struct walk *w, bool dir)
{
	size_t base = below_cwd(w);
	enum gitignore_verdict v = GITIGNORE_NONE;

	for (size_t i = w->g->named_rules.n; i-- && v == GITIGNORE_NONE; )
		v = gitignore_match(w->g->named_rules.at[i], w->abs.p + base, w->abs.n - base, dir);
	return v;
}

static bool wanted(struct walk *w, const char *name, bool dir)
{
	struct rg *g = w->g;
	enum gitignore_verdict v = explicit_verdict(w, dir);
	bool kept = false;

	if (v == GITIGNORE_KEEP)		/* -g '!x' */
		return false;
	if (v == GITIGNORE_IGNORE)		/* -g x */
		return true;
	if (g->overrides && !dir &&
	    gitignore_count(g->overrides) > gitignore_count_keep(g->overrides))
		return false;
	v = ignore_verdict(w, dir);
	v = v ? v : named_verdict(w, dir);
	if (v == GITIGNORE_IGNORE)
		return false;
	kept = v == GITIGNORE_KEEP;
	if (!dir && (g->has_type_selection || g->has_type_negation)) {
		if (!rg_type_wants(g, name, strlen(name)))
			return false;
		kept |= g->has_type_selection;
	}
	return kept || g->hidden || name[0] != '.';
}

/* ---- Levels ---- */

/* Walks of one thread say more. */
static void say_missing(struct rg *g, const char *path, int err)
{
	if (g->sort || g->threads == 1)
		rg_say(g, "%s: IO error for operation on %s: %s", path, path, rg_os_error(g, err));
	else
		rg_say(g, "%s: %s", path, rg_os_error(g, err));
}

static void walk_error(struct walk *w, int err)
{
	w->g->trouble = true;
	if (!w->g->no_messages)
		say_missing(w->g, w->path.p, err);
}

static int entry_cmp(const struct rg *g, const struct entry *a, const struct entry *b)
{
	int r = 0;

	if (g->sort > RG_SORT_PATH) {
		r = a->time.sec != b->time.sec ? (a->time.sec < b->time.sec ? -1 : 1) :
		    (a->time.nsec > b->time.nsec) - (a->time.nsec < b->time.nsec);
		if (!r)
			return strcmp(a->name, b->name);
	} else {
		r = strcmp(a->name, b->name);
	}
	return g->reverse && g->sort ? -r : r;
}

/* Bottom up, halves merged: no recursion. */
static void sort_entries(struct rg *g, struct entry *at, size_t n)
{
	struct entry *to = tsb_alloc(g->p, (n + 1) * sizeof(*to)), *t;
	struct entry *from = at;

	for (size_t width = 1; width < n; width *= 2) {
		for (size_t i = 0; i < n; i += 2 * width) {
			size_t mid = i + width < n ? i + width : n;
			size_t end = i + 2 * width < n ? i + 2 * width : n, a = i, b = mid;

			for (size_t k = i; k < end; k++)
				to[k] = b == end || (a < mid && entry_cmp(g, &from[a], &from[b]) <= 0) ?
					from[a++] : from[b++];
		}
		t = from;
		from = to;
		to = t;
		tsb_tick(g->p, n);
	}
	if (from != at)
		memcpy(at, from, n * sizeof(*at));
	tsb_free(g->p, from != at ? from : to);
}

static int read_entries(struct walk *w, struct level *l)
{
	struct rg *g = w->g;
	const struct tsb_dirent *d;
	struct tsb_dir *dir;
	size_t cap = 0;
	int err = tsb_opendir(g->p, w->path.n ? w->path.p : ".", &dir);

	if (err < 0)
		return err;
	while ((d = tsb_readdir(dir))) {
		if (l->n == cap) {
			cap = cap ? 2 * cap : 32;
			l->at = tsb_realloc(g->p, l->at, cap * sizeof(*l->at));
		}
		l->at[l->n++] = (struct entry){ .name = tsb_strndup(g->p, d->name, d->name_len),
						.mode = d->mode };
	}
	err = tsb_dir_error(dir);
	tsb_closedir(dir);
	return err;
}

static void set_name(struct walk *w, const char *name)
{
	str_cut(&w->path, w->top->path_n);
	str_cut(&w->abs, w->top->abs_n);
	if (w->path.n && w->path.p[w->path.n - 1] != '/')
		str_addc(&w->path, '/');
	str_adds(&w->path, name);
	if (w->abs.p[w->abs.n - 1] != '/')
		str_addc(&w->abs, '/');
	str_adds(&w->abs, name);
	if (w->doubled.n) {
		str_cut(&w->doubled, w->doubled_n);
		str_adds(&w->doubled, w->path.p);
	}
}

static void look_at_times(struct walk *w, struct level *l)
{
	int sort = w->g->sort;

	if (sort <= RG_SORT_PATH)
		return;
	for (size_t i = 0; i < l->n; i++) {
		struct tsb_stat st = { 0 };

		set_name(w, l->at[i].name);
		tsb_lstat(w->g->p, w->path.p, &st);
		l->at[i].time = sort == RG_SORT_MODIFIED ? st.mtime : sort == RG_SORT_ACCESSED ?
				st.atime : st.btime;
	}
	str_cut(&w->path, l->path_n);
	str_cut(&w->abs, l->abs_n);
}

static void enter(struct walk *w, size_t depth)
{
	struct level *l = tsb_alloc(w->g->p, sizeof(*l));
	struct tsb_stat st = { 0 };
	int err;

	l->depth = depth;
	l->walked = true;
	l->path_n = w->path.n;
	l->abs_n = w->abs.n;
	l->base = w->abs.n + (w->abs.p[w->abs.n - 1] != '/');
	tsb_stat(w->g->p, w->path.p, &st);
	l->dev = st.dev;
	l->ino = st.ino;
	err = read_entries(w, l);
	if (err < 0) {
		walk_error(w, err);
		return;
	}
	l->up = w->top;
	w->top = l;
	read_level(w->g, l, tsb_format(w->g->p, "%s%s", w->path.p, w->path.n &&
				       w->path.p[w->path.n - 1] != '/' ? "/" : ""));
	look_at_times(w, l);
	sort_entries(w->g, l->at, l->n);
}

static void leave(struct walk *w)
{
	struct level *l = w->top;

	w->top = l->up;
	for (size_t i = 0; i < l->n; i++)
		tsb_free(w->g->p, (char *)(uintptr_t)l->at[i].name);
	tsb_free(w->g->p, l->at);
	gitignore_free(l->git);
	gitignore_free(l->dot);
	gitignore_free(l->rg);
	gitignore_free(l->exclude);
	tsb_free(w->g->p, l);
}

static bool is_loop(struct walk *w, const struct tsb_stat *st)
{
	for (struct level *l = w->top; l && l->walked; l = l->up)
		if (l->dev == st->dev && l->ino == st->ino) {
			w->g->trouble = true;
			if (!w->g->no_messages)
				rg_say(w->g, "File system loop found: %s points to an ancestor %.*s",
				       w->path.p, (int)l->path_n, w->path.p);
			return true;
		}
	return false;
}

/* The entry whose path stands in w. */
static void visit(struct walk *w, const struct entry *e, size_t depth)
{
	struct rg *g = w->g;
	struct tsb_stat st = { .mode = e->mode };
	bool link = S_ISLNK(e->mode);
	int err = 0;

	if ((link && !g->follow) || (!link && !S_ISDIR(e->mode) && !S_ISREG(e->mode) && e->mode))
		return;
	if (!e->mode || link || g->has_max_filesize || g->one_fs || g->follow)
		err = g->follow ? tsb_stat(g->p, w->path.p, &st) : tsb_lstat(g->p, w->path.p, &st);
	if (err < 0) {
		walk_error(w, err);
		return;
	}
	if (!wanted(w, e->name, S_ISDIR(st.mode)))
		return;
	if (S_ISDIR(st.mode)) {
		if ((g->follow && link && is_loop(w, &st)) || (g->one_fs && st.dev != w->dev) ||
		    (g->has_max_depth && depth >= g->max_depth) || depth >= DEPTH_MAX)
			return;
		enter(w, depth);
	} else if (S_ISREG(st.mode) && !(g->has_max_filesize && st.size > g->max_filesize)) {
		w->found(g, w->path.p + w->strip, false);
	}
}

/* Ignore files of the directories above the root. */
static void add_parents(struct walk *w)
{
	for (size_t i = 0; i < w->abs.n && !w->g->no_ignore; i++) {
		struct level *l;

		if (w->abs.p[i] != '/' || w->abs.n == 1)
			continue;
		l = tsb_alloc(w->g->p, sizeof(*l));
		l->base = i + 1;
		w->g->bad_rules = false;
		read_level(w->g, l, tsb_strndup(w->g->p, w->abs.p, i + 1));
		w->g->trouble |= w->g->bad_rules;
		l->up = w->top;
		w->top = l;
	}
}

static void walk_root(struct rg *g, const char *root, const struct tsb_stat *st,
		      void (*found)(struct rg *g, const char *path, bool explicit))
{
	struct walk w = { .g = g, .found = found, .dev = st->dev };
	char *abs;

	str_init(&w.path, g->heap, STR_MAX_DEFAULT);
	str_init(&w.abs, g->heap, STR_MAX_DEFAULT);
	str_adds(&w.path, root);
	if (tsb_realpath(g->p, root, TSB_REAL_ANY_MAY_MISS, &abs) < 0)
		abs = tsb_strdup(g->p, root);
	str_adds(&w.abs, abs);
	w.strip = g->default_path ? 2 : 0;
	str_init(&w.doubled, g->heap, STR_MAX_DEFAULT);
	if (root[0] != '/' && strcmp(root, ".") && strcmp(root, "./")) {
		str_addf(&w.doubled, "%s/", abs);
		w.doubled_n = w.doubled.n;
	}
	add_parents(&w);
	if (g->has_max_depth && !g->max_depth)
		return;
	enter(&w, 0);
	while (w.top && w.top->walked && !g->stop) {
		struct level *l = w.top;

		if (l->i == l->n) {
			leave(&w);
			continue;
		}
		set_name(&w, l->at[l->i].name);
		tsb_tick(g->p, 16);
		visit(&w, &l->at[l->i++], l->depth + 1);
	}
	str_end(&w.path);
	str_end(&w.abs);
	str_end(&w.doubled);
}

/* ---- What holds for all roots ---- */

static void read_named(struct rg *g)
{
	for (size_t i = 0; i < g->ignore_files.n && !g->no_ignore_files && !g->no_ignore; i++) {
		int err;
		struct gitignore *rules = read_rules(g, g->ignore_files.at[i], &err);

		if (rules)
			*vec_add(g->heap, &g->named_rules) = rules;
		else if (!g->no_messages && !g->no_ignore_messages)
			rg_say(g, "%s: %s", g->ignore_files.at[i], rg_os_error(g, err));
	}
}

void rg_walk(struct rg *g, int argc, char **argv, void (*found)(struct rg *g, const char *path,
								  bool explicit))
{
	read_named(g);
	for (int i = 0; i < argc && !g->stop; i++) {
		struct tsb_stat st;
		int err;

		if (input_is_stdin(argv[i])) {
			found(g, "-", true);
			continue;
		}
		err = tsb_stat(g->p, argv[i], &st);
		if (err < 0) {
			g->trouble = true;
			if (!g->no_messages)
				say_missing(g, argv[i], err);
		} else if (S_ISDIR(st.mode)) {
			walk_root(g, argv[i], &st, found);
		} else {
			found(g, argv[i], true);
		}
	}
}
