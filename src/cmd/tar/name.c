/*
 * Names: those of the command line, patterns that exclude, and what is taken
 * off a member's name so that it stays inside.
 */
#include <string.h>
#include <strings.h>
#include <sys/stat.h>

#include "cmd/path.h"
#include "cmd/tar/tar.h"
#include "cmd/util.h"
#include "text/pattern.h"

/* C escapes in names of -T and the command line: \n, \\, \101 ... */
char *tar_unquote(struct tar *t, const char *text)
{
	static const char letters[] = "abfnrtv", values[] = "\a\b\f\n\r\t\v";
	char *out = tsb_strdup(t->p, text), *to = out;
	const char *at;

	if (!t->unquote)
		return out;
	while (*text) {
		int value = 0, digits = 0;

		if (*text != '\\' || !text[1]) {
			*to++ = *text++;
			continue;
		}
		at = strchr(letters, text[1]);
		if (text[1] == '\\' || at || text[1] == '?') {
			*to++ = text[1] == '\\' ? '\\' : at ? values[at - letters] : 0177;
			text += 2;
			continue;
		}
		while (digits < 3 && text[1 + digits] >= '0' && text[1 + digits] <= '7')
			value = value * 8 + text[1 + digits++] - '0';
		if (!digits) {
			*to++ = *text++;
			*to++ = *text++;
			continue;
		}
		*to++ = (char)value;
		text += 1 + digits;
	}
	*to = '\0';
	return out;
}

/* ---- Patterns ---- */

static unsigned pattern_flags(unsigned match)
{
	return (match & TAR_MATCH_ICASE ? PATTERN_ICASE : 0u) |
	       (match & TAR_MATCH_NO_SLASH ? PATTERN_PATHNAME : 0u) |
	       (match & TAR_MATCH_RECURSE ? PATTERN_LEADING_DIR : 0u);
}

static bool match_plain(const char *pattern, const char *name, unsigned match)
{
	size_t n = strlen(pattern);
	bool same = match & TAR_MATCH_ICASE ? !strncasecmp(pattern, name, n)
					    : !strncmp(pattern, name, n);

	return same && (!name[n] || ((match & TAR_MATCH_RECURSE) && name[n] == '/'));
}

static bool match_at(struct tar *t, const char *pattern, void **compiled, const char *name,
		     unsigned match)
{
	if (!(match & TAR_MATCH_WILDCARDS))
		return match_plain(pattern, name, match);
	if (!*compiled)
		*compiled = pattern_compile(tsb_heap_of(t->p), pattern, strlen(pattern),
					    pattern_flags(match));
	return pattern_match(*compiled, name, strlen(name));
}

static bool match_name(struct tar *t, const char *pattern, void **compiled, const char *name,
		       unsigned match)
{
	if (match_at(t, pattern, compiled, name, match))
		return true;
	if (match & TAR_MATCH_ANCHORED)
		return false;
	for (const char *at = name; *at; at++)
		if (*at == '/' && at[1] && at[1] != '/' &&
		    match_at(t, pattern, compiled, at + 1, match))
			return true;
	return false;
}

unsigned tar_exclude_match(const struct tar *t)
{
	return (t->wildcards ? TAR_MATCH_WILDCARDS : 0u) | t->match |
	       (t->no_recursion ? 0u : TAR_MATCH_RECURSE);
}

static unsigned tar_include_match(const struct tar *t)
{
	return (t->wildcards == 1 ? TAR_MATCH_WILDCARDS : 0u) | t->match |
	       (t->include_unanchored ? 0u : TAR_MATCH_ANCHORED) |
	       (t->no_recursion ? 0u : TAR_MATCH_RECURSE);
}

/* A text without magic goes into a map, for there may be a million of them. Its value is what
 * the text says; false: it says something else already. */
enum { PLAIN_USED = 128, PLAIN_SHIFT = 8 };

static bool add_plain(struct tar *t, const char *text, unsigned match)
{
	uintptr_t value = (uintptr_t)t->names.n << PLAIN_SHIFT | match | PLAIN_USED;
	size_t n = strlen(text);
	struct map_entry *e;

	if (!t->plain_excludes.heap)
		map_init(&t->plain_excludes, tsb_heap_of(t->p));
	e = map_put(&t->plain_excludes, text, n);
	if (!e->value)
		e->value = (void *)value;
	t->plain_longest = n > t->plain_longest ? n : t->plain_longest;
	return !(((uintptr_t)e->value ^ value) & (PLAIN_USED - 1));
}

static bool plain_at(const struct tar *t, const char *from, size_t n, bool whole, bool anchored)
{
	struct map_entry *e = map_find(&t->plain_excludes, from, n);
	uintptr_t value = e ? (uintptr_t)e->value : 0;

	return e && value >> PLAIN_SHIFT <= t->name_at && (whole || (value & TAR_MATCH_RECURSE)) &&
	       (anchored || !(value & TAR_MATCH_ANCHORED));
}

/* All parts of the name that begin and end at slashes are looked up. */
static bool excluded_plainly(struct tar *t, const char *name)
{
	const char *from = name, *end;

	if (!t->plain_excludes.n)
		return false;
	for (; *from; from = *end ? end + 1 : end) {
		end = strchrnul(from, '/');
		if (end == from && from > name)
			continue;
		tsb_tick(t->p, 1);
		for (const char *to = end; (size_t)(to - from) <= t->plain_longest;
		     to = strchrnul(to + 1, '/')) {
			if (plain_at(t, from, (size_t)(to - from), !*to, from == name))
				return true;
			if (!*to)
				break;
		}
	}
	return false;
}

void tar_add_exclude(struct tar *t, const char *text, unsigned match, const char *under)
{
	if (!under && !(match & TAR_MATCH_ICASE) && !strpbrk(text, "*?[\\") &&
	    add_plain(t, text, match))
		return;
	t->excludes.at = util_grow(t->p, t->excludes.at, t->excludes.n, &t->excludes.cap,
				   sizeof(*t->excludes.at));
	t->excludes.at[t->excludes.n++] = (struct tar_exclude){
		.text = tsb_strdup(t->p, text), .match = match, .under = under,
		.from = under ? 0 : t->names.n,
	};
}

void tar_positional(struct tar *t, const char *option, const char *arg)
{
	t->trailing.at = util_grow(t->p, t->trailing.at, t->trailing.n, &t->trailing.cap,
				   sizeof(*t->trailing.at));
	t->trailing.at[t->trailing.n++] = (struct tar_positional){ option, arg };
}

void tar_report_positional(struct tar *t)
{
	if (!t->trailing.n)
		return;
	tar_error(t, "The following options were used after any non-optional arguments in archive "
		  "create or update mode.  These options are positional and affect only arguments "
		  "that follow them.  Please, rearrange them properly.");
	for (size_t i = 0; i < t->trailing.n; i++) {
		const struct tar_positional *o = &t->trailing.at[i];

		if (!o->option)
			tar_error(t, "-C %s has no effect", tar_quote_word(t, o->arg));
		else if (o->arg)
			tar_error(t, "--%s %s has no effect", o->option, tar_quote_word(t, o->arg));
		else
			tar_error(t, "--%s has no effect", o->option);
	}
}

bool tar_excluded(struct tar *t, const char *name)
{
	if (excluded_plainly(t, name))
		return true;
	for (size_t i = 0; i < t->excludes.n; i++) {
		struct tar_exclude *e = &t->excludes.at[i];
		const char *at = name;

		if (e->from > t->name_at)
			continue;
		if (!(i & 1023))
			tsb_tick(t->p, 16);
		if (e->under) {
			size_t n = strlen(e->under);

			if (strncmp(name, e->under, n) || name[n] != '/')
				continue;
			at = name + n + 1;
			if ((e->match & TAR_MATCH_DIRECT) && strchr(at, '/'))
				continue;
		}
		if (match_name(t, e->text, &e->pattern, at, e->match))
			return true;
	}
	return false;
}

/* ---- The names asked for ---- */

void tar_add_name(struct tar *t, const char *text, bool is_dir)
{
	struct tar_name *name;
	char *own = tsb_strdup(t->p, text);

	t->names.at = util_grow(t->p, t->names.at, t->names.n, &t->names.cap,
				sizeof(*t->names.at));
	name = &t->names.at[t->names.n];
	memset(name, 0, sizeof(*name));
	name->kind = is_dir ? TAR_NAME_DIR : TAR_NAME_FILE;
	if (!is_dir)
		path_strip_slashes(own);
	name->text = own;
	name->match = tar_include_match(t);
	name->is_wildcard = (name->match & TAR_MATCH_WILDCARDS) &&
			    pattern_is_magic(own, strlen(own), 0);
	name->dir = t->dir;
	t->names.n++;
	if (is_dir) {
		t->dir = t->names.n;	/* one more, so that 0 is none */
		tar_positional(t, NULL, text);
	} else {
		t->trailing.n = 0;
	}
}

static bool tar_name_count(struct tar *t, struct tar_name *name)
{
	name->found++;
	if (name->found == 1)
		t->n_found++;
	return !t->occurrence || name->found == t->occurrence;
}

bool tar_wanted(struct tar *t, const char *name)
{
	bool any = false;

	for (size_t i = 0; i < t->names.n; i++) {
		struct tar_name *wanted = &t->names.at[i];

		if (wanted->kind != TAR_NAME_FILE)
			continue;
		any = true;
		if (!match_name(t, wanted->text, &wanted->pattern, name, wanted->match))
			continue;
		if (!tar_name_count(t, wanted))
			return false;
		tar_enter_dir(t, wanted->dir);
		return true;
	}
	if (any)
		return false;
	tar_enter_dir(t, t->dir);
	return true;
}

bool tar_all_found(struct tar *t)
{
	if (!t->occurrence || (!t->names.n && !t->files_option))
		return false;
	for (size_t i = 0; i < t->names.n; i++) {
		struct tar_name *name = &t->names.at[i];

		if (name->kind == TAR_NAME_FILE && name->found < t->occurrence)
			return false;
	}
	return t->n_found > 0;
}

/* A pattern that was not meant as one? Said before each such name. */
static void tar_warn_wildcards(struct tar *t, const struct tar_name *name)
{
	if (t->wildcards >= 0 || !strpbrk(name->text, "*?["))
		return;
	tar_say(t, "Pattern matching characters used in file names");
	tar_say(t, "Use --wildcards to enable pattern matching, or --no-wildcards to suppress "
		"this warning");
}

void tar_report_missing(struct tar *t)
{
	for (size_t i = 0; i < t->names.n; i++) {
		struct tar_name *name = &t->names.at[i];

		if (name->kind != TAR_NAME_FILE || !*name->text || name->found >= (t->occurrence ? t->occurrence
										 : 1))
			continue;
		tar_warn_wildcards(t, name);
		if (!name->found)
			tar_error(t, "%s: Not found in archive", tar_quote_colon(t, name->text));
		else
			tar_error(t, "%s: Required occurrence not found in archive",
				  tar_quote_colon(t, name->text));
	}
}

/* -C options add up: each is relative to the one before. */
void tar_enter_dir(struct tar *t, size_t dir)
{
	struct tar_name *name;
	const char *from;
	int err;

	from = dir ? t->names.at[dir - 1].change_dir : t->root;
	if (!from) {
		name = &t->names.at[dir - 1];
		tar_enter_dir(t, name->dir);
		err = tsb_chdir(t->p, name->text);
		if (err < 0)
			tar_fatal(t, "%s: Cannot open: %s", tar_quote_colon(t, name->text),
				  tsb_strerror(err));
		name->change_dir = tsb_strdup(t->p, tsb_getcwd(t->p));
		return;
	}
	if (strcmp(from, tsb_getcwd(t->p)))
		tsb_chdir(t->p, from);
}

/* ---- Names that stay inside ---- */

bool tar_has_dotdot(const char *name)
{
	while (*name) {
		size_t n = strcspn(name, "/");

		if (n == 2 && name[0] == '.' && name[1] == '.')
			return true;
		name += n + strspn(name + n, "/");
	}
	return false;
}

static void tar_removed(struct tar *t, const char *name, size_t n, bool is_link)
{
	const char *text = tsb_format(t->p, "%d%.*s", is_link, (int)n, name);

	for (size_t i = 0; i < t->n_prefixes; i++)
		if (!strcmp(t->prefixes[i], text))
			return;
	t->prefixes = util_grow(t->p, t->prefixes, t->n_prefixes, &t->cap_prefixes,
				sizeof(*t->prefixes));
	t->prefixes[t->n_prefixes++] = text;
	tar_say(t, is_link ? "Removing leading `%.*s' from hard link targets"
			   : "Removing leading `%.*s' from member names", (int)n, name);
}

const char *tar_safe_name(struct tar *t, const char *name, bool is_link)
{
	const char *rest = name, *at = name;

	if (t->absolute)
		return *name ? name : ".";
	/* Everything up to the last "..", and slashes in front. */
	while (*at) {
		size_t n = strcspn(at, "/");

		if (n == 2 && at[0] == '.' && at[1] == '.')
			rest = at + n;
		at += n + strspn(at + n, "/");
	}
	rest += strspn(rest, "/");
	if (rest != name)
		tar_removed(t, name, (size_t)(rest - name), is_link);
	if (*rest)
		return rest;
	if (*name)
		return ".";
	tar_say(t, is_link ? "Substituting `.' for empty hard link target"
			   : "Substituting `.' for empty member name");
	return ".";
}
