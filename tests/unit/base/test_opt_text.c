/* --help, --version, the manual page and the documentation's section. */
#include "base/opt.h"

#include "base/heap.h"
#include "unit/tap.h"

struct opts {
	bool all, null;
	const char *lines;
};

static int on_call(struct tsb_proc *p, void *opts, const struct tsb_opt *opt, const char *arg)
{
	(void)p, (void)opts, (void)opt, (void)arg;
	return 0;
}

static const struct tsb_opt rows[] = {
	TSB_OPT_FLAG(struct opts, all, 'a', "all", "do not ignore entries starting with ."),
	TSB_OPT_FLAG(struct opts, all, 0, "author", "with -l, print the author of each file"),
	TSB_OPT_STR(struct opts, lines, 'n', "lines", "[-]NUM", "print the first NUM lines instead "
		    "of the first 10; with the leading '-', print all but the last NUM lines"),
	TSB_OPT_STR(struct opts, lines, 'I', NULL, "WORD", "a|b"),
	TSB_OPT_CALL_OPT(on_call, 0, 'i', "in-place", "SUFFIX", "edit files in place"),
	TSB_OPT_FLAG(struct opts, all, 'q', "quiet", "never print headers"),
	TSB_OPT_FLAG(struct opts, all, 's', "silent", NULL),
	{ TSB_OPTION_FLAG, 0, "obsolete", NULL, "hidden", 0, 1, TSB_OPT_HIDDEN, NULL },
	TSB_OPT_FLAG(struct opts, null, 0, "group-directories-first", "directories come first"),
	TSB_OPT_DIGITS_CALL(on_call, "same as -n NUM"),
	TSB_OPT_END
};

static const struct tsb_command cmd = {
	.name = "head", .synopsis = "[OPTION]... [FILE]...\n-x \\FILE", .opts = rows,
	.summary = "print the first part of files", .package = "GNU coreutils",
	.package_version = "9.1",
};
static const struct tsb_command plain = {
	.name = "true", .synopsis = "", .flags = TSB_NO_HELP,
};

static const struct tsb_opt word_rows[] = {
	TSB_OPT_WORD("-name", "PATTERN", "base of the name"),
	TSB_OPT_WORD("-a", NULL, "both"),
	TSB_OPT_WORD("-and", NULL, NULL),
	TSB_OPT_END
};
static const struct tsb_command words = {
	.name = "find", .synopsis = "", .opts = word_rows, .flags = TSB_RAW,
};
static const char *const real[] = { "-a", "--all", "--obsolete", "-5", "--gone", "-g", NULL };

static const char help[] =
	"Usage: head [OPTION]... [FILE]...\n"
	"  or:  head -x \\FILE\n"
	"Print the first part of files.\n"
	"\n"
	"  -a, --all                  do not ignore entries starting with .\n"
	"      --author               with -l, print the author of each file\n"
	"  -n, --lines=[-]NUM         print the first NUM lines instead of the first 10;\n"
	"                               with the leading '-', print all but the last NUM\n"
	"                               lines\n"
	"  -I WORD                    a|b\n"
	"  -i[SUFFIX], --in-place[=SUFFIX]\n"
	"                             edit files in place\n"
	"  -q, -s, --quiet, --silent  never print headers\n"
	"      --group-directories-first\n"
	"                             directories come first\n"
	"  -NUM                       same as -n NUM\n"
	"      --help                 display this help and exit\n"
	"      --version              output version information and exit\n";

static const char manual[] =
	".TH \"tinysandbox\\-head\" 1 \"\" \"tinysandbox 0.1.0\" \"User Commands\"\n"
	".SH NAME\n"
	"\\&tinysandbox\\-head \\- print the first part of files\n"
	".SH SYNOPSIS\n"
	"\\fBhead\\fR [OPTION]... [FILE]...\n"
	".br\n"
	"\\fBhead\\fR \\-x \\eFILE\n"
	".SH OPTIONS\n"
	".TP\n"
	"\\fB\\-a\\fR, \\fB\\-\\-all\\fR\n"
	"\\&do not ignore entries starting with .\n";

static const char markdown[] =
	"## head\n"
	"\n"
	"Print the first part of files. As in GNU coreutils 9.1.\n"
	"\n"
	"    head [OPTION]... [FILE]...\n"
	"    head -x \\FILE\n"
	"\n"
	"| option | meaning | in the real `--help` |\n"
	"|---|---|---|\n"
	"| -a, --all | do not ignore entries starting with . | yes |\n";

int main(void)
{
	struct tsb_heap *h = heap_new(NULL, NULL, NULL, NULL);
	struct str s;

	str_init(&s, h, STR_MAX_DEFAULT);
	opt_help(&s, &cmd, "head");
	is_str(s.p, help, "help");
	str_reset(&s);
	opt_version(&s, &cmd, "head");
	is_str(s.p, "head (GNU coreutils) 9.1\n"
		    "This is tinysandbox's own implementation of that interface.\n", "version");
	str_reset(&s);
	opt_version(&s, &plain, "true");
	is_str(s.p, "true (tinysandbox) 0.1.0\n", "version without a package");
	str_reset(&s);
	opt_help(&s, &plain, "true");
	is_str(s.p, "Usage: true\n", "help of nothing");
	str_reset(&s);
	opt_manual(&s, &cmd, "tinysandbox-head");
	ok(!strncmp(s.p, manual, sizeof(manual) - 1), "manual page");
	ok(strstr(s.p, "\\(aq\\-\\(aq") && strstr(s.p, "\\fB\\-NUM\\fR"), "escapes");
	ok(!strstr(s.p, "obsolete"), "hidden rows are not shown");
	ok(strstr(s.p, "\\fB\\-i\\fR[\\fISUFFIX\\fR], \\fB\\-\\-in\\-place\\fR[=\\fISUFFIX\\fR]"),
	   "an optional argument");
	str_reset(&s);
	is_int(opt_markdown(&s, &cmd, real), 2, "what is missing is counted");
	ok(!strncmp(s.p, markdown, sizeof(markdown) - 1), "documentation");
	ok(strstr(s.p, "| -I WORD | a\\|b | no |"), "a bar in a cell; an option of ours");
	ok(strstr(s.p, "| --gone | **missing** | yes |\n| -g | **missing** | yes |"), "missing");
	str_reset(&s);
	opt_markdown(&s, &words, NULL);
	ok(strstr(s.p, "| -name PATTERN | base of the name |  |\n| -a, -and | both |  |"),
	   "words with their dashes");
	str_reset(&s);
	opt_help(&s, &words, "find");
	ok(strstr(s.p, "\n  -name PATTERN              base of the name\n"), "their help");
	str_reset(&s);
	opt_markdown(&s, &plain, NULL);
	is_str(s.p, "## true\n\n    true\n\n", "documentation of nothing");
	str_end(&s);
	str_init(&s, h, 20);
	opt_help(&s, &cmd, "head");
	opt_manual(&s, &cmd, "tinysandbox-head");
	opt_markdown(&s, &cmd, real);
	ok(s.bad && s.n <= 20, "a string too short is bad and no more");
	heap_end(h);
	return done();
}
