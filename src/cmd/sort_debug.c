/*
 * sort --debug: what it warns of before it sorts, and the lines that show
 * under each line what of it was compared.
 */
#include "cmd/sort.h"

#include <string.h>

#include "base/utf8.h"
#include "cmd/util.h"

static bool is_numeric(const struct sort_key *k)
{
	return k->numeric || k->general || k->human;
}

/* ---- Warnings ---- */

static void warn_obsolete(struct sort *s, const struct sort_key *k)
{
	size_t sword = k->sword == SORT_NO_WORD ? 0 : k->sword;
	size_t eword = k->eword;
	char *old = tsb_format(s->p, "+%zu", sword), *new = tsb_format(s->p, "-k %zu", sword + 1);

	if (k->eword != SORT_NO_WORD) {
		old = tsb_format(s->p, "%s -%zu", old, eword + 1);
		new = tsb_format(s->p, "%s,%zu", new, eword + 1 + (k->echar == SIZE_MAX));
	}
	tsb_warn(s->p, "obsolescent key %s used; consider %s instead", quote_text(s->p, old),
		 quote_text(s->p, new));
}

static void warn_blanks(struct sort *s, const struct sort_key *k, unsigned number)
{
	bool skips = is_numeric(k) || k->month;
	bool from_line = k->eword == 0 && k->echar != 0;
	bool zero = k->sword != SORT_NO_WORD && k->eword < k->sword;

	if (zero) {
		tsb_warn(s->p, "key %u has zero width and will be ignored", number);
		return;
	}
	if (k == &s->global || s->tab >= 0 || from_line)
		return;
	if ((!k->skip_start && !skips) || (!k->skip_start && k->schar) ||
	    (!k->skip_end && k->echar))
		tsb_warn(s->p, "leading blanks are significant in key %u; consider also "
			 "specifying 'b'", number);
}

struct spans {
	bool any, basic, general;
};

static void warn_span(struct sort *s, const struct sort_key *k, unsigned number,
		      struct spans *spans)
{
	size_t sword = k->sword + 1, eword = k->eword + 1;

	if (k == &s->global || !is_numeric(k))
		return;
	sword += !sword;
	if (eword && sword >= eword)
		return;
	tsb_warn(s->p, "key %u is numeric and spans multiple fields", number);
	if (k->general)
		spans->general = true;
	else
		spans->basic = true;
}

static void warn_separator(struct sort *s, const struct spans *spans)
{
	char tab[2] = { (char)s->tab, '\0' };
	const char *what = NULL;

	if (spans->basic || spans->general) {
		if (s->tab == '.')
			what = "decimal point";
		else if (s->tab == '-')
			what = "minus sign";
		else if (spans->general && s->tab == '+')
			what = "plus sign";
		if (what)
			tsb_warn(s->p, "field separator %s is treated as a %s in numbers",
				 quote_text(s->p, tab), what);
	}
	if (spans->any && !(what && what[0] != 'p' && what[0] != 'm'))
		tsb_warn(s->p, "%snumbers use %s as a decimal point in this locale",
			 s->tab == '.' ? "" : "note ", quote_text(s->p, "."));
}

static void warn_ignored(struct sort *s, struct sort_key unused)
{
	bool last_resort = sort_has_last_resort(s), reverse = unused.reverse;
	char opts[16];

	if (!last_resort && reverse && s->keys && s->keys != &s->global)
		last_resort = false;
	else if (last_resort)
		unused.reverse = false;
	sort_key_opts(&unused, opts);
	if (opts[0] && s->keys != &s->global)
		tsb_warn(s->p, opts[1] ? "options '-%s' are ignored" : "option '-%s' is ignored",
			 opts);
	if (reverse && sort_has_last_resort(s) && s->keys && s->keys != &s->global)
		tsb_warn(s->p, "option '-r' only applies to last-resort comparison");
}

static void drop_used(struct sort_key *unused, const struct sort_key *k)
{
	if (unused->ignore == k->ignore)
		unused->ignore = SORT_IGNORE_NONE;
	unused->fold &= !k->fold;
	unused->skip_start &= !k->skip_start;
	unused->skip_end &= !k->skip_end;
	unused->month &= !k->month;
	unused->numeric &= !k->numeric;
	unused->general &= !k->general;
	unused->human &= !k->human;
	unused->random &= !k->random;
	unused->version &= !k->version;
	unused->reverse &= !k->reverse;
}

static const char *collation(struct sort *s)
{
	static const char *const names[] = { "LC_ALL", "LC_COLLATE", "LANG" };

	for (size_t i = 0; i < 3; i++) {
		const char *v = tsb_getenv(s->p, names[i]);

		if (v && *v)
			return v;
	}
	return "C";
}

void sort_debug_warnings(struct sort *s)
{
	struct sort_key unused = s->global;
	struct spans spans = { false, false, false };
	const char *locale = collation(s);
	unsigned number = 1;

	if (!strcmp(locale, "C") || !strcmp(locale, "POSIX"))
		tsb_warn(s->p, "text ordering performed using simple byte comparison");
	else
		tsb_warn(s->p, "text ordering performed using %s sorting rules",
			 quote_text(s->p, locale));
	for (const struct sort_key *k = s->keys; k; k = k->next, number++) {
		if (k->obsolete)
			warn_obsolete(s, k);
		warn_blanks(s, k, number);
		spans.any |= is_numeric(k);
		warn_span(s, k, number, &spans);
		drop_used(&unused, k);
	}
	warn_separator(s, &spans);
	warn_ignored(s, unused);
}

/* ---- Lines ---- */

/* Columns; a tab, shown as ">", is one. */
static size_t columns(const char *at, size_t n)
{
	size_t tabs = 0;

	for (size_t i = 0; i < n; i++)
		tabs += at[i] == '\t';
	return utf8_columns(at, n) + tabs;
}

static void mark(struct sort *s, size_t offset, size_t width)
{
	while (offset--)
		sink_putc(&s->out, ' ');
	if (!width)
		sink_puts(&s->out, "^ no match for key");
	while (width--)
		sink_putc(&s->out, '_');
	sink_putc(&s->out, '\n');
}

static void mark_key(struct sort *s, const struct sort_key *k, const struct sort_line *line)
{
	struct sort_line t = sort_key_text(s, k, line);
	size_t skip = 0;

	if ((k->skip_start && k->sword == SORT_NO_WORD) || k->month || is_numeric(k)) {
		while (skip < t.n && s->blank[(unsigned char)t.at[skip]])
			skip++;
		if (k->month || is_numeric(k)) {
			size_t used = sort_number_length(s, k, &t);

			t.n = used > skip ? used : skip;
		}
	}
	t.at += skip;
	t.n -= skip;
	mark(s, columns(line->at, (size_t)(t.at - line->at)), columns(t.at, t.n));
}

void sort_debug_line(struct sort *s, const struct sort_line *line)
{
	for (size_t i = 0; i < line->n; i++)
		sink_putc(&s->out, line->at[i] == '\t' ? '>' : line->at[i]);
	sink_putc(&s->out, '\n');
	for (const struct sort_key *k = s->keys; k; k = k->next)
		mark_key(s, k, line);
	if (!s->keys || sort_has_last_resort(s))
		mark(s, 0, columns(line->at, line->n));
}
