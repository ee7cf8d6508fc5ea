/*
 * See diffutils.h.
 */
#include "cmd/diffutils.h"

#include <string.h>

#include "base/num.h"
#include "cmd/rawopt.h"
#include "cmd/util.h"

int diffutils_version(struct tsb_proc *p, void *opts, const struct tsb_opt *opt, const char *arg)
{
	(void)p;
	(void)opts;
	(void)opt;
	(void)arg;
	return DIFFUTILS_VERSION;
}

int diffutils_try(struct tsb_proc *p, const char *fmt, ...)
{
	va_list ap;

	if (fmt) {
		va_start(ap, fmt);
		tsb_vwarn(p, 0, fmt, ap);
		va_end(ap);
	}
	tsb_warn(p, "Try '%s --help' for more information.", tsb_name(p));
	return DIFF_TROUBLE;
}

static int diffutils_bad(struct tsb_proc *p, const char *text)
{
	return diffutils_try(p, "%s", text);
}

bool diffutils_parse(struct tsb_proc *p, const struct tsb_command *cmd, int argc, char **argv,
		     struct opt_parsed *out, int *status)
{
	struct tsb_command strict = *cmd;
	struct str text;

	if (tsb_getenv(p, "POSIXLY_CORRECT"))
		strict.flags |= TSB_OPERAND_ENDS;
	if (rawopt_parse_as(p, &strict, argc, argv, out, status, diffutils_bad))
		return true;
	if (out->result != OPT_STOP || *status != DIFFUTILS_VERSION)
		return false;
	str_init(&text, tsb_heap_of(p), STR_MAX_DEFAULT);
	opt_version(&text, cmd, tsb_name(p));
	tsb_put(p, text.p, text.n);
	*status = 0;
	return false;
}

/* The argument that getopt's reordering would put last. */
static const char *last_argument(struct tsb_proc *p, int n, char *const *operands, int argc,
				 char *const *argv)
{
	if (n)
		return operands[n - 1];
	return argc ? argv[argc - 1] : tsb_name(p);
}

int diffutils_operands(struct tsb_proc *p, int n, char *const *operands, int min, int max,
		       int argc, char *const *argv)
{
	if (n < min)
		return diffutils_try(p, "missing operand after '%s'",
				     last_argument(p, n, operands, argc, argv));
	if (n > max)
		return diffutils_try(p, "extra operand '%s'", operands[max]);
	return 0;
}

bool diffutils_number(const char *arg, int64_t *out)
{
	enum num_result r;

	*out = 0;
	if (!*arg)
		return true;
	arg += strspn(arg, " \t\n\v\f\r");
	r = num_i64(arg, out);
	return (r == NUM_OK || r == NUM_RANGE) && *out >= 0;
}

/* The letter of a byte's escape; 0: octal; -1: none is needed. */
static int escape_letter(char c)
{
	static const char from[] = "\a\b\t\n\v\f\r\"\\", to[] = "abtnvfr\"\\";
	const char *at = c ? strchr(from, c) : NULL;

	if (at)
		return to[at - from];
	return (unsigned char)c < ' ' || (unsigned char)c > 127 ? 0 : -1;
}

const char *diffutils_escape(struct tsb_proc *p, const char *name)
{
	bool needed = strchr(name, ' ') != NULL;
	struct str s;

	str_init(&s, tsb_heap_of(p), STR_MAX_DEFAULT);
	str_addc(&s, '"');
	for (const char *c = name; *c; c++) {
		int letter = escape_letter(*c);

		needed |= letter >= 0;
		if (letter < 0)
			str_addc(&s, *c);
		else if (letter > 0)
			str_addf(&s, "\\%c", letter);
		else
			str_addf(&s, "\\%03o", (unsigned)(unsigned char)*c);
	}
	str_addc(&s, '"');
	return needed ? str_take(&s, NULL) : name;
}

static void options_add(struct str *s, const char *word)
{
	str_addc(s, ' ');
	quote_gnu(s, QUOTE_SHELL, word, strlen(word), NULL);
}

const char *diffutils_options(struct tsb_proc *p, int argc, char *const *argv, int n_operands,
			      char *const *operands)
{
	struct str s;
	int at = 0;

	str_init(&s, tsb_heap_of(p), STR_MAX_DEFAULT);
	for (int i = 0; i < argc; i++) {
		if (at < n_operands && argv[i] == operands[at])
			at++;
		else
			options_add(&s, argv[i]);
	}
	return s.p;
}
