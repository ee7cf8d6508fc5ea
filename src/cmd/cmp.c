/*
 * cmp - compare two files byte by byte.
 *
 * Both files are read block by block; what the blocks have in common is
 * compared at once, bytes one by one only where it differs.
 */
#include "cmd/cmd.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>

#include "cmd/diffutils.h"
#include "cmd/lines.h"
#include "cmd/locale.h"
#include "cmd/util.h"

#define CMP_BLOCK ((size_t)64 << 10)

struct cmp_file {
	const char *name;
	int fd;
	struct tsb_stat st;
	uint64_t skip;
	char *buf;
	size_t n;
};

struct cmp {
	bool show, all, silent;
	uint64_t skip[2], limit;

	struct tsb_proc *p;
	struct cmp_file file[2];
	uint64_t byte, line;		/* before the block in work */
	bool at_line;			/* the last byte before it was a newline */
	int width;			/* of offsets with -l */
};

static const struct cmp cmp_defaults = { .limit = UINT64_MAX };

/* ---- Numbers ---- */

static int digit_of(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	if (c >= 'a' && c <= 'f')
		return c - 'a' + 10;
	return c >= 'A' && c <= 'F' ? c - 'A' + 10 : 99;
}

/* Digits by C's rules for the base: false if there are none, or too many. */
static bool read_digits(const char **s, uint64_t *v)
{
	int base = 10;

	if ((*s)[0] == '0' && ((*s)[1] == 'x' || (*s)[1] == 'X') && digit_of((*s)[2]) < 16) {
		base = 16;
		*s += 2;
	} else if (**s == '0') {
		base = 8;
	}
	if (digit_of(**s) >= base)
		return false;
	for (*v = 0; digit_of(**s) < base; ++*s)
		if (__builtin_mul_overflow(*v, (unsigned)base, v) ||
		    __builtin_add_overflow(*v, (unsigned)digit_of(**s), v))
			return false;
	return *v <= INT64_MAX;
}

/* k, K, KiB, kB, M ...: multiplies *v. */
static bool read_unit(const char **s, uint64_t *v)
{
	static const char units[] = "KMGTPEZY";
	const char *at = **s ? strchr(units, **s == 'k' ? 'K' : **s) : NULL;
	unsigned base = 1024;

	if (!at)
		return true;
	++*s;
	if ((*s)[0] == 'i' && (*s)[1] == 'B') {
		*s += 2;
	} else if (**s == 'B') {
		base = 1000;
		++*s;
	}
	for (ptrdiff_t i = at - units; i >= 0; i--)
		if (__builtin_mul_overflow(*v, base, v))
			return false;
	return *v <= INT64_MAX;
}

/* A number up to `end` (0 or ':'): *s moves behind it. */
static bool read_size(const char **s, char end, uint64_t *v)
{
	bool minus;

	*s += strspn(*s, " \t\n\v\f\r");
	minus = **s == '-';
	*s += **s == '+' || minus;
	if (!read_digits(s, v) || !read_unit(s, v) || (minus && *v))
		return false;
	if (**s && **s == end) {
		++*s;
		return true;
	}
	return !**s;
}

static int bad_value(struct tsb_proc *p, const char *option, const char *value)
{
	return diffutils_try(p, "invalid %s value '%s'", option, value);
}

static int set_skip(struct cmp *c, int f, const char **arg, char end)
{
	const char *start = *arg;
	uint64_t v = 0;

	if (!read_size(arg, end, &v))
		return bad_value(c->p, "--ignore-initial", start);
	if (v > c->skip[f])
		c->skip[f] = v;
	return 0;
}

static int cmp_opt_skip(struct tsb_proc *p, void *opts, const struct tsb_opt *opt, const char *arg)
{
	struct cmp *c = opts;
	const char *start = arg;
	int status;

	(void)opt;
	c->p = p;
	status = set_skip(c, 0, &arg, ':');
	if (status)
		return status;
	if (arg == start || arg[-1] != ':')
		arg = start;
	return set_skip(c, 1, &arg, 0);
}

static int cmp_opt_limit(struct tsb_proc *p, void *opts, const struct tsb_opt *opt, const char *arg)
{
	struct cmp *c = opts;
	const char *s = arg;
	uint64_t v = 0;

	(void)opt;
	if (!read_size(&s, 0, &v))
		return bad_value(p, "--bytes", arg);
	if (v < c->limit)
		c->limit = v;
	return 0;
}

static int cmp_opt_kind(struct tsb_proc *p, void *opts, const struct tsb_opt *opt, const char *arg)
{
	struct cmp *c = opts;

	(void)arg;
	c->all |= opt->value == 'l';
	c->silent |= opt->value == 's';
	if (c->all && c->silent)
		return diffutils_try(p, "options -l and -s are incompatible");
	return 0;
}

static int cmp_opt_show(struct tsb_proc *p, void *opts, const struct tsb_opt *opt, const char *arg)
{
	(void)p;
	(void)opt;
	(void)arg;
	((struct cmp *)opts)->show = true;
	return 0;
}

static const struct tsb_opt cmp_opts[] = {
	TSB_OPT_CALL(cmp_opt_show, 0, 'b', "print-bytes", NULL, "print differing bytes"),
	{ TSB_OPTION_CALL, 'c', "print-chars", NULL, "", 0, 0, TSB_ARG_NONE | TSB_OPT_HIDDEN,
	  cmp_opt_show },
	TSB_OPT_CALL(cmp_opt_skip, 1, 'i', "ignore-initial", "SKIP",
		     "skip first SKIP bytes of both inputs; SKIP1:SKIP2 differs"),
	TSB_OPT_CALL(cmp_opt_kind, 'l', 'l', "verbose", NULL,
		     "output byte numbers and differing byte values"),
	TSB_OPT_CALL(cmp_opt_limit, 1, 'n', "bytes", "LIMIT", "compare at most LIMIT bytes"),
	TSB_OPT_CALL(cmp_opt_kind, 's', 's', "quiet", NULL, "suppress all normal output"),
	TSB_OPT_CALL(cmp_opt_kind, 's', 0, "silent", NULL, NULL),
	DIFFUTILS_VERSION_OPT,
	TSB_OPT_END
};

/* ---- Comparing ---- */

static void cmp_fail(struct cmp *c, int err, const char *name)
{
	tsb_warn_errno(c->p, err, "%s", name);
	tsb_exit(c->p, DIFF_TROUBLE);
}

/* Fills the buffer, at most `want` bytes. */
static void cmp_read(struct cmp *c, struct cmp_file *f, size_t want)
{
	f->n = 0;
	while (f->n < want) {
		ssize_t r = tsb_read(c->p, f->fd, f->buf + f->n, want - f->n);

		if (r < 0)
			cmp_fail(c, (int)r, f->name);
		if (r == 0)
			break;
		f->n += (size_t)r;
	}
}

static void cmp_skip(struct cmp *c, struct cmp_file *f)
{
	uint64_t left = f->skip;

	if (left && tsb_lseek(c->p, f->fd, (int64_t)left, SEEK_CUR) >= 0)
		return;
	while (left) {
		cmp_read(c, f, left < CMP_BLOCK ? (size_t)left : CMP_BLOCK);
		if (!f->n)
			return;
		left -= f->n;
		tsb_tick(c->p, f->n / 64 + 1);
	}
}

/* A byte as cat -v and ^ and M- show it. */
static const char *byte_text(unsigned char b, char out[5])
{
	char *s = out;

	if (b >= 128) {
		*s++ = 'M';
		*s++ = '-';
		b -= 128;
	}
	if (b < 32) {
		*s++ = '^';
		b += 64;
	} else if (b == 127) {
		*s++ = '^';
		b = '?';
	}
	*s++ = (char)b;
	*s = '\0';
	return out;
}

static size_t count_lines(const char *s, size_t n)
{
	size_t count = 0;
	const char *end = s + n;

	while ((s = memchr(s, '\n', (size_t)(end - s))) != NULL) {
		count++;
		s++;
	}
	return count;
}

static void say_first(struct cmp *c, size_t at)
{
	unsigned char a = (unsigned char)c->file[0].buf[at], b = (unsigned char)c->file[1].buf[at];
	char as[5], bs[5];

	tsb_printf(c->p, "%s %s differ: %s %llu, line %llu", c->file[0].name, c->file[1].name,
		   !c->show && locale_is_c(c->p, "LC_MESSAGES") ? "char" : "byte",
		   (unsigned long long)(c->byte + at + 1),
		   (unsigned long long)(c->line + count_lines(c->file[0].buf, at)));
	if (c->show)
		tsb_printf(c->p, " is %3o %s %3o %s", (unsigned)a, byte_text(a, as), (unsigned)b,
			   byte_text(b, bs));
	tsb_putc(c->p, '\n');
}

static void say_each(struct cmp *c, size_t from, size_t n)
{
	for (size_t i = from; i < n; i++) {
		unsigned char a = (unsigned char)c->file[0].buf[i];
		unsigned char b = (unsigned char)c->file[1].buf[i];
		char as[5], bs[5];

		if (a == b)
			continue;
		tsb_printf(c->p, "%*llu", c->width, (unsigned long long)(c->byte + i + 1));
		if (c->show)
			tsb_printf(c->p, " %3o %-4s %3o %s\n", (unsigned)a, byte_text(a, as),
				   (unsigned)b, byte_text(b, bs));
		else
			tsb_printf(c->p, " %3o %3o\n", (unsigned)a, (unsigned)b);
	}
}

/* Standard output is not flushed before it: what differs may come later. */
static void say_end(struct cmp *c, int f)
{
	struct str s;

	if (c->silent)
		return;
	str_init(&s, tsb_heap_of(c->p), STR_MAX_DEFAULT);
	str_addf(&s, "%s: EOF on %s", tsb_name(c->p), c->file[f].name);
	if (!c->byte)
		str_adds(&s, " which is empty");
	else
		str_addf(&s, " after byte %llu", (unsigned long long)c->byte);
	if (c->byte && !c->all)
		str_addf(&s, c->at_line ? ", line %llu" : ", in line %llu",
			 (unsigned long long)(c->line - c->at_line));
	str_addc(&s, '\n');
	tsb_write_all(c->p, 2, s.p, s.n);
}

static size_t first_difference(const char *a, const char *b, size_t n)
{
	size_t i = 0;

	while (n - i > 256 && !memcmp(a + i, b + i, 256))
		i += 256;
	while (i < n && a[i] == b[i])
		i++;
	return i;
}

/* The blocks that were read: the status if it is known, or -1. */
static int compare_blocks(struct cmp *c, bool *differ)
{
	struct cmp_file *a = &c->file[0], *b = &c->file[1];
	size_t n = a->n < b->n ? a->n : b->n, at = first_difference(a->buf, b->buf, n);

	if (at < n) {
		if (c->silent)
			return 1;
		if (!c->all) {
			say_first(c, at);
			return 1;
		}
		say_each(c, at, n);
		*differ = true;
	}
	if (n) {
		c->byte += n;
		c->line += c->all || c->silent ? 0 : count_lines(a->buf, n);
		c->at_line = a->buf[n - 1] == '\n';
	}
	if (a->n == b->n)
		return -1;
	say_end(c, a->n > b->n);
	return 1;
}

static int compare(struct cmp *c)
{
	uint64_t left = c->limit;
	bool differ = false;
	int status;

	for (int f = 0; f < 2; f++)
		cmp_skip(c, &c->file[f]);
	do {
		size_t want = left < CMP_BLOCK ? (size_t)left : CMP_BLOCK;

		for (int f = 0; f < 2; f++)
			cmp_read(c, &c->file[f], want);
		status = compare_blocks(c, &differ);
		if (status >= 0)
			return status;
		left -= c->file[0].n;
		tsb_tick(c->p, c->file[0].n / 64 + 1);
	} while (left && c->file[0].n);
	return differ;
}

/* ---- Before ---- */

static int64_t position(struct cmp *c, int f)
{
	int64_t at = tsb_lseek(c->p, c->file[f].fd, 0, SEEK_CUR);

	return at < 0 || (uint64_t)at + c->file[f].skip > INT64_MAX ? -1 :
		at + (int64_t)c->file[f].skip;
}

/* Bytes of a regular file that will be compared; UINT64_MAX: not known. */
static uint64_t bytes_left(struct cmp *c, int f)
{
	const struct cmp_file *file = &c->file[f];
	int64_t at = position(c, f);

	if (!S_ISREG(file->st.mode) || at < 0)
		return UINT64_MAX;
	return (uint64_t)at < file->st.size ? file->st.size - (uint64_t)at : 0;
}

static void set_width(struct cmp *c)
{
	uint64_t most = c->limit < INT64_MAX ? c->limit : INT64_MAX;

	for (int f = 0; f < 2; f++)
		if (bytes_left(c, f) < most)
			most = bytes_left(c, f);
	for (c->width = 1; most /= 10; c->width++)
		;
}

static bool same_file(struct cmp *c)
{
	const struct tsb_stat *a = &c->file[0].st, *b = &c->file[1].st;

	return util_same_file(a, b) && a->mode == b->mode && a->size == b->size &&
	       position(c, 0) == position(c, 1);
}

static int open_files(struct cmp *c)
{
	for (int f = 0; f < 2; f++) {
		struct cmp_file *file = &c->file[f];

		file->skip = c->skip[f];
		file->fd = input_is_stdin(file->name) ? 0 :
			tsb_open(c->p, file->name, O_RDONLY | O_CLOEXEC, 0);
		if (file->fd < 0) {
			if (!c->silent)
				tsb_warn_errno(c->p, file->fd, "%s", file->name);
			return DIFF_TROUBLE;
		}
		if (tsb_fstat(c->p, file->fd, &file->st) < 0)
			memset(&file->st, 0, sizeof(file->st));
		file->buf = tsb_alloc(c->p, CMP_BLOCK);
	}
	return 0;
}

static int cmp_main(struct cmp *c)
{
	int status = open_files(c);

	if (status)
		return status;
	if (same_file(c))
		return 0;
	if (c->silent) {
		uint64_t a = bytes_left(c, 0), b = bytes_left(c, 1);

		if (c->file[0].st.size && c->file[1].st.size && a != UINT64_MAX &&
		    b != UINT64_MAX && a != b && (a < b ? a : b) < c->limit)
			return 1;
	}
	if (c->all)
		set_width(c);
	c->line = 1;
	return compare(c);
}

static int cmp_run(struct tsb_proc *p, void *opts, int argc, char **argv)
{
	struct opt_parsed parsed;
	struct cmp *c;
	int status;

	(void)opts;
	if (!diffutils_parse(p, &cmd_cmp, argc, argv, &parsed, &status))
		return status;
	c = parsed.opts;
	c->p = p;
	status = diffutils_operands(p, parsed.argc, parsed.argv, 1, INT32_MAX, argc, argv);
	if (status)
		return status;
	c->file[0].name = parsed.argv[0];
	c->file[1].name = parsed.argc > 1 ? parsed.argv[1] : "-";
	for (int f = 0; f < 2 && parsed.argc > 2 + f && !status; f++) {
		const char *arg = parsed.argv[2 + f];

		status = set_skip(c, f, &arg, 0);
	}
	if (!status && parsed.argc > 4)
		status = diffutils_operands(p, parsed.argc, parsed.argv, 1, 4, argc, argv);
	return status ? status : cmp_main(c);
}

const struct tsb_command cmd_cmp = {
	CMD_DIFFUTILS, .name = "cmp", .synopsis = "[OPTION]... FILE1 [FILE2 [SKIP1 [SKIP2]]]",
	.summary = "compare two files byte by byte", .opts = cmp_opts,
	.opts_size = sizeof(struct cmp), .defaults = &cmp_defaults, .run = cmp_run,
	.flags = TSB_RAW, .usage_status = DIFF_TROUBLE,
};
