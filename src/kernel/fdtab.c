/*
 * A process's table of descriptors. The first slots are inside the process, so
 * a fork copies a few words and takes no memory; a larger table is malloc's and
 * charged. Slots from `n` on are free, whatever they hold.
 */
#include "kernel/inside.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>

void fdtab_init(struct fdtab *t)
{
	t->at = t->first;
	t->n = 0;
	t->cap = FDS_INLINE;
}

static unsigned fdtab_limit(const struct tsb_proc *p)
{
	uint64_t own = p->rlimits[PROC_RLIMIT_FILES], all = p->k->limits.descriptors;

	if (own && own - 1 < all)
		all = own - 1;
	return all < INT32_MAX ? (unsigned)all : INT32_MAX;
}

/* Room for slot `fd`; the slots below it are made free. */
static int fdtab_reach(struct kernel *k, struct fdtab *t, unsigned fd)
{
	unsigned cap = t->cap;
	struct fd_slot *at;

	while (cap <= fd)
		cap *= 2;
	if (cap != t->cap) {
		size_t old = t->at == t->first ? 0 : t->cap * sizeof(*at);

		if (!kernel_charge(k, cap * sizeof(*at) - old))
			return -ENOMEM;
		at = malloc(cap * sizeof(*at));
		if (!at) {
			kernel_refund(k, cap * sizeof(*at) - old);
			return -ENOMEM;
		}
		memcpy(at, t->at, t->n * sizeof(*at));
		if (t->at != t->first)
			free(t->at);
		t->at = at;
		t->cap = cap;
	}
	if (fd >= t->n) {
		memset(t->at + t->n, 0, (fd + 1 - t->n) * sizeof(*at));
		t->n = fd + 1;
	}
	return 0;
}

static void fdtab_shrink(struct fdtab *t)
{
	unsigned n = t->n;

	while (n && !t->at[n - 1].d)
		n--;
	t->n = n;
}

int fdtab_copy(struct fdtab *to, const struct fdtab *from)
{
	if (from->n > to->cap) {
		struct kernel *k = NULL;

		/* A table longer than the inline one has something in it. */
		for (unsigned i = 0; i < from->n && !k; i++)
			k = from->at[i].d ? from->at[i].d->k : NULL;
		if (!k || fdtab_reach(k, to, from->n - 1) < 0)
			return -ENOMEM;
	}
	for (unsigned i = 0; i < from->n; i++) {
		to->at[i] = from->at[i];
		if (to->at[i].d)
			to->at[i].d->refs++;
	}
	to->n = from->n;
	return 0;
}

static void fdtab_free_memory(struct fdtab *t, struct kernel *k)
{
	if (t->at == t->first)
		return;
	if (k)
		kernel_refund(k, t->cap * sizeof(*t->at));
	free(t->at);
	fdtab_init(t);
}

void fdtab_end(struct fdtab *t)
{
	struct kernel *k = ring_item(t, struct tsb_proc, fds)->k;

	while (t->n) {
		struct desc *d = t->at[--t->n].d;

		if (d)
			desc_put(d);
	}
	fdtab_free_memory(t, k);
}

void fdtab_close_exec(struct fdtab *t)
{
	for (unsigned i = 0; i < t->n; i++)
		if (t->at[i].d && t->at[i].cloexec)
			fdtab_close(t, (int)i);
}

/* Takes d's reference, also on failure. */
static int fdtab_set(struct tsb_proc *p, int fd, struct desc *d, bool cloexec)
{
	struct fdtab *t = &p->fds;
	struct desc *old;
	int r;

	if (fd < 0 || (unsigned)fd >= fdtab_limit(p))
		r = -EBADF;
	else
		r = (unsigned)fd < t->n ? 0 : fdtab_reach(p->k, t, (unsigned)fd);
	if (r < 0) {
		desc_put(d);
		return r;
	}
	old = t->at[fd].d;
	t->at[fd] = (struct fd_slot){ d, cloexec };
	if (old)
		desc_put(old);
	return fd;
}

int fdtab_add(struct tsb_proc *p, struct desc *d, int at_least, bool cloexec)
{
	struct fdtab *t = &p->fds;
	unsigned fd = at_least < 0 ? 0 : (unsigned)at_least;

	while (fd < t->n && t->at[fd].d)
		fd++;
	if (fd >= fdtab_limit(p)) {
		desc_put(d);
		return -EMFILE;
	}
	return fdtab_set(p, (int)fd, d, cloexec);
}

bool fdtab_room(const struct tsb_proc *p)
{
	unsigned limit = fdtab_limit(p);

	if (p->fds.n < limit)
		return true;
	for (unsigned i = 0; i < limit; i++)
		if (!p->fds.at[i].d)
			return true;
	return false;
}

int fdtab_close(struct fdtab *t, int fd)
{
	struct fd_slot *slot = fdtab_slot(t, fd);
	struct desc *d;

	if (!slot)
		return -EBADF;
	d = slot->d;
	slot->d = NULL;
	fdtab_shrink(t);
	desc_put(d);
	return 0;
}

/* ---- For the shell ---- */

bool proc_fd_open(struct tsb_proc *p, int fd)
{
	return fd_desc(p, fd) != NULL;
}

static int fd_duplicate(struct tsb_proc *p, int fd, int at_least, bool cloexec)
{
	struct desc *d = fd_desc(p, fd);

	if (!d)
		return -EBADF;
	if (at_least < 0 || (unsigned)at_least >= fdtab_limit(p))
		return -EINVAL;
	return fdtab_add(p, desc_get(d), at_least, cloexec);
}

int proc_save_fd(struct tsb_proc *p, int fd, int at_least)
{
	int r = fd_duplicate(p, fd, at_least, true);

	if (r >= 0)
		fdtab_close(&p->fds, fd);
	return r;
}

int proc_move_fd(struct tsb_proc *p, int from, int to)
{
	struct fd_slot *slot = fdtab_slot(&p->fds, from);
	struct desc *d;
	int r;

	if (!slot)
		return -EBADF;
	d = slot->d;
	slot->d = NULL;
	r = fdtab_set(p, to, d, false);
	fdtab_shrink(&p->fds);
	return r;
}

int proc_give_fd(struct tsb_proc *from, int from_fd, struct tsb_proc *to, int fd)
{
	struct desc *d = fd_desc(from, from_fd);

	return d ? fdtab_set(to, fd, desc_get(d), false) : -EBADF;
}

int proc_drop_fd(struct tsb_proc *child, int fd)
{
	return fdtab_close(&child->fds, fd);
}

/* ---- Calls ---- */

int tsb_close(struct tsb_proc *p, int fd)
{
	CALL_BEGIN(p, 8);
	return fdtab_close(&p->fds, fd);
}

int tsb_dup(struct tsb_proc *p, int fd, int at_least)
{
	CALL_BEGIN(p, 8);
	return fd_duplicate(p, fd, at_least, false);
}

int tsb_dup2(struct tsb_proc *p, int from, int to)
{
	struct desc *d = fd_desc(p, from);

	CALL_BEGIN(p, 8);
	if (!d || to < 0)
		return -EBADF;
	return from == to ? to : fdtab_set(p, to, desc_get(d), false);
}

int tsb_fcntl_flags(struct tsb_proc *p, int fd)
{
	struct desc *d = fd_desc(p, fd);

	CALL_BEGIN(p, 4);
	return d ? d->flags : -EBADF;
}

int tsb_set_cloexec(struct tsb_proc *p, int fd, bool on)
{
	struct fd_slot *slot = fdtab_slot(&p->fds, fd);

	CALL_BEGIN(p, 4);
	if (!slot)
		return -EBADF;
	slot->cloexec = on;
	return 0;
}

bool tsb_isatty(struct tsb_proc *p, int fd)
{
	struct desc *d = fd_desc(p, fd);

	proc_tick(p, 4);
	return d && d->ops->terminal;
}

int tsb_pipe(struct tsb_proc *p, int fd[2])
{
	struct desc *reader, *writer;
	int r;

	CALL_BEGIN(p, 32);
	if (!fd)
		return -EFAULT;
	r = pipe_make(p->k, &reader, &writer);
	if (r < 0)
		return r;
	r = fdtab_add(p, reader, 0, false);
	if (r < 0) {
		desc_put(writer);
		return r;
	}
	fd[0] = r;
	r = fdtab_add(p, writer, 0, false);
	if (r < 0) {
		fdtab_close(&p->fds, fd[0]);
		return r;
	}
	fd[1] = r;
	return 0;
}
