/*
 * sort's options, and its obsolete keys: +1 -2 is made into an option before
 * anything else looks at the arguments.
 */
#include "cmd/sort.h"

#include <string.h>

#include "base/num.h"
#include "cmd/util.h"

int sort_incompatible(struct sort *s, const char *opts)
{
	tsb_warn(s->p, "options '-%s' are incompatible", opts);
	return SORT_FAILURE;
}

static int sort_set_letter(struct tsb_proc *p, void *opts, const struct tsb_opt *opt,
			   const char *arg)
{
	char letter[2] = { (char)opt->value, '\0' };

	(void)p;
	(void)arg;
	sort_key_letters(&((struct sort *)opts)->global, letter, 3);
	return 0;
}

static int sort_set_sort(struct tsb_proc *p, void *opts, const struct tsb_opt *opt,
			 const char *arg)
{
	static const struct util_word words[] = {
		{ "general-numeric", 'g' }, { "human-numeric", 'h' }, { "month", 'M' },
		{ "numeric", 'n' }, { "random", 'R' }, { "version", 'V' }, { NULL, 0 },
	};
	struct tsb_opt row = *opt;

	return util_word(p, "--sort", arg, words, &row.value) ||
	       sort_set_letter(p, opts, &row, NULL);
}

static int sort_set_check(struct tsb_proc *p, void *opts, const struct tsb_opt *opt,
			  const char *arg)
{
	static const struct util_word words[] = {
		{ "quiet", 'C' }, { "silent", 'C' }, { "diagnose-first", 'c' }, { NULL, 0 },
	};
	struct sort *s = opts;
	int v = opt->value;

	s->p = p;
	if (arg && util_word(p, "--check", arg, words, &v))
		return 1;
	if (s->check && s->check != v)
		return sort_incompatible(s, "cC");
	s->check = v;
	return 0;
}

static int sort_set_key(struct tsb_proc *p, void *opts, const struct tsb_opt *opt,
			const char *arg)
{
	struct sort *s = opts;

	(void)opt;
	s->p = p;
	return sort_key_parse(s, arg);
}

/* "1.2n", "1.2n -3": what +1.2n -3 said; the numbers have been checked. */
static int sort_set_obsolete(struct tsb_proc *p, void *opts, const struct tsb_opt *opt,
			     const char *arg)
{
	struct sort *s = opts;
	struct sort_key *k;
	const char *at = arg, *end = strchr(arg, ' ');
	size_t n;

	(void)opt;
	s->p = p;
	k = sort_key_new(s);
	k->obsolete = true;
	for (k->sword = 0; *at >= '0' && *at <= '9'; at++)
		k->sword = k->sword * 10 + (size_t)(*at - '0');
	if (*at == '.')
		for (at++; *at >= '0' && *at <= '9'; at++)
			k->schar = k->schar * 10 + (size_t)(*at - '0');
	if (!k->sword && !k->schar)
		k->sword = SORT_NO_WORD;
	sort_key_letters(k, at, 1);
	if (!end)
		return 0;
	for (k->eword = 0, at = end + 2; *at >= '0' && *at <= '9'; at++)
		k->eword = k->eword * 10 + (size_t)(*at - '0');
	if (*at == '.') {
		n = strspn(++at, "0123456789");
		if (!n) {
			tsb_warn(p, "invalid number after '.': invalid count at start of %s",
				 quote_text(p, at));
			return SORT_FAILURE;
		}
		for (; n; n--, at++)
			k->echar = k->echar * 10 + (size_t)(*at - '0');
	}
	if (!k->echar && k->eword)
		k->eword--;
	at = sort_key_letters(k, at, 2);
	if (!*at)
		return 0;
	tsb_warn(p, "stray character in field spec: invalid field specification %s",
		 quote_text(p, end + 1));
	return SORT_FAILURE;
}

static int sort_set_output(struct tsb_proc *p, void *opts, const struct tsb_opt *opt,
			   const char *arg)
{
	struct sort *s = opts;

	(void)opt;
	if (s->output && strcmp(s->output, arg)) {
		tsb_warn(p, "multiple output files specified");
		return SORT_FAILURE;
	}
	s->output = arg;
	return 0;
}

static int sort_set_tab(struct tsb_proc *p, void *opts, const struct tsb_opt *opt,
			const char *arg)
{
	struct sort *s = opts;
	int tab = (unsigned char)arg[0];

	(void)opt;
	if (!arg[0]) {
		tsb_warn(p, "empty tab");
		return SORT_FAILURE;
	}
	if (arg[1]) {
		if (strcmp(arg, "\\0")) {
			tsb_warn(p, "multi-character tab %s", quote_text(p, arg));
			return SORT_FAILURE;
		}
		tab = 0;
	}
	if (s->tab >= 0 && s->tab != tab) {
		tsb_warn(p, "incompatible tabs");
		return SORT_FAILURE;
	}
	s->tab = tab;
	return 0;
}

/* The option as the user may have written it, for the message. */
static const char *sort_opt_name(struct tsb_proc *p, const struct tsb_opt *opt)
{
	return opt->short_name ? tsb_format(p, "-%c", opt->short_name)
			       : tsb_format(p, "--%s", opt->long_name);
}

static int sort_bad_number(struct tsb_proc *p, const struct tsb_opt *opt, const char *arg,
			   enum num_result r)
{
	const char *name = sort_opt_name(p, opt);

	if (r == NUM_RANGE)
		tsb_warn(p, "%s argument '%s' too large", name, arg);
	else if (r == NUM_SUFFIX)
		tsb_warn(p, "invalid suffix in %s argument '%s'", name, arg);
	else
		tsb_warn(p, "invalid %s argument '%s'", name, arg);
	return SORT_FAILURE;
}

static int sort_set_size(struct tsb_proc *p, void *opts, const struct tsb_opt *opt,
			 const char *arg)
{
	size_t digits = strspn(arg, "0123456789");
	enum num_result r;
	uint64_t v;

	(void)opts;
	r = *arg == '-' ? NUM_INVALID : num_suffixed(arg, "EgGkKmMPtTYZ", &v);
	if (r == NUM_SUFFIX && digits && digits < 20 &&
	    (!strcmp(arg + digits, "%") || !strcmp(arg + digits, "b")))
		r = NUM_OK;
	return r == NUM_OK ? 0 : sort_bad_number(p, opt, arg, r);
}

static int sort_set_parallel(struct tsb_proc *p, void *opts, const struct tsb_opt *opt,
			     const char *arg)
{
	uint64_t v;
	enum num_result r = *arg == '-' ? NUM_INVALID : num_suffixed(arg, "", &v);

	(void)opts;
	if (r != NUM_OK && r != NUM_RANGE)
		return sort_bad_number(p, opt, arg, r);
	if (v)
		return 0;
	tsb_warn(p, "number in parallel must be nonzero");
	return SORT_FAILURE;
}

static int sort_set_batch(struct tsb_proc *p, void *opts, const struct tsb_opt *opt,
			  const char *arg)
{
	const uint64_t most = 1021;	/* descriptors */
	struct sort *s = opts;
	uint64_t v;
	enum num_result r = *arg == '-' ? NUM_INVALID : num_suffixed(arg, "", &v);

	if (r != NUM_OK && r != NUM_RANGE)
		return sort_bad_number(p, opt, arg, r);
	if (r == NUM_OK && v < 2) {
		tsb_warn(p, "invalid --batch-size argument %s", quote_text(p, arg));
		tsb_warn(p, "minimum --batch-size argument is %s", quote_text(p, "2"));
		return SORT_FAILURE;
	}
	if (r == NUM_OK && v <= most) {
		s->batch = (size_t)v;
		return 0;
	}
	tsb_warn(p, "--batch-size argument %s too large", quote_text(p, arg));
	tsb_warn(p, "maximum --batch-size argument with current rlimit is %u", (unsigned)most);
	return SORT_FAILURE;
}

static int sort_set_once(struct tsb_proc *p, void *opts, const struct tsb_opt *opt,
			 const char *arg)
{
	struct sort *s = opts;
	const char **field = opt->value == 'c' ? &s->compress : &s->random_source;

	if (*field && strcmp(*field, arg)) {
		tsb_warn(p, "multiple %s specified", opt->value == 'c' ? "compress programs"
								       : "random sources");
		return SORT_FAILURE;
	}
	*field = arg;
	return 0;
}

const struct tsb_opt sort_opts[] = {
	TSB_OPT_CALL(sort_set_letter, 'b', 'b', "ignore-leading-blanks", NULL,
		     "ignore leading blanks"),
	TSB_OPT_CALL(sort_set_check, 'c', 'c', NULL, NULL, "check for sorted input; do not sort"),
	TSB_OPT_CALL(sort_set_check, 'C', 'C', NULL, NULL,
		     "like -c, but do not report first bad line"),
	TSB_OPT_CALL_OPT(sort_set_check, 'c', 0, "check", "WHEN",
			 "diagnose-first (-c), quiet or silent (-C)"),
	TSB_OPT_CALL(sort_set_once, 'c', 0, "compress-program", "PROG",
		     "compress temporaries with PROG (there are none)"),
	TSB_OPT_FLAG(struct sort, debug, 0, "debug",
		     "annotate the part of the line used to sort, and warn about questionable "
		     "usage to stderr"),
	TSB_OPT_CALL(sort_set_letter, 'd', 'd', "dictionary-order", NULL,
		     "consider only blanks and alphanumeric characters"),
	TSB_OPT_CALL(sort_set_letter, 'f', 'f', "ignore-case", NULL,
		     "fold lower case to upper case characters"),
	TSB_OPT_STR(struct sort, files0, 0, "files0-from", "F",
		    "read input from the files specified by NUL-terminated names in file F"),
	TSB_OPT_CALL(sort_set_letter, 'g', 'g', "general-numeric-sort", NULL,
		     "compare according to general numerical value"),
	TSB_OPT_CALL(sort_set_letter, 'i', 'i', "ignore-nonprinting", NULL,
		     "consider only printable characters"),
	TSB_OPT_CALL(sort_set_key, 'k', 'k', "key", "KEYDEF",
		     "sort via a key; KEYDEF gives location and type"),
	TSB_OPT_FLAG(struct sort, merge, 'm', "merge", "merge already sorted files; do not sort"),
	TSB_OPT_CALL(sort_set_letter, 'M', 'M', "month-sort", NULL,
		     "compare (unknown) < 'JAN' < ... < 'DEC'"),
	TSB_OPT_CALL(sort_set_letter, 'n', 'n', "numeric-sort", NULL,
		     "compare according to string numerical value"),
	TSB_OPT_CALL(sort_set_letter, 'h', 'h', "human-numeric-sort", NULL,
		     "compare human readable numbers (e.g., 2K 1G)"),
	TSB_OPT_CALL(sort_set_letter, 'V', 'V', "version-sort", NULL,
		     "natural sort of (version) numbers within text"),
	TSB_OPT_CALL(sort_set_letter, 'R', 'R', "random-sort", NULL,
		     "shuffle, but group identical keys"),
	TSB_OPT_CALL(sort_set_once, 'r', 0, "random-source", "FILE", "get random bytes from FILE"),
	TSB_OPT_CALL(sort_set_sort, 0, 0, "sort", "WORD",
		     "sort according to WORD: general-numeric -g, human-numeric -h, month -M, "
		     "numeric -n, random -R, version -V"),
	TSB_OPT_CALL(sort_set_output, 'o', 'o', "output", "FILE",
		     "write result to FILE instead of standard output"),
	TSB_OPT_CALL(sort_set_letter, 'r', 'r', "reverse", NULL,
		     "reverse the result of comparisons"),
	TSB_OPT_FLAG(struct sort, stable, 's', "stable",
		     "stabilize sort by disabling last-resort comparison"),
	TSB_OPT_CALL(sort_set_batch, 0, 0, "batch-size", "NMERGE",
		     "merge at most NMERGE inputs at once"),
	TSB_OPT_CALL(sort_set_size, 'S', 0, "buffer-size", "SIZE",
		     "use SIZE for main memory buffer (checked; memory grows as needed)"),
	TSB_OPT_CALL(sort_set_size, 'S', 'S', NULL, "SIZE", NULL),
	TSB_OPT_CALL(sort_set_tab, 't', 't', "field-separator", "SEP",
		     "use SEP instead of non-blank to blank transition"),
	TSB_OPT_STR(struct sort, temp, 'T', "temporary-directory", "DIR",
		    "use DIR for temporaries (there are none)"),
	TSB_OPT_FLAG(struct sort, unique, 'u', "unique",
		     "with -c, check for strict ordering; without -c, output only the first of an "
		     "equal run"),
	TSB_OPT_FLAG(struct sort, zero, 'z', "zero-terminated",
		     "line delimiter is NUL, not newline"),
	TSB_OPT_CALL(sort_set_parallel, 0, 0, "parallel", "N",
		     "change the number of sorts run concurrently to N (checked)"),
	{ TSB_OPTION_STR, 'y', NULL, "NUM", "", offsetof(struct sort, temp), 0, TSB_OPT_HIDDEN,
	  NULL },
	{ TSB_OPTION_CALL, 0, "+obsolete", "POS", "", 0, 0, TSB_OPT_HIDDEN, sort_set_obsolete },
	TSB_OPT_END
};

/* ---- The obsolete keys ---- */

/* Does this option take the next argument for itself? */
static bool sort_takes_next(const char *arg)
{
	static const char *const longs[] = {
		"compress-program", "files0-from", "key", "random-source", "sort", "output",
		"batch-size", "buffer-size", "field-separator", "temporary-directory", "parallel",
	};

	if (arg[1] == '-') {
		for (size_t i = 0; i < sizeof(longs) / sizeof(*longs); i++)
			if (arg[2] && !strncmp(longs[i], arg + 2, strlen(arg + 2)))
				return true;
		return false;
	}
	arg += strcspn(arg, "koStTy");
	return *arg && !arg[1];
}

/* Is it DIGITS[.DIGITS][LETTERS]? */
static bool sort_is_position(const char *s)
{
	size_t n = strspn(s, "0123456789");
	struct sort_key scratch = { 0 };

	if (!n)
		return false;
	s += n;
	if (*s == '.') {
		n = strspn(++s, "0123456789");
		if (!n)
			return false;
		s += n;
	}
	return !*sort_key_letters(&scratch, s, 0);
}

/* The arguments with +POS [-POS] as options of a name that nobody can type. */
char **sort_modern(struct tsb_proc *p, int *argc, char **argv)
{
	char **out = tsb_alloc(p, ((size_t)*argc + 1) * sizeof(*out));
	int n = 0;

	for (int i = 0; i < *argc; i++) {
		char *arg = argv[i], *next = i + 1 < *argc ? argv[i + 1] : NULL;

		if (!strcmp(arg, "--")) {
			while (i < *argc)
				out[n++] = argv[i++];
			break;
		}
		if (arg[0] == '+' && sort_is_position(arg + 1)) {
			bool end = next && next[0] == '-' && next[1] >= '0' && next[1] <= '9';

			i += end;
			out[n++] = tsb_format(p, "--+obsolete=%s%s%s", arg + 1, end ? " " : "",
					      end ? next : "");
			continue;
		}
		out[n++] = arg;
		if (!next || arg[0] != '-' || !arg[1] || !sort_takes_next(arg))
			continue;
		/* The size behind an old -y may be missing. */
		if (arg[strlen(arg) - 1] == 'y' && arg[1] != '-' &&
		    next[strspn(next, "0123456789")])
			out[n - 1] = tsb_format(p, "%s0", arg);
		else
			out[n++] = argv[++i];
	}
	*argc = n;
	return out;
}

const struct sort sort_defaults = { .tab = -1, .global = { .sword = SORT_NO_WORD,
								   .eword = SORT_NO_WORD } };
