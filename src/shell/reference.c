/*
 * "x" and "a[i]" as text: what read, printf -v, getopts, declare "$x" and others
 * are given. The subscript is parsed when it is used.
 */
#include "shell/doing.h"

#include <string.h>

#include "lang/arith.h"
#include "shell/words.h"

bool text_is_name(const char *s)
{
	return parse_is_name(s, strlen(s));
}

/* Length of the name before [subscript], n without one; 0: not a reference. */
static size_t reference_name(const char *s, size_t n)
{
	struct slice base;
	struct sub sub;

	return name_split(s, n, &base, &sub) ? base.n : 0;
}

bool reference_valid(const char *s, size_t n)
{
	return n && reference_name(s, n) > 0;
}

/* assoc_expand_once: what stands in brackets is the key of an associative array as it is.
 * The length of the name; 0: it is no such reference. */
static size_t literal_name(struct shell *sh, const char *s, size_t n)
{
	const char *open = sh->opts[SHOPT_ASSOC_EXPAND_ONCE] ? memchr(s, '[', n) : NULL;
	size_t at = open ? (size_t)(open - s) : 0, depth = 0;
	const struct var *v = at && n > at + 2 ? var_find_text(sh, s, at) : NULL;

	if (!v || !(v->flags & VAR_ASSOC))
		return 0;
	for (size_t i = at; i < n; i++) {
		depth += s[i] == '[';
		depth -= s[i] == ']';
		if (!depth)
			return i + 1 == n ? at : 0;
	}
	return 0;
}

bool reference_usable(struct shell *sh, const char *s, size_t n)
{
	return reference_valid(s, n) || literal_name(sh, s, n) > 0;
}

/* The key as a word that expands to itself. */
static char *quoted_key(struct shell *sh, const char *key, size_t n, size_t *len)
{
	struct str t;
	char *out;

	str_init(&t, sh->heap, STR_MAX_DEFAULT);
	str_addc(&t, '\'');
	for (size_t i = 0; i < n; i++)
		if (key[i] == '\'')
			str_adds(&t, "'\\''");
		else
			str_addc(&t, key[i]);
	str_addc(&t, '\'');
	*len = t.n;
	out = arena_dup(&sh->turn, t.p, t.n);
	str_end(&t);
	return out;
}

static bool is_number(const char *s, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (s[i] < '0' || s[i] > '9')
			return false;
	return n > 0;
}

/* Element of an array: the subscript as word and as arithmetic. */
static int set_element(struct shell *sh, const struct name *name, const char *sub, size_t sub_n,
		       const char *value, size_t n, bool append)
{
	struct parse_options opt = shell_parse_options(sh, "subscript", sh->line);
	struct parse_error err = { .line = 0 };
	struct script *owner = NULL;
	struct word *w;
	int status = 1;

	if (is_number(sub, sub_n)) {	/* the usual one means itself */
		struct sub plain = { SUBSCRIPT_EXPR, NULL, { sub, sub_n } };

		return var_set_sub(sh, name, &plain, value, n, append);
	}
	str_init(&err.message, sh->heap, STR_MAX_DEFAULT);
	str_init(&err.detail, sh->heap, STR_MAX_DEFAULT);
	w = parse_word_text(sh->heap, sub, sub_n, false, &opt, &owner, &err);
	if (w) {
		bool all = sub_n == 1 && (*sub == '@' || *sub == '*');
		struct subscript s = { .kind = !all ? SUBSCRIPT_EXPR : *sub == '@' ? SUBSCRIPT_AT :
				       SUBSCRIPT_STAR, .word = w };

		status = var_set_element(sh, name, &s, value, n, append);
	} else {
		shell_error(sh, "%.*s[%.*s]: bad array subscript", (int)name->n, name->s,
			    (int)sub_n, sub);
	}
	if (owner)
		script_drop(owner);
	str_end(&err.message);
	str_end(&err.detail);
	return status;
}

bool var_get_reference(struct shell *sh, const char *ref, size_t n, struct slice *value)
{
	struct str text;
	enum flow f;

	if (!memchr(ref, '[', n))
		return var_get_text(sh, arena_dup(&sh->turn, ref, n), value);
	str_init(&text, sh->heap, STR_MAX_DEFAULT);
	str_addf(&text, "${%.*s}", (int)n, ref);
	f = expand_text(sh, text.p, text.n, value);
	str_end(&text);
	return f == FLOW_NEXT && value->n;
}

int var_set_reference(struct shell *sh, const char *ref, size_t ref_n, const char *value, size_t n,
		      bool append)
{
	size_t literal = literal_name(sh, ref, ref_n);
	size_t len = literal ? literal : reference_name(ref, ref_n);
	struct name name = { .s = ref, .n = (uint32_t)len };

	if (!len) {
		builtin_error(sh, "`%.*s': not a valid identifier", (int)ref_n, ref);
		return 1;
	}
	name.s = arena_dup(&sh->turn, ref, len);
	name.hash = map_hash(name.s, len);
	if (len == ref_n)
		return append ? var_append(sh, &name, value, n) : var_set(sh, &name, value, n);
	if (literal) {
		size_t key_n;
		char *key = quoted_key(sh, ref + len + 1, ref_n - len - 2, &key_n);

		return set_element(sh, &name, key, key_n, value, n, append);
	}
	return set_element(sh, &name, arena_dup(&sh->turn, ref + len + 1, ref_n - len - 2),
			   ref_n - len - 2, value, n, append);
}
