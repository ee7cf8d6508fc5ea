/*
 * Whom ps shows: lists of numbers and names, and the simple choices.
 */
#include "cmd/ps.h"

#include <stdlib.h>
#include <string.h>

#include "base/num.h"
#include "cmd/accounts.h"
#include "cmd/util.h"

static bool want_user(struct ps *ps, const char *item, int64_t *number)
{
	uint32_t uid, gid;

	if (num_i64(item, number) == NUM_OK) {
		if (*number >= 0 && *number <= UINT32_MAX)
			return true;
		ps->error = "user ID out of range";
		return false;
	}
	if (!accounts_user(ps->p, item, &uid, &gid)) {
		ps->error = "user name does not exist";
		return false;
	}
	*number = uid;
	return true;
}

static bool want_group(struct ps *ps, const char *item, int64_t *number)
{
	uint32_t gid;

	if (num_i64(item, number) == NUM_OK) {
		if (*number >= 0 && *number <= UINT32_MAX)
			return true;
		ps->error = "group ID out of range";
		return false;
	}
	if (!accounts_group(ps->p, item, &gid)) {
		ps->error = "group name does not exist";
		return false;
	}
	*number = gid;
	return true;
}

static bool want_pid(struct ps *ps, const char *item, int64_t *number)
{
	if (num_i64(item, number) != NUM_OK) {
		ps->error = "process ID list syntax error";
		return false;
	}
	if (*number >= 1 && *number <= INT32_MAX)
		return true;
	ps->error = "process ID out of range";
	return false;
}

static bool want_tty(struct ps *ps, const char *item, int64_t *number)
{
	struct tsb_stat st;

	*number = 0;
	if (!strcmp(item, "-") || !strcmp(item, "?"))
		return true;
	if (tsb_stat(ps->p, tsb_format(ps->p, "/dev/%s", item), &st) &&
	    tsb_stat(ps->p, tsb_format(ps->p, "/dev/tty%s", item), &st) &&
	    tsb_stat(ps->p, tsb_format(ps->p, "/dev/pts/%s", item), &st) &&
	    tsb_stat(ps->p, item, &st)) {
		ps->error = "TTY could not be found";
		return false;
	}
	*number = (int64_t)st.rdev + 1;	/* no process has one */
	return true;
}

static bool want_one(struct ps *ps, struct ps_want *w, const char *item)
{
	switch (w->kind) {
	case PS_BY_COMM:
		w->text = item;
		return true;
	case PS_BY_EUID:
	case PS_BY_RUID:
		return want_user(ps, item, &w->number);
	case PS_BY_RGID:
	case PS_BY_EGID:
		return want_group(ps, item, &w->number);
	case PS_BY_TTY:
		return want_tty(ps, item, &w->number);
	default:
		return want_pid(ps, item, &w->number);
	}
}

/* Between two separators, and behind the last one, is something. */
static bool want_is_list(const char *text)
{
	size_t n;

	while ((n = strcspn(text, ", \t")) && text[n])
		text += n + 1;
	return n > 0;
}

bool ps_want_list(struct ps *ps, enum ps_list_kind kind, const char *text)
{
	if (!want_is_list(text)) {
		ps->error = "improper list";
		return false;
	}
	while (*text) {
		size_t n = strcspn(text, ", \t");
		struct ps_want w = { .kind = kind };

		if (!want_one(ps, &w, tsb_strndup(ps->p, text, n)))
			return false;
		ps->wants = util_grow(ps->p, ps->wants, ps->n_wants, &ps->cap_wants, sizeof(w));
		ps->wants[ps->n_wants++] = w;
		text += n + (text[n] != '\0');
	}
	return true;
}

static bool want_meets(const struct ps_want *w, const struct procs_item *it)
{
	switch (w->kind) {
	case PS_BY_PID:
		return it->pid == w->number;
	case PS_BY_PPID:
		return it->ppid == w->number;
	case PS_BY_COMM:
		return !strncmp(it->comm, w->text, 15);
	case PS_BY_EUID:
		return it->uid[1] == w->number;
	case PS_BY_RUID:
		return it->uid[0] == w->number;
	case PS_BY_RGID:
		return it->gid[0] == w->number;
	case PS_BY_EGID:
		return it->gid[1] == w->number;
	case PS_BY_SID:
		return it->sid == w->number;
	case PS_BY_TTY:
		return it->tty == w->number;
	case PS_BY_PGRP:
		return it->pgrp == w->number;
	}
	return false;
}

static bool ps_simple(const struct ps *ps, const struct procs_item *it,
		      const struct procs_item *me)
{
	bool any = ps->all || ps->with_tty || ps->not_leaders || ps->bsd_a || ps->bsd_x ||
		   ps->this_tty;

	if (ps->all)
		return true;
	if (ps->with_tty && it->tty && it->sid != it->pid)
		return true;
	if (ps->not_leaders && it->sid != it->pid)
		return true;
	if (ps->this_tty && it->tty == me->tty)
		return true;
	if (ps->bsd_a || ps->bsd_x || (!any && !ps->n_wants && ps->bsd))
		return (ps->bsd_a || it->uid[1] == me->uid[1]) && (ps->bsd_x || it->tty);
	if (!any && !ps->n_wants)
		return it->uid[1] == me->uid[1] && it->tty == me->tty;
	return false;
}

bool ps_selected(struct ps *ps, const struct procs_item *it, const struct procs_item *me)
{
	bool yes = ps_simple(ps, it, me);

	for (size_t i = 0; !yes && i < ps->n_wants; i++)
		yes = want_meets(&ps->wants[i], it);
	if (yes == ps->deselect)
		return false;
	return !ps->running || it->state == 'R' || it->state == 'D';
}
