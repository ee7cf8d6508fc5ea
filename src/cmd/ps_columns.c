/*
 * Which columns ps shows: the lists of -o and -O, the formats that options stand
 * for, and the keys of --sort.
 */
#include "cmd/ps.h"

#include <stdlib.h>
#include <string.h>

#include "cmd/util.h"

static void ps_value_none(struct ps *ps, struct str *out, const struct procs_item *it)
{
	(void)ps, (void)it;
	str_addc(out, '-');
}

/* Those that only formats name. */
static const struct ps_column ps_hidden[] = {
	{ "addr_1", "ADDR", 1, PS_LEFT, ps_value_none, NULL },
	{ "alarm", "ALARM", 5, PS_RIGHT, ps_value_none, NULL },
	{ "tmout", "TMOUT", 5, PS_RIGHT, ps_value_none, NULL },
};

static const struct ps_column *ps_among(const struct ps_column *at, size_t count, const char *name,
					size_t n)
{
	for (size_t i = 0; i < count; i++)
		if (!strncmp(at[i].name, name, n) && !at[i].name[n])
			return &at[i];
	return NULL;
}

const struct ps_column *ps_column_find(const char *name, size_t n)
{
	return ps_among(ps_columns, ps_columns_n, name, n);
}

static const struct ps_column *ps_column_aix(char letter)
{
	static const struct { char letter; const char *name; } rows[] = {
		{ 'C', "pcpu" }, { 'G', "group" }, { 'P', "ppid" }, { 'U', "user" },
		{ 'a', "args" }, { 'c', "comm" }, { 'g', "rgroup" }, { 'n', "nice" },
		{ 'p', "pid" }, { 'r', "pgid" }, { 't', "etime" }, { 'u', "ruser" },
		{ 'x', "time" }, { 'y', "tty" }, { 'z', "vsz" },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++)
		if (rows[i].letter == letter)
			return ps_column_find(rows[i].name, strlen(rows[i].name));
	return NULL;
}

/* Names between blanks. */
static bool ps_is_word(const char *words, const char *name)
{
	size_t n = strlen(name);

	for (const char *at = words; (at = strstr(at, name)) != NULL; at += n)
		if (at[-1] == ' ' && at[n] == ' ')
			return true;
	return false;
}

bool ps_column_in(const struct ps_column *c, enum ps_part part)
{
	static const char of_thread[] = " blocked caught class cls cpuid eip esp ignored intpri lastcpu "
		"lwp ni nice nwchan oom oomadj opri policy pri pri_api pri_bar pri_baz pri_foo priority "
		"psr rbytes rchars rops rtprio s sched sgi_p sig_block sig_catch sig_ignore sigcatch "
		"sigignore sigmask spid stat state tid wbytes wcbytes wchan wchars wname wops ";
	static const char of_process[] = " %mem args cgname cgroup cmd comm command drs dsiz exe fname "
		"longtname m_drs m_size m_trs nlwp pgid pgrp pid pmem ppid pss rss rssize rsz sess "
		"session sgi_rss sid size stackp start_stack sz tgid thcount tname tpgid trs trss tsiz "
		"tt tty tty4 tty8 ucmd ucomm uss vsize vsz addr_1 ";

	return part == PS_WHOLE || !ps_is_word(part == PS_SHARED ? of_thread : of_process, c->name);
}

void ps_column_list(struct ps *ps)
{
	for (size_t i = 0; i < ps_columns_n; i++)
		tsb_printf(ps->p, "%-12.12s %-8.8s\n", ps_columns[i].name, ps_columns[i].header);
}

/* ---- Formats ---- */

static struct ps_format *ps_format_push(struct ps *ps, const struct ps_column *column)
{
	struct ps_format *f;

	ps->formats = util_grow(ps->p, ps->formats, ps->n_formats, &ps->cap_formats, sizeof(*f));
	f = &ps->formats[ps->n_formats++];
	*f = (struct ps_format){ .column = column, .header = column->header,
				 .width = column->width };
	if (column->align == PS_PID && f->width < ps->pid_width)
		f->width = ps->pid_width;
	return f;
}

void ps_format_named(struct ps *ps, const char *names)
{
	while (*names) {
		size_t n = strcspn(names, ",");
		const struct ps_column *c = ps_column_find(names, n);

		if (!c)
			c = ps_among(ps_hidden, sizeof(ps_hidden) / sizeof(*ps_hidden), names, n);
		ps_format_push(ps, c);
		names += n + (names[n] == ',');
	}
}

static bool ps_format_bad(struct ps *ps, const char *name, size_t n)
{
	ps->error = tsb_format(ps->p, "unknown user-defined format specifier \"%.*s\"", (int)n, name);
	return false;
}

/* "%p %a": letters, and in front of them a text that each line begins with. */
static bool ps_format_aix(struct ps *ps, const char *text)
{
	size_t front = strcspn(text, "%");

	if (strchr(text, ',')) {
		ps->error = "improper AIX field descriptor";
		return false;
	}
	ps->lead = tsb_strndup(ps->p, text, front);
	text += front;
	while (*text) {
		const struct ps_column *c;

		if (*text == ' ') {
			text++;
			continue;
		}
		c = *text == '%' ? ps_column_aix(text[1]) : NULL;
		if (!c) {
			ps->error = *text == '%' ? "unknown AIX field descriptor" :
				    "improper AIX field descriptor";
			return false;
		}
		ps_format_push(ps, c);
		text += 2;
	}
	return true;
}

/* One "name:width" at text; the rest behind its header, if it has one. */
static const char *ps_format_one(struct ps *ps, const char *text)
{
	size_t all = strcspn(text, ", \t="), n = strcspn(text, ":, \t="), header;
	const struct ps_column *c = ps_column_find(text, n);
	struct ps_format *f;
	int width = 0;

	if (!all) {
		ps->error = "improper format list";
		return NULL;
	}
	if (n < all)
		width = atoi(text + n + 1);
	if (!c) {
		ps_format_bad(ps, text, n);
		return NULL;
	}
	if (n < all && width <= 0) {
		ps->error = "column widths must be unsigned decimal numbers";
		return NULL;
	}
	f = ps_format_push(ps, c);
	if (width > 0 && width <= 10000)
		f->width = width;
	text += all;
	if (*text == '=') {	/* up to a comma: spaces are part of it */
		header = strcspn(++text, ",");
		f->header = tsb_strndup(ps->p, text, header);
		if ((size_t)f->width < header)
			f->width = (int)header;
		text += header;
	}
	return text + (*text != '\0');
}

bool ps_format_add(struct ps *ps, const char *text)
{
	if (strchr(text, '%') && !strstr(text, "%cpu") && !strstr(text, "%mem"))
		return ps_format_aix(ps, text);
	while (text && *text)
		text = ps_format_one(ps, text);
	return text != NULL;
}

static void ps_add(struct ps *ps, bool when, const char *names)
{
	if (when)
		ps_format_named(ps, names);
}

static void ps_format_unix(struct ps *ps)
{
	unsigned u = ps->unix_format;
	bool full = u & PS_UNIX_F, extra = u & PS_UNIX_EXTRA, l = u & PS_UNIX_L, y = u & PS_UNIX_Y,
	     cls = u & PS_UNIX_C, any = full || l;

	ps_add(ps, u & PS_UNIX_M, "label");
	ps_add(ps, l && !y, "f");
	ps_add(ps, l, "s");
	ps_add(ps, full, "uid_hack");
	ps_add(ps, l && !full, "uid");
	ps_add(ps, true, "pid");
	ps_add(ps, u & PS_UNIX_SPID, "spid");
	ps_add(ps, any, "ppid");
	ps_add(ps, u & PS_UNIX_J, "pgid,sid");
	ps_add(ps, u & PS_UNIX_LWP, "lwp");
	ps_add(ps, u & PS_UNIX_P, "psr");
	ps_add(ps, cls, "class");
	ps_add(ps, any && !cls, "c");
	ps_add(ps, full && u & PS_UNIX_LWP, "nlwp");
	ps_add(ps, cls, "pri");
	ps_add(ps, l && !cls, "opri,ni");
	ps_add(ps, l && y, "rss,sz");
	ps_add(ps, l && !y, "addr_1,sz");
	ps_add(ps, l, "wchan");
	ps_add(ps, extra && !l, "sz");
	ps_add(ps, extra && !(l && y), "rss");
	ps_add(ps, extra && !(u & PS_UNIX_P), "psr");
	ps_add(ps, full, "stime");
	if (ps->bsd && !ps->bsd_format)
		ps_format_named(ps, "tname,stat,bsdtime");
	else
		ps_format_named(ps, "tname,time");
	ps_format_named(ps, full ? "cmd" : "ucmd");
}

static void ps_format_bsd(struct ps *ps)
{
	static const struct { char letter; const char *names; } rows[] = {
		{ 'j', "ppid,pid,pgid,sid,tname,tpgid,stat,uid,bsdtime,args" },
		{ 'l', "f,uid,pid,ppid,priority,ni,vsz,rss,wchan,stat,tname,bsdtime,args" },
		{ 's', "uid,pid,pending,blocked,ignored,caught,stat,tname,bsdtime,args" },
		{ 'u', "user,pid,pcpu,pmem,vsz,rss,tname,stat,start_time,bsdtime,args" },
		{ 'v', "pid,tname,stat,bsdtime,maj_flt,m_trs,m_drs,rss,pmem,args" },
		{ 'X', "pid,stackp,esp,eip,tmout,alarm,stat,tname,bsdtime,args" },
		{ 0, "pid,tname,stat,bsdtime,args" },
	};

	ps_add(ps, ps->unix_format & PS_UNIX_M, "label");
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		const char *names = rows[i].names, *pid = strstr(names, "pid,");

		if (rows[i].letter != ps->bsd_format)
			continue;
		while (pid > names && pid[-1] == 'p')	/* not ppid */
			pid = strstr(pid + 1, "pid,");
		ps_format_named(ps, tsb_strndup(ps->p, names, (size_t)(pid - names) + 3));
		ps_add(ps, ps->unix_format & PS_UNIX_LWP, "lwp");
		ps_add(ps, ps->unix_format & PS_UNIX_SPID, "spid");
		ps_format_named(ps, pid + 4);
	}
}

void ps_format_default(struct ps *ps)
{
	if (ps->extra) {
		const char *extra = ps->extra;

		ps->extra = NULL;
		ps_format_named(ps, "pid");
		if (!ps_format_add(ps, extra))
			return;
		ps_format_named(ps, ps->extra_bsd ? "state,tname,time" : "s,tname,time");
		ps_format_named(ps, ps->extra_bsd ? "ucomm" : "command");
		return;
	}
	if (ps->unix_format & ~(unsigned)(PS_UNIX_M | PS_UNIX_LWP | PS_UNIX_SPID) || !ps->bsd)
		ps_format_unix(ps);
	else
		ps_format_bsd(ps);
}

/* ---- Sorting ---- */

/* The letters of BSD's O. */
static const struct ps_column *ps_key_letter(char letter)
{
	static const struct { char letter; const char *name; } rows[] = {
		{ 'C', "pcpu" }, { 'G', "tpgid" }, { 'J', "time" }, { 'K', "time" },
		{ 'M', "majflt" }, { 'N', "minflt" }, { 'P', "ppid" }, { 'R', "rss" },
		{ 'S', "size" }, { 'T', "start_time" }, { 'U', "uid" }, { 'c', "cmd" },
		{ 'f', "flags" }, { 'g', "pgrp" }, { 'j', "time" }, { 'k', "time" },
		{ 'm', "minflt" }, { 'n', "minflt" }, { 'o', "session" }, { 'p', "pid" },
		{ 'r', "rss" }, { 's', "size" }, { 't', "tty" }, { 'u', "user" }, { 'v', "vsize" },
		{ 'y', "priority" },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++)
		if (rows[i].letter == letter)
			return ps_column_find(rows[i].name, strlen(rows[i].name));
	return NULL;
}

static void ps_key_push(struct ps *ps, const struct ps_column *c, bool reverse)
{
	ps->keys = util_grow(ps->p, ps->keys, ps->n_keys, &ps->cap_keys, sizeof(*ps->keys));
	ps->keys[ps->n_keys++] = (struct ps_key){ c, reverse };
}

/* Sorting knows a few that no column shows. */
static const struct ps_column *ps_key_find(const char *name, size_t n)
{
	static const char *const times[] = { "cutime", "utime" };
	const struct ps_column *c = ps_column_find(name, n);

	for (size_t i = 0; !c && i < sizeof(times) / sizeof(*times); i++)
		if (strlen(times[i]) == n && !strncmp(times[i], name, n))
			c = ps_column_find("time", 4);
	return c;
}

bool ps_sort_add(struct ps *ps, const char *text)
{
	while (*text) {
		size_t n = strcspn(text, ", ");
		bool reverse = *text == '-', sign = reverse || *text == '+';
		const struct ps_column *c = ps_key_find(text + sign, n - sign);

		if (!c) {
			ps->error = n ? "unknown sort specifier" : "improper sort list";
			return false;
		}
		ps_key_push(ps, c, reverse);
		text += n + (text[n] != '\0');
	}
	return true;
}

/* Each letter once, a sign in front of one. */
static bool ps_are_letters(const char *text)
{
	for (const char *at = text; *at; at++) {
		bool sign = *at == '-' || *at == '+';

		if (sign ? !at[1] || at[1] == '-' || at[1] == '+' :
		    !ps_key_letter(*at) || memchr(text, *at, (size_t)(at - text)))
			return false;
	}
	return true;
}

bool ps_sort_or_format(struct ps *ps, const char *text)
{
	if (!ps_are_letters(text)) {
		const struct ps format = *ps;

		ps->extra = text;
		ps->extra_bsd = true;
		if (ps_format_add(ps, text)) {
			ps->n_formats = format.n_formats;
			return true;
		}
		ps->error = "bad sorting code";
		return false;
	}
	for (const char *at = text; *at; at++)
		if (*at != '-' && *at != '+')
			ps_key_push(ps, ps_key_letter(*at), at > text && at[-1] == '-');
	return true;
}
