/*
 * patch's options.
 */
#include "cmd/patch.h"

#include <string.h>


/* Too large a number is called negative, as it is where it wraps. */
static int64_t opt_number(struct patch *t, const char *arg, const char *what, bool negative)
{
	const char *s = arg + (*arg == '-');
	size_t n = strspn(s, "0123456789");
	bool minus = s > arg, wraps = false;
	int64_t v = 0;

	if (!n || s[n])
		patch_fatal(t, "%s %s is not a number", what, arg);
	for (size_t i = 0; i < n; i++)
		wraps |= __builtin_mul_overflow(v, 10, &v) ||
			 __builtin_add_overflow(v, s[i] - '0', &v);
	if (wraps || (minus && !negative))
		patch_fatal(t, "%s %s is negative", what, arg);
	return minus ? -v : v;
}

static int set_number(struct tsb_proc *p, void *opts, const struct tsb_opt *opt, const char *arg)
{
	struct patch *t = opts;
	int64_t v;

	t->p = p;
	if (opt->value == 'F') {
		t->fuzz_max = opt_number(t, arg, "fuzz factor", false);
		return 0;
	}
	if (opt->value == 'g') {
		opt_number(t, arg, "get option value", true);
		return 0;
	}
	v = opt_number(t, arg, "strip count", false);
	t->strip = v < INT32_MAX ? (int)v : INT32_MAX;
	return 0;
}

static int set_type(struct tsb_proc *p, void *opts, const struct tsb_opt *opt, const char *arg)
{
	(void)p;
	(void)arg;
	((struct patch *)opts)->type = (enum patch_type)opt->value;
	return 0;
}

static int set_mismatch(struct tsb_proc *p, void *opts, const struct tsb_opt *opt, const char *arg)
{
	(void)p;
	(void)arg;
	((struct patch *)opts)->backup_mismatch = opt->value == 'y';
	return 0;
}

static int set_affix(struct tsb_proc *p, void *opts, const struct tsb_opt *opt, const char *arg)
{
	struct patch *t = opts;

	t->p = p;
	if (!*arg)
		patch_fatal(t, opt->value == 'B' ? "backup prefix is empty" : opt->value == 'Y' ?
			    "backup basename prefix is empty" : "backup suffix is empty");
	if (opt->value == 'B')
		t->prefix = arg;
	else if (opt->value == 'Y')
		t->base_prefix = arg;
	else
		t->suffix = arg;
	return 0;
}

static int set_dir(struct tsb_proc *p, void *opts, const struct tsb_opt *opt, const char *arg)
{
	struct patch *t = opts;
	int err = tsb_chdir(p, arg);

	(void)opt;
	t->p = p;
	if (err)
		patch_pfatal(t, err, "Can't change to directory %s", patch_quote(t, arg));
	return 0;
}

static int set_merge(struct tsb_proc *p, void *opts, const struct tsb_opt *opt, const char *arg)
{
	struct patch *t = opts;

	(void)opt;
	t->merge = 1;
	if (arg && !strcmp(arg, "diff3"))
		t->merge = 2;
	else if (arg && strcmp(arg, "merge") != 0)
		return diffutils_try(p, NULL);
	return 0;
}

static int set_reject(struct tsb_proc *p, void *opts, const struct tsb_opt *opt, const char *arg)
{
	struct patch *t = opts;

	(void)opt;
	if (!strcmp(arg, "context"))
		t->reject_format = 'c';
	else if (!strcmp(arg, "unified"))
		t->reject_format = 'u';
	else
		return diffutils_try(p, NULL);
	return 0;
}

static int set_read_only(struct tsb_proc *p, void *opts, const struct tsb_opt *opt,
			 const char *arg)
{
	struct patch *t = opts;

	(void)opt;
	if (!strcmp(arg, "ignore"))
		t->read_only = PATCH_RO_IGNORE;
	else if (!strcmp(arg, "warn"))
		t->read_only = PATCH_RO_WARN;
	else if (!strcmp(arg, "fail"))
		t->read_only = PATCH_RO_FAIL;
	else
		return diffutils_try(p, NULL);
	return 0;
}

/* An unambiguous prefix is enough. */
static int set_quoting(struct tsb_proc *p, void *opts, const struct tsb_opt *opt, const char *arg)
{
	static const char *const words[] = {
		[QUOTE_LITERAL] = "literal", [QUOTE_SHELL] = "shell",
		[QUOTE_SHELL_ALWAYS] = "shell-always", [QUOTE_SHELL_ESCAPE] = "shell-escape",
		[QUOTE_SHELL_ESCAPE_ALWAYS] = "shell-escape-always", [QUOTE_C] = "c",
		[QUOTE_C_MAYBE] = "c-maybe", [QUOTE_ESCAPE] = "escape",
		[QUOTE_LOCALE] = "locale", [QUOTE_CLOCALE] = "clocale",
	};
	struct patch *t = opts;
	size_t n = strlen(arg);
	int found = 0;

	(void)opt;
	if (quote_style_named(arg, &t->quoting))
		return 0;
	for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++)
		if (!strncmp(words[i], arg, n)) {
			t->quoting = (enum quote_style)i;
			found++;
		}
	if (found == 1)
		return 0;
	return diffutils_try(p, "%s argument '%s' for 'quoting style'",
			     found ? "ambiguous" : "invalid", arg);
}

static int set_nothing(struct tsb_proc *p, void *opts, const struct tsb_opt *opt, const char *arg)
{
	struct patch *t = opts;

	(void)opt;
	t->p = p;
	opt_number(t, arg, "debugging option", true);
	return 0;
}

#define T struct patch

/* In the order in which ambiguous names are listed. */
const struct tsb_opt patch_opts[] = {
	TSB_OPT_FLAG(T, backup, 'b', "backup", "back up the original contents of each file"),
	TSB_OPT_CALL(set_affix, 'B', 'B', "prefix", "PREFIX", "prepend PREFIX to backup file names"),
	TSB_OPT_CALL(set_type, PATCH_CONTEXT, 'c', "context", NULL,
		     "interpret the patch as a context difference"),
	TSB_OPT_CALL(set_dir, 'd', 'd', "directory", "DIR", "change the working directory to DIR first"),
	TSB_OPT_STR(T, define, 'D', "ifdef", "NAME", "make merged if-then-else output using NAME"),
	TSB_OPT_CALL(set_type, PATCH_ED, 'e', "ed", NULL, "interpret the patch as an ed script"),
	TSB_OPT_FLAG(T, remove_empty, 'E', "remove-empty-files",
		     "remove output files that are empty after patching"),
	TSB_OPT_FLAG(T, force, 'f', "force",
		     "like -t, but ignore bad-Prereq patches, and assume unreversed"),
	TSB_OPT_CALL(set_number, 'F', 'F', "fuzz", "LINES",
		     "set the fuzz factor to LINES for inexact matching"),
	TSB_OPT_CALL(set_number, 'g', 'g', "get", "NUM",
		     "get files from RCS etc. if positive; ask if negative (there are none here)"),
	TSB_OPT_STR(T, patch_name, 'i', "input", "PATCHFILE", "read patch from PATCHFILE instead of stdin"),
	TSB_OPT_FLAG(T, white, 'l', "ignore-whitespace",
		     "ignore white space changes between patch and input"),
	TSB_OPT_CALL_OPT(set_merge, 1, 0, "merge", "STYLE",
			 "merge using conflict markers (merge or diff3) instead of creating reject files"),
	TSB_OPT_CALL(set_type, PATCH_NORMAL, 'n', "normal", NULL,
		     "interpret the patch as a normal difference"),
	TSB_OPT_FLAG(T, forward, 'N', "forward",
		     "ignore patches that appear to be reversed or already applied"),
	TSB_OPT_STR(T, out_name, 'o', "output", "FILE", "output patched files to FILE"),
	TSB_OPT_CALL(set_number, 'p', 'p', "strip", "NUM", "strip NUM leading components from file names"),
	TSB_OPT_STR(T, reject_name, 'r', "reject-file", "FILE", "output rejects to FILE"),
	TSB_OPT_FLAG(T, reverse, 'R', "reverse",
		     "assume patches were created with old and new files swapped"),
	TSB_OPT_SET(T, verbosity, PATCH_SILENT, 's', "quiet", "work silently unless an error occurs"),
	TSB_OPT_SET(T, verbosity, PATCH_SILENT, 0, "silent", NULL),
	TSB_OPT_FLAG(T, batch, 't', "batch",
		     "ask no questions; skip bad-Prereq patches; assume reversed"),
	TSB_OPT_FLAG(T, set_time, 'T', "set-time", "set times of patched files, assuming local time"),
	TSB_OPT_CALL(set_type, PATCH_UNIFIED, 'u', "unified", NULL,
		     "interpret the patch as a unified difference"),
	DIFFUTILS_VERSION_OPT,
	TSB_OPT_STR(T, control, 'V', "version-control", "STYLE",
		    "use STYLE version control: simple, numbered, or existing"),
	{ TSB_OPTION_CALL, 'x', "debug", "NUM", "", 0, 1, TSB_OPT_HIDDEN, set_nothing },
	TSB_OPT_CALL(set_affix, 'Y', 'Y', "basename-prefix", "PREFIX",
		     "prepend PREFIX to backup file basenames"),
	TSB_OPT_CALL(set_affix, 'z', 'z', "suffix", "SUFFIX", "append SUFFIX to backup file names"),
	TSB_OPT_FLAG(T, set_utc, 'Z', "set-utc", "likewise, assuming diff uses UTC (GMT)"),
	TSB_OPT_FLAG(T, dry_run, 0, "dry-run",
		     "do not actually change any files; just print what would happen"),
	TSB_OPT_SET(T, verbosity, PATCH_VERBOSE, 0, "verbose",
		    "output extra information about the work being done"),
	TSB_OPT_FLAG(T, binary, 0, "binary", "read and write data in binary mode"),
	TSB_OPT_CALL(set_mismatch, 'y', 0, "backup-if-mismatch", NULL,
		     "back up if the patch does not match exactly"),
	TSB_OPT_CALL(set_mismatch, 'n', 0, "no-backup-if-mismatch", NULL,
		     "back up mismatches only if otherwise requested"),
	TSB_OPT_FLAG(T, posix, 0, "posix", "conform to the POSIX standard"),
	TSB_OPT_CALL(set_quoting, 1, 0, "quoting-style", "WORD",
		     "output file names using quoting style WORD"),
	TSB_OPT_CALL(set_reject, 1, 0, "reject-format", "FORMAT", "create context or unified rejects"),
	TSB_OPT_CALL(set_read_only, 1, 0, "read-only", "BEHAVIOR",
		     "how to handle read-only input files: ignore, warn (default), or fail"),
	TSB_OPT_FLAG(T, follow, 0, "follow-symlinks", "follow symbolic links"),
	TSB_OPT_END
};
