/*
 * zdiff, zcmp and the same of bzip2 and xz - diff and cmp of files that may be compressed.
 * What is compressed goes through its decompressor: one such file is the comparer's standard
 * input ("-"), of two the first comes by descriptor 5 (gzip's, xz's) or the second
 * by a temporary file (bzip2's); those names are what diff's headers and cmp's lines show.
 */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "cmd/cmd.h"
#include "cmd/pack/pack.h"
#include "cmd/tempname.h"
#include "cmd/util.h"

enum zdiff_kind { ZDIFF_GZIP, ZDIFF_BZIP2, ZDIFF_XZ };

struct zdiff {
	struct tsb_proc *p;
	enum zdiff_kind kind;
	const struct tsb_command *cmd;
	const char *self, *compare;	/* "/usr/bin/zdiff"; "diff" */
	const char **options;		/* for the comparer */
	size_t n_options;
	char *file[2];
	int n_files;
};

/* ---- What the names say ---- */

static bool zdiff_ends(const char *name, const char *end)
{
	size_t n = strlen(name), k = strlen(end);

	return n >= k && !strcmp(name + n - k, end);
}

/* "-gz" or ".gz". */
static bool zdiff_suffix(const char *name, const char *end)
{
	size_t n = strlen(name), k = strlen(end);

	return n > k && zdiff_ends(name, end) && strchr("-.", name[n - k - 1]);
}

/* A list of suffixes "xz .tar"; with a dot in front only the dot does. */
static bool zdiff_any(const char *name, const char *const *ends)
{
	for (; *ends; ends++)
		if (**ends == '.' || **ends == '_' ? zdiff_ends(name, *ends) : zdiff_suffix(name, *ends))
			return true;
	return false;
}

static const char *const zdiff_bz[] = { "bz2", ".tbz", ".tbz2", NULL };
static const char *const zdiff_gz[] = { "z", "Z", "_z", "gz", ".taz", ".tgz", NULL };
static const char *const zdiff_zst[] = { "zst", ".tzst", NULL };
static const char *const zdiff_lzo[] = { "lzo", ".tzo", NULL };
static const char *const zdiff_xz[] = { "xz", "lzma", "lz", ".tlz", ".txz", NULL };

static bool zdiff_has_gz(const char *name)
{
	return strstr(name, ".gz") || strstr(name, "-gz") || zdiff_suffix(name, "z") ||
	       zdiff_suffix(name, "Z") || zdiff_ends(name, ".tgz") || zdiff_ends(name, ".taz");
}

static bool zdiff_packed(const struct zdiff *z, const char *name)
{
	if (z->kind == ZDIFF_BZIP2)
		return zdiff_ends(name, ".bz2");
	if (!strcmp(name, "-"))
		return true;
	if (z->kind == ZDIFF_GZIP)
		return zdiff_has_gz(name);
	return zdiff_any(name, zdiff_gz) || zdiff_any(name, zdiff_xz) || zdiff_any(name, zdiff_lzo) ||
	       zdiff_any(name, zdiff_zst) || zdiff_any(name, zdiff_bz);
}

/* ---- Programs ---- */

static int zdiff_spawn(struct zdiff *z, const char *const *argv, const struct tsb_fd_map *fds,
		       size_t n)
{
	struct tsb_spawn how = { .size = sizeof(how), .argv = argv, .fds = fds, .n_fds = n };
	int pid = -1, err = tsb_spawn(z->p, &how, &pid);

	if (err < 0) {
		pack_say(z->p, "%s: %s: %s\n", z->self, argv[0], err == -ENOENT ? "not found" :
			 tsb_strerror(err));
		return -1;
	}
	return pid;
}

static int zdiff_wait(struct zdiff *z, int pid)
{
	int status = 0;

	if (pid < 0 || tsb_wait(z->p, pid, &status, 0) < 0)
		return 127;
	return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

/* The decompressor of a file and its words: in argv, of at least 8. */
static void zdiff_unpacker(struct zdiff *z, const char *name, const char *flags, const char **argv)
{
	size_t n = 0;

	if (z->kind == ZDIFF_GZIP) {
		argv[n++] = "gzip";
	} else if (z->kind == ZDIFF_BZIP2 || zdiff_any(name, zdiff_bz)) {
		argv[n++] = "bzip2";
	} else if (zdiff_any(name, zdiff_gz)) {
		argv[n++] = "gzip";
	} else if (zdiff_any(name, zdiff_zst)) {
		argv[n++] = "zstd";
		argv[n++] = "-q";
	} else if (zdiff_any(name, zdiff_lzo)) {
		argv[n++] = "lzop";
	} else {
		argv[n++] = "xz";
		argv[n++] = "--format=auto";
		argv[n++] = "-qQ";
	}
	argv[n++] = flags;
	if (z->kind != ZDIFF_BZIP2)
		argv[n++] = "--";
	argv[n++] = name;
	argv[n] = NULL;
}

/* Starts it: *pid, and what its output is read from. */
static int zdiff_unpack(struct zdiff *z, const char *name, const char *flags, bool no_input, int *pid)
{
	const char *argv[8];
	struct tsb_fd_map map[4];
	int fd[2] = { -1, -1 };
	size_t n = 0;

	*pid = -1;
	if (tsb_pipe(z->p, fd) < 0)
		return -1;
	zdiff_unpacker(z, name, flags, argv);
	map[n++] = (struct tsb_fd_map){ 1, fd[1] };
	map[n++] = (struct tsb_fd_map){ fd[0], -1 };
	map[n++] = (struct tsb_fd_map){ fd[1], -1 };
	if (no_input)
		map[n++] = (struct tsb_fd_map){ 0, tsb_open(z->p, "/dev/null", O_RDONLY | O_CLOEXEC, 0) };
	*pid = zdiff_spawn(z, argv, map, n);
	tsb_close(z->p, fd[1]);
	tsb_set_cloexec(z->p, fd[0], true);
	return fd[0];
}

/* $DIFF and $CMP may be words. */
static int zdiff_compare(struct zdiff *z, const char *a, const char *b, const struct tsb_fd_map *fds,
			 size_t n_fds)
{
	const char **argv = tsb_alloc(z->p, (z->n_options + 8) * sizeof(*argv));
	const char *own = tsb_getenv(z->p, strcmp(z->compare, "cmp") ? "DIFF" : "CMP");
	size_t n = 0;

	tsb_flush(z->p);
	if (own) {
		argv[n++] = "/bin/sh";
		argv[n++] = "-c";
		argv[n++] = tsb_format(z->p, "%s \"$@\"", own);
	}
	argv[n++] = z->compare;
	memcpy(argv + n, z->options, z->n_options * sizeof(*argv));
	n += z->n_options;
	if (z->kind != ZDIFF_BZIP2)
		argv[n++] = "--";
	argv[n++] = a;
	argv[n++] = b;
	return zdiff_spawn(z, argv, fds, n_fds);
}

/* The worse of the comparison and of its decompressors. A pipe the comparer left is no
 * failure of xz's. */
static int zdiff_end(struct zdiff *z, int compare, int one, int two)
{
	int status = zdiff_wait(z, compare);
	const int pids[] = { one, two };

	for (int i = 0; i < 2; i++) {
		int r = pids[i] > 0 ? zdiff_wait(z, pids[i]) : 0;

		if (r && z->kind != ZDIFF_BZIP2 && !(z->kind == ZDIFF_XZ && r == 128 + 13))
			status = 2;
	}
	return status;
}

/* One file by a pipe as "-", the other by its name. */
static int zdiff_piped(struct zdiff *z, const char *packed, const char *flags, const char *a,
		       const char *b)
{
	int pid, fd = zdiff_unpack(z, packed, flags, false, &pid), compare;
	struct tsb_fd_map map = { 0, fd };

	compare = zdiff_compare(z, a, b, &map, 1);
	tsb_close(z->p, fd);
	return zdiff_end(z, compare, pid, -1);
}

static int zdiff_both(struct zdiff *z)
{
	const char *flags = z->kind == ZDIFF_GZIP ? "-cdfq" : "-cdf";
	int one, two, a = zdiff_unpack(z, z->file[0], flags, false, &one), b, compare;
	struct tsb_fd_map map[2];

	b = zdiff_unpack(z, z->file[1], flags, true, &two);
	map[0] = (struct tsb_fd_map){ 5, a };
	map[1] = (struct tsb_fd_map){ 0, b };
	compare = zdiff_compare(z, "/dev/fd/5", "-", map, 2);
	tsb_close(z->p, a);
	tsb_close(z->p, b);
	return zdiff_end(z, compare, one, two);
}

/* bzip2's way: the second one is unpacked into a file first. */
static int zdiff_temporary(struct zdiff *z)
{
	const char *dir = tsb_getenv(z->p, "TMPDIR"), *argv[8];
	char *name = tsb_format(z->p, "%s/bzdiff.XXXXXXXXXX", dir && *dir ? dir : "/tmp");
	struct tsb_fd_map map = { 1, -1 };
	int fd, status, pid;

	tempname_fill(z->p, name + strlen(name) - 10, 10);
	map.parent = fd = tsb_open(z->p, name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	if (fd < 0) {
		pack_say(z->p, "cannot create a temporary file\n");
		return 1;
	}
	zdiff_unpacker(z, z->file[1], "-cdfq", argv);
	pid = zdiff_spawn(z, argv, &map, 1);
	zdiff_wait(z, pid);
	tsb_close(z->p, fd);
	status = zdiff_piped(z, z->file[0], "-cdfq", "-", name);
	tsb_unlink(z->p, name);
	return status;
}

static int zdiff_two(struct zdiff *z)
{
	bool a = zdiff_packed(z, z->file[0]), b = zdiff_packed(z, z->file[1]);
	const char *flags = z->kind == ZDIFF_XZ ? "-cdf" : "-cdfq";

	if (a && b && !strcmp(z->file[0], "-") && !strcmp(z->file[1], "-"))
		return zdiff_piped(z, "-", flags, "-", "-");
	if (a && b)
		return z->kind == ZDIFF_BZIP2 ? zdiff_temporary(z) : zdiff_both(z);
	if (a)
		return zdiff_piped(z, z->file[0], flags, "-", z->file[1]);
	if (b)
		return zdiff_piped(z, z->file[1], flags, z->file[0], "-");
	return zdiff_end(z, zdiff_compare(z, z->file[0], z->file[1], NULL, 0), -1, -1);
}

/* ---- One file: with what it was made of ---- */

/* The name up to the last dash or dot behind which only these letters are; "" if there is none. */
static char *zdiff_stem(struct zdiff *z, const char *letters)
{
	size_t n = strlen(z->file[0]);

	while (n && strchr(letters, z->file[0][n - 1]))
		n--;
	return tsb_strndup(z->p, z->file[0], n && strchr("-.", z->file[0][n - 1]) ? n - 1 : 0);
}

static char *zdiff_original(struct zdiff *z)
{
	char *name = z->file[0];
	size_t n = strlen(name), t;

	if (z->kind == ZDIFF_BZIP2)
		return tsb_strndup(z->p, name, zdiff_ends(name, ".bz2") ? n - 4 : n);
	if (z->kind == ZDIFF_GZIP)
		return zdiff_has_gz(name) ? zdiff_stem(z, "zZtga") : NULL;
	if (zdiff_any(name, zdiff_gz) && !zdiff_ends(name, ".taz") && !zdiff_ends(name, ".tgz"))
		return zdiff_stem(z, "abglmostxzZ2");
	for (t = n; t > 1 && strchr("abglostxz2", name[t - 1]) && name[t - 1] != 't'; t--)
		;
	if (t > 1 && name[t - 1] == 't' && strchr("-.", name[t - 2]) && t < n &&
	    zdiff_packed(z, name))
		return tsb_format(z->p, "%.*sar", (int)t, name);
	return zdiff_packed(z, name) ? zdiff_stem(z, "abglmostxzZ2") : NULL;
}

static int zdiff_one(struct zdiff *z)
{
	char *original = strcmp(z->file[0], "-") ? zdiff_original(z) : NULL;
	const char *packed = z->file[0];

	if (!original) {
		pack_say(z->p, z->kind == ZDIFF_GZIP ? "%s: %s: unknown compressed file extension\n" :
			 "%s: %s: Unknown compressed file name suffix\n", z->self, z->file[0]);
		return 2;
	}
	if (z->kind == ZDIFF_BZIP2)
		packed = tsb_format(z->p, "%s.bz2", original);
	return zdiff_piped(z, packed, "-cd", "-", original);
}

/* ---- Arguments ---- */

static void zdiff_option(struct zdiff *z, const char *arg)
{
	z->options[z->n_options++] = arg;
}

/* gzip's: options stand anywhere, some take the next word. -1: all is well. */
static int zdiff_arguments_gzip(struct zdiff *z, int argc, char **argv)
{
	bool only_files = false;
	const char *need = NULL;

	for (int i = 0; i < argc; i++) {
		char *arg = argv[i];

		if (need) {
			zdiff_option(z, need);
			zdiff_option(z, arg);
			need = NULL;
		} else if (!only_files && !strcmp(arg, "--")) {
			only_files = true;
		} else if (!only_files && !strncmp(arg, "--", 2)) {
			pack_answer_letter(z->p, z->cmd, arg);
			zdiff_option(z, arg);
		} else if (!only_files && arg[0] == '-' && arg[1] && !arg[2] && strchr("CDFISUWXx", arg[1])) {
			need = arg;
		} else if (!only_files && arg[0] == '-' && arg[1]) {
			zdiff_option(z, arg);
		} else if (!*arg) {
			pack_say(z->p, "%s: empty file name\n", z->self);
			return 2;
		} else if (z->n_files == 2) {
			pack_say(z->p, "%s: extra operand '%s'\n", z->self, arg);
			return 2;
		} else {
			z->file[z->n_files++] = arg;
		}
	}
	if (need)
		pack_say(z->p, "%s: : option requires an argument -- '%s'\n", z->self, need);
	else if (!z->n_files)
		pack_say(z->p, "%s: missing operand\n", z->self);
	return need || !z->n_files ? 2 : -1;
}

static int zdiff_arguments_bzip2(struct zdiff *z, int argc, char **argv)
{
	for (int i = 0; i < argc; i++) {
		struct tsb_stat st;

		if (argv[i][0] == '-') {
			zdiff_option(z, argv[i]);
		} else if (tsb_stat(z->p, argv[i], &st) < 0 || !S_ISREG(st.mode)) {
			tsb_printf(z->p, "%s: %s not found or not a regular file\n", tsb_name(z->p), argv[i]);
			return 1;
		} else if (z->n_files++ < 2) {
			z->file[z->n_files - 1] = argv[i];
		}
	}
	if (z->n_files == 1 || z->n_files == 2)
		return -1;
	tsb_printf(z->p, "Usage: %s [%s_options] file [file]\n", tsb_name(z->p), z->compare);
	return 1;
}

static int zdiff_arguments_xz(struct zdiff *z, int argc, char **argv)
{
	int i = 0;

	for (; i < argc && argv[i][0] == '-' && argv[i][1]; i++) {
		if (!strcmp(argv[i], "--")) {
			i++;
			break;
		}
		pack_answer_letter(z->p, z->cmd, argv[i]);
		zdiff_option(z, argv[i]);
	}
	for (; i < argc; i++)
		if (z->n_files++ < 2)
			z->file[z->n_files - 1] = argv[i];
	return -1;
}

static bool zdiff_readable(struct zdiff *z, const char *name, int line)
{
	int fd;

	if (!strcmp(name, "-"))
		return true;
	fd = tsb_open(z->p, name, O_RDONLY | O_CLOEXEC, 0);
	if (fd < 0)
		pack_say(z->p, "%s: %d: cannot open %s: %s\n", z->self, line, name,
			 fd == -ENOENT ? "No such file" : tsb_strerror(fd));
	else
		tsb_close(z->p, fd);
	return fd >= 0;
}

/* The words are those of the shell that runs the real scripts, with its lines there. */
static int zdiff_files(struct zdiff *z)
{
	static const int gzip_lines[] = { 92, 96 };

	for (int i = 0; i < z->n_files && i < 2 && z->kind != ZDIFF_BZIP2; i++)
		if (!zdiff_readable(z, z->file[i], z->kind == ZDIFF_GZIP ? gzip_lines[i] : 65))
			return 2;
	if (z->n_files == 1)
		return zdiff_one(z);
	if (z->n_files == 2)
		return zdiff_two(z);
	pack_say(z->p, "%s: Invalid number of operands; try `%s --help' for help\n", z->self,
		 tsb_name(z->p));
	return 2;
}

static int zdiff_all(struct tsb_proc *p, int argc, char **argv, enum zdiff_kind kind,
		     const char *compare, const struct tsb_command *cmd)
{
	struct zdiff z = { .p = p, .kind = kind, .compare = compare, .cmd = cmd };
	int status;

	z.self = kind == ZDIFF_GZIP ? "/usr/bin/zdiff" : pack_self(p);
	z.options = tsb_alloc(p, ((size_t)argc * 2 + 1) * sizeof(*z.options));
	status = kind == ZDIFF_GZIP ? zdiff_arguments_gzip(&z, argc, argv) :
		 kind == ZDIFF_BZIP2 ? zdiff_arguments_bzip2(&z, argc, argv) :
		 zdiff_arguments_xz(&z, argc, argv);
	return status >= 0 ? status : zdiff_files(&z);
}

#define ZDIFF(name_, shown_, kind_, compare_, package_, version_) \
	extern const struct tsb_command cmd_##name_, cmd_##shown_; \
	static int name_##_run(struct tsb_proc *p, void *opts, int argc, char **argv) \
	{ \
		(void)opts; \
		return zdiff_all(p, argc, argv, kind_, compare_, &cmd_##shown_); \
	} \
	const struct tsb_command cmd_##name_ = { \
		.version = TSB_COMMAND_VERSION, .name = #name_, .package = package_, \
		.package_version = version_, .synopsis = "[OPTION]... FILE1 [FILE2]", \
		.summary = "Compare FILE1 to FILE2, using their uncompressed contents if they are\n" \
			   "compressed.  OPTIONs are the same as for '" compare_ "'.", \
		.run = name_##_run, .flags = TSB_RAW, .usage_status = 2 }

ZDIFF(zdiff, zdiff, ZDIFF_GZIP, "diff", "gzip", "1.12");
ZDIFF(zcmp, zcmp, ZDIFF_GZIP, "cmp", "gzip", "1.12");
ZDIFF(bzdiff, bzdiff, ZDIFF_BZIP2, "diff", "bzip2", "1.0.8");
ZDIFF(bzcmp, bzcmp, ZDIFF_BZIP2, "cmp", "bzip2", "1.0.8");
ZDIFF(xzdiff, xzdiff, ZDIFF_XZ, "diff", "XZ Utils", "5.4.1");
ZDIFF(xzcmp, xzcmp, ZDIFF_XZ, "cmp", "XZ Utils", "5.4.1");
ZDIFF(lzdiff, xzdiff, ZDIFF_XZ, "diff", "XZ Utils", "5.4.1");
ZDIFF(lzcmp, xzcmp, ZDIFF_XZ, "cmp", "XZ Utils", "5.4.1");
