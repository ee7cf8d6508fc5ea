/*
 * --transform: names changed by the expressions of sed's s command, and
 * --strip-components.
 */
#include <string.h>

#include "cmd/tar/tar.h"
#include "text/regex.h"

enum xform_case { CASE_KEEP, CASE_LOWER, CASE_UPPER };

struct xform_part {		/* of a replacement */
	enum { PART_TEXT, PART_GROUP, PART_CASE, PART_CASE_ONE } kind;
	const char *text;
	size_t n;		/* length, or group, or enum xform_case */
	struct xform_part *next;
};

struct tar_xform {
	struct regex *regex;
	struct xform_part *parts;
	bool global;
	size_t nth;
	unsigned what;		/* TAR_XFORM_* */
	struct tar_xform *next;
};

/* Flags that "flags=" made the default for expressions that follow. */
static unsigned xform_defaults(const struct tar *t)
{
	unsigned what = TAR_XFORM_FILE | TAR_XFORM_LINK | TAR_XFORM_SYMLINK;

	for (const struct tar_xform *x = t->xforms; x; x = x->next)
		if (!x->regex)
			what = x->what;
	return what;
}

static bool xform_scope(char c, unsigned *what)
{
	static const struct { char c; unsigned bit; } scopes[] = {
		{ 'r', TAR_XFORM_FILE }, { 'h', TAR_XFORM_LINK }, { 's', TAR_XFORM_SYMLINK },
	};

	for (size_t i = 0; i < 3; i++) {
		if (c == scopes[i].c)
			*what |= scopes[i].bit;
		else if (c == scopes[i].c - 'a' + 'A')
			*what &= ~scopes[i].bit;
		else
			continue;
		return true;
	}
	return false;
}

static void xform_add_part(struct tar *t, struct xform_part ***tail, int kind, const char *text,
			   size_t n)
{
	struct xform_part *part = tsb_alloc(t->p, sizeof(*part));

	part->kind = (__typeof__(part->kind))kind;
	part->text = text;
	part->n = n;
	**tail = part;
	*tail = &part->next;
}

/* A backslash in the replacement; at is behind it. Bytes taken. */
static size_t xform_escape(struct tar *t, struct xform_part ***tail, const char *at, int delim,
			   struct str *plain)
{
	static const char letters[] = "abfnrtv", values[] = "\a\b\f\n\r\t\v";
	const char *letter = *at ? strchr(letters, *at) : NULL;

	if (*at >= '0' && *at <= '9') {
		xform_add_part(t, tail, PART_GROUP, NULL, (size_t)(*at - '0'));
		return 1;
	}
	switch (*at) {
	case 'L': xform_add_part(t, tail, PART_CASE, NULL, CASE_LOWER); return 1;
	case 'U': xform_add_part(t, tail, PART_CASE, NULL, CASE_UPPER); return 1;
	case 'E': xform_add_part(t, tail, PART_CASE, NULL, CASE_KEEP); return 1;
	case 'l': xform_add_part(t, tail, PART_CASE_ONE, NULL, CASE_LOWER); return 1;
	case 'u': xform_add_part(t, tail, PART_CASE_ONE, NULL, CASE_UPPER); return 1;
	default:
		if (letter)
			str_addc(plain, values[letter - letters]);
		else if (*at == delim || *at == '&' || *at == '\\')
			str_addc(plain, *at);
		else
			str_addf(plain, "\\%c", *at);
		return *at ? 1 : 0;
	}
}

static struct xform_part *xform_replacement(struct tar *t, const char *at, size_t n, int delim)
{
	struct xform_part *first = NULL, **tail = &first;
	const char *end = at + n;
	struct str plain;

	str_init(&plain, tsb_heap_of(t->p), STR_MAX_DEFAULT);
	while (at < end) {
		struct xform_part *kept = NULL, **kept_tail = &kept;

		if (*at == '\\') {
			at += 1 + xform_escape(t, &kept_tail, at + 1, delim, &plain);
		} else if (*at == '&') {
			xform_add_part(t, &kept_tail, PART_GROUP, NULL, 0);
			at++;
		} else {
			str_addc(&plain, *at++);
		}
		if (!kept && at < end)
			continue;
		if (plain.n) {
			size_t len;
			const char *text = str_take(&plain, &len);

			xform_add_part(t, &tail, PART_TEXT, text, len);
			str_init(&plain, tsb_heap_of(t->p), STR_MAX_DEFAULT);
		}
		*tail = kept;
		if (kept)
			tail = &kept->next;
	}
	return first;
}

/* Length up to the delimiter; SIZE_MAX: there is none. */
static size_t xform_field(const char *at, int delim)
{
	size_t n = 0;

	while (at[n] && at[n] != delim)
		n += at[n] == '\\' && at[n + 1] ? 2 : 1;
	return at[n] ? n : SIZE_MAX;
}

static const char *xform_flags(struct tar *t, struct tar_xform *x, const char *at, unsigned *regex)
{
	for (; *at && *at != ';'; at++) {
		if (*at == 'g') {
			x->global = true;
		} else if (*at == 'i') {
			*regex |= REGEX_ICASE;
		} else if (*at == 'x') {
			*regex |= REGEX_EXTENDED;
		} else if (*at >= '0' && *at <= '9') {
			x->nth = 0;
			while (*at >= '0' && *at <= '9' && x->nth < 100000)
				x->nth = x->nth * 10 + (size_t)(*at++ - '0');
			at--;
		} else if (!xform_scope(*at, &x->what)) {
			tar_usage(t, "Unknown flag in transform expression: %c", *at);
		}
	}
	return at;
}

/* One s/a/b/flags; the rest of the text. */
static const char *xform_parse(struct tar *t, const char *at)
{
	struct tar_xform *x = tsb_alloc(t->p, sizeof(*x)), **tail = &t->xforms;
	const char *pattern, *error = NULL;
	size_t n, m;
	unsigned flags = 0;
	int delim = (unsigned char)at[1];

	x->what = xform_defaults(t);
	while (*tail)
		tail = &(*tail)->next;
	if (!strncmp(at, "flags=", 6)) {
		for (at += 6; *at && *at != ';'; at++)
			if (!xform_scope(*at, &x->what))
				tar_usage(t, "Unknown transform flag: %c", *at);
		*tail = x;
		return *at ? at + 1 : at;
	}
	if (*at != 's' || !delim)
		tar_usage(t, "Invalid transform expression");
	pattern = at + 2;
	n = xform_field(pattern, delim);
	m = n == SIZE_MAX ? n : xform_field(pattern + n + 1, delim);
	if (m == SIZE_MAX)
		tar_usage(t, "Invalid transform expression");
	at = xform_flags(t, x, pattern + n + m + 2, &flags);
	x->regex = regex_compile(tsb_heap_of(t->p), pattern, n, flags | REGEX_UTF8, &error);
	if (!x->regex)
		tar_usage(t, "Invalid transform expression: %s", error);
	x->parts = xform_replacement(t, pattern + n + 1, m, delim);
	for (const struct xform_part *part = x->parts; part; part = part->next)
		if (part->kind == PART_GROUP && part->n > regex_groups(x->regex))
			tar_usage(t, "Invalid transform replacement: back reference out of range");
	*tail = x;
	return *at ? at + 1 : at;
}

void tar_add_xform(struct tar *t, const char *expression)
{
	while (*expression)
		expression = xform_parse(t, expression);
}

/* ---- Applying ---- */

static int xform_cased(int c, size_t how)
{
	if (how == CASE_UPPER && c >= 'a' && c <= 'z')
		return c - 'a' + 'A';
	return how == CASE_LOWER && c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c;
}

static void xform_put(struct tar_xform *x, struct str *out, const char *name,
		      const struct regex_span *spans)
{
	size_t all = CASE_KEEP, one = CASE_KEEP;

	for (const struct xform_part *part = x->parts; part; part = part->next) {
		const char *text = part->text;
		size_t n = part->n;

		if (part->kind == PART_CASE) {
			all = part->n;
			continue;
		}
		if (part->kind == PART_CASE_ONE) {
			one = part->n;
			continue;
		}
		if (part->kind == PART_GROUP) {
			const struct regex_span *span = &spans[part->n];

			n = span->so == REGEX_NONE ? 0 : span->eo - span->so;
			text = name + (n ? span->so : 0);
		}
		for (size_t i = 0; i < n; i++) {
			str_addc(out, xform_cased((unsigned char)text[i], one ? one : all));
			one = CASE_KEEP;
		}
	}
}

/* As GNU tar does it: what stands before a match that is not the one to be
 * replaced comes out twice. */
static char *xform_apply(struct tar *t, struct tar_xform *x, const char *name)
{
	size_t n = strlen(name), from = 0, count = 0, nth = x->nth ? x->nth : 1;
	struct regex_span spans[10];
	struct str out;

	str_init(&out, tsb_heap_of(t->p), STR_MAX_DEFAULT);
	for (size_t i = 0; i < 10; i++)
		spans[i] = (struct regex_span){ REGEX_NONE, REGEX_NONE };
	while (from < n && regex_match(x->regex, name, n, from, from ? REGEX_NOTBOL : 0, spans,
				       10) == REGEX_MATCH) {
		str_addn(&out, name + from, spans[0].so - from);
		if (++count < nth)
			str_addn(&out, name + from, spans[0].eo - from);
		else
			xform_put(x, &out, name, spans);
		from = spans[0].eo;
		if (count >= nth && !x->global)
			break;
		if (spans[0].eo == spans[0].so && from < n)
			str_addc(&out, name[from++]);
	}
	if (from < n)
		str_adds(&out, name + from);
	return str_take(&out, NULL);
}

char *tar_strip(struct tar *t, const char *name)
{
	uint64_t left = t->strip;

	name += strspn(name, "/");
	for (; left && *name; left--) {
		name += strcspn(name, "/");
		name += strspn(name, "/");
	}
	return *name && !left ? tsb_strdup(t->p, name) : NULL;
}

char *tar_transform(struct tar *t, const char *name, unsigned what)
{
	char *out = tsb_strdup(t->p, name);

	for (struct tar_xform *x = t->xforms; x; x = x->next)
		if (x->regex && (x->what & what))
			out = xform_apply(t, x, out);
	return out;
}
