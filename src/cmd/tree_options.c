/*
 * tree's arguments: letters in clusters, whose values are whole words, and long
 * names whose values come with "=" or as the next word.
 */
#include "cmd/tree.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>

#include "base/num.h"
#include "cmd/util.h"

static const char tree_usage_text[] =
	"usage: tree [-acdfghilnpqrstuvxACDFJQNSUX] [-L level [-R]] [-H  baseHREF]\n"
	"\t[-T title] [-o filename] [-P pattern] [-I pattern] [--gitignore]\n"
	"\t[--gitfile[=]file] [--matchdirs] [--metafirst] [--ignore-case]\n"
	"\t[--nolinks] [--hintro[=]file] [--houtro[=]file] [--inodes] [--device]\n"
	"\t[--sort[=]<name>] [--dirsfirst] [--filesfirst] [--filelimit #] [--si]\n"
	"\t[--du] [--prune] [--charset[=]X] [--timefmt[=]format] [--fromfile]\n"
	"\t[--fflinks] [--info] [--infofile[=]file] [--noreport] [--version]\n"
	"\t[--help] [--] [directory ...]\n";

int tree_complain(struct tree *t, const char *before, const char *what, const char *after,
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
	case 'R': return &t->rerun;
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

/* -H: a slash at its end is not shown. */
static int tree_html_base(struct tree_args *a, const char *text)
{
	size_t n = text ? strlen(text) : 0;

	if (!text)
		return 1;
	if (n > 1 && text[n - 1] == '/')
		n--;
	a->t->html_base = tsb_strndup(a->t->p, text, n);
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
	case 'H':
		t->data = c;
		return tree_html_base(a, tree_argument(a, c));
	case 'T':
		t->title = tree_argument(a, c);
		return t->title ? 0 : 1;
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
		{ "info", &t->info }, { "nolinks", &t->no_links }, { "fflinks", &t->file_links },
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

/* A value, "--name=VALUE" or "--name VALUE": false: it is another option. */
static bool tree_long_value(struct tree_args *a, const char *arg, const char *name,
			    const char **value)
{
	size_t n = strlen(name);

	*value = NULL;
	if (strncmp(arg, name, n) || (arg[n] && arg[n] != '='))
		return false;
	if (arg[n] == '=' && arg[n + 1])
		*value = arg + n + 1;
	else if (!arg[n] && a->next < a->argc)
		*value = a->argv[a->next++];
	else
		tree_complain(a->t, "Missing argument to --", arg, "", false);
	return true;
}

/* A file of patterns, which must be there. */
static int tree_pattern_file(struct tree *t, struct tree_texts *list, const char *path,
			     const char *what)
{
	int fd = tsb_open(t->p, path, O_RDONLY, 0);

	if (fd < 0)
		return tree_complain(t, "Could not load ", what, "", false);
	tsb_close(t->p, fd);
	return tree_add_text(t, list, path);
}

/* Those that take a value: 0 or 1, -1 when it is none of them. */
static int tree_long_with(struct tree_args *a, const char *arg)
{
	struct tree *t = a->t;
	const char *value;
	const struct { const char *name; const char **to; } texts[] = {
		{ "charset", &t->charset }, { "timefmt", &t->time_format },
		{ "hintro", &t->html_intro }, { "houtro", &t->html_outro },
	};

	for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++) {
		if (!tree_long_value(a, arg, texts[i].name, &value))
			continue;
		*texts[i].to = value;
		t->date |= texts[i].to == &t->time_format;
		return value ? 0 : 1;
	}
	if (tree_long_value(a, arg, "sort", &value))
		return value ? tree_sort_option(t, value) : 1;
	if (tree_long_value(a, arg, "gitfile", &value)) {
		t->gitignore = true;
		return value ? tree_pattern_file(t, &t->git_files, value, "gitignore file") : 1;
	}
	if (tree_long_value(a, arg, "infofile", &value)) {
		t->info = true;
		return value ? tree_pattern_file(t, &t->info_files, value, "infofile") : 1;
	}
	if (tree_long_value(a, arg, "filelimit", &value)) {
		t->file_limit = value ? strtoull(value, NULL, 10) : 0;
		return value ? 0 : 1;
	}
	return -1;
}

static int tree_long(struct tree_args *a, const char *arg)
{
	struct tree *t = a->t;
	int status;

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
	status = tree_long_with(a, arg);
	if (status >= 0)
		return status;
	return tree_complain(t, "Invalid argument `--", arg, "'.", true);
}

/* Operands are moved to the front of argv: how many. */
int tree_parse(struct tree_args *a, int *n_operands)
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
