/*
 * -r, -u, -A: more behind the last member of an archive.
 */
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>

#include "cmd/path.h"
#include "cmd/tar/tar.h"
#include "cmd/util.h"

static struct tar_name *find_name(struct tar *t, const char *text)
{
	for (size_t i = 0; i < t->names.n; i++)
		if (t->names.at[i].kind == TAR_NAME_FILE && !strcmp(t->names.at[i].text, text))
			return &t->names.at[i];
	return NULL;
}

/* A directory of the archive is replaced by what is in it now. */
static void expand_dir(struct tar *t, struct tar_name *name)
{
	const char *dir = name->text;
	size_t at = name->dir, kept = t->dir, n;
	char **names;

	name->found = 1;
	if (tsb_listdir(t->p, dir, &names, &n) < 0)
		return;
	t->dir = at;
	for (size_t i = 0; i < n; i++) {
		char *path = path_join(t->p, dir, names[i]);

		if (!find_name(t, path))
			tar_add_name(t, path, false);
		tsb_tick(t->p, 1);
	}
	t->dir = kept;
}

static void check_update(struct tar *t)
{
	struct tar_name *name = find_name(t, t->m.name);
	struct tsb_stat st;
	struct tsb_time mtime;

	if (!name || name->found)
		return;
	tar_enter_dir(t, name->dir);
	if (t->dereference ? tsb_stat(t->p, name->text, &st) : tsb_lstat(t->p, name->text, &st))
		return;
	mtime = st.mtime;
	if (!t->m.st.mtime.nsec)
		mtime.nsec = 0;
	if (S_ISDIR(st.mode))
		expand_dir(t, name);
	else if (util_time_cmp(mtime, t->m.st.mtime) <= 0)
		name->found = 1;
}

/* Passes all members: the block where more can be written. */
static uint64_t find_end(struct tar *t)
{
	enum tar_header last = TAR_H_UNREAD;

	for (;;) {
		enum tar_header status = tar_read_header(t);

		tsb_tick(t->p, 1);
		if (status == TAR_H_ZERO)
			return t->m.at_block;
		if (status == TAR_H_END && t->label && last == TAR_H_UNREAD)
			tar_fatal(t, "Archive not labeled to match %s", tar_quote_word(t, t->label));
		if (status == TAR_H_END)
			return tar_block_number(t);
		if (status == TAR_H_OK) {
			tar_global_label(t, false);
			tar_check_label(t);
			if (t->action == TAR_UPDATE)
				check_update(t);
			tar_skip_member(t);
		} else if (last == TAR_H_UNREAD) {
			tar_error(t, "This does not look like a tar archive");
			tar_error(t, "Skipping to next header");
		} else if (last != TAR_H_BAD) {
			tar_error(t, "Skipping to next header");
		}
		last = status;
	}
}

/* -A: the bytes of another archive as they are. */
static void append_archive(struct tar *t, const char *path)
{
	int fd = tsb_open(t->p, path, O_RDONLY | O_CLOEXEC, 0);
	bool end = false;

	if (fd < 0) {
		tar_cannot(t, "open", path, fd);
		return;
	}
	while (!end) {
		unsigned char *b = tar_block(t);
		size_t room = tar_blocks_ready(t) * TAR_BLOCK, have = 0;

		while (have < room && !end) {
			ssize_t got = tsb_read(t->p, fd, b + have, room - have);

			if (got < 0)
				tar_cannot(t, "read", path, (int)got);
			end = got <= 0;
			have += got > 0 ? (size_t)got : 0;
		}
		memset(b + have, 0, (TAR_BLOCK - have % TAR_BLOCK) % TAR_BLOCK);
		tar_consume(t, (have + TAR_BLOCK - 1) / TAR_BLOCK);
	}
	tsb_close(t->p, fd);
}

/* Without the zero blocks at its end an archive can be followed by another. */
static void append_archives(struct tar *t)
{
	for (size_t i = 0; i < t->names.n; i++) {
		struct tar_name *name = &t->names.at[i];

		if (name->kind != TAR_NAME_FILE)
			continue;
		name->found = 1;
		if (t->interactive && !tar_confirm(t, "add", name->text))
			continue;
		tar_enter_dir(t, name->dir);
		append_archive(t, name->text);
	}
	tar_enter_dir(t, 0);
}

void tar_update(struct tar *t)
{
	uint64_t end;

	tar_open(t, TAR_MODIFY);
	end = find_end(t);
	tar_enter_dir(t, 0);
	tar_write_from(t, end);
	if (t->action == TAR_CAT)
		append_archives(t);
	else
		tar_dump_names(t);
	tar_end_of_archive(t);
	tar_close(t);
	tar_remove_added(t);
}
