/*
 * Reads an archive into file systems of its own and puts them in the sandbox's
 * place only when the checksum at the end was right: damaged or foreign bytes
 * change nothing. Every length is checked against the limits before memory is
 * taken for it.
 */
#include "sandbox/archive.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "sandbox/internal.h"

/* Directories get their times at the end: what is put in changes them. */
struct late {
	struct late *next;
	struct record r;
};

struct loader {
	struct tsb_sandbox *box;
	struct view v;		/* its namespace is the new one */
	tsb_input_fn *fn;
	void *ctx;
	uint64_t hash;
	struct record r;
	char path[TSB_PATH_MAX + 1];
	struct late *late;
	char *script;		/* of the session */
	size_t script_n;
};

/* Exactly n bytes. */
static int get(struct loader *l, void *buf, size_t n)
{
	char *p = buf;
	size_t at = 0;

	while (at < n) {
		ssize_t got = l->fn(l->ctx, p + at, n - at);

		if (got <= 0)
			return got ? (int)got : -EBADMSG;
		at += (size_t)got;
	}
	l->hash = archive_hash(l->hash, buf, n);
	return 0;
}

static uint64_t take_le(const unsigned char **p, int bytes)
{
	uint64_t value = 0;

	for (int i = 0; i < bytes; i++)
		value |= (uint64_t)*(*p)++ << (8 * i);
	return value;
}

static int get_record(struct loader *l)
{
	unsigned char head[29], size[8];
	const unsigned char *p = head + 1;
	uint64_t path_n;
	int rc = get(l, head, sizeof(head));

	if (rc)
		return rc;
	/* No checksum is over the record that has it. */
	for (size_t i = 1; head[0] == 'E' && i < sizeof(head); i++)
		if (head[i])
			return -EBADMSG;
	l->r.kind = (char)head[0];
	l->r.mode = (uint32_t)take_le(&p, 4) & 07777;
	l->r.uid = (uint32_t)take_le(&p, 4);
	l->r.gid = (uint32_t)take_le(&p, 4);
	l->r.nsec = (uint32_t)take_le(&p, 4);
	l->r.mtime = (int64_t)take_le(&p, 8);
	path_n = take_le(&p, 4);
	if (path_n > TSB_PATH_MAX || l->r.nsec > 999999999)
		return -EBADMSG;
	rc = get(l, l->path, (size_t)path_n);
	l->path[path_n] = '\0';
	if (!rc && memchr(l->path, '\0', (size_t)path_n))
		return -EBADMSG;
	if (!rc)
		rc = get(l, size, sizeof(size));
	p = size;
	l->r.size = take_le(&p, 8);
	l->r.path = l->path;
	return rc;
}

/* The data of a small record as a string. */
static int get_text(struct loader *l, size_t max, char **text)
{
	int rc;

	if (l->r.size > max)
		return -EBADMSG;
	*text = malloc((size_t)l->r.size + 1);
	if (!*text)
		return -ENOMEM;
	rc = get(l, *text, (size_t)l->r.size);
	(*text)[l->r.size] = '\0';
	if (rc) {
		free(*text);
		*text = NULL;
	}
	return rc;
}

static int load_content(struct loader *l)
{
	char *buf = malloc(65536);
	struct vfs_file *f = NULL;
	uint64_t at = 0;
	int magic[2], rc = buf ? 0 : -ENOMEM, late;

	if (!rc)
		rc = vfs_open(&l->v.c, l->path, O_WRONLY | O_CREAT | O_EXCL, l->r.mode, &f, magic);
	while (!rc && at < l->r.size) {
		uint64_t left = l->r.size - at;
		size_t n = left < 65536 ? (size_t)left : 65536, done = 0;

		rc = get(l, buf, n);
		while (!rc && done < n) {
			ssize_t w = vfs_write(f, &l->v.who, buf + done, n - done, at + done);

			rc = w > 0 ? 0 : w ? (int)w : -EIO;
			done += w > 0 ? (size_t)w : 0;
		}
		at += n;
	}
	if (f) {
		late = vfs_close(f);
		rc = rc ? rc : late;
	}
	free(buf);
	return rc;
}

static int set_attributes(struct loader *l, const struct record *r)
{
	struct tsb_time time = { r->mtime, (int32_t)r->nsec };
	struct tsb_setattr set = {
		.mask = TSB_SET_UID | TSB_SET_GID | TSB_SET_ATIME | TSB_SET_MTIME,
		.uid = r->uid, .gid = r->gid, .atime = time, .mtime = time
	};

	if (r->kind != 'L') {
		set.mask |= TSB_SET_MODE;
		set.mode = r->mode;
	}
	return vfs_setattr(&l->v.c, r->path, &set, false);
}

static int load_attributes(struct loader *l)
{
	struct late *late;

	if (l->r.kind != 'D')
		return set_attributes(l, &l->r);
	late = calloc(1, sizeof(*late));
	if (!late)
		return -ENOMEM;
	late->r = l->r;
	late->r.path = strdup(l->path);
	late->next = l->late;
	l->late = late;
	return late->r.path ? 0 : -ENOMEM;
}

/* Sets them (rc 0), innermost first, and frees the list. */
static int late_attributes(struct loader *l, int rc)
{
	while (l->late) {
		struct late *late = l->late;

		l->late = late->next;
		if (!rc)
			rc = set_attributes(l, &late->r);
		free(late->r.path);
		free(late);
	}
	return rc;
}

static int load_node(struct loader *l)
{
	struct tsb_stat st;
	char *text = NULL;
	int rc;

	if (l->path[0] != '/')
		return -EBADMSG;
	switch (l->r.kind) {
	case 'D':
		rc = vfs_mkdir(&l->v.c, l->path, 0755);
		if (rc == -EEXIST && !vfs_lstat(&l->v.c, l->path, &st) && S_ISDIR(st.mode))
			rc = 0;		/* the root of a mount */
		break;
	case 'F':
		rc = load_content(l);
		break;
	case 'P':
		rc = vfs_mknod(&l->v.c, l->path, S_IFIFO | l->r.mode, 0);
		break;
	case 'L':
		rc = get_text(l, TSB_PATH_MAX, &text);
		if (!rc)
			rc = vfs_symlink(&l->v.c, text, l->path);
		break;
	case 'H':
		rc = get_text(l, TSB_PATH_MAX, &text);
		if (!rc)
			rc = vfs_link(&l->v.c, text, l->path, false);
		break;
	default:
		rc = -EBADMSG;
	}
	free(text);
	return rc ? rc : load_attributes(l);
}

static int load_end(struct loader *l, uint64_t hash)
{
	unsigned char sum[8];
	const unsigned char *p = sum;
	int rc = l->r.size == 8 ? get(l, sum, 8) : -EBADMSG;

	return rc ? rc : take_le(&p, 8) == hash ? 0 : -EBADMSG;
}

static int load_records(struct loader *l)
{
	char magic[sizeof(ARCHIVE_MAGIC) - 1];
	int rc = get(l, magic, sizeof(magic));

	if (!rc && memcmp(magic, ARCHIVE_MAGIC, sizeof(magic)))
		rc = -EBADMSG;
	while (!rc) {
		uint64_t hash = l->hash;

		rc = get_record(l);
		if (rc)
			break;
		if (l->r.kind == 'E')
			return load_end(l, hash);
		if (l->r.kind == 'S') {
			if (l->script)
				return -EBADMSG;
			rc = get_text(l, (size_t)64 << 20, &l->script);
			l->script_n = (size_t)l->r.size;
			continue;
		}
		rc = load_node(l);
		if (rc == -EEXIST || rc == -ENOENT || rc == -ENOTDIR)
			rc = -EBADMSG;	/* names that contradict each other */
	}
	return rc;
}

/* The sandbox's namespace once more, its own file systems empty. */
static int make_namespace(struct loader *l)
{
	struct tsb_mem_options opt = TSB_MEM_OPTIONS_INIT;
	struct tsb_fs *empty = tsb_mem_new(&opt);
	struct vfs_mount_info m;
	int rc = empty ? vfs_branch(l->box->vfs, &l->v.vfs) : -ENOMEM;

	for (size_t i = 0; !rc && vfs_mount_at(l->v.vfs, i, &m); i++) {
		if (!(m.flags & VFS_MOUNT_SHARE))
			rc = m.fs->ops->restore(m.fs, empty);
	}
	tsb_fs_free(empty);
	l->v.c = (struct vfs_ctx){ l->v.vfs, &l->v.who, "/" };
	return rc;
}

static int load_session(struct loader *l)
{
	struct tsb_result *result = NULL;
	struct session *fresh;
	int rc;

	if (!l->box->session)
		return TSB_OK;
	fresh = session_new();
	if (!fresh)
		return TSB_ERR_MEMORY;
	rc = sandbox_change_begin(l->box);
	if (rc) {
		session_free(fresh);
		return rc;
	}
	session_free(l->box->session);
	l->box->session = fresh;
	sandbox_change_end(l->box);
	rc = l->script ? tsb_run_bytes(l->box, l->script, l->script_n, NULL, &result) : TSB_OK;
	tsb_result_free(result);
	return rc;
}

int tsb_load(struct tsb_sandbox *box, tsb_input_fn *fn, void *ctx)
{
	struct loader l = { .box = box, .fn = fn, .ctx = ctx, .hash = ARCHIVE_HASH_INIT };
	int rc;

	if (!box || !fn)
		return sandbox_refuse(box, __func__);
	rc = sandbox_change_begin(box);
	if (rc)
		return rc;
	sandbox_change_end(box);	/* reading may take long */
	rc = make_namespace(&l);
	if (!rc)
		rc = load_records(&l);
	rc = late_attributes(&l, rc);
	if (!rc)
		rc = vfs_restore(box->vfs, l.v.vfs);
	vfs_free(l.v.vfs);
	if (rc)
		rc = sandbox_fail(box, rc == -EBADMSG ? TSB_ERR_FORMAT : TSB_ERR_FILE, rc,
				  "cannot load the snapshot: %s",
				  rc == -EBADMSG ? "foreign or damaged bytes" : tsb_strerror(rc));
	else
		rc = load_session(&l);
	free(l.script);
	return rc;
}
