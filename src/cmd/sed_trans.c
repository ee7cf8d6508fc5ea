/*
 * y: characters for characters. Single bytes go through a table; when a longer
 * character takes part, the line is walked character by character.
 */
#include "cmd/sed.h"

#include <string.h>

#include "base/utf8.h"

static size_t trans_length(const struct sed *s, const char *p, size_t n)
{
	int32_t c;

	return s->utf8 ? utf8_decode(p, n, &c) : 1;
}

/* The next character of a list; a backslash before one that needs none is
 * dropped, and \n is a newline. */
static struct slice trans_next(const struct sed *s, struct slice *list)
{
	struct slice one = { list->p, 1 };

	if (*list->p == '\\' && list->n > 1) {
		list->p++;
		list->n--;
		one.p = *list->p == 'n' ? "\n" : list->p;
		if (*list->p == 'n') {
			list->p++;
			list->n--;
			return one;
		}
	}
	one.n = trans_length(s, list->p, list->n);
	list->p += one.n;
	list->n -= one.n;
	return one;
}

/* A backslash that is left of "\c" at the end: it is no character. */
static bool trans_half(const struct slice *list)
{
	return list->n == 1 && *list->p == '\\';
}

/* Of two rules for one character the first counts; in a locale of single bytes
 * it is the last. */
static void trans_byte(const struct sed *s, struct sed_trans *t, char from, char to)
{
	unsigned char f = (unsigned char)from;

	if (!s->utf8 || t->byte[f] == f)
		t->byte[f] = (unsigned char)to;
}

void sed_parse_trans(struct sed *s, struct sed_cmd *cmd)
{
	struct sed_trans *t = sed_alloc(s, sizeof(*t));
	struct slice from, to;
	struct str a, b;
	int delim = sed_char(s);

	if (!sed_delimited(s, delim, false, &a) || !sed_delimited(s, delim, false, &b))
		sed_bad(s, "unterminated `y' command");
	sed_unescape(s, &a, SED_TEXT_PLAIN);
	sed_unescape(s, &b, SED_TEXT_PLAIN);
	from = sed_keep(&a);
	to = sed_keep(&b);
	t->single = true;
	for (int i = 0; i < 256; i++)
		t->byte[i] = (unsigned char)i;
	while (from.n && to.n && !trans_half(&from) && !trans_half(&to)) {
		struct sed_pair *pair = vec_add(tsb_heap_of(s->p), &t->pairs);

		pair->from = trans_next(s, &from);
		pair->to = trans_next(s, &to);
		if (pair->from.n > 1 || pair->to.n > 1)
			t->single = false;
		else
			trans_byte(s, t, *pair->from.p, *pair->to.p);
	}
	if (from.n || to.n)
		sed_bad(s, "strings for `y' command are different lengths");
	sed_end_of_command(s);
	cmd->trans = t;
}

/* A byte that begins no character stands for every one that begins with it, as
 * in GNU's sed. */
static const struct sed_pair *trans_find(const struct sed_trans *t, struct slice c)
{
	for (size_t i = 0; i < t->pairs.n; i++)
		if (t->pairs.at[i].from.n >= c.n && !memcmp(t->pairs.at[i].from.p, c.p, c.n))
			return &t->pairs.at[i];
	return NULL;
}

static void trans_characters(struct sed *s, const struct sed_trans *t)
{
	struct sed_space *sp = &s->pattern;

	sed_space_clear(&s->scratch);
	for (size_t at = 0, turns = 0; at < sp->n; ) {
		struct slice c = { sp->at + at, trans_length(s, sp->at + at, sp->n - at) };
		const struct sed_pair *pair = trans_find(t, c);

		at += c.n;
		if (pair)
			c = pair->to;
		sed_space_add(s, &s->scratch, c.p, c.n);
		if (++turns % 1024 == 0)
			tsb_tick(s->p, t->pairs.n + 16);
	}
	s->scratch.no_newline = sp->no_newline;
	sed_space_swap(sp, &s->scratch);
}

enum sed_flow sed_do_trans(struct sed *s, struct sed_cmd *cmd)
{
	const struct sed_trans *t = cmd->trans;
	struct sed_space *sp = &s->pattern;

	if (!t->single) {
		trans_characters(s, t);
		return SED_NEXT;
	}
	sed_space_own(s, sp);
	for (size_t i = 0; i < sp->n; i++)
		sp->at[i] = (char)t->byte[(unsigned char)sp->at[i]];
	return SED_NEXT;
}
