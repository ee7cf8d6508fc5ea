/*
 * Files on their way into a listing: what is ignored, what has to be looked
 * at (a stat call a file is most of ls's time, so only what the options need),
 * and how wide the columns of the long format get.
 */
#include "cmd/ls.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

#include "base/num.h"
#include "base/utf8.h"
#include "cmd/path.h"
#include "cmd/util.h"
#include "text/pattern.h"

void ls_fail(struct ls *ls, bool serious, int err, const char *what, const char *file)
{
	tsb_warn_errno(ls->p, err, "%s %s", what, quote_af(ls->p, file));
	if (serious)
		ls->status = 2;
	else if (!ls->status)
		ls->status = 1;
}

void ls_clear(struct ls *ls)
{
	for (size_t i = 0; i < ls->n_files; i++) {
		struct ls_file *f = &ls->files[i];

		tsb_free(ls->p, f->name);
		tsb_free(ls->p, f->target);
		tsb_free(ls->p, f->absolute);
		tsb_free(ls->p, f->shown);
	}
	ls->n_files = 0;
	ls->some_quoted = false;
	ls->w_inode = ls->w_blocks = ls->w_nlink = ls->w_owner = ls->w_group = ls->w_author = 0;
	ls->w_context = ls->w_size = ls->w_major = ls->w_minor = 0;
}

int ls_type_of(uint32_t mode)
{
	switch (mode & S_IFMT) {
	case S_IFIFO: return LS_FIFO;
	case S_IFCHR: return LS_CHAR;
	case S_IFDIR: return LS_DIRECTORY;
	case S_IFBLK: return LS_BLOCK;
	case S_IFREG: return LS_REGULAR;
	case S_IFLNK: return LS_LINK;
	case S_IFSOCK: return LS_SOCKET;
	default: return LS_UNKNOWN;
	}
}

bool ls_is_directory(const struct ls_file *f)
{
	return f->type == LS_DIRECTORY || f->type == LS_OPERAND_DIR;
}

static bool ls_matches(struct pattern *const *patterns, const char *name)
{
	for (; *patterns; patterns++)
		if (pattern_match(*patterns, name, strlen(name)))
			return true;
	return false;
}

bool ls_is_ignored(struct ls *ls, const char *name)
{
	bool dot_dir = !strcmp(name, ".") || !strcmp(name, "..");

	if (*name == '.' && (ls->ignore == LS_IGNORE_DOTS ||
			     (ls->ignore == LS_IGNORE_DOT_DIRS && dot_dir)))
		return true;
	return (ls->ignore == LS_IGNORE_DOTS && ls_matches(ls->hidden, name)) ||
	       ls_matches(ls->ignored, name);
}

/* Does what is shown of this file need more than readdir tells? */
static bool add_needs_stat(struct ls *ls, int type, bool operand)
{
	bool bits = ls_is_colored(ls, LS_C_EXEC) || ls_is_colored(ls, LS_C_SETUID) ||
		    ls_is_colored(ls, LS_C_SETGID) || ls_is_colored(ls, LS_C_CAP);

	/* The inode that readdir tells may be that of a mount point. */
	if (operand || ls->hyperlink || ls->needs_stat || ls->inode)
		return true;
	if (type == LS_DIRECTORY && ls->color &&
	    (ls_is_colored(ls, LS_C_OTHER_WRITABLE) || ls_is_colored(ls, LS_C_STICKY) ||
	     ls_is_colored(ls, LS_C_STICKY_OTHER)))
		return true;
	if (ls->needs_type && (type == LS_LINK || type == LS_UNKNOWN) &&
	    (ls->deref == LS_DEREF_ALWAYS || ls->link_as_referent || ls->check_links))
		return true;
	if (!ls->needs_type)
		return false;
	return type == LS_UNKNOWN ||
	       (type == LS_REGULAR && (ls->indicator == LS_CLASSIFY || (ls->color && bits)));
}

/* stat or lstat, as -L, -H and the default for operands have it. */
static int add_stat(struct ls *ls, struct ls_file *f, const char *path, bool operand)
{
	int err;

	if (ls->deref == LS_DEREF_ALWAYS)
		return tsb_stat(ls->p, path, &f->st);
	if (operand && (ls->deref == LS_DEREF_OPERANDS || ls->deref == LS_DEREF_OPERAND_DIRS)) {
		err = tsb_stat(ls->p, path, &f->st);
		if (ls->deref == LS_DEREF_OPERANDS)
			return err;
		if (err ? err != -ENOENT : S_ISDIR(f->st.mode))
			return err;
	}
	return tsb_lstat(ls->p, path, &f->st);
}

/* The target of a link and, where it matters, what that is. */
static void add_link(struct ls *ls, struct ls_file *f, const char *path, bool operand)
{
	const char *to;
	struct tsb_stat st;
	int err;

	f->target = path_readlink(ls->p, path, &err);
	if (!f->target) {
		ls_fail(ls, operand, err, "cannot read symbolic link", path);
		return;
	}
	to = f->target;
	if (*to != '/' && path_dir_len(path))
		to = path_join(ls->p, tsb_strndup(ls->p, path, path_dir_len(path)), to);
	if ((ls->indicator >= LS_FILE_TYPE || ls->check_links) && !tsb_stat(ls->p, to, &st)) {
		f->link_ok = true;
		f->link_mode = st.mode;
	}
}

static void add_widen(int *width, int n)
{
	if (n > *width)
		*width = n;
}

static int add_digits(uint64_t v)
{
	char buf[24];

	return (int)num_format_u64(buf, v);
}

static void add_long_widths(struct ls *ls, const struct ls_file *f)
{
	const struct tsb_stat *st = &f->st;
	char buf[HUMAN_SIZE];

	if (ls->owner)
		add_widen(&ls->w_owner, ls_id_width(ls_user_name(ls, st->uid), st->uid));
	if (ls->group)
		add_widen(&ls->w_group, ls_id_width(ls_group_name(ls, st->gid), st->gid));
	if (ls->author)
		add_widen(&ls->w_author, ls_id_width(ls_user_name(ls, st->uid), st->uid));
	add_widen(&ls->w_nlink, add_digits(st->nlink));
	if (S_ISCHR(st->mode) || S_ISBLK(st->mode)) {
		add_widen(&ls->w_major, add_digits(major(st->rdev)));
		add_widen(&ls->w_minor, add_digits(minor(st->rdev)));
		add_widen(&ls->w_size, ls->w_major + 2 + ls->w_minor);
	} else {
		add_widen(&ls->w_size, (int)strlen(human_format(buf, st->size, 1,
								&ls->file_block)));
	}
}

/* Behind a successful stat. Returns its blocks. */
static uint64_t add_details(struct ls *ls, struct ls_file *f, const char *path, bool operand)
{
	char buf[HUMAN_SIZE];

	f->stat_ok = true;
	if (S_ISLNK(f->st.mode) && (ls->format == LS_LONG || ls->check_links))
		add_link(ls, f, path, operand);
	f->type = ls_type_of(f->st.mode);
	if (f->type == LS_DIRECTORY && operand && !ls->immediate)
		f->type = LS_OPERAND_DIR;
	if (ls->format == LS_LONG || ls->blocks)
		add_widen(&ls->w_blocks, (int)strlen(human_format(buf, f->st.blocks, 512,
								  &ls->block)));
	if (ls->format == LS_LONG)
		add_long_widths(ls, f);
	if (ls->context)
		add_widen(&ls->w_context, 1);
	return f->st.blocks;
}

uint64_t ls_add(struct ls *ls, const char *name, int type, bool operand, const char *dir)
{
	struct ls_file *f;
	const char *path = name;
	uint64_t blocks = 0;
	int err;

	tsb_tick(ls->p, 1);
	ls->files = util_grow(ls->p, ls->files, ls->n_files, &ls->files_cap, sizeof(*f));
	f = &ls->files[ls->n_files];
	*f = (struct ls_file){ .type = type };
	if (ls->align_quotes && !ls->some_quoted) {
		f->name = tsb_strdup(ls->p, name);	/* what is not there counts, too */
		ls_show(ls, f);
		ls->some_quoted = f->quoted;
	}
	if (add_needs_stat(ls, type, operand)) {
		if (*name != '/' && *dir && strcmp(dir, "."))
			path = path_join(ls->p, dir, name);
		if (ls->hyperlink && (err = path_canon(ls->p, path, PATH_MAY_MISS, &f->absolute)))
			ls_fail(ls, operand, err, "error canonicalizing", path);
		err = add_stat(ls, f, path, operand);
		if (err)
			ls_fail(ls, operand, err, "cannot access", path);
		if (err && operand)
			return 0;
		if (!err)
			blocks = add_details(ls, f, path, operand);
	}
	if (ls->inode)
		add_widen(&ls->w_inode, add_digits(f->st.ino));
	if (!f->name)
		f->name = tsb_strdup(ls->p, name);
	ls->n_files++;
	return blocks;
}
