/*
 * A spec, checked, as the record of a box that is to be. What cannot be done is refused here, by
 * name; nothing is accepted and forgotten.
 */
#include "box/snap.h"

#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define HOUR (3600 * BX_SECOND)

static int bad(struct tbx_store *store, const char *what, const char *value, const char *why)
{
	char *shown = bx_format("%.80s", value ? value : "");
	int status;

	if (shown)
		bx_plain(shown);
	status = bx_fail(store, TBX_ERR_ARGUMENT, "%s '%s': %s", what, shown ? shown : "", why);
	free(shown);
	return status;
}

static bool bx_is_control(const char *s)
{
	static const char *const controls[] = {
		"filesystem", "processes", "network", "memory", "cpu", "pids", "disk", "open-files",
		"syscalls", "privileges", "devices", "tree-kill", "ports", NULL,
	};

	for (size_t i = 0; controls[i]; i++)
		if (!strcmp(controls[i], s))
			return true;
	return false;
}

/* ---- Where ---- */

/* Letters that ssh takes as they are: no option, no token of its configuration, no shell. */
bool bx_is_destination(const char *s)
{
	const char *name = strrchr(s, '@');

	name = name ? name + 1 : s;
	if (!*name || *s == '-' || *s == '@' || *name == '-' || (*name == '[' && name[1] == '-'))
		return false;
	for (; *s; s++)
		if (!isalnum((unsigned char)*s) && !strchr("._@:+[]-", *s))
			return false;
	/* One colon would be a port, which ssh takes for a part of the name. */
	return !strchr(name, ':') || strchr(name, ':') != strrchr(name, ':');
}

static int absolute(struct tbx_store *store, const char *what, const char *path, char **out)
{
	*out = NULL;
	if (!path)
		return TBX_OK;
	*out = realpath(path, NULL);
	return *out ? TBX_OK : bad(store, what, path, strerror(errno));
}

/* ssh expands what is in such names, and takes blanks for their end. */
static bool is_plain_path(const char *s)
{
	for (; s && *s; s++)
		if ((unsigned char)*s < ' ' || *s == 127 || strchr("\"%\\$~", *s))
			return false;
	return true;
}

static int ssh_target(struct tbx_store *store, const struct tbx_target *target, json_t *t)
{
	char *identity = NULL, *known = NULL, *config = NULL;
	int status;

	if (!target->destination || !bx_is_destination(target->destination))
		return bad(store, "--host", target->destination, "not a destination for ssh: "
			   "[USER@]NAME of letters, digits and ._:+-, no part beginning with a dash");
	if (!is_plain_path(target->identity) || !is_plain_path(target->known_hosts))
		return bx_fail(store, TBX_ERR_ARGUMENT, "the files of --ssh-identity and --ssh-known-hosts "
			       "may not have quotes, backslashes, dollars, tildes or percent signs in "
			       "their names: ssh would expand them");
	if (target->port > 65535)
		return bx_fail(store, TBX_ERR_ARGUMENT, "--ssh-port: at most 65535");
	status = absolute(store, "--ssh-identity", target->identity, &identity);
	if (!status)
		status = absolute(store, "--ssh-config", target->config, &config);
	if (!status && target->known_hosts && *target->known_hosts != '/')
		status = bad(store, "--ssh-known-hosts", target->known_hosts, "an absolute path is "
			     "needed, as the box remembers it");
	if (!status && target->known_hosts)
		known = strdup(target->known_hosts);
	if (!status && !is_plain_path(identity))
		status = bad(store, "--ssh-identity", identity, "ssh would expand its name");
	bx_put(t, "host", json_string("ssh"));
	bx_put(t, "destination", json_string(target->destination));
	if (target->port)
		bx_put_number(t, "port", target->port);
	bx_put(t, "identity", bx_json_text(identity));
	bx_put(t, "known_hosts", bx_json_text(known));
	bx_put(t, "config", bx_json_text(config));
	json_object_set_new(t, "accept_new_key", json_boolean(target->accept_new_key));
	free(identity);
	free(known);
	free(config);
	return status;
}

int bx_target_of(struct tbx_store *store, const struct tbx_target *target, json_t **out)
{
	json_t *t = *out = json_object();
	int status = TBX_OK;

	if (!t)
		return bx_memory(store);
	if (!target || !target->host || !strcmp(target->host, "local"))
		bx_put(t, "host", json_string("local"));
	else if (!strcmp(target->host, "ssh"))
		status = ssh_target(store, target, t);
	else
		status = bad(store, "--host", target->host, "there are the hosts local and ssh");
	if (!status)
		return TBX_OK;
	json_decref(t);
	*out = NULL;
	return status;
}

static int check_sandbox(struct tbx_store *store, const char *what, const char *s)
{
	static const char *const known[] = { "virtual", "namespace", "docker", "microvm",
		"passthrough", NULL };

	for (size_t i = 0; known[i]; i++)
		if (!strcmp(known[i], s))
			return TBX_OK;
	return bad(store, what, s, "there are the sandboxes virtual, namespace, docker, microvm "
		   "and passthrough");
}

static json_t *placement(const char *host, const char *sandbox)
{
	json_t *p = json_object();

	bx_put(p, "host", json_string(host));
	bx_put(p, "sandbox", json_string(sandbox));
	return p;
}

static int put_placements(struct tbx_store *store, const struct tbx_spec *spec, json_t *record)
{
	const char *sandbox = spec->sandbox ? spec->sandbox : "virtual";
	const char *runner = spec->runner_sandbox ? spec->runner_sandbox : sandbox;
	char *host = bx_target_text(json_object_get(record, "target"));
	int status = check_sandbox(store, "--sandbox", sandbox);
	json_t *p = json_object();

	if (!status)
		status = check_sandbox(store, "--runner", runner);
	bx_put(p, "workspace", placement(host, sandbox));
	bx_put(p, "runner", placement(spec->runner_host ? spec->runner_host : host, runner));
	bx_put(record, "placement", p);
	free(host);
	return status;
}

/* ---- What is in it ---- */

static int put_dir(struct tbx_store *store, const char *what, const char *from, bool local,
		   json_t *source)
{
	struct stat st;
	char *path;

	if (!local) {
		if (*from != '/')
			return bad(store, what, from, "an absolute path is needed on another machine");
		bx_put(source, "from", bx_json_text(from));
		return TBX_OK;
	}
	path = realpath(from, NULL);
	if (!path || stat(path, &st)) {
		free(path);
		return bad(store, what, from, strerror(errno));
	}
	bx_put(source, "from", bx_json_text(path));
	free(path);
	return S_ISDIR(st.st_mode) ? TBX_OK : bad(store, what, from, "is not a directory");
}

static int put_source(struct tbx_store *store, const struct tbx_spec *spec, json_t *record,
		      json_t *out)
{
	static const char *const kinds[] = { "none", "directory", "image", "snapshot", "template", "git" };
	bool local = !bx_is_ssh(json_object_get(record, "target"));
	bool docker = spec->sandbox && !strcmp(spec->sandbox, "docker");
	json_t *source = json_object();

	bx_put(out, "source", source);
	if (spec->source > TBX_SOURCE_GIT)
		return bx_fail(store, TBX_ERR_ARGUMENT, "the source is of no known kind");
	json_object_set_new(source, "kind", json_string(kinds[spec->source]));
	/* a container's image is told by image.c */
	if (spec->source == TBX_SOURCE_IMAGE && docker && spec->from && *spec->from)
		json_object_set_new(source, "kind", json_string("none"));
	if (spec->source == TBX_SOURCE_NONE || (spec->source == TBX_SOURCE_IMAGE && docker))
		return TBX_OK;
	if (!spec->from || !*spec->from)
		return bx_fail(store, TBX_ERR_ARGUMENT, "the source '%s' is not named",
			       kinds[spec->source]);
	if (spec->source == TBX_SOURCE_DIR)
		return put_dir(store, "--dir", spec->from, local, source);
	if (spec->source == TBX_SOURCE_IMAGE)
		return put_dir(store, "--image", spec->from, local, source);
	return spec->source == TBX_SOURCE_GIT ? bx_git_source(store, spec, source) :
		TBX_OK;		/* what is kept is looked at when all else is known */
}

static int put_env(struct tbx_store *store, const char *const *env, json_t *out)
{
	for (size_t i = 0; env && env[i]; i++) {
		size_t n = strcspn(env[i], "=");

		if (!n || env[i][n] != '=')
			return bad(store, "--env", env[i], "must be NAME=VALUE");
	}
	bx_put(out, "env", bx_json_list(env));
	return TBX_OK;
}

static int put_labels(struct tbx_store *store, const char *const *labels, json_t *out)
{
	json_t *object = json_object();
	char name[BX_NAME_MAX + 1];

	bx_put(out, "labels", object);
	for (size_t i = 0; labels && labels[i]; i++) {
		size_t n = strcspn(labels[i], "=");

		if (n < sizeof(name)) {
			memcpy(name, labels[i], n);
			name[n] = '\0';
		}
		if (n >= sizeof(name) || !tbx_is_name(name) || labels[i][n] != '=' ||
		    !bx_is_utf8(labels[i], strlen(labels[i])))
			return bad(store, "--label", labels[i], "must be KEY=VALUE, in UTF-8");
		json_object_set_new(object, name, json_string(labels[i] + n + 1));
	}
	return TBX_OK;
}

static int put_resources(const struct tbx_spec *spec, json_t *out)
{
	json_t *r = json_object();

	if (spec->memory)
		bx_put_number(r, "memory", spec->memory);
	if (spec->disk)
		bx_put_number(r, "disk", spec->disk);
	if (spec->pids)
		bx_put_number(r, "pids", spec->pids);
	if (spec->cpu)
		bx_put_number(r, "cpu", spec->cpu);
	if (spec->open_files)
		bx_put_number(r, "open_files", spec->open_files);
	bx_put(out, "resources", r);
	return TBX_OK;
}

static int put_lifecycle(struct tbx_store *store, const struct tbx_spec *spec, json_t *record,
			 json_t *out)
{
	uint64_t ttl = spec->ttl ? spec->ttl : HOUR, now = bx_now();
	json_t *life = json_object();

	bx_put(out, "lifecycle", life);
	bx_put_number(record, "created_at", now);
	json_object_set_new(life, "kind", json_string(spec->persistent ? "persistent" : "ephemeral"));
	if (spec->persistent && spec->ttl)
		return bx_fail(store, TBX_ERR_ARGUMENT, "--persistent and --ttl: a box that is persistent "
			       "has no end");
	if (spec->persistent)
		return TBX_OK;
	if (ttl > INT64_MAX - now)
		return bx_fail(store, TBX_ERR_ARGUMENT, "--ttl is too long; use --persistent");
	bx_put_number(life, "ttl", ttl);
	bx_put_number(record, "expires_at", now + ttl);
	return TBX_OK;
}

/* ---- Network ---- */

/* NAME:PORT, *.NAME:PORT, ADDRESS:PORT, [ADDRESS]:PORT. */
static bool is_allow(const char *s)
{
	const char *colon = strrchr(s, ':');
	size_t n = colon ? (size_t)(colon - s) : 0;
	char *end;
	unsigned long port;

	if (!n || !isdigit((unsigned char)colon[1]))
		return false;
	port = strtoul(colon + 1, &end, 10);
	if (*end || !port || port > 65535)
		return false;
	if (s[0] == '[')
		return s[n - 1] == ']' && strspn(s + 1, "0123456789abcdefABCDEF:.") == n - 2;
	if (s[0] == '*')
		return s[1] == '.' && n > 2 && is_allow(s + 2);
	for (size_t i = 0; i < n; i++)
		if (!isalnum((unsigned char)s[i]) && !strchr("._-", s[i]))
			return false;
	return s[0] != '-' && s[0] != '.';
}

static int put_ports(struct tbx_store *store, const struct tbx_spec *spec, json_t *out)
{
	json_t *ports = json_array();

	bx_put(out, "ports", ports);
	for (size_t i = 0; i < spec->port_count; i++) {
		const struct tbx_port *p = &spec->ports[i];
		json_t *port = json_object();

		json_array_append_new(ports, port);
		if (!p->guest)
			return bx_fail(store, TBX_ERR_ARGUMENT, "--publish: port 0 inside means nothing");
		if (p->address && strspn(p->address, "0123456789abcdefABCDEF:.") != strlen(p->address))
			return bad(store, "--publish", p->address, "the address must be a number");
		bx_put_number(port, "guest", p->guest);
		bx_put_number(port, "host", p->host);
		bx_put(port, "address", json_string(p->address ? p->address : "127.0.0.1"));
	}
	return TBX_OK;
}

static int put_network(struct tbx_store *store, const struct tbx_spec *spec, json_t *out)
{
	static const char *const policies[] = { "none", "egress", "open" };

	if (spec->network > TBX_NETWORK_OPEN)
		return bx_fail(store, TBX_ERR_ARGUMENT, "the network policy is none, egress or open");
	json_object_set_new(out, "network", json_string(policies[spec->network]));
	if (spec->allow && spec->allow[0] && spec->network != TBX_NETWORK_EGRESS)
		return bx_fail(store, TBX_ERR_ARGUMENT, "--allow needs --network egress");
	for (size_t i = 0; spec->allow && spec->allow[i]; i++)
		if (!is_allow(spec->allow[i]))
			return bad(store, "--allow", spec->allow[i], "must be NAME:PORT");
	bx_put(out, "allow", bx_json_list(spec->allow));
	if (spec->allow_report_only && !(spec->allow && spec->allow[0]))
		return bx_fail(store, TBX_ERR_ARGUMENT, "--allow-report-only needs --network egress and --allow: without a list there is nothing "
			       "to report");
	if (spec->allow_report_only)
		json_object_set_new(out, "allow_report_only", json_true());
	return put_ports(store, spec, out);
}

/* ---- All of it ---- */

/* Absolute, and nothing in it could make it the root. */
static bool is_below_root(const char *path)
{
	bool named = false;

	if (*path != '/')
		return false;
	while (*path) {
		size_t n = strcspn(path, "/");

		if ((n == 1 || n == 2) && !strncmp(path, "..", n))
			return false;
		named = named || n;
		path += n + (path[n] == '/');
	}
	return named;
}

/* Below /dev, and nothing in it that another program's option would take for more. */
static bool is_device(const char *s)
{
	if (strncmp(s, "/dev/", 5) || !is_below_root(s + 4) || strlen(s) > 200)
		return false;
	for (s += 5; *s; s++)
		if (!isalnum((unsigned char)*s) && !strchr("/._-+@", *s))
			return false;
	return true;
}

static int put_devices(struct tbx_store *store, const struct tbx_spec *spec, json_t *out)
{
	const char *wall = spec->sandbox ? spec->sandbox : "virtual";

	if (!spec->devices || !spec->devices[0])
		return TBX_OK;
	if (strcmp(wall, "namespace") && strcmp(wall, "docker"))
		return bx_fail(store, TBX_ERR_UNSUPPORTED, "--device: %s", !strcmp(wall, "virtual") ?
			       "a virtual box opens no device of the host; the walls namespace and docker can" : !strcmp(wall, "microvm") ?
			       "a micro-VM has no devices but its own, virtual ones; the walls namespace and docker can" :
			       "behind passthrough there is nothing to give: all devices of the machine are there");
	for (size_t i = 0; spec->devices[i]; i++)
		if (!is_device(spec->devices[i]))
			return bad(store, "--device", spec->devices[i], "must be a path below /dev of letters, digits and /._-+@");
	bx_put(out, "devices", bx_json_list(spec->devices));
	return TBX_OK;
}

static int put_words(struct tbx_store *store, const struct tbx_spec *spec, json_t *out)
{
	if (spec->name && !tbx_is_name(spec->name))
		return bad(store, "--name", spec->name, "use letters, digits, dots, dashes and "
			   "underscores, 1 to 64, and no dash or dot first");
	if (spec->name && !strncmp(spec->name, "box-", 4) && isdigit((unsigned char)spec->name[4]))
		return bad(store, "--name", spec->name, "looks like a box's own id");
	if (spec->hostname && (!tbx_is_name(spec->hostname) || strlen(spec->hostname) > 63))
		return bad(store, "--hostname", spec->hostname, "is not the name of a machine");
	if (spec->cwd && *spec->cwd != '/')
		return bad(store, "--cwd", spec->cwd, "must be absolute: it is a place inside the box");
	if (spec->workspace && !is_below_root(spec->workspace))
		return bad(store, "--workspace", spec->workspace, "must be absolute, without . and .., and "
			   "not /");
	for (size_t i = 0; spec->accept && spec->accept[i]; i++)
		if (!bx_is_control(spec->accept[i]))
			return bad(store, "--accept", spec->accept[i], "is no control; `tinybox create "
				   "--help` names them");
	bx_put(out, "name", bx_json_text(spec->name));
	bx_put(out, "hostname", bx_json_text(spec->hostname));
	bx_put(out, "cwd", bx_json_text(spec->cwd));
	bx_put(out, "workspace", bx_json_text(spec->workspace ? spec->workspace : "/workspace"));
	bx_put(out, "accept", bx_json_list(spec->accept));
	json_object_set_new(out, "read_only", json_boolean(spec->read_only));
	if (spec->transient)
		json_object_set_new(out, "transient", json_true());
	return TBX_OK;
}

static int fill(struct tbx_store *store, const struct tbx_spec *spec, json_t *record, json_t *out)
{
	int status = put_words(store, spec, out);

	if (!status)
		status = put_placements(store, spec, record);
	if (!status)
		status = bx_put_machine(store, spec, record, out);
	if (!status)
		status = put_source(store, spec, record, out);
	if (!status)
		status = bx_spec_image(store, spec, record, out);
	if (!status)
		status = put_env(store, spec->env, out);
	if (!status)
		status = put_resources(spec, out);
	if (!status)
		status = put_lifecycle(store, spec, record, out);
	if (!status)
		status = put_network(store, spec, out);
	if (!status)
		status = put_devices(store, spec, out);
	if (!status)
		status = bx_put_secrets(store, spec, out);
	if (!status)
		status = bx_put_hooks(store, spec, out);
	if (!status)
		status = bx_put_autosnapshot(store, spec, out);
	return status ? status : put_labels(store, spec->labels, out);
}

int bx_record_of(struct tbx_store *store, const struct tbx_spec *spec, json_t **record)
{
	struct tbx_spec whole = TBX_SPEC_INIT;
	json_t *target, *out = json_object();
	int status = bx_take_options(store, &whole, sizeof(whole), spec, "tbx_spec");

	*record = NULL;
	if (!status)
		status = bx_target_of(store, &whole.target, &target);
	if (status) {
		json_decref(out);
		return status;
	}
	*record = json_object();
	json_object_set_new(*record, "version", json_integer(BX_RECORD_VERSION));
	bx_put(*record, "target", target);
	status = fill(store, &whole, *record, out);
	bx_put(*record, "spec", out);
	if (!status && (whole.source == TBX_SOURCE_SNAPSHOT || whole.source == TBX_SOURCE_TEMPLATE))
		status = bx_snap_source(store, &whole, *record);
	if (!status)
		status = bx_check_secrets(store, *record);
	if (!status)
		return TBX_OK;
	json_decref(*record);
	*record = NULL;
	return status;
}
