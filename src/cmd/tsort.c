/*
 * tsort - sort names so that every one comes before those it is paired with.
 *
 * Names without a predecessor left are a queue. Where a loop keeps all names
 * from it, the loop is shown and its last pair forgotten.
 */
#include "cmd/cmd.h"

#include <stdlib.h>
#include <errno.h>
#include <string.h>

#include "base/map.h"
#include "base/vec.h"
#include "cmd/lines.h"
#include "cmd/util.h"

struct tsort_item {
	const char *name;
	size_t before;			/* predecessors left */
	struct tsort_next *first;	/* successors, the latest first */
	struct tsort_item *link;	/* in the queue, or of a suspected loop */
	bool done;
};

struct tsort_next {
	struct tsort_item *item;
	struct tsort_next *next;
};

struct tsort {
	struct tsb_proc *p;
	const char *file;
	struct map names;
	VEC(struct tsort_item *) items;
	size_t left;
	struct tsort_item *head, *tail, *loop;
};

static struct tsort_item *tsort_item(struct tsort *t, const char *name, size_t n)
{
	struct map_entry *e = map_find(&t->names, name, n);
	struct tsort_item *item;

	if (e)
		return e->value;
	item = tsb_alloc(t->p, sizeof(*item));
	item->name = tsb_strndup(t->p, name, n);
	map_put(&t->names, name, n)->value = item;
	*vec_add(tsb_heap_of(t->p), &t->items) = item;
	return item;
}

static void tsort_relate(struct tsort *t, struct tsort_item *a, struct tsort_item *b)
{
	struct tsort_next *next;

	if (a == b)
		return;
	next = tsb_alloc(t->p, sizeof(*next));
	next->item = b;
	next->next = a->first;
	a->first = next;
	b->before++;
}

/* A read error is the end of the input, as in the real one, unless there is no input. */
static bool tsort_read(struct tsort *t, int fd)
{
	struct tsort_item *first = NULL, *item;
	struct tsb_reader in;
	char *line, *word;
	size_t n;

	tsb_reader_init(&in, t->p, fd);
	while ((n = tsb_getdelim(&in, &line, '\n'))) {
		char *end = line + n;

		while (line < end) {
			while (line < end && strchr(" \t\n", *line) && *line)
				line++;
			word = line;
			while (line < end && (!*line || !strchr(" \t\n", *line)))
				line++;
			if (line == word)
				break;
			item = tsort_item(t, word, (size_t)(line - word));
			if (first)
				tsort_relate(t, first, item);
			first = first ? NULL : item;
			tsb_tick(t->p, 1);
		}
	}
	if (in.error == -EBADF) {
		tsb_warn_errno(t->p, in.error, "standard input");
		return false;
	}
	if (first)
		tsb_warn(t->p, "%s: input contains an odd number of tokens", quote_f(t->p, t->file));
	return !first;
}

static int tsort_compare(const void *a, const void *b)
{
	const struct tsort_item *const *x = a, *const *y = b;

	return strcmp((*x)->name, (*y)->name);
}

static void tsort_enqueue(struct tsort *t, struct tsort_item *item)
{
	if (t->head)
		t->tail->link = item;
	else
		t->head = item;
	t->tail = item;
}

static void tsort_put_free(struct tsort *t)
{
	t->head = NULL;
	for (size_t i = 0; i < t->items.n; i++)
		if (!t->items.at[i]->before && !t->items.at[i]->done)
			tsort_enqueue(t, t->items.at[i]);
	for (; t->head; t->head = t->head->link) {
		struct tsort_item *item = t->head;

		tsb_puts(t->p, item->name);
		tsb_putc(t->p, '\n');
		item->done = true;
		t->left--;
		for (struct tsort_next *s = item->first; s; s = s->next)
			if (!--s->item->before) {
				t->tail->link = s->item;
				t->tail = s->item;
			}
		tsb_tick(t->p, 1);
	}
}

/* Shows the loop that the pair *pair of item closes, and forgets that pair. */
static void tsort_show_loop(struct tsort *t, struct tsort_item *item, struct tsort_next **pair)
{
	struct tsort_item *next;
	bool shown = false;

	for (; t->loop; t->loop = next) {
		next = t->loop->link;
		if (!shown)
			tsb_warn(t->p, "%s", t->loop->name);
		if (t->loop == item && !shown) {
			(*pair)->item->before--;
			*pair = (*pair)->next;
			shown = true;
		}
		t->loop->link = NULL;
	}
}

/* Puts item in front of the suspected loop if it leads there: is it closed? */
static bool tsort_follow_loop(struct tsort *t, struct tsort_item *item)
{
	if (!item->before)
		return false;
	if (!t->loop) {
		t->loop = item;
		return false;
	}
	for (struct tsort_next **pair = &item->first; *pair; pair = &(*pair)->next) {
		if ((*pair)->item != t->loop)
			continue;
		if (item->link) {
			tsort_show_loop(t, item, pair);
			return true;
		}
		item->link = t->loop;
		t->loop = item;
		return false;
	}
	return false;
}

static void tsort_break_loop(struct tsort *t)
{
	tsb_warn(t->p, "%s: input contains a loop:", quote_f(t->p, t->file));
	for (size_t i = 0; i < t->items.n; i++)
		t->items.at[i]->link = NULL;
	t->loop = NULL;
	do {
		for (size_t i = 0; i < t->items.n; i++)
			if (tsort_follow_loop(t, t->items.at[i]))
				break;
		tsb_tick(t->p, t->items.n);
	} while (t->loop);
}

static int tsort_run(struct tsb_proc *p, void *opts, int argc, char **argv)
{
	struct tsort t = { .p = p, .file = argc ? argv[0] : "-" };
	bool ok = true;
	int fd;

	(void)opts;
	if (argc > 1)
		return util_extra_operand(p, argv[1]);
	map_init(&t.names, tsb_heap_of(p));
	fd = input_open(p, t.file);
	if (fd < 0) {
		tsb_warn_errno(p, fd, "%s", quote_f(p, t.file));
		return 1;
	}
	if (!tsort_read(&t, fd))
		return 1;
	t.left = t.items.n;
	if (t.items.n)
		qsort(t.items.at, t.items.n, sizeof(*t.items.at), tsort_compare);
	while (t.left) {
		tsort_put_free(&t);
		if (!t.left)
			break;
		tsort_break_loop(&t);
		ok = false;
	}
	return !ok;
}

const struct tsb_command cmd_tsort = {
	CMD_COREUTILS, .name = "tsort", .synopsis = "[OPTION] [FILE]",
	.summary = "Write totally ordered list consistent with the partial ordering in FILE.",
	.run = tsort_run,
};
