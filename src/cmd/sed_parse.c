/*
 * Scripts: addresses, the name of a command, what belongs to it. A script comes
 * in pieces (-e, -f); blocks and labels span them, a command does not, but for
 * the text of a, i and c.
 */
#include "cmd/sed.h"

#include <string.h>

/* ---- Addresses ---- */

static bool parse_regex_addr(struct sed *s, struct sed_addr *a, int c)
{
	struct str pattern;
	unsigned flags = 0;

	if (c == '\\')
		c = sed_char(s);
	if (!sed_delimited(s, c, true, &pattern))
		sed_bad(s, "unterminated address regex");
	for (;;) {
		c = sed_nonblank(s);
		if (c == 'I' && s->posix != SED_MINIMAL)
			flags |= REGEX_ICASE;
		else if (c == 'M' && s->posix != SED_MINIMAL)
			flags |= REGEX_NEWLINE;
		else
			break;
	}
	sed_unchar(s, c);
	a->kind = SED_ADDR_REGEX;
	a->regex = sed_regex_new(s, &pattern, flags, -1);
	return true;
}

static bool parse_number_addr(struct sed *s, struct sed_addr *a, int c)
{
	a->kind = SED_ADDR_LINE;
	a->n = sed_integer(s, c);
	c = sed_nonblank(s);
	if (c != '~' || s->posix == SED_MINIMAL) {
		sed_unchar(s, c);
		return true;
	}
	a->step = sed_integer(s, sed_nonblank(s));
	if (a->step)
		a->kind = SED_ADDR_STEP;
	return true;
}

/* false: there is none at c. */
static bool parse_addr(struct sed *s, struct sed_addr *a, int c)
{
	*a = (struct sed_addr){ 0 };
	if (c == '/' || c == '\\')
		return parse_regex_addr(s, a, c);
	if (c >= '0' && c <= '9')
		return parse_number_addr(s, a, c);
	if ((c == '+' || c == '~') && s->posix != SED_MINIMAL) {
		a->kind = c == '+' ? SED_ADDR_PLUS : SED_ADDR_MULTIPLE;
		a->n = sed_integer(s, sed_nonblank(s));
		return true;
	}
	if (c == '$')
		a->kind = SED_ADDR_LAST;
	return c == '$';
}

/* Both addresses; returns the character behind them. */
static int parse_addrs(struct sed *s, struct sed_cmd *cmd, int c)
{
	if (!parse_addr(s, &cmd->a1, c))
		return c;
	/* +0 and ~0 are no address at all. */
	if ((cmd->a1.kind == SED_ADDR_PLUS || cmd->a1.kind == SED_ADDR_MULTIPLE) && cmd->a1.n)
		sed_bad(s, "invalid usage of +N or ~N as first address");
	c = sed_nonblank(s);
	if (c == ',') {
		if (!parse_addr(s, &cmd->a2, sed_nonblank(s)))
			sed_bad(s, "unexpected `,'");
		c = sed_nonblank(s);
	}
	if (cmd->a1.kind != SED_ADDR_LINE || cmd->a1.n)
		return c;
	cmd->zero = true;
	if (s->posix == SED_MINIMAL ||
	    (cmd->a2.kind != SED_ADDR_REGEX && (cmd->a2.kind || c != 'r')))
		sed_bad(s, "invalid usage of line address 0");
	if (!cmd->a2.kind)
		cmd->a1.n = 1;
	return c;
}

/* ---- What belongs to a command ---- */

static void parse_comment(struct sed *s, const struct sed_cmd *cmd)
{
	const struct sed_script *t = &s->script;
	int c;

	if (cmd->a1.kind)
		sed_bad(s, "comments don't accept any addresses");
	c = sed_char(s);
	/* Whatever follows: "#no" is as good as "#n". */
	if (c == 'n' && t->at == t->base + 2 && !s->scripted && !t->piped)
		s->quiet = true;
	while (c >= 0 && c != '\n')
		c = sed_char(s);
}

static void parse_close(struct sed *s, const struct sed_cmd *cmd)
{
	size_t here = s->cmds.n - 1;

	if (!s->blocks.n)
		sed_bad(s, "unexpected `}'");
	if (cmd->a1.kind)
		sed_bad(s, "`}' doesn't want any addresses");
	sed_end_of_command(s);
	s->cmds.at[vec_pop(&s->blocks).at].target = here;
}

static void parse_open(struct sed *s)
{
	struct sed_block *b = vec_add(tsb_heap_of(s->p), &s->blocks);

	*b = (struct sed_block){ s->cmds.n - 1, s->script };
}

static void parse_label(struct sed *s, struct sed_cmd *cmd)
{
	struct sed_label *label;

	if (cmd->a1.kind)
		sed_bad(s, ": doesn't want any addresses");
	cmd->text = sed_label(s);
	if (!cmd->text.n)
		sed_bad(s, "\":\" lacks a label");
	label = vec_add(tsb_heap_of(s->p), &s->labels);
	*label = (struct sed_label){ cmd->text, s->cmds.n - 1 };
}

/* q, Q, l, L: a number may follow. */
static void parse_number(struct sed *s, struct sed_cmd *cmd)
{
	bool quits = cmd->name == 'q' || cmd->name == 'Q';
	int c;

	if (quits && cmd->a2.kind)
		sed_bad(s, "command only uses one address");
	c = sed_nonblank(s);
	cmd->number = SED_NOT_GIVEN;
	if (c >= '0' && c <= '9' && s->posix != SED_MINIMAL)
		cmd->number = (int)sed_integer(s, c);
	else
		sed_unchar(s, c);
	sed_end_of_command(s);
}

/* Dotted numbers: is this sed older than that? */
static bool version_is_newer(struct slice v)
{
	static const int ours[] = { 4, 9, 0 };
	const char *p = v.p, *end = p + v.n;

	for (int i = 0; i < 3; i++) {
		int n = 0;

		if (p < end && (*p < '0' || *p > '9'))
			return true;
		for (; p < end && *p >= '0' && *p <= '9'; p++)
			if (n < 10000)
				n = n * 10 + (*p - '0');
		if (n != ours[i])
			return n > ours[i];
		p += p < end && *p == '.';
	}
	return false;
}

static void parse_version(struct sed *s)
{
	if (version_is_newer(sed_label(s)))
		sed_bad(s, "expected newer version of sed");
	s->posix = SED_GNU;
}

static void parse_file(struct sed *s, struct sed_cmd *cmd)
{
	struct sed_source *r;

	if (cmd->name == 'w' || cmd->name == 'W') {
		cmd->text = sed_filename(s);
		cmd->out = sed_out_open(s, cmd->text);
		return;
	}
	cmd->text = sed_filename(s);
	if (cmd->name == 'r')
		return;
	for (r = s->sources; r && !slice_is(cmd->text, r->name); r = r->next)
		;
	if (!r) {
		r = sed_alloc(s, sizeof(*r));
		r->name = cmd->text.p;
		r->next = s->sources;
		s->sources = r;
	}
	cmd->source = r;
}

/* ---- A command ---- */

static void parse_check_posix(struct sed *s, const struct sed_cmd *cmd, int c)
{
	if (s->posix != SED_MINIMAL || c <= 0)
		return;
	if (strchr("eFvzLQTRW", c))
		sed_bad(s, "unknown command: `%c'", c);
	if (strchr("ailq=r", c) && cmd->a2.kind)
		sed_bad(s, "command only uses one address");
}

static void parse_arguments(struct sed *s, struct sed_cmd *cmd)
{
	if (s->sandbox && strchr("erRwW", cmd->name))
		sed_bad(s, "e/r/w commands disabled in sandbox mode");
	switch (cmd->name) {
	case '{':
		parse_open(s);
		break;
	case '}':
		parse_close(s, cmd);
		break;
	case ':':
		parse_label(s, cmd);
		break;
	case 'b': case 't': case 'T':
		cmd->text = sed_label(s);
		break;
	case 'q': case 'Q': case 'l': case 'L':
		parse_number(s, cmd);
		break;
	case 'r': case 'R': case 'w': case 'W':
		parse_file(s, cmd);
		break;
	case 's':
		sed_parse_subst(s, cmd);
		break;
	case 'y':
		sed_parse_trans(s, cmd);
		break;
	case 'a': case 'i': case 'c': case 'e':
		sed_parse_text(s, s->cmds.n - 1);
		break;
	default:
		sed_end_of_command(s);
		break;
	}
}

/* false: that was a comment or v, which leave no command. */
static bool parse_command(struct sed *s, struct sed_cmd *cmd, int c)
{
	c = parse_addrs(s, cmd, c);
	if (c == '!') {
		cmd->negate = true;
		c = sed_nonblank(s);
		if (c == '!')
			sed_bad(s, "multiple `!'s");
	}
	parse_check_posix(s, cmd, c);
	if (c < 0)
		sed_bad(s, "missing command");
	cmd->name = (char)c;
	if (c == '#') {
		parse_comment(s, cmd);
		return false;
	}
	if (c == 'v') {
		parse_version(s);
		return false;
	}
	cmd->run = sed_find_command(cmd->name);
	if (!cmd->run)
		sed_bad(s, "unknown command: `%c'", c);
	parse_arguments(s, cmd);
	return true;
}

void sed_compile(struct sed *s, const char *text, size_t n, const char *file, bool piped)
{
	int c;

	s->script = (struct sed_script){ text, text, text + n, file, file ? 1 : 0,
					 file ? 0 : ++s->expressions, piped };
	if (s->has_pending)
		sed_text_goes_on(s);
	for (;;) {
		struct sed_cmd *cmd;

		do
			c = sed_char(s);
		while (c == ';' || sed_is_space(c));
		if (c < 0)
			break;
		cmd = vec_add(tsb_heap_of(s->p), &s->cmds);
		if (!parse_command(s, cmd, c))
			s->cmds.n--;
	}
	s->scripted = true;
}

/* ---- The end ---- */

static void compile_jumps(struct sed *s)
{
	for (size_t i = s->cmds.n; i--; ) {
		struct sed_cmd *cmd = &s->cmds.at[i];
		size_t k = s->labels.n;

		cmd->skip = cmd->name == '{' ? cmd->target : i + 1;
		if (!strchr("btT", cmd->name))
			continue;
		cmd->target = s->cmds.n;
		if (!cmd->text.n)
			continue;
		while (k && !slice_eq(s->labels.at[k - 1].name, cmd->text))
			k--;
		if (!k)
			sed_panic(s, "can't find label for jump to `%s'", cmd->text.p);
		cmd->target = s->labels.at[k - 1].at;
	}
}

void sed_compile_end(struct sed *s)
{
	if (s->blocks.n) {
		s->script = vec_last(&s->blocks).place;
		s->script.at = s->script.base;
		sed_bad(s, "unmatched `{'");
	}
	if (s->has_pending)
		sed_text_end(s);
	compile_jumps(s);
	s->script.at = s->script.base;	/* "char 0", when a message speaks of it later */
}
