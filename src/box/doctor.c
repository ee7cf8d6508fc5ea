/*
 * What works on a machine, found out by doing it. The layers below are probed by tinybox-init,
 * which is what will use them; here it is what stands before it.
 */
#include "box/internal.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void add(json_t *list, const char *name, const char *state, const char *text,
		const char *fix)
{
	json_t *probe = json_object();

	bx_put(probe, "name", json_string(name));
	bx_put(probe, "state", json_string(state));
	bx_put(probe, "text", bx_json_text(text));
	bx_put(probe, "fix", bx_json_text(fix));
	json_array_append_new(list, probe);
}

static void probe_helper(struct tbx_store *store, const char *name, json_t *list)
{
	char *path;

	if (bx_helper(store, name, &path)) {
		add(list, name, "missing", tbx_error(store), "install tinybox whole, or put it beside "
		    "the program");
		return;
	}
	add(list, name, "ok", path, NULL);
	free(path);
}

static void probe_store(struct tbx_store *store, json_t *list)
{
	int fd = openat(store->dir, ".", O_WRONLY | O_TMPFILE | O_CLOEXEC, 0600);

	if (fd >= 0 || errno == EOPNOTSUPP)
		add(list, "state-directory", "ok", store->path, NULL);
	else
		add(list, "state-directory", "broken", strerror(errno),
		    "name another with TINYBOX_STATE_DIR");
	if (fd >= 0)
		close(fd);
}

static const char *state_of(const struct wire_field_in *f, bool *bad, char **own)
{
	*own = wire_copy(f, bad);
	return *own ? *own : "broken";
}

static void take_probe(struct wire_iter it, json_t *list)
{
	struct wire_field_in state;
	bool bad = false;
	char *name = wire_string(it, WIRE_F_NAME, &bad), *text = wire_string(it, WIRE_F_TEXT, &bad);
	char *fix = wire_string(it, WIRE_F_FIX, &bad), *own = NULL;

	if (name && wire_find(it, WIRE_F_STATE, &state))
		add(list, name, state_of(&state, &bad, &own), text, fix);
	free(own);
	free(name);
	free(text);
	free(fix);
}

static void probe_layers(struct tbx_store *store, const json_t *target, json_t *list)
{
	struct wire_field_in field;
	struct wire_frame f;
	struct wire_iter it;
	struct bx_conn c;
	const char *name = bx_is_ssh(target) ? "ssh" : "helper";
	int status = bx_host(store, target, &c);

	if (status) {
		add(list, name, "broken", tbx_error(store), NULL);
		return;
	}
	if (bx_is_ssh(target))
		add(list, name, "ok", c.what, NULL);
	wire_begin(&c.out, WIRE_PROBE);
	wire_end(&c.out);
	status = bx_ask(&c, &f);
	if (status) {
		add(list, "layers", "broken", tbx_error(store), NULL);
	} else {
		it = wire_fields(&f);
		while (wire_step(&it, &field))
			if (field.name == WIRE_F_PROBE)
				take_probe(wire_nested(&field), list);
	}
	bx_conn_close(&c);
}

int tbx_doctor(struct tbx_store *store, const struct tbx_target *target, struct tbx_doc **doc)
{
	json_t *where, *root, *list = json_array();
	int status = bx_target_of(store, target, &where);
	char *name;

	if (status) {
		json_decref(list);
		return status;
	}
	root = json_object();
	name = bx_target_text(where);
	bx_put(root, "host", bx_json_text(name));
	free(name);
	probe_store(store, list);
	probe_helper(store, "tinybox-init", list);
	probe_helper(store, "tinybox-engine", list);
	probe_layers(store, where, list);
	bx_put(root, "probes", list);
	json_decref(where);
	return bx_doc(store, root, doc);
}
