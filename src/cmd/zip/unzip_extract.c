/*
 * unzip's extraction and testing: names that stay inside, what is in the way,
 * data, and links last of all.
 */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <zlib.h>

#include "base/heap.h"
#include "cmd/path.h"
#include "cmd/util.h"
#include "cmd/zip/unzip.h"

struct unzip_later {		/* a link to be made, a directory's attributes */
	const char *path, *target;
	struct zip_entry *e;
	struct unzip_later *next;
};

/* ---- Names ---- */

static bool unzip_skip_part(struct unzip *u, const char *part, size_t n, bool *dotdot)
{
	if (!n || (n == 1 && part[0] == '.'))
		return true;
	if (n != 2 || part[0] != '.' || part[1] != '.' || u->dotdot)
		return false;
	*dotdot = true;
	return true;
}

/* The path a member goes to, or NULL: nowhere. */
static char *unzip_path(struct unzip *u, struct zip_entry *e)
{
	const char *at = e->name, *last = strrchr(e->name, '/');
	bool dotdot = false;
	struct str out;
	size_t base;

	str_init(&out, tsb_heap_of(u->p), STR_MAX_DEFAULT);
	if (u->exdir) {
		str_adds(&out, u->exdir);
		if (out.n && out.p[out.n - 1] != '/')
			str_addc(&out, '/');
	}
	base = out.n;
	if (u->junk && last)
		at = last + 1;
	if (*at == '/') {
		unzip_err(u, "warning:  stripped absolute path spec from %s\n", e->name);
		unzip_status(u, UNZIP_WARN);
	}
	while (*at) {
		size_t n = strcspn(at, "/");

		if (!unzip_skip_part(u, at, n, &dotdot)) {
			if (out.n > base && out.p[out.n - 1] != '/')
				str_addc(&out, '/');
			for (size_t i = 0; i < n; i++)
				if ((unsigned char)at[i] >= 32 && at[i] != 127)
					str_addc(&out, u->lower && at[i] >= 'A' && at[i] <= 'Z' &&
						 e->host != 3 ? at[i] + 32 : at[i]);
		}
		at += n + (at[n] == '/');
	}
	if (dotdot) {
		tsb_printf(u->p, "warning:  skipped \"../\" path component(s) in %s\n", e->name);
		unzip_status(u, UNZIP_WARN);
	}
	return out.n > base ? str_take(&out, NULL) : NULL;
}

/* ---- Data ---- */

/* A pull of the entry's packed bytes. */
static bool unzip_more(struct unzip *u, uint64_t *at, uint64_t *left)
{
	ssize_t n;

	if (!*left)
		return false;
	tsb_tick(u->p, 1);
	n = tsb_pread(u->p, u->z.fd, u->in.buf, *left < PACK_BLOCK ? (size_t)*left : PACK_BLOCK, *at);
	if (n <= 0)
		return false;
	u->in.at = 0;
	u->in.n = (size_t)n;
	if (u->encrypted)
		zip_decrypt(&u->keys, u->in.buf, u->in.n);
	*at += (uint64_t)n;
	*left -= (uint64_t)n;
	return true;
}

/* Text mode takes the carriage returns of line ends away. */
static void unzip_write(struct unzip *u, const unsigned char *data, size_t n, bool text)
{
	if (!text) {
		pack_put(&u->out, data, n);
		return;
	}
	for (size_t i = 0; i < n; i++)
		if (data[i] != '\r')
			pack_putc(&u->out, data[i]);
}

struct unzip_data {
	uint64_t at, left;
	uint32_t crc;
	bool text, bad;
};

static void unzip_stored(struct unzip *u, struct unzip_data *d)
{
	while (unzip_more(u, &d->at, &d->left) && !u->out.error) {
		d->crc = (uint32_t)crc32(d->crc, u->in.buf, (unsigned)u->in.n);
		unzip_write(u, u->in.buf, u->in.n, d->text);
	}
}

static void unzip_inflate(struct unzip *u, struct unzip_data *d)
{
	z_stream z = { .zalloc = pack_zalloc, .zfree = pack_free, .opaque = u->p };
	unsigned char *buf = heap_alloc(tsb_heap_of(u->p), PACK_BLOCK);
	int r = Z_OK;

	inflateInit2(&z, -15);
	while (r == Z_OK && !u->out.error) {
		size_t n;

		if (!z.avail_in && unzip_more(u, &d->at, &d->left)) {
			z.next_in = u->in.buf;
			z.avail_in = (unsigned)u->in.n;
		}
		z.next_out = buf;
		z.avail_out = (unsigned)PACK_BLOCK;
		r = inflate(&z, Z_NO_FLUSH);
		n = PACK_BLOCK - z.avail_out;
		d->crc = (uint32_t)crc32(d->crc, buf, (unsigned)n);
		unzip_write(u, buf, n, d->text);
		tsb_tick(u->p, 1);
	}
	d->bad = r != Z_STREAM_END;
	inflateEnd(&z);
	tsb_free(u->p, buf);
}

/* The member into u->out: says what is wrong with it. */
static bool unzip_data(struct unzip *u, struct zip_entry *e, const char *name)
{
	struct unzip_data d = { .at = u->data_at, .left = u->data_left };

	d.text = u->text > 1 || (u->text == 1 && (e->internal & 1));
	d.crc = (uint32_t)crc32(0, NULL, 0);
	if (!u->in.buf)
		pack_in_open(&u->in, u->p, -1);
	if (e->method != ZIP_STORED && e->method != ZIP_DEFLATED) {
		unzip_err(u, "%s:  unknown compression method\n", name);
		unzip_status(u, UNZIP_WARN);
		u->data_status = u->data_status ? u->data_status : UNZIP_WARN;
		return false;
	}
	if (e->method == ZIP_STORED)
		unzip_stored(u, &d);
	else
		unzip_inflate(u, &d);
	pack_flush(&u->out);
	if (u->out.error) {
		unzip_err(u, "%s:  write error (disk full?).  Continue? (y/n/^C) ", name);
		unzip_status(u, 50);
		return false;
	}
	if (d.bad) {
		u->data_status = UNZIP_ERR;
		unzip_err(u, "%serror:  invalid compressed data to inflate%s\n",
			  u->pipe ? "\n  " : u->quiet ? "  " : " ",
			  u->pipe || u->quiet ? tsb_format(u->p, " %s", name) : "");
		unzip_status(u, UNZIP_ERR);
		return false;
	}
	if (d.crc != e->crc) {
		u->data_status = UNZIP_ERR;
		if (u->pipe || u->quiet)
			unzip_err(u, "%-22s  ", name);
		unzip_err(u, " bad CRC %08x  (should be %08x)\n", d.crc, e->crc);
		unzip_status(u, UNZIP_ERR);
		return false;
	}
	return true;
}

/* The keys for an entry; false: it cannot be read, and that is said. */
static bool unzip_unlock(struct unzip *u, const struct zip_entry *e, const char *name)
{
	unsigned char head[ZIP_CRYPT_HEAD];

	if (!u->password) {
		unzip_err(u, "   skipping: %-22s  unable to get password\n", name);
		unzip_status(u, UNZIP_NO_TERMINAL);
		u->data_status = UNZIP_ERR;
		return false;
	}
	if (e->packed < sizeof(head) || tsb_pread(u->p, u->z.fd, head, sizeof(head), u->data_at) !=
	    (ssize_t)sizeof(head) || !zip_decrypt_head(&u->keys, u->password, e, head)) {
		if (!u->pipe && u->quiet < 1)
			unzip_err(u, "   skipping: %-22s  incorrect password\n", name);
		u->n_locked++;
		return false;
	}
	u->data_at += sizeof(head);
	u->data_left -= sizeof(head);
	return true;
}

/* What the entry's own header says counts. */
static bool unzip_can(struct unzip *u, struct zip_entry *e, const char *name)
{
	u->data_at = zip_data_offset(&u->z, e);
	if (!u->data_at) {
		unzip_err(u, "file #%zu:  bad zipfile offset (local header sig):  %lld\n",
			  (size_t)(e - u->z.entries) + 1,
			  (long long)e->offset + (long long)u->z.in_front);
		unzip_status(u, UNZIP_ERR);
		u->data_status = UNZIP_ERR;
		return false;
	}
	u->data_left = e->packed;
	u->encrypted = e->flags & ZIP_ENCRYPTED;
	return !u->encrypted || unzip_unlock(u, e, name);
}

/* By the directory: what is skipped before it is looked at. */
static bool unzip_may_try(struct unzip *u, const struct zip_entry *e)
{
	if (e->method == ZIP_STORED || e->method == ZIP_DEFLATED)
		return true;
	if (!u->pipe)
		unzip_err(u, "   skipping: %-22s  unsupported compression method %u\n", e->name,
			  e->method);
	unzip_status(u, UNZIP_BAD_METHOD);
	u->n_skipped++;
	return false;
}

/* ---- What is in the way ---- */

static char *unzip_new_name(struct unzip *u)
{
	char *line;
	size_t n;

	do {
		unzip_err(u, "new name: ");
		n = tsb_getdelim(&u->answers, &line, '\n');
	} while (n == 1 && *line == '\n');
	if (n && line[n - 1] == '\n')
		n--;
	return n ? tsb_strndup(u->p, line, n) : NULL;
}

/* The answer of the user: 'y', 'n', or 'r' with another name in *path. */
static int unzip_ask(struct unzip *u, char **path)
{
	char *line;

	if (!u->asking)
		tsb_reader_init(&u->answers, u->p, 0);
	u->asking = true;
	for (;;) {
		unzip_err(u, "replace %s? [y]es, [n]o, [A]ll, [N]one, [r]ename: ", *path);
		if (!tsb_getdelim(&u->answers, &line, '\n')) {
			unzip_err(u, " NULL\n(EOF or read error, treating as \"[N]one\" ...)\n");
			u->never = true;
			unzip_status(u, UNZIP_WARN);
			return 'n';
		}
		switch (*line) {
		case 'y': return 'y';
		case 'n': return 'n';
		case 'A': u->always = true; return 'y';
		case 'N': u->never = true; return 'n';
		case 'r': {
			char *name = unzip_new_name(u);

			*path = name ? name : *path;
			return name ? 'r' : 'n';
		}
		default:
			unzip_err(u, "error:  invalid response [%.*s]\n",
				  (int)strcspn(line, "\n"), line);
		}
	}
}

/* Is the way free, or to be made free? */
static bool unzip_may_write(struct unzip *u, struct zip_entry *e, char **path)
{
	for (;;) {
		struct tsb_stat st, real;
		bool link, older;
		int answer;

		if (tsb_lstat(u->p, *path, &st))
			return !u->freshen;
		link = S_ISLNK(st.mode);
		if (link && !u->always)
			tsb_printf(u->p, "%s exists and is a symbolic link%s.\n", *path,
				   tsb_stat(u->p, *path, &real) ? " with no real file" : "");
		older = link || util_time_cmp(st.mtime, e->mtime) < 0;
		if (u->update && !older)
			return false;
		if (u->never)
			return false;
		if (u->always)
			return true;
		answer = unzip_ask(u, path);
		if (answer != 'r')
			return answer == 'y';
	}
}

static bool unzip_is_dir(struct unzip *u, const char *path)
{
	struct tsb_stat st;

	return !tsb_stat(u->p, path, &st) && S_ISDIR(st.mode);
}

/* shown: what cannot be made then. */
static bool unzip_make_parents(struct unzip *u, const char *path, const char *shown)
{
	char *own = tsb_strdup(u->p, path);

	for (char *at = own; (at = strchr(at + 1, '/'));) {
		int err;

		*at = '\0';
		err = tsb_mkdir(u->p, own, 0777);
		if (err == -EEXIST && !unzip_is_dir(u, own)) {
			unzip_err(u, "checkdir error:  %s exists but is not directory\n"
				  "                 unable to process %s.\n", own, shown);
			unzip_status(u, UNZIP_ERR);
			return false;
		}
		*at = '/';
		if (err < 0 && err != -EEXIST) {
			unzip_err(u, "checkdir error:  cannot create %.*s\n                 %s\n"
				  "                 unable to process %s.\n", (int)(at - own), own,
				  tsb_strerror(err), shown);
			unzip_status(u, UNZIP_ERR);
			return false;
		}
	}
	return true;
}

static void unzip_later_add(struct unzip *u, struct unzip_later **list, const char *path,
			    const char *target, struct zip_entry *e)
{
	struct unzip_later *l = tsb_alloc(u->p, sizeof(*l));

	*l = (struct unzip_later){ path, target, e, *list };
	*list = l;
}

static void unzip_attributes(struct unzip *u, const struct zip_entry *e, const char *path)
{
	struct tsb_setattr set = { .mask = TSB_SET_ATIME | TSB_SET_MTIME, .atime = e->mtime,
				   .mtime = e->mtime };
	uint32_t bits = u->keep_bits ? 07777 : 0777;

	if (!u->no_times && !(e->is_dir && u->dir_times))
		tsb_setattr(u->p, path, &set, true);
	set.mask = TSB_SET_MODE;
	set.mode = e->host == 3 ? e->mode & bits & ~u->umask
				: (e->is_dir ? 0777u : e->external & 1 ? 0444u : 0666u) & ~u->umask;
	if (e->host == 3 && !e->mode)
		return;
	tsb_setattr(u->p, path, &set, true);
}

static void unzip_dir(struct unzip *u, struct zip_entry *e, const char *path)
{
	char *shown = tsb_format(u->p, "%s/", path);
	int err;

	if (u->junk)
		return;
	if (u->freshen || !unzip_make_parents(u, path, shown))
		return;
	err = tsb_mkdir(u->p, path, 0777);
	if (err == -EEXIST && !unzip_is_dir(u, path)) {
		unzip_err(u, "checkdir error:  %s exists but is not directory\n"
			  "                 unable to process %s.\n", path, shown);
		unzip_status(u, UNZIP_ERR);
		return;
	}
	if (err < 0 && err != -EEXIST) {
		unzip_err(u, "checkdir error:  cannot create %s\n                 %s\n"
			  "                 unable to process %s.\n", path, tsb_strerror(err), shown);
		unzip_status(u, UNZIP_ERR);
		return;
	}
	if (!err && u->quiet < 1)
		tsb_printf(u->p, "   creating: %s\n", shown);
	unzip_later_add(u, &u->dirs, path, NULL, e);
}

static void unzip_link(struct unzip *u, struct zip_entry *e, const char *path)
{
	unsigned char *buf = tsb_alloc(u->p, TSB_PATH_MAX + 1);
	struct pack_out out = u->out;
	int fd;

	if (e->plain > TSB_PATH_MAX)
		return;
	/* An empty file keeps the place, so that nothing goes through the link. */
	tsb_unlink(u->p, path);
	fd = tsb_open(u->p, path, O_WRONLY | O_CREAT | O_EXCL, 0666);
	if (fd < 0) {
		unzip_err(u, "error:  cannot create %s\n        %s\n", path, tsb_strerror(fd));
		unzip_status(u, 50);
		return;
	}
	tsb_close(u->p, fd);
	/* The target is what would be the file's content. */
	pack_out_open(&u->out, u->p, -1);
	if (u->quiet < 1)
		tsb_printf(u->p, "    linking: %-22s  ", path);
	u->out.n = 0;
	{
		struct unzip_data d = { .at = u->data_at, .left = u->data_left };

		d.crc = (uint32_t)crc32(0, NULL, 0);
		if (!u->in.buf)
			pack_in_open(&u->in, u->p, -1);
		if (e->method == ZIP_STORED)
			unzip_stored(u, &d);
		else
			unzip_inflate(u, &d);
		memcpy(buf, u->out.buf, u->out.n < TSB_PATH_MAX ? u->out.n : TSB_PATH_MAX);
	}
	out.buf = u->out.buf;
	u->out = out;
	u->out.n = 0;
	if (u->quiet < 1)
		tsb_printf(u->p, "-> %s \n", (char *)buf);
	unzip_later_add(u, &u->links, path, (char *)buf, e);
}

static void unzip_backup(struct unzip *u, const char *path)
{
	char *to = tsb_format(u->p, "%s~", path);
	struct tsb_stat st;

	for (int i = 1; !tsb_lstat(u->p, to, &st) && i < 10000; i++)
		to = tsb_format(u->p, "%s~%d", path, i);
	tsb_rename(u->p, path, to, 0);
}

static void unzip_file(struct unzip *u, struct zip_entry *e, char *path)
{
	bool text = u->text > 1 || (u->text == 1 && (e->internal & 1));
	int fd;

	if (!unzip_may_write(u, e, &path) || !unzip_make_parents(u, path, path))
		return;
	if (u->backup)
		unzip_backup(u, path);
	if (e->host == 3 && S_ISLNK(e->mode)) {
		unzip_link(u, e, path);
		return;
	}
	fd = tsb_unlink(u->p, path);
	if (fd < 0 && fd != -ENOENT) {
		unzip_err(u, "error:  cannot delete old %s\n        %s\n", path, tsb_strerror(fd));
		unzip_status(u, 50);
		return;
	}
	fd = tsb_open(u->p, path, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW, 0666);
	if (fd < 0) {
		unzip_err(u, "error:  cannot create %s\n        %s\n", path, tsb_strerror(fd));
		unzip_status(u, 50);
		return;
	}
	if (u->quiet < 1)
		tsb_printf(u->p, "%s: %-22s  %s", e->method == ZIP_STORED ? " extracting"
			   : "  inflating", path, text ? "[text]  " : u->text ? "[binary]" : "");
	pack_out_open(&u->out, u->p, fd);
	if (unzip_data(u, e, path) && u->quiet < 1)
		tsb_putc(u->p, '\n');
	tsb_close(u->p, fd);
	unzip_attributes(u, e, path);
}

/* ---- Each ---- */

static void unzip_test_one(struct unzip *u, struct zip_entry *e)
{
	u->tested_any = true;
	if (u->quiet < 1)
		tsb_printf(u->p, "    testing: %-22s  ", e->name);
	pack_out_open(&u->out, u->p, -1);
	if (unzip_data(u, e, e->name) && u->quiet < 1)
		tsb_puts(u->p, " OK\n");
}

static void unzip_show_one(struct unzip *u, struct zip_entry *e)
{
	bool named = u->to_stdout && !u->pipe && u->quiet < 1;

	if (e->is_dir)
		return;
	if (named)
		tsb_printf(u->p, "%s: %-22s  \n", e->method == ZIP_STORED ? " extracting"
			   : "  inflating", e->name);
	tsb_flush(u->p);
	pack_out_open(&u->out, u->p, 1);
	unzip_data(u, e, e->name);
	if (named)
		tsb_putc(u->p, '\n');
}

static void unzip_one(struct unzip *u, struct zip_entry *e)
{
	char *path;

	if (!unzip_may_try(u, e) || !unzip_can(u, e, e->name))
		return;
	u->n_done++;
	if (u->test) {
		unzip_test_one(u, e);
		return;
	}
	if (u->to_stdout || u->pipe) {
		unzip_show_one(u, e);
		return;
	}
	path = unzip_path(u, e);
	if (!path)
		return;
	if (e->is_dir)
		unzip_dir(u, e, path);
	else
		unzip_file(u, e, path);
}

static void unzip_finish(struct unzip *u)
{
	struct unzip_later *first = NULL, *next;

	for (struct unzip_later *l = u->links; l; l = next) {
		next = l->next;
		l->next = first;
		first = l;
	}
	if (first && u->quiet < 1)
		tsb_puts(u->p, "finishing deferred symbolic links:\n");
	for (struct unzip_later *l = first; l; l = l->next) {
		int err;

		if (u->quiet < 1)
			tsb_printf(u->p, "  %-22s -> %s\n", l->path, l->target);
		tsb_unlink(u->p, l->path);
		err = tsb_symlink(u->p, l->target, l->path);
		if (err < 0)
			unzip_err(u, "symlink error: %s\n", tsb_strerror(err));
		tsb_tick(u->p, 1);
	}
	for (struct unzip_later *l = u->dirs; l; l = l->next)
		unzip_attributes(u, l->e, l->path);
}

/* Only its last part is made. */
static bool unzip_make_exdir(struct unzip *u)
{
	int err;

	if (!u->exdir || u->test || u->to_stdout || u->pipe)
		return true;
	err = tsb_mkdir(u->p, u->exdir, 0777);
	if (!err || unzip_is_dir(u, u->exdir))
		return true;
	unzip_err(u, "checkdir:  cannot create extraction directory: %s\n           %s\n", u->exdir,
		  tsb_strerror(err));
	unzip_status(u, UNZIP_ERR);
	return false;
}

static void unzip_test_summary(struct unzip *u)
{
	if (u->data_status)
		tsb_printf(u->p, "At least one %serror was detected in %s.\n",
			   u->data_status == UNZIP_WARN ? "warning-" : "", u->archive);
	else if (!u->n_done && u->n_locked)
		tsb_printf(u->p, "Caution:  zero files tested in %s.\n", u->archive);
	else if (!u->n_done)
		return;
	else if (u->n_names || u->n_excluded || u->n_skipped || u->n_locked)
		tsb_printf(u->p, "No errors detected in %s for the %zu file%s tested.\n", u->archive,
			   u->n_done, u->n_done == 1 ? "" : "s");
	else
		tsb_printf(u->p, "No errors detected in compressed data of %s.\n", u->archive);
	if (u->n_skipped)
		tsb_printf(u->p, "%zu file%s skipped because of unsupported compression or encoding.\n",
			   u->n_skipped, u->n_skipped == 1 ? "" : "s");
	if (u->n_locked)
		tsb_printf(u->p, "%zu file%s skipped because of incorrect password.\n", u->n_locked,
			   u->n_locked == 1 ? "" : "s");
}

void unzip_extract(struct unzip *u)
{
	if (!unzip_make_exdir(u))
		return;
	for (size_t i = 0; i < u->z.n; i++) {
		tsb_tick(u->p, 1);
		if (unzip_wants(u, &u->z.entries[i]))
			unzip_one(u, &u->z.entries[i]);
	}
	unzip_finish(u);
	if (u->test && u->quiet < 2)
		unzip_test_summary(u);
	if (!u->n_locked)
		return;
	unzip_status(u, u->n_done ? UNZIP_WARN : UNZIP_BAD_PASSWORD);
}
