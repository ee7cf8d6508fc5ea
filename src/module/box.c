/*
 * Resources: Create, Inspect, Close, Shutdown. A resource is there from the moment its id is used,
 * so that whatever happens to the caller it can be closed; its box belongs to a store that stays
 * open as long as the resource lives: were this process to die, `reap` would find it ownerless.
 */
#include "module/module.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define RETRY UINT64_C(5000000000)

/* What a Create said, as a spec; its lists are freed. */
struct wish {
	struct tbx_spec spec;
	const char *id, *backend;
	char **env;
	struct tbx_port *ports;
};

/* "Local", or {"Ssh": {...}}: the only member of an object, or a text; *value may be NULL. */
static const char *variant(json_t *arg, json_t **value)
{
	*value = NULL;
	if (!json_is_object(arg) || json_object_size(arg) != 1)
		return json_string_value(arg);
	*value = json_object_iter_value(json_object_iter(arg));
	return json_object_iter_key(json_object_iter(arg));
}

static bool optional_text(struct mod_call *c, json_t *value, const char *what, const char **out)
{
	return !value || json_is_null(value) || mod_text(c, value, what, MOD_PATH_MAX, out);
}

static bool read_host(struct mod_call *c, json_t *arg, struct wish *w)
{
	struct tbx_target *t = &w->spec.target;
	uint64_t port = 0;
	json_t *ssh, *value;
	const char *kind = variant(arg, &ssh);

	if (!arg || json_is_null(arg) || (mod_is(kind, "Local") && !ssh))
		return true;
	if (!mod_is(kind, "Ssh") || !json_is_object(ssh))
		return mod_bad(c, "host", "Local, or {\"Ssh\": {destination, ...}}");
	t->host = "ssh";
	value = json_object_get(ssh, "port");
	if (!mod_text(c, json_object_get(ssh, "destination"), "destination", 255, &t->destination) ||
	    (value && !json_is_null(value) && !mod_number(c, value, "port", 65535, &port)) ||
	    !optional_text(c, json_object_get(ssh, "identity"), "identity", &t->identity) ||
	    !optional_text(c, json_object_get(ssh, "known_hosts"), "known_hosts", &t->known_hosts))
		return false;
	t->port = (unsigned)port;
	t->accept_new_key = json_is_true(json_object_get(ssh, "accept_new_host_key"));
	return true;
}

static bool read_workspace(struct mod_call *c, json_t *arg, struct wish *w)
{
	json_t *value;
	const char *kind = variant(arg, &value);

	if (!arg || json_is_null(arg))
		return true;
	if (mod_is(kind, "Directory"))
		w->spec.source = TBX_SOURCE_DIR;
	else if (mod_is(kind, "Image"))
		w->spec.source = TBX_SOURCE_IMAGE;
	else
		return mod_bad(c, "workspace", "{\"Directory\": path} or {\"Image\": reference}");
	return mod_text(c, value, "workspace", MOD_PATH_MAX, &w->spec.from);
}

static bool read_network(struct mod_call *c, json_t *arg, struct wish *w)
{
	static const char *const words[] = { "Denied", "Egress", "Open" };
	const char *said = json_string_value(arg);

	if (!arg || json_is_null(arg))
		return true;
	for (int i = 0; i < 3; i++)
		if (mod_is(said, words[i])) {
			w->spec.network = (enum tbx_network)i;
			return true;
		}
	return mod_bad(c, "network", "Denied, Egress or Open");
}

/* A limit that is given is asked for, and zero is no limit that anybody can mean. */
static bool read_limit(struct mod_call *c, json_t *resources, const char *name, uint64_t most,
		       uint64_t *out)
{
	json_t *value = json_object_get(resources, name);

	if (!value || json_is_null(value))
		return true;
	if (!mod_number(c, value, name, most, out))
		return false;
	return *out || mod_bad(c, name, "zero means nothing");
}

static bool read_resources(struct mod_call *c, json_t *arg, struct wish *w)
{
	uint64_t cpu = 0, pids = 0;

	if (!arg || json_is_null(arg))
		return true;
	if (!json_is_object(arg))
		return mod_bad(c, "resources", "an object is needed");
	if (!read_limit(c, arg, "cpu_millis", UINT32_MAX, &cpu) ||
	    !read_limit(c, arg, "pids_max", UINT32_MAX, &pids) ||
	    !read_limit(c, arg, "memory_bytes", INT64_MAX, &w->spec.memory) ||
	    !read_limit(c, arg, "disk_bytes", INT64_MAX, &w->spec.disk))
		return false;
	w->spec.cpu = (uint32_t)cpu;
	w->spec.pids = (uint32_t)pids;
	return true;
}

static bool read_ports(struct mod_call *c, json_t *arg, struct wish *w)
{
	size_t n = json_array_size(arg);

	if (!arg || json_is_null(arg))
		return true;
	if (!json_is_array(arg) || n > 1000)
		return mod_bad(c, "ports", "an array of {guest, host} is needed");
	w->ports = calloc(n + 1, sizeof(*w->ports));
	for (size_t i = 0; w->ports && i < n; i++) {
		json_t *port = json_array_get(arg, i), *host = json_object_get(port, "host");
		uint64_t guest = 0, outside = 0;

		if (!mod_number(c, json_object_get(port, "guest"), "ports: guest", 65535, &guest) ||
		    (host && !json_is_null(host) && !mod_number(c, host, "ports: host", 65535, &outside)))
			return false;
		w->ports[i] = (struct tbx_port){(uint16_t)guest, (uint16_t)outside, NULL};
	}
	w->spec.ports = w->ports;
	w->spec.port_count = n;
	return w->ports || mod_bad(c, "ports", "no memory");
}

static void free_wish(struct wish *w)
{
	mod_env_free(w->env);
	free(w->ports);
}

static bool read_wish(struct mod_call *c, struct wish *w)
{
	json_t *arg = json_array_get(c->args, 0);

	*w = (struct wish){.spec = TBX_SPEC_INIT};
	if (!json_is_object(arg))
		return mod_bad(c, "Create", "an object is needed");
	if (!mod_text(c, json_object_get(arg, "resource"), "resource", MOD_ID - 1, &w->id) ||
	    !mod_text(c, json_object_get(arg, "backend"), "backend", 23, &w->backend) ||
	    !read_host(c, json_object_get(arg, "host"), w) ||
	    !read_workspace(c, json_object_get(arg, "workspace"), w) ||
	    !read_network(c, json_object_get(arg, "network"), w) ||
	    !read_resources(c, json_object_get(arg, "resources"), w) ||
	    !read_ports(c, json_object_get(arg, "ports"), w) ||
	    !mod_env(c, json_object_get(arg, "env"), &w->env))
		return false;
	w->spec.env = (const char *const *)w->env;
	w->spec.sandbox = w->backend;
	w->spec.transient = true;
	return true;
}

/* ---- Answers about a box ---- */

static json_t *published(const struct tbx_doc *doc)
{
	json_t *list = json_array();
	char path[64];

	for (size_t i = 0; i < tbx_doc_count(doc, "published"); i++) {
		json_int_t guest, host;
		const char *address;

		snprintf(path, sizeof(path), "published[%zu].guest", i);
		guest = tbx_doc_number(doc, path, 0);
		snprintf(path, sizeof(path), "published[%zu].host", i);
		host = tbx_doc_number(doc, path, 0);
		snprintf(path, sizeof(path), "published[%zu].address", i);
		address = tbx_doc_text(doc, path);
		json_array_append_new(list, json_pack("{s:I, s:I, s:s}", "guest", guest, "host", host,
						      "address", address ? address : "127.0.0.1"));
	}
	return list;
}

/* "ready" -> "Ready" */
static json_t *state_word(const char *state)
{
	char word[32];

	snprintf(word, sizeof(word), "%s", state ? state : "failed");
	if (*word >= 'a' && *word <= 'z')
		*word = (char)(*word - 'a' + 'A');
	return json_string(word);
}

static json_t *answer_of(const char *id, const char *backend, const struct tbx_doc *doc)
{
	json_t *body = json_pack("{s:s, s:s}", "resource", id, "backend", backend);

	json_object_set_new(body, "state", state_word(tbx_doc_text(doc, "state")));
	json_object_set_new(body, "published_ports", published(doc));
	return body;
}

/* ---- Create ---- */

/* The resource in the table, or NULL after an error. */
static struct mod_resource *claim(struct mod_call *c, const struct wish *w)
{
	struct mod *m = c->m;
	struct mod_resource *r = calloc(1, sizeof(*r));
	struct mod_reserved *id;
	bool full;

	if (!r) {
		mod_error(c, MOD_BUS_ERROR "Failed", "no memory");
		return NULL;
	}
	pthread_mutex_lock(&m->lock);
	full = m->resource_count >= MOD_RESOURCES || m->stopping;
	id = full ? NULL : mod_take(c, MOD_RESOURCE, w->id);
	if (id) {
		snprintf(r->id, sizeof(r->id), "%s", id->id);
		snprintf(r->backend, sizeof(r->backend), "%s", w->backend);
		r->users = 1;
		r->next = m->resources;
		m->resources = r;
		m->resource_count++;
	}
	pthread_mutex_unlock(&m->lock);
	if (full)
		mod_error(c, MOD_ERROR "ResourceLimit", "there are %d resources: no more at a time",
			  MOD_RESOURCES);
	if (!id)
		free(r);
	free(id);
	return id ? r : NULL;
}

static void create_failed(struct mod_call *c, struct mod_resource *r, struct tbx_store *store, int status)
{
	struct mod *m = c->m;
	bool unknown = status == TBX_ERR_ARGUMENT && strstr(tbx_error(store), "there are the sandboxes");

	/* whoever is answered finds the id gone */
	pthread_mutex_lock(&m->lock);
	r->users--;
	/* one that is being closed is its closer's */
	if (r->life == MOD_CREATING)
		mod_resource_free(m, r);
	pthread_cond_broadcast(&m->changed);
	pthread_mutex_unlock(&m->lock);
	mod_failed(c, unknown ? "UnsupportedBackend" : status == TBX_ERR_UNSUPPORTED ?
		   "UnsupportedOperation" : "Backend", store);
	tbx_close(store);
}

void mod_create(struct mod_call *c)
{
	struct mod *m = c->m;
	struct mod_resource *r;
	struct tbx_store *store;
	struct tbx_doc *doc = NULL;
	struct wish w;
	json_t *body;
	int status;

	if (!read_wish(c, &w) || !(r = claim(c, &w))) {
		free_wish(&w);
		return;
	}
	status = mod_open_store(m, &store);
	if (!status)
		status = tbx_create(store, &w.spec, &doc);
	if (status) {
		create_failed(c, r, store, status);
		free_wish(&w);
		return;
	}
	body = answer_of(r->id, r->backend, doc);
	pthread_mutex_lock(&m->lock);
	snprintf(r->box, sizeof(r->box), "%s", tbx_doc_text(doc, "id"));
	r->owner = store;
	/* closed meanwhile: then it is whoever closes it who goes on */
	if (r->life == MOD_CREATING)
		r->life = MOD_READY;
	r->users--;
	pthread_cond_broadcast(&m->changed);
	pthread_mutex_unlock(&m->lock);
	tbx_doc_free(doc);
	free_wish(&w);
	mod_return(c, body);
}

/* ---- Inspect ---- */

static json_t *report_of(const struct tbx_doc *doc)
{
	static const char *const names[] = { "control", "asked", "by", "why", "fix" };
	json_t *list = json_array();
	char path[64];

	for (size_t i = 0; i < tbx_doc_count(doc, "report"); i++) {
		json_t *line = json_object();

		for (size_t k = 0; k < 5; k++) {
			const char *text;

			snprintf(path, sizeof(path), "report[%zu].%s", i, names[k]);
			text = tbx_doc_text(doc, path);
			if (text)
				json_object_set_new(line, names[k], json_string(text));
		}
		json_array_append_new(list, line);
	}
	return list;
}

void mod_inspect(struct mod_call *c)
{
	struct mod *m = c->m;
	struct mod_resource *r;
	struct tbx_store *store;
	struct tbx_doc *doc = NULL;
	const char *id, *level;
	json_t *body = NULL;

	if (!mod_text(c, json_array_get(c->args, 0), "resource", MOD_ID - 1, &id))
		return;
	pthread_mutex_lock(&m->lock);
	r = mod_use(c, id);
	pthread_mutex_unlock(&m->lock);
	if (!r)
		return;
	store = mod_store(c);
	if (store && tbx_inspect(store, r->box, &doc)) {
		mod_failed(c, "Backend", store);
	} else if (store) {
		level = tbx_doc_text(doc, "isolation");
		body = answer_of(r->id, r->backend, doc);
		json_object_set_new(body, "isolation", json_string(level ? level : "none"));
		json_object_set_new(body, "untrusted", json_boolean(tbx_doc_true(doc, "untrusted")));
		json_object_set_new(body, "report", report_of(doc));
	}
	tbx_doc_free(doc);
	tbx_close(store);
	mod_unuse(m, r);
	if (body)
		mod_return(c, body);
}

/* ---- Close ---- */

/* Fenced off: nothing new, what runs is cancelled. Under the lock; false: another is closing it. */
static bool fence(struct mod_resource *r)
{
	if (r->life == MOD_CLOSING)
		return false;
	r->life = MOD_CLOSING;
	for (struct mod_process *p = r->processes; p; p = p->next)
		mod_cancel(p);
	for (struct mod_forward *f = r->forwards; f; f = f->next)
		f->cancel = true;
	return true;
}

/* In a task, of a resource that is fenced. False: it stays, and is tried again; *why: malloc. */
static bool destroy(struct mod *m, struct mod_resource *r, char **why)
{
	int status = TBX_OK;

	pthread_mutex_lock(&m->lock);
	while (r->users)
		mod_wait(m, &m->changed, mod_now() + RETRY);
	pthread_mutex_unlock(&m->lock);
	*why = NULL;
	if (r->owner)
		status = tbx_remove(r->owner, r->box, 0);
	if (status == TBX_ERR_UNKNOWN)
		status = TBX_OK;
	if (status)
		*why = strdup(tbx_error(r->owner));
	pthread_mutex_lock(&m->lock);
	if (status)
		r->life = MOD_STUCK;
	else
		mod_resource_free(m, r);
	pthread_cond_broadcast(&m->changed);
	pthread_mutex_unlock(&m->lock);
	return !status;
}

static struct mod_resource *find(struct mod *m, const char *id)
{
	struct mod_resource *r = m->resources;

	while (r && strcmp(r->id, id))
		r = r->next;
	return r;
}

void mod_close_resource(struct mod_call *c)
{
	struct mod *m = c->m;
	struct mod_resource *r;
	const char *id;
	char *why = NULL;
	bool known, mine;

	if (!mod_text(c, json_array_get(c->args, 0), "resource", MOD_ID - 1, &id))
		return;
	pthread_mutex_lock(&m->lock);
	r = find(m, id);
	known = r;
	mine = r && fence(r);
	/* another closes it already: it is gone when that is done */
	while (!mine && (r = find(m, id)) && r->life == MOD_CLOSING)
		mod_wait(m, &m->changed, mod_now() + RETRY);
	pthread_mutex_unlock(&m->lock);
	if (!known)
		mod_error(c, MOD_ERROR "UnknownResource", "there is no such resource");
	else if (mine ? destroy(m, r, &why) : !r)
		mod_return(c, NULL);
	else
		mod_error(c, MOD_ERROR "Backend", "%s", why ? why : "it could not be destroyed");
	free(why);
}

/* A task without a caller: the resource's id is its argument. */
static void close_quietly(struct mod_call *c)
{
	struct mod *m = c->m;
	const char *id = json_string_value(c->args);
	struct mod_resource *r;
	char *why = NULL;
	bool mine;

	pthread_mutex_lock(&m->lock);
	r = find(m, id ? id : "");
	mine = r && fence(r);
	pthread_mutex_unlock(&m->lock);
	if (mine && !destroy(m, r, &why))
		mod_log(m, TB_WARN, "a box is left, and is tried again: %s", why ? why : "");
	free(why);
	json_decref(c->args);
}

/* Of all, or of those only that could not be destroyed before. */
static void close_some(struct mod *m, bool stuck)
{
	struct mod_call calls[MOD_RESOURCES];
	size_t n = 0;

	pthread_mutex_lock(&m->lock);
	for (struct mod_resource *r = m->resources; r && n < MOD_RESOURCES; r = r->next)
		if (stuck ? r->life == MOD_STUCK : r->life != MOD_CLOSING)
			calls[n++] = (struct mod_call){.m = m, .args = json_string(r->id)};
	pthread_mutex_unlock(&m->lock);
	while (n--)
		if (!mod_task(&calls[n], close_quietly))
			json_decref(calls[n].args);
}

void mod_close_all(struct mod *m)
{
	struct mod_reserved *r;

	pthread_mutex_lock(&m->lock);
	while ((r = m->reserved)) {
		m->reserved = r->next;
		free(r);
	}
	m->reserved_count = 0;
	pthread_mutex_unlock(&m->lock);
	close_some(m, false);
}

void mod_retry(struct mod *m)
{
	uint64_t now = mod_now();
	bool stopping;

	if (now < m->retry_at)
		return;
	m->retry_at = now + RETRY;
	pthread_mutex_lock(&m->lock);
	stopping = m->stopping;
	pthread_mutex_unlock(&m->lock);
	/* when it is over, all are to go: a task may not have been had at first */
	close_some(m, !stopping);
}

/* The last call: answered when all is gone. */
void mod_shutdown_call(struct mod_call *c)
{
	struct mod *m = c->m;
	bool gone;

	pthread_mutex_lock(&m->lock);
	m->stopping = true;
	pthread_mutex_unlock(&m->lock);
	mod_close_all(m);
	pthread_mutex_lock(&m->lock);
	while (!(gone = !m->resources) && !m->ended)
		mod_wait(m, &m->changed, mod_now() + RETRY);
	pthread_mutex_unlock(&m->lock);
	mod_return(c, NULL);
}
