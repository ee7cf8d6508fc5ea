/*
 * Pairs: two names and what they are decide whether files are compared,
 * directories entered, or only a word is said. Directories wait on a stack, so
 * depth costs memory only.
 */
#include "cmd/diff.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>

#include "cmd/path.h"
#include "cmd/util.h"

/* ---- Looking at a pair ---- */

static struct diff_level *top(const struct diff_cmd *d)
{
	return d->levels.n ? d->levels.at[d->levels.n - 1] : NULL;
}

static void look_stdin(struct diff_cmd *d, struct diff_input *in)
{
	int64_t at;

	in->state = DIFF_STDIN;
	in->fd = 0;
	in->err = tsb_fstat(d->p, 0, &in->st);
	if (in->err) {
		in->state = DIFF_FAILED;
		return;
	}
	if (S_ISREG(in->st.mode)) {
		at = tsb_lseek(d->p, 0, 0, SEEK_CUR);
		if (at > 0)
			in->st.size -= (uint64_t)at < in->st.size ? (uint64_t)at : in->st.size;
	}
	in->st.mtime = tsb_clock(d->p, TSB_CLOCK_REAL);
}

static int look_path(struct diff_cmd *d, const char *name, struct tsb_stat *st)
{
	return d->no_dereference ? tsb_lstat(d->p, name, st) : tsb_stat(d->p, name, st);
}

static void look(struct diff_cmd *d, int f)
{
	struct diff_input *in = &d->in[f];

	if (in->state == DIFF_NONEXISTENT)
		return;
	if (!strcmp(in->name, "-")) {
		look_stdin(d, in);
	} else {
		in->err = look_path(d, in->name, &in->st);
		in->state = in->err ? DIFF_FAILED : DIFF_UNOPENED;
	}
}

/* May a missing file be taken for an empty one? */
static bool diff_absent(const struct diff_cmd *d, int f)
{
	return d->new_file || (!f && d->new_first);
}

/* patch leaves empty files without permissions for files that were not. */
static void accept_absent(struct diff_cmd *d)
{
	bool absent[2];

	for (int f = 0; f < 2; f++) {
		const struct diff_input *in = &d->in[f], *other = &d->in[1 - f];

		if (in->state == DIFF_UNOPENED)
			absent[f] = S_ISREG(in->st.mode) && !(in->st.mode & 0777) && !in->st.size;
		else
			absent[f] = in->state == DIFF_FAILED && !d->levels.n &&
				    (in->err == -ENOENT || in->err == -EBADF) &&
				    (other->state == DIFF_UNOPENED || other->state == DIFF_STDIN);
		if (absent[f] && diff_absent(d, f))
			d->in[f].state = DIFF_NONEXISTENT;
	}
	for (int f = 0; f < 2; f++)
		if (d->in[f].state == DIFF_NONEXISTENT) {
			memset(&d->in[f].st, 0, sizeof(d->in[f].st));
			d->in[f].st.mode = d->in[1 - f].st.mode;
		}
}

static bool is_dir(const struct diff_cmd *d, int f)
{
	return S_ISDIR(d->in[f].st.mode);
}

static bool is_link(const struct diff_cmd *d, int f)
{
	return S_ISLNK(d->in[f].st.mode);
}

static bool is_none(const struct diff_cmd *d, int f)
{
	return d->in[f].state == DIFF_NONEXISTENT;
}

static int say_failed(struct diff_cmd *d)
{
	int status = 0;

	for (int f = 0; f < 2; f++)
		if (d->in[f].state == DIFF_FAILED) {
			diff_flush(d);
			tsb_warn_errno(d->p, d->in[f].err, "%s", d->in[f].name);
			status = DIFF_TROUBLE;
		}
	return status;
}

/* A file and a directory: the file of that name in the directory. */
static int into_dir(struct diff_cmd *d)
{
	int dir = is_dir(d, 0) ? 0 : 1;
	struct diff_input *in = &d->in[dir];
	const char *other = d->in[1 - dir].name;
	int err;

	if (!strcmp(other, "-")) {
		tsb_warn(d->p, "cannot compare '-' to a directory");
		tsb_exit(d->p, DIFF_TROUBLE);
	}
	in->name = path_join(d->p, in->name, path_last(other));
	err = look_path(d, in->name, &in->st);
	if (!err)
		return 0;
	tsb_warn_errno(d->p, err, "%s", in->name);
	return DIFF_TROUBLE;
}

/* ---- What becomes of it ---- */

static bool same_attributes(const struct tsb_stat *a, const struct tsb_stat *b)
{
	return util_same_file(a, b) && a->mode == b->mode && a->size == b->size &&
	       !util_time_cmp(a->mtime, b->mtime);
}

static const char *name_of(const struct diff_cmd *d, int f)
{
	return d->label[f] ? d->label[f] : d->in[f].name;
}

static int say_types(struct diff_cmd *d)
{
	diff_message(d, "File %s is a %s while file %s is a %s\n", name_of(d, 0),
		     util_file_type(&d->in[0].st), name_of(d, 1), util_file_type(&d->in[1].st));
	return 1;
}

static int say_only(struct diff_cmd *d, const char *dir, const char *name)
{
	diff_message(d, "Only in %s: %s\n", dir, name);
	return 1;
}

static int links(struct diff_cmd *d)
{
	char *target[2];
	int err;

	if (!is_link(d, 0) || !is_link(d, 1))
		return say_types(d);
	for (int f = 0; f < 2; f++) {
		target[f] = path_readlink(d->p, d->in[f].name, &err);
		if (!target[f]) {
			tsb_warn_errno(d->p, err, "%s", d->in[f].name);
			return DIFF_TROUBLE;
		}
	}
	if (!strcmp(target[0], target[1]))
		return 0;
	diff_message(d, "Symbolic links %s and %s differ\n", d->in[0].name, d->in[1].name);
	return 1;
}

static int open_and_compare(struct diff_cmd *d, bool same)
{
	int status = 0;

	for (int f = 0; f < 2; f++) {
		struct diff_input *in = &d->in[f];

		if (in->state != DIFF_UNOPENED)
			continue;
		if (f && same) {
			in->fd = d->in[0].fd;
			continue;
		}
		in->fd = tsb_open(d->p, in->name, O_RDONLY | O_CLOEXEC, 0);
		if (in->fd < 0) {
			tsb_warn_errno(d->p, in->fd, "%s", in->name);
			status = DIFF_TROUBLE;
		} else {
			in->state = DIFF_OPEN;
		}
	}
	if (!status)
		status = diff_two_files(d);
	for (int f = 0; f < 2; f++)
		if (d->in[f].state == DIFF_OPEN)
			tsb_close(d->p, d->in[f].fd);
	return status;
}

static bool plain(const struct diff_cmd *d, int f)
{
	return S_ISREG(d->in[f].st.mode) || is_link(d, f);
}

/* Not two files: a directory or something special is among them. */
static int unlike(struct diff_cmd *d, const char *name)
{
	bool first_new = d->new_file || (d->new_first && is_none(d, 0));

	if (!is_none(d, 0) && !is_none(d, 1))
		return say_types(d);
	if (is_dir(d, 0) && d->recursive && first_new)
		return diff_enter(d);
	return say_only(d, top(d)->name[is_none(d, 0)], name);
}

static int two_dirs(struct diff_cmd *d)
{
	if (d->style == DIFF_IFDEF) {
		tsb_warn(d->p, "-D option not supported with directories");
		tsb_exit(d->p, DIFF_TROUBLE);
	}
	if (!d->levels.n || d->recursive)
		return diff_enter(d);
	diff_message(d, "Common subdirectories: %s and %s\n", d->in[0].name, d->in[1].name);
	return 0;
}

static bool shows_nothing_if_equal(const struct diff_cmd *d)
{
	if (d->style == DIFF_IFDEF)
		return !*d->group_format[DIFF_SAME] ||
		       (!strcmp(d->group_format[DIFF_SAME], "%=") && !*d->line_format[2]);
	return d->style != DIFF_SIDE || d->no_common;
}

static int judge(struct diff_cmd *d, const char *name)
{
	bool both = !is_none(d, 0) && !is_none(d, 1);
	bool same = both && same_attributes(&d->in[0].st, &d->in[1].st);

	if ((is_none(d, 0) && is_none(d, 1)) || (same && shows_nothing_if_equal(d)))
		return 0;
	if (is_dir(d, 0) && is_dir(d, 1))
		return two_dirs(d);
	if (is_dir(d, 0) || is_dir(d, 1) || (d->levels.n && !(plain(d, 0) && plain(d, 1))))
		return unlike(d, name);
	if (is_link(d, 0) || is_link(d, 1))
		return links(d);
	return open_and_compare(d, same);
}

/* The names of the pair; `a` or `b` NULL: only the other one is there. */
static void pair_names(struct diff_cmd *d, const char *a, const char *b)
{
	const struct diff_level *l = top(d);

	memset(d->in, 0, sizeof(d->in));
	d->in[0].fd = d->in[1].fd = -1;
	d->in[0].state = a ? DIFF_UNOPENED : DIFF_NONEXISTENT;
	d->in[1].state = b ? DIFF_UNOPENED : DIFF_NONEXISTENT;
	d->in[0].name = a ? a : b;
	d->in[1].name = b ? b : a;
	for (int f = 0; f < 2 && l; f++)
		d->in[f].name = path_join(d->p, l->name[f], d->in[f].name);
}

int diff_names(struct diff_cmd *d, const char *a, const char *b)
{
	const char *name = a ? a : b;
	int status;

	if ((!a || !b) && !d->new_file && !(d->new_first && b))
		return say_only(d, top(d)->name[!a], name);
	pair_names(d, a, b);
	look(d, 0);
	look(d, 1);
	accept_absent(d);
	status = say_failed(d);
	if (!status && !d->levels.n && is_dir(d, 0) != is_dir(d, 1))
		status = into_dir(d);
	if (!status)
		status = judge(d, name);
	if (!status && d->identical && !is_dir(d, 0))
		diff_message(d, "Files %s and %s are identical\n", name_of(d, 0), name_of(d, 1));
	if (status > 0) {
		diff_flush(d);
		tsb_flush(d->p);
	}
	return status;
}
