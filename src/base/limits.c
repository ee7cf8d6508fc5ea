/*
 * The limits: limits.def, read three ways. As rows with offsets, so that a name
 * finds its field; as defaults; as lines for help texts.
 */
#include "base/limits.h"

#include <string.h>

#include "base/num.h"

const struct limit_row limit_rows[] = {
#define LIMIT(field, value, unit, help) \
	{ #field, offsetof(struct tsb_limits, field), (value), (unit), (help) },
#include "base/limits.def"
#undef LIMIT
	{ NULL, 0, 0, LIMIT_COUNT, NULL }
};

/* A suffix of a unit, and what it multiplies by. */
struct limit_suffix {
	const char *text;
	uint64_t factor;
};

static const struct limit_suffix suffix_bytes[] = {
	{ "", 1 }, { "K", 1u << 10 }, { "M", 1u << 20 }, { "G", 1u << 30 }, { NULL, 0 }
};
static const struct limit_suffix suffix_count[] = {
	{ "", 1 }, { "K", 1000 }, { "M", 1000000 }, { "G", 1000000000 }, { NULL, 0 }
};
static const struct limit_suffix suffix_ms[] = {
	{ "", 1 }, { "ms", 1 }, { "s", 1000 }, { "m", 60000 }, { NULL, 0 }
};

static const struct {
	const char *name;
	const struct limit_suffix *suffixes;
} limit_units[] = {
	[LIMIT_BYTES] = { "bytes", suffix_bytes },
	[LIMIT_COUNT] = { "count", suffix_count },
	[LIMIT_MS] = { "ms", suffix_ms },
};

void tsb_limits_default_of(struct tsb_limits *limits, size_t size)
{
	memset(limits, 0, size);
	limits->size = size;
	for (const struct limit_row *row = limit_rows; row->name; row++) {
		if (row->offset + sizeof(row->value) <= size)
			memcpy((char *)limits + row->offset, &row->value, sizeof(row->value));
	}
}

/* (for callers that do not read the header, whose struct is this version's) */
void (tsb_limits_default)(struct tsb_limits *limits)
{
	tsb_limits_default_of(limits, sizeof(*limits));
}

static void bound(uint64_t *value, uint64_t most)
{
	if (*value > most)
		*value = most;
}

void limits_bound(struct tsb_limits *limits)
{
	/* Parsing and running recurse on a stack of 8 MiB. */
	bound(&limits->parse_depth, 2000);
	/* Sums of a few of these do not wrap. */
	bound(&limits->word_bytes, (uint64_t)1 << 40);
	/* The memory of a script has addresses of 32 bits. */
	bound(&limits->js_memory_bytes, UINT32_MAX);
}

static bool limit_number(const char *text, const struct limit_suffix *suffix, uint64_t *out)
{
	char digits[24];
	size_t n = strspn(text, "0123456789");
	uint64_t v;

	if (n == 0 || n >= sizeof(digits))
		return false;
	memcpy(digits, text, n);
	digits[n] = '\0';
	if (num_u64(digits, &v) != NUM_OK)
		return false;
	while (suffix->text && strcmp(suffix->text, text + n))
		suffix++;
	return suffix->text && !__builtin_mul_overflow(v, suffix->factor, out);
}

int tsb_limit_set(struct tsb_limits *limits, const char *name, const char *value)
{
	const struct limit_row *row = limit_rows;
	uint64_t v;

	if (!limits || !name || !value)
		return TSB_ERR_ARGUMENT;
	while (row->name && strcmp(row->name, name))
		row++;
	/* A caller built with an older header has fewer fields. */
	if (!row->name || row->offset + sizeof(v) > limits->size)
		return TSB_ERR_ARGUMENT;
	if (!limit_number(value, limit_units[row->unit].suffixes, &v))
		return TSB_ERR_ARGUMENT;
	memcpy((char *)limits + row->offset, &v, sizeof(v));
	return TSB_OK;
}

const char *tsb_limit_name(size_t i, const char **unit, const char **help, uint64_t *value_default)
{
	const struct limit_row *row;

	if (i >= sizeof(limit_rows) / sizeof(*limit_rows) - 1)
		return NULL;
	row = &limit_rows[i];
	if (unit)
		*unit = limit_units[row->unit].name;
	if (help)
		*help = row->help;
	if (value_default)
		*value_default = row->value;
	return row->name;
}
