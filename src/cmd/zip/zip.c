/*
 * zip - package and compress files into a zip archive: which files.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <string.h>
#include <sys/stat.h>

#include "base/num.h"
#include "base/str.h"
#include "cmd/cmd.h"
#include "cmd/path.h"
#include "cmd/util.h"
#include "cmd/zip/zipper.h"

enum { ZIP_DEPTH_MAX = 500 };

/* All goes to standard output, unless the archive does. */
static void zip_vsay(struct zipper *z, const char *before, const char *fmt, va_list ap)
	TSB_PRINTF(3, 0);
static void zip_vsay(struct zipper *z, const char *before, const char *fmt, va_list ap)
{
	int fd = (z->archive && !strcmp(z->archive, "-")) || z->as_filter ? 2 : 1;
	struct str text;

	str_init(&text, tsb_heap_of(z->p), STR_MAX_DEFAULT);
	str_adds(&text, before);
	str_addvf(&text, fmt, ap);
	if (*before)
		str_addc(&text, '\n');
	tsb_write_all(z->p, fd, text.p, text.n);
	str_end(&text);
}

void zip_say(struct zipper *z, const char *fmt, ...)
{
	va_list ap;

	if (z->quiet)
		return;
	va_start(ap, fmt);
	zip_vsay(z, "", fmt, ap);
	va_end(ap);
}

void zip_warn(struct zipper *z, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	zip_vsay(z, "\tzip warning: ", fmt, ap);
	va_end(ap);
}

void zip_fail(struct zipper *z, int status, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	if (z->io_error)
		z->quiet = false;
	if (z->io_error)
		zip_say(z, "zip I/O error: %s", tsb_strerror(z->io_error));
	zip_vsay(z, "\nzip error: ", fmt, ap);
	va_end(ap);
	tsb_exit(z->p, status);
}

/* ---- Options ---- */

static const struct { int letter; const char *name; } zip_longs[] = {
	{ 'r', "recurse-paths" }, { 'R', "recurse-patterns" }, { 'q', "quiet" }, { 'v', "verbose" },
	{ 'j', "junk-paths" }, { 'm', "move" }, { 'u', "update" }, { 'f', "freshen" },
	{ 'd', "delete" }, { 'x', "exclude" }, { 'i', "include" }, { '@', "names-stdin" },
	{ 'y', "symlinks" }, { 'T', "test" }, { 'e', "encrypt" }, { 'X', "strip-extra" },
	{ 'D', "no-dir-entries" }, { 'g', "grow" }, { 'l', "to-crlf" }, { 'L' + 256, "from-crlf" },
	{ 'z', "archive-comment" }, { 'o', "latest-time" }, { 'n', "suffixes" },
	{ 't', "from-date" }, { 't' + 256, "before-date" }, { 'b', "temp-path" }, { 'A', "adjust-sfx" },
	{ 'O', "output-file" }, { 'O', "out" }, { 'F' + 256, "filesync" }, { 's' + 256, "show-files" },
	{ 'h', "help" }, { 'P', "password" },
	{ 'c', "entry-comments" }, { 'F', "fix" }, { 'F' + 1024, "fixfix" },
	 { 'S' + 512, "update-or-add" }, { 0, NULL }
};

static void zip_help(struct zipper *z)
{
	static const char text[] =
		"Zip 3.0. Usage:\nzip [-options] [-b path] [-t mmddyyyy] [-n suffixes] "
		"[zipfile list] [-xi list]\n"
		"  -f   freshen: only changed files  -u   update: only changed or new files\n"
		"  -d   delete entries in zipfile    -m   move into zipfile (delete OS files)\n"
		"  -r   recurse into directories     -j   junk (don't record) directory names\n"
		"  -0   store only                   -l   convert LF to CR LF (-ll CR LF to LF)\n"
		"  -1   compress faster              -9   compress better\n"
		"  -q   quiet operation              -v   verbose operation\n"
		"  -z   add zipfile comment          -@   read names from stdin\n"
		"  -x   exclude the following names  -i   include only the following names\n"
		"  -D   do not add directory entries -o   make zipfile as old as latest entry\n"
		"  -T   test zipfile integrity       -X   exclude eXtra file attributes\n"
		"  -y   store symbolic links as such -n   don't compress these suffixes\n";

	tsb_puts(z->p, text);
	tsb_exit(z->p, 0);
}

static bool zip_letter(struct zipper *z, int c)
{
	switch (c) {
	case 'r': z->recurse = true; break;
	case 'R': z->recurse_names = true; break;
	case 'q': z->quiet = true; break;
	case 'v': z->verbose = true; break;
	case 'j': z->junk = true; break;
	case 'm': z->move = true; break;
	case 'u': z->action = ZIP_UPDATE; break;
	case 'f': z->action = ZIP_FRESHEN; break;
	case 'd': z->action = ZIP_DELETE; break;
	case 'F' + 256: z->action = ZIP_SYNC; break;
	case 's' + 256: z->show = true; break;
	case '@': z->from_stdin = true; break;
	case 'y': z->links = true; break;
	case 'T': z->test = true; break;
	case 'X': z->no_extra = true; break;
	case 'D': z->no_dirs = true; break;
	case 'g': case 'D' + 256: break;	/* grown or not, with dots or without */
	case 'l': z->crlf = 1; break;
	case 'L' + 256: z->crlf = 2; break;
	case 'z': z->comment = true; break;
	case 'c': z->comments = true; break;
	case 'F': z->fix = 1; break;
	case 'F' + 1024: z->fix = 2; break;
	case 'o': z->stamp = true; break;
	case 'h': zip_help(z); break;
	case 'e':
		zip_fail(z, ZIP_E_PARMS, "Invalid command arguments (stderr is not a tty)");
	default:
		if (c < '0' || c > '9')
			return false;
		z->level = c - '0';
	}
	return true;
}

static bool zip_takes_value(int c)
{
	return c == 'P' || c == 'n' || c == 't' || c == 't' + 256 || c == 'b' || c == 'O';
}

static void zip_no_value(struct zipper *z, int c)
{
	static const struct { int letter; const char *name, *what; } rows[] = {
		{ 'P', "P", "encrypt entries, option value is password" },
		{ 'n', "n", "suffixes to not compress: .gz:.zip" }, { 't', "t", "exclude before date" },
		{ 't' + 256, "tt", "include before date" }, { 'b', "b", "dir to use for temp archive" },
		{ 'O', "O", "set out zipfile different than in zipfile" },
		{ 'x', "x", "exclude files matching patterns" },
		{ 'i', "i", "include only files matching patterns" },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++)
		if (rows[i].letter == c)
			zip_fail(z, ZIP_E_PARMS, "Invalid command arguments (option '%s' (%s) requires "
				 "a value)", rows[i].name, rows[i].what);
}

static void zip_value(struct zipper *z, int c, const char *value)
{
	if (!value)
		zip_no_value(z, c);
	switch (c) {
	case 'n': z->no_suffixes = value; break;
	case 'P':
		if (!*value)
			zip_fail(z, ZIP_E_PARMS, "Invalid command arguments (zero length password "
				 "not allowed)");
		z->password = value;
		break;
	case 't': z->after = value; break;
	case 't' + 256: z->before = value; break;
	case 'O': z->out_name = value; break;
	}
}

/* -x and -i take all that follows up to the next option. */
static char **zip_list(struct zipper *z, int c, char **argv, const char *glued)
{
	const char **list = c == 'x' ? z->excluded : z->included;
	size_t *n = c == 'x' ? &z->n_excluded : &z->n_included;

	if (!(glued && *glued) && !argv[1])
		zip_no_value(z, c);
	if (glued && *glued)
		list[(*n)++] = glued;
	else
		while (argv[1] && argv[1][0] != '-' && strcmp(argv[1], "@"))
			list[(*n)++] = *++argv;
	if (argv[1] && !strcmp(argv[1], "@"))
		argv++;
	if (!*n)
		zip_fail(z, ZIP_E_PARMS, "Invalid command arguments (nothing to select from)");
	return argv;
}

/* Letters of two: "-tt", "-ll", "-FS", "-sf". */
static int zip_pair(const char *at)
{
	static const char pairs[][3] = { "tt", "ll", "FS", "sf", "dd", "FF" };
	static const int codes[] = { 't' + 256, 'L' + 256, 'F' + 256, 's' + 256, 'D' + 256,
				     'F' + 1024 };

	for (size_t i = 0; i < 6; i++)
		if (!strncmp(at, pairs[i], 2))
			return codes[i];
	return 0;
}

static char **zip_short(struct zipper *z, char **argv)
{
	for (const char *at = *argv + 1; *at;) {
		int pair = zip_pair(at), c = pair ? pair : (unsigned char)*at;

		at += pair ? 2 : 1;
		if (*at == '-' && c == 'q')
			zip_fail(z, ZIP_E_PARMS, "Invalid command arguments (option 'q' (quiet) not "
				 "negatable)");
		if (*at == '-' && (c == 'T' || c == 'D')) {
			at++;
			continue;
		}
		if (c == 'x' || c == 'i')
			return zip_list(z, c, argv, at);
		if (zip_takes_value(c)) {
			zip_value(z, c, *at ? at : argv[1]);
			return *at ? argv : argv + 1;
		}
		if (c == 'A') {
			zip_say(z, "Zip entry offsets do not need adjusting\n");
			tsb_exit(z->p, 0);
		}
		if (!zip_letter(z, c))
			zip_fail(z, ZIP_E_PARMS, "Invalid command arguments (short option '%c' not "
				 "supported)", c);
	}
	return argv;
}

static char **zip_long(struct zipper *z, char **argv)
{
	const char *name = *argv + 2;
	size_t n = strcspn(name, "=");

	for (size_t i = 0; zip_longs[i].name; i++) {
		int c = zip_longs[i].letter;
		const char *glued = name[n] ? name + n + 1 : NULL;

		if (strlen(zip_longs[i].name) != n || strncmp(zip_longs[i].name, name, n))
			continue;
		if (c == 'x' || c == 'i')
			return zip_list(z, c, argv, glued);
		if (zip_takes_value(c)) {
			zip_value(z, c, glued ? glued : argv[1]);
			return glued ? argv : argv + 1;
		}
		if (zip_letter(z, c))
			return argv;
	}
	zip_fail(z, ZIP_E_PARMS, "Invalid command arguments (long option '%s' not supported)", name);
}

static void zip_options(struct zipper *z, int argc, char **argv)
{
	bool only_names = false;

	z->included = tsb_alloc(z->p, ((size_t)argc + 1) * sizeof(*z->included));
	z->excluded = tsb_alloc(z->p, ((size_t)argc + 1) * sizeof(*z->excluded));
	z->names = tsb_alloc(z->p, ((size_t)argc + 1) * sizeof(*z->names));
	for (; *argv; argv++) {
		if (!only_names && !strcmp(*argv, "--"))
			only_names = true;
		else if (!only_names && !strncmp(*argv, "--", 2))
			argv = zip_long(z, argv);
		else if (!only_names && argv[0][0] == '-' && argv[0][1])
			argv = zip_short(z, argv);
		else if (!z->archive)
			z->archive = *argv;
		else
			z->names[z->n_names++] = *argv;
	}
	if (z->recurse && z->recurse_names)
		zip_fail(z, ZIP_E_PARMS,
			 "Invalid command arguments (do not specify both -r and -R)");
}

/* ---- Selecting ---- */

static bool zip_selected(struct zipper *z, const char *name)
{
	bool wanted = !z->n_included;

	for (size_t i = 0; i < z->n_included && !wanted; i++)
		wanted = zip_match(z->p, z->included[i], name, false, false);
	for (size_t i = 0; i < z->n_excluded && wanted; i++)
		wanted = !zip_match(z->p, z->excluded[i], name, false, false);
	return wanted;
}

/* The name inside: no leading slashes and "./". */
static char *zip_inside(struct zipper *z, const char *path, bool is_dir)
{
	const char *slash;

	for (;;) {
		if (*path == '/')
			path++;
		else if (path[0] == '.' && path[1] == '/')
			path += 2;
		else
			break;
	}
	if (z->junk && (slash = strrchr(path, '/')))
		path = slash + 1;
	if (!strcmp(path, "."))
		path = "";
	return tsb_format(z->p, "%s%s", path,
			  is_dir && *path && path[strlen(path) - 1] != '/' ? "/" : "");
}

struct zip_member *zip_new_member(struct zipper *z, char *name)
{
	struct zip_member *m;

	z->members = util_grow(z->p, z->members, z->n, &z->cap, sizeof(*z->members));
	m = &z->members[z->n++];
	memset(m, 0, sizeof(*m));
	m->name = name;
	map_put(&z->by_name, name, strlen(name))->value = (void *)(uintptr_t)z->n;
	return m;
}

static struct zip_member *zip_find(struct zipper *z, const char *name)
{
	struct map_entry *e = map_find(&z->by_name, name, strlen(name));

	return e ? &z->members[(uintptr_t)e->value - 1] : NULL;
}

static bool zip_is_due(struct zipper *z, const struct zip_member *old, const struct tsb_stat *st)
{
	uint32_t dos = zip_dos_time(&z->zone, st->mtime.sec);

	if ((z->after_dos && dos < z->after_dos) || (z->before_dos && dos >= z->before_dos))
		return false;
	if (!old)
		return z->action != ZIP_FRESHEN;
	if (z->action == ZIP_SYNC)
		return dos != old->old->dos_time || st->size != old->old->plain;
	return (z->action != ZIP_UPDATE && z->action != ZIP_FRESHEN) || dos > old->old->dos_time;
}

static void zip_add(struct zipper *z, const char *path, const struct tsb_stat *st)
{
	bool is_dir = S_ISDIR(st->mode);
	char *name = zip_inside(z, path, is_dir);
	struct zip_member *m;

	if (!*name || (is_dir && (z->no_dirs || z->junk)) || !zip_selected(z, name))
		return;
	m = zip_find(z, name);
	if (m && m->path)
		return;
	if (m && z->action == ZIP_SYNC)
		m->drop = false;
	if (!zip_is_due(z, m, st))
		return;
	if (!m)
		m = zip_new_member(z, name);
	m->path = path;
	m->st = *st;
	m->is_dir = is_dir;
	m->is_link = S_ISLNK(st->mode);
	z->n_changed++;
}

static bool zip_is_archive(struct zipper *z, const struct tsb_stat *st)
{
	struct tsb_stat own;

	return z->existed && !tsb_fstat(z->p, z->z.fd, &own) && util_same_file(&own, st);
}

static void zip_walk(struct zipper *z, const char *path, int depth, const char *const *patterns)
{
	struct tsb_stat st;
	char **names;
	size_t n, at;
	int err;

	tsb_tick(z->p, 1);
	err = z->links ? tsb_lstat(z->p, path, &st) : tsb_stat(z->p, path, &st);
	if (err || depth > ZIP_DEPTH_MAX || zip_is_archive(z, &st))
		return;
	if (!S_ISREG(st.mode) && !S_ISDIR(st.mode) && !S_ISLNK(st.mode))
		return;
	for (at = 0; patterns && patterns[at]; at++)
		if (zip_match(z->p, patterns[at], zip_inside(z, path, false), false, false) ||
		    zip_match(z->p, patterns[at], path_last(path), false, false))
			break;
	if (!patterns || patterns[at])
		zip_add(z, path, &st);
	if (!S_ISDIR(st.mode) || (!z->recurse && !patterns))
		return;
	if (tsb_listdir(z->p, path, &names, &n) < 0) {
		zip_warn(z, "could not open for reading: %s", path);
		z->status = ZIP_E_OPEN;
		return;
	}
	for (size_t i = 0; i < n; i++)
		zip_walk(z, path_join(z->p, path, names[i]), depth + 1, patterns);
}

static void zip_delete_name(struct zipper *z, const char *pattern)
{
	bool any = false;

	for (size_t i = 0; i < z->n; i++) {
		struct zip_member *m = &z->members[i];

		if (!m->old || m->drop || !zip_match(z->p, pattern, m->name, false, false) ||
		    !zip_selected(z, m->name))
			continue;
		any = m->drop = true;
		z->n_changed++;
		zip_say(z, "deleting: %s\n", m->name);
	}
	if (!any && !z->quiet)
		zip_warn(z, "name not matched: %s", pattern);
}

static void zip_take_name(struct zipper *z, const char *name)
{
	struct tsb_stat st;

	if (z->action == ZIP_DELETE && (z->existed || !tsb_lstat(z->p, name, &st))) {
		if (z->existed)
			zip_delete_name(z, name);
		return;
	}
	if (!strcmp(name, "-")) {
		struct zip_member *m = zip_find(z, "-");

		if (!m)
			m = zip_new_member(z, tsb_strdup(z->p, "-"));
		m->path = "-";
		m->st.mode = S_IFIFO | 0600;
		m->st.mtime = m->st.atime = tsb_clock(z->p, TSB_CLOCK_REAL);
		z->n_changed++;
		return;
	}
	if (z->links ? tsb_lstat(z->p, name, &st) : tsb_stat(z->p, name, &st)) {
		/* What is gone from the disk, too, is not asked for. */
		if (!z->quiet && !(z->action == ZIP_SYNC && zip_find(z, name)))
			zip_warn(z, "name not matched: %s", name);
	} else {
		zip_walk(z, name, 0, NULL);
	}
}

static void zip_take_stdin(struct zipper *z)
{
	struct tsb_reader in;
	char *line;
	size_t n;

	tsb_reader_init(&in, z->p, 0);
	while ((n = tsb_getdelim(&in, &line, '\n'))) {
		if (line[n - 1] == '\n')
			line[n - 1] = '\0';
		if (*line)
			zip_take_name(z, tsb_strdup(z->p, line));
	}
}

static void zip_select(struct zipper *z)
{
	if (z->action == ZIP_SYNC)
		for (size_t i = 0; i < z->n; i++)
			z->members[i].drop = true;
	if (z->recurse_names) {
		z->names[z->n_names] = NULL;
		zip_walk(z, ".", 0, z->names);
	} else {
		for (size_t i = 0; i < z->n_names; i++)
			zip_take_name(z, z->names[i]);
	}
	if (z->from_stdin)
		zip_take_stdin(z);
	if (z->action == ZIP_FRESHEN && !z->n_names && !z->from_stdin)
		for (size_t i = 0, n = z->n; i < n; i++)
			zip_take_name(z, z->members[i].name);
	for (size_t i = 0; i < z->n && z->action == ZIP_SYNC; i++)
		if (z->members[i].drop) {
			zip_say(z, "deleting: %s\n", z->members[i].name);
			z->n_changed++;
		}
}

/* ---- The archive there is ---- */

static void zip_open_old(struct zipper *z)
{
	const char *base = path_last(z->archive);
	int fd;

	if (!strcmp(z->archive, "-"))
		return;
	if (!strchr(base, '.'))
		z->archive = tsb_format(z->p, "%s.zip", z->archive);
	fd = tsb_open(z->p, z->archive, O_RDONLY, 0);
	if (fd < 0)
		return;
	if (zip_read(&z->z, z->p, fd) != ZIP_OK) {
		zip_warn(z, "missing end signature--probably not a zip file (did you");
		zip_warn(z, "remember to use binary mode when you transferred it?)");
		zip_warn(z, "(if you are trying to read a damaged archive try -F)");
		zip_fail(z, ZIP_E_FORM, "Zip file structure invalid (%s)", z->archive);
	}
	z->existed = true;
	for (size_t i = 0; i < z->z.n; i++)
		zip_new_member(z, z->z.entries[i].name)->old = &z->z.entries[i];
}

static void zip_show(struct zipper *z)
{
	uint64_t bytes = 0;

	tsb_puts(z->p, "Archive contains:\n");
	for (size_t i = 0; i < z->z.n; i++) {
		tsb_printf(z->p, "  %s\n", z->z.entries[i].name);
		bytes += z->z.entries[i].plain;
	}
	tsb_printf(z->p, "Total %zu entries (%llu bytes)\n", z->z.n, (unsigned long long)bytes);
	tsb_exit(z->p, 0);
}

static uint32_t zip_date(struct zipper *z, const char *text, const char *option)
{
	uint64_t y = 0, m = 0, d = 0;
	size_t n = text ? strlen(text) : 0;

	if (!text)
		return 0;
	if (n == 10 && text[4] == '-' && text[7] == '-') {
		num_u64(tsb_strndup(z->p, text, 4), &y);
		num_u64(tsb_strndup(z->p, text + 5, 2), &m);
		num_u64(text + 8, &d);
	} else if (n == 8) {
		num_u64(tsb_strndup(z->p, text, 2), &m);
		num_u64(tsb_strndup(z->p, text + 2, 2), &d);
		num_u64(text + 4, &y);
	}
	if (y < 1980 || y > 2107 || m < 1 || m > 12 || d < 1 || d > 31)
		zip_fail(z, ZIP_E_PARMS, "Invalid command arguments (invalid date entered for -%s "
			 "option - use mmddyyyy or yyyy-mm-dd)", option);
	return (uint32_t)(y - 1980) << 25 | (uint32_t)m << 21 | (uint32_t)d << 16;
}

static int zip_run(struct tsb_proc *p, void *opts, int argc, char **argv)
{
	struct zipper *z = tsb_alloc(p, sizeof(*z));

	(void)opts;
	z->p = p;
	z->level = 6;
	zone_init(&z->zone, tsb_getenv(p, "TZ"));
	map_init(&z->by_name, tsb_heap_of(p));
	zip_options(z, argc, argv);
	if (!z->archive) {	/* a filter */
		if (z->action == ZIP_UPDATE || z->action == ZIP_FRESHEN || z->action == ZIP_DELETE) {
			z->as_filter = true;
			zip_fail(z, ZIP_E_PARMS, "Invalid command arguments (can't use -d, -f, -u, -U, "
				 "or -g on stdout\n)");
		}
		if (z->n_excluded || z->n_included)
			zip_fail(z, ZIP_E_PARMS, "Invalid command arguments (nothing to select from)");
		if (tsb_isatty(p, 1))
			zip_help(z);
		z->archive = "-";
	}
	if (!strcmp(z->archive, "-") && !z->n_names && !z->from_stdin)
		z->names[z->n_names++] = "-";
	z->after_dos = zip_date(z, z->after, "t");
	z->before_dos = zip_date(z, z->before, "tt");
	if (z->fix) {
		if (!strchr(path_last(z->archive), '.'))
			z->archive = tsb_format(p, "%s.zip", z->archive);
		zip_fix(z);
		return z->status;
	}
	zip_open_old(z);
	if (!z->existed && z->action != ZIP_ADD && z->action != ZIP_SYNC && !z->quiet)
		zip_warn(z, "%s not found or empty", z->archive);
	if (z->show)
		zip_show(z);
	zip_select(z);
	if (!z->n_changed && !z->comment && !(z->existed && (z->test || z->stamp))) {
		if (z->action == ZIP_FRESHEN || (z->existed && z->action == ZIP_UPDATE))
			return ZIP_E_NONE;
		zip_fail(z, ZIP_E_NONE, "Nothing to do! (%s)", z->archive);
	}
	zip_write(z);
	return z->status;
}

/* Read by hand; for the manual. */
static const struct tsb_opt zip_opts[] = {
	TSB_OPT_DOC('r', "recurse-paths", NULL, "go into directories"),
	TSB_OPT_DOC('R', "recurse-patterns", NULL, "names are patterns, below here"),
	TSB_OPT_DOC('f', "freshen", NULL, "only files that are in the archive and have changed"),
	TSB_OPT_DOC('u', "update", NULL, "only new and changed files"),
	TSB_OPT_DOC('d', "delete", NULL, "remove members"),
	TSB_OPT_DOC('m', "move", NULL, "remove the files once they are in"),
	TSB_OPT_DOC('j', "junk-paths", NULL, "names without their directories"),
	TSB_OPT_DOC('D', "no-dir-entries", NULL, "no members for directories"),
	TSB_OPT_DOC('y', "symlinks", NULL, "links as links, not what they point to"),
	TSB_OPT_WORD("-0", NULL, "do not compress"),
	TSB_OPT_WORD("-1", NULL, "compress faster (to -9: better; -6 is the default)"),
	TSB_OPT_DOC('q', "quiet", NULL, "say nothing"),
	TSB_OPT_DOC('v', "verbose", NULL, "say more; alone: the version"),
	TSB_OPT_DOC('l', "to-crlf", NULL,
	    "line feeds become carriage return and line feed (-ll: the other way)"),
	TSB_OPT_DOC('z', "archive-comment", NULL, "a comment for the archive, from standard input"),
	TSB_OPT_DOC('o', "latest-time", NULL, "the archive gets the time of its newest member"),
	TSB_OPT_DOC('@', "names-stdin", NULL, "names from standard input, one a line"),
	TSB_OPT_DOC('x', "exclude", NULL, "patterns of what stays out"),
	TSB_OPT_DOC('i', "include", NULL, "patterns of what alone goes in"),
	TSB_OPT_DOC('n', "suffixes", "SUFFIXES", "do not compress names that end so (.gz:.zip)"),
	TSB_OPT_DOC('t', "from-date", "DATE",
		    "only files from that day on (mmddyyyy or yyyy-mm-dd)"),
	TSB_OPT_WORD("-tt", "DATE", "only files before that day"),
	TSB_OPT_DOC('b', "temp-path", "DIR", "where the archive is written first"),
	TSB_OPT_DOC('O', "out", "FILE", "write the result to another archive"),
	TSB_OPT_DOC('T', "test", NULL, "test the archive before it replaces the old one"),
	TSB_OPT_DOC('X', "strip-extra", NULL, "no times and owners beside the common fields"),
	TSB_OPT_DOC('P', "password", "PASSWORD", "encrypt with that password (the traditional way, "
		    "which is weak)"),
	TSB_OPT_DOC('e', "encrypt", NULL, "the same, with a password from the terminal"),
	TSB_OPT_DOC('c', "entry-comments", NULL, "a comment for each entry, from standard input"),
	TSB_OPT_DOC('F', "fix", NULL, "an archive whose offsets are wrong becomes another (--out)"),
	TSB_OPT_WORD("-FF", NULL, "what can be found of a damaged archive becomes another (--out)"),
	TSB_OPT_DOC('A', "adjust-sfx", NULL, "look whether the offsets are right"),
	TSB_OPT_WORD("-sf", NULL, "show the files that would be taken"),
	TSB_OPT_WORD("-FS", NULL, "the archive becomes what is in the file system"),
	TSB_OPT_DOC('h', "help", NULL, "display this help and exit"),
	TSB_OPT_WORD("-h2", NULL, "display this help and exit"),
	TSB_OPT_END
};

const struct tsb_command cmd_zip = {
	.version = TSB_COMMAND_VERSION, .name = "zip", .package = "Zip", .package_version = "3.0",
	.synopsis = "[-options] [-b path] [-t mmddyyyy] [-n suffixes] [zipfile list] [-xi list]",
	.summary = "Package and compress files into a ZIP archive.", .run = zip_run,
	.opts = zip_opts,
	.flags = TSB_RAW | TSB_NO_HELP,
};
