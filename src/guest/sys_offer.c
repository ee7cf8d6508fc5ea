/* What the embedding program offers to scripts, of h.sys(): see sys.h and offer.h. */
#include <errno.h>
#include <string.h>

#include "guest/offer.h"
#include "guest/sys.h"
#include "kernel/kernel.h"

static const struct offers *offers_of(struct guest *g)
{
	static const struct offers none;
	const struct offers *o = proc_offers(g->p);

	return o ? o : &none;
}

static const struct tsb_limits *limits_of(struct guest *g)
{
	return kernel_limits(proc_kernel(g->p));
}

/* offers(Float64Array(4)): limits of memory and of calls, bytes of the prelude, is there a fetch;
 * the answer is the names of the functions. */
int64_t sys_offers(struct guest *g, const struct guest_arg *a)
{
	const struct offers *o = offers_of(g);
	const struct tsb_limits *limits = limits_of(g);
	double v[4] = { (double)limits->js_memory_bytes, (double)limits->js_call_bytes,
			o->prelude ? (double)o->prelude_n : -1, o->fetch != NULL };
	size_t n = 0;
	char *to;

	if (!a[0].at || a[0].n != sizeof(v))
		return -EINVAL;
	memcpy(a[0].at, v, sizeof(v));
	for (size_t i = 0; i < o->n; i++)
		n += strlen(o->functions[i].name) + 1;
	if (!n)
		return 0;
	to = sys_blob(g, n);
	for (size_t i = 0; i < o->n; i++) {
		size_t len = strlen(o->functions[i].name) + 1;

		memcpy(to, o->functions[i].name, len);
		to += len;
	}
	return (int64_t)n;
}

int64_t sys_prelude(struct guest *g, const struct guest_arg *a)
{
	const struct offers *o = offers_of(g);

	(void)a;
	return o->prelude ? sys_give(g, o->prelude, o->prelude_n) : -ENOENT;
}

/* ---- Calls ---- */

struct host_call {
	const struct offer_function *function;	/* NULL: fetch */
	const struct offers *offers;
	const struct tsb_js_request *request;
	struct tsb_js_call *call;
};

static void on_host(void *arg)
{
	struct host_call *c = arg;

	if (c->function)
		c->function->fn(c->function->ctx, c->call);
	else
		c->offers->fetch(c->offers->fetch_ctx, c->request, c->call);
}

/*
 * Calls out. The answer is outside of the process's memory and so hangs on the guest, whose end
 * frees it, until it has been copied: head, then body. out: kind of answer (-1: too large),
 * status, bytes of the head.
 */
static int64_t call_out(struct guest *g, struct host_call *c, const struct guest_arg *out)
{
	struct tsb_js_call *call = c->call;
	int32_t told[3];
	char *to;
	int64_t n;

	call->left = limits_of(g)->js_call_bytes < SIZE_MAX ? (size_t)limits_of(g)->js_call_bytes :
		     SIZE_MAX;
	g->more->call = call;
	proc_on_host(g->p, on_host, c);
	if (call->too_large) {
		call->head.n = call->body.n = 0;
		call->answer = OFFER_NOTHING;
	}
	told[0] = call->too_large ? -1 : (int32_t)call->answer;
	told[1] = call->status;
	told[2] = (int32_t)call->head.n;
	n = (int64_t)(call->head.n + call->body.n);
	to = sys_blob(g, (size_t)n);
	if (call->head.n)
		memcpy(to, call->head.at, call->head.n);
	if (call->body.n)
		memcpy(to + call->head.n, call->body.at, call->body.n);
	g->more->call = NULL;
	offer_call_end(call);
	memcpy(out->at, told, sizeof(told));
	return n;
}

static bool call_fits(struct guest *g, const struct guest_arg *a, size_t n)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < n; i++)
		sum += a[i].n;
	return sum <= limits_of(g)->js_call_bytes && sum < INT32_MAX;
}

static struct tsb_js_call *call_new(struct guest *g)
{
	return tsb_alloc(g->p, sizeof(struct tsb_js_call));
}

/* host_call(index, JSON of the arguments, Int32Array(3)) */
int64_t sys_host_call(struct guest *g, const struct guest_arg *a)
{
	const struct offers *o = offers_of(g);
	struct host_call c = { .offers = o };
	char *arguments;
	int64_t r;

	if (a[0].number < 0 || (uint64_t)a[0].number >= o->n || !a[1].at || !a[2].at ||
	    a[2].n != 3 * sizeof(int32_t))
		return -EINVAL;
	if (!call_fits(g, a + 1, 1))
		return -EMSGSIZE;
	c.function = &o->functions[a[0].number];
	c.call = call_new(g);
	arguments = tsb_alloc(g->p, (size_t)a[1].n + 1);
	memcpy(arguments, a[1].at, a[1].n);
	c.call->arguments = arguments;
	c.call->arguments_n = a[1].n;
	r = call_out(g, &c, &a[2]);
	tsb_free(g->p, arguments);
	tsb_free(g->p, c.call);
	return r;
}

/* name, value, name, value ... */
static void set_headers(struct guest *g, struct tsb_js_request *request, char **strings)
{
	struct tsb_js_header *headers;
	size_t n = 0;

	while (strings[n])
		n++;
	headers = tsb_alloc(g->p, (n / 2 + 1) * sizeof(*headers));
	for (size_t i = 0; i + 1 < n; i += 2)
		headers[i / 2] = (struct tsb_js_header){ strings[i], strings[i + 1] };
	request->headers = headers;
	request->n_headers = n / 2;
}

/* fetch(method, url, headers, body or number, Int32Array(3)) */
int64_t sys_fetch(struct guest *g, const struct guest_arg *a)
{
	struct tsb_js_request request = { .size = sizeof(request) };
	struct host_call c = { .offers = offers_of(g), .request = &request };
	char *method, *url, **strings;
	int64_t r = -EINVAL;

	if (!c.offers->fetch)
		return -ENETUNREACH;
	if (!a[2].at || !a[4].at || a[4].n != 3 * sizeof(int32_t))
		return -EINVAL;
	if (!call_fits(g, a, 4))
		return -EMSGSIZE;
	request.method = method = sys_name(g, &a[0]);
	request.url = url = sys_name(g, &a[1]);
	strings = sys_strings(g, &a[2]);
	set_headers(g, &request, strings);
	request.body = a[3].at;
	request.body_size = a[3].at ? a[3].n : 0;
	c.call = call_new(g);
	c.call->arguments = "";
	if (method && url)
		r = call_out(g, &c, &a[4]);
	tsb_free(g->p, c.call);
	tsb_free(g->p, (void *)(uintptr_t)request.headers);
	tsb_free(g->p, strings);
	tsb_free(g->p, url);
	tsb_free(g->p, method);
	return r;
}
