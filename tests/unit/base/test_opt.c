/*
 * Parsing of options. Every text is what GNU ls, sort or head 9.1 prints behind
 * "NAME: " for the same arguments; the table has some of ls's rows in ls's order.
 */
#include "base/opt.h"

#include <stdlib.h>

#include "base/heap.h"
#include "unit/tap.h"

struct opts {
	bool all, reverse;
	int format;
	const char *width;
	struct tsb_list ignore;
	char log[200];		/* what the calls saw, in order */
};

static int on_call(struct tsb_proc *p, void *opts, const struct tsb_opt *opt, const char *arg)
{
	struct opts *o = opts;

	snprintf(o->log + strlen(o->log), sizeof(o->log) - strlen(o->log), "%s%c:%s ",
		 p ? "!" : "", opt->short_name ? opt->short_name : '.', arg ? arg : "NULL");
	return arg && !strcmp(arg, "stop") ? 3 : 0;
}

static const struct tsb_opt rows[] = {
	TSB_OPT_FLAG(struct opts, all, 'a', "all", "do not hide"),
	TSB_OPT_FLAG(struct opts, reverse, 'r', "reverse", "turn around"),
	TSB_OPT_SET(struct opts, format, 1, 'l', NULL, "long"),
	TSB_OPT_SET(struct opts, format, 2, 'C', NULL, "columns"),
	TSB_OPT_SET(struct opts, format, 3, 'Q', "quiet", "quiet"),
	TSB_OPT_SET(struct opts, format, 3, 0, "quite-the-same", "quiet too"),
	TSB_OPT_STR(struct opts, width, 'w', "width", "COLS", "columns"),
	TSB_OPT_CALL(on_call, 0, 'H', "hide-control-chars", NULL, "hide control characters"),
	TSB_OPT_LIST(struct opts, ignore, 0, "hide", "PATTERN", "do not list"),
	TSB_OPT_LIST(struct opts, ignore, 'I', "ignore", "PATTERN", "do not list"),
	TSB_OPT_CALL(on_call, 0, 'T', "tabsize", "COLS", "tabs"),
	TSB_OPT_CALL_OPT(on_call, 0, 'c', "color", "WHEN", "colors"),
	{ TSB_OPTION_CALL, 0, "colour", "WHEN", NULL, 0, 0, TSB_ARG_OPTIONAL, on_call },
	TSB_OPT_FLAG(struct opts, all, 0, "author", "the author"),
	TSB_OPT_DIGITS_CALL(on_call, "context"),
	TSB_OPT_END
};

static struct tsb_heap *heap;
static struct tsb_command cmd;
static struct opt_parsed got;
static struct opts *opts;

/* Parses "ls" and the words of text. */
static void parse(const char *text)
{
	static char copy[200], *argv[32];
	int argc = 1;
	char *save;

	snprintf(copy, sizeof(copy), "%s", text);
	argv[0] = (char *)"ls";
	for (char *w = strtok_r(copy, " ", &save); w; w = strtok_r(NULL, " ", &save))
		argv[argc++] = w;
	argv[argc] = NULL;
	opt_parse(&got, &cmd, heap, NULL, argc, argv);
	opts = got.opts;
}

static void bad(const char *text, const char *want)
{
	parse(text);
	if (!ok(got.result == OPT_BAD && !strcmp(got.error.p, want), text))
		printf("# got %d <%s>\n", (int)got.result, got.error.p);
}

static void operands(const char *text, const char *want)
{
	char all[200] = "";

	parse(text);
	for (int i = 0; i < got.argc; i++)
		strcat(strcat(all, got.argv[i]), " ");
	if (!ok(got.result == OPT_RUN && !strcmp(all, want) && !got.argv[got.argc], text))
		printf("# got %d <%s> <%s>\n", (int)got.result, all, got.error.p);
}

static void calls(const char *text, const char *want)
{
	parse(text);
	if (!ok(got.result == OPT_RUN && !strcmp(opts->log, want), text))
		printf("# got %d <%s> <%s>\n", (int)got.result, opts->log, got.error.p);
}

static void test_errors(void)
{
	bad("--foo", "unrecognized option '--foo'");
	bad("--foo=bar", "unrecognized option '--foo=bar'");
	bad("-z", "invalid option -- 'z'");
	bad("-az", "invalid option -- 'z'");
	bad("-a-", "invalid option -- '-'");
	bad("-:", "invalid option -- ':'");
	bad("-w", "option requires an argument -- 'w'");
	bad("-aw", "option requires an argument -- 'w'");
	bad("--width", "option '--width' requires an argument");
	bad("--wi", "option '--width' requires an argument");
	bad("--all=x", "option '--all' doesn't allow an argument");
	bad("--all=", "option '--all' doesn't allow an argument");
	bad("--au=1", "option '--author' doesn't allow an argument");
	bad("--help=1", "option '--help' doesn't allow an argument");
	bad("--hi", "option '--hi' is ambiguous; possibilities: '--hide-control-chars' '--hide'");
	bad("--h", "option '--h' is ambiguous; possibilities: '--hide-control-chars' '--hide' "
		   "'--help'");
	bad("--hi=3", "option '--hi=3' is ambiguous; possibilities: '--hide-control-chars' "
		      "'--hide'");
	bad("-a --foo --help -z", "unrecognized option '--foo'");
}

static void test_names(void)
{
	parse("-alr");
	ok(opts->all && opts->reverse && opts->format == 1, "a cluster");
	parse("-l -C");
	is_int(opts->format, 2, "the last of several wins");
	parse("--rev");
	ok(got.result == OPT_RUN && opts->reverse, "a prefix");
	parse("--hide x");
	ok(got.result == OPT_RUN && opts->ignore.n == 1, "a whole name beats a longer one");
	parse("--qui");
	ok(got.result == OPT_RUN && opts->format == 3, "a prefix of rows that do the same");
	parse("--a");
	ok(got.result == OPT_RUN && opts->all, "a prefix of rows with the same field");
	calls("--col", "c:NULL ");	/* --colour is an alias */
	parse("--he");
	is_int(got.result, OPT_HELP, "a prefix of --help");
	parse("--ver -z");
	is_int(got.result, OPT_VERSION, "a prefix of --version; what follows is not looked at");
	cmd.flags = TSB_NO_HELP;
	bad("--help", "unrecognized option '--help'");
	cmd.flags = 0;
}

static void test_arguments(void)
{
	parse("-w5");
	is_str(opts->width, "5", "glued");
	parse("-w 5");
	is_str(opts->width, "5", "separate");
	parse("-aw 5 x");
	is_str(opts->width, "5", "behind a cluster");
	parse("--width=5");
	is_str(opts->width, "5", "with =");
	parse("--width 5");
	is_str(opts->width, "5", "long and separate");
	parse("--width=");
	is_str(opts->width, "", "empty");
	parse("--width=a=b");
	is_str(opts->width, "a=b", "= inside");
	parse("-w -- -a");
	ok(!strcmp(opts->width, "--") && opts->all, "an argument may be --");
	parse("--width -a");
	ok(!strcmp(opts->width, "-a") && !opts->all, "or look like an option");
	parse("-I1 --hide=2 -I 3 --ignore 4 -I5 -I6 -I7 -I8 -I9");
	ok(opts->ignore.n == 9 && !strcmp(opts->ignore.at[0], "1") &&
	   !strcmp(opts->ignore.at[8], "9"), "a list, in order");
}

static void test_calls(void)
{
	calls("-T 8 -c --color=x -cy --colour", "T:8 c:NULL c:x c:y .:NULL ");
	calls("--color x", "c:NULL ");
	calls("-H", "H:NULL ");
	calls("-5", ".:5 ");
	calls("-15 -2", ".:15 .:2 ");
	calls("-a5r6", ".:5 .:6 ");
	ok(opts->all && opts->reverse, "digits in a cluster");
	parse("-T stop -z");
	ok(got.result == OPT_STOP && got.status == 3, "a call may stop");
}

static void test_operands(void)
{
	operands("", "");
	operands("x y", "x y ");
	operands("x -a y", "x y ");
	ok(opts->all, "options behind operands");
	operands("-a -- -r -- x", "-r -- x ");
	ok(!opts->reverse, "-- ends the options");
	operands("- x", "- x ");
	operands("x --", "x ");
	cmd.flags = TSB_OPERAND_ENDS;
	operands("-a x -r -- y", "x -r -- y ");
	ok(opts->all && !opts->reverse, "the first operand ends the options");
	operands("-a -- x -- y", "x -- y ");
	operands("- -a", "- -a ");
	cmd.flags = TSB_RAW;
	operands("-a -- --help", "-a -- --help ");
	cmd.flags = 0;
}

static void test_defaults(void)
{
	static const char *preset[] = { "a", "b", "c", "d", "e" };
	static const struct opts defaults = { .width = "80", .ignore = { preset, 5 } };

	cmd.defaults = &defaults;
	parse("-Ix -Iy -Iz -Iu -Iv");
	is_str(opts->width, "80", "a default");
	ok(opts->ignore.n == 10 && !strcmp(opts->ignore.at[9], "v") &&
	   !strcmp(opts->ignore.at[4], "e"), "a list begins with its defaults");
	is_str(preset[4], "e", "which stay as they are");
	cmd.defaults = NULL;
}

static void test_empty_table(void)
{
	const struct tsb_opt *saved = cmd.opts;

	cmd.opts = NULL;
	bad("-x", "invalid option -- 'x'");
	bad("--x", "unrecognized option '--x'");
	parse("--h");
	is_int(got.result, OPT_HELP, "--help without a table");
	bad("--=", "option '--=' is ambiguous; possibilities: '--help' '--version'");
	cmd.flags = TSB_NO_HELP;
	bad("--h", "unrecognized option '--h'");
	cmd.flags = 0;
	cmd.opts = saved;
}

static void test_faults(void)
{
	size_t at = 1;

	for (; at < 50; at++) {
		heap_fail_at(heap, at);
		parse("-5r -I1 -I2 -I3 -I4 -I5 x");
		heap_fail_at(heap, 0);
		if (got.result == OPT_RUN)
			break;
		if (got.result != OPT_BAD || got.argc != 0)
			ok(0, "a failed allocation is a bad parse");
	}
	is_int(at, 6, "each of five allocations may fail");
	ok(opts->ignore.n == 5 && got.argc == 1, "and none fails at last");
}

int main(void)
{
	heap = heap_new(NULL, NULL, NULL, NULL);
	cmd = (struct tsb_command){ .version = TSB_COMMAND_VERSION, .name = "ls", .opts = rows,
				    .opts_size = sizeof(struct opts) };
	test_errors();
	test_names();
	test_arguments();
	test_calls();
	test_operands();
	test_defaults();
	test_empty_table();
	test_faults();
	heap_end(heap);
	return done();
}
