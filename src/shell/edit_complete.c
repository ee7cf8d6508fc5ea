/*
 * Completion: what stands before the cursor is a command, a variable, a user, or a file; or the
 * command's own specification (complete) says. The names come from compgen.
 */
#include "shell/edit.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/num.h"
#include "base/utf8.h"
#include "shell/builtin/builtin.h"
#include "shell/words.h"

struct completion {
	struct edit *e;
	struct tsb_heap *heap;
	size_t from;		/* where the word begins in the line */
	char quote;		/* within these, or NUL */
	struct str word;	/* without quotes */
	bool command;		/* the word is one */
	bool files;		/* the names are of files */
	bool no_space, no_quote, variable;
	VEC(char *) names;
	struct str text;	/* what they are in, each with its NUL */
};

/* ---- The word ---- */

static bool breaks(char c)
{
	return c == ' ' || c == '\t' || c == '\n' || (c && strchr("\"'><=;|&(:`", c));
}

/* Would a command stand behind this text? */
static bool command_stands(const char *text, size_t n)
{
	static const char *const words[] = { "then", "do", "else", "elif", "if", "while", "until", "time", "{" };
	size_t from;

	while (n && (text[n - 1] == ' ' || text[n - 1] == '\t'))
		n--;
	if (!n || strchr(";|&(`\n!", text[n - 1]))
		return true;
	for (from = n; from && !strchr(" \t\n;|&(", text[from - 1]); from--)
		;
	for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++)
		if (n - from == strlen(words[i]) && !memcmp(text + from, words[i], n - from))
			return command_stands(text, from) || !strchr("dt", *words[i]);
	for (size_t i = from; i < n; i++)	/* an assignment before it */
		if (text[i] == '=')
			return i > from && command_stands(text, from);
	return false;
}

/* Quotes, from the line's begin on; the word that the cursor is in, without them. */
static void completion_word(struct completion *c)
{
	const char *p = c->e->line.p;
	size_t n = c->e->at;
	bool in_word = false;

	for (size_t i = 0; i < n; i++) {
		if (c->quote ? p[i] == c->quote : p[i] == '\'' || p[i] == '"') {
			c->quote = c->quote ? '\0' : p[i];
			if (!in_word)
				c->from = i;
			in_word = true;
		} else if (!c->quote && breaks(p[i])) {
			in_word = false;
			c->from = i + 1;
			str_reset(&c->word);
		} else {
			bool escape = p[i] == '\\' && c->quote != '\'' &&
				      (!c->quote || (i + 1 < n && strchr("\"\\$`", p[i + 1])));

			i += escape;
			in_word = true;
			if (i < n)
				str_addc(&c->word, p[i]);
		}
	}
	if (!in_word) {
		c->from = n;
		str_reset(&c->word);
	}
	c->command = !c->e->file_names && command_stands(p, c->from) &&
		     (!c->from || !strchr(":=", p[c->from - 1]));
	c->no_space = c->from && p[c->from - 1] == '`';
}

/* ---- Names ---- */

static void completion_take(struct completion *c, const struct str *text)
{
	size_t from = c->text.n;

	str_addn(&c->text, text->p, text->n);
	for (size_t i = from; i < c->text.n; i++)
		if (c->text.p[i] == '\n')
			c->text.p[i] = '\0';
}

/* compgen, its lines behind what there is. */
static void completion_ask(struct completion *c, const char *options)
{
	struct shell *sh = c->e->sh;
	struct doing *d = doing(sh);
	struct str *outer = d->capture, text, script;
	struct slice quoted;
	int status = sh->status;

	str_init(&text, c->heap, STR_MAX_DEFAULT);
	str_init(&script, c->heap, STR_MAX_DEFAULT);
	str_adds(&script, "builtin compgen ");
	str_adds(&script, options);
	str_adds(&script, " -- '");
	quoted = (struct slice){ c->word.p, c->word.n };
	for (size_t i = 0; i < quoted.n; i++) {
		if (quoted.p[i] == '\'')
			str_adds(&script, "'\\'");
		str_addc(&script, quoted.p[i]);
	}
	str_adds(&script, "' 2>/dev/null");
	d->capture = &text;
	eval_text(sh, script.p, script.n, "completion", 1);
	put_flush(sh);
	sh->status = status;
	d->capture = outer;
	completion_take(c, &text);
	str_end(&text);
	str_end(&script);
}

static int by_name(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

static void completion_sort(struct completion *c)
{
	size_t n = 0;

	for (size_t i = 0; i < c->text.n; i += strlen(c->text.p + i) + 1) {
		char **name = c->text.p[i] ? vec_add(c->heap, &c->names) : NULL;

		if (name)
			*name = c->text.p + i;
	}
	if (!c->names.n)
		return;
	qsort(c->names.at, c->names.n, sizeof(*c->names.at), by_name);
	for (size_t i = 0; i < c->names.n; i++)
		if (!n || strcmp(c->names.at[i], c->names.at[n - 1]))
			c->names.at[n++] = c->names.at[i];
	c->names.n = n;
}

/* ---- The command's own ---- */

static const char *spec_of(struct completion *c, struct slice *command)
{
	const char *p = c->e->line.p;
	size_t from = 0, end;
	struct map_entry *entry;

	for (size_t i = 0; i < c->from; i++)
		if (strchr(" \t\n;|&(", p[i]) && command_stands(p, i + 1))
			from = i + 1;
	while (from < c->from && (p[from] == ' ' || p[from] == '\t'))
		from++;
	for (end = from; end < c->from && !strchr(" \t\n", p[end]); end++)
		;
	*command = (struct slice){ p + from, end - from };
	if (!doing(c->e->sh)->completes || end == from)
		return NULL;
	entry = map_find(&doing(c->e->sh)->completions, command->p, command->n);
	return entry ? entry->value : NULL;
}

/* COMP_LINE, COMP_WORDS and their kin, as a script that sets them. */
static void completion_variables(struct completion *c, struct slice command)
{
	struct shell *sh = c->e->sh;
	size_t from = (size_t)(command.p - c->e->line.p), words = 0;
	struct slice *items = arena_array(&sh->turn, c->e->at - from + 2, sizeof(*items));
	char number[24];

	if (!items)
		return;
	for (size_t i = from; i < c->e->at;) {
		size_t end = i;

		while (end < c->e->at && !strchr(" \t\n", c->e->line.p[end]))
			end++;
		if (end > i)
			items[words++] = (struct slice){ c->e->line.p + i, end - i };
		i = end + 1;
	}
	if (c->from == c->e->at)
		items[words++] = (struct slice){ "", 0 };
	if (var_set_list(sh, "COMP_WORDS", items, words))
		return;
	var_set_text(sh, "COMP_CWORD", number, num_format_u64(number, words ? words - 1 : 0));
	var_set_text(sh, "COMP_LINE", c->e->line.p + from, c->e->line.n - from);
	var_set_text(sh, "COMP_POINT", number, num_format_u64(number, c->e->at - from));
}

/* The options "-o NAME" of a specification, which compgen's work does not show. */
static bool spec_has(const char *spec, const char *option)
{
	const char *at = strstr(spec, option);

	return at && at - spec >= 3 && !memcmp(at - 3, "-o ", 3);
}

/* -F: the function has the command, the word and the one before it, and fills COMPREPLY. Its status
 * 124 says that there is another specification now. */
static void completion_by_function(struct completion *c, const char *spec, struct slice command, bool *again)
{
	struct shell *sh = c->e->sh;
	const char *at = strstr(spec, " -F "), *p = c->e->line.p;
	size_t n = at ? strcspn(at + 4, " ") : 0, to = c->from, from;
	const struct function *f = at ? function_find(sh, at + 4, n) : NULL;
	enum flow flow = FLOW_NEXT;
	int status = sh->status;
	struct slice item;
	char *args[5];
	struct var *v;

	*again = false;
	if (!f)
		return;
	while (to && (p[to - 1] == ' ' || p[to - 1] == '\t'))
		to--;
	for (from = to; from && !strchr(" \t\n", p[from - 1]); from--)
		;
	args[0] = arena_dup(&sh->turn, at + 4, n);
	args[1] = arena_dup(&sh->turn, command.p, command.n);
	args[2] = arena_dup(&sh->turn, c->word.p, c->word.n);
	args[3] = arena_dup(&sh->turn, p + from, to - from);
	args[4] = NULL;
	var_unset(sh, "COMPREPLY", 9, false);
	*again = call_function(sh, f->node, 4, args, &flow) == 124;
	sh->status = status;
	put_flush(sh);
	v = var_find_text(sh, "COMPREPLY", 9);
	if (!v || !(v->flags & VAR_INDEXED))
		return;
	for (int64_t i = -1; array_next(v->array, &i, &item);) {
		str_addn(&c->text, item.p, item.n);
		str_addc(&c->text, '\0');
	}
}

static bool completion_by_spec(struct completion *c)
{
	struct slice command;
	const char *spec = c->command ? NULL : spec_of(c, &command);
	bool again = false;

	if (!spec)
		return false;
	completion_variables(c, command);
	completion_by_function(c, spec, command, &again);
	if (again && (spec = spec_of(c, &command)))
		completion_by_function(c, spec, command, &again);
	if (!spec)
		return false;
	if (!strstr(spec, " -F "))
		completion_ask(c, spec);
	c->files = spec_has(spec, "filenames") || strstr(spec, "-f") || strstr(spec, "-d");
	c->no_space |= spec_has(spec, "nospace");
	c->no_quote = spec_has(spec, "noquote");
	if (!c->text.n && (spec_has(spec, "default") || spec_has(spec, "bashdefault"))) {
		c->files = true;
		completion_ask(c, "-f");
	}
	return true;
}

/* $NAME, ${NAME, ~user: what stands before the name goes before each. */
static bool completion_special(struct completion *c)
{
	size_t skip = c->word.n > 1 && c->word.p[0] == '$' && c->word.p[1] == '{' ? 2 : 1;
	const char *before = skip == 2 ? "-P '${' -S '}' -v" : "-P '$' -v";
	struct str whole = c->word;

	if (c->word.p[0] != '$' && (c->word.p[0] != '~' || memchr(c->word.p, '/', c->word.n)))
		return false;
	if (c->quote == '\'')
		return false;
	c->word.p += skip;
	c->word.n -= skip;
	completion_ask(c, whole.p[0] == '~' ? "-P '~' -S / -u" : before);
	c->word = whole;
	c->no_quote = true;
	c->no_space = whole.p[0] == '~';
	c->variable = skip == 1 && whole.p[0] == '$';
	return true;
}

static void completion_names(struct completion *c)
{
	if (completion_special(c) || completion_by_spec(c)) {
		completion_sort(c);
		return;
	}
	c->files = !c->command || memchr(c->word.p, '/', c->word.n);
	if (c->files)
		completion_ask(c, "-f");
	else if (c->word.n)
		completion_ask(c, "-A alias -A function -A builtin -A keyword -c");
	completion_sort(c);
	if (!c->names.n && !c->files && c->word.n) {
		c->files = true;
		completion_ask(c, "-d");
		completion_sort(c);
	}
}

/* ---- Into the line ---- */

static void add_quoted(const struct completion *c, struct str *out, const char *text, size_t n)
{
	const char *special = c->quote == '\'' ? "" : c->quote ? "\"\\$`" : " \t\n\\\"'@<>=;|&()$`?*[!:{";

	for (size_t i = 0; i < n; i++) {
		bool tilde = text[i] == '~' || text[i] == '#';

		if (!c->no_quote && (strchr(special, text[i]) || (tilde && !i && !c->quote && text[1] != '/')))
			str_addc(out, '\\');
		str_addc(out, text[i]);
	}
}

static bool is_directory(const struct completion *c, const char *name)
{
	struct shell *sh = c->e->sh;
	struct slice home;
	struct tsb_stat st;
	struct slice value;

	if (c->variable && var_get_text(sh, name + 1, &value))
		name = arena_dup(&sh->turn, value.p, value.n);
	if (!strncmp(name, "~/", 2) && var_get_text(sh, "HOME", &home))
		name = turn_join(sh, arena_dup(&sh->turn, home.p, home.n), name + 1, NULL);
	return !tsb_stat(sh->p, name, &st) && S_ISDIR(st.mode);
}

static size_t common_prefix(const struct completion *c)
{
	const char *first = c->names.at[0];
	size_t n = strlen(first);

	for (size_t i = 1; i < c->names.n; i++) {
		size_t k = 0;

		while (k < n && c->names.at[i][k] == first[k])
			k++;
		n = k;
	}
	while (n && ((unsigned char)first[n] & 0xc0) == 0x80)
		n--;
	return n;
}

/* Whether the line is another than it was. */
static bool completion_insert(struct completion *c)
{
	bool one = c->names.n == 1;
	size_t n = common_prefix(c), before = c->e->line.n;
	struct str t;

	str_init(&t, c->heap, STR_MAX_DEFAULT);
	if (c->quote)
		str_addc(&t, c->quote);
	add_quoted(c, &t, c->names.at[0], n);
	if (one && (c->files || c->variable) && is_directory(c, c->names.at[0])) {
		if (c->names.at[0][n - 1] != '/' && edit_is_on(c->e->sh, "mark-directories"))
			str_addc(&t, '/');
	} else if (one) {
		if (c->quote)
			str_addc(&t, c->quote);
		if (!c->no_space)
			str_addc(&t, ' ');
	}
	if (n >= c->word.n && (t.n != c->e->at - c->from || memcmp(t.p, c->e->line.p + c->from, t.n)))
		edit_replace(c->e, c->from, c->e->at, t.p, t.n);
	str_end(&t);
	return one || c->e->line.n != before;
}

/* ---- The list ---- */

static const char *shown(const struct completion *c, size_t i)
{
	const char *name = c->names.at[i], *slash = c->files ? strrchr(name, '/') : NULL;

	return slash && slash[1] ? slash + 1 : name;
}

static bool wanted(struct completion *c)
{
	struct edit *e = c->e;
	int64_t most;
	int k;

	/* more than that are listed only when wanted */
	if (num_i64(edit_setting(e->sh, "completion-query-items"), &most) != NUM_OK || most <= 0 ||
	    (int64_t)c->names.n < most)
		return true;
	str_addf(&e->out, "Display all %zu possibilities? (y or n)", c->names.n);
	tsb_write_all(e->sh->p, 2, e->out.p, e->out.n);
	str_reset(&e->out);
	do {
		k = edit_byte(e);
	} while (k >= 0 && !strchr("yYnN \177\a", k));
	str_adds(&e->out, "\r\n");
	return k == 'y' || k == 'Y' || k == ' ';
}

static void completion_list(struct completion *c)
{
	struct edit *e = c->e;
	size_t widest = 0, columns, rows;

	edit_leave(e);
	e->stale = e->whole = false;
	if (wanted(c)) {
		for (size_t i = 0; i < c->names.n; i++) {
			size_t width = utf8_columns(shown(c, i), strlen(shown(c, i)));

			widest = width > widest ? width : widest;
		}
		columns = e->columns / (widest + 2);
		columns -= columns > 1 && columns * (widest + 2) == e->columns;
		columns = columns ? columns : 1;
		rows = (c->names.n + columns - 1) / columns;
		for (size_t r = 0; r < rows; r++) {
			for (size_t i = r; i < c->names.n; i += rows) {
				size_t width = utf8_columns(shown(c, i), strlen(shown(c, i)));

				str_adds(&e->out, shown(c, i));
				if (c->files && is_directory(c, c->names.at[i])) {
					str_addc(&e->out, '/');
					width++;
				}
				if (i + rows < c->names.n)
					str_fill(&e->out, ' ', widest + 2 - width);
			}
			str_adds(&e->out, "\r\n");
			tsb_tick(e->sh->p, columns);
		}
	}
	e->stale = e->whole = true;
}

/* ---- Keys ---- */

static void completion_begin(struct completion *c, struct edit *e)
{
	*c = (struct completion){ .e = e, .heap = e->sh->heap };
	str_init(&c->word, c->heap, EDIT_LINE);
	str_init(&c->text, c->heap, STR_MAX_DEFAULT);
	completion_word(c);
	completion_names(c);
}

static void completion_end(struct completion *c)
{
	vec_end(c->heap, &c->names);
	str_end(&c->word);
	str_end(&c->text);
}

static void edit_ambiguous(struct completion *c)
{
	if (c->names.n > 1 && edit_is_on(c->e->sh, "show-all-if-ambiguous"))
		completion_list(c);
	else
		edit_bell(c->e);
}

void edit_complete(struct edit *e, int count)
{
	struct completion c;

	(void)count;
	completion_begin(&c, e);
	if (!c.names.n)
		edit_bell(e);
	else if (e->did == edit_complete && c.names.n > 1 && e->listed)
		completion_list(&c);
	else if (!completion_insert(&c) || c.names.n > 1)
		edit_ambiguous(&c);
	e->listed = c.names.n > 1;
	completion_end(&c);
}

void edit_possible(struct edit *e, int count)
{
	struct completion c;

	(void)count;
	completion_begin(&c, e);
	if (c.names.n)
		completion_list(&c);
	else
		edit_bell(e);
	completion_end(&c);
}

void edit_insert_all(struct edit *e, int count)
{
	struct completion c;
	struct str t;

	(void)count;
	completion_begin(&c, e);
	str_init(&t, c.heap, EDIT_LINE);
	for (size_t i = 0; i < c.names.n; i++) {
		add_quoted(&c, &t, c.names.at[i], strlen(c.names.at[i]));
		str_addc(&t, ' ');
	}
	if (t.n)
		edit_replace(e, c.from, e->at, t.p, t.n);
	else
		edit_bell(e);
	str_end(&t);
	completion_end(&c);
}
