/*
 * The reserved words, found by their first character: most words are not even
 * compared with one.
 */
#include "lang/parser.h"

static const struct reserved_word {
	char word[10];
	enum reserved r;
} reserved_words[] = {
	{ "!", R_BANG }, { "[[", R_COND }, { "]]", R_COND_END },
	{ "case", R_CASE }, { "coproc", R_COPROC }, { "do", R_DO }, { "done", R_DONE },
	{ "elif", R_ELIF }, { "else", R_ELSE }, { "esac", R_ESAC },
	{ "fi", R_FI }, { "for", R_FOR }, { "function", R_FUNCTION },
	{ "if", R_IF }, { "in", R_IN }, { "select", R_SELECT },
	{ "then", R_THEN }, { "time", R_TIME }, { "until", R_UNTIL }, { "while", R_WHILE },
	{ "{", R_GROUP }, { "}", R_GROUP_END }
};

static enum reserved reserved_find(const char *s, size_t n)
{
	size_t i = 0, end = sizeof(reserved_words) / sizeof(*reserved_words);

	if (n - 1 >= 8)
		return R_NONE;
	while (i < end && reserved_words[i].word[0] < s[0])
		i++;
	for (; i < end && reserved_words[i].word[0] == s[0]; i++) {
		const char *word = reserved_words[i].word;

		if (word[n] == '\0' && memcmp(word, s, n) == 0)
			return reserved_words[i].r;
	}
	return R_NONE;
}

enum reserved lex_reserved(const struct word *w)
{
	/* Letters no reserved word begins with, and all that is not ASCII. */
	static const char first[] = "!cdefistuw[]{}";
	struct slice t = w->text;

	if (!(w->flags & WORD_LITERAL) || t.n > 8 || !t.n ||
	    !memchr(first, t.p[0], sizeof(first) - 1))
		return R_NONE;
	return reserved_find(t.p, t.n);
}

bool parse_is_reserved(const char *s, size_t n)
{
	return reserved_find(s, n) != R_NONE;
}
