/*
 * A snapshot of docker as a file: the engine's own archive of the image, in a layer's directory, so that it is hashed,
 * sent and checked as layers are. An archive that comes in is a stranger's, and an engine that loads one gives names
 * of the archive's choice and follows its links: so only one that has exactly what an engine writes of
 * one image without a name is given to it, and what has come of it must have the id that was said.
 */
#define OPENSSL_SUPPRESS_DEPRECATED
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "init/docker_archive.h"
#include "init/docker_stray.h"
#include "init/path.h"

#define LONG 1800u		/* seconds */
#define NAME "saved"
#define NEW_NAME ".saved"
#define BLOCK ARCHIVE_BLOCK
#define ENTRIES_MOST ARCHIVE_ENTRIES
#define MANIFEST_MOST (64u << 10)
#define HEX ARCHIVE_HEX

static const char bad_archive[] = "the archive is not of one image without a name, as docker writes it";

/* ---- The archive ---- */

const char *archive_hex(const char *s)
{
	return strspn(s, "0123456789abcdef") == HEX ? s + HEX : NULL;
}

/* What kind of entry a name may be: 0: none. */
static char kind_of(const char *name)
{
	const char *rest = archive_hex(name);

	if (!strcmp(name, "manifest.json"))
		return 'm';
	if (!rest)
		return 0;
	if (!strcmp(rest, ".json") || !strcmp(rest, "/json") || !strcmp(rest, "/VERSION"))
		return 'f';
	if (!strcmp(rest, "/layer.tar"))
		return 'l';
	return !strcmp(rest, "/") ? 'd' : 0;
}

/* An entry's link: another layer's file. */
bool archive_is_link(const char *target)
{
	const char *rest = strncmp(target, "../", 3) ? NULL : archive_hex(target + 3);

	return rest && !strcmp(rest, "/layer.tar");
}

static bool literal(const char **at, const char *text)
{
	size_t n = strlen(text);

	if (strncmp(*at, text, n))
		return false;
	*at += n;
	return true;
}

/* As docker writes it, byte for byte: a reader of JSON would find a name under many spellings. */
static bool good_manifest(const char *s, const char id[HEX])
{
	const char *at = s;
	bool more = true;

	if (!literal(&at, "[{\"Config\":\"") || !archive_hex(at) || memcmp(at, id, HEX))
		return false;
	at += HEX;
	if (!literal(&at, ".json\",\"RepoTags\":null,\"Layers\":["))
		return false;
	while (more) {
		if (!literal(&at, "\"") || !archive_hex(at))
			return false;
		at += HEX;
		if (!literal(&at, "/layer.tar\""))
			return false;
		more = literal(&at, ",");
	}
	return literal(&at, "]}]") && (!*at || !strcmp(at, "\n"));
}

static bool number(const char *s, size_t n, uint64_t *out)
{
	size_t i = 0;

	for (*out = 0; i < n && s[i] >= '0' && s[i] <= '7'; i++)
		*out = *out * 8 + (uint64_t)(s[i] - '0');
	return i && (i == n || !s[i] || s[i] == ' ');
}

bool archive_head(int fd, off_t at, struct archive_entry *e)
{
	char head[BLOCK];

	if (pread(fd, head, BLOCK, at) != (ssize_t)BLOCK || memcmp(head + 257, "ustar", 5) || head[345] ||
	    !number(head + 124, 12, &e->size))
		return false;
	memcpy(e->name, head, 100);
	memcpy(e->link, head + 157, 100);
	e->name[100] = e->link[100] = '\0';
	e->type = head[156] ? head[156] : '0';
	return true;
}

off_t archive_next(off_t at, const struct archive_entry *e)
{
	return at + (off_t)(BLOCK + ((e->size + BLOCK - 1) & ~(uint64_t)(BLOCK - 1)));
}

bool archive_is_end(int fd, off_t at)
{
	static const char zeros[2 * BLOCK];
	char some[2 * BLOCK];

	return pread(fd, some, sizeof(some), at) == (ssize_t)sizeof(some) && !memcmp(some, zeros, sizeof(some));
}

static bool read_manifest(int fd, off_t at, uint64_t size, const char id[HEX])
{
	char *text = size < MANIFEST_MOST ? calloc(1, (size_t)size + 1) : NULL;
	bool good = text && pread(fd, text, (size_t)size, at) == (ssize_t)size && strlen(text) == size &&
		good_manifest(text, id);

	free(text);
	return good;
}

static bool good_entry(int fd, off_t at, const struct archive_entry *e, const char id[HEX], unsigned *manifests)
{
	char kind = kind_of(e->name);

	if (e->type == '5')
		return kind == 'd' && !e->size;
	if (e->type == '2')
		return kind == 'l' && !e->size && archive_is_link(e->link);
	if (e->type != '0')
		return false;
	if (kind == 'm' && ++*manifests == 1)
		return read_manifest(fd, at, e->size, id);
	return kind == 'f' || kind == 'l';
}

static bool good_archive(int fd, const char id[HEX])
{
	unsigned manifests = 0;
	struct archive_entry e;
	struct stat st;
	off_t at = 0;

	if (fstat(fd, &st))
		return false;
	for (unsigned i = 0; i < ENTRIES_MOST; i++) {
		if (archive_is_end(fd, at))
			return manifests == 1;
		if (!archive_head(fd, at, &e) || e.size > (uint64_t)st.st_size ||
		    !good_entry(fd, at + BLOCK, &e, id, &manifests))
			return false;
		at = archive_next(at, &e);
	}
	return false;
}

/* ---- Out and in ---- */

static void put_hex(char hex[HEX + 1], const uint8_t hash[32])
{
	static const char digits[] = "0123456789abcdef";

	for (unsigned i = 0; i < 32; i++) {
		hex[2 * i] = digits[hash[i] >> 4];
		hex[2 * i + 1] = digits[hash[i] & 15];
	}
	hex[HEX] = '\0';
}

static bool run(struct docker *d, struct docker_words *w, int in, int out, struct tool *t)
{
	bool good;

	*t = (struct tool){.argv = w->at, .env = d->env, .in = in, .out = out, .seconds = LONG, .tick = d->tick,
		.ctx = d->ctx};
	good = !w->failed && tool_run(t);
	docker_free_words(w);
	return good;
}

/* As it was written, or made so. */
static bool to_canon(int layer, int fd, const char id[HEX])
{
	int to;
	bool good;

	if (good_archive(fd, id))
		return true;
	to = openat(layer, NEW_NAME, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0600);
	good = to >= 0 && archive_canon(fd, to, id, NULL) && good_archive(to, id) && !renameat(layer, NEW_NAME, layer, NAME);
	if (to >= 0)
		close(to);
	if (!good)
		unlinkat(layer, NEW_NAME, 0);
	return good;
}

bool docker_save_image(struct docker *d, int layer, const uint8_t id[32])
{
	int fd = openat(layer, NAME, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0600);
	char hex[8 + HEX] = "sha256:";
	struct docker_words w = {0};
	struct tool t;
	bool good;

	put_hex(hex + 7, id);
	if (fd < 0 || (!d->program && !docker_find(d))) {
		if (fd >= 0)
			close(fd);
		return fd < 0 ? docker_failed(d, NULL, "the image's archive cannot be made") : false;
	}
	docker_word(&w, d->program);
	docker_word(&w, "save");
	docker_word(&w, "--");
	docker_word(&w, hex);
	good = run(d, &w, -1, fd, &t);
	if (!good)
		docker_failed(d, &t, "the engine does not save the image");
	tool_free(&t);
	if (good && !to_canon(layer, fd, hex + 7))
		good = docker_failed(d, NULL, "the engine writes the image in a way that is not known here");
	close(fd);
	return good;
}

/* What an engine made that is not what it should be goes again. */
static bool not_it(struct docker *d)
{
	return docker_failed(d, NULL, "the image that came of the archive is not the one that was said");
}

static bool name_it(struct docker *d, const char *id, const char *image)
{
	struct docker_words w = {0};
	struct tool t;

	docker_word(&w, "tag");
	docker_word(&w, "--");
	docker_word(&w, id);
	docker_word(&w, image);
	if (!docker_call(d, &t, &w, 60))
		return docker_failed(d, &t, "the engine does not name the image that was loaded");
	tool_free(&t);
	return true;
}

bool docker_load_image(struct docker *d, int layer, const uint8_t id[32], const char *image)
{
	int fd = openat(layer, NAME, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
	char hex[8 + HEX] = "sha256:";
	struct docker_words w = {0};
	struct tool t;
	bool good;

	put_hex(hex + 7, id);
	good = fd >= 0 && good_archive(fd, hex + 7);
	if (!good)
		docker_failed(d, NULL, bad_archive);
	good = good && (d->program || docker_find(d)) && lseek(fd, 0, SEEK_SET) == 0;
	if (!good) {
		if (fd >= 0)
			close(fd);
		return false;
	}
	docker_word(&w, d->program);
	docker_word(&w, "load");
	docker_word(&w, "--quiet");
	good = run(d, &w, fd, 0, &t);
	close(fd);
	if (!good)
		docker_failed(d, &t, "the engine does not load the image");
	else if (!strstr(text_string(&t.said), hex))
		good = not_it(d);
	tool_free(&t);
	return good && name_it(d, hex, image);
}
