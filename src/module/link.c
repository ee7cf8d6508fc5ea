/*
 * Messages: in through a bounded queue, out through another. A frame is hostile until it has been
 * looked at: its size, how much it would become as JSON, what its header says.
 */
#include "module/module.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define IN_BYTES ((size_t)64 << 20)	/* that wait, unless a single frame is larger */
#define OUT_BYTES ((size_t)64 << 20)	/* above, nothing more is taken in */
#define OUT_COUNT 1024u
#define VALUES_MOST ((size_t)2 << 20)	/* of a message: each costs some forty bytes */
#define TICK UINT64_C(1000000000)
#define SEND_AGAIN UINT64_C(1000000)	/* ns; doubled up to 128 times that */

/* ---- Queues; under the lock ---- */

static void push(struct mod_queue *q, struct mod_frame *f)
{
	f->next = NULL;
	*q->last = f;
	q->last = &f->next;
	q->count++;
	q->bytes += f->n;
}

static struct mod_frame *pop(struct mod_queue *q)
{
	struct mod_frame *f = q->first;

	if (!f)
		return NULL;
	q->first = f->next;
	if (!q->first)
		q->last = &q->first;
	q->count--;
	q->bytes -= f->n;
	return f;
}

int32_t mod_deliver(void *ctx, const uint8_t *ptr, size_t len)
{
	struct mod *m = ctx;
	struct mod_frame *f;
	int32_t code = TB_OK;

	if (!m || !ptr || !len || len > TB_FRAME_MAX)
		return TB_BAD_ARGUMENT;
	f = malloc(sizeof(*f) + len);
	pthread_mutex_lock(&m->lock);
	if (m->closed) {
		code = TB_CLOSED;
	} else if (!f || m->in.count >= MOD_INBOX || (m->in.count && m->in.bytes + len > IN_BYTES)) {
		m->starved = true;
		code = TB_BACKPRESSURE;
	} else {
		f->n = len;
		memcpy(f->data, ptr, len);
		push(&m->in, f);
		pthread_cond_signal(&m->inward);
	}
	pthread_mutex_unlock(&m->lock);
	if (code)
		free(f);
	return code;
}

void mod_log(struct mod *m, enum tb_level level, const char *fmt, ...)
{
	char text[512];
	va_list ap;
	int n;

	if (!m->host.log)
		return;
	va_start(ap, fmt);
	n = vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	if (n > 0)
		m->host.log(m->host.ctx, level, (const uint8_t *)text,
			    (size_t)n < sizeof(text) ? (size_t)n : sizeof(text) - 1);
}

/* ---- Out ---- */

static void post(struct mod *m, struct mod_frame *f)
{
	pthread_mutex_lock(&m->lock);
	if (m->ended) {
		free(f);
	} else {
		push(&m->out, f);
		pthread_cond_signal(&m->outward);
	}
	pthread_mutex_unlock(&m->lock);
}

/* {"header":H,"body":B}; body n 0: none. NULL: no memory, or too long. */
static struct mod_frame *frame_of(json_t *header, const char *body, size_t n)
{
	char *head = header ? json_dumps(header, JSON_COMPACT) : NULL;
	size_t room = (head ? strlen(head) : 0) + n + 32;
	struct mod_frame *f = head && room <= TB_FRAME_MAX ? malloc(sizeof(*f) + room) : NULL;

	if (f) {
		f->n = (size_t)snprintf(f->data, room, "{\"header\":%s%s", head, n ? ",\"body\":" : "");
		memcpy(f->data + f->n, body ? body : "", n);
		f->n += n;
		f->data[f->n++] = '}';
	}
	free(head);
	json_decref(header);
	return f;
}

static uint64_t next_serial(struct mod *m)
{
	uint64_t serial;

	pthread_mutex_lock(&m->lock);
	serial = ++m->serial;
	pthread_mutex_unlock(&m->lock);
	return serial;
}

static json_t *answer_header(const struct mod_call *c, const char *kind)
{
	json_t *h = json_pack("{s:s, s:I, s:I}", "kind", kind, "serial", (json_int_t)next_serial(c->m),
			      "reply_serial", (json_int_t)c->serial);

	if (h && c->sender)
		json_object_set_new(h, "destination", json_string(c->sender));
	return h;
}

static void end_call(struct mod_call *c)
{
	free(c->sender);
	json_decref(c->args);
	c->sender = NULL;
	c->args = NULL;
}

void mod_error(struct mod_call *c, const char *name, const char *fmt, ...)
{
	struct mod_frame *f = NULL;
	char text[1024], *body;
	json_t *h, *sentence;
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	for (char *p = text; *p; p++)
		if ((unsigned char)*p < ' ' || (unsigned char)*p > '~')
			*p = '?';
	h = c->serial ? answer_header(c, "error") : NULL;
	sentence = json_string(text);
	body = sentence ? json_dumps(sentence, JSON_COMPACT | JSON_ENCODE_ANY) : NULL;
	if (h && body) {
		json_object_set_new(h, "error_name", json_string(name));
		f = frame_of(h, body, strlen(body));
	} else {
		json_decref(h);
	}
	if (f)
		post(c->m, f);
	json_decref(sentence);
	free(body);
	end_call(c);
}

void mod_failed(struct mod_call *c, const char *name, const struct tbx_store *store)
{
	char whole[sizeof(MOD_ERROR) + 64];

	snprintf(whole, sizeof(whole), MOD_ERROR "%s", name);
	mod_error(c, whole, "%s", tbx_error(store));
}

/* The call is ended by the caller. */
static bool give(struct mod_call *c, const char *body, size_t n)
{
	struct mod_frame *f = c->serial ? frame_of(answer_header(c, "method_return"), body, n) : NULL;

	if (f)
		post(c->m, f);
	return f || !c->serial;
}

void mod_return_text(struct mod_call *c, char *json, size_t n)
{
	if (!json)
		mod_error(c, MOD_BUS_ERROR "Failed", "no memory");
	else if (!give(c, json, n))
		mod_error(c, MOD_ERROR "OutputLimit", "the answer is longer than a message can be");
	else
		end_call(c);
	free(json);
}

void mod_return(struct mod_call *c, json_t *body)
{
	char *text = body ? json_dumps(body, JSON_COMPACT | JSON_ENCODE_ANY) : NULL;

	if (body && !json_is_null(body)) {
		mod_return_text(c, text, text ? strlen(text) : 0);
	} else {
		if (!give(c, NULL, 0))
			mod_log(c->m, TB_ERROR, "no memory for an answer");
		free(text);
		end_call(c);
	}
	json_decref(body);
}

static void nap(uint64_t ns)
{
	struct timespec t = {(time_t)(ns / 1000000000), (long)(ns % 1000000000)};

	nanosleep(&t, NULL);
}

/* The host says only that it is full: it is asked again. False: nobody is there any more. */
static bool send_one(struct mod *m, const struct mod_frame *f)
{
	uint64_t pause = SEND_AGAIN;
	int32_t code;
	bool ended;

	while ((code = m->host.send(m->host.ctx, (const uint8_t *)f->data, f->n)) == TB_BACKPRESSURE) {
		pthread_mutex_lock(&m->lock);
		ended = m->ended;
		pthread_mutex_unlock(&m->lock);
		if (ended)
			return false;
		nap(pause);
		pause = pause < 128 * SEND_AGAIN ? 2 * pause : pause;
	}
	if (code && code != TB_CLOSED)
		mod_log(m, TB_WARN, "the host did not take a message of %zu bytes: %d", f->n, (int)code);
	return code != TB_CLOSED;
}

void *mod_sender(void *arg)
{
	struct mod *m = arg;
	struct mod_frame *f;
	bool open = true;

	pthread_mutex_lock(&m->lock);
	while (!m->ended || m->out.first) {
		f = m->out.first;
		if (!f) {
			pthread_cond_wait(&m->outward, &m->lock);
			continue;
		}
		pthread_mutex_unlock(&m->lock);
		/* it stays in the queue until it is sent: a shutdown waits for it */
		open = open && send_one(m, f);
		pthread_mutex_lock(&m->lock);
		free(pop(&m->out));
		pthread_cond_signal(&m->inward);
		pthread_cond_broadcast(&m->changed);
	}
	m->threads--;
	pthread_cond_broadcast(&m->changed);
	pthread_mutex_unlock(&m->lock);
	return NULL;
}

/* ---- Calls of ours to the bus ---- */

static uint64_t ask_bus(struct mod *m, const char *member, const char *body)
{
	uint64_t serial = next_serial(m);
	json_t *h = json_pack("{s:s, s:I, s:s, s:s, s:s, s:s}", "kind", "method_call", "serial",
			      (json_int_t)serial, "destination", MOD_BUS, "path", MOD_BUS_PATH, "interface",
			      MOD_BUS, "member", member);
	struct mod_frame *f = frame_of(h, body, strlen(body));

	if (f)
		post(m, f);
	return serial;
}

void mod_say_hello(struct mod *m)
{
	ask_bus(m, "Hello", "[]");
}

static void on_answer(struct mod *m, const json_t *header, bool error)
{
	uint64_t to = (uint64_t)json_integer_value(json_object_get(header, "reply_serial"));
	const char *name = json_string_value(json_object_get(header, "error_name"));
	char text[200];

	if (!to || (to != m->hello && to != m->request))
		return;
	if (error) {
		snprintf(text, sizeof(text), "the bus refused %s: %s", to == m->hello ? "Hello" :
			 "RequestName", name ? name : "no reason");
		if (m->host.fault)
			m->host.fault(m->host.ctx, (const uint8_t *)text, strlen(text));
	} else if (to == m->hello) {
		m->hello = 0;
		m->request = ask_bus(m, "RequestName", "[\"" MOD_INTERFACE "\"]");
		return;
	} else if (m->host.ready) {
		m->host.ready(m->host.ctx);
	}
	m->hello = m->request = 0;
}

/* ---- In ---- */

static const struct mod_method *find_method(const char *name)
{
	for (const struct mod_method *at = mod_methods; name && at->name; at++)
		if (!strcmp(at->name, name))
			return at;
	return NULL;
}

static const char *word(const json_t *header, const char *name)
{
	return json_string_value(json_object_get(header, name));
}

static bool is_stopping(struct mod *m)
{
	bool stopping;

	pthread_mutex_lock(&m->lock);
	stopping = m->stopping;
	pthread_mutex_unlock(&m->lock);
	return stopping;
}

static void call_method(struct mod_call *c, const json_t *header)
{
	const char *path = word(header, "path"), *interface = word(header, "interface");
	const struct mod_method *method = find_method(word(header, "member"));
	size_t n = json_array_size(c->args);

	if (!path || strcmp(path, MOD_PATH))
		mod_error(c, MOD_BUS_ERROR "UnknownObject", "there is the object " MOD_PATH);
	else if (interface && strcmp(interface, MOD_INTERFACE))
		mod_error(c, MOD_BUS_ERROR "UnknownInterface", "there is the interface " MOD_INTERFACE);
	else if (!method)
		mod_error(c, MOD_BUS_ERROR "UnknownMethod", "there is no such method");
	else if (!json_is_array(c->args) || n != (size_t)method->args)
		mod_error(c, MOD_BUS_ERROR "BadArguments", "%s takes %d argument%s", method->name,
			  method->args, method->args == 1 ? "" : "s");
	else if (is_stopping(c->m))
		mod_error(c, MOD_BUS_ERROR "Failed", "the module is shut down");
	else if (!method->task)
		method->run(c);
	else if (!mod_task(c, method->run))
		mod_error(c, MOD_ERROR "ResourceLimit", "%d operations run: no more at a time", MOD_TASKS);
}

static void on_call(struct mod *m, json_t *message, const json_t *header)
{
	json_int_t serial = json_integer_value(json_object_get(header, "serial"));
	const char *sender = word(header, "sender");
	struct mod_call c = {.m = m};
	json_t *body = json_object_get(message, "body");

	if (serial < 1) {
		mod_log(m, TB_WARN, "a call without a serial is not answered");
		return;
	}
	c.serial = (uint64_t)serial;
	c.sender = sender ? strdup(sender) : NULL;
	c.args = body && !json_is_null(body) ? json_incref(body) : json_array();
	/* a task's alone, not shared with us */
	json_object_del(message, "body");
	call_method(&c, header);
}

static size_t count_values(const struct mod_frame *f)
{
	size_t n = 0;

	for (size_t i = 0; i < f->n; i++)
		n += f->data[i] == ',' || f->data[i] == '[' || f->data[i] == '{';
	return n;
}

static void take(struct mod *m, const struct mod_frame *f)
{
	json_error_t error;
	json_t *message = NULL;
	const json_t *header;
	const char *kind;

	if (count_values(f) > VALUES_MOST)
		mod_log(m, TB_WARN, "a message of more than %zu values is dropped", VALUES_MOST);
	else if (!(message = json_loadb(f->data, f->n, JSON_REJECT_DUPLICATES, &error)))
		mod_log(m, TB_WARN, "a message that is no JSON is dropped: %s", error.text);
	header = json_object_get(message, "header");
	kind = word(header, "kind");
	if (kind && !strcmp(kind, "method_call"))
		on_call(m, message, header);
	else if (kind && (!strcmp(kind, "method_return") || !strcmp(kind, "error")))
		on_answer(m, header, *kind == 'e');
	else if (message && (!kind || strcmp(kind, "signal")))
		mod_log(m, TB_WARN, "a message of no known kind is dropped");
	json_decref(message);
}

/* What is to be sent waits: more must not come in. */
static bool is_choked(const struct mod *m)
{
	return m->out.count >= OUT_COUNT || m->out.bytes >= OUT_BYTES;
}

void *mod_dispatch(void *arg)
{
	struct mod *m = arg;
	struct mod_frame *f;
	uint64_t tick = mod_now() + TICK;
	bool wake;

	pthread_mutex_lock(&m->lock);
	while (!m->ended) {
		if (mod_now() >= tick) {
			tick = mod_now() + TICK;
			mod_expire(m, mod_now());
			pthread_mutex_unlock(&m->lock);
			mod_retry(m);
			pthread_mutex_lock(&m->lock);
		}
		f = is_choked(m) ? NULL : pop(&m->in);
		if (!f) {
			mod_wait(m, &m->inward, tick);
			continue;
		}
		wake = m->starved && m->in.count <= MOD_INBOX / 2;
		m->starved = m->starved && !wake;
		pthread_mutex_unlock(&m->lock);
		if (wake && m->host.wake)
			m->host.wake(m->host.ctx);
		take(m, f);
		free(f);
		pthread_mutex_lock(&m->lock);
	}
	while ((f = pop(&m->in)))
		free(f);
	m->threads--;
	pthread_cond_broadcast(&m->changed);
	pthread_mutex_unlock(&m->lock);
	return NULL;
}
