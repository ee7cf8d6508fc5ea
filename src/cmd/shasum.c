/*
 * shasum - SHA digests of files, and lists of them checked (Perl's Digest::SHA 6.02).
 */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <strings.h>

#include "base/opt.h"
#include "base/str.h"
#include "cmd/cmd.h"
#include "cmd/digest.h"
#include "cmd/rawopt.h"

enum { SHASUM_ALGORITHMS = 7 };

static const struct shasum_kind {
	const char *name, *tag;
	enum digest_kind kind;
	size_t bytes;
} shasum_kinds[SHASUM_ALGORITHMS] = {
	{ "1", "SHA1", DIGEST_SHA1, 20 }, { "224", "SHA224", DIGEST_SHA224, 28 },
	{ "256", "SHA256", DIGEST_SHA256, 32 }, { "384", "SHA384", DIGEST_SHA384, 48 },
	{ "512", "SHA512", DIGEST_SHA512, 64 }, { "512224", "SHA512/224", DIGEST_SHA512, 28 },
	{ "512256", "SHA512/256", DIGEST_SHA512, 32 },
};

struct shasum {
	const char *algorithm;
	bool binary, text, universal, bits, check, tag, ignore_missing, quiet, status, strict, warn;
	struct tsb_proc *p;
	const struct shasum_kind *kind;
};

struct shasum_list {		/* what came of a list */
	const char *name;
	uint64_t line, good, bad_lines, unread, wrong, matched;
};

/* ---- Digests ---- */

/* SHA-512/t begins with what SHA-512, begun otherwise, makes of its name (FIPS 180-4, 5.3.6). */
static void shasum_begin(struct digest *d, const struct shasum_kind *k)
{
	unsigned char seed[DIGEST_BYTES_MAX];

	digest_init(d, k->kind, 0);
	if (k->kind != DIGEST_SHA512 || k->bytes == 64)
		return;
	for (int i = 0; i < 8; i++)
		d->u.sha512.h[i] ^= UINT64_C(0xa5a5a5a5a5a5a5a5);
	digest_add(d, k->bytes == 28 ? "SHA-512/224" : "SHA-512/256", 11);
	digest_end(d, seed);
	digest_init(d, k->kind, 0);
	for (int i = 0; i < 8; i++) {
		uint64_t v = 0;

		for (int b = 0; b < 8; b++)
			v = v << 8 | seed[8 * i + b];
		d->u.sha512.h[i] = v;
	}
}

/* A message that does not end with a byte: its end is padded here, and the state is the digest. */
static void shasum_end_bits(struct digest *d, uint64_t bits, unsigned last, unsigned char *out)
{
	bool wide = d->kind == DIGEST_SHA384 || d->kind == DIGEST_SHA512;
	size_t block = wide ? 128 : 64, tail = wide ? 16 : 8, n = 1;
	unsigned char end[256] = { 0 };

	end[0] = (unsigned char)(last | 0x80u >> (bits % 8));
	while ((bits / 8 + n) % block != block - tail)
		n++;
	n += tail;
	for (int i = 0; i < 8; i++)
		end[n - 1 - (size_t)i] = (unsigned char)(bits >> (8 * i));
	digest_add(d, end, n);
	for (int i = 0; i < 8; i++)
		for (int b = 0; b < (wide ? 8 : 4); b++)
			*out++ = wide ? (unsigned char)(d->u.sha512.h[i] >> (56 - 8 * b)) :
				 (unsigned char)((d->kind != DIGEST_SHA1 ? d->u.sha256.h[i] : i == 0 ? d->u.sha1.h0 :
						  i == 1 ? d->u.sha1.h1 : i == 2 ? d->u.sha1.h2 :
						  i == 3 ? d->u.sha1.h3 : d->u.sha1.h4) >> (24 - 8 * b));
}

struct shasum_feed {
	struct digest d;
	uint64_t bits;
	unsigned last;		/* bits of a byte that is not whole yet */
	bool cr;		/* the last byte was one, and is a newline already */
};

/* Line ends of all systems as newlines. */
static void shasum_universal(struct shasum_feed *f, const char *s, size_t n, char *out)
{
	size_t k = 0;

	for (size_t i = 0; i < n; i++) {
		if (s[i] == '\r' || !(s[i] == '\n' && f->cr))
			out[k++] = s[i] == '\r' ? '\n' : s[i];
		f->cr = s[i] == '\r';
	}
	digest_add(&f->d, out, k);
}

static void shasum_bits(struct shasum_feed *f, const char *s, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		unsigned char byte;

		if (s[i] != '0' && s[i] != '1')
			continue;
		f->last |= s[i] == '1' ? 0x80u >> (f->bits % 8) : 0;
		if (++f->bits % 8)
			continue;
		byte = (unsigned char)f->last;
		digest_add(&f->d, &byte, 1);
		f->last = 0;
	}
}

/* 0, or -errno. */
static int shasum_file(struct shasum *s, const struct shasum_kind *k, char mode, const char *name, char *hex)
{
	int fd = strcmp(name, "-") ? tsb_open(s->p, name, O_RDONLY | O_CLOEXEC, 0) : 0;
	unsigned char out[DIGEST_BYTES_MAX];
	struct shasum_feed f = { .bits = 0 };
	char *buf, *text;
	ssize_t n;

	if (fd < 0)
		return fd;
	shasum_begin(&f.d, k);
	buf = tsb_alloc(s->p, 65536);
	text = tsb_alloc(s->p, 65536);
	while ((n = tsb_read(s->p, fd, buf, 65536)) > 0) {
		tsb_tick(s->p, 64);
		if (mode == 'U')
			shasum_universal(&f, buf, (size_t)n, text);
		else if (mode == '^')
			shasum_bits(&f, buf, (size_t)n);
		else
			digest_add(&f.d, buf, (size_t)n);
	}
	tsb_free(s->p, buf);
	tsb_free(s->p, text);
	if (fd)
		tsb_close(s->p, fd);
	if (n < 0)
		return (int)n;
	if (mode == '^' && f.bits % 8)
		shasum_end_bits(&f.d, f.bits, f.last, out);
	else
		digest_end(&f.d, out);
	for (size_t i = 0; i < k->bytes; i++) {
		hex[2 * i] = "0123456789abcdef"[out[i] >> 4];
		hex[2 * i + 1] = "0123456789abcdef"[out[i] & 15];
	}
	hex[2 * k->bytes] = '\0';
	return 0;
}

static void shasum_warn_file(struct shasum *s, const char *name, int err)
{
	tsb_flush(s->p);
	tsb_warn(s->p, "%s: %s", name, tsb_strerror(err));
}

/* ---- Printing ---- */

static bool shasum_print(struct shasum *s, const char *name)
{
	char mode = s->bits ? '^' : s->universal ? 'U' : s->binary ? '*' : ' ', hex[2 * DIGEST_BYTES_MAX + 1];
	int err = shasum_file(s, s->kind, mode, name, hex);
	struct str shown;

	if (err) {
		shasum_warn_file(s, name, err);
		return false;
	}
	str_init(&shown, tsb_heap_of(s->p), STR_MAX_DEFAULT);
	for (const char *c = name; *c; c++) {
		if (*c == '\\' || *c == '\n')
			str_addc(&shown, '\\');
		str_addc(&shown, *c == '\n' ? 'n' : *c);
	}
	if (shown.n != strlen(name))
		tsb_putc(s->p, '\\');
	if (s->tag)
		tsb_printf(s->p, "%s (%s) = %s\n", s->kind->tag, shown.p, hex);
	else
		tsb_printf(s->p, "%s %c%s\n", hex, mode, shown.p);
	str_end(&shown);
	return true;
}

/* ---- Checking ---- */

static size_t shasum_hex(const char *s)
{
	return strspn(s, "0123456789abcdefABCDEF");
}

static const struct shasum_kind *shasum_of_length(const struct shasum *s, size_t digits)
{
	if (s->kind->bytes * 2 == digits)
		return s->kind;
	for (int i = 0; i < 5; i++)
		if (shasum_kinds[i].bytes * 2 == digits)
			return &shasum_kinds[i];
	return NULL;
}

static void shasum_unescape(char *s)
{
	char *to = s;

	for (; *s; s++) {
		if (*s == '\\' && s[1])
			*to++ = *++s == 'n' ? '\n' : *s;
		else
			*to++ = *s;
	}
	*to = '\0';
}

/* A line of a list into its parts; false: it is none. */
static bool shasum_line(struct shasum *s, char *line, const char **hex, char *mode, char **name,
			const struct shasum_kind **kind)
{
	bool escaped = *line == '\\';
	char *at = line + escaped, *end;
	size_t n;

	if (!strncmp(at, "SHA", 3)) {		/* SHA256 (NAME) = HEX */
		end = strrchr(at, '=');
		at = strstr(at, " (");
		if (!at || !end || end - at < 5 || strncmp(end - 2, ") = ", 4))
			return false;
		end[-2] = '\0';
		*hex = end + 2;
		*name = at + 2;
		*mode = ' ';
		n = strlen(*hex);
		if (n != shasum_hex(*hex))
			return false;
	} else {
		n = shasum_hex(at);
		if (at[n] != ' ' || !at[n + 1] || !strchr(" *U^", at[n + 1]) || !at[n + 2])
			return false;
		*hex = at;
		*mode = at[n + 1];
		*name = at + n + 2;
		at[n] = '\0';
	}
	*kind = shasum_of_length(s, n);
	if (escaped)
		shasum_unescape(*name);
	return *kind != NULL;
}

static void shasum_one(struct shasum *s, struct shasum_list *l, char *line)
{
	char got[2 * DIGEST_BYTES_MAX + 1], mode, *name;
	const struct shasum_kind *kind;
	const char *hex;
	int err;

	if (!shasum_line(s, line, &hex, &mode, &name, &kind)) {
		l->bad_lines++;
		if (s->warn) {
			tsb_flush(s->p);
			tsb_warn(s->p, "%s: %llu: improperly formatted SHA checksum line", l->name,
				 (unsigned long long)l->line);
		}
		return;
	}
	l->good++;
	err = shasum_file(s, kind, mode, name, got);
	if (err == -ENOENT && s->ignore_missing)
		return;
	if (err) {
		shasum_warn_file(s, name, err);
		l->unread++;
		if (!s->status)
			tsb_printf(s->p, "%s: FAILED open or read\n", name);
		return;
	}
	err = strcasecmp(hex, got);
	l->wrong += err != 0;
	l->matched += err == 0;
	if (!s->status && (err || !s->quiet))
		tsb_printf(s->p, "%s: %s\n", name, err ? "FAILED" : "OK");
}

static void shasum_sum_up(struct shasum *s, uint64_t n, const char *one, const char *many)
{
	if (n)
		tsb_warn(s->p, "WARNING: %llu %s", (unsigned long long)n, n == 1 ? one : many);
}

static bool shasum_check(struct shasum *s, const char *name)
{
	int fd = strcmp(name, "-") ? tsb_open(s->p, name, O_RDONLY | O_CLOEXEC, 0) : 0;
	struct shasum_list l = { .name = name };
	struct tsb_reader in;
	char *line;
	size_t n;

	if (fd < 0) {
		shasum_warn_file(s, name, fd);
		tsb_exit(s->p, -fd);
	}
	tsb_reader_init(&in, s->p, fd);
	while ((n = tsb_getdelim(&in, &line, '\n'))) {
		char *copy = tsb_strndup(s->p, line, n - (line[n - 1] == '\n'));

		tsb_tick(s->p, 1);
		l.line++;
		if (*copy != '#')
			shasum_one(s, &l, copy + strspn(copy, " \t"));
		tsb_free(s->p, copy);
	}
	tsb_flush(s->p);
	if (!l.good) {
		tsb_warn(s->p, "%s: no properly formatted SHA checksum lines found",
			 strcmp(name, "-") ? name : "standard input");
		return false;
	}
	if (!s->status) {
		shasum_sum_up(s, l.bad_lines, "line is improperly formatted", "lines are improperly formatted");
		shasum_sum_up(s, l.unread, "listed file could not be read", "listed files could not be read");
		shasum_sum_up(s, l.wrong, "computed checksum did NOT match", "computed checksums did NOT match");
	}
	if (s->ignore_missing && !l.matched && !l.wrong) {
		tsb_warn(s->p, "%s: no file was verified", name);
		return false;
	}
	return !l.unread && !l.wrong && (!s->strict || !l.bad_lines);
}

/* ---- Options ---- */

static int shasum_bad(struct tsb_proc *p, const char *text)
{
	static const char tail[] = "Type shasum -h for help\n";
	const char *quoted = strchr(text, '\'');
	int n = quoted ? (int)strcspn(quoted + 1, "'=") : 0;

	if (!strncmp(text, "invalid", 7))
		text = tsb_format(p, "Unknown option: %c\n%s", quoted[1], tail);
	else if (!strncmp(text, "unrecognized", 12))
		text = tsb_format(p, "Unknown option: %.*s\n%s", n - 2, quoted + 3, tail);
	else if (strstr(text, "requires an argument"))
		text = tsb_format(p, "Option %.*s requires an argument\n%s", n - (quoted[1] == '-' ? 2 : 0),
				  quoted + 1 + (quoted[1] == '-' ? 2 : 0), tail);
	else
		text = tsb_format(p, "%s\n%s", text, tail);
	tsb_write_all(p, 2, text, strlen(text));
	return 1;
}

static int shasum_opt_version(struct tsb_proc *p, void *opts, const struct tsb_opt *opt, const char *arg)
{
	(void)opts, (void)opt, (void)arg;
	tsb_puts(p, "6.02\n");
	tsb_exit(p, 0);
}

static const struct tsb_opt shasum_opts[] = {
	TSB_OPT_STR(struct shasum, algorithm, 'a', "algorithm", "ALGORITHM", "1 (default), 224, 256, 384, 512, 512224, 512256"),
	TSB_OPT_FLAG(struct shasum, binary, 'b', "binary", "read in binary mode"),
	TSB_OPT_FLAG(struct shasum, check, 'c', "check", "read SHA sums from the FILEs and check them"),
	TSB_OPT_FLAG(struct shasum, tag, 0, "tag", "create a BSD-style checksum"),
	TSB_OPT_FLAG(struct shasum, text, 't', "text", "read in text mode (default)"),
	TSB_OPT_FLAG(struct shasum, universal, 'U', "UNIVERSAL", "read in Universal Newlines mode"),
	TSB_OPT_FLAG(struct shasum, bits, '0', "01", "read in BITS mode"),
	TSB_OPT_FLAG(struct shasum, ignore_missing, 0, "ignore-missing", "don't fail or report status for missing files"),
	TSB_OPT_FLAG(struct shasum, quiet, 'q', "quiet", "don't print OK for each successfully verified file"),
	TSB_OPT_FLAG(struct shasum, status, 's', "status", "don't output anything, status code shows success"),
	TSB_OPT_FLAG(struct shasum, strict, 0, "strict", "exit non-zero for improperly formatted checksum lines"),
	TSB_OPT_FLAG(struct shasum, warn, 'w', "warn", "warn about improperly formatted checksum lines"),
	TSB_OPT_HELP('h', "help"),
	TSB_OPT_CALL(shasum_opt_version, 0, 'v', "version", NULL, "output version information and exit"),
	TSB_OPT_END
};

/* What does not go together; NULL: nothing. */
static const char *shasum_conflict(const struct shasum *s)
{
	if (s->binary + s->text + s->universal + s->bits > 1)
		return "Ambiguous file mode";
	if (!s->check && s->warn)
		return "--warn option used only when verifying checksums";
	if (!s->check && s->status)
		return "--status option used only when verifying checksums";
	if (!s->check && s->quiet)
		return "--quiet option used only when verifying checksums";
	if (!s->check && s->ignore_missing)
		return "--ignore-missing option used only when verifying checksums";
	if (!s->check && s->strict)
		return "--strict option used only when verifying checksums";
	if (s->tag && s->text)
		return "--tag does not support --text mode";
	if (s->tag && s->universal)
		return "--tag does not support Universal Newlines mode";
	if (s->tag && s->bits)
		return "--tag does not support BITS mode";
	return s->kind ? NULL : "Unrecognized algorithm";
}

static int shasum_run(struct tsb_proc *p, void *opts, int argc, char **argv)
{
	static char *const standard[] = { (char *)(uintptr_t)"-", NULL };
	struct opt_parsed got;
	struct shasum *s;
	const char *why;
	bool good = true;
	int status;

	(void)opts;
	if (!rawopt_parse_as(p, &cmd_shasum, argc, argv, &got, &status, shasum_bad))
		return status;
	s = got.opts;
	s->p = p;
	for (int i = 0; i < SHASUM_ALGORITHMS; i++)
		if (!strcmp(s->algorithm ? s->algorithm : "1", shasum_kinds[i].name))
			s->kind = &shasum_kinds[i];
	if (s->algorithm && (!*s->algorithm || s->algorithm[strspn(s->algorithm, "0123456789")]))
		return shasum_bad(p, tsb_format(p, "Value \"%s\" invalid for option a (number expected)",
						s->algorithm));
	why = shasum_conflict(s);
	if (why)
		return shasum_bad(p, tsb_format(p, "shasum: %s", why));
	for (char *const *file = got.argc ? got.argv : standard; *file; file++)
		good &= s->check ? shasum_check(s, *file) : shasum_print(s, *file);
	return good ? 0 : 1;
}

const struct tsb_command cmd_shasum = {
	.version = TSB_COMMAND_VERSION, .package = "Digest::SHA", .package_version = "6.02", .name = "shasum",
	.synopsis = "[OPTION]... [FILE]...", .summary = "Print or check SHA checksums.", .opts = shasum_opts,
	.opts_size = sizeof(struct shasum), .run = shasum_run, .flags = TSB_RAW | TSB_NO_HELP,
};
