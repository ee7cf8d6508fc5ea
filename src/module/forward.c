/*
 * Forward and CloseForward: a port of a box at an address of this machine, as long as nobody closes
 * it. The task that answers goes on as the one that carries the connections; once a second it
 * looks whether it is still wanted.
 */
#include "module/module.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct carrying {
	struct mod_call *c;
	struct mod_forward *f;
	bool told;
};

struct mod_forward *mod_forward_find(struct mod *m, const char *id)
{
	for (struct mod_resource *r = m->resources; r; r = r->next)
		for (struct mod_forward *f = r->forwards; f; f = f->next)
			if (!strcmp(f->id, id))
				return f;
	return NULL;
}

static size_t count(const struct mod_resource *r)
{
	size_t n = 0;

	for (const struct mod_forward *f = r->forwards; f; f = f->next)
		n++;
	return n;
}

/* In the table, with a user of its resource; NULL after an error. */
static struct mod_forward *claim(struct mod_call *c, const char *id, const char *resource,
				 struct mod_resource **of)
{
	struct mod_forward *f = calloc(1, sizeof(*f));
	struct mod *m = c->m;
	struct mod_reserved *r;
	bool good = false, full = false;

	*of = NULL;
	pthread_mutex_lock(&m->lock);
	r = mod_take(c, MOD_FORWARD, id);
	if (r && strcmp(r->of, resource)) {
		pthread_mutex_unlock(&m->lock);
		mod_error(c, MOD_ERROR "InvalidId", "the id is reserved for another resource");
		free(r);
		free(f);
		return NULL;
	}
	if (r)
		*of = mod_use(c, r->of);
	if (*of) {
		full = count(*of) >= MOD_FORWARDS;
		good = f && !full;
		if (good) {
			snprintf(f->id, sizeof(f->id), "%s", r->id);
			f->next = (*of)->forwards;
			(*of)->forwards = f;
		} else {
			(*of)->users--;
		}
	}
	pthread_mutex_unlock(&m->lock);
	if (*of && !good)
		mod_error(c, MOD_ERROR "ResourceLimit", full ? "the resource has %d forwards: no more at a time" :
			  "no memory", MOD_FORWARDS);
	free(r);
	if (!good)
		free(f);
	return good ? f : NULL;
}

static int carry(void *ctx, const struct tbx_port *port, const char *why)
{
	struct carrying *k = ctx;
	struct mod *m = k->c->m;
	char address[80];
	bool cancel;

	(void)why;
	if (port && !k->told) {
		k->told = true;
		snprintf(address, sizeof(address), "%s:%u", port->address ? port->address : "127.0.0.1", port->host);
		mod_return(k->c, json_string(address));
	}
	pthread_mutex_lock(&m->lock);
	cancel = k->f->cancel || m->ended;
	pthread_mutex_unlock(&m->lock);
	return cancel;
}

void mod_forward(struct mod_call *c)
{
	json_t *arg = json_array_get(c->args, 0);
	struct mod *m = c->m;
	struct carrying k = {.c = c};
	const char *id, *resource;
	struct mod_resource *r;
	struct mod_forward **at;
	struct tbx_store *store;
	struct tbx_port port = {0};
	uint64_t guest;
	int status;

	if (!mod_text(c, json_object_get(arg, "resource"), "resource", MOD_ID - 1, &resource) ||
	    !mod_text(c, json_object_get(arg, "forward"), "forward", MOD_ID - 1, &id) ||
	    !mod_number(c, json_object_get(arg, "guest_port"), "guest_port", 65535, &guest))
		return;
	k.f = claim(c, id, resource, &r);
	if (!k.f)
		return;
	port.guest = (uint16_t)guest;
	status = mod_open_store(m, &store);
	if (!status)
		status = tbx_forward(store, r->box, &port, 1, carry, &k);
	pthread_mutex_lock(&m->lock);
	for (at = &r->forwards; *at != k.f; at = &(*at)->next)
		;
	*at = k.f->next;
	r->users--;
	pthread_cond_broadcast(&m->changed);
	pthread_mutex_unlock(&m->lock);
	free(k.f);
	if (!k.told)
		mod_failed(c, status == TBX_ERR_UNSUPPORTED ? "UnsupportedOperation" : "Backend", store);
	else if (status)
		mod_log(m, TB_WARN, "a forward ended: %s", tbx_error(store));
	tbx_close(store);
}

/* Answered when nobody listens any more. */
void mod_close_forward(struct mod_call *c)
{
	struct mod *m = c->m;
	struct mod_forward *f;
	const char *id;
	bool known;

	if (!mod_text(c, json_array_get(c->args, 0), "forward", MOD_ID - 1, &id))
		return;
	pthread_mutex_lock(&m->lock);
	f = mod_forward_find(m, id);
	known = f;
	if (f)
		f->cancel = true;
	while (mod_forward_find(m, id) && !m->ended)
		mod_wait(m, &m->changed, mod_now() + 1000000000);
	pthread_mutex_unlock(&m->lock);
	if (known)
		mod_return(c, NULL);
	else
		mod_error(c, MOD_ERROR "InvalidId", "there is no such forward");
}
