/*
 * complete, compgen, compopt: without a terminal, completion is a way to list
 * names (compgen) and a table that scripts fill and show (complete -p).
 */
#include "shell/builtin/builtin.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "shell/words.h"
#include "text/escape.h"
#include "text/pattern.h"

enum action {
	A_ALIAS, A_ARRAYVAR, A_BINDING, A_BUILTIN, A_COMMAND, A_DIRECTORY, A_DISABLED, A_ENABLED,
	A_EXPORT, A_FILE, A_FUNCTION, A_GROUP, A_HELPTOPIC, A_HOSTNAME, A_JOB, A_KEYWORD,
	A_RUNNING, A_SERVICE, A_SETOPT, A_SHOPT, A_SIGNAL, A_STOPPED, A_USER, A_VARIABLE,
	A_COUNT
};

static const struct {
	const char *name;
	char letter;
} actions[A_COUNT] = {
	{ "alias", 'a' }, { "arrayvar", 0 }, { "binding", 0 }, { "builtin", 'b' },
	{ "command", 'c' }, { "directory", 'd' }, { "disabled", 0 }, { "enabled", 0 },
	{ "export", 'e' }, { "file", 'f' }, { "function", 0 }, { "group", 'g' },
	{ "helptopic", 0 }, { "hostname", 0 }, { "job", 'j' }, { "keyword", 'k' },
	{ "running", 0 }, { "service", 's' }, { "setopt", 0 }, { "shopt", 0 },
	{ "signal", 0 }, { "stopped", 0 }, { "user", 'u' }, { "variable", 'v' },
};

static const char *const comp_options[] = {
	"bashdefault", "default", "dirnames", "filenames", "noquote", "nosort", "nospace",
	"plusdirs", NULL
};

struct spec {
	uint32_t actions, options;
	const char *glob, *words, *function, *command, *filter, *prefix, *suffix;
	bool given;		/* any option */
	bool remove, print, on_default, on_empty, on_initial;
	uint32_t options_off;
};

/* ---- Options ---- */

static bool take_option(struct shell *sh, struct spec *s, const char *name, bool plus)
{
	for (unsigned i = 0; comp_options[i]; i++) {
		if (strcmp(comp_options[i], name))
			continue;
		*(plus ? &s->options_off : &s->options) |= 1u << i;
		return true;
	}
	builtin_error(sh, "%s: invalid option name", name);
	return false;
}

static bool take_action(struct shell *sh, struct spec *s, const char *name)
{
	for (unsigned i = 0; i < A_COUNT; i++) {
		if (strcmp(actions[i].name, name))
			continue;
		s->actions |= 1u << i;
		return true;
	}
	builtin_error(sh, "%s: invalid action name", name);
	return false;
}

/* 0, or the status to end with. */
static int spec_options(struct spec *s, struct bopt *o, const char *letters)
{
	for (int c; (c = bopt_next(o, letters));) {
		bool good = true;

		s->given = true;
		s->print |= c == 'p';
		s->remove |= c == 'r';
		s->on_default |= c == 'D';
		s->on_empty |= c == 'E';
		s->on_initial |= c == 'I';
		switch (c) {
		case -1:
			return STATUS_USAGE;
		case 'o':
			good = take_option(o->sh, s, o->arg, o->plus);
			break;
		case 'A':
			good = take_action(o->sh, s, o->arg);
			break;
		case 'G':
			s->glob = o->arg;
			break;
		case 'W':
			s->words = o->arg;
			break;
		case 'F':
			s->function = o->arg;
			good = complete_function_name(o->sh, o->arg);
			break;
		case 'C':
			s->command = o->arg;
			break;
		case 'X':
			s->filter = o->arg;
			break;
		case 'P':
			s->prefix = o->arg;
			break;
		case 'S':
			s->suffix = o->arg;
			break;
		default:
			for (unsigned i = 0; i < A_COUNT; i++)
				if (actions[i].letter == c)
					s->actions |= 1u << i;
		}
		if (!good)
			return STATUS_USAGE;
	}
	return 0;
}

/* ---- compgen ---- */

struct list {
	struct shell *sh;
	const char *word;
	size_t n_word;
	struct fields found;
	size_t cap;
};

static void offer(struct list *l, const char *s)
{
	if (strncmp(s, l->word, l->n_word))
		return;
	if (l->found.n + 2 > l->cap) {
		size_t cap = l->cap ? l->cap * 2 : 64;
		char **at = arena_array(&l->sh->turn, cap, sizeof(*at));

		if (l->found.n)
			memcpy(at, l->found.at, l->found.n * sizeof(*at));
		l->found.at = at;
		l->cap = cap;
	}
	l->found.at[l->found.n++] = arena_dup(&l->sh->turn, s, strlen(s));
}

static int by_text(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

static void sort_from(struct list *l, size_t from)
{
	if (l->found.n > from)
		qsort(l->found.at + from, l->found.n - from, sizeof(char *), by_text);
}

static void offer_variables(struct list *l, uint32_t flags, uint32_t any)
{
	struct var **all = var_sorted(l->sh, flags & ~(uint32_t)VAR_SET);

	for (size_t i = 0; all[i]; i++) {
		var_refresh(l->sh, all[i]);
		if ((all[i]->flags & flags) == flags && (!any || (all[i]->flags & any)))
			offer(l, all[i]->name);
	}
	heap_free(l->sh->heap, all);
}

static void offer_map(struct list *l, const struct map *m)
{
	size_t from = l->found.n;

	for (struct map_entry *e = NULL; (e = map_next(m, e));)
		offer(l, e->key);
	sort_from(l, from);
}

static void offer_builtins(struct list *l, int which)
{
	const struct builtin *b;

	for (size_t i = 0; (b = builtin_at(i)); i++)
		if (which < 0 || builtin_enabled(l->sh, b) == (which == 1))
			offer(l, b->name);
}

static void offer_keywords(struct list *l)
{
	static const char *const names[] = {
		"if", "then", "else", "elif", "fi", "case", "esac", "for", "select", "while",
		"until", "do", "done", "in", "function", "time", "{", "}", "!", "[[", "]]",
		"coproc", NULL
	};

	for (size_t i = 0; names[i]; i++)
		offer(l, names[i]);
}

/* Entries of the directory that the word names, with its directory part kept. */
static void offer_files(struct list *l, bool only_directories)
{
	const char *slash = strrchr(l->word, '/');
	size_t n = slash ? (size_t)(slash - l->word) + 1 : 0, count = 0;
	char *dir = n ? arena_dup(&l->sh->turn, l->word, n) : NULL, **names;
	char *word_dir = arena_dup(&l->sh->turn, l->word, n);
	struct slice home;

	if (n && !strncmp(l->word, "~/", 2) && var_get_text(l->sh, "HOME", &home)) {
		dir = arena_alloc(&l->sh->turn, home.n + n);
		memcpy(dir, home.p, home.n);
		memcpy(dir + home.n, l->word + 1, n - 1);
		dir[home.n + n - 1] = '\0';
	}
	if (tsb_listdir(l->sh->p, dir ? dir : ".", &names, &count))
		return;
	for (size_t i = 0; i < count; i++) {
		struct tsb_stat st;
		char *path = turn_join(l->sh, word_dir, names[i], NULL);
		char *real = turn_join(l->sh, dir ? dir : "", names[i], NULL);

		if (!only_directories || (!tsb_stat(l->sh->p, real, &st) && S_ISDIR(st.mode)))
			offer(l, path);
	}
}

static void offer_programs(struct list *l)
{
	struct slice v;
	const char *at;

	if (!var_get_text(l->sh, "PATH", &v))
		return;
	at = arena_dup(&l->sh->turn, v.p, v.n);
	while (at) {
		const char *colon = strchr(at, ':');
		char *dir = arena_dup(&l->sh->turn, at, colon ? (size_t)(colon - at) : strlen(at));
		char **names;
		size_t n = 0;

		if (!tsb_listdir(l->sh->p, *dir ? dir : ".", &names, &n))
			for (size_t i = 0; i < n; i++)
				offer(l, names[i]);
		at = colon ? colon + 1 : NULL;
	}
}

static void offer_options(struct list *l, bool set)
{
	for (unsigned i = 0; i < OPT_COUNT; i++)
		if (is_set_option((enum opt_id)i) == set)
			offer(l, option_name((enum opt_id)i));
}

static void offer_signals(struct list *l)
{
	offer(l, "EXIT");
	for (int i = 1; i <= 64; i++) {
		if (signal_name(i))
			offer(l, turn_join(l->sh, "SIG", signal_name(i), NULL));
	}
	offer(l, "DEBUG");
	offer(l, "ERR");
	offer(l, "RETURN");
}

/* First field of each line of a file of /etc. */
static void offer_etc(struct list *l, const char *path)
{
	struct tsb_reader r;
	char *line;
	int fd = tsb_open(l->sh->p, path, 0, 0);

	if (fd < 0)
		return;
	tsb_reader_init(&r, l->sh->p, fd);
	while (tsb_getdelim(&r, &line, '\n')) {
		line[strcspn(line, ":\n")] = '\0';
		if (*line)
			offer(l, line);
	}
	tsb_reader_end(&r);
	tsb_close(l->sh->p, fd);
}

static void offer_jobs(struct list *l, bool running)
{
	for (const struct job *j = l->sh->jobs; j; j = j->next)
		if (j->text && (!running || job_running(j)))
			offer(l, arena_dup(&l->sh->turn, j->text, strcspn(j->text, " \t\n")));
}

static void offer_action(struct list *l, enum action a)
{
	struct shell *sh = l->sh;

	switch (a) {
	case A_ALIAS:
		offer_map(l, &sh->aliases);
		break;
	case A_ARRAYVAR:
		offer_variables(l, VAR_SET, VAR_INDEXED | VAR_ASSOC);
		break;
	case A_BINDING:
		for (size_t i = 0; bind_functions[i]; i++)
			offer(l, bind_functions[i]);
		break;
	case A_HELPTOPIC:
		offer_builtins(l, -1);
		offer_keywords(l);
		break;
	case A_BUILTIN:
		offer_builtins(l, -1);
		break;
	case A_COMMAND:
		offer_map(l, &sh->aliases);
		offer_keywords(l);
		offer_map(l, &sh->functions);
		offer_builtins(l, 1);
		offer_programs(l);
		break;
	case A_DIRECTORY:
		offer_files(l, true);
		break;
	case A_DISABLED:
		offer_builtins(l, 0);
		break;
	case A_ENABLED:
		offer_builtins(l, 1);
		break;
	case A_EXPORT:
		offer_variables(l, VAR_EXPORT | VAR_SET, 0);
		break;
	case A_FILE:
		offer_files(l, false);
		break;
	case A_FUNCTION:
		offer_map(l, &sh->functions);
		break;
	case A_GROUP:
		offer_etc(l, "/etc/group");
		break;
	case A_HOSTNAME:
		offer(l, tsb_hostname(sh->p));
		break;
	case A_JOB:
	case A_RUNNING:
		offer_jobs(l, a == A_RUNNING);
		break;
	case A_KEYWORD:
		offer_keywords(l);
		break;
	case A_SETOPT:
	case A_SHOPT:
		offer_options(l, a == A_SETOPT);
		break;
	case A_SIGNAL:
		offer_signals(l);
		break;
	case A_USER:
		offer_etc(l, "/etc/passwd");
		break;
	case A_VARIABLE:
		offer_variables(l, VAR_SET, 0);
		break;
	default:
		break;
	}
}

/* The text of -W in making: what was quoted does not split. */
struct wordlist {
	struct shell *sh;
	struct str text, quoted;	/* of `quoted` each byte is 0 or 1 */
};

static enum flow wordlist_add(struct wordlist *w, const char *p, size_t n, bool expand, bool quoted)
{
	struct slice text = { p, n };
	enum flow flow = expand ? expand_text(w->sh, p, n, &text) : FLOW_NEXT;

	str_addn(&w->text, text.p, text.n);
	str_fill(&w->quoted, quoted, text.n);
	return flow;
}

/* What is unquoted at p: up to the next quote, substitutions whole. */
static size_t wordlist_plain(const char *p)
{
	size_t i = 0, depth = 0;

	for (; p[i] && (depth || !strchr("'\"\\", p[i])); i++) {
		if (p[i] == '$' && p[i + 1] == '(')
			depth++, i++;
		else if (p[i] == '`')
			depth = !depth;
		else if (depth && p[i] == ')')
			depth--;
	}
	return i;
}

static size_t wordlist_quoted(const char *p)
{
	size_t i = 1;

	for (; p[i] && p[i] != *p; i++)
		i += *p == '"' && p[i] == '\\' && p[i + 1];
	return i;
}

/* -W: split by IFS where it is not quoted, each word expanded. */
static enum flow offer_words(struct list *l, const char *words)
{
	struct wordlist w = { .sh = l->sh };
	enum flow flow = FLOW_NEXT;
	struct fields f = { 0 };
	size_t n;

	str_init(&w.text, l->sh->heap, STR_MAX_DEFAULT);
	str_init(&w.quoted, l->sh->heap, STR_MAX_DEFAULT);
	for (const char *p = words; *p && flow == FLOW_NEXT; p += n) {
		if (*p == '\\') {
			n = p[1] ? 2 : 1;
			wordlist_add(&w, p + n - 1, 1, false, true);
		} else if (*p == '\'' || *p == '"') {
			n = wordlist_quoted(p);
			flow = wordlist_add(&w, p + 1, n - 1, *p == '"', true);
			n += p[n] != '\0';
		} else {
			n = wordlist_plain(p);
			flow = wordlist_add(&w, p, n, true, false);
		}
	}
	if (flow == FLOW_NEXT)
		split_read(l->sh, w.text.p, w.text.n, (const bool *)w.quoted.p, SIZE_MAX, &f);
	for (size_t i = 0; i < f.n; i++)
		offer(l, f.at[i]);
	str_end(&w.text);
	str_end(&w.quoted);
	return flow;
}

/* -C: the lines a command gives; it gets compgen, the word and nothing. */
static enum flow offer_command(struct list *l, const char *command)
{
	struct shell *sh = l->sh;
	size_t outer = l->n_word;
	struct slice lines;
	enum flow flow;
	struct str s;

	builtin_error(sh, "warning: -C option may not work as you expect");
	str_init(&s, sh->heap, STR_MAX_DEFAULT);
	str_addf(&s, "$(%s compgen ", command);
	quote_single(&s, l->word, l->n_word);
	str_adds(&s, " '')");
	flow = expand_text(sh, s.p, s.n, &lines);
	str_end(&s);
	if (flow != FLOW_NEXT)
		return flow;
	l->n_word = 0;
	for (char *at = arena_dup(&sh->turn, lines.p, lines.n); *at;) {
		char *end = at + strcspn(at, "\n");
		bool last = !*end;

		*end = '\0';
		offer(l, at);
		at = last ? end : end + 1;
	}
	l->n_word = outer;
	return FLOW_NEXT;
}

/* -F: the function fills COMPREPLY. */
static enum flow offer_function(struct list *l, const char *name)
{
	struct shell *sh = l->sh;
	const struct function *f = function_find(sh, name, strlen(name));
	char *args[] = { (char *)(uintptr_t)name, (char *)(uintptr_t)"",
			 (char *)(uintptr_t)l->word, (char *)(uintptr_t)"", NULL };
	enum flow flow = FLOW_NEXT;
	struct slice item;
	struct var *v;

	builtin_error(sh, "warning: -F option may not work as you expect");
	if (!f) {
		sh->builtin = "completion";
		builtin_error(sh, "function `%s' not found", name);
		sh->builtin = "compgen";
		return FLOW_NEXT;
	}
	var_set_text(sh, "COMP_KEY", "0", 1);
	var_set_text(sh, "COMP_TYPE", "0", 1);
	call_function(sh, f->node, 4, args, &flow);
	var_unset(sh, "COMP_KEY", 8, false);
	var_unset(sh, "COMP_TYPE", 9, false);
	v = var_find_text(sh, "COMPREPLY", 9);
	if (v && (v->flags & VAR_INDEXED)) {
		size_t outer = l->n_word;

		l->n_word = 0;
		for (int64_t i = -1; array_next(v->array, &i, &item);)
			offer(l, arena_dup(&sh->turn, item.p, item.n));
		l->n_word = outer;
	}
	return flow;
}

static bool filtered(struct shell *sh, const struct spec *s, const char *word, const char *text)
{
	const char *filter = s->filter;
	bool negate, match;
	struct str p;

	if (!filter || !*filter)
		return false;
	negate = *filter == '!';
	filter += negate;
	str_init(&p, sh->heap, STR_MAX_DEFAULT);
	for (; *filter; filter++) {
		if (*filter == '\\' && filter[1])
			str_addc(&p, *filter++);
		else if (*filter == '&') {
			str_adds(&p, word);
			continue;
		}
		str_addc(&p, *filter);
	}
	match = pattern_match(pattern_cached(sh, str_slice(&p), PATTERN_EXTGLOB), text,
			      strlen(text));
	str_end(&p);
	return match != negate;
}

int builtin_compgen(struct shell *sh, int argc, char **argv, enum flow *flow)
{
	struct spec s = { 0 };
	struct list l = { .sh = sh, .word = "" };
	struct fields globbed = { 0 };
	bool any = false;
	struct bopt o;
	int status;

	bopt_init(&o, sh, argc, argv);
	status = spec_options(&s, &o, "abcdefgjksuvo:A:G:W:F:C:X:P:S:");
	if (status)
		return status == STATUS_USAGE && s.actions == 0 && !o.next ? 2 : status;
	if (!s.given)
		return 0;	/* nothing was asked for */
	if (o.at < argc)
		l.word = argv[o.at];
	l.n_word = strlen(l.word);
	for (unsigned i = 0; i < A_COUNT; i++)
		if (s.actions & 1u << i)
			offer_action(&l, (enum action)i);
	if (s.glob) {
		glob_paths(sh, s.glob, strlen(s.glob), &globbed);
		for (size_t i = 0; i < globbed.n; i++)
			if (!tsb_lstat(sh->p, globbed.at[i], &(struct tsb_stat){ .size = 0 }))
				offer(&l, globbed.at[i]);
	}
	if (s.words)
		*flow = offer_words(&l, s.words);
	if (s.function && *flow == FLOW_NEXT)
		*flow = offer_function(&l, s.function);
	if (s.command && *flow == FLOW_NEXT)
		*flow = offer_command(&l, s.command);
	for (size_t i = 0; i < l.found.n; i++) {
		if (filtered(sh, &s, l.word, l.found.at[i]))
			continue;
		putf(sh, "%s%s%s\n", s.prefix ? s.prefix : "", l.found.at[i],
		     s.suffix ? s.suffix : "");
		any = true;
	}
	return any ? 0 : 1;
}

/* ---- complete ---- */

static void put_quoted(struct str *out, const char *option, const char *value)
{
	if (!value)
		return;
	str_addf(out, " %s ", option);
	quote_single(out, value, strlen(value));
}

/* The options of a spec as `complete` prints them (it is kept as that text). */
static void spec_text(struct str *out, const struct spec *s)
{
	for (unsigned i = 0; comp_options[i]; i++)
		if (s->options & 1u << i)
			str_addf(out, " -o %s", comp_options[i]);
	for (unsigned i = 0; i < A_COUNT; i++)
		if ((s->actions & 1u << i) && actions[i].letter)
			str_addf(out, " -%c", actions[i].letter);
	for (unsigned i = 0; i < A_COUNT; i++)
		if ((s->actions & 1u << i) && !actions[i].letter)
			str_addf(out, " -A %s", actions[i].name);
	put_quoted(out, "-G", s->glob);
	put_quoted(out, "-W", s->words);
	put_quoted(out, "-P", s->prefix);
	put_quoted(out, "-S", s->suffix);
	put_quoted(out, "-X", s->filter);
	put_quoted(out, "-C", s->command);
	if (s->function)
		str_addf(out, " -F %s", s->function);
}

/* -D, -E and -I are entries of their own, under names no command has. */
static const struct {
	const char *name, *option;
} special_entries[] = {
	{ "_DefaultCmD_", "-D" }, { "_EmptycmD_", "-E" }, { "_InitialWorD_", "-I" },
};

static const char *special_entry(const struct spec *s)
{
	return s->on_default ? special_entries[0].name : s->on_empty ? special_entries[1].name :
	       s->on_initial ? special_entries[2].name : NULL;
}

static const char *entry_shown(const char *name)
{
	for (size_t i = 0; i < sizeof(special_entries) / sizeof(*special_entries); i++)
		if (!strcmp(name, special_entries[i].name))
			return special_entries[i].option;
	return name;
}

static int complete_print(struct shell *sh, const char *name)
{
	struct map *m = &doing(sh)->completions;
	struct map_entry *e = map_find(m, name, strlen(name));

	if (!e) {
		builtin_error(sh, "%s: no completion specification", name);
		return 1;
	}
	putf(sh, "complete%s %s\n", (char *)e->value, entry_shown(e->key));
	return 0;
}

static int complete_remove(struct shell *sh, const char *name)
{
	struct map *m = &doing(sh)->completions;

	if (!doing(sh)->completes || map_remove(m, name, strlen(name)))
		return 0;
	builtin_error(sh, "%s: no completion specification", name);
	return 1;
}

static void complete_store(struct shell *sh, const struct spec *s, const char *name)
{
	struct map_entry *e = map_put(&doing(sh)->completions, name, strlen(name));
	struct str text;

	if (!e)
		return;
	doing(sh)->completes = true;
	str_init(&text, sh->heap, STR_MAX_DEFAULT);
	spec_text(&text, s);
	heap_free(sh->heap, e->value);
	e->value = heap_dup(sh->heap, text.p, text.n);
	tsb_tick(sh->p, 1 + text.n / 256);
	str_end(&text);
}

static void complete_all(struct shell *sh, bool remove)
{
	struct map *m = &doing(sh)->completions;
	struct map_entry **all;

	if (remove) {
		map_end(m);
		map_init(m, sh->heap);
		return;
	}
	all = map_in_chains(sh, m, CHAINS_COMPLETIONS);
	for (size_t i = 0; i < m->n; i++)
		putf(sh, "complete%s %s\n", (char *)all[i]->value, entry_shown(all[i]->key));
}

int builtin_complete(struct shell *sh, int argc, char **argv, enum flow *flow)
{
	struct spec s = { 0 };
	struct bopt o;
	int status;

	(void)flow;
	bopt_init(&o, sh, argc, argv);
	status = spec_options(&s, &o, "abcdefgjksuvo:A:G:W:F:C:X:P:S:prDEI");
	if (status)
		return status;
	if (special_entry(&s)) {
		if (s.print)
			return complete_print(sh, special_entry(&s));
		if (s.remove)
			return complete_remove(sh, special_entry(&s));
		complete_store(sh, &s, special_entry(&s));
		return 0;
	}
	if (o.at >= argc) {
		if (argc > 1 && !s.print && !s.remove)
			return builtin_usage(sh);
		complete_all(sh, s.remove);
		return 0;
	}
	for (int i = o.at; i < argc; i++) {
		if (s.print)
			status |= complete_print(sh, argv[i]);
		else if (s.remove)
			status |= complete_remove(sh, argv[i]);
		else
			complete_store(sh, &s, argv[i]);
	}
	return status;
}

/* The options at the beginning of a stored text; *rest: what is behind them. */
static uint32_t stored_options(const char *text, const char **rest)
{
	uint32_t options = 0;

	while (!strncmp(text, " -o ", 4)) {
		size_t n = strcspn(text + 4, " ");

		for (unsigned i = 0; comp_options[i]; i++)
			if (strlen(comp_options[i]) == n && !memcmp(comp_options[i], text + 4, n))
				options |= 1u << i;
		text += 4 + n;
	}
	*rest = text;
	return options;
}

/* Without options: shows those of the entry; with some: changes them. */
static int compopt_one(struct shell *sh, const struct spec *s, const char *name)
{
	struct map_entry *e = map_find(&doing(sh)->completions, name, strlen(name));
	uint32_t options;
	const char *rest;
	struct str text;

	if (!e) {
		builtin_error(sh, "%s: no completion specification", name);
		return 1;
	}
	options = stored_options(e->value, &rest);
	if (!s->options && !s->options_off) {
		puts_(sh, "compopt");
		for (unsigned i = 0; comp_options[i]; i++)
			putf(sh, " %co %s", options & 1u << i ? '-' : '+', comp_options[i]);
		putf(sh, " %s\n", entry_shown(name));
		return 0;
	}
	options = (options | s->options) & ~s->options_off;
	str_init(&text, sh->heap, STR_MAX_DEFAULT);
	for (unsigned i = 0; comp_options[i]; i++)
		if (options & 1u << i)
			str_addf(&text, " -o %s", comp_options[i]);
	str_adds(&text, rest);
	heap_free(sh->heap, e->value);
	e->value = heap_dup(sh->heap, text.p, text.n);
	str_end(&text);
	return 0;
}

int builtin_compopt(struct shell *sh, int argc, char **argv, enum flow *flow)
{
	struct spec s = { 0 };
	struct bopt o;
	int status;

	(void)flow;
	bopt_init(&o, sh, argc, argv);
	status = spec_options(&s, &o, "+o:DEI");
	if (status)
		return status;
	if (o.at >= argc && !special_entry(&s)) {
		builtin_error(sh, "not currently executing completion function");
		return 1;
	}
	if (special_entry(&s))
		return compopt_one(sh, &s, special_entry(&s));
	for (int i = o.at; i < argc; i++)
		status |= compopt_one(sh, &s, argv[i]);
	return status;
}
