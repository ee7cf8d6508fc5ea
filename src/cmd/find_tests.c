/*
 * The tests of find on what stat tells, on names and on links.
 */
#include "cmd/find.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>

#include "cmd/accounts.h"
#include "cmd/path.h"
#include "text/pattern.h"

bool find_true(struct find *f, struct find_pred *a)
{
	(void)f;
	(void)a;
	return true;
}

bool find_false(struct find *f, struct find_pred *a)
{
	(void)f;
	(void)a;
	return false;
}

/* ---- Numbers ---- */

static bool test_num(const struct find_num *num, uint64_t v)
{
	return num->cmp == FIND_EQUAL ? v == num->n : num->cmp == FIND_MORE ? v > num->n
									     : v < num->n;
}

bool find_is_num_uid(struct find *f, struct find_pred *a)
{
	return find_stat(f) && test_num(&a->u.num, f->e->st.uid);
}

bool find_is_num_gid(struct find *f, struct find_pred *a)
{
	return find_stat(f) && test_num(&a->u.num, f->e->st.gid);
}

bool find_is_num_links(struct find *f, struct find_pred *a)
{
	return find_stat(f) && test_num(&a->u.num, f->e->st.nlink);
}

bool find_is_num_inum(struct find *f, struct find_pred *a)
{
	return find_stat(f) && test_num(&a->u.num, f->e->st.ino);
}

bool find_is_size(struct find *f, struct find_pred *a)
{
	uint64_t size, unit = a->u.size.unit;

	if (!find_stat(f))
		return false;
	size = f->e->st.size;
	return test_num(&a->u.size.num, size / unit + (size % unit != 0));
}

bool find_is_empty(struct find *f, struct find_pred *a)
{
	struct tsb_dir *dir;
	bool empty;
	int err;

	(void)a;
	if (S_ISDIR(f->e->st.mode)) {
		err = tsb_opendir(f->p, f->e->path, &dir);
		if (err) {
			find_file_error(f, err, f->e->path);
			return false;
		}
		empty = !tsb_readdir(dir) && !tsb_dir_error(dir);
		tsb_closedir(dir);
		return empty;
	}
	return S_ISREG(f->e->st.mode) && find_stat(f) && !f->e->st.size;
}

/* ---- Types and modes ---- */

unsigned find_type_bit(uint32_t mode)
{
	return 1u << (mode >> 12 & 15);
}

bool find_is_type(struct find *f, struct find_pred *a)
{
	return (a->u.types & find_type_bit(f->e->st.mode)) != 0;
}

/* The type on the other side of a link: the link's if the target's was meant. */
bool find_is_xtype(struct find *f, struct find_pred *a)
{
	struct tsb_stat st;
	bool follow = !find_following(f);
	int err = follow ? tsb_stat(f->p, f->e->path, &st) : tsb_lstat(f->p, f->e->path, &st);

	if (follow && (err == -ENOENT || err == -ENOTDIR))
		err = tsb_lstat(f->p, f->e->path, &st);
	if (err)
		find_file_error(f, err, f->e->path);
	return !err && (a->u.types & find_type_bit(st.mode)) != 0;
}

bool find_is_perm(struct find *f, struct find_pred *a)
{
	uint32_t bits, mode;

	if (!find_stat(f))
		return false;
	mode = f->e->st.mode & 07777;
	bits = a->u.perm.bits[S_ISDIR(f->e->st.mode)];
	if (a->u.perm.kind == '-')
		return (mode & bits) == bits;
	return a->u.perm.kind == '/' ? (mode & bits) != 0 : mode == bits;
}

bool find_is_access(struct find *f, struct find_pred *a)
{
	return !tsb_access(f->p, f->e->path, a->u.access);
}

/* ---- Owners, identity, filesystem ---- */

bool find_is_nouser(struct find *f, struct find_pred *a)
{
	(void)a;
	return find_stat(f) && !accounts_user_name(f->p, f->e->st.uid);
}

bool find_is_nogroup(struct find *f, struct find_pred *a)
{
	(void)a;
	return find_stat(f) && !accounts_group_name(f->p, f->e->st.gid);
}

bool find_is_samefile(struct find *f, struct find_pred *a)
{
	return find_stat(f) && f->e->st.ino == a->u.file.ino && f->e->st.dev == a->u.file.dev;
}

bool find_is_fstype(struct find *f, struct find_pred *a)
{
	struct tsb_statfs fs;

	return !tsb_statfs(f->p, f->e->path, &fs) && fs.type && !strcmp(fs.type, a->u.text);
}

/* ---- Names ---- */

bool find_is_name(struct find *f, struct find_pred *a)
{
	const char *name = f->e->name;
	char *base = NULL;
	bool is;

	if (!f->e->depth)
		name = base = find_base(f, false);
	is = pattern_match(a->u.pattern, name, strlen(name));
	tsb_free(f->p, base);
	return is;
}

bool find_is_path(struct find *f, struct find_pred *a)
{
	return pattern_match(a->u.pattern, f->e->path, strlen(f->e->path));
}

bool find_is_lname(struct find *f, struct find_pred *a)
{
	char *target;
	bool is;
	int err;

	if (!S_ISLNK(f->e->st.mode))
		return false;
	target = path_readlink(f->p, f->e->path, &err);
	if (!target) {
		find_file_error(f, err, f->e->path);
		return false;
	}
	is = pattern_match(a->u.pattern, target, strlen(target));
	tsb_free(f->p, target);
	return is;
}
