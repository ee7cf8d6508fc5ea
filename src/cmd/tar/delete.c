/*
 * --delete: members taken out of an archive, the rest moved together. An archive that comes by
 * standard input is worked on in a file, and goes to standard output.
 */
#include <fcntl.h>
#include <string.h>

#include "base/heap.h"
#include "cmd/tar/tar.h"
#include "cmd/tempname.h"
#include "cmd/util.h"

struct kept {
	uint64_t from, to;	/* blocks */
};

static void copy_kept(struct tar *t, int fd, const struct kept *k, char *buf, size_t room)
{
	uint64_t at = k->from * TAR_BLOCK, left = (k->to - k->from) * TAR_BLOCK;

	while (left) {
		size_t want = left < room ? (size_t)left : room;
		ssize_t got = tsb_pread(t->p, fd, buf, want, at);

		if (got <= 0)
			tar_fatal(t, "Unexpected EOF in archive");
		got -= got % TAR_BLOCK;
		for (ssize_t done = 0; done < got; done += TAR_BLOCK) {
			memcpy(tar_block(t), buf + done, TAR_BLOCK);
			tar_consume(t, 1);
		}
		at += (uint64_t)got;
		left -= (uint64_t)got;
	}
}

static void rewrite(struct tar *t, const struct kept *kept, size_t n, uint64_t first)
{
	size_t room = (size_t)128 << 10;
	char *buf = heap_alloc(tsb_heap_of(t->p), room);
	int fd = tsb_open(t->p, t->archive, 0, 0);

	if (fd < 0)
		tar_fatal(t, "%s: Cannot open: %s", tar_quote_colon(t, t->archive),
			  tsb_strerror(fd));
	tar_write_from(t, first);
	for (size_t i = 0; i < n; i++)
		if (kept[i].from >= first)
			copy_kept(t, fd, &kept[i], buf, room);
	tar_end_of_archive(t);
	tsb_close(t->p, fd);
}

static void copy_all(struct tar *t, int from, int to)
{
	size_t room = (size_t)128 << 10;
	char *buf = heap_alloc(tsb_heap_of(t->p), room);
	ssize_t n;
	int err = 0;

	while (!err && (n = tsb_read(t->p, from, buf, room)) != 0)
		err = n < 0 ? (int)n : tsb_write_all(t->p, to, buf, (size_t)n);
	if (err)
		tar_fatal(t, "-: Cannot copy: %s", tsb_strerror(err));
}

/* Standard input as a file, by name. */
static const char *spool(struct tar *t)
{
	char *name = tsb_strdup(t->p, "/tmp/tarXXXXXXXX");
	int fd;

	tempname_fill(t->p, name + strlen(name) - 8, 8);
	fd = tsb_open(t->p, name, O_WRONLY | O_CREAT | O_EXCL, 0600);
	if (fd < 0)
		tar_fatal(t, "%s: Cannot open: %s", name, tsb_strerror(fd));
	copy_all(t, 0, fd);
	tsb_close(t->p, fd);
	return name;
}

static void unspool(struct tar *t, bool show)
{
	int fd = tsb_open(t->p, t->archive, O_RDONLY, 0);

	tsb_unlink(t->p, t->archive);
	if (show && fd >= 0)
		copy_all(t, fd, 1);
}

void tar_delete(struct tar *t)
{
	enum tar_header last = TAR_H_UNREAD, status;
	struct kept *kept = NULL;
	size_t n = 0, cap = 0;
	uint64_t first = UINT64_MAX;
	bool piped = !t->archive || !strcmp(t->archive, "-");

	if (piped)
		t->archive = spool(t);
	tar_open(t, TAR_MODIFY);
	while ((status = tar_read_header(t)) != TAR_H_ZERO && status != TAR_H_END) {
		uint64_t from = t->m.at_block;
		bool drop;

		tsb_tick(t->p, 1);
		if (status == TAR_H_BAD) {
			if (last == TAR_H_UNREAD)
				tar_error(t, "This does not look like a tar archive");
			if (last != TAR_H_BAD)
				tar_error(t, "Skipping to next header");
			last = status;
			continue;
		}
		last = status;
		tar_global_label(t, false);
		tar_check_label(t);
		drop = t->names.n && tar_wanted(t, t->m.name);
		tar_skip_member(t);
		if (drop) {
			first = first == UINT64_MAX ? from : first;
			tar_count_deleted(t, tar_block_number(t) - from);
			continue;
		}
		kept = util_grow(t->p, kept, n, &cap, sizeof(*kept));
		kept[n++] = (struct kept){ from, tar_block_number(t) };
	}
	tar_enter_dir(t, 0);
	if (first != UINT64_MAX)
		rewrite(t, kept, n, first);
	tar_close(t);
	if (piped)
		unspool(t, first != UINT64_MAX || (n && status == TAR_H_END));
}
