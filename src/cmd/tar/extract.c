/*
 * Extraction: one member becomes a file. What is in the way goes or stays by
 * the options about old files.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/stat.h>

#include "cmd/path.h"
#include "cmd/remove.h"
#include "cmd/tar/incremental.h"
#include "cmd/util.h"

enum recovery { RECOVER_NO, RECOVER_AGAIN, RECOVER_SKIP };

void tar_extract_finish(struct tar *t)
{
	tar_delay_end(t);
}

/* ---- What is in the way ---- */

static bool remove_tree(struct tar *t, const char *name)
{
	char *paths[] = { tsb_strdup(t->p, name), NULL };
	struct remove r = { .p = t->p, .ask = REMOVE_ASK_NEVER, .force = true, .recursive = true };

	return remove_all(&r, 1, paths);
}

static int remove_one(struct tar *t, const char *name, bool tree)
{
	int err = tsb_unlink(t->p, name);

	if (err != -EISDIR && err != -EPERM)
		return err;
	err = tsb_rmdir(t->p, name);
	return err && tree && remove_tree(t, name) ? 0 : err;
}

static bool backed_up(struct tar *t, const char *name)
{
	struct tsb_stat st;
	char *to = NULL;
	int err;

	if (!t->backup.wanted || tsb_lstat(t->p, name, &st) || S_ISDIR(st.mode) ||
	    (!S_ISREG(st.mode) && !S_ISLNK(st.mode)))
		return true;
	err = backup_rename(t->p, &t->backup, name, &to);
	if (err < 0) {
		tar_error(t, "%s: Cannot rename to %s: %s", tar_quote_colon(t, name),
			  tar_quote_word(t, to ? to : "?"), tsb_strerror(err));
		tar_error(t, "%s: Was unable to backup this file: %s", tar_quote_colon(t, name),
			  tsb_strerror(err));
		return false;
	}
	if (t->verbose) {
		char *text = tsb_format(t->p, "Renaming %s to %s\n", tar_quote_word(t, name),
					tar_quote_word(t, to));

		tar_out(t, text, strlen(text));
	}
	return true;
}

/* The directories above name. false: there is nothing to be made. */
bool tar_make_parents(struct tar *t, const char *name)
{
	char *path = tsb_strdup(t->p, name);
	struct tsb_stat st;
	bool made = false;
	int err;

	for (char *at = path; (at = strchr(at, '/')); at++) {
		if (at == path || at[-1] == '/' || at[1] == '\0')
			continue;
		*at = '\0';
		err = path_is_dot(path_last(path)) ? -EEXIST : tsb_mkdir(t->p, path, 0777);
		made |= !err;
		if (err < 0 && err != -EEXIST && tsb_stat(t->p, path, &st)) {
			tar_cannot(t, "mkdir", path, err);
			break;
		}
		*at = '/';
	}
	return made;
}

static bool is_newer(struct tar *t, const char *name)
{
	struct tsb_stat st;

	return !tsb_lstat(t->p, name, &st) && util_time_cmp(st.mtime, t->m.st.mtime) >= 0;
}

/* After a failure with err: what can be done about it? */
static enum recovery recover(struct tar *t, const char *name, int err, bool is_dir)
{
	struct tsb_stat st;

	if (err == -ENOENT)
		return tar_make_parents(t, name) ? RECOVER_AGAIN : RECOVER_NO;
	if (err == -ENOTDIR && t->old_files == TAR_OLD_UNLINK)
		return RECOVER_NO;
	if (err != -EEXIST && err != -EISDIR && err != -ETXTBSY && err != -ELOOP)
		return RECOVER_NO;
	switch ((enum tar_old)t->old_files) {
	case TAR_OLD_SKIP:
		tar_warn(t, TAR_W_EXISTING_FILE, "%s: skipping existing file", name);
		return RECOVER_SKIP;
	case TAR_OLD_KEEP:
		return RECOVER_NO;
	case TAR_OLD_KEEP_NEWER:
		if (is_newer(t, name)) {
			tar_say(t, "Current %s is newer or same age", tar_quote_word(t, name));
			return RECOVER_SKIP;
		}
		break;
	case TAR_OLD_DEFAULT: case TAR_OLD_NO_OVERWRITE_DIR: case TAR_OLD_OVERWRITE:
	case TAR_OLD_UNLINK:
		break;
	}
	if (is_dir && !tsb_lstat(t->p, name, &st) && S_ISDIR(st.mode))
		return RECOVER_NO;
	return remove_one(t, name, t->recursive_unlink) ? RECOVER_NO : RECOVER_AGAIN;
}

/* Before anything is made: false when the member is to be passed over. */
static bool prepare(struct tar *t, const char *name, bool is_dir)
{
	struct tsb_stat st;
	int err = 0;

	if (t->to_stdout || t->to_command)
		return true;
	if (t->old_files == TAR_OLD_UNLINK && !tsb_lstat(t->p, name, &st))
		err = remove_one(t, name, t->recursive_unlink);
	if (err && err != -ENOENT && !path_is_dot(name)) {
		tar_cannot(t, "unlink", name, err);
		return false;
	}
	if (t->old_files == TAR_OLD_KEEP_NEWER && !is_dir && is_newer(t, name)) {
		tar_say(t, "Current %s is newer or same age", tar_quote_word(t, name));
		return false;
	}
	return is_dir || backed_up(t, name);
}

/* ---- Data ---- */

static bool write_block(struct tar *t, int fd, const char *name, const unsigned char *b, size_t n)
{
	int err = fd < 0 ? 0 : tsb_write_all(t->p, fd, b, n);

	if (err < 0 && !(err == -EPIPE && t->to_command))
		tar_cannot(t, "write", name, err);
	return err >= 0;
}

/* Data in the order of the archive, in runs as long as the record gives. */
static void copy_data(struct tar *t, int fd, const char *name, uint64_t left)
{
	bool good = true;

	while (left) {
		unsigned char *b = tar_block(t);
		size_t n;

		if (!b)		/* said of this data, and of all that should follow */
			tar_error(t, "Unexpected EOF in archive");
		if (!b)
			tar_fatal(t, "Unexpected EOF in archive");
		n = tar_blocks_ready(t) * TAR_BLOCK;
		n = n < left ? n : (size_t)left;
		if (good)
			good = write_block(t, fd, name, b, n);
		tar_consume(t, (n + TAR_BLOCK - 1) / TAR_BLOCK);
		left -= n;
	}
}

static void copy_zeros(struct tar *t, int fd, const char *name, uint64_t n)
{
	static const unsigned char zeros[4096];

	while (n) {
		size_t part = n < sizeof(zeros) ? (size_t)n : sizeof(zeros);

		tsb_tick(t->p, 1);
		if (!write_block(t, fd, name, zeros, part))
			return;
		n -= part;
	}
}

static void copy_sparse(struct tar *t, int fd, const char *name)
{
	struct tar_member *m = &t->m;
	bool can_seek = fd != 1 && !t->to_command;
	uint64_t at = 0, stored = m->stored, part;
	bool short_said = false;

	for (size_t i = 0; i < m->n_map; i++) {
		const struct tar_hole_map *h = &m->map[i];

		if (h->offset < at)
			break;
		if (can_seek)
			tsb_lseek(t->p, fd, (int64_t)h->offset, 0);
		else
			copy_zeros(t, fd, name, h->offset - at);
		part = h->bytes < stored ? h->bytes : stored;
		if (part < h->bytes && !short_said)
			tar_error(t, "Unexpected EOF in archive");
		short_said |= part < h->bytes;
		copy_data(t, fd, name, part);
		part = (part + TAR_BLOCK - 1) / TAR_BLOCK * TAR_BLOCK;
		stored -= part < stored ? part : stored;
		at = h->offset + h->bytes;
	}
	tar_skip(t, stored);
	if (can_seek) {
		int err = tsb_ftruncate(t->p, fd, m->real_size);

		if (err < 0)
			tar_cannot(t, "truncate", name, err);
	} else if (at < m->real_size) {
		copy_zeros(t, fd, name, m->real_size - at);
	}
}

static void extract_data(struct tar *t, int fd, const char *name)
{
	if (t->m.sparse)
		copy_sparse(t, fd, name);
	else
		copy_data(t, fd, name, t->m.stored);
}

/* ---- Kinds ---- */

static int open_file(struct tar *t, const char *name, bool *skip)
{
	bool over = t->old_files == TAR_OLD_OVERWRITE;
	int flags = O_WRONLY | O_CREAT | O_CLOEXEC | (over ? O_TRUNC : O_EXCL) |
		    (t->dereference ? 0 : O_NOFOLLOW);
	uint32_t mode = tar_mode_of(t, &t->m) & 0777;
	int fd;

	if (t->same_owner)
		mode &= 0700;
	for (int tries = 0;; tries++) {
		enum recovery r;

		fd = tsb_open(t->p, name, flags, mode);
		if (fd >= 0)
			return fd;
		r = tries < 3 ? recover(t, name, fd, false) : RECOVER_NO;
		*skip = r == RECOVER_SKIP;
		if (r != RECOVER_AGAIN)
			return fd;
	}
}

static void extract_file(struct tar *t, const char *name)
{
	bool skip = false;
	int fd, pid = 0, err;

	if (t->to_stdout) {
		tsb_flush(t->p);
		extract_data(t, 1, name);
		return;
	}
	if (t->to_command) {
		fd = tar_command_start(t, &pid);
		extract_data(t, fd, name);
		tar_command_end(t, fd, pid);
		return;
	}
	fd = open_file(t, name, &skip);
	if (fd < 0) {
		if (!skip)
			tar_cannot(t, "open", name, fd);
		tar_skip_member(t);
		return;
	}
	extract_data(t, fd, name);
	tar_set_attributes(t, name, &t->m, fd, UINT32_MAX, false);
	err = tsb_close(t->p, fd);
	if (err < 0)
		tar_cannot(t, "close", name, err);
}

/* An existing directory may serve: *now is its mode. */
static bool dir_is_there(struct tar *t, const char *name, uint32_t *now)
{
	struct tsb_stat st;

	if (t->keep_dirlink ? tsb_stat(t->p, name, &st) : tsb_lstat(t->p, name, &st))
		return false;
	*now = st.mode;
	return S_ISDIR(st.mode);
}

/* A directory that keeps its mode and times, but can be written until the end. */
static void keep_dir(struct tar *t, const char *name)
{
	struct tsb_setattr set = { .mask = TSB_SET_MODE };
	struct tar_member m = t->m;

	if (tsb_lstat(t->p, name, &m.st))
		return;
	set.mode = (m.st.mode & 07777) | 0700;
	if (!tsb_setattr(t->p, name, &set, false))
		tar_delay_dir(t, name, &m, set.mode, false);
}

static void extract_dir(struct tar *t, const char *name)
{
	uint32_t mode = (t->m.st.mode | (t->is_root ? 0u : 0300u)) & 0777, now = UINT32_MAX;
	bool made = true;
	int err;

	if (t->incremental)
		inc_purge(t, name);
	if (t->same_owner || t->same_mode)
		mode &= ~(t->same_owner ? 077u : 0u);
	for (int tries = 0; (err = tsb_mkdir(t->p, name, mode)) < 0; tries++) {
		enum recovery r;

		if (err == -EEXIST && (t->old_files != TAR_OLD_UNLINK || tries) &&
		    dir_is_there(t, name, &now)) {
			if (t->old_files == TAR_OLD_SKIP)
				tar_warn(t, TAR_W_EXISTING_FILE, "%s: skipping existing file",
					 name);
			made = false;
			break;
		}
		if (err == -EEXIST && t->old_files == TAR_OLD_UNLINK && !tries &&
		    t->recursive_unlink && remove_tree(t, name))
			continue;
		r = tries < 3 ? recover(t, name, err, true) : RECOVER_NO;
		if (r == RECOVER_AGAIN || (err == -EEXIST && t->old_files == TAR_OLD_UNLINK &&
					   !tries))
			continue;
		if (r == RECOVER_NO)
			tar_cannot(t, "mkdir", name, err);
		return;
	}
	if (!made && t->old_files == TAR_OLD_NO_OVERWRITE_DIR)
		keep_dir(t, name);
	if (made || t->old_files == TAR_OLD_DEFAULT || t->old_files == TAR_OLD_OVERWRITE ||
	    t->old_files == TAR_OLD_UNLINK)
		tar_delay_dir(t, name, &t->m, now, made);
}

/* make(): 0 or -errno. The name of what is being made is in the messages. */
static void extract_by(struct tar *t, const char *name, int (*make)(struct tar *, const char *),
		       const char *verb, bool attributes)
{
	int err;

	for (int tries = 0; (err = make(t, name)) < 0; tries++) {
		enum recovery r = tries < 3 ? recover(t, name, err, false) : RECOVER_NO;

		if (r == RECOVER_AGAIN)
			continue;
		if (r == RECOVER_NO)
			tar_cannot(t, verb, name, err);
		return;
	}
	if (attributes)
		tar_set_attributes(t, name, &t->m, -1, UINT32_MAX, t->m.type == '2');
}

static int make_symlink(struct tar *t, const char *name)
{
	return tsb_symlink(t->p, t->m.link_name, name);
}

static int make_placeholder(struct tar *t, const char *name)
{
	int fd = tsb_open(t->p, name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0);

	if (fd >= 0) {
		tsb_close(t->p, fd);
		tar_delay_link(t, name, &t->m);
	}
	return fd < 0 ? fd : 0;
}

static int make_hard_link(struct tar *t, const char *name)
{
	const char *target = t->m.link_name;
	struct tsb_stat a, b;
	int err;

	err = tsb_link(t->p, target, name, false);
	if (!err)
		tar_delay_link_also(t, target, name);
	if (err == -EEXIST && !tsb_lstat(t->p, target, &a) && !tsb_lstat(t->p, name, &b) &&
	    util_same_file(&a, &b))
		return 0;
	return err;
}

static int make_node(struct tar *t, const char *name)
{
	uint32_t mode = tar_mode_of(t, &t->m) & 0777;

	return tsb_mknod(t->p, name, (t->m.st.mode & S_IFMT) | mode, t->m.st.rdev);
}

static void extract_symlink(struct tar *t, const char *name)
{
	bool out = !t->absolute && (t->m.link_name[0] == '/' || tar_has_dotdot(t->m.link_name));

	if (out)
		extract_by(t, name, make_placeholder, "open", false);
	else
		extract_by(t, name, make_symlink,
			   tsb_format(t->p, "create symlink to %s",
				      tar_quote_word(t, t->m.link_name)), true);
}

static void extract_link(struct tar *t, const char *name)
{
	extract_by(t, name, make_hard_link, tsb_format(t->p, "hard link to %s",
						       tar_quote_word(t, t->m.link_name)), false);
}

static void extract_kind(struct tar *t, const char *name)
{
	bool only_data = t->to_stdout || t->to_command;

	if (S_ISDIR(t->m.st.mode)) {
		if (!only_data)
			extract_dir(t, name);
		tar_skip_member(t);
	} else if (t->m.type == '1' || t->m.type == '2') {
		if (!only_data)
			(t->m.type == '1' ? extract_link : extract_symlink)(t, name);
		tar_skip_member(t);
	} else if (t->m.type == 'M') {
		tar_error(t, "%s: Cannot extract -- file is continued from another volume",
			  tar_quote_colon(t, name));
		tar_skip_member(t);
	} else if (S_ISREG(t->m.st.mode)) {
		if (t->m.type == '7' && !t->contiguous_said)
			tar_warn(t, TAR_W_CONTIGUOUS_CAST, "Extracting contiguous files as regular files");
		t->contiguous_said |= t->m.type == '7';
		if (t->m.type && !strchr("07S", t->m.type))
			tar_warn(t, TAR_W_UNKNOWN_CAST, "%s: Unknown file type '%c', extracted as "
				 "normal file", tar_quote_colon(t, name), t->m.type);
		extract_file(t, name);
	} else {
		if (!only_data)
			extract_by(t, name, make_node, S_ISFIFO(t->m.st.mode) ? "mkfifo" : "mknod",
				   true);
		tar_skip_member(t);
	}
}

void tar_extract_member(struct tar *t)
{
	const char *name = t->m.name;

	if (t->m.type == 'V') {
		if (t->verbose)
			tar_print_header(t, &t->m);
		tar_skip_member(t);
		return;
	}
	if (!*t->m.name) {
		tar_skip_member(t);
		return;
	}
	if (!t->absolute && tar_has_dotdot(t->m.orig_name)) {
		tar_error(t, "%s: Member name contains '..'",
			  tar_quote_colon(t, t->m.orig_name));
		tar_skip_member(t);
		return;
	}
	if (t->interactive && !tar_confirm(t, "extract", t->m.name)) {
		tar_skip_member(t);
		return;
	}
	if (t->verbose)
		tar_print_header(t, &t->m);
	if (!t->delay_dirs)
		tar_delay_release(t, name);
	if (!prepare(t, name, S_ISDIR(t->m.st.mode))) {
		tar_skip_member(t);
		return;
	}
	extract_kind(t, name);
}
