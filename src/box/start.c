/*
 * What a box is, in the words of its server: the START of wire.h, from the record.
 */
#include "box/snap.h"

#include <stdlib.h>
#include <string.h>

#define IMAGE_SECONDS 1800
#define BOOT_SECONDS 240	/* of a machine that is emulated, on a busy host */

static void put_bytes(struct wire_out *o, enum wire_field name, const json_t *value)
{
	char *s = bx_json_copy(value);

	wire_text(o, name, s);
	free(s);
}

static void put_list(struct wire_out *o, enum wire_field name, const json_t *list)
{
	size_t i, n = json_array_size(list);

	for (i = 0; i < n; i++)
		put_bytes(o, name, json_array_get(list, i));
}

static void put_resources(struct wire_out *o, const json_t *r)
{
	uint64_t n;

	if ((n = bx_number(r, "memory")))
		wire_u64(o, WIRE_F_MEMORY, n);
	if ((n = bx_number(r, "disk")))
		wire_u64(o, WIRE_F_DISK, n);
	if ((n = bx_number(r, "pids")))
		wire_u32(o, WIRE_F_PIDS, (uint32_t)n);
	if ((n = bx_number(r, "cpu")))
		wire_u32(o, WIRE_F_CPU, (uint32_t)n);
	if ((n = bx_number(r, "open_files")))
		wire_u32(o, WIRE_F_OPEN_FILES, (uint32_t)n);
}

static void put_network(struct wire_out *o, const json_t *spec)
{
	const json_t *ports = json_object_get(spec, "ports");

	wire_text(o, WIRE_F_NETWORK, bx_text(spec, "network"));
	put_list(o, WIRE_F_ALLOW, json_object_get(spec, "allow"));
	if (json_is_true(json_object_get(spec, "allow_report_only")))
		wire_u8(o, WIRE_F_REPORT_ONLY, 1);
	for (size_t i = 0; i < json_array_size(ports); i++) {
		const json_t *port = json_array_get(ports, i);
		size_t mark = wire_nest(o, WIRE_F_PUBLISH);

		wire_u32(o, WIRE_F_PORT, (uint32_t)bx_number(port, "guest"));
		wire_u32(o, WIRE_F_HOST_PORT, (uint32_t)bx_number(port, "host"));
		wire_text(o, WIRE_F_ADDRESS, bx_text(port, "address"));
		wire_unnest(o, mark);
	}
}

static void put_source(struct wire_out *o, const json_t *spec)
{
	const json_t *source = json_object_get(spec, "source");
	const char *kind = bx_text(source, "kind");

	if (kind && !strcmp(kind, "directory"))
		put_bytes(o, WIRE_F_WORKSPACE, json_object_get(source, "from"));
	if (kind && !strcmp(kind, "image"))
		put_bytes(o, WIRE_F_ROOT, json_object_get(source, "from"));
	bx_put_image(o, json_object_get(spec, "image"));
	if (json_is_true(json_object_get(spec, "read_only_root")))
		wire_u8(o, WIRE_F_READONLY_ROOT, 1);
	if (json_object_get(source, "root"))
		put_bytes(o, WIRE_F_ROOT, json_object_get(source, "root"));
	put_bytes(o, WIRE_F_TARGET, json_object_get(spec, "workspace"));
	wire_u8(o, WIRE_F_READONLY, json_is_true(json_object_get(spec, "read_only")));
}

/* What boxes of this machine share is below the store. */
static void put_cache(const struct bx *b, struct wire_out *o)
{
	char *path = bx_is_ssh(json_object_get(b->record, "target")) ? NULL :
		     bx_format("%s/cache", b->store->path);

	wire_text(o, WIRE_F_CACHE, path);
	free(path);
}

/* The START message of a record. */
static void bx_start_message(const struct bx *b, struct wire_out *o)
{
	const json_t *spec = json_object_get(b->record, "spec");
	char *name = bx_format("%s-%s", b->id, b->store->tag);

	wire_begin(o, WIRE_START);
	wire_text(o, WIRE_F_BOX, name);
	wire_text(o, WIRE_F_KIND, json_string_value(bx_at(b->record, "placement.workspace.sandbox")));
	put_bytes(o, WIRE_F_DIR, json_object_get(b->record, "dir"));
	bx_secrets_message(b, o);
	put_list(o, WIRE_F_ENV, json_object_get(spec, "env"));
	put_bytes(o, WIRE_F_CWD, json_object_get(spec, "cwd"));
	put_bytes(o, WIRE_F_HOSTNAME, json_object_get(spec, "hostname"));
	put_source(o, spec);
	bx_layers_fields(b, o);
	put_resources(o, json_object_get(spec, "resources"));
	put_network(o, spec);
	put_list(o, WIRE_F_DEVICE, json_object_get(spec, "devices"));
	put_bytes(o, WIRE_F_ROOT, bx_at(spec, "machine.image"));
	put_bytes(o, WIRE_F_KERNEL, bx_at(spec, "machine.kernel"));
	put_bytes(o, WIRE_F_ACCEL, bx_at(spec, "machine.accel"));
	put_list(o, WIRE_F_ACCEPT, json_object_get(spec, "accept"));
	put_cache(b, o);
	if (json_is_true(json_object_get(spec, "transient")))
		wire_u8(o, WIRE_F_TRANSIENT, 1);
	wire_end(o);
	if (!name)
		o->failed = true;
	free(name);
}

/* "isolation=kernel" among what the server says it can do. */
static void put_isolation(json_t *record, const json_t *hello)
{
	const json_t *list = json_object_get(hello, "capabilities");

	json_object_del(record, "isolation");
	for (size_t i = 0; i < json_array_size(list); i++) {
		const char *s = json_string_value(json_array_get(list, i));

		if (s && !strncmp(s, "isolation=", 10))
			json_object_set_new(record, "isolation", json_string(s + 10));
	}
}

/* An engine may have to fetch or unpack an image first; the keeper says that it is alive. */
static uint64_t start_deadline(const struct bx *b)
{
	const char *kind = json_string_value(bx_at(b->record, "placement.workspace.sandbox"));

	if (bx_is_machine(b->record))
		return bx_step(b->store) + BOOT_SECONDS * BX_SECOND;
	return bx_step(b->store) + (kind && !strcmp(kind, "docker") ? IMAGE_SECONDS * BX_SECOND : 0);
}

static int start(struct bx *b)
{
	uint64_t deadline = start_deadline(b);
	struct wire_frame f;
	struct bx_conn c;
	int status = bx_serve(b, &c);

	if (status)
		return status;
	bx_start_message(b, &c.out);
	status = bx_send(&c, deadline);
	if (!status)
		status = bx_answer(&c, &f, deadline);
	if (!status) {
		bx_reports(wire_fields(&f), b->record);
		put_isolation(b->record, c.hello);
		bx_put(b->record, "capabilities",
		       json_incref(json_object_get(c.hello, "capabilities")));
		bx_put_number(b->record, "started_at", bx_now());
	}
	bx_conn_close(&c);
	return status;
}

/* Secrets have their keeper before the box is there. */
int bx_start_server(struct bx *b)
{
	int status = bx_seal_finish(b);
	struct bx_conn egress;
	char *ca;

	if (!status)
		status = bx_secrets_start(b, &egress, &ca);
	if (status)
		return status;
	status = start(b);
	bx_conn_close(&egress);
	if (!status)
		status = bx_secrets_trust(b, ca);
	free(ca);
	return status;
}
