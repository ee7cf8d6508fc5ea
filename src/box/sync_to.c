/*
 * A directory here to a box or a machine: what differs is sent, and becomes the tree there at once.
 */
#include "box/sync.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "box/sha256.h"

#define CHANGED "it changed while it was sent; nothing was changed there"
#define BATCH (256u << 10)	/* sent in one go */

static void put_frame(struct sync_job *j, const struct sync_change *c, const char *link)
{
	static const uint32_t kinds[] = { S_IFREG, S_IFDIR, S_IFLNK };
	struct wire_out *o = &j->c.out;
	unsigned kind = c->node->kind == FT_FILE ? 0 : c->node->kind == FT_DIR ? 1 : 2;

	wire_begin(o, WIRE_TREE_PUT);
	wire_text(o, WIRE_F_PATH, c->path);
	wire_u32(o, WIRE_F_MODE, kinds[kind] | c->node->mode);
	wire_u64(o, WIRE_F_MTIME, c->node->mtime);
	wire_text(o, WIRE_F_LINK, link);
	wire_end(o);
}

/* As much as there is of a file that should have `size` bytes; -1: errno */
static ssize_t read_part(int fd, char *buf, uint64_t at, uint64_t size)
{
	size_t n = 0;
	ssize_t got;

	/* a short one is the last, unless it is no ordinary file system */
	do {
		got = pread(fd, buf + n, WIRE_DATA_MAX - n, (off_t)(at + n));
		n += got > 0 ? (size_t)got : 0;
	} while ((got > 0 && n < WIRE_DATA_MAX && at + n != size) || (got < 0 && errno == EINTR));
	return got < 0 ? -1 : (ssize_t)n;
}

static int send_parts(struct sync_job *j, const struct sync_change *c, int fd, char *buf, uint8_t hash[32])
{
	uint64_t at = 0;
	SHA256_CTX ctx;
	int status = TBX_OK;
	ssize_t n;

	SHA256_Init(&ctx);
	do {
		n = read_part(fd, buf, at, c->node->size);
		if (n < 0)
			return sync_file_error(j, c->path, errno);
		SHA256_Update(&ctx, buf, (size_t)n);
		wire_data(&j->c.out, WIRE_DATA_IN, buf, (size_t)n);
		at += (uint64_t)n;
		status = sync_flush(j, BATCH);
		sync_show(j, false);
	} while (!status && n == WIRE_DATA_MAX);
	SHA256_Final(hash, &ctx);
	j->bytes += at;
	return status;
}

static bool same_hash(const struct sync_change *c, int fd, char *buf, const uint8_t hash[32])
{
	uint8_t now[32];
	SHA256_CTX ctx;
	uint64_t at = 0;
	ssize_t n;

	SHA256_Init(&ctx);
	do {
		n = read_part(fd, buf, at, c->node->size);
		if (n < 0)
			return false;
		SHA256_Update(&ctx, buf, (size_t)n);
		at += (uint64_t)n;
	} while (n == WIRE_DATA_MAX);
	SHA256_Final(now, &ctx);
	return !memcmp(now, hash, sizeof(now));
}

/*
 * Whether what was sent of a file that had no digest before is one content of it, not halves of
 * two: it is what it was when its name was read, and says the same once more. A small one is all in buf.
 */
static bool same_again(const struct sync_change *c, int fd, char *buf, uint64_t size, const uint8_t hash[32])
{
	char *more = buf + WIRE_DATA_MAX;

	if (size >= WIRE_DATA_MAX)
		return same_hash(c, fd, more, hash);
	return read_part(fd, more, 0, c->node->size) == (ssize_t)size && !memcmp(buf, more, size);
}

/* c: as its name was read */
static bool is_as_read(const struct sync_change *c, const struct stat *st)
{
	return c->node->size == (uint64_t)st->st_size && c->node->mtime ==
		(uint64_t)st->st_mtim.tv_sec * 1000000000u + (uint64_t)st->st_mtim.tv_nsec;
}

static int send_content(struct sync_job *j, const struct sync_change *c, int fd, char *buf)
{
	struct ft_node *own = c->node->unread ? ft_at(&j->here, c->path) : NULL;
	uint64_t before = j->bytes;
	uint8_t hash[32];
	int status = send_parts(j, c, fd, buf, hash);

	if (status)
		return status;
	if (own ? !same_again(c, fd, buf, j->bytes - before, hash) : memcmp(hash, c->node->hash, 32) != 0)
		return sync_changed(j, c->path, CHANGED);
	if (own) {
		memcpy(own->hash, hash, sizeof(hash));
		own->unread = false;
	}
	wire_begin(&j->c.out, WIRE_TREE_END);
	wire_bytes(&j->c.out, WIRE_F_HASH, hash, sizeof(hash));
	wire_end(&j->c.out);
	j->files++;
	return TBX_OK;
}

static int send_file(struct sync_job *j, const struct sync_change *c, char *buf)
{
	int fd = ft_open(j->root, c->path, O_RDONLY | O_NONBLOCK | O_NOCTTY), status;
	struct stat st;

	if (fd < 0)
		return errno == ENOENT || errno == ELOOP || errno == ENOTDIR ? sync_changed(j, c->path, CHANGED) :
		       sync_file_error(j, c->path, errno);
	if (fstat(fd, &st) || !S_ISREG(st.st_mode) || (c->node->unread && !is_as_read(c, &st))) {
		status = sync_changed(j, c->path, CHANGED);
	} else {
		put_frame(j, c, NULL);
		status = send_content(j, c, fd, buf);
	}
	close(fd);
	return status;
}

static int send_link(struct sync_job *j, const struct sync_change *c)
{
	const char *name;
	int dir = ft_parent(j->root, c->path, &name);
	char *target = dir < 0 ? NULL : ft_readlink(dir, name);
	uint8_t hash[32] = {0};

	if (dir >= 0)
		close(dir);
	if (target)
		bx_sha256(target, strlen(target), hash);
	if (!target || memcmp(hash, c->node->hash, 32)) {
		free(target);
		return sync_changed(j, c->path, CHANGED);
	}
	put_frame(j, c, target);
	free(target);
	j->link_count++;
	return TBX_OK;
}

static int send_change(struct sync_job *j, const struct sync_change *c, char *buf)
{
	struct wire_out *o = &j->c.out;

	if (c->op == SYNC_REMOVE || c->op == SYNC_MODE) {
		wire_begin(o, c->op == SYNC_MODE ? WIRE_TREE_MODE : WIRE_TREE_REMOVE);
		wire_text(o, WIRE_F_PATH, c->path);
		if (c->op == SYNC_MODE)
			wire_u32(o, WIRE_F_MODE, c->node->mode);
		wire_end(o);
		j->deleted += c->op == SYNC_REMOVE;
		return sync_flush(j, BATCH);
	}
	if (c->node->kind == FT_FILE)
		return send_file(j, c, buf);
	if (c->node->kind == FT_LINK)
		return send_link(j, c);
	put_frame(j, c, NULL);
	j->dirs++;
	return sync_flush(j, BATCH);
}

static int send_all(struct sync_job *j)
{
	char *buf = malloc(2 * WIRE_DATA_MAX);
	struct wire_frame f;
	int status = buf ? TBX_OK : bx_memory(j->store);

	sync_count(j);
	for (size_t i = 0; !status && i < j->plan.count; i++)
		status = send_change(j, &j->plan.at[i], buf);
	free(buf);
	if (status)
		return status;
	/* now all has a digest */
	if (j->missing && !ft_seal_all(&j->here))
		return sync_changed(j, "", CHANGED);
	sync_show(j, true);
	sync_mark(j);
	wire_begin(&j->c.out, WIRE_CLOSE_IN);
	wire_end(&j->c.out);
	status = sync_flush(j, 0);
	/* while it is done there */
	j->changes = sync_changes(j);
	if (!status)
		status = sync_ok(j, &f);
	/* with its server gone the mark stays: see bx_sync_finish() */
	if (!status)
		sync_unmark(j);
	return status;
}

int tbx_sync_to(struct tbx_store *store, const struct tbx_sync *opt, struct tbx_doc **doc)
{
	struct sync_job j;
	const char *word = "sent";
	int status = sync_begin(store, opt, &j);

	if (!status)
		status = sync_connect(&j);
	if (!status)
		status = sync_names(&j);
	if (!status)
		status = sync_look(&j, j.opt->dry ? WIRE_TREE_LOOK : WIRE_TREE_SYNC, false);
	if (!status && !j.plan.count && !j.missing)
		word = "unchanged";
	else if (!status && j.opt->dry)
		word = "planned";
	else if (!status)
		status = send_all(&j);
	return sync_end(&j, status, word, doc);
}
