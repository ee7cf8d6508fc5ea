/*
 * The actions of find that write names or remove files. Each file named by
 * -fprint and its like is opened once, before the walk begins.
 */
#include "cmd/find.h"

#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

#include "base/num.h"
#include "cmd/accounts.h"
#include "cmd/path.h"
#include "cmd/util.h"
#include "text/datefmt.h"

/* ---- Where output goes ---- */

struct find_out *find_out_open(struct find *f, const char *name)
{
	struct find_out *o;
	int fd = -1;

	for (size_t i = 0; i < f->outs.n; i++)
		if (name == f->outs.at[i]->name ||
		    (name && f->outs.at[i]->name && !strcmp(name, f->outs.at[i]->name)))
			return f->outs.at[i];
	if (name && !strcmp(name, "/dev/stdout"))
		return find_out_open(f, NULL);
	if (name)
		fd = !strcmp(name, "/dev/stderr") ? 2
		   : tsb_open(f->p, name, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
	if (name && fd < 0) {
		find_file_error(f, fd, name);
		tsb_exit(f->p, 1);
	}
	o = tsb_alloc(f->p, sizeof(*o));
	o->name = name;
	o->fd = fd;
	str_init(&o->buf, tsb_heap_of(f->p), STR_MAX_DEFAULT);
	*vec_add(tsb_heap_of(f->p), &f->outs) = o;
	return o;
}

static void out_flush_one(struct find *f, struct find_out *o)
{
	int err = 0;

	if (o->fd < 0)
		tsb_put(f->p, o->buf.p, o->buf.n);
	else if (o->buf.n)
		err = tsb_write_all(f->p, o->fd, o->buf.p, o->buf.n);
	str_reset(&o->buf);
	if (err && !o->error) {
		o->error = err;
		find_file_error(f, err, o->name);
	}
}

/* Standard output has its own buffer; standard error has none. */
void find_out_wrote(struct find *f, struct find_out *o)
{
	if (o->fd < 0 || o->fd == 2 || o->buf.n >= 4096)
		out_flush_one(f, o);
}

void find_out_flush(struct find *f)
{
	for (size_t i = 0; i < f->outs.n; i++)
		out_flush_one(f, f->outs.at[i]);
}

void find_out_end(struct find *f)
{
	int err;

	find_out_flush(f);
	err = tsb_flush(f->p);
	if (err)
		find_file_error(f, err, "standard output");
}

/* ---- Names ---- */

static bool out_print(struct find *f, struct find_pred *a)
{
	struct find_out *o = a->u.print.out;

	str_adds(&o->buf, f->e->path);
	str_addc(&o->buf, a->u.print.end);
	find_out_wrote(f, o);
	return true;
}

static bool out_add(struct find *f, const char *name, int end, find_eval *eval)
{
	struct find_pred *a = find_add(f, eval);

	a->u.print.out = find_out_open(f, name);
	a->u.print.end = end;
	f->prints = true;
	return true;
}

bool find_read_print(struct find *f, int end)
{
	return out_add(f, NULL, end, out_print);
}

bool find_read_fprint(struct find *f, int end)
{
	const char *name = find_arg(f);

	return name && out_add(f, name, end, out_print);
}

/* ---- -ls ---- */

enum { W_INODE, W_BLOCKS, W_LINKS, W_OWNER, W_GROUP, W_SIZE };

static void ls_number(struct find *f, struct str *s, int column, uint64_t v)
{
	char digits[24];
	int n = (int)num_format_u64(digits, v);

	if (n > f->widths[column])
		f->widths[column] = n;
	str_addf(s, "%*s ", f->widths[column], digits);
}

static void ls_owner(struct find *f, struct str *s, int column, const char *name, uint32_t id)
{
	char digits[24];
	int n;

	num_format_u64(digits, id);
	if (!name)
		name = digits;
	n = (int)strlen(name);
	if (n > f->widths[column])
		f->widths[column] = n;
	str_addf(s, "%-*s ", f->widths[column], name);
}

/* Blanks and what is no ASCII as in a C string, so that a line is a file. */
static void ls_name(struct str *s, const char *name)
{
	static const char from[] = "\b\f\n\r\t \"\\", to[] = "bfnrt \"\\";

	for (; *name; name++) {
		int c = (unsigned char)*name;
		const char *at = strchr(from, c);

		if (at) {
			str_addc(s, '\\');
			str_addc(s, to[at - from]);
		} else if (c < 32 || c > 126) {
			str_addf(s, "\\%03o", (unsigned)c);
		} else {
			str_addc(s, c);
		}
	}
}

static void ls_time(struct find *f, struct str *s, struct tsb_time t)
{
	bool recent = f->now.sec - 6 * 30 * 86400 <= t.sec && t.sec <= f->now.sec + 3600;
	const char *format = recent ? "%b %e %H:%M " : "%b %e  %Y ";
	struct date_moment m;

	if (date_moment(&m, t.sec, t.nsec, &f->zone))
		date_format(s, format, strlen(format), &m);
	else
		str_addf(s, "%12lld ", (long long)t.sec);
}

static void ls_target(struct find *f, struct str *s)
{
	char *target;
	int err;

	if (!S_ISLNK(f->e->st.mode))
		return;
	target = path_readlink(f->p, f->e->path, &err);
	if (!target) {
		find_file_error(f, err, f->e->path);
		return;
	}
	str_adds(s, " -> ");
	ls_name(s, target);
	tsb_free(f->p, target);
}

static bool out_ls(struct find *f, struct find_pred *a)
{
	struct str *s = &a->u.print.out->buf;
	const struct tsb_stat *st = &f->e->st;
	char mode[12];

	if (!find_stat(f))
		return true;
	ls_number(f, s, W_INODE, st->ino);
	ls_number(f, s, W_BLOCKS, (st->blocks + 1) / 2);
	util_mode_string(st->mode, mode);
	str_addf(s, "%s ", mode);
	ls_number(f, s, W_LINKS, st->nlink);
	ls_owner(f, s, W_OWNER, accounts_user_name(f->p, st->uid), st->uid);
	ls_owner(f, s, W_GROUP, accounts_group_name(f->p, st->gid), st->gid);
	if (S_ISCHR(st->mode) || S_ISBLK(st->mode))
		str_addf(s, "%3u, %3u ", major(st->rdev), minor(st->rdev));
	else
		ls_number(f, s, W_SIZE, st->size);
	ls_time(f, s, st->mtime);
	ls_name(s, f->e->path);
	ls_target(f, s);
	str_addc(s, '\n');
	find_out_wrote(f, a->u.print.out);
	return true;
}

bool find_read_ls(struct find *f, int value)
{
	(void)value;
	return out_add(f, NULL, 0, out_ls);
}

bool find_read_fls(struct find *f, int value)
{
	const char *name = find_arg(f);

	(void)value;
	return name && out_add(f, name, 0, out_ls);
}

/* ---- -delete ---- */

static bool out_delete(struct find *f, struct find_pred *a)
{
	int err;

	(void)a;
	if (!strcmp(f->e->path, "."))
		return true;
	/* With -L a link to a directory is taken for one, and stays. */
	err = S_ISDIR(f->e->st.mode) ? tsb_rmdir(f->p, f->e->path)
				     : tsb_unlink(f->p, f->e->path);
	if (!err)
		return true;
	tsb_warn_errno(f->p, err, "cannot delete %s", quote_text(f->p, f->e->path));
	f->status = 1;
	return false;
}

bool find_read_delete(struct find *f, int value)
{
	(void)value;
	f->prints = f->deletes = f->depth_first = true;
	find_add(f, out_delete);
	return true;
}
