/*
 * Time zones, of h.sys(): the process's own (TZ of its environment, as for the other commands, until a script
 * sets another), or one by its name.
 */
#include <errno.h>
#include <string.h>

#include "guest/sys.h"

enum { FOUND = 1 << 20 };	/* added to an offset, so that it is no error */

struct guest_zone {
	struct zone zone;
	bool is_place;
	struct zone_place place;
	char given[64];		/* TZ, as far as it fits */
};

static void zone_take(struct guest_zone *z, const char *text)
{
	size_t n = text ? strlen(text) : 0;

	zone_init(&z->zone, text);
	if (n && *text == ':') {
		text++;
		n--;
	}
	z->is_place = n && zone_place(&z->place, text, n, false);
	n = n < sizeof(z->given) ? n : sizeof(z->given) - 1;
	if (n)
		memcpy(z->given, text, n);
	z->given[n] = '\0';
}

/* A place in any case of letters, with its past, which is found by the name as it is written. */
static bool zone_take_place(struct guest_zone *z, const char *name, size_t n)
{
	memset(z, 0, sizeof(*z));
	z->is_place = zone_place(&z->place, name, n, true);
	if (!z->is_place || z->place.n >= sizeof(z->given))
		return false;
	memcpy(z->given, z->place.name, z->place.n);
	zone_init(&z->zone, z->given);
	return true;
}

static struct guest_zone *own_zone(struct guest *g)
{
	if (!g->more->zone) {
		g->more->zone = tsb_alloc(g->p, sizeof(*g->more->zone));
		zone_take(g->more->zone, tsb_getenv(g->p, "TZ"));
	}
	return g->more->zone;
}

/* Seconds east at a local time; in a gap or an hour that comes twice, as before the change. */
static int32_t offset_local(const struct zone *z, int64_t local)
{
	enum { AROUND = 86400 };
	int32_t before = zone_offset(z, local - z->offset[0] - AROUND, NULL, NULL),
		behind = zone_offset(z, local - z->offset[0] + AROUND, NULL, NULL);

	if (before == behind || zone_offset(z, local - before, NULL, NULL) == before)
		return before;
	return zone_offset(z, local - behind, NULL, NULL) == behind ? behind : before;
}

static int64_t floor_seconds(int64_t ms)
{
	return ms / 1000 - (ms % 1000 < 0);
}

/* "usual name|full name|short name" at that instant, as the blob. */
static int64_t give_names(struct guest *g, const struct guest_zone *z, int64_t sec)
{
	const struct zone_place *place = z->is_place ? &z->place : NULL;
	const char *usual = place ? place->name : "", *full = "", *brief = "";
	size_t n = place ? place->n : 0, n_full, n_brief;
	bool dst;
	char *to;

	zone_offset(&z->zone, sec, NULL, &dst);
	if (place) {
		full = place->full[dst];
		brief = place->brief[dst];
	}
	n_full = strlen(full);
	n_brief = strlen(brief);
	to = sys_blob(g, n + n_full + n_brief + 2);
	memcpy(to, usual, n);
	to[n] = '|';
	memcpy(to + n + 1, full, n_full);
	to[n + 1 + n_full] = '|';
	memcpy(to + n + n_full + 2, brief, n_brief);
	return (int64_t)(n + n_full + n_brief + 2);
}

/* Without TZ, and with names of UTC itself, nothing has to be asked for. */
static bool is_plain(const struct guest_zone *z)
{
	return !*z->given || (z->is_place && z->place.n == 3 && !memcmp(z->place.name, "UTC", 3));
}

/*
 * zone(4): 1 if the process's own is another than UTC. zone(0 of UTC | 1 of local time, ms, name or none) -> seconds
 * east and FOUND. zone(2, ms, name or none) -> the length of the names, to be taken. zone(3, 0, text or none) sets
 * the process's own.
 */
int64_t sys_zone(struct guest *g, const struct guest_arg *a)
{
	struct guest_zone named, *z = own_zone(g);
	int64_t sec = floor_seconds(a[1].number);

	if (a[0].number == 3) {
		char *text = a[2].at ? sys_name(g, &a[2]) : NULL;

		if (a[2].at && !text)
			return -EINVAL;
		zone_take(z, text);
		tsb_free(g->p, text);
		return 0;
	}
	if (a[2].at) {
		if (!zone_take_place(&named, (const char *)a[2].at, a[2].n))
			return -ENOENT;
		z = &named;
	}
	switch (a[0].number) {
	case 0: return FOUND + zone_offset(&z->zone, sec, NULL, NULL);
	case 1: return FOUND + offset_local(&z->zone, sec);
	case 2: return give_names(g, z, sec);
	case 4: return !is_plain(z);
	default: return -EINVAL;
	}
}
