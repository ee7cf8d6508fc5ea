/*
 * -regex of find. The pattern must match the whole path. Emacs's syntax, the
 * default, is rewritten as an extended regular expression.
 */
#include "cmd/find.h"

#include <string.h>

#include "cmd/util.h"
#include "text/regex.h"

static const struct { const char *name; unsigned flags; } regex_types[] = {
	{ "findutils-default", FIND_EMACS }, { "ed", 0 }, { "emacs", FIND_EMACS | FIND_EMACS_DOT },
	{ "gnu-awk", REGEX_EXTENDED }, { "grep", REGEX_GREP },
	{ "posix-awk", REGEX_EXTENDED }, { "awk", REGEX_EXTENDED },
	{ "posix-basic", 0 }, { "posix-egrep", REGEX_EXTENDED | REGEX_GREP },
	{ "egrep", REGEX_EXTENDED | REGEX_GREP }, { "posix-extended", REGEX_EXTENDED },
	{ "posix-minimal-basic", 0 }, { "sed", 0 },
};

enum { REGEX_TYPES = sizeof(regex_types) / sizeof(*regex_types) };

bool find_read_regextype(struct find *f, int value)
{
	const char *arg = find_arg(f);
	struct str list;

	(void)value;
	if (!arg)
		return false;
	for (size_t i = 0; i < REGEX_TYPES; i++)
		if (!strcmp(regex_types[i].name, arg)) {
			f->regex = regex_types[i].flags;
			return true;
		}
	str_init(&list, tsb_heap_of(f->p), STR_MAX_DEFAULT);
	for (size_t i = 0; i < REGEX_TYPES; i++)
		str_addf(&list, "%s%s", i ? ", " : "", quote_text(f->p, regex_types[i].name));
	find_die(f, "Unknown regular expression type %s; valid types are %s.", quote_text(f->p, arg),
		 list.p);
}

/* The bracket expression at s, whole: its length; 1 if it does not end. It has
 * no classes, so "[:" in it is written as the two characters they are. */
static size_t regex_bracket(struct str *out, const char *s)
{
	size_t i = 1, from = 0;

	i += s[i] == '^';
	i += s[i] == ']';
	for (; s[i] && s[i] != ']'; i++) {
		char kind = s[i] == '[' ? s[i + 1] : '\0';

		if (kind == ':') {
			str_addn(out, s + from, i - from);
			str_adds(out, "[.[.]");
			from = i + 1;
		} else if (kind == '.' || kind == '=') {
			const char *end = s + i + 2;

			while (*end && (end[0] != kind || end[1] != ']'))
				end++;
			if (*end)
				i = (size_t)(end - s) + 1;
		}
	}
	if (!s[i])
		i = from;
	str_addn(out, s + from, i + 1 - from);
	return i + 1;
}

/* Does the text at s end a branch? */
static bool regex_ends(const char *s)
{
	return !*s || (s[0] == '\\' && (s[1] == ')' || s[1] == '|'));
}

/*
 * \( \) \| group and choose, * + ? repeat unless they stand first, ^ and $ are
 * anchors only at the ends of a branch; braces are plain. A dot is no newline, but
 * by the name findutils-default it is.
 */
static void regex_from_emacs(struct str *out, const char *s, bool dot_is_newline)
{
	bool first = true;

	while (*s) {
		bool was_first = first;

		first = false;
		if (*s == '\\' && s[1]) {
			first = s[1] == '(' || s[1] == '|';
			if (!strchr("()|", s[1]))
				str_addc(out, '\\');
			str_addc(out, s[1]);
			s += 2;
			continue;
		}
		if (*s == '[') {
			s += regex_bracket(out, s);
			continue;
		}
		if (*s == '.' && !dot_is_newline) {
			str_adds(out, "[^\n]");
			s++;
			continue;
		}
		if (strchr("(){}|", *s) || (strchr("*+?", *s) && was_first) ||
		    (*s == '^' && !was_first) || (*s == '$' && !regex_ends(s + 1)))
			str_addc(out, '\\');
		else if (*s == '^')
			first = true;
		str_addc(out, *s++);
	}
}

static void regex_tick(void *p, size_t steps)
{
	tsb_tick(p, steps);
}

static bool find_is_regex(struct find *f, struct find_pred *a)
{
	size_t n = strlen(f->e->path);
	struct regex_span all;

	return regex_match(a->u.regex, f->e->path, n, 0, 0, &all, 1) == REGEX_MATCH && !all.so &&
	       all.eo == n;
}

bool find_read_regex(struct find *f, int icase)
{
	unsigned flags = f->regex & ~(unsigned)(FIND_EMACS | FIND_EMACS_DOT);
	const char *arg = find_arg(f), *error;
	struct regex *re;
	struct str text;

	if (!arg)
		return false;
	str_init(&text, tsb_heap_of(f->p), STR_MAX_DEFAULT);
	if (f->regex & FIND_EMACS) {
		regex_from_emacs(&text, arg, !(f->regex & FIND_EMACS_DOT));
		flags |= REGEX_EXTENDED;
	} else {
		str_adds(&text, arg);
	}
	flags |= REGEX_UTF8 | (icase ? REGEX_ICASE : 0u);
	re = regex_compile(tsb_heap_of(f->p), text.p, text.n, flags, &error);
	if (!re)
		find_die(f, "failed to compile regular expression '%s': %s", arg, error);
	regex_on_tick(re, regex_tick, f->p);
	find_add(f, find_is_regex)->u.regex = re;
	return true;
}
