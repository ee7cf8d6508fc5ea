/*
 * host MODULE HELPERS STATE BACKEND...: a TinyBus host that loads the module as one would, looks at its
 * tables, drives every method over real boxes, floods it, and shuts it down. TAP.
 */
#include "host.h"

static int count, failed;

void ok(bool good, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	printf("%s %d - ", good ? "ok" : "not ok", ++count);
	vprintf(fmt, ap);
	printf("\n");
	fflush(stdout);
	va_end(ap);
	failed += !good;
}

/* ---- What the module calls ---- */

int32_t deliver_text(struct host *h, const char *text)
{
	return h->module.deliver(h->module.ctx, (const uint8_t *)text, strlen(text));
}

/* The bus's own answers are given from a thread of ours, as a bus would. */
struct later {
	struct host *h;
	char text[256];
};

static void *answer(void *arg)
{
	struct later *l = arg;

	deliver_text(l->h, l->text);
	free(l);
	return NULL;
}

static void bus_answers(struct host *h, json_int_t serial, const char *body)
{
	struct later *l = malloc(sizeof(*l));
	pthread_t t;

	l->h = h;
	snprintf(l->text, sizeof(l->text), "{\"header\":{\"kind\":\"method_return\",\"serial\":%lld,"
		 "\"reply_serial\":%lld},\"body\":%s}", (long long)serial + 1000, (long long)serial, body);
	pthread_create(&t, NULL, answer, l);
	pthread_detach(t);
}

static int32_t on_send(void *ctx, const uint8_t *ptr, size_t len)
{
	struct host *h = ctx;
	json_t *m, *header;
	const char *kind, *member;
	char key[32];

	pthread_mutex_lock(&h->lock);
	if (h->full || h->closed) {
		h->refused++;
		pthread_mutex_unlock(&h->lock);
		return h->closed ? TB_CLOSED : TB_BACKPRESSURE;
	}
	m = len <= TB_FRAME_MAX ? json_loadb((const char *)ptr, len, 0, NULL) : NULL;
	header = json_object_get(m, "header");
	kind = json_string_value(json_object_get(header, "kind"));
	member = json_string_value(json_object_get(header, "member"));
	h->sent++;
	if (!kind || json_integer_value(json_object_get(header, "serial")) < 1) {
		h->faults++;
	} else if (!strcmp(kind, "method_call")) {
		json_int_t serial = json_integer_value(json_object_get(header, "serial"));

		if (member && !strcmp(member, "Hello")) {
			h->hello++;
			bus_answers(h, serial, "\":1.7\"");
		} else if (member && !strcmp(member, "RequestName")) {
			h->named += !strcmp(json_string_value(json_array_get(json_object_get(m, "body"), 0)), IFACE);
			bus_answers(h, serial, "true");
		}
	} else {
		snprintf(key, sizeof(key), "%lld",
			 (long long)json_integer_value(json_object_get(header, "reply_serial")));
		json_object_set_new(h->replies, key, m);
		m = NULL;
	}
	json_decref(m);
	pthread_cond_broadcast(&h->news);
	pthread_mutex_unlock(&h->lock);
	return TB_OK;
}

static void on_wake(void *ctx)
{
	struct host *h = ctx;

	pthread_mutex_lock(&h->lock);
	h->wakes++;
	pthread_cond_broadcast(&h->news);
	pthread_mutex_unlock(&h->lock);
}

static void on_log(void *ctx, uint32_t level, const uint8_t *ptr, size_t len)
{
	struct host *h = ctx;

	pthread_mutex_lock(&h->lock);
	h->logs++;
	if (getenv("HOST_LOG"))
		fprintf(stderr, "# log %u: %.*s\n", level, (int)len, ptr);
	pthread_mutex_unlock(&h->lock);
}

static void on_fault(void *ctx, const uint8_t *ptr, size_t len)
{
	struct host *h = ctx;

	pthread_mutex_lock(&h->lock);
	h->faults++;
	fprintf(stderr, "# fault: %.*s\n", (int)len, ptr);
	pthread_mutex_unlock(&h->lock);
}

static void on_ready(void *ctx)
{
	struct host *h = ctx;

	pthread_mutex_lock(&h->lock);
	h->ready++;
	pthread_cond_broadcast(&h->news);
	pthread_mutex_unlock(&h->lock);
}

/* ---- Calls ---- */

struct timespec later(int seconds)
{
	struct timespec t;

	clock_gettime(CLOCK_REALTIME, &t);
	t.tv_sec += seconds;
	return t;
}

json_t *wait_reply(struct host *h, uint64_t serial, int seconds)
{
	struct timespec until = later(seconds);
	json_t *reply;
	char key[32];

	snprintf(key, sizeof(key), "%llu", (unsigned long long)serial);
	pthread_mutex_lock(&h->lock);
	while (!(reply = json_object_get(h->replies, key)))
		if (pthread_cond_timedwait(&h->news, &h->lock, &until))
			break;
	json_incref(reply);
	json_object_del(h->replies, key);
	pthread_mutex_unlock(&h->lock);
	return reply;
}

/* The message of a call; args is taken. */
uint64_t post(struct host *h, const char *member, json_t *args)
{
	uint64_t serial = ++h->serial;
	json_t *m = json_pack("{s:{s:s, s:I, s:s, s:s, s:s, s:s}, s:o}", "header", "kind", "method_call",
			      "serial", (json_int_t)serial, "sender", ":1.9", "path", OBJECT, "interface",
			      IFACE, "member", member, "body", args);
	char *text = json_dumps(m, JSON_COMPACT);
	int32_t code;

	while ((code = deliver_text(h, text)) == TB_BACKPRESSURE)
		usleep(1000);
	if (code)
		printf("# %s: deliver says %d\n", member, (int)code);
	free(text);
	json_decref(m);
	return serial;
}

json_t *call(struct host *h, const char *member, json_t *args)
{
	return wait_reply(h, post(h, member, args), PATIENCE);
}

/* The value that came back; NULL: an error, or nothing. Borrowed from *reply. */
json_t *body(json_t *reply)
{
	const char *kind = json_string_value(json_object_get(json_object_get(reply, "header"), "kind"));

	return kind && !strcmp(kind, "method_return") ? json_object_get(reply, "body") : NULL;
}

bool is_return(json_t *reply)
{
	const char *kind = json_string_value(json_object_get(json_object_get(reply, "header"), "kind"));

	return kind && !strcmp(kind, "method_return");
}

/* The last part of the error's name, or "" */
const char *error_of(json_t *reply)
{
	const char *name = json_string_value(json_object_get(json_object_get(reply, "header"), "error_name"));
	const char *dot = name ? strrchr(name, '.') : NULL;

	if (name && strncmp(name, "ai.tinyhumans.tinybox.Error.", 28) && strncmp(name, "ai.tinyhumans.tinybus.Error.", 28))
		return "";
	return dot ? dot + 1 : "";
}

void say(json_t *reply)
{
	char *text = reply ? json_dumps(reply, JSON_COMPACT) : NULL;

	printf("# %.600s\n", text ? text : "no answer");
	free(text);
}

/* Fails with that error. */
void refuses(struct host *h, const char *member, json_t *args, const char *error, const char *what)
{
	json_t *reply = call(h, member, args);
	bool good = !strcmp(error_of(reply), error);

	ok(good, "%s: %s is %s", member, what, error);
	if (!good)
		say(reply);
	json_decref(reply);
}

void gives(struct host *h, const char *member, json_t *args, const char *what)
{
	json_t *reply = call(h, member, args);

	ok(is_return(reply), "%s: %s", member, what);
	if (!is_return(reply))
		say(reply);
	json_decref(reply);
}

/* An id of the kind; of NULL: a resource's. */
char *reserve(struct host *h, const char *kind, const char *of)
{
	json_t *arg = of ? json_pack("[{s:s}]", kind, of) : json_pack("[s]", kind);
	json_t *reply = call(h, "Reserve", arg);
	const char *id = json_string_value(body(reply));
	char *copy = id ? strdup(id) : strdup("none");

	if (!id)
		say(reply);
	json_decref(reply);
	return copy;
}

char *text_of(json_t *bytes)
{
	size_t n = json_array_size(bytes);
	char *s = malloc(n + 1);

	for (size_t i = 0; i < n; i++)
		s[i] = (char)json_integer_value(json_array_get(bytes, i));
	s[n] = '\0';
	return s;
}

bool runs_as(struct host *h, json_t *args, int code, const char *out, const char *err, const char *what)
{
	json_t *reply = call(h, "Exec", args), *value = body(reply);
	char *o = text_of(json_object_get(value, "stdout")), *e = text_of(json_object_get(value, "stderr"));
	bool good = value && json_integer_value(json_object_get(value, "exit_code")) == code &&
		!strcmp(o, out) && !strcmp(e, err);

	ok(good, "Exec: %s", what);
	if (!good)
		say(reply);
	free(o);
	free(e);
	json_decref(reply);
	return good;
}

/* ---- Loading ---- */

static void check_descriptor(const struct tb_descriptor *d)
{
	ok(!memcmp(d, "TBUSMOD\1", 8), "the magic");
	ok(d->revision == 1 && d->size == 256, "revision 1, 256 bytes");
	ok((d->flags & TB_FLAG_UNWIND) && (d->flags & TB_FLAG_LITTLE) && !(d->flags & ~7u), "flags");
	ok(d->pointer_bits == 8 * sizeof(void *), "pointers");
	ok(!d->features, "no features are needed");
	ok(strstr(d->target, "-unknown-linux-gnu") && !d->target[63], "a target: %s", d->target);
	ok(!strcmp(d->name, "tinybox") && *d->version, "name and version: %s %s", d->name, d->version);
}

static void check_manifest(struct tb_slice s)
{
	json_t *m = json_loadb((const char *)s.ptr, s.len, 0, NULL), *provides;
	const char *method;
	json_t *value;
	size_t i;
	int known = 0;
	static const char *const all = "Describe Capabilities Reserve Create Exec Inspect Close Spawn IsRunning "
		"Cancel Forward CloseForward JailStatus AnalyzeShell AnalyzeCommand BeginFileRead ReadFileChunk "
		"FinishFileRead BeginFileWrite WriteFileChunk FinishFileWrite AbortFileWrite StartExec ReadOutput "
		"ReleaseOutput Shutdown";

	ok(m && json_integer_value(json_object_get(m, "tinybus_manifest")) == 1, "the manifest is JSON, version 1");
	ok(!strcmp(json_string_value(json_object_get(m, "bus_name")), IFACE) &&
	   !strcmp(json_string_value(json_object_get(m, "object_path")), OBJECT), "bus name and object");
	provides = json_array_get(json_object_get(m, "provides"), 0);
	json_array_foreach(json_object_get(provides, "methods"), i, value) {
		method = json_string_value(value);
		known += method && strstr(all, method) != NULL;
	}
	ok(known == 26 && json_array_size(json_object_get(provides, "methods")) == 26, "26 methods");
	json_decref(m);
}

static void new_host(struct host *h, const char *config)
{
	memset(h, 0, sizeof(*h));
	pthread_mutex_init(&h->lock, NULL);
	pthread_cond_init(&h->news, NULL);
	h->replies = json_object();
	h->table = (struct tb_host){.size = sizeof(h->table), .ctx = h, .send = on_send, .wake = on_wake,
		.log = on_log, .fault = on_fault, .config = {(const uint8_t *)config, strlen(config)},
		.ready = on_ready};
	h->module.size = sizeof(h->module);
}

typedef int32_t init_fn(const struct tb_host *, struct tb_module *);

static void check_init(init_fn *init)
{
	struct host h = {0};

	json_decref(h.replies);
	new_host(&h, "");
	h.table.size = 64;
	ok(init(&h.table, &h.module) == TB_BAD_ARGUMENT, "a host's table that is too short");
	json_decref(h.replies);
	new_host(&h, "");
	h.module.size = 16;
	ok(init(&h.table, &h.module) == TB_BAD_ARGUMENT, "no room for ours");
	ok(init(NULL, &h.module) == TB_BAD_ARGUMENT, "no table");
	json_decref(h.replies);
	new_host(&h, "[1]");
	ok(init(&h.table, &h.module) == TB_BAD_ARGUMENT && h.faults == 1, "a configuration that is no object");
	json_decref(h.replies);
	new_host(&h, "{\"state_dirr\":\"/x\"}");
	ok(init(&h.table, &h.module) == TB_BAD_ARGUMENT, "a word in it that is not known");
	json_decref(h.replies);
	new_host(&h, "{\"state_dir\":\"relative\"}");
	ok(init(&h.table, &h.module) == TB_BAD_ARGUMENT, "a relative path in it");
	json_decref(h.replies);
}

static void wait_ready(struct host *h)
{
	struct timespec until = later(PATIENCE);

	pthread_mutex_lock(&h->lock);
	while (!h->ready && !pthread_cond_timedwait(&h->news, &h->lock, &until))
		;
	pthread_mutex_unlock(&h->lock);
	ok(h->hello == 1 && h->named == 1 && h->ready == 1, "Hello, RequestName, ready");
}

/* ---- All ---- */

static char *config_of(const char *helpers, const char *state)
{
	json_t *c = json_pack("{s:s, s:s}", "state_dir", state, "helper_dir", helpers);
	char *text = json_dumps(c, 0);

	json_decref(c);
	return text;
}

static void end_host(struct host *h)
{
	json_decref(h->replies);
	h->replies = NULL;
}

/* Shut down with boxes, and commands in them. */
static void end_busy(struct host *h, char **backends)
{
	json_t *reply;

	for (int i = 0; backends[i]; i++) {
		char *id = create(h, backends[i], &reply);

		json_decref(reply);
		post(h, "Exec", cmd(id, "sleep 100"));
		free(id);
	}
	ok(h->module.shutdown(h->module.ctx, 30000) == TB_OK, "shutdown");
	ok(deliver_text(h, "{}") == TB_CLOSED, "deliver: closed");
	ok(h->module.shutdown(h->module.ctx, 1000) == TB_OK, "shutdown again");
}

/* A host that is killed, with a box, a command and a file on their way: the next one finds them. */
static int die(struct host *h, char **backends)
{
	for (int i = 0; backends[i]; i++) {
		json_t *reply;
		char *id = create(h, backends[i], &reply), *t;

		json_decref(reply);
		t = reserve(h, "FileWrite", id);
		json_decref(call(h, "BeginFileWrite", json_pack("[{s:s, s:s}]", "transfer", t, "path", "f")));
		post(h, "Exec", cmd(id, "sleep 300"));
	}
	usleep(300000);
	_exit(9);
}

int main(int argc, char **argv)
{
	const struct tb_descriptor *d;
	struct tb_slice (*manifest)(void);
	static struct host h, second;
	init_fn *init;
	char *config;
	void *lib;
	json_t *reply;

	if (argc < 5)
		return 2;
	lib = dlopen(argv[1], RTLD_NOW | RTLD_LOCAL);
	ok(lib, "loads: %s", lib ? "yes" : dlerror());
	if (!lib)
		return 1;
	d = dlsym(lib, "TINYBUS_MODULE_ABI_V1");
	*(void **)&manifest = dlsym(lib, "tinybus_module_manifest_v1");
	*(void **)&init = dlsym(lib, "tinybus_module_init_v1");
	ok(d && manifest && init, "three names");
	ok(!dlsym(lib, "tbx_open") && !dlsym(lib, "mod_deliver"), "and no others");
	check_descriptor(d);
	check_manifest(manifest());
	check_init(init);
	config = config_of(argv[2], argv[3]);
	new_host(&h, config);
	ok(init(&h.table, &h.module) == TB_OK && h.module.size >= 32 && h.module.deliver && h.module.shutdown, "init");
	wait_ready(&h);
	if (getenv("HOST_DIES"))
		return die(&h, argv + 4);
	new_host(&second, config);
	ok(init(&second.table, &second.module) == TB_OK && second.module.ctx != h.module.ctx, "a second instance beside it");
	wait_ready(&second);
	plain_calls(&h);
	objects(&h);
	bad_creates(&h);
	for (int i = 4; i < argc; i++)
		drive(&h, argv[i]);
	for (int i = 4; i < argc; i++) {
		race(&h, argv[i]);
		crowd(&h, argv[i]);
	}
	hostile(&h);
	backpressure(&h);
	end_busy(&h, argv + 4);
	reservations(&second);
	reply = call(&second, "Shutdown", json_array());
	ok(is_return(reply), "Shutdown, the call");
	json_decref(reply);
	refuses(&second, "Describe", json_array(), "Failed", "what was shut down");
	ok(second.module.shutdown(second.module.ctx, 10000) == TB_OK, "shutdown of the second");
	ok(!h.faults && !second.faults, "no faults");
	free(config);
	end_host(&h);
	end_host(&second);
	printf("1..%d\n", count);
	return failed != 0;
}
