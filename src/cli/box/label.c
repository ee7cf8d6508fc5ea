/*
 * Which processes of a box are meant: names behind BOX, or those that have a label.
 */
#include "cli/box/box.h"

#include <stdio.h>
#include <string.h>

#include "base/heap.h"

static const char *at(const struct tbx_doc *doc, size_t i, const char *name)
{
	char path[64];

	snprintf(path, sizeof(path), "processes[%zu].%s", i, name);
	return tbx_doc_text(doc, path);
}

static bool is_meant(const struct boxc *c, const struct tbx_doc *doc, size_t i, bool all)
{
	const char *label = at(doc, i, "label"), *state = at(doc, i, "state");

	/* all: to be signalled, so only what runs */
	return label && !strcmp(label, c->label) && at(doc, i, "proc") &&
	       (!all || (state && !strcmp(state, "running")));
}

/* all: every one that runs; else the latest. */
static int by_label(struct boxc *c, bool all, const char **list, const struct tbx_doc *doc, size_t n)
{
	size_t found = 0;

	for (size_t i = 0; i < n; i++) {
		if (!is_meant(c, doc, i, all))
			continue;
		list[found] = heap_strdup(c->heap, at(doc, i, "proc"));
		if (!list[found])
			return boxc_error(c, BOXC_OWN, "no memory");
		found += all;
	}
	if (*list)
		return 0;
	return boxc_error(c, BOXC_OWN, all ? "no process of %s runs that has the label %s; `tinybox ps %s` "
			  "lists them" : "no process of %s has the label %s; `tinybox ps %s` lists them",
			  c->argv[0], c->label, c->argv[0]);
}

int boxc_procs(struct boxc *c, bool all, const char *const **procs)
{
	size_t n = (size_t)c->argc;
	struct tbx_doc *doc;
	const char **list;
	int status;

	if (c->label && n > 1)
		return boxc_usage(c, "either PROCESS or --label");
	if (!c->label && n < 2)
		return boxc_missing(c);
	*procs = (const char *const *)(c->argv + 1);
	if (!c->label)
		return 0;
	status = tbx_ps(c->tbx, c->argv[0], &doc);
	if (status)
		return boxc_failed(c, status);
	n = tbx_doc_count(doc, "processes");
	list = heap_zalloc(c->heap, (n + 2) * sizeof(*list));
	*procs = list;
	status = list ? by_label(c, all, list, doc, n) : boxc_error(c, BOXC_OWN, "no memory");
	tbx_doc_free(doc);
	return status;
}
