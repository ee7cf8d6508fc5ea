/*
 * The manifest of a layer: a line for each entry, made from the files alone, so that it is the same
 * wherever the layer is. Ids count from the box's own user 0. And the stamp, for asking cheaply
 * whether anybody was there since: reading a gigabyte takes a second, its stat nothing.
 * One without attributes is as it was before there were any, and says nothing of them.
 */
#define OPENSSL_SUPPRESS_DEPRECATED
#include <errno.h>
#include <fcntl.h>
#include <openssl/sha.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "init/layer.h"
#include "init/path.h"

#define MANIFEST_MOST ((size_t)1 << 30)
#define HEAD "tinybox-layer 1\n"
#define VERSION 14		/* where it is in that; 2: with attributes */
#define BUFFER 65536u

struct hashing {
	struct text manifest;
	SHA256_CTX stamp;
	uint64_t size, count;
	uint32_t base;
	bool stamp_only, attributes;
	const char *path;	/* of whose attributes are told */
	struct links links;
	uint8_t *buffer;
};

bool layer_is_own(const char *name)
{
	return !strcmp(name, "manifest") || !strcmp(name, "stamp") || !strcmp(name, "new") ||
		!strcmp(name, "manifest.new") || !strcmp(name, "stamp.new") ||
		!strcmp(name, "index");	/* engine/index.h */
}

bool layer_is_disk(const char *path)
{
	return !strcmp(path, "image") || !strcmp(path, "state") || !strcmp(path, "work");
}

static ssize_t read_block(int fd, uint8_t *data, off_t at)
{
	ssize_t n = 0, more = 1;

	while (n < (ssize_t)LAYER_BLOCK && more) {
		more = pread(fd, data + n, LAYER_BLOCK - (size_t)n, at + n);
		if (more < 0 && errno == EINTR)
			more = 1;
		else if (more < 0)
			return -1;
		else
			n += more;
	}
	return n;
}

ssize_t layer_next_block(int fd, uint8_t *data, off_t *at)
{
	for (;;) {
		off_t next = lseek(fd, *at, SEEK_DATA);
		ssize_t n;

		if (next < 0)
			return errno == ENXIO ? 0 : -1;
		*at = next / LAYER_BLOCK * LAYER_BLOCK;
		n = read_block(fd, data, *at);
		/* not all zeros: the first one is not, or one is not as the one before it */
		if (n <= 0 || *data || memcmp(data, data + 1, (size_t)n - 1))
			return n;
		*at += LAYER_BLOCK;
	}
}

static void add_hex(struct text *t, const uint8_t *data, size_t n)
{
	static const char digits[] = "0123456789abcdef";
	char two[2];

	for (size_t i = 0; i < n; i++) {
		two[0] = digits[data[i] >> 4];
		two[1] = digits[data[i] & 15];
		text_bytes(t, two, 2);
	}
}

static void add_octal(struct text *t, uint32_t mode)
{
	char digits[5] = {(char)('0' + (mode >> 9 & 7)), (char)('0' + (mode >> 6 & 7)),
		(char)('0' + (mode >> 3 & 7)), (char)('0' + (mode & 7)), ' '};

	text_bytes(t, digits, sizeof(digits));
}

static void add_number(struct text *t, uint64_t n)
{
	text_number(t, n);
	text_add(t, " ");
}

/* Not SHA256(), which brings all of libcrypto along. */
static void digest(const void *data, size_t n, uint8_t hash[32])
{
	SHA256_CTX sum;

	SHA256_Init(&sum);
	SHA256_Update(&sum, data, n);
	SHA256_Final(hash, &sum);
}

static bool content(struct hashing *h, int dir, const char *name, const struct stat *st)
{
	uint8_t hash[SHA256_DIGEST_LENGTH];
	int fd = walk_open(dir, name, st), saved;
	SHA256_CTX sum;
	ssize_t n = 1;

	if (fd < 0)
		return false;
	SHA256_Init(&sum);
	while (n > 0) {
		n = read(fd, h->buffer, BUFFER);
		if (n < 0 && errno == EINTR)
			n = 1;
		else if (n > 0)
			SHA256_Update(&sum, h->buffer, (size_t)n);
	}
	saved = errno;
	close(fd);
	errno = saved;
	SHA256_Final(hash, &sum);
	add_hex(&h->manifest, hash, sizeof(hash));
	text_add(&h->manifest, " ");
	return n == 0;
}

/* Of the blocks that are not zeros, and where they are: the same however sparse the file is. */
static bool disk_content(struct hashing *h, int dir, const char *name, const struct stat *st)
{
	uint8_t hash[SHA256_DIGEST_LENGTH], place[8];
	int fd = walk_open(dir, name, st);
	SHA256_CTX sum;
	ssize_t n = 1;

	if (fd < 0)
		return false;
	SHA256_Init(&sum);
	for (off_t at = 0; n > 0; at += LAYER_BLOCK) {
		n = layer_next_block(fd, h->buffer, &at);
		for (unsigned i = 0; i < 8; i++)
			place[i] = (uint8_t)((uint64_t)at >> 8 * i);
		if (n > 0) {
			SHA256_Update(&sum, place, sizeof(place));
			SHA256_Update(&sum, h->buffer, (size_t)n);
		}
	}
	close(fd);
	SHA256_Final(hash, &sum);
	add_hex(&h->manifest, hash, sizeof(hash));
	text_add(&h->manifest, " ");
	return n == 0;
}

static void stamp(struct hashing *h, const char *path, const struct stat *st)
{
	const uint64_t seen[] = {st->st_ino, st->st_mode, (uint64_t)st->st_size, st->st_uid, st->st_gid,
		(uint64_t)st->st_mtim.tv_sec, (uint64_t)st->st_mtim.tv_nsec,
		(uint64_t)st->st_ctim.tv_sec, (uint64_t)st->st_ctim.tv_nsec};

	SHA256_Update(&h->stamp, path, strlen(path) + 1);
	/* a directory's ctime is the first to tell of a name that came or went */
	SHA256_Update(&h->stamp, seen, sizeof(seen));
}

/* What every line has: the letter, mode, owner, time. */
static void head(struct hashing *h, const char *letter, const struct stat *st)
{
	text_add(&h->manifest, letter);
	add_octal(&h->manifest, st->st_mode);
	add_number(&h->manifest, (uint32_t)(st->st_uid - h->base));
	add_number(&h->manifest, (uint32_t)(st->st_gid - h->base));
	add_number(&h->manifest, (uint64_t)st->st_mtim.tv_sec * 1000000000u +
		   (uint64_t)st->st_mtim.tv_nsec);
}

static void tail(struct hashing *h, const char *path)
{
	text_json(&h->manifest, path, strlen(path));
	text_add(&h->manifest, "\n");
}

static bool add_link(struct hashing *h, int dir, const char *name, const char *path,
		     const struct stat *st)
{
	char target[4097];
	ssize_t n = readlinkat(dir, name, target, sizeof(target));

	if (n < 0 || n == (ssize_t)sizeof(target))
		return false;
	head(h, "l ", st);
	text_json(&h->manifest, target, (size_t)n);
	text_add(&h->manifest, " ");
	tail(h, path);
	return true;
}

static bool add_attribute(void *ctx, const char *name, const uint8_t *value, size_t n)
{
	struct hashing *h = ctx;
	uint8_t hash[SHA256_DIGEST_LENGTH];

	digest(value, n, hash);
	text_add(&h->manifest, "x ");
	text_json(&h->manifest, name, strlen(name));
	text_add(&h->manifest, " ");
	add_hex(&h->manifest, hash, sizeof(hash));
	text_add(&h->manifest, " ");
	tail(h, h->path);
	if (!h->manifest.failed)
		h->manifest.data[VERSION] = '2';
	return true;
}

static bool add_attributes(struct hashing *h, int dir, const char *name, const char *path, const struct stat *st)
{
	h->path = path;
	return !h->attributes || attr_each(dir, name, st, add_attribute, h);
}

static bool add_dir(struct hashing *h, int dir, const char *name, const char *path,
		    const struct stat *st)
{
	int fd = walk_open(dir, name, st);

	if (fd < 0)
		return false;
	head(h, walk_is_opaque(fd) ? "D " : "d ", st);
	close(fd);
	tail(h, path);
	return add_attributes(h, dir, name, path, st);
}

static bool add_file(struct hashing *h, int dir, const char *name, const char *path,
		     const struct stat *st)
{
	bool failed = false;
	const char *first = st->st_nlink > 1 ? links_first(&h->links, st->st_ino, path, &failed) : NULL;

	if (failed)
		return false;
	if (first) {
		text_add(&h->manifest, "h ");
		text_json(&h->manifest, first, strlen(first));
		text_add(&h->manifest, " ");
		tail(h, path);
		return true;
	}
	h->size += (uint64_t)st->st_size;
	head(h, layer_is_disk(path) ? "b " : "f ", st);
	add_number(&h->manifest, (uint64_t)st->st_size);
	if (layer_is_disk(path) ? !disk_content(h, dir, name, st) : !content(h, dir, name, st))
		return false;
	tail(h, path);
	return add_attributes(h, dir, name, path, st);
}

static bool visit(struct walk *w, int from, int to, const char *name, const struct stat *st,
		  int *below)
{
	struct hashing *h = w->ctx;
	const char *path = text_string(&w->path);

	(void)to;
	(void)below;
	h->count++;
	stamp(h, path, st);
	if (h->stamp_only)
		return true;
	if (S_ISDIR(st->st_mode))
		return add_dir(h, from, name, path, st);
	if (S_ISREG(st->st_mode))
		return add_file(h, from, name, path, st);
	if (S_ISLNK(st->st_mode))
		return add_link(h, from, name, path, st);
	if (walk_is_whiteout(st) || S_ISFIFO(st->st_mode) || S_ISSOCK(st->st_mode)) {
		if (walk_is_whiteout(st))
			text_add(&h->manifest, "w ");
		else
			head(h, S_ISFIFO(st->st_mode) ? "p " : "s ", st);
		tail(h, path);
		return true;
	}
	w->why = "is a device, which no box can make";
	return false;
}

static void say_where(struct text *why, const struct walk *w)
{
	const char *path = text_string(&w->path);

	text_add(why, *path ? path : "its directory");
	text_add(why, ": ");
	text_add(why, w->why ? w->why : text_errno(errno ? errno : ENOMEM));
}

static bool read_all(int layer, struct hashing *h, struct text *why)
{
	struct walk w = {.visit = visit, .skip = layer_is_own, .ctx = h};
	struct stat st;
	bool good;

	SHA256_Init(&h->stamp);
	h->buffer = malloc(BUFFER);
	h->base = geteuid();
	if (!fstatat(layer, "upper", &st, AT_SYMLINK_NOFOLLOW) && st.st_uid >= LAYER_BASE)
		h->base = LAYER_BASE;
	text_add(&h->manifest, HEAD);
	errno = 0;
	good = h->buffer && walk_tree(&w, layer, -1) && !h->manifest.failed;
	if (!good)
		say_where(why, &w);
	walk_free(&w);
	links_free(&h->links);
	free(h->buffer);
	return good;
}

static bool write_file(int layer, const char *name, const char *beside, const void *data, size_t n)
{
	int fd = openat(layer, beside, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, 0600);
	bool good = fd >= 0 && write_all(fd, data, n) && !fsync(fd) &&
		!renameat(layer, beside, layer, name);

	if (fd >= 0)
		close(fd);
	return good;
}

static bool write_stamp(int layer, struct hashing *h)
{
	uint8_t sum[SHA256_DIGEST_LENGTH];

	SHA256_Final(sum, &h->stamp);
	return write_file(layer, "stamp", "stamp.new", sum, sizeof(sum));
}

bool layer_hash(int layer, uint8_t hash[32], uint64_t *size, uint64_t *count, struct text *why)
{
	struct hashing h = {.attributes = true};
	bool good = read_all(layer, &h, why);

	if (good) {
		digest(h.manifest.data, h.manifest.size, hash);
		*size = h.size;
		*count = h.count;
		good = write_file(layer, "manifest", "manifest.new", h.manifest.data,
				  h.manifest.size) && write_stamp(layer, &h);
		if (!good) {
			text_add(why, "its manifest cannot be written: ");
			text_add(why, text_errno(errno));
		}
	}
	text_free(&h.manifest);
	return good;
}

/* ---- Checking ---- */

static bool same_stamp(int layer)
{
	int fd = openat(layer, "stamp", O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
	struct hashing h = {.stamp_only = true};
	uint8_t old[33], sum[SHA256_DIGEST_LENGTH];
	struct text why = {0};
	bool good = fd >= 0 && read(fd, old, sizeof(old)) == 32 && read_all(layer, &h, &why);

	if (fd >= 0)
		close(fd);
	if (good) {
		SHA256_Final(sum, &h.stamp);
		good = !memcmp(old, sum, sizeof(sum));
	}
	text_free(&h.manifest);
	text_free(&why);
	return good;
}

/* The path in the line where two manifests part, as it is written there. */
static void say_line(struct text *why, const char *a, const char *b)
{
	size_t i = 0, from = 0, n;
	const char *line;

	for (; a[i] && a[i] == b[i]; i++)
		if (a[i] == '\n')
			from = i + 1;
	line = a[from] ? a + from : b + from;
	n = strcspn(line, "\n");
	/* the name is last, and a quote in it has a backslash before it */
	for (i = n; i > 1 && (line[i - 1] != '"' || line[i - 2] != ' '); i--)
		;
	line += i ? i - 1 : 0;
	n -= i ? i - 1 : 0;
	text_bytes(why, line, n < 300 ? n : 300);
	text_add(why, " is not as it was");
}

static bool compare(int layer, const char *stored, size_t n, struct text *why)
{
	struct hashing h = {.attributes = n > VERSION && stored[VERSION] != '1'};
	bool good = read_all(layer, &h, why);

	if (good && (h.manifest.size != n || memcmp(h.manifest.data, stored, n))) {
		say_line(why, text_string(&h.manifest), stored);
		good = false;
	}
	if (good)
		write_stamp(layer, &h);	/* where it cannot be written, the next look is as long */
	text_free(&h.manifest);
	return good;
}

bool layer_check(int layer, const uint8_t hash[32], bool every, struct text *why)
{
	int fd = openat(layer, "manifest", O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
	uint8_t sum[SHA256_DIGEST_LENGTH];
	size_t n = 0;
	char *stored = fd < 0 ? NULL : read_whole(fd, MANIFEST_MOST, &n);
	bool good;

	if (fd >= 0)
		close(fd);
	if (!stored) {
		text_add(why, "its manifest cannot be read: ");
		text_add(why, text_errno(errno));
		return false;
	}
	digest(stored, n, sum);
	good = !memcmp(sum, hash, sizeof(sum));
	if (!good)
		text_add(why, "its manifest is not the one that was written");
	else if (every || !same_stamp(layer))
		good = compare(layer, stored, n, why);
	free(stored);
	return good;
}
