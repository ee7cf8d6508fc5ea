/*
 * History expansion: `!!`, `!n`, `!text`, `!?text?`, word designators and
 * modifiers in a line as it is read, before anything parses it. What quotes
 * it away is decided twice, as in bash: once for the line as it came, which
 * may then stay as it is, and again for each `!` behind what was expanded
 * so far.
 */
#include "shell/builtin/builtin.h"

#include <string.h>

#include "shell/words.h"

/* What `!?`, `!%`, `:s//` and `:&` remember of those before; NULL: nothing. */
struct histexp {
	char *search, *match;	/* the last !?text? and the word it was found in */
	char *from, *to;	/* of the last substitution */
};

struct expander {
	struct shell *sh;
	struct histexp *past;
	char bang, caret, comment;	/* histchars */
	char quote;		/* the line begins within: ' or " or 0 */
	const char *s;		/* the line, terminated */
	size_t at;		/* in it */
	struct str *out;	/* so far; the message of an error in the end */
	bool print_only;
};

static bool one_of(char c, const char *set)
{
	return c && strchr(set, c);
}

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static bool is_space(char c)
{
	return c == ' ' || c == '\t' || c == '\n';
}

static void keep_text(struct expander *e, char **place, const char *text, size_t n)
{
	char *copy = heap_dup(e->sh->heap, text, n);

	heap_free(e->sh->heap, *place);
	*place = copy;
}

/* s[from .. to] and the message, in place of the result. Always false. */
static bool failed(struct expander *e, size_t from, size_t to, const char *message)
{
	str_reset(e->out);
	if (e->s[from])
		str_addn(e->out, e->s + from, to - from);
	str_addf(e->out, ": %s", message);
	return false;
}

/* ---- Words of a line ---- */

#define DELIMITERS " \t\n;&()|<>"
#define QUOTES "\"'`"

/* Behind an operator that begins at i; *group: it was <( or >(, whose inside goes on. */
static size_t operator_end(const char *s, size_t i, bool *group)
{
	char c = s[i], next = s[i + 1];

	if (next == c)
		return i + 2 + (c == '<' && (s[i + 2] == '-' || s[i + 2] == '<'));
	if (next == '&' && (c == '>' || c == '<')) {
		for (i += 2; is_digit(s[i]); i++)
			;
		return i + (s[i] == '-');
	}
	if ((next == '>' && c == '&') || (next == '|' && c == '>'))
		return i + 2;
	*group = next == '(' && (c == '>' || c == '<');
	return i + 1 + *group;
}

/* Behind the word whose rest begins at i; depth: of the parentheses it is in. */
static size_t word_rest(const char *s, size_t i, size_t depth)
{
	char quote = !depth && one_of(s[i], QUOTES) ? s[i++] : '\0';

	for (; s[i]; i++) {
		if (s[i] == '\\' && s[i + 1] == '\n') {
			i++;
		} else if (s[i] == '\\' && quote != '\'' && (quote != '"' || one_of(s[i + 1], "\\`\"$"))) {
			if (!s[++i])
				break;
		} else if (depth && s[i] == '(') {
			depth++;
		} else if (depth && s[i] == ')') {
			depth--;
		} else if (quote && s[i] == quote) {
			quote = '\0';
		} else if (!depth && !quote && one_of(s[i], "<>$!@?+*") && s[i + 1] == '(') {
			i++;
			depth = 1;
		} else if (!depth && !quote && one_of(s[i], DELIMITERS)) {
			break;
		} else if (!depth && !quote && one_of(s[i], QUOTES)) {
			quote = s[i];
		}
	}
	return i;
}

static size_t word_end(const char *s, size_t i)
{
	bool group = false;
	size_t digits = i;

	if (one_of(s[i], "()\n"))
		return i + 1;
	while (is_digit(s[digits]))
		digits++;
	if (digits > i && (!s[digits] || !one_of(s[digits], "<>")))
		return s[digits] ? word_rest(s, digits, 0) : digits;
	i = digits;
	if (!one_of(s[i], "<>;&|"))
		return word_rest(s, i, 0);
	i = operator_end(s, i, &group);
	return group ? word_rest(s, i, 1) : i;
}

struct history_words {	/* a VEC */
	struct slice *at;
	size_t n, cap;
};

static void split_words(struct expander *e, const char *s, struct history_words *words)
{
	for (size_t i = 0; s[i];) {
		size_t from;
		struct slice *place;

		while (is_space(s[i]))
			i++;
		if (!s[i] || s[i] == e->comment)
			return;
		from = i;
		i = word_end(s, i);
		if (i == from)
			for (i++; one_of(s[i], DELIMITERS); i++)
				;
		tsb_tick(e->sh->p, i - from + 1);
		place = vec_add(e->sh->heap, words);
		if (place)
			*place = (struct slice){ s + from, i - from };
	}
}

enum { LAST_WORD = INT32_MAX, ALL_BUT_LAST = -1 };

/* The words first to last of an event, with a blank between; false: it has no such. */
static bool add_words(struct expander *e, const char *event, int64_t first, int64_t last, struct str *to)
{
	struct history_words words = { 0 };
	int64_t n;
	bool good;

	split_words(e, event, &words);
	n = (int64_t)words.n;
	last = last == LAST_WORD ? n - 1 : last == ALL_BUT_LAST ? n - 2 : last;
	first = first == LAST_WORD ? n - 1 : first;
	good = n && first >= 0 && first < n && last + 1 >= first && last < n;	/* x- may be none */
	for (int64_t i = first; good && i <= last; i++) {
		str_addn(to, words.at[i].p, words.at[i].n);
		if (i < last)
			str_addc(to, ' ');
	}
	vec_end(e->sh->heap, &words);
	return good;
}

static int64_t take_number(struct expander *e)
{
	int64_t n = 0;

	for (; is_digit(e->s[e->at]); e->at++)
		if (n < INT32_MAX / 16)
			n = n * 10 + (e->s[e->at] - '0');
	return n;
}

/* Where a range ends, at a -. */
static int64_t range_end(struct expander *e)
{
	char c = e->s[e->at];

	if (is_digit(c))
		return take_number(e);
	e->at += c == '$' || c == '^';
	return c == '$' ? LAST_WORD : c == '^' ? 1 : ALL_BUT_LAST;
}

/* The designator at e->at, if there is one, and what it names; else all of the event. */
static bool take_words(struct expander *e, const char *event, struct str *to)
{
	size_t begin = e->at, i = begin + (e->s[begin] == ':');
	char c = e->s[i];
	int64_t first = 0, last;

	if (c == '%' || c == '*' || c == '$') {
		e->at = i + 1;
		if (c == '%')
			str_adds(to, e->past->match ? e->past->match : "");
		else if (!add_words(e, event, c == '*' ? 1 : LAST_WORD, LAST_WORD, to) && c == '$')
			str_adds(to, event);
		return true;
	}
	if (c != '-' && c != '^' && !(is_digit(c) && i > begin)) {
		str_adds(to, event);
		return true;
	}
	e->at = i;
	if (c == '^')
		first = 1, e->at++;
	else if (c != '-')
		first = take_number(e);
	c = e->s[e->at];
	last = first;
	if (c == '^' || c == '*') {
		last = c == '^' ? 1 : LAST_WORD;
		e->at++;
	} else if (c == '-') {
		e->at++;
		last = range_end(e);
	}
	if ((last < first && last != ALL_BUT_LAST) || !add_words(e, event, first, last, to))
		return failed(e, begin, e->at, "bad word specifier");
	return true;
}

/* ---- Events ---- */

static const char *event_number(struct expander *e, int64_t n, bool back)
{
	const struct doing *d = doing(e->sh);

	n = back ? (int64_t)d->history.n - n : n - 1 - (int64_t)d->history_base;
	return n >= 0 && n < (int64_t)d->history.n ? d->history.at[n].text : NULL;
}

/* Where text is found in line for the last time; -1: not. */
static int64_t last_place(const char *line, const char *text)
{
	size_t n = strlen(line), len = strlen(text);

	for (size_t i = n + 1; i-- > 0;)
		if (i + len <= n && !memcmp(line + i, text, len))
			return (int64_t)i;
	return -1;
}

/* The word of the line in which that place is. */
static void keep_match(struct expander *e, const char *line, size_t place)
{
	struct history_words words = { 0 };
	struct slice found = { "", 0 };

	split_words(e, line, &words);
	for (size_t i = 0; i < words.n; i++) {
		size_t from = (size_t)(words.at[i].p - line);

		if (place >= from && place < from + words.at[i].n)
			found = words.at[i];
	}
	keep_text(e, &e->past->match, found.p, found.n);
	vec_end(e->sh->heap, &words);
}

/* The newest line that begins with text, or has it. */
static const char *event_search(struct expander *e, const char *text, bool anywhere)
{
	const struct doing *d = doing(e->sh);
	size_t n = strlen(text);

	for (size_t i = d->history.n; n && i-- > 0;) {
		const char *line = d->history.at[i].text;
		int64_t place;

		tsb_tick(e->sh->p, 1 + n);
		if (!anywhere) {
			if (!strncmp(line, text, n))
				return line;
			continue;
		}
		place = last_place(line, text);
		if (place < 0)
			continue;
		keep_text(e, &e->past->search, text, n);
		keep_match(e, line, (size_t)place);
		return line;
	}
	return NULL;
}

/* How far the text of !text goes; quote: it ends there too. */
static size_t search_end(const struct expander *e, size_t i, bool anywhere, char quote)
{
	size_t from = i;

	for (; e->s[i] && e->s[i] != '\n'; i++) {
		char c = e->s[i];

		if (anywhere ? c == '?' : is_space(c) || c == ':' || (c == '-' && i > from) ||
		    one_of(c, "^$*%;&()|<>") || (quote && c == quote))
			break;
	}
	return i;
}

/* The event at e->at, a `!`; NULL: there is none. */
static const char *take_event(struct expander *e, char quote)
{
	const char *s = e->s, *text;
	bool back = false, anywhere = false;
	size_t end;

	if (one_of(s[e->at + 1], ":$*%^")) {
		e->at++;
		return event_number(e, 1, true);
	}
	if (s[e->at + 1] == '#') {
		e->at += 2;
		return arena_dup(&e->sh->turn, e->out->p, e->out->n);
	}
	if (s[++e->at] == e->bang) {
		e->at++;
		return event_number(e, 1, true);
	}
	if (s[e->at] == '-' && is_digit(s[e->at + 1])) {
		back = true;
		e->at++;
	}
	if (is_digit(s[e->at]))
		return event_number(e, take_number(e), back);
	if (s[e->at] == '?') {
		anywhere = true;
		e->at++;
	}
	end = search_end(e, e->at, anywhere, quote);
	text = arena_dup(&e->sh->turn, s + e->at, end - e->at);
	e->at = end + (anywhere && s[end] == '?');
	if (!*text && anywhere && e->past->search)
		text = arena_dup(&e->sh->turn, e->past->search, strlen(e->past->search));
	return event_search(e, text, anywhere);
}

/* ---- Modifiers ---- */

/* Up to the delimiter, which a backslash may quote, and over it. */
static void take_pattern(struct expander *e, char delimiter, struct str *to)
{
	for (; e->s[e->at] && e->s[e->at] != delimiter; e->at++) {
		if (e->s[e->at] == '\\' && e->s[e->at + 1] && e->s[e->at + 1] == delimiter)
			e->at++;
		str_addc(to, e->s[e->at]);
	}
	e->at += e->s[e->at] != '\0';
}

/* In what is put in, & is what was looked for. */
static void keep_replacement(struct expander *e, const struct str *raw)
{
	const char *from = e->past->from ? e->past->from : "";
	struct str to;

	str_init(&to, e->sh->heap, STR_MAX_DEFAULT);
	for (size_t i = 0; i < raw->n; i++) {
		if (raw->p[i] == '&')
			str_adds(&to, from);
		else
			str_addc(&to, raw->p[i] == '\\' && raw->p[i + 1] == '&' ? raw->p[++i] : raw->p[i]);
	}
	keep_text(e, &e->past->to, to.p, to.n);
	str_end(&to);
}

/* :s/from/to/, at the delimiter. */
static void take_substitution(struct expander *e)
{
	struct histexp *past = e->past;
	char delimiter = e->s[e->at++];
	struct str t;

	str_init(&t, e->sh->heap, STR_MAX_DEFAULT);
	take_pattern(e, delimiter, &t);
	if (t.n)
		keep_text(e, &past->from, t.p, t.n);
	else if (!past->from && past->search)
		keep_text(e, &past->from, past->search, strlen(past->search));
	str_reset(&t);
	take_pattern(e, delimiter, &t);
	keep_replacement(e, &t);
	str_end(&t);
}

enum how { ONCE, EVERYWHERE, EACH_WORD };

static bool substitute(struct expander *e, enum how how, struct str *t)
{
	const char *from = e->past->from, *to = e->past->to;
	size_t n = strlen(from), len = strlen(to), end = 0;
	bool found = false;

	for (size_t i = 0; i + n <= t->n; i++) {
		tsb_tick(e->sh->p, 1);
		if (how == EACH_WORD && (i > end || !i)) {
			while (i < t->n && is_space(t->p[i]))
				i++;
			end = word_end(t->p, i);
			if (i + n > t->n)
				break;
		}
		if (memcmp(t->p + i, from, n) != 0)
			continue;
		tsb_tick(e->sh->p, t->n - i + len);
		str_erase(t, i, n);
		str_insert(t, i, to, len);
		found = true;
		if (how == ONCE)
			break;
		i = how == EACH_WORD ? end : i + len - 1;
	}
	return found;
}

static bool modify_substitute(struct expander *e, size_t begin, enum how how, struct str *t)
{
	if (e->s[e->at + 1] == '&') {
		e->at += 2;
	} else if (e->s[e->at + 2]) {
		e->at += 2;
		take_substitution(e);
	} else {
		e->at += 2;
		return true;
	}
	if (!e->past->from || !*e->past->from || !e->past->to)
		return failed(e, begin, e->at, "no previous substitution");
	if (!substitute(e, how, t))
		return failed(e, begin, e->at, "substitution failed");
	return true;
}

/* t, r, h and e: what is left of a path. */
static void modify_path(struct str *t, char c)
{
	const char *p = memrchr(t->p, c == 't' || c == 'h' ? '/' : '.', t->n);

	if (!p)
		return;
	if (c == 'h' || c == 'r')
		str_cut(t, (size_t)(p - t->p));
	else
		str_erase(t, 0, (size_t)(p - t->p) + (c == 't'));
}

/* One quoted word (q), or each word quoted (x). */
static void modify_quote(struct expander *e, struct str *t, char how)
{
	struct str q;

	str_init(&q, e->sh->heap, STR_MAX_DEFAULT);
	str_addc(&q, '\'');
	for (size_t i = 0; i < t->n; i++) {
		if (t->p[i] == '\'')
			str_adds(&q, "'\\''");
		else if (how == 'x' && is_space(t->p[i]))
			str_addf(&q, "'%c'", t->p[i]);
		else
			str_addc(&q, t->p[i]);
	}
	str_addc(&q, '\'');
	str_reset(t);
	str_addn(t, q.p, q.n);
	str_end(&q);
}

static bool take_modifiers(struct expander *e, struct str *t)
{
	size_t begin = e->at;
	char quote = '\0';

	while (e->s[e->at] == ':') {
		char c = e->s[e->at + 1];
		enum how how = c == 'g' || c == 'a' ? EVERYWHERE : c == 'G' ? EACH_WORD : ONCE;

		if (how != ONCE)
			c = e->s[++e->at + 1];
		if (c == 's' || c == '&') {
			if (!modify_substitute(e, begin, how, t))
				return false;
			continue;
		}
		if (c == 'q' || c == 'x')
			quote = c;
		else if (c == 'p')
			e->print_only = true;
		else if (one_of(c, "thre"))
			modify_path(t, c);
		else
			return failed(e, e->at + 1, e->at + 2, "unrecognized history modifier");
		e->at += 2;
	}
	if (quote)
		modify_quote(e, t, quote);
	return true;
}

/* ---- Is that one? ---- */

/* Over a quoted text that begins behind its quote: at the closing one, or the end. */
static size_t quoted_end(const char *s, size_t i, char quote, bool escapes)
{
	for (; s[i] && s[i] != quote; i++)
		if (escapes && s[i] == '\\' && s[i + 1])
			i++;
	return i;
}

/* The next `!` that quotes do not hide from it, from i on; or the end. */
static size_t next_bang(const struct expander *e, const char *s, size_t i)
{
	bool within = false, outer = false, back = false;
	unsigned groups = 0;

	for (; s[i] && !(s[i] == e->bang && !(within && s[i + 1] == '"')); i++) {
		char c = s[i];

		if (c == e->bang) {
			continue;
		} else if (c == '\\') {
			if (!s[++i])
				break;
		} else if (c == '`') {
			outer = back ? outer : within;
			within = back && outer;
			back = !back;
		} else if (c == '\'' && !within) {
			i = quoted_end(s, i + 1, '\'', false);
		} else if (c == '"' && e->sh->opts[OPT_POSIX]) {
			i = quoted_end(s, i + 1, '"', true);
		} else if (c == '"') {
			within = !within;
		} else if (one_of(c, "$<>") && s[i + 1] == '(' && s[i + 2] != '(') {
			groups++;
			outer = within;
			within = false;
			i++;
		} else if (groups && c == ')') {
			groups--;
			within = outer;
		}
		if (!s[i])
			break;
	}
	return i;
}

/* Does s[i], a `!`, mean something else to the shell? */
static bool means_else(const struct expander *e, const char *s, size_t i)
{
	size_t from = 0, t;

	if (i && s[i - 1] == '[' && s[i + 1] && strchr(s + i + 1, ']'))
		return true;
	if (i > 1 && s[i - 1] == '{' && s[i - 2] == '$' && strchr(s + i + 1, '}'))
		return true;
	if (i > 1 && s[i - 1] == '$')
		return true;
	if (e->sh->opts[SHOPT_EXTGLOB] && i > 1 && s[i + 1] == '(' && strchr(s + i + 2, ')'))
		return true;
	if (e->quote == '\'') {
		from = quoted_end(s, 0, '\'', false);
		if (!s[from] || from >= i)
			return true;
		from++;
	}
	for (t = next_bang(e, s, from); t && t < i; t = next_bang(e, s, t + 1))
		;
	return t > i;
}

/* `!` before a blank, = or a closing quote is one for itself. */
static bool stands_alone(char next, bool within)
{
	return !next || one_of(next, " \t\n\r=") || (within && next == '"');
}

static bool comment_begins(const struct expander *e, size_t i, bool within)
{
	return e->comment && e->s[i] == e->comment && !within && (!i || one_of(e->s[i - 1], DELIMITERS));
}

/* Where a line goes on that begins within single quotes. */
static size_t line_begin(const struct expander *e)
{
	size_t i = e->quote == '\'' ? quoted_end(e->s, 0, '\'', false) : 0;

	return i + (e->quote == '\'' && e->s[i]);
}

/* The first look: is there anything to expand? */
static bool has_event(const struct expander *e)
{
	const char *s = e->s;
	bool within = e->quote == '"';

	for (size_t i = line_begin(e); s[i]; i++) {
		if (comment_begins(e, i, within))
			return false;
		if (s[i] == e->bang) {
			if (!stands_alone(s[i + 1], within) && !means_else(e, s, i))
				return true;
		} else if (within && s[i] == '\\' && s[i + 1] == '"') {
			i++;
		} else if (s[i] == '"') {
			within = !within;
		} else if (!within && s[i] == '\'') {
			i = quoted_end(s, i + 1, '\'', i && s[i - 1] == '$');
			if (!s[i])
				return false;
		} else if (s[i] == '\\' && (s[i + 1] == '\'' || (s[i + 1] && s[i + 1] == e->bang))) {
			i++;
		}
	}
	return false;
}

/* One expansion at e->at. */
static bool event_expand(struct expander *e, char quote)
{
	struct arena_mark m = arena_mark(&e->sh->turn);
	size_t begin = e->at;
	const char *event = take_event(e, quote);
	struct str t;
	bool good;

	if (!event)
		return failed(e, begin, e->at, "event not found");
	str_init(&t, e->sh->heap, STR_MAX_DEFAULT);
	good = take_words(e, event, &t) && take_modifiers(e, &t);
	if (good)
		str_addn(e->out, t.p, t.n);
	str_end(&t);
	arena_reset(&e->sh->turn, m);
	return good;
}

/* Is the `!` at e->at one, behind what was expanded so far? */
static bool is_event(struct expander *e, bool within)
{
	char next = e->s[e->at + 1];
	size_t n = e->out->n;
	bool other;

	if (stands_alone(next, within))
		return false;
	str_addc(e->out, e->bang);
	str_addc(e->out, next);
	other = means_else(e, e->out->p, n);
	str_cut(e->out, n);
	return !other;
}

/* The second look; 0, 1: something was expanded, -1. */
static int expand_line(struct expander *e)
{
	size_t first = line_begin(e), n = strlen(e->s);
	bool within = e->quote == '"';
	int expanded = 0;

	str_addn(e->out, e->s, first);
	for (e->at = first; e->s[e->at];) {
		size_t i = e->at, end = i + 1;
		char c = e->s[i];

		if (c == e->bang && is_event(e, within)) {
			if (!event_expand(e, within ? '"' : '\0'))
				return -1;
			expanded = 1;
			continue;
		}
		if (comment_begins(e, i, within))
			end = n;
		else if (c == '\\')
			end++;
		else if (c == '\'' && !within)
			end = quoted_end(e->s, end, '\'', i && e->s[i - 1] == '$') + 1;
		within ^= c == '"';
		if (end > n)
			end = n;
		str_addn(e->out, e->s + i, end - i);
		e->at = end;
	}
	return expanded;
}

static void take_histchars(struct expander *e)
{
	struct slice v;

	e->bang = '!';
	e->caret = '^';
	e->comment = '#';
	if (!var_get_text(e->sh, "histchars", &v))
		return;
	e->bang = v.n > 0 ? v.p[0] : '\0';
	if (v.n > 1)
		e->caret = v.p[1];
	if (v.n > 2)
		e->comment = v.p[2];
}

int history_expand(struct shell *sh, const char *text, size_t n, char quote, struct str *out)
{
	struct expander e = { .sh = sh, .quote = quote, .out = out };
	struct arena_mark m = arena_mark(&sh->turn);
	int result;

	take_histchars(&e);
	if (!doing(sh)->histexp)
		doing(sh)->histexp = heap_zalloc(sh->heap, sizeof(struct histexp));
	e.past = doing(sh)->histexp;
	e.s = arena_dup(&sh->turn, text, n);
	if (e.bang && n && *text == e.caret) {	/* ^a^b^ is !!:s^a^b^ */
		char quick[5] = { e.bang, e.bang, ':', 's', '\0' };

		e.s = turn_join(sh, quick, e.s, NULL);
	} else if (!e.bang || !has_event(&e)) {
		str_addn(out, text, n);
		arena_reset(&sh->turn, m);
		return 0;
	}
	result = expand_line(&e);
	arena_reset(&sh->turn, m);
	return result > 0 && e.print_only ? 2 : result;
}
