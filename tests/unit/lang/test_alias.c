/* Aliases, as `shopt -s expand_aliases; alias ...; eval 'SCRIPT'` has them. */
#include "lang.h"

static const char *alias(void *ctx, const char *name, size_t n)
{
	static const char *const table[][2] = {
		{ "hi", "echo hello" }, { "e", "echo " }, { "w", "world" }, { "loop", "loop x" },
		{ "a", "b 1" }, { "b", "c 2" }, { "q", "echo \"open" }, { "ifx", "if true; then" },
		{ "two", "x; y" }, { "nothing", "" }, { "sp", "e sp" }, { "fn", "f() {" },
		{ "red", ">out" }, { "set", "v=1" }, { "nl", "x\ny" },
		{ "cmt", "x #" }
	};

	(void)ctx;
	for (size_t i = 0; i < sizeof(table) / sizeof(*table); i++)
		if (strlen(table[i][0]) == n && memcmp(table[i][0], name, n) == 0)
			return table[i][1];
	return NULL;
}

static void check(struct lang *t, const char *script, const char *printed)
{
	struct script *s = lang_parse(t, script);
	struct str out;

	str_init(&out, t->heap, STR_MAX_DEFAULT);
	if (s)
		print_node(&out, s->body);
	is_str(s ? out.p : t->err.message.p, printed, script);
}

int main(void)
{
	struct lang t;

	lang_init(&t);
	t.opt.alias = alias;
	check(&t, "hi", "echo hello");
	check(&t, "hi there; hi", "echo hello there; echo hello");
	check(&t, "echo hi", "echo hi");
	check(&t, "\\hi 'hi'", "\\hi 'hi'");
	check(&t, "e w w", "echo world w");
	check(&t, "hi w", "echo hello w");
	check(&t, "sp w", "echo sp w");
	check(&t, "loop", "loop x");
	check(&t, "a", "c 2 1");
	check(&t, "q end\"; x", "echo \"open end\"; x");
	check(&t, "q\nmore\"\nx", "echo \"open\nmore\"; x");
	check(&t, "ifx x; fi", "if true; then\n    x;\nfi");
	check(&t, "two; z", "x; y; z");
	check(&t, "nothing x", "x");
	check(&t, "fn x; }", "function f () \n{ \n    x\n}");
	check(&t, "red x", "x > out");
	check(&t, "set x", "v=1 x");
	check(&t, "v=2 hi", "v=2 echo hello");
	check(&t, ">f hi", "echo hello > f");
	check(&t, "x | hi && hi || { hi; }", "x | echo hello && echo hello || { echo hello; }");
	check(&t, "$(hi) `hi`", "$(echo hello) `hi`");
	check(&t, "if hi; then hi; fi", "if echo hello; then\n    echo hello;\nfi");
	check(&t, "for hi in hi; do hi; done", "for hi in hi;\ndo\n    echo hello;\ndone");
	check(&t, "case hi in hi) hi;; esac", "case hi in \n    hi)\n        echo hello\n    ;;\nesac");
	check(&t, "nl", "x; y");
	check(&t, "cmt y\nz", "x; z");
	check(&t, "hi() { x; }", "syntax error near unexpected token `('");
	check(&t, "unalias hi\nhi", "unalias hi; hi");
	check(&t, "alias hi=bye\nhi", "alias hi=bye; bye");
	t.opt.alias = NULL;
	check(&t, "hi", "hi");
	check(&t, "alias x=y\nx", "alias x=y; x");
	check(&t, "shopt -s expand_aliases\nalias x='y z' v=\"w\"; x\nx; v",
	      "shopt -s expand_aliases; alias x='y z' v=\"w\"; x; y z; w");
	check(&t, "shopt -s expand_aliases; alias x=y; x\nx",
	      "shopt -s expand_aliases; alias x=y; x; y");
	check(&t, "shopt -s expand_aliases\nif a; then alias x=y; fi\nx",
	      "shopt -s expand_aliases; if a; then\n    alias x=y;\nfi; x");
	check(&t, "shopt -s expand_aliases\nalias x=y\nunalias x\nx",
	      "shopt -s expand_aliases; alias x=y; unalias x; x");
	check(&t, "shopt -s expand_aliases\nalias x=\"$y\"\nx",
	      "shopt -s expand_aliases; alias x=\"$y\"; x");
	lang_end(&t);
	return done();
}
