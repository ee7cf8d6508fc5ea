/*
 * Commands: Exec (to its end, output with the answer), StartExec (output in chunks that can be read
 * again until they are released), Spawn (left alone). Each is a task that reads a stream of
 * tinybox; a cancel wakes it by a descriptor, and closing the stream kills the whole tree.
 */
#include "module/module.h"

#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define LISTEN_MS 5000
#define BATCH ((size_t)256 << 10)	/* of bytes in an answer of ReadOutput */
#define ARGS_MOST 4096u

/* What is to run, as it was said. */
struct order {
	struct tbx_exec e;
	const char *process;	/* the id; NULL: an Exec's */
	const char *resource;
	const char **argv;
	char **env;
	uint8_t *in;
	size_t in_n;
};

static bool read_argv(struct mod_call *c, json_t *arg, struct order *o)
{
	size_t n = json_array_size(arg);

	if (!n || n > ARGS_MOST)
		return mod_bad(c, "argv", "an array of texts is needed, with the command first");
	o->argv = calloc(n + 1, sizeof(*o->argv));
	for (size_t i = 0; o->argv && i < n; i++) {
		json_t *word = json_array_get(arg, i);

		o->argv[i] = json_string_value(word);
		if (!o->argv[i] || strlen(o->argv[i]) != json_string_length(word) || (!i && !*o->argv[i]))
			return mod_bad(c, "argv", "an array of texts is needed, with the command first");
	}
	o->e.argv = o->argv;
	return o->argv || mod_bad(c, "argv", "no memory");
}

static void free_order(struct order *o)
{
	mod_env_free(o->env);
	free(o->argv);
	free(o->in);
}

/* argv, cwd, env, stdin of the object that has them. */
static bool read_command(struct mod_call *c, json_t *arg, struct order *o, bool input)
{
	json_t *cwd = json_object_get(arg, "cwd"), *in = json_object_get(arg, "stdin");

	if (!json_is_object(arg))
		return mod_bad(c, "command", "an object is needed");
	if (!read_argv(c, json_object_get(arg, "argv"), o) || !mod_env(c, json_object_get(arg, "env"), &o->env))
		return false;
	o->e.env = (const char *const *)o->env;
	if (cwd && !json_is_null(cwd) && !mod_text(c, cwd, "cwd", MOD_PATH_MAX, &o->e.cwd))
		return false;
	if (!input && in && !json_is_null(in))
		return mod_bad(c, "stdin", "nobody stays to write it: use StartExec or Exec");
	if (!mod_bytes(c, in, "stdin", TB_FRAME_MAX, &o->in, &o->in_n))
		return false;
	o->e.input = o->in ? TBX_STDIN_STREAM : TBX_STDIN_NONE;
	return true;
}

/* {resource, argv ...}, or {process, command {argv ...}}. */
static bool read_order(struct mod_call *c, struct order *o, bool process, bool input)
{
	json_t *arg = json_array_get(c->args, 0);

	*o = (struct order){.e = TBX_EXEC_INIT};
	if (!json_is_object(arg))
		return mod_bad(c, "argument", "an object is needed");
	if (!process)
		return mod_text(c, json_object_get(arg, "resource"), "resource", MOD_ID - 1, &o->resource) &&
		       read_command(c, arg, o, input);
	return mod_text(c, json_object_get(arg, "process"), "process", MOD_ID - 1, &o->process) &&
	       read_command(c, json_object_get(arg, "command"), o, input);
}

/* ---- Its place in the table ---- */

static size_t count(const struct mod_resource *r, bool live)
{
	size_t n = 0;

	for (const struct mod_process *p = r->processes; p; p = p->next)
		n += !live || p->busy;
	return n;
}

static size_t count_live(const struct mod *m)
{
	size_t n = 0;

	for (const struct mod_resource *r = m->resources; r; r = r->next)
		n += count(r, true);
	return n;
}

/* Under the lock: why there is no room; NULL: there is. */
static const char *no_room(const struct mod *m, const struct mod_resource *r, bool live)
{
	if (count(r, false) >= MOD_PROCESSES)
		return "the resource has 64 processes: release one";
	if (live && count_live(m) >= MOD_STREAMS)
		return "32 commands run whose output is read: no more at a time";
	return NULL;
}

/* NULL after an error; the resource has one user more. */
static struct mod_process *claim(struct mod_call *c, const struct order *o, bool live)
{
	struct mod *m = c->m;
	struct mod_reserved *id = NULL;
	struct mod_resource *r = NULL;
	struct mod_process *p = NULL;
	const char *why = NULL;
	bool answered = false;

	pthread_mutex_lock(&m->lock);
	if (o->process)
		id = mod_take(c, MOD_PROCESS, o->process);
	if (id || !o->process)
		r = mod_use(c, id ? id->of : o->resource);
	answered = !r;
	why = r ? no_room(m, r, live) : NULL;
	if (r && !why)
		p = mod_process_new(r, id ? id->id : "");
	if (p)
		p->busy = live;
	else if (r)
		r->users--;
	pthread_mutex_unlock(&m->lock);
	free(id);
	if (!p && !answered)
		mod_error(c, MOD_ERROR "ResourceLimit", "%s", why ? why : "no more descriptors or memory");
	return p;
}

/* Off the table, with its resource's user. */
static void drop(struct mod *m, struct mod_process *p)
{
	struct mod_resource *r = p->of;

	pthread_mutex_lock(&m->lock);
	mod_process_free(p);
	r->users--;
	pthread_cond_broadcast(&m->changed);
	pthread_mutex_unlock(&m->lock);
}

/* ---- A stream, to its end ---- */

enum how { RAN, CANCELLED, TOO_MUCH, FAILED };

struct reading {
	struct mod *m;
	struct mod_process *p;
	struct tbx_stream *s;
	/* takes output; false: too much */
	bool (*put)(struct reading *r, int fd, const void *data, size_t n);
	struct mod_out out[2];		/* an Exec's, as bytes */
	int code;
};

static bool is_cancelled(struct reading *r)
{
	bool cancel;

	pthread_mutex_lock(&r->m->lock);
	cancel = r->p->cancel;
	pthread_mutex_unlock(&r->m->lock);
	return cancel;
}

static enum how pump(struct reading *r)
{
	enum tbx_event event = TBX_EVENT_NONE;
	const void *data;
	size_t n;

	for (;;) {
		if (is_cancelled(r))
			return CANCELLED;
		if (tbx_stream_next(r->s, &event, &data, &n))
			return FAILED;
		if (event == TBX_EVENT_END)
			break;
		if ((event == TBX_EVENT_OUT || event == TBX_EVENT_ERR) &&
		    !r->put(r, event == TBX_EVENT_OUT ? 1 : 2, data, n))
			return TOO_MUCH;
		if (event == TBX_EVENT_NONE) {
			struct pollfd p[2] = {{tbx_stream_fd(r->s), tbx_stream_poll(r->s), 0},
				{r->p->wake, POLLIN, 0}};

			poll(p, 2, LISTEN_MS);
		}
	}
	r->code = (int)tbx_doc_number(tbx_stream_end(r->s), "status", 70);
	return RAN;
}

/* The whole of it: standard input is sent, then what comes is read. */
static enum how converse(struct reading *r, struct tbx_store *store, const struct order *o)
{
	enum how how = FAILED;

	if (tbx_stream_open(store, r->p->of->box, &o->e, &r->s))
		return FAILED;
	if (!o->in || (!tbx_stream_write(r->s, o->in, o->in_n) && !tbx_stream_close_input(r->s)))
		how = pump(r);
	tbx_stream_close(r->s);
	return how;
}

/* ---- Exec ---- */

static bool keep(struct reading *r, int fd, const void *data, size_t n)
{
	struct mod_out *o = &r->out[fd == 2];

	if (r->out[0].n + r->out[1].n + n > MOD_OUTPUT)
		return false;
	mod_add(o, data, n);
	return !o->failed;
}

static void answer_exec(struct mod_call *c, struct reading *r)
{
	struct mod_out o = {0};

	mod_addf(&o, "{\"exit_code\":%d,\"stdout\":", r->code);
	mod_add_bytes(&o, (const uint8_t *)r->out[0].p, r->out[0].n);
	mod_addf(&o, ",\"stderr\":");
	mod_add_bytes(&o, (const uint8_t *)r->out[1].p, r->out[1].n);
	mod_addf(&o, "}");
	mod_finish(c, &o);
}

void mod_exec(struct mod_call *c)
{
	struct reading r = {.m = c->m, .put = keep};
	struct tbx_store *store = NULL;
	struct order o;
	enum how how;

	if (!read_order(c, &o, false, true) || !(r.p = claim(c, &o, true))) {
		free_order(&o);
		return;
	}
	how = mod_open_store(c->m, &store) ? FAILED : converse(&r, store, &o);
	drop(c->m, r.p);
	if (how == RAN)
		answer_exec(c, &r);
	else if (how == CANCELLED)
		mod_error(c, MOD_ERROR "ExecCancelled", "the command was ended");
	else if (how == TOO_MUCH)
		mod_error(c, MOD_ERROR "OutputLimit", "the command wrote more than %d bytes, and was ended",
			  MOD_OUTPUT);
	else
		mod_failed(c, "Backend", store);
	tbx_close(store);
	free(r.out[0].p);
	free(r.out[1].p);
	free_order(&o);
}

/* ---- StartExec, ReadOutput, ReleaseOutput ---- */

static bool chunk(struct reading *r, int fd, const void *data, size_t n)
{
	struct mod_process *p = r->p;
	const uint8_t *at = data;
	bool good = true;

	while (good && n) {
		size_t part = n < MOD_CHUNK ? n : MOD_CHUNK;
		struct mod_chunk *k = malloc(sizeof(*k) + part);

		if (!k)
			return false;
		*k = (struct mod_chunk){.fd = fd, .n = part};
		memcpy(k->bytes, at, part);
		at += part;
		n -= part;
		pthread_mutex_lock(&r->m->lock);
		good = p->bytes + part <= MOD_OUTPUT;
		if (good) {
			k->sequence = p->sequence++;
			p->bytes += part;
			*p->last = k;
			p->last = &k->next;
		}
		pthread_mutex_unlock(&r->m->lock);
		if (!good)
			free(k);
	}
	return good;
}

static void note_end(struct mod *m, struct mod_process *p, enum how how, int code, bool started)
{
	struct mod_resource *r = p->of;

	pthread_mutex_lock(&m->lock);
	p->busy = false;
	p->code = code;
	p->state = how == RAN ? MOD_EXITED : how == CANCELLED ? MOD_CANCELLED : MOD_RUN_FAILED;
	p->why = how == TOO_MUCH ? "output_limit" : started ? "backend_failed" : "start_failed";
	r->users--;
	pthread_cond_broadcast(&m->changed);
	pthread_mutex_unlock(&m->lock);
}

static json_t *process_body(const char *resource, const char *process)
{
	return json_pack("{s:s, s:s}", "resource", resource, "process", process);
}

/* The answer comes when it is known that the command began; its output is read behind it. */
void mod_start_exec(struct mod_call *c)
{
	struct reading r = {.m = c->m, .put = chunk};
	struct tbx_store *store = NULL;
	struct mod *m = c->m;
	struct order o;
	enum how how = FAILED;
	json_t *body;

	if (!read_order(c, &o, true, true) || !(r.p = claim(c, &o, true))) {
		free_order(&o);
		return;
	}
	if (mod_open_store(m, &store) || tbx_stream_open(store, r.p->of->box, &o.e, &r.s)) {
		drop(m, r.p);
		mod_failed(c, "Backend", store);
		tbx_close(store);
		free_order(&o);
		return;
	}
	body = process_body(r.p->of->id, r.p->id);
	/* what was said is needed no more when the request is sent, but c's memory goes with the answer */
	if (!o.in || (!tbx_stream_write(r.s, o.in, o.in_n) && !tbx_stream_close_input(r.s))) {
		free_order(&o);
		mod_return(c, body);
		how = pump(&r);
	} else {
		free_order(&o);
		mod_return(c, body);
	}
	/* before END it is killed, with all that it started */
	tbx_stream_close(r.s);
	note_end(m, r.p, how, r.code, tbx_error_status(store) == 0);
	tbx_close(store);
}

static void add_chunks(struct mod_out *o, const struct mod_process *p, uint64_t cursor, uint64_t *next)
{
	const char *comma = "";
	size_t n = 0;

	*next = cursor;
	for (const struct mod_chunk *k = p->first; k && n < BATCH; k = k->next) {
		if (k->sequence < cursor)
			continue;
		mod_addf(o, "%s{\"sequence\":%llu,\"stream\":\"%s\",\"bytes\":", comma,
			 (unsigned long long)k->sequence, k->fd == 2 ? "stderr" : "stdout");
		mod_add_bytes(o, k->bytes, k->n);
		mod_addf(o, "}");
		*next = k->sequence + 1;
		n += k->n;
		comma = ",";
	}
}

static void add_state(struct mod_out *o, const struct mod_process *p)
{
	if (p->state == MOD_EXITED)
		mod_addf(o, "{\"Exited\":{\"code\":%d}}", p->code);
	else if (p->state == MOD_RUN_FAILED)
		mod_addf(o, "{\"Failed\":\"%s\"}", p->why);
	else
		mod_addf(o, p->state == MOD_CANCELLED ? "\"Cancelled\"" : "\"Running\"");
}

void mod_read_output(struct mod_call *c)
{
	struct mod *m = c->m;
	struct mod_out o = {0};
	struct mod_process *p;
	uint64_t cursor, next;
	const char *id;

	if (!mod_text(c, json_array_get(c->args, 0), "process", MOD_ID - 1, &id) ||
	    !mod_number(c, json_array_get(c->args, 1), "cursor", INT64_MAX, &cursor))
		return;
	pthread_mutex_lock(&m->lock);
	p = mod_process_find(m, id);
	if (p && !p->spawned) {
		mod_addf(&o, "{\"chunks\":[");
		add_chunks(&o, p, cursor ? cursor : 1, &next);
		mod_addf(&o, "],\"next_sequence\":%llu,\"state\":", (unsigned long long)next);
		add_state(&o, p);
		mod_addf(&o, "}");
	}
	pthread_mutex_unlock(&m->lock);
	if (!o.n)
		mod_error(c, MOD_ERROR "UnknownProcess", p ? "nobody reads what it writes" :
			  "there is no such process");
	else
		mod_finish(c, &o);
}

void mod_release_output(struct mod_call *c)
{
	struct mod *m = c->m;
	struct mod_process *p;
	const char *id;
	bool busy = false;

	if (!mod_text(c, json_array_get(c->args, 0), "process", MOD_ID - 1, &id))
		return;
	pthread_mutex_lock(&m->lock);
	p = mod_process_find(m, id);
	busy = p && p->busy;
	if (p && !busy)
		mod_process_free(p);
	pthread_mutex_unlock(&m->lock);
	if (!p)
		mod_error(c, MOD_ERROR "UnknownProcess", "there is no such process");
	else if (busy)
		mod_error(c, MOD_ERROR "UnsupportedOperation", "it runs: Cancel it first");
	else
		mod_return(c, NULL);
}

/* ---- Spawn, IsRunning, Cancel ---- */

void mod_spawn(struct mod_call *c)
{
	struct tbx_store *store = NULL;
	struct tbx_doc *doc = NULL;
	struct mod *m = c->m;
	struct mod_process *p;
	struct order o;
	json_t *body;

	if (!read_order(c, &o, true, false) || !(p = claim(c, &o, false))) {
		free_order(&o);
		return;
	}
	if (mod_open_store(m, &store) || tbx_spawn(store, p->of->box, &o.e, &doc)) {
		drop(m, p);
		mod_failed(c, "Backend", store);
	} else {
		struct mod_resource *r = p->of;

		body = process_body(r->id, p->id);
		pthread_mutex_lock(&m->lock);
		p->spawned = true;
		snprintf(p->proc, sizeof(p->proc), "%s", tbx_doc_text(doc, "proc"));
		r->users--;
		pthread_cond_broadcast(&m->changed);
		pthread_mutex_unlock(&m->lock);
		mod_return(c, body);
	}
	tbx_doc_free(doc);
	tbx_close(store);
	free_order(&o);
}

/* What is to be asked of the box about a process that was spawned; a user of its resource. */
struct asked {
	struct mod_resource *r;
	char proc[65];
	enum mod_run state;
	bool spawned;
};

/* False after an error. Of one that was not spawned there is the state, and no user. */
static bool find_process(struct mod_call *c, bool cancel, struct asked *a)
{
	struct mod *m = c->m;
	struct mod_process *p;
	const char *id;
	bool found;

	*a = (struct asked){0};
	if (!mod_text(c, json_array_get(c->args, 0), "process", MOD_ID - 1, &id))
		return false;
	pthread_mutex_lock(&m->lock);
	p = mod_process_find(m, id);
	found = p;
	if (p) {
		a->spawned = p->spawned;
		a->state = p->state;
		memcpy(a->proc, p->proc, sizeof(a->proc));
		if (p->spawned && (a->r = mod_use(c, p->of->id)) == NULL) {
			pthread_mutex_unlock(&m->lock);
			return false;
		}
		if (cancel && !p->spawned)
			mod_cancel(p);
	}
	pthread_mutex_unlock(&m->lock);
	if (!found)
		mod_error(c, MOD_ERROR "UnknownProcess", "there is no such process");
	return found;
}

static bool runs(const struct tbx_doc *doc, const char *proc)
{
	char path[64];

	for (size_t i = 0; i < tbx_doc_count(doc, "processes"); i++) {
		const char *name, *state;

		snprintf(path, sizeof(path), "processes[%zu].proc", i);
		name = tbx_doc_text(doc, path);
		snprintf(path, sizeof(path), "processes[%zu].state", i);
		state = tbx_doc_text(doc, path);
		if (name && state && !strcmp(name, proc))
			return !strcmp(state, "running");
	}
	return false;
}

void mod_is_running(struct mod_call *c)
{
	struct tbx_store *store;
	struct tbx_doc *doc = NULL;
	struct asked a;

	if (!find_process(c, false, &a))
		return;
	if (!a.spawned) {
		mod_return(c, json_boolean(a.state == MOD_RUNNING));
		return;
	}
	store = mod_store(c);
	if (store && tbx_ps(store, a.r->box, &doc))
		mod_failed(c, "Backend", store);
	else if (store)
		mod_return(c, json_boolean(runs(doc, a.proc)));
	tbx_doc_free(doc);
	tbx_close(store);
	mod_unuse(c->m, a.r);
}

void mod_cancel_process(struct mod_call *c)
{
	struct mod *m = c->m;
	struct tbx_store *store;
	struct asked a;
	bool gone = false;

	if (!find_process(c, true, &a))
		return;
	if (!a.spawned) {
		mod_return(c, NULL);
		return;
	}
	store = mod_store(c);
	if (store && tbx_kill(store, a.r->box, a.proc, SIGKILL, true, &gone))
		mod_failed(c, "Backend", store);
	else if (store)
		mod_return(c, NULL);
	tbx_close(store);
	mod_unuse(m, a.r);
}
