/*
 * rename.ul - a text in the names of files, or in the targets of links, replaced by
 * another (util-linux's rename, as Debian calls it).
 */
#include <errno.h>
#include <string.h>
#include <sys/stat.h>

#include "base/str.h"
#include "cmd/cmd.h"
#include "cmd/linuxopt.h"
#include "cmd/util.h"

enum { RENAME_ALL_FAILED = 1, RENAME_SOME_FAILED = 2, RENAME_NOTHING = 4 };

struct rename_ul {
	bool verbose, symlink, no_act, all, last, no_overwrite, interactive;
	struct tsb_proc *p;
	const char *from, *to;
	bool whole;		/* the directories of the name count too */
	struct tsb_reader in;
	bool reading;
};

/* The first, or with -l the last place of `from` in s. */
static const char *rename_find(const struct rename_ul *r, const char *s)
{
	const char *found = strstr(s, r->from);

	for (const char *next = found; r->last && *r->from && next; next = strstr(next + 1, r->from))
		found = next;
	return found;
}

/* NULL: nothing to be replaced. */
static char *rename_replace(const struct rename_ul *r, const char *name)
{
	const char *slash = r->whole ? NULL : strrchr(name, '/');
	const char *at = slash ? slash + 1 : name, *found = rename_find(r, at);
	struct str s;

	if (!found)
		return NULL;
	str_init(&s, tsb_heap_of(r->p), STR_MAX_DEFAULT);
	at = name;
	do {
		tsb_tick(r->p, 1);
		str_addn(&s, at, (size_t)(found - at));
		str_adds(&s, r->to);
		at = found + strlen(r->from);
		/* The real one never ends where an empty text is to be replaced everywhere. */
		found = r->all && *r->from ? strstr(at, r->from) : NULL;
	} while (found);
	str_adds(&s, at);
	return str_take(&s, NULL);
}

static bool rename_ask(struct rename_ul *r, const char *name)
{
	char *line;
	size_t n;

	tsb_printf(r->p, "%s: overwrite `%s'? ", tsb_name(r->p), name);
	tsb_flush(r->p);
	if (!r->reading)
		tsb_reader_init(&r->in, r->p, 0);
	r->reading = true;
	n = tsb_getdelim(&r->in, &line, '\n');
	if (!n)
		tsb_puts(r->p, "n\n");
	return n && (line[0] | 32) == 'y';
}

/* Is what has that name to be kept? */
static bool rename_keep(struct rename_ul *r, const char *name)
{
	struct tsb_stat st;

	if (!r->no_overwrite && !r->interactive)
		return false;
	return !tsb_stat(r->p, name, &st) && (r->no_overwrite || !rename_ask(r, name));
}

/* Each returns 1: done, 0: nothing, -1: failed, after the message. */
static int rename_link(struct rename_ul *r, const char *name)
{
	struct tsb_stat st;
	int err = tsb_lstat(r->p, name, &st), done = 1;
	char *target, *to;
	ssize_t n;

	if (err) {
		tsb_warn_errno(r->p, err, "%s: not accessible", name);
		return -1;
	}
	if (!S_ISLNK(st.mode)) {
		tsb_warn(r->p, "%s: not a symbolic link", name);
		return -1;
	}
	target = tsb_alloc(r->p, (size_t)st.size + 1);
	n = tsb_readlink(r->p, name, target, (size_t)st.size);
	if (n < 0) {
		tsb_warn_errno(r->p, (int)n, "%s: readlink failed", name);
		return -1;
	}
	to = rename_replace(r, target);
	done = to != NULL;
	if (to && rename_keep(r, to)) {
		if (r->verbose)
			tsb_printf(r->p, "Skipping existing link: `%s' -> `%s'\n", name, target);
		done = 0;
	} else if (to && !r->no_act) {
		err = tsb_unlink(r->p, name);
		if (err)
			tsb_warn_errno(r->p, err, "%s: unlink failed", name);
		else if ((err = tsb_symlink(r->p, to, name)))
			tsb_warn_errno(r->p, err, "%s: symlinking to %s failed", name, to);
		done = err ? -1 : 1;
	}
	if (r->verbose && (r->no_act || done == 1))
		tsb_printf(r->p, "%s: `%s' -> `%s'\n", name, target, to ? to : "(null)");
	return done;
}

static int rename_file(struct rename_ul *r, const char *name)
{
	struct tsb_stat st;
	int err = tsb_lstat(r->p, name, &st), done = 1;
	char *to;

	if (err) {
		tsb_warn_errno(r->p, err, "%s: not accessible", name);
		return -1;
	}
	to = rename_replace(r, name);
	if (!to)
		return 0;
	if (rename_keep(r, to)) {
		if (r->verbose)
			tsb_printf(r->p, "Skipping existing file: `%s'\n", to);
		done = 0;
	} else if (!r->no_act && (err = tsb_rename(r->p, name, to, 0))) {
		tsb_warn_errno(r->p, err, "%s: rename to %s failed", name, to);
		done = -1;
	}
	if (r->verbose && (r->no_act || done == 1))
		tsb_printf(r->p, "`%s' -> `%s'\n", name, to);
	return done;
}

static int rename_run(struct tsb_proc *p, void *opts, int argc, char **argv)
{
	struct rename_ul *r = opts;
	bool done = false, failed = false;

	r->p = p;
	if ((r->all && r->last) || (r->interactive && r->no_overwrite)) {
		tsb_warn(p, "mutually exclusive arguments: %s", r->interactive && r->no_overwrite ?
			 "--interactive --no-overwrite" : "--all --last");
		return 1;
	}
	if (argc < 3)
		return tsb_usage(p, "not enough arguments");
	r->from = argv[0];
	r->to = argv[1];
	if (!strcmp(r->from, r->to))
		return RENAME_NOTHING;
	r->whole = r->symlink || strchr(r->from, '/') || strchr(r->to, '/');
	for (int i = 2; i < argc; i++) {
		int got = r->symlink ? rename_link(r, argv[i]) : rename_file(r, argv[i]);

		done |= got > 0;
		failed |= got < 0;
	}
	return failed ? (done ? RENAME_SOME_FAILED : RENAME_ALL_FAILED) : done ? 0 : RENAME_NOTHING;
}

static int rename_opt_show(struct tsb_proc *p, void *opts, const struct tsb_opt *opt, const char *arg)
{
	(void)opts, (void)arg;
	linuxopt_show(p, &cmd_rename_ul, opt->value);
}

static const struct tsb_opt rename_opts[] = {
	TSB_OPT_FLAG(struct rename_ul, verbose, 'v', "verbose", "explain what is being done"),
	TSB_OPT_FLAG(struct rename_ul, symlink, 's', "symlink", "act on the target of symlinks"),
	TSB_OPT_FLAG(struct rename_ul, no_act, 'n', "no-act", "do not make any changes"),
	TSB_OPT_FLAG(struct rename_ul, all, 'a', "all", "replace all occurrences"),
	TSB_OPT_FLAG(struct rename_ul, last, 'l', "last", "replace only the last occurrence"),
	TSB_OPT_FLAG(struct rename_ul, no_overwrite, 'o', "no-overwrite", "don't overwrite existing files"),
	TSB_OPT_FLAG(struct rename_ul, interactive, 'i', "interactive", "prompt before overwrite"),
	LINUXOPT_HELP(rename_opt_show),
	TSB_OPT_END
};

const struct tsb_command cmd_rename_ul = {
	.version = TSB_COMMAND_VERSION, .package = "util-linux", .package_version = "2.38.1",
	.name = "rename.ul", .synopsis = "[options] <expression> <replacement> <file>...",
	.summary = "Rename files.", .opts = rename_opts, .opts_size = sizeof(struct rename_ul), .run = rename_run,
};
