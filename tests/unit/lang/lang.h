/*
 * What the tests of this room share: a heap and a parse with it.
 */
#ifndef UNIT_LANG_H
#define UNIT_LANG_H

#include "base/heap.h"
#include "lang/arith.h"
#include "lang/parse.h"
#include "lang/print.h"

#include "tap.h"

#include <stdlib.h>

struct lang {
	struct tsb_heap *heap;
	struct parse_options opt;
	struct parse_error err;
};

__attribute__((unused)) static void lang_init(struct lang *t)
{
	memset(t, 0, sizeof(*t));
	t->heap = heap_new(NULL, NULL, NULL, NULL);
	t->opt = (struct parse_options){ .name = "bash", .extglob = true, .depth_max = 200,
					 .source_max = (size_t)1 << 30 };
	str_init(&t->err.message, t->heap, STR_MAX_DEFAULT);
	str_init(&t->err.detail, t->heap, STR_MAX_DEFAULT);
}

__attribute__((unused)) static void lang_end(struct lang *t)
{
	heap_end(t->heap);
}

__attribute__((unused)) static struct script *lang_parse(struct lang *t, const char *text)
{
	str_reset(&t->err.message);
	str_reset(&t->err.detail);
	t->err.incomplete = t->err.limit = false;
	return parse_script(t->heap, text, strlen(text), &t->opt, &t->err);
}

/* The first command of a text that must parse. */
__attribute__((unused)) static struct node *lang_first(struct lang *t, const char *text)
{
	struct script *s = lang_parse(t, text);

	if (!s || !s->body) {
		printf("# does not parse: %s: %s\n", text, t->err.message.p);
		exit(1);
	}
	return s->body->list.first;
}

/* Its n-th word, from 0. */
__attribute__((unused)) static struct word *lang_word(struct lang *t, const char *text, unsigned n)
{
	struct word *w = lang_first(t, text)->simple.words;

	while (w && n--)
		w = w->next;
	return w;
}

#endif
