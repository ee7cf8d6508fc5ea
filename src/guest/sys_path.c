/* Calls on names, of h.sys(): see sys.h. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "guest/sys.h"

enum { PATH_ROOM = TSB_PATH_MAX + 1 };

/* One name: fn(p, name). */
static int64_t with_name(struct guest *g, const struct guest_arg *a,
			 int (*fn)(struct tsb_proc *p, const char *name))
{
	char *name = sys_name(g, a);
	int r;

	if (!name)
		return -EINVAL;
	r = fn(g->p, name);
	tsb_free(g->p, name);
	return r;
}

int64_t sys_rmdir(struct guest *g, const struct guest_arg *a)
{
	return with_name(g, a, tsb_rmdir);
}

int64_t sys_unlink(struct guest *g, const struct guest_arg *a)
{
	return with_name(g, a, tsb_unlink);
}

int64_t sys_chdir(struct guest *g, const struct guest_arg *a)
{
	return with_name(g, a, tsb_chdir);
}

/* 0: a file, 1: a directory, -1: nothing there. */
static int kind_of(struct tsb_proc *p, const char *name)
{
	struct tsb_stat st;

	return tsb_stat(p, name, &st) ? -1 : S_ISDIR(st.mode);
}

int64_t sys_kind(struct guest *g, const struct guest_arg *a)
{
	return with_name(g, a, kind_of);
}

static int access_of(struct tsb_proc *p, const char *name, uint64_t mode)
{
	return tsb_access(p, name, (int)mode);
}

static int mkdir_of(struct tsb_proc *p, const char *name, uint64_t mode)
{
	return tsb_mkdir(p, name, (uint32_t)mode);
}

/* (path, number): fn(p, name, number). */
static int64_t with_number(struct guest *g, const struct guest_arg *a,
			   int (*fn)(struct tsb_proc *p, const char *name, uint64_t number))
{
	char *name = sys_name(g, a);
	int r;

	if (!name)
		return -EINVAL;
	r = fn(g->p, name, (uint64_t)a[1].number);
	tsb_free(g->p, name);
	return r;
}

int64_t sys_mkdir(struct guest *g, const struct guest_arg *a)
{
	return with_number(g, a, mkdir_of);
}

int64_t sys_access(struct guest *g, const struct guest_arg *a)
{
	return with_number(g, a, access_of);
}

int64_t sys_truncate(struct guest *g, const struct guest_arg *a)
{
	return with_number(g, a, tsb_truncate);
}

static int rename_plain(struct tsb_proc *p, const char *from, const char *to)
{
	return tsb_rename(p, from, to, 0);
}

static int link_plain(struct tsb_proc *p, const char *from, const char *to)
{
	return tsb_link(p, from, to, false);
}

static int64_t with_names(struct guest *g, const struct guest_arg *a,
			  int (*fn)(struct tsb_proc *p, const char *from, const char *to))
{
	char *from = sys_name(g, &a[0]), *to = sys_name(g, &a[1]);
	int r = from && to ? fn(g->p, from, to) : -EINVAL;

	tsb_free(g->p, from);
	tsb_free(g->p, to);
	return r;
}

int64_t sys_rename(struct guest *g, const struct guest_arg *a)
{
	return with_names(g, a, rename_plain);
}

int64_t sys_link(struct guest *g, const struct guest_arg *a)
{
	return with_names(g, a, link_plain);
}

int64_t sys_symlink(struct guest *g, const struct guest_arg *a)
{
	return with_names(g, a, tsb_symlink);
}

int64_t sys_readlink(struct guest *g, const struct guest_arg *a)
{
	char *name = sys_name(g, a), *text;
	ssize_t n;

	if (!name)
		return -EINVAL;
	text = sys_blob(g, PATH_ROOM);
	n = tsb_readlink(g->p, name, text, PATH_ROOM);
	tsb_free(g->p, name);
	if (n >= 0)
		g->more->blob_n = (size_t)n;
	return n;
}

int64_t sys_realpath(struct guest *g, const struct guest_arg *a)
{
	char *name = sys_name(g, a), *made = NULL;
	int64_t r;

	if (!name)
		return -EINVAL;
	r = tsb_realpath(g->p, name, TSB_REAL_ALL_EXIST, &made);
	tsb_free(g->p, name);
	if (r)
		return r;
	r = sys_give(g, made, strlen(made));
	tsb_free(g->p, made);
	return r;
}

int64_t sys_cwd(struct guest *g, const struct guest_arg *a)
{
	const char *cwd = tsb_getcwd(g->p);

	(void)a;
	return cwd ? sys_give(g, cwd, strlen(cwd)) : -ENOENT;
}

/* umask(mask): below 0 it is only asked for. */
int64_t sys_umask(struct guest *g, const struct guest_arg *a)
{
	uint32_t old = tsb_umask(g->p, (uint32_t)(a[0].number < 0 ? 0 : a[0].number & 0777));

	if (a[0].number < 0)
		tsb_umask(g->p, old);
	return old;
}

/* ---- Directories ---- */

static char type_of(uint32_t mode)
{
	switch (mode & S_IFMT) {
	case S_IFREG: return 1;
	case S_IFDIR: return 2;
	case S_IFLNK: return 3;
	case S_IFIFO: return 4;
	case S_IFSOCK: return 5;
	case S_IFCHR: return 6;
	case S_IFBLK: return 7;
	default: return 0;
	}
}

struct names {
	char *at;
	size_t n, cap;
};

static void names_add(struct tsb_proc *p, struct names *s, const struct tsb_dirent *e)
{
	size_t need = s->n + e->name_len + 2u;

	if (need > s->cap) {
		s->cap = need > s->cap * 2 ? need + 1024 : s->cap * 2;
		s->at = tsb_realloc(p, s->at, s->cap);
	}
	s->at[s->n] = type_of(e->mode);
	memcpy(s->at + s->n + 1, e->name, e->name_len);
	s->at[need - 1] = 0;
	s->n = need;
}

/* readdir(path): for each entry its type as a byte, its name, a NUL. */
int64_t sys_readdir(struct guest *g, const struct guest_arg *a)
{
	char *name = sys_name(g, a);
	struct names s = { 0 };
	const struct tsb_dirent *e;
	struct tsb_dir *dir;
	int r;

	if (!name)
		return -EINVAL;
	r = tsb_opendir(g->p, name, &dir);
	tsb_free(g->p, name);
	if (r)
		return r;
	while ((e = tsb_readdir(dir)) != NULL)
		names_add(g->p, &s, e);
	r = tsb_dir_error(dir);
	tsb_closedir(dir);
	if (r)
		return r;
	tsb_free(g->p, g->more->blob);
	g->more->blob = s.at;
	g->more->blob_n = s.n;
	return (int64_t)s.n;
}

/* statfs(path, Float64Array(7)) */
int64_t sys_statfs(struct guest *g, const struct guest_arg *a)
{
	struct tsb_statfs st;
	char *name = sys_name(g, a);
	double v[7];
	int r;

	if (!name || a[1].n != sizeof(v))
		return -EINVAL;
	r = tsb_statfs(g->p, name, &st);
	tsb_free(g->p, name);
	if (r)
		return r;
	v[0] = 0x01021994;	/* tmpfs */
	v[1] = st.block_size;
	v[2] = st.block_size ? (double)(st.bytes_total / st.block_size) : 0;
	v[3] = v[4] = st.block_size ? (double)(st.bytes_free / st.block_size) : 0;
	v[5] = (double)st.entries_total;
	v[6] = (double)st.entries_free;
	memcpy(a[1].at, v, sizeof(v));
	return 0;
}
