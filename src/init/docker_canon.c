/*
 * An image's archive in the one form that travels. Docker from version 25 on names what is in it by hashes below blobs/, and
 * podman in another way; both have a manifest.json that says which file is what, or an OCI layout's index. Of these files the old form is
 * made, with nothing else in it. What an engine of this machine writes is no stranger's, but it is read as if it were.
 */
#define OPENSSL_SUPPRESS_DEPRECATED
#include <errno.h>
#include <fcntl.h>
#include <openssl/sha.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "init/docker_archive.h"
#include "init/path.h"
#include "init/text.h"

#define JSON_MOST (4u << 20)
#define LAYERS_MOST 512u
#define SEARCHED 16384u		/* entries, for each file of it */
#define PIECE 65536u

struct canon {
	int from, to;
	off_t size;			/* of `from` */
	struct text manifest;		/* as it will be */
	char config[101], layer[LAYERS_MOST][101];
	unsigned layers;
};

/* ---- What is there ---- */

/* `linked`: it may be a layer that stands elsewhere in the archive. */
static bool find_file(const struct canon *c, const char *name, bool linked, off_t *data, uint64_t *size)
{
	struct archive_entry e;
	off_t at = 0;

	for (unsigned i = 0; i < SEARCHED && !archive_is_end(c->from, at); i++) {
		if (!archive_head(c->from, at, &e) || e.size > (uint64_t)c->size)
			return false;
		*data = at + (off_t)ARCHIVE_BLOCK;
		*size = e.size;
		if (!strcmp(e.name + (strncmp(e.name, "./", 2) ? 0 : 2), name)) {
			if (e.type == '2' && linked && archive_is_link(e.link))
				return find_file(c, e.link + 3, false, data, size);
			return e.type == '0' && *data + (off_t)e.size <= c->size;
		}
		at = archive_next(at, &e);
	}
	return false;
}

static bool find(const struct canon *c, const char *name, off_t *data, uint64_t *size)
{
	return find_file(c, name, true, data, size);
}

static char *read_text(const struct canon *c, const char *name, uint64_t *size)
{
	off_t data;
	char *text;

	if (!find(c, name, &data, size) || *size > JSON_MOST)
		return NULL;
	text = calloc(1, (size_t)*size + 1);
	if (text && pread(c->from, text, (size_t)*size, data) == (ssize_t)*size)
		return text;
	free(text);
	return NULL;
}

static bool step(const char **at, const char *text)
{
	size_t n = strlen(text);

	if (strncmp(*at, text, n))
		return false;
	*at += n;
	return true;
}

/* A file's name in quotes: HEX, behind blobs/sha256/ and before the end of its kind, or not; the older layers are in directories. */
static bool name_at(const char **at, const char *end, char name[101])
{
	const char *begin = *at + 1, *hex, *rest;

	if (!step(at, "\""))
		return false;
	step(at, "blobs/sha256/");
	hex = *at;
	rest = archive_hex(hex);
	if (!rest)
		return false;
	*at = rest;
	if (!step(at, end))
		step(at, "/layer.tar");
	memcpy(name, begin, (size_t)(*at - begin));
	name[*at - begin] = '\0';
	return step(at, "\"");
}

/* Names that somebody has given it do not travel. */
static bool skip_names(const char **at)
{
	bool more = true;

	if (step(at, "null") || step(at, "[]"))
		return true;
	for (more = step(at, "["); more; more = step(at, ",")) {
		if (!step(at, "\""))
			return false;
		*at += strcspn(*at, "\"\\");
		if (!step(at, "\""))
			return false;
	}
	return step(at, "]");
}

/* What is behind the layers (their media types) is not needed. */
static bool read_manifest(struct canon *c)
{
	uint64_t size = 0;
	char *text = read_text(c, "manifest.json", &size);
	const char *at = text;
	bool good = text && step(&at, "[{\"Config\":") && name_at(&at, ".json", c->config) &&
		step(&at, ",\"RepoTags\":") && skip_names(&at) && step(&at, ",\"Layers\":["), more = good;

	while (more) {
		good = c->layers < LAYERS_MOST && name_at(&at, ".tar", c->layer[c->layers++]);
		more = good && step(&at, ",");
	}
	good = good && step(&at, "]") && (*at == '}' || *at == ',');
	free(text);
	return good;
}

/* ---- An OCI layout, which has no manifest.json ---- */

/* Behind the next "digest" the name of that blob. */
static bool next_digest(const char **at, const char *end, char name[101])
{
	static const char key[] = "\"digest\"", sum[] = "\"sha256:";
	const char *s = strstr(*at, key);

	if (!s || (end && s > end))
		return false;
	s += sizeof(key) - 1;
	s += strspn(s, " \t\r\n:");
	if (strncmp(s, sum, sizeof(sum) - 1) || !archive_hex(s + sizeof(sum) - 1))
		return false;
	snprintf(name, 101, "blobs/sha256/%.64s", s + sizeof(sum) - 1);
	*at = s + sizeof(sum) - 1 + ARCHIVE_HEX;
	return true;
}

/*
 * The first image of its index. It is looked through and not parsed: whatever is found, the configuration must have its hash,
 * and the engine finds in it those of the layers.
 */
static bool read_layout(struct canon *c)
{
	uint64_t size = 0;
	char *text = read_text(c, "index.json", &size), name[101];
	const char *at = text, *end;
	bool good = text && next_digest(&at, NULL, name);

	free(text);
	text = good ? read_text(c, name, &size) : NULL;
	at = text ? strstr(text, "\"config\"") : NULL;
	good = at && next_digest(&at, NULL, c->config);
	at = good ? strstr(text, "\"layers\"") : NULL;
	end = at ? strchr(at, ']') : NULL;
	for (c->layers = 0; end && c->layers < LAYERS_MOST && next_digest(&at, end, c->layer[c->layers]);)
		c->layers++;
	free(text);
	return good && c->layers && c->layers < LAYERS_MOST;
}

static bool read_either(struct canon *c)
{
	uint64_t size;
	off_t at;

	return find(c, "manifest.json", &at, &size) ? read_manifest(c) : read_layout(c);
}

static const char *hex_of(const char *name)
{
	return strncmp(name, "blobs/sha256/", 13) ? name : name + 13;
}

/* ---- What is made of it ---- */

static bool put_head(int to, const char *name, uint64_t size)
{
	char head[ARCHIVE_BLOCK] = "";
	unsigned sum = 0;

	snprintf(head, 100, "%s", name);
	memcpy(head + 100, "0000644", 8);
	memcpy(head + 108, "0000000", 8);
	memcpy(head + 116, "0000000", 8);
	snprintf(head + 124, 12, "%011llo", (unsigned long long)size);
	memcpy(head + 136, "00000000000", 12);
	memcpy(head + 148, "        ", 8);
	head[156] = '0';
	memcpy(head + 257, "ustar\0" "00", 8);
	for (size_t i = 0; i < sizeof(head); i++)
		sum += (unsigned char)head[i];
	snprintf(head + 148, 8, "%06o", sum);
	head[155] = ' ';
	return write_all(to, head, sizeof(head));
}

static bool put_end(int to, uint64_t size)
{
	static const char zeros[ARCHIVE_BLOCK];

	return write_all(to, zeros, (size_t)(-size & (ARCHIVE_BLOCK - 1)));
}

static bool put_bytes(int to, const char *name, const char *data, uint64_t size)
{
	return put_head(to, name, size) && write_all(to, data, (size_t)size) && put_end(to, size);
}

static bool put_file(const struct canon *c, const char *name, off_t at, uint64_t size)
{
	char *piece = malloc(PIECE);
	bool good = piece && put_head(c->to, name, size);

	for (uint64_t left = size; good && left;) {
		ssize_t n = pread(c->from, piece, left < PIECE ? (size_t)left : PIECE, at);

		good = n > 0 && write_all(c->to, piece, (size_t)n);
		at += n > 0 ? n : 0;
		left -= n > 0 ? (uint64_t)n : 0;
	}
	free(piece);
	return good && put_end(c->to, size);
}

/* The image is its configuration: what has that hash is it. */
static bool put_config(struct canon *c, const char id[ARCHIVE_HEX])
{
	uint8_t hash[SHA256_DIGEST_LENGTH];
	char hex[2 * SHA256_DIGEST_LENGTH + 1], name[ARCHIVE_HEX + 6];
	uint64_t size = 0;
	char *text = read_text(c, c->config, &size);
	bool good = text != NULL;
	SHA256_CTX sum;

	/* (in one call it would bring all of the library) */
	SHA256_Init(&sum);
	if (good)
		SHA256_Update(&sum, text, (size_t)size);
	SHA256_Final(hash, &sum);
	for (size_t i = 0; good && i < sizeof(hash); i++)
		snprintf(hex + 2 * i, 3, "%02x", hash[i]);
	snprintf(name, sizeof(name), "%.64s.json", id);
	good = good && !memcmp(hex, id, ARCHIVE_HEX) && put_bytes(c->to, name, text, size);
	free(text);
	return good;
}

static bool is_again(const struct canon *c, unsigned n)
{
	for (unsigned i = 0; i < n; i++)
		if (!strcmp(c->layer[i], c->layer[n]))
			return true;
	return false;
}

static bool put_layers(struct canon *c)
{
	char name[ARCHIVE_HEX + 11];
	uint64_t size;
	off_t at;

	for (unsigned i = 0; i < c->layers; i++) {
		snprintf(name, sizeof(name), "%.64s/layer.tar", hex_of(c->layer[i]));
		text_add(&c->manifest, i ? ",\"" : "\"");
		text_add(&c->manifest, name);
		text_add(&c->manifest, "\"");
		if (!is_again(c, i) && (!find(c, c->layer[i], &at, &size) || !put_file(c, name, at, size)))
			return false;
	}
	return true;
}

static bool put_all(struct canon *c, const char id[ARCHIVE_HEX], const char *name)
{
	static const char end[2 * ARCHIVE_BLOCK];
	char head[ARCHIVE_HEX + 60];

	snprintf(head, sizeof(head), "[{\"Config\":\"%.64s.json\",\"RepoTags\":", id);
	text_add(&c->manifest, head);
	text_add(&c->manifest, name ? "[\"" : "null");
	text_add(&c->manifest, name ? name : "");
	text_add(&c->manifest, name ? "\"],\"Layers\":[" : ",\"Layers\":[");
	if (!put_config(c, id) || !put_layers(c))
		return false;
	text_add(&c->manifest, "]}]\n");
	return !c->manifest.failed &&
		put_bytes(c->to, "manifest.json", c->manifest.data, c->manifest.size) &&
		write_all(c->to, end, sizeof(end));
}

bool archive_id(int from, char id[ARCHIVE_HEX + 1])
{
	struct canon *c = calloc(1, sizeof(*c));
	struct stat st;
	bool good = c && !fstat(from, &st);

	if (good) {
		c->from = from;
		c->size = st.st_size;
		good = read_either(c);
		memcpy(id, hex_of(c->config), ARCHIVE_HEX);
		id[ARCHIVE_HEX] = '\0';
	}
	free(c);
	return good;
}

bool archive_canon(int from, int to, const char id[ARCHIVE_HEX], const char *name)
{
	struct canon *c = calloc(1, sizeof(*c));
	struct stat st;
	bool good = c && !fstat(from, &st);

	if (good) {
		c->from = from;
		c->to = to;
		c->size = st.st_size;
		good = read_either(c) && put_all(c, id, name);
		text_free(&c->manifest);
	}
	free(c);
	return good;
}
