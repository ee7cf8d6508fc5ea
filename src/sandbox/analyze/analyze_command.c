/*
 * One command with its words: its risk, the commands it runs in turn, the
 * variables that builtins set, and what about it is opaque.
 */
#include "sandbox/analyze/analysis.h"

#include <string.h>

static bool is(const struct tsb_analyzed_word *w, const char *text)
{
	return w->literal && !strcmp(w->text, text);
}

static bool is_any(const struct tsb_analyzed_word *w, const char *const *list)
{
	for (; *list; list++)
		if (is(w, *list))
			return true;
	return false;
}

/* The words as the source has them, more or less: for what is opaque. */
static struct slice joined(struct tsb_analysis *a, struct words w)
{
	struct str s;

	str_init(&s, a->heap, STR_MAX_DEFAULT);
	for (size_t i = 0; i < w.n; i++) {
		if (i)
			str_addc(&s, ' ');
		str_addn(&s, w.at[i].text, w.at[i].size);
	}
	return str_slice(&s);
}

static void opaque(struct tsb_analysis *a, struct words w, const char *reason)
{
	analyze_opaque(a, w.line, joined(a, w), reason);
}

/* Of the command at hand: it could do anything. */
static void worst(struct tsb_analysis *a)
{
	struct tsb_analyzed_command *c = &a->commands.at[a->current];

	c->risk = TSB_RISK_DESTRUCTIVE;
	c->reason = "could run any command";
	analyze_risk(a, c->risk);
}

static struct words from(struct words w, size_t i)
{
	return (struct words){ w.at + i, w.n - i, w.line, true };
}

/* ---- Text that is run ---- */

/* eval "a" b: all of it literal, or nobody knows. */
static void run_words(struct tsb_analysis *a, struct words w, struct words texts)
{
	for (size_t i = 0; i < texts.n; i++) {
		if (!texts.at[i].literal) {
			opaque(a, w, "the commands it runs are computed");
			worst(a);
			a->anything_set = true;
			return;
		}
	}
	analyze_text(a, joined(a, texts), w.line);
}

/* sh -c TEXT, sh FILE, sh */
static void run_shell(struct tsb_analysis *a, struct words w)
{
	for (size_t i = 1; i < w.n; i++) {
		const char *s = w.at[i].text;

		if (s[0] != '-' && s[0] != '+') {
			opaque(a, w, "the script it runs is another file");
			return;
		}
		if (s[0] == '-' && s[1] != '-' && strchr(s, 'c')) {
			if (i + 1 < w.n)
				run_words(a, w, (struct words){ w.at + i + 1, 1, w.line, true });
			return;
		}
		if (!strcmp(s, "-o") || !strcmp(s, "-O"))
			i++;
		if (!strcmp(s, "--version") || !strcmp(s, "--help"))
			return;
	}
	opaque(a, w, "the script it runs comes from its standard input");
	worst(a);
}

/* trap TEXT SIGNAL */
static void run_trap(struct tsb_analysis *a, struct words w)
{
	size_t i = w.n > 1 && is(&w.at[1], "--") ? 2 : 1;

	if (w.n < i + 2 || w.at[i].text[0] == '-')
		return;
	run_words(a, w, (struct words){ w.at + i, 1, w.line, true });
}

/* find -exec rm {} + */
static void run_find(struct tsb_analysis *a, struct words w)
{
	static const char *const runs[] = { "-exec", "-execdir", "-ok", "-okdir", NULL };

	for (size_t i = 1; i + 1 < w.n; i++) {
		size_t end = i + 1;

		if (!is_any(&w.at[i], runs))
			continue;
		while (end < w.n && !is(&w.at[end], ";") && !is(&w.at[end], "+"))
			end++;
		if (end > i + 1)
			analyze_command(a, (struct words){ w.at + i + 1, end - i - 1, w.line, true });
		i = end;
	}
}

/* ---- Variables ---- */

static void set_word(struct tsb_analysis *a, const struct tsb_analyzed_word *w)
{
	size_t n = strcspn(w->text, "=+[");

	if (w->literal)
		variable_set(a, w->text, n);
	else if (n == w->size)
		a->anything_set = true;
}

/* Names behind options; a letter of with_name is followed by a name, of skip by something else. */
static void set_names(struct tsb_analysis *a, struct words w, const char *with_name, const char *skip,
		      const char *otherwise)
{
	bool any = false;

	for (size_t i = 1; i < w.n; i++) {
		const char *s = w.at[i].text;
		char last = w.at[i].size ? s[w.at[i].size - 1] : '\0';

		if (s[0] != '-' || !s[1]) {
			set_word(a, &w.at[i]);
			any = true;
		} else if (last && strchr(with_name, last) && i + 1 < w.n) {
			set_word(a, &w.at[++i]);
			any = true;
		} else if (last && strchr(skip, last)) {
			i++;
		}
	}
	if (!any && otherwise)
		variable_set(a, otherwise, strlen(otherwise));
}

static void set_printf(struct tsb_analysis *a, struct words w)
{
	if (w.n > 2 && is(&w.at[1], "-v"))
		set_word(a, &w.at[2]);
}

static void set_let(struct tsb_analysis *a, struct words w)
{
	for (size_t i = 1; i < w.n; i++) {
		struct arith x = { .text = { w.at[i].text, w.at[i].size } };
		struct arith_error err;

		if (w.at[i].literal) {
			x.tree = arith_parse(&a->arena, w.at[i].text, w.at[i].size, 200, &err);
			analyze_arith(a, &x);
		}
	}
}

static void set_by_builtin(struct tsb_analysis *a, struct words w)
{
	static const char *const declares[] = { "declare", "typeset", "local", "export", "readonly", NULL };
	static const char *const maps[] = { "mapfile", "readarray", NULL };

	if (is_any(&w.at[0], declares))
		set_names(a, w, "", "", NULL);
	else if (is(&w.at[0], "read"))
		set_names(a, w, "a", "dinNptu", "REPLY");
	else if (is_any(&w.at[0], maps))
		set_names(a, w, "", "dnOsuCc", "MAPFILE");
	else if (is(&w.at[0], "getopts") && w.n > 2)
		set_word(a, &w.at[2]);
	else if (is(&w.at[0], "printf"))
		set_printf(a, w);
	else if (is(&w.at[0], "let"))
		set_let(a, w);
	else if (is(&w.at[0], "wait"))
		set_names(a, (struct words){ w.at, w.n, w.line, false }, "p", "", NULL);
	else if (is(&w.at[0], "unset"))
		for (size_t i = 1; i < w.n; i++)
			variable_unset(a, w.at[i].text, w.at[i].size);
}

/* ---- Commands ---- */

static void run_source(struct tsb_analysis *a, struct words w)
{
	opaque(a, w, "what the sourced file does is not known");
	a->anything_set = true;
}

/* What it runs in turn. */
static void follow(struct tsb_analysis *a, struct words w)
{
	static const char *const shells[] = { "sh", "bash", "rbash", "dash", "zsh", "ksh", "/bin/sh", "/bin/bash",
					      "/usr/bin/bash", "/usr/bin/sh", NULL };
	static const char *const languages[] = { "python", "python2", "python3", "node", "nodejs", "js", "deno", "bun",
						 "perl", "ruby", "php", "lua", NULL };
	static const char *const sources[] = { "source", ".", NULL };
	size_t inner = rules_wrapped(w);

	if (inner)
		analyze_command(a, from(w, inner));
	else if (is(&w.at[0], "eval"))
		run_words(a, w, from(w, 1));
	else if (is_any(&w.at[0], shells))
		run_shell(a, w);
	else if (is_any(&w.at[0], sources))
		run_source(a, w);
	else if (is(&w.at[0], "trap"))
		run_trap(a, w);
	else if (is(&w.at[0], "find"))
		run_find(a, w);
	else if (is_any(&w.at[0], languages) && !(w.n == 2 && is(&w.at[1], "--version")))
		opaque(a, w, "a program in another language");
}

static struct verdict judge(struct tsb_analysis *a, struct words w)
{
	if (!w.at[0].literal) {
		opaque(a, w, "which command this is, is computed");
		return (struct verdict){ TSB_COMMAND_COMPUTED, TSB_RISK_DESTRUCTIVE, "could run any command" };
	}
	if (map_find(&a->bodies, w.at[0].text, w.at[0].size))
		return (struct verdict){ TSB_COMMAND_FUNCTION, TSB_RISK_READ, "is a function of the script" };
	return rules_judge(w);
}

void analyze_command(struct tsb_analysis *a, struct words w)
{
	struct verdict v;

	if (!w.n)
		return;
	v = judge(a, w);
	*vec_add(a->heap, &a->commands) = (struct tsb_analyzed_command){
		w.line, v.kind, v.risk, v.reason, w.at, w.n, w.nested || a->texts };
	a->current = a->commands.n - 1;
	analyze_risk(a, v.risk);
	if (v.kind == TSB_COMMAND_FUNCTION)
		analyze_function(a, (struct slice){ w.at[0].text, w.at[0].size });
	if (v.kind == TSB_COMMAND_FUNCTION || v.kind == TSB_COMMAND_COMPUTED)
		return;
	if (v.kind == TSB_COMMAND_UNKNOWN)
		opaque(a, w, "what this program does is not known");
	set_by_builtin(a, w);
	if (a->depth < ANALYZE_DEPTH) {
		a->depth++;
		follow(a, w);
		a->depth--;
	} else {
		opaque(a, w, "commands in commands in commands: too deep to follow");
	}
}
