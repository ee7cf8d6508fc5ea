/*
 * dd's operands: NAME=VALUE, where a value is a file, a number or a list of
 * words.
 */
#include "cmd/dd.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>

#include "cmd/quote.h"
#include "cmd/util.h"

static const struct util_word dd_conversions[] = {
	{ "ascii", DD_ASCII | DD_UNBLOCK | DD_TWO_BUFFERS },
	{ "ebcdic", DD_EBCDIC | DD_BLOCK | DD_TWO_BUFFERS },
	{ "ibm", DD_IBM | DD_BLOCK | DD_TWO_BUFFERS },
	{ "block", DD_BLOCK | DD_TWO_BUFFERS },
	{ "unblock", DD_UNBLOCK | DD_TWO_BUFFERS },
	{ "lcase", DD_LCASE | DD_TWO_BUFFERS },
	{ "ucase", DD_UCASE | DD_TWO_BUFFERS },
	{ "sparse", DD_SPARSE },
	{ "swab", DD_SWAB | DD_TWO_BUFFERS },
	{ "noerror", DD_NOERROR },
	{ "nocreat", DD_NOCREAT },
	{ "excl", DD_EXCL },
	{ "notrunc", DD_NOTRUNC },
	{ "sync", DD_SYNC },
	{ "fdatasync", DD_FDATASYNC },
	{ "fsync", DD_FSYNC },
	{ NULL, 0 }
};

enum { DD_FLAG_OPEN = 1 << 30 };	/* the other bits are of open(2) */

static const struct util_word dd_flags[] = {
	{ "append", DD_FLAG_OPEN | O_APPEND },
	{ "count_bytes", DD_COUNT_BYTES },
	{ "direct", DD_FLAG_OPEN | O_DIRECT },
	{ "directory", DD_FLAG_OPEN | O_DIRECTORY },
	{ "dsync", DD_FLAG_OPEN | O_DSYNC },
	{ "fullblock", DD_FULLBLOCK },
	{ "noatime", DD_FLAG_OPEN | O_NOATIME },
	{ "nocache", DD_NOCACHE },
	{ "noctty", DD_FLAG_OPEN | O_NOCTTY },
	{ "nofollow", DD_FLAG_OPEN | O_NOFOLLOW },
	{ "nonblock", DD_FLAG_OPEN | O_NONBLOCK },
	{ "seek_bytes", DD_SEEK_BYTES },
	{ "skip_bytes", DD_SKIP_BYTES },
	{ "sync", DD_FLAG_OPEN | O_SYNC },
	{ NULL, 0 }
};

static const struct util_word dd_levels[] = {
	{ "none", DD_STATUS_NONE },
	{ "noxfer", DD_STATUS_NOXFER },
	{ "progress", DD_STATUS_PROGRESS },
	{ NULL, 0 }
};

/* ---- Words ---- */

/* The value of the n bytes at s; -1 after a message. */
static int dd_word(struct dd *d, const char *s, size_t n, const struct util_word *words,
		   const char *what)
{
	for (; words->word; words++)
		if (strlen(words->word) == n && !memcmp(words->word, s, n))
			return words->value;
	tsb_usage(d->p, "invalid %s: %s", what, quote_text(d->p, tsb_strndup(d->p, s, n)));
	return -1;
}

static int dd_words(struct dd *d, const char *s, const struct util_word *words, const char *what,
		    int *flags, int *open_flags)
{
	while (true) {
		size_t n = strcspn(s, ",");
		int v = dd_word(d, s, n, words, what);

		if (v < 0)
			return 1;
		if (v & DD_FLAG_OPEN)
			*open_flags |= v & ~DD_FLAG_OPEN;
		else
			*flags |= v;
		if (!s[n])
			return 0;
		s += n + 1;
	}
}

/* ---- Numbers ---- */

enum dd_number { DD_OK, DD_INVALID, DD_OVERFLOW };

/* The factor of the suffix at *s, which is moved behind it: 0 if it is none, at most
 * UINT64_MAX, which is too large for every number. */
static uint64_t dd_factor(const char **s)
{
	static const char letters[] = "KMGTPEZY";
	const char *at;
	uint64_t factor = 1, base = 1024;
	char c = **s;

	if (c == 'b' || c == 'c' || c == 'w') {
		++*s;
		return c == 'b' ? 512 : c == 'c' ? 1 : 2;
	}
	at = c ? strchr(letters, c == 'k' ? 'K' : c) : NULL;
	if (!at)
		return 0;
	++*s;
	if (**s == 'i' && (*s)[1] == 'B') {
		*s += 2;
	} else if (**s == 'B' || **s == 'D') {
		base = 1000;
		++*s;
	}
	for (const char *k = letters; k <= at; k++)
		if (__builtin_mul_overflow(factor, base, &factor))
			factor = UINT64_MAX;
	return factor;
}

/* One number with its suffix; *s is behind it. */
static enum dd_number dd_simple(const char **s, uint64_t *v)
{
	bool over = false, digits = false;
	uint64_t factor;
	const char *start;

	*s += strspn(*s, " \t\n\v\f\r");
	if (**s == '-')
		return DD_INVALID;
	*s += **s == '+';
	*v = 0;
	for (; **s >= '0' && **s <= '9'; ++*s) {
		digits = true;
		over |= __builtin_mul_overflow(*v, 10u, v) ||
			__builtin_add_overflow(*v, (uint64_t)(**s - '0'), v);
	}
	start = *s;
	factor = dd_factor(s);
	if (!digits && !factor)
		return DD_INVALID;
	if (!digits)
		*v = 1;
	if (factor && *v)
		over |= __builtin_mul_overflow(*v, factor, v);
	if (**s == 'B' && *s > start - (int)digits && (*s)[-1] != 'B')
		++*s;
	return over || *v > INT64_MAX ? DD_OVERFLOW : DD_OK;
}

/* N or NxM. */
static enum dd_number dd_number(struct dd *d, const char *s, uint64_t *v)
{
	const char *at = s;
	enum dd_number r = dd_simple(&at, v), r2;
	uint64_t second;

	if (r == DD_INVALID || (*at && *at != 'x'))
		return DD_INVALID;
	if (*at != 'x')
		return r;
	at++;
	r2 = dd_simple(&at, &second);
	if (r2 == DD_INVALID || *at)
		return DD_INVALID;
	if (__builtin_mul_overflow(*v, second, v) || *v > INT64_MAX ||
	    (*v && (r == DD_OVERFLOW || r2 == DD_OVERFLOW)))
		return DD_OVERFLOW;
	if (!*v && s[0] == '0' && s[1] == 'x')
		tsb_warn(d->p, "warning: %s is a zero multiplier; use %s if that is intended",
			 quote_text(d->p, "0x"), quote_text(d->p, "00x"));
	return DD_OK;
}

static int dd_set_number(struct dd *d, const char *s, uint64_t min, uint64_t max, uint64_t *v)
{
	enum dd_number r = dd_number(d, s, v);

	if (r == DD_OK && *v >= min && *v <= max)
		return 0;
	if (r == DD_OVERFLOW || (r == DD_OK && *v > max))
		tsb_warn_errno(d->p, EOVERFLOW, "invalid number: %s", quote_text(d->p, s));
	else
		tsb_warn(d->p, "invalid number: %s", quote_text(d->p, s));
	return 1;
}

/* ---- Operands ---- */

static int dd_size(struct dd *d, const char *value, uint64_t *v)
{
	return dd_set_number(d, value, 1, (uint64_t)INT64_MAX / 2 - 4096, v);
}

static int dd_amount(struct dd *d, const char *value, uint64_t *v, int bytes)
{
	if (strchr(value, 'B'))
		d->in_bytes |= bytes;
	else
		d->in_bytes &= ~bytes;
	return dd_set_number(d, value, 0, INT64_MAX, v);
}

static int dd_level(struct dd *d, const char *value)
{
	int v = 0;

	while (v >= 0) {
		size_t n = strcspn(value, ",");

		v = dd_word(d, value, n, dd_levels, "status level");
		if (v < 0)
			return 1;
		d->status = (enum dd_status)v;
		if (!value[n])
			return 0;
		value += n + 1;
	}
	return 1;
}

static int dd_operand(struct dd *d, const char *name, size_t n, const char *value,
		      const char *whole)
{
	static const char *const names[] = {
		"if", "of", "conv", "iflag", "oflag", "status", "bs", "ibs", "obs", "cbs", "skip",
		"iseek", "seek", "oseek", "count", NULL
	};
	size_t i = 0;
	int none = 0;

	while (names[i] && (strlen(names[i]) != n || memcmp(names[i], name, n)))
		i++;
	switch (i) {
	case 0:
		d->input = value;
		d->input_given = true;
		return 0;
	case 1:
		d->output = value;
		d->output_given = true;
		return 0;
	case 2: return dd_words(d, value, dd_conversions, "conversion", &d->conv, &none);
	case 3: return dd_words(d, value, dd_flags, "input flag", &d->in_flags, &d->in_open);
	case 4: return dd_words(d, value, dd_flags, "output flag", &d->out_flags, &d->out_open);
	case 5: return dd_level(d, value);
	case 6: return dd_size(d, value, &d->bs);
	case 7: return dd_size(d, value, &d->ibs);
	case 8: return dd_size(d, value, &d->obs);
	case 9: return dd_size(d, value, &d->cbs);
	case 10: case 11: return dd_amount(d, value, &d->skip, DD_SKIP_BYTES);
	case 12: case 13: return dd_amount(d, value, &d->seek, DD_SEEK_BYTES);
	case 14: return dd_amount(d, value, &d->count, DD_COUNT_BYTES);
	default: return tsb_usage(d->p, "unrecognized operand %s", quote_text(d->p, whole));
	}
}

static bool dd_several(int bits)
{
	return (bits & (bits - 1)) != 0;
}

static int dd_check(struct dd *d)
{
	const char *text = NULL;

	if (d->out_flags & DD_FULLBLOCK)
		return tsb_usage(d->p, "invalid output flag: %s", quote_text(d->p, "fullblock"));
	if (dd_several(d->conv & (DD_ASCII | DD_EBCDIC | DD_IBM)))
		text = "cannot combine any two of {ascii,ebcdic,ibm}";
	else if (dd_several(d->conv & (DD_BLOCK | DD_UNBLOCK)))
		text = "cannot combine block and unblock";
	else if (dd_several(d->conv & (DD_LCASE | DD_UCASE)))
		text = "cannot combine lcase and ucase";
	else if (dd_several(d->conv & (DD_EXCL | DD_NOCREAT)))
		text = "cannot combine excl and nocreat";
	else if ((d->in_flags & DD_NOCACHE && d->in_open & O_DIRECT) ||
		 (d->out_flags & DD_NOCACHE && d->out_open & O_DIRECT))
		text = "cannot combine direct and nocache";
	if (text)
		tsb_warn(d->p, "%s", text);
	return text != NULL;
}

int dd_arguments(struct dd *d, int argc, char **argv)
{
	for (int i = 0; i < argc; i++) {
		const char *value = strchr(argv[i], '=');
		int status;

		if (!value)
			return tsb_usage(d->p, "unrecognized operand %s", quote_text(d->p, argv[i]));
		status = dd_operand(d, argv[i], (size_t)(value - argv[i]), value + 1, argv[i]);
		if (status)
			return status;
	}
	if (d->bs)
		d->ibs = d->obs = d->bs;
	else
		d->conv |= DD_TWO_BUFFERS;
	d->ibs = d->ibs ? d->ibs : 512;
	d->obs = d->obs ? d->obs : 512;
	if (!d->cbs)
		d->conv &= ~(DD_BLOCK | DD_UNBLOCK);
	if ((d->in_flags | d->in_bytes) & DD_SKIP_BYTES) {
		d->skip_bytes = d->skip % d->ibs;
		d->skip /= d->ibs;
	}
	if ((d->in_flags | d->in_bytes) & DD_COUNT_BYTES && d->count != UINT64_MAX) {
		d->count_bytes = d->count % d->ibs;
		d->count /= d->ibs;
	}
	if ((d->out_flags | d->in_bytes) & DD_SEEK_BYTES) {
		d->seek_bytes = d->seek % d->obs;
		d->seek /= d->obs;
	}
	return dd_check(d);
}
