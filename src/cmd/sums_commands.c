/*
 * The commands that compute checksums, and their options.
 */
#include "cmd/cmd.h"

#include <string.h>

#include "base/str.h"
#include "cmd/quote.h"
#include "cmd/sums.h"
#include "cmd/whole.h"

/* ---- Options ---- */

static int sums_opt_verbosity(struct tsb_proc *p, void *opts, const struct tsb_opt *opt,
			      const char *arg)
{
	struct sums *s = opts;

	(void)p;
	(void)arg;
	s->status = opt->value == 's';
	s->quiet = opt->value == 'q';
	s->warn = opt->value == 'w';
	return 0;
}

static int sums_opt_tag(struct tsb_proc *p, void *opts, const struct tsb_opt *opt, const char *arg)
{
	struct sums *s = opts;

	(void)p;
	(void)arg;
	s->tag = opt->value;
	s->binary = opt->value ? 1 : s->binary;
	return 0;
}

static int sums_opt_length(struct tsb_proc *p, void *opts, const struct tsb_opt *opt,
			   const char *arg)
{
	struct sums *s = opts;

	(void)opt;
	s->length_text = arg;
	return whole_parse(p, arg, 0, UINT64_MAX, NULL, "invalid length", &s->length);
}

static const char *const sums_algorithms[] = {
	"bsd", "sysv", "crc", "md5", "sha1", "sha224", "sha256", "sha384", "sha512", "blake2b", "sm3",
};

static int sums_opt_algorithm(struct tsb_proc *p, void *opts, const struct tsb_opt *opt,
			      const char *arg)
{
	struct sums *s = opts;
	struct str list;

	(void)opt;
	s->kind_given = true;
	for (int i = 0; i <= DIGEST_SM3; i++) {
		if (!strcmp(sums_algorithms[i], arg)) {
			s->kind = i;
			return 0;
		}
	}
	/* Unlike other words of options this one may not be shortened. */
	str_init(&list, tsb_heap_of(p), STR_MAX_DEFAULT);
	tsb_warn(p, "invalid argument %s for %s", quote_text(p, arg), quote_text(p, "--algorithm"));
	str_adds(&list, "Valid arguments are:");
	for (int i = 0; i <= DIGEST_SM3; i++)
		str_addf(&list, "\n  - %s", quote_text(p, sums_algorithms[i]));
	str_addc(&list, '\n');
	tsb_write_all(p, 2, list.p, list.n);
	return tsb_usage(p, NULL);
}

static int sums_opt_no_mode(struct tsb_proc *p, void *opts, const struct tsb_opt *opt,
			    const char *arg)
{
	(void)opts;
	(void)opt;
	(void)arg;
	return tsb_usage(p, NULL);
}

#define SUMS_CHECK_OPTIONS \
	TSB_OPT_CALL(sums_opt_verbosity, 'q', 0, "quiet", NULL, \
		     "don't print OK for each successfully verified file"), \
	TSB_OPT_CALL(sums_opt_verbosity, 's', 0, "status", NULL, \
		     "don't output anything, status code shows success"), \
	TSB_OPT_FLAG(struct sums, ignore_missing, 0, "ignore-missing", \
		     "don't fail or report status for missing files"), \
	TSB_OPT_FLAG(struct sums, strict, 0, "strict", \
		     "exit non-zero for improperly formatted checksum lines"), \
	TSB_OPT_CALL(sums_opt_verbosity, 'w', 'w', "warn", NULL, \
		     "warn about improperly formatted checksum lines"), \
	TSB_OPT_FLAG(struct sums, zero, 'z', "zero", \
		     "end each output line with NUL, not newline, and disable file name escaping")
#define SUMS_OPTIONS \
	TSB_OPT_SET(struct sums, binary, 1, 'b', "binary", "read in binary mode"), \
	TSB_OPT_FLAG(struct sums, check, 'c', "check", "read checksums from the FILEs and check them"), \
	TSB_OPT_CALL(sums_opt_tag, 1, 0, "tag", NULL, "create a BSD-style checksum"), \
	TSB_OPT_SET(struct sums, binary, 0, 't', "text", "read in text mode (default)"), \
	SUMS_CHECK_OPTIONS
#define SUMS_LENGTH_OPTION \
	TSB_OPT_CALL(sums_opt_length, 0, 'l', "length", "BITS", \
		     "digest length in bits; must not exceed the max for the blake2 algorithm and " \
		     "must be a multiple of 8")

static const struct tsb_opt sums_opts[] = { SUMS_OPTIONS, TSB_OPT_END };
static const struct tsb_opt b2sum_opts[] = { SUMS_OPTIONS, SUMS_LENGTH_OPTION, TSB_OPT_END };

static const struct tsb_opt cksum_opts[] = {
	TSB_OPT_CALL(sums_opt_algorithm, 0, 'a', "algorithm", "TYPE",
		     "select the digest type to use: bsd, sysv, crc, md5, sha1, sha224, sha256, "
		     "sha384, sha512, blake2b, sm3"),
	TSB_OPT_FLAG(struct sums, check, 'c', "check", "read checksums from the FILEs and check them"),
	SUMS_LENGTH_OPTION,
	TSB_OPT_FLAG(struct sums, debug, 0, "debug", "indicate which implementation is used"),
	TSB_OPT_CALL(sums_opt_tag, 1, 0, "tag", NULL, "create a BSD-style checksum (the default)"),
	TSB_OPT_CALL(sums_opt_tag, 0, 0, "untagged", NULL,
		     "create a reversed style checksum, without digest type"),
	SUMS_CHECK_OPTIONS,
	{ TSB_OPTION_CALL, 'b', NULL, NULL, NULL, 0, 0, TSB_ARG_NONE | TSB_OPT_HIDDEN,
	  sums_opt_no_mode },
	{ TSB_OPTION_CALL, 't', NULL, NULL, NULL, 0, 0, TSB_ARG_NONE | TSB_OPT_HIDDEN,
	  sums_opt_no_mode },
	TSB_OPT_END
};

static const struct tsb_opt sum_opts[] = {
	TSB_OPT_SET(struct sums, kind, DIGEST_BSD, 'r', NULL,
		    "use BSD sum algorithm (the default), use 1K blocks"),
	TSB_OPT_SET(struct sums, kind, DIGEST_SYSV, 's', "sysv",
		    "use System V sum algorithm, use 512 bytes blocks"),
	TSB_OPT_END
};

/* ---- Commands ---- */

#define SUMS_COMMAND(command, which, bits, table) \
	static const struct sums command##_defaults = { .kind = (which), .binary = -1 }; \
	const struct tsb_command cmd_##command = { \
		CMD_COREUTILS, .name = #command, .synopsis = "[OPTION]... [FILE]...", \
		.summary = "Print or check " bits " checksums.", \
		.opts = (table), .opts_size = sizeof(struct sums), .defaults = &command##_defaults, \
		.run = sums_run, \
	}

SUMS_COMMAND(md5sum, DIGEST_MD5, "MD5 (128-bit)", sums_opts);
SUMS_COMMAND(sha1sum, DIGEST_SHA1, "SHA1 (160-bit)", sums_opts);
SUMS_COMMAND(sha224sum, DIGEST_SHA224, "SHA224 (224-bit)", sums_opts);
SUMS_COMMAND(sha256sum, DIGEST_SHA256, "SHA256 (256-bit)", sums_opts);
SUMS_COMMAND(sha384sum, DIGEST_SHA384, "SHA384 (384-bit)", sums_opts);
SUMS_COMMAND(sha512sum, DIGEST_SHA512, "SHA512 (512-bit)", sums_opts);
SUMS_COMMAND(b2sum, DIGEST_BLAKE2B, "BLAKE2b (512-bit)", b2sum_opts);

static const struct sums cksum_defaults = {
	.kind = DIGEST_CRC, .binary = -1, .is_cksum = true, .tag = true
};

const struct tsb_command cmd_cksum = {
	CMD_COREUTILS, .name = "cksum", .synopsis = "[OPTION]... [FILE]...",
	.summary = "Print or verify checksums.  By default use the 32 bit CRC algorithm.",
	.opts = cksum_opts, .opts_size = sizeof(struct sums), .defaults = &cksum_defaults,
	.run = sums_run,
};

static const struct sums sum_defaults = { .kind = DIGEST_BSD, .binary = -1 };

const struct tsb_command cmd_sum = {
	CMD_COREUTILS, .name = "sum", .synopsis = "[OPTION]... [FILE]...",
	.summary = "Print or check BSD (16-bit) checksums.",
	.opts = sum_opts, .opts_size = sizeof(struct sums), .defaults = &sum_defaults, .run = sums_run,
};
