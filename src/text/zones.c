/* Places of the time zone database: see civil.h and zones.def. */
#include <string.h>

#include "text/civil.h"

static const struct zone_row {
	const char *rule, *full[2], *brief[2], *places;
} rows[] = {
#define ZONE(rule, full, full_dst, brief, brief_dst, places) \
	{ rule, { full, full_dst }, { brief, brief_dst }, places },
#include "text/zones.def"
#undef ZONE
};

static int lower(int c)
{
	return c >= 'A' && c <= 'Z' ? c + 32 : c;
}

static bool same(const char *a, const char *b, size_t n, bool any_case)
{
	if (!any_case)
		return !memcmp(a, b, n);
	for (size_t i = 0; i < n; i++)
		if (lower((unsigned char)a[i]) != lower((unsigned char)b[i]))
			return false;
	return true;
}

/* Among "A B=C ": the usual name of it; NULL: it is not there. */
static const char *find(const char *places, const char *name, size_t n, bool any_case, size_t *usual)
{
	for (const char *p = places, *end; *p; p = end + 1) {
		const char *alias;
		size_t len;

		end = strchr(p, ' ');
		alias = memchr(p, '=', (size_t)(end - p));
		len = (size_t)((alias ? alias : end) - p);
		if (len != n || !same(p, name, n, any_case))
			continue;
		p = alias ? alias + 1 : p;
		*usual = (size_t)(end - p);
		return p;
	}
	return NULL;
}

bool zone_place(struct zone_place *out, const char *name, size_t n, bool any_case)
{
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		const struct zone_row *r = &rows[i];
		size_t len = 0;
		const char *usual = find(r->places, name, n, any_case, &len);

		if (!usual)
			continue;
		*out = (struct zone_place){ r->rule, { r->full[0], r->full[1] }, { r->brief[0], r->brief[1] }, usual,
			len };
		return true;
	}
	return false;
}
