/*
 * The library's three names, and the life of an instance: made by init, ended by shutdown. What
 * deliver() may still be called with stays for ever: a module is never unloaded.
 */
#include "module/module.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define EXPORT __attribute__((visibility("default")))
#define STACK (512u << 10)
#define DEADLINE_MOST 600000u	/* ms */

#if defined(__x86_64__)
#define TARGET "x86_64-unknown-linux-gnu"
#elif defined(__aarch64__)
#define TARGET "aarch64-unknown-linux-gnu"
#else
#define TARGET "unknown-unknown-linux-gnu"
#endif

/* Two levels: the number of the bus's series comes from the build. */
EXPORT extern const struct tb_descriptor TINYBUS_MODULE_ABI_V1;
const struct tb_descriptor TINYBUS_MODULE_ABI_V1 = {
	.magic = TB_MAGIC, .revision = 1, .size = sizeof(struct tb_descriptor),
	.flags = TB_FLAG_UNWIND | TB_FLAG_LITTLE, .pointer_bits = 8 * sizeof(void *),
	.major = MODULE_BUS_MAJOR, .minor = MODULE_BUS_MINOR, .patch = MODULE_BUS_PATCH, .features = 0,
	.target = TARGET, .compiler = "C", .name = "tinybox", .version = MODULE_VERSION
};

static const char manifest[] =
	"{\"tinybus_manifest\":1,\"module\":{\"name\":\"tinybox\",\"version\":\"" MODULE_VERSION "\","
	"\"description\":\"isolated places where programs run\",\"license\":\"MIT OR Apache-2.0\"},"
	"\"bus_name\":\"" MOD_INTERFACE "\",\"object_path\":\"" MOD_PATH "\","
	"\"provides\":[{\"interface\":\"" MOD_INTERFACE "\",\"major\":1,\"minor\":6,\"methods\":["
	"\"Describe\",\"Capabilities\",\"Reserve\",\"Create\",\"Exec\",\"Inspect\",\"Close\",\"Spawn\","
	"\"IsRunning\",\"Cancel\",\"Forward\",\"CloseForward\",\"JailStatus\",\"AnalyzeShell\","
	"\"AnalyzeCommand\",\"BeginFileRead\",\"ReadFileChunk\",\"FinishFileRead\",\"BeginFileWrite\","
	"\"WriteFileChunk\",\"FinishFileWrite\",\"AbortFileWrite\",\"StartExec\",\"ReadOutput\","
	"\"ReleaseOutput\",\"Shutdown\"],\"signals\":[]}],"
	"\"requires\":[],\"environment\":[],\"capabilities\":[],\"lazy_init\":false,\"worker_threads\":2,"
	"\"on_panic\":\"reply\"}";

EXPORT struct tb_slice tinybus_module_manifest_v1(void);
struct tb_slice tinybus_module_manifest_v1(void)
{
	return (struct tb_slice){(const uint8_t *)manifest, sizeof(manifest) - 1};
}

uint64_t mod_now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

void mod_wait(struct mod *m, pthread_cond_t *cond, uint64_t until)
{
	struct timespec t = {(time_t)(until / 1000000000), (long)(until % 1000000000)};

	pthread_cond_timedwait(cond, &m->lock, &t);
}

/* ---- Configuration ---- */

static bool take_text(const json_t *config, const char *name, char **to)
{
	const json_t *value = json_object_get(config, name);

	if (!value)
		return true;
	*to = json_is_string(value) ? strdup(json_string_value(value)) : NULL;
	return *to && **to == '/';
}

/* Boxes of the module are not the command's: a directory beside its own. */
static char *default_dir(void)
{
	const char *base = getenv("XDG_STATE_HOME"), *home = getenv("HOME");
	char *path = NULL;

	if (base && *base == '/') {
		if (asprintf(&path, "%s/tinybox-module", base) < 0)
			return NULL;
	} else if (home && *home == '/') {
		if (asprintf(&path, "%s/.local/state/tinybox-module", home) < 0)
			return NULL;
	}
	return path;
}

static const char *read_config(struct mod *m, const struct tb_slice *given)
{
	static const char *const known[] = { "state_dir", "helper_dir", NULL };
	const char *why = NULL, *name;
	json_t *config, *value;

	if (given->len > TB_CONFIG_MAX || (given->len && !given->ptr))
		return "the configuration is too large";
	config = given->len ? json_loadb((const char *)given->ptr, given->len, 0, NULL) : json_object();
	if (!json_is_object(config))
		why = "the configuration is not an object of JSON";
	json_object_foreach(config, name, value) {
		size_t i = 0;

		while (known[i] && strcmp(known[i], name))
			i++;
		if (!known[i])
			why = "the configuration has a member that is not known: there are state_dir and helper_dir";
	}
	if (!why && (!take_text(config, "state_dir", &m->state_dir) ||
		     !take_text(config, "helper_dir", &m->helper_dir)))
		why = "state_dir and helper_dir are absolute paths";
	json_decref(config);
	if (!why && !m->state_dir && !(m->state_dir = default_dir()))
		why = "there is no place for the state: configure state_dir, or set HOME";
	return why;
}

/* ---- Stores ---- */

int mod_open_store(struct mod *m, struct tbx_store **out)
{
	struct tbx_options opt = TBX_OPTIONS_INIT;

	opt.state_dir = m->state_dir;
	opt.helper_dir = m->helper_dir;
	return tbx_open(out, &opt);
}

struct tbx_store *mod_store(struct mod_call *c)
{
	struct tbx_store *store;

	if (!mod_open_store(c->m, &store))
		return store;
	mod_failed(c, "Backend", store);
	tbx_close(store);
	return NULL;
}

/* ---- Making one ---- */

static bool make_instance_id(struct mod *m)
{
	uint8_t noise[16];

	if (getrandom(noise, sizeof(noise), 0) != sizeof(noise))
		return false;
	for (size_t i = 0; i < sizeof(noise); i++)
		snprintf(m->instance + 2 * i, 3, "%02x", noise[i]);
	return true;
}

static void free_instance(struct mod *m)
{
	free(m->state_dir);
	free(m->helper_dir);
	pthread_mutex_destroy(&m->lock);
	pthread_cond_destroy(&m->inward);
	pthread_cond_destroy(&m->outward);
	pthread_cond_destroy(&m->changed);
	free(m);
}

static struct mod *new_instance(const struct tb_host *host)
{
	struct mod *m = calloc(1, sizeof(*m));
	pthread_condattr_t attr;

	if (!m)
		return NULL;
	memcpy(&m->host, host, sizeof(m->host));
	m->in.last = &m->in.first;
	m->out.last = &m->out.first;
	m->hello = 1;		/* the serial that Hello will have */
	pthread_mutex_init(&m->lock, NULL);
	pthread_condattr_init(&attr);
	pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
	pthread_cond_init(&m->inward, &attr);
	pthread_cond_init(&m->outward, &attr);
	pthread_cond_init(&m->changed, &attr);
	pthread_condattr_destroy(&attr);
	return m;
}

static bool start_thread(void *(*run)(void *), void *arg)
{
	pthread_attr_t attr;
	pthread_t thread;
	bool good;

	pthread_attr_init(&attr);
	pthread_attr_setdetachstate(&attr, PTHREAD_CREATE_DETACHED);
	pthread_attr_setstacksize(&attr, STACK);
	good = !pthread_create(&thread, &attr, run, arg);
	pthread_attr_destroy(&attr);
	return good;
}

struct task {
	struct mod_call call;
	mod_fn *fn;
};

static void *run_task(void *arg)
{
	struct task *t = arg;
	struct mod *m = t->call.m;

	t->fn(&t->call);
	free(t);
	pthread_mutex_lock(&m->lock);
	m->tasks--;
	pthread_cond_broadcast(&m->changed);
	pthread_mutex_unlock(&m->lock);
	return NULL;
}

bool mod_task(struct mod_call *c, mod_fn *fn)
{
	struct mod *m = c->m;
	struct task *t = malloc(sizeof(*t));
	bool good;

	if (!t)
		return false;
	*t = (struct task){*c, fn};
	pthread_mutex_lock(&m->lock);
	good = m->tasks < MOD_TASKS;
	m->tasks += good;
	pthread_mutex_unlock(&m->lock);
	if (good && !start_thread(run_task, t)) {
		good = false;
		pthread_mutex_lock(&m->lock);
		m->tasks--;
		pthread_mutex_unlock(&m->lock);
	}
	if (!good)
		free(t);
	return good;
}

/* What an instance left that died: boxes whose owner's lock can be had. */
static void reap(struct mod_call *c)
{
	struct tbx_store *store;
	struct tbx_doc *doc = NULL;

	if (mod_open_store(c->m, &store) || tbx_reap(store, false, &doc))
		mod_log(c->m, TB_WARN, "%s", tbx_error(store));
	tbx_doc_free(doc);
	tbx_close(store);
	mod_sweep_files(c->m);
}

static void fault(const struct tb_host *host, const char *why)
{
	if (host->fault)
		host->fault(host->ctx, (const uint8_t *)why, strlen(why));
}

static int32_t mod_shutdown(void *ctx, uint64_t deadline_ms);

EXPORT int32_t tinybus_module_init_v1(const struct tb_host *host, struct tb_module *module);
int32_t tinybus_module_init_v1(const struct tb_host *host, struct tb_module *module)
{
	struct mod_call call = {0};
	const char *why;
	struct mod *m;

	if (!host || !module || host->size < sizeof(*host) || module->size < sizeof(*module) ||
	    !host->send)
		return TB_BAD_ARGUMENT;
	m = new_instance(host);
	why = !m || !make_instance_id(m) ? "no memory" : read_config(m, &host->config);
	if (!why && (!start_thread(mod_sender, m)))
		why = "a thread cannot be started";
	else if (!why)
		m->threads = 1;
	if (!why && !start_thread(mod_dispatch, m))
		why = "a thread cannot be started";
	else if (!why)
		m->threads = 2;
	if (why) {
		fault(host, why);
		/* a sender that runs keeps it */
		if (m && !m->threads)
			free_instance(m);
		return TB_BAD_ARGUMENT;
	}
	memset(&m->host.config, 0, sizeof(m->host.config));
	*module = (struct tb_module){.size = sizeof(*module), .ctx = m, .deliver = mod_deliver,
		.shutdown = mod_shutdown};
	call.m = m;
	mod_task(&call, reap);
	mod_say_hello(m);
	return TB_OK;
}

/* ---- The end ---- */

static bool is_over(struct mod *m)
{
	return !m->tasks && !m->resources && !m->out.count;
}

static int32_t mod_shutdown(void *ctx, uint64_t deadline_ms)
{
	struct mod *m = ctx;
	uint64_t until = mod_now() +
		(deadline_ms < DEADLINE_MOST ? deadline_ms : DEADLINE_MOST) * UINT64_C(1000000);
	bool over;

	if (!m)
		return TB_BAD_ARGUMENT;
	pthread_mutex_lock(&m->lock);
	m->stopping = m->closed = true;
	pthread_cond_broadcast(&m->inward);
	pthread_mutex_unlock(&m->lock);
	mod_close_all(m);
	pthread_mutex_lock(&m->lock);
	while (!(over = is_over(m)) && mod_now() < until)
		mod_wait(m, &m->changed, until);
	m->ended = true;
	pthread_cond_broadcast(&m->inward);
	pthread_cond_broadcast(&m->outward);
	while (m->threads && mod_now() < until)
		mod_wait(m, &m->changed, until);
	over = over && !m->threads;
	pthread_mutex_unlock(&m->lock);
	return over ? TB_OK : TB_TIMEOUT;
}
