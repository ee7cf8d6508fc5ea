/*
 * A snapshot as one file:
 *
 *	"tinybox snapshot 1\n" | u64 size of the words | words (JSON) | SHA-256 of the words | parts
 *
 * The words are what the snapshot's record has, but for its place; the parts are the sandbox's own
 * affair, each with its hash in the words. What comes in is a stranger's: nothing of it names a file of
 * ours, and until all of it was read and compared the snapshot is "creating".
 */
#include "box/snap.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "box/sha256.h"

#define HEAD "tinybox snapshot "
#define WORDS_MOST (16u << 20)
#define PARTS_MOST 400u

static int file_error(struct tbx_store *store, const char *file)
{
	return bx_fail(store, TBX_ERR_FILE, "%s: %s", file, strerror(errno));
}

/* ---- Out ---- */

/* Not where it is, who has it, or what it is called here. */
static json_t *words_of(const struct bx_snap *s)
{
	static const char *const told[] = {
		"version", "label", "sandbox", "created_at", "memory", "spec", "parts", "hash", NULL,
	};
	json_t *words = json_object();

	for (size_t i = 0; told[i]; i++)
		bx_put(words, told[i], json_deep_copy(json_object_get(s->record, told[i])));
	bx_secrets_strip(json_object_get(words, "spec"), true);
	return words;
}

static bool put_words(const struct bx_snap *s, int fd)
{
	json_t *words = words_of(s);
	char *text = json_dumps(words, JSON_COMPACT | JSON_SORT_KEYS), head[64];
	size_t n = text ? strlen(text) : 0;
	uint8_t size[8], hash[32];
	bool good = text;
	int length = snprintf(head, sizeof(head), HEAD "%d\n", BX_SNAP_VERSION);

	for (unsigned i = 0; i < 8; i++)
		size[i] = (uint8_t)((uint64_t)n >> 8 * i);
	if (good)
		bx_sha256(text, n, hash);
	good = good && bx_write_bytes(fd, head, (size_t)length) && bx_write_bytes(fd, size, sizeof(size)) && bx_write_bytes(fd, text, n) &&
		bx_write_bytes(fd, hash, sizeof(hash));
	json_decref(words);
	free(text);
	return good;
}

static int export_to(struct bx_snap *s, const struct bx_keeping *k, int fd, const char *file)
{
	int status;

	if (!put_words(s, fd))
		return file_error(s->store, file);
	status = k->export(s, fd);
	if (!status && fsync(fd) && errno != EINVAL && errno != EROFS)
		status = file_error(s->store, file);
	return status;
}

/* Beside it, and renamed when it is whole. */
static int export_file(struct bx_snap *s, const struct bx_keeping *k, const char *file)
{
	char *beside = bx_format("%s.part-%ld", file, (long)getpid());
	int fd = beside ? open(beside, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600) : -1;
	int status;

	if (fd < 0) {
		status = beside ? file_error(s->store, beside) : bx_memory(s->store);
		free(beside);
		return status;
	}
	status = export_to(s, k, fd, file);
	if (!status && rename(beside, file))
		status = file_error(s->store, file);
	if (status)
		unlink(beside);
	close(fd);
	free(beside);
	return status;
}

static bool on_image(const json_t *record)
{
	const json_t *source = bx_at(record, "spec.source");
	const char *kind = bx_text(source, "kind");

	return json_object_get(source, "root") || (kind && !strcmp(kind, "image"));
}

int tbx_snapshot_export(struct tbx_store *store, const char *snapshot, const char *file)
{
	const struct bx_keeping *k;
	struct bx_snap s;
	int status = bx_snap_open(store, snapshot, BX_LOCK_NONE, &s);

	if (status)
		return status;
	k = bx_keeping(store, bx_text(s.record, "sandbox"));
	if (!k)
		status = TBX_ERR_UNSUPPORTED;
	else if (!k->export)
		status = bx_fail(store, TBX_ERR_UNSUPPORTED, "a snapshot of a %s box cannot be put into a "
				 "file", k->sandbox);
	else if (!strcmp(k->sandbox, "namespace") && on_image(s.record))
		status = bx_fail(store, TBX_ERR_UNSUPPORTED, "%s was made on an --image, which is a directory of "
				 "this machine: it cannot go elsewhere", s.id);
	else if (strcmp(bx_text(s.record, "state"), "ready"))
		status = bx_fail(store, TBX_ERR_STATE, "%s is %s; `tinybox reap` tidies up", s.id,
				 bx_text(s.record, "state"));
	else
		status = k->check(&s, false);
	if (!status)
		status = strcmp(file, "-") ? export_file(&s, k, file) : export_to(&s, k, 1, "-");
	bx_snap_close(&s);
	return status;
}

/* ---- In ---- */

static int foreign(struct tbx_store *store, const char *file, const char *why)
{
	return bx_fail(store, TBX_ERR_FILE, "%s: %s", file, errno ? strerror(errno) : why);
}

static int read_head(struct tbx_store *store, int fd, const char *file)
{
	char head[32] = {0};
	size_t n = strlen(HEAD);
	long version = 0;

	if (!bx_read_bytes(fd, head, n) || memcmp(head, HEAD, n))
		return foreign(store, file, "is no snapshot of tinybox");
	for (unsigned i = 0; i < 10; i++) {
		if (!bx_read_bytes(fd, head, 1))
			return foreign(store, file, "is damaged: it ends too early");
		if (*head == '\n')
			break;
		if (*head < '0' || *head > '9')
			return foreign(store, file, "is no snapshot of tinybox");
		version = 10 * version + (*head - '0');
	}
	if (version > BX_SNAP_VERSION)
		return bx_fail(store, TBX_ERR_UNSUPPORTED, "%s was written by a newer tinybox: use that one",
			       file);
	return version == BX_SNAP_VERSION ? TBX_OK : foreign(store, file, "is no snapshot of tinybox");
}

static int read_words(struct tbx_store *store, int fd, const char *file, json_t **words)
{
	uint8_t size[8], hash[32], theirs[32];
	uint64_t n = 0;
	char *text;
	bool good;

	*words = NULL;
	if (!bx_read_bytes(fd, size, sizeof(size)))
		return foreign(store, file, "is damaged: it ends too early");
	for (unsigned i = 0; i < 8; i++)
		n |= (uint64_t)size[i] << 8 * i;
	if (n > WORDS_MOST)
		return foreign(store, file, "is damaged: what it says of itself is too long");
	text = malloc((size_t)n + 1);
	if (!text)
		return bx_memory(store);
	good = bx_read_bytes(fd, text, (size_t)n) && bx_read_bytes(fd, theirs, sizeof(theirs));
	if (good)
		bx_sha256(text, (size_t)n, hash);
	if (good && !memcmp(hash, theirs, sizeof(hash)))
		*words = json_loadb(text, (size_t)n, 0, NULL);
	free(text);
	if (!good)
		return foreign(store, file, "is damaged: it ends too early");
	return *words ? TBX_OK : foreign(store, file, "is damaged: what it says of itself is not what its "
					 "hash says");
}

/* A text of ours, or nothing. */
static bool is_list(const json_t *spec, const char *name)
{
	const json_t *list = json_object_get(spec, name);

	for (size_t i = 0; i < json_array_size(list); i++)
		if (!json_is_string(json_array_get(list, i)) && !json_is_object(json_array_get(list, i)))
			return false;
	return !list || json_is_array(list);
}

static const char *wrong(const json_t *w)
{
	const json_t *spec = json_object_get(w, "spec"), *parts = json_object_get(w, "parts");
	const char *workspace = bx_text(spec, "workspace");

	if (!json_is_object(w) || !bx_text(w, "sandbox") || !json_is_object(spec) ||
	    !json_is_array(parts) || json_array_size(parts) > PARTS_MOST)
		return "is damaged: what it says of itself is incomplete";
	for (size_t i = 0; i < json_array_size(parts); i++)
		if (!json_is_object(json_array_get(parts, i)))
			return "is damaged: what it says of itself is incomplete";
	if (!workspace || *workspace != '/' || !json_is_object(json_object_get(spec, "source")) ||
	    !json_is_object(json_object_get(spec, "resources")) || !is_list(spec, "env") ||
	    !is_list(spec, "accept") || !is_list(spec, "allow") || !is_list(spec, "ports"))
		return "is damaged: what its box was is incomplete";
	return NULL;
}

/*
 * Of a stranger's words only these count: limits and directories, which a box of it is told. Not what
 * it may reach, nor what it may do without.
 */
static json_t *trusted_spec(const json_t *theirs)
{
	static const char *const kept[] = { "workspace", "cwd", "hostname", "resources", "env", "read_only",
					    NULL };
	json_t *spec = json_object(), *source = json_object();

	for (size_t i = 0; kept[i]; i++)
		bx_put(spec, kept[i], json_incref(json_object_get(theirs, kept[i])));
	bx_put(spec, "source", source);
	json_object_set_new(source, "kind", json_string("none"));
	bx_put(spec, "accept", json_array());
	bx_put(spec, "allow", json_array());
	bx_put(spec, "ports", json_array());
	bx_put(spec, "labels", json_object());
	bx_put(spec, "network", json_string("none"));
	return spec;
}

static void fill(struct bx_snap *s, const json_t *w, json_t *target)
{
	const char *sandbox = bx_text(w, "sandbox");
	char *host = bx_target_text(target);

	s->record = json_object();
	json_object_set_new(s->record, "version", json_integer(BX_SNAP_VERSION));
	json_object_set_new(s->record, "id", json_string(s->id));
	json_object_set_new(s->record, "state", json_string("creating"));
	json_object_set_new(s->record, "how", json_string("imported"));
	bx_put(s->record, "label", json_incref(json_object_get(w, "label")));
	bx_put(s->record, "sandbox", json_string(sandbox));
	bx_put(s->record, "target", target);
	bx_put_number(s->record, "created_at", bx_now());
	json_object_set_new(s->record, "memory", json_boolean(json_is_true(json_object_get(w, "memory"))));
	bx_put(s->record, "spec", trusted_spec(json_object_get(w, "spec")));
	bx_put(s->record, "left_out", json_array());
	bx_put(s->record, "parts", json_deep_copy(json_object_get(w, "parts")));
	bx_put(s->record, "placement", json_pack("{s:{s:s, s:s}, s:{s:s, s:s}}", "workspace", "host", host,
						 "sandbox", sandbox, "runner", "host", host, "sandbox", sandbox));
	free(host);
}

static int refuse_rest(struct tbx_store *store, int fd, const char *file)
{
	char more;

	errno = 0;
	return bx_read_bytes(fd, &more, 1) ? foreign(store, file, "is damaged: it goes on behind its end") : TBX_OK;
}

static int import_from(struct bx_snap *s, const struct bx_keeping *k, int fd, const char *file)
{
	int status = k->import(s, fd);
	char *error;

	if (!status)
		status = refuse_rest(s->store, fd, file);
	if (!status) {
		bx_snap_hash(s);
		json_object_set_new(s->record, "state", json_string("ready"));
		status = bx_snap_save(s);
	}
	if (!status)
		return status;
	error = strdup(tbx_error(s->store));
	if (!bx_snap_forget(s))
		k->drop(s->store, s->record);
	bx_fail(s->store, status, "%s", error ? error : "no memory");
	free(error);
	return status;
}

static int import_words(struct tbx_store *store, int fd, const char *file, const json_t *words,
			json_t *target, struct tbx_doc **doc)
{
	const struct bx_keeping *k = bx_keeping(store, bx_text(words, "sandbox"));
	struct bx_snap s;
	int status = k ? TBX_OK : TBX_ERR_UNSUPPORTED;

	if (!status && !k->import)
		status = bx_fail(store, TBX_ERR_UNSUPPORTED, "a snapshot of a %s box cannot come from a file",
				 k->sandbox);
	if (!status)
		status = bx_snap_new(store, &s);
	if (status) {
		json_decref(target);
		return status;
	}
	fill(&s, words, target);
	status = bx_snap_save(&s);
	if (!status)
		status = import_from(&s, k, fd, file);
	if (!status)
		status = bx_doc(store, bx_snap_doc(&s), doc);
	bx_snap_close(&s);
	return status;
}

int tbx_snapshot_import(struct tbx_store *store, const char *file, const struct tbx_target *target,
			struct tbx_doc **doc)
{
	json_t *words = NULL, *where = NULL;
	struct stat st;
	int fd, status = bx_target_of(store, target, &where);

	*doc = NULL;
	if (status)
		return status;
	fd = strcmp(file, "-") ? open(file, O_RDONLY | O_CLOEXEC | O_NONBLOCK) : dup(0);
	if (fd < 0 || fstat(fd, &st))
		status = file_error(store, file);
	else if (S_ISDIR(st.st_mode))
		status = bx_fail(store, TBX_ERR_FILE, "%s is a directory", file);
	else
		fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) & ~O_NONBLOCK);
	if (!status)
		status = read_head(store, fd, file);
	if (!status)
		status = read_words(store, fd, file, &words);
	errno = 0;
	if (!status && wrong(words))
		status = foreign(store, file, wrong(words));
	if (!status)
		status = import_words(store, fd, file, words, json_incref(where), doc);
	json_decref(where);
	json_decref(words);
	if (fd >= 0)
		close(fd);
	return status;
}
