/*
 * test and [ - the programs, not the shell's builtins. Up to four arguments
 * mean what POSIX says by their number; more are read by a small grammar of !,
 * -a, -o and parentheses. Numbers are compared as texts, so they may be of any
 * length.
 */
#include "cmd/cmd.h"

#include <string.h>
#include <sys/stat.h>

#include "base/opt.h"
#include "cmd/util.h"

enum { TEST_FALSE = 1, TEST_ERROR = 2, TEST_DEPTH = 1000 };

struct test {
	struct tsb_proc *p;
	char **argv;
	int argc, pos, depth;
};

static void test_bad(struct test *t, const char *fmt, ...) TSB_PRINTF(2, 3) TSB_NORETURN;
static void test_bad(struct test *t, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	tsb_vwarn(t->p, 0, fmt, ap);
	va_end(ap);
	tsb_exit(t->p, TEST_ERROR);
}

static void test_beyond(struct test *t) TSB_NORETURN;
static void test_beyond(struct test *t)
{
	test_bad(t, "missing argument after %s", quote_text(t->p, t->argv[t->argc - 1]));
}

/* The argument that is read now; there must be one. */
static const char *test_take(struct test *t)
{
	if (t->pos >= t->argc)
		test_beyond(t);
	return t->argv[t->pos++];
}

static bool is(const char *s, const char *word)
{
	return !strcmp(s, word);
}

/* ---- Numbers ---- */

struct number {
	bool negative;
	const char *digits;	/* without zeros in front */
	size_t n;
};

static struct number test_number(struct test *t, const char *s)
{
	const char *p = s + strspn(s, " \t\n\v\f\r"), *end;
	struct number v = { *p == '-', NULL, 0 };

	p += *p == '-' || *p == '+';
	end = p + strspn(p, "0123456789");
	if (end == p || end[strspn(end, " \t\n\v\f\r")])
		test_bad(t, "invalid integer %s", quote_text(t->p, s));
	p += strspn(p, "0");
	v.digits = p < end ? p : end;
	v.n = (size_t)(end - v.digits);
	v.negative &= v.n > 0;
	return v;
}

static struct number test_length(struct test *t, const char *s)
{
	return test_number(t, tsb_format(t->p, "%zu", strlen(s)));
}

static int number_cmp(struct number a, struct number b)
{
	int sign = a.negative ? -1 : 1, c;

	if (a.negative != b.negative)
		return sign;
	if (a.n != b.n)
		return a.n < b.n ? -sign : sign;
	c = memcmp(a.digits, b.digits, a.n);
	return c < 0 ? -sign : c > 0 ? sign : 0;
}

/* ---- Two operands ---- */

static bool test_is_binary(const char *s)
{
	static const char *const words[] = {
		"=", "!=", "==", "-nt", "-ot", "-ef", "-eq", "-ne", "-lt", "-le", "-gt", "-ge"
	};

	for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++)
		if (is(s, words[i]))
			return true;
	return false;
}

/* A file that is not there is older than any. */
static bool test_files(struct test *t, const char *a, const char *op, const char *b)
{
	struct tsb_stat x, y;
	bool has_x = tsb_stat(t->p, a, &x) >= 0, has_y = tsb_stat(t->p, b, &y) >= 0;
	int c;

	if (is(op, "-ef"))
		return has_x && has_y && util_same_file(&x, &y);
	c = has_x && has_y ? util_time_cmp(x.mtime, y.mtime) : has_x - has_y;
	return is(op, "-nt") ? c > 0 : c < 0;
}

static bool test_compare(const char *op, int c)
{
	switch (op[1] << 8 | op[2]) {
	case 'e' << 8 | 'q': return c == 0;
	case 'n' << 8 | 'e': return c != 0;
	case 'l' << 8 | 't': return c < 0;
	case 'l' << 8 | 'e': return c <= 0;
	case 'g' << 8 | 't': return c > 0;
	default: return c >= 0;
	}
}

/* A op B; each may be -l TEXT in a comparison of numbers. */
static bool test_binary(struct test *t, bool left_length)
{
	const char *a, *op, *b;
	struct number x, y;
	bool right_length;

	t->pos += left_length;
	a = test_take(t);
	op = test_take(t);
	right_length = t->pos + 1 < t->argc && is(t->argv[t->pos], "-l");
	t->pos += right_length;
	b = test_take(t);
	/* What -l does to texts is GNU's slip: the operator is compared. */
	if (*op != '-')
		return is(right_length ? op : a, b) == (*op == '=');
	if (is(op, "-nt") || is(op, "-ot") || is(op, "-ef")) {
		if (left_length || right_length)
			test_bad(t, "%s does not accept -l", op);
		return test_files(t, a, op, b);
	}
	x = left_length ? test_length(t, a) : test_number(t, a);
	y = right_length ? test_length(t, b) : test_number(t, b);
	return test_compare(op, number_cmp(x, y));
}

/* ---- One operand ---- */

static bool test_terminal(struct test *t, const char *text)
{
	struct number n = test_number(t, text);
	int fd = 0;

	if (n.negative || n.n > 6)
		return false;
	for (size_t i = 0; i < n.n; i++)
		fd = fd * 10 + (n.digits[i] - '0');
	return tsb_isatty(t->p, fd);
}

static bool test_mode(struct test *t, const char *name, uint32_t mask, uint32_t want)
{
	struct tsb_stat st;

	return tsb_stat(t->p, name, &st) >= 0 && (st.mode & mask) == want;
}

static bool test_state(struct test *t, int op, const char *name)
{
	struct tsb_stat st;

	if (tsb_stat(t->p, name, &st) < 0)
		return false;
	switch (op) {
	case 'e': return true;
	case 's': return st.size > 0;
	case 'N': return util_time_cmp(st.mtime, st.atime) > 0;
	case 'O': return st.uid == tsb_getuid(t->p);
	default: return st.gid == tsb_getgid(t->p);
	}
}

static bool test_link(struct test *t, const char *name)
{
	struct tsb_stat st;

	return tsb_lstat(t->p, name, &st) >= 0 && S_ISLNK(st.mode);
}

static bool test_unary(struct test *t)
{
	const char *op = test_take(t), *arg;

	if (!op[1] || !strchr("efrwxNOGdscbpShLugktnz", op[1]))
		test_bad(t, "%s: unary operator expected", quote_text(t->p, op));
	arg = test_take(t);
	switch (op[1]) {
	case 'n': return *arg;
	case 'z': return !*arg;
	case 't': return test_terminal(t, arg);
	case 'r': return tsb_access(t->p, arg, TSB_R_OK) >= 0;
	case 'w': return tsb_access(t->p, arg, TSB_W_OK) >= 0;
	case 'x': return tsb_access(t->p, arg, TSB_X_OK) >= 0;
	case 'f': return test_mode(t, arg, S_IFMT, S_IFREG);
	case 'd': return test_mode(t, arg, S_IFMT, S_IFDIR);
	case 'c': return test_mode(t, arg, S_IFMT, S_IFCHR);
	case 'b': return test_mode(t, arg, S_IFMT, S_IFBLK);
	case 'p': return test_mode(t, arg, S_IFMT, S_IFIFO);
	case 'S': return test_mode(t, arg, S_IFMT, S_IFSOCK);
	case 'u': return test_mode(t, arg, S_ISUID, S_ISUID);
	case 'g': return test_mode(t, arg, S_ISGID, S_ISGID);
	case 'k': return test_mode(t, arg, S_ISVTX, S_ISVTX);
	case 'h': case 'L': return test_link(t, arg);
	default: return test_state(t, op[1], arg);
	}
}

static bool test_is_switch(const char *s)
{
	return s[0] == '-' && s[1] && !s[2];
}

/* ---- Expressions ---- */

static bool test_any(struct test *t, int n);

static void test_close(struct test *t)
{
	if (t->pos >= t->argc)
		test_bad(t, "%s expected", quote_text(t->p, ")"));
	if (!is(t->argv[t->pos], ")"))
		test_bad(t, "%s expected, found %s", quote_text(t->p, ")"),
			 quote_text(t->p, t->argv[t->pos]));
	t->pos++;
}

/* Behind "(": what is in them is read by its number of arguments, too. */
static bool test_parenthesis(struct test *t)
{
	int left = t->argc - t->pos, n = 1;
	bool value;

	if (left <= 0)
		test_beyond(t);
	if (++t->depth > TEST_DEPTH)
		test_bad(t, "too many parentheses");
	while (n < left && !is(t->argv[t->pos + n], ")") && n < 4)
		n++;
	value = test_any(t, n == 4 ? left : n);
	test_close(t);
	t->depth--;
	return value;
}

static bool test_term(struct test *t)
{
	bool negated = false, value;
	int left;

	for (; t->pos < t->argc && is(t->argv[t->pos], "!"); t->pos++) {
		negated = !negated;
		if (t->pos + 1 >= t->argc)
			test_beyond(t);
	}
	left = t->argc - t->pos;
	if (left <= 0)
		test_beyond(t);
	if (is(t->argv[t->pos], "(")) {
		t->pos++;
		value = test_parenthesis(t);
	} else if (left >= 4 && is(t->argv[t->pos], "-l") && test_is_binary(t->argv[t->pos + 2])) {
		value = test_binary(t, true);
	} else if (left >= 3 && test_is_binary(t->argv[t->pos + 1])) {
		value = test_binary(t, false);
	} else if (test_is_switch(t->argv[t->pos])) {
		value = test_unary(t);
	} else {
		value = *test_take(t);
	}
	return value != negated;
}

static bool test_and(struct test *t)
{
	bool value = test_term(t);

	while (t->pos < t->argc && is(t->argv[t->pos], "-a")) {
		t->pos++;
		value &= test_term(t);
	}
	return value;
}

static bool test_or(struct test *t)
{
	bool value = test_and(t);

	while (t->pos < t->argc && is(t->argv[t->pos], "-o")) {
		t->pos++;
		value |= test_and(t);
	}
	return value;
}

static bool test_two(struct test *t)
{
	const char *first = t->argv[t->pos];

	if (is(first, "!")) {
		t->pos++;
		return !*test_take(t);
	}
	if (test_is_switch(first))
		return test_unary(t);
	test_beyond(t);
}

static bool test_three(struct test *t)
{
	const char *const a = t->argv[t->pos], *const b = t->argv[t->pos + 1];

	if (test_is_binary(b))
		return test_binary(t, false);
	if (is(a, "!")) {
		t->pos++;
		return !test_two(t);
	}
	if (is(a, "(") && is(t->argv[t->pos + 2], ")")) {
		t->pos += 3;
		return *b;
	}
	if (is(b, "-a") || is(b, "-o"))
		return test_or(t);
	test_bad(t, "%s: binary operator expected", quote_text(t->p, b));
}

static bool test_four(struct test *t)
{
	bool value;

	if (is(t->argv[t->pos], "!")) {
		t->pos++;
		return !test_three(t);
	}
	if (!is(t->argv[t->pos], "(") || !is(t->argv[t->pos + 3], ")"))
		return test_or(t);
	t->pos++;
	value = test_two(t);
	t->pos++;
	return value;
}

/* By the number of arguments that are meant. */
static bool test_any(struct test *t, int n)
{
	switch (n) {
	case 1: return *test_take(t);
	case 2: return test_two(t);
	case 3: return test_three(t);
	case 4: return test_four(t);
	default: return test_or(t);
	}
}

/* ---- The commands ---- */

static int test_main(struct tsb_proc *p, int argc, char **argv)
{
	struct test t = { p, argv, argc, 0, 0 };
	bool value;

	if (!argc)
		return TEST_FALSE;
	value = test_any(&t, argc);
	if (t.pos != argc)
		test_bad(&t, "extra argument %s", quote_text(p, argv[t.pos]));
	return value ? 0 : TEST_FALSE;
}

static int test_run(struct tsb_proc *p, void *opts, int argc, char **argv)
{
	(void)opts;
	return test_main(p, argc, argv);
}

static int bracket_run(struct tsb_proc *p, void *opts, int argc, char **argv)
{
	struct str text;

	(void)opts;
	str_init(&text, tsb_heap_of(p), STR_MAX_DEFAULT);
	if (argc == 1 && is(argv[0], "--help"))
		opt_help(&text, &cmd_bracket, tsb_name(p));
	else if (argc == 1 && is(argv[0], "--version"))
		opt_version(&text, &cmd_bracket, tsb_name(p));
	tsb_put(p, text.p, text.n);
	if (text.n)
		return 0;
	if (!argc || !is(argv[argc - 1], "]")) {
		tsb_warn(p, "missing %s", quote_text(p, "]"));
		return TEST_ERROR;
	}
	return test_main(p, argc - 1, argv);
}

/* As the readers above know them: for --help only. */
static const struct tsb_opt test_words[] = {
	TSB_OPT_WORD("( EXPRESSION )", NULL, "EXPRESSION is true"),
	TSB_OPT_WORD("!", "EXPRESSION", "EXPRESSION is false"),
	TSB_OPT_WORD("-a", "EXPRESSION", "and: between two expressions"),
	TSB_OPT_WORD("-o", "EXPRESSION", "or: between two expressions"),
	TSB_OPT_WORD("-n", "STRING", "the length of STRING is nonzero (as STRING alone)"),
	TSB_OPT_WORD("-z", "STRING", "the length of STRING is zero"),
	TSB_OPT_WORD("=", "STRING", "both strings are equal"),
	TSB_OPT_WORD("==", "STRING", NULL),
	TSB_OPT_WORD("!=", "STRING", "the strings are not equal"),
	TSB_OPT_WORD("-eq", "INTEGER", "both integers (or -l STRING: a length) are equal"),
	TSB_OPT_WORD("-ne", "INTEGER", "they are not equal"),
	TSB_OPT_WORD("-ge", "INTEGER", "the first is greater or equal"),
	TSB_OPT_WORD("-gt", "INTEGER", "the first is greater"),
	TSB_OPT_WORD("-le", "INTEGER", "the first is less or equal"),
	TSB_OPT_WORD("-lt", "INTEGER", "the first is less"),
	TSB_OPT_WORD("-ef", "FILE", "both files have the same device and inode"),
	TSB_OPT_WORD("-nt", "FILE", "the first file is newer (modified later)"),
	TSB_OPT_WORD("-ot", "FILE", "the first file is older"),
	TSB_OPT_WORD("-b", "FILE", "FILE is a block special file"),
	TSB_OPT_WORD("-c", "FILE", "FILE is a character special file"),
	TSB_OPT_WORD("-d", "FILE", "FILE is a directory"),
	TSB_OPT_WORD("-e", "FILE", "FILE exists"),
	TSB_OPT_WORD("-f", "FILE", "FILE is a regular file"),
	TSB_OPT_WORD("-g", "FILE", "FILE has its set-group-ID bit"),
	TSB_OPT_WORD("-G", "FILE", "FILE is owned by the effective group"),
	TSB_OPT_WORD("-h", "FILE", "FILE is a symbolic link"),
	TSB_OPT_WORD("-L", "FILE", NULL),
	TSB_OPT_WORD("-k", "FILE", "FILE has its sticky bit"),
	TSB_OPT_WORD("-N", "FILE", "FILE was modified since it was last read"),
	TSB_OPT_WORD("-O", "FILE", "FILE is owned by the effective user"),
	TSB_OPT_WORD("-p", "FILE", "FILE is a named pipe"),
	TSB_OPT_WORD("-r", "FILE", "FILE can be read"),
	TSB_OPT_WORD("-s", "FILE", "FILE is not empty"),
	TSB_OPT_WORD("-S", "FILE", "FILE is a socket"),
	TSB_OPT_WORD("-t", "FD", "descriptor FD is a terminal"),
	TSB_OPT_WORD("-u", "FILE", "FILE has its set-user-ID bit"),
	TSB_OPT_WORD("-w", "FILE", "FILE can be written"),
	TSB_OPT_WORD("-x", "FILE", "FILE can be executed, or searched"),
	TSB_OPT_END
};

const struct tsb_command cmd_test = {
	CMD_COREUTILS, .name = "test", .synopsis = "EXPRESSION\n",
	.summary = "Exit with the status determined by EXPRESSION.",
	.opts = test_words, .run = test_run, .flags = TSB_RAW, .usage_status = TEST_ERROR,
};

const struct tsb_command cmd_bracket = {
	CMD_COREUTILS, .name = "[", .synopsis = "EXPRESSION ]\n]\nOPTION",
	.summary = "Exit with the status determined by EXPRESSION.",
	.opts = test_words, .run = bracket_run, .flags = TSB_RAW, .usage_status = TEST_ERROR,
};
