/*
 * Creation of one member: what the file is, its header, its data.
 */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>

#include "cmd/mode.h"
#include "cmd/path.h"
#include "cmd/tar/incremental.h"
#include "cmd/util.h"

void tar_failed_read(struct tar *t, const char *verb, const char *name, int err)
{
	if (t->ignore_failed_read) {
		if (t->warnings & TAR_W_FAILED_READ)
			tar_warn_cannot(t, verb, name, err);
	} else {
		tar_cannot(t, verb, name, err);
	}
}

/* ---- Tags and ignore files ---- */

static bool is_cache_tag(struct tar *t, const char *path)
{
	static const char signature[] = "Signature: 8a477f597d28d172789f06886806bc55";
	char text[sizeof(signature) - 1];
	int fd = tsb_open(t->p, path, O_RDONLY | O_CLOEXEC, 0);
	ssize_t n;

	if (fd < 0)
		return false;
	n = tsb_read(t->p, fd, text, sizeof(text));
	tsb_close(t->p, fd);
	return n == (ssize_t)sizeof(text) && !memcmp(text, signature, sizeof(text));
}

int tar_find_tag(struct tar *t, const char *path, const char **name)
{
	struct tsb_stat st;

	for (size_t i = 0; i < t->tags.n; i++) {
		const struct tar_tag *tag = &t->tags.at[i];
		char *file;

		if (tag->from > t->name_at)
			continue;
		file = path_join(t->p, path, tag->name);
		if (tsb_stat(t->p, file, &st) || (tag->is_cachedir && !is_cache_tag(t, file)))
			continue;
		*name = tag->name;
		return (int)tag->kind;
	}
	return TAR_TAGS_NONE;
}

void tar_add_ignores(struct tar *t, const char *path)
{
	for (size_t i = 0; i < t->ignores.n; i++) {
		const struct tar_ignore *ignore = &t->ignores.at[i];
		struct tsb_reader in;
		char *line;
		size_t n;
		int fd;

		if (ignore->from > t->name_at)
			continue;
		fd = tsb_open(t->p, path_join(t->p, path, ignore->file), O_RDONLY | O_CLOEXEC, 0);
		if (fd < 0)
			continue;
		tsb_reader_init(&in, t->p, fd);
		while ((n = tsb_getdelim(&in, &line, '\n'))) {
			while (n && (line[n - 1] == '\n' || line[n - 1] == ' '))
				line[--n] = '\0';
			if (n && *line != '#')
				tar_add_exclude(t, line, ignore->match |
						(ignore->recursive ? 0u : TAR_MATCH_DIRECT),
						tsb_strdup(t->p, path));
		}
		tsb_reader_end(&in);
		tsb_close(t->p, fd);
	}
}

/* ---- The header ---- */

/* The member's name and attributes as they go into the archive. */
static void fill_member(struct tar *t, struct tar_member *m, const char *path)
{
	bool is_dir = S_ISDIR(m->st.mode);
	const char *slash = is_dir && path[strlen(path) - 1] != '/' ? "/" : "";
	const char *name;

	m->orig_name = tsb_format(t->p, "%s%s", path, slash);
	name = tar_transform(t, tar_safe_name(t, path, false), TAR_XFORM_FILE);
	m->name = tsb_format(t->p, "%s%s", name,
			     is_dir && (!*name || name[strlen(name) - 1] != '/') ? "/" : "");
	if (is_dir && t->absolute && !strcmp(path, "/"))
		m->name = tsb_strdup(t->p, "/");
	m->trailing_slash = is_dir;
	m->format = (enum tar_format)t->format;
	tar_map_owner(t, m);
	if (t->mode)
		m->st.mode = (m->st.mode & S_IFMT) | mode_apply(t->mode, m->st.mode & 07777, is_dir,
								t->umask, NULL);
	if (t->mtime_set && (!t->clamp_mtime || util_time_cmp(m->st.mtime, t->mtime) > 0))
		m->st.mtime = t->mtime;
}

static bool write_header(struct tar *t, struct tar_member *m)
{
	uint64_t at = tar_block_number(t);

	if (!tar_write_header(t, m))
		return false;
	m->at_block = m->shown_block = at;
	if (t->verbose)
		tar_print_header(t, m);
	return true;
}

/* ---- Data ---- */

/* false: the file had become shorter. */
static bool dump_data(struct tar *t, struct tar_member *m, int fd)
{
	uint64_t left = m->stored;
	bool shrunk = false;

	while (left) {
		unsigned char *b = tar_block(t);
		size_t room = tar_blocks_ready(t) * TAR_BLOCK, have = 0;
		size_t want = room < left ? room : (size_t)left;

		while (have < want && !shrunk) {
			ssize_t got = tsb_read(t->p, fd, b + have, want - have);

			if (got < 0) {
				tar_failed_read(t, "read", m->orig_name, (int)got);
				break;
			}
			if (!got)
				break;
			have += (size_t)got;
		}
		if (have < want && !shrunk) {
			tar_warn(t, TAR_W_FILE_SHRANK, left - have == 1
				 ? "%s: File shrank by %llu byte; padding with zeros"
				 : "%s: File shrank by %llu bytes; padding with zeros",
				 tar_quote_colon(t, m->orig_name),
				 (unsigned long long)(left - have));
			t->status = t->status ? t->status : 1;
			shrunk = true;
		}
		memset(b + have, 0, (want - have) + (TAR_BLOCK - want % TAR_BLOCK) % TAR_BLOCK);
		tar_consume(t, (want + TAR_BLOCK - 1) / TAR_BLOCK);
		left -= want;
	}
	return !shrunk;
}

static void check_changed(struct tar *t, struct tar_member *m, int fd, struct tsb_time ctime,
			  uint64_t size)
{
	struct tsb_stat now;

	if (tsb_fstat(t->p, fd, &now) || (!util_time_cmp(now.ctime, ctime) && now.size == size))
		return;
	tar_warn(t, TAR_W_FILE_CHANGED, "%s: file changed as we read it",
		 tar_quote_colon(t, m->orig_name));
	t->status = t->status ? t->status : 1;
}

static bool dump_regular(struct tar *t, struct tar_member *m, const char *path)
{
	struct tsb_stat st = m->st;
	int fd = tsb_open(t->p, path, O_RDONLY | O_CLOEXEC | (t->dereference ? 0 : O_NOFOLLOW), 0);

	if (fd < 0) {
		tar_failed_read(t, "open", path, fd);
		return false;
	}
	m->type = '0';
	m->stored = m->real_size = m->st.size;
	if (t->sparse && m->st.blocks * 512 < m->st.size) {
		tar_sparse_scan(t, m, fd);
		m->type = t->format == TAR_PAX ? '0' : 'S';
		if (t->format == TAR_PAX && m->sparse_major == 1) {
			uint64_t n = 0, text = (uint64_t)
				strlen(tsb_format(t->p, "%zu\n", m->n_map));

			for (size_t i = 0; i < m->n_map; i++)
				text += strlen(tsb_format(t->p, "%llu\n%llu\n",
							  (unsigned long long)m->map[i].offset,
							  (unsigned long long)m->map[i].bytes));
			n = (text + TAR_BLOCK - 1) / TAR_BLOCK * TAR_BLOCK;
			m->stored += n;
		}
	}
	if (!write_header(t, m)) {
		tsb_close(t->p, fd);
		return false;
	}
	if (m->sparse)
		tar_sparse_dump(t, m, fd);
	if (m->sparse || dump_data(t, m, fd))
		check_changed(t, m, fd, st.ctime, st.size);
	if (t->atime_preserve) {
		struct tsb_setattr set = { .mask = TSB_SET_ATIME | TSB_SET_MTIME,
					   .atime = st.atime, .mtime = st.mtime };

		tsb_fsetattr(t->p, fd, &set);
	}
	tsb_close(t->p, fd);
	return true;
}

/* ---- Links ---- */

/* Links of a file that can be met only once; with several names none can. */
static uint32_t trivial_links(const struct tar *t)
{
	size_t n = 0;

	for (size_t i = 0; i < t->names.n; i++)
		n += t->names.at[i].kind == TAR_NAME_FILE;
	return n > 1 || t->dereference || t->remove_files ? 0 : 1;
}

static struct map_entry *link_entry(struct tar *t, const struct tar_member *m, bool make)
{
	uint64_t key[2] = { m->st.dev, m->st.ino };

	return make ? map_put(&t->links, (const char *)key, sizeof(key))
		    : map_find(&t->links, (const char *)key, sizeof(key));
}

/* A file that is in the archive under another name already. */
static bool dump_hard_link(struct tar *t, struct tar_member *m)
{
	struct map_entry *e;
	struct tar_member *first;

	if (t->hard_dereference || m->st.nlink <= trivial_links(t))
		return false;
	e = link_entry(t, m, false);
	if (!e)
		return false;
	first = e->value;
	if (first->st.nlink)
		first->st.nlink--;
	m->link_name = tar_safe_name(t, first->orig_name, true);
	m->link_name = tar_safe_name(t, tar_transform(t, m->link_name, TAR_XFORM_LINK), true);
	m->type = '1';
	m->stored = m->st.size = 0;
	write_header(t, m);
	return true;
}

static void remember_link(struct tar *t, const struct tar_member *m)
{
	struct tar_member *first;

	if (t->hard_dereference || m->st.nlink <= trivial_links(t) || S_ISDIR(m->st.mode))
		return;
	first = tsb_alloc(t->p, sizeof(*first));
	*first = *m;
	first->st.nlink--;
	tar_safe_name(t, m->orig_name, true);	/* says what is removed */
	link_entry(t, m, true)->value = first;
}

static bool dump_symlink(struct tar *t, struct tar_member *m, const char *path)
{
	int err = 0;
	char *target = path_readlink(t->p, path, &err);

	if (!target) {
		tar_failed_read(t, "readlink", path, err);
		return false;
	}
	m->link_name = tar_transform(t, target, TAR_XFORM_SYMLINK);
	m->type = '2';
	m->stored = m->st.size = 0;
	return write_header(t, m);
}

static bool dump_special(struct tar *t, struct tar_member *m)
{
	if (t->format == TAR_V7) {
		tar_error(t, "%s: Unknown file type; file ignored",
			  tar_quote_colon(t, m->orig_name));
		return false;
	}
	m->type = S_ISCHR(m->st.mode) ? '3' : S_ISBLK(m->st.mode) ? '4' : '6';
	m->stored = m->st.size = 0;
	return write_header(t, m);
}

/* ---- One file ---- */

static bool is_old(const struct tar *t, const struct tsb_stat *st)
{
	return t->newer_set && util_time_cmp(st->mtime, t->newer) < 0 &&
	       (!t->newer_ctime || util_time_cmp(st->ctime, t->newer) < 0);
}

/* A directory of an incremental archive, with the list of what is in it. Where
 * there is none (-r, -u) only what is in it is archived. */
static bool add_dump(struct tar *t, struct tar_member *m)
{
	bool gnu = t->format != TAR_PAX;
	size_t n = t->dump ? inc_dump_size(t->dump) : 0;

	if (!n)
		return true;
	if (gnu)
		m->type = 'D';
	else
		m->dump = t->dump;
	m->n_dump = n;
	m->stored = gnu ? n : 0;
	if (!write_header(t, m))
		return false;
	if (gnu)
		tar_write_text(t, t->dump, n);
	return true;
}

static bool add_dir(struct tar *t, struct tar_member *m, const char *path, size_t depth)
{
	const char *tag;
	int err;

	if (t->one_fs && depth && m->st.dev != t->m.st.dev) {
		tar_warn(t, TAR_W_XDEV, "%s: file is on a different filesystem; not dumped",
			 tar_quote_colon(t, path));
		return false;
	}
	if (!t->no_recursion && tar_find_tag(t, path, &tag) == TAR_TAG_ALL) {
		if (t->verbose)
			tar_warn(t, TAR_W_CACHEDIR, "%s: contains a cache directory tag %s; %s",
				 tar_quote_colon(t, tsb_format(t->p, "%s/", path)),
				 tar_quote(t, tag), "directory not dumped");
		return false;
	}
	err = tsb_access(t->p, path, R_OK);
	if (err < 0) {
		tar_failed_read(t, "open", path, err);
		return false;
	}
	m->type = '5';
	m->stored = m->st.size = 0;
	return t->incremental ? add_dump(t, m) : write_header(t, m);
}

static void add_other(struct tar *t, struct tar_member *m, const char *path)
{
	bool good = true;

	if (dump_hard_link(t, m)) {
		if (t->remove_files)
			tar_remove_later(t, path, false);
		return;
	}
	if (S_ISREG(m->st.mode))
		good = dump_regular(t, m, path);
	else if (S_ISLNK(m->st.mode))
		good = dump_symlink(t, m, path);
	else
		good = dump_special(t, m);
	if (!good)
		return;
	remember_link(t, m);
	if (t->remove_files)
		tar_remove_later(t, path, false);
}

bool tar_add_one(struct tar *t, const char *path, size_t depth, struct tsb_stat *st)
{
	struct tar_member m = { 0 };
	int err;

	if (!depth)
		tar_safe_name(t, path, false);
	if (t->interactive && !tar_confirm(t, "add", path))
		return false;
	err = t->dereference ? tsb_stat(t->p, path, &m.st) : tsb_lstat(t->p, path, &m.st);
	if (err == -ENOENT && depth) {
		tar_warn(t, TAR_W_FILE_REMOVED, "%s: File removed before we read it",
			 tar_quote_colon(t, path));
		t->status = t->status ? t->status : 1;
		return false;
	}
	if (err < 0) {
		tar_failed_read(t, "stat", path, err);
		return false;
	}
	*st = m.st;
	if (!depth)
		t->m.st = m.st;
	if (!S_ISDIR(m.st.mode) && !(t->incremental && depth) && is_old(t, &m.st)) {
		if (t->verbose && !t->incremental)
			tar_warn(t, TAR_W_FILE_UNCHANGED, "%s: file is unchanged; not dumped",
				 tar_quote_colon(t, path));
		return false;
	}
	if (tar_is_archive(t, &m.st)) {
		tar_warn(t, TAR_W_IGNORE_ARCHIVE, "%s: file is the archive; not dumped",
			 tar_quote_colon(t, path));
		return false;
	}
	if (S_ISSOCK(m.st.mode)) {
		tar_warn(t, TAR_W_FILE_IGNORED, "%s: socket ignored", tar_quote_colon(t, path));
		return false;
	}
	fill_member(t, &m, path);
	if (S_ISDIR(m.st.mode))
		return add_dir(t, &m, path, depth);
	add_other(t, &m, path);
	return false;
}
