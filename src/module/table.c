/*
 * What the module knows by an id. An id is minted before anything is made, used once, and never
 * means anything else afterwards. Everything here is called with the lock held, unless it says
 * otherwise.
 */
#include "module/module.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

void mod_new_id(struct mod *m, char id[MOD_ID])
{
	snprintf(id, MOD_ID, "%s-%llu", m->instance, (unsigned long long)++m->counter);
}

static bool is_used(struct mod *m, const char *id)
{
	struct mod_resource *of;

	for (struct mod_resource *r = m->resources; r; r = r->next)
		if (!strcmp(r->id, id))
			return true;
	return mod_process_find(m, id) || mod_transfer_find(m, id, &of) || mod_forward_find(m, id);
}

struct mod_reserved *mod_take(struct mod_call *c, enum mod_kind kind, const char *id)
{
	static const char *const kinds[MOD_KINDS] = { "resource", "process", "forward", "file read",
		"file write" };
	struct mod *m = c->m;
	struct mod_reserved **at = &m->reserved, *r;
	bool used;

	mod_expire(m, mod_now());
	while (*at && strcmp((*at)->id, id))
		at = &(*at)->next;
	r = *at;
	if (r && r->kind == kind) {
		*at = r->next;
		m->reserved_count--;
		return r;
	}
	used = !r && is_used(m, id);
	/* the lock is not needed for an answer, but does it no harm to be let go */
	pthread_mutex_unlock(&m->lock);
	if (r)
		mod_error(c, MOD_ERROR "InvalidId", "the id is reserved for a %s", kinds[r->kind]);
	else if (used)
		mod_error(c, MOD_ERROR "DuplicateId", "the id is in use already");
	else
		mod_error(c, MOD_ERROR "InvalidId", "the id was not reserved, was used, or is too old");
	pthread_mutex_lock(&m->lock);
	return NULL;
}

void mod_expire(struct mod *m, uint64_t now)
{
	for (struct mod_reserved **at = &m->reserved, *r; (r = *at);) {
		if (now < r->until) {
			at = &r->next;
			continue;
		}
		*at = r->next;
		m->reserved_count--;
		free(r);
	}
}

struct mod_resource *mod_use(struct mod_call *c, const char *id)
{
	struct mod *m = c->m;
	struct mod_resource *r = m->resources;

	while (r && strcmp(r->id, id))
		r = r->next;
	if (r && r->life == MOD_READY && !m->stopping) {
		r->users++;
		return r;
	}
	pthread_mutex_unlock(&m->lock);
	if (r)
		mod_error(c, MOD_ERROR "UnknownResource", "the resource is being %s",
			  r->life == MOD_CREATING ? "created" : "closed");
	else
		mod_error(c, MOD_ERROR "UnknownResource", "there is no such resource");
	pthread_mutex_lock(&m->lock);
	return NULL;
}

void mod_unuse(struct mod *m, struct mod_resource *r)
{
	pthread_mutex_lock(&m->lock);
	r->users--;
	pthread_cond_broadcast(&m->changed);
	pthread_mutex_unlock(&m->lock);
}

/* ---- Processes ---- */

struct mod_process *mod_process_new(struct mod_resource *r, const char *id)
{
	struct mod_process *p = calloc(1, sizeof(*p));

	if (!p)
		return NULL;
	p->wake = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (p->wake < 0) {
		free(p);
		return NULL;
	}
	snprintf(p->id, sizeof(p->id), "%s", id);
	p->of = r;
	p->last = &p->first;
	p->sequence = 1;
	p->next = r->processes;
	r->processes = p;
	return p;
}

struct mod_process *mod_process_find(struct mod *m, const char *id)
{
	if (!*id)
		return NULL;
	for (struct mod_resource *r = m->resources; r; r = r->next)
		for (struct mod_process *p = r->processes; p; p = p->next)
			if (!strcmp(p->id, id))
				return p;
	return NULL;
}

void mod_process_free(struct mod_process *p)
{
	struct mod_process **at = &p->of->processes;
	struct mod_chunk *k;

	while (*at && *at != p)
		at = &(*at)->next;
	if (*at)
		*at = p->next;
	while ((k = p->first)) {
		p->first = k->next;
		free(k);
	}
	close(p->wake);
	free(p);
}

void mod_cancel(struct mod_process *p)
{
	uint64_t one = 1;

	p->cancel = true;
	/* it cannot be full: nobody adds more than a few */
	if (write(p->wake, &one, sizeof(one)) < 0)
		return;
}

/* ---- Transfers ---- */

struct mod_transfer *mod_transfer_find(struct mod *m, const char *id, struct mod_resource **of)
{
	for (struct mod_resource *r = m->resources; r; r = r->next)
		for (struct mod_transfer *t = r->transfers; t; t = t->next)
			if (!strcmp(t->id, id)) {
				*of = r;
				return t;
			}
	return NULL;
}

void mod_transfer_free(struct mod_resource *r, struct mod_transfer *t)
{
	struct mod_transfer **at = &r->transfers;

	while (*at && *at != t)
		at = &(*at)->next;
	if (*at)
		*at = t->next;
	if (t->fd >= 0)
		close(t->fd);
	mod_remove_file(t);
	free(t->path);
	free(t);
}

/* ---- Resources ---- */

void mod_resource_free(struct mod *m, struct mod_resource *r)
{
	struct mod_resource **at = &m->resources;

	while (*at && *at != r)
		at = &(*at)->next;
	if (*at) {
		*at = r->next;
		m->resource_count--;
	}
	while (r->processes)
		mod_process_free(r->processes);
	while (r->transfers)
		mod_transfer_free(r, r->transfers);
	tbx_close(r->owner);
	free(r);
	pthread_cond_broadcast(&m->changed);
}
