/*
 * The orders of ls. Every order falls back to the name, so it is total, and
 * which sort algorithm runs cannot be seen.
 */
#include "cmd/ls.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "cmd/util.h"
#include "cmd/vercmp.h"

static int order_extension(const struct ls_file *a, const struct ls_file *b)
{
	const char *x = strrchr(a->name, '.'), *y = strrchr(b->name, '.');

	return strcmp(x ? x : "", y ? y : "");
}

static struct tsb_time order_time_of(const struct ls *ls, const struct ls_file *f)
{
	switch (ls->time) {
	case LS_CTIME: return f->st.ctime;
	case LS_ATIME: return f->st.atime;
	case LS_BTIME: return f->st.btime;
	default: return f->st.mtime;
	}
}

static int order_key(struct ls *ls, struct ls_file *a, struct ls_file *b)
{
	size_t x, y;

	switch (ls->sort) {
	case LS_BY_EXTENSION:
		return order_extension(a, b);
	case LS_BY_SIZE:
		return (a->st.size < b->st.size) - (a->st.size > b->st.size);
	case LS_BY_TIME:
		return util_time_cmp(order_time_of(ls, b), order_time_of(ls, a));
	case LS_BY_VERSION:
		return vercmp(a->name, strlen(a->name), b->name, strlen(b->name));
	case LS_BY_WIDTH:
		x = ls_width(ls, a);
		y = ls_width(ls, b);
		return (x > y) - (x < y);
	default:
		return 0;
	}
}

static bool order_leads_to_dir(const struct ls_file *f)
{
	return ls_is_directory(f) || S_ISDIR(f->link_mode);
}

static int order_compare(const void *x, const void *y, void *ctx)
{
	struct ls_file *a = *(struct ls_file *const *)x, *b = *(struct ls_file *const *)y;
	struct ls *ls = ctx;
	int r;

	if (ls->dirs_first) {
		r = order_leads_to_dir(b) - order_leads_to_dir(a);
		if (r)
			return r;
	}
	r = order_key(ls, a, b);
	if (!r)
		r = strcmp(a->name, b->name);
	return ls->reverse ? -r : r;
}

void ls_sort_files(struct ls *ls)
{
	size_t n = ls->n_files;

	tsb_free(ls->p, ls->order);
	ls->order = tsb_alloc(ls->p, n * sizeof(struct ls_file *));
	for (size_t i = 0; i < n; i++)
		ls->order[i] = &ls->files[i];
	tsb_tick(ls->p, n);
	if (ls->sort != LS_UNSORTED && n > 1)
		qsort_r(ls->order, n, sizeof(struct ls_file *), order_compare, ls);
}
