/*
 * shred - write over files, and remove them. What lies below a sandbox may keep
 * old content all the same; the manual of the real tool says so of disks.
 */
#include "cmd/cmd.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cmd/lines.h"
#include "cmd/path.h"
#include "cmd/util.h"
#include "cmd/whole.h"

enum { SHRED_PASSES = 3, SHRED_BLOCK = 4096, SHRED_BUFFER = 65535 };	/* a multiple of 3 */
enum shred_remove { SHRED_KEEP, SHRED_UNLINK, SHRED_WIPE, SHRED_WIPESYNC };

struct shred {
	bool force, verbose, exact, zero, size_given;
	int remove;
	uint64_t passes, size;
	const char *source;

	struct tsb_proc *p;
	struct tsb_reader random;
	unsigned char *buf;
};

static const struct util_word shred_ways[] = {
	{ "unlink", SHRED_UNLINK }, { "wipe", SHRED_WIPE }, { "wipesync", SHRED_WIPESYNC }, { NULL, 0 }
};

static int shred_opt_number(struct tsb_proc *p, void *opts, const struct tsb_opt *opt, const char *arg)
{
	struct shred *s = opts;

	if (opt->value == 'n')
		return whole_parse(p, arg, 0, ULONG_MAX / 16, "", "invalid number of passes", &s->passes);
	s->size_given = true;
	return whole_parse(p, arg, 0, INT64_MAX, "cbBkKMGTPEZY0", "invalid file size", &s->size);
}

static int shred_opt_remove(struct tsb_proc *p, void *opts, const struct tsb_opt *opt, const char *arg)
{
	struct shred *s = opts;

	(void)opt;
	s->remove = SHRED_WIPESYNC;
	return arg ? util_word(p, "--remove", arg, shred_ways, &s->remove) : 0;
}

static const struct tsb_opt shred_opts[] = {
	TSB_OPT_FLAG(struct shred, force, 'f', "force", "change permissions to allow writing if necessary"),
	TSB_OPT_CALL(shred_opt_number, 'n', 'n', "iterations", "N",
		     "overwrite N times instead of the default (3)"),
	TSB_OPT_STR(struct shred, source, 0, "random-source", "FILE", "get random bytes from FILE"),
	TSB_OPT_CALL(shred_opt_number, 's', 's', "size", "N",
		     "shred this many bytes (suffixes like K, M, G accepted)"),
	TSB_OPT_CALL(shred_opt_remove, 0, 'u', NULL, NULL, "deallocate and remove file after overwriting"),
	TSB_OPT_CALL_OPT(shred_opt_remove, 0, 0, "remove", "HOW",
			 "like -u but give control on HOW to delete: unlink, wipe, wipesync"),
	TSB_OPT_FLAG(struct shred, verbose, 'v', "verbose", "show progress"),
	TSB_OPT_FLAG(struct shred, exact, 'x', "exact",
		     "do not round file sizes up to the next full block; this is the default for "
		     "non-regular files"),
	TSB_OPT_FLAG(struct shred, zero, 'z', "zero",
		     "add a final overwrite with zeros to hide shredding"),
	TSB_OPT_END
};

/* ---- Passes ---- */

static void shred_random(struct shred *s, size_t n)
{
	int c;

	if (!s->source) {
		tsb_random(s->p, s->buf, n);
		return;
	}
	for (size_t i = 0; i < n; i++) {
		c = tsb_getbyte(&s->random);
		if (c < 0) {
			tsb_warn(s->p, "%s: end of file", quote_text(s->p, s->source));
			tsb_exit(s->p, 1);
		}
		s->buf[i] = (unsigned char)c;
	}
}

/* The three bytes of pass i of n; -1: random ones. The first and the last are random. */
static int32_t shred_pattern(uint64_t i, uint64_t n)
{
	static const int32_t patterns[] = {
		0x000000, 0xffffff, 0x555555, 0xaaaaaa, 0x249249, 0x492492, 0x6db6db, 0x924924,
		0xb6db6d, 0xdb6db6, 0x111111, 0x222222, 0x333333, 0x444444, 0x666666, 0x777777,
		0x888888, 0x999999, 0xbbbbbb, 0xcccccc, 0xdddddd, 0xeeeeee, -1
	};

	if (n <= SHRED_PASSES || !i || i + 1 == n)
		return -1;
	return patterns[(i - 1) % (sizeof(patterns) / sizeof(*patterns))];
}

static bool shred_pass(struct shred *s, int fd, const char *name, uint64_t size, int32_t pattern)
{
	uint64_t left = size;
	int err = 0;

	tsb_lseek(s->p, fd, 0, SEEK_SET);
	for (size_t i = 0; pattern >= 0 && i < SHRED_BUFFER; i++)
		s->buf[i] = (unsigned char)(pattern >> (16 - 8 * (i % 3)));
	while (!err && left) {
		size_t n = left < SHRED_BUFFER ? (size_t)left : SHRED_BUFFER;

		if (pattern < 0)
			shred_random(s, n);
		err = tsb_write_all(s->p, fd, s->buf, n);
		left -= n;
		tsb_tick(s->p, n / 64 + 1);
	}
	if (err)
		tsb_warn_errno(s->p, err, "%s: error writing at offset %llu", name,
			       (unsigned long long)(size - left));
	return !err;
}

static bool shred_passes(struct shred *s, int fd, const char *name, uint64_t size)
{
	uint64_t n = s->passes + s->zero;
	char text[8];

	for (uint64_t i = 0; size && i < n; i++) {
		int32_t pattern = i < s->passes ? shred_pattern(i, s->passes) : 0;

		for (int k = 0; k < 6; k++)
			text[k] = "0123456789abcdef"[pattern >> (20 - 4 * k) & 15];
		text[6] = '\0';
		if (s->verbose)
			tsb_warn(s->p, "%s: pass %llu/%llu (%s)...", name, (unsigned long long)i + 1,
				 (unsigned long long)n, pattern < 0 ? "random" : text);
		if (!shred_pass(s, fd, name, size, pattern))
			return false;
	}
	return true;
}

/* ---- Files ---- */

static bool shred_fd(struct shred *s, int fd, const char *name)
{
	uint64_t size = s->size;
	struct tsb_stat st;
	int err = tsb_fstat(s->p, fd, &st);

	if (err) {
		tsb_warn_errno(s->p, err, "%s: fstat failed", name);
		return false;
	}
	if ((S_ISCHR(st.mode) && tsb_isatty(s->p, fd)) || S_ISFIFO(st.mode) || S_ISSOCK(st.mode)) {
		tsb_warn(s->p, "%s: invalid file type", name);
		return false;
	}
	if (!s->size_given) {
		size = S_ISREG(st.mode) ? st.size : 0;
		if (S_ISREG(st.mode) && !s->exact && size % SHRED_BLOCK)
			size += SHRED_BLOCK - size % SHRED_BLOCK;
	}
	return shred_passes(s, fd, name, size);
}

/* The next of the names of n letters, counted in them: false behind the last. */
static bool shred_next_name(char *name, size_t n)
{
	static const char letters[] =
		"0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_.";

	while (n--) {
		const char *at = strchr(letters, name[n]);

		if (at[1]) {
			name[n] = at[1];
			return true;
		}
		name[n] = letters[0];
	}
	return false;
}

static bool shred_unlink(struct shred *s, const char *path, const char *shown)
{
	int err = tsb_unlink(s->p, path);

	if (err)
		tsb_warn_errno(s->p, err, "%s: failed to remove", shown);
	else if (s->verbose)
		tsb_warn(s->p, "%s: removed", shown);
	return !err;
}

/* Shorter and shorter names of zeros, then none. */
static bool shred_wipe_name(struct shred *s, const char *path, const char *shown)
{
	char *dir = path_dir(s->p, path), *now = tsb_strdup(s->p, path), *next;
	bool bare = path_dir_len(path) == 0;

	for (size_t n = strlen(path_base(s->p, path)); n; n--) {
		char *zeros = tsb_alloc(s->p, n + 1);
		struct tsb_stat st;
		bool taken;

		memset(zeros, '0', n);
		do {
			next = bare ? zeros : path_join(s->p, dir, zeros);
			taken = !tsb_lstat(s->p, next, &st);
			tsb_tick(s->p, 1);
		} while (taken && shred_next_name(zeros, n));
		if (taken || tsb_rename(s->p, now, next, 0))
			continue;
		if (s->verbose)
			tsb_warn(s->p, "%s: renamed to %s", quote_f(s->p, now), next);
		now = next;
		tsb_tick(s->p, 1);
	}
	return shred_unlink(s, now, shown);
}

static bool shred_remove_file(struct shred *s, const char *path, const char *shown)
{
	if (s->verbose)
		tsb_warn(s->p, "%s: removing", shown);
	return s->remove != SHRED_UNLINK ? shred_wipe_name(s, path, shown)
					 : shred_unlink(s, path, shown);
}

static bool shred_file(struct shred *s, const char *path)
{
	struct tsb_setattr open_up = { .mask = TSB_SET_MODE, .mode = 0200 };
	const char *shown = quote_f(s->p, path);
	int fd;
	bool ok;

	if (input_is_stdin(path)) {
		if ((tsb_fcntl_flags(s->p, 1) & O_APPEND) != 0) {
			tsb_warn(s->p, "%s: cannot shred append-only file descriptor", shown);
			return false;
		}
		return shred_fd(s, 1, shown);
	}
	fd = tsb_open(s->p, path, O_WRONLY | O_NOCTTY, 0);
	if (fd == -EACCES && s->force && !tsb_setattr(s->p, path, &open_up, true))
		fd = tsb_open(s->p, path, O_WRONLY | O_NOCTTY, 0);
	if (fd < 0) {
		tsb_warn_errno(s->p, fd, "%s: failed to open for writing", shown);
		return false;
	}
	ok = shred_fd(s, fd, shown);
	if (ok && s->remove)
		tsb_ftruncate(s->p, fd, 0);
	tsb_close(s->p, fd);
	return ok && s->remove ? shred_remove_file(s, path, shown) : ok;
}

static int shred_run(struct tsb_proc *p, void *opts, int argc, char **argv)
{
	struct shred *s = opts;
	bool ok = true;
	int fd;

	s->p = p;
	if (!argc)
		return util_missing_file(p);
	if (s->source) {
		fd = tsb_open(p, s->source, O_RDONLY, 0);
		if (fd < 0) {
			tsb_warn_errno(p, fd, "%s", quote_f(p, s->source));
			return 1;
		}
		tsb_reader_init(&s->random, p, fd);
	}
	s->buf = tsb_alloc(p, SHRED_BUFFER);
	for (int i = 0; i < argc; i++)
		ok &= shred_file(s, argv[i]);
	return !ok;
}

static const struct shred shred_defaults = { .passes = SHRED_PASSES };

const struct tsb_command cmd_shred = {
	CMD_COREUTILS, .name = "shred", .synopsis = "[OPTION]... FILE...",
	.summary = "Overwrite the specified FILE(s) repeatedly, in order to make it harder\n"
		   "for even very expensive hardware probing to recover the data.",
	.opts = shred_opts, .opts_size = sizeof(struct shred), .defaults = &shred_defaults,
	.run = shred_run,
};
