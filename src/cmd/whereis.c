/*
 * whereis, namei - where a program is; what a path leads through (util-linux).
 */
#include <errno.h>
#include <string.h>
#include <sys/stat.h>

#include "base/str.h"
#include "cmd/accounts.h"
#include "cmd/cmd.h"
#include "cmd/linuxopt.h"
#include "cmd/util.h"

#define WHEREIS_LINUX .version = TSB_COMMAND_VERSION, .package = "util-linux", .package_version = "2.38.1"

/* ---- whereis ---- */

enum { WHEREIS_BIN = 1, WHEREIS_MAN = 2, WHEREIS_SRC = 4, WHEREIS_ALL = 7 };

struct whereis {
	struct tsb_proc *p;
	unsigned what;
	bool unusual, started, chosen;
	struct tsb_list dirs[3];	/* programs, manuals, sources */
	size_t cap[3];
};

static void whereis_dir(struct whereis *w, int kind, const char *path)
{
	struct tsb_list *l = &w->dirs[kind];
	struct tsb_stat st, other;
	char *real;

	if (tsb_stat(w->p, path, &st) < 0 || !S_ISDIR(st.mode))
		return;
	if (path[0] != '/' && !tsb_realpath(w->p, path, TSB_REAL_ALL_EXIST, &real))
		path = real;
	for (size_t i = 0; i < l->n; i++)
		if (!tsb_stat(w->p, l->at[i], &other) && util_same_file(&st, &other))
			return;
	l->at = util_grow(w->p, l->at, l->n, &w->cap[kind], sizeof(*l->at));
	l->at[l->n++] = path;
}

static void whereis_defaults(struct whereis *w)
{
	static const char *const bins[] = { "/usr/bin", "/usr/sbin", "/bin", "/sbin", "/usr/lib", "/etc",
		"/usr/local/bin", "/usr/local/sbin", "/usr/local/lib", "/usr/games", "/usr/share", NULL };
	const char *path = tsb_getenv(w->p, "PATH");

	for (size_t i = 0; bins[i]; i++)
		whereis_dir(w, 0, bins[i]);
	while (path && *path) {
		size_t n = strcspn(path, ":");

		if (n)
			whereis_dir(w, 0, tsb_strndup(w->p, path, n));
		path += n + (path[n] != 0);
	}
	for (int i = 1; i <= 9; i++)
		whereis_dir(w, 1, tsb_format(w->p, "/usr/share/man/man%d", i));
	whereis_dir(w, 1, "/usr/share/info");
	whereis_dir(w, 2, "/usr/src");
}

/* A program's name is exact. A manual or a source may have one suffix behind it, or two of which
 * the last compresses, a source "s." in front. */
static bool whereis_is(const char *file, const char *name, int kind)
{
	static const char *const packed[] = { ".Z", ".gz", ".bz2", ".xz", ".lz", ".zst", NULL };
	size_t n = strlen(name), len;

	if (!kind)
		return !strcmp(file, name);
	if (kind == 2 && file[0] == 's' && file[1] == '.' && !strcmp(file + 2, name))
		return true;
	len = strlen(file);
	if (strncmp(file, name, n))
		return false;
	for (size_t i = 0; packed[i]; i++) {
		size_t k = strlen(packed[i]);

		if (len >= n + k && !strcmp(file + len - k, packed[i])) {
			len -= k;
			break;
		}
	}
	return len == n || (file[n] == '.' && !memchr(file + n + 1, '.', len - n - 1));
}

static size_t whereis_search(struct whereis *w, int kind, const char *name, struct str *out)
{
	size_t found = 0;

	for (size_t i = 0; i < w->dirs[kind].n; i++) {
		const struct tsb_dirent *e;
		struct tsb_dir *dir;

		if (tsb_opendir(w->p, w->dirs[kind].at[i], &dir) < 0)
			continue;
		while ((e = tsb_readdir(dir))) {
			tsb_tick(w->p, 1);
			if (!whereis_is(e->name, name, kind))
				continue;
			str_addf(out, " %s/%s", w->dirs[kind].at[i], e->name);
			found++;
		}
		tsb_closedir(dir);
	}
	return found;
}

static void whereis_name(struct whereis *w, const char *arg)
{
	const char *slash = strrchr(arg, '/'), *name = slash ? slash + 1 : arg;
	size_t found = 0;
	struct str out;

	str_init(&out, tsb_heap_of(w->p), STR_MAX_DEFAULT);
	for (int kind = 0; kind < 3; kind++)
		if (w->what & (1u << kind))
			found += whereis_search(w, kind, name, &out);
	if (!w->unusual || found > 1)
		tsb_printf(w->p, "%s:%s\n", name, out.p);
	str_end(&out);
}

static void whereis_lists(struct whereis *w)
{
	static const char *const labels[] = { "bin", "man", "src" };

	for (int kind = 0; kind < 3; kind++)
		for (size_t i = 0; (w->what & (1u << kind)) && i < w->dirs[kind].n; i++)
			tsb_printf(w->p, "%s: %s\n", labels[kind], w->dirs[kind].at[i]);
}

/* A word of letters; directories behind -B, -M and -S up to the next option. -1: a bad one. */
static int whereis_option(struct whereis *w, char **argv, int i)
{
	for (const char *c = argv[i] + 1; *c; c++) {
		static const char kinds[] = "BMS", letters[] = "bms";
		const char *which = strchr(kinds, *c), *only = strchr(letters, *c);

		if (only) {
			w->what = (w->chosen ? w->what : 0) | 1u << (only - letters);
			w->chosen = true;
		} else if (which && !c[1]) {
			int kind = (int)(which - kinds);

			w->dirs[kind].n = 0;
			while (argv[i + 1] && argv[i + 1][0] != '-')
				whereis_dir(w, kind, argv[++i]);
			return i;
		} else if (*c == 'u') {
			w->unusual = true;
		} else if (*c == 'l') {
			whereis_lists(w);
			w->started = true;
		} else if (*c == 'h' || *c == 'V') {
			linuxopt_show(w->p, &cmd_whereis, *c);
		} else if (*c != 'f') {
			return -1;
		}
	}
	return i;
}

static int whereis_run(struct tsb_proc *p, void *opts, int argc, char **argv)
{
	struct whereis w = { .p = p, .what = WHEREIS_ALL };

	(void)opts;
	if (!argc)
		return tsb_usage(p, "not enough arguments");
	whereis_defaults(&w);
	for (int i = 0; i < argc; i++) {
		if (!strcmp(argv[i], "--help") || !strcmp(argv[i], "--version"))
			linuxopt_show(p, &cmd_whereis, argv[i][2] == 'h' ? 'h' : 'V');
		if (argv[i][0] != '-') {
			whereis_name(&w, argv[i]);
			continue;
		}
		i = whereis_option(&w, argv, i);
		if (i < 0)
			return tsb_usage(p, "bad usage");
	}
	return 0;
}

static const struct tsb_opt whereis_opts[] = {
	TSB_OPT_DOC('b', NULL, NULL, "search only for binaries"),
	TSB_OPT_DOC('B', NULL, "DIRS", "define binaries lookup path"),
	TSB_OPT_DOC('m', NULL, NULL, "search only for manuals and infos"),
	TSB_OPT_DOC('M', NULL, "DIRS", "define man and info lookup path"),
	TSB_OPT_DOC('s', NULL, NULL, "search only for sources"),
	TSB_OPT_DOC('S', NULL, "DIRS", "define sources lookup path"),
	TSB_OPT_DOC('f', NULL, NULL, "terminate <dirs> argument list"),
	TSB_OPT_DOC('u', NULL, NULL, "search for unusual entries"),
	TSB_OPT_DOC('l', NULL, NULL, "output effective lookup paths"),
	TSB_OPT_HELP('h', "help"),
	TSB_OPT_VERSION('V', "version"),
	TSB_OPT_END
};

const struct tsb_command cmd_whereis = {
	WHEREIS_LINUX, .name = "whereis", .synopsis = "[options] [-BMS <dir>... -f] <name>",
	.summary = "Locate the binary, source, and manual-page files for a command.",
	.opts = whereis_opts, .run = whereis_run, .flags = TSB_RAW | TSB_NO_HELP,
};

/* ---- namei ---- */

enum { NAMEI_LINKS = 20 };

struct namei {
	bool mounts, modes, owners, plain, vertical;
	bool measuring;		/* the owners' columns: nothing is shown */
	struct tsb_proc *p;
	struct namei_step {
		const char *name;
		struct tsb_stat st;
		const char *target;	/* of a link */
		int depth, err;
	} *steps;
	size_t n, cap;
	int links;
};

static int namei_opt_help(struct tsb_proc *p, void *opts, const struct tsb_opt *opt, const char *arg)
{
	(void)opts, (void)arg;
	linuxopt_show(p, &cmd_namei, opt->value);
}

static int namei_opt_long(struct tsb_proc *p, void *opts, const struct tsb_opt *opt, const char *arg)
{
	struct namei *n = opts;

	(void)p, (void)opt, (void)arg;
	n->modes = n->owners = n->vertical = true;
	return 0;
}

static const struct tsb_opt namei_opts[] = {
	TSB_OPT_FLAG(struct namei, mounts, 'x', "mountpoints", "show mount point directories with a 'D'"),
	TSB_OPT_FLAG(struct namei, modes, 'm', "modes", "show the mode bits of each file"),
	TSB_OPT_FLAG(struct namei, owners, 'o', "owners", "show owner and group name of each file"),
	TSB_OPT_CALL(namei_opt_long, 0, 'l', "long", NULL, "use a long listing format (-m -o -v)"),
	TSB_OPT_FLAG(struct namei, plain, 'n', "nolinks", "don't follow symlinks"),
	TSB_OPT_FLAG(struct namei, vertical, 'v', "vertical", "vertical align of modes and owners"),
	LINUXOPT_HELP(namei_opt_help),
	TSB_OPT_END
};

/* Adds the steps of a path; false: one of them is missing, or there are too many links. */
static bool namei_walk(struct namei *n, const char *base, const char *path, int depth)
{
	const char *at = *path == '/' ? "/" : base;
	bool first = *path == '/';

	while (first || *path) {
		size_t len = first ? 1 : strcspn(path, "/");
		char *name = tsb_strndup(n->p, path, len), *link;
		struct namei_step *s;
		ssize_t got;

		n->steps = util_grow(n->p, n->steps, n->n, &n->cap, sizeof(*n->steps));
		s = &n->steps[n->n++];
		*s = (struct namei_step){ .name = name, .depth = depth };
		path += len + strspn(path + len, "/");
		if (!first)
			at = !strcmp(at, "/") ? tsb_format(n->p, "/%s", name) :
			     *at ? tsb_format(n->p, "%s/%s", at, name) : name;
		first = false;
		tsb_tick(n->p, 1);
		s->err = tsb_lstat(n->p, at, &s->st);
		if (s->err)
			return false;
		if (!S_ISLNK(s->st.mode))
			continue;
		link = tsb_alloc(n->p, 4096);
		got = tsb_readlink(n->p, at, link, 4095);
		link[got > 0 ? got : 0] = '\0';
		s->target = link;
		if (n->plain)
			continue;
		if (++n->links > NAMEI_LINKS)
			return false;
		if (!namei_walk(n, *link == '/' ? "" : tsb_strndup(n->p, at, strrchr(at, '/') ?
				(size_t)(strrchr(at, '/') - at) + (strrchr(at, '/') == at) : 0),
				link, depth + 1))
			return false;
	}
	return true;
}

static void namei_owner(struct namei *n, const struct namei_step *s, size_t wide[2])
{
	const char *user = accounts_user_name(n->p, s->st.uid), *group = accounts_group_name(n->p, s->st.gid);

	user = user ? user : tsb_format(n->p, "%u", s->st.uid);
	group = group ? group : tsb_format(n->p, "%u", s->st.gid);
	if (wide[0] < strlen(user))
		wide[0] = strlen(user);
	if (wide[1] < strlen(group))
		wide[1] = strlen(group);
	if (!n->measuring)
		tsb_printf(n->p, "%-*s %-*s ", (int)wide[0], user, (int)wide[1], group);
}

static char namei_kind(uint32_t mode)
{
	switch (mode & S_IFMT) {
	case S_IFLNK: return 'l';
	case S_IFDIR: return 'd';
	case S_IFBLK: return 'b';
	case S_IFCHR: return 'c';
	case S_IFIFO: return 'p';
	case S_IFSOCK: return 's';
	default: return '-';
	}
}

static bool namei_is_mount(struct namei *n, const struct namei_step *s, const struct namei_step *before)
{
	return n->mounts && S_ISDIR(s->st.mode) &&
	       (!strcmp(s->name, "/") || (before && before->st.dev != s->st.dev));
}

static void namei_missing(struct namei *n, const struct namei_step *s, const size_t wide[2])
{
	int blank = n->vertical ? 0 : s->depth * 2 + 1;

	if (n->modes)
		blank += 9;
	tsb_printf(n->p, "%*s", blank, "");
	if (n->owners)
		/* The widths are of the names that there are, and a space behind each. */
		tsb_printf(n->p, "%*s", (int)(wide[0] + wide[1] + 2), "");
	if (n->vertical)
		tsb_printf(n->p, "%*s", s->depth * 2, "");
	tsb_printf(n->p, "  %s - %s\n", s->name, tsb_strerror(s->err));
}

static void namei_show(struct namei *n, const struct namei_step *s, const struct namei_step *before,
		       size_t wide[2])
{
	char mode[12];

	if (s->err) {
		namei_missing(n, s, wide);
		return;
	}
	util_mode_string(s->st.mode, mode);
	mode[10] = '\0';
	if (!n->modes)
		mode[0] = namei_kind(s->st.mode), mode[1] = '\0';
	if (namei_is_mount(n, s, before))
		mode[0] = 'D';
	if (!n->vertical)
		tsb_printf(n->p, "%*s", s->depth * 2 + 1, "");
	tsb_printf(n->p, "%s ", mode);
	if (n->owners)
		namei_owner(n, s, wide);
	if (n->vertical)
		tsb_printf(n->p, "%*s", s->depth * 2, "");
	tsb_puts(n->p, s->name);
	if (s->target)
		tsb_printf(n->p, " -> %s", s->target);
	tsb_putc(n->p, '\n');
}

static int namei_path(struct namei *n, const char *path)
{
	size_t wide[2] = { 0, 0 };
	bool ok;

	n->n = 0;
	n->links = 0;
	ok = namei_walk(n, "", path, 0);
	n->measuring = true;
	for (size_t i = 0; n->owners && i < n->n; i++)
		if (!n->steps[i].err)
			namei_owner(n, &n->steps[i], wide);
	n->measuring = false;
	tsb_printf(n->p, "f: %s\n", path);
	for (size_t i = 0; i < n->n; i++)
		namei_show(n, &n->steps[i], i ? &n->steps[i - 1] : NULL, wide);
	if (n->links > NAMEI_LINKS) {
		tsb_flush(n->p);
		tsb_warn(n->p, "%s: exceeded limit of symlinks", path);
	}
	return !ok;
}

static int namei_run(struct tsb_proc *p, void *opts, int argc, char **argv)
{
	struct namei *n = opts;
	int status = 0;

	n->p = p;
	if (!argc)
		return tsb_usage(p, "pathname argument is missing");
	for (int i = 0; i < argc; i++) {
		if (!*argv[i]) {
			status = 1;
			continue;
		}
		status |= namei_path(n, argv[i]);
	}
	return status;
}

const struct tsb_command cmd_namei = {
	WHEREIS_LINUX, .name = "namei", .synopsis = "[options] <pathname>...",
	.summary = "Follow a pathname until a terminal point is found.", .opts = namei_opts,
	.opts_size = sizeof(struct namei), .run = namei_run,
};
