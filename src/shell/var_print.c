/*
 * Variables as text: for declare -p, set and ${x@A}.
 */
#include <string.h>

#include "base/merge.h"
#include "base/utf8.h"
#include "kernel/kernel.h"
#include "lang/print.h"
#include "shell/words.h"

void var_attributes(struct str *out, const struct var *v)
{
	static const struct {
		uint32_t flag;
		char letter;
	} letters[] = {
		{ VAR_INDEXED, 'a' }, { VAR_ASSOC, 'A' }, { VAR_INTEGER, 'i' }, { VAR_NAMEREF, 'n' },
		{ VAR_READONLY, 'r' }, { VAR_TRACE, 't' }, { VAR_EXPORT, 'x' },
		{ VAR_CAPITAL, 'c' }, { VAR_LOWER, 'l' }, { VAR_UPPER, 'u' }
	};

	for (size_t i = 0; i < sizeof(letters) / sizeof(letters[0]); i++)
		if (v->flags & letters[i].flag)
			str_addc(out, letters[i].letter);
}

static void print_attributes(struct str *out, const struct var *v)
{
	size_t n = out->n;

	var_attributes(out, v);
	if (out->n == n)
		str_addc(out, '-');
}

bool quote_needs_ansi(const char *p, size_t n)
{
	for (size_t i = 0; i < n;) {
		int32_t c;

		i += utf8_decode(p + i, n - i, &c);
		if (c < 0 || !utf8_print(c))
			return true;
	}
	return false;
}

void var_quote_key(struct str *out, const char *p, size_t n)
{
	if (quote_needs_ansi(p, n))
		quote_ansi(out, p, n);
	else if (quote_has_meta(p, n) || (n == 1 && (*p == '@' || *p == '*')))
		quote_double(out, p, n);
	else
		str_addn(out, p, n);
}

static void print_indexed(struct str *out, const struct array *a)
{
	struct slice value;
	bool first = true;

	str_addc(out, '(');
	for (int64_t i = -1; array_next(a, &i, &value); first = false) {
		str_addf(out, "%s[%lld]=", first ? "" : " ", (long long)i);
		quote_double(out, value.p, value.n);
	}
	str_addc(out, ')');
}

static void print_assoc(struct str *out, const struct assoc *a)
{
	struct slice key, value;

	str_addc(out, '(');
	for (void *at = NULL; assoc_next(a, &at, &key, &value);) {
		str_addc(out, '[');
		var_quote_key(out, key.p, key.n);
		str_adds(out, "]=");
		quote_double(out, value.p, value.n);
		str_addc(out, ' ');
	}
	str_addc(out, ')');
}

static bool print_array(struct shell *sh, struct var *v, struct str *out)
{
	var_refresh(sh, v);
	if (!(v->flags & VAR_SET))
		return false;
	str_addc(out, '=');
	if (v->flags & VAR_INDEXED)
		print_indexed(out, v->array);
	else
		print_assoc(out, v->assoc);
	return true;
}

void var_print(struct shell *sh, const struct var *cv, struct str *out)
{
	struct var *v = (struct var *)(uintptr_t)cv;
	struct slice value;

	if (v->special == SP_SECONDS)	/* reading it makes it an integer */
		var_refresh(sh, v);
	str_adds(out, "declare -");
	print_attributes(out, v);
	str_addf(out, " %s", v->name);
	if (v->flags & (VAR_INDEXED | VAR_ASSOC)) {
		print_array(sh, v, out);
	} else if (var_text(sh, v, &value)) {
		str_addc(out, '=');
		quote_double(out, value.p, value.n);
	}
}

void var_print_plain(struct shell *sh, const struct var *cv, struct str *out)
{
	struct var *v = (struct var *)(uintptr_t)cv;
	struct slice value;

	str_adds(out, v->name);
	if (v->flags & (VAR_INDEXED | VAR_ASSOC)) {
		print_array(sh, v, out);
	} else if (var_text(sh, v, &value)) {
		str_addc(out, '=');
		if (sh->opts[OPT_POSIX] && quote_needs_ansi(value.p, value.n) &&
		    quote_has_meta(value.p, value.n))
			quote_single(out, value.p, value.n);
		else if (sh->opts[OPT_POSIX] && quote_needs_ansi(value.p, value.n))
			str_addslice(out, value);
		else
			quote_set(out, value.p, value.n);
	}
}

/* ---- Lists ---- */

static bool var_before(void *ctx, const void *a, const void *b)
{
	(void)ctx;
	return strcmp((*(struct var *const *)a)->name, (*(struct var *const *)b)->name) < 0;
}

struct var **var_sorted(struct shell *sh, uint32_t with_flags)
{
	struct var **list;
	size_t n = 0;

	special_make_all(sh);
	list = heap_array(sh->heap, sh->vars.n * 2 + 1, sizeof(struct var *));
	for (struct map_entry *e = NULL; (e = map_next(&sh->vars, e));) {
		struct var *v = e->value;

		if (v && (v->flags & with_flags) == with_flags)
			list[n++] = v;
	}
	merge_sort(list, list + n, n, sizeof(*list), var_before, NULL);
	list[n] = NULL;
	return list;
}

void var_print_all(struct shell *sh, struct str *out)
{
	struct var **all = var_sorted(sh, 0);

	words_of(sh)->listing = true;
	for (size_t i = 0; all[i]; i++) {
		if (!(all[i]->flags & VAR_SET))
			continue;
		var_print_plain(sh, all[i], out);
		str_addc(out, '\n');
	}
	words_of(sh)->listing = false;
	heap_free(sh->heap, all);
}
