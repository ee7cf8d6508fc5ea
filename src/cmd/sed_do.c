/*
 * Commands on the two spaces, and those that decide what comes next.
 */
#include "cmd/sed.h"

#include <string.h>

/* ---- Flow ---- */

enum sed_flow sed_do_none(struct sed *s, struct sed_cmd *cmd)
{
	(void)s;
	(void)cmd;
	return SED_NEXT;
}

enum sed_flow sed_do_branch(struct sed *s, struct sed_cmd *cmd)
{
	(void)s;
	(void)cmd;
	return SED_JUMP;
}

enum sed_flow sed_do_if(struct sed *s, struct sed_cmd *cmd)
{
	bool jump = s->replaced;

	(void)cmd;
	s->replaced = false;
	return jump ? SED_JUMP : SED_NEXT;
}

enum sed_flow sed_do_unless(struct sed *s, struct sed_cmd *cmd)
{
	return sed_do_if(s, cmd) == SED_JUMP ? SED_NEXT : SED_JUMP;
}

enum sed_flow sed_do_quit(struct sed *s, struct sed_cmd *cmd)
{
	s->status = cmd->number == SED_NOT_GIVEN ? 0 : (int)cmd->number;
	return SED_QUIT;
}

enum sed_flow sed_do_quit_now(struct sed *s, struct sed_cmd *cmd)
{
	s->status = cmd->number == SED_NOT_GIVEN ? 0 : (int)cmd->number;
	return SED_QUIT_NOW;
}

enum sed_flow sed_do_broken(struct sed *s, struct sed_cmd *cmd)
{
	sed_panic(s, "INTERNAL ERROR: Bad cmd %c", cmd->name);
}

/* ---- Lines in ---- */

/* The last line is printed in POSIX mode, too, whatever the manual says. */
enum sed_flow sed_do_next(struct sed *s, struct sed_cmd *cmd)
{
	bool last = sed_is_last(s);

	(void)cmd;
	if (!s->quiet)
		sed_out_space(s, s->to, &s->pattern);
	if (last)
		return SED_DELETE;
	sed_appends_dump(s);
	return sed_read(s, false) ? SED_NEXT : SED_DELETE;
}

enum sed_flow sed_do_next_append(struct sed *s, struct sed_cmd *cmd)
{
	(void)cmd;
	if (sed_is_last(s))
		return s->posix == SED_GNU ? SED_END : SED_DELETE;
	sed_appends_dump(s);
	return sed_read(s, true) ? SED_NEXT : SED_END;
}

enum sed_flow sed_do_delete(struct sed *s, struct sed_cmd *cmd)
{
	(void)s;
	(void)cmd;
	return SED_DELETE;
}

enum sed_flow sed_do_delete_first(struct sed *s, struct sed_cmd *cmd)
{
	struct sed_space *sp = &s->pattern;
	char *end = sp->n ? memchr(sp->at, s->delim, sp->n) : NULL;

	(void)cmd;
	if (!end)
		return SED_DELETE;
	end++;
	sp->n -= (size_t)(end - sp->at);
	sp->at = end;
	return SED_AGAIN;
}

/* ---- The spaces ---- */

enum sed_flow sed_do_get(struct sed *s, struct sed_cmd *cmd)
{
	(void)cmd;
	sed_space_copy(s, &s->hold, &s->pattern);
	return SED_NEXT;
}

enum sed_flow sed_do_get_append(struct sed *s, struct sed_cmd *cmd)
{
	(void)cmd;
	sed_space_addc(s, &s->pattern, s->delim);
	sed_space_add(s, &s->pattern, s->hold.at, s->hold.n);
	s->pattern.no_newline = s->hold.no_newline;
	return SED_NEXT;
}

enum sed_flow sed_do_hold(struct sed *s, struct sed_cmd *cmd)
{
	(void)cmd;
	sed_space_copy(s, &s->pattern, &s->hold);
	return SED_NEXT;
}

enum sed_flow sed_do_hold_append(struct sed *s, struct sed_cmd *cmd)
{
	(void)cmd;
	sed_space_addc(s, &s->hold, s->delim);
	sed_space_add(s, &s->hold, s->pattern.at, s->pattern.n);
	s->hold.no_newline = s->pattern.no_newline;
	return SED_NEXT;
}

enum sed_flow sed_do_exchange(struct sed *s, struct sed_cmd *cmd)
{
	(void)cmd;
	sed_space_own(s, &s->pattern);
	sed_space_swap(&s->pattern, &s->hold);
	return SED_NEXT;
}

enum sed_flow sed_do_zap(struct sed *s, struct sed_cmd *cmd)
{
	(void)cmd;
	sed_space_clear(&s->pattern);
	return SED_NEXT;
}
