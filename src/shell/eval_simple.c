/*
 * Simple commands: words are expanded, then assignments, then redirections,
 * then the command runs; what was changed for it is changed back. Everything
 * the expansion made lives in sh->turn until the command is over.
 */
#include "shell/doing.h"

#include <string.h>

#include "lang/print.h"

/* ---- Assignments ---- */

/* With set -x the value must be seen before it is assigned. */
static int assign_traced(struct shell *sh, const struct assign *a, bool temporary, enum flow *flow)
{
	struct slice v = SLICE("");

	if (a->is_array) {
		trace_array(sh, a);
		return var_assign(sh, a, 0, false);
	}
	if (a->value) {
		*flow = expand_string(sh, a->value, true, &v);
		if (*flow != FLOW_NEXT)
			return 1;
	}
	trace_assign(sh, a, &v);
	if (temporary) {
		struct part text = { .kind = PART_SINGLE, .text = v };
		struct word word = { .parts = &text, .flags = WORD_QUOTED, .text = v };
		struct assign copy = *a;

		copy.value = &word;
		return var_assign(sh, &copy, VAR_EXPORT, true);
	}
	if (a->sub.kind != SUBSCRIPT_NONE)
		return var_set_element(sh, &a->name, &a->sub, v.p, v.n, a->append);
	return a->append ? var_append(sh, &a->name, v.p, v.n) : var_set(sh, &a->name, v.p, v.n);
}

static void check_trace_fd(struct shell *sh)
{
	struct slice v;
	int64_t fd;

	doing(sh)->trace_fd = 0;
	if (!var_get_text(sh, "BASH_XTRACEFD", &v) || !v.n)
		return;
	if (!text_number(v.p, &fd) || fd < 0 || fd > INT32_MAX || !proc_fd_open(sh->p, (int)fd))
		shell_error(sh, "BASH_XTRACEFD: %s: invalid value for trace file descriptor", v.p);
	else
		doing(sh)->trace_fd = (int)fd;
}

/* Assignments with no command: they are the shell's own. */
static enum flow simple_assign(struct shell *sh, const struct node *n)
{
	enum flow f = FLOW_NEXT;

	for (const struct assign *a = n->simple.assigns; a; a = a->next) {
		int bad;

		sh->failed = FLOW_ABORT;
		sh->given_up = false;
		if (sh->opts[OPT_XTRACE])
			bad = assign_traced(sh, a, false, &f);
		else
			bad = var_assign(sh, a, 0, false);
		if (bad) {
			if (sh->failed == FLOW_ABORT || !sh->status)
				sh->status = 1;
			if (sh->opts[OPT_POSIX] && !sh->interactive) {
				sh->status = sh->command_string && !sh->is_subshell && !sh->given_up ?
					     127 : 1;
				return FLOW_EXIT;
			}
			return f != FLOW_NEXT ? f : sh->failed;
		}
		if (a->name.n == 13 && !memcmp(a->name.s, "BASH_XTRACEFD", 13))
			check_trace_fd(sh);
	}
	return FLOW_NEXT;
}

/* A=(1 2) cmd: an environment has no arrays; the command gets the text. */
static int temporary_array(struct shell *sh, const struct assign *a)
{
	struct str text;
	size_t head = a->name.n + 1 + a->append;
	int bad;

	str_init(&text, sh->heap, STR_MAX_DEFAULT);
	print_assign(&text, a);
	if (text.n > head)
		str_erase(&text, 0, head);
	{
		struct slice v = str_slice(&text);
		struct part part = { .kind = PART_SINGLE, .text = v };
		struct word word = { .parts = &part, .flags = WORD_QUOTED, .text = v };
		struct assign copy = *a;

		copy.is_array = false;
		copy.items = NULL;
		copy.value = &word;
		bad = var_assign(sh, &copy, VAR_EXPORT, true);
	}
	str_end(&text);
	return bad;
}

static bool is_readonly(struct shell *sh, const struct name *name)
{
	const struct var *v = var_find(sh, name);

	return v && (v->flags & VAR_READONLY);
}

/* A=1 cmd: in a scope of their own, exported. bash goes on after a readonly
 * variable, though in POSIX mode without the command (*refused), and gives up when
 * an expansion failed. */
static enum flow temporary_assign(struct shell *sh, const struct node *n, bool *refused)
{
	*refused = false;
	for (const struct assign *a = n->simple.assigns; a; a = a->next) {
		enum flow f = FLOW_NEXT;
		int bad;

		sh->failed = FLOW_NEXT;
		if (a->is_array)
			bad = temporary_array(sh, a);
		else if (sh->opts[OPT_XTRACE])
			bad = assign_traced(sh, a, true, &f);
		else
			bad = var_assign(sh, a, VAR_EXPORT, true);
		if (bad && f != FLOW_NEXT)
			return f;
		if (bad && (sh->failed == FLOW_EXIT ||
			    (sh->failed == FLOW_ABORT && !is_readonly(sh, &a->name))))
			return sh->failed;
		*refused |= bad && sh->opts[OPT_POSIX];
	}
	return FLOW_NEXT;
}

/* ---- Words ---- */

/* Declaration builtins: an argument that is an assignment is not split. It
 * becomes text "x=value"; an array literal stays a tree, beside its argument. */
static enum flow expand_decl_assign(struct shell *sh, const struct assign *a, struct fields *out)
{
	struct slice v = SLICE("");
	size_t before = out->n;
	struct str t;
	enum flow f = FLOW_NEXT;

	str_init(&t, sh->heap, STR_MAX_DEFAULT);
	str_addn(&t, a->name.s, a->name.n);
	if (a->sub.kind == SUBSCRIPT_EXPR && a->sub.word) {
		str_addc(&t, '[');
		str_addslice(&t, a->sub.word->text);
		str_addc(&t, ']');
	}
	if (!a->is_array) {
		str_adds(&t, a->append ? "+=" : "=");
		if (a->value && a->value->flags & WORD_BRACE && sh->opts[OPT_BRACEEXPAND])
			f = brace_expand_assignment(sh, t.p, a->value, out);
		if (a->value && f == FLOW_NEXT && out->n == before)
			f = expand_string(sh, a->value, true, &v);
		str_addslice(&t, v);
	}
	if (f == FLOW_NEXT && out->n == before) {
		struct slice one = str_slice(&t);
		struct part text = { .kind = PART_SINGLE, .text = one };
		struct word word = { .parts = &text, .flags = WORD_QUOTED, .text = one };

		f = expand_words(sh, &word, out);
	}
	str_end(&t);
	return f;
}

static void keep_tree(struct shell *sh, const struct assign *a, size_t index,
		      struct decl_tree ***link)
{
	struct decl_tree *t = arena_alloc(&sh->turn, sizeof(*t));

	if (!t)
		return;
	*t = (struct decl_tree){ .index = (int)index, .assign = a };
	**link = t;
	*link = &t->next;
}

static enum flow expand_decl(struct shell *sh, const struct node *n, struct fields *out,
			     struct decl_tree **trees)
{
	struct decl_tree **link = trees;
	enum flow f;

	for (const struct decl_arg *a = n->simple.decl; a; a = a->next) {
		if (a->word) {
			struct word one = *a->word;

			one.next = NULL;
			f = expand_words(sh, &one, out);
		} else {
			f = expand_decl_assign(sh, a->assign, out);
			if (f == FLOW_NEXT && a->assign->is_array && sh->opts[OPT_XTRACE])
				trace_array_quoted(sh, a->assign);
			if (f == FLOW_NEXT && a->assign->is_array)
				keep_tree(sh, a->assign, out->n - 1, &link);
		}
		if (f != FLOW_NEXT)
			return f;
	}
	return FLOW_NEXT;
}

/* ---- set -k: assignments among the arguments ---- */

/* Length of the name if the word's source is name=...; 0: an ordinary word. */
static size_t keyword_name(const struct word *w)
{
	const char *equals = memchr(w->text.p, '=', w->text.n);
	size_t n = equals ? (size_t)(equals - w->text.p) : 0;

	return n && parse_is_name(w->text.p, n) ? n : 0;
}

/* Words one by one; those that assign go to `assigned` as name=value. */
static enum flow expand_keywords(struct shell *sh, const struct node *n, struct fields *out,
				 struct fields *assigned)
{
	for (const struct word *w = n->simple.words; w; w = w->next) {
		struct word one = *w;
		enum flow f;

		one.next = NULL;
		f = expand_words(sh, &one, keyword_name(w) ? assigned : out);
		if (f != FLOW_NEXT)
			return f;
	}
	return FLOW_NEXT;
}

static void assign_keywords(struct shell *sh, const struct fields *assigned, uint32_t flags,
			    bool temporary)
{
	for (size_t i = 0; i < assigned->n; i++) {
		const char *text = assigned->at[i], *equals = strchr(text, '=');
		size_t n = equals ? (size_t)(equals - text) : 0;
		struct slice v = { equals + 1, assigned->lens[i] - n - 1 };
		struct part part = { .kind = PART_SINGLE, .text = v };
		struct word word = { .parts = &part, .flags = WORD_QUOTED, .text = v };
		struct assign a = { .value = &word };

		if (!equals || !parse_is_name(text, n))
			continue;
		a.name.s = arena_dup(&sh->turn, text, n);
		a.name.n = (uint32_t)n;
		a.name.hash = map_hash(a.name.s, n);
		var_assign(sh, &a, flags, temporary);
	}
}

/* ---- Running ---- */

/* Redirections that change the shell, {var}> among them. */
static bool redirs_have_effects(const struct redir *r)
{
	for (; r; r = r->next)
		if (r->var.n || (r->word && r->word->flags & WORD_EFFECTS))
			return true;
	return false;
}

/* Without a command bash does these in a child: {var}>, and what is its input. */
static bool redirs_want_child(const struct redir *r)
{
	for (; r; r = r->next)
		if (r->var.n || (r->fd <= 0 && (r->kind == REDIR_IN || r->kind == REDIR_RW ||
						r->kind == REDIR_DUP_IN)) ||
		    (r->fd == 0 && r->kind == REDIR_DUP_OUT))
			return true;
	return false;
}

static bool is_program(struct shell *sh, const struct fields *words)
{
	return run_is_program(sh, words->at[0], words->lens[0]);
}

/* POSIX: those in front of a special builtin are the shell's own. */
static bool keeps_assignments(struct shell *sh, const struct fields *words)
{
	const struct builtin *b;

	if (!sh->opts[OPT_POSIX])
		return false;
	b = builtin_active(sh, words->at[0], words->lens[0]);
	return b && (b->flags & BUILTIN_SPECIAL);
}

static int simple_redirect(struct shell *sh, const struct node *n, const struct fields *words,
			   struct redir_undo *undo, enum flow *f)
{
	bool hide = n->simple.assigns && words->n && !keeps_assignments(sh, words);
	int status;

	if (hide)
		var_hide_temporary(sh, true);
	status = redir_apply(sh, n->redirs, undo, f);
	if (hide)
		var_hide_temporary(sh, false);
	return status;
}

/* With redirections around it. A program's are its own process's. */
static enum flow __attribute__((noinline)) simple_redirected(struct shell *sh,
							     const struct node *n,
							     struct fields *words)
{
	struct doing *d = doing(sh);
	struct redir_undo undo;
	enum flow f = FLOW_NEXT;

	if (words->n ? redirs_have_effects(n->redirs) && is_program(sh, words) :
	    redirs_want_child(n->redirs)) {
		sh->status = run_in_child(sh, n, (int)words->n, words->at);
		if (!words->n)	/* a substitution's status is not seen then */
			sh->substitution_status = 0;
		return FLOW_NEXT;
	}
	redir_begin(sh, &undo);
	sh->status = simple_redirect(sh, n, words, &undo, &f);
	if (sh->status) {
		if (words->n && is_program(sh, words))
			return FLOW_NEXT;
		if (sh->opts[OPT_POSIX] && words->n && f == FLOW_NEXT) {
			const struct builtin *b = builtin_active(sh, words->at[0],
								 words->lens[0]);

			if (b && (b->flags & BUILTIN_SPECIAL))
				f = FLOW_EXIT;
		}
		return f;
	}
	d->keep_redirs = false;
	d->call_redirs++;
	if (words->n)
		sh->status = run_command(sh, (int)words->n, words->at, 0, &f);
	d->call_redirs--;
	if (f == FLOW_EXIT)
		eval_leave(sh, true);
	if (d->keep_redirs)
		redir_keep(sh, &undo);
	else
		redir_restore(sh, &undo);
	d->keep_redirs = false;
	return f;
}

static void keep_last_arg(struct shell *sh, const char *last, size_t n)
{
	str_reset(&sh->last_arg);
	str_addn(&sh->last_arg, last, n);
	if (sh->last_arg_given) {
		sh->last_arg_given = false;
		if (!sh->environ_stale)
			sh->environ_stale = ENVIRON_GIVEN;
	}
}

static enum flow simple_run(struct shell *sh, const struct node *n, struct fields *words)
{
	enum flow f = FLOW_NEXT;

	if (sh->opts[OPT_XTRACE])
		trace_words(sh, words);
	if (n->redirs)
		return simple_redirected(sh, n, words);
	sh->status = run_command(sh, (int)words->n, words->at, 0, &f);
	return f;
}

/* Those that stay behind a special builtin stay exported. */
static void export_assigned(struct shell *sh, const struct node *n)
{
	for (const struct assign *a = n->simple.assigns; a; a = a->next) {
		struct var *v = var_find(sh, &a->name);

		if (!v || a->sub.kind != SUBSCRIPT_NONE || v->flags & VAR_NAMEREF)
			continue;
		v->flags |= VAR_EXPORT;
		sh->environ_stale = true;
	}
}

/* With the assignments, if any, in force. */
static enum flow simple_words(struct shell *sh, const struct node *n, struct fields *words,
			      const struct fields *keywords)
{
	const char *last = words->at[words->n - 1];	/* builtins may change argv */
	size_t last_n = words->lens[words->n - 1];
	enum flow f;
	bool refused;

	if (!n->simple.assigns && !keywords->n) {
		f = simple_run(sh, n, words);
	} else if (keeps_assignments(sh, words)) {
		f = simple_assign(sh, n);
		if (f == FLOW_NEXT) {
			export_assigned(sh, n);
			f = simple_run(sh, n, words);
		}
	} else {
		var_push_temporary(sh);
		f = temporary_assign(sh, n, &refused);
		if (refused && f == FLOW_NEXT) {
			sh->status = 1;
			f = FLOW_ABORT;
		} else if (f == FLOW_NEXT) {
			assign_keywords(sh, keywords, VAR_EXPORT, true);
			f = simple_run(sh, n, words);
		} else {
			sh->status = sh->status ? sh->status : 1;
		}
		var_pop_temporary(sh);
	}
	keep_last_arg(sh, last, last_n);
	return f;
}

/* Words that came to nothing: the assignments are the shell's own, and stay when a
 * redirection behind them fails. */
static enum flow simple_nothing(struct shell *sh, const struct node *n,
				const struct fields *keywords)
{
	struct fields none = { 0 };
	enum flow f = FLOW_NEXT;

	if (n->simple.assigns)
		f = simple_assign(sh, n);
	if (f == FLOW_NEXT)
		assign_keywords(sh, keywords, 0, false);
	if (f == FLOW_NEXT && n->redirs) {
		f = simple_redirected(sh, n, &none);
		keep_last_arg(sh, "", 0);
		if (f != FLOW_NEXT || sh->status)
			return f;
	}
	if (f == FLOW_NEXT)
		sh->status = sh->substitution_status > 0 ? sh->substitution_status : 0;
	keep_last_arg(sh, "", 0);
	return f;
}

static enum flow simple_expand_run(struct shell *sh, const struct node *n)
{
	struct fields words = { 0 }, keywords = { 0 };
	struct decl_tree *trees = NULL, *outer = doing(sh)->decl;
	enum flow f;

	sh->substitution_status = -1;
	if (n->simple.decl)
		f = expand_decl(sh, n, &words, &trees);
	else if (sh->opts[OPT_KEYWORD] && n->simple.words)
		f = expand_keywords(sh, n, &words, &keywords);
	else
		f = n->simple.words ? expand_words(sh, n->simple.words, &words) : FLOW_NEXT;
	if (f != FLOW_NEXT) {
		if (!sh->status)
			sh->status = 1;
		return f;
	}
	if (!words.n)
		return simple_nothing(sh, n, &keywords);
	doing(sh)->decl = trees;
	f = simple_words(sh, n, &words, &keywords);
	doing(sh)->decl = outer;
	return f;
}

enum flow eval_simple(struct shell *sh, const struct node *n)
{
	struct doing *d = doing(sh);
	struct arena_mark m = arena_mark(&sh->turn);
	size_t mark = d->open_substitutions.n;
	bool skip, trapped = d->n_traps && trap_has(sh, TRAP_ERR);
	enum flow f = eval_debug(sh, n, NULL, &skip);

	if (f != FLOW_NEXT || skip)
		return f;
	sh->line = n->line;
	d->simple = n;
	command_is(sh, n);
	f = simple_expand_run(sh, n);
	pipe_status_is(sh);
	if (d->open_substitutions.n > mark)
		substitution_close(sh, mark);
	arena_reset(&sh->turn, m);
	if (sh->jobs)
		f = jobs_step(sh, f);
	if ((d->n_traps || sh->prompts) && f == FLOW_NEXT)
		f = trap_pending_slow(sh);
	if (f != FLOW_NEXT || d->negated == n)
		return f;
	if (d->n_traps && !trapped && sh->status && trap_has(sh, TRAP_ERR))	/* its own work */
		return sh->opts[OPT_ERREXIT] && !sh->errexit_off ? FLOW_EXIT : FLOW_NEXT;
	return eval_check(sh);
}
