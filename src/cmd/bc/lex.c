/*
 * bc's scanner: the longest token at the place, as a table-driven scanner takes it.
 */
#include <string.h>

#include "cmd/bc/bc.h"
#include "cmd/bc/tables.h"

static bool is_digit(int ch)
{
	return (ch >= '0' && ch <= '9') || (ch >= 'A' && ch <= 'Z');
}

static bool is_name(int ch, bool first)
{
	return (ch >= 'a' && ch <= 'z') || (!first && ((ch >= '0' && ch <= '9') || ch == '_'));
}

/* number: the variable, or the letter of the function. */
static const struct {
	const char *word;
	int token;
	int number;
} words[] = {
	{ "auto", BC_TOKEN_AUTO, 0 },
	{ "break", BC_TOKEN_BREAK, 0 },
	{ "continue", BC_TOKEN_CONTINUE, 0 },
	{ "define", BC_TOKEN_DEFINE, 0 },
	{ "else", BC_TOKEN_ELSE, 0 },
	{ "for", BC_TOKEN_FOR, 0 },
	{ "halt", BC_TOKEN_HALT, 0 },
	{ "history", BC_TOKEN_HISTORY, BC_HISTORY },
	{ "ibase", BC_TOKEN_IBASE, BC_IBASE },
	{ "if", BC_TOKEN_IF, 0 },
	{ "last", BC_TOKEN_LAST, BC_LAST },
	{ "length", BC_TOKEN_LENGTH, 'L' },
	{ "limits", BC_TOKEN_LIMITS, 0 },
	{ "obase", BC_TOKEN_OBASE, BC_OBASE },
	{ "print", BC_TOKEN_PRINT, 0 },
	{ "quit", BC_TOKEN_QUIT, 0 },
	{ "random", BC_TOKEN_RANDOM, 0 },
	{ "read", BC_TOKEN_READ, 0 },
	{ "return", BC_TOKEN_RETURN, 0 },
	{ "scale", BC_TOKEN_SCALE, 'S' },
	{ "sqrt", BC_TOKEN_SQRT, 'R' },
	{ "void", BC_TOKEN_VOID, 0 },
	{ "warranty", BC_TOKEN_WARRANTY, 0 },
	{ "while", BC_TOKEN_WHILE, 0 },
};

/* The next n bytes as a string. */
static char *piece_of(struct bc *b, size_t n)
{
	return memcpy(bc_piece(b, n + 1), b->text.p + b->text_at, n);
}

static int lex_name(struct bc *b)
{
	size_t n = 1;
	char *s;

	while (is_name(bcl_peek(b, n), false))
		n++;
	s = piece_of(b, n);
	bcl_skip(b, n);
	for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++)
		if (*words[i].word == *s && !strcmp(words[i].word, s)) {
			b->value.number = words[i].number;
			return words[i].token;
		}
	b->value.text = s;
	return BC_TOKEN_NAME;
}

/* The length of digits and quoted newlines from n on. */
static size_t digits_from(struct bc *b, size_t n)
{
	for (;;) {
		if (is_digit(bcl_peek(b, n)))
			n++;
		else if (bcl_peek(b, n) == '\\' && bcl_peek(b, n + 1) == '\n')
			n += 2;
		else
			return n;
	}
}

/* A number begins here: its length; 0: a point alone. */
static size_t number_length(struct bc *b)
{
	size_t n = digits_from(b, 0), end;

	if (bcl_peek(b, n) != '.')
		return n;
	end = digits_from(b, n + 1);
	for (size_t i = n + 1; !n && i < end; i++)
		if (is_digit(bcl_peek(b, i)))
			return end;
	return n ? end : 0;
}

/* Without zeros in front and a point at the end. */
static int lex_number(struct bc *b, size_t n)
{
	const char *from = b->text.p + b->text_at, *end = from + n;
	char *s = bc_piece(b, n + 1), *to = s;

	while (from < end - 1 && *from == '0' && from[1] != '.')
		from++;
	if (from < end - 2 && *from == '0')
		from++;
	for (; from < end; from++) {
		if (*from != '\\') {
			*to++ = *from;
			continue;
		}
		from++;
		b->line++;
	}
	if (to > s + 1 && to[-1] == '.')
		to--;
	*to = '\0';
	b->value.text = s;
	bcl_skip(b, n);
	return BC_TOKEN_NUMBER;
}

static void illegal(struct bc *b)
{
	int ch = bcl_peek(b, 0);

	bcl_skip(b, 1);
	if (ch < ' ')
		bc_error(b, "illegal character: ^%c", ch + '@');
	else if (ch > '~')
		bc_error(b, "illegal character: \\%03o", (unsigned)ch);
	else
		bc_error(b, "illegal character: %c", ch);
}

/* 0: it has no end, and the quote is an illegal character. */
static int lex_string(struct bc *b)
{
	size_t n = 1;
	int ch;

	while ((ch = bcl_peek(b, n)) >= 0 && ch != '"') {
		n++;
		if (n % 4096 == 0)
			tsb_tick(b->p, 1);
	}
	if (ch < 0) {
		illegal(b);
		return 0;
	}
	b->value.text = piece_of(b, n + 1);
	if (strlen(b->value.text) != n + 1)
		bc_error(b, "NUL character in string.");
	for (const char *s = b->value.text; *s; s++)
		b->line += *s == '\n';
	bcl_skip(b, n + 1);
	return BC_TOKEN_STRING;
}

static void skip_comment(struct bc *b)
{
	bool star = false;

	bcl_skip(b, 2);
	for (;;) {
		int ch = bcl_peek(b, 0);

		if (ch < 0) {
			static const char text[] = "EOF encountered in a comment.\n";

			tsb_write_all(b->p, 2, text, sizeof(text) - 1);
			return;
		}
		bcl_skip(b, 1);
		if (star && ch == '/')
			return;
		star = ch == '*';
		b->line += ch == '\n';
	}
}

static const char operators[] = "+-*/%^=<>!&|;(){}[],";

/* What comes before "=" decides; the longest is two characters. */
static int two_characters(struct bc *b, int ch, int next)
{
	if (next == '=' && strchr("+-*/%^", ch)) {
		b->value.number = ch;
		return BC_TOKEN_ASSIGN;
	}
	if (next == '=' && strchr("=<>!", ch)) {
		b->value.number = ch == '=' ? '=' : ch == '!' ? '#' : ch == '<' ? '{' : '}';
		return BC_TOKEN_REL;
	}
	if (ch == next && (ch == '+' || ch == '-')) {
		b->value.number = ch;
		return BC_TOKEN_INCR;
	}
	if (ch == next && ch == '&')
		return BC_TOKEN_AND;
	if (ch == next && ch == '|')
		return BC_TOKEN_OR;
	return 0;
}

static int one_character(struct bc *b, int ch)
{
	static const int tokens[] = {
		BC_TOKEN_PLUS, BC_TOKEN_MINUS, BC_TOKEN_TIMES, BC_TOKEN_SLASH, BC_TOKEN_PERCENT,
		BC_TOKEN_POWER, BC_TOKEN_ASSIGN, BC_TOKEN_REL, BC_TOKEN_REL, BC_TOKEN_NOT,
		BC_TOKEN_AMP, 0, BC_TOKEN_SEMI, BC_TOKEN_LPAREN, BC_TOKEN_RPAREN,
		BC_TOKEN_LBRACE, BC_TOKEN_RBRACE, BC_TOKEN_LBRACKET, BC_TOKEN_RBRACKET,
		BC_TOKEN_COMMA,
	};
	const char *at = ch > 0 ? strchr(operators, ch) : NULL;

	b->value.number = ch;
	return at ? tokens[at - operators] : 0;
}

static int lex_operator(struct bc *b, int ch)
{
	int token = ch > 0 && strchr(operators, ch) ? two_characters(b, ch, bcl_peek(b, 1)) : 0;

	if (token) {
		bcl_skip(b, 2);
		return token;
	}
	token = one_character(b, ch);
	if (token)
		bcl_skip(b, 1);
	else if (ch == '.') {
		bcl_skip(b, 1);
		b->value.number = BC_LAST;
		token = BC_TOKEN_LAST;
	} else {
		illegal(b);
	}
	return token;
}

/* Blanks, comments and quoted newlines: was there any? */
static bool skip_space(struct bc *b, int ch)
{
	if (ch == ' ' || ch == '\t') {
		bcl_skip(b, 1);
		return true;
	}
	if (ch == '\\' && bcl_peek(b, 1) == '\n') {
		bcl_skip(b, 2);
		b->line++;
		return true;
	}
	if (ch == '/' && bcl_peek(b, 1) == '*') {
		skip_comment(b);
		return true;
	}
	if (ch != '#' || b->o->standard)
		return false;
	while (bcl_peek(b, 0) >= 0 && bcl_peek(b, 0) != '\n')
		bcl_skip(b, 1);
	return true;
}

static int lex_here(struct bc *b, int ch)
{
	size_t n;

	if (ch == '\n') {
		bcl_skip(b, 1);
		b->line++;
		return BC_TOKEN_NEWLINE;
	}
	if (is_name(ch, true))
		return lex_name(b);
	if (ch == '"')
		return lex_string(b);
	if (is_digit(ch) || ch == '.') {
		n = number_length(b);
		if (n)
			return lex_number(b, n);
	}
	return lex_operator(b, ch);
}

int bcl_token(struct bc *b)
{
	for (;;) {
		int ch = bcl_peek(b, 0), token;

		if (++b->steps % 256 == 0)
			tsb_tick(b->p, 256);
		if (ch < 0) {
			if (!bcl_next_file(b))
				return BC_TOKEN_END;
			continue;
		}
		if (skip_space(b, ch))
			continue;
		b->value = (struct bc_value){ 0 };
		token = lex_here(b, ch);
		if (token)
			return token;
	}
}
