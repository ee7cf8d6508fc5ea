/*
 * The extensions that come with gawk (-l, @load), built in: code for the host is not loaded
 * here. Of them fork, fts and statvfs (of filefuncs), readdir, rwarray and the input parser
 * of readfile are missing. Their arguments are checked as gawk checks them.
 */
#include "cmd/awk/awk.h"

#include <errno.h>
#include <math.h>
#include <sys/stat.h>

#include "cmd/awk/parse.h"
#include "cmd/util.h"
#include "text/pattern.h"

typedef void native_fn(struct awk *a, struct awk_val *args, struct awk_val *out);

struct ak_native {
	const char *library, *name;
	int count;		/* arguments that there must be */
	int array;		/* the one that is an array, from 1 */
	native_fn *run;
};

/* ---- Arguments ---- */

/* NULL: it is an array. */
static struct awk_str *text_of(struct awk *a, const struct awk_val *v)
{
	if (v->type == V_LINK)
		v = v->link;
	return v->type == V_ARRAY ? NULL : ak_val_to_str(a, v);
}

static double number_of(struct awk *a, const struct awk_val *v)
{
	if (v->type == V_LINK)
		v = v->link;
	return v->type == V_ARRAY ? 0 : ak_val_to_num(a, v);
}

static struct awk_array *array_of(struct awk *a, struct awk_val *v)
{
	if (v->type == V_LINK)
		v = v->link;
	if (v->type == V_UNDEF) {
		v->type = V_ARRAY;
		v->array = ak_array_new(a);
	}
	return v->type == V_ARRAY ? v->array : NULL;
}

static void put_text(struct awk *a, struct awk_array *x, const char *key, const char *text)
{
	ak_val_input(a, ak_array_at_str(a, x, key, strlen(key)), text, strlen(text));
}

static void put_number(struct awk *a, struct awk_array *x, const char *key, double num)
{
	val_number(ak_array_at_str(a, x, key, strlen(key)), num);
}

static void errno_text(struct awk *a, const char *text)
{
	struct awk_val v;

	ak_var_errno(a, 0);
	val_string(&v, ak_str_make(a, text, strlen(text)));
	ak_var_set(a, VAR_ERRNO, &v);
}

/* ---- ordchr ---- */

static void do_ord(struct awk *a, struct awk_val *args, struct awk_val *out)
{
	struct awk_str *s = text_of(a, &args[0]);

	val_number(out, s ? (unsigned char)s->p[0] : -1);
	if (s)
		str_drop(a, s);
}

static void do_chr(struct awk *a, struct awk_val *args, struct awk_val *out)
{
	double v = number_of(a, &args[0]);
	char c = fabs(v) < 9e15 ? (char)(unsigned char)(int64_t)v : 0;

	val_string(out, ak_str_make(a, &c, 1));
}

/* ---- readfile, time ---- */

static void do_readfile(struct awk *a, struct awk_val *args, struct awk_val *out)
{
	struct awk_str *name = text_of(a, &args[0]);
	struct str text;
	int err;

	out->type = V_UNSET;
	if (!name)
		return;
	str_init(&text, a->heap, STR_MAX_DEFAULT);
	err = awk_read_file(a, name->p, &text);
	if (err)
		ak_var_errno(a, err == -EISDIR ? -EINVAL : err);
	else
		val_string(out, ak_str_make(a, text.p, text.n));
	str_end(&text);
	str_drop(a, name);
}

static void do_gettimeofday(struct awk *a, struct awk_val *args, struct awk_val *out)
{
	struct tsb_time now = tsb_clock(a->p, TSB_CLOCK_REAL);

	(void)args;
	val_number(out, (double)now.sec + now.nsec / 1e9);
}

static void do_sleep(struct awk *a, struct awk_val *args, struct awk_val *out)
{
	double seconds = number_of(a, &args[0]);

	val_number(out, seconds < 0 ? -1 : 0);
	if (seconds < 0) {
		errno_text(a, "sleep: argument is negative");
		return;
	}
	ak_streams_flush(a);
	tsb_sleep(a->p, seconds < 1e9 ? (int64_t)(seconds * 1e9) : INT64_MAX / 4);
}

/* ---- fnmatch ---- */

static const struct { const char *name; int bit; unsigned flag; } match_flags[] = {
	{ "CASEFOLD", 16, PATTERN_ICASE }, { "FILE_NAME", 1, PATTERN_PATHNAME },
	{ "LEADING_DIR", 8, PATTERN_LEADING_DIR }, { "NOESCAPE", 2, PATTERN_NOESCAPE },
	{ "PATHNAME", 1, PATTERN_PATHNAME }, { "PERIOD", 4, PATTERN_PERIOD },
};

static void do_fnmatch(struct awk *a, struct awk_val *args, struct awk_val *out)
{
	struct awk_str *pattern = text_of(a, &args[0]), *text = text_of(a, &args[1]);
	double bits = number_of(a, &args[2]);
	unsigned flags = a->utf8 ? 0 : PATTERN_BYTES;
	struct pattern *p;

	val_number(out, -1);
	if (!pattern || !text)
		return;
	for (size_t i = 0; i < sizeof(match_flags) / sizeof(*match_flags); i++)
		if (bits >= 0 && bits < 1024 && (int)bits & match_flags[i].bit)
			flags |= match_flags[i].flag;
	p = pattern_compile(a->heap, pattern->p, pattern->n, flags);
	val_number(out, !pattern_match(p, text->p, text->n));
	pattern_free(p);
	str_drop(a, pattern);
	str_drop(a, text);
}

static void fnmatch_begin(struct awk *a)
{
	struct awk_array *x = ak_var_array(a, ak_var_slot(a, "FNM", 3));

	for (size_t i = 0; i < sizeof(match_flags) / sizeof(*match_flags); i++)
		put_number(a, x, match_flags[i].name, match_flags[i].bit);
	val_number(&a->globals[ak_var_slot(a, "FNM_NOMATCH", 11)], 1);
}

/* ---- filefuncs ---- */

static void do_chdir(struct awk *a, struct awk_val *args, struct awk_val *out)
{
	struct awk_str *name = text_of(a, &args[0]);
	int err = name ? tsb_chdir(a->p, name->p) : 0;

	val_number(out, err || !name ? -1 : 0);
	if (err)
		ak_var_errno(a, err);
	if (name)
		str_drop(a, name);
}

static const char *type_text(uint32_t mode)
{
	switch (mode & S_IFMT) {
	case S_IFBLK: return "blockdev";
	case S_IFCHR: return "chardev";
	case S_IFDIR: return "directory";
	case S_IFIFO: return "fifo";
	case S_IFLNK: return "symlink";
	case S_IFREG: return "file";
	case S_IFSOCK: return "socket";
	default: return "unknown";
	}
}

static void stat_fill(struct awk *a, struct awk_array *x, const char *name, const struct tsb_stat *st)
{
	const struct { const char *key; double v; } numbers[] = {
		{ "dev", (double)st->dev }, { "ino", (double)st->ino }, { "mode", st->mode },
		{ "nlink", st->nlink }, { "uid", st->uid }, { "gid", st->gid },
		{ "size", (double)st->size }, { "blocks", (double)st->blocks },
		{ "atime", (double)st->atime.sec }, { "mtime", (double)st->mtime.sec },
		{ "ctime", (double)st->ctime.sec }, { "blksize", st->blksize }, { "devbsize", 512 },
	};
	char mode[12];

	put_text(a, x, "name", name);
	for (size_t i = 0; i < sizeof(numbers) / sizeof(*numbers); i++)
		put_number(a, x, numbers[i].key, numbers[i].v);
	if (S_ISBLK(st->mode) || S_ISCHR(st->mode)) {
		put_number(a, x, "rdev", (double)st->rdev);
		put_number(a, x, "major", (double)(st->rdev >> 8 & 0xfff));
		put_number(a, x, "minor", (double)(st->rdev & 0xff));
	}
	util_mode_string(st->mode, mode);
	put_text(a, x, "pmode", mode);
	put_text(a, x, "type", type_text(st->mode));
}

static void put_link(struct awk *a, struct awk_array *x, const char *name)
{
	enum { LINK_MAX_BYTES = 4096 };
	char *to = heap_alloc(a->heap, LINK_MAX_BYTES + 1);
	ssize_t n = tsb_readlink(a->p, name, to, LINK_MAX_BYTES);

	if (n > 0) {
		to[n] = '\0';
		put_text(a, x, "linkval", to);
	}
	heap_free(a->heap, to);
}

static void do_stat(struct awk *a, struct awk_val *args, struct awk_val *out)
{
	struct awk_str *name = text_of(a, &args[0]);
	struct awk_array *x = array_of(a, &args[1]);
	bool follow = args[2].type != V_UNDEF;	/* whatever it is */
	struct tsb_stat st;
	int err;

	val_number(out, -1);
	if (!name || !x)
		return;
	ak_array_clear(a, x);
	err = follow ? tsb_stat(a->p, name->p, &st) : tsb_lstat(a->p, name->p, &st);
	if (err) {
		ak_var_errno(a, err);
		str_drop(a, name);
		return;
	}
	stat_fill(a, x, name->p, &st);
	if (S_ISLNK(st.mode))
		put_link(a, x, name->p);
	str_drop(a, name);
	val_number(out, 0);
}

/* ---- intdiv ---- */

static void do_intdiv(struct awk *a, struct awk_val *args, struct awk_val *out)
{
	double num = trunc(number_of(a, &args[0])), den = trunc(number_of(a, &args[1]));
	struct awk_array *x = array_of(a, &args[2]);

	val_number(out, -1);
	if (den == 0)
		awk_warn(a, "intdiv: division by zero attempted");
	if (den == 0 || !x)
		return;
	ak_array_clear(a, x);
	put_number(a, x, "quotient", trunc(num / den));
	put_number(a, x, "remainder", fmod(num, den));
	val_number(out, 0);
}

/* ---- Libraries ---- */

static const struct ak_native natives[] = {
	{ "ordchr", "ord", 1, 0, do_ord }, { "ordchr", "chr", 1, 0, do_chr },
	{ "readfile", "readfile", 1, 0, do_readfile },
	{ "time", "gettimeofday", 0, 0, do_gettimeofday }, { "time", "sleep", 1, 0, do_sleep },
	{ "fnmatch", "fnmatch", 3, 0, do_fnmatch },
	{ "filefuncs", "chdir", 1, 0, do_chdir }, { "filefuncs", "stat", 2, 2, do_stat },
	{ "intdiv", "intdiv", 3, 3, do_intdiv },
	{ "revoutput", NULL, 0, 0, NULL }, { "revtwoway", NULL, 0, 0, NULL },
};

static void define(struct awk *a, const struct ak_native *n)
{
	struct func *f = ak_func_named(a, n->name, strlen(n->name));

	if (f->native)
		return;
	f->native = n;
	f->defined = true;
	for (int i = 0; i < NATIVE_ARGUMENTS; i++) {
		*vec_add(a->heap, &f->params) = "";
		*vec_add(a->heap, &f->is_array) = i + 1 == n->array;
	}
}

bool ak_library_load(struct awk *a, const char *name)
{
	size_t n = strlen(name);
	bool known = false;

	if (n > 3 && !strcmp(name + n - 3, ".so"))
		n -= 3;
	for (size_t i = 0; i < sizeof(natives) / sizeof(*natives); i++) {
		if (strlen(natives[i].library) != n || strncmp(natives[i].library, name, n))
			continue;
		known = true;
		if (natives[i].name)
			define(a, &natives[i]);
	}
	if (!known)
		return false;
	if (a->sandbox)
		awk_fatal(a, "extensions are not allowed in sandbox mode");
	a->loaded = true;
	if (!strncmp(name, "time", n))
		awk_warn(a, "The time extension is obsolete. Use the timex extension from gawkextlib "
			 "instead.");
	else if (!strncmp(name, "fnmatch", n))
		fnmatch_begin(a);
	a->reversing |= !strncmp(name, "revoutput", n);
	a->mirror |= !strncmp(name, "revtwoway", n);
	return true;
}

void ak_native_call(struct awk *a, const struct func *f, struct awk_val *args, size_t n,
		    struct awk_val *out)
{
	if (n < (size_t)f->native->count)
		awk_fatal(a, "%s: called with %d arguments, expecting at least %d", f->name, (int)n,
			  f->native->count);
	f->native->run(a, args, out);
}

bool ak_reverses(struct awk *a)
{
	struct map_entry *e = a->reversing ? map_find(&a->global_names, "REVOUT", 6) : NULL;
	struct awk_val v;
	bool yes;

	if (!e)
		return false;
	ak_var_read(a, (uint32_t)((uintptr_t)e->value - 1), &v);
	yes = ak_val_true(a, &v);
	val_drop(a, &v);
	return yes;
}
