/*
 * zstd, unzstd, zstdcat - compress files by Zstandard.
 */
#define ZSTD_STATIC_LINKING_ONLY
#include <zstd.h>

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <zstd_errors.h>

#include "base/heap.h"
#include "base/num.h"
#include "base/opt.h"
#include "cmd/cmd.h"
#include "cmd/lines.h"
#include "cmd/pack/zstd.h"
#include "cmd/path.h"

static const struct tsb_command zstd_command;

/* ---- Options: the tool reads its arguments itself ---- */

#define ZSTD_ROW(s, l, a, h) { TSB_OPTION_FLAG, (s), (l), (a), (h), offsetof(struct zstd, force), \
			       1, 0, NULL }
static const struct tsb_opt zstd_opts[] = {	/* for --help; read by zstd_letters(), zstd_long() */
	ZSTD_ROW('o', NULL, "OUTPUT", "write output to a single file, OUTPUT"),
	ZSTD_ROW('k', "keep", NULL, "preserve INPUT files (default)"),
	ZSTD_ROW(0, "rm", NULL, "remove INPUT files after success"),
	ZSTD_ROW('d', "decompress", NULL, "decompress"),
	ZSTD_ROW('D', NULL, "DICT", "use DICT as the dictionary"),
	ZSTD_ROW('f', "force", NULL, "disable input and output checks"),
	ZSTD_ROW('h', "help", NULL, "display usage and exit"),
	ZSTD_ROW('H', NULL, NULL, "the same"),
	ZSTD_ROW('V', "version", NULL, "display the program version and exit"),
	ZSTD_ROW('c', "stdout", NULL, "write to standard output and keep the INPUT files"),
	ZSTD_ROW('v', "verbose", NULL, "verbose output"),
	ZSTD_ROW('q', "quiet", NULL, "suppress warnings; twice: errors too"),
	ZSTD_ROW('r', NULL, NULL, "operate recursively on directories"),
	ZSTD_ROW('t', "test", NULL, "test compressed file integrity"),
	ZSTD_ROW('l', "list", NULL, "print information about compressed files"),
	ZSTD_ROW(0, "ultra", NULL, "enable levels beyond 19, up to 22"),
	ZSTD_ROW(0, "fast", "#", "use very fast compression levels"),
	ZSTD_ROW(0, "long", "#", "enable long distance matching with window log #"),
	ZSTD_ROW(0, "no-check", NULL, "no checksums"),
	ZSTD_ROW(0, "filelist", "LIST", "read a list of files to operate on from LIST"),
	ZSTD_ROW(0, "output-dir-flat", "DIR", "store processed files in DIR"),
	ZSTD_ROW(0, "output-dir-mirror", "DIR", "store processed files in DIR, with their directories"),
	ZSTD_ROW(0, "patch-from", "REF", "use REF as the reference point of a difference"),
	ZSTD_ROW(0, "exclude-compressed", NULL, "only compress files that are not already compressed"),
	ZSTD_ROW(0, "stream-size", "#", "size of streaming input from STDIN"),
	ZSTD_ROW(0, "size-hint", "#", "choose parameters for input of about that size"),
	ZSTD_ROW(0, "target-compressed-block-size", "#", "generate compressed blocks of about that size"),
	ZSTD_ROW(0, "no-dictID", NULL, "don't write the dictionary's number into the header"),
	ZSTD_ROW(0, "compress-literals", NULL, "compress literals always (--no-compress-literals: never)"),
	ZSTD_ROW(0, "row-match-finder", NULL, "use the row-based matchfinder (--no-row-match-finder: do not)"),
	ZSTD_ROW(0, "format", "zstd", "the format, of which there is one"),
	ZSTD_ROW(0, "single-thread", NULL, "one thread, which is what there is"),
	ZSTD_ROW(0, "auto-threads", "physical|logical", "what -T0 counts; there is one thread"),
	ZSTD_ROW('B', NULL, "#", "size of a thread's job; there is one thread"),
	ZSTD_ROW('T', NULL, "#", "number of threads; there is one"),
	ZSTD_ROW('M', NULL, "#", "memory usage limit in megabytes"),
	TSB_OPT_END
};

static void zstd_bad(struct zstd *z)
{
	struct str text;

	str_init(&text, tsb_heap_of(z->p), STR_MAX_DEFAULT);
	str_adds(&text, "Incorrect parameters \n");
	opt_help(&text, &zstd_command, "zstd");
	if (z->display >= 1)
		tsb_write_all(z->p, 2, text.p, text.n);
	tsb_exit(z->p, 1);
}

static void zstd_refuse(struct zstd *z, const char *text)
{
	zstd_say(z, 1, "error: %s \n", text);
	tsb_exit(z->p, 1);
}

static uint64_t zstd_number(const char **at)
{
	uint64_t v = 0;
	unsigned shift = 0;

	for (; **at >= '0' && **at <= '9'; ++*at)
		v = v > UINT32_MAX ? v : v * 10 + (uint64_t)(**at - '0');
	if (**at == 'K' || **at == 'M')
		shift = *(*at)++ == 'K' ? 10 : 20;
	if (shift && **at == 'i')
		++*at;
	if (shift && **at == 'B')
		++*at;
	return v << shift;
}

/* "--name=VALUE": VALUE, or NULL. */
static const char *zstd_value(const char *arg, const char *name)
{
	size_t n = strlen(name);

	return !strncmp(arg, name, n) && arg[n] == '=' ? arg + n + 1 : NULL;
}

static bool zstd_long_number(struct zstd *z, const char *arg)
{
	static const struct { const char *name; size_t offset; } numbers[] = {
		{ "long", offsetof(struct zstd, window_log) },
		{ "stream-size", offsetof(struct zstd, stream_size) },
		{ "size-hint", offsetof(struct zstd, size_hint) },
		{ "target-compressed-block-size", offsetof(struct zstd, block_size) },
		{ "memory", offsetof(struct zstd, memory) },
		{ "memlimit", offsetof(struct zstd, memory) },
		{ "memlimit-decompress", offsetof(struct zstd, memory) },
		{ "threads", offsetof(struct zstd, ignored) },
		{ "block-size", offsetof(struct zstd, ignored) },
	};

	for (size_t i = 0; i < sizeof(numbers) / sizeof(*numbers); i++) {
		const char *value = zstd_value(arg, numbers[i].name);

		if (!value)
			continue;
		*(uint64_t *)(void *)((char *)z + numbers[i].offset) = zstd_number(&value);
		if (*value && i)	/* --long takes anything */
			zstd_refuse(z, "only numeric values with optional suffixes K, KB, KiB, M, MB, MiB "
				    "are allowed");
		return true;
	}
	return false;
}

static bool zstd_long_flag(struct zstd *z, const char *arg)
{
	static const struct { const char *name; size_t offset; int value; } flags[] = {
		{ "compress", offsetof(struct zstd, mode), ZSTD_MODE_PACK },
		{ "decompress", offsetof(struct zstd, mode), ZSTD_MODE_UNPACK },
		{ "uncompress", offsetof(struct zstd, mode), ZSTD_MODE_UNPACK },
		{ "test", offsetof(struct zstd, mode), ZSTD_MODE_TEST },
		{ "list", offsetof(struct zstd, mode), ZSTD_MODE_LIST },
		{ "force", offsetof(struct zstd, force), 1 },
		{ "keep", offsetof(struct zstd, remove), 0 },
		{ "rm", offsetof(struct zstd, remove), 1 },
		{ "stdout", offsetof(struct zstd, to_stdout), 1 },
		{ "ultra", offsetof(struct zstd, ultra), 1 },
		{ "check", offsetof(struct zstd, check), 1 },
		{ "no-check", offsetof(struct zstd, check), 0 },
		{ "content-size", offsetof(struct zstd, content_size), 1 },
		{ "no-content-size", offsetof(struct zstd, content_size), 0 },
		{ "no-dictID", offsetof(struct zstd, dict_id), 0 },
		{ "pass-through", offsetof(struct zstd, pass_through), 1 },
		{ "no-pass-through", offsetof(struct zstd, pass_through), 0 },
		{ "exclude-compressed", offsetof(struct zstd, exclude), 1 },
		{ "compress-literals", offsetof(struct zstd, literals), 1 },
		{ "no-compress-literals", offsetof(struct zstd, literals), 2 },
		{ "row-match-finder", offsetof(struct zstd, rows), 1 },
		{ "no-row-match-finder", offsetof(struct zstd, rows), 2 },
		/* About threads, terminals and holes, of which there are none here. */
		{ "sparse", offsetof(struct zstd, nothing), 1 },
		{ "no-sparse", offsetof(struct zstd, nothing), 1 },
		{ "progress", offsetof(struct zstd, nothing), 1 },
		{ "no-progress", offsetof(struct zstd, nothing), 1 },
		{ "asyncio", offsetof(struct zstd, nothing), 1 },
		{ "no-asyncio", offsetof(struct zstd, nothing), 1 },
		{ "single-thread", offsetof(struct zstd, nothing), 1 },
		{ "auto-threads=logical", offsetof(struct zstd, nothing), 1 },
		{ "auto-threads=physical", offsetof(struct zstd, nothing), 1 },
		{ "format=zstd", offsetof(struct zstd, nothing), 1 },
	};

	for (size_t i = 0; i < sizeof(flags) / sizeof(*flags); i++)
		if (!strcmp(arg, flags[i].name)) {
			*(int *)(void *)((char *)z + flags[i].offset) = flags[i].value;
			return true;
		}
	return false;
}

/* An option's text behind "=" or in the next argument. */
static const char *zstd_text(struct zstd *z, const char *arg, const char *name, char ***argv)
{
	const char *value = zstd_value(arg, name);

	if (value || strcmp(arg, name))
		return value;
	if (!(*argv)[1])
		zstd_refuse(z, "missing command argument");
	return *++*argv;
}

static void zstd_long(struct zstd *z, const char *arg, char ***argv)
{
	const char *value;

	if (zstd_long_flag(z, arg) || zstd_long_number(z, arg))
		return;
	if (!strcmp(arg, "help"))
		pack_help(z->p, &zstd_command);
	if (!strcmp(arg, "version")) {
		tsb_puts(z->p, "*** Zstandard CLI (64-bit) v1.5.4, by Yann Collet ***\n");
		tsb_exit(z->p, 0);
	} else if (!strcmp(arg, "verbose")) {
		z->display++;
	} else if (!strcmp(arg, "quiet")) {
		z->display--;
	} else if (!strcmp(arg, "fast")) {
		z->level = -1;
	} else if (!strcmp(arg, "long")) {
		z->window_log = 27;
	} else if ((value = zstd_value(arg, "fast"))) {
		z->level = -(int)(zstd_number(&value) & 0x1ffff);
		if (*value || !z->level)
			zstd_bad(z);
	} else if ((value = zstd_text(z, arg, "filelist", argv))) {
		z->file_list = value;
	} else if ((value = zstd_text(z, arg, "output-dir-flat", argv))) {
		z->dir_flat = value;
	} else if ((value = zstd_text(z, arg, "output-dir-mirror", argv))) {
		z->dir_mirror = value;
	} else if ((value = zstd_text(z, arg, "patch-from", argv))) {
		z->patch = value;
	} else {
		zstd_bad(z);
	}
}

static bool zstd_letter(struct zstd *z, int c)
{
	switch (c) {
	case 'd': z->mode = ZSTD_MODE_UNPACK; break;
	case 'z': z->mode = ZSTD_MODE_PACK; break;
	case 't': z->mode = ZSTD_MODE_TEST; break;
	case 'l': z->mode = ZSTD_MODE_LIST; break;
	case 'c': z->to_stdout = 1; break;
	case 'f': z->force = 1; break;
	case 'k': z->remove = 0; break;
	case 'v': z->display++; break;
	case 'q': z->display--; break;
	case 'r': z->recursive = 1; break;
	case 'C': z->check = 1; break;
	case 'n': break;
	case 'h': case 'H': pack_help(z->p, &zstd_command);
	case 'V':
		tsb_puts(z->p, "*** Zstandard CLI (64-bit) v1.5.4, by Yann Collet ***\n");
		tsb_exit(z->p, 0);
	default: return false;
	}
	return true;
}

static void zstd_letters(struct zstd *z, const char *at, char ***argv)
{
	while (*at) {
		if (*at >= '0' && *at <= '9') {
			z->level = (int)(zstd_number(&at) & 0xffff);
			continue;
		}
		switch (*at) {
		case 'T': case 'B': case 'M': {
			int c = *at++;
			uint64_t v = zstd_number(&at);

			if (c == 'M')
				z->memory = at[-1] >= '0' && at[-1] <= '9' ? v << 20 : v;
			continue;
		}
		case 'o': case 'D': {
			const char **to = *at == 'o' ? &z->out_name : &z->dict;

			if (!at[1] && !(*argv)[1])
				zstd_refuse(z, "missing command argument");
			*to = at[1] ? at + 1 : *++*argv;
			return;
		}
		default:
			if (!zstd_letter(z, *at++))
				zstd_bad(z);
		}
	}
}

static char **zstd_arguments(struct zstd *z, int argc, char **argv, size_t *n)
{
	char **files = tsb_alloc(z->p, ((size_t)argc + 1) * sizeof(*files));
	bool only_files = false;

	for (*n = 0; *argv; argv++) {
		char *arg = *argv;

		if (only_files || arg[0] != '-' || !arg[1])
			files[(*n)++] = arg;
		else if (arg[1] != '-')
			zstd_letters(z, arg + 1, &argv);
		else if (!arg[2])
			only_files = true;
		else
			zstd_long(z, arg + 2, &argv);
	}
	return files;
}

/* ---- Files ---- */

static void zstd_walk(struct zstd *z, const char *name, struct tsb_list *out, int depth)
{
	struct tsb_stat st;
	char **names;
	size_t n;

	tsb_tick(z->p, 1);
	if (depth && !tsb_lstat(z->p, name, &st) && S_ISLNK(st.mode))
		return;
	if (depth > 500 || tsb_stat(z->p, name, &st) || !S_ISDIR(st.mode)) {
		const char **at = tsb_realloc(z->p, out->at, (out->n + 1) * sizeof(*at));

		at[out->n++] = name;
		out->at = at;
		return;
	}
	if (tsb_listdir(z->p, name, &names, &n))
		return;
	for (size_t i = 0; i < n; i++)
		zstd_walk(z, path_join(z->p, name, names[i]), out, depth + 1);
}

static void zstd_read_list(struct zstd *z, struct tsb_list *out)
{
	struct tsb_reader in;
	char *line;
	size_t n;
	int fd = input_open(z->p, z->file_list);

	if (fd < 0) {
		zstd_say(z, 1, "zstd: error reading %s \n", z->file_list);
		tsb_exit(z->p, 1);
	}
	tsb_reader_init(&in, z->p, fd);
	while ((n = tsb_getdelim(&in, &line, '\n'))) {
		const char **at = tsb_realloc(z->p, out->at, (out->n + 1) * sizeof(*at));

		at[out->n++] = tsb_strndup(z->p, line, line[n - 1] == '\n' ? n - 1 : n);
		out->at = at;
	}
	input_close(z->p, fd);
}

/* Links are left out, before anything is done. */
static void zstd_gather(struct zstd *z, char **files, size_t n, struct tsb_list *out)
{
	for (size_t i = 0; i < n; i++) {
		struct tsb_stat st;
		const char **at;

		if (!z->force && !tsb_lstat(z->p, files[i], &st) && S_ISLNK(st.mode)) {
			zstd_say(z, 2, "Warning : %s is a symbolic link, ignoring \n", files[i]);
			z->skipped++;
			continue;
		}
		if (z->recursive) {
			zstd_walk(z, files[i], out, 0);
			continue;
		}
		at = tsb_realloc(z->p, out->at, (out->n + 1) * sizeof(*at));
		at[out->n++] = files[i];
		out->at = at;
	}
	if (z->file_list)
		zstd_read_list(z, out);
}

static void zstd_check_level(struct zstd *z)
{
	int max = z->ultra ? 22 : 19;

	if (z->level > max) {
		zstd_say(z, 2, "Warning : compression level higher than max, reduced to %d \n", max);
		z->level = max;
	}
}

static int zstd_all(struct tsb_proc *p, int argc, char **argv, enum zstd_mode mode, int cat)
{
	struct zstd *z = tsb_alloc(p, sizeof(*z));
	const char *env = tsb_getenv(p, "ZSTD_CLEVEL");
	struct tsb_list list = { NULL, 0 };
	int64_t level = 3;
	char **files;
	size_t n;

	*z = (struct zstd){ .p = p, .mode = (int)mode, .to_stdout = cat, .check = 1, .display = 2,
			    .content_size = 1, .dict_id = 1, .pass_through = cat ? 1 : -1,
			    .force = cat };
	if (env && num_i64(env, &level) != NUM_OK)
		level = 3;
	z->level = (int)(level > 22 ? 22 : level < -131072 ? -131072 : level);
	files = zstd_arguments(z, argc, argv, &n);
	z->self = "zstd";
	zstd_gather(z, files, n, &list);
	if (n && !list.n)
		return 1;
	if (!list.n) {
		static const char *const standard[] = { "-", NULL };

		list.at = (const char **)(uintptr_t)standard;
		list.n = 1;
	}
	z->n_files = list.n;
	if (z->mode == ZSTD_MODE_LIST)
		return zstd_list(z, n || z->file_list ? list.n : 0, list.at);
	if (!z->out_name && list.n == 1 && !strcmp(list.at[0], "-"))
		z->to_stdout = 1;
	if (z->out_name && !strcmp(z->out_name, "-"))
		z->to_stdout = 1;
	if (z->to_stdout && z->display == 2 && z->mode != ZSTD_MODE_TEST)
		z->display = 1;
	if (z->display > 2)
		zstd_say(z, 3, "*** Zstandard CLI (64-bit) v1.5.4, by Yann Collet ***\n");
	zstd_check_level(z);
	return zstd_files(z, list.n, list.at);
}

static int zstd_run(struct tsb_proc *p, void *opts, int argc, char **argv)
{
	(void)opts;
	return zstd_all(p, argc, argv, ZSTD_MODE_PACK, 0);
}

static int unzstd_run(struct tsb_proc *p, void *opts, int argc, char **argv)
{
	(void)opts;
	return zstd_all(p, argc, argv, ZSTD_MODE_UNPACK, 0);
}

static int zstdcat_run(struct tsb_proc *p, void *opts, int argc, char **argv)
{
	(void)opts;
	return zstd_all(p, argc, argv, ZSTD_MODE_UNPACK, 1);
}

#define ZSTD_COMMAND(name_, run_) { \
	.version = TSB_COMMAND_VERSION, .name = name_, .package = "Zstandard", \
	.package_version = "1.5.4", .synopsis = "[OPTIONS...] [INPUT... | -] [-o OUTPUT]", \
	.summary = "Compress or decompress the INPUT file(s); reads from STDIN if INPUT is '-' or not " \
		   "provided.", .opts = zstd_opts, \
	.opts_size = sizeof(struct zstd), .run = run_, .flags = TSB_RAW | TSB_NO_HELP }

static const struct tsb_command zstd_command = ZSTD_COMMAND("zstd", NULL);
const struct tsb_command cmd_zstd = ZSTD_COMMAND("zstd", zstd_run);
const struct tsb_command cmd_zstdmt = ZSTD_COMMAND("zstdmt", zstd_run);
const struct tsb_command cmd_unzstd = ZSTD_COMMAND("unzstd", unzstd_run);
const struct tsb_command cmd_zstdcat = ZSTD_COMMAND("zstdcat", zstdcat_run);
