/* declare -f, byte for byte, and the way back: bash's output is the judge. */
#include "lang.h"

struct function_case {
	const char *script, *printed;
};

static const struct function_case cases[] = {
#include "cases_function.inc"
};

/* Shapes that bash itself prints so that they read differently. */
static bool not_readable(const char *printed)
{
	return strstr(printed, "coproc") || strstr(printed, "        esac)") ||
	       strstr(printed, "<<X; then") || strstr(printed, "\n || c <<Z");
}

static void check(struct lang *t, const struct function_case *c)
{
	struct node *f = lang_first(t, c->script);
	struct script *again;
	struct str out;

	str_init(&out, t->heap, STR_MAX_DEFAULT);
	print_function(&out, f, false);
	str_addc(&out, '\n');
	is_str(out.p, c->printed, c->script);
	if (not_readable(c->printed))
		return;
	again = lang_parse(t, out.p);
	ok(again && ast_equal(f, again->body->list.first), "and back");
}

static void check_equal_is_strict(struct lang *t)
{
	static const char *const different[][2] = {
		{ "a b", "a 'b' c" }, { "a b", "a 'b'" }, { "a $x", "a ${x}" }, { "a \"$x\"", "a $x" },
		{ "a | b", "a && b" }, { "a && b", "a || b" }, { "a; b", "a & b" },
		{ "a >b", "a >>b" }, { "a 2>b", "a >b" }, { "x=1", "x+=1" }, { "x=1", "y=1" },
		{ "x=(1 2)", "x=(1)" }, { "x=([1]=2)", "x=(2)" }, { "{ a; }", "( a )" },
		{ "while a; do b; done", "until a; do b; done" }, { "((a))", "((b))" },
		{ "[[ a ]]", "[[ -z a ]]" }, { "[[ a == b ]]", "[[ a != b ]]" },
		{ "! a", "a" }, { "time a", "a" }, { "time -p a", "time a" },
		{ "for i in a; do b; done", "for j in a; do b; done" },
		{ "case a in b) c;; esac", "case a in b) c;& esac" },
		{ "f() { a; }", "g() { a; }" }, { "a $(b)", "a `b`" }, { "a ${x:-b}", "a ${x-b}" },
		{ "a ${x#b}", "a ${x##b}" }, { "a ${x:1}", "a ${x:1:2}" }, { "a ~", "a '~'" },
		{ "a @(b)", "a +(b)" }, { "cat <<E\na\nE\n", "cat <<E\nb\nE\n" },
		{ "cat <<E\na\nE\n", "cat <<'E'\na\nE\n" }, { "a $((1))", "a $((2))" },
		{ "if a; then b; fi", "if a; then b; else c; fi" }, { "a '' b", "a b" },
		{ "a ''", "a" }, { "declare a=b", "declare 'a=b'" }, { "a <(b)", "a >(b)" }
	};

	for (size_t i = 0; i < sizeof(different) / sizeof(*different); i++) {
		struct node *a = lang_first(t, different[i][0]);
		struct node *b = lang_first(t, different[i][1]);
		bool next = a->next && b->next ? ast_equal(a->next, b->next) : a->next == b->next;

		ok(!ast_equal(a, b) || a->background != b->background || !next, different[i][0]);
	}
}

static void check_pieces(struct lang *t)
{
	struct node *n = lang_first(t, "x=a\\ b c[1]+=(d) e \"$f\" 2>g <<<h");
	struct str out;

	str_init(&out, t->heap, STR_MAX_DEFAULT);
	print_assign(&out, n->simple.assigns);
	is_str(out.p, "x=a\\ b", "print_assign");
	str_reset(&out);
	print_word(&out, n->simple.words->next);
	is_str(out.p, "\"$f\"", "print_word");
	str_reset(&out);
	print_node(&out, n);
	is_str(out.p, "x=a\\ b c[1]+=(d) e \"$f\" 2> g <<< h", "print_node");
	str_reset(&out);
	print_node(&out, NULL);
	is_str(out.p, "", "nothing");
	str_reset(&out);
	print_function(&out, lang_first(t, "function if { a; }"), false);
	is_str(out.p, "function if () \n{ \n    a\n}", "a name that is reserved");
}

int main(void)
{
	struct lang t;

	lang_init(&t);
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++)
		check(&t, &cases[i]);
	check_equal_is_strict(&t);
	check_pieces(&t);
	lang_end(&t);
	return done();
}
