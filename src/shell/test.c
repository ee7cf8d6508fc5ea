/*
 * test and [: what they mean depends on the number of arguments (POSIX), and
 * beyond four on a small grammar with -a, -o, ! and parentheses. The tests of
 * files and variables are shared with [[.
 */
#include <string.h>
#include <sys/stat.h>

#include "base/num.h"
#include "kernel/kernel.h"
#include "shell/words.h"

#define NESTING_MAX 200

/* ---- What [[ uses too ---- */

static bool test_option(const struct shell *sh, const char *name)
{
	static const struct {
		const char *name;
		enum opt_id id;
	} options[] = {
#define SET_OPTION(id, name, letter, def) { name, OPT_##id },
#define SHOPT_OPTION(id, name, def)
#include "shell/options.def"
#undef SET_OPTION
#undef SHOPT_OPTION
	};

	for (size_t i = 0; i < sizeof(options) / sizeof(options[0]); i++)
		if (!strcmp(options[i].name, name))
			return sh->opts[options[i].id];
	return false;
}

static bool test_variable(struct shell *sh, const char *text)
{
	size_t n = strlen(text);
	struct value v;
	struct slice base;
	struct sub sub;
	bool digits = n > 0;

	for (size_t i = 0; i < n; i++)
		digits = digits && text[i] >= '0' && text[i] <= '9';
	if (!digits && !name_split(text, n, &base, &sub))
		return false;
	if (!digits && (sub.kind == SUBSCRIPT_AT || sub.kind == SUBSCRIPT_STAR)) {
		struct var *var = var_find_text(sh, base.p, base.n);

		if (var && (var->flags & VAR_ASSOC))	/* there it is a key */
			return assoc_get(var->assoc, sub.text.p, sub.text.n, &base);
	}
	if (!digits && sub.kind == SUBSCRIPT_NONE) {
		struct name name = name_of(base.p, base.n);

		if (var_target(sh, &name).sub.kind != SUBSCRIPT_NONE)
			return false;	/* a reference to an element is not looked through */
	}
	return param_by_text(sh, text, n, &v) == FLOW_NEXT && v.set;
}

static bool test_nameref(struct shell *sh, const char *name)
{
	struct var *v = var_find_text(sh, name, strlen(name));

	return v && (v->flags & VAR_NAMEREF) && (v->flags & VAR_SET);
}

/* As bash's legal_number(): white space in front, blanks behind. */
static bool test_integer(const char *s, int64_t *value)
{
	char buf[64];
	size_t n;

	s += strspn(s, " \t\n\r\v\f");
	n = strlen(s);
	while (n && (s[n - 1] == ' ' || s[n - 1] == '\t'))
		n--;
	if (n >= sizeof(buf))
		return false;
	memcpy(buf, s, n);
	buf[n] = '\0';
	return num_i64(buf, value) == NUM_OK;
}

static bool test_terminal(struct shell *sh, const char *arg)
{
	int64_t fd;

	return test_integer(arg, &fd) && fd >= 0 && fd < INT32_MAX && tsb_isatty(sh->p, (int)fd);
}

static bool test_newer(struct tsb_time a, struct tsb_time b)
{
	return a.sec != b.sec ? a.sec > b.sec : a.nsec > b.nsec;
}

/* By the bits of its mode, or what else stat tells. */
static bool test_stat(struct shell *sh, char op, const struct tsb_stat *st)
{
	switch (op) {
	case 'b':
		return S_ISBLK(st->mode);
	case 'c':
		return S_ISCHR(st->mode);
	case 'd':
		return S_ISDIR(st->mode);
	case 'f':
		return S_ISREG(st->mode);
	case 'p':
		return S_ISFIFO(st->mode);
	case 'S':
		return S_ISSOCK(st->mode);
	case 'g':
		return st->mode & S_ISGID;
	case 'k':
		return st->mode & S_ISVTX;
	case 'u':
		return st->mode & S_ISUID;
	case 's':
		return st->size > 0;
	case 'O':
		return st->uid == tsb_getuid(sh->p);
	case 'G':
		return st->gid == tsb_getgid(sh->p);
	case 'N':
		return test_newer(st->mtime, st->atime);
	default:
		return true;	/* -a -e */
	}
}

bool test_unary(struct shell *sh, char op, const char *arg)
{
	struct tsb_stat st;

	switch (op) {
	case 'n':
		return *arg;
	case 'z':
		return !*arg;
	case 'o':
		return test_option(sh, arg);
	case 'v':
		return test_variable(sh, arg);
	case 'R':
		return test_nameref(sh, arg);
	case 't':
		return test_terminal(sh, arg);
	case 'r':
		return tsb_access(sh->p, arg, TSB_R_OK) == 0;
	case 'w':
		return tsb_access(sh->p, arg, TSB_W_OK) == 0;
	case 'x':
		return tsb_access(sh->p, arg, TSB_X_OK) == 0;
	case 'h':
	case 'L':
		return tsb_lstat(sh->p, arg, &st) == 0 && S_ISLNK(st.mode);
	default:
		return tsb_stat(sh->p, arg, &st) == 0 && test_stat(sh, op, &st);
	}
}

bool test_files(struct shell *sh, const char *op, const char *a, const char *b)
{
	struct tsb_stat x, y;
	bool has_x = tsb_stat(sh->p, a, &x) == 0, has_y = tsb_stat(sh->p, b, &y) == 0;

	if (op[1] == 'e')
		return has_x && has_y && x.dev == y.dev && x.ino == y.ino;
	if (op[1] == 'n')
		return has_x && (!has_y || test_newer(x.mtime, y.mtime));
	return has_y && (!has_x || test_newer(y.mtime, x.mtime));
}

/* ---- The grammar ---- */

struct test {
	struct shell *sh;
	char **argv;
	int argc, pos;
	bool bracket;		/* it is "[" */
	bool error;
	int depth;
};

static bool test_or(struct test *t);

static bool test_error(struct test *t, const char *arg, const char *message)
{
	if (t->error)
		return false;
	t->error = true;
	if (arg)
		builtin_error(t->sh, "%s: %s", arg, message);
	else
		builtin_error(t->sh, "%s", message);
	return false;
}

static bool is_one(const char *s, char c)
{
	return s[0] == c && s[1] == '\0';
}

static bool is_unary(const char *s)
{
	return s[0] == '-' && s[1] && !s[2] && strchr("abcdefghknoprstuvwxzGLNORS", s[1]);
}

static bool is_binary(const char *s)
{
	static const char *const ops[] = { "=", "==", "!=", "<", ">", "-eq", "-ne", "-lt", "-le",
		"-gt", "-ge", "-nt", "-ot", "-ef" };

	for (size_t i = 0; i < sizeof(ops) / sizeof(ops[0]); i++)
		if (!strcmp(s, ops[i]))
			return true;
	return false;
}

static bool test_number(struct test *t, const char *s, int64_t *value)
{
	return test_integer(s, value) || test_error(t, s, "integer expression expected");
}

static bool test_compare(struct test *t, const char *op, const char *left, const char *right)
{
	int64_t a, b;

	if (!test_number(t, left, &a) || !test_number(t, right, &b))
		return false;
	switch (op[1] << 8 | op[2]) {
	case 'e' << 8 | 'q':
		return a == b;
	case 'n' << 8 | 'e':
		return a != b;
	case 'l' << 8 | 't':
		return a < b;
	case 'l' << 8 | 'e':
		return a <= b;
	case 'g' << 8 | 't':
		return a > b;
	default:
		return a >= b;
	}
}

/* argv[pos] op argv[pos + 2]. */
static bool test_binary(struct test *t)
{
	const char *a = t->argv[t->pos], *op = t->argv[t->pos + 1], *b = t->argv[t->pos + 2];

	t->pos += 3;
	if (op[0] == '=')
		return !strcmp(a, b);
	if (op[0] == '!')
		return strcmp(a, b);
	if (op[0] == '<' || op[0] == '>')
		return op[0] == '<' ? strcmp(a, b) < 0 : strcmp(a, b) > 0;
	if (!strcmp(op, "-nt") || !strcmp(op, "-ot") || !strcmp(op, "-ef"))
		return test_files(t->sh, op, a, b);
	return test_compare(t, op, a, b);
}

static bool test_one(struct test *t)
{
	return t->argv[t->pos++][0];
}

/* op argv[pos + 1]; -t may stand alone. */
static bool test_operator(struct test *t)
{
	const char *op = t->argv[t->pos++];
	int64_t fd;

	if (op[1] == 't' && t->pos >= t->argc)
		return test_terminal(t->sh, "1");
	if (op[1] == 't' && !test_integer(t->argv[t->pos], &fd))
		return false;
	if (t->pos >= t->argc)
		return test_error(t, NULL, "argument expected");
	return test_unary(t->sh, op[1], t->argv[t->pos++]);
}

static bool test_two(struct test *t)
{
	const char *a = t->argv[t->pos];

	if (is_one(a, '!')) {
		t->pos += 2;
		return !t->argv[t->pos - 1][0];
	}
	if (is_unary(a))
		return test_operator(t);
	return test_error(t, a, "unary operator expected");
}

static bool test_three(struct test *t)
{
	const char *a = t->argv[t->pos], *op = t->argv[t->pos + 1], *b = t->argv[t->pos + 2];

	if (is_binary(op))
		return test_binary(t);
	if (!strcmp(op, "-a") || !strcmp(op, "-o")) {
		t->pos += 3;
		return op[1] == 'a' ? *a && *b : *a || *b;
	}
	if (is_one(a, '!')) {
		t->pos++;
		return !test_two(t);
	}
	if (a[0] == '(' && b[0] == ')') {	/* bash looks no further */
		t->pos += 3;
		return *op;
	}
	return test_error(t, op, "binary operator expected");
}

static bool test_group(struct test *t)
{
	bool value;

	t->pos++;
	if (++t->depth > NESTING_MAX)
		return test_error(t, NULL, "expression nested too deeply");
	value = test_or(t);
	t->depth--;
	if (t->error)
		return false;
	if (t->pos >= t->argc && !t->bracket)
		return test_error(t, NULL, "`)' expected");
	if (t->pos >= t->argc || !is_one(t->argv[t->pos], ')')) {
		builtin_error(t->sh, "`)' expected, found %s",
			      t->pos >= t->argc ? "]" : t->argv[t->pos]);
		t->error = true;
		return false;
	}
	t->pos++;
	return value;
}

static bool test_term(struct test *t)
{
	bool negate = false, value;

	while (t->pos < t->argc && is_one(t->argv[t->pos], '!')) {
		negate = !negate;
		t->pos++;
	}
	if (t->pos >= t->argc)
		return test_error(t, NULL, "argument expected");
	if (is_one(t->argv[t->pos], '('))
		value = test_group(t);
	else if (t->pos + 3 <= t->argc && is_binary(t->argv[t->pos + 1]))
		value = test_binary(t);
	else if (t->pos + 2 <= t->argc && is_unary(t->argv[t->pos]))
		value = test_operator(t);
	else
		value = test_one(t);
	return negate ? !value : value;
}

static bool test_and(struct test *t)
{
	bool value = test_term(t), right;

	while (!t->error && t->pos < t->argc && !strcmp(t->argv[t->pos], "-a")) {
		t->pos++;
		proc_tick(t->sh->p, 1);
		right = test_term(t);
		value = value && right;
	}
	return value;
}

static bool test_or(struct test *t)
{
	bool value = test_and(t), right;

	while (!t->error && t->pos < t->argc && !strcmp(t->argv[t->pos], "-o")) {
		t->pos++;
		proc_tick(t->sh->p, 1);
		right = test_and(t);
		value = value || right;
	}
	return value;
}

static bool test_by_count(struct test *t)
{
	bool value;

	switch (t->argc) {
	case 0:
		return false;
	case 1:
		return test_one(t);
	case 2:
		value = test_two(t);
		break;
	case 3:
		value = test_three(t);
		break;
	case 4:
		if (is_one(t->argv[0], '!')) {
			t->pos++;
			value = !test_three(t);
			break;
		}
		if (is_one(t->argv[0], '(') && is_one(t->argv[3], ')')) {
			t->pos++;
			value = test_two(t);
			break;
		}
		/* fall through */
	default:
		return test_or(t);
	}
	t->pos = t->argc;
	return value;
}

int test_eval(struct shell *sh, const char *name, int argc, char **argv)
{
	struct test t = { .sh = sh, .argv = argv, .argc = argc, .bracket = is_one(name, '[') };
	bool value = test_by_count(&t);

	if (!t.error && t.pos < t.argc) {
		if (t.argv[t.pos][0] == '-') {
			builtin_error(sh, "syntax error: `%s' unexpected", t.argv[t.pos]);
			t.error = true;
		} else {
			test_error(&t, NULL, "too many arguments");
		}
	}
	return t.error ? 2 : value ? 0 : 1;
}
