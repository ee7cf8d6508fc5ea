/*
 * See gitignore.h. A pattern that is a name or "*" with a name behind it is
 * compared; all others become a regular expression, compiled when it is first
 * asked, so that no pattern can make matching slow.
 */
#include "text/gitignore.h"

#include <stdint.h>
#include <string.h>

#include "base/heap.h"
#include "base/str.h"
#include "base/vec.h"
#include "text/regex.h"

enum rule_kind { RULE_NAME, RULE_SUFFIX, RULE_REGEX, RULE_NEVER };

struct rule {
	enum rule_kind kind;
	char *text;		/* of NAME and SUFFIX; else the regular expression */
	size_t n;
	struct regex *re;
	bool keep, dirs_only;
	bool whole;		/* matches the path, not only its last name */
	bool icase;
};

struct gitignore {
	struct tsb_heap *heap;
	unsigned flags;
	VEC(struct rule) rules;
	size_t n_keep;
	gitignore_tick *tick;
	void *ctx;
};

struct gitignore *gitignore_new(struct tsb_heap *heap, unsigned flags)
{
	struct gitignore *g = heap_zalloc(heap, sizeof(*g));

	if (g) {
		g->heap = heap;
		g->flags = flags;
	}
	return g;
}

void gitignore_free(struct gitignore *g)
{
	if (!g)
		return;
	for (size_t i = 0; i < g->rules.n; i++) {
		if (g->rules.at[i].re)
			regex_free(g->rules.at[i].re);
		heap_free(g->heap, g->rules.at[i].text);
	}
	vec_end(g->heap, &g->rules);
	heap_free(g->heap, g);
}

void gitignore_on_tick(struct gitignore *g, gitignore_tick *tick, void *ctx)
{
	g->tick = tick;
	g->ctx = ctx;
}

void gitignore_set_icase(struct gitignore *g, bool on)
{
	g->flags = on ? g->flags | GITIGNORE_ICASE : g->flags & ~(unsigned)GITIGNORE_ICASE;
}

size_t gitignore_count(const struct gitignore *g)
{
	return g->rules.n;
}

size_t gitignore_count_keep(const struct gitignore *g)
{
	return g->n_keep;
}

/* ---- From a pattern to a regular expression ---- */

struct glob {
	const char *p;
	size_t n, i;
	bool braces;		/* ripgrep's dialect */
	bool in_group;
	struct str out;
	const char *error;
};

static void glob_literal(struct glob *g, char c)
{
	if (strchr("\\^$.[]|()*+?{}", c) && c)
		str_addc(&g->out, '\\');
	str_addc(&g->out, c);
}

/* A class of git's, as isalpha() and its like in the C locale know it. */
static bool class_has(const char *name, size_t n, int c)
{
	static const struct { const char *name, *ranges; } rows[] = {
		{ "alnum", "09AZaz" }, { "alpha", "AZaz" }, { "blank", "  \t\t" },
		{ "cntrl", "\1\37\177\177" }, { "digit", "09" }, { "graph", "!~" },
		{ "lower", "az" }, { "print", " ~" }, { "punct", "!/:@[`{~" },
		{ "space", "\t\r  " }, { "upper", "AZ" }, { "xdigit", "09AFaf" }
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++)
		if (strlen(rows[i].name) == n && !memcmp(rows[i].name, name, n))
			for (const char *r = rows[i].ranges; *r; r += 2)
				if (c >= r[0] && c <= r[1])
					return true;
	return false;
}

/* The set, never with "/", as a bracket expression. */
static void set_write(struct glob *g, const bool set[256])
{
	size_t n = 0;

	for (int c = 1; c < 256; c++)
		n += set[c] && c != '/';
	if (!n) {			/* matches nothing: no byte is both */
		str_adds(&g->out, "[^\1-\377]");
		return;
	}
	str_addc(&g->out, '[');
	if (set[']'])
		str_addc(&g->out, ']');
	for (int c = 1; c < 256; c++)
		if (set[c] && c != '/' && c != ']' && c != '-' && c != '^')
			str_addc(&g->out, c);
	if (set['^'] && n == 1) {	/* "[^]" would mean something else */
		str_cut(&g->out, g->out.n - 1);
		str_adds(&g->out, "\\^");
		return;
	}
	if (set['^'])
		str_addc(&g->out, '^');
	if (set['-'])
		str_addc(&g->out, '-');
	str_addc(&g->out, ']');
}

/* Brackets hide "[.", "[=" and "[:" of regular expressions: "[" goes last. */
static void set_done(struct glob *g, bool set[256], bool negate)
{
	bool bracket;

	if (negate)
		for (int c = 0; c < 256; c++)
			set[c] = !set[c];
	set['/'] = false;
	bracket = set['['];
	set['['] = false;
	if (!bracket) {
		set_write(g, set);
		return;
	}
	str_adds(&g->out, "(\\[|");
	set_write(g, set);
	str_addc(&g->out, ')');
}

static const char *range_error(struct glob *g, unsigned char low, unsigned char high)
{
	struct str s;

	str_init(&s, g->out.heap, STR_MAX_DEFAULT);
	str_addf(&s, "invalid range; '%c' > '%c'", low, high);
	return str_take(&s, NULL);
}

/* One member, perhaps a range. false: the class does not end. */
static bool class_member(struct glob *g, bool set[256])
{
	unsigned char low, high;

	if (!g->braces && g->p[g->i] == '[' && g->i + 1 < g->n && g->p[g->i + 1] == ':') {
		const char *name = g->p + g->i + 2;
		const char *end = memmem(name, g->n - g->i - 2, ":]", 2);

		if (end) {
			for (int c = 0; c < 256; c++)
				set[c] |= class_has(name, (size_t)(end - name), c);
			g->i = (size_t)(end - g->p) + 2;
			return true;
		}
	}
	if (!g->braces && g->p[g->i] == '\\' && ++g->i == g->n)
		return false;
	low = high = (unsigned char)g->p[g->i++];
	if (g->i + 1 < g->n && g->p[g->i] == '-' && g->p[g->i + 1] != ']') {
		g->i++;
		if (!g->braces && g->p[g->i] == '\\' && ++g->i == g->n)
			return false;
		high = (unsigned char)g->p[g->i++];
		if (low > high && g->braces)
			g->error = range_error(g, low, high);
	}
	set[low] = true;	/* though high be lower */
	for (unsigned c = low; c <= high; c++)
		set[c] = true;
	return true;
}

static void glob_class(struct glob *g)
{
	bool set[256] = { false }, negate, first = true;

	negate = g->i < g->n && (g->p[g->i] == '!' || g->p[g->i] == '^');
	g->i += negate;
	while (g->i < g->n && (first || g->p[g->i] != ']')) {
		first = false;
		if (!class_member(g, set))
			break;
	}
	if (g->i >= g->n || g->p[g->i] != ']') {
		g->error = "unclosed character class; missing ']'";
		return;
	}
	g->i++;
	set_done(g, set, negate);
}

/* Behind a first "*". "**" between slashes is any number of directories. */
static void glob_star(struct glob *g)
{
	size_t from = g->i - 1;
	bool slash_before = from == 0 || g->p[from - 1] == '/';

	while (g->i < g->n && g->p[g->i] == '*')
		g->i++;
	if (g->i - from < 2 || !slash_before || (g->i < g->n && g->p[g->i] != '/')) {
		str_adds(&g->out, "[^/]*");
	} else if (g->i < g->n) {
		g->i++;
		str_adds(&g->out, "(.*/)?");
	} else {
		str_adds(&g->out, from ? "[^/].*" : ".*");
	}
}

static void glob_brace(struct glob *g, char c)
{
	if (c == '{' && g->in_group) {
		g->error = "nested alternate groups are not allowed";
	} else if (c == '{') {
		g->in_group = true;
		str_addc(&g->out, '(');
	} else if (c == ',') {
		str_addc(&g->out, '|');
	} else if (!g->in_group) {
		g->error = "unopened alternate group; missing '{' (maybe escape '}' with '[}]'?)";
	} else {
		g->in_group = false;
		str_addc(&g->out, ')');
	}
}

static void glob_convert(struct glob *g)
{
	str_addc(&g->out, '^');
	while (g->i < g->n && !g->error) {
		char c = g->p[g->i++];

		if (c == '\\') {
			if (g->i == g->n)
				g->error = "dangling '\\'";
			else
				glob_literal(g, g->p[g->i++]);
		} else if (c == '*') {
			glob_star(g);
		} else if (c == '?') {
			str_adds(&g->out, "[^/]");
		} else if (c == '[') {
			glob_class(g);
		} else if (g->braces && (c == '{' || c == '}' || (c == ',' && g->in_group))) {
			glob_brace(g, c);
		} else {
			glob_literal(g, c);
		}
	}
	if (!g->error && g->in_group)
		g->error = "unclosed alternate group; missing '}' (maybe escape '{' with '[{]'?)";
	str_addc(&g->out, '$');
}

/* ---- Lines ---- */

static bool is_plain(const char *p, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (strchr("*?[]{}\\", p[i]))
			return false;
	return true;
}

static const char *rule_compile(struct gitignore *g, struct rule *r, const char *p, size_t n)
{
	struct glob glob = { .p = p, .n = n, .braces = g->flags & GITIGNORE_BRACES };

	if (is_plain(p, n) || (!r->whole && n && *p == '*' && is_plain(p + 1, n - 1))) {
		r->kind = *p == '*' ? RULE_SUFFIX : RULE_NAME;
		r->n = n - (r->kind == RULE_SUFFIX);
		r->text = heap_dup(g->heap, p + (r->kind == RULE_SUFFIX), r->n);
		return NULL;
	}
	str_init(&glob.out, g->heap, STR_MAX_DEFAULT);
	glob_convert(&glob);
	r->kind = glob.error ? RULE_NEVER : RULE_REGEX;
	r->text = str_take(&glob.out, &r->n);
	return g->flags & (GITIGNORE_BRACES | GITIGNORE_STRICT) ? glob.error : NULL;
}

/* Blanks at the end go, unless a backslash stands before them. */
static size_t trimmed(const char *p, size_t n, bool tabs)
{
	while (n && (p[n - 1] == ' ' || (tabs && p[n - 1] == '\t'))) {
		size_t back = 0;

		while (back + 1 < n && p[n - 2 - back] == '\\')
			back++;
		if (back & 1)
			break;
		n--;
	}
	return n;
}

const char *gitignore_add(struct gitignore *g, const char *line, size_t n)
{
	struct rule r = { .icase = g->flags & GITIGNORE_ICASE };
	const char *error;
	bool slash;

	if (n && *line == '#')
		return NULL;
	n = trimmed(line, n, g->flags & GITIGNORE_BRACES);
	if (n && *line == '!') {
		r.keep = true;
		line++;
		n--;
	}
	slash = n && *line == '/';
	line += slash;
	n -= slash;
	if (n && line[n - 1] == '/') {
		r.dirs_only = true;
		n--;
	}
	if (!n && r.keep && !slash && !r.dirs_only && g->flags & GITIGNORE_BRACES) {
		line = "*";	/* to ripgrep "!" alone means all */
		n = 1;
	}
	if (!n)
		return NULL;
	r.whole = slash || memchr(line, '/', n);
	error = rule_compile(g, &r, line, n);
	if (error) {
		heap_free(g->heap, r.text);
		return error;
	}
	g->n_keep += r.keep;
	*vec_add(g->heap, &g->rules) = r;
	return NULL;
}

void gitignore_parse(struct gitignore *g, const char *text, size_t n,
		     void (*bad)(void *ctx, size_t line, const char *glob, const char *why),
		     void *ctx)
{
	bool mark = n >= 3 && !memcmp(text, "\xef\xbb\xbf", 3);
	size_t at = mark && !(g->flags & GITIGNORE_BRACES) ? 3 : 0;

	for (size_t number = 1; at < n; number++) {
		const char *line = text + at, *nl = memchr(line, '\n', n - at);
		size_t len = nl ? (size_t)(nl - line) : n - at;
		const char *why;

		at += len + 1;
		len -= len && line[len - 1] == '\r';
		why = gitignore_add(g, line, len);
		if (why && bad) {
			char *glob = heap_dup(g->heap, line, trimmed(line, len, true));

			bad(ctx, number, glob, why);
			heap_free(g->heap, glob);
		}
	}
}

/* ---- Matching ---- */

static bool same_bytes(const struct rule *r, const char *s)
{
	return r->icase ? !strncasecmp(r->text, s, r->n) : !memcmp(r->text, s, r->n);
}

static bool regex_holds(struct gitignore *g, struct rule *r, const char *s, size_t n)
{
	if (!r->re) {
		const char *error;

		r->re = regex_compile(g->heap, r->text, r->n, REGEX_EXTENDED |
				      (r->icase ? REGEX_ICASE : 0u), &error);
		if (!r->re) {
			r->kind = RULE_NEVER;
			return false;
		}
		regex_on_tick(r->re, g->tick, g->ctx);
	}
	return regex_match(r->re, s, n, 0, 0, NULL, 0) == REGEX_MATCH;
}

static bool rule_matches(struct gitignore *g, struct rule *r, const char *path, size_t n)
{
	const char *slash = r->whole ? NULL : memrchr(path, '/', n);
	const char *s = slash ? slash + 1 : path;

	n -= (size_t)(s - path);
	switch (r->kind) {
	case RULE_NAME: return n == r->n && same_bytes(r, s);
	case RULE_SUFFIX: return n >= r->n && same_bytes(r, s + n - r->n);
	case RULE_REGEX: return regex_holds(g, r, s, n);
	default: return false;
	}
}

enum gitignore_verdict gitignore_match(struct gitignore *g, const char *path, size_t n,
				       bool is_dir)
{
	for (size_t i = g->rules.n; i--; ) {
		struct rule *r = &g->rules.at[i];

		if ((is_dir || !r->dirs_only) && rule_matches(g, r, path, n))
			return r->keep ? GITIGNORE_KEEP : GITIGNORE_IGNORE;
	}
	return GITIGNORE_NONE;
}

enum gitignore_verdict gitignore_decide(const struct gitignore_dir *dir, const char *path,
					size_t n, bool is_dir)
{
	for (; dir; dir = dir->up) {
		enum gitignore_verdict v = GITIGNORE_NONE;

		if (dir->rules && dir->base < n)
			v = gitignore_match(dir->rules, path + dir->base, n - dir->base, is_dir);
		if (v != GITIGNORE_NONE)
			return v;
	}
	return GITIGNORE_NONE;
}

bool gitignore_excludes(const struct gitignore_dir *dir, const char *path, size_t n,
			bool is_dir)
{
	for (size_t i = 1; i < n; i++)
		if (path[i] == '/' && gitignore_decide(dir, path, i, true) == GITIGNORE_IGNORE)
			return true;
	return gitignore_decide(dir, path, n, is_dir) == GITIGNORE_IGNORE;
}
