/*
 * zgrep, zegrep, zfgrep, and the same of bzip2, xz and zstd - grep in files that
 * may be compressed: each goes through its decompressor into grep.
 */
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "base/str.h"
#include "cmd/cmd.h"
#include "cmd/pack/pack.h"
#include "text/pattern.h"

/* What the scripts of the four packages differ in. */
struct zgrep_kind {
	const char *unpack;
	const char *const *refused;	/* beginnings of long options */
	const char *refused_letters;
	const char *not_supported;
	bool answers;			/* it knows --help and --version */
	int wrong;			/* status of wrong usage */
};

static const char *const zgrep_long[] = { "--di", "--exc", "--inc", "--rec", "--nu", NULL };
static const char *const bzgrep_long[] = { "--d", "--rec", NULL };
static const char *const none_long[] = { NULL };

static const struct zgrep_kind zgrep_gzip = { "gzip -cdfq", zgrep_long, "drRzZ",
	"option not supported", true, 2 };
static const struct zgrep_kind zgrep_xz = { "xz -cdfq", zgrep_long, "drRzZ",
	"Option not supported", true, 2 };
static const struct zgrep_kind zgrep_bzip2 = { "bzip2 -cdfq", bzgrep_long, "dr",
	"option not supported", false, 2 };
static const struct zgrep_kind zgrep_zstd = { "zstd -cdfq", none_long, "", "", false, 1 };

struct zgrep {
	struct tsb_proc *p;
	const struct zgrep_kind *kind;
	const struct tsb_command *cmd;	/* whose help and version it shows */
	const char *grep_option;	/* "-E" */
	const char **options;
	size_t n_options;
	char **files;
	size_t n_files;
	bool has_pattern, with_name, without_name, list, list_others;
};

static void zgrep_add(struct zgrep *z, const char *option)
{
	z->options[z->n_options++] = option;
}

static bool zgrep_is(const char *arg, const char *begin)
{
	return !strncmp(arg, begin, strlen(begin));
}

/* Those whose argument is the next word. As in gzip's script, not all that grep has. */
static bool zgrep_takes_next(const char *arg)
{
	if (arg[1] != '-')
		return strchr("ABCDXdefm", arg[1]) && !arg[2];
	if (!strcmp(arg, "--file"))
		return true;
	return !strchr(arg, '=') && (zgrep_is(arg, "--binary-") || zgrep_is(arg, "--la") ||
				     zgrep_is(arg, "--ma") || zgrep_is(arg, "--reg"));
}

static bool zgrep_refused(const struct zgrep_kind *kind, const char *arg)
{
	for (const char *const *name = kind->refused; *name; name++)
		if (zgrep_is(arg, *name))
			return true;
	return strchr(kind->refused_letters, arg[1]) && !arg[2];
}

/* The words are those of the shell that runs the real scripts, with its lines there. */
static void zgrep_say_missing(const struct zgrep *z, const char *option)
{
	struct tsb_proc *p = z->p;
	const char *self = pack_self(p);

	if (z->kind == &zgrep_gzip && option)
		pack_say(p, "%s: 75: 1: %s option requires an argument\n", self, option);
	else if (z->kind == &zgrep_gzip)
		pack_say(p, "%s: 188: 1: missing pattern; try `%s --help' for help\n", self, self);
	else if (z->kind == &zgrep_xz && option)
		pack_say(p, "%s: 96: 1: %s option requires an argument\n", self, option);
	else if (z->kind == &zgrep_xz)
		pack_say(p, "%s: 159: 1: Missing pattern; try `%s --help' for help\n", self,
			 strrchr(self, '/') + 1);
	else if (z->kind == &zgrep_bzip2 && option)
		pack_say(p, "%s: 80: shift: can't shift that many\n", self);
	else if (z->kind == &zgrep_bzip2)
		tsb_printf(p, "grep through bzip2 files\nusage: %s [grep_options] pattern [files]\n",
			   strrchr(self, '/') + 1);
	else if (option)
		pack_say(p, "zstdgrep: missing argument for %s flag\n", option);
	else
		pack_say(p, "zstdgrep: missing pattern\n");
}

/* "-nie": its first letter, with digits behind it, by itself; *rest: what is left, or NULL. */
static const char *zgrep_split(struct zgrep *z, const char *arg, const char **rest)
{
	size_t n = 2 + strspn(arg + 2, "0123456789");

	*rest = NULL;
	if (arg[1] == '-' || strchr("ABCDXdefm", arg[1]) || !arg[n])
		return arg;
	*rest = tsb_format(z->p, "-%s", arg + n);
	return tsb_strndup(z->p, arg, n);
}

/* The patterns of a file that can be read but once are read here. */
static const char *zgrep_patterns(struct zgrep *z, const char *file)
{
	struct tsb_reader in;
	struct str text;
	struct tsb_stat st;
	char *line;
	size_t n;
	int fd;

	if (strcmp(file, "-") && (tsb_stat(z->p, file, &st) || S_ISREG(st.mode)))
		return NULL;
	fd = strcmp(file, "-") ? tsb_open(z->p, file, O_RDONLY | O_CLOEXEC, 0) : 0;
	str_init(&text, tsb_heap_of(z->p), STR_MAX_DEFAULT);
	tsb_reader_init(&in, z->p, fd);
	while ((n = tsb_getdelim(&in, &line, '\n')))
		str_addn(&text, line, n);
	return text.n && text.p[text.n - 1] == '\n' ? tsb_strndup(z->p, text.p, text.n - 1) : NULL;
}

static void zgrep_file_option(struct zgrep *z, const char *file)
{
	const char *patterns = zgrep_patterns(z, file);

	zgrep_add(z, patterns ? "-e" : "-f");
	zgrep_add(z, patterns ? patterns : file);
	z->has_pattern = true;
}

static void zgrep_note(struct zgrep *z, const char *arg)
{
	z->has_pattern |= zgrep_is(arg, "-e") || zgrep_is(arg, "--reg");
	z->with_name |= !strcmp(arg, "-H") || zgrep_is(arg, "--wi");
	z->without_name |= !strcmp(arg, "-h") || zgrep_is(arg, "--no-f");
	z->list |= !strcmp(arg, "-l") || zgrep_is(arg, "--files-with-");
	z->list_others |= !strcmp(arg, "-L") || zgrep_is(arg, "--files-witho");
}

static void zgrep_answer(struct zgrep *z, const char *arg)
{
	if (!z->kind->answers)
		return;
	if (pack_asks(arg, "--help"))
		pack_answer(z->p, z->cmd, false);
	if (!strcmp(arg, "-V") || pack_asks(arg, "--version"))
		pack_answer(z->p, z->cmd, true);
}

/* One option; the words it took. -1: the command ends with status 2. */
static int zgrep_option(struct zgrep *z, const char *arg, const char *next)
{
	if (zgrep_takes_next(arg) && !next) {
		zgrep_say_missing(z, arg);
		return -1;
	}
	if (zgrep_refused(z->kind, arg)) {
		pack_say(z->p, "%s: %s: %s\n", pack_self(z->p), arg, z->kind->not_supported);
		return -1;
	}
	zgrep_answer(z, arg);
	if (zgrep_is(arg, "-f") || !strcmp(arg, "--file") || zgrep_is(arg, "--file=")) {
		bool glued = arg[1] == '-' ? arg[6] : arg[2];

		zgrep_file_option(z, !glued ? next : arg[1] == '-' ? arg + 7 : arg + 2);
		return glued ? 1 : 2;
	}
	zgrep_note(z, arg);
	if (!strcmp(arg, "-H") || zgrep_is(arg, "--wi"))
		return 1;
	zgrep_add(z, arg);
	if (!zgrep_takes_next(arg))
		return 1;
	zgrep_add(z, next);
	return 2;
}

/* Options stand anywhere; the first other word is the pattern. */
static bool zgrep_arguments(struct zgrep *z, char **argv)
{
	const char *rest = NULL;

	while (rest || *argv) {
		const char *arg = rest ? rest : *argv;
		int n = 1;

		rest = NULL;
		if (!strcmp(arg, "--")) {
			argv++;
			break;
		}
		if (arg[0] == '-' && arg[1]) {
			arg = zgrep_split(z, arg, &rest);
			n = rest ? zgrep_option(z, arg, NULL) : zgrep_option(z, arg, argv[1]);
			if (n < 0)
				return false;
		} else {
			z->files[z->n_files++] = *argv;
		}
		argv += rest ? 0 : n;
	}
	while (*argv)
		z->files[z->n_files++] = *argv++;
	return true;
}

/* xz's script knows other packers by their names. */
static const char *zgrep_unpack(const struct zgrep *z, const char *file)
{
	static const char *const names[][2] = {
		{ "*[-.][zZ]", "gzip -cdf" }, { "*_z", "gzip -cdf" }, { "*[-.]gz", "gzip -cdf" },
		{ "*.t[ag]z", "gzip -cdf" }, { "*[-.]bz2", "bzip2 -cdf" }, { "*[-.]tbz", "bzip2 -cdf" },
		{ "*.tbz2", "bzip2 -cdf" }, { "*[-.]lzo", "lzop -cdf" }, { "*[-.]tzo", "lzop -cdf" },
		{ "*[-.]zst", "zstd -cdfq" }, { "*[-.]tzst", "zstd -cdfq" },
	};

	for (size_t i = 0; z->kind == &zgrep_xz && i < sizeof(names) / sizeof(*names); i++) {
		struct pattern *pat = pattern_compile(tsb_heap_of(z->p), names[i][0], strlen(names[i][0]), 0);
		bool yes = pattern_match(pat, file, strlen(file));

		pattern_free(pat);
		if (yes)
			return names[i][1];
	}
	return z->kind->unpack;
}

static int zgrep_file(struct zgrep *z, const char *file, bool named)
{
	static const char script[] =
		"f=$1; shift; if [ \"$f\" = - ]; then %s; else %s -- \"$f\"; fi | "
		"{ grep \"$@\"; r=$?; cat > /dev/null; exit $r; }; s=(\"${PIPESTATUS[@]}\"); r=${s[1]}; "
		"case ${s[0]} in 0|2) ;; 1) [ $r -ge 2 ] || r=2;; *) [ $r -ge ${s[0]} ] || r=${s[0]};; "
		"esac; exit $r";
	const char **argv = tsb_alloc(z->p, (z->n_options + 12) * sizeof(*argv));
	struct tsb_spawn how = { .size = sizeof(how), .argv = argv };
	bool list = z->list || z->list_others;
	const char *unpack = zgrep_unpack(z, file);
	size_t n = 0;
	int pid, status;

	argv[n++] = "/bin/bash";
	argv[n++] = "-c";
	argv[n++] = tsb_format(z->p, script, unpack, unpack);
	argv[n++] = "bash";
	argv[n++] = file;
	if (z->grep_option)
		argv[n++] = z->grep_option;
	argv[n++] = named ? "-H" : "-h";
	argv[n++] = tsb_format(z->p, "--label=%s", strcmp(file, "-") || list ? file :
			       "(standard input)");
	memcpy(argv + n, z->options, z->n_options * sizeof(*argv));
	if (tsb_spawn(z->p, &how, &pid) < 0 || tsb_wait(z->p, pid, &status, 0) < 0)
		return 2;
	return WIFEXITED(status) ? WEXITSTATUS(status) : 2;
}

/* A match is more than none, an error is more than both. */
static int zgrep_worse(int so_far, int r)
{
	if (r <= 1 && so_far <= 1)
		return r < so_far ? r : so_far;
	return r > so_far ? r : so_far;
}

static int zgrep_all(struct tsb_proc *p, int argc, char **argv, const struct zgrep_kind *kind,
		     const char *grep_option, const struct tsb_command *cmd)
{
	struct zgrep z = { .p = p, .kind = kind, .grep_option = grep_option, .cmd = cmd };
	int status = 1;
	size_t i = 0;

	for (int k = 0; k < argc; k++)
		i += strlen(argv[k]);
	z.options = tsb_alloc(p, (i * 2 + (size_t)argc * 2 + 3) * sizeof(*z.options));
	z.files = tsb_alloc(p, ((size_t)argc + 1) * sizeof(*z.files));
	if (!zgrep_arguments(&z, argv))
		return kind->wrong;
	if (!z.has_pattern && !z.n_files) {
		zgrep_say_missing(&z, NULL);
		return kind->wrong;
	}
	i = z.has_pattern ? 0 : 1;
	if (i) {
		zgrep_add(&z, "--");
		zgrep_add(&z, z.files[0]);
	}
	if (z.n_files == i)
		return zgrep_file(&z, "-", z.with_name);
	z.with_name |= z.n_files > i + 1 && !z.without_name;
	for (; i < z.n_files && status < 126; i++) {
		status = zgrep_worse(status, zgrep_file(&z, z.files[i], z.with_name));
		tsb_tick(p, 1);
	}
	return status;
}

#define ZGREP(name_, shown_, kind_, option_, package_, version_) \
	extern const struct tsb_command cmd_##shown_; \
	static int name_##_run(struct tsb_proc *p, void *opts, int argc, char **argv) \
	{ \
		(void)opts; \
		return zgrep_all(p, argc, argv, &kind_, option_, &cmd_##shown_); \
	} \
	const struct tsb_command cmd_##name_ = { \
		.version = TSB_COMMAND_VERSION, .name = #name_, .package = package_, \
		.package_version = version_, .synopsis = "[OPTION]... [-e] PATTERN [FILE]...", \
		.summary = "Look for instances of PATTERN in the input FILEs, using their uncompressed " \
			   "contents\nif they are compressed.", .run = name_##_run, \
		.flags = TSB_RAW, .usage_status = 2 }
#define ZGREP_GZIP(name_, option_) ZGREP(name_, zgrep, zgrep_gzip, option_, "gzip", "1.12")
#define ZGREP_XZ(name_, shown_, option_) \
	ZGREP(name_, shown_, zgrep_xz, option_, "XZ Utils", "5.4.1")
#define ZGREP_BZIP2(name_, option_) ZGREP(name_, name_, zgrep_bzip2, option_, "bzip2", "1.0.8")

ZGREP_GZIP(zgrep, NULL);
ZGREP_GZIP(zegrep, "-E");
ZGREP_GZIP(zfgrep, "-F");
ZGREP_XZ(xzgrep, xzgrep, NULL);
ZGREP_XZ(xzegrep, xzegrep, "-E");
ZGREP_XZ(xzfgrep, xzfgrep, "-F");
ZGREP_XZ(lzgrep, xzgrep, NULL);
ZGREP_XZ(lzegrep, xzegrep, "-E");
ZGREP_XZ(lzfgrep, xzfgrep, "-F");
ZGREP_BZIP2(bzgrep, NULL);
ZGREP_BZIP2(bzegrep, "-E");
ZGREP_BZIP2(bzfgrep, "-F");
ZGREP(zstdgrep, zstdgrep, zgrep_zstd, NULL, "zstd", "1.5.4");
