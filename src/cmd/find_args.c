/*
 * Reading the arguments of find's tests, with the messages about bad ones.
 */
#include "cmd/find.h"

#include <limits.h>
#include <string.h>
#include <sys/stat.h>

#include "cmd/accounts.h"
#include "cmd/mode.h"
#include "cmd/util.h"
#include "text/pattern.h"

/* ---- Numbers ---- */

enum find_cmp find_sign(const char **s)
{
	if (**s == '+' || **s == '-')
		return *(*s)++ == '+' ? FIND_MORE : FIND_LESS;
	return FIND_EQUAL;
}

/* Decimal digits, a sign of their own may come first: false if it is not all. */
static bool args_digits(const char *s, size_t n, uint64_t *value)
{
	uint64_t v = 0;

	if (n && *s == '+') {
		s++;
		n--;
	}
	if (!n)
		return false;
	for (size_t i = 0; i < n; i++) {
		if (s[i] < '0' || s[i] > '9' || __builtin_mul_overflow(v, 10, &v) ||
		    __builtin_add_overflow(v, (uint64_t)(s[i] - '0'), &v))
			return false;
	}
	*value = v;
	return true;
}

bool find_number(const char *s, struct find_num *num)
{
	num->cmp = find_sign(&s);
	return args_digits(s, strlen(s), &num->n);
}

bool find_read_num(struct find *f, int which)
{
	static find_eval *const tests[] = {
		find_is_num_uid, find_is_num_gid, find_is_num_links, find_is_num_inum,
	};
	const char *arg = find_arg(f);
	struct find_num num;

	if (!arg)
		find_die(f, "invalid argument `%s' to `%s'", f->predicate, f->predicate);
	if (!find_number(arg, &num)) {
		f->at--;
		return false;
	}
	find_add(f, tests[which])->u.num = num;
	return true;
}

bool find_read_size(struct find *f, int value)
{
	static const struct { char letter; uint64_t unit; } units[] = {
		{ 'b', 512 }, { 'c', 1 }, { 'w', 2 }, { 'k', 1024 }, { 'M', 1 << 20 },
		{ 'G', 1 << 30 },
	};
	const char *arg = find_arg(f), *s = arg;
	struct find_num num;
	uint64_t unit = 512;
	struct find_pred *a;
	size_t n, i;
	char last;

	(void)value;
	if (!arg)
		return false;
	n = strlen(arg);
	if (!n)
		find_die(f, "invalid null argument to -size");
	last = arg[n - 1];
	if (last < '0' || last > '9') {
		for (i = 0; i < 6 && units[i].letter != last; i++)
			;
		if (i == 6)
			find_die(f, "invalid -size type `%c'", last);
		unit = units[i].unit;
		n--;
	}
	num.cmp = find_sign(&s);
	if (n < (size_t)(s - arg) || !args_digits(s, n - (size_t)(s - arg), &num.n))
		find_die(f, "Invalid argument `%s' to -size", arg);
	a = find_add(f, find_is_size);
	a->u.size.num = num;
	a->u.size.unit = unit;
	return true;
}

/* ---- Types ---- */

static void args_type_letter(struct find *f, char letter, unsigned *types)
{
	static const struct { char letter; uint32_t mode; } known[] = {
		{ 'b', S_IFBLK }, { 'c', S_IFCHR }, { 'd', S_IFDIR }, { 'f', S_IFREG },
		{ 'l', S_IFLNK }, { 'p', S_IFIFO }, { 's', S_IFSOCK },
	};
	size_t i = 0;
	unsigned bit;

	if (letter == 'D')
		find_die(f, "%s %c is not supported because Solaris doors are not supported on the "
			 "platform find was compiled on.", f->predicate, letter);
	while (i < 7 && known[i].letter != letter)
		i++;
	if (i == 7)
		find_die(f, "Unknown argument to %s: %c", f->predicate, letter);
	bit = find_type_bit(known[i].mode);
	if (*types & bit)
		find_die(f, "Duplicate file type '%c' in the argument list to %s.", letter,
			 f->predicate);
	*types |= bit;
}

bool find_read_type(struct find *f, int is_xtype)
{
	const char *s = find_arg(f);
	unsigned types = 0;

	if (!s)
		return false;
	if (!*s)
		find_die(f, "Arguments to %s should contain at least one letter", f->predicate);
	while (true) {
		args_type_letter(f, *s++, &types);
		if (!*s)
			break;
		if (*s != ',')
			find_die(f, "Must separate multiple arguments to %s using: ','",
				 f->predicate);
		if (!*++s)
			find_die(f, "Last file type in list argument to %s is missing, i.e., list is "
				 "ending on: ','", f->predicate);
	}
	find_add(f, is_xtype ? find_is_xtype : find_is_type)->u.types = types;
	return true;
}

/* ---- Modes and owners ---- */

bool find_read_perm(struct find *f, int value)
{
	const char *arg = find_arg(f), *s = arg;
	struct mode_change *change;
	struct find_pred *a;
	int kind = 'e';
	bool octal;

	(void)value;
	if (!arg)
		return false;
	if (*s == '-' || *s == '/')
		kind = *s++;
	/* A + before digits meant what / means now, so it is refused. */
	octal = kind == 'e' && s[0] == '+' && s[1] >= '0' && s[1] <= '7';
	change = octal ? NULL : mode_compile(f->p, s);
	if (!change)
		find_die(f, "invalid mode %s", quote_text(f->p, arg));
	a = find_add(f, find_is_perm);
	for (int is_dir = 0; is_dir < 2; is_dir++)
		a->u.perm.bits[is_dir] = mode_apply(change, 0, is_dir, 0, NULL);
	if (kind == '/' && !a->u.perm.bits[0] && !a->u.perm.bits[1]) {
		tsb_warn(f->p, "warning: you have specified a mode pattern %s (which is equivalent "
			 "to /000). The meaning of -perm /000 has now been changed to be consistent "
			 "with -perm -000; that is, while it used to match no files, it now matches "
			 "all files.", arg);
		kind = '-';
	}
	a->u.perm.kind = kind;
	return true;
}

static bool args_owner(struct find *f, bool is_user, find_eval *eval)
{
	const char *arg = find_arg(f);
	uint32_t uid = 0, gid = 0;
	uint64_t id = 0;
	bool known;

	if (!arg)
		return false;
	if (!*arg && is_user)
		find_die(f, "The argument to -user should not be empty");
	known = args_digits(arg, strlen(arg), &id) && *arg != '+' && id <= UINT32_MAX;
	if (!known && is_user && accounts_user(f->p, arg, &uid, &gid)) {
		id = uid;
		known = true;
	} else if (!known && !is_user && accounts_group(f->p, arg, &gid)) {
		id = gid;
		known = true;
	}
	if (!known && !is_user && !*arg)
		find_die(f, "argument to -group is empty, but should be a group name");
	if (!known)
		find_die(f, "%s is not the name of %s", quote_text(f->p, arg),
			 is_user ? "a known user" : "an existing group");
	find_add(f, eval)->u.num = (struct find_num){ FIND_EQUAL, id };
	return true;
}

bool find_read_user(struct find *f, int value)
{
	(void)value;
	return args_owner(f, true, find_is_num_uid);
}

bool find_read_group(struct find *f, int value)
{
	(void)value;
	return args_owner(f, false, find_is_num_gid);
}

bool find_read_samefile(struct find *f, int value)
{
	const char *arg = find_arg(f);
	struct tsb_stat st;
	struct find_pred *a;
	int err;

	(void)value;
	if (!arg)
		return false;
	err = find_stat_named(f, arg, &st);
	if (err) {
		find_file_error(f, err, arg);
		tsb_exit(f->p, 1);
	}
	a = find_add(f, find_is_samefile);
	a->u.file.dev = st.dev;
	a->u.file.ino = st.ino;
	return true;
}

bool find_read_fstype(struct find *f, int value)
{
	const char *arg = find_arg(f);

	(void)value;
	if (arg)
		find_add(f, find_is_fstype)->u.text = arg;
	return arg != NULL;
}

/* ---- Patterns ---- */

static bool args_pattern(struct find *f, const char *arg, int icase, find_eval *eval)
{
	unsigned flags = icase ? PATTERN_ICASE : 0;

	if (arg)
		find_add(f, eval)->u.pattern = pattern_compile(tsb_heap_of(f->p), arg, strlen(arg),
							       flags);
	return arg != NULL;
}

bool find_read_name(struct find *f, int icase)
{
	const char *arg = find_arg(f);

	if (arg && f->warn && strchr(arg, '/') )
		tsb_warn(f->p, "warning: %s matches against basenames only, but the given pattern "
			 "contains a directory separator (%s), thus the expression will evaluate to "
			 "false all the time.  Did you mean %s?", quote_text(f->p, f->predicate),
			 quote_text(f->p, "/"),
			 quote_text(f->p, icase ? "-iwholename" : "-wholename"));
	return args_pattern(f, arg, icase, find_is_name);
}

bool find_read_path(struct find *f, int icase)
{
	const char *arg = find_arg(f);
	size_t n = arg ? strlen(arg) : 0;

	if (n > 1 && f->warn && arg[n - 1] == '/')
		tsb_warn(f->p, "warning: %s %s will not match anything because it ends with /.",
			 f->predicate, arg);
	return args_pattern(f, arg, icase, find_is_path);
}

bool find_read_lname(struct find *f, int icase)
{
	return args_pattern(f, find_arg(f), icase, find_is_lname);
}
