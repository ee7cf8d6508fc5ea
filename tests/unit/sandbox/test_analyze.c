/* Static analysis: what scripts would do, in a line each. */
#include <stdlib.h>
#include <string.h>

#include <tinysandbox/analyze.h>
#include <tinysandbox/sandbox.h>

#include "base/heap.h"
#include "base/str.h"
#include "tap.h"

static struct tsb_heap *heap;

static void add_word(struct str *s, const struct tsb_analyzed_word *w)
{
	str_addf(s, w->literal ? " %s" : " <%s>", w->text);
}

static void add_commands(struct str *s, const struct tsb_analysis *a)
{
	const struct tsb_analyzed_command *c;

	for (size_t i = 0; (c = tsb_analysis_command(a, i)); i++) {
		str_addf(s, "%s%u %s%s:", s->n ? "; " : "", c->line, c->nested ? "+" : "",
			 tsb_risk_name(c->risk));
		for (size_t k = 0; k < c->n_words; k++)
			add_word(s, &c->words[k]);
	}
}

/* "1 read: ls <*.c>; 2 destructive: rm x" */
static const char *commands(const char *script)
{
	struct tsb_analysis *a;
	struct str s;

	str_init(&s, heap, STR_MAX_DEFAULT);
	if (tsb_analyze(script, strlen(script), &a))
		return "failed";
	add_commands(&s, a);
	tsb_analysis_free(a);
	return str_take(&s, NULL);
}

typedef const struct tsb_analyzed_name *names_fn(const struct tsb_analysis *a, size_t i);

static const char *names(const char *script, names_fn *at)
{
	const struct tsb_analyzed_name *n;
	struct tsb_analysis *a;
	struct str s;

	str_init(&s, heap, STR_MAX_DEFAULT);
	if (tsb_analyze(script, strlen(script), &a))
		return "failed";
	for (size_t i = 0; (n = at(a, i)); i++)
		str_addf(&s, "%s%u %s", i ? ", " : "", n->line, n->name);
	tsb_analysis_free(a);
	return str_take(&s, NULL);
}

static const char *files(const char *script)
{
	const struct tsb_analyzed_file *f;
	struct tsb_analysis *a;
	struct str s;

	str_init(&s, heap, STR_MAX_DEFAULT);
	if (tsb_analyze(script, strlen(script), &a))
		return "failed";
	for (size_t i = 0; (f = tsb_analysis_file(a, i)); i++) {
		str_addf(&s, "%s%u %s", i ? ", " : "", f->line, tsb_file_use_name(f->use));
		add_word(&s, &f->path);
	}
	tsb_analysis_free(a);
	return str_take(&s, NULL);
}

static const char *opaque(const char *script)
{
	const struct tsb_analyzed_opaque *o;
	struct tsb_analysis *a;
	struct str s;

	str_init(&s, heap, STR_MAX_DEFAULT);
	if (tsb_analyze(script, strlen(script), &a))
		return "failed";
	for (size_t i = 0; (o = tsb_analysis_opaque(a, i)); i++)
		str_addf(&s, "%s%u %s", i ? ", " : "", o->line, o->text);
	tsb_analysis_free(a);
	return str_take(&s, NULL);
}

static const char *risk(const char *script)
{
	struct tsb_analysis *a;
	const char *name;

	if (tsb_analyze(script, strlen(script), &a))
		return "failed";
	name = tsb_risk_name(tsb_analysis_risk(a));
	tsb_analysis_free(a);
	return name;
}

static void test_commands(void)
{
	is_str(commands("ls -l 'a b' \"c\"d *.c\nrm -rf \"$x\" {a,b}"),
	       "1 read: ls -l a b cd <*.c>; 2 destructive: rm -rf <\"$x\"> <{a,b}>", "words, certain and not");
	is_str(commands("a=$(cat f) && ! grep -q x < g || { wc `date`; } &"),
	       "1 read: cat f; 1 read: grep -q x; 1 read: date; 1 read: wc <`date`>", "commands in words and lists");
	is_str(commands("f() { rm x; }\nls\nf 1\nf 2"),
	       "2 read: ls; 3 read: f 1; 1 destructive: rm x; 4 read: f 2", "a function where it is first called");
	is_str(commands("f() { g; }; g() { f; touch y; }; f"),
	       "1 read: f; 1 read: g; 1 read: f; 1 write: touch y", "functions that call each other");
	is_str(commands("never() { shred k; }"), "1 destructive: shred k", "a function nobody calls");
	is_str(commands("for f in $(ls); do if test -d $f; then mv $f b; else cp $f c; fi; done"),
	       "1 read: ls; 1 read: test -d <$f>; 1 write: mv <$f> b; 1 write: cp <$f> c", "loops and branches");
	is_str(commands("case $(uname) in $(id)) tee z;; esac; [[ -n $(who) ]]; (( $(nproc) > 1 )); ( cd /; pwd )"),
	       "1 read: uname; 1 read: id; 1 write: tee z; 1 read: who; 1 read: nproc; 1 read: cd /; 1 read: pwd",
	       "other compounds");
	is_str(commands("for ((i=$(nproc); i < $(id -u); i+=$(wc -l < f))); do sync; done; coproc c { tac a; }; "
			"until true; do sleep 1; done; select x in $(ls); do break; done"),
	       "1 read: nproc; 1 read: id -u; 1 write: sync; 1 read: wc -l; 1 read: tac a; 1 read: true; 1 read: sleep 1; "
	       "1 read: ls; 1 read: break", "loops of other kinds");
	is_str(commands("a[$(nproc)]=1; a=([$(id)]=$(arch) $(tty)); [[ $(pwd) =~ $(whoami) || ! -e $(date) && $(who) ]]"),
	       "1 read: nproc; 1 read: id; 1 read: arch; 1 read: tty; 1 read: pwd; 1 read: whoami; 1 read: date; 1 read: who",
	       "subscripts, items and conditions");
	is_str(commands("declare x[$(nproc)]=1 y+=(1)"), "1 read: nproc; 1 read: declare <x[$(nproc)]=1> <y+=(...)>",
	       "declarations of elements");
	is_str(commands("declare -a l=(a $(hostname)); x=1 env; cat <<E\n$(uptime)\nE\ndiff <(tac a) >(rev)"),
	       "1 read: hostname; 1 read: declare -a <l=(...)>; 1 read: env; 1 read: uptime; 1 read: cat; "
	       "4 read: tac a; 4 read: rev; 4 read: diff <<(tac a)> <>(rev)>", "declarations, here-documents, processes");
}

static void test_wrapped(void)
{
	is_str(commands("sudo -u root rm x"), "1 install: sudo -u root rm x; 1 +destructive: rm x", "sudo");
	is_str(commands("env -i A=1 timeout -k 5 10 nice -n 3 mkdir d"),
	       "1 read: env -i A=1 timeout -k 5 10 nice -n 3 mkdir d; 1 +read: timeout -k 5 10 nice -n 3 mkdir d; "
	       "1 +read: nice -n 3 mkdir d; 1 +write: mkdir d", "env timeout nice");
	is_str(commands("find . -name x -exec rm {} \\; -exec chmod 600 {} + -print"),
	       "1 read: find . -name x -exec rm {} ; -exec chmod 600 {} + -print; 1 +destructive: rm {}; "
	       "1 +write: chmod 600 {}", "find -exec");
	is_str(commands("ls | xargs -n 1 -I{} rm {}"), "1 read: ls; 1 read: xargs -n 1 -I{} rm {}; 1 +destructive: rm {}",
	       "xargs");
	is_str(commands("bash -c 'rm x; sh -c \"touch y\"'"),
	       "1 write: bash -c rm x; sh -c \"touch y\"; 1 +destructive: rm x; 1 +write: sh -c touch y; "
	       "1 +write: touch y", "a shell's script");
	is_str(commands("trap 'rm -f t' EXIT; trap - INT; eval 'ls' -l"),
	       "1 read: trap rm -f t EXIT; 1 +destructive: rm -f t; 1 read: trap - INT; 1 read: eval ls -l; "
	       "1 +read: ls -l", "trap and eval");
	is_str(commands("command -v rm; command rm x; exec ls"),
	       "1 read: command -v rm; 1 read: command rm x; 1 +destructive: rm x; 1 read: exec ls; 1 +read: ls",
	       "command and exec");
}

static void test_risks(void)
{
	is_str(risk("ls -l; echo hello >&2 2>/dev/null < f"), "read", "reading");
	is_str(risk("echo x > f"), "write", "a redirection writes");
	is_str(risk(": > /dev/tcp/h/80"), "network", "a redirection to the network");
	is_str(risk("sed s/a/b/ f"), "read", "sed reads");
	is_str(risk("sed -ni.bak s/a/b/ f"), "write", "sed -i in a cluster");
	is_str(risk("sed --in-place=x s/a/b/ f"), "write", "sed --in-place");
	is_str(risk("git status; git log -p"), "read", "git status");
	is_str(risk("git commit -m x"), "write", "git commit");
	is_str(risk("git -q push"), "network", "git push");
	is_str(risk("git push --force"), "destructive", "git push --force");
	is_str(risk("git reset --hard HEAD"), "destructive", "git reset --hard");
	is_str(risk("/usr/bin/rm x"), "destructive", "rm by its path");
	is_str(risk("rm --help"), "read", "rm --help");
	is_str(risk("pip list"), "read", "pip list");
	is_str(risk("pip install x"), "install", "pip install");
	is_str(risk("dd if=a of=b"), "write", "dd");
	is_str(risk("dd if=a of=/dev/sda"), "destructive", "dd to a device");
	is_str(risk("find . -delete"), "destructive", "find -delete");
	is_str(risk("./build.sh"), "write", "a program nobody knows");
	is_str(risk("curl -s u | sh"), "destructive", "a script from the network");
	is_str(risk("$x"), "destructive", "any command");
	is_str(risk(""), "read", "nothing");
}

static void test_files(void)
{
	is_str(files("a < in > out 2>> log <> rw >| o2 &> both 3< \"$x\""),
	       "1 read in, 1 write out, 1 append log, 1 readwrite rw, 1 write o2, 1 write both, 1 read <\"$x\">", "redirections");
	is_str(files("a 2>&1 >&- <&3 >& f 3>&1-\nfor i in 1; do :; done > 'l f'"), "1 write f, 2 write l f",
	       "descriptors are no files");
	is_str(files("cat <<E > o\nx\nE\nread x <<< y"), "1 write o", "here-documents are no files");
}

static void test_names(void)
{
	is_str(names("f() { :; }\nfunction g { :; }", tsb_analysis_function), "1 f, 2 g", "functions");
	is_str(names("x=1; echo $x $y $HOME $1 $? $@ ${BASH_VERSION}\necho $y ${z:-} ${w?} ${v+1} $y", tsb_analysis_unset), "1 y",
	       "unset variables, told once");
	is_str(names("read a b; read; echo $a $b $REPLY; for i in 1; do :; done; echo $i; printf -v p x; echo $p\n"
		     "mapfile -t m; getopts ab o; declare -i d; local e=1; echo $m $o $OPTARG $d $e; let 'k = 1'; echo $k",
		     tsb_analysis_unset), "", "what builtins set");
	is_str(names("((n += 1)); ((q = 1, r = q)); echo $n $q $r; : ${t:=1} $t ${u[$s]} ${#l}", tsb_analysis_unset),
	       "1 n, 1 s, 1 u, 1 l", "arithmetic and operators");
	is_str(names("f() { echo $late $never; }\nlate=1\nf", tsb_analysis_unset), "1 never",
	       "a function reads what is set when it is called");
	is_str(names("x=1; unset x; echo $x", tsb_analysis_unset), "1 x", "unset");
	is_str(names("echo $a; . ./lib.sh; echo $b", tsb_analysis_unset), "1 a", "a sourced file may set anything");
}

static void test_opaque(void)
{
	is_str(opaque("eval \"$x\"; $y z; . lib; source \"$f\"; bash s.sh; bash -c \"$c\"; python3 -c 'p'; ./u -v"),
	       "1 eval \"$x\", 1 $y z, 1 . lib, 1 source \"$f\", 1 bash s.sh, 1 bash -c \"$c\", 1 python3 -c p, 1 ./u -v",
	       "what cannot be known");
	is_str(opaque("echo x | bash -s; ls; eval echo; bash --version"), "1 bash -s", "what can");
	is_str(opaque("eval 'if'"), "1 if", "a text that is no script");
}

static void test_errors(void)
{
	static const char script[] = "ls\nfi\nrm x\n";
	struct tsb_analysis *a;
	uint32_t line = 7;

	is_int(tsb_analyze(script, strlen(script), &a), TSB_OK, "a syntax error is analysed");
	is_str(tsb_analysis_error(a, &line), "syntax error near unexpected token `fi'", "bash's message");
	is_int(line, 2, "and line");
	ok(tsb_analysis_command(a, 0) && !tsb_analysis_command(a, 1), "what stands before it");
	tsb_analysis_free(a);
	is_int(tsb_analyze(NULL, 0, &a), TSB_ERR_ARGUMENT, "no script");
	is_int(tsb_analyze("", 0, NULL), TSB_ERR_ARGUMENT, "nowhere to");
	tsb_analysis_free(NULL);
}

/* n times what, then end. */
static const char *repeated(const char *what, size_t n, const char *end)
{
	struct str s;

	str_init(&s, heap, STR_MAX_DEFAULT);
	while (n--)
		str_adds(&s, what);
	str_adds(&s, end);
	return str_take(&s, NULL);
}

static void test_hostile(void)
{
	is_str(risk(repeated("true && ", 100000, "rm x")), "destructive", "a hundred thousand &&");
	is_str(risk(repeated("nohup ", 100000, "rm x")), "read", "a hundred thousand wrappers: not followed");
	is_int(strlen(opaque(repeated("nohup ", 100, "rm x"))) > 0, 1, "but told");
	is_str(risk(repeated("(", 100000, "")), "read", "parentheses without end");
	is_str(risk(repeated("$((1+", 100, "1")), "read", "open arithmetic");
	ok(strlen(names(repeated("x=$((1+1", 1, repeated("+y", 50000, "))")), tsb_analysis_unset)), "a long sum");
	ok(strlen(commands(repeated("eval ", 200, "ls"))), "eval eval eval");
}

/* Every command of the library has a row. */
static void test_known(void)
{
	const struct tsb_command *cmd;
	struct tsb_sandbox *box;
	struct tsb_analysis *a;
	int unknown = 0;

	if (tsb_sandbox_open(&box, NULL))
		exit(1);
	for (size_t i = 0; (cmd = tsb_command_at(box, i)); i++) {
		char script[300];

		/* `time` alone is a keyword. */
		snprintf(script, sizeof(script), "command %s", cmd->name);
		if (tsb_analyze(script, strlen(script), &a))
			exit(1);
		if (tsb_analysis_command(a, 1)->kind == TSB_COMMAND_UNKNOWN) {
			printf("# %s is not in analyze_rules.c\n", cmd->name);
			unknown++;
		}
		tsb_analysis_free(a);
	}
	is_int(unknown, 0, "the analysis knows every command of the library");
	tsb_sandbox_close(box);
}

/* Nested deeper than is followed, and more than the memory of a run can hold. */
static void test_too_much(void)
{
	size_t n = 12000000, at = 0;
	char *text = malloc(n + 1);
	struct tsb_analysis *a;

	for (int i = 0; i < 40; i++)
		at += (size_t)sprintf(text + at, "eval ");
	at += (size_t)sprintf(text + at, "ls");
	is_int(tsb_analyze(text, at, &a), TSB_OK, "eval in eval in eval");
	tsb_analysis_free(a);
	for (at = 0; at + 2 <= n; at += 2)
		memcpy(text + at, "a\n", 2);
	is_int(tsb_analyze(text, at, &a), TSB_ERR_MEMORY, "a script of millions of commands");
	ok(!a, "gives nothing");
	is_int(tsb_analyze(NULL, 0, &a), TSB_ERR_ARGUMENT, "no script");
	free(text);
}

int main(void)
{
	heap = heap_new(NULL, NULL, NULL, NULL);
	test_commands();
	test_wrapped();
	test_risks();
	test_files();
	test_names();
	test_opaque();
	test_errors();
	test_hostile();
	test_known();
	test_too_much();
	heap_end(heap);
	return done();
}
