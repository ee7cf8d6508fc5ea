/*
 * gzip's files: which are taken, what the result is called, and what is said
 * about them.
 */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>

#include "base/num.h"
#include "cmd/pack/gzip.h"
#include "cmd/path.h"
#include "text/datefmt.h"

enum { GZIP_DEPTH_MAX = 1000 };

static bool gzip_errno(struct gzip *g, const char *name, int err)
{
	pack_say(g->p, "gzip: %s%s%s\n", name, *name ? ": " : "", tsb_strerror(err));	/* perror() */
	g->status = GZIP_ERROR;
	return false;
}

/* ---- Names ---- */

/* The suffix of a compressed file's name; NULL: none. */
static const char *gzip_suffix(const struct gzip *g, const char *name)
{
	static const char *const known[] = { ".gz", ".z", ".taz", ".tgz", "-gz", "-z", "_z" };
	size_t n = strlen(name);

	for (size_t i = 0; i <= sizeof(known) / sizeof(*known); i++) {
		const char *suffix = i ? known[i - 1] : g->suffix;
		size_t len = strlen(suffix);

		if (len && n > len && name[n - len - 1] != '/' &&
		    !strcasecmp(name + n - len, suffix))
			return name + n - len;
	}
	return NULL;
}

static bool gzip_name_out(struct gzip *g)
{
	const char *suffix = gzip_suffix(g, g->name);
	size_t stem = suffix ? (size_t)(suffix - g->name) : 0;

	if (!g->decompress) {
		if (!suffix) {
			g->out_name = tsb_format(g->p, "%s%s", g->name, g->suffix);
		} else if (g->verbose || (!g->recursive && !g->quiet)) {
			pack_say(g->p, "gzip: %s already has %s suffix -- unchanged\n", g->name,
				 suffix);
		}
		return !suffix;
	}
	g->out_name = g->name;
	if (!suffix) {
		if (!g->recursive && (g->list || g->test))
			return true;
		if (g->verbose || (!g->recursive && !g->quiet))
			gzip_warn(g, "gzip: %s: unknown suffix -- ignored\n", g->name);
		return false;
	}
	g->out_name = tsb_format(g->p, "%.*s%s", (int)stem, g->name,
				 !strcasecmp(suffix, ".tgz") || !strcasecmp(suffix, ".taz")
				 ? ".tar" : "");
	return true;
}

/* -N: the name in the header, in the directory of the file. */
static bool gzip_restore_name(struct gzip *g)
{
	const char *slash, *base;

	if (!g->stored_name || g->no_name)
		return true;
	if (!*g->stored_name && !g->list) {
		pack_say(g->p, "gzip: No such file or directory\n");
		g->status = GZIP_ERROR;
		return false;
	}
	base = strrchr(g->stored_name, '/');
	base = base ? base + 1 : g->stored_name;
	slash = strrchr(g->name, '/');
	if (*base && strcmp(base, ".") && strcmp(base, ".."))
		g->out_name = tsb_format(g->p, "%.*s%s",
					 slash && !g->to_stdout ? (int)(slash + 1 - g->name) : 0,
					 g->name, base);
	return true;
}

/* ---- Opening ---- */

static int gzip_open_flags(const struct gzip *g)
{
	return O_RDONLY | O_NONBLOCK | (g->force || g->to_stdout || g->list || g->test
					? 0 : O_NOFOLLOW);
}

/* Tries the usual suffixes when a file to be decompressed is missing. */
static int gzip_open_input(struct gzip *g)
{
	static const char *const tried[] = { ".gz", ".z", "-z", ".Z" };
	int flags = gzip_open_flags(g), fd = tsb_open(g->p, g->name, flags, 0);
	const char *first = NULL;

	if (fd != -ENOENT || !g->decompress || gzip_suffix(g, g->name)) {
		if (fd < 0)
			gzip_errno(g, g->name, fd);
		return fd;
	}
	for (size_t i = 0; i <= 4; i++) {
		const char *suffix = i ? tried[i - 1] : g->suffix;
		char *name = tsb_format(g->p, "%s%s", g->name, suffix);

		first = first ? first : name;
		fd = tsb_open(g->p, name, flags, 0);
		if (fd != -ENOENT) {
			g->name = name;
			break;
		}
	}
	if (fd < 0)
		gzip_errno(g, fd == -ENOENT ? first : g->name, fd);
	return fd;
}

static bool gzip_takes(struct gzip *g)
{
	if (!S_ISREG(g->st.mode)) {
		gzip_warn(g, "gzip: %s is not a directory or a regular file - ignored\n", g->name);
	} else if (g->st.mode & S_ISUID) {
		gzip_warn(g, "gzip: %s is set-user-ID on execution - ignored\n", g->name);
	} else if (g->st.mode & S_ISGID) {
		gzip_warn(g, "gzip: %s is set-group-ID on execution - ignored\n", g->name);
	} else if (!g->force && (g->st.mode & S_ISVTX)) {
		gzip_warn(g, "gzip: %s has the sticky bit set - file ignored\n", g->name);
	} else if (!g->force && g->st.nlink > 1) {
		gzip_warn(g, "gzip: %s has %u other link%s -- file ignored\n", g->name,
			  (unsigned)g->st.nlink - 1, g->st.nlink > 2 ? "s" : "");
	} else {
		return true;
	}
	return false;
}

static bool gzip_agrees(struct gzip *g)
{
	struct tsb_reader in;
	char *line;
	bool yes = false;

	pack_say(g->p, "gzip: %s already exists;", g->out_name);
	if (tsb_isatty(g->p, 0)) {
		pack_say(g->p, " do you wish to overwrite (y or n)? ");
		tsb_reader_init(&in, g->p, 0);
		yes = tsb_getdelim(&in, &line, '\n') && (*line == 'y' || *line == 'Y');
	}
	if (!yes) {
		pack_say(g->p, "\tnot overwritten\n");
		g->status = g->status ? g->status : GZIP_WARNING;
	}
	return yes;
}

static int gzip_open_output(struct gzip *g)
{
	int flags = O_WRONLY | O_CREAT | O_EXCL;
	int fd = tsb_open(g->p, g->out_name, flags, 0600);

	if (fd == -EEXIST) {
		if (!g->force && !gzip_agrees(g))
			return -1;
		tsb_unlink(g->p, g->out_name);
		fd = tsb_open(g->p, g->out_name, flags, 0600);
	}
	if (fd < 0)
		gzip_errno(g, g->out_name, fd);
	return fd;
}

/* ---- What is said ---- */

static char *gzip_ratio_text(struct tsb_proc *p, int64_t num, int64_t den)
{
	return tsb_format(p, "%5.1f%%", den ? 100.0 * (double)num / (double)den : 0.0);
}

static void gzip_say_ratio(struct gzip *g)
{
	int64_t in = (int64_t)g->bytes_in, out = (int64_t)g->bytes_out;
	int64_t head = (int64_t)g->header_bytes;

	pack_say(g->p, "%s", g->decompress ? gzip_ratio_text(g->p, out - (in - head), out)
					   : gzip_ratio_text(g->p, in - (out - head), in));
}

static void gzip_list_row(struct gzip *g, uint64_t in, uint64_t out, const char *name)
{
	int64_t gain = (int64_t)out - ((int64_t)in - (int64_t)g->header_bytes);

	tsb_printf(g->p, "%19llu %19llu %s %s\n", (unsigned long long)in, (unsigned long long)out,
		   gzip_ratio_text(g->p, gain, (int64_t)out), name);
}

static void gzip_list(struct gzip *g)
{
	static const char *const methods[] = { "store", "compr", "pack ", "lzh  ", "", "", "", "",
					       "defla" };
	int64_t sec = g->stamp.nsec < 0 ? 0 : g->stamp.sec;
	struct date_moment when;
	struct zone zone;
	struct str text;

	if (!g->listed && !g->quiet)
		tsb_printf(g->p, "%s%19s %19s  ratio uncompressed_name\n",
			   g->verbose ? "method  crc     date  time  " : "", "compressed",
			   "uncompressed");
	g->listed = true;
	g->n_listed++;
	if (g->verbose) {
		zone_init(&zone, tsb_getenv(g->p, "TZ"));
		str_init(&text, tsb_heap_of(g->p), STR_MAX_DEFAULT);
		if (date_moment(&when, sec, 0, &zone))
			date_format(&text, "%b %e %H:%M", 11, &when);
		tsb_printf(g->p, "%5s %08x %s ", methods[g->method],
			   g->method == GZIP_DEFLATED ? g->crc : UINT32_MAX, text.p);
	}
	gzip_list_row(g, g->bytes_in, g->bytes_out, g->out_name);
	g->total_in += g->bytes_in;
	g->total_out += g->bytes_out;
}

void gzip_list_totals(struct gzip *g)
{
	if (!g->total_in || !g->total_out)
		return;
	if (g->verbose)
		tsb_puts(g->p, "                            ");
	if (g->verbose || !g->quiet)
		gzip_list_row(g, g->total_in, g->total_out, "(totals)");
}

/* ---- One file ---- */

static void gzip_start(struct gzip *g, int fd)
{
	pack_in_open(&g->in, g->p, fd);
	pack_out_open(&g->out, g->p, g->test || g->list ? -1 : 1);
	g->part = 0;
	g->header_bytes = g->bytes_in = g->bytes_out = 0;
	g->stored_name = NULL;
	g->last_member = g->zip = false;
	g->stamp = S_ISREG(g->st.mode) ? g->st.mtime : (struct tsb_time){ 0, -1 };
	g->crc = UINT32_MAX;
}

/* All members, the first header being read: false after an error. */
static bool gzip_members(struct gzip *g)
{
	int method = g->method;

	for (;;) {
		g->method = method;
		if (!gzip_decompress(g))
			return false;
		if (g->last_member)
			break;
		method = gzip_read_header(g);
		if (method == -1)
			return false;
		if (method < 0)
			break;
	}
	g->bytes_in = g->in.total;
	return method != -2 || !g->list;
}

static bool gzip_work(struct gzip *g)
{
	bool good = g->decompress ? gzip_members(g) : gzip_compress(g);

	if (good && g->list)
		gzip_list(g);
	return good;
}

static void gzip_finish_output(struct gzip *g, bool good)
{
	struct tsb_stat st = g->st;
	int err;

	if (good) {
		if (g->decompress && !g->no_time && g->stamp.nsec >= 0)
			st.mtime = g->stamp;
		pack_copy_stat(g->p, g->out.fd, &st);
		if (g->synchronous)
			tsb_fsync(g->p, g->out.fd);
	}
	err = tsb_close(g->p, g->out.fd);
	if (good && err < 0)
		good = gzip_errno(g, g->out_name, err);
	if (good && !g->keep)
		err = tsb_unlink(g->p, g->name);
	if (good && !g->keep && err < 0)
		gzip_errno(g, g->name, err);
	if (!good)
		tsb_unlink(g->p, g->out_name);
}

static void gzip_convert(struct gzip *g, bool to_file)
{
	bool good;

	if (to_file) {
		g->out.fd = gzip_open_output(g);
		if (g->out.fd < 0)
			return;
	}
	if (g->verbose && !g->list)
		pack_say(g->p, "%s:\t", g->name);
	good = gzip_work(g);
	if (to_file)
		gzip_finish_output(g, good);
	if (!good || !g->verbose || g->list)
		return;
	if (g->test) {
		pack_say(g->p, " OK\n");
		return;
	}
	gzip_say_ratio(g);
	pack_say(g->p, " -- %s %s\n", g->keep ? "created" : "replaced with",
		 to_file ? g->out_name : "stdout");
}

static void gzip_opened(struct gzip *g)
{
	bool to_file = !g->to_stdout && !g->test && !g->list;

	if (to_file && !gzip_takes(g))
		return;
	g->out_name = "stdout";
	if ((to_file || g->list || g->test) && !gzip_name_out(g))
		return;
	gzip_start(g, g->in.fd);
	g->save_name = !g->no_name;
	if (g->decompress) {
		int method = gzip_read_header(g);

		if (method < 0)
			return;
		g->method = method;
		if ((to_file || g->list) && !gzip_restore_name(g))
			return;
	}
	gzip_convert(g, to_file);
}

static void gzip_directory(struct gzip *g, const char *name, int depth)
{
	char **names;
	size_t n;
	int err = tsb_listdir(g->p, name, &names, &n);

	if (err < 0) {
		gzip_errno(g, name, err);
		return;
	}
	for (size_t i = 0; i < n; i++) {
		char *path = path_join(g->p, name, names[i]);
		struct tsb_stat st;

		tsb_tick(g->p, 1);
		if (depth < GZIP_DEPTH_MAX && !tsb_lstat(g->p, path, &st) && S_ISDIR(st.mode))
			gzip_directory(g, path, depth + 1);
		else
			gzip_file(g, path);
	}
}

void gzip_file(struct gzip *g, const char *name)
{
	int fd;

	if (!strcmp(name, "-")) {
		gzip_stdin(g);
		return;
	}
	g->name = name;
	fd = gzip_open_input(g);
	if (fd < 0)
		return;
	g->in.fd = fd;
	tsb_fstat(g->p, fd, &g->st);
	if (!S_ISDIR(g->st.mode)) {
		gzip_opened(g);
	} else if (!g->recursive) {
		gzip_warn(g, "gzip: %s is a directory -- ignored\n", g->name);
	}
	tsb_close(g->p, fd);
	if (S_ISDIR(g->st.mode) && g->recursive)
		gzip_directory(g, name, 0);
}

void gzip_stdin(struct gzip *g)
{
	bool was_stdout = g->to_stdout, done;

	g->name = "stdin";
	g->out_name = "stdout";
	g->to_stdout = true;
	memset(&g->st, 0, sizeof(g->st));
	tsb_fstat(g->p, 0, &g->st);
	gzip_start(g, 0);
	g->save_name = false;
	if (g->decompress) {
		int method = gzip_read_header(g);

		if (method < 0) {	/* the end of the run */
			g->aborted = true;
			return;
		}
		g->method = method;
	}
	done = gzip_work(g);
	g->to_stdout = was_stdout;
	if (!done || !g->verbose || g->list)
		return;
	if (g->test) {
		pack_say(g->p, " OK\n");
	} else if (!g->decompress) {
		gzip_say_ratio(g);
		pack_say(g->p, "\n");
	}
}
