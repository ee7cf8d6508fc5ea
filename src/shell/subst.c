/*
 * $( ), <( ) and >( ).
 *
 * Most command substitutions run one builtin that only prints: those run in
 * this process, with their output caught in memory. The others get a clone of
 * the shell behind a pipe. $(<file) is read here.
 */
#include "shell/doing.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>

#include "base/num.h"

static void warn_of_nulls(struct shell *sh, bool any)
{
	if (any)
		shell_error(sh, "warning: command substitution: ignored null byte in input");
}

/* The output into sh->turn, without NULs and trailing newlines. */
static void take_output(struct shell *sh, struct str *text, struct slice *out)
{
	char *p = arena_dup(&sh->turn, text->p, text->n);
	size_t n = 0;

	for (size_t i = 0; i < text->n; i++)
		if (p[i])
			p[n++] = p[i];
	warn_of_nulls(sh, n < text->n);
	while (n && p[n - 1] == '\n')
		n--;
	p[n] = '\0';
	*out = (struct slice){ p, n };
}

/* ---- In this process ---- */

static bool catch_builtin(struct shell *sh, const struct node *n, struct str *text)
{
	struct arena_mark m = arena_mark(&sh->turn);
	struct doing *d = doing(sh);
	struct str *outer = d->capture;
	struct quick_command q;
	enum flow flow = FLOW_NEXT;
	bool subshell = sh->is_subshell;
	const struct node *current = sh->current;
	uint32_t line = sh->line;
	enum quick kind;

	d->trace_level++;
	sh->is_subshell = true;		/* for the status of what fails in it */
	command_is(sh, n);
	kind = quick_prepare(sh, n, &q);
	if (kind == QUICK_BUILTIN) {
		if (sh->opts[OPT_XTRACE])
			trace_words(sh, &q.fields);
		d->capture = text;
		sh->status = run_builtin(sh, q.builtin, (int)q.fields.n, q.fields.at, &flow);
		d->capture = outer;
	}
	d->trace_level--;
	sh->is_subshell = subshell;
	sh->line = line;
	sh->current = current;
	arena_reset(&sh->turn, m);
	return kind == QUICK_BUILTIN || kind == QUICK_FAILED;
}

/* $(<file) */
static bool is_file_only(const struct node *n)
{
	return n->kind == NODE_SIMPLE && !n->simple.words && !n->simple.assigns && n->redirs &&
	       !n->redirs->next && n->redirs->kind == REDIR_IN && n->redirs->fd <= 0 &&
	       !n->redirs->var.n;
}

static enum flow catch_file(struct shell *sh, const struct node *n, struct str *text)
{
	struct slice path;
	enum flow f = expand_target(sh, n->redirs->word, &path);
	int fd;

	if (f != FLOW_NEXT || !path.p) {
		sh->status = 1;
		return f;
	}
	fd = tsb_open(sh->p, path.p, O_RDONLY, 0);
	sh->status = fd < 0;
	if (fd < 0) {
		shell_error(sh, "%s: %s", path.p, tsb_strerror(fd));
		return FLOW_NEXT;
	}
	warn_of_nulls(sh, proc_read_all(sh->p, fd, text) > 0);	/* a directory: nothing */
	tsb_close(sh->p, fd);
	return FLOW_NEXT;
}

/* ---- In a child ---- */

static void child_settings(struct shell *csh, const struct shell *sh)
{
	doing(csh)->trace_level++;
	doing(csh)->in_substitution = true;
	doing(csh)->trap_now = doing(sh)->trap_now;	/* it is a part of the action, other subshells are not */
	doing(csh)->control_off = false;
}

static int catch_child(struct shell *sh, const struct node *n, struct str *text)
{
	struct tsb_proc *child;
	struct shell *csh;
	int fd[2], pid, err = tsb_pipe(sh->p, fd);

	if (err) {
		shell_error(sh, "cannot make pipe for command substitution: %s",
			    tsb_strerror(err));
		return 1;
	}
	csh = shell_fork(sh, &child);
	if (!csh) {
		tsb_close(sh->p, fd[0]);
		tsb_close(sh->p, fd[1]);
		return 254;
	}
	proc_give_fd(sh->p, fd[1], child, 1);
	if (fd[1] != 1)
		proc_drop_fd(child, fd[1]);
	if (fd[0] != 1)
		proc_drop_fd(child, fd[0]);
	child_settings(csh, sh);
	if (!csh->opts[SHOPT_INHERIT_ERREXIT] && !csh->opts[OPT_POSIX])
		csh->opts[OPT_ERREXIT] = false;
	if (sh->jobs)
		jobs_clone(csh, sh);
	pid = proc_pid(child);
	doing(csh)->exec_node = last_command(n);
	shell_start(csh, n);
	tsb_close(sh->p, fd[1]);
	warn_of_nulls(sh, proc_read_all(sh->p, fd[0], text) > 0);
	tsb_close(sh->p, fd[0]);
	return status_of_wait(job_wait_pid(sh, pid));
}

enum flow eval_substitution(struct shell *sh, const struct node *n, struct slice *out)
{
	enum flow f = FLOW_NEXT;
	struct str text;
	const struct node *one;

	*out = SLICE("");
	if (!n) {
		sh->substitution_status = sh->status = 0;
		return FLOW_NEXT;
	}
	str_init(&text, sh->heap, kernel_limits(proc_kernel(sh->p))->word_bytes);
	one = only_command(n);
	if (is_file_only(one))
		f = catch_file(sh, one, &text);
	else if (!catch_builtin(sh, one, &text))
		sh->status = catch_child(sh, n, &text);
	if (text.bad) {
		proc_limit(sh->p, "word_bytes");
		shell_error(sh, "command substitution: %s", tsb_strerror(E2BIG));
		sh->status = 1;
		f = FLOW_ABORT;
	} else {
		take_output(sh, &text, out);
	}
	str_end(&text);
	sh->substitution_status = sh->status;
	return f;
}

enum flow eval_late(struct shell *sh, const struct part *part)
{
	const struct syntax_error *late = part->late;
	struct parse_error err = { .line = late->line, .detail_line = late->line };

	if (late->plain) {
		shell_error(sh, "%s", late->message);
		sh->status = 1;
		return FLOW_ABORT;
	}
	str_init(&err.message, sh->heap, STR_MAX_DEFAULT);
	str_init(&err.detail, sh->heap, STR_MAX_DEFAULT);
	str_adds(&err.message, late->message);
	str_addslice(&err.detail, late->detail);
	parse_message(sh, &err, "command substitution");
	str_end(&err.message);
	str_end(&err.detail);
	sh->substitution_status = sh->status = STATUS_USAGE;
	if (part->backquoted || part->verbatim)
		return FLOW_NEXT;
	sh->status = 1;
	return FLOW_ABORT;
}

/* ---- <( ) and >( ) ---- */

int shell_high_fd(struct shell *sh, int fd)
{
	for (int want = 63; want > 10; want--) {
		if (proc_fd_open(sh->p, want))
			continue;
		if (tsb_dup2(sh->p, fd, want) < 0)
			break;
		tsb_close(sh->p, fd);
		return want;
	}
	return fd;
}

enum flow eval_process_substitution(struct shell *sh, const struct node *n, bool in,
				    struct slice *path)
{
	int fd[2], mine, other, err = tsb_pipe(sh->p, fd);
	struct tsb_proc *child;
	struct shell *csh;
	int *place;

	if (err) {
		shell_error(sh, "cannot make pipe for process substitution: %s",
			    tsb_strerror(err));
		return FLOW_ABORT;
	}
	mine = fd[in ? 0 : 1];
	other = fd[in ? 1 : 0];
	csh = shell_fork(sh, &child);
	if (!csh)
		return FLOW_ABORT;
	proc_give_fd(sh->p, other, child, in ? 1 : 0);
	proc_drop_fd(child, other);
	proc_drop_fd(child, mine);
	child_settings(csh, sh);
	csh->errexit_off = 0;	/* an if around is none of its business */
	sh->last_background = proc_pid(child);
	job_add_hidden(sh, proc_pid(child));
	shell_start(csh, n);
	tsb_close(sh->p, other);
	mine = shell_high_fd(sh, mine);
	place = vec_add(sh->heap, &doing(sh)->open_substitutions);
	if (place)
		*place = mine;
	path->p = arena_alloc(&sh->turn, 32);
	path->n = 0;
	if (path->p) {
		char *p = (char *)(uintptr_t)path->p;

		memcpy(p, "/dev/fd/", 8);
		path->n = 8 + num_format_i64(p + 8, mine);
	}
	return FLOW_NEXT;
}

size_t substitution_mark(struct shell *sh)
{
	return doing(sh)->open_substitutions.n;
}

void substitution_close(struct shell *sh, size_t mark)
{
	struct doing *d = doing(sh);

	while (d->open_substitutions.n > mark)
		tsb_close(sh->p, vec_pop(&d->open_substitutions));
}
