/*
 * A sync that is about to change a box's tree leaves a mark beside the box's record: its server may be
 * killed with all that is inside in the middle of its renames. Whoever starts the box again has them
 * finished before anything runs in it.
 */
#include "box/sync.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define MARK "syncing-"
#define KEY 64			/* hex digits, before the path */

static bool has_mark(const struct sync_job *j)
{
	return j->has_box && json_string_value(bx_at(j->b.record, "placement.workspace.sandbox"));
}

/* Names of marks are the beginnings of the trees' keys; malloc */
static char *mark_name(const struct sync_job *j)
{
	char *hex = bx_hex(j->key, 8), *name = hex ? bx_format(MARK "%s", hex) : NULL;

	free(hex);
	return name;
}

void sync_mark(struct sync_job *j)
{
	char *name = has_mark(j) ? mark_name(j) : NULL, *key = name ? bx_hex(j->key, sizeof(j->key)) : NULL;
	char *text = key ? bx_format("%s%s", key, j->opt->path) : NULL;

	if (text && symlinkat(text, j->b.dir, name) && errno != EEXIST)
		bx_progress(j->store, "%s", strerror(errno));
	free(text);
	free(key);
	free(name);
}

void sync_unmark(struct sync_job *j)
{
	char *name = has_mark(j) ? mark_name(j) : NULL;

	if (name)
		unlinkat(j->b.dir, name, 0);
	free(name);
}

static bool read_key(const char *hex, uint8_t key[32])
{
	static const char digits[] = "0123456789abcdef";

	for (size_t i = 0; i < 32; i++) {
		const char *high = hex[2 * i] ? strchr(digits, hex[2 * i]) : NULL;
		const char *low = high && hex[2 * i + 1] ? strchr(digits, hex[2 * i + 1]) : NULL;

		if (!low)
			return false;
		key[i] = (uint8_t)((high - digits) << 4 | (low - digits));
	}
	return true;
}

/* One that looks finishes what was begun; nothing else is asked. */
static int finish(struct bx *b, const char *text)
{
	uint8_t key[32];
	struct wire_frame f;
	struct bx_conn c;
	int status;

	if (!read_key(text, key) || !text[KEY])
		return TBX_OK;
	status = bx_connect_now(b, &c);
	if (status)
		return status;
	wire_begin(&c.out, WIRE_TREE);
	wire_text(&c.out, WIRE_F_PATH, text + KEY);
	wire_u8(&c.out, WIRE_F_STATE, WIRE_TREE_LOOK);
	wire_bytes(&c.out, WIRE_F_HASH, key, sizeof(key));
	wire_end(&c.out);
	wire_begin(&c.out, WIRE_CLOSE_IN);
	wire_end(&c.out);
	status = bx_ask(&c, &f);
	bx_conn_close(&c);
	return status;
}

void bx_sync_finish(struct bx *b)
{
	int copy = openat(b->dir, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *d = copy < 0 ? NULL : fdopendir(copy);
	char text[KEY + 4096];
	struct dirent *e;

	if (!d && copy >= 0)
		close(copy);
	while (d && (e = readdir(d))) {
		ssize_t n = strncmp(e->d_name, MARK, sizeof(MARK) - 1) ? -1 :
			    readlinkat(b->dir, e->d_name, text, sizeof(text) - 1);

		if (n < KEY)
			continue;
		text[n] = '\0';
		if (finish(b, text))
			bx_warn(b->store, "%s: a sync to %s was not finished: %s; sync again", b->id, text + KEY,
				tbx_error(b->store));
		unlinkat(b->dir, e->d_name, 0);
	}
	if (d)
		closedir(d);
}
