/*
 * What a record must have, and what is shown of it. Fields that we do not know stay in it.
 */
#include "box/internal.h"

#include <string.h>

static const char *const bx_states[] = {
	"creating", "ready", "paused", "stopped", "failed", "lost", "removing", NULL,
};

bool bx_is_state(const char *s)
{
	for (size_t i = 0; s && bx_states[i]; i++)
		if (!strcmp(bx_states[i], s))
			return true;
	return false;
}

/* Not damage, and not ours to judge. */
bool bx_is_newer(const json_t *record)
{
	return json_integer_value(json_object_get(record, "version")) > BX_RECORD_VERSION;
}

bool bx_upgrade(json_t *record, const char **why)
{
	json_t *version = json_object_get(record, "version");

	*why = NULL;
	if (!json_is_object(record))
		*why = "it is no JSON object";
	else if (!json_is_integer(version))
		*why = "it has no version";
	else if (!tbx_is_name(bx_text(record, "id")))
		*why = "it has no id";
	else if (!bx_is_state(bx_text(record, "state")))
		*why = "it has no state";
	else if (!json_is_object(json_object_get(record, "spec")) ||
		 !json_is_object(json_object_get(record, "target")) ||
		 !json_is_object(json_object_get(record, "placement")))
		*why = "what the box is is missing";
	return !*why;
}

static const char *bx_isolation(const json_t *record)
{
	const char *said = bx_text(record, "isolation");
	const char *kind = json_string_value(bx_at(record, "placement.workspace.sandbox"));

	if (said)
		return said;
	if (bx_is_machine(record))
		return "hardware";
	if (kind && (!strcmp(kind, "namespace") || !strcmp(kind, "docker")))
		return "kernel";
	return kind && !strcmp(kind, "virtual") ? "process" : "none";
}

bool bx_expired(const json_t *record, uint64_t now)
{
	uint64_t at = bx_number(record, "expires_at");

	return at && now >= at;
}

json_t *bx_box_doc(const struct bx *b)
{
	static const char *const shown[] = {
		"id", "state", "created_at", "started_at", "expires_at", "placement", "target", "spec",
		"report", "published", "capabilities", "dir", "pid", "hooks", NULL,
	};
	const char *level = bx_isolation(b->record);
	json_t *doc = json_object();

	for (size_t i = 0; shown[i]; i++)
		bx_put(doc, shown[i], json_incref(json_object_get(b->record, shown[i])));
	bx_put(doc, "name", json_incref(json_object_get(json_object_get(b->record, "spec"), "name")));
	bx_put(doc, "isolation", json_string(level));
	json_object_set_new(doc, "untrusted",
			    json_boolean(!strcmp(level, "kernel") || !strcmp(level, "hardware")));
	return doc;
}
