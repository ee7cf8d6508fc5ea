/*
 * The options of xz's filters: what each may be given, and which filters go
 * together. liblzma reads them; here they are refused in the tool's own words.
 */
#include <string.h>

#include "cmd/pack/xz.h"

struct xz_range {
	const char *name;
	uint64_t least, most;		/* most 0: one of the words */
	const char *words;		/* each with a blank in front and behind */
};

static const struct xz_range xz_of_lzma[] = {
	{ "dict", 4096, UINT32_C(1) << 30 | UINT32_C(1) << 29, NULL }, { "lc", 0, 4, NULL },
	{ "lp", 0, 4, NULL }, { "pb", 0, 4, NULL }, { "nice", 2, 273, NULL },
	{ "depth", 0, UINT32_MAX, NULL }, { "mode", 0, 0, " fast normal " },
	{ "mf", 0, 0, " hc3 hc4 bt2 bt3 bt4 " }, { NULL, 0, 0, NULL },
};
static const struct xz_range xz_of_delta[] = { { "dist", 1, 256, NULL }, { NULL, 0, 0, NULL } };
static const struct xz_range xz_of_bcj[] = { { "start", 0, UINT32_MAX, NULL },
					     { NULL, 0, 0, NULL } };

static bool xz_is_lzma_filter(const char *name)
{
	return !strncmp(name, "lzma", 4);
}

static void xz_check_preset(struct xz *x, const char *value)
{
	if (*value < '0' || *value > '9' || (value[1] && strcmp(value + 1, "e") != 0))
		xz_fatal(x, "Unsupported LZMA1/LZMA2 preset: %s", value);
}

static void xz_check_range(struct xz *x, const struct xz_range *r, const char *value)
{
	uint64_t v;

	if (!r->most) {
		if (!strstr(r->words, tsb_format(x->p, " %s ", value)))
			xz_fatal(x, "%s: Invalid option value", value);
		return;
	}
	v = xz_number(x, value, UINT64_MAX);
	if (v < r->least || v > r->most)
		xz_fatal(x, "Value of the option `%s' must be in the range [%llu, %llu]", r->name,
			 (unsigned long long)r->least, (unsigned long long)r->most);
}

/* One "name=value". */
static void xz_check_pair(struct xz *x, const struct xz_range *r, bool lzma, char *pair)
{
	char *value = strchr(pair, '=');

	if (!value || !value[1])
		xz_fatal(x, "%s: Options must be `name=value' pairs separated with commas", pair);
	*value++ = '\0';
	if (lzma && !strcmp(pair, "preset")) {
		xz_check_preset(x, value);
		return;
	}
	while (r->name && strcmp(r->name, pair) != 0)
		r++;
	if (!r->name)
		xz_fatal(x, "%s: Invalid option name", pair);
	xz_check_range(x, r, value);
}

void xz_check_filter(struct xz *x, const char *name, const char *options)
{
	bool lzma = xz_is_lzma_filter(name);
	const struct xz_range *r = lzma ? xz_of_lzma : !strcmp(name, "delta") ? xz_of_delta : xz_of_bcj;

	if (++x->n_chain > 4)
		xz_fatal(x, "Maximum number of filters is four");
	while (options && *options) {
		size_t n = strcspn(options, ",");

		if (n)
			xz_check_pair(x, r, lzma, tsb_strndup(x->p, options, n));
		options += n + (options[n] == ',');
	}
}

void xz_check_chain(struct xz *x)
{
	const lzma_filter *f = x->filters;
	size_t n = 0;

	while (f[n].id != LZMA_VLI_UNKNOWN)
		n++;
	if (x->format == XZ_LZMA && (n != 1 || f[0].id != LZMA_FILTER_LZMA1))
		xz_fatal(x, "The .lzma format supports only the LZMA1 filter");
	for (size_t i = 0; i < n && x->format == XZ_XZ; i++)
		if (f[i].id == LZMA_FILTER_LZMA1)
			xz_fatal(x, "LZMA1 cannot be used with the .xz format");
}
