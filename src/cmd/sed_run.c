/*
 * The cycle: a line is read, the commands are walked along, the pattern space is
 * printed. An address is asked before each command; ranges remember where they
 * are.
 */
#include "cmd/sed.h"

/* ---- Addresses ---- */

static bool addr_matches(struct sed *s, const struct sed_addr *a)
{
	uint64_t line = s->in.line;

	switch (a->kind) {
	case SED_ADDR_LINE:
		return line == a->n;
	case SED_ADDR_STEP:
		return line >= a->n && (line - a->n) % a->step == 0;
	case SED_ADDR_LAST:
		return sed_is_last(s);
	case SED_ADDR_REGEX:
		return sed_match(s, a->regex, s->pattern.at, s->pattern.n, 0, NULL, 0);
	default:
		return true;
	}
}

/* The first line of a range that begins with this one: where it ends. */
static bool range_begin(struct sed *s, struct sed_cmd *cmd)
{
	uint64_t line = s->in.line;

	switch (cmd->a2.kind) {
	case SED_ADDR_PLUS:
		cmd->range_end = line + cmd->a2.n;
		break;
	case SED_ADDR_MULTIPLE:
		cmd->range_end = cmd->a2.n ? (line / cmd->a2.n + 1) * cmd->a2.n : line;
		break;
	case SED_ADDR_LINE:
		cmd->range_end = cmd->a2.n;
		/* A range of lines that was slept through begins late, or never. */
		if (cmd->a1.kind == SED_ADDR_LINE && line > cmd->a1.n && line > cmd->a2.n)
			return false;
		break;
	case SED_ADDR_REGEX:
		cmd->range = SED_RANGE_ACTIVE;	/* asked from the next line on */
		return true;
	default:
		cmd->range_end = addr_matches(s, &cmd->a2) ? line : UINT64_MAX;
		break;
	}
	cmd->range = line < cmd->range_end ? SED_RANGE_ACTIVE : SED_RANGE_CLOSED;
	return true;
}

static bool range_goes_on(struct sed *s, struct sed_cmd *cmd)
{
	uint64_t line = s->in.line;
	bool last;

	switch (cmd->a2.kind) {
	case SED_ADDR_PLUS:
	case SED_ADDR_MULTIPLE:
	case SED_ADDR_LINE:
		last = line >= cmd->range_end;
		break;
	default:
		last = addr_matches(s, &cmd->a2);
		break;
	}
	if (last)
		cmd->range = SED_RANGE_CLOSED;
	return cmd->a2.kind != SED_ADDR_LINE || line <= cmd->range_end;
}

static bool range_matches(struct sed *s, struct sed_cmd *cmd)
{
	if (cmd->range == SED_RANGE_ACTIVE)
		return range_goes_on(s, cmd);
	if (cmd->a1.kind == SED_ADDR_LINE) {
		if (cmd->range == SED_RANGE_CLOSED || s->in.line < cmd->a1.n)
			return false;
	} else if (!addr_matches(s, &cmd->a1)) {
		return false;
	}
	return range_begin(s, cmd);
}

static inline bool cmd_matches(struct sed *s, struct sed_cmd *cmd)
{
	if (!cmd->a1.kind)
		return !cmd->negate;
	if (!cmd->a2.kind)
		return addr_matches(s, &cmd->a1) != cmd->negate;
	return range_matches(s, cmd) != cmd->negate;
}

/* ---- The table ---- */

sed_do_fn *sed_find_command(char name)
{
	static sed_do_fn *const table[128] = {
		['{'] = sed_do_none, ['}'] = sed_do_none, [':'] = sed_do_none,
		['='] = sed_do_line_number,
		['a'] = sed_do_append, ['b'] = sed_do_branch, ['c'] = sed_do_change,
		['d'] = sed_do_delete, ['D'] = sed_do_delete_first, ['e'] = sed_do_eval,
		['F'] = sed_do_file_name, ['g'] = sed_do_get, ['G'] = sed_do_get_append,
		['h'] = sed_do_hold, ['H'] = sed_do_hold_append, ['i'] = sed_do_insert,
		['l'] = sed_do_list, ['L'] = sed_do_broken, ['n'] = sed_do_next,
		['N'] = sed_do_next_append, ['p'] = sed_do_print, ['P'] = sed_do_print_first,
		['q'] = sed_do_quit, ['Q'] = sed_do_quit_now, ['r'] = sed_do_read,
		['R'] = sed_do_read_line, ['s'] = sed_do_subst, ['t'] = sed_do_if,
		['T'] = sed_do_unless, ['w'] = sed_do_write, ['W'] = sed_do_write_first,
		['x'] = sed_do_exchange, ['y'] = sed_do_trans, ['z'] = sed_do_zap,
	};

	return (unsigned char)name < 128 ? table[(unsigned char)name] : NULL;
}

/* ---- The cycle ---- */

enum { SED_TICK = 1024 };

static enum sed_flow run_script(struct sed *s)
{
	size_t at = 0, n = s->cmds.n;

	while (at < n) {
		struct sed_cmd *cmd = &s->cmds.at[at];
		enum sed_flow flow;

		if (++s->steps % SED_TICK == 0)
			tsb_tick(s->p, SED_TICK);
		if (s->debug)
			sed_debug_command(s, cmd);
		if (!cmd_matches(s, cmd)) {
			at = cmd->skip;
			continue;
		}
		flow = cmd->run(s, cmd);
		if (flow > SED_JUMP)
			return flow;
		at = flow == SED_JUMP ? cmd->target : at + 1;
		if (s->debug)
			sed_debug_after(s, cmd);
	}
	return SED_END;
}

static void end_cycle(struct sed *s, enum sed_flow flow)
{
	if (s->debug)
		sed_debug_end(s, flow);
	if (flow == SED_END && !s->quiet)
		sed_out_space(s, s->to, &s->pattern);
	if (flow == SED_QUIT && !s->quiet)
		sed_out_line(s, s->to, s->pattern.at, s->pattern.n);
	if (flow != SED_QUIT_NOW && flow != SED_AGAIN)
		sed_appends_dump(s);
}

int sed_run(struct sed *s)
{
	struct sed_fast *fast = sed_fast_new(s);
	enum sed_flow flow = SED_END;

	while (flow < SED_QUIT) {
		if (fast && flow != SED_AGAIN)
			sed_fast_skip(s, fast);
		if (flow != SED_AGAIN && !sed_read(s, false))
			break;
		if (s->debug)
			sed_debug_input(s, flow != SED_AGAIN);
		if (++s->steps % SED_TICK == 0)
			tsb_tick(s->p, SED_TICK);
		flow = run_script(s);
		end_cycle(s, flow);
	}
	sed_input_end(s);
	sed_flush_all(s);
	return s->bad_input ? SED_EXIT_INPUT : s->status;
}
