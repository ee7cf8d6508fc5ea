/* The shape of trees: kinds, flags, parts, positions. */
#include "lang.h"

static void check_flags(struct lang *t)
{
	static const struct { const char *word; uint32_t flags; } cases[] = {
		{ "abc", WORD_LITERAL }, { "a-b.c/d", WORD_LITERAL }, { "[", WORD_LITERAL },
		{ "]", WORD_LITERAL }, { "{", WORD_LITERAL }, { "{}", WORD_LITERAL },
		{ "a{b", WORD_LITERAL }, { "{a}", WORD_LITERAL }, { "a=b", WORD_LITERAL },
		{ "a~b", WORD_LITERAL }, { "+(", 0 }, { "!a", WORD_LITERAL }, { "@", WORD_LITERAL },
		{ "a\\\nb", WORD_LITERAL }, { "$", WORD_LITERAL }, { "a$", WORD_LITERAL },
		{ "'a'", WORD_QUOTED }, { "\"a\"", WORD_QUOTED }, { "\\a", WORD_QUOTED },
		{ "$'a'", WORD_QUOTED }, { "$\"a\"", WORD_QUOTED }, { "''", WORD_QUOTED },
		{ "{a,b}", WORD_BRACE }, { "{1..3}", WORD_BRACE }, { "{a,\"b\"}", WORD_BRACE | WORD_QUOTED },
		{ "*", WORD_MAGIC }, { "a?", WORD_MAGIC }, { "[a]", WORD_MAGIC }, { "@(a)", WORD_MAGIC },
		{ "'*'", WORD_QUOTED }, { "\\*", WORD_QUOTED },
		{ "$x", WORD_EXPANDS }, { "\"$x\"", WORD_EXPANDS | WORD_QUOTED },
		{ "${x}", WORD_EXPANDS }, { "${x:-a}", WORD_EXPANDS },
		{ "${x:=a}", WORD_EXPANDS | WORD_EFFECTS }, { "${x?a}", WORD_EXPANDS | WORD_EFFECTS },
		{ "${!x}", WORD_EXPANDS | WORD_EFFECTS }, { "$RANDOM", WORD_EXPANDS | WORD_EFFECTS },
		{ "${BASHPID}", WORD_EXPANDS | WORD_EFFECTS }, { "$(a)", WORD_EXPANDS | WORD_EFFECTS },
		{ "`a`", WORD_EXPANDS | WORD_EFFECTS }, { "<(a)", WORD_EXPANDS | WORD_EFFECTS },
		{ "$((1))", WORD_EXPANDS }, { "$((x++))", WORD_EXPANDS | WORD_EFFECTS },
		{ "${x:i=1}", WORD_EXPANDS | WORD_EFFECTS }, { "${a[i++]}", WORD_EXPANDS | WORD_EFFECTS },
		{ "${x:-$(a)}", WORD_EXPANDS | WORD_EFFECTS }, { "${x:-*}", WORD_EXPANDS },
		{ "~", WORD_TILDE }, { "~/a", WORD_TILDE }
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		char script[100];

		if (!cases[i].flags)
			continue;
		snprintf(script, sizeof(script), "echo %s", cases[i].word);
		is_int(lang_word(t, script, 1)->flags, cases[i].flags, cases[i].word);
	}
}

static const struct part *part(struct lang *t, const char *script, unsigned n)
{
	const struct part *p = lang_word(t, script, 1)->parts;

	while (n--)
		p = p->next;
	return p;
}

/* Where bash expands a tilde, and where it does not (echo of each, HOME=/h). */
static void check_tilde(struct lang *t)
{
	const struct assign *a;

	is_int(part(t, "echo ~", 0)->kind, PART_TILDE, "~");
	is_str(part(t, "echo ~user/x", 0)->text.p, "user", "~user/");
	is_str(part(t, "echo ~user/x", 1)->text.p, "/x", "the rest");
	is_int(part(t, "echo a~", 0)->kind, PART_TEXT, "a~");
	is_int(part(t, "echo ~$x", 0)->kind, PART_TEXT, "~$x");
	is_int(part(t, "echo ~\"a\"", 0)->kind, PART_TEXT, "~\"a\"");
	is_int(part(t, "echo \\~", 0)->kind, PART_ESCAPED, "\\~");
	is_int(part(t, "echo a=~", 1)->kind, PART_TILDE, "an argument a=~");
	is_int(part(t, "echo a=b:~", 1)->kind, PART_TILDE, "a=b:~");
	is_int(part(t, "echo a=b=~", 0)->kind, PART_TEXT, "a=b=~: not behind the second =");
	is_int(part(t, "echo b:~", 0)->kind, PART_TEXT, "b:~");
	is_int(part(t, "echo --x=~", 0)->kind, PART_TEXT, "--x=~");
	a = lang_first(t, "x=~/a:~b:c")->simple.assigns;
	is_int(a->value->parts->kind, PART_TILDE, "x=~");
	is_str(a->value->parts->next->text.p, "/a:", "up to the next");
	is_str(a->value->parts->next->next->text.p, "b", "behind :");
	is_int(lang_first(t, "export x=~")->simple.decl->next->assign->value->parts->kind,
	       PART_TILDE, "export x=~");
	is_int(part(t, "echo ${x:-~/a}", 0)->param->word->parts->kind, PART_TILDE, "${x:-~}");
	is_int(part(t, "echo \"${x:-~}\"", 0)->parts->param->word->parts->kind, PART_TEXT,
	       "\"${x:-~}\"");
	is_int(lang_first(t, "a >~/x")->redirs->word->parts->kind, PART_TILDE, ">~");
}

static const struct param *param(struct lang *t, const char *script)
{
	const struct part *p = part(t, script, 0);

	return p->kind == PART_DOUBLE ? p->parts->param : p->param;
}

static void check_param(struct lang *t)
{
	static const struct { const char *text; enum param_op op; const char *name; } cases[] = {
		{ "${x}", PARAM_PLAIN, "x" }, { "${#x}", PARAM_LENGTH, "x" }, { "${#}", PARAM_PLAIN, "#" },
		{ "${##}", PARAM_LENGTH, "#" }, { "${#?}", PARAM_LENGTH, "?" },
		{ "${#-}", PARAM_LENGTH, "-" }, { "${#-a}", PARAM_DEFAULT, "#" },
		{ "${#:-a}", PARAM_DEFAULT, "#" }, { "${##a}", PARAM_PREFIX, "#" },
		{ "${#%a}", PARAM_SUFFIX, "#" }, { "${#=}", PARAM_BAD, "" }, { "${#+}", PARAM_BAD, "" },
		{ "${#:}", PARAM_BAD, "" }, { "${#%}", PARAM_BAD, "" }, { "${#/}", PARAM_BAD, "" },
		{ "${#x:-y}", PARAM_BAD, "" }, { "${!}", PARAM_PLAIN, "!" },
		{ "${!:-a}", PARAM_DEFAULT, "!" }, { "${!x}", PARAM_PLAIN, "x" },
		{ "${!#}", PARAM_PLAIN, "#" }, { "${!?}", PARAM_PLAIN, "?" }, { "${!$}", PARAM_BAD, "" },
		{ "${!x*}", PARAM_NAMES, "x" }, { "${!x@}", PARAM_NAMES, "x" },
		{ "${!x[@]}", PARAM_KEYS, "x" }, { "${!x[1]}", PARAM_PLAIN, "x" },
		{ "${!x@Q}", PARAM_TRANSFORM, "x" }, { "${!1*}", PARAM_BAD, "" },
		{ "${@}", PARAM_PLAIN, "@" }, { "${@:1}", PARAM_SLICE, "@" }, { "${*@Q}", PARAM_TRANSFORM, "*" },
		{ "${@Q}", PARAM_BAD, "" }, { "${10}", PARAM_PLAIN, "10" }, { "${1a}", PARAM_BAD, "" },
		{ "${x:-a}", PARAM_DEFAULT, "x" }, { "${x=a}", PARAM_ASSIGN, "x" },
		{ "${x:?}", PARAM_ERROR, "x" }, { "${x+}", PARAM_ALTERNATE, "x" },
		{ "${x#a}", PARAM_PREFIX, "x" }, { "${x##a}", PARAM_PREFIX_LONG, "x" },
		{ "${x%a}", PARAM_SUFFIX, "x" }, { "${x%%a}", PARAM_SUFFIX_LONG, "x" },
		{ "${x/a/b}", PARAM_REPLACE, "x" }, { "${x//a/b}", PARAM_REPLACE_ALL, "x" },
		{ "${x/#a/b}", PARAM_REPLACE_START, "x" }, { "${x/%a/b}", PARAM_REPLACE_END, "x" },
		{ "${x^}", PARAM_UPPER, "x" }, { "${x^^a}", PARAM_UPPER_ALL, "x" },
		{ "${x,}", PARAM_LOWER, "x" }, { "${x,,}", PARAM_LOWER_ALL, "x" },
		{ "${x~}", PARAM_TOGGLE, "x" }, { "${x~~}", PARAM_TOGGLE_ALL, "x" },
		{ "${x@U}", PARAM_TRANSFORM, "x" }, { "${x@}", PARAM_TRANSFORM, "x" },
		{ "${x:1:2}", PARAM_SLICE, "x" }, { "${x:}", PARAM_BAD, "" }, { "${x::}", PARAM_SLICE, "x" },
		{ "${}", PARAM_BAD, "" }, { "${ x}", PARAM_BAD, "" }, { "${x y}", PARAM_BAD, "" },
		{ "${x[}", PARAM_BAD, "" }, { "${x[]}", PARAM_BAD, "" }, { "${x[0]y}", PARAM_BAD, "" },
		{ "${x!}", PARAM_BAD, "" }, { "${\"x\"}", PARAM_BAD, "" }, { "${$x}", PARAM_BAD, "" }
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		char script[100];

		snprintf(script, sizeof(script), "echo \"%s\"", cases[i].text);
		is_int(param(t, script)->op, cases[i].op, script);
		is_str(param(t, script)->name.s, cases[i].name, "name");
		snprintf(script, sizeof(script), "echo %s", cases[i].text);
		is_int(param(t, script)->op, cases[i].op, script);
	}
	is_int(param(t, "echo ${x@Qa}")->letter, 0, "${x@Qa} has no letter");
	is_int(param(t, "echo ${x@Z}")->letter, 0, "nor ${x@Z}");
	is_int(param(t, "echo ${x@Q}")->letter, 'Q', "${x@Q} has");
	ok(!param(t, "echo ${x/a}")->has_word2, "no replacement");
	ok(param(t, "echo ${x/a/}")->has_word2, "an empty one");
	is_int(param(t, "echo ${x:a?b:c:2}")->offset->text.n, 5, "the : of ?: is none");
	is_int(param(t, "echo ${x/\\//y}")->word->parts->kind, PART_ESCAPED, "an escaped /");
	is_int(param(t, "echo \"${x:-'a'}\"")->word->parts->kind, PART_TEXT, "' in a string");
	is_str(param(t, "echo \"${x:-'}'}\"")->word->parts->text.p, "'}'", "hides a }");
	is_int(param(t, "echo \"${x#'a'}\"")->word->parts->kind, PART_SINGLE, "' in a pattern");
	is_int(param(t, "echo \"${x:-\"a\"}\"")->word->parts->kind, PART_DOUBLE, "\" in a string");
}

static void check_parts(struct lang *t)
{
	const struct part *p = part(t, "echo \"a\\$b\\c\\\\\\\"\"", 0);

	is_str(p->parts->text.p, "a$b\\c\\\"", "escapes in a string");
	is_str(part(t, "echo 'a\\b'", 0)->text.p, "a\\b", "single quotes");
	is_str(part(t, "echo \\\303\251", 0)->text.p, "\303\251", "a character is escaped whole");
	p = part(t, "echo `a \\`b\\``", 0);
	ok(p->backquoted && p->command->simple.words->next->parts->backquoted, "nested backquotes");
	ok(part(t, "echo $()", 0)->command == NULL, "an empty command");
	p = part(t, "echo a@(b|c*|$d)e", 1);
	is_int(p->kind, PART_GLOB, "an extended pattern");
	is_int(p->op, '@', "its operator");
	is_str(p->alternatives->text.p, "b", "first");
	is_int(p->alternatives->next->flags, WORD_MAGIC, "second");
	is_int(p->alternatives->next->next->parts->kind, PART_PARAM, "third");
	is_int(part(t, "echo $[1+2]", 0)->kind, PART_ARITH, "$[");
	is_int(part(t, "echo $((a) )", 0)->kind, PART_COMMAND, "$((a) )");
	is_int(part(t, "echo $((a)+(b))", 0)->kind, PART_COMMAND, "$((a)+(b))");
	is_int(part(t, "echo $(((a)+(b)))", 0)->kind, PART_ARITH, "$(((a)+(b)))");
	is_int(part(t, "echo $(( $(case x in x) echo 1;; esac) ))", 0)->kind, PART_ARITH,
	       "a case in a command in arithmetic");
}

static void check_commands(struct lang *t)
{
	struct node *n = lang_first(t, "a=1 b[2]+=3 c=(4 [5]=6) cmd x=7 >f");
	const struct array_item *item;

	is_str(n->simple.assigns->name.s, "a", "assignments");
	ok(n->simple.assigns->next->append, "+=");
	is_str(n->simple.assigns->next->sub.word->text.p, "2", "subscript");
	item = n->simple.assigns->next->next->items;
	is_int(item->sub.kind, SUBSCRIPT_NONE, "an item");
	is_str(item->next->sub.word->text.p, "5", "an item with subscript");
	is_int(n->simple.n_words, 2, "words");
	ok(!n->simple.decl, "no declaration");
	n = lang_first(t, "declare -a x=(1) y z=$w");
	ok(n->simple.decl->next->next->assign->is_array, "a declaration");
	ok(n->simple.decl->next->next->next->word != NULL, "a plain name");
	ok(n->simple.decl->next->next->next->next->assign != NULL, "a value");
	is_int(lang_first(t, "a=(1 2)b")->simple.assigns->is_array, false, "a=(1 2)b is a text");
	is_str(lang_first(t, "a=(1 2)b")->simple.assigns->value->text.p, "(1 2)b", "all of it");
	n = lang_first(t, "a && b || c");
	is_int(n->kind, NODE_OR, "left-associative");
	is_int(n->binary.a->kind, NODE_AND, "left");
	n = lang_first(t, "if a; then b; elif c; then d; else e; fi");
	is_int(n->flow.otherwise->kind, NODE_IF, "elif");
	is_int(n->flow.otherwise->flow.otherwise->kind, NODE_SIMPLE, "else");
	n = lang_first(t, "((a)); x");
	is_int(n->kind, NODE_ARITH, "((a))");
	is_int(lang_first(t, "((a); b)")->kind, NODE_SUBSHELL, "((a); b)");
	n = lang_first(t, "[[ ( a || b ) && ! c ]]");
	is_int(n->cond->kind, COND_AND, "[[");
	is_int(n->cond->left->groups, 1, "a group");
	is_int(n->cond->right->kind, COND_NOT, "not");
	n = lang_first(t, "a 2>&1 >&- 3<&4- &>x {v}>y");
	is_int(n->redirs->fd, 2, "2>");
	is_int(n->redirs->kind, REDIR_DUP_OUT, "&");
	is_int(n->redirs->next->fd, -1, "no descriptor");
	is_str(n->redirs->next->word->text.p, "-", "-");
	is_str(n->redirs->next->next->next->next->var.s, "v", "{v}");
	n = lang_first(t, "coproc X { a; }");
	is_str(n->named.name.s, "X", "a name");
	is_int(lang_first(t, "coproc X a")->named.name.n, 0, "none");
	n = lang_first(t, "for ((;;)) { a; }");
	ok(!n->loop_arith.init && !n->loop_arith.test && !n->loop_arith.step, "empty parts");
	ok(!lang_first(t, "for i; do a; done")->loop.has_in, "no in");
	ok(lang_first(t, "for i in; do a; done")->loop.has_in, "an empty one");
}

static void check_lines(struct lang *t)
{
	struct node *n = lang_first(t, "a\nb 'x\ny' $(c\nd)\nif e\nthen f\nfi");

	is_int(n->line, 1, "line 1");
	n = n->next;
	is_int(n->line, 3, "the line in which the second token ends");
	is_int(n->line_end, 4, "ends in line 4");
	is_int(n->simple.words->next->next->parts->command->list.first->next->line, 4, "inside");
	n = n->next;
	is_int(n->line, 5, "line 5");
	is_int(n->flow.body->line, 6, "line 6");
	is_int(n->line_end, 7, "line 7");
	n = lang_first(t, "cat <<E\n$(\nx)\nE\ny");
	is_int(n->redirs->word->parts->parts->command->line, 2, "in a here-document: from its command on");
	is_int(n->next->line, 5, "behind it");
	n = lang_first(t, "a b; c  d ; e");
	is_int(n->next->pos, 5, "pos");
	is_int(n->next->end, 9, "end");
}

static void check_words_alone(struct lang *t)
{
	struct script *owner;
	struct word *w = parse_word_text(t->heap, "a $x \"b\" $(c)", 13, true, &t->opt, &owner,
					 &t->err);

	is_int(w->parts->kind, PART_DOUBLE, "the inside of a string");
	is_str(w->parts->parts->text.p, "a ", "text");
	script_drop(owner);
	w = parse_word_text(t->heap, "a $x 'b'", 8, false, &t->opt, &owner, &t->err);
	is_int(w->parts->next->kind, PART_PARAM, "a word");
	script_ref(owner);
	script_drop(owner);
	script_drop(owner);
	ok(!parse_word_text(t->heap, "a $(", 4, true, &t->opt, &owner, &t->err), "an error");
	ok(parse_is_name("a_1", 3) && !parse_is_name("1a", 2) && !parse_is_name("", 0) &&
	   !parse_is_name("a-b", 3), "names");
	ok(parse_is_reserved("if", 2) && parse_is_reserved("function", 8) &&
	   !parse_is_reserved("iff", 3) && !parse_is_reserved("", 0) && parse_is_reserved("!", 1),
	   "reserved words");
	w = parse_word_text(t->heap, "a\0b", 3, false, &t->opt, &owner, &t->err);
	is_str(w->text.p, "ab", "NULs are ignored");
}

struct ansi_case {
	const char *raw, *text;
};

static const struct ansi_case ansi_cases[] = {
#include "cases_ansi.inc"
};

static void check_ansi(struct lang *t)
{
	for (size_t i = 0; i < sizeof(ansi_cases) / sizeof(*ansi_cases); i++) {
		char script[200];

		snprintf(script, sizeof(script), "echo $'%s'", ansi_cases[i].raw);
		is_str(part(t, script, 0)->text.p, ansi_cases[i].text, script);
	}
}

int main(void)
{
	struct lang t;

	lang_init(&t);
	check_flags(&t);
	check_tilde(&t);
	check_param(&t);
	check_parts(&t);
	check_commands(&t);
	check_lines(&t);
	check_words_alone(&t);
	check_ansi(&t);
	lang_end(&t);
	return done();
}
