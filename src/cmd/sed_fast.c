/*
 * Lines that the script does not touch pass in blocks. A command whose address is
 * a regular expression, or an s, does nothing to a line its expression does not
 * match; if all commands on the top level are such, the lines in front of the
 * first that matches any of them are only printed (or not, with -n), and whole
 * buffers are searched at once.
 *
 * What a line leaves behind must not matter: the number of lines is kept, and the
 * flag of t cannot be set by a line that nothing matches. The last regular
 * expression that was used can: so an empty one is not allowed in front.
 */
#include "cmd/sed.h"

#include <string.h>

#include "base/heap.h"

enum { SED_FAST_MAX = 8 };

struct sed_fast {
	struct regex *any;	/* any of the expressions */
	bool counts;		/* the script asks for line numbers */
};

/* The expression without which nothing happens in the command. */
static const struct sed_regex *fast_guard(const struct sed_cmd *cmd)
{
	if (cmd->a1.kind == SED_ADDR_REGEX && !cmd->a2.kind && !cmd->negate)
		return cmd->a1.regex;
	if (!cmd->a1.kind && !cmd->negate && cmd->name == 's')
		return cmd->subst->regex;
	return NULL;
}

static bool fast_numbers(const struct sed *s)
{
	for (size_t i = 0; i < s->cmds.n; i++) {
		const struct sed_cmd *cmd = &s->cmds.at[i];

		if (cmd->name == '=' || cmd->a2.kind ||
		    (cmd->a1.kind && cmd->a1.kind != SED_ADDR_REGEX))
			return true;
	}
	return false;
}

struct sed_fast *sed_fast_new(struct sed *s)
{
	const char *text[SED_FAST_MAX], *error;
	size_t len[SED_FAST_MAX], n = 0;
	unsigned flags = 0;
	struct sed_fast *fast;

	if (s->unbuffered || s->debug || !s->cmds.n)
		return NULL;
	for (size_t at = 0; at < s->cmds.n; at = s->cmds.at[at].skip) {
		const struct sed_regex *rx = fast_guard(&s->cmds.at[at]);

		if (s->cmds.at[at].name == '}')
			continue;
		if (!rx || !rx->re || n == SED_FAST_MAX || (n && rx->compiled != flags))
			return NULL;
		if (regex_has_backrefs(rx->re) && s->cmds.n > 1)
			return NULL;
		flags = rx->compiled;
		text[n] = rx->text.p;
		len[n++] = rx->text.n;
	}
	fast = sed_alloc(s, sizeof(*fast));
	fast->any = regex_compile_many(tsb_heap_of(s->p), text, len, n, flags, &error);
	if (!fast->any)
		return NULL;
	regex_on_tick(fast->any, sed_regex_tick, s->p);
	fast->counts = fast_numbers(s);
	return fast;
}

static uint64_t fast_count(const char *p, size_t n, int delim)
{
	uint64_t count = 0;

	for (size_t i = 0; i < n; i++)
		count += p[i] == (char)delim;
	return count;
}

/* Whole lines in the buffer, up to the first that is wanted. */
void sed_fast_skip(struct sed *s, struct sed_fast *fast)
{
	struct lines *l = s->in.lines;
	size_t n, line, line_end;
	const char *from, *end;

	if (!s->in.open || l->at == l->n)
		return;
	from = l->buf + l->at;
	end = memrchr(from, s->delim, l->n - l->at);
	if (!end)
		return;
	n = (size_t)(end - from) + 1;
	if (regex_search_lines(fast->any, from, n, s->delim, &line, &line_end) != REGEX_NOMATCH)
		n = line;
	if (!n)
		return;
	if (fast->counts)
		s->in.line += fast_count(from, n, s->delim);
	if (!s->quiet)
		sed_out_text(s, s->to, from, n);
	l->at += n;
}
