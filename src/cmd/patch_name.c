/*
 * Names in headers: read, stripped of directories, judged. A stranger's name
 * that is absolute or has ".." in it is not used.
 */
#include "cmd/patch.h"

#include <limits.h>
#include <string.h>
#include <sys/stat.h>

#include "cmd/path.h"
#include "text/parsedate.h"

static bool is_space(char c)
{
	return c == ' ' || (c >= '\t' && c <= '\r');
}

/* Of the escape behind a backslash: its byte; *s moves behind it. -1: bad. */
static int escape_of(const char **s)
{
	static const char from[] = "abfnrtv\\\"", to[] = "\a\b\f\n\r\t\v\\\"";
	const char *at = **s ? strchr(from, **s) : NULL;
	int v = 0;

	if (at) {
		++*s;
		return (unsigned char)to[at - from];
	}
	for (int i = 0; i < 3; i++, ++*s) {
		if (**s < '0' || **s > '7' || (!i && **s > '3'))
			return -1;
		v = v * 8 + (**s - '0');
	}
	return v;
}

/* "name" with C's escapes, s at the first quote. */
static char *quoted_name(struct patch *t, const char *s, const char **end)
{
	struct str out;

	str_init(&out, tsb_heap_of(t->p), STR_MAX_DEFAULT);
	for (s++; *s != '"'; ) {
		int c = (unsigned char)*s++;

		if (!c || c == '\n')
			return NULL;
		if (c == '\\')
			c = escape_of(&s);
		if (c < 0)
			return NULL;
		str_addc(&out, c);
	}
	*end = s + 1;
	return str_take(&out, NULL);
}

/* Drops t->strip leading components (all of them: -1); false: too few. */
static bool strip_name(struct patch *t, char *name)
{
	int left = t->strip;
	char *from = name;

	for (char *s = name; *s; s++) {
		if (*s != '/')
			continue;
		while (s[1] == '/')
			s++;
		if (t->strip < 0 || --left >= 0)
			from = s + 1;
	}
	if ((t->strip >= 0 && left > 0) || !*from)
		return false;
	memmove(name, from, strlen(from) + 1);
	return true;
}

/* Blanks may be in a name if a tab ends it. */
static size_t bare_length(const char *s)
{
	size_t n = 0;

	for (; s[n]; n++) {
		const char *u = s + n;

		if (!is_space(*u))
			continue;
		while (*u != '\t' && is_space(u[1]))
			u++;
		if (*u != '\t' && strchr(u + 1, '\t'))
			continue;
		break;
	}
	return n;
}

/* The time of a header; one that is the epoch in some zone says "nonexistent". */
static void read_stamp(struct patch *t, const char *s, struct patch_side *side)
{
	struct tsb_time now = tsb_clock(t->p, TSB_CLOCK_REAL);
	size_t n = strcspn(s, "\r\n");
	int64_t sec;
	int32_t nsec;

	side->stamp = tsb_strndup(t->p, s, n);
	side->has_time = false;
	if (*s == '\n' || !*s)
		return;
	side->has_time = parsedate(tsb_strndup(t->p, s, n), now.sec, now.nsec, &t->zone, &sec,
				   &nsec);
	if (!side->has_time)
		return;
	side->time = (struct tsb_time){ sec, nsec };
	if (!t->set_time && !t->set_utc && sec > -25 * 3600 && sec < 26 * 3600)
		side->time = (struct tsb_time){ 0, 0 };
}

void patch_fetch_name(struct patch *t, const char *s, char **name, struct patch_side *side)
{
	const char *end;
	char *found;

	while (is_space(*s))
		s++;
	if (*s == '"') {
		found = quoted_name(t, s, &end);
		if (!found)
			return;
	} else {
		end = s + bare_length(s);
		found = tsb_strndup(t->p, s, (size_t)(end - s));
	}
	if (!strcmp(found, "/dev/null")) {
		if (side) {
			side->has_time = true;
			side->time = (struct tsb_time){ 0, 0 };
		}
		return;
	}
	if (!strip_name(t, found))
		return;
	*name = found;
	if (side)
		read_stamp(t, end, side);
}

/* A name of git's header. */
char *patch_parse_name(struct patch *t, const char *s, const char **end)
{
	char *name;

	while (is_space(*s))
		s++;
	if (*s == '"') {
		name = quoted_name(t, s, end);
	} else {
		*end = s;
		while (**end && !is_space(**end))
			++*end;
		name = tsb_strndup(t->p, s, (size_t)(*end - s));
	}
	return name && *name && strip_name(t, name) ? name : NULL;
}

/* ---- Judging ---- */

static bool has_dotdot(const char *name)
{
	for (const char *s = name; *s; s += strcspn(s, "/")) {
		s += strspn(s, "/");
		if (s[0] == '.' && s[1] == '.' && (!s[2] || s[2] == '/'))
			return true;
	}
	return false;
}

bool patch_name_valid(struct patch *t, const char *name)
{
	int i;

	for (i = 0; i < 2 && t->invalid[i]; i++)
		if (!strcmp(t->invalid[i], name))
			return false;
	if (*name != '/' && !has_dotdot(name))
		return true;
	if (!strcmp(tsb_getcwd(t->p), "/"))
		return true;
	patch_say(t, "Ignoring potentially dangerous file name %s\n", patch_quote(t, name));
	if (i < 2)
		t->invalid[i] = name;
	return false;
}

/* How many directories lead to a name: all, or those that exist. */
size_t patch_components(struct patch *t, const char *name, bool existing)
{
	size_t count = 0, i = 0;

	while (name[i] == '/')
		i++;
	for (; name[i]; i++) {
		struct tsb_stat st;

		if (name[i] != '/')
			continue;
		if (existing && (tsb_stat(t->p, tsb_strndup(t->p, name, i), &st) ||
				 !S_ISDIR(st.mode)))
			break;
		count++;
		while (name[i + 1] == '/')
			i++;
	}
	return count;
}

/* Fewest directories, then the shortest last component, then the shortest. */
static void rank(struct patch *t, const char *name, size_t out[3])
{
	out[0] = patch_components(t, name, false);
	out[1] = strlen(path_base(t->p, name));
	out[2] = strlen(name);
}

static int rank_compare(const size_t a[3], const size_t b[3])
{
	for (int i = 0; i < 3; i++)
		if (a[i] != b[i])
			return a[i] < b[i] ? -1 : 1;
	return 0;
}

int patch_best_name(struct patch *t, const int *ignore)
{
	size_t ranks[PATCH_NAMES][3], *best = NULL;

	for (int i = 0; i < PATCH_NAMES; i++) {
		if (!t->name[i] || ignore[i])
			continue;
		rank(t, t->name[i], ranks[i]);
		if (!best || rank_compare(ranks[i], best) < 0)
			best = ranks[i];
	}
	for (int i = 0; i < PATCH_NAMES; i++)
		if (t->name[i] && !ignore[i] && patch_name_valid(t, t->name[i]) &&
		    !rank_compare(ranks[i], best))
			return i;
	return PATCH_NAMES;
}

/* The letter of ed's command, 0 if the line is none that patches have. */
char patch_ed_letter(const char *s)
{
	const char *start = s;
	bool pair = false;
	char letter;

	s += strspn(s, "0123456789");
	if (s > start && *s == ',') {
		if (s[1] < '0' || s[1] > '9')
			return 0;
		s += 1 + strspn(s + 1, "0123456789");
		pair = true;
	}
	letter = *s++;
	if (letter == 's') {
		if (strncmp(s, "/.//", 4) != 0)
			return 0;
		s += 4;
	} else if (letter == 'a' || letter == 'i') {
		if (pair)
			return 0;
	} else if (letter != 'c' && letter != 'd') {
		return 0;
	}
	s += strspn(s, " \t");
	s += *s == '\r';
	return *s == '\n' ? letter : 0;
}
