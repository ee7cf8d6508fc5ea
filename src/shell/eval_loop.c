/*
 * Loops and case. A loop counts sh->loop_depth up, so that break and continue
 * know how far they may go; sh->flow_count says how many levels are left when
 * FLOW_BREAK or FLOW_CONTINUE comes up.
 */
#include "shell/doing.h"

#include <string.h>

#include "shell/words.h"
#include "text/pattern.h"

/* What a turn's flow means for this loop. true: the loop ends with *f. */
bool loop_ends(struct shell *sh, enum flow *f)
{
	if (*f == FLOW_NEXT)
		return false;
	if (*f == FLOW_BREAK) {
		*f = sh->flow_count > 1 ? FLOW_BREAK : FLOW_NEXT;
		sh->flow_count--;
		return true;
	}
	if (*f == FLOW_CONTINUE) {
		if (sh->flow_count > 1) {
			sh->flow_count--;
			return true;
		}
		*f = FLOW_NEXT;
		return false;
	}
	return true;
}

enum flow eval_while(struct shell *sh, const struct node *n)
{
	enum flow f = FLOW_NEXT;
	int status = 0;

	sh->loop_depth++;
	for (;;) {
		proc_tick(sh->p, 1);
		sh->errexit_off++;
		f = eval_node(sh, n->flow.test);
		sh->errexit_off--;
		if (f != FLOW_NEXT) {
			if (loop_ends(sh, &f))
				break;
			continue;
		}
		if ((sh->status == 0) != (n->kind == NODE_WHILE))
			break;
		f = eval_node(sh, n->flow.body);
		status = sh->status;
		if (loop_ends(sh, &f))
			break;
	}
	sh->loop_depth--;
	if (f == FLOW_NEXT)
		sh->status = status;
	return f;
}

/* ---- for ---- */

enum flow loop_words(struct shell *sh, const struct node *n, struct fields *words)
{
	if (n->loop.has_in)
		return expand_words(sh, n->loop.words, words);
	words->n = sh->n_args;
	words->at = arena_array(&sh->turn, sh->n_args + 1, sizeof(char *));
	words->lens = arena_array(&sh->turn, sh->n_args + 1, sizeof(size_t));
	for (size_t i = 0; i < words->n; i++) {
		words->lens[i] = strlen(sh->args[i]);
		words->at[i] = arena_dup(&sh->turn, sh->args[i], words->lens[i]);
	}
	words->at[words->n] = NULL;
	return FLOW_NEXT;
}

/* "for i in words", as traces and BASH_COMMAND show it; in sh->turn. */
static char *loop_text(struct shell *sh, const struct node *n)
{
	struct str t;
	char *out;

	str_init(&t, sh->heap, STR_MAX_DEFAULT);
	str_addf(&t, n->kind == NODE_FOR ? "for %s in" : "select %s in", n->loop.name.s);
	for (const struct word *w = n->loop.words; n->loop.has_in && w; w = w->next) {
		str_addc(&t, ' ');
		str_addslice(&t, w->text);
	}
	if (!n->loop.has_in)
		str_adds(&t, " \"$@\"");
	else if (!n->loop.words)
		str_addc(&t, ' ');
	out = arena_dup(&sh->turn, t.p, t.n);
	str_end(&t);
	return out;
}

void loop_trace(struct shell *sh, const struct node *n)
{
	struct arena_mark m = arena_mark(&sh->turn);
	char *text = loop_text(sh, n);

	trace_text(sh, text, strlen(text));
	arena_reset(&sh->turn, m);
}

static char *case_text(struct shell *sh, const struct node *n);

/* "((i < 3))" of a for; in sh->turn. */
static char *part_text(struct shell *sh, const struct arith *a)
{
	char *text = arena_alloc(&sh->turn, a->text.n + 5);

	memcpy(text, "((", 2);
	memcpy(text + 2, a->text.p, a->text.n);
	memcpy(text + 2 + a->text.n, "))", 3);
	return text;
}

char *command_text(struct shell *sh, const struct node *n)
{
	switch (n->kind) {
	case NODE_FOR:
	case NODE_SELECT:
		return loop_text(sh, n);
	case NODE_CASE:
		return case_text(sh, n);
	case NODE_FOR_ARITH:
		return part_text(sh, doing(sh)->part);
	default:
		return node_text(sh, n);
	}
}

void command_script(struct shell *sh, const struct script *s)
{
	struct script *before = (struct script *)(uintptr_t)sh->script;

	if (s)
		script_ref((struct script *)(uintptr_t)s);
	sh->script = s;
	sh->current = NULL;
	script_drop(before);
}

const char *shell_command_text(struct shell *sh)
{
	if (doing(sh)->shown)
		return doing(sh)->shown;
	return sh->current ? command_text(sh, sh->current) : "";
}

/* Before each turn. */
static void loop_head(struct shell *sh, const struct node *n)
{
	sh->line = n->line;
	if (sh->opts[OPT_XTRACE])
		loop_trace(sh, n);
}

static enum flow for_turns(struct shell *sh, const struct node *n, const struct fields *words)
{
	enum flow f = FLOW_NEXT;

	for (size_t i = 0; i < words->n; i++) {
		bool skip;

		proc_tick(sh->p, 1);
		loop_head(sh, n);
		f = eval_debug(sh, n, NULL, &skip);
		if (f != FLOW_NEXT)
			return f;
		if (skip)
			continue;
		command_is(sh, n);
		sh->given_up = false;
		if (var_set_loop(sh, &n->loop.name, words->at[i], words->lens[i])) {
			sh->status = 1;
			return sh->given_up ? sh->failed : eval_check(sh);
		}
		f = eval_node(sh, n->loop.body);
		if (loop_ends(sh, &f))
			return f;
	}
	return f;
}

bool loop_name_good(struct shell *sh, const struct node *n)
{
	if (parse_is_name(n->loop.name.s, n->loop.name.n))
		return true;
	shell_error(sh, "`%s': not a valid identifier", n->loop.name.s);
	sh->status = 1;
	return false;
}

static enum flow loop_name_bad(struct shell *sh)
{
	if (!sh->opts[OPT_POSIX] || sh->interactive)
		return eval_check(sh);
	sh->status = STATUS_USAGE;
	return FLOW_EXIT;
}

enum flow eval_for(struct shell *sh, const struct node *n)
{
	struct arena_mark m = arena_mark(&sh->turn);
	size_t mark = substitution_mark(sh);
	struct fields words = { 0 };
	enum flow f;

	if (!loop_name_good(sh, n))	/* its line is that of what is around */
		return loop_name_bad(sh);
	sh->line = n->line;
	f = loop_words(sh, n, &words);
	sh->loop_depth++;
	if (f == FLOW_NEXT) {
		/* The first turn sees the status of what came before. */
		if (!words.n)
			sh->status = 0;
		f = for_turns(sh, n, &words);
	}
	sh->loop_depth--;
	arena_reset(&sh->turn, m);
	substitution_close(sh, mark);
	return f;
}

/* ---- for (( )) ---- */

/* false: the expression failed, *f says how it goes on. */
static bool for_part(struct shell *sh, const struct node *n, const struct arith *a, int64_t *v,
		     enum flow *f)
{
	struct arena_mark m;
	bool good;

	*v = 1;
	*f = FLOW_NEXT;
	if (!a || !a->text.n)
		return true;
	sh->line = n->line;
	m = arena_mark(&sh->turn);
	if (doing(sh)->n_traps) {
		bool skip;

		*f = eval_debug(sh, n, part_text(sh, a), &skip);
		if (*f != FLOW_NEXT || skip) {
			arena_reset(&sh->turn, m);
			return *f == FLOW_NEXT;
		}
	}
	command_is(sh, n);
	if (sh->current == n)
		doing(sh)->part = a;
	sh->given_up = false;
	good = arith_eval_command(sh, a, v);
	arena_reset(&sh->turn, m);
	if (!good) {
		sh->status = 1;
		*f = sh->failed == FLOW_ABORT && !sh->given_up ? FLOW_NEXT : sh->failed;
	}
	return good;
}

enum flow eval_for_arith(struct shell *sh, const struct node *n)
{
	enum flow f = FLOW_NEXT;
	bool turned = false;
	int64_t v;

	if (!for_part(sh, n, n->loop_arith.init, &v, &f))
		return f != FLOW_NEXT ? f : eval_check(sh);
	sh->loop_depth++;
	for (;;) {
		int status = sh->status;

		proc_tick(sh->p, 1);
		if (!for_part(sh, n, n->loop_arith.test, &v, &f))
			break;
		if (!v) {
			if (!turned)
				sh->status = 0;
			break;
		}
		turned = true;
		sh->status = status;
		f = eval_node(sh, n->loop_arith.body);
		if (loop_ends(sh, &f))
			break;
		if (!for_part(sh, n, n->loop_arith.step, &v, &f))
			break;
	}
	sh->loop_depth--;
	return f;
}

/* ---- case ---- */

/* Does one of the patterns match? FLOW_NEXT unless expansion failed. */
static enum flow case_match(struct shell *sh, const struct case_item *item, struct slice text,
			    bool *found)
{
	unsigned flags = PATTERN_EXTGLOB | (sh->opts[SHOPT_NOCASEMATCH] ? PATTERN_ICASE : 0);

	*found = false;
	for (const struct word *w = item->patterns; w && !*found; w = w->next) {
		struct arena_mark m = arena_mark(&sh->turn);
		const struct pattern *pat;
		struct slice p;
		enum flow f;

		if ((w->flags & WORD_LITERAL) && !(flags & PATTERN_ICASE)) {
			*found = slice_eq(w->text, text);
			continue;
		}
		f = expand_pattern(sh, w, &p);
		if (f != FLOW_NEXT)
			return f;
		pat = pattern_cached(sh, p, flags);
		*found = pat && pattern_match(pat, text.p, text.n);
		arena_reset(&sh->turn, m);
	}
	return FLOW_NEXT;
}

/* "case word in "; in sh->turn. */
static char *case_text(struct shell *sh, const struct node *n)
{
	struct slice w = n->match.word->text;
	char *text = arena_alloc(&sh->turn, w.n + 10);

	memcpy(text, "case ", 5);
	memcpy(text + 5, w.p, w.n);
	memcpy(text + 5 + w.n, " in ", 5);
	return text;
}

static void trace_case(struct shell *sh, const struct node *n)
{
	char *text = case_text(sh, n);

	trace_text(sh, text, strlen(text) - 1);
}

static enum flow case_items(struct shell *sh, const struct node *n, struct slice text)
{
	bool found = false, ran = false;
	enum flow f = FLOW_NEXT;

	for (const struct case_item *i = n->match.items; i; i = i->next) {
		if (!found)
			f = case_match(sh, i, text, &found);
		if (f != FLOW_NEXT)
			return f;
		if (!found)
			continue;
		ran = i->body;
		if (ran)
			f = eval_node(sh, i->body);
		if (f != FLOW_NEXT)
			return f;
		if (i->end == CASE_BREAK)
			break;
		found = i->end == CASE_FALL;
	}
	/* What was before shows in the bodies; it is not the status of an empty case. */
	if (!ran)
		sh->status = 0;
	return f;
}

enum flow eval_case(struct shell *sh, const struct node *n)
{
	struct arena_mark m = arena_mark(&sh->turn);
	size_t mark = substitution_mark(sh);
	struct slice text;
	enum flow f = FLOW_NEXT;
	bool skip = false;

	sh->line = n->line;
	if (sh->opts[OPT_XTRACE])
		trace_case(sh, n);
	f = eval_debug(sh, n, NULL, &skip);
	if (skip)
		return f;
	command_is(sh, n);
	if (f == FLOW_NEXT)
		f = expand_string(sh, n->match.word, false, &text);
	if (f == FLOW_NEXT && !(n->match.word->flags & WORD_LITERAL))
		text.p = arena_dup(&sh->turn, text.p, text.n);	/* patterns may change it */
	if (f == FLOW_NEXT)
		f = case_items(sh, n, text);
	arena_reset(&sh->turn, m);
	substitution_close(sh, mark);
	return f;
}
