/*
 * Layers read: what is in them, as a tree; to a file and from one; and those that nobody names.
 */
#include "box/layers.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "box/sha256.h"

#define LINE_MOST (64u << 10)

/* ---- A tree from manifests ---- */

struct reading {
	struct bx_snap *s;
	json_t *tree;
	char *text;		/* what came of the manifest and is no whole line yet */
	size_t n, room;
};

static void drop_below(json_t *tree, const char *path)
{
	size_t n = strlen(path);
	const char *key;
	json_t *value;
	void *next;

	json_object_foreach_safe(tree, next, key, value)
		if (!strncmp(key, path, n) && (key[n] == '/' || n == 1))
			json_object_del(tree, key);
}

/* A quoted name at *at, decoded as far as it is UTF-8; malloc. NULL: it is none. */
static char *quoted(char **at)
{
	char *from = *at, *end = from, *text;
	json_t *value;

	if (*from != '"')
		return NULL;
	for (end = from + 1; *end && *end != '"'; end++)
		if (*end == '\\' && end[1])
			end++;
	if (!*end)
		return NULL;
	value = json_loadb(from, (size_t)(end + 1 - from), JSON_DECODE_ANY, NULL);
	text = value ? strdup(json_string_value(value)) : strndup(from + 1, (size_t)(end - from - 1));
	json_decref(value);
	*at = end + 1 + (end[1] == ' ');
	return text;
}

/* The next word, which is cut off. */
static char *word(char **at)
{
	char *from = *at, *end = from + strcspn(from, " ");

	*at = *end ? end + 1 : end;
	*end = '\0';
	return from;
}

static const char *type_of(char letter)
{
	return letter == 'f' || letter == 'h' ? "file" : letter == 'd' || letter == 'D' ? "directory" :
		letter == 'l' ? "link" : "other";
}

static json_t *entry_of(char letter, char **at)
{
	json_t *entry = json_object();
	char *target;

	bx_put(entry, "type", json_string(type_of(letter)));
	if (letter == 'w' || letter == 'h')
		return entry;
	bx_put(entry, "mode", json_string(word(at)));
	bx_put(entry, "uid", json_string(word(at)));
	bx_put(entry, "gid", json_string(word(at)));
	word(at);
	if (letter == 'f' || letter == 'b') {
		bx_put_number(entry, "size", strtoull(word(at), NULL, 10));
		bx_put(entry, "hash", json_string(word(at)));
	} else if (letter == 'l') {
		target = quoted(at);
		bx_put(entry, "hash", target ? bx_json_text(target) : NULL);
		free(target);
	}
	return entry;
}

/* upper/PATH is /PATH of the box. */
static char *inside(const char *path)
{
	return !strncmp(path, "upper/", 6) ? strdup(path + 5) : NULL;
}

static void take_line(struct reading *r, char *line)
{
	char letter = *line, *at = line + 2, *first = NULL, *path, *name;
	json_t *entry, *old;

	if (!letter || line[1] != ' ' || !strchr("bfdDlhwps", letter))
		return;		/* the head */
	entry = entry_of(letter, &at);
	if (letter == 'h')
		first = quoted(&at);
	path = quoted(&at);
	name = path ? inside(path) : NULL;
	if (name) {
		old = json_object_get(r->tree, name);
		if (letter == 'D' || (letter != 'd' && old && bx_text(old, "type") &&
				      !strcmp(bx_text(old, "type"), "directory")))
			drop_below(r->tree, name);
		free(path);
		path = first ? inside(first) : NULL;
		if (letter == 'w')
			json_object_set_new(r->tree, name, json_null());
		else if (path && json_object_get(r->tree, path))
			json_object_set(r->tree, name, json_object_get(r->tree, path));
		else
			json_object_set(r->tree, name, entry);
	}
	json_decref(entry);
	free(first);
	free(path);
	free(name);
}

static int take_bytes(struct reading *r, const void *data, size_t n)
{
	char *line, *end;

	if (r->n + n + 1 > r->room) {
		size_t room = 2 * (r->n + n + 1);
		char *more = realloc(r->text, room);

		if (!more)
			return bx_memory(r->s->store);
		r->text = more;
		r->room = room;
	}
	memcpy(r->text + r->n, data, n);
	r->n += n;
	for (line = r->text; (end = memchr(line, '\n', r->n - (size_t)(line - r->text))); line = end + 1) {
		*end = '\0';
		take_line(r, line);
	}
	r->n -= (size_t)(line - r->text);
	memmove(r->text, line, r->n);
	return r->n > LINE_MOST ? bx_fail(r->s->store, TBX_ERR_PROTOCOL, "%s: its manifest is none",
					  r->s->id) : TBX_OK;
}

static int take_manifest(void *ctx, const void *data, size_t n)
{
	return take_bytes(ctx, data, n);
}

static int read_part(struct bx_snap *s, struct talk *t, json_t *part, void *ctx)
{
	struct reading *r = ctx;
	struct wire_frame f;
	uint8_t hash[32];
	int status;

	r->n = 0;
	talk_ask(t, WIRE_LAYER_READ, bx_text(part, "name"));
	wire_end(&t->c.out);
	status = bx_send(&t->c, bx_step(s->store));
	return status ? status : bx_take_data(&t->c, 0, take_manifest, r, &f, hash);
}

int layers_tree(struct bx_snap *s, json_t *tree)
{
	struct reading r = {.s = s, .tree = tree};
	int status = layers_each(s, read_part, &r);

	free(r.text);
	return status;
}

/* ---- A file ---- */

/* u32 size, bytes ... u32 0, SHA-256 of the bytes. */
static bool put_chunk(int fd, const void *data, size_t n)
{
	const uint8_t head[4] = {(uint8_t)n, (uint8_t)(n >> 8), (uint8_t)(n >> 16), (uint8_t)(n >> 24)};

	return bx_write_bytes(fd, head, sizeof(head)) && bx_write_bytes(fd, data, n);
}

static int cannot_write(struct bx_snap *s)
{
	return bx_fail(s->store, TBX_ERR_FILE, "%s cannot be written: %s", s->id, strerror(errno));
}

struct exporting {
	struct bx_snap *s;
	int fd;
	size_t done;
};

static int put_part(void *ctx, const void *data, size_t n)
{
	struct exporting *e = ctx;

	return put_chunk(e->fd, data, n) ? TBX_OK : cannot_write(e->s);
}

static int export_part(struct bx_snap *s, struct talk *t, json_t *part, void *ctx)
{
	struct exporting *e = ctx;
	uint8_t hash[32];
	struct wire_frame f;
	int status;

	bx_progress(s->store, "%s: part %zu of %zu", s->id, ++e->done, json_array_size(layers_parts(s->record)));
	talk_ask(t, WIRE_LAYER_EXPORT, bx_text(part, "name"));
	wire_end(&t->c.out);
	status = bx_send(&t->c, bx_step(s->store));
	if (!status)
		status = bx_take_data(&t->c, LAYERS_LONG, put_part, e, &f, hash);
	if (!status && (f.type != WIRE_OK || !bx_is_hash(&f, hash)))
		status = bx_fail(s->store, TBX_ERR_FILE, "%s: what arrived is not what was sent; try again",
				 s->id);
	if (!status && (!put_chunk(e->fd, "", 0) || !bx_write_bytes(e->fd, hash, sizeof(hash))))
		status = cannot_write(s);
	return status;
}

int layers_export(struct bx_snap *s, int fd)
{
	struct exporting e = { .s = s, .fd = fd };

	return layers_each(s, export_part, &e);
}

static int too_short(struct bx_snap *s)
{
	return bx_fail(s->store, TBX_ERR_FILE, "the file is damaged: %s", errno ? strerror(errno) :
		       "it ends too early");
}

/* What the file has of one part, to the host. */
static int send_part(struct bx_snap *s, struct talk *t, int fd)
{
	uint8_t head[4], hash[32], theirs[32], *data = malloc(WIRE_DATA_MAX);
	int status = data ? TBX_OK : bx_memory(s->store);
	SHA256_CTX sum;
	uint32_t n = 1;

	SHA256_Init(&sum);
	while (!status && n) {
		if (!bx_read_bytes(fd, head, sizeof(head))) {
			status = too_short(s);
			break;
		}
		n = (uint32_t)head[0] | (uint32_t)head[1] << 8 | (uint32_t)head[2] << 16 |
			(uint32_t)head[3] << 24;
		if (n > WIRE_DATA_MAX)
			status = bx_fail(s->store, TBX_ERR_FILE, "the file is damaged: a piece is too large");
		else if (!bx_read_bytes(fd, data, n))
			status = too_short(s);
		if (status || !n)
			break;
		SHA256_Update(&sum, data, n);
		wire_data(&t->c.out, WIRE_DATA_IN, data, n);
		status = bx_send(&t->c, bx_step(s->store));
	}
	SHA256_Final(hash, &sum);
	free(data);
	if (!status && !bx_read_bytes(fd, theirs, sizeof(theirs)))
		status = too_short(s);
	if (!status && memcmp(hash, theirs, sizeof(hash)))
		status = bx_fail(s->store, TBX_ERR_FILE, "the file is damaged: a part is not what its hash "
				 "says");
	return status;
}

/* Its name is new; its hash is the one it must have. */
static int import_part(struct bx_snap *s, struct talk *t, json_t *part, int fd)
{
	struct wire_field_in hash;
	struct wire_frame f;
	char *hex;
	int status;

	talk_ask(t, WIRE_LAYER_IMPORT, bx_text(part, "name"));
	wire_end(&t->c.out);
	status = bx_send(&t->c, bx_step(s->store));
	if (!status)
		status = send_part(s, t, fd);
	if (status)
		return status;
	wire_begin(&t->c.out, WIRE_CLOSE_IN);
	status = talk_answer(t, &f);
	if (status)
		return status;
	hex = wire_find(wire_fields(&f), WIRE_F_HASH, &hash) && hash.size == 32 ? bx_hex(hash.data, 32) : NULL;
	if (!hex || strcmp(hex, bx_text(part, "hash")))
		status = bx_fail(s->store, TBX_ERR_FILE, "the file is damaged: what is in it is not what its "
				 "manifest says");
	free(hex);
	return status;
}

int layers_import(struct bx_snap *s, int fd)
{
	json_t *parts = layers_parts(s->record), *theirs = json_deep_copy(parts), *mine = json_array();
	struct talk t;
	int status = TBX_OK;

	/* names of our own, in the record before they are made */
	for (size_t i = 0; !status && i < json_array_size(theirs); i++) {
		json_t *part = json_array_get(theirs, i);
		char name[BX_NAME_MAX + 1];

		if (!bx_text(part, "hash"))
			status = bx_fail(s->store, TBX_ERR_FILE, "the file is damaged: a part has no hash");
		if (!status)
			status = bx_part_name(s->store, "layer", name);
		if (!status)
			json_object_set_new(part, "name", json_string(name));
		json_array_append(mine, part);
	}
	json_object_set_new(s->record, "parts", mine);
	json_decref(theirs);
	if (!status && !json_array_size(mine))
		return bx_snap_save(s);
	if (status)
		return status;
	status = talk_of(s->store, s->record, &t);
	if (!status) {
		bx_put(s->record, "place", bx_is_ssh(json_object_get(s->record, "target")) ?
		       json_string(t.layers) : NULL);
		status = bx_snap_save(s);
	}
	for (size_t i = 0; !status && i < json_array_size(mine); i++)
		status = import_part(s, &t, json_array_get(mine, i), fd);
	talk_close(&t);
	return status;
}

/* ---- What nobody names ---- */

static json_t *list_layers(struct talk *t)
{
	json_t *list = json_array();
	struct wire_field_in name;
	struct wire_frame f;
	struct wire_iter it;

	talk_ask(t, WIRE_LAYER_LIST, NULL);
	if (talk_answer(t, &f))
		return list;
	it = wire_fields(&f);
	while (wire_step(&it, &name))
		if (name.name == WIRE_F_LAYER)
			json_array_append_new(list, bx_json_bytes((const char *)name.data, name.size));
	return list;
}

/* Listed first: what is there then and is named by nobody afterwards, nobody will name. */
int layers_strays(struct tbx_store *store, const json_t *target, bool dry,
		  void (*found)(void *ctx, const char *path, int status), void *ctx)
{
	struct talk t;
	int status, lock = -1;
	json_t *list, *used = NULL;
	bool unsure = true;

	/* nothing was ever sealed here: no program is started to find nothing */
	if (!bx_is_ssh(target) && faccessat(store->dir, "layers", F_OK, AT_SYMLINK_NOFOLLOW))
		return TBX_OK;
	status = talk_open(store, target, NULL, &t);
	list = status ? NULL : list_layers(&t);

	if (json_array_size(list))
		lock = bx_store_lock(store);
	if (lock >= 0) {
		used = bx_parts_used(store, &unsure);
		close(lock);
	}
	for (size_t i = 0; !unsure && i < json_array_size(list); i++) {
		const char *name = json_string_value(json_array_get(list, i));
		char *path = name ? bx_format("%s/%s", t.layers, name) : NULL;
		struct wire_frame f;

		if (path && !json_object_get(used, name)) {
			status = TBX_OK;
			if (!dry) {
				talk_ask(&t, WIRE_LAYER_REMOVE, name);
				status = talk_answer(&t, &f);
			}
			found(ctx, path, status);
		}
		free(path);
	}
	json_decref(list);
	json_decref(used);
	talk_close(&t);
	return status;
}
