/* Hostile texts: each ends with the limit named. What is not linear in them meets the program's time limit. */
#include "lang.h"

static char *repeat(const char *before, const char *z, size_t times, const char *after, size_t *n)
{
	size_t len = strlen(z);
	char *s = malloc(strlen(before) + len * times + strlen(after) + 1), *p = s;

	p += sprintf(p, "%s", before);
	for (size_t i = 0; i < times; i++) {
		memcpy(p, z, len);
		p += len;
	}
	p += sprintf(p, "%s", after);
	*n = (size_t)(p - s);
	return s;
}

/* A million levels: an error (which says what) within the time of reading it. */
static void deep(const char *z)
{
	struct lang t;
	size_t n;
	char *text = repeat("", z, 1000000, "", &n);
	struct script *s;

	lang_init(&t);
	s = parse_script(t.heap, text, n, &t.opt, &t.err);
	ok(!s, z);
	ok((t.err.limit && strstr(t.err.message.p, "parse_depth")) || t.err.incomplete,
	   t.err.message.p);
	free(text);
	lang_end(&t);
}

/* A long text of one shape: linear. */
static void longish(const char *before, const char *z, size_t times, const char *after)
{
	struct lang t;
	size_t n;
	char *text = repeat(before, z, times, after, &n);
	struct script *s;

	lang_init(&t);
	s = parse_script(t.heap, text, n, &t.opt, &t.err);
	ok(s != NULL, *z == '\n' ? "newlines" : z);
	free(text);
	lang_end(&t);
}

static void tick(void *ctx, size_t steps)
{
	*(size_t *)ctx += steps;
}

static void check_ticks(void)
{
	struct lang t;
	size_t n, steps = 0;
	char *text = repeat("", "a ", 100000, "", &n);

	lang_init(&t);
	t.opt.tick = tick;
	t.opt.ctx = &steps;
	ok(parse_script(t.heap, text, n, &t.opt, &t.err) != NULL, "parses");
	ok(steps >= 99000, "and ticks");
	free(text);
	lang_end(&t);
}

/* A heap without a hook that has no more: an error, and no memory kept. */
static void check_memory(void)
{
	static const char script[] =
		"shopt -s expand_aliases extglob\nalias a='b c'\na x=$(y \"${z:-`w`}\") $((1+${n[i]}))\n"
		"f() { case $x in @(a|b*)) for ((i=0;i<3;i++)); do [[ a =~ b ]] && c; done;; esac; }\n"
		"declare -A m=([k]=v [l]=\"w\"); cat <<E 2>&1 | d\n$(e <<F)\nF\n)\nE\nfi \303\n";
	struct heap_budget budget = { 0, (size_t)1 << 20, 0 };
	size_t ends = 0, parses = 0;

	for (size_t max = 0; max < 400000; max += 1024) {
		struct parse_options opt = { .name = "bash", .depth_max = 200, .source_max = 100000 };
		struct parse_error err = { .line = 0 };
		struct tsb_heap *heap;
		struct script *s;

		budget.max = (size_t)1 << 20;
		heap = heap_new(&budget, NULL, NULL, NULL);
		str_init(&err.message, heap, STR_MAX_DEFAULT);
		str_init(&err.detail, heap, STR_MAX_DEFAULT);
		str_reserve(&err.message, 200);
		budget.max = budget.used + max;
		s = parse_script(heap, script, sizeof(script) - 1, &opt, &err);
		ends += !s && err.limit;
		parses += !s && !err.limit && strstr(err.message.p, "near unexpected token `fi'");
		script_drop(s);
		heap_end(heap);
	}
	ok(ends > 0, "memory ends");
	ok(parses > 0, "or suffices");
	is_int(budget.used, 0, "nothing is left");
}

/* The depth that is allowed is really there: 60 levels of everything. */
static void check_depth(void)
{
	static const char *const shapes[][2] = {
		{ "(", ")" }, { "{ ", "; }" }, { "$(", ")" }, { "\"${x:-", "}\"" }, { "if ", "; then b; fi" },
		{ "$((1+", "))" }, { "while ", "; do b; done" }, { "f() { ", "; }" }, { "<(", ")" },
		{ "a=($(", "))" }, { "${a[", "]}" }, { "@(", ")" }, { "case x in x) ", ";; esac" }
	};

	for (size_t i = 0; i < sizeof(shapes) / sizeof(*shapes); i++) {
		struct lang t;
		char text[3000], *p = text;

		lang_init(&t);
		for (int k = 0; k < 60; k++)
			p += sprintf(p, "%s", shapes[i][0]);
		p += sprintf(p, "1");
		for (int k = 0; k < 60; k++)
			p += sprintf(p, "%s", shapes[i][1]);
		ok(lang_parse(&t, text) != NULL, shapes[i][0]);
		lang_end(&t);
	}
}

int main(void)
{
	static const char *const shapes[] = {
		"(", "$(", "{ ", "${x:-", "\"${x:-", "if ", "((", "$((", "$[", "a[", "${a[", "<(",
		"[[ $([[ $(", "while ", "case x in x) ", "f() { ", "?(", "${x:", "${x/",
		"for ((", "\"$(", "coproc { ", "! { ", "a=($(", "function f { ", "$(echo \"${x:-`echo ",
		"(( $(", "eval a=($(", "cat <<A\n$(cat <<B\n"
	};

	for (size_t i = 0; i < sizeof(shapes) / sizeof(*shapes); i++)
		deep(shapes[i]);
	longish("", "! ", 1000000, "a");
	longish("", "`", 1000000, "");
	longish("", "cat <<A;", 10000, "\n");
	longish("", "a && ", 200000, "a");
	longish("", "a | ", 200000, "a");
	longish("if a; then b; ", "elif a; then b; ", 100000, "fi");
	longish("echo $((", "1+", 500000, "1))");
	longish("echo $((", "a[", 500000, "1))");
	longish("", "${a[}", 200000, "");
	longish("", "$(( ) ) ", 100000, "");
	longish("", "a[$(a[$(:)])] ", 50000, "");
	longish("", "a=($(a=(1)b))b ", 50000, "");
	longish("\"", "a$x", 500000, "\"");
	longish("a", "a", 16000000, "");
	longish("echo ", "ab ", 1000000, "");
	longish("a=:", "~:", 500000, "");
	longish("", "\n", 1000000, "");
	longish("x", "\\\n", 1000000, "");
	check_ticks();
	check_memory();
	check_depth();
	return done();
}
