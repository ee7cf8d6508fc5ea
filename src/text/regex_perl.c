/*
 * Perl's regular expressions (grep -P, rg) by PCRE2, behind the same calls. Its
 * memory comes from our heap, so that limits count it and a process that ends
 * takes it along. It runs interpreted: compiled code would need executable pages,
 * which hosts forbid. Its own match limit bounds the time of one line.
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "text/regex_impl.h"

#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>
#include <string.h>

#include "base/heap.h"
#include "base/str.h"

enum {
	PERL_NEST_MAX = 100,		/* groups in groups: the compiler recurses */
	PERL_MATCH_LIMIT = 10000000,	/* PCRE2's default, whatever the build says */
	PERL_HEAP_LIMIT = 65536,	/* KiB */
	PERL_LINE_TICK = 512,
	PERL_TRIES = 16			/* places to look at, one by one */
};

struct re_perl {
	pcre2_general_context *general;
	pcre2_match_context *limits;
	pcre2_match_data *data;
	pcre2_code *code;
	char *behind;			/* what a match must stand behind, or NULL */
	size_t behind_n;
};

static void *perl_alloc(PCRE2_SIZE n, void *heap)
{
	return heap_alloc(heap, n);
}

static void perl_free(void *p, void *heap)
{
	heap_free(heap, p);
}

/* The pattern as it is compiled: -x and -w put something around it. */
static void wrap_pattern(struct str *s, const char *pattern, size_t n, unsigned flags)
{
	if (flags & REGEX_LINE)
		str_adds(s, "^(?:");
	else if (flags & REGEX_WORD)
		str_adds(s, "(?<!\\w)(?:");
	str_addn(s, pattern, n);
	if (flags & REGEX_LINE)
		str_adds(s, ")$");
	else if (flags & REGEX_WORD)
		str_adds(s, ")(?!\\w)");
}

static uint32_t compile_options(unsigned flags)
{
	uint32_t options = 0;

	if (!(flags & REGEX_NEWLINE))
		options |= PCRE2_DOLLAR_ENDONLY;
	else
		options |= PCRE2_MULTILINE;
	if (flags & REGEX_UTF8)
		options |= PCRE2_UTF | PCRE2_MATCH_INVALID_UTF;
	if (flags & REGEX_ICASE)
		options |= PCRE2_CASELESS;
	if (flags & REGEX_UNICODE)
		options |= PCRE2_UCP;
	if (flags & REGEX_DOTALL)
		options |= PCRE2_DOTALL;
	return options;
}

static void perl_error(struct regex *re, int code, size_t at, const char **error)
{
	PCRE2_UCHAR text[256];
	int n = pcre2_get_error_message(code, text, sizeof(text));
	size_t before = re->flags & REGEX_LINE ? 4 : re->flags & REGEX_WORD ? 10 : 0;
	struct str s;

	if (!error)
		return;
	*error = n > 0 ? heap_dup(re->heap, text, (size_t)n) : "invalid pattern";
	if (!(re->flags & REGEX_PERL_PLACE))
		return;
	str_init(&s, re->heap, STR_MAX_DEFAULT);
	str_addf(&s, "at offset %zu: %s", at > before ? at - before : 0, *error);
	*error = str_take(&s, NULL);
}

/* Does | stand between whole patterns, for all that is known without parsing them? */
static bool has_choice(const char *s, size_t n)
{
	unsigned depth = 0;

	if (!memchr(s, '|', n))
		return false;
	for (size_t i = 0; i < n; i++) {
		if (s[i] == '[' || (s[i] == '\\' && i + 1 < n && s[i + 1] == 'Q'))
			return true;
		if (s[i] == '\\')
			i++;
		else if (s[i] == '|' && !depth)
			return true;
		else
			depth += s[i] == '(' ? 1u : s[i] == ')' ? -1u : 0u;
	}
	return false;
}

/* (?<=text) in front, which many write instead of \K: the interpreter would try it at
 * every place, where a search for the text does. */
static void find_behind(struct regex *re, const char *s, size_t n)
{
	struct re_perl *perl = re->perl;
	size_t i = 4, k = 0;
	char *text;

	if (n < 6 || memcmp(s, "(?<=", 4) != 0 || re->flags & (REGEX_ICASE | REGEX_LINE | REGEX_WORD))
		return;
	text = heap_alloc(re->heap, n);
	for (; i < n && !strchr("^$.[]|()?*+{}", s[i]) && s[i]; i++) {
		if (s[i] == '\\' && (++i == n || !s[i] || !strchr("^$.[]|()?*+{}\\/\"'-:=<>", s[i])))
			break;
		text[k++] = s[i];
	}
	if (k && i < n && s[i] == ')' && s[i - 1] != '\\' &&
	    (i + 1 == n || !strchr("?*+{", s[i + 1])) && !has_choice(s + i + 1, n - i - 1)) {
		perl->behind = text;
		perl->behind_n = k;
		return;
	}
	heap_free(re->heap, text);
}

bool re_perl_compile(struct regex *re, const char *pattern, size_t n, const char **error)
{
	struct re_perl *perl = heap_zalloc(re->heap, sizeof(*perl));
	pcre2_compile_context *context;
	struct str s;
	PCRE2_SIZE at;
	int code;

	re->perl = perl;
	perl->general = pcre2_general_context_create(perl_alloc, perl_free, re->heap);
	perl->limits = pcre2_match_context_create(perl->general);
	pcre2_set_match_limit(perl->limits, PERL_MATCH_LIMIT);
	pcre2_set_heap_limit(perl->limits, PERL_HEAP_LIMIT);
	context = pcre2_compile_context_create(perl->general);
	pcre2_set_parens_nest_limit(context, PERL_NEST_MAX);
	/* Where lines end with NUL, "." and (?m) still mean "\n", as in GNU's grep. */
	pcre2_set_newline(context, PCRE2_NEWLINE_LF);
	str_init(&s, re->heap, STR_MAX_DEFAULT);
	wrap_pattern(&s, pattern, n, re->flags);
	perl->code = pcre2_compile((PCRE2_SPTR)(s.n ? s.p : ""), s.n, compile_options(re->flags),
				   &code, &at, context);
	str_end(&s);
	pcre2_compile_context_free(context);
	if (!perl->code) {
		perl_error(re, code, at, error);
		return false;
	}
	perl->data = pcre2_match_data_create_from_pattern(perl->code, perl->general);
	re->groups = pcre2_get_ovector_count(perl->data) - 1;
	find_behind(re, pattern, n);
	return true;
}

void re_perl_free(struct regex *re)
{
	struct re_perl *perl = re->perl;

	if (!perl)
		return;
	pcre2_match_data_free(perl->data);
	pcre2_code_free(perl->code);
	pcre2_match_context_free(perl->limits);
	pcre2_general_context_free(perl->general);
	heap_free(re->heap, perl->behind);
	heap_free(re->heap, perl);
}

static int run(struct re_perl *perl, const struct re_text *t, size_t from, uint32_t options)
{
	return pcre2_match(perl->code, (PCRE2_SPTR)(t->p ? t->p : ""), t->n, from, options,
			   perl->data, perl->limits);
}

static int run_behind(struct re_perl *perl, const struct re_text *t, size_t from, uint32_t options)
{
	size_t n = perl->behind_n, at = from > n ? from - n : 0;

	for (unsigned tries = 0; tries < PERL_TRIES; tries++) {
		const char *found = t->n - at < n ? NULL : memmem(t->p + at, t->n - at, perl->behind, n);
		int r;

		if (!found)
			return PCRE2_ERROR_NOMATCH;
		at = (size_t)(found - t->p);
		r = run(perl, t, at + n, options | PCRE2_ANCHORED);
		if (r != PCRE2_ERROR_NOMATCH)
			return r;
		at++;
	}
	/* Each try looks at all that is left: no more of them. */
	return run(perl, t, at > from ? at : from, options);
}

enum regex_status re_perl_match(struct regex *re, const struct re_text *t, size_t from,
				struct regex_span *spans, size_t n_spans)
{
	struct re_perl *perl = re->perl;
	uint32_t options = (t->flags & REGEX_NOTBOL ? PCRE2_NOTBOL : 0u) |
			   (t->flags & REGEX_NOTEOL ? PCRE2_NOTEOL : 0u);
	int r = perl->behind ? run_behind(perl, t, from, options) : run(perl, t, from, options);
	PCRE2_SIZE *at;

	if (r < 0) {
		re_tick(re, r == PCRE2_ERROR_NOMATCH ? t->n - from : PERL_MATCH_LIMIT);
		return r == PCRE2_ERROR_NOMATCH ? REGEX_NOMATCH : REGEX_BUDGET;
	}
	at = pcre2_get_ovector_pointer(perl->data);
	re_tick(re, at[1] > from ? at[1] - from : 1);
	for (size_t i = 0; i < n_spans; i++) {
		bool set = i <= re->groups && at[2 * i] != PCRE2_UNSET;

		spans[i].so = set ? at[2 * i] : REGEX_NONE;
		spans[i].eo = set ? at[2 * i + 1] : REGEX_NONE;
		if (set && spans[i].so > spans[i].eo)	/* \K in a look-ahead */
			spans[i].so = spans[i].eo;
	}
	return REGEX_MATCH;
}

enum regex_status re_perl_lines(struct regex *re, const char *text, size_t n, int eol, size_t *line,
				size_t *line_end)
{
	for (size_t at = 0; at < n; at = *line_end + 1) {
		const char *end = memchr(text + at, eol, n - at);
		struct re_text t = { text + at, end ? (size_t)(end - text) - at : n - at, 0 };
		enum regex_status r = re_perl_match(re, &t, 0, NULL, 0);

		*line = at;
		*line_end = at + t.n;
		if (r != REGEX_NOMATCH)
			return r;
		re_tick(re, PERL_LINE_TICK);
	}
	return REGEX_NOMATCH;
}

size_t regex_group_named(const struct regex *re, const char *name, size_t n)
{
	char z[128];
	int number;

	if (!re->perl || n >= sizeof(z))
		return REGEX_NONE;
	memcpy(z, name, n);
	z[n] = '\0';
	number = pcre2_substring_number_from_name(re->perl->code, (PCRE2_SPTR)z);
	return number > 0 ? (size_t)number : REGEX_NONE;
}
