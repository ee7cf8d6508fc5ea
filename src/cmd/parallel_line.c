/*
 * Command lines out of parallel's template: {} {.} {/} {//} {/.} {#} {%} and the
 * same with the number or the name of a column.
 */
#include "cmd/parallel.h"

#include <stdlib.h>
#include <string.h>

#include "cmd/util.h"

/* As a shell needs it: 'a b'. */
static void par_quote(struct str *out, const char *s)
{
	static const char safe[] = "-_.+/abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789";

	if (*s && !s[strspn(s, safe)]) {
		str_adds(out, s);
		return;
	}
	str_addc(out, '\'');
	while (*s) {
		size_t n = strcspn(s, "'"), quotes = strspn(s + n, "'");

		str_addn(out, s, n);
		if (quotes) {
			str_adds(out, "'\"");
			str_addn(out, s + n, quotes);
			str_adds(out, "\"'");
		}
		s += n + quotes;
	}
	str_addc(out, '\'');
}

/* ---- One replacement ---- */

struct par_place {
	size_t column;		/* 0: all */
	char what;		/* 0 . / d(irname) b(ase without suffix) # % e(very suffix) */
};

static const char *par_base(const char *s)
{
	const char *slash = strrchr(s, '/');

	return slash ? slash + 1 : s;
}

static size_t par_without_suffix(const char *s)
{
	const char *dot = strrchr(par_base(s), '.');

	return dot ? (size_t)(dot - s) : strlen(s);
}

static char *par_value(struct par *r, const char *s, char what)
{
	const char *base = par_base(s);

	switch (what) {
	case '.':
		return tsb_strndup(r->p, s, par_without_suffix(s));
	case '/':
		return tsb_strdup(r->p, base);
	case 'b':
		return tsb_strndup(r->p, base, par_without_suffix(base));
	case 'd':
		if (base == s)
			return tsb_strdup(r->p, ".");
		return base == s + 1 ? tsb_strdup(r->p, "/") :
		       tsb_strndup(r->p, s, (size_t)(base - s) - 1);
	default:
		return tsb_strdup(r->p, s);
	}
}

/* What is behind the column's number, up to the brace; -1: no replacement. */
static int par_what(const char *s, size_t n)
{
	static const struct { const char *text; char what; } kinds[] = {
		{ "", 0 }, { ".", '.' }, { "/", '/' }, { "//", 'd' }, { "/.", 'b' },
	};

	for (size_t i = 0; i < sizeof(kinds) / sizeof(*kinds); i++)
		if (strlen(kinds[i].text) == n && !strncmp(kinds[i].text, s, n))
			return (unsigned char)kinds[i].what;
	return -1;
}

/* A replacement string at s: its length, or 0. */
static size_t par_place(const struct par *r, const char *s, struct par_place *place)
{
	size_t own = r->replace ? strlen(r->replace) : 0, n, digits;
	int what;

	*place = (struct par_place){ 0, 0 };
	if (own && !strncmp(s, r->replace, own))
		return own;
	if (s[0] != '{' || (own && !strncmp(s, "{}", 2)))
		return 0;
	n = strcspn(s, "}");
	if (!s[n])
		return 0;
	if (n == 2 && (s[1] == '#' || s[1] == '%')) {
		place->what = s[1];
		return n + 1;
	}
	digits = strspn(s + 1, "0123456789");
	if (digits && digits < 9) {
		place->column = strtoul(s + 1, NULL, 10);
		what = par_what(s + 1 + digits, n - 1 - digits);
		place->what = (char)what;
		return what < 0 || !place->column ? 0 : n + 1;
	}
	for (size_t i = 0; i < r->n_names; i++) {
		size_t len = strlen(r->names[i]);

		if (len && len <= n - 1 && !strncmp(s + 1, r->names[i], len) &&
		    (what = par_what(s + 1 + len, n - 1 - len)) >= 0) {
			*place = (struct par_place){ i + 1, (char)what };
			return n + 1;
		}
	}
	what = par_what(s + 1, n - 1);
	place->what = (char)what;
	return what < 0 ? 0 : n + 1;
}

/* ---- A template ---- */

static void par_add_value(struct par *r, struct str *out, const char *value, char what, bool quote)
{
	char *text = par_value(r, value, what);

	if (quote && !r->is_command)
		par_quote(out, text);
	else
		str_adds(out, text);
	tsb_free(r->p, text);
}

/* All columns of a record, as {} shows them. */
static void par_add_record(struct par *r, struct str *out, const struct par_record *rec, char what,
			   bool quote)
{
	for (size_t i = 0; i < rec->n; i++) {
		if (i)
			str_addc(out, ' ');
		par_add_value(r, out, rec->column[i], what, quote);
	}
}

static void par_add_place(struct par *r, struct str *out, const struct par_job *job,
			  const struct par_place *place, bool quote)
{
	if (place->what == '#') {
		str_addf(out, "%zu", job->seq);
		return;
	}
	if (place->what == '%') {
		str_addf(out, "%d", job->slot);
		return;
	}
	if (place->column) {
		size_t c = place->column - 1;

		/* Of several one-column records, {2} is the second. */
		if (r->positional && job->n_records && job->records[0].n == 1) {
			if (c < job->n_records)
				par_add_value(r, out, job->records[c].column[0], place->what, quote);
		} else if (job->n_records && c < job->records[0].n) {
			par_add_value(r, out, job->records[0].column[c], place->what, quote);
		}
		return;
	}
	for (size_t i = 0; i < job->n_records; i++) {
		if (i)
			str_addc(out, ' ');
		par_add_record(r, out, &job->records[i], place->what, quote);
	}
}

char *par_fill(struct par *r, const struct par_job *job, const char *template, bool quote)
{
	struct par_place place;
	struct str out;

	str_init(&out, tsb_heap_of(r->p), STR_MAX_DEFAULT);
	while (*template) {
		size_t n = par_place(r, template, &place);

		if (n)
			par_add_place(r, &out, job, &place, quote);
		else
			str_addc(&out, *template);
		template += n ? n : 1;
	}
	return str_take(&out, NULL);
}

void par_quote_word(struct par *r, struct str *out, const char *word)
{
	struct par_place place;
	struct str plain;

	str_init(&plain, tsb_heap_of(r->p), STR_MAX_DEFAULT);
	if (!*word)
		str_adds(out, "''");
	while (*word) {
		size_t n = par_place(r, word, &place);

		if (!n) {
			str_addc(&plain, *word++);
			if (*word)
				continue;
		}
		if (plain.n)
			par_quote(out, plain.p);
		str_reset(&plain);
		str_addn(out, word, n);
		word += n;
	}
	str_end(&plain);
}

/* -X: a word with a replacement is repeated for each record. */
static char *par_fill_context(struct par *r, const struct par_job *job, const char *template)
{
	struct par_place place;
	struct str out;

	str_init(&out, tsb_heap_of(r->p), STR_MAX_DEFAULT);
	while (*template) {
		size_t n = strcspn(template, " "), at = 0;
		char *word = tsb_strndup(r->p, template, n);

		while (at < n && !par_place(r, word + at, &place))
			at++;
		for (size_t i = 0; i < (at < n ? job->n_records : 1); i++) {
			struct par_job one = *job;

			one.records = job->records + (at < n ? i : 0);
			one.n_records = at < n ? 1 : job->n_records;
			if (i)
				str_addc(&out, ' ');
			str_adds(&out, par_fill(r, &one, word, true));
		}
		template += n;
		for (; *template == ' '; template++)
			str_addc(&out, ' ');
	}
	return str_take(&out, NULL);
}

void par_make_line(struct par *r, struct par_job *job)
{
	job->command = r->context && job->n_records > 1 ? par_fill_context(r, job, r->template) :
		       par_fill(r, job, r->template, true);
	if (r->tagstring)
		job->tag = par_fill(r, job, r->tagstring, false);
	else if (r->tag)
		job->tag = par_fill(r, job, r->replace ? r->replace : "{}", false);
}
