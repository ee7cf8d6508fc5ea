/*
 * Directories: the names in both, sorted and without the excluded ones, merged;
 * each step gives the next pair.
 */
#include "cmd/diff.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "cmd/util.h"

static bool excluded(const struct diff_cmd *d, const char *name)
{
	for (size_t i = 0; i < d->exclude.n; i++)
		if (pattern_match(d->exclude.at[i], name, strlen(name)))
			return true;
	return false;
}

static int compare_names(const struct diff_cmd *d, const char *a, const char *b)
{
	int diff = d->icase_names ? strcasecmp(a, b) : 0;

	if (d->icase_names)
		return diff;
	return strcmp(a, b);
}

/* Bytewise order is kept among names that are equal but for case. */
static int by_case(const void *a, const void *b)
{
	const char *x = *(char *const *)a, *y = *(char *const *)b;
	int diff = strcasecmp(x, y);

	return diff ? diff : strcmp(x, y);
}

static int read_names(struct diff_cmd *d, struct diff_level *l, int f)
{
	size_t kept = 0;
	int err;

	if (!l->exists[f]) {
		l->entry[f] = tsb_alloc(d->p, sizeof(char *));
		return 0;
	}
	err = tsb_listdir(d->p, l->name[f], &l->entry[f], &l->n[f]);
	if (err < 0) {
		tsb_warn_errno(d->p, err, "%s", l->name[f]);
		l->n[f] = 0;
		return DIFF_TROUBLE;
	}
	for (size_t i = 0; i < l->n[f]; i++)
		if (!excluded(d, l->entry[f][i]))
			l->entry[f][kept++] = l->entry[f][i];
	l->n[f] = kept;
	if (d->icase_names && kept)
		qsort(l->entry[f], kept, sizeof(char *), by_case);
	return 0;
}

static void skip_to_start(struct diff_cmd *d, struct diff_level *l)
{
	for (int f = 0; f < 2; f++)
		while (l->at[f] < l->n[f] &&
		       compare_names(d, l->entry[f][l->at[f]], d->start) < 0)
			l->at[f]++;
}

/* Is a directory its own ancestor, or not there at all? */
static bool is_loop(const struct diff_cmd *d, const struct diff_level *l, int f)
{
	if (!l->exists[f])
		return true;
	for (size_t i = d->levels.n; i-- > 0;)
		if (d->levels.at[i]->exists[f] &&
		    util_same_file(&d->levels.at[i]->st[f], &l->st[f]))
			return true;
	return false;
}

int diff_enter(struct diff_cmd *d)
{
	struct diff_level *l = tsb_alloc(d->p, sizeof(*l));
	int status;

	for (int f = 0; f < 2; f++) {
		l->name[f] = d->in[f].name;
		l->st[f] = d->in[f].st;
		l->exists[f] = d->in[f].state != DIFF_NONEXISTENT;
	}
	if (is_loop(d, l, 0) && is_loop(d, l, 1)) {
		tsb_warn(d->p, "%s: recursive directory loop", l->name[!l->exists[0]]);
		return DIFF_TROUBLE;
	}
	status = read_names(d, l, 0) | read_names(d, l, 1);
	if (status)
		return status;
	if (d->start && !d->levels.n)
		skip_to_start(d, l);
	*vec_add(tsb_heap_of(d->p), &d->levels) = l;
	return -1;
}

/* Among names that differ in case only, the one that is equal comes first. */
static void prefer_equal(struct diff_cmd *d, struct diff_level *l)
{
	for (int f = 0; f < 2; f++) {
		char **other = l->entry[1 - f] + l->at[1 - f], *name = l->entry[f][l->at[f]];
		size_t left = l->n[1 - f] - l->at[1 - f];

		for (size_t i = 0; i < left && !compare_names(d, name, other[i]); i++) {
			char *hit = other[i];

			if (strcmp(name, hit) != 0)
				continue;
			memmove(other + 1, other, i * sizeof(*other));
			other[0] = hit;
			return;
		}
	}
}

/* One step in the directory on top: false when it is done. */
static bool step(struct diff_cmd *d)
{
	struct diff_level *l = d->levels.at[d->levels.n - 1];
	const char *name[2] = { NULL, NULL };
	int order, status;

	if (l->at[0] == l->n[0] && l->at[1] == l->n[1])
		return false;
	if (l->at[0] == l->n[0])
		order = 1;
	else if (l->at[1] == l->n[1])
		order = -1;
	else
		order = compare_names(d, l->entry[0][l->at[0]], l->entry[1][l->at[1]]);
	if (!order && d->icase_names)
		prefer_equal(d, l);
	if (order <= 0)
		name[0] = l->entry[0][l->at[0]++];
	if (order >= 0)
		name[1] = l->entry[1][l->at[1]++];
	status = diff_names(d, name[0], name[1]);
	if (status > l->status)
		l->status = status;
	tsb_tick(d->p, 1);
	return true;
}

int diff_run_pair(struct diff_cmd *d, const char *a, const char *b)
{
	int status = diff_names(d, a, b);

	while (d->levels.n) {
		struct diff_level *l = d->levels.at[d->levels.n - 1];

		if (step(d))
			continue;
		d->levels.n--;
		status = l->status;
		if (d->levels.n && status > d->levels.at[d->levels.n - 1]->status)
			d->levels.at[d->levels.n - 1]->status = status;
	}
	return status;
}
