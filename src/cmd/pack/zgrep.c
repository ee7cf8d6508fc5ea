/*
 * zgrep, zegrep, zfgrep, and the same of bzip2, xz and zstd - grep in files that
 * may be compressed: each goes through its decompressor into grep.
 */
#include <string.h>
#include <sys/wait.h>

#include "cmd/cmd.h"
#include "cmd/pack/pack.h"

struct zgrep {
	struct tsb_proc *p;
	const char *grep_option, *unpack;	/* "-E"; "gzip -cdfq" */
	const char **options;
	size_t n_options;
	bool has_pattern, with_name, without_name, quiet;
};

/* Letters and names whose argument is the next word. */
static bool zgrep_takes_next(const char *arg)
{
	static const char *const longs[] = { "--regexp", "--file", "--after-context",
		"--before-context", "--context", "--max-count", "--color", "--label", NULL };
	size_t n = strcspn(arg + 1, "ABCDdefm");

	if (arg[1] != '-')
		return arg[1 + n] && !arg[2 + n];
	for (size_t i = 0; longs[i]; i++)
		if (!strcmp(arg, longs[i]))
			return true;
	return false;
}

static void zgrep_note(struct zgrep *z, const char *arg)
{
	bool letters = arg[1] != '-';
	size_t n = letters ? strcspn(arg + 1, "ABCDdefm") : 0;

	for (size_t i = 1; letters && i <= n; i++) {
		z->with_name |= arg[i] == 'H';
		z->without_name |= arg[i] == 'h';
		z->quiet |= arg[i] == 'q';
	}
	z->has_pattern |= letters ? arg[1 + n] == 'e' || arg[1 + n] == 'f'
				  : !strncmp(arg, "--regexp", 8) || !strcmp(arg, "--file") ||
				    !strncmp(arg, "--file=", 7);
	z->with_name |= !strcmp(arg, "--with-filename");
	z->without_name |= !strcmp(arg, "--no-filename");
}

/* Options and the pattern; what is left are files. */
static char **zgrep_options(struct zgrep *z, char **argv)
{
	while (*argv && argv[0][0] == '-' && argv[0][1]) {
		bool end = !strcmp(*argv, "--");

		if (end) {
			argv++;
			break;
		}
		zgrep_note(z, *argv);
		z->options[z->n_options++] = *argv;
		if (zgrep_takes_next(*argv) && argv[1])
			z->options[z->n_options++] = *++argv;
		argv++;
	}
	if (!z->has_pattern && *argv) {
		z->options[z->n_options++] = "-e";
		z->options[z->n_options++] = *argv++;
		z->has_pattern = true;
	}
	return argv;
}

static int zgrep_file(struct zgrep *z, const char *file, bool named)
{
	const char **argv = tsb_alloc(z->p, (z->n_options + 12) * sizeof(*argv));
	struct tsb_spawn how = { .size = sizeof(how), .argv = argv };
	size_t n = 0;
	int pid, status;

	argv[n++] = "/bin/sh";
	argv[n++] = "-c";
	argv[n++] = tsb_format(z->p, "f=$1; shift; if [ \"$f\" = - ]; then %s; else %s -- \"$f\"; fi | "
			       "{ grep \"$@\"; r=$?; cat > /dev/null; exit $r; }", z->unpack,
			       z->unpack);
	argv[n++] = "sh";
	argv[n++] = file;
	if (z->grep_option)
		argv[n++] = z->grep_option;
	argv[n++] = named ? "-H" : "-h";
	argv[n++] = tsb_format(z->p, "--label=%s", strcmp(file, "-") ? file : "(standard input)");
	memcpy(argv + n, z->options, z->n_options * sizeof(*argv));
	if (tsb_spawn(z->p, &how, &pid) < 0 || tsb_wait(z->p, pid, &status, 0) < 0)
		return 2;
	return WIFEXITED(status) ? WEXITSTATUS(status) : 2;
}

static int zgrep_all(struct tsb_proc *p, int argc, char **argv, const char *unpack,
		     const char *grep_option)
{
	struct zgrep z = { .p = p, .unpack = unpack, .grep_option = grep_option };
	int found = 1, worst = 0;
	bool several;

	z.options = tsb_alloc(p, ((size_t)argc + 3) * sizeof(*z.options));
	argv = zgrep_options(&z, argv);
	if (!z.has_pattern) {
		pack_say(p, "Usage: %s [OPTION]... [-e] PATTERN [FILE]...\n", tsb_name(p));
		return 2;
	}
	several = argv[0] && argv[1];
	for (bool first = true; first || *argv; first = false) {
		const char *file = *argv ? *argv : "-";
		int r = zgrep_file(&z, file, z.with_name || (several && !z.without_name));

		found = r == 0 ? 0 : found;
		worst = r > 1 ? r : worst;
		if (*argv)
			argv++;
		tsb_tick(p, 1);
	}
	return worst ? worst : found;
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
