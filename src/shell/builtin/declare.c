/*
 * declare, typeset, local, export, readonly: options into attribute bits, then
 * each argument. An argument is text "name=value" (already expanded), or stands
 * for an array literal of the tree (doing->decl).
 */
#include "shell/builtin/declare.h"

#include <string.h>

static bool assign_text_split(const char *arg, struct assign_text *out)
{
	const char *p = arg;
	unsigned depth = 0;

	for (; *p; p++) {
		if (*p == '[')
			depth++;
		else if (*p == ']' && depth)
			depth--;
		else if (!depth && (*p == '=' || (*p == '+' && p[1] == '=')))
			break;
		else if (!depth && p > arg && p[-1] == ']')
			break;
	}
	out->name = arg;
	out->n = (size_t)(p - arg);
	out->append = *p == '+' && p[1] == '=';
	out->value = NULL;
	if (*p == '=' || out->append)
		out->value = p + 1 + out->append;
	else
		out->n = strlen(arg);
	return out->value != NULL;
}

static const struct assign *tree_of(const struct shell *sh, int index)
{
	for (const struct decl_tree *t = doing(sh)->decl; t; t = t->next)
		if (t->index == index)
			return t->assign;
	return NULL;
}

/* ---- Setting ---- */

/* "(1 2)" given as text where an array is meant: parsed as a literal. */
static int assign_literal_text(struct declare *d, const struct assign_text *t)
{
	struct shell *sh = d->sh;
	struct parse_options opt = shell_parse_options(sh, "declare", sh->line);
	struct parse_error err = { .line = 0 };
	struct script *s;
	struct str text;
	int status = 1;

	str_init(&err.message, sh->heap, STR_MAX_DEFAULT);
	str_init(&err.detail, sh->heap, STR_MAX_DEFAULT);
	str_init(&text, sh->heap, STR_MAX_DEFAULT);
	str_addn(&text, t->name, t->n);
	str_adds(&text, t->append ? "+=" : "=");
	str_adds(&text, t->value);
	s = parse_script(doing(sh)->script_heap, text.p, text.n, &opt, &err);
	if (s && s->body && s->body->list.first->kind == NODE_SIMPLE &&
	    s->body->list.first->simple.assigns)
		status = d->global ? var_assign_declare(sh, s->body->list.first->simple.assigns, 0, 0,
							false, true)
				   : var_assign(sh, s->body->list.first->simple.assigns, 0, d->local);
	if (s)
		script_drop(s);
	str_end(&text);
	str_end(&err.message);
	str_end(&err.detail);
	return status;
}

static bool is_literal_text(const char *value)
{
	size_t n = strlen(value);

	return n >= 2 && value[0] == '(' && value[n - 1] == ')';
}

static int assign_value(struct declare *d, struct var *v, const struct assign_text *t)
{
	struct shell *sh = d->sh;
	struct slice base;
	struct sub sub;

	if ((v->flags & (VAR_INDEXED | VAR_ASSOC)) && is_literal_text(t->value) &&
	    (!d->traced || d->on & (VAR_INDEXED | VAR_ASSOC)) &&
	    !memchr(t->name, '[', t->n))
		return assign_literal_text(d, t);
	if (!name_split(t->name, t->n, &base, &sub))
		return 1;
	if (sub.kind != SUBSCRIPT_NONE)
		return var_put_element(sh, v, &sub, t->value, strlen(t->value), t->append);
	return var_put(sh, v, t->value, strlen(t->value), t->append);
}

/* export and readonly show their assignments once more. */
static void trace_value(struct shell *sh, const struct assign_text *t)
{
	struct arena_mark m = arena_mark(&sh->turn);
	struct str line;

	str_init(&line, sh->heap, STR_MAX_DEFAULT);
	str_addn(&line, t->name, t->n);
	str_adds(&line, t->append ? "+=" : "=");
	if (*t->value)
		quote_trace(&line, t->value, strlen(t->value));
	trace_text(sh, line.p, line.n);
	str_end(&line);
	arena_reset(&sh->turn, m);
}

/* An array literal: its words are expanded before the variable is made, so that
 * `local a=("${a[@]}")` sees the outer one. */
static struct var *declare_tree(struct declare *d, const struct assign_text *t,
				const struct assign *tree, uint32_t on)
{
	struct shell *sh = d->sh;

	if (var_assign_declare(sh, tree, on, d->off, d->local, d->global)) {
		*d->flow = sh->failed;
		return NULL;
	}
	return var_find_text(sh, t->name, t->n);
}

/* A value for what is readonly: a failure of the builtin, not of the assignment,
 * so the script goes on; but not from an array literal, nor in POSIX mode from
 * export and readonly. */
static bool declare_refused(struct declare *d, const struct assign_text *t, const struct var *v,
			    bool tree)
{
	struct shell *sh = d->sh;
	int n = (int)strcspn(t->name, "[+=");

	if (!v || !(v->flags & VAR_READONLY) ||
	    (d->traced && sh->opts[OPT_POSIX] && !doing(sh)->commanded))
		return false;
	if (tree || (d->traced && !(d->on & (VAR_INDEXED | VAR_ASSOC) && is_literal_text(t->value))))
		shell_error(sh, "%s: readonly variable", v->name);
	else
		builtin_error(sh, "%.*s: readonly variable", n, t->name);
	if (tree)
		*d->flow = FLOW_ABORT;
	return true;
}

/* References are no elements; export and readonly take none; -a is told of an element too. */
static bool element_refused(const struct declare *d, const struct assign_text *t)
{
	size_t n = (size_t)((const char *)memchr(t->name, '[', t->n) - t->name);
	const struct var *old = d->on & VAR_INDEXED ? var_find_text(d->sh, t->name, n) : NULL;

	if (old && old->flags & VAR_ASSOC && !(d->on & VAR_NAMEREF) && !d->traced) {
		builtin_error(d->sh, "%s: cannot convert associative to indexed array", old->name);
		return true;
	}
	if (d->on & VAR_NAMEREF)
		builtin_error(d->sh, "%.*s: reference variable cannot be an array", (int)t->n, t->name);
	else if (d->traced)
		builtin_error(d->sh, "`%.*s': not a valid identifier", (int)t->n, t->name);
	return (d->on & VAR_NAMEREF) || d->traced;
}

/* export and readonly look through a reference; what they see there must be a name. */
static bool reference_refused(const struct declare *d, const struct assign_text *t)
{
	struct shell *sh = d->sh;
	struct var *v = var_find_text(sh, t->name, t->n);
	struct slice to;

	if (!v || !(v->flags & VAR_NAMEREF))
		return false;
	to = str_slice(&v->text);
	if (parse_is_name(to.p, to.n))
		return false;
	builtin_error(sh, "`%.*s': not a valid identifier", (int)to.n, to.p);
	return true;
}

/* What a reference may not be called; then no variable is made. */
static bool nameref_refused(const struct declare *d, const struct assign_text *t)
{
	struct shell *sh = d->sh;
	bool own = strlen(t->value) == t->n && !memcmp(t->value, t->name, t->n);

	if (!*t->value)
		builtin_error(sh, "`': not a valid identifier");
	else if (!reference_valid(t->value, strlen(t->value)))
		builtin_error(sh, "`%s': invalid variable name for name reference", t->value);
	else if (own && !(d->local && var_local_scope(sh)))
		builtin_error(sh, "%s: nameref variable self references not allowed", t->value);
	else
		return false;
	return true;
}

/* declare -r a[1]=x: bash makes the array readonly first, and then cannot assign. */
static int declare_readonly_element(struct declare *d, const struct assign_text *t, uint32_t on)
{
	struct shell *sh = d->sh;
	const char *bracket = memchr(t->name, '[', t->n);
	size_t n = bracket ? (size_t)(bracket - t->name) : t->n;
	const struct var *old = var_find_text(sh, t->name, n);
	bool fresh = !old;
	struct var *v;

	if (!(on & VAR_ASSOC) && (!old || !(old->flags & VAR_ASSOC)))
		on |= VAR_INDEXED;
	v = var_declare(sh, t->name, n, on | VAR_READONLY, d->off, d->local, d->global);
	if (!v)
		return 1;
	if (!v->scope && (v->flags & VAR_INDEXED || (v->flags & VAR_ASSOC && fresh)))
		v->flags |= VAR_SET;
	shell_error(sh, "%s: readonly variable", v->name);
	return 0;
}

/* The variable has its value: readonly, and what attributes exclude each other. */
static int declare_finish(struct declare *d, const struct assign_text *t, struct var *v, bool tree)
{
	struct shell *sh = d->sh;
	uint32_t nameref = tree ? 0 : d->on & VAR_NAMEREF;

	if (d->on & VAR_READONLY)
		v = var_declare(sh, t->name, t->n, VAR_READONLY | nameref, 0, d->local, d->global);
	if (v && d->on & VAR_INDEXED && d->on & VAR_ASSOC && !d->traced) {
		builtin_error(sh, "%s: cannot convert associative to indexed array", v->name);
		return 1;
	}
	if (v && tree && d->on & VAR_NAMEREF) {
		builtin_error(sh, "%s: reference variable cannot be an array", v->name);
		return 1;
	}
	return v ? 0 : 1;
}

/* What needs no variable to be seen to be wrong, or done. -1: go on; else the status. */
static int declare_look(const struct declare *d, const struct assign_text *t, const char *arg,
			bool has_value, const struct assign *tree)
{
	struct shell *sh = d->sh;

	if (!reference_valid(t->name, t->n)) {
		if (t->n > 2 && !memcmp(t->name + t->n - 2, "[]", 2) && has_value && !d->traced)
			shell_error(sh, "%.*s: bad array subscript", (int)t->n, t->name);
		else
			builtin_error(sh, "`%.*s': not a valid identifier",
				      d->traced && memchr(t->name, '[', t->n) ? (int)t->n :
				      (int)strlen(arg), arg);
		return 1;
	}
	if (memchr(t->name, '[', t->n) && element_refused(d, t)) {
		/* a wrong assignment of export and readonly ends a shell in POSIX mode */
		doing(sh)->misused |= d->traced && has_value;
		return 1;
	}
	if (has_value && (d->on & VAR_NAMEREF) && !tree && nameref_refused(d, t))
		return 1;
	if (d->traced && !tree && !has_value && reference_refused(d, t))
		return 0;		/* bash's status says nothing of it */
	if (d->remove && !has_value && !tree && !var_find_text(sh, t->name, t->n))
		return 0;		/* export -n makes none */
	return -1;
}

static int declare_one(struct declare *d, const char *arg, const struct assign *tree);

/* declare -a e[10]="(x)": for a whole array bash does not look at the subscript. */
static void declare_whole(const struct declare *d, struct assign_text *t)
{
	const char *bracket = memchr(t->name, '[', t->n);

	if (bracket && is_literal_text(t->value) && d->on & VAR_INDEXED && !(d->on & (VAR_ASSOC | VAR_READONLY)) && !d->traced)
		t->n = (size_t)(bracket - t->name);
}

/* declare +n ref=x: the value goes through the reference, which is none from then on. */
static int declare_unref(struct declare *d, const char *arg, const struct assign_text *t)
{
	int status;

	d->off &= ~(uint32_t)VAR_NAMEREF;
	status = declare_one(d, arg, NULL);
	d->off |= VAR_NAMEREF;
	if (status)
		return status;
	return var_declare(d->sh, t->name, t->n, 0, VAR_NAMEREF, d->local, d->global) ? 0 : 1;
}

static bool is_reference(struct shell *sh, const struct assign_text *t)
{
	struct name key = name_of(t->name, t->n);
	const struct var *v = var_find(sh, &key);

	return v && v->flags & VAR_NAMEREF;
}

/* What was a value is no name for the reference that the variable becomes, and goes. */
static void declare_forget(struct declare *d, const struct assign_text *t)
{
	struct name key = name_of(t->name, t->n);
	struct var *v = var_find(d->sh, &key);

	if (!v || v->flags & (VAR_NAMEREF | VAR_INDEXED | VAR_ASSOC | VAR_READONLY) || v->special ||
	    (d->local && v->scope != var_local_scope(d->sh)))
		return;
	str_reset(&v->text);
	v->flags &= ~(uint32_t)(VAR_SET | VAR_INTEGER);
}

/* Items for an array of the other kind: bash assigns them before the builtin looks, and gives
 * up the line; in a function the builtin has its say as well. */
static bool kind_refused(struct declare *d, const struct var *old)
{
	uint32_t is = old ? old->flags & (VAR_INDEXED | VAR_ASSOC) : 0;
	bool assoc = is & VAR_ASSOC;

	if (!is || !(d->on & (assoc ? VAR_INDEXED : VAR_ASSOC)) || d->sh->call_depth)
		return false;
	shell_error(d->sh, "%s: cannot convert %s array", old->name,
		    assoc ? "associative to indexed" : "indexed to associative");
	*d->flow = FLOW_ABORT;
	return true;
}

/* Items for what takes none of that kind, or none at all. */
static bool literal_refused(struct declare *d, const struct assign_text *t, const struct var *old,
			    bool both)
{
	bool own = old && old->scope && old->scope == var_local_scope(d->sh);

	if (!d->local && !both && kind_refused(d, old))
		return true;
	return (!d->local || own) && declare_refused(d, t, old, true);
}

/* A value for what is readonly already: then its attributes stay what they are, too. */
static bool value_refused(struct declare *d, const struct assign_text *t)
{
	size_t n = strcspn(t->name, "[+=");
	struct name key = name_of(t->name, n);
	struct var *v = var_find(d->sh, &key);

	if (!v || v->flags & VAR_NAMEREF || d->on & VAR_NAMEREF || d->traced ||
	    (d->local && var_local_scope(d->sh) && v->scope != var_local_scope(d->sh)))
		return false;
	return declare_refused(d, t, v, false);
}

/* One argument of declare and its kin. */
static int declare_one(struct declare *d, const char *arg, const struct assign *tree)
{
	struct shell *sh = d->sh;
	struct assign_text t;
	struct var *v;
	bool both = (d->on & VAR_INDEXED) && (d->on & VAR_ASSOC);
	bool has_value = assign_text_split(arg, &t), outer = sh->opts[SHOPT_LOCALVAR_INHERIT];
	uint32_t early = d->on & ~(uint32_t)VAR_READONLY;
	int status = declare_look(d, &t, arg, has_value, tree);

	if (status >= 0)
		return status;
	if (has_value && !tree && d->off & VAR_NAMEREF && is_reference(sh, &t))
		return declare_unref(d, arg, &t);
	if (has_value && !tree) {
		if (value_refused(d, &t))
			return 1;
		declare_whole(d, &t);
	}
	if (tree) {
		struct name key = name_of(t.name, t.n);
		const struct var *old = var_find(sh, &key);

		if (literal_refused(d, &t, old, both))
			return 1;
		if (d->on & VAR_ASSOC)
			;
		else if (!old || !(old->flags & VAR_ASSOC) ||
		    (d->local && old->scope != var_local_scope(sh) && !outer && !d->inherit))
			early |= VAR_INDEXED;
	}
	if (d->no_empty_arrays && !tree && !has_value)
		early &= ~(uint32_t)(VAR_INDEXED | VAR_ASSOC);
	if (both)
		early &= ~(uint32_t)VAR_INDEXED;
	if (has_value && d->on & VAR_READONLY && memchr(t.name, '[', t.n))
		return declare_readonly_element(d, &t, early);
	if (tree)
		early &= ~(uint32_t)VAR_NAMEREF;
	if (d->inherit)
		sh->opts[SHOPT_LOCALVAR_INHERIT] = true;
	sh->failed = FLOW_NEXT;
	if (has_value && early & VAR_NAMEREF)
		declare_forget(d, &t);
	v = tree ? declare_tree(d, &t, tree, early)
		 : var_declare(sh, t.name, t.n, early, d->off, d->local, d->global);
	sh->opts[SHOPT_LOCALVAR_INHERIT] = outer;
	if (v && has_value && d->traced && sh->opts[OPT_XTRACE])
		trace_value(sh, &t);
	if (!v || (has_value && declare_refused(d, &t, v, false)))
		return 1;
	if (has_value && assign_value(d, v, &t)) {
		doing(sh)->misused |= d->traced;
		if (sh->failed != FLOW_NEXT)	/* arithmetic of -i: the line is given up */
			*d->flow = sh->failed;
		return 1;
	}
	return declare_finish(d, &t, v, tree != NULL);
}

/* -f with names: show, or change attributes. */
static int declare_function(struct declare *d, const char *name)
{
	static const struct { uint32_t flag; char letter; } no_functions[] = {
		{ VAR_INDEXED, 'a' }, { VAR_ASSOC, 'A' }, { VAR_INTEGER, 'i' }, { VAR_NAMEREF, 'n' },
	};
	struct shell *sh = d->sh;
	const struct function *f;

	if (strchr(name, '=') && !d->traced) {
		builtin_error(sh, "cannot use `-f' to make functions");
		return 1;
	}
	if (!d->on && !d->off && !d->remove)
		return declare_print_function_named(d, name);
	for (size_t i = 0; i < sizeof(no_functions) / sizeof(no_functions[0]); i++) {
		if (!d->traced && d->on & no_functions[i].flag) {
			builtin_error(sh, "-%c: invalid option", no_functions[i].letter);
			return -1;
		}
	}
	f = function_find(sh, name, strlen(name));
	if (!f) {
		if (d->traced)
			builtin_error(sh, "%s: not a function", name);
		return 1;
	}
	if (f->flags & VAR_READONLY && d->off & VAR_READONLY) {
		builtin_error(sh, "%s: readonly function", name);
		return 1;
	}
	if (d->on & VAR_EXPORT && strpbrk(name, "=/")) {
		builtin_error(sh, "%s: cannot export", name);
		return 1;
	}
	function_change(sh, name, strlen(name), d->on, d->off);
	return 0;
}

static int declare_arguments(struct declare *d, int argc, char **argv, int from)
{
	int status = 0;

	for (int i = from; i < argc; i++) {
		int bad;

		if (d->print) {
			const struct assign *tree = d->functions ? NULL : tree_of(d->sh, i);

			/* bash assigned arrays' literals before it looked at -p */
			bad = (tree && declare_one(d, argv[i], tree)) || declare_print_named(d, argv[i]);
		}
		else if (d->functions)
			bad = declare_function(d, argv[i]);	/* -1: of none of them */
		else
			bad = declare_one(d, argv[i], tree_of(d->sh, i));
		if (bad)
			status = 1;
		if (*d->flow != FLOW_NEXT || bad < 0)
			return status;
	}
	return status;
}

/* ---- declare, typeset, local ---- */

static uint32_t attribute(int letter)
{
	switch (letter) {
	case 'a': return VAR_INDEXED;
	case 'A': return VAR_ASSOC;
	case 'c': return VAR_CAPITAL;
	case 'i': return VAR_INTEGER;
	case 'l': return VAR_LOWER;
	case 'n': return VAR_NAMEREF;
	case 'r': return VAR_READONLY;
	case 't': return VAR_TRACE;
	case 'u': return VAR_UPPER;
	case 'x': return VAR_EXPORT;
	default: return 0;
	}
}

/* -1 after a usage message. */
static int declare_options(struct declare *d, struct bopt *o)
{
	for (int c; (c = bopt_next(o, "+aAcfFgGiIlnrtuxp"));) {
		if (c < 0)
			return -1;
		switch (c) {
		case 'f':
			d->functions |= !o->plus;
			break;
		case 'F':
			d->functions = d->names_only = true;
			break;
		case 'g':
		case 'G':	/* undocumented */
			d->global = true;
			break;
		case 'I':
			d->inherit = true;
			break;
		case 'p':
			d->print = true;	/* +p, too */
			break;
		default:
			*(o->plus ? &d->off : &d->on) |= attribute(c);
		}
	}
	return 0;
}

static int declare_run(struct declare *d, int argc, char **argv)
{
	struct shell *sh = d->sh;
	struct bopt o;

	bopt_init(&o, sh, argc, argv);
	if (declare_options(d, &o)) {
		/* Arrays' literals were assigned before the builtin looked at all. */
		for (int i = o.at; i < argc && !d->functions; i++)
			if (tree_of(sh, i))
				declare_one(d, argv[i], tree_of(sh, i));
		return STATUS_USAGE;
	}
	if (d->global)
		d->local = false;
	if (o.at < argc)
		return declare_arguments(d, argc, argv, o.at);
	if (d->functions)
		declare_print_functions(d, d->on);
	else if (d->print || d->on || d->only_local)
		declare_print_matching(d, d->on);
	else
		declare_print_plain(d);
	return 0;
}

int builtin_declare(struct shell *sh, int argc, char **argv, enum flow *flow)
{
	struct declare d = { .sh = sh, .flow = flow, .local = sh->function_depth > 0 };

	return declare_run(&d, argc, argv);
}

/* local -: the options of set are the function's own until it returns. */
static void local_options(struct shell *sh)
{
	struct doing *d = doing(sh);

	if (d->frame_opts)
		return;
	d->frame_opts = heap_alloc(sh->heap, SET_OPTIONS * sizeof(*sh->opts));
	if (d->frame_opts)
		memcpy(d->frame_opts, sh->opts, SET_OPTIONS * sizeof(*sh->opts));
}

int builtin_local(struct shell *sh, int argc, char **argv, enum flow *flow)
{
	struct declare d = { .sh = sh, .flow = flow, .local = true,
			     .only_local = true };
	int n = 1;

	if (!sh->function_depth) {
		struct declare outside = { .sh = sh, .flow = flow };

		for (int i = 1; i < argc; i++)	/* assigned before the builtin looks at all */
			if (tree_of(sh, i))
				declare_one(&outside, argv[i], tree_of(sh, i));
		if (*flow != FLOW_NEXT)
			return 1;
		builtin_error(sh, "can only be used in a function");
		return 1;
	}
	for (int i = 1; i < argc; i++) {
		if (strcmp(argv[i], "-") || tree_of(sh, i)) {
			argv[n++] = argv[i];
			continue;
		}
		local_options(sh);
		for (struct decl_tree *t = doing(sh)->decl; t; t = t->next)
			if (t->index > n)
				t->index--;
	}
	if (n == 1 && argc > 1)
		return 0;
	argv[n] = NULL;
	return declare_run(&d, n, argv);
}

/* ---- export, readonly ---- */

static int export_run(struct declare *d, int argc, char **argv, const char *letters)
{
	struct shell *sh = d->sh;
	uint32_t show = d->on;
	struct bopt o;

	bopt_init(&o, sh, argc, argv);
	for (int c; (c = bopt_next(&o, letters));) {
		if (c < 0)
			return STATUS_USAGE;
		if (c == 'f')
			d->functions = true;
		else if (c == 'n')
			d->remove = true;
		else if (c == 'p')
			d->print = true;
		else
			d->on |= attribute(c);
	}
	if (o.at >= argc) {
		d->names_only = false;
		if (d->functions)
			declare_print_functions(d, show);
		else
			declare_print_matching(d, d->on);
		return 0;
	}
	d->print = false;
	if (d->remove) {
		d->off = VAR_EXPORT;
		d->on = 0;
	}
	return declare_arguments(d, argc, argv, o.at);
}

int builtin_export(struct shell *sh, int argc, char **argv, enum flow *flow)
{
	struct declare d = { .sh = sh, .flow = flow, .on = VAR_EXPORT,
			     .traced = true };

	return export_run(&d, argc, argv, "aAfnp");
}

int builtin_readonly(struct shell *sh, int argc, char **argv, enum flow *flow)
{
	struct declare d = { .sh = sh, .flow = flow, .on = VAR_READONLY,
			     .traced = true, .no_empty_arrays = true };

	return export_run(&d, argc, argv, "aAfnp");
}

/* ---- unset ---- */

static int unset_one(struct shell *sh, const char *arg, int what)
{
	size_t n = strlen(arg);
	const struct function *f;

	if (what == 'f' || (what == 0 && !reference_valid(arg, n)) ||
	    (what == 0 && text_is_name(arg) && !var_find_text(sh, arg, n))) {
		f = function_find(sh, arg, n);
		if (f && (f->flags & VAR_READONLY)) {
			builtin_error(sh, "%s: cannot unset: readonly function", arg);
			return 1;
		}
		function_unset(sh, arg, n);
		return 0;
	}
	if (!reference_valid(arg, n)) {
		if (what == 'n')
			return 0;
		builtin_error(sh, "`%s': not a valid identifier", arg);
		return 1;
	}
	return var_unset(sh, arg, n, what == 'n');
}

/* Is argument i written as an element, unset a[$k]? Then the subscript has been expanded once, and that is all. */
static bool unset_is_element(const struct shell *sh, int argc, int i)
{
	const struct node *n = sh->current;
	const struct word *w = n && n->kind == NODE_SIMPLE ? n->simple.words : NULL, *at = NULL;
	const char *open;
	int count = 0;

	for (; w; w = w->next)
		if (count++ == i)
			at = w;
	if (count != argc || !at)
		return false;
	open = memchr(at->text.p, '[', at->text.n);
	return open && parse_is_name(at->text.p, (size_t)(open - at->text.p));
}

int builtin_unset(struct shell *sh, int argc, char **argv, enum flow *flow)
{
	bool functions = false, variables = false;
	int what = 0, status = 0;
	struct bopt o;

	(void)flow;
	bopt_init(&o, sh, argc, argv);
	for (int c; (c = bopt_next(&o, "fvn"));) {
		if (c < 0)
			return STATUS_USAGE;
		functions |= c == 'f';
		variables |= c == 'v';
		what = c == 'n' || !what ? c : what;
	}
	if (functions && variables) {
		builtin_error(sh, "cannot simultaneously unset a function and a variable");
		return 1;
	}
	for (int i = o.at; i < argc; i++)
		if (!(!functions && (sh->opts[SHOPT_ASSOC_EXPAND_ONCE] || unset_is_element(sh, argc, i)) &&
		      var_unset_key(sh, argv[i], strlen(argv[i]))) && unset_one(sh, argv[i], what))
			status = 1;
	return status;
}
