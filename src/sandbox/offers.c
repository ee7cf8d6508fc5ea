/*
 * What the embedding program offers to scripts: the half of <tinysandbox/js.h>
 * that is called outside of runs. guest/sys_offer.c uses it in them.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "guest/offer.h"
#include "sandbox/internal.h"

void offers_free(struct offers *o)
{
	if (!o)
		return;
	for (size_t i = 0; i < o->n; i++)
		free(o->functions[i].name);
	free(o->functions);
	free(o->prelude);
	free(o);
}

static char *copy_bytes(const char *at, size_t n)
{
	char *copy = malloc(n + 1);

	if (!copy)
		return NULL;
	memcpy(copy, at, n);
	copy[n] = '\0';
	return copy;
}

/* One more, or another one in the place of its namesake. */
static bool put_function(struct offers *o, const char *name, tsb_js_function_fn *fn, void *ctx)
{
	struct offer_function *at = o->functions;
	size_t i = 0;

	while (i < o->n && strcmp(at[i].name, name) != 0)
		i++;
	if (i == o->n) {
		at = realloc(at, (i + 1) * sizeof(*at));
		if (!at)
			return false;
		o->functions = at;
		at[i].name = strdup(name);
		if (!at[i].name)
			return false;
		o->n++;
	}
	at[i].fn = fn;
	at[i].ctx = ctx;
	return true;
}

struct offers *offers_copy(const struct offers *o)
{
	struct offers *copy = calloc(1, sizeof(*copy));
	bool good = copy != NULL;

	for (size_t i = 0; good && i < o->n; i++)
		good = put_function(copy, o->functions[i].name, o->functions[i].fn,
				    o->functions[i].ctx);
	if (good && o->prelude) {
		copy->prelude = copy_bytes(o->prelude, o->prelude_n);
		copy->prelude_n = o->prelude_n;
		good = copy->prelude != NULL;
	}
	if (!good) {
		offers_free(copy);
		return NULL;
	}
	copy->fetch = o->fetch;
	copy->fetch_ctx = o->fetch_ctx;
	return copy;
}

/* The sandbox's offers, to be changed until sandbox_change_end(); NULL: *rc says why not. */
static struct offers *offers_to_change(struct tsb_sandbox *box, int *rc)
{
	struct sandbox_extra *x;

	*rc = sandbox_change_begin(box);
	if (*rc)
		return NULL;
	x = sandbox_extra(box);
	if (x && !x->offers)
		x->offers = calloc(1, sizeof(*x->offers));
	if (!x || !x->offers) {
		sandbox_change_end(box);
		*rc = sandbox_fail(box, TSB_ERR_MEMORY, ENOMEM, "no memory for what js is offered");
		return NULL;
	}
	return x->offers;
}

static bool function_name_valid(const char *name)
{
	const char *p = name;

	for (; *p; p++) {
		bool letter = (*p >= 'a' && *p <= 'z') || (*p >= 'A' && *p <= 'Z') || *p == '_' ||
			      *p == '$';

		if (!letter && (p == name || *p < '0' || *p > '9'))
			return false;
	}
	return p > name && p - name <= TSB_NAME_MAX;
}

static void drop_function(struct offers *o, const char *name)
{
	for (size_t i = 0; i < o->n; i++) {
		if (strcmp(o->functions[i].name, name) != 0)
			continue;
		free(o->functions[i].name);
		o->n--;
		memmove(&o->functions[i], &o->functions[i + 1],
			(o->n - i) * sizeof(*o->functions));
		return;
	}
}

int tsb_js_function(struct tsb_sandbox *box, const char *name, tsb_js_function_fn *fn, void *ctx)
{
	struct offers *o;
	bool put = true;
	int rc;

	if (!box || !name)
		return sandbox_refuse(box, __func__);
	if (!function_name_valid(name))
		return sandbox_fail(box, TSB_ERR_ARGUMENT, EINVAL,
				    "'%.300s' cannot be the name of a function", name);
	o = offers_to_change(box, &rc);
	if (!o)
		return rc;
	if (!fn)
		drop_function(o, name);
	else
		put = put_function(o, name, fn, ctx);
	sandbox_change_end(box);
	return put ? TSB_OK : sandbox_fail(box, TSB_ERR_MEMORY, ENOMEM, "no memory for a function");
}

int tsb_js_prelude(struct tsb_sandbox *box, const char *source, size_t n)
{
	struct offers *o;
	char *copy = NULL;
	int rc;

	if (!box || (!source && n))
		return sandbox_refuse(box, __func__);
	if (source && !(copy = n < SIZE_MAX ? copy_bytes(source, n) : NULL))
		return sandbox_fail(box, TSB_ERR_MEMORY, ENOMEM, "no memory for a prelude");
	o = offers_to_change(box, &rc);
	if (!o) {
		free(copy);
		return rc;
	}
	free(o->prelude);
	o->prelude = copy;
	o->prelude_n = n;
	sandbox_change_end(box);
	return TSB_OK;
}

int tsb_js_fetch(struct tsb_sandbox *box, tsb_js_fetch_fn *fn, void *ctx)
{
	struct offers *o;
	int rc;

	if (!box)
		return TSB_ERR_ARGUMENT;
	o = offers_to_change(box, &rc);
	if (!o)
		return rc;
	o->fetch = fn;
	o->fetch_ctx = ctx;
	sandbox_change_end(box);
	return TSB_OK;
}
