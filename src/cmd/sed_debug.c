/*
 * sed --debug: the program as it was understood, and each step of it.
 */
#include "cmd/sed.h"

#include <string.h>

static void put(struct sed *s, const char *z)
{
	sed_put_raw(s, &s->std_out, z, strlen(z));
}

static void put_n(struct sed *s, uint64_t n)
{
	put(s, tsb_format(s->p, "%llu", (unsigned long long)n));
}

static void debug_regex_text(struct sed *s, const struct sed_regex *re)
{
	put(s, "/");
	for (const char *t = re->text ? re->text : ""; *t; t++)
		sed_put_raw(s, &s->std_out, *t == '\n' ? "\\n" : t, *t == '\n' ? 2 : 1);
	put(s, "/");
}

static void debug_regex(struct sed *s, const struct sed_regex *re)
{
	debug_regex_text(s, re);
	if (re->flags & REGEX_ICASE)
		put(s, "I");
	if (re->flags & REGEX_NEWLINE)
		put(s, "M");
}

static void debug_address(struct sed *s, const struct sed_addr *a)
{
	switch (a->kind) {
	case SED_LINE: put_n(s, a->n); break;
	case SED_STEP:
		put_n(s, a->n);
		put(s, "~");
		put_n(s, a->step);
		break;
	case SED_LAST: put(s, "$"); break;
	case SED_MATCH: debug_regex(s, a->re); break;
	case SED_PLUS: case SED_MULTIPLE:
		put(s, a->kind == SED_PLUS ? "+" : "~");
		put_n(s, a->n);
		break;
	}
}

static void debug_subst(struct sed *s, const struct sed_subst *sub)
{
	debug_regex_text(s, sub->re);
	sed_put_raw(s, &s->std_out, sub->source.p, sub->source.n);
	put(s, "/");
	if (sub->re->flags & REGEX_ICASE)
		put(s, "i");
	if (sub->re->flags & REGEX_NEWLINE)
		put(s, "m");
	if (sub->eval)
		put(s, "e");
	if (sub->global)
		put(s, "g");
	if (sub->print)
		put(s, "p");
	if (sub->number)
		put_n(s, sub->number);
	if (sub->out) {
		put(s, "w");
		put(s, sub->out->name);
	}
}

static void debug_map(struct sed *s, const struct sed_map *map)
{
	put(s, "/");
	for (size_t i = 0; i < map->n; i++)
		sed_put_raw(s, &s->std_out, map->from[i].p, map->from[i].n);
	put(s, "/");
	for (size_t i = 0; i < map->n; i++)
		sed_put_raw(s, &s->std_out, map->to[i].p, map->to[i].n);
	put(s, "/");
}

static void debug_rest(struct sed *s, const struct sed_cmd *c)
{
	const char *label = c->label ? c->label : "";

	switch (c->cmd) {
	case 'a': case 'i': case 'c':
		put(s, "\\");
		sed_put_raw(s, &s->std_out, c->text.p ? c->text.p : "", c->text.n);
		break;
	case 's': debug_subst(s, c->subst); break;
	case 'y': debug_map(s, c->map); break;
	case ':': case 'b': case 't': case 'T':
		if (*label && c->cmd != ':')
			put(s, " ");
		put(s, label);
		break;
	case 'q': case 'Q': case 'l': case 'L':
		if (c->number >= 0) {
			put(s, " ");
			put_n(s, (uint64_t)c->number);
		}
		break;
	case 'r': put(s, " "); put(s, c->file); break;
	case 'R': put(s, " "); put(s, c->in->name); break;
	case 'w': case 'W': put(s, c->out->name); break;
	case 'e':
		put(s, c->text.p ? " " : "");
		sed_put_raw(s, &s->std_out, c->text.p ? c->text.p : "", c->text.n);
		break;
	default:
		break;
	}
	put(s, "\n");
}

static void debug_cmd(struct sed *s, const struct sed_cmd *c, int indent)
{
	for (; indent > 0; indent--)
		put(s, "  ");
	if (c->a1)
		debug_address(s, c->a1);
	if (c->a2) {
		put(s, ",");
		debug_address(s, c->a2);
	}
	if (c->bang)
		put(s, "!");
	if (c->a1 || c->bang)
		put(s, " ");
	sed_put_raw(s, &s->std_out, &c->cmd, 1);
	debug_rest(s, c);
}

void sed_debug_program(struct sed *s)
{
	int depth = 1;

	put(s, "SED PROGRAM:\n");
	for (size_t i = 0; i < s->n_cmds; i++) {
		depth -= s->cmds[i].cmd == '}';
		debug_cmd(s, &s->cmds[i], depth);
		depth += s->cmds[i].cmd == '{';
	}
}

void sed_debug_input(struct sed *s)
{
	const char *name = input_is_stdin(s->name) ? "STDIN" : s->name;

	put(s, tsb_format(s->p, "INPUT:   '%s' line %llu\n", name, (unsigned long long)s->line));
}

void sed_debug_step(struct sed *s, const struct sed_cmd *c)
{
	int depth = 0;

	for (const struct sed_cmd *at = s->cmds; at < c; at++)
		depth += (at->cmd == '{') - (at->cmd == '}');
	depth -= c->cmd == '}';
	put(s, "COMMAND: ");
	debug_cmd(s, c, depth);
}

void sed_debug_space(struct sed *s)
{
	put(s, "PATTERN: ");
	for (size_t i = 0; i < s->space.n; i++) {
		static const char special[] = "\a\f\n\r\t\v", letters[] = "afnrtv";
		char c = s->space.at[i];
		const char *at = c ? strchr(special, c) : NULL;

		if (at)
			put(s, tsb_format(s->p, "\\%c", letters[at - special]));
		else if (c >= 32 && c < 127)
			sed_put_raw(s, &s->std_out, &c, 1);
		else
			put(s, tsb_format(s->p, "\\o%o", (unsigned)(signed char)c));
	}
	put(s, "\n");
}

void sed_debug_spans(struct sed *s, const struct sed_regex *re)
{
	put(s, "MATCHED REGEX REGISTERS\n");
	for (size_t i = 0; i <= re->groups && i < 10; i++) {
		struct regex_span m = s->spans[i];

		if (m.so == REGEX_NONE)
			continue;
		put(s, tsb_format(s->p, "  regex[%zu] = %zu-%zu '", i, m.so, m.eo));
		sed_put_raw(s, &s->std_out, s->space.at + m.so, m.eo - m.so);
		put(s, "'\n");
	}
}
