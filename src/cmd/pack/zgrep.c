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

struct zgrep {
	struct tsb_proc *p;
	const char *grep_option, *unpack;	/* "-E"; "gzip -cdfq" */
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

static bool zgrep_refused(const char *arg)
{
	static const char *const names[] = { "--di", "--exc", "--inc", "--rec", "--nu" };

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (zgrep_is(arg, names[i]))
			return true;
	return strchr("drRzZ", arg[1]) && !arg[2];
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

/* One option; the words it took. -1: the command ends with status 2. */
static int zgrep_option(struct zgrep *z, const char *arg, const char *next)
{
	if (zgrep_takes_next(arg) && !next) {
		pack_say(z->p, "/usr/bin/%s: 75: 1: %s option requires an argument\n", tsb_name(z->p),
			 arg);
		return -1;
	}
	if (zgrep_refused(arg)) {
		pack_say(z->p, "/usr/bin/%s: %s: option not supported\n", tsb_name(z->p), arg);
		return -1;
	}
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
	size_t n = 0;
	int pid, status;

	argv[n++] = "/bin/bash";
	argv[n++] = "-c";
	argv[n++] = tsb_format(z->p, script, z->unpack, z->unpack);
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

static int zgrep_all(struct tsb_proc *p, int argc, char **argv, const char *unpack,
		     const char *grep_option)
{
	struct zgrep z = { .p = p, .unpack = unpack, .grep_option = grep_option };
	int status = 1;
	size_t i = 0;

	for (int k = 0; k < argc; k++)
		i += strlen(argv[k]);
	z.options = tsb_alloc(p, (i * 2 + (size_t)argc * 2 + 3) * sizeof(*z.options));
	z.files = tsb_alloc(p, ((size_t)argc + 1) * sizeof(*z.files));
	if (!zgrep_arguments(&z, argv))
		return 2;
	if (!z.has_pattern && !z.n_files) {
		pack_say(p, "/usr/bin/%s: 188: 1: missing pattern; try `/usr/bin/%s --help' for help\n",
			 tsb_name(p), tsb_name(p));
		return 2;
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

#define ZGREP(name_, unpack_, option_) \
	static int name_##_run(struct tsb_proc *p, void *opts, int argc, char **argv) \
	{ \
		(void)opts; \
		return zgrep_all(p, argc, argv, unpack_, option_); \
	} \
	const struct tsb_command cmd_##name_ = { \
		.version = TSB_COMMAND_VERSION, .name = #name_, .package = "gzip", \
		.package_version = "1.12", .synopsis = "[OPTION]... [-e] PATTERN [FILE]...", \
		.summary = "Look for instances of PATTERN in the input FILEs, using their uncompressed " \
			   "contents\nif they are compressed.", .run = name_##_run, \
		.flags = TSB_RAW, .usage_status = 2 }

ZGREP(zgrep, "gzip -cdfq", NULL);
ZGREP(zegrep, "gzip -cdfq", "-E");
ZGREP(zfgrep, "gzip -cdfq", "-F");
ZGREP(bzgrep, "bzip2 -cdfq", NULL);
ZGREP(xzgrep, "xz -cdfq", NULL);
ZGREP(zstdgrep, "zstd -cdfq", NULL);
ZGREP(bzegrep, "bzip2 -cdfq", "-E");
ZGREP(bzfgrep, "bzip2 -cdfq", "-F");
ZGREP(xzegrep, "xz -cdfq", "-E");
ZGREP(xzfgrep, "xz -cdfq", "-F");
ZGREP(lzgrep, "xz -cdfq", NULL);
ZGREP(lzegrep, "xz -cdfq", "-E");
ZGREP(lzfgrep, "xz -cdfq", "-F");
