/*
 * What became of each control. A control that is told twice keeps its last word, except that
 * what one layer could not enforce another still may: the later call wins.
 */
#include "init/report.h"

#include <stdio.h>
#include <string.h>

static struct report_line *line_of(struct report *r, const char *control, const char *asked)
{
	struct report_line *l = NULL;

	for (size_t i = 0; i < r->count && !l; i++) {
		if (!strcmp(r->line[i].control, control))
			l = &r->line[i];
	}
	if (!l && r->count < sizeof(r->line) / sizeof(*r->line))
		l = &r->line[r->count++];
	if (!l)
		return NULL;
	memset(l, 0, sizeof(*l));
	l->control = control;
	snprintf(l->asked, sizeof(l->asked), "%s", asked ? asked : "");
	return l;
}

void report_enforced(struct report *r, const char *control, const char *asked, const char *by)
{
	struct report_line *l = line_of(r, control, asked);

	if (l)
		snprintf(l->by, sizeof(l->by), "%s", by);
}

void report_open(struct report *r, const char *control, const char *asked, const char *why,
		 const char *fix)
{
	struct report_line *l = line_of(r, control, asked);

	if (!l)
		return;
	snprintf(l->why, sizeof(l->why), "%s", why);
	snprintf(l->fix, sizeof(l->fix), "%s", fix ? fix : "");
}

static bool accepted(const char *const *accept, const char *control)
{
	for (; accept && *accept; accept++) {
		if (!strcmp(*accept, control))
			return true;
	}
	return false;
}

const struct report_line *report_refused(const struct report *r, const char *const *accept)
{
	for (size_t i = 0; i < r->count; i++) {
		if (!r->line[i].by[0] && !accepted(accept, r->line[i].control))
			return &r->line[i];
	}
	return NULL;
}

void report_write(const struct report *r, struct wire_out *o)
{
	for (size_t i = 0; i < r->count; i++) {
		const struct report_line *l = &r->line[i];
		size_t mark = wire_nest(o, WIRE_F_REPORT);

		wire_text(o, WIRE_F_CONTROL, l->control);
		wire_text(o, WIRE_F_ASKED, l->asked);
		if (l->by[0]) {
			wire_text(o, WIRE_F_BY, l->by);
		} else {
			wire_text(o, WIRE_F_WHY, l->why);
			wire_text(o, WIRE_F_FIX, l->fix);
		}
		wire_unnest(o, mark);
	}
}
