/* Shared by the files of probe.h. */
#ifndef INIT_PROBE_IN_H
#define INIT_PROBE_IN_H

#include "init/probe.h"

struct list;

struct probe *probe_add(struct list *l, const char *name, enum probe_state state, const char *fix,
			const char *format, ...) __attribute__((format(printf, 5, 6)));
void probe_cgroups(struct list *l);
void probe_programs(struct list *l);

#endif
