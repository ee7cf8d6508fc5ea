/*
 * cpio -p: the files named on standard input copied into a directory.
 */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>

#include "cmd/cpio/cpio.h"
#include "cmd/path.h"

static void cpio_copy_file(struct cpio *c, const struct cpio_head *h, const char *from, const struct tsb_stat *st)
{
	struct tsb_setattr back = { .mask = TSB_SET_ATIME | TSB_SET_MTIME, .atime = st->atime, .mtime = st->mtime };
	int in = tsb_open(c->p, from, O_RDONLY | O_CLOEXEC, 0), out;
	unsigned char *b;
	ssize_t n;

	if (in < 0) {
		cpio_error(c, in, "%s: Cannot open", from);
		return;
	}
	out = cpio_create(c, h->name);
	if (out < 0) {
		tsb_close(c->p, in);
		return;
	}
	b = tsb_alloc(c->p, PACK_BLOCK);
	while ((n = tsb_read(c->p, in, b, PACK_BLOCK)) > 0) {
		tsb_tick(c->p, 8);
		cpio_write_data(c, out, h->name, b, (size_t)n);
		c->data += (size_t)n;
	}
	if (n < 0)
		cpio_error(c, (int)n, "%s: Cannot read", from);
	tsb_free(c->p, b);
	tsb_close(c->p, in);
	if (c->reset_time)
		tsb_setattr(c->p, from, &back, true);
	cpio_end_file(c, out, h);
}

/* A second name of what was copied already, or with -l a name of the original. */
static bool cpio_pass_link(struct cpio *c, const struct cpio_head *h, const char *from)
{
	if (c->link && !S_ISDIR(h->mode)) {
		bool verbose = c->verbose;
		int err;

		c->verbose = false;
		err = cpio_link(c, from, h->name);
		c->verbose = verbose;
		if (!err)
			return true;
		if (err != -EXDEV) {
			cpio_error(c, err, "cannot link %s to %s", from, h->name);
			return true;
		}
	}
	return !S_ISDIR(h->mode) && cpio_link_inode(c, h);
}

static void cpio_pass_one(struct cpio *c, const char *from, const char *to)
{
	struct tsb_stat st;
	struct cpio_head h;
	char *target;
	int err = c->deref ? tsb_stat(c->p, from, &st) : tsb_lstat(c->p, from, &st);

	if (err) {
		cpio_error(c, err, "%s: Cannot stat", from);
		return;
	}
	cpio_head_of(c, &st, to, &h);
	if (!cpio_make_way(c, &h))
		return;
	if (cpio_pass_link(c, &h, from)) {
		;
	} else if (S_ISREG(h.mode)) {
		cpio_copy_file(c, &h, from, &st);
	} else if (S_ISLNK(h.mode)) {
		target = path_readlink(c->p, from, &err);
		if (target)
			cpio_make_symlink(c, &h, target);
		else
			cpio_error(c, err, "%s: Cannot readlink", from);
	} else {
		cpio_make_special(c, &h);
	}
	cpio_told(c, to, 2);
}

void cpio_copy_pass(struct cpio *c, const char *dir)
{
	struct tsb_reader in;
	char *name;

	tsb_reader_init(&in, c->p, 0);
	while ((name = cpio_next_name(c, &in))) {
		const char *to = name + strspn(name, "/");

		if (strcmp(name, ".") && strcmp(name, "./"))
			cpio_pass_one(c, name, tsb_format(c->p, "%s/%s", dir, to));
	}
	cpio_finish_files(c);
	if (c->dot)
		tsb_write_all(c->p, 2, "\n", 1);
	cpio_blocks(c, c->data);
}
