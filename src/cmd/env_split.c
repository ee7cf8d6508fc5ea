/*
 * env -S: the words of a #! line. The text is split where the option stands, and
 * its words are read as if they stood there: they may be options again.
 */
#include "cmd/env.h"

#include <string.h>

#include <tinysandbox/command.h>

#include "base/str.h"
#include "base/vec.h"
#include "cmd/quote.h"

#define ENV_BLANK " \t\n\v\f\r"
enum { ENV_FAILED = 125 };

struct env_split {
	struct tsb_proc *p;
	const char *s;		/* what is left of the text */
	int status;
	bool say;		/* of -v */
	bool started;		/* the word is one, even if it is empty */
	VEC(char *) words;	/* of this text */
};

static int env_escape(int c)
{
	static const char from[] = "fnrtv\"#$'\\", to[] = "\f\n\r\t\v\"#$'\\";
	const char *at = c ? strchr(from, c) : NULL;

	return at ? to[at - from] : -1;
}

static bool env_split_bad(struct env_split *e, const char *text)
{
	tsb_warn(e->p, "%s", text);
	e->status = ENV_FAILED;
	return false;
}

static void env_variable_say(struct env_split *e, const char *name, const char *value)
{
	const char *text = value ? tsb_format(e->p, "expanding ${%s} into %s\n", name,
					      quote_text(e->p, value)) :
			   tsb_format(e->p, "replacing ${%s} with null string\n", name);

	tsb_write_all(e->p, 2, text, strlen(text));
}

/* ${NAME} at e->s, which is left on its last byte. */
static bool env_variable(struct env_split *e, struct str *word)
{
	size_t n = e->s[1] == '{' ? strspn(e->s + 2, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
					   "0123456789_") : 0;
	const char *value, *name;

	if (!n || e->s[2 + n] != '}' || (e->s[2] >= '0' && e->s[2] <= '9'))
		return env_split_bad(e, tsb_format(e->p, "only ${VARNAME} expansion is supported, "
						   "error at: %s", e->s));
	name = tsb_strndup(e->p, e->s + 2, n);
	value = tsb_getenv(e->p, name);
	if (e->say)
		env_variable_say(e, name, value);
	e->started |= value != NULL;
	if (value)
		str_adds(word, value);
	e->s += n + 2;
	return true;
}

/* Behind a backslash: 1 goes on, 0 the word ends, -1 failed. */
static int env_backslash(struct env_split *e, struct str *word, int quote)
{
	int c = (unsigned char)*++e->s;

	if (c == 'c') {
		if (quote == '"') {
			env_split_bad(e, "'\\c' must not appear in double-quoted -S string");
			return -1;
		}
		e->s += strlen(e->s);
		return 0;
	}
	if (c == '_' && !quote)
		return 0;
	if (c == '_') {
		str_addc(word, ' ');
		return 1;
	}
	if (env_escape(c) < 0) {
		env_split_bad(e, c ? tsb_format(e->p, "invalid sequence '\\%c' in -S", c) :
			      "invalid backslash at end of string in -S");
		return -1;
	}
	str_addc(word, env_escape(c));
	return 1;
}

static void env_skip_blanks(struct env_split *e)
{
	while (true) {
		e->s += strspn(e->s, ENV_BLANK);
		if (e->s[0] != '\\' || e->s[1] != '_')
			return;
		e->s += 2;
	}
}

/* The next word: false at the end, or with e->status set. */
static bool env_word(struct env_split *e, struct str *word)
{
	int quote = 0, c, more;

	env_skip_blanks(e);
	e->started = false;
	if (!*e->s || *e->s == '#')
		return false;
	for (; (c = (unsigned char)*e->s) && (quote || !strchr(ENV_BLANK, c)); e->s++) {
		e->started |= c != '$' && c != '\\';
		if (c == quote) {
			quote = 0;
		} else if (!quote && (c == '\'' || c == '"')) {
			quote = c;
		} else if (c == '$' && quote != '\'') {
			if (!env_variable(e, word))
				return false;
		} else if (c == '\\' && (quote != '\'' || e->s[1] == '\\' || e->s[1] == '\'')) {
			more = env_backslash(e, word, quote);
			if (more < 0)
				return false;
			if (!more) {
				e->s += *e->s == '_';
				return true;
			}
		} else {
			str_addc(word, c);
		}
	}
	return quote ? env_split_bad(e, "no terminating quote in -S string") : true;
}

static void env_split_say(struct env_split *e, const char *text)
{
	struct str s;

	str_init(&s, tsb_heap_of(e->p), STR_MAX_DEFAULT);
	str_addf(&s, "split -S:  %s\n", quote_text(e->p, text));
	for (size_t i = 0; i < e->words.n; i++)
		str_addf(&s, "%s%s\n", i ? "     &    " : " into:    ",
			 quote_text(e->p, e->words.at[i]));
	tsb_write_all(e->p, 2, s.p, s.n);
	str_end(&s);
}

static bool env_split_text(struct env_split *e, const char *text, bool say)
{
	struct str word;

	e->s = text;
	e->say = say;
	e->words.n = 0;
	str_init(&word, tsb_heap_of(e->p), STR_MAX_DEFAULT);
	while (env_word(e, &word)) {
		if (e->started || word.n)
			*vec_add(tsb_heap_of(e->p), &e->words) = str_take(&word, NULL);
		tsb_tick(e->p, 1);
	}
	if (!e->status && say)
		env_split_say(e, text);
	return !e->status;
}

/* ---- Finding -S among the options ---- */

enum env_option { ENV_NO_OPTION, ENV_OTHER, ENV_OTHER_TAKES, ENV_SPLIT, ENV_SPLIT_TAKES };

/* An argument: what it is, and where the text of -S begins in it. */
static enum env_option env_look(const char *arg, size_t *at, bool *debug)
{
	size_t n;

	if (arg[0] != '-' || !arg[1] || !strcmp(arg, "--"))
		return ENV_NO_OPTION;
	if (arg[1] == '-') {
		n = strcspn(arg + 2, "=");
		*at = n + 3;
		if (n && !strncmp(arg + 2, "split-string", n))
			return arg[2 + n] ? ENV_SPLIT : ENV_SPLIT_TAKES;
		*debug |= n > 2 && !strncmp(arg + 2, "debug", n);
		if (!arg[2 + n] && ((n && !strncmp(arg + 2, "unset", n)) ||
				    (n && !strncmp(arg + 2, "chdir", n))))
			return ENV_OTHER_TAKES;
		return ENV_OTHER;
	}
	for (n = 1; arg[n]; n++) {
		*at = n + 1;
		if (arg[n] == 'S')
			return arg[n + 1] ? ENV_SPLIT : ENV_SPLIT_TAKES;
		if (arg[n] == 'u' || arg[n] == 'C')
			return arg[n + 1] ? ENV_OTHER : ENV_OTHER_TAKES;
		*debug |= arg[n] == 'v';
		if (!strchr("i0v", arg[n]))
			return ENV_OTHER;	/* the parser tells of it */
	}
	return ENV_OTHER;
}

int env_split(struct tsb_proc *p, int *argc, char ***argv)
{
	struct tsb_heap *heap = tsb_heap_of(p);
	struct env_split e = { .p = p };
	bool debug = false;
	size_t at = 0;

	for (int i = 0; i < *argc; i++) {
		VEC(char *) all = { 0 };
		const char *arg = (*argv)[i];
		enum env_option kind = env_look(arg, &at, &debug);
		int next = i + 1;

		if (kind == ENV_NO_OPTION)
			break;
		i += kind == ENV_OTHER_TAKES;
		if (kind < ENV_SPLIT || (kind == ENV_SPLIT_TAKES && next == *argc))
			continue;
		/* [in front] -iS 'text' [behind]: -i, the words of the text, the rest. */
		if (!env_split_text(&e, kind == ENV_SPLIT ? arg + at : (*argv)[next], debug))
			return e.status;
		next += kind == ENV_SPLIT_TAKES;
		for (int k = 0; k < i; k++)
			*vec_add(heap, &all) = (*argv)[k];
		if (arg[1] != '-' && at > 2)
			*vec_add(heap, &all) = tsb_strndup(p, arg, at - 1);
		i = (int)all.n - 1;
		for (size_t k = 0; k < e.words.n; k++)
			*vec_add(heap, &all) = e.words.at[k];
		for (int k = next; k < *argc; k++)
			*vec_add(heap, &all) = (*argv)[k];
		*argc = (int)all.n;
		*vec_add(heap, &all) = NULL;
		*argv = all.at;
		tsb_tick(p, (size_t)*argc);
	}
	return 0;
}
