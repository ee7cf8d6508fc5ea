/*
 * isutf8, errno - whether files are UTF-8, and why not; error numbers, their names
 * and texts (moreutils).
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/opt.h"
#include "base/str.h"
#include "cmd/cmd.h"
#include "cmd/rawopt.h"

#define ISUTF8_MORE .version = TSB_COMMAND_VERSION, .package = "moreutils", .package_version = "0.67"

/* ---- isutf8 ---- */

struct isutf8 {
	bool quiet, list, invert, verbose;
};

/* What may stand behind a first byte, and what is said where it does not. */
static const struct isutf8_form {
	unsigned char first, last, low, high, length;
	const char *head, *bad[3], *cut;
} isutf8_forms[] = {
	{ 0xc2, 0xdf, 0x80, 0xbf, 2, "between C2 and DF", { "expecting a 2nd byte between 80 and BF" },
	  "expecting a 2nd byte." },
	{ 0xe0, 0xe0, 0xa0, 0xbf, 3, "of E0",
	  { "expecting a 2nd byte between A0 and BF.", "expecting a 3nd byte between 80 and BF." },
	  "expecting two following bytes." },
	{ 0xe1, 0xec, 0x80, 0xbf, 3, "between E1 and EC",
	  { "expecting the 2nd byte between 80 and BF.", "expecting the 3rd byte between 80 and BF." },
	  "expecting two following bytes." },
	{ 0xed, 0xed, 0x80, 0x9f, 3, "of ED",
	  { "expecting 2nd byte between 80 and 9F.", "expecting 3rd byte between 80 and BF." },
	  "expecting two following bytes." },
	{ 0xee, 0xef, 0x80, 0xbf, 3, "between EE and EF",
	  { "expecting 2nd byte between 80 and BF.", "expecting 3rd byte between 80 and BF." },
	  "two following bytes." },
	{ 0xf0, 0xf0, 0x90, 0xbf, 4, "of F0",
	  { "expecting 2nd byte between 90 and BF.", "expecting 3rd byte between 80 and BF.",
	    "expecting 4th byte between 80 and BF." }, "expecting three following bytes." },
	{ 0xf1, 0xf3, 0x80, 0xbf, 4, "of F1, F2, or F3",
	  { "expecting a 2nd byte between 80 and BF.", "expecting a 3rd byte between 80 and BF.",
	    "expecting a 4th byte between 80 and BF." }, "expecting three following bytes." },
	{ 0xf4, 0xf4, 0x80, 0x8f, 4, "of F4",
	  { "expecting 2nd byte between 80 and 8F.", "expecting 3rd byte between 80 and BF.",
	    "expecting 4th byte between 80 and BF." }, "expecting three following bytes." },
};

/* Where a text stops to be UTF-8. */
struct isutf8_bad {
	size_t at, n;		/* the bytes that are shown as wrong */
	const char *head, *why;	/* head NULL: no first byte */
};

/* The length of the character at s; 0: there is none. */
static size_t isutf8_one(const unsigned char *s, size_t left, struct isutf8_bad *bad)
{
	const struct isutf8_form *f = isutf8_forms, *end = f + sizeof(isutf8_forms) / sizeof(*f);

	if (*s < 0x80)
		return 1;
	while (f < end && (*s < f->first || *s > f->last))
		f++;
	bad->n = 1;
	bad->head = f < end ? f->head : NULL;
	bad->why = f < end ? f->cut : NULL;
	if (f == end || left < f->length)
		return 0;
	for (size_t i = 1; i < f->length; i++) {
		if (s[i] >= (i == 1 ? f->low : 0x80) && s[i] <= (i == 1 ? f->high : 0xbf))
			continue;
		bad->n = i + 1;
		bad->why = f->bad[i - 1];
		return 0;
	}
	return f->length;
}

/* The bytes around, in two ways, with marks below. */
static void isutf8_context(struct tsb_proc *p, const unsigned char *s, size_t n,
			   const struct isutf8_bad *bad)
{
	size_t from = bad->at > 8 ? bad->at - 8 : 0, to = n - bad->at > 8 ? bad->at + 8 : n;
	size_t before = bad->at - from;

	for (size_t i = from; i < to; i++)
		tsb_printf(p, "%02X ", s[i]);
	tsb_printf(p, "%*s| ", (int)(49 - 3 * (to - from)), "");
	for (size_t i = from; i < to; i++)
		tsb_putc(p, s[i] >= ' ' && s[i] < 0x7f ? s[i] : '.');
	tsb_printf(p, "\n%*s", (int)(3 * before), "");
	for (size_t i = 0; i < 3 * bad->n - 1; i++)
		tsb_putc(p, '^');
	tsb_printf(p, "%*s| %*s", (int)(50 - 3 * before - 3 * bad->n), "", (int)before, "");
	for (size_t i = 0; i < bad->n; i++)
		tsb_putc(p, '^');
	tsb_puts(p, "\n\n");
}

struct isutf8_place {
	uint64_t line, offset;	/* of what is looked at */
	bool lines;		/* one line at a time: its bytes are counted from 0 */
};

/* false: it is not, and that is said. */
static bool isutf8_text(struct tsb_proc *p, const struct isutf8 *o, const char *name,
			const unsigned char *s, size_t n, struct isutf8_place *at)
{
	struct isutf8_bad bad = { .at = 0 };
	uint64_t chars = at->lines ? 0 : 1;
	size_t len;

	for (; bad.at < n; bad.at += len) {
		len = isutf8_one(s + bad.at, n - bad.at, &bad);
		if (!len)
			break;
		chars += len;
		if (s[bad.at] == '\n' && !at->lines) {
			at->line++;
			chars = 1;
		}
		if (bad.at % 65536 == 0)
			tsb_tick(p, 64);
	}
	if (bad.at >= n)
		return true;
	if (o->quiet || o->invert)
		return false;
	if (o->list) {
		tsb_printf(p, "%s\n", name);
		return false;
	}
	tsb_printf(p, "%s: line %llu, char %llu, byte %llu: ", name, (unsigned long long)at->line,
		   (unsigned long long)chars, (unsigned long long)(at->offset + bad.at));
	if (bad.head)
		tsb_printf(p, "After a first byte %s, %s\n", bad.head, bad.why);
	else
		tsb_puts(p, "Expecting bytes in the following ranges: 00..7F C2..F4.\n");
	if (o->verbose)
		isutf8_context(p, s, n, &bad);
	return false;
}

static bool isutf8_lines(struct tsb_proc *p, const struct isutf8 *o)
{
	struct isutf8_place at = { .line = 1, .lines = true };
	struct tsb_reader in;
	char *line;
	size_t n;

	tsb_reader_init(&in, p, 0);
	for (; (n = tsb_getdelim(&in, &line, '\n')); at.line++) {
		if (!isutf8_text(p, o, "(standard input)", (unsigned char *)line, n, &at))
			return false;
		at.offset += n;
		tsb_tick(p, 1);
	}
	return true;
}

/* A file whole, for what is shown of it reaches back. */
static bool isutf8_file(struct tsb_proc *p, const struct isutf8 *o, const char *name)
{
	struct isutf8_place at = { .line = 1 };
	int fd = tsb_open(p, name, O_RDONLY, 0);
	struct tsb_reader in;
	struct str text;
	char *data;
	size_t n;
	bool good;

	if (fd < 0) {
		const char *say = tsb_format(p, "open: %s\n", tsb_strerror(fd));

		tsb_flush(p);
		tsb_write_all(p, 2, say, strlen(say));
		return false;
	}
	str_init(&text, tsb_heap_of(p), STR_MAX_DEFAULT);
	tsb_reader_init(&in, p, fd);
	while ((n = tsb_getblock(&in, &data)))
		str_addn(&text, data, n);
	tsb_close(p, fd);
	good = isutf8_text(p, o, name, (unsigned char *)text.p, text.n, &at);
	if (o->invert && good && text.n)	/* an empty file is in neither list */
		tsb_printf(p, "%s\n", name);
	str_end(&text);
	return good;
}

static void isutf8_usage(struct tsb_proc *p, int fd)
{
	static const char text[] =
		"Usage: isutf8 [OPTION]... [FILE]...\n"
		"Check whether input files are valid UTF-8.\n\n"
		"  -h, --help       display this help text and exit\n"
		"  -q, --quiet      suppress all normal output\n"
		"  -l, --list       print only names of FILEs containing invalid UTF-8\n"
		"  -i, --invert     list valid UTF-8 files instead of invalid ones\n"
		"  -v, --verbose    print detailed error (multiple lines)\n\n"
		"This is version 1.2.\n";

	tsb_write_all(p, fd, text, sizeof(text) - 1);
}

static int isutf8_opt_help(struct tsb_proc *p, void *opts, const struct tsb_opt *opt, const char *arg)
{
	(void)opts, (void)opt, (void)arg;
	isutf8_usage(p, 1);
	tsb_exit(p, 0);
}

static int isutf8_bad_usage(struct tsb_proc *p, const char *text)
{
	tsb_warn(p, "%s", text);
	isutf8_usage(p, 1);
	return 1;
}

static const struct tsb_opt isutf8_opts[] = {
	TSB_OPT_CALL(isutf8_opt_help, 0, 'h', "help", NULL, "display this help text and exit"),
	TSB_OPT_FLAG(struct isutf8, quiet, 'q', "quiet", "suppress all normal output"),
	TSB_OPT_FLAG(struct isutf8, list, 'l', "list", "print only names of FILEs containing invalid UTF-8"),
	TSB_OPT_FLAG(struct isutf8, invert, 'i', "invert", "list valid UTF-8 files instead of invalid ones"),
	TSB_OPT_FLAG(struct isutf8, verbose, 'v', "verbose", "print detailed error (multiple lines)"),
	TSB_OPT_END
};

static int isutf8_run(struct tsb_proc *p, void *opts, int argc, char **argv)
{
	struct opt_parsed got;
	const struct isutf8 *o;
	int status;
	bool all = true;

	(void)opts;
	if (!rawopt_parse_as(p, &cmd_isutf8, argc, argv, &got, &status, isutf8_bad_usage))
		return status;
	o = got.opts;
	if (!got.argc)
		all = isutf8_lines(p, o);
	for (int i = 0; i < got.argc; i++) {
		bool good = isutf8_file(p, o, got.argv[i]);

		all &= good;
	}
	return all ? 0 : 1;
}

const struct tsb_command cmd_isutf8 = {
	ISUTF8_MORE, .name = "isutf8", .synopsis = "[OPTION]... [FILE]...",
	.summary = "Check whether input files are valid UTF-8.", .opts = isutf8_opts,
	.opts_size = sizeof(struct isutf8), .run = isutf8_run, .flags = TSB_RAW | TSB_NO_HELP,
};

/* ---- errno ---- */

static const struct errno_name {
	const char *name;
	int number;
} errno_names[] = {
#define NAME(x) { #x, x },
	NAME(EPERM) NAME(ENOENT) NAME(ESRCH) NAME(EINTR) NAME(EIO) NAME(ENXIO) NAME(E2BIG)
	NAME(ENOEXEC) NAME(EBADF) NAME(ECHILD) NAME(EAGAIN) NAME(ENOMEM) NAME(EACCES)
	NAME(EFAULT) NAME(ENOTBLK) NAME(EBUSY) NAME(EEXIST) NAME(EXDEV) NAME(ENODEV)
	NAME(ENOTDIR) NAME(EISDIR) NAME(EINVAL) NAME(ENFILE) NAME(EMFILE) NAME(ENOTTY)
	NAME(ETXTBSY) NAME(EFBIG) NAME(ENOSPC) NAME(ESPIPE) NAME(EROFS) NAME(EMLINK)
	NAME(EPIPE) NAME(EDOM) NAME(ERANGE) NAME(EDEADLK) NAME(ENAMETOOLONG) NAME(ENOLCK)
	NAME(ENOSYS) NAME(ENOTEMPTY) NAME(ELOOP) NAME(EWOULDBLOCK) NAME(ENOMSG) NAME(EIDRM)
	NAME(ECHRNG) NAME(EL2NSYNC) NAME(EL3HLT) NAME(EL3RST) NAME(ELNRNG) NAME(EUNATCH)
	NAME(ENOCSI) NAME(EL2HLT) NAME(EBADE) NAME(EBADR) NAME(EXFULL) NAME(ENOANO)
	NAME(EBADRQC) NAME(EBADSLT) NAME(EDEADLOCK) NAME(EBFONT) NAME(ENOSTR) NAME(ENODATA)
	NAME(ETIME) NAME(ENOSR) NAME(ENONET) NAME(ENOPKG) NAME(EREMOTE) NAME(ENOLINK)
	NAME(EADV) NAME(ESRMNT) NAME(ECOMM) NAME(EPROTO) NAME(EMULTIHOP) NAME(EDOTDOT)
	NAME(EBADMSG) NAME(EOVERFLOW) NAME(ENOTUNIQ) NAME(EBADFD) NAME(EREMCHG)
	NAME(ELIBACC) NAME(ELIBBAD) NAME(ELIBSCN) NAME(ELIBMAX) NAME(ELIBEXEC) NAME(EILSEQ)
	NAME(ERESTART) NAME(ESTRPIPE) NAME(EUSERS) NAME(ENOTSOCK) NAME(EDESTADDRREQ)
	NAME(EMSGSIZE) NAME(EPROTOTYPE) NAME(ENOPROTOOPT) NAME(EPROTONOSUPPORT)
	NAME(ESOCKTNOSUPPORT) NAME(EOPNOTSUPP) NAME(EPFNOSUPPORT) NAME(EAFNOSUPPORT)
	NAME(EADDRINUSE) NAME(EADDRNOTAVAIL) NAME(ENETDOWN) NAME(ENETUNREACH)
	NAME(ENETRESET) NAME(ECONNABORTED) NAME(ECONNRESET) NAME(ENOBUFS) NAME(EISCONN)
	NAME(ENOTCONN) NAME(ESHUTDOWN) NAME(ETOOMANYREFS) NAME(ETIMEDOUT)
	NAME(ECONNREFUSED) NAME(EHOSTDOWN) NAME(EHOSTUNREACH) NAME(EALREADY)
	NAME(EINPROGRESS) NAME(ESTALE) NAME(EUCLEAN) NAME(ENOTNAM) NAME(ENAVAIL)
	NAME(EISNAM) NAME(EREMOTEIO) NAME(EDQUOT) NAME(ENOMEDIUM) NAME(EMEDIUMTYPE)
	NAME(ECANCELED) NAME(ENOKEY) NAME(EKEYEXPIRED) NAME(EKEYREVOKED) NAME(EKEYREJECTED)
	NAME(EOWNERDEAD) NAME(ENOTRECOVERABLE) NAME(ERFKILL) NAME(EHWPOISON) NAME(ENOTSUP)
#undef NAME
};
#define ERRNO_NAMES (sizeof(errno_names) / sizeof(*errno_names))

struct errno_cmd {
	int what;		/* 'l', 's', 'S' */
};

static void errno_show(struct tsb_proc *p, const struct errno_name *e)
{
	tsb_printf(p, "%s %d %s\n", e->name, e->number, tsb_strerror(e->number));
}

/* Those whose texts have all the words; one language after another, and there are three names of one. */
static void errno_search(struct tsb_proc *p, int argc, char **argv)
{
	for (size_t i = 0; i < ERRNO_NAMES; i++) {
		int k = 0;

		while (k < argc && strcasestr(tsb_strerror(errno_names[i].number), argv[k]))
			k++;
		if (k == argc)
			errno_show(p, &errno_names[i]);
	}
}

static bool errno_one(struct tsb_proc *p, const char *word)
{
	bool number = *word >= '0' && *word <= '9';
	int value = number ? (int)strtol(word, NULL, 10) : 0;
	const char *say;

	for (size_t i = 0; i < ERRNO_NAMES; i++)
		if (number ? errno_names[i].number == value : !strcasecmp(errno_names[i].name, word)) {
			errno_show(p, &errno_names[i]);
			return true;
		}
	if (number)
		return false;
	say = tsb_format(p, "ERROR: Not understood: %s\n", word);
	tsb_flush(p);
	tsb_write_all(p, 2, say, strlen(say));
	return false;
}

static const char errno_usage[] =
	"Usage: errno [-lsS] [--list] [--search] [--search-all-locales] [keyword]\n";

static int errno_opt_help(struct tsb_proc *p, void *opts, const struct tsb_opt *opt, const char *arg)
{
	(void)opts, (void)opt, (void)arg;
	tsb_puts(p, errno_usage);
	tsb_exit(p, 0);
}

static const struct tsb_opt errno_opts[] = {
	TSB_OPT_CALL(errno_opt_help, 0, 'h', "help", NULL, "show the usage"),
	TSB_OPT_SET(struct errno_cmd, what, 'l', 'l', "list", "list all errno values"),
	TSB_OPT_SET(struct errno_cmd, what, 's', 's', "search", "search for errors whose description has all words"),
	TSB_OPT_SET(struct errno_cmd, what, 'S', 'S', "search-all-locales", "the same in all locales"),
	TSB_OPT_END
};

/* An option that there is not is told, and is no failure. */
static int errno_bad_usage(struct tsb_proc *p, const char *text)
{
	tsb_warn(p, "%s", text);
	return 0;
}

static int errno_run(struct tsb_proc *p, void *opts, int argc, char **argv)
{
	const struct errno_cmd *o;
	struct opt_parsed got;
	bool all = true;
	int status;

	(void)opts;
	if (!rawopt_parse_as(p, &cmd_errno, argc, argv, &got, &status, errno_bad_usage))
		return status;
	o = got.opts;
	if (o->what == 'l') {
		errno_search(p, 0, NULL);
		return 0;
	}
	for (int i = 0; o->what && i < (o->what == 'S' ? 3 : 1); i++)
		errno_search(p, got.argc, got.argv);
	for (int i = 0; !o->what && i < got.argc; i++)
		all &= errno_one(p, got.argv[i]);
	return all ? 0 : 1;
}

const struct tsb_command cmd_errno = {
	ISUTF8_MORE, .name = "errno", .synopsis = "[-lsS] [keyword...]",
	.summary = "Look up errno names and descriptions.", .opts = errno_opts,
	.opts_size = sizeof(struct errno_cmd), .run = errno_run, .flags = TSB_RAW | TSB_NO_HELP,
};
