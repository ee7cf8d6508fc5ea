/*
 * Hostile scripts: each must end with the limit it names, leave what it printed
 * so far, and leave the sandbox usable. Nothing here asserts a time: a script
 * that is not stopped runs into the test's own timeout.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <tinysandbox/sandbox.h>

#include "tap.h"

struct hostile {
	const char *title, *script;
	int status;		/* -1: any but 0 */
	const char *limit;	/* in the result, or NULL */
	const char *text;	/* must be in standard error, or NULL */
};

static const struct hostile scripts[] = {
	{ "yes | head -1", "yes | head -1", 0, NULL, NULL },
	{ "an endless loop", "while ((1)); do ((i++)); done", 124, "wall_ms", "wall_ms" },
	{ "an endless loop of commands", "while :; do :; done", -1, NULL, "limit reached" },
	{ "cat /dev/zero", "cat /dev/zero", 124, "wall_ms", "wall_ms" },
	{ "cat /dev/zero | wc -c", "cat /dev/zero | wc -c", 124, "wall_ms", "wall_ms" },
	{ "yes without a reader's end", "yes > /dev/null", 124, "wall_ms", "wall_ms" },
	{ "sleep", "sleep 1000", 124, "wall_ms", "wall_ms" },
	{ "read from nobody", "mkfifo f; cat < f", 124, NULL, "waits for another" },
	{ "an endless substitution", ": $(yes)", -1, NULL, "_bytes" },
	{ "doubling", "x=0123456789; while :; do x=$x$x; done", -1, NULL, "_bytes" },
	{ "fork bomb", ":(){ :|:& };:; while ((1)); do wait; done", -1, NULL, "limit reached" },
	{ "a copy into itself", "mkdir a; cp -r a a/b", 1, NULL, "into itself" },
	{ "bc without an end", "echo 'while (1) x = x + 1' | bc", 124, "wall_ms", "wall_ms" },
	{ "a power of bc", "echo '2 ^ 2 ^ 62' | bc", -1, NULL, "limit reached" },
	{ "digits of bc", "echo 'scale = 2 ^ 31 - 1; 1 / 3' | bc", 137, "memory_bytes", "memory_bytes" },
	{ "recursion of bc", "printf 'define f(x) { return f(x + 1) }\nf(1)\n' | bc", 137,
	  "memory_bytes", "memory_bytes" },
	{ "parentheses of bc", "yes '(' | tr -d '\\n' | bc", 0, NULL, "memory exhausted" },
	{ "a loop of dc", "dc -e '[lax]salax'", 124, "wall_ms", "wall_ms" },
	{ "recursion of dc", "dc -e '[lax1]salax'", 137, "memory_bytes", "memory_bytes" },
	{ "sort /dev/zero", "sort /dev/zero", 137, "memory_bytes", "memory_bytes" },
	{ "a huge file", "truncate -s 64T f", 1, NULL, "File too large" },
	{ "a far write", "dd if=/dev/zero of=f bs=1 count=1 seek=64T 2>&1; echo x | dd of=f seek=1T; false", 1,
	  NULL, NULL },
	{ "fill the disk", "cat /dev/zero > f", 1, NULL, "File too large" },
	{ "many files", "i=0; while : > f$i; do ((i++)); done", 0, NULL,
	  "No space left on device" },
	{ "deep recursion", "f() { f; }; f", -1, NULL, "call_depth limit" },
	{ "deep eval", "e='eval \"$e\"'; eval \"$e\"", -1, NULL, "call_depth" },
	{ "deep source", "echo '. ./s' > s; . ./s", -1, NULL, "call_depth" },
	{ "an arithmetic cycle", "a=b; b=a; echo $((a))", 1, NULL, "recursion" },
	{ "a huge brace range", "echo {1..900000000}", -1, NULL, "words limit" },
	{ "a huge brace product", "echo {a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}"
	  "{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b} > /dev/null", -1, NULL, NULL },
	{ "a huge printf width", "printf '%999999999d' 1 > /dev/null", -1, NULL, NULL },
	{ "a huge line", "head -c 50000000 /dev/zero | tr '\\0' x | grep y; true", 0, NULL, NULL },
	{ "head of everything", "head -c 100G /dev/zero > /dev/null", 124, "wall_ms", NULL },
	{ "seq", "seq 1000000000000 > /dev/null", 124, "wall_ms", NULL },
	{ "sed loop", "echo x | sed ':a; ba'", 124, "wall_ms", NULL },
	{ "a repeat without end", "tr '[a*99999999999]' b < /etc/passwd", 124, "wall_ms", NULL },
	{ "regex nesting", "echo aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa | grep -E '^(a+)+$b' || true", 0, NULL, NULL },
	{ "regex size", "echo x | grep -E '((((a{1,100}){1,100}){1,100}){1,100})'; test $? = 2", 0, NULL, NULL },
	{ "back-reference", "printf 'a%.0s' {1..200} | grep -E '(a*)*(a*)*(a*)*\\1\\2b'; true", 0, NULL, NULL },
	{ "extglob nesting", "shopt -s extglob; x=aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaab\n"
	  "[[ $x == +(+(+(a))) ]] || echo no", 0, NULL, NULL },
	{ "descriptors", "for ((i = 3; i < 100000; i++)); do eval \"exec $i>f\" || exit 9; done", -1, NULL, NULL },
	{ "background jobs", "while :; do sleep 100 & done", -1, NULL, NULL },
	{ "commands", "for ((i = 0; i < 1000000; i++)); do /bin/true; done", 125, "commands", "commands" },
	{ "a guest that never calls", "jq -n 'def f: f; f'", 124, "wall_ms", "wall_ms" },
	{ "a guest that eats memory", "jq -n '[range(1e12)]'", 137, "memory_bytes", "memory_bytes" },
	{ "a guest's recursion", "jq -n 'reduce range(100000) as $i ({}; {a: .}) | . * .'; test $? = 5", 0, NULL,
	  "Object merge too deep" },
	{ "guests in the background", "while :; do jq -n 'repeat(1)' > /dev/null & done", -1, NULL, NULL },
	{ "a large text for each of a million operands", "A=$(printf %01000000d 0); trap \"$A\" ${A//0/INT }", 124, "wall_ms", NULL },
	{ "completions of a large text", "A=$(printf %01000000d 0); complete -W \"$A\" ${A//0/a }", 124, "wall_ms", NULL },
	{ "a million patterns in GLOBIGNORE", "A=$(printf %01000000d 0); GLOBIGNORE=${A//0/*a:}; touch {1..3000}; echo *", 124, "wall_ms", NULL },
	{ "the length of a large text, again and again", "A=$(printf %08000000d 0); for ((i = 0; i < 20000; i++)); do :; done\n"
	  "while :; do : ${#A} ${A:1:1}; done", 124, "wall_ms", NULL },
	{ "quoting a large text, again and again", "A=$(printf %08000000d 0); for ((i = 0; i < 20000; i++)); do :; done\n"
	  "while :; do printf -v x %q $A; done", 124, "wall_ms", NULL },
	{ "capitals of a large text, again and again", "A=$(printf %08000000d 0); for ((i = 0; i < 20000; i++)); do :; done\n"
	  "while :; do declare -u x=$A; done", 124, "wall_ms", NULL },
	{ "kept output", "echo kept; while ((1)); do ((i++)); done", 124, "wall_ms", NULL },
};

static struct tsb_result *run(struct tsb_sandbox *box, const char *script, size_t n)
{
	struct tsb_result *r;

	if (tsb_run_bytes(box, script, n, NULL, &r)) {
		printf("Bail out! %s\n", tsb_error(box));
		exit(1);
	}
	return r;
}

/* Scripts that only the clock ends get a short one; others time to reach their limit. */
static struct tsb_sandbox *open_box(uint64_t wall_ms)
{
	struct tsb_options opt = TSB_OPTIONS_INIT;
	struct tsb_limits limits;
	struct tsb_sandbox *box;

	tsb_limits_default(&limits);
	limits.wall_ms = wall_ms;
	limits.commands = 100000;
	opt.limits = &limits;
	if (tsb_sandbox_open(&box, &opt)) {
		printf("Bail out! no sandbox\n");
		exit(1);
	}
	return box;
}

static bool usable(struct tsb_sandbox *box)
{
	struct tsb_result *r = run(box, "rm -rf /tmp/*; echo ok | cat", 28);
	bool good = !strcmp(tsb_result_out(r, NULL), "ok\n") && tsb_result_status(r) == 0;

	tsb_result_free(r);
	return good;
}

static void check(const struct hostile *h)
{
	struct tsb_sandbox *box = open_box(h->status == 124 ? 1000 : h->status < 0 ? 10000 : 60000);
	struct tsb_result *r = run(box, h->script, strlen(h->script));
	int status = tsb_result_status(r);
	const char *limit = tsb_result_limit(r), *err = tsb_result_err(r, NULL);
	char title[200];
	bool good = h->status < 0 ? status != 0 : status == h->status;

	good = good && (!h->limit || (limit && !strcmp(limit, h->limit)));
	good = good && (!h->text || strstr(err, h->text));
	good = good && tsb_result_memory_peak(r) <= (uint64_t)256 << 20;
	snprintf(title, sizeof(title), "%s (status %d, limit %s)", h->title, status, limit ? limit : "none");
	ok(good, title);
	if (!good)
		printf("# stderr: %.300s\n", err);
	tsb_result_free(r);
	snprintf(title, sizeof(title), "%s: usable afterwards", h->title);
	ok(usable(box), title);
	tsb_sandbox_close(box);
}

/* A text of `count` times `piece` between two ends. */
static void check_text(const char *title, const char *begin, const char *piece, size_t count,
		       const char *end, const char *limit)
{
	size_t n = strlen(piece), total = strlen(begin) + n * count + strlen(end);
	struct tsb_sandbox *box = open_box(60000);
	char *text = malloc(total + 1), *p = text;
	struct tsb_result *r;

	if (!text)
		exit(1);
	p = stpcpy(p, begin);
	for (size_t i = 0; i < count; i++, p += n)
		memcpy(p, piece, n);
	strcpy(p, end);
	r = run(box, text, total);
	ok(tsb_result_status(r) != 0 && (!limit || strstr(tsb_result_err(r, NULL), limit)), title);
	tsb_result_free(r);
	ok(usable(box), title);
	free(text);
	tsb_sandbox_close(box);
}

int main(void)
{
	for (size_t i = 0; i < sizeof(scripts) / sizeof(*scripts); i++)
		check(&scripts[i]);
	check_text("a million (((((", "echo ", "(", 1000000, "", NULL);
	check_text("a million $((", "echo ", "$((", 1000000, "", "parse_depth");
	check_text("a million $(", "echo ", "$(", 1000000, "", "parse_depth");
	check_text("a million {", "", "{ ", 1000000, "", "parse_depth");
	check_text("a million if", "", "if ", 1000000, "", "parse_depth");
	check_text("a million ${x:-", "echo ", "${x:-", 1000000, "", "parse_depth");
	check_text("a million backquotes", "echo ", "`", 1000001, "", NULL);
	check_text("a 100 MB word", "echo ", "xxxxxxxxxx", 10000000, "", "source_bytes");
	done();
}
