/*
 * Documentation out of the option tables (built with the rest, never installed):
 *
 *	make-docs markdown LIST     docs/commands.md; LIST: the real tools' options
 *	make-docs man DIR           a manual page for each command, DIR/tinysandbox-NAME.1,
 *	                            and of tinybox, DIR/tinybox-NAME.1
 *	make-docs names             the commands
 *
 * Commands that lack an option of the real tool, or are not in the list, are named on
 * standard error; each such option has a row of its own. Status 1 then.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/heap.h"
#include "base/opt.h"
#include "base/vec.h"
#include "cli/box/box.h"
#include "cli/cli.h"
#include "cmd/cmd.h"

static struct tsb_heap *heap;

static void need(bool ok, const char *what)
{
	if (ok)
		return;
	perror(what);
	exit(2);
}

/* ---- The list: lines of NAME OPTION, by name; "NAME -" alone: no --help ---- */

struct list {
	VEC(char *) names, options;
};

static void list_read(struct list *list, const char *file)
{
	char *line = NULL;
	size_t cap = 0;
	ssize_t n;
	FILE *f = fopen(file, "r");

	need(f, file);
	while ((n = getline(&line, &cap, f)) > 0) {
		char *space = strchr(line, ' ');

		if (*line == '#' || !space)
			continue;
		line[strcspn(line, "\n")] = '\0';
		*vec_add(heap, &list->options) = heap_strdup(heap, space + 1);
		*space = '\0';
		*vec_add(heap, &list->names) = heap_strdup(heap, line);
	}
	fclose(f);
	free(line);
}

/* The options of that command; NULL: it is not in the list. */
static const char *const *list_of(const struct list *list, const char *name)
{
	const char **found = heap_array(heap, list->names.n + 1, sizeof(*found));
	bool known = false;
	size_t n = 0;

	for (size_t i = 0; i < list->names.n; i++) {
		if (strcmp(list->names.at[i], name))
			continue;
		known = true;
		if (strcmp(list->options.at[i], "-"))
			found[n++] = list->options.at[i];
	}
	found[n] = NULL;
	return known ? found : NULL;
}

/* ---- What is asked for ---- */

static int markdown(const char *file)
{
	struct list list = { { 0 }, { 0 } };
	size_t missing = 0;
	struct str out;

	list_read(&list, file);
	str_init(&out, heap, STR_MAX_DEFAULT);
	str_adds(&out, "<!-- Made by `make docs` out of the option tables in src/cmd. Do not edit. -->\n"
		 "# The commands\n\n"
		 "Every option below works, unless its row says what it does instead. The third column says\n"
		 "whether the real tool's own `--help` names it (`docs/options.list`, made by\n"
		 "`tools/real-options` from the real tools; empty: none of it is installed).\n\n");
	for (size_t i = 0; cmd_table[i]; i++) {
		const char *const *real = list_of(&list, cmd_table[i]->name);
		size_t n = opt_markdown(&out, cmd_table[i], real);

		if (!real)
			fprintf(stderr, "%s is not in %s: run `make docs`\n", cmd_table[i]->name, file);
		if (n)
			fprintf(stderr, "%s lacks %zu of the real options\n", cmd_table[i]->name, n);
		missing += n + !real;
	}
	need(!out.bad && fwrite(out.p, 1, out.n - 1, stdout) == out.n - 1 && !fflush(stdout), "output");
	return missing != 0;
}

static void page(const char *dir, const struct tsb_command *cmd, const char *before, const char *more)
{
	struct str title, path, out;
	FILE *f;

	str_init(&title, heap, STR_MAX_DEFAULT);
	str_init(&path, heap, STR_MAX_DEFAULT);
	str_init(&out, heap, STR_MAX_DEFAULT);
	str_addf(&title, "%s%s", before, cmd->name);
	str_addf(&path, "%s/%s.1", dir, title.p);
	opt_manual(&out, cmd, title.p);
	str_adds(&out, more);
	f = fopen(path.p, "w");
	need(f && fwrite(out.p, 1, out.n, f) == out.n && !fclose(f), path.p);
}

static int manual(const char *dir)
{
	page(dir, &cli_tool, "", cli_manual);
	for (size_t i = 0; cmd_table[i]; i++)
		page(dir, cmd_table[i], "tinysandbox-", "");
	page(dir, &boxc_tool, "", boxc_manual);
	for (const struct boxc_verb *v = boxc_verbs; v->cmd.name; v++)
		page(dir, &v->cmd, "tinybox-", "");
	return 0;
}

/* The tables of tinybox name what runs its commands; here nothing does. */
#define VERB_STUB(name) int name(struct boxc *c) { (void)c; return 0; }
#define VERBS(X) X(boxc_create) X(boxc_run) X(boxc_exec) X(boxc_shell) X(boxc_attach) X(boxc_logs) \
	X(boxc_spawn) X(boxc_ls) X(boxc_inspect) X(boxc_ps) X(boxc_rm) X(boxc_kill) X(boxc_wait) \
	X(boxc_stop) X(boxc_start) X(boxc_pause) X(boxc_resume) X(boxc_reap) X(boxc_doctor) \
	X(boxc_events) X(boxc_cp) X(boxc_completion) X(boxc_forward) X(boxc_sync) X(boxc_ttl) X(boxc_audit) \
	X(boxc_snapshot) X(boxc_fork) X(boxc_template)
VERBS(VERB_STUB)

int main(int argc, char **argv)
{
	heap = heap_new(NULL, NULL, NULL, NULL);
	need(heap, "memory");
	if (argc == 3 && !strcmp(argv[1], "markdown"))
		return markdown(argv[2]);
	if (argc == 3 && !strcmp(argv[1], "man"))
		return manual(argv[2]);
	if (argc != 2 || strcmp(argv[1], "names"))
		return 2;
	for (size_t i = 0; cmd_table[i]; i++)
		puts(cmd_table[i]->name);
	return 0;
}
