/*
 * uuidgen - a new UUID (util-linux): random, of the time, or a digest of a name.
 */
#include "cmd/cmd.h"

#include <string.h>

#include "cmd/digest.h"
#include "cmd/linuxopt.h"

enum { UUID_BYTES = 16 };
/* Seconds from 1582-10-15, where the clock of UUIDs begins, to 1970. */
#define UUID_EPOCH UINT64_C(12219292800)

struct uuidgen {
	int kind;		/* 'r', 't', 'm', 's' or 0 */
	bool hex;
	const char *space, *name;
};

static int uuidgen_opt_help(struct tsb_proc *p, void *opts, const struct tsb_opt *opt,
			    const char *arg)
{
	(void)opts;
	(void)arg;
	linuxopt_show(p, &cmd_uuidgen, opt->value);
}

static const struct tsb_opt uuidgen_opts[] = {
	TSB_OPT_SET(struct uuidgen, kind, 'r', 'r', "random", "generate random-based uuid"),
	TSB_OPT_SET(struct uuidgen, kind, 't', 't', "time", "generate time-based uuid"),
	TSB_OPT_STR(struct uuidgen, space, 'n', "namespace", "ns",
		    "generate hash-based uuid in this namespace: a uuid, @dns, @url, @oid or @x500"),
	TSB_OPT_STR(struct uuidgen, name, 'N', "name", "name",
		    "generate hash-based uuid from this name"),
	TSB_OPT_SET(struct uuidgen, kind, 'm', 'm', "md5", "generate md5 hash"),
	TSB_OPT_SET(struct uuidgen, kind, 's', 's', "sha1", "generate sha1 hash"),
	TSB_OPT_FLAG(struct uuidgen, hex, 'x', "hex", "interpret name as hex string"),
	LINUXOPT_HELP(uuidgen_opt_help),
	TSB_OPT_END
};

static int uuidgen_digit(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	c |= 32;
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

static bool uuidgen_byte(const char *s, unsigned char *out)
{
	int high = uuidgen_digit(s[0]), low = high < 0 ? -1 : uuidgen_digit(s[1]);

	*out = (unsigned char)(high * 16 + low);
	return low >= 0;
}

/* "6ba7b810-9dad-11d1-80b4-00c04fd430c8" */
static bool uuidgen_parse(const char *s, unsigned char out[UUID_BYTES])
{
	for (int i = 0; i < UUID_BYTES; i++) {
		if (i == 4 || i == 6 || i == 8 || i == 10)
			if (*s++ != '-')
				return false;
		if (!uuidgen_byte(s, &out[i]))
			return false;
		s += 2;
	}
	return !*s;
}

static bool uuidgen_space(const char *s, unsigned char out[UUID_BYTES])
{
	static const char *const names[] = { "@dns", "@url", "@oid", "", "@x500" };
	char text[] = "6ba7b810-9dad-11d1-80b4-00c04fd430c8";

	for (int i = 0; i < 5; i++) {
		if (!*names[i] || strcmp(s, names[i]))
			continue;
		text[7] = (char)('0' + i);
		s = text;
		return uuidgen_parse(s, out);
	}
	return uuidgen_parse(s, out);
}

/* The bytes of a hexadecimal name; NULL: it is none. */
static unsigned char *uuidgen_hex(struct tsb_proc *p, const char *s, size_t *n)
{
	size_t len = strlen(s);
	unsigned char *out = tsb_alloc(p, len / 2 + 1);

	*n = len / 2;
	for (size_t i = 0; i < *n; i++)
		if (!uuidgen_byte(s + 2 * i, &out[i]))
			return NULL;
	return len % 2 ? NULL : out;
}

static int uuidgen_bad(struct tsb_proc *p, const char *text)
{
	return tsb_usage(p, "%s", text);
}

static int uuidgen_named(struct tsb_proc *p, const struct uuidgen *u, unsigned char out[UUID_BYTES])
{
	const unsigned char *name = (const unsigned char *)u->name;
	unsigned char sum[DIGEST_BYTES_MAX], space[UUID_BYTES];
	bool md5 = u->kind == 'm';
	struct digest d;
	size_t n;

	if (!uuidgen_space(u->space, space))
		return tsb_usage(p, "invalid uuid for namespace: '%s'", u->space);
	n = strlen(u->name);
	if (u->hex) {
		name = uuidgen_hex(p, u->name, &n);
		if (!name)
			return uuidgen_bad(p, "not a valid hex string");
	}
	digest_init(&d, md5 ? DIGEST_MD5 : DIGEST_SHA1, 0);
	digest_add(&d, space, sizeof(space));
	digest_add(&d, name, n);
	digest_end(&d, sum);
	memcpy(out, sum, UUID_BYTES);
	out[6] = (unsigned char)((out[6] & 15) | (md5 ? 0x30 : 0x50));
	return 0;
}

/* 100 ns steps of the clock, and a node that is no card's address. */
static void uuidgen_timed(struct tsb_proc *p, unsigned char out[UUID_BYTES])
{
	struct tsb_time now = tsb_clock(p, TSB_CLOCK_REAL);
	uint64_t v = ((uint64_t)now.sec + UUID_EPOCH) * 10000000 + (uint64_t)now.nsec / 100;

	for (int i = 0; i < 4; i++)
		out[i] = (unsigned char)(v >> (24 - 8 * i));
	out[4] = (unsigned char)(v >> 40);
	out[5] = (unsigned char)(v >> 32);
	out[6] = (unsigned char)((v >> 56 & 15) | 0x10);
	out[7] = (unsigned char)(v >> 48);
	tsb_random(p, out + 8, 8);
	out[10] |= 1;
}

static int uuidgen_run(struct tsb_proc *p, void *opts, int argc, char **argv)
{
	const struct uuidgen *u = opts;
	unsigned char out[UUID_BYTES];
	bool digest = u->kind == 'm' || u->kind == 's';
	int status;

	(void)argc;
	(void)argv;
	if (u->space && !u->name)
		return uuidgen_bad(p, "--namespace requires --name argument");
	if (u->name && !u->space)
		return uuidgen_bad(p, "--name requires --namespace argument");
	if (u->space && !digest)
		return uuidgen_bad(p, "--namespace requires --md5 or --sha1");
	if (digest && !u->space)
		return uuidgen_bad(p, "--md5 or --sha1 requires --namespace argument");
	if (digest) {
		status = uuidgen_named(p, u, out);
		if (status)
			return status;
	} else if (u->kind == 't') {
		uuidgen_timed(p, out);
	} else {
		tsb_random(p, out, sizeof(out));
		out[6] = (unsigned char)((out[6] & 15) | 0x40);
	}
	out[8] = (unsigned char)((out[8] & 63) | 128);
	for (int i = 0; i < UUID_BYTES; i++)
		tsb_printf(p, "%s%02x", i == 4 || i == 6 || i == 8 || i == 10 ? "-" : "",
			   (unsigned)out[i]);
	tsb_putc(p, '\n');
	return 0;
}

const struct tsb_command cmd_uuidgen = {
	.version = TSB_COMMAND_VERSION, .package = "util-linux", .package_version = "2.38.1",
	.name = "uuidgen", .synopsis = "[options]", .summary = "Create a new UUID value.",
	.opts = uuidgen_opts, .opts_size = sizeof(struct uuidgen), .run = uuidgen_run,
};
