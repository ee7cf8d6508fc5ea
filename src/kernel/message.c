/*
 * Messages on descriptor 2, each one write, with the program's name in front.
 * Standard output is flushed before, as error(3) does, so that both keep their
 * order when they go to the same place.
 */
#include "kernel/inside.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/str.h"

#define MESSAGE_MAX ((size_t)1 << 20)

const char *tsb_name(struct tsb_proc *p)
{
	return p->argc > 0 ? p->argv[0] : p->name ? p->name : p->comm;
}

static void message_write(struct tsb_proc *p, struct str *s)
{
	/* Failing to complain is not worth a complaint; but the status tells. */
	if (tsb_write_all(p, 2, s->p, s->n) < 0)
		p->out.complaint_lost = true;
	str_end(s);
}

void tsb_before_messages(struct tsb_proc *p, void (*put)(void *arg), void *arg)
{
	p->out.held = put;
	p->out.held_arg = arg;
}

void tsb_vwarn(struct tsb_proc *p, int err, const char *fmt, va_list ap)
{
	struct str s;

	if (p->out.held)
		p->out.held(p->out.held_arg);
	if (p->out.n)
		tsb_flush(p);
	str_init(&s, proc_heap_now(p), MESSAGE_MAX);
	str_adds(&s, tsb_name(p));
	str_adds(&s, ": ");
	str_addvf(&s, fmt, ap);
	if (err) {
		str_adds(&s, ": ");
		str_adds(&s, tsb_strerror(err));
	}
	str_addc(&s, '\n');
	message_write(p, &s);
}

void tsb_warn(struct tsb_proc *p, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	tsb_vwarn(p, 0, fmt, ap);
	va_end(ap);
}

void tsb_warn_errno(struct tsb_proc *p, int err, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	tsb_vwarn(p, err, fmt, ap);
	va_end(ap);
}

int tsb_usage(struct tsb_proc *p, const char *fmt, ...)
{
	struct str s;
	va_list ap;

	if (fmt) {
		va_start(ap, fmt);
		tsb_vwarn(p, 0, fmt, ap);
		va_end(ap);
	}
	str_init(&s, proc_heap_now(p), MESSAGE_MAX);
	str_addf(&s, "Try '%s --help' for more information.\n", tsb_name(p));
	message_write(p, &s);
	return p->cmd && p->cmd->usage_status ? p->cmd->usage_status : 1;
}
