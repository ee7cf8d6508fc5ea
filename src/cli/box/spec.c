/*
 * What the options say, as specs. Their memory is the heap's, which lives as long as
 * the program.
 */
#include "cli/box/box.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/heap.h"
#include "base/num.h"
#include "base/str.h"

static int bad(const struct boxc *c, const char *option, const char *value, const char *why)
{
	return boxc_usage(c, "%s '%s': %s", option, value, why);
}

static const char **new_list(const struct boxc *c, size_t n)
{
	return heap_zalloc(c->heap, (n + 1) * sizeof(char *));
}

static const char *const *list_of(const struct boxc *c, const struct tsb_list *list)
{
	const char **at = new_list(c, list->n);

	for (size_t i = 0; at && i < list->n; i++)
		at[i] = list->at[i];
	return at;
}

/* NAME alone: the value it has here, and nothing if it has none. */
static const char *const *env_of(const struct boxc *c, const struct tsb_list *list)
{
	const char **at = new_list(c, list->n);
	size_t n = 0;

	for (size_t i = 0; at && i < list->n; i++) {
		const char *value = strchr(list->at[i], '=') ? NULL : getenv(list->at[i]);
		struct str whole;

		if (strchr(list->at[i], '='))
			at[n++] = list->at[i];
		if (!value)
			continue;
		str_init(&whole, c->heap, STR_MAX_DEFAULT);
		str_addf(&whole, "%s=%s", list->at[i], value);
		at[n++] = str_take(&whole, NULL);
	}
	return at;
}

/* ---- Numbers ---- */

static int read_size(const struct boxc *c, const char *option, const char *s, uint64_t *out)
{
	if (!s || tbx_size(s, out))
		return 0;
	return bad(c, option, s, "not a size; 512m, 2g and 1.5gib are some");
}

static int read_span(const struct boxc *c, const char *option, const char *s, uint64_t *out)
{
	if (!s || tbx_duration(s, out))
		return 0;
	return bad(c, option, s, "not a span of time; 90s, 5m and 2h are some");
}

static int read_count(const struct boxc *c, const char *option, const char *s, uint64_t most,
		      uint32_t *out)
{
	uint64_t n = 0;

	if (!s)
		return 0;
	if (*s < '0' || *s > '9' || num_u64(s, &n) != NUM_OK || !n || n > most)
		return bad(c, option, s, "not a number that can be used there");
	*out = (uint32_t)n;
	return 0;
}

static int read_cpus(const struct boxc *c, const char *s, uint32_t *out)
{
	if (!s || tbx_cpus(s, out))
		return 0;
	return bad(c, "--cpus", s, "not a number of processors; 0.5 and 2 are some");
}

/* ---- Where ---- */

/* "ssh:NAME" or "ssh://NAME:PORT" without what it begins with; NULL: neither. */
static const char *ssh_name(const struct boxc *c, const char *s, uint32_t *port)
{
	char *name, *colon;
	uint64_t n;

	if (!strncmp(s, "ssh:", 4) && strncmp(s, "ssh://", 6))
		return s + 4;
	name = !strncmp(s, "ssh://", 6) ? heap_strdup(c->heap, s + 6) : NULL;
	colon = name ? strrchr(name, ':') : NULL;
	if (colon && strchr(name, ':') == colon && num_u64(colon + 1, &n) == NUM_OK && n && n <= 65535) {
		*colon = '\0';
		*port = *port ? *port : (uint32_t)n;
	}
	return name;
}

int boxc_target(struct boxc *c, struct tbx_target *t)
{
	uint32_t port = 0;
	int status = read_count(c, "--ssh-port", c->port, 65535, &port);
	const char *host = c->host;

	if (status)
		return status;
	if (!host || !strcmp(host, "local")) {
		if (c->port || c->identity || c->known_hosts || c->config || c->accept_new_key)
			return boxc_usage(c, "the options of ssh need --host ssh:NAME");
		t->host = host;
		return 0;
	}
	host = ssh_name(c, host, &port);
	if (!host)
		return bad(c, "--host", c->host, "must be local or ssh:[USER@]NAME");
	t->host = "ssh";
	t->destination = host;
	t->port = port;
	t->identity = c->identity;
	t->known_hosts = c->known_hosts;
	t->config = c->config;
	t->accept_new_key = c->accept_new_key;
	return 0;
}

/* ---- What ---- */

static int read_source(struct boxc *c, struct tbx_spec *spec)
{
	/* a container and a machine have an image beside their workspace */
	bool apart = c->sandbox && (!strcmp(c->sandbox, "docker") || !strcmp(c->sandbox, "microvm"));
	const struct {
		const char *value;
		enum tbx_source source;
	} given[] = {
		{ c->dir, TBX_SOURCE_DIR }, { apart ? NULL : c->image, TBX_SOURCE_IMAGE },
		{ c->snapshot, TBX_SOURCE_SNAPSHOT }, { c->template, TBX_SOURCE_TEMPLATE },
		{ c->git, TBX_SOURCE_GIT },
	};

	for (size_t i = 0; i < sizeof(given) / sizeof(*given); i++) {
		if (!given[i].value)
			continue;
		if (spec->from)
			return boxc_usage(c, "only one of --dir, --image, --template, --snapshot and "
					  "--git can be given");
		spec->from = given[i].value;
		spec->source = given[i].source;
	}
	spec->image = apart ? c->image : NULL;
	spec->read_only_root = c->read_only_root;
	spec->revision = c->revision;
	if (c->revision && !c->git)
		return boxc_usage(c, "--revision needs --git");
	return 0;
}

static int read_network(struct boxc *c, struct tbx_spec *spec)
{
	static const char *const words[] = { "none", "egress", "open" };

	/* where there is no wall nobody can have meant one around the network */
	if (!c->network) {
		if (c->sandbox && !strcmp(c->sandbox, "passthrough"))
			spec->network = TBX_NETWORK_OPEN;
		return 0;
	}
	for (size_t i = 0; i < 3; i++)
		if (!strcmp(c->network, words[i])) {
			spec->network = (enum tbx_network)i;
			return 0;
		}
	return bad(c, "--network", c->network, "the policies are none, egress and open");
}

/* A port at the end of s behind its last colon, which is cut off. */
static bool cut_port(char *s, char **rest, uint16_t *port)
{
	char *colon = strrchr(s, ':'), *digits = colon ? colon + 1 : s;
	uint64_t n;

	*rest = colon ? s : NULL;
	if (colon)
		*colon = '\0';
	if (*digits < '0' || *digits > '9' || num_u64(digits, &n) != NUM_OK || n > 65535)
		return false;
	*port = (uint16_t)n;
	return true;
}

static bool read_port(const struct boxc *c, const char *s, struct tbx_port *p)
{
	char *copy = heap_strdup(c->heap, s), *rest = NULL;
	size_t n;

	if (!copy || !cut_port(copy, &rest, &p->guest) || !p->guest)
		return false;
	if (rest && !cut_port(rest, &rest, &p->host))
		return false;
	n = rest ? strlen(rest) : 0;
	if (n > 2 && rest[0] == '[' && rest[n - 1] == ']') {
		rest[n - 1] = '\0';
		rest++;
	}
	else if (rest && strchr(rest, ':'))
		return false;
	p->address = rest;
	return !rest || *rest;
}

bool boxc_forward_port(const struct boxc *c, const char *s, struct tbx_port *p)
{
	char *copy = heap_strdup(c->heap, s), *rest;
	uint16_t last;

	if (!copy || !cut_port(copy, &rest, &last))
		return false;
	p->guest = last;
	if (rest) {
		p->host = last;
		if (!cut_port(rest, &rest, &p->guest) || rest)
			return false;
	}
	return p->guest;
}

static int read_ports(struct boxc *c, struct tbx_spec *spec)
{
	struct tbx_port *ports = heap_zalloc(c->heap, (c->publish.n + 1) * sizeof(*ports));

	if (!ports)
		return boxc_error(c, BOXC_OWN, "no memory");
	for (size_t i = 0; i < c->publish.n; i++)
		if (!read_port(c, c->publish.at[i], &ports[i]))
			return bad(c, "--publish", c->publish.at[i], "must be [[ADDRESS:]HOST:]GUEST");
	spec->ports = ports;
	spec->port_count = c->publish.n;
	return 0;
}

static int read_limits(struct boxc *c, struct tbx_spec *spec)
{
	int status = read_size(c, "--memory", c->memory, &spec->memory);

	if (!status)
		status = read_size(c, "--disk", c->disk, &spec->disk);
	if (!status)
		status = read_cpus(c, c->cpus, &spec->cpu);
	if (!status)
		status = read_count(c, "--pids", c->pids, UINT32_MAX, &spec->pids);
	if (!status)
		status = read_count(c, "--open-files", c->files, UINT32_MAX, &spec->open_files);
	if (!status)
		status = read_span(c, "--ttl", c->ttl, &spec->ttl);
	if (!status && c->ttl && !spec->ttl)
		status = bad(c, "--ttl", c->ttl, "a box that has no time cannot be used");
	return status;
}

int boxc_spec(struct boxc *c, struct tbx_spec *spec)
{
	int status = boxc_target(c, &spec->target);

	if (!status)
		status = read_source(c, spec);
	if (!status)
		status = read_limits(c, spec);
	if (!status)
		status = read_network(c, spec);
	if (!status)
		status = read_ports(c, spec);
	if (!status)
		status = read_span(c, "--hook-timeout", c->hook_timeout, &spec->hook_deadline);
	if (!status)
		status = read_span(c, "--autosnapshot", c->autosnapshot, &spec->autosnapshot);
	if (!status && c->autosnapshot && !spec->autosnapshot)
		status = bad(c, "--autosnapshot", c->autosnapshot, "an interval needs some time");
	if (!status)
		status = read_count(c, "--autosnapshot-keep", c->autosnapshot_keep, 1000,
				    &spec->autosnapshot_keep);
	if (!status && c->hook_timeout && !spec->hook_deadline)
		status = bad(c, "--hook-timeout", c->hook_timeout, "a hook needs some time");
	spec->name = c->name;
	spec->sandbox = c->sandbox;
	spec->runner_sandbox = c->runner;
	spec->workspace = c->workspace;
	spec->read_only = c->read_only;
	spec->hostname = c->hostname;
	spec->persistent = c->persistent;
	spec->env = env_of(c, &c->env);
	spec->cwd = c->cwd;
	spec->allow = list_of(c, &c->allow);
	spec->secrets = list_of(c, &c->secrets);
	spec->secret_ca = c->secret_ca;
	spec->devices = list_of(c, &c->devices);
	spec->allow_report_only = c->allow_report_only;
	spec->labels = list_of(c, &c->labels);
	spec->accept = list_of(c, &c->accept);
	spec->hooks = list_of(c, &c->hooks);
	spec->hook_keep = c->hook_warn;
	spec->kernel = c->kernel;
	spec->accel = c->accel;
	return status;
}

/* ---- How ---- */

static int read_stdin(struct boxc *c, struct tbx_exec *e)
{
	const char *s = c->input;

	if (c->interactive && s && strcmp(s, "stream"))
		return boxc_usage(c, "-i is --stdin=stream");
	if (c->interactive || (s && !strcmp(s, "stream"))) {
		e->input = TBX_STDIN_STREAM;
	} else if (s && !strncmp(s, "file:", 5) && s[5]) {
		e->input = TBX_STDIN_FILE;
		e->input_file = s + 5;
	} else if (s && strcmp(s, "none")) {
		return bad(c, "--stdin", s, "must be none, stream or file:PATH");
	}
	return 0;
}

int boxc_exec_options(struct boxc *c, struct tbx_exec *e)
{
	int status = read_stdin(c, e);

	if (!status)
		status = read_span(c, "--timeout", c->timeout, &e->deadline);
	if (!status && c->timeout && !e->deadline)
		status = bad(c, "--timeout", c->timeout, "a command needs some time");
	if (!status)
		status = read_span(c, "--grace", c->grace, &e->grace);
	if (!status)
		status = read_size(c, "--output-limit", c->output_limit, &e->out_limit);
	e->err_limit = e->out_limit;
	if (!status)
		status = read_size(c, "--memory", c->memory, &e->memory);
	if (!status)
		status = read_count(c, "--pids", c->pids, UINT32_MAX, &e->pids);
	if (!status)
		status = read_cpus(c, c->cpus, &e->cpu);
	e->env = env_of(c, &c->env);
	e->cwd = c->cwd;
	e->keep = c->keep;
	e->log = c->log;
	e->label = c->label;
	e->terminal = c->terminal;
	return status;
}

bool boxc_signal(const char *s, int *signal)
{
	uint64_t n;

	if (!s) {
		*signal = SIGTERM;
		return true;
	}
	if (*s >= '0' && *s <= '9') {
		*signal = num_u64(s, &n) == NUM_OK && n < NSIG ? (int)n : -1;
		return *signal >= 0;
	}
	if (!strncasecmp(s, "SIG", 3))
		s += 3;
	for (int i = 1; i < NSIG; i++) {
		const char *name = sigabbrev_np(i);

		if (name && !strcasecmp(name, s)) {
			*signal = i;
			return true;
		}
	}
	return false;
}
