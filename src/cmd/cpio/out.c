/*
 * cpio -o: the files named on standard input into an archive.
 */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>

#include "cmd/cpio/cpio.h"

static void cpio_pad_out(struct cpio *c, uint64_t n)
{
	for (unsigned pad = cpio_pad(c, n); pad; pad--)
		pack_putc(&c->out, 0);
}

/* A file that has become shorter is filled up with zeros. */
static void cpio_dump(struct cpio *c, const struct cpio_head *h, int fd)
{
	unsigned char *b = tsb_alloc(c->p, PACK_BLOCK);
	uint64_t left = h->size;
	ssize_t n;

	while (left) {
		size_t want = left < PACK_BLOCK ? (size_t)left : PACK_BLOCK;

		tsb_tick(c->p, 8);
		n = tsb_read(c->p, fd, b, want);
		if (n <= 0) {
			cpio_error(c, n < 0 ? (int)n : 0, n < 0 ? "%s: Cannot read" :
				   "File %s shrunk, padding with zeros", h->name);
			memset(b, 0, want);
			n = (ssize_t)want;
		}
		pack_put(&c->out, b, (size_t)n);
		left -= (size_t)n;
	}
	tsb_free(c->p, b);
	cpio_pad_out(c, h->size);
}

static uint32_t cpio_sum(struct cpio *c, int fd)
{
	unsigned char *b = tsb_alloc(c->p, PACK_BLOCK);
	uint32_t sum = 0;
	ssize_t n;

	while ((n = tsb_read(c->p, fd, b, PACK_BLOCK)) > 0) {
		tsb_tick(c->p, 8);
		for (ssize_t i = 0; i < n; i++)
			sum += b[i];
	}
	tsb_lseek(c->p, fd, 0, 0);
	tsb_free(c->p, b);
	return sum;
}

static void cpio_reset_time(struct cpio *c, const char *name, const struct tsb_stat *st)
{
	struct tsb_setattr set = { .mask = TSB_SET_ATIME | TSB_SET_MTIME, .atime = st->atime, .mtime = st->mtime };

	if (c->reset_time)
		tsb_setattr(c->p, name, &set, true);
}

static void cpio_put_file(struct cpio *c, struct cpio_head *h, const char *path, const struct tsb_stat *st)
{
	int fd = tsb_open(c->p, path, O_RDONLY | O_CLOEXEC, 0);

	if (fd < 0) {
		cpio_error(c, fd, "%s: Cannot open", path);
		return;
	}
	if (c->format == CPIO_CRC)
		h->sum = cpio_sum(c, fd);
	cpio_write_head(c, h);
	cpio_dump(c, h, fd);
	tsb_close(c->p, fd);
	cpio_reset_time(c, path, st);
}

/* ---- Links ---- */

/* In the new formats the data of links comes with the last of them. */
static void cpio_put_waiting(struct cpio *c, const struct cpio_head *h)
{
	for (struct cpio_wait **at = &c->waiting; *at;) {
		struct cpio_wait *w = *at;

		if (w->head.ino != h->ino || w->head.dev_major != h->dev_major ||
		    w->head.dev_minor != h->dev_minor) {
			at = &w->next;
			tsb_tick(c->p, 1);
			continue;
		}
		*at = w->next;
		w->head.size = 0;
		cpio_write_head(c, &w->head);
	}
}

static bool cpio_is_last(struct cpio *c, const struct cpio_head *h)
{
	uint32_t seen = 1;

	for (const struct cpio_wait *w = c->waiting; w; w = w->next) {
		tsb_tick(c->p, 1);
		seen += w->head.ino == h->ino && w->head.dev_major == h->dev_major &&
			w->head.dev_minor == h->dev_minor;
	}
	return seen >= h->nlink;
}

static void cpio_wait_add(struct cpio *c, const struct cpio_head *h, const char *path)
{
	struct cpio_wait *w = tsb_alloc(c->p, sizeof(*w));

	w->head = *h;
	w->path = tsb_strdup(c->p, path);
	w->next = c->waiting;	/* the latest comes first, as GNU's does */
	c->waiting = w;
}

static bool cpio_others_wait(struct cpio *c, const struct cpio_wait *w)
{
	for (const struct cpio_wait *o = w->next; o; o = o->next) {
		tsb_tick(c->p, 1);
		if (o->head.ino == w->head.ino && o->head.dev_minor == w->head.dev_minor &&
		    o->head.dev_major == w->head.dev_major)
			return true;
	}
	return false;
}

/* Of links that were not all named the last to be written has the data. */
static void cpio_waiting_out(struct cpio *c)
{
	for (struct cpio_wait *w = c->waiting; w; w = w->next) {
		struct tsb_stat st;

		if (cpio_others_wait(c, w)) {
			w->head.size = 0;
			cpio_write_head(c, &w->head);
		} else if (!tsb_stat(c->p, w->path, &st)) {
			cpio_put_file(c, &w->head, w->path, &st);
		}
	}
	c->waiting = NULL;
}

/* A new number for an inode, with --renumber-inodes. */
static void cpio_renumber(struct cpio *c, struct cpio_head *h)
{
	struct map_entry *e;
	const char *key = cpio_inode(c, h->dev_major, h->dev_minor, h->ino);

	if (h->nlink < 2 || S_ISDIR(h->mode)) {
		h->ino = c->next_ino++;
		return;
	}
	e = map_put(&c->inodes, key, strlen(key));
	if (e && !e->value)
		e->value = (void *)(uintptr_t)++c->next_ino;
	h->ino = e ? (uint32_t)(uintptr_t)e->value - 1 : 0;
}

/* tar: a further name of a file; true when it is written. */
static bool cpio_tar_link(struct cpio *c, struct cpio_head *h)
{
	const char *key;
	struct map_entry *e;

	if (!cpio_is_tar(c) || h->nlink < 2)
		return false;
	key = cpio_inode(c, h->dev_major, h->dev_minor, h->ino);
	e = map_put(&c->inodes, key, strlen(key));
	if (e && !e->value) {
		e->value = tsb_strdup(c->p, h->name);
		return false;
	}
	h->link = e ? e->value : NULL;
	h->size = 0;
	cpio_write_head(c, h);
	return true;
}

/* ---- Members ---- */

static void cpio_put_symlink(struct cpio *c, struct cpio_head *h, const char *path)
{
	char *target = tsb_alloc(c->p, (size_t)h->size + 1);
	ssize_t n = tsb_readlink(c->p, path, target, (size_t)h->size);

	if (n < 0) {
		cpio_error(c, (int)n, "%s: Cannot readlink", path);
		return;
	}
	h->size = (uint64_t)n;
	if (cpio_is_tar(c)) {
		if (n > 100) {
			cpio_error(c, 0, "%s: symbolic link too long", path);
			return;
		}
		h->size = 0;
		h->link = target;
		cpio_write_head(c, h);
		return;
	}
	cpio_write_head(c, h);
	pack_put(&c->out, target, (size_t)n);
	cpio_pad_out(c, (uint64_t)n);
}

static bool cpio_put(struct cpio *c, struct cpio_head *h, const char *path, const struct tsb_stat *st)
{
	if (S_ISREG(h->mode)) {
		if (cpio_is_newc(c) && h->nlink > 1) {
			if (!cpio_is_last(c, h)) {
				cpio_wait_add(c, h, path);
				return true;
			}
			cpio_put_waiting(c, h);
		} else if (cpio_tar_link(c, h)) {
			return true;
		}
		cpio_put_file(c, h, path, st);
		return true;
	}
	if (S_ISLNK(h->mode)) {
		cpio_put_symlink(c, h, path);
		return true;
	}
	h->size = 0;
	if (S_ISDIR(h->mode) && cpio_is_tar(c)) {
		h->name = tsb_format(c->p, "%s/", h->name);
	} else if (!S_ISDIR(h->mode) && c->format == CPIO_TAR) {
		cpio_error(c, 0, "%s not dumped: not a regular file", path);
		c->status = 0;
		return false;
	}
	cpio_write_head(c, h);
	return true;
}

static void cpio_one(struct cpio *c, char *name)
{
	struct tsb_stat st;
	struct cpio_head h;
	int err = c->deref ? tsb_stat(c->p, name, &st) : tsb_lstat(c->p, name, &st);

	if (err) {
		cpio_error(c, err, "%s: Cannot stat", name);
		return;
	}
	cpio_head_of(c, &st, cpio_safe_name(c, cpio_member_name(c, name), false), &h);
	if (c->owner_set)
		h.uid = c->owner;
	if (c->group_set)
		h.gid = c->group;
	if (c->renumber)
		cpio_renumber(c, &h);
	if (c->no_devno)
		h.dev_major = h.dev_minor = 0;
	if (cpio_put(c, &h, name, &st))
		cpio_told(c, name, 2);
}

static void cpio_end(struct cpio *c)
{
	struct cpio_head h = { .nlink = 1, .name = (char *)(uintptr_t)"TRAILER!!!" };
	uint64_t over;

	if (cpio_is_tar(c))
		for (int i = 0; i < 1024; i++)
			pack_putc(&c->out, 0);
	else
		cpio_write_head(c, &h);
	over = pack_produced(&c->out) % c->block;
	for (uint64_t i = over; over && i < c->block; i++) {
		tsb_tick(c->p, i % 4096 == 0);
		pack_putc(&c->out, 0);
	}
	pack_flush(&c->out);
	if (c->out.error)
		cpio_fatal(c, c->out.error, "write error");
}

/* -A: the archive is read up to its end, which is written over. */
static void cpio_append(struct cpio *c)
{
	struct cpio_head h;
	uint64_t at = 0;

	pack_in_open(&c->in, c->p, c->out.fd);
	while (cpio_read_head(c, &h)) {
		cpio_skip(c, h.size);
		cpio_skip(c, cpio_pad(c, h.size));
		at = pack_consumed(&c->in);
	}
	tsb_lseek(c->p, c->out.fd, (int64_t)at, 0);
	tsb_ftruncate(c->p, c->out.fd, at);
	c->out.total = at;
}

void cpio_copy_out(struct cpio *c)
{
	struct tsb_reader in;
	uint64_t before;
	char *name;

	if (c->append)
		cpio_append(c);
	before = c->out.total;
	if (c->format == CPIO_UNKNOWN)
		c->format = CPIO_BIN;
	tsb_reader_init(&in, c->p, 0);
	while ((name = cpio_next_name(c, &in)))
		cpio_one(c, name);
	cpio_waiting_out(c);
	cpio_end(c);
	if (c->dot)
		tsb_write_all(c->p, 2, "\n", 1);
	cpio_blocks(c, pack_produced(&c->out) - before);
}
