/*
 * What a sync is about to do, written into its stage before it does: of a box's own files nothing is kept before all
 * is done, but a workspace of the host is changed as we go. A server that is killed meanwhile leaves the journal, and
 * whoever looks at the tree next, with the key of who wrote it, has the rest done.
 *
 *	record   u8 what | u32 number | u32 mode | u16 length of the path | path        then FT_HASH bytes: ft_sign()
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "engine/sync.h"

#define JOURNAL FT_STAGE "/journal"
#define MAKING FT_STAGE "/journal.new"
#define HEAD 11u
#define MOST (1u << 30)

static struct tsb_sandbox *box_of(struct conn *c)
{
	return virtual_sandbox(c->server->box);
}

static void put_number(uint8_t *at, uint32_t value, unsigned n)
{
	for (unsigned i = 0; i < n; i++)
		at[i] = (uint8_t)(value >> 8 * i);
}

static uint32_t number_at(const uint8_t *at, unsigned n)
{
	uint32_t v = 0;

	for (unsigned i = 0; i < n; i++)
		v |= (uint32_t)at[i] << 8 * i;
	return v;
}

static void put_op(struct wire_out *o, const struct sync_op *op)
{
	size_t n = strlen(op->path);
	uint8_t head[HEAD] = {op->what};

	put_number(head + 1, op->number, 4);
	put_number(head + 5, op->mode, 4);
	put_number(head + 9, (uint32_t)n, 2);
	wire_raw(o, head, sizeof(head));
	wire_raw(o, op->path, n);
}

int sync_journal(struct conn *c)
{
	struct sync *y = c->sync;
	char *making = sync_path(y, MAKING), *name = sync_path(y, JOURNAL);
	struct wire_out o = {0};
	uint8_t hash[FT_HASH];
	int error = making && name ? 0 : ENOMEM;

	for (size_t i = 0; i < y->count; i++)
		put_op(&o, &y->ops[i]);
	ft_sign(y->key, o.data, o.size, hash);
	wire_raw(&o, hash, sizeof(hash));
	if (!error && o.failed)
		error = ENOMEM;
	if (!error && (tsb_write_file(box_of(c), making, o.data, o.size, 0600) ||
		       tsb_rename_file(box_of(c), making, name)))
		error = tsb_errno(box_of(c));
	wire_free(&o);
	free(making);
	free(name);
	y->kept = !error;
	return error;
}

/* One record, noted; its size, 0: none. */
static size_t take_op(struct sync *y, const uint8_t *at, size_t left)
{
	size_t n = left < HEAD ? SIZE_MAX : number_at(at + 9, 2);
	char path[FT_PATH + 1];

	if (n > FT_PATH || n > left - HEAD)
		return 0;
	memcpy(path, at + HEAD, n);
	path[n] = '\0';
	if (!*path || strlen(path) != n || !ft_is_path(path) ||
	    !sync_note(y, (enum wire_type)at[0], path, number_at(at + 1, 4), number_at(at + 5, 4)))
		return 0;
	return HEAD + n;
}

static bool take_ops(struct sync *y, const uint8_t *data, size_t n)
{
	size_t size;

	for (; n; data += size, n -= size) {
		size = take_op(y, data, n);
		if (!size)
			return false;
	}
	return true;
}

/* In our own tree it is whatever somebody put there. */
static void *read_journal(struct conn *c, size_t *n)
{
	char *name = sync_path(c->sync, JOURNAL);
	struct tsb_stat st;
	void *data = NULL;

	if (name && (tsb_stat_file(box_of(c), name, &st) || !S_ISREG(st.mode) || st.size > MOST ||
		     tsb_read_file(box_of(c), name, &data, n)))
		data = NULL;
	free(name);
	return data;
}

bool sync_finish(struct conn *c)
{
	struct sync *y = c->sync;
	size_t n = 0;
	uint8_t *data = read_journal(c, &n);
	bool good = true;

	if (data && ft_is_signed(y->key, data, n)) {
		y->staged = y->kept = y->again = true;
		good = take_ops(y, data, n - FT_HASH);
		if (!good)
			sync_failed(c, WIRE_ERROR_FILE, EINVAL, FT_STAGE);
		good = good && !sync_do_all(c);
	}
	free(data);
	return good;
}
