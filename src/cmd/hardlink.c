/*
 * hardlink - equal files made to links of one (util-linux). Files of one size are put
 * in the order of preference; each is compared with those behind it. Contents are
 * compared byte by byte, which is what the real one does where its kernel has no
 * digests; there are no extended attributes and no shared blocks here.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/map.h"
#include "base/num.h"
#include "base/str.h"
#include "cmd/cmd.h"
#include "cmd/linuxopt.h"
#include "cmd/path.h"
#include "cmd/util.h"
#include "cmd/walk.h"
#include "text/regex.h"

enum { HARDLINK_BLOCK = 32 << 10 };

struct hardlink_name {
	const char *path;
	struct hardlink_name *next;
};

struct hardlink_file {
	struct tsb_stat st;
	struct hardlink_name *names;	/* none: linked to another one */
	size_t order;
};

struct hardlink {
	/* options */
	bool quiet, dry, by_name, any_mode, any_owner, any_time, xattrs, oldest, skip_reflinks, reflink;
	bool reflink_always;
	int prefer;		/* 'm', 'M' */
	unsigned verbose;
	const char *method, *least_text, *most_text, *block_text, *cache_text;
	struct tsb_list excludes, includes;
	/* the run */
	struct tsb_proc *p;
	struct regex **exclude, **include;
	uint64_t least, most;
	struct hardlink_file *files;
	size_t n_files, cap_files;
	struct map inodes;		/* "dev:ino" -> index + 1 */
	struct map paths;
	uint64_t n_seen, n_linked, n_compared, n_xattrs, saved;
	struct tsb_time start;
};

/* "1.95 KiB" */
static const char *hardlink_size(struct hardlink *h, uint64_t n)
{
	static const char units[][4] = { "B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB" };
	uint64_t whole = n, part = 0;
	int unit = 0;

	while (unit < 6 && n >> (10 * (unit + 1)))
		unit++;
	if (unit) {
		uint64_t rest = n & ((UINT64_C(1) << (10 * unit)) - 1);

		whole = n >> (10 * unit);
		part = ((rest >> (10 * (unit - 1))) * 1000 / 1024 + 5) / 10;
		if (unit == 1)
			part = (rest * 1000 / 1024 + 5) / 10;
		whole += part >= 100;
		part %= 100;
	}
	if (!part)
		return tsb_format(h->p, "%llu %s", (unsigned long long)whole, units[unit]);
	if (part % 10)
		return tsb_format(h->p, "%llu.%02u %s", (unsigned long long)whole, (unsigned)part, units[unit]);
	return tsb_format(h->p, "%llu.%u %s", (unsigned long long)whole, (unsigned)part / 10, units[unit]);
}

/* ---- Which files ---- */

static bool hardlink_matches(struct regex **list, size_t n, const char *path)
{
	for (size_t i = 0; i < n; i++)
		if (regex_match(list[i], path, strlen(path), 0, 0, NULL, 0) == REGEX_MATCH)
			return true;
	return false;
}

static bool hardlink_wanted(const struct hardlink *h, const char *path)
{
	bool in = hardlink_matches(h->include, h->includes.n, path);

	if (h->excludes.n)
		return in || !hardlink_matches(h->exclude, h->excludes.n, path);
	return in || !h->includes.n;
}

static void hardlink_skip(struct hardlink *h, const char *path, const char *why)
{
	if (h->verbose > 1)
		tsb_printf(h->p, "Skipped %s (%s)\n", path, why);
}

static void hardlink_add(struct hardlink *h, const char *path, const struct tsb_stat *st)
{
	struct hardlink_name *name;
	struct hardlink_file *f;
	struct map_entry *e;
	const char *key;

	if (!hardlink_wanted(h, path))
		return;
	h->n_seen++;
	if (st->size < h->least || (h->most && st->size > h->most)) {
		hardlink_skip(h, path, st->size < h->least ? "smaller than configured size" :
			      "greater than configured size");
		return;
	}
	e = map_put(&h->paths, path, strlen(path));
	if (!e || e->value) {
		hardlink_skip(h, path, "specified more than once");
		return;
	}
	e->value = h;
	key = tsb_format(h->p, "%llx:%llx", (unsigned long long)st->dev, (unsigned long long)st->ino);
	e = map_put(&h->inodes, key, strlen(key));
	if (!e->value) {
		h->files = util_grow(h->p, h->files, h->n_files, &h->cap_files, sizeof(*h->files));
		h->files[h->n_files] = (struct hardlink_file){ .st = *st, .order = h->n_files };
		e->value = (void *)(uintptr_t)++h->n_files;
	}
	f = &h->files[(uintptr_t)e->value - 1];
	name = tsb_alloc(h->p, sizeof(*name));
	*name = (struct hardlink_name){ tsb_strdup(h->p, path), NULL };
	for (struct hardlink_name **at = &f->names;; at = &(*at)->next)
		if (!*at) {
			*at = name;
			break;
		}
}

static void hardlink_tree(struct hardlink *h, const char *operand)
{
	char *path;
	int err = tsb_realpath(h->p, operand, TSB_REAL_ALL_EXIST, &path);
	struct walk_entry *e;
	struct walk *w;

	if (err) {
		tsb_flush(h->p);
		tsb_warn_errno(h->p, err, "cannot get realpath: %s", operand);
		return;
	}
	w = walk_open(h->p, 1, &path, WALK_PHYSICAL);
	while ((e = walk_next(w))) {
		tsb_tick(h->p, 2);
		if (e->kind == WALK_FILE && !walk_stat(w, e) && S_ISREG(e->st.mode))
			hardlink_add(h, e->path, &e->st);
		else if (e->kind == WALK_UNREADABLE || e->kind == WALK_NO_STAT)
			tsb_warn_errno(h->p, e->error, "cannot process %s", e->path);
	}
}

/* ---- Which are equal ---- */

static int hardlink_compare(const struct hardlink *h, const struct hardlink_file *a, const struct hardlink_file *b)
{
	int c;

	if (a->st.dev != b->st.dev)
		return a->st.dev < b->st.dev ? -1 : 1;
	if (a->st.size != b->st.size)
		return a->st.size < b->st.size ? -1 : 1;
	c = (a->st.nlink > b->st.nlink) - (a->st.nlink < b->st.nlink);
	if (h->prefer && c)
		return h->prefer == 'm' ? -c : c;
	c = (a->st.mtime.sec > b->st.mtime.sec) - (a->st.mtime.sec < b->st.mtime.sec);
	if (c)
		return h->oldest ? c : -c;
	return (a->order > b->order) - (a->order < b->order);
}

/* A heap sort: nothing that is given makes it slow. */
static void hardlink_sift(struct hardlink *h, size_t at, size_t n)
{
	for (size_t child; (child = 2 * at + 1) < n; at = child) {
		struct hardlink_file t;

		child += child + 1 < n && hardlink_compare(h, &h->files[child], &h->files[child + 1]) < 0;
		if (hardlink_compare(h, &h->files[at], &h->files[child]) >= 0)
			return;
		t = h->files[at];
		h->files[at] = h->files[child];
		h->files[child] = t;
	}
}

static void hardlink_sort(struct hardlink *h)
{
	for (size_t i = h->n_files / 2; i--;)
		hardlink_sift(h, i, h->n_files);
	for (size_t n = h->n_files; n > 1; n--) {
		struct hardlink_file t = h->files[0];

		tsb_tick(h->p, 1);
		h->files[0] = h->files[n - 1];
		h->files[n - 1] = t;
		hardlink_sift(h, 0, n - 1);
	}
}

static bool hardlink_like(struct hardlink *h, const struct hardlink_file *a, const struct hardlink_file *b)
{
	const struct tsb_stat *x = &a->st, *y = &b->st;

	if ((!h->any_mode && x->mode != y->mode) || (!h->any_owner && (x->uid != y->uid || x->gid != y->gid)) ||
	    (!h->any_time && x->mtime.sec != y->mtime.sec) ||
	    (h->by_name && strcmp(path_last(a->names->path), path_last(b->names->path)))) {
		hardlink_skip(h, b->names->path, "attributes mismatch");
		return false;
	}
	h->n_xattrs += h->xattrs;
	return true;
}

static int hardlink_open(struct hardlink *h, const char *path)
{
	int fd = tsb_open(h->p, path, O_RDONLY | O_CLOEXEC, 0);

	if (fd < 0)
		tsb_warn_errno(h->p, fd, "cannot read %s", path);
	return fd;
}

static bool hardlink_equal(struct hardlink *h, const char *a, const char *b)
{
	int fd[2] = { hardlink_open(h, a), -1 };
	char *block = tsb_alloc(h->p, 2 * HARDLINK_BLOCK);
	bool same = true;
	ssize_t n, m = 0;

	fd[1] = fd[0] < 0 ? -1 : hardlink_open(h, b);
	while ((same = same && fd[1] >= 0)) {
		tsb_tick(h->p, 16);
		n = tsb_read(h->p, fd[0], block, HARDLINK_BLOCK);
		for (m = 0; m < n;) {
			ssize_t k = tsb_read(h->p, fd[1], block + HARDLINK_BLOCK + m, (size_t)(n - m));

			if (k <= 0)
				break;
			m += k;
		}
		same = n >= 0 && m == n && !memcmp(block, block + HARDLINK_BLOCK, (size_t)n);
		if (n <= 0)
			break;
	}
	for (int i = 0; i < 2; i++)
		if (fd[i] >= 0)
			tsb_close(h->p, fd[i]);
	tsb_free(h->p, block);
	return same;
}

/* ---- Linking ---- */

static bool hardlink_replace(struct hardlink *h, const char *from, const char *to)
{
	char *temporary = tsb_format(h->p, "%s.hardlink-temporary", to);
	int err = h->reflink_always ? -EOPNOTSUPP : tsb_link(h->p, from, temporary, false);

	if (err) {
		tsb_flush(h->p);
		tsb_warn_errno(h->p, err, "cannot link %s to %s", from, h->reflink_always ? to : temporary);
		return false;
	}
	err = tsb_rename(h->p, temporary, to, 0);
	if (!err)
		return true;
	tsb_flush(h->p);
	tsb_warn_errno(h->p, err, "cannot rename %s to %s", temporary, to);
	tsb_unlink(h->p, temporary);
	return false;
}

/* All names of b become names of a. */
static void hardlink_link(struct hardlink *h, struct hardlink_file *a, struct hardlink_file *b)
{
	for (struct hardlink_name *n; (n = b->names);) {
		if (h->verbose)
			tsb_printf(h->p, "%sLinking %s to %s (-%s)\n", h->dry ? "[DryRun] " : "", a->names->path,
				   n->path, hardlink_size(h, b->st.size));
		if (!h->dry && !hardlink_replace(h, a->names->path, n->path))
			return;
		h->n_linked++;
		h->saved += b->st.nlink <= 1 ? b->st.size : 0;
		b->st.nlink--;
		a->st.nlink++;
		b->names = n->next;
		n->next = a->names->next;
		a->names->next = n;
	}
}

static void hardlink_all(struct hardlink *h)
{
	hardlink_sort(h);
	for (size_t i = 0; i < h->n_files; i++) {
		struct hardlink_file *a = &h->files[i], *b = a + 1;

		for (; a->names && b < h->files + h->n_files && b->st.size == a->st.size && b->st.dev == a->st.dev;
		     b++) {
			tsb_tick(h->p, 1);
			if (!b->names || !hardlink_like(h, a, b))
				continue;
			h->n_compared++;
			if (hardlink_equal(h, a->names->path, b->names->path))
				hardlink_link(h, a, b);
			else
				hardlink_skip(h, b->names->path, "content mismatch");
		}
	}
}

static void hardlink_tell(struct hardlink *h)
{
	struct tsb_time now = tsb_clock(h->p, TSB_CLOCK_MONOTONIC);
	int64_t us = (now.sec - h->start.sec) * 1000000 + ((int64_t)now.nsec - (int64_t)h->start.nsec) / 1000;

	tsb_printf(h->p, "%-25s %s\n", "Mode:", h->dry ? "dry-run" : "real");
	tsb_printf(h->p, "%-25s memcmp\n", "Method:");
	tsb_printf(h->p, "%-25s %llu\n", "Files:", (unsigned long long)h->n_seen);
	tsb_printf(h->p, "%-25s %llu files\n", "Linked:", (unsigned long long)h->n_linked);
	tsb_printf(h->p, "%-25s %llu xattrs\n", "Compared:", (unsigned long long)h->n_xattrs);
	tsb_printf(h->p, "%-25s %llu files\n", "Compared:", (unsigned long long)h->n_compared);
	if (h->skip_reflinks || h->reflink)
		tsb_printf(h->p, "%-25s 0 files\n", "Skipped reflinks:");
	tsb_printf(h->p, "%-25s %s\n", "Saved:", hardlink_size(h, h->saved));
	tsb_printf(h->p, "%-25s %lld.%06lld seconds\n", "Duration:", (long long)(us / 1000000),
		   (long long)(us % 1000000));
}

/* ---- Options ---- */

static int hardlink_opt_show(struct tsb_proc *p, void *opts, const struct tsb_opt *opt, const char *arg)
{
	(void)opts, (void)arg;
	linuxopt_show(p, &cmd_hardlink, opt->value);
}

static int hardlink_opt_verbose(struct tsb_proc *p, void *opts, const struct tsb_opt *opt, const char *arg)
{
	(void)p, (void)opt, (void)arg;
	((struct hardlink *)opts)->verbose++;
	return 0;
}

static int hardlink_opt_content(struct tsb_proc *p, void *opts, const struct tsb_opt *opt, const char *arg)
{
	struct hardlink *h = opts;

	(void)p, (void)opt, (void)arg;
	h->any_mode = h->any_owner = h->any_time = true;
	return 0;
}

static int hardlink_opt_reflink(struct tsb_proc *p, void *opts, const struct tsb_opt *opt, const char *arg)
{
	struct hardlink *h = opts;

	(void)opt;
	h->reflink = !arg || strcmp(arg, "never");
	h->reflink_always = arg && !strcmp(arg, "always");
	if (!arg || !strcmp(arg, "auto") || !strcmp(arg, "never") || h->reflink_always)
		return 0;
	tsb_warn(p, "unsupported reflink mode; %s", arg);
	return 1;
}

static const struct tsb_opt hardlink_opts[] = {
	TSB_OPT_CALL(hardlink_opt_verbose, 0, 'v', "verbose", NULL, "verbose output (repeat for more verbosity)"),
	TSB_OPT_FLAG(struct hardlink, quiet, 'q', "quiet", "quiet mode - don't print anything"),
	TSB_OPT_FLAG(struct hardlink, dry, 'n', "dry-run", "don't actually link anything"),
	TSB_OPT_STR(struct hardlink, method, 'y', "method", "name", "file content comparison method"),
	TSB_OPT_FLAG(struct hardlink, by_name, 'f', "respect-name", "filenames have to be identical"),
	TSB_OPT_FLAG(struct hardlink, any_mode, 'p', "ignore-mode", "ignore changes of file mode"),
	TSB_OPT_FLAG(struct hardlink, any_owner, 'o', "ignore-owner", "ignore owner changes"),
	TSB_OPT_FLAG(struct hardlink, any_time, 't', "ignore-time", "ignore timestamps (when testing for equality)"),
	TSB_OPT_CALL(hardlink_opt_content, 0, 'c', "content", NULL, "compare only file contents, same as -pot"),
	TSB_OPT_FLAG(struct hardlink, xattrs, 'X', "respect-xattrs", "respect extended attributes"),
	TSB_OPT_CALL_OPT(hardlink_opt_reflink, 0, 0, "reflink", "when", "create clone/CoW copies (auto, always, never)"),
	TSB_OPT_FLAG(struct hardlink, skip_reflinks, 0, "skip-reflinks", "skip already cloned files"),
	TSB_OPT_SET(struct hardlink, prefer, 'm', 'm', "maximize", "maximize the hardlink count"),
	TSB_OPT_SET(struct hardlink, prefer, 'M', 'M', "minimize", "reverse the meaning of -m"),
	TSB_OPT_FLAG(struct hardlink, oldest, 'O', "keep-oldest", "keep the oldest file of multiple equal files"),
	TSB_OPT_LIST(struct hardlink, excludes, 'x', "exclude", "regex", "regular expression to exclude files"),
	TSB_OPT_LIST(struct hardlink, includes, 'i', "include", "regex", "regular expression to include files/dirs"),
	TSB_OPT_STR(struct hardlink, least_text, 's', "minimum-size", "size", "minimum size for files."),
	TSB_OPT_STR(struct hardlink, most_text, 'S', "maximum-size", "size", "maximum size for files."),
	TSB_OPT_STR(struct hardlink, block_text, 'b', "io-size", "size", "I/O buffer size for file reading"),
	TSB_OPT_STR(struct hardlink, cache_text, 'r', "cache-size", "size", "memory limit for cached file content data"),
	LINUXOPT_HELP(hardlink_opt_show),
	TSB_OPT_END
};

static void hardlink_number(struct hardlink *h, const char *text, const char *what, uint64_t *out)
{
	enum num_result r = text ? num_suffixed(text, "KMGTPEZY0", out) : NUM_OK;

	if (r == NUM_OK)
		return;
	tsb_warn(h->p, "failed to parse %s: '%s'%s", what, text, r == NUM_RANGE ?
		 ": Numerical result out of range" : ": Invalid argument");
	tsb_exit(h->p, 1);
}

static struct regex **hardlink_compile(struct hardlink *h, const struct tsb_list *list)
{
	struct regex **out = tsb_alloc(h->p, (list->n + 1) * sizeof(*out));

	for (size_t i = 0; i < list->n; i++) {
		const char *error = NULL;

		out[i] = regex_compile(tsb_heap_of(h->p), list->at[i], strlen(list->at[i]), REGEX_EXTENDED, &error);
		if (out[i])
			continue;
		tsb_warn(h->p, "could not compile regular expression %s: %s", list->at[i],
			 error ? error : "Memory exhausted");
		tsb_exit(h->p, 1);
	}
	return out;
}

static int hardlink_run(struct tsb_proc *p, void *opts, int argc, char **argv)
{
	struct hardlink *h = opts;
	uint64_t ignored = 0;

	h->p = p;
	h->least = 1;
	h->start = tsb_clock(p, TSB_CLOCK_MONOTONIC);
	hardlink_number(h, h->least_text, "minimum size", &h->least);
	hardlink_number(h, h->most_text, "maximum size", &h->most);
	hardlink_number(h, h->block_text, "I/O size", &ignored);
	hardlink_number(h, h->cache_text, "cache size", &ignored);
	h->exclude = hardlink_compile(h, &h->excludes);
	h->include = hardlink_compile(h, &h->includes);
	if (!argc) {
		tsb_warn(p, "no directory or file specified");
		return 1;
	}
	if (h->quiet && h->verbose) {
		tsb_warn(p, "mutually exclusive arguments: --quiet --verbose");
		return 1;
	}
	if (h->verbose && (!h->method || strcmp(h->method, "memcmp")))
		tsb_printf(p, "cannot initialize %s method, use 'memcmp' fallback\n",
			   h->method ? h->method : "sha256");
	map_init(&h->inodes, tsb_heap_of(p));
	map_init(&h->paths, tsb_heap_of(p));
	for (int i = 0; i < argc; i++)
		hardlink_tree(h, argv[i]);
	hardlink_all(h);
	if (!h->quiet)
		hardlink_tell(h);
	return 0;
}

const struct tsb_command cmd_hardlink = {
	.version = TSB_COMMAND_VERSION, .package = "util-linux", .package_version = "2.38.1", .name = "hardlink",
	.synopsis = "[options] <directory>|<file> ...", .summary = "Consolidate duplicate files using hardlinks.",
	.opts = hardlink_opts, .opts_size = sizeof(struct hardlink), .run = hardlink_run,
};
