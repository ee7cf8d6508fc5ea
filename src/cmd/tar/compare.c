/*
 * -d and --verify: members beside the files they are of.
 */
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>

#include "base/heap.h"
#include "cmd/path.h"
#include "cmd/tar/incremental.h"
#include "cmd/util.h"

static void differs(struct tar *t, const char *fmt)
{
	char *text = tsb_format(t->p, "%s: %s\n", tar_quote_colon(t, t->m.name), fmt);

	tar_out(t, text, strlen(text));
	t->status = t->status ? t->status : 1;
}

static bool get_stat(struct tar *t, struct tsb_stat *st)
{
	int err = t->dereference ? tsb_stat(t->p, t->m.name, st) : tsb_lstat(t->p, t->m.name, st);

	if (err < 0) {
		if (err == -2)
			tar_warn_cannot(t, "stat", t->m.name, err);
		else
			tar_cannot(t, "stat", t->m.name, err);
		t->status = t->status ? t->status : 1;
	}
	return err >= 0;
}

static bool same_contents(struct tar *t, int fd)
{
	const struct tar_member *m = &t->m;
	uint64_t left = m->stored, at = 0;
	char *buf = heap_alloc(tsb_heap_of(t->p), t->record_size);
	size_t part = 0;
	bool same = true;

	while (left) {
		unsigned char *b = tar_block(t);
		uint64_t offset = at;
		size_t n;

		if (!b) {
			tar_error(t, "Unexpected EOF in archive");
			break;
		}
		n = tar_blocks_ready(t) * TAR_BLOCK;
		n = n < left ? n : (size_t)left;
		if (m->sparse) {
			while (part < m->n_map && at >= m->map[part].bytes) {
				at = 0;
				part++;
			}
			if (part == m->n_map)
				break;
			n = n < m->map[part].bytes - at ? n : (size_t)(m->map[part].bytes - at);
			offset = m->map[part].offset + at;
		}
		if (same && (tsb_pread(t->p, fd, buf, n, offset) != (ssize_t)n ||
			     memcmp(buf, b, n)))
			same = false;
		tar_consume(t, (n + TAR_BLOCK - 1) / TAR_BLOCK);
		at += n;
		left -= n;
	}
	tsb_free(t->p, buf);
	return same;
}

static bool compare_attributes(struct tar *t, const struct tsb_stat *st)
{
	const struct tar_member *m = &t->m;
	struct tsb_time a = st->mtime, b = m->st.mtime;

	if ((st->mode & 07777) != (m->st.mode & 07777))
		differs(t, "Mode differs");
	if (st->uid != tar_find_uid(t, m))
		differs(t, "Uid differs");
	if (st->gid != tar_find_gid(t, m))
		differs(t, "Gid differs");
	if (!b.nsec)
		a.nsec = 0;
	if (util_time_cmp(a, b))
		differs(t, "Mod time differs");
	return true;
}

static void compare_file(struct tar *t)
{
	struct tsb_stat st;
	int fd;

	if (!get_stat(t, &st)) {
		tar_skip_member(t);
		return;
	}
	if (!S_ISREG(st.mode)) {
		differs(t, "File type differs");
		tar_skip_member(t);
		return;
	}
	compare_attributes(t, &st);
	if (st.size != t->m.st.size) {
		differs(t, "Size differs");
		tar_skip_member(t);
		return;
	}
	fd = tsb_open(t->p, t->m.name, O_RDONLY | O_CLOEXEC, 0);
	if (fd < 0) {
		tar_cannot(t, "open", t->m.name, fd);
		tar_skip_member(t);
		return;
	}
	if (!same_contents(t, fd))
		differs(t, "Contents differ");
	tsb_close(t->p, fd);
}

static void compare_link(struct tar *t)
{
	struct tsb_stat a, b;

	if (!get_stat(t, &a))
		return;
	if (tsb_lstat(t->p, t->m.link_name, &b)) {
		tar_warn_cannot(t, "stat", t->m.link_name, -2);
		t->status = t->status ? t->status : 1;
	} else if (!util_same_file(&a, &b)) {
		differs(t, tsb_format(t->p, "Not linked to %s", tar_quote(t, t->m.link_name)));
	}
}

static void compare_symlink(struct tar *t)
{
	int err = 0;
	char *target = path_readlink(t->p, t->m.name, &err);

	if (!target) {
		if (err == -2)
			tar_warn_cannot(t, "readlink", t->m.name, err);
		else
			tar_cannot(t, "readlink", t->m.name, err);
		t->status = t->status ? t->status : 1;
	} else if (strcmp(target, t->m.link_name)) {
		differs(t, "Symlink differs");
	}
}

static void compare_special(struct tar *t)
{
	struct tsb_stat st;

	if (!get_stat(t, &st))
		return;
	if ((st.mode & S_IFMT) != (t->m.st.mode & S_IFMT)) {
		differs(t, "File type differs");
		return;
	}
	if ((S_ISCHR(st.mode) || S_ISBLK(st.mode)) && st.rdev != t->m.st.rdev) {
		differs(t, "Device number differs");
		return;
	}
	if ((st.mode & 07777) != (t->m.st.mode & 07777))
		differs(t, "Mode differs");
}

void tar_compare_member(struct tar *t)
{
	if (t->verbose) {
		if (t->verify)
			tar_out(t, "Verify ", 7);
		tar_print_header(t, &t->m);
	}
	if (t->m.type == '1')
		compare_link(t);
	else if (t->m.type == '2')
		compare_symlink(t);
	else if (t->m.type == 'V')
		return;
	else if (S_ISREG(t->m.st.mode)) {
		compare_file(t);
		return;
	} else {
		if (t->m.dump && inc_differs(t, t->m.name))
			differs(t, "Contents differ");
		compare_special(t);
	}
	tar_skip_member(t);
}

void tar_verify(struct tar *t)
{
	struct map *links = &t->links;

	map_init(links, tsb_heap_of(t->p));
	t->names.n = 0;
	t->dir = 0;
	t->files_option = false;
	tar_read_all(t, tar_compare_member);
}
