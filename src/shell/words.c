/*
 * The words half's own state in a shell: made, filled from the environment,
 * copied for a subshell; its limits, scratch buffers and caches of compiled
 * patterns.
 */
#include "shell/words.h"

#include <string.h>
#include <sys/stat.h>

#include "base/num.h"
#include "kernel/kernel.h"
#include "text/pattern.h"

#define SCRATCH_KEPT ((size_t)64 << 10)

/* ---- Limits and failure ---- */

size_t words_max_bytes(struct shell *sh)
{
	return words_of(sh)->max_bytes;
}

enum flow words_limit(struct shell *sh, const char *name)
{
	proc_limit(sh->p, name);
	sh->status = 1;
	sh->failed = FLOW_ABORT;
	return FLOW_ABORT;
}

enum flow words_give_up(struct shell *sh)
{
	sh->status = 1;
	sh->failed = sh->command_string || sh->is_subshell ? FLOW_EXIT : FLOW_ABORT;
	return sh->failed;
}

enum flow words_report(struct shell *sh, enum flow flow)
{
	if (sh->opts[OPT_ERREXIT]) {
		sh->status = 1;
		flow = FLOW_EXIT;
	}
	sh->failed = flow;
	return flow;
}

/* ---- Scratch buffers: kept, so that steady loops allocate nothing ---- */

struct str *scratch_take(struct shell *sh)
{
	struct words *w = words_of(sh);
	struct str *s;

	if (w->spare.n)
		return vec_pop(&w->spare);
	s = heap_alloc(sh->heap, sizeof(*s));
	str_init(s, sh->heap, STR_MAX_DEFAULT);
	return s;
}

void scratch_give(struct shell *sh, struct str *s)
{
	if (s->cap > SCRATCH_KEPT)
		str_end(s);
	str_reset(s);
	*vec_add(sh->heap, &words_of(sh)->spare) = s;
}

/* ---- Compiled patterns ---- */

const struct pattern *pattern_cached(struct shell *sh, struct slice text, unsigned flags)
{
	struct words *w = words_of(sh);
	struct cached *c;
	uint32_t hash;

	flags |= sh->bytes ? PATTERN_BYTES : 0;
	hash = (uint32_t)text.n * 31u + flags;
	for (size_t i = 0; i < text.n && i < 16; i++)
		hash = hash * 33u + (unsigned char)text.p[i];
	if (!w->patterns)
		w->patterns = heap_zalloc(sh->heap, CACHE_SIZE * sizeof(*w->patterns));
	c = &w->patterns[hash % CACHE_SIZE];
	if (c->pattern && c->flags == flags && c->n == text.n && !memcmp(c->text, text.p, text.n))
		return c->pattern;
	heap_free(sh->heap, c->text);
	if (c->pattern)
		pattern_free(c->pattern);
	*c = (struct cached){ heap_dup(sh->heap, text.p, text.n), text.n, flags, NULL,
		pattern_compile(sh->heap, text.p, text.n, flags) };
	return c->pattern;
}

/* ---- Making ---- */

static void words_init(struct shell *sh)
{
	struct words *w = heap_zalloc(sh->heap, sizeof(*w));

	sh->words_private = w;
	w->max_bytes = STR_MAX_DEFAULT;
	str_init(&w->foreign, sh->heap, STR_MAX_DEFAULT);
	if (sh->p) {
		const struct tsb_limits *l = kernel_limits(proc_kernel(sh->p));

		w->max_bytes = l->word_bytes;
		w->max_words = l->words;
		w->max_depth = l->parse_depth;
	}
	memset(&sh->scope_vars, 0, sizeof(sh->scope_vars));
	sh->scope = 0;
	sh->environ = NULL;
	sh->environ_stale = true;
}

bool environ_is_variable(const char *entry, const char **value)
{
	const char *equals = strchr(entry, '=');
	size_t n = equals ? (size_t)(equals - entry) : 0;

	*value = equals + 1;
	return equals && name_valid(entry, n) && !special_is_lazy(entry, n);
}

bool environ_is_foreign(const char *entry)
{
	const char *equals = strchr(entry, '=');

	return equals && equals > entry && !name_valid(entry, (size_t)(equals - entry)) &&
	       strncmp(entry, "BASH_FUNC_", 10) != 0;
}

static void import_one(struct shell *sh, size_t i)
{
	const char *entry = words_of(sh)->env[i];
	uint32_t place = i < VAR_PLACE_MAX ? (uint32_t)i + 1 : VAR_PLACE_MAX;
	const char *value;
	struct name name;
	struct var *v;

	if (!environ_is_variable(entry, &value))
		return;
	name = name_of(entry, (size_t)(value - entry) - 1);
	v = var_make(sh, &name, 0);
	v->flags |= VAR_EXPORT | place << VAR_PLACE_SHIFT;
	var_store(sh, v, value, strlen(value));
	if (v->special == SP_GLOBIGNORE || v->special == SP_POSIXLY_CORRECT)
		special_changed(sh, v->special);
}

/* One more than the shell's outside. bash counts in an int, up to a thousand. */
static int64_t next_level(struct shell *sh, int64_t level)
{
	const char *text;

	if (level < INT32_MIN || level > INT32_MAX - 1)
		level = 0;
	if (level < -1)
		return 0;
	if (level < 999)
		return level + 1;
	text = tsb_format(sh->p, "%s: warning: shell level (%d) too high, resetting to 1\n",
			  sh->arg0 ? sh->arg0 : "bash", (int)level + 1);
	tsb_write_all(sh->p, 2, text, strlen(text));
	return 1;
}

static void import_level(struct shell *sh)
{
	struct name name = name_of("SHLVL", 5);
	struct slice old;
	int64_t level = 0;
	struct var *v;

	if (var_get(sh, &name, &old) && num_i64(old.p, &level) != NUM_OK)
		level = 0;
	v = var_find(sh, &name);
	if (!v)
		v = var_make(sh, &name, 0);
	v->flags |= VAR_EXPORT;
	var_store_number(sh, v, next_level(sh, level));
}

/* PWD from the environment is believed if it names the working directory. */
static void import_directory(struct shell *sh)
{
	struct name name = name_of("PWD", 3), old = name_of("OLDPWD", 6);
	const char *cwd = tsb_getcwd(sh->p);
	struct tsb_stat a, b;
	struct slice value;
	struct var *v = var_find(sh, &name);

	if (!v)
		v = var_make(sh, &name, 0);
	v->flags |= VAR_EXPORT;
	if (!var_text(sh, v, &value) || value.n == 0 || value.p[0] != '/' ||
	    (strcmp(value.p, cwd) != 0 &&
	     (tsb_stat(sh->p, value.p, &a) || tsb_stat(sh->p, ".", &b) || a.ino != b.ino ||
	      a.dev != b.dev)))
		var_store(sh, v, cwd, strlen(cwd));
	v = var_find(sh, &old);
	if (v && var_text(sh, v, &value) &&
	    (tsb_stat(sh->p, value.p, &a) || !S_ISDIR(a.mode)))
		var_clear_value(sh, v);
	if (!v)
		v = var_make(sh, &old, 0);
	v->flags |= VAR_EXPORT;
}

/* ---- The environment, a variable at a time ---- */

static bool environ_is_corrected(const char *s, size_t n)
{
	return (n == 3 && !memcmp(s, "PWD", 3)) || (n == 5 && !memcmp(s, "SHLVL", 5)) ||
	       (n == 6 && !memcmp(s, "OLDPWD", 6));
}

/* Is that so for an entry that waits, or is there a namesake behind it? */
static bool environ_is_odd(const struct words *w, const char *e, uint64_t behind)
{
	const char *equals = strchr(e, '=');
	size_t n = equals ? (size_t)(equals - e) : 0;

	if (environ_is_corrected(e, n))
		return true;
	for (; behind; behind &= behind - 1) {
		const char *other = w->env[__builtin_ctzll(behind)];

		if (other[0] == e[0] && !strncmp(other, e, n + 1))
			return true;
	}
	return false;
}

bool environ_is_plain(struct shell *sh)
{
	const struct words *w = words_of(sh);

	for (uint64_t left = w->env_waits; w->env_begun && left;) {
		const char *e = w->env[__builtin_ctzll(left)];

		left &= left - 1;
		if (environ_is_odd(w, e, left))
			return false;
	}
	return true;
}

void environ_make_all(struct shell *sh)
{
	struct words *w = words_of(sh);

	if (!w->env_begun)
		return;
	w->env_begun = false;
	for (const char *const *e = w->env; e && *e; e++)
		if (environ_is_foreign(*e))
			str_addn(&w->foreign, *e, strlen(*e) + 1);
	for (size_t i = 0; w->env_waits; i++) {
		uint64_t bit = (uint64_t)1 << i;

		if (w->env_waits & bit) {
			w->env_waits &= ~bit;
			import_one(sh, i);
		}
	}
	import_level(sh);
	import_directory(sh);
}

struct var *environ_lazy(struct shell *sh, const char *s, size_t n)
{
	struct words *w = words_of(sh);
	bool found = false;
	uint8_t stale;

	if (!w->env_begun || !n)
		return NULL;
	if (environ_is_corrected(s, n)) {
		environ_make_all(sh);
		return var_find_text(sh, s, n);
	}
	stale = sh->environ_stale;
	for (uint64_t left = w->env_waits; left; left &= left - 1) {
		size_t i = (size_t)__builtin_ctzll(left);

		if (w->env[i][0] != s[0] || strncmp(w->env[i], s, n) || w->env[i][n] != '=')
			continue;
		w->env_waits &= ~((uint64_t)1 << i);
		import_one(sh, i);	/* of namesakes the last stays */
		found = true;
	}
	sh->environ_stale = stale;	/* to a child it is what it was */
	return found ? var_find_text(sh, s, n) : NULL;
}

/* What is to be known of an environment at once. */
struct environ_look {
	size_t n;
	bool cannot_wait;	/* two change the shell; nor can very many */
	bool functions;		/* there may be some */
	const char *locale[3];	/* LC_ALL, LC_CTYPE, LANG */
	const char *underscore;
};

static void environ_look_locale(const char *e, struct environ_look *out)
{
	if (!strncmp(e, "LANG=", 5))
		out->locale[2] = e + 5;
	else if (!strncmp(e, "LC_ALL=", 7))
		out->locale[0] = e + 7;
	else if (!strncmp(e, "LC_CTYPE=", 9))
		out->locale[1] = e + 9;
}

/* Every run looks at every entry: most are passed by their first two letters. */
static void environ_look(const char *const *env, struct environ_look *out)
{
	size_t n = 0;

	for (; env && env[n]; n++) {
		const char *e = env[n];

		switch (e[0]) {
		case '_':
			if (e[1] == '=')
				out->underscore = e + 2;
			break;
		case 'B':
			out->functions = true;
			break;
		case 'G':
			out->cannot_wait |= !strncmp(e, "GLOBIGNORE=", 11);
			break;
		case 'L':
			if (e[1] == 'A' || e[1] == 'C')
				environ_look_locale(e, out);
			break;
		case 'P':
			if (e[1] == 'O')
				out->cannot_wait |= !strncmp(e, "POSIXLY_CORRECT=", 16);
			break;
		default:
			break;
		}
	}
	out->n = n;
	out->cannot_wait |= n > 64;
}

bool var_import_environ(struct shell *sh, const char *const *env)
{
	struct environ_look look = { 0 };
	struct words *w;

	words_init(sh);
	w = words_of(sh);
	w->env = env;
	w->env_begun = true;
	environ_look(env, &look);
	locale_set(sh, look.locale);
	if (look.cannot_wait) {
		for (size_t i = 0; env[i]; i++)
			import_one(sh, i);
		environ_make_all(sh);
	} else if (look.n) {
		w->env_waits = UINT64_MAX >> (64 - look.n);
		sh->environ_stale = ENVIRON_GIVEN;
	}
	if (look.underscore)	/* $_ before the first command */
		str_reset(&sh->last_arg);
	sh->last_arg_given = look.underscore;
	if (look.underscore || (sh->arg0 && !sh->last_arg.n))
		str_adds(&sh->last_arg, look.underscore ? look.underscore : sh->arg0);
	sh->seconds_from = proc_started_ns(sh->p);
	ifs_cache(sh, SLICE(IFS_DEFAULT));
	sh->ifs_table[' '] = sh->ifs_table['\t'] = sh->ifs_table['\n'] = 2;
	return look.functions;
}

/* ---- A subshell's copy ---- */

/* The chain of one name, outermost first, so that the lists come out in order. */
static void clone_chain(struct shell *to, const struct var *v)
{
	struct name name = { v->name, v->name_len, map_hash(v->name, v->name_len) };
	struct map_entry *e;
	struct var *c = heap_zalloc(to->heap, sizeof(*c));

	if (v->shadowed)
		clone_chain(to, v->shadowed);
	e = map_put(&to->vars, name.s, name.n);
	*c = *v;
	c->name = e->key;
	c->shadowed = e->value;
	e->value = c;
	str_init(&c->text, to->heap, STR_MAX_DEFAULT);
	if (v->text.n)
		str_addn(&c->text, v->text.p, v->text.n);
	if (v->array) {
		c->array = array_new(to->heap);
		array_copy(c->array, v->array);
	}
	if (v->assoc) {
		c->assoc = assoc_new(to->heap);
		assoc_copy(c->assoc, v->assoc);
	}
	if (c->scope)
		*vec_add(to->heap, &to->scope_vars) = c;
}

/* scope_vars must be ordered by scope: a stable counting pass. */
static void clone_order(struct shell *to)
{
	size_t n = to->scope_vars.n;
	struct var **sorted;
	size_t k = 0;
	struct words *w = words_of(to);

	if (!n)
		return;
	sorted = heap_array(to->heap, n, sizeof(struct var *));
	for (uint32_t scope = 1; scope <= w->scopes.n; scope++) {
		w->scopes.at[scope - 1].first = k;
		for (size_t i = 0; i < n; i++)
			if (to->scope_vars.at[i]->scope == scope)
				sorted[k++] = to->scope_vars.at[i];
	}
	memcpy(to->scope_vars.at, sorted, k * sizeof(struct var *));
	to->scope_vars.n = k;
	heap_free(to->heap, sorted);
}

void var_clone_all(struct shell *to, const struct shell *from)
{
	const struct words *old = from->words_private;
	struct words *w;

	words_init(to);
	w = words_of(to);
	if (!to->p) {
		w->max_bytes = old->max_bytes;
		w->max_words = old->max_words;
		w->max_depth = old->max_depth;
	}
	w->random_last = old->random_last;
	w->random_pid = old->random_pid;
	w->lazy_gone = old->lazy_gone;
	w->glob_ignore_set = old->glob_ignore_set;
	for (size_t i = 0; i < old->scopes.n; i++) {
		*vec_add(to->heap, &w->scopes) = old->scopes.at[i];
		w->scopes.at[i].first = 0;
	}
	to->scope = (uint32_t)w->scopes.n;
	environ_make_all((struct shell *)(uintptr_t)from);
	if (old->foreign.n)
		str_addn(&w->foreign, old->foreign.p, old->foreign.n);
	for (struct map_entry *e = NULL; (e = map_next(&from->vars, e));)
		if (e->value)
			clone_chain(to, e->value);
	clone_order(to);
	to->ifs_own = NULL;
	ifs_cache(to, from->ifs);
}
