/*
 * --lint-old: warnings of what the awk of 1978 did not have. They look at the words of
 * the program, in their order.
 */
#include "cmd/awk/parse.h"

static bool old_first(struct awk *a, const char *word)
{
	char *key = tsb_format(a->p, "old %s", word);
	struct map_entry *e = map_put(&a->lint_words, key, strlen(key));
	bool first = !e->value;

	e->value = a;
	tsb_free(a->p, key);
	return first;
}

/* Each of these is told of once. */
static void old_word(struct awk *a, const struct token *t)
{
	static const char words[] =
		" atan2 close cos delete do func function getline gsub match rand return sin srand sub system"
		" tolower toupper ";
	bool power = t->type == T_POW || t->type == T_POW_EQ;
	char *word = tsb_format(a->p, " %.*s ", (int)(t->end - t->at), t->text + t->at);

	if (power || strstr(words, word)) {
		word[t->end - t->at + 1] = '\0';
		if (old_first(a, word + 1))
			ak_lint(a, power ? "operator `%s' is not supported in old awk" :
				"`%s' is not supported in old awk", word + 1);
	}
	tsb_free(a->p, word);
}

/* for (NAME in NAME) is the only place that it had. */
static bool in_for(const struct parser *ps, size_t i)
{
	const struct token *t = ps->tokens.at + i;

	return i >= 3 && t[-1].type == T_NAME && t[-2].type == '(' && t[-3].type == T_FOR &&
	       i + 2 < ps->tokens.n && t[1].type == T_NAME && t[2].type == ')';
}

/* (i, j) in a: is there a comma of that parenthesis? */
static bool has_comma(const struct parser *ps, size_t i)
{
	size_t depth = 0;

	if (!i || ps->tokens.at[i - 1].type != ')')
		return false;
	while (i--) {
		int type = ps->tokens.at[i].type;

		tsb_tick(ps->a->p, 1);
		depth += type == ')';
		if (type == '(' && --depth == 0)
			return false;
		if (type == ',' && depth == 1)
			return true;
	}
	return false;
}

void ak_lint_old(struct parser *ps)
{
	struct awk *a = ps->a;

	for (size_t i = 0; i < ps->tokens.n; i++) {
		const struct token *t = &ps->tokens.at[i];

		a->line = t->line;
		a->source = t->source;
		if (t->type == T_IN && !in_for(ps, i)) {
			ak_lint(a, "old awk does not support the keyword `in' except after `for'");
			if (has_comma(ps, i))
				ak_lint(a, "old awk does not support multidimensional arrays");
		}
		if (t->type == T_BUILTIN || (t->type >= T_FUNCTION && t->type <= T_GETLINE) ||
		    t->type == T_POW || t->type == T_POW_EQ)
			old_word(a, t);
	}
}
