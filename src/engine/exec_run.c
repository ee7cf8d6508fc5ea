/*
 * The run of an exec: it is posted to the library, whose functions come back here, on the machine's thread. They touch
 * a struct run under its lock and nothing else, and wake the server by an eventfd.
 */
#include "engine/engine.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

static void tell(int notify)
{
	uint64_t one = 1;

	/* A full counter has woken it already. */
	if (write(notify, &one, sizeof(one)) < 0)
		return;
}

/* Bytes beyond the limit are counted and dropped. */
static size_t allowed(struct run *r, int which, size_t n)
{
	uint64_t left = r->max[which] > r->bytes[which] ? r->max[which] - r->bytes[which] : 0;
	size_t keep = !r->max[which] || n <= left ? n : (size_t)left;

	r->bytes[which] += n;
	r->dropped[which] += n - keep;
	return keep;
}

static int on_output(void *ctx, int fd, const void *data, size_t n)
{
	struct run *r = ctx;
	int which = fd == 2 && !r->terminal, rc = 0;
	size_t keep;

	pthread_mutex_lock(&r->lock);
	if (r->out.size >= FLOW_HIGH || (r->terminal && r->term.held)) {
		r->full = true;
		rc = -EAGAIN;
	} else {
		keep = allowed(r, which, n);
		if (r->terminal)
			term_print(&r->term, &r->out, data, keep);
		else
			wire_data(&r->out, which ? WIRE_DATA_ERR : WIRE_DATA_OUT, data, keep);
	}
	pthread_mutex_unlock(&r->lock);
	tell(r->notify);
	return rc;
}

static ssize_t take_typed(struct run *r, void *buf, size_t n)
{
	uint64_t signals;
	ssize_t got;

	pthread_mutex_lock(&r->lock);
	got = term_read(&r->term, buf, n);
	if (got < 0 && r->in_closed)
		got = 0;
	signals = exec_type(r);
	pthread_mutex_unlock(&r->lock);
	exec_typed_signals(r, signals);
	return got < 0 ? -EAGAIN : got;
}

static ssize_t take_bytes(struct run *r, void *buf, size_t n)
{
	ssize_t got = -EAGAIN;

	pthread_mutex_lock(&r->lock);
	if (r->in_n) {
		got = (ssize_t)(r->in_n < n ? r->in_n : n);
		memcpy(buf, r->in + r->in_at, (size_t)got);
		r->in_at += (size_t)got;
		r->in_n -= (size_t)got;
	} else if (r->in_closed) {
		got = 0;
	}
	pthread_mutex_unlock(&r->lock);
	return got;
}

static ssize_t on_input(void *ctx, void *buf, size_t n)
{
	struct run *r = ctx;
	ssize_t got = r->terminal ? take_typed(r, buf, n) : take_bytes(r, buf, n);

	if (got > 0)
		tell(r->notify);
	return got;
}

static void on_event(void *ctx, const struct tsb_event *e)
{
	struct run *r = ctx;

	pthread_mutex_lock(&r->lock);
	if (e->kind == TSB_EVENT_STARTED) {
		r->started = true;
		r->pid = e->value;
	} else if (e->kind == TSB_EVENT_TERMINAL) {
		term_set(&r->term, e->termios, e->flush);
		if (e->flush)
			r->in_at = r->in_n = 0;
	} else {
		r->how = e->kind;
		r->value = e->value;
		r->failed = e->kind != TSB_EVENT_ENDED;
		r->ended = e->kind == TSB_EVENT_ENDED;
		r->left = e->left;
		r->peak = e->memory_peak;
		r->limit = e->limit;
		r->user_ns = e->cpu_ns;
	}
	pthread_mutex_unlock(&r->lock);
	tell(r->notify);
}

static void options(struct run *r, struct tsb_run_options *o)
{
	static const struct tsb_run_options init = TSB_RUN_OPTIONS_INIT;

	*o = init;
	o->cwd = r->cwd;
	o->env = r->env;
	o->input_fn = on_input;
	o->output_fn = on_output;
	o->event_fn = on_event;
	o->input_ctx = o->output_ctx = o->event_ctx = r;
	o->limits = &r->limits;
	o->cancel = r->cancel;
	o->terminal = r->terminal;
	o->rows = r->rows;
	o->columns = r->columns;
	o->input_path = r->input_path;
	o->wakes = o->stay = true;
}

/* The last that happens here: once it is gone, the server may free it. */
static void on_done(void *ctx, int rc, struct tsb_result *result)
{
	struct run *r = ctx;
	int notify = r->notify;

	pthread_mutex_lock(&r->lock);
	if (!rc) {
		if (!r->ended) {
			r->peak = tsb_result_memory_peak(result);
			r->limit = tsb_result_limit(result);
			r->user_ns = tsb_result_cpu_ns(result);
		}
		r->stop = tsb_result_stop(result);
		tsb_result_free(result);
	} else if (!r->failed) {	/* not even begun */
		r->failed = true;
		r->how = TSB_EVENT_FAILED;
		r->value = -ENOMEM;
	}
	r->gone = true;
	pthread_mutex_unlock(&r->lock);
	tell(notify);
}

bool exec_post(struct run *r)
{
	struct tsb_run_options o;

	options(r, &o);
	return !tsb_exec_post(r->box, r->argv, &o, on_done, r);
}
