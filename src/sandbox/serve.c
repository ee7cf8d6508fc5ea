/*
 * Several programs on one thread, as one machine: what is posted waits in a list under the sandbox's lock until the
 * thread that serves takes it, and from then on only that thread touches it.
 */
#include "sandbox/run.h"

#include <errno.h>
#include <stdlib.h>

#include "sandbox/result.h"

struct posted {
	struct run run;
	struct posted *next;
	struct run_room room;	/* its options are always a copy */
	tsb_done_fn *done;
	void *done_ctx;
};

struct serving {
	struct bell *bell;	/* for as long as the sandbox is: cancel objects hold it too */
	bool busy;		/* a thread serves */
	struct posted *first, **last;
	struct posted *running;	/* the thread's own */
};

void serving_free(struct serving *s)
{
	if (!s)
		return;
	bell_put(s->bell);
	free(s);
}

static struct serving *serving_new(void)
{
	struct serving *s = calloc(1, sizeof(*s));

	if (!s)
		return NULL;
	s->last = &s->first;
	s->bell = bell_new();
	if (s->bell)
		return s;
	free(s);
	return NULL;
}

/* Made at first use. NULL: sandbox_fail() has been called, and gave *rc. */
static struct serving *serving_of(struct tsb_sandbox *box, int *rc)
{
	struct sandbox_extra *x = box->extra;
	struct serving *s = NULL;

	if (!x || !x->together || x->virtual_time) {
		*rc = sandbox_fail(box, TSB_ERR_SUPPORT, ENOTSUP, "only a sandbox that was opened with "
				   "`together`, and without virtual time, can be served");
		return NULL;
	}
	pthread_mutex_lock(&box->lock);
	if (!x->serving)
		x->serving = serving_new();
	s = x->serving;
	pthread_mutex_unlock(&box->lock);
	if (!s)
		*rc = sandbox_fail(box, TSB_ERR_MEMORY, ENOMEM, "no memory to serve");
	return s;
}

/* ---- Posting ---- */

static void post(struct serving *s, struct posted *p)
{
	struct tsb_sandbox *box = p->run.box;

	run_begin(&p->run);
	pthread_mutex_lock(&box->lock);
	*s->last = p;
	s->last = &p->next;
	pthread_mutex_unlock(&box->lock);
	bell_ring(s->bell);
}

static int posted_new(struct tsb_sandbox *box, const char *const *argv, const struct tsb_run_options *opt,
		      struct posted **out)
{
	struct posted *p = calloc(1, sizeof(*p));
	int rc;

	if (!p)
		return sandbox_fail(box, TSB_ERR_MEMORY, ENOMEM, "no memory to start a run");
	p->run.box = box;
	p->run.argv = argv;
	rc = run_options(&p->run, opt, &p->room);
	if (rc) {
		free(p);
		return rc;
	}
	if (p->run.opt != &p->room.opt)
		p->room.opt = *p->run.opt;
	p->run.opt = &p->room.opt;
	*out = p;
	return TSB_OK;
}

int tsb_exec_post(struct tsb_sandbox *box, const char *const *argv, const struct tsb_run_options *opt,
		  tsb_done_fn *done, void *ctx)
{
	struct posted *p = NULL;
	struct serving *s;
	int rc = TSB_OK;

	if (!box || !argv || !argv[0] || !done)
		return sandbox_refuse(box, __func__);
	s = serving_of(box, &rc);
	if (!s)
		return rc;
	rc = posted_new(box, argv, opt, &p);
	if (rc)
		return rc;
	if (!cancel_ring(p->room.opt.cancel, s->bell)) {
		free(p);
		return sandbox_fail(box, TSB_ERR_ARGUMENT, EINVAL, "the cancel object is another served sandbox's");
	}
	p->done = done;
	p->done_ctx = ctx;
	post(s, p);
	return TSB_OK;
}

/* ---- Serving ---- */

static void tell_done(struct posted *p, int rc)
{
	struct tsb_result *result = NULL;

	rc = run_outcome(&p->run, rc, &result);
	run_finish(&p->run);
	p->done(p->done_ctx, rc, result);
	free(p);
}

static struct posted *take(struct tsb_sandbox *box, struct serving *s)
{
	struct posted *p;

	pthread_mutex_lock(&box->lock);
	p = s->first;
	if (p)
		s->first = p->next;
	if (!s->first)
		s->last = &s->first;
	pthread_mutex_unlock(&box->lock);
	return p;
}

static void start_posted(struct tsb_sandbox *box, struct serving *s, struct machine *m)
{
	struct posted *p;

	while ((p = take(box, s))) {
		int rc = run_open(&p->run);

		if (rc) {
			run_close(&p->run, false, 0);
			tell_done(p, rc);
			continue;
		}
		p->next = s->running;
		s->running = p;
		machine_add(m, p->run.kernel, run_init, &p->run);
	}
}

static void end_run(struct serving *s, struct machine *m, struct kernel *k)
{
	struct posted **at = &s->running, *p;
	int status = machine_end(m, k);

	while ((*at)->run.kernel != k)
		at = &(*at)->next;
	p = *at;
	*at = p->next;
	run_close(&p->run, true, status);
	tell_done(p, 0);
}

/* True: all has ended, and nobody serves any more. */
static bool leave(struct tsb_sandbox *box, struct serving *s, struct machine *m)
{
	bool over;

	if (m && (!machine_stopping(m) || !machine_empty(m)))
		return false;
	pthread_mutex_lock(&box->lock);
	over = !m || !s->first;
	if (over) {
		s->busy = false;
		box->runs--;
	}
	pthread_mutex_unlock(&box->lock);
	return over;
}

static int enter(struct tsb_sandbox *box, struct serving *s)
{
	bool busy;

	pthread_mutex_lock(&box->lock);
	busy = s->busy;
	s->busy = true;
	box->runs += !busy;
	pthread_mutex_unlock(&box->lock);
	return busy ? sandbox_fail(box, TSB_ERR_BUSY, EBUSY, "another thread serves the sandbox") : TSB_OK;
}

static struct machine *open_machine(struct tsb_sandbox *box, struct serving *s, struct tsb_cancel *stop)
{
	struct kernel_options opt;
	struct machine *m;

	run_kernel_options(box, &opt);
	opt.cancel = stop;
	m = machine_new(&opt, s->bell);
	if (!m)
		leave(box, s, NULL);
	return m;
}

int tsb_serve(struct tsb_sandbox *box, struct tsb_cancel *stop)
{
	struct serving *s;
	struct machine *m;
	int rc = TSB_OK;

	if (!box || !stop)
		return sandbox_refuse(box, __func__);
	s = serving_of(box, &rc);
	if (!s)
		return rc;
	if (!cancel_ring(stop, s->bell))
		return sandbox_fail(box, TSB_ERR_ARGUMENT, EINVAL, "the cancel object is another served sandbox's");
	rc = enter(box, s);
	if (rc)
		return rc;
	m = open_machine(box, s, stop);
	if (!m)
		return sandbox_fail(box, TSB_ERR_MEMORY, ENOMEM, "no memory to serve");
	do {
		struct kernel *k;

		start_posted(box, s, m);
		k = machine_run(m);
		if (k)
			end_run(s, m, k);
	} while (!leave(box, s, m));
	machine_free(m);
	return TSB_OK;
}
