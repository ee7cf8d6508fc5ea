/*
 * alias and unalias. The parser asks for the values (text.c).
 */
#include "shell/builtin/builtin.h"

#include <stdlib.h>
#include <string.h>

#include "shell/words.h"

static void print_alias(struct shell *sh, const char *name, const char *value)
{
	if (!sh->opts[OPT_POSIX])
		puts_(sh, *name == '-' ? "alias -- " : "alias ");
	putf(sh, "%s=", name);
	quote_single(&doing(sh)->out, value, strlen(value));
	puts_(sh, "\n");
}

static int by_key(const void *a, const void *b)
{
	const struct map_entry *x = *(struct map_entry *const *)a,
			       *y = *(struct map_entry *const *)b;

	return strcmp(x->key, y->key);
}

/* Entries of a map sorted by key, NULL-terminated, in sh->turn. */
static struct map_entry **sorted(struct shell *sh, const struct map *m)
{
	struct map_entry **out = arena_array(&sh->turn, m->n + 1, sizeof(*out));
	size_t n = 0;

	for (struct map_entry *e = NULL; (e = map_next(m, e));)
		out[n++] = e;
	out[n] = NULL;
	qsort(out, n, sizeof(*out), by_key);
	return out;
}

static void print_all(struct shell *sh)
{
	struct map_entry **all = sorted(sh, &sh->aliases);

	for (; *all; all++)
		print_alias(sh, (*all)->key, (*all)->value);
}

static bool alias_name_valid(const char *s, size_t n)
{
	if (!n)
		return false;
	for (size_t i = 0; i < n; i++)
		if (strchr("/$`='\"\\ \t\n|&;()<>", s[i]))
			return false;
	return true;
}

static int alias_one(struct shell *sh, const char *arg)
{
	const char *equals = strchr(arg, '=');
	size_t n = equals ? (size_t)(equals - arg) : strlen(arg);
	struct map_entry *e;

	if (equals && equals != arg) {
		if (!alias_name_valid(arg, n)) {
			builtin_error(sh, "`%.*s': invalid alias name", (int)n, arg);
			return 1;
		}
		e = map_put(&sh->aliases, arg, n);
		heap_free(sh->heap, e->value);
		e->value = heap_strdup(sh->heap, equals + 1);
		return 0;
	}
	e = map_find(&sh->aliases, arg, n);
	if (!e) {
		builtin_error(sh, "%s: not found", arg);
		return 1;
	}
	print_alias(sh, e->key, e->value);
	return 0;
}

int builtin_alias(struct shell *sh, int argc, char **argv, enum flow *flow)
{
	bool print = false;
	struct bopt o;
	int status = 0;

	(void)flow;
	bopt_init(&o, sh, argc, argv);
	for (int c; (c = bopt_next(&o, "p"));) {
		if (c < 0)
			return STATUS_USAGE;
		print = true;
	}
	if (print && !sh->aliases.n)	/* bash looks no further */
		return 0;
	if (o.at >= argc || print)
		print_all(sh);
	for (int i = o.at; i < argc; i++)
		if (alias_one(sh, argv[i]))
			status = 1;
	return status;
}

static void remove_alias(struct shell *sh, const char *name, size_t n)
{
	struct map_entry *e = map_find(&sh->aliases, name, n);

	if (!e)
		return;
	heap_free(sh->heap, e->value);
	map_remove(&sh->aliases, name, n);
}

int builtin_unalias(struct shell *sh, int argc, char **argv, enum flow *flow)
{
	bool all = false;
	struct bopt o;
	int status = 0;

	(void)flow;
	bopt_init(&o, sh, argc, argv);
	for (int c; (c = bopt_next(&o, "a"));) {
		if (c < 0)
			return STATUS_USAGE;
		all = true;
	}
	if (all) {
		map_end(&sh->aliases);
		map_init(&sh->aliases, sh->heap);
		return 0;
	}
	if (o.at >= argc)
		return builtin_usage(sh);
	for (int i = o.at; i < argc; i++) {
		if (!map_find(&sh->aliases, argv[i], strlen(argv[i]))) {
			builtin_error(sh, "%s: not found", argv[i]);
			status = 1;
		}
		remove_alias(sh, argv[i], strlen(argv[i]));
	}
	return status;
}
