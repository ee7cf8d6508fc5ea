/*
 * Computing checksums of files and printing them, one line a file.
 */
#include "cmd/sums.h"

#include <errno.h>
#include <string.h>

#include "cmd/crc.h"
#include "cmd/lines.h"
#include "cmd/quote.h"

bool sums_file(struct sums *s, const char *name, enum digest_kind kind, size_t bytes,
	       struct digest *d, unsigned char out[DIGEST_BYTES_MAX], bool *missing)
{
	int fd = input_open(s->p, name);
	struct tsb_reader in;
	char *data;
	int error;
	size_t n;

	if (fd == -ENOENT && missing) {
		*missing = true;
		return true;
	}
	if (fd < 0) {
		tsb_warn_errno(s->p, fd, "%s", quote_f(s->p, name));
		return false;
	}
	if (s->debug && kind == DIGEST_CRC)
		tsb_warn(s->p, crc_is_fast() ? "using pclmul hardware support"
						    : "pclmul support not detected");
	s->debug = false;	/* once is enough */
	digest_init(d, kind, bytes);
	tsb_reader_init(&in, s->p, fd);
	while ((n = tsb_getblock(&in, &data))) {
		digest_add(d, data, n);
		tsb_tick(s->p, n / 16 + 1);
	}
	digest_end(d, out);
	/* cksum 9.1 takes what it could read of a file for all of it, in its CRC only. */
	error = kind == DIGEST_CRC && in.error != -EBADF ? 0 : in.error;
	if (error)
		tsb_warn_errno(s->p, error, "%s", kind == DIGEST_CRC ? "standard input" :
			       quote_f(s->p, name));
	tsb_reader_end(&in);
	input_close(s->p, fd);
	return !error;
}

bool sums_needs_escape(const char *name)
{
	return strpbrk(name, "\\\n\r") != NULL;
}

void sums_put_name(struct tsb_proc *p, const char *name, bool escape)
{
	if (!escape) {
		tsb_puts(p, name);
		return;
	}
	for (; *name; name++) {
		if (*name == '\\' || *name == '\n' || *name == '\r') {
			tsb_putc(p, '\\');
			tsb_putc(p, *name == '\n' ? 'n' : *name == '\r' ? 'r' : '\\');
		} else {
			tsb_putc(p, *name);
		}
	}
}

static void sums_put_hex(struct tsb_proc *p, const unsigned char *at, size_t n)
{
	for (size_t i = 0; i < n; i++)
		tsb_printf(p, "%02x", at[i]);
}

static void sums_put_digest(struct sums *s, const struct digest *d, const unsigned char *out,
			    const char *name)
{
	bool escape = !s->zero && sums_needs_escape(name);

	if (escape)
		tsb_putc(s->p, '\\');
	if (s->tag) {
		tsb_puts(s->p, digest_tag(d->kind));
		if (d->kind == DIGEST_BLAKE2B && d->bytes < 64)
			tsb_printf(s->p, "-%zu", d->bytes * 8);
		tsb_puts(s->p, " (");
		sums_put_name(s->p, name, escape);
		tsb_puts(s->p, ") = ");
		sums_put_hex(s->p, out, d->bytes);
	} else {
		sums_put_hex(s->p, out, d->bytes);
		tsb_puts(s->p, s->binary > 0 && !s->is_cksum ? " *" : "  ");
		sums_put_name(s->p, name, escape);
	}
}

static void sums_put_checksum(struct sums *s, const struct digest *d, const char *name)
{
	unsigned long long sum = d->u.sum.sum, n = d->u.sum.length;

	if (d->kind == DIGEST_BSD)
		tsb_printf(s->p, "%05llu %5llu", sum, n / 1024 + (n % 1024 != 0));
	else if (d->kind == DIGEST_SYSV)
		tsb_printf(s->p, "%llu %llu", sum, n / 512 + (n % 512 != 0));
	else
		tsb_printf(s->p, "%llu %llu", sum, n);
	if (name)
		tsb_printf(s->p, " %s", name);
}

static bool sums_one(struct sums *s, const char *name, bool given)
{
	unsigned char out[DIGEST_BYTES_MAX];
	struct digest d;

	if (s->check)
		return sums_check(s, name);
	if (!sums_file(s, name, (enum digest_kind)s->kind, (size_t)s->length / 8, &d, out, NULL))
		return false;
	if (d.kind <= DIGEST_CRC)
		sums_put_checksum(s, &d, given ? name : NULL);
	else
		sums_put_digest(s, &d, out, name);
	tsb_putc(s->p, s->zero ? '\0' : '\n');
	if (!s->zero)
		tsb_flush(s->p);	/* a line at a time, as GNU's */
	return true;
}

/* ---- Options that do not go together ---- */

static int sums_check_length(struct sums *s)
{
	if (!s->length_text)
		return 0;
	if (s->length % 8) {
		tsb_warn(s->p, "invalid length: %s", quote_text(s->p, s->length_text));
		tsb_warn(s->p, "length is not a multiple of 8");
		return 1;
	}
	if (s->is_cksum && s->length && s->kind != DIGEST_BLAKE2B) {
		tsb_warn(s->p, "--length is only supported with --algorithm=blake2b");
		return 1;
	}
	if (s->length > DIGEST_BYTES_MAX * 8) {
		tsb_warn(s->p, "invalid length: %s", quote_text(s->p, s->length_text));
		tsb_warn(s->p, "maximum digest length for %s is 512 bits",
			 quote_text(s->p, digest_tag((enum digest_kind)s->kind)));
		return 1;
	}
	return 0;
}

static int sums_check_options(struct sums *s)
{
	const char *only = s->ignore_missing ? "--ignore-missing" : s->status ? "--status"
			 : s->warn ? "--warn" : s->quiet ? "--quiet" : s->strict ? "--strict" : NULL;
	int status = sums_check_length(s);

	if (status)
		return status;
	if (s->is_cksum && s->check && s->kind_given && s->kind <= DIGEST_CRC) {
		tsb_warn(s->p, "--check is not supported with --algorithm={bsd,sysv,crc}");
		return 1;
	}
	if (s->tag && !s->is_cksum && !s->binary)
		return tsb_usage(s->p, "--tag does not support --text mode");
	if (s->zero && s->check)
		return tsb_usage(s->p, "the --zero option is not supported when verifying checksums");
	if (s->tag && !s->is_cksum && s->check)
		return tsb_usage(s->p, "the --tag option is meaningless when verifying checksums");
	if (s->binary >= 0 && !s->is_cksum && s->check)
		return tsb_usage(s->p, "the --binary and --text options are meaningless when "
				 "verifying checksums");
	if (only && !s->check)
		return tsb_usage(s->p, "the %s option is meaningful only when verifying checksums",
				 only);
	return 0;
}

int sums_run(struct tsb_proc *p, void *opts, int argc, char **argv)
{
	struct sums *s = opts;
	bool ok = true;
	int status;

	s->p = p;
	status = sums_check_options(s);
	if (status)
		return status;
	if (!argc)
		ok = sums_one(s, "-", false);
	for (int i = 0; i < argc; i++)
		ok &= sums_one(s, argv[i], true);
	return !ok;
}
