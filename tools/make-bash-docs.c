/*
 * docs/bash.md out of the code and the behaviour cases (built with the rest, never installed):
 *
 *	make-bash-docs FILE.test...	to standard output
 *
 * Every case of the files is parsed with the shell's own parser; what stands in its tree is counted for the
 * constructs, builtins and operators that the tables of src/lang and src/shell name. A row without a case is told
 * on standard error; status 1 then. Cases marked "## differs:" are the differences from bash that stay.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/heap.h"
#include "base/map.h"
#include "base/vec.h"
#include "lang/arith.h"
#include "lang/parse.h"
#include "shell/shell.h"

static struct tsb_heap *heap;
static struct map seen;		/* what the case at hand has */
static struct map counts;	/* in how many cases: size_t */
static VEC(char *) differences;
static VEC(char *) scripts;	/* texts, for the options' names */
static size_t n_cases, n_bare;

/* ---- Names of what the tree can hold ---- */

static const char *const node_names[] = {
	[NODE_SIMPLE] = "simple command", [NODE_PIPELINE] = "pipeline `a | b`", [NODE_AND] = "`a && b`",
	[NODE_OR] = "`a || b`", [NODE_LIST] = "list `a; b`", [NODE_SUBSHELL] = "subshell `( )`",
	[NODE_GROUP] = "group `{ }`", [NODE_IF] = "`if`", [NODE_WHILE] = "`while`", [NODE_UNTIL] = "`until`",
	[NODE_FOR] = "`for name in`", [NODE_SELECT] = "`select`", [NODE_FOR_ARITH] = "`for (( ))`",
	[NODE_CASE] = "`case`", [NODE_FUNCTION] = "function", [NODE_ARITH] = "`(( ))`", [NODE_COND] = "`[[ ]]`",
	[NODE_COPROC] = "`coproc`"
};
static const char *const part_names[] = {
	[PART_ESCAPED] = "`\\x`", [PART_SINGLE] = "`'...'`", [PART_ANSI] = "`$'...'`",
	[PART_DOUBLE] = "`\"...\"`", [PART_LOCALE] = "`$\"...\"`", [PART_PARAM] = "`$x`, `${x}`",
	[PART_COMMAND] = "`$(...)`", [PART_ARITH] = "`$((...))`", [PART_PROCESS_IN] = "`<(...)`",
	[PART_PROCESS_OUT] = "`>(...)`", [PART_TILDE] = "`~`", [PART_GLOB] = "`?( ) *( ) +( ) @( ) !( )`"
};
static const char *const param_names[] = {
	[PARAM_LENGTH] = "`${#x}`", [PARAM_DEFAULT] = "`${x:-w}`", [PARAM_ASSIGN] = "`${x:=w}`",
	[PARAM_ERROR] = "`${x:?w}`", [PARAM_ALTERNATE] = "`${x:+w}`", [PARAM_PREFIX] = "`${x#p}`",
	[PARAM_PREFIX_LONG] = "`${x##p}`", [PARAM_SUFFIX] = "`${x%p}`", [PARAM_SUFFIX_LONG] = "`${x%%p}`",
	[PARAM_REPLACE] = "`${x/p/w}`", [PARAM_REPLACE_ALL] = "`${x//p/w}`", [PARAM_REPLACE_START] = "`${x/#p/w}`",
	[PARAM_REPLACE_END] = "`${x/%p/w}`", [PARAM_SLICE] = "`${x:o:l}`", [PARAM_UPPER] = "`${x^}`",
	[PARAM_UPPER_ALL] = "`${x^^}`", [PARAM_LOWER] = "`${x,}`", [PARAM_LOWER_ALL] = "`${x,,}`",
	[PARAM_TOGGLE] = "`${x~}`", [PARAM_TOGGLE_ALL] = "`${x~~}`", [PARAM_NAMES] = "`${!p*}`",
	[PARAM_KEYS] = "`${!a[@]}`", [PARAM_BAD] = "a bad substitution"
};
static const char *const redir_names[] = {
	[REDIR_IN] = "`<`", [REDIR_OUT] = "`>`", [REDIR_CLOBBER] = "`>|`", [REDIR_APPEND] = "`>>`",
	[REDIR_RW] = "`<>`", [REDIR_DUP_IN] = "`<&`", [REDIR_DUP_OUT] = "`>&`", [REDIR_BOTH] = "`&>`",
	[REDIR_BOTH_APPEND] = "`&>>`", [REDIR_HERE] = "`<<`", [REDIR_STRING] = "`<<<`"
};
static const char *const arith_names[] = {
	[ARITH_NEG] = "`-a`", [ARITH_POS] = "`+a`", [ARITH_NOT] = "`!a`", [ARITH_BITNOT] = "`~a`",
	[ARITH_PRE_INC] = "`++a`", [ARITH_PRE_DEC] = "`--a`", [ARITH_POST_INC] = "`a++`", [ARITH_POST_DEC] = "`a--`",
	[ARITH_POW] = "`**`", [ARITH_MUL] = "`*`", [ARITH_DIV] = "`/`", [ARITH_MOD] = "`%`", [ARITH_ADD] = "`+`",
	[ARITH_SUB] = "`-`", [ARITH_SHL] = "`<<`", [ARITH_SHR] = "`>>`", [ARITH_LT] = "`<`", [ARITH_LE] = "`<=`",
	[ARITH_GT] = "`>`", [ARITH_GE] = "`>=`", [ARITH_EQ] = "`==`", [ARITH_NE] = "`!=`", [ARITH_BITAND] = "`&`",
	[ARITH_BITXOR] = "`^`", [ARITH_BITOR] = "`|`", [ARITH_AND] = "`&&`", [ARITH_OR] = "`||`",
	[ARITH_COND] = "`a ? b : c`", [ARITH_ASSIGN] = "`=`, `+=` ...", [ARITH_COMMA] = "`,`"
};
static const char *const cond_names[] = {
	"-a", "-b", "-c", "-d", "-e", "-f", "-g", "-h", "-k", "-n", "-o", "-p", "-r", "-s", "-t", "-u", "-v", "-w", "-x",
	"-z", "-G", "-L", "-N", "-O", "-R", "-S", "==", "=", "!=", "=~", "<", ">", "-eq", "-ne", "-lt", "-le", "-gt", "-ge",
	"-nt", "-ot", "-ef"
};

#define COUNT(a) (sizeof(a) / sizeof(*(a)))

static void note(const char *group, const char *name)
{
	char key[300];
	int n = snprintf(key, sizeof(key), "%s %s", group, name);

	if (n > 0 && (size_t)n < sizeof(key))
		map_put(&seen, key, (size_t)n);
}

/* ---- The walk ---- */

static void walk(const struct node *n);
static void walk_word(const struct word *w);

static void walk_tree(const struct arith_node *n)
{
	if (!n)
		return;
	if (n->op < COUNT(arith_names) && arith_names[n->op])
		note("arith", arith_names[n->op]);
	if (n->part)
		walk_word(&(struct word){ .parts = n->part });
	walk_tree(n->a);
	walk_tree(n->b);
	walk_tree(n->c);
}

static void walk_arith(const struct arith *a)
{
	if (a && a->tree)
		walk_tree(a->tree);
	else if (a && a->word)
		walk_word(a->word);
}

static void walk_param(const struct param *p)
{
	if (param_names[p->op])
		note("param", param_names[p->op]);
	if (p->op == PARAM_TRANSFORM && p->letter)
		note("transform", (char[]){ '`', '$', '{', 'x', '@', p->letter, '}', '`', 0 });
	if (p->indirect)
		note("param", "`${!x}`");
	if (p->sub.kind == SUBSCRIPT_AT || p->sub.kind == SUBSCRIPT_STAR)
		note("param", "`${a[@]}`, `${a[*]}`");
	if (p->sub.kind == SUBSCRIPT_EXPR)
		note("param", "`${a[i]}`");
	walk_arith(p->offset);
	walk_arith(p->length);
	walk_word(p->word);
	walk_word(p->word2);
}

static void walk_part(const struct part *p)
{
	if (p->kind < COUNT(part_names) && part_names[p->kind])
		note("part", p->kind == PART_COMMAND && p->backquoted ? "`` `...` ``" : part_names[p->kind]);
	if (p->kind == PART_DOUBLE || p->kind == PART_LOCALE)
		for (const struct part *q = p->parts; q; q = q->next)
			walk_part(q);
	if (p->kind == PART_PARAM)
		walk_param(p->param);
	if (p->kind == PART_ARITH)
		walk_arith(p->arith);
	if (p->kind == PART_COMMAND || p->kind == PART_PROCESS_IN || p->kind == PART_PROCESS_OUT)
		walk(p->command);
	if (p->kind == PART_GLOB)
		walk_word(p->alternatives);
}

/* A list of words. */
static void walk_word(const struct word *w)
{
	for (; w; w = w->next) {
		if (w->flags & WORD_BRACE)
			note("part", "`{a,b}`, `{1..9}`");
		if (w->flags & WORD_MAGIC)
			note("part", "`*` `?` `[...]`");
		for (const struct part *p = w->parts; p; p = p->next)
			walk_part(p);
	}
}

static void walk_assigns(const struct assign *a)
{
	for (; a; a = a->next) {
		note("assign", a->is_array ? "`a=( )`" : a->sub.kind == SUBSCRIPT_EXPR ? "`a[i]=x`" :
		     a->append ? "`x+=y`" : "`x=y`");
		if (a->value)
			walk_word(a->value);
		for (const struct array_item *i = a->items; i; i = i->next)
			walk_word(i->value);
	}
}

static void walk_cond(const struct cond *c)
{
	if (!c)
		return;
	if (c->op[0])
		note("cond", c->op);
	walk_word(c->a);
	walk_word(c->b);
	walk_cond(c->left);
	walk_cond(c->right);
}

static void walk_simple(const struct node *n)
{
	const struct word *w = n->simple.words;

	walk_assigns(n->simple.assigns);
	if (n->simple.decl)
		w = n->simple.decl->word;
	if (w && (w->flags & WORD_LITERAL) && builtin_find(w->text.p, w->text.n))
		note("builtin", w->text.p);
	/* command cd, builtin echo */
	if (w && w->next && (w->next->flags & WORD_LITERAL) && builtin_find(w->next->text.p, w->next->text.n) &&
	    (slice_is(w->text, "command") || slice_is(w->text, "builtin")))
		note("builtin", w->next->text.p);
	walk_word(n->simple.words);
	for (const struct decl_arg *d = n->simple.decl; d; d = d->next) {
		if (d->assign)
			walk_assigns(d->assign);
		else
			walk_word(d->word);
	}
}

static void walk_items(const struct node *n)
{
	for (; n; n = n->next)
		walk(n);
}

static void walk_case(const struct node *n)
{
	static const char *const ends[] = { "`;;`", "`;&`", "`;;&`" };

	walk_word(n->match.word);
	for (const struct case_item *i = n->match.items; i; i = i->next) {
		note("case", ends[i->end]);
		walk_word(i->patterns);
		walk(i->body);
	}
}

static void walk_body(const struct node *n)
{
	switch (n->kind) {
	case NODE_SIMPLE:
		walk_simple(n);
		break;
	case NODE_PIPELINE:
		if (n->pipeline.negate)
			note("node", "`! a`");
		if (n->pipeline.timed)
			note("node", "`time a`");
		walk_items(n->pipeline.first);
		break;
	case NODE_AND:
	case NODE_OR:
		walk(n->binary.a);
		walk(n->binary.b);
		break;
	case NODE_LIST:
		walk_items(n->list.first);
		break;
	case NODE_FOR:
	case NODE_SELECT:
		walk_word(n->loop.words);
		walk(n->loop.body);
		break;
	case NODE_FOR_ARITH:
		walk_arith(n->loop_arith.init);
		walk_arith(n->loop_arith.test);
		walk_arith(n->loop_arith.step);
		walk(n->loop_arith.body);
		break;
	case NODE_CASE:
		walk_case(n);
		break;
	case NODE_FUNCTION:
	case NODE_COPROC:
		walk(n->named.body);
		break;
	case NODE_ARITH:
		walk_arith(n->arith);
		break;
	case NODE_COND:
		walk_cond(n->cond);
		break;
	default:
		walk(n->flow.test);
		walk(n->flow.body);
		walk(n->flow.otherwise);
	}
}

static void walk(const struct node *n)
{
	if (!n)
		return;
	note("node", node_names[n->kind]);
	if (n->background)
		note("node", "`a &`");
	if (n->pipe_stderr)
		note("node", "`a |& b`");
	for (const struct redir *r = n->redirs; r; r = r->next) {
		note("redir", r->var.n ? "`{fd}>`" : redir_names[r->kind]);
		walk_word(r->word);
	}
	walk_body(n);
}

/* ---- Cases ---- */

static void count_seen(void)
{
	for (struct map_entry *e = NULL; (e = map_next(&seen, e));) {
		struct map_entry *c = map_put(&counts, e->key, e->len);

		c->value = (void *)((uintptr_t)c->value + 1);
	}
	map_end(&seen);
	map_init(&seen, heap);
}

static void take_case(const char *script, size_t n)
{
	struct parse_options opt = { .name = "case", .depth_max = 200, .source_max = (size_t)1 << 24, .extglob = true };
	struct parse_error err = { 0 };
	struct parse_lines l;
	struct script *s;

	n_cases++;
	*vec_add(heap, &scripts) = heap_dup(heap, script, n);
	str_init(&err.message, heap, STR_MAX_DEFAULT);
	str_init(&err.detail, heap, STR_MAX_DEFAULT);
	if (!parse_lines_begin(&l, heap, script, n, &opt, &err))
		return;
	while ((s = parse_lines_next(&l, &opt, &err)))
		walk(s->body);
	count_seen();
}

static void read_file(const char *path)
{
	struct str script, title;
	char *line = NULL;
	size_t cap = 0;
	ssize_t n;
	bool in_script = false;
	FILE *f = fopen(path, "r");

	if (!f) {
		perror(path);
		exit(2);
	}
	str_init(&script, heap, STR_MAX_DEFAULT);
	str_init(&title, heap, STR_MAX_DEFAULT);
	while ((n = getline(&line, &cap, f)) > 0) {
		bool mark = !strncmp(line, "#### ", 5) || !strncmp(line, "## ", 3);

		if (mark && in_script)
			take_case(script.p, script.n);
		if (mark)
			in_script = false;
		if (!strncmp(line, "#### ", 5)) {
			str_reset(&script);
			str_reset(&title);
			str_addn(&title, line + 5, strcspn(line + 5, "\n"));
			in_script = true;
		} else if (!strncmp(line, "## differs: ", 12)) {
			struct str row;

			str_init(&row, heap, STR_MAX_DEFAULT);
			str_addf(&row, "| %s | %.*s |\n", title.p, (int)strcspn(line + 12, "\n"), line + 12);
			*vec_add(heap, &differences) = str_take(&row, NULL);
		} else if (in_script) {
			str_addn(&script, line, (size_t)n);
		}
	}
	if (in_script)
		take_case(script.p, script.n);
	free(line);
	fclose(f);
}

/* ---- Tables ---- */

static size_t count_of(const char *group, const char *name)
{
	char key[300];
	int n = snprintf(key, sizeof(key), "%s %s", group, name);
	struct map_entry *e = map_find(&counts, key, (size_t)n);

	return e ? (uintptr_t)e->value : 0;
}

static void row(const char *name, size_t n, const char *more)
{
	printf("| ");
	for (const char *p = name; *p; p++)
		printf(*p == '|' ? "\\%c" : "%c", *p);
	printf(" | %zu |%s\n", n, more);
	if (n)
		return;
	fprintf(stderr, "docs/bash.md: no case has %s\n", name);
	n_bare++;
}

static void table(const char *title, const char *group, const char *const *names, size_t n, const char *more)
{
	printf("\n## %s\n\n| | cases |\n|---|---|\n", title);
	for (size_t i = 0; i < n; i++)
		if (names[i])
			row(names[i], count_of(group, names[i]), "");
	for (; *more; more += strlen(more) + 1)
		row(more, count_of(group, more), "");
}

static void conditions(void)
{
	printf("\n## Conditions: `[[ ]]`\n\n| | cases |\n|---|---|\n");
	for (size_t i = 0; i < COUNT(cond_names); i++) {
		char name[16];

		snprintf(name, sizeof(name), "`%s`", cond_names[i]);
		row(name, count_of("cond", cond_names[i]), "");
	}
}

static void transforms(void)
{
	static const char letters[] = "QEPAKakULu";

	for (const char *p = letters; *p; p++) {
		char name[] = { '`', '$', '{', 'x', '@', *p, '}', '`', 0 };

		row(name, count_of("transform", name), "");
	}
}

static void builtins(void)
{
	const struct builtin *b;

	printf("\n## Builtins\n\nWhat each does: `help NAME`.\n\n| | cases |\n|---|---|\n");
	for (size_t i = 0; (b = builtin_at(i)); i++) {
		char name[64];

		snprintf(name, sizeof(name), "`%s`", b->name);
		row(name, count_of("builtin", b->name), "");
	}
}

static size_t mentions(const char *name)
{
	size_t n = 0;

	for (size_t i = 0; i < scripts.n; i++)
		n += strstr(scripts.at[i], name) != NULL;
	return n;
}

static void options(void)
{
	static const struct {
		const char *name, *how;
		bool on;
	} all[] = {
#define SET_OPTION(id, name, letter, def) { name, "set -o", def },
#define SHOPT_OPTION(id, name, def) { name, "shopt", def },
#include "shell/options.def"
#undef SET_OPTION
#undef SHOPT_OPTION
	};

	printf("\n## Options\n\nCases that name the option; letters such as `set -e` are not counted.\n\n"
	       "| | cases | by | default |\n|---|---|---|---|\n");
	for (size_t i = 0; i < COUNT(all); i++)
		printf("| `%s` | %zu | %s | %s |\n", all[i].name, mentions(all[i].name), all[i].how, all[i].on ? "on" : "off");
}

int main(int argc, char **argv)
{
	heap = heap_new(NULL, NULL, NULL, NULL);
	map_init(&seen, heap);
	map_init(&counts, heap);
	for (int i = 1; i < argc; i++)
		read_file(argv[i]);
	printf("<!-- Made by `make docs` out of src/lang, src/shell and the behaviour cases. Do not edit. -->\n"
	       "# bash\n\nThe whole grammar of bash 5.2 is parsed and evaluated. Each row below works as in bash, except\n"
	       "for the differences at the end; the number says in how many of the %zu cases it stands, whose\n"
	       "expectations come from bash itself (`make oracle`).\n", n_cases);
	table("Commands", "node", node_names, COUNT(node_names), "`! a`\0`time a`\0`a &`\0`a |& b`\0");
	table("Ends of a `case` item", "case", (const char *const[]){ "`;;`", "`;&`", "`;;&`" }, 3, "");
	table("Words", "part", part_names, COUNT(part_names), "`` `...` ``\0`{a,b}`, `{1..9}`\0`*` `?` `[...]`\0");
	table("Assignments", "assign", (const char *const[]){ "`x=y`", "`x+=y`", "`a=( )`", "`a[i]=x`" }, 4, "");
	table("Parameters", "param", param_names, COUNT(param_names), "`${!x}`\0`${a[@]}`, `${a[*]}`\0`${a[i]}`\0");
	transforms();
	table("Redirections", "redir", redir_names, COUNT(redir_names), "`{fd}>`\0");
	conditions();
	table("Arithmetic", "arith", arith_names, COUNT(arith_names), "");
	builtins();
	options();
	printf("\n## Differences that stay\n\n| case | reason |\n|---|---|\n");
	for (size_t i = 0; i < differences.n; i++)
		fputs(differences.at[i], stdout);
	return fflush(stdout) ? 2 : n_bare ? 1 : 0;
}
