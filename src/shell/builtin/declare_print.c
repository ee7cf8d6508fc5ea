/*
 * What declare, export and readonly show: variables and functions, all or named.
 */
#include "shell/builtin/declare.h"

#include <string.h>

static void print_one(struct shell *sh, const struct var *v)
{
	var_print(sh, v, &doing(sh)->out);
	puts_(sh, "\n");
}

/* POSIX mode: export a="b", readonly a="b". */
static void print_posix(struct declare *d, const struct var *v)
{
	struct shell *sh = d->sh;
	struct str line;
	size_t skip;

	str_init(&line, sh->heap, STR_MAX_DEFAULT);
	var_print(sh, v, &line);
	skip = strcspn(line.p, " ") + 1;
	skip += strcspn(line.p + skip, " ");
	puts_(sh, d->no_empty_arrays ? "readonly" : "export");
	if (v->flags & (VAR_INDEXED | VAR_ASSOC))
		puts_(sh, v->flags & VAR_INDEXED ? " -a" : " -A");
	put(sh, line.p + skip, line.n - skip);
	puts_(sh, "\n");
	str_end(&line);
}

/* All variables with these attributes, as declare -p. */
void declare_print_matching(struct declare *d, uint32_t flags)
{
	struct shell *sh = d->sh;
	struct var **all = var_sorted(sh, 0);

	words_of(sh)->listing = true;
	for (size_t i = 0; all[i]; i++) {
		if (flags && !d->only_local && !(all[i]->flags & flags))
			continue;
		if (!d->only_local && flags & (VAR_INDEXED | VAR_ASSOC) && (all[i]->flags & flags) != flags)
			continue;	/* of kinds of arrays, those with all of the rest */
		if (d->traced && (all[i]->flags & flags) != flags)
			continue;
		if (d->only_local && !(all[i]->scope && all[i]->scope == var_local_scope(sh) &&
					 (all[i]->flags & VAR_LOCAL)))
			continue;
		if (d->traced && sh->opts[OPT_POSIX])
			print_posix(d, all[i]);
		else
			print_one(sh, all[i]);
	}
	words_of(sh)->listing = false;
	heap_free(sh->heap, all);
}

static void print_function_line(struct shell *sh, const struct function *f)
{
	const char *name = f->node->named.name.s;

	putf(sh, "declare -f%s%s%s %s\n", f->flags & VAR_READONLY ? "r" : "",
	     f->flags & VAR_TRACE ? "t" : "", f->flags & VAR_EXPORT ? "x" : "", name);
}

void declare_print_functions(struct declare *d, uint32_t flags)
{
	struct shell *sh = d->sh;
	struct function **all = function_sorted(sh);

	for (size_t i = 0; all[i]; i++) {
		if ((all[i]->flags & flags) != flags)
			continue;
		if (!d->names_only)
			function_print(sh, all[i], &doing(sh)->out);
		if (d->names_only || flags || (d->print && all[i]->flags))
			print_function_line(sh, all[i]);
	}
}

/* declare without arguments, as set does. */
void declare_print_plain(struct declare *d)
{
	var_print_all(d->sh, &doing(d->sh)->out);
	declare_print_functions(d, 0);
}

int declare_print_function_named(struct declare *d, const char *name)
{
	struct shell *sh = d->sh;
	const struct function *f = function_find(sh, name, strlen(name));

	if (!f && d->print)
		builtin_error(sh, "%s: not found", name);
	if (!f)
		return 1;
	if (!d->names_only)
		function_print(sh, f, &doing(sh)->out);
	if (d->print && (d->names_only || f->flags))
		print_function_line(sh, f);
	else if (!d->print && d->names_only && sh->opts[SHOPT_EXTDEBUG])
		putf(sh, "%s %u %s\n", name, f->node->line, f->script->name);
	else if (!d->print && d->names_only)
		putf(sh, "%s\n", name);
	return 0;
}

int declare_print_named(struct declare *d, const char *name)
{
	struct shell *sh = d->sh;
	struct name key = name_of(name, strlen(name));
	struct var *v = var_find(sh, &key);

	if (d->functions)
		return declare_print_function_named(d, name);
	if (!v || (d->only_local && v->scope != var_local_scope(sh))) {
		builtin_error(sh, "%s: not found", name);
		return 1;
	}
	print_one(sh, v);
	return 0;
}
