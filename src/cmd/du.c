/*
 * du - how much room files take. One walk; the sums of the directories that the
 * walk is in are kept by depth. A file with several names counts once, and so
 * does a file that is reached from two operands.
 */
#include "cmd/cmd.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/num.h"
#include "cmd/files0.h"
#include "cmd/human.h"
#include "cmd/lines.h"
#include "cmd/util.h"
#include "cmd/walk.h"
#include "text/civil.h"
#include "text/datefmt.h"
#include "text/pattern.h"

enum du_time { DU_NO_TIME, DU_MTIME, DU_ATIME, DU_CTIME };

struct du_sum {
	uint64_t size, inodes;
	struct tsb_time time;
	bool has_time;
};

struct du_exclude {
	struct pattern *pattern;
};

struct du_seen {
	uint64_t dev, ino;
	bool used;
};

struct du {
	bool several;			/* a file may be reached twice */
	bool null, all, apparent, total, separate, summarize, count_links, one_fs, inodes, human_set,
		has_depth, has_threshold;
	int links;			/* 'P', 'D', 'L' */
	uint64_t depth;
	int64_t threshold;
	struct human human;
	enum du_time time;
	const char *time_style, *files0;
	struct du_exclude *excludes;
	size_t n_excludes, cap_excludes;

	struct tsb_proc *p;
	const char *format;
	struct zone zone;
	struct du_sum *sums;		/* by depth: what is below */
	struct du_sum *dirs;		/* by depth: the subdirectories' part, for -S */
	size_t n_sums;
	struct du_sum grand;
	struct du_seen *seen;
	size_t n_seen, cap_seen;
	int status;
};

/* ---- Options ---- */

static void du_block(struct du *d, unsigned flags, uint64_t block)
{
	d->human = (struct human){ flags, block };
	d->human_set = true;
}

static int du_opt_size(struct tsb_proc *p, void *opts, const struct tsb_opt *opt, const char *arg)
{
	unsigned scaled = HUMAN_AUTOSCALE | HUMAN_UNIT | HUMAN_CEILING;
	struct du *d = opts;
	enum human_result r;

	switch (opt->value) {
	case 'b':
		d->apparent = true;
		du_block(d, 0, 1);
		return 0;
	case 'h':
		du_block(d, scaled | HUMAN_1024, 1);
		return 0;
	case 's':
		du_block(d, scaled, 1);
		return 0;
	case 'k':
		du_block(d, 0, 1024);
		return 0;
	case 'm':
		du_block(d, 0, 1024 * 1024);
		return 0;
	default:
		r = human_parse(p, arg, &d->human);
		d->human_set = true;
		if (r == HUMAN_OK)
			return 0;
		human_complain(p, r, opt->value == 'B' ? "-B" : "--block-size", arg);
		return 1;
	}
}

/* Octal and hexadecimal numbers, as C has them, in decimal; what follows stays. */
static const char *du_decimal(struct tsb_proc *p, const char *arg)
{
	const char *s = arg + strspn(arg, " \t\n\v\f\r"), *sign = "";
	unsigned base = 8;
	uint64_t v = 0;

	if (*s == '-' || *s == '+')
		sign = *s++ == '-' ? "-" : "";
	if (*s != '0')
		return arg;
	if ((s[1] == 'x' || s[1] == 'X') && isxdigit((unsigned char)s[2])) {
		base = 16;
		s += 2;
	}
	for (; isxdigit((unsigned char)*s); s++) {
		unsigned digit = *s <= '9' ? (unsigned)(*s - '0') : (unsigned)((*s | 32) - 'a' + 10);

		if (digit >= base)
			break;
		if (__builtin_mul_overflow(v, base, &v) || __builtin_add_overflow(v, digit, &v))
			return "99999999999999999999";
	}
	/* A digit that is none of the base is a suffix that there is not. */
	return tsb_format(p, "%s%llu%s%s", sign, (unsigned long long)v,
			  *s >= '0' && *s <= '9' ? "?" : "", s);
}

static int du_opt_depth(struct tsb_proc *p, void *opts, const struct tsb_opt *opt, const char *arg)
{
	struct du *d = opts;

	(void)opt;
	if (num_u64(du_decimal(p, arg), &d->depth) != NUM_OK) {
		tsb_warn(p, "invalid maximum depth %s", quote_text(p, arg));
		d->status = 2;		/* said; the usage follows when all is read */
		return 0;
	}
	d->has_depth = true;
	return 0;
}

static int du_opt_threshold(struct tsb_proc *p, void *opts, const struct tsb_opt *opt,
			    const char *arg)
{
	struct du *d = opts;
	enum num_result r = num_isuffixed(du_decimal(p, arg), "kKmMGTPEZY0", &d->threshold);

	if (r != NUM_OK) {
		human_complain(p, r == NUM_RANGE ? HUMAN_TOO_LARGE : r == NUM_SUFFIX ?
			       HUMAN_BAD_SUFFIX : HUMAN_INVALID,
			       opt->value == 't' ? "-t" : "--threshold", arg);
		return 1;
	}
	if (d->threshold == 0 && *arg == '-') {
		tsb_warn(p, "invalid --threshold argument '-0'");
		return 1;
	}
	d->has_threshold = true;
	return 0;
}

static int du_opt_time(struct tsb_proc *p, void *opts, const struct tsb_opt *opt, const char *arg)
{
	static const struct util_word words[] = {
		{ "atime", DU_ATIME }, { "access", DU_ATIME }, { "use", DU_ATIME },
		{ "ctime", DU_CTIME }, { "status", DU_CTIME }, { NULL, 0 },
	};
	struct du *d = opts;
	int word = DU_MTIME, status = arg ? util_word(p, "--time", arg, words, &word) : 0;

	(void)opt;
	d->time = (enum du_time)word;
	return status;
}

static void du_exclude(struct tsb_proc *p, struct du *d, const char *text, size_t n)
{
	struct du_exclude *x;

	d->excludes = util_grow(p, d->excludes, d->n_excludes, &d->cap_excludes, sizeof(*x));
	x = &d->excludes[d->n_excludes++];
	*x = (struct du_exclude){ pattern_compile(tsb_heap_of(p), text, n, 0) };
}

static int du_opt_exclude(struct tsb_proc *p, void *opts, const struct tsb_opt *opt,
			  const char *arg)
{
	struct lines in = { .p = p };
	char *line;
	size_t n;
	int fd;

	if (opt->value == 'e') {
		du_exclude(p, opts, arg, strlen(arg));
		return 0;
	}
	fd = input_open(p, arg);
	if (fd < 0) {
		tsb_warn_errno(p, fd, "%s", quote_f(p, arg));
		return tsb_usage(p, NULL);
	}
	lines_open(&in, p, fd);
	while (lines_next(&in, '\n', &line, &n))
		if (n -= line[n - 1] == '\n')
			du_exclude(p, opts, line, n);
	input_close(p, fd);
	return 0;
}

static const struct tsb_opt du_opts[] = {
	TSB_OPT_FLAG(struct du, null, '0', "null", "end each output line with NUL, not newline"),
	TSB_OPT_FLAG(struct du, all, 'a', "all", "write counts for all files, not just directories"),
	TSB_OPT_FLAG(struct du, apparent, 0, "apparent-size",
		     "print apparent sizes rather than device usage"),
	TSB_OPT_CALL(du_opt_size, 'B', 'B', NULL, "SIZE", "scale sizes by SIZE before printing them"),
	TSB_OPT_CALL(du_opt_size, 'l', 0, "block-size", "SIZE", NULL),
	TSB_OPT_CALL(du_opt_size, 'b', 'b', "bytes", NULL,
		     "equivalent to '--apparent-size --block-size=1'"),
	TSB_OPT_FLAG(struct du, total, 'c', "total", "produce a grand total"),
	TSB_OPT_SET(struct du, links, 'D', 'D', "dereference-args",
		    "dereference only symlinks that are listed on the command line"),
	TSB_OPT_CALL(du_opt_depth, 0, 'd', "max-depth", "N",
		     "print the total for a directory (or file, with --all) only if it is N or "
		     "fewer levels below the command line argument; --max-depth=0 is the same as "
		     "--summarize"),
	TSB_OPT_STR(struct du, files0, 0, "files0-from", "F",
		    "summarize device usage of the NUL-terminated file names specified in file F; "
		    "if F is -, then read names from standard input"),
	TSB_OPT_SET(struct du, links, 'D', 'H', NULL, "equivalent to --dereference-args (-D)"),
	TSB_OPT_CALL(du_opt_size, 'h', 'h', "human-readable", NULL,
		     "print sizes in human readable format (e.g., 1K 234M 2G)"),
	TSB_OPT_FLAG(struct du, inodes, 0, "inodes",
		     "list inode usage information instead of block usage"),
	TSB_OPT_CALL(du_opt_size, 'k', 'k', NULL, NULL, "like --block-size=1K"),
	TSB_OPT_SET(struct du, links, 'L', 'L', "dereference", "dereference all symbolic links"),
	TSB_OPT_FLAG(struct du, count_links, 'l', "count-links",
		     "count sizes many times if hard linked"),
	TSB_OPT_CALL(du_opt_size, 'm', 'm', NULL, NULL, "like --block-size=1M"),
	TSB_OPT_SET(struct du, links, 'P', 'P', "no-dereference",
		    "don't follow any symbolic links (this is the default)"),
	TSB_OPT_FLAG(struct du, separate, 'S', "separate-dirs",
		     "for directories do not include size of subdirectories"),
	TSB_OPT_CALL(du_opt_size, 's', 0, "si", NULL, "like -h, but use powers of 1000 not 1024"),
	TSB_OPT_FLAG(struct du, summarize, 's', "summarize", "display only a total for each argument"),
	TSB_OPT_CALL(du_opt_threshold, 't', 't', NULL, "SIZE",
		     "exclude entries smaller than SIZE if positive, or entries greater than SIZE if "
		     "negative"),
	TSB_OPT_CALL(du_opt_threshold, 'l', 0, "threshold", "SIZE", NULL),
	TSB_OPT_CALL_OPT(du_opt_time, 0, 0, "time", "WORD",
			 "show time of the last modification of any file in the directory, or any of "
			 "its subdirectories; with WORD that time instead: atime, access, use, ctime "
			 "or status"),
	TSB_OPT_STR(struct du, time_style, 0, "time-style", "STYLE",
		    "show times using STYLE, which can be: full-iso, long-iso, iso, or +FORMAT"),
	TSB_OPT_CALL(du_opt_exclude, 'X', 'X', "exclude-from", "FILE",
		     "exclude files that match any pattern in FILE"),
	TSB_OPT_CALL(du_opt_exclude, 'e', 0, "exclude", "PATTERN", "exclude files that match PATTERN"),
	TSB_OPT_FLAG(struct du, one_fs, 'x', "one-file-system",
		     "skip directories on different file systems"),
	TSB_OPT_END
};

/* ---- Counting once ---- */

static size_t du_hash(uint64_t dev, uint64_t ino)
{
	return (size_t)((ino ^ dev << 40) * UINT64_C(0x9e3779b97f4a7c15) >> 20);
}

static void du_seen_put(struct du_seen *table, size_t cap, uint64_t dev, uint64_t ino)
{
	size_t i = du_hash(dev, ino) & (cap - 1);

	while (table[i].used)
		i = (i + 1) & (cap - 1);
	table[i] = (struct du_seen){ dev, ino, true };
}

static bool du_first_time(struct du *d, const struct tsb_stat *st)
{
	size_t i;

	if (2 * (d->n_seen + 1) > d->cap_seen) {
		size_t cap = d->cap_seen ? 2 * d->cap_seen : 256;
		struct du_seen *table = tsb_alloc(d->p, cap * sizeof(*table));

		for (size_t k = 0; k < d->cap_seen; k++)
			if (d->seen[k].used)
				du_seen_put(table, cap, d->seen[k].dev, d->seen[k].ino);
		tsb_free(d->p, d->seen);
		d->seen = table;
		d->cap_seen = cap;
	}
	for (i = du_hash(st->dev, st->ino) & (d->cap_seen - 1); d->seen[i].used;
	     i = (i + 1) & (d->cap_seen - 1))
		if (d->seen[i].ino == st->ino && d->seen[i].dev == st->dev)
			return false;
	d->seen[i] = (struct du_seen){ st->dev, st->ino, true };
	d->n_seen++;
	return true;
}

/* ---- Printing ---- */

static void du_put_size(struct du *d, const struct du_sum *s)
{
	char buf[HUMAN_SIZE];

	if (d->inodes) {
		struct human h = { d->human.flags & (HUMAN_AUTOSCALE | HUMAN_UNIT | HUMAN_1024), 1 };

		tsb_puts(d->p, human_format(buf, s->inodes, 1, &h));
		return;
	}
	tsb_puts(d->p, human_format(buf, s->size, 1, &d->human));
}

static void du_put_time(struct du *d, struct tsb_time t)
{
	struct date_moment m;
	struct str text;

	str_init(&text, tsb_heap_of(d->p), STR_MAX_DEFAULT);
	if (date_moment(&m, t.sec, t.nsec, &d->zone))
		date_format(&text, d->format, strlen(d->format), &m);
	tsb_printf(d->p, "\t%s", text.p);
	str_end(&text);
}

static void du_put(struct du *d, const struct du_sum *s, const char *name)
{
	du_put_size(d, s);
	if (d->time && s->has_time)
		du_put_time(d, s->time);
	tsb_printf(d->p, "\t%s", name);
	tsb_putc(d->p, d->null ? '\0' : '\n');
}

static bool du_wanted(const struct du *d, const struct du_sum *s)
{
	uint64_t v = d->inodes ? s->inodes : s->size;

	if (!d->has_threshold)
		return true;
	return d->threshold < 0 ? v <= (uint64_t)-d->threshold : v >= (uint64_t)d->threshold;
}

/* ---- Adding up ---- */

static void du_add(struct du_sum *to, const struct du_sum *s)
{
	if (__builtin_add_overflow(to->size, s->size, &to->size))
		to->size = UINT64_MAX;
	to->inodes += s->inodes;
	if (s->has_time && (!to->has_time || util_time_cmp(to->time, s->time) < 0)) {
		to->time = s->time;
		to->has_time = true;
	}
}

static struct du_sum du_of(const struct du *d, const struct tsb_stat *st)
{
	struct du_sum s = { .inodes = 1, .has_time = true };
	bool sized = S_ISREG(st->mode) || S_ISLNK(st->mode);

	s.size = !d->apparent ? st->blocks * 512 : sized ? st->size : 0;
	if (d->apparent && S_ISDIR(st->mode))
		s.size = st->size;
	s.time = d->time == DU_ATIME ? st->atime : d->time == DU_CTIME ? st->ctime : st->mtime;
	return s;
}

static void du_reserve(struct du *d, size_t depth)
{
	size_t n = d->n_sums;

	if (depth < n)
		return;
	n = 2 * depth + 16;
	d->sums = tsb_realloc(d->p, d->sums, n * sizeof(*d->sums));
	d->dirs = tsb_realloc(d->p, d->dirs, n * sizeof(*d->dirs));
	memset(d->sums + d->n_sums, 0, (n - d->n_sums) * sizeof(*d->sums));
	memset(d->dirs + d->n_sums, 0, (n - d->n_sums) * sizeof(*d->dirs));
	d->n_sums = n;
}

static void du_entry(struct du *d, const struct walk_entry *e, bool is_dir)
{
	struct du_sum own = du_of(d, &e->st), shown = own;
	size_t depth = e->depth;

	du_add(&d->grand, &own);
	du_reserve(d, depth + 1);
	if (is_dir) {
		/* sums[depth + 1]: files in it; dirs[depth + 1]: directories in it, whole. */
		du_add(&shown, &d->sums[depth + 1]);
		own = shown;
		du_add(&own, &d->dirs[depth + 1]);
		if (!d->separate)
			shown = own;
		d->sums[depth + 1] = d->dirs[depth + 1] = (struct du_sum){ 0 };
		if (depth)
			du_add(&d->dirs[depth], &own);
	} else if (depth) {
		du_add(&d->sums[depth], &own);
	}
	if (depth <= d->depth && (is_dir || d->all || !depth) && du_wanted(d, &shown))
		du_put(d, &shown, e->path);
}

/* ---- The walk ---- */

/* A pattern holds for the whole name or what stands behind a slash in it. */
static bool du_excluded(const struct du *d, const char *path)
{
	size_t n = strlen(path);

	for (size_t i = 0; i < d->n_excludes; i++)
		for (size_t at = 0; at <= n; at++)
			if ((!at || (path[at - 1] == '/' && path[at] != '/')) &&
			    pattern_match(d->excludes[i].pattern, path + at, n - at))
				return true;
	return false;
}

static void du_unreadable(struct du *d, struct walk_entry *e)
{
	tsb_warn_errno(d->p, e->error, "cannot read directory %s", quote_af(d->p, e->path));
	d->status = 1;
	du_entry(d, e, true);
}

/* Has it been counted under another name? Asked of what may have one. */
static bool du_is_counted(struct du *d, const struct tsb_stat *st)
{
	bool may = d->several || (!S_ISDIR(st->mode) && st->nlink > 1);

	return may && !d->count_links && !du_first_time(d, st);
}

static void du_visit(struct du *d, struct walk *w, struct walk_entry *e)
{
	switch (e->kind) {
	case WALK_DIR:
		if (du_excluded(d, e->path) || du_is_counted(d, &e->st)) {
			e->number = 1;
			walk_skip(w);
		}
		return;
	case WALK_DIR_END:
		if (!e->number)
			du_entry(d, e, true);
		return;
	case WALK_UNREADABLE:
		du_unreadable(d, e);
		return;
	case WALK_NO_STAT:
		if (du_excluded(d, e->path))
			return;
		tsb_warn_errno(d->p, e->error, "cannot access %s", quote_af(d->p, e->path));
		d->status = 1;
		return;
	case WALK_CYCLE:
		return;
	default:
		if (du_excluded(d, e->path))
			return;
		if (e->kind == WALK_DANGLING && d->links == 'L') {
			tsb_warn(d->p, "cannot access %s", quote_af(d->p, e->path));
			d->status = 1;
			return;
		}
		if (du_is_counted(d, &e->st))
			return;
		du_entry(d, e, false);
	}
}

static void du_walk(struct du *d, size_t n, char **names)
{
	unsigned flags = d->links == 'L' ? WALK_LOGICAL : d->links == 'D' ? WALK_OPERANDS : WALK_PHYSICAL;
	struct walk_entry *e;
	struct walk *w;

	w = walk_open(d->p, (int)n, names, flags | (d->one_fs ? WALK_ONE_FS : 0));
	while ((e = walk_next(w))) {
		if (e->kind != WALK_NO_STAT && walk_stat(w, e) < 0)
			continue;
		du_visit(d, w, e);
	}
}

/* ---- The beginning ---- */

static int du_time_format(struct tsb_proc *p, struct du *d)
{
	static const struct util_word words[] = { { "full-iso", 0 }, { "long-iso", 1 }, { "iso", 2 },
						  { NULL, 0 } };
	static const char *const formats[] = { "%Y-%m-%d %H:%M:%S.%N %z", "%Y-%m-%d %H:%M",
					       "%Y-%m-%d" };
	const char *style = d->time_style ? d->time_style : tsb_getenv(p, "TIME_STYLE");
	int word;

	d->format = formats[1];
	zone_init(&d->zone, tsb_getenv(p, "TZ"));
	if (!style || (!d->time_style && !strcmp(style, "locale")))
		return 0;
	if (!d->time_style && !strncmp(style, "posix-", 6))
		style += 6;
	if (*style == '+') {
		d->format = tsb_strndup(p, style + 1, d->time_style ? strlen(style) :
					strcspn(style + 1, "\n"));
		return 0;
	}
	if (!d->time_style && util_word(p, "time style", "iso", words, &word))
		return 1;
	for (word = 0; words[word].word; word++)
		if (!strcmp(words[word].word, style)) {
			d->format = formats[word];
			return 0;
		}
	if (!d->time_style)
		return 0;
	return util_word(p, "time style", style, words, &word) ? 1 :
	       (d->format = formats[word], 0);
}

static int du_check(struct tsb_proc *p, struct du *d)
{
	if (d->status)
		return tsb_usage(p, NULL);
	if (d->all && d->summarize)
		return tsb_usage(p, "cannot both summarize and show all entries");
	if (d->summarize && d->has_depth && d->depth == 0)
		tsb_warn(p, "warning: summarizing is the same as using --max-depth=0");
	if (d->summarize && d->has_depth && d->depth)
		return tsb_usage(p, "warning: summarizing conflicts with --max-depth=%llu",
				 (unsigned long long)d->depth);
	if (d->summarize)
		d->depth = 0;
	else if (!d->has_depth)
		d->depth = UINT64_MAX;
	if (d->inodes && d->apparent)
		tsb_warn(p, "warning: options --apparent-size and -b are ineffective with --inodes");
	if (!d->human_set) {
		const char *block = tsb_getenv(p, "DU_BLOCK_SIZE");

		if (human_parse(p, block, &d->human) != HUMAN_OK)
			d->human = (struct human){ 0, 1 };
	}
	return d->time ? du_time_format(p, d) : 0;
}

/* A list of names: bad ones are said, the others done. */
static void du_list(struct du *d, struct files0 *list)
{
	bool from_stdin = !strcmp(list->from, "-");

	for (size_t i = 0; i < list->n; i++) {
		if (!*list->at[i]) {
			tsb_warn(d->p, "%s:%zu: %s", quote_f(d->p, list->from), i + 1,
				 "invalid zero-length file name");
			d->status = 1;
			continue;
		}
		if (from_stdin && !strcmp(list->at[i], "-")) {
			tsb_warn(d->p, "when reading file names from stdin, no file name of %s allowed",
				 quote_af(d->p, "-"));
			d->status = 1;
			continue;
		}
		du_walk(d, 1, &list->at[i]);
	}
}

/* Those that have a name; an empty one is told of. */
static void du_operands(struct du *d, int argc, char **argv)
{
	size_t n = 0;

	for (int i = 0; i < argc; i++) {
		if (*argv[i]) {
			argv[n++] = argv[i];
			continue;
		}
		tsb_warn(d->p, "invalid zero-length file name");
		d->status = 1;
	}
	if (n)
		du_walk(d, n, argv);
}

static int du_run(struct tsb_proc *p, void *opts, int argc, char **argv)
{
	static char here[] = ".";
	struct files0 list;
	struct du *d = opts;
	char *none[] = { here, NULL };
	int status;

	d->p = p;
	d->several = argc > 1 || d->files0 || d->links == 'L';
	status = du_check(p, d);
	if (status)
		return status;
	if (d->files0 && argc) {
		tsb_warn(p, "extra operand %s", quote_text(p, argv[0]));
		tsb_write_all(p, 2, "file operands cannot be combined with --files0-from\n", 52);
		return tsb_usage(p, NULL);
	}
	if (d->files0) {
		status = files0_read(p, d->files0, "cannot open", &list);
		if (status && !list.failed_open)
			tsb_warn_errno(p, status, "%s: read error", quote_f(p, d->files0));
		if (status)
			return 1;
		du_list(d, &list);
	} else {
		du_operands(d, argc ? argc : 1, argc ? argv : none);
	}
	if (d->total)
		du_put(d, &d->grand, "total");
	return d->status;
}

static const struct du du_defaults = { .links = 'P' };

const struct tsb_command cmd_du = {
	CMD_COREUTILS, .name = "du", .synopsis = "[OPTION]... [FILE]...\n[OPTION]... --files0-from=F",
	.summary = "Summarize device usage of the set of FILEs, recursively for directories.",
	.opts = du_opts, .opts_size = sizeof(struct du), .defaults = &du_defaults, .run = du_run,
};
