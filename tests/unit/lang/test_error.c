/* Syntax errors in bash's words and with its line numbers. */
#include "lang.h"

struct error_case {
	const char *script, *message;
};

static const struct error_case cases[] = {
#include "cases_error.inc"
};

/* As the shell prints it, without the prefix that names it. */
static void error_text(struct lang *t, struct str *out)
{
	str_addf(out, "line %u: %s\n", t->err.line, t->err.message.p);
	for (const char *p = t->err.detail.p; *p; ) {
		size_t n = strcspn(p, "\n");

		str_addf(out, "line %u: %.*s\n", t->err.detail_line, (int)n, p);
		p += n + (p[n] == '\n');
	}
}

static void check(struct lang *t, const struct error_case *c)
{
	struct str out;

	str_init(&out, t->heap, STR_MAX_DEFAULT);
	if (lang_parse(t, c->script))
		str_adds(&out, "no error");
	else
		error_text(t, &out);
	is_str(out.p, c->message, c->script);
}

static void check_incomplete(struct lang *t)
{
	static const char *const more[] = { "if", "a |", "a &&", "{ a", "( a", "echo \"a", "echo 'a",
					    "echo $(a", "echo ${a", "echo `a", "[[ a ==", "case x in",
					    "a=(1", "((1", "for i in a; do" };
	static const char *const never[] = { "fi", "a )", "a ;; b", "; a", "a > ;" };

	for (size_t i = 0; i < sizeof(more) / sizeof(*more); i++)
		ok(!lang_parse(t, more[i]) && (t->err.incomplete || !strncmp(more[i], "[[", 2)),
		   more[i]);
	for (size_t i = 0; i < sizeof(never) / sizeof(*never); i++)
		ok(!lang_parse(t, never[i]) && !t->err.incomplete, never[i]);
}

/* What bash parses only when it runs it is no error of the script. */
static void check_late(struct lang *t)
{
	const struct part *p = lang_word(t, "echo `fi`", 1)->parts;

	ok(p->late && !p->command, "backquotes are late");
	is_str(p->late->message, "syntax error near unexpected token `fi'", "message");
	is_str(p->late->detail.p, "`fi'", "detail");
	p = lang_word(t, "\necho $((echo a); fi)", 1)->parts;
	ok(p->kind == PART_COMMAND && p->late, "$((..) ..) is late");
	is_int(p->late->line, 2, "line");
	p = lang_first(t, "cat <<E\n$(fi)\nE\n")->redirs->word->parts->parts;
	ok(p->kind == PART_COMMAND && p->late, "a here-document is late");
	is_int(p->late->line, 2, "line");
	p = lang_first(t, "cat <<E\n${x\nE\n")->redirs->word->parts->parts;
	ok(p->late != NULL, "an open ${ in it too");
	ok(lang_word(t, "echo ${x!}", 1)->parts->param->op == PARAM_BAD, "bad substitution");
	is_str(lang_word(t, "echo a${x!}", 1)->parts->next->param->raw, "${x!}", "raw");
}

static void check_options(struct lang *t)
{
	t->opt.line = 40;
	ok(!lang_parse(t, "a\nfi"), "error");
	is_int(t->err.line, 41, "first line has a number");
	is_int((long long)t->err.pos, 2, "pos");
	t->opt.line = 0;
	t->opt.extglob = false;
	ok(!lang_parse(t, "echo @(a)"), "no extglob");
	ok(!lang_parse(t, "shopt -s extglob; echo @(a)"), "not yet on the same line");
	ok(lang_parse(t, "shopt -s extglob\necho @(a)") != NULL, "from the next line on");
	ok(lang_parse(t, "f() {\nshopt -qs nullglob extglob\necho !(a|b)\n}") != NULL, "in a function");
	ok(!lang_parse(t, "shopt -s extglob\nshopt -u extglob\necho @(a)"), "and off again");
	ok(lang_parse(t, "[[ a == @(b|c) ]]") != NULL, "always behind ==");
	t->opt.extglob = true;
	t->opt.source_max = 3;
	ok(!lang_parse(t, "echo") && t->err.limit && strstr(t->err.message.p, "source_bytes"),
	   "source_bytes");
	t->opt.source_max = 1000;
}

int main(void)
{
	struct lang t;

	lang_init(&t);
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++)
		check(&t, &cases[i]);
	check_incomplete(&t);
	check_late(&t);
	check_options(&t);
	lang_end(&t);
	return done();
}
