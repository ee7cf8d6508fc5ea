/*
 * The audit log of boxes: printed as it is, or verified.
 */
#include "cli/box/box.h"

#include <stdio.h>
#include <string.h>

static int print(void *ctx, const char *box, const char *line)
{
	(void)ctx;
	(void)box;
	boxc_json(line);
	return 0;
}

static int verify(struct boxc *c, const char *box)
{
	struct tbx_doc *doc;
	char count[32], line[48];
	const char *why;
	int status = tbx_audit(c->tbx, box, &doc);

	if (status)
		return boxc_failed(c, status);
	why = tbx_doc_text(doc, "why");
	status = why ? BOXC_OWN : 0;
	if (c->json)
		return boxc_print(c, doc) ? BOXC_OWN : status;
	snprintf(count, sizeof(count), "%lld lines", (long long)tbx_doc_number(doc, "lines", 0));
	snprintf(line, sizeof(line), "behind line %lld", (long long)tbx_doc_number(doc, "lines", 0));
	boxc_cell(box ? box : "-", 10, false);
	boxc_cell(why ? "NOT WHOLE" : "whole", 10, false);
	boxc_cell(why ? line : count, 16, false);
	boxc_cell(why ? why : tbx_doc_text(doc, "hash"), 0, true);
	tbx_doc_free(doc);
	return status;
}

static int one(struct boxc *c, const char *box)
{
	int status;

	if (c->verify)
		return verify(c, box);
	status = tbx_events(c->tbx, box, false, print, c);
	return status ? boxc_failed(c, status) : 0;
}

int boxc_audit(struct boxc *c)
{
	int result = c->argc ? 0 : one(c, NULL), status;

	for (int i = 0; i < c->argc; i++) {
		status = one(c, c->argv[i]);
		result = status ? status : result;
	}
	return boxc_flush(c, result);
}
