/*
 * Kinds known by their first bytes: the tables of all rooms in one order.
 */
#include "cmd/file/file.h"

static const struct file_kind *const tables[] = {
	file_images, file_media, file_archives, file_programs, file_documents, file_data
};

enum { INNER_MAX = 4 };

/* One row: does it hold? Its text and what is more are in f then. */
static bool row_holds(struct file_look *f, const struct file_kind *k)
{
	if (!file_has(f, k->at, k->bytes, k->n))
		return false;
	str_adds(&f->text, k->text);
	f->mime = k->mime;
	f->ext = k->ext;
	f->apple = k->apple;
	if (!k->more || k->more(f))
		return true;
	str_reset(&f->text);
	f->mime = f->ext = f->apple = NULL;
	return false;
}

bool file_find_kind(struct file_look *f)
{
	bool found = false;

	for (size_t t = 0; t < sizeof(tables) / sizeof(*tables); t++)
		for (const struct file_kind *k = tables[t]; k->bytes; k++) {
			if (!row_holds(f, k))
				continue;
			file_take(f);
			if (!f->o->keep_going)
				return true;
			found = true;
		}
	return found;
}

void file_inner(struct file_look *f, uint64_t at)
{
	struct file_look in = *f;

	if (at >= f->n || f->depth >= INNER_MAX)
		return;
	in.at = f->at + at;
	in.n = f->n - (size_t)at;
	in.depth++;
	str_init(&in.text, f->heap, STR_MAX_DEFAULT);
	for (size_t t = 0; t < sizeof(tables) / sizeof(*tables); t++)
		for (const struct file_kind *k = tables[t]; k->bytes; k++)
			if (row_holds(&in, k)) {
				str_addn(&f->text, in.text.p, in.text.n);
				str_end(&in.text);
				return;
			}
	str_end(&in.text);
}
