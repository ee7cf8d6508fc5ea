/*
 * The end of a box's time, moved.
 */
#include "box/internal.h"

#include <string.h>

/* When it would end; 0: never. */
static int new_end(struct bx *b, uint64_t span, unsigned flags, uint64_t *at)
{
	uint64_t now = bx_now(), old = bx_number(b->record, "expires_at");
	uint64_t from = flags & TBX_TTL_ADD && old > now ? old : now;

	*at = 0;
	if (flags & TBX_TTL_NEVER)
		return TBX_OK;
	if (!span)
		return bx_fail(b->store, TBX_ERR_ARGUMENT, "%s: a box that has no time cannot be used; "
			       "`tinybox rm %s` ends it", b->id, b->id);
	if (flags & TBX_TTL_ADD && !old)
		return bx_fail(b->store, TBX_ERR_STATE, "%s is persistent: it has no end that could "
			       "move", b->id);
	if (span > INT64_MAX - from)
		return bx_fail(b->store, TBX_ERR_ARGUMENT, "%s: the time is too long; make it persistent",
			       b->id);
	*at = from + span;
	if (!(flags & TBX_TTL_SHORTEN) && (!old || *at < old))
		return bx_fail(b->store, TBX_ERR_STATE, "%s would end earlier than it does (%s): say "
			       "--shorten if it should, or +SPAN for a longer time", b->id,
			       old ? "`tinybox inspect` tells when" : "it is persistent");
	return TBX_OK;
}

static int change(struct bx *b, uint64_t at)
{
	json_t *spec = json_object_get(b->record, "spec"), *life = json_object();
	uint64_t born = bx_number(b->record, "created_at");
	static const char *const kept[] = { "autosnapshot", "autosnapshot_keep", NULL };
	json_t *fields = json_object();

	json_object_set_new(life, "kind", json_string(at ? "ephemeral" : "persistent"));
	json_object_del(b->record, "expires_at");
	if (at) {
		bx_put_number(b->record, "expires_at", at);
		bx_put_number(life, "ttl", at > born ? at - born : 0);
		bx_put_number(fields, "expires_at", at);
	}
	for (size_t i = 0; kept[i]; i++)
		bx_put(life, kept[i], json_incref(json_object_get(json_object_get(spec, "lifecycle"), kept[i])));
	json_object_set_new(spec, "lifecycle", life);
	bx_audit(b, "ttl", fields);
	return bx_save(b);
}

int tbx_ttl(struct tbx_store *store, const char *box, uint64_t span, unsigned flags,
	    struct tbx_doc **doc)
{
	struct bx b;
	uint64_t at;
	int status = bx_open(store, box, BX_LOCK_WRITE, &b);
	const char *state;

	if (status)
		return status;
	state = bx_text(b.record, "state");
	if (!strcmp(state, "creating") || !strcmp(state, "removing") || !strcmp(state, "failed"))
		status = bx_fail(store, TBX_ERR_STATE, "%s is %s; `tinybox rm %s` removes it", b.id,
				 state, b.id);
	if (!status)
		status = new_end(&b, span, flags, &at);
	if (!status)
		status = change(&b, at);
	if (!status)
		status = bx_doc(store, bx_box_doc(&b), doc);
	bx_close(&b);
	return status;
}
