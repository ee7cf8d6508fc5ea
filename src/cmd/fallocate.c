/*
 * fallocate - make a file longer, or parts of it zeros. The files here have no blocks to
 * reserve: what asks for more than that fails as on a filesystem in memory.
 */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>

#include "cmd/cmd.h"
#include "cmd/linuxopt.h"
#include "cmd/util.h"

enum { FALLOCATE_BLOCK = 4096 };

struct fallocate {
	bool collapse, dig, insert, keep, punch, zero, posix, verbose;
	const char *length, *offset;
};

static int fallocate_opt_help(struct tsb_proc *p, void *opts, const struct tsb_opt *opt, const char *arg)
{
	(void)opts, (void)arg;
	linuxopt_show(p, &cmd_fallocate, opt->value);
}

static const struct tsb_opt fallocate_opts[] = {
	TSB_OPT_FLAG(struct fallocate, collapse, 'c', "collapse-range", "remove a range from the file"),
	TSB_OPT_FLAG(struct fallocate, dig, 'd', "dig-holes", "detect zeroes and replace with holes"),
	TSB_OPT_FLAG(struct fallocate, insert, 'i', "insert-range", "insert a hole at range, shifting existing data"),
	TSB_OPT_STR(struct fallocate, length, 'l', "length", "num", "length for range operations, in bytes"),
	TSB_OPT_FLAG(struct fallocate, keep, 'n', "keep-size", "maintain the apparent size of the file"),
	TSB_OPT_STR(struct fallocate, offset, 'o', "offset", "num", "offset for range operations, in bytes"),
	TSB_OPT_FLAG(struct fallocate, punch, 'p', "punch-hole", "replace a range with a hole (implies -n)"),
	TSB_OPT_FLAG(struct fallocate, zero, 'z', "zero-range", "zero and ensure allocation of a range"),
	TSB_OPT_FLAG(struct fallocate, posix, 'x', "posix", "use posix_fallocate(3) instead of fallocate(2)"),
	TSB_OPT_FLAG(struct fallocate, verbose, 'v', "verbose", "verbose mode"),
	LINUXOPT_HELP(fallocate_opt_help),
	TSB_OPT_END
};

/* "4K", "4KiB" (1024), "4KB" (1000): -1 if it is none. */
static int64_t fallocate_number(const char *s)
{
	static const char units[] = "KMGTPE";
	int64_t v = 0, factor = 1;
	size_t n = strspn(s, "0123456789");
	const char *unit;

	for (size_t i = 0; i < n; i++)
		if (__builtin_mul_overflow(v, 10, &v) || __builtin_add_overflow(v, s[i] - '0', &v))
			return -1;
	s += n;
	if (!n || !*s)
		return n ? v : -1;
	unit = strchr(units, *s >= 'a' ? *s - 32 : *s);
	if (!unit || (s[1] && strcmp(s + 1, "iB") && strcmp(s + 1, "B")))
		return -1;
	for (const char *u = units; u <= unit; u++)
		factor *= s[1] == 'B' ? 1000 : 1024;
	return __builtin_mul_overflow(v, factor, &v) ? -1 : v;
}

static void fallocate_tell(struct tsb_proc *p, const char *name, uint64_t n, const char *what)
{
	static const char units[] = "BKMGTPE";
	unsigned unit = 0;
	uint64_t whole = n, rest = 0;

	for (; whole >= 1024 && unit < 6; unit++) {
		rest = (whole & 1023) * 10 / 1024;
		whole >>= 10;
	}
	tsb_printf(p, "%s: %llu", name, (unsigned long long)whole);
	if (rest)
		tsb_printf(p, ".%llu", (unsigned long long)rest);
	tsb_printf(p, " %c%s (%llu bytes) %s.\n", units[unit], unit ? "iB" : "", (unsigned long long)n, what);
}

static int fallocate_zeros(struct tsb_proc *p, int fd, uint64_t at, uint64_t n)
{
	static const char zeros[FALLOCATE_BLOCK];

	while (n) {
		size_t now = n < sizeof(zeros) ? (size_t)n : sizeof(zeros);
		ssize_t done = tsb_pwrite(p, fd, zeros, now, at);

		if (done <= 0)
			return done ? (int)done : -EIO;
		at += (uint64_t)done;
		n -= (uint64_t)done;
	}
	return 0;
}

/* How much of the file is blocks of zeros. */
static int64_t fallocate_holes(struct tsb_proc *p, int fd)
{
	char *buf = tsb_alloc(p, FALLOCATE_BLOCK);
	int64_t found = 0;
	uint64_t at = 0;
	ssize_t n;

	while ((n = tsb_pread(p, fd, buf, FALLOCATE_BLOCK, at)) > 0) {
		if (!buf[0] && !memcmp(buf, buf + 1, (size_t)n - 1))
			found += n;
		at += (uint64_t)n;
		tsb_tick(p, 64);
	}
	return n < 0 ? n : found;
}

static int fallocate_range(struct tsb_proc *p, const struct fallocate *o, int fd, uint64_t at, uint64_t n)
{
	struct tsb_stat st;
	int err = tsb_fstat(p, fd, &st);

	if (err)
		return err;
	if (o->punch && !o->posix) {
		if (at >= st.size)
			return 0;
		return fallocate_zeros(p, fd, at, n < st.size - at ? n : st.size - at);
	}
	if ((o->zero || o->collapse || o->insert) && !o->posix)
		return -EOPNOTSUPP;
	if (at + n > st.size && (!o->keep || o->posix))
		return tsb_ftruncate(p, fd, at + n);
	return 0;
}

static int fallocate_dig(struct tsb_proc *p, const struct fallocate *o, int fd, const char *name)
{
	int64_t n = fallocate_holes(p, fd);

	if (n < 0) {
		tsb_warn_errno(p, (int)n, "%s: read failed", name);
		return 1;
	}
	if (o->verbose)
		fallocate_tell(p, name, (uint64_t)n, "converted to sparse holes");
	return 0;
}

static int fallocate_file(struct tsb_proc *p, const struct fallocate *o, const char *name, int64_t at,
			  int64_t n)
{
	bool exists = o->dig || o->punch || o->zero || o->collapse || o->insert;
	int fd = tsb_open(p, name, O_RDWR | O_CLOEXEC | (exists ? 0 : O_CREAT), 0666), err;

	if (fd < 0) {
		tsb_warn_errno(p, fd, "cannot open %s", name);
		return 1;
	}
	if (o->dig)
		return fallocate_dig(p, o, fd, name);
	err = fallocate_range(p, o, fd, (uint64_t)at, (uint64_t)n);
	if (err == -EOPNOTSUPP && o->keep) {
		tsb_warn(p, "fallocate failed: keep size mode is unsupported");
		return 1;
	}
	if (err) {
		tsb_warn_errno(p, err, "fallocate failed");
		return 1;
	}
	if (o->verbose)
		fallocate_tell(p, name, (uint64_t)n, o->punch ? "hole created" : "allocated");
	return 0;
}

static int fallocate_bad(struct tsb_proc *p, const char *why)
{
	tsb_warn(p, "%s", why);
	return 1;
}

static int fallocate_run(struct tsb_proc *p, void *opts, int argc, char **argv)
{
	const struct fallocate *o = opts;
	int64_t length = o->length ? fallocate_number(o->length) : -2;
	int64_t offset = o->offset ? fallocate_number(o->offset) : 0;

	if (o->posix && o->collapse + o->dig + o->insert + o->keep + o->zero)
		return fallocate_bad(p, "mutually exclusive arguments: --posix --collapse-range "
				     "--dig-holes --insert-range --keep-size --punch-hole "
				     "--zero-range");
	if (o->collapse + o->dig + o->punch + o->zero > 1)
		return fallocate_bad(p, "mutually exclusive arguments: --collapse-range --dig-holes "
				     "--punch-hole --zero-range");
	if (!argc)
		return fallocate_bad(p, "no filename specified");
	if (argc > 1)
		return fallocate_bad(p, "unexpected number of arguments");
	if (!o->dig && length == -2)
		return fallocate_bad(p, "no length argument specified");
	if (o->length && length <= 0)
		return fallocate_bad(p, "invalid length value specified");
	if (offset < 0)
		return fallocate_bad(p, "invalid offset value specified");
	if (!o->dig && offset > INT64_MAX - length) {
		tsb_warn_errno(p, EFBIG, "fallocate failed");
		return 1;
	}
	return fallocate_file(p, o, argv[0], offset, length);
}

const struct tsb_command cmd_fallocate = {
	.version = TSB_COMMAND_VERSION, .package = "util-linux", .package_version = "2.38.1",
	.name = "fallocate", .synopsis = "[options] <filename>",
	.summary = "Preallocate space to, or deallocate space from a file.", .opts = fallocate_opts,
	.opts_size = sizeof(struct fallocate), .run = fallocate_run,
};
