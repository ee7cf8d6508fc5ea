/*
 * Arguments checked, answers written, and the methods that need no box.
 */
#include "module/module.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* ---- Arguments ---- */

bool mod_bad(struct mod_call *c, const char *what, const char *why)
{
	mod_error(c, MOD_BUS_ERROR "BadArguments", "%s: %s", what, why);
	return false;
}

bool mod_text(struct mod_call *c, json_t *value, const char *what, size_t most, const char **out)
{
	size_t n = json_string_length(value);

	*out = json_string_value(value);
	if (!*out)
		return mod_bad(c, what, "a text is needed");
	if (!n || n > most)
		return mod_bad(c, what, n ? "the text is too long" : "the text is empty");
	return !memchr(*out, 0, n) || mod_bad(c, what, "a text without NUL is needed");
}

bool mod_number(struct mod_call *c, json_t *value, const char *what, uint64_t most, uint64_t *out)
{
	json_int_t n = json_integer_value(value);

	if (!json_is_integer(value) || n < 0 || (uint64_t)n > most)
		return mod_bad(c, what, "a number is needed that is not below zero and not too large");
	*out = (uint64_t)n;
	return true;
}

bool mod_env(struct mod_call *c, json_t *arg, char ***out)
{
	const char *name, *text;
	json_t *value;
	size_t n = 0;

	if (!arg || json_is_null(arg))
		return true;
	if (!json_is_object(arg))
		return mod_bad(c, "env", "an object of names and texts is needed");
	*out = calloc(json_object_size(arg) + 1, sizeof(**out));
	if (!*out)
		return mod_bad(c, "env", "no memory");
	json_object_foreach(arg, name, value) {
		text = json_string_value(value);
		if (!text || !*name || strchr(name, '=') || strlen(text) != json_string_length(value))
			return mod_bad(c, "env", "an object of names and texts is needed");
		if (asprintf(&(*out)[n], "%s=%s", name, text) < 0) {
			(*out)[n] = NULL;
			return mod_bad(c, "env", "no memory");
		}
		n++;
	}
	return true;
}

void mod_env_free(char **env)
{
	for (size_t i = 0; env && env[i]; i++)
		free(env[i]);
	free(env);
}

static bool text_bytes(struct mod_call *c, json_t *value, const char *what, size_t most, uint8_t **out,
		       size_t *n)
{
	*n = json_string_length(value);
	if (*n > most)
		return mod_bad(c, what, "too many bytes");
	*out = malloc(*n + 1);
	if (!*out)
		return mod_bad(c, what, "no memory");
	memcpy(*out, json_string_value(value), *n);
	return true;
}

bool mod_bytes(struct mod_call *c, json_t *value, const char *what, size_t most, uint8_t **out,
	       size_t *n)
{
	size_t count = json_array_size(value);

	*out = NULL;
	*n = 0;
	if (!value || json_is_null(value))
		return true;
	if (json_is_string(value))
		return text_bytes(c, value, what, most, out, n);
	if (!json_is_array(value))
		return mod_bad(c, what, "an array of bytes, or a text, is needed");
	if (count > most)
		return mod_bad(c, what, "too many bytes");
	*out = malloc(count + 1);
	if (!*out)
		return mod_bad(c, what, "no memory");
	for (size_t i = 0; i < count; i++) {
		json_t *byte = json_array_get(value, i);
		json_int_t b = json_integer_value(byte);

		if (!json_is_integer(byte) || b < 0 || b > 255) {
			free(*out);
			*out = NULL;
			return mod_bad(c, what, "a byte is a number from 0 to 255");
		}
		(*out)[i] = (uint8_t)b;
	}
	*n = count;
	return true;
}

bool mod_is(const char *said, const char *word)
{
	return said && !strcasecmp(said, word);
}

/* ---- Answers ---- */

static bool make_room(struct mod_out *o, size_t n)
{
	size_t cap = o->cap ? o->cap : 256;
	char *more;

	while (cap < o->n + n + 1)
		cap *= 2;
	if (o->failed || cap == o->cap)
		return !o->failed;
	more = realloc(o->p, cap);
	o->failed = !more;
	if (more) {
		o->p = more;
		o->cap = cap;
	}
	return more;
}

void mod_add(struct mod_out *o, const char *s, size_t n)
{
	if (!make_room(o, n))
		return;
	memcpy(o->p + o->n, s, n);
	o->n += n;
}

void mod_addf(struct mod_out *o, const char *fmt, ...)
{
	char text[256];
	va_list ap;
	int n;

	va_start(ap, fmt);
	n = vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	if (n < 0 || (size_t)n >= sizeof(text))
		o->failed = true;
	else
		mod_add(o, text, (size_t)n);
}

void mod_add_bytes(struct mod_out *o, const uint8_t *p, size_t n)
{
	if (!make_room(o, 4 * n + 2))
		return;
	o->p[o->n++] = '[';
	for (size_t i = 0; i < n; i++) {
		unsigned b = p[i];

		if (i)
			o->p[o->n++] = ',';
		if (b > 99)
			o->p[o->n++] = (char)('0' + b / 100);
		if (b > 9)
			o->p[o->n++] = (char)('0' + b / 10 % 10);
		o->p[o->n++] = (char)('0' + b % 10);
	}
	o->p[o->n++] = ']';
}

void mod_finish(struct mod_call *c, struct mod_out *o)
{
	char *text = o->failed ? NULL : o->p;

	if (o->failed)
		free(o->p);
	mod_return_text(c, text, o->n);
	*o = (struct mod_out){0};
}

/* ---- What there is ---- */

static const struct {
	const char *name;
	bool kernel;		/* fit for code that is not trusted, where it can be had */
} walls[] = {
	{ "passthrough", false }, { "virtual", true }, { "namespace", true }, { "docker", true },
	{ "microvm", true },
};
enum { WALLS = sizeof(walls) / sizeof(*walls) };

/* Whether the library knows it: nothing is made. */
static bool is_known(struct tbx_store *store, const char *wall)
{
	struct tbx_spec spec = TBX_SPEC_INIT;
	struct tbx_doc *plan = NULL;
	const char *error;
	int status;

	spec.sandbox = wall;
	spec.network = TBX_NETWORK_OPEN;
	status = tbx_plan(store, &spec, &plan);
	error = status ? tbx_error(store) : "";
	tbx_doc_free(plan);
	/* one that wants more than a name (an image, a kernel) is known */
	return !status || !strstr(error, "there are the sandboxes");
}

void mod_describe(struct mod_call *c)
{
	struct tbx_store *store = mod_store(c);
	char text[512];
	size_t n;

	if (!store)
		return;
	n = (size_t)snprintf(text, sizeof(text), "tinybox " MODULE_VERSION "; sandboxes: ");
	for (int pass = 0; pass < 2; pass++) {
		const char *comma = "";

		for (int i = 0; i < WALLS; i++) {
			if ((pass && !walls[i].kernel) || !is_known(store, walls[i].name))
				continue;
			n += (size_t)snprintf(text + n, sizeof(text) - n, "%s%s", comma, walls[i].name);
			comma = ", ";
		}
		if (!pass)
			n += (size_t)snprintf(text + n, sizeof(text) - n,
					      "; untrusted-capable (>= kernel isolation): ");
	}
	tbx_close(store);
	mod_return(c, json_string(text));
}

void mod_capabilities(struct mod_call *c)
{
	static const char *const lists[] = { "create_backends", "exec_backends", "spawn_backends" };
	struct tbx_store *store = mod_store(c);
	json_t *body = json_object(), *list = json_array();

	if (!store) {
		json_decref(body);
		json_decref(list);
		return;
	}
	for (int i = 0; i < WALLS; i++)
		if (is_known(store, walls[i].name))
			json_array_append_new(list, json_string(walls[i].name));
	tbx_close(store);
	json_object_set_new(body, "contract_version", json_pack("[i, i]", 1, 6));
	for (size_t i = 0; i < 3; i++)
		json_object_set(body, lists[i], list);
	json_decref(list);
	mod_return(c, body);
}

/* ---- Ids ---- */

struct wanted {
	enum mod_kind kind;
	const char *of;		/* NULL: of nothing */
};

static bool read_wanted(struct mod_call *c, json_t *arg, struct wanted *w)
{
	static const char *const names[MOD_KINDS] = { "Resource", "Process", "Forward", "FileRead",
		"FileWrite" };
	const char *name = json_string_value(arg);
	json_t *of = NULL;

	if (json_is_object(arg) && json_object_size(arg) == 1) {
		name = json_object_iter_key(json_object_iter(arg));
		of = json_object_get(arg, name);
	}
	w->of = NULL;
	for (w->kind = 0; w->kind < MOD_KINDS; w->kind++)
		if (name && !strcmp(name, names[w->kind]))
			break;
	if (w->kind == MOD_KINDS || (w->kind == MOD_RESOURCE) != !of)
		return mod_bad(c, "Reserve", "\"Resource\", or one of Process, Forward, FileRead and FileWrite "
			   "with the id of a resource: {\"Process\": id}");
	return !of || mod_text(c, of, name, MOD_ID - 1, &w->of);
}

void mod_reserve(struct mod_call *c)
{
	struct mod_reserved *r = calloc(1, sizeof(*r));
	struct mod *m = c->m;
	struct wanted w;
	char id[MOD_ID];
	bool full;

	if (!r || !read_wanted(c, json_array_get(c->args, 0), &w)) {
		if (!r)
			mod_error(c, MOD_BUS_ERROR "Failed", "no memory");
		free(r);
		return;
	}
	pthread_mutex_lock(&m->lock);
	if (w.of) {
		struct mod_resource *of = mod_use(c, w.of);

		if (!of) {
			pthread_mutex_unlock(&m->lock);
			free(r);
			return;
		}
		of->users--;
		snprintf(r->of, sizeof(r->of), "%s", w.of);
	}
	mod_expire(m, mod_now());
	full = m->reserved_count >= MOD_RESERVED;
	if (!full) {
		mod_new_id(m, r->id);
		memcpy(id, r->id, sizeof(id));
		r->kind = w.kind;
		r->until = mod_now() + MOD_RESERVE_NS;
		r->next = m->reserved;
		m->reserved = r;
		m->reserved_count++;
	}
	pthread_mutex_unlock(&m->lock);
	if (!full) {
		mod_return(c, json_string(id));
		return;
	}
	free(r);
	mod_error(c, MOD_ERROR "ResourceLimit", "%d ids are reserved and not used: no more at a time",
		  MOD_RESERVED);
}

/* What confines a process here when there is no box: as `tinybox doctor` finds it. */
void mod_jail_status(struct mod_call *c)
{
	struct tbx_store *store = mod_store(c);
	struct tbx_doc *doc = NULL;
	json_t *list = json_array(), *body = json_object();
	char path[64];

	if (store && tbx_doctor(store, NULL, &doc)) {
		mod_failed(c, "Backend", store);
		tbx_close(store);
		store = NULL;
	}
	if (!store) {
		json_decref(list);
		json_decref(body);
		return;
	}
	for (size_t i = 0; i < tbx_doc_count(doc, "probes"); i++) {
		static const char *const names[] = { "name", "state", "text", "fix" };
		json_t *probe = json_object();

		for (size_t k = 0; k < 4; k++) {
			const char *value;

			snprintf(path, sizeof(path), "probes[%zu].%s", i, names[k]);
			value = tbx_doc_text(doc, path);
			if (value)
				json_object_set_new(probe, names[k], json_string(value));
		}
		if (mod_is(json_string_value(json_object_get(probe, "name")), "landlock"))
			json_object_set_new(body, "available", json_boolean(
				mod_is(json_string_value(json_object_get(probe, "state")), "ok")));
		json_array_append_new(list, probe);
	}
	json_object_set_new(body, "mechanism", json_string("landlock"));
	json_object_set_new(body, "probes", list);
	tbx_doc_free(doc);
	tbx_close(store);
	mod_return(c, body);
}

/* ---- All of them ---- */

const struct mod_method mod_methods[] = {
	{ "Describe", mod_describe, 0, true },
	{ "Capabilities", mod_capabilities, 0, true },
	{ "Reserve", mod_reserve, 1, false },
	{ "Create", mod_create, 1, true },
	{ "Exec", mod_exec, 1, true },
	{ "Inspect", mod_inspect, 1, true },
	{ "Close", mod_close_resource, 1, true },
	{ "Spawn", mod_spawn, 1, true },
	{ "IsRunning", mod_is_running, 1, true },
	{ "Cancel", mod_cancel_process, 1, true },
	{ "Forward", mod_forward, 1, true },
	{ "CloseForward", mod_close_forward, 1, true },
	{ "JailStatus", mod_jail_status, 0, true },
	{ "AnalyzeShell", mod_analyze_shell, 1, false },
	{ "AnalyzeCommand", mod_analyze_command, 1, false },
	{ "BeginFileRead", mod_begin_read, 1, true },
	{ "ReadFileChunk", mod_read_chunk, 1, true },
	{ "FinishFileRead", mod_finish_read, 1, false },
	{ "BeginFileWrite", mod_begin_write, 1, false },
	{ "WriteFileChunk", mod_write_chunk, 1, true },
	{ "FinishFileWrite", mod_finish_write, 1, true },
	{ "AbortFileWrite", mod_abort_write, 1, false },
	{ "StartExec", mod_start_exec, 1, true },
	{ "ReadOutput", mod_read_output, 2, false },
	{ "ReleaseOutput", mod_release_output, 1, false },
	{ "Shutdown", mod_shutdown_call, 0, true },
	{ NULL, NULL, 0, false }
};
