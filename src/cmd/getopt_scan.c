/*
 * See getopt.h. The messages are those of glibc's getopt_long().
 */
#include "cmd/getopt.h"

#include <string.h>

#include "base/str.h"

static enum getopt_kind getopt_say(struct getopt_scan *g, const char *text)
{
	char *line = tsb_format(g->p, "%s: %s\n", g->name, text);

	if (!g->quiet)
		tsb_write_all(g->p, 2, line, strlen(line));
	return GETOPT_ERROR;
}

/* ---- Long options ---- */

static bool getopt_same(const struct getopt_long_name *a, const struct getopt_long_name *b)
{
	return a->arg == b->arg && !strcmp(a->name, b->name);
}

/* The row the n bytes name, whole or shortened. NULL: none; *several: more than one. */
static const struct getopt_long_name *getopt_lookup(struct getopt_scan *g, const char *s, size_t n,
						    bool *several)
{
	const struct getopt_long_name *found = NULL;

	*several = false;
	for (size_t i = 0; i < g->longs.n; i++) {
		const struct getopt_long_name *o = &g->longs.at[i];

		if (strncmp(o->name, s, n))
			continue;
		if (!o->name[n]) {
			*several = false;
			return o;
		}
		/* Two rows are two options, unless they cannot be told apart. */
		if (found && !getopt_same(found, o))
			*several = true;
		else
			found = o;
	}
	tsb_tick(g->p, g->longs.n / 16 + 1);
	return found;
}

static enum getopt_kind getopt_ambiguous(struct getopt_scan *g, const char *dashes, const char *s,
					 size_t n)
{
	struct str text;

	str_init(&text, tsb_heap_of(g->p), STR_MAX_DEFAULT);
	str_addf(&text, "option '%s%s' is ambiguous; possibilities:", dashes, s);
	for (size_t i = 0; i < g->longs.n; i++)
		if (!strncmp(g->longs.at[i].name, s, n))
			str_addf(&text, " '%s%s'", dashes, g->longs.at[i].name);
	return getopt_say(g, text.p);
}

/* s is behind the dashes. GETOPT_END: it is no long option at all. */
static enum getopt_kind getopt_long_word(struct getopt_scan *g, const char *s, const char *dashes,
					 bool may_be_short)
{
	size_t n = strcspn(s, "=");
	bool several;
	const struct getopt_long_name *o = getopt_lookup(g, s, n, &several);

	if (several) {
		g->at++;
		return getopt_ambiguous(g, dashes, s, n);
	}
	if (!o) {
		if (may_be_short)
			return GETOPT_END;
		g->at++;
		return getopt_say(g, tsb_format(g->p, "unrecognized option '%s%s'", dashes, s));
	}
	g->at++;
	g->found = o;
	g->arg = s[n] ? s + n + 1 : NULL;
	if (g->arg && !o->arg)
		return getopt_say(g, tsb_format(g->p, "option '%s%s' doesn't allow an argument",
						dashes, o->name));
	if (!g->arg && o->arg == 1) {
		if (g->at == g->argc)
			return getopt_say(g, tsb_format(g->p, "option '%s%s' requires an argument",
							dashes, o->name));
		g->arg = g->argv[g->at++];
	}
	return GETOPT_LONG;
}

/* ---- Short options ---- */

static enum getopt_kind getopt_short(struct getopt_scan *g)
{
	char c = *g->cluster++;
	const char *row = c == ':' || c == ';' ? NULL : strchr(g->shorts, c);
	bool last = !*g->cluster;

	if (last)
		g->at++;
	if (!row) {
		if (last)
			g->cluster = NULL;
		return getopt_say(g, tsb_format(g->p, "invalid option -- '%c'", c));
	}
	g->letter = c;
	g->arg = NULL;
	g->wants = row[1] == ':';
	if (g->wants && !last) {
		g->arg = g->cluster;
		g->at++;
	} else if (g->wants && row[2] != ':') {
		if (g->at == g->argc) {
			g->cluster = NULL;
			return getopt_say(g, tsb_format(g->p, "option requires an argument -- '%c'", c));
		}
		g->arg = g->argv[g->at++];
	}
	if (last || g->wants)
		g->cluster = NULL;
	return GETOPT_SHORT;
}

/* ---- Words ---- */

static bool getopt_is_option(const char *word)
{
	return word[0] == '-' && word[1];
}

static enum getopt_kind getopt_end(struct getopt_scan *g)
{
	while (g->at < g->argc)
		*vec_add(tsb_heap_of(g->p), &g->operands) = g->argv[g->at++];
	return GETOPT_END;
}

enum getopt_kind getopt_next(struct getopt_scan *g)
{
	enum getopt_kind kind;
	char *word;

	g->found = NULL;
	tsb_tick(g->p, 1);
	if (g->cluster)
		return getopt_short(g);
	while (g->at < g->argc && !getopt_is_option(g->argv[g->at])) {
		if (g->order == GETOPT_STOP)
			return getopt_end(g);
		word = g->argv[g->at++];
		if (g->order == GETOPT_IN_ORDER) {
			g->arg = word;
			return GETOPT_OPERAND;
		}
		*vec_add(tsb_heap_of(g->p), &g->operands) = word;
	}
	if (g->at == g->argc)
		return GETOPT_END;
	word = g->argv[g->at];
	if (!strcmp(word, "--")) {
		g->at++;
		return getopt_end(g);
	}
	if (word[1] == '-')
		return getopt_long_word(g, word + 2, "--", false);
	/* -f alone is the short option where there is one. */
	if (g->one_dash && g->longs.n && (word[2] || !strchr(g->shorts, word[1]))) {
		kind = getopt_long_word(g, word + 1, "-", strchr(g->shorts, word[1]) != NULL);
		if (kind != GETOPT_END)
			return kind;
	}
	g->cluster = word + 1;
	return getopt_short(g);
}
