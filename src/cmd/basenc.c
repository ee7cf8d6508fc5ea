/*
 * base64, base32, basenc - bytes as letters of an alphabet, and back.
 *
 * The groups are base/letters.h's; here are lines, garbage and messages. Whole groups
 * go straight into the output's buffer, two letters at a time out of a table.
 */
#include "cmd/cmd.h"

#include <string.h>

#include "base/letters.h"
#include "base/num.h"
#include "cmd/lines.h"
#include "cmd/util.h"

enum basenc_kind {
	BASENC_BITS,
	BASENC_LSBF,		/* the lowest bit of a byte comes first */
	BASENC_Z85		/* four bytes are a number of five digits */
};

struct basenc {
	const struct letters_code *code;
	enum basenc_kind kind;
	bool decode, ignore;
	uint64_t wrap;

	struct sink out;
	signed char value[256];
	char (*pairs)[2];	/* by the bits of two letters; NULL: not worth it so far */
	uint64_t column;
};

static int basenc_wrap(struct tsb_proc *p, void *opts, const struct tsb_opt *opt, const char *arg)
{
	struct basenc *b = opts;
	enum num_result r = num_suffixed(arg, NULL, &b->wrap);

	(void)opt;
	/* A signed number for GNU's: what is too large is no wrapping, and -0 is 0. */
	if (r == NUM_RANGE || b->wrap > INT64_MAX || (*arg == '-' && strspn(arg + 1, "0") &&
						     !arg[1 + strspn(arg + 1, "0")])) {
		b->wrap = 0;
		r = NUM_RANGE;
	}
	if (r == NUM_RANGE)
		return 0;
	if (r != NUM_OK)
		tsb_warn(p, "invalid wrap size: %s", quote_text(p, arg));
	return r != NUM_OK;
}

static const struct {
	struct letters_code code;
	enum basenc_kind kind;
} basenc_codes[] = {
	{ { "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/", 6, 3, 4 },
	  BASENC_BITS },
	{ { "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_", 6, 3, 4 },
	  BASENC_BITS },
	{ { "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567", 5, 5, 8 }, BASENC_BITS },
	{ { "0123456789ABCDEFGHIJKLMNOPQRSTUV", 5, 5, 8 }, BASENC_BITS },
	{ { "0123456789ABCDEF", 4, 1, 2 }, BASENC_BITS },
	{ { "01", 1, 1, 8 }, BASENC_BITS },
	{ { "01", 1, 1, 8 }, BASENC_LSBF },
	/* 85 letters: its groups are no bits, only the letters count. */
	{ { "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ.-:+=^!/*?&<>()[]{}@%$#",
	    0, 4, 5 }, BASENC_Z85 },
};

static int basenc_which(struct tsb_proc *p, void *opts, const struct tsb_opt *opt, const char *arg)
{
	struct basenc *b = opts;

	(void)p;
	(void)arg;
	b->code = &basenc_codes[opt->value].code;
	b->kind = basenc_codes[opt->value].kind;
	return 0;
}

#define BASENC_OPTS \
	TSB_OPT_FLAG(struct basenc, decode, 'd', "decode", "decode data"), \
	TSB_OPT_FLAG(struct basenc, ignore, 'i', "ignore-garbage", \
		     "when decoding, ignore non-alphabet characters"), \
	TSB_OPT_CALL(basenc_wrap, 0, 'w', "wrap", "COLS", \
		     "wrap encoded lines after COLS character (default 76).  Use 0 to disable line " \
		     "wrapping"), \
	TSB_OPT_END

static const struct tsb_opt basenc_base_opts[] = { BASENC_OPTS };
static const struct tsb_opt basenc_opts[] = {
	TSB_OPT_CALL(basenc_which, 0, 0, "base64", NULL, "same as 'base64' program"),
	TSB_OPT_CALL(basenc_which, 1, 0, "base64url", NULL, "file- and url-safe base64"),
	TSB_OPT_CALL(basenc_which, 2, 0, "base32", NULL, "same as 'base32' program"),
	TSB_OPT_CALL(basenc_which, 3, 0, "base32hex", NULL, "extended hex alphabet base32"),
	TSB_OPT_CALL(basenc_which, 4, 0, "base16", NULL, "hex encoding"),
	TSB_OPT_CALL(basenc_which, 5, 0, "base2msbf", NULL,
		     "bit string with most significant bit (msb) first"),
	TSB_OPT_CALL(basenc_which, 6, 0, "base2lsbf", NULL,
		     "bit string with least significant bit (lsb) first"),
	TSB_OPT_CALL(basenc_which, 7, 0, "z85", NULL,
		     "ascii85-like encoding; when encoding, input length must be a multiple of 4; "
		     "when decoding, input length must be a multiple of 5"),
	BASENC_OPTS
};

/* ---- Bits backwards, and numbers to the base of 85 ---- */

static void basenc_turn(const struct basenc *b, char *at, size_t n)
{
	if (b->kind != BASENC_LSBF)
		return;
	for (size_t i = 0; i < n; i++) {
		unsigned in = (unsigned char)at[i], out = 0;

		for (int bit = 0; bit < 8; bit++)
			out |= (in >> bit & 1) << (7 - bit);
		at[i] = (char)out;
	}
}

static void basenc_encode_85(const struct basenc *b, const unsigned char at[4], char out[5])
{
	uint32_t v = (uint32_t)at[0] << 24 | (uint32_t)at[1] << 16 | (uint32_t)at[2] << 8 | at[3];

	for (unsigned i = 5; i--; v /= 85)
		out[i] = b->code->alphabet[v % 85];
}

static bool basenc_decode_85(const struct basenc *b, const unsigned char *at, size_t n, char out[4])
{
	uint64_t v = 0;

	for (size_t i = 0; i < n; i++) {
		if (b->value[at[i]] < 0)
			return false;
		v = v * 85 + (uint64_t)b->value[at[i]];
	}
	for (unsigned i = 0; i < 4; i++)
		out[i] = (char)(v >> (24 - 8 * i));
	return n == 5 && v <= UINT32_MAX;
}

/* ---- Encoding ---- */

static void basenc_put(struct basenc *b, const char *s, size_t n)
{
	while (n) {
		size_t part = b->wrap && b->wrap - b->column < n ? (size_t)(b->wrap - b->column) : n;

		sink_put(&b->out, s, part);
		s += part;
		n -= part;
		if (!b->wrap)
			continue;
		b->column += part;
		if (b->column == b->wrap) {
			sink_putc(&b->out, '\n');
			b->column = 0;
		}
	}
}

/* n bytes, at most a group. */
static void basenc_encode_group(struct basenc *b, const unsigned char *at, size_t n)
{
	char out[LETTERS_MAX];

	if (b->kind == BASENC_Z85)
		basenc_encode_85(b, at, out);
	else
		letters_encode(b->code, at, n, out);
	basenc_put(b, out, b->code->letters);
}

/* k whole groups. */
static inline void basenc_letters(const struct basenc *b, char *out, const unsigned char *at,
				  size_t k, unsigned bytes, unsigned bits)
{
	for (; k--; at += bytes) {
		uint64_t v = 0;

		for (unsigned i = 0; i < bytes; i++)
			v = v << 8 | at[i];
		for (unsigned shift = bytes * 8; shift; out += 2) {
			shift -= 2 * bits;
			memcpy(out, b->pairs[v >> shift & ((1u << 2 * bits) - 1)], 2);
		}
	}
}

/* Whole groups, as many as a line and the buffer have room for; those that a line ends
 * in by themselves. How many. */
static size_t basenc_encode_some(struct basenc *b, const unsigned char *at, size_t groups)
{
	const struct letters_code *c = b->code;
	size_t k = groups;

	if (SINK_SIZE - b->out.n < 64)
		sink_flush(&b->out);
	if (k > (SINK_SIZE - b->out.n) / c->letters)
		k = (SINK_SIZE - b->out.n) / c->letters;
	if (b->wrap && k > (b->wrap - b->column) / c->letters)
		k = (size_t)((b->wrap - b->column) / c->letters);
	if (!k || !b->pairs) {
		basenc_encode_group(b, at, c->bytes);
		return 1;
	}
	if (c->bits == 6)
		basenc_letters(b, b->out.buf + b->out.n, at, k, 3, 6);
	else
		basenc_letters(b, b->out.buf + b->out.n, at, k, c->bytes, c->bits);
	b->out.n += k * c->letters;
	b->column += b->wrap ? k * c->letters : 0;
	if (b->wrap && b->column == b->wrap) {
		sink_putc(&b->out, '\n');
		b->column = 0;
	}
	return k;
}

/* A table that pays for itself in some thousand bytes. */
static void basenc_pairs(struct tsb_proc *p, struct basenc *b)
{
	unsigned n = 1u << b->code->bits;

	b->pairs = tsb_alloc(p, n * n * sizeof(*b->pairs));
	for (unsigned i = 0; i < n; i++) {
		for (unsigned k = 0; k < n; k++) {
			b->pairs[i * n + k][0] = b->code->alphabet[i];
			b->pairs[i * n + k][1] = b->code->alphabet[k];
		}
	}
}

/* A line ends when more comes: not before the message of an error. */
static int basenc_wrong_length(struct basenc *b, struct tsb_proc *p, const unsigned char *last)
{
	char out[LETTERS_MAX];

	if (last) {
		basenc_encode_85(b, last, out);
		basenc_put(b, out, b->code->letters - 1u);
		sink_putc(&b->out, out[b->code->letters - 1u]);
	}
	sink_flush(&b->out);
	tsb_flush(p);
	tsb_warn(p, "invalid input (length must be multiple of 4 characters)");
	return 1;
}

/* As GNU's: what is read at a time is written as a whole, or not at all. The last group
 * of a block waits for what follows. */
static int basenc_encode_z85(struct basenc *b, struct tsb_reader *in)
{
	enum { GROUP = 4, BLOCK = 30720 };
	unsigned char *block = tsb_alloc(in->p, BLOCK), last[GROUP];
	size_t n, held, part;
	bool waits = false;
	char *data;

	for (held = 0; !tsb_out_error(in->p) && (n = tsb_getblock(in, &data)); ) {
		tsb_tick(in->p, n / 16 + 1);
		for (; n; data += part, n -= part) {
			part = n < BLOCK - held ? n : BLOCK - held;
			memcpy(block + held, data, part);
			held += part;
			if (held < BLOCK)
				continue;
			if (waits)
				basenc_encode_group(b, last, GROUP);
			for (size_t i = 0; i < BLOCK - GROUP; i += GROUP)
				basenc_encode_group(b, block + i, GROUP);
			memcpy(last, block + BLOCK - GROUP, GROUP);
			waits = true;
			held = 0;
		}
	}
	if (held % GROUP)
		return basenc_wrong_length(b, in->p, waits ? last : NULL);
	if (waits)
		basenc_encode_group(b, last, GROUP);
	for (size_t i = 0; i < held; i += GROUP)
		basenc_encode_group(b, block + i, GROUP);
	if (b->column)
		sink_putc(&b->out, '\n');
	return 0;
}

static int basenc_encode(struct basenc *b, struct tsb_reader *in)
{
	unsigned char group[LETTERS_MAX];
	size_t held = 0, n, bytes = b->code->bytes;
	char *data;

	while (!tsb_out_error(in->p) && (n = tsb_getblock(in, &data))) {
		const unsigned char *at = (const unsigned char *)data, *end = at + n;

		tsb_tick(in->p, n / 64 + 1);
		if (!b->pairs && n >= 4096)
			basenc_pairs(in->p, b);
		basenc_turn(b, data, n);
		while (held && held < bytes && at < end)
			group[held++ & 7] = *at++;
		if (held == bytes) {
			basenc_encode_group(b, group, held);
			held = 0;
		}
		while ((size_t)(end - at) >= bytes)
			at += bytes * basenc_encode_some(b, at, (size_t)(end - at) / bytes);
		if (at < end)
			memcpy(group, at, held = (size_t)(end - at) & 7);
	}
	if (held)
		basenc_encode_group(b, group, held);
	if (b->column)
		sink_putc(&b->out, '\n');
	return 0;
}

/* ---- Decoding ---- */

/* n letters, at most a group: writes what can be read of them; false: some not. */
static bool basenc_decode_group(struct basenc *b, const unsigned char *at, size_t n)
{
	char out[LETTERS_BYTES_MAX];
	size_t got = 4;
	bool ok;

	if (b->kind == BASENC_Z85) {
		ok = basenc_decode_85(b, at, n, out);
		got = ok ? got : 0;
	} else {
		ok = letters_decode(b->code, b->value, at, n, out, &got);
	}
	basenc_turn(b, out, got);
	sink_put(&b->out, out, got);
	return ok;
}

/* Whole groups of nothing but letters, as far as they go: how many letters. */
static size_t basenc_decode_some(struct basenc *b, const unsigned char *at, size_t n)
{
	const struct letters_code *c = b->code;
	size_t done = 0;

	if (b->kind == BASENC_Z85)
		return 0;
	for (; n - done >= c->letters; done += c->letters) {
		uint64_t v = 0;
		int bad = 0;

		for (unsigned i = 0; i < c->letters; i++) {
			int x = b->value[at[done + i]];

			bad |= x;
			v = v << c->bits | (unsigned char)x;
		}
		if (bad < 0)
			break;
		if (SINK_SIZE - b->out.n < c->bytes)
			sink_flush(&b->out);
		for (unsigned i = c->bytes; i--; v >>= 8)
			b->out.buf[b->out.n + i] = (char)(v & 255);
		basenc_turn(b, b->out.buf + b->out.n, c->bytes);
		b->out.n += c->bytes;
	}
	return done;
}

static int basenc_decode(struct basenc *b, struct tsb_reader *in)
{
	unsigned char group[LETTERS_MAX];
	size_t held = 0, n;
	bool ok = true;
	char *data;

	while (ok && !tsb_out_error(in->p) && (n = tsb_getblock(in, &data))) {
		tsb_tick(in->p, n / 64 + 1);
		for (size_t i = 0; ok && i < n; i++) {
			unsigned char c;

			if (!held)
				i += basenc_decode_some(b, (unsigned char *)data + i, n - i);
			if (i == n)
				break;
			c = (unsigned char)data[i];
			if (c == '\n' || (b->ignore && b->value[c] < 0 && c != '='))
				continue;
			group[held++] = c;
			if (held == b->code->letters) {
				ok = basenc_decode_group(b, group, held);
				held = 0;
			}
		}
	}
	if (ok && held && !in->error)
		ok = basenc_decode_group(b, group, held);
	if (ok)
		return 0;
	sink_flush(&b->out);
	tsb_flush(in->p);
	tsb_warn(in->p, "invalid input");
	return 1;
}

static void basenc_values(struct basenc *b)
{
	memset(b->value, -1, sizeof(b->value));
	for (size_t i = 0; b->code->alphabet[i]; i++)
		b->value[(unsigned char)b->code->alphabet[i]] = (signed char)i;
}

static int basenc_run(struct tsb_proc *p, void *opts, int argc, char **argv)
{
	const char *name = argc ? argv[0] : "-";
	struct basenc *b = opts;
	struct tsb_reader in;
	int fd, status;

	if (!b->code)
		return tsb_usage(p, "missing encoding type");
	if (argc > 1)
		return util_extra_operand(p, argv[1]);
	fd = input_open(p, name);
	if (fd < 0) {
		tsb_warn_errno(p, fd, "%s", quote_f(p, name));
		return 1;
	}
	basenc_values(b);
	sink_init(&b->out, p);
	tsb_reader_init(&in, p, fd);
	status = b->decode ? basenc_decode(b, &in) :
		 b->kind == BASENC_Z85 ? basenc_encode_z85(b, &in) : basenc_encode(b, &in);
	sink_flush(&b->out);
	if (in.error) {
		tsb_warn_errno(p, in.error, "read error");
		return 1;
	}
	return status;
}

#define BASENC_COMMAND(command, which, text) \
	static const struct basenc command##_defaults = { .code = &(which), .wrap = 76 }; \
	const struct tsb_command cmd_##command = { \
		CMD_COREUTILS, .name = #command, .synopsis = "[OPTION]... [FILE]", \
		.summary = text " encode or decode FILE, or standard input, to standard output.", \
		.opts = basenc_base_opts, .opts_size = sizeof(struct basenc), \
		.defaults = &command##_defaults, .run = basenc_run, \
	}

BASENC_COMMAND(base64, letters_64, "Base64");
BASENC_COMMAND(base32, letters_32, "Base32");

static const struct basenc basenc_defaults = { .wrap = 76 };

const struct tsb_command cmd_basenc = {
	CMD_COREUTILS, .name = "basenc", .synopsis = "[OPTION]... [FILE]",
	.summary = "basenc encode or decode FILE, or standard input, to standard output.",
	.opts = basenc_opts, .opts_size = sizeof(struct basenc), .defaults = &basenc_defaults,
	.run = basenc_run,
};
