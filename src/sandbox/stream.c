/*
 * Files that the host holds open while it reads or writes them a part at a time: what
 * tsb_read_file() and tsb_write_file() do at once.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>

#include "sandbox/internal.h"
#include "sandbox/view.h"

struct tsb_stream {
	struct view v;
	struct vfs_file *file;
	bool write;
};

static int stream_begin(struct tsb_stream *s, struct tsb_sandbox *box, const char *path,
			bool write, uint32_t mode)
{
	int rc = view_begin(&s->v, box, path);

	if (rc)
		return rc;
	s->write = write;
	rc = view_open(&s->v, path, write ? O_WRONLY | O_CREAT | O_EXCL : O_RDONLY, mode & 07777,
		       &s->file);
	return rc || !write ? rc : view_own(&s->v, path);
}

int tsb_stream_open(struct tsb_sandbox *box, const char *path, bool write, uint32_t mode,
		    struct tsb_stream **out)
{
	struct tsb_stream *s;
	int rc;

	if (!box || !path || !out)
		return sandbox_refuse(box, __func__);
	*out = NULL;
	s = calloc(1, sizeof(*s));
	rc = s ? stream_begin(s, box, path, write, mode) : -ENOMEM;
	if (!rc) {
		*out = s;
		return TSB_OK;
	}
	tsb_stream_close(s);
	return sandbox_fail(box, rc == -ENOMEM ? TSB_ERR_MEMORY : TSB_ERR_FILE, rc,
			    "cannot open %s: %s", path, tsb_strerror(rc));
}

ssize_t tsb_stream_read(struct tsb_stream *s, void *buf, size_t n, uint64_t offset)
{
	return s->write ? -EBADF : vfs_read(s->file, buf, n, offset);
}

int tsb_stream_write(struct tsb_stream *s, const void *data, size_t n, uint64_t offset)
{
	size_t done = 0;

	if (!s->write)
		return -EBADF;
	while (done < n) {
		ssize_t w = vfs_write(s->file, &s->v.who, (const char *)data + done, n - done,
				      offset + done);

		if (w <= 0)
			return w ? (int)w : -EIO;
		done += (size_t)w;
	}
	return 0;
}

int tsb_stream_stat(struct tsb_stream *s, struct tsb_stat *st)
{
	return vfs_fstat(s->file, st);
}

int tsb_stream_close(struct tsb_stream *s)
{
	int rc = 0;

	if (!s)
		return 0;
	if (s->file)
		rc = vfs_close(s->file);
	view_end(&s->v);
	free(s);
	return rc;
}
