/*
 * Which file a command name means: PATH, and the hash table that remembers.
 */
#include "shell/doing.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>

#define STANDARD_PATH "/bin:/usr/bin"	/* what command -p searches */

bool builtin_enabled(const struct shell *sh, const struct builtin *b)
{
	size_t i = builtin_index(b);

	return !(doing(sh)->disabled[i / 64] >> (i % 64) & 1);
}

const struct builtin *builtin_active(struct shell *sh, const char *name, size_t n)
{
	const struct builtin *b = builtin_find(name, n);

	return b && builtin_enabled(sh, b) ? b : NULL;
}

/* ---- The hash table ---- */

void hash_put(struct shell *sh, const char *name, const char *path)
{
	struct map_entry *e = map_put(&sh->hashed, name, strlen(name));
	struct map_entry *hits;

	if (!e)
		return;
	heap_free(sh->heap, e->value);
	e->value = heap_strdup(sh->heap, path);
	hits = map_put(&doing(sh)->hash_hits, name, strlen(name));
	if (hits)
		hits->value = NULL;
}

void hash_forget(struct shell *sh)
{
	for (struct map_entry *e = NULL; (e = map_next(&sh->hashed, e));)
		heap_free(sh->heap, e->value);
	map_end(&sh->hashed);
	map_init(&sh->hashed, sh->heap);
}

void hash_hit(struct shell *sh, const char *name, size_t n)
{
	struct map_entry *e = map_find(&doing(sh)->hash_hits, name, n);

	if (e)
		e->value = (void *)((uintptr_t)e->value + 1);
}

/* ---- PATH ---- */

static struct slice path_value(struct shell *sh, unsigned flags)
{
	struct slice v = SLICE("");

	if (flags & RUN_STANDARD_PATH)
		return SLICE(STANDARD_PATH);
	var_get_text(sh, "PATH", &v);
	return v;
}

/* The n-th directory of the list as a path to name; false behind the last. */
static bool path_candidate(const char **at, const char *end, const char *name, struct str *out)
{
	const char *colon;

	if (!*at)
		return false;
	colon = memchr(*at, ':', (size_t)(end - *at));
	str_reset(out);
	if (colon == *at || *at == end)
		str_adds(out, ".");
	else
		str_addn(out, *at, (size_t)((colon ? colon : end) - *at));
	*at = colon ? colon + 1 : NULL;
	if (out->p[out->n - 1] != '/')
		str_addc(out, '/');
	str_adds(out, name);
	return true;
}

static bool is_program(struct shell *sh, const char *path, bool *exists,
		       const struct tsb_command **command)
{
	int r = proc_executable(sh->p, path, command);
	struct tsb_stat st;

	*exists = !r || (r == -EACCES && !tsb_stat(sh->p, path, &st) && !S_ISDIR(st.mode));
	return !r;
}

static const char *search_path(struct shell *sh, const char *name, struct slice path,
			       const struct tsb_command **command)
{
	const char *at = path.p, *end = path.p + path.n;
	const char *found = NULL, *weak = NULL;
	struct str candidate;

	*command = NULL;
	if (!path.n)
		return name;	/* no PATH: the name itself */
	str_init(&candidate, sh->heap, STR_MAX_DEFAULT);
	while (!found && path_candidate(&at, end, name, &candidate)) {
		bool exists = false;

		if (is_program(sh, candidate.p, &exists, command))
			found = arena_dup(&sh->turn, candidate.p, candidate.n);
		else if (exists && !weak)
			weak = arena_dup(&sh->turn, candidate.p, candidate.n);
	}
	str_end(&candidate);
	return found ? found : weak;
}

const char *command_find_path(struct shell *sh, const char *name, unsigned flags)
{
	const struct tsb_command *command;
	const char *path = search_path(sh, name, path_value(sh, flags), &command);
	bool exists;

	return path == name && !is_program(sh, path, &exists, &command) ? NULL : path;
}

const char *command_path(struct shell *sh, const char *name, unsigned flags)
{
	struct program found;

	return command_program(sh, name, flags, &found);
}

const char *command_program(struct shell *sh, const char *name, unsigned flags,
			    struct program *found)
{
	size_t n = strlen(name);
	struct map_entry *e;
	const char *path;

	*found = (struct program){ .kind = PROGRAM_COMMAND };
	if (!(flags & RUN_STANDARD_PATH) && sh->hashed.n && (e = map_find(&sh->hashed, name, n))) {
		if (!sh->opts[SHOPT_CHECKHASH] || !tsb_access(sh->p, e->value, TSB_X_OK)) {
			if (!(flags & RUN_UNHASHED))
				hash_hit(sh, name, n);
			return e->value;
		}
		map_remove(&sh->hashed, name, n);
	}
	path = search_path(sh, name, path_value(sh, flags), &found->command);
	found->path = path;
	if (path && !(flags & RUN_UNHASHED) && sh->opts[OPT_HASHALL]) {
		hash_put(sh, name, path);
		hash_hit(sh, name, n);
	}
	return path;
}

void command_paths(struct shell *sh, const char *name, const char *path, struct fields *out)
{
	const struct tsb_command *command;
	struct slice list = path_value(sh, 0);
	const char *at, *end;
	struct str candidate;

	if (path)
		list = (struct slice){ path, strlen(path) };
	at = list.p;
	end = list.p + list.n;
	str_init(&candidate, sh->heap, STR_MAX_DEFAULT);
	while (path_candidate(&at, end, name, &candidate)) {
		bool exists = false;
		char **grown;

		if (!is_program(sh, candidate.p, &exists, &command))
			continue;
		grown = arena_array(&sh->turn, out->n + 2, sizeof(*grown));
		if (out->n)
			memcpy(grown, out->at, out->n * sizeof(*grown));
		grown[out->n++] = arena_dup(&sh->turn, candidate.p, candidate.n);
		grown[out->n] = NULL;
		out->at = grown;
	}
	str_end(&candidate);
}
