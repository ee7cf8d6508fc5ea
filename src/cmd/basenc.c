/*
 * base64, base32 - bytes as letters of an alphabet, and back.
 *
 * Both work on groups: so many bytes are so many letters. A last group that is
 * not full is filled with "=".
 */
#include "cmd/cmd.h"

#include <string.h>

#include "base/num.h"
#include "cmd/lines.h"
#include "cmd/util.h"

struct basenc_code {
	const char *alphabet;
	unsigned bits;			/* a letter */
	unsigned bytes, letters;	/* of a group */
};

static const struct basenc_code basenc_64 = {
	"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/", 6, 3, 4
};
static const struct basenc_code basenc_32 = { "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567", 5, 5, 8 };

struct basenc {
	const struct basenc_code *code;
	bool decode, ignore;
	uint64_t wrap;

	struct sink out;
	signed char value[256];
	uint64_t column;
};

static int basenc_wrap(struct tsb_proc *p, void *opts, const struct tsb_opt *opt, const char *arg)
{
	struct basenc *b = opts;
	enum num_result r = num_suffixed(arg, NULL, &b->wrap);

	(void)opt;
	if (r == NUM_RANGE)
		b->wrap = 0;
	else if (r != NUM_OK)
		tsb_warn(p, "invalid wrap size: %s", quote_text(p, arg));
	return r != NUM_OK && r != NUM_RANGE;
}

static const struct tsb_opt basenc_opts[] = {
	TSB_OPT_FLAG(struct basenc, decode, 'd', "decode", "decode data"),
	TSB_OPT_FLAG(struct basenc, ignore, 'i', "ignore-garbage",
		     "when decoding, ignore non-alphabet characters"),
	TSB_OPT_CALL(basenc_wrap, 0, 'w', "wrap", "COLS",
		     "wrap encoded lines after COLS character (default 76).  Use 0 to disable line "
		     "wrapping"),
	TSB_OPT_END
};

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
	const struct basenc_code *c = b->code;
	unsigned total = c->bytes * 8, used = (unsigned)(n * 8 + c->bits - 1) / c->bits;
	uint64_t v = 0;
	char out[8];

	for (unsigned i = 0; i < c->bytes; i++)
		v = v << 8 | (i < n ? at[i] : 0u);
	for (unsigned i = 0; i < c->letters; i++)
		out[i] = i < used ? c->alphabet[v >> (total - (i + 1) * c->bits) & ((1u << c->bits) - 1)]
				  : '=';
	basenc_put(b, out, c->letters);
}

static int basenc_encode(struct basenc *b, struct tsb_reader *in)
{
	unsigned char group[8];
	size_t held = 0, n;
	char *data;

	while ((n = tsb_getblock(in, &data))) {
		tsb_tick(in->p, n / 64 + 1);
		for (size_t i = 0; i < n; i++) {
			group[held++] = (unsigned char)data[i];
			if (held == b->code->bytes) {
				basenc_encode_group(b, group, held);
				held = 0;
			}
		}
	}
	if (held)
		basenc_encode_group(b, group, held);
	if (b->column)
		sink_putc(&b->out, '\n');
	return 0;
}

/* ---- Decoding ---- */

/* How many letters of a full group stand for n bytes. */
static unsigned basenc_letters_of(const struct basenc_code *c, unsigned n)
{
	return (n * 8 + c->bits - 1) / c->bits;
}

/* n letters, at most a group: writes what can be read of them; false: some not. */
static bool basenc_decode_group(struct basenc *b, const unsigned char *at, size_t n)
{
	const struct basenc_code *c = b->code;
	unsigned have = 0, need, bits = 0;
	uint64_t v = 0;

	if (c->letters == 8 && n < 8)
		return false;
	for (unsigned byte = 1; byte <= c->bytes; byte++) {
		need = basenc_letters_of(c, byte);
		if (have < n && at[have] == '=' && byte > 1) {
			/* From here on all must be padding, and the group full. */
			for (; have < n; have++)
				if (at[have] != '=')
					return false;
			return n == c->letters;
		}
		for (; have < need; have++) {
			if (have >= n || b->value[at[have]] < 0)
				return false;
			v = v << c->bits | (uint64_t)b->value[at[have]];
			bits += c->bits;
		}
		bits -= 8;
		sink_putc(&b->out, (int)(v >> bits & 255));
	}
	return true;
}

static int basenc_decode(struct basenc *b, struct tsb_reader *in)
{
	unsigned char group[8];
	size_t held = 0, n;
	bool ok = true;
	char *data;

	while (ok && (n = tsb_getblock(in, &data))) {
		tsb_tick(in->p, n / 64 + 1);
		for (size_t i = 0; ok && i < n; i++) {
			unsigned char c = (unsigned char)data[i];

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

static int basenc_run(struct tsb_proc *p, void *opts, int argc, char **argv)
{
	const char *name = argc ? argv[0] : "-";
	struct basenc *b = opts;
	struct tsb_reader in;
	int fd, status;

	if (argc > 1)
		return util_extra_operand(p, argv[1]);
	fd = input_open(p, name);
	if (fd < 0) {
		tsb_warn_errno(p, fd, "%s", quote_f(p, name));
		return 1;
	}
	memset(b->value, -1, sizeof(b->value));
	for (int i = 0; i < 1 << b->code->bits; i++)
		b->value[(unsigned char)b->code->alphabet[i]] = (signed char)i;
	sink_init(&b->out, p);
	tsb_reader_init(&in, p, fd);
	status = b->decode ? basenc_decode(b, &in) : basenc_encode(b, &in);
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
		.opts = basenc_opts, .opts_size = sizeof(struct basenc), \
		.defaults = &command##_defaults, .run = basenc_run, \
	}

BASENC_COMMAND(base64, basenc_64, "Base64");
BASENC_COMMAND(base32, basenc_32, "Base32");
