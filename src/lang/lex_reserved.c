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

/* Where in the table those with this first character are, from 1 on. */
static const unsigned char first_of[256] = {
	['!'] = 1, ['['] = 2, [']'] = 3, ['c'] = 4, ['d'] = 6, ['e'] = 8, ['f'] = 11, ['i'] = 14,
	['s'] = 16, ['t'] = 17, ['u'] = 19, ['w'] = 20, ['{'] = 21, ['}'] = 22
};

static enum reserved reserved_find(const char *s, size_t n)
{
	size_t i = first_of[(unsigned char)s[0]];

	if (!i || n > 8)
		return R_NONE;
	for (i--; i < sizeof(reserved_words) / sizeof(*reserved_words); i++) {
		const char *word = reserved_words[i].word;

		if (word[0] != s[0])
			break;
		if (word[n] == '\0' && word[n - 1] == s[n - 1] && memcmp(word, s, n) == 0)
			return reserved_words[i].r;
	}
	return R_NONE;
}

enum reserved lex_reserved(const struct word *w)
{
	struct slice t = w->text;

	return w->flags & WORD_LITERAL && t.n ? reserved_find(t.p, t.n) : R_NONE;
}

bool parse_is_reserved(const char *s, size_t n)
{
	return n && reserved_find(s, n) != R_NONE;
}
