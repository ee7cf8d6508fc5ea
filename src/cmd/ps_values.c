/*
 * The columns of ps: what each shows of a process, in order of names. What has
 * no meaning here (namespaces, control groups of a service manager) shows what
 * a system without it shows.
 */
#include "cmd/ps.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/accounts.h"
#include "text/civil.h"
#include "text/datefmt.h"

#define VALUE(name) static void value_##name(struct ps *ps, struct str *out, \
					     const struct procs_item *it)
#define UNUSED (void)ps, (void)it

/* ---- Numbers ---- */

#define NUMBER(name, expr) \
	VALUE(name) { UNUSED; str_addf(out, "%lld", (long long)(expr)); } \
	static int order_##name(const struct procs_item *it, const struct procs_item *b) \
	{ \
		long long x = (long long)(expr), y; \
		it = b; \
		y = (long long)(expr); \
		return (x > y) - (x < y); \
	}

NUMBER(pid, it->pid)
NUMBER(ppid, it->ppid)
NUMBER(pgid, it->pgrp)
NUMBER(sid, it->sid)
NUMBER(tpgid, it->tpgid)
NUMBER(ruid, it->uid[0])
NUMBER(euid, it->uid[1])
NUMBER(suid, it->uid[2])
NUMBER(fuid, it->uid[3])
NUMBER(rgid, it->gid[0])
NUMBER(egid, it->gid[1])
NUMBER(sgid, it->gid[2])
NUMBER(fgid, it->gid[3])
NUMBER(ni, it->nice)
NUMBER(pri, 39 - it->priority)
NUMBER(opri, it->priority + 60)
NUMBER(pri_foo, it->priority - 20)
NUMBER(pri_bar, it->priority + 1)
NUMBER(pri_baz, it->priority + 100)
NUMBER(pri_api, -1 - it->priority)
NUMBER(priority, it->priority)
NUMBER(nlwp, it->threads)
NUMBER(psr, it->processor)
NUMBER(rss, it->rss * (PROCS_PAGE / 1024))
NUMBER(vsz, it->vsize / 1024)
NUMBER(vsize, it->vsize)
NUMBER(sz, it->vsize / PROCS_PAGE)
NUMBER(size, it->data_kb)
NUMBER(minflt, it->minflt)
NUMBER(majflt, it->majflt)
NUMBER(zero, 0 * it->pid)
NUMBER(flag, it->flags >> 6 & 7)

static int order_start_ticks(const struct procs_item *a, const struct procs_item *b)
{
	return (a->start > b->start) - (a->start < b->start);
}

static uint64_t ps_ticks(const struct ps *ps, const struct procs_item *it)
{
	return it->utime + it->stime + (ps->cumulative ? it->cutime + it->cstime : 0);
}

static int order_time(const struct procs_item *a, const struct procs_item *b)
{
	uint64_t x = a->utime + a->stime, y = b->utime + b->stime;

	return (x > y) - (x < y);
}

/* Later starts are shorter times. */
static int order_etime(const struct procs_item *a, const struct procs_item *b)
{
	return order_start_ticks(b, a);
}

static double ps_seconds(const struct ps *ps, const struct procs_item *it)
{
	double s = ps->uptime - (double)it->start / PROCS_HZ;

	return s > 0 ? s : 0;
}

/* Thousandths of one processor. */
static uint64_t ps_permille(const struct ps *ps, const struct procs_item *it)
{
	double s = ps_seconds(ps, it);

	return s > 0 ? (uint64_t)((double)ps_ticks(ps, it) * 1000 / PROCS_HZ / s) : 0;
}

VALUE(pcpu)
{
	uint64_t v = ps_permille(ps, it);

	if (v > 999)
		str_addf(out, "%llu", (unsigned long long)v / 10);
	else
		str_addf(out, "%llu.%llu", (unsigned long long)v / 10, (unsigned long long)v % 10);
}

VALUE(c)
{
	uint64_t v = ps_permille(ps, it) / 10;

	str_addf(out, "%llu", v > 99 ? 99ULL : (unsigned long long)v);
}

VALUE(cp)
{
	uint64_t v = ps_permille(ps, it);

	str_addf(out, "%llu", v > 999 ? 999ULL : (unsigned long long)v);
}

static void ps_exact_percent(struct ps *ps, struct str *out, const struct procs_item *it,
			     uint64_t ticks)
{
	double s = ps_seconds(ps, it), v = s > 0 ? (double)ticks * 100 / PROCS_HZ / s : 0;

	str_addf(out, "%.3f", v > 99.999 ? 99.999 : v);
}

VALUE(cuu) { ps_exact_percent(ps, out, it, it->utime + it->stime); }
VALUE(cuc) { ps_exact_percent(ps, out, it, it->utime + it->stime + it->cutime + it->cstime); }

VALUE(pmem)
{
	uint64_t kb = it->rss * (PROCS_PAGE / 1024), v = ps->memory_kb ? kb * 1000 / ps->memory_kb : 0;

	v = v > 999 ? 999 : v;
	str_addf(out, "%llu.%llu", (unsigned long long)v / 10, (unsigned long long)v % 10);
}

/* ---- Times ---- */

static void ps_add_span(struct str *out, uint64_t seconds, bool hours)
{
	unsigned long long s = seconds, d = s / 86400, h = s / 3600 % 24, m = s / 60 % 60;

	if (d)
		str_addf(out, "%llu-", d);
	if (d || h || hours)
		str_addf(out, "%02llu:", h);
	str_addf(out, "%02llu:%02llu", m, s % 60);
}

VALUE(time) { ps_add_span(out, ps_ticks(ps, it) / PROCS_HZ, true); }
VALUE(etime) { ps_add_span(out, (uint64_t)ps_seconds(ps, it), false); }
VALUE(etimes) { str_addf(out, "%llu", (unsigned long long)ps_seconds(ps, it)); }
VALUE(times) { str_addf(out, "%llu", (unsigned long long)(ps_ticks(ps, it) / PROCS_HZ)); }

VALUE(bsdtime)
{
	unsigned long long s = ps_ticks(ps, it) / PROCS_HZ;

	str_addf(out, "%llu:%02llu", s / 60, s % 60);
}

static int64_t ps_started(const struct ps *ps, const struct procs_item *it)
{
	return ps->boot + (int64_t)(it->start / PROCS_HZ);
}

static void ps_add_date(struct ps *ps, struct str *out, int64_t at, const char *format)
{
	struct date_moment m;
	struct zone zone;

	zone_init(&zone, tsb_getenv(ps->p, "TZ"));
	if (date_moment(&m, at, 0, &zone))
		date_format(out, format, strlen(format), &m);
}

static bool ps_same(struct ps *ps, int64_t a, int64_t b, const char *format)
{
	struct str x, y;

	str_init(&x, tsb_heap_of(ps->p), 64);
	str_init(&y, tsb_heap_of(ps->p), 64);
	ps_add_date(ps, &x, a, format);
	ps_add_date(ps, &y, b, format);
	return !strcmp(x.p, y.p);
}

VALUE(stime)
{
	int64_t at = ps_started(ps, it);

	ps_add_date(ps, out, at, ps_same(ps, at, ps->now, "%Y-%j") ? "%H:%M" :
		    ps_same(ps, at, ps->now, "%Y") ? "%b%d" : "%Y");
}

VALUE(bsdstart)
{
	int64_t at = ps_started(ps, it);

	ps_add_date(ps, out, at, ps->now - at > 86400 ? "%b %e" : " %H:%M");
}

VALUE(start)
{
	int64_t at = ps_started(ps, it);

	ps_add_date(ps, out, at, ps->now - at > 86400 ? "  %b %d" : "%H:%M:%S");
}

VALUE(lstart) { ps_add_date(ps, out, ps_started(ps, it), "%a %b %e %H:%M:%S %Y"); }

/* ---- Names ---- */

static void ps_add_user(struct ps *ps, struct str *out, uint32_t id)
{
	const char *name = ps->numeric ? NULL : accounts_user_name(ps->p, id);

	if (name)
		str_adds(out, name);
	else
		str_addf(out, "%u", id);
}

static void ps_add_group(struct ps *ps, struct str *out, uint32_t id)
{
	const char *name = ps->numeric ? NULL : accounts_group_name(ps->p, id);

	if (name)
		str_adds(out, name);
	else
		str_addf(out, "%u", id);
}

VALUE(ruser) { ps_add_user(ps, out, it->uid[0]); }
VALUE(euser) { ps_add_user(ps, out, it->uid[1]); }
VALUE(suser) { ps_add_user(ps, out, it->uid[2]); }
VALUE(fuser) { ps_add_user(ps, out, it->uid[3]); }
VALUE(rgroup) { ps_add_group(ps, out, it->gid[0]); }
VALUE(egroup) { ps_add_group(ps, out, it->gid[1]); }
VALUE(sgroup) { ps_add_group(ps, out, it->gid[2]); }
VALUE(fgroup) { ps_add_group(ps, out, it->gid[3]); }
VALUE(supgid) { UNUSED; str_adds(out, *it->supgid ? it->supgid : "-"); }

VALUE(supgrp)
{
	const char *at = it->supgid;

	if (!*at)
		str_addc(out, '-');
	while (*at) {
		char *end;

		ps_add_group(ps, out, (uint32_t)strtoul(at, &end, 10));
		if (*end)
			str_addc(out, ',');
		at = *end ? end + 1 : end;
	}
}

VALUE(state) { UNUSED; str_addc(out, it->state); }

VALUE(stat)
{
	UNUSED;
	str_addc(out, it->state);
	if (it->nice < 0)
		str_addc(out, '<');
	if (it->nice > 0)
		str_addc(out, 'N');
	if (it->sid == it->pid)
		str_addc(out, 's');
	if (it->threads > 1)
		str_addc(out, 'l');
	if (it->tpgid > 0 && it->tpgid == it->pgrp)
		str_addc(out, '+');
}

/* Line ends become spaces, other controls question marks. */
static void ps_add_clean(struct str *out, const char *s)
{
	for (; *s; s++) {
		unsigned char c = (unsigned char)*s;

		str_addc(out, c == '\n' ? ' ' : c < ' ' || c == 127 ? '?' : c);
	}
}

static void ps_add_environ(struct ps *ps, struct str *out, const struct procs_item *it)
{
	char *text, path[64];
	size_t n;

	snprintf(path, sizeof(path), "/proc/%d/environ", it->pid);
	text = procs_slurp(ps->p, path, &n);
	for (size_t at = 0; text && at < n; at += strlen(text + at) + 1) {
		str_addc(out, ' ');
		ps_add_clean(out, text + at);
	}
}

VALUE(comm)
{
	str_adds(out, ps->prefix ? ps->prefix : "");
	ps_add_clean(out, it->comm);
	if (it->state == 'Z')
		str_adds(out, " <defunct>");
	if (ps->environ)
		ps_add_environ(ps, out, it);
}

VALUE(args)
{
	char *line = ps->comm_only ? NULL : procs_command_line(ps->p, it);

	if (ps->comm_only) {
		value_comm(ps, out, it);
		return;
	}
	str_adds(out, ps->prefix ? ps->prefix : "");
	if (line) {
		ps_add_clean(out, line);
	} else {
		str_addc(out, '[');
		ps_add_clean(out, it->comm);
		str_addc(out, ']');
	}
	if (it->state == 'Z')
		str_adds(out, " <defunct>");
	if (ps->environ)
		ps_add_environ(ps, out, it);
}

VALUE(fname)
{
	UNUSED;
	for (size_t i = 0; i < 8 && it->comm[i]; i++)
		str_addc(out, it->comm[i]);
}

VALUE(exe)
{
	char path[64], link[4096];
	ssize_t n;

	snprintf(path, sizeof(path), "/proc/%d/exe", it->pid);
	n = tsb_readlink(ps->p, path, link, sizeof(link) - 1);
	link[n > 0 ? n : 0] = '\0';
	str_adds(out, n > 0 ? link : "-");
}

VALUE(cgroup)
{
	char path[64], *text;

	snprintf(path, sizeof(path), "/proc/%d/cgroup", it->pid);
	text = procs_slurp(ps->p, path, NULL);
	if (!text || !*text) {
		str_addc(out, '-');
		return;
	}
	str_addn(out, text, strcspn(text, "\n"));
}

/* ---- Signals ---- */

VALUE(pending) { UNUSED; str_adds(out, it->sig[1]); }
VALUE(tsig) { UNUSED; str_adds(out, it->sig[0]); }
VALUE(blocked) { UNUSED; str_adds(out, it->sig[2]); }
VALUE(ignored) { UNUSED; str_adds(out, it->sig[3]); }
VALUE(caught) { UNUSED; str_adds(out, it->sig[4]); }

/* ---- The same for all ---- */

VALUE(none) { UNUSED; str_addc(out, '-'); }
VALUE(question) { UNUSED; str_addc(out, '?'); }
VALUE(class) { UNUSED; str_adds(out, "TS"); }
VALUE(address) { UNUSED; str_adds(out, "0000000000000000"); }
VALUE(limit) { UNUSED; str_adds(out, "xx"); }
VALUE(slice) { UNUSED; str_adds(out, "-.slice"); }
VALUE(sgi_p) { UNUSED; str_adds(out, it->state == 'R' ? "0" : "*"); }

static void value_text(struct str *out, const char *text) { str_adds(out, text); }
VALUE(left) { UNUSED; value_text(out, "tty7"); }
VALUE(left2) { UNUSED; value_text(out, "3270/tty4"); }
VALUE(right) { UNUSED; value_text(out, "59:59"); }
VALUE(right2) { UNUSED; value_text(out, "999-23:59:59"); }
VALUE(unlimited) { UNUSED; value_text(out, "[123456789-12345] <defunct>"); }
VALUE(unlimited2) { UNUSED; value_text(out, "123456789-123456789-123456789"); }

static int order_comm(const struct procs_item *a, const struct procs_item *b)
{
	return strcmp(a->comm, b->comm);
}

static int order_state(const struct procs_item *a, const struct procs_item *b)
{
	return (a->state > b->state) - (a->state < b->state);
}

#define TEXT(name, header, width, align, fn) { name, header, width, PS_##align, value_##fn, NULL },
#define ORDER(name, header, width, align, fn, order) \
	{ name, header, width, PS_##align, value_##fn, order_##order },
#define NUM(name, header, width, fn) { name, header, width, PS_RIGHT, value_##fn, order_##fn },
#define PIDS(name, header, fn) { name, header, 5, PS_PID, value_##fn, order_##fn },
const struct ps_column ps_columns[] = {
#include "cmd/ps_columns.def"
};
const size_t ps_columns_n = sizeof(ps_columns) / sizeof(*ps_columns);
