/*
 * When a box's time is over: shown, or moved.
 */
#include "cli/box/box.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

static int show(struct boxc *c, struct tbx_doc *doc)
{
	int64_t at = tbx_doc_number(doc, "expires_at", 0), left;
	struct timespec now;
	char span[32], day[32] = "-";
	time_t t = (time_t)(at / 1000000000);
	struct tm tm;

	if (c->json)
		return boxc_print(c, doc);
	clock_gettime(CLOCK_REALTIME, &now);
	left = at - ((int64_t)now.tv_sec * 1000000000 + now.tv_nsec);
	if (at && gmtime_r(&t, &tm))
		strftime(day, sizeof(day), "%Y-%m-%dT%H:%M:%SZ", &tm);
	boxc_cell(tbx_doc_text(doc, "id"), 10, false);
	boxc_cell(at ? day : "never", 22, !at);
	if (at)
		boxc_cell(left > 0 ? boxc_span((uint64_t)left, span) : "over", 0, true);
	tbx_doc_free(doc);
	return boxc_flush(c, 0);
}

int boxc_ttl(struct boxc *c)
{
	const char *word = c->argc > 1 ? c->argv[1] : NULL;
	unsigned flags = c->shorten ? TBX_TTL_SHORTEN : 0;
	struct tbx_doc *doc;
	uint64_t span = 0;
	int status;

	if (!word) {
		status = tbx_inspect(c->tbx, c->argv[0], &doc);
		return status ? boxc_failed(c, status) : show(c, doc);
	}
	if (!strcmp(word, "never"))
		flags |= TBX_TTL_NEVER;
	else if (*word == '+')
		flags |= TBX_TTL_ADD;
	if (!(flags & TBX_TTL_NEVER) && (!tbx_duration(word + (*word == '+'), &span) || !span))
		return boxc_usage(c, "'%s': not a span of time; 90s, +5m, 2h and never are some", word);
	status = tbx_ttl(c->tbx, c->argv[0], span, flags, &doc);
	return status ? boxc_failed(c, status) : show(c, doc);
}
