/*
 * File types: names for sets of patterns. The table knows the common ones;
 * --type-add and --type-clear change it.
 */
#include "cmd/rg/rg.h"

#include "base/heap.h"

static const struct { const char *name, *globs; } table[] = {
#include "cmd/rg/types.def"
};

static struct rg_type *find_type(struct rg *g, const char *name, size_t n)
{
	for (size_t i = 0; i < g->types.n; i++)
		if (strlen(g->types.at[i].name) == n && !memcmp(g->types.at[i].name, name, n))
			return &g->types.at[i];
	return NULL;
}

static struct rg_type *make_type(struct rg *g, const char *name, size_t n)
{
	struct rg_type *t = find_type(g, name, n);

	if (!t) {
		t = vec_add(g->heap, &g->types);
		t->name = tsb_strndup(g->p, name, n);
	}
	return t;
}

static void read_table(struct rg *g)
{
	for (size_t i = 0; i < sizeof(table) / sizeof(*table); i++) {
		struct rg_type *t = make_type(g, table[i].name, strlen(table[i].name));

		for (const char *s = table[i].globs, *end; *s; s = *end ? end + 1 : end) {
			end = strchrnul(s, ' ');
			*vec_add(g->heap, &t->globs) = tsb_strndup(g->p, s, (size_t)(end - s));
		}
	}
}

static bool good_name(const char *s, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (!((s[i] >= 'a' && s[i] <= 'z') || (s[i] >= 'A' && s[i] <= 'Z') ||
		      (s[i] >= '0' && s[i] <= '9')) && (unsigned char)s[i] < 0x80)
			return false;
	return n > 0;
}

static const char *type_add(struct rg *g, const char *spec)
{
	static const char bad[] = "invalid definition (format is type:glob, e.g., html:*.html)";
	const char *colon = strchr(spec, ':');
	size_t n = colon ? (size_t)(colon - spec) : 0;
	struct rg_type *t;

	if (!colon || !good_name(spec, n) || !colon[1] || (n == 3 && !memcmp(spec, "all", 3)))
		return bad;
	if (!strncmp(colon, ":include:", 9)) {
		for (const char *s = colon + 9, *end; *s; s = *end ? end + 1 : end) {
			struct rg_type *from;

			end = strchrnul(s, ',');
			from = find_type(g, s, (size_t)(end - s));
			if (!from)
				return bad;
			t = make_type(g, spec, n);
			from = find_type(g, s, (size_t)(end - s));
			for (size_t i = 0; i < from->globs.n; i++) {
				const char *glob = from->globs.at[i];

				*vec_add(g->heap, &t->globs) = glob;
			}
		}
		return NULL;
	}
	t = make_type(g, spec, n);
	*vec_add(g->heap, &t->globs) = colon + 1;
	return NULL;
}

static void type_clear(struct rg *g, const char *name)
{
	struct rg_type *t = find_type(g, name, strlen(name));

	if (t) {
		memmove(t, t + 1, (size_t)(g->types.at + g->types.n - t - 1) * sizeof(*t));
		g->types.n--;
	}
}

const char *rg_types_init(struct rg *g)
{
	/* The long table is read only where somebody asks for types. */
	if (!g->selections.n && !g->type_clears.n && !g->type_adds.n && !g->type_list)
		return NULL;
	read_table(g);
	for (size_t i = 0; i < g->type_clears.n; i++)
		type_clear(g, g->type_clears.at[i]);
	for (size_t i = 0; i < g->type_adds.n; i++) {
		const char *error = type_add(g, g->type_adds.at[i]);

		if (error)
			return error;
	}
	return NULL;
}

/* Few enough for the simplest of sorts. */
static void sort_words(const char **at, size_t n)
{
	for (size_t i = 1; i < n; i++)
		for (size_t k = i; k && strcmp(at[k - 1], at[k]) > 0; k--) {
			const char *t = at[k];

			at[k] = at[k - 1];
			at[k - 1] = t;
		}
}

void rg_types_print(struct rg *g)
{
	const char **names = tsb_alloc(g->p, (g->types.n + 1) * sizeof(*names));

	for (size_t i = 0; i < g->types.n; i++)
		names[i] = g->types.at[i].name;
	sort_words(names, g->types.n);
	for (size_t i = 0; i < g->types.n; i++) {
		struct rg_type *t = find_type(g, names[i], strlen(names[i]));

		sort_words(t->globs.at, t->globs.n);
		rg_puts(g, t->name);
		rg_puts(g, ": ");
		for (size_t k = 0; k < t->globs.n; k++) {
			rg_puts(g, k ? ", " : "");
			rg_puts(g, t->globs.at[k]);
		}
		rg_puts(g, "\n");
	}
}

static void select_type(struct rg *g, const struct rg_type *t, bool negated)
{
	struct gitignore *to = negated ? g->type_not_rules : g->type_rules;

	for (size_t i = 0; i < t->globs.n; i++)
		gitignore_add(to, t->globs.at[i], strlen(t->globs.at[i]));
}

const char *rg_types_select(struct rg *g)
{
	g->type_rules = gitignore_new(g->heap, GITIGNORE_BRACES);
	g->type_not_rules = gitignore_new(g->heap, GITIGNORE_BRACES);
	for (size_t i = 0; i < g->selections.n; i++) {
		const char *name = g->selections.at[i].name;
		bool negated = g->selections.at[i].negated;
		bool all = !strcmp(name, "all");
		struct rg_type *t = find_type(g, name, strlen(name));

		if (!all && !t)
			return name;
		*(negated ? &g->has_type_negation : &g->has_type_selection) = true;
		for (size_t k = 0; all && k < g->types.n; k++)
			select_type(g, &g->types.at[k], negated);
		if (!all)
			select_type(g, t, negated);
	}
	return NULL;
}

bool rg_type_wants(struct rg *g, const char *path, size_t n)
{
	if (g->has_type_negation &&
	    gitignore_match(g->type_not_rules, path, n, false) != GITIGNORE_NONE)
		return false;
	return !g->has_type_selection ||
	       gitignore_match(g->type_rules, path, n, false) != GITIGNORE_NONE;
}
