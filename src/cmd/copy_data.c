/*
 * The contents of one regular file: how the destination is opened (in place,
 * or made anew; never through a dangling link), and the bytes, with holes
 * where the source has them or --sparse=always asks for them.
 */
#include "cmd/copy_impl.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cmd/path.h"

enum { DATA_BLOCK = 4096, DATA_BUFFER = 128 * 1024 };

static int data_open_source(struct copy *c, struct copy_job *j)
{
	int flags = O_RDONLY | (j->deref == COPY_DEREF_NEVER ? O_NOFOLLOW : 0);
	int fd = tsb_open(c->p, j->src, flags, 0), err;
	struct tsb_stat st;

	if (fd < 0) {
		tsb_warn_errno(c->p, fd, "cannot open %s for reading", quote_af(c->p, j->src));
		return fd;
	}
	err = tsb_fstat(c->p, fd, &st);
	if (err) {
		tsb_warn_errno(c->p, err, "cannot fstat %s", quote_af(c->p, j->src));
	} else if (!util_same_file(&st, &j->from)) {
		tsb_warn(c->p, "skipping file %s, as it was replaced while being copied",
			 quote_af(c->p, j->src));
		err = -EAGAIN;
	}
	if (!err)
		return fd;
	tsb_close(c->p, fd);
	return err;
}

/* An existing file, to be written in place. *fd is -ENOENT if it is to be made. */
static bool data_open_existing(struct copy *c, struct copy_job *j, int *fd)
{
	int err;

	*fd = tsb_open(c->p, j->dst, O_WRONLY | (c->o->attributes_only ? 0 : O_TRUNC), 0);
	if (*fd >= 0 || !c->o->unlink_after || *fd == -ENOENT)
		return true;
	err = tsb_unlink(c->p, j->dst);
	if (!err && c->o->verbose)
		tsb_printf(c->p, "removed %s\n", quote_af(c->p, j->dst));
	if (err && err != -ENOENT) {
		tsb_warn_errno(c->p, err, "cannot remove %s", quote_af(c->p, j->dst));
		return false;
	}
	*fd = -ENOENT;
	return true;
}

static bool data_open_new(struct copy *c, struct copy_job *j, uint32_t mode, int *fd)
{
	size_t n = strlen(j->dst);
	char byte;

	*fd = tsb_open(c->p, j->dst, O_WRONLY | O_CREAT | O_EXCL, mode & ~j->omitted);
	if (*fd == -EEXIST && !c->o->move && tsb_readlink(c->p, j->dst, &byte, 1) >= 0) {
		if (!c->o->through_dangling) {
			tsb_warn(c->p, "not writing through dangling symlink %s",
				 quote_af(c->p, j->dst));
			return false;
		}
		*fd = tsb_open(c->p, j->dst, O_WRONLY | O_CREAT, mode & ~j->omitted);
	}
	if (*fd == -EISDIR && n && j->dst[n - 1] == '/')
		*fd = -ENOTDIR;
	return true;
}

static int data_open_dest(struct copy *c, struct copy_job *j)
{
	uint32_t mode = (c->o->set_mode ? c->o->mode : j->src_mode) & 0777;
	int fd = -ENOENT;

	if (!j->is_new && !data_open_existing(c, j, &fd))
		return -1;
	if (fd == -ENOENT && !(c->o->move && !j->is_new)) {
		j->is_new = true;
		if (!data_open_new(c, j, mode, &fd))
			return -1;
	} else {
		j->omitted = 0;
	}
	if (fd < 0)
		tsb_warn_errno(c->p, fd, "cannot create regular file %s", quote_af(c->p, j->dst));
	return fd;
}

static bool data_is_zero(const char *s, size_t n)
{
	return !*s && !memcmp(s, s + 1, n - 1);
}

struct data_copy {
	struct copy *c;
	struct copy_job *j;
	int in, out;
	bool holes;		/* leave out blocks of zeros */
	bool hole_at_end;
};

/* Writes buf; with holes, block by block, seeking over the zeros. */
static int data_write(struct data_copy *d, const char *buf, size_t n)
{
	struct tsb_proc *p = d->c->p;

	if (!d->holes)
		return tsb_write_all(p, d->out, buf, n);
	while (n) {
		size_t k = n < DATA_BLOCK ? n : DATA_BLOCK;
		int64_t at = 0;
		int err = 0;

		d->hole_at_end = data_is_zero(buf, k);
		if (d->hole_at_end)
			at = tsb_lseek(p, d->out, (int64_t)k, SEEK_CUR);
		else
			err = tsb_write_all(p, d->out, buf, k);
		if (at < 0 || err)
			return at < 0 ? (int)at : err;
		buf += k;
		n -= k;
	}
	return 0;
}

/* A hole at the end is not there until the size says so. */
static int data_end_hole(struct data_copy *d)
{
	int64_t at;

	if (!d->hole_at_end)
		return 0;
	at = tsb_lseek(d->c->p, d->out, 0, SEEK_CUR);
	return at < 0 ? (int)at : tsb_ftruncate(d->c->p, d->out, (uint64_t)at);
}

static bool data_pump(struct data_copy *d)
{
	struct tsb_proc *p = d->c->p;
	char *buf = tsb_alloc(p, DATA_BUFFER);
	ssize_t n;
	int err = 0;

	while ((n = tsb_read(p, d->in, buf, DATA_BUFFER)) > 0 && !err) {
		tsb_tick(p, 1);
		err = data_write(d, buf, (size_t)n);
		if (err)
			break;
	}
	tsb_free(p, buf);
	if (n < 0) {
		tsb_warn_errno(p, (int)n, "error reading %s", quote_af(p, d->j->src));
		return false;
	}
	if (err) {
		tsb_warn_errno(p, err, "error writing %s", quote_af(p, d->j->dst));
		return false;
	}
	err = data_end_hole(d);
	if (err)
		tsb_warn_errno(p, err, "failed to extend %s", quote_af(p, d->j->dst));
	return !err;
}

/* Has the source holes, as far as its blocks tell? */
static bool data_is_sparse(const struct tsb_stat *st)
{
	return S_ISREG(st->mode) && st->blocks < st->size / 512;
}

static bool data_copy(struct copy *c, struct copy_job *j, int in, int out)
{
	struct data_copy d = { .c = c, .j = j, .in = in, .out = out };
	struct tsb_stat st;

	if (c->o->attributes_only)
		return true;
	if (c->o->reflink == COPY_REFLINK_ALWAYS) {
		/* No filesystem here shares extents on demand. */
		tsb_warn_errno(c->p, EOPNOTSUPP, "failed to clone %s from %s",
			       quote_af(c->p, j->dst), quote_af(c->p, j->src));
		return false;
	}
	if (!tsb_fstat(c->p, out, &st) && S_ISREG(st.mode) &&
	    c->o->sparse != COPY_SPARSE_NEVER)
		d.holes = c->o->sparse == COPY_SPARSE_ALWAYS || data_is_sparse(&j->from);
	return data_pump(&d);
}

enum copy_step copy_regular(struct copy *c, struct copy_job *j)
{
	enum copy_step step = COPY_FAIL;
	int in = data_open_source(c, j), out, err;

	if (in < 0)
		return COPY_UNDO;
	out = data_open_dest(c, j);
	if (out >= 0) {
		if (data_copy(c, j, in, out))
			step = copy_attributes_fd(c, j, out);
		err = tsb_close(c->p, out);
		if (err) {
			tsb_warn_errno(c->p, err, "failed to close %s", quote_af(c->p, j->dst));
			step = COPY_FAIL;
		}
	}
	tsb_close(c->p, in);
	return step == COPY_DONE ? COPY_NEXT : COPY_UNDO;
}
