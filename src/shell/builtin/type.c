/*
 * type, command -v and -V, hash: what a name means.
 */
#include "shell/builtin/builtin.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>

#include "base/merge.h"
#include "shell/words.h"

enum what { IS_ALIAS, IS_KEYWORD, IS_FUNCTION, IS_BUILTIN, IS_FILE };

static const char *const words[] = { "alias", "keyword", "function", "builtin", "file" };

/* One meaning, in the form the flags ask for. text: value or path. */
static void tell(struct shell *sh, const char *name, enum what what, const char *text,
		 unsigned flags)
{
	if (flags & TYPE_WORD) {
		putf(sh, "%s\n", words[what]);
		return;
	}
	if (flags & TYPE_REUSABLE) {
		if (what == IS_ALIAS) {
			putf(sh, "alias %s=", name);
			quote_single(&doing(sh)->out, text, strlen(text));
			puts_(sh, "\n");
		} else {
			putf(sh, "%s\n", what == IS_FILE ? text : name);
		}
		return;
	}
	switch (what) {
	case IS_ALIAS:
		putf(sh, "%s is aliased to `%s'\n", name, text);
		break;
	case IS_KEYWORD:
		putf(sh, "%s is a shell keyword\n", name);
		break;
	case IS_FUNCTION:
		putf(sh, "%s is a function\n", name);
		function_print(sh, function_find(sh, name, strlen(name)), &doing(sh)->out);
		break;
	case IS_BUILTIN:
		putf(sh, sh->opts[OPT_POSIX] && (builtin_find(name, strlen(name))->flags &
						 BUILTIN_SPECIAL) ?
		     "%s is a special shell builtin\n" : "%s is a shell builtin\n", name);
		break;
	case IS_FILE:
		putf(sh, "%s is %s\n", name, text);
		break;
	}
}

static bool tell_files(struct shell *sh, const char *name, unsigned flags)
{
	bool terse = flags & (TYPE_PATH | TYPE_FORCE_PATH);
	struct map_entry *e = map_find(&sh->hashed, name, strlen(name));
	struct fields found = { 0 };
	const char *path;

	if (strchr(name, '/')) {
		struct program program;

		if (proc_find_program(sh->p, name, &program))
			return false;
		if (terse && !(flags & TYPE_WORD))
			putf(sh, "%s\n", name);
		else
			tell(sh, name, IS_FILE, name, flags);
		return true;
	}
	if (flags & TYPE_ALL) {
		command_paths(sh, name, NULL, &found);
		for (size_t i = 0; i < found.n; i++) {
			if (terse && !(flags & TYPE_WORD))
				putf(sh, "%s\n", found.at[i]);
			else
				tell(sh, name, IS_FILE, found.at[i], flags);
		}
		return found.n > 0;
	}
	if (e) {
		hash_hit(sh, name, strlen(name));
		if (terse && !(flags & TYPE_WORD))
			putf(sh, "%s\n", (char *)e->value);
		else if (flags & (TYPE_WORD | TYPE_REUSABLE))
			tell(sh, name, IS_FILE, e->value, flags);
		else
			putf(sh, "%s is hashed (%s)\n", name, (char *)e->value);
		return true;
	}
	path = command_find_path(sh, name, flags & TYPE_STANDARD ? RUN_STANDARD_PATH : 0);
	if (!path)
		return false;
	if (terse && !(flags & TYPE_WORD))
		putf(sh, "%s\n", path);
	else
		tell(sh, name, IS_FILE, path, flags);
	return true;
}

bool describe_command(struct shell *sh, const char *name, unsigned flags)
{
	size_t n = strlen(name);
	bool found = false, all = flags & TYPE_ALL;
	struct map_entry *alias = sh->opts[SHOPT_EXPAND_ALIASES] ?
				  map_find(&sh->aliases, name, n) : NULL;

	if (flags & TYPE_FORCE_PATH)
		return tell_files(sh, name, flags);
	if (alias) {
		if (!(flags & TYPE_PATH))
			tell(sh, name, IS_ALIAS, alias->value, flags);
		found = true;
	}
	if ((!found || all) && parse_is_reserved(name, n)) {
		if (!(flags & TYPE_PATH))
			tell(sh, name, IS_KEYWORD, NULL, flags);
		found = true;
	}
	if ((!found || all) && !(flags & TYPE_NO_FUNCTION) && function_find(sh, name, n)) {
		if (!(flags & TYPE_PATH))
			tell(sh, name, IS_FUNCTION, NULL, flags);
		found = true;
	}
	if ((!found || all) && builtin_active(sh, name, n)) {
		if (!(flags & TYPE_PATH))
			tell(sh, name, IS_BUILTIN, NULL, flags);
		found = true;
	}
	if (!found || all)
		found |= tell_files(sh, name, flags);
	return found;
}

/* Before -t -p -a there were -type -path -all, and their forms with two dashes. */
static void old_options(int argc, char **argv)
{
	for (int i = 1; i < argc && argv[i][0] == '-'; i++) {
		const char *word = argv[i] + 1 + (argv[i][1] == '-');

		if (!strcmp(word, "type"))
			argv[i] = "-t";
		else if (!strcmp(word, "path"))
			argv[i] = "-p";
		else if (!strcmp(word, "all"))
			argv[i] = "-a";
	}
}

int builtin_type(struct shell *sh, int argc, char **argv, enum flow *flow)
{
	unsigned flags = 0;
	struct bopt o;
	int status = 0;

	(void)flow;
	old_options(argc, argv);
	bopt_init(&o, sh, argc, argv);
	for (int c; (c = bopt_next(&o, "afptP"));) {
		if (c < 0)
			return STATUS_USAGE;
		flags |= c == 'a' ? TYPE_ALL : c == 'f' ? TYPE_NO_FUNCTION : c == 'p' ? TYPE_PATH :
			 c == 't' ? TYPE_WORD : TYPE_FORCE_PATH;
	}
	if (flags & TYPE_WORD)
		flags &= ~(unsigned)TYPE_PATH;
	for (int i = o.at; i < argc; i++) {
		if (describe_command(sh, argv[i], flags))
			continue;
		if (!(flags & (TYPE_WORD | TYPE_PATH | TYPE_FORCE_PATH)))
			builtin_error(sh, "%s: not found", argv[i]);
		status = 1;
	}
	return status;
}

/* ---- hash ---- */

static void hash_list(struct shell *sh, bool reusable)
{
	struct map_entry **all;

	if (!sh->hashed.n) {
		if (!reusable && !sh->opts[OPT_POSIX])
			puts_(sh, "hash: hash table empty\n");
		return;
	}
	if (!reusable)
		puts_(sh, "hits\tcommand\n");
	all = map_in_chains(sh, &sh->hashed, CHAINS_HASHED);
	for (size_t i = 0; i < sh->hashed.n; i++) {
		const struct map_entry *e = all[i];
		const struct map_entry *hits = map_find(&doing(sh)->hash_hits, e->key, e->len);

		if (reusable)
			putf(sh, "builtin hash -p %s %s\n", (char *)e->value, e->key);
		else
			putf(sh, "%4zu\t%s\n", hits ? (size_t)(uintptr_t)hits->value : 0,
			     (char *)e->value);
	}
}

static int hash_tell(struct shell *sh, const char *name, bool reusable, bool several)
{
	const struct map_entry *e = map_find(&sh->hashed, name, strlen(name));

	if (!e) {
		builtin_error(sh, "%s: not found", name);
		return 1;
	}
	hash_hit(sh, name, strlen(name));
	if (reusable)
		putf(sh, "builtin hash -p %s %s\n", (char *)e->value, name);
	else if (several)
		putf(sh, "%s\t%s\n", name, (char *)e->value);
	else
		putf(sh, "%s\n", (char *)e->value);
	return 0;
}

static int hash_add(struct shell *sh, const char *name)
{
	const char *path;

	if (strchr(name, '/'))
		return 0;
	map_remove(&sh->hashed, name, strlen(name));
	path = command_find_path(sh, name, 0);
	if (!path) {
		if (!builtin_find(name, strlen(name)) && !function_find(sh, name, strlen(name))) {
			builtin_error(sh, "%s: not found", name);
			return 1;
		}
		return 0;
	}
	hash_put(sh, name, path);
	return 0;
}

static int hash_path(struct shell *sh, const char *name, const char *path)
{
	struct tsb_stat st;

	if (restricted_path(sh, path) && builtin_restricted(sh, path))
		return 1;
	if (!tsb_stat(sh->p, path, &st) && S_ISDIR(st.mode)) {
		builtin_error(sh, "%s: %s", path, tsb_strerror(EISDIR));
		return 1;
	}
	hash_put(sh, name, path);
	return 0;
}

int builtin_hash(struct shell *sh, int argc, char **argv, enum flow *flow)
{
	bool forget = false, list = false, del = false, show = false;
	const char *path = NULL;
	struct bopt o;
	int status = 0;

	(void)flow;
	bopt_init(&o, sh, argc, argv);
	for (int c; (c = bopt_next(&o, "dlp:rt"));) {
		if (c < 0)
			return STATUS_USAGE;
		forget |= c == 'r';
		list |= c == 'l';
		del |= c == 'd';
		show |= c == 't';
		path = c == 'p' ? o.arg : path;
	}
	if (!sh->opts[OPT_HASHALL]) {
		builtin_error(sh, "hashing disabled");
		return 1;
	}
	if (forget)
		hash_forget(sh);
	if (o.at >= argc && (show || del)) {
		builtin_error(sh, "-%c: option requires an argument", del ? 'd' : 't');
		return 1;
	}
	if (o.at >= argc && !forget)
		hash_list(sh, list);
	for (int i = o.at; i < argc; i++) {
		int bad = 0;

		if (path)
			bad = hash_path(sh, argv[i], path);
		else if (show)
			bad = hash_tell(sh, argv[i], list, argc - o.at > 1);
		else if (del && !map_remove(&sh->hashed, argv[i], strlen(argv[i]))) {
			bad = doing(sh)->hash_hits.n > 0;	/* was there ever a table? */
			if (bad)
				builtin_error(sh, "%s: not found", argv[i]);
		} else if (!del)
			bad = hash_add(sh, argv[i]);
		if (bad)
			status = 1;
	}
	return status;
}
