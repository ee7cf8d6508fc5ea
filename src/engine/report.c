/* The truth about each control, from what was asked for and what stands. */
#include "engine/engine.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

const char *wall_level(const struct wall *w)
{
	return w->seccomp && w->landlock && w->no_new_privs ? "kernel" : "process";
}

struct writer {
	const struct spec *spec;
	struct wire_out *o;
	const char *refused;
	char *why;
};

static void enforced(struct writer *w, const char *control, const char *asked, const char *by)
{
	size_t mark;

	if (!w->o)
		return;
	mark = wire_nest(w->o, WIRE_F_REPORT);
	wire_text(w->o, WIRE_F_CONTROL, control);
	wire_text(w->o, WIRE_F_ASKED, asked);
	wire_text(w->o, WIRE_F_BY, by);
	wire_unnest(w->o, mark);
}

/* asked NULL: not asked for, so nothing is refused because of it. */
static void open_control(struct writer *w, const char *control, const char *asked, const char *why,
			 const char *fix)
{
	size_t mark;

	if (asked && !w->refused && !spec_accepts(w->spec, control)) {
		w->refused = control;
		snprintf(w->why, VIRTUAL_WHY, "%s (%s) cannot be enforced: %s; %s", control, asked, why,
			 fix);
	}
	if (!w->o)
		return;
	mark = wire_nest(w->o, WIRE_F_REPORT);
	wire_text(w->o, WIRE_F_CONTROL, control);
	wire_text(w->o, WIRE_F_ASKED, asked);
	wire_text(w->o, WIRE_F_WHY, why);
	wire_text(w->o, WIRE_F_FIX, fix);
	wire_unnest(w->o, mark);
}

static const char *number(char *buf, uint64_t value)
{
	snprintf(buf, 32, "%" PRIu64, value);
	return value ? buf : "default";
}

static void report_wall(struct writer *w, const struct wall *wall)
{
	enforced(w, "filesystem", "private", wall->landlock ?
		 "tinysandbox (files are the sandbox's own) and Landlock" :
		 "tinysandbox (files are the sandbox's own)");
	enforced(w, "processes", "private", wall->seccomp ?
		 "tinysandbox (no program of the host is ever run) and seccomp (no execve, no fork)" :
		 "tinysandbox (no program of the host is ever run)");
	enforced(w, "devices", "none", "tinysandbox (devices of the host are never opened)");
	if (wall->seccomp)
		enforced(w, "syscalls", "worker", "seccomp");
	else
		open_control(w, "syscalls", NULL, "the kernel has no seccomp filters",
			     "use a kernel with CONFIG_SECCOMP_FILTER");
	if (wall->no_new_privs)
		enforced(w, "privileges", "none", wall->owner ? wall->owner :
			 "no_new_privs, no capabilities");
	else
		open_control(w, "privileges", NULL, "the kernel does not know no_new_privs",
			     "use a newer kernel");
	enforced(w, "tree-kill", "whole", "tinysandbox (all processes of an exec end in one call)");
}

static void report_resources(struct writer *w)
{
	const struct virtual_spec *v = &w->spec->v;
	char buf[32];

	enforced(w, "memory", number(buf, v->memory), "tinysandbox (heaps of all processes together)");
	enforced(w, "pids", number(buf, v->pids), "tinysandbox (all processes together)");
	enforced(w, "disk", number(buf, v->disk), v->workspace ?
		 "tinysandbox (the box's own files; the workspace is the host's)" :
		 "tinysandbox (all files together)");
	enforced(w, "open-files", number(buf, v->open_files), "tinysandbox (of each process)");
	if (w->spec->cpu)
		enforced(w, "cpu", number(buf, w->spec->cpu),
			 "tinybox-engine (all execs are frozen for the rest of each 100 ms)");
}

static void report_network(struct writer *w, const struct wall *wall)
{
	const char *network = w->spec->network ? w->spec->network : "none";

	if (!strcmp(network, "none"))
		enforced(w, "network", "none", wall->seccomp ?
			 "tinysandbox (there are no sockets) and seccomp (none can be made)" :
			 "tinysandbox (there are no sockets)");
	else
		open_control(w, "network", network, "a virtual box has no sockets at all",
			     "ask for none, or use the sandbox namespace");
	if (w->spec->allow && !strcmp(network, "none"))
		open_control(w, "network", "allow", "a virtual box has no sockets at all",
			     "use the sandbox namespace");
	if (w->spec->ports)
		open_control(w, "ports", "published", "nothing in a virtual box can listen",
			     "use the sandbox namespace");
}

const char *report_write(const struct spec *s, const struct wall *wall, struct wire_out *o,
			 char why[VIRTUAL_WHY])
{
	struct writer w = { s, o, NULL, why };

	report_wall(&w, wall);
	report_resources(&w);
	report_network(&w, wall);
	return w.refused;
}
