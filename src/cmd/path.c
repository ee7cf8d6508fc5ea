/*
 * Path names. The resolver keeps two texts: the result so far, which holds no
 * link, and what is still to be read, in front of which the target of a link
 * is put. So it needs no recursion, and a link met twice with the same rest
 * in the same directory is a loop.
 */
#include "cmd/path.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>

#include <tinysandbox/command.h>

#include "base/map.h"
#include "base/str.h"

const char *path_last(const char *s)
{
	const char *last;

	while (*s == '/')
		s++;
	for (last = s; *s; s++)
		if (*s == '/' && s[1] && s[1] != '/')
			last = s + 1;
	return last;
}

size_t path_base_len(const char *s)
{
	size_t n = strlen(s);

	while (n > 1 && s[n - 1] == '/')
		n--;
	return n;
}

size_t path_dir_len(const char *s)
{
	size_t root = *s == '/', n = (size_t)(path_last(s) - s);

	while (n > root && s[n - 1] == '/')
		n--;
	return n;
}

char *path_dir(struct tsb_proc *p, const char *s)
{
	size_t n = path_dir_len(s);

	return n ? tsb_strndup(p, s, n) : tsb_strdup(p, ".");
}

char *path_base(struct tsb_proc *p, const char *s)
{
	const char *last = path_last(s);

	if (!*last && *s)
		return tsb_strdup(p, "/");
	return tsb_strndup(p, last, path_base_len(last));
}

bool path_strip_slashes(char *s)
{
	char *last = (char *)path_last(s);
	char *end;
	bool had;

	if (!*last)
		last = s;
	end = last + path_base_len(last);
	had = *end;
	*end = '\0';
	return had;
}

char *path_join(struct tsb_proc *p, const char *dir, const char *name)
{
	const char *base = path_last(dir), *sep = "";
	int n = (int)(base - dir + (ptrdiff_t)path_base_len(base));

	if (*base && *name != '/')
		sep = "/";
	else if (!*base && *dir && *name == '/')
		sep = ".";	/* "//" might mean something */
	return tsb_format(p, "%.*s%s%s", n, dir, sep, name);
}

bool path_is_dot(const char *name)
{
	if (*name++ != '.')
		return false;
	if (*name == '.')
		name++;
	return !*name || *name == '/';
}

char *path_readlink(struct tsb_proc *p, const char *path, int *err)
{
	char *buf = tsb_alloc(p, TSB_PATH_MAX + 1);
	ssize_t n = tsb_readlink(p, path, buf, TSB_PATH_MAX);

	*err = n < 0 ? (int)n : 0;
	if (n < 0) {
		tsb_free(p, buf);
		return NULL;
	}
	buf[n] = '\0';
	return tsb_realloc(p, buf, (size_t)n + 1);
}

struct canon {
	struct tsb_proc *p;
	unsigned mode;
	struct str out;		/* absolute; "" stands for the root */
	struct str rest;	/* what is still to be read */
	size_t at;		/* in rest */
	size_t n_links;
	struct map seen;
};

/* Must what comes before `end` be a directory? An ordinary component behind it
 * shows that by itself; a trailing slash, "." or ".." does not. */
static bool canon_needs_dir(const char *end)
{
	while (*end == '/') {
		while (*end == '/')
			end++;
		if (!*end)
			return true;
		if (*end++ != '.')
			return false;
		if (!*end || (*end == '.' && (!end[1] || end[1] == '/')))
			return true;
	}
	return false;
}

static int canon_check_dir(struct canon *c)
{
	struct tsb_stat st;
	int err = tsb_stat(c->p, c->out.p, &st);

	if (!err && !S_ISDIR(st.mode))
		err = -ENOTDIR;
	return err;
}

/* May the last component of c->out, no link, stand? err: why it is no link. */
static int canon_accept(struct canon *c, int err)
{
	const char *end = c->rest.p + c->at;
	struct tsb_stat st;

	if ((c->mode & PATH_MODES) == PATH_MAY_MISS)
		return 0;
	if (canon_needs_dir(end))
		err = canon_check_dir(c);
	else if (!(c->mode & PATH_LEXICAL))
		err = err == -EINVAL ? 0 : err;
	else
		err = *end ? 0 : tsb_stat(c->p, c->out.p, &st);
	if (err == -ENOENT && (c->mode & PATH_MODES) == PATH_LAST_MAY_MISS &&
	    !end[strspn(end, "/")])
		err = 0;
	return err;
}

/* Has this link been met with the same rest in the same directory? */
static bool canon_loops(struct canon *c, size_t parent, size_t start)
{
	char *key;
	size_t n;

	if (c->n_links++ < 20)
		return false;
	key = tsb_format(c->p, "%.*s/%s", (int)parent, c->out.p, c->rest.p + start);
	n = strlen(key);
	if (map_find(&c->seen, key, n))
		return true;
	map_put(&c->seen, key, n);
	return false;
}

static void canon_follow(struct canon *c, const char *target, size_t parent)
{
	if (*target == '/')
		str_cut(&c->out, 0);
	else
		str_cut(&c->out, parent);
	str_erase(&c->rest, 0, c->at);
	c->at = 0;
	str_insert(&c->rest, 0, target, strlen(target));
}

/* One ordinary component: rest[start..start+n). */
static int canon_step(struct canon *c, size_t start, size_t n)
{
	size_t parent = c->out.n;
	char *target = NULL;
	int err = -EINVAL;

	str_addc(&c->out, '/');
	str_addn(&c->out, c->rest.p + start, n);
	if (!(c->mode & PATH_LEXICAL))
		target = path_readlink(c->p, c->out.p, &err);
	if (!target)
		return canon_accept(c, err);
	if (!canon_loops(c, parent, start)) {
		canon_follow(c, target, parent);
		return 0;
	}
	return (c->mode & PATH_MODES) == PATH_MAY_MISS ? 0 : -ELOOP;
}

static void canon_up(struct canon *c)
{
	while (c->out.n && c->out.p[c->out.n - 1] != '/')
		str_cut(&c->out, c->out.n - 1);
	if (c->out.n)
		str_cut(&c->out, c->out.n - 1);
}

static int canon_run(struct canon *c)
{
	int err = 0;

	while (!err) {
		const char *at = c->rest.p + c->at;
		size_t start, n;

		at += strspn(at, "/");
		n = strcspn(at, "/");
		start = (size_t)(at - c->rest.p);
		c->at = start + n;
		if (!n)
			return 0;
		tsb_tick(c->p, 1);
		if (n == 2 && at[0] == '.' && at[1] == '.')
			canon_up(c);
		else if (n > 1 || *at != '.')
			err = canon_step(c, start, n);
	}
	return err;
}

int path_canon(struct tsb_proc *p, const char *path, unsigned mode, char **out)
{
	struct tsb_heap *heap = tsb_heap_of(p);
	struct canon c = { .p = p, .mode = mode };
	struct tsb_stat here;
	int err;

	/* Where the working directory was removed a relative name leads nowhere. */
	if (!*path || (*path != '/' && tsb_stat(p, ".", &here) == -ENOENT))
		return -ENOENT;
	str_init(&c.out, heap, STR_MAX_DEFAULT);
	str_init(&c.rest, heap, STR_MAX_DEFAULT);
	map_init(&c.seen, heap);
	if (*path != '/' && strcmp(tsb_getcwd(p), "/"))
		str_adds(&c.out, tsb_getcwd(p));
	str_adds(&c.rest, path);
	err = canon_run(&c);
	if (!c.out.n)
		str_addc(&c.out, '/');
	if (!err)
		*out = str_take(&c.out, NULL);
	str_end(&c.out);
	str_end(&c.rest);
	map_end(&c.seen);
	return err;
}

/* Length of the leading directories that two canonical paths share. */
static size_t path_common(const char *a, const char *b)
{
	size_t i, n = 0;

	if ((a[1] == '/') != (b[1] == '/'))
		return 0;
	for (i = 0; a[i] && a[i] == b[i]; i++)
		if (a[i] == '/')
			n = i + 1;
	if ((!a[i] && (!b[i] || b[i] == '/')) || (!b[i] && a[i] == '/'))
		n = i;
	return n;
}

char *path_relative(struct tsb_proc *p, const char *to, const char *from)
{
	size_t n = path_common(from, to);
	struct str s;

	if (!n)
		return NULL;
	from += n + (from[n] == '/');
	to += n + (to[n] == '/');
	str_init(&s, tsb_heap_of(p), STR_MAX_DEFAULT);
	if (*from)
		str_adds(&s, "..");
	for (; *from; from++)
		if (*from == '/')
			str_adds(&s, "/..");
	if (s.n && *to)
		str_addc(&s, '/');
	str_adds(&s, *to || s.n ? to : ".");
	return str_take(&s, NULL);
}

bool path_same_name(struct tsb_proc *p, const char *a, const char *b)
{
	const char *x = path_last(a), *y = path_last(b);
	size_t n = path_base_len(x);
	struct tsb_stat sx, sy;

	if (n != path_base_len(y) || memcmp(x, y, n))
		return false;
	if (tsb_lstat(p, path_dir(p, a), &sx) || tsb_lstat(p, path_dir(p, b), &sy))
		return false;
	return sx.ino == sy.ino && sx.dev == sy.dev;
}
