/*
 * caller, enable, help: what the shell knows about itself.
 */
#include "shell/builtin/builtin.h"

#include <string.h>

#include "text/pattern.h"

/* ---- caller ---- */

static const char *frame_name(const struct call *c)
{
	if (c->function)
		return c->function;
	return "source";
}

/* The frame that called c, as file and function; "main" and NULL at the bottom. */
int builtin_caller(struct shell *sh, int argc, char **argv, enum flow *flow)
{
	const struct call *c = sh->calls;
	struct bopt o;
	int64_t n = -1;

	(void)flow;
	if (!c)
		return 1;
	bopt_init(&o, sh, argc, argv);
	if (bopt_next(&o, ""))
		return STATUS_USAGE;
	if (o.at < argc && !text_number(argv[o.at], &n)) {
		builtin_error(sh, "%s: invalid number", argv[o.at]);
		return builtin_usage(sh);
	}
	if (o.at >= argc) {
		putf(sh, "%u %s\n", c->line, c->up && c->up->file ? c->up->file : "NULL");
		return 0;
	}
	for (int64_t i = 0; c && i < n; i++)
		c = c->up;
	if (!c || !c->up || n < 0)
		return 1;
	putf(sh, "%u %s %s\n", c->line, frame_name(c->up), c->up->file ? c->up->file : "NULL");
	return 0;
}

/* ---- enable ---- */

static void enable_list(struct shell *sh, bool all, bool off, bool special)
{
	const struct builtin *b;

	for (size_t i = 0; (b = builtin_at(i)); i++) {
		bool on = builtin_enabled(sh, b);

		if (special && !(b->flags & BUILTIN_SPECIAL))
			continue;
		if (all || on != off)
			putf(sh, "enable %s%s\n", on ? "" : "-n ", b->name);
	}
}

static int enable_one(struct shell *sh, const char *name, bool off)
{
	const struct builtin *b = builtin_find(name, strlen(name));
	uint64_t *word;
	size_t i;

	if (!b) {
		builtin_error(sh, "%s: not a shell builtin", name);
		return 1;
	}
	if (!off && !builtin_enabled(sh, b) && builtin_restricted(sh, NULL))
		return 1;
	i = builtin_index(b);
	word = &doing(sh)->disabled[i / 64];
	if (off)
		*word |= (uint64_t)1 << (i % 64);
	else
		*word &= ~((uint64_t)1 << (i % 64));
	return 0;
}

int builtin_enable(struct shell *sh, int argc, char **argv, enum flow *flow)
{
	bool all = false, off = false, special = false, print = false, del = false;
	const char *file = NULL;
	struct bopt o;
	int status = 0;

	(void)flow;
	bopt_init(&o, sh, argc, argv);
	for (int c; (c = bopt_next(&o, "adnpsf:"));) {
		if (c < 0)
			return STATUS_USAGE;
		all |= c == 'a';
		del |= c == 'd';
		off |= c == 'n';
		print |= c == 'p';
		special |= c == 's';
		file = c == 'f' ? o.arg : file;
	}
	if ((file || del) && builtin_restricted(sh, NULL))
		return 1;
	if (file && o.at < argc && !print) {
		builtin_error(sh, "cannot open shared object %s: %s: cannot open shared object "
			      "file: No such file or directory", file, file);
		return 1;
	}
	if (o.at >= argc || print) {
		enable_list(sh, all, off, special);
		return 0;
	}
	for (int i = o.at; i < argc; i++) {
		if (del) {
			builtin_error(sh, builtin_find(argv[i], strlen(argv[i])) ?
				      "%s: not dynamically loaded" : "%s: not a shell builtin",
				      argv[i]);
			status = 1;
		} else if (enable_one(sh, argv[i], off)) {
			status = 1;
		}
	}
	return status;
}

/* ---- help ---- */

static const struct {
	const char *name, *synopsis, *summary;
} keywords[] = {
	{ "!", "! PIPELINE", "Run a pipeline and turn its status around." },
	{ "%", "job_spec [&]", "Bring a job to the foreground, or with & let it go on." },
	{ "(( ... ))", "(( expression ))", "Evaluate an arithmetic expression." },
	{ "[[ ... ]]", "[[ expression ]]", "Evaluate a condition; words are not split." },
	{ "case", "case WORD in [PATTERN [| PATTERN]...) COMMANDS ;;]... esac",
	  "Run the commands of the first pattern that matches." },
	{ "coproc", "coproc [NAME] command [redirections]",
	  "Run a command in the background with pipes to and from it." },
	{ "for", "for NAME [in WORDS ... ] ; do COMMANDS; done",
	  "Run commands once for each word." },
	{ "for ((", "for (( exp1; exp2; exp3 )); do COMMANDS; done",
	  "Run commands while exp2 is not 0." },
	{ "function", "function name { COMMANDS ; } or name () { COMMANDS ; }",
	  "Define a function." },
	{ "if",
	  "if COMMANDS; then COMMANDS; [ elif COMMANDS; then COMMANDS; ]... "
	  "[ else COMMANDS; ] fi",
	  "Run commands if others succeed." },
	{ "select", "select NAME [in WORDS ... ;] do COMMANDS; done",
	  "Run commands on choices from a menu." },
	{ "time", "time [-p] pipeline", "Run a pipeline and report the time it took." },
	{ "until", "until COMMANDS; do COMMANDS-2; done", "Run commands until others succeed." },
	{ "variables", "variables - Names and meanings of some shell variables",
	  "Variables that mean something to the shell." },
	{ "while", "while COMMANDS; do COMMANDS-2; done", "Run commands while others succeed." },
	{ "{ ... }", "{ COMMANDS ; }", "Run commands as one." },
};
#define KEYWORDS (sizeof(keywords) / sizeof(keywords[0]))

static void help_topic(struct shell *sh, const char *name, const char *synopsis,
		       const char *summary, char form)
{
	if (form == 'd')
		putf(sh, "%s - %s\n", name, summary);
	else if (form == 's')
		putf(sh, "%s: %s\n", name, synopsis);
	else if (form == 'm')
		putf(sh, "NAME\n    %s - %s\n\nSYNOPSIS\n    %s\n\nDESCRIPTION\n    %s\n\n"
		     "SEE ALSO\n    bash(1)\n\n", name, summary, synopsis, summary);
	else
		putf(sh, "%s: %s\n    %s\n", name, synopsis, summary);
}

static const char *full_synopsis(struct shell *sh, const struct builtin *b)
{
	const char *s = builtin_synopsis(b);

	if (b->name[0] == '[')
		return s;
	return turn_join(sh, b->name, *s ? " " : NULL, s);
}

int builtin_tell_help(struct shell *sh)
{
	const struct builtin *b = builtin_find(sh->builtin, strlen(sh->builtin));

	if (b)
		help_topic(sh, b->name, full_synopsis(sh, b), builtin_summary(b), 0);
	doing(sh)->misused = true;
	return STATUS_USAGE;
}

/* Topics the pattern matches, or those that begin with it. */
static bool help_matching(struct shell *sh, const char *pattern, bool prefix, char form)
{
	struct pattern *pat = pattern_compile(sh->heap, pattern, strlen(pattern), PATTERN_EXTGLOB);
	size_t n = strlen(pattern);
	const struct builtin *b;
	bool any = false;

	for (size_t i = 0; (b = builtin_at(i)); i++) {
		if (prefix ? strncmp(b->name, pattern, n) != 0 :
		    !pattern_match(pat, b->name, strlen(b->name)))
			continue;
		help_topic(sh, b->name, full_synopsis(sh, b), builtin_summary(b), form);
		any = true;
	}
	for (size_t i = 0; i < KEYWORDS; i++) {
		const char *name = keywords[i].name;

		if (prefix ? strncmp(name, pattern, n) != 0 :
		    strcmp(name, pattern) != 0 && !pattern_match(pat, name, strlen(name)))
			continue;
		help_topic(sh, name, keywords[i].synopsis, keywords[i].summary, form);
		any = true;
	}
	pattern_free(pat);
	return any;
}

static void help_all(struct shell *sh)
{
	const struct builtin *b;

	puts_(sh, "These commands are built into the shell; `help NAME' tells about one.\n"
	      "A star (*) stands before those that are switched off.\n\n");
	for (size_t i = 0; (b = builtin_at(i)); i++)
		putf(sh, "%c%s\n", builtin_enabled(sh, b) ? ' ' : '*', full_synopsis(sh, b));
	for (size_t i = 0; i < KEYWORDS; i++)
		putf(sh, " %s\n", keywords[i].synopsis);
}

int builtin_help(struct shell *sh, int argc, char **argv, enum flow *flow)
{
	char form = 0;
	struct bopt o;
	bool found = false;

	(void)flow;
	bopt_init(&o, sh, argc, argv);
	for (int c; (c = bopt_next(&o, "dms"));) {
		if (c < 0)
			return STATUS_USAGE;
		form = form == 'd' || (form == 'm' && c == 's') ? form : (char)c;
	}
	if (o.at >= argc) {
		if (proc_fd_open(sh->p, 1))	/* else bash says nothing of it */
			help_all(sh);
		return 0;
	}
	if (strpbrk(argv[o.at], "*?") || (strchr(argv[o.at], '[') && strchr(argv[o.at], ']')))
		putf(sh, "Shell commands matching keyword%s `%s'\n\n", argc - o.at > 1 ? "s" : "",
		     argv[o.at]);
	for (int i = o.at; i < argc; i++)
		found |= help_matching(sh, argv[i], false, form) ||
			 help_matching(sh, argv[i], true, form);
	if (found)
		return 0;
	builtin_error(sh, "no help topics match `%s'.  Try `help help' or `man -k %s' or "
		      "`info %s'.", argv[argc - 1], argv[argc - 1], argv[argc - 1]);
	return 1;
}
