/*
 * Writes the archive: each own mount's tree, a directory at a time from a list
 * of those still to do, so depth costs no stack. A file with several names is
 * written once; its other names become H records.
 */
#include "sandbox/archive.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/heap.h"
#include "base/map.h"
#include "base/str.h"
#include "sandbox/internal.h"

struct todo {
	struct todo *next;
	char *path;
};

struct saver {
	struct view v;
	tsb_output_fn *fn;
	void *ctx;
	uint64_t hash;
	struct todo *dirs;
	struct map names;	/* "dev:ino" of files with several names -> path */
	struct tsb_heap *heap;
	uint64_t dev;		/* of the mount being saved */
};

static int put(struct saver *s, const void *data, size_t n)
{
	s->hash = archive_hash(s->hash, data, n);
	return s->fn(s->ctx, 1, data, n) ? -EIO : 0;
}

static void le(unsigned char **p, uint64_t value, int bytes)
{
	for (int i = 0; i < bytes; i++)
		*(*p)++ = (unsigned char)(value >> (8 * i));
}

static int put_record(struct saver *s, char kind, const struct tsb_stat *st, const char *path,
		      uint64_t size)
{
	unsigned char head[29], *p = head, tail[8];
	int rc;

	*p++ = (unsigned char)kind;
	le(&p, st ? st->mode & 07777 : 0, 4);
	le(&p, st ? st->uid : 0, 4);
	le(&p, st ? st->gid : 0, 4);
	le(&p, st ? (uint32_t)st->mtime.nsec : 0, 4);
	le(&p, st ? (uint64_t)st->mtime.sec : 0, 8);
	le(&p, strlen(path), 4);
	rc = put(s, head, sizeof(head));
	if (!rc)
		rc = put(s, path, strlen(path));
	p = tail;
	le(&p, size, 8);
	return rc ? rc : put(s, tail, sizeof(tail));
}

static int put_bytes(struct saver *s, char kind, const struct tsb_stat *st, const char *path,
		     const void *data, size_t n)
{
	int rc = put_record(s, kind, st, path, n);

	return rc ? rc : put(s, data, n);
}

static int put_content(struct saver *s, const char *path, const struct tsb_stat *st)
{
	char *buf = malloc(65536);
	struct vfs_file *f = NULL;
	uint64_t at = 0;
	int magic[2], rc = buf ? vfs_open(&s->v.c, path, O_RDONLY, 0, &f, magic) : -ENOMEM;

	if (!rc)
		rc = put_record(s, 'F', st, path, st->size);
	while (!rc && at < st->size) {
		size_t want = st->size - at < 65536 ? (size_t)(st->size - at) : 65536;
		ssize_t n = vfs_read(f, buf, want, at);

		if (n <= 0)
			rc = n ? (int)n : -EIO;	/* shrunk under us: a run is going on */
		else
			rc = put(s, buf, (size_t)n);
		at += n > 0 ? (uint64_t)n : 0;
	}
	if (f)
		vfs_close(f);
	free(buf);
	return rc;
}

/* Its first name, if it was seen before; else remembers this one. */
static int first_name(struct saver *s, const char *path, const struct tsb_stat *st,
		      const char **first)
{
	char key[48];
	int n = snprintf(key, sizeof(key), "%" PRIx64 ":%" PRIx64, st->dev, st->ino);
	struct map_entry *e = map_put(&s->names, key, (size_t)n);

	*first = NULL;
	if (!e)
		return -ENOMEM;
	if (e->value)
		*first = e->value;
	else
		e->value = heap_strdup(s->heap, path);
	return e->value ? 0 : -ENOMEM;
}

static int put_link(struct saver *s, const char *path, const struct tsb_stat *st)
{
	char target[TSB_PATH_MAX + 1];
	ssize_t n = vfs_readlink(&s->v.c, path, target, sizeof(target));

	return n < 0 ? (int)n : put_bytes(s, 'L', st, path, target, (size_t)n);
}

static int later(struct saver *s, const char *path)
{
	struct todo *t = calloc(1, sizeof(*t));

	if (!t)
		return -ENOMEM;
	t->path = strdup(path);
	t->next = s->dirs;
	s->dirs = t;
	return t->path ? 0 : -ENOMEM;
}

static int put_node(struct saver *s, const char *path)
{
	const char *first = NULL;
	struct tsb_stat st;
	int rc = vfs_lstat(&s->v.c, path, &st);

	if (rc || st.dev != s->dev)
		return rc;	/* another mount: saved by itself, or not at all */
	if (S_ISDIR(st.mode)) {
		rc = put_record(s, 'D', &st, path, 0);
		return rc ? rc : later(s, path);
	}
	if (st.nlink > 1)
		rc = first_name(s, path, &st, &first);
	if (rc)
		return rc;
	if (first)
		return put_bytes(s, 'H', &st, path, first, strlen(first));
	if (S_ISREG(st.mode))
		return put_content(s, path, &st);
	if (S_ISLNK(st.mode))
		return put_link(s, path, &st);
	return S_ISFIFO(st.mode) ? put_record(s, 'P', &st, path, 0) : 0;
}

static int put_entries(struct saver *s, const char *path)
{
	_Alignas(8) char buf[2048];
	struct vfs_file *f;
	ssize_t n = 0;
	int magic[2], rc = vfs_open(&s->v.c, path, O_RDONLY | O_DIRECTORY, 0, &f, magic);

	if (rc)
		return rc;
	while (!rc && (n = vfs_readdir(f, buf, sizeof(buf))) > 0) {
		for (size_t at = 0; !rc && at < (size_t)n;) {
			const struct tsb_dirent *e = (const void *)(buf + at);
			struct str child;

			str_init(&child, s->heap, TSB_PATH_MAX);
			str_addf(&child, "%s/%s", strcmp(path, "/") ? path : "", e->name);
			rc = child.bad ? -ENAMETOOLONG : put_node(s, child.p);
			str_end(&child);
			at += e->size;
		}
	}
	vfs_close(f);
	return rc ? rc : (int)n;
}

static int put_mount(struct saver *s, const struct vfs_mount_info *m)
{
	int rc;

	s->dev = m->dev;
	rc = put_node(s, m->path);
	while (s->dirs) {
		struct todo *t = s->dirs;

		s->dirs = t->next;
		if (!rc)
			rc = put_entries(s, t->path);
		free(t->path);
		free(t);
	}
	return rc;
}

static int put_session(struct saver *s, struct tsb_sandbox *box)
{
	const struct session *session = box->session;
	struct str text;
	int rc;

	if (!session || !session->shell)
		return 0;
	str_init(&text, s->heap, STR_MAX_DEFAULT);
	rc = sandbox_dump_session(box, &text);
	if (rc)
		return rc;
	str_adds(&text, "cd -- ");
	str_addc(&text, '\'');
	for (const char *p = session->cwd; *p; p++)
		str_adds(&text, *p == '\'' ? "'\\''" : (char[]){ *p, '\0' });
	str_adds(&text, "'\n");
	rc = text.bad ? -ENOMEM : put_bytes(s, 'S', NULL, "", text.p, text.n);
	str_end(&text);
	return rc;
}

static int save_all(struct saver *s, struct tsb_sandbox *box)
{
	struct vfs_mount_info m;
	unsigned char sum[8], *p = sum;
	int rc = put(s, ARCHIVE_MAGIC, sizeof(ARCHIVE_MAGIC) - 1);

	for (size_t i = 0; !rc && vfs_mount_at(s->v.vfs, i, &m); i++) {
		if (!(m.flags & VFS_MOUNT_SHARE))
			rc = put_mount(s, &m);
	}
	if (!rc)
		rc = put_session(s, box);
	le(&p, s->hash, 8);
	return rc ? rc : put_bytes(s, 'E', NULL, "", sum, sizeof(sum));
}

int tsb_save(struct tsb_sandbox *box, tsb_output_fn *fn, void *ctx)
{
	struct saver s = { .fn = fn, .ctx = ctx, .hash = ARCHIVE_HASH_INIT };
	int rc;

	if (!box || !fn)
		return sandbox_refuse(box, __func__);
	rc = view_begin(&s.v, box, NULL);
	s.heap = heap_new(NULL, NULL, NULL, NULL);
	if (s.heap)
		map_init(&s.names, s.heap);
	else
		rc = -ENOMEM;
	if (!rc)
		rc = save_all(&s, box);
	if (s.heap)
		heap_end(s.heap);
	view_end(&s.v);
	if (rc)
		return sandbox_fail(box, rc == -ENOMEM ? TSB_ERR_MEMORY : TSB_ERR_FILE, rc,
				    "cannot save the sandbox: %s", tsb_strerror(rc));
	return TSB_OK;
}
