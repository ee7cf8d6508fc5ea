/*
 * START's fields into a struct spec. Each is checked here once, so that nothing behind it meets a
 * relative directory, a name with a slash or a number that does not fit.
 */
#include "init/spec.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct reading {
	struct spec *spec;
	struct wire_iter fields;
	const char *why, *what;
	bool bad;
};

static bool fail(struct reading *r, const char *why, const char *what)
{
	if (!r->why) {
		r->why = why;
		r->what = what;
	}
	return false;
}

static bool absolute(struct reading *r, const char *path, const char *why)
{
	return !path || path[0] == '/' ? true : fail(r, why, path);
}

/* The same rule as the client's: what names a directory, a cgroup and a host is never a flag. */
static bool good_name(const char *s)
{
	size_t n = s ? strlen(s) : 0;

	if (!n || n > 64 || s[0] == '-' || s[0] == '.')
		return false;
	for (; *s; s++) {
		bool letter = (*s >= 'a' && *s <= 'z') || (*s >= 'A' && *s <= 'Z') ||
			(*s >= '0' && *s <= '9') || *s == '.' || *s == '_' || *s == '-' ||
			*s == '+';

		if (!letter)
			return false;
	}
	return true;
}

static char **list_of(struct reading *r, enum wire_field name)
{
	return wire_list(r->fields, name, &r->bad);
}

static uint64_t number(struct reading *r, enum wire_field name, uint64_t otherwise, uint64_t most)
{
	uint64_t n = wire_number(r->fields, name, otherwise, &r->bad);

	if (n > most) {
		fail(r, "a number is too large", NULL);
		return otherwise;
	}
	return n;
}

static bool read_port(struct reading *r, const struct wire_field_in *f, struct spec_port *port)
{
	struct wire_iter it = wire_nested(f);
	uint64_t inside = wire_number(it, WIRE_F_PORT, 0, &r->bad);
	uint64_t outside = wire_number(it, WIRE_F_HOST_PORT, 0, &r->bad);

	if (!wire_whole(it))
		r->bad = true;
	if (inside < 1 || inside > 65535 || outside > 65535)
		return fail(r, "a published port is not between 1 and 65535", NULL);
	port->inside = (uint16_t)inside;
	port->outside = (uint16_t)outside;
	port->address = wire_string(it, WIRE_F_ADDRESS, &r->bad);
	return true;
}

static bool read_ports(struct reading *r)
{
	struct wire_iter it = r->fields;
	struct wire_field_in f;
	size_t n = wire_count(it, WIRE_F_PUBLISH);

	r->spec->ports = calloc(n + 1, sizeof(*r->spec->ports));
	if (!r->spec->ports)
		return fail(r, "no memory", NULL);
	while (wire_step(&it, &f))
		if (f.name == WIRE_F_PUBLISH &&
		    !read_port(r, &f, &r->spec->ports[r->spec->port_count++]))
			return false;
	return true;
}

static const char *const kinds[] = {[SPEC_PASSTHROUGH] = "passthrough",
	[SPEC_NAMESPACE] = "namespace", [SPEC_DOCKER] = "docker", [SPEC_MICROVM] = "microvm"};

const char *spec_kind_word(const struct spec *spec)
{
	return kinds[spec->kind];
}

static bool read_kind(struct spec *spec, const char *kind)
{
	for (size_t i = 0; kind && i < sizeof(kinds) / sizeof(*kinds); i++) {
		spec->kind = (enum spec_kind)i;
		if (!strcmp(kind, kinds[i]))
			return true;
	}
	return false;
}

static bool read_words(struct reading *r)
{
	char *kind = wire_string(r->fields, WIRE_F_KIND, &r->bad);
	char *network = wire_string(r->fields, WIRE_F_NETWORK, &r->bad);
	bool good = true;

	if (!read_kind(r->spec, kind))
		good = fail(r, "the kind of the box is none of passthrough, namespace, docker and "
			    "microvm", NULL);
	r->spec->network = r->spec->kind == SPEC_PASSTHROUGH ? SPEC_NETWORK_OPEN :
		SPEC_NETWORK_NONE;
	if (network && !strcmp(network, "none"))
		r->spec->network = SPEC_NETWORK_NONE;
	else if (network && !strcmp(network, "egress"))
		r->spec->network = SPEC_NETWORK_EGRESS;
	else if (network && !strcmp(network, "open"))
		r->spec->network = SPEC_NETWORK_OPEN;
	else if (network)
		good = fail(r, "the network is none of none, egress and open", NULL);
	free(kind);
	free(network);
	return good;
}

static bool read_machine(struct reading *r)
{
	char *accel = wire_string(r->fields, WIRE_F_ACCEL, &r->bad);
	bool good = true;

	r->spec->kernel = wire_string(r->fields, WIRE_F_KERNEL, &r->bad);
	if (accel && !strcmp(accel, "kvm"))
		r->spec->accel = SPEC_ACCEL_KVM;
	else if (accel && !strcmp(accel, "tcg"))
		r->spec->accel = SPEC_ACCEL_TCG;
	else if (accel && strcmp(accel, "auto"))
		good = fail(r, "the acceleration is none of auto, kvm and tcg", NULL);
	free(accel);
	return good && absolute(r, r->spec->kernel, "the kernel directory is not an absolute path");
}

static void read_plain(struct reading *r)
{
	struct spec *s = r->spec;
	bool pass = s->kind == SPEC_PASSTHROUGH;

	s->box = wire_string(r->fields, WIRE_F_BOX, &r->bad);
	s->dir = wire_string(r->fields, WIRE_F_DIR, &r->bad);
	s->cwd = wire_string(r->fields, WIRE_F_CWD, &r->bad);
	s->hostname = wire_string(r->fields, WIRE_F_HOSTNAME, &r->bad);
	s->root = wire_string(r->fields, WIRE_F_ROOT, &r->bad);
	s->image = wire_string(r->fields, WIRE_F_IMAGE, &r->bad);
	s->layers = wire_string(r->fields, WIRE_F_LAYERS, &r->bad);
	s->workspace = wire_string(r->fields, WIRE_F_WORKSPACE, &r->bad);
	s->target = wire_string(r->fields, WIRE_F_TARGET, &r->bad);
	s->readonly = number(r, WIRE_F_READONLY, 0, 1);
	s->readonly_root = number(r, WIRE_F_READONLY_ROOT, 0, 1);
	s->given_user = wire_count(r->fields, WIRE_F_UID) || wire_count(r->fields, WIRE_F_GID);
	s->uid = (uint32_t)number(r, WIRE_F_UID, pass ? geteuid() : 0, UINT32_MAX - 1);
	s->gid = (uint32_t)number(r, WIRE_F_GID, pass ? getegid() : 0, UINT32_MAX - 1);
	s->memory = number(r, WIRE_F_MEMORY, 0, INT64_MAX);
	s->disk = number(r, WIRE_F_DISK, 0, INT64_MAX);
	s->pids = (uint32_t)number(r, WIRE_F_PIDS, 0, UINT32_MAX);
	s->cpu = (uint32_t)number(r, WIRE_F_CPU, 0, UINT32_MAX);
	s->open_files = (uint32_t)number(r, WIRE_F_OPEN_FILES, 0, UINT32_MAX);
	s->cache = wire_string(r->fields, WIRE_F_CACHE, &r->bad);
	s->transient = number(r, WIRE_F_TRANSIENT, 0, 1);
	s->report_only = number(r, WIRE_F_REPORT_ONLY, 0, 1);
	s->relay = wire_string(r->fields, WIRE_F_RELAY, &r->bad);
	s->next = number(r, WIRE_F_NEXT, 0, INT64_MAX);
	s->env = list_of(r, WIRE_F_ENV);
	s->allow = (const char **)list_of(r, WIRE_F_ALLOW);
	s->secrets = (const char **)list_of(r, WIRE_F_SECRET);
	s->devices = (const char **)list_of(r, WIRE_F_DEVICE);
	s->accept = (const char **)list_of(r, WIRE_F_ACCEPT);
	s->layer = (const char **)list_of(r, WIRE_F_LAYER);
}

static bool check_env(struct reading *r)
{
	for (char **e = r->spec->env; *e; e++)
		if (!strchr(*e, '=') || **e == '=')
			return fail(r, "a variable is not NAME=VALUE", *e);
	return true;
}

/* Names in that one directory, of a kind of sandbox that has layers. */
static bool check_layers(struct reading *r)
{
	const struct spec *s = r->spec;

	if (s->layer[0] && (!s->layers || (s->kind != SPEC_NAMESPACE && s->kind != SPEC_MICROVM)))
		return fail(r, "this kind of box has no layers", NULL);
	for (size_t i = 0; s->layer[i]; i++)
		if (!good_name(s->layer[i]) || i >= SPEC_LAYERS_MOST)
			return fail(r, "a layer has no such name, or there are too many", s->layer[i]);
	return absolute(r, s->layers, "the directory of layers is not an absolute path");
}

/* Names below /dev, of letters that no option of another program takes for more. */
static bool check_devices(struct reading *r)
{
	const struct spec *s = r->spec;

	if (s->devices[0] && s->kind != SPEC_NAMESPACE && s->kind != SPEC_DOCKER)
		return fail(r, "this kind of box has no devices of the host", s->devices[0]);
	for (size_t i = 0; s->devices[i]; i++) {
		const char *d = s->devices[i];

		if (i >= SPEC_DEVICES_MOST || strncmp(d, "/dev/", 5) || !d[5] || strlen(d) > 200 || strstr(d, "/.") || strpbrk(d, ":,\"\n") ||
		    strstr(d, "//"))
			return fail(r, "a device is not a path below /dev, or there are too many", d);
	}
	return true;
}

static bool check(struct reading *r)
{
	const struct spec *s = r->spec;

	if (!good_name(s->box))
		return fail(r, "the name of the box is not one", s->box);
	if (s->hostname && !good_name(s->hostname))
		return fail(r, "the host name is not one", s->hostname);
	if (!s->dir)
		return fail(r, "START names no state directory", NULL);
	if (s->secrets[0] && s->network != SPEC_NETWORK_EGRESS)
		return fail(r, "secrets need a network that is egress", NULL);
	if (s->kind != SPEC_DOCKER && (s->image || s->readonly_root))
		return fail(r, "only the docker sandbox has images and a root that cannot be written",
			    s->image);
	return absolute(r, s->dir, "the state directory is not an absolute path") &&
		absolute(r, s->cwd, "the working directory is not an absolute path") &&
		absolute(r, s->cache, "the directory for what boxes share is not an absolute path") &&
		absolute(r, s->root, "the root is not an absolute path") &&
		absolute(r, s->workspace, "the workspace is not an absolute path") &&
		absolute(r, s->target, "the workspace's target is not an absolute path") &&
		check_layers(r) && check_devices(r) && check_env(r);
}

bool spec_read(struct spec *spec, struct wire_iter fields, const char **why, const char **what)
{
	struct reading r = {.spec = spec, .fields = fields};

	*spec = (struct spec){0};
	if (!wire_whole(fields)) {
		fail(&r, "START is damaged", NULL);
	} else if (read_words(&r)) {
		read_plain(&r);
		if (r.bad)
			fail(&r, "a field of START has a wrong size or a NUL inside", NULL);
		else if (!r.why && read_machine(&r) && read_ports(&r))
			check(&r);
		if (r.bad)
			fail(&r, "a field of START has a wrong size or a NUL inside", NULL);
	}
	*why = r.why;
	*what = r.what;
	return !r.why;
}

static void drop(const char *s)
{
	free((char *)(uintptr_t)s);
}

void spec_free(struct spec *s)
{
	drop(s->box);
	drop(s->dir);
	drop(s->cwd);
	drop(s->hostname);
	drop(s->root);
	drop(s->cache);
	drop(s->image);
	drop(s->layers);
	wire_list_free((char **)(uintptr_t)s->layer);
	drop(s->workspace);
	drop(s->target);
	drop(s->kernel);
	drop(s->relay);
	wire_list_free(s->env);
	wire_list_free((char **)(uintptr_t)s->allow);
	wire_list_free((char **)(uintptr_t)s->secrets);
	wire_list_free((char **)(uintptr_t)s->devices);
	wire_list_free((char **)(uintptr_t)s->accept);
	for (size_t i = 0; i < s->port_count; i++)
		drop(s->ports[i].address);
	free(s->ports);
	*s = (struct spec){0};
}

bool spec_accepts(const struct spec *spec, const char *control)
{
	for (const char *const *at = spec->accept; at && *at; at++)
		if (!strcmp(*at, control))
			return true;
	return false;
}
