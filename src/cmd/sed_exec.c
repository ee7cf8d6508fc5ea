/*
 * Running a sed program: cycles, addresses, commands.
 */
#include "cmd/sed.h"

#include <errno.h>
#include <string.h>

#include "base/num.h"
#include "cmd/util.h"

enum sed_next { SED_GO_ON, SED_END_CYCLE, SED_DELETE, SED_RESTART, SED_QUIT, SED_QUIT_SILENT };

/* ---- Addresses ---- */

static bool match_address(struct sed *s, const struct sed_addr *a)
{
	switch (a->kind) {
	case SED_LINE:
		return s->line == a->n;
	case SED_STEP:
		return s->line >= a->n && (s->line - a->n) % a->step == 0;
	case SED_LAST:
		return sed_is_last(s);
	case SED_MATCH:
		return sed_match(s, sed_regex_use(s, a->re), 0, 0);
	default:
		return false;
	}
}

/* The first line of a range has come: is it more than this line? */
static void open_range(struct sed *s, struct sed_cmd *c)
{
	const struct sed_addr *a = c->a2;

	c->range = SED_ACTIVE;
	switch (a->kind) {
	case SED_LINE:
		c->range_end = a->n;
		break;
	case SED_PLUS:
		if (!num_add(s->line, a->n, &c->range_end))
			c->range_end = UINT64_MAX;
		break;
	case SED_MULTIPLE:
		c->range_end = a->n ? (s->line / a->n + 1) * a->n : s->line;
		break;
	default:
		return;
	}
	if (c->range_end <= s->line)
		c->range = SED_CLOSED;
}

static bool match_range(struct sed *s, struct sed_cmd *c)
{
	if (c->range != SED_ACTIVE) {
		if (c->a1->kind == SED_LINE) {
			if (c->range == SED_CLOSED || s->line < c->a1->n)
				return false;
			/* Past it already, when the end is a line number too. */
			if (c->a2->kind == SED_LINE && s->line > c->a1->n && s->line > c->a2->n) {
				c->range = SED_CLOSED;
				return false;
			}
		} else if (!match_address(s, c->a1)) {
			return false;
		}
		open_range(s, c);
		return true;
	}
	if (c->a2->kind == SED_LINE || c->a2->kind == SED_PLUS || c->a2->kind == SED_MULTIPLE) {
		if (c->a2->kind == SED_LINE)
			c->range_end = c->a2->n;
		if (s->line >= c->range_end)
			c->range = SED_CLOSED;
		return s->line <= c->range_end;
	}
	if (match_address(s, c->a2))
		c->range = SED_CLOSED;
	return true;
}

static bool selected(struct sed *s, struct sed_cmd *c)
{
	bool yes = !c->a1 || (c->a2 ? match_range(s, c) : match_address(s, c->a1));

	return yes != c->bang;
}

/* ---- e ---- */

struct slice sed_shell(struct sed *s, struct slice command)
{
	const char *argv[] = { "sh", "-c", tsb_strndup(s->p, command.p, command.n), NULL };
	struct tsb_fd_map fds[] = { { 1, -1 }, { -1, -1 }, { -1, -1 } };
	struct tsb_spawn how = { .size = sizeof(how), .file = "sh", .argv = argv, .fds = fds,
				 .n_fds = 1 };
	struct lines in = { 0 };
	int pipe[2], pid, err, status;
	struct slice out;

	sed_flush_files(s);
	sink_flush(&s->std_out.sink);
	tsb_flush(s->p);
	err = tsb_pipe(s->p, pipe);
	if (!err) {
		fds[0].parent = pipe[1];
		tsb_set_cloexec(s->p, pipe[0], true);
		tsb_set_cloexec(s->p, pipe[1], true);
		err = tsb_spawn(s->p, &how, &pid);
		tsb_close(s->p, pipe[1]);
	}
	if (err)
		sed_panic(s, SED_PANIC, "error running command: %s", tsb_strerror(err));
	lines_open(&in, s->p, pipe[0]);
	while (lines_fill(&in))
		;
	tsb_close(s->p, pipe[0]);
	while (tsb_wait(s->p, pid, &status, 0) == -EINTR)
		;
	out = (struct slice){ in.buf + in.at, in.n - in.at };
	return out;
}

static void do_shell(struct sed *s, const struct sed_cmd *c)
{
	struct slice r, text = c->text;

	if (!text.p) {
		r = sed_shell(s, (struct slice){ s->space.at, s->space.n });
		if (r.n && r.p[r.n - 1] == s->end)
			r.n--;
		space_set(s, &s->space, r.p, r.n);
		return;
	}
	if (text.n && text.p[text.n - 1] == '\n')
		text.n--;
	r = sed_shell(s, text);
	sed_end_line(s, &s->out);
	sed_put_raw(s, &s->out, r.p, r.n);
}

/* ---- l ---- */

static size_t list_byte(char out[8], unsigned char c)
{
	static const char special[] = "\a\b\f\n\r\t\v\\", letters[] = "abfnrtv\\";
	const char *at = c ? strchr(special, c) : NULL;

	if (at) {
		out[0] = '\\';
		out[1] = letters[at - special];
		return 2;
	}
	if (c >= 32 && c < 127) {
		out[0] = (char)c;
		return 1;
	}
	out[0] = '\\';
	out[1] = (char)('0' + (c >> 6));
	out[2] = (char)('0' + (c >> 3 & 7));
	out[3] = (char)('0' + (c & 7));
	return 4;
}

static void do_list(struct sed *s, int64_t width)
{
	struct sed_out *o = &s->out;
	size_t column = 0;

	sed_end_line(s, o);
	for (size_t i = 0; i < s->space.n; i++) {
		char part[8];
		size_t n = list_byte(part, (unsigned char)s->space.at[i]);

		if (width > 0 && column + n > (size_t)width - 1) {
			sed_put_raw(s, o, "\\\n", 2);
			column = 0;
		}
		sed_put_raw(s, o, part, n);
		column += n;
	}
	sed_put_raw(s, o, "$", 1);
	sed_put_raw(s, o, &s->end, 1);
}

/* ---- Commands ---- */

static void put_space(struct sed *s)
{
	sed_put(s, &s->out, s->space.at, s->space.n, s->space.newline);
}

static void put_text(struct sed *s, struct slice text)
{
	if (!text.n)
		return;
	sed_put(s, &s->out, text.p, text.n - 1, true);
}

static void put_number(struct sed *s)
{
	char digits[24];

	sed_put(s, &s->out, digits, num_format_u64(digits, s->line), true);
}

static const char *first_newline(const struct sed *s)
{
	return memchr(s->space.at, s->end, s->space.n);
}

/* n and N at the end of the input. */
static enum sed_next no_next_line(struct sed *s, char cmd)
{
	if (cmd == 'N' && s->strict)
		return SED_QUIT_SILENT;
	return SED_QUIT;
}

static enum sed_next do_next(struct sed *s)
{
	if (sed_is_last(s) && (s->at_file >= s->n_files || !s->separate))
		return no_next_line(s, 'n');
	if (!s->quiet)
		put_space(s);
	sed_dump_appends(s);
	return sed_read_line(s) ? SED_GO_ON : SED_QUIT_SILENT;
}

static enum sed_next do_next_append(struct sed *s)
{
	struct sed_space old;
	bool more;

	space_add(s, &s->space, &s->end, 1);
	if (sed_is_last(s) && (s->at_file >= s->n_files || !s->separate)) {
		s->space.n--;
		return no_next_line(s, 'N');
	}
	sed_dump_appends(s);
	old = s->space;
	s->space = s->scratch;
	more = sed_read_line(s);
	s->scratch = s->space;
	s->space = old;
	if (!more)
		return SED_QUIT;
	space_add(s, &s->space, s->scratch.at, s->scratch.n);
	s->space.newline = s->scratch.newline;
	return SED_GO_ON;
}

static enum sed_next do_delete_first(struct sed *s)
{
	const char *nl = first_newline(s);
	size_t n;

	if (!nl)
		return SED_DELETE;
	n = (size_t)(nl - s->space.at) + 1;
	memmove(s->space.at, s->space.at + n, s->space.n - n);
	s->space.n -= n;
	return SED_RESTART;
}

static enum sed_next do_change(struct sed *s, struct sed_cmd *c)
{
	if (c->bang || !c->a2 || c->range != SED_ACTIVE)
		put_text(s, c->text);
	/* In the middle of a range, and always but for "$!N"-like uses. */
	return SED_DELETE;
}

static void copy_space(struct sed *s, struct sed_space *to, const struct sed_space *from)
{
	space_set(s, to, from->at ? from->at : "", from->n);
	to->newline = from->newline;
}

static void join_space(struct sed *s, struct sed_space *to, const struct sed_space *from)
{
	space_add(s, to, &s->end, 1);
	space_add(s, to, from->at ? from->at : "", from->n);
	to->newline = from->newline;
}

static void do_hold(struct sed *s, char cmd)
{
	struct sed_space old = s->space;

	switch (cmd) {
	case 'g': copy_space(s, &s->space, &s->hold); break;
	case 'G': join_space(s, &s->space, &s->hold); break;
	case 'h': copy_space(s, &s->hold, &s->space); break;
	case 'H': join_space(s, &s->hold, &s->space); break;
	default:
		s->space = s->hold;
		s->hold = old;
		space_add(s, &s->space, "", 0);
	}
}

static void do_print_first(struct sed *s, struct sed_out *o)
{
	const char *nl = first_newline(s);

	if (nl)
		sed_put(s, o, s->space.at, (size_t)(nl - s->space.at), true);
	else
		sed_put(s, o, s->space.at, s->space.n, s->space.newline);
}

static void do_append(struct sed *s, const struct sed_cmd *c)
{
	struct sed_append a = { SED_APPEND_TEXT, c->text, c->file };

	if (c->cmd == 'r')
		a.kind = SED_APPEND_FILE;
	else if (c->cmd == 'R' && !sed_in_line(s, c->in, &a.text))
		return;
	sed_append_add(s, a);
}

/* Jumps: the index of the next command is *pc. */
static void do_jump(struct sed *s, const struct sed_cmd *c, size_t *pc)
{
	bool jump = c->cmd == 'b' || (c->cmd == 't') == s->replaced;

	if (c->cmd != 'b' && s->replaced)
		s->replaced = false;
	if (jump)
		*pc = c->jump;
	if (++s->steps % 256 == 0)
		tsb_tick(s->p, 64);
}

/* Commands that only print. */
static void do_output(struct sed *s, struct sed_cmd *c)
{
	switch (c->cmd) {
	case '=': put_number(s); break;
	case 'F': {
		const char *name = input_is_stdin(s->name) ? "-" : s->name;

		sed_put(s, &s->out, name, strlen(name), true);
		break;
	}
	case 'i': put_text(s, c->text); break;
	case 'l': case 'L': do_list(s, c->number < 0 ? s->line_length : c->number); break;
	case 'p': put_space(s); break;
	case 'P': do_print_first(s, &s->out); break;
	case 'w': sed_put(s, c->out, s->space.at, s->space.n, s->space.newline); break;
	default: do_print_first(s, c->out);
	}
}

static enum sed_next do_command(struct sed *s, struct sed_cmd *c, size_t *pc)
{
	switch (c->cmd) {
	case ':': case '}': case '{': case 'v': break;
	case 'a': case 'r': case 'R': do_append(s, c); break;
	case 'b': case 't': case 'T': do_jump(s, c, pc); break;
	case 'c': return do_change(s, c);
	case 'd': return SED_DELETE;
	case 'D': return do_delete_first(s);
	case 'e': do_shell(s, c); break;
	case 'g': case 'G': case 'h': case 'H': case 'x': do_hold(s, c->cmd); break;
	case 'n': return do_next(s);
	case 'N': return do_next_append(s);
	case 'q':
		s->status = c->number > 0 ? (int)c->number : s->status;
		return SED_QUIT;
	case 'Q':
		s->status = c->number > 0 ? (int)c->number : s->status;
		return SED_QUIT_SILENT;
	case 's': sed_do_subst(s, c->subst); break;
	case 'y': sed_do_map(s, c->map); break;
	case 'z': s->space.n = 0; break;
	default: do_output(s, c);
	}
	return SED_GO_ON;
}

static enum sed_next run_cycle(struct sed *s)
{
	size_t pc = 0;

	while (pc < s->n_cmds) {
		struct sed_cmd *c = &s->cmds[pc++];
		enum sed_next next = SED_GO_ON;

		if (s->debug)
			sed_debug_step(s, c);
		if (!selected(s, c)) {
			if (c->cmd == '{')
				pc = c->jump;
		} else {
			next = do_command(s, c, &pc);
		}
		if (next != SED_GO_ON)
			return next;
		if (s->debug && strchr("sygGxzeDNn", c->cmd))
			sed_debug_space(s);
	}
	return SED_END_CYCLE;
}

/* ---- The whole ---- */

static void put_first_files(struct sed *s)
{
	for (size_t i = 0; i < s->n_cmds; i++) {
		struct sed_cmd *c = &s->cmds[i];

		if (c->cmd == 'r' && c->a1 && !c->a2 && c->a1->kind == SED_LINE && !c->a1->n)
			do_append(s, c);
	}
	sed_dump_appends(s);
}

int sed_run_program(struct sed *s)
{
	enum sed_next next = SED_END_CYCLE;
	bool first = true;

	s->space.newline = s->hold.newline = s->scratch.newline = true;
	space_set(s, &s->hold, "", 0);
	for (size_t i = 0; i < s->n_cmds; i++)
		if (s->cmds[i].a1 && s->cmds[i].a2 && s->cmds[i].a1->kind == SED_LINE &&
		    !s->cmds[i].a1->n)
			s->cmds[i].range = SED_ACTIVE;
	while (next != SED_QUIT && next != SED_QUIT_SILENT && !tsb_out_error(s->p)) {
		if (next != SED_RESTART && !sed_read_line(s))
			break;
		if (first)
			put_first_files(s);
		first = false;
		if (s->debug) {
			sed_debug_input(s);
			sed_debug_space(s);
		}
		next = run_cycle(s);
		if (s->debug && (next == SED_END_CYCLE || next == SED_DELETE))
			sed_put_raw(s, &s->out, "END-OF-CYCLE:\n", 14);
		if ((next == SED_END_CYCLE || next == SED_QUIT) && !s->quiet)
			put_space(s);
		if (next != SED_QUIT_SILENT)
			sed_dump_appends(s);
	}
	sed_finish(s);
	return tsb_flush(s->p) ? SED_PANIC : s->status;
}
