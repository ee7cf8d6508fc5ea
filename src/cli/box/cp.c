/*
 * tinybox cp: which side is the box.
 */
#include "cli/box/box.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *boxc_place(const char *s, char **box)
{
	const char *colon = strchr(s, ':');

	*box = colon ? strndup(s, (size_t)(colon - s)) : NULL;
	if (*box && tbx_is_name(*box))
		return colon[1] ? colon + 1 : ".";
	free(*box);
	*box = NULL;
	return s;
}

static int done(struct boxc *c, struct tbx_doc *doc)
{
	char path[64];
	bool skipped = tbx_doc_count(doc, "skipped") != 0;

	for (size_t i = 0; i < tbx_doc_count(doc, "skipped"); i++) {
		const char *what, *why;

		snprintf(path, sizeof(path), "skipped[%zu].path", i);
		what = tbx_doc_text(doc, path);
		snprintf(path, sizeof(path), "skipped[%zu].why", i);
		why = tbx_doc_text(doc, path);
		boxc_error(c, 0, "%s: %s: not copied", what ? what : "?", why ? why : "");
	}
	if (c->json)
		return boxc_print(c, doc) || skipped ? BOXC_OWN : 0;
	tbx_doc_free(doc);
	return skipped ? BOXC_OWN : 0;
}

int boxc_cp(struct boxc *c)
{
	char *from_box, *to_box;
	const char *from = boxc_place(c->argv[0], &from_box), *to = boxc_place(c->argv[1], &to_box);
	struct tbx_doc *doc = NULL;
	int status;

	if (!from_box == !to_box)
		status = boxc_usage(c, "one of the two must be BOX:PATH");
	else if (to_box)
		status = tbx_copy_in(c->tbx, to_box, from, to, &doc);
	else
		status = tbx_copy_out(c->tbx, from_box, from, to, &doc);
	if (!from_box != !to_box)
		status = status ? boxc_failed(c, status) : done(c, doc);
	free(from_box);
	free(to_box);
	return status;
}
